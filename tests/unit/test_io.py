"""Readers: every format a good file can have, every error a bad file gets, and a folder written as a whole or not at all."""

import hashlib
import json
import os
import re
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from twins.files import rows_of

from ugt._base.parallel import progress_to_stderr
from ugt.annotations import Labels, Rankings
from ugt.io import fingerprint, output_folder, read_annotations, read_names, read_predictions, write_annotations
from ugt.io.beside import cluster_file
from ugt.io.kinds import kind_of_file

LONG = "case,annotator,label\nb,x,cat\na,x,dog\nb,y,cat\n"


def blocks_of(rankings):
    """cases -> annotators -> blocks -> class names, as in from_blocks."""

    def split(rows, offsets):
        return [rows[a:b] for a, b in zip(offsets[:-1], offsets[1:])]

    blocks = split(rankings.axes.classes[rankings.items].tolist(), rankings.block_offsets)
    return split(split(blocks, rankings.ranking_offsets), rankings.case_offsets)


# --- long ---
def test_long(write):
    read = read_annotations(write(LONG))
    assert isinstance(read.annotations, Labels) and read.format == "long"
    assert rows_of(read.annotations) == [("b", "x", "cat"), ("b", "y", "cat"), ("a", "x", "dog")]
    assert read.missing == {} and read.missing_note() == ""


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_separators_byte_order_mark_and_line_ends(write, separator, prefix, newline):
    content = prefix + LONG.replace(",", separator).replace("\n", newline).encode()
    assert rows_of(read_annotations(write(content)).annotations) == rows_of(read_annotations(write(LONG)).annotations)


@pytest.mark.parametrize(
    "header",
    ["Task ID,Worker,Answer", "item_id,rater,class", "subjectId,Reader-ID,grade", "UNIT,coder,category", "case_id,annotator_id,label"],
)
def test_usual_names_of_columns(write, header):
    content = LONG.replace("case,annotator,label", header)
    assert len(rows_of(read_annotations(write(content)).annotations)) == 3


def test_columns_by_name_and_cells_of_all_kinds(write):
    content = "site,doctor,pic,dx,class,time\nA,x,1,cat,q,0\nB,y,2,dog,q,1\n"
    read = read_annotations(write(content), columns={"case": "pic", "annotator": "doctor", "label": "dx"})
    assert rows_of(read.annotations) == [(1, "x", "cat"), (2, "y", "dog")]
    read = read_annotations(write("case,annotator,label\n007,1,10\n8,2,9\n"))
    assert read.annotations.axes.case_ids.tolist() == ["007", "8"] and read.annotations.axes.classes.tolist() == [9, 10]
    read = read_annotations(write('case,annotator,label\n\n a ,x, cat\n\n"b, c","say ""y""","two\nlines"\n\n'))
    assert rows_of(read.annotations) == [("a", "x", "cat"), ("b, c", 'say "y"', "two\nlines")]


@pytest.mark.parametrize("ids", [[2**63 - 1, -(2**63), 0], [10**18, 1 - 10**18, 9 * 10**18 + 7]])
def test_every_integer_of_64_bits_is_written_and_read_as_the_same_integer(ids, tmp_path):
    given = Labels.from_long(ids, ids, [0, 1, 1])
    assert write_annotations(tmp_path / "x.csv", given) == ()
    again = read_annotations(tmp_path / "x.csv").annotations
    assert again.axes.case_ids.tolist() == ids and again.annotators.tolist() == ids


def test_longer_integers_are_names(write):
    read = read_annotations(write(f"case,annotator,label\n{2**63},1,10\n{-(2**63) - 1},2,9\n"))
    assert read.annotations.axes.case_ids.tolist() == [str(2**63), str(-(2**63) - 1)]


def test_missing_labels_are_counted_and_their_cases_kept(write):
    read = read_annotations(write("case,annotator,label\na,x,\nb,x,NA\nb,y,1\nc,x,\n"))
    assert read.annotations.axes.case_ids.tolist() == ["a", "b", "c"] and read.annotations.axes.classes.tolist() == [1]
    assert np.diff(read.annotations.offsets).tolist() == [0, 1, 0] and read.missing == {"": 2, "NA": 1}
    assert read.missing_note() == "Read as missing: blank (2 cells), 'NA' (1 cells)."
    read = read_annotations(write("case,annotator,label\na,x,-1\na,y,3\n"), missing=("-1",))
    assert read.missing == {"-1": 1} and read.annotations.axes.classes.tolist() == [3]


def test_classes_given(write):
    read = read_annotations(write(LONG), classes=["dog", "cat", "ibex"])
    assert read.annotations.axes.classes.tolist() == ["dog", "cat", "ibex"]
    assert read.annotations.counts().tolist() == [[0, 2, 0], [1, 0, 0]]
    numbers = write("case,annotator,label\na,x,2\n", "numbers.csv")
    assert read_annotations(numbers, classes=4).annotations.n_classes == 4
    assert read_annotations(numbers, classes=["k", "l", "m"]).annotations.counts().tolist() == [[0, 0, 1]]  # a position
    assert read_annotations(numbers, classes=["2", "l", "m"]).annotations.counts().tolist() == [[1, 0, 0]]  # a name
    refused(r"file\.csv: label must be one of the 1 classes\. Got 'cat', first at case 'b'", read_annotations, write(LONG), classes=["dog"])
    refused(r"numbers\.csv: label must hold class indices from 0 to 1\. Got 2, first at case 'a'", read_annotations, numbers, classes=2)


def test_counts_and_many_rows(write):
    read = read_annotations(write("case,label,count\na,cat,3\na,dog,1\nb,dog,2\nc,cat,0\n"))
    assert read.format == "long" and read.annotations.counts().tolist() == [[3, 1], [0, 2], [0, 0]]
    read = read_annotations(write("case,annotator,label,count\na,x,cat,3\na,y,dog,1\n"))
    assert read.annotations.counts().tolist() == [[3, 1]] and read.annotations.annotators.tolist() == ["x", "y"]
    rows = [f"case{i // 3},rater{i % 3},{i % 7}" for i in range(20_000)]
    read = read_annotations(write("case,annotator,label\n" + "\n".join(rows)))
    assert read.annotations.label.tolist() == [i % 7 for i in range(20_000)]
    rows[15_000] = "case,rater"
    cut = r"row must have 3 fields, as the header \(is the file cut off, .*\)\. Got 2, first at line 15002\."
    refused(cut, read_annotations, write("case,annotator,label\n" + "\n".join(rows)))


# --- rankings ---
def test_rankings_in_columns_of_places(write):
    read = read_annotations(write("id,reader,rank1,rank_2,Rank 3\np,x,cat,dog,cow\np,y,dog,,\nq,x,NA,,\nq,,,,\n"))
    assert blocks_of(read.annotations) == [[[["cat"], ["dog"], ["cow"]], [["dog"]]], []]
    assert read.annotations.axes.case_ids.tolist() == ["p", "q"] and read.annotations.annotators.tolist() == ["x", "y"]
    assert tuple(map(str, read.notes)) == ("Read 'rank1' to 'Rank 3' as the places of a ranking, the best class first.",)
    numbers = write("case,annotator,rank1,rank2\np,x,2,1\n")
    assert blocks_of(read_annotations(numbers, format="rankings").annotations) == [[[[2], [1]]]]
    for rows, message in (
        ("p,x,2,1\n", r"format must be 'rankings' \(columns are places, .* Got 'auto'"),
        ("p,x,cat,dog\np,y,,dog\n", r"rankings must have no blank place before a filled one\. Got one, first at line 3"),
        ("p,x,cat,dog\np,x,dog,\n", r"rankings must be one for each case and annotator\. Got a second one, first at line 3"),
        ("p,x,cat,cat\n", r".*repeat.*'cat'|.*'cat' twice"),
    ):
        refused(r"file\.csv: " + message, read_annotations, write("case,annotator,rank1,rank2\n" + rows))
    refused(
        r"file\.csv: rankings must have columns for case and annotator .*no annotator", read_annotations, write("case,rank1,rank2\np,a,b\n")
    )


def test_rankings_by_rank_confidence_or_text(write):
    expected = [[[["b"], ["a", "c"]], [["a"]]], [[["c"]]]]
    ranks = write("case,annotator,label,rank\n1,x,a,2\n1,x,b,1\n1,x,c,2\n1,y,a,1\n1,y,b,\n2,x,c,5\n")
    read = read_annotations(ranks)
    assert isinstance(read.annotations, Rankings) and read.format == "rankings"
    assert read.missing == {"": 1} and blocks_of(read.annotations) == expected
    confidences = write("case,annotator,label,confidence\n1,x,a,.2\n1,x,b,0.9\n1,x,c,.2\n1,y,a,1\n2,x,c,5\n")
    assert blocks_of(read_annotations(confidences).annotations) == expected
    texts = write("case,annotator,ranking\n1,x,b > a = c\n1,y,a\n2,x,c\n3,x,\n")
    assert blocks_of(read_annotations(texts, format="rankings").annotations) == [*expected, []]


def test_a_role_can_be_switched_off(write):
    path = write("case,annotator,label,rank,confidence\na,x,cat,1,0.3\n")
    refused(r"long table must have one of the columns rank, .* Got rank and confidence\.", read_annotations, path)
    assert isinstance(read_annotations(path, columns={"confidence": ""}).annotations, Rankings)
    assert isinstance(read_annotations(path, columns={"rank": ""}).annotations, Labels)  # one class, whose confidence is not used
    assert isinstance(read_annotations(path, columns={"rank": ""}, format="rankings").annotations, Rankings)
    assert isinstance(read_annotations(path, columns={"rank": None, "confidence": None}).annotations, Labels)


def test_json(write):
    nested = [[[[1], [0, 2]], [[1]]], [[[3]]]]
    read = read_annotations(write(json.dumps(nested), "a.json"), classes=5)
    assert read.format == "rankings" and blocks_of(read.annotations) == nested
    assert read.annotations.n_classes == 5
    content = {"rankings": nested, "case_ids": ["p", "q"], "classes": ["k", "l", "m", "n"]}
    read = read_annotations(write(json.dumps(content), "a.json"))
    assert read.annotations.axes.case_ids.tolist() == ["p", "q"]
    assert blocks_of(read.annotations) == [[[["l"], ["k", "m"]], [["l"]]], [[["n"]]]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[[[[1]]], [[2]]]", r"nested must hold blocks that are lists of classes\. Got 2, first at case 1, annotator 0\."),
        ("[[[[1]]], [[[]]]]", r"nested must not hold an empty block\. Got \[\], first at case 1, annotator 0\."),
        ("[[[[1]]], [[[1, 1]]]]", r"nested must not repeat a class within a ranking\. Got 1 twice, first at case 1, annotator 0\."),
        ("[[[[1]]], 7]", r"nested must hold a list of rankings for each case\. Got 7, first at case 1\."),
        ("[[[[1.5]]]]", r"nested must hold integers .* Got 1\.5, first at case 0"),
        ("[[[[1]]]", r"file must be JSON \(is it cut off\?\)\. Got Expecting .* first at line 1\."),
        pytest.param("[" * 100_000, r"rankings must be nested four deep", id="deep"),  # Windows has no longer names of tests
        ('{"ranking": []}', r"file must have the key 'rankings' and optionally 'case_ids' and 'classes' .* Got the keys ranking\."),
        ("", r"file must not be empty"),
        ('{"rankings": [[[[9]]]], "classes": ["a"]}', r"nested must hold class indices from 0 to 0\. Got 9, first at case 0"),
    ],
)
def test_bad_json(write, content, message):
    refused(r"a\.json: " + message, read_annotations, write(content, "a.json"))


# --- wide and counts ---
def test_wide(write):
    read = read_annotations(write("id,ann,bob\np,cat,dog\nq,,cat\nr,NA,\n"))
    assert read.format == "wide"
    assert rows_of(read.annotations) == [("p", "ann", "cat"), ("p", "bob", "dog"), ("q", "bob", "cat")]
    assert read.annotations.n_cases == 3 and read.missing == {"": 2, "NA": 1}


def test_counts(write):
    path = write("id,cat,dog\np,3,0\nq,0,0\n")
    read = read_annotations(path, format="counts")
    assert read.format == "counts" and read.annotations.counts().tolist() == [[3, 0], [0, 0]]
    assert read.annotations.axes.classes.tolist() == ["cat", "dog"]
    assert read_annotations(path, format="counts", columns={"case": "id"}).annotations.counts().tolist() == [[3, 0], [0, 0]]
    read = read_annotations(path, format="counts", classes=["dog", "ibex", "cat"])
    assert read.annotations.counts().tolist() == [[0, 0, 3], [0, 0, 0]]
    refused(
        r"classes must be one of the 1 classes\. Got 'dog', first at column 1", read_annotations, path, format="counts", classes=["cat"]
    )
    for cell in ("-1", "1.5", "NA", "inf"):
        path = write(f"id,cat,dog\np,3,0\nq,0,{cell}\n")
        refused(rf"count must be a non-negative integer\. Got '{cell}', first at line 3\.", read_annotations, path, format="counts")


def test_integer_tables_are_never_guessed(write):
    path = write("id,a,b\np,3,0\nq,0,1\n")
    message = (
        r"format must be 'wide' \(one column per annotator\) or 'counts' \(one column per class\) for a table of integers, .* Got 'auto'\."
    )
    refused(message, read_annotations, path)
    assert rows_of(read_annotations(path, format="wide").annotations)[0] == ("p", "a", 3)
    assert read_annotations(write("id,rater 1,Rater_2\np,3,0\n")).format == "wide"
    assert read_annotations(write("id,a,b\np,3,-1\n")).format == "wide"
    read = read_annotations(write("id,count_a,count_b\np,3,0\n"))
    assert read.format == "counts" and read.annotations.axes.classes.tolist() == ["a", "b"]
    refused(r"format must be 'wide' for a table of decimal numbers, which look like scores", read_annotations, write("id,a,b\np,0.3,0.7\n"))


def test_arrays(write):
    counts = np.array([[3, 0], [1, 2]], dtype=">i2")
    refused(r"format must be 'wide' .* or 'counts' .* for this array\. Got 'auto'\.", read_annotations, write(counts, "a.npy"))
    assert read_annotations(write(counts, "a.npy"), format="counts").annotations.counts().tolist() == [[3, 0], [1, 2]]
    read = read_annotations(write(np.array([[5, np.nan, 7], [7, 5, np.nan]]), "a.npy"), format="wide", missing=("-1",))
    assert read.annotations.counts().tolist() == [[1, 1], [1, 1]] and read.annotations.axes.classes.tolist() == [5, 7]
    assert read.missing == {"NaN": 2} and kind_of_file(write(np.array([[0, np.nan]]), "a.npy")) == "annotations"
    message = r"table must hold whole numbers or NaN, .* \(for numbers on a scale: format='ratings'\)\. Got 0\.5, first at row 1, column 0"
    refused(message, read_annotations, write(np.array([[1, np.nan], [0.5, 1]]), "a.npy"), format="wide")
    read = read_annotations(write(np.array([[5, -1], [7, 5]]), "a.npy"), format="wide", missing=("-1",))
    assert rows_of(read.annotations) == [(0, 0, 5), (1, 0, 7), (1, 1, 5)] and read.missing == {"-1": 1}
    read = read_annotations(write({"counts": counts, "case_ids": ["p", "q"], "classes": ["a", "b"]}, "a.npz"))
    assert read.annotations.axes.case_ids.tolist() == ["p", "q"]
    read = read_annotations(write({"counts": counts, "classes": ["a", "b"]}, "a.npz"), classes=["b", "c", "a"])
    assert read.annotations.counts().tolist() == [[0, 0, 3], [2, 0, 1]]
    read = read_annotations(write({"table": np.array([["a", ""], ["b", "a"]])}, "a.npz"))
    assert rows_of(read.annotations) == [(0, 0, "a"), (1, 0, "b"), (1, 1, "a")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"file must be an NPY or NPZ file of plain arrays \(is it cut off\?\)"),
        (b"case,annotator,label\n", r"file must be an NPY or NPZ file"),
        ({"counts": np.array([{}], dtype=object)}, r"file must be an NPY or NPZ file .* Object arrays"),
        ({"other": np.ones((2, 2))}, r"file must hold one array 'counts' or 'table', .* Got the arrays 'other'\."),
        ({"counts": np.ones((2, 2), int), "table": np.ones((2, 2), int)}, r"file must hold one array 'counts' or 'table'"),
        ({"table": np.ones(2)}, r"table must be a table of integers or strings, cases x annotators\. Got shape \(2,\) of float64\."),
        ({"counts": np.array([[1, -1]])}, r"counts must not be negative\. Got -1, first at case 0, class 1\."),
        ({"counts": np.array([[1, np.inf]])}, r"counts must be finite\. Got inf, first at case 0, class 1\."),
        ({"counts": np.ones(3, int), "classes": ["a", "b", "c"]}, r"counts must be a table of numbers"),
    ],
    ids=count(),
)
def test_bad_arrays(write, content, message):
    refused(r"a\.npz: " + message, read_annotations, write(content, "a.npz"))


def test_a_whole_archive_is_needed(write):
    whole = write({"counts": np.ones((50, 3), int)}, "a.npz").read_bytes()
    refused(r"a\.npz: file must be an NPY or NPZ file", read_annotations, write(whole[:-40], "a.npz"))


def test_reading_says_how_far_it_is(write, monkeypatch, capsys):
    monkeypatch.setattr("ugt._base.parallel.QUIET_SECONDS", 0.0)
    with progress_to_stderr():
        read_annotations(write(LONG))
    assert capsys.readouterr().err == "ugt: reading: 100 %\n"


# --- bad CSV ---
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"file must not be empty\. Got 0 bytes without text\."),
        (b"\n \n", r"file must not be empty\. Got 3 bytes without text\."),
        (b"case,annotator,label\n", r"file must have rows below its header\. Got none\."),
        (b"\x89PNG\r\n\x1a\n\0\0", r"file must be UTF-8 text\. Got an image \(PNG\)\."),
        (LONG.encode("utf-16"), r"file must be UTF-8 text\. Got a NUL byte"),
        (LONG.encode() + "c,x,bœuf\n".encode("cp1252"), r"file must be UTF-8 text\. Got the byte 0x9c .* first at line 5\."),
        (LONG.encode() + b"c,x\n", r"row must have 3 fields, as the header \(is the file cut off, .*\)\. Got 2, first at line 5\."),
        (LONG.encode() + b"\nc,x,a,b\n", r"row must have 3 fields, .* Got 4, first at line 6\."),
        (LONG.encode() + b'c,x,"cat\nd,x,dog\n', r"row must be CSV with every quote closed\. Got unexpected end .* first at line 5\."),
        (LONG.encode() + b'c,x,"c"at\n', r"row must be CSV with every quote closed\. Got .* first at line 5\."),
        (
            b"label\ncat\n",
            r"header must be the first line and separate its columns by commas, semicolons or tabs\. Got 'label', first at line 1\.",
        ),
        (b"a;b,c\n1;2,3\n", r"header must be the first line and separate its columns .* Got 2 possible separators"),
        (b"case,annotator,annotator\na,b,c\n", r"columns must have different names .* Got 'annotator' twice, first at line 1\."),
        (b"case,item,annotator,label\na,b,c,d\n", r"case column must be given if several .* Got 'case' and 'item'\."),
        (b"case,label\na,b\n", r"long table must have columns for case, annotator, label .* Got no annotator among case, label\."),
        (b"case,annotator,label\n,x,cat\n", r"case must not be blank\. Got a blank cell, first at line 2\."),
        (b"case,annotator,label\na,x,cat\na,,cat\n", r"annotator must not be blank\. Got a blank cell, first at line 3\."),
        (b"case,annotator,label,rank\na,x,cat,1\na,x,dog,two\n", r"rank must be a number\. Got 'two', first at line 3\."),
        (b"case,annotator,label,rank\na,x,cat,inf\n", r"rank must be finite\. Got inf, first at case 'a'"),
        (b"case,annotator,label,rank\na,x,cat,1\na,x,cat,2\n", r"label must not repeat a class .* Got 'cat' twice, first at case 'a'"),
        (b"case,annotator,ranking\na,x,cat > \n", r"ranking must be classes joined by '>' and '=', .* Got 'cat >', first at case 'a'"),
        (b"case,annotator,ranking\na,x,cat\na,x,dog\n", r"annotator must rank each case once\. Got 'x' twice, first at case 'a'"),
        (b"case,label,count\na,cat,1.5\n", r"count must be a non-negative integer\. Got '1\.5', first at line 2\."),
        (b"case,label,count\na,cat,1\na,cat,2\n", r"rows must not repeat .* Got 1 repeated, first at case 'a', class 'cat'\."),
        (
            b"id,ann,bob\np,cat,dog\np,cat,cat\n",
            r"case must occur once in the column 'id' .* Got 'p' twice",
        ),
        (b"id,ann,bob\n,cat,dog\n", r"case must not be blank\. Got a blank cell, first at line 2\."),
    ],
    ids=count(),
)
def test_bad_csv(write, content, message):
    refused(r"file\.csv: " + message, read_annotations, write(content))


def test_bad_options(write):
    for options, message in (
        ({"format": "tall"}, r"format must be one of auto, long, wide, transposed, counts, rankings, ratings\. Got 'tall'\."),
        (
            {"format": "wide", "columns": {"label": "label"}},
            r"columns must be given only for the roles case \(to choose .* annotator_columns\)\. Got 'label'\.",
        ),
        ({"columns": {"reader": "x"}}, r"columns must be given only for the roles case, .* Got 'reader'\."),
        ({"columns": {"case": "id"}}, r"case column must be one of the columns case, annotator, label\. Got 'id'\."),
        ({"format": "rankings"}, r"rankings must have a column rank, .* Got the columns case, annotator, label\."),
    ):
        refused(message, read_annotations, write(LONG), **options)
    refused(
        r"format must be 'auto', 'rankings' or 'ratings' for a JSON file\. Got 'wide'\.",
        read_annotations,
        write("[]", "a.json"),
        format="wide",
    )
    with pytest.raises(FileNotFoundError):
        read_annotations("nowhere.csv")


# --- predictions ---
def test_predictions_wide_long_and_arrays(write):
    scores = [[0.25, 0.75], [1.0, -2.5]]
    for content, name in (
        ("case,cat,dog\np,0.25,.75\nq, 1,-2.5\n", "a.csv"),
        ("class;case;score\ncat;p;0.25\ncat;q;1\ndog;p;.75\ndog;q;-25e-1\n", "a.csv"),
        ({"scores": np.array(scores), "case_ids": ["p", "q"], "classes": ["cat", "dog"]}, "a.npz"),
    ):
        model = read_predictions(write(content, name))
        assert (model.scores.tolist(), model.case_ids.tolist(), model.classes.tolist()) == (scores, ["p", "q"], ["cat", "dog"])
    model = read_predictions(write(np.array(scores, dtype=np.float32), "a.npy"))
    assert (model.scores.tolist(), model.case_ids, model.classes) == (scores, None, None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("case,cat,dog\np,1,2\nq,1,x\n", r"cell must be a number\. Got 'x', first at line 3, column 'dog'\."),
        (
            "case,cat,dog\np,1,2\nq,1,\n",
            r"cell must be a number\. Got a blank \(leave out the row of a case without numbers\), first at line 3, column 'dog'\.",
        ),
        ("case,cat,dog\np,1,2\nq,1,nan\n", r"scores must be finite\. Got nan, first at case 'q', class 'dog'\."),
        ("case,cat,dog\np,-inf,2\n", r"scores must be finite\. Got -inf, first at case 'p', class 'cat'\."),
        (
            "case,cat,dog\np,1,2\np,1,2\n",
            r"case must occur once .* Got 'p' twice, first at line 3\.",
        ),
        ("case,cat,dog\n,1,2\n", r"case must not be blank\. Got a blank cell, first at line 2\."),
        ("case,class,score\np,cat,1\np,cat,2\n", r"rows must not repeat a case and class\. Got 1 repeated, first at case 'p', cl"),
        ("case,class,score\np,cat,1\np,dog,1\nq,dog,2\n", r"scores must be given for .* Got none for 1 of 4, first at case 'q', c"),
        ("case,class,score\np,cat,a\n", r"cell must be a number\. Got 'a', first at line 2, column 'score'\."),
        ("case,cat,dog\np,1\n", r"row must have 3 fields"),
        ("", r"file must not be empty"),
    ],
)
def test_bad_predictions(write, content, message):
    refused(r"file\.csv: " + message, read_predictions, write(content))


def test_bad_prediction_arrays(write):
    refused(r"a\.npy: scores must be a table of cases x classes\. Got shape \(4,\)\.", read_predictions, write(np.ones(4), "a.npy"))


# --- names, fingerprints, output ---
def test_names_and_fingerprint(write):
    assert read_names(write(b"\xef\xbb\xbfcat \r\nwild dog\r\n\r\n")) == ["cat", "wild dog"]
    assert read_names(write("0\n1\n2\n")) == [0, 1, 2]
    refused(r"file\.csv: file must have a name on every line\. Got a blank, first at line 2\.", read_names, write("cat\n\ndog\n"))
    refused(r"file\.csv: file must not be empty", read_names, write(""))
    assert fingerprint(write("abc", "x.csv")) == {"name": "x.csv", "sha256": hashlib.sha256(b"abc").hexdigest()}


def test_output_folder_is_written_as_a_whole(tmp_path):
    target = tmp_path / "new" / "deep"
    with output_folder(target) as draft:
        (draft / "a.txt").write_text("a", encoding="utf-8")
        (draft / "b.txt").write_text("b", encoding="utf-8")
        assert not (target / "a.txt").exists()
    assert sorted(os.listdir(target)) == ["a.txt", "b.txt"]
    with output_folder(target) as draft:
        (draft / "a.txt").write_text("new", encoding="utf-8")
    assert (target / "a.txt").read_text(encoding="utf-8") == "new" and sorted(os.listdir(target)) == ["a.txt", "b.txt"]


def test_output_folder_leaves_nothing_behind(tmp_path):
    with pytest.raises(RuntimeError), output_folder(tmp_path / "new" / "deep") as draft:
        (draft / "a.txt").write_text("a", encoding="utf-8")
        raise RuntimeError
    assert os.listdir(tmp_path) == []
    (tmp_path / "b.txt").mkdir()
    message = r"output folder must have room for the file b\.txt\. Got a folder of this name\."
    with pytest.raises(ValueError, match=message), output_folder(tmp_path) as draft:
        (draft / "a.txt").write_text("a", encoding="utf-8")
        (draft / "b.txt").write_text("b", encoding="utf-8")
    assert os.listdir(tmp_path) == ["b.txt"]


def test_output_folder_not_writable(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    message = r"output folder must be a folder that can be written to\. Got '.*file.*' \(.+\)\."
    for path in (tmp_path / "file", tmp_path / "file" / "deep"):
        with pytest.raises(ValueError, match=message), output_folder(path):
            pass

    made = Path.mkdir

    def refuse(folder, **options):
        if folder.name.startswith(".ugt-"):
            raise PermissionError(13, "Permission denied")
        made(folder, **options)

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(ValueError, match=r"output folder must be .* \(Permission denied\)\."), output_folder(tmp_path / "new"):
        pass
    assert os.listdir(tmp_path) == ["file"]


def test_usual_headers_of_hospitals_are_recognised(write):
    read = read_annotations(write("Lesion ID,Reader,Diagnosis,Comment\na-L,r1,benign,x\na-R,r2,malignant,y\n"))
    assert read.columns == {"case": ("Lesion ID",), "annotator": ("Reader",), "label": ("Diagnosis",)}
    assert rows_of(read.annotations) == [("a-L", "r1", "benign"), ("a-R", "r2", "malignant")]
    read = read_annotations(write("Accession Number,Reviewer,Reader,Diagnosis,Label\n1,p,x,b,u\n2,q,y,m,v\n"))
    assert read.columns == {"case": ("Accession Number",), "annotator": ("Reader",), "label": ("Label",)}


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (
            "Lesion ID,Image ID,Reader,Diagnosis",
            "case column must be given if several columns may be meant. Got 'Lesion",
        ),
        ("Lesion ID,Site,Reader,Diagnosis,DX", "label column must be given if several columns may be meant. Got 'Diag"),
        ("Patient ID,Site,Reader,Diagnosis", "Got no case among Patient ID, Site, Reader, Diagnosis"),
    ],
)
def test_headers_that_may_mean_two_things_are_asked(write, header, said):
    cells = [",".join(f"{name[0]}{i}" for name in header.split(",")) for i in range(3)]
    with pytest.raises(ValueError, match=re.escape(said)):
        read_annotations(write("\n".join([header, *cells, ""])))


def test_the_only_column_beside_the_patient_is_the_case(write):
    read = cluster_file(write("Lesie,Patient ID\na-L,a\na-R,a\nb-L,b\n"))
    assert read.values == {"Patient ID": {"a-L": "a", "a-R": "a", "b-L": "b"}}
    assert cluster_file(write("Patient,Site,Lesion\na,n,1\na,s,2\n")).values == {"Patient": {"1": "a", "2": "a"}}
    with pytest.raises(ValueError, match="file must have the columns case and cluster"):
        cluster_file(write("Patient,Site,Lesie\na,n,1\na,s,2\n"))
