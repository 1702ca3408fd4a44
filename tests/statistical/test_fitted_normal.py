"""Coverage of 95 % intervals over cases of metrics against a normal truth whose prior was fitted to the same ratings.

Three ratings a case with a standard deviation of 25 about the mean of the case; predictions are 20 too low. Means of cases differ by 0, 10
or 30. The value of the population is that of 20,000 cases, whose prior is practically known. Coverage with other seeds is in
docs/intervals-checked.md.
"""

from functools import lru_cache

import numpy as np
import pytest
from simulations import holds, sets

import ugt

METRICS = {
    "absolute error": lambda post, x: ugt.ua_absolute_error(post, x, predictions_are="numbers"),
    "accuracy at a cut": lambda post, x: ugt.ua_rating_accuracy(post, x, 50.0),
    "quadratic kappa": lambda post, x: ugt.ua_weighted_kappa(post, x, predictions_are="numbers"),
}


def study(rng, n, spread):
    mean = 50 + spread * rng.standard_normal(n)
    return mean[:, None] + 25 * rng.standard_normal((n, 3)), mean + 5 * rng.standard_normal(n) - 20


@lru_cache(None)
def population(name, spread):
    table, x = study(np.random.default_rng(1), 20_000, spread)
    return float(METRICS[name](ugt.normal(table), x).value)


def coverage(name, n, spread, n_sets, seed):
    rng, hits = np.random.default_rng(seed), 0
    for _ in range(n_sets):
        table, x = study(rng, n, spread)
        low, high = METRICS[name](ugt.normal(table), x).interval()
        hits += low <= population(name, spread) <= high
    return hits


@sets(few=60, every=400)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name, spread", [("absolute error", 0.0), ("absolute error", 10.0), ("accuracy at a cut", 30.0), ("quadratic kappa", 30.0)]
)
def test_prior_fitted_to_the_same_ratings(name, spread, n_sets):
    assert holds(coverage(name, 60, spread, n_sets, seed=2), n_sets)
