"""The Dirichlet prior under which the labels of all cases together are most probable: maximum marginal likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array, Bools, Int64
from .._base.axes import Frozen
from .._base.laws import t_quantile
from .._base.ragged import row_of
from ..annotations import Labels
from ..annotations.joins import tells_joins
from ..resampling import check_level, ids_of_cases
from ..resampling.design import refuse_clusters
from ..resampling.frequencies import check_counts, frequency_of
from . import profiles

SPAN = -23.0, 16.0  # range of log α: outside, the likelihood differs from that of a prior of 0 or infinity by 1e-6 at most
GRID = np.linspace(*SPAN, 65)
TOLERANCE = 1e-8  # largest gradient in log α at the maximum, as a share of the labels
MAX_STEPS = 1000
LONGEST = 2.0  # longest step in log α
NO_LABELS, ONE_LABEL = "case without labels", "case with one label (shows nothing about a symmetric prior)"


@dataclass(frozen=True, eq=False, repr=False)
class DirichletPrior(Frozen):
    """The Dirichlet prior that :func:`fit_dirichlet_prior` fitted to labels; :func:`dirichlet` accepts it as ``prior``.

    Attributes
    ----------
    value : float or (K,) array
        α, for all classes or for each; 0 or inf at an edge.
    log_likelihood : float
        Log-likelihood of the labels in their order (without multinomial coefficients) at the maximum.
    converged : bool
        Whether the gradient in log α is 0 within 1e-8 of the number of labels, or the maximum is at an edge.
    at_edge : {"", "zero", "infinity"}
        ``"zero"``: in every case all labels are equal. ``"infinity"``: labels of a case agree no more than labels of different cases do.
    n_cases, n_classes : int
        Number of informative cases, and of classes.
    left_out : mapping
        Number of uninformative cases, by reason.

    Examples
    --------
    >>> import ugt
    >>> prior = ugt.truth.fit_dirichlet_prior(ugt.Labels.from_counts([[4, 0, 1], [0, 5, 0], [2, 2, 1], [0, 1, 4], [5, 0, 0], [1, 0, 4]]))
    >>> round(prior.value, 3), [round(end, 2) for end in prior.interval()]
    (0.397, [0.11, 1.6])
    >>> round(prior.log_likelihood - prior.log_likelihood_at(0.1), 2)
    2.17
    """

    value: Any
    log_likelihood: float
    converged: bool
    at_edge: str
    n_cases: int
    n_classes: int
    left_out: Mapping[str, int]
    counts: Any = field(repr=False)

    @property
    def per_class(self) -> bool:
        """Whether each class has its own α."""
        return np.ndim(self.value) > 0

    def is_of(self, labels: Labels) -> bool:
        """Return whether the prior was fitted to these labels, as one number that changes with every case."""
        own, (offsets, index, count) = self.counts, labels.class_counts()
        alike = ((own.row, row_of(offsets)), (own.index, index), (own.count, count))
        return not self.per_class and not self.at_edge and all(np.array_equal(*pair) for pair in alike)

    def log_likelihood_at(self, prior: object) -> float:
        """Return the log-likelihood of the labels under another prior: a number or (K,) numbers, all above 0."""
        alpha = np.broadcast_to(np.asarray(prior, np.float64), (self.n_classes,))
        if not (np.isfinite(alpha) & (alpha > 0)).all():
            raise checks.error("prior", f"be one number or {self.n_classes}, finite and above 0", repr(prior))
        return float(self.counts.log_likelihood_at(alpha))

    def interval(self, level: float = 0.95, *, kind: str | None = None) -> Any:
        """Return the interval ``(low, high)`` of α, or (K, 2) of each class.

        Parameters
        ----------
        level : float
            Level of the interval, in (0, 1).
        kind : {"profile", "sandwich"}, optional
            ``"profile"``: where the log-likelihood, highest over the other classes, is χ²₁ / 2 below its maximum; 0 or inf if an end is
            open. ``"sandwich"``: Student's interval for log α with the variance Σ s² / H² over cases or clusters, for data that may not
            follow the model. Default: ``"profile"``, or ``"sandwich"`` with clusters.

        Raises
        ------
        ValueError
            If ``level`` or ``kind`` is out of range.
        """
        if kind is None:
            kind = "profile" if self.counts.group is None else "sandwich"
        if checks.option("kind", kind, ("profile", "sandwich")) == "sandwich":
            return self._sandwich(check_level(level))
        if not self.per_class:
            return self._profile(level, None)
        return np.array([self._profile(level, k) for k in range(self.n_classes)])

    def _profile(self, level: float, k: int | None) -> tuple[float, float]:
        value = self.value if k is None else self.value[k]
        with np.errstate(divide="ignore"):
            at = float(np.clip(np.log(value), *SPAN))

        def of(t: float) -> float:
            return float(self.counts.highest(0 if k is None else k, float(np.exp(t)), np.atleast_1d(self.value)))

        return profiles.ends(of, at, max(self.log_likelihood, of(at)), SPAN, level)

    def _sandwich(self, level: float) -> Any:
        value = np.atleast_1d(self.value)
        found = np.stack([np.zeros(len(value)), np.full(len(value), np.inf)], axis=1)
        free = np.isfinite(value) & (value > 0)
        scores = np.empty((0, 1)) if self.at_edge else self.counts.scores(value)[:, free]
        often = None if self.counts.times is None else self.counts.times[self.counts.told]
        n = len(scores) if often is None or self.at_edge else int(often.sum())
        if n < 2:
            return found if self.per_class else (0.0, np.inf)
        bread = np.linalg.inv(self.counts.information(value)[np.ix_(free, free)])
        scores = scores - (scores.mean(0) if often is None else often @ scores / n)
        products = (scores if often is None else scores * often[:, None]).T @ scores
        error = np.sqrt(np.diag(bread @ products @ bread) * n / (n - 1))
        width = error * t_quantile(n - 1, 0.5 + level / 2)
        found[free] = value[free, None] * np.exp(np.stack([-width, width], axis=1))
        return found if self.per_class else (float(found[0, 0]), float(found[0, 1]))


class LabelCounts:
    """The sums of counts for the likelihood ``Σ_i log [Π_k α_k (α_k + 1) … (α_k + c_ik - 1) / A (A + 1) … (A + n_i - 1)]``, A = Σ α.

    ``cells`` (3, E): class, j, and in how many cases the class has more than j labels; ``totals`` (3, J): 0, j, and how many cases have
    more than j labels. The cost does not depend on the number of cases. ``times`` (N,): how many equal cases each stands for.
    """

    def __init__(self, labels: Labels, per_class: bool, group: Int64 | None, times: Array | None = None) -> None:
        offsets, index, count = labels.class_counts()
        self.n_classes, self.group, self.size = labels.n_classes, group, labels.n_classes if per_class else 1
        self.row, self.index, self.count = row_of(offsets), index.astype(np.int64), np.asarray(count, np.int64)
        self.n = np.bincount(self.row, self.count, labels.n_cases).astype(np.int64)
        self.times, self._of_row = times, None if times is None else times[self.row]
        self.cells = _more_than(self.index if per_class else np.zeros_like(self.index), self.count, self._of_row)
        self.totals = _more_than(np.zeros_like(self.n), self.n, times)

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
        cells = _more_than(self.index, self.count, self._of_row)
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
        found = self.n > (0 if self.size > 1 else 1)
        return found if self.times is None else found & (self.times > 0)

    def number(self, of: Bools) -> int:
        """Return the number of cases that some of them (N,) stand for."""
        return int(of.sum() if self.times is None else self.times[of].sum())

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
        if self.group is None:
            return found
        unit = np.unique(self.group[self.told], return_inverse=True)[1].reshape(-1)
        summed = np.zeros((int(unit.max()) + 1, self.size))
        np.add.at(summed, unit, found)
        return summed

    def edge(self) -> str:
        """Return the edge at which the likelihood is highest, α → 0 or α → ∞, or ""."""
        if self.totals[2][self.totals[1] > 0].sum() == self.cells[2][self.cells[1] > 0].sum():
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


def _more_than(key: Int64, count: Int64, times: Array | None = None) -> Int64:
    """Return (3, E): a key, j, and how many of its counts are above j, for each key and each j below its largest count.

    ``times``: how often each count occurs; None: once.
    """
    most = np.zeros(int(key.max(initial=0)) + 1, np.int64)
    np.maximum.at(most, key, count)
    checks.room("a table of counts", 40.0 * most.sum())
    ends = np.append(0, np.cumsum(most))
    kept = count > 0
    often = None if times is None else times[kept]
    exactly = np.bincount(ends[key[kept]] + count[kept] - 1, often, ends[-1])
    of = np.repeat(np.arange(len(most)), most)
    at_least = np.append(np.cumsum(exactly[::-1])[::-1], 0)
    return np.stack([of, np.arange(ends[-1]) - ends[of], at_least[:-1] - at_least[ends[of + 1]]]).astype(np.int64)


@tells_joins
def fit_dirichlet_prior(labels: Any, *, per_class: bool = False, clusters: Any = None, frequency: Any = None) -> DirichletPrior:
    r"""Fit the Dirichlet prior under which the labels of all cases together are most probable.

    The labels of case i, with counts c_ik, n_i in all, are draws from plausibilities with a Dirichlet(α) distribution; A = Σ α. The fit
    maximises

    .. math:: ℓ(α) = \sum_i \Bigl[\log\frac{Γ(A)}{Γ(A + n_i)} + \sum_k \log\frac{Γ(α_k + c_{ik})}{Γ(α_k)}\Bigr]

    Parameters
    ----------
    labels : Labels
        Labels with at least two labels in one case.
    per_class : bool
        Whether each class has its own α; by default all classes have one α.
    clusters : (N,) ids, or mapping of case id to cluster, optional
        Cases that belong together; :meth:`DirichletPrior.interval` is then over clusters.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases f_i each row of counts stands for: the term of case i counts f_i times. Not with annotators who have names,
        and not with clusters.

    Returns
    -------
    DirichletPrior
        The prior for :func:`dirichlet`, with its interval.

    Raises
    ------
    TypeError, ValueError
        If ``labels`` are of another type, or no case has two labels: then every symmetric prior is equally likely; if frequencies are
        negative, not whole or missing, or beside names of annotators or clusters.

    Warns
    -----
    RuntimeWarning
        If the maximum is at an edge (0 or infinity), or was not found.

    Notes
    -----
    Labels show how a further annotator of a case will label (through α with reliability 1), not how often annotators are right: errors
    that all annotators share are invisible. The fit assumes that labels are independent (reliability 1);
    :func:`fit_predictive_reliability` does not. With ``per_class``, a class without labels has α = 0.

    References
    ----------
    Minka (2000), "Estimating a Dirichlet distribution"; the Dirichlet-multinomial likelihood of Stutz et al. (2023), appendix A.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_counts([[4, 0, 1], [0, 5, 0], [2, 2, 1], [0, 1, 4], [5, 0, 0], [1, 0, 4]])
    >>> ugt.truth.fit_dirichlet_prior(labels, per_class=True).value.round(2).tolist()
    [0.48, 0.31, 0.43]
    >>> ugt.dirichlet(labels, prior=ugt.truth.fit_dirichlet_prior(labels)).mean()[0].round(2).tolist()
    [0.71, 0.06, 0.23]
    """
    checks.instance("labels", labels, Labels, "be Labels")
    group, times = None, None
    if frequency is not None:
        check_counts("labels", labels)
        refuse_clusters(clusters)
        times = frequency_of(frequency, labels.n_cases, labels.axes.case_ids)
    if clusters is not None:
        ids = ids_of_cases("clusters", clusters, labels.n_cases, labels.axes.case_ids)
        group = np.unique(ids, return_inverse=True)[1].reshape(-1)
    per_class = checks.flag("per_class", per_class)
    counts = LabelCounts(labels, per_class and labels.n_classes > 1, group, times)
    if not (counts.told & (counts.n > 1)).any():
        raise checks.error("labels", "have a case with two labels: one label per case shows nothing about the prior", "none")
    edge = counts.edge()
    alpha, converged = (np.full(counts.size, 0.0 if edge == "zero" else np.inf), True) if edge else counts.fit(counts.start())
    if edge == "infinity":
        alpha[counts.given == 0] = 0.0
    limit = np.exp(-60.0 if edge == "zero" else 40.0) * counts.given / counts.given.sum()
    log_likelihood = counts.log_likelihood(limit if edge else alpha)
    told = counts.told
    silent = {NO_LABELS: counts.number(counts.n == 0), ONE_LABEL: counts.number((counts.n == 1) & ~told)}
    if edge or not converged:
        notices.warn(_EDGES[edge] if edge else "fit of the prior did not converge", stacklevel=2)
    value = alpha if per_class else float(alpha[0])
    left_out = {reason: n for reason, n in silent.items() if n}
    return DirichletPrior(value, log_likelihood, converged, edge, counts.number(told), labels.n_classes, left_out, counts)


_EDGES = {
    "zero": "the fitted prior is 0: in every case all labels are equal, so that no case is uncertain; the interval shows how large the "
    "prior may be",
    "infinity": "the fitted prior is infinite: labels of a case agree no more than those of different cases, so that no finite prior fits "
    "best; the interval shows how small the prior may be",
}
