"""Resampling of statistics that accept weights of cases, or annotations that are drawn again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Int64
from .._base.axes import Frozen
from .._base.checks import error, flag, function, instance, room, whole
from .._base.ragged import take
from ..annotations import Labels, Rankings
from ..annotations.joins import tells_joins
from .design import Design, resampled_rows, seed_of, units
from .jackknife import FEW, without_units
from .loop import resample
from .number_facts import NumberFacts
from .ratios import table_of
from .resamples import Resamples
from .statistic import Statistic
from .student import Units

if TYPE_CHECKING:
    from .design import Seed

    Annotations = Union[Labels, Rankings]
# Most weights that wait for a statistic: 32 MB
WAITING = 2**22


def bootstrap_statistic(
    statistic: Callable[[Array], Any],
    n_cases: int,
    *,
    clusters: object = None,
    strata: object = None,
    n_resamples: int = 1000,
    seed: Seed = 0,
    influence: object = None,
) -> Resamples:
    """Bootstrap any statistic that accepts weights of cases, which say how often each case was drawn.

    Parameters
    ----------
    statistic : function
        (N,) float64 weights -> number, or (M,) numbers; NaN if undefined. The estimate has weights of 1.
    n_cases : int
        Number of cases N.
    clusters, strata, n_resamples, seed
        As for :func:`bootstrap`, with the same weights for the same seed.
    influence : (N,) or (N, M) array, optional
        Derivative of the statistic by each case's weight, for BCa intervals. Default: when a BCa interval is asked for, units are left
        out one by one, with one call per unit.

    Returns
    -------
    Resamples

    Raises
    ------
    ValueError
        If the statistic returns something else, ids are missing, or a cluster is in several strata.

    References
    ----------
    Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), algorithm 6.1, eq. 14.15.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> x, y = np.array([1.0, 2, 3, 4, 5, 6, 7, 8]), np.array([2.0, 1, 4, 3, 6, 5, 8, 9])
    >>> def correlation(weights):
    ...     covariance = np.cov(x, y, aweights=weights)
    ...     return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    >>> found = ugt.resampling.bootstrap_statistic(correlation, 8, n_resamples=500, seed=3)
    >>> found.estimate.round(3).tolist(), found.interval(kind="bca").round(2).tolist()
    ([0.932], [[0.78, 1.0]])
    """
    function("statistic", statistic)
    n, word = whole("n_resamples", n_resamples), seed_of(seed)
    design = Design.of(n_cases, clusters, strata)
    one = Function(_of_rows(statistic), design.n_cases)
    (values,) = resample([one], one.kept, design, word, n)
    if influence is None:
        return Resamples(one.estimate, values, None, units(clusters), Units.of(one, one.kept, design))
    table = table_of("influence", influence)
    if table.shape != (design.n_cases, len(one.names)):
        raise error("influence", f"have one row per case and one column per number, {(design.n_cases, len(one.names))}", table.shape)
    return Resamples(one.estimate, values, design.centred(design.added_up(table)), units(clusters), Units.of(one, one.kept, design))


class Function(Statistic):
    """A statistic by a function of weights of cases, (W, N) -> (W, M), of which nothing else is known."""

    def __init__(self, function: Callable[[Array], Array], n_cases: int) -> None:
        self.function, self.n_cases = function, n_cases
        self.__dict__["estimate"] = function(np.ones((1, n_cases)))[0]
        self.names = tuple(map(str, range(len(self.estimate))))

    def sums(self, cases: Array | None = None) -> Array:
        """Return the function's results."""
        return self.function(np.ones((1, self.n_cases)) if cases is None else cases)

    def answer(self, sums: Array) -> Array:
        """Return the sums."""
        return sums

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(smooth=False)


def _of_rows(statistic: Callable[[Array], Any]) -> Callable[[Array], Array]:
    """Return a function of rows of weights that calls a statistic row by row and requires results of one length."""
    length: list[int] = []

    def rows(weights: Array) -> Array:
        found = [_row(statistic(one), *length) for one in weights]
        length[:] = [len(found[0])]
        return np.stack(found)

    return rows


def _row(answer: object, n: int | None = None) -> Array:
    """Return the result of a statistic as a row of numbers."""
    row = np.asarray(answer)
    if row.dtype.kind not in "biuf" or row.ndim > 1 or row.size < 1 or (n is not None and row.size != n):
        raise error("statistic", "return a number or a row of numbers, always of the same length", f"{row.dtype} of shape {row.shape}")
    return row.astype(np.float64).reshape(-1)


@dataclass(frozen=True, eq=False, repr=False)
class Jackknife(Frozen):
    """A statistic with one unit left out at a time.

    Attributes
    ----------
    estimate : (M,) array
        The statistic on all units.
    values : (G, M) array
        The statistic without each of the G units.
    bias, std_error : (M,) arrays
        (G - 1) (mean of values - estimate), and sqrt((G - 1) / G Σ (value - mean)²); NaN for fewer than two units.
    """

    estimate: Array
    values: Array
    bias: Array
    std_error: Array


def jackknife(statistic: Callable[[Array], Any], n_cases: int, *, clusters: object = None) -> Jackknife:
    """Jackknife a statistic: leave out one case (or cluster) at a time, and estimate bias and standard error.

    Parameters
    ----------
    statistic : function
        (N,) float64 weights, 0 for cases that are left out and 1 for others -> number, or (M,) numbers.
    n_cases : int
        Number of cases N.
    clusters : (N,) ids, optional
        Whole clusters are left out.

    Returns
    -------
    Jackknife

    Raises
    ------
    ValueError
        If the statistic returns something else or ids are missing.

    Notes
    -----
    Use it for smooth statistics. It is wrong for those that jump, such as a median.

    References
    ----------
    Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), eq. 11.4 (bias), 11.5 (standard error).

    Examples
    --------
    >>> import numpy as np, ugt
    >>> x = np.array([1.0, 3.0, 5.0, 9.0])
    >>> found = ugt.resampling.jackknife(lambda w: (w @ (x - w @ x / w.sum()) ** 2) / w.sum(), 4)
    >>> round(float(found.estimate[0] - found.bias[0]), 3), round(float(x.var(ddof=1)), 3)  # unbiased
    (11.667, 11.667)
    """
    design = Design.of(n_cases, clusters)
    one = Function(_of_rows(statistic), design.n_cases)
    values = without_units(one, one.kept, design, make_up=False)
    g, mean = design.n_units, values.mean(axis=0)
    return Jackknife(one.estimate, values, (g - 1) * (mean - one.estimate), np.sqrt((g - 1) / g * ((values - mean) ** 2).sum(axis=0)))


@tells_joins
def bootstrap_annotations(
    annotations: Annotations,
    statistic: Callable[..., Any],
    *,
    cases: bool = False,
    clusters: object = None,
    strata: object = None,
    n_resamples: int = 1000,
    seed: Seed = 0,
) -> Resamples:
    """Bootstrap the annotations: within every case, as many of its labels or rankings are drawn as it has.

    If n annotations are drawn with replacement, a mean has (n - 1) / n of its true variance. Annotations are therefore drawn from an
    urn with n - 2 balls for each, into which every drawn ball is put back with one more of its kind (Pólya's urn): the variance is
    right for every n, whatever the annotations are. If cases are drawn as well, annotations are drawn with replacement.

    Parameters
    ----------
    annotations : Labels or Rankings
        Of N cases.
    statistic : function
        Annotations of the same cases -> number, or (M,) numbers; with ``cases``: (annotations, (N,) float64 weights).
    cases : bool
        Whether cases (or ``clusters``, within ``strata``) are drawn as well; weights say how often.
    clusters, strata, n_resamples, seed
        As for :func:`bootstrap`, with the same weights for the same seed.

    Returns
    -------
    Resamples
        All NaN if no case has two annotations and cases are not drawn.

    Raises
    ------
    TypeError
        If annotations are of another kind.
    ValueError
        If the statistic returns something else, or if an option does not fit.

    Notes
    -----
    An annotation that is drawn twice for a case occurs twice in it; cases with one annotation stay as they are. The spread is that of
    other labels of the same cases, not of other annotators. Drawn annotations agree more often than real ones: a statistic that is not a
    mean of annotations (a certainty, a share of votes above a threshold) is biased by it, and only its spread is useful. Cases that are
    drawn bring their annotations with them, and a case that is drawn twice has the same annotations twice. Drawing both therefore counts
    the variance that annotations add to a mean over cases (nearly) three times, and intervals are too wide rather than too narrow. If
    contributions of cases are available, :func:`bootstrap` counts it once, and twice with a function that draws annotations again.

    References
    ----------
    Davison & Hinkley, "Bootstrap Methods and Their Application" (1997), sec. 3.8 (two levels). The number of balls is our own: draws
    have a Dirichlet-multinomial law, whose variance is (n + A) / (1 + A) times the multinomial's for A balls in all.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> labels = ugt.Labels.from_counts([[3, 0], [2, 2], [1, 4], [0, 2]])
    >>> share = lambda drawn: (drawn.counts()[:, 1] / drawn.counts().sum(1)).mean()
    >>> found = ugt.resampling.bootstrap_annotations(labels, share, n_resamples=500, seed=5)
    >>> found.estimate.round(3).tolist(), found.interval().round(2).tolist(), found.sources
    ([0.575], [[0.4, 0.75]], ('annotators',))
    """
    instance("annotations", annotations, (Labels, Rankings), "be Labels or Rankings")
    n, word = whole("n_resamples", n_resamples), seed_of(seed)
    function("statistic", statistic)
    cases = flag("cases", cases)
    if not cases and (clusters is not None or strata is not None):
        raise error("cases", "be True if clusters or strata are given", cases)
    design = Design.of(annotations.n_cases, clusters, strata)
    offsets, count = _rows(annotations)

    def answer(drawn: Annotations, weights: Array) -> Any:
        return statistic(drawn, weights) if cases else statistic(drawn)

    estimate = _row(answer(annotations, np.ones(design.n_cases)))
    room(f"{n} resamples", 8 * n * len(estimate))
    values = np.full((n, len(estimate)), np.nan)

    def part(begin: int, end: int) -> None:
        drawn = resampled_rows(offsets, count, word, begin, end, urn=not cases)
        weights = design.weights(word, begin, end) if cases else np.empty((end - begin, 0))
        for b in range(begin, end):
            values[b] = _row(answer(_drawn(annotations, drawn[b - begin]), weights[b - begin]), len(estimate))

    sizes = np.diff(np.concatenate([[0], np.cumsum(count)])[offsets])
    if (np.diff(design.strata).max() >= 2) if cases else (sizes >= 2).any():
        parallel.run(part, n, max(1, min(FEW, WAITING // (design.n_cases + len(count)))), "bootstrap of annotations")
    if not cases:
        return Resamples(estimate, values, None, ("annotators",))
    one = Function(_of_rows(lambda weights: statistic(annotations, weights)), design.n_cases)
    return Resamples(estimate, values, None, ("annotators", *units(clusters)), Units.of(one, one.kept, design))


def _rows(annotations: Annotations) -> tuple[Int64, Int64]:
    """Return ``(offsets, count)`` of the rows that are drawn."""
    if isinstance(annotations, Labels):
        return annotations.offsets, annotations.count
    return annotations.case_offsets, np.ones(annotations.n_rankings, np.int64)


def _drawn(annotations: Annotations, times: Int64) -> Annotations:
    """Return the annotations with each row as many times as it was drawn; rows with counts stay single rows."""
    counted = isinstance(annotations, Labels) and bool((annotations.count > 1).any())
    at = np.flatnonzero(times) if counted else np.repeat(np.arange(len(times)), times)
    before = np.concatenate([[0], np.cumsum(times > 0 if counted else times, dtype=np.int64)])
    if isinstance(annotations, Labels):
        count = times[at] if counted else np.ones(len(at), np.int64)
        offsets, annotator = before[annotations.offsets], annotations.annotator[at]
        return replace(annotations, offsets=offsets, annotator=annotator, label=annotations.label[at], count=count)
    ranking_offsets, blocks = take(annotations.ranking_offsets, at)
    block_offsets, items = take(annotations.block_offsets, blocks)
    return Rankings(
        annotations.axes, annotations.annotators, before[annotations.case_offsets], ranking_offsets, block_offsets,
        annotations.items[items], annotations.annotator[at],
    )  # fmt: skip
