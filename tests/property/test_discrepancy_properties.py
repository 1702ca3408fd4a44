"""What the discrepancy ratio must not depend on, and what it must agree with, whatever the data [C]."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")

positive = st.floats(0.1, 10)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def studies(draw, most_cases=8, numbers=True):
    """``(table with NaN, model)``; at least one case has two annotators who disagree."""
    n, a = draw(st.integers(1, most_cases)), draw(st.integers(2, 5))
    cells = st.integers(-5, 5) if numbers else st.integers(0, 2)
    table = draw(arrays.arrays(np.float64, (n, a), elements=cells))
    table[draw(arrays.arrays(np.bool_, (n, a), elements=st.booleans())) & (np.arange(a) > 0)] = np.nan
    table[0, :2] = [0, 1]
    return table, draw(arrays.arrays(np.float64, n, elements=cells))


def value(*arguments, **options):
    return ugt.discrepancy_ratio(*arguments, **options).value


@given(positive, positive, positive, positive)
def test_example_c1(easy, hard, easy_model, hard_model):
    """Charlie skips the hard case: Δ is what it was without him; Δ' is biased as the paper says."""

    def distance(a, b):
        first, second = sorted([int(a), int(b)])
        return [easy, hard, easy_model, hard_model][(first // 10) + 2 * (second % 10 == 9)] if a != b else 0.0

    both, alone = [[0, 1, 2], [10, 11, None]], [[0, 1], [10, 11]]
    found = ugt.papers.alternative_discrepancy_ratios(both, [9, 19], distance=distance)
    without = ugt.papers.alternative_discrepancy_ratios(alone, [9, 19], distance=distance)
    assert found.ratio == pytest.approx((easy_model + hard_model) / (easy + hard))
    assert found.ratio == pytest.approx(without.ratio)
    assert without.prime == pytest.approx(without.ratio)
    assert found.prime == pytest.approx((2 * easy_model + hard_model) / ((5 * easy + hard) / 2))


def test_example_c1_doubled():
    """Everybody agrees on the easy case."""
    both, alone = [[1, 1, 1], [0, 4, None]], [[1, 1], [0, 4]]
    found, without = (ugt.papers.alternative_discrepancy_ratios(one, [1, 1], distance="squared") for one in (both, alone))
    assert found.ratio == without.ratio == without.prime
    assert found.prime == pytest.approx(2 * found.ratio)


@given(studies(), st.floats(0.01, 100), st.floats(-100, 100), st.sampled_from(["squared", "absolute"]), st.booleans())
def test_units_do_not_matter(study, scale, shift, distance, mirrored):
    table, model = study
    changed = [(-scale if mirrored else scale) * one + shift for one in (table, model)]
    # shifts cost digits
    assert value(*changed, distance=distance) == pytest.approx(value(table, model, distance=distance), rel=1e-6, abs=1e-9)


@given(studies(), seeds, st.sampled_from(["squared", "absolute", "zero-one", ("threshold", 1.0)]))
def test_order_and_copies_do_not_matter(study, seed, distance):
    table, model = study
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(table)), rng.permutation(table.shape[1])
    expected = pytest.approx(value(table, model, distance=distance), rel=1e-9, nan_ok=True)
    assert value(table[rows][:, columns], model[rows], distance=distance) == expected
    assert value(np.tile(table, (3, 1)), np.tile(model, 3), distance=distance) == expected
    # everybody says everything twice
    case, annotator = np.nonzero(~np.isnan(table))
    twice = [np.tile(one, 2) for one in (case, annotator, table[case, annotator])]
    assert value(ugt.Ratings.from_long(*twice, cases=range(len(table))), model, distance=distance) == expected


@given(studies(numbers=False))
def test_distances_of_two_classes_are_one(study):
    """Of 0 and 1, squared, absolute and 0/1 are the same; probabilities of 0 and 1 are hard predictions."""
    table, model = (np.where(one > 1, 1, one) for one in study)
    values = [value(table, model, distance=distance) for distance in ("squared", "absolute", "zero-one", np.array([[0.0, 1], [1, 0]]))]
    values.append(value(table, np.stack([1 - model, model], axis=1)))
    assert values == pytest.approx([values[0]] * 5, nan_ok=True)


@given(studies(numbers=False))
def test_closed_forms_of_binary_labels(study):
    """[C] eq. 6-8."""
    table, model = (np.where(one > 1, 1, one) for one in study)
    n = (~np.isnan(table)).sum(axis=1)
    counted = n >= 2
    y, m, n = np.nanmean(table[counted], axis=1), model[counted], n[counted]
    found = ugt.discrepancy_ratio(table, model, distance="squared")
    np.testing.assert_allclose(found.alpha_per_case[counted], 2 * n / (n - 1) * y * (1 - y), atol=1e-12)
    np.testing.assert_allclose(found.mu_per_case[counted], m + y - 2 * m * y, atol=1e-12)
    covariance = (m * y).mean() - m.mean() * y.mean()
    assert found.mu == pytest.approx(m.mean() + y.mean() - 2 * m.mean() * y.mean() - 2 * covariance)


@given(studies())
def test_ratio_index_and_alternatives_agree(study):
    table, model = study
    ratio = ugt.discrepancy_ratio(table, model, distance="squared")
    index = ugt.papers.individual_equivalence_index(table, model, distance="squared")
    assert index.value == pytest.approx(ratio.mu - ratio.alpha)
    assert (index.value < -1e-12) <= (ratio.value < 1)
    full = ~np.isnan(table).any(axis=1)
    assume((np.ptp(table[full], axis=1) > 0).any())
    # where all annotators label all cases the order of the averages does not matter
    found = ugt.papers.alternative_discrepancy_ratios(table[full], model[full], distance="squared")
    assert found.prime == pytest.approx(found.ratio)
    assert found.prime_printed == pytest.approx(found.ratio)


@given(studies())
def test_annotators_and_groups_agree_with_the_ratio(study):
    """An annotator's Δ is that of a model with their labels against the annotations of the others."""
    table, _ = study
    assume(((~np.isnan(table)).sum(axis=1) >= 3).any())
    found = ugt.humans.annotator_discrepancy(table, distance="squared")
    for j, annotator in enumerate(found.annotators.tolist()):
        own = ~np.isnan(table[:, annotator])
        rest = np.delete(table, annotator, axis=1)[own]
        alone = value(rest, table[own, annotator], distance="squared") if rest.size else np.nan
        assert found.value[j] == pytest.approx(alone, rel=1e-9, nan_ok=True)
    whole = ugt.humans.group_discrepancy(table, table[:, 0] * 0, ["all"] * table.shape[1], distance="squared", missing="drop")
    assert whole.value[0] == pytest.approx(value(table, table[:, 0] * 0, distance="squared", missing="drop"), nan_ok=True)


@given(arrays.arrays(np.int64, (12, 4), elements=st.integers(0, 1)), arrays.arrays(np.float64, 12, elements=st.integers(0, 5)))
def test_every_point_of_a_sweep_is_a_ratio(table, score):
    assume(np.ptp(table, axis=1)[::2].any() and np.ptp(table, axis=1)[1::2].any())
    found = ugt.humans.threshold_sweep(table, score)
    best = found.best(choose_on=np.arange(12) % 2)
    for threshold, at in zip(found.thresholds, found.value):
        assert at == pytest.approx(value(table, (score >= threshold).astype(int), distance="zero-one"))
    on = np.arange(12) % 2 == 1
    lowest = min(value(table[on], (score[on] >= t).astype(int), distance="zero-one") for t in found.thresholds)
    assert best.apparent == pytest.approx(lowest)
    assert value(table[on], (score[on] >= best.threshold).astype(int), distance="zero-one") == pytest.approx(lowest)


@given(studies(numbers=False))
def test_wins_of_the_alternative_annotator_test(study):
    table, model = study
    assume((np.isfinite(table).sum(axis=1) >= 2).sum() >= 2)
    assume(np.isfinite(table[np.isfinite(table).sum(axis=1) >= 2]).sum(axis=0).max() >= 2)
    found = ugt.humans.alternative_annotator_test(table, model, least_cases=2)
    assert (found.advantage + found.annotator_advantage >= 1 - 1e-12).all()
    for j, annotator in enumerate(found.annotators.tolist()):
        own = ugt.humans.alternative_annotator_test(
            table, np.where(np.isnan(table[:, annotator]), model, table[:, annotator]), least_cases=2
        )
        assert own.advantage[j] == own.annotator_advantage[j] == 1


def test_same_bytes_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    table, model, patient = rng.normal(size=(300, 6)), rng.normal(size=300), np.arange(300) // 3
    found = []
    for n in (1, 2, 3):
        with ugt.resampling.threads(n):
            ratio, forest = (
                ugt.discrepancy_ratio(table, model, distance="squared"),
                ugt.humans.annotator_discrepancy(table, predictions=model, distance="squared"),
            )
            ends = (ratio.interval(kind=kind, clusters=patient) for kind in ("percentile", "studentized"))
            found.append((*ends, forest.resamples(clusters=patient).values.tobytes()))
    assert found[0] == found[1] == found[2]
