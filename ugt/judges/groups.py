"""Groups of cases by columns or by the judge's own score: where a judge is biased, and what people say where it says something."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, NDArray
from .._base.claims import NOBODY, LeadEnds, claim_of
from .._base.notes import Note
from .._base.notices import heard
from .._base.ragged import row_of, sizes_of
from ..annotations import Ratings
from ..resampling import ids_of_cases
from ..resampling.spread import RANDOM, with_annotators
from .corrected import Corrected
from .corrected_mean import CorrectedDifference, CorrectedMean, record_of
from .input import JudgedCases
from .rows import JudgeBiasRow, JudgeScoreRow

LEAST = 10  # labelled cases of a group whose bias is told
NOT_STATED = "not stated"  # the group of blank cells and of cases that a column lacks
MOST_GROUPS = 12  # values of a column; columns of more numbers are cut into thirds


class ScoredSystem(NamedTuple):
    """One judge on one system."""

    judge: str
    system: str
    labels: Ratings
    scores: Array  # (N,) of the cases of the labels
    mean: CorrectedMean
    notes: tuple[Note, ...]


def ends_of(result: Any, level: float, clusters: Any, random: tuple[str, ...] = ("cases", "annotators")) -> tuple[float, float]:
    """Return an interval; NaN if there is none."""
    with heard():
        try:
            low, high = result.interval(level, clusters=clusters, random=random)
        except ValueError:
            return math.nan, math.nan
    return low, high


def lead_of(result: Any, level: float, clusters: Any, random: tuple[str, ...] = RANDOM) -> LeadEnds:
    """Return a number as a lead over 0, with its intervals for these annotators and, if annotators are random, for others.

    The numbers of judges are linear in the labels, so that annotators may be left out one by one.
    """
    low, high = ends_of(result, level, clusters, RANDOM[:1])
    alone = LeadEnds(result.value, _known(low), _known(high), None, None, None)
    both = ends_of(result, level, clusters) if with_annotators(random) else (math.nan, math.nan)
    if math.isnan(both[0]):
        return alone
    with heard():
        spread = result.two_way(clusters=clusters)
    return alone._replace(two_way_low=both[0], two_way_high=both[1], n_annotators=spread.effective_annotators, n_groups=spread.n_groups)


class OfLead(NamedTuple):
    """The ends of a lead as numbers, NaN if they are unknown, and for whom it is above or below 0."""

    low: float  # over cases and annotators
    high: float
    cases_low: float
    cases_high: float
    n_even: float
    n_groups: int | None
    whom: str


def of_lead(one: LeadEnds) -> OfLead:
    """Return the numbers of a lead with the claim that they allow, whichever of the two is ahead."""
    _, low, high, two_way_low, two_way_high, n, n_groups, *_ = one
    both, alone = (_number(two_way_low), _number(two_way_high)), (_number(low), _number(high))
    return OfLead(*both, *alone, _number(n), n_groups, claim_of([one.ahead]))


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def clusters_of(clusters: object, labels: Ratings) -> Any:
    return None if clusters is None else ids_of_cases("clusters", clusters, labels.n_cases, labels.case_ids)


class _Pooled(NamedTuple):
    """Numbers of the labelled cases of all systems, by annotator."""

    numbers: Ratings
    held: NDArray[Any]  # clusters, so that answers of several systems to one case are together
    labelled: list[NDArray[np.intp]]  # of each system, the labelled cases
    weight: Array

    @classmethod
    def of(cls, own: list[ScoredSystem], clusters: object, of_score: float, of_label: float) -> _Pooled:
        """Return a combination of score and label of every label."""
        case: list[str] = []
        annotator: list[str] = []
        value: list[float] = []
        names: list[str] = []
        held: list[str] = []
        labelled = []
        for one in own:
            at, own_held = row_of(one.labels.offsets), clusters_of(clusters, one.labels)
            ids = [identifiers.name(id_) for id_ in one.labels.case_ids.tolist()]
            there = np.flatnonzero(sizes_of(one.labels.offsets) > 0)
            labelled.append(there)
            names += (f"{one.system}/{ids[i]}" for i in there.tolist())
            held += (ids[i] if own_held is None else str(own_held[i]) for i in there.tolist())
            case += (f"{one.system}/{ids[i]}" for i in at.tolist())
            annotator += map(identifiers.name, one.labels.annotators[one.labels.annotator].tolist())
            value += (of_score * one.scores[at] + of_label * one.labels.value).tolist()
        weight = np.concatenate([one.mean.weights_of_labelled()[there] for one, there in zip(own, labelled)])
        scales = {one.labels.scale for one in own}
        stated = len(scales) == 1 and (of_score, of_label) == (0, 1)
        scale = next((one for one in scales if stated and (not isinstance(one, tuple) or len(one) > 1)), None)
        return cls(Ratings.from_long(case, annotator, value, cases=names, scale=scale), np.array(held), labelled, weight)

    def rows(self, groups: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Return which of the pooled cases are in a group, which is given for the cases of each system."""
        return np.concatenate([rows[there] for rows, there in zip(groups, self.labelled)])

    def mean(self, rows: NDArray[np.bool_]) -> CorrectedMean | None:
        """Return the mean of some cases; None if they are few."""
        return None if rows.sum() < LEAST else record_of(self._of(rows))

    def apart(self, rows: NDArray[np.bool_]) -> CorrectedDifference | None:
        """Return the mean of some cases less that of the others; None if either are few."""
        if min(rows.sum(), (~rows).sum()) < LEAST:
            return None
        return record_of(self._of(rows)).minus(record_of(self._of(~rows)))

    def _of(self, rows: NDArray[np.bool_]) -> Corrected:
        n, nothing = len(rows), np.zeros(len(rows))
        return Corrected(JudgedCases(self.numbers, nothing), rows * self.weight, nothing, np.zeros(n, np.int64), 0.0)

    @property
    def random(self) -> tuple[str, ...]:
        """What is random: annotators only if there are several."""
        return RANDOM if len(self.numbers.annotators) > 1 else RANDOM[:1]

    def ends(self, found: CorrectedMean | None, level: float) -> tuple[float, float, float]:
        """Return a number and its interval; NaN if there is none."""
        return (math.nan,) * 3 if found is None else (found.value, *ends_of(found, level, self.held, self.random))

    def claim(self, found: CorrectedMean | CorrectedDifference | None, level: float) -> tuple[Any, ...]:
        """Return a number, its intervals over cases and annotators and over cases, for whom it is not 0, and whether for anyone."""
        if found is None:
            return (*(math.nan,) * 5, NOBODY, False)
        low, high, cases_low, cases_high, _, _, whom = of_lead(lead_of(found, level, self.held, self.random))
        both = (low, high) if with_annotators(self.random) else (cases_low, cases_high)
        return found.value, *both, cases_low, cases_high, whom, whom != NOBODY


def by_score_of(own: list[ScoredSystem], clusters: object, level: float) -> Iterator[JudgeScoreRow]:
    pooled = _Pooled.of(own, clusters, 0.0, 1.0)
    for name, groups in groups_of(own, "score", {}):
        rows = pooled.rows(groups)
        score = float(np.concatenate([one.scores[held] for one, held in zip(own, groups)]).mean())
        yield JudgeScoreRow(own[0].judge, name, int(rows.sum()), score, *pooled.ends(pooled.mean(rows), level))


def biases_of(own: list[ScoredSystem], columns: Mapping[str, Any], clusters: object, level: float) -> Iterator[JudgeBiasRow]:
    pooled = _Pooled.of(own, clusters, 1.0, -1.0)
    for column in (["system"] if len(own) > 1 else []) + list(columns):
        found = groups_of(own, column, columns)
        together = 1 - (1 - level) / len(found)
        for name, groups in found:
            rows = pooled.rows(groups)
            bias, apart = (pooled.claim(one, together) for one in (pooled.mean(rows), pooled.apart(rows)))
            yield JudgeBiasRow(own[0].judge, column, name, int(rows.sum()), *bias, *apart)


def groups_of(own: list[ScoredSystem], column: str, columns: Mapping[str, Any]) -> list[tuple[str, list[NDArray[np.bool_]]]]:
    """Return the name of each group by a column, or by the judge's own score, with its cases of each system."""
    values: list[NDArray[Any]]
    if column == "score":
        values = [one.scores for one in own]
    elif column == "system" and column not in columns:
        values = [np.full(len(one.scores), one.system) for one in own]
        return [(one.system, [held == one.system for held in values]) for one in own]
    else:
        known = columns[column]
        values = [ids_of_cases(column, known, one.labels.n_cases, one.labels.case_ids, absent="", what="a value") for one in own]
    together = np.concatenate([one.astype(object) for one in values])
    stated = np.array([one is not None and one == one and str(one).strip() != "" for one in together.tolist()], bool)  # noqa: PLR0124
    found: dict[str, NDArray[np.bool_]] = {}
    for name, rows in _grouped(together[stated]) if stated.any() else ():
        held = found.setdefault(name, np.zeros(len(together), bool))  # 1 and "1" have one name
        held[stated] |= rows
    found[NOT_STATED] = found.get(NOT_STATED, False) | ~stated
    ends = np.cumsum([len(one) for one in values])[:-1]
    return [(name, np.split(rows, ends)) for name, rows in found.items() if rows.any()]


def _grouped(values: NDArray[Any]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the name and the rows of each group of some values, which are those of all systems."""
    numbers = _numbers(values)
    if numbers is None:
        yield from ((str(name), np.asarray(values == name)) for name in sorted(set(values.tolist()), key=str))
        return
    levels = np.unique(numbers)
    if len(levels) <= MOST_GROUPS:
        yield from ((f"{level:g}", numbers == level) for level in levels.tolist())
        return
    low, high = np.quantile(numbers, [1 / 3, 2 / 3]).tolist()
    digits = next((digits for digits in range(3, 17) if low == high or f"{low:.{digits}g}" != f"{high:.{digits}g}"), 17)
    yield f"up to {low:.{digits}g}", numbers <= low
    yield f"up to {high:.{digits}g}", (numbers > low) & (numbers <= high)
    yield f"above {high:.{digits}g}", numbers > high


def _numbers(values: NDArray[Any]) -> Array | None:
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        return None
    return found if np.isfinite(found).all() else None
