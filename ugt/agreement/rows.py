"""All agreement coefficients of a data set beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import error, option
from ..resampling import check_level
from ..resampling.result import KINDS, resamples_of_all
from .coefficients import DECLARED
from .costs import LEVELS
from .record import Agreement
from .scales import alpha_of_level, correlation_of_kind
from .table import read

COLUMNS = ("coefficient", "value", "low", "high", "std_error", "observed", "expected", "n_cases", "n_annotators", "reason")


@dataclass(frozen=True, eq=False)
class AgreementTable:
    r"""Agreement coefficients beside each other, and how common the classes are.

    Attributes
    ----------
    found : tuple of Agreement
        The coefficients.
    classes, prevalence : tuple, (K,) array
        Names of the K classes, and the share of each among all judgements; empty and None for ratings.
    left_out : mapping
        Cases without agreement, by reason.

    Examples
    --------
    >>> import ugt
    >>> table = ugt.agreement_table([[0, 0, 1], [0, 0, 0], [1, 1, None], [0, 1, 1]])
    >>> print(*table.text(kind="analytic").splitlines()[:3], sep="\n")
    coefficient                      value   95 % interval      observed  expected  cases
    percent agreement                0.667    0.054 to  1.000     0.667     0.000      4
    Fleiss' kappa                    0.333   -0.892 to  1.000     0.667     0.500      4
    """

    found: tuple[Agreement, ...]
    classes: tuple[Any, ...]
    prevalence: Array | None
    left_out: Mapping[str, int]

    def interval(self, level: float = 0.95, *, kind: str = "percentile", **resampling: Any) -> Array:
        """Intervals of all coefficients, on the same resamples.

        Parameters
        ----------
        level, kind
            As of :meth:`Agreement.interval`. Analytic intervals of intraclass correlations are without clusters.
        **resampling
            clusters, strata, n_resamples and seed, as of :meth:`Agreement.interval`.

        Returns
        -------
        (M, 2) array
            NaN where a reason is given.
        """
        check_level(level)
        if option("kind", kind, KINDS) == "analytic":
            alone = {name: given for name, given in resampling.items() if name != "clusters"}  # intraclass correlations know none
            options = [alone if each.coefficient.startswith("ICC") else resampling for each in self.found]
            return np.array([each.interval(level, kind=kind, **given) for each, given in zip(self.found, options)])
        resampled = resamples_of_all(self.found, **resampling)
        found = np.array([one.take(0).interval(level, kind)[0] for one in resampled])
        found[[each.reason is not None for each in self.found]] = np.nan
        return found

    def rows(self, level: float = 0.95, *, kind: str = "percentile", **resampling: Any) -> list[dict[str, Any]]:
        """A dictionary for every coefficient, with its :meth:`interval`, all with the same keys; None for what is undefined."""
        return self.rows_of(self.interval(level, kind=kind, **resampling))

    def rows_of(self, intervals: Array) -> list[dict[str, Any]]:
        """:meth:`rows` with intervals (M, 2) that were made elsewhere."""
        rows = []
        for each, (low, high) in zip(self.found, intervals.tolist()):
            numbers = (each.value, low, high, each.std_error, each.observed, each.expected)
            known = [None if x is None or math.isnan(x) else float(x) for x in numbers]
            rows.append(dict(zip(COLUMNS, (each.coefficient, *known, each.n_cases, each.n_annotators, each.reason))))
        return rows

    def text(self, level: float = 0.95, *, kind: str = "percentile", **resampling: Any) -> str:
        """The :meth:`rows`, to be read."""
        return self.text_of(self.rows(level, kind=kind, **resampling), level)

    def text_of(self, rows: list[dict[str, Any]], level: float) -> str:
        """Rows with intervals of a level, to be read."""
        width = max(len(row["coefficient"]) for row in rows)
        lines = [f"{'coefficient':{width}}  {'value':>6}   {f'{100 * level:g} % interval':16}  observed  expected  cases"]
        for row in rows:
            value, low, high, observed, expected = (
                "-" if row[key] is None else f"{row[key]:.3f}" for key in ("value", "low", "high", "observed", "expected")
            )
            line = f"{row['coefficient']:{width}}  {value:>6}   {low:>6} to {high:>6}  {observed:>8}  {expected:>8}  {row['n_cases']:>5}"
            lines.append(line + (f"  {row['reason']}" if row["reason"] else ""))
        if self.prevalence is not None:
            shares = (f"{name} ({share:.3f})" for name, share in zip(self.classes, self.prevalence))
            lines.append("classes: " + ", ".join(shares))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def agreement_table(
    annotations: Any, *, weights: Any = None, levels: Any = None, values: Any = None, classes: Any = None
) -> AgreementTable:
    """All coefficients beside each other: where one class is common they differ, and no single one tells why.

    Parameters
    ----------
    annotations : Labels, Ratings, or (N, A) table
        Labels: percent agreement, Cohen's kappa and Scott's pi (of two annotators), Fleiss' kappa, AC1 (AC2) and alpha. Ratings: ICC(1),
        ICC(A,1), ICC(C,1) and alpha.
    weights, classes
        As for :func:`percent_agreement`.
    levels : sequence of scales, optional
        Of alpha. Default: ``("nominal",)`` for labels, ``("interval", "ordinal")`` for ratings.
    values : (K,) numbers, optional
        As for :func:`krippendorff_alpha`.

    Returns
    -------
    AgreementTable

    Raises
    ------
    TypeError, ValueError
        As for the coefficients.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.agreement_table(ugt.Ratings.from_wide([[1.5, 2.0], [3.0, 3.5], [0.5, 0.5], [2.0, 4.0]]))
    >>> [(row["coefficient"], round(row["value"], 2)) for row in found.rows(n_resamples=200)][:2]
    [('ICC(1)', 0.7), ('ICC(A,1)', 0.72)]
    """
    judged = read("annotations", annotations, classes, alike="annotators")
    if levels is None:
        levels = ("interval", "ordinal") if judged.ratings else ("nominal",)
    if isinstance(levels, str) or not isinstance(levels, Iterable) or not all(isinstance(one, str) and one in LEVELS for one in levels):
        raise error("levels", f"be some of {', '.join(map(repr, LEVELS))}", repr(levels))
    if judged.ratings:
        found = [correlation_of_kind(judged, kind) for kind in ("1", "A,1", "C,1")]
    else:
        two, kinds = len(judged.annotators) == 2, (None, weights is not None)
        found = [one.of(judged, weights) for one in DECLARED.values() if (two or not one.two) and one.weighted in kinds]
    found += [alpha_of_level(judged, one, values) for one in levels]
    names = () if judged.ratings else tuple(judged.names.tolist())
    return AgreementTable(tuple(found), names, found[0].prevalence, found[-1].left_out)
