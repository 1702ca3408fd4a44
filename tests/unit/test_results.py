"""The records that functions return."""

import dataclasses
import pickle

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt import resampling
from ugt.plausibilities import estimates as results
from ugt.plausibilities.comparisons import Law

POST = ugt.Dirichlet.from_array([[3, 2, 1], [1, 1, 4], [np.nan] * 3, [2, 5, 1]])
SCORES = [[3, 2, 1], [3, 2, 1], [3, 2, 1], [1, 1, 0]]
RECORDS = {
    "Certainty": ugt.annotation_certainty(POST),
    "Estimate": ugt.ua_topk_accuracy(POST, SCORES),
    "Estimate of lists": ugt.ua_average_overlap(POST, SCORES, 3),
    "Estimate of draws": ugt.metrics.ua_overlap(ugt.Draws.from_array(POST.draws(20)), SCORES, 2),
    "Estimate of sets": ugt.metrics.ua_coverage(POST, [[0], [1, 2], [], [0]]),
}


@pytest.fixture(params=RECORDS)
def record(request):
    return RECORDS[request.param]


def test_records_are_frozen(record):
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.value = 1.0


def test_values_are_means_over_defined_cases(record):
    assert record.value == record.per_case[[0, 1, 3]].mean()
    assert np.isnan(record.per_case).tolist() == [False, False, True, False]
    assert (record.n_cases, record.left_out) == (3, {"case without annotations": 1})


def test_intervals_over_cases(record):
    defined = record.per_case[[0, 1, 3]]
    for kind in ("percentile", "basic", "bca"):
        expected = resampling.bootstrap(defined, n_resamples=300, seed=4).interval(0.8, kind)[0]
        assert record.interval(0.8, kind=kind, n_resamples=300, seed=4) == tuple(expected)
    clustered = resampling.bootstrap(defined, clusters=["a", "a", "b"], strata=[1, 1, 1], n_resamples=300, seed=4)
    found = record.resamples(clusters=["a", "a", "c", "b"], strata=[1, 1, 2, 1], n_resamples=300, seed=4)
    assert found.values.tolist() == clustered.values.tolist() and found.sources == ("clusters",)
    assert record.interval() == record.interval(0.95, n_resamples=1000, seed=0)
    low, high = record.interval(0.5)
    wide_low, wide_high = record.interval(0.99)
    assert wide_low <= low <= high <= wide_high


def test_one_case_has_no_interval_over_cases():
    found = ugt.ua_topk_accuracy([[0.6, 0.4]], [[1, 0]])
    assert np.isnan(found.interval()).all()
    assert np.isnan(ugt.annotation_certainty([[0.6, 0.4]]).interval()).all()


def test_sizes_of_sets_are_those_that_were_judged():
    assert RECORDS["Estimate of sets"].mean_set_size == pytest.approx((1 + 2 + 1) / 3)
    assert RECORDS["Estimate"].mean_set_size is None


@pytest.mark.parametrize("q", [-0.1, 1.1, np.nan, [0.5, 2]])
def test_bad_quantiles(q):
    refused(r"q must hold probabilities from 0 to 1. Got", RECORDS["Estimate"].draw_quantile, q)


@pytest.mark.parametrize("level", [0, 1, np.nan])
def test_bad_levels_over_draws(level):
    refused(r"level must be a number between 0 and 1, such as 0.95. Got", RECORDS["Estimate"].draw_interval, level)


def test_quantiles_of_a_known_law():
    # 2 cases certain of 1/2 in all, 2 cases of 0, 1/2 or 1
    law = Law(np.array([0.5, 0.0, 0.0, 0.0]), np.array([False, False, True, True]), np.array([[0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]))
    # sums 1/2: 1/8, 1: 3/8, 3/2: 3/8, 2: 1/8; the mean over 4 cases adds the constant
    found = results.Estimate(0.4375, np.full(4, 0.4375), 0.1, 0.0, 4, _law=lambda most: law)
    q = [0.0, 0.1, 0.125, 0.126, 0.5, 0.51, 0.875, 0.876, 1.0]
    sums = [0.5, 0.5, 0.5, 1.0, 1.0, 1.5, 1.5, 2.0, 2.0]
    np.testing.assert_allclose(found.draw_quantile(q), [(0.5 + s) / 4 for s in sums])
    np.testing.assert_allclose(found.draw_quantile(np.reshape(q, (3, 3))).ravel(), found.draw_quantile(q))


def test_without_a_law_the_normal_limit_answers():
    found = results.Estimate(0.4, np.array([0.3, 0.5]), 0.05, 0.0, 2)
    assert found.draw_interval(0.95) == pytest.approx((0.4 - 1.959964 * 0.05, 0.4 + 1.959964 * 0.05))
    wide = results.Estimate(0.9, np.array([0.9, 0.9]), 0.2, 0.0, 2)
    assert wide.draw_interval(0.95)[1] == 1  # metrics lie in [0, 1]


def test_a_law_that_is_too_wide_is_not_even_made(monkeypatch):
    """The sum has a law of 24 draw_std n times the points of a case; where its square is too much, the normal limit answers."""
    pmf = np.zeros((4, 1001))
    pmf[:, 0] = pmf[:, 1000] = 0.5
    found = results.Estimate(
        0.5, np.full(4, 0.5), 0.25, 0.0, 4, _law=lambda finest: Law(np.zeros(4), np.ones(4, bool), pmf) if finest >= 1000 else None
    )
    assert found.draw_quantile(0.05) == pytest.approx(0.5 - 1.6448536 * 0.25)
    monkeypatch.setattr(results, "EXACT_LAW_WORK", (24 * 0.25 * 4 * 1000) ** 2 - 1)
    assert found.draw_quantile(0.05) > 0
    monkeypatch.setattr(results, "EXACT_LAW_WORK", (24 * 0.25 * 4 * 1000) ** 2 + 1)
    assert found.draw_quantile(0.05) == 0.0  # all four are 0 in one of 16 draws


def test_a_law_has_at_most_a_quarter_of_the_work_in_points():
    asked = []
    found = results.Estimate(0.5, np.full(4, 0.5), 1e-12, 0.0, 4, _law=asked.append)
    found.draw_quantile(0.5)
    assert asked == [results.EXACT_LAW_WORK / 4 / 4]


def test_numbers_of_a_shorter_range_are_no_shares():
    found = ugt.grades.ua_absolute_error(ugt.Point.from_array(np.eye(2)[[0, 1, 1]]), [0, 0, 0.5], values=[0, 0.5])
    assert found.per_case.tolist() == [0, 0.5, 0] and found.statistic.facts.spans.tolist() == [[0, 0.5]]


def test_laws_keep_to_the_points_that_they_may_have():
    truth = ugt.dirichlet(ugt.Labels.from_counts([[3, 1, 0], [0, 2, 2], [1, 1, 1]]))
    scores = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2]])
    for metric, options in ((ugt.ua_topk_accuracy, {"k": 1}), (ugt.metrics.ua_set_accuracy, {"k": 2}), (ugt.ua_average_overlap, {"k": 2})):
        law = metric(truth, scores, **options)._law
        points = law(np.inf).pmf.shape[1] - 1
        assert law(points - 1e-9) is None
        assert law(points) is not None


def test_left_out():
    assert results.left_out(np.array([1.0, 2.0])) == {}
    assert results.left_out(np.array([1.0, np.nan]), "no reason") == {"no reason": 1}
    with pytest.warns(RuntimeWarning, match=r"no case is left \(no reason: 2\)"):
        assert results.left_out(np.full(2, np.nan), "no reason") == {"no reason": 2}


def test_records_can_be_compared():
    # arrays have no single truth value: records are equal only if they are the same
    for record in RECORDS.values():
        assert record == record
        assert record != pickle.loads(pickle.dumps(record))


def test_what_is_printed_leaves_out_the_law():
    assert "_law" not in repr(RECORDS["Estimate"]) and "draw_std=" in repr(RECORDS["Estimate"])


def test_a_spread_that_is_nothing_but_rounding_has_the_value_for_its_quantiles():
    found = results.Estimate(
        0.75, np.array([0.5, 1.0]), 1e-9, 0.0, 2, _law=lambda most: Law(np.array([0.5, 1.0]), np.zeros(2, bool), np.empty((0, 3)))
    )
    assert found.draw_quantile([0.1, 0.9]).tolist() == [0.75, 0.75]


def test_a_standard_error_of_rounding_has_no_interval():
    found = ugt.annotation_certainty(ugt.dirichlet(ugt.Labels.from_wide([[1]] * 3, classes=2), prior=1))
    assert found.std_error < 1e-14 and np.isnan(found.interval(kind="analytic")).all()
    tiny = ugt.calibration.histogram_brier_score([[2, 0], [2, 0], [2, 0]], [[1 - 1e-6, 1e-6], [1 - 2e-6, 2e-6], [1, 0]])
    low, high = tiny.interval(kind="analytic")
    assert low < tiny.value < high
