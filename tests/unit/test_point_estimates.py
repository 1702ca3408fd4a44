"""Posterior modes and maximum-likelihood estimates: stationarity, closed forms, EM, existence, symmetries, errors."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.optimize import brentq
from strategies import partial_rankings
from twins import plackett_luce_em as twin

import ugt
from ugt._core import _plackett_luce as core
from ugt.truth.point_estimates import plackett_luce_map, plackett_luce_mle

UNRANKED = ["individual", "lump", "ignore"]
K = 6


CASE = st.lists(partial_rankings(K), max_size=5)


def random_case(rng, n_classes, n_annotators, depth, tied):
    """Rankings of ``depth`` classes in blocks of at most ``tied``."""
    case = []
    for _ in range(n_annotators):
        order, ranking = rng.permutation(n_classes)[:depth].tolist(), []
        while order:
            size = int(rng.integers(1, tied + 1))
            ranking.append(order[:size])
            order = order[size:]
        case.append(ranking)
    return case


def rankings_of(*cases, n_classes=K):
    return ugt.Rankings.from_blocks(list(cases), n_classes=n_classes, offered="all")


def mode(case, n_classes=K, **options):
    return plackett_luce_map(rankings_of(case, n_classes=n_classes), **options).mean()[0]


def mle(case, n_classes=K):
    return plackett_luce_mle(rankings_of(case, n_classes=n_classes)).mean()[0]


def mentioned(case):
    return sorted({k for ranking in case for block in ranking for k in block})


def among(case):
    """Rankings with the mentioned classes called 0, 1, …"""
    number = {k: i for i, k in enumerate(mentioned(case))}
    return [[[number[k] for k in block] for block in ranking] for ranking in case]


def likelihood_gradient(rankings, table):
    log_p, gradient = np.empty(rankings.n_rankings), np.empty(table.shape)
    arrays = rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items
    core.log_likelihood(*arrays, np.ascontiguousarray(table), 0, len(table), log_p, gradient)
    return gradient


def posterior_gradient(rankings, table, reliability, shape, unranked):
    """Derivatives by log plausibility (N, K), those of a lump in the columns of its classes, divided evenly."""
    is_rest = np.ones(table.shape, bool)
    for i in range(len(table)):
        items = rankings.items[rankings.block_offsets[rankings.ranking_offsets[rankings.case_offsets[i : i + 2]]][0] :]
        n = np.diff(rankings.block_offsets[rankings.ranking_offsets[rankings.case_offsets[i : i + 2]]])[0]
        is_rest[i, items[:n]] = False
    n_rest = is_rest.sum(1, keepdims=True)
    of_rest = {"individual": shape, "lump": shape / np.maximum(n_rest, 1), "ignore": 0.0}[unranked]
    shapes = np.where(is_rest, of_rest, shape)
    return reliability * likelihood_gradient(rankings, table) + shapes - shapes.sum(1, keepdims=True) * table


# ---- the mode is where the gradient vanishes (the objective is concave) --------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("unranked", UNRANKED)
@examples(60)
@given(
    cases=st.lists(CASE, min_size=1, max_size=4),
    reliability=st.sampled_from([0.1, 1.0, 2.5, 100.0]),
    shape=st.sampled_from([0.01, 1 / K, 3.0]),
)
def test_gradient_vanishes_at_the_mode(unranked, cases, reliability, shape):
    rankings = rankings_of(*cases)
    point = plackett_luce_map(rankings, reliability=reliability, prior_shape=shape, unranked=unranked)
    defined = np.array([unranked != "ignore" or bool(mentioned(case)) for case in cases])
    assert (point.defined == defined).all()
    table = np.where(defined[:, None], point.mean(), 0.0)
    assert table[defined].sum(1) == pytest.approx(1, abs=1e-14)
    gradient = posterior_gradient(rankings, table, reliability, shape, unranked)
    assert np.abs(gradient[defined]).max(initial=0) < 1e-12 * (1 + 5 * K * reliability)


@pytest.mark.parametrize("unranked", UNRANKED)
def test_a_reliability_for_each_annotator_repeats_the_rankings(unranked):
    rankings = ["a > b = c", "b = c > a", "c > a = b", "a = b > c"]
    who, times = ["x", "y", "x", "y"], {"x": 2, "y": 3}
    each = ugt.Rankings.from_strings(["p", "p", "q", "q"], who, rankings, classes=list("abcd"))
    copies = [(case, f"{a}{n}", ranking) for case, a, ranking in zip("ppqq", who, rankings) for n in range(times[a])]
    repeated = ugt.Rankings.from_strings(*zip(*copies), classes=list("abcd"))
    for gamma in (1.0, 0.3):
        found = plackett_luce_map(each, reliability={a: gamma * n for a, n in times.items()}, unranked=unranked)
        np.testing.assert_allclose(found.mean(), plackett_luce_map(repeated, reliability=gamma, unranked=unranked).mean(), rtol=1e-9)
    found, expected = plackett_luce_mle(each, reliability=times), plackett_luce_mle(repeated)
    np.testing.assert_allclose(found.mean(), expected.mean(), rtol=1e-9)
    np.testing.assert_allclose(plackett_luce_mle(each, reliability=7).mean(), plackett_luce_mle(each).mean(), rtol=1e-9)


@pytest.mark.parametrize("tempering", [0.5, 2.0, 5.0])
def test_tempered_maximum_likelihood(tempering):
    rankings = rankings_of([[[0], [1, 2]], [[1, 2], [0]], [[2], [0]]], [[[0], [1]], [[1], [0]], [[0]]])
    found = plackett_luce_mle(rankings, tempering=tempering).mean()
    power = found**tempering
    np.testing.assert_allclose(power / power.sum(1, keepdims=True), plackett_luce_mle(rankings).mean(), rtol=1e-9)
    # one class chosen twice and another once: λ^t has shares 2/3, 1/3
    expected = np.array([2.0, 1.0]) ** (1 / tempering)
    chosen = ugt.Rankings.from_blocks([[[[0]], [[0]], [[1]]]], n_classes=2)
    np.testing.assert_allclose(plackett_luce_mle(chosen, tempering=tempering).mean()[0], expected / expected.sum(), rtol=1e-9)
    refused("tempering must be 1 with on_nonexistence='map'", plackett_luce_mle, rankings, tempering=tempering, on_nonexistence="map")


@pytest.mark.parametrize("tied", range(2, 13))
def test_gradient_vanishes_with_large_blocks(tied):
    rng = np.random.default_rng(tied)
    cases = [random_case(rng, 20, 4, 15, tied) for _ in range(4)] + [[[list(range(tied))]], [[list(range(tied)), [12, 13]]]]
    rankings = rankings_of(*cases, n_classes=20)
    table = plackett_luce_map(rankings, reliability=2.5).mean()
    assert np.abs(posterior_gradient(rankings, table, 2.5, 1 / 20, "individual")).max() < 1e-12
    assert np.ptp(table[4][:tied]) == 0  # the classes of a lone block are tied, to the last bit
    assert np.ptp(table[5][:tied]) == 0


def test_gradient_vanishes_with_hundreds_of_classes():
    rng = np.random.default_rng(1)
    rankings = rankings_of(random_case(rng, 419, 3, 400, 300), random_case(rng, 419, 10, 300, 20), n_classes=419)
    table = plackett_luce_map(rankings, reliability=100).mean()
    assert np.abs(posterior_gradient(rankings, table, 100, 1 / 419, "individual")).max() < 1e-9


# ---- closed forms --------------------------------------------------------------------------------------
def test_single_votes_give_the_mean_of_the_dirichlet_posterior():
    votes = [4, 0, 2, 1, 0, 0]
    case = [[[k]] for k, n in enumerate(votes) for _ in range(n)]
    for reliability, shape in ((1.0, 1 / K), (2.5, 0.3), (100.0, 1.0)):
        expected = ugt.dirichlet(ugt.Labels.from_counts([votes]), reliability=reliability, prior=shape).mean()[0]
        assert mode(case, reliability=reliability, prior_shape=shape) == pytest.approx(expected, rel=1e-13)


def test_labels_are_rankings_of_one_class():
    labels = ugt.Labels.from_counts([[3, 1, 0], [0, 0, 2]])
    expected = ugt.dirichlet(labels, reliability=2, prior=1 / 3).mean()
    assert plackett_luce_map(labels, reliability=2).mean() == pytest.approx(expected, rel=1e-13)


def test_two_classes():
    case = [[[0], [1]], [[0]], [[1], [0]], [[0, 1]]]  # {0, 1} tied says nothing
    for unranked in UNRANKED:
        assert mode(case, 2, prior_shape=0.5, reliability=3, unranked=unranked) == pytest.approx([6.5 / 10, 3.5 / 10], rel=1e-13)
    assert mle(case, 2) == pytest.approx([2 / 3, 1 / 3], rel=1e-13)


@pytest.mark.parametrize("depth", [1, 2, 5, 30])
@pytest.mark.parametrize(("reliability", "mass"), [(1, 1.0), (100, 1.0), (1e4, 1e-2), (1, 1e3)])
def test_annotators_of_one_mind(depth, reliability, mass):
    # each class in turn has odds (a + w) : (what the prior gives to all later ones); down to 1e-200
    shape, w, left, expected = mass / 419, 10 * reliability, 1.0, []
    for k in range(depth):
        total = (419 - k) * shape + w
        expected.append(left * (shape + w) / total)
        left *= (418 - k) * shape / total
    found = mode([[[k] for k in range(depth)]] * 10, 419, reliability=reliability, prior_mass=mass)
    assert found[:depth] == pytest.approx(expected, rel=1e-12)
    assert found[depth:] == pytest.approx(left / (419 - depth), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 9, 10, 50, 400])
@pytest.mark.parametrize("reliability", [1.0, 100.0, 1e4])
def test_one_block(n, reliability):
    # n equal classes: log p = -sum_j log1p(Z / (j lambda)), so that the lump is at the root of its derivative
    def slope(log_rest):
        rest = np.exp(log_rest)
        odds = (1 - rest) / n / rest
        return -reliability * (1 / (1 + np.arange(1, n + 1) * odds)).sum() + (419 - n) / 419 - rest

    rest = np.exp(brentq(slope, -100, -1e-9, xtol=1e-14))
    found = mode([[list(range(n))]], 419, reliability=reliability)
    assert found[n:].sum() == pytest.approx(rest, rel=1e-11)
    assert found[:n] == pytest.approx((1 - rest) / n, rel=1e-12)


def test_without_annotators_the_prior_decides():
    for case in ([], [[]], [[], []]):
        for unranked in ("individual", "lump"):
            assert mode(case, unranked=unranked) == pytest.approx(1 / K)
        assert np.isnan(mode(case, unranked="ignore")).all()
        assert np.isnan(mle(case)).all()


def test_a_ranking_of_all_classes_as_one_block_says_nothing():
    assert mode([[[0, 1, 2]]], 3).tolist() == [1 / 3] * 3
    assert mode([[[0]]], 1).tolist() == [1.0]
    assert mle([[[0]]], 4).tolist() == [1.0, 0.0, 0.0, 0.0]


# ---- slow twins ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("unranked", UNRANKED)
@pytest.mark.parametrize("seed", range(4))
def test_mode_is_the_fixed_point_of_em(unranked, seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, 5, 3, int(rng.integers(2, 5)), 3)
    m, reliability, shape = len(mentioned(case)), (1, 2.5)[seed % 2], (0.4, 1.0)[seed // 2]
    found = mode(case, 7, reliability=reliability, prior_shape=shape, unranked=unranked)
    if unranked == "individual":
        assert found == pytest.approx(twin.em(case, [shape] * 7, reliability), rel=1e-9)
        return
    expected = twin.em(among(case), [shape] * (m + (unranked == "lump")), reliability)
    assert found[mentioned(case)] == pytest.approx(expected[:m], rel=1e-9)
    rest = np.delete(found, mentioned(case))
    assert rest == pytest.approx(expected[m] / len(rest) if unranked == "lump" else 0.0, rel=1e-9)


def test_maximum_likelihood_is_the_fixed_point_of_em_and_of_hunter():
    tied = [[[0], [1, 2]], [[2, 3], [0]], [[1], [3]], [[3], [0, 2]]]
    assert mle(tied, 4) == pytest.approx(twin.em(tied, [0.0] * 4), rel=1e-9)
    strict = [[[0], [1], [2]], [[2], [3], [0]], [[1], [3]], [[3], [0], [2]], [[2], [1]]]
    assert mle(strict, 4) == pytest.approx(twin.hunter(strict, 4), rel=1e-9)
    assert twin.em(strict, [0.0] * 4) == pytest.approx(twin.hunter(strict, 4), rel=1e-9)


# ---- existence -----------------------------------------------------------------------------------------
@pytest.mark.slow
@examples(300)
@given(st.lists(partial_rankings(4), max_size=4))
def test_existence_is_that_of_the_definition(case):
    rankings = rankings_of(case, n_classes=4)
    groups = twin.unbeaten_groups(case, mentioned(case))
    if not groups:
        point = plackett_luce_mle(rankings)
        if mentioned(case):
            assert np.abs(likelihood_gradient(rankings, point.mean())).max() < 1e-12
            assert set(point.index) == set(mentioned(case))
        return
    with pytest.raises(ValueError, match="none before") as caught:
        plackett_luce_mle(rankings)
    named = str(caught.value).split("none before ")[1].split(" (")[0]
    assert {int(k) for k in named.split(", ")} in groups
    found = plackett_luce_mle(rankings, on_nonexistence="map", prior_mass=2).mean()
    assert (found == plackett_luce_map(rankings, prior_mass=2, unranked="ignore").mean()).all()


def test_only_the_cases_without_an_estimate_get_the_mode():
    cases = [[[[0], [1]], [[0]], [[1]]], [[[0], [1]]], []]
    found = plackett_luce_mle(rankings_of(*cases), on_nonexistence="map", prior_shape=1).mean()
    assert found[0] == pytest.approx([2 / 3, 1 / 3, 0, 0, 0, 0])
    assert found[1] == pytest.approx([2 / 3, 1 / 3, 0, 0, 0, 0])
    assert np.isnan(found[2]).all()


def test_what_diverges_is_named():
    rankings = ugt.Rankings.from_strings(["p1", "p1", "p2", "p2"], [1, 2, 1, 2], ["A > B", "B > A", "A = B > C", "B > A > C"])
    message = (
        "rankings must place another class before each class and each group of classes that a case mentions, or on_nonexistence be "
        r"'map'\. Got none before 'A', 'B' \(1 of 2 cases are of this kind\), first at case 'p2'\."
    )
    with pytest.raises(ValueError, match=message.replace("'A', 'B'", "'B'")):
        plackett_luce_mle(rankings)  # nothing is ever placed before B
    rankings = ugt.Rankings.from_strings(["p1", "p2", "p2"], [1, 1, 2], ["A", "A > B > C", "B > A > C"])
    refused(message, plackett_luce_mle, rankings)
    refused("none before 0, 1, 2, 3, 4 and 2 more", mle, [[[k], *[[j] for j in range(7) if j != k], [7]] for k in range(7)], 8)


# ---- what changes nothing ------------------------------------------------------------------------------
@examples(60)
@given(CASE, st.permutations(range(K)), st.randoms(use_true_random=False))
def test_symmetries(case, new, random):
    found = mode(case)
    assert mode(random.sample(case, len(case))) == pytest.approx(found, rel=1e-11)
    assert mode([[block[::-1] for block in ranking] for ranking in case]) == pytest.approx(found, rel=1e-11)
    renamed = mode([[[new[k] for k in block] for block in ranking] for ranking in case])
    assert renamed[list(new)] == pytest.approx(found, rel=1e-11)
    assert mode(case * 2) == pytest.approx(mode(case, reliability=2), rel=1e-11)
    assert (mode(case, prior_rate=7) == found).all()
    assert (mode(case, prior_mass=K / 2) == mode(case, prior_shape=0.5)).all()


@examples(60)
@given(CASE)
def test_what_is_symmetric_is_tied(case):
    other = {0: 1, 1: 0}
    swapped = [[[other.get(k, k) for k in block] for block in ranking] for ranking in case]
    found = mode(case + swapped, reliability=2.5)
    assert found[0] == found[1]


def test_unmentioned_classes_count_as_many_or_as_one():
    case = [[[0], [1, 2]], [[1]], [[0, 1]]]
    for n_classes in (4, 50):
        lump = mode(case, n_classes, prior_shape=0.7, unranked="lump")
        assert lump[:3] == pytest.approx(mode(case, 4, prior_shape=0.7)[:3], rel=1e-12)
        assert lump[3:] == pytest.approx(lump[3])
    assert mode(case, 50, prior_shape=0.7)[3:].sum() > 0.5


def test_threads_change_nothing(dermatology):
    rankings = ugt.Rankings.from_blocks(dermatology.annotations[:600], n_classes=419)
    expected = plackett_luce_map(rankings).value
    with ugt.resampling.threads(2):
        assert (plackett_luce_map(rankings).value == expected).all()


# ---- bad input -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reliability": 0}, "reliability must be a finite number above 0. Got 0"),
        ({"reliability": float("inf")}, "reliability must be a finite number above 0. Got inf"),
        ({"prior_shape": -1.0}, "prior_shape must be a finite number above 0. Got -1.0"),
        ({"prior_mass": float("nan")}, "prior_mass must be a finite number above 0. Got nan"),
        ({"prior_shape": 1, "prior_mass": 1}, "prior_mass must be left out if prior_shape is given. Got 1"),
        ({"prior_rate": 0}, "prior_rate must be a finite number above 0. Got 0"),
        ({"unranked": "drop"}, "unranked must be one of 'individual', 'lump', 'ignore'. Got 'drop'"),
    ],
)
def test_bad_options_of_map(options, message):
    refused(message, mode, [[[0]]], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_nonexistence": "nan"}, "on_nonexistence must be one of 'error', 'map'. Got 'nan'"),
        ({"prior_mass": 1.0}, "prior_mass must be given only with on_nonexistence='map'. Got 1.0"),
        ({"on_nonexistence": "map", "prior_shape": 0.0}, "prior_shape must be a finite number above 0. Got 0.0"),
    ],
)
def test_bad_options_of_mle(options, message):
    refused(message, plackett_luce_mle, rankings_of([[[0]]]), **options)


@pytest.mark.parametrize("function", [plackett_luce_map, plackett_luce_mle])
def test_other_annotations(function):
    refused(r"rankings must be Rankings or Labels\. Got list", function, [[[0]]], error=TypeError)


@pytest.mark.parametrize(
    ("case", "options"),
    [
        ([[[k] for k in range(40)]], {"reliability": 1e12}),  # plausibilities down to 1e-500
        ([[[0], [1], [2]], [[0], [2], [1]], [[0], [2, 1]]], {"prior_mass": 1e-15}),  # the prior is lost in rounding
        ([[[0], [1]]], {"reliability": 1e308, "prior_mass": 1e308}),
    ],
)
def test_beyond_floating_point_is_an_error(case, options):
    rankings = ugt.Rankings.from_blocks([[], case], n_classes=50, case_ids=["good", "bad"])
    refused(
        "the estimate of case 'bad' is outside the range or precision of", plackett_luce_map, rankings, **options, error=ArithmeticError
    )


# ---- the dermatology data ------------------------------------------------------------------------------
@pytest.mark.parametrize(("reliability", "unranked"), [(1, "individual"), (100, "individual"), (3, "lump"), (10, "ignore")])
def test_modes_of_the_dermatology_data(dermatology, reliability, unranked):
    rankings = ugt.Rankings.from_blocks(dermatology.annotations, n_classes=419)
    table = plackett_luce_map(rankings, reliability=reliability, unranked=unranked).mean()
    assert np.isfinite(table).all()
    gradient = posterior_gradient(rankings, table, reliability, 1 / 419, unranked)
    assert np.abs(gradient).max() < 1e-11 * reliability


def test_maximum_likelihood_of_the_dermatology_data(dermatology):
    rankings = ugt.Rankings.from_blocks(dermatology.annotations, n_classes=419)
    refused(r"\(542 of 1947 cases", plackett_luce_mle, rankings)
    several = [i for i, case in enumerate(dermatology.annotations) if len(mentioned(case)) > 1]
    assert len(several) == 1816  # of which 1,274 have an estimate
    point = plackett_luce_mle(rankings, on_nonexistence="map")
    steepest = np.abs(likelihood_gradient(rankings, point.mean())).max(1)
    # and one of the 542 whose annotators all tied the same classes: any plausibilities are as likely
    assert np.count_nonzero(steepest[several] < 1e-11) == 1275
