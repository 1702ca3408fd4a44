"""Every measure of grades or ratings in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...tables.errors import GivenGradesRow
from ...tables.names import GRADE_METRICS, MEDIAN, PERFECT, in_grades
from ...tables.rows import value_of
from ...tables.source import ReportSource
from ...tables.standings import MetricRow
from ..digest import Digest, names, shown
from ..markup import NONE, Section, finding, unique
from ..rows import below, by_model, plain_table
from ..side_by_side import JOINT, Measure, SideBySide, value_cell
from ..yardsticks import OWN, digits_of

if TYPE_CHECKING:
    from ..lead import Lead

GIVEN_GRADES = (
    "The truth model leaves the grade of a case open, and the more so, the fewer annotations a case has. A model that sees the case knows "
    "more than these annotations say: against the truth model its errors then look larger, and its order of the cases worse, than against "
    "a further annotator. Against the grades that were given they do not, if the model has not seen these grades. “An annotator left out” "
    "is the error of one annotator against the others."
)


def render(source: ReportSource) -> Section | None:
    """Return one row for each measure of grades or ratings; None if there are none."""
    digest = Digest(source)
    alone = len(digest.models) == 1  # page one has its errors
    measures = [m for m in unique(e.metric for e in source.rows(MetricRow)) if m in GRADE_METRICS and not (alone and in_grades(m))]
    if len(measures) < 2 - alone or not digest.models:
        return None
    table = SideBySide(digest, [(metric, None) for metric in measures])
    lines = []
    for metric in measures:
        rows = table.rows(metric, None)
        digits = digits_of(digest, metric, [(e.case_low, e.case_high) for e in rows if e])
        known = [value_of(digest.reference(name, metric)) for name in (MEDIAN, PERFECT)]
        cells = [*(value_cell(digest, digits, e) for e in rows), *map(digits.value, known)]
        lines.append((_named(digest, metric), [*cells, *table.ahead(metric, None)]))
    heads = table.heads("measure", "always the<br>median", OWN)
    made = plain_table(f"All measures of {_things(digest)}", table.note("metrics.csv"), heads, lines)
    own = "“The truth’s own law” is what a model has that predicts exactly what the annotations leave open."
    joint = f"<p>{own} {JOINT}</p>" if table.pair else f"<p>{own}</p>"
    heading, given = _heading(digest, table.leads, table.pair), _given(digest, table.drawn)
    return finding("errors", f"Measures of {_things(digest)}", heading, made, joint, *given)


def _given(digest: Digest, drawn: list[str]) -> list[str]:
    """Return the measures against the grades that annotators gave, with how to read them; nothing without labels."""
    entries = [e for e in digest.source.rows(GivenGradesRow) if e.model in drawn and e.value is not None]
    lines = []
    for metric, own in by_model(entries, lambda e: e.metric, drawn):
        digits = digits_of(digest, metric, [(e.low, e.high) for e in own if e])
        cells = [NONE if e is None else below(digits, e.value, *digest.ends(e.low, e.high)) for e in own]
        people = next(iter(digest.annotators.values()), None) if metric == digest.headline.metric else None
        lines.append((_named(digest, metric), [*cells, NONE if people is None else digits.value(people.annotators)]))
    if not lines:
        return []
    heads = ["measure", *map(shown, drawn), "an annotator<br>left out"]
    note = "mean over the annotators of a case; no truth model"
    return [plain_table("The same measures against the grades that annotators gave", note, heads, lines), f"<p>{GIVEN_GRADES}</p>"]


def _things(digest: Digest) -> str:
    return "ratings" if digest.source.data.kind == "ratings" else "grades"


def _named(digest: Digest, metric: str) -> str:
    """Return the name of a measure with its unit and direction."""
    one = GRADE_METRICS[metric]
    unit = {"share": "%", "grades": digest.headline.units, "grades²": f"{digest.headline.units}, squared"}.get(one.unit, one.unit)
    better = "higher is better" if one.higher_is_better else "lower is better"
    return f"{one.label}<small>{', '.join(filter(None, (unit, better)))}</small>"


def _heading(digest: Digest, leads: dict[Measure, Lead | None], pair: list[str]) -> str:
    signs = [lead.sign for lead in leads.values() if lead is not None]
    if not signs:
        return f"All measures of {_things(digest)} side by side"
    ahead, behind = signs.count(1), signs.count(-1)
    of_all = f"{len(signs)} measures of {_things(digest)}"
    if not ahead and not behind:
        return f"{names(pair)} cannot be distinguished in any of the {of_all}"
    if ahead and behind:
        return f"Of {of_all}, {ahead} favour{'s' * (ahead == 1)} {names(pair[:1])} and {behind} {names(pair[1:])}"
    return f"{names([pair[0] if ahead else pair[1]])} is ahead in {max(ahead, behind)} of {of_all}"
