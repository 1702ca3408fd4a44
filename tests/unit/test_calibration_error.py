"""Calibration errors of any power: by the slow twin, beside the calibration loss, with intervals, of bad powers."""

import numpy as np
import pytest
from refusals import refused
from twins import histogram as twin
from twins.histogram_problems import problem

import ugt

COUNTS, PROBS = problem(0, n=60)
SOME = COUNTS.sum(axis=1) > 0
WEIGHTS = np.random.default_rng(3).choice([0.0, 0.3, 1.0, 4.5], 60)


@pytest.mark.parametrize("p", [1, 2, 3.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_by_the_slow_twin(p, weighted):
    weights = WEIGHTS if weighted else np.ones(60)
    found = ugt.histogram_losses(COUNTS, PROBS, n_bins=6, weights=weights).calibration_error(p)
    shares, edges = COUNTS[SOME] / COUNTS[SOME].sum(axis=1, keepdims=True), np.linspace(0, 1, 7).tolist()
    given = [(shares[:, k].tolist(), PROBS[SOME, k].tolist(), edges, weights[SOME].tolist(), p) for k in range(3)]
    expected = [twin.calibration_error(*one) for one in given]
    np.testing.assert_allclose(found.per_class, expected, rtol=1e-12)
    assert found.value == pytest.approx(sum(x**p for x in expected) ** (1 / p)) and found.mean == pytest.approx(np.mean(expected))
    counts = COUNTS.sum(axis=1) >= 2
    differ = [twin.statistic(row, lambda a, b: float(a != b), 2) for row in COUNTS[counts]]
    predicted = ugt.calibration.predicted_disagreement(PROBS)
    pairs = ugt.calibration.disagreement_losses(COUNTS, predicted, n_bins=6, weights=weights)
    expected = twin.calibration_error(differ, predicted.overall[counts].tolist(), edges, weights[counts].tolist(), p)
    assert pairs.calibration_error(p).value == pytest.approx(expected)
    alone = ugt.calibration.disagreement_losses(COUNTS, predicted.overall, n_bins=6, weights=weights).calibration_error(p)
    assert alone.value == alone.mean == pytest.approx(expected) and alone.per_class.size == 0


def test_the_square_is_the_calibration_loss():
    for weights in (None, WEIGHTS):
        losses = ugt.histogram_losses(COUNTS, PROBS, n_bins=4, single_bins="plugin", weights=weights)
        found = losses.calibration_error(2)
        assert found.value**2 == pytest.approx(losses.cl.plugin) and found.chance**2 == pytest.approx(losses.cl.bias)
        np.testing.assert_allclose(found.per_class, losses.per_class.cl.root().plugin)


def test_intervals():
    losses = ugt.histogram_losses(COUNTS, PROBS, classes=["a", "b", "c"], n_bins=3)
    found, options = losses.calibration_error(), {"n_resamples": 100, "clusters": np.arange(60) // 2}
    assert found.p == 1 and losses.ece == found.mean and found.statistic.names == ("ce", "mean", "ce[a]", "ce[b]", "ce[c]")
    assert losses.interval(of="ece", **options) == found.interval(of="mean", **options)
    for name, value in zip(found.statistic.names, found.statistic.estimate):
        low, high = found.interval(of=name, **options)
        assert 0 <= low <= value <= high
    resampled = found.resamples(n_resamples=100)
    np.testing.assert_allclose(resampled.values.mean(axis=0), resampled.estimate)  # moved
    assert found.minus(losses.calibration_error()).value == 0
    pairs = ugt.calibration.disagreement_losses(COUNTS, ugt.calibration.predicted_disagreement(PROBS))
    assert pairs.ece == pairs.calibration_error().value and pairs.interval(of="ece")[0] <= pairs.ece
    named = ugt.Labels.from_wide([[0, 1, 1], [1, 1, 0]], annotators=["x", "y", "z"])
    refused(
        r"random must be \('cases',\) for calibration errors",
        ugt.histogram_losses(named, PROBS[:2, :2] / PROBS[:2, :2].sum(1)[:, None]).calibration_error().two_way,
    )


@pytest.mark.filterwarnings("ignore:undefined")
def test_nothing_left_and_bins_with_one_case():
    nothing = ugt.histogram_losses([[0, 0]], [[0.5, 0.5]]).calibration_error()
    assert np.isnan([nothing.value, nothing.mean]).all()
    single = ugt.histogram_losses([[4, 0]], [[0.7, 0.3]]).calibration_error()
    assert single.mean == pytest.approx(0.3) and single.chance == 0


@pytest.mark.parametrize("p", [0.5, 0, -1, 101, float("nan"), float("inf"), "1", None, True, [1, 2]])
def test_bad_powers(p):
    refused("^p must be ", ugt.histogram_losses(COUNTS, PROBS).calibration_error, p)
