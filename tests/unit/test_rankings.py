"""Rankings: three ways in, one container; what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import partial_rankings

from ugt.annotations import Rankings

NESTED = [[[[0], [1, 2]], [[1]]], [], [[[3, 0], [2], [1]], [], [[2]]]]


def nested(rankings, names=False):
    """Back to lists: cases, rankings, blocks, classes."""
    items = (rankings.axes.classes[rankings.items] if names else rankings.items).tolist()
    blocks = [items[a:b] for a, b in pairs(rankings.block_offsets)]
    ranked = [blocks[a:b] for a, b in pairs(rankings.ranking_offsets)]
    return [ranked[a:b] for a, b in pairs(rankings.case_offsets)]


def pairs(offsets):
    return zip(offsets[:-1].tolist(), offsets[1:].tolist())


@st.composite
def rankings_of_cases(draw, n_classes=5):
    """Nested lists without empty rankings, so that long tables can hold them."""
    return [[draw(partial_rankings(n_classes, 1)) for _ in range(draw(st.integers(0, 3)))] for _ in range(draw(st.integers(1, 4)))]


def long_rows(table):
    """(case, annotator, class, block) of nested lists."""
    rankings = [(i, r, ranking) for i, case in enumerate(table) for r, ranking in enumerate(case)]
    return [(i, r, k, b) for i, r, ranking in rankings for b, block in enumerate(ranking) for k in block]


def sorted_blocks(table):
    return [[[sorted(block) for block in ranking] for ranking in case] for case in table]


def test_from_blocks():
    rankings = Rankings.from_blocks(NESTED, n_classes=5)
    assert nested(rankings) == NESTED
    assert (rankings.n_cases, rankings.n_classes, rankings.n_rankings, len(rankings)) == (3, 5, 5, 3)
    assert rankings.annotators.tolist() == [] and rankings.annotator.tolist() == [-1] * 5
    assert rankings.axes.numbered
    names = ("case_offsets", "ranking_offsets", "block_offsets", "items", "annotator")
    assert [getattr(rankings, name).dtype for name in names] == [np.int64] * 3 + [np.int32] * 2
    assert repr(Rankings.from_blocks(NESTED)) == "Rankings(n_cases=3, n_empty=1, n_classes=4, n_rankings=5)"
    table = ((([0], np.array([1, 2])), [[1]]), (), [[(3, 0), [2], [1]], [], [np.array([2], "u1")]])
    assert nested(Rankings.from_blocks(table)) == NESTED
    assert Rankings.from_blocks([[[[7], [3]]]]).axes.classes.tolist() == [3, 7]
    text = Rankings.from_blocks([[[["wart"], ["nevus"]]]], classes=["nevus", "unused", "wart"])
    assert nested(text) == [[[[2], [0]]]]
    positions = Rankings.from_blocks([[[[2], [0]]]], classes=["nevus", "unused", "wart"], case_ids=["p1"])
    assert nested(positions, names=True) == [[[["wart"], ["nevus"]]]]
    assert not positions.axes.numbered


BLOCK_ERRORS = {
    r"nested must be a list of cases\. Got 'abc'\.": {"nested": "abc"},
    r"nested must hold a list of rankings for each case\. Got 3, first at case 'q'": {"nested": [[], 3]},
    r"nested must hold rankings that are lists of blocks\. Got 'A', first at case 'p', annotator 0": {"nested": [["A"], []]},
    r"nested must hold blocks that are lists of classes\. Got 2, first at case 'q', annotator 1": {"nested": [[], [[[0]], [2, 1]]]},
    r"nested must not hold an empty block\. Got \[\], first at case 'q', annotator 1": {"nested": [[], [[], [[1], []]]]},
    r"nested must not repeat a class within a ranking\. Got 1 twice, first at case 'q', annotator 1": {"nested": [[], [[], [[1], [0, 1]]]]},
    r"nested must not repeat a class within a ranking\. Got 0 twice, first at case 'p', annotator 0": {"nested": [[[[0, 0]]], []]},
    r"nested must hold class indices from 0 to 2\. Got 3, first at case 'q', annotator 0": {"nested": [[[[2]]], [[[0], [3]]]]},
    r"nested must hold class indices from 0 to 2\. Got -1, first at case 'p', annotator 0": {"nested": [[[[-1]]], []]},
    r"nested must hold class indices from 0 to 2\. Got 'A', first at case 'p', annotator 0": {"nested": [[[["A"]]], []]},
    r"nested must not be missing\. Got None, first at case 'p', annotator 0": {"nested": [[[[0, None]]], []]},
    r"nested must not be missing\. Got nan, first at case 'p', annotator 0": {"nested": [[[[np.nan]]], []]},
    r"n_classes must be left out if classes are given\. Got 3": {"classes": ["a", "b", "c"]},
    r"classes must be a number from 1 to 16777216\. Got -1": {"n_classes": -1},
    r"classes must be a number from 1 to 16777216\. Got 1099511627776": {"n_classes": 2**40},
    r"case_ids must be 1 ids\. Got 2": {"nested": [[[[0]]]]},
    r"case_ids must name at least one": {"nested": []},
    r"case_ids must not repeat an id\. Got 'p' twice": {"case_ids": ["p", "p"]},
    r"classes must be given if there are no labels": {"n_classes": None},
}


@pytest.mark.parametrize("message", BLOCK_ERRORS)
def test_from_blocks_refuses(message):
    refused(message, Rankings.from_blocks, **{"nested": [[], []], "case_ids": ["p", "q"], "n_classes": 3, **BLOCK_ERRORS[message]})


def test_ranks_below_one():
    given = ["p", "p", "q"], ["x", "x", "x"], ["A", "B", "A"]
    for ranks, got in (([1, 0, 1], r"0, first at case 'p' \(row 1\)"), ([1, 2, -1], "-1, first at case 'q'"), ([1, 0.5, 1], "0.5")):
        refused(
            rf"rank must be at least 1 \(if it means no rank, give it as missing=; .* Got {got}", Rankings.from_long, *given, rank=ranks
        )
    for missing in (-1, [-1], (0, -1)):
        found = Rankings.from_long(*given, rank=[2, 1, -1], missing=missing)
        assert (found.items.tolist(), found.n_cases, found.axes.classes.tolist()) == ([1, 0], 2, ["A", "B"])
    assert Rankings.from_long(*given, confidence=[0.5, -1, -3], missing=-3).items.tolist() == [0, 1]


@given(rankings_of_cases(), st.randoms())
def test_from_long_equals_from_blocks(table, random):
    rows = long_rows(table)
    random.shuffle(rows)
    if not rows:
        return
    case, annotator, label, block = zip(*rows)
    by_rank = Rankings.from_long(case, annotator, label, rank=[3 * b + 1 for b in block], classes=5, cases=range(len(table)))
    by_confidence = Rankings.from_long(case, annotator, label, confidence=[1 - b / 10 for b in block], classes=5, cases=range(len(table)))
    assert nested(by_rank) == nested(by_confidence)
    found = [
        [ranking for _, ranking in sorted(zip(by_rank.annotators[by_rank.annotator[a:b]].tolist(), rankings))]
        for (a, b), rankings in zip(pairs(by_rank.case_offsets), nested(by_rank))
    ]
    assert sorted_blocks(found) == sorted_blocks(table)


def test_from_long():
    rankings = Rankings.from_long(["q", "p", "q", "p"], ["bob", "ann", "ann", "bob"], ["x", "y", "y", "x"], [1, 1, 1, 1])
    assert rankings.axes.case_ids.tolist() == ["q", "p"]
    assert rankings.annotators[rankings.annotator].tolist() == ["bob", "ann", "ann", "bob"]
    assert nested(rankings, names=True) == [[[["x"]], [["y"]]], [[["y"]], [["x"]]]]
    assert nested(Rankings.from_long([], [], [], rank=[], cases=["p"], classes=3)) == [[]]
    assert nested(Rankings.from_strings([], [], [], cases=["p"], classes=3)) == [[]]


LONG = {"case": ["p", "p", "q"], "annotator": ["ann", "ann", "bob"], "label": [0, 1, 1], "rank": [1, 2, 1]}
LONG_ERRORS = {
    r"rank or confidence must be given, one of the two\. Got neither": {"rank": None},
    r"rank or confidence must be given, one of the two\. Got both": {"confidence": [1, 2, 3]},
    r"rank must be finite\. Got nan, first at case 'p' \(row 1\)": {"rank": [1, np.nan, 1]},
    r"rank must be finite\. Got nan, first at case 'q' \(row 2\)": {"rank": [1, 2, None]},
    r"rank must be finite\. Got nan, first at case 'p' \(row 0\)": {"rank": np.ma.array([1, 2, 1], mask=[1, 0, 0])},
    r"confidence must be finite\. Got inf, first at case 'p' \(row 0\)": {"rank": None, "confidence": [np.inf, 2, 1]},
    r"rank must be a column of numbers\. Got [<>]U1": {"rank": ["1", "2", "3"]},
    r"rank must hold numbers\. Got 'a', first at case 'p' \(row 1\)": {"rank": [1, "a", None]},
    r"rank must be a column of numbers\. Got bool": {"rank": [True, False, True]},
    r"rank must be a column of numbers\. Got int64 of shape \(3, 1\)": {"rank": np.ones((3, 1), np.int64)},
    r"rank must have as many rows as case, 3\. Got 2": {"rank": [1, 2]},
    r"label must have as many rows as case, 3\. Got 2": {"label": [1, 2]},
    r"annotator must have as many rows as case, 3\. Got 4": {"annotator": [1, 2, 3, 4]},
    r"label must not repeat a class within a ranking\. Got 1 twice, first at case 'p', annotator 'ann'": {"label": [1, 1, 0]},
    r"label must hold class indices from 0 to 0\. Got 1, first at case 'p' \(row 1\)": {"classes": 1},
    r"case must be one of cases\. Got 'q', first at row 2": {"cases": ["p"]},
}


@pytest.mark.parametrize("message", LONG_ERRORS)
def test_from_long_refuses(message):
    refused(message, Rankings.from_long, **{**LONG, **LONG_ERRORS[message]})


def test_from_strings():
    rankings = Rankings.from_strings(["p", "q", "p"], ["ann", "ann", "bob"], ["A > B = C", "C", " B=A>C"], cases=["r", "p", "q"])
    assert rankings.axes.classes.tolist() == ["A", "B", "C"]
    assert nested(rankings, names=True) == [[], [[["A"], ["B", "C"]], [["B", "A"], ["C"]]], [[["C"]]]]
    assert rankings.annotators[rankings.annotator].tolist() == ["ann", "bob", "ann"]
    for text, classes, expected in (
        ("10 > 9 = -1", None, [-1, 9, 10]),
        ("10 > 9", 11, list(range(11))),
        ("10 > 9", [9, 10, 11], [9, 10, 11]),
        ("1 > 2", ["2", "1"], ["2", "1"]),
        ("007 > 7", None, ["007", "7"]),
        ("1 > b", None, ["1", "b"]),
        ("skin tag > a b", None, ["a b", "skin tag"]),
    ):
        assert Rankings.from_strings(["p"], ["ann"], [text], classes=classes).axes.classes.tolist() == expected


def written(ranking):
    return " > ".join("=".join(map(str, block)) for block in ranking)


@given(rankings_of_cases())
def test_from_strings_equals_from_blocks(table):
    rows = [(i, r, written(ranking)) for i, case in enumerate(table) for r, ranking in enumerate(case)]
    if rows:
        case, annotator, texts = zip(*rows)
        made = Rankings.from_strings(case, annotator, np.array(texts), classes=5, cases=range(len(table)))
        assert nested(made) == nested(Rankings.from_blocks(table, n_classes=5))


STRINGS = {"case": ["p", "q"], "annotator": ["ann", "ann"], "ranking": ["A > B", "B"]}
STRING_ERRORS = {
    r"ranking must be classes joined by '>' and '=', such as 'A > B = C'\. Got 'A > > B', first at case 'q'": {"ranking": ["A", "A > > B"]},
    r"Got 'A >', first at case 'p' \(row 0\)": {"ranking": ["A >", "B"]},
    r"Got '= A', first at case 'p' \(row 0\)": {"ranking": ["= A", "B"]},
    r"Got ' ', first at case 'q' \(row 1\)": {"ranking": ["A", " "]},
    r"ranking must not be empty\. Got '', first at case 'q' \(row 1\)": {"ranking": ["A", ""]},
    r"ranking must be strings such as 'A > B = C'\. Got 1, first at case 'p' \(row 0\)": {"ranking": [1, 2]},
    r"ranking must not be missing\. Got None, first at case 'q' \(row 1\)": {"ranking": ["A", None]},
    r"ranking must not repeat a class within a ranking\. Got 'A' twice, first at case 'q', annotator 'ann'": {"ranking": ["A", "A = A"]},
    r"ranking must be one of the 1 classes\. Got 'B', first at case 'p' \(row 0\)": {"classes": ["A"]},
    r"ranking must hold class indices from 0 to 2\. Got 'A', first at case 'p' \(row 0\)": {"classes": 3},
    r"ranking must hold class indices from 0 to 2\. Got 3, first at case 'q' \(row 1\)": {"classes": 3, "ranking": ["1 > 2", "3"]},
    r"ranking must have as many rows as case, 2\. Got 1": {"ranking": ["A"]},
    r"annotator must rank each case once\. Got 'ann' twice, first at case 'p' \(row 1\)": {"case": ["p", "p"]},
}


@pytest.mark.parametrize("message", STRING_ERRORS)
def test_from_strings_refuses(message):
    refused(message, Rankings.from_strings, **{**STRINGS, **STRING_ERRORS[message]})


def test_dermatology_facts(dermatology):
    rankings = Rankings.from_blocks(dermatology.annotations, classes=dermatology.conditions)
    assert repr(rankings) == "Rankings(n_cases=1947, n_empty=0, n_classes=419, n_rankings=9602)"
    sizes = np.bincount(np.diff(rankings.block_offsets))
    assert sizes[1:].tolist() == [12445, 1379, 155, 16, 2, 1] and len(np.unique(rankings.items)) == 274
    assert nested(rankings) == dermatology.annotations
