"""How often the truth that leads an evaluation is one that held-out annotators do not refute; and misfits that are planted.

``PYTHONPATH=tests python tests/statistical/test_leading_truth.py 60`` makes the tables of docs/intervals-checked.md.
"""

import sys
import warnings

import numpy as np
import pytest
from scipy.stats import binom
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


def of_laws_of_a_third(rng, n, k, n_labels):
    return of_laws(rng, n, k, n_labels, 1 / 3)


def of_camps(rng, n, k, n_labels, n_annotators=10):
    """Two camps that see other classes in half of the cases."""
    one = rng.integers(0, k, (n, 1))
    other = np.where(rng.random((n, 1)) < 0.5, one, rng.integers(0, k, (n, 1)))
    seen = np.where(np.arange(n_annotators) < n_annotators // 2, one, other)
    return assigned(rng, np.where(rng.random((n, n_annotators)) < 0.9, seen, rng.integers(0, k, (n, n_annotators))), n_labels)


def of_hard_cases(rng, n, k, n_labels, n_annotators=8):
    """Annotators who are right in 0.55 of 30% of the cases, and in 0.97 of the others."""
    truth, hard = rng.integers(0, k, (n, 1)), rng.random((n, 1)) < 0.3
    right = rng.random((n, n_annotators)) < np.where(hard, 0.55, 0.97)
    return assigned(rng, np.where(right, truth, (truth + rng.integers(1, k, right.shape)) % k), n_labels)


def of_confusions(rng, n, k, n_labels, n_annotators=8):
    """Annotators whose errors depend on the class."""
    truth = rng.integers(0, k, (n, 1))
    concentration = [12 * rng.uniform(0.6, 0.95) * np.eye(k) + 1 - np.eye(k) for _ in range(n_annotators)]
    law = np.array([[rng.dirichlet(row) for row in one] for one in concentration])[np.arange(n_annotators), truth]
    return assigned(rng, (rng.random((n, n_annotators, 1)) > law.cumsum(axis=2)[..., :-1]).sum(axis=2), n_labels)


def led(labels, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return leading(labels, Making(seed=seed), None)


def rejected(make, n, k, n_labels, n_sets):
    """In how many data sets the check rejects Dawid–Skene, with the options of an evaluation."""
    found = 0
    for at in range(n_sets):
        labels = make(np.random.default_rng([11, at, k, n_labels]), n, k, n_labels)
        check = ugt.truth.split_panel_check(labels, model="dawid_skene", seed=at)
        found += check.p_value < REFUTED
    return found


DESIGNS = [(k, n_labels) for k in (2, 3, 10) for n_labels in (3, 4, 6)]


@sets(18, 540)
def test_the_truth_that_leads_is_not_refuted_in_nine_of_ten_studies(n_sets):
    """Of 540 data sets, 60 of each design, 98.5% (Monte Carlo error 0.5 points) have one; 23% do not refute the default."""
    fits = default = 0
    for at in range(n_sets):
        rng = np.random.default_rng([7, at])
        found = led(of_skills(rng, 400, *DESIGNS[at % len(DESIGNS)]), at)
        fits += found.chosen != "none"
        default += found.chosen == "default"
    assert fits >= 0.9 * n_sets - 3 * np.sqrt(0.09 * n_sets)
    assert default < 0.5 * n_sets


RIGHT = [(of_skills, 400, k, n_labels) for k, n_labels in DESIGNS] + [(of_confusions, 400, 3, 4), (of_confusions, 600, 5, 5)]
WRONG = [(of_hard_cases, 1000, 2, 6), (of_hard_cases, 400, 3, 6), (of_laws_of_a_third, 1500, 3, 6), (of_laws_of_a_third, 400, 3, 6),
    (of_camps, 1000, 3, 6)]  # fmt: skip


@pytest.mark.parametrize("design", [RIGHT[3], RIGHT[6], RIGHT[8]])
@sets(30, 200)
def test_the_check_counts_the_error_of_estimated_skills(design, n_sets):
    """With skills taken as known it rejected the right model in 60% of the second design."""
    assert rejected(*design, n_sets) <= binom.isf(1e-6, n_sets, 0.12)


@pytest.mark.parametrize("design", [WRONG[0], WRONG[-1]])
@sets(20, 100)
def test_the_check_still_sees_what_dawid_and_skene_leave_out(design, n_sets):
    assert rejected(*design, n_sets) >= binom.ppf(1e-6, n_sets, 0.7)


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


def share(hits, n_sets):
    return f"{hits / n_sets:.3f} ({max(np.sqrt(hits / n_sets * (1 - hits / n_sets) / n_sets), 0.5 / n_sets):.3f})"


def main(n_sets):
    for k, n_labels in DESIGNS:
        found = [led(of_skills(np.random.default_rng([7, k, n_labels, at]), 400, k, n_labels), at).chosen for at in range(n_sets)]
        print(
            f"| {k} classes, {n_labels} labels | {share(n_sets - found.count('none'), n_sets)} | {share(found.count('default'), n_sets)} |"
        )
    for make, n, k, n_labels in RIGHT + WRONG:
        print(f"| {make.__name__}, {n:,} cases, {k} classes, {n_labels} labels | {share(rejected(make, n, k, n_labels, n_sets), n_sets)} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]))
