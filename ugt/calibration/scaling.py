"""Fits of calibration maps z = softmax(W u + b) to label histograms [B appendix D.1]: objectives, gradients, curvature.

All objectives are means over labels of negative log-likelihoods [B eq. 53]; tables have one row per class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

import numpy as np

from .._base.arrays import Array
from .._base.checks import error
from .logits import LabelTable, LogitTable
from .newton import MAX_ITER, REACH, TOLERANCE, Minimum, conjugate_gradients, minimise

COLUMNS = 2**12  # cases per block of the linear maps
SAMPLE = 8192  # cases from which the preconditioner is computed
MOST_BLOCKS = 48  # classes with curvature blocks of their own; with more classes, only diagonals are used
FEW = 20_000  # cases from which the first guess of the temperature is computed

SMALL, LARGE = 0.1, 1e5  # root mean squares between which logits, and thus reported gradients, keep their units


class Unbounded(ValueError):
    """The error of a fit for which no finite map is best."""

    @classmethod
    def by(cls, labels: Array) -> Unbounded:
        said = (
            "predictions must leave doubt about the labels. A map separates the labels without error, so that no finite map is best: "
            "use more data, a penalty above 0 or a simpler map."
        )
        return cls(said if labels.all() else f"{said} Got no labels of class {int(np.argmin(labels))}.")


def unit_of(size: float) -> float:
    """Return the divisor of logits of this root mean square, with which gradients are neither rounding error nor too small to use."""
    return (max(size, 1e-100) / SMALL if size < SMALL else max(1.0, size / LARGE)) if size > 0 else 1.0


def softmax(z: Array) -> Array:
    """Replace logits (K, n) by probabilities in place, and return them."""
    z -= z.max(axis=0)
    np.exp(z, out=z)
    z /= z.sum(axis=0)
    return z


# ---- temperature: one number


class TemperatureSums:
    """The sums of one pass over the data for z = β u, with u less the largest of its case and in units of ``unit``."""

    def __init__(self, predictions: LogitTable, histograms: LabelTable, stride: int = 1) -> None:
        self.predictions, self.histograms, self.stride, self.unit = predictions, histograms, stride, 1.0
        linear = flat = square = 0.0
        labels, self.by_class = [], np.zeros(histograms.n_classes)
        for centred, y in self.blocks():
            labels.append(y.sum(axis=0))
            self.by_class += y.sum(axis=1)
            linear += float((y * centred).sum())
            flat += float(labels[-1] @ centred.mean(axis=0))
            square += float((centred**2).mean(axis=0).sum())
        self.labels = np.concatenate(labels)
        self.n = float(self.by_class.sum())
        size = float(np.sqrt(square / len(self.labels)))
        self.unit = unit_of(size)
        self.start = min(1.0, 5.0 * self.unit / size) if size > 0 else 1.0  # start with exponents of moderate size
        self.linear, self.flat = linear / self.unit, flat / self.unit

    def blocks(self) -> Iterator[tuple[Array, Array]]:
        """Yield the centred logits and counts (K, rows) of every stride-th block."""
        for j, (begin, end) in enumerate(self.predictions.blocks()):
            if j % self.stride == 0:
                u = self.predictions.logits(begin, end)
                u -= u.max(axis=0)
                if self.unit != 1.0:
                    u /= self.unit
                yield u, self.histograms.block(begin, end)

    def at(self, beta: float) -> tuple[float, float, float]:
        """Return the objective at β and its first and second derivative."""
        value, first, second = 0.0, 0.0, 0.0
        for centred, y in self.blocks():
            labels = y.sum(axis=0)
            e = np.exp(beta * centred)
            total = e.sum(axis=0)
            e *= centred
            mean = e.sum(axis=0) / total
            e *= centred
            value += float(labels @ np.log(total))
            first += float(labels @ mean)
            second += float(labels @ (e.sum(axis=0) / total - mean**2))
        return (value - beta * self.linear) / self.n, (first - self.linear) / self.n, second / self.n


def fit_temperature(predictions: LogitTable, histograms: LabelTable) -> tuple[Minimum, Array, float]:
    """Fit β = 1 / temperature by Newton's method between bounds; return the minimum, the labels of each case, and the value at 1."""
    sums = TemperatureSums(predictions, histograms)
    if sums.n == 0:
        raise error("counts", "hold labels", "none")
    if sums.flat >= sums.linear:
        must = "distinguish the classes better than chance. The likelihood is largest at an infinite temperature"
        raise ValueError(f"predictions must {must}.")
    if sums.linear == 0:
        raise Unbounded.by(sums.by_class)
    before = sums.at(sums.unit)
    start, every = sums.start, predictions.shape[0] // FEW
    if every >= 4:
        some = TemperatureSums(predictions, histograms, every)
        if some.n > 0 and some.flat < some.linear < 0:
            start = float(_newton_1d(some, some.start, REACH).theta[0]) * (sums.unit / some.unit)
    found = _newton_1d(sums, start, REACH)
    return found._replace(theta=found.theta / sums.unit), sums.labels, before[0]


def _newton_1d(sums: TemperatureSums, beta: float, reach: float) -> Minimum:
    low, high = 0.0, np.inf
    for n_iter in range(MAX_ITER):
        value, first, second = sums.at(beta)
        step = -first / second if second > 0 else -np.sign(first) * beta
        if abs(first) <= TOLERANCE and abs(step) <= reach * beta:
            return Minimum(np.array([beta]), value, abs(first), n_iter, True)
        low, high = (beta, high) if first < 0 else (low, beta)
        new = beta + step
        if not low < new < high:
            new = (low + high) / 2 if np.isfinite(high) else 4 * beta
        if not low < new < high:  # low and high are neighbouring numbers, which cannot be improved
            break
        beta = new
    return Minimum(np.array([beta]), value, abs(first), n_iter + 1, abs(first) <= TOLERANCE)


# ---- linear maps


class PlattMap:
    """The map z = (0, a s + b) for two classes, s = u_1 - u_0; theta (1, 2): a, b."""

    def __init__(self) -> None:
        self.start, self.penalty = np.array([[1.0, 0.0]]), np.zeros((1, 2))
        self.slope = np.array([[True, False]])  # which parameters multiply logits

    @staticmethod
    def apply(theta: Array, u: Array) -> Array:
        """Return the (K, n) calibrated logits."""
        z = theta[0, 0] * (u[1] - u[0]) + theta[0, 1]
        return np.stack([np.zeros_like(z), z])

    @staticmethod
    def pull(s: Array, u: Array) -> Array:
        """Return the gradient of Σ s z by theta."""
        return np.array([[s[1] @ (u[1] - u[0]), s[1].sum()]])

    @staticmethod
    def curvature(h: Array, u: Array) -> Array:
        """Return the (1, 2, 2) curvature by theta from the curvature by z."""
        s = u[1] - u[0]
        return np.array([[[h[1] @ s**2, h[1] @ s], [h[1] @ s, h[1].sum()]]])

    @staticmethod
    def by_class(theta: Array) -> Array:
        """Return theta as (K, parameters per class)."""
        return theta


class VectorMap:
    """The map z = v * u + b; theta (2, K): v, b."""

    def __init__(self, k: int, penalty_b: float) -> None:
        self.start = np.stack([np.ones(k), np.zeros(k)])
        self.penalty = np.stack([np.zeros(k), np.full(k, penalty_b / k)])
        self.slope = np.array([[True], [False]])

    @staticmethod
    def apply(theta: Array, u: Array) -> Array:
        return np.asarray(theta[0][:, None] * u + theta[1][:, None])

    @staticmethod
    def pull(s: Array, u: Array) -> Array:
        return np.stack([(s * u).sum(axis=1), s.sum(axis=1)])

    @staticmethod
    def curvature(h: Array, u: Array) -> Array:
        """Return the (K, 2, 2) curvature of each class from its own part h (K, n) of the curvature by z."""
        hu = h * u
        squares, mixed, ones = (hu * u).sum(axis=1), hu.sum(axis=1), h.sum(axis=1)
        return np.moveaxis(np.array([[squares, mixed], [mixed, ones]]), -1, 0)

    @staticmethod
    def by_class(theta: Array) -> Array:
        return np.asarray(theta.T)


class MatrixMap:
    """The map z = W u + b; theta (K, K + 1): W, b."""

    def __init__(self, k: int, penalty_w: float, penalty_b: float) -> None:
        self.start = np.concatenate([np.eye(k), np.zeros((k, 1))], axis=1)
        off = np.where(np.eye(k) > 0, 0.0, penalty_w / (k * (k - 1)))
        self.penalty = np.concatenate([off, np.full((k, 1), penalty_b / k)], axis=1)
        self.slope = np.arange(k + 1) < k

    @staticmethod
    def apply(theta: Array, u: Array) -> Array:
        return np.asarray(theta[:, :-1] @ u + theta[:, -1:])

    @staticmethod
    def pull(s: Array, u: Array) -> Array:
        return np.concatenate([s @ u.T, s.sum(axis=1)[:, None]], axis=1)

    @staticmethod
    def curvature(h: Array, u: Array) -> Array:
        """Return the (K, K + 1, K + 1) curvature of each class, or for many classes only the diagonals."""
        k = len(u)
        full = np.concatenate([u, np.ones((1, u.shape[1]))])
        return np.asarray(h @ (full**2).T) if k > MOST_BLOCKS else np.stack([(full * row) @ full.T for row in h])

    @staticmethod
    def by_class(theta: Array) -> Array:
        return theta


Map = Union[PlattMap, VectorMap, MatrixMap]


class Objective:
    """The mean negative log-likelihood of labels, counts y (K, N), under a map of logits u (K, N), and its penalty.

    All methods except :meth:`value` and :meth:`fit` take logits in units of ``unit``, and parameters times ``factor``.
    """

    def __init__(self, form: Map, u: Array, y: Array) -> None:
        self.form, self.u, self.y = form, u, y
        self.labels, self.by_class = y.sum(axis=0), y.sum(axis=1)
        self.n = float(self.labels.sum())
        if self.n == 0:
            raise error("counts", "hold labels", "none")
        self.least = float(y[y > 0].min())  # smallest weight of a label
        square = sum(float(((u[:, at] - u[:, at].mean(axis=0)) ** 2).sum()) for at in self.blocks())
        size = np.sqrt(square / u.size)
        self.unit = unit_of(float(size))
        self.size = float(size / self.unit)
        if self.unit != 1.0:
            self.u = u / self.unit
        self.factor = np.where(form.slope, self.unit, 1.0)
        self.penalty = form.penalty / self.factor**2
        self.expected = np.empty_like(u)  # expected labels of each class and case at the last theta

    def blocks(self) -> list[slice]:
        n = self.u.shape[1]
        return [slice(begin, min(begin + COLUMNS, n)) for begin in range(0, n, COLUMNS)]

    def value(self, theta: Array) -> float:
        """Return the objective without penalty."""
        theta = theta * self.factor
        total = 0.0
        for at in self.blocks():
            z = self.form.apply(theta, self.u[:, at])
            z -= z.max(axis=0)
            total -= float((self.y[:, at] * z).sum())
            total += float(self.labels[at] @ np.log(np.exp(z, out=z).sum(axis=0)))
        return total / self.n

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        """Return the objective with penalty, and its gradient."""
        value, gradient = 0.0, np.zeros_like(theta)
        for at in self.blocks():
            z = self.form.apply(theta, self.u[:, at])
            z -= z.max(axis=0)
            value -= float((self.y[:, at] * z).sum())
            np.exp(z, out=z)
            sums = z.sum(axis=0)
            value += float(self.labels[at] @ np.log(sums))
            z *= self.labels[at] / sums
            self.expected[:, at] = z
            z -= self.y[:, at]
            gradient = gradient + self.form.pull(z, self.u[:, at])
        return value / self.n + float((self.penalty * theta**2).sum()), gradient / self.n + 2 * self.penalty * theta

    def times(self, step: Array) -> Array:
        """Return the Hessian at the last theta times a step."""
        total = np.zeros_like(step)
        for at in self.blocks():
            q, labels = self.expected[:, at], self.labels[at]
            s = self.form.apply(step, self.u[:, at])
            s *= q
            s -= q * (s.sum(axis=0) / np.where(labels > 0, labels, 1.0))
            total += self.form.pull(s, self.u[:, at])
        return np.asarray(total / self.n + 2 * self.penalty * step)

    def reach(self, step: Array) -> float:
        """Return the largest change of a logit by a step, relative to the mean change of the logits of its case."""
        most = 0.0
        for at in self.blocks():
            z = self.form.apply(step, self.u[:, at])[:, self.labels[at] > 0]
            if z.size:
                most = max(most, float(np.abs(z - z.mean(axis=0)).max()))
        return most

    def direction(self, theta: Array, gradient: Array) -> Array:
        """Return a Newton step by conjugate gradients, preconditioned with the curvature by each class's own parameters."""
        every = max(1, self.u.shape[1] // SAMPLE)
        q, labels = self.expected[:, ::every], np.where(self.labels > 0, self.labels, 1.0)[::every]
        h = q * (1 - q / labels)
        scale = self.labels.sum() / max(float(self.labels[::every].sum()), 1e-300) / self.n
        curved = self.form.curvature(h, self.u[:, ::every]) * scale
        penalty = 2 * self.form.by_class(self.penalty)
        # one ridge per parameter, because curvatures of slopes and shifts can differ by orders of magnitude
        if curved.ndim == 2:
            diagonal = curved + penalty + (1e-9 * curved.max(axis=0) + 1e-300)
            return conjugate_gradients(self.times, lambda rest: rest / diagonal, gradient)
        at = np.arange(curved.shape[-1])
        curved[:, at, at] += penalty + (1e-9 * curved[:, at, at].max(axis=0) + 1e-300)
        inverse = np.linalg.inv(curved)

        def precondition(rest: Array) -> Array:
            return self.form.by_class(np.matmul(inverse, self.form.by_class(rest)[:, :, None])[:, :, 0])

        return conjugate_gradients(self.times, precondition, gradient)

    def fit(self, start: Array | None = None) -> Minimum:
        """Return the minimum; raise an error if there is none."""
        # start with logits of moderate size, so that no probability is 0 or 1 at the beginning
        begin = self.form.start / (self.size or 1.0) if start is None else start * self.factor
        found = minimise(self.value_and_gradient, self.direction, self.reach, begin, self._separates)
        if not found.bounded or self._separates(found.theta):
            raise Unbounded.by(self.by_class)
        return found._replace(theta=found.theta / self.factor)

    def _separates(self, theta: Array) -> bool:
        """Return whether the unpenalised parameters put every label first, so that larger parameters are always better.

        Otherwise some label has a probability of at most 1/2, however large theta is.
        """
        free = np.where(self.penalty > 0, 0.0, theta)
        reach = self.reach(free)
        if reach == 0:
            return False
        return self.value(free * (1e6 / reach) / self.factor) * self.n < 0.5 * self.least
