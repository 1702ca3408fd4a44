"""Coverage of 95 % intervals of soft AUROC and average precision in simulation, for single cases and for clusters of five.

A case has a latent severity; readers, who see it with an error, call it positive with probability p, a model scores it with another
error. As measured with 20,000 other data sets intervals hold the truth in 94.8 to 95.0 % (AUROC, analytic), 94.4 to 94.7 % (AUROC,
percentile), 94.6 % (average precision, analytic) and 94.1 to 94.2 % (average precision, percentile), of which shares 94.1 % would fail
with 3e-4 among 5,000 data sets; seeds are fixed.
"""

import numpy as np
import pytest
from scipy.special import ndtr
from simulations import covered, holds, sets

import ugt

N_RESAMPLES = 500
READERS, MODEL = 0.9, 7 / 9  # correlations of the readers' and the model's impression with the severity
BOTH = READERS * MODEL
SHARED = 0.5  # share of the variances that a cluster has in common
N_CLUSTERS = {1: 400, 5: 150}


def correlated(rng, n_clusters, size):
    """(n_clusters * size,) standard normal, correlated within clusters."""
    own = rng.standard_normal(n_clusters * size)
    return own if size == 1 else np.sqrt(SHARED) * np.repeat(rng.standard_normal(n_clusters), size) + np.sqrt(1 - SHARED) * own


def data_set(rng, n_clusters, size):
    """p and scores; a case is positive where READERS severity + error > 0."""
    severity = correlated(rng, n_clusters, size)
    p = ndtr(READERS * severity / np.sqrt(1 - READERS**2))
    return p, MODEL * severity + np.sqrt(1 - MODEL**2) * correlated(rng, n_clusters, size)


def auroc():
    """P(s1 > s2 | 1 positive, 2 negative), four times an orthant of three normal variables."""
    return 0.5 + 2 * np.arcsin(BOTH / np.sqrt(2)) / np.pi


def average_precision():
    """∫ φ(t) P(positive | t) P(positive | s > t) dt / P(positive), by trapezoids."""
    t = np.linspace(9, -9, 20_001)
    step = t[0] - t[1]
    density = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
    positive = density * ndtr(BOTH * t / np.sqrt(1 - BOTH**2))
    above = np.append(0, np.cumsum((positive[1:] + positive[:-1]) / 2)) * step
    return (positive * above / ndtr(-t)).sum() * step / 0.5


METRICS = {"auroc": (ugt.soft_auroc, auroc()), "average precision": (ugt.soft_average_precision, average_precision())}


def test_truth():
    """A sample of a million is within five of its standard errors (probability of more: 6e-7 each, seeds are fixed)."""
    assert auroc() == pytest.approx(0.8296453903, abs=1e-9)
    p, scores = data_set(np.random.default_rng(4), 1_000_000, 1)
    for metric, truth in METRICS.values():
        found = metric(p, scores)
        assert abs(found.value - truth) < 5 * found.std_error < 0.005


@sets(400, 5000)
@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("name", METRICS)
def test_coverage(name, size, n_sets):
    metric, truth = METRICS[name]
    rng = np.random.default_rng(size)
    clusters = np.repeat(np.arange(N_CLUSTERS[size]), size) if size > 1 else None
    asked = {kind: {"kind": kind, "clusters": clusters, "n_resamples": N_RESAMPLES} for kind in ("analytic", "percentile")}
    results = (metric(*data_set(rng, N_CLUSTERS[size], size)) for _ in range(n_sets))
    found = covered(results, truth, **asked, over_cases={"kind": "analytic"})
    for kind in asked:
        assert holds(found[kind], n_sets), kind
    # intervals that take all cases for independent are too short
    if size > 1:
        assert found["over_cases"] / n_sets < 0.9
