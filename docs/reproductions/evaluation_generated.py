"""Generated data for figures 2 and 3 of [A]: three classes along a line, and counts shaped like CIFAR-10H."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import factorial
from typing import Any

import numpy as np

import ugt
from ugt import synthetic

# Figure 2: densities of the three classes, equally frequent. [A] prints no numbers: those here were chosen to look like its figure.
CLASSES = ("Benign1", "Benign2", "Cancer")
MEANS, WIDTH = np.array([0.2, 0.5, 0.72]), 0.1
EXAMPLES = {"(i)": 0.08, "(ii)": 0.61, "(iii)": 0.32}  # clear, halfway between two classes, leaning to one of two
N_ANNOTATORS, PRIOR = 10, 0.1
TOY_RELIABILITIES = (0.2, 1.0, 5.0)

# Figure 3: the share of difficult cases was chosen so that about as many are uncertain as in [A].
DIFFICULTY = 0.03
COUNT_RELIABILITIES = (0.1, 0.2, 0.5, 1.0, 2.0)
CERTAIN = 0.99


def class_probabilities(x: Any) -> Any:
    """p(y | x) at the points x, (N, 3)."""
    log_density = -0.5 * ((np.asarray(x)[:, None] - MEANS) / WIDTH) ** 2
    density = np.exp(log_density - log_density.max(1, keepdims=True))
    return density / density.sum(1, keepdims=True)


def toy_labels(x: Any, seed: int = 0) -> Any:
    """Counts of the labels of ten annotators at every point, each drawn from p(y | x)."""
    uniform = np.random.default_rng(seed).random((len(x), N_ANNOTATORS))
    label = (uniform[:, :, None] > np.cumsum(class_probabilities(x), axis=1)[:, None, :-1]).sum(2)
    return (label[:, :, None] == np.arange(3)).sum(1)


def toy_posterior(counts: Any, reliability: float, prior: float = PRIOR) -> ugt.Dirichlet:
    """λ ~ Dirichlet(γ s + α) [A appendix A]."""
    return ugt.dirichlet(ugt.Labels.from_counts(counts, classes=CLASSES), reliability=reliability, prior=prior)


def toy_certainty(counts: Any, reliability: float, prior: float = PRIOR) -> Any:
    return ugt.annotation_certainty(toy_posterior(counts, reliability, prior)).per_case


def expected_toy_certainty(x: Any, reliability: float) -> Any:
    """Certainty at x, in the mean over all labels that ten annotators may give: no chance is left in it."""
    counts = np.array([(i, j, N_ANNOTATORS - i - j) for i in range(N_ANNOTATORS + 1) for j in range(N_ANNOTATORS + 1 - i)])
    ways = np.array([factorial(N_ANNOTATORS) / np.prod([factorial(n) for n in row]) for row in counts.tolist()])
    law = ways * np.prod(class_probabilities(x)[:, None, :] ** counts, axis=2)
    return law @ toy_certainty(counts, reliability)


@dataclass(frozen=True)
class CountResult:
    """Figure 3 at one reliability."""

    certainty: Any
    accuracy: Any
    n_uncertain: int
    accuracy_of_uncertain: float


@lru_cache(maxsize=1)
def counts_like_cifar10h() -> tuple[Any, Any]:
    """10,000 cases, 10 classes, 50 labels each; and one more label of each case, in the place of the data set's own label."""
    labels, truth = synthetic.make_counts(10_000, 10, 50, difficulty=DIFFICULTY)
    own = (np.random.default_rng(1).random((len(truth), 1)) > np.cumsum(truth, axis=1)[:, :-1]).sum(1)
    return labels, np.eye(10)[own]


@cache
def count_result(reliability: float, prior: float = PRIOR) -> CountResult:
    labels, own = counts_like_cifar10h()
    posterior = ugt.dirichlet(labels, reliability=reliability, prior=prior)
    certainty, accuracy = ugt.annotation_certainty(posterior), ugt.ua_topk_accuracy(posterior, own)
    uncertain = certainty.per_case < CERTAIN
    return CountResult(certainty, accuracy, int(uncertain.sum()), float(accuracy.per_case[uncertain].mean()))


@lru_cache(maxsize=1)
def n_uncertain_by_draws(n_draws: int = 1000, reliability: float = 1.0) -> int:
    """The count by draws, as [A] has it. Cases above 0.9995 are not drawn: more than ten misses in 1,000 have probability 1e-11 there."""
    labels, _ = counts_like_cifar10h()
    near = np.flatnonzero(count_result(reliability).certainty.per_case < 0.9995)
    posterior = ugt.dirichlet(labels, reliability=reliability, prior=PRIOR).take(near)
    return int((most_frequent(posterior, n_draws) < CERTAIN).sum())


def most_frequent(posterior: ugt.Dirichlet, n_draws: int) -> Any:
    """Certainty as [A] estimates it (eq. 3): how often the class that is the best one in most of so many draws is so."""
    best = posterior.top(n_draws, 1, seed=1)[:, :, 0]
    return np.array([np.bincount(row).max() for row in best]) / n_draws
