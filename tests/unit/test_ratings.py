"""Ratings: constructors, ids, missing values, means, messages."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import ugt
from ugt import Ratings

NAN = float("nan")


def long_of(ratings):
    """``(case id, annotator id, value)`` of every rating."""
    case = np.repeat(ratings.case_ids, np.diff(ratings.offsets))
    return list(zip(case.tolist(), ratings.annotators[ratings.annotator].tolist(), ratings.value.tolist()))


def test_from_long():
    ratings = Ratings.from_long(["p2", "p1", "p2", "p1"], [7, 7, 9, 7], [1, 2.5, -3, 0])
    assert long_of(ratings) == [("p2", 7, 1.0), ("p2", 9, -3.0), ("p1", 7, 2.5), ("p1", 7, 0.0)]
    assert (ratings.n_cases, len(ratings), ratings.n_ratings, ratings.numbered) == (2, 2, 4, False)
    assert ratings.means().tolist() == [-1.0, 1.25]
    assert (ratings.case_name(0), ratings.value.dtype, ratings.annotator.dtype) == ("'p2'", np.float64, np.int32)
    assert repr(ratings) == "Ratings(n_cases=2, n_empty=0, n_ratings=4, n_annotators=2)"
    given_cases = Ratings.from_long([3, 1], ["a", "b"], [1.0, 2.0], cases=[1, 2, 3])
    assert given_cases.offsets.tolist() == [0, 1, 1, 2]
    np.testing.assert_array_equal(given_cases.means(), [2, NAN, 1])
    assert "n_empty=1" in repr(given_cases)
    empty = Ratings.from_long([], [], [], cases=["a", "b"])
    assert (empty.n_ratings, np.isnan(empty.means()).all()) == (0, True)


@pytest.mark.parametrize("values", [[1, 2], (1.0, 2.0), np.array([1, 2], np.uint8), np.array([1, 2], object), np.float32([1, 2])])
def test_kinds_of_numbers(values):
    assert Ratings.from_long([0, 1], [0, 0], values).value.tolist() == [1.0, 2.0]


def test_from_wide():
    ratings = Ratings.from_wide([[1.5, None, 2], [None, "", NAN], [-4, 0, 1e300]], annotators=["ann", "bob", "eve"])
    assert long_of(ratings) == [(0, "ann", 1.5), (0, "eve", 2.0), (2, "ann", -4.0), (2, "bob", 0.0), (2, "eve", 1e300)]
    assert ratings.numbered and ratings.offsets.tolist() == [0, 2, 2, 5]
    array = np.array([[1.0, NAN], [NAN, NAN], [3.0, 4.0]])
    named = Ratings.from_wide(array, case_ids=["a", "b", "c"])
    assert long_of(named) == [("a", 0, 1.0), ("c", 0, 3.0), ("c", 1, 4.0)]
    assert not named.numbered
    coded = Ratings.from_wide([[-1, 3], [99, 2]], missing=[-1, 99])
    assert long_of(coded) == [(0, 1, 3.0), (1, 1, 2.0)]
    masked = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert long_of(Ratings.from_wide(masked)) == [(0, 0, 1.0), (1, 0, 3.0), (1, 1, 4.0)]
    assert Ratings.from_wide(np.full((2, 3), NAN)).n_ratings == 0
    source = np.array([[1.0, 2.0]])
    ratings = Ratings.from_wide(source)
    source[:] = 7
    assert ratings.value.tolist() == [1.0, 2.0]
    assert long_of(Ratings.from_wide(np.array([[1, 2], [3, 4]], np.int16))) == [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 3.0), (1, 1, 4.0)]


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"ann": [1.5, None], "bob": [2.0, 3.0]})
    assert long_of(Ratings.from_wide(frame)) == [(0, "ann", 1.5), (0, "bob", 2.0), (1, "bob", 3.0)]
    nullable = pandas.DataFrame({"ann": pandas.array([1, None], dtype="Int64"), "bob": [2, 3]})
    assert long_of(Ratings.from_wide(nullable)) == [(0, "ann", 1.0), (0, "bob", 2.0), (1, "bob", 3.0)]


@given(st.lists(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=3, max_size=3), min_size=1, max_size=6))
def test_wide_and_long_agree(table):
    wide = Ratings.from_wide(table)
    rows = [(i, a, x) for i, row in enumerate(table) for a, x in enumerate(row) if x is not None]
    assert long_of(wide) == rows
    for i, row in enumerate(table):
        held = [x for x in row if x is not None]
        assert wide.means()[i] == pytest.approx(sum(held) / len(held) if held else NAN, nan_ok=True)
    if rows:
        assert long_of(Ratings.from_long(*zip(*rows), cases=list(range(len(table))))) == rows


@pytest.mark.parametrize(
    "columns, message",
    [
        (([0, 1], [0, 0], [1.0, NAN]), r"value must be finite\. Got nan, first at case 1 \(row 1\)\."),
        ((["p", "q"], [0, 0], [math.inf, 1]), r"value must be finite\. Got inf, first at case 'p' \(row 0\)\."),
        (([0, 1], [0, 0], ["1", "2"]), r"value must be a column of numbers\. Got [<>]U1 of shape \(2,\)\."),
        (([0, 1], [0, 0], [1.0, "x"]), r"value must be a column of numbers"),
        (([0, 1], [0, 0], np.array([1.0, "2"], object)), r"value must hold numbers\. Got '2', first at case 1 \(row 1\)\."),
        (([0, 1], [0, 0], np.array([True, 2], object)), r"value must hold numbers\. Got True, first at case 0 \(row 0\)\."),
        (([0, 1], [0, 0], np.array([1.0, None], object)), r"value must be finite\. Got nan, first at case 1 \(row 1\)\."),
        (([0, 1], [0, 0], [1, -(10**400)]), r"value must be finite\. Got -inf, first at case 1 \(row 1\)\."),
        (([0, 1], [0, 0], [True, False]), r"value must be a column of numbers\. Got bool of shape \(2,\)\."),
        (([0, 1], [0, 0], [[1.0], [2.0]]), r"value must be a column of numbers\. Got float64 of shape \(2, 1\)\."),
        (([0, 1], [0, 0], [1.0]), r"value must have as many rows as case, 2\. Got 1\."),
        (([0, 1], [0], [1.0, 2.0]), r"annotator must have as many rows as case, 2\. Got 1\."),
        (([0, None], [0, 0], [1.0, 2.0]), r"case must not be missing\. Got None, first at row 1\."),
        (([0, 1], ["a", ""], [1.0, 2.0]), r"annotator must not be empty\. Got '', first at row 1\."),
        (([], [], []), r"case must have at least one row, or cases be given\. Got none\."),
    ],
)
def test_bad_columns(columns, message):
    refused(message, Ratings.from_long, *columns)


@pytest.mark.parametrize(
    "table, options, message",
    [
        ([[1.0, math.inf]], {}, r"table must be finite\. Got inf, first at case 0, annotator 1\."),
        ([[1, 2], [3, "x"]], {"annotators": ["ann", "bob"]}, r"table must hold numbers\. Got 'x', first at case 1, annotator 'bob'\."),
        ([[1, True]], {}, r"table must hold numbers\. Got True, first at case 0, annotator 1\."),
        (np.array([["1", "2"]]), {}, r"table must hold numbers\. Got .*'1'.*, first at case 0, annotator 0\."),
        (np.array([[True, False]]), {}, r"table must hold numbers\. Got .*True.*, first at case 0, annotator 0\."),
        ([1, 2, 3], {}, r"table must be two-dimensional"),
        ([[1, 2], [3]], {}, r"table must be two-dimensional"),
        ([[1, 2]], {"case_ids": ["a", "b"]}, r"case_ids must be 1 ids\. Got 2\."),
        ([[1, 2]], {"annotators": ["a", "a"]}, r"annotators must not repeat an id\. Got 'a' twice, first at position 1\."),
        (np.empty((0, 2)), {}, r"case_ids must name at least one\. Got an empty table\."),
        ([[1.0, None]], {"missing": -1}, r"table must hold numbers\. Got None, first at case 0, annotator 1\."),
        ([[1.0, NAN]], {"missing": -1}, r"table must be finite\. Got nan, first at case 0, annotator 1\."),
        ([[1, 10**400]], {}, r"table must be finite\. Got .*, first at case 0, annotator 1\."),
    ],
)
def test_bad_tables(table, options, message):
    refused(message, Ratings.from_wide, table, **options)


def test_unknown_cases_and_means():
    refused(r"case must be one of cases\. Got 5, first at row 1\.", Ratings.from_long, [1, 5], [0, 0], [1, 2], cases=[1, 2])
    ratings = Ratings.from_wide([[1.0, 3.0], [None, None], [4.0, None]])
    posterior = ugt.truth.normal(ratings, prior=(0, 1e-12, 2, 1.0))
    np.testing.assert_allclose(posterior.location, ratings.means(), atol=1e-9)
