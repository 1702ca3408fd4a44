"""The evaluation of models of numbers against ratings on a real scale, under every truth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import checks
from .._base.notes import Note
from .._base.wording import arg
from ..resampling import Ratios
from ..tables.names import VOTED_ERROR
from .grades import Graded, GradePredictions

if TYPE_CHECKING:
    from .._base.arrays import Array
    from ..tables.context import Context
    from ..truth.by_name import Truths

LEFT_OUT = (
    "Ratings on a real scale have no classes: accuracy, certainty of a class, calibration and prediction sets are left out, and models "
    "give one number per case."
)


def check_options(**given: Any) -> None:
    """Refuse options of classes."""
    for name, value in given.items():
        if value is not None:
            must, way = (
                "be left out with ratings on a real scale, which have no classes",
                "for grades, state them: " + arg("scale", [1, 2, 3]),
            )
            raise checks.error(name, must, repr(value)[:80], way=way)


class RatedWork:
    """What judges the models of ratings, as :class:`Work` does; whatever needs classes stays empty."""

    def __init__(self, found: Context, truths: Truths) -> None:
        self.found, self.truths, self.known, self.scores, self.options = found, truths, found.known, found.scores, found.options

    def run(self) -> Context:
        """Compute everything; return the context with it."""
        ratings = self.known.ratings
        self.truths.say(Note("no_classes", LEFT_OUT))
        given = {name: GradePredictions(table[:, 0], "numbers") for name, table in self.scores.items()}
        self.graded = Graded(
            given, None, None, float(np.median(ratings.value)), self.found.over_annotators, self.found.further, self.found.references,
            self.options.level, self.truths.say, self.found.heads,
        )  # fmt: skip
        means = ratings.means()
        for name, one in given.items():
            self._add_voted(name, np.abs(one.table - means))
        self.graded.constant[VOTED_ERROR, None] = np.abs(self.graded.median - means)
        for reliability, truth in self.truths:
            self.graded.judge(reliability, truth.take(self.known.rows), self.graded.median)
        return replace(self.found, graded=self.graded, fitted=next(iter(self.truths.fits), None))

    def _add_voted(self, model: str, errors: Array) -> None:
        found = Ratios.of(errors)
        found.shares = False
        self.graded.add_row(model, None, VOTED_ERROR, found)
        self.graded.columns[model, VOTED_ERROR, None] = errors
