"""The common part of calibrators that map logits: reading, fitting, choosing a regulariser, and the attributes of the fit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import product
from typing import Any, ClassVar

import numpy as np

from .._base import checks, identifiers, notices
from .._base.arrays import Array, Int32
from ..resampling import ids_of_cases
from ..resampling.design import refuse_clusters
from . import selection
from .estimator import Calibrator, Self
from .logits import KINDS, LabelTable, LogitTable
from .newton import Minimum
from .scaling import MatrixMap, Objective, Unbounded, VectorMap, softmax

NO_LABELS = "case without labels"


class Scaling(Calibrator, ABC):
    """The base class of calibrators that map logits."""

    input: str
    floor: float | None
    fractional: bool
    n_classes_: int
    classes_: list[Any]

    _fitted: ClassVar[dict[str, Any]] = {
        **dict.fromkeys(["loss_", "loss_before_", "gradient_norm_"], float),
        **dict.fromkeys(["n_iter_", "n_classes_", "n_cases_"], int),
        **{"converged_": bool, "left_out_": dict, "classes_": list},
    }

    def __init__(self, *, input: str = "logits", floor: float | None = None, fractional: bool = False) -> None:
        self.input, self.floor, self.fractional = input, floor, fractional

    def fit(
        self, predictions: object, counts: object, *, weights: object = None, clusters: object = None, frequency: object = None,
        case_weights: object = None,
    ) -> Self:  # fmt: skip
        """Fit the map to label histograms.

        Parameters
        ----------
        predictions : (N, K) array, or (N,) for two classes
            Logits or probabilities, as ``input`` says. An array (N,) is for class 1; the logit of class 0 is then 0.
        counts : (N, K) array, Labels, or (N,) array of class numbers
            Labels of each case by class. Cases without labels are left out.
        weights : (N,) array, optional
            Weight of each case, by which its term of the log-likelihood is multiplied.
        clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
            Clusters, such as patients, which stay together when data are split to choose a regulariser. An array is in the order of the
            cases; the other forms are joined by the case ids of labels, or by 0 to N-1 for arrays.
        frequency : (N,) whole numbers, Series or mapping of case id to number, optional
            How many equal cases each row stands for: the fit is that of the rows repeated. When data are split, the equal cases of a row
            stay together. Not with clusters or weights.
        case_weights : (N,) numbers, Series or mapping of case id to weight, optional
            How many cases of a population each case of a sample represents: the fit estimates that to the population. Not with weights.

        Raises
        ------
        ValueError
            If shapes do not fit, a number is out of range (the message names the first case), or no finite map is best.
        """
        table = self._read(predictions, counts=counts)
        histograms = LabelTable.of(counts, table.shape, self.fractional, weights, frequency, case_weights)
        if frequency is not None:
            refuse_clusters(clusters)
        unit = None
        if clusters is not None:
            unit = identifiers.number("clusters", ids_of_cases("clusters", clusters, table.shape[0], table.case_ids)).code
        self._fit(table, histograms, unit)
        self.classes_ = table.named()
        return self

    def transform(self, predictions: object) -> Array:
        """Return calibrated probabilities (N, K)."""
        self._check_fitted()
        table = self._read(predictions, self.classes_)
        if table.shape[1] != self.n_classes_:
            raise checks.error("predictions", f"have {self.n_classes_} classes, as in the fit", table.shape[1])
        checks.room("calibrated probabilities", 8 * table.shape[0] * table.shape[1])
        out = np.empty(table.shape)
        for begin, end in table.blocks():
            out[begin:end] = softmax(self._map(table.logits(begin, end))).T
            self._keep_order(table.given(begin, end), out[begin:end])
        return out

    def fit_transform(self, predictions: object, counts: object, **options: Any) -> Array:
        """Fit, then transform the same predictions."""
        return self.fit(predictions, counts, **options).transform(predictions)

    def score(self, predictions: object, counts: object, weights: object = None) -> float:
        """Return the mean log-likelihood of a label under the calibrated probabilities; higher is better."""
        self._check_fitted()
        given = self._read(predictions, self.classes_, counts)
        z = self.transform(given.values)
        y = LabelTable.of(counts, z.shape, self.fractional, weights).all().T
        if not y.any():
            raise checks.error("counts", "hold labels", "none")
        with np.errstate(divide="ignore"):
            logs = np.log(z)
        return float((y * np.where(y > 0, logs, 0.0)).sum() / y.sum())

    def _read(self, predictions: object, classes: object = None, counts: object = None) -> LogitTable:
        kind = checks.option("input", self.input, KINDS)
        floor = None if self.floor is None else checks.scalar("floor", self.floor, positive=True)
        return LogitTable.of(predictions, kind, floor, classes, counts)

    @abstractmethod
    def _fit(self, table: LogitTable, histograms: LabelTable, unit: Int32 | None) -> None:
        """Fit the map and store it in attributes."""

    @abstractmethod
    def _map(self, u: Array) -> Array:
        """Return (K, N) calibrated logits."""

    def _keep_order(self, given: Array, z: Array) -> None:
        """Restore the order of the most probable class if the map guarantees it; by default, do nothing."""

    def _note(self, found: Minimum, labels: Array, histograms: LabelTable, loss: float, before: float) -> None:
        """Store the attributes of the fit; ``labels`` (N,) are weighted."""
        self.n_cases_ = histograms.number(labels > 0)
        self.left_out_ = histograms.left_out({NO_LABELS: labels == 0})
        self.loss_, self.loss_before_ = loss, before
        note_convergence(self, found, 5)


def note_convergence(fitted: Any, found: Minimum, stacklevel: int) -> None:
    fitted.n_iter_, fitted.gradient_norm_, fitted.converged_ = found.n_iter, found.gradient_norm, bool(found.converged)
    if not found.converged:
        said = f"{type(fitted).__name__} did not converge: gradient norm {found.gradient_norm:.2g} after {found.n_iter} iterations"
        notices.warn(said, stacklevel=stacklevel)


class Regularised(Scaling):
    """The base class of maps with regularisers, which may have to be chosen among several."""

    _fitted: ClassVar[dict[str, Any]] = {"shift_": "K", "penalty_b_": float, "path_": list, **Scaling._fitted}

    _kind: ClassVar[type[VectorMap] | type[MatrixMap]]  # is called with the number of classes and
    _penalties: ClassVar[tuple[str, ...]]

    def __init__(
        self, *, penalty_b: object = 0.1, validation: float = 0.2, input: str = "logits", floor: float | None = None,
        fractional: bool = False, seed: Any = 0,
    ) -> None:  # fmt: skip
        super().__init__(input=input, floor=floor, fractional=fractional)
        self.penalty_b, self.validation, self.seed = penalty_b, validation, seed

    def _fit(self, table: LogitTable, histograms: LabelTable, unit: Int32 | None) -> None:
        u, y = table.all_logits(), histograms.all()
        each = [selection.candidates(name, getattr(self, name)) for name in self._penalties]
        grid = [dict(zip(self._penalties, some)) for some in product(*each)]
        path = self._path(grid, u, y, unit) if len(grid) > 1 else []
        best = min(range(len(grid)), key=lambda j: path[j]["loss"]) if path else 0
        objective = Objective(self._kind(len(u), *grid[best].values()), u, y)
        found = objective.fit()
        self.path_, self.n_classes_ = path, len(u)
        for name, value in grid[best].items():
            setattr(self, f"{name}_", value)
        self._keep(found.theta)
        self._note(found, objective.labels, histograms, objective.value(found.theta), objective.value(objective.form.start))

    def _path(self, grid: list[dict[str, float]], u: Array, y: Array, unit: Int32 | None) -> list[dict[str, float]]:
        """Return the mean negative log-likelihood of a held-out label under each candidate; inf if a part has no finite best map."""
        totals = np.zeros(len(grid))
        labels = 0.0
        for out in selection.held_out(self.validation, u.shape[1], unit, self.seed):
            if not y[:, out].any() or not y[:, ~out].any():
                raise checks.error("validation", "leave labels on both sides of every split", repr(self.validation))
            here, there = (u[:, ~out], y[:, ~out]), (u[:, out], y[:, out])
            theta = None
            for j, penalties in enumerate(grid):
                form = self._kind(len(u), *penalties.values())
                try:
                    theta = Objective(form, *here).fit(theta).theta
                except Unbounded:
                    totals[j] = np.inf
                    if not np.isfinite(totals).any():
                        raise
                    continue
                judged = Objective(form, *there)
                totals[j] += judged.value(theta) * judged.n
            labels += float(there[1].sum())
        return [{**penalties, "loss": float(total / labels)} for penalties, total in zip(grid, totals)]

    @abstractmethod
    def _keep(self, theta: Array) -> None:
        """Store the parameters as attributes."""
