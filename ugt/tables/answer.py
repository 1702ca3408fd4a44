"""The constant answer, and by how much each model is better; the values of simple and of perfect models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array
from ..resampling import CaseNumbers, Resamples
from .context import Ask, Made
from .names import higher_is_better
from .rows import ends_of, finite

if TYPE_CHECKING:
    from .context import Context
    from .rows import Row

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
    found = yield [Ask(one, context.options.n_resamples, context.counted) for each in answers.values() for one in each.columns.means]
    return {
        "constant_answer": [row for answer, one in answers.items() for row in one.rows(context, answer, found)],
        "references": [dict(row) for row in context.references],
    }


class ComparedWithConstant(NamedTuple):
    """The means of constant answers, and of the differences of models to them."""

    columns: CaseNumbers
    wanted: list[tuple[int, int, str, str, float | None]]  # numbers of the difference and of the answer; model, metric, reliability

    @classmethod
    def of(cls, context: Context, constants: Mapping[tuple[str, float | None], Array]) -> ComparedWithConstant:
        columns, wanted = CaseNumbers(), []
        for constant in constants.values():
            columns.add(constant)
        for own, ((metric, reliability), constant) in enumerate(constants.items()):
            for model in context.scores:
                column = context.column(model, metric, reliability)
                if column is not None:
                    wanted.append((len(columns), own, model, metric, reliability))
                    columns.add(column - constant if higher_is_better(metric) else constant - column, model)
        for one in columns.means:
            one.shares = all(higher_is_better(metric) for metric, _ in constants)
        return cls(columns, wanted)

    def rows(self, context: Context, answer: str, resampled: list[Resamples]) -> Iterator[Row]:
        """Yield the rows from resamples of the columns' means, which are taken from the list."""
        n = len(self.columns.means)
        found = Resamples.beside(resampled[:n]).take(self.columns.places)
        del resampled[:n]
        ends = context.intervals(found)
        for at, own, model, metric, reliability in self.wanted:
            yield {
                "model": model, "metric": metric, "reliability": reliability, "answer": answer, "value": finite(found.estimate[own]),
                **ends_of(ends[own]), "lead": finite(found.estimate[at]), **ends_of(ends[at], "lead_low", "lead_high"),
            }  # fmt: skip
