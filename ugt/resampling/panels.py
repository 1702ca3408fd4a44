"""Panels of annotators, drawn with replacement from those at hand, and the counts of labels that each of them gives to every case."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import Axes
from .._base.lazy import cached_property
from .._base.ragged import alike, offsets_of, row_of, take
from .._core import _panels, _stream
from ..annotations import Labels
from .design import Design
from .spread import unevenness

if TYPE_CHECKING:
    from collections.abc import MutableMapping

ENUMERATED = 7  # annotators of whom all panels are listed: 1,716
DRAWN, FEWEST = 1999, 399  # panels that are drawn of more annotators, and at least
CELLS = 2 * 10**6  # rows of labels x panels, 8 MB, above which fewer panels are drawn
MOST_CELLS = 2 * 10**7  # the same, above which none are
COUNTS, MOST_COUNTS = 50_000, 200_000  # distinct counts of labels, above which fewer panels are drawn, and above which none are used
KEPT = 4  # parts of the cases of labels whose panels are kept
TABLE = 2**22  # codes of counts that have a place each
CHUNK = 64  # rows of labels of one task
SEED = 0

_known: MutableMapping[Labels, dict[tuple[bytes, bool], Panels]] = WeakKeyDictionary()


class Panels:
    """Panels of as many annotators as there are, R, drawn with replacement from them: each is as likely as any other.

    Attributes
    ----------
    times : (R, B) uint64
        How often each annotator is in each panel.
    p : (B,) array
        The probability of each panel: R! / (Π m! R^R) with multiplicities m if all panels are listed, 1 / B if they are drawn.
    row : (n,) int64
        Which of the U distinct rows of labels each case has.
    cell : (U, B) int32
        Which of the different counts of its labels a row has under each panel, numbered from 0.
    start : (U + 1,) int64
        The different counts of row u have the places ``start[u]`` to ``start[u + 1]`` in ``counts_of``.
    counts_of : (L,) int64
        The position among ``counts`` of the different counts of each row.
    counts : Labels
        The C distinct counts of labels, without annotators.
    squares : (C,) int64
        With ``pairs``, the sum of the squares of how often each annotator with a label is in the panel: counts with other sums are not the
        same. The pairs of labels of two annotators follow from these: n² - squares of n labels.
    """

    def __init__(self, known: Labels, rows: Int64 | None, *, pairs: bool = False) -> None:
        self._pairs = pairs
        cases = np.arange(known.n_cases, dtype=np.int64) if rows is None else np.asarray(rows, np.int64)
        offsets, at = take(known.offsets, cases)
        who, annotator = np.unique(known.annotator[at], return_inverse=True)
        unnamed = int(len(who) > 0 and who[0] < 0)
        self.annotators = np.asarray(who[unnamed:], np.int64)
        self._offsets, self._label, self._count = offsets, known.label[at], known.count[at]
        self._annotator = np.asarray(annotator.reshape(-1) - unnamed, np.int32)
        self.row, self._first = self._distinct(known.n_classes)
        self._axes, self._ordered = known.axes, known.ordered
        if len(self._first) * FEWEST > MOST_CELLS:
            self.times, self.p = np.empty((self.n_annotators, 0), np.uint64), np.empty(0)
        else:
            self._draw_as_many_as_fit()

    def _draw_as_many_as_fit(self) -> None:
        """Draw the panels and number their counts: a few panels first if more of them could give too many distinct counts."""
        times, p = self._drawn(DRAWN)
        few = len(p) > FEWEST and len(p) * len(self._first) > COUNTS
        self.times, self.p = self._drawn(FEWEST) if few else (times, p)
        self._number_cells()
        if few and self.counts.n_cases * len(p) <= COUNTS * FEWEST:
            self.times, self.p = times, p
            self._number_cells()

    @classmethod
    def of(cls, known: Labels, rows: Int64 | None, *, pairs: bool = False) -> Panels:
        """Return the panels of the annotators of some cases (None: all), which are kept with the labels."""
        kept, key = _known.setdefault(known, {}), (b"" if rows is None else np.asarray(rows, np.int64).tobytes(), pairs)
        found = kept.get(key)
        if found is None:
            found = kept[key] = cls(known, rows, pairs=pairs)
            for old in list(kept)[:-KEPT]:  # a dictionary is in the order in which its entries were made
                kept.pop(old, None)
        return found

    @property
    def too_many(self) -> bool:
        """Whether there are so many different rows, or counts, of labels that panels would take too long."""
        return not len(self.p) or self.counts.n_cases > MOST_COUNTS

    @property
    def n_annotators(self) -> int:
        """The number R of annotators with labels."""
        return len(self.annotators)

    def _distinct(self, n_classes: int) -> tuple[Int64, Int64]:
        """Return the distinct rows of (annotator, label, count): the number of each case, and the first case of each."""
        n, highest = len(self._offsets) - 1, (len(self.annotators) + 1) * n_classes
        if highest < 2**31:
            return alike(self._offsets, (self._annotator.astype(np.int64) + 1) * n_classes + self._label, self._count)
        return np.arange(n, dtype=np.int64), np.arange(n, dtype=np.int64)

    def _drawn(self, most: int) -> tuple[NDArray[np.uint64], Array]:
        """Return how often each annotator is in each panel, and the probability of the panels; ``most`` are drawn."""
        n, rows = max(self.n_annotators, 1), max(len(self._first), 1)
        if n <= ENUMERATED and math.comb(2 * n - 1, n) * rows <= CELLS and most == DRAWN:
            lists = np.array(list(combinations_with_replacement(range(n), n)), np.int64)
            times = np.stack([(lists == j).sum(axis=1) for j in range(n)])
            factorial = np.array([math.factorial(m) for m in range(n + 1)], np.float64)
            p = factorial[n] / factorial[times].prod(axis=0) / float(n) ** n
            return np.ascontiguousarray(times, np.uint64), np.asarray(p / p.sum())
        n_panels = int(np.clip(CELLS // rows, FEWEST, most))
        drawn = Design.of(n).weights(SEED, 0, n_panels).T
        return np.ascontiguousarray(drawn, np.uint64), np.full(n_panels, 1 / n_panels)

    def _keys(self) -> tuple[NDArray[np.uint64], int, NDArray[Any], Int64]:
        """Return keys of classes whose sums differ where counts do, the base of their digits or 0, the classes, and that of each label.

        With ``pairs`` a last key is that of squares.
        """
        classes, digit = np.unique(self._label, return_inverse=True)
        per_case = np.bincount(row_of(self._offsets) * (self.n_annotators + 1) + self._annotator + 1, self._count)
        base = int(per_case.max(initial=1.0)) * (self.n_annotators + 1) ** (2 if self._pairs else 1) + 1
        n = len(classes) + self._pairs
        if base**n < 2**62:
            keys = np.stack([np.array([base**j for j in range(n)], np.uint64), np.zeros(n, np.uint64)], axis=1)
        else:  # two random numbers of 64 bits each: different counts have the same sums with a probability of 2^-128
            bits, base = np.empty(2 * n, np.uint64), 0
            _stream.Stream(SEED, 0, 0, 0).bits(bits)
            keys = bits.reshape(-1, 2)
        return keys, base, classes, digit.reshape(-1)

    def _number_cells(self) -> None:
        """Find the different counts of each row of labels under the panels, and the distinct ones of all rows."""
        keys, base, classes, digit = self._keys()
        offsets, at = take(self._offsets, self._first)
        n_rows, n_panels = len(self._first), len(self.p)
        self.cell = np.empty((n_rows, n_panels), np.int32)
        self._row_offsets, self._row_labels = offsets, at
        who, key, times = self._annotator[at], keys[digit[at]] * self._count[at, None].astype(np.uint64), self.times
        if self._pairs:  # each label once more, as one of an annotator who is in the panel as often as the square says
            again = np.where(who < 0, -1, who + self.n_annotators).astype(np.int32)
            offsets, who, times = 2 * offsets, np.stack([who, again], axis=1).reshape(-1), np.concatenate([times, times**2])
            key = np.stack([key, np.broadcast_to(keys[-1], key.shape) * self._count[at, None].astype(np.uint64)], axis=1).reshape(-1, 2)
        labels = np.ascontiguousarray(who), np.ascontiguousarray(key)
        if not len(at):
            self.cell[:] = 0
            self.start, first, code = np.arange(n_rows + 1, dtype=np.int64), np.zeros(n_rows, np.int64), np.zeros(n_rows, np.uint64)
        else:

            def part(begin: int, end: int) -> tuple[Int64, NDArray[Any], NDArray[Any]]:
                first, code = np.empty((end - begin, n_panels), np.int32), np.empty((end - begin, n_panels), np.uint64)
                n = np.empty(end - begin, np.int64)
                _panels.cells(offsets, *labels, times, begin, end, self.cell[begin:end], first, code, n)
                used = np.arange(n_panels) < n[:, None]
                return n, first[used], code[used]

            parts = parallel.run(part, n_rows, CHUNK, "panels of annotators")
            sizes, first, code = (np.concatenate(column) for column in zip(*parts))
            self.start = offsets_of(sizes)
        self._make_counts(row_of(self.start), first, code, base, classes)

    def _make_counts(self, row: Int64, panel: NDArray[Any], code: NDArray[np.uint64], base: int, classes: NDArray[Any]) -> None:
        """Make the distinct counts from the different ones of each row, each given by a panel."""
        n_digits = len(classes) + self._pairs
        if base and base**n_digits <= TABLE:
            place = np.full(base**n_digits, -1, np.int64)
            place[code.astype(np.int64)] = 0
            seen = np.flatnonzero(place == 0)
            place[seen] = np.arange(len(seen))
            self.counts_of = place[code.astype(np.int64)]
            distinct = seen.astype(np.uint64)
        elif base:
            distinct, of = np.unique(code, return_inverse=True)
            self.counts_of = np.asarray(of.reshape(-1), np.int64)
        else:
            distinct, self.counts_of = code, np.arange(len(code), dtype=np.int64)
        if base:
            digits = np.stack([distinct // np.uint64(base**j) % np.uint64(base) for j in range(n_digits)], axis=1).astype(np.int64)
            self.squares = digits[:, -1]  # with pairs
            case, at = np.nonzero(digits[:, : len(classes)])
            label, count = classes[at], digits[case, at]
        else:
            ends, at = take(self._row_offsets, row)
            of, label_at = row_of(ends), self._row_labels[at]
            who = self._annotator[label_at]
            often = np.where(who < 0, 1, self.times[who, panel[of]].astype(np.int64))
            weight = often * self._count[label_at]
            self.squares = np.bincount(of, often * weight, len(distinct)).astype(np.int64)
            case, label, count = of[weight > 0], self._label[label_at][weight > 0], weight[weight > 0]
        n = len(distinct)
        ends = offsets_of(np.bincount(case, minlength=n))
        axes = Axes(np.arange(n, dtype=np.int64), self._axes.classes, self._axes.numbered)
        nobody = np.full(len(label), -1, np.int32)
        self.counts = Labels(
            axes, np.empty(0, np.int64), ends, nobody, np.asarray(label, np.int32), np.asarray(count, np.int64), self._ordered
        )

    @cached_property
    def given(self) -> Bools:
        """Whether a row (U, B) has a label under a panel."""
        some = np.diff(self.counts.offsets) > 0
        return np.asarray(some[self.counts_of[self.start[:-1, None] + self.cell]])

    def taken_out(self, kept: Bools) -> float:
        r"""Return κ: by how much the numbers of panels vary less with annotators than those of new annotators would.

        .. math:: κ = \sum_j A_j^2 / \sum_j Var_b A_j(b), \quad A_j(b) = \sum_i m_{bj} z_{ij} / \sum_k m_{bk} z_{ik}

        with z the labels that annotator j gave to kept case i, and A_j for the annotators at hand; R / (R - 1) if all judged all cases.
        """
        n = self.n_annotators
        cases = np.bincount(self.row[kept], minlength=len(self._first)).astype(np.float64)
        row, who = row_of(self._row_offsets), self._annotator[self._row_labels]
        z = np.zeros((len(self._first), n))
        z[row[who >= 0], who[who >= 0]] = 1.0
        z = z[cases > 0]
        if z.all():
            return n / (n - 1)
        cases, of = cases[cases > 0], z.sum(axis=1)
        whole = (cases[of > 0] / of[of > 0]) @ z[of > 0]
        total, square = np.zeros(n), np.zeros(n)
        step = max(1, CELLS // max(len(z), 1))
        for begin in range(0, len(self.p), step):
            times, p = self.times[:, begin : begin + step].astype(np.float64), self.p[begin : begin + step]
            sums = z @ times
            with np.errstate(divide="ignore"):
                share = times * (z.T @ np.where(sums > 0, cases[:, None] / sums, 0.0))
            total += share @ p
            square += share**2 @ p
        varied = float((square - total**2).sum())
        return float(whole @ whole) / varied if varied > 0 else math.nan

    def effective(self, kept: Bools) -> float:
        """Return the number of annotators with even shares of the labels of the kept cases who would give as many degrees of freedom."""
        here = kept[row_of(self._offsets)] & (self._annotator >= 0)
        sizes = np.bincount(self._annotator[here], self._count[here], self.n_annotators)
        sizes = sizes[sizes > 0]
        return unevenness(sizes / sizes.sum())[1] if len(sizes) > 1 else float(len(sizes))
