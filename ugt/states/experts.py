"""One part of the labels in the expectation-maximisation of Dawid–Skene: its expected counts under parameters that all parts share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int64, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from ..annotators.em import ALL, Confusions
from ..annotators.records import GivenLabels, point_of, point_with_rest
from ..plausibilities import Point

Tables = dict[str, Array]


class World(NamedTuple):
    """The data that all parts share: A annotators, K classes, and the P pairs of annotator and label that occur, annotator * K + label."""

    annotators: NDArray[Any]
    n_classes: int
    pairs: Int64

    def places(self, labels: Any) -> Int64:
        found = identifiers.lookup(self.annotators, labels.annotators)
        unknown = (found < 0) & (np.bincount(labels.annotator, minlength=len(found)) > 0)
        if unknown.any():
            name = identifiers.name(labels.annotators[int(np.argmax(unknown))])
            raise error("labels", f"be of the {len(self.annotators)} annotators of the model", name)
        return found.astype(np.int64)


class Parameters(NamedTuple):
    """Parameters of "full": ``cells`` (P, K), P(label | true class) of every pair; of "one-coin": logs of a right and a wrong label."""

    prevalence: Array
    cells: Array | None = None
    logs: tuple[Array, Array] | None = None


class Expert:
    """The labels of a part with quantities that are computed once; only the labels are pickled."""

    def __init__(self, labels: Any, model: str) -> None:
        self.labels, self.model = labels, model

    def __reduce__(self) -> tuple[Any, ...]:
        return Expert, (self.labels, self.model)

    @cached_property
    def given(self) -> GivenLabels:
        return GivenLabels(self.labels)

    @cached_property
    def shape(self) -> Confusions:
        """The shape with all classes as candidates, since the classes that are linked depend on other parts."""
        return Confusions(self.given, ALL)

    def pairs(self, places: Int64) -> Int64:
        """Return the distinct annotator * K + label, with annotators numbered as in all parts."""
        return np.unique(places[self.labels.annotator] * self.labels.n_classes + self.labels.label)

    def _cells(self, world: World) -> Int64:
        """Return the place (cells,) of each cell in a table (P, K)."""
        annotator, label, truth = (self.shape.layout[j].astype(np.int64) for j in range(3))
        pair = np.searchsorted(world.pairs, world.places(self.labels)[annotator] * world.n_classes + label)
        return np.asarray(pair * world.n_classes + truth)

    def first(self, world: World, seed: int, number: int) -> Tables:
        q = self.given.start(seed, number)
        if self.model == "one-coin":
            right, classes = self.given.per_annotator(q[self.given.entry]), np.bincount(self.given.index, q, world.n_classes)
            return self._coin_tables(world, right, classes.astype(np.float64), 0.0)
        start, count, class_count = np.zeros(self.shape.n_candidates), np.empty(self.shape.n_cells), np.empty(world.n_classes)
        start[self.shape.entries] = q
        self.shape.core.count(start, count, class_count)
        return self._tables(world, count, class_count, 0.0)

    def expect(self, world: World, parameters: Parameters) -> Tables:
        """Return the expected counts under the parameters, and the log-likelihood."""
        if self.model == "one-coin":
            _, _, right, class_count, log_likelihood = self._coins(world, parameters)
            return self._coin_tables(world, right, class_count, log_likelihood)
        return self._tables(world, *self._confusions(world, parameters, None))

    def right(self, world: World, parameters: Parameters) -> Tables:
        """Return the expected number (A,) of right labels."""
        if self.model == "one-coin":
            return {"right": self._everyone(world, self._coins(world, parameters)[2])}
        q = self._candidates(world, parameters)[self.shape.entries][self.given.entry]
        return {"right": self._everyone(world, self.given.per_annotator(q))}

    def plausibilities(self, world: World, parameters: Parameters) -> Point:
        if self.model == "one-coin":
            q, rest = self._coins(world, parameters)[:2]
            return point_with_rest(self.given, q, rest, parameters.prevalence)
        return point_of(self.given.axes, self.shape.offsets, self.shape.index, self._candidates(world, parameters))

    def _candidates(self, world: World, parameters: Parameters) -> Array:
        q = np.empty(self.shape.n_candidates)
        self._confusions(world, parameters, q)
        return q

    def _confusions(self, world: World, parameters: Parameters, q: Array | None) -> tuple[Array, Array, float]:
        assert parameters.cells is not None
        probability = np.ascontiguousarray(parameters.cells.ravel()[self._cells(world)])
        count, class_count = np.empty(self.shape.n_cells), np.empty(world.n_classes)
        return count, class_count, self.shape.core.expect(probability, parameters.prevalence, count, class_count, q)

    def _coins(self, world: World, parameters: Parameters) -> tuple[Array, Array, Array, Array, float]:
        assert parameters.logs is not None
        given, places = self.given, np.maximum(world.places(self.labels), 0)
        right, wrong = (np.ascontiguousarray(one[places]) for one in parameters.logs)
        out = np.empty(len(given.index)), np.zeros(given.axes.n_cases), np.empty(given.n_annotators), np.empty(given.n_classes)
        return (*out, given.coins.expect(right, wrong, parameters.prevalence, *out, False))

    def _tables(self, world: World, count: Array, class_count: Array, log_likelihood: float) -> Tables:
        size = len(world.pairs) * world.n_classes
        cells = np.asarray(np.bincount(self._cells(world), count, size), np.float64).reshape(-1, world.n_classes)
        return {"cells": cells, "classes": class_count, "log_likelihood": np.array([log_likelihood])}

    def _coin_tables(self, world: World, right: Array, class_count: Array, log_likelihood: float) -> Tables:
        return {"right": self._everyone(world, right), "classes": class_count, "log_likelihood": np.array([log_likelihood])}

    def _everyone(self, world: World, value: Array) -> Array:
        """Return values (A,) of all annotators, from those of the part."""
        places = world.places(self.labels)
        return np.bincount(places[places >= 0], value[places >= 0], len(world.annotators)).astype(np.float64)
