"""Who is strict: the twin, published tests that it equals, its link to the graded response, intervals, refusals."""

import math

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from twins import coefficients as twin
from twins import graded

import ugt

pytestmark = pytest.mark.filterwarnings("ignore:.*share fewer than")


def rated(seed, n=30, who=4, most=2, shown=0.7):
    """Ratings with repeats, missing ones and empty cases, and the same as the twin sees them."""
    rng = np.random.default_rng(seed)
    cases = [{a: rng.integers(0, 5, rng.integers(1, most + 1)).tolist() for a in range(who) if rng.random() < shown} for _ in range(n)]
    rows = [(i, a, x) for i, case in enumerate(cases) for a, xs in case.items() for x in xs]
    return ugt.Ratings.from_long(*map(list, zip(*rows)), cases=list(range(n))), cases


@pytest.mark.parametrize("seed", range(3))
def test_numbers_are_those_of_the_twin(seed):
    ratings, cases = rated(seed)
    found = ugt.agreement.annotator_strictness(ratings)
    names = ratings.annotators.tolist()
    expected = np.array([twin.strictness(cases, a) for a in names])
    numbers = np.stack([found.value, found.std_error, found.n_cases, found.spread, found.others_spread], axis=1)
    np.testing.assert_allclose(numbers, expected, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(found.statistic.estimate, found.value, rtol=1e-12, atol=1e-14)
    sizes = [len(case) for case in cases]
    told = {"case without annotations": sizes.count(0), "case with a single annotator": sizes.count(1)}
    assert found.left_out == {reason: n for reason, n in told.items() if n}
    assert found.value @ found.n_cases == pytest.approx(0, abs=1e-10)  # in every case deviations add up to 0
    rows = found.table(0.9)
    assert [row["strictness"] for row in rows] == sorted(found.value, reverse=True)
    at = [names.index(int(row["annotator"])) for row in rows]
    quantile = stats.t.ppf([0.95, 0.5 + 0.9 ** (1 / 4) / 2], found.n_cases[at][:, None] - 1)
    for key, column in (("high", 0), ("joint_high", 1)):
        ends = [row[key] for row in rows]
        np.testing.assert_allclose(ends, found.value[at] + quantile[:, column] * found.std_error[at], rtol=1e-8)


def test_the_interval_of_the_ratio_of_spreads_is_the_jackknife():
    ratings, cases = rated(4)
    row = ugt.agreement.annotator_strictness(ratings).table()[0]
    a = int(row["annotator"])
    spreads = [twin.strictness(cases[:i] + cases[i + 1 :], a)[3:] for i, case in enumerate(cases) if a in case and len(case) > 1]
    left = np.array([math.log(own / others) for own, others in spreads])
    n = len(left)
    half = stats.t.ppf(0.975, n - 1) * math.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    assert row["n_cases"] == n and row["spread_ratio"] == pytest.approx(row["spread"] / row["others_spread"])
    ends = row["spread_ratio_low"], row["spread_ratio_high"]
    assert ends == pytest.approx([row["spread_ratio"] * math.exp(sign * half) for sign in (-1, 1)], rel=1e-8)


def test_published_tests():
    """For a complete table Hotelling's T² of the deviations; for two annotators the paired t test; with clusters, that of their sums."""
    x = np.random.default_rng(1).normal(size=(25, 4))
    x[:, 1:3] += [0.3, 0.1]
    found = ugt.agreement.annotator_strictness(x)
    contrasts = np.delete(x, 0, axis=1) - x[:, :1]
    t2 = 25 * contrasts.mean(0) @ np.linalg.solve(np.cov(contrasts.T), contrasts.mean(0))
    f = (25 - 3) / (24 * 3) * t2
    assert (found.f_value, found.df) == (pytest.approx(f, rel=1e-9), (3.0, 22.0))
    assert found.p_value == pytest.approx(stats.f.sf(f, 3, 22), rel=1e-9)
    two, paired = ugt.agreement.annotator_strictness(x[:, :2]), stats.ttest_rel(x[:, 0], x[:, 1])
    assert (two.p_value, two.value[0] / two.std_error[0]) == (pytest.approx(paired.pvalue), pytest.approx(paired.statistic))
    five = ugt.agreement.annotator_strictness(x, clusters=np.arange(25) // 5)
    influence = (found.statistic.influence()[:, 0]).reshape(5, 5).sum(1)
    assert five.std_error[0] == pytest.approx(math.sqrt((influence**2).sum() * 5 / 4)) and five.df == (3.0, 2.0)
    assert found.intervals(kind="analytic")[1].tolist() == pytest.approx([found.table()[0]["low"], found.table()[0]["high"]])


def test_it_agrees_with_the_graded_response():
    """Leniency and strictness have opposite signs, and the fitted model predicts how many grades an annotator is above the others."""
    shift, slope, threshold = np.array([0.9, 0.0, -0.2, -0.7]), np.array([1.5, 2.5, 2.0, 3.0]), np.array([-1.0, 0.0, 1.0])
    table = graded.simulate(np.random.default_rng(3), 1500, shift, slope, threshold, 0.2)
    labels = ugt.Labels.from_wide(table, ordered=[0, 1, 2, 3])
    found, fitted = ugt.agreement.annotator_strictness(labels), ugt.annotators.graded_response(labels)
    assert np.argsort(found.value).tolist() == np.argsort(-fitted.leniency).tolist()
    x = np.linspace(-7, 7, 1401)
    above = 1 / (1 + np.exp(-fitted.discrimination[:, None, None] * (x - fitted.cuts[..., None])))
    mean = above.sum(1) @ stats.norm.pdf(x) * (x[1] - x[0])
    predicted = mean - (mean.sum() - mean) / 3
    assert (np.abs(found.value - predicted) < 4 * found.std_error).all()
    assert found.p_value < 1e-6


def test_grades_of_ordered_labels():
    words, numbers = [["low", "high"], ["mid", "high"], ["low", "low"]], [[1, 3], [2, 3], [1, 1]]
    found = ugt.agreement.annotator_strictness(ugt.Labels.from_wide(words, ordered=["low", "mid", "high"]))
    assert found.value.tolist() == ugt.agreement.annotator_strictness(np.array(numbers, float)).value.tolist() == [-1.0, 1.0]
    named = ugt.agreement.annotator_strictness(ugt.Labels.from_wide([["1.5", "2"], ["2", "3"]]))
    assert named.value.tolist() == pytest.approx([-0.75, 0.75])


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1.5, None], [None, 2.5]], "no case has ratings of two annotators"),
        ([[1.0, 1.0], [2.0, 2.0]], "no annotators deviate from each other"),
        ([[1.0, 2.0, 3.0], [2.0, 5.0, 1.0]], "2 cases (or clusters) are not more than the 2 differences between annotators"),
    ],
)
def test_undefined(table, reason):
    found = ugt.agreement.annotator_strictness(table)
    assert math.isnan(found.p_value) and found.reason == reason
    for row in found.table():
        assert math.isnan(row["low"]) == (not row["std_error"] > 0)


def test_one_annotator_and_few_cases():
    one = ugt.agreement.annotator_strictness([[1.0], [2.0]])
    assert np.isnan(one.value).all() and one.table() == [] and one.left_out == {"case with a single annotator": 2}
    with pytest.warns(UserWarning, match="2 of 2 annotators share fewer than 10 cases with others: their strictness is hardly known"):
        ugt.agreement.annotator_strictness([[1.0, 2.0], [2.0, 2.5]])


@pytest.mark.parametrize(
    ("given", "must"),
    [
        (ugt.Labels.from_wide([["a", "b"]]), "ratings must be numbers, or labels whose classes are numbers or have an order"),
        (ugt.Labels.from_counts([[1, 2], [2, 1]]), "ratings must name their annotators"),
    ],
)
def test_refusals(given, must):
    refused(must, ugt.agreement.annotator_strictness, given)
    found = ugt.agreement.annotator_strictness([[1.0, 2.0], [2.0, 2.5], [3.0, 3.5]])
    refused(r"random must be \('cases',\) for the strictness", found.intervals, random=("cases", "annotators"))
