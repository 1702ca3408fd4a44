"""Predictions of each annotator's own label: values by hand and by the twin, joining by name, means over labels, bad input."""

import math

import numpy as np
import pytest
from refusals import labels_of_rows, refused, warned
from twins import perspectivist as twin
from twins import scaled_score

import ugt
from ugt import states

BOTH = ("cases", "annotators")
NAN = float("nan")
CASES, WHO = ["p", "q", "r", "s"], ["ann", "bob", "cid"]


def long(values, kind=ugt.Labels, **more):
    (case, annotator), value = zip(*values), list(values.values())
    build = kind.from_long
    return build(case, annotator, value, cases=CASES, **more)


def table(rng, grades, share=0.8, n=30, r=5):
    """Annotations of named cases and annotators, and predictions of these and of some others, in another order."""
    cases, who = [f"case {i}" for i in range(n)], [f"reader {a}" for a in range(r)]
    given = {(c, a): int(rng.choice(grades)) for c in cases for a in who if rng.random() < share}
    predicted = {
        (c, a): int(rng.choice(grades)) for c in rng.permutation(cases).tolist() for a in who if (c, a) in given or rng.random() < 0.5
    }
    return cases, who, given, predicted


def of_table(values, kind, cases, **more):
    return kind.from_long(*zip(*values), list(values.values()), cases=cases, **more)


def test_examples_by_hand():
    # two of the four annotators of the first item are predicted, all of the second, none of the third
    labels = ugt.Labels.from_wide([[0, 1, 1, 0], [1, 1, None, None], [0, None, None, None]], classes=2)
    found = ugt.humans.perspectivist_error_rate(labels, ugt.Labels.from_wide([[0, 1, 0, 1], [1, 1, 0, 0], [1, 1, 1, 1]], classes=2))
    assert found.per_case.tolist() == [0.5, 0.0, 1.0] and found.value == 0.5 and found.n_unused == 5
    assert found.per_annotator.tolist() == [1 / 3, 0.0, 1.0, 1.0]
    # ratings from -5 to 5: distances 1, 2, 0 and 10, divided by 11 values of the scale
    ratings = ugt.Ratings.from_wide([[-4, 3, 0], [5, None, None]])
    found = ugt.humans.perspectivist_distance(ratings, ugt.Ratings.from_wide([[-3, 5, 0], [-5, 1, 1]]), divide_by=11)
    np.testing.assert_allclose(found.per_case, [3 / 33, 10 / 11])
    assert found.value == pytest.approx((1 / 11 + 10 / 11) / 2)
    # an item with two yes-or-no questions: shares of "yes" 1/4 and 1, predicted 1/2 and 3/4
    soft = {
        "a": ugt.calibration.manhattan_distance([[3, 1]], [[0.5, 0.5]]),
        "b": ugt.calibration.manhattan_distance([[0, 4]], [[0.25, 0.75]]),
    }
    assert ugt.humans.multilabel_mean(soft).value == 0.5
    assert ugt.humans.multilabel_mean(soft).by_label == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize("seed", range(4))
def test_values_equal_the_twins(seed):
    rng = np.random.default_rng(seed)
    grades = np.arange(-2, 4)
    cases, _, given, predicted = table(rng, grades)
    absolute = lambda a, b: abs(a - b)  # noqa: E731
    labels, guesses = (of_table(one, ugt.Labels, None, classes=grades.tolist()) for one in (given, predicted))
    ordered = labels.axes.case_ids.tolist()
    found = ugt.humans.perspectivist_error_rate(labels, guesses)
    np.testing.assert_allclose(found.per_case, twin.error_rate(ordered, given, predicted), rtol=1e-13)
    np.testing.assert_allclose(
        found.per_annotator, [twin.of_annotator(given, predicted, a, lambda x, y: x != y) for a in labels.annotators.tolist()], rtol=1e-13
    )
    ratings, guesses = (of_table(one, ugt.Ratings, cases) for one in (given, predicted))
    found = ugt.humans.perspectivist_distance(ratings, guesses, divide_by=6)
    np.testing.assert_allclose(found.per_case, twin.absolute_distance(cases, given, predicted, 6), rtol=1e-13)
    np.testing.assert_allclose(
        found.per_annotator * 6, [twin.of_annotator(given, predicted, a, absolute) for a in ratings.annotators.tolist()], rtol=1e-13
    )
    grades = {"ordered": grades.tolist()}
    of_labels = ugt.humans.perspectivist_distance(*(of_table(one, ugt.Labels, cases, **grades) for one in (given, predicted)), divide_by=6)
    np.testing.assert_array_equal(of_labels.per_case, found.per_case)
    assert found.value == pytest.approx(twin.mean(x for x in found.per_case if not math.isnan(x)), rel=1e-13)
    assert found.n_unused == len(predicted) - len(given)


def test_with_two_classes_both_measures_are_one():
    rng = np.random.default_rng(5)
    cases, _, given, predicted = table(rng, [0, 1])
    error = ugt.humans.perspectivist_error_rate(*(of_table(one, ugt.Labels, cases, classes=2) for one in (given, predicted)))
    distance = ugt.humans.perspectivist_distance(*(of_table(one, ugt.Ratings, cases) for one in (given, predicted)))
    np.testing.assert_array_equal(error.per_case, distance.per_case)
    difference = error.minus(distance)
    assert difference.value == 0 and difference.interval() == pytest.approx(scaled_score.interval([0] * error.n_cases))


def test_multilabel_means_equal_the_twin():
    rng = np.random.default_rng(6)
    counts, probs = rng.integers(1, 5, (3, 20, 2)), rng.dirichlet([1, 1], (3, 20))
    found = ugt.humans.multilabel_mean({name: ugt.calibration.manhattan_distance(*pair) for name, *pair in zip("abc", counts, probs)})
    targets = counts / counts.sum(-1, keepdims=True)
    columns = [[twin.manhattan(*pair) for pair in zip(*label)] for label in zip(targets.tolist(), probs.tolist())]
    np.testing.assert_allclose(found.per_case, twin.over_labels(columns), rtol=1e-13)
    low, high = found.interval()
    assert 0 <= low < found.value < high <= 2


def test_multilabel_means_with_frequencies_and_weights():
    rng = np.random.default_rng(7)
    counts, probs, times = rng.integers(1, 5, (3, 20, 2)), rng.dirichlet([1, 1], (3, 20)), rng.integers(0, 4, 20)
    rows = np.repeat(np.arange(20), times)

    def mean(at, **more):
        distances = zip("abc", counts[:, at], probs[:, at])
        return ugt.humans.multilabel_mean({name: ugt.calibration.manhattan_distance(y, z, **more) for name, y, z in distances})

    found, repeated = mean(slice(None), frequency=times), mean(rows)
    assert (found.value, found.std_error, *found.interval()) == pytest.approx((repeated.value, repeated.std_error, *repeated.interval()))
    assert (found.n_cases, found.left_out, found.by_label) == (len(rows), {}, pytest.approx(repeated.by_label))
    weighted = mean(slice(None), case_weights=times / 7)
    assert weighted.value == pytest.approx(repeated.value)
    assert weighted.left_out == {"case of weight 0": (times == 0).sum()}
    assert weighted.interval(strata=np.arange(20) % 2) != pytest.approx(repeated.interval())
    message = r"results must have the same frequency= and case_weights=\. Got others, first at label 'b'\."
    for other in ({}, {"frequency": times + 1}, {"case_weights": times}):
        pair = {"a": ugt.calibration.manhattan_distance(counts[0], probs[0], frequency=times)}
        pair["b"] = ugt.calibration.manhattan_distance(counts[1], probs[1], **other)
        refused(message, ugt.humans.multilabel_mean, pair)


def test_own_labels_with_frequencies_and_weights():
    rng = np.random.default_rng(8)
    wide, guesses, times = rng.integers(0, 3, (12, 4)), rng.integers(0, 3, (12, 4)), rng.integers(0, 4, 12)
    rows = np.repeat(np.arange(12), times)

    def rate(at, **more):
        return ugt.humans.perspectivist_error_rate(*(ugt.Labels.from_wide(table[at], classes=3) for table in (wide, guesses)), **more)

    found, repeated = rate(slice(None), frequency=times), rate(rows)
    assert (found.value, found.std_error, *found.interval()) == pytest.approx((repeated.value, repeated.std_error, *repeated.interval()))
    np.testing.assert_allclose(found.per_annotator, repeated.per_annotator, rtol=1e-13)
    assert found.n_cases == len(rows)
    weighted = rate(slice(None), case_weights=times)
    assert weighted.value == pytest.approx(repeated.value)
    np.testing.assert_allclose(weighted.per_annotator, repeated.per_annotator, rtol=1e-13)
    both = ("cases", "annotators")
    refused(r"random must be \('cases',\) with frequency=, for which", found.interval, random=both)
    refused(r"random must be \('cases',\) with weights of cases", weighted.interval, random=both)
    refused("frequency must be whole numbers of at least 0", rate, slice(None), frequency=-times)
    refused("case_weights must be left out with frequency=", rate, slice(None), frequency=times, case_weights=times)


def test_a_label_of_an_annotator_who_labelled_twice_counts_twice():
    labels = labels_of_rows(["p", "p", "p"], ["ann", "ann", "bob"], ["a", "b", "b"])
    guesses = ugt.Labels.from_long(["p", "p"], ["ann", "bob"], ["a", "b"])
    assert ugt.humans.perspectivist_error_rate(labels, guesses).value == pytest.approx(1 / 3)


def test_undefined():
    labels = ugt.Labels.from_wide([[None, None], [None, None]], classes=2, annotators=["a", "b"])
    found = warned("undefined: no case is left", ugt.humans.perspectivist_error_rate, labels, labels)
    assert math.isnan(found.value) and found.left_out == {"case without annotations": 2}
    assert np.isnan(found.per_annotator).all() and all(map(math.isnan, found.interval()))
    some = ugt.Labels.from_wide([[0, 1], [None, None]], classes=2, annotators=["a", "b"])
    found = ugt.humans.multilabel_mean({"x": ugt.humans.perspectivist_error_rate(some, some)})
    assert (found.value, found.left_out) == (0, {"case without annotations": 1})


# ---- intervals and parts


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(7)
    cases, _, given, predicted = table(rng, np.arange(4), n=40)
    return cases, *(of_table(one, ugt.Labels, cases, classes=4) for one in (given, predicted))


def rows_of(known, kept):
    """Some of the labels as a long table."""
    case = np.repeat(known.axes.case_ids, np.diff(known.offsets))
    return case[kept], known.annotators[known.annotator[kept]], known.label[kept]


def without(known, j):
    who = known.annotators[known.annotator] != known.annotators[j]
    return ugt.Labels.from_long(*rows_of(known, who), cases=known.axes.case_ids, classes=4)


def test_annotators_are_left_out_one_by_one(three):
    _, labels, guesses = three
    one = ugt.humans.perspectivist_error_rate(labels, guesses).statistic
    for j, found in enumerate(one.panel.without_each(np.arange(5), [0])):
        at = guesses.annotators.tolist().index(labels.annotators[j])
        less = ugt.humans.perspectivist_error_rate(without(labels, j), without(guesses, at))
        weights = np.ones(5)
        weights[j] = 0
        assert found.values[0] == pytest.approx(less.value, rel=1e-12)
        assert one.panel.judged_by(weights).panel.judged_by(weights).estimate[0] == pytest.approx(less.value, rel=1e-12)
        np.testing.assert_allclose(found.influence, less.statistic.influence(), atol=1e-12)


def test_intervals_over_annotators_of_several_labels(three):
    _, labels, guesses = three
    found = ugt.humans.perspectivist_error_rate(labels, guesses)
    twice = ugt.humans.multilabel_mean({"x": found, "y": found})
    np.testing.assert_allclose(twice.interval(random=BOTH), found.interval(random=BOTH), rtol=1e-9)
    assert found.interval() != found.interval(random=BOTH)


@pytest.mark.parametrize("random", [("cases",), BOTH])
def test_parts(three, random):
    cases, labels, guesses = three
    pieces = [slice(0, 15), slice(15, 16), slice(16, 40)]

    def part(known, at):
        kept = np.repeat(np.isin(np.arange(40), np.arange(40)[at]), np.diff(known.offsets))
        return ugt.Labels.from_long(*rows_of(known, kept), cases=cases[at], classes=4)

    def measured(at):
        return part(labels, at), part(guesses, at)

    more = {"random": random, **({"panel": labels.annotators} if random == BOTH else {})}
    found = states.merge([states.partial("perspectivist_error_rate", *measured(at), **more) for at in pieces])
    found = states.finish(found)
    whole = ugt.humans.perspectivist_error_rate(labels, guesses)
    assert found.value == pytest.approx(whole.value, rel=1e-13)
    if random == BOTH:
        np.testing.assert_allclose(found.two_way().interval(), whole.two_way().interval(), rtol=1e-9)
    many = [{"x": ugt.humans.perspectivist_error_rate(*measured(at))} for at in pieces]
    found = states.finish(states.merge([states.partial("multilabel_mean", one) for one in many]))
    assert found.value == pytest.approx(whole.value, rel=1e-13)


# ---- bad input

GIVEN = {("p", "ann"): 1, ("p", "bob"): 2, ("q", "ann"): 3}
UNNAMED, NAMED = ugt.Labels.from_wide([[0, 1]]), ugt.Labels.from_wide([[0, 1]], case_ids=["p"])


@pytest.mark.parametrize(
    ("message", "predicted"),
    [
        (r"predicted must have a prediction for every label \(add it, .*\)\. Got none for 1 of 3, first at case 'q', annotator 'ann'\.",
         {("p", "ann"): 1, ("p", "bob"): 2}),
        (r"predicted must have a case of the labels \(leave out other cases\)\. Got 't' \(the labels have 'p', 'q', 'r', 's'\)\.",
         {**GIVEN, ("t", "ann"): 1}),
        (r"predicted must have a case .* Got 'P' \(there is 'p'; write both alike\)\.", {**GIVEN, ("P", "ann"): 1}),
        (r"predicted must have an annotator of the labels \(leave out other annotators\)\. Got 'Bob' \(there is 'bob'",
         {**GIVEN, ("p", "Bob"): 1}),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Read as different annotators")
def test_names_that_do_not_fit(message, predicted):
    cases = sorted({case for case, _ in predicted} | set(CASES))
    for kind, measure in ((ugt.Labels, ugt.humans.perspectivist_error_rate), (ugt.Ratings, ugt.humans.perspectivist_distance)):
        refused(message, measure, of_table(GIVEN, kind, CASES), of_table(predicted, kind, cases))


@pytest.mark.filterwarnings("ignore:An annotator gave several")
def test_two_predictions_of_one_label():
    rows = ["p", "p", "p", "q"], ["ann", "bob", "bob", "ann"], [1, 2, 2, 3]
    must = r"predicted must have one prediction per case and annotator\. Got two, first at case 'p', annotator 'bob'\."
    refused(must, ugt.humans.perspectivist_error_rate, long(GIVEN), ugt.Labels.from_long(*rows))
    refused(must, ugt.humans.perspectivist_distance, long(GIVEN, ugt.Ratings), ugt.Ratings.from_long(*rows))


@pytest.mark.parametrize(
    ("message", "labels", "predicted"),
    [
        (r"labels must name their annotators.*Got counts of labels\.", ugt.Labels.from_counts([[1, 2]]), UNNAMED),
        (r"predicted must name their annotators.*Got counts of labels\.", UNNAMED, ugt.Labels.from_counts([[1, 2]])),
        (r"cases must have names in labels and in predictions, or in neither\. Got names in labels, none in predictions\.",
         NAMED, UNNAMED),
        (r"Got names in predictions, none in labels\.", UNNAMED, NAMED),
        (r"predicted must have a class of the labels \(name all classes with classes=, .*\)\. Got 'Mild' \(there is 'mild'",
         ugt.Labels.from_wide([["mild", "severe"]]), ugt.Labels.from_wide([["Mild", "severe"]])),
    ],
)  # fmt: skip
def test_labels_that_do_not_fit(message, labels, predicted):
    refused(message, ugt.humans.perspectivist_error_rate, labels, predicted)


def test_classes_are_joined_by_name():
    labels, guesses = ugt.Labels.from_wide([["b", "c"]], classes=["a", "b", "c"]), ugt.Labels.from_wide([["b", "b"]])
    assert ugt.humans.perspectivist_error_rate(labels, guesses).value == 0.5


def test_other_arguments():
    refused(r"labels must be Labels\. Got list\.", ugt.humans.perspectivist_error_rate, [[1]], UNNAMED, error=TypeError)
    refused(
        r"predicted must be Ratings, as ratings are \(Ratings\.from_long\(.*\)\)\. Got Labels\.",
        ugt.humans.perspectivist_distance,
        long(GIVEN, ugt.Ratings),
        UNNAMED,
        error=TypeError,
    )
    refused(r"ratings must be Ratings or ordered Labels\. Got list\.", ugt.humans.perspectivist_distance, [[1]], UNNAMED, error=TypeError)
    refused(r"labels must be ordered \(ordered=", ugt.humans.perspectivist_distance, UNNAMED, UNNAMED)
    for bad in (0, -1, NAN, math.inf, "11"):
        refused(
            r"divide_by must be a finite number above 0\.",
            ugt.humans.perspectivist_distance,
            *[long(GIVEN, ugt.Ratings)] * 2,
            divide_by=bad,
        )


A = ugt.calibration.manhattan_distance([[1, 1], [2, 0]], [[0.5, 0.5], [0.5, 0.5]])
ONE_CASE = ugt.calibration.manhattan_distance([[1, 1]], [[0.5, 0.5]])
NAMED_CASES = ugt.calibration.manhattan_distance(ugt.Labels.from_counts([[1, 1], [2, 0]], case_ids=["p", "q"]), [[0.5, 0.5]] * 2)
OTHER_ORDER = ugt.calibration.manhattan_distance(ugt.Labels.from_counts([[1, 1], [2, 0]], case_ids=["q", "p"]), [[0.5, 0.5]] * 2)


@pytest.mark.parametrize(
    ("message", "results"),
    [
        ("results must hold a result for at least one label", {}),
        (r"results must be of the same 2 cases\. Got 1, first at label 'b'\.", {"a": A, "b": ONE_CASE}),
        (r"results must be of the same cases in one order, as for 'a'.*label 'b'\.", {"a": NAMED_CASES, "b": OTHER_ORDER}),
        (r"results must be of the same cases in one order", {"a": NAMED_CASES, "b": A}),
        (r"results must not have weights of cases\. Got weights, first at label 'a'\.",
         {"a": ugt.calibration.manhattan_distance([[1, 1], [2, 0]], [[0.5, 0.5]] * 2, weights=[1, 2])}),
    ],
)  # fmt: skip
def test_results_that_do_not_fit(message, results):
    refused(message, ugt.humans.multilabel_mean, results)


def test_results_of_no_metric():
    for bad, kind in (([A], "list"), ({"a": A, "b": 0.5}, "float")):
        refused(
            rf"results must be a mapping of label to a mean over cases, .* Got {kind}\.", ugt.humans.multilabel_mean, bad, error=TypeError
        )
