"""Models beside annotators, from cases in parts: the numbers of all cases in one place, resamples too, however they are cut and merged."""

import json
import math

import numpy as np
import pytest
from refusals import refused
from twins.parted import ASCENDING, WHO, Data, K, N, by_name, check_resamples, close, cut, merged, no_part, one_part

import ugt
from ugt import states

LABELS, RATINGS = False, True
DISTANCES = [
    (LABELS, lambda d, r: d.said[r].astype(int), {"distance": "zero-one"}),
    (LABELS, lambda d, r: d.probabilities[r], {"distance": "squared"}),
    (LABELS, lambda d, r: d.other[r], {"distance": "absolute", "missing": "drop", "values": [0, 1, 5, 7]}),
    (RATINGS, lambda d, r: d.other[r], {"distance": ("threshold", 0.5), "missing": "drop"}),
]


def in_parts(metric, data, kind, make, options, parts, **more):
    some = (states.partial(metric, data.labels(part, kind), make(data, part), **{"annotators": WHO, **options}, **more) for part in parts)
    return merged(np.random.default_rng(len(parts)), list(some))


def check_cases(found, expected):
    """Of each annotator, judged or not."""
    n_of = {name.strip("'"): n for name, n in expected.too_few.items()}
    n_of.update(zip(expected.annotators.tolist(), expected.n_cases.tolist()))
    assert [int(n) for n in found.numbers["n_cases"]] == [n_of[name] for name in ASCENDING]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cases", ["matched", "all", "mu1"])
@pytest.mark.parametrize(("kind", "make", "options"), DISTANCES)
@pytest.mark.parametrize("least", [1, None])
def test_annotators_as_models(kind, make, options, cases, seed, least):
    data, every = Data(seed), list(range(N))
    two = lambda d, r: {"A": make(d, r), "B": make(d, r)[::1] if np.ndim(make(d, r)) == 2 else d.said[r]}  # noqa: E731
    options = {**options, "cases": cases}
    of_all = ugt.humans.annotator_discrepancy(data.labels(every, kind), cases=cases, distance=options["distance"]).n_cases
    least = least or int(np.median(of_all)) + 1
    expected = ugt.humans.annotator_discrepancy(data.labels(every, kind), predictions=two(data, every), least_cases=least, **options)
    assert (len(expected.too_few) > 0) == (least > 1) and len(expected.annotators)
    found = states.finish(in_parts("annotator_discrepancy", data, kind, two, {**options, "least_cases": least}, cut(data, seed)))
    assert found.numbers["annotators"].tolist() == ASCENDING
    for name in ("value", "alpha", "mu", "same_cases"):
        close(found.numbers[name], by_name(found, expected.annotators, getattr(expected, name)), name)
    for name in ("model_value", "model_n_cases"):
        close(found.numbers[name], getattr(expected, name), name)
    check_cases(found, expected)
    assert (found.left_out, found.reason) == (dict(expected.left_out), None) and found.n_cases == N - sum(found.left_out.values())
    close(found.value, np.nanmean(expected.value))


def test_annotators_without_a_model_and_chances_against_them():
    data = Data(0)
    parts = [states.partial("annotator_discrepancy", data.labels(part), annotators=WHO) for part in cut(data, 0)]
    found, expected = states.finish(states.merge(parts)), ugt.humans.annotator_discrepancy(data.labels(range(N)))
    close(found.numbers["value"], by_name(found, expected.annotators, expected.value))
    assert "model_value" not in found.numbers
    one = states.partial("annotator_discrepancy", data.labels(range(N)), predictions={"A": data.said})
    assert one == states.partial("annotator_discrepancy", data.labels(range(N)), {"A": data.said})
    data = Data(2)
    made = states.partial("annotator_discrepancy", data.labels(range(N)), data.said.astype(int), distance="zero-one", n_resamples=1000)
    found = states.finish(made)
    chances = (found.resampled_numbers["model_value"] < found.resampled_numbers["value"]).mean(axis=0)
    expected = ugt.humans.annotator_discrepancy(data.labels(range(N)), predictions=data.said.astype(int), distance="zero-one")
    np.testing.assert_allclose(chances, by_name(found, expected.annotators, expected.resample_shares().better_share[0]), atol=0.08)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kind", "make", "options"), DISTANCES)
def test_individual_equivalence(kind, make, options, seed):
    data, every = Data(seed), list(range(N))
    expected = ugt.papers.individual_equivalence_index(data.labels(every, kind), make(data, every), **options)
    found = states.finish(in_parts("individual_equivalence_index", data, kind, make, options, cut(data, seed)))
    close(found.value, expected.value)
    for name in ("alpha", "mu", "criterion", "coefficient"):
        close(found.numbers[name], getattr(expected, name), name)
    close(found.numbers["per_annotator"], by_name(found, expected.annotators, expected.per_annotator))
    assert (found.n_cases, found.left_out, found.reason) == (expected.n_cases, dict(expected.left_out), None)
    assert found.std_error == pytest.approx(expected.std_error, rel=1e-9)


def test_individual_equivalence_over_other_annotators():
    data, rows = Data(0), list(range(N))
    given, both = (data.labels(rows), data.said.astype(int)), {"random": ("cases", "annotators"), "annotators": WHO}
    expected = ugt.papers.individual_equivalence_index(*given).two_way()
    found = states.finish(states.partial("individual_equivalence_index", *given, **both)).two_way()
    for name in ("value", "variance", "df"):
        close(getattr(found, name), getattr(expected, name), name)
    message = r"metric must be one of sums over cases, for intervals of parts over annotators\. Got HeldOut\."
    refused(message, states.partial, "relative_f1", *given, **both, held_out=["ann", "eve"])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kind", "make", "options"), DISTANCES)
@pytest.mark.parametrize("least", [10, None])
def test_the_alternative_annotator_test(kind, make, options, seed, least):
    data, every = Data(seed), list(range(N))
    options = {**options, "epsilon": 0.15, "q": 0.2}
    of_all = ugt.humans.alternative_annotator_test(data.labels(every, kind), make(data, every), least_cases=2, **options).n_cases
    least = least or int(np.median(of_all)) + 1
    expected = ugt.humans.alternative_annotator_test(data.labels(every, kind), make(data, every), least_cases=least, **options)
    assert len(expected.annotators) and (len(expected.too_few) > 0) == (least > 10)
    chosen = {**options, "least_cases": least}
    found = states.finish(in_parts("alternative_annotator_test", data, kind, make, chosen, cut(data, seed)))
    close(found.value, expected.value)
    for name in ("advantage", "annotator_advantage", "p_value", "rejected"):
        close(found.numbers[name], by_name(found, expected.annotators, getattr(expected, name)), name)
    assert (found.numbers["winning_rate"], found.numbers["passed"]) == (expected.winning_rate, expected.passed)
    check_cases(found, expected)
    assert (found.left_out, found.reason) == (dict(expected.left_out), None)


def test_some_models_pass_the_test_and_some_fail():
    data, passed = Data(1, repeat=0), []
    for said in (data.said, 3 - data.said):
        found = one_part("alternative_annotator_test", data.labels(range(N)), said.astype(int))
        passed.append(found.numbers["passed"])
    assert passed == [1.0, 0.0]
    labels = [[k % 2, k % 2, k % 2] for k in range(40)]
    for said, p in (([k % 2 for k in range(40)], 0.0), ([1 - k % 2 for k in range(40)], 1.0)):
        expected = ugt.humans.alternative_annotator_test(labels, said)
        found = states.finish(states.merge([states.partial("alternative_annotator_test", labels[h], said[h]) for h in HALVES]))
        assert found.numbers["p_value"].tolist() == expected.p_value.tolist() == [p] * 3


HALVES = [slice(0, 13), slice(13, None)]


def test_over_clusters_there_are_no_p_values():
    data = Data(0)
    found = states.finish(
        states.partial("alternative_annotator_test", data.labels(range(N)), data.said.astype(int), clusters=data.clusters, n_resamples=50)
    )
    assert np.isnan(found.numbers["p_value"]).all() and math.isnan(found.numbers["winning_rate"])
    assert found.reason == "no p-values: a test over clusters needs the cases of each cluster together"
    assert 0 < found.value < 1 and found.interval()[0] < found.value < found.interval()[1]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kind", "make", "options"), DISTANCES)
def test_other_averages(kind, make, options, seed):
    data, every = Data(seed), list(range(N))
    expected = ugt.papers.alternative_discrepancy_ratios(data.labels(every, kind), make(data, every), **options)
    found = states.finish(in_parts("alternative_discrepancy_ratios", data, kind, make, options, cut(data, seed)))
    close(found.value, expected.ratio)
    names = [f"{one}{name}" for name in ("prime", "prime_printed", "double_prime") for one in ("", "alpha_", "mu_")]
    for name in names:
        close(found.numbers[name], getattr(expected, name), name)
    same = one_part("discrepancy_ratio", data.labels(every, kind), make(data, every), **options)
    assert (found.n_cases, found.left_out) == (same.n_cases, same.left_out)
    assert math.isnan(expected.double_prime) == (options["distance"] == "zero-one")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("held_out", [["eve"], ["dan", "ann"], ["bob", "eve", "ann"]])
def test_relative_f1(seed, held_out):
    data, every = Data(seed), list(range(N))
    expected = ugt.papers.relative_f1(data.labels(every), data.other, held_out=held_out, missing="drop")
    options = {"held_out": held_out, "missing": "drop"}
    found = states.finish(in_parts("relative_f1", data, LABELS, lambda d, r: d.other[r], options, cut(data, seed)))
    close((found.value, found.numbers["model"], found.numbers["annotators"]), (expected.value, expected.model, expected.annotators))
    assert found.n_cases == expected.n_cases and found.left_out == {"case without a majority class": N - expected.n_cases}


RESAMPLED = {
    "annotator_discrepancy": {"distance": "zero-one", "cases": "all"},
    "individual_equivalence_index": {},
    "alternative_annotator_test": {"least_cases": 2},
    "alternative_discrepancy_ratios": {},
    "relative_f1": {"held_out": ["ann", "eve"]},
}


@pytest.mark.slow
@pytest.mark.parametrize("units", ["cases", "clusters"])
@pytest.mark.parametrize("metric", RESAMPLED)
def test_resamples_of_parts_are_those_of_the_whole(metric, units):
    data = Data(5)

    def state(rows, n_resamples):
        by = {"clusters": data.clusters[rows]} if units == "clusters" and n_resamples else {}
        given = (data.labels(rows), data.said[rows].astype(int))
        return states.partial(metric, *given, annotators=WHO, n_resamples=n_resamples, seed=3, **by, **RESAMPLED[metric])

    found = check_resamples(state, data, units)
    of_all = {"p_value", "rejected", "winning_rate", "passed", metric != "relative_f1" and "annotators"}
    assert set(found.resampled_numbers) == set(found.numbers) - of_all


def test_annotators_of_all_parts_are_the_same():
    data, metric = Data(0), "individual_equivalence_index"
    given = [states.partial(metric, data.labels(range(9)), data.said[:9].astype(int), annotators=who) for who in (WHO, WHO[::-1])]
    assert given[0] == given[1]
    two = ugt.Labels.from_wide([[0, 1]], classes=K, annotators=["ann", "bob"])
    message = r"states must be made with the same annotators, \['ann', 'bob', 'dan', 'eve'\]"
    refused(message, states.merge, [given[0], states.partial(metric, two, [1])])
    with pytest.raises(ValueError, match=r"annotators must name all annotators of every part. Got a list without 'bob'"):
        states.partial("individual_equivalence_index", two, [1], annotators=["ann", "eve"])
    no_part(r"annotators must name all annotators of every part", "individual_equivalence_index", two, [1], annotators=[0, 1])
    with pytest.raises(ValueError, match=r"annotators must be given for a part without labels. Got None"):
        states.partial("individual_equivalence_index", ugt.Labels.from_long([], [], [], classes=K, cases=["a"]), [1])
    with pytest.raises(ValueError, match=r"annotations must name the annotator of each label, .*Got label counts"):
        states.partial("alternative_annotator_test", ugt.Labels.from_counts([[1, 2]]), [1], annotators=WHO)


def test_unknown_options():
    for metric, options in RESAMPLED.items():
        no_part(f"{metric} in parts knows no option 'level'", metric, [[0, 1]], [1], level=0.9, **options, error=TypeError)
    no_part(r"annotations must be Labels, since a part need not hold all classes.*Got list", "relative_f1", [[0, 1, 1]], [1], held_out=[0])
    no_part("knows no option 'predictions'", "annotator_discrepancy", [[0, 1, 1]], [1], predictions=[1], error=TypeError)


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("annotator_discrepancy", {"cases": "some"}, "cases must be one of"),
        ("annotator_discrepancy", {"least_cases": 0}, "least_cases must be a whole number of at least 1"),
        ("alternative_annotator_test", {"epsilon": -1}, "epsilon must be"),
        ("alternative_annotator_test", {"q": 1}, "q must be a number between 0 and 1"),
        ("alternative_annotator_test", {"least_cases": 1}, "least_cases must be a whole number of at least 2"),
        ("relative_f1", {"held_out": ["zoe"]}, "held_out must be among the annotators. Got 'zoe'"),
        ("relative_f1", {"held_out": WHO}, "held_out must be some of the annotators, not all. Got 4 of 4"),
        ("relative_f1", {"held_out": ["eve"], "missing": "no"}, "missing must be one of"),
    ],
)
def test_options_out_of_range(metric, options, message):
    data = Data(0)
    no_part(message, metric, data.labels(range(9)), data.said[:9].astype(int), annotators=WHO, **options)


@pytest.mark.filterwarnings("ignore:undefined")
def test_reasons():
    one, few = {"case with a single annotator": 2}, "no annotator has {} or more cases that others labelled too"
    for metric, votes, said, reason, left_out in (
        ("annotator_discrepancy", [[0, 1], [1, 1]], [1, 1], few.format(1), {}),
        ("annotator_discrepancy", [[1, 1, 1]] * 3, [1, 1, 1], "the annotators do not differ from each other", {}),
        ("alternative_annotator_test", [[0, 1], [1, 1]], [1, 1], few.format(30), {}),
        ("individual_equivalence_index", [[0, None], [1, None]], [1, 1], "no case is left", one),
        ("alternative_discrepancy_ratios", [[0, None], [1, None]], [1, 1], "no case is left", one),
        ("alternative_discrepancy_ratios", [[1, 1]] * 3, [1, 1, 1], "annotators agree in all 3 cases (alpha = 0)", {}),
    ):
        found = one_part(metric, votes, said)
        assert math.isnan(found.value) and found.reason == reason and found.left_out.items() >= left_out.items()
    found = one_part("relative_f1", ugt.Labels.from_wide([[0, 1, 1]], classes=2), [1], held_out=[2])
    assert math.isnan(found.value) and found.reason == "no case has a majority class"


def test_states_hold_sums_alone_and_no_small_groups():
    votes = [[0, 1, 1]] * 5 + [[0, 1, None]] * 5
    no_part(r"min_cases = 6 cases.*Got 10 cases, and 3 groups of fewer, the smallest of 5", "annotator_discrepancy", votes, min_cases=6)
    no_part("and 1 groups of fewer, the smallest of 5", "individual_equivalence_index", votes, [1] * 10, min_cases=6)
    with pytest.raises(ValueError, match="and 5 groups of fewer, the smallest of 5"):  # an annotator, and their pairs in either order
        states.partial("alternative_discrepancy_ratios", votes, [1] * 10, min_cases=6)
    labels = ugt.Labels.from_wide([*votes, [0, 0, 0]], classes=2)
    with pytest.raises(ValueError, match="Got 11 cases, and 1 groups of fewer, the smallest of 1"):  # a vote of its class
        states.partial("relative_f1", labels, [1] * 11, held_out=[0], min_cases=6)
    assert states.partial("alternative_annotator_test", votes, [1] * 10, min_cases=5).n_cases == 10
    data = Data(0)
    text = states.partial("annotator_discrepancy", data.labels(range(N)), data.said.astype(int)).to_json()
    assert len(text) < 4000 and not any(f'"{one}"' in text for one in data.ids)
    assert json.loads(text)["settings"]["annotators"] == ASCENDING
