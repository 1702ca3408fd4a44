"""Parts of figures as inline SVG: no script, no font, nothing loaded; models have shapes as well as colours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

N_STYLES, N_COLOURS = 8, 4  # models that can be distinguished, and those that have a colour of their own

# The page defines --c0 to --c4. From the fifth model on, only the shape distinguishes models.
STYLE = """
svg { width: 100%; max-width: 44rem; height: auto; display: block; }
svg text { font-size: 12px; fill: var(--ink); stroke: none; }
svg .line { fill: none; stroke-width: 2; }
svg .band { stroke: none; opacity: .18; }
svg .s0 { stroke: var(--c0); fill: var(--c0); } svg .s1 { stroke: var(--c1); fill: var(--c1); }
svg .s2 { stroke: var(--c2); fill: var(--c2); } svg .s3 { stroke: var(--c3); fill: var(--c3); }
svg :is(.s4, .s5, .s6, .s7) { stroke: var(--c4); fill: var(--c4); }
svg .line { fill: none; }
.defs { position: absolute; width: 0; height: 0; }
figure { margin: 1.25rem 0; break-inside: avoid; }
figcaption { font-size: .875rem; color: var(--faint); max-width: 44rem; }
"""


@dataclass(frozen=True)
class Scale:
    """A linear map from values to places on the page."""

    low: float
    high: float
    start: float
    stop: float

    def at(self, value: float) -> float:
        """Return the place of a value; values outside are placed at the end."""
        share = 0.5 if self.high == self.low else min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return self.start + share * (self.stop - self.start)


def around(values: Iterable[float], least: float = 0.02) -> tuple[float, float]:
    """Return round ends that include all values, with at least ``least`` between them."""
    known = [v for v in values if math.isfinite(v)]
    low, high = min(known), max(known)
    room = max((high - low) * 0.06, least / 2 if high - low < least else 0.0)
    step = _step(low - room, high + room)
    return math.floor((low - room) / step) * step, math.ceil((high + room) / step) * step


def _step(low: float, high: float, n: int = 5) -> float:
    """Return a round distance of about n ticks."""
    rough = (high - low) / n
    size = 10.0 ** math.floor(math.log10(rough))
    return size * next(s for s in (1, 2, 2.5, 5, 10) if s * size >= rough * 0.999)


def ticks(scale: Scale, n: int = 5) -> list[float]:
    """Return about n round values along a scale."""
    step = _step(scale.low, scale.high, n)
    first = math.ceil(scale.low / step - 1e-9)
    return [i * step for i in range(first, math.floor(scale.high / step + 1e-9) + 1)]


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def vertical_lines(at: Iterable[float]) -> str:
    """Return vertical lines at places in per cent of the width."""
    return "".join(f'<line x1="{_n(x)}%" x2="{_n(x)}%" y2="100%"/>' for x in at)


# Marks of models around the origin: a dot, square, triangle, diamond, ring, cross, turned triangle and open square. Each is
# drawn once for the page, with v, the mark of the voted label, and g, the lines of an axis from 0 to 100.
_SHAPES = (
    '<circle r="4"/>', '<path d="M-4-4H4V4H-4Z"/>', '<path d="M0-4L4 4H-4Z"/>', '<path d="M0-5L5 0L0 5L-5 0Z"/>',
    '<circle r="4"/>', '<path d="M-4-4L4 4M-4 4L4-4"/>', '<path d="M0 4L4-4H-4Z"/>', '<path d="M-4-4H4V4H-4Z"/>',
)  # fmt: skip
OPEN = (4, 5, 7)  # the marks that are lines
DEFS = (
    '<svg class="defs" aria-hidden="true"><defs>'
    + "".join(shape.replace(" ", f' id="m{i}" ', 1) for i, shape in enumerate(_SHAPES))
    + '<path id="v" d="M0-5L5 0L0 5L-5 0Z"/><g id="g">'
    + vertical_lines((0, 25, 50, 75, 100))
    + "</g></defs></svg>"
)


def marker(left: float, top: float, style: int, unit: str = "") -> str:
    """Return the mark of a model at a place; ``unit``: % for places from the left in per cent."""
    number = style % N_STYLES
    x, y = (f' {name}="{_n(at)}{end}"' if at else "" for name, at, end in (("x", left, unit), ("y", top, "")))
    return f'<use class="{"line " * (number in OPEN)}s{number}" href="#m{number}"{x}{y}/>'
