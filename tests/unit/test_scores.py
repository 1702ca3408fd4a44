"""Scores and distances against label histograms: known values, layouts, what is undefined or infinite, intervals, bad input."""

import math

import numpy as np
import pytest
from refusals import refused, warned
from surface import public
from twins import histogram as twin
from twins.histogram_problems import problem

import ugt
from ugt import states

NAN = float("nan")
SCORES = {
    "log": ugt.calibration.histogram_log_loss,
    "brier": ugt.calibration.histogram_brier_score,
    "ranked": ugt.calibration.ranked_probability_score,
    "manhattan": ugt.calibration.manhattan_distance,
    "wasserstein": ugt.calibration.wasserstein_distance,
}
scores = pytest.mark.parametrize("name", SCORES)


def test_known_values():
    counts, probs = [[4, 0, 0], [1, 1, 2]], [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]
    per_case = {name: score(counts, probs).per_case for name, score in SCORES.items()}
    np.testing.assert_allclose(per_case["log"], [math.log(2), 1.5 * math.log(2)])
    np.testing.assert_allclose(per_case["brier"], [0.25 + 0.0625 * 2, 1 - 0.375])
    np.testing.assert_allclose(per_case["ranked"], [0.25 + 0.0625, 0.25 * 0.75 + 0.25])
    np.testing.assert_allclose(per_case["manhattan"], [1, 0])
    np.testing.assert_allclose(per_case["wasserstein"], [0.75, 0])
    np.testing.assert_allclose(ugt.calibration.wasserstein_distance(counts, probs, positions=[-1, 0, 10]).per_case, [0.25 + 0.25 * 11, 0])


@pytest.mark.slow
@scores
@pytest.mark.parametrize("k", [4, 40])
def test_layouts(name, k):
    """Any type, stride or number of cases to a block gives the same bytes."""
    counts, probs = problem(1, n=300, k=k)
    expected = SCORES[name](counts, probs)
    probs.setflags(write=False)
    wide = np.zeros((600, 2 * k))
    wide[::2, ::2] = probs
    for given in (
        (counts.astype(np.int32), wide[::2, ::2]),
        (np.asfortranarray(counts.astype(float)), np.asfortranarray(probs)),
        (counts.astype(">i8"), probs.astype(">f8")),
        (ugt.Labels.from_counts(counts), probs.tolist()),
    ):
        np.testing.assert_array_equal(SCORES[name](*given).per_case, expected.per_case)
    single = probs.astype(np.float32)
    np.testing.assert_array_equal(SCORES[name](counts, single).per_case, SCORES[name](counts, single.astype(float)).per_case)
    many = SCORES[name](np.tile(counts, (400, 1)), np.tile(probs, (400, 1)))
    np.testing.assert_array_equal(many.per_case, np.tile(expected.per_case, 400))
    assert many.value == pytest.approx(expected.value) and many.n_cases == 400 * expected.n_cases


@scores
def test_cases_without_labels(name):
    counts, probs = [[1, 2], [0, 0], [3, 0]], [[0.5, 0.5], [0.1, 0.9], [0.9, 0.1]]
    found = SCORES[name](counts, probs)
    assert np.isnan(found.per_case).tolist() == [False, True, False]
    assert found.n_cases == 2 and found.left_out == {"case without labels": 1}
    assert found.value == pytest.approx(found.per_case[[0, 2]].mean())
    assert SCORES[name](counts[::2], probs[::2]).left_out == {}
    with pytest.warns(RuntimeWarning, match="undefined: no case has labels") as said:
        nothing = SCORES[name]([[0, 0]], [[0.5, 0.5]])
    assert said[0].filename == __file__  # where the call is
    assert math.isnan(nothing.value) and nothing.n_cases == 0 and np.isnan(nothing.interval()).all()
    assert np.isnan(nothing.resamples().values).all()


@scores
def test_fractional_counts(name):
    counts, probs = np.array([[1.5, 0.5], [0.25, 1.0]]), [[0.5, 0.5], [0.1, 0.9]]
    refused(r"counts must be whole numbers \(or fractional=True\)\. Got 1\.5, first at case 0, class 0", SCORES[name], counts, probs)
    found = SCORES[name](counts, probs, fractional=True)
    np.testing.assert_allclose(found.per_case, SCORES[name](counts * 4, probs).per_case)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("n_bins", [1, 15])
def test_calibration_of_the_log_loss(k, n_bins):
    """By the slow twin; where all predictions of a group are alike, the two parts are the whole."""
    counts, probs = problem(8, n=70, k=k)
    weights = np.random.default_rng(2).choice([0.0, 1.0, 2.5], 70)
    found, by_weight = (ugt.calibration.histogram_log_loss(counts, probs, weights=w) for w in (None, weights))
    calibration, bias, refinement = twin.log_parts(counts.tolist(), probs.tolist(), n_bins, [1] * 70)
    one, other = (found.part(name, n_bins=n_bins) for name in ("calibration", "refinement"))
    assert (one.loss.plugin, one.loss.bias, one.value) == pytest.approx((calibration, bias, calibration - bias), abs=1e-14)
    assert (other.loss.plugin, other.loss.bias) == pytest.approx((refinement, -bias), abs=1e-14)
    calibration, _, refinement = twin.log_parts(counts.tolist(), probs.tolist(), n_bins, weights.tolist())
    for name, expected in (("calibration", calibration), ("refinement", refinement)):
        part = by_weight.part(name, "plugin", n_bins=n_bins)
        assert part.value == part.loss.plugin == pytest.approx(expected, abs=1e-14)
    assert found.calibration.plugin == found.part("calibration", "plugin").value
    assert repr(one).endswith(f", n_groups={one.n_groups})")
    alike = ugt.calibration.histogram_log_loss(counts, np.full((70, k), 1 / k))
    for part in ("plugin", "debiased"):
        whole = getattr(alike.calibration, part) + getattr(alike.refinement, part)
        assert whole == pytest.approx(alike.value, abs=1e-12)
    times = np.random.default_rng(4).integers(0, 3, 70)
    again = ugt.calibration.histogram_log_loss(np.repeat(counts, times, axis=0), np.repeat(probs, times, axis=0)).calibration
    np.testing.assert_allclose(found.part("calibration").statistic.values(times[None].astype(float)), again.debiased, atol=1e-14)
    for of in (one, by_weight.part("calibration")):
        low, high = of.interval(n_resamples=100, clusters=np.arange(70))
        assert low < of.value < high


@pytest.mark.filterwarnings("ignore:undefined", "ignore:infinite")
def test_calibration_of_the_log_loss_at_its_ends():
    nothing = ugt.calibration.histogram_log_loss([[0, 0]], [[0.5, 0.5]])
    assert np.isnan(nothing.calibration.plugin) and np.isnan(nothing.part("refinement").interval()).all()
    never = ugt.calibration.histogram_log_loss([[3, 1], [4, 0]], [[1.0, 0.0], [1.0, 0.0]])
    assert np.isinf(never.part("calibration").value) and np.isnan(never.part("calibration").interval()).all()
    at_times = ugt.calibration.histogram_log_loss([[3, 1], [4, 0]], [[1.0, 0.0], [0.99, 0.01]])
    assert np.isinf(at_times.value) and np.isfinite(at_times.calibration.plugin)
    perfect = ugt.calibration.histogram_log_loss([[4, 0], [3, 0], [0, 2]], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert perfect.calibration.plugin == perfect.refinement.plugin == 0.0
    probs = np.array([[0.3, 0.7], [0.6, 0.4]])
    found = ugt.calibration.histogram_log_loss([[1, 2], [2, 1]], probs)
    probs[0] = [0.4, 0.6]
    refused("counts and probs must be as they were when the log loss was computed", found.part, "calibration")
    refused("n_bins must be", perfect.part, "calibration", n_bins=0)
    refused("name must be one of 'entropy', 'divergence', 'calibration', 'refinement'", found.part, "cl")


def test_infinite_log_loss():
    counts, probs = [[3, 1], [1, 1], [0, 2], [2, 2]], [[1, 0], [0.5, 0.5], [0, 1], [0, 1]]
    found = warned(
        "infinite: probability 0 for a class .* observed in 2 cases, first in case 0", ugt.calibration.histogram_log_loss, counts, probs
    )
    assert found.per_case.tolist() == [np.inf, math.log(2), 0, np.inf] and found.value == np.inf and found.n_infinite == 2
    assert math.isfinite(found.entropy.debiased) and found.divergence.plugin == np.inf and found.divergence.debiased == np.inf
    for kind in ("percentile", "bca"):
        assert np.isnan(found.interval(kind=kind)).all() and np.isnan(found.part("divergence").interval(kind=kind)).all()
        assert not np.isnan(found.part("entropy").interval(kind=kind)).any()
    refused(r"score must have finite values to be resampled\. Got inf, first at case 0\.", found.resamples)
    refused(r"level must be", found.interval, 2)
    named = ugt.Labels.from_counts(counts, case_ids=list("abcd"))
    warned("first in case 'b'", ugt.calibration.histogram_log_loss, named, [[0.5, 0.5], [1, 0], [0, 1], [0.5, 0.5]])


def test_entropy_and_divergence():
    counts, probs = problem(3, n=40)
    found = ugt.calibration.histogram_log_loss(counts, probs)
    kept = counts.sum(1) > 0
    n = counts[kept].sum(1)
    m = counts[kept] / n[:, None]
    logs = np.log(np.where(m > 0, m, 1))
    entropy, bias = -(m * logs).sum(1), -((counts[kept] > 0).sum(1) - 1) / (2 * n)
    divergence = (m * (logs - np.log(probs[kept]))).sum(1)
    assert (found.entropy.plugin, found.entropy.bias, found.divergence.plugin) == pytest.approx(
        (entropy.mean(), bias.mean(), divergence.mean())
    )
    assert found.value == pytest.approx(found.entropy.debiased + found.divergence.debiased)
    np.testing.assert_allclose(found.part("entropy").per_case[kept], entropy - bias)
    np.testing.assert_allclose(found.part("divergence", "plugin").per_case[kept], divergence, atol=1e-14)
    assert found.part("divergence").value == found.divergence.debiased and found.part("entropy", "plugin").value == found.entropy.plugin
    for wrong in ({"name": "bias"}, {"name": "entropy", "estimate": "raw"}):
        refused(r"(name|estimate) must be one of", found.part, **wrong)


@scores
def test_intervals(name):
    counts, probs = problem(4, n=200)
    found = SCORES[name](counts, probs)
    values = found.per_case[~np.isnan(found.per_case)]
    largest = {"brier": 2, "manhattan": 2, "log": 1}.get(name, counts.shape[1] - 1)
    expected = largest * ugt.bootstrap(values / largest, n_resamples=500, seed=3).interval(0.9)[0]  # the log loss has no largest value
    assert found.interval(0.9, n_resamples=500, seed=3) == pytest.approx(expected, rel=1e-10)
    low, high = found.interval()
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    assert (low, high) == pytest.approx((found.value - half, found.value + half), abs=0.2 * half)
    clusters = np.arange(200) // 2
    assert found.interval(clusters=clusters) != (low, high) and found.resamples(clusters=clusters).sources == ("clusters",)
    assert found.interval(kind="bca", strata=clusters % 3)[0] < found.value


BAD = {
    "shape": ([[1, 2]], [[0.5, 0.25, 0.25]], r"probs must have the shape of counts, \(1, 2\)\. Got \(1, 3\)\."),
    "one class": ([[1]], [[1.0]], r"counts must have at least 2 classes\. Got 1"),
    "negative": ([[1, -2]], [[0.5, 0.5]], r"counts must not be negative\. Got -2, first at case 0, class 1"),
    "nan": ([[1, 2]], [[NAN, 0.5]], r"probs must be from 0 to 1 \(within 1e-06\)\. Got nan, first at case 0, class 0"),
    "sum": ([[1, 2]] * 2, [[0.5, 0.5], [0.5, 0.4]], r"probs must add up to 1 .* Got a sum of 0\.9, first at case 1"),
    "text": ([["1", "2"]], [[0.5, 0.5]], r"counts must be numbers of shape \(N, K\)"),
}


@pytest.mark.parametrize("bad", BAD)
@scores
def test_bad_tables(name, bad):
    counts, probs, message = BAD[bad]
    refused(message, SCORES[name], counts, probs)


def test_bad_options():
    for positions in ([0, 1], [0, 2, 1], [0, 0, 1], [0, NAN, 1], [0, 1, np.inf], ["a", "b", "c"], [[0], [1, 2]], 3):
        refused(
            r"positions must be 3 ascending numbers",
            ugt.calibration.wasserstein_distance,
            [[1, 2, 3]],
            [[0.5, 0.25, 0.25]],
            positions=positions,
        )
    refused(r"normalized must be True or False\. Got 1\.", ugt.calibration.ranked_probability_score, [[1, 2]], [[0.5, 0.5]], normalized=1)
    refused(r"fractional must be True or False\. Got 'yes'\.", ugt.calibration.manhattan_distance, [[1, 2]], [[0.5, 0.5]], fractional="yes")


def test_counts_that_doubles_do_not_tell_apart_are_refused():
    laws = [[1.0, 1.0], [1.0, 1.0]]
    assert ugt.calibration.dirichlet_multinomial_log_likelihood([[2**53, 1], [1, 1]], laws) is not None
    with pytest.raises(ValueError, match=r"^counts must .* Got 9007199254740994\.0, first at case 0, class 0"):
        ugt.calibration.dirichlet_multinomial_log_likelihood([[2.0**53 + 2, 1], [1, 1]], laws)


def test_normalized_ranked_scores_are_divided_by_the_thresholds():
    counts, probs = [[3, 1, 0, 0], [0, 0, 2, 2]], [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]]
    plain, normal = (ugt.calibration.ranked_probability_score(counts, probs, normalized=one).per_case for one in (False, True))
    np.testing.assert_allclose(normal, plain / 3)


@pytest.mark.parametrize("name", ["histogram_log_loss", "ranked_probability_score", "wasserstein_distance", "histogram_brier_score"])
def test_scores_in_parts_have_the_analytic_interval_of_all_cases(name):
    counts, probs = problem(5, n=20)
    tables = counts, (probs + 1) / (probs + 1).sum(axis=1, keepdims=True)
    whole, part = public(name)(*tables), states.finish(states.partial(name, *tables))
    assert part.interval(kind="analytic") == pytest.approx(whole.interval(kind="analytic"), rel=1e-12)


def test_distances_at_their_largest_have_an_interval():
    counts, probs = [[3, 0, 0], [0, 0, 2]] * 20, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]] * 20
    least = 0.025 ** (1 / 40)  # Clopper & Pearson: 40 of 40
    ranked = ugt.calibration.ranked_probability_score
    of = {
        ugt.calibration.manhattan_distance: 2,
        ugt.calibration.histogram_brier_score: 2,
        ranked: 2,
        ugt.calibration.wasserstein_distance: 2,
    }
    found = {function: function(counts, probs) for function in of}
    for function, largest in of.items():
        assert found[function].value == largest
        np.testing.assert_allclose(found[function].interval(), [largest * least, largest])
    np.testing.assert_allclose(ranked(counts, probs, normalized=True).interval(), [least, 1])
    far = ugt.calibration.wasserstein_distance(counts, probs, positions=[1, 2, 11])
    np.testing.assert_allclose(far.interval(kind="percentile"), [10 * least, 10])
    np.testing.assert_allclose(ugt.calibration.manhattan_distance(counts, np.array(probs)[:, ::-1]).interval(), [0, 2 * (1 - least)])
    part = states.finish(states.partial("manhattan_distance", counts, probs, n_resamples=20, case_ids=range(40)))
    np.testing.assert_allclose(part.interval(), [2 * least, 2])
