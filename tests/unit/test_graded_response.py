"""Graded response against the slow twin, published fits, and what is to be refused."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refused
from scipy.optimize import minimize
from twins import graded as twin

import ugt

SHIFT, SLOPE, THRESHOLD = np.array([0.4, -0.6, 0.0, 0.2]), np.array([1.2, 2.0, 3.0, 0.8]), np.array([-0.9, 0.1, 1.0])
PATTERNS = np.array([[i >> (4 - j) & 1 for j in range(5)] for i in range(32)])  # of five answers


@pytest.fixture(scope="module")
def labels():
    return ugt.Labels.from_wide(twin.simulate(np.random.default_rng(0), 40, SHIFT, SLOPE, THRESHOLD, 0.2), classes=4)


@pytest.mark.parametrize(("thresholds", "prior"), [("common", (2.0, 1.0)), ("common", None), ("own", (2.0, 1.0)), ("own", None)])
def test_log_likelihood_laws_and_severities_are_those_of_the_twin(labels, thresholds, prior):
    found = ugt.annotators.graded_response(labels, thresholds=thresholds, prior=prior)
    cases, a, cut = twin.cases_of(labels), found.discrimination, found.cuts
    assert found.log_likelihood == pytest.approx(twin.log_likelihood(cases, a, cut), rel=1e-9)
    for i in (0, 7, 21):
        np.testing.assert_allclose(found.plausibilities.mean()[i], twin.law(cases[i], a, cut, found.thresholds), atol=1e-9)
        np.testing.assert_allclose([found.severity[i], found.severity_sd[i]], twin.moments(cases[i], a, cut), atol=1e-8)
    np.testing.assert_allclose(found.leniency.sum(), 0, atol=1e-12)
    np.testing.assert_allclose(found.thresholds, found.cuts.mean(0), atol=1e-12)


def test_the_slope_is_zero_at_the_maximum_and_errors_are_of_the_curvature(labels):
    found = ugt.annotators.graded_response(labels, prior=None)
    cases, n = twin.cases_of(labels), 4

    def objective(free):  # log discriminations, all shifts but the last, thresholds
        shift = np.append(free[n : 2 * n - 1], -free[n : 2 * n - 1].sum())
        return -twin.log_likelihood(cases, np.exp(free[:n]), shift[:, None] + free[2 * n - 1 :])

    best = np.concatenate([np.log(found.discrimination), found.leniency[:-1], found.thresholds])
    step = 1e-4 * np.eye(len(best))
    slope = np.array([(objective(best + one) - objective(best - one)) / 2e-4 for one in step])
    np.testing.assert_allclose(slope, 0, atol=2e-4)
    curve = np.array(
        [
            [objective(best + x + y) - objective(best + x - y) - objective(best - x + y) + objective(best - x - y) for x in 20 * step]
            for y in 20 * step
        ]
    )
    covariance = np.linalg.inv(curve / (4 * 2e-3**2))
    error = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(found.discrimination_error, found.discrimination * error[:n], rtol=1e-3)
    np.testing.assert_allclose(found.leniency_error[:-1], error[n : 2 * n - 1], rtol=1e-3)
    np.testing.assert_allclose(found.thresholds_error, error[2 * n - 1 :], rtol=1e-3)


def test_fits_of_section_seven_of_the_law_school_test():
    """Counts of the patterns: Bock & Lieberman (1970), as above. Another maximizer of the likelihood on 2,001 nodes, and girth 0.8.

    Slopes of girth are equal to 1e-4. Its difficulties are less near, for it stops at a likelihood that is lower by 6e-6.
    """
    counts = [12, 19, 1, 7, 3, 19, 3, 17, 10, 5, 3, 7, 7, 23, 8, 28, 7, 39, 11, 34, 14, 51, 15, 90, 6, 25, 7, 35, 18, 136, 32, 308]
    node = np.linspace(-9, 9, 2001)
    weight = np.exp(-(node**2) / 2) / np.exp(-(node**2) / 2).sum()

    def deviance(free):
        logit = free[:5, None] * (node - free[5:, None])
        return -np.dot(counts, np.log(np.exp(-(PATTERNS @ np.logaddexp(0, -logit) + (1 - PATTERNS) @ np.logaddexp(0, logit))) @ weight))

    found = ugt.annotators.graded_response(ugt.Labels.from_wide(np.repeat(PATTERNS, counts, axis=0)), thresholds="own", prior=None)
    best = minimize(deviance, np.repeat([1.0, -1.0], 5), method="BFGS", options={"gtol": 1e-6})
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    np.testing.assert_allclose([*found.discrimination, *found.cuts[:, 0]], best.x, atol=2e-5)
    np.testing.assert_allclose(found.discrimination, [0.98756, 1.08083, 1.70741, 0.76498, 0.73566], atol=1e-4)
    np.testing.assert_allclose(found.cuts[:, 0], [-1.87938, -0.74763, -1.05747, -0.63537, -2.52093], atol=2.5e-4)


def test_published_fit_of_the_law_school_test():
    """LSAT section 6: 1,000 people, five questions; counts of the 32 patterns: Bock & Lieberman (1970), Psychometrika 35, 179-197.

    The estimates of the two-parameter logistic model, difficulty and slope, are those that R's ltm prints: no data of a package are used.
    """
    counts = [3, 6, 2, 11, 1, 1, 3, 4, 1, 8, 0, 16, 0, 3, 2, 15, 10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298]
    difficulty, slope = [-3.3597, -1.3696, -0.2799, -1.8659, -3.1236], [0.8254, 0.7229, 0.8905, 0.6886, 0.6575]
    labels = ugt.Labels.from_wide(np.repeat(PATTERNS, counts, axis=0))
    for thresholds in ("own", "common"):  # with two grades a shift is a threshold
        found = ugt.annotators.graded_response(labels, thresholds=thresholds, prior=None)
        assert found.log_likelihood == pytest.approx(-2466.653, abs=5e-4)
        assert printed_is_as_likely(found, labels, slope, -np.multiply(slope, difficulty)[:, None])
        np.testing.assert_allclose(found.cuts[:, 0], difficulty, atol=2.5e-3)
        np.testing.assert_allclose(found.discrimination, slope, atol=7e-4)
        np.testing.assert_allclose(found.discrimination_error, [0.2581, 0.1867, 0.2326, 0.1852, 0.2100], atol=2e-3)


def printed_is_as_likely(found, labels, slope, intercept):
    """Estimates printed elsewhere are no more likely, and less likely by less than 1e-4 only."""
    slope, intercept = np.array(slope), np.array(intercept)
    return 0 <= found.log_likelihood - twin.log_likelihood(twin.cases_of(labels), slope, -intercept / slope[:, None]) < 1e-4


def test_two_grades_are_the_two_parameter_logistic_model():
    """P(1) = 1 / (1 + exp(-(a x + d))): neither grades nor thresholds matter any more, and exchanged grades turn everything around."""
    table = twin.simulate(np.random.default_rng(3), 60, SHIFT, SLOPE, THRESHOLD[1:2], 0.1)
    found, own, turned = (
        ugt.annotators.graded_response(ugt.Labels.from_wide(one, classes=2), thresholds=kind, prior=None)
        for one, kind in ((table, "common"), (table, "own"), (1 - table, "common"))
    )
    x = np.linspace(-9, 9, 3601)
    right = 1 / (1 + np.exp(-(found.discrimination[:, None] * x - (found.discrimination * found.cuts[:, 0])[:, None])))
    given = np.where(np.isnan(table)[..., None], 1.0, np.where(table[..., None] == 1, right, 1 - right))
    each = given.prod(axis=1) @ np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    assert found.log_likelihood == pytest.approx(np.log(each).sum(), rel=1e-12)
    for name in ("discrimination", "leniency", "cuts", "severity"):
        np.testing.assert_allclose(getattr(own, name), getattr(found, name), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(own.leniency_error, found.leniency_error, rtol=1e-6)  # from the curvature a last step before
    assert turned.log_likelihood == pytest.approx(found.log_likelihood, rel=1e-12)
    np.testing.assert_allclose(turned.leniency, -found.leniency, atol=1e-6)


def test_counts_are_labels_given_again(labels):
    twice = replace(labels, count=2 * labels.count)
    found = ugt.annotators.graded_response(twice, prior=None)
    assert found.log_likelihood == pytest.approx(twin.log_likelihood(twin.cases_of(twice), found.discrimination, found.cuts), rel=1e-9)


def test_many_labels_of_a_case():
    """Products of 60 probabilities keep their range, and nodes are near enough to each other for a severity that is nearly known."""
    rng = np.random.default_rng(2)
    table = twin.simulate(rng, 40, rng.normal(0, 0.5, 60), np.full(60, 3.0), THRESHOLD)
    found = ugt.annotators.graded_response(ugt.Labels.from_wide(table, classes=4))
    expected = twin.log_likelihood(twin.cases_of(ugt.Labels.from_wide(table, classes=4)), found.discrimination, found.cuts)
    assert found.log_likelihood == pytest.approx(expected, rel=1e-9) and np.median(found.severity_sd) < 0.12


def test_a_grade_that_nobody_used_and_a_case_and_an_annotator_without_labels():
    table = np.array([[0, 0, 2, None], [2, 2, 2, None], [3, 2, 3, None], [0, 2, 0, None], [3, 3, 3, None], [None] * 4], object)
    found = ugt.annotators.graded_response(ugt.Labels.from_wide(table, classes=[0, 1, 2, 3], annotators=list("abcd")))
    assert np.isnan(found.thresholds).tolist() == [True, True, False]
    assert np.isnan(found.leniency).tolist() == [False] * 3 + [True] and found.left_out == {"case without labels": 1}
    mean = found.plausibilities.mean()
    assert np.isnan(mean[5]).all() and np.isnan(found.severity[5]) and (mean[:5, 1] == 0).all()
    np.testing.assert_allclose(mean[:5].sum(1), 1, atol=1e-12)
    assert found.draws(4).mean().shape == (6, 4) and np.isnan(found.draws(4).mean()[5]).all()


def test_draws_have_the_mean_of_the_law_and_belong_to_the_seed(labels):
    found = ugt.annotators.graded_response(labels)
    draws = found.draws(400, seed=3)
    assert np.abs(draws.mean() - found.plausibilities.mean()).max() < 0.1
    np.testing.assert_array_equal(draws.values, found.draws(400, seed=3).values)
    assert (draws.values != found.draws(400, seed=4).values).any()
    np.testing.assert_allclose(draws.values.sum(2), 1, atol=1e-12)


def test_a_strict_annotator_is_no_severe_case():
    """Half of the cases are seen by lenient annotators alone: their mean grades differ, their severities do not."""
    rng, n = np.random.default_rng(4), 400
    table = twin.simulate(rng, n, np.array([1.0, 1.0, 0.0, -1.0, -1.0]), np.full(5, 2.5), THRESHOLD)
    table[: n // 2, 3:] = table[n // 2 :, :2] = np.nan
    found = ugt.annotators.graded_response(ugt.Labels.from_wide(table))
    means = np.nanmean(table, 1)
    assert means[n // 2 :].mean() - means[: n // 2].mean() > 0.8
    assert abs(found.severity[n // 2 :].mean() - found.severity[: n // 2].mean()) < 0.25


def test_warnings():
    rng = np.random.default_rng(5)
    table = twin.simulate(rng, 100, np.zeros(4), np.full(4, 3.0), THRESHOLD)
    turned, split = table.copy(), table.copy()
    turned[:, 2] = 3 - turned[:, 2]
    split[:50, 2:] = split[50:, :2] = np.nan
    for data, options, message in (
        (turned, {}, "the grades of annotator 2 fall where those of the others rise: is that scale reversed?"),
        (split, {}, "annotators are in 2 groups that share no case"),
        (table, {"max_iter": 1}, "has not converged within max_iter iterations"),
        (
            np.repeat(table[:, :1], 3, axis=1),
            {},
            "the discrimination of annotators 0, 1, 2 is at its bound, and its standard error NaN: their labels show no noise",
        ),
    ):
        with pytest.warns(RuntimeWarning, match=message.replace("?", r"\?")):
            ugt.annotators.graded_response(ugt.Labels.from_wide(data, classes=4), **options)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ([[0, 0], [0, 0]], {}, r"labels must use at least two grades. Got one grade, 0\."),
        ([[0], [1]], {}, "labels must have a case that two annotators labelled. Got none: severity and strictness cannot be separated"),
        (
            [[0, 1, 2], [0, 2, 1], [1, 0, 1]], {"thresholds": "own"},
            r"labels must hold every grade from every annotator where thresholds='own' \(or take thresholds='common'\). Got no 2",
        ),
        ([[0, 1], [1, 1]], {"thresholds": "two"}, "thresholds must be one of 'common', 'own'. Got 'two'"),
        ([[0, 1], [1, 1]], {"prior": 1}, "prior must be None or two standard deviations, of leniency and of log discrimination. Got 1"),
        ([[0, 1], [1, 1]], {"prior": (0, 1)}, "prior must be a finite number above 0"),
        ([[0, 1], [1, 1]], {"max_iter": 0}, "max_iter must be a whole number of at least 1"),
    ],
)  # fmt: skip
def test_refusals(table, options, message):
    refused(message, ugt.annotators.graded_response, ugt.Labels.from_wide(table, classes=3), **options)


@pytest.mark.parametrize("classes", [["high", "low", "mid"], [3, 1, 2]])
def test_labels_without_an_order(classes):
    table = np.array(classes)[np.random.default_rng(0).integers(0, 3, (30, 3))]
    labels = ugt.Labels.from_wide(table, classes=classes)
    refused(r"labels must be ordered \(ordered=.*\), or have classes that are ascending numbers", ugt.annotators.graded_response, labels)
    order = sorted(classes, key=["low", "mid", "high", 1, 2, 3].index)
    assert np.isfinite(ugt.annotators.graded_response(labels.in_order(order)).thresholds).all()


def test_labels_whose_annotators_are_not_known():
    refused("labels must name the annotator of each label", ugt.annotators.graded_response, ugt.Labels.from_counts([[1, 2], [2, 1]]))
    for other in ([[0, 1]], ugt.Ratings.from_wide([[0.5, 1.0]])):
        with pytest.raises(TypeError, match=r"labels must be Labels\. Got .* for ratings on a finite scale, to_labels\(\)"):
            ugt.annotators.graded_response(other)


def test_draws_without_a_covariance(labels):
    found = ugt.annotators.graded_response(ugt.Labels.from_wide([[0, 1], [1, 1], [1, 0]]), prior=None)
    if np.isnan(found.thresholds_error).any():
        refused("draws must come from a fit whose parameters are determined", found.draws)
    refused("n_draws must be a whole number of at least 2", ugt.annotators.graded_response(labels).draws, 1)
