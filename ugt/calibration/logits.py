"""Input of calibrators: logits or probabilities, and label histograms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error, flag, room
from .._base.wording import FLOOR_WAY
from ..annotations import Labels
from ..annotations.named import Sheet, check_counted, leader, names_of, of_new_cases
from ..annotations.named import table as in_order
from ..annotations.one_class import check_second
from ..annotations.probabilities import OUTSIDE, ROW_SUM
from ..plausibilities.frequent import rows_of
from ..resampling import ids_of_cases

NO_WEIGHT = "case of weight 0"
KINDS = ("logits", "probabilities")
BLOCK = 2**16  # numbers per block, so that intermediate results stay in the cache
LARGEST = 1e100  # largest logit, so that squares and products of logits stay finite


@dataclass(frozen=True, eq=False)
class LogitTable:
    """The logits or probabilities (N, K), read in blocks; a single column (N,) is for class 1 of two."""

    values: NDArray[Any]
    kind: str
    floor: float | None
    case_ids: NDArray[Any] | None = None
    classes: NDArray[Any] | None = None

    @classmethod
    def of(
        cls, values: object, kind: str, floor: float | None = None, classes: object = None, counts: object = None, what: str = "counts"
    ) -> LogitTable:
        """Check shape and type of predictions; their values are checked as they are read.

        Those of the cases of ``counts`` are joined to these; those of new cases have the ``classes`` of the fit, if these have names. What
        ``counts`` do not name, the predictions name.
        """
        if counts is None:
            sheet = of_new_cases("predictions", values, classes or None)
            case_ids, names = sheet.rows, sheet.columns
        else:
            own = leader("predictions", values)
            _, case_ids, names = names_of(what, counts)
            if case_ids is None:
                case_ids, counted = own.rows, identifiers.is_numbered(identifiers.index_of(counts))
                check_counted(what, Sheet(None, counted=counted), case_ids)
            names = own.columns if names is None else names
            sheet = Sheet(in_order("predictions", values, case_ids, names))
        table = array_of("predictions", sheet.values)
        if table.ndim == 1:
            check_second("predictions", values, names if counts is not None or not classes else np.array(classes))
        if table.dtype.kind not in "iuf" or table.ndim not in (1, 2) or 0 in table.shape:
            raise error("predictions", "be numbers of shape (N, K), or (N,) for two classes", f"{table.dtype} of shape {table.shape}")
        if table.ndim == 2 and table.shape[1] < 2:
            raise error("predictions", "have at least 2 classes", table.shape[1])
        return cls(table, kind, floor, case_ids, names)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.values), 2 if self.values.ndim == 1 else self.values.shape[1]

    def named(self) -> list[Any]:
        """Return the names of the classes; empty if they have none."""
        return [] if self.classes is None else self.classes.tolist()

    def blocks(self) -> Iterator[tuple[int, int]]:
        n, k = self.shape
        rows = max(1, BLOCK // k)
        return ((begin, min(begin + rows, n)) for begin in range(0, n, rows))

    def given(self, begin: int, end: int) -> Array:
        """Return (rows, K) checked values as float64; for a single column, the other class is filled in."""
        block = np.asarray(self.values[begin:end], np.float64)
        if self.kind == "logits":
            refuse("predictions", ~(np.abs(block) <= LARGEST), block, begin, f"be finite logits, at most {LARGEST:g}")
            return np.stack([np.zeros(len(block)), block], axis=1) if block.ndim == 1 else block
        must = f"be probabilities from 0 to 1 (within {OUTSIDE:g})"
        refuse("predictions", ~((block >= -OUTSIDE) & (block <= 1 + OUTSIDE)), block, begin, must)
        if block.ndim == 1:
            return np.stack([1 - block, block], axis=1)
        total = block.sum(axis=1)
        if not (np.abs(total - 1) <= ROW_SUM).all():
            i = int(np.argmin(np.abs(total - 1) <= ROW_SUM))
            raise error("predictions", f"add up to 1 (within {ROW_SUM:g}) for every case", f"a sum of {total[i]:.6g}", f"case {begin + i}")
        return block

    def logits(self, begin: int, end: int) -> Array:
        """Return (K, rows) logits, one row per class; for probabilities their logarithms."""
        block = np.array(self.given(begin, end).T, order="C")  # a copy, because callers overwrite it
        if self.kind == "logits":
            return block
        if self.floor is not None:
            np.maximum(block, self.floor, out=block)
        elif not (block > 0).all():
            k, i = (int(j) for j in np.argwhere(~(block > 0))[0])
            raise error("predictions", "be above 0", block[k, i], f"case {begin + i}, class {k}", way=FLOOR_WAY)
        return np.asarray(np.log(block, out=block))

    def all_logits(self) -> Array:
        room("a table of logits", 8 * self.shape[0] * self.shape[1])
        out = np.empty(self.shape[::-1])
        for begin, end in self.blocks():
            out[:, begin:end] = self.logits(begin, end)
        return out


def refuse(argument: str, bad: Bools, block: NDArray[Any], begin: int, must: str) -> None:
    if bad.any():
        at = tuple(int(j) for j in np.argwhere(bad)[0])
        where = f"case {begin + at[0]}" + (f", class {at[1]}" if len(at) > 1 else "")
        raise error(argument, must, block[at], where)


@dataclass(frozen=True, eq=False)
class LabelTable:
    """The label histograms (N, K) as given, counts or single labels (N,) as numbers of classes, and the weights of the cases."""

    values: NDArray[Any]
    n_classes: int
    fractional: bool
    weights: Array | None = None  # how much each case counts: by its weight or frequency
    times: Array | None = None  # (N,) how many equal cases each row stands for

    @classmethod
    def of(
        cls, counts: object, shape: tuple[int, int], fractional: bool, weights: object = None, frequency: object = None,
        case_weights: object = None,
    ) -> LabelTable:  # fmt: skip
        given, case_ids, _ = names_of("counts", counts)
        table = counts.counts() if isinstance(counts, Labels) else array_of("counts", given)
        numeric = table.dtype.kind in "biuf"
        if not numeric or table.shape not in (shape, shape[:1]) or (table.ndim == 1 and table.dtype.kind not in "biu"):
            must = f"be counts of shape {shape} like the predictions, or {shape[0]} class numbers"
            raise error("counts", must, f"{table.dtype} of shape {table.shape}")
        return cls(table, shape[1], flag("fractional", fractional)).weighed(weights, frequency, case_weights, case_ids)

    def weighed(self, weights: object, frequency: object, case_weights: object, case_ids: NDArray[Any] | None) -> LabelTable:
        """Return the same histograms with how much each case counts."""
        n = len(self.values)
        times, sample = rows_of("counts", None, frequency, case_weights, n, case_ids, weights)
        if weights is not None:
            return replace(self, weights=weights_of(weights, n, case_ids))
        return replace(self, weights=sample if times is None else times, times=times)

    @property
    def heavy(self) -> Bools:
        """(N,) whether a case has a weight above 0."""
        return np.ones(len(self.values), bool) if self.weights is None else self.weights > 0

    def number(self, which: Bools) -> int:
        """Return the number of cases that some rows (N,) are."""
        return int(which.sum() if self.times is None else self.times[which].sum())

    def left_out(self, reasons: dict[str, Bools]) -> dict[str, int]:
        """Return the numbers of cases with a weight that are left out for some reasons, and of those without one."""
        light = ~self.heavy if self.times is None else np.zeros(len(self.values), bool)
        each = {**{reason: which & self.heavy for reason, which in reasons.items()}, NO_WEIGHT: light}
        return {reason: self.number(which) for reason, which in each.items() if which.any()}

    def block(self, begin: int, end: int) -> Array:
        part = self.values[begin:end]
        if part.ndim == 1:
            must = f"be class numbers from 0 to {self.n_classes - 1}"
            refuse("counts", (part < 0) | (part >= self.n_classes), part, begin, must)
            table = np.zeros((self.n_classes, len(part)))
            table[part.astype(np.int64), np.arange(len(part))] = 1.0
        else:
            table = np.ascontiguousarray(part.T, dtype=np.float64)
            wrong = [(~(table <= 2.0**53), "be finite numbers of at most 2**53"), (table < 0, "not be negative")]
            if not self.fractional:
                wrong.append((table != np.floor(table), "be whole numbers (or fractional=True)"))
            for bad, must in wrong:
                refuse("counts", bad.T, table.T, begin, must)
        return table if self.weights is None else table * self.weights[begin:end]

    def all(self) -> Array:
        out = np.empty((self.n_classes, len(self.values)))
        rows = max(1, BLOCK // self.n_classes)
        for begin in range(0, len(self.values), rows):
            out[:, begin : begin + rows] = self.block(begin, min(begin + rows, len(self.values)))
        return out


def array_of(argument: str, values: object) -> NDArray[Any]:
    """Return the values as an array; refuse masked cells and rows of different lengths."""
    try:
        return identifiers.unmasked(values)
    except ValueError:
        raise error(argument, "be an array of numbers", "rows of different lengths") from None


def weights_of(weights: object, n: int, case_ids: NDArray[Any] | None = None) -> Array:
    """Return the checked (N,) weights of cases, divided by the largest so that their sums stay finite."""
    array = ids_of_cases("weights", weights, n, case_ids, what="a number")
    if array.dtype.kind not in "biuf" or array.shape != (n,):
        raise error("weights", f"be {n} numbers, one per case", f"{array.dtype} of shape {array.shape}")
    refuse("weights", ~((array >= 0) & np.isfinite(array)), array, 0, "be finite and not negative")
    if not array.any():
        raise error("weights", "not all be 0", "zeros")
    return np.asarray(array / array.max(), np.float64)
