"""The argsort of scores against numpy's stable one: every law of scores, sizes around the limits of its buckets, NaN."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from ugt._core import _soft

INF, NAN = float("inf"), float("nan")
MANY = 200_000


def assert_sorted(scores):
    scores = np.ascontiguousarray(scores)
    before = scores.copy()
    found = _soft.argsort_descending(scores)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, np.argsort(-scores, kind="stable"))
    np.testing.assert_array_equal(scores, before)


def half_zeros(rng, n):
    scores = rng.random(n)
    scores[rng.random(n) < 0.5] = 0
    scores[rng.random(n) < 0.2] *= -1  # zeros of either sign
    return scores


PATTERNS = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.standard_normal(n),
    "sorted": lambda rng, n: np.sort(rng.random(n)),
    "reversed": lambda rng, n: np.sort(rng.random(n))[::-1],
    "nearly sorted": lambda rng, n: np.arange(n) + rng.integers(0, 20, n).astype(float),
    "two values": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "few values": lambda rng, n: rng.choice([-3.5, 0.0, 1e-300, 7.0, 1e300], n),
    "a thousand values": lambda rng, n: rng.integers(0, 1000, n) / 1000,
    "half zeros": half_zeros,
    "zeros of both signs": lambda rng, n: np.copysign(0.0, rng.standard_normal(n)),
    "denormals": lambda rng, n: rng.integers(-1000, 1000, n) * 5e-324,
    "lognormal": lambda rng, n: rng.lognormal(0, 10, n),
    "every size": lambda rng, n: rng.choice([-1.0, 1.0], n) * 2.0 ** rng.uniform(-1074, 1023.9, n),
    "random bits": lambda rng, n: np.nan_to_num(rng.integers(0, 2**64, n, dtype=np.uint64).view(float), nan=0.5),
    "all equal": lambda rng, n: np.full(n, 0.25),
    "all equal but the first": lambda rng, n: np.append(np.full(n - 1, 0.25), 0.3)[::-1],
    "all equal but the last": lambda rng, n: np.append(np.full(n - 1, 0.25), 0.3),
    "sawtooth": lambda rng, n: np.arange(n) % 1000 / 7,
    "organ pipe": lambda rng, n: np.minimum(np.arange(n), np.arange(n)[::-1]).astype(float),
    "two far clusters": lambda rng, n: rng.random(n) * 1e-12 + rng.integers(0, 2, n),
    "geometric within a bucket": lambda rng, n: np.where(rng.random(n) < 0.9, 1 + 2.0 ** -rng.uniform(0, 52, n), rng.random(n)),
    "neighbours": lambda rng, n: 1 + rng.permutation(n) * 2.0**-52,
    "sigmoid": lambda rng, n: 1 / (1 + np.exp(-30 * rng.standard_normal(n))),
    "infinities": lambda rng, n: rng.choice([-INF, INF, 0.0, -0.0, 1.5, 1.7976931348623157e308], n),
    "one outlier": lambda rng, n: np.append(rng.random(n - 1), -1e300),
}


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PATTERNS)
def test_many_scores(name, dtype):
    with np.errstate(over="ignore", under="ignore"):
        assert_sorted(PATTERNS[name](np.random.default_rng(1), MANY).astype(dtype))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 31, 32, 33, 34, 100, 1000, 8191, 8192, 8193, 8200, 16384, 16385, 32769, 65537])
@pytest.mark.parametrize("name", ["uniform", "few values", "every size", "geometric within a bucket", "all equal but the last"])
def test_sizes(name, n):
    for seed in range(3):
        assert_sorted(PATTERNS[name](np.random.default_rng(seed), n))


@pytest.mark.slow
def test_millions():
    """All the buckets that there are at most, and larger ones."""
    rng = np.random.default_rng(8)
    assert_sorted(rng.standard_normal(3_000_000).astype(np.float32))
    assert_sorted(rng.integers(0, 50, 3_000_000) * 0.1)


floats = st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, INF, -INF, 1.0, 5e-324, -5e-324])


@given(st.lists(floats, min_size=1, max_size=80))
def test_any_scores(scores):
    assert_sorted(np.array(scores))
    with np.errstate(over="ignore"):
        assert_sorted(np.array(scores).astype(np.float32))


@given(st.lists(st.sampled_from([-1.0, 0.0, -0.0, 2.0]), min_size=1, max_size=60), st.integers(0, 300))
def test_ties_keep_their_order(scores, more):
    assert_sorted(np.array(scores * (1 + more)))


def test_read_only_scores():
    scores = np.array([1.0, 3.0, 2.0])
    scores.setflags(write=False)
    assert _soft.argsort_descending(scores).tolist() == [1, 2, 0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n, places", [(1, [0]), (5, [4]), (9, [3, 8]), (40, [39]), (MANY, [123_456, 199_999]), (MANY, [0])])
def test_nan(n, places, dtype):
    scores = np.random.default_rng(2).random(n).astype(dtype)
    scores[places] = NAN
    scores[places[-1]] = -scores[places[-1]]  # of either sign
    refused(rf"scores must not be NaN\. Got nan, first at {places[0]}\.", _soft.argsort_descending, scores)


def test_no_scores():
    refused(r"scores must hold from 1 to 2\*\*32 - 1 numbers", _soft.argsort_descending, np.empty(0))


# ---- the core refuses what does not fit
def test_lengths_that_do_not_fit():
    scores = _soft.Scores(np.arange(4.0))
    assert len(scores) == 4 and scores.order().tolist() == [3, 2, 1, 0]
    for p, weight in ((np.ones(3), None), (np.ones(5), None), (np.ones(4), np.ones(3)), (np.ones(4), np.ones(5))):
        refused(r"p, weights and scores must be of one length", scores.sums, p, weight, 0.5, False)
        refused(r"p, weights and scores must be of one length", scores.curve, p, weight)


@pytest.mark.parametrize("n", [0, 3, 5])
def test_totals_that_are_not_four(n):
    refused(rf"above must be 4 totals\. Got {n}\.", _soft.Scores(np.arange(4.0)).sums, np.ones(4), None, 0.5, False, np.zeros(n))


def resampled(row=(1, 0, 2), last=(0, 1, 1), positive=3, negative=None, n_cases=3, weight=(3, 2), p=None, out=(2, _soft.N_SUMS)):
    parts = (None if shape is None else np.full(shape, 0.5) for shape in (negative, weight, p))
    negative, weight, p = parts
    result = np.empty(out)
    _soft.resampled(
        np.array(row, np.int64), np.array(last, np.uint8), np.full(positive, 0.5), negative, 0.5, False, n_cases, weight, p, result
    )
    return result


def test_resamples_that_do_not_fit():
    np.testing.assert_array_equal(resampled()[0], resampled(negative=3, p=None)[1])
    np.testing.assert_array_equal(resampled(weight=None, p=(2, 3))[0, :3], 2 * resampled()[0, :3])
    assert resampled(weight=(3, 0), out=(0, _soft.N_SUMS)).shape[0] == 0
    wrong = [
        {"row": (1, 0)}, {"row": (), "last": (), "positive": 0}, {"last": (0, 1)}, {"last": (1, 1, 0)}, {"positive": 2}, {"negative": 4},
        {"weight": (2, 2)}, {"weight": (3, 1)}, {"weight": None, "p": (2, 4)}, {"weight": None, "p": (3, 3)},
        {"out": (2, _soft.N_SUMS - 1)}, {"n_cases": 4},
    ]  # fmt: skip
    for options in wrong:
        refused(r"column, resamples and output do not fit together", resampled, **options)
    for row in ((1, 0, 3), (-1, 0, 2)):
        refused(r"row out of range", resampled, row=row)
