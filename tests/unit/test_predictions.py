"""Predictions: what is taken, what is refused, and the join by case id and class name."""

from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused

from ugt import io
from ugt._base.axes import Axes
from ugt.annotations.predictions import Predictions

SCORES = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 2.0]])
UNKNOWN = r"predictions must be for annotated cases only \(missing='drop' leaves the others out\)\. Got 1 unknown of 2, first at "


def axes(case_ids=("p", "q"), classes=("a", "b", "c")):
    return Axes.of(len(case_ids), len(classes), list(case_ids), list(classes))


FORMS = [SCORES.tolist(), *(SCORES.astype(kind) for kind in (np.float16, np.float32, ">f8"))]


@pytest.mark.parametrize("scores", [*FORMS, np.asfortranarray(SCORES), np.repeat(SCORES, 2, axis=1)[:, ::2]])
def test_any_table_of_numbers(scores):
    model = Predictions(["p", "q"], scores)
    assert model.scores.tolist() == SCORES.tolist() and model.scores.dtype == np.float64
    assert not model.scores.flags.writeable


def test_the_callers_array_is_copied_and_not_changed():
    """Once a later change of the caller's array changed the scores of the model."""
    scores = SCORES.copy()
    for model in (Predictions(None, scores), Predictions.from_any(scores), Predictions.from_any((["p", "q"], scores))):
        assert scores.flags.writeable and not np.shares_memory(model.scores, scores)
    scores[0, 0] = 9
    assert model.scores.tolist() == SCORES.tolist()
    scores = SCORES.copy()
    scores.flags.writeable = False
    model = Predictions(None, scores)
    assert model.aligned(axes())[0].tolist() == SCORES.tolist()
    with pytest.raises(AttributeError):
        model.scores = scores


class Frame:
    """What from_any uses of a pandas DataFrame."""

    def __init__(self, index, columns):
        self.index, self.columns = (
            SimpleNamespace(to_numpy=lambda names=names: np.array(names, dtype=object)) for names in (index, columns)
        )

    def __getitem__(self, name):
        raise NotImplementedError

    def to_numpy(self):
        return SCORES


NAMED = {"case_ids": ["p", "q"], "scores": SCORES, "classes": ["a", "b", "c"]}


@pytest.mark.parametrize(
    "value", [Predictions(**NAMED), NAMED, (["p", "q"], SCORES), Frame(["p", "q"], ["a", "b", "c"]), {"scores": SCORES}, SCORES]
)
def test_from_any(value):
    scores, present = Predictions.from_any(value).aligned(axes())
    assert scores.tolist() == SCORES.tolist() and present.tolist() == [True, True]


def test_from_a_data_frame():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame(SCORES, index=["q", "p"], columns=["c", "b", "a"])
    scores, _ = Predictions.from_any(data).aligned(axes())
    assert scores.tolist() == SCORES[::-1, ::-1].tolist()


def test_joined_by_case_id_and_class_name_as_text():
    model = Predictions(["q", "p"], SCORES, ["c", "a", "b"])
    scores, _ = model.aligned(axes())
    assert scores.tolist() == SCORES[::-1][:, [1, 2, 0]].tolist()
    scores, _ = Predictions(["7", "5"], SCORES, ["2", "1", "0"]).aligned(axes([5, 7], [0, 1, 2]))
    assert scores.tolist() == SCORES[::-1, ::-1].tolist()
    scores, _ = Predictions([7, 5], SCORES).aligned(axes(["5", "7"]))
    assert scores.tolist() == SCORES[::-1].tolist()
    refused(UNKNOWN + r"'05' \(there is 5; write both alike\)\.", Predictions(["7", "05"], SCORES).aligned, axes([5, 7]))
    refused(UNKNOWN + r"'z' \(the annotations have cases such as 'p'\)\.", Predictions(["p", "z"], SCORES).aligned, axes())


def test_missing_cases():
    model = Predictions(["q", "p"], SCORES)
    wide = axes(["p", "x", "q", "y"])
    message = r"predictions must cover every case \(missing='drop' leaves the others out\)\. Got none for 2 of 4 cases, first at 'x'\."
    refused(message, model.aligned, wide)
    refused(r"first at 'P' \(there is 'p'; write both alike\)\.", model.aligned, axes(["p", "P", "q"]))
    scores, present = model.aligned(wide, missing="drop")
    assert present.tolist() == [True, False, True, False] and scores[present].tolist() == SCORES[::-1].tolist()
    assert np.isnan(scores[~present]).all()
    refused(r"missing must be 'error' or 'drop'\. Got 'skip'\.", model.aligned, wide, missing="skip")


def test_wrong_number_of_rows_or_classes():
    for classes, of, message in (
        (None, axes("pqr"), r"scores must have one row for each of the 3 cases, as they come without case ids\. Got 2 rows\."),
        (None, axes(classes="ab"), r"scores must have one column for each of the 2 classes of the annotations\. Got 3 columns\."),
        (
            "abc",
            axes(classes="ab"),
            r"scores must have columns only for classes of the annotations .* Got a column for class 'c' "
            r"\(the annotations have 'a', 'b'\)\.",
        ),
        (
            "abc",
            axes(classes=["a", "b", "c", "not readable", "unknown"]),
            r"\(if 'not readable', 'unknown' mean that there is no label: mis",
        ),
        ("abc", axes(classes="adbc"), r"scores must have a column for each of the 4 classes .* Got none for class 'd'\."),
    ):
        refused(message, Predictions(None, SCORES, classes and list(classes)).aligned, of)
    message = (
        r"scores must have one column for each of the 2 classes, such as 1 - p and p\. "
        r"Got a column for class 'p' \(the annotations have 'a', 'b'\)\."
    )
    refused(message, Predictions(None, [[0.2], [0.9]], ["p"]).aligned, axes(classes="ab"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, [1.0, 2.0]), r"scores must be a table of cases x classes\. Got shape \(2,\)\."),
        ((None, np.ones((0, 3))), r"scores must be a table of cases x classes\. Got shape \(0, 3\)\."),
        ((None, [["a", "b"]]), r"scores must be numbers\. Got dtype [<>]U1\."),
        ((None, [[1j]]), r"scores must be numbers\. Got dtype complex128\."),
        ((["p", "q"], [[1, 2], [np.nan, 3]], ["a", "b"]), r"scores must be finite\. Got nan, first at case 'q', class 'a'\."),
        ((None, [[1, 2], [3, -np.inf]]), r"scores must be finite\. Got -inf, first at case 1, class 1\."),
        ((["p"], SCORES), r"case_ids must have one entry for each of the 2 rows of scores\. Got 1 entries\."),
        ((["p", "p"], SCORES), r"case_ids must not repeat an id\. Got 'p' twice, first at position 1\."),
        ((["p", 3], SCORES), r"case_ids must hold only integers or only strings\. Got both 'p' and 3"),
        ((["p", ""], SCORES), r"case_ids must not be empty\. Got '', first at position 1\."),
        ((None, SCORES, ["a", "b"]), r"classes must have one entry for each of the 3 columns of scores\. Got 2 entries\."),
        ((None, SCORES, ["a", "b", "a"]), r"classes must not repeat an id\. Got 'a' twice, first at position 2\."),
    ],
)
def test_bad_predictions(arguments, message):
    refused(message, Predictions, *arguments)


@pytest.mark.parametrize(("key", "got"), [("logits", "the key 'logits'"), ("classes", "no key 'scores'")])
def test_bad_mapping(key, got):
    refused(rf"predictions must be a mapping with the key 'scores' and optionally .* Got {got}\.", Predictions.from_any, {key: SCORES})


def test_percentages_in_one_column_are_refused_with_the_case_and_the_way_on(write):
    path = write("case,score\np1,0.3\np2,87\n", "percent.csv")
    must = r"scores must be probabilities from 0 to 1 if one column is for two classes \(divide percentages by 100; .*"
    refused(must + r"Got 87\.0, first at case 'p2', column 'score'\.", io.read_predictions, path, classes=[0, 1], positive_class=1)
    given = (["p1", "p2"], np.array([0.3, 87.0]))
    refused(must + r"Got 87\.0, first at case 'p2'\.", Predictions.from_any, given, [0, 1], 1)
    refused(must + r"Got 87\.0, first at row 1\.", Predictions.from_any, given[1], [0, 1], 1)
