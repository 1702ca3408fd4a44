"""Ordered labels and ratings on a stated scale: how they are read, what keeps their order, and what is refused."""

import copy
import pickle

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt import Labels, Ratings, states
from ugt.annotations.other_annotators import joined, keeping, of_cases, only, without, without_each
from ugt.resampling.weighted import _drawn
from ugt.truth.held_out import one_each

WORDS = ["mild", "moderate", "severe"]
LONG = (["a", "a", "b", "c"], ["x", "y", "x", "y"], ["severe", "mild", "mild", "severe"])
KNOWN = Labels.from_long(*LONG, ordered=WORDS)


@pytest.mark.parametrize(
    ("table", "ordered", "classes", "grades"),
    [
        ([[10, 2], [1, None]], True, [1, 2, 10], [1, 2, 10]),
        ([["10", "2"], ["1", None]], True, ["1", "2", "10"], [1, 2, 10]),
        ([[1, 1.5], [2, None]], True, ["1", "1.5", "2"], [1, 1.5, 2]),
        ([[1, 2], [2, None]], [1, 1.5, 2], ["1", "1.5", "2"], [1, 1.5, 2]),
        ([["1", "2.0"], [None, "1.0"]], [1, 2, 3], [1, 2, 3], [1, 2, 3]),
        ([[1, 5], [2, None]], [5, 4, 3, 2, 1], [5, 4, 3, 2, 1], [5, 4, 3, 2, 1]),
        ([["mild", "severe"], ["mild", None]], WORDS, WORDS, [1, 2, 3]),
        ([[2, 0], [1, None]], WORDS, WORDS, [1, 2, 3]),  # positions, as for classes
        ([["I", "III"], [None, "II"]], ["I", "II", "III"], ["I", "II", "III"], [1, 2, 3]),
        ([[3, 3], [3, 3]], True, [3], [3]),
    ],
)
def test_the_order_and_the_numbers_of_grades(table, ordered, classes, grades):
    labels = Labels.from_wide(table, ordered=ordered)
    assert labels.ordered and labels.axes.classes.tolist() == classes and labels.grades.tolist() == grades
    held = [(i, cell) for i, row in enumerate(table) for cell in row if cell is not None]
    again = Labels.from_long([i for i, _ in held], [*range(len(held))], [cell for _, cell in held], ordered=ordered)
    assert again.axes.classes.tolist() == classes and again.counts().tolist() == labels.counts().tolist()
    counted = Labels.from_counts(labels.counts()[:, ::-1], classes=labels.axes.classes[::-1], ordered=classes)
    assert counted.grades.tolist() == grades and counted.counts().tolist() == labels.counts().tolist()


def test_counts_without_names_are_the_grades_in_the_order():
    assert Labels.from_counts([[3, 1, 0]], ordered=WORDS).axes.classes.tolist() == WORDS
    assert Labels.from_counts([[3, 1, 0]], ordered=True).grades.tolist() == [0, 1, 2]


def test_counts_of_a_frame_are_joined_by_the_names_of_its_columns():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[3, 1, 0]], columns=["severe", "mild", "moderate"], index=["a"])
    labels = Labels.from_counts(frame, ordered=WORDS)
    assert labels.axes.classes.tolist() == WORDS and labels.counts().tolist() == [[1, 0, 3]] and labels.axes.case_ids.tolist() == ["a"]
    assert Labels.from_counts(frame.reset_index(drop=True)).axes.classes.tolist() == ["severe", "mild", "moderate"]
    assert Labels.from_counts(pd.DataFrame([[3, 1]])).axes.classes.tolist() == [0, 1]
    refused("have columns for classes only .*Got a column 'case'", Labels.from_counts, frame.assign(case=1))


def test_ordered_categories_are_grades_and_it_is_said():
    pd = pytest.importorskip("pandas")
    column = pd.Categorical(LONG[2], categories=WORDS, ordered=True)
    frame = pd.DataFrame({"case": LONG[0], "annotator": LONG[1], "label": column})
    wide = pd.DataFrame({"x": column, "y": column})
    for read in (lambda **o: Labels.from_long(*LONG[:2], column, **o), lambda **o: Labels.from_frame(frame, **o),
                 lambda **o: Labels.from_wide(wide, **o)):  # fmt: skip
        with pytest.warns(UserWarning, match="Read the ordered categories as grades, in the order mild < moderate < severe"):
            assert read().ordered
        assert not read(ordered=False).ordered
        assert read(ordered=WORDS[::-1]).axes.classes.tolist() == WORDS[::-1]
    assert not Labels.from_long(*LONG[:2], column.as_unordered()).ordered


MADE = {
    "of_cases": lambda known: of_cases(known, np.array([2, 0])),
    "without": lambda known: without(known, 0, np.arange(3)),
    "only": lambda known: only(known, np.array([1, 0])),
    "keeping": lambda known: keeping(known, np.array([True, False, True, True])),
    "joined": lambda known: joined(known, np.array([0]), np.array([1])),
    "without_each": lambda known: without_each(known, np.arange(3), counted=False)[2],
    "without_each, counted": lambda known: without_each(known, np.arange(3))[2],
    "drawn": lambda known: _drawn(known, np.array([2, 0, 1, 1])),
    "one_each": one_each,
    "pickled": lambda known: pickle.loads(pickle.dumps(known)),
    "copied": copy.deepcopy,
}


@pytest.mark.parametrize("name", MADE)
def test_annotations_made_of_annotations_keep_the_order_and_the_scale(name):
    assert MADE[name](KNOWN).ordered and MADE[name](KNOWN).axes.classes.tolist() == WORDS
    assert not MADE[name](Labels.from_long(*LONG)).ordered
    if name in ("of_cases", "without", "only", "keeping", "pickled", "copied"):
        rated = Ratings.from_long(*LONG[:2], [3, 1, 1, 3], scale=[1, 2, 3])
        assert MADE[name](rated).scale == (1, 2, 3)


def test_the_reverse_of_an_order_reverses_the_counts():
    turned = KNOWN.in_order(WORDS[::-1])
    assert turned.counts().tolist() == KNOWN.counts()[:, ::-1].tolist()
    assert turned.in_order(WORDS).counts().tolist() == KNOWN.counts().tolist()
    assert "ordered=True" in repr(turned)


@pytest.mark.parametrize(
    ("given", "ordered", "message"),
    [
        (["mild", "critical"], WORDS, "name every class, lowest first. Got mild < moderate < severe, without 'critical', first at case 1"),
        (["mild", "Severe"], WORDS, r"without 'Severe' \(there is 'severe'; write both alike\), first at case 1"),
        (["mild", "3"], True, r"be the classes, lowest first, if their names are not all numbers\. Got no order, and the class 'mild'"),
        (["mild", "3"], WORDS, "without '3', first at case 1"),
        (["mild", "mild"], ["mild", "severe", "mild"], r"ordered must not repeat an id\. Got 'mild' twice, first at position 2"),
        ([1, 1.5], [1, 2, 3], r"without '1.5' \(it is between two grades: .*scale 'real'\), first at case 1"),
        ([1, 2], [3, 1, 2], r"ordered must ascend or descend if all class names are numbers .*Got 3 < 1 < 2"),
        ([1, 2], "mild", "ordered must be a one-dimensional sequence of ids. Got str"),
        ([1, 2], 3, "ordered must be a one-dimensional sequence of ids. Got int"),
    ],
)  # fmt: skip
def test_orders_that_are_refused(given, ordered, message):
    refused(message, Labels.from_long, [0, 1], ["x", "y"], given, ordered=ordered)
    refused(message.replace("case 1", "case 1, annotator 0"), Labels.from_wide, [[one] for one in given], ordered=ordered)


def test_refusals_of_labels_without_a_place_or_an_order():
    refused("without 'd'", Labels.from_counts, [[1, 2, 0]], classes=["a", "b", "d"], ordered=["a", "b", "c"])
    refused("Got mild < severe, without 'moderate'.$", KNOWN.in_order, ["mild", "severe"])
    refused("without 'severe', first at case 'a', annotator 'x'", KNOWN.in_order, ["mild", "moderate"])
    refused("labels must be ordered", lambda: Labels.from_long(*LONG).grades)


def test_ratings_on_a_scale_are_ordered_labels():
    rated = Ratings.from_wide([[1, 4], [np.nan, 2], [np.nan, np.nan]], scale=range(1, 6), case_ids=["a", "b", "c"])
    labels = rated.to_labels()
    assert labels.ordered and labels.grades.tolist() == [1, 2, 3, 4, 5] and labels.counts().sum(axis=1).tolist() == [2, 1, 0]
    assert labels.axes.case_ids.tolist() == ["a", "b", "c"] and labels.annotators.tolist() == rated.annotators.tolist()
    assert labels.axes.classes.dtype == np.int64 and labels.label.dtype == np.int32
    halves = Ratings.from_wide([[1, 1.5]], scale=[1, 1.5, 2]).to_labels()
    assert halves.axes.classes.tolist() == ["1", "1.5", "2"] and halves.grades.tolist() == [1, 1.5, 2]


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ([1, 2], r"every rating must be on the scale 1 < 2 .*Got 2\.5, 1 of 3 off the scale, first at case 1, annotator 0"),
        (
            [3, 2, 1],
            r"scale must be 'real', or at least two ascending finite numbers .*lowest grade, .*ordered=\)\. Got \[3, 2, 1\]",
        ),
        ([1, 1, 2], "ascending"),
        ([1], "at least two"),
        ([1, np.inf], "finite"),
        ("whole", r"scale must be 'real'.*Got 'whole'"),
        (5, "scale must be 'real'"),
        (["mild", "severe"], "scale must be 'real'"),
    ],
)
def test_scales_that_are_refused(scale, message):
    refused(message, Ratings.from_wide, [[1, 2], [2.5, None]], scale=scale)
    if "first at" not in message:
        refused(message, Ratings.from_long, [1], [1], [1], scale=scale)


@pytest.mark.parametrize(("scale", "got"), [("real", "real numbers"), (None, "a scale that is not stated")])
def test_labels_need_a_finite_scale(scale, got):
    refused(f"ratings must have a finite scale .*Got {got}", Ratings.from_wide([[1, 2]], scale=scale).to_labels)


TEXTS = [["low", "medium"], ["high", "high"], ["medium", "high"], ["low", "low"], ["low", "medium"], ["medium", "medium"]]
PROBS = np.full((6, 3), 1 / 3)
ORDINAL = {
    "kappa": lambda labels: ugt.cohen_kappa(labels, weights="quadratic"),
    "AC2": ugt.agreement.gwet_ac2,
    "alpha": lambda labels: ugt.krippendorff_alpha(labels, "ordinal"),
    "Fleiss": lambda labels: ugt.fleiss_kappa(labels, weights="linear"),
    "pairs": lambda labels: ugt.agreement.pairwise_agreement(labels, weights="ordinal"),
    "table": lambda labels: ugt.agreement_table(labels, weights="linear"),
    "Dawid-Skene": lambda labels: ugt.dawid_skene(labels, model="ordinal"),
    "RPS": lambda labels: ugt.calibration.ranked_probability_score(labels, PROBS),
    "Wasserstein": lambda labels: ugt.calibration.wasserstein_distance(labels, PROBS),
    "part": lambda labels: states.compute("cohen_kappa", parts=[(labels,)], weights="quadratic"),
}


@pytest.mark.parametrize("statistic", ORDINAL)
def test_an_order_of_texts_is_asked_for(statistic):
    function, order = ORDINAL[statistic], ["low", "medium", "high"]
    must = r"must be ordered \(ordered=\['lowest', \.\.\., 'highest'\]\), or have classes that are ascending numbers\. Got classes"
    with pytest.raises(ValueError, match=must):
        function(ugt.Labels.from_wide(TEXTS))
    numbers = [[order.index(one) for one in row] for row in TEXTS]
    function(ugt.Labels.from_wide(numbers))
    function(ugt.Labels.from_wide(TEXTS, ordered=order))
    as_text = ["2", "10", "11"]  # sorted as text: 10, 11, 2
    with pytest.raises(ValueError, match="must be ordered"):
        function(ugt.Labels.from_wide([[as_text[one] for one in row] for row in numbers]))


def test_a_table_of_texts_has_its_order_by_classes():
    with pytest.raises(ValueError, match=r"labels must be ordered \(classes=\["):
        ugt.cohen_kappa(TEXTS, weights="quadratic")
    found = ugt.cohen_kappa(TEXTS, weights="quadratic", classes=["low", "medium", "high"])
    assert found.value == pytest.approx(0.609, abs=5e-4)
    assert ugt.cohen_kappa(ugt.Labels.from_wide(TEXTS, ordered=["low", "medium", "high"]), weights="quadratic").value == found.value


def test_what_needs_no_order_of_texts():
    labels = ugt.Labels.from_wide(TEXTS)
    assert ugt.cohen_kappa(labels).value == pytest.approx(ugt.cohen_kappa(labels, weights=np.eye(3)).value)
    assert ugt.krippendorff_alpha(labels, "ordinal", values=[3, 1, 2]).value < 1
    assert ugt.calibration.wasserstein_distance(labels, PROBS, positions=[0, 1, 2]).value > 0
    assert ugt.cohen_kappa([["a", "b"], ["a", "a"], ["b", "b"]], weights="linear").value > 0
