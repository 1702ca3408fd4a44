"""Figures as inline SVG: no script, no font, nothing loaded; told apart by dashes and shapes as well as by colour."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .markup import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Point = tuple[float, float]

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 14, 48
DASHES = ("", "7 4", "2 3", "9 3 2 3", "12 5", "4 2 1 2")
N_STYLES = len(DASHES)
NUMBERED = 12  # squares of a row that have room for their number
GRID_LEFT, GRID_TOP, GRID = 130.0, 84.0, 480.0

# Colours of Okabe and Ito, which most colour-blind people can tell apart; the page defines --c0 to --c5.
STYLE = """
svg { width: 100%; max-width: 44rem; height: auto; display: block; }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; fill: var(--ink); stroke: none; }
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
    """Across the figure."""
    return Scale(low, high, LEFT, WIDTH - RIGHT, log)


def y_scale(low: float, high: float) -> Scale:
    """Up the figure."""
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
    """A line through points."""
    path = " ".join(f"{_n(x.at(a))},{_n(y.at(b))}" for a, b in points)
    dash = DASHES[style % N_STYLES]
    return f'<polyline class="line s{style % N_STYLES}"{f" stroke-dasharray={dash!r}" if dash else ""} points="{path}"/>'


def band(points: Sequence[tuple[float, float, float]], x: Scale, y: Scale, style: int) -> str:
    """Between the low and the high of each x."""
    there = [f"{_n(x.at(a))},{_n(y.at(low))}" for a, low, _ in points]
    back = [f"{_n(x.at(a))},{_n(y.at(high))}" for a, _, high in reversed(points)]
    return f'<polygon class="band s{style % N_STYLES}" points="{" ".join(there + back)}"/>'


def error_bar(value: float, low: float, high: float, x: Scale, y: Scale, style: int) -> str:
    """A vertical line from low to high."""
    at = _n(x.at(value))
    return f'<line class="line s{style % N_STYLES}" x1="{at}" x2="{at}" y1="{_n(y.at(low))}" y2="{_n(y.at(high))}"/>'


def row_bar(low: float, high: float, at: float, x: Scale, style: int) -> str:
    """A horizontal line from low to high at a height."""
    return f'<line class="line s{style % N_STYLES}" x1="{_n(x.at(low))}" x2="{_n(x.at(high))}" y1="{_n(at)}" y2="{_n(at)}"/>'


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
    """A marker at a point."""
    return marker(x.at(a), y.at(b), style)


def guide(points: Sequence[Point], x: Scale, y: Scale) -> str:
    """A faint line to read against."""
    return f'<polyline class="guide" points="{" ".join(f"{_n(x.at(a))},{_n(y.at(b))}" for a, b in points)}"/>'


def spread(names: Sequence[str]) -> list[str]:
    """As many as can be told apart: the first, the last, and some between."""
    if len(names) <= N_STYLES:
        return list(names)
    at = sorted({round(i * (len(names) - 1) / (N_STYLES - 1)) for i in range(N_STYLES)})
    return [names[i] for i in at]


def legend(names: Sequence[str], lines: bool = True) -> str:
    """What the styles mean, above the axes: SVG and the height that it takes."""
    parts, left, top = [], float(LEFT), 12.0
    for style, name in enumerate(names):
        shown = name if len(name) <= 40 else name[:39] + "…"
        needed = 40 + 7.0 * len(shown)
        if left + needed > WIDTH and left > LEFT:
            left, top = float(LEFT), top + 18
        mark = marker(left + 12, top - 4, style)
        if lines:
            dash = DASHES[style % N_STYLES]
            mark += (
                f'<line class="line s{style % N_STYLES}"{f" stroke-dasharray={dash!r}" if dash else ""} '
                f'x1="{_n(left)}" x2="{_n(left + 24)}" y1="{_n(top - 4)}" y2="{_n(top - 4)}"/>'
            )
        parts.append(f'{mark}<text x="{_n(left + 30)}" y="{_n(top)}">{plain(shown)}</text>')
        left += needed
    return "".join(parts) if names else ""


def legend_height(names: Sequence[str]) -> float:
    """What :func:`legend` takes."""
    rows, left = 1, float(LEFT)
    for name in names:
        needed = 40 + 7.0 * min(len(name), 40)
        if left + needed > WIDTH and left > LEFT:
            left, rows = float(LEFT), rows + 1
        left += needed
    return rows * 18.0 + 6 if names else 0.0


def axes(x: Scale, y: Scale, x_label: str, y_label: str, x_ticks: Sequence[tuple[float, str]] | None = None) -> str:
    """Grid, axes, numbers and what they are."""
    parts = []
    for value in ticks(y):
        at = _n(y.at(value))
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{_n(y.at(value) + 4)}" text-anchor="end">{value:.6g}</text>')
    for value, name in x_ticks if x_ticks is not None else [(v, f"{v:.6g}") for v in ticks(x)]:
        at = _n(x.at(value))
        parts.append(f'<line class="axis" x1="{at}" x2="{at}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM + 5}"/>')
        parts.append(f'<text x="{at}" y="{HEIGHT - BOTTOM + 19}" text-anchor="middle">{plain(name)}</text>')
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{plain(x_label)}</text>')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<text transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle">{plain(y_label)}</text>')
    return "".join(parts)


def vertical(value: float, top: float, bottom: float, x: Scale) -> str:
    """A faint vertical line at a value."""
    at = _n(x.at(value))
    return f'<line class="guide" x1="{at}" x2="{at}" y1="{_n(top)}" y2="{_n(bottom)}"/>'


def row_name(name: str, at: float) -> str:
    """The name of a row, left of the axis."""
    shown = name if len(name) <= 16 else name[:15] + "…"
    return f'<text x="122" y="{_n(at + 4)}" text-anchor="end">{plain(shown)}</text>'


def x_axis(x: Scale, top: float, label: str) -> str:
    """An axis below rows."""
    parts = [f'<path class="axis" d="M{_n(x.start)} {_n(top)}H{_n(x.stop)}"/>']
    for value in ticks(x):
        parts.append(f'<line class="axis" x1="{_n(x.at(value))}" x2="{_n(x.at(value))}" y1="{_n(top)}" y2="{_n(top + 5)}"/>')
        parts.append(f'<text x="{_n(x.at(value))}" y="{_n(top + 19)}" text-anchor="middle">{value:.6g}</text>')
    parts.append(f'<text x="{(x.start + x.stop) / 2:.0f}" y="{_n(top + 38)}" text-anchor="middle">{plain(label)}</text>')
    return "".join(parts)


def figure(
    anchor: str, title: str, description: str, content: str, names: Sequence[str] = (), *, lines: bool = True, height: float = HEIGHT
) -> str:
    """A figure with a legend above, a title and description for those who do not see it, and a caption (plain text)."""
    above = legend_height(names)
    label = f'<title id="{anchor}-title">{plain(title)}</title><desc id="{anchor}-text">{plain(description)}</desc>'
    shown = f'{legend(names, lines)}<g transform="translate(0 {_n(above)})">{content}</g>'
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
    parts = [_grid_names(rows, columns, size)]
    for (i, j), v in sorted(value.items()):
        left, top = GRID_LEFT + j * size, GRID_TOP + i * size
        parts.append(
            f'<rect class="grid" x="{left:.1f}" y="{top:.1f}" width="{size:.1f}" height="{size:.1f}" fill="var(--faint)" '
            f'fill-opacity="{_shade(v / most):.3f}"><title>{plain(said[i, j])}</title></rect>'
        )
        if len(columns) <= NUMBERED:
            parts.append(
                f'<text x="{left + size / 2:.1f}" y="{top + size / 2 + 4:.1f}" text-anchor="middle" pointer-events="none">'
                f"{plain(shown[i, j])}</text>"
            )
    return "".join(parts)


def _shade(share_of_most: float) -> float:
    """Even a little is seen beside nothing; numbers can be read on the most."""
    return 0.08 + 0.52 * share_of_most if share_of_most > 0 else 0.0


def grid_height(n_rows: int, n_columns: int) -> float:
    """What :func:`squares` takes."""
    return GRID_TOP + n_rows * _cell(n_columns) + 10


def _cell(n: int) -> float:
    return min(GRID / max(n, 1), 48.0)


def _grid_names(rows: Sequence[str], columns: Sequence[str], size: float) -> str:
    """Names left of the squares and, turned, above them."""
    parts = [row_name(name, GRID_TOP + (i + 0.5) * size) for i, name in enumerate(rows)]
    for j, name in enumerate(columns):
        at = GRID_LEFT + (j + 0.5) * size + 4
        shown = name if len(name) <= 12 else name[:11] + "…"
        parts.append(f'<text transform="translate({at:.1f} {GRID_TOP - 6:.0f}) rotate(-90)">{plain(shown)}</text>')
    return "".join(parts)
