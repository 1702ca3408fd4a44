"""The comparison of a model's order with a Dirichlet posterior: its expectation and spread."""

from __future__ import annotations

from functools import partial
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import parallel
from .._base.arrays import Array, Int32, Int64
from .._base.checks import room
from .._base.identifiers import factorize
from .._base.ragged import offsets_of
from .._core import _dirichlet as core
from .._core import _order
from .comparisons import NO_SPREAD, Comparison, Law
from .metric import AVERAGE_OVERLAP, FINEST_LATTICE, OVERLAP, SET, TIED_LATTICE, TOPK, Metric
from .orders import CERTAIN, TIED, Orders, Sets

if TYPE_CHECKING:
    from .dirichlet import Dirichlet

    Formula = tuple[int, int, float, float]  # number of the metric, k, parameter and largest value

MANY, TIMES_FEWER = 8192, 4  # cases from which on equal ones are looked for; cases per distinct one from which these are compared
PROFILES, CASES = 256, 8192  # sizes of chunks; equal cases of a chunk are computed once
VALUES = 4_000_000  # values of lists in a chunk of cases
MOST_LISTS = 20_000  # lists per profile; if there are more, lists are sampled (20,000 take some 10 ms)
KEPT_LISTS = 4_000_000  # lists of all profiles kept between calls: 32 MB
N_SAMPLED = 1000
COARSEST_LATTICE = 60  # points for values between the points of any lattice: splitting such values adds some 0.3% to the deviation
NO_SPREAD_OF_LISTS = 1e-12  # a smaller variance is an error of the integrals: probabilities of lists add up to 1 within 2e-13


def compare(post: Dirichlet, order: Orders, metric: Metric, k: int, parameter: float) -> Comparison:
    """Return the comparison with an order, exact if the best k classes can be enumerated or need not be, else by draws with their error.

    Exact results are computed once for cases with the same posterior and the same order, if there are few of these; for the best class the
    core itself looks for equal posteriors.
    """
    if metric.number == TOPK and parameter <= 1:
        return _exact(post, order, metric, k, parameter)
    if metric.number not in (TOPK, SET, OVERLAP) and (_list_sizes(post, k) == 0).any():
        return _by_draws(post, order, metric, k, parameter)
    few = post._kept.last("distinct cases", order, lambda: _distinct(post, order))
    if few is None:
        return _exact(post, order, metric, k, parameter)
    own, its_order, code = few
    return _exact(own, its_order, metric, k, parameter).take(code)


def _distinct(post: Dirichlet, order: Orders) -> tuple[Dirichlet, Orders, Int32] | None:
    """Return the distinct cases, and that of each case (N,); None if there are too many of them."""
    if post.n_cases < MANY or post.distinct is None or order.distinct is None:
        return None
    (_, of_post), (first, of_order) = post.distinct, order.distinct
    code, rows = factorize(of_post.astype(np.int64) * len(first) + of_order)
    return (post.take(rows), order.take(rows), code) if TIMES_FEWER * len(rows) <= len(code) else None


def _exact(post: Dirichlet, order: Orders, metric: Metric, k: int, parameter: float) -> Comparison:
    if metric.number not in (TOPK, SET, OVERLAP):
        return _by_lists(post, order, metric, k, parameter)
    sets, best = order.sets(k), max(int(parameter), 1)
    if metric.number == TOPK and best == 1:
        return best_class(post, sets, k)
    return compare_sets(post, sets, np.full(post.n_cases, k), metric, best)


def compare_sets(post: Dirichlet, sets: Sets, size: Int64, metric: Metric, j: int) -> Comparison:
    """Return the comparison with sets of a size each; for top-k accuracy the best j of the truth must be in the set."""
    if metric.number != TOPK:
        return _best_sets(post, sets, size, np.maximum(size, 1), metric)
    return best_class(post, sets, size) if j == 1 else _best_sets(post, sets, size, np.full(post.n_cases, j), metric)


def best_class(post: Any, sets: Sets, size: Int64 | int) -> Comparison:
    """Return the comparison of top-k accuracy with j = 1: the best class is certainly in the set, tied, or not in it."""
    certain, tied, n_certain, n_tied = post._role_sums(sets, k=1)
    if not np.count_nonzero(n_tied):
        return Comparison.of_chances(certain)
    values, law = np.zeros((post.n_cases, 3)), np.stack([certain, tied, 1.0 - certain - tied], 1)
    values[:, 0], values[:, 1] = 1.0, (size - n_certain) / np.maximum(n_tied, 1)
    return Comparison.of_values(values, np.minimum(np.maximum(law, 0.0), 1.0), TIED_LATTICE)


def _best_sets(post: Dirichlet, sets: Sets, size: Int64, best: Int64, metric: Metric) -> Comparison:
    """Return whether all of the truth's ``best`` best classes are in the set, or which share of them.

    Computed from the joint distribution of the numbers of certain and tied classes of the set among these classes.
    """
    law = post._overlaps(sets, best.astype(np.int32))
    n_tied = sets.count(TIED)[:, None, None]
    # With at most ``best`` positive classes only tie-breaking is random, and the value of a draw is the expectation over it.
    settled, any_tied = post.support <= best, bool(n_tied.any())
    if metric.number != OVERLAP and not any_tied:
        return Comparison.of_chances(law[np.arange(len(law)), best, 0], settled)
    n_open = size[:, None, None] - sets.count(CERTAIN)[:, None, None]
    certain, tied = np.arange(law.shape[1])[None, :, None], np.arange(law.shape[1])[None, None, :]
    if metric.number == OVERLAP:
        values = (certain + tied * n_open / np.maximum(n_tied, 1)) / best[:, None, None]
    else:  # all tied classes among the best must be in the set that tie-breaking makes
        one_more = np.maximum(n_open - tied[..., :-1], 0.0) / np.maximum(n_tied - tied[..., :-1], 1.0)
        all_in = np.concatenate([np.ones((len(law), 1, 1)), np.cumprod(one_more, axis=2)], axis=2)
        values = (certain + tied == best[:, None, None]) * all_in
    if not any_tied:
        values, law = values[:, :, :1], law[:, :, :1]
    values, law = np.broadcast_to(values, law.shape).reshape(len(law), -1), law.reshape(len(law), -1)
    if settled.any():
        values = np.where(settled[:, None], np.where(np.isnan(law).any(1), 0.0, (values * law).sum(1))[:, None], values)
    points = lcm(*(metric.lattice(k, 0.0, any_tied) for k in np.unique(best).tolist()))
    return Comparison.of_values(values, law, min(points, FINEST_LATTICE))


# ---- metrics of ordered lists ----


def _by_lists(post: Dirichlet, order: Orders, metric: Metric, k: int, parameter: float) -> Comparison:
    zeros_tie = metric.number != AVERAGE_OVERLAP and bool((post.support[post.defined] < k).any())
    formula = metric.number, k, parameter, metric.most(k, parameter)
    mean, variance, _ = _moments(_list_values(post, order, formula, 1)[0])
    n_points = metric.lattice(k, parameter, order.has_ties or zeros_tie)
    return Comparison.independent(mean, variance, partial(_list_law, post, order, formula, n_points))


def _moments(moments: Array) -> tuple[Array, Array, Array]:
    variance = moments[:, 1] - moments[:, 0] ** 2
    return moments[:, 0], np.where(variance < NO_SPREAD_OF_LISTS, 0.0, variance), moments[:, 2]


def _list_law(post: Dirichlet, order: Orders, formula: Formula, n_points: int, finest: float) -> Law | None:
    if n_points > finest:
        if n_points < FINEST_LATTICE or finest < COARSEST_LATTICE:
            return None
        n_points = int(finest)
    moments, pmf = _list_values(post, order, formula, n_points)
    mean, variance, least = _moments(moments)
    varies = variance > NO_SPREAD
    return Law(np.where(varies, least, mean), varies, pmf[varies])


def _list_sizes(post: Dirichlet, k: int) -> Int64:
    """Return the number of lists of the best k of each profile, over groups of equal concentrations; 0: too many."""

    def make() -> Int64:
        profiles = post._profiles[0]
        sizes = np.empty(len(profiles), np.int64)
        profiles.list_sizes(0, len(profiles), k, MOST_LISTS, sizes)
        return sizes

    return np.asarray(post._kept.every(("sizes", k), make))


def _lists(post: Dirichlet, k: int) -> tuple[Int64, Array]:
    """Return offsets (profiles + 1,) and probabilities of all lists."""
    offsets = offsets_of(_list_sizes(post, k))

    def make() -> Array:
        profiles = post._profiles[0]
        room(f"the lists of the best {k}", 8 * int(offsets[-1]))
        table = np.empty(offsets[-1])
        parallel.run(lambda begin, end: profiles.lists(begin, end, k, offsets, table), len(profiles), PROFILES, "integrating lists")
        return table

    return offsets, post._kept.every(("lists", k), make) if offsets[-1] <= KEPT_LISTS else make()


def _list_values(post: Dirichlet, order: Orders, formula: Formula, n_points: int) -> tuple[Array, Array]:
    """Return mean, mean square and least value (N, 3), and distribution (N, n_points + 1), of a metric with values in [0, 1]."""
    offsets, table = _lists(post, formula[1])
    room("the law of a metric of lists", 8 * post.n_cases * (n_points + 4))
    moments, pmf = np.empty((post.n_cases, 3)), np.empty((post.n_cases, n_points + 1))

    def part(begin: int, end: int) -> None:
        post._profiles[0].list_values(order.offsets, order.index, order.start, *formula, offsets, table, begin, end, moments, pmf)

    most = max(1, int(np.diff(offsets).max(initial=1)))
    parallel.run(part, post.n_cases, max(1, min(CASES, VALUES // most)), "comparing lists")
    return moments, pmf


def _by_draws(post: Dirichlet, order: Orders, metric: Metric, k: int, parameter: float) -> Comparison:
    """Return the comparison with spread (and, for distances, value) from sampled lists; the mean of the average overlap is exact."""
    per_case = np.empty(post.n_cases)
    width, column, most = _order.width(metric.number, k), _order.column(metric.number, k, k), metric.most(k, parameter)
    defined = np.ascontiguousarray(post.defined, np.uint8)

    def part(begin: int, end: int) -> Array:
        top = np.empty((end - begin, N_SAMPLED, k), np.int32)
        core.top(*post._law(), 0, begin, end, top)
        truth = Orders.from_top(top.reshape(-1, k), post.n_classes)
        own = order.offsets[begin : end + 1]
        values, per_draw = np.empty((end - begin, width)), np.zeros((N_SAMPLED, width))
        _order.compare(
            truth.offsets, truth.index, truth.start, own - own[0], order.index[own[0] : own[-1]], order.start[own[0] : own[-1]],
            defined[begin:end], 0, end - begin, N_SAMPLED, post.n_classes, k, metric.number, parameter, values, per_draw,
        )  # fmt: skip
        per_case[begin:end] = values[:, column] / most
        return per_draw[:, column] / most

    total = sum(parallel.run(part, post.n_cases, 64, "drawing lists"), np.zeros(N_SAMPLED))
    n_defined = int(defined.sum())
    per_draw = total / n_defined if n_defined else np.full(N_SAMPLED, np.nan)
    mc_error = float(per_draw.std(ddof=1) / np.sqrt(N_SAMPLED))
    if metric.number == AVERAGE_OVERLAP:
        per_case, mc_error = _average_overlap_mean(post, order, k), 0.0
    return Comparison(per_case, float(per_draw.std()), mc_error, per_draw)


def _average_overlap_mean(post: Dirichlet, order: Orders, k: int) -> Array:
    """Return the mean (N,) over j <= k of E|best j of both| / j, from memberships only."""
    total = np.zeros(post.n_cases)
    for j in range(1, k + 1):
        sets = order.sets(j)
        certain, tied, n_certain, n_tied = post._role_sums(sets, j)
        total += (certain + (j - n_certain) / np.maximum(n_tied, 1) * tied) / (j * k)
    return total
