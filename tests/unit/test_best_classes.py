"""The k best classes and groups of classes by weighted points: against Dirichlet laws, quadrature, and the Gibbs sampler."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from ranked_cases import CHAINS, CONFLICT, PAIR, SEVERAL, TIED, TRIPLE, random_case
from scipy.integrate import dblquad
from surface import public
from twins import cubature as slow

import ugt
from ugt.plausibilities.lists import Lists
from ugt.plausibilities.metric import METRICS
from ugt.plausibilities.sets import as_sets

CASES = [
    [[[0], [1]], [[1], [2]]],
    [[[0], [1, 2]], [[2], [3]], [[0]]],
    [[[3]], [[3]], [[1]]],
    [[[0, 1]], [[1], [0]]],
    [[[4], [2], [0], [1]], [[2], [4], [1], [3]]],
]


def posterior(cases=CASES, n_classes=6, **options):
    return ugt.plackett_luce(ugt.Rankings.from_blocks(cases, n_classes=n_classes), **{"prior_shape": 0.5, **options})


def numbers(post):
    return np.stack([post.membership(1), post.mean(), post.variance()])


def rms(z):
    return float(np.sqrt(np.mean(np.square(z))))


@pytest.mark.parametrize(("n_classes", "prior"), [(5, 0.3), (24, 1 / 24)])
def test_labels_have_the_dirichlet_law(n_classes, prior):
    """Every number within its stated error: certainties, memberships, sets, groups, metrics of whole orders."""
    rng = np.random.default_rng(3)
    counts = np.zeros((60, n_classes), int)
    counts[:, :5] = rng.integers(0, 4, (60, 5))
    counts[0] = 0
    labels, scores = ugt.Labels.from_counts(counts), rng.random((60, n_classes))
    exact, found = ugt.dirichlet(labels, prior=prior), ugt.plackett_luce(labels, prior_shape=prior).without_empty()
    some, z = slice(1, None), []
    for k in (2, 3, 4) if n_classes == 5 else (2, 3):
        for kind in ("set", "rank"):
            error = found.certainty_error(found.certainty(k, kind=kind), k, kind)
            assert np.isnan(found.certainty(k, kind=kind)[0]) and np.isnan(error[0])
            z += ((found.certainty(k, kind=kind) - exact.certainty(k, kind=kind)) / error)[some].tolist()
        assert found.membership(k)[some] == pytest.approx(exact.membership(k)[some], abs=0.02)
        for metric in METRICS.values():
            one, known = (public(metric.function)(truth, scores, k=k) for truth in (found, exact))
            assert abs(one.value - known.value) < 4.5 * one.mc_error + 1e-4 and one.draw_std == pytest.approx(known.draw_std, rel=0.03)
            assert one.draw_interval() == pytest.approx(known.draw_interval(), abs=0.03)
        sets = [list(range(j % 2, j % 2 + k)) for j in range(60)]
        assert found.set_probability(sets)[some] == pytest.approx(exact.set_probability(sets)[some], abs=0.02)
    group = np.arange(n_classes) % 3
    both = [truth.grouped(group) for truth in (found, exact)]
    z += ((both[0].membership(1) - both[1].membership(1)) / both[0].error[:, None])[some, 0].tolist()
    assert both[0].mean()[some] == pytest.approx(both[1].mean()[some], abs=0.01)
    assert 0.6 < rms(z) < 1.25 and np.abs(z).max() < 5
    worth = rng.random((60, n_classes))
    one, known = found.of_class(worth), exact.of_class(worth)
    assert one.per_case[some] == pytest.approx(known.per_case[some], abs=2e-4) and one.draw_std == pytest.approx(known.draw_std, rel=0.02)
    mass, known = (truth.mass(as_sets(sets, truth.axes)) for truth in (found, exact))
    assert mass.per_case[some] == pytest.approx(known.per_case[some], abs=2e-4) and mass.draw_std == pytest.approx(known.draw_std, rel=0.02)
    law, order, steps = np.full((60, n_classes), 1 / n_classes), np.arange(n_classes), np.ones(n_classes - 1)
    for power in (1, 2):
        far, near = (truth.of_cumulative(law, order, steps, power) for truth in (found, exact))
        assert far.per_case[some] == pytest.approx(near.per_case[some], rel=0.05, abs=0.03)
        assert far.draw_std == pytest.approx(near.draw_std, rel=0.05)


def last_of_three(ranking, shape, reliability):
    """P(class c has the least plausibility) of three classes, c = 0, 1, 2: over the log ratios to it, which are then above 0."""

    def density(*theta):
        plausibility, left, log_p = np.exp(theta), set(range(3)), 0.0
        for block in ranking:
            total, rest = sum(plausibility[j] for j in sorted(left)), left - set(block)
            if len(block) == 1:
                log_p += reliability * (theta[block[0]] - np.log(total))
            else:  # either order of a pair
                a, b = (plausibility[y] for y in block)
                left_over = sum(plausibility[j] for j in sorted(rest))
                log_p += reliability * np.log(a * b / total * (1 / (b + left_over) + 1 / (a + left_over)))
            left = rest
        return np.exp(log_p + shape * (sum(theta) - 3 * np.log(plausibility.sum())))

    def integral(c, low):
        of = (lambda y, x: density(0, x, y), lambda y, x: density(x, 0, y), lambda y, x: density(x, y, 0))[c]
        return dblquad(of, low, 40, low, 40, epsabs=1e-13, epsrel=1e-10)[0]

    return np.array([integral(c, 0) for c in range(3)]) / integral(0, -40)


@pytest.mark.parametrize(
    ("ranking", "reliability"), [([[1], [0], [2]], 1.0), ([[1], [0], [2]], 1.7), ([[0, 2], [1]], 3.3), ([[1, 2], [0]], 1.3)]
)
def test_quadrature_of_three_classes(ranking, reliability):
    """Also of tied pairs that count a number of times that is not whole, where the integrals of before were ten stated errors off."""
    post = posterior([[ranking[:-1]]] if ranking[0] == [1] else [[ranking]], n_classes=3, prior_shape=0.8, reliability=reliability)
    last = last_of_three(ranking, 0.8, reliability)
    error = 4 * post.certainty_error(0, 2, "set")[0]
    assert 0 < error < 0.03
    assert post.membership(2)[0] == pytest.approx(1 - last, abs=error)
    assert post.certainty(2)[0] == pytest.approx(last.max(), abs=error)
    assert post.set_probability([[0, 1]])[0] == pytest.approx(last[2], abs=error)


@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
@pytest.mark.parametrize("reliability", [1, 2.5])
def test_draws_agree(reliability, unranked):
    n, rng = 20_000, np.random.default_rng(1)
    found = posterior(reliability=reliability, unranked=unranked)
    draws = posterior(reliability=reliability, unranked=unranked, method="gibbs", n_draws=n)
    scores = rng.random((5, 6))
    error = np.sqrt(0.25 / n) * 8  # draws of a chain are dependent
    for k in (2, 3):
        assert found.membership(k) == pytest.approx(draws.membership(k), abs=error)
        assert found.membership(k).sum(axis=1) == pytest.approx(k)
        for kind in ("set", "rank"):
            assert found.certainty(k, kind=kind) == pytest.approx(draws.certainty(k, kind=kind), abs=error)
        for sets in ([[0, 1, 2][:k]] * 5, [[1, 5, 4][:k]] * 5):
            assert found.set_probability(sets) == pytest.approx(draws.set_probability(sets), abs=error)
        for metric in METRICS.values():
            for ties in ("expectation", "first"):
                one, other = (public(metric.function)(truth, scores, k=k, ties=ties) for truth in (found, draws))
                assert one.per_case == pytest.approx(other.per_case, abs=error) and one.draw_std == pytest.approx(
                    other.draw_std, rel=0.06, abs=0.003
                )
    for group in ([0, 1, 0, 2, 1, 2], [0, 0, 0, 1, 1, 1]):
        one, other = found.grouped(group), draws.grouped(group)
        assert one.membership(1) == pytest.approx(other.membership(1), abs=error)
        assert one.mean() == pytest.approx(other.mean(), abs=error)
        assert one.certainty(2, kind="rank") == pytest.approx(other.certainty(2, kind="rank"), abs=error)
        assert one.variance() == pytest.approx(other.draws(n).var(1), abs=error)
    table = found.draws(2000)
    assert (
        table.shape == (5, 2000, 6)
        and table.sum(axis=2) == pytest.approx(1)
        and table.mean(axis=1) == pytest.approx(found.mean(), abs=0.03)
    )


@pytest.mark.parametrize(
    ("case", "n_classes", "gamma", "shape", "group", "size"),
    [
        (CONFLICT, 3, 1, 0.5, [0, 0, 1], 90), (CONFLICT, 4, 1, 0.5, [0, 0, 1, 1], 90), (TIED, 4, 1, 0.5, [0, 1, 0, 1], 40),
        (CHAINS, 4, 2.5, 0.5, [0, 1, 1, 0], 90), (TIED, 4, 2, 0.7, [0, 1, 1, 2], 40), (PAIR, 4, 1.5, 0.5, [0, 1, 1, 0], 40),
        ([[[3], [0, 1, 2]], [[0]]], 4, 1, 0.5, [0, 0, 1, 1], 40),
    ],
)  # fmt: skip
def test_independent_integration_of_groups(case, n_classes, gamma, shape, group, size):
    found = slow.by_group_ratios(case, gamma, shape, n_classes, group, size)
    post = posterior([case], n_classes, reliability=gamma, prior_shape=shape).grouped(group)
    assert 0 < post.error[0] < 0.01
    assert post.membership(1)[0] == pytest.approx(found, abs=4 * post.error[0])


@pytest.mark.parametrize("gamma", [0.3, 1.5, 2.5])
def test_independent_integration_of_ties(gamma):
    """Probabilities to be first of cases whose ties have no sum over orders."""
    z = []
    for case in (PAIR, SEVERAL, [[[0, 1]], [[0, 2]], [[1]]], [[[0, 1]], [[0, 1]], [[0], [1]]], TRIPLE):
        known = slow.by_ratios(case, gamma, 0.5, 4, 30)
        post = posterior([case], 4, reliability=gamma)
        assert post.error[0] <= 2e-3
        z += ((post.membership(1)[0] - known) / post.error[0]).tolist()
    assert np.abs(z).max() < 4 and rms(z) < 1.3  # the error is that of the least accurate number


def test_sets_add_up_to_one():
    post = posterior()
    for k in (2, 3):
        each = np.array([post.set_probability([chosen] * 5) for chosen in combinations(range(6), k)])
        assert each.sum(axis=0) == pytest.approx(1, abs=1e-9)
        assert each.max(axis=0) == pytest.approx(post.certainty(k), abs=1e-9)
    several = post.set_probability([[0, 1, 2, 3, 4], [], [5], [0], list(range(6))])
    first = post.membership(1)
    assert several == pytest.approx([post.set_probability([[0, 1, 2, 3, 4]] * 5)[0], 0, first[2, 5], first[3, 0], 1], abs=0.01)
    assert post.set_probability([[4]] * 5) == pytest.approx(first[:, 4], abs=1e-12)


def test_names_and_numbers_of_classes_do_not_matter():
    names = np.array([3, 5, 0, 1, 4, 2])
    moved = [[[[int(names[y]) for y in block] for block in ranking] for ranking in case] for case in CASES]
    post, other = posterior(), posterior(moved)
    for k in (2, 3):
        error = 6 * np.max(post.certainty_error(0, k, "set"))
        assert other.membership(k)[:, names] == pytest.approx(post.membership(k), abs=error)
        assert other.certainty(k) == pytest.approx(post.certainty(k), abs=error)
    thrice = posterior([[ranking for ranking in case for _ in range(3)] for case in CASES])
    assert posterior(reliability=3).certainty(2) == pytest.approx(thrice.certainty(2), abs=0.02)


def test_names_of_unmentioned_classes():
    """Lists with one name for all classes that a model does not name have the chances of all names."""
    top = np.array([[0, -2, -2], [-2, 1, 0], [-2, -2, -2]], np.int32)
    weight = np.full((3, 16), 1 / 48)
    lists = Lists(top, weight, np.array([0, 3]), np.array([100.0]), np.array([4]), np.zeros(1, bool))
    known = np.array([0, 1])
    names, parent, chance = lists.named(np.array([0, 3]), np.array([1, 3, 5], np.int32), known, 6)
    assert np.bincount(parent, chance) == pytest.approx([1, 1, 1])
    for row in names:
        assert len(set(row.tolist())) == 3 and row.min() >= 0 and row.max() < 6
    second = {name: chance[(parent == 0) & (names[:, 1] == name)].sum() for name in (3, 5)}
    assert second == pytest.approx({3: 0.25, 5: 0.25})
    third = chance[(parent == 0) & (names[:, 1] == 3) & (names[:, 2] == 5)].sum()
    assert third == pytest.approx(1 / 12)
    assert lists.named(np.arange(2) * 9_000, np.arange(9_000, dtype=np.int32), known, 10_000) is None  # too many


def test_many_classes_of_a_model_have_random_names():
    """Beside a model that ties hundreds of classes, points name the unmentioned classes at random."""
    rng = np.random.default_rng(5)
    rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[1]]], [[[2]]]] * 3, n_classes=400)
    post, draws = (ugt.plackett_luce(rankings, method=method, n_draws=n) for method, n in (("auto", 2304), ("gibbs", 20_000)))
    scores = np.where(rng.random((6, 400)) < 0.9, 1.0, 0.5)
    one, other = (ugt.metrics.ua_overlap(truth, scores, k=3) for truth in (post, draws))
    assert one.per_case == pytest.approx(other.per_case, abs=0.01)
    assert (3, True) in post.points._listed


def test_cases_without_annotations_and_without_other_classes():
    post = posterior([[], [[[0], [1]]]])
    assert post.certainty(2)[0] == pytest.approx(1 / 15) and post.certainty(2, kind="rank")[0] == pytest.approx(1 / 6)
    assert post.membership(3)[0] == pytest.approx(0.5) and post.set_probability([[1, 2], []]) == pytest.approx([1 / 15, 0])
    undefined = post.without_empty()
    assert np.isnan(undefined.certainty(2)).tolist() == np.isnan(undefined.membership(2)).any(1).tolist() == [True, False]
    assert undefined.grouped([0, 0, 0, 1, 1, 1]).defined.tolist() == [False, True]
    none_left = posterior([[[[0], [1]]], [[[0], [1], [2]]]], unranked="ignore")
    assert [*none_left.certainty(2)[:1], *none_left.certainty(3)] == pytest.approx([1, 1, 1])
    assert none_left.membership(2)[0] == pytest.approx([1, 1, 0, 0, 0, 0])
    assert none_left.certainty(3, kind="rank")[0] == pytest.approx(1)  # that no class is third
    grouped = none_left.grouped([0, 0, 1, 1, 2, 2])
    assert grouped.membership(1)[0] == pytest.approx([1, 0, 0]) and grouped.certainty(2) == pytest.approx([1, 1])


def test_one_class():
    post = posterior([[[[0]]], []], n_classes=1)
    assert (
        post.certainty(1).tolist() == [1, 1]
        and post.membership(1).tolist() == [[1], [1]]
        and post.grouped([0]).mean().tolist() == [[1], [1]]
    )


def test_some_cases_and_a_copy():
    post = posterior(reliability=1.5)
    expected = post.certainty(2), post.membership(2)
    some = post.take([3, 1, 3])
    assert some.certainty(2).tolist() == expected[0][[3, 1, 3]].tolist() and (some.membership(2) == expected[1][[3, 1, 3]]).all()
    groups = [0, 1, 1, 2, 2, 0]
    assert numbers(some.grouped(groups)).tobytes() == numbers(post.grouped(groups))[:, [3, 1, 3]].tobytes()
    assert some.draws(20).tobytes() == post.draws(20)[[3, 1, 3]].tobytes()
    for made in (posterior(reliability=1.5), post, post.grouped(groups)):
        copy = pickle.loads(pickle.dumps(made))
        assert copy.certainty(2).tolist() == made.certainty(2).tolist() and copy.draws(5).tobytes() == made.draws(5).tobytes()
    assert posterior(reliability=1.5, n_threads=2).certainty(2).tolist() == expected[0].tolist()
    alone = posterior([CASES[3]], reliability=1.5)
    renamed = ugt.Rankings.from_blocks([CASES[3]], n_classes=6, case_ids=[3])
    again = ugt.plackett_luce(renamed, prior_shape=0.5, reliability=1.5)
    assert again.certainty(2)[0] == expected[0][3] and alone.certainty(2)[0] != expected[0][3]  # the points depend on the id


def test_the_names_of_groups():
    post, groups = posterior(), [0, 0, 1, 1, 2, 2]
    names = post.grouped(np.array(["low", "low", "mid", "mid", "high", "high"]))
    assert names.axes.classes.tolist() == ["high", "low", "mid"]
    assert names.membership(1)[:, [1, 2, 0]] == pytest.approx(post.grouped(groups).membership(1), abs=6 * names.error.max())
    assert post.grouped(groups) is post.grouped(groups)
    twice = post.grouped(groups).grouped([0, 1, 1])
    assert twice.membership(1)[:, 0] == pytest.approx(post.grouped([0, 0, 1, 1, 1, 1]).membership(1)[:, 0], abs=0.02)


def test_how_it_was_computed_is_said():
    post = posterior()
    assert "weighted points" not in post.note and np.isnan(post.effective_size).all()
    found = ugt.annotation_certainty(post, k=2)
    assert 0 < found.mc_error < 0.01
    assert " Orders, sets and groups of classes use weighted points, 2,304 a case (effective number at least " in post.note
    assert (post.effective_size > 400).all() and not post.unreliable.any()
    rough = posterior(n_draws=288)
    assert ugt.annotation_certainty(rough, k=2).mc_error > 1.5 * found.mc_error
    with pytest.raises(ValueError, match=r"n must be from 1 to 2304, the number of draws. Got 2305"):
        post.draws(2305)
    with pytest.raises(TypeError, match=r"draws must come from plackett_luce"):
        ugt.truth.plackett_luce_diagnostics(post)


def test_stated_errors_hold():
    """A hundred random cases, tied and not, at reliabilities that are whole and not, beside twenty times as many points."""
    rng = np.random.default_rng(7)
    for gamma, unranked in ((1, "individual"), (2.5, "lump"), (0.4, "ignore")):
        cases = [random_case(rng, 5, int(rng.integers(1, 4)), 0.4, 3) for _ in range(35)]
        some = posterior(cases, 8, reliability=gamma, unranked=unranked, method="weighted")
        many = posterior(cases, 8, reliability=gamma, unranked=unranked, n_draws=46_080, seed=5)
        z = []
        for found, known, error in zip(some.membership(1), many.membership(1), some.error):
            z.append(np.abs(found - known).max() / error)  # the error is that of the least accurate number
        z = np.array(z)[np.isfinite(z)]
        assert 0.6 < rms(z) < 1.5 and np.mean(z > 3) <= 0.03
        for k, kind in ((2, "set"), (3, "set"), (2, "rank")):
            errors = np.hypot(*(post.certainty_error(0, k, kind) for post in (some, many)))
            known = np.isfinite(errors)
            assert known.mean() > 0.9  # else the points of a case are not reliable
            z = ((some.certainty(k, kind=kind) - many.certainty(k, kind=kind)) / errors)[known]
            assert 0.6 < rms(z) < 1.3 and np.mean(np.abs(z) > 3) <= 0.03
