"""Workbooks of Excel and files of Stata, where the packages that read them are installed."""

import io as buffers

import pytest
from refusals import refused
from twins.files import rows_of

from ugt import cli, io

ROWS = [["case", "annotator", "label"], ["001", 1, "cat"], ["001", 2, "dog"], ["002", 1, None], ["002", 2, "#N/A"]]


@pytest.fixture
def book(tmp_path):
    """Writes a workbook of sheets, each a list of rows."""
    openpyxl = pytest.importorskip("openpyxl")

    def book(change=None, **sheets):
        made = openpyxl.Workbook()
        made.remove(made.active)
        for name, rows in sheets.items():
            sheet = made.create_sheet(name)
            for row in rows:
                sheet.append(row)
        if change is not None:
            change(made)
        made.save(tmp_path / "b.xlsx")
        return tmp_path / "b.xlsx"

    return book


def test_a_workbook_is_read_like_a_table(book):
    path = book(Notes=[], Readings=[[], *ROWS[:3], [None, " ", ""], *ROWS[3:]])
    read = io.read_annotations(path)
    assert rows_of(read.annotations) == [("001", 1, "cat"), ("001", 2, "dog")]
    assert read.annotations.axes.case_ids.tolist() == ["001", "002"] and read.missing == {"": 2}
    model = io.read_predictions(book(Scores=[["case", "cat", "dog"], ["001", 0.25, 1], [2, 0.5, 0]]), classes=["dog", "cat"])
    assert model.case_ids.tolist() == ["001", "2"] and model.scores.tolist() == [[1, 0.25], [0, 0.5]]
    assert io.read_clusters(book(A=[["case", "patient"], [1, "x"], [2.0, "x"]])) == {"1": "x", "2": "x"}


def test_the_sheet_is_named(book, tmp_path, capsys):
    path = book(A=ROWS, B=[*ROWS[:2], [7, 3, "cow"]])
    assert len(rows_of(io.read_annotations(f"{path}#B").annotations)) == 2
    assert io.fingerprint(f"{path}#B") == io.fingerprint(path)
    assert cli.main(["agreement", f"{path}#A"]) == 0
    must = r"b\.xlsx: workbook must have one sheet, or be given with the name of its sheet, such as 'book\.xlsx#Sheet1'\. "
    refused(must + "Got the sheets 'A', 'B'", io.read_annotations, path)
    refused(r"b\.xlsx#C: sheet must be one of 'A', 'B'\. Got 'C'", io.read_annotations, f"{path}#C")


def merged(made):
    made.active.merge_cells("A2:A3")


def formula(made):
    made.active["C4"] = "=C3"


@pytest.mark.parametrize(
    ("rows", "change", "message"),
    [
        (ROWS, merged, r"sheet must have no merged cells .* Got A2:A3"),
        (ROWS, formula, r"sheet must hold the values of its formulas \(open .* Got '=C3' without one, first at cell C4"),
        ([*ROWS, ["003", 1, "#REF!"]], None, r"cell must hold a value\. Got '#REF!', first at row 6, column 'label'"),
        (ROWS[:1], None, r"sheet must have a header and rows below it\. Got 1 rows"),
        ([], None, r"workbook must have one sheet, .* Got nothing in it"),
        ([["case", "label", "label"], [1, 2, 3]], None, r"columns must have different names .* Got 'label' twice"),
    ],
)
def test_workbooks_that_are_refused(book, rows, change, message):
    refused(r"b\.xlsx: " + message, io.read_annotations, book(change, A=rows))


def test_damaged_workbooks(book):
    path = book(A=ROWS)
    path.write_bytes(path.read_bytes()[:-30])
    refused(r"b\.xlsx: file must be an Excel workbook, as its name says \(is it cut off", io.read_annotations, path)


def test_packages_that_are_not_there(tmp_path, monkeypatch):
    for ending, package, extra in ((".xlsx", "openpyxl", r"'ugt\[excel\]'"), (".dta", "pandas", "pandas"), (".sav", "pandas", "pandas")):
        monkeypatch.setitem(__import__("sys").modules, package, None)
        (tmp_path / f"a{ending}").write_bytes(b"PK")
        refused(
            rf"a{ending}: .* must be read with {package} \(pip install {extra}\)\. Got no such package",
            io.read_annotations,
            tmp_path / f"a{ending}",
        )


def test_stata(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"item": [1, 1, 2], "reader": ["x", "y", "x"], "grade": [1.0, 2.0, float("nan")]})
    file = buffers.BytesIO()
    frame.to_stata(file, write_index=False)
    (tmp_path / "a.dta").write_bytes(file.getvalue())
    read = io.read_annotations(tmp_path / "a.dta")
    assert rows_of(read.annotations) == [(1, "x", 1), (1, "y", 2)] and read.missing == {"": 1}
    frame["grade"] = pandas.Categorical(["mild", "severe", "mild"], ["mild", "severe"])
    frame.to_stata(tmp_path / "a.dta", write_index=False)
    assert [label for *_, label in rows_of(io.read_annotations(tmp_path / "a.dta").annotations)] == ["mild", "severe", "mild"]
    (tmp_path / "a.dta").write_bytes(file.getvalue()[:-20])
    refused(r"a\.dta: file must be a file of Stata or SPSS, as its name says", io.read_annotations, tmp_path / "a.dta")
