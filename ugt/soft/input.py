"""Input of soft metrics: probabilities, scores and weights of the cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array, Bools, NDArray
from .._base.identifiers import as_array
from .._base.notes import Note
from ..annotations import Labels
from ..annotations.named import Sheet, leader
from ..annotations.named import table as in_order
from ..annotations.one_class import class_named
from ..plausibilities import Plausibilities
from ..plausibilities.frequent import rows_of
from ..plausibilities.made_of import MadeOf
from .columns import ScoreColumn, quotient
from .order import ScoreOrder, complete, ends, numbers, orders_of, place

NO_TRUTH, NO_WEIGHT = "case without annotations", "case of weight 0"


@dataclass(frozen=True, eq=False)
class Input:
    """The p and scores, (N, K) or (N,), of all cases; ``kept`` (N,): which have a p and a weight, None: all; ``labels``: their source."""

    p: Array
    scores: NDArray[Any] | ScoreOrder
    weights: Array | None  # (N,) of the cases, each of which is one case
    kept: Bools | None
    labels: Labels | MadeOf | None
    case_ids: NDArray[Any] | None
    positive: int = 1  # of two classes, if p is (N,)
    times: Array | None = None  # (N,) how many equal cases each row stands for

    @property
    def n_cases(self) -> int:
        return self._number(self.kept)

    def _number(self, kept: Bools | None) -> int:
        if self.times is not None:
            return int(self.times[slice(None) if kept is None else kept].sum())
        return len(self.p) if kept is None else int(np.count_nonzero(kept))

    @property
    def left_out(self) -> dict[str, int]:
        without = 0 if self.weights is None else int(np.count_nonzero(self.weights == 0))
        found = {NO_TRUTH: self._number(None) - self.n_cases - without, NO_WEIGHT: without}
        return {reason: n for reason, n in found.items() if n}

    @property
    def table(self) -> NDArray[Any]:
        return self.scores.table() if isinstance(self.scores, ScoreOrder) else self.scores

    def counted(self) -> tuple[Array, NDArray[Any], Array | None]:
        """Return ``(p, scores, weights)`` of the cases that count; weights are frequencies, if there are any."""
        weights = self.weights if self.times is None else self.times
        if self.kept is None:
            return self.p, self.table, weights
        return self.p[self.kept], self.table[self.kept], None if weights is None else weights[self.kept]

    def columns(self, threshold: float, expected: bool = False, pairs: bool = False) -> tuple[ScoreColumn, ...]:
        """Return one column per column of p; with ``pairs``, one per ordered pair of classes, by the score of the first class."""
        scores = self.scores
        checks.room("the ordered scores of all classes", 24 * self.p.size)
        orders = scores.orders if isinstance(scores, ScoreOrder) else orders_of(scores)

        def one(a: int, p: Array, negative: Array | None, classes: tuple[int, int | None]) -> ScoreColumn:
            return ScoreColumn(orders[a], p, negative, self.weights, self.kept, classes, threshold, expected, self.times)

        if self.p.ndim == 1:  # copies, because results are computed later, when the caller may have changed his arrays
            return (one(0, np.array(self.p), None, (self.positive, None)),)
        k = range(len(orders))
        if not pairs:
            return tuple(one(a, np.array(self.p[:, a]), None, (a, None)) for a in k)
        p = np.array(self.p.T, order="C")
        return tuple(one(a, p[a], p[b], (a, b)) for a in k for b in k if a != b)


def read(
    p: Any,
    scores: object,
    *,
    may_lack: bool = False,
    in_range: bool = False,
    positive: int = 1,
    frequency: object = None,
    case_weights: object = None,
) -> Input:
    """Read and check p, scores and weights; one column of scores is of the ``positive`` one of two classes.

    With ``may_lack``, as for a part of the data, no case needs to have a truth; ugt's own estimates may leave [0, 1] unless ``in_range``.
    """
    made = isinstance(p, Plausibilities) or isinstance(getattr(p, "made_of", None), MadeOf)
    labels = p if isinstance(p, Labels) else p.made_of if made else None
    truth, case_ids, classes = truth_of(p, made)
    own, named = None, made or labels is not None
    if not isinstance(scores, ScoreOrder):
        own = class_named("scores", scores, classes)
        scores = in_order("scores", scores, case_ids, classes)
    table = scores if isinstance(scores, ScoreOrder) else numbers(scores)
    if len(table.shape) == 1 and truth.shape[1:] == (2,) and (named or own is not None):
        positive = positive if own is None else own
        truth = truth[:, positive]
    _check_columns(truth, table.shape, named or classes is not None)
    kept = None if (in_range or not made) and check_range(truth) else known(truth)
    if not isinstance(table, ScoreOrder):
        complete(scores, table)
    times, weights = rows_of("p", labels, frequency, case_weights, len(truth), case_ids)
    return Input(truth, table, weights, _counting(kept, weights, may_lack), labels, case_ids, positive, times)


def truth_of(p: Any, made: bool, argument: str = "p") -> tuple[Array, NDArray[Any] | None, NDArray[Any] | None]:
    """Return p as an array, and the names of its cases and classes, if there are any."""
    axes = getattr(p, "axes", None) if made or isinstance(p, Labels) else None
    sheet = Sheet(shares(p)) if isinstance(p, Labels) else Sheet(p.mean()) if made else leader(argument, p)
    truth = as_array(sheet.values)
    if truth.dtype.kind not in "fiub" or truth.ndim not in (1, 2) or truth.size == 0:
        raise checks.error(argument, "be numbers of shape (N,) or (N, K)", f"{truth.dtype} of shape {truth.shape}")
    checks.room(argument, truth.size if truth.dtype == np.float64 else 9 * truth.size)
    names = (sheet.rows, sheet.columns) if axes is None else (axes.case_ids, axes.classes)
    return truth.astype(np.float64, copy=False), *names


def _check_columns(p: Array, shape: tuple[int, ...], named: bool) -> None:
    """Refuse scores of another shape than p; say if columns of 0 and 1 without names, as annotators have, are taken for findings."""
    hard = not named and p.ndim == 2 and bool(((p == 0) | (p == 1)).all() and (p.sum(axis=1) != 1).any())
    if shape != p.shape:
        way = f" (if the columns of p are the labels of {p.shape[1]} annotators: Labels.from_wide(p))" if hard else ""
        raise checks.error("scores", f"be of the shape of p, {p.shape}{way}", shape)
    if hard:
        words = "The {n} columns of p were read as separate findings (labels of annotators: Labels.from_wide(p))."
        notices.note(Note("separate_findings", words, n=p.shape[1]))


def _counting(known: Bools | None, weights: Array | None, may_lack: bool) -> Bools | None:
    """Return which cases with a p have a weight, too, None for all; refuse data without a p unless they may lack it."""
    if known is not None and not known.any() and not may_lack:
        raise checks.error("p", "hold a probability for at least one case", "NaN in all of them")
    if weights is None or weights.all():
        return known
    return weights > 0 if known is None else known & (weights > 0)


def known(p: Array) -> Bools | None:
    """Return (N,) which cases have a p, (N,) or (N, K); None if all have one."""
    kept = np.asarray(~np.isnan(p.reshape(len(p), -1)).any(axis=1))
    return None if kept.all() else kept


def shares(labels: Labels, annotators: NDArray[Any] | None = None) -> Array:
    """Return (N, K) shares of the labels, with weight annotators[a] for those of annotator a; NaN for a case without labels."""
    counts = labels.counts().astype(np.float64) if annotators is None else labels._weighted_counts(annotators)
    return np.asarray(quotient(counts, counts.sum(1, keepdims=True)))


def check_range(p: Array, argument: str = "p") -> bool:
    """Return whether all values are from 0 to 1, False if some are NaN; refuse values outside of the range."""
    low, high = ends(p)
    if low >= 0 and high <= 1:
        return True
    bad = (p < 0) | (p > 1)
    if bad.any():
        raise checks.error(argument, "be from 0 to 1", p[bad][0], place(bad))
    return False


def check_threshold(value: object) -> float:
    number = checks.scalar("threshold", value)
    if number > 1:
        raise checks.error("threshold", "be from 0 to 1", repr(value))
    return number
