"""Several files with the labels of one annotator each, and cases in several columns: workbooks, rows without headings, hints."""

import numpy as np
import pytest

import ugt
from ugt import cli, io

ANNA, BEN = [("case", "finding"), ("c0", "y"), ("c1", "n"), ("c2", "y")], [("case", "finding"), ("c0", "y"), ("c1", "n"), ("c2", "n")]
VIEWS = "patient_id,side,reader,label,view\nP1,L,R1,2,CC\nP1,L,R1,2,MLO\nP1,L,R2,3,CC\nP1,L,R2,3,MLO\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """``run(words, a=...)`` writes ``a.csv``, whose lines bars separate, and returns the exit code and all that is printed."""
    monkeypatch.chdir(tmp_path)

    def go(*words, **files):
        for name, lines in files.items():
            (tmp_path / f"{name}.csv").write_text(lines.replace("|", "\n"), encoding="utf-8")
        code = cli.main([*words])
        return code, "".join(capsys.readouterr())

    return go


@pytest.fixture
def books(tmp_path):
    """Two workbooks of one sheet each, one of both sheets, and the second as CSV."""
    openpyxl = pytest.importorskip("openpyxl")

    def book(name, **sheets):
        made = openpyxl.Workbook()
        made.remove(made.active)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title)
            for row in rows:
                sheet.append(row)
        made.save(tmp_path / name)

    book("anna.xlsx", S=ANNA)
    book("ben.xlsx", S=BEN)
    book("gap.xlsx", S=[*ANNA[:2], (None, "n")])
    book("book.xlsx", R1=ANNA, R2=BEN)
    (tmp_path / "ben.csv").write_text("".join(",".join(row) + "\n" for row in BEN), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "files, names",
    [
        (["anna.xlsx", "ben.xlsx"], ["anna", "ben"]),
        (["anna.xlsx", "ben.csv"], ["anna", "ben"]),
        (["book.xlsx#R1", "book.xlsx#R2"], ["R1", "R2"]),
        (["book.xlsx#R1", "ben.csv"], ["book", "ben"]),
    ],
)
def test_workbooks_of_one_annotator_each(run, books, files, names):
    read = io.read_annotations([str(books / file) for file in files])
    assert read.annotations.annotators.tolist() == names and read.annotations.n_labels == 6
    code, printed = run("agreement", *files)
    assert code == 0 and "percent agreement                0.667" in printed and names[0] in printed
    assert run("agreement", f"A={files[0]}", f"B={files[1]}")[0] == 0


def test_rows_of_workbooks_are_named_in_messages(run, books):
    for files in (["ben.csv", "gap.xlsx"], ["gap.xlsx", "ben.xlsx"]):
        code, printed = run("agreement", *files)
        assert code == 2 and "case must not be blank. Got a blank cell, first at gap.xlsx, row 3" in printed


def test_another_part_of_a_case_in_several_columns(run):
    for command in ("agreement", "check"):
        code, printed = run(command, "views.csv", "--case-column", "patient_id", "side", views=VIEWS)
        assert code == 2 and "if cases differ by 'view', --case-column patient_id side view; else" in printed
    assert "2 cases, 2 annotators" in run("agreement", "views.csv", "--case-column", "patient_id", "side", "view")[1]
    code, printed = run("agreement", "views.csv", "--case-column", "patient_id", "side", views=VIEWS.replace("P1,L,R2,3,MLO\n", ""))
    assert code == 2 and "rows must not repeat a case, annotator and label" in printed


def test_a_case_in_several_columns_of_a_wide_table(run):
    wide = "patient_id,side,visit,r1,r2|P1,L,1,x,y|P1,L,2,x,x|P2,L,1,y,y|P2,L,2,x,y"
    code, printed = run("agreement", "wide.csv", "--case-column", "patient_id", "side", wide=wide)
    assert code == 2 and "--case-column patient_id side visit" in printed
    assert run("agreement", "wide.csv", "--case-column", "patient_id", "side", "visit")[0] == 0


BARE = {"v1": "A00001,N|A00002,A|A00003,N|A00004,O|A00005,~|A00006,N", "v3": "A00001,O|A00002,A|A00003,N|A00004,O|A00005,N|A00006,N"}


@pytest.mark.parametrize(
    "one, two, shown",
    [
        (*BARE.values(), "'A00001', 'N'"),
        ("A1,x|A2,y|A3,x", "A9,x|A1,x|A2,y", "'A1', 'x'"),
        ("anna,x|ben,y|eve,x", "anna,x|ben,y|eve,x", "'x'"),
        ("anna,z|ben,y|eve,x", "ben,y|eve,x|anna,x", "'anna'"),
        ("a,1.5|b,2|c,2.5", "a,2|b,2.5|c,3", "'1.5'"),
    ],
)
def test_a_first_row_is_no_heading(run, one, two, shown):
    code, printed = run("agreement", "a.csv", "b.csv", a=one, b=two)
    must = "a.csv: header must name the columns (if the first line is a row: --no-header; if not, name the columns:"
    assert code == 2 and f"{must} --case-column NAME, --label-column NAME). Got names that look like cells: {shown}." in printed
    code, printed = run("agreement", "a.csv", "b.csv", "--no-header", "--ratings" if "." in one else "--withdrawn=keep")
    n = len({row.split(",")[0] for row in [*one.split("|"), *two.split("|")]})
    assert code == 0 and f"{n} cases, 2 annotators" in printed


def test_files_without_headings_have_all_their_cases(run):
    code, printed = run("agreement", "v1.csv", "v3.csv", "--no-header", **BARE)
    assert code == 0 and "percent agreement                0.667" in printed


def test_the_first_row_of_one_of_several_files(run):
    """It is refused, and an option that would make the heading of the other a row is not offered."""
    code, printed = run("agreement", "a.csv", "b.csv", a="case,finding|A1,x|A2,y", b="A1,x|A2,x")
    assert code == 2 and "b.csv: header" in printed and "write names of columns above it" in printed and "--no-header" not in printed
    assert run("agreement", "a.csv", "b.csv", b="case,finding|A1,x|A2,x")[0] == 0


@pytest.mark.parametrize(
    "heading", ["case,present", "img,finding", "Patient-ID,x", "key,befund", ",0", "id,1", "key,label", "key,diagnosis"]
)
def test_headings_remain_headings(run, heading):
    rows = "|A1,present|A2,x|A3,x"
    code, printed = run("agreement", "a.csv", "b.csv", a=heading + rows, b=heading + rows)
    assert code == 0 and "3 cases, 2 annotators" in printed


def test_named_columns_are_not_doubted(run):
    files = {name: "key,ill|A1,ill|A2,well|A3,ill" for name in "ab"}
    assert run("agreement", "a.csv", "b.csv", **files)[0] == 2
    for words in (["--label-column", "ill"], ["--case-column", "key"]):
        code, printed = run("agreement", "a.csv", "b.csv", *words)
        assert code == 0 and "3 cases, 2 annotators" in printed


CROSS = "reader1/reader2,CNV,DME,NORMAL|CNV,2,1,0|DME,0,0,1|NORMAL,0,0,4"
CROSSES = [
    CROSS,
    CROSS.replace("reader1/reader2", ""),
    CROSS + "|Total,2,1,5",
    "r,yes,no,Total|no,1,40,41|yes,30,,30|Total,31,40,71",
    "x,0,1|0,40,2|1,3,30",
]


@pytest.mark.parametrize("lines", [*CROSSES, "x,edema,effusion|edema,40,2|effusion,3,30"])
def test_a_cross_table_of_two_annotators(run, lines):
    for words in ([], ["--format", "counts"], ["--format", "wide"], ["--ratings"]):
        for command in ("agreement", "check"):
            code, printed = run(command, "cross.csv", *words, cross=lines)
            assert code == 2 and "table must have one row per case (write a row for each case" in printed, printed
            assert "rows and columns of the same names" in printed and "a cross table of two annotators" in printed


@pytest.mark.parametrize(
    "lines, words",
    [
        ("case,CNV,DME|p,2,1|q,0,3", ["--format", "counts"]),
        ("case,CNV,DME|CNV,2,1|q,0,3", ["--format", "counts"]),
        ("case,ann,ben|ann,x,y|ben,y,y", []),
        (CROSSES[-1], ["--annotator-columns", "0", "1"]),
    ],
)
def test_other_tables_are_no_cross_tables(run, lines, words):
    assert run("agreement", "table.csv", *words, table=lines)[0] == 0


def test_the_pairs_of_a_cross_table_repeated():
    """The way that the message offers: raw agreement is 6 of 8, the share of the diagonal."""
    names, numbers = ["CNV", "DME", "NORMAL"], [[2, 1, 0], [0, 0, 1], [0, 0, 4]]
    pairs = np.repeat([(one, other) for one in names for other in names], np.ravel(numbers), axis=0)
    assert ugt.agreement.percent_agreement(ugt.Labels.from_wide(pairs)).value == 6 / 8


READERS = {"m1": "case,finding|c0,1|c1,0|c2,1", "m2": "case,finding|c0,1|c1,0|c2,0"}


@pytest.mark.parametrize("words", [[], ["--format", "wide"]])
@pytest.mark.parametrize("files", [READERS, {name: lines.replace(",0", ",n").replace(",1", ",y") for name, lines in READERS.items()}])
def test_check_prints_a_command_that_is_then_followed(run, files, words):
    code, printed = run("check", "m1.csv", "m2.csv", *words, **files)
    command = " ".join(["agreement", "m1.csv", "m2.csv", *words])
    assert code == 0 and f"\n      ugt {command}\n" in printed and "annotators   1" in printed and "--format must" not in printed
    code, printed = run(*command.split())
    assert code == 0 and "3 cases, 2 annotators" in printed and "percent agreement                0.667" in printed


def test_check_prints_no_command_that_is_refused(run):
    files = {"m1": "key,ill|A1,ill|A2,well", "m2": "key,ill|A1,ill|A2,ill"}
    assert "ugt agreement m1.csv m2.csv" not in run("check", "annotations=m1.csv", "annotations=m2.csv", **files)[1]
    assert run("agreement", "m1.csv", "m2.csv")[0] == 2
    code, printed = run("check", "m1.csv", "m2.csv", m1=READERS["m1"], m2="case,other|c0,4|c1,3|c2,9")
    assert code == 2 and "ugt agreement" not in printed and "m2.csv: --format must be" in printed


@pytest.mark.parametrize("format", ["counts", "transposed", "rankings"])
def test_formats_of_files_of_one_annotator_each(run, format):
    code, printed = run("agreement", "m1.csv", "m2.csv", "--format", format, **READERS)
    assert code == 2 and "--format must be one of auto, long, wide, ratings for files of one annotator each" in printed
