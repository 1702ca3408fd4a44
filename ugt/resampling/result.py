"""The bases of all results of metrics: standard errors, intervals, resamples, paired differences and numbers of single cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error, instance, option, whole
from .._base.laws import t_quantile
from .._base.records import Record
from .cluster_ids import ids_of_cases, shared_ids
from .design import Design, seed_of, units
from .difference import Difference
from .loop import resample
from .resamples import KINDS as RESAMPLED
from .resamples import Resamples, check_level
from .spread import RANDOM, with_annotators
from .statistic import Statistic
from .student import TIE, Units, few_clusters, limits, note_few, rounding
from .studentized import LogRatio
from .two_way_spreads import ends_if_named, two_ways_of
from .two_ways import TwoWay, containing

if TYPE_CHECKING:
    from .design import Seed

KINDS = (*RESAMPLED, "studentized", "analytic")


class Results(Record):
    """The base of records of several numbers of equal rank, such as those of groups of cases or of annotators.

    A subclass has :attr:`statistic`, its numbers as a function of sums over cases, or keeps it as ``_statistic``.
    """

    _statistic: Any
    _ids: NDArray[Any] | None = None  # of cases, if the statistic does not know them
    _random: ClassVar[tuple[str, ...]] = ("cases",)  # of intervals, unless they are asked for others

    @property
    def statistic(self) -> Statistic:
        """The numbers of this result as a function of sums over cases."""
        one: Statistic = self._statistic
        return one

    @property
    def case_ids(self) -> NDArray[Any] | None:
        """The (N,) ids of the cases, by which clusters and strata are joined, in the order of ``per_case``; None: 0 to N-1."""
        return self.statistic.case_ids if self._ids is None else self._ids

    def resamples(self, *, clusters: object = None, strata: object = None, n_resamples: int = 1000, seed: Seed = 0) -> Resamples:
        """Bootstrap all numbers of this result over cases, or over clusters of them, within strata.

        Parameters
        ----------
        clusters, strata : (N,) ids, mapping of case id to id, or (case ids, ids), optional
            Whole clusters of cases (such as patients) are drawn instead of cases; each stratum keeps its number of units. An array is in
            the order of the cases; the other forms are joined by case id. All cases of a cluster must be in one stratum.
        n_resamples : int
            At least 1.
        seed : int, Generator or SeedSequence
            On one machine, the same seed gives the same bytes. Metrics of the same cases get the same resamples.

        Returns
        -------
        Resamples
            Cases that do not count are not resampled.
        """
        return resamples_of_all([self], clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed)[0]

    def resamples_of(self, values: Array, design: Design, sources: tuple[str, ...]) -> Resamples:
        """Return the resamples for values (B, M) of the statistic that were computed elsewhere, on resamples of the cases that count."""
        return resamples_of(self.statistic, values, self.statistic.kept, design, sources)

    def _design(self, clusters: object, strata: object) -> Design:
        """Return the resampling design of the cases that count; add a note if there are few clusters."""
        one = self.statistic
        given = [
            None if ids is None else ids_of_cases(name, ids, one.n_cases, self.case_ids)[one.kept]
            for name, ids in (("clusters", clusters), ("strata", strata))
        ]
        found = one.units(*given)
        if clusters is not None and (few := few_clusters(found.n_units)):
            notices.note(few)
        return found

    def intervals(
        self,
        level: float = 0.95,
        *,
        kind: str = "auto",
        clusters: Any = None,
        strata: Any = None,
        n_resamples: int = 1000,
        seed: Seed = 0,
        random: str | tuple[str, ...] = "auto",
    ) -> Array:
        """Return the (M, 2) intervals of all numbers, in the order of :meth:`resamples`; arguments and errors as of ``Result.interval``."""
        given = {"clusters": clusters, "strata": strata, "n_resamples": n_resamples, "seed": seed}
        random = self._population(random)
        if kind in RESAMPLED and not with_annotators(random):
            return self.resamples(**given).interval(level, kind)
        level = check_level(level)
        option("kind", kind, KINDS)
        return np.array([self._ends(number, level, kind, given, random) for number in range(len(self.statistic.names))]).reshape(-1, 2)

    def _population(self, random: str | tuple[str, ...]) -> tuple[str, ...]:
        if isinstance(random, str):
            return self._random if random == "auto" else (random,)
        return random

    def _two_way(self, number: int, clusters: object) -> TwoWay:
        """Return the spread of a number over cases (clusters) and annotators, with warnings."""
        one, number = self.statistic.only(number)
        return two_ways_of(one, [number], self._units(clusters))[0].said()

    def _units(self, clusters: object) -> Design | None:
        """Return the design of the cases that count, if there are any; a note on few clusters is left to the record."""
        with notices.heard():
            return self._design(clusters, None) if self.statistic.kept.any() else None

    def _ends(self, number: int, level: float, kind: str, given: dict[str, Any], random: tuple[str, ...]) -> tuple[float, float]:
        if with_annotators(random):
            return self._over_both(number, level, kind, given)
        if kind == "analytic":
            self._check_analytic(given)
        if kind not in RESAMPLED:
            if (ends := self._without_resamples(number, level, (given["clusters"], given["strata"]))) is not None:
                return ends
        elif not math.isfinite(self.statistic.estimate[number]):
            return math.nan, math.nan
        if kind == "analytic":
            return self._analytic(number, level, given["clusters"])
        if kind == "studentized" or (kind == "auto" and number in self.statistic.facts.skewed):
            return self._studentized(number, level, kind == "auto", **given)
        one, at = self.statistic.only(number)
        note_few({one.facts.few(at, None)} - {one.facts.few(0, None)})
        found = self.resamples(**given) if one is self.statistic else ResultsOf(one, self).resamples(**given)
        low, high = found.take(at).interval(level, kind)[0]
        return float(low), float(high)

    def _over_both(self, number: int, level: float, kind: str, given: dict[str, Any]) -> tuple[float, float]:
        """Return the interval over cases and annotators, which contains that over cases alone."""
        if kind not in ("auto", "analytic"):
            raise error("kind", "be 'auto' or 'analytic' if annotators are random", repr(kind))
        if given["strata"] is not None:
            raise error("strata", "be None if annotators are random", "strata")
        low, high = self._two_way(number, given["clusters"]).interval(level)
        if number not in self.statistic.facts.skewed or math.isnan(low):
            return low, high
        # the interval over cases is by resamples, which a record of two ways has not
        return containing((low, high), self._ends(number, level, "auto", given, RANDOM[:1]))

    def _without_resamples(self, number: int, level: float, design: Design | tuple[Any, Any]) -> tuple[float, float] | None:
        """Return NaN for a number that is undefined or infinite, the interval of one at an end of its range, None for all others."""
        if not math.isfinite(self.statistic.estimate[number]):
            return math.nan, math.nan
        one, number = self.statistic.only(number)
        at = [number]
        if not (np.abs(one.facts.spans[number] - one.estimate[number]) <= TIE).any():
            return None
        units = design if isinstance(design, Design) else self._design(*design)
        found = Units.of(one, one.kept, units).take(at).facts.at_end(one.estimate[at], level)[0]
        return None if np.isnan(found).any() else (float(found[0]), float(found[1]))

    def _check_analytic(self, given: Mapping[str, Any]) -> None:
        """Refuse arguments that analytic intervals do not support."""
        if given["strata"] is not None:
            raise error("strata", "be None for kind='analytic'", "strata")

    def _analytic(self, number: int, level: float, clusters: object) -> tuple[float, float]:
        """Return value ± quantile x standard error, on the scale of the statistic."""
        from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

        one, number = self.statistic.only(number)
        facts, units = one.facts, None if clusters is None else self._design(clusters, None)
        design = units or one.units()
        value, spread = float(one.estimate[number]), float((one.std_error(units) * facts.widening(one.kept, design))[number])
        if not spread > rounding(value, facts.spans[number]):
            return math.nan, math.nan
        note_few([facts.few(number, units)])
        times = ndtri(0.5 + level / 2) if facts.normal else t_quantile(facts.counting(one.kept, design)[number] - 1, 0.5 + level / 2)
        return limits(value, float(times) * spread, facts.scale, facts.spans[number])

    def _studentized(self, number: int, level: float, auto: bool, n_resamples: int, seed: Seed, **units: Any) -> tuple[float, float]:
        n, word = whole("n_resamples", n_resamples), seed_of(seed)
        one = self.log_ratio(number, **units)
        (values,) = resample([one], one.kept, one.design, word, n)
        return (math.nan, math.nan) if auto and one.alike else one.interval(level, values)

    def log_ratio(self, number: int, clusters: object = None, strata: object = None) -> LogRatio:
        """Return the statistic of a number's bootstrap-t."""
        one = self.statistic
        quotient = one.quotient(number)
        if quotient is None or min(column.min() for column in quotient) < 0:
            must = "be another kind, except for a ratio of two sums over cases of numbers of at least 0"
            raise error("kind", must, f"'studentized' for {one.names[number]!r}")
        return LogRatio(*quotient, one.kept, self._design(clusters, strata))

    def studentized(self, number: int, level: float, one: LogRatio, resamples: Resamples) -> tuple[float, float]:
        """Return the bootstrap-t interval of a number from resamples of its :meth:`log_ratio`."""
        found = (math.nan, math.nan) if one.alike else self._without_resamples(number, level, one.design)
        return one.interval(level, resamples.values) if found is None else found


class ResultsOf(Results):
    """A result with another statistic of the same cases."""

    def __init__(self, statistic: Statistic, of: Results) -> None:
        self._statistic, self._ids = statistic, of.case_ids


class Result(Results):
    """The base of the records that metrics return, with one convention for all. A subclass also has ``value``, the first of the numbers."""

    value: float

    @property
    def influence(self) -> Array:
        """The derivative (N,) of ``value`` by the weight of each case (its row taken 1 + ε times); 0 for cases that do not count."""
        one, at = self.statistic.only(0)
        found = one.influence()
        there = one.standing(np.ones(one.n_cases, bool))
        return np.full(one.n_cases, np.nan) if found is None else np.asarray(found[:, at] * there)

    @property
    def std_error(self) -> float:
        """The analytic standard error of ``value`` over cases, by linearisation; NaN if there is none."""
        one, at = self.statistic.only(0)
        return float(one.std_error()[at])

    def interval(
        self,
        level: float = 0.95,
        *,
        of: str | None = None,
        kind: str = "auto",
        clusters: object = None,
        strata: object = None,
        n_resamples: int = 1000,
        seed: Seed = 0,
        random: str | tuple[str, ...] = "auto",
    ) -> tuple[float, float]:
        """Return the interval over cases, over clusters of cases, or over cases and annotators.

        Parameters
        ----------
        level : float
            In (0, 1).
        of : str, optional
            Name of the number, if there are several. Default: ``value``.
        kind : {"auto", "percentile", "basic", "bca", "studentized", "analytic"}
            ``"auto"``: the jackknife for up to 400 units or small strata, otherwise the bootstrap, see :meth:`Resamples.interval`;
            ``"studentized"``, for ratios of two sums: the bootstrap-t of the logarithm, best with few cases, and that of ``"auto"`` for Δ;
            ``"analytic"``: the standard error over cases (clusters), without resamples and strata.
        clusters, strata, n_resamples, seed
            As for :meth:`resamples`.
        random : "auto", ("cases",) or ("cases", "annotators")
            Population of the interval: other cases like these, judged by the same annotators, or other cases judged by other
            annotators. The latter is the interval of :meth:`two_way`, without resamples and strata, and needs named annotators.
            ``"auto"``: the same annotators; for corrected means of a judge and their differences, other annotators.

        Returns
        -------
        (low, high)
            NaN if the number is undefined or infinite, if fewer than two cases or clusters count, if it is the same without each of fewer
            than 20 (``"auto"``), and if a standard error is 0 (``"analytic"``). Clopper & Pearson's interval for every kind
            if the number is at an end of its range, such as 30 of 30 right.

        Raises
        ------
        ValueError
            If an option is out of range, if ids do not fit, or if annotators are random and not named.
        """
        level = check_level(level)
        option("kind", kind, KINDS)
        given = {"clusters": clusters, "strata": strata, "n_resamples": n_resamples, "seed": seed}
        return self._ends(self._number(of), level, kind, given, self._population(random))

    def _number(self, of: str | None) -> int:
        names = self.statistic.names
        return 0 if of is None else names.index(option("of", of, names))

    def two_way(self, *, of: str | None = None, clusters: object = None) -> TwoWay:
        """Return a number's interval and variance parts if cases (or clusters of cases) and annotators are both random.

        Parameters
        ----------
        of : str, optional
            Name of the number, if there are several. Default: ``value``.
        clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
            As for :meth:`resamples`.

        Returns
        -------
        TwoWay

        Raises
        ------
        ValueError
            If annotators are not named, or ids do not fit.
        """
        return self._two_way(self._number(of), clusters)

    def ends_if_named(self, level: float, clusters: object, alone: tuple[float, float]) -> tuple[float, float]:
        """Return the interval for tables over cases and annotators, which contains ``alone``; NaN without names or for very many."""
        one, number = self.statistic.only(0)
        ids = None if clusters is None else ids_of_cases("clusters", clusters, one.n_cases, self.case_ids)
        return containing(ends_if_named(one, [number], ids, level)[0], alone)

    def minus(self, other: Result) -> ResultDifference:
        """Return the paired difference to another result of the same cases: case by case, and resample by resample.

        Parameters
        ----------
        other : Result
            A result of the same metric and cases, such as that of another model.

        Returns
        -------
        ResultDifference

        Raises
        ------
        TypeError
            If it is not a result.
        ValueError
            If it is of other cases, or has other numbers.
        """
        instance("other", other, Result, "be a result of the same metric")
        mine, its = self.statistic, other.statistic
        if mine.names != its.names:
            raise error("other", f"have the same numbers, {', '.join(mine.names)}", ", ".join(its.names))
        if mine.n_cases != its.n_cases:
            raise error("other", f"be of the same {mine.n_cases} cases", its.n_cases)
        ids = shared_ids("other", self, other)
        difference, by_case = Difference(mine, its), [getattr(one, "per_case", None) for one in (self, other)]
        per_case = None if by_case[0] is None or by_case[1] is None else by_case[0] - by_case[1]
        return ResultDifference(self.value - other.value, per_case, difference, ids)


def resamples_of_all(
    results: Sequence[Results], *, clusters: object = None, strata: object = None, n_resamples: int = 1000, seed: Seed = 0
) -> list[Resamples]:
    """Return the resamples of several results of the same cases, in one pass for all results in which the same cases count."""
    n, word = whole("n_resamples", n_resamples), seed_of(seed)
    groups: dict[bytes, list[int]] = {}
    for j, one in enumerate(results):
        groups.setdefault(one.statistic.kept.tobytes(), []).append(j)
    found: dict[int, Resamples] = {}
    for places in groups.values():
        statistics, kept = [results[j].statistic for j in places], results[places[0]].statistic.kept
        if not kept.any():
            for j, statistic in zip(places, statistics):
                found[j] = Resamples(statistic.estimate, np.full((n, len(statistic.names)), np.nan), None, units(clusters))
            continue
        design = results[places[0]]._design(clusters, strata)
        note_few(statistic.facts.few(0, design) for statistic in statistics)
        for j, values in zip(places, resample(statistics, kept, design, word, n)):
            found[j] = results[j].resamples_of(values, design, units(clusters))
    return [found[j] for j in range(len(results))]


def resamples_of(one: Statistic, values: Array, kept: Bools, design: Design, sources: tuple[str, ...]) -> Resamples:
    """Return the resamples of a statistic from its values (B, M) on resamples of the kept cases, which have this design."""
    return Resamples(one.estimate, values, None, sources, Units.of(one, kept, design))


@dataclass(frozen=True, eq=False, repr=False)
class ResultDifference(Result):
    """A paired difference of two results, made by their ``minus``.

    Attributes
    ----------
    value : float
        First less second.
    per_case : (N,) array or None
        The difference case by case, if both results have numbers of single cases.

    Examples
    --------
    >>> import ugt
    >>> truth = ugt.dirichlet(ugt.Labels.from_counts([[6, 2], [1, 4], [3, 3], [5, 0]]))
    >>> one = ugt.ua_topk_accuracy(truth, [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.7, 0.3]])
    >>> other = ugt.ua_topk_accuracy(truth, [[0.9, 0.1], [0.6, 0.4], [0.4, 0.6], [0.7, 0.3]])
    >>> found = one.minus(other)
    >>> round(found.value, 3), [round(end, 2) for end in found.interval()]
    (0.216, [-0.59, 0.76])
    """

    value: float
    per_case: Array | None
    _statistic: Difference = field(repr=False)
    _ids: NDArray[Any] | None = field(default=None, repr=False)
