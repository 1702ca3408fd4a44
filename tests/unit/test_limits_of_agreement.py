"""Bland and Altman's limits of agreement: their published values, the formulas retyped, what is refused."""

import math

import numpy as np
import pytest
from refusals import refused
from twins import bland_altman as twin

import ugt

# Bland & Altman (1986), table 1: peak expiratory flow of 17 people, l/min, twice by each of two meters.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
WRIGHT_AGAIN = [490, 397, 512, 401, 470, 611, 415, 431, 638, 429, 420, 633, 275, 492, 165, 372, 421]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
MINI_AGAIN = [525, 415, 508, 444, 500, 625, 460, 390, 642, 432, 420, 605, 227, 467, 268, 370, 443]


def test_published_values():
    found = ugt.humans.bland_altman(ugt.Ratings.from_wide(np.column_stack([WRIGHT, MINI]))).pairs[0]
    assert (found.bias, found.sd, *found.bias_interval) == pytest.approx((-2.1, 38.8, -22.0, 17.8), abs=0.05)
    assert (found.bias - 2 * found.sd, found.bias + 2 * found.sd) == pytest.approx((-79.7, 75.5), abs=0.1)
    case = np.tile(np.arange(17), 4)
    both = ugt.Ratings.from_long(case, np.repeat(["wright", "mini"], 34), [*WRIGHT, *WRIGHT_AGAIN, *MINI, *MINI_AGAIN])
    found = ugt.humans.bland_altman(both).pairs[0]
    assert (found.first, found.second) == ("wright", "mini")
    assert (found.difference.std(ddof=1), found.sd) == pytest.approx((33.2, 37.7), abs=0.05)


def rated(seed, most=1, n=12, who=3):
    """``readings[case][annotator]``, some empty."""
    rng = np.random.default_rng(seed)
    return [[np.round(rng.normal(size=rng.integers(0, most + 1)), 2).tolist() for _ in range(who)] for _ in range(n)]


def ratings_of(nested):
    rows = [(i, j, value) for j in range(len(nested[0])) for i, case in enumerate(nested) for value in case[j]]
    return ugt.Ratings.from_long(*zip(*rows), cases=range(len(nested)))


def agrees(found, expected):
    assert found.n_cases == expected["n"]
    for name in ("bias", "sd", "upper", "bias_interval", "upper_interval"):
        assert getattr(found, name) == pytest.approx(expected[name], rel=1e-8), name  # nine digits of t in old scipy
    middle = found.upper - found.bias, found.bias - found.lower
    assert middle[0] == pytest.approx(middle[1])
    assert np.subtract(found.upper_interval, found.bias) == pytest.approx(np.subtract(found.bias, found.lower_interval[::-1]))


@pytest.mark.parametrize("clusters", [None, np.arange(12) // 3 % 3 + np.arange(12) // 4])
@pytest.mark.parametrize("most", [1, 3])
def test_pairs_and_models_against_their_twin(most, clusters):
    nested = rated(3 + most, most)
    model = np.random.default_rng(1).normal(size=12)
    found = ugt.humans.bland_altman(ratings_of(nested), model, clusters=clusters, coverage=0.9, level=0.8)
    names = [(one.first, one.second) for one in found.pairs]
    assert names == [("0", "1"), ("0", "2"), ("1", "2"), ("model", "0"), ("model", "1"), ("model", "2"), ("model", "annotators")]
    by, options = (np.arange(12) if clusters is None else clusters).tolist(), {"coverage": 0.9, "level": 0.8}
    columns = [[case[j] for case in nested] for j in range(3)]
    for one in found.pairs[:3]:
        agrees(one, twin.limits(columns[int(one.first)], columns[int(one.second)], by, **options))
    own = [[value] for value in model]
    for j, one in enumerate(found.pairs[3:6]):
        agrees(one, twin.limits(own, columns[j], by, **options))
    agrees(found.pairs[6], twin.limits(own, [[np.mean(one) for one in case if one] for case in nested], by, **options))
    assert found.table()[0]["upper_low"] == found.pairs[0].upper_interval[0] and len(found.table()) == 7


def test_the_largest_bias_and_grades():
    words = [["low", "low", "mid"], ["mid", "low", "high"], ["high", "mid", "high"], ["low", "low", "low"]]
    found = ugt.humans.bland_altman(ugt.Labels.from_wide(words, ordered=["low", "mid", "high"]), [1, 2, 3, 9])
    worst = found.largest_bias
    assert (worst.first, worst.second, worst.bias) == ("1", "2", -1.0)
    same = ugt.humans.bland_altman(np.array([[1.0, 1, 2], [2, 1, 3], [3, 2, 3], [1, 1, 1]]), [1, 2, 3, 9])
    assert found.table() == same.table()
    assert ugt.humans.bland_altman([[1.5, None], [None, 2.5]]).largest_bias is None


@pytest.mark.parametrize("replicates", [1, 2])
def test_any_two_annotators(replicates):
    """Sums of variances by brute force: of annotators, of error, and of single ratings about their mean."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(9, 4, replicates)) + rng.normal(size=(9, 1, 1)) + rng.normal(size=(1, 4, 1))
    case, who, _ = np.indices(x.shape)
    found = ugt.humans.bland_altman(ugt.Ratings.from_long(case.ravel(), who.ravel(), x.ravel())).population
    mean = x.mean(2)
    of_annotators = 9 * mean.mean(0).var(ddof=1)
    error = ((mean - mean.mean(0) - mean.mean(1, keepdims=True) + mean.mean()) ** 2).sum() / (8 * 3)
    variance = 2 * ((of_annotators - error) / 9 + error)
    if replicates > 1:
        variance += 2 * (1 - 1 / replicates) * x.var(axis=2, ddof=1).mean()
    assert (found.bias, found.n_cases, found.sd) == (0.0, 9, pytest.approx(math.sqrt(variance)))
    assert found.upper == -found.lower == pytest.approx(1.959963984540054 * found.sd)
    assert found.upper_interval[0] < found.upper < found.upper_interval[1] == -found.lower_interval[0]


@pytest.mark.parametrize(
    ("table", "options", "reason"),
    [
        ([[1.0, 2.0], [2.0, 3.0]], {"clusters": [1, 2]}, "clusters"),
        ([[1.0, None], [2.0, 3.0]], {}, "fewer than two cases that all annotators rated"),
        ([[1.0], [2.0]], {"predictions": [1, 2]}, "fewer than two annotators"),
    ],
)
def test_any_two_annotators_undefined(table, options, reason):
    found = ugt.humans.bland_altman(table, **options).population
    assert math.isnan(found.sd) and math.isnan(found.upper_interval[0]) and found.reason == reason


def test_cases_that_are_few_or_missing():
    found = ugt.humans.bland_altman([[1.5, None, 2.0], [None, 1.0, 3.0], [None, None, 1.0]], [None, 1, 2], missing="drop").pairs
    none, one = found[0], found[1]
    assert (none.n_cases, one.n_cases) == (0, 1) and math.isnan(none.bias) and one.bias == -0.5
    assert math.isnan(one.upper) and one.reason == "fewer than two cases that both rated"
    assert found[-1].n_cases == 2 and found[-1].bias == pytest.approx(np.mean([1 - 2, 2 - 1]))
    two = ugt.humans.bland_altman([[1.0, 2.0], [2.0, 4.0]], clusters=["p", "p"]).pairs[0]
    assert (two.n_cases, two.n_clusters, two.reason) == (2, 1, "fewer than two clusters that both rated")


@pytest.mark.parametrize(
    ("annotations", "options", "must"),
    [
        ([["a", "b"]], {}, "annotations must be Ratings, ordered Labels by named annotators, or an array of numbers. Got Labels."),
        ([[1.0], [2.0]], {}, "annotations must hold two annotators, or one and predictions. Got 1."),
        ([[1.0, 2.0]], {"coverage": 1.0}, "coverage must be a number between 0 and 1. Got 1.0."),
        ([[1.0, 2.0]], {"level": 0}, "level must be"),
        ([[1.0, 2.0]], {"predictions": [1, 2]}, "predictions must be one per case, 1. Got 2."),
        ([[1.0, 2.0]], {"predictions": [None]}, "predictions must cover every case"),
        ([[1.0, 2.0]], {"predictions": [1], "missing": "skip"}, "missing must be"),
        ([[1.0, 2.0]], {"clusters": [1, 2]}, "clusters must"),
    ],
)
def test_what_is_refused(annotations, options, must):
    refused(must, ugt.humans.bland_altman, annotations, **options)


@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_readers_whose_differences_are_all_alike_have_no_limits(shift):
    value = np.array([1.1, 2.2, 3.0, 4.7])
    found = ugt.humans.bland_altman(np.stack([value + shift, value], axis=1))
    one = found.pairs[0]
    assert one.bias == pytest.approx(shift, abs=1e-15)
    assert np.isnan([one.lower, one.upper, *one.bias_interval, *one.lower_interval]).all()
    assert one.reason == "all differences are alike, which leaves no spread to estimate"
    assert (found.population.reason == one.reason) == (shift == 0)
    assert found.table()[0]["sd"] == 0


def test_numbers_too_large_to_be_squared_are_refused():
    for large in (1e150, -1e300):
        table = [[1.0, 2.0], [3.0, large], [2.0, 2.5]]
        refused("annotations must be numbers from -1e\\+100 to 1e\\+100. Got .*, first at case 1", ugt.humans.bland_altman, table)
        refused(
            "predictions must be numbers from .*, first at case 2",
            ugt.humans.bland_altman,
            [[1.0, 2.0]] * 3,
            [1.0, None, large],
            missing="drop",
        )
    small, large = (ugt.humans.bland_altman(np.array([[1.0, 2.0], [3.0, 3.5], [5.0, 5.0], [2.0, 3.5]]) * by) for by in (1, 1e99))
    np.testing.assert_allclose(large.pairs[0].upper_interval, np.array(small.pairs[0].upper_interval) * 1e99, rtol=1e-12)
    np.testing.assert_allclose(large.population.upper_interval, np.array(small.population.upper_interval) * 1e99, rtol=1e-12)
