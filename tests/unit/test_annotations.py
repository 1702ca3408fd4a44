"""Labels and Axes: what is read, what is refused, what stays as it is."""

import copy
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import labels_of_rows, refused
from twins import tables as twin

from ugt.annotations import Axes, Labels, Masks, Rankings, Ratings

CASE, ANNOTATOR, LABEL = ["p1", "p2", "p1", "p3"], ["ann", "ann", "bob", "cy"], ["b", "a", "b", "c"]


def rows(labels):
    """(case id, annotator id, class, count) of every row."""
    case = np.repeat(labels.axes.case_ids, np.diff(labels.offsets))
    annotator = labels.annotators[labels.annotator] if len(labels.annotators) else labels.annotator
    return list(zip(case.tolist(), annotator.tolist(), labels.axes.classes[labels.label].tolist(), labels.count.tolist()))


def test_from_long():
    labels = Labels.from_long(CASE, ANNOTATOR, LABEL)
    assert rows(labels) == [("p1", "ann", "b", 1), ("p1", "bob", "b", 1), ("p2", "ann", "a", 1), ("p3", "cy", "c", 1)]
    assert labels.axes.case_ids.tolist() == ["p1", "p2", "p3"] and labels.axes.classes.tolist() == ["a", "b", "c"]
    assert labels.annotators.tolist() == ["ann", "bob", "cy"]
    assert (labels.n_cases, labels.n_classes, labels.n_labels, len(labels)) == (3, 3, 4, 3)
    assert not labels.axes.numbered
    labels = Labels.from_long([3, 1], [0, 0], [1, 0])
    names = ("offsets", "annotator", "label", "count", "annotators")
    assert [getattr(labels, name).dtype for name in names] == [np.int64, np.int32, np.int32, np.int64, np.int64]
    assert labels.axes.case_ids.dtype == labels.axes.classes.dtype == np.int64


COLUMNS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "strided": lambda c: np.repeat(np.array(c), 2)[::2],
    "read-only": lambda c: np.array(c, order="C").view(),
    "big-endian": lambda c: np.array(c).astype(np.array(c).dtype.newbyteorder(">")),
    "object": lambda c: np.array(c, dtype=object),
    "series": lambda c: type("Series", (), {"__array__": lambda self, dtype=None, copy=None: np.array(c, dtype=object)})(),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("columns", [(CASE, ANNOTATOR, LABEL), ([7, -2, 7, 2**62], [1, 1, 2, 3], [1, 0, 1, 2])], ids=["text", "integers"])
def test_columns_of_every_kind(kind, columns):
    made = [COLUMNS[kind](column) for column in columns]
    if kind == "read-only":
        for column in made:
            column.flags.writeable = False
    assert rows(Labels.from_long(*made)) == rows(Labels.from_long(*columns))


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "u2", "i4", ">u4", "i8", "u8", "f4", ">f8"])
def test_integers_of_any_width(dtype):
    labels = Labels.from_long(np.array([5, 3, 5], dtype), np.array([0, 0, 1], dtype), np.array([2, 0, 1], dtype))
    assert rows(labels) == [(5, 0, 2, 1), (5, 1, 1, 1), (3, 0, 0, 1)]


def test_variable_width_strings_of_numpy_2():
    string = getattr(getattr(np, "dtypes", None), "StringDType", None)
    if string is None:
        pytest.skip("this numpy has no StringDType")
    columns = (np.array(column, string()) for column in (CASE, ANNOTATOR, LABEL))
    assert rows(Labels.from_long(*columns)) == rows(Labels.from_long(CASE, ANNOTATOR, LABEL))


def test_long_ids_and_classes_of_labels():
    case = ["x"] * 50_000 + ["y" * 100_000]  # 20 GB as an array of fixed width
    labels = labels_of_rows(case, [0] * len(case), [0] * len(case))
    assert labels.n_cases == 2 and labels.axes.case_ids[1] == "y" * 100_000
    assert labels_of_rows([1, 1], ["ann", "ann"], [0, 0]).counts().tolist() == [[2]]
    assert Labels.from_long([0] * 3, [0, 1, 2], [10, 9, -1]).axes.classes.tolist() == [-1, 9, 10]
    labels = Labels.from_long([0, 0], [0, 1], [3, 1], classes=5)
    assert labels.axes.classes.tolist() == [0, 1, 2, 3, 4] and labels.counts().tolist() == [[0, 1, 0, 1, 0]]
    labels = Labels.from_long(CASE, ANNOTATOR, LABEL, classes=["c", "unused", "b", "a"])
    assert labels.axes.classes.tolist() == ["c", "unused", "b", "a"] and labels.label.tolist() == [2, 2, 3, 0]
    assert Labels.from_long([0, 0], [0, 1], [30, 10], classes=[30, 20, 10]).label.tolist() == [0, 2]
    assert Labels.from_long([0, 0], [0, 1], [2, 0], classes=["a", "b", "c"]).label.tolist() == [2, 0]


def test_cases_without_labels():
    labels = Labels.from_long(CASE, ANNOTATOR, LABEL, cases=["p3", "p0", "p2", "p1"])
    assert labels.axes.case_ids.tolist() == ["p3", "p0", "p2", "p1"]
    assert np.diff(labels.offsets).tolist() == [1, 0, 1, 2] and rows(labels)[0] == ("p3", "cy", "c", 1)
    labels = Labels.from_long([], [], [], cases=["p1", "p2"], classes=["a", "b"])
    assert labels.counts().tolist() == [[0, 0], [0, 0]] and labels.n_labels == 0


LONG_ERRORS = {
    r"case must not be missing\. Got None, first at row 1\.": {"case": ["p1", None, "p2", "p3"]},
    r"case must not be missing\. Got nan, first at row 2": {"case": ["p1", "p1", float("nan"), "p3"]},
    r"case must not be missing\. Got nan, first at row 0": {"case": [np.nan, 1, 2, 3]},
    r"annotator must not be missing\. Got nan, first at row 0": {"annotator": np.array([np.nan, "a", "b", "c"], dtype=object)},
    r"case must not be missing\. Got None, first at row 3": {"case": np.ma.array([1, 2, 3, 4], mask=[0, 0, 0, 1])},
    r"case must not be empty\. Got '', first at row 1": {"case": ["p1", "", "p2", ""]},
    r"annotator must not be empty\. Got '', first at row 2": {"annotator": np.array(["a", "b", "", "d"])},
    r"case must hold only integers or only strings\. Got both 'p1' and 7, first at row 2": {"case": ["p1", "p1", 7, "p2"]},
    r"case must hold only integers or only strings\. Got both 1 and 'x', first at row 1": {"case": [1, "x", 1, 1]},
    r"case must hold only integers or only strings or only bools\. Got both True and 1, first at row 1": {"case": [True, 1, 1, 1]},
    r"case must hold only integers or only strings or only bools\. Got both 'a' and True, first at row 2": {"case": ["a", "b", True, 1]},
    r"case must hold integers or strings\. Got \(1, 2\) \(tuple\), first at row 0": {"case": [(1, 2), (1,), (1,), (2, 3)]},
    r"case must hold integers or strings\. Got an array of \|S2": {"case": np.array([b"p1"] * 4)},
    r"case must hold integers or strings\. Got an array of datetime64": {"case": np.zeros(4, "M8[D]")},
    r"case must hold integers of at most 64 bits or strings\. Got 1\.5, first at row 1": {"case": [1, 1.5, 2, 2]},
    r"case must hold integers of at most 64 bits or strings\. Got inf, first at row 0": {"case": np.array([np.inf, 1, 2, 2])},
    r"case must hold integers of at most 64 bits or strings\. Got 9223372036854775808": {"case": np.array([2**63] * 4, np.uint64)},
    r"case must fit into 64 bits\. Got -100000000000000000000\.": {"case": [1, 2, 3, -(10**20)]},
    r"case must not end in a NUL character\. Got 'a\\x00', first at row 1": {"case": ["a", "a\0", "b", "c"]},
    r"case must be a one-dimensional sequence of ids\. Got str": {"case": "p123"},
    r"case must be a one-dimensional sequence of ids\. Got int": {"case": 5},
    r"case must be a one-dimensional sequence of ids\. Got dict": {"case": {"p1": 0}},
    r"case must be a one-dimensional sequence of ids\. Got 2 dimensions": {"case": np.zeros((4, 1), int)},
    r"annotator must have as many rows as case, 4\. Got 3": {"annotator": ["ann"] * 3},
    r"label must have as many rows as case, 4\. Got 5": {"label": ["a"] * 5},
    r"label must not be missing\. Got None, first at row 4": {"label": ["a"] * 4 + [None]},
    r"label must not be missing\. Got None, first at case 'p1' \(row 2\)": {"label": ["a", "b", None, "c"]},
    r"label must hold integers of at most 64 bits or strings\. Got 0\.5, first at case 'p2' \(row 1\)": {"label": [0, 0.5, 1, 1]},
    r"label must be one of the 2 classes\. Got 'c', first at case 'p3' \(row 3\)": {"classes": ["a", "b"]},
    r"label must hold class indices from 0 to 2\. Got 'b', first at case 'p1' \(row 0\)": {"classes": 3},
    r"label must hold class indices from 0 to 2\. Got 3, first at case 'p2' \(row 1\)": {"classes": 3, "label": [0, 3, 3, 2]},
    r"label must hold class indices from 0 to 2\. Got -1, first at case 'p3' \(row 3\)": {"classes": 3, "label": [0, 1, 2, -1]},
    r"label must hold class indices from 0 to 1\. Got 2, first at case 'p1' \(row 2\)": {"classes": ["a", "b"], "label": [0, 1, 2, 2]},
    r"label must be one of the 2 classes\. Got 'b'": {"classes": [0, 1]},
    r"classes must not repeat an id\. Got 'a' twice, first at position 2": {"classes": ["a", "b", "a"]},
    r"classes must be a number from 1 to 16777216\. Got 0\.": {"classes": 0},
    r"classes must be a number from 1 to 16777216\. Got -3\.": {"classes": -3},
    r"classes must be a number from 1 to 16777216\. Got 1000000000000000000000\.": {"classes": 10**21},
    r"classes must be a one-dimensional sequence of ids\. Got float": {"classes": 3.0},
    r"classes must be a one-dimensional sequence of ids\. Got bool": {"classes": True},
    r"classes must be 1 to 16777216 names\. Got 0": {"classes": []},
    r"case must be one of cases\. Got 'p2', first at row 1": {"cases": ["p1", "p3"]},
    r"case must be one of cases\. Got 'p1', first at row 0": {"cases": [1, 2]},
    r"cases must not repeat an id\. Got 'p1' twice, first at position 1": {"cases": ["p1", "p1"]},
    r"cases must have at least one id": {"cases": [], "case": [], "annotator": [], "label": []},
    r"case must have at least one row, or cases be given": {"case": [], "annotator": [], "label": []},
    r"classes must be given if there are no labels": {"case": [], "annotator": [], "label": [], "cases": [1]},
}


@pytest.mark.parametrize("message", LONG_ERRORS)
def test_from_long_refuses(message):
    refused(message, Labels.from_long, **{"case": CASE, "annotator": ANNOTATOR, "label": LABEL, **LONG_ERRORS[message]})


EXPECTED = [(0, 0, "b", 1), (0, 2, "a", 1), (2, 1, "a", 1)]
WIDE = {
    "None": [["b", None, "a"], [None, None, None], [None, "a", None]],
    "empty": [["b", "", "a"], ["", "", ""], ["", "a", ""]],
    "nan": [["b", np.nan, "a"], [np.nan] * 3, [np.nan, "a", np.nan]],
    "text array": np.array([["b", "", "a"], ["", "", ""], ["", "a", ""]]),
    "object array": np.array([["b", None, "a"], [np.nan, "", None], [None, "a", None]], dtype=object),
    "masked array": np.ma.array([["b", "x", "a"], ["x"] * 3, ["x", "a", "x"]], mask=[[0, 1, 0], [1, 1, 1], [1, 0, 1]]),
}


@pytest.mark.parametrize("kind", WIDE)
def test_from_wide_text(kind):
    labels = Labels.from_wide(WIDE[kind])
    assert rows(labels) == EXPECTED and labels.axes.numbered
    assert labels.n_cases == 3


@pytest.mark.parametrize(
    ("table", "missing"),
    [
        ([[1, None], [None, 0]], (None,)),
        (np.array([[1, np.nan], [np.nan, 0]]), (None,)),
        (np.array([[1, -1], [99, 0]]), (-1, 99)),
        (np.array([[1, -1], [-1, 0]], "i1")[:, ::1], -1),
        (np.ma.array([[1, 7], [7, 0]], mask=[[0, 1], [1, 0]]), (None,)),
        ([["1", "NA"], ["NA", "0"]], "NA"),
    ],
)
def test_from_wide_says_what_is_missing(table, missing):
    labels = Labels.from_wide(table, missing=missing)
    assert labels.counts().tolist() == [[0, 1], [1, 0]]


def test_from_wide_names_and_nulls():
    labels = Labels.from_wide([[0, 2], [1, 1]], classes=["a", "b", "c"], case_ids=["p", "q"], annotators=["ann", "bob"])
    assert rows(labels) == [("p", "ann", "a", 1), ("p", "bob", "c", 1), ("q", "ann", "b", 1), ("q", "bob", "b", 1)]
    assert not labels.axes.numbered
    null = type("NAType", (), {"__repr__": lambda self: "<NA>"})()
    assert Labels.from_wide([[1, null]]).n_labels == 1
    refused(r"table must not be missing\. Got <NA>, first at case 0, annotator 1", Labels.from_wide, [[1, null]], missing=())


WIDE_ERRORS = {
    r"table must be two-dimensional, cases x annotators\. Got 1 dimensions \(or rows of different lengths\)": {"table": [[1, 2], [3]]},
    r"table must hold only integers or only strings\. Got both 1 and 'a', first at case 'q', annotator 0": {"table": [[1, 1], ["a", 1]]},
    r"table must not be missing\. Got nan, first at case 'q', annotator 1": {"table": [[0.0, 1.0], [1.0, np.nan]], "missing": ()},
    r"table must hold integers of at most 64 bits or strings\. Got 0\.5, first at case 'p', annotator 1": {"table": [[0, 0.5], [0, 1]]},
    r"table must hold class indices from 0 to 1\. Got 2, first at case 'q', annotator 1": {"table": [[0, 1], [1, 2]], "classes": 2},
    r"case_ids must be 2 ids\. Got 3": {"case_ids": ["p", "q", "r"]},
    r"case_ids must not repeat an id\. Got 'p' twice, first at position 1": {"case_ids": ["p", "p"]},
    r"annotators must be 2 ids\. Got 1": {"annotators": ["ann"]},
    r"annotators must not repeat an id\. Got 'ann' twice": {"annotators": ["ann", "ann"]},
    r"annotators must name at least one\. Got an empty table": {"table": np.zeros((2, 0))},
    r"case_ids must name at least one\. Got an empty table": {"table": np.zeros((0, 2))},
    r"classes must be given if there are no labels": {"table": [[None, None], [None, None]]},
}


@pytest.mark.parametrize("message", WIDE_ERRORS)
def test_from_wide_refuses(message):
    refused(message, Labels.from_wide, **{"table": [[0, 1], [1, 1]], "case_ids": ["p", "q"], **WIDE_ERRORS[message]})


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i4", "u8", "f4", ">f8"])
def test_from_counts(dtype):
    table = np.array([[3, 0, 1], [0, 0, 0], [0, 2, 0]], dtype)
    labels = Labels.from_counts(table, case_ids=["p", "q", "r"], classes=["a", "b", "c"])
    assert rows(labels) == [("p", -1, "a", 3), ("p", -1, "c", 1), ("r", -1, "b", 2)]
    assert labels.counts().tolist() == table.tolist() and labels.n_labels == 6
    assert len(labels.annotators) == 0


def test_from_counts_takes_strided_and_nested_tables():
    wide = np.arange(24).reshape(4, 6)
    assert (Labels.from_counts(wide[::2, ::-3]).counts() == wide[::2, ::-3]).all()
    assert Labels.from_counts([[1, 2]]).axes.classes.tolist() == [0, 1]


FRACTIONS = "counts must be whole numbers (for fractional counts c: dirichlet(Labels.from_counts(np.sign(c)), reliability=c))"
COUNT_ERRORS = {
    r"counts must not be negative\. Got -1, first at case 'q', class 'b'": {"counts": [[1, 0], [1, -1]]},
    r"counts must be finite\. Got nan, first at case 'p', class 'b'": {"counts": [[1, np.nan], [1, 1]]},
    r"counts must be finite\. Got inf, first at case 'q', class 'a'": {"counts": [[1, 1], [np.inf, 1]]},
    re.escape(FRACTIONS) + r"\. Got 0\.5, first at case 'p', class 'a'": {"counts": [[0.5, 1], [1, 1]]},
    r"counts must add up to at most 2\*\*53 in a case\. Got .*, first at case 'q'": {"counts": [[1, 1], [2**53, 2**53]]},
    r"counts must add up to at most 2\*\*53 in a case\. Got 9007199254740993, first at case 'p'": {"counts": [[2**53, 1], [3, 4]]},
    r"counts must be a table of numbers, cases x classes\. Got int\d\d of shape \(2,\)": {"counts": np.array([1, 2])},
    r"counts must be a table of numbers, cases x classes\. Got object": {"counts": np.ma.array([[1, 2]], mask=[[0, 1]])},
    r"counts must be a table of numbers, cases x classes\. Got bool": {"counts": [[True, False]]},
    r"counts must be a table of numbers, cases x classes\. Got [<>]U1": {"counts": [["1", "2"]]},
    r"case_ids must be 2 ids\. Got 1": {"case_ids": ["p"]},
    r"classes must be 2 ids\. Got 3": {"classes": ["a", "b", "c"]},
    r"classes must not repeat an id\. Got 'a' twice": {"classes": ["a", "a"]},
    r"classes must name at least one": {"counts": np.zeros((2, 0), int)},
    r"case_ids must name at least one": {"counts": np.zeros((0, 2), int)},
}


@pytest.mark.parametrize("message", COUNT_ERRORS)
def test_from_counts_refuses(message):
    given = {"counts": [[1, 2], [3, 4]], "case_ids": ["p", "q"], "classes": ["a", "b"]}
    refused(message, Labels.from_counts, **{**given, **COUNT_ERRORS[message]})


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 3)), min_size=1))
def test_long_wide_and_counts_agree(table):
    case, annotator, label = zip(*table)
    labels = labels_of_rows(case, annotator, label, classes=4, cases=range(6))
    expected = [[sum((c, k) == (i, j) for c, _, k in table) for j in range(4)] for i in range(6)]
    assert labels.counts().tolist() == expected and Labels.from_counts(expected).counts().tolist() == expected
    offsets, index, count = labels.class_counts()
    for i in range(6):
        merged = twin.class_counts([(k, 1) for c, _, k in table if c == i])
        assert list(zip(index[offsets[i] : offsets[i + 1]].tolist(), count[offsets[i] : offsets[i + 1]].tolist())) == merged


def arrays_of(given):
    """By name; those of its axes too."""
    found = {name: getattr(given, name) for name in dir(given) if name[0] != "_"}
    inner = arrays_of(given.axes) if hasattr(given, "axes") else {}
    return {**inner, **{name: value for name, value in found.items() if isinstance(value, np.ndarray)}}


FROZEN = [
    (
        Labels.from_wide([["a", None], ["b", "a"]], ordered=["a", "b"]),
        {"offsets", "label", "count", "annotator", "annotators", "case_ids", "classes", "stream_keys", "grades"},
    ),
    (
        Rankings.from_blocks([[[[0], [1, 2]], [[1]]], []]),
        {"case_offsets", "ranking_offsets", "block_offsets", "items", "annotator", "annotators"},
    ),
    (Ratings.from_wide([[1.0, 2.0], [None, 3.0]]), {"value", "offsets", "annotator", "annotators", "case_ids"}),
    (Masks.from_wide([[[1, 0], None]], case_ids=["p"]), {"words", "offsets", "annotator", "case_ids"}),
]


@pytest.mark.parametrize(("given", "names"), FROZEN, ids=lambda value: type(value).__name__)
def test_annotations_and_their_copies_are_frozen(given, names):
    arrays = arrays_of(given)
    assert names <= set(arrays)
    for name in names - {"classes", "stream_keys"}:
        with pytest.raises(AttributeError):
            setattr(given, name, None)
    for again in (given, copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
        assert repr(again) == repr(given) and getattr(again, "axes", again).numbered == getattr(given, "axes", given).numbered
        for name, array in arrays_of(again).items():
            np.testing.assert_array_equal(array, arrays[name])
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_later_changes_of_the_input_have_no_effect():
    with pytest.raises(AttributeError):
        Labels.from_counts([[1]]).axes.classes = None
    counts, ids = np.array([[1, 2]]), np.array([7])
    labels = Labels.from_counts(counts, case_ids=ids)
    axes = Axes(ids, np.arange(2))
    counts[:], ids[:] = 0, 0
    assert labels.counts().tolist() == [[1, 2]] and labels.axes.case_ids.tolist() == axes.case_ids.tolist() == [7]
    assert ids.flags.writeable


def test_repr_and_names_of_axes():
    assert repr(Labels.from_long(CASE, ANNOTATOR, LABEL)) == "Labels(n_cases=3, n_empty=0, n_classes=3, n_labels=4, n_annotators=3)"
    assert repr(Labels.from_counts([[2, 3], [0, 0]])) == "Labels(n_cases=2, n_empty=1, n_classes=2, n_labels=5)"
    assert repr(Axes.of(2, 3)) == "Axes(n_cases=2, n_classes=3)"
    axes = Axes.of(2, 2, ["p17", "q"], [3, 5])
    assert (axes.case_name(0), axes.class_name(1)) == ("'p17'", "5")
    assert not axes.numbered
    assert Axes.of(2, 2).numbered and Axes.of(2, 2).case_ids.tolist() == [0, 1]


def test_stream_keys_are_those_of_the_ids():
    text, integers = Axes.of(3, 1, ["5", "p", "\u03bb-long-id"]), Axes.of(2, 1, [5, -7])
    assert text.stream_keys.tolist() == [twin.stream_key(i) for i in ("5", "p", "\u03bb-long-id")]
    assert integers.stream_keys.tolist() == [twin.stream_key(5), twin.stream_key(-7)]
    assert text.stream_keys[0] == integers.stream_keys[0] and text.stream_keys is text.stream_keys
