"""Plausibilities: exact probabilities of Dirichlet posteriors against slow twins, ties of known vectors, draws, and bad input."""

import ast
import importlib
import pickle
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused, warned
from scipy import special
from twins import dirichlet as twin
from twins import orders

import ugt
from ugt import Dirichlet, Draws, Point
from ugt.plausibilities import Plausibilities, as_plausibilities, diagnostics, dirichlet_comparison

pytestmark = pytest.mark.filterwarnings("ignore")

WHOLE = [[4, 3, 2, 1, 2], [5, 5, 1], [1, 1, 1, 1], [6, 1], [3, 0, 2, 0], [0, 4, 0], [2, 2, 0, 1], [7]]
GENERAL = [[0.3, 0.01, 2.5, 30, 700], [0.001, 0.002, 0.003], [1e5, 1e5 + 300, 0.5], [0.1, 0.1, 0.1, 9.6], [25.0, 19.5, 210, 190, 1e-6]]


def one(concentration):
    return Dirichlet.from_array([concentration])


# ---- Dirichlet: exactness ----------------------------------------------------------------------------
@pytest.mark.parametrize("a", [1e-3, 0.1, 1.0, 3.7, 20.0, 250.0, 1e3, 1e5])
@pytest.mark.parametrize("ratio", [1e-8, 1e-2, 0.5, 0.99, 1.0, 1.3, 1e3])
def test_two_classes_are_an_incomplete_beta(a, ratio):
    b = min(max(a * ratio, 1e-3), 1e5)
    found = one([a, b]).membership(1)[0]
    scipys_own = abs(special.betainc(max(a, b), max(a, b), 0.5) - 0.5)  # 3e-10 for shapes of 1e5 with scipy 1.5
    # P(λ_1 > 1/2); both sides, because 1 - x loses digits
    np.testing.assert_allclose(found, [special.betainc(b, a, 0.5), special.betainc(a, b, 0.5)], rtol=0, atol=1e-12 + 2 * scipys_own)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 10, 400])
@pytest.mark.parametrize("c", [1e-6, 1e-3, 0.1, 1.0, 50.0, 1e5])
def test_equal_concentrations(c, n_classes):
    post = one([c] * n_classes)
    np.testing.assert_allclose(post.membership(1), 1 / n_classes, rtol=1e-12)
    k = min(3, n_classes)
    np.testing.assert_allclose(post.membership(k), k / n_classes, rtol=1e-12)
    assert post.certainty(k)[0] == pytest.approx(1 / special.comb(n_classes, k), rel=1e-12)
    assert post.certainty(k, kind="rank")[0] == pytest.approx(1 / n_classes, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-7, 1e-9, 1e-12, 1e-200])
def test_small_concentrations_choose_in_proportion(scale):
    # as c -> 0 one class takes all: c_k / sum c, up to terms of the order of c
    c = np.array([1.0, 2.0, 5.0, 0.25])
    np.testing.assert_allclose(one(c * scale).membership(1)[0], c / c.sum(), rtol=0, atol=20 * scale + 1e-12)


@pytest.mark.parametrize("concentration", WHOLE)
def test_whole_concentrations_are_races(concentration):
    law, n_classes, post = twin.orders(concentration), len(concentration), one(concentration)
    support = sum(c > 0 for c in concentration)
    for k in range(1, n_classes + 1):
        sets = twin.top_sets(law, k)
        np.testing.assert_allclose(post.membership(k)[0], [float(p) for p in twin.memberships(law, k, n_classes)], atol=1e-13)
        for best in combinations(range(n_classes), k):
            assert post.set_probability([best])[0] == pytest.approx(float(sets.get(frozenset(best), 0)), abs=1e-13)
        if k > support:  # nothing plausible has this rank, and the best k are all plausible classes
            assert post.certainty(k)[0] == post.certainty(k, kind="rank")[0] == 1
        else:
            assert post.certainty(k)[0] == pytest.approx(float(max(sets.values())), abs=1e-13)
            positive = [p for p, c in zip(twin.ranks(law, k, n_classes), concentration) if c > 0]
            assert post.certainty(k, kind="rank")[0] == pytest.approx(float(max(positive)), abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("concentration", GENERAL)
def test_other_concentrations_by_quadrature(concentration):
    n_classes, post = len(concentration), one(concentration)
    for k in range(1, n_classes):
        sets = {best: twin.set_probability(concentration, best) for best in combinations(range(n_classes), k)}
        assert sum(sets.values()) == pytest.approx(1, abs=1e-10)
        members = [sum(p for best, p in sets.items() if y in best) for y in range(n_classes)]
        np.testing.assert_allclose(post.membership(k)[0], members, atol=1e-10)
        for best, p in sets.items():
            assert post.set_probability([best])[0] == pytest.approx(p, abs=1e-10)
        assert post.certainty(k)[0] == pytest.approx(max(sets.values()), abs=1e-10)


@given(st.lists(st.floats(1e-3, 1e5), min_size=2, max_size=7), st.data())
def test_probabilities_add_up(concentration, data):
    n_classes, post = len(concentration), one(concentration)
    k = data.draw(st.integers(1, n_classes))
    sets = list(combinations(range(n_classes), k))
    assert post.membership(k).sum() == pytest.approx(k, abs=1e-11)
    repeated = Dirichlet.from_array([concentration] * len(sets))
    p = repeated.set_probability(sets)
    assert p.sum() == pytest.approx(1, abs=1e-11)
    assert repeated.certainty(k)[0] == pytest.approx(p.max(), abs=1e-12)
    # a class is among the best k in the sets that hold it
    inside = [sum(p[i] for i, best in enumerate(sets) if y in best) for y in range(n_classes)]
    np.testing.assert_allclose(post.membership(k)[0], inside, atol=1e-11)


def lists_of(concentration, depth):
    """What the core finds out about ordered lists: ``{list of groups: probability of one such list of classes}``."""
    post = one(concentration)
    _, table = dirichlet_comparison._lists(post, depth)
    groups = sorted({c for c in concentration if c > 0}, reverse=True)
    left = [sum(c == g for c in concentration) for g in groups]

    def enumerated(prefix, left):
        if len(prefix) == min(depth, sum(c > 0 for c in concentration)):
            yield prefix
            return
        for g in range(len(groups)):
            if left[g]:
                yield from enumerated((*prefix, g), [n - (h == g) for h, n in enumerate(left)])

    return groups, dict(zip(enumerated((), left), table.tolist()))


@pytest.mark.parametrize("concentration", WHOLE)
def test_lists_of_whole_concentrations(concentration):
    law = twin.orders(concentration)
    for depth in range(1, len(concentration) + 1):
        groups, found = lists_of(concentration, depth)
        length = min(depth, sum(c > 0 for c in concentration))
        expected = {}
        for order, p in law.items():
            key = tuple(groups.index(concentration[y]) for y in order[:length])
            expected.setdefault(key, {}).setdefault(order[:length], []).append(p)
        # every list of classes of one kind has the same probability
        assert found.keys() == expected.keys()
        for key, lists in expected.items():
            for parts in lists.values():
                assert found[key] == pytest.approx(float(sum(parts)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("concentration", GENERAL)
def test_lists_of_two_by_quadrature(concentration):
    groups, found = lists_of(concentration, 2)
    for (g, h), p in found.items():
        first = concentration.index(groups[g])
        second = next(k for k, c in enumerate(concentration) if c == groups[h] and k != first)
        assert p == pytest.approx(twin.list_probability(concentration, first, second), abs=1e-10)


@pytest.mark.parametrize("concentration", [c for c in GENERAL if len(c) == 5])
def test_lists_add_up_to_sets(concentration):
    groups, found = lists_of(concentration, 3)
    for best in combinations(range(5), 3):
        key = {groups.index(concentration[k]) for k in best}
        assert sum(p for order, p in found.items() if set(order) == key) == pytest.approx(
            one(concentration).set_probability([best])[0], abs=1e-12
        )


EXTREMES = [
    *([1e5, 1e-3], [1e5, 1e5, 1e-3, 1e-3], [1e15, 1e15, 3.0], [1e15, 1e-3, 1e-6, *[0.01] * 400], [8.0, 1.5, *[0.01] * 400]),
    *([*range(1, 4), *[1e-6] * 7], [1e15 + 1e8, 1e15, 1e-6]),
]


@pytest.mark.parametrize("concentration", EXTREMES)
def test_extremes(concentration):
    post = one(concentration)
    c = np.array(concentration)
    for k in (1, 2, 3)[: len(c)]:
        member = post.membership(k)[0]
        assert member.sum() == pytest.approx(k, abs=1e-9)
        assert ((member >= 0) & (member <= 1 + 1e-9)).all()
        # more concentration, more membership
        order = np.argsort(c)
        assert (np.diff(member[order]) >= -1e-9).all()
        assert np.ptp(member[c == c.min()]) == 0
        assert 0 < post.certainty(k)[0] <= 1 + 1e-9
    if len(c) == 2:
        assert post.membership(1)[0].tolist() == pytest.approx([1, 0], abs=1e-12)


def test_large_counts_are_a_normal_difference():
    # x_1 - x_2 of two gammas with 1e15 ± 5e7 events: z = 1e8 / sqrt(2e15), the skewness is below 1e-8
    found = one([1e15 + 5e7, 1e15 - 5e7]).membership(1)[0, 0]
    assert found == pytest.approx(special.ndtr(1e8 / np.sqrt(2e15)), abs=1e-7)


def test_many_distinct_concentrations():
    c = np.exp(np.random.default_rng(5).uniform(np.log(1e-3), np.log(1e5), 300))
    post = Dirichlet.from_array([c])
    start = time.perf_counter()
    for k in (1, 2, 5):
        assert post.membership(k).sum() == pytest.approx(k, abs=1e-11)
        assert 0 < post.certainty(k)[0] <= 1
    assert time.perf_counter() - start < 10  # some 10 ms on the machine where this was written
    # two spread sets of two, by the twin's one-dimensional integral
    best = np.argsort(c)[-2:]
    inside, outside = c[best], np.delete(c, best)
    s = np.linspace(np.log(c[best[0]]) - 0.1, np.log(c[best[1]]) + 0.1, 20_001)
    x = np.exp(s)
    density = np.exp(inside * s[:, None] - x[:, None] - special.gammaln(inside))
    tails = special.gammaincc(inside, x[:, None])
    f = (density * tails[:, ::-1]).sum(1) * np.prod(special.gammainc(outside, x[:, None]), axis=1)
    assert post.set_probability([best])[0] == pytest.approx(f.sum() * (s[1] - s[0]), abs=1e-9)


@pytest.mark.parametrize("n_unlisted, background", [(400, 0.01), (3, 1.0), (0, 5.0), (5, 2.0)])
def test_background_is_shorthand(n_unlisted, background):
    """Unlisted classes with a background are the same posterior as listed ones, in every answer."""
    n_classes = 3 + n_unlisted
    axes = ugt.annotations.Axes.of(2, n_classes)
    short = Dirichlet(axes, np.array([0, 3, 3]), np.array([0, 1, n_classes - 1], np.int32), np.array([2.0, 1.0, 4.0]), background)
    table = np.full((2, n_classes), background)
    table[0, [0, 1, n_classes - 1]] = [2.0, 1.0, 4.0]
    long = Dirichlet.from_array(table)
    sets = [[0, 1], [1, 2]]
    assert short.mean() == pytest.approx(long.mean(), abs=1e-15)
    for k in (1, 2):
        np.testing.assert_array_equal(short.membership(k), long.membership(k))
        np.testing.assert_array_equal(short.certainty(k), long.certainty(k))
    np.testing.assert_array_equal(short.set_probability(sets), long.set_probability(sets))
    np.testing.assert_array_equal(short.label_probability(sets), long.label_probability(sets))
    groups = np.arange(n_classes) % 2
    np.testing.assert_allclose(short.grouped(groups).mean(), long.grouped(groups).mean(), rtol=1e-13)
    np.testing.assert_array_equal(short.support, long.support)


def test_draws_with_a_background_of_each_case():
    axes = ugt.annotations.Axes.of(3, 5)
    post = Dirichlet(axes, np.array([0, 1, 2, 2]), np.array([1, 4], np.int32), np.array([2.0, 2.0]), np.array([0.0, 3.0, 0.5]))
    np.testing.assert_allclose(post.grouped([0, 0, 1, 1, 1]).mean()[1], [6 / 14, 8 / 14])
    draws = post.draws(20_000, seed=2)
    assert (draws[0] == [0, 1, 0, 0, 0]).all()
    # means of 20,000 draws of standard deviation below 0.3
    np.testing.assert_allclose(draws.mean(1), post.mean(), atol=5 * 0.3 / np.sqrt(20_000))
    np.testing.assert_allclose(draws.var(1), post.mean() * (1 - post.mean()) / ([[3], [15], [3.5]]), atol=0.005)


@pytest.mark.slow
def test_exact_answers_agree_with_a_million_draws():
    concentration = [3.0, 2.5, 0.7, 0.7, 0.01, 12.0]
    axes = ugt.annotations.Axes.of(1, 8)
    post = Dirichlet(axes, np.array([0, 6]), np.array([0, 1, 3, 4, 5, 7], np.int32), np.array(concentration), 0.2)
    n = 1_000_000
    top = post.top(n, 3, seed=3)[0]
    for k in (1, 2, 3):
        member = post.membership(k)[0]
        seen = np.bincount(top[:, :k].ravel(), minlength=8) / n
        np.testing.assert_array_less(np.abs(seen - member), 5 * np.sqrt(member * (1 - member) / n) + 1e-6)
        sets, counts = np.unique(np.sort(top[:, :k]), axis=0, return_counts=True)
        certainty = post.certainty(k)[0]
        assert abs(counts.max() / n - certainty) < 5 * np.sqrt(certainty * (1 - certainty) / n)
        assert post.set_probability([sets[np.argmax(counts)]])[0] == pytest.approx(certainty, abs=1e-12)


# ---- Dirichlet: draws --------------------------------------------------------------------------------
def mixed(case_ids=("a", "b", "c", "d")):
    return Dirichlet.from_array([[3, 1, 0, 0.5], [1e-3, 2e-3, 1e-3, 0], [np.nan] * 4, [0, 0, 7, 0]], case_ids=case_ids)


def test_draws_are_plausibilities():
    draws = mixed().draws(200, seed=1)
    assert draws.shape == (4, 200, 4)
    np.testing.assert_allclose(draws[[0, 1, 3]].sum(-1), 1, rtol=1e-15)
    assert (draws[[0, 1, 3]] >= 0).all()
    assert np.isnan(draws[2]).all()
    assert (draws[0, :, 2] == 0).all()
    assert (draws[3] == [0, 0, 1, 0]).all()


def test_top_is_the_order_of_the_draws():
    post = mixed()
    draws, top = post.draws(500, seed=9), post.top(500, 4, seed=9)
    assert (top[2] == -1).all()
    for i, n_positive in ((0, 3), (1, 3), (3, 1)):
        assert (top[i, :, n_positive:] == -1).all()
        assert (np.sort(top[i, :, :n_positive]) == np.flatnonzero(post.mean()[i])).all()
        values = np.take_along_axis(draws[i], top[i, :, :n_positive], 1)
        assert (np.diff(values) <= 0).all()
    np.testing.assert_array_equal(post.top(500, 2, seed=9), top[:, :, :2])


def test_draws_belong_to_the_case_and_the_seed():
    post = mixed()
    draws = post.draws(50, seed=4)
    np.testing.assert_array_equal(draws, post.draws(50, seed=4))
    np.testing.assert_array_equal(draws[:, :20], post.draws(20, seed=4))
    assert (draws[0] != post.draws(50, seed=5)[0]).any(axis=1).all()
    np.testing.assert_array_equal(post.take([3, 1]).draws(50, seed=4), draws[[3, 1]])
    alone = Dirichlet.from_array([[3, 1, 0, 0.5]], case_ids=["a"])
    np.testing.assert_array_equal(alone.draws(50, seed=4)[0], draws[0])
    renamed = Dirichlet.from_array([[3, 1, 0, 0.5]] * 2, case_ids=["x", "y"]).draws(50, seed=4)
    assert (renamed[0] != renamed[1]).any(axis=1).all()


def test_seeds():
    post = mixed()
    generator = np.random.default_rng(0)
    first, second = post.draws(3, seed=generator), post.draws(3, seed=generator)
    assert (first[0] != second[0]).any()
    np.testing.assert_array_equal(first, post.draws(3, seed=np.random.default_rng(0)))
    np.testing.assert_array_equal(post.draws(3, seed=np.random.SeedSequence(7)), post.draws(3, seed=np.random.SeedSequence(7)))
    for bad in (-1, 2**64, 1.5, "1", None, True):
        refused("seed must be an int from 0", post.draws, 3, seed=bad)


# ---- known vectors -----------------------------------------------------------------------------------

VECTORS = st.integers(1, 5).flatmap(lambda n: st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))


@given(VECTORS, st.data())
def test_a_point_is_the_mean_over_its_orders(vector, data):
    n_classes = len(vector)
    k = data.draw(st.integers(1, n_classes))
    best = data.draw(st.sets(st.integers(0, n_classes - 1), min_size=1))
    point = Point.from_array([vector])
    for ties, found in (("expectation", orders.tie_breaks(vector)), ("first", orders.by_position(vector))):
        member = [sum(y in order[:k] for order in found) / len(found) for y in range(n_classes)]
        np.testing.assert_allclose(point.membership(k, ties=ties)[0], member, atol=1e-14)
        inside = sum(order[0] in best for order in found) / len(found)
        assert point.label_probability([sorted(best)], ties=ties)[0] == pytest.approx(inside, abs=1e-14)
        same = sum({*order[: len(best)]} == best for order in found) / len(found)
        assert point.set_probability([sorted(best)], ties=ties)[0] == pytest.approx(same, abs=1e-14)
        # classes of plausibility 0 are never among the best: the set of order k is what is positive, if that is less
        positive = [tuple(y for y in order if vector[y] > 0)[:k] for order in found]
        sets = [frozenset(order) for order in positive]
        assert point.certainty(k, ties=ties)[0] == pytest.approx(max(sets.count(s) for s in sets) / len(sets), abs=1e-14)
        at_rank = [order[k - 1] if len(order) >= k else None for order in positive]
        assert point.certainty(k, kind="rank", ties=ties)[0] == pytest.approx(
            max(at_rank.count(y) for y in at_rank) / len(at_rank), abs=1e-14
        )


@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n).filter(any), min_size=1, max_size=4)),
    st.data(),
)
def test_draws_are_the_mean_of_points(vectors, data):
    n_classes = len(vectors[0])
    k = data.draw(st.integers(1, n_classes))
    draws, points = Draws.from_array([vectors]), Point.from_array(vectors)
    many = [sorted({0, n_classes - 1})] * len(vectors)
    for ties in ("expectation", "first"):
        np.testing.assert_allclose(draws.membership(k, ties=ties)[0], points.membership(k, ties=ties).mean(0), atol=1e-14)
        assert draws.label_probability(many[:1], ties=ties)[0] == pytest.approx(points.label_probability(many, ties=ties).mean(), abs=1e-14)
        assert draws.set_probability(many[:1], ties=ties)[0] == pytest.approx(points.set_probability(many, ties=ties).mean(), abs=1e-14)
        # the certainty of draws: the highest frequency of any set, ties of a draw shared
        weights = {}
        for vector in vectors:
            found = orders.tie_breaks(vector) if ties == "expectation" else orders.by_position(vector)
            for order in found:
                # classes of plausibility 0 never belong to the best, unless ties are broken by position
                best = frozenset(y for y in order[:k] if vector[y] > 0 or ties == "first")
                weights[best] = weights.get(best, 0) + 1 / len(found)
        assert draws.certainty(k, ties=ties)[0] == pytest.approx(max(weights.values()) / len(vectors), abs=1e-13)
    np.testing.assert_allclose(draws.mean()[0], points.mean().mean(0), atol=1e-15)


def test_too_many_tied_sets():
    point = Point.from_array(np.ones((2, 40)), case_ids=["p", "q"])
    refused(r"ties must be 'first' if ties make more than 10,000 sets. Got 658008 sets, first at case 'p'.", point.certainty, 5)
    assert point.certainty(5, ties="first").tolist() == [1, 1]
    assert point.certainty(1).tolist() == pytest.approx([1 / 40] * 2)


# ---- what all of them have in common ------------------------------------------------------------------

TABLE = np.array([[4.0, 3.0, 2.0, 0.0], [1.0, 1.0, 0.0, 2.0], [0.5, 0.25, 0.25, 3.0]])
KINDS = {
    "Point": Point.from_array(TABLE, case_ids=["a", "b", "c"], classes=["w", "x", "y", "z"]),
    "Dirichlet": Dirichlet.from_array(TABLE, case_ids=["a", "b", "c"], classes=["w", "x", "y", "z"]),
    "Draws": Draws.from_array(np.stack([TABLE, TABLE[:, ::-1] + 0.5], 1), case_ids=["a", "b", "c"], classes=["w", "x", "y", "z"]),
}


@pytest.fixture(params=KINDS)
def any_kind(request):
    return KINDS[request.param]


def test_names_and_sizes(any_kind):
    assert (any_kind.n_cases, any_kind.n_classes) == (3, 4)
    assert any_kind.axes.case_ids.tolist() == ["a", "b", "c"]
    assert "n_cases=3" in repr(any_kind)
    np.testing.assert_allclose(any_kind.mean().sum(1), 1, rtol=1e-15)
    assert any_kind.defined.all()


def test_pickles_and_taking_cases(any_kind):
    again = pickle.loads(pickle.dumps(any_kind))
    assert type(again) is type(any_kind)
    assert again.axes.classes.tolist() == ["w", "x", "y", "z"]
    for k in (1, 3):
        np.testing.assert_array_equal(again.membership(k), any_kind.membership(k))
        np.testing.assert_array_equal(any_kind.take([2, 0]).membership(k), any_kind.membership(k)[[2, 0]])
    np.testing.assert_array_equal(again.draws(2), any_kind.draws(2))


def test_nothing_can_be_changed(any_kind):
    for name, value in vars(any_kind).items():
        with pytest.raises(AttributeError):
            setattr(any_kind, name, value)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable


def test_input_is_copied():
    table = TABLE.copy()
    posts = [cls.from_array(table) for cls in (Point, Dirichlet)]
    before = [post.mean() for post in posts]
    table[:] = 1
    for post, mean in zip(posts, before):
        np.testing.assert_array_equal(post.mean(), mean)


@pytest.mark.parametrize("groups", [[0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 0, 0], [1, 0, 1, 3]])
def test_groups_add_plausibilities_up(any_kind, groups):
    grouped = any_kind.grouped(groups)
    expected = [any_kind.mean()[:, np.array(groups) == g].sum(1) for g in range(max(groups) + 1)]
    np.testing.assert_allclose(grouped.mean(), np.stack(expected, 1), atol=1e-15)
    assert grouped.axes.case_ids.tolist() == ["a", "b", "c"]
    if groups == [0, 1, 2, 3]:
        for k in (1, 2):
            np.testing.assert_allclose(grouped.membership(k), any_kind.membership(k), atol=1e-13)


def test_groups_are_named(any_kind):
    assert any_kind.grouped([0, 0, 1, 1], names=["low", "high"]).axes.classes.tolist() == ["low", "high"]


@pytest.mark.parametrize(
    "groups, message",
    [
        (["a", "b"], r"groups must be 4 integers or names, one per class, .* Got 2 names"),
        ([0, 1], r"groups must be 4 integers or names, one per class, or a mapping from classes to these. Got int\d\d of shape \(2,\)"),
        ([0, 1, 0.5, 1], "groups must be 4 integers or names, one per class, or a mapping from classes to these. Got float64"),
        ([0, -1, 0, 1], "groups must hold group numbers from 0 on. Got -1, first at class 'x'"),
        ([0, 1, 2**30, 1], "groups must hold group numbers from 0 on. Got 1073741824, first at class 'y'"),
    ],
)
def test_bad_groups(any_kind, groups, message):
    refused(message, any_kind.grouped, groups)


@pytest.mark.parametrize(
    "sets, message",
    [
        ([[0], [1]], "sets must hold one set for each of the 3 cases. Got 2"),
        ([[0], [1], [4]], "sets must hold class positions from 0 to 3. Got 4, first at case 'c'"),
        ([[0], [-1], [0]], "sets must hold class positions from 0 to 3. Got -1, first at case 'b'"),
        ([[0], [1, 2, 1], [0]], "sets must hold each class once. Got class 'x' twice, first at case 'b'"),
        ([[0], [0.5], [1]], r"sets must hold sequences of class positions, or of names of classes. Got \[0.5\], first at case 'b'"),
        ([0, 1, 2], "sets must hold sequences of class positions, or of names of classes. Got 0, first at case 'a'"),
        (np.ones((3, 3), bool), r"sets must be a mask of shape \(3, 4\). Got \(3, 3\)"),
    ],
)
def test_bad_sets(any_kind, sets, message):
    refused(message, any_kind.label_probability, sets)


def test_sets_in_three_forms(any_kind):
    lists = [[0, 2], [3, 1], [2, 0]]
    mask = np.zeros((3, 4), bool)
    for i, row in enumerate(lists):
        mask[i, row] = True
    expected = [any_kind.membership(1)[i, row].sum() for i, row in enumerate(lists)]
    for sets in (lists, mask, np.array(lists), np.array(lists, np.int8), [tuple(row) for row in lists], [np.array(row) for row in lists]):
        np.testing.assert_allclose(any_kind.label_probability(sets), expected, atol=1e-14)
    assert any_kind.label_probability([[], [0], []])[[0, 2]].tolist() == [0, 0]
    assert any_kind.set_probability([[0], [], [1]])[1] == 0


@pytest.mark.parametrize("cls, argument", [(Point, "plausibilities"), (Dirichlet, "concentrations")])
@pytest.mark.parametrize(
    "table, message",
    [
        *(([[1, bad, 2]], "hold finite numbers of at least 0") for bad in (-1, np.inf, np.nan)),
        *(([[1, 1, 2], bad], ".*with finite sums above 0 .*first at row 1") for bad in ([0, 0, 0], [1.7e308, 1.7e308, 0])),
        ([1, 2, 3], r"be an array of numbers of shape \(N, K\). Got int\d\d of shape \(3,\)"),
        (np.empty((0, 3)), r"be an array of numbers of shape \(N, K\). Got float64 of shape \(0, 3\)"),
        ([["a", "b"]], r"be an array of numbers of shape \(N, K\)"),
    ],
)
def test_bad_tables(cls, argument, table, message):
    refused(f"{argument} must {message}", cls.from_array, table)


def test_bad_draws():
    refused(r"draws must be an array of numbers of shape \(N, draws, K\). Got float64 of shape \(2, 3\)", Draws.from_array, np.ones((2, 3)))
    with pytest.raises(ValueError, match="draws must hold finite numbers"):
        Draws.from_array([[[1.0, np.nan], [1, 1]]])  # only whole cases may be undefined
    refused(r"n must be from 1 to 2, the number of draws. Got 3", KINDS["Draws"].draws, 3)


def test_bad_concentrations():
    axes = ugt.annotations.Axes.of(2, 3, case_ids=["p", "q"])
    offsets, index = np.array([0, 1, 2]), np.array([0, 1], np.int32)
    refused(r"concentration must be .* Got 0.0, first at case 'q'", Dirichlet, axes, offsets, index, np.array([1.0, 0.0]))
    refused(r"concentration must be .* Got inf, first at case 'p'", Dirichlet, axes, offsets, index, np.array([np.inf, 1.0]))
    refused(r"background must be .* Got -1.0, first at case 'q'", Dirichlet, axes, offsets, index, np.ones(2), np.array([0.0, -1.0]))


def test_undefined_cases():
    table = np.array([[1.0, 2.0], [np.nan, np.nan]])
    for post in (Point.from_array(table), Dirichlet.from_array(table), Draws.from_array(table[:, None, :])):
        assert post.defined.tolist() == [True, False]
        certain = post.certainty(1), post.certainty(2, kind="rank")
        for answer in (post.mean(), post.membership(1), *certain, post.label_probability([[0], [1]])):
            assert np.isnan(answer[1]).all()
            assert not np.isnan(answer[0]).any()
        assert np.isnan(post.set_probability([[0], [1]])[1])
        assert np.isnan(post.grouped([0, 0]).mean()[1]).all()
    nothing = Dirichlet.from_array(table).take(np.arange(0))
    assert (nothing.certainty(1).shape, nothing.certainty_after(2, 1, 1.0).shape) == ((0,), (0,))


def test_what_counts_as_plausibilities():
    post = KINDS["Dirichlet"]
    assert as_plausibilities(post) is post
    assert isinstance(as_plausibilities([[0.5, 0.5]]), Point)
    assert isinstance(as_plausibilities(np.ones((2, 3, 4))), Draws)
    refused("truth must be plausibilities or an array", as_plausibilities, [1, 2], error=TypeError)
    labels = ugt.Labels.from_counts(np.array([[1, 2]]))
    refused(r"Got Labels: aggregate them first, for example with ugt.dirichlet", as_plausibilities, labels, error=TypeError)
    rankings = ugt.Rankings.from_blocks([[[[0]]]], n_classes=2)
    refused(r"Got Rankings: aggregate them first, for example with ugt.prirn", as_plausibilities, rankings, error=TypeError)
    ratings = ugt.Ratings.from_wide([[1.0, 2.5]])
    refused(r"Got Ratings: ugt.truth.normal\(ratings\).to_point\(cuts\) gives", as_plausibilities, ratings, error=TypeError)
    post = ugt.truth.normal(ratings, prior=(0, 1, 2, 1))
    refused(r"Got NormalPosterior: its method to_point\(cuts\) gives", as_plausibilities, post, error=TypeError)
    assert isinstance(as_plausibilities(post.to_point([1.5])), Point)


def test_no_metric_asks_for_the_kind_of_a_truth():
    source = Path(ugt.__file__).parent
    importlib.import_module("ugt.plausibilities.integrated")  # which the library imports when it needs it
    kinds = {"NormalPosterior", *(one.__name__ for one in _below(Plausibilities))}
    assert {"Dirichlet", "Draws", "Point", "Integrated"} <= kinds
    found = []
    for file in source.rglob("*.py"):
        if file.parent.name in ("plausibilities", "truth"):  # which define and which make them
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                asked = {getattr(one, "id", getattr(one, "attr", "")) for one in ast.walk(node.args[1])}
                found += [f"{file.relative_to(source)}:{node.lineno}"] if asked & kinds else []
    assert found == []


def _below(kind):
    return {one for own in kind.__subclasses__() for one in (own, *_below(own))}


@pytest.mark.parametrize("kind", [ugt.Point, ugt.Dirichlet])
def test_membership_names_a_wrong_order(kind):
    for k in (0, 4, 1.5, True):
        refused(r"k must be a whole number from 1 to 3\. Got", kind.from_array([[1.0, 2.0, 3.0]]).membership, k)


def test_rows_of_different_lengths_are_named():
    refused(r"^truth must be plausibilities", ugt.annotation_certainty, [[1], [2, 3]], error=(ValueError, TypeError))


def test_mean_of_classes_that_nobody_mentioned_is_their_share_of_the_lump():
    rankings = ugt.Rankings.from_blocks([[[[0], [2]]], [[[1]]]], n_classes=5)
    post = warned("chains have not mixed well", ugt.plackett_luce, rankings, method="gibbs", n_draws=20, n_chains=1, n_warmup=20)
    mean = post.mean()
    for i, (mentioned, others) in enumerate([([0, 2], [1, 3, 4]), ([1], [0, 2, 3, 4])]):
        expected = post.case(i).mean(0)
        np.testing.assert_allclose(mean[i, mentioned], expected[:-1])
        np.testing.assert_allclose(mean[i, others], expected[-1] / len(others))


def test_draws_of_what_was_mentioned_say_which_cases_count():
    rankings = ugt.Rankings.from_blocks([[[[0], [2]]], []], n_classes=4)
    for unranked, counts in (("individual", True), ("lump", True), ("ignore", False)):
        post = ugt.plackett_luce(rankings, method="gibbs", n_draws=8, n_chains=1, n_warmup=8, unranked=unranked)
        assert post.defined.tolist() == [True, counts and post.with_empty]
        assert post._is_zero_tail().tolist() == [unranked == "ignore"] * 16


def test_chains_are_judged_by_the_most_plausible_class():
    rankings = ugt.Rankings.from_blocks([[[[3], [0]]], [[[2]]], []], n_classes=4)
    post = ugt.plackett_luce(rankings, method="gibbs", n_draws=40, n_chains=2, n_warmup=20, seed=3)
    found = post.diagnostics()
    for i, column in enumerate([1, 0, 0]):  # the last case has the lump only
        expected = diagnostics.diagnose(np.log(post.case(i)[:, column].astype(float)).reshape(1, 2, -1))
        for name in ("rhat", "ess_bulk", "ess_tail"):
            np.testing.assert_array_equal(getattr(found, name)[i], getattr(expected, name)[0])


def test_equally_many_ties_of_draws_may_be_beside_different_classes():
    """Each of the two draws has three sets of two with a third of its weight; no set is one of both."""
    draws = [[0.3, 0.3, 0.3, 0.1], [0.2, 0.2, 0.2, 0.4]]
    for order in (draws, draws[::-1]):
        assert Draws.from_array([order]).certainty(2)[0] == pytest.approx(1 / 6)


def test_other_classes_than_the_lowest_may_be_tied_beside_as_many():
    """After the same three classes, one of all five others is drawn, or one of two: 3 is drawn with 1/5 and with 1/2."""
    draws = [[20, 19, 18, 5, 5, 5, 5, 5], [20, 19, 18, 9, 9, 3, 2, 1]]
    for order in (draws, draws[::-1]):
        assert Draws.from_array([order]).certainty(4)[0] == pytest.approx((1 / 5 + 1 / 2) / 2)


def test_ten_thousand_sets_of_ties_are_the_most():
    assert Point.from_array([[1.0] * 10_000]).certainty(1) == pytest.approx(1e-4)
    refused(r"ties must be 'first' if ties make more than 10,000 sets\. Got 10001 sets", Point.from_array([[1.0] * 10_001]).certainty, 1)
