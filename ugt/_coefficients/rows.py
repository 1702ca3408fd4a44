"""All agreement coefficients of a data set beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import resampling
from .._checks import error
from . import judgements as make
from .costs import LEVELS
from .record import Agreement
from .table import Judgements, read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..resampling import Seed

    Array = NDArray[np.float64]

COLUMNS = ("coefficient", "value", "low", "high", "std_error", "observed", "expected", "n_cases", "n_annotators", "reason")


@dataclass(frozen=True, eq=False)
class AgreementTable:
    """Agreement coefficients with intervals, and how common the classes are.

    Attributes
    ----------
    found : tuple of Agreement
        The coefficients.
    intervals : (M, 2) array
        Of their values; NaN where a reason is given.
    level, kind
        Of the intervals.
    classes : tuple
        Names of the K classes; empty for ratings.
    prevalence : (K,) array or None
        Share of each class among all judgements.
    left_out : mapping
        Cases without agreement, by reason.

    Examples
    --------
    >>> import ugt
    >>> table = ugt.agreement_table([[0, 0, 1], [0, 0, 0], [1, 1, None], [0, 1, 1]], kind="analytic")
    >>> print(table)
    coefficient                      value   95 % interval      observed  expected  cases
    percent agreement                0.667    0.054 to  1.000     0.667     0.000      4
    Fleiss' kappa                    0.333   -0.892 to  1.000     0.667     0.500      4
    Gwet's AC1                       0.333   -0.892 to  1.000     0.667     0.500      4
    Krippendorff's alpha (nominal)   0.333   -0.777 to  1.000     0.636     0.455      4
    classes: 0 (0.545), 1 (0.455)
    """

    found: tuple[Agreement, ...]
    intervals: Array
    level: float
    kind: str
    classes: tuple[Any, ...]
    prevalence: Array | None
    left_out: Mapping[str, int]

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for every coefficient, all with the same keys; None for what is undefined."""
        rows = []
        for each, (low, high) in zip(self.found, self.intervals.tolist()):
            numbers = (each.value, low, high, each.std_error, each.observed, each.expected)
            known = [None if x is None or math.isnan(x) else float(x) for x in numbers]
            rows.append(dict(zip(COLUMNS, (each.coefficient, *known, each.n_cases, each.n_annotators, each.reason))))
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(row["coefficient"]) for row in rows)
        lines = [f"{'coefficient':{width}}  {'value':>6}   {f'{100 * self.level:g} % interval':16}  observed  expected  cases"]
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


def agreement_table(
    annotations: Any,
    *,
    weights: Any = None,
    levels: Any = None,
    values: Any = None,
    classes: Any = None,
    level: float = 0.95,
    kind: str = "percentile",
    clusters: Any = None,
    n_resamples: int = 1000,
    seed: Seed = 0,
) -> AgreementTable:
    """All coefficients beside each other, with intervals: where one class is common they differ, and no single one tells why.

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
    level, kind, clusters, n_resamples, seed
        Of the intervals, see :class:`Agreement`. Analytic intervals of intraclass correlations are without clusters.

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
    >>> found = ugt.agreement_table(ugt.Ratings.from_wide([[1.5, 2.0], [3.0, 3.5], [0.5, 0.5], [2.0, 4.0]]), n_resamples=200)
    >>> [(row["coefficient"], round(row["value"], 2)) for row in found.rows()][:2]
    [('ICC(1)', 0.7), ('ICC(A,1)', 0.72)]
    """
    judged = read("annotations", annotations, classes, alike="annotators")
    resampling.check_level(level)
    # a generator moves on once: all rows have the same resamples
    options = {"clusters": clusters, "n_resamples": n_resamples, "seed": resampling.seed_of(seed)}
    if levels is None:
        levels = ("interval", "ordinal") if judged.ratings else ("nominal",)
    if isinstance(levels, str) or not isinstance(levels, Iterable) or not all(isinstance(one, str) and one in LEVELS for one in levels):
        raise error("levels", f"be some of {', '.join(map(repr, LEVELS))}", repr(levels))
    found = _of_ratings(judged) if judged.ratings else _of_labels(judged, weights)
    found += [make.alpha(judged, one, values) for one in levels]
    intervals = np.array([each.interval(level, kind=kind, **_fitting(each, kind, options)) for each in found])
    names = () if judged.ratings else tuple(judged.names.tolist())
    return AgreementTable(tuple(found), intervals, level, kind, names, found[0].prevalence, found[-1].left_out)


def _of_labels(judged: Judgements, weights: Any) -> list[Agreement]:
    found = [make.shared(judged, "none", weights)]
    if len(judged.annotators) == 2:
        found += [make.two(judged, None, weights, pooled) for pooled in (False, True)]
    ac = "Gwet's AC1" if weights is None else "Gwet's AC2"
    return [*found, make.shared(judged, "fleiss", weights), make.shared(judged, "gwet", weights, ac)]


def _of_ratings(judged: Judgements) -> list[Agreement]:
    return [make.icc(judged, kind) for kind in ("1", "A,1", "C,1")]


def _fitting(each: Agreement, kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """Analytic intervals of intraclass correlations know no clusters: such rows are for single cases."""
    alone = kind == "analytic" and each.coefficient.startswith("ICC")
    return {name: given for name, given in options.items() if not (alone and name == "clusters")}
