"""Likelihoods of label counts under Dirichlet laws, sparse: only the classes that were observed are looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._base.arrays import Array, Bools, Int64
from .._base.checks import error
from .._base.ragged import offsets_of, row_of
from .._core import _dirmult
from .logits import LabelTable, LogitTable


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Counts of the observed classes of each case, and logarithms of their mean probabilities."""

    offsets: Int64
    log_share: Array
    count: Array
    n: Array  # (N,) labels of each case

    @classmethod
    def of(cls, histograms: LabelTable, predictions: LogitTable, floor: float | None) -> Likelihood:
        """Checked block by block; an observed class of probability 0 is refused unless there is a floor."""
        sizes, shares, counts = [], [], []
        for begin, end in predictions.blocks():
            y, z = histograms.block(begin, end).T, predictions.given(begin, end)
            seen = y > 0
            sizes.append(seen.sum(axis=1))
            share = z[seen] if floor is None else np.maximum(z[seen], floor)
            if not (share > 0).all():
                i, k = (int(j) for j in np.argwhere(seen & ~(z > 0))[0])
                must = "be above 0 for every class that was observed (or give floor, such as 1e-12)"
                raise error("predictions", must, z[i, k], f"case {begin + i}, class {k}")
            shares.append(np.minimum(share, 1.0))
            counts.append(y[seen])
        offsets, count = offsets_of(np.concatenate(sizes)), np.concatenate(counts)
        n = np.asarray(np.bincount(row_of(offsets), count, len(offsets) - 1), np.float64)
        return cls(offsets, np.log(np.concatenate(shares)), count, n)

    def at(self, log_total: Array) -> Array:
        """(3, N) log-likelihood of each case's labels in an order, and its derivatives by the logarithm of the concentration (N,)."""
        out = np.empty((3, len(log_total)))
        _dirmult.log_likelihood(self.offsets, self.log_share, self.count, np.ascontiguousarray(log_total), out)
        return out

    def tells(self) -> Bools:
        """(N,) cases whose likelihood depends on the concentration: two labels or more, of a class that is not certain."""
        return (self.n > 1) & (np.bincount(row_of(self.offsets), self.log_share < 0, len(self.n)) > 0)

    def coefficient(self) -> Array:
        """(N,) log n! / Π y_k!."""
        from scipy.special import gammaln  # noqa: PLC0415  (scipy is slow to import)

        parts = np.bincount(row_of(self.offsets), gammaln(self.count + 1), len(self.n))
        return np.asarray(gammaln(self.n + 1) - parts)
