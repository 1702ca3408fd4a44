"""Annotators of cases and classes that these name, against loops, by groups of cases."""

import numpy as np
import pytest
from refusals import refused

import ugt

RISK = np.array(["low", "high", "low"])


def by_hand(nested):
    """Of lists of cases, annotators and blocks of classes."""
    return [len(case) for case in nested], [len({label for ranking in case for block in ranking for label in block}) for case in nested]


def test_labels_rankings_and_counts():
    wide = [[0, 0, 1], [2, 2, np.nan], [np.nan] * 3, [1, 1, 1]]
    said = [[[[int(label)]] for label in row if label == label] for row in wide]
    for given in (
        ugt.Labels.from_wide(wide, classes=3),
        ugt.Rankings.from_blocks(said, n_classes=3),
        ugt.Labels.from_counts([[2, 1, 0], [0, 0, 2], [0, 0, 0], [0, 3, 0]]),
    ):
        found = ugt.agreement.case_counts(given)
        assert (found.n_annotators.tolist(), found.n_classes.tolist()) == by_hand(said)
        assert found.left_out == {"case without annotations": 1} and found.n_cases.tolist() == [3]
        assert found.table() == [
            {"group": "all", "n_cases": 3, "mean_annotators": pytest.approx(8 / 3), "mean_classes": pytest.approx(4 / 3)}
        ]
    assert ugt.agreement.case_counts(ugt.Labels.from_wide([[1, 1], [0, 1]], classes=2)).n_classes.tolist() == [1, 2]
    with pytest.warns(UserWarning, match="several labels"):
        twice = ugt.Labels.from_long([0, 0, 0], ["a", "a", "b"], [0, 1, 1], classes=2)
    assert ugt.agreement.case_counts(twice).n_annotators.tolist() == [2]
    nested = [[[[0], [1, 2]], []], [[[2]], [[2], [0]]]]
    found = ugt.agreement.case_counts(ugt.Rankings.from_blocks(nested, n_classes=3))
    assert (found.n_annotators.tolist(), found.n_classes.tolist()) == by_hand(nested)


def test_groups_of_cases():
    labels = ugt.Labels.from_counts([[2, 1, 0], [0, 0, 2], [1, 1, 1], [0, 3, 0], [4, 0, 0], [0, 0, 0]])
    groups = np.array(["low", "high", "low", "high", "high", "none"])
    found = ugt.agreement.case_counts(labels, groups)
    n = np.array([3, 2, 3, 3, 4, 0])
    assert found.groups.tolist() == ["high", "low", "none"] and found.n_cases.tolist() == [3, 2, 0]
    assert found.mean_annotators == pytest.approx([n[groups == "high"].mean(), 3, np.nan], nan_ok=True)
    assert {name: values.tolist() for name, values in found.by_group("classes").items()} == {"high": [1, 1, 1], "low": [2, 3]}
    same = ugt.agreement.case_counts(labels, dict(enumerate(groups.tolist())))
    assert same.table()[0] == found.table()[0]
    low, high = found.intervals()[0]
    assert low < found.mean_annotators[0] < high and found.intervals().shape == (6, 2)
    refused(r"of must be one of 'annotators', 'classes'\. Got 'labels'\.", found.by_group, "labels")
    refused("annotations must be Labels or Rankings. Got list", ugt.agreement.case_counts, [[1]], error=TypeError)
    refused("groups must be", ugt.agreement.case_counts, labels, ["low"])
