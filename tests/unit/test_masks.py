"""Masks and label sets: what is read, how it is packed, what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import ugt
from ugt import Masks

PIXELS = st.lists(st.booleans(), min_size=66, max_size=66)


def random_mask(rng, shape):
    return rng.random(shape) < rng.random()


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float32, list])
def test_long_tables_come_back(kind):
    rng = np.random.default_rng(1)
    shapes = [(1,), (8,), (9,), (64,), (65,), (7, 9), (3, 1, 5), (0,), (4, 0), (128, 3)]
    case = rng.integers(0, len(shapes), 60)
    masks = [random_mask(rng, shapes[c]) for c in case]
    given_ = [m.tolist() if kind is list else m.astype(kind) for m in masks]
    if kind is list:  # lists know no type where they are empty
        keep = [j for j, m in enumerate(masks) if m.size]
        case, masks, given_ = case[keep], [masks[j] for j in keep], [given_[j] for j in keep]
    held = Masks.from_long(case, np.arange(len(case)) % 5, given_, cases=np.arange(len(shapes) + 1))
    order = np.argsort(case, kind="stable")
    for r, j in enumerate(order):
        assert held.mask(r).dtype == bool and np.array_equal(held.mask(r), masks[j])
        assert held.annotators[held.annotator[r]] == j % 5
    assert held.sizes().tolist() == [int(masks[j].sum()) for j in order]
    assert [held.shape_of(i) for i in np.unique(case)] == [shapes[i] for i in np.unique(case)]
    assert held.shape_of(len(shapes)) == (-1,) and (held.shape[-1] == -1).all()
    assert np.diff(held.offsets).tolist() == np.bincount(case, minlength=len(shapes) + 1).tolist()


@pytest.mark.slow
@given(st.lists(st.lists(st.one_of(st.none(), PIXELS), min_size=2, max_size=2), min_size=1, max_size=5))
def test_wide_tables_come_back(table):
    held = Masks.from_wide(table)
    assert [held.mask(r).tolist() for r in range(held.n_masks)] == [cell for row in table for cell in row if cell is not None]
    assert held.annotator.tolist() == [a for row in table for a, cell in enumerate(row) if cell is not None]
    assert held.numbered and held.n_cases == len(held) == len(table)


def test_wide_arrays():
    rng = np.random.default_rng(2)
    table = rng.random((4, 3, 5, 14)) < 0.5
    strided = np.repeat(table, 2, axis=3)[..., ::2]
    for given_ in (table, np.asfortranarray(table), table.astype(np.uint8), table.tolist(), list(table), strided):
        held = Masks.from_wide(given_, case_ids=list("abcd"), annotators=["x", "y", "z"])
        assert [held.mask(r).tolist() for r in range(12)] == table.reshape(12, 5, 14).tolist()
        assert held.case_name(2) == "'c'" and not held.numbered
    cells = np.empty((2, 2), object)
    cells[:] = [[np.ones((2, 2)), None], [None, np.zeros((1, 3))]]
    assert Masks.from_wide(cells).shape.tolist() == [[2, 2], [1, 3]]


def test_one_bit_a_pixel():
    table = np.zeros((10, 4, 100, 100), bool)
    table[3, 2, 50, 50] = True
    held = Masks.from_wide(table)
    assert held.words.nbytes == 40 * 157 * 8  # 10,000 bits and less than a word more
    assert np.flatnonzero(held.words).tolist() == [(3 * 4 + 2) * 157 + 5050 // 64]
    assert held.words[(3 * 4 + 2) * 157 + 5050 // 64] == np.uint64(1 << (5050 % 64))
    # counts of bits go over whole words
    assert Masks.from_wide(np.ones((2, 2, 67), bool)).words.tolist() == [2**64 - 1, 7] * 4
    assert Masks.from_sets([0], [0], [range(67)], classes=67).words.tolist() == [2**64 - 1, 7]


def test_sets():
    held = Masks.from_sets(["p", "q", "p"], [1, 1, 2], [["flu", "cold", "flu"], [], {"flu"}])
    assert held.classes.tolist() == ["cold", "flu"] and held.sizes().tolist() == [2, 1, 0]
    assert repr(held) == "Masks(n_cases=2, n_empty=0, n_masks=3, n_annotators=2)"
    positions = Masks.from_sets([0, 0], [0, 1], [[2], np.array([0, 1])], classes=["a", "b", "c"], cases=[5, 0])
    assert [positions.mask(r).tolist() for r in (0, 1)] == [[False, False, True], [True, True, False]]
    assert positions.shape_of(0) == (3,)
    rng = np.random.default_rng(3)
    table = rng.random((50, 130)) < 0.3
    many = Masks.from_sets(np.arange(50)[::-1], np.zeros(50), [np.flatnonzero(row) for row in table], classes=130, cases=np.arange(50))
    assert [many.mask(r).tolist() for r in range(50)] == table[::-1].tolist()
    assert Masks.from_sets([0], [0], [[]], classes=["a"]).sizes().tolist() == [0]
    refused(r"classes must be given if there are no labels. Got None\.", Masks.from_sets, [0], [0], [[]])


def test_later_changes_of_the_input_have_no_effect():
    table = np.ones((1, 1, 3), bool)
    kept = Masks.from_wide(table)
    table[:] = False
    assert kept.mask(0).all()


def test_take():
    rng = np.random.default_rng(4)
    masks = [[random_mask(rng, (3, 50)) if rng.random() < 0.7 else None for _ in range(4)] for _ in range(9)]
    held = Masks.from_wide(masks)
    order = np.concatenate([np.arange(*held.offsets[i : i + 2])[::-1] for i in range(9)])
    assert [held.take(order).mask(r).tolist() for r in range(held.n_masks)] == [held.mask(r).tolist() for r in order]


def test_same_bytes_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr("ugt.annotations.mask_words.PIXELS", 300)
    rng = np.random.default_rng(5)
    table, sets = rng.random((30, 3, 100)) < 0.4, [rng.integers(0, 70, 5) for _ in range(40)]
    alone = Masks.from_wide(table), Masks.from_sets(range(40), [0] * 40, sets, classes=70)
    with ugt.resampling.threads(3):
        together = Masks.from_wide(table), Masks.from_sets(range(40), [0] * 40, sets, classes=70)
    for one, other in zip(alone, together):
        assert one.words.tobytes() == other.words.tobytes()


def test_predictions_in_any_form():
    rng = np.random.default_rng(6)
    masks = Masks.from_wide(rng.random((4, 2, 3, 30)) < 0.5, case_ids=list("abcd"))
    model = rng.random((4, 3, 30)) < 0.5
    start, words, present = masks.predicted(model)
    assert present.all() and start.tolist() == [0, 2, 4, 6, 8]
    assert [masks.unpacked(words[2 * i : 2 * i + 2], i).tolist() for i in range(4)] == model.tolist()
    some = Masks.from_long(["d", "a"], ["model", "model"], model[[3, 0]])
    for given_ in (some, [model[0], None, None, model[3]]):
        start, words, present = masks.predicted(given_)
        assert present.tolist() == [True, False, False, True] and start.tolist() == [0, 2, 2, 2, 4]
        assert [masks.unpacked(words[s : s + 2], 0).tolist() for s in (0, 2)] == model[[0, 3]].tolist()
    assert masks.predicted([None] * 4)[2].tolist() == [False] * 4


def test_predicted_sets():
    masks = Masks.from_sets([0, 1, 2], [0, 0, 0], [["a"], ["b"], []], classes=["a", "b"])
    sets = Masks.from_sets([1, 0], [7, 7], [["b"], ["a", "b"]], classes=["a", "b"])
    for given_ in (sets, [["a", "b"], {"b"}, None], [[0, 1], [1], None], [np.array([True, True]), np.array([False, True]), None]):
        start, words, present = masks.predicted(given_)
        assert words.tolist() == [3, 2] and start.tolist() == [0, 1, 2, 2] and present.tolist() == [True, True, False]
    masks = Masks.from_wide([[None, None], [[1, 1], [0, 1]]])
    assert masks.predicted([np.ones((5, 5)), [1, 0]])[2].all()


MASKS = Masks.from_wide([[[[1, 1]]], [[[1, 0]]]], case_ids=["p", "q"])


@pytest.mark.parametrize(
    "prediction, message",
    [
        ([np.ones((1, 2))], r"predictions must be a mask or None for each of the 2 cases. Got 1\."),
        (None, r"predictions must be a mask or None for each of the 2 cases. Got 0\."),
        ([np.ones((1, 2)), np.ones((2, 1))], r"predictions must have the shape of the masks of its case, \(1, 2\). Got \(2, 1\)"),
        ([np.ones((1, 2)), np.ones(2)], r"shape of the masks of its case, \(1, 2\). Got \(2,\), first at case 'q'\."),
        (Masks.from_wide([[[[1, 1]]]], case_ids=["r"]), r"predictions must be for annotated cases only. Got 1 others, first at case 'r'\."),
        (
            Masks.from_wide([[[[1, 1]], [[1, 1]]]], case_ids=["q"]),
            r"predictions must have one mask per case. Got 1 others, first at case 'q'\.",
        ),
        (Masks.from_sets(["q"], [0], [[1]], classes=2), r"predictions must have the classes of the annotations"),
        ([np.ones((1, 2)), np.array([[0.5, 1]])], r"hold only True and False, or 1 and 0. Got 0.5, first at case 'q'"),
    ],
)
def test_wrong_predictions(prediction, message):
    refused(message, MASKS.predicted, prediction)


@pytest.mark.parametrize(
    "masks, message",
    [
        ([[1, 0]], r"masks must have as many rows as case, 2. Got 1\."),
        (5, r"masks must have as many rows as case, 2. Got 0\."),
        ([[1, 0], [1, 2]], r"masks must hold only True and False, or 1 and 0. Got 2, first at case 'q' \(row 1\)\."),
        ([[1, 0], [1, np.nan]], r"masks must hold only True and False, or 1 and 0. Got nan, first at case 'q' \(row 1\)\."),
        ([[1, 0], None], r"masks must be arrays of True and False. Got NoneType of object, shape \(\), first at case 'q' \(row 1\)\."),
        ([["a"], [1]], r"masks must be arrays of True and False. Got list of [<>]U1, shape \(1,\), first at case 'p' \(row 0\)\."),
        ([[[1], [1, 0]], [1]], r"masks must be arrays of True and False"),
        ([True, False], r"masks must be arrays of True and False. Got bool of bool, shape \(\), first at case 'p' \(row 0\)\."),
        ([np.ma.masked_array([1, 0], [True, False]), [1, 0]], r"masks must be arrays of True and False"),
    ],
)
@pytest.mark.filterwarnings("ignore:Creating an ndarray from ragged nested sequences")
def test_wrong_masks(masks, message):
    refused(message, Masks.from_long, ["p", "q"], [0, 0], masks)


def test_shapes_that_differ_within_a_case():
    with pytest.raises(ValueError, match=r"masks must have one shape in a case, \(2,\). Got \(1, 2\), first at case 'p' \(row 2\)\."):
        Masks.from_long(["p", "q", "p"], [0, 0, 1], [[1, 0], [1], [[1, 0]]])
    with pytest.raises(ValueError, match=r"masks must have one shape in a case, \(1,\). Got \(2,\), first at case 'q', annotator 'y'\."):
        Masks.from_wide([[[0], [1]], [[0], [1, 0]]], case_ids=["p", "q"], annotators=["x", "y"])


@pytest.mark.parametrize(
    "table", [[], 3, "ab", [[]], [[[1]], []], [[[1], [1]], [[1]]], np.zeros((0, 2, 3)), np.zeros((2, 3)), np.zeros((2, 0, 3))]
)
def test_tables_that_are_none(table):
    refused(r"masks must be a table of masks", Masks.from_wide, table)


def test_wrong_cells_of_tables():
    table = np.ones((2, 3, 4), np.uint8)
    table[1, 2, 3] = 255
    refused(r"hold only True and False, or 1 and 0. Got 255, first at case 1, annotator 2\.", Masks.from_wide, table)
    refused(r"masks must be arrays of True and False. Got an array of [<>]U1\.", Masks.from_wide, np.full((2, 2, 2), "x"))
    refused(r"masks must be a table of masks", Masks.from_wide, np.ma.masked_array(np.ones((1, 1, 2)), [[[True, False]]]))
    refused(r"case_ids must be 1 ids. Got 2\.", Masks.from_wide, [[[1]]], case_ids=[1, 2])


@pytest.mark.parametrize(
    "sets, message",
    [
        ([["a"]], r"sets must have as many rows as case, 2. Got 1\."),
        ([["a"], "b"], r"sets must be lists or sets of classes. Got 'b', first at case 'q' \(row 1\)\."),
        ([["a"], None], r"sets must be lists or sets of classes. Got None, first at case 'q' \(row 1\)\."),
        ([["a"], {"b": 1}], r"sets must be lists or sets of classes"),
        ([[], ["a", "z"]], r"sets must be one of the 2 classes. Got 'z', first at case 'q' \(row 1\)\."),
        ([["a"], [None]], r"sets must not be missing. Got None, first at case 'q' \(row 1\)\."),
        ([["a"], [1]], r"sets must hold only integers or only strings. Got both 'a' and 1, first at case 'q' \(row 1\)\."),
        ([[0], [2]], r"sets must hold class indices from 0 to 1. Got 2, first at case 'q' \(row 1\)\."),
        ("ab", r"sets must be lists or sets of classes"),
    ],
)
def test_wrong_sets(sets, message):
    refused(message, Masks.from_sets, ["p", "q"], [0, 0], sets, classes=["a", "b"])
