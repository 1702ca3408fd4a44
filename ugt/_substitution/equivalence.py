"""The individual equivalence index: how much more annotators would disagree with a model in the place of one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks, resampling
from .._axes import Frozen
from .._discrepancy.input import clusters_of, compare
from .._discrepancy.sums import Sums, mean
from ..resampling import Resamples
from .contributions import WHY, PerAnnotator, distances_to_others

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IndividualEquivalence(PerAnnotator, Frozen):
    """How much more the annotators would disagree if the model took the place of one; made by :func:`individual_equivalence_index`.

    Attributes
    ----------
    value : float
        γ = μ - α. Above 0: more disagreement with the model; below 0: less.
    alpha, mu : float
        Mean distance between annotators, and from the model to annotators.
    criterion : float
        (μ - α) / (α / 2), the individual equivalence criterion of bioequivalence, where α / 2 is the variance within (squared distance).
    coefficient : float
        α / μ, the coefficient of individual agreement with the annotators as the reference: 1 or more, the model is one of them.
    annotators : (A,) array
    per_annotator : (A,) array
        γ_j: mean over the cases of annotator j of the model's distance to the others less that of j.
    n_cases : int
        Cases that count.
    left_out : mapping
        Cases that do not, by reason.
    level : float
        Default of the methods.
    clusters, n_resamples, seed
        What :meth:`resamples` uses.

    Examples
    --------
    >>> import ugt
    >>> ratings = [[3.0, 4, 5], [7, 7, 8], [1, 3, 2], [6, 5, 6], [9, 7, 8]]
    >>> found = ugt.individual_equivalence_index(ratings, [4.0, 7.5, 2, 6, 8])
    >>> round(found.value, 3), round(found.mu, 3), round(found.alpha, 3)
    (-0.95, 0.517, 1.467)
    """

    value: float
    alpha: float
    mu: float
    criterion: float
    coefficient: float
    annotators: NDArray[Any]
    per_annotator: Array
    n_cases: int
    left_out: Mapping[str, int]
    _parts: Array = field(repr=False)
    level: float = 0.95
    clusters: NDArray[Any] | None = field(repr=False, default=None)
    n_resamples: int = 1000
    seed: int = 0

    def resamples(self, *, n_resamples: int | None = None, seed: resampling.Seed | None = None) -> Resamples:
        """Joint bootstrap over cases or clusters of ``value`` and, behind it, of ``per_annotator``."""
        return self._resamples(n_resamples, seed)

    def interval(self, level: float | None = None, *, kind: str = "percentile", **options: Any) -> tuple[float, float]:
        """Bootstrap interval of γ over cases or clusters; ``options`` as for :meth:`resamples`. NaN for fewer than two."""
        sure = resampling.check_level(self.level if level is None else level)
        if self.n_cases == 0:
            return math.nan, math.nan
        low, high = self.resamples(**options).take(0).interval(sure, kind)[0]
        return float(low), float(high)

    def interchangeable(self, margin: float, level: float | None = None, *, kind: str = "bca", **options: Any) -> bool:
        """Is γ below the margin? Decided by the one-sided upper limit of γ at ``level``; False where there is none."""
        if isinstance(margin, bool) or not math.isfinite(margin):
            raise _checks.error("margin", "be a finite number", repr(margin))
        sure = resampling.check_level(self.level if level is None else level)
        if sure <= 0.5:
            raise _checks.error("level", "be above 0.5 for a one-sided limit", sure)
        return bool(self.interval(2 * sure - 1, kind=kind, **options)[1] < margin)


def individual_equivalence_index(
    annotations: Any,
    predictions: Any,
    *,
    distance: Any = "squared",
    values: Any = None,
    clusters: Any = None,
    missing: str = "error",
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: resampling.Seed = 0,
) -> IndividualEquivalence:
    r"""How much more would annotators disagree if the model took the place of one of them?

    .. math:: γ = E\,δ(m, Y_j) - E\,δ(Y_j, Y_{j'}) = μ - α

    with the averages of :func:`discrepancy_ratio`: within cases, then over cases. For δ = 0/1 it is the increase in the frequency of
    disagreement, for squared differences the increase in mean squared difference.

    Parameters
    ----------
    annotations, predictions, distance, values, clusters, missing
        As for :func:`discrepancy_ratio`; it must be known who gave each label.
    level : float
        Default of the methods, in (0, 1).
    n_resamples, seed
        For the bootstrap.

    Returns
    -------
    IndividualEquivalence
        In the units of the distance.

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`.

    Notes
    -----
    Sign: the new one less the old ones, so that negative values speak for the model (some papers print the difference of agreements, with
    the same sign for 1 - agreement). γ = α (Δ - 1): the index says how much, the ratio how much relative to what there was. In the
    original setting each reader reads with the new and with the old test; here the model is the new test, and reads alone.

    References
    ----------
    Obuchowski, Subhas & Schoenhagen (2014), "Testing for interchangeability of imaging tests", Academic Radiology 21(11); Barnhart,
    Kosinski & Haber (2007), "Assessing individual agreement", Journal of Biopharmaceutical Statistics 17(4) (criterion and coefficient).

    Examples
    --------
    >>> import ugt
    >>> ratings = [[3.0, 4, 5], [7, 7, 8], [1, 3, 2], [6, 5, 6], [9, 7, 8]]
    >>> found = ugt.individual_equivalence_index(ratings, [4.0, 7.5, 2, 6, 8])
    >>> found.per_annotator.round(2).tolist(), found.interchangeable(0.0)
    ([-1.25, -1.05, -0.55], True)
    """
    compared = compare(annotations, {"model": predictions}, distance, values, missing, known=WHY)
    sums = Sums.of(compared)
    counted = sums.counted(compared.predicted[0])
    alpha, mu = (mean(np.where(counted, column, np.nan)) for column in (sums.alpha, sums.mu[0]))
    model, own = distances_to_others(compared, sums)
    parts = np.concatenate([np.where(counted, sums.mu[0] - sums.alpha, np.nan)[:, None], model - own], axis=1)
    criterion, coefficient = criteria(np.float64(alpha), np.float64(mu))
    return IndividualEquivalence(
        mu - alpha,
        alpha,
        mu,
        float(criterion),
        float(coefficient),
        compared.annotators,
        np.array([mean(column) for column in (model - own).T]),
        int(counted.sum()),
        sums.left_out(compared.predicted[0]),
        parts,
        resampling.check_level(level),
        clusters_of(clusters, compared.annotations),
        _checks.whole("n_resamples", n_resamples),
        resampling.seed_of(seed),
    )


def criteria(alpha: Any, mu: Any) -> tuple[Any, Any]:
    """The individual equivalence criterion and the coefficient of individual agreement."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * (mu - alpha) / alpha, alpha / mu
