"""The two pictures of the first page: values at each reliability, and cases by the certainty of their truth."""

from __future__ import annotations

from collections.abc import Sequence

from .._base.counts import whole
from ..tables.rows import defined
from ..tables.standings import MetricRow
from ..tables.strata import FEW_CASES
from . import svg
from .digest import LONGEST, SETTLED, Digest, distinct
from .digits import Digits
from .markup import first_row, level_of

BINS = ("≥ 0.99", "0.9 to 0.99", "0.8 to 0.9", "0.5 to 0.8", "&lt; 0.5")
# In units of the view box.
LEFT, RIGHT, TOP, BOTTOM, WIDTH = 40.0, 100.0, 14.0, 162.0, 400.0
APART = 14.0  # between labels
MOST_DRAWN = 5  # models
LONGEST_PAIR = 40  # characters of two names in a heading


def figure(anchor: str, heading: str, note: str, content: str, height: float) -> str:
    """Return a figure with its finding as heading, and a note."""
    label = f'<title id="{anchor}-title">{heading}</title><desc id="{anchor}-text">{note}</desc>'
    drawn = f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-labelledby="{anchor}-title {anchor}-text">{label}{content}</svg>'
    return f'<figure id="{anchor}">\n<figcaption><b>{heading}</b> <span>{note}</span></figcaption>\n{drawn}\n</figure>'


def by_reliability(digest: Digest) -> list[str]:
    """Return the figure of values at each reliability, and against the voted label; none if there are fewer than two reliabilities."""
    found = [r for r in digest.reliabilities if r is not None]
    if len(found) < 2 or not digest.models:
        return []
    drawn = digest.models[:MOST_DRAWN]
    rows = {m: [digest.row(m, r) for r in found] for m in drawn}
    voted = {m: digest.voted(m) for m in drawn}
    every = [e for own in rows.values() for e in own if e] + [e for e in voted.values() if e]
    values = [v for e in every for v in (e.value, e.case_low, e.case_high) if v is not None]
    values += [defined(e.value) for e in digest.limits]
    constants = [digest.constant(reliability=r) for r in found]
    trivial = [defined(e.value) for e in constants if e is not None]
    share = digest.headline.higher_is_better
    low, high = svg.around([*values, *(trivial if trivial and near(values, trivial, share) else [])], 0.1)
    y = svg.Scale(max(low, 0.0), min(high, 1.0) if share else high, BOTTOM, TOP)
    step = (WIDTH - LEFT - RIGHT) / (len(found) + 1)
    at = [LEFT + step * (i + 0.5) for i in range(len(found) + 1)]
    here = found.index(digest.main) if digest.main in found else None
    parts = (
        []
        if here is None
        else [f'<rect class="shaded" x="{at[here] - step * 0.35:.1f}" y="8" width="{step * 0.7:.1f}" height="{BOTTOM - 8:g}"/>']
    )
    for value in svg.ticks(y):
        parts.append(f'<line class="hair" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y.at(value):.1f}" y2="{y.at(value):.1f}"/>')
        parts.append(
            f'<text class="soft" x="{LEFT - 6:g}" y="{y.at(value) + 4:.1f}" text-anchor="end">{value * (100 if share else 1):.4g}</text>'
        )
    for i, name in enumerate([*(f"{r:g}" for r in found), digest.headline.voted_tick]):
        kind = "bold" if i == here else "soft"
        parts.append(f'<text class="{kind}" x="{at[i]:.1f}" y="{BOTTOM + 16:g}" text-anchor="middle">{name}</text>')
    middle = f'x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{BOTTOM + 33:g}" text-anchor="middle"'
    parts.append(f'<text class="soft" {middle}>reliability given to the annotators</text>')
    labels, called = [], distinct(drawn, 14)
    if len(digest.limits) == len(found):
        tops = [y.at(defined(e.value)) for e in digest.limits]
        parts.append(f'<polyline class="most" fill="none" points="{_path(at, tops)}"/>')
        labels.append((tops[-1], "ceiling" if share else "floor", ""))
    if len(trivial) == len(found) and constants[0] is not None and min(trivial) >= y.low and max(trivial) <= y.high:
        tops = [y.at(v) for v in trivial]
        parts.append(f'<polyline class="trivial" fill="none" points="{_path(at, tops)}"/>')
        labels.append((tops[-1], "always one class" if share else f"always “{constants[0].answer}”", ""))
    for j, model in enumerate(drawn):
        labels.append(
            _model_lines(
                digest,
                model,
                called[j],
                rows[model],
                voted[model],
                at,
                (j - (len(drawn) - 1) / 2) * min(6.0, step / (len(drawn) + 1)),
                y,
                parts,
            )
        )
    parts += _labels(labels)
    heading, note = _said_by_reliability(digest)
    return [figure("by-reliability", heading, note, "".join(parts), BOTTOM + 38)]


def _model_lines(
    digest: Digest,
    model: str,
    label: str,
    rows: Sequence[MetricRow | None],
    voted: MetricRow | None,
    at: Sequence[float],
    aside: float,
    y: svg.Scale,
    parts: list[str],
) -> tuple[float, str, str]:
    """Draw points joined by lines, with intervals, the voted label last; return the place, text and class of the label."""
    style = digest.style(model)
    kind, drawn = f"line s{style % svg.N_STYLES}", [(x + aside, e) for x, e in zip(at, [*rows, voted]) if e is not None]
    known = [(x, y.at(defined(e.value))) for x, e in drawn]
    solid = known[: len(known) - (voted is not None)]
    parts.append(f'<polyline class="{kind} thin" points="{_path(*zip(*solid))}"/>' if solid else "")
    if voted is not None and solid:
        parts.append(f'<polyline class="{kind} thin" stroke-dasharray="2 3" points="{_path(*zip(*known[-2:]))}"/>')
    for x, e in drawn:
        if e.case_low is not None and e.case_high is not None and not digest.withheld:
            parts.append(f'<path class="{kind}" d="M{x:.1f} {y.at(e.case_low):.1f}V{y.at(e.case_high):.1f}"/>')
        parts.append(svg.marker(x, y.at(defined(e.value)), style))
    return known[-1][1], label, f"t{style % svg.N_STYLES}"


def near(values: Sequence[float], trivial: Sequence[float], share: bool) -> bool:
    """Return whether the constant answer is near enough to the other values to be drawn on their axis."""
    return min(values) - max(trivial) < 0.3 if share else min(trivial) - max(values) < max(values) - min(values)


def _path(x: Sequence[float], y: Sequence[float]) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))


def _labels(given: list[tuple[float, str, str]]) -> list[str]:
    """Return the labels at the right end, moved apart vertically."""
    ordered = sorted(given)
    tops: list[float] = []
    for top, _, _ in ordered:
        tops.append(max(top + 4, tops[-1] + APART if tops else 0.0))
    over = tops[-1] - (BOTTOM + 6) if tops else 0.0
    tops = [top - max(over, 0.0) for top in tops]
    return [f'<text class="{kind}" x="{WIDTH - RIGHT + 6:g}" y="{top:.1f}">{name}</text>' for top, (_, name, kind) in zip(tops, ordered)]


def _said_by_reliability(digest: Digest) -> tuple[str, str]:
    """Return the heading of the picture, and a note on its content."""
    first, *others = digest.models
    called = dict(zip(digest.models, distinct(digest.models, LONGEST)))
    values = [defined(e.value) for r in digest.reliabilities if (e := digest.row(first, r))]
    ends = "" if digest.withheld else f", with {level_of(digest.source)} intervals"
    change = digest.headline.with_unit(digest.digits.points(max(values) - min(values)))
    rise = f" {called[first]} changes by {change}." if others else ""
    drawn = f"Drawn: {MOST_DRAWN} models; shaded" if len(others) >= MOST_DRAWN else "Shaded"
    note = f"{digest.headline.name}, {digest.headline.heading}{ends}.{rise} {drawn}: main analysis."
    leads = [digest.lead(first, others[0], reliability=r) for r in digest.reliabilities] if others else []
    signs = {lead.sign for lead in leads if lead is not None}
    if digest.withheld or not signs:
        said = digest.headline.depends(digest.digits, min(values), max(values))
        return f"{called[first]} {said}, depending on the reliability", note
    pair = f"{called[first]} and {called[others[0]]}"
    if signs == {0}:
        said = "cannot be distinguished at any reliability"
        return f"{pair if len(pair) <= LONGEST_PAIR else 'The leaders'} {said}", note
    if {1, -1} <= signs:
        return "Which model is ahead depends on the reliability", note
    return f"{called[first if 1 in signs else others[0]]} is ahead at {'some reliabilities' if 0 in signs else 'every reliability'}", note


def by_certainty(digest: Digest) -> list[str]:
    """Return the figure of cases by the certainty of their truth, with one bar for each reliability."""
    bars = [
        (r, digest.shares(r), defined(e.value))
        for r in digest.reliabilities
        if (e := first_row(e for e in digest.certainty_rows if e.reliability == r)) is not None and digest.certainties(r)
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
        main = reliability == digest.main and len(bars) > 1
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
    n, of_all = digest.settled(digest.main)
    whole_share = Digits(0).percent(n / max(of_all, 1))
    counted = f"{whole(n)} of {whole(of_all)}"
    heading = (
        f"The truth is settled in {f'{whole_share} of the' if of_all >= FEW_CASES else counted} cases"
        if n
        else "The truth of no case is settled"
    )
    heading += digest.at_main.replace(",", " at") if len(bars) > 1 else ""
    if not digest.models:  # the verdict has said it
        heading = "Certainty of the cases at each reliability" if len(bars) > 1 else "Certainty of the cases"
    note = f"Cases by the certainty of their top class: {counted} reach {SETTLED}."
    return [figure("by-certainty", heading, note, "".join(parts), 44 + 30 * len(bars) + 10)]
