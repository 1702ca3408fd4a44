"""The two pictures of the first page: values at each reliability, and cases by the certainty of their truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .._base.counts import whole
from ..tables.performance import CertaintyRow
from ..tables.rows import defined, values_of
from ..tables.standings import MetricRow
from ..tables.strata import FEW_CASES
from . import svg
from .digest import SETTLED, Digest
from .digits import Digits
from .markup import LONGEST, distinct, level_of, plain, words
from .openness import stays_open

# In units of the view box; names of bins with their places in the key.
BINS = {"≥ 0.99": 0, "0.9 to 0.99": 66, "0.8 to 0.9": 152, "0.5 to 0.8": 230, "&lt; 0.5": 308}
BAR_LEFT, BAR_WIDTH, LEAST_WRITTEN = 40.0, 314, 26
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
    found = [r for r in digest.unrefuted if r is not None]
    if len(found) < 2 or not digest.models:
        return []
    drawn, share = digest.models[:MOST_DRAWN], digest.headline.higher_is_better
    rows = [[*(digest.row(m, r) for r in found), digest.voted(m)] for m in drawn]
    most, trivial = values_of(e for e in digest.limits if e.reliability in found), values_of(digest.constant(reliability=r) for r in found)
    y = _scale([*values_of(e for own in rows for e in own), *_ends(rows), *most], trivial, share)
    step = (WIDTH - LEFT - RIGHT) / (len(found) + 1)
    at = [LEFT + step * (i + 0.5) for i in range(len(found) + 1)]
    flat = list(_flat_lines(digest, [("most", most), ("trivial", trivial)], at, y))
    parts, labels = [*_axes(digest, found, at, y), *(line for line, _ in flat)], [label for _, label in flat]
    apart = min(6.0, step / (len(drawn) + 1))
    for j, (model, label, own) in enumerate(zip(drawn, map(plain, distinct(drawn, 14)), rows)):
        aside = (j - (len(drawn) - 1) / 2) * apart
        parts += _model_lines(digest, model, [(x + aside, e) for x, e in zip(at, own) if e is not None], y)
        last = next(e for e in own[::-1] if e is not None)
        labels.append((y.at(defined(last.value)), label, f"t{digest.style(model) % svg.N_STYLES}"))
    heading, note = _said_by_reliability(digest)
    return [figure("by-reliability", heading, note, "".join([*parts, *_labels(labels)]), BOTTOM + 38)]


def _flat_lines(
    digest: Digest, found: Iterable[tuple[str, list[float]]], at: Sequence[float], y: svg.Scale
) -> Iterator[tuple[str, tuple[float, str, str]]]:
    """Yield the lines of the limit and of the constant answer with their labels, if they are known at all reliabilities and on the axis."""
    constant, share = digest.constant(reliability=digest.unrefuted[0]), digest.headline.higher_is_better
    always = "always one class" if share or constant is None else f"always “{plain(constant.answer)}”"
    for kind, values in found:
        if len(values) == len(at) - 1 and y.low <= min(values) and max(values) <= y.high:
            label = always if kind == "trivial" else "ceiling" if share else "floor"
            yield f'<polyline class="{kind}" fill="none" points="{_path(zip(at, map(y.at, values)))}"/>', (y.at(values[-1]), label, "")


def _ends(rows: Iterable[Iterable[MetricRow | None]]) -> list[float]:
    return [end for own in rows for e in own if e for end in (e.case_low, e.case_high) if end is not None]


def _scale(values: Sequence[float], trivial: Sequence[float], share: bool) -> svg.Scale:
    """Return the axis of the values, and of the constant answer if it is near enough to be drawn."""
    low, high = svg.around([*values, *(trivial if trivial and near(values, trivial, share) else [])], 0.1)
    return svg.Scale(max(low, 0.0), min(high, 1.0) if share else high, BOTTOM, TOP)


def _axes(digest: Digest, found: Sequence[float], at: Sequence[float], y: svg.Scale) -> list[str]:
    """Return the shade of the main analysis, a line for each number of the axis, and the names of the columns, the vote last."""
    parts, per_unit, half = [], 100 if digest.headline.higher_is_better else 1, (at[1] - at[0]) * 0.35
    for value in svg.ticks(y):
        top = y.at(value)
        parts.append(f'<line class="hair" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{top:.1f}" y2="{top:.1f}"/>')
        parts.append(f'<text class="soft" x="{LEFT - 6:g}" y="{top + 4:.1f}" text-anchor="end">{value * per_unit:.4g}</text>')
    for x, r in zip(at, [*found, None]):
        main = r is not None and r == digest.main
        kind, name = "bold" if main else "soft", digest.headline.voted_tick if r is None else f"{r:g}"
        if main:
            parts.insert(0, f'<rect class="shaded" x="{x - half:.1f}" y="8" width="{2 * half:.1f}" height="{BOTTOM - 8:g}"/>')
        parts.append(f'<text class="{kind}" x="{x:.1f}" y="{BOTTOM + 16:g}" text-anchor="middle">{name}</text>')
    middle = f'x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{BOTTOM + 33:g}" text-anchor="middle"'
    return [*parts, f'<text class="soft" {middle}>reliability given to the annotators</text>']


def _model_lines(digest: Digest, model: str, points: Sequence[tuple[float, MetricRow]], y: svg.Scale) -> list[str]:
    """Return points joined by lines, with intervals; the line to the voted label, the last one, is dashed."""
    style = digest.style(model)
    kind = f"line s{style % svg.N_STYLES}"
    known = [(x, y.at(defined(e.value))) for x, e in points]
    voted = points[-1][1].metric == digest.headline.voted
    solid = known[: len(known) - voted]
    parts = [f'<polyline class="{kind} thin" points="{_path(solid)}"/>' if solid else ""]
    if voted and solid:
        parts.append(f'<polyline class="{kind} thin" stroke-dasharray="2 3" points="{_path(known[-2:])}"/>')
    for (x, top), (_, e) in zip(known, points):
        low, high = digest.case_ends(e)
        if low is not None and high is not None:
            parts.append(f'<path class="{kind}" d="M{x:.1f} {y.at(low):.1f}V{y.at(high):.1f}"/>')
        parts.append(svg.marker(x, top, style))
    return parts


def near(values: Sequence[float], trivial: Sequence[float], share: bool) -> bool:
    """Return whether the constant answer is near enough to the other values to be drawn on their axis."""
    return min(values) - max(trivial) < 0.3 if share else min(trivial) - max(values) < max(values) - min(values)


def _path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


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
    called = dict(zip(digest.models, map(plain, distinct(digest.models, LONGEST))))
    values = [defined(e.value) for r in digest.unrefuted if (e := digest.row(first, r))]
    ends = "" if digest.withheld else f", with {level_of(digest.source)} intervals"
    change = digest.headline.with_unit(digest.digits.points(max(values) - min(values)))
    rise = f" {called[first]} changes by {change}." if others else ""
    drawn = f"Drawn: {MOST_DRAWN} models; shaded" if len(others) >= MOST_DRAWN else "Shaded"
    note = f"{digest.headline.name}, {digest.headline.heading}{ends}.{rise} {drawn}: main analysis."
    leads = [digest.lead(first, others[0], reliability=r) for r in digest.unrefuted] if others else []
    signs = {lead.sign for lead in leads if lead is not None}
    if digest.withheld or not signs:
        return f"{called[first]} {digest.headline.depends(digest.digits, min(values), max(values))}", note
    pair = f"{called[first]} and {called[others[0]]}"
    kept = " that is not refuted" if digest.n_refuted else ""
    if signs == {0}:
        said = f"cannot be distinguished at any reliability{kept}"
        return f"{pair if len(words(pair)) <= LONGEST_PAIR else 'The leaders'} {said}", note
    if {1, -1} <= signs:
        return "Which model is ahead depends on the reliability", note
    return (
        f"{called[first if 1 in signs else others[0]]} is ahead at {'some reliabilities' if 0 in signs else f'every reliability{kept}'}",
        note,
    )


def by_certainty(digest: Digest) -> list[str]:
    """Return the figure of cases by the certainty of their truth, with one bar for each reliability."""
    bars = [e for e in digest.certainty_rows if e.reliability in digest.unrefuted and digest.certainties(e.reliability)]
    if not bars:
        return []
    several = len(bars) > 1
    parts = [f'<text class="soft" x="{WIDTH:g}" y="35" text-anchor="end">mean</text>']
    parts += ['<text class="soft" x="0" y="35">reliability</text>'] if several else []
    for i, (name, left) in enumerate(BINS.items()):
        parts.append(f'<rect class="z{i}" x="{left}" y="4" width="11" height="11"/><text class="soft" x="{left + 15}" y="14">{name}</text>')
    for j, e in enumerate(bars):
        parts += _bar(digest, e, 44 + 30 * j, several and e.reliability == digest.main)
    n, of_all = digest.settled(digest.main)
    counted = f"{whole(n)} of {whole(of_all)}"
    if not digest.models:  # the verdict has said it
        heading = "Certainty of the cases" + " at each reliability" * several
    else:
        settled = f"{Digits(0).percent(n / max(of_all, 1))} of the" if of_all >= FEW_CASES else counted
        heading = f"The truth is settled in {settled} cases" if n else "The truth of no case is settled"
        heading += digest.at_main.replace(",", " at") if several else ""
    note = " ".join(filter(None, [f"Cases by the certainty of their top class: {counted} reach {SETTLED}.", stays_open(digest)]))
    return [figure("by-certainty", heading, note, "".join(parts), 44 + 30 * len(bars) + 10)]


def _bar(digest: Digest, e: CertaintyRow, top: int, main: bool) -> list[str]:
    """Return the bar of a reliability: the shares of the cases by certainty, and the mean at its end."""
    kind, x = "bold" if main else "soft", BAR_LEFT
    parts = []
    if e.reliability is not None:
        parts.append(f'<text class="{kind}" x="33" y="{top + 15}" text-anchor="end">{e.reliability:g}</text>')
    for i, share in enumerate(digest.shares(e.reliability)):
        width = BAR_WIDTH * share
        if width > 0:
            parts.append(f'<rect class="z{i}" x="{x:.1f}" y="{top}" width="{width:.1f}" height="22"/>')
        if width >= LEAST_WRITTEN:
            said = Digits(0).percent(share)
            parts.append(f'<text class="q{i}" x="{x + width / 2:.1f}" y="{top + 15}" text-anchor="middle">{said}</text>')
        x += width
    if main:
        parts.append(f'<rect class="frame-line" x="{BAR_LEFT:g}" y="{top - 1.5}" width="{BAR_WIDTH}" height="25"/>')
    return [*parts, f'<text class="{kind}" x="{WIDTH:g}" y="{top + 15}" text-anchor="end">{100 * defined(e.value):.1f}</text>']
