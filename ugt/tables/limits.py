"""Differences of grades or ratings: bias and limits of agreement between annotators, and between models and annotators."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, NamedTuple

from .._base.notes import Note
from ..humans import LimitsOfAgreement, bland_altman
from .context import MOST_CELLS
from .rows import Number, finite, with_ends

if TYPE_CHECKING:
    from ..annotations import Labels, Ratings
    from .context import Context, Rows


class LimitsRow(NamedTuple):
    """Differences of two annotators of the same cases: their mean, standard deviation and limits, in units of the ratings."""

    first: str
    second: str
    n_cases: int
    n_clusters: int | None
    sd: Number
    bias: Number
    bias_low: Number
    bias_high: Number
    lower: Number
    lower_low: Number
    lower_high: Number
    upper: Number
    upper_low: Number
    upper_high: Number
    reason: str | None  # why numbers are undefined

    @property
    def numbers(self) -> tuple[tuple[Number, Number, Number], ...]:
        """The mean difference, the lower and the upper limit, each with its interval."""
        return (
            (self.bias, self.bias_low, self.bias_high), (self.lower, self.lower_low, self.lower_high),
            (self.upper, self.upper_low, self.upper_high),
        )  # fmt: skip


TABLES = {"limits": LimitsRow}
COVERAGE = 0.95
MOST = 12  # annotators with a row for each pair; pairs on the page
TOO_MANY = "Limits of agreement were not computed: over {most} annotators (ugt.humans.bland_altman takes some of them)."
TOO_LARGE = "Limits of agreement were not computed: over {most:,} numbers (ugt.humans.bland_altman has no such limit)."


def make(context: Context, notes: list[Note]) -> Rows:
    """Return any two annotators, every pair of them, and every model with all annotators; intervals hold for all rows of one of these."""
    graded = context.graded
    given = None if graded is None else context.known.ratings if graded.values is None else context.known.labels
    n_annotators = 0 if given is None else len(given.annotators)
    if graded is None or given is None or not n_annotators or (n_annotators == 1 and not graded.given):
        return {}
    if n_annotators > MOST:
        notes.append(Note("too_large", TOO_MANY, most=MOST))
        return {}
    if context.n_cases * n_annotators**2 * (1 + len(graded.given)) > MOST_CELLS:
        notes.append(Note("too_large", TOO_LARGE, most=MOST_CELLS))
        return {}
    rows, level = between(given, context.clusters, context.options.level), _joint(context.options.level, max(len(graded.given), 1))
    for model in graded.given:
        both = bland_altman(given, graded.point(model), clusters=context.clusters, coverage=COVERAGE, level=level, missing="drop")
        rows.append(_row(model, "all annotators", both.pairs[-1]))
    return {"limits": rows}


def between(given: Labels | Ratings, clusters: object, level: float) -> list[LimitsRow]:
    """Return a row for any two annotators and one for each pair, whose intervals hold for all pairs together; none for one annotator."""
    n = len(given.annotators)
    if n < 2:
        return []
    pairs = bland_altman(given, clusters=clusters, coverage=COVERAGE, level=_joint(level, comb(n, 2))).pairs
    any_two = bland_altman(given, clusters=clusters, coverage=COVERAGE, level=level).population
    return [_row("any annotator", "any other", any_two), *(_row(one.first, one.second, one) for one in pairs)]


def _joint(level: float, n: int) -> float:
    """Return the level of each of n intervals that hold together at the wanted level (Bonferroni)."""
    return 1 - (1 - level) / n


def _row(first: str, second: str, one: LimitsOfAgreement) -> LimitsRow:
    bias, lower = with_ends(one.bias, one.bias_interval), with_ends(one.lower, one.lower_interval)
    upper = with_ends(one.upper, one.upper_interval)
    return LimitsRow(first, second, one.n_cases, one.n_clusters, finite(one.sd), *bias, *lower, *upper, one.reason)
