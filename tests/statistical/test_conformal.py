"""Coverage of prediction sets in simulation: repeated calibrations, each with one new case and one label drawn for it.

Hits of repetitions are independent, so that their number is binomial. Every check states the coverage that must hold and fails with a
probability of at most 1e-9 where it does (exact binomial tails). Planted faults show that the checks can fail.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.stats import binom

import ugt

ALARM = 1e-9
K = 4


def data(rng, n, sharpness=6.0):
    """Probabilities of a model that is off, and the plausibilities of the truth: ambiguous, of unequal classes."""
    truth = rng.dirichlet([0.9, 0.5, 0.3, 0.15], n) + 1e-12
    truth /= truth.sum(1, keepdims=True)
    model = rng.gamma(sharpness * truth + 0.05) + 1e-9
    return model / model.sum(1, keepdims=True), truth


def labels(rng, truth):
    return (truth.cumsum(1)[:, :-1] < rng.random((len(truth), 1))).sum(1)


def hits(make, n, repetitions, seed, fit_labels=False, grouped=False, given_alpha=None):
    """For every repetition: was the label in the set, which label it was, and the group of the case."""
    rng = np.random.default_rng(seed)
    found = np.zeros((repetitions, 3), np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for r in range(repetitions):
            p, truth = data(rng, n + 1)
            group = rng.integers(0, 2, n + 1)
            p[group == 1] = np.roll(p[group == 1], 1, axis=1) if grouped else p[group == 1]  # useless in one group
            label = labels(rng, truth)
            model = make(r)
            model.fit(p[:n], label[:n] if fit_labels else truth[:n], groups=group[:n] if grouped is True else None)
            sets = model.predict_sets(p[n:], groups=group[n:] if grouped is True else None, alpha=given_alpha)
            found[r] = label[n] in sets[0], label[n], group[n]
    return found


def at_least(hit, coverage):
    """Not significantly below."""
    return binom.cdf(hit.sum(), len(hit), coverage) > ALARM


def at_most(hit, coverage):
    return binom.sf(hit.sum() - 1, len(hit), coverage) > ALARM


@pytest.mark.parametrize("score", ["lac", "aps", "raps"])
def test_split_conformal_covers_exactly(score):
    """n + 1 = 20 and scores without ties: coverage is 1 - ⌊alpha 20⌋ / 20, to the number."""
    hit = hits(lambda r: ugt.SplitConformal(score, 0.2, seed=r), 19, 12_000, 1, fit_labels=True)[:, 0]
    assert at_least(hit, 0.8) and at_most(hit, 0.8)
    assert not at_least(hit, 0.83) and not at_most(hit, 0.77)


def test_monte_carlo_with_one_label_a_case():
    hit = hits(lambda r: ugt.MonteCarloConformal("aps", 0.2, m=1, seed=r), 19, 10_000, 2)[:, 0]
    assert at_least(hit, 0.8) and at_most(hit, 0.8)


def test_monte_carlo_with_the_ecdf_correction():
    """20 cases give p-values, 19 correct them: 1 - alpha is guaranteed; ties of p-values add a little."""
    hit = hits(lambda r: ugt.MonteCarloConformal("aps", 0.2, m=10, correction="ecdf", split=20 / 39, seed=r), 39, 10_000, 3)[:, 0]
    assert at_least(hit, 0.8) and at_most(hit, 0.82)
    assert not at_least(hit, 0.84)


def test_monte_carlo_without_the_correction():
    """1 - 2 alpha is guaranteed; the mean over many labels of p-values is nearer to 1 - alpha."""
    hit = hits(lambda r: ugt.MonteCarloConformal("aps", 0.2, m=10, seed=r), 19, 8000, 4)[:, 0]
    assert at_least(hit, 0.6)
    assert at_least(hit, 0.77)  # of this model, not in general
    assert not at_least(hit, 0.9)


def test_voted_labels_fall_short_of_ambiguous_truth():
    """Calibrated on the most plausible class, sets miss labels that are drawn from the plausibilities: what the method is for."""
    rng = np.random.default_rng(5)
    hit = []
    for r in range(1500):
        p, truth = data(rng, 61)
        model = ugt.SplitConformal("lac", 0.2, seed=r).fit(p[:60], truth[:60].argmax(1))
        hit.append(labels(rng, truth)[60] in model.predict_sets(p[60:])[0])
    assert not at_least(np.array(hit), 0.8)


def test_class_conditional_coverage():
    """Given each class, with a threshold for each; the common threshold falls short for the rare class."""
    found = hits(lambda r: ugt.SplitConformal("lac", 0.2, class_groups="each", seed=r), 80, 4000, 6, fit_labels=True)
    common = hits(lambda r: ugt.SplitConformal("lac", 0.2, seed=r), 80, 4000, 6, fit_labels=True)
    for k in range(K):
        assert at_least(found[found[:, 1] == k, 0], 0.8), k
    assert found[found[:, 1] == 0, 0].mean() < 0.85
    assert not at_least(common[common[:, 1] == K - 1, 0], 0.8)
    corrected = hits(lambda r: ugt.MonteCarloConformal("lac", 0.2, m=5, correction="ecdf", class_groups="each", seed=r), 150, 1200, 7)
    for k in range(K):
        assert at_least(corrected[corrected[:, 1] == k, 0], 0.8), k


def test_group_conditional_coverage():
    """Given the group of the case, with a threshold for each group; the common threshold falls short in the hard group."""
    found = hits(lambda r: ugt.MonteCarloConformal("lac", 0.2, m=5, correction="ecdf", seed=r), 80, 1500, 8, grouped=True)
    common = hits(lambda r: ugt.SplitConformal("lac", 0.2, seed=r), 80, 1500, 8, fit_labels=True, grouped="not told")
    for g in range(2):
        assert at_least(found[found[:, 2] == g, 0], 0.8), g
    assert not at_least(common[common[:, 2] == 1, 0], 0.8)


def test_broken_exchangeability_voids_the_guarantee():
    """New cases on which the model is worse: coverage falls far below; documented."""
    rng = np.random.default_rng(9)
    p, truth = data(rng, 4000)
    model = ugt.MonteCarloConformal("lac", 0.2, m=5, correction="ecdf").fit(p, truth)
    worse, there = data(rng, 2000, sharpness=0.5)
    assert model.predict_sets(worse).coverage(there).mass.value < 0.7
    same, there = data(rng, 2000)
    assert 0.77 < model.predict_sets(same).coverage(there).mass.value < 0.83


@pytest.mark.parametrize("certain", [True, False])
def test_plausibility_regions_cover(certain):
    """1 - alpha for certain plausibilities, to the number where (n + 1) alpha is whole; 1 - 2 alpha for sampled ones."""
    rng = np.random.default_rng(10)
    hit = []
    for r in range(2500):
        p, truth = data(rng, 20)
        if certain:
            known, new = truth[:19], truth[19:]
        else:  # the new case's plausibilities are one draw of a posterior like those of the calibration
            post = ugt.Dirichlet.from_array(5 * truth[:19])
            known, new = post, rng.dirichlet(5 * truth[19])[None]
        regions = ugt.PlausibilityRegions("lac", 0.2, m=6, seed=r).fit(p[:19], known)
        hit.append(bool(regions.contains(p[19:], new / new.sum())[0]))
    hit = np.array(hit)
    assert at_least(hit, 0.8 if certain else 0.6)
    assert at_most(hit, 0.8 if certain else 0.95)
    assert not at_least(hit, 0.9)
