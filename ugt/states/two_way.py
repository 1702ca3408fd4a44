"""Intervals over cases and annotators from parts: sums without each annotator, and sums of products of the contributions of cases.

If there are few sums, their products are enough. If there are many (bins of scores or of predictions, tables of classes), a first round
gives the sums of all parts, with and without each annotator. The influence of each case can then be computed where the case is, and a
second round adds up products of influences only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int32, NDArray
from .._base.checks import error, room
from .._base.identifiers import everyone
from .._base.identifiers import name as name_of
from ..resampling import Design, Statistic, TwoWay, UnitFacts, few_clusters
from ..resampling import spread as of_spread
from ..resampling.slopes import gradient_of
from ..resampling.spread import (
    Parts,
    Spread,
    Stretch,
    alone_of,
    few_annotators,
    labels_of_annotators,
    one_alone,
    stretch_of,
    unevenness,
    with_shares,
)  # fmt: skip
from ..resampling.two_way_spreads import record_of
from .sums import as_exact, rounded

if TYPE_CHECKING:
    from .state import State

MOST = 1500  # sums, including those without each annotator, whose products are added up: 18 MB
SECOND = (
    "be of a second round, states.partial(..., given=merged), for intervals over annotators of so many sums (compute does so automatically)"
)
WHOLE = "be merged from the same parts as the given state, each once"

Found = Union["dict[str, TwoWay]", "tuple[str, str]"]  # by name; or what a state must be, and what it is


def panel_of(one: Statistic, panel: object, clusters: object) -> tuple[dict[str, Any], Int32]:
    """Return the settings of a part, and the positions of its annotators among those of all parts."""
    known = one.panel.annotations()
    names, at = everyone(known.annotators, panel, len(known.annotator) > 0)
    return {"panel": names} if clusters is None else {"panel": names, "units": "clusters"}, at


def tables_of(one: Statistic, n: int, at: Int32, units: NDArray[Any] | None, given: Array | None) -> dict[str, Array]:
    """Return the tables of a part, whose annotators are ``at`` these places of n; ``units``: (N,) clusters.

    ``given``: (A + 1, S) the sums of all parts, and those without each annotator, for a second round.
    ``labels`` (1 + A,): number of units that count, and of labels of each annotator; ``without`` (A + 1, S): the sums, and those without
    each annotator. Products over units: ``products`` of 1 and of all of these sums; or, in a second round, ``influence``
    (m, A + 2, A + 2) of 1 and of the influences on m numbers, and on these without each annotator.
    """
    each, own, panel = [one] * (n + 1), one.kept, one.panel
    with notices.heard():
        for j, place in enumerate(at.tolist()):
            weights = np.ones(len(at))
            weights[j] = 0.0
            each[1 + place] = panel.judged_by(weights)
    design = Design.of(int(own.sum()), None if units is None else units[own]) if own.any() else None
    labels = np.zeros(1 + n)
    labels[0] = 0 if design is None else np.count_nonzero(design.added_up(np.asarray(one.informative[own, None], np.float64)))
    labels[1 + at] = labels_of_annotators(panel.annotations(), one.informative)
    found = {"labels": labels, "without": np.concatenate([other.sums() for other in each])}

    def products(table: Array) -> Array:
        """Return the products (C + 1, C + 1) over units, of 1 and of their contributions."""
        placed = table[:0] if design is None else design.added_up(table[own])
        beside = np.concatenate([np.ones((len(placed), 1)), placed], axis=1)
        return np.asarray(np.einsum("ni,nj->ij", beside, beside, optimize=True))

    if _few(one, found["without"]):
        room("what cases add without each annotator", 16.0 * one.n_cases * found["without"].size)
        found["products"] = products(np.concatenate([_by_case(other) for other in each], axis=1))
    elif given is not None:
        with np.errstate(invalid="ignore", divide="ignore"):
            tables = np.stack([_influence_at(other, sums) for other, sums in zip(each, given)])
        found["influence"] = np.stack([products(np.nan_to_num(table)) for table in tables.transpose(2, 1, 0)])
    return {f"two_way {name}": as_exact(one) for name, one in found.items()}


def _few(one: Statistic, without: Array) -> bool:
    """Return whether products of the sums are enough."""
    return without.size <= MOST and one.merging.influence_at is None


def _by_case(one: Statistic) -> Array:
    """Return the contributions (N, S) of the cases to the sums; ValueError if sums do not consist of contributions of single cases."""
    by_case = one.merging.by_case
    if by_case is None:
        raise error("metric", "be one of sums over cases, for intervals of parts over annotators", type(one).__name__)
    return by_case()


def _influence_at(one: Statistic, sums: Array) -> Array:
    """Return the influence (N, m) of the cases on the first m numbers if all cases have these sums (S,), of which this is a part."""
    own = one.merging.influence_at
    return np.asarray(_by_case(one) @ gradient_of(one.answer, sums))[:, None] if own is None else own(sums)


def check_whole(parts: Iterable[Any]) -> None:
    """Refuse clusters that are in several parts; ``parts``: the ids of clusters of each."""
    seen: set[Any] = set()
    for number, ids in enumerate(parts):
        own = set(np.asarray(ids).tolist())
        if own & seen:
            must = "be whole in one part each if annotators are random (give parts=, or divide the data by cluster)"
            raise error("clusters", must, f"{name_of(min(own & seen, key=str))} in several", f"part {number}")
        seen |= own


def needs_second(state: State) -> bool:
    """Return whether intervals over annotators need another round over the parts."""
    return "two_way without" in state.sums and not {"two_way products", "two_way influence"} & state.sums.keys()


def facts_of(one: Statistic, state: State) -> dict[str, list[Any]]:
    """Return the facts of the first round that a second-round state records, and that must agree when all parts are merged."""
    labels, without = (rounded(state.sums)[f"two_way {name}"] for name in ("labels", "without"))
    numbers = one.answer(without)[:, 0].tolist()
    return {"labels": labels.tolist(), "numbers": [x if math.isfinite(x) else None for x in numbers]}


def two_ways_of(one: Statistic, answer: Array, state: State) -> Found:
    """Return the spreads of the first numbers (m,), by name, from tables of all cases."""
    if needs_second(state):
        return SECOND, f"one of a first round, of {state.n_cases} cases"
    given, found = state.settings.get("given"), facts_of(one, state)
    if given is not None and not _alike(given, found):
        return WHOLE, f"one of {found['labels'][0]:g} units and {sum(found['labels'][1:]):g} labels, of {sum(given['labels'][1:]):g}"
    sums = {name[8:]: table for name, table in rounded(state.sums).items() if name.startswith("two_way ")}
    with np.errstate(all="ignore"):
        tables = sums["influence"] if "influence" in sums else [_influence(one, sums["without"], sums["products"])]
    return {name: _two_way_of(one, m, float(answer[m]), sums, table, state) for m, (name, table) in enumerate(zip(one.names, tables))}


def _alike(given: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Return whether labels are the same, and numbers up to rounding."""
    before, now = (np.array(facts["numbers"], np.float64) for facts in (given, found))
    return given["labels"] == found["labels"] and np.allclose(before, now, rtol=1e-9, atol=1e-12, equal_nan=True)


def _influence(one: Statistic, without: Array, products: Array) -> Array:
    """Return the products (A + 2, A + 2) of 1 and of influences, from those of sums."""
    n, width = without.shape
    slopes = np.zeros((1 + n, 1 + n * width))
    slopes[0, 0] = 1.0
    for row, sums in enumerate(without):
        slopes[1 + row, 1 + row * width : 1 + (row + 1) * width] = gradient_of(one.answer, sums)
    return np.asarray(slopes @ products @ slopes.T)


def _two_way_of(one: Statistic, number: int, value: float, sums: Mapping[str, Array], table: Array, state: State) -> TwoWay:
    (g, *sizes), names, known = sums["labels"], list(state.settings["panel"]), one.facts
    given, n_units, span, scale = np.array(sizes), int(g), one.span, known.scale_of(number)
    who, singles = np.flatnonzero(given >= 2), int((given == 1).sum())
    left_out = {of_spread.SINGLE_LABEL: singles} if singles else {}
    numbers = one.answer(sums["without"])[:, number]
    reason = None if math.isfinite(numbers[0]) else of_spread.NOT_FINITE
    if len(who) < 2:
        reason = of_spread.ONE_ANNOTATOR if n_units or len(names) < 2 else of_spread.NO_CASE
    for j in who.tolist():
        if reason is None and not math.isfinite(numbers[1 + j]):
            reason = f"undefined without annotator {name_of(names[j])}"
    with np.errstate(all="ignore"):
        stretch = stretch_of(scale, span)
        parts, alone = _parts(numbers, table, given, who, n_units, stretch)
        if reason is not None:
            parts, alone = (parts[0], math.nan, math.nan), None
        elif not math.isfinite(sum(parts)):
            slope = float(stretch.slope(np.float64(value)))
            plain, alone = _parts(numbers, table, given, who, n_units, stretch_of("identity", span))
            parts = tuple(part * slope**2 for part in plain)  # type: ignore[assignment]
    cases, annotators, both = (np.array([[part]]) for part in parts)
    effective = unevenness(given[who] / given.sum())[1] if len(who) > 1 else math.nan
    spread = Spread(cases, annotators, both, n_units, len(who), left_out, (reason,), effective=effective)
    facts = None
    if reason is None and value in span:
        facts = UnitFacts(np.array([n_units]), np.array([span]), known.steps(sums["without"][0], state.n_cases)[[number]])
    few = few_clusters(n_units) if state.settings.get("units") == "clusters" else None
    who_alone = one_alone(None if alone is None else name_of(names[alone]))
    notes = (*few_annotators(len(who)), *([few] if few else []), *who_alone, *known.notes_of(number))
    return record_of(value, scale, span, spread, parts, reason, notes, facts)


def _parts(numbers: Array, table: Array, sizes: Array, who: Any, n_units: int, stretch: Stretch) -> tuple[Parts, Any]:
    """Return the variance parts, and the annotator who makes up nearly all of the spread, if one does."""
    to, slope_at, _ = stretch
    slopes, value = slope_at(numbers), to(numbers)
    centred = (table[1:, 1:] - np.outer(table[0, 1:], table[0, 1:]) / table[0, 0]) * np.outer(slopes, slopes)
    n, correction = len(who), n_units / (n_units - 1) if n_units > 1 else math.nan
    cases = correction * float(centred[0, 0])
    if n < 2:
        return (cases, math.nan, math.nan), None
    share = sizes[who] / sizes.sum()
    odds = share / (1 - share)
    apart = (value[0] - value[1 + who]) / odds
    apart = apart - apart.mean()
    change, own = np.concatenate([np.ones((n, 1)), -np.eye(n)], axis=1) / odds[:, None], np.append(0, 1 + who)
    pairs = change @ centred[np.ix_(own, own)] @ change.T
    both = (odds @ np.diag(pairs) - 2 / n * (odds @ pairs).sum() + odds.sum() / n**2 * pairs.sum()) / n
    (alone,) = alone_of((odds * apart**2)[:, None])
    parts = cases, float(odds @ apart**2) / n, max(float(correction * both), 0.0)
    return with_shares(parts, unevenness(share)[0]), None if alone is None else who[alone]
