"""Errors in grades or in points of a scale: the least possible error, one annotator as yardstick, and every measure of grades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base import notices
from ..._base.ragged import row_of, sizes_of
from ...grades import GRADE_METRICS
from ...resampling import Ratios, over
from ...tables.context import Ask, Made
from ...tables.names import MEDIAN, PERFECT, in_grades
from ...tables.rows import ends_of, finite
from .. import words
from ..digest import Digest, briefly, cell_of, names, shown
from ..markup import NONE, Data, Section, find, finding, level_of, of, unique
from ..rows import below, plain_table
from ..yardsticks import OWN, digits_of

if TYPE_CHECKING:
    from ..._base.arrays import Array
    from ...annotations import Ratings
    from ...tables.context import Context
    from ..digest import Lead

TABLES = {
    "least_error": ("reliability", "value", "case_low", "case_high", "n_cases"),
    "next_annotator_error": (
        "model", *(f"{name}{end}" for name in ("error", "annotators", "difference") for end in ("", "_low", "_high")), "n_cases",
    ),
    "given_grades": ("model", "metric", "value", "low", "high", "n_cases"),
}  # fmt: skip
MOST = 4  # models with columns
GIVEN_GRADES = (
    "The truth model leaves the grade of a case open, and the more so, the fewer annotations a case has. A model that sees the case knows "
    "more than these annotations say: against the truth model its errors then look larger, and its order of the cases worse, than against "
    "a further annotator. Against the grades that were given they do not, if the model has not seen these grades. “An annotator left out” "
    "is the error of one annotator against the others."
)


def make(context: Context, notes: list[str]) -> Made:
    """Return the least error of any prediction under each truth; errors against one annotator, and of annotators against each other."""
    graded = context.graded
    if graded is None or not graded.least:
        return {}
    least, one = _means(list(graded.least.values())), graded.beside(context)
    beside = [] if one is None else [_means([*one.models.values(), one.annotators, *(e - one.annotators for e in one.models.values())])]
    given = _against_given(context)
    n = context.options.n_resamples
    asks = [Ask(means, n, context.counted) for means in (least, *beside)]
    found, *others = yield [*asks, *(Ask(result, n) for result in given.values())]
    of_given = dict(zip(given, others[len(beside) :]))
    others = others[: len(beside)]
    ends = context.intervals(found)
    tables = {
        "least_error": [
            {"reliability": r, "value": finite(found.estimate[i]), **ends_of(ends[i], "case_low", "case_high"),
             "n_cases": int((~np.isnan(values)).sum())}
            for i, (r, values) in enumerate(graded.least.items())
        ]
    }  # fmt: skip
    for drawn in others:
        assert one is not None
        ends, n = context.intervals(drawn), len(one.models)
        tables["next_annotator_error"] = [
            {"model": model, "error": finite(drawn.estimate[i]), **ends_of(ends[i], "error_low", "error_high"),
             "annotators": finite(drawn.estimate[n]), **ends_of(ends[n], "annotators_low", "annotators_high"),
             "difference": finite(drawn.estimate[n + 1 + i]), **ends_of(ends[n + 1 + i], "difference_low", "difference_high"),
             "n_cases": int((~np.isnan(one.annotators)).sum())}
            for i, model in enumerate(one.models)
        ]  # fmt: skip
    tables["given_grades"] = [
        {"model": model, "metric": metric, "value": finite(drawn.estimate[0]), **ends_of(context.intervals(drawn)[0], "low", "high"),
         "n_cases": given[model, metric].n_cases}
        for (model, metric), drawn in of_given.items()
    ]  # fmt: skip
    return tables


def _against_given(context: Context) -> dict[tuple[str, str], Any]:
    """Return the results of all models and measures against the grades that annotators gave; none without labels.

    The distance from the law of a case is left out: the shares of a few labels are not this law.
    """
    graded = context.graded
    truth = graded.given_grades(context)
    if truth is None:
        return {}
    with notices.heard():  # undefined numbers are empty in the table
        return {
            (model, metric.name): graded.of(metric, truth, one)
            for metric in graded.metrics() if metric.numbers for model, one in graded.given.items()
        }  # fmt: skip


def _means(columns: list[Array]) -> Ratios:
    found = Ratios.of(np.stack(columns, 1))
    found.shares = False
    return found


def distance_of_pairs(ratings: Ratings) -> Array:
    """Return the mean distance (N,) of two ratings of a case; NaN with fewer than two."""
    n, row = sizes_of(ratings.offsets).astype(np.float64), row_of(ratings.offsets)
    value = ratings.value[np.lexsort((ratings.value, row))]
    place = np.arange(len(row)) - ratings.offsets[row]
    total = np.bincount(row, (2 * place - n[row] + 1) * value, ratings.n_cases)
    return np.where(n > 1, over(total * 2, n * (n - 1)), np.nan)


# ---- the page


def render(source: Data) -> Section | None:
    """Return one row for each measure of grades or ratings; None if there are none."""
    digest = Digest(source)
    alone = len(digest.models) == 1  # page one has its errors
    measures = [m for m in unique(source["metrics"], "metric") if m in GRADE_METRICS and not (alone and in_grades(m))]
    if len(measures) < 2 - alone or not digest.models:
        return None
    drawn, references = digest.models[:MOST], source.get("references") or ()
    pair = drawn[:2] if len(drawn) > 1 and not digest.withheld else []
    leads = {m: digest.lead(pair[0], pair[1], m, k=None) for m in measures} if pair else {}
    lines = []
    for metric in measures:
        rows = [find(digest.found(metric=metric, model=one), reliability=digest.main) for one in drawn]
        digits = digits_of(digest, metric, [(e["case_low"], e["case_high"]) for e in rows if e])
        cells = [NONE if e is None or e["value"] is None else below(digits, e["value"], *digest.case_ends(e)) for e in rows]
        known = [find(references, reference=name, metric=metric, reliability=digest.main) for name in (MEDIAN, PERFECT)]
        cells += [digits.value(e["value"]) if e and e["value"] is not None else NONE for e in known]
        lines.append((_named(digest, metric), [*cells, *cell_of(leads.get(metric), pair)]))
    heads = ["measure", *map(shown, drawn), "always the<br>median", OWN, *([" or<br>".join(briefly(pair))] if pair else [])]
    more = f"; {len(digest.models) - MOST} more models are in metrics.csv" if len(digest.models) > MOST else ""
    ends = "No interval can be trusted" if digest.withheld else f"{level_of(source)} intervals over {words.unit(source)} below each value"
    table = plain_table(f"All measures of {_things(digest)}", f"{ends}{digest.at_main}{more}", heads, lines)
    own = "“The truth’s own law” is what a model has that predicts exactly what the annotations leave open."
    ahead = " Who is ahead: by intervals of the difference that hold together for all pairs of models." if pair else ""
    joint = f"<p>{own}{ahead}</p>"
    return finding("errors", f"Measures of {_things(digest)}", _heading(digest, leads, pair), table, joint, *_given(digest, drawn))


def _given(digest: Digest, drawn: list[str]) -> list[str]:
    """Return the measures against the grades that annotators gave, with how to read them; nothing without labels."""
    entries = [e for e in digest.source.get("given_grades") or () if e["model"] in drawn and e["value"] is not None]
    lines = []
    for metric in unique(entries, "metric"):
        own = [find(of(entries, metric=metric), model=one) for one in drawn]
        digits = digits_of(digest, metric, [(e["low"], e["high"]) for e in own if e])
        ends = [(None, None) if digest.withheld or e is None else (e["low"], e["high"]) for e in own]
        cells = [NONE if e is None else below(digits, e["value"], *span) for e, span in zip(own, ends)]
        people = next(iter(digest.annotators.values()), None) if metric == digest.headline.metric else None
        lines.append((_named(digest, metric), [*cells, NONE if people is None else digits.value(people["annotators"])]))
    if not lines:
        return []
    heads = ["measure", *map(shown, drawn), "an annotator<br>left out"]
    note = "mean over the annotators of a case; no truth model"
    return [plain_table("The same measures against the grades that annotators gave", note, heads, lines), f"<p>{GIVEN_GRADES}</p>"]


def _things(digest: Digest) -> str:
    return "ratings" if digest.source["data"]["kind"] == "ratings" else "grades"


def _named(digest: Digest, metric: str) -> str:
    """Return the name of a measure with its unit and direction."""
    one = GRADE_METRICS[metric]
    unit = {"share": "%", "grades": digest.headline.units, "grades²": f"{digest.headline.units}, squared"}.get(one.unit, one.unit)
    better = "higher is better" if one.higher_is_better else "lower is better"
    return f"{one.label}<small>{', '.join(filter(None, (unit, better)))}</small>"


def _heading(digest: Digest, leads: dict[str, Lead | None], pair: list[str]) -> str:
    signs = [lead.sign for lead in leads.values() if lead is not None]
    if not signs:
        return f"All measures of {_things(digest)} side by side"
    ahead, behind = signs.count(1), signs.count(-1)
    of_all = f"{len(signs)} measures of {_things(digest)}"
    if not ahead and not behind:
        return f"{names(pair)} cannot be distinguished in any of the {of_all}"
    if ahead and behind:
        return f"Of {of_all}, {ahead} favour{'s' * (ahead == 1)} {names(pair[:1])} and {behind} {names(pair[1:])}"
    return f"{names([pair[0] if ahead else pair[1]])} is ahead in {max(ahead, behind)} of {of_all}"
