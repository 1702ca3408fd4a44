"""Likelihoods of preferences by strengths, their derivatives and their maximum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, NDArray
from .preferences import Preferences

MOST_STEPS, SMALL = 200, 1e-12


class Slope(NamedTuple):
    """Log-likelihood, its gradient (P,) and its negative second derivatives (P, P)."""

    value: float
    gradient: Array
    curvature: Array


def _grouped(options: NDArray[np.intp], m: int) -> tuple[NDArray[np.intp], Array]:
    """Return the distinct pairs of chosen and other and how often each occurs; larger sets as they are."""
    if options.shape[1] != 2:
        return options, np.ones(len(options))
    times = np.bincount(options[:, 0] * m + options[:, 1], minlength=m * m)
    there = np.flatnonzero(times)
    return np.stack(np.divmod(there, m), axis=1), times[there].astype(np.float64)


def choices(preferences: Preferences) -> tuple[Callable[[Array], Slope], Callable[[Array], Any]]:
    """Return the likelihood of choices from sets (Plackett-Luce, Bradley-Terry), and the scores (V, M) of preferences."""
    m = len(preferences.models)
    row, options = preferences.stages()
    distinct = [_grouped(one, m) for one in options]

    def shares(theta: Array, table: NDArray[np.intp]) -> tuple[Array, Array]:
        found = theta[table]
        top = found.max(axis=1)
        weight = np.exp(found - top[:, None])
        total = weight.sum(axis=1)
        return weight / total[:, None], found[:, 0] - top - np.log(total)

    def fit(theta: Array) -> Slope:
        value, gradient, curvature = 0.0, np.zeros(m), np.zeros(m * m)
        for table, times in distinct:
            p, log_p = shares(theta, table)
            value += float(times @ log_p)
            gradient += np.bincount(table[:, 0], times, m) - np.bincount(table.ravel(), (times[:, None] * p).ravel(), m)
            for a in range(table.shape[1]):
                curvature += np.bincount(table[:, a] * (m + 1), times * p[:, a], m * m)
                for b in range(table.shape[1]):
                    curvature -= np.bincount(table[:, a] * m + table[:, b], times * p[:, a] * p[:, b], m * m)
        return Slope(value, gradient, curvature.reshape(m, m))

    def scores(theta: Array) -> Any:
        at, begin, entries = [], 0, []
        for table in options:
            p, _ = shares(theta, table)
            p = -p
            p[:, 0] += 1
            at.append((np.repeat(row[begin : begin + len(table)], table.shape[1]), table.ravel()))
            entries.append(p.ravel())
            begin += len(table)
        return np.concatenate(entries), *(np.concatenate([one[k] for one in at]) for k in (0, 1))

    return fit, scores


def davidson(preferences: Preferences) -> tuple[Callable[[Array], Slope], Callable[[Array], Any]]:
    """Return Davidson's likelihood, whose last parameter is log ν, and the scores (V, M + 1) of preferences."""
    m, pairs, tied = len(preferences.models), preferences.pairs(), preferences.tied
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    kind = np.where(tied, 2, (pairs[:, 0] != low).astype(np.intp))  # the lower, the higher, neither
    times = np.bincount((low * m + high) * 3 + kind, minlength=3 * m * m).reshape(-1, 3)
    there = np.flatnonzero(times.sum(axis=1))
    counts, (i, j) = times[there].astype(np.float64), np.divmod(there, m)
    given = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1.0]])  # of outcomes: derivatives of the log weight by θ_i, θ_j, log ν

    def shares(theta: Array, i: NDArray[np.intp], j: NDArray[np.intp]) -> tuple[Array, Array]:
        logs = np.stack([theta[i], theta[j], (theta[i] + theta[j]) / 2 + theta[m]], axis=1)
        top = logs.max(axis=1, keepdims=True)
        logs = logs - top - np.log(np.exp(logs - top).sum(axis=1, keepdims=True))
        return np.exp(logs), logs

    def fit(theta: Array) -> Slope:
        p, log_p = shares(theta, i, j)
        n, at = counts.sum(axis=1), (i, j, np.full(len(i), m))
        mean = p @ given
        rest = (counts @ given) - n[:, None] * mean
        gradient, curvature = np.zeros(m + 1), np.zeros((m + 1) ** 2)
        second = np.einsum("nk,ka,kb->nab", p, given, given) - mean[:, :, None] * mean[:, None, :]
        for a in range(3):
            gradient += np.bincount(at[a], rest[:, a], m + 1)
            for b in range(3):
                curvature += np.bincount(at[a] * (m + 1) + at[b], n * second[:, a, b], (m + 1) ** 2)
        return Slope(float((counts * log_p).sum()), gradient, curvature.reshape(m + 1, m + 1))

    def scores(theta: Array) -> Any:
        p, _ = shares(theta, low, high)
        entries = given[kind] - p @ given
        column = np.stack([low, high, np.full(len(low), m)], axis=1)
        return entries.ravel(), np.repeat(np.arange(len(low)), 3), column.ravel()

    return fit, scores


def maximum(fit: Callable[[Array], Slope], n: int) -> tuple[Array, Slope]:
    """Return the maximum; steps are halved while they lower the likelihood."""
    theta = np.zeros(n)
    now = fit(theta)
    for _ in range(MOST_STEPS):
        step = np.linalg.lstsq(now.curvature, now.gradient, rcond=1e-13)[0]  # differences alone are identified
        size = 1.0
        while True:
            then = fit(theta + size * step)
            if then.value >= now.value - 1e-12 * abs(now.value) or size < SMALL:
                break
            size /= 2
        theta = theta + size * step
        done = float(np.abs(size * step).max()) <= SMALL * max(1.0, float(np.abs(theta).max()))
        now = then
        if done:
            break
    else:
        notices.warn(f"the fit of strengths did not converge in {MOST_STEPS} steps", stacklevel=3)
    return theta, now
