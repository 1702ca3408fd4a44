"""Dawid–Skene on labels in many parts: the E-step in each part, the M-step on the sum of their counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial as bound
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _checks, _ids, _notices
from .._annotators.em import Effort, coin_mode, three
from .._annotators.records import NO_LABELS
from .._axes import Frozen
from ..annotations import Labels
from ..annotator_models import MODELS
from ..resampling import seed_of
from .blocks import load, run
from .experts import Expert, Parameters, World
from .sums import added, as_exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plausibilities import Point

    Array = NDArray[np.float64]
    Prior = tuple[float, float, float]
    Tables = dict[str, Array]

AT_ONCE = 16  # tables that are added up together


@dataclass(frozen=True, eq=False, repr=False)
class SkillModel(Frozen):
    """Dawid–Skene fitted to labels in parts, by :func:`ugt.states.dawid_skene`; it holds no case.

    Attributes
    ----------
    model : {"full", "one-coin"}
        Which model.
    annotators : (A,) array of ids
        Of all parts, sorted.
    n_labels, accuracy : (A,) arrays
        Labels of each annotator, and the expected share of right ones among them ("one-coin": the parameter).
    prevalence : (K,) array
        Probability of each class before any label.
    log_likelihood : float
        Of all labels.
    trace : (n_iterations + 1,) array
        Log-likelihood, plus log prior density up to a constant, at every iteration.
    converged : bool
        Whether the tolerance was reached.
    n_cases : int
        Cases with labels.
    left_out : mapping
        Cases left out, by reason.

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
    _pairs: NDArray[np.int64] = field(repr=False, default_factory=lambda: np.empty(0, np.int64))
    _cells: Array | None = field(repr=False, default=None)
    _row_total: Array | None = field(repr=False, default=None)
    _pseudo: Prior = field(repr=False, default=(0.0, 0.0, 0.0))

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
        """Probability of each class to be the true one, in the cases of a part.

        Parameters
        ----------
        labels : Labels
            Of annotators and classes that the model knows.

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
            raise _checks.error("labels", f"have the {len(self.prevalence)} classes of the model", labels.n_classes)
        return Expert(labels, self.model).plausibilities(self._world, self._parameters)

    def confusion(self, annotator: Any) -> Array:
        """(K, K) P(label l | true class k) of one annotator, in row k, column l; NaN in rows of which nothing is known.

        Raises
        ------
        ValueError
            If there is no such annotator.
        """
        k = len(self.prevalence)
        at = int(_ids.lookup(self.annotators, np.asarray([annotator]))[0])
        if at < 0:
            raise _checks.error("annotator", f"be one of the {len(self.annotators)} annotators", _ids.name(annotator))
        if self.model == "one-coin":
            table = np.full((k, k), (1 - self.accuracy[at]) / max(k - 1, 1))
            np.fill_diagonal(table, self.accuracy[at])
            return table
        assert self._cells is not None and self._row_total is not None
        table = np.full((k, k), self._pseudo[1])
        np.fill_diagonal(table, self._pseudo[0])
        with np.errstate(invalid="ignore"):
            table /= self._row_total[at][:, None]  # NaN where there is nothing
        mine = self._pairs // k == at
        table[:, self._pairs[mine] % k] = np.where(self._row_total[at][:, None] > 0, self._cells[mine].T, np.nan)
        return table

    def __repr__(self) -> str:
        shape = f"n_cases={self.n_cases}, n_classes={len(self.prevalence)}, n_annotators={len(self.annotators)}"
        return f"SkillModel(model={self.model!r}, {shape})"


def dawid_skene(
    parts: Sequence[Any],
    *,
    model: str = "full",
    prior: Any = 0.0,
    n_restarts: int = 0,
    tolerance: float = 1e-9,
    max_iter: int = 1000,
    seed: Any = 0,
    n_jobs: int | None = None,
) -> SkillModel:
    """The model of :func:`ugt.dawid_skene` on labels in parts: every iteration adds up the counts that the parts expect.

    Parameters
    ----------
    parts : sequence of Labels, functions that return Labels, or None
        Every case is whole in one part; all have the same classes. What a function returns is read anew in every iteration and not kept.
    model, prior, tolerance, max_iter, seed
        As for :func:`ugt.dawid_skene` with ``candidates="all"``.
    n_restarts : int
        Starts besides the one from the shares of the votes. Default 0 (there: 4): each is a fit of its own. Cases must then have ids.
    n_jobs : int, optional
        Processes or threads of joblib for the parts.

    Returns
    -------
    SkillModel
        The same for any way to divide the cases, up to rounding.

    Raises
    ------
    TypeError
        If a part is neither.
    ValueError
        As :func:`ugt.dawid_skene`; or if classes differ between parts.

    Warns
    -----
    RuntimeWarning
        If the fit has not converged.

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
    _checks.option("model", model, MODELS)
    items = [part if part is None or callable(part) else Expert(part, model) for part in parts]
    return fit(Local(items, model, n_jobs), model, prior, n_restarts, tolerance, max_iter, seed)


class Engine(ABC):
    """Runs a task on the Expert of every part."""

    @abstractmethod
    def each(self, task: Callable[[Expert], Any]) -> Iterable[Any]:
        """What it returns, part by part."""

    def total(self, task: Callable[[Expert], Tables]) -> Tables:
        """The tables that it returns, added up."""
        return sum_up(self.each(task))


class Local(Engine):
    """In this process, or by joblib."""

    def __init__(self, items: Sequence[Any], model: str, n_jobs: int | None) -> None:
        self.items, self.model, self.n_jobs = items, model, n_jobs

    def each(self, task: Callable[[Expert], Any]) -> Iterable[Any]:
        """Of parts that hold labels."""
        found = run(bound(_of_part, task, self.model), self.items, self.n_jobs)
        return (one for one in found if one is not None)


def _of_part(task: Callable[[Expert], Any], model: str, item: Any) -> Any:
    if not isinstance(item, Expert):
        data = load(item)
        item = None if data is None else Expert(data[0], model)
    return task(item) if item is not None and holds_labels(item.labels) else None


def holds_labels(labels: Any) -> bool:
    """Parts without any say nothing; all else is looked at."""
    return not isinstance(labels, Labels) or len(labels.label) > 0


def sum_up(found: Iterable[Tables]) -> Tables:
    """Tables of all parts, added up exactly, a few in memory at a time."""
    waiting: list[Tables] = []
    for tables in found:
        waiting.append({name: as_exact(table) for name, table in tables.items()})
        if len(waiting) == AT_ONCE:
            waiting = [add_tables(waiting)]
    return {name: table[..., 0] for name, table in add_tables(waiting).items()}


def add_tables(tables: Sequence[Tables]) -> Tables:
    """The exact sum, table by table."""
    return {name: added([table[name] for table in tables]) for name in tables[0]}


# ---- the fit, whoever runs the parts


class Census(NamedTuple):
    """What is known before the first iteration."""

    world: World
    n_labels: Array
    n_cases: int
    left_out: Mapping[str, int]


class Run(NamedTuple):
    """A start that has ended."""

    parameters: Parameters
    row_total: Array | None
    accuracy: Array | None
    log_likelihood: float
    trace: Array
    converged: bool


def fit(engine: Engine, model: str, prior: Any, n_restarts: int, tolerance: float, max_iter: int, seed: Any) -> SkillModel:
    """The best of all starts."""
    pseudo, effort = three("prior", prior), Effort.of(n_restarts, tolerance, max_iter, seed_of(seed))
    census = _census(engine, effort.n_starts > 1)
    best = None
    for number in range(effort.n_starts):
        found = _climb(engine, census, model, pseudo, effort, number)
        best = found if best is None or found.trace[-1] > best.trace[-1] else best
    assert best is not None
    if not best.converged:
        _notices.warn(f"the fit has not converged within max_iter = {effort.max_iter} iterations", stacklevel=4)
    accuracy = best.accuracy
    if accuracy is None:
        with np.errstate(invalid="ignore", divide="ignore"):
            accuracy = engine.total(bound(_right, census.world, best.parameters))["right"] / census.n_labels
    return SkillModel(
        model, census.world.annotators, census.n_labels, accuracy, best.parameters.prevalence, best.log_likelihood, best.trace,
        best.converged, census.n_cases, census.left_out, census.world.pairs, best.parameters.cells, best.row_total, pseudo,
    )  # fmt: skip


def _census(engine: Engine, by_id: bool) -> Census:
    """Who labelled, and which labels."""
    found = list(engine.each(bound(_count, by_id)))
    if not found:
        raise _checks.error("parts", "hold at least one label", "none")
    classes = found[0][0]
    for number, other in enumerate(found):
        if not np.array_equal(other[0], classes):
            raise _checks.error("parts", "have the same classes", f"{len(classes)} and {len(other[0])}, or other names", f"part {number}")
    kinds = {_ids.is_text(ids) for _, ids, *_ in found}
    if len(kinds) > 1:
        raise _checks.error("parts", "have annotators of one kind", "text and integers")
    annotators = np.unique(np.concatenate([ids for _, ids, *_ in found]))
    world, n_labels = World(annotators, len(classes), np.empty(0, np.int64)), np.zeros(len(annotators))
    pairs, n_cases, empty = [], 0, 0
    for _, ids, own, labels, cases, without in found:
        places = _ids.lookup(annotators, ids).astype(np.int64)
        pairs.append(places[own // len(classes)] * len(classes) + own % len(classes))
        n_labels += np.bincount(places, labels, len(annotators))
        n_cases, empty = n_cases + cases, empty + without
    world = world._replace(pairs=np.unique(np.concatenate(pairs)))
    return Census(world, n_labels, n_cases, {NO_LABELS: empty} if empty else {})


def _count(by_id: bool, expert: Expert) -> tuple[Any, ...]:
    """Classes, annotators, their pairs with labels, how many labels each gave, cases with and without labels."""
    given = expert.given
    if by_id and given.axes.numbered:
        raise _checks.error("parts", "name their cases for n_restarts, whose draws go by case", "cases that are only numbered")
    empty = sum(given.left_out.values())
    pairs = expert.pairs(np.arange(given.n_annotators))
    return given.axes.classes, given.labels.annotators, pairs, given.n_labels, given.axes.n_cases - empty, empty


def _climb(engine: Engine, census: Census, model: str, prior: Prior, effort: Effort, number: int) -> Run:
    """Steps until the objective gains less than the tolerance a label."""
    mode = _coin_mode if model == "one-coin" else _confusion_mode
    counts = engine.total(bound(_first, census.world, effort.seed, number))
    trace: list[float] = []
    converged = False
    while True:
        parameters, row_total, accuracy, density = mode(census, counts, prior)
        counts = engine.total(bound(_expect, census.world, parameters))
        log_likelihood = float(counts["log_likelihood"][0])
        trace.append(log_likelihood + density)
        converged = len(trace) > 1 and trace[-1] - trace[-2] <= effort.tolerance * census.n_labels.sum()
        if converged or len(trace) > effort.max_iter:
            return Run(parameters, row_total, accuracy, log_likelihood, np.array(trace), converged)


def _coin_mode(census: Census, counts: Tables, prior: Prior) -> tuple[Parameters, None, Array, float]:
    accuracy, prevalence, logs, density = coin_mode(counts["right"], counts["classes"], census.n_labels, prior)
    return Parameters(prevalence, None, logs), None, accuracy, density


def _confusion_mode(census: Census, counts: Tables, prior: Prior) -> tuple[Parameters, Array, None, float]:
    """Parameters of highest density given the counts; sums of rows; the log prior there."""
    k, n = census.world.n_classes, len(census.world.annotators)
    who, label = census.world.pairs // k, census.world.pairs % k
    count, pseudo = counts["cells"], np.full((len(who), k), prior[1])
    pseudo[np.arange(len(who)), label] = prior[0]
    row_total = np.stack([np.bincount(who, column, n) for column in count.T], axis=1).astype(np.float64) + (prior[0] + (k - 1) * prior[1])
    prevalence = counts["classes"] + prior[2]
    prevalence = prevalence / prevalence.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        cells = np.where(row_total[who] > 0, (count + pseudo) / row_total[who], 0.0)
        density = float(np.where(pseudo > 0, pseudo * np.log(cells), 0.0).sum())
        used = np.zeros((n, k), bool)
        used[who, label] = True
        unused = k - used.sum(1)[:, None] - ~used  # labels that an annotator never gave, but for the true class
        for weight, times in ((prior[1], unused), (prior[0], ~used)):
            density += float((times * weight * np.log(weight / row_total)).sum()) if weight > 0 else 0.0
        density += prior[2] * float(np.log(prevalence).sum()) if prior[2] > 0 else 0.0
    return Parameters(prevalence, cells), row_total, None, density


def _first(world: World, seed: int, number: int, expert: Expert) -> Tables:
    return expert.first(world, seed, number)


def _expect(world: World, parameters: Parameters, expert: Expert) -> Tables:
    return expert.expect(world, parameters)


def _right(world: World, parameters: Parameters, expert: Expert) -> Tables:
    return expert.right(world, parameters)
