"""The likelihood of labels under a Dirichlet prior, as a function of sums of counts whose number does not depend on that of the cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64
from .._base.ragged import row_of
from ..annotations import Labels

SPAN = -23.0, 16.0  # range of log α: outside, the likelihood differs from that of a prior of 0 or infinity by 1e-6 at most
ROUNDING = 1e-12  # relative error of sums of weights in another order
GRID = np.linspace(*SPAN, 65)
TOLERANCE = 1e-8  # largest gradient in log α at the maximum, as a share of the labels
MAX_STEPS = 1000
LONGEST = 2.0  # longest step in log α
Cells = tuple[Int64, Int64, Any]  # a key, j, and the number of cases, whole or weighted


class LabelCounts:
    """The sums of counts for the likelihood ``Σ_i log [Π_k α_k (α_k + 1) … (α_k + c_ik - 1) / A (A + 1) … (A + n_i - 1)]``, A = Σ α.

    ``cells`` (3, E): class, j, and in how many cases the class has more than j labels; ``totals`` (3, J): 0, j, and how many cases have
    more than j labels. The cost does not depend on the number of cases. Cases count by frequencies (``times``) or ``weights``, (N,).
    """

    def __init__(
        self, labels: Labels, per_class: bool, group: Int64 | None, times: Array | None = None, weights: Array | None = None
    ) -> None:
        self.times, self.weights = times, weights
        self.often = times.astype(np.int64) if times is not None else weights
        offsets, index, count = labels.class_counts()
        self.n_classes, self.group, self.size = labels.n_classes, group, labels.n_classes if per_class else 1
        self.row, self.index, self.count = row_of(offsets), index.astype(np.int64), np.asarray(count, np.int64)
        self.n = np.bincount(self.row, self.count, labels.n_cases).astype(np.int64)
        self.cells = self._cells_of(self.index if per_class else np.zeros_like(self.index))
        self.totals = _more_than(np.zeros_like(self.n), self.n, self.often)

    @property
    def once(self) -> bool:
        """Whether each case counts once."""
        return self.often is None

    def _cells_of(self, key: Int64) -> Cells:
        return _more_than(key, self.count, None if self.often is None else self.often[self.row])

    def number(self, which: Bools) -> int:
        """Return the number of cases that some rows (N,) with a weight are."""
        if self.often is None:
            return int(which.sum())
        return int((which & (self.often > 0)).sum() if self.times is None else self.times[which].sum())

    def times_of_units(self, n: int) -> Array:
        """Return (n,) how often each unit of :meth:`scores` occurs."""
        return np.ones(n) if self.times is None else self.times[self.told]

    def _parts(self, alpha: Array) -> tuple[Array, Array, float]:
        """Return, for α (size,), the α of each cell, the derivative of A with respect to log α, and A."""
        slope = alpha if self.size > 1 else self.n_classes * alpha
        return alpha[self.cells[0]] if self.size > 1 else np.broadcast_to(alpha, len(self.cells[0])), slope, float(slope.sum())

    def log_likelihood(self, alpha: Array) -> float:
        """Return the log-likelihood, in a form that is exact to rounding for any α."""
        own, _, total = self._parts(alpha)
        return float(self.cells[2] @ np.log((own + self.cells[1]) / total) - self.totals[2] @ np.log1p(self.totals[1] / total))

    def log_likelihood_at(self, alpha: Array) -> float:
        """Return the log-likelihood at α (K,) > 0, also if all classes have one α in the fit."""
        cells = self._cells_of(self.index)
        total = alpha.sum()
        return float(cells[2] @ np.log((alpha[cells[0]] + cells[1]) / total) - self.totals[2] @ np.log1p(self.totals[1] / total))

    def derivatives(self, alpha: Array) -> tuple[Array, Array, float, Array]:
        """Return the gradient in log α, and d, t and s of the Hessian ``t s sᵀ - diag(d)``."""
        own, slope, total = self._parts(alpha)
        first, second = (np.bincount(self.cells[0], self.cells[2] / (own + self.cells[1]) ** p, self.size) for p in (1, 2))
        by_total, curve = (float((self.totals[2] / (total + self.totals[1]) ** p).sum()) for p in (1, 2))
        gradient = alpha * first - slope * by_total
        return gradient, alpha**2 * second - gradient, curve, slope

    def information(self, alpha: Array) -> Array:
        """Return minus the Hessian (size, size) in log α."""
        _, d, t, s = self.derivatives(alpha)
        return np.diag(d) - t * np.outer(s, s)

    @property
    def told(self) -> Bools:
        """(N,) cases whose labels inform of the prior; one label shows nothing about a symmetric one."""
        told: Bools = self.n > (0 if self.size > 1 else 1)
        return told if self.often is None else told & (self.often > 0)

    def case_scores(self, alpha: Array) -> Array:
        """Return the derivatives (N, size) in log α of the part of the log-likelihood of each case."""
        from scipy.special import psi  # noqa: PLC0415  (scipy is slow to import)

        _, slope, total = self._parts(alpha)
        kind = self.index if self.size > 1 else np.zeros_like(self.index)
        checks.room("the scores of all cases", 8 * len(self.n) * self.size)
        found = np.zeros((len(self.n), self.size))
        own = alpha[kind]
        np.add.at(found, (self.row, kind), own * (psi(own + self.count) - psi(own)))
        found -= (psi(total + self.n) - psi(total))[:, None] * slope
        return found * self.told[:, None]

    def scores(self, alpha: Array) -> Array:
        """Return the derivatives (units, size) in log α of the part of each case, or cluster, that informs of the prior."""
        found = self.case_scores(alpha)[self.told]
        if self.weights is not None:
            found = found * self.weights[self.told, None]
        if self.group is None:
            return found
        unit = np.unique(self.group[self.told], return_inverse=True)[1].reshape(-1)
        summed = np.zeros((int(unit.max()) + 1, self.size))
        np.add.at(summed, unit, found)
        return summed

    def edge(self) -> str:
        """Return the edge at which the likelihood is highest, α → 0 or α → ∞, or ""."""
        more, of_class = (float(one[2][one[1] > 0].sum()) for one in (self.totals, self.cells))
        if more == of_class or (self.weights is not None and abs(more - of_class) <= ROUNDING * more):
            return "zero"
        given = np.bincount(self.cells[0], self.cells[2] * (self.cells[1] == 0)) if self.size == 1 else self.given
        share = np.full(1, 1 / self.n_classes) if self.size == 1 else given / given.sum()
        pairs = np.bincount(self.cells[0], self.cells[2] * self.cells[1], self.size)
        told = pairs > 0
        return "" if (pairs[told] / share[told]).sum() > (self.totals[2] * self.totals[1]).sum() else "infinity"

    @property
    def given(self) -> Array:
        """Return the number of labels (size,) of each class."""
        return np.asarray(np.bincount(self.cells[0], self.cells[2], self.size), np.float64)

    def start(self) -> Array:
        """Return the start of the fit: in proportion to the labels of each class, with the best sum on a grid."""
        share = self.given / self.given.sum()
        values = [self.log_likelihood(np.exp(t) * share) for t in GRID]
        return np.asarray(np.exp(GRID[int(np.argmax(values))]) * share)

    def fit(self, alpha: Array, fixed: int | None = None) -> tuple[Array, bool]:
        """Return the best α from a start, with that of the class ``fixed`` unchanged: Newton steps, or Minka's fixed point."""
        free = self.given > 0
        alpha = np.where(free, alpha, 0.0) if fixed is None else np.where(free | (np.arange(self.size) == fixed), alpha, 0.0)
        if fixed is not None:
            free[fixed] = False
        value, n = self.log_likelihood(alpha), float(self.totals[2].sum())
        for _ in range(MAX_STEPS):
            gradient, d, t, s = self.derivatives(alpha)
            if not free.any() or np.abs(gradient[free]).max() <= TOLERANCE * n:
                return alpha, True
            new, found = alpha.copy(), -np.inf
            with np.errstate(all="ignore"):
                ahead, back = gradient[free] / d[free], s[free] / d[free]
                rest = 1 - t * (s[free] @ back)
                if (d[free] > 0).all() and rest > 0:
                    step = ahead + t * (s[free] @ ahead) / rest * back
                    new[free] = alpha[free] * np.exp(step * min(1.0, LONGEST / np.abs(step).max()))
                    found = self.log_likelihood(new)
            if not found >= value - 1e-12 * abs(value):
                by_total = float((self.totals[2] / (s.sum() + self.totals[1])).sum())
                new[free] = (gradient + s * by_total)[free] / by_total
                found = self.log_likelihood(new)
            alpha, value = new, found
        return alpha, False

    def highest(self, fixed: int, at: float, near: Array) -> float:
        """Return the log-likelihood with the α of one class (or the common α) fixed, the highest over the other classes."""
        if self.size == 1:
            return self.log_likelihood(np.array([at], np.float64))
        start = np.array(near) if (np.isfinite(near) & (self.given > 0) == (near > 0)).all() else self.start()
        start[fixed] = at
        return self.log_likelihood(self.fit(start, fixed)[0])


def _more_than(key: Int64, count: Int64, often: Any = None) -> Cells:
    """Return a key, j, and how many of its counts, which occur so ``often``, are above j, for each key and j below its largest count."""
    most = np.zeros(int(key.max(initial=0)) + 1, np.int64)
    np.maximum.at(most, key, count)
    checks.room("a table of counts", 40.0 * most.sum())
    ends = np.append(0, np.cumsum(most))
    kept = count > 0
    exactly = np.bincount(ends[key[kept]] + count[kept] - 1, None if often is None else often[kept], ends[-1])
    of = np.repeat(np.arange(len(most)), most)
    at_least = np.append(np.cumsum(exactly[::-1])[::-1], 0)
    found, whole = at_least[:-1] - at_least[ends[of + 1]], often is None or often.dtype.kind == "i"
    return of.astype(np.int64), (np.arange(ends[-1]) - ends[of]).astype(np.int64), found.astype(np.int64) if whole else found
