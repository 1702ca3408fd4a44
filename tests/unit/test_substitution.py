"""The alternative annotator test and the individual equivalence index against enumeration."""

import math

import numpy as np
import pytest
from refusals import refused
from twins import discrepancy as twin

import ugt
from ugt import resampling
from ugt.humans import alternative_annotator as _alternative_annotator


def study(seed, n_cases=60, n_annotators=4, numbers=False):
    """``(nested labels, model)``, one label an annotator, a fifth of them missing."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_cases) if numbers else rng.integers(0, 3, n_cases)
    table = truth[:, None] + np.round(rng.normal(size=(n_cases, n_annotators)), 1)
    model = truth + np.round(rng.normal(size=n_cases), 1)
    if not numbers:
        table, model = table.round().astype(int) % 3, model.round().astype(int) % 3
    return [[[v] if rng.random() > 0.2 else [] for v in row] for row in table.tolist()], model.tolist()


def wide(nested):
    return np.array([[one[0] if one else np.nan for one in case] for case in nested])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
@pytest.mark.parametrize("numbers, distance, delta", [(False, "zero-one", twin.zero_one), (True, "squared", twin.squared)])
def test_alternative_annotators_against_their_twin(seed, epsilon, numbers, distance, delta):
    nested, model = study(seed, numbers=numbers)
    found = ugt.humans.alternative_annotator_test(wide(nested), model, distance=distance, epsilon=epsilon, least_cases=2)
    expected, rejected, winning_rate = twin.alternative_annotator(model, nested, delta, epsilon)
    for j, (rho_f, rho_h, p) in expected.items():
        assert (found.advantage[j], found.annotator_advantage[j]) == pytest.approx((rho_f, rho_h))
        assert found.p_value[j] == pytest.approx(p, rel=1e-9)
    assert np.flatnonzero(found.rejected).tolist() == rejected
    assert found.winning_rate == winning_rate
    assert found.value == pytest.approx(np.mean([one[0] for one in expected.values()]))
    assert found.passed == (winning_rate >= 0.5)


def test_equal_distances_are_wins_of_both():
    """Mean distances that are equal up to rounding: 0.1 + 0.2 against 0.3."""
    table = np.array([[0.3, 0.0, 0.0, 0.0]] * 2 + [[0.1 + 0.2, 0.0, 0.0, 0.0]] * 2)
    found = ugt.humans.alternative_annotator_test(table, [0.1 + 0.2] * 2 + [0.3] * 2, distance="absolute", least_cases=2)
    assert found.advantage[0] == found.annotator_advantage[0] == 1


def test_cases_with_one_other_annotator_count():
    table = np.array([[0, 1, np.nan], [0, np.nan, np.nan], [1, 1, 0]])
    found = ugt.humans.alternative_annotator_test(table, [1, 0, 1], least_cases=2)
    assert found.annotators.tolist() == [0, 1]
    assert found.n_cases.tolist() == [2, 2]
    assert found.too_few == {"2": 1}
    assert found.left_out == {"case with a single annotator": 1}
    refused(
        r"annotations must hold an annotator with 30 cases or more .* Got at most 2",
        ugt.humans.alternative_annotator_test,
        table,
        [1, 0, 1],
    )


def test_differences_without_spread():
    """The model is always nearer to the others, or never: no t, but no doubt either."""
    table = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]] * 2)
    good = ugt.humans.alternative_annotator_test(np.zeros((5, 3)), [0] * 5, epsilon=0.1, least_cases=2)
    assert good.p_value.tolist() == [0, 0, 0]
    assert good.passed
    even = ugt.humans.alternative_annotator_test(np.zeros((5, 3)), [0] * 5, epsilon=0.0, least_cases=2)
    assert even.p_value.tolist() == [1, 1, 1]
    assert not even.passed
    assert ugt.humans.alternative_annotator_test(table, [1] * 6, least_cases=2).advantage.tolist() == [1, 1, 1]


def test_clusters_of_one_case_change_nothing_and_copies_do_not_help():
    nested, model = study(7, n_cases=40)
    table = wide(nested)
    plain = ugt.humans.alternative_annotator_test(table, model, least_cases=2)
    single = ugt.humans.alternative_annotator_test(table, model, least_cases=2).over_clusters(np.arange(40)[::-1])
    np.testing.assert_allclose(single.p_value, plain.p_value, rtol=1e-12)
    three = np.repeat(table, 3, axis=0), np.repeat(model, 3)
    copies = ugt.humans.alternative_annotator_test(*three, least_cases=2).over_clusters(np.repeat(np.arange(40), 3))
    np.testing.assert_allclose(copies.p_value, plain.p_value, rtol=1e-9)
    one = ugt.humans.alternative_annotator_test(*three, least_cases=2).over_clusters(np.zeros(120))
    assert np.isnan(one.p_value).all() and not one.passed
    naive = ugt.humans.alternative_annotator_test(*three, least_cases=2)
    assert (np.abs(naive.p_value - 0.5) > np.abs(plain.p_value - 0.5)).all()


def test_benjamini_yekutieli():
    """Example of four p-values by hand: thresholds i * 0.05 / (4 * 25 / 12) = 0.006, 0.012, 0.018, 0.024."""

    def rejected(*p):
        return _alternative_annotator.benjamini_yekutieli(np.array(p), 0.05).tolist()

    assert rejected(0.005, 0.02, 0.0119, 0.9) == [True, False, True, False]
    assert rejected(0.0061, 0.013, 0.0181, 0.0239) == [True, True, True, True]  # the last one carries the others
    assert rejected(0.0061, 0.013, 0.0181, 0.0241) == [False] * 4
    assert rejected(np.nan, 0.001) == [False, True]


def test_resamples_of_advantages():
    nested, model = study(3)
    found = ugt.humans.alternative_annotator_test(wide(nested), model, least_cases=2)
    resamples = found.resamples(n_resamples=50, seed=1)
    np.testing.assert_allclose(resamples.estimate, [found.value, *found.advantage, *found.annotator_advantage])
    np.testing.assert_allclose(resamples.values[:, 0], resamples.values[:, 1:5].mean(axis=1))
    low, high = found.interval(kind="bca", n_resamples=50, seed=1)
    assert low < found.value < high and (low, high) == tuple(resamples.interval(kind="bca")[0])
    assert found.resamples(n_resamples=50, seed=1).values.tobytes() == resamples.values.tobytes()
    assert [row["annotator"] for row in found.table()] == ["0", "1", "2", "3"]
    assert found.table()[1]["p_value"] == found.p_value[1]


@pytest.mark.parametrize(
    "options, must",
    [
        ({"epsilon": -0.1}, r"epsilon must be a finite number of at least 0. Got -0.1."),
        ({"q": 0}, r"q must be a finite number above 0. Got 0."),
        ({"q": 1.0}, r"q must be a number between 0 and 1. Got 1.0."),
        ({"least_cases": 1}, r"least_cases must be a whole number of at least 2. Got 1."),
    ],
)
def test_options_that_are_refused(options, must):
    refused(must, ugt.humans.alternative_annotator_test, np.zeros((3, 2)), [0, 0, 0], **{"least_cases": 2, **options})


# ---- equivalence ----
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("numbers, distance, delta", [(False, "zero-one", twin.zero_one), (True, "squared", twin.squared)])
def test_equivalence_against_its_twin(seed, numbers, distance, delta):
    nested, model = study(seed, numbers=numbers)
    found = ugt.papers.individual_equivalence_index(wide(nested), model, distance=distance)
    overall, per_annotator = twin.equivalence(model, nested, delta)
    assert found.value == pytest.approx(overall, abs=1e-12)
    np.testing.assert_allclose(found.per_annotator, per_annotator, atol=1e-12)
    ratio = ugt.discrepancy_ratio(wide(nested), model, distance=distance).value
    assert found.value == pytest.approx(found.alpha * (ratio - 1), abs=1e-12)
    assert found.criterion == pytest.approx(2 * (ratio - 1), rel=1e-9)
    assert found.coefficient == pytest.approx(1 / ratio)


def test_equivalence_is_the_mean_over_annotators_where_all_label_all():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(20, 4))
    found = ugt.papers.individual_equivalence_index(table, rng.normal(size=20))
    assert found.value == pytest.approx(found.per_annotator.mean())


def test_equivalence_intervals():
    nested, model = study(5, numbers=True)
    patient = np.arange(60) // 3
    found = ugt.papers.individual_equivalence_index(wide(nested), model)
    drawn = {"clusters": patient, "n_resamples": 100, "seed": 2}
    whole = twin.discrepancy(model, nested, twin.squared)
    counted = np.array([twin.several(case) for case in nested])
    gap = (np.array(whole["mu_i"]) - np.array(whole["alpha_i"]))[counted]
    weights = resampling.Design.of(len(gap), patient[counted]).weights(2, 0, 100)
    values = weights @ gap / weights.sum(axis=1)
    np.testing.assert_allclose(found.interval(kind="percentile", **drawn), np.quantile(values, [0.025, 0.975]), rtol=1e-9)
    limit = np.quantile(values, 0.95)
    assert found.interchangeable(limit + 1e-9, kind="percentile", **drawn)
    assert not found.interchangeable(limit - 1e-9, kind="percentile", **drawn)
    assert found.interchangeable(found.interval(0.9, kind="bca", **drawn)[1] + 1e-9, kind="bca", **drawn)
    refused(r"level must be above 0.5 for a one-sided limit. Got 0.5.", found.interchangeable, 1.0, 0.5)
    refused(r"margin must be a finite number. Got nan.", found.interchangeable, math.nan)


def test_nothing_to_compare():
    found = ugt.papers.individual_equivalence_index(np.array([[1.0, np.nan], [np.nan, 2.0]]), [1.0, 1.0])
    assert math.isnan(found.value)
    assert np.isnan(found.interval()).all()
    assert not found.interchangeable(10.0)
    assert found.left_out == {"case with a single annotator": 2}


def test_an_advantage_at_the_end_of_its_range_has_an_interval():
    labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 1]] * 10, classes=2)
    found = ugt.humans.alternative_annotator_test(labels, [0, 1, 0, 1] * 10)
    assert found.value == 1
    for kind in ("auto", "percentile", "bca"):
        np.testing.assert_allclose(found.interval(kind=kind), [0.025 ** (1 / 40), 1])  # Clopper & Pearson: 40 of 40
    ends = found.intervals()
    assert (ends[:, 0] < ends[:, 1]).all() and ends.min() >= 0 and ends.max() <= 1
