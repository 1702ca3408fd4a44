"""The discrepancy ratio of one model: its record, its intervals and its test of non-inferiority [C]."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks, _notices, resampling
from .._axes import Frozen
from .._resampling.design import Design
from . import studentized
from .input import Compared, case_column, ids_of
from .sums import Sums, beside, mean, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..resampling import Resamples

    Array = NDArray[np.float64]

NUMBERS = ("ratio", "alpha", "mu")
AGREE = "annotators agree in all {} cases (alpha = 0)"


@dataclass(frozen=True)
class NonInferiority:
    """Whether a model's discrepancy is at most by a margin larger than the annotators': H0: Δ >= 1 + margin.

    Attributes
    ----------
    estimate : float
        Δ.
    limit : float
        Upper end of the one-sided interval of Δ: with probability ``level`` Δ lies below it. NaN where nothing can be resampled.
    margin : float
        By how much, relatively, the model may be worse.
    level : float
        1 - the probability to decide for the model though Δ = 1 + margin.
    decision : bool
        ``limit < 1 + margin``; False where the limit is undefined.

    Examples
    --------
    >>> import ugt
    >>> votes = [[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.discrepancy_ratio(votes, [1, 1, 0, 1, 0, 1]).non_inferiority(0.1)
    >>> found.decision, round(found.estimate, 3), round(found.limit, 3)
    (True, 0.5, 0.5)
    """

    estimate: float
    limit: float
    margin: float
    level: float
    decision: bool


@dataclass(frozen=True, eq=False)
class DiscrepancyRatio(Frozen):
    """How far a model is from the annotators, in units of how far they are from each other; made by :func:`discrepancy_ratio`.

    Attributes
    ----------
    value : float
        Δ = μ / α. Below 1: nearer to the annotators than they are to each other. α = 0: NaN if μ = 0, else inf.
    alpha : float
        Annotator discrepancy [C eq. 2], mean of ``alpha_per_case``.
    mu : float
        Model discrepancy [C eq. 3], mean of ``mu_per_case``.
    alpha_per_case, mu_per_case : (N,) arrays
        What every case adds; NaN where it does not count.
    case_ids : (N,) array
    n_cases : int
        Cases that count.
    left_out : mapping
        Cases that do not, by reason.
    reason : str
        Why the value is not finite; empty where it is.
    level, margin, n_resamples, seed
        Defaults of the methods.
    clusters : (N,) array or None
        What is resampled: cases, or these clusters of them.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.discrepancy_ratio([[0, 1, 1], [1, 1, 0], [0, 0, None]], [1, 1, 1])
    >>> round(found.value, 3), found.alpha_per_case.round(3), found.mu_per_case.round(3)
    (1.25, array([0.667, 0.667, 0.   ]), array([0.333, 0.333, 1.   ]))
    """

    value: float
    alpha: float
    mu: float
    alpha_per_case: Array
    mu_per_case: Array
    case_ids: NDArray[Any]
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    clusters: NDArray[Any] | None = None
    level: float = 0.95
    margin: float = 0.0
    n_resamples: int = 1000
    seed: int = 0

    def resamples(self, *, strata: Any = None, n_resamples: int | None = None, seed: resampling.Seed | None = None) -> Resamples:
        """Joint bootstrap of Δ, α and μ over cases or clusters, within strata: per-case parts are weighted, never recomputed.

        Cases that do not count are not there at all.
        """
        mu, alpha, options = self._parts(strata, n_resamples, seed)
        both = resampling.bootstrap(np.stack([alpha, mu], axis=1), **options)
        return beside([resampling.bootstrap(mu, alpha, **options), both])

    def _parts(
        self, strata: Any = None, n_resamples: int | None = None, seed: resampling.Seed | None = None
    ) -> tuple[Array, Array, dict[str, Any]]:
        """μ and α of the cases that count, and how these are resampled."""
        defined = ~np.isnan(self.alpha_per_case)
        strata = None if strata is None else case_column("strata", strata, self.case_ids)
        options = {
            "clusters": None if self.clusters is None else self.clusters[defined],
            "strata": None if strata is None else strata[defined],
            "n_resamples": self.n_resamples if n_resamples is None else _checks.whole("n_resamples", n_resamples),
            "seed": self.seed if seed is None else resampling.seed_of(seed),
        }
        return self.mu_per_case[defined], self.alpha_per_case[defined], options

    def interval(
        self,
        level: float | None = None,
        *,
        of: str = "ratio",
        kind: str = "percentile",
        strata: Any = None,
        n_resamples: int | None = None,
        seed: resampling.Seed | None = None,
    ) -> tuple[float, float]:
        """Bootstrap interval over cases, or over clusters of them.

        Parameters
        ----------
        level : float, optional
            In (0, 1). Default: the record's, as for the others.
        of : {"ratio", "alpha", "mu"}
        kind : {"percentile", "basic", "bca", "t"}
            See :class:`Resamples`; ``"t"``, for the ratio: the bootstrap-t of its logarithm, which covers best with few cases.
        strata : (N,) ids, optional
            As many units are drawn from each stratum as it has.
        n_resamples : int, optional
        seed : int, Generator or SeedSequence, optional

        Returns
        -------
        (low, high)
            NaN where fewer than two cases or clusters count, or Δ is not finite.
        """
        return self._ends(self.level if level is None else level, of, kind, strata=strata, n_resamples=n_resamples, seed=seed)

    def _ends(self, level: float, of: str, kind: str, **options: Any) -> tuple[float, float]:
        resampling.check_level(level)
        _checks.option("of", of, NUMBERS)
        _checks.option("kind", kind, ("percentile", "basic", "bca", "t"))
        if kind == "t" and of != "ratio":
            raise _checks.error("kind", "be 'percentile', 'basic' or 'bca' but for the ratio", repr(kind))
        if self.n_cases == 0 or not math.isfinite(self.value if of == "ratio" else self.alpha):
            return math.nan, math.nan
        if kind == "t":
            return self._t_limits(level, **options)
        mu, alpha, resampled = self._parts(**options)
        parts = {"ratio": (mu, alpha), "alpha": (alpha, None), "mu": (mu, None)}[of]
        low, high = resampling.bootstrap(*parts, **resampled).interval(level, kind)[0]
        return float(low), float(high)

    def _t_limits(self, level: float, strata: Any, n_resamples: int | None, seed: resampling.Seed | None) -> tuple[float, float]:
        mu, alpha, options = self._parts(strata, n_resamples, seed)
        design = Design.of(len(mu), options["clusters"], options["strata"])
        if self.value == 0:  # has no logarithm; nor has it any spread
            return (0.0, 0.0) if design.n_units > 1 else (math.nan, math.nan)
        half = level / 2
        low, high = studentized.limits(mu, alpha, design, [0.5 - half, 0.5 + half], options["n_resamples"], options["seed"])
        return float(low), float(high)

    def non_inferiority(
        self,
        margin: float | None = None,
        *,
        level: float | None = None,
        kind: str = "t",
        strata: Any = None,
        n_resamples: int | None = None,
        seed: resampling.Seed | None = None,
    ) -> NonInferiority:
        """Is the model at most by a margin worse than the annotators? One-sided: the upper limit of Δ against 1 + margin [C sec. 3.2].

        Parameters
        ----------
        margin : float, optional
            Above -1; 0.1: disagreement may be by 10 % larger than among annotators. A margin of 0 asks whether the model is better.
        level : float, optional
            In (0.5, 1), one-sided: 0.95 takes the upper end of the 90 % interval.
        kind, strata, n_resamples, seed
            As for :meth:`interval`. In simulations with 50 to 200 cases at the margin, ``"t"`` decides for the model in 3.4 to 5.4 % of the
            data sets, ``"bca"`` in 5 to 7 %, ``"percentile"`` in 6 to 10 %: upper ends of the latter two are too low.

        Returns
        -------
        NonInferiority

        Raises
        ------
        ValueError
            If an option is out of range.
        """
        room = check_margin(self.margin if margin is None else margin)
        sure = resampling.check_level(self.level if level is None else level)
        if sure <= 0.5:
            raise _checks.error("level", "be above 0.5 for a one-sided limit", sure)
        limit = self._ends(2 * sure - 1, "ratio", kind, strata=strata, n_resamples=n_resamples, seed=seed)[1]
        return NonInferiority(self.value, limit, room, sure, bool(limit < 1 + room))


def check_margin(margin: Any) -> float:
    """A relative margin."""
    if isinstance(margin, bool) or not isinstance(margin, numbers.Real) or not math.isfinite(margin) or margin <= -1:
        raise _checks.error("margin", "be a finite number above -1", repr(margin))
    return float(margin)


def record(compared: Compared, sums: Sums, m: int, **options: Any) -> DiscrepancyRatio:
    """The record of model m; ``options`` are its last fields."""
    counted = sums.counted(compared.predicted[m])
    alpha_i, mu_i = np.where(counted, sums.alpha, np.nan), np.where(counted, sums.mu[m], np.nan)
    alpha, mu, n = mean(alpha_i), mean(mu_i), int(counted.sum())
    left_out = sums.left_out(compared.predicted[m])
    reason = why_undefined(n, alpha, left_out)
    if reason:
        _notices.warn(f"undefined: {reason}", stacklevel=3)
    return DiscrepancyRatio(ratio(mu, alpha), alpha, mu, alpha_i, mu_i, ids_of(compared.annotations), n, left_out, reason, **options)


def why_undefined(n: int, alpha: float, left_out: Mapping[str, int]) -> str:
    """Why there is no ratio, in words; empty where there is one."""
    if n == 0:
        return "no case is left (" + ", ".join(f"{reason}: {count}" for reason, count in left_out.items()) + ")"
    return AGREE.format(n) if alpha == 0 else ""
