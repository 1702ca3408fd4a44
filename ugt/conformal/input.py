"""Input of conformal predictors: probabilities, the truth, groups of cases; and the scores of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from .._base import identifiers, parallel
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.axes import Axes
from .._base.checks import error, flag, option, room, scalar, whole
from .._base.names import alike, find, listed
from .._base.ragged import sizes_of
from .._base.wording import renamed
from .._core import _sets
from ..annotations import Labels
from ..annotations.bare import check_bare
from ..annotations.named import names_of
from ..calibration.logits import LogitTable, refuse
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities.point import NO_TABLE
from ..plausibilities.sets import as_groups
from ..resampling import ids_of_cases
from ..resampling.design import seed_of
from ..truth import votes

SCORES = {"lac": _sets.LAC, "aps": _sets.APS, "raps": _sets.RAPS}
BLOCK = 2**18  # numbers per block of rows
# Chain words of random streams: draws for a calibration case must be independent of draws for a predicted case with the same id.
CALIBRATED, PREDICTED, SAMPLED, HELD_OUT = 0, 1, 2, 3
NO_TRUTH = "case without annotations"


@dataclass(frozen=True, eq=False)
class Cases:
    """The probabilities (N, K), read in blocks, with the names of their cases and classes."""

    table: LogitTable
    axes: Axes

    @classmethod
    def of(
        cls,
        predictions: object,
        case_ids: object = None,
        n_classes: int | None = None,
        classes: object = None,
        truth: object = None,
        what: str = "truth",
    ) -> Cases:
        """Read probabilities of new cases, with the ``classes`` of the fit, or of those of a ``truth``, to which they are joined."""
        table = LogitTable.of(predictions, "probabilities", classes=classes, counts=truth, what=what)
        n, k = table.shape
        if n_classes is not None and k != n_classes:
            raise error("predictions", f"have {n_classes} classes, as in the fit", k)
        own = table.case_ids if table.case_ids is not None and len(table.case_ids) == n else None
        if classes is None and table.classes is not None and len(table.classes) == k:
            classes = table.classes
        return cls(table, Axes.of(n, k, own if case_ids is None else case_ids, classes))

    def __len__(self) -> int:
        return self.axes.n_cases

    def probabilities(self, begin: int, end: int) -> Array:
        """Return (rows, K) probabilities, clipped to the range from 0 to 1."""
        return np.ascontiguousarray(np.clip(self.table.given(begin, end), 0.0, 1.0))

    def run(self, task: Callable[[int, int], Any], what: str) -> list[Any]:
        """Run ``task(begin, end)`` over blocks of rows; their size is independent of the number of threads, and so are the results."""
        return parallel.run(task, len(self), max(1, BLOCK // self.table.shape[1]), what)


@dataclass(frozen=True)
class ScoreRule:
    """The rule by which classes are scored; a class with a higher score conforms less."""

    score: str
    randomized: bool
    penalty: float
    k_reg: int
    seed: int

    @classmethod
    def of(cls, score: Any, randomized: Any, penalty: Any, k_reg: Any, seed: Any) -> ScoreRule:
        option("score", score, tuple(SCORES))
        return cls(score, flag("randomized", randomized), scalar("penalty", penalty), whole("k_reg", k_reg, 0, 2**31), seed_of(seed))

    def scores(self, cases: Cases, begin: int, end: int, chain: int) -> Array:
        """Return (rows, K) scores of the classes of some cases."""
        given = cases.probabilities(begin, end)
        out = np.empty(given.shape)
        how = SCORES[self.score], self.randomized, self.penalty, self.k_reg, self.seed, chain
        _sets.scores(*how, given, cases.axes.stream_keys[begin:end], out)
        return out

    def table(self, cases: Cases, chain: int) -> Array:
        room("a table of scores", 8 * len(cases) * cases.table.shape[1])
        out = np.empty(cases.table.shape)

        def part(begin: int, end: int) -> None:
            out[begin:end] = self.scores(cases, begin, end, chain)

        cases.run(part, "scoring classes")
        return out


@dataclass(frozen=True, eq=False)
class Truth:
    """The label probabilities (N, K) of the calibration cases, read in blocks; NaN for a case without a truth."""

    source: Any
    axes: Axes | None

    @classmethod
    def of(cls, truth: Any, shape: tuple[int, int]) -> Truth:
        """Read plausibilities, labels (as shares) or an array, for predictions of this shape."""
        if isinstance(truth, Labels):
            truth = votes(truth, kind="mean")
        if not isinstance(truth, Plausibilities):
            array = truth if type(truth).__name__ == "Rankings" else identifiers.as_array(names_of("truth", truth)[0])
            # an array (N, K) is not copied, because it may be large; its values are checked as they are read
            check_bare("truth", array, truth=True)
            truth = array if getattr(array, "ndim", 0) == 2 else as_plausibilities(array)
        if isinstance(truth, np.ndarray) and truth.dtype.kind not in "biuf":
            raise error("truth", "be numbers", truth.dtype)
        axes = None if isinstance(truth, np.ndarray) else truth.axes
        got = truth.shape if axes is None else (axes.n_cases, axes.n_classes)
        if got != shape:
            raise error("truth", f"be of shape {shape} like the predictions (cases x classes)", got)
        return cls(truth, axes)

    def block(self, begin: int, end: int) -> Array:
        """Return (rows, K) numbers of at least 0; rows of NaN are undefined."""
        if not isinstance(self.source, np.ndarray):
            return np.ascontiguousarray(self.source.take(np.arange(begin, end, dtype=np.int64)).mean())
        part = np.ascontiguousarray(self.source[begin:end], np.float64)
        missing = np.isnan(part).all(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            total = part.sum(axis=1)
        bad = ~missing & ~((part >= 0).all(axis=1) & np.isfinite(total) & (total > 0))
        if bad.any():
            i = int(np.argmax(bad))
            raise error("truth", NO_TABLE, part[i][:8], f"case {begin + i}")
        return part


def single_labels(labels: object, axes: Axes) -> tuple[Int64, Axes | None]:
    """Return (N,) class numbers, given as such, as names of classes, or as ``Labels`` with one label per case."""
    n, k = axes.n_cases, axes.n_classes
    if isinstance(labels, Labels):
        if (labels.n_cases, labels.n_classes) != (n, k):
            raise error("labels", f"be of {n} cases and {k} classes like the predictions", (labels.n_cases, labels.n_classes))
        offsets, index, count = labels.class_counts()
        per_case = np.add.reduceat(np.append(count, 0), offsets[:-1]) * (sizes_of(offsets) > 0)
        if (per_case != 1).any():
            i = int(np.argmax(per_case != 1))
            must = "be one per case (MonteCarloConformal takes several)"
            raise error("labels", must, f"{per_case[i]} labels", f"case {labels.axes.case_name(i)}")
        return index.astype(np.int64), labels.axes
    array = identifiers.as_array(names_of("labels", labels)[0])
    if array.shape == (n,) and array.dtype.kind in "OUST" and identifiers.is_text(axes.classes):
        column = identifiers.number("labels", array)
        at = find(axes.classes, column.ids)
        if (at < 0).any():
            unknown = column.ids[int(np.argmax(at < 0))]
            known = listed(map(identifiers.name, axes.classes))
            raise error("labels", f"be names of classes: {known}", f"{identifiers.name(unknown)}{alike(unknown, axes.classes)}")
        return at[column.code].astype(np.int64), None
    if array.dtype.kind not in "iu" or array.shape != (n,):
        names = " (or their names, if the predictions have them)" if array.shape == (n,) else ""
        raise error("labels", f"be {n} class numbers{names}, one per case", f"{array.dtype} of shape {array.shape}")
    if axes.classes.dtype.kind in "iu" and not np.array_equal(axes.classes, np.arange(k)):
        known = listed(map(identifiers.name, axes.classes))
        must = f"be Labels if the classes are called {known}, as a number may be a name or a place"
        raise error("labels", must, f"the number {array[0]}" if n else "numbers")
    refuse("labels", (array < 0) | (array >= k), array, 0, f"be class numbers from 0 to {k - 1}")
    return array.astype(np.int64), None


def sampled(block: Array, keys: NDArray[np.uint64], seed: int, chain: int, m: int) -> Int32:
    """Return (rows, m) labels sampled from label probabilities."""
    out = np.empty((len(block), m), np.int32)
    _sets.labels(block, keys, seed, chain, out)
    return out


def class_groups(given: object, axes: Axes) -> Int64:
    """Return (K,) the group of each class, which shares a threshold: one group, one per class, or given groups."""
    if given is None:
        return np.zeros(axes.n_classes, np.int64)
    if isinstance(given, str):
        if given != "each":
            raise error("class_groups", f"be None, 'each' or {axes.n_classes} integers", repr(given))
        return np.arange(axes.n_classes, dtype=np.int64)
    try:
        group = as_groups(given, axes)
    except ValueError as problem:
        raise renamed(problem, groups="class_groups") from None
    return np.unique(group, return_inverse=True)[1].reshape(-1).astype(np.int64)


def case_groups(groups: object, axes: Axes) -> tuple[Int64, list[Any] | None]:
    """Return (N,) the group number of each case, and the ids of the groups, or None without groups."""
    if groups is None:
        return np.zeros(axes.n_cases, np.int64), None
    column = identifiers.number("groups", ids_of_cases("groups", groups, axes.n_cases, axes.case_ids))
    return column.code.astype(np.int64), column.ids.tolist()


def located_groups(groups: object, axes: Axes, known: list[Any] | None) -> Int64:
    """Return (N,) the number of each case's group among the groups of the fit."""
    if (groups is None) != (known is None):
        raise error("groups", "be given if and only if the fit had groups", "none" if groups is None else "groups")
    if known is None:
        return np.zeros(axes.n_cases, np.int64)
    code, ids = case_groups(groups, axes)
    place = {name: i for i, name in enumerate(known)}
    unknown = [name for name in ids or [] if name not in place]
    if unknown:
        i = int(np.argmax(code == (ids or []).index(unknown[0])))
        raise error("groups", "be groups of the fit", repr(unknown[0]), f"row {i}")
    return np.array([place[name] for name in ids or []], np.int64)[code]
