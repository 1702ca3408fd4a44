"""Agreement on each class, as an appendix."""

from __future__ import annotations

from collections.abc import Sequence

from ..._base.counts import whole
from ...tables.confusion import OTHERS, ClassRow, ConfusionRow, GroupRow
from ...tables.source import ReportSource
from .. import markup as html
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import Section, unique
from ..rows import TOO_FEW, below, first_of, plain_table

TITLE = "Agreement on each class"
MOST_MODELS = 4  # columns


def render(source: ReportSource) -> Section | None:
    """Return positive percent agreement of each class and group; None if the first page has it."""
    digest = Digest(source).of_choices
    classes, groups = source.rows(ClassRow), source.rows(GroupRow)
    if not digest.models or not classes or (source.data.n_classes == 2 and len(digest.models) == 1):
        return None
    how = (
        "A case counts for every class with the probability that the class is its most plausible one. Positive percent agreement is the "
        "share of the expected cases of a class that the model gives this class; it stays below 100% where the annotations leave the class "
        "open."
    )
    parts = [_agreement_table(digest, [(e.class_, e) for e in classes], "class")]
    parts += [_agreement_table(digest, [(e.group, e) for e in groups], "group")] if groups else []
    return html.section("confusion", TITLE, how, *parts)


def _agreement_table(digest: Digest, entries: Sequence[tuple[str, ClassRow | GroupRow]], of_what: str) -> str:
    """Return one row for each class or group, the one with most expected cases first."""
    drawn = digest.models[:MOST_MODELS]
    found = {(e.model, name): e for name, e in entries if e.model in drawn}
    names = sorted(unique(name for _, name in found), key=lambda name: (name == OTHERS, -found[drawn[0], name].n_expected))
    digits = Digits.of((e.ppa_low, e.ppa_high) for e in found.values())
    rows = []
    for name in names:
        own = [found[model, name] for model in drawn]
        rows.append((shown(name), [whole(own[0].n_expected), *(_cell(digest, digits, e) for e in own)]))
    note = f"%, {digest.intervals}{digest.at_main}; {of_what}_agreement.csv has the other measures{first_of(drawn, digest.models)}"
    return plain_table(f"Positive percent agreement by {of_what}", note, [of_what, "expected<br>cases", *map(shown, drawn)], rows)


def _cell(digest: Digest, digits: Digits, e: ClassRow | GroupRow) -> str:
    """Return a value with its interval; where too few cases are expected it has none, and the cell says so."""
    few = e.ppa is not None and e.ppa_low is None and not digest.withheld
    return f'<b>{digits.value(e.ppa)}</b><span class="below">{TOO_FEW}</span>' if few else below(digits, e.ppa, e.ppa_low, e.ppa_high)


def commonest(source: ReportSource) -> str:
    """Return a sentence on the classes that the models confuse most often."""
    wrong = [e for e in source.rows(ConfusionRow) if e.truth != e.predicted and OTHERS not in (e.truth, e.predicted)]
    if not wrong or source.data.n_classes < 3:
        return ""
    e = max(wrong, key=lambda e: float(e.n))
    total = sum(float(one.n) for one in source.rows(ConfusionRow) if one.model == e.model)
    taken = f"The commonest confusion, “{shown(e.truth)}” taken for “{shown(e.predicted)}” by {shown(e.model)},"
    return f"<p>{taken} concerns about {whole(e.n)} of {whole(total)} cases.</p>"
