"""Soft AUROC, average precision and curves: slow twins, scikit-learn, every option, influence, errors, resamples, messages."""

import dataclasses
import itertools
import re
import warnings
from functools import partial

import numpy as np
import pytest
import scipy.special
import scipy.stats
from layouts import layouts
from refusals import refused, warned
from twins import resampling as resampling_twin
from twins import soft as twin

import ugt
from ugt._core import _soft
from ugt.soft.columns import quotient
from ugt.soft.ranking import SoftRanking

pytestmark = pytest.mark.filterwarnings("ignore")

INF, NAN = float("inf"), float("nan")
SELF_PAIRS, SELF_TERMS = ("exclude", "half", "include", "unbiased"), ("certain", "probability")
AVERAGES = ("macro", "weighted")


def problem(seed, n=25, weighted=False):
    """p with zeros and ones, scores with ties and infinities, weights with zeros."""
    rng = np.random.default_rng(seed)
    p = np.where(rng.random(n) < 0.3, rng.integers(0, 2, n), rng.random(n))
    scores = rng.choice([-INF, -1.5, -0.0, 0.0, 0.25, 0.5, 3.0, INF], n) if seed % 2 else rng.normal(size=n)
    weights = rng.choice([0.0, 0.3, 1.0, 2.0, 7.5], n) if weighted else None
    return p, scores, weights


def tables(seed, n=30, n_classes=3, labels=False):
    """``(p, scores, weights)`` of several classes; all scores of a row add up to 1, with ties."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.5), n)
    if labels:
        p = np.eye(n_classes)[np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes))]
    scores = rng.multinomial(8, np.full(n_classes, 1 / n_classes), n) / 8
    return p, scores, rng.random(n) + 0.1


def lists(*arrays):
    return [None if array is None else np.asarray(array).tolist() for array in arrays]


def labels_problem(seed, n=60):
    """Labels of both kinds."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    labels[:2] = 0, 1
    return labels, problem(seed, n)[1], rng.choice([0.5, 1.0, 3.0], n)


def both(metric, *args, **options):
    found = metric(*args, **options)
    return found.value, found.hard


# ---- twins


# each metric of one column, its slow twin, its option
ONE_COLUMN = [
    *((ugt.soft_auroc, twin.auroc, {"self_pairs": self_pairs}) for self_pairs in SELF_PAIRS),
    *((ugt.soft_average_precision, twin.average_precision, {"self_term": self_term}) for self_term in SELF_TERMS),
]
one_column = pytest.mark.parametrize(
    "metric, slow, options", ONE_COLUMN, ids=[next(iter(options.values())) for _, _, options in ONE_COLUMN]
)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(12))
@one_column
def test_values_are_those_of_all_pairs_and_groups(metric, slow, options, seed, weighted):
    p, scores, weights = problem(seed, 3 + 4 * seed, weighted)
    p_list, s, w = lists(p, scores, weights)
    for threshold in (0.5, 0.2):
        found = metric(p, scores, case_weights=weights, threshold=threshold, **options)
        assert found.value == pytest.approx(slow(p_list, s, w, **options), abs=1e-13)
        assert found.hard == pytest.approx(slow(twin.hard(p_list, threshold), s, w, **options), abs=1e-13, nan_ok=True)
        n = len(p) if weights is None else np.count_nonzero(weights)
        assert (found.per_class, found.per_class_hard, found.n_cases) == (None, None, n)
        assert found.left_out.get("case of weight 0", 0) == len(p) - n


@pytest.mark.filterwarnings("ignore:undefined")
@pytest.mark.parametrize("self_term", SELF_TERMS)
@pytest.mark.parametrize("seed", range(20))
def test_average_precision_of_all_orders(seed, self_term):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 6
    p, scores = rng.random(n), rng.integers(0, 1 + seed % 4, n).astype(float)
    if seed >= 12:
        p = np.round(p)
    for weights in (None, rng.multinomial(6, np.full(n, 1 / n)).tolist()):
        found = ugt.soft_average_precision(p, scores, self_term=self_term, ties="expected", frequency=weights)
        with_hard = [
            twin.average_precision_of_orders(lists(x)[0], lists(scores)[0], weights, self_term) for x in (p, np.array(twin.hard(p)))
        ]
        assert (found.value, found.hard) == pytest.approx(with_hard, abs=1e-13, nan_ok=True)
        # the twin for larger groups
        short = twin.average_precision_expected(lists(p)[0], lists(scores)[0], weights, self_term)
        assert short == pytest.approx(with_hard[0], abs=1e-13, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("self_term", SELF_TERMS)
@pytest.mark.parametrize("n, m", [(50, 5), (300, 300), (700, 257), (2000, 2000), (3000, 600)])
def test_expected_precision_of_large_groups(n, m, self_term):
    rng = np.random.default_rng(n)
    p, scores = rng.random(n), -(np.arange(n) // m).astype(float)
    found = ugt.soft_average_precision(p, scores, self_term=self_term, ties="expected").value
    assert found == pytest.approx(twin.average_precision_expected(*lists(p, scores), None, self_term), abs=1e-12)


def test_weights_between_whole_numbers_lie_between():
    """Tied cases of any weight: continuous in the weight, and the whole ones are copies."""
    p, scores = [0.3, 0.9, 0.5], [1.0, 1.0, 0.0]
    one = ugt.soft_average_precision(p, scores, ties="expected").statistic
    found = [one.values(np.array([[w, 2.0, 1.0]]))[0, 0] for w in np.arange(1, 400, 0.5)]
    whole = [twin.average_precision_expected(p, scores, [w, 2, 1]) for w in (1, 2, 3, 100, 254, 255, 256, 399)]
    assert [found[2 * w - 2] for w in (1, 2, 3, 100, 254, 255, 256, 399)] == pytest.approx(whole, abs=1e-12)
    assert (np.diff(found) < 0).all()


def test_expected_precision_of_weights_between_whole_numbers():
    """Two tied cases in m places, with sums over 1 / place as differences of digamma functions."""
    p, w = np.array([0.9, 0.3, 0.6]), np.array([1.2, 0.7, 1.8])
    above, tied, m = w[0], slice(1, None), w[1:].sum()
    places = scipy.special.digamma(above + m + 1) - scipy.special.digamma(above + 1)
    mass, squares, before = w[tied] @ p[tied], w[tied] @ p[tied] ** 2, above * p[0]
    others = (mass**2 - squares) * (m - (above + 1) * places) / (m * (m - 1))
    for self_term, own in (("certain", mass), ("probability", squares)):

        def value(p, scores, w):
            return ugt.soft_average_precision(p, scores, ties="expected", self_term=self_term).statistic.values(w[None])[0, 0]  # noqa: B023

        found = value(p[tied], [1.0, 1.0], w[tied])
        harmonic = scipy.special.digamma(m + 1) - scipy.special.digamma(1)
        expected = own * harmonic / m + (mass**2 - squares) * (m - harmonic) / (m * (m - 1))
        assert found == pytest.approx(expected / mass, abs=1e-12)
        # below a case of weight 1.2: also in places of its own
        alone = value(p[:1], [2.0], w[:1]) * above * p[0]
        found = value(p, [2.0, 1.0, 1.0], w) * (w @ p)
        assert found - alone == pytest.approx((own + mass * before) * places / m + others, abs=1e-12)


def test_hard_labels_are_above_the_threshold():
    p, scores = [0.25, 0.5, 0.75, 0.5, 0.25], [1.0, 2.0, 0.0, 4.0, 3.0]
    for threshold, labels in ((0.5, [0, 0, 1, 0, 0]), (0.25, [0, 1, 1, 1, 0]), (0.49, [0, 1, 1, 1, 0]), (0.0, [1] * 5), (0.75, [0] * 5)):
        for metric, slow in ((ugt.soft_auroc, twin.auroc), (ugt.soft_average_precision, twin.average_precision)):
            found = metric(p, scores, threshold=threshold)
            assert found.hard == pytest.approx(slow(labels, scores), nan_ok=True)
            drawn = found.resamples(n_resamples=30)
            for b in range(30):
                times = resampling_twin.weights(0, b, [5]).tolist()
                assert drawn.values[b, 1] == pytest.approx(slow(labels, scores, times), nan_ok=True)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
def test_columns_are_those_of_the_slow_twin(n_classes, average):
    p, scores, weights = tables(n_classes, n_classes=n_classes)
    for w, self_pairs in itertools.product((None, weights), SELF_PAIRS):
        found = ugt.soft_auroc(p, scores, case_weights=w, average=average, self_pairs=self_pairs)
        for x, value, per_class in ((p, found.value, found.per_class), ((p > 0.5).astype(float), found.hard, found.per_class_hard)):
            expected, each = twin.ovr(partial(twin.auroc, self_pairs=self_pairs), *lists(x, scores, w), average)
            assert value == pytest.approx(expected, abs=1e-13, nan_ok=True)
            np.testing.assert_allclose(per_class, each, atol=1e-13)
    for self_term in SELF_TERMS:
        found = ugt.soft_average_precision(p, scores, case_weights=weights, average=average, self_term=self_term)
        expected, each = twin.ovr(partial(twin.average_precision, self_term=self_term), *lists(p, scores, weights), average)
        assert found.value == pytest.approx(expected, abs=1e-13)
        np.testing.assert_allclose(found.per_class, each, atol=1e-13)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_pairs_of_classes_are_those_of_the_slow_twin(n_classes, average):
    p, scores, weights = tables(n_classes, n_classes=n_classes)
    for w, self_pairs in itertools.product((None, weights), SELF_PAIRS):
        found = ugt.soft_auroc(p, scores, case_weights=w, average=average, self_pairs=self_pairs, multiclass="ovo")
        assert found.value == pytest.approx(twin.ovo(*lists(p, scores, w), average, self_pairs), abs=1e-13)
        hard = (p > 0.5).astype(float)
        assert found.hard == pytest.approx(twin.ovo(*lists(hard, scores, w), average, self_pairs), abs=1e-13)
        assert found.per_class is None and found.per_class_hard is None


# ---- ranges of scores
@pytest.mark.parametrize("expected", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_ranges_of_scores_add_up_to_the_whole(seed, weighted, expected):
    """From the highest down, a tie group in one range; what is above a range are the totals of those before."""
    p, scores, weights = problem(seed, 5 + 30 * seed, weighted)
    kept = [0, 1, 6, 7]  # positive, negative, hard positive, hard negative
    whole = _soft.Scores(scores).sums(p, weights, 0.4, expected)
    values = np.unique(scores)[::-1]
    cuts = np.sort(np.random.default_rng(seed).integers(0, len(values) + 1, 3))
    above, total = np.zeros(4), np.zeros(_soft.N_SUMS)
    for group in np.split(values, cuts):
        own = np.isin(scores, group)
        if not own.any():
            continue
        w = None if weights is None else weights[own]
        sums = _soft.Scores(scores[own]).sums(p[own], w, 0.4, expected, above)
        np.testing.assert_array_equal(sums[kept], _soft.Scores(scores[own]).sums(p[own], w, 0.4, expected)[kept])  # of its own cases
        above, total = above + sums[kept], total + sums
    np.testing.assert_allclose(total, whole, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(_soft.Scores(scores).sums(p, weights, 0.4, expected, np.zeros(4)), whole)


def test_totals_above_count():
    """Two cases of the highest scores are given by their totals."""
    p, weights = np.array([0.75, 0.25, 0.5]), np.array([2.0, 1.0, 4.0])
    above = np.array([2 * 0.75 + 0.25, 2 * 0.25 + 0.75, 2.0, 1.0])
    sums = _soft.Scores(np.zeros(1)).sums(p[2:], weights[2:], 0.5, False, above)
    assert sums.tolist() == [2.0, 2.0, 1.0, 2 * (1.75 + 1), 2 * 3.75 / 7 + 1 / 7, 2 * 3.75 / 7, 0.0, 4.0, 4 * 2.0, 0.0]


@pytest.mark.parametrize("expected", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_groups_by_their_totals(seed, expected):
    """Tied cases, of which only totals are known: the same sums, also when some of them are above; bounds hold for all orders."""
    rng = np.random.default_rng(seed)
    p, scores = np.where(rng.random(9) < 0.4, rng.integers(0, 2, 9), rng.random(9)), rng.integers(0, 4, 9).astype(float)
    table = np.array(twin.totals(*lists(p, scores)))
    whole = _soft.Scores(scores).sums(p, None, 0.5, expected)
    np.testing.assert_allclose(_soft.groups(table[None], None, expected, False)[0, 0], whole, atol=1e-12)
    above = np.append(np.zeros((1, 4)), np.cumsum(table[:-1, [0, 1, 3, 4]], axis=0), axis=0)
    parts = _soft.groups(table[:, None], np.ascontiguousarray(above), expected, False)
    np.testing.assert_allclose(parts.sum(axis=0)[0], whole, atol=1e-12)
    found, low, high = _soft.groups(table[None], None, True, True)[0]
    np.testing.assert_allclose(found, _soft.Scores(scores).sums(p, None, 0.5, True), atol=1e-12)
    orders = np.stack([_soft.Scores(scores + rng.random(9) / 2).sums(p, None, 0.5, False) for _ in range(200)])
    assert (low <= orders.min(axis=0) + 1e-12).all() and (orders.max(axis=0) <= high + 1e-12).all()
    assert (low <= found).all() and (found <= high).all()


def test_groups_that_do_not_fit():
    for shape, above in (((2, 0, 5), None), ((2, 3, 4), None), ((2, 3, 5), (1, 4)), ((2, 3, 5), (2, 3))):
        refused("groups and totals above do not fit", _soft.groups, np.zeros(shape), None if above is None else np.zeros(above), True, True)
    assert (_soft.groups(np.zeros((2, 3, 5)), None, True, True) == 0).all()


# ---- scores sorted once

CALLS = [
    (ugt.soft_auroc, {}),
    (ugt.soft_auroc, {"multiclass": "ovo", "average": "weighted"}),
    (ugt.soft_average_precision, {}),
    (ugt.soft_average_precision, {"ties": "expected"}),
]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("metric, options", CALLS)
def test_scores_sorted_once(metric, options, missing, monkeypatch):
    for p, scores, weights in (tables(3), *((problem(seed, 30, True)) for seed in (0, 1))):
        if p.ndim == 1 and "multiclass" in options:
            continue
        if missing:
            p[[2, 7]] = NAN
        given = None if "ties" in options else weights
        expected, order = metric(p, scores, case_weights=given, **options), ugt.soft.ScoreOrder.of(scores)
        scores[:] = 0  # which nobody sees
        with monkeypatch.context() as changed:
            changed.setattr(_soft, "argsort_descending", None)  # nor is anything sorted again
            found = metric(p, order, case_weights=given, **options)
            np.testing.assert_allclose([found.value, found.hard], [expected.value, expected.hard], atol=1e-14)
            drawn = found.resamples(n_resamples=10, seed=4)
        np.testing.assert_array_equal(drawn.values, expected.resamples(n_resamples=10, seed=4).values)
        if "ties" not in options:
            np.testing.assert_allclose(found.std_error, expected.std_error)
        assert found.n_cases == expected.n_cases and found.left_out == expected.left_out


def test_both_metrics_at_once():
    p, scores, _ = problem(1, 40)
    order = ugt.soft.ScoreOrder.of(scores)
    one = SoftRanking.by_default(p, order)
    found = [metric(p, order) for metric in (ugt.soft_auroc, ugt.soft_average_precision)]
    assert one.names == ("soft_auroc", "hard_auroc", "soft_average_precision", "hard_average_precision")
    np.testing.assert_array_equal(one.estimate, [x for each in found for x in (each.value, each.hard)])
    np.testing.assert_array_equal(one.influence(), np.concatenate([each.statistic.influence() for each in found], axis=1))
    np.testing.assert_array_equal(one.std_error(), [x for each in found for x in (each.std_error, each.hard_std_error)])


def test_orders_that_are_refused():
    refused(r"scores must not be NaN\. Got nan, first at case 1\.", ugt.soft.ScoreOrder.of, [1.0, NAN])
    refused(r"scores must be of shape \(N,\) or \(N, K\)\. Got \(1, 1, 1\)\.", ugt.soft.ScoreOrder.of, [[[1.0]]])
    refused(r"scores must be of the shape of p, \(3,\)\. Got \(2,\)\.", ugt.soft_auroc, [0.1, 0.5, 0.9], ugt.soft.ScoreOrder.of([1, 2]))
    order = ugt.soft.ScoreOrder.of([[3, 1], [2, 2]])
    assert ugt.soft.ScoreOrder.of(order) is order and repr(order) == "ScoreOrder(shape=(2, 2))"
    column = ugt.soft.ScoreOrder.of([2.0, 1.0, 0.0])
    assert ugt.soft.soft_roc_curve([0.9, 0.1, 0.4], column).area == ugt.soft.soft_roc_curve([0.9, 0.1, 0.4], [2.0, 1.0, 0.0]).area


# ---- annotators left out, differences, clusters by id
def labels_of(rng, n=20, n_classes=3):
    """Three annotators, of whom one saw a case by himself; case ids."""
    rows = [(f"p{i}", name, int(rng.integers(0, n_classes))) for i in range(n) for name in "abc" if i > 0 or name == "a"]
    return rows, ugt.Labels.from_long(*zip(*rows), classes=n_classes, cases=[f"p{i}" for i in range(n)])


@pytest.mark.parametrize("metric, options", CALLS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_annotators_left_out(n_classes, metric, options):
    rng = np.random.default_rng(7)
    rows, labels = labels_of(rng, n_classes=n_classes)
    scores = rng.random((20, n_classes)) if n_classes > 2 or options else rng.random(20)
    found = metric(labels, scores, **options)
    for j, name in enumerate("abc"):
        left = [row for row in rows if row[1] != name]
        others = ugt.Labels.from_long(*zip(*left), classes=n_classes, cases=labels.axes.case_ids)
        expected = metric(others, scores, **options)
        one = found.statistic.panel.judged_by(np.arange(3) != j)
        np.testing.assert_allclose(one.estimate, [expected.value, expected.hard], atol=1e-13)
        assert one.kept.sum() == expected.n_cases
        if "ties" not in options:
            np.testing.assert_allclose(one.influence()[:, 0], expected.influence, atol=1e-13)
    np.testing.assert_array_equal(found.statistic.values(annotators=np.ones(3)), [[found.value, found.hard]])
    assert np.isnan(found.statistic.values(annotators=np.zeros(3))).all()
    for unknown in (labels.counts() / labels.counts().sum(1, keepdims=True), ugt.Labels.from_counts(labels.counts())):
        with pytest.raises(ValueError, match="annotators must be named, to be left out one by one"):
            metric(unknown, scores if scores.ndim == 2 else np.stack([-scores, scores], 1), **options).statistic.panel.judged_by(np.ones(3))


# ---- scikit-learn
@pytest.mark.parametrize("seed", range(8))
def test_labels_as_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    labels, scores, weights = labels_problem(seed)
    finite = np.nan_to_num(scores, posinf=100, neginf=-100)  # all that scikit-learn takes
    for w in (None, weights):
        area = pytest.approx(metrics.roc_auc_score(labels, finite, sample_weight=w), abs=1e-13)
        precision = pytest.approx(metrics.average_precision_score(labels, finite, sample_weight=w), abs=1e-13)
        for truth in (labels, labels.astype(bool), labels.astype(np.float32)):
            for self_pairs in SELF_PAIRS:
                assert both(ugt.soft_auroc, truth, scores, case_weights=w, self_pairs=self_pairs) == (area, area)
            for self_term in SELF_TERMS:
                assert both(ugt.soft_average_precision, truth, scores, case_weights=w, self_term=self_term) == (precision, precision)


@pytest.mark.parametrize("seed", range(8))
def test_doubled_data_as_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    p, scores, weights = problem(seed, 40, seed >= 4)
    w = np.ones(40) if weights is None else weights
    labels, shares = np.repeat([1, 0], 40), np.append(w * p, w * (1 - p))
    finite = np.tile(np.nan_to_num(scores, posinf=100, neginf=-100), 2)
    area = metrics.roc_auc_score(labels, finite, sample_weight=shares)
    assert ugt.soft_auroc(p, scores, self_pairs="half", case_weights=weights).value == pytest.approx(area, abs=1e-13)
    precision = metrics.average_precision_score(labels, finite, sample_weight=shares)
    assert ugt.soft_average_precision(p, scores, self_term="probability", case_weights=weights).value == pytest.approx(precision, abs=1e-13)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("n_classes", [3, 4, 6])
def test_classes_as_scikit_learn(n_classes, average):
    metrics = pytest.importorskip("sklearn.metrics")
    p, scores, weights = tables(n_classes, 80, n_classes, labels=True)
    labels = p.argmax(1)
    for w in (None, weights):
        expected = metrics.roc_auc_score(labels, scores, multi_class="ovr", average=average, sample_weight=w)
        assert both(ugt.soft_auroc, p, scores, average=average, case_weights=w) == pytest.approx((expected, expected), abs=1e-13)
        each = metrics.roc_auc_score(p, scores, average=None, sample_weight=w)
        np.testing.assert_allclose(ugt.soft_auroc(p, scores, case_weights=w).per_class, each, atol=1e-13)
        expected = metrics.average_precision_score(p, scores, average=average, sample_weight=w)
        found = both(ugt.soft_average_precision, p, scores, average=average, case_weights=w)
        assert found == pytest.approx((expected, expected), abs=1e-13)
    expected = metrics.roc_auc_score(labels, scores, multi_class="ovo", average=average)
    assert both(ugt.soft_auroc, p, scores, average=average, multiclass="ovo") == pytest.approx((expected, expected), abs=1e-13)


# ---- curves

CURVES = [
    (ugt.soft.soft_roc_curve, ("false_positive_rate", "true_positive_rate", "thresholds"), twin.roc_points, twin.trapezoids),
    (ugt.soft.soft_precision_recall_curve, ("precision", "recall", "thresholds"), twin.precision_recall_points, twin.steps),
]


def same_points(found, names, expected):
    for name, values in zip(names, expected):
        np.testing.assert_allclose(getattr(found, name), values, atol=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_curves_as_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    labels, scores, weights = labels_problem(2 * seed)
    theirs = (partial(metrics.roc_curve, drop_intermediate=False), metrics.precision_recall_curve)
    for (curve, names, *_), their in zip(CURVES, theirs):
        for w in (None, weights):
            found = curve(labels, scores, case_weights=w, drop_intermediate=False)
            same_points(found, names, their(labels, scores, sample_weight=w))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_curves_are_those_of_the_slow_twin(seed, weighted):
    p, scores, _ = problem(seed)
    weights = np.random.default_rng(seed).random(len(p)) + 0.1 if weighted else None
    areas = (
        ugt.soft_auroc(p, scores, self_pairs="half", case_weights=weights).value,
        ugt.soft_average_precision(p, scores, self_term="probability", case_weights=weights).value,
    )
    for (curve, names, points, area_of), area in zip(CURVES, areas):
        found, expected = curve(p, scores, case_weights=weights, drop_intermediate=False), points(*lists(p, scores, weights))
        same_points(found, names, expected)
        assert found.area == pytest.approx(area_of(*expected[:2]), abs=1e-13) == pytest.approx(area, abs=1e-13)


@pytest.mark.parametrize("seed", range(10))
def test_dropped_points(seed):
    p, scores, weights = problem(seed, 300, seed >= 5)
    if seed % 3 == 0:
        p = np.round(p)
    whole, short = (ugt.soft.soft_roc_curve(p, scores, case_weights=weights, drop_intermediate=drop) for drop in (False, True))
    assert short.area == whole.area
    assert twin.trapezoids(short.false_positive_rate, short.true_positive_rate) == pytest.approx(whole.area, abs=1e-12)
    assert (short.false_positive_rate[[0, -1]] == [0, 1]).all() and (short.true_positive_rate[[0, -1]] == [0, 1]).all()
    assert short.thresholds[0] == INF
    kept = np.isin(whole.thresholds, short.thresholds)
    np.testing.assert_array_equal(np.unique(short.thresholds), np.unique(whole.thresholds[kept]))

    whole, short = (ugt.soft.soft_precision_recall_curve(p, scores, case_weights=weights, drop_intermediate=drop) for drop in (False, True))
    assert short.area == whole.area
    assert twin.steps(short.precision, short.recall) == pytest.approx(whole.area, abs=1e-12)
    assert (short.precision[-1], short.recall[-1], short.recall[0]) == (1, 0, 1)
    assert len(short.precision) == len(short.recall) == len(short.thresholds) + 1
    assert (np.diff(short.recall[1:]) < 0).all()  # the lowest score stays as it is in scikit-learn


def test_points_that_are_dropped():
    labels, scores = [1, 1, 1, 0, 0, 1, 0, 0], [9, 8, 7, 6, 5, 4, 3, 2]
    roc = ugt.soft.soft_roc_curve(labels, scores)
    assert roc.thresholds.tolist() == [INF, 7, 5, 4, 2]
    assert roc.false_positive_rate.tolist() == [0, 0, 0.5, 0.5, 1] and roc.true_positive_rate.tolist() == [0, 0.75, 0.75, 1, 1]
    curve = ugt.soft.soft_precision_recall_curve(labels, scores)
    assert curve.thresholds.tolist() == [2, 4, 7, 8, 9]
    assert curve.recall.tolist() == [1, 1, 0.75, 0.5, 0.25, 0]
    # a straight line between other points than the ends
    p, scores = [0.5, 0.5, 0.5, 0.25, 0.25], [5, 4, 3, 2, 1]
    assert ugt.soft.soft_roc_curve(p, scores).thresholds.tolist() == [INF, 3, 1]
    assert len(ugt.soft.soft_roc_curve(p, scores, drop_intermediate=False).thresholds) == 6


def test_undefined_curves():
    found = ugt.soft.soft_roc_curve([0.0, 0.0], [1.0, 2.0])
    assert np.isnan(found.area) and np.isnan(found.true_positive_rate).all() and found.false_positive_rate.tolist() == [0, 1]
    found = ugt.soft.soft_roc_curve([1.0, 1.0], [1.0, 2.0])
    assert np.isnan(found.area) and np.isnan(found.false_positive_rate).all() and found.true_positive_rate.tolist() == [0, 1]
    found = ugt.soft.soft_precision_recall_curve([0.0, 0.0], [1.0, 2.0])
    assert np.isnan(found.area) and np.isnan(found.recall[:-1]).all() and found.recall[-1] == 0 and found.precision[-1] == 1


@pytest.mark.parametrize("drop_intermediate", [False, True])
def test_cases_of_weight_zero_are_not_in_curves(drop_intermediate):
    p, scores, weights = [0.3, 0.9, 0.2, 0.6, 0.5], [9.0, 8.0, 7.0, 7.0, 1.0], [0.0, 1.0, 0.0, 2.0, 0.0]
    at = [1, 3]
    for curve in (ugt.soft.soft_roc_curve, ugt.soft.soft_precision_recall_curve):
        found = curve(p, scores, case_weights=weights, drop_intermediate=drop_intermediate)
        expected = curve([p[i] for i in at], [scores[i] for i in at], case_weights=[1.0, 2.0], drop_intermediate=drop_intermediate)
        for one in dataclasses.fields(expected):
            np.testing.assert_allclose(getattr(found, one.name), getattr(expected, one.name), atol=1e-14, err_msg=one.name)


# ---- corners
@pytest.mark.parametrize("n", [1, 2, 100])
def test_constant_scores(n):
    p = np.random.default_rng(n).random(n) * 0.8 + 0.1
    for scores in (np.zeros(n), np.full(n, INF), np.full(n, -INF), np.where(np.arange(n) % 2, 0.0, -0.0)):
        assert ugt.soft_auroc(p, scores, self_pairs="half").value == pytest.approx(0.5, abs=1e-14)
        own = (p * (1 - p)).sum() / p.sum() / (1 - p).sum() / 2
        assert ugt.soft_auroc(p, scores).value == pytest.approx(0.5 - own, abs=1e-14)
        assert ugt.soft_auroc(p, scores, self_pairs="include").value == pytest.approx(0.5 + own, abs=1e-14)
        assert n == 1 or ugt.soft_auroc(p, scores, self_pairs="unbiased").value == pytest.approx(0.5, abs=1e-14)
        assert ugt.soft_average_precision(p, scores, self_term="probability").value == pytest.approx(p.mean(), abs=1e-14)


def test_one_case():
    found = {self_pairs: ugt.soft_auroc([0.4], [7.0], self_pairs=self_pairs) for self_pairs in SELF_PAIRS}
    assert {name: score.value for name, score in found.items()} == pytest.approx(
        {"exclude": 0, "half": 0.5, "include": 1, "unbiased": NAN}, nan_ok=True
    )
    assert all(np.isnan(score.hard) and np.isnan(score.std_error) and np.isnan(score.hard_std_error) for score in found.values())
    for ties in ("group", "expected"):
        assert ugt.soft_average_precision([0.4], [7.0], ties=ties).value == pytest.approx(1)
        assert ugt.soft_average_precision([0.4], [7.0], ties=ties, self_term="probability").value == pytest.approx(0.4)
    assert np.isnan(ugt.soft_average_precision([0.4], [7.0]).std_error)
    for kind in ("analytic", "percentile", "basic", "bca"):
        assert np.isnan(found["exclude"].interval(kind=kind)).all()


@pytest.mark.parametrize("p, auroc, precision", [(0.0, NAN, NAN), (1.0, NAN, 1.0)])
def test_one_kind_of_case(p, auroc, precision):
    scores = [3.0, 2.0, 2.0, -INF]
    truth = np.full(4, p)
    for self_pairs in SELF_PAIRS:
        found = warned(r"undefined: class without positives or negatives", ugt.soft_auroc, truth, scores, self_pairs=self_pairs)
        assert (found.value, found.hard) == pytest.approx((auroc, auroc), nan_ok=True)
        assert found.left_out == {"class without positives or negatives": 1}
        assert np.isnan(
            [found.std_error, found.hard_std_error, *found.interval(kind="analytic"), *found.interval(kind="bca", n_resamples=20)]
        ).all()
        assert np.isnan(found.influence).all() and found.influence.shape == (4,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if p == 0 else "error")
        for self_term, ties in itertools.product(SELF_TERMS, ("group", "expected")):
            found = ugt.soft_average_precision(truth, scores, self_term=self_term, ties=ties)
            assert (found.value, found.hard) == pytest.approx((precision, precision), nan_ok=True)
            assert found.left_out == ({"class without positives": 1} if p == 0 else {})


def test_weights_that_leave_nothing():
    for metric in (ugt.soft_auroc, ugt.soft_average_precision):
        with pytest.warns(RuntimeWarning, match=r"undefined"):
            found = metric([NAN, 0.6], [1.0, 2.0], case_weights=[1.0, 0.0])
        assert np.isnan([found.value, *found.interval()]).all() and found.n_cases == 0
        refused("case_weights must be finite numbers .*Got 0 for all", metric, [0.3, 0.6], [1.0, 2.0], case_weights=[0.0, 0.0])


@pytest.mark.parametrize("average", AVERAGES)
def test_columns_without_a_value_are_left_out(average):
    p, scores, weights = tables(4, n_classes=4)
    p[:, 2] = 0
    p /= p.sum(1, keepdims=True)
    rest = [0, 1, 3]
    options = {"case_weights": weights, "average": average}
    found, expected = (ugt.soft_auroc(x, s, **options) for x, s in ((p, scores), (p[:, rest], scores[:, rest])))
    assert found.value == pytest.approx(expected.value, abs=1e-14) and found.hard == pytest.approx(expected.hard, abs=1e-14)
    np.testing.assert_allclose(found.per_class[rest], expected.per_class, atol=1e-14)
    assert np.isnan(found.per_class[2]) and found.left_out == {"class without positives or negatives": 1} and expected.left_out == {}
    np.testing.assert_allclose(found.influence, expected.influence, atol=1e-15)
    assert found.std_error == pytest.approx(expected.std_error)
    found, expected = (ugt.soft_average_precision(x, s, **options) for x, s in ((p, scores), (p[:, rest], scores[:, rest])))
    assert found.value == pytest.approx(expected.value, abs=1e-14) and np.isnan(found.per_class[2])
    assert found.left_out == {"class without positives": 1}
    found, expected = (ugt.soft_auroc(x, s, multiclass="ovo", **options) for x, s in ((p, scores), (p[:, rest], scores[:, rest])))
    assert found.value == pytest.approx(expected.value, abs=1e-14) and expected.left_out == {}
    assert found.left_out == {"pair of classes without cases of one of them": 3}


@pytest.mark.slow
def test_many_cases():
    """Ranks and cumulative sums, for tens of thousands of cases in many buckets of the sort."""
    rng = np.random.default_rng(11)
    n = 200_000
    for scores in (rng.normal(size=n), rng.integers(0, 3000, n) / 7, rng.normal(size=n).astype(np.float32), rng.lognormal(0, 8, n)):
        p = scipy.stats.norm.cdf(scipy.stats.rankdata(scores.astype(float)) / n - rng.random(n))
        u, v = p / p.sum(), (1 - p) / (1 - p).sum()
        order = np.argsort(-scores, kind="stable")
        ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
        x, y = (np.append(0, np.cumsum(part[order])[ends]) for part in (v, u))
        area = ugt.soft_auroc(p, scores, self_pairs="half").value
        assert area == pytest.approx(((y[1:] + y[:-1]) / 2 * np.diff(x)).sum(), abs=1e-11)
        precision = y[1:] * p.sum() / (ends + 1)
        found = ugt.soft_average_precision(p, scores, self_term="probability").value
        assert found == pytest.approx((np.diff(y) * precision).sum(), abs=1e-11)
        roc = ugt.soft.soft_roc_curve(p, scores)
        assert (roc.area, twin.trapezoids(roc.false_positive_rate, roc.true_positive_rate)) == pytest.approx((area, area), abs=1e-11)
        labels = p > 0.6
        ranks = scipy.stats.rankdata(scores.astype(float))  # of float32 some versions return float32
        wilcoxon = (ranks[labels].sum() - labels.sum() * (labels.sum() + 1) / 2) / labels.sum() / (~labels).sum()
        assert ugt.soft_auroc(labels, scores).value == pytest.approx(wilcoxon, abs=1e-12)


# ---- what is taken
def test_kinds_of_input():
    p, scores, weights = problem(2, 40, True)
    expected = both(ugt.soft_auroc, p, scores, case_weights=weights)
    for x, s, w in zip(*(layouts(array).values() for array in (p, scores, weights))):
        assert both(ugt.soft_auroc, x, s, case_weights=w) == pytest.approx(expected, abs=1e-14)
        assert ugt.soft_average_precision(x, s, case_weights=w).influence.shape == (40,)
        assert ugt.soft.soft_roc_curve(x, s, case_weights=w, drop_intermediate=False).area == pytest.approx(
            ugt.soft_auroc(p, scores, case_weights=weights, self_pairs="half").value, abs=1e-14
        )


@pytest.mark.parametrize("dtype", [np.float32, ">f4", np.float16, np.int8, np.int64, np.uint16])
def test_types_of_scores(dtype):
    p, scores, _ = problem(5)
    scores = np.abs(np.nan_to_num(scores, posinf=10, neginf=-11)).astype(dtype)
    for metric in (ugt.soft_auroc, ugt.soft_average_precision):
        assert both(metric, p, scores) == both(metric, p, scores.astype(float))
    found, expected = ugt.soft.soft_roc_curve(p, scores), ugt.soft.soft_roc_curve(p, scores.astype(float))
    np.testing.assert_array_equal(found.thresholds, expected.thresholds)


def test_single_precision_of_scores_and_of_p():
    p, _, _ = problem(0, 50)
    scores = np.random.default_rng(1).normal(size=50).astype(np.float32)
    expected = twin.auroc(*lists(p, scores))
    assert ugt.soft_auroc(p, scores).value == pytest.approx(expected, abs=1e-13)
    assert ugt.soft_auroc(p.astype(np.float32), scores).value == pytest.approx(expected, abs=1e-6)


def test_columns_of_any_layout():
    p, scores, weights = tables(3)
    expected = ugt.soft_auroc(p, scores, case_weights=weights)
    for x, s in ((np.asfortranarray(p), np.asfortranarray(scores)), (p[::-1][::-1], scores.astype(">f8")), lists(p, scores)):
        found = ugt.soft_auroc(x, s, case_weights=weights)
        np.testing.assert_array_equal(found.per_class, expected.per_class)
        assert ugt.soft_auroc(x, s, multiclass="ovo").value == ugt.soft_auroc(p, scores, multiclass="ovo").value


def test_plausibilities():
    rng = np.random.default_rng(3)
    alpha = rng.random((20, 3)) + 0.2
    draws = rng.dirichlet(np.ones(3), (20, 7))
    scores = rng.random((20, 3))
    for truth in (ugt.Point.from_array(alpha / alpha.sum(1, keepdims=True)), ugt.Dirichlet.from_array(alpha), ugt.Draws.from_array(draws)):
        for metric in (ugt.soft_auroc, ugt.soft_average_precision):
            found, expected = metric(truth, scores), metric(truth.mean(), scores)
            assert (found.value, found.hard) == (expected.value, expected.hard)
            np.testing.assert_array_equal(found.per_class, expected.per_class)
    # two classes, one column of scores: the second class
    for truth in (ugt.Point.from_array(alpha[:, :2] / alpha[:, :2].sum(1, keepdims=True)), ugt.Dirichlet.from_array(alpha[:, :2])):
        found, expected = ugt.soft_auroc(truth, scores[:, 1]), ugt.soft_auroc(truth.mean()[:, 1], scores[:, 1])
        assert found.value == expected.value and found.per_class is None
        assert ugt.soft.soft_roc_curve(truth, scores[:, 1]).area == ugt.soft.soft_roc_curve(truth.mean()[:, 1], scores[:, 1]).area
    refused(r"scores must be of the shape of p, \(20, 2\)\. Got \(20,\)\.", ugt.soft_auroc, np.full((20, 2), 0.5), scores[:, 1])


def test_cases_without_annotations():
    p, scores, weights = problem(4, 30)[0], problem(4, 30)[1], np.random.default_rng(0).random(30)
    gone = [0, 7, 29]
    kept = np.setdiff1d(np.arange(30), gone)
    missing = p.copy()
    missing[gone] = NAN
    for metric in (ugt.soft_auroc, ugt.soft_average_precision):
        found, expected = metric(missing, scores, case_weights=weights), metric(p[kept], scores[kept], case_weights=weights[kept])
        three = (expected.value, expected.hard, expected.std_error)
        assert (found.value, found.hard, found.std_error) == pytest.approx(three, rel=1e-13)  # weights have another mean
        assert (found.n_cases, found.left_out) == (27, {"case without annotations": 3})
        np.testing.assert_allclose(found.influence[kept], expected.influence, atol=1e-15)
        assert (found.influence[gone] == 0).all() and len(found.influence) == 30
        # ids stand for all cases, also for those left out
        clusters = np.arange(30) // 3
        for kind in ("analytic", "percentile", "bca"):
            interval = found.interval(kind=kind, clusters=clusters, n_resamples=50)
            assert interval == pytest.approx(expected.interval(kind=kind, clusters=clusters[kept], n_resamples=50), rel=1e-12)
    for curve in (ugt.soft.soft_roc_curve, ugt.soft.soft_precision_recall_curve):
        found, expected = curve(missing, scores, case_weights=weights), curve(p[kept], scores[kept], case_weights=weights[kept])
        assert found.area == pytest.approx(expected.area, rel=1e-13)
    # a row of a table, and of plausibilities
    table, scores, _ = tables(1)
    table[4] = NAN
    expected = ugt.soft_auroc(np.delete(table, 4, 0), np.delete(scores, 4, 0))
    for truth in (table, ugt.Point.from_array(table)):
        found = ugt.soft_auroc(truth, scores)
        assert found.value == pytest.approx(expected.value, abs=1e-14) and found.left_out == {"case without annotations": 1}
        assert ugt.soft_auroc(truth, scores, multiclass="ovo").n_cases == 29


def test_labels_of_several_readers():
    labels = ugt.Labels.from_long([1, 1, 1, 2, 2, 3, 4, 4], list("abcabaab"), [1, 1, 0, 0, 1, 1, 0, 0], cases=[1, 2, 3, 4, 5], classes=2)
    for truth in (labels, ugt.votes(labels, kind="mean")):
        found = ugt.soft_auroc(truth, [0.9, 0.5, 0.7, 0.1, 0.4])
        assert found.value == pytest.approx(twin.auroc([2 / 3, 1 / 2, 1, 0], [0.9, 0.5, 0.7, 0.1]))
        assert found.left_out == {"case without annotations": 1}


# ---- influence and standard errors
def moved(found, times=1.0, step=1e-5):
    """Central differences by how many times each case is there."""
    factors = np.concatenate([np.eye(len(found.influence)) * sign * step for sign in (-1, 1)]) + times
    low, high = np.split(found.statistic.values(factors)[:, 0], 2)
    return (high - low) / (2 * step)


def linearised(influence):
    """Root of n / (n - 1) Σ (z - mean z)²."""
    return twin.clustered_error(np.array(influence) - np.mean(influence))


@pytest.mark.parametrize("weighted", [False, True])
@one_column
def test_influence(metric, slow, options, weighted):
    for seed in range(6):
        p, scores, weights = problem(seed, 16, weighted)
        found = metric(p, scores, case_weights=weights, **options)
        p_list, s, w = lists(p, scores, weights)
        expected = twin.influence(lambda times: slow(p_list, s, w, **options, times=times), [1.0] * 16)  # noqa: B023
        np.testing.assert_allclose(found.influence, expected, atol=1e-13)
        if next(iter(options.values())) in ("half", "probability"):  # twice as many of each case: the same value
            assert found.influence.sum() == pytest.approx(0, abs=1e-13)
        np.testing.assert_allclose(found.influence, moved(found), atol=1e-8)
        hard = twin.influence(lambda times: slow(twin.hard(p_list), s, w, **options, times=times), [1.0] * 16)  # noqa: B023
        if weights is not None:
            kept = weights > 0
            errors = [linearised(np.array(each)[kept]) for each in (expected, hard)]
        elif metric is ugt.soft_average_precision:
            errors = [twin.clustered_error(each) for each in (expected, hard)]
        else:
            errors = [twin.soft_delong(p_list, s, **options), twin.soft_delong(twin.hard(p_list), s, **options)]
        assert (found.std_error, found.hard_std_error) == pytest.approx(errors, rel=1e-11, abs=1e-13, nan_ok=True)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", ["ovr", "ovo", "average precision"])
def test_influence_on_averages(name, average):
    table, scores, weights = tables(6, 15)
    metric = ugt.soft_average_precision if name == "average precision" else ugt.soft_auroc
    slow = {
        "ovr": lambda w, times: twin.ovr(twin.auroc, *lists(table, scores, w), average, times)[0],
        "ovo": lambda w, times: twin.ovo(*lists(table, scores, w), average, times=times),
        "average precision": lambda w, times: twin.ovr(twin.average_precision, *lists(table, scores, w), average, times)[0],
    }[name]
    options = {"average": average, **({"multiclass": "ovo"} if name == "ovo" else {})}
    for given in (None, weights):
        found = metric(table, scores, case_weights=given, **options)
        expected = twin.influence(partial(slow, given), [1.0] * 15)
        np.testing.assert_allclose(found.influence, expected, atol=1e-13)
        assert found.std_error == pytest.approx((twin.clustered_error if given is None else linearised)(expected), rel=1e-11)
        assert found.std_error > 0


@pytest.mark.parametrize("seed", range(10))
def test_standard_error_is_delong_s(seed):
    labels, scores, _ = labels_problem(seed, 12 + 5 * seed)
    expected = twin.delong(*lists(labels, scores))
    for self_pairs in SELF_PAIRS:
        found = ugt.soft_auroc(labels, scores, self_pairs=self_pairs)
        assert (found.std_error, found.hard_std_error) == pytest.approx((expected, expected), rel=1e-12)
    # against p the hard twin has DeLong's
    soft = labels * 0.4 + 0.3
    found = ugt.soft_auroc(soft, scores)
    assert found.hard_std_error == pytest.approx(expected, rel=1e-12) and found.std_error != pytest.approx(expected, rel=1e-3)
    # for a column of a table too
    found = ugt.soft_auroc(labels[:, None], scores[:, None])
    assert found.std_error == pytest.approx(expected, rel=1e-12)


def test_standard_error_of_one_positive():
    for p in ([1, 0, 0, 0], [1, 1e-14, 0, 0]):
        found = ugt.soft_auroc(p, [2.0, 3.0, 1.0, 0.0])
        assert np.isnan(found.std_error) and np.isnan(found.interval(kind="analytic")).all()


def test_standard_errors_of_many_cases_are_those_of_the_bootstrap():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=800)
    p = scipy.stats.norm.cdf(scores + rng.normal(size=800))
    weights = rng.choice([1.0, 2.0, 3.0], 800)
    for metric, w in itertools.product((ugt.soft_auroc, ugt.soft_average_precision), (None, weights)):
        found = metric(p, scores, case_weights=w)
        drawn = found.resamples(n_resamples=2000, seed=1)
        assert (found.std_error, found.hard_std_error) == pytest.approx(tuple(drawn.std_error), rel=0.08)
        assert found.std_error == pytest.approx(twin.clustered_error(found.influence), rel=0.01)


# ---- intervals
@pytest.mark.parametrize("metric", [ugt.soft_auroc, ugt.soft_average_precision])
def test_analytic_interval(metric):
    p, scores, _ = problem(4, 60)
    found = metric(p, scores)
    clusters = np.random.default_rng(0).integers(0, 20, 60)
    for level, ids in itertools.product((0.5, 0.95), (None, clusters)):
        spread = found.std_error if ids is None else twin.clustered_error(found.influence, ids)
        z = scipy.stats.norm.ppf(0.5 + level / 2)
        middle = np.log(found.value / (1 - found.value))
        ends = middle + np.array([-z, z]) * spread / (found.value * (1 - found.value))
        assert found.interval(level, kind="analytic", clusters=ids) == pytest.approx(tuple(1 / (1 + np.exp(-ends))), rel=1e-10)
    # clusters of one case, whatever they are called
    alone = found.interval(kind="analytic", clusters=[f"case {i}" for i in range(60)])
    assert alone == pytest.approx(found.interval(kind="analytic"), rel=0.02)


def test_intervals_without_a_spread():
    """Perfect scores: an error of 0 says nothing, and two positives of four cases nothing either."""
    found = ugt.soft_auroc([1, 1, 0, 0], [4, 3, 2, 1])
    assert found.value == 1 and found.std_error == 0
    for kind in ("auto", "analytic", "percentile"):
        assert found.interval(kind=kind, n_resamples=50) == (0, 1)
    many = ugt.soft_auroc([1] * 30 + [0] * 70, range(100, 0, -1)).interval()
    assert many == (pytest.approx(1 - (1 - 0.025 ** (1 / 100)) * 100 / 30), 1)
    found = ugt.soft_auroc([0.2, 0.7, 0.6, 0.4], [1, 1, 1, 1], self_pairs="half")
    assert found.std_error == pytest.approx(0, abs=1e-12)


@one_column
def test_resamples_are_those_of_the_slow_twin(metric, slow, options):
    p, scores, _ = problem(3, 21)
    p_list, s = lists(p, scores)
    clusters, strata = np.arange(21) // 2, np.where(np.arange(21) < 8, "a", "b")
    found = metric(p, scores, **options)
    for ids, groups in ((None, None), (clusters, None), (clusters, strata)):
        drawn = found.resamples(clusters=ids, strata=groups, n_resamples=12, seed=5)
        assert drawn.sources == (("cases",) if ids is None else ("clusters",))
        np.testing.assert_array_equal(drawn.estimate, [found.value, found.hard])
        for b in range(12):
            names = list(range(21)) if ids is None else ids.tolist()
            times = resampling_twin.case_weights(5, b, names, groups).tolist()
            expected = [slow(x, s, **options, times=times) for x in (p_list, twin.hard(p_list))]
            np.testing.assert_allclose(drawn.values[b], expected, atol=1e-12)
        sums = found.influence if ids is None else np.bincount(ids, found.influence)
        within = [slice(0, None)] if groups is None else [slice(0, 4), slice(4, None)]  # clusters of a stratum
        centred = np.concatenate([sums[at] - sums[at].mean() for at in within])
        np.testing.assert_allclose(drawn._units.influence()[:, 0], centred, atol=1e-14)
        for kind in ("percentile", "basic", "bca"):
            again = found.interval(0.9, kind=kind, clusters=ids, strata=groups, n_resamples=12, seed=5)
            assert again == tuple(drawn.interval(0.9, kind)[0])


@one_column
def test_resamples_with_weights_are_those_of_the_slow_twin(metric, slow, options):
    """Of three strata, one unit less is drawn than each has, by Rao & Wu."""
    p, scores, weights = problem(3, 21, True)
    p_list, s, w = lists(p, scores, weights)
    strata = np.arange(21) % 3
    found, kept = metric(p, scores, case_weights=weights, **options), weights > 0
    times = np.zeros((40, 21))
    times[:, kept] = found.statistic.units(None, strata[kept]).weights(5, 0, 40)
    for h in range(3):
        n = (kept & (strata == h)).sum()
        whole = times[:, strata == h] * (n - 1) / n
        np.testing.assert_allclose(whole, np.rint(whole), atol=1e-12)
        np.testing.assert_allclose(whole.sum(axis=1), n - 1)
    expected = [[slow(x, s, w, **options, times=each) for x in (p_list, twin.hard(p_list))] for each in times.tolist()]
    np.testing.assert_allclose(found.resamples(strata=strata, n_resamples=40, seed=5).values, expected, atol=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", ["ovr", "ovo", "average precision", "expected"])
def test_resamples_of_averages(name, average):
    table, scores, _ = tables(8, 14)
    metric = ugt.soft_auroc if name.startswith("ov") else ugt.soft_average_precision
    options = {"ovo": {"multiclass": "ovo"}, "expected": {"ties": "expected"}}.get(name, {})
    found = metric(table, scores, average=average, **options)
    drawn = found.resamples(n_resamples=15, seed=2)
    for b in range(15):
        times = resampling_twin.weights(2, b, [14])
        expected = metric(table, scores, frequency=times, average=average, **options)
        np.testing.assert_allclose(drawn.values[b], [expected.value, expected.hard], atol=1e-12)


@pytest.mark.parametrize("self_term", SELF_TERMS)
def test_influence_of_expected_ties(self_term):
    """Groups of no more than one case count as they are."""
    for seed in range(6):
        p, scores, _ = problem(seed, 16)
        options = {"self_term": self_term, "ties": "expected"}
        times = np.random.default_rng(seed).integers(2, 6, 16)
        found = ugt.soft_average_precision(p, scores, frequency=times, **options)
        np.testing.assert_allclose(found.influence, moved(found, times), atol=1e-8)
        alone, counted = (ugt.soft_average_precision(p, np.argsort(p), **{**options, "ties": ties}) for ties in ("expected", "group"))
        np.testing.assert_allclose(alone.influence, counted.influence, atol=1e-15)
        low, high = found.interval(kind="analytic")
        assert low < found.value < high


# ---- messages

FUNCTIONS = [ugt.soft_auroc, ugt.soft_average_precision, ugt.soft.soft_roc_curve, ugt.soft.soft_precision_recall_curve]
every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


@pytest.mark.filterwarnings("error")
@every_function
@pytest.mark.parametrize(
    "p, scores, weights, message",
    [
        ([0.1, 1.5, 0.2], [1, 2, 3], None, r"p must be from 0 to 1\. Got 1\.5, first at case 1\."),
        ([0.1, 0.5, -1e-9], [1, 2, 3], None, r"p must be from 0 to 1\. Got -1e-09, first at case 2\."),
        ([0.1, INF, NAN], [1, 2, 3], None, r"p must be from 0 to 1\. Got inf, first at case 1\."),
        ([NAN, NAN], [1, 2], None, r"p must hold a probability for at least one case\. Got NaN in all of them\."),
        ([0.1, 0.5, 0.9], [1, 2], None, r"scores must be of the shape of p, \(3,\)\. Got \(2,\)\."),
        ([0.1, 0.5, 0.9], [[1], [2], [3]], None, r"scores must be of the shape of p, \(3,\)\. Got \(3, 1\)\."),
        *(([0.1, x, 0.9], [1, NAN, 3], None, r"scores must not be NaN\. Got nan, first at case 1\.") for x in (0.5, NAN)),
        ([0.1, 0.5, 0.9], ["a", "b", "c"], None, r"scores must be numbers\. Got [<>]U1\."),
        ([0.1, 0.5, 0.9], [1, 2, 3j], None, r"scores must be numbers\. Got complex128\."),
        (["a", "b"], [1, 2], None, r"p must be numbers of shape \(N,\) or \(N, K\)\. Got [<>]U1 of shape \(2,\)\."),
        (0.5, 1.0, None, r"p must be numbers of shape \(N,\) or \(N, K\)\. Got float64 of shape \(\)\."),
        ([], [], None, r"p must be numbers of shape \(N,\) or \(N, K\)\. Got float64 of shape \(0,\)\."),
        ([[[0.5]]], [[[1]]], None, r"p must be numbers of shape \(N,\) or \(N, K\)\. Got float64 of shape \(1, 1, 1\)\."),
        (None, [1, 2], None, r"p must be numbers of shape"),
        ([0.1, 0.5], None, None, r"scores must be numbers\. Got object\."),
        *(
            (
                [0.1, 0.5, 0.9],
                [1, 2, 3],
                weights,
                rf"case_weights must be finite numbers of at least 0, .*\. Got {got}, first at case {i}\.",
            )
            for weights, got, i in (([1, -1, 1], "-1", 1), ([1, 1, NAN], "nan", 2), ([INF, 1, 1], "inf", 0), (list("abc"), "'a'", 0))
        ),
        ([0.1, 0.5, 0.9], [1, 2, 3], [1.0, 1.0], r"case_weights must be 3 numbers, one per case\. Got shape \(2,\)\."),
        ([0.1, 0.5, 0.9], [1, 2, 3], 2.0, r"case_weights must be 3 numbers, one per case\. Got shape \(\)\."),
    ],
)
def test_bad_input(function, p, scores, weights, message):
    refused(message, function, p, scores, case_weights=weights)


@pytest.mark.parametrize("function", FUNCTIONS[:2], ids=lambda f: f.__name__)
def test_bad_tables(function):
    p, scores, _ = tables(1, 4)
    refused(r"scores must be of the shape of p, \(4, 3\)\. Got \(4, 2\)\.", function, p, scores[:, :2])
    refused(r"scores must be of the shape of p, \(4, 3\)\. Got \(4,\)\.", function, ugt.Point.from_array(p), scores[:, 1])
    refused(r"scores must be of the shape of p, \(4, 3\)\. Got \(3, 4\)\.", function, p, scores.T)
    scores[2, 1] = NAN
    refused(r"scores must not be NaN\. Got nan, first at case 2, column 1\.", function, p, scores)
    p[1, 2] = 1.01
    refused(r"p must be from 0 to 1\. Got 1\.01, first at case 1, column 2\.", function, p, scores)


@pytest.mark.parametrize("function", FUNCTIONS[2:], ids=lambda f: f.__name__)
def test_curves_take_one_column(function):
    p, scores, _ = tables(1, 4)
    refused(r"p must be of shape \(N,\) for a curve\. Got \(4, 3\)\.", function, p, scores)


@pytest.mark.parametrize(
    "function, options, message",
    [
        (
            ugt.soft_auroc,
            {"self_pairs": "certain"},
            r"self_pairs must be one of 'exclude', 'half', 'include', 'unbiased'\. Got 'certain'\.",
        ),
        (ugt.soft_auroc, {"multiclass": "raise"}, r"multiclass must be one of 'ovr', 'ovo'\. Got 'raise'\."),
        (ugt.soft_auroc, {"multiclass": "ovo"}, r"multiclass must be 'ovr' for one column\. Got 'ovo'\."),
        (ugt.soft_auroc, {"average": "micro"}, r"average must be one of 'macro', 'weighted'\. Got 'micro'\."),
        (ugt.soft_average_precision, {"average": None}, r"average must be one of 'macro', 'weighted'\. Got None\."),
        (ugt.soft_average_precision, {"self_term": "half"}, r"self_term must be one of 'certain', 'probability'\. Got 'half'\."),
        (ugt.soft_average_precision, {"ties": "first"}, r"ties must be one of 'group', 'expected'\. Got 'first'\."),
        *((f, {"threshold": 1.5}, r"threshold must be from 0 to 1\. Got 1\.5\.") for f in FUNCTIONS[:2]),
        *((f, {"threshold": x}, r"threshold must be a finite number of at least 0\.") for f in FUNCTIONS[:2] for x in (-0.1, NAN, "0.5")),
    ],
)
def test_bad_options(function, options, message):
    refused(message, function, [0.2, 0.7, 0.4], [1.0, 2.0, 3.0], **options)


@pytest.mark.filterwarnings("error")
def test_options_are_checked_before_the_data():
    for options in ({"average": "micro"}, {"self_pairs": "no"}, {"multiclass": "no"}):
        refused(next(iter(options)), ugt.soft_auroc, [0.0, 0.0], [1.0, 2.0], **options)


def test_only_the_ratios_of_weights_matter():
    p, scores = [0.9, 0.4, 0.2, 0.7], [4.0, 3.0, 2.0, 1.0]
    for metric, _, options in ONE_COLUMN:
        each = [metric(p, scores, case_weights=scale * np.array([0.4, 0.0, 0.3, 0.6]), **options).value for scale in (1e-90, 1.0, 1e90)]
        assert each == pytest.approx([each[1]] * 3, rel=1e-13)
        same, plain = metric(p, scores, case_weights=np.full(4, 1e-90), **options), metric(p, scores, **options)
        assert (same.value, same.hard) == pytest.approx((plain.value, plain.hard), rel=1e-13)


@pytest.mark.parametrize("extreme", [1e-101, 1.01e100, 1e101])
def test_extreme_weights_are_refused(extreme):
    message = re.escape(
        f"case_weights must be 0 or from 1e-100 to 1e+100, of which only the ratios matter. Got {extreme:g}, first at case 1."
    )
    refused(message, ugt.soft_auroc, [0.1, 0.9, 0.5], [1.0, 2.0, 3.0], case_weights=[1.0, extreme, 2.0])


def test_mean_precision_over_orders_of_ties_has_no_weights():
    message = r"ties must be 'group' with case_weights=, since the mean over all orders of tied cases is known for whole numbers of cases\."
    refused(message, ugt.soft_average_precision, [0.2, 0.9], [1.0, 1.0], ties="expected", case_weights=[1, 2])


def test_whole_numbers_that_would_tie_are_refused():
    scores = np.array([2**53, 2**53 + 1, 2**53 - 1])
    refused(r"scores must be below 2\*\*53 if they are whole numbers", ugt.soft_auroc, [0.1, 0.9, 0.5], scores)
    assert ugt.soft_auroc([0.1, 0.9, 0.5], scores - 2).value == ugt.soft_auroc([0.1, 0.9, 0.5], [2, 3, 1]).value


@pytest.mark.filterwarnings("error")
def test_a_quotient_without_a_divisor_is_undefined_and_silent():
    np.testing.assert_array_equal(quotient(np.array([1.0, 1.0, 0.0]), np.array([2.0, 0.0, 0.0])), [0.5, np.nan, np.nan])


def test_dummies_are_a_prior_of_one():
    """Lamiroy & Sun (2011): one annotator more who says positive throughout, and one who says negative."""
    rng = np.random.default_rng(0)
    wide, scores = rng.integers(0, 2, (30, 5)), rng.normal(size=30)
    more = np.column_stack([wide, np.ones(30, int), np.zeros(30, int)])
    for metric in (ugt.soft_auroc, ugt.soft_average_precision):
        found = metric(ugt.dirichlet(ugt.Labels.from_wide(wide, classes=2), prior=1), scores)
        assert found.value == pytest.approx(metric(more.mean(axis=1), scores).value, abs=1e-12)


def test_an_area_without_a_pair_of_two_cases_says_so():
    for self_pairs, area in (("exclude", 0.0), ("half", 0.5), ("include", 1.0)):
        with pytest.warns(UserWarning, match="In 1 of 1 columns no two cases are a positive and a negative, and the area follows from"):
            assert ugt.soft_auroc([0.5], [0.5], self_pairs=self_pairs).value == area
    with pytest.warns(RuntimeWarning, match="undefined"):
        assert np.isnan(ugt.soft_auroc([0.5], [0.5], self_pairs="unbiased").value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ugt.soft_auroc([0.5, 0.5], [0.5, 0.2])
        ugt.soft_auroc([1, 0], [0.5, 0.2])


# ---- few positives
def rare(n, m, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat([1.0, 0.0], [m, n - m])
    return labels, rng.normal(size=n) + labels


def said_of_few(call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in said if "intervals may be too narrow" in str(one.message)]


@pytest.mark.parametrize("n, m, few", [(1000, 5, 5), (1000, 19, 19), (1000, 20, 0), (100, 9, 9), (100, 10, 0), (30, 3, 0), (12, 1, 1)])
def test_intervals_of_few_positives_are_noted(n, m, few):
    """In simulations 95% intervals held the AUROC in 87 to 94% of the data sets with 5 to 15 positives of 1,000 cases."""
    labels, scores = rare(n, m)
    wanted = [f"AUROC and average precision: {few} of {n:,} cases are positive (effective number)"] * bool(few)
    for metric in (ugt.soft_auroc, ugt.soft_average_precision):
        found = metric(labels, scores)
        other = metric(labels, -scores)
        for call in (found.interval, found.intervals, found.minus(other).interval, partial(found.interval, of="hard")):
            assert [text.partition(";")[0] for text in said_of_few(call)] == wanted
        assert not said_of_few(partial(getattr, found, "std_error"))
    assert len(said_of_few(partial(ugt.soft_auroc(labels, scores).interval, kind="analytic"))) == (few > 1)
    # few negatives are few for an AUROC, but not for average precision
    assert len(said_of_few(ugt.soft_auroc(1 - labels, scores).interval)) == bool(few)
    assert not said_of_few(ugt.soft_average_precision(1 - labels, scores).interval)


def test_few_positives_by_weight_class_and_hard_label():
    labels, scores = rare(1000, 40)
    assert not said_of_few(ugt.soft_auroc(labels, scores).interval)
    weights = np.where(np.arange(1000) < 36, 0.0, 1.0)
    (text,) = said_of_few(ugt.soft_auroc(labels, scores, case_weights=weights).interval)
    assert "4 of 964 cases are positive" in text
    table = np.eye(3)[np.repeat([0, 1, 2], [500, 300, 6])]
    for multiclass in ("ovr", "ovo"):
        found = ugt.soft_auroc(table, np.random.default_rng(1).random((806, 3)), multiclass=multiclass)
        (text,) = said_of_few(found.interval)
        assert "6 of " in text and "with the fewest" in text
    # the labels 'p > 0.5' have 5 positives, p has many more
    p = np.where(np.arange(1000) < 5, 0.9, 0.1)
    found = ugt.soft_auroc(p, scores)
    assert not said_of_few(found.interval)
    (text,) = said_of_few(partial(found.interval, of="hard"))
    assert "5 of 1,000 cases, by hard labels, are positive" in text


def test_few_hard_positives_are_said_of_hard_numbers_only():
    p = np.where(np.arange(1000) < 5, 0.9, 0.1)
    one = SoftRanking.by_default(p, np.random.default_rng(0).normal(size=1000))
    assert [(name, one.facts.few(number, None) is None) for number, name in enumerate(one.names)] == [
        (name, name.startswith("soft")) for name in ("soft_auroc", "hard_auroc", "soft_average_precision", "hard_average_precision")
    ]


def test_few_clusters_with_positives():
    """60 positives of three patients tell as much as three."""
    labels, scores = rare(2000, 60)
    clusters = np.arange(2000) // 20
    found = ugt.soft_auroc(labels, scores)
    for ask in (found.interval, found.minus(ugt.soft_auroc(labels, -scores)).interval, partial(found.interval, kind="analytic")):
        (text,) = said_of_few(partial(ask, clusters=clusters))
        assert "3 of 100 clusters are positive" in text
        assert not said_of_few(ask)
    assert not said_of_few(partial(found.interval, clusters=np.arange(2000) % 100))
    (text,) = said_of_few(partial(ugt.soft_auroc(*rare(1000, 5)).interval, strata=np.arange(1000) % 2))
    assert "5 of 1,000 cases are positive" in text


def test_intervals_have_the_freedom_of_the_rarer_kind():
    """n - 1 degrees of freedom: Satterthwaite's of two variances that fall with the numbers of positives and of negatives."""
    labels, scores = rare(1000, 5)
    v, w = 1 / 5, 1 / 995
    expected = 1 + (v + w) ** 2 / (v**2 / 4 + w**2 / 994)
    for metric, n in ((ugt.soft_auroc, expected), (ugt.soft_average_precision, 5.0)):
        one = metric(labels, scores).statistic
        design = ugt.resampling.Design.of(1000, None, None)
        np.testing.assert_allclose(one.facts.deciding(one.kept, design), n, rtol=1e-12)
    clusters = np.arange(1000) // 5  # all positives in one cluster, which has half a degree of freedom
    of_clusters = ugt.resampling.Design.of(1000, clusters, None)
    np.testing.assert_allclose(one.facts.deciding(one.kept, of_clusters), 1.5, rtol=1e-12)
    found = ugt.soft_auroc(labels, scores)
    low, high = found.interval()
    few, many = (found.interval(kind=kind) for kind in ("percentile", "analytic"))
    assert high - low > 1.2 * (few[1] - few[0]) and high - low > 1.2 * (many[1] - many[0])
    assert found.resamples(n_resamples=50).take([0]).interval()[0] == pytest.approx((low, high), rel=1e-12)


def test_evaluations_note_few_positives():
    labels, scores = rare(300, 5)
    given = ugt.Labels.from_wide(np.repeat(labels[:, None].astype(int), 3, axis=1), classes=2)
    model = 1 / (1 + np.exp(-np.column_stack([-scores, scores])))
    for prior, said in ((0.1, "5 of 300 cases, by hard labels, are positive"), ("fit", "5 of 300 cases are positive")):
        notes = ugt.evaluate(given, {"model": model}, n_resamples=50, prior=prior).notes
        assert any(said in note.text for note in notes)
