"""Losses of cases in parts: the numbers of all cases in one place, resamples too, however they are cut and merged."""

import math
import warnings

import numpy as np
import pytest
from refusals import refused
from surface import public
from twins.histogram_problems import numbers_of
from twins.parted import close, no_part

import ugt
from ugt import states
from ugt._base.axes import stream_keys_of
from ugt._core import _exact

pytestmark = pytest.mark.filterwarnings("ignore:undefined")  # of all parts together, as a reason too

HISTOGRAM = [
    {},
    {"n_bins": 4, "singletons": "zero", "single_bins": "plugin"},
    {"binning": [0, 0.2, 0.35, 1], "classes": ["x", "y", "z"]},
    {"binning": [[0, 0.2, 1], [0, 0.5, 1], [0, 0.9, 1]], "fractional": True},
]
DISAGREEMENT = [{}, {"n_bins": 3, "single_bins": "plugin"}, {"binning": [0, 0.1, 0.5, 1]}]


def data_of(seed, n=80, k=3):
    """Counts, some rows of 0 or 1 label, and probabilities."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(k), n)
    sizes = rng.choice([0, 1, 2, 3, 6], n)
    return np.array([rng.multinomial(size, p) for size, p in zip(sizes, 0.5 * probs + 0.5 / k)]), probs


def cut(counts, seed):
    """Rows of parts in random order: of one case, of cases without labels, of cases with one, and others."""
    rng = np.random.default_rng(seed)
    sizes = counts.sum(axis=1)
    others = rng.permutation(np.flatnonzero(sizes > 1))
    parts = [np.flatnonzero(sizes == 0), np.flatnonzero(sizes == 1), *np.split(others, [1, 2, 20])]
    return [parts[j] for j in rng.permutation(len(parts))]


def in_parts(metric, tables, parts, ids=None, **options):
    """Merged, each state by way of its text, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = [{} if ids is None else {"case_ids": ids[part]} for part in parts]
        made = [states.partial(metric, *(rows_of(table, part) for table in tables), **more, **options) for part, more in zip(parts, named)]
        return states.merge([states.State.from_json(state.to_json()) for state in made])


def rows_of(table, part):
    if isinstance(table, ugt.calibration.PredictedDisagreement):
        return ugt.calibration.PredictedDisagreement(table.overall[part], table.per_class[part])
    return table[part]


def check_histogram(found, expected):
    close(found.value, expected.l_sq)
    assert (found.n_cases, dict(found.left_out), found.reason) == (expected.n_cases, dict(expected.left_out), None)
    for name in ("el", "cl", "dl", "il"):
        loss = getattr(expected, name)
        close([found.numbers[name], found.numbers[f"{name} plugin"]], [loss.debiased, loss.plugin])
    close([found.numbers[name] for name in ("accuracy", "ce", "de")], [expected.accuracy, expected.ce, expected.de])
    record = found.record
    assert isinstance(record, ugt.calibration.HistogramLosses) and dict(record.left_out) == dict(expected.left_out)
    assert record.classes.tolist() == expected.classes.tolist()
    close(record.bin_edges, expected.bin_edges)
    close(numbers_of(record), numbers_of(expected))
    close(numbers_of(record.paired), numbers_of(expected.paired))
    for ask in (record.resamples, lambda: record.interval(of="cl"), lambda: record.reliability_curve(0, clusters=np.arange(80))):
        refused(r"losses must come from histogram_losses to be resampled", ask)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", HISTOGRAM)
def test_histograms_in_parts_are_all_histograms(options, seed):
    counts, probs = data_of(seed)
    found = states.finish(in_parts("histogram_losses", (counts, probs), cut(counts, seed), **options))
    check_histogram(found, ugt.histogram_losses(counts, probs, **options))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", DISAGREEMENT)
@pytest.mark.parametrize("by_class", [True, False])
def test_disagreement_in_parts_is_all_disagreement(options, by_class, seed):
    counts, probs = data_of(seed)
    predicted = ugt.calibration.predicted_disagreement(probs)
    given = predicted if by_class else predicted.overall
    expected = ugt.calibration.disagreement_losses(counts, given, **options)
    found = states.finish(in_parts("disagreement_losses", (counts, given), cut(counts, seed), **options))
    assert (found.n_cases, dict(found.left_out), found.reason) == (expected.n_cases, dict(expected.left_out), None)
    numbers = [found.value, *(found.numbers[name] for name in ("cl", "cl plugin", "ce"))]
    close(numbers, [expected.l_phi, expected.cl.debiased, expected.cl.plugin, expected.ce])
    assert ("l_mean" in found.numbers) == by_class
    close(found.record.cl_per_bin.debiased, expected.cl_per_bin.debiased)
    if by_class:
        close(found.record.l_per_class, expected.l_per_class)
        per_class = (expected.l_per_class, expected.cl_per_class.debiased, expected.cl_per_class.plugin)
        for name, values in zip(("l_phi[{}]", "cl[{}]", "cl[{}] plugin"), per_class):
            close([found.numbers[name.format(k)] for k in range(3)], values)
        close([found.numbers["l_mean"], found.numbers["ce_mean"]], [expected.l_mean, expected.ce_mean])


@pytest.mark.parametrize(("metric", "value"), [("histogram_losses", "l_sq"), ("disagreement_losses", "l_phi")])
def test_resamples_are_those_of_all_cases_and_of_the_twin(metric, value):
    counts, probs = data_of(5)
    predicted = (lambda p: p) if metric == "histogram_losses" else ugt.calibration.predicted_disagreement
    tables = (counts, predicted(probs))
    ids, design = np.array([f"p{i}" for i in range(80)]), {"n_resamples": 20, "seed": 9}
    whole = states.finish(in_parts(metric, tables, [np.arange(80)], ids, **design))
    found = states.finish(in_parts(metric, tables, cut(counts, 1), ids, **design))
    close(found.resampled, whole.resampled)
    repeated = [np.repeat(np.arange(80), w.astype(int)) for w in _exact.poisson_weights(stream_keys_of(ids), 9, 0, 20)]
    close(found.resampled, [getattr(public(metric)(counts[at], predicted(probs[at])), value) for at in repeated])
    assert len(np.unique(found.resampled)) == 20 and found.std_error == pytest.approx(found.resampled.std(ddof=1))


@pytest.mark.parametrize(
    ("metric", "reason"), [("histogram_losses", "no case has labels"), ("disagreement_losses", "no case has enough labels")]
)
def test_without_labels_there_is_a_reason(metric, reason):
    predicted = np.array([[0.5, 0.5]]) if metric == "histogram_losses" else np.array([0.5])
    found = states.finish(in_parts(metric, (np.zeros((1, 2)), predicted), [np.arange(1)]))
    assert (found.n_cases, found.reason, sum(found.left_out.values())) == (0, reason, 1) and math.isnan(found.value)


def test_one_label_a_case_another_statistic_and_other_classes():
    found = states.finish(in_parts("histogram_losses", (np.array([[1, 0]]), np.array([[0.5, 0.5]])), [np.arange(1)]))
    assert (found.value, found.reason) == (0.5, None)
    assert all(math.isnan(found.numbers[name]) for name in ("el", "dl", "il")) and sum(found.left_out.values()) == 1
    counts, probs = data_of(7)
    statistic = ugt.calibration.symmetric_statistic(counts, lambda a, b, c: a == b == c, 3)
    expected = ugt.calibration.disagreement_losses(counts, probs[:, 0], statistic=statistic)
    parts = [states.partial("disagreement_losses", counts[at], probs[at, 0], statistic=statistic[at]) for at in cut(counts, 7)]
    found = states.finish(states.merge(parts))
    close([found.value, found.numbers["cl"]], [expected.l_phi, expected.cl.debiased])
    assert dict(found.left_out) == {"case without the statistic": int(np.isnan(statistic).sum())} == dict(expected.left_out)
    given = ([[2, 1]], [[0.4, 0.6]])
    parts = [states.partial("histogram_losses", *given, classes=classes) for classes in (["x", "y"], ["y", "x"])]
    refused("be made with the same classes", states.merge, parts)
    said = [ugt.Labels.from_counts([[2, 1]], classes=classes) for classes in (["x", "y"], ["y", "x"])]
    predicted = ugt.calibration.predicted_disagreement(given[1])
    refused("be made with the same classes", states.merge, [states.partial("disagreement_losses", one, predicted) for one in said])


@pytest.mark.parametrize("metric", ["histogram_losses", "disagreement_losses"])
def test_small_bins_are_seen(metric):
    predicted = np.array([[0.1, 0.9], [0.1, 0.9], [0.8, 0.2]])
    data = ([[2, 1]] * 3, predicted if metric == "histogram_losses" else predicted[:, 0])
    states.partial(metric, *data, n_bins=2, min_cases=1)
    no_part("groups of fewer, the smallest of 1", metric, *data, n_bins=2, min_cases=2)


@pytest.mark.parametrize("metric", ["histogram_losses", "disagreement_losses"])
def test_errors(metric):
    data = ([[2, 1], [0, 2]], [[0.4, 0.6], [0.1, 0.9]] if metric == "histogram_losses" else [0.4, 0.1])
    no_part("binning must be 'width' or edges in parts", metric, *data, binning="mass")
    no_part("in parts knows no option 'bins'", metric, *data, bins=3, error=TypeError)
    no_part("single_bins must be", metric, *data, single_bins="all")
    parts = [states.partial(metric, *data, n_bins=n) for n in (2, 3)]
    refused("be made with the same edges", states.merge, parts)
