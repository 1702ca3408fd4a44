"""The model with the best value, the interval of its lead, and flips of the order of models, from metrics on the same resamples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import room
from .._core._stream import Stream
from .names import higher_is_better

if TYPE_CHECKING:
    from ..resampling import Resamples
    from .rows import Row

EQUAL = 1e-12  # models closer than this share the first place
MOST_LEVEL = 1 - 1e-9  # largest level of an interval that is made simultaneous
BEYOND = ((-math.inf, -1), (math.inf, 1))  # places of resamples without the change, for the lower and the upper end


def standings(rows: Sequence[Row], resamples: Resamples, level: float) -> list[Row]:
    """Return the model with the best value for each metric, order and reliability, and its lead; add shares and ranks to the rows.

    ``margin`` is above 0 also where lower values are better.
    """
    found = []
    names = ("metric", "k", "reliability")
    for key, columns in _groups(rows, names).items():
        defined = [c for c in columns if not math.isnan(rows[c]["value"])]
        if defined:
            found.append({**dict(zip(names, key)), **_standing(key[0], [rows[c] for c in defined], resamples.take(defined), level)})
    return found


def _groups(rows: Sequence[Row], names: tuple[str, ...]) -> dict[tuple[Any, ...], list[int]]:
    found: dict[tuple[Any, ...], list[int]] = {}
    for column, row in enumerate(rows):
        found.setdefault(tuple(row[name] for name in names), []).append(column)
    return found


def _standing(metric: str, rows: Sequence[Row], resamples: Resamples, level: float) -> Row:
    upwards = higher_is_better(metric)
    shares, ranks = resamples.best_share(upwards), resamples.rank_interval(level, upwards)
    for row, p, (low, high) in zip(rows, shares, ranks):
        row.update(best_share=float(p), rank_low=float(low), rank_high=float(high))
    values = np.array([row["value"] for row in rows]) * (1 if upwards else -1)
    best = values.max()
    first = np.flatnonzero(best - values <= EQUAL)
    others = np.flatnonzero(best - values > EQUAL)
    winner: Row = {
        "model": " = ".join(rows[int(i)]["model"] for i in first),
        "value": float(best if upwards else -best),
        "best_share": float(shares[first].sum()),
    }
    if len(others) == 0:
        none = dict.fromkeys(("runner_up", "margin", "margin_low", "margin_high"))
        return {**winner, **none, "n_undistinguished": len(first) - 1}
    second = int(others[np.argmax(values[others])])
    ends = simultaneous_leads(resamples, int(first[0]), level)
    ends = ends if upwards else -ends[:, ::-1]
    low, high = ends[second].tolist()
    lead = {"margin": float(best - values[second]), "margin_low": low, "margin_high": high}
    same = int((~(ends[others, 0] > 0)).sum()) + len(first) - 1
    return {**winner, "runner_up": rows[second]["model"], **lead, "n_undistinguished": same}


def simultaneous_leads(resamples: Resamples, first: int, level: float) -> Array:
    """Return (M, 2) intervals of the lead of number ``first`` over each number, which hold together whichever number is the first."""
    return -resamples.minus(first).interval(joint_level(resamples, level))[:, ::-1]


def joint_level(resamples: Resamples, level: float) -> float:
    """Return the level of one pair's interval, 2 Φ(q) - 1, at which the intervals of all pairs of numbers hold together at ``level``.

    q is the quantile of the largest |d* - d| / s over all pairs, d* their difference in a resample and s its standard deviation [max-t,
    Westfall & Young 1993]. As all pairs count, the numbers may be picked by the same cases. For two numbers it is the level itself.
    """
    return level if len(resamples) < 3 else min(max(level, 2 * NormalDist().cdf(_largest(resamples, level)) - 1), MOST_LEVEL)


def _largest(resamples: Resamples, level: float) -> float:
    """Return the quantile of the largest |t| over all pairs."""
    values, estimate = resamples.values[~np.isnan(resamples.values).any(axis=1)], resamples.estimate
    largest = np.zeros(max(len(values), 1))
    for i in range(len(estimate) - 1 if len(values) > 1 else 0):
        away = values[:, i + 1 :] - values[:, i : i + 1]
        std = away.std(axis=0, ddof=1)
        moves = std > EQUAL
        from_own = np.abs(away - (estimate[i + 1 :] - estimate[i]))[:, moves] / std[moves]
        largest = np.maximum(largest, from_own.max(axis=1, initial=0.0))
    return float(np.quantile(largest, level))


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


def flips(rows: Sequence[Row], resamples: Resamples, level: float) -> list[Row]:
    """Return, for every pair of models, the reliabilities between which the order of the two values changes, with an interval.

    Differences are joined by straight lines over the logarithm of the reliability. A resample without a change in the same
    direction counts as a change below the lowest or above the highest reliability; one with only the opposite change counts as beyond
    both ends. An interval that reaches beyond the reliabilities has None as its end; only a change with both ends is shown by the data.
    """
    found: list[Row] = []
    for (metric, k), columns in _groups(rows, ("metric", "k")).items():
        by_model: dict[str, dict[float, int]] = {}
        for c in columns:
            if rows[c]["reliability"] is not None and not math.isnan(rows[c]["value"]):
                by_model.setdefault(rows[c]["model"], {})[rows[c]["reliability"]] = c
        for a, b in combinations(by_model, 2):
            shared = sorted(set(by_model[a]) & set(by_model[b]))
            pairs = [[by_model[model][r] for r in shared] for model in (a, b)]
            difference = np.subtract(*(np.concatenate([resamples.estimate[None, p], resamples.values[:, p]]) for p in pairs))
            difference = difference if higher_is_better(metric) else -difference
            found += ({"metric": metric, "k": k, "model": a, "other": b, **flip} for flip in _flips(np.array(shared), difference, level))
    return found


def _flips(reliability: Array, difference: Array, level: float) -> Iterable[Row]:
    """Yield the flips of differences (1 + B, R), those of the data first."""
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
        yield {"better_above": upwards > 0, "reliability": math.exp(here), "low": low, "high": high, "share_inside": inside}


def is_shown(flip: Mapping[str, Any]) -> bool:
    """Return whether the data show that the order changes: the interval has both ends among the reliabilities."""
    return flip["low"] is not None and flip["high"] is not None


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
