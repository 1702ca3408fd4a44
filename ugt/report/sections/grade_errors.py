"""Errors of grades by their direction and size, and by the grade of the truth: which models grade too low, and where."""

from __future__ import annotations

from collections.abc import Sequence

from ..._base.counts import whole
from ...tables.grade_errors import GradeErrorRow
from ...tables.source import ReportSource
from .. import markup as html
from ..digest import Digest, names, shown
from ..lead import sign_of
from ..markup import NONE, Section, first_row, level_of
from ..rows import below, by_model, first_of, lead_below, plain_table

TITLE = "Too low and too high"
MOST_MODELS = 4  # columns


def render(source: ReportSource) -> Section | None:
    """Return how often each model is too low or too high, and its bias by grade; None without grades."""
    digest, entries = Digest(source), source.rows(GradeErrorRow)
    known = [m for m in digest.models if any(e.model == m for e in entries)]
    drawn = known[:MOST_MODELS]
    if not drawn:
        return None
    every = [e for m in drawn if (e := first_row(e for e in entries if e.grade is None and e.model == m)) is not None]
    return html.finding(
        "grade-errors", TITLE, _heading(digest, every), _sides(digest, every, first_of(drawn, known)), _by_grade(digest, entries, drawn),
        "<p>The truth of a case is taken as its mean plausibilities. A prediction is near a grade if it differs by at most half a step of "
        "the scale. Predictions that stay in the middle of the scale are too high for low grades and too low for high ones.</p>",
    )  # fmt: skip


def _sides(digest: Digest, every: list[GradeErrorRow], more: str) -> str:
    digits = digest.share_digits((e.near_low, e.near_high) for e in every)
    amounts = digest.amount_digits((e.bias_low, e.bias_high) for e in every)
    rows = []
    for e in every:
        shares = (
            (e.too_low, e.too_low_low, e.too_low_high),
            (e.near, e.near_low, e.near_high),
            (e.too_high, e.too_high_low, e.too_high_high),
        )
        cells = [below(digits, value, *digest.ends(*ends)) for value, *ends in shares]
        own = amounts if digest.withheld else amounts.beside(e.bias_low, e.bias_high)
        bias = NONE if e.bias is None else f"<b>{own.lead(e.bias)}</b>"
        ends = "" if digest.withheld else f'<span class="below">{amounts.leads(e.bias_low, e.bias_high)}</span>'
        rows.append((shown(e.model), [*cells, bias + ends]))
    note = (
        f"Share of cases, %, and mean difference of the prediction from the truth{digest.at_main}, with {level_of(digest.source)} intervals"
    )
    return plain_table(
        "Direction of the errors", note + more, ["", "too low", "near", "too high", f"bias, {digest.headline.heading}"], rows
    )


def _by_grade(digest: Digest, entries: Sequence[GradeErrorRow], drawn: list[str]) -> str:
    rows = []
    known = [e for e in entries if e.grade is not None and e.model in drawn]
    amounts = digest.amount_digits((e.bias_low, e.bias_high) for e in known)
    for grade, own in by_model(known, lambda e: e.grade, drawn):
        cells = [NONE if e is None else lead_below(amounts, e.bias, *digest.ends(e.bias_low, e.bias_high)) for e in own]
        rows.append((shown(grade), [whole(next(e for e in own if e).n_expected), *cells]))
    note = f"Mean difference of the prediction from the grade, in {digest.headline.units}; all other numbers are in grade_errors.csv"
    return plain_table("Bias by grade of the truth", note, ["grade", "expected<br>cases", *map(shown, drawn)], rows)


def _heading(digest: Digest, every: list[GradeErrorRow]) -> str:
    """Name the models that grade too high or too low on average, where the interval of the bias excludes 0."""
    if digest.withheld:
        return "How often predictions are too low and too high"
    parts = []
    for sign, side in ((1, "high"), (-1, "low")):
        found = [e.model for e in every if sign_of(e.bias_low, e.bias_high) == sign]
        parts += [f"{names(found)} grade{'s' * (len(found) == 1)} too {side} on average"] if found else []
    return "; ".join(parts) or "On average no model is shown to grade too high or too low"
