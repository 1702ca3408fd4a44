"""Weights of cases in losses against label histograms: by the slow twin, as repeated cases, in resamples and parts, bad ones."""

import numpy as np
import pytest
from refusals import refused
from surface import public
from twins import histogram as twin
from twins.histogram_problems import numbers_of, problem
from twins.parted import close

import ugt
from ugt import states

N = 60
COUNTS, PROBS = problem(0, n=N)
PREDICTED = ugt.calibration.predicted_disagreement(PROBS)
WEIGHTS = np.random.default_rng(3).choice([0.0, 0.3, 1.0, 4.5], N)
SCORES = (
    ugt.calibration.histogram_brier_score,
    ugt.calibration.histogram_log_loss,
    ugt.calibration.ranked_probability_score,
    ugt.calibration.manhattan_distance,
    ugt.calibration.wasserstein_distance,
)


def disagreement_losses(counts, probs, **options):
    return ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs), **options)


def estimates(found):
    return found.statistic.estimate


@pytest.mark.parametrize("n_bins", [1, 4, 15])
def test_by_the_slow_twin(n_bins):
    counts, probs, weights = (table[COUNTS.sum(axis=1) >= 2] for table in (COUNTS, PROBS, WEIGHTS))
    found, edges = ugt.histogram_losses(counts, probs, n_bins=n_bins, weights=weights), np.linspace(0, 1, n_bins + 1).tolist()
    n = counts.sum(axis=1, keepdims=True)
    share = counts / n
    spread = share * (1 - share) / (n - 1)
    for k in range(3):
        expected = twin.weighted_losses(share[:, k].tolist(), probs[:, k].tolist(), spread[:, k].tolist(), edges, weights.tolist())
        one = found.per_class
        given = [one.l_sq[k], one.el.plugin[k], one.el.bias[k], one.cl.plugin[k], one.cl.debiased[k]]
        assert dict(zip(expected, given)) == pytest.approx(expected, abs=1e-14)
    assert found.n_cases == (weights > 0).sum() and found.left_out == {"case of weight 0": (weights == 0).sum()}
    np.testing.assert_allclose(found.accuracy, np.average(ugt_right(counts, probs), weights=weights))
    pairs = ugt.calibration.disagreement_losses(counts, PREDICTED.overall[COUNTS.sum(axis=1) >= 2], n_bins=n_bins, weights=weights)
    differ = [twin.statistic(row, lambda a, b: float(a != b), 2) for row in counts]
    z = PREDICTED.overall[COUNTS.sum(axis=1) >= 2].tolist()
    expected = twin.weighted_losses(differ, z, [0.0] * len(z), edges, weights.tolist())
    assert (pairs.l_phi, pairs.cl.plugin, pairs.cl.debiased) == pytest.approx(
        (expected["l_sq"], expected["cl"], expected["cl debiased"]), abs=1e-14
    )
    assert pairs.n_cases == found.n_cases and pairs.left_out == found.left_out


def ugt_right(counts, probs):
    return [twin.accuracy([row], [z]) for row, z in zip(counts.tolist(), probs.tolist())]


def test_weights_of_one_are_none():
    """To the last bit; and any other constant, or scale, to rounding."""
    ones = np.ones(N)
    for metric in (ugt.histogram_losses, disagreement_losses, *SCORES):
        plain = metric(COUNTS, PROBS)
        np.testing.assert_array_equal(estimates(metric(COUNTS, PROBS, weights=ones)), estimates(plain))
        alike = metric(COUNTS, PROBS, weights=np.full(N, 2.5))
        np.testing.assert_allclose(estimates(alike), estimates(plain), atol=1e-14)
        assert alike.interval(n_resamples=50) == pytest.approx(plain.interval(n_resamples=50), abs=1e-9)
        tiny, huge = (metric(COUNTS, PROBS, weights=scale * WEIGHTS) for scale in (1e-99, 1e99))
        np.testing.assert_allclose(estimates(tiny), estimates(huge), rtol=1e-10, atol=1e-13)
        assert (alike.n_cases, alike.left_out) == (plain.n_cases, plain.left_out)
    np.testing.assert_array_equal(
        numbers_of(ugt.histogram_losses(COUNTS, PROBS, weights=ones)), numbers_of(ugt.histogram_losses(COUNTS, PROBS))
    )


def test_whole_weights_are_repeated_cases_but_for_the_bias_of_cl():
    times = np.random.default_rng(1).integers(0, 4, N)
    repeated = np.repeat(COUNTS, times, axis=0), np.repeat(PROBS, times, axis=0)
    one, other = ugt.histogram_losses(COUNTS, PROBS, weights=times), ugt.histogram_losses(*repeated)
    for name in ("el", "il"):
        for part in ("plugin", "bias", "debiased"):
            assert getattr(getattr(one, name), part) == pytest.approx(getattr(getattr(other, name), part), abs=1e-14)
    assert (one.l_sq, one.accuracy, one.cl.plugin, one.dl.plugin) == pytest.approx(
        (other.l_sq, other.accuracy, other.cl.plugin, other.dl.plugin)
    )
    assert one.cl.bias > 1.5 * other.cl.bias and one.n_cases == ((times > 0) & (COUNTS.sum(axis=1) > 0)).sum()
    for metric in SCORES:
        assert metric(COUNTS, PROBS, weights=times).value == pytest.approx(metric(*repeated).value, abs=1e-14)
    parts = [
        ugt.calibration.histogram_log_loss(*given, **more).entropy
        for given, more in (((COUNTS, PROBS), {"weights": times}), (repeated, {}))
    ]
    assert parts[0].debiased == pytest.approx(parts[1].debiased, abs=1e-14)


@pytest.mark.parametrize("metric", [ugt.histogram_losses, disagreement_losses, *SCORES])
def test_resamples_and_derivatives(metric):
    found = metric(COUNTS, PROBS, weights=WEIGHTS)
    one, step = found.statistic, 1e-6 * np.eye(N)
    by_steps = np.where(one.kept[:, None], (one.values(1 + step) - one.estimate) / 1e-6, 0.0)
    np.testing.assert_allclose(one.influence(), by_steps, atol=1e-6)
    assert not one.kept[WEIGHTS == 0].any()
    times = np.random.default_rng(5).integers(0, 3, N)
    again = metric(np.repeat(COUNTS, times, axis=0), np.repeat(PROBS, times, axis=0), weights=np.repeat(WEIGHTS, times))
    np.testing.assert_allclose(one.values(times[None].astype(float))[0], estimates(again), atol=1e-13)
    low, high = found.interval(n_resamples=100)
    assert low < found.value < high


@pytest.mark.parametrize("single_bins", ["zero", "plugin"])
def test_cases_that_are_alone(single_bins):
    """In a bin: by number, or as all others weigh next to nothing; and while units are left out and the others weigh a little more."""
    counts, probs = problem(11, n=12, k=2, labels=(3,))
    weights = np.linspace(1, 4, 12)
    found = ugt.histogram_losses(counts, probs, n_bins=100, single_bins=single_bins, weights=weights)
    assert found.cl.debiased == (0 if single_bins == "zero" else found.cl.plugin) and found.dl.plugin == 0
    np.testing.assert_allclose(found.statistic.values(np.full((1, 12), 12 / 11))[0], estimates(found), atol=1e-15)
    heavy = ugt.histogram_losses(counts, probs, n_bins=1, single_bins=single_bins, weights=np.append(1.0, np.full(11, 1e-20)))
    assert heavy.cl.debiased == (0 if single_bins == "zero" else heavy.cl.plugin)


def test_by_ids_of_cases():
    ids = [f"p{i}" for i in range(N)]
    labels = ugt.Labels.from_counts(COUNTS, case_ids=ids)
    expected = ugt.histogram_losses(COUNTS, PROBS, weights=WEIGHTS)
    backwards = dict(zip(ids[::-1], WEIGHTS[::-1].tolist()))
    for weights in (backwards, (list(backwards), list(backwards.values())), {**backwards, "another": 7.0}, WEIGHTS.tolist()):
        np.testing.assert_array_equal(numbers_of(ugt.histogram_losses(labels, PROBS, weights=weights)), numbers_of(expected))
        assert disagreement_losses(labels, PROBS, weights=weights).l_phi == disagreement_losses(COUNTS, PROBS, weights=WEIGHTS).l_phi
    del backwards["p7"]
    refused(
        r"weights must hold a weight for every case. Got none for 1 of 60 cases, first at case 'p7'",
        ugt.histogram_losses,
        labels,
        PROBS,
        weights=backwards,
    )


BAD = {
    "negative": ([1.0, -2.0], r"weights must be 0 or from 1e-100 to 1e\+100. Got -2.0, first at case 1\."),
    "missing": ([float("nan"), 1.0], r"Got nan, first at case 0\."),
    "infinite": ([1.0, float("inf")], r"Got inf, first at case 1\."),
    "beyond squares": ([1e-200, 1.0], r"Got 1e-200, first at case 0\."),
    "all zero": ([0.0, 0.0], r"weights must be above 0 for at least one case. Got 0 for all\."),
    "another length": ([1.0], r"weights must be 2 weights, one per case. Got shape \(1,\)\."),
    "a table": (np.ones((2, 2)), r"weights must be 2 weights, one per case. Got shape \(2, 2\)\."),
    "text": (["1", "2"], r"weights must be 2 numbers, one per case"),
    "of other cases": ({5: 1.0}, r"weights must hold a weight for every case"),
    "masked": (np.ma.array([1.0, 2.0], mask=[False, True]), r"weights must be 2 numbers, one per case. Got object"),
    "ragged": ([[1.0], [1.0, 2.0]], r"weights must be 2 weights, one per case. Got rows of different lengths"),
    "two of a case": (
        ([0, 1, 1], [1.0, 1.0, 5.0]),
        r"weights must be the same wherever a case occurs. Got 1.0 and 5.0, first at case 1",
    ),
}


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (np.ma.array([1, 2, 2], mask=[0, 1, 0]), "clusters must not be missing. Got None, first at row 1"),
        (([0, 1, 1, 2], [1, 1, 5, 6]), "clusters must be the same wherever a case occurs. Got 1 and 5, first at case 1"),
        ([[1], [1, 2], [3]], "clusters must be 3 ids, one per case. Got rows of different lengths"),
    ],
)
def test_clusters_that_cannot_be_told(clusters, message):
    """Read where weights are: what is masked, and the last of two, were taken."""
    found = ugt.histogram_losses([[2, 1], [1, 3], [3, 1]], [[0.5, 0.5], [0.2, 0.8], [0.4, 0.6]])
    refused(message, found.interval, clusters=clusters)
    assert found.resamples(clusters=([0, 1, 2, 2], [1, 1, 6, 6]), n_resamples=9).values.shape[0] == 9  # a row a label, say


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("metric", [ugt.histogram_losses, disagreement_losses, *SCORES])
def test_bad_weights(metric, name):
    weights, message = BAD[name]
    refused(message, metric, [[2, 1], [1, 3]], [[0.5, 0.5], [0.2, 0.8]], weights=weights)


@pytest.mark.filterwarnings("ignore:undefined")
def test_what_does_not_count():
    """Weight 0 takes away an infinite loss; nothing left is NaN."""
    given = [[2, 1], [1, 1], [0, 0]], [[0.4, 0.6], [1.0, 0.0], [0.5, 0.5]]
    found = ugt.calibration.histogram_log_loss(*given, weights=[2, 0, 1])
    assert np.isfinite(found.value) and found.n_infinite == 0 and np.isinf(found.per_case[1])
    assert found.left_out == {"case without labels": 1, "case of weight 0": 1} and found.n_cases == 1
    for metric in (ugt.histogram_losses, ugt.calibration.histogram_brier_score):
        nothing = metric(*given, weights=[0, 0, 1])
        assert np.isnan(nothing.value) and nothing.n_cases == 0


def test_reliability_curves():
    rng = np.random.default_rng(0)
    z, weights = rng.random(600), rng.choice([1.0, 3.0], 600)
    counts = rng.binomial(4, z)
    given = np.stack([4 - counts, counts], axis=1), np.stack([1 - z, z], axis=1)
    curve = ugt.histogram_losses(*given, n_bins=5, weights=weights).reliability_curve(1)
    plain, alike = (ugt.histogram_losses(*given, n_bins=5, **more).reliability_curve(1) for more in ({}, {"weights": np.full(600, 3.0)}))
    at = np.minimum((z * 5).astype(int), 4)
    for found, values in ((curve.mean_probability, z), (curve.label_share, counts / 4)):
        np.testing.assert_allclose(found, [np.average(values[at == b], weights=weights[at == b]) for b in range(5)])
    assert curve.n_cases.tolist() == plain.n_cases.tolist() == np.bincount(at).tolist()
    np.testing.assert_allclose([alike.low, alike.high], [plain.low, plain.high])
    wider = (curve.high - curve.low) / (plain.high - plain.low)  # by the root of Σw² n / (Σw)² = 1.25
    np.testing.assert_allclose(wider, np.sqrt(1.25), rtol=0.15)


@pytest.mark.parametrize("metric", [ugt.histogram_losses, ugt.calibration.disagreement_losses, *SCORES])
def test_parts(metric):
    shown = PREDICTED.overall if metric is ugt.calibration.disagreement_losses else PROBS
    weights = np.where(np.arange(N) < 20, 1.0, WEIGHTS)  # all 1 in a part
    expected = metric(COUNTS, shown, weights=weights)
    parts = [slice(20), slice(20, 33), slice(33, N)]
    made = [states.partial(metric.__name__, COUNTS[at], shown[at], weights=weights[at]) for at in parts]
    found = states.finish(states.merge([states.State.from_json(one.to_json()) for one in made]))
    close(
        [found.value, *found.numbers.values()],
        [expected.value, *(expected.statistic.numbers(expected.statistic.sums()).get(name, [np.nan])[0] for name in found.numbers)],
    )
    assert (found.n_cases, dict(found.left_out)) == (expected.n_cases, dict(expected.left_out))
    plain = states.partial(metric.__name__, COUNTS[parts[2]], shown[parts[2]])
    refused("must be made with the same", states.merge, [made[0], plain])
    by_id = dict(enumerate(weights))
    refused("weights must be an array in the order of the cases", states.partial, metric.__name__, COUNTS, shown, weights=by_id)


def test_analytic_intervals_of_parts_beyond_one():
    """A log loss of 1.6 and a Brier score of 1.8 are inside of theirs."""
    one_sided = np.tile([0, 4], (60, 1)), np.tile([0.95, 0.05], (60, 1))
    one_sided[0][:9] = [2, 2]
    for metric in SCORES[:2]:
        found = states.finish(states.partial(metric.__name__, *one_sided))
        low, high = found.interval(kind="analytic")
        assert 1 < low < found.value < high


def test_small_groups_are_seen_whatever_they_weigh():
    given = [[2, 1]] * 3, [[0.1, 0.9], [0.1, 0.9], [0.8, 0.2]]
    refused("groups of fewer, the smallest of 1", states.partial, "histogram_losses", *given, n_bins=2, weights=[5, 5, 9], min_cases=2)


def test_partitions_of_dask():
    arrays = pytest.importorskip("dask.array", reason="dask is not installed")
    from ugt import dask as partitions

    counts, probs, weights = (arrays.from_array(table, chunks=(20, *table.shape[1:])) for table in (COUNTS, PROBS, WEIGHTS))
    for metric in ("histogram_losses", "histogram_log_loss"):
        found = partitions.compute(metric, counts, probs, weights=weights)
        assert found.value == pytest.approx(public(metric)(COUNTS, PROBS, weights=WEIGHTS).value, abs=1e-14)
        refused("weights must be 20 weights", partitions.compute, metric, counts, probs, weights=WEIGHTS)
