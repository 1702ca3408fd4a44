"""Coefficients of the order of predictions for data in several places: tables of cases by group of predictions and grade."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error, room
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities.estimates import NO_ANNOTATIONS
from ..resampling import Linear, Merging, Part
from ..soft.parts import edges_of
from .input import GradeScale, Predicted
from .ranks import FORMULAS, Pairs, RankNumbers, read
from .record import counted


class RankTable(RankNumbers, Linear):
    """A coefficient whose sums are those of the laws in each of G groups of predictions, and of products of two plausibilities."""

    def __init__(self, formula: str, group: NDArray[Any], n_groups: int, law: Array, kept: Bools) -> None:
        n, k = law.shape
        room("laws by group of predictions", 8.0 * n * k * (n_groups + k))
        table = np.zeros((n, n_groups, k))
        table[np.arange(n), group] = law
        self.columns = np.concatenate([table.reshape(n, -1), (law[:, :, None] * law[:, None, :]).reshape(n, -1)], axis=1)
        self.formula, self.n_classes, self._kept, self.n_cases = formula, k, kept, n
        self._settings: dict[str, Any] = {}

    @property
    def merging(self) -> Merging:
        return super().merging._replace(settings=self._settings)

    def answer(self, sums: Array) -> Array:
        k = self.n_classes
        pairs = Pairs.of(sums[:, : -k * k].reshape(len(sums), -1, k), sums[:, -k * k :].reshape(-1, k, k))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.stack(FORMULAS[self.formula](pairs), axis=1)

    def influence(self) -> Array:
        return np.asarray(self.columns @ self.slopes)


def _table(formula: str, scores: Array, edges: Array, order: NDArray[Any], settings: dict[str, Any], truth: Plausibilities) -> RankTable:
    law, kept = counted(truth)
    one = RankTable(formula, np.searchsorted(edges, scores, side="right"), len(edges) + 1, np.ascontiguousarray(law[:, order]), kept)
    one.left_out = {} if kept.all() else {NO_ANNOTATIONS: int((~kept).sum())}
    one.made_of, one.again = truth.made_of, partial(_table, formula, scores, edges, order, settings)
    one._settings, one.case_ids = settings, truth.ids_or_none
    return one


def _read(formula: str, data: tuple[Any, ...], options: dict[str, Any]) -> RankTable:
    truth, predictions = data
    post = as_plausibilities(truth)
    scale = GradeScale.of(post, options["values"])
    if options["edges"] is None:
        given = Predicted.of(predictions, post.axes, scale, options["predictions_are"])
        if given.kind != "grades":
            must = "be given in parts unless predictions are grades: cases between two edges count as tied"
            raise error("edges", must, f"predictions that are {given.kind}")
        assert given.numbers is not None
        scores, values = given.numbers, scale.values[scale.order]
        edges = (values[1:] + values[:-1]) / 2
    else:
        _, _, scores = read(truth, predictions, options["values"], options["predictions_are"])
        edges = np.array(edges_of(options["edges"]))
    settings = {"formula": formula, "grades": scale.values.tolist(), "edges": edges.tolist()}
    return _table(formula, scores, edges, scale.order, settings, post)


def _of_settings(settings: Mapping[str, Any]) -> RankTable:
    k = len(settings["grades"])
    one = RankTable(settings["formula"], np.zeros(1, np.int64), len(settings["edges"]) + 1, np.zeros((1, k)), np.zeros(1, bool))
    one._settings = dict(settings)
    return one


PARTS = {f"ua_{formula}": Part(partial(_read, formula), _of_settings, {"edges": None}) for formula in FORMULAS}
