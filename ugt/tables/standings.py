"""The model with the best value, the interval of its lead, and flips of the order of models, from metrics on the same resamples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array
from .._base.checks import room
from .._core._stream import Stream
from .names import higher_is_better
from .rows import Number

if TYPE_CHECKING:
    from ..resampling import Resamples

EQUAL = 1e-12  # models closer than this share the first place
MOST_LEVEL = 1 - 1e-9  # largest level of an interval that is made simultaneous
BEYOND = ((-math.inf, -1), (math.inf, 1))  # places of resamples without the change, for the lower and the upper end


class MetricRow(NamedTuple):
    """One metric of one model under one truth; in units of the metric, and its shares in [0, 1]."""

    model: str
    reliability: Number  # above 0; None: the truth has none, or the metric is against the voted label
    metric: str
    k: int | None  # of metrics of the k first choices
    value: Number  # None or NaN if undefined
    draw_std: Number = None  # spread over draws of the truth
    draw_low: Number = None
    draw_high: Number = None
    case_low: Number = None  # interval over cases, or clusters of them
    case_high: Number = None
    both_low: Number = None  # over cases and draws
    both_high: Number = None
    two_way_low: Number = None  # over cases and annotators
    two_way_high: Number = None
    best_share: Number = None  # share of resamples in which the model is best
    rank_low: Number = None  # 1 is best
    rank_high: Number = None
    mc_error: float = 0.0  # Monte Carlo standard error
    n_cases: int = 0


class WinnerRow(NamedTuple):
    """The model with the best value of a metric under a truth; ``margin`` is its lead, above 0 also where lower is better."""

    metric: str
    k: int | None
    reliability: Number
    model: str
    value: float
    best_share: float
    runner_up: str | None = None
    margin: Number = None
    margin_low: Number = None
    margin_high: Number = None
    n_undistinguished: int = 0  # models over which the interval of the lead includes 0


class FlipRow(NamedTuple):
    """A change of the order of two models with the reliability; an end that is None is beyond the evaluated reliabilities."""

    metric: str
    k: int | None
    model: str
    other: str
    better_above: bool
    reliability: float
    low: Number
    high: Number
    share_inside: float  # of resamples, in [0, 1]

    @property
    def is_shown(self) -> bool:
        """Whether the data show that the order changes: the interval has both ends among the reliabilities."""
        return self.low is not None and self.high is not None


def standings(rows: Sequence[MetricRow], resamples: Resamples, level: float) -> tuple[list[WinnerRow], list[MetricRow]]:
    """Return the model with the best value for each metric, order and reliability, and its lead; and the rows with shares and ranks.

    ``margin`` is above 0 also where lower values are better.
    """
    winners, ranked = [], list(rows)
    groups: dict[tuple[str, int | None, float | None], list[int]] = {}
    for column, row in enumerate(rows):
        groups.setdefault((row.metric, row.k, row.reliability), []).append(column)
    for (metric, *_), columns in groups.items():
        defined = [c for c in columns if _is_known(rows[c])]
        if not defined:
            continue
        some, upwards = resamples.take(defined), higher_is_better(metric)
        shares, ranks = some.best_share(upwards), some.rank_interval(level, upwards)
        for c, p, (low, high) in zip(defined, shares.tolist(), ranks.tolist()):
            ranked[c] = rows[c]._replace(best_share=float(p), rank_low=float(low), rank_high=float(high))
        winners.append(_winner([rows[c] for c in defined], some, shares, level))
    return winners, ranked


def _is_known(row: MetricRow) -> bool:
    return row.value is not None and not math.isnan(row.value)


def _winner(rows: Sequence[MetricRow], resamples: Resamples, shares: Array, level: float) -> WinnerRow:
    metric, upwards = rows[0].metric, higher_is_better(rows[0].metric)
    values = np.array([row.value for row in rows], np.float64) * (1 if upwards else -1)
    best = values.max()
    first = np.flatnonzero(best - values <= EQUAL)
    others = np.flatnonzero(best - values > EQUAL)
    winner = WinnerRow(
        metric, rows[0].k, rows[0].reliability, " = ".join(rows[int(i)].model for i in first), float(best if upwards else -best),
        float(shares[first].sum()), n_undistinguished=len(first) - 1,
    )  # fmt: skip
    if len(others) == 0:
        return winner
    second = int(others[np.argmax(values[others])])
    ends = simultaneous_leads(resamples, int(first[0]), level)
    ends = ends if upwards else -ends[:, ::-1]
    low, high = ends[second].tolist()
    same = int((~(ends[others, 0] > 0)).sum()) + len(first) - 1
    return winner._replace(
        runner_up=rows[second].model, margin=float(best - values[second]), margin_low=low, margin_high=high, n_undistinguished=same
    )


def simultaneous_leads(resamples: Resamples, first: int, level: float) -> Array:
    """Return (M, 2) intervals of the lead of number ``first`` over each number, which hold together whichever number is the first."""
    return -resamples.minus(first).interval(joint_level(resamples, level))[:, ::-1]


def joint_level(resamples: Resamples, level: float) -> float:
    """Return the level of one pair's interval, 2 Φ(q) - 1, at which the intervals of all pairs of numbers hold together at ``level``.

    q is the quantile of the largest |d* - d| / s over all pairs, d* their difference in a resample and s its standard deviation [max-t,
    Westfall & Young 1993]. As all pairs count, the numbers may be picked by the same cases. For two numbers it is the level itself.
    """
    values, estimate = _defined(resamples), resamples.estimate
    rest = range(len(estimate) - 1)
    return _together(level, values, ((values[:, i + 1 :] - values[:, i : i + 1], estimate[i + 1 :] - estimate[i]) for i in rest))


def joint_level_of(differences: Resamples, level: float) -> float:
    """Return the level of one interval at which the intervals of all these differences hold together, as :func:`joint_level`."""
    values = _defined(differences)
    return _together(level, values, [(values, differences.estimate)])


def _defined(resamples: Resamples) -> Array:
    """Return the resamples (B, M) in which all numbers are defined."""
    return resamples.values[~np.isnan(resamples.values).any(axis=1)]


def _together(level: float, values: Array, differences: Iterable[tuple[Array, Array]]) -> float:
    """Return the level for blocks of differences in resamples (B, m), with their estimates (m,)."""
    largest, n = np.zeros(max(len(values), 1)), 0
    for away, estimate in differences if len(values) > 1 else ():
        std = away.std(axis=0, ddof=1)
        moves = std > EQUAL
        from_own = np.abs(away - estimate)[:, moves] / std[moves]
        largest, n = np.maximum(largest, from_own.max(axis=1, initial=0.0)), n + len(estimate)
    return level if n < 2 else min(max(level, 2 * NormalDist().cdf(float(np.quantile(largest, level))) - 1), MOST_LEVEL)


def shuffled_quantiles(n: int, seed: int) -> Array:
    """Return (n,) probabilities (i + 1/2) / n in random order, one for each resample."""
    room(f"{n} resamples", 24 * n)
    random = np.empty(n)
    Stream(seed, 0, 0, 0).uniform(random)
    return (np.argsort(np.argsort(random, kind="stable"), kind="stable") + 0.5) / n


def both_ends(values: Array, level: float) -> tuple[float, float]:
    """Return the interval of values (B,) over resamples of the cases plus deviations over draws that cases share.

    Resampled cases come with their annotations, so that their spread already includes what draws add to single cases.
    """
    defined = values[~np.isnan(values)]
    low, high = np.quantile(defined, [0.5 - level / 2, 0.5 + level / 2]) if len(defined) else (math.nan, math.nan)
    return max(float(low), 0.0), min(float(high), 1.0)  # metrics that vary over draws are shares


def flips(rows: Sequence[MetricRow], resamples: Resamples, level: float) -> list[FlipRow]:
    """Return, for every pair of models, the reliabilities between which the order of the two values changes, with an interval.

    Differences are joined by straight lines over the logarithm of the reliability. A resample without a change in the same
    direction counts as a change below the lowest or above the highest reliability; one with only the opposite change counts as beyond
    both ends. An interval that reaches beyond the reliabilities has None as its end; only a change with both ends is shown by the data.
    """
    found: list[FlipRow] = []
    columns: dict[tuple[str, int | None], dict[str, dict[float, int]]] = {}  # by metric, model and reliability
    for c, row in enumerate(rows):
        of_metric = columns.setdefault((row.metric, row.k), {})
        if row.reliability is not None and _is_known(row):
            of_metric.setdefault(row.model, {})[row.reliability] = c
    for (metric, k), by_model in columns.items():
        for a, b in combinations(by_model, 2):
            shared = sorted(set(by_model[a]) & set(by_model[b]))
            pairs = [[by_model[model][r] for r in shared] for model in (a, b)]
            difference = np.subtract(*(np.concatenate([resamples.estimate[None, p], resamples.values[:, p]]) for p in pairs))
            difference = difference if higher_is_better(metric) else -difference
            found += (FlipRow(metric, k, a, b, *flip) for flip in _flips(np.array(shared), difference, level))
    return found


def _flips(reliability: Array, difference: Array, level: float) -> Iterable[tuple[bool, float, float | None, float | None, float]]:
    """Yield the flips of differences (1 + B, R), those of the data first: upwards, the place, its interval, the share inside."""
    own = np.sign(np.where(np.abs(difference[0]) <= EQUAL, 0.0, difference[0]))
    moving = np.flatnonzero(own)
    for left, right in zip(moving[:-1], moving[1:]):
        if own[left] == own[right]:
            continue
        upwards, x = float(own[right]), np.log(reliability)
        at = _crossings(x, upwards * difference[1:])
        here = float(_between(*x[[left, right]], *difference[0, [left, right]]))
        low, high = (_end(np.sort(np.where(np.isnan(at), away, at)), 0.5 + away_side * level / 2) for away, away_side in BEYOND)
        inside = float(np.isfinite(at).mean())
        yield upwards > 0, math.exp(here), low, high, inside


def _between(left: Array, right: Array, below: Array, above: Array) -> Array:
    """Return the places at which lines from values on the left to values of the other sign on the right are 0."""
    return np.asarray(left - below * (right - left) / (above - below))


def _crossings(x: Array, y: Array) -> Array:
    """Return the first change from below to above 0 in each row of y (B, R) at the places x (R,).

    -inf: above everywhere, inf: below everywhere; NaN: only the opposite change, or no value but 0.
    """
    row, signs = np.arange(len(y)), np.sign(y)
    moving = signs != 0
    latest = np.maximum.accumulate(np.where(moving, np.arange(len(x)), 0), axis=1)  # the last place so far that is not 0
    up = (np.take_along_axis(signs, latest, axis=1)[:, :-1] < 0) & (signs[:, 1:] > 0)
    right = up.argmax(axis=1) + 1
    left = latest[row, right - 1]
    with np.errstate(invalid="ignore", divide="ignore"):  # rows without such a change
        at = _between(x[left], x[right], y[row, left], y[row, right])
    first, last = signs[row, moving.argmax(axis=1)], signs[row, latest[:, -1]]
    beyond = np.where(first > 0, np.where(last < 0, math.nan, -math.inf), math.inf)
    undefined = np.isnan(y).any(axis=1) | ~moving.any(axis=1)
    return np.where(undefined, math.nan, np.where(up.any(axis=1), at, beyond))


def _end(at: Array, q: float) -> float | None:
    value = at[int((math.floor if q < 0.5 else math.ceil)(q * (len(at) - 1)))]
    return math.exp(value) if math.isfinite(value) else None
