"""The section on what the results hang on, and on diagnostics of sampled truths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import svg
from .markup import UNDEFINED, Cell, Group, Section, grouped_table, number, plain, section, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Data = Mapping[str, Any]
    Entry = Mapping[str, Any]

MOST_DRAWN = 24  # settings, those with the greatest changes
MOST_ROWS = 120  # of the table
MARGIN, ROW = 250, 22.0  # of the figure: room for names, height of a row
LONGEST = 36  # letters of a name that have room there
EQUAL = 1e-12


def sensitivity(source: Data) -> Section:
    """Changes of top-1 accuracy under each setting, where another model wins, and diagnostics."""
    how = (
        "Each row changes one thing and leaves the rest as it is: an annotator is dropped, the reliability halved or doubled, the prior, "
        "the rule for ties or the way annotations become truth replaced. Changes are of the top-1 accuracy against the main analysis; "
        "near 0 means that the result does not hang on that choice."
    )
    entries = source.get("sensitivity") or ()
    content = (
        _changes(source, entries) if entries else ["<p>No setting was changed: there is no model, or it would have taken too long.</p>"]
    )
    return section("sensitivity", "Sensitivity and diagnostics", how, *content, _diagnostics(source))


def _changes(source: Data, entries: Sequence[Entry]) -> list[str]:
    settings = list(dict.fromkeys((e["kind"], e["setting"]) for e in entries))
    models = list(dict.fromkeys(e["model"] for e in entries))
    shown = settings[: max(1, MOST_ROWS // len(models))]
    groups = [
        Group(f"{text(kind)}: {text(name)}", [_row(e) for e in entries if (e["kind"], e["setting"]) == (kind, name)])
        for kind, name in shown
    ]
    more = f" ({len(shown)} of {len(settings)} settings; the file sensitivity.csv has all)" if len(shown) < len(settings) else ""
    columns = ["setting", "model", "top-1 accuracy", "change", "best model", "cases"]
    return [
        _verdict(entries, models),
        figure(entries),
        grouped_table(f"Top-1 accuracy, one thing changed{more}", columns, groups),
    ]


def _row(e: Entry) -> tuple[str, list[Cell]]:
    best = UNDEFINED if e["best"] is None else text(e["best"])
    cells = [UNDEFINED if e["value"] is None else number(e["value"]), signed(e["change"]), best, f"{e['n_cases']:,}"]
    return text(e["model"]), [Cell(html) for html in cells]


def signed(change: float | None) -> str:
    """A change with its sign."""
    if change is None:
        return UNDEFINED
    return "0" if abs(change) < 5e-5 else f"{'+' if change > 0 else '−'}{abs(change):.4f}"


def best_of_all(entries: Sequence[Entry]) -> str | None:
    """The best model of the main analysis; equal ones are joined."""
    main = {e["model"]: e["value"] - e["change"] for e in entries if e["change"] is not None}
    top = max(main.values(), default=None)
    return None if top is None else " = ".join(name for name, value in main.items() if top - value <= EQUAL)


def _verdict(entries: Sequence[Entry], models: Sequence[str]) -> str:
    """Where another model is best; settings that leave no case say nothing."""
    best = best_of_all(entries)
    if len(models) < 2 or best is None:
        return ""
    winners = {(e["kind"], e["setting"]): e["best"] for e in entries if e["best"] is not None}
    other = [key for key, winner in winners.items() if winner != best]
    if not other:
        return f"<p>{text(best)} is best in the main analysis and under each of the {len(winners):,} settings.</p>"
    named = "; ".join(f"{text(kind)}: {text(name)}" for kind, name in other[:5])
    more = f"; and {len(other) - 5} more" if len(other) > 5 else ""
    return f"<p>{text(best)} is best in the main analysis, but not under {len(other)} of the {len(winners)} settings: {named}{more}.</p>"


def figure(entries: Sequence[Entry]) -> str:
    """Changes of all models, a row a setting, the greatest ones on top."""
    known = [e for e in entries if e["change"] is not None]
    models = list(dict.fromkeys(e["model"] for e in known))[: svg.N_STYLES]
    by_setting: dict[tuple[str, str], list[Entry]] = {}
    for e in known:
        if e["model"] in models:
            by_setting.setdefault((e["kind"], e["setting"]), []).append(e)
    if not by_setting:
        return ""
    order = sorted(by_setting, key=lambda key: -max(abs(e["change"]) for e in by_setting[key]))
    shown = order[:MOST_DRAWN]
    x = svg.Scale(*svg.around([0.0, *(e["change"] for key in shown for e in by_setting[key])], 0.01), MARGIN, svg.WIDTH - svg.RIGHT)
    height = svg.TOP + ROW * len(shown)
    parts = [svg.vertical(0.0, svg.TOP, height, x)]
    for i, key in enumerate(shown):
        at = svg.TOP + ROW * i + ROW / 2
        parts.append(_label(f"{key[0]}: {key[1]}", at))
        for e in by_setting[key]:
            style = models.index(e["model"])
            beside = at + min(5.0, 14.0 / len(models)) * (style - (len(models) - 1) / 2)
            parts.append(svg.row_bar(0.0, e["change"], beside, x, style) + svg.marker(x.at(e["change"]), beside, style, 3.5))
    parts.append(svg.x_axis(x, height, "change of top-1 accuracy"))
    words = "Each mark is a model's change when one thing is done differently; marks near the line at 0 do not hang on it"
    if len(shown) < len(order):
        words += f" (the {len(shown)} settings with the greatest changes are drawn)"
    return svg.figure(
        "sensitivity-changes", "What the results hang on", words, "".join(parts), models, lines=False, height=height + svg.BOTTOM
    )


def _label(name: str, at: float) -> str:
    shown = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
    return f'<text x="{MARGIN - 8}" y="{at + 4:.1f}" text-anchor="end">{plain(shown)}</text>'


def _diagnostics(source: Data) -> str:
    entries = source.get("diagnostics") or ()
    if not entries:
        return "<p>No truth was sampled by Markov chains here, so there are no chains to be diagnosed.</p>"
    rows = [["none" if e["reliability"] is None else f"{e['reliability']:g}", text(e["quantity"]), _value(e["value"])] for e in entries]
    how = (
        "<p>R-hat compares the Markov chains of a case with each other: 1 is best, and well above 1 they have not found the same truth. "
        "Effective draws are how many independent draws the chains are worth. The worst case of all is shown.</p>"
    )
    return how + table("Diagnostics of the Markov chains", ["reliability", "", "value"], rows)


def _value(value: float | None) -> str:
    if value is None:
        return UNDEFINED
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.3f}"
