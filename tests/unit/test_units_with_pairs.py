"""Cases without a pair of annotators are no units of intervals of agreement, and Brennan-Prediger's intervals are percent agreement's."""

import math
import warnings

import numpy as np
import pytest

import ugt
from ugt import states
from ugt.annotations.other_annotators import of_cases

NAN = math.nan
GWET = ("fleiss_kappa", "gwet_ac1")


def overlap(n_pairs, n_alone, single="x"):
    """Pairs that agree: 6 of 7 about x, the others about y; and cases of one annotator, about x or y in turn or about one class."""
    pairs = [["y", "y"] if i % 7 == 6 else ["x", "x"] for i in range(n_pairs)]
    alone = [[single if single != "x" or i % 3 else "y", None][:: 1 if i % 2 else -1] for i in range(n_alone)]
    return ugt.Labels.from_wide(pairs + alone, classes=["x", "y"])


def intervals(found, **more):
    return [found.interval(kind=kind, n_resamples=50, **more) for kind in ("auto", "percentile", "basic", "bca", "analytic")]


@pytest.mark.parametrize(
    ("name", "low"),
    [("percent_agreement", 0.7684), ("fleiss_kappa", 0.0542), ("gwet_ac1", 0.6932), ("brennan_prediger", 0.5367), ("cohen_kappa", 0.0542)],
)
def test_perfect_pairs_have_their_own_interval(name, low):
    """14 cases with two labels, and none to 46 with one: Clopper and Pearson's interval has 14 trials."""
    function = getattr(ugt.agreement, name, None) or getattr(ugt, name)
    for n_alone in (0, 1, 46):
        found = function(overlap(14, n_alone))
        assert (found.value, found.n_cases) == (1, 14)
        for low_, high in intervals(found):
            assert (round(low_, 4), high) == (low, 1)


def test_intraclass_correlation_of_pairs():
    rng = np.random.default_rng(0)
    table = np.repeat(rng.normal(size=(60, 1)), 2, axis=1)
    table[14:, 1] = np.nan
    alone, found = (ugt.agreement.intraclass_correlation(ugt.Ratings.from_wide(one), "1") for one in (table[:14], table))
    assert found.value == 1 and found.n_cases == 14
    assert found.interval() == pytest.approx(alone.interval())
    assert np.isnan(
        ugt.agreement.intraclass_correlation(ugt.Ratings.from_wide(table[13:] + np.array([0, 1e-3])), "1").interval(kind="analytic")
    ).all()


@pytest.mark.parametrize("name", ["percent_agreement", *GWET, "brennan_prediger"])
def test_one_pair_has_no_interval(name):
    found = getattr(ugt.agreement, name)(overlap(1, 40))
    assert found.value == 1 and math.isnan(found.std_error)
    assert np.isnan(intervals(found)).all()
    (row,) = [row for row in ugt.agreement_table(overlap(1, 40)).rows(n_resamples=5) if row["coefficient"] == found.coefficient]
    assert row["low"] is None and row["reason"] == "no interval: too few cases (or clusters) to show how others would differ"


def test_pairs_of_one_class_have_no_interval_of_kappa():
    """By the classes of the pairs alone kappa is undefined; AC1 and Brennan-Prediger are defined."""
    labels = ugt.Labels.from_wide([["x", "x"]] * 30 + [["y", None], ["x", None]] * 20, classes=["x", "y"])
    assert ugt.fleiss_kappa(labels).value == 1 and np.isnan(intervals(ugt.fleiss_kappa(labels))).all()
    assert ugt.agreement.gwet_ac1(labels).interval()[0] == pytest.approx(0.025 ** (1 / 30), abs=1e-12)
    assert ugt.agreement.brennan_prediger(labels).interval()[0] == pytest.approx(2 * 0.025 ** (1 / 30) - 1)


def some_labels(seed, k, n=60, n_alone=30):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    wide = np.where(rng.random((n, 3)) < 0.7, truth[:, None], rng.integers(0, k, (n, 3))).astype(float)
    wide[rng.random((n, 3)) < 0.2] = NAN
    wide[n - n_alone :, 1:] = NAN
    return ugt.Labels.from_wide(wide, classes=k)


@pytest.mark.parametrize("n_alone", [0, 30])
@pytest.mark.parametrize("n", [60, 900])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_brennan_prediger_is_a_linear_function_of_percent_agreement(k, n, n_alone):
    labels = some_labels(k, k, n, n_alone)
    p, bp = ugt.agreement.percent_agreement(labels), ugt.agreement.brennan_prediger(labels)

    def mapped(x):
        return (np.array(x) - 1 / k) / (1 - 1 / k)

    assert (bp.value, bp.n_cases) == (pytest.approx(mapped(p.value), abs=1e-12), p.n_cases)
    assert bp.std_error == pytest.approx(p.std_error / (1 - 1 / k), rel=1e-12)
    clusters = np.arange(n) // 3
    for options in ({}, {"clusters": clusters}):
        np.testing.assert_allclose(intervals(bp, **options), mapped(intervals(p, **options)), atol=1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            both = [one.interval(random=("cases", "annotators"), **options) for one in (p, bp)]
        np.testing.assert_allclose(both[1], mapped(both[0]), atol=1e-9)
    rows = {row["coefficient"]: row for row in ugt.agreement_table(labels).rows(n_resamples=50)}
    for end in ("value", "low", "high", "two_way_low", "two_way_high"):
        assert rows["Brennan-Prediger"][end] == pytest.approx(mapped(rows["percent agreement"][end]), abs=1e-9), end


@pytest.mark.parametrize("weights", ["linear", "quadratic", np.array([[1, 0.9, 0.8], [0.9, 1, 0.9], [0.8, 0.9, 1]])])
def test_so_it_is_with_weights(weights):
    labels = some_labels(1, 3)
    p, bp = (one(labels, weights=weights) for one in (ugt.agreement.percent_agreement, ugt.agreement.brennan_prediger))
    chance = bp.expected
    np.testing.assert_allclose(intervals(bp), (np.array(intervals(p)) - chance) / (1 - chance), atol=1e-9)


def test_so_it_is_in_parts():
    labels = some_labels(1, 2)
    cut = [(of_cases(labels, rows), rows) for rows in (np.arange(20), np.arange(20, 45), np.arange(45, 60))]  # the last has no pairs
    found = [
        states.finish(
            states.merge(
                [
                    states.partial(name, one, case_ids=ids, n_resamples=100, random=("cases", "annotators"), panel=[0, 1, 2])
                    for one, ids in cut
                ]
            )
        )
        for name in ("percent_agreement", "brennan_prediger")
    ]
    for p, bp in (
        *((one.interval(kind=kind) for one in found) for kind in ("analytic", "percentile")),
        (one.two_way().interval() for one in found),
    ):
        np.testing.assert_allclose(bp, 2 * np.array(p) - 1, atol=1e-9)


@pytest.mark.parametrize("name", GWET)
def test_parts_with_single_labels_are_no_trials(name):
    labels = overlap(14, 46)
    expected = getattr(ugt.agreement, name)(labels)
    cut = [(of_cases(labels, rows), rows) for rows in (np.arange(9), np.arange(9, 30), np.arange(30, 60))]
    found = states.finish(states.merge([states.partial(name, one, case_ids=ids, n_resamples=50) for one, ids in cut]))
    assert (found.value, found.n_cases) == (expected.value, expected.n_cases)
    assert found.interval() == pytest.approx(expected.interval())


@pytest.mark.parametrize("name", GWET)
def test_single_labels_never_narrow(name):
    """Standard errors have as many units as there are pairs; intervals are at least as wide as those of the pairs."""
    rng = np.random.default_rng(2)
    function = getattr(ugt.agreement, name)
    for n, n_pairs in ((80, 30), (700, 60), (1300, 500)):
        wide = (rng.random((n, 1)) < 0.2) ^ (rng.random((n, 2)) < 0.1) | np.zeros((n, 2), bool)
        table = wide.astype(float)
        table[n_pairs:, 1] = NAN
        found, alone = (function(ugt.Labels.from_wide(one, classes=2)) for one in (table, table[:n_pairs]))
        influence = found.influence
        assert found.std_error == pytest.approx(math.sqrt((influence**2).sum() * n_pairs / (n_pairs - 1)))
        reached = max(found.std_error, alone.std_error * (1 - 1e-9))
        low, high = found.interval(kind="analytic")
        from scipy.stats import t

        assert high - low >= min(1 - found.value, t.ppf(0.975, n_pairs - 1) * reached) + t.ppf(0.975, n_pairs - 1) * reached - 1e-9


@pytest.mark.parametrize("name", ["percent_agreement", *GWET, "brennan_prediger", "krippendorff_alpha"])
def test_nothing_to_compare(name):
    function = getattr(ugt.agreement, name)
    found = function(ugt.Labels.from_wide([["x", None], [None, "y"]], classes=["x", "y"]))
    assert math.isnan(found.value) and found.reason == "no case has labels of two annotators"
    assert np.isnan(intervals(found)).all() and math.isnan(found.std_error)


def test_weights_without_disagreement():
    labels = some_labels(1, 2)
    found = ugt.agreement.brennan_prediger(labels, weights=np.ones((2, 2)))
    assert (found.value, found.reason) == (1, "no variation: all weights between the classes in use are 1; 1 by convention")
    assert np.isnan(intervals(found)).all()
    with pytest.raises(ValueError, match=r"weights must be 1 for the same class\. Got 0\.0"):
        ugt.agreement.brennan_prediger(labels, weights=1 - np.eye(2))
