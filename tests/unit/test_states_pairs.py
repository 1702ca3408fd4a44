"""Annotators with each other and with themselves, from cases in parts: the numbers of all cases in one place."""

import math

import numpy as np
import pytest
from refusals import labels_of_rows
from twins.parted import ASCENDING, WHO, Data, K, N, by_name, check_resamples, close, cut, merged, no_part, one_part

import ugt
from ugt import states

TABLE = [[1, 0.5, 0.1, 0], [0.5, 1, 0.4, 0.2], [0.1, 0.4, 1, 0.9], [0, 0.2, 0.9, 1]]
PAIRS = [{"coefficient": one, "weights": weights} for one in ("percent", "cohen", "scott", "ac1") for weights in (None, "linear", TABLE)]


def in_parts(metric, data, options, parts, **more):
    some = [states.partial(metric, data.labels(part), annotators=WHO, **options, **more) for part in parts]
    return states.finish(merged(np.random.default_rng(len(parts)), some))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", PAIRS)
def test_pairs(options, seed):
    data = Data(seed)
    expected = ugt.agreement.pairwise_agreement(data.labels(range(N)), **options)
    found = in_parts("pairwise_agreement", data, options, cut(data, seed))
    assert found.numbers["annotators"].tolist() == ASCENDING
    at = [expected.annotators.tolist().index(name) for name in ASCENDING]
    for name in ("value", "n_cases", "no_variation"):
        close(found.numbers[name], getattr(expected, name)[np.ix_(at, at)], name)
    close(found.numbers["per_annotator"], by_name(found, expected.annotators, expected.per_annotator))
    close(found.numbers["prevalence"], expected.prevalence)
    close(found.numbers["annotator_prevalence"], expected.annotator_prevalence[at])
    close(found.value, np.nanmean(expected.value))
    shared = ugt.agreement.percent_agreement(data.labels(range(N)))
    assert (found.n_cases, found.left_out, found.reason) == (shared.n_cases, dict(shared.left_out), None)


def test_pairs_of_two_without_variation_or_cases():
    rng = np.random.default_rng(0)
    votes = rng.integers(0, 3, (40, 2))
    parts = [states.partial("pairwise_agreement", votes[h], classes=3) for h in (slice(0, 9), slice(9, None))]
    assert states.finish(states.merge(parts)).value == pytest.approx(ugt.cohen_kappa(ugt.Labels.from_wide(votes)).value, rel=1e-12)
    labels = ugt.Labels.from_wide([[0, 0, None, None], [0, 0, None, None], [0, None, 1, None], [None, None, None, 1]], classes=2)
    expected, found = ugt.agreement.pairwise_agreement(labels), one_part("pairwise_agreement", labels)
    for name in ("value", "n_cases", "no_variation", "per_annotator", "annotator_prevalence"):
        close(found.numbers[name], getattr(expected, name), name)
    assert found.numbers["no_variation"][0, 1] == 1 and np.isnan(found.numbers["value"][3]).all()
    alone = states.partial("pairwise_agreement", [[0, None], [None, 1]], classes=2)
    with pytest.warns(RuntimeWarning, match="undefined: no case has labels of two annotators"):
        assert math.isnan(states.finish(alone).value)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("coefficient", ["percent", "fleiss", "ac1"])
def test_annotators_with_themselves(coefficient, seed):
    data = Data(seed, repeat=0.5)
    expected = ugt.agreement.intra_annotator_agreement(data.labels(range(N)), coefficient)
    found = in_parts("intra_annotator_agreement", data, {"coefficient": coefficient}, cut(data, seed))
    for name in ("observed", "expected", "prevalence", "per_class"):
        close(found.numbers[name], getattr(expected, name), name)
    close(found.value, expected.value)
    close(found.numbers["per_annotator"], by_name(found, data.labels(range(N)).annotators, expected.per_annotator))
    assert (found.n_cases, found.left_out, found.reason) == (expected.n_cases, dict(expected.left_out), expected.reason)


@pytest.mark.filterwarnings("ignore:undefined")
@pytest.mark.parametrize("coefficient", ["percent", "fleiss", "ac1"])
@pytest.mark.parametrize("rows", [[], [("a", "ann", 1)], [("a", "ann", 1)] * 2, [("a", "ann", 1), ("b", "bob", 0)] * 2])
@pytest.mark.parametrize("classes", [1, 2])
def test_reasons_of_annotators_with_themselves(coefficient, rows, classes):
    rows = [(case, who, label * (classes - 1)) for case, who, label in rows]
    labels = labels_of_rows(*(list(zip(*rows)) or [[], [], []]), classes=classes, cases=["a", "b"])
    expected = ugt.agreement.intra_annotator_agreement(labels, coefficient)
    found = one_part("intra_annotator_agreement", labels, coefficient=coefficient, annotators=["ann", "bob"])
    close((found.value, found.numbers["observed"], found.numbers["expected"]), (expected.value, expected.observed, expected.expected))
    close(found.numbers["per_class"], expected.per_class)
    assert (found.reason, found.n_cases, found.left_out) == (expected.reason, expected.n_cases, dict(expected.left_out))


@pytest.mark.slow
@pytest.mark.parametrize("units", ["cases", "clusters"])
@pytest.mark.parametrize(
    ("metric", "options"),
    [
        *(("pairwise_agreement", options) for options in ({"coefficient": "percent"}, {"weights": "linear"})),
        *(("intra_annotator_agreement", {"coefficient": one}) for one in ("percent", "ac1")),
    ],
)
def test_resamples_of_parts_are_those_of_the_whole(metric, options, units):
    data = Data(4, repeat=0.5)

    def state(rows, n_resamples):
        by = {"clusters": data.clusters[rows]} if units == "clusters" and n_resamples else {}
        return states.partial(metric, data.labels(rows), annotators=WHO, n_resamples=n_resamples, seed=3, **by, **options)

    assert {"per_annotator"} < set(check_resamples(state, data, units).resampled_numbers)


def test_errors():
    data = Data(0)
    for metric in ("pairwise_agreement", "intra_annotator_agreement"):
        no_part(f"{metric} in parts knows no option 'level'", metric, data.labels(range(9)), level="nominal", error=TypeError)
        no_part("coefficient must be one of 'percent'", metric, data.labels(range(9)), coefficient="alpha")
        no_part(r"annotators must be given for a part without labels", metric, ugt.Labels.from_long([], [], [], classes=K, cases=["a"]))
    no_part(r"labels must name their annotators. Got counts", "pairwise_agreement", ugt.Labels.from_counts([[1, 2]]), annotators=WHO)
    no_part(r"classes must be given for a table in parts", "pairwise_agreement", [[0, 1]])
    with pytest.raises(TypeError, match=r"annotations must be Labels, in parts. Got Ratings"):
        states.partial("intra_annotator_agreement", data.labels(range(9), ratings=True))
    no_part("groups of fewer, the smallest of", "pairwise_agreement", data.labels(range(30)), min_cases=20)
