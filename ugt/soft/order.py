"""Scores that are sorted once for any number of truths and metrics."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Bools, Int64, NDArray
from .._base.identifiers import as_array
from .._base.lazy import cached_property
from .._core import _soft

MOST_WHOLE = 2.0**53


class Order:
    """A column of scores (N,) with its cases in their order, which is sorted at its first use."""

    def __init__(self, scores: NDArray[Any]) -> None:
        self.scores = scores

    @cached_property
    def row(self) -> Int64:
        """(N,) cases, highest score first."""
        return _soft.argsort_descending(self.scores)

    @property
    def is_sorted(self) -> bool:
        return "row" in self.__dict__

    def last(self, row: Int64) -> NDArray[np.uint8]:
        """Return whether a tie group ends at each of these cases, which are in the order of their scores."""
        ordered = self.scores[row]
        return np.asarray(np.append(ordered[1:] != ordered[:-1], len(row) > 0)[: len(row)], np.uint8)


class ScoreOrder:
    """The scores of a model, sorted once by ``ScoreOrder.of``, for several metrics, truths or resamples.

    Soft metrics take it in place of scores; their results are the same up to rounding.

    Attributes
    ----------
    shape : (N,) or (N, K)
        Shape of the scores.

    Examples
    --------
    >>> import ugt
    >>> order = ugt.soft.ScoreOrder.of([3.1, 0.2, 0.4, -1.0])
    >>> order
    ScoreOrder(shape=(4,))
    >>> p = [0.9, 0.6, 0.2, 0.0]
    >>> round(ugt.soft_auroc(p, order).value, 3), round(ugt.soft_average_precision(p, order).value, 3)
    (0.731, 0.888)
    """

    def __init__(self, orders: tuple[Order, ...], shape: tuple[int, ...]) -> None:
        self.orders, self.shape = orders, shape

    @classmethod
    def of(cls, scores: object) -> ScoreOrder:
        """Sort scores (N,) or (N, K), column by column.

        Raises
        ------
        ValueError
            If scores are not numbers, NaN, or whole numbers from 2**53 upwards.
        """
        if isinstance(scores, ScoreOrder):
            return scores
        table = complete(scores, numbers(scores))
        if table.ndim not in (1, 2) or table.size == 0:
            raise checks.error("scores", "be of shape (N,) or (N, K)", table.shape)
        found = cls(orders_of(table), table.shape)
        for order in found.orders:
            _ = order.row
        return found

    def table(self) -> NDArray[Any]:
        columns = [order.scores for order in self.orders]
        return columns[0] if len(self.shape) == 1 else np.stack(columns, axis=1)

    def __repr__(self) -> str:
        return f"ScoreOrder(shape={self.shape})"


def numbers(scores: object) -> NDArray[Any]:
    """Return scores as float64; float32 stays float32."""
    table = as_array(scores)
    if table.dtype.kind not in "fiub":
        raise checks.error("scores", "be numbers", table.dtype)
    return table if table.dtype == np.float32 else table.astype(np.float64, copy=False)


def complete(given: object, table: NDArray[Any]) -> NDArray[Any]:
    """Return the table; refuse NaN, and whole numbers that float64 would round to equal numbers."""
    if table.size == 0:
        return table
    low, high = ends(table)
    if low != low:  # noqa: PLR0124  (NaN)
        raise checks.error("scores", "not be NaN", "nan", place(np.isnan(table)))
    if max(abs(low), abs(high)) >= MOST_WHOLE and as_array(given).dtype.kind in "iu":
        raise checks.error("scores", "be below 2**53 if they are whole numbers (larger ones would tie)", high)
    return table


def orders_of(table: NDArray[Any]) -> tuple[Order, ...]:
    """Return the order of every column, made of copies, because the caller may change the arrays before their first use."""
    return tuple(Order(np.array(column)) for column in ([table] if table.ndim == 1 else table.T))


def ends(values: NDArray[Any]) -> tuple[Any, Any]:
    """Return the least and the greatest value; NaN if there is one (this takes a third of the time of a search for NaN)."""
    with np.errstate(invalid="ignore"):
        return np.minimum.reduce(values, None), np.maximum.reduce(values, None)


def place(bad: Bools) -> str:
    at = np.argwhere(bad)[0]
    return f"case {at[0]}" + (f", column {at[1]}" if len(at) > 1 else "")
