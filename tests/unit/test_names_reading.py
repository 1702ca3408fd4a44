"""One rule for what columns hold, whichever library they come from: categories, bools, masks, arrays of pyarrow."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from public_functions import FUNCTIONS, make_world, numbers
from refusals import refused

import ugt
import ugt.io
from ugt import Labels
from ugt._base import identifiers

CASE, WHO = ["p1", "p1", "p2", "p2", "p3", "p3"], ["ann", "bob"] * 3
WORDS = ["dog", "dog", "cat", "cat", "cat", "dog"]


# ---- categories of polars ----


class Categorical:
    """What ugt sees of the type of a Categorical column of polars: its categories are those of all such columns of the process."""

    __module__ = "polars.datatypes.classes"
    categories = ("zebra", "dog", "p1", "ann", "cat")


class Enum(Categorical):
    __module__ = "polars.datatypes.classes"


class Column:
    """What ugt sees of a column of polars."""

    def __init__(self, cells, dtype):
        self.cells, self.dtype = cells, dtype

    def to_numpy(self):
        return np.array(self.cells, object)

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy()

    def __len__(self):
        return len(self.cells)


class Frame(dict):
    columns = property(list)

    def to_numpy(self):
        return np.column_stack([one.to_numpy() for one in self.values()])

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy()


def read_any_way(case, who, label, wide):
    """The labels that each door reads from these columns of text, and from the same labels in a wide frame."""
    frame = Frame(case=case, annotator=who, label=label)
    yield Labels.from_long(case, who, label)
    yield Labels.from_frame(frame)
    yield ugt.io.read_annotations(frame).annotations
    yield Labels.from_wide(wide, case_ids=["p1", "p2", "p3"])


def test_words_of_other_columns_are_no_classes():
    case, who, label = (Column(cells, Categorical()) for cells in (CASE, WHO, WORDS))
    wide = Frame(ann=Column(WORDS[::2], Categorical()), bob=Column(WORDS[1::2], Categorical()))
    for read in read_any_way(case, who, label, wide):
        assert read.axes.classes.tolist() == ["cat", "dog"]
        assert ugt.agreement.gwet_ac1(read).value == ugt.agreement.gwet_ac1(Labels.from_long(CASE, WHO, WORDS)).value
    enum = Column(WORDS, Enum())
    assert Labels.from_long(CASE, WHO, enum).axes.classes.tolist() == list(Categorical.categories)


def test_categories_of_polars():
    polars = pytest.importorskip("polars")
    polars.Series(["zebra", "yak"], dtype=polars.Categorical)
    case, who, label = (polars.Series(cells, dtype=polars.Categorical) for cells in (CASE, WHO, WORDS))
    wide = polars.DataFrame({"ann": label.gather_every(2), "bob": label.gather_every(2, 1)})
    for read in read_any_way(case, who, label, wide):
        assert read.axes.classes.tolist() == ["cat", "dog"]
    frame = polars.DataFrame({"case": case, "annotator": who, "label": label})
    assert Labels.from_frame(frame).axes.classes.tolist() == ["cat", "dog"]
    declared = polars.Series(WORDS, dtype=polars.Enum(["dog", "cow", "cat"]))
    if importlib.util.find_spec("pyarrow"):
        assert Labels.from_frame(frame.to_arrow()).axes.classes.tolist() == ["cat", "dog"]
    for read in (Labels.from_long(CASE, WHO, declared), Labels.from_frame(frame.with_columns(label=declared))):
        assert read.axes.classes.tolist() == ["dog", "cow", "cat"]
    model = polars.DataFrame({"case": ["p3", "p1", "p2"], "cat": [0.5, 0.1, 0.9], "dog": [0.5, 0.9, 0.1]})
    values = [
        ugt.evaluate(Labels.from_frame(one), {"m": model}, k=1, n_resamples=5, positive_class="dog").metrics[0]["value"]
        for one in (frame, frame.cast(polars.String))
    ]
    assert values[0] == values[1]


def test_categories_of_pandas_and_ordered_dictionaries_are_all_classes():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    label = pandas.Categorical(WORDS, categories=["dog", "cow", "cat"])
    assert Labels.from_long(CASE, WHO, pandas.Series(label)).axes.classes.tolist() == ["dog", "cow", "cat"]
    arrow = pyarrow.array(WORDS).dictionary_encode()
    assert Labels.from_long(CASE, WHO, arrow).axes.classes.tolist() == ["cat", "dog"]
    frame = pyarrow.table({"case": CASE, "annotator": WHO, "label": arrow})
    assert Labels.from_frame(frame).axes.classes.tolist() == ["cat", "dog"]


# ---- the index of a Series, and methods of the same name ----


def test_the_index_of_a_value():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    series = pandas.Series([1, 2], index=["p", "q"])
    for named in (series, series.to_frame()):
        assert identifiers.index_of(named).tolist() == ["p", "q"]
    for plain in (
        pyarrow.array([1, 2]),
        pyarrow.chunked_array([[1, 2]]),
        pyarrow.table({"a": [1]}),
        np.ones(2),
        [1, 2],
        (1, 2),
        "ab",
        None,
    ):
        assert identifiers.index_of(plain) is None


PER_CASE = {
    name: [one for one in entry.given if isinstance(one, str) and one in ("class", "rated", "p", "s")] for name, entry in FUNCTIONS.items()
}


def called_with(entry, world, made, raw):
    return numbers(
        entry.function(*(one(world) if callable(one) else (made if one in raw else world)[one] for one in entry.given), **entry.fixed)
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, raw in PER_CASE.items() if raw])
def test_arrays_of_pyarrow_are_arrays(name):
    """Wherever one number or label per case is taken; a Series that is numbered 0 to N-1 by itself is one, too."""
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    entry, world, raw = FUNCTIONS[name], make_world(), PER_CASE[name]
    expected = called_with(entry, world, world, raw)
    forms = [pyarrow.array, lambda cells: pyarrow.chunked_array([cells[:7], cells[7:]])]
    if entry.function.__module__.startswith("ugt.humans"):
        forms.append(pandas.Series)
    for form in forms:
        assert called_with(entry, world, {one: form(world[one]) for one in raw}, raw) == expected


def test_clusters_and_labels_may_be_arrays_of_pyarrow():
    pyarrow = pytest.importorskip("pyarrow")
    y = np.arange(30) % 3
    labels = Labels.from_wide(np.column_stack([y, y[::-1]]), classes=3)
    assert ugt.fleiss_kappa(labels).interval(clusters=pyarrow.array(y)) == ugt.fleiss_kappa(labels).interval(clusters=y)
    assert Labels.from_long(pyarrow.array(np.arange(30)), pyarrow.array(["a"] * 30), pyarrow.array(y)).label.tolist() == y.tolist()


def test_a_frame_in_another_order_of_numbers_has_them_as_ids():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"ann": ["x", "y", "x"], "bob": ["x", "x", "y"]})
    for part, ids in ((frame, [0, 1, 2]), (frame[::-1], [2, 1, 0]), (frame[1:], [1, 2])):
        assert Labels.from_wide(part).axes.case_ids.tolist() == ids


# ---- masks ----


def test_masks_of_the_parts_of_a_list():
    masked = np.ma.array([[1.0, 2.0], [3.0, 99.0]], mask=[[False, False], [False, True]])
    whole = [[[1, 2], [3, 4]], [[1, 2], [3, None]]]
    for given in ([np.ma.array([[1.0, 2.0], [3.0, 4.0]]), masked], [[[1, 2], [3, 4]], list(masked)], [[[1, 2], [3, 4]], masked]):
        assert np.array_equal(ugt.studies.Readings.from_array(given).rating, ugt.studies.Readings.from_array(whole).rating, equal_nan=True)
    assert ugt.studies.Readings.from_array(whole).read.sum() == 7


# ---- bools ----


def test_bools_are_the_labels_false_and_true():
    bools, texts = [True, False, True, True, False, True], ["True", "False", "True", "True", "False", "True"]
    expected = Labels.from_long(CASE, WHO, texts)
    table = np.array(bools).reshape(3, 2)
    ids = {"case_ids": ["p1", "p2", "p3"], "annotators": ["ann", "bob"]}
    made = [Labels.from_long(CASE, WHO, one) for one in (bools, np.array(bools), np.array(bools, object))]
    made += [Labels.from_wide(one, **ids) for one in (table, table.tolist(), table.astype(object))]
    gap = Labels.from_wide([[True, None], [False, True]])
    assert (gap.axes.classes.tolist(), gap.n_labels) == (["False", "True"], 3)
    for one in made:
        assert one.axes.classes.tolist() == ["False", "True"]
        assert one.label.tolist() == expected.label.tolist()
    assert Labels.from_long(CASE, WHO, bools, ordered=[False, True]).ordered
    assert Labels.from_wide(np.ones((2, 2), bool), classes=[False, True]).n_classes == 2
    value = [ugt.discrepancy_ratio(expected, one, distance="zero-one").value for one in ([True, False, True], ["True", "False", "True"])]
    assert value[0] == value[1]


def test_false_and_true_are_zero_and_one_where_these_are_the_classes():
    bools = np.array([True, False, True, True, False, True])
    assert Labels.from_long(CASE, WHO, bools, classes=2).label.tolist() == [1, 0, 1, 1, 0, 1]
    ones, names = Labels.from_long(CASE, WHO, bools.astype(int)), Labels.from_long(CASE, WHO, bools)
    predicted, found = np.array([True, True, False]), []
    for labels in (ones, names):
        for given in (predicted.astype(str), predicted.astype(int), predicted.astype(str).tolist()):
            found.append([row["value"] for row in ugt.evaluate(labels, {"m": given}, k=1, n_resamples=5, details=False).metrics])
    assert len(found[0]) > 2 and all(one == found[0] for one in found)
    always = [
        [row["value"] for row in ugt.evaluate(ones, {"m": given}, k=1, n_resamples=5, details=False).metrics]
        for given in (["True"] * 3, [1, 1, 1], ["1"] * 3)
    ]
    assert always[0] == always[1] == always[2]
    for given in (predicted, predicted.tolist(), predicted.astype(int)):
        assert (
            ugt.discrepancy_ratio(ones, given, distance="zero-one").value
            == ugt.discrepancy_ratio(ones, [1, 1, 0], distance="zero-one").value
        )
    refused(r"label must be one of the 2 classes\. Got 'True', first at case 'p1'", Labels.from_long, CASE, WHO, bools, classes=[1, 2])
    refused(
        r"label must be one of the 2 classes\. Got 'maybe'",
        Labels.from_long,
        ["p", "q"],
        ["a", "a"],
        ["True", "maybe"],
        classes=[False, True],
    )


def test_bools_of_frames_are_the_same_labels():
    pandas = pytest.importorskip("pandas")
    bools = [True, False, True, True, False, True]
    frame = pandas.DataFrame({"case": CASE, "annotator": WHO, "label": bools})
    wide = pandas.DataFrame(np.array(bools).reshape(3, 2), index=["p1", "p2", "p3"], columns=["ann", "bob"])
    doors = [Labels.from_long(frame.case, frame.annotator, one) for one in (frame.label, frame.label.astype("boolean"), bools)]
    doors += [Labels.from_frame(frame), ugt.io.read_annotations(frame).annotations, Labels.from_wide(wide)]
    doors += [ugt.io.read_annotations(wide, format="wide").annotations, Labels.from_wide(wide.astype("boolean"))]
    for one in doors:
        assert (one.axes.classes.tolist(), one.label.tolist()) == (["False", "True"], doors[-1].label.tolist())


# ---- two vectors, tables without a type


def two_vectors(n=40):
    rng = np.random.default_rng(4)
    one = rng.integers(0, 3, n)
    return one, np.where(rng.random(n) < 0.6, one, rng.integers(0, 3, n))


@pytest.mark.parametrize("function", [ugt.cohen_kappa, ugt.agreement.scott_pi])
def test_two_vectors_are_the_labels_of_two_annotators(function):
    one, two = two_vectors()
    names = np.array(["x", "y", "z"])
    labels = Labels.from_wide(np.column_stack([one, two]))
    expected = function(labels)
    for pair in ((one, two), (one.tolist(), two.tolist()), (names[one], names[two]), (one.astype(float), two), (tuple(one), two)):
        assert function(*pair).value == expected.value
    assert function(one == 1, two == 1).value == function(Labels.from_wide(np.column_stack([one, two]) == 1)).value
    for weights in ("linear", "quadratic"):
        assert function(one, two, weights=weights).value == function(labels, weights=weights).value
        assert function(names[one], names[two], weights=weights, classes=names).value == function(labels, weights=weights).value
    gap = np.ma.array(one, mask=one == 2)
    left = function(gap, two)
    assert left.value == function(one[one != 2], two[one != 2]).value and sum(left.left_out.values()) == (one == 2).sum()
    assert function([1, None, 2, 2, 1], [1, 1, 2, 1, float("nan")]).n_cases == 3
    refused(r"other must have one label for each of the 40 labels of the first annotator\. Got 39\.", function, one, two[1:])
    refused(r"other must be left out unless labels are those of one annotator, a vector .* Got labels of Labels", function, labels, two)
    refused(r"annotators must be left out for two vectors", function, one, two, annotators=[0, 1])
    refused(r"labels must be the labels of one annotator, a vector\. Got str", function, "abc", "abd", error=TypeError)
    refused(r"must hold only integers or only strings or only bools\. Got both True and 1", function, [True, False], [1, 0])
    refused(r"must hold integers of at most 64 bits or strings\. Got 0\.5", function, [0.5, 1], [1, 1])


def test_two_series_are_joined_by_their_index():
    pandas = pytest.importorskip("pandas")
    one, two = two_vectors()
    expected = ugt.cohen_kappa(one, two).value
    ids = [f"p{i}" for i in range(40)]
    first, second = pandas.Series(one, index=ids), pandas.Series(two, index=ids)
    mixed = second.sample(frac=1, random_state=0)
    numbered = pandas.Series(one), pandas.Series(two)
    same = [(first, second), (first, mixed), (mixed, first), (first.to_dict(), mixed.to_dict()), (first, two), (one, second), numbered]
    same += [(first.astype("category"), mixed.astype("category"))]
    for pair in same:
        assert ugt.cohen_kappa(*pair).value == pytest.approx(expected, abs=1e-14)
    part = ugt.cohen_kappa(first[:30], mixed[[name in ids[10:] for name in mixed.index]])
    assert (part.value, sum(part.left_out.values())) == (ugt.cohen_kappa(one[10:30], two[10:30]).value, 20)
    texts = pandas.Series(one, index=map(str, range(40)))
    unsure = [(numbered[0], numbered[1][::-1]), (numbered[0], numbered[1].sample(frac=1, random_state=0)), (numbered[0], second)]
    for pair in [*unsure, (texts, numbered[1])]:  # an index that was not given says nothing of the order of the other
        refused("other must have an index as labels has .* beside row 0", ugt.cohen_kappa, *pair)
    other = second.set_axis([f"q{i}" for i in range(40)])
    refused(r"other must have cases of labels in its index .* Got 'p0' and 'q0' first", ugt.cohen_kappa, first, other)
    refused(r"the index of other must not repeat an id\. Got 'p' twice", ugt.cohen_kappa, first, second.set_axis(["p"] * 40))
    refused(r"other must have one label for each of the 40", ugt.cohen_kappa, numbered[0], pandas.Series(two[:30]))


def test_a_table_of_text_is_labels_wherever_annotations_are_taken():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    text, scores = np.array(["x", "y", "z"])[rng.integers(0, 3, (30, 3))], rng.dirichlet(np.ones(3), 30)
    labels = Labels.from_wide(text)
    values = [
        [row["value"] for row in ugt.evaluate(one, {"m": scores}, n_resamples=5, details=False).metrics]
        for one in (labels, text, text.tolist(), text.astype(object), pandas.DataFrame(text))
    ]
    assert all(one == values[0] for one in values)
    assert ugt.annotation_certainty(ugt.dirichlet(text)).value == ugt.annotation_certainty(ugt.dirichlet(labels)).value
    assert ugt.votes(text.tolist()).axes.classes.tolist() == ["x", "y", "z"]
    must = (
        r"annotations must be Labels, .* \(for a table of numbers, Ratings\.from_wide makes ratings and Point\.from_array plausibilities\)"
    )
    refused(must, ugt.evaluate, scores, {"m": scores}, error=TypeError)


def test_evaluate_names_the_reader_that_has_the_options_which_it_speaks_of():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    frame, scores = pandas.DataFrame(rng.integers(0, 3, (30, 3))), rng.dirichlet(np.ones(3), 30)
    must = (
        r"annotations must come from ugt\.io\.read_annotations\(frame, format=\.\.\.\)\.annotations, with the format 'wide' \(one column "
    )
    for one in (frame, frame.astype(float).mask(frame == 2)):
        refused(must + r".*Got a data frame\.$", ugt.evaluate, one, {"m": scores})
    read = ugt.io.read_annotations(frame, format="wide").annotations
    assert read.axes.n_classes == 3 and ugt.evaluate(read, {"m": scores}, n_resamples=5, details=False).metrics
    two = pandas.DataFrame({"item": [1, 2], "ann": ["a", "b"], "case": [3, 4]})
    way = r"annotations: case column must be given .* Options for columns, format and missing cells: ugt\.io\.read_annotations\(frame, "
    refused(way, ugt.evaluate, two, {"m": scores})
    assert ugt.io.read_annotations(two, columns={"case": "case"}, ignore_columns=["item"]).annotations.n_cases == 2


def test_modules_are_there_when_a_message_names_them():
    subprocess.run([sys.executable, "-I", "-c", "import ugt; ugt.io.read_annotations, ugt.plots, ugt.synthetic, ugt.states"], check=True)
