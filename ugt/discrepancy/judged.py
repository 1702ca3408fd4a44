"""What annotators who are judged as if they were the model, and models beside them, are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, Int64
from ..resampling import Answer, Design, Wide, over
from .alternative_annotator import NOBODY
from .input import Compared
from .record import Judging
from .sums import LeftOut, mean_of, zeros

ALIKE = "the annotators do not differ from each other"
CELLS = 2**22  # cases x numbers held at a time: some tables of 32 MB


class Judged(Judging, Wide):
    """Δ of M models, of A annotators, and of the models on the cases of each annotator (M, A), row by row.

    Sums are those of μ, of α and of cases of each model, (3, M); then for each annotator a row of those of μ, of μ of every model, of α
    and, unless all cases have all predictions, of α in the cases with a prediction of every model; behind these, where means are of
    different cases, how many cases each of them has. What these cases do not need, but others may, is left out of ``lean`` sums.

    ``settings`` have the names of the ``annotators`` and ``models`` and the ``options`` of the function; ``more`` are the annotators by
    position, -1 for those who gave no label, and ``lean``.
    """

    one_model = False

    def __init__(self, settings: Mapping[str, Any], compared: Compared | None = None, more: tuple[Any, bool] = (None, False)) -> None:
        self.annotators, lean = more
        self.models, m = tuple(settings["models"]), len(settings["models"])
        self.judged = np.ones(len(settings["annotators"]), bool)
        self.counts = not lean or settings["options"]["cases"] != "matched"
        self.below = np.arange(1 + m, 2 + 2 * m)  # where α of μ of the annotator and of every model stand
        super().__init__(settings, compared, more)
        if compared is not None and lean and compared.predicted.all():
            self.below = np.full(1 + m, 1 + m)

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        named = self.settings["annotators"]
        same = (f"model {model} in the place of {one}" for model in self.models for one in named)
        return (*(f"model {one}" for one in self.models), *(f"annotator {one}" for one in named), *same)

    @property
    def kept(self) -> Bools:
        """(N,) cases with two annotators."""
        return np.asarray(self.compared.sums.n >= 2)

    def blocks(self) -> Iterable[Array]:
        """Those of the models, then those of some annotators at a time."""
        m, a = len(self.models), len(self.annotators)
        return self._every_block if self.n_cases * (3 * m + a * self._width) <= CELLS else self._blocks()

    @cached_property
    def _every_block(self) -> list[Array]:
        return list(self._blocks())

    def _blocks(self) -> Iterator[Array]:
        sums, m, mu = self.compared.sums, len(self.models), self.compared.sums.mu.T
        there = ~np.isnan(mu)
        yield np.concatenate([zeros(mu), np.where(there, sums.alpha[:, None], 0.0), there], axis=1)
        width = max(1, CELLS // (self.n_cases * (2 + m)))
        for begin in range(0, len(self.annotators), width):
            left = LeftOut.of(self.compared, self.annotators[begin : begin + width], self.settings["options"]["cases"])
            under = [np.where(one[:, None], left.alpha, np.nan) for one in self.compared.predicted] if self.below[-1] > 1 + m else []
            rows = np.stack([left.mu, *left.model, left.alpha, *under], axis=2)
            found = np.concatenate([zeros(rows), ~np.isnan(rows)], axis=2) if self.counts else zeros(rows)
            yield found.reshape(self.n_cases, -1)

    @property
    def _width(self) -> int:
        """K, sums of an annotator."""
        return (2 if self.counts else 1) * (int(self.below[-1]) + 1)

    def _rows(self, table: Array) -> Array:
        """(R, A', K) of annotators, from (R, A' K)."""
        return table.reshape(len(table), -1, self._width)

    def _means(self, rows: Array) -> Array:
        """Of rows of sums; only up to a factor where all are of the same cases."""
        return over(*np.split(rows, 2, axis=2)) if self.counts else rows

    def answer(self, sums: Array) -> Array:
        m = len(self.models)
        return self._together(over(sums[:, :m], sums[:, m : 2 * m]), self._delta(self._means(self._rows(sums[:, 3 * m :]))))

    def _delta(self, means: Array) -> Array:
        return over(means[:, :, : 1 + len(self.models)], means[:, :, self.below])

    def _together(self, models: Array, rows: Array) -> Array:
        """Numbers in their order, from those of models and rows (R, A, 1 + M); NaN for who is not judged."""
        told = np.where(self.judged[:, None], rows, np.nan).transpose(0, 2, 1)
        return np.concatenate([models, told.reshape(len(rows), -1)], axis=1)

    def influence(self) -> Array:
        first, *blocks = self.blocks()
        m, found = len(self.models), []
        total = first.sum(axis=0)
        models = over(first[:, :m] - over(total[:m], total[m : 2 * m]) * first[:, m : 2 * m], total[m : 2 * m])
        for block in blocks:
            rows, means = self._rows(block), self._rows(block.sum(axis=0)[None])
            if self.counts:
                (rows, there), n = np.split(rows, 2, axis=2), np.split(means, 2, axis=2)[1]
                means = self._means(means)
                rows = over(rows - means * there, n)
            found.append(over(rows[:, :, : 1 + m] - self._delta(means) * rows[:, :, self.below], means[:, :, self.below]))
        return self._together(models, np.concatenate(found, axis=1) if found else np.empty((self.n_cases, 0, 1 + m)))

    def varies(self, kept: Bools, design: Design) -> Bools:
        """(M + A + M A,) whether two units of some stratum have a denominator."""
        first, *others = (design.vary(block[kept]).astype(np.float64)[None] for block in self.blocks())
        m = len(self.models)
        rows = self._rows(np.concatenate([np.empty((1, 0)), *others], axis=1))
        if self.counts:
            rows = np.split(rows, 2, axis=2)[1]
            rows = np.minimum(rows[:, :, : 1 + m], rows[:, :, self.below])
        else:
            rows = rows[:, :, self.below]
        return np.asarray(self._together(first[:, m : 2 * m], rows)[0] == 1)

    def means_of(self, sums: Array, n: Int64) -> tuple[Array, Array]:
        """(A,) means μ and α of annotators, those of μ over n cases."""
        rows = self._means(self._rows(sums[:, 3 * len(self.models) :]))[0]
        found = rows[:, 0], rows[:, 1 + len(self.models)]
        return found if self.counts else (over(found[0], n), over(found[1], n))

    # ---- of sums alone ----

    def _of(self, sums: Array) -> Judged:
        """Of those who have enough cases."""
        one = copy(self)
        one.judged = np.rint(self.groups(sums, sums)) >= self.settings["options"]["least_cases"]
        return one

    def groups(self, sums: Array, fixed: Array) -> Array:
        """Cases of each annotator."""
        return np.asarray(self._rows(sums[None, 3 * len(self.models) :])[0, :, int(self.below[-1]) + 1])

    def numbers(self, sums: Array) -> dict[str, Array]:
        """By the names in the function's record."""
        m, a = len(self.models), len(self.judged)
        rows, deltas = self._rows(sums[:, 3 * m :]), self.answer(sums)
        means = np.where(self.judged[:, None], self._means(rows), np.nan)
        found = {"value": deltas[:, m : m + a], "alpha": means[:, :, 1 + m], "mu": means[:, :, 0]}
        found["n_cases"] = rows[:, :, int(self.below[-1]) + 1]
        if m:
            found.update(model_value=deltas[:, :m], model_n_cases=sums[:, 2 * m : 3 * m])
            found["same_cases"] = deltas[:, m + a :].reshape(len(sums), m, a)
        return found

    def replicated(self, sums: Array, replicates: Array) -> tuple[Array, dict[str, Array]]:
        """The mean Δ of annotators with enough cases as they are, and all numbers."""
        found = self._of(sums).numbers(replicates)
        return mean_of(found["value"]), found

    def finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """With who the annotators are."""
        value, numbers = self.replicated(sums, sums[None])
        named, least = {"annotators": np.array(self.settings["annotators"])}, self.settings["options"]["least_cases"]
        reason = NOBODY.format(least) if not self._of(sums).judged.any() else ALIKE if np.isnan(value[0]) else None
        return Answer(float(value[0]), {**named, **{name: one[0] for name, one in numbers.items()}}, reason)
