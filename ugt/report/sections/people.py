"""The annotators as the yardstick: how often models agree with one annotator, and annotators with each other."""

from __future__ import annotations

from ..._base.claims import NOBODY, OTHERS, claim_of
from ..._base.counts import counted
from ...tables.agreement import AgreementRow
from ...tables.humans import HumanRow
from ...tables.rows import defined
from ...tables.source import ReportSource
from ...tables.true_accuracy import NextAnnotatorRow
from ..digest import Digest, names, shown, words_for_few
from ..digits import Digits, is_flat, p_said
from ..markup import NONE, Section, finding, level_of, link, unique
from ..rows import Span, plain_table, span_table
from ..truths import mending, with_prior
from ..words import per_case
from .strictness import content

MOST = 6  # most coefficients
OF_GRADES = (
    "percent agreement", "Fleiss' kappa (linear)", "Fleiss' kappa (quadratic)", "Gwet's AC2 (quadratic)", "Krippendorff's alpha (ordinal)",
    "Krippendorff's alpha (interval)",
)  # fmt: skip


def render(source: ReportSource) -> Section | None:
    """Return the section; None if single annotations are unknown."""
    digest = Digest(source).of_choices
    agreement = [e for e in source.rows(AgreementRow) if e.value is not None]
    people = [digest.next_annotators[m] for m in digest.models if m in digest.next_annotators]
    if not agreement and not people:
        return None
    parts = [_one_annotator(digest, people) if people else "", _coefficients(digest, agreement) if agreement else ""]
    both = f'<div class="two">{"".join(parts)}</div>' if all(parts) else "".join(parts)
    return finding("people", "The annotators", _heading(digest, people), both, *_ratios(digest), *_panel(digest), *_strict(source))


def _one_annotator(digest: Digest, people: list[NextAnnotatorRow]) -> str:
    among = people[0]
    digits = digest.share_digits((e.agreement_low, e.agreement_high) for e in people)
    limit = among.annotators
    spans = [Span(shown(e.model), e.agreement, e.agreement_low, e.agreement_high, digest.style(e.model), limit=limit) for e in people]
    note = f"Same first choice, mean over the annotators of a case; {digest.intervals}"
    if among.annotators is not None:
        ends = among.annotators_low, among.annotators_high
        spans.append(Span("annotators with each other", among.annotators, *ends, 4, limit=among.annotators))
        note += ". Vertical bar: annotators with each other"
    return span_table("Agreement with one annotator", note, "%", spans, digits)


def _coefficients(digest: Digest, entries: list[AgreementRow]) -> str:
    """Return the table of coefficients, with as many decimals as their intervals deserve: two, or three."""
    of_grades = [e for name in OF_GRADES for e in entries if e.coefficient == name]
    drawn = of_grades if len(of_grades) == MOST else entries[:MOST]
    halves = sorted((e.high - e.low) / 2 for e in drawn if e.low is not None and e.high is not None)
    digits = Digits(3 if halves and halves[len(halves) // 2] < 0.005 else 2, 1, share=False)
    rows = [(shown(e.coefficient, 48), _numbers(e, digits)) for e in drawn]
    heads = ["", "value", f"{level_of(digest.source)} interval,<br>these annotators", "other annotators<br>like these"]
    n = next(n for n in (3, 2, 1) if n == 1 or any(cells[n - 1] != NONE for _, cells in rows))  # columns with a number
    note = _note_of(digest, entries, drawn)
    return plain_table("Agreement among the annotators", note, heads[: n + 1], [(name, cells[:n]) for name, cells in rows])


def _numbers(e: AgreementRow, digits: Digits) -> list[str]:
    return [f"<b>{digits.value(e.value)}</b>", _ends(e.low, e.high, digits), _ends(e.two_way_low, e.two_way_high, digits)]


def _note_of(digest: Digest, entries: list[AgreementRow], drawn: list[AgreementRow]) -> str:
    parts = [counted(max(e.n_cases for e in drawn), "case"), *([digest.intervals] if digest.withheld else [])]
    more = f"; {MOST} of {len(entries)} coefficients, agreement.csv has all" if len(entries) > MOST else ""
    reasons = "".join(f". {shown(reason[:1].upper() + reason[1:], 200)}" for reason in unique(e.reason for e in drawn if e.reason))
    return ", ".join([*parts, *per_case(digest.source, "annotations")]) + more + reasons


def _ends(low: float | None, high: float | None, digits: Digits) -> str:
    return NONE if low is None or high is None else f"{digits.value(low)} to {digits.value(high)}"


def _heading(digest: Digest, people: list[NextAnnotatorRow]) -> str:
    if not people:
        return _among(digest)
    best = people[0]
    if best.annotators is None:  # no case has two annotators
        whom = "the only annotator" if digest.source.data.n_annotators == 1 else "an annotator"
        digits = digest.share_digits([(best.agreement_low, best.agreement_high)])
        return f"{names([best.model])} agrees with {whom} in {digits.percent(best.agreement)} of cases"
    own = [e.more_often for e in people if e.model in digest.leaders and e.difference is not None]
    agree = f"{names(digest.leaders[:3])} agree{'s' * (len(digest.leaders) == 1)} with an annotator"
    for how, claim in (("more", claim_of(own)), ("less", claim_of(one.turned for one in own))):
        if claim != NOBODY and len(own) == len(digest.leaders):
            whom = "annotators like these" if claim == OTHERS else "these annotators"
            return f"{agree} {how} often than {whom} with each other"
    return f"Whether {agree} as often as annotators with each other is open"


def _among(digest: Digest) -> str:
    """Return the heading without models: the first coefficient with its interval."""
    e = next(e for e in digest.source.rows(AgreementRow) if e.value is not None)
    digits = Digits(2, 1, share=False)
    said = NONE if digest.withheld else _ends(e.low, e.high, digits)
    ends = "" if said == NONE else f" ({said})"
    return f"Annotators with each other: {shown(e.coefficient, 48)} {digits.value(e.value)}{ends}"


def _ratios(digest: Digest) -> list[str]:
    """Return the discrepancy ratios of the models, with their caution."""
    source = digest.source
    known = [e for e in source.rows(HumanRow) if e.kind == "model" and e.value is not None]
    found = [e for e in known if e.upper is not None or digest.withheld]
    if not found:
        return []
    parts = []
    for e in found[:3]:
        reached = "none" if e.two_way_upper is None else f"{e.two_way_upper:.2f}"
        other = "" if e.two_way_low is None else f"; for other annotators too {reached}"
        limit = "the same in every resample"  # then it shows no spread, and a limit would claim too much
        if e.upper is None:
            limit = f"{words_for_few(digest)} for a limit"
        elif not is_flat(defined(e.value), e.upper):
            limit = f"one-sided {level_of(source)} limit {e.upper:.2f}{other}"
        parts.append(f"{names([e.name])} {e.value:.2f} ({limit})")
    more = f" (the first 3 of {len(found)} models; humans.csv has all)" if len(found) > 3 else ""
    return [
        f"<p>Discrepancy ratio, disagreement of the model with annotators divided by that of annotators with each other: "
        f"{'; '.join(parts)}{more}. "
        "Below 1 the model disagrees less with annotators than they do with each other. A model that stays close to the common label gets "
        "there easily: the ratio does not show that a model is better than an annotator.</p>"
    ]


def _strict(source: ReportSource) -> list[str]:
    """Return a sentence on who gives higher or lower grades than the others; the appendix of differences has the numbers."""
    found = None if source.data.kind == "ratings" else content(source)
    return [] if found is None else [f"<p>{found[2]} in the same cases ({link('limits', 'differences of grades')}).</p>"]


def _panel(digest: Digest) -> list[str]:
    """Return a sentence on how well the truth model predicts a further annotator's labels."""
    e = digest.held_out
    if e is None:
        return []
    digits = Digits.of([(e.low, e.high)])
    seen, predicted = digits.percent(e.observed), digits.percent(e.predicted)
    said = f"in {seen} of cases ({digits.ends(e.low, e.high)}); the truth model{with_prior(digest)} predicts {predicted}"
    if e.p_value is None:
        verdict = ""
    else:  # the test compares both on the same cases: the interval of one of them can include the other
        chance = p_said(e.p_value)
        larger = f" The difference is larger than chance explains ({chance})"
        wrong = f"{larger}. {mending(digest)}"
        verdict = wrong if digest.misfit() else f" The difference is not larger than chance explains ({chance})."
    return [f"<p>An annotator who was held out agrees with the vote of the others {said}.{verdict}</p>"]
