"""Differences of grades or ratings: bias and limits of agreement between annotators, and between models and annotators."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING, Any

from ...discrepancy import LimitsOfAgreement, bland_altman
from ...tables.context import MOST_CELLS
from ...tables.rows import Row, finite
from ..digest import names, shown
from ..digits import Digits
from ..markup import NONE, Data, Entry, Section, finding, level_of, section
from ..rows import plain_table
from . import strictness

if TYPE_CHECKING:
    from ...annotations import Labels, Ratings
    from ...tables.context import Context, Rows

TABLES = {
    "limits": ("first", "second", "n_cases", "n_clusters", "bias", "bias_low", "bias_high", "sd", "lower", "lower_low", "lower_high",
        "upper", "upper_low", "upper_high", "reason"),
}  # fmt: skip
COVERAGE = 0.95
MOST = 12  # annotators with a row for each pair; pairs on the page
APPENDIX = "Differences of grades"
TOO_MANY = f"Limits of agreement were not computed: over {MOST} annotators (ugt.bland_altman takes some of them)."
TOO_LARGE = f"Limits of agreement were not computed: over {MOST_CELLS:,} numbers (ugt.bland_altman has no such limit)."


def make(context: Context, notes: list[str]) -> Rows:
    """Return any two annotators, every pair of them, and every model with all annotators; intervals hold for all rows of one of these."""
    graded = context.graded
    given = None if graded is None else context.known.ratings if graded.values is None else context.known.labels
    n_annotators = 0 if given is None else len(given.annotators)
    if graded is None or given is None or not n_annotators or (n_annotators == 1 and not graded.given):
        return {}
    if n_annotators > MOST:
        notes.append(TOO_MANY)
        return {}
    if context.n_cases * n_annotators**2 * (1 + len(graded.given)) > MOST_CELLS:
        notes.append(TOO_LARGE)
        return {}
    rows, level = between(given, context.clusters, context.options.level), _joint(context.options.level, max(len(graded.given), 1))
    for model in graded.given:
        both = bland_altman(given, graded.point(model), clusters=context.clusters, coverage=COVERAGE, level=level, missing="drop")
        rows.append(_row(model, "all annotators", both.pairs[-1]))
    return {"limits": rows}


def between(given: Labels | Ratings, clusters: Any, level: float) -> list[Row]:
    """Return a row for any two annotators and one for each pair, whose intervals hold for all pairs together; none for one annotator."""
    n = len(given.annotators)
    if n < 2:
        return []
    pairs = bland_altman(given, clusters=clusters, coverage=COVERAGE, level=_joint(level, comb(n, 2))).pairs
    any_two = bland_altman(given, clusters=clusters, coverage=COVERAGE, level=level).population
    return [_row("any annotator", "any other", any_two), *(_row(one.first, one.second, one) for one in pairs)]


def _joint(level: float, n: int) -> float:
    """Return the level of each of n intervals that hold together at the wanted level (Bonferroni)."""
    return 1 - (1 - level) / n


def _row(first: str, second: str, one: LimitsOfAgreement) -> Row:
    row: Row = {"first": first, "second": second, "n_cases": one.n_cases, "n_clusters": one.n_clusters, "sd": finite(one.sd)}
    for name in ("bias", "lower", "upper"):
        low, high = getattr(one, f"{name}_interval")
        row.update({name: finite(getattr(one, name)), f"{name}_low": finite(low), f"{name}_high": finite(high)})
    return {**row, "reason": one.reason}


# ---- the page


def render(source: Data) -> Section | None:
    """Return the section of ratings on a real scale; None without ratings by named annotators."""
    if source["data"]["kind"] != "ratings" or not source.get("limits"):
        return None
    table, how, models = _content(source, "ratings")
    return finding("limits", "Differences of ratings", _heading(models), table, f"<p>{how}</p>")


def appendix(source: Data) -> Section | None:
    """Return the appendix of grades: limits of agreement, and each annotator less the others; None without named annotators."""
    if source["data"]["kind"] == "ratings":
        return None
    found = [one[:2] for one in (strictness.content(source), _content(source, "grades") if source.get("limits") else None) if one]
    parts = [part for table, how in found for part in (table, f"<p>{how}</p>")]
    return section("limits", APPENDIX, "", *parts) if parts else None


def _content(source: Data, things: str) -> tuple[str, str, list[Entry]]:
    """Return the table, how to read it, and the rows of the models."""
    entries = source["limits"]
    models = [e for e in entries if e["first"] in source["models"] and e["second"] == "all annotators"]
    pairs = [e for e in entries if e not in models]
    drawn = pairs if len(pairs) <= MOST else [pairs[0], *sorted(pairs[1:], key=lambda e: -abs(e["bias"] or 0))[: MOST - 1]]
    more = f"; the {MOST - 1} pairs with the largest of {len(pairs) - 1}, limits.csv has all" if len(pairs) > MOST else ""
    digits = Digits.amount([(e["bias_low"], e["bias_high"]) for e in entries])
    rows = [(f"{shown(e['first'])} minus {shown(e['second'])}", _cells(e, digits)) for e in (*drawn, *models)]
    units = "units of the ratings" if things == "ratings" else "in grades"
    note = f"{units}; {level_of(source)} intervals, of all pairs together and of all models together{more}"
    note += f"; {NONE}: not defined, limits.csv says why" if any(e["lower"] is None for e in (*drawn, *models)) else ""
    heads = ["", "cases", "mean difference", "lower limit", "upper limit"]
    how = (
        f"Limits of agreement (Bland and Altman): between them lie 95% of the differences of two single {things} of a case, if "
        f"differences are normal and do not grow with the {things[:-1]}. Any two annotators: annotators are a random sample, and the "
        "limits include how they differ in strictness. A model is compared with all annotators as one reader; intervals are over cases."
    )
    return plain_table(f"Differences of two {things} of a case", note, heads, rows), how, models


def _cells(e: Entry, digits: Digits) -> list[str]:
    return [f"{e['n_cases']:,}", *(_cell(e, name, digits) for name in ("bias", "lower", "upper"))]


def _cell(e: Entry, name: str, digits: Digits) -> str:
    if e[name] is None:
        return NONE
    low, high = e[f"{name}_low"], e[f"{name}_high"]
    ends = "" if low is None or low == high else f'<span class="below">{digits.ends(low, high)}</span>'  # any two differ by 0 on average
    return f"<b>{digits.lead(e[name])}</b>{ends}"


def _heading(models: Sequence[Entry]) -> str:
    """Name the models whose ratings are shown to be lower or higher than the annotators' on average."""
    if not models:
        return "How far two annotators' ratings of a case lie apart"
    parts = []
    for word, found in (
        ("lower", [e["first"] for e in models if e["bias_high"] is not None and e["bias_high"] < 0]),
        ("higher", [e["first"] for e in models if e["bias_low"] is not None and e["bias_low"] > 0]),
    ):
        if found:
            parts.append(f"{names(found)} {'rates' if len(found) == 1 else 'rate'} {word} than these annotators on average")
    return "; ".join(parts) or "No model is shown to rate higher or lower than these annotators on average"
