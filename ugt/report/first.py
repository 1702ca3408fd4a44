"""The first page: the verdict, the yardstick table, two pictures, and what must be known before a number is quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import svg
from .cautions import cautions
from .digits import Digits, whole
from .markup import NONE, Data, Entry, Section, find, framed, level_of
from .study import FEW_CASES, SETTLED, VOTED, Study, kind_of_data, names, points, reliability_words, short, shown, words_for_few

MOST_MODELS = 8  # rows of the table
CEILING, PEOPLE = "Ceiling set by the annotations", "Annotators with each other"
BINS = ("≥ 0.99", "0.9 to 0.99", "0.8 to 0.9", "0.5 to 0.8", "&lt; 0.5")
# of the pictures, in units of their view box
LEFT, RIGHT, TOP, BOTTOM, WIDTH = 40.0, 92.0, 14.0, 184.0, 400.0
APART = 14.0  # between labels


def render(source: Data) -> tuple[Section, str]:
    """The answer, and the list of cautions beside it."""
    study = Study(source)
    verdict, more = _verdict(study)
    parts = [f'<h2 class="verdict" id="answer-heading">{verdict}</h2>', f'<p class="sub">{more}</p>' if more else ""]
    if study.models:
        parts.append(_yardsticks(study) if len(study.models) > 1 else _measures(study))
    figures = [*_by_reliability(study), *_certainties(study)]
    if figures:
        parts.append(f'<div class="pair">{"".join(figures)}</div>')
    body = "\n".join(filter(None, parts))
    return Section("answer", "Answer", f'<section id="answer" aria-labelledby="answer-heading">\n{body}\n</section>'), _aside(study)


def plain_verdict(source: Data) -> str:
    """The answer without bold type, to be pasted."""
    said = " ".join(_verdict(Study(source)))
    return said.replace("<b>", "").replace("</b>", "")


def title(source: Data) -> str:
    """What was evaluated, as plain HTML text."""
    models, cases = source["models"], whole(source["data"]["n_cases"])
    if not models:
        return f"Annotations of {cases} cases"
    said = ", ".join(map(shown, models[:-1])) + f" and {shown(models[-1])}" if 1 < len(models) <= 3 else shown(models[0])
    return f"{len(models)} models on {cases} cases" if len(models) > 3 else f"{said} on {cases} cases"


def subtitle(source: Data) -> str:
    """Cases, classes, annotators."""
    facts, study = source["data"], Study(source)
    parts = [study.cases, f"{whole(facts['n_classes'])} classes"]
    per_case = facts.get("annotations_per_case")
    if facts.get("n_annotators"):
        parts.append(f"{whole(facts['n_annotators'])} annotator{'s' * (facts['n_annotators'] != 1)}")
    if per_case:
        least, most = per_case["min"], per_case["max"]
        kind = kind_of_data(source)
        parts.append(
            f"{least:g} {kind if least != 1 else kind[:-1]} per case" if least == most else f"{least:g} to {most:g} {kind} per case"
        )
    return " · ".join(parts)


# ---- the verdict


def _verdict(study: Study) -> tuple[str, str]:
    """The sentence that answers, and what goes with it."""
    if not study.models:
        return _without_models(study)
    if len(study.models) == 1:
        return _one(study)
    said, more = _several(study)
    return said, " ".join(filter(None, [*more, _limits(study)]))


def _without_models(study: Study) -> tuple[str, str]:
    n, of_all = study.settled(study.main)
    if not study.certainty_rows or not of_all:
        return "No model was evaluated, and the truth of no case is known.", ""
    ceiling = study.ceiling
    assert ceiling is not None
    share = "" if of_all < FEW_CASES else f" ({Digits(0).percent(n / of_all)})"
    said = f"The truth is settled (at least 99% certain) in {whole(n)} of {whole(of_all)} cases{share}{study.at_main}."
    return said, f"No first choice of a model can agree with it in more than {study.digits.percent(ceiling['value'])} of cases."


def _with_ends(study: Study, row: Entry) -> str:
    """Such as "78.7% of cases (77.1 to 80.3)"."""
    ends = "" if study.withheld else f" ({study.ends(row['case_low'], row['case_high'])})"
    return f"{study.digits.percent(row['value'])} of cases{ends}"


def _lead_words(study: Study, lead: Any) -> str:
    """Such as "5.0 percentage points more than" needs its interval; fewer cases have none."""
    return "" if study.withheld else f" ({study.digits.leads(lead.low, lead.high)})"


def _one(study: Study) -> tuple[str, str]:
    (model,) = study.models
    row = study.row(model, study.main)
    assert row is not None
    said = f"{names([model])} agrees with the annotators’ truth in {_with_ends(study, row)}"
    lead, constant = study.over_constant(model), study.constant()
    if lead is None or constant is None:
        return f"{said}.", _limits(study)
    always = f"always answering “{shown(constant['answer'])}”"
    apart = points(study.digits.points(abs(lead.value)))
    if study.withheld:
        return f"{said}, and {always} in {study.digits.percent(constant['value'])}.", f"There are {words_for_few(study)} for an interval."
    if lead.sign:
        return f"{said}, {apart} {'more' if lead.sign > 0 else 'less'} than {always}{_lead_words(study, lead)}.", _limits(study)
    return (
        f"{said}; it cannot be distinguished from {always} ({study.digits.lead(lead.value)} points,{_lead_words(study, lead)[2:]}.",
        _limits(study),
    )


def _several(study: Study) -> tuple[str, list[str]]:
    best, second, *_ = study.models
    leaders, row = study.leaders, study.row(best, study.main)
    assert row is not None
    lead = study.lead(best, second)
    if study.withheld or lead is None:
        values = ", ".join(f"{names([m])} {study.digits.percent(study.value(m))}" for m in study.models[:MOST_MODELS])
        few = [f"There are {words_for_few(study)} to say which model is ahead."] if study.withheld else []
        return f"Agreement with the annotators’ truth: {values} of cases.", few
    if len(leaders) > 2:
        first = names(leaders) if len(leaders) <= 4 else f"{names(leaders[:2], ',')} and {len(leaders) - 2} more"
        ends = study.digits.percent(study.value(leaders[-1])), study.digits.percent(study.value(best))
        return f"{first} cannot be distinguished: they agree with the annotators’ truth in {ends[0]} to {ends[1]} of cases.", _behind(study)
    if len(leaders) == 2:
        second = leaders[1]
        lead = study.lead(best, second)
        assert lead is not None
        each = (
            f"they agree with the annotators’ truth in {study.digits.percent(study.value(best))} and "
            f"{study.digits.percent(study.value(second))} of cases"
        )
        difference = f"a difference of {points(study.digits.points(lead.value))}{_lead_words(study, lead)}"
        said = f"{names(leaders)} cannot be distinguished: {each}, {difference}."
        return said, [*_elsewhere(study, best, second), *_behind(study)]
    signs = study.signs(best, second)
    if min(signs.values()) < 0:
        of_best, of_second = ([r for r, sign in signs.items() if sign == wanted] for wanted in (1, -1))
        parts = f"{names([best])} {reliability_words(of_best)}, {names([second])} {reliability_words(of_second)}"
        return f"Which model is ahead depends on the truth: {parts}.", [f"{names([best])} has {_with_ends(study, row)}{study.at_main}."]
    more = f"{points(study.digits.points(lead.value))} more than {names([second])}{_lead_words(study, lead)}"
    said = f"{names([best])} agrees with the annotators’ truth in {_with_ends(study, row)}, {more}."
    picked = [f"The lead is of the highest of {len(study.models)} models, which flatters it."] if len(study.models) > 2 else []
    return said, [*_elsewhere(study, best, second), *picked]


def _elsewhere(study: Study, first: str, second: str) -> list[str]:
    """Whether another truth has another answer."""
    signs = study.signs(first, second)
    if len(signs) < 2:
        return []
    ahead, behind, open_ = ([r for r, sign in signs.items() if sign == wanted] for wanted in (1, -1, 0))
    if not behind and not open_:
        at_all = "at every reliability and " if len(study.reliabilities) > 1 else ""
        return [f"The interval of the lead excludes 0 {at_all}against the voted label."]
    if not ahead and not behind:
        return [
            f"The interval of the lead holds 0 {'at every reliability and ' if len(study.reliabilities) > 1 else ''}against the voted "
            "label."
        ]
    found = [f"{names([model])} is ahead {reliability_words(at)}" for model, at in ((first, ahead), (second, behind)) if at]
    return [f"{'; '.join(found)}{f'; they cannot be distinguished {reliability_words(open_)}' if open_ else ''}."]


def _behind(study: Study) -> list[str]:
    """How far the models behind the leaders are."""
    others = [m for m in study.models if m not in study.leaders]
    found = []
    for model in others[:1]:
        lead = study.lead(study.models[0], model)
        if lead is not None:
            found.append(
                f"{names([model])} is {study.digits.points(lead.value)} points behind {names([study.models[0]])}{_lead_words(study, lead)}"
            )
    rest = f", and {len(others) - 1} more are further behind" if len(others) > 1 else ""
    return [f"{'; '.join(found)}{rest}."] if found else []


def _limits(study: Study) -> str:
    """Ceiling and constant answer."""
    ceiling, constant = study.ceiling, study.constant()
    parts = []
    if ceiling is not None:
        parts.append(f"no first choice can exceed {study.digits.percent(ceiling['value'])} on these annotations")
    if constant is not None and len(study.models) > 1:
        parts.append(f"always answering “{shown(constant['answer'])}” reaches {study.digits.percent(constant['value'])}")
    said = "; ".join(parts)
    return f"{said[0].upper()}{said[1:]}." if said else ""


# ---- the yardstick table


class Line(NamedTuple):
    """A row: what it is, a value with its interval, the same against the voted label, and further cells."""

    name: str
    note: str = ""
    style: int | None = None  # of a model
    value: float | None = None
    ends: tuple[float | None, float | None] = (None, None)
    voted: float | None = None
    cells: Sequence[str] = ()
    constant: float | None = None
    ceiling: float | None = None


def _yardsticks(study: Study) -> str:
    """Several models between the ceiling and always the commonest class."""
    constant, ceiling, people = study.constant(), study.ceiling, study.annotators
    trivial = None if constant is None else constant["value"]
    most = None if ceiling is None else ceiling["value"]
    lines = []
    if ceiling is not None:
        ends = ceiling["case_low"], ceiling["case_high"]
        lines.append(Line(CEILING, value=ceiling["value"], ends=ends, voted=1.0, cells=[NONE]))
    for model in study.models[:MOST_MODELS]:
        row, voted = study.row(model, study.main), study.voted(model)
        assert row is not None
        beside = study.digits.value(people[model]["agreement"]) if model in people else NONE
        lines.append(
            Line(shown(model), "", study.source["models"].index(model), row["value"], (row["case_low"], row["case_high"]),
                 None if voted is None else voted["value"], [beside])
        )  # fmt: skip
    if constant is not None:
        by_vote = study.constant(VOTED)
        ends = constant["low"], constant["high"]
        voted = None if by_vote is None else by_vote["value"]
        lines.append(Line(f"Always “{shown(constant['answer'])}”", value=constant["value"], ends=ends, voted=voted, cells=[NONE]))
    if people:
        lines.append(Line(PEOPLE, cells=[study.digits.value(next(iter(people.values()))["annotators"])]))
    left = len(study.models) - MOST_MODELS
    more = f"; the {MOST_MODELS} highest of {len(study.models)} models" if left > 0 else ""
    caption = "Agreement of the first choice with the annotators’ truth"
    note = f"UA top-1 accuracy: the truth is drawn from what the annotations leave open{study.at_main}; {study.cases}{more}"
    heads = ["against one<br>annotator"] if people else []
    lines = lines if people else [one._replace(cells=()) for one in lines]
    return _table(study, caption, note, heads, [one._replace(constant=trivial, ceiling=most) for one in lines], study.digits)


def _measures(study: Study) -> str:
    """One model: each measure with its own trivial value and its own ceiling."""
    (model,) = study.models
    lines = list(_lines_of(study, model))
    digits = Digits(0) if study.withheld else Digits.of(one.ends for one in lines)
    constant = study.constant()
    always = "always the<br>commonest" if constant is None else f"always<br>“{shown(constant['answer'], 16)}”"
    filled = [one._replace(cells=[digits.value(one.constant), digits.value(one.ceiling)]) for one in lines]
    note = f"The truth is drawn from what the annotations leave open{study.at_main}; {study.cases}"
    return _table(study, f"{shown(model)} against the annotators’ truth", note, [always, "ceiling"], filled, digits)


def _lines_of(study: Study, model: str) -> list[Line]:
    source, main, style = study.source, study.main, 0
    two = source["data"]["n_classes"] == 2
    lines = []
    for k in sorted({e["k"] for e in study.found(model=model, metric="topk_accuracy", reliability=main)}):
        row = find(study.found(model=model, metric="topk_accuracy", k=k), reliability=main)
        voted = find(study.found(model=model, metric=VOTED, k=k))
        if row is None or row["value"] is None:
            continue
        known = find(source.get("references") or (), metric="topk_accuracy", k=k, reliability=main)
        ceiling = study.ceiling["value"] if k == 1 and study.ceiling is not None else None
        name, note = ("Accuracy", "agreement of the first choice") if k == 1 else (f"Top-{k} accuracy", f"the truth is among the first {k}")
        lines.append(
            Line(name, note, style, row["value"], (row["case_low"], row["case_high"]), None if voted is None else voted["value"],
                 constant=None if known is None else known["value"], ceiling=ceiling)
        )  # fmt: skip
    if two:
        constant = study.constant()
        for e in source.get("class_agreement") or ():
            if e["model"] == model and e["ppa"] is not None:
                trivial = None if constant is None else float(str(e["class"]) == str(constant["answer"]))
                name = f"“{shown(e['class'], 20)}” found"
                lines.append(Line(name, "of the cases of this class", style, e["ppa"], (e["ppa_low"], e["ppa_high"]), constant=trivial))
    for metric, name, trivial in (("soft_auroc", "Area under the ROC curve", 0.5), ("soft_average_precision", "Average precision", None)):
        row = find(study.found(model=model, metric=metric), reliability=main)
        if row is not None and row["value"] is not None:
            best = find(source.get("references") or (), metric=metric, reliability=main)
            ceiling = None if best is None else best["value"]
            ends = row["case_low"], row["case_high"]
            lines.append(Line(name, f"{metric.replace('_', ' ').replace('auroc', 'AUROC')} × 100", style, row["value"], ends, None,
                              constant=trivial, ceiling=ceiling))  # fmt: skip
    return lines


def _table(study: Study, caption: str, note: str, heads: Sequence[str], lines: Sequence[Line], digits: Digits) -> str:
    columns = [
        "<td></td>", '<th scope="col" class="plot">%</th>', '<th scope="col" class="r">value</th>',
        f'<th scope="col">{level_of(study.source)} interval</th>', '<th scope="col" class="r">against the<br>voted label</th>',
        *(f'<th scope="col" class="r">{head}</th>' for head in heads),
    ]  # fmt: skip
    rows = "\n".join(_row(study, one, digits) for one in lines)
    axis = "".join(f'<text x="{at}%" y="13" text-anchor="{side}">{at}</text>' for at, side in _AXIS)
    empty = "<td></td>" * (3 + len(heads))
    foot = f'<tfoot aria-hidden="true"><tr><td></td><td class="plot"><svg class="axis-row">{axis}</svg></td>{empty}</tr></tfoot>'
    content = f"<thead><tr>{''.join(columns)}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n{foot}"
    return framed("yard", f"{caption} <small>{note}</small>", content) + _key(lines)


_AXIS = ((0, "start"), (25, "middle"), (50, "middle"), (75, "middle"), (100, "end"))


def _row(study: Study, one: Line, digits: Digits) -> str:
    mark = (
        ""
        if one.style is None or len(study.models) == 1
        else f'<svg class="mark" viewBox="-8 -8 16 16" aria-hidden="true">{svg.marker(0, 0, one.style, 5)}</svg>'
    )
    name = f"{one.name}<small>{one.note}</small>" if one.note else one.name
    ends = words_for_few(study) if study.withheld and one.value is not None else digits.ends(*one.ends)
    kind = ' class="ref"' if one.style is None else ""
    cells = "".join(f'<td class="r">{cell}</td>' for cell in one.cells)
    return (
        f'<tr{kind}><th scope="row">{mark}{name}</th><td class="plot" aria-hidden="true">{_plot(study, one)}</td>'
        f'<td class="r"><b>{digits.value(one.value)}</b></td><td class="ends">{ends if one.value is not None else NONE}</td>'
        f'<td class="r">{digits.value(one.voted)}</td>{cells}</tr>'
    )


def _plot(study: Study, one: Line) -> str:
    """A value with its interval on an axis from 0 to 100, beside the voted one, always the commonest class and the ceiling."""
    parts = [f'<line class="hair" x1="{at}%" x2="{at}%" y1="0" y2="100%"/>' for at, _ in _AXIS]
    for kind, at in (("trivial", one.constant), ("most", one.ceiling)):
        if at is not None:
            parts.append(f'<line class="{kind}" x1="{100 * at:.2f}%" x2="{100 * at:.2f}%" y1="0" y2="100%"/>')
    if one.style is not None and one.value is not None:
        style, raised = f"s{one.style % svg.N_STYLES}", -5 if one.voted is not None else 0
        inner = ""
        low, high = one.ends
        if low is not None and high is not None and not study.withheld:
            inner += f'<line class="line {style}" x1="{100 * low:.2f}%" x2="{100 * high:.2f}%" y1="{raised}" y2="{raised}"/>'
        inner += f'<svg x="{100 * one.value:.2f}%">{svg.marker(0, raised, one.style, 4)}</svg>'
        if one.voted is not None:
            inner += f'<svg x="{100 * one.voted:.2f}%">{_DIAMOND.format(y=7)}</svg>'
        parts.append(f'<svg y="50%">{inner}</svg>')
    return f"<svg>{''.join(parts)}</svg>"


_DIAMOND = '<path class="hollow" transform="translate(0 {y})" d="M0-5L5 0L0 5L-5 0Z"/>'


def _key(lines: Sequence[Line]) -> str:
    """What the marks of the table mean."""
    found = []
    if any(one.constant is not None for one in lines):
        found.append(('<line class="trivial" x1="10" x2="10" y1="0" y2="13"/>', "always the commonest class"))
    found.append(('<line class="line s0" x1="1" x2="19" y1="6.5" y2="6.5"/>' + svg.marker(10, 6.5, 0, 4), "value with its interval"))
    if any(one.voted is not None and one.style is not None for one in lines):
        found.append((f'<svg x="10">{_DIAMOND.format(y=6.5)}</svg>', "voted label taken as certain"))
    if any(one.ceiling is not None for one in lines):
        found.append(('<line class="most" x1="10" x2="10" y1="0" y2="13"/>', "ceiling: the most that any first choice can reach"))
    return (
        '<p class="key">'
        + "".join(f'<span><svg viewBox="0 0 20 13" aria-hidden="true">{mark}</svg>{said}</span>' for mark, said in found)
        + "</p>"
    )


# ---- the pictures


def _figure(anchor: str, heading: str, note: str, content: str, height: float) -> str:
    label = f'<title id="{anchor}-title">{heading}</title><desc id="{anchor}-text">{note}</desc>'
    drawn = f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-labelledby="{anchor}-title {anchor}-text">{label}{content}</svg>'
    return f'<figure id="{anchor}">\n<figcaption><b>{heading}</b> <span>{note}</span></figcaption>\n{drawn}\n</figure>'


def _by_reliability(study: Study) -> list[str]:
    """Values at each reliability, and against the voted label."""
    found = [r for r in study.reliabilities if r is not None]
    if len(found) < 2 or not study.models:
        return []
    drawn = study.models[: svg.N_STYLES]
    rows = {m: [study.row(m, r) for r in found] for m in drawn}
    voted = {m: study.voted(m) for m in drawn}
    every = [e for own in rows.values() for e in own if e] + [e for e in voted.values() if e]
    values = [v for e in every for v in (e["value"], e["case_low"], e["case_high"]) if v is not None]
    values += [e["value"] for e in study.certainty_rows]
    constants = [study.constant(reliability=r) for r in found]
    trivial = [e["value"] for e in constants if e is not None]
    low, high = svg.around([*values, *(trivial if trivial and min(values) - max(trivial) < 0.3 else [])], 0.1)
    y = svg.Scale(max(low, 0.0), min(high, 1.0), BOTTOM, TOP)
    step = (WIDTH - LEFT - RIGHT) / (len(found) + 1)
    at = [LEFT + step * (i + 0.5) for i in range(len(found) + 1)]
    here = found.index(study.main) if study.main in found else None
    parts = [] if here is None else [f'<rect class="shaded" x="{at[here] - step * 0.35:.1f}" y="8" width="{step * 0.7:.1f}" height="176"/>']
    for value in svg.ticks(y):
        parts.append(f'<line class="hair" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y.at(value):.1f}" y2="{y.at(value):.1f}"/>')
        parts.append(f'<text class="soft" x="{LEFT - 6:g}" y="{y.at(value) + 4:.1f}" text-anchor="end">{100 * value:.4g}</text>')
    for i, name in enumerate([*(f"{r:g}" for r in found), "vote"]):
        kind = "bold" if i == here else "soft"
        parts.append(f'<text class="{kind}" x="{at[i]:.1f}" y="200" text-anchor="middle">{name}</text>')
    parts.append(
        f'<text class="soft" x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="217" text-anchor="middle">reliability given to the annotators</text>'
    )
    labels = []
    if len(study.certainty_rows) == len(found):
        tops = [y.at(e["value"]) for e in study.certainty_rows]
        parts.append(f'<polyline class="most" fill="none" points="{_path(at, tops)}"/>')
        labels.append((tops[-1], "ceiling", ""))
    if len(trivial) == len(found) and min(trivial) >= y.low:
        tops = [y.at(v) for v in trivial]
        parts.append(f'<polyline class="trivial" fill="none" points="{_path(at, tops)}"/>')
        labels.append((tops[-1], "always one class", ""))
    for j, model in enumerate(drawn):
        labels.append(
            _model_lines(
                study, model, rows[model], voted[model], at, (j - (len(drawn) - 1) / 2) * min(6.0, step / (len(drawn) + 1)), y, parts
            )
        )
    parts += _labels(labels)
    heading, note = _said_by_reliability(study)
    return [_figure("by-reliability", heading, note, "".join(parts), 222)]


def _model_lines(
    study: Study,
    model: str,
    rows: Sequence[Entry | None],
    voted: Entry | None,
    at: Sequence[float],
    aside: float,
    y: svg.Scale,
    parts: list[str],
) -> tuple[float, str, str]:
    """Points joined by lines, with intervals; the voted label is the last."""
    style = study.source["models"].index(model)
    kind, drawn = f"line s{style % svg.N_STYLES}", [(x + aside, e) for x, e in zip(at, [*rows, voted]) if e is not None]
    known = [(x, y.at(e["value"])) for x, e in drawn]
    solid = known[: len(known) - (voted is not None)]
    parts.append(f'<polyline class="{kind} thin" points="{_path(*zip(*solid))}"/>' if solid else "")
    if voted is not None and solid:
        parts.append(f'<polyline class="{kind} thin" stroke-dasharray="2 3" points="{_path(*zip(*known[-2:]))}"/>')
    for x, e in drawn:
        if e["case_low"] is not None and e["case_high"] is not None and not study.withheld:
            parts.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{y.at(e["case_low"]):.1f}" y2="{y.at(e["case_high"]):.1f}"/>')
        parts.append(svg.marker(x, y.at(e["value"]), style, 3.7))
    return known[-1][1], short(model, 14), f"t{style % svg.N_STYLES}"


def _path(x: Any, y: Any) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))


def _labels(given: list[tuple[float, str, str]]) -> list[str]:
    """At the right end, pushed apart."""
    ordered = sorted(given)
    tops: list[float] = []
    for top, _, _ in ordered:
        tops.append(max(top + 4, tops[-1] + APART if tops else 0.0))
    over = tops[-1] - (BOTTOM + 6) if tops else 0.0
    tops = [top - max(over, 0.0) for top in tops]
    return [f'<text class="{kind}" x="{WIDTH - RIGHT + 6:g}" y="{top:.1f}">{name}</text>' for top, (_, name, kind) in zip(tops, ordered)]


def _said_by_reliability(study: Study) -> tuple[str, str]:
    """What the picture shows."""
    first, *others = study.models
    rows = [e for r in study.reliabilities if (e := study.row(first, r))]
    rise = max(e["value"] for e in rows) - min(e["value"] for e in rows)
    note = (
        f"Top-1 accuracy, %, with {level_of(study.source)} intervals. {short(first)} changes by {study.digits.points(rise)} points over "
        "the reliabilities. Shaded: main analysis."
    )
    if not others:
        return "Agreement at each reliability", note
    signs = list(study.signs(first, others[0]).values())
    pair = f"{short(first, 20)} and {short(others[0], 20)}"
    if not any(signs):
        return f"{pair} cannot be distinguished at any reliability", note
    if min(signs) > 0:
        return f"{short(first)} is ahead at every reliability", note
    return "Which model is ahead depends on the reliability" if min(signs) < 0 else f"{short(first)} is ahead at some reliabilities", note


def _certainties(study: Study) -> list[str]:
    """Cases by the certainty of their truth, a bar for each reliability."""
    bars = [
        (r, study.shares(r), e["value"])
        for r in study.reliabilities
        if (e := find(study.certainty_rows, reliability=r)) is not None and study.certainties(r)
    ]
    if not bars:
        return []
    parts = [f'<text class="soft" x="{WIDTH:g}" y="35" text-anchor="end">mean</text>']
    if len(bars) > 1:
        parts.append('<text class="soft" x="0" y="35">reliability</text>')
    left = 0.0
    for i, name in enumerate(BINS):
        parts.append(
            f'<rect class="z{i}" x="{left:g}" y="4" width="11" height="11"/><text class="soft" x="{left + 15:g}" y="14">{name}</text>'
        )
        left += (66, 86, 78, 78, 60)[i]
    for j, (reliability, shares, mean) in enumerate(bars):
        top, x = 44 + 30 * j, 40.0
        main = reliability == study.main and len(bars) > 1
        kind = "bold" if main else "soft"
        if reliability is not None:
            parts.append(f'<text class="{kind}" x="33" y="{top + 15}" text-anchor="end">{reliability:g}</text>')
        for i, share in enumerate(shares):
            width = 314 * share
            if width > 0:
                parts.append(f'<rect class="z{i}" x="{x:.1f}" y="{top}" width="{width:.1f}" height="22"/>')
            if width >= 26:
                parts.append(
                    f'<text class="q{i}" x="{x + width / 2:.1f}" y="{top + 15}" text-anchor="middle">{Digits(0).percent(share)}</text>'
                )
            x += width
        if main:
            parts.append(f'<rect class="frame-line" x="40" y="{top - 1.5}" width="314" height="25"/>')
        parts.append(f'<text class="{kind}" x="{WIDTH:g}" y="{top + 15}" text-anchor="end">{100 * mean:.1f}</text>')
    n, of_all = study.settled(study.main)
    whole_share = Digits(0).percent(n / max(of_all, 1))
    counted = f"{whole(n)} of {whole(of_all)}"
    heading = (
        f"The truth is settled in {whole_share if of_all >= FEW_CASES else counted} of the cases"
        if n
        else "The truth of no case is settled"
    )
    note = f"Cases by the certainty of their top class: {counted} reach {SETTLED}{' at' + study.at_main[1:] if study.at_main else ''}."
    return [_figure("by-certainty", heading, note, "".join(parts), 44 + 30 * len(bars) + 10)]


# ---- before these numbers are quoted


def _aside(study: Study) -> str:
    items = "\n".join(
        f"<li{' class=' + chr(34) + 'serious' + chr(34) if one.serious else ''}><b>{one.claim}</b> {one.sentence}</li>"
        for one in cautions(study)
    )
    return f'<h2 id="cautions">Before you quote these numbers</h2>\n<ol>\n{items}\n</ol>'


def running_title(source: Data) -> str:
    """For the top of printed pages: letters, digits and spaces of the title, as they may stand in a style sheet."""
    models = source["models"]
    said = (
        f"{', '.join(map(str, models[:3]))} on {source['data']['n_cases']} cases"
        if 0 < len(models) <= 3
        else re.sub("<[^>]*>", "", title(source))
    )
    return " ".join(re.sub(r"[^\w.,()-]", " ", said).split())[:80]
