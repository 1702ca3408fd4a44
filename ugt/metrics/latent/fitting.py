"""Fits of latent classes: the maximum, the information, and what other numbers need of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..._base.arrays import Array, Bools
from .confusions import FULL, ONE, fit_confusions, logsumexp
from .forms import MORE_NODES, STRONG, TwoClasses, n_extra
from .information import inverted, squared_scores
from .rows import LabelRows
from .skills import relative_error

GRADIENT, MOST_STEPS = 1e-6, 300  # of the mean log-likelihood at the maximum; steps of a search
STEP = 1e-4  # of the differences of the gradient
STARTED, GAIN_OF_START = 0.5, 5e-10  # pseudo-count of the fit from which forms of two classes start, and the gain at which it ends
PSEUDO, LEAST_CELL = 0.1, 2e-3  # pseudo-count of the fit of more classes; probabilities of labels below this are taken as known
AT_EDGE = 3.5  # probits beyond this lie at an edge: the information need not determine them
NAMES_OF_MANY = {FULL: "ind", ONE: "one-coin"}
SINGULAR_WORDS = "the information is singular: these labels do not determine the parameters of this form"
SWAPPED_WORDS = "the classes may have changed places: sensitivity and specificity do not add up to more than 1 by more than their error"
FEW_WORDS = "there are no more cases than parameters of this form"
NO_CLASSES_WORDS = "the labels are as likely without latent classes, by BIC: annotators agree as by chance, or have too few labels each"
NOT_FOUND_WORDS = "the search for the maximum did not end"


@dataclass(frozen=True, eq=False)
class ClassFit:
    """A fitted form. P rows, K classes, q parameters.

    ``joint`` (P, K): log probabilities of class and row; ``scores`` (K, P, q): their derivatives; ``covariance`` (q, q);
    ``rates`` (T, K, K): shares of labels given the class. ``reason``: why its numbers are undefined, or "". ``share_open``: standard error
    of the tests' accuracies by their excess over chance.
    """

    form: str
    rows: LabelRows
    x: Array
    joint: Array
    scores: Array
    covariance: Array
    n_parameters: int
    rates: Array
    reason: str = ""
    model: TwoClasses | None = None
    share_open: float = 0.0

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood, without the ridge."""
        return float(self.rows.times @ logsumexp(self.joint))

    @property
    def bic(self) -> float:
        """-2 log-likelihood + parameters times log N."""
        return float(-2 * self.log_likelihood + self.n_parameters * np.log(self.rows.n_cases))

    @property
    def posterior(self) -> Array:
        """(P, K) the probability of each class given the row."""
        return np.asarray(np.exp(self.joint - logsumexp(self.joint)[:, None]))

    @property
    def score(self) -> Array:
        """(P, q) the derivative of the log probability of each row."""
        return np.asarray(np.einsum("pk,kpq->pq", self.posterior, self.scores))

    @property
    def of_clusters(self) -> Array:
        """(q, q) the covariance of the parameters over clusters, the sandwich of the information; ``covariance`` without clusters."""
        if self.rows.cluster is None:
            return self.covariance
        steps = self.rows.sums_of_units((self.score @ self.covariance)[self.rows.row])
        return np.asarray(steps.T @ steps)

    @property
    def moved(self) -> Array:
        """(K, P, q) the derivative of the posterior by the parameters."""
        return np.asarray(self.posterior.T[:, :, None] * (self.scores - self.score))

    @property
    def prevalence(self) -> Array:
        """(K,) the mean posterior."""
        return np.asarray(self.rows.times @ self.posterior / self.rows.n_cases)


def climb(value: Callable[[Array], tuple[float, Array]], x: Array, inverse: Array) -> tuple[Array, bool]:
    """Return the minimum near x by BFGS steps with halved lengths, and whether it was found; ``inverse``: of a first Hessian."""
    f, g = value(x)
    for _ in range(MOST_STEPS):
        if np.abs(g).max() < GRADIENT:
            return x, True
        step = -inverse @ g
        if step @ g >= 0:
            inverse, step = np.eye(len(x)), -g
        step *= min(1.0, 3.0 / np.abs(step).max())
        length, slope = 1.0, float(step @ g)
        while True:
            f_new, g_new = value(x + length * step)
            if f_new <= f + 1e-4 * length * slope or length < 1e-9:
                break
            length /= 2
        if length < 1e-9:
            return x, bool(np.abs(g).max() < 100 * GRADIENT)
        s, y = length * step, g_new - g
        x, f, g = x + s, f_new, g_new
        if (sy := float(s @ y)) > 1e-14:
            moved = inverse @ y
            crossed = np.outer(s, moved)
            inverse = inverse + ((1 + y @ moved / sy) * np.outer(s, s) - crossed - crossed.T) / sy
    return x, bool(np.abs(g).max() < 100 * GRADIENT)


def first_inverse(model: TwoClasses, x: Array) -> Array:
    """Return the inverse of the mean squared scores at x, with a little on the diagonal: a first Hessian."""
    joint, scores = model.joint(x)
    each = np.einsum("pk,kpq->pq", np.exp(joint - logsumexp(joint)[:, None]), scores)
    n = model.rows.n_cases
    return np.asarray(np.linalg.inv(squared_scores(each, model.rows.times) / n + np.diag(model.ridge(x) / n + 1e-3)), np.float64)


def two_class_start(rows: LabelRows) -> tuple[Array, Array]:
    """Return prevalences (G,) and probabilities of a positive label (T, 2), positives being what more tests call so."""
    fit = fit_confusions(rows, FULL, STARTED, gain=GAIN_OF_START)
    prevalence, theta = fit.prevalence, fit.confusion
    if (theta[:, 1, 1] - theta[:, 0, 1]).sum() < 0:
        prevalence, theta = prevalence[:, ::-1], theta[:, ::-1]
    return prevalence[:, 1], theta[:, :, 1]


def maximum(model: TwoClasses, x: Array, inverse: Array | None = None) -> tuple[Array, bool]:
    """Return the parameters of the penalised maximum near x, and whether it was found."""
    x, found = climb(model.value, x, first_inverse(model, x) if inverse is None else inverse)
    rates = model.rates(x)[0]
    if (rates[1] - rates[0]).sum() < 0 and model.form[:2] != "fm":
        x = model.exchanged(x)
    return x, found


def fit_two(form: str, rows: LabelRows, start: tuple[Array, Array] | None = None) -> ClassFit:
    """Fit one form of two classes."""
    model = TwoClasses.of(form, rows)
    x, found = maximum(model, model.start(*(two_class_start(rows) if start is None else start)))
    if n_extra(form) and form[:2] == "re" and np.abs(x[-n_extra(form) :]).max() > STRONG:
        model = TwoClasses.of(form, rows, MORE_NODES)
        x, found = maximum(model, x)
    joint, scores = model.joint(x)
    covariance, determined = inverted(information(model, x), model.ridge(x), _inner(model, x))
    reason = "" if determined else SINGULAR_WORDS
    positive = model.rates(x)[0].T
    rates = np.stack([1 - positive, positive], axis=2)
    reason = FEW_WORDS if rows.n_cases <= model.n_parameters else reason if found else NOT_FOUND_WORDS
    fit = ClassFit(form, rows, x, joint, scores, covariance, model.n_parameters, rates, reason, model)
    without = NO_CLASSES_WORDS if fit.bic >= _bic_without_classes(rows) else ""
    return replace(fit, reason=fit.reason or _swapped(fit) or without, share_open=_share_open(fit))


def refitted(fit: ClassFit, rows: LabelRows) -> ClassFit:
    """Return the fit to other frequencies of the same rows, from its maximum, without errors."""
    n_free = len(fit.covariance)
    if fit.model is None:
        form = next(form for form, name in NAMES_OF_MANY.items() if name == fit.form)
        found = fit_confusions(rows, form, PSEUDO, edge=LEAST_CELL, gain=GAIN_OF_START)
        return replace(fit, rows=rows, joint=found.joint, covariance=np.zeros((n_free, n_free)))
    model = TwoClasses(fit.form, rows, fit.model.nodes)
    x = maximum(model, fit.x, fit.covariance * fit.rows.n_cases)[0]
    joint, scores = model.joint(x)
    return replace(fit, rows=rows, x=x, joint=joint, scores=scores, covariance=np.zeros((n_free, n_free)), model=model)


def information(model: TwoClasses, x: Array) -> Array:
    """Return the (q, q) observed information, without the ridge, from differences of the gradient."""
    n, ridge = model.rows.n_cases, model.ridge(x)
    found = np.empty((len(x), len(x)))
    for i in range(len(x)):
        move = np.zeros(len(x))
        move[i] = STEP
        found[i] = n * (model.value(x + move)[1] - model.value(x - move)[1]) / (2 * STEP)
    return np.asarray((found + found.T) / 2 - np.diag(ridge))


def _inner(model: TwoClasses, x: Array) -> Bools:
    """Return (q,) whether a parameter lies away from the edge of its range."""
    return np.asarray(np.abs(x) < AT_EDGE * np.where(np.arange(len(x)) < model.rows.n_populations, 3, 1))


def _swapped(fit: ClassFit) -> str:
    """Return the reason if the interval of the mean of sensitivity + specificity - 1 over the tests has 0."""
    assert fit.model is not None
    rates, by = fit.model.rates(fit.x)
    slope = by[1].sum(axis=0) - by[0].sum(axis=0)
    error = np.sqrt(max(0.0, slope @ fit.covariance @ slope))
    return SWAPPED_WORDS if (rates[1] - rates[0]).sum() - 1.959964 * error <= 0 else ""


def fit_many(form: str, rows: LabelRows) -> ClassFit:
    """Fit K classes under independent errors, in a form of :class:`ConfusionFit`."""
    found = fit_confusions(rows, form, PSEUDO, edge=LEAST_CELL)
    scores = np.stack(list(found.directions()), axis=2).transpose(1, 0, 2)
    name = NAMES_OF_MANY[form]
    fit = ClassFit(name, rows, np.zeros(scores.shape[2]), found.joint, scores, np.empty((0, 0)), found.n_parameters, found.confusion)
    (covariance, determined), (right, by) = inverted(squared_scores(fit.score, rows.times)), found.right()
    reason = "" if determined else SINGULAR_WORDS
    if right - 1.959964 * np.sqrt(max(0.0, float(by @ covariance @ by))) <= 1 / rows.n_classes:
        reason = "the classes may have changed places: labels are not right more often than by chance by more than their error"
    elif fit.bic >= _bic_without_classes(rows):
        reason = NO_CLASSES_WORDS
    share = relative_error(*found.accuracies(), covariance, rows)
    return replace(fit, covariance=covariance, reason=reason, share_open=share)


def _share_open(fit: ClassFit) -> float:
    """Return the standard error of the tests' accuracies by their excess over chance, both as means over labels."""
    assert fit.model is not None
    rates, by = fit.model.rates(fit.x)
    positive = float(fit.prevalence[1])
    slope = positive * by[1] - (1 - positive) * by[0]
    return relative_error(positive * rates[1] + (1 - positive) * (1 - rates[0]), slope.T, fit.covariance, fit.rows)


def _bic_without_classes(rows: LabelRows) -> float:
    """Return the BIC of labels that are independent in each population, by the shares of each test or all alike: the lower one."""
    times = (rows.population == np.arange(rows.n_populations)[:, None]) * rows.times
    counts = np.einsum("gp,ptk->gtk", times, rows.hot)
    shares = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1.0)
    value = float(np.sum(counts * np.log(np.maximum(shares, 1e-300))))
    alike = 2 * float(counts.sum()) * np.log(rows.n_classes)
    n_parameters = rows.n_populations * rows.n_tests * (rows.n_classes - 1)
    return min(float(alike), float(-2 * value + n_parameters * np.log(rows.n_cases)))
