"""Rows that stand for several equal cases: every number and interval is that of the rows repeated, by one table of functions."""

import inspect
import math
import pickle

import numpy as np
import pytest
from public_functions import FUNCTIONS, Entry, labels, make_world, part, take
from refusals import refused
from surface import public

import ugt
from ugt.resampling import Difference
from ugt.resampling.design import Design
from ugt.resampling.frequencies import frequency_of
from ugt.resampling.ratios import Ratios

pytestmark = pytest.mark.filterwarnings("ignore")
N = 40
CURVES = ("soft_roc_curve", "soft_precision_recall_curve")  # which have no intervals
WITHOUT = (*CURVES, "agreement_table", "fit_dirichlet_prior", "accuracy_by_class")  # which have no resamples


def counted(world):
    """Labels of annotators without names."""
    return ugt.Labels.from_counts(world["counts"], case_ids=world["case_ids"])


def entry_of(name):
    one = FUNCTIONS[name]
    if name.startswith("perspectivist"):  # of the labels of annotators by name, which are those of all cases of a row
        return one
    return Entry(one.function, tuple(counted if given is labels else given for given in one.given), one.fixed, one.values, one.per_case)


def takes_frequency(function):
    return inspect.isfunction(function) and "frequency" in inspect.signature(function).parameters


TAKE = [name for name in FUNCTIONS if takes_frequency(public(name)) and name != "evaluate"]  # which has tests of its own
MORE = {  # options whose numbers take another way
    "soft_auroc": [{"self_pairs": "unbiased"}, {"self_pairs": "include"}],
    "soft_average_precision": [{"ties": "expected"}, {"self_term": "probability"}],
    "histogram_losses": [{"binning": "mass", "n_bins": 4}, {"singletons": "zero", "n_bins": 3}],
    "krippendorff_alpha": [{"level": level} for level in ("ordinal", "interval", "ratio")],
    "fleiss_kappa": [{"weights": "linear"}],
    "annotation_certainty": [{"k": 2, "kind": "rank"}, {"groups": [0, 0, 1], "group_rule": "top_class"}],
    "ua_topk_accuracy": [{"k": 2, "j": 2}],
    "ua_set_accuracy": [{"k": 2}],
    "ua_group_accuracy": [{"given": 0}, {"of": "class", "group_rule": "top_class", "given": 0}],
    "uncertainty_parts": [{"loss": loss} for loss in ("quadratic", "zero_one")],
    "fit_dirichlet_prior": [{"per_class": True}],
}
CALLS = [(name, more) for name in TAKE for more in [{}, *MORE.get(name, [])]]
functions = pytest.mark.parametrize(("name", "more"), CALLS, ids=str)


def problem(seed=0, n=N):
    rng = np.random.default_rng(seed)
    world, frequency = make_world(n, seed=seed), rng.integers(0, 5, n)
    frequency[:2] = 0, 7
    return world, frequency


def close(one, other, what=""):
    np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), rtol=1e-11, atol=1e-12, err_msg=what)


def same_numbers(found, expected, entry, intervals=True):
    for name in (*entry.values, "n_cases", "draw_std", "hard", "observed", "expected", "accuracy", "bin_edges", "mean_set_size"):
        if name not in entry.per_case and getattr(expected, name, None) is not None:
            close(part(found, name), part(expected, name), name)
    assert getattr(found, "left_out", None) == getattr(expected, "left_out", None)
    if hasattr(expected, "draw_quantile"):
        close(found.draw_quantile([0.1, 0.5, 0.9]), expected.draw_quantile([0.1, 0.5, 0.9]))
    if not intervals or not hasattr(expected, "statistic"):
        return
    close(found.statistic.std_error(), expected.statistic.std_error(), "std_error")
    close(found.statistic.estimate, expected.statistic.estimate)
    for of in expected.statistic.names[:3]:
        for kind in ("auto", "analytic"):
            if hasattr(expected, "interval") and (kind == "analytic" or expected.statistic.facts.smooth):
                close(found.interval(of=of, kind=kind), expected.interval(of=of, kind=kind), f"{kind} of {of}")


def test_the_functions_that_take_it():
    every = {name for name in FUNCTIONS if name.startswith("ua_")} & set(TAKE)
    assert len(every) == 19 and {"annotation_certainty", "soft_auroc", "histogram_losses", "fleiss_kappa", "krippendorff_alpha"} < set(TAKE)
    assert "cohen_kappa" not in TAKE and "conger_kappa" not in TAKE  # of annotators by name


@functions
@pytest.mark.parametrize("n", [12, N])
def test_rows_repeated_and_frequencies(name, more, n):
    entry, (world, frequency) = entry_of(name), problem(1, n)
    found, expected = entry.call(world, frequency=frequency, **more), entry.call(take(world, np.repeat(np.arange(n), frequency)), **more)
    same_numbers(found, expected, entry)
    for value in entry.per_case:
        close(np.repeat(part(found, value), frequency), part(expected, value), value)
    if hasattr(expected, "influence") and expected.statistic.influence() is not None:
        close(np.repeat(found.influence, frequency), expected.influence)


@functions
def test_order_of_rows_rows_in_two_and_rows_of_one(name, more):
    entry, (world, frequency) = entry_of(name), problem(2)
    found, order = entry.call(world, frequency=frequency, **more), np.random.default_rng(3).permutation(N)
    same_numbers(entry.call(take(world, order), frequency=frequency[order], **more), found, entry, intervals=False)
    twice, apart = np.tile(np.arange(N), 2), np.append(frequency // 3, frequency - frequency // 3)
    same_numbers(entry.call(take(world, twice), frequency=apart, **more), found, entry)
    there = np.flatnonzero(frequency)
    same_numbers(entry.call(take(world, there), frequency=frequency[there], **more), found, entry, intervals=False)
    same_numbers(entry.call(world, frequency=np.ones(N), **more), entry.call(world, **more), entry, intervals=False)


@functions
def test_resamples_have_the_law_of_those_of_repeated_rows(name, more):
    if name in WITHOUT:
        return
    entry, (world, frequency) = entry_of(name), problem(4)
    asked = {"n_resamples": 800, "seed": 5}
    found = entry.call(world, frequency=frequency, **more).resamples(**asked)
    expected = entry.call(take(world, np.repeat(np.arange(N), frequency)), **more).resamples(**asked)
    spread = expected.std_error
    # a standard deviation of 800 has an error of 2.5 % for a normal law, of up to 6 % for the laws here; 6 of its errors: below 1e-8
    some = spread > 1e-9
    assert (np.abs(found.std_error / spread - 1)[some] < 0.5).all()
    means = np.nanmean(found.values, axis=0) - np.nanmean(expected.values, axis=0)
    assert (np.abs(means)[some] < 6 * math.sqrt(2 / 800) * spread[some]).all()
    assert found.interval(kind="percentile").shape == expected.interval(kind="bca").shape


@pytest.mark.parametrize("n_equal", [3, 40])  # intervals by leaving out units, and from their influence; with 40, by resamples
def test_paired_differences_and_strata(n_equal):
    world, frequency = problem(6)
    frequency = frequency * n_equal
    rows, strata = np.repeat(np.arange(N), frequency), np.arange(N) % 2
    entry = entry_of("ua_topk_accuracy")
    one, two = (entry.call(made, frequency=frequency) for made in (world, {**world, "scores": world["other"]}))
    there = take(world, rows)
    others = [entry.call(made) for made in (there, {**there, "scores": there["other"]})]
    found, expected = one.minus(two), others[0].minus(others[1])
    close([found.value, found.std_error], [expected.value, expected.std_error])
    close(found.interval(kind="analytic"), expected.interval(kind="analytic"))
    by_strata = found.statistic.units(None, strata[found.statistic.kept]), expected.statistic.units(None, strata[rows])
    close(*(of.std_error(design) for of, design in zip((found.statistic, expected.statistic), by_strata)))
    if frequency.sum() <= 400:
        close(found.interval(), expected.interval())
        close(found.interval(strata=strata), expected.interval(strata=strata[rows]))
    ranks, repeated = (ugt.rank_sets({"a": a, "b": b}, random=("cases",)).pairs for a, b in ((one, two), others))
    close(ranks[0][2:], repeated[0][2:])


def test_draws_are_multinomial_and_depend_on_the_resample_alone():
    times = np.array([1.0, 5, 0, 14])
    design = Design.of(4, times=times)
    drawn = design.weights(3, 0, 4000)
    assert (drawn.sum(axis=1) == 20).all() and (drawn[:, 2] == 0).all() and (drawn >= 0).all()
    p = times / 20
    # six standard errors of a mean and of a variance of 4,000 draws: below 1e-8
    assert (np.abs(drawn.mean(axis=0) - times) <= 6 * np.sqrt(20 * p * (1 - p) / 4000)).all()
    assert np.allclose(np.cov(drawn.T), 20 * (np.diag(p) - np.outer(p, p)), atol=6 * 20 * math.sqrt(2 / 4000))
    assert (design.weights(3, 17, 23) == drawn[17:23]).all() and (design.weights(4, 0, 6) != drawn[:6]).any()
    strata = Design.of(4, None, [0, 1, 1, 0], times)
    drawn = strata.weights(3, 0, 50)
    assert (drawn[:, [0, 3]].sum(axis=1) == 15).all() and (drawn[:, [1, 2]].sum(axis=1) == 5).all()
    assert strata.sizes.tolist() == [15, 5] and strata.size == 20 and strata.placed_times.tolist() == [1, 14, 5, 0]


def test_one_row_that_stands_for_all_is_many_cases():
    alike = ugt.ua_topk_accuracy([[0.5, 0.5], [1.0, 0.0]], [[0.6, 0.4]] * 2, frequency=[0, 30])
    repeated = ugt.ua_topk_accuracy([[1.0, 0.0]] * 30, [[0.6, 0.4]] * 30)
    assert alike.n_cases == 30 and alike.value == 1.0
    close(alike.interval(), repeated.interval())
    few = ugt.annotation_certainty([[0.5, 0.5], [1.0, 0.0]], frequency=[1, 1])
    close(few.interval(), ugt.annotation_certainty([[0.5, 0.5], [1.0, 0.0]]).interval())


def test_statistics_carry_it():
    one, other = (Ratios.of(np.array([0.1, 0.7, np.nan])) for _ in range(2))
    one.times = np.array([2.0, 0, 4])
    assert one.kept.tolist() == [True, False, False] and one.n_counted == 2 and one.estimate.tolist() == [0.1]
    refused("other must have the same frequency=. Got another", Difference, one, other)


def test_parts_plots_and_other_functions_that_cannot_have_it():
    truth, scores, f = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], [[0.6, 0.4], [0.3, 0.7], [0.6, 0.4]], [3, 1, 2]
    found = ugt.ua_topk_accuracy(truth, scores, frequency=f)
    refused("frequency must be left out in parts", ugt.states.compute, "ua_topk_accuracy", truth, scores, frequency=f)
    refused("first must be of rows that are one case each", ugt.truth.case_correlation, found, found)
    refused("kind must be another kind with frequency=. Got 'studentized'", found.interval, kind="studentized")
    refused("clusters must be left out with frequency=.*give one row per case", found.interval, clusters=[0, 0, 1])
    refused("annotators must be named", found.interval, random=("cases", "annotators"))
    refused("other must have the same frequency=", found.minus, ugt.ua_topk_accuracy(truth, scores))
    refused("annotators must be named", found.two_way)
    copy = pickle.loads(pickle.dumps(found.resamples(n_resamples=20)))
    close(copy.interval()[0], found.interval())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2], r"frequency must be 3 numbers, one per case\. Got shape \(2,\)"),
        ([1, -1, 2], r"frequency must be whole numbers of at least 0, .*\. Got -1, first at case 'p2'"),
        ([1, 2, 2.5], r"frequency must be whole numbers of at least 0, .*\. Got 2\.5, first at case 'p3'"),
        ([1, np.nan, 2], r"Got nan, first at case 'p2'"),
        ([1, np.inf, 2], r"Got inf, first at case 'p2'"),
        ([1, None, 2], r"Got None, first at case 'p2'"),
        (["1", "2", "3"], r"Got '1', first at case 'p1'"),
        ([0, 0, 0], r"frequency must be whole numbers of at least 0, of which some are above 0\. Got 0 for all"),
        ([2**53, 1, 1], r"frequency must add up to at most 2\*\*53"),
        ({"p1": 1, "p2": 2}, r"frequency must hold a number for every case\. Got none for 1 of 3 cases, first at case 'p3'"),
    ],
)
def test_bad_frequencies(given, message):
    refused(message, frequency_of, given, 3, np.array(["p1", "p2", "p3"]))


@pytest.mark.parametrize(
    "truth_of",
    [ugt.irn, ugt.prirn, ugt.votes, lambda r: ugt.truth.plackett_luce(r, prior_shape=2.0)],
    ids=["irn", "prirn", "votes", "plackett-luce"],
)
def test_truths_of_rankings_without_names(truth_of):
    """Their numbers of cases depend on the case alone, so that rows stand for as many equal cases."""
    blocks = [[[[2], [0, 3]], [[0]]], [[[1]]], [[[0], [1]], [[1], [2]]], [[[3], [0]]]]
    f, scores = [3, 0, 5, 2], np.random.default_rng(0).random((4, 4))
    rows = np.repeat(np.arange(4), f)
    found, repeated = (
        ugt.ua_topk_accuracy(truth_of(ugt.Rankings.from_blocks([blocks[i] for i in at], n_classes=4)), scores[at], k=2, **more)
        for at, more in ((np.arange(4), {"frequency": f}), (rows, {}))
    )
    close([found.value, found.std_error, *found.interval()], [repeated.value, repeated.std_error, *repeated.interval()])
    assert found.n_cases == 10


def test_frequencies_by_case_id():
    known = ugt.Labels.from_counts([[3, 1], [0, 2], [1, 1]], case_ids=["b", "a", "c"])
    in_order, by_id = ugt.fleiss_kappa(known, frequency=[1, 2, 3]), ugt.fleiss_kappa(known, frequency={"a": 2, "b": 1, "c": 3})
    assert in_order.value == by_id.value != ugt.fleiss_kappa(known).value


NAMES = r"frequency must be left out for {0} of annotators with names.*Labels\.from_counts\(labels\.counts\(\)\).*Got {0} of 2 annotators"


def test_truths_that_cannot_have_it():
    counts, scores, f = [[4, 0], [0, 3], [1, 2]], [[0.6, 0.4], [0.3, 0.7], [0.6, 0.4]], [3, 1, 2]
    known, named = ugt.Labels.from_counts(counts), ugt.Labels.from_wide([[0, 1], [1, 1], [0, 0]])
    accuracy = ugt.ua_topk_accuracy
    refused(NAMES.format("truth"), accuracy, ugt.dirichlet(named), scores, frequency=f)
    refused(NAMES.format("labels"), ugt.fleiss_kappa, named, frequency=f)
    refused(NAMES.format("annotations"), ugt.krippendorff_alpha, named, frequency=f)
    refused(NAMES.format("p"), ugt.soft_auroc, named, scores, frequency=f)
    refused(NAMES.format("counts"), ugt.histogram_losses, named, scores, frequency=f)
    refused("truth must be a Point or a Dirichlet posterior with frequency=", accuracy, np.full((3, 5, 2), 0.5), scores, frequency=f)
    fit = ugt.truth.fit_dirichlet_prior(known)
    for metric, argument in ((accuracy, "truth"), (ugt.soft_auroc, "p")):
        refused(f"{argument} must have a prior that was not fitted", metric, ugt.dirichlet(known, prior=fit), scores, frequency=f)
    assert accuracy(ugt.dirichlet(known, prior=fit.value), scores, frequency=f).n_cases == 6
    for metric in (ugt.histogram_losses, ugt.calibration.manhattan_distance):
        refused(r"weights must be left out with frequency=", metric, counts, scores, weights=[1, 1, 1], frequency=f)
        refused(r"case_weights must be left out with frequency=", metric, counts, scores, case_weights=[1, 1, 1], frequency=f)
