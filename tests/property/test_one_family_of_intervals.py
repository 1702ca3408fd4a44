"""Intervals that must fit together: what varies more is never more certain, and a one-sided limit is an end of a two-sided interval."""

import math

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from public_functions import DRAWN, FUNCTIONS, labels, make_world, positive, ratings

import ugt
from ugt.resampling import Result
from ugt.resampling.spread import half_width_of

pytestmark = pytest.mark.filterwarnings("ignore")
BOTH, KINDS = ("cases", "annotators"), ("auto", "percentile", "basic", "bca", "studentized", "analytic")
ROUNDING = 1e-9


def over_both(name, world):
    """A result with named annotators, its interval over cases and annotators and that over cases alone; None if it has none."""
    found = FUNCTIONS[name].call(world)
    if not isinstance(found, Result):
        return None
    try:
        return found, *(found.interval(random=random, n_resamples=200) for random in (BOTH, BOTH[:1]))
    except ValueError:  # annotators are not named, or their part is unknown
        return None


OF_ANNOTATORS = [
    name for name, entry in FUNCTIONS.items() if {labels, positive, ratings} & {*entry.given} and DRAWN not in entry.lacks.values()
]


def test_most_metrics_of_labels_are_among_them():
    named = {name for name in OF_ANNOTATORS if over_both(name, make_world())}
    assert {"krippendorff_alpha", "fleiss_kappa", "discrepancy_ratio", "next_annotator_agreement"} <= named
    assert len(named) > 15


@pytest.mark.parametrize("name", OF_ANNOTATORS)
@given(st.integers(0, 2**32), st.sampled_from([12, 30, 60]))
@examples(3)
def test_cases_and_annotators_are_never_more_certain_than_cases_alone(name, seed, n):
    known = over_both(name, make_world(n, seed=seed))
    if known is None or np.isnan([*known[1], *known[2]]).any():
        return
    (low, high), (alone_low, alone_high) = known[1:]
    assert low <= alone_low + ROUNDING and alone_high <= high + ROUNDING


@given(st.integers(0, 2**32), st.integers(2, 8))
@examples(20)
def test_differences_and_clusters(seed, n_annotators):
    rng = np.random.default_rng(seed)
    n, truth = 40, rng.integers(0, 3, 40)
    table = np.where(
        rng.random((n, n_annotators)) < rng.uniform(0.5, 1, n_annotators), truth[:, None], rng.integers(0, 3, (n, n_annotators))
    )
    labels, clusters = ugt.Labels.from_wide(table, classes=3), rng.integers(0, 15, n)
    scores = [rng.normal(size=(n, 3)) + far * np.eye(3)[truth] for far in (2.0, 1.0)]
    for metric in (ugt.metrics.next_annotator_agreement, lambda known, one: ugt.ua_topk_accuracy(ugt.dirichlet(known), one)):
        first, second = (metric(labels, one) for one in scores)
        for found in (first, first.minus(second)):
            low, high = found.interval(random=BOTH, clusters=clusters)
            alone = found.interval(random=("cases",), clusters=clusters)
            assert np.isnan([low, *alone]).any() or (low <= alone[0] + ROUNDING and alone[1] <= high + ROUNDING)


PART = st.one_of(st.just(0.0), st.floats(0.001, 10))


@given(PART, PART, PART, st.integers(2, 200), st.integers(2, 20), st.floats(0.6, 0.999))
@examples(200)
def test_the_half_width_is_at_least_that_of_each_source(cases, annotators, both, n_units, n_annotators, q):
    def half(*parts):
        return float(half_width_of(*parts, n_units, n_annotators, q))

    whole = half(cases, annotators, both)
    assert whole >= half(0.0, annotators, 0.0) * (1 - ROUNDING) and whole >= half(cases, 0.0, 0.0) * (1 - ROUNDING)


@given(st.integers(0, 2**32), st.floats(0.55, 0.99), st.sampled_from([None, 12]))
@examples(10)
def test_a_one_sided_limit_of_the_ratio_is_an_end_of_its_interval(seed, level, n_clusters):
    rng = np.random.default_rng(seed)
    truth, options = rng.integers(0, 3, 60), {"n_resamples": 100, "seed": seed % 1000}
    table = np.where(rng.random((60, 4)) < 0.75, truth[:, None], rng.integers(0, 3, (60, 4)))
    found = ugt.discrepancy_ratio(ugt.Labels.from_wide(table, classes=3), np.where(rng.random(60) < 0.7, truth, 0))
    options["clusters"] = None if n_clusters is None else rng.integers(0, n_clusters, 60)
    index = ugt.papers.individual_equivalence_index(ugt.Labels.from_wide(table, classes=3), np.where(rng.random(60) < 0.7, truth, 0))
    for kind in KINDS:
        test = found.non_inferiority(level=level, kind=kind, random=("cases",), **options)
        assert test.limit == found.interval(2 * level - 1, kind=kind, **options)[1]
        if kind != "studentized":  # differences have no logarithm
            limit = index.interval(2 * level - 1, kind=kind, **options)[1]
            steps = (1e-9, -1e-9)
            assert [index.interchangeable(limit + step, level, kind=kind, **options) for step in steps] == [True, False]
    test = found.non_inferiority(level=level, random=BOTH, **options)
    assert test.limit == found.interval(2 * level - 1, random=BOTH, **options)[1] >= found.interval(2 * level - 1, **options)[1]
    # without a kind, too, and so the limit is below the end of the two-sided interval of the same level
    limit = found.non_inferiority(level=level, random="cases", **options).limit
    assert limit == found.interval(2 * level - 1, **options)[1] <= found.interval(level, **options)[1]
    assert index.interchangeable(index.interval(2 * level - 1, **options)[1] + 1e-9, level, **options)


@given(st.integers(0, 2**32), st.floats(0.55, 0.99), st.booleans())
@examples(10)
def test_claims_of_reader_studies_are_ends_of_their_intervals(seed, level, split):
    rng, truth = np.random.default_rng(seed), np.arange(40) % 2
    ratings = truth + rng.normal(size=(2, 4, 40)) + rng.normal(size=(2, 4, 1))
    model = truth + rng.normal(size=40)
    if split:
        ratings[0, 2:], ratings[1, :2] = np.nan, np.nan
    readings = ugt.studies.Readings.from_array(ratings)
    study = ugt.reader_study(truth, readings).differences[0]
    alone = ugt.studies.against_readers(truth, ugt.studies.Readings.from_array(ratings[:1, :2]), model, margin=0.1, level=level)
    for one, claims in ((study, None), (alone.difference, alone.claim)):
        if math.isnan(one.std_error):
            continue
        low, high = one.interval(2 * level - 1)
        claim = one.non_inferiority(0.1, level=level)
        assert claim.low == one.superiority(0.02, level=level).low == low
        assert (one.equivalence(0.1, level=level).low, one.equivalence(0.1, level=level).high) == (low, high)
        assert claims is None or claims.low == low
        # the p-value is that of the interval: at the margin where the limit is, it is 1 - level
        assert one.non_inferiority(min(abs(low), 0.99), level=level).p_value == pytest.approx(1 - level, abs=1e-6) or low > 0 or low < -0.99


def test_the_report_has_limits_of_the_same_kind():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 80)
    table = np.where(rng.random((80, 4)) < 0.8, truth[:, None], rng.integers(0, 2, (80, 4)))
    labels = ugt.Labels.from_wide(table, classes=2)
    found = ugt.evaluate(labels, {"A": np.eye(2)[np.where(rng.random(80) < 0.8, truth, 0)]}, n_resamples=200, details=False)
    row = next(one for one in found.tables["humans"] if one["kind"] == "model")
    assert row["upper"] < row["high"] and row["two_way_upper"] < row["two_way_high"]


@pytest.mark.parametrize("n", [60, 500])  # Student's intervals over cases, and quantiles of resamples
def test_intervals_that_stand_side_by_side_in_an_evaluation_fit_together(n):
    rng = np.random.default_rng(n)
    truth = rng.integers(0, 3, n)
    wide = np.where(rng.random((n, 4)) < 0.8, truth[:, None], rng.integers(0, 3, (n, 4)))  # annotators alike: little is theirs
    scores = {name: rng.normal(size=(n, 3)) + far * np.eye(3)[truth] for name, far in (("A", 2.0), ("B", 1.5))}
    labels = ugt.Labels.from_wide(wide, classes=3, annotators=["ann", "bob", "cy", "dee"])
    tables = ugt.evaluate(labels, scores, n_resamples=200).tables
    seen = 0
    for table, low, high in (("metrics", "case_low", "case_high"), ("agreement", "low", "high"), ("humans", "low", "high")):
        for row in tables[table]:
            if row["two_way_low"] is not None and row[low] is not None:
                seen += 1
                assert row["two_way_low"] <= row[low] and row[high] <= (row["two_way_high"] or math.inf), (table, row)
    assert seen > 10


def test_claims_about_other_annotators_have_the_wider_limit():
    """Of log Δ and of the contrast μ - r α, whose variance by its definition is that of a statistic of its own."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 200)
    model = np.where(rng.random(200) < 0.8, truth, 0)
    wide = np.where(rng.random((200, 8)) < rng.uniform(0.6, 0.95, 8), truth[:, None], rng.integers(0, 3, (200, 8)))
    found = ugt.discrepancy_ratio(ugt.Labels.from_wide(wide, classes=3, annotators=list("abcdefgh")), model)
    limit, of_log = found.non_inferiority(random=BOTH).limit, found.two_way().interval(0.9)[1]
    assert limit > of_log

    def contrast(labels, weights):
        one = ugt.discrepancy_ratio(labels, model)
        mu, alpha = one.mu_per_case, one.alpha_per_case
        return float(weights @ (mu - limit * alpha)) / weights.sum()

    end = ugt.resampling.two_way(found._statistic.compared.annotations, contrast).interval(0.9)[1]
    assert end == pytest.approx(0, abs=2e-3)  # the contrast itself is just below 0 at the limit
    few = ugt.discrepancy_ratio(ugt.Labels.from_wide(wide[:, :3], classes=3, annotators=list("abc")), model)
    assert few.interval(random=BOTH)[1] >= few.two_way().interval()[1]
