"""The rows of the tables of a :class:`JudgeAssessment`; what cannot be computed is NaN, with a reason beside it."""

from __future__ import annotations

import math
from typing import NamedTuple

from .._base.notes import Note

NAN = math.nan


class JudgeMeanRow(NamedTuple):
    """The mean label of a system corrected by a judge, beside the judge alone and the labels alone; in units of the labels."""

    judge: str
    system: str
    n_cases: int
    n_labelled: int
    n_annotators: int
    judge_alone: float
    people_alone: float
    people_low: float
    people_high: float
    corrected: float
    low: float  # over cases and annotators
    high: float
    cases_low: float  # over cases, with the same annotators
    cases_high: float
    tuning: float  # the weight λ of the judge
    n_even: float  # annotators with even shares of the labels who would give as much, or groups of them; NaN: cases alone are random
    n_groups: int | None  # of annotators who share no case; None: annotators share cases
    differs: str  # for whom the mean of the judge alone is outside the intervals: others, others if normal, these or nobody
    notes: tuple[Note, ...]


class JudgeOrderRow(NamedTuple):
    """The corrected difference of two systems; the intervals of all pairs of a judge hold together.

    A difference is shown for others (these annotators and others like them), others if normal (others if annotators vary like a normal
    law), these (these annotators), or nobody.
    """

    judge: str
    first: str
    second: str
    n_cases: int  # that the judge scored on both systems
    n_all: int  # on the one of which it scored more
    judge_alone: float
    difference: float
    low: float  # over cases and annotators
    high: float
    cases_low: float  # over cases, with the same annotators
    cases_high: float
    n_even: float  # as of means
    n_groups: int | None
    whom: str  # for whom it is shown
    shown: bool  # for others or for these annotators
    survives: bool  # it is shown, and the judge alone gives the same order
    reason: str


class JudgeDistanceRow(NamedTuple):
    """How near a judge is to people: 1 is as near as they are to each other, and an increase of 0 as well."""

    judge: str
    system: str
    ratio: float = NAN
    low: float = NAN
    high: float = NAN
    increase: float = NAN
    increase_low: float = NAN
    increase_high: float = NAN
    winning_rate: float = NAN  # in [0, 1]
    advantage: float = NAN
    passed: bool | None = None  # the alternative annotator test; None: not decided
    reason: str = ""


class JudgePeopleRow(NamedTuple):
    """How near annotators of a system are to each other: the share of pairs with the same label, and Krippendorff's alpha."""

    system: str
    n_annotators: int
    n_several: int
    agreement: float = NAN
    agreement_low: float = NAN
    agreement_high: float = NAN
    alpha: float = NAN
    low: float = NAN
    high: float = NAN


class JudgeScoreRow(NamedTuple):
    """The mean label of people where the judge says a score."""

    judge: str
    score: str
    n_labelled: int
    mean_score: float
    people: float
    low: float
    high: float


class JudgeBiasRow(NamedTuple):
    """The mean of score less label in a group of cases, and how far it is apart from that of all other groups.

    Both are shown for others, others if normal, these or nobody, as differences of systems are.
    """

    judge: str
    column: str
    group: str
    n_labelled: int
    bias: float
    low: float  # over cases and annotators
    high: float
    cases_low: float
    cases_high: float
    whom: str
    shown: bool
    apart: float
    apart_low: float
    apart_high: float
    apart_cases_low: float
    apart_cases_high: float
    apart_whom: str
    apart_shown: bool


class NextLabelsRow(NamedTuple):
    """The share of new labels of a group of cases that makes the interval over cases narrowest."""

    judge: str
    system: str
    score: str
    n_cases: int
    n_labelled: int
    std: float  # of label less λ times score
    share: float = NAN  # in [0, 1]


class WidthRow(NamedTuple):
    """The width of an interval, and the expected one with twice as many labelled cases or annotators."""

    judge: str
    system: str
    now: float = NAN
    more_cases: float = NAN
    more_annotators: float = NAN
