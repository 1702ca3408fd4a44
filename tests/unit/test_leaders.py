"""The k best classes from integrals: against Dirichlet laws, quadrature of three classes, and draws."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import dblquad

import ugt
from ugt.aggregation import plackett_luce_integrals
from ugt.plausibilities import leaders

CASES = [
    [[[0], [1]], [[1], [2]]],
    [[[0], [1, 2]], [[2], [3]], [[0]]],
    [[[3]], [[3]], [[1]]],
    [[[0, 1]], [[1], [0]]],
    [[[4], [2], [0], [1]], [[2], [4], [1], [3]]],
]


def posterior(cases=CASES, n_classes=6, **options):
    return ugt.plackett_luce(ugt.Rankings.from_blocks(cases, n_classes=n_classes), **{"prior_shape": 0.5, **options})


@pytest.mark.parametrize(("n_classes", "prior"), [(5, 0.3), (24, 1 / 24)])
def test_labels_have_the_dirichlet_law(n_classes, prior):
    counts = np.zeros((8, n_classes), int)
    counts[:, :5] = np.random.default_rng(3).integers(0, 4, (8, 5))
    labels = ugt.Labels.from_counts(counts)
    exact, found = ugt.dirichlet(labels, prior=prior), ugt.plackett_luce(labels, prior_shape=prior)
    for k in (2, 3, 4) if n_classes == 5 else (2, 3):
        for kind in ("set", "rank"):
            assert found.certainty(k, kind=kind) == pytest.approx(exact.certainty(k, kind=kind), abs=1e-8)
        assert found.membership(k) == pytest.approx(exact.membership(k), abs=1e-8)
        sets = [list(range(k))] * 8
        assert found.set_probability(sets) == pytest.approx(exact.set_probability(sets), abs=1e-8)
        assert not found.certainty_error(found.certainty(k), k, "set").any()


def last_of_three(ranking, shape, reliability):
    """P(class c has the least plausibility) of three classes, c = 0, 1, 2: over the log ratios to it, which are then above 0."""

    def density(*theta):
        plausibility, left, log_p = np.exp(theta), set(range(3)), 0.0
        for (k,) in ranking:
            log_p += reliability * (theta[k] - np.log(sum(plausibility[j] for j in sorted(left))))
            left.remove(k)
        return np.exp(log_p + shape * (sum(theta) - 3 * np.log(plausibility.sum())))

    def integral(c, low):
        of = (lambda y, x: density(0, x, y), lambda y, x: density(x, 0, y), lambda y, x: density(x, y, 0))[c]
        return dblquad(of, low, 40, low, 40, epsabs=1e-13, epsrel=1e-10)[0]

    return np.array([integral(c, 0) for c in range(3)]) / integral(0, -40)


def test_quadrature_of_three_classes():
    for reliability in (1.0, 1.7):
        post = posterior([[[[1], [0]]]], n_classes=3, prior_shape=0.8, reliability=reliability, tolerance=1e-8)
        last = last_of_three([[1], [0], [2]], 0.8, reliability)
        assert post.membership(2)[0] == pytest.approx(1 - last, abs=2e-8)
        assert post.certainty(2)[0] == pytest.approx(last.max(), abs=2e-8)
        assert post.set_probability([[0, 1]])[0] == pytest.approx(last[2], abs=2e-8)


@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
@pytest.mark.parametrize("reliability", [1, 2.5])
def test_draws_agree(reliability, unranked):
    n = 20_000
    found = posterior(reliability=reliability, unranked=unranked)
    draws = posterior(reliability=reliability, unranked=unranked, method="draws", n_draws=n, n_chains=2)
    for k in (2, 3):
        error = np.sqrt(0.25 / n) * 6  # draws of a chain are dependent
        assert found.membership(k) == pytest.approx(draws.membership(k), abs=error)
        assert found.membership(k).sum(axis=1) == pytest.approx(k)
        for kind in ("set", "rank"):
            assert found.certainty(k, kind=kind) == pytest.approx(draws.certainty(k, kind=kind), abs=error)
        for sets in ([[0, 1, 2][:k]] * 5, [[1, 5, 4][:k]] * 5):
            assert found.set_probability(sets) == pytest.approx(draws.set_probability(sets), abs=error)


def test_sets_add_up_to_one():
    post = posterior(n_classes=6)
    for k in (2, 3):
        each = np.array([post.set_probability([chosen] * 5) for chosen in combinations(range(6), k)])
        assert each.sum(axis=0) == pytest.approx(1, abs=1e-5)
        assert each.max(axis=0) == pytest.approx(post.certainty(k), abs=2e-6)


def test_names_and_numbers_of_classes_do_not_matter():
    names = np.array([3, 5, 0, 1, 4, 2])
    moved = [[[[int(names[y]) for y in block] for block in ranking] for ranking in case] for case in CASES]
    post, other = posterior(), posterior(moved)
    for k in (2, 3):
        assert other.membership(k)[:, names] == pytest.approx(post.membership(k), abs=1e-8)
        assert other.certainty(k) == pytest.approx(post.certainty(k), abs=1e-8)
    thrice = posterior([[ranking for ranking in case for _ in range(3)] for case in CASES])
    assert posterior(reliability=3).certainty(2) == pytest.approx(thrice.certainty(2), abs=1e-9)


def test_cases_without_annotations_and_without_other_classes():
    post = posterior([[], [[[0], [1]]]])
    assert post.certainty(2)[0] == pytest.approx(1 / 15) and post.certainty(2, kind="rank")[0] == pytest.approx(1 / 6)
    assert post.membership(3)[0] == pytest.approx(0.5) and post.set_probability([[1, 2], []]) == pytest.approx([1 / 15, 0])
    undefined = post.without_empty()
    assert np.isnan(undefined.certainty(2)).tolist() == np.isnan(undefined.membership(2)).any(1).tolist() == [True, False]
    none_left = posterior([[[[0], [1]]], [[[0], [1], [2]]]], unranked="ignore")
    assert [*none_left.certainty(2)[:1], *none_left.certainty(3)] == pytest.approx([1, 1, 1])
    assert none_left.membership(2)[0] == pytest.approx([1, 1, 0, 0, 0, 0])


def test_some_cases_and_a_copy():
    post = posterior()
    expected = post.certainty(2), post.membership(2)
    some = post.take([3, 1])
    assert some.certainty(2).tolist() == expected[0][[3, 1]].tolist() and (some.membership(2) == expected[1][[3, 1]]).all()
    copy = pickle.loads(pickle.dumps(post))
    assert copy.certainty(2).tolist() == expected[0].tolist()
    assert posterior(n_threads=2).certainty(2).tolist() == expected[0].tolist()


def test_questions_that_are_not_exact(monkeypatch):
    monkeypatch.setattr(leaders, "MOST_INTEGRALS", 2)
    post = posterior(n_draws=100)
    drawn = posterior(method="draws", n_draws=100)
    assert post.certainty(3).tolist() == drawn.certainty(3).tolist() and post.membership(3).tolist() == drawn.membership(3).tolist()
    assert post.certainty_error(post.certainty(3), 3, "set") == pytest.approx(drawn.certainty_error(drawn.certainty(3), 3, "set"))
    assert post.set_probability([[0, 1, 2]] * 5).tolist() == drawn.set_probability([[0, 1, 2]] * 5).tolist()
    assert post.note.endswith("; 5 by draws.")
    message = "method must be 'auto' or 'draws' for these questions about more than one class.* case 0"
    with pytest.raises(ValueError, match=message):
        posterior(method="exact").certainty(3)
    monkeypatch.setattr(leaders, "MOST_SETS", 3)
    assert posterior(n_draws=100).certainty(2).tolist() == drawn.certainty(2).tolist()


def test_how_it_was_computed_is_said(monkeypatch):
    post = posterior()
    assert "several best classes" not in post.note
    found = ugt.annotation_certainty(post, k=2)
    assert found.mc_error == 0 and " Those of several best classes are integrals with an error of at most " in post.note
    assert post.note.endswith(" in 5 of 5 cases.")
    monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", 0)
    rough = posterior()
    found = ugt.annotation_certainty(rough, k=2)
    assert 0 < found.mc_error < 0.002 and "quasi-Monte Carlo (standard error at most" in rough.note
    assert rough.certainty(2) == pytest.approx(post.certainty(2), abs=0.004)
    assert rough.membership(3) == pytest.approx(post.membership(3), abs=0.02)


def test_evaluations_draw_them_unless_all_is_exact():
    rankings = ugt.Rankings.from_blocks(CASES[:4], n_classes=6)
    scores = np.random.default_rng(0).dirichlet(np.ones(6), 4)
    few = {"aggregation": "plackett-luce", "n_draws": 40, "n_resamples": 20, "details": False}
    for method in ("auto", "exact"):
        result = ugt.evaluate(rankings, {"model": scores}, k=[1, 2], method=method, reliability=1, **few)
        table = result.tables["certainty"]
        assert (table["mc_error"][list(table["k"]).index(2)] == 0) == (method == "exact")


def test_unwanted_ranks_are_none(monkeypatch):
    """Without integrals the answers are those of draws."""
    post = replace(posterior(n_draws=40), leaders=None)
    drawn = posterior(method="draws", n_draws=40)
    assert post.certainty(2).tolist() == drawn.certainty(2).tolist()
    assert post.set_probability([[0, 1]] * 5).tolist() == drawn.set_probability([[0, 1]] * 5).tolist()
