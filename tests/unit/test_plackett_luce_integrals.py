"""Plackett–Luce without draws: closed forms, independent integration, the slow twin, draws, and equalities that must hold."""

import numpy as np
import pytest
from twins import cubature as slow

import ugt
from ugt._base.ragged import row_of
from ugt.aggregation import plackett_luce_integrals
from ugt.aggregation.plackett_luce_integrals import TOLERANCE
from ugt.plausibilities.integrated import EXACT

CONFLICT = [[[0], [1]], [[1], [0]]]
TIED = [[[0, 1]], [[2, 0]], [[1], [2]]]
CHAINS = [[[0], [1], [2]], [[0], [2]], [[1]]]
SEVERAL = [[[0, 1], [2]], [[2], [0]], [[0]]]


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
    ],
)  # fmt: skip
def test_independent_integration(case, n_classes, gamma, shape, size):
    post = exact(case, n_classes, reliability=gamma, prior_shape=shape)
    found = slow.by_ratios(case, gamma, shape, n_classes, size)
    coarse = slow.by_ratios(case, gamma, shape, n_classes, size - 6)
    known_to = 3 * np.abs(found - coarse).max() + 1e-12
    assert known_to < 1e-7
    assert post.membership(1)[0] == pytest.approx(found, abs=post.error[0] + known_to)
    assert post.error[0] <= TOLERANCE + 2e-9


@pytest.mark.parametrize(("case", "gamma"), [(CHAINS, 1), (CHAINS, 2), (TIED, 1), ([[[0], [1]], [[0, 1]]], 2)])
def test_slow_twin(case, gamma):
    post = exact(case, 4, reliability=gamma, prior_shape=0.5)
    found, error = slow.adaptive(case, gamma, 0.5, 4, 1e-3)
    assert numbers(post) == pytest.approx(found, abs=error + post.error[0])
    assert error < 1e-3


def test_equal_posteriors():
    """Annotations given once with reliability 3 or three times; classes with other names; more classes with the same total prior."""
    once = numbers(exact(SEVERAL, 5, reliability=3, prior_shape=0.2))
    assert numbers(exact(3 * SEVERAL, 5, prior_shape=0.2)) == pytest.approx(once, abs=1e-9)
    named = [[[4 - y for y in block] for block in ranking] for ranking in reversed(SEVERAL)]
    assert numbers(exact(named, 5, reliability=3, prior_shape=0.2))[:, ::-1] == pytest.approx(once, abs=2 * TOLERANCE)
    weighted = ugt.Rankings.from_blocks([[*SEVERAL, [[0]]]], n_classes=5)
    again = ugt.plackett_luce(weighted, method="exact", reliability=[1.0, 1.0, 0.25, 0.75], prior_shape=0.2)
    assert numbers(again) == pytest.approx(numbers(exact(SEVERAL, 5, prior_shape=0.2)), abs=1e-9)
    few, many = (exact(CHAINS, k, prior_mass=1.0).membership(1)[0, :3] for k in (400, 40_000))
    assert few == pytest.approx(many, abs=2e-3)  # the total of the unmentioned classes is nearly the same


@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
@pytest.mark.parametrize("gamma", [1, 2.5, 3])
def test_draws_agree(unranked, gamma):
    cases = [CHAINS, CONFLICT, [[[0], [1], [2]]], [[[2]], [[2], [1]]], *([[SEVERAL, TIED][i] for i in range(2)] if gamma != 2.5 else [])]
    rankings = ugt.Rankings.from_blocks(cases, n_classes=5)
    options = {"reliability": gamma, "unranked": unranked, "prior_shape": 0.5}
    post = ugt.plackett_luce(rankings, method="auto", **options)
    draws = ugt.plackett_luce(rankings, n_draws=40_000, seed=3, **options)
    error = np.maximum(ugt.plackett_luce_diagnostics(draws).mcse_mean, 0.5 / np.sqrt(40_000))[:, None]
    assert post.counts()["drawn"] == 0
    assert (np.abs(post.membership(1) - draws.membership(1)) < 6 * error).all()
    assert (np.abs(post.mean() - draws.mean()) < 4 * error).all()
    assert (np.abs(post.variance() - draws.draws(40_000).var(1)) < 4 * error).all()
    assert (post.rest[:, 0] > 0).all() == (unranked != "ignore")


@pytest.mark.parametrize("part", [pytest.param(slice(None), marks=pytest.mark.full), slice(3, None, 60)])
def test_stated_errors_are_upper_bounds(dermatology, monkeypatch, part):
    """The true error of dermatology cases of up to five dimensions, from a tolerance a hundred times smaller."""
    some = [case for case in dermatology.annotations[part] if len({y for ranking in case for block in ranking for y in block}) <= 8]
    rankings = ugt.Rankings.from_blocks(some, n_classes=419)
    post = ugt.plackett_luce(rankings, method="auto")
    monkeypatch.setattr(plackett_luce_integrals, "TOLERANCE", TOLERANCE / 100)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_DIMENSIONS", 5)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_NODES", 6_000_000)
    monkeypatch.setattr(plackett_luce_integrals, "MOST_POINTS", 0)
    finer = ugt.plackett_luce(rankings, method="auto")
    known = (post.how == EXACT) & (finer.how == EXACT)
    assert known.mean() > 0.85
    off = np.abs(post.rest - finer.rest).max(1)
    np.maximum.at(off, row_of(post.offsets), np.abs(post.listed - finer.listed).max(1))
    assert (off <= post.error)[known].all()


def test_orders_of_alike_classes_are_integrated_once():
    """Four classes tied behind one are 24 orders; the same case with more dimensions than allowed is a lattice of the same orders."""
    post = exact([[[0], [1, 2, 3, 4]]], 30)
    p = post.membership(1)[0]
    assert p[1:5] == pytest.approx(np.full(4, p[1]), abs=1e-14) and p[0] > p[1] > p[5]
    apart = exact([[[0], [1, 2, 3, 4]], [[1]]], 30).membership(1)[0]
    assert apart[2:5] == pytest.approx(np.full(3, apart[2]), abs=1e-14) and apart[1] > apart[2]


def test_cases_that_are_not_exact():
    rankings = ugt.Rankings.from_blocks([CONFLICT, SEVERAL, []], n_classes=40, case_ids=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"method must be 'auto' or 'draws' for cases .* tied blocks .* 1 of 3 cases .* first at case 'b'"):
        ugt.plackett_luce(rankings, method="exact", reliability=1.5)
    post = ugt.plackett_luce(rankings, method="auto", reliability=1.5)
    drawn = ugt.plackett_luce(rankings, reliability=1.5)
    assert post.how.tolist()[1:] == [3, 0] and "drawn=1" in repr(post)
    assert post.membership(1)[1, :3] == pytest.approx(drawn.membership(1)[1, :3])
    assert post.certainty_error(post.certainty(1), 1, "set")[1] > 0.001
    with pytest.raises(ValueError, match=r"method must be 'draws' with a tempering other than 1"):
        ugt.plackett_luce(rankings, method="exact", tempering=2)
    assert isinstance(ugt.plackett_luce(rankings, method="auto", tempering=2, unranked="lump", n_draws=8), ugt.Draws)


def test_many_dimensions_have_a_standard_error():
    rng = np.random.default_rng(1)
    case = [[[int(y)] for y in rng.permutation(8)[:4]] for _ in range(5)]
    rankings = ugt.Rankings.from_blocks([case], n_classes=20)
    post = ugt.plackett_luce(rankings, method="auto")
    other = ugt.plackett_luce(rankings, method="auto", seed=1)
    assert "quasi_random=1" in repr(post) and 0 < post.error[0] < 2e-4
    assert other.membership(1) == pytest.approx(post.membership(1), abs=6 * post.error[0])
    draws = ugt.plackett_luce(rankings, n_draws=40_000)
    assert draws.membership(1) == pytest.approx(post.membership(1), abs=0.02)
    with pytest.raises(ValueError, match=r"Got \d+ dimensions and 1 terms"):
        ugt.plackett_luce(rankings, method="exact")
    certainty = ugt.annotation_certainty(post)
    assert 0 < certainty.mc_error < 2e-4
    assert 0 < ugt.ua_topk_accuracy(post, rng.random((1, 20)), k=3).mc_error < 1e-3
    assert 0 < ugt.expected_risk(post, np.arange(20)).mc_error < 0.02


def test_metrics():
    """Top-1 results are integrals with the spread of independent cases; whole orders use draws."""
    rng = np.random.default_rng(2)
    rankings = ugt.Rankings.from_blocks([CHAINS, TIED, SEVERAL, [[[3]]], []], n_classes=5)
    scores = rng.random((5, 5))
    post, draws = ugt.plackett_luce(rankings, method="exact"), ugt.plackett_luce(rankings, n_draws=4000, seed=5)
    for k in (1, 2):
        found, sampled = (ugt.ua_topk_accuracy(truth, scores, k=k) for truth in (post, draws))
        p = np.take_along_axis(post.membership(1), np.argsort(-scores, axis=1)[:, :k], axis=1).sum(1)
        assert found.per_case == pytest.approx(p) and found.mc_error == 0 and found.per_draw is None
        assert found.draw_std == pytest.approx(np.sqrt((p * (1 - p)).sum()) / 5)
        assert found.value == pytest.approx(sampled.value, abs=0.03) and found.draw_std == pytest.approx(sampled.draw_std, rel=0.1)
    certainty = ugt.annotation_certainty(post)
    assert certainty.mc_error == 0 and certainty.per_case == pytest.approx(post.membership(1).max(1))
    assert ugt.annotation_certainty(post, k=2).per_case == pytest.approx(
        ugt.annotation_certainty(ugt.plackett_luce(rankings), k=2).per_case
    )
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


def test_threads_and_checkpoints(tmp_path):
    rankings = ugt.Rankings.from_blocks([CHAINS, TIED, SEVERAL, CONFLICT] * 10, n_classes=30)
    file = tmp_path / "run"
    first = ugt.plackett_luce(rankings, method="auto", checkpoint=file)
    for options in ({"n_threads": 3}, {"checkpoint": file}):
        again = ugt.plackett_luce(rankings, method="auto", **options)
        assert again.listed.tobytes() == first.listed.tobytes() and again.error.tobytes() == first.error.tobytes()
    with pytest.raises(ValueError, match="checkpoint"):
        ugt.plackett_luce(rankings, method="auto", reliability=2, checkpoint=file)


def test_evaluation_says_how_cases_were_computed():
    rankings = ugt.Rankings.from_blocks([CHAINS, TIED, CONFLICT, [[[3]]]] * 3, n_classes=5)
    post = ugt.plackett_luce(rankings, method="auto", reliability=1.5)
    found = ugt.evaluate(post, {"a": np.random.default_rng(0).random((12, 5))}, k=1, n_resamples=20)
    assert "at most 1e-6 in 9 of 12 cases, by quasi-Monte Carlo with a standard error in 0, by draws in 3" in " ".join(found.notes)
    assert ugt.annotation_certainty(post).value == pytest.approx(found.certainty[0]["value"])
