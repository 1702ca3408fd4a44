"""Bounds of the accuracy whatever the difficulty of the cases, and whatever the model: linear programmes over laws of labels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64
from .._base.identifiers import factorize

MOST_CLASSES, MOST_LABELS = 5, 12  # beyond these there are too many kinds of counts
STEPS = {2: 100, 3: 40}  # of the grid of laws, by the number of classes; 20 for more
MOST_CUTS, NEAR = 20, 0.02  # tangents of the ellipsoid, and how far its form may be exceeded: both leave the interval wider
MANY, CUTS_OF_MANY = 40, 12  # cells from which a programme takes long, and its tangents
MERGED = 60  # cells above which kinds with the same two highest counts are one, and the classes with lower counts are one cell
OTHER, NOBODY = -2, -1  # own counts: any lower one of a merged kind, and that of a class that nobody gave
OLD_MOST = 300  # variables from which a programme takes old scipy many seconds
LEAST_COUNT = 1.0  # cells with a lower count have an exact interval instead of a part in the ellipsoid
LEAST_CASES = 10  # of a number of labels, for the comparison of agreement by number of labels
LEVEL_OF_TEST = 0.05
INFEASIBLE = "no mixture of independent draws gives these labels, as if annotators had unequal skill or knew each other's labels"
UNSOLVED = "the linear programme was not solved"
TOO_OLD = "a linear programme of so many classes and labels takes minutes with scipy before 1.6: install a newer one"
CONTRADICTED = "in no mixture of independent draws with this least share would annotators give these labels"


class CountCells(NamedTuple):
    """The cells of cases with m labels: a kind of counts, and the count of one class of the case.

    ``kinds``: descending counts. ``place`` (kinds, m + 2): the cell of each kind and count, the last for a class that nobody gave.
    ``kind`` (C,): the kind of a cell, merged ones numbered once. ``single`` (C,): whether one class alone has this count. ``laws`` (C, G):
    probability of counts and of the first class's own count under each law of the grid.
    """

    kinds: tuple[tuple[int, ...], ...]
    place: Int64
    kind: Int64
    single: Bools
    laws: Array


class CellsOfLabels(NamedTuple):
    """The cells of all numbers of labels, one after the other, and the cases in each."""

    blocks: tuple[CountCells, ...]
    shares: tuple[float, ...]  # of the cases with each number of labels
    block: Int64  # (C,)
    found: Array  # (C,) cases, or sums of shares of choices
    of_clusters: Array | None = None  # (clusters, C) the same for each cluster

    @property
    def design_effect(self) -> float:
        """The largest ratio, of any sum of cells, of its variance over clusters and over cases; at least 1."""
        if self.of_clusters is None:
            return 1.0
        n, m = float(self.found.sum()), len(self.of_clusters)
        left = (self.of_clusters - self.of_clusters.sum(axis=1, keepdims=True) * self.found / n) / np.sqrt(self.found + 0.5)
        return max(1.0, float(np.linalg.eigvalsh(left.T @ left)[-1]) * m / max(1, m - 1))


class Ends(NamedTuple):
    """The interval of the programme, or why there is none."""

    low: float = math.nan
    high: float = math.nan
    n_kinds: int = 0
    one_law: bool = True
    reason: str = ""


def parts(total: int, k: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the descending k parts of a total, none above ``most``."""
    if k == 1:
        if total <= most:
            yield (total,)
        return
    for first in range(min(total, most), -1, -1):
        if first * k < total:
            return
        for rest in parts(total - first, k - 1, first):
            yield (first, *rest)


def compositions(total: int, k: int) -> Iterator[tuple[int, ...]]:
    """Yield the k whole numbers of every order with this total."""
    if k == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, k - 1):
            yield (first, *rest)


@lru_cache(maxsize=32)
def cells_of(k: int, m: int, least_share: float, others: bool) -> CountCells:
    """Return the cells of m labels of k classes; ``others``: whether a model may give further classes."""
    steps = STEPS.get(k, 20)
    laws = np.array([law for law in parts(steps, k, steps) if law[0] >= math.floor(least_share * steps + 1e-9)]) / steps
    kinds = tuple(parts(m, k, m))
    n_kept = k if sum(len(set(kind)) for kind in kinds) <= MERGED else 2  # a rule without the data, so that limits of cells hold

    def cell(kind: tuple[int, ...], own: int) -> tuple[tuple[int, ...], int]:
        return kind[:n_kept], own if own in (*kind[:n_kept], NOBODY) else OTHER

    first = list(dict.fromkeys(kind[:n_kept] for kind in kinds))
    cells = list(dict.fromkeys(cell(kind, own) for kind in kinds for own in [*sorted(set(kind), reverse=True), *[NOBODY] * others]))
    number = {one: j for j, one in enumerate(cells)}
    place, most, table = np.zeros((len(kinds), m + 2), np.int64), np.zeros(len(cells)), np.zeros((len(cells), len(laws)))
    for i, kind in enumerate(kinds):
        sharing = np.zeros(len(cells))
        for own in [*kind, *[NOBODY] * others]:
            place[i, own] = number[cell(kind, own)]  # NOBODY is the last column
            sharing[place[i, own]] += 1 if own != NOBODY else 2
        most = np.maximum(most, sharing)
    for one in compositions(m, k):
        ways = math.factorial(m) / math.prod(map(math.factorial, one))
        table[number[cell(tuple(sorted(one, reverse=True)), one[0])]] += ways * np.prod(laws ** np.array(one), axis=1)
    return CountCells(kinds, place, np.array([first.index(kind) for kind, _ in cells]), most == 1, table)


def counted(counts: Int64, chosen: Array, least_share: float, cluster: Int32 | None = None, times: Array | None = None) -> CellsOfLabels:
    """Return the cells of cases with these counts (n, K) and choices (n, K) of a model; ``cluster`` (n,): numbers of clusters.

    ``times`` (n,): how many equal cases each stands for.
    """
    seen = np.flatnonzero(counts.any(axis=0)) if counts.shape[1] > MOST_CLASSES else np.arange(counts.shape[1])
    others = len(seen) < counts.shape[1]
    sizes, blocks, found = counts.sum(axis=1), [], []
    for m in np.unique(sizes).tolist():
        cells = cells_of(max(2, len(seen)), m, least_share, others)
        some = sizes == m
        of, shares = counts[some][:, seen], chosen[some][:, seen]
        kinds = np.zeros((len(of), len(cells.kinds[0])), np.int64)
        kinds[:, : len(seen)] = np.sort(of, axis=1)[:, ::-1]
        place = {kind: i for i, kind in enumerate(cells.kinds)}
        code, first = factorize(kinds)
        kind = np.array([place[tuple(row)] for row in kinds[first].tolist()])[code]
        at, share = cells.place[kind[:, None], of], shares
        if others:
            at = np.concatenate([at, cells.place[kind, NOBODY][:, None]], axis=1)
            share = np.concatenate([shares, 1 - shares.sum(axis=1, keepdims=True)], axis=1)
        share = share if times is None else share * times[some][:, None]
        blocks.append(cells)
        size, unit = len(cells.kind), np.zeros(len(of), np.int64) if cluster is None else cluster[some].astype(np.int64)
        n_units = 1 if cluster is None else int(cluster.max()) + 1
        found.append(np.bincount((unit[:, None] * size + at).ravel(), share.ravel(), n_units * size).reshape(n_units, size))
    each: Array = np.concatenate(found, axis=1).astype(np.float64)
    n = np.array([one.sum() for one in found])
    block = np.repeat(np.arange(len(blocks)), [one.shape[1] for one in found])
    shares_of = tuple((n / n.sum()).tolist())
    return CellsOfLabels(tuple(blocks), shares_of, block, each.sum(axis=0), None if cluster is None else each)


def alike_laws(counts: Int64, times: Array | None = None) -> bool:
    """Return whether annotators agree as often in cases with more labels as in others, so that one law may serve for all."""
    from scipy.special import chdtrc  # noqa: PLC0415  (scipy is slow to import)

    m = counts.sum(axis=1)
    many = m > 1
    agreement = (counts * (counts - 1)).sum(axis=1)[many] / (m * (m - 1))[many]
    often = np.ones(int(many.sum())) if times is None else times[many]
    groups = [(agreement[here], often[here]) for size in np.unique(m[many]) for here in [m[many] == size]]
    groups = [(one, own) for one, own in groups if own.sum() >= LEAST_CASES]
    if len(groups) < 2:
        return True
    mean = np.array([np.average(one, weights=own) for one, own in groups])
    varies = [float(own @ (one - average) ** 2) / (own.sum() - 1) for (one, own), average in zip(groups, mean)]
    weight = np.array([own.sum() / max(variance, 1e-6) for (_, own), variance in zip(groups, varies)])
    statistic = (weight * (mean - weight @ mean / weight.sum()) ** 2).sum()
    return bool(chdtrc(len(groups) - 1, statistic) >= LEVEL_OF_TEST)


class Region(NamedTuple):
    """The confidence region of the cells: ends (C, 2), and an ellipsoid Σ weight (P - p)² <= radius of the cells with counts."""

    ends: Array
    p: Array
    weight: Array
    radius: float

    @classmethod
    def of(cls, given: CellsOfLabels, level: float) -> Region:
        """Return the region: exact intervals of the cells with hardly a case, which have their part of the error, and an ellipsoid."""
        from scipy.special import betaincinv, chdtri  # noqa: PLC0415  (scipy is slow to import)

        found = given.found / given.design_effect
        n = float(found.sum())
        share = np.array(given.shares)[given.block]
        alpha, few, n_cells = 1 - level, given.found < LEAST_COUNT, len(found)
        weight = np.where(few, 0.0, n * (n + 0.5 * n_cells) / (found + 0.5) / n)
        df = max(1, int((~few).sum()) - len(set(given.block[~few].tolist())))
        radius = float(chdtri(df, alpha * (1 - few.mean()))) / n if not few.all() else 0.0
        own = n * share
        highest = np.where(few, share * betaincinv(found + 1, np.maximum(own - found, 1e-9), 1 - alpha / n_cells), 1.0)
        p, half = found / n, np.sqrt(radius / np.where(few, np.inf, np.maximum(weight, 1e-300)))
        low, high = np.where(few, 0.0, np.maximum(0.0, p - half)), np.where(few, highest, np.minimum(share, p + half))
        return cls(np.stack([low, high], axis=1), p, weight, radius)


def programme_ends(
    counts: Int64, chosen: Array, least_share: float, level: float, cluster: Int32 | None = None, times: Array | None = None
) -> Ends:
    """Return the interval for cases as of :func:`counted`."""
    given, one_law = counted(counts, chosen, least_share, cluster, times), alike_laws(counts, times)
    region = Region.of(given, level)
    n_kinds = len({(b, kind) for b, kind in zip(given.block.tolist(), _kinds(given).tolist())})
    ends = []
    for highest in (False, True):
        value = _solved(given, region, highest, one_law)
        if isinstance(value, str):
            reason = CONTRADICTED if value == INFEASIBLE and least_share > 0 else value
            return Ends(n_kinds=n_kinds, one_law=one_law, reason=reason)
        ends.append(value)
    return Ends(max(0.0, ends[0]), min(1.0, ends[1]), n_kinds, one_law)


def contradiction(counts: Int64, level: float, cluster: Int32 | None = None) -> str:
    """Return why no mixture of independent draws gives these counts (n, K), or ""; a model that gives each class alike enters."""
    given = counted(counts, np.full(counts.shape, 1 / counts.shape[1]), 0.0, cluster)
    found = _solved(given, Region.of(given, level), True, alike_laws(counts))
    return found if isinstance(found, str) else ""


def _kinds(given: CellsOfLabels) -> Int64:
    """Return (C,) the number of the kind of each cell, over all blocks."""
    first = np.cumsum([0, *(one.kind.max() + 1 for one in given.blocks[:-1])])
    return np.concatenate([one.kind + begin for one, begin in zip(given.blocks, first)])


def _solved(given: CellsOfLabels, region: Region, highest: bool, one_law: bool) -> float | str:
    """Return the least or the highest accuracy in the region, or why there is none."""
    cost, limits, equal = _programme(given, highest, one_law)
    n_cells = len(given.found)
    n_laws = len(cost) - 2 * n_cells
    ranges = np.concatenate([np.tile([0.0, 1.0], (n_laws, 1)), region.ends, np.tile([0.0, 1.0], (n_cells, 1))])
    (above, below), value = limits, math.nan
    cells = slice(n_laws, n_laws + n_cells)
    for _ in range(MOST_CUTS if n_cells <= MANY else CUTS_OF_MANY):
        best = _minimum(cost, above, below, *equal, ranges)
        if isinstance(best, str):
            return best
        value = float(abs(cost @ best))
        step = best[cells] - region.p
        form = float((region.weight * step**2).sum())
        if form <= region.radius * (1 + NEAR):
            break
        cut = np.zeros((1, len(cost)))
        cut[0, cells] = region.weight * step / form
        above = np.concatenate([above, cut])
        below = np.append(below, math.sqrt(region.radius / form) + cut[0, cells] @ region.p)
    return value


def _programme(given: CellsOfLabels, highest: bool, one_law: bool) -> tuple[Array, tuple[Array, Array], tuple[Array, Array]]:
    """Return cost, inequalities and equalities in the weights of laws, the cells P, and the parts t of them that are right."""
    sizes = [one.laws.shape[1] for one in given.blocks]
    n_laws, n = (sizes[0] if one_law else sum(sizes)), len(given.found)
    mixed = np.zeros((n, n_laws))  # the probabilities of counts and of the true class's own count
    for b, (one, share) in enumerate(zip(given.blocks, given.shares)):
        begin = 0 if one_law else sum(sizes[:b])
        mixed[given.block == b, begin : begin + sizes[b]] = one.laws * (share if one_law else 1.0)
    kind, eye, zero = _kinds(given), np.eye(n), np.zeros((n, n))
    same = (kind[:, None] == kind).astype(np.float64)  # cells of one kind
    of_kind = same[np.unique(kind, return_index=True)[1]]
    single = np.concatenate([one.single for one in given.blocks])
    if highest:
        above = np.concatenate([np.hstack([-mixed, zero, eye]), np.hstack([np.zeros_like(mixed), -eye, eye])])
        below = np.zeros(2 * n)
    else:
        above, below = np.hstack([mixed, eye - same, -eye])[single], np.zeros(int(single.sum()))
    weight = -np.ones(n) if highest else single.astype(np.float64)
    laws = [[1.0] * n_laws] if one_law else np.repeat(np.eye(len(sizes)), sizes, axis=1)
    blocks = (given.block == np.arange(len(sizes))[:, None]).astype(np.float64)
    equal = np.concatenate(
        [
            np.hstack([of_kind @ mixed, -of_kind, np.zeros_like(of_kind)]),
            np.hstack([laws, np.zeros((len(laws), 2 * n))]),
            np.hstack([np.zeros((len(sizes), n_laws)), blocks, np.zeros((len(sizes), n))]),
        ]
    )
    sums = np.concatenate([np.zeros(len(of_kind)), [1.0] if one_law else given.shares, given.shares])
    return np.concatenate([np.zeros(n_laws + n), weight]), (above, below), (equal, sums)


def _minimum(cost: Array, above: Array, below: Array, equal: Array, sums: Array, ranges: Array) -> Array | str:
    """Return a solution, or why there is none; old scipy has no method "highs"."""
    import scipy  # noqa: PLC0415  (scipy is slow to import)
    from scipy.optimize import linprog  # noqa: PLC0415

    old = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 6)
    if old and len(cost) > OLD_MOST:
        return TOO_OLD
    for method in ("revised simplex", "interior-point") if old else ("highs", "highs-ds"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old scipy, on rows that depend on others: it leaves them out
            found = linprog(cost, above, below, equal, sums, ranges, method)
        if found.status in (0, 2):
            return np.asarray(found.x) if found.status == 0 else INFEASIBLE
    return UNSOLVED
