"""Posterior draws under Plackett-Luce with ties against exact answers, and against data from the prior.

False alarms: a test that compares numbers does so with many independent chains, whose means have a known spread; each of its
comparisons gets an equal share of ALARM, the probability that a right sampler fails the test. The seeds are fixed.
"""

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from twins import plackett_luce as twin

from ugt._core import _plackett_luce as core
from ugt.annotations import Rankings
from ugt.truth import plackett_luce

ALARM = 1e-9
IGNORE, INDIVIDUAL, LUMP = 0, 1, 2  # UGT_REST_*: what stands for the classes that nobody mentioned


class Run:
    """Draws of some cases, cases -> annotators -> blocks. ``run[i]``: (chains, draws, mentioned classes + lump) of case i."""

    def __init__(
        self, nested, n_classes, *, reliability=1.0, shape=1.0, rate=1.0, rest=INDIVIDUAL, warmup=100, draws=500, thin=1, chains=400,
        seed=1, parts=None, case_ids=None, weights=None, tempering=1.0,
    ):  # fmt: skip
        r = nested if isinstance(nested, Rankings) else Rankings.from_blocks(nested, n_classes=n_classes, case_ids=case_ids)
        self.stages = core.Stages(r.case_offsets, r.ranking_offsets, r.block_offsets, r.items, r.n_classes, rest != IGNORE, weights)
        self.offsets, self.classes = np.empty(r.n_cases + 1, np.int64), np.empty(self.stages.n_mentioned(), np.int32)
        self.stages.classes(self.offsets, self.classes)
        self.chains, self.draws = chains, draws
        self.values = np.full((len(self.classes) + r.n_cases) * chains * draws, -1.0)
        self.stop = np.zeros(1, np.int32)
        for begin, end in parts or [(0, r.n_cases)]:
            options = (reliability, shape, rate, rest, warmup, draws, thin, chains, seed, begin, end, self.stop)
            assert self.stages.gibbs(r.axes.stream_keys, *options, self.part(begin, end), tempering)

    def part(self, begin, end):
        return self.values[slice(*((self.offsets[i] + i) * self.chains * self.draws for i in (begin, end)))]

    def __getitem__(self, i):
        return self.part(i, i + 1).reshape(self.chains, self.draws, -1)

    def named(self, i):
        return self.classes[self.offsets[i] : self.offsets[i + 1]].tolist()


def run_one(rankings, n_classes, **options):
    return Run([rankings], n_classes, **options)[0]


def agree(series, expected, error=0.0, alarm=ALARM):
    """Chain means of series (chains, draws, q) are those expected (q,), known up to a normal `error`: t tests over independent chains."""
    means = series.mean(1)
    expected = np.broadcast_to(expected, means.shape[1:])
    spread = np.hypot(means.std(0, ddof=1) / np.sqrt(len(means)), error)
    limit = stats.t.isf(alarm / 2 / means.shape[1], len(means) - 1)
    off = np.abs(means.mean(0) - expected)
    worst = int(np.argmax(off / np.maximum(spread, 1e-300)))
    assert (off <= limit * spread + 1e-12).all(), (
        f"column {worst}: {means.mean(0)[worst]:.6f} instead of {expected[worst]:.6f}, {off[worst] / spread[worst]:.1f} standard errors"
    )


def moments(draws):
    """First and second moments (chains, draws, q + q(q+1)/2)."""
    i, j = np.triu_indices(draws.shape[-1])
    return np.concatenate([draws, draws[..., i] * draws[..., j]], -1)


def expected_moments(mean, second):
    return np.concatenate([mean, second[np.triu_indices(len(mean))]])


def dirichlet_moments(concentration):
    c = np.asarray(concentration, float)
    mean, total = c / c.sum(), c.sum()
    return expected_moments(mean, (np.diag(c) + np.outer(c, c)) / total / (total + 1))


def test_the_comparison_itself():
    rng = np.random.default_rng(0)
    right = rng.normal(3.0, 1.0, (400, 100, 2))
    agree(right, [3.0, 3.0])
    with pytest.raises(AssertionError, match="column 1"):
        agree(right, [3.0, 3.04])  # 8 standard errors


def log_likelihoods(nested, plausibility):
    """Of each case's rankings, all of them together: (N,)."""
    r = Rankings.from_blocks(nested, n_classes=plausibility.shape[1])
    log_p = np.empty(len(r.ranking_offsets) - 1)
    arrays = (r.case_offsets, r.ranking_offsets, r.block_offsets, r.items)
    core.log_likelihood(*arrays, np.ascontiguousarray(plausibility), 0, r.n_cases, log_p)
    return np.add.reduceat(log_p, r.case_offsets[:-1])


# ---- (i), (ii) where the posterior is a Dirichlet law ----

VOTES = [[[0]], [[0]], [[0]], [[2]], [[2]], [[1]]]


@pytest.mark.parametrize("rest", [IGNORE, INDIVIDUAL, LUMP])
@pytest.mark.parametrize("reliability", [1.0, 2.5, 10.0, 0.3])
@pytest.mark.parametrize("n_classes", [3, 5, 419])
@pytest.mark.parametrize("shape", [1.0, 1 / 419])
def test_votes_for_one_class_have_a_dirichlet_posterior(rest, reliability, n_classes, shape):
    """Dirichlet(a + γ counts): waiting for the first of all classes says nothing about their shares. 36 tests: 4e-8 in all."""
    lump = [] if rest == IGNORE or n_classes == 3 else [shape * (n_classes - 3 if rest == INDIVIDUAL else 1)]
    draws = run_one(VOTES, n_classes, reliability=reliability, shape=shape, rest=rest, draws=100)
    if not lump:
        np.testing.assert_array_equal(draws[..., 3], 0.0)
        draws = draws[..., :3]
    np.testing.assert_allclose(draws.sum(-1), 1.0, rtol=1e-14)
    agree(moments(draws), dirichlet_moments([shape + 3 * reliability, shape + reliability, shape + 2 * reliability, *lump]))


@pytest.mark.parametrize(("reliability", "shape"), [(1.0, 1.0), (2.5, 0.25), (20.0, 1 / 419)])
def test_votes_for_one_class_have_beta_marginals(reliability, shape):
    """Kolmogorov-Smirnov on the last draws of independent chains: classes, lump, and the class with the scale moves."""
    n_classes = 8
    for rankings, votes in ((VOTES, [3, 1, 2]), ([[[1]]] * 4, [4])):
        lump = (n_classes - len(votes)) * shape
        concentration = np.array([*(shape + reliability * v for v in votes), lump])
        last = run_one(rankings, n_classes, reliability=reliability, shape=shape, chains=4000, draws=1, warmup=60)[:, 0]
        for k, c in enumerate(concentration):
            others = concentration.sum() - c
            if others > 0.1:  # or most plausibilities round to 1, and the other column tells
                assert stats.kstest(last[:, k], stats.beta(c, others).cdf).pvalue > ALARM / 6


@pytest.mark.parametrize("rankings", [[], [[]], [[[0, 1, 2, 3]]]], ids=["nobody", "nothing", "all tied"])
@pytest.mark.parametrize("shape", [0.2, 1.0, 3.0])
def test_nothing_said_leaves_the_prior(rankings, shape):
    """(ii) Dirichlet(a); where no class is mentioned, the lump is everything."""
    draws = run_one(rankings, 4, shape=shape, draws=100)
    if rankings == [[[0, 1, 2, 3]]]:
        agree(moments(draws[..., :4]), dirichlet_moments([shape] * 4))
    else:
        np.testing.assert_array_equal(draws, 1.0)


@pytest.mark.parametrize("reliability", [1e-12, 1e-4])
def test_no_reliability_leaves_the_prior(reliability):
    """(vii) γ → 0; at 1e-4 the log likelihood moves the moments by 1e-3 of their standard deviations: below the resolution."""
    draws = run_one([[[0], [1, 2]], [[1, 2], [0]], [[1], [3]]], 6, reliability=reliability, shape=0.7, draws=50)
    agree(moments(draws), dirichlet_moments([0.7] * 4 + [1.4]))


# ---- (iii) exact posteriors ----

EXACT = {  # rankings, mentioned classes, K
    "two classes": ([[[0], [1]], [[1], [0]], [[0]]], 2, 2),
    "all tied": ([[[0, 1, 2]]], 3, 3),
    "one tie": ([[[0, 1]]], 2, 3),
    "ties, all mentioned": ([[[0], [1, 2]], [[1, 2]], [[2], [0], [1]]], 3, 3),
    "ties and a rest": ([[[0], [1]], [[1, 2]], [[0]]], 3, 4),
    "ties and a large rest": ([[[0], [1]], [[1, 2]], [[0]]], 3, 19),
    "identical and nested": ([[[0, 1], [2]], [[0, 1], [2]], [[0, 1, 2]], [[2]]], 3, 6),
    "four classes": ([[[0, 1], [2]], [[3, 1, 2]], [[0], [3]]], 4, 4),
}
_grids = {}


def grid(name, shape, reliability, rest):
    key = (name, shape, reliability, rest)
    if key not in _grids:
        rankings, m, n_classes = EXACT[name]
        lump = [] if m == n_classes or rest == IGNORE else [shape * (n_classes - m if rest == INDIVIDUAL else 1)]
        _grids[key] = twin.grid_posterior(rankings, [shape] * m + lump, reliability)
    return _grids[key]


def check_exact(name, shape, reliability, rest=INDIVIDUAL, **options):
    rankings, _, n_classes = EXACT[name]
    _, mean, second = grid(name, shape, reliability, rest)
    draws = run_one(rankings, n_classes, shape=shape, reliability=reliability, rest=rest, **options)
    agree(moments(draws[..., : len(mean)]), expected_moments(mean, second))


@pytest.mark.parametrize("reliability", [1.0, 2.5, 3.0])
@pytest.mark.parametrize("name", EXACT)
def test_exact_posteriors(name, reliability):
    check_exact(name, 1.0, reliability)


TEMPERED = {
    "two classes": ([[[0]], [[0], [1]], [[1]]], 2),
    "a tie": ([[[0], [1, 2]], [[0, 1]], [[2], [1]]], 3),
    "one ranking": ([[[1], [0], [2]]], 3),
    "agreement": ([[[0]], [[0]], [[0]], [[0, 1]]], 3),
}


@pytest.mark.full
@pytest.mark.parametrize("tempering", [0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("name", TEMPERED)
@pytest.mark.parametrize("shape, reliability", [(1.0, 1.0), (0.3, 2.5)])
def test_tempered_posteriors(name, tempering, shape, reliability):
    rankings, n_classes = TEMPERED[name]
    mean, second = twin.grid_posterior(rankings, [shape] * n_classes, reliability, tempering)[1:]
    draws = run_one(rankings, n_classes, shape=shape, reliability=reliability, tempering=tempering, draws=250)
    agree(moments(draws[..., :n_classes]), expected_moments(mean, second))


def test_tempering_with_classes_that_nobody_mentioned():
    """All of them are drawn: the lump of the others has no power of its own; as one class of the prior's shape it has."""
    rankings = Rankings.from_blocks([[[[0], [1]], [[1]]]], n_classes=4)
    for unranked, shapes in (("individual", [0.5] * 4), ("lump", [0.5] * 3), ("ignore", [0.5] * 2)):
        mean, second = twin.grid_posterior([[[0], [1]], [[1]]], shapes, 1.0, 3.0)[1:]
        found = plackett_luce(rankings, tempering=3.0, prior_shape=0.5, unranked=unranked, n_draws=40_000, n_chains=200, n_warmup=100)
        draws = found.draws(40_000)[0].reshape(200, 200, 4)
        agree(moments(draws[..., :2]), expected_moments(mean[:2], second[:2, :2]))
        rest = found.mean()[0, 2:]
        assert rest[0] == pytest.approx(rest[1], abs=0.02) and (rest > 0).all() == (unranked != "ignore")


@pytest.mark.parametrize("name", ["two classes", "one tie", "ties and a rest", "identical and nested"])
def test_a_reliability_for_each_ranking(name):
    rankings, m, n_classes = EXACT[name]
    weights = np.resize([0.5, 2.3, 1.0], len(rankings))
    mean, second = twin.grid_posterior(rankings, [0.6] * m + [0.6 * (n_classes - m)] * (m < n_classes), weights)[1:]
    draws = run_one(rankings, n_classes, shape=0.6, weights=weights)
    agree(moments(draws[..., : len(mean)]), expected_moments(mean, second))


@pytest.mark.full
@pytest.mark.parametrize("reliability", [1.0, 2.5])
@pytest.mark.parametrize("name", ["two classes", "one tie", "ties, all mentioned", "ties and a rest", "identical and nested"])
def test_exact_posteriors_under_the_default_prior(name, reliability):
    """Shape 1/K: mass 1 in all."""
    check_exact(name, 1 / EXACT[name][2], reliability)


@pytest.mark.full
@pytest.mark.parametrize("reliability", [0.3, 0.5, 1.5, 7.25, 40.0])
def test_fractions_of_tied_blocks(reliability):
    """(vii) With 40 copies they are split by waiting times and by order statistics instead of one by one."""
    check_exact("ties and a large rest", 1.0, reliability)
    check_exact("identical and nested", 0.5, reliability)


@pytest.mark.parametrize("rest", [IGNORE, LUMP])
@pytest.mark.parametrize("name", ["ties and a rest", "ties and a large rest"])
def test_other_rests(name, rest):
    check_exact(name, 1.0, 1.0, rest)
    check_exact(name, 1.0, 2.5, rest)


@pytest.mark.parametrize("name", ["25", "27", "29", "31"])
def test_reference_posteriors(shared_case, name):
    """Reference cases: exact by another method (sorted ratios), with the probability of being the best."""
    case = shared_case(name)
    inputs, expected = case["inputs"], case["expected"]
    draws = run_one(inputs["rankings"], inputs["K"], shape=inputs["a"], rate=inputs.get("beta", 1.0), draws=1000)
    m = draws.shape[-1] - 1
    if "mean_ranked" in expected:
        agree(draws, [*expected["mean_ranked"], (inputs["K"] - m) * expected["mean_each_unranked"]])
        return
    every = draws if inputs["K"] > m else draws[..., :m]
    mean, std, argmax = (np.array(expected[key]) for key in ("mean", "std", "p_argmax"))
    agree(np.concatenate([every, every**2], -1), np.concatenate([mean, mean**2 + std**2]))
    agree((every == every.max(-1, keepdims=True)).astype(float), argmax)


def test_the_grid_agrees_with_the_reference_posteriors(shared_case):
    for name, key in (("25", "two classes"), ("27", "ties and a rest"), ("29", "all tied")):
        expected = shared_case(name)["expected"]
        log_evidence, mean, second = grid(key, 0.5 if name == "25" else 1.0, 1.0, INDIVIDUAL)
        assert log_evidence == pytest.approx(expected["log_evidence"], abs=1e-6)
        np.testing.assert_allclose(mean, expected["mean"], atol=1e-6)
        np.testing.assert_allclose(np.sqrt(np.diag(second) - mean**2), expected["std"], atol=1e-6)


WEIGHTED = {  # five and six explicit classes
    "K=5, m=5": ([[[0], [1, 2, 3]], [[4, 1], [2]], [[3, 4, 0, 1]]], 5, 5),
    "K=6, m=3": ([[[0, 1], [2]], [[2], [0, 1]], [[1]]], 6, 3),
    "K=6, m=6": ([[[5, 3, 1], [0, 2]], [[4], [5]], [[2, 4]]], 6, 6),
}


@pytest.mark.full
@pytest.mark.parametrize("reliability", [2.5, 1.0, 3.0])
@pytest.mark.parametrize("shape", [1.0, 1 / 6])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weighted_draws(name, shape, reliability):
    """Importance sampling. Every class has its own Gamma variable here: also tests that the lump is the sum of the unmentioned ones."""
    rankings, n_classes, m = WEIGHTED[name]
    rng = np.random.default_rng([n_classes, m, int(2 * reliability)])
    tilt = np.where(np.arange(n_classes) < m, 0.4 * reliability, 0.0)
    values, weights = twin.weighted_draws(rankings, [shape] * n_classes, reliability, 400_000, rng, tilt)
    assert weights.sum() ** 2 / (weights**2).sum() > 4000  # or their standard errors were no good
    values = np.hstack([values[:, :m], values[:, m:].sum(1, keepdims=True)])[:, : m + (n_classes > m)]
    mean, error = twin.weighted_mean(moments(values), weights)
    agree(moments(run_one(rankings, n_classes, shape=shape, reliability=reliability)[..., : values.shape[1]]), mean, error)


# ---- large tied blocks ----
def block_statistics(draws, n):
    block = draws[..., :n]
    return np.stack([block.mean(-1), (block**2).mean(-1), block.min(-1), block.max(-1), draws[..., 0], draws[..., n]], -1)


@pytest.mark.full
@pytest.mark.parametrize("n", [5, 10, 12])
def test_a_fraction_of_a_large_tied_block(n):
    """Half of a block, beyond 9 classes and below; weighted draws with likelihoods from the core (tests/unit/test_likelihood.py)."""
    rankings, n_classes = [[list(range(n)), [n]]], n + 2

    def weigh(nested, rate):
        return np.exp(log_likelihoods([nested] * rate.shape[1], rate.T))

    tilt = np.where(np.arange(n_classes) < n, 0.3, 0.0)
    values, weights = twin.weighted_draws(rankings, [1.0] * n_classes, 0.5, 20_000, np.random.default_rng(n), tilt, weigh)
    assert weights.sum() ** 2 / (weights**2).sum() > 5000
    mean, error = twin.weighted_mean(block_statistics(values, n), weights)
    agree(block_statistics(run_one(rankings, n_classes, reliability=0.5, chains=200, draws=200), n), mean, error)


ONE_BLOCK = [(3, 1.0, 2), (9, 0.5, 1), (10, 1.0, 2), (10, 0.1, 1), (14, 1.0, 300), (60, 1.0, 5), (300, 0.3, 4)]


@pytest.mark.parametrize(("n", "shape", "rest"), ONE_BLOCK)
def test_one_tied_block_exactly(n, shape, rest):
    """One ranking that is one block: its posterior moments are single integrals, whatever its size."""
    mean, second, lump = twin.one_block_moments(n, shape, shape * rest)
    small = n < 50
    draws = run_one([[list(range(n))]], n + rest, shape=shape, chains=200 if small else 60, draws=200 if small else 60)
    found = np.stack([draws[..., :n].mean(-1), (draws[..., :n] ** 2).mean(-1), draws[..., n], draws[..., 0], draws[..., n - 1]], -1)
    agree(found, [mean, second, lump, mean, mean])


@pytest.mark.parametrize(("n", "shape", "rest"), [(4, 1.0, 2), (10, 1.0, 3), (12, 0.3, 2)])
def test_one_tied_block_twice(n, shape, rest):
    """Two annotators agree on it, or one is worth two: a double integral."""
    mean, second, lump = twin.one_block_moments(n, shape, shape * rest, copies=2)
    for rankings, reliability in (([[list(range(n))]] * 2, 1.0), ([[list(range(n))]], 2.0)):
        draws = run_one(rankings, n + rest, shape=shape, reliability=reliability, chains=200, draws=200)
        found = np.stack([draws[..., :n].mean(-1), (draws[..., :n] ** 2).mean(-1), draws[..., n]], -1)
        agree(found, [mean, second, lump])


# ---- (iv) explicit classes against the lump ----
@pytest.mark.parametrize("reliability", [1.0, 2.5])
@pytest.mark.parametrize("shape", [1.0, 1 / 12])
def test_the_lump_is_the_sum_of_its_classes(shape, reliability):
    """An annotator who ties all classes says nothing, but has them all mentioned: no lump."""
    rankings, n_classes = [[[0, 1], [2]], [[2], [0]], [[1]], [[0, 1], [2]]], 12
    lumped = run_one(rankings, n_classes, shape=shape, reliability=reliability)
    single = run_one([*rankings, [list(range(n_classes))]], n_classes, shape=shape, reliability=reliability)[..., :n_classes]
    folded = np.concatenate([single[..., :3], single[..., 3:].sum(-1, keepdims=True)], -1)
    means = moments(lumped).mean(1)
    agree(moments(folded), means.mean(0), means.std(0, ddof=1) / np.sqrt(len(means)))
    agree(single[..., 3:] - single[..., 3:].mean(-1, keepdims=True), 0.0)  # the unmentioned ones are alike


def test_ignored_classes_do_not_matter():
    """With "ignore" the same draws, bit by bit, whatever K is."""
    rankings = [[[0, 1], [2]], [[2], [0]], [[1]]]
    few = Run([rankings], 3, rest=IGNORE, chains=3)
    many = Run([rankings], 419, rest=IGNORE, chains=3)
    np.testing.assert_array_equal(few.values, many.values)
    np.testing.assert_array_equal(few[0][..., 3], 0.0)
    assert not np.array_equal(few.values, Run([rankings], 419, chains=3).values)


def test_names_of_classes_do_not_matter():
    rankings, renamed = [[[0, 1], [2]], [[2], [0]]], [[[5, 7], [100]], [[100], [5]]]
    a, b = Run([rankings], 419, chains=3), Run([renamed], 419, chains=3)
    np.testing.assert_array_equal(a.values, b.values)
    assert b.named(0) == [5, 7, 100]


def test_lump_of_one_class_is_that_class():
    """K = m + 1: "individual" and "lump" are one prior."""
    rankings = [[[0, 1], [2]], [[2], [0]]]
    np.testing.assert_array_equal(Run([rankings], 4, chains=3).values, Run([rankings], 4, rest=LUMP, chains=3).values)


# ---- (v) simulation-based calibration ----

N_DATA, N_RANKS = 1000, 99


def calibration(nested, truth, draws):
    """p-value that the truth (N, K) ranks uniformly among its draws (N, D, K), by chi-square on 20 bins: the plausibility of one class,
    of the first and of the last class that the first annotator ranked, and the likelihood; the least of four, times four.
    """
    first = np.array([rankings[0][0][0] for rankings in nested])
    last = np.array([rankings[0][-1][-1] for rankings in nested])
    one = np.arange(len(nested))
    ranks = [(draws[..., 0] < truth[:, None, 0]).sum(1)]
    ranks += [(draws[one, :, k] < truth[one, k][:, None]).sum(1) for k in (first, last)]
    true = log_likelihoods(nested, truth)
    ranks.append(sum((log_likelihoods(nested, draws[:, d]) < true).astype(int) for d in range(draws.shape[1])))
    width = (draws.shape[1] + 1) // 20
    return min(1.0, 4 * min(stats.chisquare(np.bincount(rank // width, minlength=20)).pvalue for rank in ranks))


@pytest.mark.parametrize("shape", [1.0, 0.4])
def test_simulated_data_are_calibrated(shape):
    """All classes mentioned, for an annotator who ties them all."""
    rng = np.random.default_rng(5)
    truth, nested, _ = twin.simulate(N_DATA, 3, 4, shape, rng, least_ranked=1)
    run = Run([[*rankings, [[0, 1, 2, 3]]] for rankings in nested], 4, shape=shape, chains=1, draws=N_RANKS, thin=20)
    draws = np.stack([run[i][0, :, :4] for i in range(N_DATA)])
    assert calibration(nested, truth, draws) > ALARM


@pytest.mark.parametrize("rest", [INDIVIDUAL, IGNORE])
def test_simulated_data_are_calibrated_with_a_lump(rest):
    """Seven classes; shares of what is mentioned, and of the lump where there is one."""
    rng = np.random.default_rng(6)
    truth, nested, _ = twin.simulate(N_DATA, 2, 5, 0.6, rng, least_ranked=1)
    if rest == IGNORE:  # then only mentioned classes must be there to be passed over: every ranking names all of them
        rest_of = [[[y for y in range(5) if y not in {z for block in ranking for z in block}] for ranking in case] for case in nested]
        nested = [[[*r, others] if others else r for r, others in zip(case, left)] for case, left in zip(nested, rest_of)]
    run = Run(nested, 5, shape=0.6, rest=rest, chains=1, draws=N_RANKS, thin=20)
    ranks = []
    for i in range(N_DATA):
        named, draws = run.named(i), run[i][0]
        best = nested[i][0][0][0]
        lump = (1 - draws[:, :-1].sum(-1) < 1 - truth[i, named].sum()).sum()
        ranks.append([(draws[:, named.index(best)] < truth[i, best]).sum(), lump, len(named) < 5])
    ranks = np.array(ranks)
    p = [stats.chisquare(np.bincount(ranks[:, 0] // 5, minlength=20)).pvalue]
    if rest == INDIVIDUAL:
        p.append(stats.chisquare(np.bincount(ranks[ranks[:, 2] == 1, 1] // 5, minlength=20)).pvalue)
    assert min(p) > ALARM / 2


MIXES = [("all", "all", 1), ("censored", "ranked", 1), ("all", "ranked", 0), ("censored", "all", 0)]


@pytest.mark.full  # what the test above sees; `make test` has the next one
@pytest.mark.parametrize(("times", "counts", "right"), MIXES)
def test_wrong_samplers_are_not_calibrated(times, counts, right):
    """The two wrong mixes of times and numbers fail the very test that the core and the sampler as printed pass."""
    rng = np.random.default_rng(7)
    truth, nested, orders = twin.simulate(N_DATA, 3, 4, 1.0, rng, least_ranked=1)
    sweeps = list(twin.printed_gibbs(nested, orders, 4, 1.0, 30 + 10 * N_RANKS, rng, times, counts))
    p = calibration(nested, truth, np.stack(sweeps[30::10], 1))
    assert (p > ALARM) == right


def test_wrong_samplers_miss_the_moments():
    """Tens of percent: any moment test would do."""
    rankings = [[[0], [1, 2], [3]], [[1], [0, 2]]]
    orders = np.array([[[ranks_agree(ranking, order) for order in twin.permutations(range(4))] for ranking in rankings]] * 200)
    _, mean, _ = twin.grid_posterior(rankings, [1.0] * 4)
    for times, counts, right in (("all", "all", True), ("censored", "ranked", True), ("all", "ranked", False), ("censored", "all", False)):
        sweeps = list(twin.printed_gibbs([rankings] * 200, orders, 4, 1.0, 250, np.random.default_rng(8), times, counts))
        series = np.stack(sweeps[50:], 1)
        if right:
            agree(series, mean)
        else:
            refused("standard errors", agree, series, mean, error=AssertionError)
            assert np.abs(series.mean((0, 1)) / mean - 1).max() > 0.1


def ranks_agree(ranking, order):
    place = {y: k for k, y in enumerate(order)}
    unranked = [y for y in order if all(y not in block for block in ranking)]
    blocks = [block for block in [*ranking, unranked] if block]
    return all(max(place[y] for y in a) < min(place[y] for y in b) for a, b in zip(blocks[:-1], blocks[1:]))


# ---- (vi) the prior's rate ----

CASES = [[[[0, 1], [2]], [[2], [0]], [[1]]], [], [[[3]], [[3]], [[3], [0, 1, 2]]], [[[5, 4], [1]], [[5, 4], [1]], []]]
BIG = [[list(range(12))], [[3], list(range(4, 15))]]


@pytest.mark.parametrize("rate", [1e-6, 1e3, 2.0**40])
@pytest.mark.parametrize("reliability", [1.0, 2.5, 10.0])
def test_the_rate_of_the_prior_does_not_matter(rate, reliability):
    """The same random numbers, another unit of time: equal up to rounding, in every draw."""
    options = {"shape": 0.05, "reliability": reliability, "chains": 2, "draws": 300}
    a, b = Run([*CASES, BIG], 20, **options), Run([*CASES, BIG], 20, rate=rate, **options)
    np.testing.assert_allclose(b.values, a.values, rtol=1e-8, atol=1e-12)


# ---- (vii) reliability ----
@pytest.mark.parametrize("n", [2, 3, 20])
def test_reliability_n_is_n_copies(n):
    """Equal rankings are merged: the very same draws."""
    repeated = [case * n for case in [*CASES, BIG]]
    options = {"shape": 0.7, "chains": 2}  # below 0.5 the two may differ in whether a scale is moved
    a, b = Run([*CASES, BIG], 20, reliability=float(n), **options), Run(repeated, 20, **options)
    np.testing.assert_array_equal(a.values, b.values)
    assert len(a.stages) == len(b.stages)
    half = Run(repeated, 20, reliability=0.5, **options)
    np.testing.assert_array_equal(half.values, Run([*CASES, BIG], 20, reliability=n / 2, **options).values)


def test_copies_need_not_be_merged():
    """Copies of one ranking against the same annotators with one harmless difference each: the law is the same."""
    tied = [[0, 1], [2]]
    one = run_one([tied] * 3 + [[[2], [1]]], 6)  # three copies: one stage
    three = run_one([tied, [[0, 1], [2], [3, 4, 5]], [[0, 1], [2]], [[2], [1]]], 6)
    means = one.mean(1)
    lump = three[..., 3:].sum(-1, keepdims=True)
    agree(np.concatenate([three[..., :3], lump], -1), means.mean(0), means.std(0, ddof=1) / np.sqrt(len(means)))


def test_stages_are_merged():
    """Rankings that agree at the top share that stage; the order of names within a tie does not matter."""
    run = Run([[[[0, 1], [2]], [[1, 0], [3]], [[0, 1]], [[2], [0, 1]]]], 6, draws=1, chains=1)
    assert len(run.stages) == 1 + 2 + 2  # {0,1} thrice; {2} and {3} behind it; {2}, {0,1} behind that
    assert run.named(0) == [0, 1, 2, 3]
    last = Run([[[[0], [1]], [[1], [0]], [[0, 1]]]], 2, draws=1, chains=1)
    assert len(last.stages) == 2  # {0} before {1}, {1} before {0}: a block with nothing behind it is no stage


# ---- (viii) determinism ----
def test_draws_are_reproducible():
    a, b = (Run([*CASES, BIG], 20, reliability=2.5, chains=2, seed=3) for _ in range(2))
    assert a.values.tobytes() == b.values.tobytes()
    assert not (Run([*CASES, BIG], 20, reliability=2.5, chains=2, seed=4)[0] == a[0]).any()
    assert not (a[0][0] == a[0][1]).any()  # chains differ


def test_draws_do_not_depend_on_chunks_nor_on_other_cases():
    whole = Run([*CASES, BIG], 20, reliability=2.5, chains=2)
    parts = Run([*CASES, BIG], 20, reliability=2.5, chains=2, parts=[(3, 5), (0, 1), (1, 3), (2, 2)])
    assert whole.values.tobytes() == parts.values.tobytes()
    order = [4, 2, 0]
    some = Run([[*CASES, BIG][i] for i in order], 20, reliability=2.5, chains=2, case_ids=order)
    for place, i in enumerate(order):
        np.testing.assert_array_equal(some[place], whole[i])


def test_more_chains_and_draws_begin_with_the_same():
    few, many = Run(CASES, 20, chains=2, draws=10), Run(CASES, 20, chains=4, draws=30)
    for i in range(len(CASES)):
        np.testing.assert_array_equal(many[i][:2, :10], few[i])
    thinned = Run(CASES, 20, chains=2, draws=10, thin=3)
    np.testing.assert_array_equal(thinned[0], many[0][:2, 2:30:3])


def test_parts_leave_other_cases_alone():
    run = Run(CASES, 20, chains=1, draws=5, parts=[(1, 2)])
    assert (run[0] == -1).all()
    assert (run[1] != -1).all()
    assert (run[2] == -1).all()


def test_the_stop_flag_ends_the_run():
    r = Rankings.from_blocks(CASES, n_classes=20)
    stages = core.Stages(r.case_offsets, r.ranking_offsets, r.block_offsets, r.items, 20, True)
    values = np.full((stages.n_mentioned() + 4) * 10**6, -1.0)
    assert not stages.gibbs(r.axes.stream_keys, 1.0, 1.0, 1.0, 1, 0, 10**6, 1, 1, 0, 0, 4, np.ones(1, np.int32), values)
    assert (values == -1).all()


# ---- extremes ----
@pytest.mark.parametrize("reliability", [1e-3, 1.0, 2.5, 1e6])
@pytest.mark.parametrize("shape", [1e-6, 1 / 419, 1.0, 1e6])
def test_extreme_options_give_plausibilities(shape, reliability):
    run = Run(CASES, 419, shape=shape, reliability=reliability, chains=2, draws=50)
    assert np.isfinite(run.values).all()
    for i in range(len(CASES)):
        assert (run[i] >= 0).all()
        np.testing.assert_allclose(run[i].sum(-1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("shape", [1e-6, 1e-300])
def test_tiny_shapes(shape):
    """A total that underflows is no total of equal shares: one class has everything, each of the tied ones as often."""
    draws = run_one([[[0, 1, 2, 3]]], 4, shape=shape, draws=50)[..., :4]
    agree(draws, 0.25)
    np.testing.assert_allclose(draws.max(-1), 1.0, rtol=1e-3)
    concentration = [shape + 6, shape + 4, shape + 2]
    agree(moments(run_one([[[0]]] * 3 + [[[1]]] * 2 + [[[2]]], 3, reliability=2.0, shape=shape)[..., :3]), dirichlet_moments(concentration))


TOPS = {  # one class is in most first blocks: with a small shape its scale is moved
    "alone": ([[[0]]] * 5 + [[[0], [1, 2]], [[0], [2]]], 3),
    "in ties": ([[[0, 1], [2]], [[0], [1, 2]], [[2, 0]], [[0, 1]]], 3),
    "mostly": ([[[0], [1]]] * 4 + [[[1]]], 2),
}


@pytest.mark.full
@pytest.mark.parametrize("reliability", [2.5, 1.5, 10.0])
@pytest.mark.parametrize("name", TOPS)
def test_a_class_that_most_put_on_top(name, reliability):
    """The slow tail, and the moves of a scale that shorten it."""
    rankings, n_classes = TOPS[name]
    mean, second = twin.grid_posterior(rankings, [0.2] * n_classes, reliability)[1:]
    draws = run_one(rankings, n_classes, shape=0.2, reliability=reliability, draws=1000)[..., :n_classes]
    agree(moments(draws), expected_moments(mean, second))
    mean, second = twin.grid_posterior(rankings, [0.2] * n_classes + [0.6], reliability)[1:]
    agree(moments(run_one(rankings, n_classes + 3, shape=0.2, reliability=reliability)), expected_moments(mean, second))


# ---- figure 5 ----
def test_figure_5_of_the_paper(dermatology):
    """Case 1026, annotators thrice, one class for all that nobody mentioned: P(top-1 in {40, 171, 244}) = 0.70, in {171, 244, 245} 1.00.

    An exact run gives 0.685 for the first; the standard error here is 0.001.
    """
    run = Run([dermatology.annotations[1026]], 419, reliability=3.0, rest=LUMP, chains=200, draws=1000)
    best = run[0][..., :-1].argmax(-1)
    named = np.array(run.named(0))
    assert np.isin(named[best], [40, 171, 244]).mean() == pytest.approx(0.685, abs=0.01)
    assert np.isin(named[best], [171, 244, 245]).mean() > 0.995
    assert run[0].argmax(-1).max() < len(named)  # the lump is never the best
