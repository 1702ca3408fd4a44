"""A model is called best if the simultaneous interval of its lead over all others leaves out 0: how often that is wrong.

Models are right or wrong in each case, together in part: a share of the cases is hard for all.
"""

import numpy as np
import pytest
from simulations import sets

import ugt
from ugt.tables.standings import MetricRow, standings


def called_best(accuracies, n_cases, n_sets, seed):
    """(n_sets,) the model that is called best; -1 where none is. And how often the model that came out highest is the best in
    more than 95 % of the resamples."""
    rng, found, shares = np.random.default_rng(seed), np.full(n_sets, -1), 0
    for i in range(n_sets):
        hard = rng.random((n_cases, 1)) < 0.3
        level = 1 - (1 - np.asarray(accuracies)) * np.where(hard, 2.0, 4 / 7)
        right = (rng.random(level.shape) < level).astype(float)
        drawn = ugt.bootstrap(right, n_resamples=400, seed=i)
        rows = [MetricRow(str(m), 1.0, "topk_accuracy", 1, value) for m, value in enumerate(right.mean(axis=0))]
        (first,), _ = standings(rows, drawn, 0.95)
        shares += first.best_share > 0.95
        if first.n_undistinguished == 0:
            found[i] = int(first.model)
    return found, shares / n_sets


@sets(400, 4000)
@pytest.mark.parametrize("n_cases", [50, 200])
@pytest.mark.parametrize("accuracies", [[0.8] * 2, [0.8] * 5, [0.95] * 2, [0.98] * 5])
def test_equal_models(accuracies, n_cases, n_sets):
    """Called best in 5 % of the data sets or fewer; four Monte Carlo errors are allowed. The share of resamples is above 95 % for one of
    two equal models in more than 10 %."""
    found, shares = called_best(accuracies, n_cases, n_sets, 1)
    assert (found >= 0).mean() < 0.05 + 4 * np.sqrt(0.05 * 0.95 / n_sets)
    assert len(accuracies) > 2 or shares > 0.1


@sets(400, 4000)
@pytest.mark.parametrize(("accuracies", "n_cases", "least"), [([0.95, 0.96, 0.97, 0.98, 0.99], 50, 0.0), ([0.7, 0.8, 0.9], 400, 0.9)])
def test_the_wrong_model_is_hardly_ever_called_best(accuracies, n_cases, least, n_sets):
    found, _ = called_best(accuracies, n_cases, n_sets, 2)
    wrong, right = ((found >= 0) & (found < len(accuracies) - 1)).mean(), (found == len(accuracies) - 1).mean()
    assert wrong < 0.02 and right >= least
