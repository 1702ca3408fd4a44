"""Differences of every two models on the same resamples."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ... import resampling
from ._samples import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]

HEADINGS = {
    "differences": ("metric", "k", "reliability", "model", "other", "difference", "low", "high", "p_greater", "n_cases"),
}
MOST_MODELS = 10  # 45 pairs


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """Accuracy of order k against the voted label and under the middle reliability, model minus other."""
    models = list(context.scores)[:MOST_MODELS]
    notes = [f"Differences of pairs are of the first {MOST_MODELS} models."] if len(context.scores) > MOST_MODELS else []
    columns = {(row["metric"], row["k"], row["reliability"], row["model"]): one for row, one in zip(context.metrics, context.columns)}
    wanted = [
        key[:3]
        for key in columns
        if key[3] == models[0] and (key[0] == "voted_accuracy" or (key[0], key[2]) == ("topk_accuracy", context.reliability))
    ]
    named = [(name, pair) for name in wanted for pair in combinations(models, 2)]
    if not named:
        return {"differences": []}, notes
    pairs = [((*name, a), (*name, b)) for name, (a, b) in named]
    table = np.stack([columns[one] - columns[other] for one, other in pairs], 1)
    counted = ~np.isnan(np.stack([*context.certainty.values(), *context.columns], 1)).all(1)
    if not counted.any():
        return {"differences": []}, notes
    groups = None if context.clusters is None else np.asarray(context.clusters)[counted]
    found = resampling.bootstrap(table[counted], clusters=groups, n_resamples=context.options["n_resamples"], seed=context.seed)
    ends = found.interval(context.options["level"], context.options["interval"])
    rows = []
    for j, ((metric, k, reliability), (model, other)) in enumerate(named):
        names = {"metric": metric, "k": k, "reliability": reliability, "model": model, "other": other}
        low, high = map(number, ends[j])
        n_cases = int((~np.isnan(table[:, j])).sum())
        numbers = {"difference": number(found.estimate[j]), "low": low, "high": high, "p_greater": _greater(found.values[:, j])}
        rows.append({**names, **numbers, "n_cases": n_cases})
    return {"differences": rows}, notes


def _greater(values: Array) -> float | None:
    """Share of the resamples in which the model is better; equal ones count half."""
    known = values[~np.isnan(values)]
    return float((known > 0).mean() + (known >= 0).mean()) / 2 if len(known) else None
