"""Coverage of 95 % intervals of metrics of grades in simulation: over cases, over clusters of five, and over cases and annotators.

A case has a standard normal severity. An annotator of leniency s gives a grade from 0 to 3: the severity plus s plus a standard normal
error, cut at -1, 0 and 1. A model sees the severity with an error of its own. Over cases the truth of a case is the law of the grades of
the mean annotator; over annotators it is the shares of the grades of a panel of six. The values of the population are those of 300,000
cases. Coefficients also have intervals of what an independent annotator would have and of their ceilings; areas have one for hard labels.
Coverage with other seeds is in docs/intervals-checked.md.
"""

from functools import lru_cache, partial

import numpy as np
import pytest
from scipy.special import ndtr
from simulations import holds, sets

import ugt
from ugt._base import notices
from ugt.grades import GRADE_METRICS

CUTS, NOISE, LENIENCY, ANNOTATORS, BIAS = np.array([-1.0, 0.0, 1.0]), 0.7, 0.6, 6, 0.5
METRICS = {name: one.function for name, one in GRADE_METRICS.items()}
METRICS["linear kappa"] = partial(ugt.grades.ua_weighted_kappa, weights="linear")
OF_LAWS = ("ranked_probability_score", "grade_wasserstein")
SHARED = 0.5  # share of the variance of severities that a cluster has in common
DESIGNS = {"60 cases": (60, 1), "500 cases": (500, 1), "40 clusters": (40, 5)}


def normals(rng, n_clusters, size):
    own = rng.standard_normal(n_clusters * size)
    return own if size == 1 else np.sqrt(SHARED) * np.repeat(rng.standard_normal(n_clusters), size) + np.sqrt(1 - SHARED) * own


def law_of(severity, spread):
    """The law of the grades of annotators whose leniency and error have this standard deviation."""
    below = ndtr((CUTS - severity[:, None]) / spread)
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def impression(severity, error):
    """What a model sees that is too severe, so that its errors depend on the leniency of annotators."""
    return severity + BIAS + NOISE * error


def valued(name, truth, seen):
    """The metric of predicted probabilities, if it is of these, or of grades."""
    predictions = law_of(seen, 0.8) if name in OF_LAWS else np.searchsorted(CUTS, seen)
    return METRICS[name](truth, predictions)


@lru_cache
def population(name, spread):
    """The numbers of 300,000 cases; their errors are at most a twentieth of those of 500 cases."""
    rng = np.random.default_rng(12)
    severity = rng.standard_normal(300_000)
    large = valued(name, ugt.Point.from_array(law_of(severity, spread)), impression(severity, rng.standard_normal(len(severity))))
    return large.statistic.estimate


def hits(name, design, n_sets, seed, ignoring=False):
    """How many data sets have intervals that hold the numbers of the population, for each number."""
    (n, size), rng, truth, found = DESIGNS[design], np.random.default_rng(seed), population(name, 1.0), 0
    clusters = np.repeat(np.arange(n), size) if size > 1 and not ignoring else None
    for _ in range(n_sets):
        severity = normals(rng, n, size)
        seen = impression(severity, normals(rng, n, size))
        low, high = valued(name, ugt.Point.from_array(law_of(severity, 1.0)), seen).intervals(clusters=clusters, n_resamples=300).T
        found += (low <= truth) & (truth <= high)
    return found


def panel_hits(name, n_sets, seed, n=100):
    """The same over cases and annotators, and over cases alone, for a truth of shares of grades."""
    rng, truth, found = np.random.default_rng(seed), population(name, np.sqrt(1 + LENIENCY**2))[0], [0, 0]
    for _ in range(n_sets):
        severity, lenient = rng.standard_normal(n), LENIENCY * rng.standard_normal(ANNOTATORS)
        wide = np.searchsorted(CUTS, severity[:, None] + lenient + rng.standard_normal((n, ANNOTATORS)))
        shares = ugt.dirichlet(ugt.Labels.from_wide(wide, classes=4, annotators=list("abcdef")), prior=1e-9)
        with notices.heard():
            result = valued(name, shares, impression(severity, rng.standard_normal(n)))
            ends = [result.interval(random=("cases", "annotators")), result.interval()]
        for at, (low, high) in enumerate(ends):
            found[at] += low <= truth <= high
    return found


@sets(100, 2000)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", METRICS)
def test_intervals_over_cases(name, design, n_sets):
    for found in hits(name, design, n_sets, seed=1):
        assert holds(found, n_sets, 0.93, 0.97)


@pytest.mark.full
@pytest.mark.parametrize("name", ["absolute_error", "spearman"])
def test_cases_instead_of_their_clusters_are_wrong(name):
    assert hits(name, "40 clusters", 300, seed=2, ignoring=True)[0] / 300 < 0.9


@sets(100, 1000)
@pytest.mark.parametrize("name", [name for name in METRICS if name != "grade_wasserstein"])  # it depends on the number of annotators
def test_intervals_over_cases_and_annotators(name, n_sets):
    found = panel_hits(name, n_sets, seed=3)[0]
    assert holds(found, n_sets, 0.93, 0.98)


@pytest.mark.full
@pytest.mark.parametrize("name", ["absolute_error", "within_accuracy"])
def test_cases_alone_are_too_narrow_for_other_annotators(name):
    assert panel_hits(name, 300, seed=4)[1] / 300 < 0.88
