"""The contributions of each case to discrepancies, of models and of annotators who are judged as models [C]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.ragged import row_of
from .._core import _pairs
from ..resampling import over

if TYPE_CHECKING:
    from .distances import Distances
    from .input import Compared

# If nearly all of a sum is taken away, a relative remainder below this is rounding and is set to 0.
ROUNDING = 1e-12
CASES = ("matched", "all", "mu1")
N, ALPHA, MU = 0, 1, 2  # columns of cases
NO_ANNOTATIONS = "case without annotations"
SINGLE = "case with a single annotator"
NO_PREDICTION = "case without prediction"
AGREE = "annotators agree in all {} cases (alpha = 0)"


class CaseSums(NamedTuple):
    """Sums over the annotators of each case; NaN if undefined."""

    n: Int64  # (N,) annotators
    total: Array  # (N,) over pairs of annotators
    alpha: Array  # (N,) mean over pairs, for cases with two annotators or more
    mu: Array  # (M, N) mean distance of each model

    @classmethod
    def of(cls, found: Distances) -> CaseSums:
        return cls(*_pairs.case_sums(found.offsets, found.count, found.to_others, found.to_model))

    def counted(self, predicted: Bools) -> Bools:
        """Return (N,) bools: cases with a prediction and two annotators or more."""
        return np.asarray((self.n >= 2) & predicted)

    def columns(self, predicted: Bools) -> Array:
        """Return (N, 3): whether each case counts, its α and the first model's μ; 0 if it does not."""
        counted, found = self.counted(predicted), np.zeros((len(self.n), 3))
        found[:, N] = counted
        np.copyto(found[:, ALPHA], self.alpha, where=counted)
        np.copyto(found[:, MU], self.mu[0], where=counted)
        return found

    def left_out(self, predicted: Bools) -> dict[str, int]:
        """Return the number of cases that do not count, by reason."""
        n_counted = int(np.count_nonzero(self.counted(predicted)))
        if n_counted == len(self.n):
            return {}
        n, empty = int(np.count_nonzero(self.n >= 2)), int(np.count_nonzero(self.n == 0))
        counts = {NO_ANNOTATIONS: empty, SINGLE: len(self.n) - n - empty, NO_PREDICTION: n - n_counted}
        return {reason: n for reason, n in counts.items() if n}


class LeftOut(NamedTuple):
    """Parts of μ and α with each annotator in turn taken out of the data and judged as a model; NaN if a case does not count."""

    mu: Array  # (N, A)
    alpha: Array  # (N, A)
    model: Array  # (M, N, A) the models on the same cases, against the same others

    @classmethod
    def of(cls, compared: Compared, annotators: Int64, cases: str = "matched") -> LeftOut:
        """Return the parts for some annotators, by position; -1 for those who gave no label.

        matched: cases that the annotator labelled and that keep two others, for both μ and α. all: α over all cases that keep two
        others. mu1: the same α, and μ over the cases that the annotator labelled and that keep one other.
        """
        found, n_cases, sums = compared.distances, compared.n_cases, compared.sums
        column = np.full(len(compared.annotators), -1, np.int64)
        column[annotators[annotators >= 0]] = np.flatnonzero(annotators >= 0)
        entry = np.flatnonzero(column[found.annotator] >= 0)
        case, at = row_of(found.offsets)[entry], column[found.annotator[entry]]
        others = sums.n[case] - 1
        own = found.to_others[entry]
        shape, two, kept = (n_cases, len(annotators)), others >= 2, others >= (1 if cases == "mu1" else 2)
        alpha = np.full(shape, np.nan) if cases == "matched" else np.repeat(sums.alpha[:, None], shape[1], axis=1)
        alpha[case, at] = np.nan
        pairs = np.maximum(others * (others - 1.0) / 2, 1)
        alpha[case[two], at[two]] = (_taken_away(sums.total[case], own) / pairs)[two]
        mu, model = np.full(shape, np.nan), np.full((len(found.to_model), *shape), np.nan)
        to_others = (_taken_away(of_case[case] * sums.n[case], to_model[entry]) for of_case, to_model in zip(sums.mu, found.to_model))
        for table, sum_ in ((mu, own), *zip(model, to_others)):
            table[case[kept], at[kept]] = (sum_ / np.maximum(others, 1))[kept]
        return cls(mu, alpha, model)


def _taken_away(total: Array, part: Array) -> Array:
    """Return the total less a part, 0 if the remainder is only rounding."""
    with np.errstate(invalid="ignore"):
        left = total - part
        return np.where(left <= ROUNDING * total, 0.0, left)


def distances_to_others(compared: Compared, annotators: Int64) -> tuple[Array, Array]:
    """Return the mean distance (N, A) of the model, and of each annotator, to the other annotators; NaN if a case does not count."""
    left = LeftOut.of(compared, annotators, "mu1")
    model = left.model[0]
    return model, np.where(np.isnan(model), np.nan, left.mu)


def mean_of(table: Array) -> Array:
    """Return the mean (B,) of the defined values over the other axes; NaN if there is none."""
    flat = table.reshape(len(table), -1)
    defined = ~np.isnan(flat)
    return over(np.where(defined, flat, 0.0).sum(axis=1), defined.sum(axis=1))


def zeros(table: Array) -> Array:
    """Return the table with 0 in place of NaN."""
    return np.where(np.isnan(table), 0.0, table)


def why_undefined(n: int, alpha: float, left_out: Mapping[str, int] | None = None) -> str:
    """Return the reason why there is no ratio; empty if there is one."""
    if n == 0:
        return "no case is left" + (f" ({', '.join(f'{reason}: {count}' for reason, count in left_out.items())})" if left_out else "")
    return AGREE.format(n) if alpha == 0 else ""
