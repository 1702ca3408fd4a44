"""Tables read by other packages: Parquet files, sheets of Excel workbooks, files of Stata and SPSS."""

from __future__ import annotations

import importlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from .._base.checks import error, option, room
from .case_columns import with_case
from .csv_table import CellTable, Table
from .frames import Columns, text_of
from .roles import DECIMALS
from .source import Source
from .surveys import survey_of

CELLS = 20  # least number of bytes in memory for each byte of the text of a workbook
ERRORS = ("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")
JSON = (".json", ".jsonl", ".ndjson")
RJAFROC = {"TRUTH", "FP", "TP"}  # sheets of a workbook of RJafroc, a study of locations or of ratings
ENDINGS = (".parquet", ".xlsx", ".xlsm", ".dta", ".sav")


def table_of(source: Source, case_column: str | Sequence[str] | None = None, decimal: str = "auto", header: bool = True) -> CellTable:
    """Return a file of any supported kind as a table with named columns; ``case_column``: that of the case, or several."""
    option("decimal", decimal, DECIMALS)
    table = _table_of(source, header)
    named = [case_column] if isinstance(case_column, str) else list(case_column or ())
    columns: Mapping[str, str | None] = {}
    if named and all(name and name in table.header for name in named):
        table, columns = with_case(table, {"case": named})
    table.case, table.decimal = columns, decimal
    return table


def _table_of(source: Source, header: bool) -> CellTable:
    if source.ending in JSON:
        way = f"pandas.read_json(file{', lines=True' if source.ending != '.json' else ''}).to_csv(other, index=False)"
        must = f"be a table, such as CSV or Excel, or NPY or NPZ for predictions (records with one field per column: {way})"
        raise error("file", must, "JSON")
    if source.ending not in ENDINGS:
        table = Table(source, header)
        return (survey_of(table.header, table.rows()) if header else None) or table
    if not header:
        raise error("header", "be left out for files that are not text", repr(source.ending))
    data = source.read()
    if source.ending == ".parquet":
        return _parquet(data)
    return _sheet(data, source.sheet) if source.ending in (".xlsx", ".xlsm") else _statistics(data, source)


def package(name: str, what: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise error(what, f"be read with {name.partition('.')[0]} (pip install {extra})", "no such package") from None


def _parquet(data: bytes) -> Columns:
    parquet = package("pyarrow.parquet", "Parquet files", "'ugt[parquet]'")
    try:
        table = parquet.read_table(io.BytesIO(data))
    except (ValueError, OSError) as problem:  # errors of pyarrow are one of these
        raise error("file", "be a Parquet file (is it cut off?)", " ".join(str(problem).split())) from None
    return Columns.of(table.drop([name for name in table.column_names if name.startswith("__index_level_")]))


def _statistics(data: bytes, source: Source) -> Columns:
    """Return a file of Stata or SPSS as columns, with the labels of values instead of the values."""
    pandas = package("pandas", "files of Stata and SPSS", "pandas")
    try:
        frame = (
            pandas.read_stata(io.BytesIO(data), order_categoricals=False) if source.ending == ".dta" else pandas.read_spss(str(source.path))
        )
    except ImportError:
        raise error("files of SPSS", "be read with pyreadstat (pip install pyreadstat)", "no such package") from None
    except Exception as problem:  # a damaged file raises struct.error, OSError or the package's own errors
        must = "be a file of Stata or SPSS, as its name says (is it cut off?)"
        raise error("file", must, " ".join(str(problem).split()) or type(problem).__name__) from None
    return Columns.of(frame, with_index=False)


def _sheet(data: bytes, name: str | None) -> Columns:
    """Return the named sheet of a workbook, or the only one that is not empty; its first row that is not blank is the header."""
    openpyxl = package("openpyxl", "Excel workbooks", "'ugt[excel]'")

    def opened(values: bool) -> Any:
        try:
            return openpyxl.load_workbook(io.BytesIO(data), data_only=values)
        except KeyError:  # a part beside the cells is missing, such as a drawing
            return openpyxl.load_workbook(io.BytesIO(data), data_only=values, read_only=True)

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            room("the workbook", CELLS * float(sum(one.file_size for one in archive.infolist())))
        book = opened(True)
    except MemoryError:
        raise
    except Exception as problem:  # for damaged or encrypted files, zipfile, XML parsers and openpyxl raise a dozen kinds of errors
        must = "be an Excel workbook, as its name says (is it cut off, or has it a password?)"
        raise error("file", must, " ".join(str(problem).split()) or type(problem).__name__) from None
    sheets = {one.title: one for one in book.worksheets if name is not None or any(map(_filled, one.iter_rows(values_only=True)))}
    if name is None and sheets.keys() >= RJAFROC:
        must = "have one row per rating, with columns for reader, case, test, rating and truth (the layout of RJafroc is not read)"
        raise error("workbook", must, f"the sheets {', '.join(map(repr, sheets))}")
    if name is None and len(sheets) != 1:
        got = f"the sheets {', '.join(map(repr, sheets))}" if sheets else "nothing in it"
        raise error("workbook", "have one sheet, or be given with the name of its sheet, such as 'book.xlsx#Sheet1'", got)
    if name is not None and name not in sheets:
        raise error("sheet", f"be one of {', '.join(map(repr, sheets))}", repr(name))
    sheet = sheets[next(iter(sheets)) if name is None else name]
    merged = getattr(getattr(sheet, "merged_cells", None), "ranges", ())  # a workbook with a missing part does not know them
    if merged:
        raise error("sheet", "have no merged cells (only the first of them holds the value)", str(next(iter(merged))))
    rows = [(number, row) for number, row in enumerate(sheet.iter_rows(values_only=True), 1) if _filled(row)]
    if any(None in row for _, row in rows):
        _check_computed(opened(False)[sheet.title], sheet)
    return _below_header(rows)


def _filled(row: tuple[Any, ...]) -> bool:
    return any(cell is not None and str(cell).strip() for cell in row)


def _check_computed(written: Any, values: Any) -> None:
    """Reject a sheet with formulas without values, which some programs that write workbooks leave out."""
    for row in written.iter_rows():
        for cell in row:
            if cell.data_type == "f" and values[cell.coordinate].value is None:
                must = "hold the values of its formulas (open the workbook in a spreadsheet program and save it)"
                raise error("sheet", must, f"{cell.value!r} without one", f"cell {cell.coordinate}")


def _below_header(rows: list[tuple[int, tuple[Any, ...]]]) -> Columns:
    if len(rows) < 2:
        raise error("sheet", "have a header and rows below it", f"{len(rows)} rows")
    columns = list(zip(*(row for _, row in rows)))
    columns = [column for column in columns if _filled(column)]
    places = [f"row {number}" for number, _ in rows[1:]]
    for column in columns:
        for cell, place in zip(column[1:], places):
            if cell in ERRORS:
                raise error("cell", "hold a value", repr(cell), f"{place}, column {column[0]!r}")
    names = ["" if column[0] is None else str(column[0]).strip() for column in columns]
    survey = survey_of(names, zip(places, ([text_of(cell) for cell in row] for row in zip(*(column[1:] for column in columns)))))
    return survey or Columns(names, [[None if cell == "#N/A" else cell for cell in column[1:]] for column in columns], places)
