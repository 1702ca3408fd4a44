"""Statistics of a truth whose prior was fitted to the same annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from ..resampling import NumberFacts, Panel, Statistic, Without
from .made_of import MadeOf


class Refitted(Statistic):
    """Another statistic that varies over resamples of cases as if the prior were fitted to each, to first order.

    ``added`` (N, M): the derivatives of the numbers by the weights of the cases, through the fit of the prior. Numbers of a resample with
    weights w have Σ (w_i - 1) added_i on top of those of the other statistic.
    """

    def __init__(self, of: Statistic, added: Array) -> None:
        self.of, self.added, self.n_cases, self.names, self.case_ids = of, added, of.n_cases, of.names, of.case_ids
        self.span, self.left_out = of.span, of.left_out

    def sums(self, cases: Array | None = None) -> Array:
        found, m = self.of.sums(cases), len(self.names)
        more = np.zeros((1, m)) if cases is None else np.einsum("bn,nm->bm", cases, self.added) - self.added.sum(axis=0)
        return np.concatenate([found, more], axis=1)

    def answer(self, sums: Array) -> Array:
        found = self.of.answer(sums[:, : -len(self.names)]) + sums[:, -len(self.names) :]
        return np.asarray(np.clip(found, *self.of.facts.spans.T))  # to first order a number may leave its range

    def influence(self) -> Array | None:
        found = self.of.influence()
        return None if found is None else found + self.added

    @property
    def kept(self) -> Bools:
        return self.of.kept

    @property
    def n_counted(self) -> int:
        return self.of.n_counted

    @property
    def facts(self) -> NumberFacts:
        of = self.of.facts
        return of._replace(steps=lambda sums, n_cases: of.steps(sums[: -len(self.names)], n_cases))

    @property
    def panel(self) -> Panel:
        return Panel(self.of.panel.annotations, self._judged_by, self._without_each)

    def _judged_by(self, annotators: NDArray[Any]) -> Statistic:
        return Refitted(self.of.panel.judged_by(annotators), self.added)

    def _without_each(self, annotators: Int64, numbers: Sequence[int]) -> Iterator[Without]:
        for values, influence, _ in self.of.panel.without_each(annotators, numbers):
            yield Without(values, None if influence is None else influence + self.added[:, list(numbers)])


def refitted(one: Statistic, made_of: MadeOf | None, again: Callable[[Any], Statistic] | None) -> Statistic:
    """Return a statistic of a truth as if its prior, if that was fitted, were fitted to each resample; ``again`` is of another truth."""
    added = None if made_of is None or again is None else made_of.added(partial(_numbers, again))
    return one if added is None else Refitted(one, added())


def _numbers(again: Callable[[Any], Statistic], truth: object) -> Array:
    """Return the numbers as one row, which is their own sum."""
    return again(truth).estimate[None]
