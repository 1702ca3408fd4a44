"""Latent classes without dependence: maximum likelihood by expectation-maximisation over distinct rows (Dawid & Skene 1979)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._base.arrays import Array, NDArray
from ..._core._stream import Stream
from .rows import LabelRows

FULL, ONE = "full", "one accuracy"
CASES_A_PARAMETER = 20  # least cases per free parameter of the full form
GAIN, MOST_ROUNDS = 1e-11, 5000  # gain of log-likelihood per label at which the fit ends, and its most rounds
LEAST = 1e-300  # probability below which logarithms are not taken
SMALLEST = 1e-4  # parameters below, or nearer to 1, are held fixed: they are on the edge of their range
LEVEL_OF_TEST = 0.05  # p-value below which one accuracy is refuted


def logsumexp(a: Array) -> Array:
    """Return (P,) the logarithm of the sums of the exponentials of rows."""
    top = a.max(axis=1)
    return np.asarray(top + np.log(np.exp(a - top[:, None]).sum(axis=1)))


def n_parameters(rows: LabelRows, form: str) -> int:
    """Return the number of free parameters of a form."""
    k = rows.n_classes
    return rows.n_populations * (k - 1) + rows.n_tests * (1 if form == ONE else k * (k - 1))


def enough_for_full(rows: LabelRows) -> bool:
    """Return whether there are enough cases, or clusters, for a confusion matrix of each test."""
    return rows.n_units >= CASES_A_PARAMETER * n_parameters(rows, FULL)


@dataclass(frozen=True, eq=False)
class ConfusionFit:
    """A fitted form: ``"full"`` with a confusion matrix, or ``"one accuracy"`` per test with errors alike on all other classes.

    ``prevalence`` (G, K) by population; ``confusion`` (T, K, K) by test, true class and label; ``joint`` (P, K): log probabilities of row
    and class. Parameters are logarithms of prevalences, and of cells of confusions, relative to the largest of their row; or logits of
    accuracies. Cells below ``edge`` are known.
    """

    form: str
    rows: LabelRows
    prevalence: Array
    confusion: Array
    joint: Array
    edge: float = SMALLEST

    @property
    def log_rows(self) -> Array:
        """(P,) the log probability of each row."""
        return logsumexp(self.joint)

    @property
    def posterior(self) -> Array:
        """(P, K) the probability of each class given the row."""
        return np.asarray(np.exp(self.joint - self.log_rows[:, None]))

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood of all rows."""
        return float(self.rows.times @ self.log_rows)

    @property
    def n_parameters(self) -> int:
        """The number of parameters, with those that are known."""
        return n_parameters(self.rows, self.form)

    @property
    def swapped(self) -> bool:
        """Whether the tests are together no better than chance, so that the classes have no names."""
        labels = self.rows.given.T @ self.rows.times
        right = np.einsum("k,akk,a->", self.rows.shares @ self.prevalence, self.confusion, labels) / labels.sum()
        return bool(right <= 1 / self.rows.n_classes)

    @property
    def perfect(self) -> bool:
        """Whether a test is always right in the fit, which then holds no uncertainty of the classes."""
        right = np.einsum("akk->ak", self.confusion)[:, self.rows.shares @ self.prevalence > SMALLEST]
        return bool((right >= 1 - SMALLEST).all(axis=1).any())

    def free(self) -> Iterator[tuple[int, ...]]:
        """Yield the free parameters: (population, class), (test,) of an accuracy, or (test, class, label)."""
        for g, shares in enumerate(self.prevalence):
            yield from ((g, int(c)) for c in _away(shares, SMALLEST))
        for t, own in enumerate(self.confusion):
            if self.form == ONE:
                yield from [(t,)] if SMALLEST < own[0, 0] < 1 - SMALLEST else []
            else:
                yield from ((t, k, int(c)) for k, shares in enumerate(own) for c in _away(shares, self.edge))

    def directions(self) -> Iterator[Array]:
        """Yield (P, K) the derivatives of the log joint probability of row and class by each free parameter."""
        hot, given, k = self.rows.hot, self.rows.given, self.rows.n_classes
        for one in self.free():
            found = np.zeros((len(hot), k))
            if len(one) == 2:
                found[self.rows.population == one[0]] = np.eye(k)[one[1]] - self.prevalence[one]
            elif len(one) == 1:
                found = hot[:, one[0]] - given[:, one] * self.confusion[one[0], 0, 0]
            else:
                t, true, label = one
                found[:, true] = hot[:, t, label] - given[:, t] * self.confusion[one]
            yield found

    def right(self) -> tuple[float, Array]:
        """Return the mean recall of the classes over tests, and its derivative by the free parameters."""
        own, slope = np.einsum("tkk->tk", self.confusion), []
        for one in self.free():
            if len(one) == 1:
                slope.append(own[one[0], 0] * (1 - own[one[0], 0]) / len(own))
            else:
                slope.append(own[one[:2]] * (float(one[1] == one[2]) - self.confusion[one]) / own.size if len(one) == 3 else 0.0)
        return float(own.mean()), np.array(slope)

    def accuracies(self) -> tuple[Array, Array]:
        """Return (T,) accuracies of the tests under the prevalence, and their derivatives (D, T) by the free parameters of the tests."""
        own, shares = np.einsum("tkk->tk", self.confusion), self.rows.shares @ self.prevalence
        free = list(self.free())
        slope = np.zeros((len(free), len(own)))
        for i, one in enumerate(free):
            if len(one) == 1:
                slope[i, one[0]] = own[one[0], 0] * (1 - own[one[0], 0])
            elif len(one) == 3:
                slope[i, one[0]] = shares[one[1]] * own[one[:2]] * (float(one[1] == one[2]) - self.confusion[one])
        return own @ shares, slope

    def drawn(self, stream: Stream) -> LabelRows:
        """Return labels drawn from the fit, as many of each test in each case as there are."""
        rows, case, test = self.rows.each()
        true = _below(self.prevalence[self.rows.population[rows]], stream)
        return self.rows.again(rows, case, test, _below(self.confusion[test, true[case]], stream))


def _away(shares: Array, edge: float) -> NDArray[np.int64]:
    """Return the cells of a row that are free: neither at the edge nor the largest."""
    free = shares > edge
    free[np.argmax(shares)] = False
    return np.flatnonzero(free)


def _below(shares: Array, stream: Stream) -> NDArray[np.int64]:
    """Return (n,) draws from laws (n, K)."""
    u = np.empty(len(shares))
    stream.uniform(u)
    return np.asarray((shares.cumsum(axis=1)[:, :-1] < u[:, None]).sum(axis=1))


def fit_confusions(
    rows: LabelRows, form: str, pseudo: float = 0.0, *, start: Array | None = None, edge: float = SMALLEST, gain: float = GAIN
) -> ConfusionFit:
    """Return the maximum nearest to a start, at which classes keep their names.

    ``pseudo``: pseudo-count of prevalences and cells, twice that on the diagonal; ``start``: (P, K) posteriors, by default the shares of
    the labels, sharpened.
    """
    if start is None:
        squared = (rows.counts + 1e-3) ** 2
        start = 0.9 * squared / squared.sum(axis=1, keepdims=True) + 0.1 / rows.n_classes
    q, labels, old = start, float(rows.given.sum(axis=1) @ rows.times), -np.inf
    own, by_class = rows.population == np.arange(rows.n_populations)[:, None], rows.cells.T.tocsr()
    for _ in range(MOST_ROUNDS):
        weight = q * rows.times[:, None]
        prevalence = own @ weight + pseudo
        prevalence /= prevalence.sum(axis=1, keepdims=True)
        confusion = _mode((by_class @ weight).reshape(-1, *[rows.n_classes] * 2).transpose(0, 2, 1), form, pseudo)
        joint = joint_of(rows, prevalence, confusion)
        each = logsumexp(joint)
        q, total = np.exp(joint - each[:, None]), float(rows.times @ each)
        if abs(total - old) <= gain * labels:
            break
        old = total
    return ConfusionFit(form, rows, prevalence, confusion, joint, edge)


def _mode(counts: Array, form: str, pseudo: float) -> Array:
    """Return the confusions from expected numbers of labels (T, K, K)."""
    k = counts.shape[1]
    if form == ONE:
        right, total = np.einsum("tkk->t", counts) + 2 * pseudo, counts.sum(axis=(1, 2)) + 3 * pseudo
        return coins(right / total, k)
    counts = counts + pseudo * (1 + np.eye(k))
    total = counts.sum(axis=2, keepdims=True)
    return np.asarray(np.where(total > 0, counts / np.maximum(total, LEAST), 1 / k))


def coins(right: Array, k: int) -> Array:
    """Return the (T, K, K) confusions of tests that are right with these probabilities and err alike on all other classes."""
    wrong = ((1 - right) / (k - 1))[:, None, None]
    return np.asarray(wrong + (right[:, None, None] - wrong) * np.eye(k))


def joint_of(rows: LabelRows, prevalence: Array, confusion: Array) -> Array:
    """Return (P, K) the log probabilities of row and class."""
    logs = np.log(np.maximum(confusion, LEAST)).transpose(0, 2, 1).reshape(-1, rows.n_classes)
    return np.asarray(rows.cells @ logs + np.log(np.maximum(prevalence, LEAST))[rows.population])


def p_one_accuracy(full: ConfusionFit, one: ConfusionFit) -> float:
    """Return the p-value of the likelihood ratio of one accuracy per test against the full form."""
    from scipy.special import chdtrc  # noqa: PLC0415  (scipy is slow to import)

    return float(chdtrc(full.n_parameters - one.n_parameters, max(0.0, 2 * (full.log_likelihood - one.log_likelihood))))
