"""Errors of grades by their direction and size, and by the grade of the truth: which models grade too low, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..._base.counts import whole
from ...resampling import Ratios
from ...tables.context import MOST_CELLS, MOST_WORK, Ask, Made
from ...tables.rows import ends_of, finite
from .. import markup as html
from ..digest import Digest, names, shown
from ..digits import Digits
from ..markup import NONE, Data, Entry, Section, find, level_of, of, unique
from ..rows import below, first_of, plain_table

if TYPE_CHECKING:
    from ...tables.context import Context

TITLE = "Too low and too high"
PARTS = ("too_low", "near", "too_high", "bias", "error")
TABLES = {"grade_errors": ("model", "grade", "n_expected", *(f"{name}{end}" for name in PARTS for end in ("", "_low", "_high")))}
MOST_MODELS, LEAST = 4, 5.0  # columns; fewest expected cases of a grade for an interval
HALF = 0.5 + 1e-9  # grades by which a prediction may differ to be near


def make(context: Context, notes: list[str]) -> Made:
    """Return, for all cases and for each grade, the expected shares of predictions below, near and above it, and mean errors.

    The grade of case i is v_k with probability m_ik, the mean plausibility, and the prediction is x_i. Near: |x_i - v_k| is at most half of
    the smallest distance of two grades. The bias is the mean of x_i - v_k, the error that of its absolute value.
    """
    graded, here = context.graded, context.defined
    if graded is None or graded.values is None or context.mean is None or not here.any():
        return {}
    values = graded.values
    step = float(np.diff(np.sort(values)).min(initial=np.inf))
    if context.n_cases * len(values) * len(PARTS) * len(graded.given) > MOST_CELLS:
        notes.append(f"Errors by grade were not computed: over {MOST_CELLS:,} numbers.")
        return {}
    law = np.where(here[:, None], context.mean, 0.0)
    asks, n = {}, context.options.n_resamples
    for model in graded.given:
        away = graded.point(model)[:, None] - values
        parts = (away < -HALF * step, np.abs(away) <= HALF * step, away > HALF * step, away, np.abs(away))
        tables = [law * part for part in parts]
        columns = np.concatenate([np.concatenate([table.sum(axis=1, keepdims=True), table], 1) for table in tables], 1)
        below_ = np.concatenate([law.sum(axis=1, keepdims=True), law], 1)
        asks[model] = Ratios(np.concatenate([columns, below_], 1), np.tile(np.arange(1 + len(values), dtype=np.int64), len(PARTS)))
        asks[model].shares = False
    n = context.options.affordable(sum(one.columns.size for one in asks.values()), "errors by grade", notes, most=MOST_WORK)
    found = yield [Ask(one, n, context.counted) for one in asks.values()]
    grades = [None, *(str(name) for name in context.known.axes.classes.tolist())]
    expected = np.concatenate([[law.sum()], law.sum(axis=0)])
    rows = []
    for model, drawn in zip(asks, found):
        ends = context.intervals(drawn).reshape(len(PARTS), len(grades), 2)
        estimate = drawn.estimate.reshape(len(PARTS), len(grades))
        for g, grade in enumerate(grades):
            row = {"model": model, "grade": grade, "n_expected": float(expected[g])}
            for p, name in enumerate(PARTS):
                span = ends[p, g] if expected[g] >= LEAST else (None, None)
                row.update({name: finite(estimate[p, g]), **ends_of(span, f"{name}_low", f"{name}_high")})
            rows.append(row)
    return {"grade_errors": rows}


# ---- the page


def render(source: Data) -> Section | None:
    """Return how often each model is too low or too high, and its bias by grade; None without grades."""
    digest, entries = Digest(source), source.get("grade_errors") or ()
    known = [m for m in digest.models if any(e["model"] == m for e in entries)]
    drawn = known[:MOST_MODELS]
    if not drawn:
        return None
    every = [e for m in drawn if (e := find(of(entries, grade=None), model=m)) is not None]
    return html.finding(
        "grade-errors", TITLE, _heading(digest, every), _sides(digest, every, first_of(drawn, known)), _by_grade(digest, entries, drawn),
        "<p>The truth of a case is taken as its mean plausibilities. A prediction is near a grade if it differs by at most half a step of "
        "the scale. Predictions that stay in the middle of the scale are too high for low grades and too low for high ones.</p>",
    )  # fmt: skip


def _sides(digest: Digest, every: list[Entry], more: str) -> str:
    digits = Digits(0) if digest.withheld else Digits.of((e["near_low"], e["near_high"]) for e in every)
    amounts = digest.headline.whole if digest.withheld else Digits.amount((e["bias_low"], e["bias_high"]) for e in every)
    rows = []
    for e in every:
        cells = [_cell(digest, digits, e, name) for name in PARTS[:3]]
        own = amounts if digest.withheld else amounts.beside(e["bias_low"], e["bias_high"])
        bias = NONE if e["bias"] is None else f"<b>{own.lead(e['bias'])}</b>"
        ends = "" if digest.withheld else f'<span class="below">{amounts.leads(e["bias_low"], e["bias_high"])}</span>'
        rows.append((shown(e["model"]), [*cells, bias + ends]))
    note = (
        f"Share of cases, %, and mean difference of the prediction from the truth{digest.at_main}, with {level_of(digest.source)} intervals"
    )
    return plain_table(
        "Direction of the errors", note + more, ["", "too low", "near", "too high", f"bias, {digest.headline.heading}"], rows
    )


def _by_grade(digest: Digest, entries: Sequence[Entry], drawn: list[str]) -> str:
    rows = []
    known = [e for e in entries if e["grade"] is not None and e["model"] in drawn]
    amounts = digest.headline.whole if digest.withheld else Digits.amount((e["bias_low"], e["bias_high"]) for e in known)
    for grade in unique(known, "grade"):
        own = [find(of(known, grade=grade), model=m) for m in drawn]
        cells = []
        for e in own:
            if e is None or e["bias"] is None:
                cells.append(NONE)
                continue
            ends = e["bias_low"], e["bias_high"]
            under = "" if digest.withheld or None in ends else f'<span class="below">{amounts.leads(*ends)}</span>'
            cells.append(f"<b>{(amounts.beside(*ends) if under else amounts).lead(e['bias'])}</b>{under}")
        rows.append((shown(grade), [whole(next(e for e in own if e)["n_expected"]), *cells]))
    note = f"Mean difference of the prediction from the grade, in {digest.headline.units}; all other numbers are in grade_errors.csv"
    return plain_table("Bias by grade of the truth", note, ["grade", "expected<br>cases", *map(shown, drawn)], rows)


def _cell(digest: Digest, digits: Digits, e: Entry, name: str) -> str:
    ends = (None, None) if digest.withheld else (e[f"{name}_low"], e[f"{name}_high"])
    return below(digits, e[name], *ends)


def _heading(digest: Digest, every: list[Entry]) -> str:
    """Name the models that grade too high or too low on average, where the interval of the bias excludes 0."""
    if digest.withheld:
        return "How often predictions are too low and too high"
    high = [e["model"] for e in every if e["bias_low"] is not None and e["bias_low"] > 0]
    low = [e["model"] for e in every if e["bias_high"] is not None and e["bias_high"] < 0]
    parts = [
        f"{names(found)} grade{'s' * (len(found) == 1)} too {side} on average" for found, side in ((high, "high"), (low, "low")) if found
    ]
    return "; ".join(parts) if parts else "On average no model is shown to grade too high or too low"
