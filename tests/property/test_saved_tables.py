"""Annotations that other programs save are read as they were, or refused: pandas, polars, csv, openpyxl, and R's write.csv2."""

import csv
import io as buffers

import pytest
from effort import examples
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from twins.files import rows_of

from ugt import io

pytestmark = pytest.mark.filterwarnings("ignore")
QUIET = examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture])
WHO = ("ann", "bob", "eve")
KINDS = ("int", "float", "string", "category")
NAMES = st.sampled_from(["cat", "Dog", "ä ö", "nevus, blue", 'so "called"', "a;b", "=1+1", "'x", "007", "x\ny", "1.5 mm", "-"])


@st.composite
def tables(draw):
    """What each annotator said of each case, None for nothing; all of whole numbers or all of names."""
    cells = st.integers(0, 4) if draw(st.booleans()) else NAMES
    n = draw(st.integers(len(WHO), 6))
    rows = [[draw(st.one_of(st.none(), cells)) for _ in WHO] for _ in range(n)]
    assume(len({cell for row in rows for cell in row} - {None}) > 1)
    return rows


def said(rows):
    """(case, annotator, label) of every label, in any order; cases without any stay."""
    return sorted((f"c{i}", who, str(cell)) for i, row in enumerate(rows) for who, cell in zip(WHO, row) if cell is not None)


def records(rows, wide):
    """The header and the rows of a wide or a long table."""
    if wide:
        return ["case", *WHO], [[f"c{i}", *row] for i, row in enumerate(rows)]
    return ["case", "annotator", "label"], [[f"c{i}", who, cell] for i, row in enumerate(rows) for who, cell in zip(WHO, row)]


def is_read_as_it_was(rows, wide, path, **options):
    """Every label, where it was; or a message that says what would have to be told."""
    try:
        read = io.read_annotations(path, format="wide" if wide else "auto", **options)
    except ValueError as problem:
        assert " must " in str(problem) and "Got " in str(problem)
        assert wide and ("with the same classes" in str(problem) or "must be named" in str(problem)), problem
        return
    assert sorted((str(case), str(who), str(label)) for case, who, label in rows_of(read.annotations)) == said(rows)
    assert read.annotations.axes.case_ids.tolist() == [f"c{i}" for i in range(len(rows))]


def frame_of(rows, wide, kind):
    """A pandas frame whose columns of labels are of a kind: whole numbers with gaps become floats."""
    pandas = pytest.importorskip("pandas")
    header, body = records(rows, wide)
    frame = pandas.DataFrame(body, columns=header)
    numbers = all(isinstance(cell, int) for row in rows for cell in row if cell is not None)
    for name in WHO if wide else ["label"]:
        if kind in ("int", "float") and numbers:
            frame[name] = frame[name].astype("float" if kind == "float" else "Int64")
        elif kind != "float":
            frame[name] = frame[name].astype(kind if kind in ("string", "category") else object)
    return frame


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wide", [True, False])
@given(tables(), st.booleans(), st.sampled_from([",", ";", "\t"]))
@QUIET
def test_pandas(tmp_path, kind, wide, rows, index, sign):
    frame = frame_of(rows, wide, kind)
    is_read_as_it_was(rows, wide, frame)
    frame.to_csv(tmp_path / "a.csv", index=index and not wide, sep=sign)
    is_read_as_it_was(rows, wide, tmp_path / "a.csv")


@pytest.mark.parametrize("wide", [True, False])
@given(tables(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]), st.sampled_from([",", ";", "\t"]))
@QUIET
def test_csv(write, wide, rows, quoting, sign):
    text, (header, body) = buffers.StringIO(), records(rows, wide)
    csv.writer(text, delimiter=sign, quoting=quoting).writerows([header, *body])
    is_read_as_it_was(rows, wide, write(text.getvalue()))


@pytest.mark.parametrize("wide", [True, False])
@given(tables(), st.booleans())
@QUIET
def test_write_csv2_of_r(write, wide, rows, names):
    """Semicolons, quotes around text, NA, numbers with decimal commas, and a column of row names without a header."""
    header, body = records(rows, wide)
    quoted = [
        ["NA" if cell is None else str(cell) if isinstance(cell, int) else '"' + cell.replace('"', '""') + '"' for cell in row]
        for row in body
    ]
    lines = [[f'"{i}"', *row] if names else row for i, row in enumerate(quoted, 1)]
    first = [f'"{name}"' for name in (["", *header] if names else header)]
    path = write("\n".join(";".join(line) for line in [first, *lines]) + "\n")
    is_read_as_it_was(rows, wide, path, **({"columns": {"case": "case"}, "annotator_columns": WHO} if names and wide else {}))


@pytest.mark.parametrize("wide", [True, False])
@given(tables())
@QUIET
def test_openpyxl(tmp_path, wide, rows):
    openpyxl = pytest.importorskip("openpyxl")
    header, body = records(rows, wide)
    book = openpyxl.Workbook()
    for row in (header, *body):
        book.active.append(row)
        for cell in book.active[book.active.max_row] if any(cell is not None for cell in row) else ():
            cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type  # text, and no formula
    book.save(tmp_path / "a.xlsx")
    is_read_as_it_was(rows, wide, tmp_path / "a.xlsx")


@pytest.mark.parametrize("wide", [True, False])
@given(tables())
@QUIET
def test_polars(tmp_path, wide, rows):
    polars = pytest.importorskip("polars")
    header, body = records(rows, wide)
    frame = polars.DataFrame({name: list(column) for name, column in zip(header, zip(*body))}, strict=False)
    is_read_as_it_was(rows, wide, frame)
    frame.write_csv(tmp_path / "a.csv")
    is_read_as_it_was(rows, wide, tmp_path / "a.csv")
