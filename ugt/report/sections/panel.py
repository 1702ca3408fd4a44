"""The split-panel check: does the truth model predict what annotators say who were held out?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base import notices
from ...aggregation import PanelCheck, split_panel_check
from .. import markup as html
from ..context import MOST_CELLS, Made
from ..markup import Data, Entry, Section, level_of, of, unique
from ..tables import ends_of, finite
from ..words import reliability_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..context import Context
    from ..tables import Row

TITLE = "Would a further annotator agree?"
TABLES = {"panel_check": ("reliability", "annotator", "predicted", "observed", "low", "high", "p_value", "adjusted_p_value", "n_cases")}
# Options of the truth model that each takes; draws are made anew under the middle reliability only, and for no annotator by itself.
OPTIONS = {
    "dirichlet": ("prior",),
    "prirn": ("tie_weight", "background"),
    "plackett-luce": ("prior_mass", "unranked", "n_draws", "n_warmup", "n_chains", "seed", "n_threads"),
}
NEEDS = "a posterior of labels or rankings (dirichlet, prirn or plackett-luce), and a case with two annotators"
MOST_ANNOTATORS = 40
SIGNIFICANT, REFUTED = 0.05, 0.001


def make(context: Context, notes: list[str]) -> Made:
    """A row for each reliability; below that of the middle one a row for each annotator, where they are few."""
    known, how = context.known.judged, context.aggregation
    if how not in OPTIONS or known is None:
        return {}
    if known.n_cases * known.n_classes > MOST_CELLS:
        notes.append(f"Annotators were not held out: over {MOST_CELLS:,} cases x classes.")
        return {}
    sampled = how == "plackett-luce"
    each = 0 < len(known.annotators) <= MOST_ANNOTATORS and not sampled and np.ndim(context.making.prior) < 2
    options: dict[str, Any] = {name: getattr(context.making, name) for name in OPTIONS[how]}
    own = context.making.annotator_reliability
    rows: list[Row] = []
    for reliability in [context.reliability] if sampled else dict.fromkeys(row["reliability"] for row in context.certainty):
        options["reliability"] = reliability if own is None else {name: reliability * value for name, value in own.items()}
        with notices.heard():
            try:
                found = _checked(known, how, each and reliability == context.reliability, context, options)
            except ValueError:  # no case has two annotators
                return {}
        rows += _rows(found, reliability, context.options.level)
        if reliability == context.reliability and found.p_value < REFUTED:
            notes.append(f"The truth model does not describe these annotators (at {reliability_name(reliability)}): {found.sentence()}")
    return {"panel_check": rows}


def _checked(known: Any, how: str, each: bool, context: Context, options: dict[str, Any]) -> PanelCheck:
    settled = {"clusters": context.clusters, "per_annotator": each, "seed": context.making.seed}
    return split_panel_check(known, model=how.replace("-", "_"), **{**options, **settled})


def _rows(found: PanelCheck, reliability: float | None, level: float) -> Iterator[Row]:
    yield {
        "reliability": reliability, "annotator": None, "predicted": found.predicted, "observed": found.observed,
        **ends_of(found.interval(level)), "p_value": finite(found.p_value), "adjusted_p_value": None, "n_cases": found.n_cases,
    }  # fmt: skip
    parts = found.per_annotator
    if parts is None:
        return
    for a, ends in enumerate(parts.intervals(level)):
        yield {
            "reliability": reliability, "annotator": str(parts.name[a]), "predicted": float(parts.predicted[a]),
            "observed": float(parts.observed[a]), **ends_of(ends), "p_value": finite(parts.p_value[a]),
            "adjusted_p_value": finite(parts.adjusted_p_value[a]), "n_cases": int(parts.n_cases[a]),
        }  # fmt: skip


# ---- the page


def render(source: Data) -> Section:
    """A sentence for each reliability, and the table of the annotators under the middle one."""
    how = (
        "Of each case one annotator was held out, and the truth was made of the others. The truth model says how often the one held out "
        "agrees with the vote of the others; the labels show how often that was so. Where the interval leaves out what was predicted, the "
        "prior or the reliability does not describe these annotators. Agreement says nothing about who is right."
    )
    entries = source.get("panel_check") or ()
    if not entries:
        return html.section("panel-check", TITLE, how, f"<p>None was computed: it needs {NEEDS}.</p>")
    pooled = [e for e in entries if e["annotator"] is None]
    values = unique(pooled, "reliability")
    middle = values[len(values) // 2]
    said = html.bullets(f"At {reliability_name(e['reliability'])} {_sentence(e, level_of(source))}" for e in pooled)
    annotators = [e for e in of(entries, reliability=middle) if e["annotator"] is not None]
    if not annotators:
        return html.section("panel-check", TITLE, how, said)
    columns = ["annotator", "predicted", "observed", f"{level_of(source)} interval", "p (Holm)", "cases"]
    rows = [
        [html.text(e["annotator"]), html.number(e["predicted"]), html.number(e["observed"]), html.ends(e), _p(e["adjusted_p_value"]),
         html.count(e["n_cases"])]
        for e in annotators
    ]  # fmt: skip
    caption = f"Each annotator held out of all of their cases ({reliability_name(middle)})"
    return html.section("panel-check", TITLE, how, said, html.table(caption, columns, rows))


def _sentence(e: Entry, level: str) -> str:
    verdict = f"annotators agree {'less' if e['observed'] < e['predicted'] else 'more'} than the truth model says"
    if e["p_value"] is None or e["p_value"] > SIGNIFICANT:
        verdict = "no evidence against the truth model"
    return (
        f"a further annotator would agree with the vote of the others in {html.number(e['predicted'])} (predicted); observed "
        f"{html.number(e['observed'])} ({level} interval {html.ends(e)}, {html.count(e['n_cases'])} cases, "
        f"p {_p(e['p_value'])}): {verdict}."
    )


def _p(value: float | None) -> str:
    return html.NONE if value is None else "&lt;0.001" if value < 0.001 else f"{value:.3f}"
