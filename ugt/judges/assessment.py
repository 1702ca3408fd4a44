"""How far judges can stand for people: corrected means, distances to people, biases, and what to label next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

import numpy as np

from .._base.checks import error
from .._base.claims import NOBODY, LeadEnds
from .._base.notes import Note
from .._base.notices import heard
from .._base.ragged import row_of, sizes_of
from .._base.records import Record
from .._base.wording import words_of
from .._tabular.source import naming
from ..agreement import krippendorff_alpha, percent_agreement
from ..annotations import Labels
from ..annotations.joins import tells_joins
from ..humans import alternative_annotator_test, discrepancy_ratio
from ..humans.record import individual_equivalence_index
from ..resampling import check_level
from .corrected import places
from .corrected_mean import ALIKE, corrected_mean
from .groups import ScoredSystem, biases_of, by_score_of, clusters_of, ends_of, groups_of, lead_of, of_lead
from .input import JudgedCases, of_rows, read
from .rows import (
    JudgeBiasRow,
    JudgeDistanceRow,
    JudgeMeanRow,
    JudgeOrderRow,
    JudgePeopleRow,
    JudgeScoreRow,
    NextLabelsRow,
    WidthRow,
)

ONE_ANNOTATOR = Note("one_annotator", "one annotator: how annotators differ is not known.")


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAssessment(Record):
    """How far judges can stand for people, as tables of rows; made by :func:`assess_judges`.

    Attributes
    ----------
    means : list of rows
        For each judge and system: ``judge, system, n_cases, n_labelled, n_annotators, judge_alone, people_alone, people_low,
        people_high, corrected, low, high, cases_low, cases_high, tuning, n_even, n_groups, differs, notes``. The interval ``low, high``
        is over cases and annotators, ``cases_low, cases_high`` over cases alone, with the same annotators. ``differs``: for whom the
        mean of the judge alone is outside these intervals, in the words of ``whom`` below.
    order : list of rows
        For each judge and pair of systems: ``judge, first, second, n_cases, n_all, judge_alone, difference, low, high, cases_low,
        cases_high, n_even, n_groups, whom, shown, survives, reason``, on the ``n_cases`` that the judge scored on both systems
        (``n_all``: on the one of which it scored more). The intervals of all pairs of a judge hold together (Bonferroni). ``whom``: for
        whom the difference is shown. ``"others"``: both intervals exclude 0, and there are six annotators or more. ``"others if
        normal"``: both do, and there are three to five, so that it holds for others only if annotators vary like a normal law.
        ``"these"``: the one over cases does, for these annotators. Else ``"nobody"``. ``shown``: for others or for these;
        ``survives``: it is, and the judge alone gives the same order.
    distance : list of rows
        For each judge and system: ``judge, system, ratio, low, high, increase, increase_low, increase_high, winning_rate, advantage,
        passed, reason``: :func:`discrepancy_ratio` and :func:`individual_equivalence_index` with intervals over cases and annotators,
        :func:`alternative_annotator_test`.
    people : list of rows
        For each system: ``system, n_annotators, n_several, agreement, agreement_low, agreement_high, alpha, low, high``: how near
        annotators are to each other: the share of pairs with the same label, and Krippendorff's alpha.
    by_score : list of rows
        For each judge and group of cases by its score: ``judge, score, n_labelled, mean_score, people, low, high``: what people say
        where the judge says this. A judge that is right on average still differs at both ends, if it is not certain.
    bias : list of rows
        For each judge and group of cases: ``judge, column, group, n_labelled, bias, low, high, cases_low, cases_high, whom, shown``,
        and the same of ``apart`` (``apart_low`` to ``apart_shown``): the mean of score less label, by system and by the columns, and
        how far this bias is apart from that of all other groups. Lenient annotators move the bias of every group, so that they nearly
        cancel in ``apart``. The intervals of a judge and column hold together (Bonferroni), those of ``bias`` and those of ``apart``
        each.
    next_labels : list of rows
        For each judge, system and group of cases by the judge's score: ``judge, system, score, n_cases, n_labelled, std, share``: the
        standard deviation of label less λ times score, and the share of new labels that makes the interval over cases narrowest.
    widths : list of rows
        For each judge and system, the width of the interval, and the expected width with twice as many labelled cases or annotators, in
        the proportion of :meth:`CorrectedMean.expected_width`: ``judge, system, now, more_cases, more_annotators``.
    level : float
        Level of all intervals.

    Examples
    --------
    See :func:`assess_judges`.
    """

    means: list[JudgeMeanRow]
    order: list[JudgeOrderRow]
    distance: list[JudgeDistanceRow]
    people: list[JudgePeopleRow]
    by_score: list[JudgeScoreRow]
    bias: list[JudgeBiasRow]
    next_labels: list[NextLabelsRow]
    widths: list[WidthRow]
    level: float


@tells_joins
def assess_judges(
    systems: Mapping[Any, tuple[Any, Mapping[Any, Any]]],
    *,
    values: object = None,
    columns: Mapping[str, Any] | None = None,
    clusters: object = None,
    probabilities: object = None,
    strata: object = None,
    level: float = 0.95,
    missing: str = "error",
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
        values are cut into thirds. Blank, None and cases that a mapping lacks are the group "not stated".
    clusters : mapping of case id to cluster, optional
        Cases that belong together, such as one conversation.
    probabilities : mapping of case id to number, optional
        The probability with which each case was chosen to be labelled, as for :func:`corrected_mean`. Distances to people are not weighted.
    strata : mapping of case id to id, optional
        Strata within which cases were chosen to be labelled, as for :func:`corrected_mean`.
    level : float
        Level of all intervals.
    missing : {"error", "drop"}
        What to do with labelled cases that a judge did not score, as for :func:`corrected_mean`.

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
    >>> found = ugt.judges.assess_judges({"model": (labels, {"judge": quality + rng.logistic(size=400) > 0.5})})
    >>> row = found.means[0]
    >>> [round(one, 2) for one in (row.judge_alone, row.people_alone, row.corrected, row.low, row.high)]
    [0.4, 0.49, 0.5, 0.39, 0.61]
    """
    level = check_level(level)
    if not isinstance(systems, Mapping) or not systems:
        raise error("systems", "be a mapping of the name of a system to (labels, scores of judges)", "none")
    if columns is not None and not isinstance(columns, Mapping):
        raise error("columns", "be a mapping of a name to a mapping of case id to value", type(columns).__name__)
    chosen = {"probabilities": probabilities, "strata": strata}
    joined = chain.from_iterable
    judged = [*joined(_judged(str(name), *of, values, chosen, missing) for name, of in systems.items())]
    names = list(dict.fromkeys(one.judge for one in judged))
    by_judge = [[one for one in judged if one.judge == name] for name in names]
    fullest = {one.system: one for one in sorted(reversed(judged), key=lambda one: one.mean.n_labelled)}
    return JudgeAssessment(
        [_mean(one, clusters, level) for one in judged],
        [*joined(_order(own, chosen, clusters, level) for own in by_judge)],
        [_distance(one, clusters, level) for one in judged],
        [_people(fullest[str(system)], clusters, level) for system in systems],
        [*joined(by_score_of(own, clusters, level) for own in by_judge)],
        [*joined(biases_of(own, columns or {}, clusters, level) for own in by_judge)],
        [*joined(map(_next_labels, judged))],
        [_widths(one, clusters, level) for one in judged],
        level,
    )


def _judged(
    system: str, labels: object, judges: Mapping[Any, Any], values: object, chosen: Mapping[str, Any], missing: str
) -> Iterator[ScoredSystem]:
    if not isinstance(judges, Mapping) or not judges:
        raise error("systems", "name the judges of each system, as a mapping to their scores", f"none for {system!r}")
    for judge, scores in judges.items():
        with naming(f"{judge} on {system}"), heard() as notes:
            given: JudgedCases = read(labels, scores, values, missing)
            mean = corrected_mean(given.labels, given.judge, **chosen)
        yield ScoredSystem(str(judge), system, given.labels, given.judge, mean, (*given.notes, *_unlike(given), *notes))


def _unlike(given: JudgedCases) -> list[Note]:
    """Return the caution on scores of another scale than labels, for which a corrected mean is right and comparisons are not."""
    low, high, least, most = (float(end) for one in (given.labels.value, given.judge) for end in (one.min(), one.max()))
    beyond = (high - low) / 2
    apart = most > least and (most <= low or least >= high)  # a judge who always says 1 may have the scale of the labels
    if high == low or not (most > high + beyond or least < low - beyond or apart):
        return []
    words = "scores are from {least:.3g} to {most:.3g}, labels from {low:.3g} to {high:.3g}: the judge alone, its distance to people and "
    words += "its bias compare numbers of different scales."
    return [Note("other_scale", words, least=least, most=most, low=low, high=high)]


def _mean(one: ScoredSystem, clusters: object, level: float) -> JudgeMeanRow:
    found, own = one.mean, clusters_of(clusters, one.labels)
    people = found.without_judge
    several = len(one.labels.annotators) > 1
    random = ("cases", "annotators") if several else ("cases",)
    held = of_lead(lead := lead_of(found, level, own, random))
    fixed = held.cases_low, held.cases_high
    ends = (*((held.low, held.high) if several else fixed), *fixed)
    notes = (*one.notes, *(() if several else (ONE_ANNOTATOR,)))
    sizes = (found.n_cases, found.n_labelled, found.n_annotators)
    alone = (found.judge, people.value, *ends_of(people, level, own, random))
    differs = of_lead(_less(lead, found.judge)).whom
    population = held.n_even, held.n_groups, differs
    return JudgeMeanRow(one.judge, one.system, *sizes, *alone, found.value, *ends, found.tuning, *population, notes)


def _less(lead: LeadEnds, amount: float) -> LeadEnds:
    """Return an amount less a number, with the number's intervals."""
    other = lead.turned
    low, high, two_way_low, two_way_high = (None if end is None else amount + end for end in other[1:5])
    return LeadEnds(amount + other.lead, low, high, two_way_low, two_way_high, *lead[5:])


def _in_both(first: ScoredSystem, second: ScoredSystem, chosen: Mapping[str, Any]) -> tuple[ScoredSystem, ScoredSystem]:
    """Return the two systems with the cases that the judge scored on both; ValueError: fewer than two of them are labelled."""
    found = []
    for one, other in ((first, second), (second, first)):
        held = places(other.labels.case_ids, one.labels.case_ids) >= 0
        if held.all():
            found.append(one)
            continue
        if not held.any():
            raise error("systems", "have cases in common, to be compared", f"none for {first.system!r} and {second.system!r}")
        labels, scores = of_rows(one.labels, np.flatnonzero(held)), one.scores[held]
        with heard() as notes:
            found.append(one._replace(labels=labels, scores=scores, mean=corrected_mean(labels, scores, **chosen), notes=tuple(notes)))
    return found[0], found[1]


def _order(own: list[ScoredSystem], chosen: Mapping[str, Any], clusters: object, level: float) -> Iterator[JudgeOrderRow]:
    pairs = list(combinations(own, 2))
    for first, second in pairs:
        n_cases, n_all, alone = 0, max(first.mean.n_cases, second.mean.n_cases), math.nan
        lead, reason = LeadEnds(math.nan, *(None,) * 5), ""
        try:
            one, other = _in_both(first, second, chosen)
            found, n_cases, alone = one.mean.minus(other.mean), one.mean.n_cases, one.mean.judge - other.mean.judge
            lead = lead_of(found, 1 - (1 - level) / len(pairs), clusters_of(clusters, one.labels))
            if lead.two_way_low is None:
                with heard():
                    reason = "no interval over annotators: " + (found.two_way().reason or ALIKE)
        except ValueError as problem:
            reason = words_of(problem)
        ends = of_lead(lead)
        survives = ends.whom != NOBODY and (alone > 0) == (lead.lead > 0)
        pair = (first.judge, first.system, second.system)
        both, fixed = (ends.low, ends.high), (ends.cases_low, ends.cases_high)
        numbers = (*pair, n_cases, n_all, alone, lead.lead, *both, *fixed, ends.n_even, ends.n_groups)
        yield JudgeOrderRow(*numbers, ends.whom, ends.whom != NOBODY, survives, reason)


def _distance(one: ScoredSystem, clusters: object, level: float) -> JudgeDistanceRow:
    """How near the judge is to people, with what the cases with several labels tell."""
    row = JudgeDistanceRow(one.judge, one.system)
    binary = set(np.unique(one.labels.value)) | set(np.unique(one.scores)) <= {0.0, 1.0}
    distance = "zero-one" if binary else "squared"
    own = clusters_of(clusters, one.labels)
    with heard():
        try:
            ratio = discrepancy_ratio(one.labels, one.scores, distance=distance)
            low, high = ends_of(ratio, level, own)
            row = row._replace(ratio=ratio.value, low=low, high=high)
            increase = individual_equivalence_index(one.labels, one.scores, distance=distance)
            low, high = ends_of(increase, level, own)
            row = row._replace(increase=increase.value, increase_low=low, increase_high=high)
            test: Any = alternative_annotator_test(one.labels, one.scores, distance=distance)
            test = test if own is None else test.over_clusters(own)
            row = row._replace(winning_rate=test.winning_rate, advantage=test.value, passed=bool(test.passed))
        except ValueError as problem:
            row = row._replace(reason=words_of(problem))
    return row


def _people(one: ScoredSystem, clusters: object, level: float) -> JudgePeopleRow:
    labels = one.labels
    several = int((sizes_of(labels.offsets) > 1).sum())
    row = JudgePeopleRow(one.system, len(labels.annotators), several)
    own = clusters_of(clusters, labels)
    if several:
        with heard():
            codes = np.unique(labels.value)
            named = Labels.from_long(
                row_of(labels.offsets), labels.annotators[labels.annotator], np.searchsorted(codes, labels.value), classes=range(len(codes))
            )
            shares = percent_agreement(named)
            held = None if own is None else own[sizes_of(labels.offsets) > 0]
            low, high = ends_of(shares, level, held)
            row = row._replace(agreement=shares.value, agreement_low=low, agreement_high=high)
            found = krippendorff_alpha(labels, level="interval")
            low, high = ends_of(found, level, own)
            row = row._replace(alpha=found.value, low=low, high=high)
    return row


# ---- what to label next


def _next_labels(one: ScoredSystem) -> list[NextLabelsRow]:
    """Shares of new labels by groups of the judge's score, in proportion to cases times standard deviation [Neyman 1934]."""
    labelled = sizes_of(one.labels.offsets) > 0
    total = np.bincount(row_of(one.labels.offsets), one.labels.value, one.labels.n_cases)
    with np.errstate(invalid="ignore"):
        rest = total / sizes_of(one.labels.offsets) - one.mean.tuning * one.scores
    rows: list[NextLabelsRow] = []
    for name, (held,) in groups_of([one], "score", {}):
        own = rest[held & labelled]
        std = float(own.std(ddof=1)) if len(own) > 1 else math.nan
        rows.append(NextLabelsRow(one.judge, one.system, name, int(held.sum()), len(own), std))
    weights = np.array([row.n_cases * row.std for row in rows])
    known = np.isfinite(weights)
    share = weights / weights[known].sum() if known.all() and weights.sum() > 0 else np.full(len(rows), math.nan)
    return [row._replace(share=float(one_share)) for row, one_share in zip(rows, share)]


def _widths(one: ScoredSystem, clusters: object, level: float) -> WidthRow:
    """The width of the interval, and what it would be with more cases or annotators like these: in proportion to expected widths."""
    found = one.mean
    row = WidthRow(one.judge, one.system)
    if found.n_annotators < 2:
        return row
    low, high = ends_of(found, level, clusters_of(clusters, one.labels))
    with heard():
        now = found.expected_width(found.n_annotators, level=level)
        more = found.expected_width(found.n_annotators, 2 * found.n_labelled, level=level)
        others = found.expected_width(2 * found.n_annotators, level=level)
    times = (high - low) / now if now > 0 else math.nan
    return row._replace(now=high - low, more_cases=times * more, more_annotators=times * others)
