"""Bounds of the accuracy against a latent class, whatever the model, with the uncertainty of the annotators' parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.identifiers import factorize
from .._base.laws import t_quantile
from .latent.confusions import FULL, LEVEL_OF_TEST, ONE, ConfusionFit, enough_for_full, fit_confusions, p_one_accuracy
from .latent.information import inverted, squared_scores
from .latent.rows import LabelRows
from .latent.skills import BIAS, Known, known
from .places import in_order

BOTH = "both"  # the name of both forms


class LatentBounds(NamedTuple):
    """The bounds with their interval, and the accuracy under independent errors with its interval; NaN with a ``reason``."""

    low: float = math.nan
    high: float = math.nan
    lower: float = math.nan
    upper: float = math.nan
    independent: tuple[float, float, float] = (math.nan, math.nan, math.nan)  # value and interval
    shares_errors: bool = False
    form: str = ""
    p_one_accuracy: float = math.nan
    n_groups: int = 0
    determined: bool = True
    one_law: bool = True
    reason: str = ""
    why_not_independent: str = ""


class Fitted(NamedTuple):
    """What all numbers need: the fit, its groups of rows, the choices of the model, and derivatives by the free parameters."""

    fit: ConfusionFit
    group: Int64  # (P,)
    chosen: Array  # (n, K) in the order of the plausibility
    plausible: Array  # (P, K) in the same order
    by_group: Array  # (D, G, K) derivative of the mean plausibility of each group
    of_independent: Array  # (D,) derivative of the accuracy under independent errors
    independent: tuple[float, Array]  # its value and (n,) influences with the parameters taken as known
    influence: Array  # (P, D) of a case on the parameters


def forms_of(rows: LabelRows, form: str) -> tuple[list[ConfusionFit], float]:
    """Return the fits whose hull is the interval, the simpler one last, and the p-value of one accuracy, NaN with too few cases.

    ``"auto"`` takes both forms unless one accuracy is refuted; with too few cases, one accuracy.
    """
    enough = enough_for_full(rows)
    first = (FULL if enough else ONE) if form == "auto" else form
    fit = fit_confusions(rows, first)
    if not enough:
        return [fit], math.nan
    other = fit_confusions(rows, ONE if first == FULL else FULL)
    p_value = p_one_accuracy(*((fit, other) if first == FULL else (other, fit)))
    return [fit] if form != "auto" or p_value < LEVEL_OF_TEST else [fit, other], p_value


def known_of(fits: Sequence[ConfusionFit]) -> Known:
    """Return whether fits carry a statement, with the largest relative error of the annotators' accuracies."""
    if any(one.swapped for one in fits):
        return Known("the annotators agree no better than by chance with the fitted classes, so these have no names")
    each = [known(one) for one in fits]
    return Known(next((one.reason for one in each if one.reason), ""), max(one.share for one in each))


def latent_bounds(rows: LabelRows, chosen: Array, form: str, least: int, level: float) -> LatentBounds:
    """Return the bounds for the choices (n, K) of a model, as the hull over the fits of :func:`forms_of`; ``least``: cases per group."""
    fits, p_value = forms_of(rows, form)
    reason, share = known_of(fits)
    if reason:
        return LatentBounds(form=fits[0].form, p_one_accuracy=p_value, determined=False, reason=reason)
    found, *others = (_of_fit(fit, chosen, least, level)._replace(p_one_accuracy=p_value) for fit in fits)
    for beside in others:
        ends = found.independent[1:], beside.independent[1:]
        found = found._replace(
            low=min(found.low, beside.low), high=max(found.high, beside.high),
            independent=(found.independent[0], min(low for low, _ in ends), max(high for _, high in ends)),
            shares_errors=found.shares_errors and beside.shares_errors, form=BOTH,
        )  # fmt: skip
    return _told(found, share)


def _told(found: LatentBounds, share: float) -> LatentBounds:
    """Return the bounds with an accuracy under independent errors that says something, no end beyond 0 and 1 but the value itself.

    ``share``: relative error of the annotators' accuracies, of which plausibilities are too sure; the interval is wider for it.
    """
    value, low, high = found.independent
    low, high = low - BIAS * share**2, high + BIAS * share**2
    if high - low <= 1:
        return found._replace(independent=(value, min(max(low, 0.0), value), max(min(high, 1.0), value)))
    reason = "the labels hardly distinguish the classes" if math.isnan(value) else "its interval is wider than 1"
    return found._replace(independent=(math.nan, math.nan, math.nan), shares_errors=False, why_not_independent=reason)


def _of_fit(fit: ConfusionFit, chosen: Array, least: int, level: float) -> LatentBounds:
    one = _fitted(fit, chosen, least)
    rows, z = fit.rows, float(t_quantile(np.inf if fit.rows.cluster is None else fit.rows.n_units - 1, 0.5 + level / 2))
    (low, sd_low, moved_low), (high, sd_high, moved_high) = _ends(one)
    n = math.sqrt(len(chosen))
    top = 1.0 if high + math.sqrt(math.log(rows.n_units)) * sd_high / n >= 1 else high + z * sd_high / n
    value, own = one.independent
    psi = own + (one.influence @ one.of_independent)[fit.rows.row]
    error = _sd(rows, psi) / n
    # the accuracy under independent errors, outside of a bound by more than two standard errors of their difference
    outside = value - high > 2 * _sd(rows, psi - moved_high) / n or low - value > 2 * _sd(rows, psi - moved_low) / n
    return LatentBounds(
        max(0.0, low - z * sd_low / n), min(1.0, math.ceil(100 * top - 1e-9) / 100), *_plain_ends(one),
        (value, value - z * error, value + z * error), bool(outside), fit.form, n_groups=int(one.group.max()) + 1,
    )  # fmt: skip


def _sd(rows: LabelRows, psi: Array) -> float:
    """Return the standard error of a mean with these influences (n,), times √n."""
    return float(np.sqrt((rows.sums_of_units(psi) ** 2).sum() / len(psi)))


def row_groups(fit: ConfusionFit, least: int) -> Int64:
    """Return the group of each row: alike numbers of labels, merged by their mean highest plausibility up to ``least`` cases."""
    times, code = fit.rows.times, factorize(np.sort(fit.rows.counts, axis=1))[0]
    size, top = (np.bincount(code, times * one) for one in (np.ones(len(times)), fit.posterior.max(axis=1)))
    place, held = np.empty(len(size), np.int64), [0.0]
    for j in np.argsort(top / size, kind="stable"):
        if held[-1] >= least:
            held.append(0.0)
        place[j] = len(held) - 1
        held[-1] += size[j]
    if held[-1] < least and len(held) > 1:
        place[place == len(held) - 1] = len(held) - 2
    return place[code]


def _fitted(fit: ConfusionFit, chosen: Array, least: int) -> Fitted:
    rows, pi = fit.rows, fit.posterior
    group = row_groups(fit, least)
    order = np.argsort(-pi, axis=1, kind="stable")
    plausible = np.take_along_axis(pi, order, axis=1)
    own = in_order(pi[rows.row], chosen)[1]
    size = np.bincount(group, rows.times)
    choice = np.stack([np.bincount(rows.row, column, len(pi)) for column in chosen.T], axis=1)  # (P, K) summed over cases
    n, squared = rows.n_cases, pi.T @ (pi * rows.times[:, None])
    solve = np.linalg.pinv(squared)
    a, mean = solve @ (pi.T @ choice), (pi * rows.times[:, None]).sum(axis=0) / n
    scores, by_group, of_independent = [], [], []
    for direction in fit.directions():
        score = (pi * direction).sum(axis=1)
        step = pi * (direction - score[:, None])
        placed, weighted = np.take_along_axis(step, order, axis=1) * rows.times[:, None], step * rows.times[:, None]
        scores.append(score)
        by_group.append(np.stack([np.bincount(group, column, len(size)) for column in placed.T], axis=1) / size[:, None])
        crossed = weighted.T @ pi
        of_a = solve @ (step.T @ choice - (crossed + crossed.T) @ a)
        of_independent.append(weighted.sum(axis=0) / n @ np.diag(a) + mean @ np.diag(of_a))
    table = np.array(scores).reshape(-1, len(pi)).T
    inverse = inverted(squared_scores(table, rows.times))[0]
    influence = n * table @ inverse
    value = float(mean @ np.diag(a))
    each = pi[rows.row]
    psi = each @ np.diag(a) - value + n * ((each @ solve) * mean * (chosen - each @ a)).sum(axis=1)
    # a class near which no case lies has no row of its own in A
    value = value if np.linalg.matrix_rank(squared, tol=1e-9 * n) == len(squared) else math.nan
    shaped = np.array(by_group).reshape(-1, len(size), pi.shape[1])
    return Fitted(fit, group, own, plausible, shaped, np.array(of_independent), (value, psi), influence)


def _means(one: Fitted) -> tuple[Array, Array, Array]:
    """Return (G,) cases and (G, K) mean plausibilities and choices of each group."""
    rows, group = one.fit.rows, one.group[one.fit.rows.row]
    size = np.bincount(group).astype(np.float64)
    tables = one.plausible[rows.row], one.chosen
    return size, *(np.stack([np.bincount(group, c) for c in t.T], axis=1) / size[:, None] for t in tables)  # type: ignore[return-value]


def _plain_ends(one: Fitted) -> tuple[float, float]:
    size, p, q = _means(one)
    share = size / size.sum()
    return float(share @ np.maximum(0.0, p + q - 1).sum(axis=1)), float(share @ np.minimum(p, q).sum(axis=1))


def _ends(one: Fitted) -> list[tuple[float, float, Array]]:
    """Return value, standard deviation and (n,) influences of the lower and of the upper bound, after undecided kinks went outwards."""
    of, n = one.fit.rows.row, len(one.chosen)
    group, kappa = one.group[of], math.sqrt(math.log(one.fit.rows.n_units))
    size, p, q = _means(one)
    share, case = size / n, one.plausible[of]
    kept, smaller, undecided = np.zeros(p.shape, bool), p < q, np.zeros(len(p), bool)
    both, gap = case + one.chosen, case - one.chosen
    for g, moved in enumerate(one.by_group.transpose(1, 0, 2)):
        inside, by_parameters = group == g, (one.influence @ moved)[of]
        kept[g] = p[g] + q[g] - 1 > kappa * _error(one.fit.rows, both, inside, by_parameters)
        undecided[g] = (np.abs(p[g] - q[g]) <= kappa * _error(one.fit.rows, gap, inside, by_parameters)).all()
    lower = np.where(kept[group], case + one.chosen - 1, 0.0).sum(axis=1)
    upper = np.where(undecided[group], 1.0, np.where(smaller[group], case, one.chosen).sum(axis=1))
    found = []
    for each, counts in ((lower, kept), (upper, smaller & ~undecided[:, None])):
        by_parameters = (one.influence @ np.einsum("g,gk,dgk->d", share, counts, one.by_group))[of]
        psi = each - each.mean() + by_parameters
        found.append((float(each.mean()), _sd(one.fit.rows, psi), psi))
    return found


def _error(rows: LabelRows, each: Array, inside: Bools, by_parameters: Array) -> Array:
    """Return (K,) standard errors of means over the cases of a group; ``by_parameters`` (n, K): the part of the annotators' parameters."""
    n, own = len(each), inside.sum()
    psi = by_parameters.copy()
    psi[inside] += (each[inside] - each[inside].mean(axis=0)) * (n / own)
    units = own if rows.cluster is None else len(np.unique(rows.cluster[inside]))
    return np.asarray(np.sqrt((rows.sums_of_units(psi) ** 2).sum(axis=0) / n**2 + 0.25 / units**2))
