"""The answer, on the first page: the verdict, each model with its baselines and ceilings, and two pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...resampling import Ratios
from .. import first
from ..context import Ask, Made
from ..markup import Data, Section
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ..context import Context

TABLES = {"constant_answer": ("model", "metric", "reliability", "answer", "value", "low", "high", "lead", "lead_low", "lead_high")}


def make(context: Context, notes: list[str]) -> Made:
    """Return top-1 accuracy of always the commonest class under each truth (None: the voted label), and each model's lead over it."""
    if not context.constant or context.shares is None:
        return {}
    columns, wanted = list(context.constant.values()), []
    for (metric, reliability), constant in context.constant.items():
        for model in context.scores:
            at = context.metric(model, metric, reliability)
            if at is not None:
                wanted.append((len(columns), list(context.constant).index((metric, reliability)), model, metric, reliability))
                columns.append(context.columns[at] - constant)
    (found,) = yield [Ask(Ratios.of(np.stack(columns, 1)), context.options.n_resamples, context.counted)]
    ends = context.intervals(found)
    answer = str(context.known.axes.classes[int(np.argmax(context.shares))])
    return {
        "constant_answer": [
            {"model": model, "metric": metric, "reliability": reliability, "answer": answer, "value": finite(found.estimate[own]),
             **ends_of(ends[own]), "lead": finite(found.estimate[at]), **ends_of(ends[at], "lead_low", "lead_high")}
            for at, own, model, metric, reliability in wanted
        ]
    }  # fmt: skip


def render(source: Data) -> Section:
    """Return the first page's section: the verdict and its basis."""
    return first.render(source)[0]
