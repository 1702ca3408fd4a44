"""How often the truth that leads an evaluation is one that held-out annotators do not refute; and misfits that are planted."""

import warnings

import numpy as np
import pytest
from simulations import sets

import ugt
from ugt.truth.by_name import Making
from ugt.truth.leading import REFUTED, leading


def assigned(rng, said, n_labels):
    """The labels of some annotators of each case, drawn at random."""
    kept = np.argsort(np.argsort(rng.random(said.shape), axis=1), axis=1) < n_labels
    case, annotator = np.nonzero(kept)
    return ugt.Labels.from_long(case, annotator, said[case, annotator])


def of_skills(rng, n, k, n_labels, n_annotators=8):
    """Annotators of unequal skill, 0.6 to 0.95, who err independently."""
    truth, skill = rng.integers(0, k, (n, 1)), rng.uniform(0.6, 0.95, n_annotators)
    right = rng.random((n, n_annotators)) < skill
    return assigned(rng, np.where(right, truth, (truth + rng.integers(1, k, right.shape)) % k), n_labels)


def of_laws(rng, n, k, n_labels, alpha):
    """Annotators who draw from the plausibilities of each case, as the Dirichlet model says."""
    law = rng.dirichlet([alpha] * k, n)
    said = (rng.random((n, 8, 1)) > law.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    return assigned(rng, said, n_labels)


def of_camps(rng, n, k, n_labels, n_annotators=10):
    """Two camps that see other classes in half of the cases."""
    one = rng.integers(0, k, (n, 1))
    other = np.where(rng.random((n, 1)) < 0.5, one, rng.integers(0, k, (n, 1)))
    seen = np.where(np.arange(n_annotators) < n_annotators // 2, one, other)
    return assigned(rng, np.where(rng.random((n, n_annotators)) < 0.9, seen, rng.integers(0, k, (n, n_annotators))), n_labels)


def led(labels, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return leading(labels, Making(seed=seed), None)


DESIGNS = [(k, n_labels) for k in (2, 3, 10) for n_labels in (3, 4, 6)]


@sets(18, 540)
def test_the_truth_that_leads_is_not_refuted_in_nine_of_ten_studies(n_sets):
    """Of 540 data sets, 60 of each design, 96.1% (Monte Carlo error 0.8 points) have one; 23% do not refute the default."""
    fits = default = 0
    for at in range(n_sets):
        rng = np.random.default_rng([7, at])
        found = led(of_skills(rng, 400, *DESIGNS[at % len(DESIGNS)]), at)
        fits += found.chosen != "none"
        default += found.chosen == "default"
    assert fits >= 0.9 * n_sets - 3 * np.sqrt(0.09 * n_sets)
    assert default < 0.5 * n_sets


@pytest.mark.parametrize("alpha", [0.1, 1 / 3])
@sets(20, 400)
def test_a_default_that_is_right_leads_and_another_prior_is_fitted(alpha, n_sets):
    """The default is kept where the law has its prior, and replaced by the fitted prior where the law has another one."""
    kept = fitted = 0
    for at in range(n_sets):
        found = led(of_laws(np.random.default_rng([8, at]), 400, 3, 4, alpha), at)
        kept += found.chosen == "default"
        fitted += found.chosen == "fits" and found.aggregation == "dirichlet"
    assert (kept if alpha == 0.1 else fitted) >= 0.75 * n_sets


@sets(6, 100)
def test_camps_of_annotators_are_seen(n_sets):
    """No truth model of the check describes two camps: with 3,000 cases of 8 labels most studies show it."""
    none = power = 0
    for at in range(n_sets):
        labels = of_camps(np.random.default_rng([9, at]), 3000, 3, 8)
        none += led(labels, at).chosen == "none"
        power += ugt.truth.split_panel_check(labels, prior="fit", per_annotator=False, seed=at).p_value < REFUTED
    assert power >= 0.8 * n_sets and none >= 0.5 * n_sets
