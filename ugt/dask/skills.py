"""Dawid–Skene on dask: the labels stay on the workers, only counts are exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .._base.arrays import Array
from .._base.checks import option
from ..annotators import MODELS
from ..states.experts import Expert
from ..states.skills import Engine, SkillModel, add_tables, fit, holds_labels
from ..states.sums import as_exact, rounded
from .parts import needed, partitions, tree

Tables = dict[str, Array]


class OnDask(Engine):
    """Experts that live on the workers; if a worker dies, dask computes its experts again."""

    def __init__(self, parts: Sequence[Any], model: str, split_every: int) -> None:
        self.dask, self.split_every = needed(), split_every
        self.experts = list(self.dask.persist(*[self.dask.delayed(_expert)(part, model) for part in parts]))

    def each(self, task: Callable[[Expert], Any]) -> Iterable[Any]:
        """Return the results of the task on parts that hold labels."""
        found = self.dask.compute(*[self._run(_told, task, one) for one in self.experts])
        return (one for one in found if one is not None)

    def total(self, task: Callable[[Expert], Tables]) -> Tables:
        """Return the tables of all parts, added up exactly in a tree."""
        tables = [self._run(_exact, task, one) for one in self.experts]
        return rounded(tree(_added, tables, self.split_every).compute())

    def _run(self, how: Callable[..., Any], task: object, expert: object) -> Any:
        # as one object, so that dask does not search the parameters for tasks
        return self.dask.delayed(how)(self.dask.delayed(task, traverse=False), expert)


def _expert(labels: object, model: str) -> Expert | None:
    return Expert(labels, model) if labels is not None and holds_labels(labels) else None


def _told(task: Callable[[Expert], Any], expert: Expert | None) -> Any:
    return None if expert is None else task(expert)


def _exact(task: Callable[[Expert], Tables], expert: Expert | None) -> Tables | None:
    return None if expert is None else {name: as_exact(table) for name, table in task(expert).items()}


def _added(tables: list[Tables | None]) -> Tables | None:
    some = [one for one in tables if one is not None]
    return add_tables(some) if some else None


def dawid_skene(
    parts: object,
    *,
    model: str = "full",
    prior: object = 0.0,
    n_restarts: int = 0,
    tolerance: float = 1e-9,
    max_iter: int = 1000,
    seed: object = 0,
    split_every: int = 8,
) -> SkillModel:
    """Return the model of :func:`ugt.dawid_skene` for labels in partitions, which stay on the workers.

    Parameters
    ----------
    parts : list of Delayed of Labels
        From :func:`labels`; or Labels, or None for an empty partition. Each case must be whole in one partition.
    model, prior, n_restarts, tolerance, max_iter, seed
        As for :func:`ugt.states.dawid_skene`.
    split_every : int
        Number of tables of counts that are added up at a time.

    Returns
    -------
    ugt.states.SkillModel

    Raises
    ------
    ValueError, ImportError
        As for :func:`ugt.states.dawid_skene`; if dask is missing.

    Examples
    --------
    >>> import ugt
    >>> import ugt.dask
    >>> table = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0]]
    >>> labels = [ugt.Labels.from_wide(table[:1], classes=2), ugt.Labels.from_wide(table[1:], classes=2)]
    >>> ugt.dask.dawid_skene(labels, model="one-coin", prior=1).accuracy.round(2)
    array([0.79, 0.79, 0.5 ])
    """
    option("model", model, MODELS)
    return fit(OnDask(partitions("parts", parts), model, split_every), model, prior, n_restarts, tolerance, max_iter, seed)
