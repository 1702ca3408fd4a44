"""Weights of cases: only their ratios matter, values are weighted sums, and intervals are those of a stratified sample of cases."""

import inspect
import math

import numpy as np
import pytest
from public_functions import FUNCTIONS, make_world, part, take
from refusals import refused
from surface import public

import ugt
from ugt._base import notices
from ugt.resampling.case_weights import case_weights_of
from ugt.resampling.strata import merged_strata

pytestmark = pytest.mark.filterwarnings("ignore")
N = 60
TAKE = [name for name in FUNCTIONS if inspect.isfunction(public(name)) and "case_weights" in inspect.signature(public(name)).parameters]
# a single value with an interval
WITHOUT = (
    "soft_roc_curve", "soft_precision_recall_curve", "hard_against_soft", "fit_dirichlet_prior", "net_benefit", "accuracy_by_class",
)  # fmt: skip
functions = pytest.mark.parametrize("name", [name for name in TAKE if name not in WITHOUT])
OPTIONS = {  # without a case beside itself, which has the square of its weight; with a value below 1
    "soft_average_precision": {"self_term": "probability"},
    "ua_auroc_at_cuts": {"self_pairs": "half"},
    "ua_within_accuracy": {"within": 0},
}
OF_ALPHA = "krippendorff_alpha"  # whose correction n / (n - 1) is that of the judgements, whatever their weights


def problem(seed=0):
    rng = np.random.default_rng(seed)
    return make_world(N, seed=seed), rng.gamma(2.0, 1.0, N), rng.integers(0, 3, N)


def close(one, other, tolerance=1e-11):
    np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), rtol=tolerance, atol=tolerance)


@functions
def test_only_the_ratios_of_weights_matter(name):
    entry, (world, weights, strata) = FUNCTIONS[name], problem(1)
    found, other = (entry.call(world, case_weights=given) for given in (weights, 1e-7 * weights))
    close(found.statistic.estimate, other.statistic.estimate)
    close([found.std_error, *found.interval(strata=strata)], [other.std_error, *other.interval(strata=strata)])
    alike, plain = entry.call(world, case_weights=np.full(N, 3.0)), entry.call(world)
    close(alike.value, plain.value)
    close(alike.interval(), plain.interval(), 2e-3)
    assert alike.n_cases == plain.n_cases and alike.left_out == plain.left_out


@functions
def test_values_are_those_of_copies_and_of_any_order(name):
    entry, (world, _, _) = FUNCTIONS[name], problem(2)
    times = np.random.default_rng(3).integers(0, 4, N)
    more = OPTIONS.get(name, {})
    found, copied = entry.call(world, case_weights=times, **more), entry.call(take(world, np.repeat(np.arange(N), times)), **more)
    close(found.value, copied.value, 5e-3 if name == OF_ALPHA else 1e-11)
    order = np.random.default_rng(4).permutation(N)
    close(entry.call(take(world, order), case_weights=times[order], **more).value, found.value)
    assert found.n_cases < copied.n_cases and found.left_out["case of weight 0"] == (times == 0).sum()


@functions
def test_influence_and_the_linearised_variance(name):
    entry, (world, weights, strata) = FUNCTIONS[name], problem(5)
    options = OPTIONS.get(name, {})
    found, tolerance = entry.call(world, case_weights=weights, **options), 2e-2 if name == OF_ALPHA else 1e-3
    for i in (3, 17):
        more = np.where(np.arange(N) == i, weights * (1 + 1e-6), weights)
        slope = (entry.call(world, case_weights=more, **options).value - found.value) / 1e-6
        assert slope == pytest.approx(found.influence[i], rel=tolerance, abs=1e-6)
    z, one = found.influence, found.statistic
    variance = 0.0
    for h in range(3):  # a slow twin
        of = z[(strata == h) & one.kept]
        variance += len(of) / (len(of) - 1) * sum((x - of.mean()) ** 2 for x in of)
    close(one.std_error(one.units(None, strata[one.kept]))[0], math.sqrt(variance))
    of_clusters, cluster = np.bincount(np.arange(N) // 3, z), np.arange(N) // 3
    twin = 20 / 19 * ((of_clusters - of_clusters.mean()) ** 2).sum()
    close(one.std_error(one.units(cluster[one.kept]))[0], math.sqrt(twin), 1e-6)


@functions
def test_resamples_have_the_linearised_variance(name):
    entry, (world, weights, strata) = FUNCTIONS[name], problem(6)
    found = entry.call(world, case_weights=weights, **OPTIONS.get(name, {}))
    drawn = found.resamples(strata=strata, n_resamples=1500)
    # a standard deviation of 1,500 has an error of 2 %; the rest is the curvature of the coefficient in 60 cases
    assert drawn.std_error[0] == pytest.approx(
        found.statistic.std_error(found.statistic.units(None, strata[found.statistic.kept]))[0], rel=0.2
    )
    low, high = drawn.interval(kind="percentile")[0]
    assert low < found.value < high
    refused("kind must be another kind", found.interval, kind="studentized")
    refused("random must be .* with weights of cases", found.interval, random=("cases", "annotators"))


def test_draws_of_rao_and_wu():
    found = ugt.ua_topk_accuracy([[0.9, 0.1]] * 7, [[0.6, 0.4]] * 7, case_weights=[1, 2, 3, 4, 5, 6, 7]).statistic
    drawn = found.units(None, np.array([0, 0, 0, 0, 1, 1, 1])).weights(1, 0, 3000)
    assert np.allclose(drawn[:, :4].sum(axis=1), 4) and np.allclose(drawn[:, 4:].sum(axis=1), 3)
    assert {*np.round(drawn[:, 4:] * 2 / 3, 9).ravel()} == {0.0, 1.0, 2.0}  # two of three are drawn
    assert np.abs(drawn.mean(axis=0) - 1).max() < 6 * math.sqrt(1.5 / 3000)


def test_effective_numbers_decide_on_the_kind_of_interval():
    truth, scores = np.tile([[0.9, 0.1], [0.2, 0.8]], (300, 1)), np.tile([[0.6, 0.4]], (600, 1))
    weights = np.where(np.arange(600) < 60, 50.0, 1.0)
    one = ugt.ua_topk_accuracy(truth, scores, case_weights=weights).statistic
    kish = weights.sum() ** 2 / (weights**2).sum()
    close(one.facts.deciding(one.kept, one.units())[0], kish)
    close(one.facts.deciding(one.kept, one.units(None, np.arange(600) % 3))[0], kish - 2)
    assert ugt.ua_topk_accuracy(truth, scores).statistic.facts.deciding(one.kept, one.units())[0] == 600


def test_perfect_values_have_the_width_of_their_effective_number():
    truth, scores, weights = [[1.0, 0.0]] * 40, [[0.6, 0.4]] * 40, np.where(np.arange(40) < 10, 9.0, 1.0)
    low, high = ugt.ua_topk_accuracy(truth, scores, case_weights=weights).interval()
    kish = weights.sum() ** 2 / (weights**2).sum()
    assert high == 1.0 and 0.025 ** (1 / kish) - 0.05 < low < 0.025 ** (1 / kish) + 0.05 < 0.025 ** (1 / 40)


def notes_of(call, *given, **options):
    with notices.heard() as heard:
        call(*given, **options)
    return {one.code: one for one in heard}


def test_a_heavy_case_is_told():
    world, weights, _ = problem(7)
    entry, weights = FUNCTIONS["ua_topk_accuracy"], np.minimum(weights, 2.5)
    assert "heavy_case" not in notes_of(entry.call(world, case_weights=weights).interval)
    weights[5] = 30.0
    for name in ("ua_topk_accuracy", "fleiss_kappa"):
        found = FUNCTIONS[name].call(world, case_weights=weights)
        told = notes_of(found.interval)["heavy_case"]
        assert told.values["percent"] == pytest.approx(100 * 30 / weights.sum()) and "One case has" in told.text
    assert "heavy_case" in notes_of(found.resamples, n_resamples=5)
    assert "One cluster" in notes_of(found.interval, clusters=np.arange(N) // 2)["heavy_case"].text


def test_strata_of_one_unit_are_merged_and_told():
    with notices.heard() as heard:
        assert merged_strata(np.array([1, 1, 5, 9, 9, 9]), None).tolist() == [1, 1, 1, 9, 9, 9]
        assert merged_strata(np.array(["a", "b", "b", "c"]), None).tolist() == ["b", "b", "b", "b"]
        assert merged_strata(np.array([1, 1, 2, 2]), np.array(["x", "x", "y", "z"])).tolist() == [2, 2, 2, 2]
        assert merged_strata(np.array([3]), None).tolist() == [3]
    assert [one.values["strata"] for one in heard] == ["5", "'a', 'c'", "1"]
    world, weights, strata = problem(8)
    found = FUNCTIONS["ua_topk_accuracy"].call(world, case_weights=weights)
    alone = np.where(np.arange(N) == 4, 9, strata)
    assert "strata_merged" in notes_of(found.interval, strata=alone)
    close(found.interval(strata=alone), found.interval(strata=np.where(alone == 9, 2, strata)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2], r"case_weights must be 3 numbers, one per case"),
        ([1, -1, 2], r"case_weights must be finite numbers of at least 0, .*\. Got -1, first at case 'p2'"),
        ([1, np.nan, 2], r"Got nan, first at case 'p2'"),
        ([1, np.inf, 2], r"Got inf, first at case 'p2'"),
        ([1, None, 2], r"Got None, first at case 'p2'"),
        ([0, 0, 0], r"of which some are above 0\. Got 0 for all"),
        ({"p1": 1, "p2": 2}, r"case_weights must hold a number for every case\. Got none for 1 of 3 cases, first at case 'p3'"),
    ],
)
def test_bad_weights(given, message):
    refused(message, case_weights_of, given, 3, np.array(["p1", "p2", "p3"]))


def test_what_cannot_have_it():
    truth, scores, w = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], [[0.6, 0.4], [0.3, 0.7], [0.6, 0.4]], [3, 1, 2]
    accuracy, known = ugt.ua_topk_accuracy, ugt.Labels.from_counts([[4, 0], [0, 3], [1, 2]])
    found = accuracy(truth, scores, case_weights=w)
    refused("case_weights must be left out with frequency=", accuracy, truth, scores, case_weights=w, frequency=w)
    refused("case_weights must be left out with frequency=", ugt.fleiss_kappa, known, case_weights=w, frequency=w)
    refused("case_weights must be left out in parts", ugt.states.compute, "ua_topk_accuracy", truth, scores, case_weights=w)
    refused("first must be of rows that are one case each", ugt.truth.case_correlation, found, found)
    refused("other must have the same case_weights=", found.minus, accuracy(truth, scores, case_weights=[1, 1, 2]))
    refused("truth must be a Point or a Dirichlet posterior with case_weights=", accuracy, np.full((3, 5, 2), 0.5), scores, case_weights=w)
    fit = ugt.truth.fit_dirichlet_prior(known)
    refused("truth must have a prior that was not fitted", accuracy, ugt.dirichlet(known, prior=fit), scores, case_weights=w)


def test_the_functions_that_take_it_also_take_frequencies():
    assert len(TAKE) > 15 and all("frequency" in inspect.signature(public(name)).parameters for name in TAKE)
    for name in TAKE:
        entry, world = FUNCTIONS[name], make_world()
        found, plain = entry.call(world, case_weights=np.full(12, 0.7)), entry.call(world)
        for value in entry.values:
            close(part(found, value), part(plain, value))


@pytest.mark.parametrize("name", WITHOUT)
def test_curves_and_models_with_weights_are_those_of_copies(name):
    entry, (world, _, _) = FUNCTIONS[name], problem(9)
    times = np.random.default_rng(3).integers(0, 4, N)
    copied = entry.call(take(world, np.repeat(np.arange(N), times)))
    for scale in (1.0, 1e-7):
        found = entry.call(world, case_weights=times * scale)
        for value in entry.values:
            close(part(found, value), part(copied, value), 0.05 if name == "hard_against_soft" else 1e-11)
