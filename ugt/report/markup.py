"""Markup: HTML of ours in which texts of users, and other values, are set apart until the page is rendered.

`text`, `plain` and `name` set a value apart, so that nothing that reads or changes our words sees it. `parts_of` takes markup apart again;
`html` and `words` are its two renderings.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple, TypeVar, Union

Item = TypeVar("Item")
if TYPE_CHECKING:
    from ..tables.source import ReportSource

UNDEFINED = "undefined"
NONE = "–"  # in place of an undefined number
LONGEST = 32  # characters of a name on the first page

# Embeddings, overrides, isolates and marks of the bidirectional algorithm, which could make one id look like another.
_BIDI_CONTROLS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
# Characters without a glyph and without use in a name; the joiners U+200C and U+200D are needed by several scripts and stay.
_INVISIBLE = {
    *(0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x2028, 0x2029, *range(0x2060, 0x2065), *range(0x206A, 0x2070)),
    *(0x3164, 0xFEFF, 0xFFA0, *range(0xFFF9, 0xFFFC), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE0080)),
}


class Value(NamedTuple):
    """A value in markup as visible characters, as it is shown if it is a name that is cut, and its elements."""

    whole: str
    shown: str
    elements: str = ""  # "bdi" keeps a name in a right-to-left script from reordering its neighbours; "b bdi" is bold, too

    @property
    def markup(self) -> str:
        """The value between our words; characters that no value has (see `visible`) set it and its fields apart."""
        return "\0" + "\1".join(self) + "\0"

    def html(self, shown: str) -> str:
        """Return the value, as it is shown, with its elements."""
        title = f' title="{escape(self.whole)}"' if shown != self.whole else ""
        found = f"<bdi{title}>{escape(shown)}</bdi>" if "bdi" in self.elements else escape(shown)
        return f"<b>{found}</b>" if self.elements == "b bdi" else found


Parts = list[Union[str, Value]]  # our words and values


def parts_of(markup: str) -> Parts:
    """Return our words and the values between them."""
    return [Value(*part.split("\1")) if i % 2 else part for i, part in enumerate(markup.split("\0"))]


def html(markup: str, worded: Callable[[str], str] = str) -> str:
    """Return markup as HTML; ``worded`` is applied to our words. Names that were cut to the same text show where they differ."""
    parts = parts_of(markup)
    shown = _told_apart(parts)
    return "".join(worded(one) if isinstance(one, str) else one.html(shown.get((one.whole, one.shown), one.shown)) for one in parts)


def words(markup: str) -> str:
    """Return markup whose only elements are ends of lines as text for attributes: values are escaped, quotes too."""
    return "".join(
        one.replace("<br>", " ").replace('"', "&quot;") if isinstance(one, str) else escape(one.shown) for one in parts_of(markup)
    )


def whole(markup: str) -> str:
    """Return markup with all names as a whole, and none bold."""
    return "".join(one if isinstance(one, str) else text(one.whole) for one in parts_of(markup))


def text(value: object) -> str:
    """Return any value as harmless markup, with unprintable and direction-changing characters spelled out."""
    said = visible(value)
    return Value(said, said, "bdi").markup if said else "<i>empty</i>"


def plain(value: object) -> str:
    """Return a value for places without elements: attributes and figures."""
    said = visible(value)
    return Value(said, said).markup if said else ""


def visible(value: object) -> str:
    """Return a value as characters that can be seen."""
    return "".join(map(_visible, str(value)))


def with_end(name: str, most: int) -> str:
    """Return a name that is too long with its beginning and its end."""
    return f"{name[: most // 2]}…{name[most // 2 + 2 - most :]}"


def apart(names: Iterable[str], most: int) -> dict[str, str]:
    """Return names that are too long with their beginnings and ends, or, if those are the same, with the part in which they differ."""
    ended = {name: with_end(name, most) for name in names}
    return {name: cut if [*ended.values()].count(cut) == 1 else _differing(name, [*ended], most) for name, cut in ended.items()}


def short(name: str, most: int = LONGEST) -> str:
    """Return a name that fits, cut at a word if possible."""
    said = " ".join(name.split())
    if len(said) <= most:
        return said
    cut = said[: most - 1]
    within = said[most - 1] != " " and " " in cut[most // 2 :]
    return (cut.rsplit(" ", 1)[0] if within else cut).rstrip(" ,;:.") + "…"


def distinct(names: Sequence[str], most: int) -> list[str]:
    """Return names that fit; those that would be cut to the same text keep their ends, or the part in which they differ, instead."""
    cut = [short(name, most) for name in names]
    alike = {one: apart([n for n, c in zip(names, cut) if c == one and len(n) > most], most) for one in cut if cut.count(one) > 1}
    return [alike.get(one, {}).get(name, one) for one, name in zip(cut, names)]


def _differing(name: str, names: Sequence[str], most: int) -> str:
    """Return the part of a name from the last place, at a word if possible, up to which another name is the same."""
    pairs = (enumerate(zip(name, other)) for other in names if other != name)
    at = max(next((i for i, (one, its) in pair if one != its), 0) for pair in pairs)  # 0: one of them begins the other
    word = name.rfind(" ", 0, at + 1) + 1
    begin = min(word if at - word < most // 2 else at, max(len(name) - most + 1, 0))
    room = most - (begin > 0)
    end = "" if len(name) - begin <= room else "…"
    return f"{'…' if begin else ''}{name[begin : begin + room - len(end)].strip()}{end}"


def _told_apart(parts: Parts) -> Mapping[tuple[str, str], str]:
    """Return how names are shown that were cut to the same text: with their ends, or the part in which they differ."""
    wholes: dict[str, set[str]] = {}
    for one in parts:
        if isinstance(one, Value) and one.shown != one.whole:
            wholes.setdefault(one.shown, set()).add(one.whole)
    alike = {shown: apart(sorted(names), len(shown)) for shown, names in wholes.items() if len(names) > 1}
    return {(name, cut): shown for cut, found in alike.items() for name, shown in found.items()}


def _visible(character: str) -> str:
    code = ord(character)
    if character in "\t\n":
        return " "
    if code in _BIDI_CONTROLS or code in _INVISIBLE or unicodedata.category(character) in ("Cc", "Cs"):
        return f"[U+{code:04X}]"
    return character


def number(value: float | None) -> str:
    """Return a proportion or statistic with four decimals; a number that would round to 0 or 1 is shown as below or above a limit."""
    if value is None or math.isnan(value):
        return UNDEFINED
    return "&lt;0.0001" if 0 < value < 0.00005 else "&gt;0.9999" if 0.99995 <= value < 1 else f"{value:.4f}"


def level_of(source: ReportSource) -> str:
    """Return the level of the intervals, in per cent."""
    return f"{source.provenance.level * 100:g}%"


def count(value: int | None) -> str:
    return "not known" if value is None else f"{value:,}"


def unique(values: Iterable[Item]) -> list[Item]:
    """Return the distinct values in order of first appearance."""
    return list(dict.fromkeys(values))


def first_row(rows: Iterable[Item]) -> Item | None:
    """Return the first row; None if there are none."""
    return next(iter(rows), None)


class Group(NamedTuple):
    """The rows that belong to one name: ``(label, cells)`` each."""

    name: str
    rows: Sequence[tuple[str, Sequence[str]]]


class Section(NamedTuple):
    """A part of the page with its anchor, and its title as markup."""

    anchor: str
    title: str
    markup: str

    @property
    def html(self) -> str:
        """The section alone."""
        return html(self.markup)


def section(anchor: str, title: str, how_to_read: str, *content: str) -> Section:
    """Return a section with its heading and an explanation of how to read it."""
    body = "\n".join(content)
    head = f'<section id="{anchor}" aria-labelledby="{anchor}-heading">\n<h2 id="{anchor}-heading">{title}</h2>'
    how = f'\n<p class="how">{how_to_read}</p>' if how_to_read else ""
    return Section(anchor, title, f"{head}{how}\n{body}\n</section>")


def finding(anchor: str, topic: str, heading: str, *content: str) -> Section:
    """Return a section whose heading is the finding; the topic is above it, and in the contents."""
    head = f'<section id="{anchor}" class="finding" aria-labelledby="{anchor}-heading">\n<p class="kick">{topic}</p>'
    body = "\n".join(filter(None, content))
    return Section(anchor, topic, f'{head}\n<h2 id="{anchor}-heading">{heading}</h2>\n{body}\n</section>')


def subheading(title: str, anchor: str = "") -> str:
    return f'<h3 id="{anchor}">{title}</h3>' if anchor else f"<h3>{title}</h3>"


def link(anchor: str, title: str) -> str:
    return f'<a href="#{anchor}">{title}</a>'


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a list of facts; names and values are HTML."""
    return "<dl>\n" + "\n".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in pairs) + "\n</dl>"


def bullets(items: Iterable[str], kind: str = "ul") -> str:
    """Return a list of items of markup."""
    return f"<{kind}>\n" + "\n".join(f"<li>{item}</li>" for item in items) + f"\n</{kind}>"


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, wordy: bool = False) -> str:
    """Return a table of HTML cells whose first column names the rows. ``wordy``: cells are sentences, not numbers."""
    body = "\n".join(f'<tr><th scope="row">{row[0]}</th>{_cells(row[1:])}</tr>' for row in rows)
    return framed("plain wordy" if wordy else "plain", caption, "", f"{_head(columns)}\n<tbody>\n{body}\n</tbody>")


def grouped_table(caption: str, columns: Sequence[str], groups: Iterable[Group]) -> str:
    """Return a table of text in which each name has several labelled rows; the first two columns are headings."""
    return framed("grouped wordy", caption, "", "\n".join([_head(columns), *map(_row_group, groups)]))


def _row_group(group: Group) -> str:
    name = f'<th scope="rowgroup" rowspan="{len(group.rows)}">{group.name}</th>'
    rows = [f'<th scope="row">{label}</th>{_cells(cells)}</tr>' for label, cells in group.rows]
    return f"<tbody>\n<tr>{name}" + "\n<tr>".join(rows) + "\n</tbody>"


def _cells(cells: Iterable[str]) -> str:
    return "".join(f"<td>{one}</td>" for one in cells)


def _head(columns: Sequence[str]) -> str:
    """Return the row of headings; a corner without a name is not a heading."""
    return "<thead><tr>" + "".join(f'<th scope="col">{name}</th>' if name else "<td></td>" for name in columns) + "</tr></thead>"


def framed(kind: str, caption: str, note: str, content: str, role: str = "") -> str:
    # A wide table scrolls inside its own frame; tabindex lets the keyboard reach it. An attribute holds no elements.
    label = words(" ".join(filter(None, (caption, note))))
    frame = f'<div class="frame" role="region" aria-label="{label}" tabindex="0">'
    small = f"{caption} <small>{note}</small>" if note else caption
    return f'{frame}\n<table class="{kind}"{role and " " + role}>\n<caption>{small}</caption>\n{content}\n</table>\n</div>'
