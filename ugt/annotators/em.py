"""Fits of annotator models: expectation-maximisation from several starts, and posterior draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .._base import checks, identifiers, notices, parallel
from .._base.arrays import Array, Bools, Int32
from .._base.checks import room
from .._base.ragged import row_of, sizes_of
from .._core import _em
from ..plausibilities import diagnostics
from ..plausibilities.draws import DenseDraws, Draws, MentionedDraws
from ..resampling import over
from .records import AnnotatorDraws, AnnotatorModel, Cells, GivenLabels, point_of, point_with_rest

Prior = tuple[float, float, float]  # pseudo-counts on the diagonal and off the diagonal of each row, and of each class
GladPrior = tuple[float, float, float, float]  # mean and standard deviation of abilities, then of logs of easiness
SEEN, ALL, EITHER = 0, 1, 2  # UGT_CELLS_* of the core
MOST_CELLS = 2**27  # 1 GB per array
# Up to this many annotators, standard errors come from their joint information, a matrix with the square of this number of cells.
MOST_JOINT = 1000
STARTS = 2**61  # first chain word of the random streams of GLAD's starts, far from the words that the core uses


class Fit(ABC):
    """The state of one start of the fit; subclasses define a step."""

    log_likelihood: float

    @abstractmethod
    def value(self) -> float:
        """Return the objective at the present parameters; afterwards :meth:`improve` has the numbers that it needs."""

    @abstractmethod
    def improve(self) -> None:
        """Replace the parameters by ones whose objective is at least as high."""


class Run(NamedTuple):
    """The result of one start: the fit, the trace of its objective, and whether it converged."""

    fit: Any
    trace: Array
    converged: bool


MOST_RESTARTS = 10**6  # more would not end in useful time
MOST_PRIOR = 1e15  # pseudo-counts; beside larger ones, real labels would be lost in rounding


class Effort(NamedTuple):
    """The number of starts, and the rules by which a start ends."""

    n_starts: int
    tolerance: float
    max_iter: int
    seed: int

    @classmethod
    def of(cls, n_restarts: object, tolerance: object, max_iter: object, seed: int) -> Effort:
        starts = 1 + checks.whole("n_restarts", n_restarts, 0, MOST_RESTARTS)
        return cls(starts, checks.scalar("tolerance", tolerance), checks.whole("max_iter", max_iter), seed)


def three(argument: str, prior: Any, positive: bool = False) -> Prior:
    """Return three pseudo-counts from one number for all, or from three numbers."""
    values = [prior] * 3 if np.ndim(prior) == 0 else list(prior)
    if len(values) != 3:
        raise checks.error(argument, "be a number or (diagonal, off_diagonal, prevalence)", repr(prior))
    first, second, third = (checks.scalar(argument, v, positive=positive) for v in values)
    if max(first, second, third) > MOST_PRIOR:
        raise checks.error(argument, f"be at most {MOST_PRIOR:g}", repr(max(first, second, third)))
    return first, second, third


def climb(fit: Fit, effort: Effort, n_labels: float, stop: Int32) -> Run:
    """Improve a fit until a step gains at most the tolerance per label, or the iterations are used up."""
    trace: list[float] = []
    converged = False
    while not converged and not stop[0]:
        trace.append(fit.value())
        converged = len(trace) > 1 and trace[-1] - trace[-2] <= effort.tolerance * n_labels
        if len(trace) > effort.max_iter:
            break
        if not converged:
            fit.improve()
    return Run(fit, np.array(trace), converged)


def best_of(start: Callable[[int], Fit], n_labels: float, effort: Effort, n_threads: int = 1) -> tuple[Run, dict[str, Any]]:
    """Return the best of all starts, and the fields of the record on all of them; ``start(number)`` makes one."""
    stop = np.zeros(1, np.int32)
    held: list[Run | None] = [None]

    def one(number: int, _: int) -> tuple[float, bool, int]:
        run = climb(start(number), effort, n_labels, stop)
        runs[number] = run
        return run.trace[-1], run.converged, len(run.trace) - 1

    def keep(number: int, _: int, told: Any) -> None:  # called in order, so that only the best run so far stays in memory
        found.append(told)
        run = runs.pop(number)
        if held[0] is None or run.trace[-1] > held[0].trace[-1]:
            held[0] = run

    runs: dict[int, Run] = {}
    found: list[tuple[float, bool, int]] = []
    with parallel.threads(n_threads):
        parallel.run(one, effort.n_starts, 1, "fitting", stop if n_threads > 1 else None, keep)
    best = held[0]
    assert best is not None
    if not best.converged:
        notices.warn(
            f"the fit has not converged within max_iter = {effort.max_iter} iterations: the last one gained "
            f"{np.diff(best.trace[-2:]).sum():.3g} in log-likelihood. Set a higher max_iter",
            stacklevel=4,
        )
    columns = zip(("objective", "converged", "n_iterations"), zip(*found), (np.float64, np.bool_, np.int64))
    return best, {**{name: np.array(column, dtype) for name, column, dtype in columns}, "trace": best.trace}


# ---- confusion matrices


class Confusions:
    """The cells of the confusion matrices of a data set, shared by all starts."""

    def __init__(self, given: GivenLabels, cells: int) -> None:
        self.given = given
        self.core = _em.Confusions(given.table, cells)
        self.n_cells, self.n_rows, self.n_candidates, self.all = self.core.sizes()
        if self.n_cells > MOST_CELLS or self.n_rows > MOST_CELLS:
            must = f"be 'seen' if annotators, their labels and classes make more than {MOST_CELLS} cells"
            raise checks.error("candidates", must, f"'all' and {max(self.n_cells, self.n_rows)} cells")
        checks.room("candidates for every label", 16 * self.n_cells + 12 * self.n_candidates)
        self.offsets, self.index = np.empty(given.axes.n_cases + 1, np.int64), np.empty(self.n_candidates, np.int32)
        self.layout = np.empty((4, self.n_cells), np.int32)
        self.core.layout(self.offsets, self.index, self.layout)
        self.entries = given.positions(self.offsets, self.index, given.offsets, given.index)  # positions of entries among candidates


class FullFit(Fit):
    """A start of Dawid–Skene with a confusion matrix for every annotator."""

    def __init__(self, shape: Confusions, prior: Prior, q: Array) -> None:
        self.shape, self.prior = shape, prior
        k = shape.given.n_classes
        self.count, self.class_count = np.empty(shape.n_cells), np.empty(k)
        self.next_count, self.next_class_count = np.empty(shape.n_cells), np.empty(k)
        self.probability, self.prevalence, self.row_total = np.empty(shape.n_cells), np.empty(k), np.empty(shape.n_rows)
        start = np.zeros(shape.n_candidates)
        start[shape.entries] = q
        shape.core.count(start, self.count, self.class_count)

    def value(self) -> float:
        core, parameters = self.shape.core, (self.probability, self.prevalence)
        density = core.mode(*self.prior, self.count, self.class_count, *parameters, self.row_total)
        self.log_likelihood = core.expect(*parameters, self.next_count, self.next_class_count)
        return self.log_likelihood + density

    def improve(self) -> None:
        """Make the expected counts of the last step the present ones."""
        self.count, self.next_count = self.next_count, self.count
        self.class_count, self.next_class_count = self.next_class_count, self.class_count

    def candidates(self) -> Array:
        q = np.empty(self.shape.n_candidates)
        self.shape.core.expect(self.probability, self.prevalence, self.next_count, self.next_class_count, q)
        return q


def fit_full(given: GivenLabels, prior: Prior, every_class: bool, effort: Effort, n_threads: int) -> AnnotatorModel:
    # without pseudo-counts off the diagonal, a class outside of those seen has probability 0, so that either storage is exact
    kind = EITHER if prior[1] == 0 and every_class else (ALL if every_class else SEEN)
    shape = Confusions(given, kind)
    best, told = best_of(lambda number: FullFit(shape, prior, given.start(effort.seed, number)), given.total, effort, n_threads)
    q = best.fit.candidates()
    accuracy = _share(given, given.per_annotator(q[shape.entries][given.entry]))
    point, error = point_of(given.axes, shape.offsets, shape.index, q), accuracy_errors(given, q[shape.entries], accuracy, 0.0)
    cells = Cells.of(given.n_annotators, shape.layout, best.fit.count, prior[:2])
    return _model("full", given, point, accuracy, error, best.fit, cells=cells, **told)


# ---- one accuracy per annotator


def coin_mode(right: Array, class_count: Array, n_labels: Array, prior: Prior) -> tuple[Array, Array, tuple[Array, Array], float]:
    """Return the accuracies and prevalences of highest density given expected counts, log probabilities of labels, and the log prior."""
    k, density = len(class_count), 0.0
    right_prior, wrong_prior = prior[0], (k - 1) * prior[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        total = n_labels + right_prior + wrong_prior
        accuracy = np.minimum((right + right_prior) / total, 1.0)  # NaN for an annotator without labels
        prevalence = class_count + prior[2]
        prevalence = prevalence / prevalence.sum()
        wrong = np.maximum((n_labels - right + wrong_prior) / total, 0.0)
        logs = np.log(accuracy), np.log(wrong / max(k - 1, 1))
    for pseudo, x in ((right_prior, logs[0]), (wrong_prior, logs[1])):
        density += pseudo * float(x.sum()) if pseudo > 0 else 0.0
    return accuracy, prevalence, logs, density + (prior[2] * float(np.log(prevalence).sum()) if prior[2] > 0 else 0.0)


class CoinFit(Fit):
    """A start of Dawid–Skene with one accuracy for every annotator."""

    def __init__(self, given: GivenLabels, prior: Prior, q: Array) -> None:
        self.given, self.prior = given, prior
        self.q, self.rest = q, np.zeros(given.axes.n_cases)
        self.right = given.per_annotator(q[given.entry])
        self.class_count = np.asarray(np.bincount(given.index, q, given.n_classes), np.float64)

    def value(self) -> float:
        self.accuracy, self.prevalence, logs, density = coin_mode(self.right, self.class_count, self.given.n_labels, self.prior)
        out = self.q, self.rest, np.empty_like(self.right), np.empty_like(self.class_count)
        self.log_likelihood = self.given.coins.expect(*logs, self.prevalence, *out, False)
        self.right, self.class_count = out[2], out[3]
        return self.log_likelihood + density

    def improve(self) -> None:
        """Do nothing: :meth:`value` has already replaced the counts."""


def fit_one_coin(given: GivenLabels, prior: Prior, effort: Effort, n_threads: int) -> AnnotatorModel:
    best, told = best_of(lambda number: CoinFit(given, prior, given.start(effort.seed, number)), given.total, effort, n_threads)
    fit = best.fit
    error = accuracy_errors(given, fit.q, fit.accuracy, prior[0] + (given.n_classes - 1) * prior[1])
    return _model("one-coin", given, point_with_rest(given, fit.q, fit.rest, fit.prevalence), fit.accuracy, error, fit, **told)


# ---- GLAD


class GladFit(Fit):
    """A start of GLAD: ability of every annotator, easiness of every case."""

    def __init__(self, given: GivenLabels, prior: GladPrior, prevalence: Array, ability: Array) -> None:
        self.given, self.prior, self.prevalence, self.ability = given, prior, prevalence, ability
        self.easiness = np.full(given.axes.n_cases, prior[2])
        self.q, self.rest = np.empty(len(given.index)), np.zeros(given.axes.n_cases)
        self.right, self.wrong = np.empty(len(given.labels.label)), np.empty(len(given.labels.label))

    def value(self) -> float:
        density = self.given.coins.labels(self.prior, self.ability, self.easiness, self.right, self.wrong)
        counts = np.empty(self.given.n_annotators), np.empty(self.given.n_classes)
        self.log_likelihood = self.given.coins.expect(self.right, self.wrong, self.prevalence, self.q, self.rest, *counts, True)
        return self.log_likelihood + density

    def improve(self) -> None:
        self.given.coins.improve(self.prior, self.q, self.ability, self.easiness)


def _first_abilities(given: GivenLabels, prior: GladPrior, seed: int, number: int) -> Array:
    from .._core._stream import Stream  # noqa: PLC0415  (only restarts need it)

    ability = np.full(given.n_annotators, prior[0])
    for a, key in enumerate(given.annotator_keys.tolist() if number else ()):
        draw = np.empty(1)
        Stream(seed, key, STARTS + number, 13).normal(draw)  # 13: UGT_PURPOSE_ANNOTATORS
        ability[a] += prior[1] * draw[0]
    return ability


def fit_glad(given: GivenLabels, prior: GladPrior, prevalence: Array, effort: Effort, n_threads: int) -> AnnotatorModel:
    def start(number: int) -> GladFit:
        return GladFit(given, prior, prevalence, _first_abilities(given, prior, effort.seed, number))

    best, told = best_of(start, given.total, effort, n_threads)
    fit = best.fit
    chance = np.exp(fit.right)
    bend = given.per_annotator(chance * (1 - chance) * np.exp(fit.easiness)[row_of(given.labels.offsets)])
    accuracy = _share(given, given.per_annotator(chance))
    information = _information(given)
    given.coins.information(fit.q, chance, information, prior, fit.ability, fit.easiness)
    error = _errors(information, np.full(given.n_annotators, True))
    difficulty = np.where(sizes_of(given.labels.offsets) > 0, np.exp(-fit.easiness), np.nan)
    told = {**told, "ability": fit.ability, "ability_error": error, "difficulty": difficulty}
    return _model("glad", given, point_with_rest(given, fit.q, fit.rest, prevalence), accuracy, _share(given, bend) * error, fit, **told)


def _model(kind: str, given: GivenLabels, point: Any, accuracy: Array, error: Array, fit: Any, **told: Any) -> AnnotatorModel:
    common = given.labels.annotators, given.n_labels, accuracy, error, fit.prevalence, given.left_out
    return AnnotatorModel(kind, point, *common, log_likelihood=fit.log_likelihood, **{"cells": None, **told})


# ---- standard errors


def _share(given: GivenLabels, sums: Array) -> Array:
    return over(sums, given.n_labels)


def _information(given: GivenLabels) -> Array:
    """Return an empty array for the information matrix of all annotators, or for its diagonal if there are many annotators."""
    return np.empty((given.n_annotators if given.n_annotators <= MOST_JOINT else 1, given.n_annotators))


def accuracy_errors(given: GivenLabels, q: Array, accuracy: Array, n_prior: float) -> Array:
    """Return standard errors of accuracies from the observed information of their logits, with the prevalences taken as known."""
    inside = (accuracy > 0) & (accuracy < 1)
    information = _information(given)
    given.coins.information(q, np.nan_to_num(accuracy)[given.labels.annotator], information)
    slope = accuracy * (1 - accuracy)
    diagonal = np.diag_indices(given.n_annotators) if len(information) == given.n_annotators else 0
    information[diagonal] += n_prior * np.where(inside, slope, 0.0)
    return np.where(inside, slope * _errors(information, inside), np.nan)


def _errors(information: Array, wanted: Bools) -> Array:
    """Return the square roots of the diagonal of the inverse, NaN where it is not positive."""
    variance = np.full(len(wanted), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(information) != len(wanted):
            variance[wanted] = 1 / information[0][wanted]
        elif wanted.any():
            with suppress(np.linalg.LinAlgError):
                variance[wanted] = np.diag(np.linalg.inv(information[np.ix_(wanted, wanted)]))
        return np.asarray(np.sqrt(np.where(variance > 0, variance, np.nan)))


# ---- posterior draws


def sample(
    given: GivenLabels,
    concentration: tuple[float, float, float],
    every_class: bool,
    classes: bool,
    schedule: tuple[int, int, int, int],
    seed: int,
) -> AnnotatorDraws:
    """Run the chains and return their draws; ``schedule``: warm-up, total number of draws, thinning, chains."""
    shape = Confusions(given, ALL if every_class else SEEN)
    n_warmup, n_draws, n_thin, n_chains = schedule
    spare = not every_class
    n_values = (shape.n_candidates + spare * given.axes.n_cases) * n_draws
    room(f"{n_draws} draws", 8 * (n_values + n_draws * (given.n_annotators + given.n_classes)))
    values = np.full(n_values, 0.0)
    accuracy, prevalence = np.empty((n_draws, given.n_annotators)), np.empty((n_draws, given.n_classes))
    stop, each = np.zeros(1, np.int32), n_draws // n_chains
    keys = given.axes.stream_keys, given.annotator_keys

    def chain(number: int, _: int) -> Array:
        mean = np.empty(shape.n_cells)
        plan = number, number * each, n_draws, n_warmup, each, n_thin
        shape.core.sample(concentration, *keys, seed, plan, spare, classes, stop, values, accuracy, prevalence, mean)
        return mean

    means = parallel.run(chain, n_chains, 1, "sampling", stop)
    total = means[0].copy()
    for mean in means[1:]:
        total += mean
    draws = _draws(given, shape, values, n_draws, n_chains)
    cells = Cells.of(given.n_annotators, shape.layout, total / n_chains, concentration[:2], means=True)
    return _record(given, draws, cells, accuracy, prevalence, n_chains)


def _draws(given: GivenLabels, shape: Confusions, values: Array, n_draws: int, n_chains: int) -> Draws:
    values.flags.writeable = False
    if not shape.all:
        return MentionedDraws(given.axes, shape.offsets, shape.index, values, n_draws, n_chains, "ignore", 1.0, 0)
    labelled = sizes_of(given.labels.offsets) > 0
    table = values.reshape(-1, n_draws, given.n_classes)
    if not labelled.all():
        known, table = table, np.full((given.axes.n_cases, n_draws, given.n_classes), np.nan)
        table[labelled] = known
    return DenseDraws(given.axes, table, n_chains)


def _record(given: GivenLabels, draws: Draws, cells: Cells, accuracy: Array, prevalence: Array, n_chains: int) -> AnnotatorDraws:
    series = np.ascontiguousarray(np.concatenate([accuracy, prevalence], axis=1).T).reshape(-1, n_chains, len(accuracy) // n_chains)
    found = diagnostics.diagnose(series)
    _warn(found, given)
    with np.errstate(invalid="ignore"):
        mean, sd = accuracy.mean(0), accuracy.std(0, ddof=1) if len(accuracy) > 1 else np.full(given.n_annotators, np.nan)
    common = given.labels.annotators, given.n_labels, mean, sd, prevalence.mean(0), given.left_out, cells
    return AnnotatorDraws("full", draws, *common, accuracy, prevalence, n_chains, found)


def _warn(found: diagnostics.Diagnostics, given: GivenLabels) -> None:
    short = found.falls_short(rhat=1.05, ess_per_chain=25.0)
    if short.any():
        worst = int(np.nanargmax(np.where(short, found.rhat, -np.inf)))
        n = given.n_annotators
        name = (
            f"the accuracy of annotator {identifiers.name(given.labels.annotators[worst])}"
            if worst < n
            else f"the prevalence of class {given.axes.class_name(worst - n)}"
        )
        notices.warn(
            f"chains have not mixed well in {int(short.sum())} of {len(short)} parameters (R-hat above 1.05 or fewer than 25 effective "
            f"draws per chain; worst R-hat {found.rhat[worst]:.3f}, {name}): use more draws, a longer warm-up, or a prior that is larger "
            "on the diagonal (chains may have exchanged classes)",
            stacklevel=5,
        )
