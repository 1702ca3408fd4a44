"""Poisson resamples of cases and clusters that lie in several parts: what 95 % intervals cover, and how far bins are off."""

import numpy as np
import pytest

from ugt import states
from ugt._base.axes import stream_keys_of
from ugt._core import _exact

LOW, HIGH = 0.93, 0.97  # of 4,000 data sets: outside with probability 1e-8 where the truth is 95 %
N_CLUSTERS, SIZE, N_SETS = 200, 3, 4000


@pytest.mark.parametrize("by_cluster", [True, False])
def test_percentile_intervals_by_poisson_weights(by_cluster):
    """Means over cases in clusters; each data set is a column, resampled by the weights that its states would have."""
    rng = np.random.default_rng(5)
    hard = np.repeat(rng.standard_normal((N_CLUSTERS, N_SETS)), SIZE, axis=0)
    values = 0.8 * hard + 0.6 * rng.standard_normal(hard.shape)
    units = np.repeat(np.arange(N_CLUSTERS), SIZE) if by_cluster else np.arange(N_CLUSTERS * SIZE)
    weights = _exact.poisson_weights(stream_keys_of(units), 11, 0, 1000)
    low, high = np.quantile((weights @ values) / weights.sum(1, keepdims=True), [0.025, 0.975], axis=0)
    covered = ((low <= 0) & (high >= 0)).mean()
    assert LOW <= covered <= HIGH if by_cluster else covered < 0.9  # cases that are not independent: intervals are short


def test_states_have_these_weights():
    rng = np.random.default_rng(6)
    p, clusters = rng.dirichlet([1, 1], 60), np.repeat(np.arange(20), 3)
    found = states.finish(states.partial("expected_risk", p, [0, 1], kind="plausibility", clusters=clusters, n_resamples=50, seed=11))
    weights = _exact.poisson_weights(stream_keys_of(clusters), 11, 0, 50)
    np.testing.assert_allclose(found.resampled, weights @ p[:, 1] / weights.sum(1), rtol=1e-12)


def test_resamples_spread_as_standard_errors_say():
    """Discrepancy ratios: the standard deviation over data sets, over resamples, and by linearisation."""
    rng, found = np.random.default_rng(7), []
    for _ in range(300):
        votes = (rng.random((150, 3)) < np.repeat(rng.random(150), 3).reshape(150, 3)).astype(int)
        said = (rng.random(150) < votes.mean(1)).astype(int)
        found.append(states.finish(states.partial("discrepancy_ratio", votes, said, case_ids=np.arange(150), n_resamples=200)))
    spread = np.std([one.value for one in found])
    for errors in ([one.std_error for one in found], [one.resampled.std() for one in found]):
        assert np.mean(errors) == pytest.approx(spread, rel=0.13)  # 300 data sets: the spread itself is known to 4 %
