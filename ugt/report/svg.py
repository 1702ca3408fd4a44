"""Figures as inline SVG: no script, no font, nothing loaded; told apart by dashes and shapes as well as by colour."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .markup import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .markup import Entry

    Point = tuple[float, float]

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 14, 48
DASHES = ("", "7 4", "2 3", "9 3 2 3", "12 5", "4 2 1 2")
N_STYLES = len(DASHES)
NUMBERED = 12  # squares of a row that have room for their number
GRID_LEFT, GRID_TOP, GRID = 130.0, 84.0, 480.0
LANE = 11.0  # of a model in a row of dots

# Colours of Okabe and Ito, which most colour-blind people can tell apart; the page defines --c0 to --c5.
STYLE = """
svg { width: 100%; max-width: 44rem; height: auto; display: block; }
svg text { font-size: 12px; fill: var(--ink); stroke: none; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--ink); stroke-width: 1; fill: none; }
svg .guide { stroke: var(--faint); stroke-dasharray: 3 4; fill: none; }
svg .line { fill: none; stroke-width: 2; }
svg .band { stroke: none; opacity: .18; }
svg .bar { fill: var(--faint); opacity: .35; stroke: none; }
svg .s0 { stroke: var(--c0); fill: var(--c0); } svg .s1 { stroke: var(--c1); fill: var(--c1); }
svg .s2 { stroke: var(--c2); fill: var(--c2); } svg .s3 { stroke: var(--c3); fill: var(--c3); }
svg .s4 { stroke: var(--c4); fill: var(--c4); } svg .s5 { stroke: var(--c5); fill: var(--c5); }
svg .line { fill: none; }
figure { margin: 1.25rem 0; break-inside: avoid; }
figcaption { font-size: .875rem; color: var(--faint); max-width: 44rem; }
"""


@dataclass(frozen=True)
class Scale:
    """From values to places on the page."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def at(self, value: float) -> float:
        """Where a value stands; values outside stand at the end."""
        low, high, x = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        share = 0.5 if high == low else min(max((x - low) / (high - low), 0.0), 1.0)
        return self.start + share * (self.stop - self.start)


def x_scale(low: float, high: float, *, log: bool = False) -> Scale:
    return Scale(low, high, LEFT, WIDTH - RIGHT, log)


def y_scale(low: float, high: float) -> Scale:
    return Scale(low, high, HEIGHT - BOTTOM, TOP)


def around(values: Iterable[float], least: float = 0.02) -> tuple[float, float]:
    """Round ends that have all values between them, and ``least`` of room."""
    known = [v for v in values if math.isfinite(v)]
    low, high = min(known), max(known)
    room = max((high - low) * 0.06, least / 2 if high - low < least else 0.0)
    step = _step(low - room, high + room)
    return math.floor((low - room) / step) * step, math.ceil((high + room) / step) * step


def _step(low: float, high: float, n: int = 5) -> float:
    """A round distance of about n ticks."""
    rough = (high - low) / n
    size = 10.0 ** math.floor(math.log10(rough))
    return size * next(s for s in (1, 2, 2.5, 5, 10) if s * size >= rough * 0.999)


def ticks(scale: Scale) -> list[float]:
    """Round values along a scale."""
    step = _step(scale.low, scale.high)
    first = math.ceil(scale.low / step - 1e-9)
    return [i * step for i in range(first, math.floor(scale.high / step + 1e-9) + 1)]


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def line(points: Sequence[Point], x: Scale, y: Scale, style: int) -> str:
    return f'<polyline class="line s{style % N_STYLES}"{_dashes(style)} points="{_path(points, x, y)}"/>'


def _path(points: Iterable[Point], x: Scale, y: Scale) -> str:
    return " ".join(f"{_n(x.at(a))},{_n(y.at(b))}" for a, b in points)


def band(points: Sequence[tuple[float, float, float]], x: Scale, y: Scale, style: int) -> str:
    """Between the low and the high of each x."""
    around = [(a, low) for a, low, _ in points] + [(a, high) for a, _, high in reversed(points)]
    return f'<polygon class="band s{style % N_STYLES}" points="{_path(around, x, y)}"/>'


def error_bar(value: float, low: float, high: float, x: Scale, y: Scale, style: int) -> str:
    """A vertical line from low to high."""
    return _rule(f"line s{style % N_STYLES}", x.at(value), x.at(value), y.at(low), y.at(high))


def row_bar(low: float, high: float, at: float, x: Scale, style: int) -> str:
    """A horizontal line from low to high at a height."""
    return _rule(f"line s{style % N_STYLES}", x.at(low), x.at(high), at, at)


def marker(left: float, top: float, style: int, size: float = 4.5) -> str:
    """A dot, square, triangle, diamond, ring or cross at a place."""
    kind, s = f's{style % N_STYLES}"', size
    a, b, w = left, top, 1.3 * s
    shapes = (
        f'<circle class="{kind} cx="{_n(a)}" cy="{_n(b)}" r="{_n(s)}"/>',
        f'<rect class="{kind} x="{_n(a - s)}" y="{_n(b - s)}" width="{_n(2 * s)}" height="{_n(2 * s)}"/>',
        f'<path class="{kind} d="M{_n(a)} {_n(b - s)}L{_n(a + s)} {_n(b + s)}L{_n(a - s)} {_n(b + s)}Z"/>',
        f'<path class="{kind} d="M{_n(a)} {_n(b - w)}L{_n(a + w)} {_n(b)}L{_n(a)} {_n(b + w)}L{_n(a - w)} {_n(b)}Z"/>',
        f'<circle class="line {kind} cx="{_n(a)}" cy="{_n(b)}" r="{_n(s)}"/>',
        f'<path class="line {kind} d="M{_n(a - s)} {_n(b - s)}L{_n(a + s)} {_n(b + s)}M{_n(a - s)} {_n(b + s)}L{_n(a + s)} {_n(b - s)}"/>',
    )
    return shapes[style % N_STYLES]


def dot(a: float, b: float, x: Scale, y: Scale, style: int) -> str:
    return marker(x.at(a), y.at(b), style)


def guide(points: Sequence[Point], x: Scale, y: Scale) -> str:
    return f'<polyline class="guide" points="{_path(points, x, y)}"/>'


def spread(names: Sequence[str]) -> list[str]:
    """As many as can be told apart: the first, the last, and some between."""
    if len(names) <= N_STYLES:
        return list(names)
    at = sorted({round(i * (len(names) - 1) / (N_STYLES - 1)) for i in range(N_STYLES)})
    return [names[i] for i in at]


def legend(names: Sequence[str], lines: bool = True) -> tuple[str, float]:
    """What the styles mean, above the axes: SVG and the height that it takes."""
    parts, left, top = [], float(LEFT), 12.0
    for style, name in enumerate(names):
        shown = name if len(name) <= 40 else name[:39] + "…"
        needed = 40 + 7.0 * len(shown)
        if left + needed > WIDTH and left > LEFT:
            left, top = float(LEFT), top + 18
        parts.append(marker(left + 12, top - 4, style))
        if lines:
            parts.append(_rule(f"line s{style % N_STYLES}", left, left + 24, top - 4, top - 4, _dashes(style)))
        parts.append(f'<text x="{_n(left + 30)}" y="{_n(top)}">{plain(shown)}</text>')
        left += needed
    return ("".join(parts), top + 12) if names else ("", 0.0)


def _dashes(style: int) -> str:
    dash = DASHES[style % N_STYLES]
    return f" stroke-dasharray={dash!r}" if dash else ""


def _rule(kind: str, x1: float, x2: float, y1: float, y2: float, more: str = "") -> str:
    """A straight line of a class, with further attributes."""
    return f'<line class="{kind}"{more} x1="{_n(x1)}" x2="{_n(x2)}" y1="{_n(y1)}" y2="{_n(y2)}"/>'


def _label(x: float, y: float, name: str, anchor: str = "middle") -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{plain(name)}</text>'


def axes(x: Scale, y: Scale, x_label: str, y_label: str, x_ticks: Sequence[tuple[float, str]] | None = None) -> str:
    parts, bottom = [], HEIGHT - BOTTOM
    for value in ticks(y):
        at = y.at(value)
        parts += [_rule("grid", LEFT, WIDTH - RIGHT, at, at), _label(LEFT - 8, at + 4, f"{value:.6g}", "end")]
    for value, name in x_ticks if x_ticks is not None else [(v, f"{v:.6g}") for v in ticks(x)]:
        at = x.at(value)
        parts += [_rule("axis", at, at, bottom, bottom + 5), _label(at, bottom + 19, name)]
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}"/>')
    parts.append(_label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label))
    parts.append(f'<text transform="translate(14 {(TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">{plain(y_label)}</text>')
    return "".join(parts)


def vertical(value: float, top: float, bottom: float, x: Scale) -> str:
    """A faint vertical line at a value."""
    return _rule("guide", x.at(value), x.at(value), top, bottom)


def row_name(name: str, at: float) -> str:
    """The name of a row, left of the axis."""
    return _label(122, at + 4, name if len(name) <= 16 else name[:15] + "…", "end")


def x_axis(x: Scale, top: float, label: str) -> str:
    parts = [f'<path class="axis" d="M{_n(x.start)} {_n(top)}H{_n(x.stop)}"/>']
    for value in ticks(x):
        at = x.at(value)
        parts += [_rule("axis", at, at, top, top + 5), _label(at, top + 19, f"{value:.6g}")]
    return "".join([*parts, _label(round((x.start + x.stop) / 2), top + 38, label)])


def figure(
    anchor: str, title: str, description: str, content: str, names: Sequence[str] = (), *, lines: bool = True, height: float = HEIGHT
) -> str:
    """A figure with a legend above, a title and description for those who do not see it, and a caption (plain text)."""
    key, above = legend(names, lines)
    label = f'<title id="{anchor}-title">{plain(title)}</title><desc id="{anchor}-text">{plain(description)}</desc>'
    shown = f'{key}<g transform="translate(0 {_n(above)})">{content}</g>'
    head = f'<svg viewBox="0 0 {WIDTH} {_n(height + above)}" role="img" aria-labelledby="{anchor}-title {anchor}-text">'
    return f'<figure id="{anchor}">\n{head}{label}{shown}</svg>\n<figcaption>{plain(title)}. {plain(description)}</figcaption>\n</figure>'


def squares(
    rows: Sequence[str],
    columns: Sequence[str],
    value: Mapping[tuple[int, int], float],
    shown: Mapping[tuple[int, int], str],
    said: Mapping[tuple[int, int], str],
    most: float,
) -> str:
    """A grid of squares, the darker the nearer to ``most``; numbers where there is room, and what each says for those who point at it."""
    size = _cell(len(columns))
    parts = [row_name(name, GRID_TOP + (i + 0.5) * size) for i, name in enumerate(rows)]
    for j, name in enumerate(columns):  # turned, above the squares
        place = f"translate({GRID_LEFT + (j + 0.5) * size + 4:.1f} {GRID_TOP - 6:.0f}) rotate(-90)"
        parts.append(f'<text transform="{place}">{plain(name if len(name) <= 12 else name[:11] + "…")}</text>')
    for (i, j), v in sorted(value.items()):
        left, top = GRID_LEFT + j * size, GRID_TOP + i * size
        shade = 0.08 + 0.52 * (v / most) if v > 0 else 0.0  # even a little is seen beside nothing; numbers can be read on the most
        parts.append(
            f'<rect class="grid" x="{left:.1f}" y="{top:.1f}" width="{size:.1f}" height="{size:.1f}" fill="var(--faint)" '
            f'fill-opacity="{shade:.3f}"><title>{plain(said[i, j])}</title></rect>'
        )
        if len(columns) <= NUMBERED:
            parts.append(
                f'<text x="{left + size / 2:.1f}" y="{top + size / 2 + 4:.1f}" text-anchor="middle" pointer-events="none">'
                f"{plain(shown[i, j])}</text>"
            )
    return "".join(parts)


def grid_height(n_rows: int, n_columns: int) -> float:
    """What :func:`squares` takes."""
    return GRID_TOP + n_rows * _cell(n_columns) + 10


def _cell(n: int) -> float:
    return min(GRID / max(n, 1), 48.0)


def dot_plot(anchor: str, title: str, note: str, rows: Sequence[tuple[str, Sequence[Entry]]], models: Sequence[str], label: str) -> str:
    """Rows of dots with their intervals; as many models as can be told apart."""
    drawn = list(models[:N_STYLES])
    shown = [(name, [e for e in found if e["model"] in drawn]) for name, found in rows]
    values = [v for _, found in shown for e in found for v in (e["value"], e["low"], e["high"]) if v is not None]
    if not values:
        return ""
    low, high = around(values)
    x = Scale(max(low, 0.0), min(high, 1.0), 130, WIDTH - RIGHT)
    height = TOP + (LANE * len(drawn) + 12) * len(shown)
    parts = [vertical(value, TOP, height, x) for value in ticks(x)]
    for i, (name, found) in enumerate(shown):
        top = TOP + (LANE * len(drawn) + 12) * i
        parts.append(row_name(name, top + (LANE * len(drawn) + 12) / 2))
        for e in found:
            style = drawn.index(e["model"])
            at = top + 6 + LANE * (style + 0.5)
            if e["low"] is not None and e["high"] is not None:
                parts.append(row_bar(e["low"], e["high"], at, x, style))
            parts.append(marker(x.at(e["value"]), at, style, 3.5))
    parts.append(x_axis(x, height, label))
    left = f"; the first {len(drawn)} of {len(models):,} models are drawn, the table has all" if len(drawn) < len(models) else ""
    return figure(anchor, title, note + left, "".join(parts), drawn, lines=False, height=height + BOTTOM)
