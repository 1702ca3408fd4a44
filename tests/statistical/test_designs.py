"""Designs that would give wrong numbers without a word: how often they are noticed, how often sound ones are noted, what numbers remain."""

import warnings

import numpy as np
import pytest
from scipy.stats import binom
from simulations import ALARM, sets

import ugt
from ugt.annotations.adjudication import adjudicated

N, K = 2000, 3


def plausible(rng, n=N):
    return rng.dirichlet([0.3] * K, n)


def readings(rng, p, m=3):
    """(n, m) labels of each case, drawn alike."""
    return (rng.random((len(p), m, 1)) > p.cumsum(axis=1)[:, None]).sum(axis=2)


def third_where_two_differ(table):
    asked = table.astype(object)
    asked[table[:, 0] == table[:, 1], 2] = None
    return asked


NUMBERS = {
    "epistemic loss": lambda labels, p: ugt.histogram_losses(labels, p).el.debiased,
    "Fleiss": lambda labels, p: ugt.fleiss_kappa(labels).value,
    "AC1": lambda labels, p: ugt.agreement.gwet_ac1(labels).value,
    "alpha": lambda labels, p: ugt.krippendorff_alpha(labels).value,
    "agreement": lambda labels, p: ugt.agreement.percent_agreement(labels).value,
    "next annotator": lambda labels, p: ugt.metrics.next_annotator_agreement(labels, p).value,
    "discrepancy ratio": lambda labels, p: ugt.discrepancy_ratio(labels, p.argmax(axis=1)).value,
}


@sets(20, 200)
def test_a_third_reader_where_two_differ(n_sets):
    """A model that knows the plausibilities. From the first readings every number is what it is for two readers of all cases, to the last
    bit; of all labels alike (planted) each is off by more than 6.5 standard errors of the mean over the data sets."""
    rng, apart = np.random.default_rng(1), {name: [] for name in NUMBERS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for _ in range(n_sets):
            p = plausible(rng)
            table = readings(rng, p)
            asked = ugt.Labels.from_wide(third_where_two_differ(table), classes=K)
            two, counted = ugt.Labels.from_wide(table[:, :2], classes=K), ugt.Labels.from_counts(asked.counts())
            for name, number in NUMBERS.items():
                expected = number(two, p)
                assert number(asked, p) == expected, name
                apart[name].append(number(counted, p) - expected)
    for name, differences in apart.items():
        assert abs(np.mean(differences)) > 6.5 * np.std(differences) / np.sqrt(n_sets), name


@sets(500, 5000)
@pytest.mark.parametrize("n", [30, 200])
def test_labels_that_lack_for_other_reasons_are_not_noted(n, n_sets):
    """At most 1 in 1,000: Fisher's exact test is below its level, as cases with few labels are either unanimous or not."""
    rng, noted = np.random.default_rng(2), 0
    for _ in range(n_sets):
        table = readings(rng, plausible(rng, n)).astype(object)
        table[rng.random(n) < 0.5, 2] = None
        noted += adjudicated(ugt.Labels.from_wide(table, classes=K)).note is not None
    assert noted <= binom.isf(ALARM, n_sets, 1e-3)


@sets(200, 2000)
@pytest.mark.parametrize(("n", "least"), [(30, 0.5), (60, 0.97)])
def test_an_adjudicated_design_is_noted(n, least, n_sets):
    rng = np.random.default_rng(3)
    tables = (third_where_two_differ(readings(rng, plausible(rng, n))) for _ in range(n_sets))
    assert sum(adjudicated(ugt.Labels.from_wide(table, classes=K)).note is not None for table in tables) >= least * n_sets


MISTAKES = {
    "shifted by one row": (lambda p, table, rng: np.roll(p, 1, axis=0), "its rows may be shifted by one"),
    "shuffled": (lambda p, table, rng: rng.permutation(p), "that its rows are in the order of the cases"),
    "classes permuted": (lambda p, table, rng: p[:, [1, 2, 0]], "its columns may be permuted"),
    "shares of the labels": (lambda p, table, rng: shares(table), "are the shares of the labels"),
    "nearly the shares": (lambda p, table, rng: 0.9 * shares(table) + 0.1 * p, "closer to the labels than their own probabilities"),
    "an annotator": (lambda p, table, rng: np.eye(K)[table[:, 1]], "are the labels of annotator 1"),
}


def shares(table):
    return np.stack([(table == k).mean(axis=1) for k in range(K)], axis=1)


@sets(10, 60)
def test_mistakes_are_noticed(n_sets):
    """In nine of ten data sets of 100 cases with three labels (of shuffled rows in seven), and nothing of the data without the mistake."""
    rng, seen = np.random.default_rng(4), dict.fromkeys(MISTAKES, 0)
    for _ in range(n_sets):
        p = plausible(rng, 100)
        table = readings(rng, p)
        labels, scores = ugt.Labels.from_wide(table, classes=K), 0.8 * p + 0.2 * rng.dirichlet(np.ones(K), 100)
        given = {name: make(scores, table, rng) for name, (make, _) in MISTAKES.items()}
        said = ugt.evaluate(labels, {**given, "sound": scores}, n_resamples=10, reliability=1, k=1, details=False).notes
        said = [*map(str, said)]
        for name, (_, sentence) in MISTAKES.items():
            of = [note for note in said if sentence in note]
            seen[name] += any(name in note for note in of)
            assert not any("sound" in note for note in of)
    assert all(n >= (0.7 if name == "shuffled" else 0.9) * n_sets for name, n in seen.items()), seen
