"""How far judges can stand for people: corrected means, distances to people, biases, and what to label next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ..._base import identifiers
from ..._base.arrays import Array, NDArray
from ..._base.checks import error
from ..._base.notices import heard
from ..._base.ragged import row_of, sizes_of
from ..._base.records import Record
from ...agreement import krippendorff_alpha, percent_agreement
from ...annotations import Labels, Ratings
from ...discrepancy import alternative_annotator_test, discrepancy_ratio, individual_equivalence_index
from ...resampling import check_level, ids_of_cases
from .corrected_mean import CorrectedMean, corrected_mean
from .input import JudgedCases, read

LEAST = 10  # labelled cases of a group whose bias is told
MOST_GROUPS = 12  # values of a column; columns of more numbers are cut into thirds
ONE_ANNOTATOR = "one annotator: how annotators differ is not known"

Rows = list[dict[str, Any]]


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAssessment(Record):
    """How far judges can stand for people, as tables of rows; made by :func:`assess_judges`.

    Attributes
    ----------
    means : list of rows
        For each judge and system: ``judge, system, n_cases, n_labelled, n_annotators, judge_alone, people_alone, people_low,
        people_high, corrected, low, high, cases_low, cases_high, tuning, notes``. The interval ``low, high`` is over cases and
        annotators, ``cases_low, cases_high`` over cases alone, with the same annotators.
    order : list of rows
        For each judge and pair of systems: ``judge, first, second, judge_alone, difference, low, high, shown, reason``. The intervals of
        all pairs of a judge hold together (Bonferroni). ``shown``: the interval of the corrected difference excludes 0.
    distance : list of rows
        For each judge and system: ``judge, system, ratio, low, high, increase, increase_low, increase_high, winning_rate, advantage,
        passed, reason``: :func:`discrepancy_ratio` and :func:`individual_equivalence_index` with intervals over cases and annotators,
        :func:`alternative_annotator_test`.
    people : list of rows
        For each system: ``system, n_annotators, n_several, agreement, alpha, low, high``: how near annotators are to each other.
    by_score : list of rows
        For each judge and group of cases by its score: ``judge, score, n_labelled, mean_score, people, low, high``: what people say
        where the judge says this. A judge that is right on average still differs at both ends, if it is not certain.
    bias : list of rows
        For each judge and group of cases: ``judge, column, group, n_labelled, bias, low, high, shown``: the mean of score less label, by
        system and by the columns. The intervals of a judge and column hold together (Bonferroni).
    next_labels : list of rows
        For each judge, system and group of cases by the judge's score: ``judge, system, score, n_cases, n_labelled, std, share``: the
        standard deviation of label less λ times score, and the share of new labels that makes the interval over cases narrowest.
    widths : list of rows
        For each judge and system, the expected width of the interval: ``judge, system, now, more_cases, more_annotators`` (twice as many).
    level : float
        Level of all intervals.

    Examples
    --------
    See :func:`assess_judges`.
    """

    means: Rows
    order: Rows
    distance: Rows
    people: Rows
    by_score: Rows
    bias: Rows
    next_labels: Rows
    widths: Rows
    level: float


class _Judged(NamedTuple):
    """One judge on one system."""

    judge: str
    system: str
    labels: Ratings
    scores: Array  # (N,) of the cases of the labels
    mean: CorrectedMean
    notes: tuple[str, ...]


def assess_judges(
    systems: Mapping[Any, tuple[Any, Mapping[Any, Any]]],
    *,
    values: Any = None,
    columns: Mapping[str, Any] | None = None,
    clusters: Any = None,
    level: float = 0.95,
) -> JudgeAssessment:
    """Assess judges, such as language models, by people who labelled some of the cases.

    Parameters
    ----------
    systems : mapping of name to (labels, mapping of judge to scores)
        For each system under test the labels of people and the scores of each judge, as for :func:`corrected_mean`. Cases have the same
        ids in all systems.
    values : (K,) array or mapping of class to number, optional
        Of Labels, as for :func:`corrected_mean`.
    columns : mapping of name to mapping of case id to value, optional
        Properties of cases, such as the length of an answer or its topic, by which a judge may be biased. Numbers of more than 12
        values are cut into thirds.
    clusters : mapping of case id to cluster, optional
        Cases that belong together, such as one conversation.
    level : float
        Level of all intervals.

    Returns
    -------
    JudgeAssessment

    Raises
    ------
    ValueError
        If there is no system or no judge; as for :func:`corrected_mean`.

    Notes
    -----
    What cannot be computed is NaN, with the reason beside it: with one annotator, intervals are over cases alone, and say so.

    References
    ----------
    As for :func:`corrected_mean`, :func:`alternative_annotator_test`, :func:`discrepancy_ratio`, :func:`individual_equivalence_index`.
    Shares of new labels: Neyman (1934), "On the two different aspects of the representative method", JRSS 97.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(1)
    >>> quality = rng.normal(size=400)
    >>> case = np.repeat(np.arange(120), 3)
    >>> right = quality[case] + rng.normal(0, 0.4, 6)[(case + np.tile([0, 2, 4], 120)) % 6] + rng.logistic(size=360) > 0
    >>> who = np.char.add("ann ", ((case + np.tile([0, 2, 4], 120)) % 6).astype(str))
    >>> labels = ugt.Ratings.from_long(case, who, right * 1.0, cases=np.arange(400))
    >>> found = ugt.assess_judges({"model": (labels, {"judge": quality + rng.logistic(size=400) > 0.5})})
    >>> row = found.means[0]
    >>> [round(row[name], 2) for name in ("judge_alone", "people_alone", "corrected", "low", "high")]
    [0.4, 0.49, 0.5, 0.39, 0.61]
    """
    check_level(level)
    if not isinstance(systems, Mapping) or not systems:
        raise error("systems", "be a mapping of the name of a system to (labels, scores of judges)", "none")
    if columns is not None and not isinstance(columns, Mapping):
        raise error("columns", "be a mapping of a name to a mapping of case id to value", type(columns).__name__)
    judged = [one for system, (labels, judges) in systems.items() for one in _judged(str(system), labels, judges, values, clusters)]
    names = list(dict.fromkeys(one.judge for one in judged))
    by_judge = {name: [one for one in judged if one.judge == name] for name in names}
    first = {one.system: one for one in reversed(judged)}
    return JudgeAssessment(
        [_mean(one, clusters, level) for one in judged],
        [row for own in by_judge.values() for row in _order(own, clusters, level)],
        [_distance(one, clusters, level) for one in judged],
        [_people(first[str(system)], clusters, level) for system in systems],
        [row for own in by_judge.values() for row in _by_score(own, clusters, level)],
        [row for own in by_judge.values() for row in _biases(own, columns or {}, clusters, level)],
        [row for one in judged for row in _next_labels(one)],
        [_widths(one, level) for one in judged],
        level,
    )


def _judged(system: str, labels: Any, judges: Mapping[Any, Any], values: Any, clusters: Any) -> Iterator[_Judged]:
    if not isinstance(judges, Mapping) or not judges:
        raise error("systems", "name the judges of each system, as a mapping to their scores", f"none for {system!r}")
    for judge, scores in judges.items():
        given: JudgedCases = read(labels, scores, values)
        with heard() as notes:
            mean = corrected_mean(given.labels, given.judge)
        yield _Judged(str(judge), system, given.labels, given.judge, mean, tuple(notes))


def _ends(result: Any, level: float, clusters: Any, random: tuple[str, ...] = ("cases", "annotators")) -> tuple[float, float]:
    """Return an interval; NaN if there is none."""
    with heard():
        try:
            low, high = result.interval(level, clusters=clusters, random=random)
        except ValueError:
            return math.nan, math.nan
    return low, high


def _clusters_of(clusters: Any, labels: Ratings) -> Any:
    return None if clusters is None else ids_of_cases("clusters", clusters, labels.n_cases, labels.case_ids)


def _mean(one: _Judged, clusters: Any, level: float) -> dict[str, Any]:
    found, own = one.mean, _clusters_of(clusters, one.labels)
    people = found.without_judge
    several = len(one.labels.annotators) > 1
    random = ("cases", "annotators") if several else ("cases",)
    people_low, people_high = _ends(people, level, own, random)
    low, high = _ends(found, level, own, random)
    cases_low, cases_high = _ends(found, level, own, ("cases",))
    return {
        "judge": one.judge, "system": one.system, "n_cases": found.n_cases, "n_labelled": found.n_labelled,
        "n_annotators": found.n_annotators, "judge_alone": found.judge, "people_alone": people.value, "people_low": people_low,
        "people_high": people_high, "corrected": found.value, "low": low, "high": high, "cases_low": cases_low, "cases_high": cases_high,
        "tuning": found.tuning, "notes": (*one.notes, *(() if several else (ONE_ANNOTATOR,))),
    }  # fmt: skip


def _order(own: list[_Judged], clusters: Any, level: float) -> Iterator[dict[str, Any]]:
    pairs = list(combinations(own, 2))
    for first, second in pairs:
        row = {"judge": first.judge, "first": first.system, "second": second.system, "judge_alone": first.mean.judge - second.mean.judge}
        difference = low = high = math.nan
        reason = ""
        try:
            found = first.mean.minus(second.mean)
            difference = found.value
            low, high = _ends(found, 1 - (1 - level) / len(pairs), _clusters_of(clusters, first.labels))
        except ValueError as problem:
            reason = str(problem)
        if math.isnan(low) and not reason:
            reason = "no interval over annotators: the same annotators must have labelled the same cases of both systems"
        yield {**row, "difference": difference, "low": low, "high": high, "shown": bool(low > 0 or high < 0), "reason": reason}


def _distance(one: _Judged, clusters: Any, level: float) -> dict[str, Any]:
    """How near the judge is to people, with what the cases with several labels tell."""
    row: dict[str, Any] = {"judge": one.judge, "system": one.system}
    names = ("ratio", "low", "high", "increase", "increase_low", "increase_high", "winning_rate", "advantage")
    row |= dict.fromkeys(names, math.nan) | {"passed": None, "reason": ""}
    binary = set(np.unique(one.labels.value)) | set(np.unique(one.scores)) <= {0.0, 1.0}
    distance = "zero-one" if binary else "squared"
    own = _clusters_of(clusters, one.labels)
    with heard():
        try:
            ratio = discrepancy_ratio(one.labels, one.scores, distance=distance)
            row["ratio"], (row["low"], row["high"]) = ratio.value, _ends(ratio, level, own)
            increase = individual_equivalence_index(one.labels, one.scores, distance=distance)
            row["increase"], (row["increase_low"], row["increase_high"]) = increase.value, _ends(increase, level, own)
            test: Any = alternative_annotator_test(one.labels, one.scores, distance=distance)
            test = test if own is None else test.over_clusters(own)
            row["winning_rate"], row["advantage"], row["passed"] = test.winning_rate, test.value, bool(test.passed)
        except ValueError as problem:
            row["reason"] = str(problem)
    return row


def _people(one: _Judged, clusters: Any, level: float) -> dict[str, Any]:
    labels = one.labels
    several = int((sizes_of(labels.offsets) > 1).sum())
    row = {"system": one.system, "n_annotators": len(labels.annotators), "n_several": several}
    agreement = alpha = low = high = math.nan
    if several:
        with heard():
            codes = np.unique(labels.value)
            named = Labels.from_long(
                row_of(labels.offsets), labels.annotators[labels.annotator], np.searchsorted(codes, labels.value), classes=range(len(codes))
            )
            agreement = percent_agreement(named).value
            found = krippendorff_alpha(labels, level="interval")
            alpha, (low, high) = found.value, _ends(found, level, _clusters_of(clusters, labels))
    return {**row, "agreement": agreement, "alpha": alpha, "low": low, "high": high}


# ---- where a judge is biased

Part = tuple[_Judged, Any]  # with the (N,) cases that count


def _by_score(own: list[_Judged], clusters: Any, level: float) -> Iterator[dict[str, Any]]:
    groups = [(group, one, rows) for one in own for group, rows in _groups(one, "score", {})]
    for name in dict.fromkeys(group for group, _, _ in groups):
        parts = [(one, rows) for group, one, rows in groups if group == name]
        n_labelled, people, low, high = _mean_of(parts, clusters, level, 0.0, 1.0)
        score = float(np.concatenate([one.scores[rows] for one, rows in parts]).mean())
        ends = {"people": people, "low": low, "high": high}
        yield {"judge": own[0].judge, "score": name, "n_labelled": n_labelled, "mean_score": score, **ends}


def _biases(own: list[_Judged], columns: Mapping[str, Any], clusters: Any, level: float) -> Iterator[dict[str, Any]]:
    everyone = [(one.system, one, np.ones(len(one.scores), bool)) for one in own]
    grouped = {"system": everyone if len(own) > 1 else []}
    grouped.update({column: [(group, one, rows) for one in own for group, rows in _groups(one, column, columns)] for column in columns})
    for column, groups in grouped.items():
        names = list(dict.fromkeys(group for group, _, _ in groups))
        for name in names:
            parts = [(one, rows) for group, one, rows in groups if group == name]
            n_labelled, bias, low, high = _mean_of(parts, clusters, 1 - (1 - level) / len(names), 1.0, -1.0)
            found = {"n_labelled": n_labelled, "bias": bias, "low": low, "high": high, "shown": bool(low > 0 or high < 0)}
            yield {"judge": own[0].judge, "column": column, "group": name, **found}


def _groups(one: _Judged, column: str, columns: Mapping[str, Any]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Return the groups of cases by a column, or by the judge's own score."""
    values: NDArray[Any]
    if column == "score":
        values = one.scores
    else:
        values = ids_of_cases(column, columns[column], one.labels.n_cases, one.labels.case_ids, what="a value")
    numbers = _numbers(values)
    if numbers is None:
        return [(str(name), np.asarray(values == name)) for name in sorted(set(values.tolist()), key=str)]
    levels = np.unique(numbers)
    if len(levels) <= MOST_GROUPS:
        return [(f"{level:g}", numbers == level) for level in levels.tolist()]
    low, high = np.quantile(numbers, [1 / 3, 2 / 3])
    ends = [("up to", numbers <= low, low), ("up to", (numbers > low) & (numbers <= high), high), ("above", numbers > high, high)]
    return [(f"{word} {end:.3g}", rows) for word, rows, end in ends]


def _numbers(values: NDArray[Any]) -> Array | None:
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        return None
    return found if np.isfinite(found).all() else None


def _mean_of(parts: list[Part], clusters: Any, level: float, of_score: float, of_label: float) -> tuple[int, float, float, float]:
    """Return the number of labelled cases, and the mean of a combination of score and label with its interval over both."""
    case: list[str] = []
    annotator: list[str] = []
    value: list[float] = []
    together: dict[str, str] = {}
    for one, rows in parts:
        at = row_of(one.labels.offsets)
        kept = rows[at]
        ids, own = one.labels.case_ids[at[kept]].tolist(), _clusters_of(clusters, one.labels)
        names = [f"{one.system}/{identifiers.name(id_)}" for id_ in ids]
        together.update(zip(names, map(str, ids if own is None else own[at[kept]].tolist())))  # answers of several systems to one case
        case += names
        annotator += map(identifiers.name, one.labels.annotators[one.labels.annotator[kept]].tolist())
        value += (of_score * one.scores[at[kept]] + of_label * one.labels.value[kept]).tolist()
    if len(together) < LEAST:
        return len(together), math.nan, math.nan, math.nan
    with heard():
        numbers = Ratings.from_long(case, annotator, value)
        mean = corrected_mean(numbers, np.zeros(numbers.n_cases), tuning=0.0)
    held = [together[str(name)] for name in numbers.case_ids.tolist()]
    ends = _ends(mean, level, held, ("cases", "annotators") if len(numbers.annotators) > 1 else ("cases",))
    return len(together), mean.value, *ends


# ---- what to label next


def _next_labels(one: _Judged) -> list[dict[str, Any]]:
    """Shares of new labels by groups of the judge's score, in proportion to cases times standard deviation [Neyman 1934]."""
    labelled = sizes_of(one.labels.offsets) > 0
    total = np.bincount(row_of(one.labels.offsets), one.labels.value, one.labels.n_cases)
    with np.errstate(invalid="ignore"):
        rest = total / sizes_of(one.labels.offsets) - one.mean.tuning * one.scores
    rows: Rows = []
    for name, held in _groups(one, "score", {}):
        own = rest[held & labelled]
        std = float(own.std(ddof=1)) if len(own) > 1 else math.nan
        rows.append(
            {"judge": one.judge, "system": one.system, "score": name, "n_cases": int(held.sum()), "n_labelled": len(own), "std": std}
        )
    weights = np.array([row["n_cases"] * row["std"] for row in rows])
    known = np.isfinite(weights)
    share = weights / weights[known].sum() if known.all() and weights.sum() > 0 else np.full(len(rows), math.nan)
    return [{**row, "share": float(one_share)} for row, one_share in zip(rows, share)]


def _widths(one: _Judged, level: float) -> dict[str, Any]:
    found = one.mean
    row: dict[str, Any] = {"judge": one.judge, "system": one.system, "now": math.nan, "more_cases": math.nan, "more_annotators": math.nan}
    if found.n_annotators < 2:
        return row
    now = found.expected_width(found.n_annotators, level=level)
    more = found.expected_width(found.n_annotators, 2 * found.n_labelled, level=level)
    return {**row, "now": now, "more_cases": more, "more_annotators": found.expected_width(2 * found.n_annotators, level=level)}
