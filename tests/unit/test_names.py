"""Names that mean one thing: equal as numbers, alike, or codes for none; in arrays, frames and files."""

from __future__ import annotations

import noted
import pytest

import ugt.io
from ugt import Labels, Rankings
from ugt._base import identifiers, names

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
WIDE = "case,reader 1,reader 2\n"
DIFFER = "though their names differ only by case, blanks, Unicode form or leading zeros"


def heard(function, *given, **options):
    """What the function returns, and what it says of how it read its input."""
    with noted.heard() as said:
        return function(*given, **options), said


@pytest.mark.parametrize(
    ("name", "expected"),
    [("1.0", "1"), ("1.50", "1.5"), ("-0.0", "0"), ("10", "10"), ("1.", "1"), ("01.0", "01.0"), ("v1.0", "v1.0"), ("1.0.0", "1.0.0")],
)
def test_one_number(name, expected):
    assert identifiers.one_number(name) == expected


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Cat", "cat", True),
        (" cat", "cat ", True),
        ("big  cat", "big cat", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("cat\u200b", "cat", True),
        ("\uff21", "a", True),
        ("Stra\u00dfe", "STRASSE", True),
        ("001", "1", True),
        ("+7", "7", True),
        ("reader 01", "reader 1", True),
        ("1.0", "01", True),
        ("10", "1", False),
        ("1.05", "1.5", False),
        ("cat", "cut", False),
        ("caf\u00e9", "cafe", False),
    ],
)
def test_names_that_look_alike(one, other, alike):
    assert (names.look(one) == names.look(other)) is alike


@pytest.mark.parametrize(
    ("table", "classes", "index", "note"),
    [
        ([["1", "1.0"], ["2", "2"]], ["1", "2"], [0, 0, 1, 1], "Names of classes that are equal as numbers are one: '1.0' is read as 1."),
        ([[1, "1.0"], [2.0, "2"]], [1, 2], [0, 0, 1, 1], "The column table holds numbers, and text that is equal to numbers; both are"),
        ([["1.5", "1.50"], ["2", "2"]], ["1.5", "2"], [0, 0, 1, 1], "Names of classes that are equal as numbers are one: '1.50' is"),
        ([["1.50", "1"], ["2", "2"]], ["1", "1.50", "2"], [1, 0, 2, 2], ""),  # nothing else is equal
        ([["Cat", "cat"], ["cat", "dog"]], ["Cat", "cat", "dog"], [0, 1, 1, 2], f"Read as different classes, {DIFFER}: 'Cat' and"),
        ([["a", "nan"], ["a", "b"]], ["a", "b", "nan"], [0, 2, 0, 1], "Taken as annotations, though they look like codes for 'none': 'na"),
        ([[0, -1], [1, 1]], [-1, 0, 1], [1, 0, 2, 2], "Taken as annotations, though they look like codes for 'none': '-1'"),
        ([[0, 1], [2, 99]], [0, 1, 2, 99], [0, 1, 2, 3], "Taken as annotations, though they look like codes for 'none': '99'"),
        ([["02. Jan", "1"], ["1", "1"]], ["02. Jan", "1"], [0, 1, 1, 1], "Taken as classes, though they look like dates: '02. Jan' (a"),
        ([["2021-03-02 00:00:00", "2"], ["2", "2"]], ["2", "2021-03-02 00:00:00"], [1, 0, 0, 0], "Taken as classes, though they look like"),
        ([["3-Feb", "Feb 03"], ["3-Feb", "3-Feb"]], ["3-Feb", "Feb 03"], [0, 1, 0, 0], "Taken as classes, though they look like dates: "),
        ([["2-3", "3. Grad"], ["2-3", "mar"]], ["2-3", "3. Grad", "mar"], [0, 1, 0, 2], ""),
        ([["cat", "dog"], ["cat", "cat"]], ["cat", "dog"], [0, 1, 0, 0], ""),
    ],
)  # fmt: skip
def test_classes_of_a_wide_table_and_what_is_said_of_them(table, classes, index, note):
    labels, said = heard(Labels.from_wide, table)
    assert labels.axes.classes.tolist() == classes
    assert labels.label.tolist() == index
    assert len(said) == bool(note)
    assert not note or said[0].startswith(note)
    cells = [cell for row in table for cell in row]
    assert Labels.from_long([0, 0, 1, 1], ["a", "b", "a", "b"], cells).axes.classes.tolist() == classes


@pytest.mark.parametrize(
    ("labels", "classes", "index"),
    [
        (["1", "2"], [2, 1], [1, 0]),
        ([1, 2], ["2", "1", "0"], [1, 0]),  # names, not positions
        ([1, 0], ["x", "y"], [1, 0]),  # positions, as no name is a number
        (["1.0", "2"], [1, 2], [0, 1]),
        (["1.0", "1"], ["1.0", "1"], [0, 1]),  # both are named
        (["1", "0"], 2, [1, 0]),
    ],
)
def test_classes_that_are_named_are_found_as_text_or_as_numbers(labels, classes, index):
    read = Labels.from_long(["p", "q"], ["ann", "ann"], labels, classes=classes)
    assert read.label.tolist() == index


@pytest.mark.parametrize("turned", [False, True])
def test_merged_names_are_the_commonest_whatever_the_order(turned):
    rows = [("p", "Ann", "Cat"), ("p", "ann", "cat "), ("q", "Ann", "Cat"), ("q", "bob", "dog")]
    case, annotator, label = zip(*(rows[::-1] if turned else rows))
    read, said = heard(Labels.from_long, case, annotator, label, merge_names=True)
    assert (sorted(read.annotators.tolist()), read.axes.classes.tolist(), read.counts().sum(0).tolist()) == (
        ["Ann", "bob"],
        ["Cat", "dog"],
        [3, 1],
    )
    assert said[:2] == [
        "Joined annotators whose names differ only by case, blanks, Unicode form or leading zeros: 'Ann' and 'ann'.",
        "Joined classes whose names differ only by case, blanks, Unicode form or leading zeros: 'Cat' and 'cat '.",
    ]


def test_merged_names_of_rankings():
    read = Rankings.from_strings(["p", "q"], ["ann", "ann"], ["Cat > dog", "cat"], merge_names=True)
    assert read.axes.classes.tolist() == ["Cat", "dog"]
    read = Rankings.from_long(["p", "q"], ["ann", "ann"], ["Cat", "cat"], [1, 1], merge_names=True, classes=["cat", "dog"])
    assert read.items.tolist() == [0, 0]


def test_a_table_saved_by_pandas_with_a_gap(tmp_path):
    # A column of integers with a gap is written as 1.0, 2.0 and a blank.
    (tmp_path / "wide.csv").write_text(WIDE + "p1,1,1.0\np2,2,2.0\np3,1,\np4,2,1.0\np5,2,2.0\n", encoding="utf-8")
    read = ugt.io.read_annotations(tmp_path / "wide.csv")
    assert read.annotations.axes.classes.tolist() == [1, 2]
    assert ugt.agreement.percent_agreement(read.annotations).value == 0.75
    assert "Names of classes that are equal as numbers are one: '1.0' is read as 1, '2.0' is read as 2." in [*map(str, read.notes)]
    (tmp_path / "long.csv").write_text("case,annotator,label\np1,1,1\np1,2.0,1.0\np2,2,2\n", encoding="utf-8")
    read = ugt.io.read_annotations(tmp_path / "long.csv")
    assert read.annotations.axes.classes.tolist() == [1, 2]
    assert len(read.annotations.annotators) == 2


def test_predictions_find_classes_that_are_equal_as_numbers():
    labels = Labels.from_long(["p", "q"], ["ann", "ann"], [1, 2])
    model = ugt.Predictions(["p", "q"], [[0.9, 0.1], [0.2, 0.8]], classes=["1.0", "2.0"])
    assert model.aligned(labels.axes)[0].tolist() == [[0.9, 0.1], [0.2, 0.8]]


def test_the_warning_is_at_the_line_that_called():
    with pytest.warns(UserWarning, match="look like codes") as record:
        Labels.from_wide([[0, -1], [1, 1]])
    assert record[0].filename == __file__


def test_several_labels_of_an_annotator_for_a_case_are_noted():
    labels, said = heard(Labels.from_long, ["p", "q", "q", "q"], ["ann", "ann", "bob", "ann"], ["a", "b", "b", "b"])
    assert labels.n_labels == 4
    assert said == ["An annotator gave several labels to one case, and each counts: 1 more, first at case 'q', annotator 'ann'."]
    assert heard(Labels.from_long, ["p", "p"], ["ann", "bob"], ["a", "a"])[1] == []
