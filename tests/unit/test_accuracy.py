"""Uncertainty-adjusted metrics against their definitions: all orders that ties leave open, on both sides, with exact probabilities."""

import pickle
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused, warned
from scipy.stats import weightedtau
from twins import dirichlet as races
from twins import orders as twin

import ugt
from ugt import Dirichlet, Draws, Point
from ugt.metrics import lists as accuracy
from ugt.plausibilities import dirichlet_comparison
from ugt.plausibilities.metric import METRICS as DECLARED

METRICS = {
    "topk": ugt.ua_topk_accuracy,
    "two inside": lambda truth, scores, k=1, **options: ugt.ua_topk_accuracy(truth, scores, k, j=min(2, k), **options),
    "set": ugt.metrics.ua_set_accuracy,
    "overlap": ugt.metrics.ua_overlap,
    "average_overlap": ugt.ua_average_overlap,
    "rank_biased": ugt.metrics.ua_rank_biased_overlap,
    "kendall": ugt.metrics.ua_kendall_distance,
    "footrule": ugt.papers.ua_footrule_distance,
    "weighted": ugt.papers.ua_weighted_kendall_distance,
    "ndcg": ugt.papers.ua_ndcg,
    "reciprocal": ugt.metrics.ua_reciprocal_rank,
}
BREAK_TIES = {"expectation": twin.tie_breaks, "first": twin.by_position}
PENALTIES = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)])


def small(most, positive=False):
    """Vectors of 1 to 4 whole numbers; ``positive``: some of them above 0."""
    return st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(0, most), min_size=n, max_size=n).filter(any if positive else bool))


def like(vector, most, size=1):
    """Rows of whole numbers as long as a vector."""
    return st.lists(st.lists(st.integers(0, most), min_size=len(vector), max_size=len(vector)), min_size=size, max_size=size)


def options(metric, penalty):
    return {"penalty": float(penalty)} if metric in ("kendall", "weighted") else {}


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
@given(small(2, positive=True), PENALTIES, st.data())
def test_point(metric, truth, penalty, data):
    (scores,) = data.draw(like(truth, 2))
    k = data.draw(st.integers(1, len(truth)))
    for ties, break_ties in BREAK_TIES.items():
        expected = twin.expected(metric, break_ties(scores), break_ties(truth), k, penalty)
        found = METRICS[metric](ugt.Point.from_array([truth]), [scores], k, ties=ties, **options(metric, penalty))
        assert found.value == pytest.approx(float(expected), abs=1e-13)
        assert (found.draw_std, found.mc_error, found.n_cases) == (0, 0, 1)
        assert found.draw_interval() == (found.value, found.value)


def test_sets_that_are_certain_on_one_side_each():
    # the model's set is {1, 0} and one of {2, 3}, the truth's {2, 3} and one of {0, 1}: never the same
    assert ugt.metrics.ua_set_accuracy(ugt.Point.from_array([[0, 0, 2, 1]]), [[1, 2, 0, 0]], 3).value == 0
    assert ugt.metrics.ua_set_accuracy(Dirichlet.from_array([[0, 0, 2, 1]]), [[1, 2, 0, 0]], 3).value == 0


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
@given(small(2, positive=True), PENALTIES, st.data())
def test_draws(metric, first, penalty, data):
    """Two cases of three draws: mean, spread and each draw's value of the whole data set."""
    vectors = [[first, *data.draw(like(first, 2, 2).filter(lambda rows: all(map(any, rows))))] for _ in range(2)]
    scores = data.draw(like(first, 2, 2))
    k = data.draw(st.integers(1, len(first)))
    table = [[twin.expected(metric, twin.tie_breaks(s), twin.tie_breaks(v), k, penalty) for v in case] for s, case in zip(scores, vectors)]
    found = METRICS[metric](np.array(vectors, float), scores, k, **options(metric, penalty))
    per_draw = [float(sum(column) / 2) for column in zip(*table)]
    np.testing.assert_allclose(found.per_case, [float(sum(row) / 3) for row in table], atol=1e-13)
    np.testing.assert_allclose(found.per_draw, per_draw, atol=1e-13)
    assert found.value == pytest.approx(np.mean(per_draw), abs=1e-13)
    assert found.draw_std == pytest.approx(np.std(per_draw), abs=1e-7)
    assert found.mc_error == pytest.approx(np.std(per_draw, ddof=1) / np.sqrt(3), abs=1e-7)
    np.testing.assert_allclose(found.draw_quantile([0.0, 0.3, 1.0]), np.quantile(per_draw, [0, 0.3, 1]), atol=1e-13)


def dirichlet_laws(metric, concentrations, scores, k, penalty, break_ties=twin.tie_breaks):
    """The law over draws of each case."""
    laws = []
    for concentration, row in zip(concentrations, scores):
        zeros = {y for y, c in enumerate(concentration) if c == 0}
        laws.append(twin.law_of_case(metric, break_ties(row), races.orders(concentration), zeros, k, penalty))
    return laws


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
@given(small(3, positive=True), PENALTIES, st.data())
def test_dirichlet(metric, first, penalty, data):
    concentrations = [first, *data.draw(like(first, 3).filter(lambda rows: all(map(any, rows))))]
    scores = data.draw(like(first, 2, 2))
    k = data.draw(st.integers(1, len(first)))
    post = Dirichlet.from_array(concentrations)
    for ties, break_ties in BREAK_TIES.items():
        found = METRICS[metric](post, scores, k, ties=ties, **options(metric, penalty))
        laws = dirichlet_laws(metric, concentrations, scores, k, penalty, break_ties)
        mean, variance = twin.moments(twin.law_of_mean(laws))
        np.testing.assert_allclose(found.per_case, [float(twin.moments(law)[0]) for law in laws], atol=1e-12)
        assert found.value == pytest.approx(float(mean), abs=1e-12)
        assert found.draw_std**2 == pytest.approx(float(variance), abs=1e-12)
        assert (found.mc_error, found.per_draw, found.n_cases) == (0, None, 2)


# ---- the law over draws --------------------------------------------------------------------------------

CONCENTRATIONS = [[3, 2, 1, 1], [1, 4, 2, 2], [2, 2, 2, 5]]
DISTINCT = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.3, 0.2], [0.3, 0.1, 0.2, 0.4]]
TIED = [[0.4, 0.3, 0.3, 0.1], [0.4, 0.4, 0.3, 0.2], [0.3, 0.1, 0.3, 0.3]]  # two or three classes: values are twelfths
WITH_ZEROS = [[3, 0, 1, 1], [1, 4, 0, 0], [2, 2, 2, 5]]


@pytest.mark.parametrize(
    "metric", [metric for metric in METRICS if metric not in ("rank_biased", "weighted", "ndcg")]
)  # of which are on no lattice
@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("concentrations", [CONCENTRATIONS, WITH_ZEROS])
def test_quantiles_are_exact(metric, k, concentrations):
    law = twin.law_of_mean(dirichlet_laws(metric, concentrations, DISTINCT, k, Fraction(1, 2)))
    found = METRICS[metric](Dirichlet.from_array(concentrations), DISTINCT, k, **options(metric, Fraction(1, 2)))
    q = np.array([0.0, 1e-6, 0.01, 0.025, 0.1, 0.3, 0.5, 0.7, 0.95, 0.975, 0.9999, 1.0])
    expected = [float(twin.quantile(law, Fraction(x))) for x in q]
    np.testing.assert_allclose(found.draw_quantile(q), expected, atol=1e-12)
    assert found.draw_interval(0.95) == pytest.approx((expected[3], expected[9]), abs=1e-12)
    assert found.draw_quantile(0.5).shape == ()


def test_weighted_kendall_of_all_classes_is_the_weighted_tau():
    rng = np.random.default_rng(0)
    truth, scores = rng.dirichlet(np.ones(6), 20), rng.random((20, 6))
    found = ugt.papers.ua_weighted_kendall_distance(truth, scores, 6).per_case
    tau = [weightedtau(s, t, rank=np.argsort(np.argsort(-t)))[0] for s, t in zip(scores, truth)]
    np.testing.assert_allclose(1 - 2 * found * 6 / 5, tau, atol=1e-12)
    discount = 1 / np.log2(np.arange(2, 8))
    gain = 6 - np.argsort(np.argsort(-truth, axis=1), axis=1)
    in_order = np.take_along_axis(gain, np.argsort(-scores, axis=1), axis=1)
    ideal = np.arange(6, 0, -1) @ discount
    np.testing.assert_allclose(ugt.papers.ua_ndcg(truth, scores, 6).per_case, in_order @ discount / ideal, atol=1e-12)


@pytest.mark.parametrize("metric, k", [("kendall", 3), ("kendall", 4), ("footrule", 4)])
def test_quantiles_with_three_classes_of_plausibility_zero_are_exact(metric, k):
    concentrations, scores = [[2, 3, 0, 0, 0], [0, 1, 0, 2, 0]], [[0.1, 0.5, 0.2, 0.3, 0.4], [0.5, 0.4, 0.3, 0.2, 0.1]]
    law = twin.law_of_mean(dirichlet_laws(metric, concentrations, scores, k, Fraction(0)))
    found = METRICS[metric](Dirichlet.from_array(concentrations), scores, k)
    q = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    np.testing.assert_allclose(found.draw_quantile(q), [float(twin.quantile(law, Fraction(x))) for x in q], atol=1e-12)


@pytest.mark.parametrize("metric", ["topk", "set", "overlap"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_quantiles_with_ties_of_twelfths_are_exact(metric, k):
    law = twin.law_of_mean(dirichlet_laws(metric, CONCENTRATIONS, TIED, k, Fraction(0)))
    found = METRICS[metric](Dirichlet.from_array(CONCENTRATIONS), TIED, k)
    q = np.array([0.0, 0.01, 0.025, 0.1, 0.3, 0.5, 0.7, 0.95, 0.975, 0.9999, 1.0])
    np.testing.assert_allclose(found.draw_quantile(q), [float(twin.quantile(law, Fraction(x))) for x in q], atol=1e-12)


@pytest.mark.parametrize("prior", [0.5, 0.0])
@pytest.mark.parametrize("metric", ["average_overlap", "rank_biased", "kendall", "footrule"])
def test_cases_that_are_alike_have_the_bytes_of_each_alone(metric, prior):
    rng = np.random.default_rng(0)
    counts, scores = rng.multinomial(4, [0.4, 0.3, 0.2, 0.1], 300), np.array([0.0, 0.0, 0.5, 1.0])[rng.random((300, 4)).argsort(axis=1)]
    truth = ugt.dirichlet(ugt.Labels.from_counts(counts), prior=prior)
    found = METRICS[metric](truth, scores, 3)
    alone = [METRICS[metric](truth.take(np.array([i])), scores[i : i + 1], 3) for i in range(300)]
    np.testing.assert_array_equal(found.per_case, [one.value for one in alone])
    if prior > 0:  # else the lattice depends on whether some case has classes that are impossible
        np.testing.assert_array_equal(found._law(np.inf).pmf, np.concatenate([one._law(np.inf).pmf for one in alone]))


@pytest.mark.parametrize(
    "metric, concentrations, scores",
    [
        *(("kendall", WITH_ZEROS, TIED), ("footrule", WITH_ZEROS, TIED), ("average_overlap", CONCENTRATIONS, TIED)),
        *(("rank_biased", CONCENTRATIONS, DISTINCT), ("rank_biased", WITH_ZEROS, TIED)),
    ],
)
def test_quantiles_of_split_values(metric, concentrations, scores):
    """Values between points of the lattice are split: the mean stays, a quantile moves by less than the lattice's step."""
    law = twin.law_of_mean(dirichlet_laws(metric, concentrations, scores, 3, Fraction(0)))
    found = METRICS[metric](Dirichlet.from_array(concentrations), scores, 3)
    pmf = found._law(np.inf).pmf
    points = np.arange(pmf.shape[1]) / (pmf.shape[1] - 1)
    assert (pmf @ points).sum() + np.nansum(found._law(np.inf).least) == pytest.approx(3 * found.value, abs=1e-12)
    for q in (0.025, 0.2, 0.5, 0.8, 0.975):
        around = [float(twin.quantile(law, Fraction(x))) for x in (q - 0.02, q + 0.02)]
        assert around[0] - points[1] <= found.draw_quantile(q) <= around[1] + points[1]


def test_large_data_sets_by_the_normal_limit(monkeypatch):
    post = Dirichlet.from_array(CONCENTRATIONS * 40)
    exact = ugt.metrics.ua_overlap(post, DISTINCT * 40, 2)
    q = np.array([0.025, 0.3, 0.5, 0.975])
    quantiles = exact.draw_quantile(q)
    monkeypatch.setattr(ugt.plausibilities.estimates, "EXACT_LAW_WORK", 0)
    limit = ugt.metrics.ua_overlap(post, DISTINCT * 40, 2).draw_quantile(q)
    assert (limit != quantiles).all()
    np.testing.assert_allclose(limit, quantiles, atol=0.005)  # half a step of 1/240, and the skewness


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ties", ["expectation", "first"])
def test_equal_cases_are_computed_once(monkeypatch, metric, ties):
    """The same bytes as case by case: with impossible classes, cases without annotations, ties in the scores."""
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 3, (7, 4)) + np.array([1.0, 0.0, 0.0, 0.0])
    counts[2] = np.nan
    cases = rng.integers(0, 7, 300)
    few = np.array([[0.4, 0.3, 0.2, 0.1], [0.25, 0.25, 0.25, 0.25], [0.1, 0.4, 0.4, 0.1]])
    scores, q = few[rng.integers(0, 3, 300)], [0.0, 0.3, 0.9]
    for prior in (0.3, 0.0):
        found = []
        for many in (10**9, 1):
            monkeypatch.setattr(dirichlet_comparison, "MANY", many)
            post = Dirichlet.from_array((counts + prior)[cases])
            found.append(METRICS[metric](post, scores, 2, ties=ties))
            _, computed = post._kept._last.get("distinct cases", (None, None))  # not asked for by top-k accuracy
            assert computed is None if many > 300 or metric in ("topk", "reciprocal") else computed[0].n_cases <= 21
        whole, once = found
        assert whole.per_case.tobytes() == once.per_case.tobytes() and np.isnan(once.per_case).any()
        assert (whole.draw_std, whole.draw_quantile(q).tolist()) == (once.draw_std, once.draw_quantile(q).tolist())


def test_best_and_worst_case():
    found = ugt.ua_topk_accuracy(Dirichlet.from_array([[2, 1], [1, 3]]), [[1, 0], [1, 0]])
    assert found.draw_quantile([0.0, 1.0]).tolist() == [0, 1]
    certain = ugt.ua_topk_accuracy(Dirichlet.from_array([[2, 1], [3, 0]]), [[1, 0], [1, 0]])
    assert certain.draw_quantile([0.0, 1.0]).tolist() == [0.5, 1]


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_rank_biased_overlap_by_hand(p):
    truth = [[1, 6, 5, 4, 3]]
    for scores, overlaps in (([5, 4, 3, 2, 0], (0, 1 / 2, 2 / 3, 3 / 4)), ([1, 5, 4, 3, 0], (1, 1, 1, 3 / 4))):
        expected = (1 - p) * sum(a * p**d for d, a in enumerate(overlaps)) + p**4 * overlaps[-1]
        assert ugt.metrics.ua_rank_biased_overlap(ugt.Point.from_array(truth), [scores], 4, persistence=p).value == pytest.approx(
            expected, abs=1e-14
        )
    with pytest.raises(ValueError, match=r"persistence must be a number between 0 and 1\. Got"):
        ugt.metrics.ua_rank_biased_overlap(truth, [scores], 2, persistence=round(p + 0.5) + 0.0)


def test_a_law_without_a_lattice_may_be_coarser():
    """Rank-biased overlaps lie between the points of any lattice: means stay, deviations grow by some 0.3 %."""
    truth = ugt.dirichlet(ugt.Labels.from_counts(np.random.default_rng(1).multinomial(4, [0.4, 0.3, 0.2, 0.1], 30)))
    found = ugt.metrics.ua_rank_biased_overlap(truth, np.tile([[0.4, 0.1, 0.3, 0.2]], (30, 1)), k=3)
    assert found._law(59.9) is None
    for finest, shape in ((60.5, 61), (719, 720), (1e9, 721)):
        law = found._law(finest)
        at = np.arange(shape) / (shape - 1)
        mean = law.pmf @ at
        assert law.pmf.shape[1] == shape
        assert (mean.sum() + np.nansum(law.least)) / 30 == pytest.approx(found.value, abs=1e-12)
        assert np.sqrt((law.pmf @ at**2 - mean**2).sum()) / 30 == pytest.approx(found.draw_std, rel=4e-3)


# ---- lists that are too many to enumerate ---------------------------------------------------------------
@pytest.mark.parametrize("metric", ["average_overlap", "kendall", "footrule", "rank_biased"])
def test_sampled_lists(metric, monkeypatch):
    rng = np.random.default_rng(1)
    post = Dirichlet.from_array(np.vstack([rng.uniform(0.1, 3, (30, 6)), [np.nan] * 6]))
    scores = rng.integers(0, 4, (31, 6))
    exact = METRICS[metric](post, scores, 3)
    monkeypatch.setattr(dirichlet_comparison, "MOST_LISTS", 5)
    sampled = METRICS[metric](post.take(np.arange(31)), scores, 3)
    assert sampled.per_draw.shape == (1000,)
    assert np.isnan(sampled.per_case[30])
    assert np.isnan(sampled.per_case).sum() == 1
    if metric == "average_overlap":
        np.testing.assert_allclose(sampled.per_case, exact.per_case, atol=1e-12)
        assert sampled.mc_error == 0
    else:
        assert sampled.value == pytest.approx(exact.value, abs=5 * sampled.mc_error)
        assert sampled.mc_error == pytest.approx(exact.draw_std / np.sqrt(1000), rel=0.2)
        assert sampled.value != exact.value
    # 1,000 draws: the standard deviation has an error of 1/sqrt(2000) of itself
    assert sampled.draw_std == pytest.approx(exact.draw_std, rel=5 / np.sqrt(2000))
    assert sampled.draw_interval() == pytest.approx(exact.draw_interval(), abs=0.3 * exact.draw_std)


# ---- prediction sets -----------------------------------------------------------------------------------
def in_three_forms(sets, n_classes):
    mask = np.zeros((len(sets), n_classes), bool)
    for i, members in enumerate(sets):
        mask[i, sorted(members)] = True
    return mask, [sorted(members) for members in sets], [np.array(sorted(members, reverse=True), np.int32) for members in sets]


@pytest.mark.slow
@given(small(2, positive=True), st.data())
def test_coverage(first, data):
    n_classes = len(first)
    table = [first, *data.draw(like(first, 2, 2).filter(lambda rows: all(map(any, rows))))]
    sets = data.draw(st.lists(st.sets(st.integers(0, n_classes - 1)), min_size=3, max_size=3))
    laws = [races.orders(c) for c in table]
    p = np.array([float(sum(q for order, q in law.items() if order[0] in s)) for law, s in zip(laws, sets)])
    for given_sets in in_three_forms(sets, n_classes):
        for ties, orders in BREAK_TIES.items():
            hits = [np.mean([order[0] in s for order in orders(v)]) for v, s in zip(table, sets)]
            np.testing.assert_allclose(
                ugt.metrics.ua_coverage(ugt.Point.from_array(table), given_sets, ties=ties).per_case, hits, atol=1e-14
            )
            # the three vectors as draws of one case, whose set is the first
            hits = [np.mean([order[0] in sets[0] for order in orders(v)]) for v in table]
            np.testing.assert_allclose(
                ugt.metrics.ua_coverage(Draws.from_array(np.array([table], float)), given_sets[:1], ties=ties).per_draw, hits, atol=1e-14
            )
        exact = ugt.metrics.ua_coverage(Dirichlet.from_array(table), given_sets)
        np.testing.assert_allclose(exact.per_case, p, atol=1e-12)
        assert exact.draw_std**2 == pytest.approx((p * (1 - p)).sum() / 9, abs=1e-12)
        assert exact.mean_set_size == np.mean([len(s) for s in sets])


OF_SETS = {
    "two inside": partial(ugt.metrics.ua_coverage, j=2),
    "set": ugt.metrics.ua_set_accuracy,
    "overlap": ugt.metrics.ua_overlap,
}


@pytest.mark.slow
@pytest.mark.parametrize("metric", OF_SETS)
@given(small(2, positive=True).filter(lambda v: len(v) > 1), st.data())
def test_given_sets_of_any_size(metric, first, data):
    """Each as a model's best, in any order; sets that are too small, and empty ones, have 0."""
    n_classes = len(first)
    table = [first, *data.draw(like(first, 2, 2).filter(lambda rows: all(map(any, rows))))]
    sets = data.draw(
        st.lists(st.sets(st.integers(0, n_classes - 1)), min_size=3, max_size=3).filter(lambda s: sum(map(len, s)) < 3 * n_classes)
    )
    least = 2 if metric == "two inside" else 1
    models = [twin.tie_breaks([y in s for y in range(n_classes)]) for s in sets]

    def expected(i, orders):
        return twin.expected(metric, models[i], orders, len(sets[i])) if len(sets[i]) >= least else Fraction(0)

    def law(i):
        if len(sets[i]) < least:
            return {Fraction(0): Fraction(1)}
        zeros = {y for y, c in enumerate(table[i]) if c == 0}
        return twin.law_of_case(metric, models[i], races.orders(table[i]), zeros, len(sets[i]))

    mean = twin.law_of_mean([law(i) for i in range(3)])
    for given_sets in in_three_forms(sets, n_classes):
        for ties, orders in BREAK_TIES.items():
            values = [float(expected(i, orders(v))) for i, v in enumerate(table)]
            np.testing.assert_allclose(OF_SETS[metric](Point.from_array(table), given_sets, ties=ties).per_case, values, atol=1e-14)
        found = OF_SETS[metric](Dirichlet.from_array(table), given_sets)
        np.testing.assert_allclose(found.per_case, [float(twin.moments(law(i))[0]) for i in range(3)], atol=1e-12)
        assert found.draw_std**2 == pytest.approx(float(twin.moments(mean)[1]), abs=1e-12)
        assert found.mean_set_size == np.mean([len(s) for s in sets])
        draws = np.array([np.roll(table, d, axis=0) for d in range(3)], float).transpose(1, 0, 2)  # (cases, draws, classes)
        found = OF_SETS[metric](Draws.from_array(draws), given_sets)
        values = [[float(expected(i, twin.tie_breaks(v))) for v in case.tolist()] for i, case in enumerate(draws)]
        np.testing.assert_allclose(found.per_draw, np.mean(values, axis=0), atol=1e-13)
        np.testing.assert_allclose(found.per_case, np.mean(values, axis=1), atol=1e-13)


def test_given_sets_are_full_estimates():
    post = Dirichlet.from_array(np.array([[6, 3, 1], [1, 1, 3], [2, 2, 2], [4, 1, 1]]), classes=["a", "b", "c"], case_ids=list("wxyz"))
    sets, scores = [["a"], ["a", "c"], [], ["b", "c"]], [[3, 2, 1], [2, 1, 3], [1, 2, 3], [0, 1, 2]]
    known = ugt.conformal.PredictionSets.of([[0], [0, 2], [], [1, 2]], n_classes=3, case_ids=list("wxyz"))
    for metric in (ugt.metrics.ua_set_accuracy, ugt.metrics.ua_overlap):
        found = metric(post, sets)
        for same in (known, known.mask(), [list(row) for row in known]):
            assert metric(post, same).per_case.tolist() == found.per_case.tolist()
        np.testing.assert_allclose(found.per_case[[0, 3]], [metric(post, scores, k).per_case[i] for i, k in ((0, 1), (3, 2))], atol=1e-14)
        assert (found.per_case[2], found.mean_set_size, found.n_cases) == (0, 1.25, 4)
        low, high = found.interval()
        assert low < found.value < high and found.draw_std > 0
        assert found.minus(metric(post, scores, 2)).value == pytest.approx(found.value - metric(post, scores, 2).value)
    np.testing.assert_array_equal(ugt.metrics.ua_set_accuracy(post, sets).per_case, post.set_probability(sets))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda t: ugt.ua_topk_accuracy(t, [[0.5, 0.3, 0.2]] * 2, 2, j=3), "j must be a whole number from 1 to 2. Got 3"),
        (lambda t: ugt.ua_topk_accuracy(t, [[0.5, 0.3, 0.2]] * 2, 2, j=0), "j must be a whole number from 1 to 2. Got 0"),
        (lambda t: ugt.metrics.ua_coverage(t, [[0], [1]], j=4), "j must be a whole number from 1 to 3. Got 4"),
        (lambda t: ugt.metrics.ua_set_accuracy(t, [[0.5, 0.3, 0.2]] * 2), "k must be given with scores .*Got None"),
        (lambda t: ugt.metrics.ua_overlap(t, [[0, 1, 2]] * 2), "k must be given with scores .*give a boolean mask"),
        (
            lambda t: ugt.metrics.ua_set_accuracy(t, [["a"], ["c", "A"]]),
            "sets must hold names of the 3 classes, such as 'a'. Got 'A', first at case 'y'",
        ),
        (
            lambda t: ugt.metrics.ua_overlap(t, ugt.conformal.PredictionSets.of([[0], [1]], 3, case_ids=["y", "z"])),
            r"sets must have the cases as its rows .*Got rows 'y', 'z' for cases 'x', 'y': 1 unknown, first 'z'",
        ),
        (
            lambda t: ugt.metrics.ua_overlap(t, ugt.conformal.PredictionSets.of([[0], [1]], 4)),
            "sets must be of 2 cases and 3 classes, as the truth. Got 2 cases and 4",
        ),
    ],
)
def test_sets_that_do_not_fit(call, message):
    refused(message, call, Dirichlet.from_array([[6, 3, 1], [1, 1, 3]], classes=["a", "b", "c"], case_ids=["x", "y"]))


@pytest.mark.slow
@given(small(5, positive=True), st.data())
def test_plausibility_mass(first, data):
    n_classes = len(first)
    table = np.array([first, *data.draw(like(first, 5, 2).filter(lambda rows: all(map(any, rows))))], float)
    sets = data.draw(st.lists(st.sets(st.integers(0, n_classes - 1)), min_size=3, max_size=3))
    inside = np.array([[y in s for y in range(n_classes)] for s in sets])
    share = (table * inside).sum(1) / table.sum(1)
    for given_sets in in_three_forms(sets, n_classes):
        for truth in (Point.from_array(table), Dirichlet.from_array(table), Draws.from_array(table[:, None])):
            found = ugt.metrics.ua_plausibility_mass(truth, given_sets)
            np.testing.assert_allclose(found.per_case, share, atol=1e-14)
            assert found.mean_set_size == np.mean([len(s) for s in sets])
    exact = ugt.metrics.ua_plausibility_mass(Dirichlet.from_array(table), list(map(sorted, sets)))
    a, b = (table * inside).sum(1), (table * ~inside).sum(1)
    variance = a * b / ((a + b) ** 2 * (a + b + 1))  # of a Beta(a, b) variable
    assert exact.draw_std == pytest.approx(np.sqrt(variance.sum()) / 3, abs=1e-14)


def test_mass_over_draws():
    draws = np.array([[[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], [[0.2, 0.2, 0.6], [0.0, 1.0, 0.0]]])
    found = ugt.metrics.ua_plausibility_mass(draws, [[0, 1], [2]])
    np.testing.assert_allclose(found.per_draw, [(0.8 + 0.6) / 2, (0.2 + 0.0) / 2])
    np.testing.assert_allclose(found.per_case, [0.5, 0.3])
    assert found.draw_std == pytest.approx(0.3)


def test_mass_with_a_background():
    axes = ugt.annotations.Axes.of(1, 10)
    post = Dirichlet(axes, np.array([0, 2]), np.array([1, 4], np.int32), np.array([3.0, 2.0]), 0.5)
    assert ugt.metrics.ua_plausibility_mass(post, [[1, 7, 8]]).value == pytest.approx(4 / 9)
    assert ugt.metrics.ua_plausibility_mass(post, [[]]).value == 0


# ---- what is left out, and what is refused --------------------------------------------------------------
def metrics_of_any_kind():
    """(metric, what it judges) for three cases of three classes."""
    return [
        *((partial(metric, k=2), [[0.5, 0.3, 0.2]] * 3) for metric in METRICS.values()),
        *((metric, [[0, 1]] * 3) for metric in (ugt.metrics.ua_coverage, ugt.metrics.ua_plausibility_mass, *OF_SETS.values())),
    ]


@pytest.mark.parametrize("metric, prediction", metrics_of_any_kind())
def test_undefined_cases_are_left_out_and_counted(metric, prediction):
    table = np.array([[3.0, 2.0, 1.0], [np.nan] * 3, [1.0, 2.0, 2.0]])
    rng = np.random.default_rng(0)
    draws = np.where(np.isnan(table)[:, None], np.nan, rng.uniform(0.1, 1, (3, 5, 3)))
    for truth in (Point.from_array(table), Dirichlet.from_array(table), Draws.from_array(draws)):
        found = metric(truth, prediction)
        rest = metric(truth.take([0, 2]), prediction[:2])
        assert np.isnan(found.per_case).tolist() == [False, True, False]
        assert found.left_out == {"case without annotations": 1}
        assert rest.left_out == {}
        assert (found.value, found.n_cases, found.draw_std) == (rest.value, rest.n_cases, rest.draw_std)
        assert found.draw_interval() == rest.draw_interval()
        assert np.array_equal(found.interval(), rest.interval(), equal_nan=True)


@pytest.mark.parametrize("metric, prediction", metrics_of_any_kind())
def test_nothing_is_defined(metric, prediction):
    table = np.full((3, 3), np.nan)
    for truth in (Point.from_array(table), Dirichlet.from_array(table), Draws.from_array(table[:, None])):
        found = warned(r"undefined: no case is left \(case without annotations: 3\)", metric, truth, prediction)
        assert np.isnan([found.value, found.draw_std, *found.per_case]).all()
        assert (found.n_cases, found.left_out) == (0, {"case without annotations": 3})
        assert np.isnan([*found.draw_interval(), *found.interval()]).all()


NAMED = Dirichlet.from_array([[3, 1, 1], [1, 2, 0]], case_ids=["p", "q"], classes=["x", "y", "z"])


@pytest.mark.parametrize("metric", METRICS.values())
@pytest.mark.parametrize(
    "scores, more, message",
    [
        ([[1, 0, 0], [0, np.nan, 1]], {}, "scores must not be NaN. Got nan, first at case 'q', class 'y'."),
        ([[1, 0, 0]], {}, r"scores must be numbers of shape \(2, 3\). Got int\d\d of shape \(1, 3\)."),
        ([[1, 0], [0, 1]], {}, r"scores must be numbers of shape \(2, 3\). Got int\d\d of shape \(2, 2\)."),
        ([["a", "b", "c"]] * 2, {}, r"scores must be numbers of shape \(2, 3\). Got [<>]U1 of shape \(2, 3\)."),
        *((np.eye(2, 3), {"k": bad}, f"k must be a whole number from 1 to 3. Got {bad}.") for bad in (4, 0, 1.0, True)),
        (np.eye(2, 3), {"k": 1, "ties": "random"}, "ties must be one of 'expectation', 'first'. Got 'random'."),
    ],
)
def test_bad_arguments(metric, scores, more, message):
    refused(message, metric, NAMED, scores, **{"k": 1, **more})


@pytest.mark.parametrize("penalty", [-0.1, 1.5, float("nan"), "0"])
def test_bad_penalty(penalty):
    for metric in (ugt.metrics.ua_kendall_distance, ugt.papers.ua_weighted_kendall_distance):
        refused("penalty must be", metric, NAMED, np.eye(2, 3), 2, penalty=penalty)


@pytest.mark.parametrize("metric", [*METRICS.values(), ugt.metrics.ua_coverage, ugt.metrics.ua_plausibility_mass])
def test_annotations_must_be_aggregated_first(metric):
    refused(r"truth must be plausibilities. Got Labels", metric, ugt.Labels.from_counts(np.array([[1, 2]])), [[1, 0]], error=TypeError)


@pytest.mark.parametrize("metric", METRICS.values())
def test_infinite_scores_are_the_lowest_and_the_highest(metric):
    finite = metric([[3, 2, 1, 0.5]], [[9, -9, 1, 2]], k=2)
    assert metric([[3, 2, 1, 0.5]], [[np.inf, -np.inf, 1, 2]], k=2).value == finite.value


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_lattices_hold_all_values(k):
    for metric, points in (("topk_accuracy", 1), ("set_accuracy", 1), ("overlap", k), ("footrule_distance", k * (k + 1))):
        assert DECLARED[metric].lattice(k, 0.0, False) == points
    assert DECLARED["average_overlap"].lattice(k, 0.0, False) % k == 0


def test_every_metric_is_declared():
    assert [metric.function for metric in DECLARED.values()] == [
        function.__name__ for name, function in METRICS.items() if name not in ("two inside", "reciprocal")
    ]
    assert {metric.function for metric in DECLARED.values()} < set(accuracy.PARTS)


def test_records_pickle_with_their_law():
    found = ugt.ua_average_overlap(NAMED, [[3, 2, 1], [1, 1, 0]], 2)
    again = pickle.loads(pickle.dumps(found))
    assert again.draw_interval() == found.draw_interval()
    np.testing.assert_array_equal(again.per_case, found.per_case)


@pytest.mark.filterwarnings("error")
def test_the_error_of_a_mean_of_two_draws_and_of_one():
    """Values 1 and 0 of two draws: their standard deviation 1/√2, over √2."""
    table = np.array([[[0.7, 0.3], [0.4, 0.6]]])
    assert ugt.ua_topk_accuracy(Draws.from_array(table), [[1, 0]]).mc_error == pytest.approx(0.5)
    assert np.isnan(ugt.ua_topk_accuracy(Draws.from_array(table[:, :1]), [[1, 0]]).mc_error)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_cases_that_share_their_law_have_that_of_each_alone(k):
    """Many cases of the same law and of others; some of more groups than are kept."""
    rng = np.random.default_rng(k)
    table = np.zeros((1500, 70))
    table[:700, :6] = rng.integers(0, 3, (700, 6))
    table[700:1450, :6] = rng.integers(0, 3, (750, 6)) + rng.integers(0, 2, (750, 1)) * 0.5
    table[1450:] = 1 + np.arange(70.0)
    table[::97] = np.nan
    scores = rng.integers(0, 4, table.shape).astype(float)
    scores[1450:] = scores[1450]
    post = Dirichlet.from_array(np.where(table.sum(1, keepdims=True) == 0, 1.0, table))
    for metric in (ugt.metrics.ua_set_accuracy, ugt.metrics.ua_overlap):
        found = metric(post, scores, k).per_case
        for i in (*range(0, 1500, 11), 1498, 1499):
            alone = metric(Dirichlet.from_array(post_row(table, i)), scores[i : i + 1], k).per_case if i % 97 else [np.nan]
            assert repr(float(alone[0])) == repr(float(found[i]))


def post_row(table, i):
    row = table[i : i + 1]
    return np.where(row.sum(1, keepdims=True) == 0, 1.0, row)
