"""Committees of annotators against their multinomial law, and certainty after more labels against enumeration in plain Python."""

import itertools
import math

import numpy as np
import pytest
from refusals import labels_of_rows, refused
from scipy.stats import beta, betabinom

import ugt

nan = float("nan")


def certainty(concentrations, k=1):
    return ugt.Dirichlet.from_array([concentrations]).certainty(k)[0]


def expected(concentrations, n, gamma=1.0, k=1):
    """Every sequence of n labels."""
    total = 0.0
    for labels in itertools.product(range(len(concentrations)), repeat=n):
        c, p = np.array(concentrations, float), 1.0
        for label in labels:
            p *= c[label] / c.sum()
            c[label] += gamma
        total += p * (certainty(c, k) if p else 0.0)
    return total


# ---- committees
def law(shares, size):
    """Probabilities of all committees, as {counts: probability}."""
    found = {}
    for counts in itertools.product(range(size + 1), repeat=len(shares)):
        if sum(counts) == size:
            ways = math.factorial(size) / math.prod(math.factorial(c) for c in counts)
            found[counts] = ways * math.prod(s**c for s, c in zip(shares, counts))
    return found


@pytest.mark.parametrize("how", ["wide", "counts"])
@pytest.mark.parametrize("size", [None, 2, 5])
def test_committees_of_labels(how, size):
    table = [[0, 0, 2, 1], [2, 2, 2, None], [None] * 4, [1, None, None, None]]
    labels = ugt.Labels.from_wide(table, classes=3)
    if how == "counts":
        labels = ugt.Labels.from_counts(labels.counts())
    n = 20_000
    draws = ugt.truth.committee(labels, size, n_draws=n, seed=3)
    assert draws.defined.tolist() == [True, True, False, True] and draws.n_draws == n
    values = draws.draws(n)
    members = 4 if size is None else size
    seen = np.rint(values[0] * members).astype(int)
    np.testing.assert_allclose(values[0], seen / members, atol=1e-12)
    for counts, p in law([0.5, 0.25, 0.25], members).items():
        share = (seen == counts).all(1).mean()
        assert abs(share - p) < 6.5 * np.sqrt(p * (1 - p) / n) + 1e-12  # false alarm below 1e-9 each
    assert (values[1] == [0, 0, 1]).all() and (values[3] == [0, 1, 0]).all()
    assert np.isnan(ugt.annotation_certainty(draws).per_case[2])


def test_without_replacement():
    labels = ugt.Labels.from_wide([[0, 0, 1, 1], [0, 1, None, None], [0, 1, 1, None]], classes=2)
    n = 20_000
    draws = ugt.truth.committee(labels, 3, replace=False, n_draws=n)
    assert draws.defined.tolist() == [True, False, True]
    first, third = draws.draws(n)[0], draws.draws(n)[2]
    assert set(np.rint(first[:, 0] * 3)) == {1, 2} and abs((first[:, 0] > 0.5).mean() - 0.5) < 6.5 * 0.5 / np.sqrt(n)
    np.testing.assert_allclose(third, np.tile([1 / 3, 2 / 3], (n, 1)))


def test_an_annotator_with_several_labels_counts_once():
    labels = labels_of_rows([1] * 4, ["x", "x", "x", "y"], [0, 0, 1, 1], classes=2)
    draws = ugt.truth.committee(labels, 1, n_draws=4000)
    values = draws.draws(4000)[0, :, 0]
    assert {round(v, 12) for v in set(values)} == {round(2 / 3, 12), 0.0}
    assert abs((values == 0).mean() - 0.5) < 6.5 * 0.5 / np.sqrt(4000)
    both = ugt.truth.committee(labels, 2, replace=False, n_draws=10).draws(10)[0, :, 0]
    np.testing.assert_allclose(both, 1 / 3)  # the mean of 2/3 and 0


def test_committees_of_rankings():
    rankings = ugt.Rankings.from_blocks([[[[0], [1, 2]], [[2]]], [[[1]]], [[[]]] if False else []], n_classes=4)
    draws = ugt.truth.committee(rankings, 2, n_draws=6000)
    values = draws.draws(6000)
    both = ugt.irn(ugt.Rankings.from_blocks([[[[0], [1, 2]], [[2]]]], n_classes=4)).mean()[0]
    first = np.array([1, 0.25, 0.25, 0]) / 1.5
    for vector, p in ((both, 0.5), (first, 0.25), ([0, 0, 1, 0], 0.25)):
        share = np.isclose(values[0], vector, atol=1e-12).all(1).mean()
        assert abs(share - p) < 6.5 * np.sqrt(p * (1 - p) / 6000)
    assert (values[1] == [0, 1, 0, 0]).all() and draws.defined.tolist() == [True, True, False]


def test_a_case_has_its_own_committees():
    labels = ugt.Labels.from_long(["a", "a", "b", "b", "c", "c"], ["x", "y"] * 3, [0, 1] * 3, classes=2)
    other = ugt.Labels.from_long(["c", "c", "a", "a"], ["x", "y"] * 2, [0, 1] * 2, classes=2)
    one, two = ugt.truth.committee(labels, 3, n_draws=50, seed=9).draws(50), ugt.truth.committee(other, 3, n_draws=50, seed=9).draws(50)
    np.testing.assert_array_equal(one[[2, 0]], two)
    assert (one[0] != one[1]).any() and (one != ugt.truth.committee(labels, 3, n_draws=50, seed=8).draws(50)).any()


def test_in_an_evaluation():
    counts = [[3, 1, 0], [1, 1, 2], [0, 0, 5]]
    draws = ugt.truth.committee(ugt.Labels.from_counts(counts), n_draws=400)
    ev = ugt.evaluate(draws, {"A": np.eye(3)}, k=1, n_resamples=50)
    row = next(row for row in ev.metrics if row["metric"] == "topk_accuracy")
    assert 0.3 < row["value"] < 1 and row["draw_std"] > 0


def test_ties_are_not_broken_by_position():
    draws = ugt.truth.committee(ugt.Labels.from_wide([[0, 0, 1, 1]], classes=2), 4, replace=False, n_draws=100)
    assert [ugt.annotation_certainty(draws, ties=ties).value for ties in ("expectation", "first")] == [0.5, 1.0]
    assert ugt.annotation_certainty(draws).mc_error == 0
    for always in (0, 1):
        found = ugt.ua_topk_accuracy(draws, np.eye(2)[[always]])
        assert (found.value, found.draw_std, found.mc_error) == (0.5, 0.0, 0.0)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["set", "rank"])
def test_what_is_kept_of_committees_answers_as_all_classes_would(k, kind):
    labels = ugt.Labels.from_wide(np.random.default_rng(0).integers(0, 4, (40, 5)), classes=4)
    for some in (labels, ugt.Labels.from_counts(np.eye(4, dtype=int)[[0, 1]] + 1)):
        draws = ugt.truth.committee(some, 6, n_draws=60)
        dense = ugt.Draws.from_array(draws.draws(60))
        for ties in ("expectation", "first"):
            found, expected = (ugt.annotation_certainty(truth, k=k, kind=kind, ties=ties).per_case for truth in (draws, dense))
            np.testing.assert_allclose(found, expected, atol=1e-12)
            np.testing.assert_allclose(draws.membership(k, ties=ties), dense.membership(k, ties=ties), atol=1e-12)


# ---- more annotators
@pytest.mark.parametrize("gamma", [1.0, 2.5])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_against_enumeration(n, gamma):
    table = np.array([[3.5, 3.5, 0.5, 0.5], [2.0, 1.0, 0.7, 0.4], [0.1, 0.1, 0.1, 5.1], [1.0, 0.0, 0.0, 2.0]])
    found = ugt.truth.expected_certainty(ugt.Dirichlet.from_array(table), n, reliability=gamma)
    for i, row in enumerate(table):
        assert found.per_case[i] == pytest.approx(expected(row[row > 0], n, gamma), abs=1e-10)
        assert found.current[i] == pytest.approx(certainty(row[row > 0]), abs=1e-12)
    assert (found.gain >= 0).all() or gamma != 1
    assert found.value == pytest.approx(found.per_case.mean()) and found.n_annotators == n


def test_classes_that_nobody_named():
    """A background stands for each of them."""
    labels = ugt.Labels.from_counts([[2, 1, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]])
    post = ugt.dirichlet(labels, prior=0.3)
    for n in (1, 2, 4):
        found = ugt.truth.expected_certainty(post, n)
        assert found.per_case[0] == pytest.approx(expected([2.3, 1.3, 0.3, 0.3, 0.3], n), abs=1e-10)
        assert found.per_case[2] == pytest.approx(expected([1.3] * 5, n), abs=1e-10)
        assert np.isnan(found.per_case[1]) and found.left_out == {"case without annotations": 1}
    assert found.worklist.tolist()[-1] == 1


@pytest.mark.parametrize("gamma", [1.0, 0.3])
def test_ten_thousand_labels(gamma):
    """Of two classes, against scipy's beta-binomial and beta laws."""
    n, a, b = 10_000, 3.5, 2.5
    s = np.arange(n + 1)
    first = beta.sf(0.5, a + gamma * s, b + gamma * (n - s))
    value = (betabinom.pmf(s, n, a / gamma, b / gamma) * np.maximum(first, 1 - first)).sum()
    found = ugt.truth.expected_certainty(ugt.Dirichlet.from_array([[a, b], [b, a], [4, 0]]), n, reliability=gamma)
    np.testing.assert_allclose(found.per_case, [value, value, 1.0], atol=1e-9)
    refused(
        "n_annotators must leave at most 2,000,000 different outcomes. Got",
        ugt.truth.expected_certainty,
        ugt.dirichlet(ugt.Labels.from_counts([[3, 2, 1]])),
        n,
    )


def test_orders():
    post = ugt.dirichlet(ugt.Labels.from_counts([[3, 2, 2, 0], [4, 4, 1, 1]]), prior=0.5)
    found = ugt.truth.expected_certainty(post, 2, k=2)
    for i, row in enumerate([[3.5, 2.5, 2.5, 0.5], [4.5, 4.5, 1.5, 1.5]]):
        assert found.per_case[i] == pytest.approx(expected(row, 2, k=2), abs=1e-9)


def test_many_classes_cost_what_was_named():
    counts = np.zeros((50, 419), int)
    counts[np.arange(50), np.arange(50)] = 3
    counts[np.arange(50), np.arange(50) + 1] = 2
    found = ugt.truth.expected_certainty(ugt.dirichlet(ugt.Labels.from_counts(counts), prior=0.01), 3)
    assert np.ptp(found.per_case) < 1e-12 and found.gain[0] > 0
    assert found.interval(seed=1) == pytest.approx((found.value, found.value))


def test_the_mean_over_labels_yet_to_come_is_the_certainty_of_a_best_guess():
    """Of the voted class alone nothing is to be gained; of a tie something."""
    found = ugt.truth.expected_certainty(ugt.dirichlet(ugt.Labels.from_counts([[5, 0], [3, 3]]), prior=1.0), 1)
    assert found.gain[0] == 0 and found.gain[1] > 0.1 and found.worklist.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: ugt.truth.committee([[1, 0]]), TypeError, r"annotations must be Labels or Rankings\. Got list\."),
        (
            lambda: ugt.truth.committee(ugt.Labels.from_counts([[1, 0]]), 0),
            ValueError,
            r"size must be a whole number of at least 1\. Got 0\.",
        ),
        (
            lambda: ugt.truth.committee(ugt.Labels.from_counts([[1, 0]]), replace=False),
            ValueError,
            r"size must be given with replace=False",
        ),
        (lambda: ugt.truth.committee(ugt.Labels.from_counts([[1, 0]]), n_draws=0), ValueError, r"n_draws must be a whole number"),
        (lambda: ugt.truth.expected_certainty([[1, 0]]), TypeError, r"posterior must be a Dirichlet, as dirichlet makes it. Got list\."),
        (
            lambda: ugt.truth.expected_certainty(ugt.dirichlet(ugt.Labels.from_counts([[1, 0]])), 0),
            ValueError,
            r"n_annotators must be a whole number of at least 1",
        ),
        (
            lambda: ugt.truth.expected_certainty(ugt.dirichlet(ugt.Labels.from_counts([[1, 0]])), k=3),
            ValueError,
            r"k must be a whole number from 1 to 2\. Got 3\.",
        ),
        (
            lambda: ugt.truth.expected_certainty(ugt.dirichlet(ugt.Labels.from_counts([[1, 0]])), reliability=0),
            ValueError,
            r"reliability must be a finite number",
        ),
    ],
)
def test_refused(call, kind, message):
    refused(message, call, error=kind)
