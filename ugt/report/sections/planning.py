"""The precision of this study and of larger ones: components of variance, and widths of other designs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...studies import plan_annotations
from ...tables.context import MOST_CELLS
from ...tables.rows import finite
from .. import markup as html
from ..digest import Digest, words_for_few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...studies import AnnotationPlan
    from ...tables.context import Context, Rows
    from ...tables.rows import Row
    from ..markup import Data, Entry, Section

TITLE = "Size of the study"
TABLES = {
    "study_size": (
        "model", "metric", "n_cases", "n_labels", "n_annotators", "value", "var_cases", "var_annotators", "var_labels",
        "width", "width_twice_cases", "width_one_more_label", "width_twice_annotators", "annotators_random",
    )
}  # fmt: skip
ALPHA, AGREEMENT = "alpha", "agreement"
MOST_MODELS, MOST_SHOWN = 10, 4


def make(context: Context, notes: list[str]) -> Rows:
    """Return rows for each model's agreement with one more annotator, or without models for alpha; empty if no plan can be made."""
    labels = context.known.labels
    if labels is None or context.clusters is not None or labels.n_cases * labels.n_classes > MOST_CELLS:
        return {}
    asked: list[tuple[Any, str, Any]] = [(name, AGREEMENT, scores) for name, scores in context.scores.items()]
    rows = []
    for name, metric, scores in asked[:MOST_MODELS] or [(None, ALPHA, None)]:
        try:
            plan = plan_annotations(labels, scores, metric=metric, level=context.options.level)
        except ValueError:  # too few cases with two labels, or labels that do not vary: the section says what is needed
            continue
        rows.append(_row(name, plan))
    return {"study_size": rows}


def _row(model: str | None, plan: AnnotationPlan) -> Row:
    n, k, a, random = plan.n_cases, plan.n_labels, plan.n_annotators, "annotators" in plan.random
    a = max(a, math.ceil(k), 2)
    several = plan.metric == AGREEMENT  # for alpha, the pilot may not show the effect of other numbers of labels per case
    k = k if several else round(k)
    widths = [plan.design(n, k, a), plan.design(2 * n, k, a), plan.design(n, k + 1, max(a, math.ceil(k) + 1)) if several else None]
    widths.append(plan.design(n, k, 2 * a) if random else None)
    parts = [finite(plan.components[name]) for name in ("cases", "annotators", "labels")]
    sizes: list[Any] = [plan.n_cases, plan.n_labels, plan.n_annotators, finite(plan.value)]
    given = [None if one is None else finite(one.width) for one in widths]
    return dict(zip(TABLES["study_size"], [model, plan.metric, *sizes, *parts, *given, random]))


def render(source: Data) -> Section | None:
    """Return a sentence or two for each model; None if nothing was computed."""
    entries = source.get("study_size") or ()
    if not entries:
        return None
    how = (
        "What this study says of a further one: how much a label's agreement with the model varies between cases, between annotators and "
        "from label to label, and how wide the interval of the model's agreement with one more annotator would be in other designs. "
        "<code>ugt plan</code> finds the cheapest design for a wanted width or power."
    )
    digest = Digest(source)
    how += f" There are {words_for_few(digest)}: these numbers are rough." if digest.withheld else ""
    more = len(source.get("models") or ()) - MOST_SHOWN
    rest = f"<p>{more:,} more models are not shown; study_size.csv has up to {MOST_MODELS}.</p>" if more > 0 else ""
    return html.section("planning", TITLE, how, html.bullets(_sentences(entries[:MOST_SHOWN], html.level_of(source))), rest)


def _sentences(entries: list[Entry], level: str) -> Iterator[str]:
    for e in entries:
        what = "Krippendorff's alpha" if e["metric"] == ALPHA else f"agreement of {html.text(e['model'])} with one more annotator"
        known = [(e[f"var_{name}"], said) for name, said in _WORDS if e[f"var_{name}"] is not None]
        parts = [f"{math.sqrt(max(part, 0.0)):.2g} {said}" for part, said in known]
        by = f" by {e['n_annotators']:,} annotators" if e["n_annotators"] else ""
        whom = "other annotators" if e["annotators_random"] else "these annotators only"
        others = [f"{words} {e[name]:.2g}" for name, words in _OTHERS if e[name] is not None]
        yield (
            f"For the {what} the standard deviations are {', '.join(parts)}. These {e['n_cases']:,} cases with {e['n_labels']:.3g} labels "
            f"each{by} give a {level} interval {e['width']:.2g} wide (other cases, {whom}); {', '.join(others)}."
        )


_WORDS = (("cases", "between cases"), ("annotators", "between annotators"), ("labels", "from label to label"))
_OTHERS = (
    ("width_twice_cases", "twice as many cases would make it"),
    ("width_one_more_label", "one more label per case"),
    ("width_twice_annotators", "twice as many annotators"),
)
