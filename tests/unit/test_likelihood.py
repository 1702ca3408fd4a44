"""Probabilities of partial rankings and their gradient: subset recursion and quadrature against exact arithmetic."""

import itertools
import math

import numpy as np
import pytest
from refusals import refused
from twins import plackett_luce as twin

from ugt._core import _plackett_luce as core
from ugt.annotations import Rankings

SMALL = 9  # UGT_SMALL_BLOCK of core.h: blocks above it go by quadrature


def evaluate(nested, plausibility, gradient=False):
    """log p of every ranking of cases -> annotators -> blocks; plausibility (N, K)."""
    plausibility = np.atleast_2d(np.ascontiguousarray(plausibility, float))
    rankings = Rankings.from_blocks(nested, n_classes=plausibility.shape[1])
    log_p = np.full(len(rankings.ranking_offsets) - 1, 7.0)
    slope = np.full(plausibility.shape, 7.0) if gradient else None
    arrays = (rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items)
    core.log_likelihood(*arrays, plausibility, 0, rankings.n_cases, log_p, slope)
    return (log_p, slope) if gradient else log_p


def one(ranking, plausibility):
    return float(evaluate([[ranking]], plausibility)[0])


def one_gradient(ranking, plausibility):
    return evaluate([[ranking]], plausibility, gradient=True)[1][0]


# ---- reference cases ----
@pytest.mark.parametrize("name", ["19", "21", "23"])
def test_reference_cases(shared_case, name):
    case = shared_case(name)
    log_p = evaluate([case["inputs"]["rankings"]], [case["inputs"]["lam"]]).sum()
    assert math.exp(log_p) == pytest.approx(case["expected"]["lik"], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("block", "expected"), [([0, 1], -2.944439), ([0, 1, 2], -5.141664)])
def test_tied_classes_of_very_different_plausibility(block, expected):
    """The authors' code says inf where one class of a tied block has λ = 1 and the other 19 have 1e-8."""
    found = one([block], [1.0] + [1e-8] * 19)
    assert found == pytest.approx(expected, abs=1e-6)
    assert found == pytest.approx(float(twin.log_likelihood([block], [1.0] + [1e-8] * 19)), rel=1e-14)


# ---- sizes, ratios, cancellation ----
@pytest.mark.parametrize("n", [*range(1, 15), 20, 30, 50, 100, 200, 399, 400])
def test_equal_plausibilities(n):
    """log p = -Σ_{j<=n} log(1 + Z/(jλ)): the j-th last of the block waits for one of j, or of Z."""
    later = 10.0 ** np.arange(-12, 13)
    table = np.ones((len(later), n + 1))
    table[:, n] = later
    expected = -np.log1p(later[:, None] / np.arange(1, n + 1)).sum(1)
    np.testing.assert_allclose(evaluate([[[list(range(n))]]] * len(later), table), expected, rtol=1e-13)


BLOCKS = [1, 2, 5, 8, 9, 10, 11, 12]


@pytest.mark.parametrize("spread", [1.0, 6.0, 12.0])
@pytest.mark.parametrize("n", BLOCKS)
def test_blocks_against_decimals(n, spread):
    """On both sides of the change from the recursion to the quadrature; ratios of plausibilities up to 1e24."""
    rng = np.random.default_rng([n, int(spread)])
    rates = 10.0 ** rng.uniform(-spread, spread, n)
    rates[0] = 10.0**-spread
    rates[-1] = 10.0**spread
    later = [10.0**-spread, 1.0, 10.0**spread] if n < 11 else [1.0]
    exact = [float(twin.log_decimal(twin.block_probability(rates.tolist(), z))) for z in later]
    table = np.hstack([np.tile(rates, (len(later), 1)), np.array(later)[:, None]])
    np.testing.assert_allclose(evaluate([[[list(range(n))]]] * len(later), table), exact, rtol=2e-14)


GROUPS = {  # (plausibility, classes), ..., later classes
    "far apart": ([(1e-12, 10), (1.0, 10), (1e12, 10)], 1.0),
    "nearly certain": ([(1e6, 30), (1.0, 5)], 1e-12),
    "certain to 18 digits": ([(1.0, 20), (3.0, 20)], 1e-18),
    "hopeless": ([(1e-12, 40), (1.0, 10)], 1e12),
    "one slow class": ([(1e-9, 1), (1.0, 199)], 1.0),
    "one fast class": ([(1e9, 1), (1e-3, 199)], 2.0),
    "four hundred": ([(1e-3, 100), (0.5, 300)], 0.7),
}


@pytest.mark.parametrize("name", GROUPS)
def test_large_blocks_against_decimals(name):
    groups, later = GROUPS[name]
    rates = [rate for rate, n in groups for _ in range(n)]
    exact = float(twin.log_decimal(twin.block_probability(rates, later)))
    assert one([list(range(len(rates)))], [*rates, later]) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("later", [1e-6, 1.0, 300.0, 1e6])
@pytest.mark.parametrize("n", [10, 60, 400])
def test_large_blocks_of_many_plausibilities(n, later):
    rates = np.random.default_rng(n).integers(1, 21, n).tolist()
    exact = float(twin.log_decimal(twin.block_probability_by_polynomial(rates, later)))
    assert one([list(range(n))], [*rates, later]) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("n", [2, SMALL, SMALL + 1, 40])
def test_ends_of_the_floating_point_range(n):
    block = list(range(n))
    for scale in (1e-300, 1e300 / (n + 1)):
        assert one([block], np.full(n + 1, scale)) == pytest.approx(-np.log1p(1 / np.arange(1, n + 1)).sum(), rel=1e-13)
    assert one([block], [1.0] * n + [1e-300]) == pytest.approx(-1e-300 * (1 / np.arange(1, n + 1)).sum(), rel=1e-12)
    assert one([block], [1e-300] * n + [1.0]) == pytest.approx(-n * math.log(1e300) + math.lgamma(n + 1), rel=1e-13)


@pytest.mark.parametrize("n", [2, SMALL, SMALL + 1, 40])
def test_quotients_out_of_the_floating_point_range(n):
    """Draws of Dirichlet laws of tiny concentrations have subnormal numbers; p = n! λ^n / Z^n where λ is far below Z."""
    block, tiny = list(range(n)), 1e-310
    assert one([block], [tiny] * n + [1.0]) == pytest.approx(n * math.log(tiny) + math.lgamma(n + 1), rel=1e-13)
    assert one([block], [1e-320] * n + [1e300]) == pytest.approx(n * (math.log(1e-320) - math.log(1e300)) + math.lgamma(n + 1), rel=1e-13)
    assert one([block], [1.0] * n + [tiny]) == pytest.approx(0, abs=1e-298)
    for rates in ([tiny] * n + [1.0], [1.0] * n + [tiny], [tiny] + [1.0] * n):
        slope = one_gradient([block], rates)
        assert np.isfinite(slope).all()
        assert slope.sum() == pytest.approx(0, abs=1e-13)


# ---- whole rankings ----
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_probabilities_of_all_rankings_add_up(n_classes):
    """To 1 for given sizes of the blocks: which classes come where is all that is random. 2^(K-1) compositions of K."""
    rates = np.random.default_rng(n_classes).gamma(0.5, size=n_classes)
    sums = {}
    for ranking in twin.ordered_partitions(list(range(n_classes))):
        p, unranked = one(ranking, rates), one(ranking[:-1], rates)
        assert unranked == pytest.approx(p, rel=1e-14, abs=1e-15)  # unranked classes are tied behind all others
        sizes = tuple(map(len, ranking))
        sums[sizes] = sums.get(sizes, 0.0) + math.exp(p)
    assert len(sums) == 2 ** (n_classes - 1)
    np.testing.assert_allclose(list(sums.values()), 1.0, rtol=1e-13)


@pytest.mark.parametrize("n", range(1, 7))
def test_sum_over_permutations(n):
    rates = np.random.default_rng(n).gamma(0.3, size=n + 1)
    assert one([list(range(n))], rates) == pytest.approx(math.log(twin.probability_by_orders([list(range(n))], rates)), rel=1e-13)
    strict = [one([[y] for y in order], rates) for order in itertools.permutations(range(n))]
    assert one([list(range(n))], rates) == pytest.approx(math.log(math.fsum(map(math.exp, strict))), rel=1e-12)


def random_ranking(rng, n_classes, most=6):
    order, ends = rng.permutation(n_classes).tolist(), [0]
    while ends[-1] < n_classes and rng.random() < 0.8:
        ends.append(min(ends[-1] + int(rng.integers(1, most)), n_classes))
    return [order[a:b] for a, b in zip(ends[:-1], ends[1:])]


@pytest.mark.slow
def test_rankings_against_the_twins():
    rng = np.random.default_rng(1)
    for _ in range(40):
        ranking, rates = random_ranking(rng, 6), np.exp(rng.normal(0, 2, 6))
        exact = twin.log_likelihood(ranking, rates)
        assert math.log(twin.probability_by_orders(ranking, rates)) == pytest.approx(float(exact), abs=1e-14)
        assert one(ranking, rates) == pytest.approx(float(exact), rel=1e-13, abs=1e-15)
        assert one(ranking, rates) == pytest.approx(math.log(twin.likelihood([ranking], rates)), rel=1e-12, abs=1e-14)


def test_many_cases_at_once():
    rng = np.random.default_rng(2)
    nested = [[random_ranking(rng, 14, 13) for _ in range(rng.integers(0, 4))] for _ in range(60)]
    table = rng.gamma(0.3, size=(60, 14))
    together, slopes = evaluate(nested, table, gradient=True)
    alone = [evaluate([rankings], row[None], gradient=True) for rankings, row in zip(nested, table)]
    np.testing.assert_array_equal(together, np.concatenate([log_p for log_p, _ in alone]))
    np.testing.assert_array_equal(slopes, np.concatenate([slope for _, slope in alone]))
    np.testing.assert_array_equal(together, evaluate(nested, table))  # the gradient is a by-product


def test_parts_of_the_cases():
    nested, table = [[[[0]]], [[[1], [0]], [[2]]], [[[2]]]], np.array([[1.0, 2, 3]] * 3)
    whole, slopes = evaluate(nested, table, gradient=True)
    r = Rankings.from_blocks(nested, n_classes=3)
    log_p, slope = np.full(4, 7.0), np.full((3, 3), 7.0)
    core.log_likelihood(r.case_offsets, r.ranking_offsets, r.block_offsets, r.items, table, 1, 2, log_p, slope)
    np.testing.assert_array_equal(log_p, [7.0, *whole[1:3], 7.0])
    np.testing.assert_array_equal(slope[1], slopes[1])
    assert (slope[[0, 2]] == 7.0).all()


@pytest.mark.parametrize("factor", [2.0**-900, 1e-9, 3.0, 1e9, 2.0**900])
def test_scale_invariance(factor):
    rng = np.random.default_rng(3)
    table = rng.gamma(1.0, size=(30, 25))
    nested = [[random_ranking(rng, 25, 16)] for _ in range(30)]
    (a, slope_a), (b, slope_b) = evaluate(nested, table, gradient=True), evaluate(nested, table * factor, gradient=True)
    np.testing.assert_allclose(b, a, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(slope_b, slope_a, rtol=1e-10, atol=1e-14)


def test_inputs_may_be_read_only():
    table = np.ones((1, 3))
    table.flags.writeable = False
    assert evaluate([[[[0]]]], table)[0] == pytest.approx(-math.log(3))


# ---- gradient by log plausibility ----
@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 4, 8, 9, 10, 11, 20, 30])
def test_gradient_of_one_block(n):
    """Blocks of up to four distinct plausibilities, so that the exact twin is fast: decimal differences, with 40 digits left."""
    rng = np.random.default_rng(n)
    values = np.exp(rng.normal(0, 3, 4))
    rates = [*values[np.arange(n) % 4], 0.3, 1.1]  # the last two classes come later
    classes = [*range(min(n, 4)), n, n + 1]
    found = one_gradient([list(range(n))], rates)
    np.testing.assert_allclose(found[classes], twin.gradient([list(range(n))], rates, classes), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(found[:n], found[np.arange(n) % 4], rtol=1e-11, atol=1e-14)


def test_gradient_of_rankings():
    rng = np.random.default_rng(4)
    for _ in range(12):
        ranking, rates = random_ranking(rng, 7, 5), np.exp(rng.normal(0, 2, 7))
        np.testing.assert_allclose(one_gradient(ranking, rates), twin.gradient(ranking, rates, range(7)), rtol=1e-11, atol=1e-14)


def test_gradient_of_a_case_is_the_sum_over_its_annotators():
    rng = np.random.default_rng(5)
    rankings, rates = [random_ranking(rng, 13, 12) for _ in range(5)], np.exp(rng.normal(0, 2, 13))
    together = evaluate([rankings], rates, gradient=True)[1][0]
    np.testing.assert_allclose(together, sum(one_gradient(ranking, rates) for ranking in rankings), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("n_classes", [3, 12, 40, 419])
def test_gradient_adds_up_to_nothing(n_classes):
    """Scaling all plausibilities changes no probability."""
    rng = np.random.default_rng(n_classes)
    table = np.exp(rng.normal(0, 4, (20, n_classes)))
    slopes = evaluate([[random_ranking(rng, n_classes, n_classes)] for _ in range(20)], table, gradient=True)[1]
    assert (np.abs(slopes).max(1) > 0).any()
    np.testing.assert_allclose(slopes.sum(1), 0.0, atol=1e-13 * n_classes)


@pytest.mark.parametrize("n", [3, SMALL, SMALL + 1, 30])
def test_gradient_by_finite_differences(n):
    rng = np.random.default_rng(n)
    rates, ranking, step = rng.gamma(1.0, size=n + 3), [[n], list(range(n))], 1e-5
    ends = [[one(ranking, np.where(np.arange(n + 3) == k, rates * math.exp(s * step), rates)) for s in (1, -1)] for k in range(n + 3)]
    np.testing.assert_allclose(one_gradient(ranking, rates), np.subtract(*np.transpose(ends)) / (2 * step), rtol=1e-6, atol=1e-8)


# ---- plausibilities of zero ----

INF, NAN = math.inf, math.nan
ZEROS = {  # ranking, plausibilities, log p
    "later classes of zero": ([[0], [1]], [2.0, 1.0, 0.0], math.log(2 / 3)),
    "later classes of zero in a tied block": ([[0, 1]], [2.0, 1.0, 0.0, 0.0], 0.0),
    "half of the later ones": ([[0]], [1.0, 1.0, 0.0], math.log(0.5)),
    "a ranked class of zero": ([[0], [1]], [1.0, 0.0, 1.0], -INF),
    "a tied class of zero": ([[0, 1]], [1.0, 0.0, 1.0], -INF),
    "zero before zero": ([[0], [1]], [1.0, 0.0, 0.0], NAN),
    "a last block of zero with nothing behind it": ([[0], [1]], [1.0, 0.0], 0.0),
    "all classes tied, one of them zero": ([[0, 1]], [1.0, 0.0], 0.0),
    "nothing ranked": ([], [0.0, 0.0], 0.0),
    "nothing ranked, something there": ([], [1.0, 2.0], 0.0),
}


@pytest.mark.parametrize("name", ZEROS)
def test_zeros(name):
    ranking, rates, expected = ZEROS[name]
    np.testing.assert_allclose(one(ranking, rates), expected, rtol=1e-14)
    slope = one_gradient(ranking, rates)
    if math.isfinite(expected):
        assert np.isfinite(slope).all()
        assert slope.sum() == pytest.approx(0, abs=1e-15)
    else:
        assert np.isnan(slope).any()  # a slope at -inf is not a number, and says so


def test_zeros_in_large_blocks():
    n = SMALL + 3
    assert one([list(range(n))], [1.0] * n + [0.0]) == 0.0
    assert one([list(range(n))], [0.0] + [1.0] * n) == -INF
    assert math.isnan(one([list(range(n))], [0.0] + [1.0] * (n - 1) + [0.0]))
    assert one([list(range(n))], [0.0] + [1.0] * (n - 1)) == 0.0


def test_other_cases_do_not_feel_a_zero():
    log_p = evaluate([[[[0]]], [[[0]]], [[[0]]]], [[1.0, 1, 0], [0, 0, 0], [1, 1, 2]])
    np.testing.assert_allclose(log_p, [math.log(0.5), NAN, math.log(0.25)])


# ---- bad input to the core ----
def call(items, n_classes, block_offsets=None, plausibility=None, ranking_offsets=None):
    items = np.array(items, np.int32)
    blocks = np.array([0, len(items)] if block_offsets is None else block_offsets, np.int64)
    ranks = np.array([0, len(blocks) - 1] if ranking_offsets is None else ranking_offsets, np.int64)
    table = np.ones((1, n_classes)) if plausibility is None else plausibility
    core.log_likelihood(np.array([0, len(ranks) - 1]), ranks, blocks, items, table, 0, 1, np.empty(len(ranks) - 1))


@pytest.mark.parametrize("items", [[3], [-1], [0, 2**31 - 1]])
def test_classes_out_of_range(items):
    refused("UGT_ERR_RANGE", call, items, 3)


def test_empty_blocks():
    refused("UGT_ERR_RANGE", call, [0], 3, [0, 0, 1])


def test_more_classes_in_a_block_than_there_are():
    refused("UGT_ERR_RANGE", call, [0, 1, 2, 0], 3)


def test_a_class_twice():
    refused("UGT_ERR_RANGE", call, [0, 1, 0], 3, [0, 1, 2, 3])
    refused("UGT_ERR_RANGE", call, [0, 0], 3)
    call([0, 1, 0], 3, [0, 1, 2, 3], ranking_offsets=[0, 2, 3])  # in two rankings it may


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3], [1, 3], [0, 2]])
def test_offsets_that_do_not_fit(offsets):
    with pytest.raises(ValueError):
        call([0, 1, 2], 3, offsets)


def test_plausibilities_that_do_not_fit():
    refused("do not fit", call, [0], 3, plausibility=np.ones((2, 3)))
