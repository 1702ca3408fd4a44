"""The constant answer, and by how much each model is better; the values of simple and of perfect models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array
from .._base.notes import Note
from ..resampling import CaseNumbers, Resamples
from .context import Ask, Made
from .names import higher_is_better
from .rows import Number, with_ends

if TYPE_CHECKING:
    from .context import Context


class ConstantRow(NamedTuple):
    """The constant answer under a truth, and the lead of a model over it, above 0 also where lower is better."""

    model: str
    metric: str
    reliability: Number  # None: against the voted label, or the truth has none
    answer: str
    value: Number
    low: Number
    high: Number
    lead: Number
    lead_low: Number
    lead_high: Number


class ReferenceRow(NamedTuple):
    """The value of a simple or a perfect model under a truth."""

    reference: str
    reliability: Number
    metric: str
    k: int | None
    value: Number


TABLES = {"constant_answer": ConstantRow, "references": ReferenceRow}


def make(context: Context, notes: list[Note]) -> Made:
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
        "references": context.references,
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
            context.occurring(one).shares = all(higher_is_better(metric) for metric, _ in constants)
        return cls(columns, wanted)

    def rows(self, context: Context, answer: str, resampled: list[Resamples]) -> Iterator[ConstantRow]:
        """Yield the rows from resamples of the columns' means, which are taken from the list."""
        n = len(self.columns.means)
        found = Resamples.beside(resampled[:n]).take(self.columns.places)
        del resampled[:n]
        ends = context.intervals(found)
        for at, own, model, metric, reliability in self.wanted:
            constant, lead = with_ends(found.estimate[own], ends[own]), with_ends(found.estimate[at], ends[at])
            yield ConstantRow(model, metric, reliability, answer, *constant, *lead)
