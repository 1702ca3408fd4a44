"""The Dirichlet prior under which the labels of all cases together are most probable: maximum marginal likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks, notices
from .._base.axes import Frozen
from .._base.laws import t_quantile
from .._base.ragged import row_of
from ..annotations import Labels
from ..annotations.joins import tells_joins
from ..plausibilities.frequent import rows_of
from ..resampling import check_level, ids_of_cases
from ..resampling.design import refuse_clusters
from . import profiles
from .label_counts import SPAN, LabelCounts

NO_LABELS, ONE_LABEL = "case without labels", "case with one label (shows nothing about a symmetric prior)"
NO_WEIGHT = "case of weight 0"


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
        return self.counts.once and not self.per_class and not self.at_edge and all(np.array_equal(*pair) for pair in alike)

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
            follow the model. Default: ``"profile"``, or ``"sandwich"`` with clusters or weights of cases, which have no other.

        Raises
        ------
        ValueError
            If ``level`` or ``kind`` is out of range.
        """
        weighted = self.counts.weights is not None
        if kind is None:
            kind = "profile" if self.counts.group is None and not weighted else "sandwich"
        if kind == "profile" and weighted:
            must = "be 'sandwich' with weights of cases, for which differences of the log-likelihood have no known law"
            raise checks.error("kind", must, repr(kind))
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
        times = self.counts.times_of_units(len(scores))
        n = float(times.sum())
        if n < 2:
            return found if self.per_class else (0.0, np.inf)
        bread = np.linalg.inv(self.counts.information(value)[np.ix_(free, free)])
        scores = scores - np.average(scores, axis=0, weights=times)
        error = np.sqrt(np.diag(bread @ (scores.T * times @ scores) @ bread) * n / (n - 1))
        width = error * t_quantile(n - 1, 0.5 + level / 2)
        found[free] = value[free, None] * np.exp(np.stack([-width, width], axis=1))
        return found if self.per_class else (float(found[0, 0]), float(found[0, 1]))


@tells_joins
def fit_dirichlet_prior(
    labels: Any, *, per_class: bool = False, clusters: Any = None, frequency: Any = None, case_weights: Any = None
) -> DirichletPrior:
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
        How many equal cases each row stands for: the fit and its intervals are those of the rows repeated. Not with clusters.
    case_weights : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        How many cases of a population each sampled case represents, by which its part of ℓ is multiplied. The interval is the sandwich.

    Returns
    -------
    DirichletPrior
        The prior for :func:`dirichlet`, with its interval.

    Raises
    ------
    TypeError, ValueError
        If ``labels`` are of another type, or no case has two labels: then every symmetric prior is equally likely.

    Warns
    -----
    RuntimeWarning
        If the maximum is at an edge (0 or infinity), or was not found.

    Notes
    -----
    Labels show how a further annotator of a case will label (through α with reliability 1), not how often annotators are right: errors
    that all annotators share are invisible. The fit assumes that labels are independent (reliability 1);
    :func:`fit_predictive_reliability` does not. With ``per_class``, a class without labels has α = 0.

    A prior of frequencies or weights counts as one that was given: intervals of metrics do not have the spread of its fit.

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
    group = None
    if clusters is not None:
        ids = ids_of_cases("clusters", clusters, labels.n_cases, labels.axes.case_ids)
        group = np.unique(ids, return_inverse=True)[1].reshape(-1)
    times, weights = rows_of("labels", None, frequency, case_weights, labels.n_cases, labels.axes.case_ids)
    if times is not None:
        refuse_clusters(clusters)
    per_class = checks.flag("per_class", per_class)
    counts = LabelCounts(labels, per_class and labels.n_classes > 1, group, times, weights)
    if not counts.number(counts.n > 1):
        raise checks.error("labels", "have a case with two labels: one label per case shows nothing about the prior", "none")
    edge = counts.edge()
    alpha, converged = (np.full(counts.size, 0.0 if edge == "zero" else np.inf), True) if edge else counts.fit(counts.start())
    if edge == "infinity":
        alpha[counts.given == 0] = 0.0
    limit = np.exp(-60.0 if edge == "zero" else 40.0) * counts.given / counts.given.sum()
    log_likelihood = counts.log_likelihood(limit if edge else alpha)
    told = counts.told
    silent = {NO_LABELS: counts.number(counts.n == 0), ONE_LABEL: counts.number((counts.n == 1) & ~told)}
    silent[NO_WEIGHT] = 0 if weights is None else int((weights == 0).sum())
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
