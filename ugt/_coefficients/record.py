"""The record that agreement coefficients return: value, what it is made of, why it is undefined, standard error, intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks, _threads, resampling
from .forms import Form

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

KINDS = ("percentile", "basic", "bca", "analytic")
ROOM = 1 << 18  # weights held at a time by a thread

NO_PAIRS = "no case has {things} of two annotators"
NO_SHARED = "no case was labelled by both annotators"
ONE_CLASS = "no variation: all labels are of one class, so that chance agrees as often; 1 by convention"
NO_RATING = "no variation: all ratings are equal, so that chance agrees as often; 1 by convention"
NO_WEIGHT = "no variation: all weights between the classes in use are 1; 1 by convention"
SINGLE_CLASS = "the label set has a single class, so that nobody can disagree"


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement between annotators, corrected for chance or not.

    Attributes
    ----------
    coefficient : str
        Which one.
    value : float
        ``(observed - expected) / (1 - expected)``. Where chance agrees as often as can be, because all labels are of one class, it is
        1 by convention; where there is nothing to compare, NaN. ``reason`` then says so.
    observed, expected : float or None
        Agreement seen and by chance, in [0, 1]; 0 by chance for percent agreement. None for intraclass correlations.
    per_class : (K,) array or None
        Each class against all others, without weights; for percent agreement, how often another annotator of the case chose the class,
        given that one did. NaN where it does not vary. None for ratings.
    prevalence : (K,) array or None
        Share of each class among all judgements, to be read beside a chance-corrected value. None for ratings.
    per_case : (N,) array or None
        Observed agreement of each case; NaN for fewer than two annotators. None for intraclass correlations.
    per_annotator : (A,) array or None
        For :func:`intra_annotator_agreement` only.
    n_cases, n_annotators : int
        Cases counted in ``observed``, and annotators with at least one judgement; None where only counts are known.
    left_out : mapping
        Cases left out of ``observed``, by reason.
    reason : str or None
        Why the value is undefined or a convention.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.fleiss_kappa([[0, 0, 1], [0, 0, 0], [1, 1, 1], [2, 2, None], [2, 2, 1]])
    >>> round(found.value, 3), round(found.observed, 3), round(found.expected, 3), round(found.std_error, 3)
    (0.6, 0.733, 0.333, 0.245)
    >>> [round(limit, 2) for limit in found.interval(kind="analytic")]
    [-0.08, 1.0]
    >>> ugt.fleiss_kappa([[0, 0], [0, 0]], classes=2).reason
    'no variation: all labels are of one class, so that chance agrees as often; 1 by convention'
    """

    coefficient: str
    value: float
    observed: float | None
    expected: float | None
    per_class: Array | None
    prevalence: Array | None
    per_case: Array | None
    n_cases: int
    n_annotators: int | None
    left_out: Mapping[str, int] = field(default_factory=dict)
    reason: str | None = None
    per_annotator: Array | None = None
    _form: Form | None = field(default=None, repr=False)
    _case_of_unit: NDArray[np.int64] | None = field(default=None, repr=False)
    _least: float = field(default=-1.0, repr=False)

    @property
    def influence(self) -> Array:
        """(N,) derivative of ``value`` by the weight of each case (its row taken 1 + ε times); NaN where ``reason`` is given."""
        n = len(self._kept)
        if self.reason is not None or self._form is None:
            return np.full(n, np.nan)
        found = self._form.influence()
        return found if self._case_of_unit is None else np.asarray(np.bincount(self._case_of_unit, found, n))

    @property
    def std_error(self) -> float:
        """Analytic standard error over cases, not under the hypothesis of chance: by linearisation. NaN where ``reason`` is given.

        Gwet (2008) and, for Cohen's kappa, Fleiss, Cohen & Everitt (1969).
        """
        return self._error(None)

    def interval(
        self,
        level: float = 0.95,
        *,
        kind: str = "percentile",
        clusters: Any = None,
        strata: Any = None,
        n_resamples: int = 1000,
        seed: resampling.Seed = 0,
    ) -> tuple[float, float]:
        """Interval over cases, or over clusters of cases.

        Parameters
        ----------
        level : float
            In (0, 1).
        kind : {"percentile", "basic", "bca", "analytic"}
            By bootstrap, see :class:`Resamples`; or ``"analytic"``: value ± t standard errors with one degree of freedom less than
            cases (clusters), within [-1, 1], and for intraclass correlations by the F distribution.
        clusters, strata : (N,) ids, optional
            Resampled are clusters, within strata. Analytic intervals have no strata, those of intraclass correlations no clusters.
        n_resamples, seed
            Of the bootstrap. Resamples without variation are left out of it.

        Returns
        -------
        (low, high)
            NaN where ``reason`` is given, for fewer than two cases or clusters, and for an analytic interval where the standard error
            is 0: perfect agreement says nothing about its error.

        Raises
        ------
        ValueError
            If an option is out of range.
        """
        resampling.check_level(level)
        if _checks.option("kind", kind, KINDS) == "analytic":
            if strata is not None:
                raise _checks.error("strata", "be None for kind='analytic'", "strata")
            return self._analytic(level, clusters)
        if self.reason is not None:
            return math.nan, math.nan
        found = self.resamples(clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed)
        low, high = found.interval(level, kind)[0]
        return float(low), float(high)

    def resamples(
        self, *, clusters: Any = None, strata: Any = None, n_resamples: int = 1000, seed: resampling.Seed = 0
    ) -> resampling.Resamples:
        """Bootstrap of ``value`` over the cases that count, or over clusters of them, within strata; chance agreement anew each time."""
        n, word = _checks.whole("n_resamples", n_resamples), resampling.seed_of(seed)
        _checks.room(f"{n} resamples", 8 * n)
        values, units = np.full((n, 1), np.nan), ("cases",) if clusters is None else ("clusters",)
        if self._form is None or not self._kept.any():
            return resampling.Resamples(np.array([self.value]), values, None, units)
        design = self._design(clusters, strata)

        def part(begin: int, end: int) -> None:
            values[begin:end, 0] = self._values(design.weights(word, begin, end))

        if np.diff(design.strata).max() >= 2 and self.reason is None:
            _threads.run(part, n, max(1, min(64, ROOM // design.n_cases)), "bootstrap")
        influence = design.centred(design.added_up(self.influence[self._kept, None]))
        return resampling.Resamples(np.array([self.value]), values, influence, units)

    @property
    def _kept(self) -> NDArray[np.bool_]:
        """(N,) cases that take part."""
        if self._form is None:
            return np.zeros(0, bool)
        kept = self._form.kept
        return kept if self._case_of_unit is None else np.bincount(self._case_of_unit[kept], minlength=self._n_all()) > 0

    def _n_all(self) -> int:
        return self.n_cases + sum(self.left_out.values())

    def _values(self, weights: Array) -> Array:
        """(B,) with weights of the cases that count."""
        assert self._form is not None
        kept = self._kept
        every = weights if kept.all() else np.zeros((len(weights), len(kept)))
        if not kept.all():
            every[:, kept] = weights
        return self._form.values(every if self._case_of_unit is None else every[:, self._case_of_unit]).value

    def _design(self, clusters: Any, strata: Any) -> resampling.Design:
        ids = [None if one is None else self._ids(name, one) for name, one in (("clusters", clusters), ("strata", strata))]
        return resampling.Design.of(int(self._kept.sum()), *ids)

    def _ids(self, argument: str, ids: Any) -> NDArray[Any]:
        array, kept = np.asarray(ids), self._kept
        if array.shape != kept.shape:
            raise _checks.error(argument, f"be {len(kept)} ids, one a case", f"shape {array.shape}")
        return np.asarray(array[kept])

    def _error(self, clusters: Any) -> float:
        """sqrt(Σ L² G / (G - 1)) over G cases or clusters."""
        if self.reason is not None or self._form is None:
            return math.nan
        total = self.influence[self._kept]
        if clusters is not None:
            total = np.asarray(np.bincount(self._design(clusters, None).unit, total), np.float64)
        n = len(total)
        if n < 2:
            return math.nan
        factor = n / (n - 1) if self._form.finite or clusters is not None else 1.0
        return math.sqrt(float(total @ total) * factor)

    def _analytic(self, level: float, clusters: Any) -> tuple[float, float]:
        exact = getattr(self._form, "interval", None)
        if exact is not None:
            if clusters is not None:
                raise _checks.error("clusters", "be None for analytic intervals of intraclass correlations", "clusters")
            return exact(level) if self.reason is None else (math.nan, math.nan)
        from scipy.special import stdtrit  # noqa: PLC0415  (scipy is slow to import)

        spread = self._error(clusters)
        if not spread > 0:
            return math.nan, math.nan
        n = int(self._kept.sum()) if clusters is None else self._design(clusters, None).n_units
        half = float(stdtrit(n - 1, 0.5 + level / 2)) * spread
        return max(self._least, self.value - half), min(1.0, self.value + half)
