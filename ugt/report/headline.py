"""The measure of the first page: how often first choices agree with the truth, or how far predictions are from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..tables.names import ERROR, TOP, VOTED, VOTED_ERROR
from ..tables.source import ReportSource
from ..tables.standings import MetricRow
from .digits import Digits, Ends

DEPENDING = "depending on the reliability"


@dataclass(frozen=True)
class Headline:
    """A measure, and its words. This one is UA top-1 accuracy."""

    metric: str = TOP
    voted: str = VOTED  # the same against the voted label
    k: int | None = 1
    higher_is_better: bool = True
    unit: str = "percentage point"
    units: str = "percentage points"
    heading: str = "%"  # of the axis of a table
    name: str = "Top-1 accuracy"
    caption: str = "Agreement of the first choice with the annotators’ truth"
    note: str = "UA top-1 accuracy: the truth is drawn from what the annotations leave open"
    ceiling: str = "Ceiling set by the annotations"
    ceiling_key: str = "ceiling: the most that any first choice can reach"
    always_key: str = "always the commonest class"
    more: tuple[str, str] = ("more", "less")  # words for a lead
    voted_name: str = "voted label"
    voted_tick: str = "vote"  # the same below an axis

    def digits(self, intervals: Iterable[Ends]) -> Digits:
        """Return the digits of values with these intervals."""
        return Digits.of(intervals)

    @property
    def whole(self) -> Digits:
        """The digits where there are too few cases for an interval."""
        return Digits(0)

    def amount(self, digits: Digits, value: float) -> str:
        """Return a value with its unit."""
        return digits.percent(value)

    def with_unit(self, number: str) -> str:
        """Return text such as "1 percentage point", "0.30 grades"."""
        return f"{number} {self.unit if number == '1' else self.units}"

    def said(self, digits: Digits, value: float, ends: str) -> str:
        """Return the predicate of one model; ``ends`` is its interval in brackets, or empty."""
        return f"agrees with the annotators’ truth in {digits.percent(value)} of cases{ends}"

    def against_vote(self, digits: Digits, value: float, ends: str) -> str:
        """Return the predicate of one model against the voted label."""
        return f"agrees with the {self.voted_name} in {digits.percent(value)} of cases{ends}"

    def and_annotator(self, digits: Digits, value: float) -> str:
        """Return what follows it: the same against one more annotator."""
        return f" and with one more annotator in {digits.percent(value)}"

    def said_of(self, digits: Digits, low: float, high: float, joint: str = "and") -> str:
        """Return the predicate of several models with these values."""
        least, most = digits.percent(low), digits.percent(high)
        said = least if least == most else f"{least} {joint} {most}"
        return f"their first choices agree with the annotators’ truth in {said} of cases"

    def listed(self, values: str) -> str:
        """Return the sentence that lists values only."""
        return f"Agreement with the annotators’ truth: {values} of cases."

    def limit(self, digits: Digits, value: float, at: str) -> str:
        """Return what no model can exceed, as a clause; ``at``: words for the reliability of the truth."""
        return f"no first choice can exceed {digits.percent(value)} under this truth{at}"

    def always(self, digits: Digits, answer: str, value: float) -> str:
        """Return what the constant answer reaches, as a clause."""
        return f"always answering “{answer}” reaches {digits.percent(value)}"

    def at_both(self, digits: Digits, values: tuple[float, float], at: tuple[float, float]) -> str:
        """Return the predicate of a model at two reliabilities, as a sentence that says to quote both values if they differ."""
        if digits.percent(values[0]) == digits.percent(values[1]):
            return f"has {digits.percent(values[0])} at reliabilities {at[0]:g} and {at[1]:g}."
        return f"has {digits.percent(values[0])} at reliability {at[0]:g} and {digits.percent(values[1])} at {at[1]:g}. Quote both."

    def depends(self, digits: Digits, low: float, high: float) -> str:
        """Return the predicate of a model under all reliabilities."""
        least, most = digits.percent(low), digits.percent(high)
        return f"agrees in {most} of cases at each reliability" if least == most else f"agrees in {least} to {most} of cases, {DEPENDING}"


@dataclass(frozen=True)
class Distance(Headline):
    """The mean absolute error in units of the scale."""

    metric: str = ERROR
    voted: str = VOTED_ERROR
    k: int | None = None
    higher_is_better: bool = False
    unit: str = "grade"
    units: str = "grades"
    heading: str = "grades"
    name: str = "Absolute error"
    caption: str = "Distance of the prediction from the annotators’ truth"
    note: str = "Mean absolute error, lower is better: the truth is drawn from what the annotations leave open"
    ceiling: str = "Floor set by the annotations"
    ceiling_key: str = "floor: the least that any prediction can reach"
    always_key: str = "always the median"
    more: tuple[str, str] = ("less", "more")
    voted_name: str = "voted grade"

    def digits(self, intervals: Iterable[Ends]) -> Digits:
        return Digits.amount(intervals)

    @property
    def whole(self) -> Digits:
        return Digits(1, 1, share=False)

    def amount(self, digits: Digits, value: float) -> str:
        return self.with_unit(digits.value(value))

    def said(self, digits: Digits, value: float, ends: str) -> str:
        return f"differs from the annotators’ truth by {self.amount(digits, value)} on average{ends}"

    def against_vote(self, digits: Digits, value: float, ends: str) -> str:
        return f"differs from the {self.voted_name} by {self.amount(digits, value)} on average{ends}"

    def and_annotator(self, digits: Digits, value: float) -> str:
        return f" and from one more annotator by {self.amount(digits, value)}"

    def said_of(self, digits: Digits, low: float, high: float, joint: str = "and") -> str:
        least = "" if digits.value(low) == digits.value(high) else f"{digits.value(low)} {joint} "
        return f"they differ from the annotators’ truth by {least}{self.amount(digits, high)} on average"

    def listed(self, values: str) -> str:
        return f"Mean distance from the annotators’ truth: {values}."

    def limit(self, digits: Digits, value: float, at: str) -> str:
        return f"no prediction can come closer than {self.amount(digits, value)} under this truth{at}"

    def always(self, digits: Digits, answer: str, value: float) -> str:
        return f"always answering “{answer}” differs by {self.amount(digits, value)}"

    def at_both(self, digits: Digits, values: tuple[float, float], at: tuple[float, float]) -> str:
        first, second = (self.amount(digits, value) for value in values)
        if first == second:
            return f"differs by {first} at reliabilities {at[0]:g} and {at[1]:g}."
        return f"differs by {first} at reliability {at[0]:g} and by {second} at {at[1]:g}. Quote both."

    def depends(self, digits: Digits, low: float, high: float) -> str:
        most = self.amount(digits, high)
        same = digits.value(low) == digits.value(high)
        return f"differs by {most} at each reliability" if same else f"differs by {digits.value(low)} to {most}, {DEPENDING}"


ACCURACY, OF_GRADES = Headline(), Distance()
OF_RATINGS = Distance(
    unit="point of the scale", units="points of the scale", heading="points", voted_name="mean rating",
    voted_tick="mean",
)  # fmt: skip


def headline_of(source: ReportSource) -> Headline:
    """Return the measure of the first page of an evaluation."""
    if source.data.kind == "ratings":
        return OF_RATINGS
    return OF_GRADES if any(e.metric == ERROR for e in source.rows(MetricRow)) else ACCURACY
