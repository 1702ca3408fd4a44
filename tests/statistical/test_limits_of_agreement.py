"""How often intervals of limits of agreement hold them."""

import numpy as np
import pytest
from simulations import holds, sets

import ugt

Z = 1.959963984540054


def single(rng):
    """One rating of each reader of 25 cases, errors of 1 and 2, a bias of 0.5."""
    truth = rng.normal(size=25) * 3
    return ugt.Ratings.from_wide(np.column_stack([truth + rng.normal(size=25), truth - 0.5 + 2 * rng.normal(size=25)])), {}, np.sqrt(5)


def replicates(rng):
    """One to three ratings of 20 cases by each reader, who also judge a case differently (0.5)."""
    n = rng.integers(1, 4, (2, 20))
    truth = rng.normal(size=20) + np.array([[0.5], [0.0]]) + 0.5 * rng.normal(size=(2, 20))
    case = np.concatenate([np.repeat(np.arange(20), one) for one in n])
    who = np.repeat([0, 1], n.sum(axis=1))
    return ugt.Ratings.from_long(case, who, truth[who, case] + rng.normal(size=len(case))), {}, np.sqrt(2.5)


def clusters(rng):
    """One to four cases of 30 patients, in whom readers differ by 1 in the same direction."""
    patient = np.repeat(np.arange(30), rng.integers(1, 5, 30))
    n = len(patient)
    other = -0.5 + rng.normal(size=30)[patient] + rng.normal(size=n)
    return ugt.Ratings.from_wide(np.column_stack([np.zeros(n), other])), {"clusters": patient}, np.sqrt(2)


@pytest.mark.parametrize("design", [single, replicates, clusters])
@sets(400, 4000)
def test_intervals_hold_the_limits(design, n_sets):
    rng, hits = np.random.default_rng(7), np.zeros(3, int)
    for _ in range(n_sets):
        ratings, options, sd = design(rng)
        found = ugt.humans.bland_altman(ratings, **options).pairs[0]
        for j, (ends, true) in enumerate(
            [(found.bias_interval, 0.5), (found.lower_interval, 0.5 - Z * sd), (found.upper_interval, 0.5 + Z * sd)]
        ):
            hits[j] += ends[0] <= true <= ends[1]
    assert all(holds(int(one), n_sets, 0.95, 0.965) for one in hits), hits / n_sets


@pytest.mark.parametrize("n_annotators", [3, 8])
@sets(400, 4000)
def test_intervals_hold_the_limits_of_any_two_annotators(n_annotators, n_sets):
    """Variances 0.5 between annotators and 1 of error: the difference of two other annotators has the variance 3."""
    rng, hits = np.random.default_rng(8), 0
    for _ in range(n_sets):
        table = rng.normal(size=(25, 1)) * 2 + rng.normal(size=n_annotators) * np.sqrt(0.5) + rng.normal(size=(25, n_annotators))
        low, high = ugt.humans.bland_altman(table).population.upper_interval
        hits += low <= Z * np.sqrt(3) <= high
    assert holds(hits, n_sets, 0.95, 0.98), hits / n_sets
