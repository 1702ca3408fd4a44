"""Correlation of two numbers of each case: against scipy, its derivative, and what is undefined."""

import numpy as np
import pytest
from refusals import refused
from scipy import stats

import ugt

NAN = float("nan")


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_pearson(shift):
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    y = 0.5 * x + rng.normal(size=50) + shift
    found = ugt.truth.case_correlation(np.append(x, [1.0, NAN]), np.append(y, [NAN, 2.0]))
    assert found.value == pytest.approx(stats.pearsonr(x, y)[0], rel=1e-9) and found.n_cases == 50
    assert found.left_out == {"case without one of the numbers": 2}
    one = found.statistic
    weights = np.tile(np.ones(52), (52, 1)) + 1e-6 * np.eye(52)
    assert one.influence()[:, 0] == pytest.approx((one.values(weights)[:, 0] - found.value) / 1e-6, abs=1e-6)
    low, high = found.interval()
    assert low < found.value < high
    assert ugt.truth.case_correlation(y, y).value == pytest.approx(1) and ugt.truth.case_correlation(x, -x).value == pytest.approx(-1)


def test_cases_that_differ_little_beside_others_have_a_correlation():
    """Resamples without the two cases that are far away."""
    x = 1e-7 * np.array([1, 1.001, 1.002, 1.003, 1.004, 0, 0]) + [0, 0, 0, 0, 0, 1, -1]
    y = np.array([1.0, 3, 2, 5, 4, 9, -9])
    found = ugt.truth.case_correlation(x, y).statistic.values(np.array([[1.0, 1, 1, 1, 1, 0, 0]]))
    assert found[0, 0] == pytest.approx(stats.pearsonr(y[:5], [1, 2, 3, 4, 5])[0], rel=1e-6)


def test_resamples_in_which_a_number_does_not_vary_are_undefined():
    x, y = np.array([0.1, 0.1, 0.1, 0.4, 0.7, 0.9, 0.2]), np.array([3.0, 1.3, 1.3, 1.3, 2.0, 9.0, 4.0])
    drawn = np.random.default_rng(0).integers(0, 7, (300, 3))
    found = ugt.truth.case_correlation(x, y).statistic.values(np.array([np.bincount(one, minlength=7) for one in drawn], float))[:, 0]
    varies = np.array([len(set(x[one])) > 1 and len(set(y[one])) > 1 for one in drawn])
    assert 0 < varies.sum() < 300 and np.isnan(found[~varies]).all()
    np.testing.assert_allclose(found[varies], [np.corrcoef(x[one], y[one])[0, 1] for one in drawn[varies]], atol=1e-12)


@pytest.mark.parametrize("pair", [([0.1] * 5, [1, 2, 3, 4, 5]), ([1, 2], [2, 1]), ([], []), ([1, NAN, 3, 4], [NAN, 1, 2, 3])])
def test_what_is_undefined(pair):
    found = ugt.truth.case_correlation(*(np.array(one, float) for one in pair))
    assert np.isnan(found.value) and np.isnan(found.interval(n_resamples=10)).all()


def test_records_join_clusters():
    labels = ugt.Labels.from_wide([[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 1, 2], [2, 2, 2], [0, 0, 1]] * 12, classes=3)
    certainty, agreement = ugt.annotation_certainty(ugt.dirichlet(labels)), ugt.agreement.leave_one_annotator_out(labels)
    found = ugt.truth.case_correlation(certainty, agreement)
    assert found.value == pytest.approx(np.corrcoef(certainty.per_case, agreement.per_case)[0, 1])
    assert found.resamples(clusters=np.arange(72) // 2, n_resamples=20).sources == ("clusters",)


def test_refusals():
    for message, pair in (
        (r"second must have the 3 cases of first\. Got 2\.", ([1, 2, 3], [1, 2])),
        (r"first must be one number for each case\. Got float64 of shape \(1, 2\)\.", ([[1.0, 2.0]], [1, 2])),
        (r"first must be one number for each case\. Got [<>]U1 of shape \(2,\)\.", (["a", "b"], [1, 2])),
        (r"second must be finite, or NaN where it is undefined\. Got inf, first at case 1\.", ([1, 2], [0, np.inf])),
    ):
        refused(message, ugt.truth.case_correlation, *pair)
