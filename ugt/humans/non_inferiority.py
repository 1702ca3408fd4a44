"""The non-inferiority of a model to the annotators by its discrepancy ratio: the record, and one-sided limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._base import notices
from .._base.notes import Note
from .._base.records import Record
from ..resampling import Result, check_one_sided


@dataclass(frozen=True, repr=False)
class NonInferiority(Record):
    """The result of the test whether a model's discrepancy exceeds the annotators' by less than a margin; H0: Δ >= 1 + margin.

    Attributes
    ----------
    estimate, limit : float
        Δ, and its one-sided upper confidence limit. NaN if nothing can be resampled.
    margin, level : float
        By how much, relatively, the model may be worse; 1 - the probability to decide for the model if Δ = 1 + margin.
    decision : bool
        ``limit < 1 + margin``; False if the limit is undefined.

    Examples
    --------
    >>> import ugt
    >>> votes = [[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1]] * 5
    >>> found = ugt.discrepancy_ratio(votes, [1, 1, 0, 0, 0, 1] * 5).non_inferiority(0.1)
    >>> found.decision, round(found.estimate, 3), round(found.limit, 3)
    (True, 0.625, 0.732)
    """

    estimate: float
    limit: float
    margin: float
    level: float
    decision: bool


FEW_ANNOTATORS = 6  # with fewer, a test at 5% decided for models at the margin in up to 11% of simulated studies


def note_few(n: int) -> None:
    """Note that a test for other annotators rests on so few."""
    if n < FEW_ANNOTATORS:
        words = "{n} annotators are few for a claim about others: at 5%, models at the margin were called not inferior in up to {most}% of "
        words += "simulated studies with four."
        notices.note(Note("few_annotators_of_claim", words, n=n, most=11))


def upper_limit(found: Result, level: float, **options: Any) -> float:
    """Return the one-sided upper limit of the value: the upper end of its interval of level 2 level - 1."""
    level = check_one_sided(level)
    return found.interval(2 * level - 1, **options)[1]
