"""The answer, on the first page: the verdict, each model with its baselines and ceilings, and two pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..._base.arrays import Array
from ...resampling import Ratios
from .. import first
from ..context import Ask, Made
from ..headline import higher_is_better
from ..markup import Data, Section
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ...resampling import Resamples
    from ..context import Context
    from ..tables import Row

TABLES = {
    "constant_answer": ("model", "metric", "reliability", "answer", "value", "low", "high", "lead", "lead_low", "lead_high"),
    "references": ("reference", "reliability", "metric", "k", "value"),
}


def make(context: Context, notes: list[str]) -> Made:
    """Return the references, the constant answer under each truth (None: the voted label), and by how much each model is better.

    The answer is the commonest class for accuracy, and the median for errors.
    """
    graded, answers = context.graded, {}
    if context.constant and context.shares is not None:
        answers[str(context.known.axes.classes[int(np.argmax(context.shares))])] = ComparedWithConstant.of(context, context.constant)
    if graded is not None and graded.constant:
        answers[graded.answer] = ComparedWithConstant.of(context, graded.constant)
    found = yield [Ask(one.means, context.options.n_resamples, context.counted) for one in answers.values()]
    return {
        "constant_answer": [
            row for (answer, one), drawn in zip(answers.items(), found) for row in one.rows(answer, drawn, context.intervals(drawn))
        ],
        "references": [dict(row) for row in context.references],
    }


class ComparedWithConstant(NamedTuple):
    """The means of constant answers, and of the differences of models to them."""

    means: Ratios
    wanted: list[tuple[int, int, str, str, float | None]]  # numbers of the difference and of the answer; model, metric, reliability

    @classmethod
    def of(cls, context: Context, constants: Mapping[tuple[str, float | None], Array]) -> ComparedWithConstant:
        columns, wanted = list(constants.values()), []
        for own, ((metric, reliability), constant) in enumerate(constants.items()):
            for model in context.scores:
                column = context.column(model, metric, reliability)
                if column is not None:
                    wanted.append((len(columns), own, model, metric, reliability))
                    columns.append(column - constant if higher_is_better(metric) else constant - column)
        means = Ratios.of(np.stack(columns, 1))
        means.shares = all(higher_is_better(metric) for metric, _ in constants)
        return cls(means, wanted)

    def rows(self, answer: str, found: Resamples, ends: Array) -> Iterator[Row]:
        for at, own, model, metric, reliability in self.wanted:
            yield {
                "model": model, "metric": metric, "reliability": reliability, "answer": answer, "value": finite(found.estimate[own]),
                **ends_of(ends[own]), "lead": finite(found.estimate[at]), **ends_of(ends[at], "lead_low", "lead_high"),
            }  # fmt: skip


def render(source: Data) -> Section:
    """Return the first page's section: the verdict and its basis."""
    return first.render(source)[0]
