"""Writers and ``ugt convert``: what is written is read back as it was, or it is said what is lost."""

import argparse
import os
import warnings

import numpy as np
import pytest
from effort import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from refusals import labels_of_rows, refused
from twins.files import rows_of

from ugt import io
from ugt.annotations import Labels, Rankings, Ratings
from ugt.annotations.predictions import Predictions
from ugt.cli import convert as _convert
from ugt.cli.command import Parser

QUIET = examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])

FINITE = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
names = st.one_of(texts, st.sampled_from(["7", "007", "NA", " a", "a\r\nb", "=1", '"', "0,5", "1.5", "count_x", "case", "-"]))
ids = st.one_of(st.lists(names, min_size=1, max_size=4, unique=True), st.lists(st.integers(-9, 99), min_size=1, max_size=4, unique=True))


def plain(annotations):
    """Everything but the order of annotators, by name."""
    if isinstance(annotations, Predictions):
        found = (annotations.case_ids, annotations.classes, annotations.scores)
        return [None if one is None else one.tolist() for one in found]
    who = annotations.annotators[annotations.annotator].tolist() if len(annotations.annotators) else None
    axes = annotations.case_ids if isinstance(annotations, Ratings) else (annotations.axes.case_ids, annotations.axes.classes)
    axes = [one.tolist() for one in (axes if isinstance(axes, tuple) else (axes,))]
    columns = ("offsets", "label", "count", "value", "case_offsets", "ranking_offsets", "block_offsets", "items")
    numbers = [getattr(annotations, name).tolist() for name in columns if hasattr(annotations, name)]
    return [type(annotations), axes, who, sorted(map(str, annotations.annotators.tolist())), numbers]


def tables(cases, classes, cells):
    rows = st.lists(cells, min_size=len(classes), max_size=len(classes))
    return st.lists(rows, min_size=len(cases), max_size=len(cases))


@st.composite
def labels(draw):
    cases, classes, annotators = draw(ids), draw(ids), draw(ids)
    if draw(st.booleans()):
        return Labels.from_counts(draw(tables(cases, classes, st.integers(0, 3))), case_ids=cases, classes=classes)
    n = draw(st.integers(0, 8))
    case, annotator, label = (draw(st.lists(st.sampled_from(one), min_size=n, max_size=n)) for one in (cases, annotators, classes))
    if draw(st.booleans()) and n:
        return labels_of_rows(case, annotator, label)
    if n == 0:
        return Labels.from_wide([[None] * len(annotators)] * len(cases), classes=classes, case_ids=cases, annotators=annotators)
    return labels_of_rows(case, annotator, label, classes=classes, cases=cases)


@st.composite
def rankings(draw):
    cases, classes, annotators = draw(ids), draw(ids), draw(ids)
    orders = st.lists(st.sampled_from(classes), unique=True, max_size=len(classes)).map(lambda items: [items[:1], items[1:]])
    nested = [[[block for block in draw(orders) if block] for _ in draw(st.sets(st.sampled_from(range(len(annotators)))))] for _ in cases]
    made = Rankings.from_blocks(nested, classes=classes, case_ids=cases if draw(st.booleans()) else None)
    if draw(st.booleans()):
        return made
    chosen = [position for own in nested for position in range(len(own))]
    columns = (made.case_offsets, made.ranking_offsets, made.block_offsets, made.items)
    return Rankings(made.axes, np.array(annotators), *columns, np.array(chosen, np.int32))


@st.composite
def ratings(draw):
    cases, annotators = draw(ids), draw(ids)
    n = draw(st.integers(0, 8))
    case, annotator = (draw(st.lists(st.sampled_from(one), min_size=n, max_size=n)) for one in (cases, annotators))
    value = draw(st.lists(FINITE, min_size=n, max_size=n))
    return Ratings.from_long(case if n else cases[:0], annotator, value, cases=cases)


@st.composite
def predictions(draw):
    cases, classes = draw(ids), draw(ids)
    scores = draw(tables(cases, classes, FINITE))
    return Predictions(draw(st.sampled_from([cases, None])), scores, draw(st.sampled_from([classes, None])))


@given(st.one_of(labels(), rankings(), ratings()))
@QUIET
def test_npz_holds_everything(tmp_path, annotations):
    assert io.write_annotations(tmp_path / "a.npz", annotations) == ()
    back = io.read_annotations(tmp_path / "a.npz").annotations
    assert plain(back) == plain(annotations) and back.annotators.tolist() == annotations.annotators.tolist()
    numbered, as_before = (one.numbered if isinstance(one, Ratings) else one.axes.numbered for one in (back, annotations))
    assert numbered == as_before


@given(st.one_of(labels(), rankings(), ratings()), st.sampled_from(["a.csv", "a.csv.gz"]))
@QUIET
def test_long_is_read_back_or_says_what_is_lost(tmp_path, annotations, name):
    try:
        notes = io.write_annotations(tmp_path / name, annotations)
    except ValueError as problem:
        assert "NPZ" in str(problem)
        return
    if not notes:
        back = io.read_annotations(tmp_path / name).annotations
        if isinstance(annotations, Labels) and len(annotations.annotators):  # rows that are repeated stand together
            assert sorted(map(str, rows_of(back))) == sorted(map(str, rows_of(annotations)))
            assert plain(back)[1] == plain(annotations)[1]
        else:
            assert plain(back) == plain(annotations)


@given(rankings(), st.sampled_from(["a.json", "a.json.gz"]))
@QUIET
def test_rankings_in_json(tmp_path, annotations, name):
    notes = io.write_annotations(tmp_path / name, annotations)
    back = io.read_annotations(tmp_path / name).annotations
    assert back.axes.numbered == annotations.axes.numbered
    if not notes:
        assert plain(back) == plain(annotations)


@given(labels())
@QUIET
def test_counts(tmp_path, annotations):
    try:
        notes = io.write_annotations(tmp_path / "a.csv", annotations, format="counts")
    except ValueError as problem:
        assert "NPZ" in str(problem)
        return
    back = io.read_annotations(tmp_path / "a.csv").annotations
    assert back.counts().tolist() == annotations.counts().tolist()
    if not notes:
        assert plain(back) == plain(annotations)


@given(predictions(), st.sampled_from(["a.csv", "a.csv.gz", "a.npz"]))
@QUIET
def test_predictions(tmp_path, given, name):
    try:
        notes = io.write_predictions(tmp_path / name, given)
    except ValueError as problem:
        assert "NPZ" in str(problem)
        return
    back = io.read_predictions(tmp_path / name)
    assert back.scores.tolist() == given.scores.tolist()
    if not notes:
        assert plain(back) == plain(given)


LABELS = Labels.from_wide([["cat", "dog"], ["dog", None], [None, None]], case_ids=["p", "q", "r"], annotators=["x", "y"])
RANKINGS = Rankings.from_strings(["p", "q"], ["x", "y"], ["a > b = c", "b"])
RATINGS = Ratings.from_wide([[1.5, 2.0], [None, 3.0]], case_ids=["p", "q"], annotators=["x", "y"])


def test_long_table(tmp_path):
    for annotations, text in (
        (LABELS, "case,annotator,label\np,x,cat\np,y,dog\nq,x,dog\nr,,\n"),
        (Labels.from_counts([[2, 1], [0, 0]]), "case,label,count\n0,0,2\n0,1,1\n1,0,0\n"),
        (RANKINGS, "case,annotator,label,rank\np,x,a,1\np,x,b,2\np,x,c,2\nq,y,b,1\n"),
        (RATINGS, "case,annotator,value\np,x,1.5\np,y,2.0\nq,y,3.0\n"),
    ):
        assert io.write_annotations(tmp_path / "a.csv", annotations) == () and (tmp_path / "a.csv").read_text(encoding="utf-8") == text
    assert os.listdir(tmp_path) == ["a.csv"]


LOST = {
    "The ids of the 2 annotators are not in the file, nor who gave which label.": (LABELS, "counts"),
    "Classes that nobody chose are not in the file: 'b' (give classes when it is read).": (
        Labels.from_long(["p"], ["x"], ["a"], classes=["a", "b"])
    ),
    "The order of the classes is not in the file: they are read in alphabetical order (give classes when it is read).": (
        Labels.from_long(["p", "p"], ["x", "y"], ["a", "b"], classes=["b", "a"])
    ),
    "Annotators without annotations are not in the file: 'y'.": Labels.from_wide([["a", None]], annotators=["x", "y"]),
    "Every case has a whole number as text for its name, such as '1': it is read as a number.": (
        Labels.from_long(["1", "2"], ["x", "x"], ["a", "a"])
    ),
    "The annotators had no names: they are numbered within each case; number 1 of two cases need not be one person.": (
        Rankings.from_blocks([[[[0]], [[0]]]])
    ),
}


@pytest.mark.parametrize("note", LOST)
def test_what_is_lost_is_said(tmp_path, note):
    given, format = LOST[note] if isinstance(LOST[note], tuple) else (LOST[note], "long")
    assert list(io.write_annotations(tmp_path / "a.csv", given, format=format)) == [note]
    assert io.write_annotations(tmp_path / "a.json", Rankings.from_blocks([[[[0]], []]]), format="rankings") == ()


@pytest.mark.parametrize(
    ("given", "name", "format", "message"),
    [
        (LABELS, "a.txt", "auto", r"path must end in \.csv, \.csv\.gz, \.json, \.json\.gz or \.npz\. Got "),
        (LABELS, "a.npz.gz", "auto", r"path must end in "),
        (LABELS, "a.csv", "wide", r"format must be one of auto, long, counts, rankings, npz\. Got 'wide'\."),
        (LABELS, "a.csv", "npz", r"format must fit the ending \.csv\. Got 'npz'\."),
        (LABELS, "a.json", "auto", r"format must be 'long' or 'npz' for Labels\. Got 'rankings' \(JSON\)\."),
        (RANKINGS, "a.csv", "counts", r"format must be 'long', 'npz' or 'rankings' for Rankings\. Got 'counts', which are of labels\."),
        ([[1, 2]], "a.csv", "auto", r"annotations must be Labels, Rankings or Ratings\. Got list\."),
        (Labels.from_long(["p"], ["x"], ["NA"]), "a.csv", "auto", r"label must have names .* \(or be written as NPZ\)\. Got 'NA'\."),
        (Labels.from_long([" p"], ["x"], ["a"]), "a.csv", "auto", r"case must have names without white space around them .* Got ' p'\."),
        (Labels.from_long(["p"], ["x"], ["0,5"]), "a.csv", "auto", r"label must not have decimal numbers .* Got '0,5'\."),
    ],
)
def test_what_cannot_be_written(tmp_path, given, name, format, message):
    refused(message, io.write_annotations, tmp_path / name, given, format=format)
    assert os.listdir(tmp_path) == []


def test_predictions_that_cannot_be_written(tmp_path):
    model = Predictions(["p"], [[0.5, 0.5]], ["label", "score"])
    for name, message in (
        ("a.csv", r"classes must not have names of columns of another format .* Got 'label', 'score'\."),
        ("a.json", r"predictions must be written to a file that ends in \.csv, \.csv\.gz or \.npz\. Got "),
    ):
        refused(message, io.write_predictions, tmp_path / name, model)
    message = r"names must not look like separators of columns \(or be written as NPZ\)\. Got 'case', ';', ';', '0\.0'\."
    refused(message, io.write_predictions, tmp_path / "a.csv", Predictions([";"], [[0.0]], [";"]))
    notes = ("The rows had no case ids: they are numbered from 0.", "The columns had no class names: they are numbered from 0.")
    assert io.write_predictions(tmp_path / "a.csv", Predictions(None, [[0.5, 0.5]])) == notes


def test_nothing_is_left_of_a_failure(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("before", encoding="utf-8")
    monkeypatch.setattr("ugt.io.writers._with_empty", lambda *_: iter([["x"], 1 / 0 if _ is None else 7]))
    refused(r"iterable|sequence", io.write_annotations, tmp_path / "a.csv", LABELS, error=Exception)
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == "before" and os.listdir(tmp_path) == ["a.csv"]


def convert(*words):
    parser = Parser(prog="ugt")
    _convert.add(parser.add_subparsers())
    options = parser.parse_args(["convert", *map(str, words)])
    assert isinstance(options, argparse.Namespace)
    return options.run(options)


def test_command(tmp_path, capsys):
    (tmp_path / "in.csv").write_text("item,rater 1,rater 2\np,cat,dog\nq,dog,NA\n", encoding="utf-8")
    found = convert(tmp_path / "in.csv", tmp_path / "out.csv")
    assert found["missing"] == {"NA": 1} and found["lost"] == [] and found["files"] == [str(tmp_path / "out.csv")]
    said = capsys.readouterr().out
    assert (
        "Read as missing: 'NA' (1 cells). Read each row as a case and each column as an annotator: the first column is named 'item'" in said
    )
    assert f"3 labels of 2 cases by 2 annotators: {tmp_path / 'out.csv'}" in said
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "case,annotator,label\np,rater 1,cat\np,rater 2,dog\nq,rater 1,dog\n"
    found = convert(tmp_path / "out.csv", tmp_path / "counts.csv", "--to", "counts")
    assert found["lost"] == ["The ids of the 2 annotators are not in the file, nor who gave which label."]
    assert found["lost"][0] in capsys.readouterr().out
    message = r"b\.csv must hold everything with --lossless \(an \.npz file does\)\. Got The ids of the 2 annotators"
    refused(message, convert, tmp_path / "out.csv", tmp_path / "b.csv", "--to", "counts", "--lossless")
    assert not (tmp_path / "b.csv").exists()
    convert(tmp_path / "out.csv", tmp_path / "new" / "b.npz", "--lossless")
    assert plain(io.read_annotations(tmp_path / "new" / "b.npz").annotations) == plain(io.read_annotations(tmp_path / "in.csv").annotations)


def test_command_on_predictions(tmp_path, capsys):
    (tmp_path / "in.csv").write_text("model,case,cat,dog\nA,p,1,0\nB,p,0.5,0.5\n", encoding="utf-8")
    paths = (tmp_path / "in.csv", tmp_path / "a.npz")
    refused(r"--model must name one of the models 'A', 'B'\. Got none\.", convert, *paths, "--predictions")
    refused(r"--model must be one of 'A', 'B'\. Got 'C'\.", convert, *paths, "--predictions", "--model", "C")
    refused(r"--model must be given with --predictions\. Got 'B'\.", convert, *paths, "--model", "B")
    convert(tmp_path / "in.csv", tmp_path / "a.npz", "--predictions", "--model", "B")
    assert "1 cases, 2 classes" in capsys.readouterr().out
    convert(tmp_path / "a.npz", tmp_path / "a.csv.gz", "--predictions", "--lossless")
    assert io.read_predictions(tmp_path / "a.csv.gz").scores.tolist() == [[0.5, 0.5]]
    paths = (tmp_path / "a.npz", tmp_path / "a.csv")
    refused(r"--to must be left out with --predictions\. Got 'counts'\.", convert, *paths, "--predictions", "--to", "counts")


def test_everything_that_is_read_can_be_written(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i, given in enumerate((LABELS, RANKINGS, RATINGS, Labels.from_counts([[1, 2]]))):
            for ending in ("csv", "npz"):
                io.write_annotations(tmp_path / f"{i}.{ending}", given)
                assert plain(io.read_annotations(tmp_path / f"{i}.{ending}").annotations) == plain(given)
