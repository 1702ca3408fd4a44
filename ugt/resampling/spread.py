"""The variance of numbers over cases and annotators, and the notes on intervals that depend on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools
from .._base.checks import error
from .._base.identifiers import name
from .._base.laws import t_quantile
from .._base.notes import Note
from .._base.ragged import row_of
from ..annotations.other_annotators import case_offsets
from .design import Design
from .jackknife import left_out_influence
from .panel import UNNAMED, Changes, Without
from .ratios import over
from .statistic import Statistic

RANDOM = ("cases", "annotators")
FEW_ANNOTATORS = 5
ALONE = 0.95  # of the largest share of the spread between annotators that one of n can have, (n - 1) / n
ONE_ANNOTATOR = "one annotator does not show how annotators differ"
NO_CASE, NOT_FINITE, ONE_UNIT = (
    "no case is left",
    "the number is not finite",
    "fewer than two cases, or clusters of cases, have annotations",
)
SINGLE_LABEL = "annotator with a single label (not left out)"


Parts = tuple[float, float, float]


class Stretch(NamedTuple):
    """A monotone function of a number, its derivative and its inverse."""

    to: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    back: Callable[[Array], Array]


SCALES: Mapping[str, Stretch] = {
    "identity": Stretch(lambda x: x, np.ones_like, lambda y: y),
    "log": Stretch(np.log, lambda x: 1 / x, np.exp),
    "logit": Stretch(lambda x: np.log(x / (1 - x)), lambda x: 1 / (x * (1 - x)), lambda y: 1 / (1 + np.exp(-y))),
    "complement": Stretch(lambda x: np.log(1 - x), lambda x: -1 / (1 - x), lambda y: 1 - np.exp(y)),
}


def stretch_of(scale: str, span: Any) -> Stretch:
    """Return the function of a scale for numbers in a range (low, high); a logit is that of the share of a finite range."""
    one, (low, high) = SCALES[scale], map(float, span)
    if scale != "logit" or (low, high) == (0.0, 1.0) or not math.isfinite(high - low):
        return one
    width = high - low
    return Stretch(lambda x: one.to((x - low) / width), lambda x: one.slope((x - low) / width) / width, lambda y: low + width * one.back(y))


def slope_at(scale: str, span: Any, value: float) -> float:
    """Return the absolute slope of a scale at a number."""
    with np.errstate(all="ignore"):
        return abs(float(stretch_of(scale, span).slope(np.float64(value))))


def with_annotators(random: object) -> bool:
    """Return whether annotators are random, too; cases always are."""
    given = (random,) if isinstance(random, str) else tuple(random) if isinstance(random, (tuple, list, set, frozenset)) else ()
    if "cases" not in given or not set(given) <= set(RANDOM):
        raise error("random", "be ('cases',) or ('cases', 'annotators')", repr(random))
    return "annotators" in given


class Spread(NamedTuple):
    """The parts of the covariance (M, M) of M numbers, each on its scale; NaN if there is none."""

    cases: Array
    annotators: Array
    both: Array
    n_units: int
    n_annotators: int
    left_out: Mapping[str, int]
    reasons: tuple[str | None, ...]  # for each number, the reason if there is no interval
    alone: tuple[str | None, ...] = ()  # for each number, the annotator who makes up nearly all of the spread between annotators
    times: float = 1.0  # see :func:`unevenness`
    effective: float = math.nan  # annotators with even shares of the labels who would give as many degrees of freedom

    def of(self, weights: Array) -> Parts:
        """Return the parts of the variance of a weighted sum (M,) of the numbers."""
        at = np.flatnonzero(weights)  # the others may be undefined
        cases, annotators, both = (float(weights[at] @ part[np.ix_(at, at)] @ weights[at]) for part in self[:3])
        return with_shares((cases, annotators, max(both, 0.0)), self.times)

    def half_width(self, parts: Parts, q: float) -> float:
        """Return the half-width of the interval whose upper end is the quantile q; NaN for fewer than two annotators or units."""
        return float(half_width_of(*parts, self.n_units, self.effective, q))

    def df(self, parts: Parts) -> float:
        """Return Satterthwaite's degrees of freedom."""
        return float(df_of(*parts, self.n_units, self.effective))


def total_of(cases: Any, annotators: Any, both: Any) -> Array:
    """Return V = max(V_c + V_a - V_e, V_c, V_a)."""
    return np.asarray(np.maximum(cases + annotators - both, np.maximum(cases, annotators)))


def df_of(cases: Any, annotators: Any, both: Any, n_units: object, n_annotators: object) -> Array:
    """Return Satterthwaite's degrees of freedom of V; NaN if it is 0, and for fewer than two annotators or units."""
    g, r = np.asarray(n_units) - 1.0, np.asarray(n_annotators) - 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        found = total_of(cases, annotators, both) ** 2 / (cases**2 / g + annotators**2 / r + both**2 / (g * r))
        return np.asarray(np.where((g > 0) & (r > 0), found, np.nan))


def half_width_of(cases: Any, annotators: Any, both: Any, n_units: Any, n_annotators: Any, q: float) -> Array:
    """Return the half-width up to the quantile q of Student's law with these degrees of freedom, or a wider one.

    That is Banerjee's (1960), which is never below that of cases alone, or that of annotators alone, t of R - 1 degrees of freedom.
    """
    df = df_of(cases, annotators, both, n_units, n_annotators)
    of_annotators, of_units = (np.where(n > 1, n - 1.0, np.nan) for n in map(np.asarray, (n_annotators, n_units)))
    own = np.maximum(annotators - both, 0.0)
    return widest((cases, annotators, both), own, (df, of_units, of_annotators, of_annotators), q)


def widest(parts: tuple[Any, Any, Any], own: Any, degrees: Sequence[Any], q: float) -> Array:
    """Return the largest half-width from V_c, V_a and V_e; ``own``: V_a beyond V_e.

    ``degrees``: those of freedom of the total, of V_c, of V_a, and of ``own``.
    """
    cases, annotators, _ = parts
    total = total_of(*parts)
    with np.errstate(invalid="ignore"):
        of_total, of_cases, of_annotators, of_own = (t_quantile(each, q) for each in degrees)
        banerjee = np.sqrt(of_own**2 * own + of_cases**2 * np.maximum(cases, annotators - own))
        least = np.maximum(banerjee, of_annotators * np.sqrt(annotators))
        return np.asarray(np.where(total == 0, least, np.maximum(of_total * np.sqrt(total), least)))


def spread_of(one: Statistic, at: Sequence[int], scales: Sequence[str], design: Design | None) -> Spread:
    """Return the spread of the numbers ``at`` these places: see :class:`TwoWay`."""
    stretches = [stretch_of(scale, span) for scale, span in zip(scales, one.facts.spans[list(at)])]
    panel, columns, kept = one.panel, list(at), one.kept
    known = panel.annotations()
    sizes, m = labels_of_annotators(known, one.informative), len(columns)
    nothing = np.full((m, m), math.nan)
    if design is None:
        alone = np.count_nonzero(labels_of_annotators(known, ~kept)) < 2
        return Spread(nothing, nothing, nothing, 0, 0, {}, (ONE_ANNOTATOR if alone else NO_CASE,) * m)
    who, n_units = np.flatnonzero(sizes >= 2), one.facts.n_annotated(kept, design)
    n, left_out = len(who), {}
    if (sizes == 1).any():
        left_out[SINGLE_LABEL] = int((sizes == 1).sum())

    def scaled(found: Without) -> tuple[Array, Array]:
        """Return values (M,) and influences (G, M) of units, on the scales."""
        if found.influence is None:
            assert found.statistic is not None
            by_unit = left_out_influence(found.statistic, kept, design)[:, columns]
        else:
            by_unit = design.added_up(found.influence if kept.all() else found.influence[kept])
        with np.errstate(all="ignore"):
            pairs = [(stretch.to(x), stretch.slope(x)) for stretch, x in zip(stretches, found.values)]
            return np.array([x for x, _ in pairs]), (by_unit - by_unit.mean(axis=0)) * np.array([slope for _, slope in pairs])

    value, influence = scaled(Without.of(one, columns))
    correction = n_units / (n_units - 1) if n_units > 1 else math.nan
    with np.errstate(invalid="ignore", over="ignore"):
        cases = correction * influence.T @ influence
    if n < 2:
        return Spread(cases, nothing, nothing, n_units, n, left_out, (ONE_ANNOTATOR,) * m)
    enough = None if n_units > 1 else ONE_UNIT
    reasons: list[str | None] = [enough if math.isfinite(x) else NOT_FINITE for x in one.estimate[columns]]
    share = sizes[who] / sizes.sum()
    odds = share / (1 - share)  # 1 / (h - 1) for shares 1 / h
    with notices.heard(), np.errstate(all="ignore"):
        quick = panel.changes(who, columns[0]) if m == 1 else None
        if quick is None:
            lefts, moved, weighted, squares = _each(panel.without_each(who, columns), scaled, influence, odds)
        else:
            lefts, moved, weighted, squares = _from_changes(quick, stretches[0], kept, design, odds)
        for i, k in np.argwhere(~np.isfinite(lefts)):
            reasons[k] = reasons[k] or f"undefined without annotator {name(known.annotators[who[i]])}"
        lefts = np.stack([stretch.to(left) for stretch, left in zip(stretches, lefts.T)], axis=1)
        pseudo = (value - lefts) / odds[:, None]
        apart, mean = pseudo - pseudo.mean(axis=0), moved / n
        cross = mean.T @ weighted
        both = correction / n * (squares - cross - cross.T + odds.sum() * mean.T @ mean)
        unlike = [None if j is None else name(known.annotators[who[j]]) for j in alone_of(odds[:, None] * apart**2)]
        between = (odds[:, None] * apart).T @ apart / n
        return Spread(cases, between, both, n_units, n, left_out, tuple(reasons), tuple(unlike), *unevenness(share))


Influences = tuple[Array, Array, Array, Array]


def _each(found: Iterable[Without], scaled: Callable[[Without], tuple[Array, Array]], influence: Array, odds: Array) -> Influences:
    """Return the numbers (n, M) without each of n annotators; and of what each changes in the influences, divided by its odds o:

    the sum over annotators (G, M), that of o times it (G, M), and the sum of o times its products (M, M).
    """
    values, moved, weighted, squares = [], np.zeros_like(influence), np.zeros_like(influence), np.zeros((influence.shape[1],) * 2)
    for without, o in zip(found, odds):
        values.append(without.values)
        change = (influence - scaled(without)[1]) / o
        moved += change
        weighted += o * change
        squares += o * change.T @ change
    return np.array(values), moved, weighted, squares


def _from_changes(found: Changes, stretch: Stretch, kept: Bools, design: Design, odds: Array) -> Influences:
    """Return the same for one quotient θ = Σ a / Σ b, whose influences s (a - θ b) / Σ b, with s the slope of the scale, add up to 0.

    Without annotator j they change by α a + β b in every unit, and by γ more in those whose a and b change.
    """
    n, slope, j = len(odds), stretch.slope, found.annotator
    a, b = (design.added_up((column if kept.all() else column[kept])[:, None])[:, 0] for column in (found.above, found.below))
    totals = [column.sum() + np.bincount(j, by, n) for column, by in ((a, found.by_above), (b, found.by_below))]
    theta, theta_j = over(a.sum(), b.sum()), over(*totals)
    s, s_j = slope(np.asarray(theta)) / b.sum(), slope(theta_j) / totals[1]
    alpha, beta = (s - s_j) / odds, (theta_j * s_j - theta * s) / odds
    unit = found.case if design.plain and kept.all() else design.place_of_case[np.cumsum(kept)[found.case] - 1]
    gamma = (s_j / odds)[j] * (theta_j[j] * found.by_below - found.by_above)
    if not design.plain:  # an annotator may change several cases of a unit
        pair, of = np.unique(unit * np.int64(n) + j, return_inverse=True)
        unit, j, gamma = pair // n, pair % n, np.bincount(of.reshape(-1), gamma, len(pair))
    moved, weighted = (
        (weights @ alpha) * a + (weights @ beta) * b + np.bincount(unit, weights[j] * gamma, len(a)) for weights in (np.ones(n), odds)
    )
    everywhere = alpha**2 * (a @ a) + 2 * alpha * beta * (a @ b) + beta**2 * (b @ b)
    squares = odds @ everywhere + odds[j] @ (2 * (alpha[j] * a[unit] + beta[j] * b[unit]) * gamma + gamma**2)
    return theta_j[:, None], moved[:, None], weighted[:, None], np.full((1, 1), squares)


def unevenness(share: Array) -> tuple[float, float]:
    """Return by how much shares multiply the variance between annotators, and the effective number of annotators.

    A number varies with them by the sum of squares of their shares times their variance; Busing's form is for even shares. A sum of
    squared distances from a mean with weights W has (tr W)² / tr W² degrees of freedom, one less than the effective number.
    """
    n, odds = len(share), share / (1 - share)
    square = float(odds @ odds) * (1 - 2 / n) + float(odds.sum()) ** 2 / n**2
    trace = float(odds.sum()) * (1 - 1 / n)
    return n * float(share @ share) / trace, 1 + trace**2 / square


def with_shares(parts: Parts, times: float) -> Parts:
    """Return the parts with the variance between annotators beyond the noise of labels, which both include, multiplied."""
    cases, annotators, both = parts
    return cases, annotators + (times - 1) * max(annotators - both, 0.0), both


def alone_of(own: Array) -> list[int | None]:
    """Return (M,) the annotator who adds nearly all of the squares (n, M), if one of enough annotators does."""
    n, odd = len(own), own.max(axis=0) > ALONE * (len(own) - 1) / len(own) * own.sum(axis=0)
    return [int(j) if one and n >= FEW_ANNOTATORS else None for j, one in zip(own.argmax(axis=0), odd)]


def labels_of_annotators(known: Any, kept: Bools) -> Array:
    """Return (A,) the number of annotations that each has given to the kept cases."""
    if not len(known.annotators):
        raise error("annotators", UNNAMED, "label counts")
    here = kept[row_of(case_offsets(known))] & (known.annotator >= 0)
    count = getattr(known, "count", None)
    return np.bincount(known.annotator[here], None if count is None else count[here], len(known.annotators)).astype(np.float64)


def few_annotators(n: int) -> list[Note]:
    """Return the note on intervals over so few annotators."""
    if n >= FEW_ANNOTATORS:
        return []
    words = "{n} annotators: the interval depends on their differences{df}."
    return [Note("interval_of_few_annotators", words, n=n, df=", with one degree of freedom" if n == 2 else "")]


def one_alone(who: str | None) -> list[Note]:
    """Return the note if one annotator makes up nearly all of the spread."""
    words = "annotator {who} makes up nearly all of the spread between annotators: the interval depends on how common such annotators are."
    return [] if who is None else [Note("one_annotator_apart", words, who=who)]


def say(reason: str | None, notes: Sequence[Note]) -> None:
    """Warn of the reason why there is no interval, or note its limits."""
    if reason:
        notices.warn(Note("no_interval", "no interval over cases and annotators: {reason}", reason=reason), stacklevel=5)
    for one in notes:
        notices.note(one)
