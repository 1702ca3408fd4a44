"""Other ways to average, for comparison with published numbers; the page on discrepancy says why they mislead [C]."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64
from .._base.ragged import row_of
from .._base.records import Record
from ..annotations import Labels, Ratings
from ..annotations.joins import tells_joins
from ..resampling import Merging, Statistic, over
from .distances import distances
from .input import Compared, compare
from .record import OfRatio
from .sums import mean_of

Window = tuple[int, int, Int64, Int64, Array]  # begin and width; then of entries: case, place in the window, amount


class Scattered(Statistic):
    """A statistic with very many sums, to few of which each case contributes."""

    columns: Array  # (N, C) contributions of cases to the first sums
    n_sums: int

    @abstractmethod
    def windows(self) -> Iterator[Window]:
        """Yield the contributions of cases to the other sums, a window of sums at a time."""

    def sums(self, cases: Array | None = None) -> Array:
        c = self.columns.shape[1]
        if cases is None:
            found = np.zeros((1, self.n_sums))
            found[0, :c] = self.columns.sum(axis=0)
            for begin, width, _, index, amount in self.windows():
                found[0, begin : begin + width] += np.bincount(index, amount, width)
            return found
        from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

        case, index, amount = (np.concatenate(one) for one in zip(*((w[2], w[0] + w[3], w[4]) for w in self.windows())))
        table = sparse.csr_matrix((amount, (case, index)), shape=(self.n_cases, self.n_sums))
        found = np.asarray((table.T @ np.ascontiguousarray(cases.T)).T)
        found[:, :c] = np.einsum("bn,nc->bc", cases, self.columns)
        return found


@dataclass(frozen=True, repr=False)
class AlternativeRatios(Record):
    """The discrepancy ratio next to the alternatives that its authors advise against; made by :func:`alternative_discrepancy_ratios`.

    Attributes
    ----------
    ratio : float
        Δ, see :func:`discrepancy_ratio`.
    prime : float
        Δ': averages over cases before those over annotators and pairs of annotators. Favours annotators who skip hard cases.
    prime_printed : float
        Δ' with the factors 1 / (N A) as printed, in which skipped cases count as 0. It does not agree with the example in the paper.
    double_prime : float
        Δ'': against the mean of the other annotators. Depends on the number of annotators. NaN for distances that do not use numbers.
    alpha_prime, mu_prime, alpha_double_prime, mu_double_prime : float
        α', μ', α'' and μ'', with Δ' = μ' / α' and Δ'' = μ'' / α''.
    alpha_prime_printed, mu_prime_printed : float
        α' and μ' with the factors as printed.

    Examples
    --------
    >>> import ugt
    >>> easy_and_hard = [[0, 0, 0], [0, 2, None]]  # the third annotator skips the hard case
    >>> found = ugt.papers.alternative_discrepancy_ratios(easy_and_hard, [0, 1], distance="absolute")
    >>> found.ratio, found.prime, round(found.alpha_prime, 3), round(found.mu_prime, 3)
    (0.5, 1.0, 0.333, 0.333)
    """

    ratio: float
    prime: float
    prime_printed: float
    double_prime: float
    alpha_prime: float
    mu_prime: float
    alpha_prime_printed: float
    mu_prime_printed: float
    alpha_double_prime: float
    mu_double_prime: float


@tells_joins
def alternative_discrepancy_ratios(
    annotations: object, predictions: object, *, distance: object = None, values: object = None, missing: str = "error"
) -> AlternativeRatios:
    r"""Return Δ next to Δ' and Δ'': the same averages in another order, and against the mean of the other annotators.

    .. math:: α' = \operatorname{mean}_{j ≠ j'} \operatorname{mean}_i ψ(Y_j^i, Y_{j'}^i), \quad
              μ' = \operatorname{mean}_j \operatorname{mean}_i ψ(m^i, Y_j^i), \quad
              α'' = \operatorname{mean}_i \operatorname{mean}_j ψ(Y_j^i, ω_j^i), \quad
              μ'' = \operatorname{mean}_i \operatorname{mean}_j ψ(m^i, ω_j^i)

    with ω_j the mean over the other annotators of the means of their labels [C appendix C].

    Parameters
    ----------
    annotations, predictions, distance, values, missing
        As for :func:`discrepancy_ratio`, with the same errors; annotations must name their annotators.

    Returns
    -------
    AlternativeRatios

    Notes
    -----
    Use these for comparison with published numbers. Δ' is over annotators and pairs of annotators that have cases; cases with a single
    annotator count in μ'. Computation needs as many passes as there are annotators.

    References
    ----------
    [C] Lovchinsky et al. (2020), appendix C.1 (with example C.1) and C.2.

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 1, 1], [1, 1, 0], [0, 0, None], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.papers.alternative_discrepancy_ratios(readers, [1, 1, 0, 1, 0, 1])
    >>> [round(value, 2) for value in (found.ratio, found.prime, found.double_prime)]
    [0.5, 0.48, 0.33]
    """
    compared = compare(annotations, {"model": predictions}, distance, values, missing, known="for averages over annotators")
    return AlternativeRatios(*Averages.of(compared).estimate.tolist())


class Averages(OfRatio, Scattered):
    """Δ, Δ' per pair and as printed, and Δ''; ``more`` are the positions of the A annotators, -1 for those who gave no label.

    The sums are those of cases that count, α and μ, all cases, those that count in Δ'', α'' and μ''; for each annotator entries, those
    with a prediction and their distances to it, (3, A); cases that two annotators share and the distances between them, (2, A, A).
    """

    names = (
        "value", "prime", "prime_printed", "double_prime",
        "alpha_prime", "mu_prime", "alpha_prime_printed", "mu_prime_printed", "alpha_double_prime", "mu_double_prime",
    )  # fmt: skip

    @property
    def n_sums(self) -> int:  # type: ignore[override]
        a = len(self.settings["annotators"])
        checks.room("sums of all pairs of annotators", 16 * a * a)
        return 7 + 3 * a + 2 * a * a

    def read(self) -> None:
        above, below = double_prime_parts(self.compared)
        inside = ~np.isnan(above)
        others = [np.ones(self.n_cases), inside, *(np.where(inside, one, 0.0) for one in (below, above))]
        self.columns = np.column_stack([self.compared.sums.columns(self.compared.predicted[0]), *others])

    def windows(self) -> Iterator[Window]:
        """Yield the sums of annotators, then those of each with the others."""
        found, a, place = self.compared.distances, len(self.settings["annotators"]), np.full(len(self.compared.annotators), -1)
        place[self._more[self._more >= 0]] = np.flatnonzero(self._more >= 0)
        case, who, to_model = row_of(found.offsets), place[found.annotator], found.to_model[0]
        seen = ~np.isnan(to_model)
        yield 7, a, case, who, np.ones(len(who))
        yield 7 + a, a, case[seen], who[seen], np.ones(int(seen.sum()))
        yield 7 + 2 * a, a, case[seen], who[seen], to_model[seen]
        for j, kept, to_j in between_pairs(self.compared):
            at = 7 + (3 + int(place[j])) * a
            yield at, a, case[kept], who[kept], np.ones(len(to_j))
            yield at + a * a, a, case[kept], who[kept], to_j

    def answer(self, sums: Array) -> Array:
        counted, alpha, mu, n, inside, below, above = sums.T[:7]
        a, b = len(self.settings["annotators"]), len(sums)
        labelled, seen, to_model = sums[:, 7 : 7 + 3 * a].reshape(b, 3, a).transpose(1, 0, 2)
        active = (labelled > 0).sum(axis=1)
        shared, between = sums[:, 7 + 3 * a :].reshape(b, 2, a, a).transpose(1, 0, 2, 3)
        prime = mean_of(over(between, shared)), mean_of(over(to_model, seen))
        printed = over(between.sum(axis=(1, 2)), n * active * (active - 1)), over(to_model.sum(axis=1), n * active)
        double = over(below, inside), over(above, inside)
        pairs = ((over(alpha, counted), over(mu, counted)), prime, printed, double)
        return np.column_stack([*(over(mu_, alpha_) for alpha_, mu_ in pairs), *prime, *printed, *double])

    @property
    def merging(self) -> Merging:
        return super().merging._replace(groups=self._groups)

    def _groups(self, sums: Array, fixed: Array) -> Array:
        """Return the number of cases of each annotator, and of each pair."""
        a = len(self.settings["annotators"])
        return np.append(sums[7 : 7 + a], sums[7 + 3 * a : 7 + 3 * a + a * a])


def between_pairs(compared: Compared) -> Iterator[tuple[int, Bools, Array]]:
    """Yield, with every annotator in turn as the model, the entries of the others and their distances to that annotator."""
    found, held = compared.distances, compared.annotations
    for j in range(len(compared.annotators)):
        total, times = np.zeros(len(found.annotator)), np.zeros(len(found.annotator))
        for labels in as_models(held, j):
            to_j = distances(held, [labels], compared.distance, values=compared.values).to_model[0]
            total += np.where(np.isnan(to_j), 0.0, to_j)
            times += ~np.isnan(to_j)
        kept = (times > 0) & (found.annotator != j)
        yield j, kept, total[kept] / times[kept]


def as_models(held: Any, j: int) -> Iterator[Any]:
    """Yield the labels of annotator j as predictions: the first one of every case, the second one, …"""
    row = np.flatnonzero(held.annotator == j)
    case = row_of(held.offsets)[row]
    number = np.arange(len(case)) - np.searchsorted(case, case)
    for k in range(int(number.max(initial=-1)) + 1):
        at, of = row[number == k], case[number == k]
        if isinstance(held, Labels):
            column: Any = np.full(held.n_cases, -1, np.int32)
            column[of] = held.label[at]
        elif isinstance(held, Ratings):
            column = np.full(held.n_cases, np.nan)
            column[of] = held.value[at]
        else:
            column = [None] * held.n_cases
            for i, r in zip(of.tolist(), at.tolist()):
                column[i] = held.mask(r)
        yield column


# ---- against the mean of the others ----


def _difference(distance: object) -> Any:
    """Return δ for arrays of numbers, or None if labels have no mean."""
    if isinstance(distance, tuple):
        return lambda a, b: np.maximum(0.0, np.abs(a - b) - distance[1])
    known = {"squared": lambda a, b: (a - b) ** 2, "absolute": lambda a, b: np.abs(a - b)}
    return known.get(distance) if isinstance(distance, str) else None


def double_prime_parts(compared: Compared) -> tuple[Array, Array]:
    """Return the parts (N,) of μ'' and α'', NaN in cases that do not count; all NaN if labels have no mean."""
    held, values, delta = compared.annotations, compared.values, _difference(compared.distance)
    nowhere = np.full(held.n_cases, np.nan)
    if delta is None or not isinstance(held, (Labels, Ratings)):
        return nowhere, nowhere
    scale = np.asarray(held.axes.classes if values is None else values, np.float64) if isinstance(held, Labels) else np.empty(0)
    label = scale[held.label] if isinstance(held, Labels) else held.value
    case, a = row_of(held.offsets), len(held.annotators)
    _, first, entry = np.unique(case * a + held.annotator, return_index=True, return_inverse=True)
    entry, of_entry = entry.reshape(-1), case[first]
    size = np.bincount(entry)
    own = np.bincount(entry, label) / size
    n = np.bincount(of_entry, minlength=held.n_cases)
    rest = (np.bincount(of_entry, own, held.n_cases)[of_entry] - own) / np.maximum(n[of_entry] - 1, 1)
    below = np.bincount(entry, delta(label, rest[entry])) / size
    model = compared.columns[0]
    if model.ndim == 2:
        above = np.asarray(sum(model[of_entry, k] * delta(scale[k], rest) for k in range(len(scale))))
    else:
        number = np.where(model >= 0, scale[np.maximum(model, 0)], np.nan) if model.dtype.kind == "i" else model
        above = np.asarray(delta(number[of_entry], rest))
    kept = (n[of_entry] >= 2) & ~np.isnan(above)
    counts = np.bincount(of_entry[kept], minlength=held.n_cases)
    above, below = (over(np.bincount(of_entry[kept], column[kept], held.n_cases), counts) for column in (above, below))
    return above, below
