"""What is open about one more judgement of a case, and its parts: what all such annotators leave open, and what these annotations do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, NDArray
from .._base.lazy import cached_property
from ..annotations.joins import tells_joins
from ..plausibilities import as_plausibilities
from ..plausibilities import estimates as results
from ..plausibilities.frequent import counts_of
from ..plausibilities.open_parts import LOSSES, Parts
from ..resampling import Ratios, Result
from ..resampling.case_weights import Counts
from .open_numbers import NAMES, OF_NUMBER, OpenParts, along_prior, columns_of, columns_of_truth, defined_parts, kinds_of


@dataclass(frozen=True, eq=False, repr=False)
class UncertaintyParts(Result):
    """What is open about one more judgement of a case, and its two parts.

    Numbers are means over cases in units of the loss. Methods take their names as ``of=``: ``"total"`` (the default), ``"inherent"``,
    ``"annotation"`` and ``"inherent_share"``.

    Attributes
    ----------
    value, total : float
        What is open about one more label: the expected loss of the best forecast.
    inherent : float
        What would stay open with any number of such annotators.
    annotation : float
        What these annotations leave open; ``total`` less ``inherent``.
    inherent_share : float
        ``inherent / total``; NaN if nothing is open.
    per_case, inherent_per_case, annotation_per_case : (N,) arrays
        The same of each case; NaN for a case that is left out. The first is ``total``.
    mc_errors : (3,) tuple
        Monte Carlo standard errors of ``total``, ``inherent`` and ``annotation``; 0 if they are exact.
    loss : str
        The loss.
    n_cases, left_out : int, mapping
        Cases counted, and cases left out by reason.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[30, 30], [1, 1]]), prior=1.0)
    >>> found = ugt.truth.uncertainty_parts(post)
    >>> found.kinds().tolist(), found.annotation_per_case.round(3)
    (['ambiguous', 'under-annotated'], array([0.008, 0.11 ]))
    """

    value: float
    inherent: float
    annotation: float
    inherent_share: float
    per_case: Array
    inherent_per_case: Array
    annotation_per_case: Array
    mc_errors: tuple[float, float, float]
    loss: str
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _of: Any = field(default=None, repr=False)
    _ids: Any = field(default=None, repr=False)
    _times: Array | None = field(default=None, repr=False)

    @cached_property
    def statistic(self) -> OpenParts:
        made_of = self._of.made_of
        again = None if made_of is None else made_of.added(partial(columns_of_truth, self.loss))
        columns = columns_of(Parts(self.per_case, self.inherent_per_case))
        found = OpenParts(columns, self._of.n_classes, self.loss, made_of, None if again is None else again())
        found.times = self._times
        return found

    @property
    def total(self) -> float:
        """What is open about one more label."""
        return self.value

    def _ends(self, number: int, level: float, kind: str, given: dict[str, Any], random: tuple[str, ...]) -> tuple[float, float]:
        alone = super()._ends(number, level, kind, given, random)
        low, high = self.along_prior(np.array([alone]), level, given["clusters"], [number])[0]
        return float(low), float(high)

    def intervals(self, level: float = 0.95, **asked: Any) -> Array:
        """Return the (4, 2) intervals of all numbers, in the order of their names; arguments and errors as of :meth:`interval`."""
        found = super().intervals(level, **asked)
        return found if "annotators" in asked.get("random", ()) else self.along_prior(found, level, asked.get("clusters"))

    def along_prior(self, ends: Array, level: float, clusters: object = None, numbers: Sequence[int] = range(4)) -> Array:
        """Return intervals (M, 2) of some numbers that contain those of the priors within the interval of a fitted one; see there."""
        made_of, kept = self._of.made_of, ~np.isnan(self.per_case)
        if made_of is None or made_of.fit is None or not kept.any():
            return ends
        apart = along_prior(self.loss, made_of, kept, level, None if clusters is None else self._design(clusters, None))[:, list(numbers)]
        value, spans = self.statistic.estimate[list(numbers)], self.statistic.facts.spans[list(numbers)]
        low, high = np.clip(value + apart.min(axis=0), *spans.T), np.clip(value + apart.max(axis=0), *spans.T)
        return np.stack([np.minimum(ends[:, 0], low), np.maximum(ends[:, 1], high)], axis=1)

    def kinds(self) -> NDArray[Any]:
        """Return whether each case (N,) is ``"under-annotated"`` or ``"ambiguous"``; "" if nothing is open, or if it is undefined.

        A case is under-annotated if annotations leave open a larger share of what is open about it than in the data as a whole.
        """
        return kinds_of(self.inherent_per_case, self.annotation_per_case, self._times)

    def settled(self, n_annotators: int = 1, *, reliability: float = 1.0) -> Settled:
        """Return what labels of more annotators are expected to settle of the part that annotations leave open.

        The labels follow the posterior, as in :func:`expected_certainty`. The expectation is exact. For the quadratic loss and γ = 1 they
        settle the share m / (A + m) of a case with concentrations of sum A; for the 0/1 loss all possible labels are enumerated.

        Parameters
        ----------
        n_annotators : int
            Additional annotators per case, m of at least 0.
        reliability : float
            γ > 0, as in the posterior.

        Returns
        -------
        Settled

        Raises
        ------
        TypeError, ValueError
            If the truth is no Dirichlet posterior, an option is out of range, or there are over two million possible outcomes (0/1 loss).
        """
        n, gamma = checks.whole("n_annotators", n_annotators, 0), checks.scalar("reliability", reliability, positive=True)
        left = self._of.annotation_after(n, LOSSES[self.loss], gamma) if n else self.annotation_per_case
        left = np.where(np.isnan(self.per_case), np.nan, left)
        per_case = self.annotation_per_case - left
        if self._times is None:
            (value, n_cases), (rest, _) = map(results.mean_of, (per_case, left))
            return Settled(value, per_case, left, rest, n, n_cases, self.left_out, self._ids)
        counts = Counts(self._times, False)
        (value, n_cases), (rest, _) = map(counts.mean, (per_case, left))
        return Settled(value, per_case, left, rest, n, n_cases, self.left_out, self._ids, counts)

    def curve(self, most: int = 20, *, reliability: float = 1.0) -> Array:
        """Return what annotations are expected to leave open (most + 1,) after labels of 0, 1, …, ``most`` further annotators per case."""
        n = checks.whole("most", most, 0)
        return np.array([self.settled(m, reliability=reliability).left for m in range(n + 1)])


@dataclass(frozen=True, eq=False, repr=False)
class Settled(results.MeanOfCases):
    """What labels of more annotators are expected to settle, for each case.

    Attributes
    ----------
    value : float
        Mean over cases of what the labels settle, in units of the loss.
    per_case, left_per_case : (N,) arrays
        What they settle in each case, and what annotations still leave open; NaN if undefined.
    left : float
        Mean over cases of what annotations still leave open.
    n_annotators : int
        Additional annotators per case.
    n_cases, left_out : int, mapping
        Cases counted, and cases left out by reason.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[2, 1], [4, 0]]), prior=1.0)
    >>> found = ugt.truth.uncertainty_parts(post, loss="quadratic").settled(5)
    >>> found.share, round(found.left, 4)
    (array([0.5       , 0.45454545]), 0.0308)
    """

    value: float
    per_case: Array
    left_per_case: Array
    left: float
    n_annotators: int
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _ids: Any = field(default=None, repr=False)
    _times: Counts | None = field(default=None, repr=False)

    @property
    def share(self) -> Array:
        """(N,) share of what annotations leave open that the labels settle; NaN if they leave nothing open."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.per_case / (self.per_case + self.left_per_case))


@tells_joins
def uncertainty_parts(truth: object, *, loss: str = "log", frequency: object = None) -> UncertaintyParts:
    r"""Return what is open about one more judgement of each case, and how much of it further annotators could settle.

    Let λ be the plausibilities of a case. With the entropy H, what is open about one more label is

    .. math:: H(E λ) = E H(λ) + I(\text{label}; λ)

    ``E H(λ)`` would stay open with any number of such annotators: it is inherent to the case. The mutual information of the label and λ is
    what these annotations leave open, which further labels settle. Other losses split in the same way:

    ============= =============================== ======================== ==========================
    loss          total                           inherent                 annotation
    ============= =============================== ======================== ==========================
    ``log``       H(E λ)                          E H(λ)                   mutual information, nats
    ``quadratic`` 1 - Σ (E λ)²                    Σ E λ(1 - λ)             Σ Var λ
    ``zero_one``  1 - max E λ                     1 - E max λ              E max λ - max E λ
    ============= =============================== ======================== ==========================

    The inherent part of the quadratic loss is the probability that two further annotators of a case give different labels.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K)
        Plausibilities. Cases without annotations are left out and counted.
    loss : {"log", "quadratic", "zero_one"}
        The loss of a forecast of one more label.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for, as in :func:`ua_topk_accuracy`.

    Returns
    -------
    UncertaintyParts
        The parts, which add up to the total. For a Dirichlet posterior they are exact: ``E H = ψ(A + 1) - Σ c_k/A ψ(c_k + 1)`` with
        concentrations c of sum A, ``Σ Var λ = (1 - Σ (c_k/A)²) / (A + 1)``, and ``E max λ`` by quadrature. Plausibilities that are known
        (a Point) leave nothing open for annotations. All others have Monte Carlo standard errors.

    Raises
    ------
    TypeError, ValueError
        If ``truth`` is neither plausibilities nor such an array, such as a posterior of ratings, or the loss is unknown; if frequencies
        are negative, not whole or missing, or the truth cannot have any.

    Notes
    -----
    The parts depend on the truth model: which share is inherent rests on the prior, unless many cases have many labels. Do not quote them
    if :func:`split_panel_check` refutes the model. "Such annotators" are those of the panel: what they all overlook is open to none of
    them. Cases are NaN and counted if one annotation says nothing: in a Point, cases with one; in a posterior with a given prior all
    cases, if none has two.

    ``interval(of="inherent_share")`` is over cases; ``random=("cases", "annotators")`` and ``two_way`` are over annotators, too.
    Intervals include that a prior was fitted to the same annotations. For Draws the total is too low by about its Monte Carlo variance.

    References
    ----------
    [A] Stutz et al. (2023), sec. 1-2: inherent uncertainty and annotation uncertainty. Depeweg et al., "Decomposition of uncertainty in
    Bayesian deep learning", ICML 2018. DeGroot, "Uncertainty, information, and sequential experiments", Ann. Math. Statist. 33 (1962) 404.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[10, 10], [1, 0], [5, 0]]), prior=0.5)
    >>> found = ugt.truth.uncertainty_parts(post)
    >>> found.inherent_per_case.round(3), found.annotation_per_case.round(3)
    (array([0.67 , 0.386, 0.226]), array([0.023, 0.176, 0.061]))
    >>> round(found.inherent_share, 3)
    0.832
    """
    post = as_plausibilities(truth)
    counts = counts_of(frequency, None, post)
    times = None if counts is None else counts.times
    parts, left_out = defined_parts(post, checks.option("loss", loss, tuple(LOSSES)), times)
    columns = columns_of(parts)
    n, of_all = (int(one.sum() if times is None else times @ one) for one in (columns[:, 4], np.ones(len(columns))))
    numbers = Ratios(columns, OF_NUMBER, NAMES)
    numbers.times = times
    value, inherent, annotation, share = numbers.estimate.tolist()
    if missing := of_all - n - sum(left_out.values()):
        left_out = {results.NO_ANNOTATIONS: missing, **left_out}
    if n == 0:
        results.left_out(parts.total, " or ".join(left_out))
    errors = parts.errors if n else (math.nan, math.nan, math.nan)
    each = parts.total, parts.inherent, parts.annotation
    return UncertaintyParts(value, inherent, annotation, share, *each, errors, loss, n, left_out, post, post.ids_or_none, times)
