"""Metrics and agreement by groups of annotators: by hand, against the metric of their labels alone, errors."""

import itertools

import numpy as np
import pytest
from refusals import labels_of_rows, refused, warned

import ugt

NAMES = ["ann", "bob", "eve", "joe", "kim", "lea", "max"]
GROUPS = dict(zip(NAMES, "AABBCCA"))


def panel(n=40, seed=0, missing=0.1):
    """Labels of seven annotators, some missing, and a model's scores."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.7, 0.9, n)
    wide = np.where(rng.random((n, 7)) < missing, -1, rng.random((n, 7)) < p[:, None]).astype(int)
    return wide, ugt.Labels.from_wide(wide, classes=2, annotators=NAMES, missing=-1), p + rng.normal(0, 0.3, n)


def alone(wide, group):
    """The labels of one group as labels of their own."""
    at = [j for j, name in enumerate(NAMES) if GROUPS[name] == group]
    return ugt.Labels.from_wide(wide[:, at], classes=2, missing=-1)


pytestmark = pytest.mark.filterwarnings("ignore:annotator .* makes up nearly all")

METRICS = {
    "soft_auroc": ugt.soft_auroc,
    "average precision": ugt.soft_average_precision,
    "accuracy": lambda labels, scores: ugt.ua_topk_accuracy(ugt.dirichlet(labels), np.stack([1 - scores, scores], 1)),
    "alpha": lambda labels, scores: ugt.krippendorff_alpha(labels),
}


@pytest.mark.parametrize("name", METRICS)
def test_values_are_those_of_the_labels_of_a_group_alone(name):
    wide, labels, scores = panel()
    found = ugt.resampling.by_annotators(METRICS[name](labels, scores), GROUPS)
    each = [METRICS[name](alone(wide, group), scores) for group in "ABC"]
    assert found.groups == ("A", "B", "C") and found.n_annotators.tolist() == [3, 2, 2]
    assert found.values == pytest.approx([one.value for one in each], abs=1e-12)
    assert found.n_cases.tolist() == [int(one.statistic.kept.sum()) for one in each]
    np.testing.assert_allclose(found.statistic.influence().T, [one.influence for one in each], atol=1e-12)
    difference, mean = found.difference("A", "C"), found.mean()
    assert difference.value == pytest.approx(each[0].value - each[2].value) and mean.value == pytest.approx(found.values.mean())
    drawn = found.resamples(n_resamples=20, seed=1).values
    np.testing.assert_allclose(mean.resamples(n_resamples=20, seed=1).values[:, 0], drawn.mean(1), atol=1e-12)
    for one in (difference, mean):
        low, high = one.interval()
        assert low < one.value < high
        if name == "alpha" and one is difference:  # one annotator of a group of two has none
            low, high = warned("undefined without annotator", one.interval, random=("cases", "annotators"))
            assert np.isnan([low, high]).all()
        else:
            low, high = one.interval(random=("cases", "annotators"))
            assert low < one.value < high


def test_every_annotator_is_a_group_by_default():
    wide, labels, scores = panel(missing=0)
    found = ugt.resampling.by_annotators(ugt.soft_auroc(labels, scores))
    assert found.groups == tuple(NAMES)
    assert found.values == pytest.approx([ugt.soft_auroc(column.astype(float), scores).value for column in wide.T])


def test_groups_without_a_value():
    labels = ugt.Labels.from_wide([[1, 1, 0], [0, 0, 0], [1, 0, 0]], annotators=["a", "b", "c"])
    found = warned("undefined: group of annotators without a value", ugt.resampling.by_annotators, ugt.soft_auroc(labels, [0.9, 0.1, 0.5]))
    assert found.left_out == {"group of annotators without a value": 1} and np.isnan(found.values[2])
    assert found.mean().value == pytest.approx(1.0) and np.isnan(found.difference("a", "c").value)


def by_hand(wide):
    """``(within, between, each pair of groups)`` as means over cases, pair by pair."""
    rows = []
    for case in wide:
        pairs = {}
        for i, j in itertools.combinations(range(7), 2):
            if case[i] >= 0 and case[j] >= 0:
                pairs.setdefault("".join(sorted(GROUPS[NAMES[i]] + GROUPS[NAMES[j]])), []).append(case[i] == case[j])
        sides = [[same for key, values in pairs.items() if (key[0] == key[1]) == own for same in values] for own in (True, False)]
        row = {key: np.mean(values) for key, values in pairs.items()}
        rows.append({**row, **({"within": np.mean(sides[0]), "between": np.mean(sides[1])} if all(sides) else {})})
    return {key: np.mean([row[key] for row in rows if key in row]) for key in set().union(*rows)}


def test_agreement_pair_by_pair():
    wide, labels, _ = panel(missing=0.4)
    found, expected = ugt.agreement.agreement_by_group(labels, GROUPS), by_hand(wide)
    assert (found.within, found.between) == pytest.approx((expected["within"], expected["between"]), abs=1e-12)
    assert found.value == pytest.approx(found.within - found.between, abs=1e-12)
    for i, j in itertools.combinations_with_replacement(range(3), 2):
        assert found.matrix[i, j] == found.matrix[j, i] == pytest.approx(expected["ABC"[i] + "ABC"[j]], abs=1e-12)
    low, high = found.interval(of="A, B")
    assert low < found.matrix[0, 1] < high
    wide_enough = found.interval(random=("cases", "annotators"), of="between")
    assert wide_enough[0] < found.between < wide_enough[1]


def test_a_difference_is_no_share_where_it_is_positive_in_all_cases():
    wide = [[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]]
    found = ugt.agreement.agreement_by_group(ugt.Labels.from_wide(wide), list("AABB"))
    assert found.statistic.facts.spans.tolist() == [[-1, 1]] + [[0, 1]] * 5
    for kind in ("auto", "analytic"):  # per case 1, 0, 1, 0 and 0
        low, high = found.interval(kind=kind)
        assert low == pytest.approx(0.4 - 2.7764 * np.sqrt(0.3 / 5), abs=1e-3) and high >= 1
    assert found.interval(of="B, B") == ugt.agreement.percent_agreement(ugt.Labels.from_wide(np.array(wide)[:, 2:])).interval()


def test_groups_that_agree_throughout_have_an_interval():
    labels = ugt.Labels.from_wide(np.array([[1, 1, 0, 1]] * 10 + [[0, 0, 1, 0]] * 10))
    found = ugt.resampling.by_annotators(ugt.agreement.percent_agreement(labels), list("AABB"))
    alone = ugt.agreement.percent_agreement(ugt.Labels.from_wide(np.array([[1, 1]] * 10 + [[0, 0]] * 10)))
    assert found.intervals().tolist()[0] == list(alone.interval()) and found.values.tolist() == [1, 0]


def test_own_repeats_make_no_pairs():
    once = ugt.Labels.from_wide([[0, 1, 0], [1, 1, 0]], annotators=["a", "b", "c"])
    again = labels_of_rows([0, 0, 0, 0, 1, 1, 1], list("aabcabc"), [0, 0, 1, 0, 1, 1, 0], classes=2)
    groups = {"a": "X", "b": "Y", "c": "Y"}
    assert np.isnan(ugt.agreement.agreement_by_group(once, groups).matrix[0, 0]) and np.isnan(
        ugt.agreement.agreement_by_group(again, groups).matrix[0, 0]
    )
    assert ugt.agreement.agreement_by_group(again, groups).matrix[1, 1] == ugt.agreement.agreement_by_group(once, groups).matrix[1, 1] == 0


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"ann": "A"}, r"groups must name the group of every annotator\. Got none for 6 of 7, first at annotator 'bob'"),
        ({**GROUPS, "eve": None}, r"Got none for 1 of 7, first at annotator 'eve'"),
        (["A", "B"], r"groups must be a mapping, or 7 names, one per annotator\. Got shape \(2,\)"),
    ],
)
def test_groups_that_do_not_fit(groups, message):
    _, labels, scores = panel()
    refused(message, ugt.resampling.by_annotators, ugt.soft_auroc(labels, scores), groups)
    refused(message, ugt.agreement.agreement_by_group, labels, groups)


def test_errors():
    _, labels, scores = panel()
    counts = ugt.Labels.from_counts(labels.counts())
    refused(r"groups must name at least two groups\. Got 'A'", ugt.agreement.agreement_by_group, labels, ["A"] * 7)
    refused(r"labels must name their annotators\. Got counts", ugt.agreement.agreement_by_group, counts, ["A"])
    refused(r"labels must be Labels\. Got list", ugt.agreement.agreement_by_group, [1, 0], ["A"], error=TypeError)
    refused(r"result must be a result of a metric\. Got float", ugt.resampling.by_annotators, 0.7, error=TypeError)
    refused(
        r"p must be labels of named annotators, or a truth made of them, if annotators are random",
        ugt.resampling.by_annotators,
        ugt.soft_auroc(counts, scores),
    )
    refused(
        r"second must be one of 'A', 'B', 'C'\. Got 'D'",
        ugt.resampling.by_annotators(ugt.soft_auroc(labels, scores), GROUPS).difference,
        "A",
        "D",
    )
