"""Dawid–Skene on labels in many parts: the E-step in each part, the M-step on the sum of their counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial as bound
from operator import methodcaller
from typing import Any, NamedTuple

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Frozen
from .._base.lazy import cached_property
from .._core import _em
from ..annotations import Labels
from ..annotators import MODELS
from ..annotators.em import ALL, Effort, Fit, best_of, coin_mode, three
from ..annotators.records import NO_LABELS, Cells, confusion_of
from ..plausibilities import Point
from ..resampling import over, seed_of
from .computing import load, run
from .experts import Expert, Parameters, World
from .state import check_classes
from .sums import added, as_exact

Prior = tuple[float, float, float]
Tables = dict[str, Array]

AT_ONCE = 16  # tables that are added at a time


@dataclass(frozen=True, eq=False, repr=False)
class SkillModel(Frozen):
    """The Dawid–Skene model fitted to labels in parts, by :func:`ugt.states.dawid_skene`; it holds no case.

    Attributes
    ----------
    model, annotators, n_labels, accuracy, prevalence, log_likelihood, trace
        As of :class:`ugt.annotators.AnnotatorModel`; annotators of all parts, sorted.
    converged : bool
        Whether the tolerance was reached.
    n_cases, left_out : int, mapping
        Cases with labels; cases left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> from ugt import states
    >>> labels = [ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1]], classes=2), ugt.Labels.from_wide([[0, 0, 0], [1, 1, 0]], classes=2)]
    >>> found = states.dawid_skene(labels, prior=(2, 1, 1))
    >>> found.plausibilities(labels[0]).mean().round(2)
    array([[0.86, 0.14],
           [0.06, 0.94]])
    """

    model: str
    annotators: NDArray[Any]
    n_labels: Array
    accuracy: Array
    prevalence: Array
    log_likelihood: float
    trace: Array
    converged: bool
    n_cases: int
    left_out: Mapping[str, int]
    _pairs: Int64 = field(repr=False, default_factory=lambda: np.empty(0, np.int64))
    _cells: Array | None = field(repr=False, default=None)
    _counts: Cells | None = field(repr=False, default=None)

    @property
    def _world(self) -> World:
        return World(self.annotators, len(self.prevalence), self._pairs)

    @property
    def _parameters(self) -> Parameters:
        if self.model == "full":
            return Parameters(self.prevalence, self._cells)
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = (1 - self.accuracy) / max(len(self.prevalence) - 1, 1)
            return Parameters(self.prevalence, None, (np.log(self.accuracy), np.log(wrong)))

    def plausibilities(self, labels: Labels) -> Point:
        """Return the probability of each class to be the true one under the model, in the cases of a part.

        Parameters
        ----------
        labels : Labels
            Labels with annotators and classes that the model knows.

        Returns
        -------
        Point
            NaN for a case without labels.

        Raises
        ------
        ValueError
            If an annotator is unknown, or there is no label.
        """
        if labels.n_classes != len(self.prevalence):
            raise checks.error("labels", f"have the {len(self.prevalence)} classes of the model", labels.n_classes)
        return Expert(labels, self.model).plausibilities(self._world, self._parameters)

    def confusion(self, annotator: object) -> Array:
        """Return (K, K) P(label l | true class k) of one annotator, in row k, column l; NaN in rows without information.

        Raises
        ------
        ValueError
            If there is no such annotator.
        """
        return confusion_of(annotator, self.annotators, self.accuracy, self._counts, len(self.prevalence))

    def __repr__(self) -> str:
        shape = f"n_cases={self.n_cases}, n_classes={len(self.prevalence)}, n_annotators={len(self.annotators)}"
        return f"SkillModel(model={self.model!r}, {shape})"


def dawid_skene(
    parts: Sequence[Any],
    *,
    model: str = "full",
    prior: object = 0.0,
    n_restarts: int = 0,
    tolerance: float = 1e-9,
    max_iter: int = 1000,
    seed: object = 0,
    n_jobs: int | None = None,
) -> SkillModel:
    """Return the model of :func:`ugt.dawid_skene` for labels in parts: every iteration adds up the expected counts of the parts.

    Parameters
    ----------
    parts : sequence of Labels, functions that return Labels, or None
        Each case must be whole in one part; all parts have the same classes. A function is called anew in every iteration.
    model, prior, tolerance, max_iter, seed
        As for :func:`ugt.dawid_skene` with ``candidates="all"``.
    n_restarts : int
        Further starts beside the one from the shares of votes, each a separate fit, for which cases must have ids. Default 0 (for
        :func:`ugt.dawid_skene` 4).
    n_jobs : int, optional
        Processes or threads of joblib for the parts.

    Returns
    -------
    SkillModel
        The model is the same for any division of the cases, up to rounding.

    Raises
    ------
    TypeError, ValueError
        As :func:`ugt.dawid_skene`, with its warning that a fit has not converged; or if classes differ between parts.

    References
    ----------
    Dawid & Skene (1979), eq. 2.3-2.5.

    Examples
    --------
    >>> import ugt
    >>> from ugt import states
    >>> table = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0], [1, 0, 1]]
    >>> both = states.dawid_skene([ugt.Labels.from_wide(table[:2], classes=2), ugt.Labels.from_wide(table[2:], classes=2)], prior=1)
    >>> whole = ugt.dawid_skene(ugt.Labels.from_wide(table), prior=1, n_restarts=0)
    >>> round(abs(both.log_likelihood - whole.log_likelihood), 10)
    0.0
    """
    checks.option("model", model, MODELS)
    items = [part if part is None or callable(part) else Expert(part, model) for part in parts]
    return fit(Local(items, model, n_jobs), model, prior, n_restarts, tolerance, max_iter, seed)


class Engine(ABC):
    """A way to run a task on the Expert of every part."""

    @abstractmethod
    def each(self, task: Callable[[Expert], Any]) -> Iterable[Any]:
        """Return the results of the task, part by part."""

    def total(self, task: Callable[[Expert], Tables]) -> Tables:
        """Return the tables of all parts, added up exactly, with a few in memory at a time."""
        waiting: list[Tables] = []
        for tables in self.each(task):
            waiting.append({name: as_exact(table) for name, table in tables.items()})
            if len(waiting) == AT_ONCE:
                waiting = [add_tables(waiting)]
        return {name: table[..., 0] for name, table in add_tables(waiting).items()}


class Local(Engine):
    """An engine in this process, or by joblib."""

    def __init__(self, items: Sequence[Any], model: str, n_jobs: int | None) -> None:
        self.items, self.model, self.n_jobs = items, model, n_jobs

    def each(self, task: Callable[[Expert], Any]) -> Iterable[Any]:
        return (one for one in run(bound(_of_part, task, self.model), self.items, self.n_jobs) if one is not None)


def _of_part(task: Callable[[Expert], Any], model: str, item: object) -> Any:
    if not isinstance(item, Expert):
        data = load(item)
        item = None if data is None else Expert(data[0], model)
    return task(item) if item is not None and holds_labels(item.labels) else None


def holds_labels(labels: object) -> bool:
    """Return whether a part holds labels; anything other than Labels is passed on to be checked."""
    return not isinstance(labels, Labels) or len(labels.label) > 0


def add_tables(tables: Sequence[Tables]) -> Tables:
    return {name: added([table[name] for table in tables]) for name in tables[0]}


# ---- the fit, whoever runs the parts


class Census(NamedTuple):
    """The facts that are known before the first iteration."""

    world: World
    n_labels: Array
    n_cases: int
    left_out: Mapping[str, int]


class InParts(Fit, ABC):
    """One start of the fit: the counts of all parts, and the parameters that they give."""

    parameters: Parameters
    accuracy: Array | None = None

    @property
    def cells(self) -> Cells | None:
        return None

    def __init__(self, engine: Engine, census: Census, prior: Prior, seed: int, number: int) -> None:
        self.engine, self.census, self.prior = engine, census, prior
        self.counts = engine.total(methodcaller("first", census.world, seed, number))

    @abstractmethod
    def mode(self) -> float:
        """Set the parameters to those of highest density given the counts; return the log prior there."""

    def value(self) -> float:
        density = self.mode()
        self.counts = self.engine.total(methodcaller("expect", self.census.world, self.parameters))
        self.log_likelihood = float(self.counts["log_likelihood"][0])
        return self.log_likelihood + density

    def improve(self) -> None:
        """Do nothing: ``value`` has already updated the counts."""


class FullInParts(InParts):
    """The fit with a confusion matrix for every annotator."""

    def mode(self) -> float:
        """Set the parameters as the core does, which needs only the labels that each annotator uses."""
        k, self.used, classes = self.census.world.n_classes, self.counts["cells"].ravel(), np.ascontiguousarray(self.counts["classes"])
        probability, prevalence, row_total = np.empty(len(self.used)), np.empty(k), np.empty(self.shape.sizes()[1])
        density = self.shape.mode(*self.prior, self.used, classes, probability, prevalence, row_total)
        self.parameters = Parameters(prevalence, probability.reshape(-1, k))
        return density

    @cached_property
    def shape(self) -> _em.Confusions:
        """The pairs as labels of one case, whose cells are those of all parts."""
        world = self.census.world
        who, label = (np.ascontiguousarray(one, np.int32) for one in (world.pairs // world.n_classes, world.pairs % world.n_classes))
        given, ends = np.unique(label), np.array([0, len(label)], np.int64)
        table = _em.Table(ends, who, label, None, np.array([0, len(given)], np.int64), given, len(world.annotators), world.n_classes)
        return _em.Confusions(table, ALL)

    @property
    def cells(self) -> Cells:
        """The counts from which the parameters were computed."""
        k, n, layout = self.census.world.n_classes, len(self.census.world.annotators), np.empty((4, len(self.used)), np.int32)
        self.shape.layout(np.empty(2, np.int64), np.empty(k, np.int32), layout)
        return Cells.of(n, layout, self.used, self.prior[:2])


class CoinInParts(InParts):
    """The fit with one accuracy for every annotator."""

    def mode(self) -> float:
        self.accuracy, prevalence, logs, density = coin_mode(self.counts["right"], self.counts["classes"], self.census.n_labels, self.prior)
        self.parameters = Parameters(prevalence, None, logs)
        return density


def fit(engine: Engine, model: str, prior: object, n_restarts: int, tolerance: float, max_iter: int, seed: object) -> SkillModel:
    pseudo, effort = three("prior", prior), Effort.of(n_restarts, tolerance, max_iter, seed_of(seed))
    census = _census(engine, effort.n_starts > 1)
    kind = CoinInParts if model == "one-coin" else FullInParts
    run, _ = best_of(lambda number: kind(engine, census, pseudo, effort.seed, number), float(census.n_labels.sum()), effort)
    best = run.fit
    accuracy = best.accuracy
    if accuracy is None:
        accuracy = over(engine.total(methodcaller("right", census.world, best.parameters))["right"], census.n_labels)
    return SkillModel(
        model, census.world.annotators, census.n_labels, accuracy, best.parameters.prevalence, best.log_likelihood, run.trace,
        run.converged, census.n_cases, census.left_out, census.world.pairs, best.parameters.cells, best.cells,
    )  # fmt: skip


def _census(engine: Engine, by_id: bool) -> Census:
    """Return the annotators and labels of all parts; refuse parts that do not fit together."""
    found = list(engine.each(bound(_count, by_id)))
    if not found:
        raise checks.error("parts", "hold at least one label", "none")
    classes = found[0][0]
    check_classes("parts", [one[0].tolist() for one in found])
    kinds = {identifiers.is_text(ids) for _, ids, *_ in found}
    if len(kinds) > 1:
        raise checks.error("parts", "have annotators of one kind", "text and integers")
    annotators = np.unique(np.concatenate([ids for _, ids, *_ in found]))
    world, n_labels = World(annotators, len(classes), np.empty(0, np.int64)), np.zeros(len(annotators))
    pairs, n_cases, empty = [], 0, 0
    for _, ids, own, labels, cases, without in found:
        places = identifiers.lookup(annotators, ids).astype(np.int64)
        pairs.append(places[own // len(classes)] * len(classes) + own % len(classes))
        n_labels += np.bincount(places, labels, len(annotators))
        n_cases, empty = n_cases + cases, empty + without
    world = world._replace(pairs=np.unique(np.concatenate(pairs)))
    return Census(world, n_labels, n_cases, {NO_LABELS: empty} if empty else {})


def _count(by_id: bool, expert: Expert) -> tuple[Any, ...]:
    """Return classes, annotators, their pairs with labels, the number of labels of each, and of cases with and without labels."""
    given = expert.given
    if by_id and given.axes.numbered:
        raise checks.error("parts", "name their cases for n_restarts, whose draws depend on the case id", "cases that are only numbered")
    empty = sum(given.left_out.values())
    pairs = expert.pairs(np.arange(given.n_annotators, dtype=np.int64))
    return given.axes.classes, given.labels.annotators, pairs, given.n_labels, given.axes.n_cases - empty, empty
