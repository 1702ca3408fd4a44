"""Orders and scales as attackers, spreadsheets and other alphabets write them: never taken for other numbers, always told."""

import math

import numpy as np
import pytest
from refusals import refused

from ugt import Labels, Ratings
from ugt.cli import main
from ugt.io import read_annotations
from ugt.io.arrays import parts_of

NOT_ALL_NUMBERS = r"ordered must be the classes, lowest first, if their names are not all numbers"
DIGITS = r"must be numbers of at most 15 digits before the point and 15 after it \(round or scale them\)"


@pytest.mark.filterwarnings("ignore::UserWarning")  # names that look alike, and such
@pytest.mark.parametrize("text", ["٣", "１", "²", "½", "Ⅱ", "1,5", "01", "1e2", "+1", "1_000", "nan", "0x1", " 1", "−1", "1\u200b"])
def test_text_that_is_no_number_of_a_grade(text):
    refused(rf"{NOT_ALL_NUMBERS}\. Got .*class", Labels.from_wide, [[text, "2"]], ordered=True)
    labels = Labels.from_wide([[text, "2"]], ordered=[text, "2"])  # as words, in the order that is given
    assert labels.grades.tolist() == [1, 2] and labels.label.tolist() == [0, 1]


@pytest.mark.parametrize("text", ["٣", "１", "²", "½", "Ⅱ", "1,5", "x", "1_000"])
def test_text_that_is_no_rating(text):
    refused(rf"table must hold numbers\. Got '{text}'", Ratings.from_wide, [[text, "2"]], scale=[1, 2, 3])


@pytest.mark.parametrize(
    ("message", "ordered"),
    [
        (r"ordered must be a list of the classes, lowest first, because a set has no order\. Got set\.", {"1", "2"}),
        (r"ordered must be a list .* Got frozenset\.", frozenset("12")),
        (r"ordered must be a one-dimensional sequence of ids\. Got str\.", "12"),
        (r"ordered must be a one-dimensional sequence of ids\. Got dict\.", {"1": 1, "2": 2}),
        (r"ordered must be a one-dimensional sequence of ids\. Got int\.", 2),
        (r"ordered must hold integers or strings", [["1", "2"]]),
        (r"ordered must not be missing\. Got None, first at position 1\.", ["1", None, "2"]),
        (r"ordered must not repeat an id\. Got '1' twice, first at position 2\.", ["1", "2", "1"]),
        (r"ordered must name each grade once \(1 and 1\.0 are one number\)\. Got 1 < 1\.0 < 2\.", ["1", "1.0", "2"]),
        (r"ordered must ascend or descend if all class names are numbers", ["1", "3", "2"]),
        (r"ordered must name every class, lowest first\. Got 1 < 3, without '2' \(it is between two grades", ["1", "3"]),
        (r"ordered must name every class, lowest first", ["mild", "severe"]),
        (r"ordered must name the classes, lowest first\. Got none\.", []),
    ],
)
def test_orders_that_are_none(message, ordered):
    refused(message, Labels.from_wide, [["1", "2"]], ordered=ordered)
    refused(message, Labels.from_wide([["1", "2"]]).in_order, ordered)


@pytest.mark.parametrize("name", ["Mild", "mild ", "mild\u00a0", "mild\u202e", "ｍild"])
def test_names_that_look_alike_are_told(name):
    refused(r"without .* \(there is 'mild'; write both alike\)", Labels.from_wide, [[name, "severe"]], ordered=["mild", "severe"])


@pytest.mark.parametrize("grade", [0.1 + 0.2, 1e-16, 1 / 3, -1e-320, 1234567890123456.5])
def test_numbers_with_too_many_digits_are_no_names(grade):
    """Names that are not read as numbers would be 1 to K without a word."""
    refused(rf"grades {DIGITS}", Labels.from_wide, [[grade, 2.0]], ordered=True)
    refused(rf"grades {DIGITS}", Labels.from_wide, [[grade, 2.0]], ordered=sorted([grade, 2.0]))
    refused(rf"scale {DIGITS}", Ratings.from_wide, [[grade, 2.0]], scale=sorted([grade, 2.0]))
    refused(rf"scale {DIGITS}", Ratings.from_wide, [[1.5, 2.0]], scale=[1.5, 2.0, 2.0**53])


@pytest.mark.filterwarnings("ignore:Taken as annotations")
@pytest.mark.parametrize("grades", [[1e-5, 0.5], [-0.25, 0.0, 1e6], [-3.0, 10.0**15], [1e-15, 1.0]])
def test_small_and_large_grades_are_the_numbers_that_they_are(grades):
    labels, on_scale = Labels.from_wide([grades], ordered=True), Ratings.from_wide([grades], scale=grades).to_labels()
    assert labels.grades.tolist() == on_scale.grades.tolist() == grades
    assert labels.counts().tolist() == on_scale.counts().tolist() == [[1] * len(grades)]


@pytest.mark.parametrize(
    "scale",
    [[2, 1], [1], [], [1, 1, 2], [1, math.nan], [1, math.inf], ["1", "2"], "REAL", "1,2", True, {1, 2}, {1: 2}, [[1, 2]], 5, b"12",
     [None, 1], [1, 1j], np.ma.array([1.0, 2.0], mask=[False, True])],
)  # fmt: skip
def test_scales_that_are_none(scale):
    refused(r"scale must be 'real', or at least two ascending finite numbers", Ratings.from_wide, [[1, 2]], scale=scale)
    refused(r"scale must be 'real', or at least two ascending finite numbers", Ratings.from_wide([[1, 2]]).on_scale, scale)


def test_ratings_beside_the_scale_are_counted_with_the_first():
    message = r"every rating must be on the scale 0\.1 < 0\.2 < 0\.3 .* Got 0\.30000000000000004, 1 of 3 off the scale, first at case 0"
    refused(message, Ratings.from_wide, [[0.1, 0.1 + 0.2, 0.3]], scale=[0.1, 0.2, 0.3])
    refused(r"Got 1e\+308|Got 1000", Ratings.from_wide, [[1, 1e308]], scale=[1, 2])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("ordered", np.array("yes"), r"ordered must be one value, true or false\. Got [<>]U3 of shape"),
        ("ordered", np.array(2), r"ordered must be one value, true or false"),
        ("ordered", np.array([True, False]), r"ordered must be one value"),
        ("scale", np.array([1.0, 2.0]), r"file must hold the arrays"),
        ("classes", np.array([1, 3, 2]), r"must ascend or descend|must hold|must be"),
    ],
)
def test_arrays_of_a_file_that_are_no_order(tmp_path, name, value, message):
    labels = Labels.from_wide([["a", "b", "b"]], ordered=["a", "b"], annotators=["x", "y", "z"], case_ids=["p"])
    np.savez(tmp_path / "x.npz", **{**parts_of(labels), name: value})
    refused(message, read_annotations, tmp_path / "x.npz")


@pytest.mark.parametrize("scale", [[2.0, 1.0], [1.0, np.nan], [[1.0, 2.0]], "x", 5.0, [1 + 1j, 2]])
def test_arrays_of_a_file_that_are_no_scale(tmp_path, scale):
    ratings = Ratings.from_wide([[1, 2]], scale=[1, 2], case_ids=["p"])
    np.savez(tmp_path / "x.npz", **{**parts_of(ratings), "scale": np.array(scale)})
    refused(r"scale must be 'real', or at least two ascending finite numbers", read_annotations, tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ordered", "1,,2"], "--ordered must not be empty"),
        (["--ordered", "2"], "--ordered: must be classes separated by commas"),
        (["--ordered", "1,2,1"], "--ordered must not repeat an id. Got 1 twice"),
        (["--ordered", "1,1.0,2,3"], "--ordered must name each grade once"),
        (["--scale", "1;2;3"], "--scale: must be real, or numbers separated by commas"),
        (["--scale", "١,٢,٣"], "--scale: must be real, or numbers separated by commas"),
        (["--scale", "1_0,2_0"], "--scale: must be real, or numbers separated by commas"),
        (["--scale", "1e400,2"], "--scale must be 'real', or at least two ascending finite numbers"),
        (["--scale", "1,2"], "every rating must be on the scale 1 < 2"),
        (["--scale", "1,2,3", "--ordered", "1,2,3"], "--scale must be left out with --ordered"),
    ],
)
def test_words_of_the_command_that_are_no_order_or_scale(tmp_path, capsys, options, message):
    path = tmp_path / "a.csv"
    path.write_text("case,annotator,label\n1,a,1\n1,b,2\n2,a,3\n2,b,2\n", encoding="utf-8")
    try:
        code = main(["agreement", str(path), *options])
    except SystemExit as end:
        code = end.code
    assert code == 2 and message in capsys.readouterr().err
