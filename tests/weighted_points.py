"""The weighted points of a few cases, by the binding alone: their numbers and stated errors."""

import numpy as np

import ugt
from ugt._core import _mentioned as core
from ugt.plausibilities.draws import REST
from ugt.truth.plackett_luce_input import classes_of, stages_of

SHIFTS = 16
SPREAD = (15 / 13) ** 0.5  # of Student's t


class Points:
    """The points of some cases, by the binding alone."""

    def __init__(self, cases, n_classes, gamma=1.0, shape=None, unranked="individual", seed=1, weights=None, keys=None):
        self.rankings = ugt.Rankings.from_blocks(cases, n_classes=n_classes)
        self.stages = stages_of(self.rankings, unranked != "ignore", None if weights is None else np.asarray(weights, float))
        self.offsets, self.index = classes_of(self.stages)
        self.n_classes, self.law = n_classes, (gamma, 1 / n_classes if shape is None else shape, REST[unranked])
        self.keys = self.rankings.axes.stream_keys if keys is None else np.asarray(keys, np.uint64)
        self.rows, self.seed, self.stop = np.arange(len(cases)), seed, np.zeros(1, np.int32)
        self.sizes = 3 * (np.diff(self.offsets) + 1)
        self.starts = np.append(0, np.cumsum(self.sizes))

    def fit(self, target=2e-3, first=32, most=8192):
        self.kept, out, error = (np.empty(self.sizes.sum()) for _ in range(3))
        self.info = np.empty((len(self.rows), 6))
        limits = target, first, most
        assert self.stages.fit_points(self.keys, self.law, limits, self.seed, self.rows, self.stop, self.kept, out, error, self.info)
        return [tuple(x[self.starts[i] : self.starts[i + 1]].reshape(3, -1) for x in (out, error)) for i in self.rows]

    def fit_of(self, i):
        return self.kept[self.starts[i] : self.starts[i + 1]].copy()

    def points(self, i, n):
        row, count, n = np.array([i]), np.empty(1, np.int64), np.array([n])
        self.stages.count_points(self.law[2], row, self.fit_of(i), n, count)
        value, weight, self.facts = np.empty((count[0], self.sizes[i] // 3)), np.empty(count[0]), np.empty((1, 6))
        assert self.stages.points(self.keys, self.law, self.seed, row, self.fit_of(i), n, self.stop, value.reshape(-1), weight, self.facts)
        return value, weight

    def groups(self, value, group):
        """The sums (n, G) of groups of classes in the points of the only case."""
        sums = np.empty((1, len(value), max(group) + 1))
        law = self.n_classes, len(value), self.law[2], self.law[1], self.seed
        core.mentioned_groups(self.offsets, self.index, self.keys, *law, value.reshape(-1), 0, 1, np.asarray(group), sums, True)
        return sums[0]

    def top(self, value, depth):
        """The best classes (n, depth) in the points of the only case; those that are not mentioned are -2."""
        top = np.empty((1, len(value), depth), np.int32)
        law = self.n_classes, len(value), self.law[2], self.law[1], self.seed
        core.mentioned_top(self.offsets, self.index, self.keys, *law, value.reshape(-1), 0, 1, top, True, False)
        return top[0]


def mean_of(weight, value):
    """A number of weighted points, and its stated error."""
    w, g = weight.reshape(SHIFTS, -1), np.asarray(value, float).reshape(SHIFTS, -1)
    total, sums = w.sum(1), (w * g).sum(1)
    found = sums.sum() / total.sum()
    off = SHIFTS * (sums - found * total) / total.sum()
    return found, max(SPREAD * np.sqrt((off**2).sum() / (SHIFTS * (SHIFTS - 1))), (weight**2).sum())
