"""Numbers that annotators gave to cases, ragged, checked once, immutable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.axes import Frozen, given_ids
from .._base.checks import error
from .._base.ragged import n_empty, offsets_of, sizes_of
from .._core import _tables
from .._tabular.rows import LongRows, as_floats, is_missing, is_number, wide

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(Frozen):
    """Ratings on a scale of numbers. Made by one of the ``from_*`` constructors.

    Parameters
    ----------
    case_ids : (N,) array of int64 or str
        Distinct case ids, in the order of the rows.
    annotators : (A,) array of int64 or str
        Annotator ids.
    offsets : (N + 1,) int64
        The rows of case i are ``offsets[i]`` to ``offsets[i + 1]``, in the order of the input.
    annotator : (R,) int32
        Position in ``annotators``.
    value : (R,) float64
        The ratings, finite.
    numbered : bool
        Whether the case ids were made up (0 to N-1) because none were given.

    Notes
    -----
    One annotator may rate a case several times: every rating counts. A case without ratings is kept.

    Examples
    --------
    >>> import ugt
    >>> ugt.Ratings.from_wide([[1.5, 2.0], [float("nan"), 0.5]])
    Ratings(n_cases=2, n_empty=0, n_ratings=3, n_annotators=2)
    """

    case_ids: NDArray[Any]
    annotators: NDArray[Any]
    offsets: NDArray[np.int64]
    annotator: NDArray[np.int32]
    value: NDArray[np.float64]
    numbered: bool = False

    @classmethod
    def from_long(cls, case: Any, annotator: Any, value: Any, *, cases: Any = None) -> Ratings:
        """Read a long table, one row a rating.

        Parameters
        ----------
        case, annotator : sequences of n ids
            Each column holds integers (of any width, or whole floats) or strings.
        value : (n,) array
            Finite numbers.
        cases : sequence of case ids, optional
            All cases in the order wanted, those without ratings too. Default: cases in order of first appearance.

        Raises
        ------
        ValueError
            If columns differ in length; an id is missing, empty or of another kind than the rest of its column; a case is unknown; a
            value is no finite number.

        Examples
        --------
        >>> ratings = Ratings.from_long(["p1", "p1", "p2"], ["ann", "bob", "ann"], [0.5, 1, -2])
        >>> ratings, ratings.means()
        (Ratings(n_cases=2, n_empty=0, n_ratings=3, n_annotators=2), array([ 0.75, -2.  ]))
        """
        rows = LongRows.read(case, annotator, cases)
        column = rows.numbers("value", value)
        offsets, order = _tables.group(rows.case, len(rows.case_ids))
        return cls(rows.case_ids, rows.annotators, offsets, rows.annotator[order], column[order])

    @classmethod
    def from_wide(cls, table: Any, *, case_ids: Any = None, annotators: Any = None, missing: Any = (None, "", float("nan"))) -> Ratings:
        """Read a wide table, one row a case and one column an annotator.

        Parameters
        ----------
        table : (N, A) array or list of lists
            Numbers, and values that mean "no rating".
        case_ids : sequence of N ids, optional
            Default: 0 to N-1.
        annotators : sequence of A ids, optional
            Default: 0 to A-1.
        missing : value or sequence of values
            What stands for "no rating", such as -1 or 99. None or nan stands for every kind of null.

        Raises
        ------
        ValueError
            If the table is not two-dimensional; a cell is no finite number; ids are repeated or of another number.

        Examples
        --------
        >>> Ratings.from_wide([[3, None], [4, 5]], case_ids=["a", "b"]).value
        array([3., 4., 5.])
        """
        cells = wide(table)
        n_cases, n_annotators = cells.shape
        cases, raters = given_ids("case_ids", case_ids, n_cases), given_ids("annotators", annotators, n_annotators)
        row, col = np.nonzero(~is_missing(cells, missing))
        value = _numbers(cells[row, col], cases[row], raters[col])
        return cls(cases, raters, offsets_of(np.bincount(row, minlength=n_cases)), col.astype(np.int32), value, case_ids is None)

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.case_ids)

    def __len__(self) -> int:
        return self.n_cases

    @property
    def n_ratings(self) -> int:
        """Number of ratings."""
        return len(self.value)

    def case_name(self, i: int) -> str:
        """How messages show case i: ``'p17'`` or ``17``."""
        return identifiers.name(self.case_ids[i])

    def means(self) -> NDArray[np.float64]:
        """(N,) mean rating of each case; NaN for a case without ratings."""
        sizes = sizes_of(self.offsets)
        total = np.bincount(np.repeat(np.arange(self.n_cases), sizes), self.value, self.n_cases)
        with np.errstate(invalid="ignore"):
            return np.asarray(total / sizes)

    def __repr__(self) -> str:
        return (
            f"Ratings(n_cases={self.n_cases}, n_empty={n_empty(self.offsets)}, n_ratings={self.n_ratings}, "
            f"n_annotators={len(self.annotators)})"
        )


def _numbers(cells: NDArray[Any], case: NDArray[Any], annotator: NDArray[Any]) -> NDArray[np.float64]:
    """Cells as finite numbers, or an error that names the first that is none."""

    def where(j: int) -> str:
        return f"case {identifiers.name(case[j])}, annotator {identifiers.name(annotator[j])}"

    if cells.dtype.kind not in "iuf":
        text = [j for j, cell in enumerate(cells.tolist()) if not is_number(cell)]
        if text:
            raise error("table", "hold numbers", repr(cells[text[0]]), where(text[0]))
    value = as_floats(cells)
    if not np.isfinite(value).all():
        j = int(np.argmin(np.isfinite(value)))
        raise error("table", "be finite", value[j], where(j))
    return value
