"""The laws of all samplers, by tests that a wrong sampler fails.

Every test has a false-alarm probability of at most ALARM = 1e-9 (for a fixed seed: none), and a planted sampler that is wrong by a few
percent must fail it.
"""

import numpy as np
import pytest
from scipy import special, stats
from twins.stream import sample

from ugt import Dirichlet

ALARM = 1e-9
N = 400_000


def distance(values, cumulative):
    """Kolmogorov's sqrt(n) D between a sample and a continuous law."""
    u = np.sort(cumulative(values))
    n = len(u)
    steps = np.arange(n + 1) / n
    return np.sqrt(n) * max((steps[1:] - u).max(), (u - steps[:-1]).max())


def limit(alarm=ALARM):
    """P(sqrt(n) D > x) < 2 exp(-2 x²) for every n (Massart 1990)."""
    return np.sqrt(np.log(2 / alarm) / 2)


def chi_square(counts, expected):
    """P-value of the hypothesis that the counts have these expectations."""
    statistic = ((counts - expected) ** 2 / expected).sum()
    return stats.chi2.sf(statistic, len(counts) - 1)


def log_gamma_law(shape):
    """The cumulative law of log x for x ~ Gamma(shape, 1); x^a / Γ(a+1) where x underflows."""

    def cumulative(s):
        x = np.exp(np.minimum(s, 700))
        return np.where(s > -600, special.gammainc(shape, x), np.exp(np.minimum(shape * s - special.gammaln(shape + 1), 0)))

    return cumulative


CONTINUOUS = {"uniform": lambda x: x, "exponential": lambda x: -np.expm1(-x), "normal": special.ndtr}


@pytest.mark.parametrize("kind", CONTINUOUS)
@pytest.mark.parametrize("seed", [1, 2])
def test_law(kind, seed):
    values = sample(kind, N, seed=seed)
    assert distance(values, CONTINUOUS[kind]) < limit()
    # planted: off by one percent
    assert distance(values * 1.01 + 0.01, CONTINUOUS[kind]) > limit()


@pytest.mark.parametrize("kind", ["exponential", "normal"])
def test_fine_structure(kind):
    """512 bins of equal probability: a wrong layer of the ziggurat, of 256, fills some two of them too much or too little."""
    n, n_bins = 4_000_000, 512
    u = CONTINUOUS[kind](sample(kind, n, seed=3))
    counts = np.bincount(np.minimum((u * n_bins).astype(int), n_bins - 1), minlength=n_bins)
    assert chi_square(counts, n / n_bins) > ALARM
    planted = counts.copy()
    moved = counts[100:102] // 8  # an eighth of one layer falls into the next
    planted[100:102] -= moved
    planted[102:104] += moved
    assert chi_square(planted, n / n_bins) < ALARM


@pytest.mark.parametrize("kind, cut", [("exponential", 7.69711747013104972), ("normal", 3.6541528853610088)])
def test_tails(kind, cut):
    """Beyond the last layer: how often, and by which law."""
    n = 8_000_000
    values = sample(kind, n, seed=4)
    beyond = np.abs(values) > cut
    p = np.exp(-cut) if kind == "exponential" else 2 * special.ndtr(-cut)
    assert stats.binom.cdf(beyond.sum(), n, p) > ALARM / 2
    assert stats.binom.sf(beyond.sum() - 1, n, p) > ALARM / 2
    tail = np.abs(values[beyond])
    assert len(tail) > 1500

    def cumulative(x):
        return -np.expm1(-(x - cut)) if kind == "exponential" else 1 - special.ndtr(-x) / special.ndtr(-cut)

    assert distance(tail, cumulative) < limit()
    # planted: the tail starts a quarter too late, or falls as another exponential
    assert distance(tail + 0.25, cumulative) > limit()
    assert distance(cut + (tail - cut) * 1.5, cumulative) > limit()
    if kind == "normal":
        negative = (values[beyond] < 0).sum()
        assert ALARM / 2 < stats.binom.cdf(negative, len(tail), 0.5) < 1 - ALARM / 2


def test_signs_do_not_depend_on_sizes():
    """Doornik (2005): layer, sign and abscissa must come from different bits."""
    values = sample("normal", N, seed=5)
    for low, high in ((0, 0.1), (0.1, 0.5), (0.5, 1), (1, 2), (2, 9)):
        inside = values[(np.abs(values) >= low) & (np.abs(values) < high)]
        assert ALARM / 2 < stats.binom.cdf((inside < 0).sum(), len(inside), 0.5) < 1 - ALARM / 2


@pytest.mark.parametrize("kind", ["uniform", "exponential", "normal"])
def test_neighbours_are_independent(kind):
    u = CONTINUOUS[kind](sample(kind, N, seed=6))
    pairs = (u[:-1:2] * 20).astype(int) * 20 + (u[1::2] * 20).astype(int)
    assert chi_square(np.bincount(pairs, minlength=400), len(pairs) / 400) > ALARM
    planted = (u[:-1:2] * 20).astype(int) * 20 + ((0.98 * u[1::2] + 0.02 * u[:-1:2]) * 20).astype(int)
    assert chi_square(np.bincount(planted, minlength=400), len(pairs) / 400) < ALARM


@pytest.mark.parametrize("n", [2, 3, 7, 10, 64, 1000])
def test_below(n):
    """Small n: uniform."""
    counts = np.bincount(sample("below", N, n, seed=7).astype(int), minlength=n)
    assert len(counts) == n
    assert chi_square(counts, N / n) > ALARM
    planted = np.bincount(sample("below", N, n + 1, seed=7).astype(int) % n, minlength=n)  # 0 twice as likely
    assert chi_square(planted, N / n) < ALARM


def test_below_for_large_n_is_exactly_uniform():
    """n = 3 · 2^62: without rejection, a multiple of 4/3 would make every third number twice as likely."""
    n = 3 * 2**62
    values = sample("below", N, n, seed=8)
    assert values.max() < n
    thirds = np.bincount((values % np.uint64(3)).astype(int), minlength=3)
    assert chi_square(thirds, N / 3) > ALARM
    # planted: the high half of the product, without rejection
    words = sample("bits", N, seed=8)
    biased = np.array([(int(word) * n >> 64) % 3 for word in words])
    assert chi_square(np.bincount(biased, minlength=3), N / 3) < ALARM
    halves = np.bincount((values >> np.uint64(61)).astype(int), minlength=6)
    assert chi_square(halves, N / 6) > ALARM


@pytest.mark.parametrize("shape", [1e-3, 0.02, 0.3, 0.99, 1.0, 1.5, 3.0, 20.0, 300.0, 1e3])
def test_gamma(shape):
    """In logs, where nothing underflows however small the shape."""
    logs = sample("log_gamma", N, shape, seed=9)
    assert distance(logs, log_gamma_law(shape)) < limit()
    # planted: the shape off by 0.05, or where that is little of it, by a twentieth of a standard deviation
    wrong = shape + max(0.05, 0.05 * np.sqrt(shape))
    assert distance(sample("log_gamma", N, wrong, seed=9), log_gamma_law(shape)) > limit()
    # and the same without logs, draw by draw (below 1e-300 they are exact zeros or nearly so)
    plain = sample("gamma", N, shape, seed=9)
    np.testing.assert_allclose(plain, np.exp(logs), rtol=1e-12, atol=1e-300)


def test_the_distance_knows_a_right_sampler():
    """numpy's own gammas pass the same test."""
    rng = np.random.default_rng(0)
    for shape in (0.3, 3.0, 300.0):
        assert distance(np.log(rng.gamma(shape, size=N)), log_gamma_law(shape)) < limit()
        assert distance(np.log(rng.gamma(shape + max(0.05, 0.05 * np.sqrt(shape)), size=N)), log_gamma_law(shape)) > limit()


@pytest.mark.parametrize("concentration", [[3.0, 1.5, 0.4], [0.01, 0.02, 0.005], [50.0, 1.0, 1.0, 1.0]])
def test_dirichlet(concentration):
    """A share is Beta(c_k, rest), whatever the other shares; groups of classes too."""
    post = Dirichlet.from_array([concentration])
    draws = post.draws(N, seed=11)[0]
    total = sum(concentration)
    for k, c in enumerate(concentration):
        inside = (draws[:, k] > 1e-290) & (draws[:, k] < 1 - 1e-15)  # else the share is rounded to an end of the range
        low, high = special.betainc(c, total - c, [1e-290, 1 - 1e-15])
        law = (special.betainc(c, total - c, draws[inside, k]) - low) / (high - low)
        assert distance(law, lambda u: u) < limit()
        assert inside.mean() == pytest.approx(high - low, abs=7 * np.sqrt((high - low) * (1 - high + low) / N) + 1e-12)
        wrong = stats.beta(c * 1.1, total - c).cdf(draws[inside, k])
        if min(concentration) > 0.1:
            assert distance(wrong, lambda u: u) > limit()
    pair = draws[:, 0] + draws[:, 1]
    if min(concentration) > 0.1:
        assert distance(special.betainc(sum(concentration[:2]), sum(concentration[2:]), pair), lambda u: u) < limit()
        # shares of the first two are independent of their sum
        share = draws[:, 0] / pair
        assert distance(special.betainc(concentration[0], concentration[1], share), lambda u: u) < limit()
        assert abs(stats.spearmanr(share, pair)[0]) < 7 / np.sqrt(N)
