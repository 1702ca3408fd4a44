"""Dawid–Skene on labels in partitions: the labels stay on their workers, counts and parameters travel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .. import _checks
from .._states.experts import Expert
from .._states.skills import Engine, SkillModel, add_tables, fit, holds_labels
from .._states.sums import as_exact
from ..annotator_models import MODELS
from .parts import needed, tree, zipped

if TYPE_CHECKING:
    from .._states.skills import Tables


def dawid_skene(
    labels: Any,
    *,
    model: str = "full",
    prior: Any = 0.0,
    n_restarts: int = 0,
    tolerance: float = 1e-9,
    max_iter: int = 1000,
    seed: Any = 0,
    split_every: int = 8,
) -> SkillModel:
    """The model of :func:`ugt.states.dawid_skene`, with the E-step on the workers and the M-step on the sum of their counts.

    Parameters
    ----------
    labels : list of Delayed of Labels, or of Labels, or None
        Such as :func:`labels` gives, of partitions with whole cases. The workers keep them over all iterations, on disk where memory is
        short.
    model, prior, n_restarts, tolerance, max_iter, seed
        As for :func:`ugt.states.dawid_skene`.
    split_every : int
        How many tables of counts are added at a time.

    Returns
    -------
    ugt.states.SkillModel
        To the last bit what :func:`ugt.states.dawid_skene` makes of the same parts.

    Raises
    ------
    TypeError, ValueError
        As :func:`ugt.states.dawid_skene`.
    ImportError
        If dask is missing.

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
    >>> import ugt.dask
    >>> parts = [ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1]], classes=2), ugt.Labels.from_wide([[0, 0, 0], [1, 1, 0]], classes=2)]
    >>> found = ugt.dask.dawid_skene(parts, prior=(2, 1, 1))
    >>> found.accuracy.round(2)
    array([0.9 , 0.9 , 0.54])
    """
    needed()
    _checks.option("model", model, MODELS)
    _checks.whole("split_every", split_every, 2)
    return fit(Workers(labels, model, split_every), model, prior, n_restarts, tolerance, max_iter, seed)


class Workers(Engine):
    """Of dask; each holds the Experts of some partitions."""

    def __init__(self, labels: Any, model: str, split_every: int) -> None:
        dask = needed()
        self.split_every = split_every
        self.experts = dask.persist(*(dask.delayed(_expert)(part, model) for (part,) in zipped([labels], ["labels"])))

    def each(self, task: Callable[[Expert], Any]) -> Iterable[Any]:
        """What the partitions that hold labels say."""
        dask = needed()
        how = dask.delayed(task, traverse=False)
        found = dask.compute(*(dask.delayed(_said)(how, expert) for expert in self.experts))
        return (one for one in found if one is not None)

    def total(self, task: Callable[[Expert], Tables]) -> Tables:
        """The exact sum of their tables, made on the workers."""
        delayed = needed().delayed
        how = delayed(task, traverse=False)
        sums = tree(_added, [delayed(_counted)(how, expert) for expert in self.experts], self.split_every).compute()
        return {name: table[..., 0] for name, table in sums.items()}


def _expert(labels: Any, model: str) -> Expert | None:
    return None if labels is None or not holds_labels(labels) else Expert(labels, model)


def _said(task: Callable[[Expert], Any], expert: Expert | None) -> Any:
    return None if expert is None else task(expert)


def _counted(task: Callable[[Expert], Tables], expert: Expert | None) -> Tables | None:
    return None if expert is None else {name: as_exact(table) for name, table in task(expert).items()}


def _added(tables: list[Tables | None]) -> Tables | None:
    some = [one for one in tables if one is not None]
    return add_tables(some) if some else None
