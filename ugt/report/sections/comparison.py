"""Differences of every two models on the same resamples, their ranks, and flips of their order."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ...resampling import Resamples
from .. import markup as html
from .. import words
from ..context import Made
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import Data, Section
from ..rows import plain_table
from ..standings import joint_level
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ..context import Context

TITLE = "Differences of all pairs of models"
MOST_SHOWN = 6  # most models
TABLES = {
    "differences": (
        "metric", "k", "reliability", "model", "other", "difference", "low", "high", "joint_low", "joint_high", "greater_share", "n_cases",
    )
}  # fmt: skip
MOST_MODELS = 10  # most models: 45 pairs


def make(context: Context, notes: list[str]) -> Made:
    """Model minus other, against the voted label and under the middle reliability, top-k accuracy under each one.

    ``joint_low`` to ``joint_high``: intervals that hold together for all pairs of models under the same truth.
    """
    metrics = [*context.metrics, *(row for _, soft in context.soft for row in soft)]
    place = {(row["metric"], row["k"], row["reliability"], row["model"]): i for i, row in enumerate(metrics)}
    models = _highest(context)
    if len(context.scores) > len(models):
        notes.append(f"Differences of pairs are of the {MOST_MODELS} models with the highest top-1 accuracy.")
    wanted = [
        key[:3]
        for key in place
        if key[3] == models[0] and (key[2] == context.reliability or key[0] in ("topk_accuracy", "voted_accuracy"))
    ] if len(models) > 1 else []  # fmt: skip
    if not wanted or not context.core.kept.any():
        return {}
    resampled = Resamples.beside((yield context.asked))
    rows, n = [], len(context.certainty)
    for metric, k, reliability in wanted:
        everybody = resampled.take([n + place[metric, k, reliability, name] for name in context.scores])
        joint = joint_level(everybody, context.options.level)
        for model, other in combinations(models, 2):
            i, j = (place[metric, k, reliability, name] for name in (model, other))
            both = resampled.take([n + i, n + j])
            (ends, _), (greater_share, _) = context.intervals(both.minus(1)), both.best_share()
            (together, _) = both.minus(1).interval(joint, context.options.interval)
            mean = max(i, j) < len(context.columns)
            n_cases = int((~np.isnan(context.columns[i] - context.columns[j])).sum()) if mean else metrics[i]["n_cases"]
            rows.append({
                "metric": metric, "k": k, "reliability": reliability, "model": model, "other": other,
                "difference": finite(both.estimate[0] - both.estimate[1]), **ends_of(ends),
                **ends_of(together, "joint_low", "joint_high"), "greater_share": finite(greater_share),
                "n_cases": n_cases,
            })  # fmt: skip
    return {"differences": rows}


def _highest(context: Context) -> list[str]:
    """Return the models that are compared, in their order."""
    known = {row["model"]: row["value"] for row in context.metrics if row["reliability"] == context.reliability and row["k"] == 1}
    names = list(context.scores)
    first = sorted(range(len(names)), key=lambda i: -np.nan_to_num(known.get(names[i], 0.0)))[:MOST_MODELS]
    return [names[i] for i in sorted(first)]


# ---- the page


def render(source: Data) -> Section | None:
    """Return the differences of all pairs of more than two models; a single pair has another section."""
    digest = Digest(source)
    pairs = [(a, b, lead) for a, b in combinations(digest.models[:MOST_SHOWN], 2) if (lead := digest.lead(a, b)) is not None]
    if len(digest.models) < 3 or not pairs or digest.withheld:
        return None
    how = f"Intervals ({html.level_of(source)}) hold together for all pairs, on the same resamples of the {words.unit(source)}."
    digits = Digits.of((lead.low, lead.high) for _, _, lead in pairs)
    rows = [(f"{shown(a)} − {shown(b)}", [digits.lead(lead.value), digits.leads(lead.low, lead.high)]) for a, b, lead in pairs]
    drawn = f"the {MOST_SHOWN} highest models, " if len(digest.models) > MOST_SHOWN else ""
    note = f"{drawn}top-1 accuracy, percentage points{digest.at_main}; differences.csv has the other measures and the voted label"
    return html.section("comparison", TITLE, how, plain_table("Differences of models", note, ["", "difference", "interval"], rows))
