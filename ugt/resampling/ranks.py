"""All pairs of models, and the ranks that the data leave open, which hold together."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int64
from .._base.axes import Frozen
from .._base.checks import error, flag, instance, whole
from .._base.notes import Note
from .._base.wording import arg, changed, renamed
from .._core._stream import Stream
from .cluster_ids import ids_of_cases
from .design import seed_of
from .resamples import check_level
from .result import Result
from .spread import RANDOM, with_annotators
from .student import Units
from .two_way_spreads import two_ways_of

if TYPE_CHECKING:
    from .design import Seed

TOO_FEW = 2.5  # annotators of whom fewer separate no models for others
FEW_ANNOTATORS = 6  # with fewer, quantiles of Student's law at the joint level are so large that sets are mostly 1 to M
MOST_LEVEL = 1 - 1e-9
SAME = 1e-12  # difference, or its standard deviation, that is rounding alone


class PairRow(NamedTuple):
    """One model less another, above 0 if the first is better; the interval holds together with those of all pairs."""

    model: str
    other: str
    difference: float
    low: float
    high: float
    sign: int  # 1: the first is ahead; -1: the other; 0: open. By stepdown, which separates more pairs than these intervals


@dataclass(frozen=True, eq=False, repr=False)
class RankSets(Frozen):
    """Ranks of M models that the data leave open, simultaneously; made by :func:`rank_sets`.

    Attributes
    ----------
    models : tuple of str
        As given.
    values, rank_low, rank_high : (M,) arrays
        The numbers; the lowest (best) and the highest rank of each model.
    higher_is_better : bool
    pairs : tuple of PairRow
        All pairs: difference, interval at the joint level, and who is ahead.
    level, joint_level : float
        Of all pairs together, and of one pair's interval.
    random : ("cases",) or ("cases", "annotators")
    n_annotators : float
        With even shares of the labels, who would give as much, or groups of them that share no case; NaN if cases alone are random.
    notes : tuple of notes

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng, truth = np.random.default_rng(0), np.arange(200) % 3
    >>> seen = np.where(rng.random((200, 8)) < 0.8, truth[:, None], rng.integers(0, 3, (200, 8)))
    >>> labels = ugt.Labels.from_wide(seen, annotators=list("abcdefgh"))
    >>> models = {name: np.eye(3)[np.where(rng.random(200) < p, truth, 0)] for name, p in (("A", 0.9), ("B", 0.55), ("C", 0.54))}
    >>> results = {name: ugt.ua_topk_accuracy(ugt.dirichlet(labels), scores) for name, scores in models.items()}
    >>> found = ugt.resampling.rank_sets(results)
    >>> list(zip(found.models, found.rank_low.tolist(), found.rank_high.tolist()))
    [('A', 1, 1), ('B', 2, 3), ('C', 2, 3)]
    """

    models: tuple[str, ...]
    values: Array
    rank_low: Int64
    rank_high: Int64
    higher_is_better: bool
    pairs: tuple[PairRow, ...]
    level: float
    joint_level: float
    random: tuple[str, ...]
    n_annotators: float
    notes: tuple[Note, ...]

    def table(self) -> list[dict[str, Any]]:
        """Return one row per model, the best first: ``model``, ``value``, ``rank_low`` and ``rank_high``."""
        best = np.argsort(-self.values if self.higher_is_better else self.values, kind="stable").tolist()
        columns = [self.values.tolist(), self.rank_low.tolist(), self.rank_high.tolist()]
        return [dict(zip(("model", "value", "rank_low", "rank_high"), (self.models[i], *(one[i] for one in columns)))) for i in best]


class ModelPairs(NamedTuple):
    """M models: their names, their values (M,), and the spreads of the differences of all pairs."""

    models: tuple[str, ...]
    values: Array
    spreads: list[PairSpread]


class ComparesModels(ABC):
    """The base of records that hold values of several models, with their covariance."""

    @abstractmethod
    def compared(self, annotators: bool) -> ModelPairs:
        """Return the models, and the spreads of their differences over cases, or over cases and annotators."""


def rank_sets(
    results: Mapping[str, Result] | ComparesModels,
    *,
    level: float = 0.95,
    random: str | tuple[str, ...] = RANDOM,
    clusters: object = None,
    higher_is_better: bool = True,
    n_draws: int = 4000,
    seed: Seed = 0,
) -> RankSets:
    r"""Return which models are separated, and the ranks of each that the data leave open, all together.

    With the variances v_jk of the differences of pairs, the largest :math:`|z_j - z_k| / \sqrt{v_{jk}}` of normal numbers z with these
    variances has the quantile q. A pair is separated if its interval of level :math:`2 Φ(q) - 1` excludes 0. Then q is found again for
    the pairs that are left, until no more are separated [Romano & Wolf 2005]. The rank set of model j is 1 + the number of models that
    are ahead of it, to M less the number of models that it is ahead of; all sets hold the true ranks with the probability ``level``
    [Mogstad et al. 2024].

    Parameters
    ----------
    results : mapping of model to Result, or Strengths
        A result of the same metric, of the same cases, for each of M >= 2 models. Or strengths of models from preferences
        (:func:`ugt.judges.strengths`).
    level : float
        In (0, 1).
    random : ("cases", "annotators") or ("cases",)
        Of whom the ranks are: other cases and other annotators, with the intervals of :meth:`Result.two_way`, or other cases and these
        annotators, with intervals by the jackknife (:meth:`Resamples.interval`).
    clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        As for :meth:`Result.interval`; not for strengths, which know the case and the annotator of each preference.
    higher_is_better : bool
        False for errors and losses.
    n_draws : int
        Normal numbers from which q is computed.
    seed : int, Generator or SeedSequence
        On one machine, the same seed gives the same bytes.

    Returns
    -------
    RankSets

    Raises
    ------
    TypeError
        If a result is none.
    ValueError
        If there are fewer than two models, or two have names that read alike. If a number is undefined, or results are of other cases or
        metrics. If annotators are random and have no names, or a pair has no interval.

    Notes
    -----
    Pairs of models with the same choices are never separated, and leave q as it is. With two annotators no models are separated for
    others, and with three to five only those that are far apart. The order of the models does not matter.

    References
    ----------
    Romano & Wolf, Journal of the American Statistical Association 100 (2005) 94. Mogstad, Romano, Shaikh & Wilhelm, Review of Economic
    Studies 91 (2024) 476.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1]] * 20)
    >>> scores = {"good": [0.9, 0.1, 0.8, 0.2] * 20, "bad": [0.2, 0.7, 0.4, 0.9] * 20}
    >>> found = ugt.resampling.rank_sets({name: ugt.soft_auroc(labels, one) for name, one in scores.items()}, random=("cases",))
    >>> found.rank_low, found.rank_high
    (array([1, 2]), array([1, 2]))
    """
    level, n, both = check_level(level), whole("n_draws", n_draws, 100), with_annotators(random)
    sign = 1.0 if flag("higher_is_better", higher_is_better) else -1.0
    with notices.heard():
        models, values, spreads = _compared(results, clusters, both)
    found = separated(sign * values, spreads, level, n, seed_of(seed), sign)
    effective = min(one.effective for one in spreads) if both else math.nan
    notes = ranks_of_few(effective)
    for note in notes:
        notices.note(note)
    pairs = tuple(
        PairRow(models[a], models[b], float(values[a] - values[b]) * sign, float(ends[0]), float(ends[1]), int(s))
        for (a, b), ends, s in zip(_pairs(len(models)), found.ends, found.signs)
    )
    whom = RANDOM if both else RANDOM[:1]
    return RankSets(models, values, *found.ranks, sign > 0, pairs, level, found.joint_level, whom, effective, tuple(notes))


def _compared(results: object, clusters: object, both: bool) -> ModelPairs:
    if isinstance(results, ComparesModels):
        if clusters is not None:
            raise error("clusters", "be left out for strengths, which know the cases of their preferences", type(clusters).__name__)
        found = results.compared(both)
        if not all(math.isfinite(one.variance) for one in found.spreads):
            raise error("results", "have intervals of their differences", "none", way=_way(both))
        return found
    given = _checked(results)
    first = next(iter(given.values()))
    ids = None if clusters is None else ids_of_cases("clusters", clusters, first.statistic.n_cases, first.case_ids)
    spreads = [_pair_of(one, other, ids, both) for one, other in combinations(given.items(), 2)]
    return ModelPairs(tuple(given), np.array([one.value for one in given.values()], np.float64), spreads)


def _checked(results: object) -> dict[str, Result]:
    if not isinstance(results, Mapping):
        raise error("results", "be a mapping of model to result", type(results).__name__)
    if len(results) < 2:
        raise error("results", "be of at least two models", len(results))
    for name, one in results.items():
        instance(f"results[{name!r}]", one, Result, "be a result of a metric")
        if not math.isfinite(one.value):
            raise error("results", "have values, to be ranked", one.value, f"model {name!r}")
    named = {str(name): one for name, one in results.items()}
    if len(named) < len(results):
        raise error("results", "have models whose names differ as texts", ", ".join(map(repr, results)))
    return named


def _pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2))


class PairSpread(NamedTuple):
    """The variance of a difference, its interval at a level, and the annotators that count in it."""

    variance: float
    interval: Callable[[float], tuple[float, float]]
    effective: float = math.nan


def _pair_of(first: tuple[str, Result], second: tuple[str, Result], ids: Any, both: bool) -> PairSpread:
    """Return the spread of the difference of two models, given by name."""
    try:
        one = first[1].minus(second[1]).statistic
    except ValueError as problem:
        raise renamed(problem, other=f"results[{second[0]!r}]") from None
    try:
        found = spread_of_pair(one, ids, both)
    except ValueError as problem:
        raise changed(renamed(problem, other=f"results[{second[0]!r}]"), way=_way(both)) from None
    if isinstance(found, str):
        where = f"models {first[0]!r} and {second[0]!r}"
        raise error("results", "have intervals of their differences", f"none ({found})", where, way=_way(both))
    return found


def _way(both: bool) -> str:
    return "or give " + arg("random", ("cases",)) if both else ""


def spread_of_pair(one: Any, ids: Any, both: bool) -> PairSpread | str:
    """Return the spread of a difference over cases, or over cases and annotators; or the reason why there is none."""
    single, at = one.only(0)
    kept = single.kept
    design = single.units(None if ids is None else ids[kept])
    if both:
        (found,) = two_ways_of(single, [at], design)
        return found.reason or PairSpread(found.variance, found.interval, found.effective_annotators)
    jackknifed = Units.of(single, kept, design).take([at]).jackknifed(single.estimate[[at]])
    variance = float(jackknifed.squares[0])

    def ends(level: float) -> tuple[float, float]:
        low, high = jackknifed.ends(level)[0].tolist()
        return low, high

    return PairSpread(variance, ends) if math.isfinite(variance) else "it is undefined without a case"


class Separated(NamedTuple):
    """Who is ahead in each of P pairs, the intervals at the joint level (P, 2), that level, and the rank sets (M,) of the models."""

    signs: Int64
    ends: Array
    joint_level: float
    ranks: tuple[Int64, Int64]


def separated(values: Array, spreads: Sequence[PairSpread], level: float, n_draws: int, seed: int, sign: float = 1.0) -> Separated:
    """Return what holds for all pairs of values (M,), higher is better, whose differences have these spreads; NaN: no pair is separated."""
    pairs, m = np.array(_pairs(len(values))), len(values)
    first, second = pairs.T
    away, sd = _drawn(sign * values, np.array([one.variance for one in spreads], np.float64), n_draws, seed)
    enough = not any(one.effective < TOO_FEW for one in spreads)  # two annotators may differ by the same amount by chance
    moves, apart = sd > 0, enough & (np.abs(values[first] - values[second]) > SAME)
    signs, joint = np.zeros(len(pairs), np.int64), math.nan
    ends = np.zeros((len(pairs), 2))
    while True:
        left = np.flatnonzero(signs == 0)
        drawn = left[moves[left]]
        q = float(np.quantile((away[:, drawn] / sd[drawn]).max(axis=1), level)) if len(drawn) > 1 else 0.0
        now = min(max(level, 2 * NormalDist().cdf(q) - 1), MOST_LEVEL)
        found = np.array([spreads[i].interval(now) for i in left.tolist()]).reshape(-1, 2)
        found = found if sign > 0 else -found[:, ::-1]
        if len(left) == len(pairs):
            joint, ends = now, found
        new = np.where(apart[left], (found[:, 0] > 0).astype(np.int64) - (found[:, 1] < 0), 0)
        if not new.any():
            break
        signs[left] = new
    ahead, behind = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for (a, b), s in zip(pairs.tolist(), signs.tolist()):
        better, worse = (a, b) if s > 0 else (b, a)
        behind[worse] += s != 0
        ahead[better] += s != 0
    return Separated(signs, ends, joint, (1 + behind, m - ahead))


def _drawn(values: Array, variance: Array, n_draws: int, seed: int) -> tuple[Array, Array]:
    """Return |z_j - z_k| (draws, P) of normal numbers whose differences have these variances (P,), and standard deviations (P,).

    Differences have the variances if z has the covariance -v / 2, centred by row and column; negative eigenvalues are taken as 0. Models
    have their draws by the order of their values, and the root is symmetric: z does not depend on the order in which they are given.
    """
    m = len(values)
    first, second = np.array(_pairs(m)).T
    table = np.zeros((m, m))
    table[first, second] = table[second, first] = np.where(variance > 0, variance, 0.0)  # unknown: 0
    order = np.lexsort((table.sum(axis=0), values))
    place = np.argsort(order)
    table = table[np.ix_(order, order)]
    centred = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    size, axes = np.linalg.eigh(-centred / 2)
    root = ((axes * np.sqrt(np.maximum(size, 0.0))) @ axes.T)[place]
    z = np.empty(n_draws * m)
    Stream(seed, 0, 0, 0).normal(z)
    drawn = z.reshape(n_draws, m) @ root.T
    squares = ((root[first] - root[second]) ** 2).sum(axis=1)
    sd = np.sqrt(np.where((variance > SAME**2) & (squares > SAME**2), squares, 0.0))
    return np.abs(drawn[:, first] - drawn[:, second]), sd


def ranks_of_few(n: float) -> list[Note]:
    """Return the note on ranks for others, of whom these are too few to show how they vary."""
    if not n < FEW_ANNOTATORS - 0.5:
        return []
    words = "Ranks are for other annotators: {n:.3g} annotators cannot show how others vary, and more of them narrow the ranks most."
    if n < TOO_FEW:
        words = "Ranks are for other annotators: {n:.3g} annotators are too few to separate models for others."
    return [Note("ranks_of_few_annotators", words, n=n)]
