"""Limits of agreement, pair by pair, as a section or an appendix."""

from __future__ import annotations

from collections.abc import Sequence

from ...tables.limits import MOST, LimitsRow
from ...tables.source import ReportSource
from ..digest import names, shown
from ..digits import Digits
from ..lead import sign_of
from ..markup import NONE, Section, finding, level_of, section
from ..rows import plain_table
from . import strictness

APPENDIX = "Differences of grades"


def render(source: ReportSource) -> Section | None:
    """Return the section of ratings on a real scale; None without ratings by named annotators."""
    if source.data.kind != "ratings" or not source.rows(LimitsRow):
        return None
    table, how, models = _content(source, "ratings")
    return finding("limits", "Differences of ratings", _heading(models), table, f"<p>{how}</p>")


def appendix(source: ReportSource) -> Section | None:
    """Return the appendix of grades: limits of agreement, and each annotator less the others; None without named annotators."""
    if source.data.kind == "ratings":
        return None
    found = [one[:2] for one in (strictness.content(source), _content(source, "grades") if source.rows(LimitsRow) else None) if one]
    parts = [part for table, how in found for part in (table, f"<p>{how}</p>")]
    return section("limits", APPENDIX, "", *parts) if parts else None


def _content(source: ReportSource, things: str) -> tuple[str, str, list[LimitsRow]]:
    """Return the table, how to read it, and the rows of the models."""
    entries = source.rows(LimitsRow)
    models = [e for e in entries if e.first in source.models and e.second == "all annotators"]
    pairs = [e for e in entries if e not in models]
    drawn = pairs if len(pairs) <= MOST else [pairs[0], *sorted(pairs[1:], key=lambda e: -abs(e.bias or 0))[: MOST - 1]]
    more = f"; the {MOST - 1} pairs with the largest of {len(pairs) - 1}, limits.csv has all" if len(pairs) > MOST else ""
    digits = Digits.amount([(e.bias_low, e.bias_high) for e in entries])
    rows = [(f"{shown(e.first)} minus {shown(e.second)}", _cells(e, digits)) for e in (*drawn, *models)]
    units = "units of the ratings" if things == "ratings" else "in grades"
    note = f"{units}; {level_of(source)} intervals, of all pairs together and of all models together{more}"
    note += f"; {NONE}: not defined, limits.csv says why" if any(e.lower is None for e in (*drawn, *models)) else ""
    heads = ["", "cases", "mean difference", "lower limit", "upper limit"]
    how = (
        f"Limits of agreement (Bland and Altman): between them lie 95% of the differences of two single {things} of a case, if "
        f"differences are normal and do not grow with the {things[:-1]}. Any two annotators: annotators are a random sample, and the "
        "limits include how they differ in strictness. A model is compared with all annotators as one reader; intervals are over cases."
    )
    return plain_table(f"Differences of two {things} of a case", note, heads, rows), how, models


def _cells(e: LimitsRow, digits: Digits) -> list[str]:
    return [f"{e.n_cases:,}", *(_cell(*known, digits) for known in e.numbers)]


def _cell(value: float | None, low: float | None, high: float | None, digits: Digits) -> str:
    if value is None:
        return NONE
    ends = "" if low is None or low == high else f'<span class="below">{digits.ends(low, high)}</span>'  # any two differ by 0 on average
    return f"<b>{digits.lead(value)}</b>{ends}"


def _heading(models: Sequence[LimitsRow]) -> str:
    """Name the models whose ratings are shown to be lower or higher than the annotators' on average."""
    if not models:
        return "How far two annotators' ratings of a case lie apart"
    parts = []
    for sign, word in ((-1, "lower"), (1, "higher")):
        found = [e.first for e in models if sign_of(e.bias_low, e.bias_high) == sign]
        parts += [f"{names(found)} rate{'s' * (len(found) == 1)} {word} than these annotators on average"] if found else []
    return "; ".join(parts) or "No model is shown to rate higher or lower than these annotators on average"
