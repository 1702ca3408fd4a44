"""Annotation certainty and expected risk: groups, errors of Monte Carlo, what is left out, and a data set of the size of CIFAR-10H."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused, warned
from scipy import stats
from scipy.special import betainc
from twins import dirichlet as races

import ugt
from ugt import Dirichlet, Draws, Point, states

VECTORS = np.array([[[5, 3, 2], [2, 5, 3], [5, 2, 3], [1, 1, 8]], [[0, 10, 0], [4, 6, 0], [0, 10, 0], [10, 0, 0]]]) / 10


def test_draws_by_hand():
    top = ugt.annotation_certainty(VECTORS)
    np.testing.assert_allclose(top.per_case, [2 / 4, 3 / 4])
    # sets of two: {0,1}, {1,2}, {0,2}, and {2} with one of the tied {0,1}; second case {1}, {0,1}, {1}, {0}
    np.testing.assert_allclose(ugt.annotation_certainty(VECTORS, k=2).per_case, [1.5 / 4, 2 / 4])
    np.testing.assert_allclose(ugt.annotation_certainty(VECTORS, k=2, ties="first").per_case, [2 / 4, 4 / 4])
    # rank two: 1, 2, 2, a half each of 0 and 1; second case nothing plausible, 0, nothing, nothing
    second = ugt.annotation_certainty(VECTORS, k=2, kind="rank")
    np.testing.assert_allclose(second.per_case, [2 / 4, 3 / 4])
    assert top.value == 5 / 8
    # two frequencies of four draws, cases drawn independently
    assert top.mc_error == pytest.approx(np.sqrt((0.5 * 0.5 + 0.75 * 0.25) / 4) / 2)
    assert second.mc_error == pytest.approx(np.sqrt((0.5 * 0.5 + 0.75 * 0.25) / 4) / 2)
    assert (top.n_cases, top.left_out) == (2, {})


def test_exact_answers_have_no_monte_carlo_error():
    for truth in (Point.from_array(VECTORS[:, 0]), Dirichlet.from_array(VECTORS[:, 1])):
        for k in (1, 2):
            assert ugt.annotation_certainty(truth, k=k).mc_error == 0
        assert ugt.truth.expected_risk(truth, [0, 1, 2]).mc_error == 0


@pytest.mark.slow
@given(st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any), st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_certainty_of_groups(concentration, groups):
    post = Dirichlet.from_array([concentration])
    found = ugt.annotation_certainty(post, groups=groups)
    summed = [sum(c for c, g in zip(concentration, groups) if g == h) for h in range(max(groups) + 1)]
    best_group = races.memberships(races.orders(summed), 1, len(summed))
    assert found.value == pytest.approx(float(max(best_group)), abs=1e-12)
    # the other rule: the group of the best class
    best_class = races.memberships(races.orders(concentration), 1, 4)
    by_class = [float(sum(p for p, g in zip(best_class, groups) if g == h)) for h in range(max(groups) + 1)]
    assert ugt.annotation_certainty(post, groups=groups, group_rule="top_class").value == pytest.approx(max(by_class), abs=1e-12)
    risk = [3, 1, 4]
    assert ugt.truth.expected_risk(post, [risk[g] for g in groups]).value == pytest.approx(
        sum(risk[h] * p for h, p in enumerate(by_class)), abs=1e-12
    )
    mean = sum(risk[g] * c for c, g in zip(concentration, groups)) / sum(concentration)
    assert ugt.truth.expected_risk(post, [risk[g] for g in groups], kind="plausibility").value == pytest.approx(mean, abs=1e-12)


def test_certainty_of_order_k_over_groups():
    post = Dirichlet.from_array([[3, 1, 2, 2, 0.5]])
    by_hand = Dirichlet.from_array([[4, 2, 2.5]])
    for k in (1, 2, 3):
        for kind in ("set", "rank"):
            expected = ugt.annotation_certainty(by_hand, k=k, kind=kind).value
            assert ugt.annotation_certainty(post, k=k, kind=kind, groups=[0, 0, 1, 2, 2]).value == pytest.approx(expected, abs=1e-14)


@pytest.mark.slow
def test_monte_carlo_errors_are_those_of_repetition():
    post = Dirichlet.from_array(np.random.default_rng(2).uniform(0.2, 3, (20, 4)))
    risk = np.array([0.0, 1.0, 5.0, 2.0])
    runs = [Draws.from_array(post.draws(200, seed=seed)) for seed in range(200)]
    for name, measured in {
        "certainty": [ugt.annotation_certainty(run) for run in runs],
        "top_class": [ugt.truth.expected_risk(run, risk) for run in runs],
        "plausibility": [ugt.truth.expected_risk(run, risk, kind="plausibility") for run in runs],
    }.items():
        values, errors = np.array([m.value for m in measured]), np.array([m.mc_error for m in measured])
        # the standard deviation of 200 runs has a relative error of 0.05; a maximum of frequencies varies a bit less than one frequency
        assert values.std() == pytest.approx(errors.mean(), rel=0.3), name
        if name != "certainty":  # which is biased upwards
            exact = ugt.truth.expected_risk(post, risk, kind=name).value
            assert values.mean() == pytest.approx(exact, abs=5 * errors.mean() / np.sqrt(200))


@pytest.mark.filterwarnings("error")
def test_one_draw_says_nothing_about_its_error():
    assert np.isnan(ugt.truth.expected_risk(VECTORS[:, :1], [0, 1, 2], kind="plausibility").mc_error)


def test_errors_of_chains_are_those_of_the_sets_and_of_the_ranks():
    rankings = ugt.Rankings.from_blocks([[[[0, 1]], [[2], [1]]], [[[1], [2], [0]], [[0]]]], n_classes=4)
    truth = ugt.plackett_luce(rankings, method="gibbs", n_draws=400, n_chains=4, seed=3)
    best = np.argsort(-truth.draws(truth.n_draws), axis=2, kind="stable")[:, :, :3]
    for kind, k in (("set", 2), ("rank", 2), ("rank", 3), ("set", 1)):
        sets = np.sort(best[:, :, :k] if kind == "set" else best[:, :, k - 1 : k], axis=2)
        errors = []
        for case in sets:
            values, counts = np.unique(case, axis=0, return_counts=True)
            hit = (case == values[counts.argmax()]).all(1).astype(float)
            errors.append(truth.mean_error(hit))
        found = ugt.annotation_certainty(truth, k=k, kind=kind)
        assert found.mc_error == pytest.approx(np.sqrt(np.square(errors).sum()) / 2, rel=1e-12)
        if k == 1:
            of_group = ugt.annotation_certainty(truth, groups=[0, 1, 0, 1], group_rule="top_class")
            hits = best[:, :, 0] % 2 == (best[:, :, 0] % 2).mean(1).round()[:, None]
            errors = [truth.mean_error(hit.astype(float)) for hit in hits]
            assert of_group.mc_error == pytest.approx(np.sqrt(np.square(errors).sum()) / 2, rel=1e-12)
        independent = np.sqrt((found.per_case * (1 - found.per_case) / truth.n_draws).sum()) / 2
        assert found.mc_error != pytest.approx(independent, rel=1e-3)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32])
@pytest.mark.parametrize("kind", ["top_class", "plausibility"])
def test_risks_of_any_type(dtype, kind):
    risk = np.array([0, 12, 100], dtype)  # 100² does not fit into 8 bits
    found, expected = (ugt.truth.expected_risk(VECTORS, r, kind=kind) for r in (risk, [0.0, 12.0, 100.0]))
    np.testing.assert_array_equal(found.per_case, expected.per_case)
    assert found.mc_error == expected.mc_error > 0


def test_undefined_cases():
    table = np.array([[3.0, 2.0, 1.0], [np.nan] * 3])
    for truth in (Point.from_array(table), Dirichlet.from_array(table), Draws.from_array(table[:, None])):
        for found in (
            ugt.annotation_certainty(truth),
            ugt.annotation_certainty(truth, k=3),
            ugt.annotation_certainty(truth, k=2, kind="rank"),
            ugt.annotation_certainty(truth, groups=[0, 0, 1]),
            ugt.annotation_certainty(truth, groups=[0, 0, 1], group_rule="top_class"),
            ugt.truth.expected_risk(truth, [0, 1, 2]),
            ugt.truth.expected_risk(truth, [0, 1, 2], kind="plausibility"),
        ):
            assert np.isnan(found.per_case).tolist() == [False, True]
            assert (found.n_cases, found.left_out) == (1, {"case without annotations": 1})
            assert found.value == found.per_case[0]
        nothing = warned("undefined: no case is left", ugt.annotation_certainty, truth.take([1]))
        assert np.isnan(nothing.value)
        assert nothing.n_cases == 0


@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_more_than_k_plausible_classes_are_certain(k):
    post = Dirichlet.from_array([[3, 1, 0, 0], [0, 0, 2, 0], [1, 1, 1, 0]])
    for truth in (post, Point.from_array(post.mean()), Draws.from_array(post.draws(20))):
        expected = post.support <= k
        np.testing.assert_array_equal(ugt.annotation_certainty(truth, k=k).per_case[expected], 1)
        if not isinstance(truth, Point):
            assert (ugt.annotation_certainty(truth, k=k).per_case[~expected] < 1).all()


@pytest.mark.parametrize(
    "more, message",
    [
        *(({"k": bad}, f"k must be a whole number from 1 to 3. Got {bad}.") for bad in (0, 4)),
        ({"k": 3, "groups": [0, 0, 1]}, "k must be a whole number from 1 to 2. Got 3."),
        ({"k": 2, "groups": [0, 0, 1], "group_rule": "top_class"}, "k must be a whole number from 1 to 1. Got 2."),
        ({"kind": "sets"}, "kind must be one of 'set', 'rank'. Got 'sets'."),
        ({"group_rule": "mean"}, "group_rule must be one of 'sum', 'top_class'. Got 'mean'."),
        ({"ties": "last"}, "ties must be one of 'expectation', 'first'. Got 'last'."),
        ({"groups": [0, 1]}, "groups must be 3 integers or names, one per class."),
    ],
)
def test_bad_arguments(more, message):
    refused(message, ugt.annotation_certainty, VECTORS, **more)


@pytest.mark.parametrize("risk", [[0, 1], [0, 1, np.nan], [0, 1, np.inf], ["a", "b", "c"], [[0, 1, 2]], 1.0, [True, False, True]])
def test_bad_risks(risk):
    refused("risk must be 3 finite numbers, one per class", ugt.truth.expected_risk, VECTORS, risk)


def test_bad_kind_of_risk():
    refused(r"kind must be one of 'top_class', 'plausibility'. Got 'set'.", ugt.truth.expected_risk, VECTORS, [0, 1, 2], kind="set")


def counts_like_cifar10h(n_cases=10_000, n_classes=10, seed=0):
    """About 50 labels a case; a third of the cases unanimous, some evenly split."""
    rng = np.random.default_rng(seed)
    difficulty = np.where(rng.random(n_cases) < 0.3, 0, rng.beta(0.5, 3, n_cases))
    truth = rng.integers(0, n_classes, n_cases)
    p = np.full((n_cases, n_classes), 1 / n_classes) * difficulty[:, None]
    p[np.arange(n_cases), truth] += 1 - difficulty
    rival = (truth + 1) % n_classes
    shared = rng.random(n_cases) < 0.05
    p[shared] = 0
    p[np.flatnonzero(shared), truth[shared]] = p[np.flatnonzero(shared), rival[shared]] = 0.5
    counts = np.array([rng.multinomial(n, row / row.sum()) for n, row in zip(rng.integers(47, 64, n_cases), p)])
    return counts, truth


@pytest.mark.slow
def test_a_data_set_like_cifar10h():
    counts, truth = counts_like_cifar10h()
    unanimous = (counts > 0).sum(1) == 1
    assert unanimous.sum() > 2000
    scores = np.random.default_rng(1).random(counts.shape)
    scores[np.arange(len(truth)), truth] += 0.8
    start = time.perf_counter()
    for prior in (0.0, 0.1):
        post = ugt.dirichlet(ugt.Labels.from_counts(counts), prior=prior)
        for k in (1, 2):
            certainty = ugt.annotation_certainty(post, k=k)
            assert np.isfinite(certainty.per_case).all()
            assert ((certainty.per_case > 0) & (certainty.per_case <= 1)).all()
            assert certainty.n_cases == len(counts)
            # with a prior, the second place of a unanimous case is anybody's among nine
            expected = 1 if k == 1 or prior == 0 else 1 / 9
            np.testing.assert_allclose(certainty.per_case[unanimous], expected, atol=1e-10)
            for metric in (ugt.ua_topk_accuracy, ugt.metrics.ua_set_accuracy, ugt.metrics.ua_overlap, ugt.ua_average_overlap):
                found = metric(post, scores, k)
                low, high = found.draw_interval()
                assert np.isfinite([found.value, found.draw_std, low, high]).all()
                assert 0 <= low <= found.value <= high <= 1
                # 10,000 cases: the law over draws is close to normal
                assert (high - low) / (2 * 1.96) == pytest.approx(found.draw_std, rel=0.02, abs=1e-4)
            if k == 1:
                accuracy = ugt.ua_topk_accuracy(post, scores)
                p = accuracy.per_case
                assert accuracy.draw_std == pytest.approx(np.sqrt((p * (1 - p)).sum()) / len(p), rel=1e-9)
                np.testing.assert_allclose(
                    accuracy.per_case[unanimous], counts.argmax(1)[unanimous] == scores.argmax(1)[unanimous], atol=1e-10
                )
    assert time.perf_counter() - start < 30  # some 4 s on the machine where this was written


@pytest.mark.parametrize("n", [1, 3, 8, 20])
def test_a_unanimous_case_is_certain_up_to_the_prior(n):
    # one of nine Gamma(0.1) exceeds a Gamma(n + 0.1): between the chance of one and nine times that
    chance = betainc(n + 0.1, 0.1, 0.5)
    uncertain = 1 - ugt.dirichlet(ugt.Labels.from_counts(np.array([[n, *[0] * 9]])), prior=0.1).certainty(1)[0]
    assert chance - 1e-13 < uncertain < 9 * chance + 1e-13
    assert uncertain == pytest.approx(9 * chance, rel=0.5)


def test_the_error_of_a_risk_is_that_of_the_mean_over_draws():
    """Of two draws with the best classes 0 and 2 (risks 1 and 4) the variance is 9/4; two more agree: 0."""
    draws = Draws.from_array(np.array([[[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]], [[0.8, 0.1, 0.1], [0.7, 0.2, 0.1]]]))
    found = ugt.truth.expected_risk(draws, [1, 2, 4])
    assert found.per_case.tolist() == [2.5, 1.0]
    assert found.mc_error == pytest.approx(np.sqrt(9 / 4 / 2) / 2)
    found = ugt.truth.expected_risk(draws, [0, 1, 4])  # 0 or 4, and 0 for sure
    assert found.mc_error == pytest.approx(np.sqrt((8 - 2**2) / 2) / 2)
    rare = Draws.from_array(np.array([[[0.9, 0.1]] * 3 + [[0.1, 0.9]]]))  # 4 in one draw of four: E r² - (E r)² = 4 - 1
    assert ugt.truth.expected_risk(rare, [0, 4]).mc_error == pytest.approx(np.sqrt(3 / 4))


def test_an_interval_of_a_risk_in_parts_is_not_cut():
    p, risk = np.random.default_rng(0).dirichlet(np.ones(3), 30), np.array([0.0, 50.0, -90.0])
    found = states.finish(states.partial("expected_risk", p, risk, kind="plausibility"))
    own = p @ risk
    reach = stats.t.ppf(0.975, 29) * own.std(ddof=1) / np.sqrt(30)
    assert found.interval(kind="analytic") == pytest.approx((own.mean() - reach, own.mean() + reach))
