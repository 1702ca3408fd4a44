"""Annotators as points of a ROC curve: against sums over cases, and what is refused."""

import math

import numpy as np
import pytest
from refusals import refused

import ugt


def by_hand(readings, j):
    """``(sensitivity, specificity)`` of annotator j, with the mean of the others' means as the probability of being positive."""
    sums = np.zeros(4)
    for case in readings:
        others = [np.mean(one) for k, one in enumerate(case) if one and k != j]
        if case[j] and others:
            p, r = np.mean(others), np.mean(case[j])
            sums += p * r, p, (1 - p) * (1 - r), 1 - p
    return sums[0] / sums[1], sums[2] / sums[3]


@pytest.mark.parametrize("seed", range(3))
def test_points_against_sums_over_cases(seed):
    rng = np.random.default_rng(seed)
    readings = [[rng.integers(0, 2, rng.integers(0, 3)).tolist() for _ in range(4)] for _ in range(25)]
    rows = [(i, j, label) for i, case in enumerate(readings) for j, one in enumerate(case) for label in one]
    labels = ugt.Labels._of_columns(*zip(*rows), classes=2, cases=range(25))
    scores = rng.normal(size=25)
    found = ugt.humans.annotator_roc_points(labels, scores)
    rows = found.table(n_resamples=100)
    for j in range(4):
        assert (found.sensitivity[j], found.specificity[j]) == pytest.approx(by_hand(readings, labels.annotators[j]), rel=1e-12)
        assert rows[j]["sensitivity_low"] < found.sensitivity[j] < rows[j]["sensitivity_high"]
    assert found.resamples(n_resamples=50).estimate.tolist() == [*found.sensitivity, *found.specificity]


def test_the_model_at_the_specificity_of_a_reader():
    """A model that scores as reader 0 says has their sensitivity; a case without a score counts for nobody."""
    rng = np.random.default_rng(2)
    table = rng.integers(0, 2, (40, 3))
    found = ugt.humans.annotator_roc_points(table, table[:, 0] * 1.0)
    assert found.model_sensitivity[0] == pytest.approx(found.sensitivity[0])
    assert np.isnan(ugt.humans.annotator_roc_points(table).model_sensitivity).all()
    scores = [None, *map(float, table[1:, 0])]
    dropped = ugt.humans.annotator_roc_points(table, scores, missing="drop")
    assert dropped.left_out == {"case without a score": 1} and dropped.n_cases.tolist() == [39] * 3
    np.testing.assert_array_equal(dropped.sensitivity, ugt.humans.annotator_roc_points(table[1:]).sensitivity)
    refused("scores must cover every case", ugt.humans.annotator_roc_points, table, scores)


def test_undefined_points():
    found = ugt.humans.annotator_roc_points(ugt.Labels.from_wide([[0, 0, -1], [1, 0, -1], [-1, -1, 1]], missing=-1))
    assert found.sensitivity.tolist()[1:] == [0.0, pytest.approx(math.nan, nan_ok=True)] and math.isnan(found.sensitivity[0])
    assert found.n_cases.tolist() == [2, 2, 0] and found.left_out == {"case with fewer than two annotators": 1}


@pytest.mark.parametrize(
    ("annotations", "scores", "must"),
    [
        ([[0, 1, 2]], None, "table must hold class indices from 0 to 1. Got 2"),
        (ugt.Labels.from_wide([[0, 1, 2]]), None, "annotations must be Labels of two classes. Got 3 classes."),
        (ugt.Labels.from_counts([[1, 2]]), None, "annotations must name the annotator of each label"),
        ([[0, 1]], [1, 2], "scores must be one per case, 1. Got 2."),
        ([[0, 1]], ["high"], "scores must be numbers"),
    ],
)
def test_what_is_refused(annotations, scores, must):
    refused(must, ugt.humans.annotator_roc_points, annotations, scores)
