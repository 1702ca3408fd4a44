"""Annotator models: an iteration of expectation-maximisation beside a count of the labels, memory with many classes, draws."""

from __future__ import annotations

import warnings

import numpy as np
from common import Bench, Target, Work, grid

import ugt
from ugt.annotators import em, graded_fit
from ugt.annotators.records import GivenLabels

bench = Bench(__file__)
warnings.simplefilter("ignore", RuntimeWarning)
TABLES = {  # cases, labels a case, annotators, classes, and among how many classes the errors are
    "wide": (200_000, 5, 1000, 10, None),
    "fewer cases": (20_000, 5, 1000, 10, None),
    "fewer annotators": (200_000, 5, 20, 10, None),
    "419 classes": (16_000, 6, 200, 419, 5),
    "errors anywhere": (16_000, 6, 200, 419, None),
    "some": (10_000, 5, 200, 4, None),
}
SMALL = {"divided": 500}
ITERATIONS = 10


def generated(table, divided=1, seed=0):
    """Labels that are right in 7 of 10 cases; wrong ones anywhere, or among the next few classes."""
    n_cases, per_case, n_annotators, n_classes, neighbours = TABLES[table]
    n_cases, rng = n_cases // divided, np.random.default_rng(seed)
    truth, n = rng.integers(0, n_classes, n_cases), n_cases * per_case
    case, annotator = np.repeat(np.arange(n_cases), per_case), rng.integers(0, n_annotators, n)
    away = rng.integers(1, n_classes, n) if neighbours is None else rng.integers(1, neighbours + 1, n)
    label = (truth[case] + np.where(rng.random(n) < 0.7, 0, away)) % n_classes
    return ugt.Labels.from_long(case, annotator, label, classes=n_classes)


def work(fit, labels, also=None):
    """Some iterations, beside one numpy.bincount over the labels."""

    def iterations():
        for _ in range(ITERATIONS):
            fit.value()
            fit.improve()

    counted = lambda: np.bincount(labels.label, minlength=labels.n_classes)  # noqa: E731
    ms = lambda measured, _: {"ms": 1000 * measured["s"], **(also or {})}  # noqa: E731
    return Work(iterations, {"numpy.bincount": (counted, ITERATIONS)}, units=ITERATIONS, also=ms)


@bench.job(
    grid(table=list(TABLES)[:5]),
    SMALL,
    [Target("6.1", "ms", at_most=30, table="wide"), Target("6.2", "ms", at_most=20, table="419 classes")],
)
def dawid_skene_iteration(table, divided=1):
    """an iteration of Dawid-Skene"""
    labels = generated(table, divided)
    given = GivenLabels(labels)
    shape = em.Confusions(given, em.EITHER)
    return work(em.FullFit(shape, (0.0, 0.0, 0.0), given.start(0, 0)), labels, {"cells": shape.n_cells, "candidates": shape.n_candidates})


@bench.job(grid(table=list(TABLES)[:5]), SMALL)
def confusions(table, divided=1):
    """the sparse table of Dawid-Skene built from labels"""
    labels = generated(table, divided)
    return Work(lambda: em.Confusions(GivenLabels(labels), em.EITHER), {"numpy.argsort": lambda: np.argsort(labels.label, kind="stable")})


@bench.job(grid(table=("wide",)), SMALL)
def one_coin_iteration(table, divided=1):
    """an iteration of the one-coin model"""
    labels = generated(table, divided)
    return work(em.CoinFit(GivenLabels(labels), (1.0, 1.0, 1.0), GivenLabels(labels).start(0, 0)), labels)


@bench.job(grid(table=("some",)), SMALL, [Target("6.4", "ms", at_most=30, table="some")])
def glad_iteration(table, divided=1):
    """an iteration of GLAD"""
    labels = generated(table, divided)
    return work(em.GladFit(GivenLabels(labels), (1.0, 1.0, 1.0, 1.0), np.full(4, 0.25), np.ones(len(np.unique(labels.annotator)))), labels)


@bench.job([{}], SMALL, [Target("25.1", "ms", at_most=30)])
def graded_response_iteration(divided=1):
    """an iteration of the graded response: 200,000 cases, 5 of 1,000 annotators each, five grades; at the nodes where EM begins"""
    n, rng = 200_000 // divided, np.random.default_rng(0)
    annotator = (rng.integers(0, 1000, (n, 1)) + np.arange(5) * rng.integers(1, 200, (n, 1))) % 1000  # five different ones
    seen = rng.normal(size=(n, 1)) - rng.normal(0, 0.5, 1000)[annotator] + rng.logistic(size=(n, 5)) / 2
    grade = np.searchsorted([-1.0, -0.2, 0.6, 1.4], seen)
    labels = ugt.Labels.from_long(np.arange(n).repeat(5), annotator.ravel(), grade.ravel(), classes=5)
    problem = graded_fit.Problem(GivenLabels(labels), np.arange(5), graded_fit.PriorWidths(2.0, 1.0))
    return work(graded_fit.GradedFit(problem, graded_fit.start(problem, shared=True)), labels, {"nodes": len(problem.node)})


FITS = {
    "full": lambda labels: ugt.dawid_skene(labels, n_restarts=0),
    "one-coin": lambda labels: ugt.dawid_skene(labels, model="one-coin", prior=1, n_restarts=0),
    "ordinal": lambda labels: ugt.dawid_skene(labels, model="ordinal", n_restarts=0),
    "full, a tenth known": lambda labels: ugt.dawid_skene(labels, known={i: 0 for i in range(labels.n_cases // 10)}, n_restarts=0),
    "GLAD": ugt.annotators.glad,
    "graded response": ugt.annotators.graded_response,
}


@bench.job(
    grid(model=("full",), table=("wide", "419 classes", "errors anywhere"))
    + grid(model=("one-coin",), table=("419 classes",))
    + grid(model=("ordinal", "full, a tenth known", "GLAD", "graded response"), table=("some",)),
    SMALL,
    [Target("6.3", "MB", at_most=200, model="full", table="419 classes")],
)
def whole_fit(model, table, divided=1):
    """a whole fit, from labels to record"""
    labels = generated(table, divided)
    return Work(
        lambda: FITS[model](labels),
        also=lambda _, found: {"iterations": int(getattr(found, "n_iterations", np.array([len(found.trace)])).sum())},
    )


@bench.job(grid(draws=(40, 200)), {"draws": 4, **SMALL})
def draws(draws, divided=1):
    """posterior draws of Dawid-Skene in 4 chains after 50 sweeps, 50,000 labels"""
    labels = generated("some", divided)
    return Work(lambda: ugt.annotators.dawid_skene_draws(labels, n_draws=draws, n_warmup=50))


@bench.job(grid(table=("wide",)), SMALL)
def reliabilities(table, divided=1):
    """dirichlet with a reliability for each annotator, beside one for all"""
    labels = generated(table, divided)
    own = np.linspace(0.5, 2, len(labels.annotators))
    return Work(lambda: ugt.dirichlet(labels, reliability=own), {"one for all": lambda: ugt.dirichlet(labels)})


@bench.job(grid(table=("wide",)), SMALL)
def deconvolution(table, divided=1):
    """shares of primary labels, beside the shares of labels"""
    labels = generated(table, divided)
    return Work(lambda: ugt.annotators.disagreement_deconvolution(labels, p_flip=0.1), {"votes": lambda: ugt.votes(labels, kind="mean")})


if __name__ == "__main__":
    bench.main()
