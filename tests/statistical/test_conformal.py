"""Coverage of prediction sets in simulation: repeated calibrations, each with many new cases and one label drawn for each.

Calibrations are independent, so that the mean of their shares of hits is normal about the coverage. Every check states the coverage that
must hold and fails with a probability of 8e-11 where it does (6.5 standard errors). With 50 new cases, 800 calibrations tell as much
as 12,000 with one new case: for n = 19 and 80 % the share of a calibration has the variance 0.8 · 0.2 / 21 + 0.8 · 0.2 · (20 / 21) / 50.
Planted faults show that the checks can fail.
"""

import numpy as np
import pytest

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")

SIGMAS = 6.5
N_NEW, K = 50, 4


def data(rng, n, sharpness=6.0):
    """Probabilities of a model that is off, and the plausibilities of the truth: ambiguous, of unequal classes."""
    truth = rng.dirichlet([0.9, 0.5, 0.3, 0.15], n) + 1e-12
    truth /= truth.sum(1, keepdims=True)
    model = rng.gamma(sharpness * truth + 0.05) + 1e-9
    return model / model.sum(1, keepdims=True), truth


def labels(rng, truth):
    return (truth.cumsum(1)[:, :-1] < rng.random((len(truth), 1))).sum(1)


def hits(make, n, repetitions, seed, fit_labels=False, grouped=False):
    """(repetitions, N_NEW, 3): was the label of a new case in its set, which label it was, and the group of the case."""
    rng = np.random.default_rng(seed)
    found = np.zeros((repetitions, N_NEW, 3), np.int64)
    for r in range(repetitions):
        p, truth = data(rng, n + N_NEW)
        group = rng.integers(0, 2, n + N_NEW)
        p[group == 1] = np.roll(p[group == 1], 1, axis=1) if grouped else p[group == 1]  # useless in one group
        label = labels(rng, truth)
        model = make(r)
        model.fit(p[:n], label[:n] if fit_labels else truth[:n], groups=group[:n] if grouped is True else None)
        sets = model.predict_sets(p[n:], groups=group[n:] if grouped is True else None).mask()
        found[r] = np.stack([sets[range(N_NEW), label[n:]], label[n:], group[n:]], axis=1)
    return found


def shares(found, column=None, value=None):
    """Of every calibration that has some, the share of hits among its new cases; among those with this label, or of this group."""
    chosen = np.ones(found.shape[:2], bool) if column is None else found[:, :, column] == value
    some = chosen.any(axis=1)
    return (found[:, :, 0] * chosen)[some].sum(axis=1) / chosen[some].sum(axis=1)


def away(share, coverage):
    """From the coverage, in standard errors."""
    return (share.mean() - coverage) / (share.std() / np.sqrt(len(share)))


def at_least(share, coverage):
    """Not significantly below."""
    return away(share, coverage) > -SIGMAS


def at_most(share, coverage):
    return away(share, coverage) < SIGMAS


@pytest.mark.parametrize("score", ["lac", "aps", "raps"])
def test_split_conformal_covers_exactly(score):
    """n + 1 = 20 and scores without ties: coverage is 1 - ⌊alpha 20⌋ / 20, to the number."""
    hit = shares(hits(lambda r: ugt.conformal.SplitConformal(score, 0.2, seed=r), 19, 1200, 1, fit_labels=True))
    assert at_least(hit, 0.8) and at_most(hit, 0.8)
    assert not at_least(hit, 0.83) and not at_most(hit, 0.77)


def test_monte_carlo_with_one_label_a_case():
    hit = shares(hits(lambda r: ugt.conformal.MonteCarloConformal("aps", 0.2, m=1, seed=r), 19, 800, 2))
    assert at_least(hit, 0.8) and at_most(hit, 0.8)


def test_monte_carlo_with_the_ecdf_correction():
    """20 cases give p-values, 19 correct them: 1 - alpha is guaranteed; ties of p-values add a little."""
    hit = shares(hits(lambda r: ugt.conformal.MonteCarloConformal("aps", 0.2, m=10, correction="ecdf", split=20 / 39, seed=r), 39, 800, 3))
    assert at_least(hit, 0.8) and at_most(hit, 0.82)
    assert not at_least(hit, 0.84)


def test_monte_carlo_without_the_correction():
    """1 - 2 alpha is guaranteed; the mean over many labels of p-values is nearer to 1 - alpha."""
    hit = shares(hits(lambda r: ugt.conformal.MonteCarloConformal("aps", 0.2, m=10, seed=r), 19, 600, 4))
    assert at_least(hit, 0.6)
    assert at_least(hit, 0.77)  # of this model, not in general
    assert not at_least(hit, 0.9)


def test_voted_labels_fall_short_of_ambiguous_truth():
    """Calibrated on the most plausible class, sets miss labels that are drawn from the plausibilities: what the method is for."""
    rng = np.random.default_rng(5)
    hit = []
    for r in range(200):
        p, truth = data(rng, 60 + N_NEW)
        model = ugt.conformal.SplitConformal("lac", 0.2, seed=r).fit(p[:60], truth[:60].argmax(1))
        hit.append(model.predict_sets(p[60:]).mask()[range(N_NEW), labels(rng, truth)[60:]].mean())
    assert not at_least(np.array(hit), 0.8)


def test_class_conditional_coverage():
    """Given each class, with a threshold for each; the common threshold falls short for the rare class."""
    found = hits(lambda r: ugt.conformal.SplitConformal("lac", 0.2, class_groups="each", seed=r), 80, 400, 6, fit_labels=True)
    common = hits(lambda r: ugt.conformal.SplitConformal("lac", 0.2, seed=r), 80, 400, 6, fit_labels=True)
    for k in range(K):
        assert at_least(shares(found, 1, k), 0.8), k
    assert shares(found, 1, 0).mean() < 0.85
    assert not at_least(shares(common, 1, K - 1), 0.8)
    corrected = hits(
        lambda r: ugt.conformal.MonteCarloConformal("lac", 0.2, m=5, correction="ecdf", class_groups="each", seed=r), 150, 200, 7
    )
    for k in range(K):
        assert at_least(shares(corrected, 1, k), 0.8), k


def test_group_conditional_coverage():
    """Given the group of the case, with a threshold for each group; the common threshold falls short in the hard group."""
    found = hits(lambda r: ugt.conformal.MonteCarloConformal("lac", 0.2, m=5, correction="ecdf", seed=r), 80, 200, 8, grouped=True)
    common = hits(lambda r: ugt.conformal.SplitConformal("lac", 0.2, seed=r), 80, 200, 8, fit_labels=True, grouped="not told")
    for g in range(2):
        assert at_least(shares(found, 2, g), 0.8), g
    assert not at_least(shares(common, 2, 1), 0.8)


def test_broken_exchangeability_voids_the_guarantee():
    """New cases on which the model is worse: coverage falls far below; documented."""
    rng = np.random.default_rng(9)
    p, truth = data(rng, 4000)
    model = ugt.conformal.MonteCarloConformal("lac", 0.2, m=5, correction="ecdf").fit(p, truth)
    worse, there = data(rng, 2000, sharpness=0.5)
    assert model.predict_sets(worse).coverage(there).mass.value < 0.7
    same, there = data(rng, 2000)
    assert 0.77 < model.predict_sets(same).coverage(there).mass.value < 0.83


@pytest.mark.parametrize("certain", [True, False])
def test_plausibility_regions_cover(certain):
    """1 - alpha for certain plausibilities, to the number where (n + 1) alpha is whole; 1 - 2 alpha for sampled ones."""
    rng = np.random.default_rng(10)
    hit = []
    for r in range(300):
        p, truth = data(rng, 19 + N_NEW)
        known, new = truth[:19], truth[19:]
        if not certain:  # the new cases' plausibilities are draws of a posterior like those of the calibration
            known, new = ugt.Dirichlet.from_array(5 * known), np.array([rng.dirichlet(5 * one) for one in new])
        regions = ugt.conformal.PlausibilityRegions("lac", 0.2, m=6, seed=r).fit(p[:19], known)
        hit.append(regions.contains(p[19:], new / new.sum(axis=1, keepdims=True)).mean())
    hit = np.array(hit)
    assert at_least(hit, 0.8 if certain else 0.6)
    assert at_most(hit, 0.8 if certain else 0.95)
    assert not at_least(hit, 0.9)
