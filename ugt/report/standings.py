"""Who is best, how sure that is, and where the order of models flips: from metrics of all models on the same resamples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array
from .._base.checks import room
from .._core._stream import Stream

if TYPE_CHECKING:
    from ..resampling import Resamples
    from .tables import Row

EQUAL = 1e-12  # models closer than this share a win


def standings(rows: Sequence[Row], resamples: Resamples, level: float) -> list[Row]:
    """The best model of each metric, order and reliability, its lead, and how sure it is. Chances and ranks go into the rows."""
    found = []
    names = ("metric", "k", "reliability")
    for key, columns in _groups(rows, names).items():
        defined = [c for c in columns if not math.isnan(rows[c]["value"])]
        if defined:
            found.append({**dict(zip(names, key)), **_standing([rows[c] for c in defined], resamples.take(defined), level)})
    return found


def _groups(rows: Sequence[Row], names: tuple[str, ...]) -> dict[tuple[Any, ...], list[int]]:
    found: dict[tuple[Any, ...], list[int]] = {}
    for column, row in enumerate(rows):
        found.setdefault(tuple(row[name] for name in names), []).append(column)
    return found


def _standing(rows: Sequence[Row], resamples: Resamples, level: float) -> Row:
    chance, ranks = resamples.p_best(), resamples.rank_interval(level)
    for row, p, (low, high) in zip(rows, chance, ranks):
        row.update(p_best=float(p), rank_low=float(low), rank_high=float(high))
    values = np.array([row["value"] for row in rows])
    best = values.max()
    first = np.flatnonzero(best - values <= EQUAL)
    others = np.flatnonzero(best - values > EQUAL)
    winner: Row = {"model": " = ".join(rows[int(i)]["model"] for i in first), "value": float(best), "p_best": float(chance[first].sum())}
    if len(others) == 0:
        return {**winner, "runner_up": None, "margin": None, "margin_low": None, "margin_high": None}
    second = int(others[np.argmax(values[others])])
    low, high = resamples.take([int(first[0]), second]).minus(1).interval(level)[0]
    lead = {"margin": float(best - values[second]), "margin_low": float(low), "margin_high": float(high)}
    return {**winner, "runner_up": rows[second]["model"], **lead}


def shuffled_quantiles(n: int, seed: int) -> Array:
    """(n,) probabilities (i + 1/2) / n in random order: one for each resample."""
    room(f"{n} resamples", 24 * n)
    random = np.empty(n)
    Stream(seed, 0, 0, 0).uniform(random)
    return (np.argsort(np.argsort(random, kind="stable"), kind="stable") + 0.5) / n


def both_ends(values: Array, level: float) -> tuple[float, float]:
    """Interval of values (B,) over resamples of the cases plus deviations over draws, which are independent of each other.

    The variance is what new cases with truths of their own would show: of the expectation over cases, and over draws.
    """
    defined = values[~np.isnan(values)]
    low, high = np.quantile(defined, [0.5 - level / 2, 0.5 + level / 2]) if len(defined) else (math.nan, math.nan)
    return max(float(low), 0.0), min(float(high), 1.0)


def flips(rows: Sequence[Row], resamples: Resamples, level: float) -> list[Row]:
    """For every pair of models, the reliabilities between which the order of the two changes, with an interval.

    Differences are joined by straight lines over the logarithm of the reliability. A resample without a change of the same
    kind has it below the lowest or above the highest reliability; an interval that reaches there has None as its end.
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
            found += ({"metric": metric, "k": k, "model": a, "other": b, **flip} for flip in _flips(np.array(shared), difference, level))
    return found


def _flips(reliability: Array, difference: Array, level: float) -> Iterable[Row]:
    """Of differences (1 + B, R), those of the data first."""
    own = np.sign(np.where(np.abs(difference[0]) <= EQUAL, 0.0, difference[0]))
    moving = np.flatnonzero(own)
    for left, right in zip(moving[:-1], moving[1:]):
        if own[left] == own[right]:
            continue
        upwards = float(own[right])
        at = np.array([_crossing(np.log(reliability), upwards * row) for row in difference[1:]])
        at = np.sort(at[~np.isnan(at)])
        here = _between(np.log(reliability), upwards * difference[0], left, right)
        low, high = (_end(at, q) for q in (0.5 - level / 2, 0.5 + level / 2))
        inside = float(np.isfinite(at).mean()) if len(at) else math.nan
        yield {"better_above": upwards > 0, "reliability": math.exp(here), "low": low, "high": high, "p_inside": inside}


def _between(x: Array, y: Array, left: int, right: int) -> float:
    """Where the line from a negative to a positive value is 0."""
    return float(x[left] - y[left] * (x[right] - x[left]) / (y[right] - y[left]))


def _crossing(x: Array, y: Array) -> float:
    """The first change from below to above 0; -inf and inf: above, below everywhere; NaN: only a change the other way."""
    if np.isnan(y).any() or not y.any():
        return math.nan
    signs = np.sign(y)
    moving = np.flatnonzero(signs)
    up = np.flatnonzero((signs[moving][:-1] < 0) & (signs[moving][1:] > 0))
    if len(up):
        return _between(x, y, int(moving[up[0]]), int(moving[up[0] + 1]))
    first, last = signs[moving[[0, -1]]]
    return math.nan if first > 0 > last else -math.inf if first > 0 else math.inf


def _end(at: Array, q: float) -> float | None:
    if len(at) == 0:
        return None
    value = at[int((math.floor if q < 0.5 else math.ceil)(q * (len(at) - 1)))]
    return math.exp(value) if math.isfinite(value) else None
