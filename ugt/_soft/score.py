"""The record that soft ranking metrics return: values beside their hard twins, standard errors, intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .. import _checks, _threads, resampling
from .columns import Column, average_of, clustered_error, column_mass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

KINDS = ("analytic", "percentile", "basic", "bca")
ROOM = 1 << 18  # weights held at a time by a thread


@dataclass(frozen=True, eq=False)
class SoftScore:
    """A ranking metric against probabilities, and its twin against hard labels.

    Attributes
    ----------
    value : float
        The metric; NaN where it is undefined.
    hard : float
        The same metric with labels ``p > threshold`` in place of p.
    per_class, per_class_hard : (K,) arrays or None
        By column, for tables of scores, one against the rest; NaN where a column is undefined (it is then left out of the
        average).
    n_cases : int
        Cases counted.
    left_out : mapping
        What was left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.soft_auroc([0.9, 0.6, 0.2, 0.0], [3.1, 0.2, 0.4, -1.0])
    >>> round(found.value, 3), found.hard
    (0.731, 0.75)
    """

    value: float
    hard: float
    per_class: Array | None
    per_class_hard: Array | None
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _columns: tuple[Column, ...] = field(default=(), repr=False)
    _metric: Any = field(default=None, repr=False)
    _weighted: bool = field(default=False, repr=False)
    _ovo: bool = field(default=False, repr=False)
    _kept: NDArray[np.bool_] = field(default_factory=lambda: np.ones(0, bool), repr=False)

    @property
    def influence(self) -> Array:
        """(N,) derivative of ``value`` by the multiplicity of each case (its row taken 1 + ε times); 0 for cases left out."""
        return self._influence(self._columns)

    @property
    def std_error(self) -> float:
        """Analytic standard error over cases: DeLong's structural components for AUROC, the infinitesimal jackknife else."""
        return self._std_error(self._columns)

    @property
    def hard_std_error(self) -> float:
        """The same of ``hard``."""
        return self._std_error(self._hard_columns)

    def interval(
        self,
        level: float = 0.95,
        *,
        kind: str = "analytic",
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
        kind : {"analytic", "percentile", "basic", "bca"}
            ``"analytic"``: value ± z standard errors on the scale of logits; the others by bootstrap.
        clusters, strata : (N,) ids, optional
            Resampled are clusters, within strata; all cases of a cluster lie in one stratum. Analytic intervals have no strata.
        n_resamples, seed
            Of the bootstrap.

        Returns
        -------
        (low, high)
            NaN where the value, or its standard error, is undefined or 0: a perfect score says nothing about its error.

        Raises
        ------
        ValueError
            If an option is out of range, or ``"analytic"`` or ``"bca"`` is asked for tied scores by expectation.
        """
        resampling.check_level(level)
        if _checks.option("kind", kind, KINDS) == "analytic":
            if strata is not None:
                raise _checks.error("strata", "be None for kind='analytic'", "strata")
            return self._analytic(level, clusters)
        found = self.resamples(clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed)
        low, high = found.interval(level, kind)[0]
        return float(low), float(high)

    def resamples(
        self, *, clusters: Any = None, strata: Any = None, n_resamples: int = 1000, seed: resampling.Seed = 0
    ) -> resampling.Resamples:
        """Bootstrap over cases or clusters of ``value`` and ``hard``, the columns of what is returned."""
        design, word = self._design(clusters, strata), resampling.seed_of(seed)
        influence = None
        if not self._expected:
            influence = design.centred(design.added_up(self.influences()[self._kept]))
        _checks.room(f"{n_resamples} resamples", 16 * _checks.whole("n_resamples", n_resamples))
        values = np.empty((n_resamples, 2))

        def part(begin: int, end: int) -> None:
            weights = np.ascontiguousarray(design.weights(word, begin, end), np.float64)
            values[begin:end] = self.values(weights) if design.n_units > 1 else np.nan

        _threads.run(part, n_resamples, max(1, ROOM // self.n_cases), "bootstrap")
        sources = ("cases",) if clusters is None else ("clusters",)
        return resampling.Resamples(np.array([self.value, self.hard]), values, influence, sources)

    def influences(self) -> Array:
        """(N, 2) influence of each case on ``value`` and ``hard``."""
        return np.stack([self._influence(columns) for columns in (self._columns, self._hard_columns)], 1)

    def kept_of(self, table: Array) -> Array:
        """The columns (B, n_cases) of a table (B, N) whose cases count."""
        return np.ascontiguousarray(table[:, self._kept])

    def _design(self, clusters: Any, strata: Any) -> resampling.Design:
        """What is resampled, of the cases that count."""
        return resampling.Design.of(self.n_cases, self._of_kept("clusters", clusters), self._of_kept("strata", strata))

    def _of_kept(self, argument: str, ids: Any) -> NDArray[Any] | None:
        if ids is None:
            return None
        array = np.asarray(ids)
        if array.shape != self._kept.shape:
            raise _checks.error(argument, f"be {len(self._kept)} ids, one a case", f"shape {array.shape}")
        return np.asarray(array[self._kept])

    @property
    def _expected(self) -> bool:
        return any(column.expected for column in self._columns)

    @cached_property
    def _hard_columns(self) -> tuple[Column, ...]:
        return tuple(column.hard() for column in self._columns)

    def values(self, weights: Array | None, positive: Callable[[int], Array] | None = None) -> Array:
        """(B, 2) ``value`` and ``hard`` with case weights (B, N), or with other probabilities ``positive(k)`` (B, N) of column k."""
        found: tuple[list[Array], list[Array]] = ([], [])
        mass: tuple[list[Array], list[Array]] = ([], [])
        for k, column in enumerate(self._columns):
            soft = column.resampled(weights, None if positive is None else positive(k))
            hard = self._hard_columns[k].resampled(weights) if self._ovo else soft
            found[0].append(self._metric.values(soft))
            found[1].append(self._metric.values(hard) if self._ovo else self._metric.hard_values(hard))
            mass[0].append(column_mass(soft, self._weighted, self._ovo, False))
            mass[1].append(column_mass(hard, self._weighted, self._ovo, True))
        return np.stack([average_of(np.stack(v, -1), np.stack(m, -1)) for v, m in zip(found, mass)], -1)

    def _influence(self, columns: tuple[Column, ...]) -> Array:
        """Of an average: also by the weights of its columns."""
        if self._expected:
            raise _checks.error("ties", "be 'group' for influence, standard errors and analytic or BCa intervals", "'expected'")
        values = np.array([float(self._metric.values(column.sums)) for column in columns])
        mass = np.array([float(column_mass(column.sums, self._weighted, self._ovo, False)) for column in columns])
        out = np.zeros(len(self._kept))
        if np.isnan(values).all():
            return np.full(len(out), np.nan)
        mass = np.where(np.isnan(values), 0.0, mass)
        value = float(average_of(values, mass))
        for column, own, weight in zip(columns, values, mass):
            if math.isnan(own):
                continue
            part = weight * self._metric.influence(column)
            if self._weighted:
                case_mass = column.positive + (column.negative if self._ovo and column.negative is not None else 0.0)
                part = part + (own - value) * case_mass * (1.0 if column.weights is None else column.weights)
            out[self._kept] += part / mass.sum()
        return out

    def _std_error(self, columns: tuple[Column, ...]) -> float:
        if len(columns) == 1 and not self._expected:
            return self._metric.std_error(columns[0]) if not math.isnan(float(self._metric.values(columns[0].sums))) else math.nan
        return clustered_error(self._influence(columns)[self._kept], None)

    def _clustered_error(self, clusters: Any) -> float:
        return clustered_error(self.influence[self._kept], self._design(clusters, None).unit)

    def _analytic(self, level: float, clusters: Any) -> tuple[float, float]:
        from scipy.special import expit, logit, ndtri  # noqa: PLC0415  (scipy is slow to import)

        spread = self.std_error if clusters is None else self._clustered_error(clusters)
        if not spread > 0:
            return math.nan, math.nan
        z = float(ndtri(0.5 + level / 2))
        if not 0 < self.value < 1:
            return self.value - z * spread, self.value + z * spread
        low, high = expit(logit(self.value) + np.array([-z, z]) * spread / (self.value * (1.0 - self.value)))
        return float(low), float(high)
