"""Two steps: latent classes from the annotators alone, then a model that errs independently of them given the class."""

from __future__ import annotations

import numpy as np

from ..._base.arrays import Array, Int64
from .fitting import ClassFit
from .numbers import UNKNOWN, Number, degrees

LEAST_CASES = 1.0  # expected cases of a class with which a recall is defined
LEAST_OF_GROUP, NEARLY_SURE = 50, (0.05, 0.95)  # cases of a group in bounds of the AUROC; probabilities across which none is merged
LEAST_EIGENVALUE = 1e-9  # of the mean products of the posterior


def two_steps(fit: ClassFit, chosen: Array) -> tuple[dict[str, Number], Array]:
    """Return accuracy and recalls ("recall 0" to K - 1), and the (K, K) shares of choices given the class; ``chosen`` (N, K)."""
    pi, times, row = fit.posterior, fit.rows.times, fit.rows.row
    k, n = pi.shape[1], fit.rows.n_cases
    squared = (pi * times[:, None]).T @ pi
    if np.linalg.eigvalsh(squared)[0] <= LEAST_EIGENVALUE * n:
        return dict.fromkeys(["accuracy", *(f"recall {t}" for t in range(k))], UNKNOWN), np.full((k, k), np.nan)
    inverse = np.linalg.inv(squared)
    said: Array = np.stack([np.bincount(row, column, len(times)) for column in chosen.T], axis=1).astype(np.float64)
    a = inverse @ pi.T @ said
    right, shares = np.diag(a), times @ pi / n
    accuracy = float(shares @ right)
    own = (pi @ inverse)[row] * (chosen - (pi @ a)[row])  # (N, K) influences of the recalls
    of_accuracy = own @ shares + ((pi @ right)[row] - accuracy) / n
    by_recall, by_accuracy = _slopes(fit, inverse, said, a)
    annotators = (fit.score @ fit.covariance)[row]
    own = own + annotators @ by_recall.T
    of_accuracy = of_accuracy + annotators @ by_accuracy
    enough = times @ pi >= LEAST_CASES
    df = degrees(fit)
    found = {"accuracy": Number(accuracy, spread(fit, of_accuracy), df, _scale(accuracy))}
    for t in range(k):
        found[f"recall {t}"] = Number(float(right[t]), spread(fit, own[:, t]), df, _scale(right[t])) if enough[t] else UNKNOWN
    return found, a


def _scale(value: float) -> str:
    return "logit" if value > 0.9 else "identity"


def spread(fit: ClassFit, influence: Array) -> float:
    """Return the standard error of a number with these influences (N,) of cases, whose sums within clusters count."""
    return float(np.sqrt(np.sum(fit.rows.sums_of_units(influence) ** 2)))


def _slopes(fit: ClassFit, inverse: Array, said: Array, a: Array) -> tuple[Array, Array]:
    """Return (K, q) and (q,) the derivatives of the recalls and of the accuracy by the parameters of the annotators."""
    pi, times, moved = fit.posterior, fit.rows.times, fit.moved
    errors = said - times[:, None] * (pi @ a)  # (P, K)
    # d A = (Π'Π)⁻¹ (dΠ' (Y - Π A) - Π' dΠ A), of which the diagonal is needed
    first = np.einsum("ts,spq,pt->tq", inverse, moved, errors)
    second = np.einsum("pt,spq,st->tq", (pi * times[:, None]) @ inverse, moved, a)
    by_recall = first - second
    shares = times @ pi / fit.rows.n_cases
    by_share = np.einsum("p,spq->sq", times, moved) / fit.rows.n_cases
    return by_recall, shares @ by_recall + np.diag(a) @ by_share


def signed_auroc(fit: ClassFit, scores: Array) -> Number:
    """Return the AUROC of scores (N,) against the latent class, by weights with a sign.

    With ``W = [w, 1 - w]`` and ``[a1 a0] = W (W'W)⁻¹`` it is ``Σ_ij a1_i a0_j (1[s_i > s_j] + ½ 1[s_i = s_j])``.
    """
    w = fit.posterior[:, 1]
    row, times = fit.rows.row, fit.rows.times
    both = np.stack([w, 1 - w], axis=1)
    squared = (both * times[:, None]).T @ both
    positives = float(times @ w)
    if np.linalg.eigvalsh(squared)[0] <= LEAST_EIGENVALUE * times.sum() or not LEAST_CASES < positives < times.sum() - LEAST_CASES:
        return UNKNOWN
    inverse = np.linalg.inv(squared)
    weights = (both @ inverse)[row]  # (N, 2): a1 and a0
    below, above = _beside(scores, weights[:, 0], weights[:, 1])
    value = float(weights[:, 0] @ below)
    sums = both[row].T @ np.stack([below, above], axis=1)  # (2, 2)
    left = np.stack([below, above], axis=1) - (both @ inverse @ sums)[row]
    influence = (weights * left).sum(axis=1)
    slope = _by_weight(inverse, weights, both[row], below, above, sums)
    of_parameters = np.bincount(row, slope, len(times)) @ fit.moved[1]
    influence = influence + (fit.score @ (fit.covariance @ of_parameters))[row]
    own = spread(fit, influence)
    scale = "identity" if value + 2 * own > 1 else "logit"
    return Number(value, own, min(max(positives - 1, 1e-9), degrees(fit)), scale)


def bounds_of_auroc(fit: ClassFit, scores: Array) -> Array:
    """Return the lowest and the highest AUROC of scores (N,) whatever they have to do with the labels: sharp for each group.

    In each group of cases with like probabilities w, the Σ w positives have the lowest or the highest scores. Groups with fewer than
    ``LEAST_OF_GROUP`` cases are merged with their neighbours, but never across the ends of ``NEARLY_SURE``.
    """
    w, times, row = fit.posterior[:, 1], fit.rows.times, fit.rows.row
    group = _groups_alike(w, times)[row]
    positives = np.bincount(group, w[row])
    if not LEAST_CASES < positives.sum() < len(row) - LEAST_CASES:
        return np.full(2, np.nan)
    found = []
    for order in (np.lexsort([scores, group]), np.lexsort([-scores, group])):
        size = np.bincount(group, minlength=len(positives))
        rank = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
        p = np.empty(len(order))
        p[order] = np.clip(positives[group[order]] - rank, 0, 1)
        below = _beside(scores, p, 1 - p)[0] - 0.5 * (1 - p)  # a case is not compared with itself
        found.append(p @ below / (p.sum() * (1 - p).sum() - p @ (1 - p)))
    return np.array(found)


def _groups_alike(w: Array, times: Array) -> Int64:
    """Return the group of each row: rows of like w, merged up to a least number of cases between nearly sure ones."""
    group, held = np.empty(len(w), np.int64), [0.0]
    part = np.searchsorted(np.array(NEARLY_SURE), w)
    before = -1
    for i in np.argsort(w, kind="stable"):
        if (held[-1] >= LEAST_OF_GROUP or part[i] != before) and before >= 0:
            held.append(0.0)
        group[i], before = len(held) - 1, part[i]
        held[-1] += times[i]
    for g in range(len(held) - 1, 0, -1):  # the last group of a part may be small
        if held[g] < LEAST_OF_GROUP and part[group == g].max() == part[group == g - 1].max():
            group[group >= g] -= 1
            held[g - 1] += held[g]
    return np.unique(group, return_inverse=True)[1].reshape(-1)


def _by_weight(inverse: Array, weights: Array, both: Array, below: Array, above: Array, sums: Array) -> Array:
    """Return (N,) the derivative of the AUROC by the probability w of each case."""
    e = np.array([1.0, -1.0])
    found = np.zeros(len(both))
    for c, v in enumerate((below, above)):
        h = inverse @ sums[:, c]
        found += v * (e @ inverse[:, c]) - (h @ e) * weights[:, c] - (both @ h) * (e @ inverse[:, c])
    return found


def _beside(scores: Array, a1: Array, a0: Array) -> tuple[Array, Array]:
    """Return (N,) Σ_j a0_j k(s_i, s_j) and Σ_j a1_j k(s_j, s_i) with k = 1[first > second] + ½ 1[equal]."""
    distinct, at = np.unique(scores, return_inverse=True)
    at = at.reshape(-1)
    own0, own1 = np.bincount(at, a0, len(distinct)), np.bincount(at, a1, len(distinct))
    below, above = np.cumsum(own0) - 0.5 * own0, own1.sum() - np.cumsum(own1) + 0.5 * own1
    return below[at], above[at]
