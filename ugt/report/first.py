"""The first page: the verdict, the yardstick table, two pictures, and the cautions."""

from __future__ import annotations

from .._base.claims import NOBODY
from .._base.counts import counted, whole
from ..tables.names import KAPPA, WITHIN
from ..tables.rows import defined
from ..tables.source import ReportSource
from ..tables.standings import MetricRow
from ..tables.strata import FEW_CASES
from . import wording
from .cautions import cautions, spoilt
from .claims import about_margin, apart_for_others, claim
from .digest import Digest, joined, names, reliability_words, shown, words_for_few
from .digits import Digits, is_flat
from .lead import Lead
from .markup import Section, text, words
from .markup import whole as whole_names
from .pictures import by_certainty, by_reliability
from .words import kind_of_data, per_case
from .yardsticks import FEW_MODELS, MOST_MODELS, beside_errors, measures, without_truth, yardsticks

FEW_NAMED = 2  # models that the verdict names if no truth model describes the annotators
LONG = 160  # characters from which a verdict has smaller letters


def render(source: ReportSource) -> tuple[Section, str]:
    """Return the answer, and the list of cautions next to it."""
    digest = Digest(source)
    verdict, more = _verdict(digest)
    kind = "verdict long" if len(words(verdict)) > LONG else "verdict"
    parts = [f'<h2 class="{kind}" id="answer-heading">{verdict}</h2>', f'<p class="sub">{more}</p>' if more else ""]
    if digest.models and digest.source.unfit:
        parts.append(without_truth(digest))
    elif digest.models:
        parts.append(yardsticks(digest) if len(digest.models) > 1 else measures(digest))
    figures = [] if digest.source.unfit else [*by_reliability(digest), *by_certainty(digest)]
    if figures:
        parts.append(f'<div class="pair">{"".join(figures)}</div>')
    body = "\n".join(filter(None, parts))
    return Section("answer", "Answer", f'<section id="answer" aria-labelledby="answer-heading">\n{body}\n</section>'), _aside(digest)


def plain_verdict(source: ReportSource) -> str:
    """Return the answer to be pasted: markup without bold names."""
    digest = Digest(source)
    return whole_names(" ".join(filter(None, [*_verdict(digest), _for_others(digest)])))


def _for_others(digest: Digest) -> str:
    """Return the intervals for other annotators like these of the models that the verdict names, which its table has on the page."""
    if digest.withheld or digest.source.unfit:
        return ""
    rows = [
        e
        for m in digest.models[:FEW_NAMED]
        if (e := digest.row(m, digest.main)) and digest.digits.in_brackets(e.two_way_low, e.two_way_high)
    ]
    unit = "%" if digest.headline.higher_is_better else f" {digest.headline.units}"
    ends = [f"{digest.digits.ends(e.two_way_low, e.two_way_high)}{unit} ({names([e.model])})" for e in rows]
    return f"With other annotators like these, too, the interval{'s are' if len(ends) > 1 else ' is'} {joined(ends)}." if ends else ""


def said_first(source: ReportSource) -> str:
    """Return the answer as plain text with what is said of a margin, without the other sentences that follow it."""
    digest = Digest(source)
    return words(" ".join([_verdict(digest)[0], *said_of_margin(digest)]))


def title(source: ReportSource) -> str:
    """Return the authors' title, or what was evaluated, as markup."""
    own = wording.said(source).title
    if own is not None:
        return text(own)
    models, cases = source.models, counted(Digest(source).judged, "case")
    if not models:
        return f"Annotations of {cases}"
    said = ", ".join(map(shown, models[:-1])) + f" and {shown(models[-1])}" if 1 < len(models) <= 3 else shown(models[0])
    return f"{len(models)} models on {cases}" if len(models) > 3 else f"{said} on {cases}"


def subtitle(source: ReportSource) -> str:
    """Return the authors and the numbers of cases, classes and annotators."""
    facts, digest = source.data, Digest(source)
    classes = "grades" if facts.ordered else "classes"
    authors = wording.said(source).authors
    parts = [
        *([text(authors)] if authors else ()),
        *([] if facts.n_rows is None else [f"{counted(facts.n_rows, 'row', ('stands', 'stand'))} for {counted(facts.n_cases, 'case')}"]),
        *([digest.cases] if facts.n_rows is None or digest.judged != digest.n_cases else []),
        *([f"{whole(facts.n_classes)} {classes}"] if facts.n_classes else []),
    ]
    if facts.n_annotators:
        parts.append(f"{whole(facts.n_annotators)} annotator{'s' * (facts.n_annotators != 1)}")
    return " · ".join([*parts, *per_case(source, kind_of_data(source))])


# ---- the verdict


def _verdict(digest: Digest) -> tuple[str, str]:
    """Return the sentence of the verdict, and the sentences that follow it."""
    if digest.source.unfit:
        return _without_truth(digest)
    if not digest.models:
        return _without_models(digest)
    doubts = "; ".join(f"{claim[0].lower()}{claim[1:]}" for claim, _ in spoilt(digest.source.notes))
    doubt = f"{doubts[0].upper()}{doubts[1:]}: do not rely on this result." if doubts else ""
    if len(digest.models) == 1:
        said, limits = _one(digest)
        return said, " ".join(filter(None, [doubt, limits]))
    said, more = _several(digest)
    ahead = digest.verdict is not None and digest.verdict.claim != NOBODY
    limits = _limits(digest) if len(digest.models) <= FEW_MODELS and not ahead else ""  # the table below has them
    return said, " ".join(filter(None, [doubt, *more, limits]))


def _without_truth(digest: Digest) -> tuple[str, str]:
    """Return the verdict if no truth model describes the annotators: the vote and agreement with one more annotator."""
    headline, said = digest.headline, []
    for model in digest.models[:FEW_NAMED]:
        row, people = digest.voted(model), digest.annotators.get(model)
        if row is not None:
            ends = "" if digest.withheld else digest.digits.in_brackets(row.case_low, row.case_high)
            one = "" if people is None or people.value is None else headline.and_annotator(digest.digits, people.value)
            said.append(f"{names([model])} {headline.against_vote(digest.digits, defined(row.value), ends)}{one}")
    more = f"The table has {len(digest.models)} models." if len(digest.models) > FEW_NAMED else ""
    return f"No truth model describes these annotators{': ' if said else ''}{'; '.join(said)}.", more


def _without_models(digest: Digest) -> tuple[str, str]:
    if not digest.headline.higher_is_better and digest.ceiling is not None:
        least = digest.headline.limit(digest.digits, defined(digest.ceiling.value), _at(digest))
        return f"{least[0].upper()}{least[1:]}.", "No model was evaluated."
    n, of_all = digest.settled(digest.main)
    if not digest.certainty_rows or not of_all:
        return "No model was evaluated, and the truth of no case is known.", ""
    share = "" if of_all < FEW_CASES else f" ({Digits(0).percent(n / of_all)})"
    at, sure = digest.at_main.replace(",", " at"), "is settled (at least 99% certain)"
    said = f"The truth {sure} in {whole(n)} of {whole(of_all)} cases{share}{at}." if n else f"The truth of no case {sure}{at}."
    if digest.ceiling is None:
        return said, "No model was evaluated."
    most = digest.digits.percent(digest.ceiling.value)
    return said, f"No first choice of a model can agree with the annotators’ truth in more than {most} of cases."


def _at(digest: Digest) -> str:
    """Return words such as ", at reliability 1", after a truth."""
    return digest.at_main.replace(", ", ", at ")


def _said(digest: Digest, row: MetricRow) -> str:
    """Return text such as "agrees with the annotators’ truth in 78.7% of cases (77.1 to 80.3)"."""
    ends = "" if digest.withheld else digest.digits.in_brackets(row.case_low, row.case_high)
    return digest.headline.said(digest.digits, defined(row.value), ends)


def _apart(digest: Digest, lead: Lead) -> str:
    """Return a lead in the headline measure with its unit, with the decimals of its interval."""
    digits = digest.digits if digest.withheld else digest.digits.beside(lead.low, lead.high)
    return digest.headline.with_unit(digits.points(abs(lead.value)))


def _lead_words(digest: Digest, lead: Lead) -> str:
    """Return the interval of a lead in brackets, or that it has no spread; empty if there are too few cases."""
    same = " in every resample" if lead.low is not None and lead.high is not None and is_flat(lead.low, lead.high) else ""
    return "" if digest.withheld else digest.digits.around(lead.low, lead.high) or same


def _one(digest: Digest) -> tuple[str, str]:
    (model,) = digest.models
    row = digest.row(model, digest.main)
    assert row is not None
    said = f"{names([model])} {_said(digest, row)}"
    limits = " ".join(filter(None, [_limits(digest), _beside(digest, model)]))
    lead, constant = digest.over_constant(model), digest.constant()
    if lead is None or constant is None:
        return f"{said}.", limits
    always = f"always answering “{shown(constant.answer)}”"
    apart = _apart(digest, lead)
    if digest.withheld:
        beside = digest.headline.always(digest.digits, shown(constant.answer), defined(constant.value))
        return f"{said}; {beside}.", f"There are {words_for_few(digest)} for an interval."
    if lead.sign:
        ends = _lead_words(digest, lead if lead.sign > 0 else lead.turned)
        return f"{said}, {apart} {digest.headline.more[lead.sign < 0]} than {always}{ends}.", limits
    if (
        lead.low is not None and lead.high is not None and is_flat(lead.low, lead.high)
    ):  # no resample differs: such a model often is the constant answer
        return f"{said}, the same as {always}.", limits
    by = f"a difference of {apart}{_lead_words(digest, lead if lead.value >= 0 else lead.turned)}"
    return f"{said}; it cannot be distinguished from {always}, {by}.", limits


def _beside(digest: Digest, model: str) -> str:
    """Return a sentence on the measures next to an error."""
    cells = {metric: own[model] for metric, _, own in beside_errors(digest) if model in own}
    said = [f"{names([model])} is within one grade in {cells[WITHIN]}% of cases"] if WITHIN in cells else []
    said += [f"{'its' if said else 'Its'} quadratic kappa is {cells[KAPPA]}"] if KAPPA in cells else []
    return f"{', and '.join(said)}." if said else ""


def _several(digest: Digest) -> tuple[str, list[str]]:
    best, second, *_ = digest.models
    leaders, row = digest.leaders, digest.row(best, digest.main)
    assert row is not None
    lead = digest.lead(best, second)
    if digest.withheld or lead is None:
        values = ", ".join(f"{names([m])} {digest.amount(digest.value(m))}" for m in digest.models[:MOST_MODELS])
        few = [f"There are {words_for_few(digest)} to say which model is ahead."] if digest.withheld else []
        return digest.headline.listed(values), few
    if len(leaders) > 2:
        first = names(leaders) if len(leaders) <= 4 else f"{names(leaders[:2], ',')} and {len(leaders) - 2} more"
        low, high = sorted((digest.value(leaders[-1]), digest.value(best)))
        said = f"{first} cannot be distinguished: {digest.headline.said_of(digest.digits, low, high, 'to')}."
        return said, [*said_of_margin(digest), *_behind(digest)]
    if len(leaders) == 2:
        second = leaders[1]
        lead = digest.lead(best, second)
        assert lead is not None
        each = digest.headline.said_of(digest.digits, digest.value(best), digest.value(second))
        difference = f"a difference of {_apart(digest, lead)}{_lead_words(digest, lead)}"
        said = f"{names(leaders)} cannot be distinguished: {each}, {difference}."
        return said, [*apart_for_others(digest), *said_of_margin(digest), *_elsewhere(digest, best, second), *_behind(digest)]
    signs, row_of_claim = digest.signs(best, second), digest.verdict
    assert row_of_claim is not None
    value = f"{names([best])} {_said(digest, row)}{digest.at_main}."
    if min(signs.values()) < 0:
        voted = digest.headline.voted_name
        of_best, of_second = ([r for r, sign in signs.items() if sign == wanted] for wanted in (1, -1))
        parts = f"{names([best])} {reliability_words(of_best, voted)}, {names([second])} {reliability_words(of_second, voted)}"
        return f"Which model is ahead depends on the truth: {parts}.", [value]
    said, more = claim(digest, row_of_claim)
    picked = [f"The lead is of the first of {len(digest.models)} models, which flatters it."] if len(digest.models) > 2 else []
    return said, [*more, *about_margin(digest, row_of_claim), value, *_elsewhere(digest, best, second), *picked]


def said_of_margin(digest: Digest) -> list[str]:
    """Return the sentences on the margin that was stated, of two models or more."""
    return [] if digest.verdict is None or digest.withheld or len(digest.models) < 2 else about_margin(digest, digest.verdict)


def _elsewhere(digest: Digest, first: str, second: str) -> list[str]:
    """Return a sentence on the order of two models under other truths, if there are any."""
    signs, voted = digest.signs(first, second), digest.headline.voted_name
    if len(signs) < 2:
        return []
    ahead, behind, open_ = ([r for r, sign in signs.items() if sign == wanted] for wanted in (1, -1, 0))
    if not behind and not (ahead and open_):  # what is so under all truths confirms nothing: the data are the same
        return []
    found = [f"{names([model])} is ahead {reliability_words(at, voted)}" for model, at in ((first, ahead), (second, behind)) if at]
    return [f"{'; '.join(found)}{f'; the two cannot be distinguished {reliability_words(open_, voted)}' if open_ else ''}."]


def _behind(digest: Digest) -> list[str]:
    """Return a sentence on the difference of the next model to the leaders."""
    others = [m for m in digest.models if m not in digest.leaders]
    lead = digest.lead(digest.models[0], others[0]) if others else None
    if lead is None:
        return []
    behind = f"{_apart(digest, lead)} behind {names([digest.models[0]])}{_lead_words(digest, lead)}"
    rest = f", and {len(others) - 1} more are further behind" if len(others) > 1 else ""
    return [f"{names(others[:1])} is {behind}{rest}."]


def _limits(digest: Digest) -> str:
    """Return a sentence on the limit of the measure, and on the constant answer."""
    ceiling, constant = digest.ceiling, digest.constant()
    parts = []
    if ceiling is not None:
        parts.append(digest.headline.limit(digest.digits, defined(ceiling.value), _at(digest)))
    if constant is not None and len(digest.models) > 1:
        parts.append(digest.headline.always(digest.digits, shown(constant.answer), defined(constant.value)))
    said = "; ".join(parts)
    return f"{said[0].upper()}{said[1:]}." if said else ""


# ---- cautions


def _aside(digest: Digest) -> str:
    items = "\n".join(
        f"<li{' class=' + chr(34) + 'serious' + chr(34) if one.serious else ''}><b>{one.claim}</b> {one.sentence}</li>"
        for one in cautions(digest)
    )
    return f'<h2 id="cautions">Before you quote these numbers</h2>\n<ol>\n{items}\n</ol>'


def running_title(source: ReportSource) -> str:
    """Return the title for the top of printed pages: letters, digits and spaces that are safe in a style sheet."""
    models = source.models
    named = f"{', '.join(map(str, models[:3]))} on {counted(Digest(source).judged, 'case')}"
    said = wording.said(source).title or (named if 0 < len(models) <= 3 else words(title(source)))
    return safe(said)


def safe(said: str) -> str:
    """Return text that is safe in a style sheet."""
    return " ".join("".join(one if one.isalnum() or one in "_.,()-" else " " for one in said).split())[:80]
