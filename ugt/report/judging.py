"""The page on judges: how far they can stand for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._base.claims import NOBODY, NORMAL, OTHERS, THESE, Whom, missing_share
from ..judges.rows import JudgeDistanceRow, JudgeMeanRow, JudgeOrderRow, NextLabelsRow, WidthRow
from .digits import Digits
from .markup import NONE, bullets, count, finding, plain, table, text, unique
from .page import sheet

if TYPE_CHECKING:
    from ..judges import JudgeAssessment

MOST_NAMED = 3  # differences that the first sentences name
CLAIMS = (OTHERS, NORMAL, THESE)
SHOWN = {OTHERS: "shown, for others too", NORMAL: "shown; for others if normal", THESE: "shown for these", NOBODY: "not shown"}
HOW_SHOWN = (
    "Shown for these: the interval over other cases, with the same annotators, excludes 0. Shown for others too: the interval over cases "
    "and annotators does as well, and there are at least six annotators. For others if normal: there are three to five, so that it holds "
    "for others only if annotators vary like a normal law."
)
ASSUMED = (
    "The labelled cases are a random sample of all cases. If they were chosen otherwise, the corrected means are wrong, unless the "
    "probabilities of labelling are given.",
    "Intervals over cases and annotators are for other cases, labelled by other annotators like these. With three to five annotators, "
    "what is shown for others holds only if annotators vary like a normal law, which so few cannot show.",
    "The mean label of people is the yardstick. It is not the truth where all people err together.",
    "Distances to people use the cases with several labels as they are, without weights.",
    "λ, the weight of the judge, was chosen on the same labels and is held fixed in the intervals.",
)


def html(tables: JudgeAssessment, facts: Mapping[str, Any]) -> str:
    """Return the page as text (to be written as UTF-8).

    ``tables`` are those of a ``JudgeAssessment``; ``facts`` are ``title``, ``date``, ``version`` and ``level``.
    """
    parts = [_first(tables), _order(tables), _near(tables), _given_score(tables), _bias(tables), _next(tables), _basis(facts)]
    judges, systems = unique(row.judge for row in tables.means), unique(row.system for row in tables.means)
    named = ", ".join(map(plain, judges[:3])) + (f" and {len(judges) - 3} more" if len(judges) > 3 else "")
    title = plain(facts["title"]) if facts.get("title") else f"{named} compared with people"
    subtitle = f"{len(judges)} judge{'s' * (len(judges) > 1)} · {len(systems)} system{'s' * (len(systems) > 1)} · {_sizes(tables)}"
    return sheet(title, subtitle, "\n".join(one.markup for one in parts if one is not None), facts["date"], facts["version"])


def verdicts(tables: JudgeAssessment) -> list[str]:
    """Return the main sentences, as text without elements."""
    return [_verdict(tables, judge) for judge in unique(row.judge for row in tables.means)]


def _sizes(tables: JudgeAssessment) -> str:
    rows = tables.means
    cases, labelled = max(row.n_cases for row in rows), max(row.n_labelled for row in rows)
    people = max(row.n_annotators for row in rows)
    return f"{count(cases)} cases, {count(labelled)} of them labelled by {count(people)} annotator{'s' * (people != 1)}"


def _named(row: JudgeMeanRow | JudgeDistanceRow | NextLabelsRow | WidthRow) -> str:
    return f"{text(row.judge)} on {text(row.system)}"


def _digits(ends: Iterable[tuple[float, float]]) -> Digits:
    return Digits.proportion((_known(low), _known(high)) for low, high in ends if not math.isinf(high))


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _ends(digits: Digits, low: float, high: float) -> str:
    if math.isinf(high):  # a ratio whose denominator may be 0 for other people
        return f"{_number(digits, low)} or more"
    return digits.ends(_known(low), _known(high))


def _number(digits: Digits, value: float | None) -> str:
    """Return a number that is no share: it may be above 1."""
    if _known(value) is None or value is None:
        return digits.value(None)
    shown = f"{value:.{digits.decimals}f}"
    return (shown.lstrip("-") if float(shown) == 0 else shown).replace("-", "−")


def _verdict(tables: JudgeAssessment, judge: str) -> str:
    pairs = [row for row in tables.order if row.judge == judge]
    if not pairs:
        (row,) = (row for row in tables.means if row.judge == judge)
        return _verdict_of_mean(tables, row)
    known, shown = [row for row in pairs if _has_interval(row)], [row for row in pairs if row.whom != NOBODY]
    differences = f"difference{'s' * (len(pairs) > 1)} between systems"
    if not known:
        return f"{judge}: no {differences} could be computed with an interval; the reasons are beside them."
    missing = f" {len(pairs) - len(known)} have no interval." if len(known) < len(pairs) else ""
    if not shown:
        return (
            f"{judge}: the corrected means show {'none of the ' + str(len(pairs)) if len(pairs) > 1 else 'no'} {differences}. The order "
            f"that the judge gives is neither confirmed nor refuted.{missing}"
        )
    alike = sum(row.survives for row in shown)
    whom = _people(tables, judge, {row.n_groups for row in shown})
    parts = [f"{_shown_for(whom, one, _others_too(shown))} {_named_order(own)}" for one in CLAIMS if (own := _of(shown, one))]
    of_kinds = _missing(whom, [row.n_even for row in _of(shown, OTHERS)])
    return (
        f"{judge}: the corrected means show {len(shown)} of {len(pairs)} {differences}: {'; '.join(parts)}. The judge alone gives the same "
        f"order for {alike} of {len(shown)}.{missing}{of_kinds}"
    )


def _has_interval(row: JudgeOrderRow) -> bool:
    return _known(row.low) is not None or _known(row.cases_low) is not None


def _of(rows: list[JudgeOrderRow], claim: str) -> list[JudgeOrderRow]:
    return [row for row in rows if row.whom == claim]


def _others_too(rows: list[JudgeOrderRow]) -> bool:
    """Return whether intervals for others are known, so that what they do not show must be said."""
    return any(_known(row.low) is not None for row in rows)


def _named_order(rows: list[JudgeOrderRow]) -> str:
    """Return the systems of some differences, the better first, in brackets."""
    named = [f"{row.first} above {row.second}" if row.difference > 0 else f"{row.second} above {row.first}" for row in rows]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return f"({', '.join(named[:MOST_NAMED])}{more})"


def _people(tables: JudgeAssessment, judge: str, groups: set[int | None]) -> Whom:
    """Return the words for the annotators of a judge's systems, or groups of them that share no case."""
    n = max(row.n_annotators for row in tables.means if row.judge == judge)
    if None not in groups and len(groups) == 1:
        return Whom(f"{count(next(iter(groups)) or 0)} groups of annotators", "groups")
    return Whom(f"{count(n)} annotator{'s' * (n != 1)}" if n else "")


def _shown_for(whom: Whom, claim: str, others: bool) -> str:
    """Return words such as "for these 4 annotators, not shown for others"."""
    said = whom.shown(claim)
    return f"{said}, {whom.cannot}" if claim == NORMAL else f"{said}, not shown for others" if claim == THESE and others else said


def _missing(whom: Whom, numbers: list[float]) -> str:
    """Return the sentence on kinds of annotators that may be missing, beside what is shown for others."""
    share = missing_share(min(numbers)) if numbers else None
    return "" if share is None else f" {whom.missing(Digits(0).percent(share))}"


def _verdict_of_mean(tables: JudgeAssessment, row: JudgeMeanRow) -> str:
    """Return the sentences on the corrected mean of one system."""
    digits = _digits([(row.low, row.high)])
    said = f"{row.judge}: corrected by the labels of people, the mean of {row.system} is {_number(digits, row.corrected)}"
    alone = f"The judge alone gives {_number(digits, row.judge_alone)}"
    if _known(row.low) is None and _known(row.cases_low) is None:
        return f"{said}, without an interval. {alone}."
    whom = _people(tables, row.judge, {row.n_groups})
    several = _known(row.n_even) is not None
    these = f"{_number(digits, row.cases_low)} to {_number(digits, row.cases_high)} for {whom.these}"
    both = f"{_number(digits, row.low)} to {_number(digits, row.high)} for others like them"
    ends = ", ".join([these] * (_known(row.cases_low) is not None) + [both] * several)
    if row.differs == NOBODY:
        return f"{said} ({ends}). {alone}, which is not shown to differ."
    where = "above" if row.judge_alone > row.corrected else "below"
    of_kinds = _missing(whom, [row.n_even] * (row.differs == OTHERS))
    return f"{said} ({ends}). {alone}, {where} this mean {_shown_for(whom, row.differs, several)}.{of_kinds}"


def _first(tables: JudgeAssessment) -> Any:
    rows = tables.means
    digits = _digits((row.low, row.high) for row in rows)
    cells = [
        [
            _named(row), f"<b>{_number(digits, row.corrected)}</b>", _ends(digits, row.low, row.high),
            _ends(digits, row.cases_low, row.cases_high), _number(digits, row.judge_alone),
            f"{_number(digits, row.people_alone)} ({_ends(digits, row.people_low, row.people_high)})", f"{row.tuning:.2f}",
            f"{count(row.n_labelled)} of {count(row.n_cases)}",
        ]
        for row in rows
    ]  # fmt: skip
    columns = [
        "",
        "corrected mean",
        "other cases and annotators",
        "other cases, same annotators",
        "judge alone",
        "labels alone",
        "λ",
        "labelled",
    ]
    said = [f'<p class="verdict">{plain(one)}</p>' for one in verdicts(tables)]
    notes = [f"{text(row.judge)} on {text(row.system)}: {plain(note.text)}" for row in rows for note in row.notes]
    cautions = f"<h3>Cautions</h3>\n{bullets(notes)}" if notes else ""
    return finding(
        "means",
        "Corrected means",
        "What people would say, with the judge's help",
        *said,
        table("Mean label of all cases", columns, cells),
        cautions,
    )


def _order(tables: JudgeAssessment) -> Any:
    rows = tables.order
    if not rows:
        return None
    digits = _digits((row.low, row.high) for row in rows)
    cells = [
        [
            f"{text(row.judge)}: {text(row.first)} less {text(row.second)}", _number(digits, row.judge_alone),
            _number(digits, row.difference), _ends(digits, row.cases_low, row.cases_high), _ends(digits, row.low, row.high), _order_of(row),
        ]
        for row in rows
    ]  # fmt: skip
    columns = ["", "judge alone", "corrected difference", "other cases, same annotators", "other cases and annotators", "order"]
    how = (
        f"<p>The intervals of all pairs of a judge hold together (Bonferroni). {HOW_SHOWN} "
        "A difference that is not shown may be of either sign.{cases}</p>"
    )
    few = any(0 < row.n_cases < row.n_all for row in rows)
    how = how.replace("{cases}", " Cases that the judge scored on one of the two systems only do not count here." if few else "")
    n, others = sum(row.shown for row in rows), sum(row.whom == OTHERS for row in rows)
    heading = f"{n} of {len(rows)} differences are shown for these annotators, {others or 'none'} for others too"
    return finding("order", "Order of systems", heading, how, table("Paired differences", columns, cells))


def _order_of(row: JudgeOrderRow) -> str:
    """Return whether the judge's order survives, and in how many of the cases it was looked for."""
    if not _has_interval(row):
        return plain(row.reason)
    cases = f" ({count(row.n_cases)} of {count(row.n_all)} cases)" if row.n_cases < row.n_all else ""
    reason = f"; {plain(row.reason)}" if row.reason else ""
    same = "" if not row.shown else f", {'' if row.survives else 'not '}as by the judge"
    return f"{SHOWN[row.whom]}{same}{cases}{reason}"


def _near(tables: JudgeAssessment) -> Any:
    rows = tables.distance
    digits = _digits((row.low, row.high) for row in rows)
    decided = [row for row in rows if row.passed is not None]
    cells = [
        [
            _named(row), f"{_number(digits, row.ratio)} ({_ends(digits, row.low, row.high)})",
            f"{_number(digits, row.increase)} ({_ends(digits, row.increase_low, row.increase_high)})",
            f"{row.winning_rate:.2f}" if _known(row.winning_rate) is not None else plain(row.reason),
            "" if row.passed is None else "passes" if row.passed else "does not pass",
        ]
        for row in rows
    ]  # fmt: skip
    columns = ["", "distance to people, relative to theirs", "increase of disagreement in place of a person", "winning rate", "test"]
    people = [
        [
            text(row.system), count(row.n_annotators), count(row.n_several),
            f"{_number(digits, row.agreement)} ({_ends(digits, row.agreement_low, row.agreement_high)})",
            f"{_number(digits, row.alpha)} ({_ends(digits, row.low, row.high)})",
        ]
        for row in tables.people
    ]  # fmt: skip
    passed = sum(row.passed is True for row in decided)
    heading = f"{passed} of {len(decided)} pass the alternative annotator test" if decided else "Too few cases with several labels to say"
    return finding(
        "near", "How near the judge is to people", heading,
        "<p>A distance of 1 is as near as people are to each other. The test asks whether the judge is as near to the others as at least "
        "half of the annotators are, with an allowance of 0.2. It is about these annotators and other cases. To pass is not to be equal to "
        "people. Equivalence needs a margin that you choose: it is shown if the whole interval of the increase is below the margin.</p>",
        table("Judges, on cases with several labels", columns, cells),
        table("People among themselves", ["", "annotators", "cases with several labels", "same label", "Krippendorff's alpha"], people),
    )  # fmt: skip


def _given_score(tables: JudgeAssessment) -> Any:
    rows = tables.by_score
    digits = _digits((row.low, row.high) for row in rows)
    cells = [
        [
            f"{text(row.judge)}: {text(row.score)}", _number(digits, row.mean_score), _number(digits, row.people),
            _ends(digits, row.low, row.high), count(row.n_labelled),
        ]
        for row in rows
    ]  # fmt: skip
    how = "<p>A judge that is right on average still differs from people at both ends of its scale, if it is not certain.</p>"
    columns = ["judge says", "its mean score", "mean label of people", "interval", "labelled answers"]
    return finding("scores", "By the judge's score", "What people say where the judge says this", how, table("By score", columns, cells))


def _bias(tables: JudgeAssessment) -> Any:
    rows = tables.bias
    if not rows:
        return None
    digits, apart = _digits((row.low, row.high) for row in rows), _digits((row.apart_low, row.apart_high) for row in rows)
    cells = [
        [
            f"{text(row.judge)}, {text(row.column)}: {text(row.group)}", count(row.n_labelled), _number(digits, row.bias),
            _ends(digits, row.low, row.high), SHOWN[row.whom], _number(apart, row.apart), _ends(apart, row.apart_low, row.apart_high),
            SHOWN[row.apart_whom],
        ]
        for row in rows
    ]  # fmt: skip
    how = (
        "<p>Bias is the mean of the judge's score less the label: above 0, the judge scores higher than people. Annotators who are lenient "
        "or strict move the bias of every group. They nearly cancel in the difference to the other groups, which shows whether the judge "
        "treats this group differently. The intervals of a column hold together (Bonferroni), those of biases and those of differences "
        "each; the columns were not adjusted for each other. Intervals are over cases and annotators. "
        f"{HOW_SHOWN}</p>"
    )
    n, differ = sum(row.shown for row in rows), sum(row.apart_shown for row in rows)
    heading = f"For these annotators, a bias is shown in {n} of {len(rows)} groups; {differ} differ from the other groups"
    columns = ["", "labelled", "bias", "interval", "", "less other groups", "interval", ""]
    return finding("bias", "Where the judge is biased", heading, how, table("Bias by group", columns, cells))


def _next(tables: JudgeAssessment) -> Any:
    widths = [row for row in tables.widths if _known(row.more_cases) is not None]
    planned = [[_named(row), *(f"{one:.3f}" for one in (row.now, row.more_cases, row.more_annotators))] for row in widths]
    shares = []
    for row in tables.next_labels:
        std, share = (NONE if _known(one) is None else shown.format(one) for one, shown in ((row.std, "{:.3f}"), (row.share, "{:.0%}")))
        shares.append([f"{_named(row)}: {text(row.score)}", count(row.n_cases), count(row.n_labelled), std, share])
    better = sum(row.more_annotators < row.more_cases for row in widths)
    alone = all(row.n_annotators < 2 for row in tables.means)
    heading = "One annotator: a second one is needed first" if alone else "Without an interval, no width can be expected"
    if widths:
        heading = f"Twice the {'annotators' if 2 * better > len(widths) else 'labelled cases'} would narrow the interval most"
    how = (
        "<p>Expected widths are in the proportion that the variance components of these labels give; new annotators share the labels as "
        "these did. New labels by the shares below make the interval over cases narrowest; then give the probabilities of labelling.</p>"
    )
    parts = (
        [table("Expected width of the interval", ["", "now", "twice the labelled cases", "twice the annotators"], planned)]
        if planned
        else []
    )
    parts.append(table("Share of new labels", ["judge says", "cases", "labelled", "standard deviation", "share"], shares))
    return finding("next", "What to label next", heading, how, *parts)


def _basis(facts: Mapping[str, Any]) -> Any:
    sources = (
        "Corrected means: Angelopoulos et al. (2023), Science 382; Angelopoulos, Duchi &amp; Zrnic (2023), arXiv:2311.01453; variance over "
        "annotators: two-way intervals of ugt.",
        "Alternative annotator test: Calderon, Reichart &amp; Dror (2025), ACL. Increase of disagreement: Obuchowski, Subhas &amp; "
        "Schoenhagen (2014), Academic Radiology 21.",
        "Shares of new labels: Neyman (1934), JRSS 97.",
    )
    level = f"<p>All intervals have the level {100 * facts['level']:g}%.</p>"
    return finding("basis", "What this rests on", "Assumptions and sources", level, bullets(ASSUMED), bullets(sources))
