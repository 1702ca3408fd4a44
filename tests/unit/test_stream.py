"""Streams: known answers, a slow twin word by word and draw by draw, and what keeps two streams apart."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from twins import stream as twin
from twins import tables_of_c

from ugt._core import _stream

WORDS = st.integers(0, 2**64 - 1)


def philox(counter, key):
    out = np.empty(4, np.uint64)
    _stream.philox(np.array(counter, np.uint64), np.array(key, np.uint64), out)
    return out.tolist()


# Random123 1.14, examples/kat_vectors, "philox4x64 10": counter, key, result
PHILOX = [
    ([0] * 4, [0] * 2, [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]),
    ([2**64 - 1] * 4, [2**64 - 1] * 2, [0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0]),
    (
        [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89],
        [0x452821E638D01377, 0xBE5466CF34E90C6C],
        [0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6],
    ),
]

# xoshiro256++ from the state {1, 2, 3, 4}: the authors' C code, as in the tests of rand_xoshiro
XOSHIRO = [
    41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205, 9973669472204895162, 14011001112246962877,
    12406186145184390807, 15849039046786891736, 10450023813501588000,
]  # fmt: skip


@pytest.mark.parametrize("counter, key, expected", PHILOX)
def test_philox_known_answers(counter, key, expected):
    assert philox(counter, key) == expected
    assert twin.philox(counter, key) == expected


@given(st.lists(WORDS, min_size=4, max_size=4), st.lists(WORDS, min_size=2, max_size=2))
def test_philox_is_that_of_numpy(counter, key):
    found = philox(counter, key)
    assert found == twin.philox(counter, key)
    before = (sum(word << 64 * i for i, word in enumerate(counter)) - 1) % 2**256  # numpy counts up before it answers
    assert found == np.random.Philox(counter=before, key=key[0] + (key[1] << 64)).random_raw(4).tolist()


def test_xoshiro_known_answers():
    stream = _stream.Stream(0)
    stream.set_state(np.array([1, 2, 3, 4], np.uint64))
    assert twin.drawn(stream, "bits", 10).tolist() == XOSHIRO
    slow = twin.Stream(0)
    slow.state = [1, 2, 3, 4]
    assert [slow.bits() for _ in range(10)] == XOSHIRO


@given(WORDS, WORDS, WORDS, WORDS)
def test_a_stream_is_philox_of_its_four_numbers(seed, case_key, chain, purpose):
    slow = twin.Stream(seed, case_key, chain, purpose)
    assert twin.drawn(_stream.Stream(seed, case_key, chain, purpose), "bits", 5).tolist() == [slow.bits() for _ in range(5)]


def test_each_number_makes_another_stream():
    keys = [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (2**63, 0, 0, 0), (0, 2**63, 0, 0)]
    for a, b in combinations([set(twin.drawn(_stream.Stream(*key), "bits", 1000).tolist()) for key in keys], 2):
        assert not a & b


SAMPLERS = [
    *((kind, ()) for kind in ("uniform", "exponential", "normal")),
    *(("below", (n,)) for n in (1, 2, 3, 10, 2**32 + 1, 2**63 + 1, 2**64 - 1)),
    *(("gamma", (shape,)) for shape in (1e-3, 0.3, 1.0, 1.5, 30.0, 1e4, 1e15)),
    *(("log_gamma", (shape,)) for shape in (1e-300, 1e-3, 0.3, 1.0, 1.5, 30.0, 1e15)),
]


@pytest.mark.slow
@pytest.mark.parametrize("kind, parameters", SAMPLERS)
def test_samplers_draw_for_draw(kind, parameters):
    # 30,000 draws: some 100 from wedges of the ziggurat, some 10 from the tails
    slow = twin.Stream(3, 1, 4, 1, tables_of_c.read("ziggurat.h"))
    expected = [getattr(slow, kind)(*parameters) for _ in range(30_000)]
    found = twin.drawn(_stream.Stream(3, 1, 4, 1), kind, 30_000, *parameters)
    if kind == "below":
        assert found.tolist() == expected
    else:
        # 1e-13: a logarithm near 0 loses digits of exp and log
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("kind", ["exponential", "normal"])
def test_tails_draw_for_draw(kind):
    """States whose next word falls into the base layer, beyond its rectangle: one draw in 4,000 comes by itself."""
    words = twin.sample("bits", 6000, seed=8).reshape(3000, 2)
    last = twin.rotated(2**64 - 2**9, 64 - 23)  # xoshiro's answer to s0 = 0 is rotl(s3, 23): layer 0, abscissa at its end
    expected, found = [], []
    slow = twin.Stream(0, tables=tables_of_c.read("ziggurat.h"))
    for a, b in words.tolist():
        slow.state = [0, a, b, last]
        stream = _stream.Stream(0)
        stream.set_state(np.array(slow.state, np.uint64))
        expected.append(getattr(slow, kind)())
        found.append(twin.drawn(stream, kind, 1)[0])
    assert min(found) > (7.69 if kind == "exponential" else 3.65)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_below_rejects_what_would_make_small_numbers_more_likely():
    # 2^64 mod n = 2^63 - 1 for n = 2^63 + 1: every other word is rejected
    stream = _stream.Stream(5)
    words = twin.drawn(_stream.Stream(5), "bits", 100)
    n = 2**63 + 1
    kept = [int(word) * n >> 64 for word in words if int(word) * n % 2**64 >= 2**64 % n]
    assert 20 < len(kept) < 80
    assert twin.drawn(stream, "below", len(kept), n).tolist() == kept


def test_uniforms_never_reach_the_ends():
    # a state whose next word is all ones: rotl(0 + s3, 23) + 0 with s0 = 0
    for word, end in ((2**64 - 1, 1 - 2**-53), (0, 2**-53)):
        stream = _stream.Stream(0)
        stream.set_state(np.array([0, 1, 1, word], np.uint64))
        assert twin.drawn(stream, "uniform", 1).tolist() == [end]
    u = twin.sample("uniform", 10**6)
    assert 0 < u.min() < 1e-5
    assert 1 - 1e-5 < u.max() < 1
    np.testing.assert_array_equal((u * 2**53) % 2, 1)  # odd multiples of 2^-53


def test_log_gamma_is_finite_where_gamma_underflows():
    shape = 1 / 419
    underflown = twin.sample("gamma", 10_000, shape) == 0
    assert underflown.mean() == pytest.approx(0.17, abs=0.02)  # the share that Gamma(1/419) loses in doubles; standard error 0.004
    np.testing.assert_array_equal(np.exp(twin.sample("log_gamma", 10_000, shape)) == 0, underflown)
    for tiny in (1e-3, 1e-100, 1e-300):
        assert np.isfinite(twin.sample("log_gamma", 10_000, tiny)).all()


@pytest.mark.parametrize("kind", ["gamma", "log_gamma"])
@pytest.mark.parametrize("shape", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_shapes(kind, shape):
    refused("shape must be positive and finite", twin.sample, kind, 1, shape)


def test_bad_sizes():
    refused("n must be at least 1", twin.sample, "below", 1, 0)
    refused("a state has 4 words", _stream.Stream(0).set_state, np.zeros(3, np.uint64))
    refused("counter of 4 words", philox, [0] * 3, [0] * 2)
