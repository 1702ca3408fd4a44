"""The held-out check of Dawid–Skene counts the error of the estimated skills: simulated studies, their law, and a twin."""

import math
import statistics

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import chisquare, t

import ugt
from ugt._base.ragged import row_of
from ugt.truth import skill_check
from ugt.truth.panel_check import Halves

OPTIONS = {"seed": 0, "n_threads": 1}


def study(seed=0, n=120, k=6, annotators=6, each=3):
    """Annotators who are right in 0.6 to 0.95, three for each case: too few labels for six classes."""
    rng = np.random.default_rng(seed)
    true, skill = rng.integers(0, k, (n, 1)), rng.uniform(0.6, 0.95, annotators)
    said = np.where(rng.random((n, annotators)) < skill, true, (true + rng.integers(1, k, (n, annotators))) % k)
    case, who = np.nonzero(np.argsort(np.argsort(rng.random((n, annotators)), axis=1), axis=1) < each)
    return [f"c{i}" for i in case], [f"r{a}" for a in who], [f"k{c}" for c in said[case, who]]


def refuted():
    """A study in which the skills, if they are taken as known, refute the model."""
    for seed in range(50):
        rows = study(seed)
        halves = Halves.of(ugt.Labels.from_long(*rows), 1, None, 0)
        if plain(halves)[-1] < skill_check.REFUTED:
            return rows, halves
    raise AssertionError("no such study")


def plain(halves, rest=None, out=None, options=None):
    """``(observed, predicted, score, p-value)`` with skills taken as known: one held-out label after the other."""
    rest, out = halves.rest if rest is None else rest, halves.out if out is None else out
    fit = ugt.dawid_skene(rest, prior=(1.0, 0.1, 1.0), **(options or OPTIONS))
    truth, case = fit.plausibilities.mean(), row_of(rest.offsets)
    sums = [0.0, 0.0, 0.0]
    for i, a, label in zip(row_of(out.offsets), out.annotator, out.label):
        counts = np.bincount(rest.label[case == i], minlength=rest.n_classes)
        vote = [float(c == max(counts)) / sum(counts == max(counts)) for c in counts]
        confusion = fit.confusion(rest.annotators[a])
        law = [sum(truth[i, t] * confusion[t, c] for t in range(rest.n_classes)) for c in range(rest.n_classes)]
        mean = sum(v * p for v, p in zip(vote, law))
        parts = vote[label], mean, sum(v * v * p for v, p in zip(vote, law)) - mean**2
        sums = [one + part for one, part in zip(sums, parts)]
    p = math.erfc(abs(sums[0] - sums[1]) / math.sqrt(2 * sums[2]))
    return sums[0], sums[1], (sums[0] - sums[1]) / math.sqrt(sums[2]), p


def test_p_value_of_simulated_studies_against_a_twin():
    rows, halves = refuted()
    fit = skill_check.fitted(halves.rest, OPTIONS)
    confusion = np.stack([fit.confusion(a) for a in halves.rest.annotators])
    seeds = skill_check.mixed(skill_check.mixed(np.zeros(1, np.uint64)) + np.arange(skill_check.N_STUDIES, dtype=np.uint64))
    drawn = [skill_check.simulated(halves.rest, halves.out, fit.prevalence, confusion, seed) for seed in seeds]
    scores = [plain(halves, *one, {**OPTIONS, "n_restarts": 0})[2] for one in drawn]
    _, _, score, p = plain(halves)
    gap = abs(score - statistics.mean(scores)) / (statistics.stdev(scores) * math.sqrt(1 + 1 / len(scores)))
    found = ugt.truth.split_panel_check(ugt.Labels.from_long(*rows), model="dawid_skene", seed=0)
    assert found.p_value == pytest.approx(2 * t.sf(gap, len(scores) - 1), rel=1e-6)
    assert found.p_value > p


def test_a_fit_that_is_not_refuted_keeps_its_p_value_and_so_does_a_large_study(monkeypatch):
    rows = next(rows for rows in map(study, range(50)) if plain(Halves.of(ugt.Labels.from_long(*rows), 1, None, 0))[-1] > 0.1)
    halves = Halves.of(ugt.Labels.from_long(*rows), 1, None, 0)
    assert ugt.truth.split_panel_check(ugt.Labels.from_long(*rows), model="dawid_skene").p_value == pytest.approx(plain(halves)[-1])
    rows, halves = refuted()
    monkeypatch.setattr(skill_check, "MOST_CELLS", len(rows[0]))
    assert ugt.truth.split_panel_check(ugt.Labels.from_long(*rows), model="dawid_skene").p_value == pytest.approx(plain(halves)[-1])


def test_cases_annotators_and_classes_in_another_order_change_nothing():
    rows, _ = refuted()
    first = ugt.truth.split_panel_check(ugt.Labels.from_long(*rows), model="dawid_skene", seed=3)
    order = np.random.default_rng(1).permutation(len(rows[0]))
    turned = [[column[i] for i in order] for column in rows]
    classes = [f"k{c}" for c in (3, 0, 5, 1, 4, 2)]
    other = ugt.truth.split_panel_check(ugt.Labels.from_long(*turned, classes=classes), model="dawid_skene", seed=3)
    assert other.p_value == pytest.approx(first.p_value, rel=1e-3)  # fits stop within a tolerance


def test_labels_are_drawn_from_the_confusions():
    """10,000 cases of one true class: how often an annotator gives each class, and two annotators independently."""
    labels = ugt.Labels.from_wide(np.zeros((10_000, 2), int), classes=3, annotators=["ann", "bob"])
    confusion = np.array([[[0.7, 0.2, 0.1]] * 3, [[0.1, 0.6, 0.3]] * 3])
    drawn, _ = skill_check.simulated(labels, labels, np.array([1.0, 0.0, 0.0]), confusion, np.uint64(5))
    ann, bob = drawn.label[drawn.annotator == 0], drawn.label[drawn.annotator == 1]
    table = np.zeros((3, 3))
    np.add.at(table, (ann, bob), 1)
    expected = 10_000 * np.outer(confusion[0, 0], confusion[1, 0])
    assert chisquare(table.ravel(), expected.ravel()).pvalue > 1e-4
    again, _ = skill_check.simulated(labels, labels, np.array([0.0, 0.3, 0.7]), np.tile(np.eye(3), (2, 1, 1)), np.uint64(6))
    ann, bob = again.label[again.annotator == 0], again.label[again.annotator == 1]
    assert (ann == bob).all() and abs(np.mean(ann == 2) - 0.7) < 4 * np.sqrt(0.21 / 10_000)  # one true class for both


def test_scores_are_those_of_the_normal_law():
    assert skill_check._score((9, 0.5, 0.4, 0.05, 9.0)) == pytest.approx(-ndtri(0.025))
    assert skill_check._score((9, 0.3, 0.4, 0.0, 9.0)) < -30  # a p-value that underflows
