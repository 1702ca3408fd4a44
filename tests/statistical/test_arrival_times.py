"""When the classes of a large tied block arrive, given that all later ones arrive after them: block.c against its density.

Each test fails a right sampler with probability ALARM; the streams are fixed.
"""

import ctypes
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats
from twins import tables_of_c

ALARM = 1e-9
TERMS = 3_000_000  # classes drawn in a test: the fewer the block has, the more draws

SOURCE = """
#include "block.c"
void horizons(uint64_t seed, const double *x, int64_t n, int64_t draws, double *out)
{
    ugt_stream stream;
    ugt_stream_open(&stream, seed, 0, 0, 0);
    for (int64_t i = 0; i < draws; i++)
        out[i] = draw_horizon(&stream, x, n);
}
void many_arrivals(uint64_t seed, const double *lambda, int64_t n, double z, int64_t draws, double *x, double *tau, double *last)
{
    ugt_stream stream;
    ugt_stream_open(&stream, seed, 0, 0, 1);
    for (int64_t i = 0; i < draws; i++)
        last[i] = ugt_block_arrivals(&stream, lambda, n, z, x, tau + i * n);
}
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """block.c with the streams, its static functions in loops."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None or sys.platform == "win32":
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("block")
    (folder / "loops.c").write_text(SOURCE, encoding="utf-8")
    sources = [str(folder / "loops.c"), str(tables_of_c.CORE / "stream.c")]
    options = ["-std=c11", "-O2", "-shared", "-fPIC", f"-I{tables_of_c.CORE}"]
    subprocess.run([compiler, *options, *sources, "-lm", "-o", str(folder / "loops.so")], check=True)
    return ctypes.CDLL(str(folder / "loops.so"))


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


BLOCKS = {  # λ / Z
    "alike": np.ones(10),
    "one": np.array([3.0]),
    "rare": np.full(12, 1e-6),
    "nearly certain": np.full(10, 1e6),
    "far apart": np.logspace(-8, 8, 11),
    "one slow": np.array([1e-9] + [1.0] * 11),
    "one fast": np.array([1e9] + [0.1] * 9),
    "many": np.linspace(0.1, 3.0, 60),
}


@pytest.mark.full
@pytest.mark.parametrize("name", BLOCKS)
def test_the_first_later_arrival(core, name):
    """T has the density exp(-T) prod(1 - exp(-x_a T)) in T: uniform once put through its distribution function."""
    x = BLOCKS[name]
    drawn = np.empty(TERMS // len(x))
    core.horizons(ctypes.c_uint64(1), pointer(x), ctypes.c_int64(len(x)), ctypes.c_int64(len(drawn)), pointer(drawn))
    s = np.linspace(-60.0, 8.0, 100_001)
    t = np.exp(s)
    with np.errstate(divide="ignore"):
        log_density = s - t + sum(np.log(-np.expm1(-rate * t)) for rate in x)
    density = np.exp(log_density - log_density.max())
    law = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    u = np.interp(np.log(drawn), s, law / law[-1])
    assert stats.chisquare(np.bincount(np.minimum((u * 200).astype(int), 199), minlength=200)).pvalue > ALARM


@pytest.mark.full
@pytest.mark.parametrize("name", BLOCKS)
def test_arrivals_before_it(core, name):
    """Given T the times are independent, P(τ_a < t | T) = (1 - exp(-λ t)) / (1 - exp(-λ T)) for t < T.

    The share of arrivals before t, at quantiles of what is drawn, against the mean of that over other draws of T, for the slowest and the
    fastest class.
    """
    x, z, n = BLOCKS[name], 2.0, len(BLOCKS[name])
    draws = TERMS // 3 // n
    tau, last, horizon = np.empty((draws, n)), np.empty(draws), np.empty(draws)
    rates = np.ascontiguousarray(x * z)
    arguments = ctypes.c_uint64(2), pointer(rates), ctypes.c_int64(n), ctypes.c_double(z), ctypes.c_int64(draws)
    core.many_arrivals(*arguments, pointer(np.empty(n)), pointer(tau), pointer(last))
    np.testing.assert_array_equal(last, tau.max(1))
    core.horizons(ctypes.c_uint64(3), pointer(x), ctypes.c_int64(n), ctypes.c_int64(draws), pointer(horizon))
    horizon /= z
    limit = stats.norm.isf(ALARM / 2 / 8)
    for a in (int(x.argmin()), int(x.argmax())):
        for t in np.quantile(tau[:, a], [0.1, 0.5, 0.9, 0.99]):
            expected = np.minimum(np.expm1(-rates[a] * t) / np.expm1(-rates[a] * horizon), 1.0)
            found = tau[:, a] < t
            error = np.hypot(expected.std(), found.std()) / np.sqrt(draws)
            assert abs(expected.mean() - found.mean()) < limit * error
