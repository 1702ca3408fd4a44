"""Plackett–Luce without draws: closed forms, independent integration, the slow twin, draws, and equalities that must hold."""

import itertools
import json
import pickle
import re
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from ranked_cases import CHAINS, CONFLICT, PAIR, SEVERAL, TIED, TRIPLE, random_case
from scipy.stats import beta
from simulations import ALL
from twins import cubature as slow
from twins import lattice
from twins import lines as slow_lines
from twins.plackett_luce import grid_posterior

import ugt
from ugt import states
from ugt._base import parallel
from ugt._base.ragged import row_of
from ugt.aggregation import plackett_luce_integrals
from ugt.aggregation.plackett_luce_input import stages_of
from ugt.aggregation.plackett_luce_integrals import TOLERANCE
from ugt.plausibilities.integrated import DRAWN, EXACT, LATTICE
from ugt.plausibilities.metric import METRICS

ROOT = Path(__file__).resolve().parents[2]
N_DRAWS = 1_000_000 if ALL else 100_000
EVERY = pytest.mark.skipif(not ALL, reason="takes an hour or more: make simulations")


def exact(case, n_classes, **options):
    return ugt.plackett_luce(ugt.Rankings.from_blocks([case], n_classes=n_classes), method="exact", **options)


def numbers(post):
    return np.stack([post.membership(1)[0], post.mean()[0], post.variance()[0]])


def test_labels_have_known_answers():
    two = exact([[[0]]], 2, prior_shape=1.0)  # Beta(2, 1)
    assert numbers(two) == pytest.approx(np.array([[0.75, 0.25], [2 / 3, 1 / 3], [1 / 18, 1 / 18]]), abs=2e-9)
    several = exact([[[0]], [[0]], [[1]]], 6, reliability=1.7, prior_shape=0.3)
    known = ugt.Dirichlet.from_array([[0.3 + 3.4, 0.3 + 1.7, 0.3, 0.3, 0.3, 0.3]])
    assert several.membership(1) == pytest.approx(known.membership(1), abs=4e-9)
    assert several.mean() == pytest.approx(known.mean(), abs=1e-9)
    assert several.certainty(1) == pytest.approx(known.certainty(1), abs=4e-9)
    empty = exact([], 4)
    assert empty.membership(1).tolist() == [[0.25] * 4] and empty.variance()[0, 0] == pytest.approx(0.25 * 0.75 / 2)


@pytest.mark.parametrize(
    ("case", "n_classes", "gamma", "shape", "size"),
    [
        (CONFLICT, 3, 1, 0.5, 40), (CONFLICT, 4, 1, 0.5, 40), (TIED, 4, 1, 0.5, 40), (CHAINS, 4, 1, 0.25, 40), (CHAINS, 4, 2.5, 0.5, 40),
        (CHAINS, 3, 1, 1.0, 40), (TIED, 3, 2, 0.7, 40), (CONFLICT, 5, 1, 0.6, 24), (CHAINS, 5, 1, 0.5, 24),
        ([[[0], [1]], [[1]]], 6, 1, 1.0, 18), ([[[0], [1, 2]]], 4, 1, 0.5, 40), ([[[3], [0, 1, 2]], [[0]]], 4, 1, 0.5, 40),
        (PAIR, 3, 1.5, 0.5, 40), (PAIR, 4, 0.3, 0.5, 40), (SEVERAL, 4, 2.5, 0.5, 40), ([[[0, 1]], [[0, 2]], [[1]]], 4, 1.5, 0.5, 40),
        ([[[2], [0, 1]], [[1]]], 5, 1.2, 0.6, 24), ([[[0, 1]]], 6, 1.4, 1.0, 18), ([[[0, 1]], [[0, 1]], [[0], [1]]], 4, 1.75, 0.5, 40),
    ],
)  # fmt: skip
def test_independent_integration(case, n_classes, gamma, shape, size):
    post = exact(case, n_classes, reliability=gamma, prior_shape=shape)
    found = slow.by_ratios(case, gamma, shape, n_classes, size)
    coarse = slow.by_ratios(case, gamma, shape, n_classes, size - 6)
    known_to = 3 * np.abs(found - coarse).max() + 1e-12
    assert known_to < 5e-9
    assert post.membership(1)[0] == pytest.approx(found, abs=post.error[0] + known_to)
    assert post.error[0] <= TOLERANCE + 2e-9
    tolerance = 1e-8 if gamma in (1, 2) or case is CHAINS else TOLERANCE if gamma == 0.3 else 3e-7  # pairs take one more dimension
    fine = exact(case, n_classes, reliability=gamma, prior_shape=shape, tolerance=tolerance)
    assert fine.membership(1)[0] == pytest.approx(found, abs=tolerance + known_to)


@pytest.mark.parametrize(
    ("case", "gamma", "tolerance"),
    [
        (CHAINS, 1, 1e-3), (CHAINS, 2, 1e-3), (TIED, 1, 1e-3), ([[[0], [1]], [[0, 1]]], 2, 1e-3), ([[[0, 1]]], 0.6, 1e-3),
        (PAIR, 1.5, 1e-2), ([[[0, 1]], [[0, 2]]], 0.6, 3e-2),
    ],
)  # fmt: skip
def test_slow_twin(case, gamma, tolerance):
    post = exact(case, 4, reliability=gamma, prior_shape=0.5)
    found, error = slow.adaptive(case, gamma, 0.5, 4, tolerance)
    assert numbers(post) == pytest.approx(found, abs=error + post.error[0])
    assert error < tolerance


@pytest.mark.parametrize(("p", "q"), [(0.4, 0.7), (-0.02, 0.3), (-0.5, 1.3), (-1.0, 2.2), (-1.4, 1.6)])
def test_means_under_a_continued_beta_law(p, q):
    nodes, moment = slow.nodes(9, p, q), 1.0
    for power in range(9):
        assert sum(w * b**power for b, w in nodes) == pytest.approx(moment, rel=1e-9, abs=1e-11)
        moment *= (p + power) / (p + q + power)


def test_tied_pairs_at_reliabilities_near_whole_ones():
    """The result does not jump where a number of times becomes whole, and one more term and dimension have no weight."""
    for gamma in (1, 2):
        whole = exact(SEVERAL, 5, reliability=gamma, prior_shape=0.2, tolerance=1e-8)
        assert numbers(exact(SEVERAL, 5, reliability=float(gamma), prior_shape=0.2, tolerance=1e-8)).tobytes() == numbers(whole).tobytes()
        for near in (gamma - 1e-8, gamma + 1e-8):
            post = exact(SEVERAL, 5, reliability=near, prior_shape=0.2)
            assert numbers(post) == pytest.approx(numbers(whole), abs=post.error[0] + 3e-8)


def dimensions(case):
    """The number of sets of classes that are gone before a stage, in one order of the tied classes."""
    orders = [[y for block in ranking for y in block] for ranking in case]
    return len({frozenset(order[:n]) for order in orders for n in range(1, len(order))})


@pytest.mark.full
@EVERY
@pytest.mark.parametrize("gamma", [1, 2.5])
def test_a_million_draws(dermatology, gamma):
    """Cases of every dimension, tied and not: differences from draws are as large as their standard errors, which come from batches."""
    taken: Counter[tuple[int, bool]] = Counter()
    z = []
    for case in dermatology.annotations:
        kind = dimensions(case), any(len(block) > 1 for ranking in case for block in ranking)
        taken[kind] += 1
        if not 1 <= kind[0] <= 9 or taken[kind] > 4:
            continue
        names = sorted({y for ranking in case for block in ranking for y in block})
        short = [[[names.index(y) for y in block] for block in ranking] for ranking in case]
        rankings = ugt.Rankings.from_blocks([short], n_classes=len(names) + 1)
        post = ugt.plackett_luce(rankings, reliability=gamma, n_draws=40)
        if (post.how == DRAWN).any():
            continue
        draws = ugt.plackett_luce(rankings, reliability=gamma, method="draws", n_draws=1_000_000)
        best = draws.draws(1_000_000)[0].argmax(1).reshape(200, 5000)
        for k in np.flatnonzero(np.abs(post.membership(1)[0] - 0.5) < 0.48):
            share = (best == k).mean(1)
            error = np.hypot(share.std(ddof=1) / np.sqrt(200), post.error[0])
            z.append((share.mean() - post.membership(1)[0, k]) / error)
    assert set(taken) >= {(dims, True) for dims in range(1, 10)} | {(dims, False) for dims in range(1, 7)}
    assert np.abs(z).max() < 4.5
    assert 0.9 < np.sqrt(np.mean(np.square(z))) < 1.1


def test_equal_posteriors():
    """Annotations given once with reliability 3 or three times; classes with other names; more classes with the same total prior."""
    once = numbers(exact(SEVERAL, 5, reliability=3, prior_shape=0.2))
    assert numbers(exact(3 * SEVERAL, 5, prior_shape=0.2)) == pytest.approx(once, abs=1e-9)
    named = [[[4 - y for y in block] for block in ranking] for ranking in reversed(SEVERAL)]
    fine = {"reliability": 3, "prior_shape": 0.2, "tolerance": 1e-8}
    assert numbers(exact(named, 5, **fine))[:, ::-1] == pytest.approx(numbers(exact(SEVERAL, 5, **fine)), abs=1e-9)
    for unranked, first in (("ignore", 0), ("lump", 1)):  # each of more unmentioned classes has less of the lump, and is seldom first
        few, many = (numbers(exact(CHAINS, k, prior_shape=0.2, unranked=unranked))[first:, :3] for k in (4, 40_000))
        assert few == pytest.approx(many, abs=1e-9)
    tied = exact(SEVERAL, 5, reliability=1.5, prior_shape=0.2)
    assert numbers(exact(named, 5, reliability=1.5, prior_shape=0.2))[:, ::-1] == pytest.approx(numbers(tied), abs=5e-8)
    assert numbers(exact(2 * SEVERAL, 5, reliability=0.75, prior_shape=0.2)) == pytest.approx(numbers(tied), abs=1e-9)
    few, many = (numbers(exact(PAIR, k, reliability=1.5, prior_shape=0.2, unranked="lump"))[1:, :3] for k in (4, 40_000))
    assert few == pytest.approx(many, abs=1e-9)
    weighted = ugt.Rankings.from_blocks([[*SEVERAL, [[0]]]], n_classes=5)
    again = ugt.plackett_luce(weighted, method="exact", reliability=[1.0, 1.0, 0.25, 0.75], prior_shape=0.2)
    assert numbers(again) == pytest.approx(numbers(exact(SEVERAL, 5, prior_shape=0.2)), abs=1e-9)
    few, many = (exact(CHAINS, k, prior_mass=1.0).membership(1)[0, :3] for k in (400, 40_000))
    assert few == pytest.approx(many, abs=2e-3)  # the total of the unmentioned classes is nearly the same


@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
@pytest.mark.parametrize("gamma", [1, 2.5, 3])
def test_draws_agree(unranked, gamma):
    cases = [CHAINS, CONFLICT, [[[0], [1], [2]]], [[[2]], [[2], [1]]], SEVERAL, PAIR if gamma == 2.5 else TIED]
    rankings = ugt.Rankings.from_blocks(cases, n_classes=5)
    options = {"reliability": gamma, "unranked": unranked, "prior_shape": 0.5}
    post = ugt.plackett_luce(rankings, method="auto", **options)
    draws = ugt.plackett_luce(rankings, method="draws", n_draws=40_000, seed=3, **options)
    error = np.maximum(ugt.plackett_luce_diagnostics(draws).mcse_mean, 0.5 / np.sqrt(40_000))[:, None]
    assert post.counts()["drawn"] == 0
    assert (np.abs(post.membership(1) - draws.membership(1)) < 6 * error).all()
    assert (np.abs(post.mean() - draws.mean()) < 4 * error).all()
    assert (np.abs(post.variance() - draws.draws(40_000).var(1)) < 4 * error).all()
    assert (post.rest[:, 0] > 0).all() == (unranked != "ignore")


@pytest.mark.parametrize(
    ("part", "gamma"),
    [
        *(pytest.param(slice(None), gamma, marks=[pytest.mark.full, EVERY]) for gamma in (1, 0.3, 2.5)),
        (slice(3, None, 60), 1),
        (slice(5, None, 90), 2.5),
    ],
)
def test_stated_errors_are_upper_bounds(dermatology, monkeypatch, part, gamma):
    """The true error of dermatology cases of up to five dimensions, from a tolerance a hundred times smaller."""
    rankings = ugt.Rankings.from_blocks(dermatology.annotations[part], n_classes=419)
    post = ugt.plackett_luce(rankings, reliability=gamma, n_draws=3, n_chains=1)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", 5)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_NODES", 6_000_000)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_POINTS", 0)
    finer = ugt.plackett_luce(rankings, reliability=gamma, tolerance=TOLERANCE / 100, n_draws=3, n_chains=1)
    known = (post.how == EXACT) & (finer.how == EXACT)
    assert known.mean() > (0.85 if gamma == 1 else 0.5)
    off = np.abs(post.rest - finer.rest).max(1)
    np.maximum.at(off, row_of(post.offsets), np.abs(post.listed - finer.listed).max(1))
    assert off[known].max() > 2e-9  # these are different numbers
    assert (off <= post.error)[known].all()


def test_orders_that_seem_negligible_at_first():
    """Ten times a tie has eleven orders, of which most are far larger than their first nodes say; one look at them was not enough."""
    case = [[[0, 1], [2]], [[0, 1]], [[0], [1]]]
    known = exact(case, 419, reliability=10, tolerance=1e-8)
    for tolerance in (1e-5, 3e-6, 1e-6):
        found = exact(case, 419, reliability=10, tolerance=tolerance)
        assert np.abs(numbers(found) - numbers(known)).max() <= found.error[0] <= 1.01 * tolerance


def test_orders_of_alike_classes_are_integrated_once():
    """Four classes tied behind one are 24 orders; the same case with more dimensions than allowed is a lattice of the same orders."""
    post = exact([[[0], [1, 2, 3, 4]]], 30)
    p = post.membership(1)[0]
    assert p[1:5] == pytest.approx(np.full(4, p[1]), abs=1e-14) and p[0] > p[1] > p[5]
    apart = exact([[[0], [1, 2, 3, 4]], [[1]]], 30).membership(1)[0]
    assert apart[2:5] == pytest.approx(np.full(3, apart[2]), abs=1e-14) and apart[1] > apart[2]


def test_cases_that_are_not_exact():
    rankings = ugt.Rankings.from_blocks([CONFLICT, TRIPLE, []], n_classes=40, case_ids=["a", "b", "c"])
    with pytest.raises(
        ValueError, match=r"method must be 'auto' or 'draws' for cases .* three or more tied .* 1 of 3 cases .* first at case 'b'"
    ):
        ugt.plackett_luce(rankings, method="exact", reliability=1.5)
    post = ugt.plackett_luce(rankings, method="auto", reliability=1.5)
    drawn = ugt.plackett_luce(rankings, method="draws", reliability=1.5, n_draws=40_000)
    assert post.how.tolist()[1:] == [LATTICE, 0] and "quasi_random=1" in repr(post)
    assert post.membership(1)[1, :3] == pytest.approx(drawn.membership(1)[1, :3], abs=0.02)
    assert 0 < post.certainty_error(post.certainty(1), 1, "set")[1] <= 1e-3
    with pytest.raises(ValueError, match=r"method must be 'draws' with a tempering other than 1"):
        ugt.plackett_luce(rankings, method="exact", tempering=2)
    assert isinstance(ugt.plackett_luce(rankings, method="auto", tempering=2, unranked="lump", n_draws=8), ugt.Draws)


def test_the_lattice_agrees_with_the_adaptive_rule(monkeypatch):
    """Also at high reliabilities, where terms are narrow: differences are as large as the standard errors."""
    rng = np.random.default_rng(11)
    z = []
    for gamma, tied, most in ((1, 0.3, 9), (10, 0.0, 1), (2.5, 0.2, 2)):
        rankings = ugt.Rankings.from_blocks([random_case(rng, 5, 3, tied, most) for _ in range(12)], n_classes=9)
        exact = ugt.plackett_luce(rankings, reliability=gamma)
        monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", 0)
        quasi_random = ugt.plackett_luce(rankings, reliability=gamma, tolerance=1e-4)
        monkeypatch.undo()
        both = (exact.how == EXACT) & (quasi_random.how == LATTICE)
        assert both.sum() >= 5 and np.median(quasi_random.error[both]) < 3e-4
        worst = np.zeros(12)
        np.maximum.at(worst, row_of(exact.offsets), np.abs(exact.listed - quasi_random.listed)[:, 0])
        z += (worst / quasi_random.error)[both].tolist()
    assert max(z) < 5 and 0.3 < np.sqrt(np.mean(np.square(z))) < 1.6


def test_cases_of_many_orders_are_not_drawn():
    """Also at the tolerance of evaluations, at which each order has less than one point."""
    case = [[[0], [1, 2, 3], [4]], [[3, 4], [0, 1]], [[2, 5], [0]]]
    rankings = ugt.Rankings.from_blocks([case], n_classes=20)
    coarse, fine = (ugt.plackett_luce(rankings, reliability=2, tolerance=tolerance) for tolerance in (1e-4, 1e-6))
    assert coarse.how.tolist() == fine.how.tolist() == [LATTICE]
    assert fine.error[0] < coarse.error[0] < 4e-3
    assert coarse.membership(1) == pytest.approx(fine.membership(1), abs=5 * (coarse.error[0] + fine.error[0]))
    draws = ugt.plackett_luce(rankings, reliability=2, method="draws", n_draws=40_000)
    assert draws.membership(1) == pytest.approx(fine.membership(1), abs=0.02)


@pytest.mark.parametrize(
    ("gamma", "unranked", "mass"), [(1, "individual", 2.0), (2.5, "individual", 1.0), (2.5, "lump", 8.0), (4, "ignore", 4.0)]
)
def test_lines_beside_draws(gamma, unranked, mass, monkeypatch):
    """Ties that are not expanded: against a million draws, the root mean square of differences by their standard errors is about 1."""
    rng = np.random.default_rng(int(10 * gamma))
    cases = [random_case(rng, 5, 4, 0.5, 5) for _ in range(6)]
    rankings = ugt.Rankings.from_blocks(cases, n_classes=8)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_TERMS", 1)
    options = {"reliability": gamma, "unranked": unranked, "prior_mass": mass}
    post = ugt.plackett_luce(rankings, **options)
    monkeypatch.undo()
    draws = ugt.plackett_luce(rankings, method="draws", n_draws=N_DRAWS, n_chains=4, seed=3, **options)
    z = []
    for i in np.flatnonzero(post.how == LATTICE):
        for found, drawn in zip((post.membership(1)[i], post.mean()[i]), (draws.membership(1)[i], draws.mean()[i])):
            assert found.sum() == pytest.approx(1 if found.sum() > 0.5 else 0, abs=1e-9)
            known = (drawn > 0.01) & (drawn < 0.99)
            spread = np.sqrt(drawn * (1 - drawn) / (N_DRAWS / 3) + post.error[i] ** 2)  # draws of a chain are alike
            z += ((found - drawn) / spread)[known].tolist()
    assert len(z) >= 10 and max(map(abs, z)) < 5 and np.sqrt(np.mean(np.square(z))) < 1.3


def test_lines_keep_what_must_be_kept(monkeypatch):
    """Reliability 3 is each ranking three times; other names of classes change nothing; neither do threads, nor other cases."""
    monkeypatch.setattr(plackett_luce_integrals, "MOST_TERMS", 1)
    rng = np.random.default_rng(2)
    cases = [random_case(rng, 5, 3, 0.5, 5) for _ in range(5)]
    made = lambda given: ugt.Rankings.from_blocks(given, n_classes=8)  # noqa: E731
    post = ugt.plackett_luce(made(cases), reliability=3, n_threads=1)
    again = ugt.plackett_luce(made(cases), reliability=3, n_threads=3)
    assert (post.how == LATTICE).sum() >= 3 and again.listed.tobytes() == post.listed.tobytes()
    thrice = ugt.plackett_luce(made([case * 3 for case in cases]), reliability=1)
    assert thrice.membership(1) == pytest.approx(post.membership(1), abs=1e-9)
    named = ugt.plackett_luce(made([[[[7 - y for y in block] for block in one] for one in case] for case in cases]), reliability=3)
    error = 6 * np.hypot(post.error, named.error)[:, None]
    assert (np.abs(named.membership(1)[:, ::-1] - post.membership(1)) <= error + 2e-6).all()


@pytest.mark.parametrize("gamma", [1, 1.25])
def test_lines_of_many_annotators(gamma, monkeypatch):
    """So many that the density changes too much along a line for products of powers: as by the adaptive rule, for first choices."""
    counts = [(700, 690, 640), (500, 510, 505), (900, 880, 200)]
    cases = [[[[y]] for y in range(3) for _ in range(of[y])] for of in counts]
    rankings = ugt.Rankings.from_blocks(cases, n_classes=4)
    exact = ugt.plackett_luce(rankings, method="exact", reliability=gamma)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", -1)
    lines = ugt.plackett_luce(rankings, reliability=gamma)
    assert (lines.how == LATTICE).all() and np.ptp(exact.membership(1)) > 0.5
    bound = 6 * lines.error[:, None] + 2e-6
    assert (np.abs(lines.membership(1) - exact.membership(1)) <= bound).all()
    assert (np.abs(lines.mean() - exact.mean()) <= np.minimum(bound, 1e-4)).all()


@pytest.mark.parametrize("total", [2600, 2640, 2999, 3001, 5000])
def test_total_shapes_beyond_the_tables(total):
    """Steps in log s are at least one node of the tables; with more annotations there are lines, as for other cases that are too large."""
    counts = np.array([[total // 2, total - total // 2, 0]])
    post = ugt.plackett_luce(ugt.Labels.from_counts(counts), prior_shape=0.5)
    certainty = ugt.dirichlet(ugt.Labels.from_counts(counts), prior=0.5).certainty(1)
    assert post.how.tolist() == [EXACT if total < 2620 else LATTICE]
    assert post.certainty(1) == pytest.approx(certainty, abs=6 * post.error[0] + 1e-9)


@pytest.mark.parametrize(
    "gamma, repeats, unranked", [(2, 1, "individual"), (7, 1, "lump"), (10, 1, "ignore"), (64, 1, "individual"), (10, 12, "individual")]
)
def test_powers_of_lines_multiplied_out(gamma, repeats, unranked, monkeypatch):
    """A whole reliability has the same lines as one beside it, whose powers are exponentials of logarithms; so have many annotators."""
    monkeypatch.setattr(plackett_luce_integrals, "MOST_TERMS", 1)
    rng = np.random.default_rng(gamma)
    cases = [random_case(rng, 6, 4, 0.5, 5) * repeats for _ in range(6)]
    rankings = ugt.Rankings.from_blocks(cases, n_classes=9)
    post, beside = (ugt.plackett_luce(rankings, reliability=one, unranked=unranked) for one in (gamma, gamma * (1 + 1e-12)))
    both = (post.how == LATTICE) & (beside.how == LATTICE)
    assert both.sum() >= 3 and (post.how == beside.how).all()
    assert post.membership(1)[both] == pytest.approx(beside.membership(1)[both], abs=1e-9)
    assert post.mean()[both] == pytest.approx(beside.mean()[both], abs=1e-9)


@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
def test_lines_beside_the_twin(unranked, monkeypatch):
    monkeypatch.setattr(plackett_luce_integrals, "MOST_TERMS", 1)
    case = [[[0, 1], [2]], [[2], [0]], [[1, 0, 2]]]
    post = ugt.plackett_luce(ugt.Rankings.from_blocks([case], n_classes=4), reliability=1.5, unranked=unranked, prior_shape=1.0)
    n = 3 if unranked == "ignore" else 4
    first = slow_lines.first_by_ratios(case, 1.5, [1.0] * n)
    _, mean, second = grid_posterior(case, [1.0] * n, 1.5)
    assert post.how[0] == LATTICE and np.ptp(first) > 0.1
    assert post.membership(1)[0, :n] == pytest.approx(first, abs=6 * post.error[0])
    assert post.mean()[0, :n] == pytest.approx(mean, abs=6 * post.error[0])
    assert post.variance()[0, :n] == pytest.approx(np.diag(second) - mean**2, abs=6 * post.error[0])


def test_generating_vector_of_lines():
    source = (ROOT / "ugt" / "_core" / "lines.c").read_text(encoding="utf-8")
    printed = re.search(r"GENERATOR\[MOST_CLASSES\] = \{([^}]*)\}", source).group(1)
    assert [int(one) for one in printed.split(",")] == slow_lines.generating_vector(24, 16)


def test_many_dimensions_have_a_standard_error():
    rng = np.random.default_rng(1)
    case = [[[int(y)] for y in rng.permutation(8)[:4]] for _ in range(5)]
    rankings = ugt.Rankings.from_blocks([case], n_classes=20)
    post = ugt.plackett_luce(rankings, method="auto")
    other = ugt.plackett_luce(rankings, method="auto", seed=1)
    assert "quasi_random=1" in repr(post) and 0 < post.error[0] <= 2e-4
    assert other.membership(1) == pytest.approx(post.membership(1), abs=6 * post.error[0])
    draws = ugt.plackett_luce(rankings, method="draws", n_draws=40_000)
    assert draws.membership(1) == pytest.approx(post.membership(1), abs=0.02)
    with pytest.raises(ValueError, match=r"Got \d+ dimensions and 1 terms"):
        ugt.plackett_luce(rankings, method="exact")
    certainty = ugt.annotation_certainty(post)
    assert 0 < certainty.mc_error < 2e-4
    assert 0 < ugt.ua_topk_accuracy(post, rng.random((1, 20)), k=3).mc_error < 1e-3
    assert 0 < ugt.expected_risk(post, np.arange(20)).mc_error < 0.02


def test_one_unmentioned_class_and_many_dimensions():
    """Its plausibility varies over so many orders of magnitude that it has no lines of its own; those of the best class see it."""
    rng = np.random.default_rng(6)
    case = [[[int(one)] for one in rng.permutation(8)[:6]] for _ in range(6)]
    rankings = ugt.Rankings.from_blocks([case], n_classes=9)
    post = ugt.plackett_luce(rankings)
    assert post.how.tolist() == [LATTICE]
    draws = ugt.plackett_luce(rankings, method="draws", n_draws=40_000)
    assert post.membership(1) == pytest.approx(draws.membership(1), abs=0.02)
    with pytest.raises(ValueError, match=r"Got \d\d dimensions; 1 of 1 cases are such.*case 0"):
        ugt.plackett_luce(rankings, method="exact")


def test_metrics():
    """Top-1 results are integrals with the spread of independent cases; whole orders use draws."""
    rng = np.random.default_rng(2)
    rankings = ugt.Rankings.from_blocks([CHAINS, TIED, SEVERAL, [[[3]]], []], n_classes=5)
    scores = rng.random((5, 5))
    post, draws = ugt.plackett_luce(rankings, method="exact"), ugt.plackett_luce(rankings, method="draws", n_draws=4000, seed=5)
    for k in (1, 2):
        found, sampled = (ugt.ua_topk_accuracy(truth, scores, k=k) for truth in (post, draws))
        p = np.take_along_axis(post.membership(1), np.argsort(-scores, axis=1)[:, :k], axis=1).sum(1)
        assert found.per_case == pytest.approx(p) and found.mc_error == 0 and found.per_draw is None
        assert found.draw_std == pytest.approx(np.sqrt((p * (1 - p)).sum()) / 5)
        assert found.value == pytest.approx(sampled.value, abs=0.03) and found.draw_std == pytest.approx(sampled.draw_std, rel=0.1)
    certainty = ugt.annotation_certainty(post)
    assert certainty.mc_error == 0 and certainty.per_case == pytest.approx(post.membership(1).max(1))
    assert ugt.annotation_certainty(post, k=2).per_case[:4] == pytest.approx(ugt.annotation_certainty(draws, k=2).per_case[:4], abs=0.03)
    group = ugt.annotation_certainty(post, groups=[0, 0, 1, 1, 1], group_rule="top_class")
    assert group.per_case == pytest.approx(np.stack([post.membership(1)[:, :2].sum(1), post.membership(1)[:, 2:].sum(1)]).max(0))
    assert ugt.ua_set_accuracy(post, scores, k=2).per_draw is not None
    some = post.take([3, 1])
    assert some.membership(1) == pytest.approx(post.membership(1)[[3, 1]])
    assert some.certainty(2) == pytest.approx(post.certainty(2)[[3, 1]])
    labels = ugt.ua_coverage(post, [[0], [1, 2], [], [3], [0]])
    assert labels.per_case == pytest.approx(
        [*post.membership(1)[0, :1], post.membership(1)[1, 1:3].sum(), 0, post.membership(1)[3, 3], 0.2]
    )


def test_conflicts_of_two_classes_are_beta():
    """Among two classes a ranking is a label: its class is first with the probability that a Beta variable is above one half."""
    rankings = ugt.Rankings.from_blocks([2 * [[[0], [1]]] + [[[1], [0]]]], n_classes=2)
    for gamma in (0.7, 1, 3.3):
        law = beta(0.4 + 2 * gamma, 0.4 + gamma)
        post = ugt.plackett_luce(rankings, method="exact", reliability=gamma, prior_shape=0.4)
        assert numbers(post)[:, 0] == pytest.approx([law.sf(0.5), law.mean(), law.var()], abs=1e-8)


def test_tolerance():
    rankings = ugt.Rankings.from_blocks([SEVERAL, CHAINS], n_classes=6)
    fine = ugt.plackett_luce(rankings, method="exact", tolerance=1e-8)
    for tolerance in (1e-2, 1e-4, 1e-6):
        post = ugt.plackett_luce(rankings, method="exact", tolerance=tolerance)
        assert (post.error <= tolerance + 2e-9).all()
        assert (np.abs(post.membership(1) - fine.membership(1)) <= (post.error + fine.error)[:, None]).all()
    with pytest.raises(ValueError, match=r"tolerance must be from 1e-08 to 0.01. Got 0.1"):
        ugt.plackett_luce(rankings, tolerance=0.1)


def test_cases_do_not_depend_on_each_other():
    cases = [CHAINS, TIED, SEVERAL, CONFLICT, [[[3]]], [], [[[4, 1], [0]]] * 3]
    ids = list("abcdefg")
    post = ugt.plackett_luce(ugt.Rankings.from_blocks(cases, n_classes=30, case_ids=ids), reliability=2)
    for rows in ([6, 2, 0, 1, 5], [3], [4, 3, 2]):
        some = ugt.Rankings.from_blocks([cases[i] for i in rows], n_classes=30, case_ids=[ids[i] for i in rows])
        found = ugt.plackett_luce(some, reliability=2)
        assert found.membership(1).tobytes() == post.membership(1)[rows].tobytes()
        assert found.variance().tobytes() == post.take(rows).variance().tobytes()


def test_cases_without_an_integral_are_drawn():
    """Their numbers are those of the same draws, also for the classes that nobody mentioned."""
    many = [[list(range(9)), [9]], [[2], [0]]]  # nine tied classes are more than are integrated
    rankings = ugt.Rankings.from_blocks([many, CHAINS, [*many, [[1]]]], n_classes=12, case_ids=list("abc"))
    for unranked in ("individual", "lump", "ignore"):
        post = ugt.plackett_luce(rankings, reliability=1.5, unranked=unranked, n_draws=2000)
        draws = ugt.plackett_luce(rankings, method="draws", reliability=1.5, unranked=unranked, n_draws=2000)
        assert post.how.tolist() == [3, 1, 3]
        listed = np.arange(10)[None]
        for row in (0, 2):
            for found, drawn in ((post.membership(1), draws.membership(1)), (post.mean(), draws.mean())):
                assert found[row, listed] == pytest.approx(drawn[row, listed], abs=1e-12)
                assert found[row, 10:].sum() == pytest.approx(drawn[row, 10:].sum(), abs=1e-12) and np.ptp(found[row, 10:]) == 0
            assert post.variance()[row, :10] == pytest.approx(draws.draws(2000)[row, :, :10].var(0))
            assert post.variance()[row, 10:] == pytest.approx(draws.draws(2000)[row, :, 10:].var(0).mean(), rel=0.5, abs=1e-12)
        assert post.error[0] == draws.certainty_error(draws.certainty(1), 1, "set")[0]


def test_other_questions_use_the_same_draws():
    """Answers that have no integral are those of method="draws" with the same seed."""
    rng = np.random.default_rng(3)
    rankings = ugt.Rankings.from_blocks([CHAINS, TIED, SEVERAL, [[[3]]], []], n_classes=5)
    scores, sets = rng.random((5, 5)), [[0], [1, 2], [], [3], [0, 4]]
    post, draws = (ugt.plackett_luce(rankings, method=method, n_draws=200, seed=4) for method in ("auto", "draws"))
    assert not post.later.are_made
    for metric in METRICS.values():
        if metric.name != "topk_accuracy":
            found, expected = (getattr(ugt, metric.function)(truth, scores, k=2) for truth in (post, draws))
            assert found.per_case.tobytes() == expected.per_case.tobytes() and found.draw_std == expected.draw_std
    assert post.later.are_made
    assert post.draws(50).tobytes() == draws.draws(50).tobytes()
    two = [one.grouped([0, 0, 1, 1, 1]).certainty(2, kind="rank").tobytes() for one in (post, draws)]
    assert two[0] == two[1]
    mass, drawn = (ugt.ua_plausibility_mass(truth, sets) for truth in (post, draws))
    assert mass.per_case == pytest.approx([sum(row[one]) for row, one in zip(post.mean(), sets)]) and mass.mc_error == 0
    assert mass.value == pytest.approx(drawn.value, abs=0.05) and mass.draw_std == drawn.draw_std
    assert mass.per_draw.mean() == pytest.approx(mass.value)
    assert post.n_draws == 200 and ugt.annotation_certainty(post, k=2, groups=[0, 0, 1, 1, 2]).n_cases == 5
    assert pickle.loads(pickle.dumps(post)).later.are_made


def test_threads_and_checkpoints(tmp_path):
    rankings = ugt.Rankings.from_blocks([CHAINS, TIED, SEVERAL, CONFLICT] * 10, n_classes=30)
    file = tmp_path / "run"
    first = ugt.plackett_luce(rankings, method="auto", checkpoint=file)
    for options in ({"n_threads": 3}, {"checkpoint": file}):
        again = ugt.plackett_luce(rankings, method="auto", **options)
        assert again.listed.tobytes() == first.listed.tobytes() and again.error.tobytes() == first.error.tobytes()
    with pytest.raises(ValueError, match="checkpoint"):
        ugt.plackett_luce(rankings, method="auto", reliability=2, checkpoint=file)


def test_draws_have_a_checkpoint_of_their_own(tmp_path):
    many = [[list(range(9)), [9]], [[2], [0]]]
    rankings = ugt.Rankings.from_blocks([CHAINS, many, SEVERAL, CONFLICT] * 3, n_classes=30)
    options = {"reliability": 1.5, "n_draws": 40, "checkpoint": tmp_path / "run"}
    first = ugt.plackett_luce(rankings, **options)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run", "run.draws"]
    assert ugt.plackett_luce(rankings, **options).listed.tobytes() == first.listed.tobytes()


def evaluated(rankings, **options):
    scores = {"a": np.random.default_rng(0).random((rankings.n_cases, rankings.n_classes))}
    return ugt.evaluate(rankings, scores, aggregation="plackett-luce", n_resamples=20, n_draws=40, **options)


def diagnostics(found):
    return {(row["reliability"], row["quantity"]): row["value"] for row in found.tables["diagnostics"]}


def page_of(found, file):
    found.to_html(file)
    return file.read_text(encoding="utf-8")


def test_evaluation_says_how_cases_were_computed(tmp_path):
    rankings = ugt.Rankings.from_blocks([CHAINS, [[[0, 1, 2]], [[2], [0]], [[1], [2]]], CONFLICT, [[[3]]]] * 3, n_classes=5)
    found = evaluated(rankings, k=1, reliability=(1, 1.5))
    (note,) = (note for note in found.notes if note.startswith("Plackett-Luce"))
    assert (
        "an error of at most 0.0001 in 21 of 24 cases, over 2 reliabilities; 3 by quasi-Monte Carlo (largest standard error 0.000" in note
    )
    assert "whole orders" not in note
    rows = diagnostics(found)
    assert rows[1.0, "cases with an exact integral"] == 12 and rows[1.5, "cases by quasi-Monte Carlo"] == 3
    assert 0 < rows[1.5, "largest standard error of these"] <= 5e-4 and not any("R-hat" in quantity for _, quantity in rows)
    post = ugt.plackett_luce(rankings, reliability=1, tolerance=1e-4)
    assert found.certainty[0]["value"] == ugt.annotation_certainty(post).value and found.certainty[0]["mc_error"] == 0
    assert found.provenance["parameters"]["method"] == "auto"
    page = page_of(found, tmp_path / "x.html")
    assert "How the cases were computed" in page and "Diagnostics of the Markov chains" not in page
    orders = evaluated(rankings, k=(1, 2), reliability=1)
    assert "Certainty of several classes and metrics of whole orders use 40 draws of each case." in " ".join(orders.notes)
    assert (1.0, "largest R-hat") in diagnostics(orders) and "Diagnostics of the Markov chains" in page_of(orders, tmp_path / "y.html")
    given = ugt.evaluate(post, {"a": np.ones((12, 5))}, k=1, n_resamples=20)
    assert diagnostics(given)[None, "cases with an exact integral"] == 12


def test_evaluation_by_one_method():
    rankings = ugt.Rankings.from_blocks([CHAINS, TRIPLE, CONFLICT, [], [[[3]]]] * 3, n_classes=5)
    drawn = evaluated(rankings, method="draws", reliability=1, k=1)
    assert "The truth is given as draws" in " ".join(drawn.notes) and (1.0, "cases by draws") not in diagnostics(drawn)
    exact, auto = (evaluated(rankings, method=method, reliability=1, k=1) for method in ("exact", "auto"))
    assert exact.certainty[0]["value"] == pytest.approx(auto.certainty[0]["value"], abs=1e-4)
    assert auto.left_out == drawn.left_out == {"case without annotations": 3}
    assert auto.certainty[0]["n_cases"] == drawn.certainty[0]["n_cases"] == 12
    with pytest.raises(ValueError, match=r"method must be 'auto' or 'draws' for cases .* first at case 1"):
        evaluated(rankings, method="exact", reliability=1.5)
    with pytest.raises(ValueError, match=r"method must be one of 'auto', 'exact', 'draws'"):
        evaluated(rankings, method="sampled")


def test_command(command, tmp_path):
    (tmp_path / "x.csv").write_text("case,annotator,ranking\np,ann,a > b\np,bob,b > a\nq,ann,a = b = c > d\nq,bob,c\n", encoding="utf-8")
    options = "x.csv", "--aggregation", "plackett-luce", "--k", 1, "--reliability"
    assert "method must be" in command("certainty", *options, 1.5, "--method", "exact", code=2)
    found = json.loads(command("certainty", *options, 1, "--method", "exact", "--json"))
    assert found["certainty"][0]["mc_error"] == 0
    drawn = json.loads(command("certainty", *options, 1, "--method", "draws", "--json"))
    assert drawn["certainty"][0]["value"] == pytest.approx(found["certainty"][0]["value"], abs=0.05)
    assert drawn["certainty"][0]["mc_error"] > 0


def test_states_of_parts():
    """States of integrated truths merge into the result of all cases, with its error."""
    rng = np.random.default_rng(8)
    cases = [CHAINS, TIED, SEVERAL, CONFLICT] * 3 + [[[[int(y)] for y in rng.permutation(8)[:4]] for _ in range(5)]]
    ids = [f"case {i}" for i in range(13)]
    scores = rng.random((13, 9))

    def truth(rows):
        return ugt.plackett_luce(ugt.Rankings.from_blocks([cases[i] for i in rows], n_classes=9, case_ids=[ids[i] for i in rows]))

    for function, rest in (("annotation_certainty", ()), ("ua_topk_accuracy", (scores,))):
        parts = [states.partial(function, truth(rows), *(table[rows] for table in rest)) for rows in (np.arange(7), np.arange(7, 13))]
        found, whole = states.finish(states.merge(parts)), getattr(ugt, function)(truth(np.arange(13)), *rest)
        assert found.value == pytest.approx(whole.value, abs=1e-15) and found.numbers["mc_error"] == pytest.approx(
            whole.mc_error, rel=1e-12
        )
        assert whole.mc_error > 0


@pytest.mark.parametrize(
    ("case", "gamma"), [(CHAINS, 1), (CHAINS, 10), (SEVERAL, 1), (PAIR, 1.5), (SEVERAL, 0.6), ([[[0, 1, 2]], [[0]], [[1], [0]]], 3)]
)
def test_slow_twin_of_the_lattice(monkeypatch, case, gamma):
    """The same points under the same shifts, with fewer points than a term each in the last case; exponents below 0 at γ = 1.5 and 0.6."""
    rankings = ugt.Rankings.from_blocks([case], n_classes=4)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", 0)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_POINTS", 64 * 16 * 32)
    monkeypatch.setattr(plackett_luce_integrals, "LINES", False)
    post = ugt.plackett_luce(rankings, reliability=gamma, prior_shape=0.3, tolerance=1e-4, seed=3)
    found, error = lattice.lattice(case, gamma, 0.3, 4, 3, int(rankings.axes.stream_keys[0]), 64 * 16)
    assert numbers(post) == pytest.approx(found, abs=1e-7)
    assert post.error[0] == pytest.approx(error, rel=1e-4)


HARD = [[[0], [1, 2]], [[3, 4]], [[2], [3, 5]], [[6]]]


def test_the_lattice_stops(monkeypatch):
    """Another thread stops a case that would take hours; Ctrl-C sets the same mark."""
    stages = stages_of(ugt.Rankings.from_blocks([HARD], n_classes=419), True)
    stop = np.zeros(1, np.int32)
    timer = threading.Timer(0.3, stop.__setitem__, (0, 1))
    timer.start()
    out, error, info = np.empty(3 * 8), np.empty(1), np.empty((1, 4), np.int64)
    law, limits = (0.3, 1 / 419, 1, 1e-6), (0, 0, 0, 5000, 10**13)
    assert not stages.first_class(np.ones(1, np.uint64), law, limits, True, 1, np.zeros((1, 3), np.int64), stop, out, error, info)
    timer.join()


def test_progress_of_the_lattice(monkeypatch, capsys):
    now = itertools.count()
    monkeypatch.setattr(parallel.time, "monotonic", lambda: next(now))
    post = ugt.plackett_luce(ugt.Rankings.from_blocks([HARD] * 33, n_classes=20), tolerance=1e-2, progress=True, n_draws=8)
    for _ in range(2):  # questions that need more integrals say their progress, too
        lines = capsys.readouterr().err.splitlines()
        assert lines[-1] == "ugt: integrating: 100 %" and all(line.startswith("ugt: integrating: ") for line in lines)
        post.set_probability(np.tile([0, 1], (33, 1)))
