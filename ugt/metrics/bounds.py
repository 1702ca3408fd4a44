"""Bounds of the accuracy against the true class, if annotations are all that is known of the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from .._base.arrays import Array, Bools, Int32
from .._base.checks import error, room, whole
from .._base.wording import arg
from ..annotations.joins import tells_joins
from ..plausibilities import as_plausibilities
from ..plausibilities.estimates import NO_ANNOTATIONS
from ..plausibilities.frequent import counts_of
from ..plausibilities.protocol import Plausibilities
from ..resampling import Alike, GroupSums, NumberFacts, Resamples, Result, Statistic, by_case, distinct_rows, over
from .given import orders_of
from .places import groups_of, in_order, solved
from .true_class import TrueClassBounds, UnderCondition, bounds_of, only_with_assume

SURE = 1 - 1e-9  # probability of a class that is certain
NAMES = ("agreement", "lower", "upper", "independent", "always_right", "copying")
LEAST_CASES = 50  # cases per group; bounds of smaller groups are too narrow by chance
CASES_A_PARAMETER, MOST_CELLS = 20, 2 * 10**7  # least cases per parameter of the full form, and the largest table that it may take


class Assumed(Statistic):
    """The accuracy under each assumption, as functions of sums over the cases of each group."""

    names = NAMES
    span = (0.0, 1.0)

    def __init__(self, pi: Array, chosen: Array, k: int, least: int, times: Array | None = None) -> None:
        """Group the cases; ``pi`` (N, K): probabilities of each class to be the true one, or NaN; ``chosen`` (N, K): shares of the k."""
        self.n_cases, self._k, self._n_classes, self.times = len(pi), k, pi.shape[1], times
        self._kept = self.standing(np.asarray(~np.isnan(pi).any(axis=1)))
        self._often, everything = None if times is None else times[self._kept], self._kept.all()
        pi, chosen = (table if everything else table[self._kept] for table in (pi, chosen))  # without a copy if possible
        n, n_classes = pi.shape
        self.full = CASES_A_PARAMETER * n_classes**2 <= self.number_of(self._kept) and n <= MOST_CELLS // n_classes**2
        row, found = None if everything else np.flatnonzero(self._kept), distinct_rows(np.concatenate([pi, chosen], axis=1))
        self._alike = None if found is None else Alike(row, found[1], found[0])
        first: Any = slice(None) if found is None else found[0]
        self._code: Int32 = np.arange(n, dtype=np.int32) if found is None else found[1]
        pi, chosen = pi[first], chosen[first]  # of the distinct cases
        room("bounds of the accuracy", 8.0 * len(pi) * (4 + 3 * n_classes + (2 * n_classes**2 if self.full else 0)))
        self._tables = (pi, chosen) if self.full else None
        aligned, own = in_order(pi, chosen)
        self._group, self.n_groups = groups_of(aligned, np.bincount(self._code, self._often, len(pi)), least)
        columns = self._columns(pi, chosen, aligned)
        # places that are alike in every case, of classes that no annotator mentioned, are one place
        new = np.append(True, ((aligned[:, 1:] != aligned[:, :-1]) | (own[:, 1:] != own[:, :-1])).any(axis=0))
        self._times = np.diff(np.append(np.flatnonzero(new), n_classes)).astype(np.float64)
        self._each, self._aligned, self._own = columns[:, :5].copy(), aligned.compress(new, axis=1), own.compress(new, axis=1)
        by_group = np.concatenate([np.ones((len(pi), 1)), self._aligned, self._own], axis=1)
        one = np.zeros(len(pi), np.int32)
        self._grouped = GroupSums(row, self._group, by_group, self.n_groups, self._alike)
        self._summed = GroupSums(row, one, columns, 1, self._alike)
        self.work = n * (1 + 2 * n_classes + columns.shape[1])

    def beside(self, other: Assumed) -> None:
        """Count the distinct cases together with another statistic of the same cases, if they are the same ones."""
        if self._alike is not None and other._alike is not None and np.array_equal(self._code, other._code):
            self._code, self._alike = other._code, other._alike
            self._grouped.alike = self._summed.alike = other._alike

    @property
    def facts(self) -> NumberFacts:
        """Facts with the ranges (6, 2): ``independent`` may lie outside of 0 to 1, which refutes its assumption."""
        found = np.tile([0.0, 1.0], (len(self.names), 1))
        found[self.names.index("independent")] = -np.inf, np.inf
        return NumberFacts.of(len(found), lambda: found)

    def _columns(self, pi: Array, y: Array, aligned: Array) -> Array:
        """Return (n, S) per case: 1, agreement, Σ π², the values of a model that is always right and of a copy; then π, ππᵀ and πyᵀ."""
        k = self._k
        copied = aligned[:, :k].sum(axis=1)
        # a model that is always right is taken to choose the true class and the k - 1 most plausible of the others
        with_true = aligned[:, : k - 1].sum(axis=1)[:, None] + aligned[:, k:]
        right = copied**2 + (aligned[:, k:] * with_true).sum(axis=1)
        columns = [np.ones(len(pi)), (pi * y).sum(axis=1), (pi**2).sum(axis=1), right, copied]
        if not self.full:
            return np.stack(columns, axis=1)
        products = [(pi[:, :, None] * other[:, None, :]).reshape(len(pi), -1) for other in (pi, y)]
        return np.concatenate([np.stack(columns, axis=1), pi, *products], axis=1)

    @property
    def group(self) -> Int32:
        """The group of each kept case."""
        return self._group[self._code]

    @property
    def form(self) -> str:
        """Which of the two forms computes the accuracy under independent errors."""
        return "full" if self.full else "one parameter"

    @property
    def kept(self) -> Bools:
        """(N,) whether the plausibilities of a case are defined."""
        return self._kept

    def sums(self, cases: Array | None = None) -> Array:
        """Return the (B, G (1 + 2A) + S) weighted sums: of each group, with A places that differ, then of all cases."""
        cases = (np.ones((1, self.n_cases)) if self.times is None else self.times[None]) if cases is None else cases
        both = self._grouped, self._summed
        if self._alike is None:
            weights = by_case(cases)
            parts = [one.sums(weights) for one in both]
        else:
            times = self._alike.times_in(cases)
            parts = [one.sums_of(times) for one in both]
        return np.concatenate([part.reshape(len(cases), -1) for part in parts], axis=1)

    def _parted(self, sums: Array) -> tuple[Array, Array, Array, Array]:
        """Split the sums into (B, G, 1) cases and (B, G, A) sums of p and of q per group, and the (B, S) sums over all cases."""
        k = len(self._times)
        width = 1 + 2 * k
        grouped, rest = sums[:, : self.n_groups * width].reshape(len(sums), self.n_groups, width), sums[:, self.n_groups * width :]
        return grouped[..., :1], grouped[..., 1 : 1 + k], grouped[..., 1 + k :], rest

    def answer(self, sums: Array) -> Array:
        """Return the (B, 6) numbers in the order of ``NAMES``."""
        size, p, q, rest = self._parted(sums)
        n = rest[:, 0]
        lower, upper = ((one * self._times).sum(axis=(1, 2)) for one in (np.maximum(p + q - size, 0.0), np.minimum(p, q)))
        agreement, squares, right, copied = (over(rest[:, j], n) for j in range(1, 5))
        independent = self._inverted(rest[:, 5:]) / n if self.full else self._one_parameter(agreement, squares)
        return np.stack([agreement, over(lower, n), over(upper, n), independent, right, copied], axis=1)

    def _one_parameter(self, agreement: Array, squares: Array) -> Array:
        """Return the (B,) accuracies under independent errors that fall on all other classes alike."""
        others = self._n_classes - 1
        chance = over(1.0 - squares, others)
        return over(agreement - self._k * chance, squares - chance)

    def _inverted(self, rest: Array) -> Array:
        """Return (B,) Σ_t P_t A_tt with A = (ΠᵀΠ)⁻¹ ΠᵀY, over the classes with any probability; NaN if the matrix is singular."""
        k = self._n_classes
        total, squared, crossed = rest[:, :k], rest[:, k : k + k * k].reshape(-1, k, k), rest[:, k + k * k :].reshape(-1, k, k)
        found, present = np.full(len(rest), np.nan), total > 0
        if present.all():  # the common case, and np.unique takes long
            patterns, of = present[:1], np.zeros(len(rest), np.int64)
        else:
            patterns, of = np.unique(present, axis=0, return_inverse=True)
        for i, there in enumerate(patterns):
            rows = np.flatnonzero(of.reshape(-1) == i)
            a = solved(*(table[rows][:, there][:, :, there] for table in (squared, crossed)))
            found[rows] = (total[rows][:, there] * np.diagonal(a, axis1=1, axis2=2)).sum(axis=1)
        return found

    def influence(self) -> Array:
        """Return the (N, 6) influences: (a - θ) / n of the means, with the present side of each extremum; and that of the inversion."""
        size, p, q, rest = (table[0] for table in self._parted(self.sums()))
        aligned, own, columns = self._aligned, self._own, self._each
        lower = (np.where((p + q > size)[self._group], aligned + own - 1.0, 0.0) * self._times).sum(axis=1)
        upper = (np.where((p < q)[self._group], aligned, own) * self._times).sum(axis=1)
        value = dict(zip(self.names, self.estimate))
        each = np.stack([columns[:, 1], lower, upper, columns[:, 3], columns[:, 4]], axis=1)
        n = max(1, self.number_of(self._kept))
        found = np.zeros((self.n_cases, len(self.names)))
        steps = (each - [value[name] for name in ("agreement", "lower", "upper", "always_right", "copying")]) / n
        inverted = self._step_of_inversion(rest) if self.full else self._step_of_parameter(columns, value)
        found[self._kept] = np.concatenate([steps[:, :3], inverted[:, None] / n, steps[:, 3:]], axis=1)[self._code]
        return found

    def _step_of_parameter(self, columns: Array, value: Mapping[str, float]) -> Array:
        squares = np.average(columns[self._code, 2], weights=self._often) if len(columns) else np.nan
        step, share = columns[:, 2] - squares, over(1.0, self._n_classes - 1)
        above = columns[:, 1] - value["agreement"] + (self._k * share - value["independent"] * (1.0 + share)) * step
        return over(above, squares - share * (1.0 - squares))

    def _step_of_inversion(self, rest: Array) -> Array:
        assert self._tables is not None
        k, (pi, chosen) = self._n_classes, self._tables
        total = rest[5 : 5 + k]
        there = np.flatnonzero(total > 0)
        pi, squared = pi[:, there], rest[5 + k : 5 + k + k * k].reshape(k, k)[np.ix_(there, there)]
        try:
            a = np.linalg.solve(squared, rest[5 + k + k * k :].reshape(k, k)[there])
            solved = np.linalg.solve(squared, pi.T).T
        except np.linalg.LinAlgError:
            return np.full(len(pi), np.nan)
        right = a[np.arange(len(there)), there]
        errors = (chosen - pi @ a)[:, there]
        return np.asarray(pi @ right - total[there] @ right / rest[0] + (solved * total[there] * errors).sum(axis=1))


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyBounds(Result):
    """The bounds of the accuracy against the true class, and its value under two assumptions.

    Attributes
    ----------
    value : float
        ``agreement``: expected agreement with a truth drawn from the posterior. It is the accuracy if the model knows nothing about a case
        beyond its annotations.
    lower, upper : float
        Bounds of the accuracy without an assumption on how the model and the annotators err together.
    independent : float
        The accuracy if the model's errors are independent of the annotators' given the true class. If its whole interval lies above 1,
        the assumption is refuted: the model shares the annotators' errors. NaN if the annotations do not distinguish the classes.
    always_right : float
        The ``agreement`` that a model that is always right would have.
    copying : float
        The highest ``agreement`` that any model can have, which a copy of the annotations reaches.
    form : {"full", "one parameter"}
        How ``independent`` was computed.
    n_groups : int
        Groups of cases with similar plausibilities from which the bounds are computed.
    n_cases, left_out : int, mapping
        Cases counted, and cases left out by reason.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> plausible = rng.dirichlet([1 / 3] * 3, 4000)
    >>> labels = ugt.Labels.from_counts([rng.multinomial(3, p / p.sum()) for p in plausible])
    >>> right = np.where(rng.random(4000) < 0.9, plausible.argmax(1), rng.integers(0, 3, 4000))  # whatever annotators say
    >>> found = ugt.metrics.accuracy_bounds(ugt.dirichlet(labels, prior=1 / 3), np.eye(3)[right])
    >>> [round(number, 2) for number in (found.lower, found.value, found.upper, found.independent)]
    [0.61, 0.7, 0.95, 0.94]
    """

    value: float
    lower: float
    upper: float
    independent: float
    always_right: float
    copying: float
    form: str
    n_groups: int
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _statistic: Assumed = field(default=None, repr=False)  # type: ignore[assignment]

    def outer_interval(
        self, level: float = 0.95, *, clusters: Any = None, strata: Any = None, n_resamples: int = 1000, seed: Any = 0
    ) -> tuple[float, float]:
        """Return an interval for every accuracy that the bounds allow; the arguments are those of :meth:`interval`.

        It reaches from the lower end of the basic bootstrap interval of ``lower`` to the upper end of that of ``upper``. Basic intervals
        are needed because resampling moves maxima and minima over groups inwards, as sampling did before; they correct for this. With
        fewer than five clusters the intervals are Student's. An end is NaN where :meth:`interval` gives NaN. In simulation with 100, 400
        and 2,000 cases (150 data sets each) the interval held the accuracy in at least 98% of the data sets, but in 85 to 90% for a model
        that is always right, for which both margins are equal.
        """
        return outer_ends(self.resamples(clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed), level)


def outer_ends(found: Resamples, level: float) -> tuple[float, float]:
    """Return the ends of :meth:`AccuracyBounds.outer_interval` from resamples of all numbers."""
    ends = np.clip(found.interval(level, "auto" if found.too_few else "basic"), 0.0, 1.0)
    return float(ends[NAMES.index("lower"), 0]), float(ends[NAMES.index("upper"), 1])


def _uncertain(post: Plausibilities, ties: str) -> Array:
    """Return (N, K) probabilities that a class is the first; refuse plausibilities whose first class counts as certain in every case."""
    pi = post.membership(1, ties=ties)
    defined = pi[~np.isnan(pi).any(axis=1)]
    if len(defined) and (defined.max(axis=1) >= SURE).all() and np.nanmin(post.mean().max(axis=1)) < SURE:
        way = "for the model of annotators use labels and " + arg("assume", "latent class") + ", for shares of votes a Dirichlet"
        must = "leave the first class of some case open, since bounds against a class taken for certain have no width"
        raise error("truth", must, "one vector of plausibilities per case", way=way)
    return pi


@overload
def accuracy_bounds(
    truth: object, scores: object, k: int = ..., *, ties: str = ..., least_cases: int = ..., frequency: object = ...
) -> AccuracyBounds: ...


@overload
def accuracy_bounds(
    truth: object, scores: object, k: int = ..., *, ties: str = ..., least_cases: int = ..., assume: str, form: str = ...,
    least_share: float = ..., shared_error: float = ..., level: float = ..., clusters: object = ..., frequency: object = ...,
) -> TrueClassBounds: ...  # fmt: skip


@tells_joins
def accuracy_bounds(
    truth: object, scores: object, k: int = 1, *, ties: str = "expectation", least_cases: int = LEAST_CASES, assume: str | None = None,
    form: str = "auto", least_share: float = 0.0, shared_error: float = 0.0, level: float = 0.95, clusters: object = None,
    frequency: object = None,
) -> AccuracyBounds | TrueClassBounds:  # fmt: skip
    r"""Return bounds of the accuracy against the true class: under a given truth, or from labels under a named condition (``assume``).

    Let ``π_i(t)`` be the probability that class t is the most plausible one of case i [A eq. 4], and ``Y_i(t)`` whether t is among the
    model's best k. If ``π`` is right on average within each group of similar cases, the accuracy ``P(T ∈ C_k)``

    - lies between the means over groups of ``Σ_t max(0, p_t + q_t - 1)`` and ``Σ_t min(p_t, q_t)``. Here p and q are the means of π and Y
      in the group, with the classes of each case sorted by plausibility (the bounds of Fréchet, which are the tightest for k = 1);
    - is the mean of ``Σ_t π_i(t) Y_i(t)`` if the model knows nothing about a case beyond its annotations: :func:`ua_topk_accuracy`;
    - is ``Σ_t p_t A_tt`` with ``A = (ΠᵀΠ)⁻¹ ΠᵀY``, p the mean of π, if model and annotators err independently given the true class. With
      fewer than 20 K² cases it is ``(U - k c) / (s - c)``, with ``s`` the mean of ``Σ_t π²``, ``c = (1 - s) / (K - 1)`` and U the
      agreement; this form also assumes that errors fall on all other classes alike.

    With ``assume="latent class"`` the first argument is the labels, and ``π`` is fitted to them: labels of a case are independent given its
    true class, and annotators have confusions of their own. The interval then also covers the error of the fit.

    With ``assume="any difficulty"`` labels of a case are independent draws from a law of the case, of any kind, and the true class is the
    first of this law. Counts without annotators are enough. Neither condition says anything of the model. See Notes.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K); Labels with ``assume``
        Plausibilities. All results depend on them: a posterior with another reliability has other bounds.
    scores : (N, K) array, or table with names
        Scores of the model, higher is better; infinities are allowed, NaN is not.
    k : int
        Number of highest scores that count, 1 to K.
    ties, frequency
        As for :func:`ua_topk_accuracy`.
    least_cases : int
        Least number of cases of a group. Smaller groups are merged with their neighbours, which have similar plausibilities. Groups of
        few cases give bounds that are too narrow by chance.
    assume : {"latent class", "any difficulty"}, optional
        The condition under which labels say something about the true class. Then k is 1, and the result is a :class:`TrueClassBounds`.
    form : {"auto", "full", "one accuracy"}
        Of the latent class: a confusion matrix or an accuracy for every annotator. ``"auto"``: full with 20 cases per parameter, and
        then the hull of both intervals, unless the labels refute one accuracy (likelihood ratio, 5%).
    least_share : float
        Under ``"any difficulty"``: share of annotators like these who at least would give the true class of any case, from 0 to 1.
    shared_error : float
        Share ε of the cases in which annotators as a group may be wrong, from 0 to 1, under ``assume``: it widens the interval by ε.
    level : float
        Level of the interval under ``assume``.
    clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Under ``assume``: clusters of cases that are not independent, such as patients. Default: every case is its own.

    Returns
    -------
    AccuracyBounds, or TrueClassBounds with ``assume``

    Raises
    ------
    ValueError, TypeError
        As for :func:`ua_topk_accuracy`; if the truth is one vector of plausibilities per case, such as those of an annotator model, whose
        first class counts as certain; if an option is out of range, or has no meaning without ``assume``; if labels do not name their
        annotators, or fewer than 30 cases have labels of three, from which a latent class cannot be fitted; if there are too many
        classes or labels for the linear programme.

    Notes
    -----
    Without ``assume``, intervals are over cases; they do not cover an error of the posterior.

    The interval under ``"latent class"`` reaches from the lower to the upper bound. Terms of a group that a sampling error could change
    are replaced by 0 or 1 if they are within κ = √(log n) standard errors of the change. Influences of cases have a part of the
    annotators' parameters, ``(∂/∂θ) I⁻¹ s_i``. The fit cannot be checked with three labels per case. There is no interval if the labels do
    not show how good the annotators are (``determined``). The interval of ``independent`` is wider by half of the square of the relative
    standard error of the annotators' accuracies, because plausibilities from few labels are too sure.

    Under ``"any difficulty"`` let s be the sorted counts of a case, u the count of its true class, v that of the model's class. A mixture G
    of laws gives ``M(s, u)``, the data give ``P(s, v)``, and ``Σ_u M(s, u) = Σ_v P(s, v)``. The ends are ``max Σ min(M, P)`` and
    ``min Σ max(0, M(s, u) + P(s, u) - P(s))`` over all G and all P in a confidence region: two linear programmes. G is on a grid of laws.
    The region has exact limits of the cells without a case, and an ellipsoid of the others. At most 5 classes with labels and 12 labels
    per case. From 60 cells on, kinds of counts with the same two highest counts are one.

    With ``clusters``, influences are added within clusters, quantiles are Student's with clusters less one degrees of freedom, and the
    region is that of fewer cases: their number is divided by the largest design effect of any sum of cells.

    References
    ----------
    Fréchet (1951), "Sur les tableaux de corrélation dont les marges sont données". Latent class: Dawid & Skene (1979); Emerson et al.
    (2018), SMMR 27, 2933; Andrews & Soares (2010), Econometrica 78, 119. Any difficulty: after Manski (2003), "Partial identification of
    probability distributions". Shared errors: Horowitz & Manski (1995), Econometrica 63, 281.

    Examples
    --------
    >>> import ugt
    >>> counts = [[3, 0], [2, 1], [1, 2], [0, 3]] * 50
    >>> vote = [[1, 0], [1, 0], [0, 1], [0, 1]] * 50
    >>> found = ugt.metrics.accuracy_bounds(ugt.dirichlet(ugt.Labels.from_counts(counts), prior=0.5), vote)
    >>> round(found.value, 3), round(found.copying, 3), round(found.always_right, 3), round(found.independent, 3)
    (0.84, 0.84, 0.763, 1.146)
    """
    if assume is not None:
        given = {"form": form, "least_share": least_share, "shared_error": shared_error, "level": level, "clusters": clusters}
        return bounds_of(truth, scores, UnderCondition.of(assume, k, ties=ties, least_cases=least_cases, frequency=frequency, **given))
    only_with_assume(form=(form, "auto"), least_share=(least_share, 0.0), shared_error=(shared_error, 0.0), level=(level, 0.95))
    if clusters is not None:
        way = "intervals without " + arg("assume") + " take " + arg("clusters") + " themselves"
        raise error("clusters", "be given with " + arg("assume") + " only", type(clusters).__name__, way=way)
    post = as_plausibilities(truth)
    least_cases = whole("least_cases", least_cases)
    k = whole("k", k, 1, post.n_classes)
    chosen = orders_of(post, scores, k, ties).sets(k).membership(k)
    counts = counts_of(frequency, None, post)
    one = Assumed(_uncertain(post, ties), chosen, k, least_cases, None if counts is None else counts.times)
    one.case_ids = post.ids_or_none
    value, *found = (float(number) for number in one.estimate)
    n = one.n_counted
    left_out = {NO_ANNOTATIONS: more} if (more := one.number_of(np.ones(one.n_cases, bool)) - n) else {}
    return AccuracyBounds(
        value, **dict(zip(NAMES[1:], found)), form=one.form, n_groups=one.n_groups, n_cases=n, left_out=left_out, _statistic=one
    )
