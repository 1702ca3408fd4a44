"""Expectation and spread of a comparison between a model's order and a Dirichlet posterior."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from .. import _threads
from .._checks import room
from .._core import _dirichlet as core
from .._core import _order
from .._orders import CERTAIN, TIED, Orders, Sets
from .._ragged import offsets_of
from .agreement import Agreement, Law, distance_scale, lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .dirichlet import Dirichlet

    Array = NDArray[np.float64]

PROFILES, CASES = 256, 512  # chunks
MOST_LISTS = 20_000  # lists per profile; beyond, lists are sampled (20,000 take some 10 ms)
KEPT_LISTS = 4_000_000  # lists of all profiles held between calls: 32 MB
N_SAMPLED = 1000
NO_SPREAD = 1e-15  # a variance below this is rounding: a million such cases move the mean by less than 1e-10
KINDS = {"average_overlap": 0, "kendall": 1, "footrule": 2}  # as in ugt.h


def compare(post: Dirichlet, order: Orders, metric: str, k: int, penalty: float) -> Agreement:
    """Exact where the law of the best k classes can be enumerated or is not needed; else by draws, with their error."""
    if metric in KINDS:
        return _by_lists(post, order, metric, k, penalty)
    sets = order.sets(k)
    n_points = lattice(metric, k, penalty, bool((sets.count(TIED) > 0).any()))
    values, law = _best_class(post, sets, k) if metric == "topk" else _best_sets(post, sets, metric, k)
    return agreement(values, law, n_points)


def _best_class(post: Dirichlet, sets: Sets, k: int) -> tuple[Array, Array]:
    """Values (N, 3) that top-k accuracy takes, and their probabilities: best class certain, tied, or not in the set."""
    share = (k - sets.count(CERTAIN)) / np.maximum(sets.count(TIED), 1)
    certain, tied = post._sums_over(sets, 1, CERTAIN, TIED)
    values, law = np.empty((len(share), 3)), np.empty((len(share), 3))
    values[:, 0], values[:, 1], values[:, 2] = 1.0, share, 0.0
    law[:, 0], law[:, 1], law[:, 2] = certain, tied, 1.0 - certain - tied
    return values, np.minimum(np.maximum(law, 0.0), 1.0)


def _best_sets(post: Dirichlet, sets: Sets, metric: str, k: int) -> tuple[Array, Array]:
    """The same for set accuracy and overlap, from the joint law of how many certain and tied classes are among the best k."""
    law = post._overlaps(sets, np.full(post.n_cases, k, np.int32))
    n_certain, n_tied = sets.count(CERTAIN)[:, None, None], sets.count(TIED)[:, None, None]
    n_open = k - n_certain
    certain, tied = np.arange(k + 1.0)[None, :, None], np.arange(k + 1.0)[None, None, :]
    if metric == "overlap":
        values = (certain + tied * n_open / np.maximum(n_tied, 1)) / k
    else:  # one of the sets that tie-breaking makes
        from scipy.special import comb  # noqa: PLC0415  (scipy is slow to import)

        values = ((certain == n_certain) & (tied == np.where(n_tied > 0, n_open, 0))) / np.where(n_tied > 0, comb(n_tied, n_open), 1.0)
    values, law = np.broadcast_to(values, law.shape).reshape(len(law), -1), law.reshape(len(law), -1)
    # with no more than k positive classes only tie-breaking is left, and a draw's value is the expectation over it
    settled = post.support <= k
    values = np.where(settled[:, None], np.where(np.isnan(law).any(1), 0.0, (values * law).sum(1))[:, None], values)
    return values, law


def agreement(values: Array, law: Array, n_points: int) -> Agreement:
    """Agreement from the values (N, V) that a case can take and their probabilities (N, V)."""
    per_case = (values * law).sum(1)
    variance = ((values - per_case[:, None]) ** 2 * law).sum(1)
    return Agreement(per_case, spread_of(variance), law=partial(_law_of, values, law, n_points))


def spread_of(variance: Array) -> float:
    """Standard deviation of the mean over defined cases, which are independent."""
    defined = variance[~np.isnan(variance)]
    return float(np.sqrt(defined.sum()) / len(defined)) if len(defined) else float("nan")


def _law_of(values: Array, law: Array, n_points: int) -> Law:
    """Values between two points of the lattice are split so that means stay; cases that cannot vary add a constant."""
    mean = (values * law).sum(1)
    varies = ((values - mean[:, None]) ** 2 * law).sum(1) > NO_SPREAD  # false for an undefined case
    at = values[varies] * n_points
    low = np.minimum(np.floor(at + 1e-9), n_points).astype(np.int64)
    split = np.where(np.abs(at - low) < 1e-9, 0.0, at - low)
    room("the law of a metric", 8 * len(low) * (n_points + 2))
    pmf = np.zeros((len(low), n_points + 2))
    row = np.arange(len(low))[:, None]
    np.add.at(pmf, (row, low), law[varies] * (1.0 - split))
    np.add.at(pmf, (row, low + 1), law[varies] * split)
    return Law(float(np.nansum(mean[~varies])), pmf[:, : n_points + 1])


# ---- metrics of ordered lists ----


def _by_lists(post: Dirichlet, order: Orders, metric: str, k: int, penalty: float) -> Agreement:
    sizes = _list_sizes(post, k)
    if (sizes == 0).any():
        return _by_draws(post, order, metric, k, penalty)
    zeros_tie = metric != "average_overlap" and bool((post.support[post.defined] < k).any())
    n_points = lattice(metric, k, penalty, order.has_ties or zeros_tie)
    mean, variance, _ = _moments(_list_values(post, order, metric, k, penalty, 1)[0])
    return Agreement(mean, spread_of(variance), law=partial(_list_law, post, order, metric, k, penalty, n_points))


def _moments(moments: Array) -> tuple[Array, Array, Array]:
    """Mean, variance and least value."""
    return moments[:, 0], np.maximum(moments[:, 1] - moments[:, 0] ** 2, 0.0), moments[:, 2]


def _list_law(post: Dirichlet, order: Orders, metric: str, k: int, penalty: float, n_points: int) -> Law:
    moments, pmf = _list_values(post, order, metric, k, penalty, n_points)
    mean, variance, least = _moments(moments)
    varies = variance > NO_SPREAD
    return Law(float(np.nansum(np.where(varies, least, mean))), pmf[varies])


def _list_sizes(post: Dirichlet, k: int) -> NDArray[np.int64]:
    """Number of lists of the best k of each profile, over groups of equal concentrations; 0: too many."""
    if ("sizes", k) not in post._kept:
        profiles = post._groups[0]
        sizes = np.empty(len(profiles), np.int64)
        profiles.list_sizes(0, len(profiles), k, MOST_LISTS, sizes)
        post._kept["sizes", k] = sizes
    return np.asarray(post._kept["sizes", k])


def _lists(post: Dirichlet, k: int) -> tuple[NDArray[np.int64], Array]:
    """Offsets (profiles + 1,) and probabilities of all lists."""
    if ("lists", k) in post._kept:
        return post._kept["lists", k]  # type: ignore[no-any-return]
    profiles = post._groups[0]
    offsets = offsets_of(_list_sizes(post, k))
    room(f"the lists of the best {k}", 8 * int(offsets[-1]))
    table = np.empty(offsets[-1])
    _threads.run(lambda begin, end: profiles.lists(begin, end, k, offsets, table), len(profiles), PROFILES, "integrating lists")
    if len(table) <= KEPT_LISTS:
        post._kept["lists", k] = offsets, table
    return offsets, table


def _list_values(post: Dirichlet, order: Orders, metric: str, k: int, penalty: float, n_points: int) -> tuple[Array, Array]:
    """Mean, mean square and least value (N, 3), and law (N, n_points + 1), of a metric with values in [0, 1]."""
    offsets, table = _lists(post, k)
    room("the law of a metric of lists", 8 * post.n_cases * (n_points + 4))
    moments, pmf = np.empty((post.n_cases, 3)), np.empty((post.n_cases, n_points + 1))
    scale = distance_scale(metric, k, penalty)

    def part(begin: int, end: int) -> None:
        post._groups[0].list_values(
            order.offsets, order.index, order.start, KINDS[metric], k, penalty, scale, offsets, table, begin, end, moments, pmf
        )

    _threads.run(part, post.n_cases, CASES, "comparing lists")
    return moments, pmf


def _by_draws(post: Dirichlet, order: Orders, metric: str, k: int, penalty: float) -> Agreement:
    """Spread (and, for distances, the value) from sampled lists; the mean of the average overlap stays exact."""
    per_case = np.empty(post.n_cases)
    column = 3 * k + KINDS[metric]
    scale = 1.0 if metric == "average_overlap" else distance_scale(metric, k, penalty)
    defined = np.ascontiguousarray(post.defined, np.uint8)

    def part(begin: int, end: int) -> Array:
        top = np.empty((end - begin, N_SAMPLED, k), np.int32)
        core.top(*post._law(), 0, begin, end, top)
        truth = Orders.from_top(top.reshape(-1, k), post.n_classes)
        own = order.offsets[begin : end + 1]
        values, per_draw = np.empty((end - begin, 3 * k + 3)), np.zeros((N_SAMPLED, 3 * k + 3))
        _order.compare(
            truth.offsets, truth.index, truth.start, own - own[0], order.index[own[0] : own[-1]], order.start[own[0] : own[-1]],
            defined[begin:end], 0, end - begin, N_SAMPLED, post.n_classes, k, penalty, metric != "average_overlap", values, per_draw,
        )  # fmt: skip
        per_case[begin:end] = values[:, column] / scale
        return per_draw[:, column] / scale

    total = sum(_threads.run(part, post.n_cases, 64, "drawing lists"), np.zeros(N_SAMPLED))
    n_defined = int(defined.sum())
    per_draw = total / n_defined if n_defined else np.full(N_SAMPLED, np.nan)
    mc_error = float(per_draw.std(ddof=1) / np.sqrt(N_SAMPLED))
    if metric == "average_overlap":
        per_case, mc_error = _average_overlap_mean(post, order, k), 0.0
    return Agreement(per_case, float(per_draw.std()), mc_error, per_draw)


def _average_overlap_mean(post: Dirichlet, order: Orders, k: int) -> Array:
    """(N,) mean over j <= k of E|best j of both| / j, from memberships alone."""
    total = np.zeros(post.n_cases)
    for j in range(1, k + 1):
        sets = order.sets(j)
        share = (j - sets.count(CERTAIN)) / np.maximum(sets.count(TIED), 1)
        certain, tied = post._sums_over(sets, j, CERTAIN, TIED)
        total += (certain + share * tied) / (j * k)
    return total
