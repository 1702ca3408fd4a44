"""The spread of a number over other cases and other annotators of the same groups, where annotators of groups share no case."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools, Int64
from .._base.ragged import row_of
from ..annotations.other_annotators import case_offsets
from .blocks import WithinGroups
from .counted import NotAlike
from .design import Design
from .panel_interval import PanelSpread
from .spread import (
    NOT_FINITE,
    RANDOM,
    Parts,
    few_annotators,
    labels_of_annotators,
    slope_at,
    stretch_of,
    total_of,
    unevenness,
    with_shares,
)  # fmt: skip
from .statistic import Statistic
from .student import TIE, Units
from .two_ways import TwoWay

ONE_READER = "a group has fewer than two annotators with two labels or more, who do not show how annotators differ"
ONE_CASE = "a group has only one case, or cluster of cases"
AT_END = "the number is at the end of its range"
UNKNOWN = "how single cases move the number is unknown"
UNDEFINED = "undefined without one of the annotators of a group"


class Unlinked(NamedTuple):
    """The kept cases of a group, and the annotators with two labels or more who gave most of their labels there."""

    cases: Int64
    design: Design  # of these cases
    annotators: Int64
    sizes: Array  # labels of each

    @property
    def n_units(self) -> int:
        """The number of units of the cases."""
        return self.design.n_units

    def centred(self, psi: Array, kept: Bools) -> Array:
        """Return the influences (G,) of the units, from those (n,) of the cases less their mean over cases that are kept."""
        own = np.where(kept, psi - psi[kept].mean(), 0.0)
        return self.design.added_up(own[:, None])[:, 0]


def these_groups(one: Statistic, number: int, design: Design, groups: Int64) -> TwoWay:
    """Return the spread of a number over other cases and annotators of the same groups (n,) of the kept cases.

    With the share a_s of a group and its own number θ_s, θ = Σ a_s θ_s varies by the sums over groups of a_s² V_c,s, a_s² V_a,s and
    a_s² V_e,s. These are computed from changes of θ: panels are drawn of the annotators of one group at a time, or one of them is left
    out. So they are also known, to first order, of numbers that are no means over cases.
    """
    value, facts = float(one.estimate[number]), one.facts
    scale, span = facts.scale_of(number), (float(facts.spans[number, 0]), float(facts.spans[number, 1]))
    found, influence = _groups(one, design, groups), one.influence()
    at_end = scale != "identity" and min(abs(value - end) for end in span) <= TIE
    reason = NOT_FINITE if not math.isfinite(value) else AT_END if at_end else UNKNOWN if influence is None else _reason(found)
    parts, one_by_one, even = np.full((3, 1), math.nan), False, np.full(1, math.nan)
    if influence is not None and reason is None:
        even = np.array([unevenness(group.sizes / group.sizes.sum())[1] for group in found])
        with notices.heard(), np.errstate(all="ignore"):
            each = _over_panels(one, number, design, found)
            one_by_one = each is None
            parts = np.array(_leaving_out(one, number, found, influence) if each is None else each).T
            parts[0] = [_of_cases(group, influence[group.cases, number]) for group in found]
        reason = None if np.isfinite(parts).all() else UNDEFINED
    spread, slope = WithinGroups(parts, np.array([group.n_units for group in found], float), even, one_by_one), slope_at(scale, span, value)
    cases, annotators, both = (parts.sum(axis=1) * slope**2).tolist()
    total, n = float(total_of(cases, annotators, both)), sum(len(group.annotators) for group in found)
    units = Units.of(one, one.kept, design).take([number]) if facts.smooth and reason is None else None
    return TwoWay(
        value, scale, dict(zip((*RANDOM, "both"), (cases, annotators, both))), total, math.sqrt(total) / slope if slope else math.nan,
        math.nan if reason else spread.df((cases, annotators, both)), design.n_units, n, {}, reason,
        () if reason else (*few_annotators(n), *facts.notes_of(number)), _spread=spread, _span=span,
        _cases=None if units is None else units.jackknifed(one.estimate[[number]]),
    )  # fmt: skip


def _groups(one: Statistic, design: Design, groups: Int64) -> list[Unlinked]:
    """Return the groups; an annotator is of the group with most of the annotator's labels."""
    known, kept = one.panel.annotations(), one.kept
    row, n = row_of(case_offsets(known)), int(groups.max()) + 1
    used = kept[row] & (known.annotator >= 0)
    of_label = groups[(np.cumsum(kept) - 1)[row[used]]]
    pair, times = np.unique(known.annotator[used].astype(np.int64) * n + of_label, return_counts=True)
    pair = pair[np.argsort(times, kind="stable")]
    sizes, main = labels_of_annotators(known, one.informative), np.full(len(known.annotators), -1, np.int64)
    main[pair // n] = pair % n  # of several the last, which is the largest
    main[sizes < 2] = -1
    cases, annotators = (np.split(order, ends) for order, ends in (_sorted(groups, n), _sorted(main, n)))
    rows, unit = np.flatnonzero(kept), design.place_of_case
    return [
        Unlinked(rows[at], Design.of(len(at), None if design.plain else unit[at]), who, sizes[who])
        for at, who in zip(cases[1:], annotators[1:])
    ]


def _sorted(group: Int64, n: int) -> tuple[Int64, Int64]:
    """Return places by group, and where each of n groups begins; those without a group, -1, come first."""
    order = np.argsort(group, kind="stable")
    return order, np.searchsorted(group[order], np.arange(n))


def _reason(found: list[Unlinked]) -> str | None:
    if min(group.n_units for group in found) < 2:
        return ONE_CASE
    return ONE_READER if min(len(group.annotators) for group in found) < 2 else None


def _of_cases(group: Unlinked, psi: Array) -> float:
    """Return what a group adds to V_c."""
    n = group.n_units
    return n / (n - 1) * float((group.centred(psi, np.ones(len(psi), bool)) ** 2).sum())


def _over_panels(one: Statistic, number: int, design: Design, found: list[Unlinked]) -> list[Parts] | None:
    """Return what groups add to the parts, from panels of their annotators; None if the number is not known for panels.

    The influences of panels vary also because the whole group is above or below the others, which is no noise of labels.
    """
    counted, kept, span = one.panel.counted(number), one.kept, tuple(one.facts.spans[number].tolist())
    if counted is None or counted.pairs:
        return None
    parts = []
    for group in found:
        own = counted.of_annotators(group.annotators)
        panels = own.panels
        if panels.too_many or panels.n_annotators < 2:
            return None
        try:
            over = own.over(kept, design, stretch_of("identity", span), span)
        except NotAlike:
            return None
        spread = PanelSpread.of(over, panels, panels.taken_out(kept), group.n_units, panels.effective(kept))
        share = len(group.cases) / np.count_nonzero(kept)
        between = (1 - share) * float(spread.p @ (spread.values - spread.mean) ** 2) / group.n_units
        noise = max(1 - between / over.both, 0.0) if over.both > 0 else 0.0
        parts.append((0.0, spread.between, spread.both * noise))
    return parts


def _leaving_out(one: Statistic, number: int, found: list[Unlinked], influence: Array) -> list[Parts]:
    """Return what groups add to the parts, from leaving out each of their annotators."""
    theta, parts = float(one.estimate[number]), []
    for group in found:
        n, at, share = group.n_units, group.cases, group.sizes / group.sizes.sum()
        odds, psi = share / (1 - share), group.centred(influence[at, number], np.ones(len(at), bool))
        values, moved = zip(*(_without(one, number, group, j) for j in group.annotators.tolist()))
        pseudo, change = (theta - np.array(values)) / odds, (psi - np.array(moved)) / odds[:, None]
        apart, noise = pseudo - pseudo.mean(), change - change.mean(axis=0)
        both = n / (n - 1) * float(odds @ (noise**2).sum(axis=1)) / len(odds)
        parts.append(with_shares((0.0, float(odds @ apart**2) / len(odds), both), unevenness(share)[0]))
    return parts


def _without(one: Statistic, number: int, group: Unlinked, j: int) -> tuple[float, Array]:
    """Return a number without an annotator of a group, and the influences (G,) within the group, which keeps its share of the cases.

    Cases that are of no use without the annotator count as the mean of the others of the group; NaN if none is left.
    """
    weights = np.ones(len(one.panel.annotations().annotators))
    weights[j] = 0.0
    without = one.panel.judged_by(weights)
    influence, kept, at = without.influence(), without.kept, group.cases
    assert influence is not None
    here, own = kept[at], influence[at, number]
    n, n_left = len(at), int(np.count_nonzero(here))
    if not n_left:
        return math.nan, np.full(group.n_units, math.nan)
    whole = int(np.count_nonzero(kept)) / int(np.count_nonzero(one.kept))
    value = float(without.estimate[number]) + whole * (n / n_left - 1) * float(own.sum())
    return value, whole * n / n_left * group.centred(own, here)
