"""Several files with the labels of one annotator each, and cases in several columns: workbooks, rows without headings, hints."""

import pytest

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
