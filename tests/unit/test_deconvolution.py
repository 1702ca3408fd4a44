"""Disagreement deconvolution: a case worked out by hand, the twin, flip rates that are estimated, errors."""

import numpy as np
import pytest
from refusals import labels_of_rows, refused
from twins import deconvolution as twin
from twins import soft

import ugt

pytestmark = pytest.mark.filterwarnings("ignore:An annotator gave several labels", "ignore:4 annotators")


def again(n=30, k=3, seed=0, f=0.2):
    """Labels of four annotators, every case labelled twice by each."""
    rng = np.random.default_rng(seed)
    own = np.where(rng.random((n, 4)) < 0.7, rng.integers(0, k, (n, 1)), rng.integers(0, k, (n, 4)))
    given = np.where(rng.random((2, n, 4)) < 1 - f, own, (own + rng.integers(1, k, (2, n, 4))) % k)
    case, who = (np.broadcast_to(one, given.shape).ravel() for one in (np.arange(n)[:, None], np.array(list("abcd"))))
    return labels_of_rows(case, who, given.ravel(), classes=k), given


def test_by_hand():
    """Four of five say 1, f = 0.1: (0.8 - 0.1) / (1 - 0.2) = 0.875. Who said 0 has primary label 1 with 0.0875 / (0.0875 + 0.1125)."""
    found = ugt.annotators.disagreement_deconvolution(ugt.Labels.from_wide([[1, 1, 1, 1, 0]], classes=2), p_flip=0.1)
    assert found.primary.mean()[0] == pytest.approx([0.125, 0.875], abs=1e-15) and (found.n_cases, found.n_clipped) == (1, 0)
    case, who, probability = found.by_annotator()
    assert case.tolist() == [0] * 5 and who.tolist() == [0, 1, 2, 3, 4]
    assert probability[4] == pytest.approx([0.5625, 0.4375]) and probability[0, 1] == pytest.approx(0.7875 / 0.8)


def test_flip_rate_by_hand():
    """One of four repeats differs, K = 2: f = (1 - sqrt(1 - 2 / 4)) / 2."""
    labels = labels_of_rows([0, 0, 1, 1, 2, 2, 3, 3, 4], ["a"] * 9, [1, 1, 0, 0, 0, 1, 1, 1, 0], classes=2)
    flips = ugt.annotators.disagreement_deconvolution(labels).flips
    assert flips.value == pytest.approx((1 - np.sqrt(0.5)) / 2) and (flips.n_repeats, flips.n_annotators) == (4, 1)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_everything_against_the_twin(k):
    labels, given = again(k=k)
    found = ugt.annotators.disagreement_deconvolution(labels)
    f = twin.flip_rate((given[0] != given[1]).mean(), k)
    assert found.flips.value == pytest.approx(f, abs=1e-9)
    shares = (given[..., None] == np.arange(k)).mean(axis=(0, 2))
    expected = np.array([twin.primary(p, f) for p in shares])
    np.testing.assert_allclose(found.primary.mean(), expected, atol=1e-9)
    assert found.n_clipped == (shares < f / (k - 1)).any(axis=1).sum() > 0
    case, who, probability = found.by_annotator()
    of_each = [twin.of_annotator(expected[i], given[:, i, "abcd".index(a)], f) for i, a in zip(case, who)]
    np.testing.assert_allclose(probability, of_each, atol=1e-9)
    agreement = ugt.agreement.intra_annotator_agreement(labels).value
    assert f == pytest.approx(twin.flip_rate(1 - agreement, k), abs=1e-9)


def test_counts_and_repeats_weigh_as_annotators():
    shares = ugt.annotators.disagreement_deconvolution(ugt.Labels.from_counts([[6, 2], [0, 0]]), p_flip=0.1)
    assert shares.primary.mean()[0] == pytest.approx(twin.primary([0.75, 0.25], 0.1)) and np.isnan(shares.primary.mean()[1]).all()
    assert shares.left_out == {"case without annotations": 1} and shares.n_cases == 1 and len(shares.by_annotator()[0]) == 8
    twice = labels_of_rows([0, 0, 0, 0], list("aaab"), [1, 1, 1, 0], classes=2)
    assert ugt.annotators.disagreement_deconvolution(twice, p_flip=0.0).primary.mean()[0].tolist() == [0.5, 0.5]


def test_flip_rates_of_annotators_and_cases():
    wide = np.array([[1, 1, 0], [0, 1, 1]])
    labels = ugt.Labels.from_wide(wide, classes=2, annotators=["a", "b", "c"])
    rates = {"a": 0.1, "b": 0.2, "c": 0.0}
    each = ((wide - np.array([0.1, 0.2, 0.0])) / (1 - 2 * np.array([0.1, 0.2, 0.0]))).mean(axis=1)
    found = ugt.annotators.disagreement_deconvolution(labels, p_flip=rates).primary
    assert found.mean()[:, 1] == pytest.approx(np.clip(each, 0, 1))
    of_cases = ugt.annotators.disagreement_deconvolution(labels, p_flip=[0.1, 0.3]).primary.mean()
    assert of_cases == pytest.approx(np.array([twin.primary([1 / 3, 2 / 3], 0.1), twin.primary([1 / 3, 2 / 3], 0.3)]))


def test_metrics_against_primary_labels_by_some_annotators():
    """Flip rates go with their labels where annotators are left out, and intervals over annotators are there."""
    labels, given = again(k=2, n=40)
    rates = dict(zip("abcd", (0.05, 0.1, 0.2, 0.0)))
    scores = given.mean(axis=(0, 2)) + np.random.default_rng(1).normal(0, 0.3, 40)
    whole = ugt.soft_auroc(ugt.annotators.disagreement_deconvolution(labels, p_flip=rates).primary, scores)
    few = ugt.Labels.from_wide(given[0][:, 2:], classes=2, annotators=["c", "d"])
    once = ugt.Labels.from_wide(given[0], classes=2, annotators=list("abcd"))
    by_group = ugt.resampling.by_annotators(
        ugt.soft_auroc(ugt.annotators.disagreement_deconvolution(once, p_flip=rates).primary, scores), list("xxyy")
    )
    expected = ugt.soft_auroc(ugt.annotators.disagreement_deconvolution(few, p_flip={"c": 0.2, "d": 0.0}).primary, scores).value
    assert by_group.values[1] == pytest.approx(expected)
    low, high = whole.interval(random=("cases", "annotators"))
    assert low < whole.value < high


@pytest.mark.parametrize(("metric", "plain"), [(ugt.soft_auroc, soft.auroc), (ugt.soft_average_precision, soft.average_precision)])
def test_soft_metrics_of_estimates_beyond_0_and_1(metric, plain):
    labels, given = again(k=2, n=40)
    unbiased = ugt.annotators.disagreement_deconvolution(labels, p_flip=0.2).unbiased
    p, scores = unbiased.table[:, 1], np.random.default_rng(1).normal(0, 0.3, 40) + given.mean(axis=(0, 2))
    assert p.min() < 0 and p.max() > 1 and unbiased.table.sum(axis=1) == pytest.approx(1)
    found = metric(unbiased, scores)
    assert found.value == pytest.approx(plain(p, scores), abs=1e-12) and found.hard == pytest.approx(plain((p > 0.5) * 1.0, scores))
    low, high = found.interval(random=("cases", "annotators"))
    assert low < found.value < high
    refused(r"p must be from 0 to 1\. Got", ugt.soft.soft_roc_curve, unbiased, scores)
    refused(r"p must be from 0 to 1\. Got", metric, p, scores)


def test_interval_of_the_flip_rate():
    labels, given = again(k=3, n=60)
    flips = ugt.annotators.disagreement_deconvolution(labels).flips
    differ = (given[0] != given[1]).mean(axis=1)
    drawn = flips.resamples(n_resamples=200, seed=2)
    twins = ugt.bootstrap(differ, n_resamples=200, seed=2)
    assert drawn.values[:, 0] == pytest.approx([twin.flip_rate(d, 3) for d in twins.values[:, 0]], abs=1e-9)
    step, base = 1e-6, differ.sum()
    moved = [twin.flip_rate((base + step * one) / (60 + step), 3) for one in differ]
    assert flips.influence == pytest.approx((np.array(moved) - twin.flip_rate(base / 60, 3)) / step, abs=1e-4)
    for random in (("cases",), ("cases", "annotators")):
        low, high = flips.interval(random=random)
        assert 0 < low < flips.value < high < 2 / 3


ONCE = ugt.Labels.from_wide([[0, 1], [1, 1]], classes=2, annotators=["a", "b"])


@pytest.mark.parametrize(
    ("labels", "p_flip", "message"),
    [
        (ONCE, None, r"p_flip must be given if no annotator labelled a case twice \(to estimate it, have some .* Got None"),
        (ugt.Labels.from_counts([[1, 2]]), None, r"p_flip must be given if no annotator"),
        (ONCE, 0.5, r"p_flip must be from 0 to below 0\.5 \(1 - 1 / K\)\. Got 0\.5"),
        (ONCE, -0.1, r"p_flip must be a finite number of at least 0"),
        (ONCE, [0.1, 0.6], r"p_flip must be from 0 to below 0\.5 .* Got 0\.6, first at 1"),
        (ONCE, [0.1, np.nan], r"p_flip must be from 0 to below 0\.5 .* Got nan"),
        (ONCE, [0.1, 0.1, 0.1], r"p_flip must be one number, one per annotator by name, or 2, one per case\. Got shape \(3,\)"),
        (ONCE, ["x", "y"], r"p_flip must be one number"),
        (ONCE, {"a": 0.1}, r"p_flip must name every annotator\. Got none for annotator 'b'"),
        (ONCE, {"a": 0.1, "b": 0.7}, r"p_flip must be from 0 to below 0\.5 .* Got 0\.7, first at 'b'"),
        (ugt.Labels.from_counts([[1, 2]]), {"a": 0.1}, r"p_flip must name every annotator\. Got labels without names"),
        (ugt.Labels.from_counts([[1], [2]]), 0.1, r"labels must have at least two classes\. Got 1"),
    ],
)
def test_errors(labels, p_flip, message):
    refused(message, ugt.annotators.disagreement_deconvolution, labels, p_flip=p_flip)


def test_labels_that_agree_by_chance_alone():
    labels = labels_of_rows([0, 0, 1, 1], list("aabb"), [0, 1, 1, 1], classes=2)
    refused(r"labels must agree more than by chance .* Got a flip rate of 0\.500", ugt.annotators.disagreement_deconvolution, labels)
    refused(r"labels must be Labels\. Got dict", ugt.annotators.disagreement_deconvolution, {"a": 1}, error=TypeError)
