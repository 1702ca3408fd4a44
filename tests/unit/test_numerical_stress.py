"""The ends of the range of numbers: finite or a documented NaN, and right against exact fractions or closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from refusals import refused

import ugt

pytestmark = [
    pytest.mark.filterwarnings("error::RuntimeWarning"),  # none of numpy's, such as overflow
    pytest.mark.filterwarnings("ignore:chains have not mixed", "ignore:infinite", "ignore:too few calibration labels"),
]
LARGE = 10**15


def beta_above_half(a, b):
    """P(X > 1/2) of X ~ Beta(a, b), whole a and b: a sum of binomial probabilities, exact."""
    n = a + b - 1
    return float(Fraction(sum(math.comb(n, j) for j in range(a)), 2**n))


# ---- aggregations and certainty ----
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_plausibilities_of_any_scale(scale):
    """λ as numbers of any size; ratios of 1e±300 between classes."""
    post = ugt.Point.from_array(np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 2.0]]) * scale)
    np.testing.assert_allclose(post.mean(), [[0.5, 1 / 3, 1 / 6], [0.25, 0.25, 0.5]], rtol=1e-15)
    np.testing.assert_array_equal(post.membership(1), [[1, 0, 0], [0, 0, 1]])
    draws = ugt.Draws.from_array(np.array([[[3.0, 2.0, 1.0], [1.0, 1.0, 2.0]]]) * scale)
    assert ugt.annotation_certainty(draws).value == 0.5


def test_ratios_of_plausibilities():
    table = [[1e300, 1.0, 1e-300], [1e-300, 1e-300, 1e-300], [5e-324, 0.0, 0.0]]
    post = ugt.Point.from_array(table)
    mean = post.mean()
    np.testing.assert_allclose(mean.sum(1), 1, rtol=1e-15)
    np.testing.assert_allclose(mean[1], 1 / 3, rtol=1e-15)
    assert mean[0, 0] == 1 and mean[2].tolist() == [1, 0, 0]
    rankings = ugt.Rankings.from_blocks([[[[0], [1]]], [[[0], [1]]], [[[0], [1, 2]]]], n_classes=3)
    found, gradient = ugt.truth.plackett_luce_log_likelihood(rankings, [*table[:2], [1e300, 1e-300, 1e-300]], gradient=True)
    # exact: the first wins for certain, the second with 1 / (1 + 1e-300); three alike: 1/3 · 1/2; a tie of two alike: 1/3 · …
    np.testing.assert_allclose(found[:2], [0.0, math.log(1 / 6)], atol=1e-15)
    assert np.isfinite(found).all()
    assert np.isfinite(gradient).all()
    np.testing.assert_allclose(gradient.sum(1), 0, atol=1e-12)


@pytest.mark.parametrize("reversed_", [False, True])
def test_a_loser_of_1e300(reversed_):
    """log p of "the worse one first": log(1e-300 / (1 + 1e-300)), to the last digits."""
    order = [[1], [0]] if reversed_ else [[0], [1]]
    rankings = ugt.Rankings.from_blocks([[order]], n_classes=2)
    found = ugt.truth.plackett_luce_log_likelihood(rankings, [[1.0, 1e-300]])
    assert found[0] == pytest.approx(-300 * math.log(10) if reversed_ else -1e-300, rel=1e-14)


@pytest.mark.parametrize("gamma", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_reliabilities(gamma):
    labels = ugt.Labels.from_counts([[3, 1, 0], [2, 2, 0], [0, 0, 0]])
    post = ugt.dirichlet(labels, reliability=gamma)
    alpha = np.array([[3, 1, 0], [2, 2, 0], [0, 0, 0]]) * gamma + 0.1
    np.testing.assert_allclose(post.mean()[:2], (alpha / alpha.sum(1, keepdims=True))[:2], rtol=1e-14)
    certainty = ugt.annotation_certainty(post).per_case[:2]
    assert (certainty >= 1 / 3).all() and (certainty <= 1).all()
    assert certainty[1] == pytest.approx(0.5 if gamma >= 1e3 else certainty[1], abs=1e-6)
    assert np.isfinite(post.membership(2)[:2]).all()
    ranked = ugt.Rankings.from_blocks([[[[0], [1]], [[0]]], [[[1], [0]], [[0], [1]]]], n_classes=3)
    sure = ugt.annotation_certainty(ugt.prirn(ranked, reliability=gamma)).per_case
    assert np.isfinite(sure).all() and sure[1] == pytest.approx(0.5, abs=1e-9)
    mode = ugt.papers.plackett_luce_map(ranked, reliability=gamma, prior_shape=1.5).mean()
    assert np.isfinite(mode).all()
    np.testing.assert_allclose(mode.sum(1), 1, rtol=1e-9)
    draws = ugt.plackett_luce(ranked, method="gibbs", reliability=gamma, n_draws=40, n_warmup=20, n_chains=2) if gamma <= 1e3 else None
    if draws is not None:
        assert np.isfinite(draws.values).all()


@pytest.mark.slow
@pytest.mark.parametrize("a, b", [(1, 1), (2, 1), (7, 3), (200, 180), (2000, 1990)])
def test_certainty_against_exact_fractions(a, b):
    found = ugt.Dirichlet.from_array([[a, b]]).membership(1)[0, 0]
    assert found == pytest.approx(beta_above_half(a, b), abs=1e-12)


@pytest.mark.parametrize("c", [1e-300, 1e-6, 1.0, 1e6, 1e12, float(LARGE), 1e17])
def test_concentrations_of_any_size(c):
    """Two alike: 1/2; one σ apart, σ² = 2c: Φ(1/√2) where c is large."""
    assert ugt.Dirichlet.from_array([[c, c]]).membership(1)[0, 0] == pytest.approx(0.5, abs=1e-9)
    if c >= 1e12:
        apart = ugt.Dirichlet.from_array([[c + math.sqrt(c), c]]).membership(1)[0, 0]
        assert apart == pytest.approx(0.5 * (1 + math.erf(0.5)), abs=1e-7)
    order = ugt.ua_topk_accuracy(ugt.Dirichlet.from_array([[c, c, c]]), [[1.0, 2.0, 3.0]])
    assert order.value == pytest.approx(1 / 3, abs=1e-9)


def test_concentrations_whose_order_is_not_resolved_are_refused():
    post = ugt.Dirichlet.from_array([[1.0, 2.0], [1e300, 1e299]], case_ids=["a", "b"])
    np.testing.assert_allclose(post.mean()[1], [10 / 11, 1 / 11], rtol=1e-14)  # means are exact at any size
    match = r"^concentration must add up to at most 1e\+18 over the classes of a case.* Got 1.1e\+300, first at case 'b'.$"
    for call in (ugt.annotation_certainty, lambda p: p.membership(1), lambda p: ugt.ua_topk_accuracy(p, [[0, 1], [1, 0]])):
        refused(match, call, post)


def test_counts_of_1e15():
    labels = ugt.Labels.from_counts([[LARGE, LARGE], [LARGE, 0], [LARGE, 3 * LARGE]])
    post = ugt.dirichlet(labels)
    np.testing.assert_allclose(ugt.annotation_certainty(post).per_case, [0.5, 1, 1], atol=1e-9)
    np.testing.assert_allclose(ugt.irn(labels).mean(), [[0.5, 0.5], [1, 0], [0.25, 0.75]], rtol=1e-15)
    # percent agreement of n = 2c labels, half and half: 2 c (c - 1) / (n (n - 1))
    c = LARGE
    pairs = [Fraction(2 * c * (c - 1), 2 * c * (2 * c - 1)), Fraction(1), Fraction(c * (c - 1) + 3 * c * (3 * c - 1), 4 * c * (4 * c - 1))]
    assert ugt.agreement.percent_agreement(labels).value == pytest.approx(float(sum(pairs) / 3), rel=1e-14)
    for function in (ugt.fleiss_kappa, ugt.agreement.gwet_ac1, ugt.krippendorff_alpha):
        assert math.isfinite(function(labels).value), function
    found = ugt.calibration.symmetric_statistic([[c, c], [c, 3 * c]], lambda a, b: a != b, 2)
    exact = [Fraction(2 * c * c, 2 * c * (2 * c - 1)), Fraction(2 * 3 * c * c, 4 * c * (4 * c - 1))]
    np.testing.assert_allclose(found, [float(one) for one in exact], rtol=1e-14)
    probs = np.array([[0.5, 0.5], [0.25, 0.75]])
    score = ugt.calibration.histogram_brier_score([[c, c], [c, 3 * c]], probs)
    np.testing.assert_allclose(score.per_case, [0.5, 0.375], rtol=1e-12)  # Σ p (1 - p): what is left where the model is right
    assert abs(ugt.calibration.histogram_log_loss([[c, c], [c, 3 * c]], probs).divergence.plugin) < 1e-12
    assert np.isfinite(ugt.calibration.dirichlet_multinomial_log_likelihood([[c, c]], [[1.0, 1.0]], coefficient=False)).all()


# ---- losses, soft scores and p-values ----
def test_probabilities_of_1e_320():
    tiny = 1e-320
    found = ugt.calibration.histogram_log_loss([[1, 0], [0, 2]], [[tiny, 1 - tiny], [1 - tiny, tiny]])
    assert found.per_case == pytest.approx([-math.log(tiny)] * 2, rel=1e-12)
    assert math.isinf(ugt.calibration.histogram_log_loss([[1, 0]], [[0.0, 1.0]]).value)  # documented: counted as infinite
    losses = ugt.histogram_losses([[1, 0], [0, 2]], [[tiny, 1 - tiny], [1 - tiny, tiny]])
    assert losses.l_sq == pytest.approx(2.0, rel=1e-12)
    p = np.array([tiny, 1.0, 0.5, 0.0, 1 - 1e-16])
    s = np.array([1e-320, 1e308, 0.0, -1e308, 5e-324])
    for value in (ugt.soft_auroc(p, s).value, ugt.soft_average_precision(p, s).value):
        assert 0 <= value <= 1
    scores = ugt.conformal.conformal_scores([[tiny, 1 - tiny]], "aps", randomized=False)
    np.testing.assert_allclose(scores, [[1.0, 1.0]], atol=1e-15)
    post = ugt.Point.from_array([[tiny, 1.0], [tiny, tiny]])
    np.testing.assert_allclose(post.mean(), [[0, 1], [0.5, 0.5]], atol=1e-300)


def test_soft_auroc_against_fractions():
    """Σ p_i (1 - p_j) [s_i > s_j] + ½ ties over Σ p_i (1 - p_j), with p down to 1e-300."""
    p = [1e-300, 0.25, 0.5, 1.0, 1e-5]
    s = [4.0, 3.0, 3.0, 5.0, -1e300]
    above = below = Fraction(0)
    for pi, si in zip(p, s):
        for pj, sj in zip(p, s):
            weight = Fraction(pi) * (1 - Fraction(pj))
            below += weight
            above += weight * (2 if si > sj else 1 if si == sj else 0) / 2
    assert ugt.soft_auroc(p, s, self_pairs="half").value == pytest.approx(float(above / below), rel=1e-14)


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e99])
def test_scales_of_ratings(scale):
    """Ratios of discrepancies and coefficients of ratings know no unit."""
    ratings = np.array([[3.0, 4, 5], [7, 7, 8], [1, 3, 2], [6, 5, 6], [9, 7, 8]])
    plain, scaled = (ugt.discrepancy_ratio(r, r[:, 0], distance="absolute").value for r in (ratings, ratings * scale))
    assert scaled == pytest.approx(plain, rel=1e-12)
    if 1e-90 < scale < 1e90:  # squares of numbers near the ends of the range are refused or lost
        assert ugt.agreement.intraclass_correlation(ratings * scale).value == pytest.approx(
            ugt.agreement.intraclass_correlation(ratings).value, rel=1e-12
        )
        alpha = [ugt.krippendorff_alpha(ugt.Ratings.from_wide(r), "interval").value for r in (ratings, ratings * scale)]
        assert alpha[0] == pytest.approx(alpha[1], rel=1e-12)


# ---- many of something ----
def test_a_million_classes():
    k = 10**6
    labels = ugt.Labels.from_long([0, 0, 0, 1], ["a", "b", "c", "a"], [k - 1, k - 1, 5, 0], classes=k)
    post = ugt.dirichlet(labels, prior=1e-6)
    assert ugt.annotation_certainty(post).per_case[1] > 0.6
    np.testing.assert_allclose(post.mean().sum(1), 1, rtol=1e-12)
    np.testing.assert_allclose(ugt.irn(labels).mean()[0, [5, k - 1]], [1 / 3, 2 / 3], rtol=1e-15)
    assert ugt.ua_topk_accuracy(ugt.votes(labels), np.eye(1, k, k - 1).repeat(2, 0)).value == 0.5
    # chance agreement of alpha over a million classes: 4 labels in pairable cases of one case
    assert ugt.agreement.percent_agreement(labels).value == pytest.approx(1 / 3, rel=1e-14)
    assert math.isfinite(ugt.fleiss_kappa(labels).value)
    found = ugt.dawid_skene(labels, model="one-coin", max_iter=5)
    assert np.isfinite(found.accuracy).all()


def test_a_hundred_thousand_annotators_of_one_case():
    n = 10**5
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, n)
    labels = ugt.Labels.from_long(np.zeros(n, int), np.arange(n), label, classes=3)
    c = np.bincount(label, minlength=3)
    exact = float(sum(Fraction(int(one) * (int(one) - 1), n * (n - 1)) for one in c))
    assert ugt.agreement.percent_agreement(labels).value == pytest.approx(exact, rel=1e-13)
    np.testing.assert_allclose(ugt.irn(labels).mean()[0], c / n, rtol=1e-14)
    post = ugt.dirichlet(labels)
    assert 1 / 3 <= ugt.annotation_certainty(post).value <= 1


@pytest.mark.parametrize("n", [1, 10**4])
def test_conformal_sets_of_extreme_probabilities(n):
    probs = np.tile([[1e-320, 1.0, 0.0], [0.0, 0.0, 1.0]], (n, 1))
    fitted = ugt.conformal.SplitConformal("aps", 0.1, randomized=False).fit(probs, np.tile([1, 0], n))
    p = fitted.p_values(probs)
    assert ((p > 0) & (p <= 1)).all()
    assert np.isfinite(p).all()
