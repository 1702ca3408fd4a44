"""Groups that compete by sums of plausibilities under Plackett-Luce: closed forms, independent integration, draws, equalities."""

import pickle
import re

import numpy as np
import pytest
from ranked_cases import CHAINS, CONFLICT, PAIR, SEVERAL, TIED, TRIPLE, random_case
from simulations import ALL
from twins import cubature as slow

import ugt
from ugt.aggregation import plackett_luce_integrals
from ugt.plausibilities.integrated import DRAWN, EMPTY, EXACT, LATTICE

N_DRAWS = 1_000_000 if ALL else 100_000


def posterior(cases, n_classes, **options):
    return ugt.plackett_luce(ugt.Rankings.from_blocks(cases, n_classes=n_classes), **options)


def numbers(post):
    return np.stack([post.membership(1), post.mean(), post.variance()])


@pytest.mark.parametrize(
    "group", [[0, 0, 1, 1, 1, 2], [0, 1, 0, 1, 2, 2], [0, 0, 0, 1, 1, 1], [0, 1, 0, 2, 3, 4], [0] * 6, [2, 2, 0, 0, 0, 0]]
)
@pytest.mark.parametrize(("gamma", "shape"), [(1.7, 0.3), (1, 0.01), (20, 1 / 6)])
def test_labels_have_a_dirichlet_posterior(group, gamma, shape):
    post = posterior([[[[0]], [[0]], [[1]], [[2]]]], 6, method="exact", reliability=gamma, prior_shape=shape).grouped(group)
    known = ugt.Dirichlet.from_array([[shape + 2 * gamma, shape + gamma, shape + gamma, shape, shape, shape]]).grouped(group)
    assert post.membership(1) == pytest.approx(known.membership(1), abs=4e-9)
    mean = known.mean()
    assert post.mean() == pytest.approx(mean, abs=1e-9)
    assert post.variance() == pytest.approx(mean * (1 - mean) / (6 * shape + 4 * gamma + 1), abs=1e-9)


@pytest.mark.parametrize(
    ("case", "n_classes", "gamma", "shape", "group", "size"),
    [
        (CONFLICT, 3, 1, 0.5, [0, 0, 1], 90), (CONFLICT, 4, 1, 0.5, [0, 0, 1, 1], 90), (TIED, 4, 1, 0.5, [0, 1, 0, 1], 40),
        (CHAINS, 4, 2.5, 0.5, [0, 1, 1, 0], 90), (TIED, 4, 2, 0.7, [0, 1, 1, 2], 40), (CONFLICT, 5, 1, 0.6, [0, 0, 0, 1, 1], 36),
        ([[[0], [1]], [[1]]], 6, 1, 1.0, [0, 0, 1, 1, 2, 2], 18), (PAIR, 4, 1.5, 0.5, [0, 1, 1, 0], 40),
        pytest.param(SEVERAL, 4, 2.5, 0.5, [1, 0, 0, 1], 90, marks=pytest.mark.full),
        ([[[3], [0, 1, 2]], [[0]]], 4, 1, 0.5, [0, 0, 1, 1], 40),
    ],
)  # fmt: skip
def test_independent_integration(case, n_classes, gamma, shape, group, size):
    found = slow.by_group_ratios(case, gamma, shape, n_classes, group, size)
    known_to = 3 * np.abs(found - slow.by_group_ratios(case, gamma, shape, n_classes, group, size - 6)).max() + 1e-12
    assert known_to < 6e-9
    for tolerance in (1e-4, 1e-6, 1e-8 if gamma in (1, 2) or case is CHAINS else 1e-6):  # pairs take one more dimension
        post = posterior([case], n_classes, method="exact", reliability=gamma, prior_shape=shape, tolerance=tolerance).grouped(group)
        assert post.membership(1)[0] == pytest.approx(found, abs=post.error[0] + known_to)
        assert 0 < post.error[0] <= tolerance + 2e-9


@pytest.mark.parametrize("unranked", ["individual", "ignore"])
def test_groups_of_one_class(unranked):
    """The numbers of classes, though computed node by node: also moments, classes that nobody mentioned, and cases without annotations."""
    cases = [CONFLICT, PAIR, TIED, CHAINS, SEVERAL, [], [[[4]]]]
    for gamma in (1, 1.5, 4):
        post = posterior(cases, 7, reliability=gamma, prior_shape=0.3, unranked=unranked, tolerance=1e-5)
        alone = post.grouped(range(7))
        exact = (post.how == EXACT) & (alone.how == EXACT)
        bound = (np.where(exact, 1.0, 6.0) * (post.error + alone.error))[None, :, None] + 1e-12
        assert (np.abs(numbers(alone) - numbers(post)) <= bound)[:, post.defined].all()
        assert exact.sum() >= 4 and np.isnan(alone.certainty(1)[~post.defined]).all()


def test_moments_are_those_of_sums():
    group = [0, 1, 0, 2, 1, 1, 2]
    post = posterior([CHAINS, TIED, SEVERAL, TRIPLE], 7, method="exact")
    means = np.stack([post.mean()[:, np.array(group) == g].sum(1) for g in range(3)], axis=1)
    draws = posterior([CHAINS, TIED, SEVERAL, TRIPLE], 7, method="draws", n_draws=40_000, seed=2).grouped(group)
    found = post.grouped(group)
    assert found.mean() == pytest.approx(means, abs=2e-6)
    assert found.variance() == pytest.approx(draws.draws(40_000).var(1), rel=0.06)


@pytest.mark.full
def test_beside_draws():
    """Against many draws the root mean square of differences by their standard errors is about 1: tied and not, exact and not."""
    rng, z, how = np.random.default_rng(5), [], []
    group = [0, 1, 2, 0, 1, 2, 0, 0, 1]
    for gamma, tied, most in ((1, 0.3, 9), (2.5, 0.2, 2), (6, 0.0, 1)):
        cases = [random_case(rng, 6, 3, tied, most) for _ in range(8)]
        post = posterior(cases, 9, reliability=gamma)
        draws = posterior(cases, 9, reliability=gamma, method="draws", n_draws=N_DRAWS, n_chains=4, seed=3)
        grouped = post.grouped(group)
        for found, drawn, error in zip(grouped.membership(1), draws.grouped(group).membership(1), grouped.error):
            known = (drawn > 0.01) & (drawn < 0.99)
            spread = np.sqrt(drawn * (1 - drawn) / (N_DRAWS / 1.5) + error**2)  # draws of a chain are alike
            z += ((found - drawn) / spread)[known].tolist()
        how += grouped.how.tolist()
    assert {EXACT, LATTICE} <= set(how)
    assert len(z) > 30 and max(map(abs, z)) < 5 and 0.5 < np.sqrt(np.mean(np.square(z))) < 1.3


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize(
    ("gamma", "tied", "unranked"),
    [(2.5, 0.0, "ignore"), *(pytest.param(*one, "individual", marks=pytest.mark.full) for one in ((1, 0.3), (6, 0.0)))],
)
def test_quasi_monte_carlo_agrees_with_the_adaptive_rule(gamma, tied, unranked, lines, monkeypatch):
    """Lines, and the lattice over the terms: differences are as large as the standard errors."""
    rng, group = np.random.default_rng(int(gamma)), [0, 1, 1, 0, 2, 2, 0, 1, 0]
    cases = [random_case(rng, 5, 3, tied, 3) for _ in range(40 if lines else 8)]
    options = {"reliability": gamma, "unranked": unranked}
    exact = posterior(cases, 9, **options).grouped(group)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", -1)
    monkeypatch.setattr(plackett_luce_integrals, "LINES", lines)
    if lines:
        monkeypatch.setattr(plackett_luce_integrals, "MOST_TERMS", 1)
    quasi = posterior(cases, 9, **options).grouped(group)
    both = (exact.how == EXACT) & (quasi.how == LATTICE)
    off = np.abs(numbers(exact) - numbers(quasi)).max(axis=(0, 2))[both]
    assert both.sum() >= (15 if lines else 3) and np.median(quasi.error[both]) < 5e-4
    z = off / (quasi.error[both] + exact.error[both])
    assert z.max() < 7 and 0.2 < np.sqrt(np.mean(z**2)) < 2.5  # 16 shifts, and the largest of nine numbers


def test_stated_errors_are_bounds(monkeypatch):
    """The difference from finer integrals is below the stated error, in every case of at most five dimensions."""
    rng, group = np.random.default_rng(3), [0, 1, 1, 0, 2, 2, 0]
    cases = [random_case(rng, 5, int(rng.integers(1, 4)), 0.2, 3) for _ in range(60 if ALL else 20)]
    monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", 5)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_GROUP_NODES", 1_000_000)
    coarse, fine = (posterior(cases, 7, tolerance=tolerance, n_draws=4).grouped(group) for tolerance in (1e-4, 1e-7))
    known = (coarse.how == EXACT) & (fine.how == EXACT)
    off = np.abs(numbers(coarse) - numbers(fine)).max(axis=(0, 2))[known]
    assert known.mean() > 0.6 and off.max() > 1e-7  # these are different numbers
    assert (off <= coarse.error[known]).all()


def test_what_must_be_kept():
    """Other names of classes and groups, reliability 3 as three rankings, threads, other cases: to 1e-9 or the byte."""
    cases, group = [CHAINS, TIED, SEVERAL, CONFLICT], np.array([0, 1, 2, 0, 1, 2])
    post = posterior(cases, 6, reliability=3, tolerance=1e-5, n_threads=1).grouped(group)
    thrice = posterior([case * 3 for case in cases], 6, tolerance=1e-5, n_threads=2).grouped(group)
    assert numbers(thrice) == pytest.approx(numbers(post), abs=1e-9)
    turned = [[[[5 - y for y in block] for block in one] for one in case] for case in cases]
    named = posterior(turned, 6, reliability=3, tolerance=1e-5).grouped(2 - group[::-1])
    exact = (post.how == EXACT) & (named.how == EXACT)
    bound = (np.where(exact, 1.0, 6.0) * (post.error + named.error))[None, :, None]
    assert exact.sum() >= 2 and (np.abs(numbers(named)[:, :, ::-1] - numbers(post)) <= bound).all()
    again = posterior(cases, 6, reliability=3, tolerance=1e-5, n_threads=3).grouped(group)
    assert numbers(again).tobytes() == numbers(post).tobytes()
    some = posterior(cases, 6, reliability=3, tolerance=1e-5).take([2, 0]).grouped(group)
    assert numbers(some).tobytes() == numbers(post)[:, [2, 0]].tobytes()
    assert numbers(post.take([2, 0])).tobytes() == numbers(some).tobytes()


def test_alike_classes_of_different_groups():
    """Orders of tied classes are merged if they differ by names within a group only."""
    case = [[[0], [1, 2, 3, 4]], [[5]]]
    apart = posterior([case], 9, method="exact").grouped([0, 1, 1, 2, 2, 3, 3, 3, 3]).membership(1)[0]
    assert apart[1] == pytest.approx(apart[2], abs=2e-6) and apart[0] > apart[3] > 0
    whole = posterior([case], 9, method="exact").grouped([0, 1, 1, 1, 1, 3, 3, 3, 2]).membership(1)[0]
    drawn = posterior([case], 9, method="draws", n_draws=40_000).grouped([0, 1, 1, 1, 1, 3, 3, 3, 2]).membership(1)[0]
    assert whole == pytest.approx(drawn, abs=0.02) and whole[1] > apart[1] + apart[2]


def test_cases_without_annotations():
    group = [0, 0, 1, 1, 1]
    post = posterior([CONFLICT, []], 5, method="exact", prior_shape=0.7).grouped(group)
    prior = ugt.Dirichlet.from_array([[0.7] * 5]).grouped(group)
    assert post.how.tolist() == [EXACT, EMPTY] and post.error[1] == 0
    assert post.membership(1)[1] == pytest.approx(prior.membership(1)[0], abs=1e-9) and post.mean()[1] == pytest.approx([0.4, 0.6])
    assert post.variance()[1] == pytest.approx([0.24 / 4.5] * 2)
    lump = posterior([CONFLICT, []], 5, unranked="lump").grouped(group)
    assert lump.membership(1)[1].tolist() == [0, 1] and lump.variance()[1].tolist() == [0, 0]
    left_out = posterior([CONFLICT, []], 5).without_empty().grouped(group)
    assert left_out.defined.tolist() == [True, False] and np.isnan(numbers(left_out)[:, 1]).all()


def test_a_lump_that_several_groups_share():
    """Its classes share evenly, so that sums over groups depend on each other: by lines only, and exact within one group."""
    one = posterior([CHAINS], 6, unranked="lump", prior_shape=0.4)
    inside, shared = one.grouped([0, 1, 0, 2, 2, 2]), one.grouped([0, 1, 2, 0, 1, 2])
    draws = posterior([CHAINS], 6, unranked="lump", prior_shape=0.4, method="draws", n_draws=40_000, seed=1)
    assert inside.how.tolist() == [EXACT] and shared.how.tolist() == [LATTICE]
    assert inside.membership(1) == pytest.approx(draws.grouped([0, 1, 0, 2, 2, 2]).membership(1), abs=0.02)
    assert shared.membership(1) == pytest.approx(draws.grouped([0, 1, 2, 0, 1, 2]).membership(1), abs=0.02)
    assert shared.variance()[0] == pytest.approx(draws.grouped([0, 1, 2, 0, 1, 2]).draws(40_000).var(1)[0], rel=0.06)
    assert 0 < shared.error[0] < 1e-3
    with pytest.raises(ValueError, match=r"method must be 'auto' or 'draws' .* Got an integral that does not reach 1e-06, first at case 0"):
        posterior([CHAINS], 6, unranked="lump", method="exact").grouped([0, 1, 2, 0, 1, 2])


def test_more_classes_than_have_bits():
    """Cases that mention more than 64 classes are drawn, beside others that are integrated."""
    post = posterior([[[[k]] for k in range(90)], CHAINS], 100, n_draws=200).grouped(np.arange(100) % 3)
    assert post.how.tolist() == [DRAWN, EXACT] and post.membership(1).sum(axis=1) == pytest.approx([1, 1])


def test_metrics_and_notes():
    """Certainty and accuracy of groups have no chance in exact cases; the note counts how they were computed, and the result is kept."""
    group = [0, 0, 1, 1, 2, 2, 2]
    group += 3 * [0]
    many = [[list(range(9))], [[2], [0]]]  # nine tied classes are more than are integrated
    cases, scores = [CHAINS, SEVERAL, many], np.random.default_rng(1).random((3, 10))
    exact, draws = posterior(cases[:2], 10, method="exact"), posterior(cases[:2], 10, method="draws", n_draws=40_000)
    certainty = ugt.annotation_certainty(exact, groups=group)
    assert certainty.mc_error == 0 and re.search(
        r"Those of groups are integrals with an error of at most [0-9]e-0[67] in 2 of 2 cases\.$", exact.note
    )
    assert certainty.per_case == pytest.approx(ugt.annotation_certainty(draws, groups=group).per_case, abs=0.02)
    assert exact.grouped(group) is exact.grouped(group) and not exact.later.are_made
    for options in ({}, {"given": 1}):
        found, drawn = (ugt.ua_group_accuracy(post, scores[:2], group, **options) for post in (exact, draws))
        assert found.mc_error == 0 and found.value == pytest.approx(drawn.value, abs=0.02)
        assert found.draw_std == pytest.approx(drawn.draw_std, rel=0.1)
    second = ugt.annotation_certainty(exact, groups=group, k=2)
    assert second.mc_error > 0 and exact.later.are_made
    mixed = posterior(cases, 10, reliability=1.5, n_draws=400)
    value = ugt.annotation_certainty(mixed, groups=group)
    assert 0 < value.mc_error < 0.02 and re.search(
        r"; 1 by quasi-Monte Carlo \(standard error at most [0-9.e-]+\); 1 by draws\.$", mixed.note
    )
    copied = pickle.loads(pickle.dumps(mixed.grouped(group)))
    assert copied.how.tolist() == [EXACT, LATTICE, DRAWN] and copied.draws(9).shape == (3, 9, 3)
    names = exact.grouped(np.array(["low", "low", "mid", "mid", "high", "high", "high", "low", "low", "low"]))
    assert names.axes.classes.tolist() == ["high", "low", "mid"]
    assert names.membership(1)[:, [1, 2, 0]] == pytest.approx(exact.grouped(group).membership(1))
