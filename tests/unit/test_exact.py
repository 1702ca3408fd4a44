"""Exact sums and Poisson weights: slow twins in fractions and in whole numbers, orders and merges to the last bit, errors."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from refusals import refused
from twins.stream import philox

from ugt._core import _exact

INF, NAN = float("inf"), float("nan")
LARGEST, LEAST = np.finfo(float).max, 5e-324


def expansion(numbers):
    """The sum rounded, what is then left rounded, and so on: dividing whole numbers rounds to the nearest, ties to even."""
    left, parts = sum(map(Fraction, numbers)), []
    while left:
        parts.append(left.numerator / left.denominator)
        left -= Fraction(parts[-1])
    return parts


def expansions(columns):
    slow = [expansion(column) for column in columns]
    width = max(1, *map(len, slow))
    return np.array([parts + [0.0] * (width - len(parts)) for parts in slow])


def table(kind, seed):
    """A table (n, m) of numbers that are hard to add up."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 40), rng.integers(1, 40)
    x = rng.normal(size=(n, m))
    if kind == "spread":
        return np.ldexp(x, rng.integers(-1080, 1010, (n, m)))
    if kind == "powers":
        return np.ldexp(np.sign(x), rng.integers(-1074, 1010, (n, m)))
    if kind == "ties":  # half a unit of the last place, and a hair more or less
        return rng.choice([1.0, 3.0, 2.0**53, 2.0**53 + 2, 2.0**-53, -(2.0**-53), 2.0**-106, -(2.0**-200), LEAST, 2.0**-1000], (n, m))
    if kind == "windows":  # whose digits follow each other
        return np.ldexp(rng.integers(-(2**53), 2**53, (n, m)).astype(float), 53 * rng.integers(-8, 9, (n, m)) + rng.integers(-1, 2, (n, m)))
    if kind == "cancelled":
        large = np.ldexp(x, rng.integers(0, 1000, (n, m)))
        return rng.permutation(np.vstack([large, -large, rng.choice([0.0, -0.0, 1e-300, -3.5, 0.1], (1, m))]))
    if kind == "denormal":
        return LEAST * rng.integers(-(2**54), 2**54, (n, m)).astype(float)
    return x


KINDS = ("usual", "spread", "powers", "ties", "windows", "cancelled", "denormal")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_those_of_fractions(kind, seed):
    x = table(kind, 100 * KINDS.index(kind) + seed)
    expected = expansions(x.T.tolist())
    for found in (_exact.exact_columns(x), _exact.exact_rows(np.ascontiguousarray(x.T))):
        assert found.dtype == np.float64 and found.flags.c_contiguous and found.tobytes() == expected.tobytes()
    np.testing.assert_array_equal(expected[:, 0], [math.fsum(column) for column in x.T])


@pytest.mark.parametrize("kind", KINDS)
def test_orders_and_merges_give_the_same_bytes(kind):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x = np.ascontiguousarray(np.resize(table(kind, seed), (50, 5)))
        whole = _exact.exact_columns(x)
        assert _exact.exact_columns(x[rng.permutation(50)]).tobytes() == whole.tobytes()
        states = np.split(x[rng.permutation(50)], np.sort(rng.integers(0, 51, 6)))  # some of them empty
        states = [_exact.exact_columns(np.ascontiguousarray(state)) for state in states]
        while len(states) > 1:
            i, j = rng.permutation(len(states))[:2]
            merged = _exact.exact_rows(np.hstack([states[i], states[j]]))
            states = [state for k, state in enumerate(states) if k not in (i, j)] + [merged]
        assert states[0].tobytes() == whole.tobytes()


def test_sums_by_hand():
    assert _exact.exact_rows(np.array([[1e300, 1.0, -1e300], [0.1, 0.2, 0.0]])).tolist() == [[1.0, 0.0], [0.30000000000000004, -(2.0**-55)]]
    # half way between two doubles: to the even one, or to where the rest pulls
    one = 2.0**-53
    found = _exact.exact_rows(np.array([[1.0, one, 0.0], [1 + 2 * one, one, 0.0], [1.0, one, LEAST], [1 + 2 * one, one, -LEAST]]))
    expected = [[1.0, one, 0.0], [1 + 4 * one, -one, 0.0], [1 + 2 * one, -one, LEAST], [1 + 2 * one, one, -LEAST]]
    assert found.tolist() == expected
    assert _exact.exact_rows(np.array([[LARGEST, 1.0, LARGEST, -LARGEST]])).tolist() == [[LARGEST, 1.0]]


def test_no_sum_is_minus_zero():
    for x in ([[-0.0]], [[-0.0, -0.0]], [[1.5, -1.5]], [[-LEAST, LEAST]]):
        for found in (_exact.exact_rows(np.array(x)), _exact.exact_columns(np.array(x).T.copy())):
            assert found.tobytes() == np.zeros((1, 1)).tobytes()


def test_all_of_the_range_at_once():
    """The most parts: digits all over the range, none of which a part can leave out."""
    digits = [2.0**e for e in range(-1074, 1023, 2)]
    found = _exact.exact_rows(np.array([digits]))
    assert found.tobytes() == expansions([digits]).tobytes()
    assert 38 <= found.shape[1] <= _exact.EXACT_PARTS
    assert _exact.exact_columns(np.array([digits]).T.copy()).tobytes() == found.tobytes()


def greedy_parts(number, precision):
    """How many numbers of `precision` digits the expansion of a whole number has, smallest exponent 0."""
    n = 0
    while number:
        size = abs(number)
        last = max(size.bit_length() - precision, 0)
        below, rest = divmod(size, 1 << last)
        twice = 2 * rest
        rounded = below + (twice > 1 << last or (twice == 1 << last and below % 2 == 1))
        number = size - (rounded << last)
        n += 1
    return n


@pytest.mark.parametrize("precision, exponents, m", [(1, 10, 4), (2, 9, 3), (3, 8, 3), (2, 7, 4)])
def test_m_numbers_have_no_more_than_m_parts(precision, exponents, m):
    """All sums of numbers with so few digits that all of them can be tried."""
    values = {q << e for q in range(1 << precision) for e in range(exponents)}
    values |= {-v for v in values}
    assert max(greedy_parts(sum(chosen), precision) for chosen in itertools.combinations_with_replacement(sorted(values), m)) == m


def test_more_numbers_than_a_limb_takes_between_two_settlements():
    n = 2**21 + 5
    for value in (1.9999999999999998, -1.9999999999999998, -LARGEST / 2**22):
        x = np.full((n, 1), value)
        assert _exact.exact_columns(x).tobytes() == expansions([[n * Fraction(value)]]).tobytes()
        assert _exact.exact_rows(x.T.copy()).tobytes() == expansions([[n * Fraction(value)]]).tobytes()
    x = np.zeros((1, n))
    x[0, 2**20 + 1 :: 2], x[0, -1] = -1e-3, 7.0
    assert _exact.exact_rows(x).tobytes() == expansions([[(x < 0).sum() * Fraction(-1e-3) + 7]]).tobytes()


def test_limbs_do_not_overflow():
    """The largest significand at every place within a limb, more often than fits into one."""
    values = np.ldexp(np.nextafter(2.0, 0.0), np.arange(32)) * np.where(np.arange(32) % 3, 1, -1)
    expected = expansions([[5000 * Fraction(value)] for value in values.tolist()]).tobytes()
    assert _exact.exact_columns(np.tile(values, (5000, 1))).tobytes() == expected
    assert _exact.exact_rows(np.tile(values[:, None], (1, 5000))).tobytes() == expected


def test_blocks_of_rows():
    """Rows of blocks that follow each other; late ones have the most parts."""
    x = np.random.default_rng(4).normal(size=(300_000, 3))
    x[-1] = 1.0, 1e-30, 1e-60
    x[:200_000, 1:] = 0
    found = _exact.exact_rows(x)
    assert found.shape == (300_000, 3) and (found[:200_000, 0] == x[:200_000, 0]).all() and not found[:200_000, 1:].any()
    for i in (0, 65_535, 65_536, 199_999, 200_000, 262_143, 262_144, 299_999):
        assert found[i].tolist() == [*expansion(x[i].tolist()), 0.0, 0.0][:3]


@pytest.mark.parametrize("m", [0, 1, 31, 32, 33, 100])
def test_shapes(m):
    x = np.arange(4.0 * m).reshape(4, m)
    assert _exact.exact_columns(x).tolist() == x.sum(0)[:, None].tolist()
    assert _exact.exact_rows(x).tolist() == x.sum(1)[:, None].tolist()
    assert _exact.exact_columns(x[:0]).tobytes() == np.zeros((m, 1)).tobytes() and _exact.exact_columns(x[:0]).shape == (m, 1)
    assert _exact.exact_rows(x[:0]).shape == (0, 1)


def test_bad_numbers():
    for bad in (NAN, INF, -INF):
        for at in (0, 40, 79):
            x = np.ones((2, 40))
            x.flat[at] = bad
            for function in (_exact.exact_columns, _exact.exact_rows):
                refused("UGT_ERR_VALUE", function, x)
    beyond = np.array([[LARGEST, 2.0**969, LEAST], [-LARGEST, -(2.0**970), 0.0], [LARGEST, LARGEST, LARGEST]])
    for row in beyond[1:]:
        for x in (row[None], row[:, None].copy()):
            with pytest.raises(ValueError, match="UGT_ERR_VALUE"):
                _exact.exact_rows(x) if len(x) == 1 else _exact.exact_columns(x)
    assert _exact.exact_rows(beyond[:1]).tolist() == [beyond[0].tolist()]


# ---- weights
def at_most(n):
    """P(Poisson(1) <= k) for k < n, times 2^32, to the nearest whole number."""
    with localcontext() as context:
        context.prec = 50
        terms = [Decimal(2**32) * Decimal(-1).exp() / math.factorial(k) for k in range(n)]
        return [int(sum(terms[: k + 1]).to_integral_value()) for k in range(n)]


def slow_weight(key, seed, b):
    block = philox([key, b // 8, 14, 0], [seed, int.from_bytes(b"ugt", "big")])
    word = block[b % 8 // 2] >> 32 * (b % 2) & 0xFFFFFFFF
    return sum(word >= limit for limit in at_most(20))


def keys(n, seed=1):
    return np.random.default_rng(seed).integers(0, 2**64, n, np.uint64)


@pytest.mark.slow
def test_weights_are_those_of_the_slow_twin():
    given = np.append(keys(30), np.array([0, 1, 2**64 - 1], np.uint64))
    for seed in (0, 7, 2**64 - 1):
        found = _exact.poisson_weights(given, seed, 3, 45)
        assert found.tolist() == [[slow_weight(key, seed, b) for key in given.tolist()] for b in range(3, 45)]
    far = 8 * 2**40 + 5
    assert _exact.poisson_weights(given, 7, far, far + 2).tolist() == [
        [slow_weight(k, 7, b) for k in given.tolist()] for b in (far, far + 1)
    ]


def test_weights_depend_on_their_own_key_and_resample_only():
    given = keys(50)
    whole = _exact.poisson_weights(given, 5, 0, 40)
    for begin, end in ((0, 1), (7, 8), (8, 9), (3, 12), (5, 7), (16, 40), (39, 40)):
        np.testing.assert_array_equal(_exact.poisson_weights(given, 5, begin, end), whole[begin:end])
    some = np.random.default_rng(2).permutation(50)[:20]
    np.testing.assert_array_equal(_exact.poisson_weights(given[some], 5, 0, 40), whole[:, some])
    np.testing.assert_array_equal(_exact.poisson_weights(np.repeat(given, 2), 5, 0, 40), np.repeat(whole, 2, 1))
    assert (_exact.poisson_weights(given, 6, 0, 40) != whole).mean() > 0.5


def test_weights_are_poisson():
    """Neighbouring keys and resamples."""
    found = _exact.poisson_weights(np.arange(20_000, dtype=np.uint64), 11, 0, 50)
    assert found.min() == 0 and 6 < found.max() <= 12
    count = np.bincount(np.minimum(found, 6).astype(int).ravel(), minlength=7)
    share = np.array([math.exp(-1) / math.factorial(k) for k in range(6)])
    expected = found.size * np.append(share, 1 - share.sum())
    assert ((count - expected) ** 2 / expected).sum() < 33  # P = 1e-5
    share = np.append(share[:4], 1 - share[:4].sum())
    for one, other in ((found[::2], found[1::2]), (found[:, ::2], found[:, 1::2])):
        pairs = np.bincount((np.minimum(one, 4) * 5 + np.minimum(other, 4)).astype(int).ravel(), minlength=25)
        expected = one.size * np.outer(share, share).ravel()
        assert ((pairs - expected) ** 2 / expected).sum() < 66  # 24 degrees of freedom, P = 1e-5


def test_empty_and_bad_ranges():
    assert _exact.poisson_weights(keys(0), 0, 0, 5).shape == (5, 0)
    assert _exact.poisson_weights(keys(3), 0, 5, 5).shape == (0, 3)
    for begin, end in ((-1, 2), (3, 2), (-3, -2)):
        refused("resamples must be a range from 0 on", _exact.poisson_weights, keys(3), 0, begin, end)
