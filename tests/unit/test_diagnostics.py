"""Convergence diagnostics: slow twin, another library's numbers, series whose effective sample size is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from twins import diagnostics as twin

from ugt._base.parallel import threads
from ugt.plausibilities import diagnostics

NAMES = ("rhat", "ess_bulk", "ess_tail", "ess_mean", "mcse_mean")


def columns(series):
    found = diagnostics.diagnose(series)
    return np.stack([getattr(found, name) for name in NAMES], axis=1)


def autoregressive(phi, shape, seed=0):
    """AR(1) with mean 0 and variance 1; the effective sample size of its mean is n (1 - phi) / (1 + phi)."""
    noise = np.random.default_rng(seed).standard_normal(shape)
    x = noise.copy()
    for t in range(1, shape[-1]):
        x[..., t] = phi * x[..., t - 1] + np.sqrt(1 - phi**2) * noise[..., t]
    return x


def two_states(up, down, shape, seed=0):
    """A stationary Markov chain on 0 and 1: autocorrelation 1 - up - down, mean up / (up + down)."""
    uniform = np.random.default_rng(seed).random(shape)
    x = np.empty(shape)
    x[..., 0] = uniform[..., 0] < up / (up + down)
    for t in range(1, shape[-1]):
        x[..., t] = np.where(x[..., t - 1] == 1, uniform[..., t] >= down, uniform[..., t] < up)
    return x


def generated():
    """(4, 4, 200) mixing well, mixing slowly, one chain elsewhere, binary; from a congruential generator, the same everywhere."""
    state, x = 1, np.empty((4, 4, 200))
    for s, (phi, shift) in enumerate([(0.3, 0.0), (0.95, 0.0), (0.6, 1.5), (0.8, 0.0)]):
        for c in range(4):
            value = 0.0
            for t in range(200):
                state = state * 6364136223846793005 % 2**64 + 1442695040888963407 & (2**64 - 1)
                value = phi * value + (state >> 11) / 2**53 - 0.5
                x[s, c, t] = value + shift * (c == 3)
    x[3] = x[3] > 0.2
    return x


# ArviZ (arviz-stats 0.8.0), a a series of generated(), S = arviz_stats.base.array_stats, axes = dict(chain_axis=0, draw_axis=1):
# S.rhat(a, **axes), S.ess(a, method="bulk", **axes), S.ess(a, method="tail", prob=(0.05, 0.95), **axes),
# S.ess(a, method="mean", **axes), S.mcse(a, method="mean", **axes)
ARVIZ = [
    [1.0035790813748797, 444.65001929117153, 669.9164224489989, 465.302644336259, 0.013746568326745244],
    [1.1433643016089887, 23.32478587994604, 85.85895395040639, 22.686162788046328, 0.19577119591869174],
    [1.5400744379214166, 7.455209748133911, 36.644562263283056, 5.264335667936247, 0.32893158881171647],
    [1.0259951694387652, 189.0610684665458, 189.06106846654572, 189.06106846654572, 0.035231099130662746],
]


def test_equals_arviz():
    np.testing.assert_allclose(columns(generated()), ARVIZ, rtol=1e-11)


def mixtures(shape, seed):
    """Series of many kinds: antithetic to slow, shifted chains, heavy tails, ties."""
    phis = [-0.9, -0.5, 0.0, 0.3, 0.8, 0.95, 0.99]
    plain = [autoregressive(phi, shape, seed + i) for i, phi in enumerate(phis)]
    plain.append(plain[4] + np.arange(shape[0])[:, None])
    plain.append(plain[3] * (1 + np.arange(shape[0])[:, None]))
    return np.stack([*plain, *(np.tan(1.4 * np.tanh(x)) for x in plain), *(np.round(x, 1) for x in plain), *(1.0 * (x > 1) for x in plain)])


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 4), (4, 4), (4, 5), (2, 6), (3, 7), (2, 12), (1, 31), (4, 50), (3, 101), (2, 250)])
def test_equals_twin(shape):
    series = mixtures(shape, seed=shape[1])
    expected = [[getattr(twin, name)(chains) for name in NAMES] for chains in series]
    np.testing.assert_allclose(columns(series), expected, rtol=1e-11)


@given(st.integers(1, 3), st.integers(4, 14), st.data())
def test_ties_of_any_kind(n_chains, n_draws, data):
    # R-hat only: whether two lags add up to exactly 0 or to rounding error decides where an effective sample size ends
    values = data.draw(st.lists(st.integers(-2, 2), min_size=n_chains * n_draws, max_size=n_chains * n_draws))
    chains = np.array(values, float).reshape(n_chains, n_draws)
    found = columns(chains[None])[0]
    n = 2 * n_chains * (n_draws // 2)
    assert found[0] == pytest.approx(twin.rhat(chains), rel=1e-11)
    assert (found[1:4] > 0).all()
    assert (found[1:4] <= n * max(1, np.log10(n)) * (1 + 1e-12)).all()
    assert np.isfinite(found[1:]).all()


def test_single_functions_equal_diagnose():
    series = mixtures((4, 60), seed=1)
    found = columns(series)
    for column, name in enumerate(NAMES):
        assert getattr(diagnostics, name)(series).tolist() == found[:, column].tolist()


# ---- what is known about effective sample sizes. Seeds are fixed; the probability of a false alarm is that over seeds.
@pytest.mark.slow
@pytest.mark.parametrize("phi", [-0.3, 0.0, 0.5, 0.9])
def test_effective_sample_size_of_autoregression(phi):
    # The mean of 500 independent ratios is normal: beyond 6.5 of its standard errors with probability 1e-10. The estimator
    # itself may be off by 5 % at these lengths (S = 4,000; measured: -1.6 % to 1.8 %).
    series = autoregressive(phi, (500, 4, 1000))
    for estimate in (diagnostics.ess_mean(series), diagnostics.ess_bulk(series)):
        ratio = estimate / (4000 * (1 - phi) / (1 + phi))
        assert abs(ratio.mean() - 1) < 0.05 + 6.5 * ratio.std() / np.sqrt(500)


def calibrated(z):
    """Are these standard normal, up to 10 % in variance?

    The sum of 2,000 squares is beyond 2,000 · (0.82, 1.21) with probability 9e-10 (chi-square). Measured: 0.99 to 1.06.
    """
    return 0.82 * 0.9 < np.mean(z**2) < 1.21 * 1.1


@pytest.mark.slow
@pytest.mark.parametrize("phi", [-0.3, 0.0, 0.5, 0.9])
def test_standard_errors_are_calibrated(phi):
    series = autoregressive(phi, (2000, 4, 500), seed=1)
    mean = series.mean(axis=(1, 2))
    assert calibrated(mean / diagnostics.mcse_mean(series))
    if phi == 0.5:  # a planted error: draws taken for independent ones
        assert not calibrated(mean / (series.std(axis=(1, 2)) / np.sqrt(2000)))


def test_standard_errors_of_probabilities_are_calibrated():
    series = two_states(0.1, 0.2, (2000, 4, 500), seed=2)
    assert calibrated((series.mean(axis=(1, 2)) - 1 / 3) / diagnostics.mcse_mean(series == 1))
    ratio = diagnostics.ess_mean(series) / (2000 * 0.3 / 1.7)
    assert abs(ratio.mean() - 1) < 0.05 + 6.5 * ratio.std() / np.sqrt(2000)  # as for the autoregression


def test_well_mixed_chains_pass():
    # R-hat² - 1 is about (chi-square(7)/7 - 1) / 125: above 1.05 with probability 1e-17 a series
    found = diagnostics.diagnose(np.random.default_rng(3).standard_normal((500, 4, 250)))
    assert (found.rhat < 1.05).all()
    assert found.falls_short(rhat=1.05).sum() == 0


@pytest.mark.parametrize("kind", ["stuck in the middle", "stuck elsewhere", "wider", "shifted"])
def test_one_bad_chain_is_seen(kind):
    # Over series, R-hat is at least 9 standard deviations above 1.05 (measured), and its law leans to the right: one of
    # 200 normal variables is 9 below its mean with probability 2e-17
    series = np.random.default_rng(4).standard_normal((200, 4, 250))
    last = series[:, 3]
    last[:] = {"stuck in the middle": 0 * last, "stuck elsewhere": 0 * last + 1.5, "wider": 6 * last, "shifted": last + 2}[kind]
    found = diagnostics.diagnose(series)
    assert (found.rhat > 1.05).all()
    assert found.falls_short().all()


def test_fewer_than_a_hundred_draws_per_chain_fall_short():
    size = np.array([400.0, 399.0, 400.0, np.nan])
    found = diagnostics.Diagnostics(4, np.ones(4), size, size[[0, 0, 1, 3]], size, size)
    assert found.falls_short().tolist() == [False, True, True, False]
    assert found.falls_short(ess_per_chain=101).tolist() == [True, True, True, False]


def test_heavy_tails():
    # A Cauchy variable is a monotone function of a normal one: ranks do not see the difference, moments do.
    normal = autoregressive(0.4, (100, 4, 500), seed=5)
    cauchy = np.tan(np.pi * (0.5 - 1 / (1 + np.exp(1.7 * normal))))
    for name in ("ess_bulk", "ess_tail"):
        assert getattr(diagnostics, name)(cauchy).tolist() == getattr(diagnostics, name)(normal).tolist()
    assert (diagnostics.rhat(cauchy) < 1.05).all()


# ---- conventions
def test_nothing_varies():
    assert columns(np.full((1, 4, 101), 0.1)).tolist() == [[1, 400, 400, 400, 0]]


def test_constant_chains_at_different_values():
    found = columns(np.repeat(np.array([[0.1, 0.2, 0.3, 0.3 + 1e-15]]), 250, axis=0).T[None])[0]
    assert found[0] == np.inf
    np.testing.assert_allclose(found[1:4], 4, rtol=0.05)  # as many as chains
    assert found[4] > 0.04


def test_rare_events():
    series = np.zeros((2, 4, 250))
    series[0, :, ::50] = 1
    series[1] = 1 - series[0]
    zeros, ones = columns(series)
    assert zeros[2] == zeros[3] != 1000
    assert ones[2] == 1000  # both quantiles are 1, and every draw is at most 1
    np.testing.assert_allclose(zeros[[0, 1, 3, 4]], ones[[0, 1, 3, 4]], rtol=1e-11)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, 12, 24])  # 12: the draw that is left out
def test_not_finite(wrong, at):
    series = np.random.default_rng(6).standard_normal((3, 2, 25))
    series[1, 1, at] = wrong
    found = columns(series)
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[[0, 2]]).all()
    assert not diagnostics.diagnose(series).falls_short()[1]


@pytest.mark.parametrize("n_draws", [1, 2, 3])
def test_too_few_draws(n_draws):
    assert np.isnan(columns(np.random.default_rng(7).random((2, 4, n_draws)))).all()


def test_middle_draw_of_an_odd_number_is_left_out():
    series = autoregressive(0.6, (10, 4, 51), seed=8)
    assert columns(series).tolist() == columns(np.delete(series, 25, axis=2)).tolist()


def test_no_series():
    assert columns(np.empty((0, 4, 100))).shape == (0, 5)


@pytest.mark.parametrize("power", [-1060, -600, -3, 600, 1020])
def test_scale_does_not_matter(power):
    series = mixtures((2, 40), seed=9)[:8]
    if power < -1022:  # whole numbers survive where doubles have few digits
        series = np.round(series)
    found, expected = columns(np.ldexp(series, power)), columns(series)
    assert found[:, :4].tolist() == expected[:, :4].tolist()
    np.testing.assert_allclose(found[:, 4], np.ldexp(expected[:, 4], power), rtol=1e-15, atol=5e-324)


def test_the_last_digit_of_a_draw_does_not_matter():
    # the two middle draws are as far from the median, however it is rounded
    series = autoregressive(0.7, (200, 2, 8), seed=12)
    up = np.random.default_rng(13).random(series.shape) < 0.5
    moved = np.where(up, np.nextafter(series, np.inf), np.nextafter(series, -np.inf))
    np.testing.assert_array_equal(diagnostics.rhat(moved), diagnostics.rhat(series))


def test_order_of_chains_does_not_matter():
    series = autoregressive(0.7, (20, 5, 80), seed=10)
    np.testing.assert_allclose(columns(series[:, [3, 0, 4, 1, 2]]), columns(series), rtol=1e-11)


def test_threads_give_the_same_bytes():
    series = autoregressive(0.7, (300, 4, 250), seed=11)
    expected = columns(series)
    with threads(2):
        assert columns(series).tobytes() == expected.tobytes()


def test_any_array_will_do():
    series = np.round(100 * autoregressive(0.7, (6, 4, 30), seed=12))
    expected = columns(series).tolist()
    frozen = series.copy()
    frozen.flags.writeable = False
    for other in (frozen, series.astype(np.int32), series.astype(np.float32), np.asfortranarray(series), series.tolist()):
        assert columns(other).tolist() == expected


@pytest.mark.parametrize("shape", [(5,), (4, 250), (1, 1, 4, 250), (3, 0, 10), (3, 4, 0)])
def test_wrong_shapes_are_named(shape):
    refused(r"series must have shape \(series, chains, draws\)\. Got shape \(", diagnostics.rhat, np.zeros(shape))
