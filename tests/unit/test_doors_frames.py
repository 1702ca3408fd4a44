"""Data frames and Parquet files: pandas, polars and pyarrow where they are installed, and a stand-in where they are not."""

import numpy as np
import pytest
from refusals import refused
from twins.files import rows_of

import ugt
from ugt import io
from ugt.annotations import Labels, Rankings, Ratings


class Column:
    def __init__(self, cells):
        self.cells = cells

    def to_numpy(self):
        return np.array(self.cells) if all(isinstance(c, (int, float)) for c in self.cells) else np.array(self.cells, object)


class Frame:
    """What is used of a data frame."""

    def __init__(self, columns):
        self.data = columns

    @property
    def columns(self):
        return list(self.data)

    def __getitem__(self, name):
        return Column(self.data[name])


def makers():
    yield pytest.param(Frame, id="stand-in")
    for package, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):

        def maker(columns, package=package, make=make):
            return getattr(pytest.importorskip(package), make)(columns)

        yield pytest.param(maker, id=package)


@pytest.fixture(params=makers())
def frame(request):
    return request.param


LONG = {"Task": ["p", "p", "q", "r"], "reader": [1, 2, 1, 1], "grade": [3, 4, None, 3], "site": ["a", "a", "b", "b"]}


def test_long(frame):
    for labels in (Labels.from_frame(frame(LONG)), io.read_annotations(frame(LONG)).annotations):
        assert rows_of(labels) == [("p", 1, 3), ("p", 2, 4), ("r", 1, 3)]
        assert labels.axes.case_ids.tolist() == ["p", "q", "r"]
    assert io.read_annotations(frame(LONG)).missing == {"": 1}
    renamed = frame({"doctor's id": LONG["Task"], "reader": LONG["reader"], "grade": LONG["grade"]})
    assert Labels.from_frame(renamed, columns={"case": "doctor's id"}, classes=5).n_classes == 5


def test_same_as_the_file(frame, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("case,annotator,label,rank\np,1,a b,1\np,1,c,2\nq,2,c,1\nr,2,,\n", encoding="utf-8")
    columns = {"case": ["p", "p", "q", "r"], "annotator": [1, 1, 2, 2], "label": ["a b", "c", "c", None], "rank": [1, 2, 1, None]}
    ours, file = io.read_annotations(frame(columns)).annotations, io.read_annotations(path).annotations
    assert isinstance(ours, Rankings)
    for name in ("annotators", "case_offsets", "ranking_offsets", "block_offsets", "items", "annotator"):
        assert getattr(ours, name).tolist() == getattr(file, name).tolist()


def test_wide_counts_and_ratings(frame):
    read = io.read_annotations(frame({"id": ["p", "q"], "ann": ["x", None], "bob": ["y", "x"]}))
    assert rows_of(read.annotations) == [("p", "ann", "x"), ("p", "bob", "y"), ("q", "bob", "x")]
    assert tuple(map(str, read.notes)) == ("Read each row as a case and each column as an annotator: the first column is named 'id'.",)
    read = io.read_annotations(frame({"id": ["p", "q"], "count_x": [3, 0], "count_y": [0, 2]}))
    assert read.annotations.counts().tolist() == [[3, 0], [0, 2]]
    read = io.read_annotations(frame({"case": ["p", "q"], "rater": ["a", "a"], "value": [0.5, None]}))
    assert isinstance(read.annotations, Ratings) and read.annotations.value.tolist() == [0.5]


def test_predictions(frame):
    wide = {"case": ["q", "p"], "cat": [0.25, 0.5], "dog": [0.75, 0.5]}
    long = {"item": ["q", "q", "p", "p"], "class": ["dog", "cat", "cat", "dog"], "score": [0.75, 0.25, 0.5, 0.5]}
    axes = Labels.from_counts([[1, 0], [0, 1]], case_ids=["p", "q"], classes=["cat", "dog"]).axes
    for columns in (wide, long):
        assert ugt.Predictions.from_any(frame(columns)).aligned(axes)[0].tolist() == [[0.5, 0.5], [0.25, 0.75]]
    with pytest.raises(ValueError, match=r"cell must be a number\. Got 'high', first at row 1, column 'dog'\."):
        ugt.Predictions.from_any(frame({"case": ["q", "p"], "dog": ["0.5", "high"]}))
    with pytest.raises(ValueError, match=r"case must not be blank\. Got a blank cell, first at row 1\."):
        ugt.Predictions.from_any(frame({"case": ["q", None], "dog": [0.5, 1.0]}))
    data = frame({"cat": [0.25, 0.5], "dog": [0.75, 0.5]})
    found = ugt.Predictions.from_any(data)
    assert found.scores.tolist() == [[0.25, 0.75], [0.5, 0.5]] and found.classes.tolist() == ["cat", "dog"]


def test_evaluate_takes_frames(frame):
    readings = {"case": ["p", "p", "q", "q"], "rater": ["a", "b", "a", "b"], "label": ["cat", "dog", "dog", "dog"]}
    scores = {"case": ["q", "p"], "cat": [0.25, 0.5], "dog": [0.75, 0.5]}
    found = ugt.evaluate(frame(readings), {"M": frame(scores)}, k=1, n_resamples=20, positive_class="dog")
    labels = Labels.from_long(readings["case"], readings["rater"], readings["label"])
    given = ugt.Predictions(["q", "p"], [[0.25, 0.75], [0.5, 0.5]], ["cat", "dog"])
    assert found.metrics == ugt.evaluate(labels, {"M": given}, k=1, n_resamples=20, positive_class="dog").metrics
    ratings = {"case": ["p", "p", "q", "q", "r"], "rater": ["a", "b", "a", "b", "a"], "value": [0.5, 1.25, 3.5, 2.0, 1.0]}
    found = ugt.evaluate(frame(ratings), {}, n_resamples=20)
    held = ugt.Ratings.from_long(ratings["case"], ratings["rater"], ratings["value"])
    assert found.data["kind"] == "ratings"
    assert found.certainty == ugt.evaluate(held, {}, n_resamples=20).certainty


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"case": ["p"], "label": [1]}, r"frame must have columns for case, annotator, label \(name them\)\. Got no annotator"),
        ({"case": ["p", None], "rater": [1, 1], "label": [1, 1]}, r"case must not be blank\. Got a blank cell, first at row 1\."),
        ({"case": ["p", "q"], "rater": [1, None], "label": [1, 1]}, r"annotator must not be blank\. Got a blank cell, first at row 1\."),
        ({"case": ["p"], "rater": ["x"], "label": ["0,5"]}, r"label must be names or whole numbers\. Got '0,5' \(a decimal comma"),
    ],
)
def test_bad_frames(frame, columns, message):
    refused(message, Labels.from_frame, frame(columns))


def test_numbers_with_gaps_are_integers():
    frame = Frame({"case": [1.0, 2.0, 2.0], "rater": ["x", "x", "y"], "label": [3.0, float("nan"), 0.5]})
    labels = Labels.from_frame(frame)
    assert rows_of(labels) == [(1, "x", "3"), (2, "y", "0.5")]
    assert Labels.from_frame(Frame({"case": [1.0], "rater": [2.0], "label": [3.0]})).axes.classes.tolist() == [3]


def test_what_is_no_frame():
    for value in ([1, 2], {"case": [1]}, np.ones((2, 2)), 3):
        refused(r"frame must be a data frame \(with named columns\)\. Got", Labels.from_frame, value)
    refused(r"cells must be text, numbers or nulls\. Got list\.", Labels.from_frame, Frame({"case": [["p"]], "rater": [1], "label": [1]}))
    with pytest.raises(ValueError, match=r"cells must not end in a NUL character\. Got one that does, first at column 'case'\."):
        Labels.from_frame(Frame({"case": ["p\0"], "rater": [1], "label": [1]}))
    refused(r"table must have rows\. Got none\.", Labels.from_frame, Frame({"case": [], "rater": [], "label": []}))


def test_pandas_index():
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame({"ann": ["x", None], "bob": ["y", "x"]}, index=pandas.Index([7, 9], name="study"))
    assert rows_of(io.read_annotations(wide).annotations) == [(7, "ann", "x"), (7, "bob", "y"), (9, "bob", "x")]
    filtered = pandas.DataFrame({"item": ["p", "q", "r"], "rater": [1, 2, 1], "label": [0, 1, 1]})[lambda f: f.rater == 1]
    assert rows_of(Labels.from_frame(filtered)) == [("p", 1, 0), ("r", 1, 1)]
    scores = pandas.DataFrame({"unit": [0.5, 1.0], "dog": [0.5, 0.0]}, index=["p", "q"])
    assert ugt.Predictions.from_any(scores).classes.tolist() == ["unit", "dog"]
    categories = pandas.DataFrame({"item": ["p", "q"], "rater": [1, 1], "label": pandas.Categorical(["b", None])})
    assert Labels.from_frame(categories).axes.classes.tolist() == ["b"]
    nullable = pandas.DataFrame({"item": ["p", "q"], "rater": [1, 1], "label": pandas.array([2, None], "Int64")})
    assert Labels.from_frame(nullable).axes.classes.tolist() == [2]
    double = pandas.DataFrame([[1, 2, 3]], columns=["case", "label", "label"])
    refused(r"columns must have different names", Labels.from_frame, double)
    refused(r"frame must have one index \(use reset_index\(\)\)\. Got 2\.", Labels.from_frame, wide.set_index("ann", append=True))


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(LONG), tmp_path / "a.parquet")
    assert rows_of(io.read_annotations(tmp_path / "a.parquet").annotations) == [("p", 1, 3), ("p", 2, 4), ("r", 1, 3)]
    scores = {"model": ["A", "B"], "case": ["p", "p"], "cat": [0.5, 1.0], "dog": [0.5, 0.0]}
    parquet.write_table(pyarrow.table(scores), tmp_path / "m.parquet")
    assert io.read_models(tmp_path / "m.parquet")["B"].scores.tolist() == [[1.0, 0.0]]
    parquet.write_table(pyarrow.table({"case": ["p"], "cat": [0.5]}), tmp_path / "s.parquet")
    assert io.read_predictions(tmp_path / "s.parquet").classes.tolist() == ["cat"]
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-20])
    refused(r"cut\.parquet: file must be a Parquet file \(is it cut off\?\)\. Got ", io.read_annotations, tmp_path / "cut.parquet")


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    message = r"a\.parquet: Parquet files must be read with pyarrow \(pip install 'ugt\[parquet\]'\)\. Got no such package\."
    for read in (io.read_annotations, io.read_predictions, io.read_models):
        refused(message, read, tmp_path / "a.parquet")


def test_points_of_text_separate_thousands_and_those_of_numbers_do_not():
    pandas = pytest.importorskip("pandas")
    given = {"case": ["p", "q"], "annotator": ["x", "x"]}
    for value, expected in (([1.125, 950.5], [1.125, 950.5]), (["1.125", "950,5"], [1125.0, 950.5]), ([2.125, "1.125"], [2.125, 1125.0])):
        read = io.read_annotations(pandas.DataFrame({**given, "value": value}), decimal=",")
        assert read.annotations.value.tolist() == expected
    refused(
        r"value must have decimal commas, .* Got '0\.5'",
        io.read_annotations,
        pandas.DataFrame({**given, "value": ["0.5", "1"]}),
        decimal=",",
    )
