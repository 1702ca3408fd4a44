"""The discrepancy ratio in simulations: those of its authors, coverage of its intervals, error rates of its tests.

Tolerances are 6.5 standard errors where a mean is compared with its expectation (false alarm 8e-11 each), and stated elsewhere.
"""

import numpy as np
import pytest
from simulations import covered, holds, sets

import ugt

N_CLASSES = 10
SIGMA = 6.5


def standard_error(found):
    return float(found.resamples(n_resamples=400).std_error[0])


# ---- the simulations of [C] sec. 4.1, without MNIST: only its ten classes count ----
def digits(rng, n_cases, accuracy, swap, n_annotators=9):
    """``(labels (N, A), model (N,), truth)``: annotators draw any class with probability swap; the model is wrong evenly."""
    truth = rng.integers(0, N_CLASSES, n_cases)
    drawn = rng.random((n_cases, n_annotators)) < (swap if np.ndim(swap) == 0 else swap[:, None])
    labels = np.where(drawn, rng.integers(0, N_CLASSES, (n_cases, n_annotators)), truth[:, None])
    wrong = rng.random(n_cases) >= accuracy
    return labels, np.where(wrong, (truth + rng.integers(1, N_CLASSES, n_cases)) % N_CLASSES, truth), truth


@pytest.mark.parametrize("accuracy", [0.9, 0.8])
def test_the_ratio_is_one_where_annotators_are_as_accurate_as_the_model(accuracy):
    """[C] Fig. 2a, b: at the swap probability 10/9 (1 - accuracy)."""
    rng = np.random.default_rng(1)
    for factor, side in ((1.0, 0), (0.7, 1), (1.4, -1)):
        labels, model, _ = digits(rng, 20_000, accuracy, factor * (1 - accuracy) * 10 / 9)
        found = ugt.discrepancy_ratio(labels, model, distance="zero-one")
        away = (found.value - 1) / standard_error(found)
        assert abs(away) < SIGMA if side == 0 else side * away > 8


def test_the_number_of_annotators_does_not_matter():
    """[C] Fig. 1c, 2c: swap probability 0.3, three annotators held out; relative F1 drifts with the size of the vote."""
    rng = np.random.default_rng(2)
    labels, model, _ = digits(rng, 40_000, 0.8, 0.3)
    found = [ugt.discrepancy_ratio(labels[:, :a], model, distance="zero-one") for a in (2, 3, 5, 9)]
    expected = (1 - 0.8 * 0.73 - 0.2 * 0.27 / 9) / (1 - 0.73**2 - 0.27**2 / 9)
    for one in found:
        assert abs(one.value - expected) < SIGMA * standard_error(one)
    f1 = []
    for vote in (1, 3, 6):
        names = [*range(vote), 6, 7, 8]
        some = ugt.Labels.from_wide(labels[:, names], classes=N_CLASSES)
        f1.append(ugt.papers.relative_f1(some, model, held_out=[vote, vote + 1, vote + 2]).value)
    # one F1 on 40,000 cases has a standard error of about 0.002: the drift is ten of them
    assert min(f1[1:]) - f1[0] > 0.008, f1


def test_a_strict_annotator_does_not_matter():
    """[C] Fig. 1d, 2d: cases of different swap probabilities, one annotator skips the harder half."""
    rng = np.random.default_rng(3)
    swap = rng.random(10_000) * 0.6
    labels, model, _ = digits(rng, 10_000, 0.8, swap, 4)
    labels = labels.astype(float)
    before = ugt.discrepancy_ratio(labels, model, distance="zero-one")
    primes = [ugt.papers.alternative_discrepancy_ratios(labels, model, distance="zero-one").prime]
    strict = labels.copy()
    strict[swap > 0.3, 0] = np.nan
    after = ugt.discrepancy_ratio(strict, model, distance="zero-one")
    assert abs(after.value - before.value) < SIGMA * standard_error(after) / 2
    primes.append(ugt.papers.alternative_discrepancy_ratios(strict, model, distance="zero-one").prime)
    assert primes[1] - primes[0] > 0.05, primes
    # relative F1: the strict annotator among the two that are held out
    f1 = [ugt.papers.relative_f1(one, model.astype(float), held_out=[0, 1]).value for one in (labels, strict)]
    assert f1[1] < f1[0] - 0.02, f1


def test_against_the_mean_the_number_of_annotators_matters():
    """[C] appendix C.2: the mean of many others is nearer to everybody; Δ is not changed by their number, Δ'' is."""
    rng = np.random.default_rng(4)
    truth = rng.normal(size=4000)
    ratings, model = truth[:, None] + rng.normal(size=(4000, 9)), truth + 0.5 * rng.normal(size=4000)
    found = [ugt.papers.alternative_discrepancy_ratios(ratings[:, :a], model) for a in (2, 9)]
    # of independent errors: (0.25 + 1) / 2, and (0.25 + 1/(A-1)) / (1 + 1/(A-1))
    assert [one.ratio for one in found] == pytest.approx([0.625, 0.625], abs=0.04)
    assert [one.double_prime for one in found] == pytest.approx([0.625, 1 / 3], abs=0.04)


# ---- intervals and tests ----
def normal_studies(seed, n_sets, n_cases, margin=0.0, n_annotators=5, size=1):
    """Ratings with independent errors of variance 1, and a model with errors of variance 1 + 2 margin: Δ = 1 + margin."""
    rng = np.random.default_rng(seed)
    for _ in range(n_sets):
        shared = np.repeat(rng.normal(size=(n_cases // size, 1)), size, axis=0)  # cancels out
        ratings = shared + rng.normal(size=(n_cases, n_annotators))
        yield ratings, shared[:, 0] + np.sqrt(1 + 2 * margin) * rng.normal(size=n_cases)


@sets(500, 5000)
def test_coverage_of_intervals(n_sets):
    """Measured with 20,000 data sets of 200 cases: percentile 94.3 %, BCa 94.4 %."""
    results = (ugt.discrepancy_ratio(*study) for study in normal_studies(11, n_sets, 200, 0.1))
    held = covered(results, 1.1, **{kind: {"kind": kind, "n_resamples": 400} for kind in ("percentile", "bca", "studentized")})
    for kind, n in held.items():
        assert holds(n, n_sets), held | {"kind": kind}


@sets(500, 5000)
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_non_inferiority_at_the_margin(margin, n_sets):
    """The model is exactly by the margin worse: it must pass in at most 5 % of the data sets, and the noise of so many of them."""
    passed = sum(
        ugt.discrepancy_ratio(ratings, model).non_inferiority(margin, n_resamples=400, random="cases").decision
        for ratings, model in normal_studies(12, n_sets, 150, margin)
    )
    assert holds(passed, n_sets, 0.05)
    # and it is a test: of 5,000 at least 3 %, 6.5 standard errors below 5 %; if the rate is 5 % more than 6.9 % pass with 1e-9
    assert n_sets < 5000 or 0.03 <= passed / n_sets <= 0.069


def hard_studies(seed, n_sets, n_clusters, n_cases=50):
    """As above, but errors differ in size from cluster to cluster, and half of their variance is shared within it: Δ = 1.1."""
    rng, cluster = np.random.default_rng(seed), np.repeat(np.arange(n_clusters), n_cases // n_clusters)
    for _ in range(n_sets):
        errors = (rng.normal(size=(n_cases, 5)) + rng.normal(size=(n_clusters, 5))[cluster]) / np.sqrt(2)
        errors *= np.sqrt(rng.gamma(2, 0.5, (n_clusters, 1)))[cluster]
        yield errors[:, 1:], np.sqrt(1.2) * errors[:, 0], cluster


@sets(300, 3000)
@pytest.mark.parametrize("n_clusters", [50, 25, 10])
def test_non_inferiority_in_hard_and_clustered_cases(n_clusters, n_sets):
    """Measured with 4,000 data sets: 6.2 % in 25 and 7.0 % in 10 clusters (Monte Carlo error 0.4 %)."""
    passed = sum(
        ugt.discrepancy_ratio(ratings, model).non_inferiority(0.1, clusters=cluster, n_resamples=300, random="cases").decision
        for ratings, model, cluster in hard_studies(16, n_sets, n_clusters)
    )
    assert holds(passed, n_sets, 0.03, 0.07)


def test_non_inferiority_has_power():
    """A model with half the variance of an annotator, Δ = 0.75: 150 cases are enough."""
    passed = [
        ugt.discrepancy_ratio(*one).non_inferiority(n_resamples=400, random="cases").decision for one in normal_studies(13, 100, 150, -0.25)
    ]
    assert np.mean(passed) > 0.9


def test_clusters_carry_the_dependence():
    """Five images a patient on which each annotator and the model make the same error: cases are not five times as many."""
    rng = np.random.default_rng(14)
    asked = {"kind": "studentized", "n_resamples": 400}
    studies = ((np.repeat(rng.normal(size=(60, *shape)), 5, axis=0) for shape in ((4,), ())) for _ in range(400))
    results = (ugt.discrepancy_ratio(*study) for study in studies)
    held = covered(results, 1, clusters={**asked, "clusters": np.repeat(np.arange(60), 5)}, cases=asked)
    # 95 % and about 60 %: at 80 % both are 13 standard errors off
    assert held["clusters"] > 0.85 * 400 > 0.75 * 400 > held["cases"]


def test_alternative_annotators_at_the_null():
    """A model that is one more annotator: ρ^f = ρ^h, and with ε = 0 one p-value in twenty is below 5 %."""
    rng = np.random.default_rng(15)
    p = []
    for _ in range(1500):
        ratings = rng.normal(size=(60, 5))
        p.append(ugt.humans.alternative_annotator_test(ratings[:, :4], ratings[:, 4], distance="squared", epsilon=0.0).p_value[0])
    assert abs(np.mean(p) - 0.5) < SIGMA * np.sqrt(1 / 12 / 1500)
    assert abs(np.mean(np.array(p) < 0.05) - 0.05) < SIGMA * np.sqrt(0.05 * 0.95 / 1500)
