"""Quality of the scores for two classes: the ROC curve with the area that is possible, and scores against shares of labels."""

from __future__ import annotations

from collections.abc import Sequence

from ..._base.counts import whole
from ...tables.calibration import BinRow
from ...tables.curves import GRID, AreaRow, CurveRow
from ...tables.names import PERFECT
from ...tables.source import ReportSource
from .. import svg
from ..digest import Digest, shown
from ..digits import Digits, within
from ..markup import NONE, Section, finding, first_row, level_of, plain
from ..pictures import LEFT, figure
from ..rows import plain_table
from ..yardsticks import rare_area, rare_class

MOST = 4  # models that are drawn
SIDE, TOP, BOTTOM = 300.0, 10.0, 230.0  # of the axes, in units of the view box
SHOWN_AT = (0.1, 0.2, 0.5)  # 1 - negative percent agreement


def render(source: ReportSource) -> Section | None:
    """Two figures and points of the curves; None if there are no scores for two classes."""
    digest = Digest(source).of_choices
    curves = [e for e in source.rows(CurveRow) if (e.curve, e.kind) == ("roc", "soft")]
    drawn = [m for m in digest.models[:MOST] if any(e.model == m for e in curves)]
    if source.data.n_classes != 2 or not drawn:
        return None
    areas = {m: first_row(e for e in source.rows(AreaRow) if e.model == m) for m in drawn}
    best = digest.reference(PERFECT, "soft_auroc")
    digits = Digits.proportion((e.soft_auroc_low, e.soft_auroc_high) for e in areas.values() if e)
    first = areas[drawn[0]]
    most = "" if best is None else f", where no score can exceed {digits.value(best.value)}"
    rare = rare_class(digest, drawn[0])
    latent = None if rare is None else rare_area(rare)
    if rare is not None and latent is not None:
        limits = within(rare.auroc_low, rare.auroc_high)
        own = Digits.proportion([limits])
        ends = own.in_brackets(*limits)
        most += f", and of {own.value(min(latent, 1.0))}{ends} against the latent class, if score and annotators err independently"
    heading = f"The scores of {shown(drawn[0])} reach an area of {digits.value(None if first is None else first.soft_auroc)}{most}"
    parts = [_roc(digest, curves, drawn, digits, areas), _calibration(digest, source, drawn)]
    return finding(
        "scores", "Scores: ranking and calibration", heading, f'<div class="pair">{"".join(parts)}</div>', _points(digest, curves, drawn)
    )


def _roc(digest: Digest, curves: Sequence[CurveRow], drawn: Sequence[str], digits: Digits, areas: dict[str, AreaRow | None]) -> str:
    said = [
        f"{plain(m)} {digits.value(e.soft_auroc)}{digits.in_brackets(e.soft_auroc_low, e.soft_auroc_high)}"
        for m, e in areas.items()
        if e is not None
    ]
    parts = [_line("trivial", [(0.0, 0.0), (1.0, 1.0)])]
    for model in drawn:
        own, style = [e for e in curves if e.model == model], digest.style(model)
        within = [(e.x, e.low, e.high) for e in own if e.low is not None and e.high is not None]
        band = [(x, low) for x, low, _ in within] + [(x, high) for x, _, high in within[::-1]]
        parts.append(f'<polygon class="band s{style % svg.N_STYLES}" points="{_path(band)}"/>' if band and not digest.withheld else "")
        parts.append(_line(f"line s{style % svg.N_STYLES}", [(0.0, 0.0), *((e.x, e.y) for e in own)]))
        parts += [svg.marker(_x(own[i].x), _y(own[i].y), style) for i in range(5, len(GRID), 15) if i < len(own)]
    note = (
        f"Soft ROC curves with {level_of(digest.source)} bands: a case counts for a class with its plausibility. Area: {'; '.join(said)}."
    )
    content = _axes("1 − negative percent agreement, %", "positive percent agreement, %") + "".join(parts)
    return figure("roc", "Ranking: the area under the ROC curve", note, content, BOTTOM + 42)


def _calibration(digest: Digest, source: ReportSource, drawn: Sequence[str]) -> str:
    """Shares of labels against scores of the positive class, bins of some cases only."""
    name = source.provenance.positive_class
    bins = [e for e in source.rows(BinRow) if e.class_ == name and not e.few and e.model in drawn]
    if not bins:
        return ""
    parts = [_line("trivial", [(0.0, 0.0), (1.0, 1.0)])]
    outside = 0
    for model in drawn:
        own, style = [e for e in bins if e.model == model], digest.style(model)
        kind = f"line s{style % svg.N_STYLES}"
        parts.append(_line(f"{kind} thin", [(e.mean_probability, e.label_share) for e in own]))
        for e in own:
            outside += e.low > e.mean_probability or e.high < e.mean_probability
            x = f"{_x(e.mean_probability):.0f}"
            parts.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{_y(e.low):.0f}" y2="{_y(e.high):.0f}"/>')
            parts.append(svg.marker(_x(e.mean_probability), _y(e.label_share), style))
    counted = f"{whole(outside)} of {whole(len(bins))} intervals leave out the diagonal"
    heading = f"Calibration: {counted if outside else 'every interval includes the diagonal'}"
    note = (
        f"Share of labels “{plain(name)}” against its score; bars: {level_of(source)} intervals. On the diagonal a score of 30% means that "
        "30% of labels say so. Bins of fewer than 10 cases are left out; reliability_bins.csv has them."
    )
    return figure("calibration-plot", heading, note, _axes("score, %", "share of labels, %") + "".join(parts), BOTTOM + 42)


def _points(digest: Digest, curves: Sequence[CurveRow], drawn: Sequence[str]) -> str:
    """Some points of each curve, for those who do not see it."""
    rows = []
    for model in drawn:
        own = [first_row(e for e in curves if (e.model, e.x) == (model, at)) for at in SHOWN_AT]
        digits = digest.share_digits((e.low, e.high) for e in own if e)
        rows.append((shown(model), [NONE if e is None else f"<b>{digits.value(e.y)}</b>{digits.in_brackets(e.low, e.high)}" for e in own]))
    heads = ["", *(f"at {100 * (1 - at):.0f}" for at in SHOWN_AT)]
    note = f"positive percent agreement at this negative percent agreement, %; {digest.intervals}; curves.csv has all points"
    return plain_table("Points of the ROC curves", note, heads, rows)


def _x(share: float) -> float:
    return LEFT + share * (SIDE - LEFT)


def _y(share: float) -> float:
    return BOTTOM - share * (BOTTOM - TOP)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_x(a):.0f},{_y(b):.0f}" for a, b in points)


def _line(kind: str, points: Sequence[tuple[float, float]]) -> str:
    return f'<polyline class="{kind}" fill="none" points="{_path(points)}"/>'


def _text(said: str, x: float, y: float, anchor: str) -> str:
    return f'<text class="soft" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{said}</text>'


def _axes(x_label: str, y_label: str) -> str:
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<line class="hair" x1="{LEFT:g}" x2="{SIDE:g}" y1="{_y(share):.0f}" y2="{_y(share):.0f}"/>')
        parts += [
            _text(f"{100 * share:.0f}", LEFT - 6, _y(share) + 4, "end"),
            _text(f"{100 * share:.0f}", _x(share), BOTTOM + 16, "middle"),
        ]
    parts.append(_text(x_label, (LEFT + SIDE) / 2, BOTTOM + 35, "middle"))
    turned = f'<text class="soft" transform="translate(10 {(TOP + BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">{y_label}</text>'
    return "".join([*parts, turned])
