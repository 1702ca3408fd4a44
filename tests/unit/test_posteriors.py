"""Dirichlet-multinomial likelihoods against sums over labels and many digits; posteriors after labels; bindings; bad input."""

import copy
import math
import pickle

import numpy as np
import pytest
from refusals import refused
from twins import calibrators as twin

import ugt
from ugt._core import _dirmult
from ugt.calibration.many_labels import log_probability

NAN, INF = float("nan"), float("inf")
TOTALS = [1e-12, 1e-6, 1e-3, 0.5, 1.0, 7.0, 63.0, 64.0, 65.0, 1e3, 1e6, 1e9, 1e12]
ROWS = [[1, 0, 0], [1, 1, 0], [2, 0, 0], [3, 2, 1], [63, 1, 0], [64, 0, 64], [65, 64, 66], [100, 0, 5], [1000, 3000, 7], [9000, 900, 100]]
MEANS = [[0.2, 0.3, 0.5], [1 - 1e-6 - 1e-9, 1e-6, 1e-9]]


def likelihood(counts, alpha, **options):
    return ugt.calibration.dirichlet_multinomial_log_likelihood(counts, alpha, **options)


# ---- likelihoods
@pytest.mark.parametrize("total", TOTALS)
def test_likelihood_is_a_sum_over_labels(total):
    for mean in MEANS:
        alpha = total * np.array(mean)
        found = likelihood(ROWS, np.tile(alpha, (len(ROWS), 1)), coefficient=False)
        full = likelihood(ROWS, np.tile(alpha, (len(ROWS), 1)))
        for i, row in enumerate(ROWS):
            expected = twin.log_dirichlet_multinomial(row, alpha.tolist())
            # the terms that are added are up to log(1e12) = 28 each
            assert found[i] == pytest.approx(expected, rel=1e-13, abs=1e-14 * sum(row) + 1e-14)
            assert full[i] == pytest.approx(expected + twin.log_coefficient(row), rel=1e-11, abs=2e-14 * sum(row) + 1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("total", TOTALS)
def test_likelihood_and_derivatives_to_many_digits(total):
    mp = pytest.importorskip("mpmath")
    with mp.workdps(60):
        for mean in MEANS:
            for row in ROWS:
                seen = [k for k, y in enumerate(row) if y]
                log_share, out = np.log([mean[k] for k in seen]), np.empty((3, 1))
                count, log_total = np.array([row[k] for k in seen], float), np.array([math.log(total)])
                _dirmult.log_likelihood(np.array([0, len(seen)]), log_share, count, log_total, out)
                shares = [mp.exp(mp.mpf(s)) for s in log_share.tolist()]
                expected = [float(x) for x in twin.mp_kernel(mp, [row[k] for k in seen], shares, mp.mpf(log_total[0]))]
                n = sum(row)
                assert out[0, 0] == pytest.approx(expected[0], rel=1e-13, abs=1e-14 * n)
                # as good for concentrations far above the number of labels, where derivatives vanish
                small = min(1.0, n / total * 1e3) * 1e-15 * n
                assert out[1, 0] == pytest.approx(expected[1], rel=1e-9, abs=small)
                assert out[2, 0] == pytest.approx(expected[2], rel=1e-9, abs=small)


def test_likelihoods_add_up_to_one():
    for alpha in ([0.3, 1.0, 2.5], [1e-8, 1e-8, 1.0], [1e9, 2e9, 3e9]):
        rows = [[a, b, 6 - a - b] for a in range(7) for b in range(7 - a)]
        assert np.exp(likelihood(rows, [alpha] * len(rows))).sum() == pytest.approx(1, rel=1e-13)


def test_limits_of_the_likelihood():
    assert likelihood([[0, 0], [3, 0], [0, 2]], [[1.0, 2.0], [0.0, 2.0], [0.0, 2.0]]).tolist() == [0.0, -INF, 0.0]
    multinomial = 3 * math.log(0.25) + math.log(0.75) + math.log(4)
    assert likelihood([[3, 1]], [[0.25e90, 0.75e90]])[0] == pytest.approx(multinomial, rel=1e-14)
    # shares below the smallest number: log(1e-200 / 1e90) = -290 log 10
    assert likelihood([[1, 0]], [[1e-250, 1e90]])[0] == pytest.approx(-340 * math.log(10), rel=1e-14)
    assert likelihood([[2**52, 2**52]], [[1.0, 1.0]])[0] == pytest.approx(-math.log(2**53 + 1), abs=100)


def test_kinds_of_counts():
    counts, alpha = np.array([[3, 1], [0, 2]]), np.array([[0.5, 1.5], [2.0, 0.1]])
    expected = likelihood(counts, alpha)
    for form in (counts.tolist(), counts.astype(">i4"), np.asfortranarray(counts), counts.astype("f4"), ugt.Labels.from_counts(counts)):
        np.testing.assert_array_equal(likelihood(form, alpha), expected)
    for form in (alpha.tolist(), np.asfortranarray(alpha), alpha.astype(">f8"), np.repeat(alpha, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(likelihood(counts, form), expected)
    assert likelihood([[True, False]], [[1, 3]])[0] == pytest.approx(math.log(1 / 4))


# ---- posteriors
def test_posterior_of_one_law():
    alpha, counts = np.array([[0.5, 1.5, 2.0], [3.0, 0.0, 1.0]]), np.array([[3, 1, 0], [0, 0, 0]])
    found = ugt.calibration.label_posterior(alpha, counts)
    np.testing.assert_array_equal(found.members, (alpha + counts)[None])
    np.testing.assert_allclose(found.mean, (alpha + counts) / (alpha + counts).sum(axis=1, keepdims=True), rtol=1e-15)
    assert found.weights.tolist() == [[1.0, 1.0]]
    np.testing.assert_array_equal(found.log_evidence, likelihood(counts, alpha, coefficient=False))


@pytest.mark.parametrize("kind", ["dirichlet", "probability"])
def test_posterior_of_an_ensemble(kind):
    rng = np.random.default_rng(0)
    members = rng.gamma(1.0, size=(4, 6, 3)) if kind == "dirichlet" else rng.dirichlet(np.ones(3), (4, 6))
    counts, prior = rng.integers(0, 5, (6, 3)), np.array([1.0, 0.0, 2.0, 5.0])
    for weights in (None, prior, 3e307 * prior):
        share = np.full(4, 0.25) if weights is None else prior / 8
        found = ugt.calibration.label_posterior(members, counts, kind=kind, weights=weights)
        for i, row in enumerate(counts.tolist()):
            if kind == "dirichlet":
                each = [math.exp(twin.log_dirichlet_multinomial(row, members[s, i].tolist())) for s in range(4)]
                means = (members[:, i] + row) / (members[:, i] + row).sum(axis=1, keepdims=True)
            else:
                each = [math.prod(members[s, i, k] for k in twin.labels_of(row)) for s in range(4)]
                means = members[:, i]
            joint = share * each
            np.testing.assert_allclose(found.weights[:, i], joint / joint.sum(), rtol=1e-10)
            np.testing.assert_allclose(found.mean[i], joint @ means / joint.sum(), rtol=1e-10)
            assert found.log_evidence[i] == pytest.approx(math.log(joint.sum()), rel=1e-11)
    np.testing.assert_allclose(found.weights.sum(axis=0), 1, atol=1e-15)
    for other in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        np.testing.assert_array_equal(other.mean, found.mean)
    assert not found.mean.flags.writeable


def test_posterior_in_logarithms():
    """Likelihoods of e^-70,000 and less."""
    found = ugt.calibration.label_posterior([[[0.5, 0.5]], [[0.4999, 0.5001]]], [[50_000, 50_000]], kind="probability")
    ratio = 50_000 * (math.log(0.4999 * 0.5001) - math.log(0.25))
    assert found.weights[:, 0] == pytest.approx([1 / (1 + math.exp(ratio)), math.exp(ratio) / (1 + math.exp(ratio))], rel=1e-9)
    assert found.log_evidence[0] < -69_000
    step = ugt.calibration.label_posterior([[[1.0, 2.0]], [[5.0, 1.0]]], [[2, 1]])
    again = ugt.calibration.label_posterior(step.members, [[0, 3]], weights=step.weights[:, 0])
    once = ugt.calibration.label_posterior([[[1.0, 2.0]], [[5.0, 1.0]]], [[2, 4]])
    np.testing.assert_allclose(again.mean, once.mean, rtol=1e-13)  # label after label or all at once
    assert step.log_evidence[0] + again.log_evidence[0] == pytest.approx(once.log_evidence[0], rel=1e-13)


def test_labels_that_no_member_allows():
    found = ugt.calibration.label_posterior([[[1.0, 0.0]], [[0.3, 0.7]]], [[1, 1]], kind="probability")
    assert found.weights.ravel().tolist() == [0.0, 1.0]
    for kind in ("probability", "dirichlet"):
        none = ugt.calibration.label_posterior([[[1.0, 0.0], [1.0, 0.0]]] * 2, [[1, 1], [2, 0]], kind=kind)
        assert np.isnan(none.weights[:, 0]).all()
        assert np.isnan(none.mean[0]).all()
        assert none.log_evidence.tolist() == [-INF, 0.0]
        assert none.mean[1].tolist() == [1.0, 0.0]


def test_probabilities_may_leave_their_range_by_rounding():
    found = ugt.calibration.label_posterior([[1.0 + 5e-7, -5e-7]], [[1, 0]], kind="probability")
    assert found.mean.tolist() == [[1.0, 0.0]]


# ---- bad input
def test_bad_input():
    counts = [[1, 1], [2, 0]]
    fine = [[1.0, 1.0], [0.5, 0.5]]
    alpha = r"alpha must be concentrations, at least 0 and not all 0, with a sum of at most 1e\+100\. Got "
    for bad, message in (
        ([[1.0, 1.0], [1.0, -1.0]], alpha + r"\[1\.0, -1\.0\], first at case 1\."),
        ([[1.0, 1.0], [0.0, 0.0]], alpha + r"\[0\.0, 0\.0\], first at case 1\."),
        ([[1.0, 1.0], [NAN, 1.0]], alpha + r"\[nan, 1\.0\], first at case 1\."),
        ([[INF, 1.0], [1.0, 1.0]], alpha + r"\[inf, 1\.0\], first at case 0\."),
        ([[1e308, 1e308], [1.0, 1.0]], alpha + r"\[1e\+308, 1e\+308\], first at case 0\."),
        ([[1.0, 1.0]], r"alpha must be numbers of shape \(2, 2\), as the counts\. Got float64 of shape \(1, 2\)\."),
        ([fine, fine], r"alpha must be numbers of shape \(2, 2\), as the counts\. Got float64 of shape \(2, 2, 2\)\."),
        (np.ma.masked_equal(fine, 0.5), r"alpha must be numbers of shape \(2, 2\), as the counts\. Got object"),
    ):
        refused(message, likelihood, counts, bad)
    whole = r"counts must be whole numbers\. Got 0\.5, first at case 1, class 0\."
    for bad, message in (
        ([[1, 1], [0.5, 0]], whole),
        ([[1, 1], [-1, 0]], r"counts must not be negative\. Got -1, first at case 1, class 0\."),
        ([[1, 1], [NAN, 0]], r"counts must be finite numbers of at most 2\*\*53\. Got nan, first at case 1, class 0\."),
        ([[1], [2]], r"counts must have at least 2 classes\. Got 1\."),
        ([1, 2], r"counts must be numbers of shape \(N, K\)\."),
    ):
        for function in (likelihood, ugt.calibration.label_posterior):
            with pytest.raises(ValueError, match=message):
                function(bad, fine) if function is likelihood else function(fine, bad)
    for options, message in (
        ({"kind": "probs"}, r"kind must be one of 'dirichlet', 'probability'\. Got 'probs'\."),
        ({"weights": [1, 2]}, r"weights must be 1 finite numbers of at least 0, not all 0, one per member\."),
        ({"weights": [-1]}, r"weights must be 1 finite"),
        ({"weights": [NAN]}, r"weights must be 1 finite"),
        ({"weights": [0]}, r"weights must be 1 finite"),
        ({"weights": np.ma.masked_equal([1], 1)}, r"weights must be 1 finite"),
    ):
        refused(message, ugt.calibration.label_posterior, fine, counts, **options)
    shares = r"predictions must be probabilities that add up to 1 for every case\. Got "
    for bad, message in (
        ([fine, [[0.5, 0.5], [0.5, 0.6]]], shares + r"\[1\.0, 1\.0\], first at case 0 of member 0\."),
        ([[[0.5, 0.5]] * 2, [[0.5, 0.5], [0.5, 0.6]]], shares + r"\[0\.5, 0\.6\], first at case 1 of member 1\."),
        ([[0.5, 0.5], [1.5, -0.5]], shares + r"\[1\.5, -0\.5\], first at case 1\."),
        ([[0.5, 0.5], [NAN, 0.5]], shares + r"\[nan, 0\.5\], first at case 1\."),
        (fine[0], r"predictions must be numbers of shape \(2, 2\) or \(S, 2, 2\), as the counts\."),
        (np.empty((0, 2, 2)), r"predictions must be numbers of shape"),
    ):
        refused(message, ugt.calibration.label_posterior, bad, counts, kind="probability")


# ---- the binding
OFFSETS, SHARE, COUNT, TOTAL = np.array([0, 2, 3]), np.log([0.5, 0.5, 0.2]), np.array([2.0, 1.0, 3.0]), np.zeros(2)


def kernel(offsets=OFFSETS, share=SHARE, count=COUNT, total=TOTAL, shape=(3, 2)):
    out = np.full(shape, NAN)
    _dirmult.log_likelihood(offsets, share, count, total, out)
    return out


def test_rows_that_do_not_fit_never_reach_the_core():
    assert np.isfinite(kernel()).all()
    for offsets in ([0, 5, 3], [0, -2, 3], [-3, 0, 3], [0, 2**40, 3], [0, 2, 4]):
        refused(r"UGT_ERR_RANGE", kernel, offsets=np.array(offsets))
    for offsets in ([0, 3], [0, 1, 2, 3]):
        refused(r"do not fit together", kernel, offsets=np.array(offsets))
    for options in ({"share": SHARE[:2]}, {"count": COUNT[:2]}, {"total": np.zeros(3)}, {"shape": (2, 2)}, {"shape": (3, 3)}):
        refused(r"do not fit together", kernel, **options)
    refused(r"Buffer dtype mismatch", kernel, offsets=OFFSETS.astype(np.int32))
    refused(r"not C-contiguous", kernel, total=np.zeros(4)[::2])


def test_rows_without_entries():
    none = np.empty(0)
    assert kernel(offsets=np.zeros(1, np.int64), share=none, count=none, total=none, shape=(3, 0)).shape == (3, 0)
    assert kernel(offsets=np.zeros(3, np.int64), share=none, count=none).tolist() == [[0, 0]] * 3
    assert kernel(offsets=np.array([0, 0, 3]))[:, 0].tolist() == [0, 0, 0]
    frozen = [np.array(x) for x in (OFFSETS, SHARE, COUNT, TOTAL)]
    for array in frozen:
        array.flags.writeable = False
    np.testing.assert_array_equal(kernel(*frozen), kernel())


def test_probabilities_of_many_labels_do_not_cancel():
    for n in (10, 1000, 10**6, 10**12, 10**15, 2**52):
        found = ugt.calibration.dirichlet_multinomial_log_likelihood([[n, n]], [[1.0, 1.0]])  # all 2n + 1 histograms are equally likely
        np.testing.assert_allclose(found, -math.log(2 * n + 1), rtol=1e-14)
        found = ugt.calibration.dirichlet_multinomial_log_likelihood([[n, 2 * n, 0]], [[1.0, 1.0, 1.0]])
        np.testing.assert_allclose(found, math.log(2) - math.log(3 * n + 1) - math.log(3 * n + 2), rtol=1e-13)
    whole = [([1000, 2000], [500, 900]), ([100_000, 3], [20, 7]), ([2000, 2000, 0], [3000, 3001, 5]), ([40, 500], [1, 9])]
    for y, alpha in whole:  # a quotient of binomial coefficients
        above = math.prod(math.comb(c + a - 1, c) for c, a in zip(y, alpha))
        exact = math.log(above) - math.log(math.comb(sum(y) + sum(alpha) - 1, sum(y)))
        found = ugt.calibration.dirichlet_multinomial_log_likelihood([y], [alpha])
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-15 * math.log(above))
    rng = np.random.default_rng(0)
    for _ in range(100):
        y, alpha = rng.integers(0, 90, (1, 4)), np.exp(rng.uniform(-20, 20, (1, 4)))
        expected = twin.log_dirichlet_multinomial(y[0].tolist(), alpha[0].tolist())
        expected += twin.log_coefficient(y[0].tolist())
        np.testing.assert_allclose(log_probability(y.astype(float), alpha), expected, rtol=1e-11, atol=1e-11)
    extreme = ugt.calibration.dirichlet_multinomial_log_likelihood([[10**12, 1], [10**9, 10**9]], [[1e-300, 1e100], [0.0, 1.0]])
    assert np.isfinite(extreme[0]) and extreme[1] == -np.inf
