"""Tables of the first sections: numbers of models with their intervals below, and rows whose intervals are drawn on one axis."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from . import svg
from .digits import Digits
from .markup import NONE, framed, unique

Entry = TypeVar("Entry")
Key = TypeVar("Key")
OfModel = TypeVar("OfModel", bound=Any)  # a row of a table with a model
MOST_ORDERED = 15  # rows of a table in an order
TOO_FEW = "too few for an interval"
EDGE = 5.0  # per cent of an axis, where its numbers would stand out of it


class Span(NamedTuple):
    """A row with a value and its interval; ``words`` are next to it, and ``limit`` is the largest possible value."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    style: int | None = None
    words: str = ""
    main: bool = False
    limit: float | None = None


def below(digits: Digits, value: float | None, low: float | None, high: float | None) -> str:
    """Return a value with its interval below."""
    said = digits.ends(low, high)
    ends = "" if said == NONE else f'<span class="below">{said}</span>'
    return NONE if value is None else f"<b>{digits.value(value)}</b>{ends}"


def cell(digits: Digits, known: tuple[float | None, float | None, float | None] | None) -> str:
    """Return a value with its interval below; a dash if there is none."""
    return NONE if known is None else below(digits, *known)


def first_of(drawn: Sequence[Any], every: Sequence[Any]) -> str:
    """Return what the note of a table says of models that it leaves out."""
    return f"; the first {len(drawn)} of {len(every)} models" if len(drawn) < len(every) else ""


def by_model(entries: Sequence[OfModel], key: Callable[[OfModel], Key], models: Sequence[str]) -> list[tuple[Key, list[OfModel | None]]]:
    """Return each key, in the order of the entries, with the first entry of each model under it."""
    found: dict[tuple[Key, Any], OfModel] = {}
    for e in entries:
        found.setdefault((key(e), e.model), e)
    return [(one, [found.get((one, model)) for model in models]) for one in unique(map(key, entries))]


def lead_below(digits: Digits, value: float | None, low: float | None, high: float | None) -> str:
    """Return a difference with its interval below."""
    ends = digits.leads(low, high)
    under = "" if ends == NONE else f'<span class="below">{ends}</span>'
    return NONE if value is None else f"<b>{(digits.beside(low, high) if under else digits).lead(value)}</b>{under}"


def both_ends_of(entries: Sequence[Entry], first: str, last: str) -> tuple[Sequence[Entry], str]:
    """Return the first and the last rows of many in an order, and what the note of the table says of it."""
    half = MOST_ORDERED // 2
    if len(entries) <= MOST_ORDERED:
        return entries, ""
    n, drawn = MOST_ORDERED - half, [*entries[: MOST_ORDERED - half], *entries[-half:]]
    return drawn, f"; the {n} {first} and the {half} {last} of {len(entries):,}"


def plain_table(caption: str, note: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return a table of HTML cells under headings, the first of which is that of the names."""
    columns = "".join(f'<th scope="col" class="r">{head}</th>' if head else "<td></td>" for head in heads[1:])
    first = f'<th scope="col">{heads[0]}</th>' if heads[0] else "<td></td>"
    body = "\n".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td class={chr(34)}r{chr(34)}>{c}</td>" for c in cells)}</tr>' for name, cells in rows
    )
    return framed("yard", caption, note, f"<thead><tr>{first}{columns}</tr></thead>\n<tbody>\n{body}\n</tbody>")


def span_table(caption: str, note: str, unit: str, spans: Sequence[Span], digits: Digits, *, leads: bool = False) -> str:
    """Return a table of rows on one axis: values from 0 (shares: to 100), or leads about 0."""
    known = [v for one in spans for v in (one.value, one.low, one.high, one.limit, 0.0 if leads else None) if v is not None]
    if not known:
        return ""
    low, high = svg.around(known, 0.02)
    scale = svg.Scale(low if leads else max(low, 0.0), min(high, 1.0) if digits.share and not leads else high, 0.0, 100.0)
    marks = [at for at in svg.ticks(scale, 5 if digits.scale == 100 and not leads else 3) if scale.low <= at <= scale.high]
    grid = f"g-{zlib.crc32(f'{caption} {note}'.encode()):x}"  # drawn in the first row and referred to in the others
    lines = svg.vertical_lines(scale.at(at) for at in marks if at != 0 or not leads)
    first, other = f'<g class="hair"><g id="{grid}">{lines}</g></g>', f'<use class="hair" href="#{grid}"/>'
    zero = f'<line class="zero" x1="{scale.at(0):.1f}%" x2="{scale.at(0):.1f}%" y2="100%"/>' if leads else ""
    rows = "\n".join(_span_row(one, scale, behind + zero, digits, leads) for one, behind in zip(spans, [first, *[other] * len(spans)]))
    last = "<td></td>" * any(one.words for one in spans)
    axis = "".join(_mark(scale.at(at), _tick(at, digits.scale, leads)) for at in marks)
    heads = f'<th scope="col" class="plot">{unit}</th><th scope="col" class="r">value</th><th scope="col">interval</th>{last}'
    head = f"<thead><tr><td></td>{heads}</tr></thead>"
    foot = f'<tfoot aria-hidden="true"><tr><td></td><td class="plot"><svg>{axis}</svg></td><td></td><td></td>{last}</tr></tfoot>'
    return framed("yard", caption, note, f"{head}\n<tbody>\n{rows}\n</tbody>\n{foot}")


def _mark(place: float, number: str) -> str:
    """Return a number below the axis, at a place in per cent of its width."""
    anchor = "start" if place < EDGE else "end" if place > 100 - EDGE else "middle"
    return f'<text x="{place:.1f}%" y="13" text-anchor="{anchor}">{number}</text>'


def _tick(at: float, scale: int, leads: bool) -> str:
    shown = f"{scale * at:.4g}"
    return (f"+{shown}" if leads and at > 0 else shown).replace("-", "−")


def _span_row(one: Span, scale: svg.Scale, grid: str, digits: Digits, leads: bool) -> str:
    parts = [grid]
    if one.limit is not None:
        parts.append(f'<line class="most" x1="{scale.at(one.limit):.1f}%" x2="{scale.at(one.limit):.1f}%" y2="100%"/>')
    style = 0 if one.style is None else one.style
    if one.low is not None and one.high is not None:
        kind = f"line s{style % svg.N_STYLES}"
        parts.append(f'<line class="{kind}" x1="{scale.at(one.low):.1f}%" x2="{scale.at(one.high):.1f}%" y1="50%" y2="50%"/>')
    if one.value is not None:
        parts.append(f'<svg y="50%">{svg.marker(scale.at(one.value), 0, style, unit="%")}</svg>')
    value = NONE if one.value is None else digits.beside(one.low, one.high).lead(one.value) if leads else digits.value(one.value)
    ends = digits.leads(one.low, one.high) if leads else digits.ends(one.low, one.high)
    more = f"<td>{one.words}</td>" if one.words else ""
    kind = ' class="main"' if one.main else ""
    return (
        f'<tr{kind}><th scope="row">{one.name}</th><td class="plot" aria-hidden="true"><svg>{"".join(parts)}</svg></td>'
        f'<td class="r"><b>{value}</b></td><td class="ends">{ends}</td>{more}</tr>'
    )
