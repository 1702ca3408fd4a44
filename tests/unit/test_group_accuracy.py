"""Accuracy of groups of classes, and given a group, against all orders of the truth; groups by name; rows of evaluations."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused, warned
from twins import dirichlet as races
from twins import orders as twin

import ugt
from ugt import Dirichlet, Draws, Point

GROUPS = [1, 0, 1, 2]
VECTORS = st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any)


def laws(kind, vector, rule):
    """{best class, or group of the highest sum: probability} of a truth, retyped: all orders of a vector's ties, or of a race."""
    if rule == "sum":
        vector = [sum(v for v, g in zip(vector, GROUPS) if g == h) for h in range(3)]
    if kind is Dirichlet:
        orders = races.orders(vector)
    else:
        ways = twin.tie_breaks(vector)
        orders = {}
        for way in ways:
            orders[way] = orders.get(way, 0) + Fraction(1, len(ways))
    found = {}
    for order, p in orders.items():
        found[order[0]] = found.get(order[0], 0) + p
    return found


def right_and_inside(kind, vector, scores, rule, of, wanted):
    """P(right and of the wanted group), P(of the wanted group); wanted None: any."""
    truth, model = laws(kind, vector, rule), laws(Point, scores, rule)
    group = range(3) if rule == "sum" else GROUPS
    inside = {y: p for y, p in truth.items() if wanted is None or group[y] == wanted}
    right = sum(p * q for y, p in inside.items() for c, q in model.items() if (c == y if of == "class" else group[c] == group[y]))
    return right, sum(inside.values())


@pytest.mark.slow
@pytest.mark.parametrize("rule, of", [("sum", "group"), ("top_class", "group"), ("top_class", "class")])
@pytest.mark.parametrize("kind", [Point, Dirichlet, Draws])
@given(st.lists(st.tuples(VECTORS, VECTORS), min_size=3, max_size=3), st.sampled_from([None, 0, 1, 2]))
@examples(30)
def test_against_all_orders(kind, rule, of, cases, wanted):
    vectors, scores = ([list(v) for v in column] for column in zip(*cases))
    # the three vectors as draws of one case each, in another order for each case
    draws = [[vectors[(i + d) % 3] for d in range(3 if kind is Draws else 1)] for i in range(3)]
    pairs = [[right_and_inside(kind, v, s, rule, of, wanted) for v in own] for own, s in zip(draws, scores)]
    above, below = (np.array([[float(pair[j]) for pair in own] for own in pairs]) for j in (0, 1))
    truth = kind.from_array(np.array(draws if kind is Draws else vectors, float))
    call = partial(ugt.metrics.ua_group_accuracy, truth, scores, GROUPS, given=wanted, of=of, group_rule=rule)
    if not below.any():
        assert np.isnan(warned("undefined: no case is left", call).value)
        return
    found = call()
    assert found.value == pytest.approx(above.sum() / below.sum(), abs=1e-10)
    weight = below.mean(1)
    if wanted is None:
        assert found.weight is None and found.n_cases == 3
    else:
        np.testing.assert_allclose(found.weight, weight, atol=1e-10)
        assert found.n_cases == (weight > 0).sum()
        assert sum(found.left_out.values()) == 3 - found.n_cases
    np.testing.assert_allclose(found.per_case[weight > 0], (above.mean(1) / weight.clip(1e-300))[weight > 0], atol=1e-9)
    if kind is Draws and below.any(0).all():
        np.testing.assert_allclose(found.per_draw, above.sum(0) / below.sum(0), atol=1e-12)
    if kind is Point:
        assert found.draw_std == 0


RISK = {"melanoma": "high", "nevus": "low", "eczema": "low"}
CLASSES = list(RISK)
COUNTS = np.array([[4, 2, 0], [0, 1, 5], [2, 2, 2], [0, 0, 0], [3, 0, 1], [1, 3, 0]])
SCORES = np.array([[0.6, 0.3, 0.1], [0.1, 0.4, 0.5], [0.3, 0.4, 0.3], [1, 0, 0], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]])
LABELS = ugt.Labels.from_counts(COUNTS, classes=CLASSES)


def test_of_certain_truths_it_is_the_accuracy_over_the_cases_of_the_group():
    truth = np.eye(3)[[0, 0, 0, 1, 2]]
    scores = np.eye(3)[[0, 1, 2, 2, 2]]
    found = ugt.metrics.ua_group_accuracy(truth, scores, [1, 0, 0], given=1)
    assert (found.value, found.n_cases, found.left_out) == (1 / 3, 3, {"case that is never of group 1": 2})
    assert ugt.metrics.ua_group_accuracy(truth, scores, [1, 0, 0]).value == 3 / 5
    every = ugt.ua_topk_accuracy(truth, scores)
    assert ugt.metrics.ua_group_accuracy(truth, scores, [0, 0, 0], given=0, of="class", group_rule="top_class").value == every.value


def test_spread_over_draws_to_first_order_and_intervals():
    rng = np.random.default_rng(0)
    counts = np.stack([rng.multinomial(6, p) for p in rng.dirichlet(np.ones(3), 80)])
    post, scores = ugt.dirichlet(ugt.Labels.from_counts(counts), prior=0.5), rng.dirichlet(np.ones(3), 80)
    draws = Draws.from_array(post.draws(4000))
    for options in ({"given": 1}, {"given": 1, "group_rule": "top_class", "of": "class"}, {}):
        exact, drawn = (ugt.metrics.ua_group_accuracy(truth, scores, [0, 1, 1], **options) for truth in (post, draws))
        assert abs(exact.value - drawn.value) < 5 * drawn.mc_error
        assert drawn.draw_std == pytest.approx(exact.draw_std, rel=0.06)
        assert exact.draw_interval() == pytest.approx(drawn.draw_interval(), abs=0.01)
        low, high = exact.interval()
        assert low < exact.value < high
    same = ugt.bootstrap(exact.per_case, n_resamples=100).interval(kind="percentile")
    assert exact.interval(n_resamples=100, kind="percentile") == pytest.approx(tuple(np.ravel(same)))
    given_low = ugt.metrics.ua_group_accuracy(post, scores, [0, 1, 1], given=1)
    same = ugt.bootstrap(given_low.per_case * given_low.weight, given_low.weight, n_resamples=100).interval(kind="percentile")
    assert given_low.interval(n_resamples=100, kind="percentile") == pytest.approx(tuple(np.ravel(same)))


@pytest.mark.parametrize("given", [None, 1])
def test_without_an_annotator_it_is_that_of_the_labels_of_the_others(given):
    table = np.random.default_rng(5).integers(0, 3, (30, 4))
    scores = np.random.default_rng(6).dirichlet(np.ones(3), 30)

    def of(labels):
        truth = ugt.dirichlet(ugt.Labels.from_wide(labels, classes=3), prior=0.5)
        return ugt.metrics.ua_group_accuracy(truth, scores, [0, 1, 1], given=given)

    whole = of(table)
    for j in range(4):
        others = np.arange(4) != j
        assert whole.statistic.panel.judged_by(others.astype(int)).estimate == pytest.approx(of(table[:, others]).value, rel=1e-12)
    with pytest.warns(UserWarning, match="4 annotators: the interval depends on their differences"):
        assert whole.two_way().std_error > 0


NAMED = [(RISK, "mapping"), (list(RISK.values()), "names"), (np.array(list(RISK.values()), object), "objects")]


@pytest.mark.parametrize("groups", [groups for groups, _ in NAMED], ids=[name for _, name in NAMED])
def test_groups_have_names_everywhere(groups):
    post = ugt.dirichlet(LABELS, prior=0.5)
    numbers = [0, 1, 1]  # in alphabetical order
    assert post.grouped(groups).axes.classes.tolist() == ["high", "low"]
    for truth in (post, ugt.votes(LABELS), Draws.from_array(post.take([0, 1, 2]).draws(5), classes=CLASSES)):
        assert truth.grouped(groups).axes.classes.tolist() == ["high", "low"]
        assert ugt.annotation_certainty(truth, groups=groups).value == ugt.annotation_certainty(truth, groups=numbers).value
    named = ugt.metrics.ua_group_accuracy(post, SCORES, groups, given="low")
    assert named.value == ugt.metrics.ua_group_accuracy(post, SCORES, numbers, given=1).value
    found = ugt.evaluate(LABELS, {"A": SCORES, "B": SCORES[:, ::-1]}, groups=groups, reliability=[1, 5], k=1, n_resamples=50)
    assert found.provenance["groups"] == ["high", "low"]
    rows = [row for row in found.metrics if row["metric"] == "group_accuracy"]
    assert [(row["model"], row["reliability"]) for row in rows] == [("A", 1), ("B", 1), ("A", 5), ("B", 5)]
    truth = ugt.dirichlet(LABELS)
    expected = ugt.metrics.ua_group_accuracy(truth, SCORES, groups, group_rule="top_class")
    assert (rows[0]["value"], rows[0]["draw_std"]) == (expected.value, expected.draw_std)
    assert {row["metric"] for row in found.winners} >= {"group_accuracy"}
    by_group = {(row["model"], row["group"]): row for row in found.tables["group_agreement"]}
    assert list(by_group) == [("A", "high"), ("A", "low"), ("B", "high"), ("B", "low")]
    middle = ugt.dirichlet(LABELS, reliability=5)
    for of, column in (("group", "ppa"), ("class", "accuracy")):
        one = ugt.metrics.ua_group_accuracy(middle, SCORES, groups, given="high", of=of, group_rule="top_class")
        assert by_group["A", "high"][column] == pytest.approx(one.value, rel=1e-12)
        assert by_group["A", "high"]["n_expected"] == pytest.approx(np.nansum(one.weight))


def test_the_page_has_both(tmp_path):
    found = ugt.evaluate(LABELS, {"A": SCORES}, groups=RISK, reliability=[1, 5], k=1, n_resamples=50)
    found.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Positive percent agreement by group" in page and "UA accuracy of groups of classes" in page
    without = ugt.evaluate(LABELS, {"A": SCORES}, reliability=1, k=1, n_resamples=50)
    assert len(without.tables["group_agreement"]) == 0


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"groups": {"melanoma": "high", "nevus": "low"}},
            r"groups must hold a value for exactly the 3 classes 'melanoma', 'nevus', 'eczema'\. Got none for 'eczema'",
        ),
        (
            {"groups": {**RISK, "lupus": "low"}},
            r"groups must hold a value for exactly the 3 classes 'melanoma', 'nevus', 'eczema'\. Got one of 'lupus', which is not a class",
        ),
        ({"groups": {"melanoma": 1, "nevus": "low", "eczema": None}}, "groups must be 3 integers or names, one per class, or a mapping"),
        ({"groups": [0, 1]}, "groups must be 3 integers or names, one per class, or a mapping from classes to these. Got int"),
        ({"groups": RISK, "given": "High"}, "given must be one of the groups 'high', 'low'. Got 'High'"),
        ({"groups": [0, 3, 3], "given": 1}, "given must be one of the groups 0, 3. Got 1"),
        ({"groups": [0, 1, 1], "given": True}, "given must be one of the groups 0, 1. Got True"),
        ({"groups": RISK, "of": "risk"}, "of must be one of 'group', 'class'. Got 'risk'"),
        ({"groups": RISK, "group_rule": "mean"}, "group_rule must be one of 'sum', 'top_class'"),
        ({"groups": RISK, "of": "class"}, "group_rule must be 'top_class' for of='class'"),
        ({"groups": RISK, "scores": SCORES - 0.15}, "scores must be at least 0 for group_rule='sum' .*first at case 0, class 'eczema'"),
    ],
)
def test_what_does_not_fit(options, message):
    options = {"scores": SCORES, **options}
    refused(
        message, ugt.metrics.ua_group_accuracy, ugt.dirichlet(LABELS, prior=0.5), options.pop("scores"), options.pop("groups"), **options
    )


@pytest.mark.parametrize("n_groups, more", [(8, ""), (9, r", \.\.\.")])
def test_eight_groups_are_named(n_groups, more):
    table = np.full((2, n_groups), 1 / n_groups)
    message = rf"given must be one of the groups 0, 1, 2, 3, 4, 5, 6, 7{more}\. Got 9"
    refused(message, ugt.metrics.ua_group_accuracy, table, table, range(n_groups), given=9)
