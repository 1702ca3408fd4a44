"""Tables that people have: encodings, compression, quotes, names of columns, orientation, codes for "missing"; two readers agree."""

import csv
import gzip
import io as buffers
import re
import tracemalloc
import warnings
from itertools import count
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from noted import heard
from refusals import refused
from twins.files import rows_of

from ugt import io
from ugt._base.parallel import progress_to_stderr
from ugt._core import _rows
from ugt._tabular import csv_table, lines, source
from ugt._tabular.csv_table import Table
from ugt._tabular.source import Source, check_blocks
from ugt._tabular.words import Words, text_array
from ugt.annotations import Labels, Rankings, Ratings
from ugt.io.beside import subgroup_file

LONG = "case,annotator,label\nb,x,cat\na,x,dog\nb,y,cat\n"


# --- encodings ---
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (LONG.encode("utf-16"), r"a NUL byte \(UTF-16 by its byte order mark; give encoding='utf-16', or save .*\), first at"),
        (LONG.encode("utf-16-le"), r"a NUL byte \(UTF-16LE without a byte order mark\? give encoding='utf-16le', .*\), first at line 1\."),
        (LONG.encode("utf-16-be"), r"a NUL byte \(UTF-16BE without a byte order mark\? "),
        (LONG.encode("utf-32"), r"a NUL byte \(UTF-32 by its byte order mark; "),
        (LONG.encode() + b"c,x,\0\n", r"a NUL byte \(a binary or UTF-16 file\?\), first at line 5\."),
        (
            (LONG + "c,x,Läsion\n").encode("latin-1"),
            r".*0xe4 \(Windows-1252\? Then it is in 'Läsion'; give encoding='cp1252', .* first at line 5",
        ),
        ((LONG + "c,x,“cat”\n").encode("cp1252"), r"the byte 0x93 \(Windows-1252\? .*'“cat”'; give encoding='cp1252', .*first at line 5"),
        (LONG.encode() + "c,x,ä".encode()[:-1], r"half a character at its end \(is the file cut off\?\), first at line 5\."),
        (b"PK\3\4....[Content_Types].xml..", r"an Excel workbook \(save the sheet as 'CSV UTF-8'\)\."),
        (b"PK\3\4....labels.txt", r"a ZIP archive \(an NPZ file is called \.npz\)\."),
        (b"\xd0\xcf\x11\xe0....", r"an old Excel workbook"),
        (b"PAR1....", r"a Parquet file \(call it \.parquet\)\."),
        (b"\x93NUMPY....", r"a NumPy array \(call it \.npy\)\."),
        (b"%PDF-1.4", r"a PDF document\."),
        (b"<!DOCTYPE html><html></html>", r"a web page \(was a page saved instead of the file behind it\?\)\."),
    ],
    ids=count(),
)
@pytest.mark.parametrize("read", [io.read_annotations, io.read_predictions, io.read_models, io.read_names, io.read_clusters])
def test_what_is_no_utf8_text(write, content, message, read):
    refused(r"file\.csv: file must be UTF-8 text\. Got " + message, read, write(content))


def test_the_byte_is_found_in_any_block():
    blocks = [b"a\n" * 3, b"b\n\xc3", b"\xa4\nc\n", b"d\xe4\n"]  # an ä in two blocks is fine
    refused(r"the byte 0xe4 .*'dä'.* first at line 7\.", check_blocks, blocks)
    refused(r"a NUL byte .* first at line 3\.", check_blocks, [b"a\n", b"b\n", b"c\0\n"])
    refused(r"file must not be empty\. Got 7 bytes without text\.", check_blocks, [b"\xef\xbb\xbf\n", b" \t", b"\n"])


def test_gzip(write):
    packed = gzip.compress(LONG.encode())
    for name in ("a.csv.gz", "a.csv"):
        assert rows_of(io.read_annotations(write(packed, name)).annotations) == [("b", "x", "cat"), ("b", "y", "cat"), ("a", "x", "dog")]
    assert io.read_names(write(gzip.compress(b"cat\ndog\n"), "names.txt.gz")) == ["cat", "dog"]
    with pytest.raises(ValueError, match=r"cut\.csv\.gz: file must be a whole gzip file \(is it cut off\?\)\. Got "):
        io.read_annotations(write(packed[:-12], "cut.csv.gz"))
    broken = bytearray(packed)
    broken[-6] ^= 1
    refused(r"bad\.csv\.gz: file must be a whole gzip file .* Got ", io.read_annotations, write(bytes(broken), "bad.csv.gz"))
    with pytest.raises(ValueError, match=r"not\.csv\.gz: file must be compressed by gzip, as its name says\. Got another beginning\."):
        io.read_annotations(write(LONG, "not.csv.gz"))
    cut = write(gzip.compress(LONG.encode() + b"c,x\n"), "a.csv.gz")
    refused(r"a\.csv\.gz: row must have 3 fields, .* Got 2, first at line 5\.", io.read_annotations, cut)


# --- decimal commas ---
TWO = r"columns must have different names .* Got "
HEAD = "case,annotator,label"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "case\tannotator\tlabel\trank\na\tx\tcat\t1,5\n",
            r"rank must be a number\. Got '1,5' \(a decimal comma; save .*\), first at line 2\.",
        ),
        ("case\tannotator\tvalue\na\tx\t0,5\n", r"value must be a number\. Got '0,5' \(a decimal comma; save"),
        ("case\tannotator\tlabel\na\tx\t0,5\na\ty\t3\n", r"label must be names or whole numbers\. Got '0,5' \(a decimal comma; save"),
        ("case\tann\tbob\na\t0,5\t3\n", r"label must be names or whole numbers\. Got '0,5' \(a decimal comma; save"),
        ('case,annotator,value\na,x,"0,5"\n', r"value must be a number\. Got '0,5' \(a decimal comma"),
        ("case,rater,value\np,x,high\n", r"value must be a number\. Got 'high', first at line 2\."),
        ("case,value\np,1\n", r"long table must have columns for case, annotator, value .* Got no annotator among case, value\."),
        ("id,image,reader,label\n1,p,x,cat\n", r"case column must be given if several columns may be meant\. Got 'id' and 'image'\."),
        (HEAD + ",label\na,b,c,d\n", TWO + r"'label' twice, first at line 1\."),
        (HEAD + ",,,x\na,b,c,,,\n", TWO + r"two blank ones"),
        (HEAD + ",,\na,b,c,,\na,d,c,,x\n", r"columns must have names\. Got a blank one with 'x', first at line 3\."),
        ("what,a,b,c\nx,cat,dog,cat\n", r"format must be 'wide' \(one row per case\) or 'transposed' \(one row per .* names that show nei"),
        ("case,case 1,case 2\nx,cat,dog\n", r".*names suggest both\. Got 'auto' \(the first column is named 'case', the columns"),
        (
            "case,ann,bob\np,cat,dog\no,cat,cat\nq,cat,dog\nq,dog,cat\np,cat,cat\n",
            r"case must occur once in the column 'case' .* Got 'q' twice, first at line 5\.",
        ),
    ],
    ids=count(),
)
def test_tables_that_are_refused(write, content, message):
    refused(r"file\.csv: " + message, io.read_annotations, write(content))


def test_decimal_commas_of_scores(write):
    for content, message in (
        ("case\tcat\tdog\np\t0,25\t0,75\n", r"cell must be a number\. Got '0,25' \(a decimal comma; .*\), first at line 2, column 'cat'\."),
        ("case,cat,dog\np,0,25,0,75\n", r"row must have 3 fields, .* Got 5 \(are decimal commas among them\? .*\), first at line 2\."),
    ):
        refused(message, io.read_predictions, write(content))
    assert rows_of(io.read_annotations(write("case;annotator;label\na;x;1,5 mm\n")).annotations) == [("a", "x", "1,5 mm")]


# --- names of columns ---
@pytest.mark.parametrize("case", ["case", "task", "item", "subject", "unit", "Case ID", "image", "id", "study_id"])
@pytest.mark.parametrize("annotator", ["annotator", "worker", "rater", "reader", "coder", "Reader-ID", "user", "doctor"])
@pytest.mark.parametrize("label", ["label", "class", "answer", "grade", "category"])
def test_aliases(write, case, annotator, label):
    read = io.read_annotations(write(f"site,{label},{annotator},{case}\n1,cat,x,p\n"))
    assert rows_of(read.annotations) == [("p", "x", "cat")]


def test_less_telling_names_give_way_and_cases_stand_alone(write):
    read = io.read_annotations(write("id,case,user,reader,label\n1,p,u,x,cat\n"))
    assert rows_of(read.annotations) == [("p", "x", "cat")]
    read = io.read_annotations(write("case,annotator,label\np,x,cat\nq,,\n"))
    assert read.annotations.axes.case_ids.tolist() == ["p", "q"] and rows_of(read.annotations) == [("p", "x", "cat")]


@pytest.mark.parametrize(("name", "kind"), [("rank", Rankings), ("confidence", Labels), ("value", Ratings), ("rating", Ratings)])
def test_the_column_says_what_they_are(write, name, kind):
    label = "" if kind is Ratings else "label,"
    path = write(f"case,rater,{label}{name}\np,x,{'cat,' if label else ''}2\n")
    assert isinstance(io.read_annotations(path).annotations, kind)


def test_values(write):
    read = io.read_annotations(write("case,rater,value\np,x,2.5\np,y,3\nq,x,NA\n"))
    assert read.format == "long" and read.missing == {"NA": 1}
    assert read.annotations.value.tolist() == [2.5, 3.0] and read.annotations.case_ids.tolist() == ["p", "q"]
    path = write("case,rater,label,value\np,x,2,0.1\n")
    assert isinstance(io.read_annotations(path).annotations, Labels)  # as ever
    assert io.read_annotations(path, columns={"value": "value"}).annotations.value.tolist() == [0.1]
    assert io.read_annotations(write("case,rater,grade\np,x,2\n"), format="ratings").annotations.value.tolist() == [2.0]
    wide = write("case,ann,bob\np,2.5,\nq,1,NA\n")
    ratings = io.read_annotations(wide, format="ratings").annotations
    assert ratings.value.tolist() == [2.5, 1.0] and ratings.annotators.tolist() == ["ann", "bob"]
    refused(
        r"cell must be a number\. Got 'high', first at line 2, column 'ann'\.$",
        io.read_annotations,
        write("case,ann,bob\np,high,1\n"),
        format="ratings",
    )


# --- orientation ---
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("rater,p,q\nann,cat,dog\nbob,,cat\n", "the first column is named 'rater'"),
        ("who,case 1,case 2\nann,cat,dog\nbob,,cat\n", "the columns are named 'case 1' to 'case 2'"),
        ("who,p,q\nrater 1,cat,dog\nrater 2,,cat\n", "the rows are named 'rater 1' to 'rater 2'"),
    ],
)
def test_annotators_in_rows(write, content, reason):
    read = io.read_annotations(write(content))
    assert read.format == "transposed"
    assert read.missing_note() == f"Read as missing: blank (1 cells). Read each row as an annotator and each column as a case: {reason}."
    first, second = read.annotations.annotators.tolist()
    p, q = read.annotations.axes.case_ids.tolist()
    assert rows_of(read.annotations) == [(p, first, "cat"), (q, first, "dog"), (q, second, "cat")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("item,p,q\nann,cat,dog\nbob,,cat\n", "the first column is named 'item'"),
        ("what,rater 1,rater 2\nann,cat,dog\n", "the columns are named 'rater 1' to 'rater 2'"),
        ("what,ann,bob\ncase 1,cat,dog\n", "the rows are named 'case 1'"),
        ("what,ann,bob\np,cat,dog\nq,cat,dog\n", "it has at least as many rows as columns"),
    ],
)
def test_cases_in_rows(write, content, reason):
    read = io.read_annotations(write(content))
    assert (read.format, tuple(map(str, read.notes))) == ("wide", (f"Read each row as a case and each column as an annotator: {reason}.",))


def test_orientation_that_is_said(write):
    numbers = write("rater,p,q\nann,1,2\n")
    assert io.read_annotations(numbers).format == "transposed"
    message = r"format must be 'transposed' for a table with one row per annotator .* Got 'wide' \(the first column"
    refused(message, io.read_annotations, numbers, format="wide")
    assert io.read_annotations(numbers, format="wide", columns={"case": "rater"}).annotations.axes.case_ids.tolist() == ["ann"]
    turned = io.read_annotations(write("what,a,b,c\nx,cat,dog,cat\n"), format="transposed").annotations
    assert rows_of(turned) == [("a", "x", "cat"), ("b", "x", "dog"), ("c", "x", "cat")]


def test_the_case_need_not_come_first(write):
    assert rows_of(io.read_annotations(write("ann,bob,case\ncat,dog,p\ncat,cat,q\n")).annotations)[0] == ("p", "ann", "cat")
    assert io.read_annotations(write("n_a,n_b,task\n1,2,p\n")).annotations.axes.case_ids.tolist() == ["p"]
    model = io.read_predictions(write("cat,dog,subject\n1,2,p\n"))
    assert model.case_ids.tolist() == ["p"] and model.classes.tolist() == ["cat", "dog"]
    assert io.read_models(write("cat,model,case\n1,A,p\n"))["A"].case_ids.tolist() == ["p"]
    odd = io.read_predictions(write("pic,task,unit\np,1,2\n"))
    assert odd.case_ids.tolist() == ["p"] and odd.classes.tolist() == ["task", "unit"]


# --- codes for "missing" ---
@pytest.mark.parametrize(
    ("labels", "codes"),
    [
        (["1", "2", "-1"], "'-1'"),
        (["0", "1", "2", "99"], "'99'"),
        (["1", "2", "3", "88", "99"], "'99', '88'"),
        (["1", "2", "3", "9"], "'9'"),
        (["cat", "dog", "-1"], "'-1'"),
        (["cat", "dog", "999"], "'999'"),
        (["cat", "?"], "'?'"),
        (["1", "2", "3", "4"], None),
        (["5", "6", "7", "8", "9"], None),
        (["-2", "-1"], None),
        (["0", "99"], None),
        (["cat", "dog", "12"], None),
    ],
)
def test_codes_are_noted_and_kept(write, labels, codes):
    rows = "".join(f"p{i},x,{label}\n" for i, label in enumerate(labels))
    read = io.read_annotations(write("case,annotator,label\n" + rows))
    assert read.annotations.n_labels == len(labels) and read.missing == {}
    note = f"Taken as annotations, though they look like codes for 'none': {codes} (if they are, use missing=)."
    assert tuple(map(str, read.notes)) == ((note,) if codes else ())


def test_codes_that_are_said_to_be_missing(write):
    path = write("id,rater 1,rater 2\np,1,-1\nq,99,2\n")
    read = io.read_annotations(path, missing=("-1", "99"))
    assert read.missing == {"-1": 1, "99": 1} and read.annotations.axes.classes.tolist() == [1, 2]
    assert len(read.notes) == 1 and len(io.read_annotations(path).notes) == 2


# --- several models ---
def test_models(write):
    wide = "system,case,cat,dog\nA,p,1,0\nB,p,0.5,0.5\nA,q,0.25,0.75\n"
    long = "case,class,score,model\np,cat,1,A\np,dog,0,A\nq,dog,0.75,A\nq,cat,0.25,A\np,cat,.5,B\np,dog,.5,B\n"
    for content in (wide, long):
        models = io.read_models(write(content))
        assert list(models) == ["A", "B"]
        assert models["A"].case_ids.tolist() == ["p", "q"] and models["A"].scores.tolist() == [[1, 0], [0.25, 0.75]]
        assert models["B"].scores.tolist() == [[0.5, 0.5]] and models["B"].classes.tolist() == ["cat", "dog"]
    assert list(io.read_models(write("case,cat,dog\np,1,0\n", "mine.csv"))) == ["mine"]
    assert io.read_models(write(np.ones((2, 3)), "net.npy"))["net"].scores.shape == (2, 3)
    one = io.read_predictions(write("case,class,score,model\np,cat,1,A\np,dog,0,A\n"))
    assert one.scores.tolist() == [[1, 0]]
    message = r"predictions must be of one model \(read_models reads files of several models\)\. Got 2 in the column 'model'"
    refused(message, io.read_predictions, write("case,class,score,model\np,cat,1,A\np,cat,2,B\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("model,case,cat\nA,p,1\nB,p,2\nB,p,3\n", r"model 'B': case_ids must not repeat an id\. Got 'p' twice"),
        ("model,case,cat\nA,p,1\n,p,2\n", r"model must not be blank\. Got a blank cell, first at line 3\."),
        ("model,case,class,score\nA,p,x,1\nB,p,x,2\nB,p,x,2\n", r"model 'B': rows must not repeat a case and class\. Got 1 repeated"),
        ("model,case,class,score\nA,p,x,1\nA,q,y,1\n", r"model 'A': scores must be given for every case and class .* Got none for 2 of 4"),
        ("model,case\nA,p\n", r"file must have a column for each class next to the case and the model\. Got the columns model, case\."),
        ("model,system,case,cat\nA,B,p,1\n", r"model column must be given if several columns may be meant"),
        ("model,case,cat\nA,p,x\n", r"cell must be a number\. Got 'x', first at line 2, column 'cat'\."),
    ],
)
def test_bad_models(write, content, message):
    refused(r"file\.csv: " + message, io.read_models, write(content))


# --- the C core and the csv module agree ---
def cells_of(coded):
    return [[coded.values[code] for code in row] for row in coded.codes.tolist()]


def by_csv(data):
    """Rows as the csv module has them."""
    with mock.patch.object(Table, "_split", lambda *_: None):
        return Table(data).coded([0], [1, 2])


cells = st.text(st.sampled_from('ab ,"\n\rä€;'), max_size=5)
plain_cells = st.text(st.sampled_from("ab cäß"), max_size=4)


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(cells, plain_cells, cells), min_size=1, max_size=8),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.booleans(),
    last=st.booleans(),
    block=st.integers(1, 40),
)
@examples(300)
def test_split_as_the_csv_module(rows, quoting, end, mark, last, block):
    text = buffers.StringIO()
    lines = SimpleNamespace(write=lambda line: text.write(line[:-2] + end))  # Python quotes what its end of line holds
    csv.writer(lines, lineterminator="\r\n", quoting=quoting).writerows([("one", "two", "three"), *rows])
    data = (b"\xef\xbb\xbf" if mark else b"") + text.getvalue()[: None if last else -len(end)].encode()
    with mock.patch.object(csv_table, "SPLIT", block), mock.patch.object(source, "BLOCK", block):
        try:
            found = Table(data).coded([0], [1, 2])
        except ValueError as problem:
            with pytest.raises(ValueError) as other:
                by_csv(data)
            assert str(other.value) == str(problem)
            return
    expected = by_csv(data)
    assert [cells_of(ours) for ours in found] == [cells_of(theirs) for theirs in expected]
    assert ([*found[0].values], found[0].codes.tolist()) == (expected[0].values, expected[0].codes.tolist())
    held = [row for row in rows if any(map(str.strip, row))]  # rows without any cell are left out
    assert [found[0].values[c] for c in found[0].codes[:, 0]] == [row[0].strip() for row in held]


@pytest.mark.parametrize(
    "content",
    [
        b"a,b,c\n1,2,3\n",
        b'a,b,c\n1,"2""2",""""\n"""","",3',
        b"a,b,c\r\n\r\n1,2,3\r\n\n\n4,5,6",
        b'a,b,c\n1,"2\n2",3\n"4",5,"6"\n',
        b'a,b,c\n1,2"2,3\n',
        b"\xef\xbb\xbfa,b,c\nx,,\n,,x",
    ],
)
def test_the_core_reads_it(content):
    found = Table(content)._split([[0], [1, 2]])
    assert found is not None and [cells_of(ours) for ours in found] == [cells_of(theirs) for theirs in by_csv(content)]


@pytest.mark.parametrize("content", [b"a,b,c\n1,2,3\n4,5\n", b'a,b,c\n1,2,3\n1,2,"3\n', b'a,b,c\n1,2,3\n"1"1,2,3\n'])
def test_the_core_leaves_it_to_the_csv_module(content):
    assert Table(content)._split([[0], [1, 2]]) is None


def test_progress_ends_once(write, monkeypatch, capsys):
    monkeypatch.setattr("ugt._base.parallel.QUIET_SECONDS", 0.0)
    monkeypatch.setattr(csv_table, "SPLIT", 30)
    with progress_to_stderr():
        io.read_annotations(write(LONG))
    assert capsys.readouterr().err.count("100 %") == 1


def test_long_lines(write):
    cell = "x" * 100_000
    assert io.read_annotations(write(f"case,annotator,label\na,x,{cell}\n")).annotations.axes.classes.tolist() == [cell]
    message = (
        r"csv: row must have cells of at most 131072 characters \(is a quote left open before\?\)\. Got a longer one, first at line 3\."
    )
    refused(message, io.read_annotations, write(f"case,annotator,label\nb,x,y\na,x,{'y' * 140_000}\n"))
    refused(message, io.read_annotations, write('case,annotator,label\nb,x,y\na,x,"open\n' + "c,x,y\n" * 30_000))


def test_many_values_grow_the_table(write):
    """Every growth of the numbering, and rows that lie across blocks."""
    n = 70_000
    rows = [f"case {i // 2},r{i % 3},ä{i % 5000}" for i in range(n)]
    path = write("case,annotator,label\n" + "\n".join(rows) + "\n")
    with mock.patch.object(csv_table, "SPLIT", 10_007):
        case, label = Table(Source(path)).coded([0], [2])
    assert [*case.values] == [f"case {i}" for i in range(n // 2)] and case.codes[:, 0].tolist() == [i // 2 for i in range(n)]
    assert [*label.values] == [f"ä{i}" for i in range(5000)] and label.codes[:, 0].tolist() == [i % 5000 for i in range(n)]


@pytest.mark.parametrize(("row", "n"), [(f"{'p' * 25}{{1}},annotator {{2:20}},class {{3}}\n", 200_000), ("c{0:06},r{2},a\n", 400_000)])
def test_memory_is_a_few_times_the_codes(write, row, n):
    """Not the text: 200 000 rows of 60 bytes are 12 MB, their three codes and a count 4 MB. Nor strings: 400 000 of them are 26 MB."""
    path = write("case,annotator,label\n" + "".join(row.format(i, i // 50, i % 9, i % 7) for i in range(n)))
    tracemalloc.start()
    io.read_annotations(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


@pytest.mark.parametrize("block", [1, 7, 1 << 19])
@pytest.mark.parametrize("values", [["cat", "", "äö", "\U0001f600\u20ac", "d"], ["a"], [""], []])
def test_words_are_a_sequence_of_strings(values, block, monkeypatch):
    monkeypatch.setattr("ugt._tabular.words.BLOCK", block)
    found = Words("".join(values).encode(), np.cumsum([0, *(len(value.encode()) for value in values)]))
    assert [*found] == [found[i] for i in range(len(values))] == values and values[-1:] == [found[-1] for _ in values[-1:]]
    assert [found.index(value) for value in values] == [*range(len(values))] and all(value in found for value in values)
    assert "dog" not in found and "\udcff" not in found
    array = text_array(found)
    assert array.tolist() == values and array.dtype == np.array(values, np.str_).dtype
    with pytest.raises(IndexError):
        found[len(values)]


def test_the_reader_of_the_core_checks_its_use():
    group = np.array([0, -1], np.int32)
    for groups, n_groups, longest in ((group, 0, 9), (group[:0], 1, 9), (group + 1, 1, 9), (group, 1, 0)):
        refused(r"groups must be numbered from 0, and cells have a byte", _rows.RowReader, ord(","), groups, n_groups, longest)
    reader = _rows.RowReader(ord(","), group, 1, 9)
    refused(r"most must be at least 1", reader.read, b"a,b\n", False, 0)
    codes, consumed = reader.read(b"a,b\nc,d\ne,", False, 9)
    assert codes.tolist() == [[0], [1]] and consumed == 8
    assert reader.take_words(0)[0] == b"ace"  # the row that was not complete, too
    for again in (0, 1, -1):
        with pytest.raises(IndexError):
            reader.take_words(again)
    refused(r"the words were taken away", reader.read, b"a,b\n", False, 9)


# --- columns that are no annotators ---
WIDE = "Patient,r1,r2,site,age\np1,cat,cat,Ulm,30\np2,dog,cat,Ulm,41\np3,dog,dog,Bonn,52\np4,cat,cat,Bonn,63\n"
LEFT = r"columns must be annotators with the same classes \(leave out: ignore_columns=.*; or annotator_columns .*\)\. Got "


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (WIDE, {}, LEFT + r"'site', 'age' among 4 columns\."),
        (WIDE.replace("site", "where").replace("age", "years"), {}, LEFT + r"'where', 'years' among 4 columns\."),
        (WIDE.replace("Ulm", "cat").replace("Bonn", "dog"), {"ignore_columns": ["age"]}, LEFT + r"'site' among 3 columns\."),
        (
            "case,cat,dog,age\np,1,2,30\n",
            {"format": "counts"},
            r"columns must be classes \(leave out: ignore_columns=\['age'\]; .* Got 'age' among 3",
        ),
        ("case,a,b,sex\np,1,2,1\n", {"format": "ratings"}, r"columns must be annotators \(leave out: .* Got 'sex' among 3"),
        ("case,Hue_1,Hue_2,Rim_1,Rim_2\np,1,2,4,3\n", {}, r"columns must answer one question \(choose: annotator_columns=\['Hue_\*'\]"),
        (WIDE, {"annotator_columns": ["r3"]}, r"annotator_columns must be among the columns Patient, r1, .* Got 'r3'\."),
        (WIDE, {"ignore_columns": ["x*"]}, r"ignore_columns must be among the columns .* Got 'x\*'\."),
        (WIDE, {"ignore_columns": ["[!P]*"]}, r"table must have columns for annotators or classes next to the case\."),
        (
            WIDE,
            {"annotator_columns": ["r?"], "format": "long"},
            r"annotator_columns must be given for a table with one row per case .*'long'",
        ),
        (WIDE, {"mapping": {"ignore_columns": "age"}}, r"mapping: ignore_columns must be a list\. Got 'age'\."),
    ],
    ids=count(),
)  # fmt: skip
def test_columns_that_are_no_annotators(write, content, options, message):
    refused(message, io.read_annotations, write(content), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"annotator_columns": ["r1", "r2"]},
        {"annotator_columns": ["r?"]},
        {"ignore_columns": ["site", "age"]},
        {"mapping": {"annotator_columns": ["r?"]}},
        {"mapping": {"ignore_columns": ["age"]}, "ignore_columns": ["age", "site"]},
    ],
)
def test_columns_that_are_chosen(write, options):
    read = io.read_annotations(write(WIDE), **options)
    assert (read.annotations.annotators.tolist(), read.annotations.counts().sum(0).tolist()) == (["r1", "r2"], [5, 3])
    table = write("case,Hue_1,Hue_2,Rim_1,Rim_2\np,1,2,4,3\n")
    assert io.read_annotations(table, annotator_columns=["Hue*"]).annotations.axes.classes.tolist() == [1, 2]
    assert io.read_annotations(table, annotator_columns=["*"]).annotations.n_labels == 4
    assert io.read_annotations(write("case,label,r1,r2\np,x,cat,dog\n"), annotator_columns=["r*"]).format == "wide"


def test_columns_that_share_codes_and_do_not_agree_are_noted(write):
    grades = [(1, 1, 1), (2, 2, 3), (3, 3, 3), (4, 4, 4), (5, 5, 4), (1, 2, 1), (2, 2, 2), (3, 3, 3), (5, 5, 5), (4, 4, 3)]
    rows = [f"c{i},{a},{b},{c},{1 + i * 7 % 3}" for i, (a, b, c) in enumerate(grades)]
    content = "case,ann,bob,eve,lesions\n" + "\n".join(rows) + "\n"
    (said,) = [one for one in map(str, io.read_annotations(write(content), format="wide").notes) if "kappa" in one]
    assert said.startswith("Read 'lesions' as an annotator, though it agrees with the others by a kappa of ")
    assert said.endswith("(if it is not an annotator, name it in ignore_columns).")
    for more in ({"ignore_columns": ["lesions"]}, {"annotator_columns": ["*"]}):
        assert not [one for one in map(str, io.read_annotations(write(content), format="wide", **more).notes) if "kappa" in one]


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["0,1,2", "1", "2"], "'0,1,2'"), (["A;B", "A", "C"], "'A;B'"), (["A|C", "B", "C"], "'A|C'"), (["1;2", "a"], "'1;2'"),
        (["['A', 'B']", "A"], "\"['A', 'B']\""), (["[A] [B]", "A"], "'[A] [B]'"),
        (["nevus, blue", "wart"], None), (["1,5 mm", "a"], None), (["a;", "a"], None),
    ],
)  # fmt: skip
def test_labels_that_look_like_several(write, labels, shown):
    path = write("case\tannotator\tlabel\n" + "".join(f"p{i}\tx\t{label}\n" for i, label in enumerate(labels)))
    if shown:
        refused("ticks must be given for answers of several ticks .*Got " + re.escape(shown), io.read_annotations, path)
    notes = [one for one in map(str, io.read_annotations(path, ticks="each").notes) if "look like several" in one]
    way = "write one label per row; for one class per set of ticks, in any order: ticks='sets'"
    assert notes == ([f"Taken for one class each, though they look like several: {shown} ({way})."] if shown else [])


def test_names_are_merged_in_every_kind_of_file(write):
    for name, content in (
        ("a.csv", "case,annotator,label\np,x,Cat\nq,X,cat\nr,x,cat\n"),
        ("b.csv", "case,annotator,ranking\np,x,Cat\nq,x,cat\nr,x,cat\n"),
        ("c.csv", "case,annotator,label,rank\np,x,Cat,1\nq,x,cat,1\nr,x,cat,1\n"),
        ("d.csv", "case,ann,bob\np,Cat,cat\nq,cat,cat\n"),
        ("e.csv", "case,label,count\np,Cat,1\nq,cat,2\nr,cat,3\n"),
        ("f.csv", "case,count_Cat,count_cat\np,0,4\n"),
    ):
        read = io.read_annotations(write(content, name), merge_names=True)
        assert [str(one).lower() for one in read.annotations.axes.classes] == ["cat"], name
        assert any("oined classes whose names differ only by case" in one for one in map(str, read.notes)), name
        assert len(io.read_annotations(write(content, name)).annotations.axes.classes) == 2, name


# --- rows that are repeated ---
TWICE = {
    "a.csv": "case,annotator,label\np,x,cat\nq,x,cat\np,x,cat\np,y,dog\n",
    "b.csv": "case,annotator,label,count\np,x,cat,1\nq,x,cat,1\np,x,cat,1\np,y,dog,1\n",
    "c.csv": "case,annotator,value\np,x,1\nq,x,1.0\np,x,1\np,y,2\n",
    "d.jsonl": "".join(
        f'{{"_input_hash": "{case}", "accept": ["{label}"], "answer": "accept", "_annotator_id": "{who}"}}\n'
        for case, who, label in ("pxc", "qxc", "pxc", "pyd")
    ),
}


@pytest.mark.parametrize("name", TWICE)
def test_rows_that_are_repeated(write, name):
    path = write(TWICE[name], name)
    refused(r"rows must not repeat a case, annotator and .* Got 1 repeated, first at case 'p', annotator 'x'\.", io.read_annotations, path)
    for how, sizes, words in (("first", [2, 1], "counted once: 1, first"), ("count", [3, 1], "counted every time: 1, ")):
        read = io.read_annotations(path, duplicates=how)
        assert np.diff(read.annotations.offsets).tolist() == sizes
        assert [words in one for one in map(str, read.notes)] == [True]
    assert io.read_annotations(path, mapping={"duplicates": "count"}).annotations.offsets[-1] == 4
    refused(r"duplicates must be one of 'error', 'first', 'count'\. Got 'last'\.", io.read_annotations, path, duplicates="last")


def test_several_labels_by_one_annotator_are_noted(write):
    said = "An annotator gave several {}s to one case, and each counts: once at case 'p', annotator 'x'"
    changes = {"a.csv": ("x,cat\np,y", "x,cow\np,y"), "c.csv": ("x,1\np,y", "x,3\np,y"), "d.jsonl": ('["c"]', '["c", "d"]')}
    for name, what in (("a.csv", "label"), ("c.csv", "value"), ("d.jsonl", "label")):
        content = TWICE[name].replace(*changes[name])
        content = content if name != "d.jsonl" else content.splitlines()[0]
        (note,) = map(str, io.read_annotations(write(content, name), ticks="each").notes)
        assert note.startswith(said.format(what)) and ("ticks='sets'" in note) == (name == "d.jsonl")


# --- spreadsheets of countries where decimals have commas ---
LIMITS = [
    ("case;ann;bob;;\np;cat;dog;;\nq;cat;cat;;\n;;;;\n", {}, ["Left out: 1 rows without any cell."]),
    ('case,ann,bob,\r\n"","","",""\r\np,cat,dog,\r\n, ,"\n",\r\nq,cat,cat,\r\n', {}, ["Left out: 2 rows without any cell."]),
    ("case;annotator;label;;\np;ann;cat;;\n;;;;\np;bob;dog;;\nq;ann;cat;;\nq;bob;cat;;\n", {}, ["Left out: 1 rows without any cell."]),
]


@pytest.mark.parametrize(("content", "options", "notes"), LIMITS, ids=count())
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16", "utf-16-le", "latin-1"])
def test_blank_columns_and_rows(write, content, options, notes, encoding):
    path = write(content.replace("cat", "Läsion").encode(encoding))
    read = io.read_annotations(path, encoding=encoding)
    assert sorted(rows_of(read.annotations)) == [
        ("p", "ann", "Läsion"),
        ("p", "bob", "dog"),
        ("q", "ann", "Läsion"),
        ("q", "bob", "Läsion"),
    ]
    assert [one for one in map(str, read.notes) if "Left out" in one] == notes


@pytest.mark.parametrize("block", [1, 2, 5, 100])
@pytest.mark.parametrize(
    ("content", "n"),
    [(b"a,b\n1,2\n3, 4", 0), (b"a,b\r,\r1,2", 1), (b'a,b\n"","\n"\n', 1), (b'"a",b\n" 1",2\n', 0), (b",\n;", 2), (b'a\n"\n,\n"\n\t', 1)],
)
def test_rows_that_may_be_blank_are_found_in_any_blocks(content, n, block):
    blocks = [content[i : i + block] for i in range(0, len(content), block)]
    assert lines.n_blank_rows(blocks) == n and lines.may_be_blank(blocks) >= (n > 0)
    assert lines.may_be_blank(blocks) == lines.may_be_blank([content])


def test_blank_rows_keep_the_numbers_of_lines_and_quotes(write):
    assert rows_of(io.read_annotations(write('case,annotator,label\n,,\np,x,"a\n,,\nb"\n')).annotations) == [("p", "x", "a\n,,\nb")]
    refused(
        r"annotator must not be blank\. Got a blank cell, first at line 5\.",
        io.read_annotations,
        write('a,annotator,label\n,"\n",\n\np,,x\n'),
        columns={"case": "a"},
    )
    latin = write("case,a,b\np,ä,b\n".encode("latin-1"))
    refused(r"encoding must be the one of the file\. Got 'ascii' ", io.read_annotations, latin, encoding="ascii")
    for bad in ("utf-9", "hex", "a\0", 5):
        refused(r"encoding must be one that Python knows, such as utf-8.* Got ", io.read_annotations, write("case,a,b\n"), encoding=bad)


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        ("case;annotator;value\np;x;0,5\np;y;3\n", {}, [0.5, 3.0]),
        ("case;ann;bob\np;0,5;3\n", {"format": "ratings"}, [0.5, 3.0]),
        ("case\tann\tbob\np\t0,5\t3\n", {"format": "ratings", "decimal": ","}, [0.5, 3.0]),
        ('case,annotator,value\np,x,"0,5"\np,y,3\n', {"decimal": ","}, [0.5, 3.0]),
        ("case;annotator;value\np;x;0.5\np;y;3\n", {}, [0.5, 3.0]),
        ("case;ann;bob\np;0,5;3,5\n", {"format": "wide"}, ["0.5", "3.5"]),
        ("case;ann;bob\np;1,0;2\n", {"format": "wide"}, [1, 2]),
        ("case;ann;bob\np;1,2;1,2,3\n", {"ticks": "each"}, ["1,2", "1,2,3"]),  # lists, and no numbers
    ],
    ids=count(),
)
def test_decimal_commas_are_read(write, content, options, expected):
    read = io.read_annotations(write(content), **options)
    found = read.annotations.value if isinstance(read.annotations, Ratings) else read.annotations.axes.classes
    assert found.tolist() == expected
    comma = any(one.startswith("Read commas as decimal signs: ") for one in map(str, read.notes))
    assert comma == ("," in content.replace("case,annotator,value", "").replace("p,", "") and "1,2,3" not in content)


def test_decimal_signs_that_are_mixed(write):
    refused(
        r"value must have one decimal sign\. Got '0,5' and '1\.5', first at line 3\.",
        io.read_annotations,
        write("case;annotator;value\np;x;0,5\np;y;1.5\n"),
    )
    mixed = r"one decimal sign \(if points separate thousands: decimal=','\)\. Got '0,5' and '0\.5', first at line 2, column 'dog'\."
    refused(mixed, io.read_predictions, write("case;cat;dog\np;0,5;0.5\n"))
    assert io.read_predictions(write("case;cat;dog\np;0,25;0,75\nq;1;0\n")).scores.tolist() == [[0.25, 0.75], [1.0, 0.0]]
    refused(r"decimal must be one of 'auto', '\.', ','\. Got ';'", io.read_annotations, write("case,a,b\n"), decimal=";")


THOUSANDS = {
    "wide": ("case;R1;R2\np;1.200;1.250\nq;2.100.000;980,5\n", [1200.0, 1250.0, 2100000.0, 980.5]),
    "long": ("case\tannotator\tvalue\np\tx\t1.200\nq\tx\t-950\n", [1200.0, -950.0]),
}


@pytest.mark.parametrize("layout", THOUSANDS)
def test_points_beside_decimal_commas_separate_thousands(write, layout):
    content, expected = THOUSANDS[layout]
    read = io.read_annotations(write(content), decimal=",", scale="real")
    assert read.annotations.value.tolist() == expected
    assert "Read points as signs between thousands: '1.200' is 1200." in [*map(str, read.notes)]
    for bad in ("1.20", "0.500", "1200.500"):
        must = rf"commas, and points only between groups of three digits \(or leave out decimal=','\)\. Got '{bad}', first at line 2"
        refused(must, io.read_annotations, write(content.replace("1.200", bad)), decimal=",", scale="real")


def test_points_between_thousands_without_a_decimal_sign_that_is_stated(write):
    read = io.read_annotations(write("case;R1;R2\np;1.645,5;1.702,0\nq;2.300;310\n"), scale="real")  # one cell shows both signs
    assert read.annotations.value.tolist() == [1645.5, 1702.0, 2300.0, 310.0]
    must = r"one decimal sign \(if points separate thousands: decimal=','\)\. Got '310,5' and '2\.300', first at line 2"
    refused(must, io.read_annotations, write("case;R1;R2\np;2.300;310,5\n"), scale="real")
    message = r"cell must be a number\. Got '1\.645,5' \(signs between thousands, .* give decimal=','\), first at line 2, column 'R2'"
    refused(message, io.read_annotations, write('case,R1,R2\np,300,"1.645,5"\n'), scale="real")
    refused(r"label must be names or whole numbers\. Got '1\.645,5'", io.read_annotations, write('case,R1,R2\np,300,"1.645,5"\nq,1,300\n'))


def test_points_of_scores(write):
    path = write("case;a;b;c\np;1.200;950;800\nq;2.000;1.000;10\n")
    with pytest.warns(UserWarning, match=r"Read '1\.200' as 1\.2, a number below 1,000 \(if points separate thousands: decimal=','\)"):
        assert io.read_predictions(path).scores[0].tolist() == [1.2, 950, 800]
    with pytest.warns(UserWarning, match=r"Read points as signs between thousands: '1\.200' is 1200\."):
        assert io.read_predictions(path, decimal=",").scores.tolist() == [[1200, 950, 800], [2000, 1000, 10]]
    message = r"cell must have decimal commas, .* Got '0\.25', first at line 3, column 'b'"
    refused(message, io.read_predictions, write("case\ta\tb\np\t0,5\t0,5\nq\t0,75\t0.25\n"), decimal=",")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert io.read_predictions(write("case;a;b\np;0.250;1.750\n")).scores.tolist() == [[0.25, 1.75]]


def test_the_case_column_of_tables_beside_annotations(write):
    path = write("uid;patient\np;1\nq;2\n")
    assert io.read_clusters(path, case_column="uid") == {"p": "1", "q": "2"}
    assert subgroup_file(path, case_column="uid").values == {"patient": {"p": "1", "q": "2"}}
    assert io.read_clusters(write("case;patient\np;1\n"), case_column="uid") == {"p": "1"}


ASIDE = {
    "case;Läsion;b\np;0,25;0,75\nq;1;0\n": lambda path, **how: io.read_predictions(path, **how).classes.tolist() == ["Läsion", "b"],
    "model;case;Läsion;b\nm;p;0,25;0,75\n": lambda path, **how: io.read_models(path, **how)["m"].scores.tolist() == [[0.25, 0.75]],
    "case;patient\np;ä\n": lambda path, **how: io.read_clusters(path, **how) == {"p": "ä"},
    "case;Größe\np;ä\n": lambda path, **how: subgroup_file(path, **how).values == {"Größe": {"p": "ä"}},
    "Läsion\nb\n": lambda path, **how: io.read_names(path, **how) == ["Läsion", "b"],
    "case;ann;bob\np;ä;b\n": lambda path, **how: io.read_annotations(path, **how).annotations.axes.classes.tolist() == ["b", "ä"],
}


@pytest.mark.filterwarnings("ignore:Read commas")
@pytest.mark.parametrize("content", ASIDE)
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "mac-roman", "utf-8-sig"])
def test_the_encoding_of_every_file(write, content, encoding):
    as_meant = ASIDE[content]
    assert as_meant(write(content.encode(encoding)), encoding=encoding)
    if encoding != "utf-16":  # a file in UTF-8 beside others
        with heard() as said:
            read = as_meant(write(content), encoding=encoding)
        assert read and (
            encoding == "utf-8-sig" or "ann;bob" in content or f"Read file.csv as UTF-8, which is its encoding, not as {encoding}." in said
        )


def test_a_file_in_utf8_is_noted(write):
    path = write("case,ann,bob\np,ä,b\n")
    assert str(io.read_annotations(path, encoding="cp1252").notes[-1]) == "Read file.csv as UTF-8, which is its encoding, not as cp1252."
    refused(r"encoding must be the one of the file\. Got 'utf-16'", io.read_annotations, path, encoding="utf-16")


@pytest.mark.parametrize("content", ["case\tcat\tdog\np\t0,25\t0,75\n", 'case,cat,dog\np,"0,25","0,75"\n', "case;cat;dog\np;0,25;0,75\n"])
def test_decimal_commas_of_predictions(write, content):
    path = write(content)
    with heard() as said:
        assert io.read_predictions(path, decimal=",").scores.tolist() == [[0.25, 0.75]]
    assert said == ["Read commas as decimal signs: '0,25' is 0.25."]
    refused(r"cell must be a number\. Got '0,25' \(a decimal comma", io.read_predictions, path, decimal=".")
    refused(r"decimal must be one of 'auto'", io.read_models, path, decimal=";")


def test_the_case_column_of_predictions(write):
    for content in ("fold,uid,cat,dog\n1,p,0.2,0.8\n", "case,uid,label,score\n7,p,cat,0.2\n7,p,dog,0.8\n"):
        path = write(content)
        with heard():
            read = io.read_predictions(path, classes=["cat", "dog"], case_column="uid")
        assert (read.case_ids.tolist(), read.scores.tolist()) == (["p"], [[0.2, 0.8]])
    assert io.read_predictions(write("case,cat,dog\np,1,2\n"), case_column="uid").case_ids.tolist() == ["p"]


def test_one_declaration_for_all_files_of_a_command(write, command):
    for name, content in {
        "a.csv": "uid;annotator;label\nö1;x;Läsion\nö1;y;b\nö2;x;b\nö2;y;b\n",
        "m.csv": "fold;uid;Läsion;b\n1;ö1;0,5;0,5\n1;ö2;0,25;0,75\n",
        "c.csv": "uid;patient\nö1;ä\nö2;ö\n",
        "s.csv": "uid;Größe\nö1;ä\nö2;ö\n",
        "k.txt": "Läsion\nb\n",
    }.items():
        write(content.encode("cp1252" if name != "m.csv" else "utf-8"), name)
    words = "evaluate --annotations a.csv --predictions m.csv --clusters c.csv --subgroups s.csv --classes k.txt --groups g.txt --out r"
    write("gut\nbös\n".encode("cp1252"), "g.txt")
    said = command(*words.split(), "--encoding", "cp1252", "--case-column", "uid", "--n-boot", 9, "--positive-class", "b")
    assert "Read m.csv as UTF-8, which is its encoding, not as cp1252." in said and "'0,5' is 0.5." in said


# --- rankings ---
RANKED = "case\tannotator\tranking\n"


@pytest.mark.parametrize("sign", [";", ",", "|", ">"])
def test_what_separates_ranked_classes(write, sign):
    path = write(RANKED + f"p\tx\tA{sign} B{sign}C\nq\tx\tB{sign}A\n")
    read = io.read_annotations(path)
    assert (read.annotations.axes.classes.tolist(), read.annotations.items.tolist()) == (["A", "B", "C"], [0, 1, 2, 1, 0])
    assert tuple(map(str, read.notes)) == ((f"Read {sign!r} in rankings as 'better than'.",) if sign != ">" else ())
    read = io.read_annotations(write(RANKED + f"p\tx\tA{sign}B\n"), separator=sign)  # one text alone does not tell
    assert (read.annotations.axes.classes.tolist(), read.notes) == (["A", "B"], ())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (RANKED + "p\tx\tA\nq\tx\tnevus, blue\n", r"ranking must be classes joined .*separator=\)\. Got 'nevus, blue', first at case 'q'"),
        (RANKED + "p\tx\tA,B;C\nq\tx\tB,A\n", r"ranking must be classes joined .*separator.*Got 'A,B;C'"),
        ("case,annotator,label,rank\np,x,A,1\np,x,B,0\n", r"rank must be at least 1 \(.*missing=; .*\)\. Got 0, first at line 3\."),
        ("case,annotator,label,rank\np,x,A,-1\np,x,B,2\n", r"rank must be at least 1 .* Got -1, first at line 2\."),
    ],
    ids=count(),
)
def test_rankings_that_are_refused(write, content, message):
    refused(message, io.read_annotations, write(content))


def test_ranks_that_mean_none_and_commas_in_names(write):
    read = io.read_annotations(write("case,annotator,label,rank\np,x,A,1\np,x,B,-1\n"), missing=["-1"])
    assert read.annotations.items.tolist() == [0]
    assert io.read_annotations(write(RANKED + "p\tx\tnevus, blue > wart\n")).annotations.n_classes == 2
    assert io.read_annotations(write(RANKED + "p\tx\tnevus, blue\n"), separator=">").annotations.n_classes == 1
