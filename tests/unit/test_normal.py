"""Posteriors of ratings: the textbook update, integrals against slow ones, and what metrics make of them."""

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
from refusals import refused, warned

import ugt
from ugt import states, synthetic
from ugt.plausibilities import normal as module

CASES = Path(__file__).parents[3] / "shared" / "cases"
PRIOR = (0.5, 0.7, 1.8, 2.2)
nan = float("nan")


def posterior_by_hand(values, prior, reliability=1.0):
    """One rating at a time."""
    m, kappa, a, b = prior
    for y in values:
        m, kappa, a, b = (
            (kappa * m + reliability * y) / (kappa + reliability),
            kappa + reliability,
            a + reliability / 2,
            b + kappa * reliability * (y - m) ** 2 / (2 * (kappa + reliability)),
        )
    return m, kappa, a, b


def numbers(post, i=0):
    return post.location[i], post.kappa[i], post.shape[i], post.scale[i]


def over_sigma(law, of):
    """∫ of(σ) p(σ²) dσ² by adaptive quadrature in log σ²."""
    _, _, a, b = law
    constant = a * math.log(b) - math.lgamma(a)
    points = np.log(scipy.stats.invgamma(a, scale=b).ppf([1e-13, 0.01, 0.5, 0.99, 1 - 1e-13]))
    parts = [
        scipy.integrate.quad(lambda s: of(math.exp(s / 2)) * math.exp(constant - a * s - b * math.exp(-s)), low, high, epsabs=1e-13)[0]
        for low, high in zip(points, points[1:])
    ]
    return sum(parts)


# ---- the posterior
@pytest.mark.parametrize("name", ["75_nig_toxicity", "77_nig_identical", "79_nig_ava"])
def test_reference_cases(name):
    path = CASES / f"{name}.json"
    if not path.exists():
        pytest.skip("the reference cases are not here")
    held = json.loads(path.read_text(encoding="utf-8"))
    given, expected = held["inputs"], held["expected"]
    post = ugt.truth.normal([given["ratings"]], prior=(given["m0"], given["k0"], given["a0"], given["b0"]))
    cut = given["threshold"]
    assert numbers(post) == pytest.approx(expected["posterior"], abs=1e-12)
    assert post.cdf(cut)[0] == pytest.approx(expected["predictive_cdf"], abs=1e-10)
    assert post.cdf(cut, kind="mean")[0] == pytest.approx(expected["mu_cdf"], abs=1e-10)
    for kind, key in (("predictive", "predictive"), ("mean", "argmax"), ("expected_max", "expected_max")):
        assert ugt.truth.rating_certainty(post, cut, kind=kind).value == pytest.approx(expected["certainty"][key], abs=1e-9)
    for q, value in expected["phi_cdf"].items():
        assert post.plausibility_cdf(cut, float(q))[0] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("reliability", [1.0, 0.3, 2.5])
def test_batch_is_sequential(reliability):
    rng = np.random.default_rng(1)
    table = rng.normal(2, 3, (6, 5))
    table[rng.random(table.shape) < 0.3] = nan
    table[3] = nan
    post = ugt.truth.normal(table, prior=PRIOR, reliability=reliability)
    for i, row in enumerate(table):
        if i == 3:
            assert np.isnan(numbers(post, i)).all() and not post.defined[i]
        else:
            assert numbers(post, i) == pytest.approx(posterior_by_hand(row[~np.isnan(row)], PRIOR, reliability), rel=1e-12)
    assert repr(post) == "NormalPosterior(n_cases=6, n_empty=1)" and len(post) == 6


def test_reliability_two_is_every_rating_twice():
    table = np.array([[1.0, 4.0, 2.0], [0.0, 0.5, nan]])
    twice, again = (
        ugt.truth.normal(table, prior=PRIOR, reliability=2),
        ugt.truth.normal(np.concatenate([table, table], axis=1), prior=PRIOR),
    )
    for i in range(2):
        assert numbers(twice, i) == pytest.approx(numbers(again, i), rel=1e-13)


def test_far_from_zero_nothing_is_lost():
    table = 1e8 + np.array([[0.0, 1.0, 2.0, 5.0]])
    near = ugt.truth.normal(table - 1e8, prior=PRIOR)
    far = ugt.truth.normal(table, prior=(1e8 + PRIOR[0], *PRIOR[1:]))
    assert far.scale == pytest.approx(near.scale, rel=1e-7) and far.location - 1e8 == pytest.approx(near.location, abs=1e-7)


def test_kinds_of_input():
    long = ugt.Ratings.from_long(["b", "a", "b"], ["x", "x", "y"], [1, 2, 3], cases=["a", "b", "c"])
    post = ugt.truth.normal(long, prior=ugt.truth.NormalPrior(*PRIOR))
    assert post.case_ids.tolist() == ["a", "b", "c"] and post.defined.tolist() == [True, True, False]
    wide = ugt.truth.normal([[2, None], [1, 3], [None, None]], prior=list(PRIOR))
    np.testing.assert_array_equal(post.location, wide.location)
    np.testing.assert_array_equal(post.scale, wide.scale)


# ---- probabilities
LAWS = [(0.3, 0.5, 0.6, 0.4), (1.2, 6.0, 3.0, 5.0), (-2.0, 40.0, 60.0, 30.0)]


def of_laws():
    return ugt.truth.NormalPosterior(np.arange(3), *np.transpose(LAWS))


def test_tails_and_bins():
    post, cuts = of_laws(), [-1.0, 0.4, 2.0]
    for i, (m, kappa, a, b) in enumerate(LAWS):
        for kind, squared in (("predictive", 1 + 1 / kappa), ("mean", 1 / kappa)):
            law = scipy.stats.t(2 * a, m, np.sqrt(b * squared / a))
            assert post.cdf(0.4, kind=kind)[i] == pytest.approx(law.cdf(0.4), rel=1e-9)
            assert post.probability_above(0.4, kind=kind)[i] == pytest.approx(law.sf(0.4), rel=1e-9)
            expected = np.diff(np.concatenate([[0], law.cdf(cuts), [1]]))
            found = post.bin_probabilities(cuts, kind=kind)[i]
            np.testing.assert_allclose(found, expected, atol=1e-12)
            assert found.sum() == pytest.approx(1, abs=1e-14)
    far = post.probability_above(100.0)[2]  # 1 - cdf would be 0
    assert 0 < far < 1e-100 and post.cdf(100.0)[2] == 1
    assert post.bin_probabilities([50.0, 100.0, 200.0])[2, 1] > 0


@pytest.mark.slow
def test_integrals_over_mean_and_variance():
    post = of_laws()
    cut = 0.4

    def share(m, kappa, sigma, of):
        """E of(Φ((cut - μ) / σ)) over μ, by quadrature."""
        spread = sigma / np.sqrt(kappa)
        low, high = m + spread * scipy.special.ndtri(1e-14), m - spread * scipy.special.ndtri(1e-14)
        points = [x for x in sorted({low, m, cut, high}) if low <= x <= high]
        density = lambda x: math.exp(-(((x - m) / spread) ** 2) / 2) / spread / math.sqrt(2 * math.pi)  # noqa: E731
        inside = lambda x: of(scipy.special.ndtr((cut - x) / sigma)) * density(x)  # noqa: E731
        return sum(scipy.integrate.quad(inside, low, high, epsabs=1e-10)[0] for low, high in zip(points, points[1:]))

    for i, law in enumerate(LAWS):
        m, kappa = law[:2]
        expected = over_sigma(law, lambda sigma, m=m, kappa=kappa: share(m, kappa, sigma, lambda p: max(p, 1 - p)))
        assert post.expected_max(cut)[i] == pytest.approx(expected, abs=1e-8)
        for q in (0.05, 0.5, 0.9):
            z = scipy.stats.norm.ppf(q)
            root = np.sqrt(kappa)
            expected = over_sigma(law, lambda sigma, root=root, z=z, m=m: scipy.special.ndtr(root * (z - (cut - m) / sigma)))
            assert post.plausibility_cdf(cut, q)[i] == pytest.approx(expected, abs=1e-10)
    # the share below the cut is above 1/2 where the mean is below it
    np.testing.assert_allclose(1 - post.plausibility_cdf(cut, 0.5), post.cdf(cut, kind="mean"), atol=1e-12)


def test_tiny_shapes():
    """The rule needs a wide range; still 1 for a constant."""
    post = ugt.truth.NormalPosterior(np.arange(2), np.zeros(2), np.ones(2), np.array([0.05, 1e4]), np.ones(2))
    np.testing.assert_allclose(post.expectation(lambda rows, precision: np.ones_like(precision)), 1, atol=1e-12)
    np.testing.assert_allclose(post.plausibility_cdf(0.0, 0.5), 0.5, atol=1e-10)


# ---- metrics
def test_certainty_and_what_is_left_out():
    post = ugt.truth.normal([[1, 2, 3], [nan, nan, nan], [2, 2, 1]], prior=PRIOR)
    found = ugt.truth.rating_certainty(post, 1.5)
    assert found.left_out == {"case without ratings": 1} and found.n_cases == 2 and np.isnan(found.per_case[1])
    assert found.value == pytest.approx(np.nanmean(np.maximum(post.cdf(1.5), 1 - post.cdf(1.5))))
    mirrored = ugt.truth.normal([[-1, -2, -3]], prior=(-PRIOR[0], *PRIOR[1:]))
    for kind in ("predictive", "mean", "expected_max"):
        one, other = (
            ugt.truth.rating_certainty(post, 1.5, kind=kind).per_case[0],
            ugt.truth.rating_certainty(mirrored, -1.5, kind=kind).value,
        )
        assert one == pytest.approx(other, abs=1e-13) and 0.5 <= one <= 1


@pytest.mark.parametrize("kind", ["mean", "predictive"])
def test_accuracy_against_draws(kind):
    ratings, _ = synthetic.make_ratings(40, 6, seed=4)
    post = ugt.truth.normal(ratings)
    predictions, cuts, n = np.linspace(-2, 2, 40), [-1.0, 0.5, 1.2], 4000
    found = ugt.metrics.ua_rating_accuracy(post, predictions, cuts, kind=kind)
    rng = np.random.default_rng(5)
    variance = post.scale / rng.gamma(post.shape, size=(n, 40))
    mean = post.location + np.sqrt(variance / post.kappa) * rng.normal(size=(n, 40))
    at = np.searchsorted(cuts, predictions, side="right")
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    if kind == "mean":
        inside = ((mean >= edges[at]) & (mean < edges[at + 1])).astype(float)
    else:
        inside = np.diff(scipy.stats.norm.cdf((np.stack([edges[at], edges[at + 1]])[:, None] - mean) / np.sqrt(variance)), axis=0)[0]
    error = inside.std(0) / np.sqrt(n)
    assert (np.abs(found.per_case - inside.mean(0)) < 6 * error + 1e-3).all()
    spread = inside.mean(1).std()
    assert found.draw_std == pytest.approx(spread, rel=6 / np.sqrt(2 * n))
    assert ugt.metrics.ua_rating_accuracy(post, at, cuts, kind=kind, binned=True).per_case.tolist() == found.per_case.tolist()
    if kind == "mean":  # a sum of independent zeros and ones
        low, high = found.draw_interval(0.9)
        assert (low, high) == pytest.approx(np.quantile(inside.mean(1), [0.05, 0.95]), abs=1 / 40 + 1e-9)


def test_a_prediction_at_a_cut_is_in_the_upper_bin():
    post = of_laws()
    upper = ugt.metrics.ua_rating_accuracy(post, [0.4] * 3, 0.4).per_case
    np.testing.assert_allclose(upper, post.probability_above(0.4, kind="mean"), atol=1e-15)


def test_draws_agree_with_what_is_exact_and_know_their_case():
    ratings, _ = synthetic.make_ratings(30, 5, low=1, high=10, seed=2)
    post = ugt.truth.normal(ratings)
    draws = post.draws(5.5, 4000, names=["low", "high"], seed=3)
    exact = ugt.truth.rating_certainty(post, 5.5, kind="mean").per_case
    found = ugt.annotation_certainty(draws).per_case
    assert (np.abs(found - exact) < 6 * np.sqrt(0.25 / 4000)).all()
    np.testing.assert_allclose(draws.mean(), post.bin_probabilities(5.5), atol=6 * 0.5 / np.sqrt(4000))
    assert draws.axes.classes.tolist() == ["low", "high"]
    some = ugt.truth.NormalPosterior(post.case_ids[7:9], *(x[7:9] for x in (post.location, post.kappa, post.shape, post.scale)))
    np.testing.assert_array_equal(some.draws(5.5, 50, seed=3).draws(50), post.draws(5.5, 50, seed=3).draws(50)[7:9])
    undefined = ugt.truth.normal([[1.0, 2.0], [nan, nan]], prior=PRIOR).draws([1.0, 2.0], 7)
    assert undefined.defined.tolist() == [True, False]


def test_soft_labels_and_plausibilities():
    ratings, truth = synthetic.make_ratings(200, 10, seed=6)
    post = ugt.truth.normal(ratings)
    p = post.probability_above(0.0)
    found = ugt.soft_auroc(p, truth[:, 0])
    assert 0.7 < found.value < found.hard <= 1
    point = post.to_point([-1.0, 0.0, 1.0], names=["a", "b", "c", "d"])
    np.testing.assert_allclose(point.mean(), post.bin_probabilities([-1.0, 0.0, 1.0]), atol=1e-15)
    assert point.axes.classes.tolist() == ["a", "b", "c", "d"]
    scores = -((truth[:, :1] - np.array([-1.5, -0.5, 0.5, 1.5])) ** 2)
    assert 0.3 < ugt.ua_topk_accuracy(post.draws([-1.0, 0.0, 1.0], 200), scores).value < 1


# ---- the prior that is fitted
def test_gradient_and_value():
    rng = np.random.default_rng(7)
    table = rng.normal(size=(8, 1)) + rng.normal(size=(8, 4))
    table[0, 1:] = nan
    sums = module.RatingSums.of(ugt.Ratings.from_wide(table))
    theta = np.array([0.2, -0.4, 0.7, 0.3])
    value, gradient = module._negative(theta, sums)
    m0, (kappa, a) = theta[0], np.exp(theta[1:3])
    b = a * np.exp(theta[3])
    total = 0.0
    for row in table:
        values, law = row[~np.isnan(row)], (m0, kappa, a, b)
        for j, y in enumerate(values):  # one rating after the other, each by Student's t
            m, k, shape, scale = posterior_by_hand(values[:j], law)
            total += scipy.stats.t.logpdf(y, 2 * shape, m, np.sqrt(scale * (k + 1) / (shape * k)))
    assert value == pytest.approx(-total / np.isfinite(table).sum(), rel=1e-11)
    for j in range(4):
        step = 1e-6 * np.eye(4)[j]
        slope = (module._negative(theta + step, sums)[0] - module._negative(theta - step, sums)[0]) / 2e-6
        assert gradient[j] == pytest.approx(slope, abs=1e-8)


METRICS = {
    "absolute": lambda post, x: ugt.grades.ua_absolute_error(post, x, predictions_are="numbers"),
    "squared": lambda post, x: ugt.grades.ua_squared_error(post, x, predictions_are="numbers"),
    "within": lambda post, x: ugt.grades.ua_within_accuracy(post, x, within=10.0, predictions_are="numbers"),
    "accuracy": lambda post, x: ugt.metrics.ua_rating_accuracy(post, x, 50.0),
    "certainty": lambda post, x: ugt.truth.rating_certainty(post, 50.0),
    "kappa": lambda post, x: ugt.grades.ua_weighted_kappa(post, x, predictions_are="numbers"),
}


def rated(seed, spread, n=40):
    """Three ratings a case, and a prediction that is 20 too low."""
    rng = np.random.default_rng(seed)
    mean = 50 + spread * rng.standard_normal(n)
    noise = 25 * np.sqrt(3.0 / rng.gamma(3.0, 1.0, (n, 1)))  # the variance differs between cases
    return mean[:, None] + noise * rng.standard_normal((n, 3)), mean + 5 * rng.standard_normal(n) - 20


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.filterwarnings("ignore:fit of the prior")
def test_standard_errors_are_of_a_prior_that_is_fitted_again(name):
    """Beside the jackknife that fits the prior again without each case."""
    table, x = rated(3, 15.0)
    found = METRICS[name](ugt.truth.normal(table), x)
    again = [METRICS[name](ugt.truth.normal(np.delete(table, i, 0)), np.delete(x, i)).value for i in range(len(x))]
    expected = np.sqrt((len(x) - 1) / len(x) * ((again - np.mean(again)) ** 2).sum())
    assert found.std_error == pytest.approx(expected, rel=0.15)
    law = ugt.truth.fit_normal_prior(table)
    assert METRICS[name](ugt.truth.normal(table, prior=law), x).std_error == found.std_error
    given = METRICS[name](ugt.truth.normal(table, prior=(law.location, law.kappa, law.shape, law.scale)), x)  # a prior that is known
    assert given.value == pytest.approx(found.value, rel=1e-12) and abs(given.std_error / expected - 1) > 0.15


def test_a_fit_adds_nothing_to_values_and_goes_with_its_cases():
    table, x = rated(4, 15.0)
    table[5] = nan
    post = ugt.truth.normal(table)
    found = METRICS["absolute"](post, x)
    assert found.left_out == {"case without ratings": 1} and np.isnan(found.per_case[5])
    assert found.statistic.estimate[0] == pytest.approx(found.value, rel=1e-12)
    half = METRICS["absolute"](post.take(np.arange(0, 40, 2)), x[::2])
    np.testing.assert_array_equal(half.per_case, found.per_case[::2])
    assert half.std_error > 0.9 * found.std_error  # the fit is that of all cases, and no surer for a half of them
    again = pickle.loads(pickle.dumps(post))
    assert METRICS["absolute"](again, x).std_error == found.std_error
    for one in METRICS.values():
        assert pickle.loads(pickle.dumps(one(post, x))).std_error == one(post, x).std_error


@pytest.mark.parametrize("n_parts", [2, 5])
def test_parts_of_a_fit_are_merged_into_the_standard_error_of_the_whole(n_parts):
    # the slope of a sum by the prior is that of the part, which is much like the others if cases have one variance
    rng = np.random.default_rng(7)
    mean = 50 + 5 * rng.standard_normal(200)
    table, x = mean[:, None] + 25 * rng.standard_normal((200, 3)), mean - 20
    post = ugt.truth.normal(table)
    whole = METRICS["absolute"](post, x)
    rows = np.array_split(np.arange(200), n_parts)
    parts = [states.partial("ua_absolute_error", post.take(some), x[some], case_ids=some) for some in rows]
    found = states.finish(states.merge(parts))
    assert found.value == pytest.approx(whole.value, rel=1e-12)
    assert found.std_error == pytest.approx(whole.std_error, rel=0.1)


def test_parameters_at_a_bound_of_the_fit_do_not_vary():
    table = rated(5, 0.0)[0]
    table = 50 + 25 * np.random.default_rng(0).standard_normal(table.shape)  # one variance for all cases
    law = ugt.truth.fit_normal_prior(table)
    assert law.at_bound == ("shape",)
    steps = ugt.truth.normal(table)._fitted.steps
    assert not steps[:, 2].any() and steps[:, [0, 1, 3]].any(axis=0).all() and np.isfinite(steps).all()


def test_intervals_of_an_evaluation_are_of_a_fitted_prior():
    table, x = rated(6, 10.0)
    ev = ugt.evaluate(ugt.Ratings.from_wide(table), {"A": x}, reliability=1)
    (row,) = (row for row in ev.metrics if row["metric"] == "absolute_error")
    low, high = METRICS["absolute"](ugt.truth.normal(table), x).interval()
    assert (row["case_low"], row["case_high"]) == (pytest.approx(low), pytest.approx(high))
    law = ugt.truth.fit_normal_prior(table)
    known = ugt.evaluate(ugt.Ratings.from_wide(table), {"A": x}, reliability=1, prior=(law.location, law.kappa, law.shape, law.scale))
    (narrow,) = (row for row in known.metrics if row["metric"] == "absolute_error")
    assert narrow["value"] == pytest.approx(row["value"], rel=1e-12) and narrow["case_high"] - narrow["case_low"] < 0.7 * (high - low)


def test_the_prior_is_found_again():
    rng = np.random.default_rng(8)
    n, (m0, kappa, a, b) = 4000, (3.0, 0.4, 3.0, 5.0)
    variance = b / rng.gamma(a, size=n)
    mean = m0 + np.sqrt(variance / kappa) * rng.normal(size=n)
    prior = ugt.truth.fit_normal_prior(mean[:, None] + np.sqrt(variance)[:, None] * rng.normal(size=(n, 6)))
    assert prior.converged and prior.gradient_norm <= 1e-6 and prior.at_bound == ()
    # some five standard errors: 4000 cases, and a variance of each known to a third
    assert prior.location == pytest.approx(m0, abs=0.25) and prior.kappa == pytest.approx(kappa, rel=0.15)
    assert prior.shape == pytest.approx(a, rel=0.35) and prior.scale / prior.shape == pytest.approx(b / a, rel=0.15)


@pytest.mark.skipif(not hasattr(scipy.stats, "multivariate_t"), reason="scipy before 1.6 has no multivariate t")
def test_the_likelihood_of_a_fit_is_that_of_ratings_with_a_multivariate_t():
    table = 70 + 9 * np.random.default_rng(2).standard_t(3, (40, 4)) + 5 * np.random.default_rng(3).normal(size=(40, 1))
    one = ugt.truth.fit_normal_prior(table)
    shape = one.scale / one.shape * (np.eye(4) + 1 / one.kappa)
    of_cases = scipy.stats.multivariate_t(np.full(4, one.location), shape, df=2 * one.shape).logpdf(table)
    assert one.log_likelihood == pytest.approx(of_cases.sum(), rel=1e-9)


def test_the_fit_follows_the_scale():
    ratings, _ = synthetic.make_ratings(150, 8, step=0, seed=9)
    plain = ugt.truth.fit_normal_prior(ratings)
    table = ratings.value.reshape(150, 8)
    moved = ugt.truth.fit_normal_prior(1000 + 0.01 * table[::-1])
    assert moved.location == pytest.approx(1000 + 0.01 * plain.location, abs=1e-6)
    assert (moved.kappa, moved.shape) == pytest.approx((plain.kappa, plain.shape), rel=1e-3)
    assert moved.scale == pytest.approx(plain.scale * 1e-4, rel=1e-3)
    assert moved.log_likelihood == pytest.approx(plain.log_likelihood - table.size * np.log(0.01), abs=1e-4)
    assert ugt.truth.normal(ratings).scale.tolist() == ugt.truth.normal(ratings, prior=plain).scale.tolist()


def test_means_or_variances_that_are_all_the_same():
    rng = np.random.default_rng(10)
    noise = rng.normal(size=(300, 6))
    assert ugt.truth.fit_normal_prior(5 + noise - noise.mean(1, keepdims=True)).at_bound[:1] == ("kappa",)
    same_variance = ugt.truth.fit_normal_prior(5 + rng.normal(size=(300, 1)) + noise / noise.std(1, keepdims=True))
    assert same_variance.at_bound == ("shape",) and same_variance.scale / same_variance.shape == pytest.approx(1.2, rel=0.05)


# ---- what cannot be
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ugt.truth.normal([[1.0, np.inf]], prior=PRIOR), r"table must be finite\. Got inf, first at case 0, annotator 1\."),
        (lambda: ugt.truth.normal([["a", 1]], prior=PRIOR), r"table must hold numbers\. Got 'a'"),
        (lambda: ugt.truth.normal([[1e200, -1e200]], prior=PRIOR), r"ratings must have finite squares"),
        (lambda: ugt.truth.normal([[1.0]], prior=(0, 0, 1, 1)), r"prior must be 'fit', a NormalPrior or four finite numbers"),
        (lambda: ugt.truth.normal([[1.0]], prior="flat"), r"prior must be 'fit', a NormalPrior or four finite numbers.* Got 'flat'\."),
        (lambda: ugt.truth.normal([[1.0]], prior=PRIOR, reliability=0), r"reliability must be a finite number above 0\. Got 0\."),
        (lambda: ugt.truth.fit_normal_prior([[1.0, 2.0]]), r"ratings must have at least two cases, .* Got 1\."),
        (lambda: ugt.truth.fit_normal_prior([[1.0, 1.0], [2.0, nan]]), r"ratings must have .*two different ratings.* Got none\."),
        (lambda: of_laws().cdf(nan), r"value must be a finite number\. Got nan\."),
        (lambda: of_laws().probability_above("x"), r"cut must be a finite number\. Got 'x'\."),
        (lambda: of_laws().bin_probabilities([1.0, 1.0]), r"cuts must be ascending finite numbers\. Got \[1\.0, 1\.0\]\."),
        (lambda: of_laws().plausibility_cdf(0.0, 1.0), r"q must lie between 0 and 1\. Got 1\.0\."),
        (lambda: of_laws().cdf(0.0, kind="median"), r"kind must be one of 'predictive', 'mean'\. Got 'median'\."),
        (lambda: ugt.truth.rating_certainty(of_laws(), 0.0, kind="max"), r"kind must be one of 'predictive', 'mean', 'expected_max'"),
        (
            lambda: ugt.metrics.ua_rating_accuracy(of_laws(), [1.0], 0.0),
            r"predictions must be 3 numbers, one per case\. Got float64 of shape \(1,\)\.",
        ),
        (
            lambda: ugt.metrics.ua_rating_accuracy(of_laws(), [1.0, nan, 2.0], 0.0),
            r"predictions must be finite\. Got nan, first at case 1\.",
        ),
        (
            lambda: ugt.metrics.ua_rating_accuracy(of_laws(), [0, 2, 1], 0.0, binned=True),
            r"predictions must be numbers of bins from 0 to 1\. Got 2",
        ),
    ],
)
def test_refused(call, message):
    refused(message, call)


def test_spreads_within_cases_of_practically_nothing_have_no_prior():
    """Only the scale is at its bound: most ratings are of two cases far apart, so that the means of cases spread less."""
    ratings = np.full((12, 40), nan)
    ratings[0], ratings[1], ratings[2:, :2] = 1, -1, np.linspace(-0.1, 0.1, 10)[:, None]
    refused("within nearly every case all ratings are equal", ugt.truth.fit_normal_prior, ratings + 5e-5 * (-1.0) ** np.arange(40))


def test_other_kinds():
    refused(
        r"posterior must be a NormalPosterior, which normal returns. Got list\.", ugt.truth.rating_certainty, [1.0], 0.0, error=TypeError
    )
    found = warned(r"undefined: no case is left", ugt.truth.rating_certainty, ugt.truth.normal([[nan, nan]], prior=PRIOR), 0.0)
    assert np.isnan(found.value)


def test_generated_ratings():
    ratings, truth = synthetic.make_ratings(500, 200, low=1, high=10, seed=1)
    assert set(np.unique(ratings.value)) <= set(range(1, 11)) and len(np.unique(ratings.value)) == 10
    inside = (truth[:, 0] > 3) & (truth[:, 0] < 8)
    assert np.abs(ratings.means() - truth[:, 0])[inside].max() < 1
    again, _ = synthetic.make_ratings(500, 200, low=1, high=10, seed=1)
    np.testing.assert_array_equal(again.value, ratings.value)
    refused(r"low, high and step must have low < high", synthetic.make_ratings, 5, 5, low=2, high=2)


def test_expectations_over_sigma_of_what_has_a_closed_form():
    """1/σ² is a gamma variable: its mean is a / b, and E exp(-t/σ²) = (1 + t / b)^-a; few ratings make its range wide."""
    laws = np.array([(0.0, 1.0, 0.05, 0.3), (0.0, 2.0, 0.6, 0.4), (0.0, 5.0, 60.0, 30.0)])
    for some in (laws[:1], laws):
        _, _, a, b = some.T
        post = ugt.truth.NormalPosterior(np.arange(len(some)), *some.T)
        np.testing.assert_allclose(post.expectation(lambda rows, root: root**2), a / b, rtol=1e-10)
        np.testing.assert_allclose(post.expectation(lambda rows, root: np.exp(-0.7 * root**2)), (1 + 0.7 / b) ** -a, rtol=1e-10)


def test_expected_max_by_the_function_of_owen():
    """1 - 2 E T(h, √κ) with h² = (cut - m)² κ / ((κ + 1) σ²)."""
    post, cut = of_laws(), 0.4
    for i, law in enumerate(LAWS):
        m, kappa = law[:2]
        h = abs(cut - m) * np.sqrt(kappa / (kappa + 1))
        expected = 1 - 2 * over_sigma(law, lambda sigma, h=h, kappa=kappa: scipy.special.owens_t(h / sigma, np.sqrt(kappa)))
        assert post.expected_max(cut)[i] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("cuts", [[], [np.nan], [0.0, np.inf], [[0.0, 1.0]], ["a"], [1.0, 0.0]])
def test_cuts_that_are_none(cuts):
    refused(r"^cuts must ", of_laws().bin_probabilities, cuts)
