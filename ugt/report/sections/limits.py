"""Differences of ratings on a real scale: bias and limits of agreement between annotators, and between models and annotators."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING

from ...discrepancy import LimitsOfAgreement, bland_altman
from ..context import MOST_CELLS
from ..digest import names, shown
from ..digits import Digits
from ..markup import NONE, Data, Entry, Section, finding, level_of
from ..rows import plain_table
from ..tables import Row, finite

if TYPE_CHECKING:
    from ..context import Context, Rows

TABLES = {
    "limits": ("first", "second", "n_cases", "n_clusters", "bias", "bias_low", "bias_high", "sd", "lower", "lower_low", "lower_high",
        "upper", "upper_low", "upper_high", "reason"),
}  # fmt: skip
COVERAGE = 0.95
MOST = 12  # annotators with a row for each pair; pairs on the page
TOO_MANY = f"Limits of agreement were not computed: over {MOST} annotators (ugt.bland_altman takes some of them)."
TOO_LARGE = f"Limits of agreement were not computed: over {MOST_CELLS:,} numbers (ugt.bland_altman has no such limit)."


def make(context: Context, notes: list[str]) -> Rows:
    """Return any two annotators, every pair of them, and every model with all annotators; intervals hold for all rows of one of these."""
    graded = context.graded
    if graded is None or graded.values is not None:
        return {}
    ratings = context.known.ratings
    n_annotators = len(ratings.annotators)
    if n_annotators == 1 and not graded.given:
        return {}
    if n_annotators > MOST:
        notes.append(TOO_MANY)
        return {}
    if context.n_cases * n_annotators**2 * (1 + len(graded.given)) > MOST_CELLS:
        notes.append(TOO_LARGE)
        return {}
    found: list[tuple[str, str, LimitsOfAgreement]] = []
    if n_annotators > 1:
        pairs = bland_altman(ratings, clusters=context.clusters, coverage=COVERAGE, level=_joint(context, comb(n_annotators, 2))).pairs
        any_two = bland_altman(ratings, clusters=context.clusters, coverage=COVERAGE, level=context.options.level).population
        found += [("any annotator", "any other", any_two), *((one.first, one.second, one) for one in pairs)]
    level = _joint(context, max(len(graded.given), 1))
    for model in graded.given:
        both = bland_altman(ratings, graded.point(model), clusters=context.clusters, coverage=COVERAGE, level=level, missing="drop")
        found.append((model, "all annotators", both.pairs[-1]))
    return {"limits": [_row(*one) for one in found]}


def _joint(context: Context, n: int) -> float:
    """Return the level of each of n intervals that hold together at the wanted level (Bonferroni)."""
    return 1 - (1 - context.options.level) / n


def _row(first: str, second: str, one: LimitsOfAgreement) -> Row:
    row: Row = {"first": first, "second": second, "n_cases": one.n_cases, "n_clusters": one.n_clusters, "sd": finite(one.sd)}
    for name in ("bias", "lower", "upper"):
        low, high = getattr(one, f"{name}_interval")
        row.update({name: finite(getattr(one, name)), f"{name}_low": finite(low), f"{name}_high": finite(high)})
    return {**row, "reason": one.reason}


# ---- the page


def render(source: Data) -> Section | None:
    """Return the table; None without ratings on a real scale by named annotators."""
    entries = source.get("limits") or []
    if not entries:
        return None
    models = [e for e in entries if e["first"] in source["models"] and e["second"] == "all annotators"]
    pairs = [e for e in entries if e not in models]
    drawn = pairs if len(pairs) <= MOST else [pairs[0], *sorted(pairs[1:], key=lambda e: -abs(e["bias"] or 0))[: MOST - 1]]
    more = f"; the {MOST - 1} pairs with the largest of {len(pairs) - 1}, limits.csv has all" if len(pairs) > MOST else ""
    digits = Digits.amount([(e["bias_low"], e["bias_high"]) for e in entries])
    rows = [(f"{shown(e['first'])} minus {shown(e['second'])}", _cells(e, digits)) for e in (*drawn, *models)]
    note = f"units of the ratings; {level_of(source)} intervals, of all pairs together and of all models together{more}"
    note += f"; {NONE}: not defined, limits.csv says why" if any(e["lower"] is None for e in (*drawn, *models)) else ""
    heads = ["", "cases", "mean difference", "lower limit", "upper limit"]
    how = (
        "<p>Limits of agreement (Bland and Altman): between them lie 95% of the differences of two single ratings of a case, if "
        "differences are normal and do not grow with the rating. Any two annotators: annotators are a random sample, and the limits "
        "include how they differ in strictness. A model is compared with all annotators as one reader; intervals are over cases.</p>"
    )
    table = plain_table("Differences of two ratings of a case", note, heads, rows)
    return finding("limits", "Differences of ratings", _heading(models), table, how)


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
