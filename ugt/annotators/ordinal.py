"""The model of annotators who see the true grade with a bias and a spread of their own (after Lakshminarayanan & Teh 2013)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._base.arrays import Array
from .._base.ragged import offsets_of
from .em import ALL, Confusions, Effort, FullFit, Prior, accuracy_errors, best_of, fit_full
from .records import AnnotatorModel, Cells, GivenLabels, point_of

LEAST = 1e-300  # smallest probability, so that logarithms stay finite
LEAST_SPREAD, MOST_SPREAD = 0.05, 20.0  # grades; beyond these ends, the likelihood no longer changes noticeably
SCORING, HALVINGS = 2, 12  # scoring steps per M-step, and halvings of each; an M-step need not reach the maximum


def confusions(bias: Array, log_spread: Array, k: int) -> tuple[Array, Array, Array]:
    """Return π (A, K, K), from N(k + bias, spread²) cut midway between grades, and its derivatives by bias and by log spread."""
    from scipy.special import ndtr  # noqa: PLC0415  (scipy is slow to import)

    spread = np.exp(log_spread)[:, None, None]
    middle = np.arange(k)[:, None] + bias[:, None, None]
    cut = np.append(np.append(-np.inf, np.arange(k - 1) + 0.5), np.inf)
    z = (cut - middle) / spread
    low, high = z[..., :-1], z[..., 1:]
    upper = low > 0  # differences of the smaller tails do not cancel
    p = np.where(upper, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
    density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    weighted = np.where(np.isinf(z), 0.0, z) * density
    return np.maximum(p, LEAST), -np.diff(density) / spread, -np.diff(weighted)


def improve(count: Array, bias: Array, log_spread: Array) -> tuple[Array, Array]:
    """Take steps of Fisher scoring that lower no annotator's expected log-likelihood, given expected labels (A, K, K)."""
    k = count.shape[1]
    ends = np.log([LEAST_SPREAD, MOST_SPREAD])
    for _ in range(SCORING):
        p, by_bias, by_spread = confusions(bias, log_spread, k)
        value, n = (count * np.log(p)).sum((1, 2)), count.sum(2, keepdims=True)
        slope = np.stack([(count * d / p).sum((1, 2)) for d in (by_bias, by_spread)], 1)
        a, b, c = ((n * x * y / p).sum((1, 2)) for x, y in ((by_bias, by_bias), (by_bias, by_spread), (by_spread, by_spread)))
        a, c = a + 1e-9, c + 1e-9  # keeps the parameters of an annotator without labels as they are
        step = np.stack([c * slope[:, 0] - b * slope[:, 1], a * slope[:, 1] - b * slope[:, 0]], 1) / (a * c - b**2)[:, None]
        step = np.clip(np.nan_to_num(step), -1.0, 1.0)
        bias, log_spread, left = bias.copy(), log_spread.copy(), np.arange(len(bias))
        for _ in range(HALVINGS):
            near = np.clip(bias[left] + step[left, 0], -k, k), np.clip(log_spread[left] + step[left, 1], *ends)
            better = (count[left] * np.log(confusions(*near, k)[0])).sum((1, 2)) >= value[left]
            bias[left[better]], log_spread[left[better]] = near[0][better], near[1][better]
            left, step = left[~better], step / 2
            if len(left) == 0:
                break
    return bias, log_spread


class OrdinalFit(FullFit):
    """A start of Dawid–Skene with a bias and a spread for every annotator."""

    def __init__(self, shape: Confusions, prior: Prior, q: Array) -> None:
        super().__init__(shape, prior, q)
        n, k = shape.given.n_annotators, shape.given.n_classes
        self.pseudo = np.where(np.eye(k, dtype=bool), *prior[:2])
        self.bias, self.log_spread = np.zeros(n), np.zeros(n)

    def value(self) -> float:
        who, label, truth, _ = self.shape.layout
        n, k = len(self.bias), len(self.class_count)
        at = (who.astype(np.int64) * k + truth) * k + label
        count = np.asarray(np.bincount(at, self.count, n * k * k), np.float64).reshape(n, k, k) + self.pseudo
        self.bias, self.log_spread = improve(count, self.bias, self.log_spread)
        self.table = confusions(self.bias, self.log_spread, k)[0]
        self.probability = np.ascontiguousarray(self.table[who, truth, label])
        self.prevalence = (self.class_count + self.prior[2]) / (self.class_count + self.prior[2]).sum()
        core = self.shape.core
        self.log_likelihood = core.expect(self.probability, self.prevalence, self.next_count, self.next_class_count)
        of_classes = self.prior[2] * float(np.log(self.prevalence).sum()) if self.prior[2] > 0 else 0.0
        return self.log_likelihood + float((self.pseudo * np.log(self.table)).sum()) + of_classes


def _of_two_grades(given: GivenLabels, prior: Prior, effort: Effort, n_threads: int) -> AnnotatorModel:
    """Return the model of full confusions, which has as many parameters, with the bias and the spread that give the same confusions."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    found = fit_full(given, prior, True, effort, n_threads)
    upper = np.array([found.confusion(name)[:, 1] for name in found.annotators.tolist()]).reshape(-1, 2)
    end = 0.5 / LEAST_SPREAD
    low, high = np.clip(ndtri(upper), -end, end).T
    spread = np.where(high > low, 1 / np.where(high > low, high - low, 1.0), np.nan)
    return replace(found, model="ordinal", bias=spread * (low + high) / 2, spread=spread)


def fit_ordinal(given: GivenLabels, prior: Prior, effort: Effort, n_threads: int) -> AnnotatorModel:
    if given.n_classes == 2:
        return _of_two_grades(given, prior, effort, n_threads)
    shape = Confusions(given, ALL)
    best, told = best_of(lambda number: OrdinalFit(shape, prior, given.start(effort.seed, number)), given.total, effort, n_threads)
    fit, n, k = best.fit, given.n_annotators, given.n_classes
    q = fit.candidates()
    with np.errstate(invalid="ignore", divide="ignore"):
        accuracy = given.per_annotator(q[shape.entries][given.entry]) / given.n_labels
    error = accuracy_errors(given, q[shape.entries], accuracy, 0.0)
    truth, label = (np.tile(x.ravel(), n).astype(np.int32) for x in np.indices((k, k)))
    cells = Cells(offsets_of(np.full(n, k * k)), truth, label, fit.table.ravel(), (0.0, 0.0), True)
    unknown = np.where(given.n_labels > 0, 1.0, np.nan)
    common = given.labels.annotators, given.n_labels, accuracy, error, fit.prevalence, given.left_out, cells, fit.log_likelihood
    point = point_of(given.axes, shape.offsets, shape.index, q)
    return AnnotatorModel("ordinal", point, *common, **told, bias=fit.bias * unknown, spread=np.exp(fit.log_spread) * unknown)
