"""The difference of the two leading models under each truth, and in each measure."""

from __future__ import annotations

from ...tables.names import in_grades, truth_name
from ...tables.rank_sets import RankRow
from ...tables.source import ReportSource
from ...tables.standings import FlipRow
from .. import words
from ..digest import Digest, briefly, names, shown
from ..digits import Digits
from ..lead import Lead
from ..markup import Section, finding, level_of
from ..rows import Span, first_of, span_table

REFUTED = ", refuted"  # of a truth
MOST_RANKS = 6  # rows of the table of ranks


def render(source: ReportSource) -> Section | None:
    """Return two tables of differences with their intervals; None if fewer than two models were evaluated."""
    digest = Digest(source)
    if len(digest.models) < 2:
        return None
    first, second = digest.models[:2]
    truths: list[tuple[str, Lead | None, bool]] = [
        (_name(digest, r), digest.lead(first, second, reliability=r), r == digest.main) for r in digest.reliabilities
    ]
    headline = digest.headline
    truths.append((headline.voted_name, digest.lead(first, second, headline.voted), False))
    measures = [
        (words.metric_name(m, k), digest.lead(first, second, m, k=k), (m, k) == (headline.metric, headline.k))
        for m, k in digest.measures
        if in_grades(m) != headline.higher_is_better
    ]
    several = sum(lead is not None for _, lead, _ in measures) > 1  # otherwise it is one of the rows before
    parts = [(f"{headline.name} under each truth", truths), *([(f"Each measure{digest.at_main}", measures)] if several else [])]
    known = [lead for _, rows in parts for _, lead, _ in rows if lead is not None]
    if not known or digest.withheld:
        return None
    digits = headline.digits((lead.low, lead.high) for lead in known)
    caption = f"Lead of {shown(first)} over {shown(second)}, {headline.units}"
    tables = [_table(digest, caption, note, rows, digits) for note, rows in parts]
    n = len(digest.models)
    together = f"Intervals ({level_of(source)}) hold together for all pairs of the {n} models. " if n > 2 else ""
    n = sum(lead.low is not None for lead in known)
    chance = f"{n} comparisons are shown, and none is corrected for the number of truths{' and measures' * several}."
    equal = "No clear difference does not mean that the models are equal."
    ranks = _ranks(digest)
    both, how = (
        f'<div class="two">{"".join([*tables, *ranks])}</div>',
        f"<p>{together}{chance} {equal}{_changes(digest, first, second)}</p>",
    )
    return finding("leads", "Which model is ahead", _heading(digest, first, second), both, how)


def _name(digest: Digest, reliability: float | None) -> str:
    return f"{truth_name(reliability)}{'' if reliability in digest.unrefuted else REFUTED}"


def _changes(digest: Digest, first: str, second: str) -> str:
    """At which reliability the order of the two models changes, if the data show it."""
    for flip in digest.source.rows(FlipRow):
        found = flip.metric, flip.k, {flip.model, flip.other}, flip.is_shown
        if found == (digest.headline.metric, digest.headline.k, {first, second}, True):
            below, above = (flip.other, flip.model) if flip.better_above else (flip.model, flip.other)
            ends = f"{flip.low:.2g} to {flip.high:.2g}"
            return f" {shown(below)} has the better value below reliability {flip.reliability:.2g} ({ends}), {shown(above)} above."
    return ""


def _table(digest: Digest, caption: str, note: str, rows: list[tuple[str, Lead | None, bool]], digits: Digits) -> str:
    first, second = digest.models[:2]
    spans = []
    for name, lead, main in rows:
        if lead is not None:
            style = digest.style(second if lead.sign < 0 else first)
            said = "not counted" if name.endswith(REFUTED) else lead.said(briefly([first, second]))
            spans.append(Span(name, lead.value, lead.low, lead.high, style, said, main))
    return span_table(caption, note, digest.headline.heading.replace("%", "points"), spans, digits, leads=True)


def _ranks(digest: Digest) -> list[str]:
    """Return the ranks of several models that the data leave open: drawn for others, if there are such, beside these annotators."""
    wanted = digest.headline.metric, digest.headline.k, digest.main
    rows = [e for e in digest.source.rows(RankRow) if e[:3] == wanted and e.model in digest.models and e.rank_low is not None]
    others, spans = any(e.others_low is not None for e in rows), []
    for i, e in enumerate(rows[:MOST_RANKS]):
        low, high = (e.others_low, e.others_high) if others else (e.rank_low, e.rank_high)
        beside = f"these: {e.rank_low} to {e.rank_high}" if others else ""
        spans.append(Span(shown(e.model, 24), i + 1.0, low, high, digest.style(e.model), beside))
    if not spans:
        return []
    whom = "for other annotators, too; beside them for these" if others else "for these annotators"
    note = f"{whom}; all hold together, {level_of(digest.source)}{first_of(spans, rows)}"
    return [span_table("Ranks that the data leave open", note, "rank", spans, Digits(0, 1, share=False))]


def _heading(digest: Digest, first: str, second: str) -> str:
    signs = digest.signs(first, second)
    n = sum(s > 0 for s in signs.values()), sum(s < 0 for s in signs.values())
    measure = digest.headline.name.lower()
    some = digest.n_refuted > 0
    kept, of_all = (
        " that is not refuted" if some else "",
        f"the {len(signs)} truths that are not refuted" if some else f"{len(signs)} truths",
    )
    if not any(n):
        return f"In {measure} {names([first])} and {names([second])} cannot be distinguished under any truth{kept}"
    if n[0] == len(signs):
        return f"In {measure} {names([first])} is ahead of {names([second])} under every truth{kept}"
    if all(n):
        return f"Under {n[0]} of {of_all} {names([first])} is ahead, under {n[1]} {names([second])}"
    rest = "the other" if len(signs) - max(n) == 1 else "the others"
    return f"{names([first if n[0] else second])} is ahead under {max(n)} of {of_all}; under {rest} the two cannot be distinguished"
