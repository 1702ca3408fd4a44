"""Coverage of 95 % intervals over cases of metrics against a truth whose prior was fitted to the same annotations.

The value of the population is that of 20,000 cases, whose prior is practically known. Coverage with other seeds is in
docs/intervals-checked.md.
"""

from functools import lru_cache

import numpy as np
import pytest
from simulations import holds, sets

import ugt

OF_RATINGS = {
    "absolute error": lambda post, x: ugt.grades.ua_absolute_error(post, x, predictions_are="numbers"),
    "accuracy at a cut": lambda post, x: ugt.metrics.ua_rating_accuracy(post, x, 50.0),
    "quadratic kappa": lambda post, x: ugt.grades.ua_weighted_kappa(post, x, predictions_are="numbers"),
}
OF_LABELS = {
    "certainty": lambda post, p: ugt.annotation_certainty(post),
    "accuracy": ugt.ua_topk_accuracy,
    "linear kappa": lambda post, p: ugt.grades.ua_weighted_kappa(post, p, weights="linear"),
    "Spearman": ugt.grades.ua_spearman,
    "AUROC": lambda post, p: ugt.soft_auroc(post, p[:, 1]),
}


def ratings(rng, n, spread):
    """Three ratings a case with a standard deviation of 25 about its mean; means differ by ``spread``; predictions are 20 too low."""
    mean = 50 + spread * rng.standard_normal(n)
    return ugt.truth.normal(mean[:, None] + 25 * rng.standard_normal((n, 3))), mean + 5 * rng.standard_normal(n) - 20


def labels(rng, n, total, n_classes):
    """Three labels a case, whose plausibilities have a Dirichlet prior of this total; half of a prediction is noise."""
    law = rng.dirichlet(np.full(n_classes, total / n_classes), n)
    counts = rng.multinomial(3, law)
    return ugt.dirichlet(ugt.Labels.from_counts(counts), prior="fit"), (law + rng.dirichlet(np.ones(n_classes), n)) / 2


def study(rng, name, n, spread):
    """Return the result of one data set."""
    if name in OF_RATINGS:
        return OF_RATINGS[name](*ratings(rng, n, spread))
    return OF_LABELS[name](*labels(rng, n, spread, 2 if name == "AUROC" else 3))


@lru_cache(None)
def population(name, spread):
    return float(study(np.random.default_rng(1), name, 20_000, spread).value)


def coverage(name, n, spread, n_sets, seed):
    rng, hits = np.random.default_rng(seed), 0
    for _ in range(n_sets):
        low, high = study(rng, name, n, spread).interval()
        hits += low <= population(name, spread) <= high
    return hits


@sets(few=60, every=400)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name, spread",
    [("absolute error", 0.0), ("absolute error", 10.0), ("accuracy at a cut", 30.0), ("quadratic kappa", 30.0)]
    + [(name, 2.0) for name in OF_LABELS],
)
def test_prior_fitted_to_the_same_annotations(name, spread, n_sets):
    assert holds(coverage(name, 60, spread, n_sets, seed=2), n_sets)
