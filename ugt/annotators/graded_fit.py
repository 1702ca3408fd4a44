"""The fit of graded responses: EM, steps to the maximum, what is known of the parameters there, and laws over grades."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int32, NDArray
from .._base.ragged import row_of, sizes_of
from .._core import _graded
from .em import MOST_JOINT, Fit
from .records import GivenLabels

REACH = 7.0  # nodes lie within so many standard deviations of the severity; beyond is 3e-12 of its law
REACH_OF_EM = 5.75  # for EM, whose answer is improved afterwards; beyond is 1e-8
LANES = 4  # the number of nodes is a multiple of it, for vectors
LINE = 8  # numbers in a cache line
FINEST, COARSEST = 0.01, 0.5  # distances of nodes
ROUGH, FINE = 1.2, 0.75  # distances by the smallest posterior sd: the trapezoid rule errs by 1e-6 and 1e-15 of a normal integral
PER_SLOPE = 0.8  # distance times the largest discrimination: poles of the logistic curves then make an error of 1e-11
PANEL, PER_PANEL = 2.0, 12  # the law over grades: Gauss-Legendre panels of so many of the smallest posterior sds, and their nodes
LEAST_A, MOST_A = 0.02, 50.0
LONGEST_STEP, HALVINGS = 1.0, 12
RIDGE = 1e-8  # relative, for what no label informs about
CHORDS, CLOSE, NEAR = 20, 1e-7, 1e-3  # most steps after EM; their end, and how far the covariance serves, in standard errors
MOST_WORK = 1e11  # products for the joint information, about half a minute
ROUNDS, SLACK, TINY = 4, 1e-12, 1e-300


class PriorWidths(NamedTuple):
    """Prior standard deviations of leniency and of log discrimination between annotators; infinite without a prior."""

    leniency: float
    log_discrimination: float


class Position(NamedTuple):
    """Parameters: log discrimination (A,), and shift (A,) with thresholds (G - 1,), or thresholds of each (A, G - 1)."""

    log_a: Array
    shift: Array
    threshold: Array

    @property
    def shared(self) -> bool:
        return self.threshold.ndim == 1

    @property
    def cut(self) -> Array:
        return np.ascontiguousarray(self.threshold + self.shift[:, None] if self.shared else self.threshold)

    @property
    def common(self) -> Array:
        """(G - 1,) thresholds of the mean annotator."""
        return self.threshold if self.shared else np.asarray(self.threshold.mean(0))

    def vector(self) -> Array:
        """In the order of the core."""
        if self.shared:
            return np.append(np.stack([self.log_a, self.shift], 1).ravel(), self.threshold)
        return np.concatenate([self.log_a[:, None], self.threshold], 1).ravel()

    def at(self, vector: Array) -> Position:
        n, shared = len(self.log_a), self.shared
        own = vector[: 2 * n].reshape(n, 2) if shared else vector.reshape(n, -1)
        shift, threshold = (own[:, 1], vector[2 * n :]) if shared else (self.shift, own[:, 1:])
        if shared:  # only differences of shifts mean something
            shift, threshold = shift - shift.mean(), threshold + shift.mean()
        return Position(np.clip(own[:, 0], np.log(LEAST_A), np.log(MOST_A)), shift, threshold)

    @property
    def valid(self) -> bool:
        return bool((np.diff(self.threshold) > 0).all())


def place_of(kept: Any, values: Any) -> Int32:
    """Where each value stands among the ascending ones that are kept."""
    return np.asarray(np.searchsorted(kept, values), np.int32)


def in_lines(shape: tuple[int, ...]) -> Array:
    """Return an empty array that begins at a cache line; rows in one line more than they need take a fifth longer."""
    size = int(np.prod(shape))
    room = np.empty(size + LINE, np.float64)
    start = -room.ctypes.data // room.itemsize % LINE
    return room[start : start + size].reshape(shape)


class Problem:
    """Labels as grades 0 to G - 1 of those that were used, the nodes of the severity, the prior."""

    def __init__(self, given: GivenLabels, used: NDArray[Any], spread: PriorWidths) -> None:
        labels = given.labels
        self.given, self.spread, self.n_grades, self.who = given, spread, len(used), np.flatnonzero(given.n_labels > 0)
        self.annotator, self.grade = place_of(self.who, labels.annotator), place_of(used, labels.label)
        self.table = self._table()
        self.refine(COARSEST)

    def _table(self) -> _graded.Grades:
        given = self.given
        return _graded.Grades(given.labels.offsets, self.annotator, self.grade, given.weight, len(self.who), self.n_grades)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy is made from: all but the table of the C core."""
        return {name: value for name, value in self.__dict__.items() if name != "table"}

    def __setstate__(self, held: dict[str, Any]) -> None:
        self.__dict__.update(held)
        self.table = self._table()

    def refine(self, step: float, reach: float = REACH_OF_EM) -> None:
        half = LANES / 2 * np.ceil(reach / step / (LANES / 2))
        self.step = step
        self.node: Array = np.arange(0.5 - half, half) * step
        mass: Array = np.exp(-0.5 * self.node**2)
        self.mass: Array = mass / mass.sum()

    def fitting_step(self, place: Position, per_sd: float) -> float:
        """The distance of nodes that the most informed case needs."""
        poles = PER_SLOPE / float(np.exp(place.log_a.max())) if per_sd == FINE else COARSEST
        return float(np.clip(min(per_sd * self.smallest_sd(place), poles), FINEST, COARSEST))

    def smallest_sd(self, place: Position) -> float:
        square = np.exp(2 * place.log_a)[self.annotator] * (1.0 if self.given.weight is None else self.given.weight)
        information = np.bincount(row_of(self.given.labels.offsets), square, self.given.axes.n_cases)
        return float(1 / np.sqrt(1 + information.max() / 4))

    def core(self, place: Position, node: Array | None = None, mass: Array | None = None) -> tuple[_graded.Graded, Array]:
        at = self.node if node is None else node
        p = in_lines((len(place.log_a), self.n_grades, len(at)))
        return _graded.Graded(self.table, np.exp(place.log_a), place.cut, at, self.mass if mass is None else mass, p), p

    def at_bound(self, place: Position) -> Bools:
        """(A,) whose discrimination is as high or low as it may be."""
        return np.asarray((place.log_a <= np.log(LEAST_A)) | (place.log_a >= np.log(MOST_A)))

    def density(self, place: Position) -> float:
        """Log prior density up to a constant; the mean of log discrimination is free."""
        total = -0.5 * float(((place.log_a - place.log_a.mean()) ** 2).sum()) / self.spread.log_discrimination**2
        return total - (0.5 * float((place.shift**2).sum()) / self.spread.leniency**2 if place.shared else 0.0)

    def pull(self, place: Position) -> tuple[Array, Array]:
        """Slope of the log prior by the parameters, and its negative second derivatives on the diagonal."""
        n, width = len(place.log_a), 2 if place.shared else self.n_grades
        out, curve = np.zeros((2, len(place.vector())))
        out[: n * width : width] = -(place.log_a - place.log_a.mean()) / self.spread.log_discrimination**2
        curve[: n * width : width] = 1 / self.spread.log_discrimination**2
        if place.shared:
            out[1 : n * width : width] = -place.shift / self.spread.leniency**2
            curve[1 : n * width : width] = 1 / self.spread.leniency**2
        return out, curve

    def derivatives(self, core: _graded.Graded, count: Array, observed: bool) -> tuple[Array, Array]:
        slope, information = np.empty(count.shape[:2]), np.empty((*count.shape[:2], self.n_grades))
        core.score(count, observed, slope, information)
        return slope, information


def scoring_step(problem: Problem, place: Position, slope: Array, information: Array) -> Array:
    """The step of Fisher's scoring for all parameters, of which annotators have nothing in common but shared thresholds."""
    pull, curve = problem.pull(place)
    n = len(place.log_a)
    if not place.shared:
        gradient = slope + pull.reshape(slope.shape)
        blocks = information + (curve + RIDGE).reshape(slope.shape)[..., None] * np.eye(problem.n_grades)
        return np.asarray(np.linalg.solve(blocks, gradient[..., None])[..., 0].ravel(), np.float64)
    gradient = np.stack([slope[:, 0], slope[:, 1:].sum(1)], 1) + pull[: 2 * n].reshape(n, 2)
    blocks = np.empty((n, 2, 2))
    blocks[:, 0, 0], blocks[:, 1, 1] = information[:, 0, 0], information[:, 1:, 1:].sum((1, 2))
    blocks[:, 0, 1] = blocks[:, 1, 0] = information[:, 0, 1:].sum(1)
    blocks[:, [0, 1], [0, 1]] += curve[: 2 * n].reshape(n, 2) + RIDGE * (1 + blocks[:, [0, 1], [0, 1]])
    cross = np.stack([information[:, 0, 1:], information[:, 1:, 1:].sum(1)], 1)  # (A, 2, G - 1)
    solved = np.linalg.solve(blocks, np.concatenate([cross, gradient[..., None]], 2))
    rest = information[:, 1:, 1:].sum(0) - np.einsum("aij,aik->jk", cross, solved[..., :-1])
    rest[np.diag_indices_from(rest)] *= 1 + RIDGE
    of_cuts = np.linalg.solve(rest, slope[:, 1:].sum(0) - np.einsum("aij,ai->j", cross, solved[..., -1]))
    return np.append((solved[..., -1] - solved[..., :-1] @ of_cuts).ravel(), of_cuts)


class GradedFit(Fit):
    """One step of scoring for each expectation: a generalised EM."""

    def __init__(self, problem: Problem, place: Position) -> None:
        self.problem, self.place = problem, place
        self.core, self.p = problem.core(place)
        self.count = in_lines(self.p.shape)

    def value(self) -> float:
        self.log_likelihood = self.core.expect(self.count)
        return self.log_likelihood + self.problem.density(self.place)

    def improve(self) -> None:
        now = float((self.count * np.log(self.p)).sum()) + self.problem.density(self.place)
        step = scoring_step(self.problem, self.place, *self.problem.derivatives(self.core, self.count, False))
        step = np.clip(np.nan_to_num(step), -LONGEST_STEP, LONGEST_STEP)
        for _ in range(HALVINGS):
            near = self.place.at(self.place.vector() + step)
            if near.valid:
                core, p = self.problem.core(near)
                if float((self.count * np.log(p)).sum()) + self.problem.density(near) >= now:
                    self.place, self.core, self.p = near, core, p
                    return
            step = step / 2


def start(problem: Problem, shared: bool) -> Position:
    """Thresholds where the shares of the grades put them, seen with noise like the spread of the severity."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    n, share = len(problem.who), np.bincount(problem.grade, problem.given.weight, problem.n_grades)
    threshold = 1.4 * ndtri(np.cumsum(share)[:-1] / share.sum())
    return Position(np.full(n, np.log(1.5)), np.zeros(n), threshold if shared else np.tile(threshold, (n, 1)))


# ---- precision of the estimates


def observed_information(problem: Problem, place: Position, core: _graded.Graded, count: Array) -> Array:
    """(P, P) negative second derivatives of the log-likelihood and log prior, or (1, P) their diagonal for many annotators."""
    _, blocks = problem.derivatives(core, count, True)
    n, size, g = len(place.log_a), len(place.vector()), problem.n_grades
    columns = sizes_of(problem.given.labels.offsets) * 2.0 + g
    joint = n <= MOST_JOINT and float((columns**2).sum()) * len(problem.node) <= MOST_WORK
    out = np.zeros((size, size)) if joint else np.zeros((1, size))
    if place.shared:
        to = np.zeros((g, 2 + g - 1))  # an annotator's parameters by its own two and the thresholds of all
        to[0, 0] = 1.0
        to[1:, 1] = 1.0
        to[1:, 2:] = np.eye(g - 1)
        blocks = to.T @ blocks @ to
    at = np.arange(n)[:, None] * (2 if place.shared else g) + np.arange(2 if place.shared else g)
    at = np.concatenate([at, np.broadcast_to(2 * n + np.arange(g - 1), (n, g - 1))], 1) if place.shared else at
    if joint:
        np.add.at(out, (at[:, :, None], at[:, None, :]), blocks)
    else:
        np.add.at(out[0], at, np.diagonal(blocks, axis1=1, axis2=2))
    core.missing(place.shared, out)
    curve = problem.pull(place)[1]
    if joint:
        out[np.diag_indices(size)] += curve
        if np.isfinite(problem.spread.log_discrimination):  # the mean is free
            own = np.arange(n) * (2 if place.shared else g)
            out[np.ix_(own, own)] -= 1 / (n * problem.spread.log_discrimination**2)
    else:
        out[0] += curve
    return out


def covariance(problem: Problem, place: Position, information: Array) -> Array | None:
    """(P, P) inverse of the information, with shifts that add up to 0; None where it is not positive definite."""
    fixed = np.zeros(len(information))
    if place.shared:
        fixed[1 : 2 * len(place.log_a) : 2] = 1.0
    a = information + np.outer(fixed, fixed)
    try:
        np.linalg.cholesky(a)
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None
    if place.shared:
        of_sum = inverse @ fixed
        inverse = inverse - np.outer(of_sum, of_sum) / (fixed @ of_sum)
    return np.asarray(inverse, np.float64)


def slope_of(problem: Problem, fit: GradedFit) -> Array:
    """(P,) slope of the log-likelihood and log prior, by Fisher's identity."""
    slope, _ = problem.derivatives(fit.core, fit.count, False)
    if not fit.place.shared:
        return np.asarray(slope.ravel() + problem.pull(fit.place)[0])
    own = np.stack([slope[:, 0], slope[:, 1:].sum(1)], 1).ravel()
    return np.append(own, slope[:, 1:].sum(0)) + problem.pull(fit.place)[0]


def polish(problem: Problem, fit: GradedFit) -> tuple[GradedFit, Array | None, Array]:
    """From where EM ends to the maximum, by steps with one covariance; the covariance there or None, and standard errors."""
    value = fit.value()
    for _ in range(ROUNDS):
        information = observed_information(problem, fit.place, fit.core, fit.count)
        found = covariance(problem, fit.place, information) if len(information) > 1 else None
        if found is None:
            each = information[0] if len(information) == 1 else np.zeros(information.shape[1])
            return fit, None, np.where(each > 0, 1 / np.sqrt(np.where(each > 0, each, 1.0)), np.nan)
        error, moved = np.sqrt(np.maximum(np.diag(found), TINY)), 0.0
        for _ in range(CHORDS):
            step = found @ slope_of(problem, fit)
            near = GradedFit(problem, fit.place.at(fit.place.vector() + step))
            higher = near.value() if near.place.valid else -np.inf
            if higher < value - SLACK * abs(value):
                break
            fit, value = near, higher
            moved = max(moved, float((np.abs(step) / error).max()))
            if (np.abs(step) < CLOSE * error).all():
                break
        if moved < NEAR:
            break
    return fit, found, error


# ---- the law over grades


def laws(problem: Problem, place: Position) -> tuple[Array, Array]:
    """(N, G) posterior probability that the severity lies between the thresholds of the mean annotator; its mean and sd (N, 2)."""
    inner = np.clip(place.common, -REACH - 1, REACH + 1)
    ends = np.concatenate([[-REACH - 1], inner, [REACH + 1]])
    most = PANEL * problem.smallest_sd(place)
    x, w = np.polynomial.legendre.leggauss(PER_PANEL)
    node, mass, grade = [], [], []
    for g, (low, high) in enumerate(zip(ends[:-1], ends[1:])):
        edges = np.linspace(low, high, 1 + max(1, int(np.ceil((high - low) / most))))
        half = np.diff(edges) / 2
        node.append(((edges[:-1] + half)[:, None] + half[:, None] * x).ravel())
        mass.append((half[:, None] * w).ravel())
        grade.append(np.full(len(node[-1]), g, np.int32))
    nodes = np.concatenate(node)
    weight = np.concatenate(mass) * np.exp(-0.5 * nodes**2)
    law, moments = np.empty((problem.given.axes.n_cases, problem.n_grades)), np.empty((problem.given.axes.n_cases, 2))
    problem.core(place, nodes, weight / weight.sum())[0].expect(None, law, moments, np.concatenate(grade))
    return law, moments
