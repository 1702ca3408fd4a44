"""Intervals over cases and annotators from parts: sums without each annotator, and sums of products of what cases add."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._base import notices
from .._base.arrays import Array
from .._base.checks import error, room
from .._base.identifiers import everyone
from ..resampling import Facts, Statistic, TwoWay
from ..resampling.spread import ONE_ANNOTATOR, SCALES, SINGLE_LABEL, Parts, Spread, few_annotators, labels_of_annotators
from ..resampling.two_way import record_of
from .sums import as_exact

MOST = 1500  # sums, those without each annotator among them, whose products are added up: 18 MB
STEP = 1e-4  # of a sum, for derivatives


def tables_of(one: Statistic, panel: Any) -> tuple[list[Any], dict[str, Array]]:
    """The annotators of all parts, and the tables of a part.

    ``labels`` (1 + A,): cases that count, and labels of each annotator; ``without`` (A + 1, S): the sums, and those without each
    annotator; ``products`` ((A + 1) S, (A + 1) S): of these, case by case.
    """
    known = one.annotations_by_name()
    names, at = everyone(known.annotators, panel, len(known.annotator) > 0)
    base = one.by_case()
    width = (len(names) + 1) * base.shape[1]
    if width > MOST:
        must = f"be so few that {MOST} sums say all ({base.shape[1]} for each of them, and for all together)"
        raise error("annotators", must, f"{len(names)} annotators")
    room("what cases add without each annotator", 16.0 * len(base) * width)
    every = [base] * (len(names) + 1)
    with notices.heard():
        for j, place in enumerate(at.tolist()):
            weights = np.ones(len(at))
            weights[j] = 0.0
            every[1 + place] = one.judged_by(weights).by_case()
    table = np.concatenate(every, axis=1)
    labels = np.zeros(1 + len(names))
    labels[0], labels[1 + at] = one.kept.sum(), labels_of_annotators(known, one.kept)
    products = np.einsum("ni,nj->ij", table, table, optimize=True)
    found = {"labels": labels, "without": table.sum(axis=0).reshape(len(names) + 1, -1), "products": products}
    return names, {f"two_way {name}": as_exact(one) for name, one in found.items()}


def two_way_of(one: Statistic, value: float, sums: Mapping[str, Array], names: list[Any], n_cases: int) -> TwoWay:
    """Of the first number, from tables of all cases."""
    (g, *sizes), without, products = (sums[f"two_way {name}"] for name in ("labels", "without", "products"))
    given, scale = np.array(sizes), one.scales[0]
    who, n_units = np.flatnonzero(given >= 2), int(g)
    singles = int((given == 1).sum())
    left_out = {SINGLE_LABEL: singles} if singles else {}
    numbers = one.answer(without)[:, 0]
    parts: Parts = (math.nan,) * 3
    reason = ONE_ANNOTATOR if len(who) < 2 else None
    for j in who.tolist():
        if reason is None and not math.isfinite(numbers[1 + j]):
            reason = f"undefined without annotator {names[j]!r}"
    if reason is None:
        found = _parts(one, numbers, without, products, given, who, n_units, scale)
        if not math.isfinite(sum(found)):
            slope = float(SCALES[scale].slope(np.float64(value)))
            plain = _parts(one, numbers, without, products, given, who, n_units, "identity")
            found = tuple(part * slope**2 for part in plain)  # type: ignore[assignment]
        parts = found
    cases, annotators, both = (np.array([[part]]) for part in parts)
    spread = Spread(cases, annotators, both, n_units, len(who), left_out, (reason,))
    facts = None
    if reason is None and value in one.span:
        facts = Facts(np.array([n_units]), np.array([one.span]), one.steps(without[0], n_cases)[:1])
    notes = () if reason else tuple(few_annotators(len(who)))
    return record_of(value, scale, one.span, spread, parts, reason, notes, facts)


def _parts(one: Statistic, numbers: Array, without: Array, products: Array, sizes: Array, who: Any, n_units: int, scale: str) -> Parts:
    total = without.ravel()
    centred = products - np.outer(total, total) / n_units
    width = without.shape[1]
    to, slope_at, _ = SCALES[scale]
    with np.errstate(all="ignore"):
        slopes, value = slope_at(numbers), to(numbers)

    def influence(row: int) -> Array:
        """((A + 1) S,) of the influence of cases as a sum over what they add."""
        found = np.zeros(len(total))
        found[row * width : (row + 1) * width] = slopes[row] * _gradient(one, without[row])
        return found

    share = sizes[who] / sizes.sum()
    odds, own = share / (1 - share), influence(0)
    change = np.stack([(own - influence(1 + j)) / odd for j, odd in zip(who.tolist(), odds)])
    correction, n = n_units / (n_units - 1) if n_units > 1 else math.nan, len(who)
    apart = (value[0] - value[1 + who]) / odds
    apart = apart - apart.mean()
    pairs = np.einsum("ai,ij,bj->ab", change, centred, change, optimize=True)
    both = (odds @ np.diag(pairs) - 2 / n * (odds @ pairs).sum() + odds.sum() / n**2 * pairs.sum()) / n
    cases = float(np.einsum("i,ij,j->", own, centred, own, optimize=True))
    return correction * cases, float(odds @ apart**2) / n, max(float(correction * both), 0.0)


def _gradient(one: Statistic, sums: Array) -> Array:
    """(S,) derivatives of the first number, by differences that are good to some 1e-11."""
    steps = STEP * np.maximum(np.abs(sums), np.abs(sums).max(initial=1.0) * STEP)
    moves = np.array([-2.0, -1.0, 1.0, 2.0])
    moved = sums + (moves[:, None, None] * np.diag(steps)).reshape(-1, len(sums))
    table = one.answer(moved)[:, 0].reshape(4, len(sums))
    return np.asarray((np.array([1.0, -8.0, 8.0, -1.0]) @ table) / (12 * steps))
