"""The table of the first page: models between baselines and ceilings, or the measures of one model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .._base.counts import whole
from ..tables.confusion import ClassRow
from ..tables.latent_class import LatentClassRow
from ..tables.names import COMMONEST, GRADE_METRICS, KAPPA, MEDIAN, PERFECT, TOP, VOTED, WITHIN, in_grades
from ..tables.rows import value_of
from ..tables.standings import MetricRow
from . import svg
from .digest import Digest, shown, words_for_few
from .digits import Digits, Ends, within
from .markup import NONE, first_row, framed, level_of, unique, words
from .rows import first_of

MOST_MODELS = 8  # most rows
FEW_MODELS = 5  # with more, rows are lower
FEW_TICKS = 3  # about as many numbers fit under a narrow plot
EDGE = 95.0  # per cent of an axis, from where a number ends at its mark
PEOPLE = "Annotators with each other"
OWN = "the truth’s<br>own law"
# Measures of grades next to the error, and their headings.
BESIDE = {WITHIN: "within one<br>grade, %", KAPPA: "quadratic<br>kappa"}


class Line(NamedTuple):
    """A row: its name, a value with its interval, the value against the voted label, and further cells."""

    name: str
    note: str = ""
    style: int | None = None  # style of a model
    value: float | None = None
    ends: Ends = (None, None)
    two_way: Ends = (None, None)
    voted: float | None = None
    cells: Sequence[str] = ()
    constant: float | None = None
    ceiling: float | None = None


def yardsticks(digest: Digest) -> str:
    """Return the table of several models between the limit of the measure and the constant answer."""
    constant, ceiling, people, headline = digest.constant(), digest.ceiling, digest.annotators, digest.headline
    further, drawn = beside_errors(digest), digest.models[:MOST_MODELS]

    def cells(model: str = "", against_one: float | None = None) -> list[str]:
        """The cells beside the voted label: the value against one annotator, and the measures next to an error."""
        return [*([digest.digits.value(against_one)] if people else []), *(own.get(model, NONE) for *_, own in further)]

    lines = []
    if ceiling is not None:
        ends, at_best = (ceiling.case_low, ceiling.case_high), 1.0 if headline.higher_is_better else 0.0
        lines.append(Line(headline.ceiling, value=ceiling.value, ends=ends, voted=at_best, cells=cells()))
    for model in drawn:
        one = _line(shown(model), "", digest.style(model), digest.row(model, digest.main), digest.voted(model))
        lines.append(one._replace(cells=cells(model, value_of(people.get(model)))))
    if constant is not None:
        name, against = f"Always “{shown(constant.answer)}”", value_of(digest.constant(headline.voted))
        lines.append(Line(name, value=constant.value, ends=(constant.low, constant.high), voted=against, cells=cells()))
    among = first_row(e.annotators for e in people.values())
    if among is not None:
        lines.append(Line(PEOPLE, cells=cells(against_one=among)))
    note = f"{headline.note}{digest.at_main}; {digest.cases}{first_of(drawn, digest.models)}"
    heads = [*(["against one<br>annotator"] if people else []), *(head for _, head, _ in further)]
    lines = [one._replace(constant=value_of(constant), ceiling=value_of(ceiling)) for one in lines]
    return _table(digest, headline.caption, note, heads, lines, digest.digits)


def without_truth(digest: Digest) -> str:
    """Return the table of models against the voted label and one more annotator, if no truth model describes the annotators."""
    people, headline, drawn = digest.annotators, digest.headline, digest.models[:MOST_MODELS]
    lines = []
    for model in drawn:
        row = digest.voted(model)
        if row is not None:
            cells = [digest.digits.value(value_of(people.get(model)))] if people else []
            lines.append(_line(shown(model), "", digest.style(model), row)._replace(cells=cells))
    constant, among = digest.constant(headline.voted), first_row(e.annotators for e in people.values())
    if constant is not None:
        empty = [NONE] if people else []
        lines.append(Line(f"Always “{shown(constant.answer)}”", value=constant.value, ends=(constant.low, constant.high), cells=empty))
    if among is not None:
        lines.append(Line(PEOPLE, cells=[digest.digits.value(among)]))
    note = f"{digest.cases}{first_of(drawn, digest.models)}"
    heads = ["against one<br>annotator"] if people else []
    return _table(digest, f"Models against the {headline.voted_name}", note, heads, lines, digest.digits, voted=False)


def beside_errors(digest: Digest) -> list[tuple[str, str, dict[str, str]]]:
    """Return the measures next to an error: name, heading, and the value of each model."""
    found = []
    for metric, head in BESIDE.items() if not digest.headline.higher_is_better else ():
        rows = {m: digest.of_main(m, metric) for m in digest.models}
        known = {m: e for m, e in rows.items() if e is not None and e.value is not None}
        if known:
            digits = digits_of(digest, metric, [(e.case_low, e.case_high) for e in known.values()])
            found.append((metric, head, {m: digits.value(e.value) for m, e in known.items()}))
    return found


def digits_of(digest: Digest, metric: str, ends: Sequence[Ends]) -> Digits:
    """Return the digits of a measure of grades: shares in per cent, others in their unit."""
    if GRADE_METRICS[metric].unit == "share":
        return digest.share_digits(ends)
    return digest.amount_digits(ends)


def measures(digest: Digest) -> str:
    """Return the table of one model: each measure with its own baseline and its own ceiling."""
    (model,) = digest.models
    shares, constant = digest.headline.higher_is_better, digest.constant()
    lines = list(_lines_of(digest, model) if shares else _errors(digest, model))
    digits = (digest.share_digits if shares else digest.amount_digits)(one.ends for one in lines)
    limited = not shares or any(one.ceiling is not None for one in lines)
    filled = [one._replace(cells=[digits.value(one.constant), *([digits.value(one.ceiling)] if limited else [])]) for one in lines]
    trivial = "commonest" if shares else "median"
    heads = [
        f"always the<br>{trivial}" if constant is None else f"always<br>“{shown(constant.answer, 16)}”",
        *(["ceiling" if shares else OWN] if limited else []),
    ]
    begin = "The" if shares else "Lower is better; the"
    note = f"{begin} truth is drawn from what the annotations leave open{digest.at_main}; {digest.cases}"
    limit = "the truth’s own law as the prediction"
    if shares:  # several: also of areas, which are not those of first choices
        several = sum(one.ceiling is not None for one in lines) > 1
        limit = "ceiling: the most that these annotations allow" if several else ""
    return _table(digest, f"{shown(model)} against the annotators’ truth", note, heads, filled, digits, limit)


def _errors(digest: Digest, model: str) -> Iterator[Line]:
    """Yield each error of a model of grades or ratings with that of the constant answer and of the truth's own law."""
    for metric in (m for m in unique(e.metric for e in digest.source.rows(MetricRow)) if in_grades(m)):
        row = digest.of_main(model, metric)
        if row is None or row.value is None:
            continue
        first = metric == digest.headline.metric
        line = _line(GRADE_METRICS[metric].label, "", 0, row, digest.voted(model) if first else None)
        trivial, own = (value_of(digest.reference(name, metric)) for name in (MEDIAN, PERFECT))
        yield line._replace(constant=trivial, ceiling=own)
        one = digest.next_errors.get(model) if first else None
        if one is not None:
            yield Line("Error against one annotator", "", 0, one.error, (one.error_low, one.error_high))
            yield Line(PEOPLE, value=one.annotators, ends=(one.annotators_low, one.annotators_high))


def _lines_of(digest: Digest, model: str) -> Iterator[Line]:
    """Yield the accuracies of each order, the positive and negative agreement of two classes, and areas under curves."""
    n_classes, positive = digest.source.data.n_classes, digest.source.provenance.positive_class
    for k in sorted(e.k for e in digest.found(model=model, metric=TOP, reliability=digest.main) if e.k is not None):
        row = digest.of_main(model, TOP, k)
        if row is None or row.value is None or 1 < k >= n_classes:  # all classes always hold the truth
            continue
        name, note = ("Accuracy", "agreement of the first choice") if k == 1 else (f"Top-{k} accuracy", f"the truth is among the first {k}")
        line = _line(name, note, 0, row, first_row(digest.found(model=model, metric=VOTED, k=k)))
        trivial = value_of(digest.reference(COMMONEST, TOP, k))
        yield line._replace(constant=trivial, ceiling=value_of(digest.ceiling) if k == 1 else None)
    if n_classes == 2:
        yield from _found(digest, model)
    rare = rare_class(digest, model)
    if rare is not None:
        yield from _areas(digest, model, rare)
        return
    for metric, name in (("soft_auroc", "Area under the ROC curve"), ("soft_average_precision", "Average precision")):
        row = digest.of_main(model, metric)
        if row is not None and row.value is not None:
            note = f"soft, of “{shown(positive, 12)}” × 100" if positive else f"{metric.replace('_', ' ').replace('auroc', 'AUROC')} × 100"
            most, trivial = (value_of(digest.reference(one, metric)) for one in (PERFECT, COMMONEST))
            yield _line(name, note, 0, row)._replace(constant=trivial, ceiling=most)


def rare_class(digest: Digest, model: str) -> LatentClassRow | None:
    """Return the numbers of a model against the latent class, if one of two classes is rare."""
    return first_row(e for e in digest.source.rows(LatentClassRow) if e.model == model and e.is_rare)


def rare_area(rare: LatentClassRow) -> float | None:
    """Return the area of a rare class against the latent class; None if the labels do not determine it."""
    return rare.auroc if rare.determined else None


def _areas(digest: Digest, model: str, rare: LatentClassRow) -> Iterator[Line]:
    """Yield the areas of a rare class, each against another truth: shares of labels, the voted label, the latent class."""
    soft, hard = (digest.of_main(model, metric) for metric in ("soft_auroc", "hard_auroc"))
    if soft is not None and soft.value is not None:
        most, trivial = (value_of(digest.reference(one, "soft_auroc")) for one in (PERFECT, COMMONEST))
        line = _line("Area under the ROC curve", f"soft: each case is “{shown(rare.class_, 12)}” in part × 100", 0, soft)
        yield line._replace(constant=trivial, ceiling=most)
    if hard is not None and hard.value is not None:
        yield _line("Area, hard", f"cases voted “{shown(rare.class_, 12)}” × 100", 0, hard)
    area = rare_area(rare)
    if area is not None:
        above = ", estimate above 100" if area > 1 else ""
        ends = within(rare.auroc_low, rare.auroc_high)
        yield Line("Area, latent class", f"if score and annotators err independently × 100{above}", 0, min(area, 1.0), ends)
    else:
        yield Line("Area, latent class", "not determined by these labels")


def _found(digest: Digest, model: str) -> Iterator[Line]:
    """Yield how many of the cases of each class, as the truth is drawn, a model finds."""
    constant, votes, cases = digest.constant(), Counter[str](), digest.source.cases
    for one, n in zip(cases.voted, cases.often):
        votes[str(one)] += n
    for e in digest.source.rows(ClassRow):
        if e.model == model and e.ppa is not None:
            trivial = None if constant is None else float(str(e.class_) == str(constant.answer))
            name, note = f"“{shown(e.class_, 20)}” found", f"of the drawn truth; {whole(votes[str(e.class_)])} voted so"
            yield Line(name, note, 0, e.ppa, (e.ppa_low, e.ppa_high), voted=e.voted_ppa, constant=trivial)


def _line(name: str, note: str, style: int, row: MetricRow | None, voted: MetricRow | None = None) -> Line:
    """Return the line of a model with its intervals over cases, and over cases and annotators."""
    assert row is not None
    ends, two_way = (row.case_low, row.case_high), (row.two_way_low, row.two_way_high)
    return Line(name, note, style, row.value, ends, two_way, value_of(voted))


def _table(
    digest: Digest,
    caption: str,
    note: str,
    heads: Sequence[str],
    lines: Sequence[Line],
    digits: Digits,
    limit: str = "",
    voted: bool = True,
) -> str:
    """Return the table; ``voted``: whether values against the voted label have a column of their own."""
    named = not digest.withheld and any(None not in one.two_way for one in lines)
    level = f"{level_of(digest.source)} interval"
    against = [(f"against the<br>{digest.headline.voted_name}", "r")] if voted else []
    further = [(_OTHERS, "ends"), *against, *((head, "r") for head in heads)][not named :]
    ends = f"{level},<br>these annotators" if named else level
    columns = f"{_head('value', 'r')}{_head(ends, 'ends')}{''.join(_head(*one) for one in further)}"
    said = [(words(head), kind) for head, kind in further]
    scale = _axis(digest, lines)
    rows = "\n".join(_row(digest, one, digits, (named, voted), said, scale) for one in lines)
    axis = "".join(f'<text x="{place:.0f}%" y="13" text-anchor="{side}">{name}</text>' for place, name, side in _marks(digest, scale))
    empty = "<td></td>" * (2 + len(further))
    foot = f'<tfoot aria-hidden="true"><tr><td></td><td class="plot"><svg>{axis}</svg></td>{empty}</tr></tfoot>'
    head = f'<thead role="rowgroup"><tr role="row"><td role="cell"></td>{_head(digest.headline.heading, "plot")}{columns}</tr></thead>'
    kind = "yard stands many" if sum(one.style is not None for one in lines) > FEW_MODELS else "yard stands"
    content = f'{head}\n<tbody role="rowgroup">\n{rows}\n</tbody>\n{foot}'
    return framed(kind, caption, note, content, 'role="table"') + _key(digest, lines, limit)


_OTHERS = "other annotators<br>like these"


def _head(html: str, kind: str) -> str:
    return f'<th scope="col" role="columnheader" class="{kind}">{html}</th>'


def _axis(digest: Digest, lines: Sequence[Line]) -> svg.Scale:
    """Return the scale of the plots: shares from 0 to 1, distances from 0."""
    if digest.headline.higher_is_better:
        return svg.Scale(0.0, 1.0, 0.0, 100.0)
    return svg.Scale(
        0.0, svg.around([0.0, *(v for one in lines for v in (one.value, one.ends[1], one.voted) if v is not None)])[1], 0.0, 100.0
    )


def _marks(digest: Digest, scale: svg.Scale) -> list[tuple[float, str, str]]:
    """Return the place, the number and the alignment of each number of the axis."""
    share = digest.headline.higher_is_better
    at = [0.0, 0.25, 0.5, 0.75, 1.0] if share else [v for v in svg.ticks(scale, FEW_TICKS) if v <= scale.high * (1 + 1e-9)]
    side = {at[0]: "start", **({at[-1]: "end"} if scale.at(at[-1]) > EDGE else {})}
    return [(scale.at(v), f"{100 * v:.0f}" if share else f"{v:.4g}", side.get(v, "middle")) for v in at]


def _row(
    digest: Digest, one: Line, digits: Digits, columns: tuple[bool, bool], further: Sequence[tuple[str, str]], scale: svg.Scale
) -> str:
    """Return a row; narrow windows show it as a block, which needs the roles."""
    mark = (
        ""
        if one.style is None or len(digest.models) == 1
        else f'<svg class="mark" viewBox="-7 -7 14 14" aria-hidden="true">{svg.marker(0, 0, one.style)}</svg>'
    )
    name = f"{one.name}<small>{one.note}</small>" if one.note else one.name
    ends = words_for_few(digest) if digest.withheld and one.value is not None else digits.ends(*one.ends)
    row, none = ' class="ref"' if one.style is None else "", "" if one.value is not None else " none"
    named, voted = columns
    beside = [*([digits.ends(*one.two_way)] if named else []), *([digits.value(one.voted)] if voted else []), *one.cells]
    cells = "".join(_further(kind, said, cell) for (said, kind), cell in zip(further, beside))
    return (
        f'<tr role="row"{row}><th scope="row" role="rowheader">{mark}{name}</th>'
        f'<td class="plot" aria-hidden="true">{_plot(digest, one, scale)}</td>'
        f'<td role="cell" class="r{none}"><b>{digits.value(one.value)}</b></td>'
        f'<td role="cell" class="ends{none}">{ends if one.value is not None else NONE}</td>{cells}</tr>'
    )


def _further(kind: str, said: str, cell: str) -> str:
    """Return a further cell; narrow windows show its heading before it, and no empty cell."""
    attributes = f'class="{kind} more none"' if cell == NONE else f'class="{kind} more" data-head="{said}"'
    return f'<td role="cell" {attributes}>{cell}</td>'


def _plot(digest: Digest, one: Line, scale: svg.Scale) -> str:
    """Return a value with its interval on an axis, with the voted one, the constant answer and the limit."""
    share = digest.headline.higher_is_better
    grid = svg.vertical_lines(scale.at(at) for at in svg.ticks(scale, FEW_TICKS))
    parts = ['<use class="hair" href="#g"/>' if share else f'<g class="hair">{grid}</g>']
    for kind, at in (("trivial", one.constant), ("most", one.ceiling)):
        if at is not None:
            parts.append(f'<line class="{kind}" x1="{scale.at(at):.1f}%" x2="{scale.at(at):.1f}%" y2="100%"/>')
    if one.style is not None and one.value is not None:
        style, lower = f"s{one.style % svg.N_STYLES}", 7 if len(digest.models) <= FEW_MODELS else 5
        raised = 2 - lower if one.voted is not None else 0
        inner = ""
        low, high = one.ends
        if low is not None and high is not None and not digest.withheld:
            inner += f'<line class="line {style}" x1="{scale.at(low):.1f}%" x2="{scale.at(high):.1f}%" y1="{raised}" y2="{raised}"/>'
        inner += svg.marker(scale.at(one.value), raised, one.style, "%")
        if one.voted is not None:
            inner += f'<use class="hollow" href="#v" x="{scale.at(one.voted):.1f}%" y="{lower}"/>'
        parts.append(f'<svg y="50%">{inner}</svg>')
    return f"<svg>{''.join(parts)}</svg>"


def _key(digest: Digest, lines: Sequence[Line], limit: str) -> str:
    """Return the key to the marks of the table; ``limit``: the name of the bar, if it is not that of the measure."""
    found = []
    if any(one.constant is not None for one in lines):
        found.append(('<line class="trivial" x1="10" x2="10" y1="0" y2="13"/>', digest.headline.always_key))
    found.append(('<line class="line s0" x1="1" x2="19" y1="6.5" y2="6.5"/>' + svg.marker(10, 6.5, 0), "value with its interval"))
    if any(one.voted is not None and one.style is not None for one in lines):
        found.append(('<use class="hollow" href="#v" x="10" y="6.5"/>', f"{digest.headline.voted_name} taken as certain"))
    if any(one.ceiling is not None for one in lines):
        found.append(('<line class="most" x1="10" x2="10" y1="0" y2="13"/>', limit or digest.headline.ceiling_key))
    return (
        '<p class="key">'
        + "".join(f'<span><svg viewBox="0 0 20 13" aria-hidden="true">{mark}</svg>{said}</span>' for mark, said in found)
        + "</p>"
    )
