"""What the accuracy can be: against linear programmes, least squares, and the groups and ties worked out by hand."""

import numpy as np
import pytest
from refusals import refused
from twins import bounds as twin

import ugt
from ugt.metrics import bounds


def made(n=240, n_classes=3, seed=0, labels=3):
    rng = np.random.default_rng(seed)
    plausible = rng.dirichlet([0.5] * n_classes, n)
    counts = np.stack([rng.multinomial(labels, p / p.sum()) for p in plausible])
    return ugt.dirichlet(ugt.Labels.from_counts(counts), prior=0.5), rng.random((n, n_classes)) + 2 * plausible


@pytest.mark.parametrize("k", [1, 2])
def test_one_group_is_a_linear_programme(k):
    truth, scores = made()
    found = ugt.metrics.accuracy_bounds(truth, scores, k, least_cases=240)
    pi, chosen = truth.membership(1), np.argsort(np.argsort(-scores, axis=1), axis=1) < k
    rows = [twin.in_order(p.tolist(), y.tolist()) for p, y in zip(pi, chosen)]
    p, q = np.mean([row[0] for row in rows], axis=0), np.mean([row[1] for row in rows], axis=0)
    assert found.n_groups == 1
    assert (found.lower, found.upper) == pytest.approx(twin.ends(p, q, k), abs=1e-9)
    if k == 1:
        assert (found.lower, found.upper) == pytest.approx(twin.joint_ends(p, q), abs=1e-9)
    assert found.value == pytest.approx(ugt.ua_topk_accuracy(truth, scores, k).value, abs=1e-12)
    assert found.copying == pytest.approx(np.sort(pi, axis=1)[:, -k:].sum(axis=1).mean(), abs=1e-12)
    assert found.always_right == pytest.approx(np.mean([twin.always_right(p, k) for p in pi]), abs=1e-12)
    assert found.lower <= found.value <= found.upper


@pytest.mark.parametrize("k", [1, 2])
def test_inversion_is_least_squares(k):
    truth, scores = made()
    found = ugt.metrics.accuracy_bounds(truth, scores, k)
    chosen = np.argsort(np.argsort(-scores, axis=1), axis=1) < k
    assert found.form == "full"
    assert found.independent == pytest.approx(twin.independent(truth.membership(1), chosen), abs=1e-10)


@pytest.mark.parametrize("form, n_classes", [("full", 3), ("one parameter", 8)])
def test_both_forms_find_a_model_whose_errors_fall_on_all_others_alike(form, n_classes):
    rng = np.random.default_rng(1)
    pi = rng.dirichlet([0.4] * n_classes, 1200)
    accuracy = 0.7
    expected = pi * accuracy + (1 - pi) * (1 - accuracy) / (n_classes - 1)  # the expectation of Y itself
    one = bounds.Assumed(pi, expected, 1, 50)
    assert one.full == (form == "full")
    assert dict(zip(one.names, one.estimate))["independent"] == pytest.approx(accuracy, abs=1e-12)


def test_classes_that_are_as_plausible_have_no_order():
    truth = ugt.Point.from_array([[0.5, 0.5, 0.0]] * 60)
    pi = truth.membership(1)
    for choice in np.eye(3)[:2]:
        found = ugt.metrics.accuracy_bounds(truth, [choice] * 60)
        assert (found.lower, found.value, found.upper) == pytest.approx((0, 0.5, 1))
    assert pi[0].tolist() == [0.5, 0.5, 0.0]


def test_names_of_classes_and_the_order_of_cases_change_nothing():
    truth, scores = made(500, 4)
    rng = np.random.default_rng(2)
    cases, classes = rng.permutation(500), rng.permutation(4)
    parameters = truth.mean() * 5
    own = ugt.metrics.accuracy_bounds(ugt.Dirichlet.from_array(parameters), scores)
    moved = ugt.metrics.accuracy_bounds(ugt.Dirichlet.from_array(parameters[cases][:, classes]), scores[cases][:, classes])
    np.testing.assert_allclose(moved.statistic.estimate, own.statistic.estimate, atol=1e-9)


def test_groups_have_as_many_cases_as_asked_for():
    truth, scores = made(1000, 5)
    for least in (1, 50, 200, 5000):
        one = ugt.metrics.accuracy_bounds(truth, scores, least_cases=least).statistic
        assert np.bincount(one.group).min() >= min(least, 1000)
    own = ugt.metrics.accuracy_bounds(ugt.Dirichlet.from_array(np.random.default_rng(0).random((1000, 5))), scores, least_cases=1)
    assert own.n_groups == 1000  # a case alone says nothing of what errs together: both ends are the agreement
    assert own.lower == pytest.approx(own.upper, abs=1e-12)


@pytest.mark.parametrize("n_cases", [100, 400])
def test_work_of_a_resample_is_what_all_cases_add(n_cases):
    one = ugt.metrics.accuracy_bounds(*made(n_cases, 3), least_cases=n_cases).statistic
    assert one.n_groups == 1 and one.full == (n_cases == 400)
    assert one.work == n_cases * one.sums().shape[1]


def test_cases_without_annotations_are_left_out():
    truth = ugt.dirichlet(ugt.Labels.from_counts([[3, 1], [0, 0], [1, 2]] * 30), prior=0.5)
    found = ugt.metrics.accuracy_bounds(truth, [[0.6, 0.4]] * 90)
    assert (found.n_cases, found.left_out) == (60, {"case without annotations": 30})
    assert found.value == pytest.approx(ugt.ua_topk_accuracy(truth, [[0.6, 0.4]] * 90).value)
    nobody = ugt.metrics.accuracy_bounds(ugt.dirichlet(ugt.Labels.from_counts([[0, 0]] * 3)), [[0.6, 0.4]] * 3)
    assert nobody.n_cases == 0 and np.isnan(nobody.statistic.estimate).all()


def test_a_point_of_an_annotator_model_is_refused_with_the_way_on():
    """Its first class would count as certain, and the bounds have no width."""
    rng = np.random.default_rng(0)
    labels = ugt.Labels.from_wide(np.where(rng.random((60, 3)) < 0.8, 1, 0))
    scores = rng.random((60, 2))
    truth = ugt.dawid_skene(labels, model="one-coin", prior=1).plausibilities
    refused("truth must leave the first class of some case open.*assume='latent class'", ugt.metrics.accuracy_bounds, truth, scores)
    certain = ugt.metrics.accuracy_bounds(np.eye(2)[[0, 1, 0]], [[1, 0]] * 3)
    assert certain.lower == certain.upper == pytest.approx(2 / 3)  # known classes


def test_a_truth_that_tells_no_classes_apart_says_nothing_of_independent_errors():
    found = ugt.metrics.accuracy_bounds(ugt.Point.from_array([[0.5, 0.5]] * 100), [[0.6, 0.4]] * 100)
    assert np.isnan(found.independent)


@pytest.mark.parametrize("n_classes, k", [(3, 1), (3, 2), (8, 1)])
def test_influence_is_the_derivative_by_the_weight_of_a_case(n_classes, k):
    truth, scores = made(240, n_classes, 1)
    one = ugt.metrics.accuracy_bounds(truth, scores, k).statistic
    step = 1e-5
    for i in (0, 7, 200):
        weights = np.ones((2, 240))
        weights[0, i], weights[1, i] = 1 + step, 1 - step
        more, less = one.values(weights)
        np.testing.assert_allclose(one.influence()[i], (more - less) / (2 * step), atol=1e-7)


def test_cases_that_are_alike_count_as_often_as_there_are(monkeypatch):
    rng = np.random.default_rng(0)
    truth = ugt.dirichlet(ugt.Labels.from_counts(rng.multinomial(4, [0.5, 0.3, 0.2], 3000)))
    scores, weights = rng.dirichlet(np.ones(3), 3000), rng.poisson(1.0, (5, 3000)).astype(float)
    merged = ugt.metrics.accuracy_bounds(truth, scores).statistic
    monkeypatch.setattr(bounds, "distinct_rows", lambda table: None)
    each = ugt.metrics.accuracy_bounds(truth, scores).statistic
    np.testing.assert_array_equal(merged.group, each.group)
    np.testing.assert_allclose(merged.values(weights), each.values(weights), rtol=1e-12)
    np.testing.assert_allclose(merged.influence(), each.influence(), atol=1e-15)


def test_one_case_has_no_interval():
    truth = ugt.dirichlet(ugt.Labels.from_counts([[3, 1]]))
    assert np.isnan(ugt.metrics.accuracy_bounds(truth, [[0.6, 0.4]]).outer_interval(n_resamples=20)).all()


def test_few_cases_may_refute_independent_errors():
    truth, _ = made(60)
    low, high = ugt.metrics.accuracy_bounds(truth, truth.mean()).interval(of="independent", n_resamples=200)
    assert 1 < low < high  # a copy of the annotations


def test_intervals_are_those_of_sums():
    truth, scores = made(300)
    found = ugt.metrics.accuracy_bounds(truth, scores)
    low, high = found.outer_interval(n_resamples=200)
    assert low < found.lower <= found.upper < high
    ends = dict(zip(found.statistic.names, found.intervals(n_resamples=200)))
    for name, (least, most) in ends.items():
        assert least < getattr(found, "value" if name == "agreement" else name) < most
    assert found.interval(n_resamples=200) == tuple(ends["agreement"])
    other = ugt.metrics.accuracy_bounds(truth, scores[:, ::-1])
    assert found.minus(other).value == pytest.approx(found.value - other.value)


@pytest.mark.parametrize(
    "scores, options, message",
    [
        ([[1, 2, 3]], {}, "scores must be numbers of shape"),
        ([[1, 2]], {"k": 3}, "k must be"),
        ([[1, 2]], {"least_cases": 0}, "least_cases must be"),
        ([[1, 2]], {"ties": "last"}, "ties must be"),
        ([[np.nan, 2]], {}, "scores must not be NaN"),
    ],
)
def test_what_does_not_fit_is_refused(scores, options, message):
    refused(message, ugt.metrics.accuracy_bounds, [[0.5, 0.5]], scores, **options)


def by_loops(opinions, choice):
    """Opinions of each case: a class, or a set of classes that share an opinion."""
    model, people = [], []
    for said, own in zip(opinions, choice):
        shares = [{c: 1 / len(one) for c in one} for one in said]
        model.append(np.mean([share.get(own, 0.0) for share in shares]) if said else np.nan)
        pairs = [sum(a.get(c, 0.0) * b.get(c, 0.0) for c in a) for i, a in enumerate(shares) for j, b in enumerate(shares) if i != j]
        people.append(np.mean(pairs) if pairs else np.nan)
    return model, people


@pytest.mark.parametrize("kind", ["counts", "named", "rankings"])
def test_agreement_with_one_more_annotator(kind):
    opinions = [[[0], [0], [1]], [[1], [2]], [[2]], [], [[0], [1], [1], [1]]]
    if kind == "counts":
        given = ugt.Labels.from_counts([[sum(c in one for one in said) for c in range(3)] for said in opinions])
    elif kind == "named":
        rows = [(i, a, one[0]) for i, said in enumerate(opinions) for a, one in enumerate(said)]
        given = ugt.Labels.from_long(*zip(*rows), classes=3, cases=range(5))
    else:
        opinions[1] = [[1, 2], [2]]
        given = ugt.Rankings.from_blocks([[[one, [c for c in range(3) if c not in one]] for one in said] for said in opinions], n_classes=3)
    choice = [0, 2, 1, 0, 1]
    found = ugt.metrics.next_annotator_agreement(given, np.eye(3)[choice])
    model, people = by_loops(opinions, choice)
    np.testing.assert_allclose(found.per_case, model)
    assert found.value == pytest.approx(np.nanmean(model)) and found.annotators == pytest.approx(np.nanmean(people))
    assert found.difference == pytest.approx(np.nanmean(np.subtract(model, people)))
    assert (found.n_cases, found.left_out) == (4, {"case without annotations": 1})


def test_an_annotator_who_gave_two_labels_has_one_opinion():
    with pytest.warns(UserWarning, match="several labels"):
        labels = ugt.Labels.from_long([0, 0, 0], ["ann", "ann", "bob"], [0, 1, 0], classes=2)
    found = ugt.metrics.next_annotator_agreement(labels, [[0.9, 0.1]])
    assert (found.value, found.annotators) == pytest.approx((0.75, 0.5))


def test_only_annotations_have_annotators():
    truth = ugt.Point.from_array([[1, 0]])
    refused("annotations must be Labels or Rankings. Got Point", ugt.metrics.next_annotator_agreement, truth, [[1, 0]], error=TypeError)


def test_distinct_cases_are_counted_together_only_if_they_are_the_same():
    """Truths of one panel under two reliabilities have the same distinct cases; those of another panel do not."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(3, [0.6, 0.3, 0.1], 2000)
    chosen = np.eye(3)[counts.argmax(1)]
    made = [bounds.Assumed(ugt.dirichlet(ugt.Labels.from_counts(table), reliability=r).membership(1), chosen, 1, 50)
            for table, r in ((counts, 1), (counts, 2), (rng.permutation(counts), 1))]  # fmt: skip
    weights = rng.integers(0, 3, (5, 2000)).astype(np.float64)
    expected = [one.values(weights) for one in made]
    for one in made[1:]:
        one.beside(made[0])
    assert [one._alike is made[0]._alike for one in made] == [True, True, False]
    for one, before in zip(made, expected):
        np.testing.assert_array_equal(one.values(weights), before)
