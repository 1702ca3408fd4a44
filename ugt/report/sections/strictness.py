"""Who is strict: leniency and discrimination of the annotators by the graded-response model from which the truth comes."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ..digest import names, shown
from ..markup import NONE, Data, Entry, Section, finding, level_of
from ..rows import plain_table
from ..tables import finite

if TYPE_CHECKING:
    from ..context import Context, Rows

TABLES = {
    "strictness": ("annotator", "n_labels", "leniency", "leniency_low", "leniency_high", "discrimination", "discrimination_low",
        "discrimination_high"),
}  # fmt: skip
MOST = 15  # annotators on the page
CONVERGED = "The fit of the graded-response model did not converge: severities and annotators may change with more iterations."
APART = (
    "The annotators form {} groups without shared cases: the leniency of annotators of different groups is compared by the assumption that "
    "their cases are alike."
)


def make(context: Context, notes: list[str]) -> Rows:
    """Return the annotators, the most lenient first; notes say whether the fit converged and whether annotators can be compared."""
    fit = context.fitted
    if fit is None:
        return {}
    notes += [] if fit.converged else [CONVERGED]
    notes += [APART.format(fit.n_groups)] if fit.n_groups > 1 else []
    undetermined = int(np.isnan(fit.leniency_error[fit.n_labels > 0]).sum())
    if undetermined:
        notes.append(f"The labels do not determine the leniency of {undetermined:,} annotators: they have no interval.")
    z = NormalDist().inv_cdf(0.5 + context.options.level / 2)
    rows = []
    for a in np.argsort(np.where(np.isnan(fit.leniency), np.inf, -fit.leniency), kind="stable").tolist():
        row = {"annotator": str(fit.annotators[a]), "n_labels": int(fit.n_labels[a])}
        for name in ("leniency", "discrimination"):
            value, away = getattr(fit, name)[a], z * getattr(fit, f"{name}_error")[a]
            row.update({name: finite(value), f"{name}_low": finite(value - away), f"{name}_high": finite(value + away)})
        rows.append(row)
    return {"strictness": rows}


# ---- the page


def render(source: Data) -> Section | None:
    """Return a table of the annotators; None unless the truth comes from the graded-response model."""
    entries = [e for e in source.get("strictness") or () if e["leniency"] is not None]
    if not entries:
        return None
    half = MOST // 2
    drawn = entries if len(entries) <= MOST else [*entries[: MOST - half], *entries[-half:]]
    rows = [(shown(e["annotator"]), [f"{e['n_labels']:,}", _cell(e, "leniency"), _cell(e, "discrimination")]) for e in drawn]
    more = f"; the {MOST - half} most lenient and the {half} strictest of {len(entries):,}" if len(entries) > MOST else ""
    note = f"{level_of(source)} intervals from standard errors{more}; strictness.csv has all"
    table = plain_table("Annotators, the most lenient first", note, ["", "labels", "leniency", "discrimination"], rows)
    how = (
        "<p>Leniency: how much more severe than for the mean annotator a case must be before this annotator gives the same grade, in "
        "standard deviations of the severity of these cases; below 0 the annotator is strict. Discrimination: how sharply the annotator "
        "separates severities; the higher, the less noise. Both are estimates under the graded-response model, which takes annotators as "
        "independent given the severity.</p>"
    )
    return finding("strictness", "Who is strict", _heading(entries), table, how)


def _cell(e: Entry, name: str) -> str:
    if e[name] is None:
        return NONE
    sign = "+" if name == "leniency" and e[name] > 0 else ""
    low, high = e[f"{name}_low"], e[f"{name}_high"]
    ends = "" if low is None or high is None else f'<span class="below">{low:.2f} to {high:.2f}</span>'
    return f"<b>{sign}{e[name]:.2f}</b>{ends}".replace("-", "−")


def _heading(entries: list[Entry]) -> str:
    """Name the most lenient and the strictest annotator whose intervals exclude 0."""
    lenient = [e for e in entries if e["leniency_low"] is not None and e["leniency_low"] > 0]
    strict = [e for e in entries if e["leniency_high"] is not None and e["leniency_high"] < 0]
    if not lenient and not strict:
        return "No annotator is shown to be stricter or more lenient than the others on average"
    parts = []
    for found, word, first in ((strict, "stricter", -1), (lenient, "more lenient", 0)):
        if found:
            who = names([found[first]["annotator"]]) + (f" and {len(found) - 1} more" if len(found) > 1 else "")
            parts.append(f"{who} {'is' if len(found) == 1 else 'are'} {word} than the mean annotator")
    return "; ".join(parts)
