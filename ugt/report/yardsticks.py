"""The table of the first page: models between what is trivial and what is possible, or the measures of one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Optional

from . import svg
from .digest import VOTED, Digest, shown, words_for_few
from .digits import Digits
from .markup import NONE, Entry, find, framed, level_of

MOST_MODELS = 8  # rows
CEILING, PEOPLE = "Ceiling set by the annotations", "Annotators with each other"


Ends = tuple[Optional[float], Optional[float]]


class Line(NamedTuple):
    """A row: what it is, a value with its interval, the same against the voted label, and further cells."""

    name: str
    note: str = ""
    style: int | None = None  # of a model
    value: float | None = None
    ends: Ends = (None, None)
    two_way: Ends = (None, None)
    voted: float | None = None
    cells: Sequence[str] = ()
    constant: float | None = None
    ceiling: float | None = None


def yardsticks(digest: Digest) -> str:
    """Several models between the ceiling and always the commonest class."""
    constant, ceiling, people = digest.constant(), digest.ceiling, digest.annotators
    trivial = None if constant is None else constant["value"]
    most = None if ceiling is None else ceiling["value"]
    lines = []
    if ceiling is not None:
        ends = ceiling["case_low"], ceiling["case_high"]
        lines.append(Line(CEILING, value=ceiling["value"], ends=ends, voted=1.0, cells=[NONE]))
    for model in digest.models[:MOST_MODELS]:
        row, voted = digest.row(model, digest.main), digest.voted(model)
        assert row is not None
        beside = digest.digits.value(people[model]["agreement"]) if model in people else NONE
        lines.append(
            Line(shown(model), "", digest.source["models"].index(model), row["value"], *_ends(row),
                 None if voted is None else voted["value"], [beside])
        )  # fmt: skip
    if constant is not None:
        by_vote = digest.constant(VOTED)
        ends = constant["low"], constant["high"]
        voted = None if by_vote is None else by_vote["value"]
        lines.append(Line(f"Always “{shown(constant['answer'])}”", value=constant["value"], ends=ends, voted=voted, cells=[NONE]))
    if people:
        lines.append(Line(PEOPLE, cells=[digest.digits.value(next(iter(people.values()))["annotators"])]))
    left = len(digest.models) - MOST_MODELS
    more = f"; the {MOST_MODELS} highest of {len(digest.models)} models" if left > 0 else ""
    caption = "Agreement of the first choice with the annotators’ truth"
    note = f"UA top-1 accuracy: the truth is drawn from what the annotations leave open{digest.at_main}; {digest.cases}{more}"
    heads = ["against one<br>annotator"] if people else []
    lines = lines if people else [one._replace(cells=()) for one in lines]
    return _table(digest, caption, note, heads, [one._replace(constant=trivial, ceiling=most) for one in lines], digest.digits)


def measures(digest: Digest) -> str:
    """One model: each measure with its own trivial value and its own ceiling."""
    (model,) = digest.models
    lines = list(_lines_of(digest, model))
    digits = Digits(0) if digest.withheld else Digits.of(one.ends for one in lines)
    constant = digest.constant()
    always = "always the<br>commonest" if constant is None else f"always<br>“{shown(constant['answer'], 16)}”"
    filled = [one._replace(cells=[digits.value(one.constant), digits.value(one.ceiling)]) for one in lines]
    note = f"The truth is drawn from what the annotations leave open{digest.at_main}; {digest.cases}"
    return _table(digest, f"{shown(model)} against the annotators’ truth", note, [always, "ceiling"], filled, digits)


def _lines_of(digest: Digest, model: str) -> list[Line]:
    source, main, style = digest.source, digest.main, 0
    two = source["data"]["n_classes"] == 2
    lines = []
    for k in sorted({e["k"] for e in digest.found(model=model, metric="topk_accuracy", reliability=main)}):
        row = find(digest.found(model=model, metric="topk_accuracy", k=k), reliability=main)
        voted = find(digest.found(model=model, metric=VOTED, k=k))
        if row is None or row["value"] is None:
            continue
        known = find(source.get("references") or (), metric="topk_accuracy", k=k, reliability=main)
        ceiling = digest.ceiling["value"] if k == 1 and digest.ceiling is not None else None
        name, note = ("Accuracy", "agreement of the first choice") if k == 1 else (f"Top-{k} accuracy", f"the truth is among the first {k}")
        lines.append(
            Line(name, note, style, row["value"], *_ends(row), None if voted is None else voted["value"],
                 constant=None if known is None else known["value"], ceiling=ceiling)
        )  # fmt: skip
    if two:
        constant = digest.constant()
        for e in source.get("class_agreement") or ():
            if e["model"] == model and e["ppa"] is not None:
                trivial = None if constant is None else float(str(e["class"]) == str(constant["answer"]))
                name = f"“{shown(e['class'], 20)}” found"
                lines.append(Line(name, "of the cases of this class", style, e["ppa"], (e["ppa_low"], e["ppa_high"]), constant=trivial))
    for metric, name, trivial in (("soft_auroc", "Area under the ROC curve", 0.5), ("soft_average_precision", "Average precision", None)):
        row = find(digest.found(model=model, metric=metric), reliability=main)
        if row is not None and row["value"] is not None:
            best = find(source.get("references") or (), metric=metric, reliability=main)
            ceiling = None if best is None else best["value"]
            note = f"{metric.replace('_', ' ').replace('auroc', 'AUROC')} × 100"
            lines.append(Line(name, note, style, row["value"], *_ends(row), constant=trivial, ceiling=ceiling))
    return lines


def _ends(row: Entry) -> tuple[Ends, Ends]:
    """The interval over cases, and that over cases and annotators."""
    return (row["case_low"], row["case_high"]), (row["two_way_low"], row["two_way_high"])


def _table(digest: Digest, caption: str, note: str, heads: Sequence[str], lines: Sequence[Line], digits: Digits) -> str:
    others = "<br>other annotators too" if any(None not in one.two_way for one in lines) else ""
    columns = [
        "<td></td>", '<th scope="col" class="plot">%</th>', '<th scope="col" class="r">value</th>',
        f'<th scope="col">{level_of(digest.source)} interval{others}</th>', '<th scope="col" class="r">against the<br>voted label</th>',
        *(f'<th scope="col" class="r">{head}</th>' for head in heads),
    ]  # fmt: skip
    rows = "\n".join(_row(digest, one, digits) for one in lines)
    axis = "".join(f'<text x="{at}%" y="13" text-anchor="{side}">{at}</text>' for at, side in _AXIS)
    empty = "<td></td>" * (3 + len(heads))
    foot = f'<tfoot aria-hidden="true"><tr><td></td><td class="plot"><svg class="axis-row">{axis}</svg></td>{empty}</tr></tfoot>'
    content = f"<thead><tr>{''.join(columns)}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n{foot}"
    return framed("yard", f"{caption} <small>{note}</small>", content) + _key(lines)


_AXIS = ((0, "start"), (25, "middle"), (50, "middle"), (75, "middle"), (100, "end"))


def _row(digest: Digest, one: Line, digits: Digits) -> str:
    mark = (
        ""
        if one.style is None or len(digest.models) == 1
        else f'<svg class="mark" viewBox="-8 -8 16 16" aria-hidden="true">{svg.marker(0, 0, one.style, 5)}</svg>'
    )
    name = f"{one.name}<small>{one.note}</small>" if one.note else one.name
    ends = words_for_few(digest) if digest.withheld and one.value is not None else digits.ends(*one.ends)
    if None not in one.two_way and not digest.withheld:
        ends += f'<span class="below">{digits.ends(*one.two_way)}</span>'
    kind = ' class="ref"' if one.style is None else ""
    cells = "".join(f'<td class="r">{cell}</td>' for cell in one.cells)
    return (
        f'<tr{kind}><th scope="row">{mark}{name}</th><td class="plot" aria-hidden="true">{_plot(digest, one)}</td>'
        f'<td class="r"><b>{digits.value(one.value)}</b></td><td class="ends">{ends if one.value is not None else NONE}</td>'
        f'<td class="r">{digits.value(one.voted)}</td>{cells}</tr>'
    )


def _plot(digest: Digest, one: Line) -> str:
    """A value with its interval on an axis from 0 to 100, beside the voted one, always the commonest class and the ceiling."""
    parts = [f'<line class="hair" x1="{at}%" x2="{at}%" y1="0" y2="100%"/>' for at, _ in _AXIS]
    for kind, at in (("trivial", one.constant), ("most", one.ceiling)):
        if at is not None:
            parts.append(f'<line class="{kind}" x1="{100 * at:.2f}%" x2="{100 * at:.2f}%" y1="0" y2="100%"/>')
    if one.style is not None and one.value is not None:
        style, raised = f"s{one.style % svg.N_STYLES}", -5 if one.voted is not None else 0
        inner = ""
        low, high = one.ends
        if low is not None and high is not None and not digest.withheld:
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
