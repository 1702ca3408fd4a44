"""The bootstrap against a slow twin and scipy's; ranks; annotations drawn anew; the jackknife; the law of a sum; seeds."""

import copy
import pickle

import numpy as np
import pytest
import scipy
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from refusals import labels_of_rows, refused
from twins import resampling as twin

import ugt
from ugt import resampling
from ugt._core import _resample
from ugt.resampling import Resamples
from ugt.resampling.design import by_case, strips
from ugt.resampling.resamples import quantiles
from ugt.resampling.sums import GroupSums

RNG = np.random.default_rng(3)
NAN = float("nan")


def clustered(n=60, seed=0):
    """Contributions, clusters of 1 to 5 cases in no order, and strata of clusters."""
    rng = np.random.default_rng(seed)
    clusters = rng.permutation(np.repeat(np.arange(n // 3), rng.integers(1, 6, n // 3))[:n] + 100)
    return rng.normal(size=(len(clusters), 3)) + 1, clusters, np.array(["north", "south", "east"])[clusters % 3]


# ---- what is drawn
@pytest.mark.parametrize("n, m", [(2, 1), (2, 3), (50, 1), (301, 4), (64, 2), (65, 17)])
def test_means_are_those_of_the_slow_twin(n, m):
    values = RNG.normal(size=(n, m))
    np.testing.assert_allclose(ugt.bootstrap(values, n_resamples=30, seed=11).values, twin.bootstrap_means(values, 30, 11), atol=1e-13)


@pytest.mark.parametrize("n", [4095, 4096, 4097, 9000])
def test_blocks_are_those_of_the_slow_twin(n):
    design = resampling.Design.of(n)
    found = design.weights(5, 0, 2)
    for b in range(2):
        np.testing.assert_array_equal(found[b], twin.weights(5, b, [n]))


def sums_of(design, table, seed, begin, end):
    out = np.empty((end - begin, table.shape[1]))
    assert design.drawn(seed, begin, end, strips(list(design.added_up(table).T), design.n_units), out, False) is None
    return out


def test_clusters_and_strata_are_those_of_the_slow_twin():
    values, clusters, strata = clustered()
    for given_strata in (None, strata):
        design = resampling.Design.of(len(clusters), clusters, given_strata)
        found = design.weights(9, 0, 20)
        for b in range(20):
            np.testing.assert_array_equal(found[b], twin.case_weights(9, b, clusters.tolist(), given_strata))
        np.testing.assert_allclose(sums_of(design, values, 9, 0, 20), found @ values, atol=1e-12)
    # strata of single cases
    design = resampling.Design.of(len(strata), None, strata)
    np.testing.assert_array_equal(design.weights(9, 3, 4)[0], twin.case_weights(9, 3, list(range(len(strata))), strata))


def test_weights_keep_the_sizes_of_strata_and_clusters_together():
    _, clusters, strata = clustered(400)
    design = resampling.Design.of(len(clusters), clusters, strata)
    weights = design.weights(1, 0, 50)
    first = np.unique(clusters, return_index=True)[1]
    for name in np.unique(strata):
        inside = first[strata[first] == name]
        assert (weights[:, inside].sum(1) == len(inside)).all()
    for cluster in np.unique(clusters):
        assert (np.ptp(weights[:, clusters == cluster], axis=1) == 0).all()
    assert design.n_units == len(np.unique(clusters))
    np.testing.assert_array_equal(clusters[first][np.argsort(first)][design.unit], clusters)
    # without clusters and strata
    assert (resampling.Design.of(9001).weights(1, 0, 3).sum(1) == 9001).all()


@pytest.mark.parametrize("n", [300, 10_000])
def test_resamples_do_not_depend_on_chunks_or_threads(n):
    values = RNG.normal(size=(n, 3))
    design = resampling.Design.of(n)
    sums = sums_of(design, values, 5, 0, 70)
    for begin, end in ((0, 1), (3, 10), (7, 23), (64, 70)):
        np.testing.assert_array_equal(sums_of(design, values, 5, begin, end), sums[begin:end])
        np.testing.assert_array_equal(design.weights(5, begin, end), design.weights(5, 0, 70)[begin:end])
    alone = ugt.bootstrap(values, n_resamples=70, seed=5).values
    np.testing.assert_array_equal(alone, sums / n)
    with ugt.resampling.threads(3):
        np.testing.assert_array_equal(ugt.bootstrap(values, n_resamples=70, seed=5).values, alone)
    np.testing.assert_array_equal(sums_of(design, values[:, 1:2], 5, 0, 70)[:, 0], sums[:, 1])
    np.testing.assert_array_equal(sums_of(design, np.asfortranarray(values), 5, 0, 70), sums)
    assert (sums_of(design, values, 6, 0, 70) != sums).all()
    assert len(np.unique(sums[:, 0])) == 70


@pytest.mark.parametrize("n", [20, 5000])
def test_weights_are_multinomial(n):
    """Marginal and joint laws; each chi-square statistic exceeds its limit once in 1e10."""
    n_resamples = 200_000 // n
    weights = resampling.Design.of(n).weights(1, 0, n_resamples)
    total = weights.sum(0)  # multinomial of n * n_resamples draws over n units
    limit = scipy.stats.chi2.isf(1e-10, n - 1)
    assert ((total - n_resamples) ** 2 / n_resamples).sum() < limit
    law = scipy.stats.binom.pmf(np.arange(5), n, 1 / n)
    expected = np.append(law, 1 - law.sum()) * weights.size
    seen = np.bincount(np.minimum(weights, 5).astype(int).ravel(), minlength=6)
    # weights of a resample are slightly dependent (correlation -1/n), which makes the statistic smaller
    assert ((seen - expected) ** 2 / expected).sum() < scipy.stats.chi2.isf(1e-10, 5)
    # draws that fall into the first block, or half of the units
    half = min(4096, n // 2)
    inside = weights[:, :half].sum(1)
    z = (inside - half) / np.sqrt(n * (half / n) * (1 - half / n))
    assert abs(z.mean()) < 6.5 / np.sqrt(n_resamples)
    if n_resamples > 1000:  # the sum of squares is nearly chi-square
        assert (z**2).sum() == pytest.approx(n_resamples, abs=6.5 * np.sqrt(2 * n_resamples))


def binomial_distance(drawn, n, p):
    """The same against Binomial(n, p)."""
    return law_distance(drawn, scipy.stats.binom.pmf(np.arange(n + 1), n, p))


def law_distance(drawn, pmf):
    """Chi-square statistic of a sample against a law on 0, 1, ..., some ten bins, over what is exceeded once in 1e10."""
    below = np.cumsum(pmf)
    edges = np.unique(np.searchsorted(below, np.arange(0.1, 0.95, 0.1)))
    law = np.diff(np.concatenate([[0], below[edges], [1]]))
    seen = np.bincount(np.searchsorted(edges, drawn), minlength=len(law))
    law, seen = (x[law > 0] for x in (law, seen))
    if seen.sum() < len(drawn):
        return np.inf
    return ((seen - len(drawn) * law) ** 2 / (len(drawn) * law)).sum() / scipy.stats.chi2.isf(1e-10, len(law) - 1)


def test_the_split_between_blocks_is_binomial():
    """A first block of 4,096 units of 4,296, in 3,000 resamples; chi-square beyond the limit once in 1e10."""
    n, m = 4296, 3000
    inside = sums_of(resampling.Design.of(n), (np.arange(n) < 4096)[:, None] * 1.0, 4, 0, m)[:, 0]
    assert binomial_distance(inside, n, 4096 / n) < 1
    assert binomial_distance(inside, n, 4094 / n) > 1  # planted


def test_bad_designs():
    for values in ([1, None, 2], [1.0, NAN, 2.0]):
        refused(r"clusters must not be missing\. Got (None|nan), first at row 1", resampling.Design.of, 3, values)
    refused(r"strata must be 3 ids, one per case\. Got 2\.", resampling.Design.of, 3, None, ["a", "b"])
    message = r"strata must be the same for all cases of a cluster\. Got 1 and 2 in cluster 'p2', first at row 3\."
    refused(message, resampling.Design.of, 4, ["p1", "p2", "p1", "p2"], [1, 1, 1, 2])
    refused(r"n_cases must be a whole number from 1 to", resampling.Design.of, 0)


# ---- numbers on resamples
def test_means_and_ratios_by_weights():
    values, clusters, strata = clustered()
    below = RNG.random(values.shape) + 0.5
    values[3, 1] = values[7, 2] = below[9, 2] = NAN
    for options in ({}, {"clusters": clusters}, {"strata": strata}, {"clusters": clusters, "strata": strata}):
        weights = resampling.Design.of(len(values), **options).weights(4, 0, 40)
        for denominators in (None, below, below[:, 0]):
            b = np.ones_like(values) if denominators is None else np.broadcast_to(denominators.T, values.T.shape).T
            out = np.isnan(values) | np.isnan(b)
            above, total = weights @ np.where(out, 0, values), weights @ np.where(out, 0, b)
            found = ugt.bootstrap(values, denominators, n_resamples=40, seed=4, **options)
            np.testing.assert_allclose(found.values, above / total, rtol=1e-12)
            np.testing.assert_allclose(found.estimate, np.where(out, 0, values).sum(0) / np.where(out, 0, b).sum(0), rtol=1e-12)
            assert found.n_undefined.tolist() == [0, 0, 0]
            assert found.sources == (("clusters",) if "clusters" in options else ("cases",))


def test_one_number_is_a_column():
    values = RNG.random(20)
    found = ugt.bootstrap(values, n_resamples=9)
    assert found.values.shape == (9, 1) and found.influence.shape == (20, 1) and len(found) == 1
    found = [ugt.bootstrap(given, n_resamples=9).values for given in (values > 0.5, (values > 0.5) * 1.0)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("options", [{}, {"clusters": 0}, {"strata": 0}, {"clusters": 0, "strata": 0}])
def test_influence_is_the_derivative_by_the_weight_of_a_unit(options):
    values, clusters, strata = clustered()
    below = np.random.default_rng(1).random(values.shape) + 0.5
    values[5, 1] = NAN
    options = {name: {"clusters": clusters, "strata": strata}[name] for name in options}
    found = ugt.bootstrap(values, below, n_resamples=2, **options)
    design = resampling.Design.of(len(values), **options)
    out = np.isnan(values)

    def ratio(weights):
        return weights @ np.where(out, 0, values) / (weights @ np.where(out, 0, below))

    slope = np.empty((design.n_units, 3))
    for unit in range(design.n_units):
        step = 1e-5 * (design.unit == unit)
        slope[unit] = (ratio(1 + step) - ratio(1 - step)) / 2e-5
    if "strata" in options:
        of_unit = strata[np.unique(design.unit, return_index=True)[1]]
        for name in np.unique(strata):
            slope[of_unit == name] -= slope[of_unit == name].mean(0)
    np.testing.assert_allclose(found.influence, slope, atol=1e-9)


def test_undefined_resamples_are_counted_and_left_out():
    values = np.array([[1.0, 1], [2, NAN], [3, NAN], [4, 5]])
    found = ugt.bootstrap(values, n_resamples=400, seed=2)
    weights = resampling.Design.of(4).weights(2, 0, 400)
    undefined = (weights[:, 0] == 0) & (weights[:, 3] == 0)
    assert found.n_undefined.tolist() == [0, undefined.sum()] and 10 < undefined.sum() < 50
    np.testing.assert_array_equal(np.isnan(found.values[:, 1]), undefined)
    defined = found.values[~undefined, 1]
    assert found.interval(0.9, "percentile")[1].tolist() == pytest.approx(np.quantile(defined, [0.05, 0.95]).tolist())
    assert found.std_error.tolist() == pytest.approx([found.values[:, 0].std(ddof=1), defined.std(ddof=1)])
    # ranks: only where both are defined
    np.testing.assert_allclose(found.rank_share(), twin.rank_share(found.values.tolist()), atol=1e-12)


def test_fewer_than_two_units_say_nothing():
    one = ugt.bootstrap([[0.5, 0.7]], n_resamples=10)
    assert one.estimate.tolist() == [0.5, 0.7] and np.isnan(one.values).all() and one.n_undefined.tolist() == [10, 10]
    for kind in ("percentile", "basic", "bca"):
        assert np.isnan(one.interval(kind=kind)).all()
    assert np.isnan(one.std_error).all() and np.isnan(one.rank_share()).all() and np.isnan(one.rank_interval()).all()
    # one cluster; one case that counts; strata of one unit each; one case that counts in each stratum
    values = np.column_stack([np.arange(4.0), [1, NAN, NAN, NAN], [1, NAN, NAN, 2]])
    assert np.isnan(ugt.bootstrap(values, clusters=["a"] * 4, n_resamples=5).values).all()
    assert np.isnan(ugt.bootstrap(values, strata=[1, 2, 3, 4], n_resamples=5).values).all()
    assert np.isnan(ugt.bootstrap(values, n_resamples=5).values).all(0).tolist() == [False, True, False]
    assert np.isnan(ugt.bootstrap(values, strata=[1, 1, 2, 2], n_resamples=5).values).all(0).tolist() == [False, True, True]
    nothing = ugt.bootstrap(np.full((4, 1), NAN), n_resamples=5)
    assert np.isnan(nothing.estimate).all() and np.isnan(nothing.interval(kind="bca")).all()


def test_ratios_with_nothing_below():
    found = ugt.bootstrap([[1.0, 0.0], [2.0, 0.0]], np.zeros((2, 1)), n_resamples=5)
    assert np.isnan(found.values).all()  # no unit varies
    found = ugt.bootstrap([1.0, 2.0, 1.0], [0.0, 1.0, 1.0], n_resamples=200)
    assert np.isinf(found.values).any() and found.n_undefined.tolist() == [0] and not np.isnan(found.interval()).any()


def test_nested_resampling():
    """Against plain loops; w copies of a case have w contributions to the estimate and √w deviations of the draw from them."""
    rng = np.random.default_rng(5)
    draws = rng.random((30, 25, 2))
    mean = draws.mean(0)
    below = mean + 1
    draws[:, 4, 1] = mean[4, 1] = NAN
    draws[3, 5, 0] = NAN  # does not count under one draw
    clusters = np.arange(25) // 5

    def expected(b, j, weights, above, under):
        sums = [0.0, 0.0]
        for w, a, c, base, base_c in zip(weights, above[b][:, j], under[b][:, j], mean[:, j], under[-1][:, j]):
            for k, pair in enumerate(((a, base), (c, base_c))):
                drawn, of_base = (0.0 if np.isnan(x) else y for x, y in zip((a, base), pair))
                sums[k] += w * of_base + np.sqrt(w) * (drawn - of_base)
        return sums[0] / sums[1]

    ones = np.ones((31, 25, 2))
    for options in ({}, {"clusters": clusters}):
        weights = resampling.Design.of(25, **options).weights(3, 0, 30)
        found = ugt.bootstrap(lambda b: draws[b], estimate_from=mean, n_resamples=30, seed=3, **options)
        table = [[expected(b, j, weights[b], draws, ones) for j in range(2)] for b in range(30)]
        np.testing.assert_allclose(found.values, table, rtol=1e-12)
        with ugt.resampling.threads(2):
            again = ugt.bootstrap(lambda b: draws[b], estimate_from=mean, n_resamples=30, seed=3, **options)
        np.testing.assert_array_equal(again.values, found.values)
        np.testing.assert_array_equal(found.influence, ugt.bootstrap(mean, n_resamples=2, **options).influence)
        assert found.sources == ("clusters" if options else "cases", "draws")
        assert found.estimate.tolist() == pytest.approx(np.nanmean(mean, axis=0).tolist())
    # the draws alone
    alone = ugt.bootstrap(lambda b: draws[b], estimate_from=mean, cases=False, n_resamples=30)
    np.testing.assert_allclose(alone.values, np.nanmean(draws, axis=1), rtol=1e-12)
    assert alone.sources == ("draws",) and alone.influence is None
    # denominators that are the same for all draws, or come with them
    options = {"n_resamples": 30, "seed": 3, "sources": ("annotators",)}
    weights = resampling.Design.of(25).weights(3, 0, 30)
    same = ugt.bootstrap(lambda b: draws[b], below, estimate_from=mean, **options)
    assert same.values[6, 1] == pytest.approx(expected(6, 1, weights[6], draws, np.stack([below] * 31)), rel=1e-12)
    pairs = ugt.bootstrap(lambda b: (draws[b], draws[b] + 1), estimate_from=(mean, mean + 1), **options)
    under = np.concatenate([draws + 1, mean[None] + 1])
    assert pairs.values[6, 1] == pytest.approx(expected(6, 1, weights[6], draws, under), rel=1e-12)
    assert pairs.sources == ("cases", "annotators") == same.sources
    # nothing to resample
    assert np.isnan(ugt.bootstrap(lambda b: draws[b, :1], estimate_from=mean[:1], n_resamples=3).values).all()


def test_bad_contributions():
    values = np.ones((3, 2))
    bad = [
        ((np.ones((2, 2, 2)),), r"contributions must be an array of numbers, cases or cases x numbers\. Got float64 of shape \(2, 2, 2\)"),
        ((["a"],), r"contributions must be an array of numbers"),
        ((np.ones((0, 2)),), r"contributions must be an array of numbers.* Got float64 of shape \(0, 2\)"),
        (([[1.0, 2], [3, np.inf]],), r"contributions must be finite, or NaN if a case does not count\. Got inf, first at row 1"),
        ((values, np.ones((3, 3))), r"denominators must have the shape of contributions, \(3, 2\), or one column\. Got \(3, 3\)\."),
        ((values, [1, 1]), r"denominators must have the shape of contributions"),
        ((values, [1, -np.inf, 1]), r"denominators must be finite"),
        ((lambda b: values,), r"estimate_from must be given together with a function: .* Got None\."),
    ]
    for arguments, message in bad:
        refused(message, ugt.bootstrap, *arguments)
    refused(r"cases must be given only together with a function of the draw\. Got False", ugt.bootstrap, values, cases=False)
    refused(r"estimate_from must be given only together with a function", ugt.bootstrap, values, estimate_from=values)
    for rows in ([0, 1], [0, 1, 2, 2]):
        message = rf"contributions must return an array of the shape of estimate_from, \(3, 2\)\. Got \({len(rows)}, 2\), first at draw 0"
        refused(message, ugt.bootstrap, lambda b, rows=rows: values[rows], estimate_from=values)
    refused(r"sources must be one of 'cases', 'clusters', 'annotators', 'draws'\. Got 'models'", ugt.bootstrap, values, sources=("models",))


# ---- intervals
def skewed(n_resamples=600, **options):
    values = np.random.default_rng(2).exponential(size=(40, 3)) ** 1.5
    values[:, 2] = np.round(values[:, 2])  # many ties
    return ugt.bootstrap(values, n_resamples=n_resamples, seed=8, **options)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_are_those_of_the_slow_twin(level):
    found = skewed()
    for j in range(3):
        values, estimate = found.values[:, j].tolist(), found.estimate[j]
        assert found.interval(level, "percentile")[j].tolist() == pytest.approx(twin.percentile(values, level), rel=1e-12)
        assert found.interval(level, "basic")[j].tolist() == pytest.approx(twin.basic(values, estimate, level), rel=1e-12)
        expected = twin.bca(values, estimate, found.influence[:, j].tolist(), level)
        assert found.interval(level, "bca")[j].tolist() == pytest.approx(expected, rel=1e-9)
    quantiles = found.interval(level, "percentile")
    np.testing.assert_allclose(quantiles, np.quantile(found.values, [0.5 - level / 2, 0.5 + level / 2], axis=0).T, rtol=1e-12)
    # the three kinds differ, as they must for a skewed sample
    assert abs(found.interval(level, "bca") - quantiles).min() > 1e-3


PERFECT = {
    "shares": (lambda: ugt.bootstrap(np.ones(30)), 1, 0.025 ** (1 / 30)),
    "clusters": (lambda: ugt.bootstrap(np.ones(30), clusters=np.arange(30) // 3), 1, 0.025 ** (1 / 10)),
    "none right": (lambda: ugt.ua_topk_accuracy(ugt.Point.from_array([[0.0, 1]] * 30), [[1.0, 0]] * 30).resamples(), 0, None),
}


@pytest.mark.parametrize("name", PERFECT)
@pytest.mark.parametrize("kind", ["auto", "percentile", "basic", "bca"])
def test_perfect_results_have_the_exact_interval(name, kind):
    make, value, low = PERFECT[name]
    ends = (low, 1) if value else (0, 1 - 0.025 ** (1 / 30))
    for found in (make(), pickle.loads(pickle.dumps(make()))):
        assert found.interval(kind=kind)[0].tolist() == pytest.approx(ends, rel=1e-12)


def test_few_units_have_students_interval():
    """Against the formula: logits of a share, jackknife over clusters, degrees of freedom from the kurtosis."""
    rng = np.random.default_rng(4)
    right, cluster = (rng.random(40) < 0.8).astype(float), rng.integers(0, 6, 40)
    sums = np.array([[right[cluster == g].sum(), (cluster == g).sum()] for g in range(6)])
    without = (sums[:, 0].sum() - sums[:, 0]) / (40 - sums[:, 1])
    d = without - without.mean()
    df = np.clip(2 * 5 / (6 * (d**4).sum() / (d**2).sum() ** 2 - 1), 5 / 3, 5)
    half, p = scipy.stats.t.ppf(0.95, df) * np.sqrt(5 / 6 * (d**2).sum()), right.mean()
    expected = scipy.special.expit(scipy.special.logit(p) + np.array([-1, 1]) * half / (p * (1 - p)))
    found = ugt.bootstrap(right, clusters=cluster, n_resamples=2)
    np.testing.assert_allclose(found.interval(0.9)[0], expected, rtol=1e-10)
    # a difference is on its own scale, within -1 and 1
    both = ugt.bootstrap(np.stack([right, 1 - right], axis=1)[:3], n_resamples=2).minus(1)
    assert both.interval()[1].tolist() == [0, 0] and np.abs(both.interval()).max() <= 1


def test_few_clusters_are_noted_and_percentiles_of_very_few_refused():
    truth, scores = ugt.Point.from_array([[1.0, 0], [0, 1], [0.5, 0.5], [1, 0]] * 10), [[0.8, 0.2]] * 40
    found = ugt.ua_topk_accuracy(truth, scores)
    with pytest.warns(UserWarning, match="Intervals are over 4 clusters: with fewer than 30"):
        assert 0 < found.interval(clusters=np.arange(40) // 10)[0] < found.value
        refused("kind must be 'auto'", found.interval, kind="percentile", clusters=np.arange(40) // 10)


def test_ties_with_the_estimate_count_half():
    values = [[1.0], [2.0], [2.0], [2.0], [5.0], [7.0], [3.0]]
    influence = [[1.0], [-3.0], [2.0]]
    found = Resamples([2.0], values, influence)
    expected = twin.bca([v for (v,) in values], 2.0, [1.0, -3.0, 2.0], 0.8)
    assert found.interval(0.8, "bca")[0].tolist() == pytest.approx(expected, rel=1e-9)
    rounded = Resamples([2.0 * (1 + 1e-15)], values, influence)
    assert rounded.interval(0.8, "bca")[0].tolist() == pytest.approx(expected, rel=1e-9)


def test_estimates_outside_of_all_resamples():
    """z0 stays finite; a share of 0 stands for half a resample."""
    values = np.arange(1.0, 11)[:, None]
    for estimate in (0.0, 20.0):
        found = Resamples([estimate], values, np.array([[1.0], [-1.0]])).interval(0.9, "bca")[0]
        assert found.tolist() == pytest.approx(twin.bca(values[:, 0].tolist(), estimate, [1.0, -1.0], 0.9), rel=1e-9)
    # a pole of the transform between z0 and the upper end: the largest value
    steep = Resamples([20.0], np.arange(10_000.0)[:, None] / 600, np.array([[1.0]] + [[-1e-4]] * 10_000))
    assert steep.interval(0.9999, "bca")[0, 1] == 9999 / 600


def test_no_influence_at_all():
    constant = ugt.bootstrap(np.full(10, 0.25), n_resamples=50)
    for kind in ("percentile", "basic", "bca"):
        assert constant.interval(kind=kind)[0].tolist() == pytest.approx([0.25, 0.25], rel=1e-14)
    message = r"kind must be 'percentile' or 'basic' if the influence of single cases is unknown\. Got 'bca'"
    refused(message, Resamples([0.5], [[0.4], [0.6]]).interval, kind="bca")


@pytest.mark.skipif(tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 10), reason="scipy without the resamples of its bootstrap")
@pytest.mark.parametrize("kind, method", [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")])
def test_intervals_are_those_of_scipy(kind, method):
    x = np.random.default_rng(4).exponential(size=50)
    rng, options = np.random.default_rng(0), {"n_resamples": 999, "method": method}
    theirs = scipy.stats.bootstrap((x,), np.mean, confidence_level=0.9, random_state=rng, **options)
    ours = Resamples([x.mean()], theirs.bootstrap_distribution[:, None], (x - x.mean())[:, None] / 50)
    assert ours.interval(0.9, kind)[0].tolist() == pytest.approx(list(theirs.confidence_interval), rel=1e-9)
    assert ours.std_error[0] == pytest.approx(theirs.standard_error, rel=1e-12)
    # and of another statistic, with the jackknife where we have no influence
    theirs = scipy.stats.bootstrap((x,), lambda x, axis: x.std(axis=axis), random_state=rng, **options)
    ours = ugt.resampling.bootstrap_statistic(lambda w: np.sqrt(w @ (x - w @ x / w.sum()) ** 2 / w.sum()), 50, n_resamples=1)
    ours = Resamples(ours.estimate, theirs.bootstrap_distribution[:, None], _units=ours._units)
    assert ours.interval(kind=kind)[0].tolist() == pytest.approx(list(theirs.confidence_interval), rel=1e-9)


@given(st.integers(1, 30), st.integers(0, 10**6))
def test_quantiles(n, seed):
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(n, 3)), 1)
    values[rng.random((n, 3)) < 0.2] = NAN
    q = np.sort(rng.random((3, 2)), axis=1)
    q[0] = [0, 1]
    expected = [[twin.quantile(values[:, j], p) for p in q[j]] for j in range(3)]
    np.testing.assert_allclose(quantiles(values, q), expected, atol=1e-14)


# ---- several models
def test_paired_differences():
    values = RNG.random((50, 3))
    found = ugt.bootstrap(values, n_resamples=300, seed=1)
    apart = ugt.bootstrap(values - values[:, 1:2], n_resamples=300, seed=1)
    paired = found.minus(1)
    for name in ("estimate", "values", "influence"):
        np.testing.assert_allclose(getattr(paired, name), getattr(apart, name), atol=1e-14)
    np.testing.assert_allclose(paired.interval(kind="bca"), apart.interval(kind="bca"), atol=1e-13)
    assert paired.interval()[1].tolist() == [0, 0] and paired.sources == ("cases",)
    refused(r"reference must be a whole number from 0 to 2\. Got 3\.", found.minus, 3)


def test_taking_some():
    found = skewed()
    for columns, expected in (([2, 0], [2, 0]), (1, [1]), (slice(1, None), [1, 2]), ([True, False, True], [0, 2])):
        taken = found.take(columns)
        np.testing.assert_array_equal(taken.values, found.values[:, expected])
        np.testing.assert_array_equal(taken.interval(kind="bca"), found.interval(kind="bca")[expected])
    refused(r"columns must be positions from 0 to 2\. Got \[0, 3\]\.", found.take, [0, 3])


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 10**6))
def test_ranks_are_those_of_the_slow_twin(m, n, seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([0.1, 0.5, 0.7, -np.inf, np.inf], size=(n, m))
    values[1:][rng.random((n - 1, m)) < 0.1] = NAN
    found = Resamples(values[0], values)
    for higher, sign in ((True, 1), (False, -1)):
        table = found.rank_share(higher)
        np.testing.assert_allclose(table, twin.rank_share((sign * values).tolist()), atol=1e-12)
        np.testing.assert_allclose(table.sum(0), 1, atol=1e-12)
        np.testing.assert_allclose(table.sum(1), 1, atol=1e-12)
        np.testing.assert_array_equal(found.best_share(higher), table[:, 0])
        np.testing.assert_array_equal(found.rank_interval(0.8, higher), [twin.rank_interval(row, 0.8) for row in table])


def test_models_whose_numbers_are_0_share_their_ranks():
    found = ugt.bootstrap(np.tile([0.0, 0.0, 1.0], (5, 1)), n_resamples=4)
    np.testing.assert_allclose(found.rank_share(), [[0, 0.5, 0.5], [0, 0.5, 0.5], [1, 0, 0]])


def test_identical_models_share_all_ranks():
    one = RNG.random((40, 1))
    found = ugt.bootstrap(np.repeat(one, 3, axis=1), n_resamples=100)
    np.testing.assert_allclose(found.rank_share(), 1 / 3, atol=1e-15)
    assert found.rank_interval().tolist() == [[1, 3]] * 3
    # as good, computed in another order: ties up to rounding
    found = ugt.bootstrap(np.column_stack([one, one / 3 * 3, one * 1.1 / 1.1]), n_resamples=100)
    np.testing.assert_allclose(found.best_share(), 1 / 3, atol=1e-15)
    # planted: one of them better by a millionth
    better = ugt.bootstrap(np.column_stack([one, one, one + 1e-6]), n_resamples=100)
    assert better.best_share().tolist() == [0, 0, 1] and better.best_share(higher_is_better=False).tolist() == [0.5, 0.5, 0]


def test_exchangeable_models_have_uniform_ranks_on_average():
    """300 test sets of three models that are equally good: each has each rank with probability 1/3.

    P(rank) of a test set lies in [0, 1]: its mean over 300 sets is off by more than 0.2 with probability 2 exp(-2 300 0.2²) = 8e-11
    (Hoeffding), nine times.
    """
    rng = np.random.default_rng(6)
    tables = [ugt.bootstrap(rng.random((40, 3)) < 0.7, n_resamples=200, seed=s).rank_share() for s in range(300)]
    assert abs(np.mean(tables, axis=0) - 1 / 3).max() < 0.2
    # planted: one is better by two standard errors
    edge = [0.15, 0, 0]
    tables = [ugt.bootstrap(rng.random((40, 3)) < 0.7 + np.array(edge), n_resamples=200, seed=s).rank_share() for s in range(300)]
    assert abs(np.mean(tables, axis=0) - 1 / 3).max() > 0.2


def test_records():
    found = ugt.bootstrap(RNG.random((9, 2)), n_resamples=5, sources=("draws", "annotators"))
    assert repr(found) == "Resamples(n_resamples=5, n_numbers=2, sources=('cases', 'annotators', 'draws'))"
    for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        np.testing.assert_array_equal(again.interval(kind="bca"), found.interval(kind="bca"))
        assert again.sources == found.sources
    with pytest.raises(ValueError, match="read-only"):
        found.values[0] = 0
    refused(r"values must have 2 axes, the last as long as estimate\. Got shape \(3, 1\)", Resamples, [1.0, 2.0], np.ones((3, 1)))
    refused(r"values must have at least one row\. Got none", Resamples, [1.0], np.ones((0, 1)))
    refused(r"influence must have 2 axes", Resamples, [1.0], np.ones((2, 1)), [1.0])
    refused(r"estimate must have 1 axes", Resamples, [[1.0]], np.ones((2, 1)))
    for kind in ("BCa", None, 1):
        refused(r"kind must be one of 'auto', 'percentile', 'basic', 'bca'\. Got", found.interval, kind=kind)


# ---- any statistic
def test_statistics_with_weights():
    values, clusters, strata = clustered()

    def means(weights):
        return weights @ values / weights.sum()

    for options in ({}, {"clusters": clusters}, {"strata": strata}, {"clusters": clusters, "strata": strata}):
        found = ugt.resampling.bootstrap_statistic(means, len(values), n_resamples=60, seed=2, **options)
        expected = ugt.bootstrap(values, n_resamples=60, seed=2, **options)
        np.testing.assert_allclose(found.values, expected.values, rtol=1e-12)
        np.testing.assert_allclose(found.estimate, expected.estimate, rtol=1e-12)
        assert found.sources == expected.sources and found.influence is None
        with ugt.resampling.threads(2):
            again = ugt.resampling.bootstrap_statistic(means, len(values), n_resamples=60, seed=2, **options)
        np.testing.assert_array_equal(again.values, found.values)
        if "clusters" not in options:  # the mean's influences are those of leaving out
            np.testing.assert_allclose(found._units.influence(), expected.influence, atol=1e-12)
            np.testing.assert_allclose(found.interval(kind="bca"), expected.interval(kind="bca"), rtol=1e-9)
            np.testing.assert_allclose(found.minus(0).interval(kind="bca"), expected.minus(0).interval(kind="bca"), rtol=1e-9, atol=1e-15)
            taken = found.take([2]).interval(kind="bca")
            np.testing.assert_allclose(taken, expected.interval(kind="bca")[2:], rtol=1e-9)


def test_given_influence():
    values, clusters, _ = clustered()
    influence = (values - values.mean(0)) / len(values)
    found = ugt.resampling.bootstrap_statistic(
        lambda w: w @ values / w.sum(), len(values), clusters=clusters, influence=influence, n_resamples=30
    )
    expected = ugt.bootstrap(values, clusters=clusters, n_resamples=30)
    np.testing.assert_allclose(found.influence, expected.influence, atol=1e-14)
    with pytest.raises(ValueError, match=r"influence must have one row per case and one column per number, \(\d+, 3\)\. Got \(\d+, 1\)"):
        ugt.resampling.bootstrap_statistic(lambda w: w @ values, len(values), influence=values[:, 0])


def test_statistics_of_too_little():
    calls = []
    found = ugt.resampling.bootstrap_statistic(lambda w: calls.append(w) or 1.0, 3, clusters=["a"] * 3, n_resamples=4)
    assert len(calls) == 1 and np.isnan(found.values).all() and np.isnan(found.interval()).all()
    # undefined without one case: no BCa interval
    found = ugt.resampling.bootstrap_statistic(lambda w: w[1:].sum() / w[0] if w[0] else NAN, 4, n_resamples=30)
    assert np.isnan(found.interval(kind="bca")).all() and 0 < found.n_undefined[0] < 30 and not np.isnan(found.interval()).any()


def test_the_only_unit_of_a_stratum_has_no_influence():
    """It is in every resample once: that the statistic is undefined without it does not matter."""
    x = RNG.random(9)
    found = ugt.resampling.bootstrap_statistic(lambda w: w[:8] @ x[:8] / w[8] if w[8] else NAN, 9, strata=["a"] * 8 + ["b"], n_resamples=50)
    assert found.n_undefined.tolist() == [0] and not np.isnan(found.interval(kind="bca")).any()


@pytest.mark.parametrize("answer", [None, "a", [], [[1.0]], {}])
def test_bad_statistics(answer):
    message = r"statistic must return a number or a row of numbers, always of the same length\. Got"
    for call in (ugt.resampling.bootstrap_statistic, ugt.resampling.jackknife):
        refused(message, call, lambda w: answer, 4)
    answers = iter([[1.0, 2.0], [1.0]])
    refused(message, ugt.resampling.bootstrap_statistic, lambda w: next(answers), 4)


def test_jackknife():
    x = RNG.exponential(size=12)

    def both(weights):
        mean = weights @ x / weights.sum()
        return mean, weights @ (x - mean) ** 2 / weights.sum()

    found = ugt.resampling.jackknife(both, 12)
    without = np.array([(np.delete(x, i).mean(), np.delete(x, i).var()) for i in range(12)])
    np.testing.assert_allclose(found.values, without, rtol=1e-12)
    # Efron & Tibshirani, eq. 11.4 and 11.5; for a mean the textbook's error, for a variance the unbiased one
    np.testing.assert_allclose(found.bias, 11 * (without.mean(0) - [x.mean(), x.var()]), atol=1e-12)
    np.testing.assert_allclose(found.std_error, np.sqrt(11 / 12 * ((without - without.mean(0)) ** 2).sum(0)), rtol=1e-12)
    assert found.std_error[0] == pytest.approx(x.std(ddof=1) / np.sqrt(12))
    assert found.estimate[1] - found.bias[1] == pytest.approx(x.var(ddof=1))
    assert found.bias[0] == pytest.approx(0, abs=1e-13)
    clusters = np.repeat([3, 1, 2], 4)
    by_cluster = ugt.resampling.jackknife(both, 12, clusters=clusters)
    np.testing.assert_allclose(by_cluster.values[1], [x[clusters != 1].mean(), x[clusters != 1].var()])
    alone = ugt.resampling.jackknife(lambda w: w.sum(), 1)
    assert np.isnan(alone.values).all() and np.isnan(alone.std_error).all() and alone.estimate.tolist() == [1]


# ---- annotations
def long_labels():
    return labels_of_rows([1, 1, 1, 2, 3, 3, 3, 3], list("abcaabcc"), [0, 1, 1, 2, 0, 0, 1, 2], cases=[1, 2, 9, 3], classes=3)


def test_rows_are_those_of_the_slow_twin():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 6, (30, 4)) * rng.choice([0, 1, 20], (30, 1))
    counts[3] = 0
    counts[4] = [0, 100, 0, 0]
    counts[5] = [0, 50, 50, 0]
    counts[6] = [64, 0, 0, 0]
    counts[7] = [1, 0, 64, 0]
    found = resampling.resampled_counts(counts, 6, 0, 20)
    for b in range(20):
        assert found[b].tolist() == twin.rows_drawn(6, b, counts.tolist())
        again = resampling.resampled_counts(counts, 6, b, b + 1, urn=True)[0]
        assert again.tolist() == twin.rows_drawn(6, b, counts.tolist(), urn=True)
    np.testing.assert_array_equal(resampling.resampled_counts(counts, 6, 7, 9), found[7:9])
    assert (found.sum(2) == counts.sum(1)).all() and (found[:, counts == 0] == 0).all()


@pytest.mark.parametrize("counts", [[3, 0, 2, 5], [30, 24, 0, 11], [300, 5, 0, 95]])
def test_rows_are_multinomial(counts):
    """Each class is binomial, by a chi-square test that fails once in 1e10; so is the sum of two."""
    m, total = 20_000, sum(counts)
    found = resampling.resampled_counts(np.array([counts]), 3, 0, m)[:, 0]
    for k in np.flatnonzero(counts):
        assert binomial_distance(found[:, k], total, counts[k] / total) < 1
    assert binomial_distance(found[:, 0] + found[:, 3], total, (counts[0] + counts[3]) / total) < 1
    # planted: a probability that is off by a tenth of a standard deviation; sums of classes that are independent of each other
    wrong = counts[0] / total + 0.1 * np.sqrt(counts[0] / total * (1 - counts[0] / total) / total)
    assert binomial_distance(found[:, 0], total, wrong) > 1
    assert binomial_distance(found[1:, 0] + found[:-1, 3], total, (counts[0] + counts[3]) / total) > 1


@pytest.mark.parametrize("counts", [[1, 1], [2, 1], [3, 0, 2, 5], [30, 24, 0, 11], [300, 5, 0, 95]])
def test_rows_of_an_urn_have_the_variance_of_means(counts):
    """Each class is beta-binomial, by a chi-square test that fails once in 1e10: a mean has n / (n - 1) of its usual variance."""
    m, total = 20_000, sum(counts)
    found = resampling.resampled_counts(np.array([counts]), 3, 0, m, urn=True)[:, 0]
    for k in np.flatnonzero(counts):
        balls = counts[k] * (total - 2), (total - counts[k]) * (total - 2)
        law = scipy.stats.betabinom.pmf(np.arange(total + 1), total, *balls) if total > 2 else np.array([0.5, 0, 0.5])
        assert law @ (np.arange(total + 1) / total - counts[k] / total) ** 2 == pytest.approx(
            counts[k] / total * (1 - counts[k] / total) / (total - 1)
        )
        assert law_distance(found[:, k], law) < 1
    assert total > 20 or binomial_distance(found[:, 0], total, counts[0] / total) > 1  # planted


def test_labels_drawn_anew():
    labels, seen = long_labels(), []
    found = ugt.resampling.bootstrap_annotations(labels, lambda drawn: seen.append(drawn) or drawn.counts().sum(0), n_resamples=40, seed=4)
    assert seen[0] is labels and found.sources == ("annotators",)
    assert found.estimate.tolist() == [3, 3, 2]
    rows = [[1] * 3, [1], [], [1] * 4]
    for b, drawn in enumerate(seen[1:]):
        times = np.concatenate(twin.rows_drawn(4, b, rows, urn=True)).astype(int)
        at = np.repeat(np.arange(8), times)
        assert drawn.offsets.tolist() == labels.offsets.tolist() and drawn.axes is labels.axes
        assert drawn.label.tolist() == labels.label[at].tolist() and drawn.annotator.tolist() == labels.annotator[at].tolist()
        assert (drawn.count == 1).all() and not drawn.label.flags.writeable
        assert found.values[b].tolist() == drawn.counts().sum(0).tolist()
    refused(r"'bca' for resamples without influence", found.interval, kind="bca")


def test_counts_drawn_anew():
    counts, seen = np.array([[3, 0, 2], [0, 0, 0], [40, 30, 0], [1, 0, 0]]), []
    expected = resampling.resampled_counts(counts, 4, 0, 20, urn=True)
    ugt.resampling.bootstrap_annotations(
        ugt.Labels.from_counts(counts), lambda drawn: seen.append(drawn.counts()) or 0, n_resamples=20, seed=4
    )
    np.testing.assert_array_equal(seen[1:], expected)


def test_rankings_drawn_anew():
    nested = [[[[0], [1, 2]], [[1]], []], [], [[[2], [0]], [[3, 1], [0]]]]
    rankings, seen = ugt.Rankings.from_blocks(nested, n_classes=4), []
    found = ugt.resampling.bootstrap_annotations(rankings, lambda drawn: seen.append(drawn) or len(drawn.items), n_resamples=30, seed=7)
    for b, drawn in enumerate(seen[1:]):
        times = twin.rows_drawn(7, b, [[1] * 3, [], [1] * 2], urn=True)
        again = [[r for r, n in zip(case, row) for _ in range(n)] for case, row in zip(nested, times)]
        expected = ugt.Rankings.from_blocks(again, n_classes=4)
        for name in ("case_offsets", "ranking_offsets", "block_offsets", "items", "annotator"):
            np.testing.assert_array_equal(getattr(drawn, name), getattr(expected, name))
        assert found.values[b, 0] == len(expected.items)


def test_annotations_and_cases():
    labels, clusters = long_labels(), [7, 7, 8, 9]

    def share(drawn, weights):
        counts = drawn.counts()
        return weights @ counts[:, 0] / (weights @ counts.sum(1))

    def kept(drawn, weights):
        seen.append((drawn, weights))
        return share(drawn, weights)

    seen = []
    for options in ({}, {"clusters": clusters}):
        seen.clear()
        found = ugt.resampling.bootstrap_annotations(labels, kept, cases=True, n_resamples=25, seed=4, **options)
        weights = resampling.Design.of(4, **options).weights(4, 0, 25)
        for b, ((drawn, w), expected) in enumerate(zip(seen[1:], weights)):
            np.testing.assert_array_equal(w, expected)
            times = np.concatenate(twin.rows_drawn(4, b, [[1] * 3, [1], [], [1] * 4])).astype(int)
            assert drawn.label.tolist() == np.repeat(labels.label, times).tolist()
        assert found.sources == ("clusters" if options else "cases", "annotators")
        with ugt.resampling.threads(2):
            again = ugt.resampling.bootstrap_annotations(labels, share, cases=True, n_resamples=25, seed=4, **options)
        np.testing.assert_array_equal(again.values, found.values)
        on_cases = ugt.resampling.bootstrap_statistic(lambda w: share(labels, w), 4, n_resamples=2, **options)
        np.testing.assert_array_equal(found._units.influence(), on_cases._units.influence())
        assert not np.isnan(found.interval(kind="auto" if options else "bca")).any()


def test_bad_annotations():
    labels = long_labels()
    refused(
        r"annotations must be Labels or Rankings\. Got",
        ugt.resampling.bootstrap_annotations,
        np.ones((2, 2)),
        lambda drawn: 0,
        error=TypeError,
    )
    refused(
        r"cases must be True if clusters or strata are",
        ugt.resampling.bootstrap_annotations,
        labels,
        lambda drawn: 0,
        clusters=[1, 2, 3, 4],
    )
    refused(r"clusters must be 4 ids", ugt.resampling.bootstrap_annotations, labels, lambda drawn, w: 0, cases=True, clusters=[1, 2])
    one_each = ugt.Labels.from_counts([[1, 0], [0, 0], [0, 1], [1, 0]])
    assert np.isnan(ugt.resampling.bootstrap_annotations(one_each, lambda drawn: 0, n_resamples=3).values).all()
    assert not np.isnan(ugt.resampling.bootstrap_annotations(one_each, lambda drawn, w: 0, cases=True, n_resamples=3).values).any()


# ---- the law of a sum
def law_of_sum(pmf, times):
    starts = np.append(0, np.cumsum(times))
    law = np.empty(starts[-1] * (pmf.shape[1] - 1) + 1)
    _resample.law_of_sum(pmf, starts, law)
    return law


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 10**6))
def test_law_of_a_sum(n, width, seed):
    rng = np.random.default_rng(seed)
    pmf = rng.random((n, width)) * (rng.random((n, width)) < 0.6)
    pmf[np.arange(n), rng.integers(0, width, n)] += 0.5  # zeros at the ends and inside, never everywhere
    pmf /= pmf.sum(1, keepdims=True)
    np.testing.assert_allclose(law_of_sum(pmf, np.ones(n, np.int64)), twin.law_of_sum(pmf), atol=1e-15)


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 10**6))
def test_equal_laws_are_added_at_once(n, width, seed):
    # halves of a group and of several groups, of even and odd numbers, and groups without a variable
    rng = np.random.default_rng(seed)
    pmf = rng.dirichlet(np.ones(width), n)
    times = rng.integers(0, 150, n)
    times[rng.integers(n)] += 1
    np.testing.assert_allclose(law_of_sum(pmf, times), twin.law_of_sum(np.repeat(pmf, times, axis=0)), atol=1e-14)


def test_law_of_many():
    # 2,000 cases: the tails that are dropped underway leave the rest as it is
    p = RNG.random(2000)
    pmf = np.column_stack([1 - p, p])
    law = law_of_sum(pmf, np.ones(2000, np.int64))
    exact = twin.law_of_sum(pmf)
    np.testing.assert_allclose(law, exact, atol=1e-16)
    assert law.sum() == pytest.approx(1, abs=1e-12)
    assert law @ np.arange(2001) == pytest.approx(p.sum(), rel=1e-12)
    middle = exact > 1e-12
    np.testing.assert_allclose(law[middle], exact[middle], rtol=1e-6)


# ---- options
def test_seeds():
    assert resampling.seed_of(0) == 0
    assert resampling.seed_of(np.uint64(2**64 - 1)) == 2**64 - 1
    assert resampling.seed_of(np.random.SeedSequence(5)) == resampling.seed_of(np.random.SeedSequence(5))
    generator = np.random.default_rng(5)
    assert resampling.seed_of(generator) != resampling.seed_of(generator)
    for bad in (-1, 2**64, 1.0, "0", None, True):
        refused(r"seed must be an int from 0 to 2\*\*64 - 1, a numpy Generator or a SeedSequence. Got", resampling.seed_of, bad)


CALLS = [
    lambda **options: ugt.bootstrap([1.0, 2.0], **options),
    lambda **options: ugt.resampling.bootstrap_statistic(lambda w: w.sum(), 2, **options),
    lambda **options: ugt.resampling.bootstrap_annotations(long_labels(), lambda drawn: 1.0, **options),
]


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, NAN, "0.95", True])
def test_bad_levels(level):
    for call in (lambda: skewed(5).interval(level), lambda: skewed(5).rank_interval(level)):
        refused(r"level must be a number between 0 and 1, such as 0.95. Got", call)


@pytest.mark.parametrize("n_resamples", [0, -1, 10.0, "100", True])
def test_bad_numbers_of_resamples(n_resamples):
    for call in CALLS:
        refused(r"n_resamples must be a whole number of at least 1. Got", call, n_resamples=n_resamples)


def test_bad_seeds():
    for call in CALLS:
        refused(r"seed must be an int from 0", call, seed=-1)


@pytest.mark.parametrize("n, b, m", [(1, 1, 1), (7, 8, 2), (300, 19, 7)])
def test_sums_by_group_are_those_of_the_slow_twin(n, b, m):
    group, values, weights = RNG.integers(0, 5, n).astype(np.int32), RNG.normal(size=(n, m)), RNG.poisson(1.0, (b, n)) * 1.0
    out = np.empty((b, 6, m))
    rows = RNG.integers(0, n, n)
    for of_entries in (group, np.sort(group)):  # one by one, and in runs
        _resample.grouped_sums(rows, of_entries, values, by_case(weights), out)
        np.testing.assert_array_equal(out, twin.grouped_sums(rows, of_entries, values, weights, 6))
    _resample.grouped_sums(None, group, values, by_case(weights), out)  # entries are the cases
    np.testing.assert_array_equal(out, twin.grouped_sums(np.arange(n), group, values, weights, 6))
    counted = np.empty((b, 6, 1))
    _resample.grouped_sums(rows, group, None, by_case(weights), counted)
    np.testing.assert_array_equal(counted, twin.grouped_sums(rows, group, np.ones((n, 1)), weights, 6))
    _resample.grouped_sums(rows[:0], group[:0], values[:0], by_case(weights), out)
    assert not out.any()


@pytest.mark.parametrize("width", [0, 1, 31, 32, 33, 70])
@pytest.mark.parametrize("n_groups", [1, 4])
def test_rows_of_wide_tables_are_alike_if_all_columns_and_the_group_are(width, n_groups):
    rng = np.random.default_rng(width)
    kinds = rng.random((9, width))
    kinds[8] = kinds[7]
    if width:
        kinds[8, -1] += 1.0
    kind, group = rng.integers(0, 9, 10_000), rng.integers(0, n_groups, 10_000, dtype=np.int32)
    one = GroupSums(np.arange(10_000), group, kinds[kind], n_groups)
    first = np.unique(np.column_stack([kinds[kind], group]), axis=0, return_index=True)[1]
    assert sorted(one.alike.first.tolist()) == sorted(first.tolist())
    weights = rng.integers(0, 3, (10_000, 2)).astype(float)
    expected = [[[weights[group == g, b] @ kinds[kind[group == g]][:, s] for s in range(width)] for g in range(n_groups)] for b in (0, 1)]
    np.testing.assert_allclose(one.sums(weights), np.reshape(expected, (2, n_groups, width)), rtol=1e-12)


@pytest.mark.parametrize("n, different", [(3, False), (300, True), (300, False)])
def test_entries_that_are_alike_are_counted_once(n, different):
    """A table of two whole numbers has six different rows, one of noise has as many as entries: sums are the same."""
    table = RNG.normal(size=(n, 2)) if different else RNG.integers(0, [2, 3], (n, 2)) - 1.0
    rows, group, weights = RNG.permutation(n), RNG.integers(0, 3, n).astype(np.int32), RNG.normal(size=(5, n))
    grouped = GroupSums(rows, group, table, 3)
    assert (grouped.alike is None) == (different or n == 3)
    np.testing.assert_allclose(grouped.sums(by_case(weights)), twin.grouped_sums(rows, group, table, weights, 3), atol=1e-12)


def test_the_core_refuses_what_does_not_fit():
    table, out, strata = np.ones(10), np.empty((3, 2)), np.array([0, 5])
    for begin, end, target in ((0, 4, out), (2, 1, out), (-1, 2, out), (0, 3, np.empty((3, 1)))):
        refused("do not fit together", _resample.bootstrap, strata, 0, begin, end, table, target)
    unit, of_cases = np.zeros(2, np.int32), np.empty((2, 3))
    for wrong in ([0, 4], [0, 6], [1, 5], [0, 3, 3, 5], [0], [], [0, 7, 5], [0, 2**31]):
        refused("do not fit", _resample.bootstrap, np.array(wrong, np.int64), 0, 0, 3, table, out)
    for wrong in ([1, 5], [0, 3, 3, 5], [], [0, 2**31]):
        refused("do not fit", _resample.bootstrap, np.array(wrong, np.int64), 0, 0, 3, unit=unit, weights=of_cases)
    for wrong in ([0, 5], [-1, 0]):
        refused("unit out of range", _resample.bootstrap, strata, 0, 0, 3, unit=np.array(wrong, np.int32), weights=of_cases)
    for begin, end, target in ((0, 4, of_cases), (0, 3, np.empty((1, 3))), (-1, 2, of_cases)):
        refused("do not fit together", _resample.bootstrap, strata, 0, begin, end, unit=unit, weights=target)
    count, drawn = np.array([1, 2]), np.empty((3, 2), np.int64)
    for wrong in ([0], [0, 1], [1, 2], [0, 3], [0, 3, 2], [0, -1, 2]):
        refused(r"do not fit|UGT_ERR_RANGE", _resample.resample_rows, np.array(wrong), count, 0, 0, 3, False, drawn)
    refused("count out of range", _resample.resample_rows, np.array([0, 2]), -count, 0, 0, 3, False, drawn)
    refused("do not fit together", _resample.resample_rows, np.array([0, 2]), count, 0, 0, 2, False, drawn)
    group = np.zeros(2, np.int32)
    refused("do not fit together", _resample.grouped_sums, np.arange(2), group, np.ones((3, 1)), np.ones((1, 2)), np.empty((1, 1, 1)))
    refused("do not fit together", _resample.grouped_sums, None, group, np.ones((2, 1)), np.ones((1, 2)), np.empty((2, 1, 1)))
    for row, of, said in (([0, 1], -1, "group"), ([0, 1], 1, "group"), ([0, -1], 0, "case"), ([0, 2], 0, "case")):
        given = np.array(row), np.full(2, of, np.int32), np.ones((2, 1)), np.ones((2, 1)), np.empty((1, 1, 1))
        refused(f"{said} out of range", _resample.grouped_sums, *given)
    refused("output does not fit", _resample.law_of_sum, np.ones((5, 2)), np.arange(6), np.empty(5))
    refused("starts must ascend", _resample.law_of_sum, np.ones((2, 2)), np.array([0, 2, 1]), np.empty(2))
    for starts in (np.zeros(3, np.int64), np.array([1, 2, 3]), np.arange(2)):
        refused("a start before and after each row", _resample.law_of_sum, np.ones((2, 2)), starts, np.empty(3))


def test_a_generator_gives_seeds_of_64_bits():
    assert resampling.seed_of(np.random.default_rng(3)) == int(np.random.default_rng(3).integers(0, 2**64, dtype=np.uint64)) > 2**32


# ---- small strata
def test_intervals_of_many_small_strata_are_student_s():
    """Quantiles of resamples within pairs are too close together by a factor of 0.71, as if there were more cases."""
    rng = np.random.default_rng(2)
    pairs = rng.random((300, 2)) < 0.7
    values, strata = pairs.ravel()[:, None].astype(float), np.repeat(np.arange(300), 2)
    drawn = ugt.bootstrap(values, strata=strata)
    # the variance of the mean is a quarter of the mean square difference within pairs, over the pairs
    error = np.sqrt(((pairs[:, 0] ^ pairs[:, 1]) / 4).sum()) / 300
    p = values.mean()
    t = scipy.stats.t.ppf(0.975, 250)
    (ends,) = drawn.interval()
    expected = scipy.special.expit(scipy.special.logit(p) + np.array([-t, t]) * error / (p * (1 - p)))
    np.testing.assert_allclose(ends, expected, atol=2e-3)
    for kind in ("percentile", "basic", "bca"):
        with pytest.warns(UserWarning, match=r"^Strata have 2 units on average: quantiles .* by a factor of about 0\.71; kind='auto'"):
            (short,) = drawn.interval(kind=kind)
        assert np.ptp(short) < 0.85 * np.ptp(ends)
    again = pickle.loads(pickle.dumps(drawn))
    np.testing.assert_array_equal(again.interval(), drawn.interval())
    for other in (drawn.take([0]), drawn.minus(0), Resamples.beside([drawn, drawn])):
        with pytest.warns(UserWarning, match="^Strata have 2 units"):
            other.interval(kind="percentile")
    # 20 or more per stratum, and no strata, are as before
    for ids in (np.repeat(np.arange(30), 20), None):
        drawn = ugt.bootstrap(values, strata=ids)
        np.testing.assert_array_equal(drawn.interval(), drawn.interval(kind="percentile"))
