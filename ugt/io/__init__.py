"""Reading and writing files: annotations, predictions, names, clusters, and a folder that is written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._base.checks import error, option
from .._base.identifiers import is_frame
from .._base.notices import heard
from .._tabular.foreign import JSON, table_of
from .._tabular.frames import Columns
from .._tabular.roles import DECIMALS, as_names
from .._tabular.source import Source, check_text, fingerprint, naming
from .._tabular.whole_file import output_folder
from ..annotations import Labels, Ratings
from ..annotations.predictions import Predictions
from . import exports
from .annotation_file import FORMATS, MISSING, AnnotationFile, Reading
from .annotations import read_frame, read_table
from .argilla import table_of_records
from .arrays import read_arrays
from .beside import cluster_file, prediction_file
from .judge_logs import JudgeLog, read_judge_log
from .mapping import checked, json_lines, mapped_table, parse_json, read_mapping
from .odd_rows import note_constant
from .repeats import DUPLICATES
from .scales import on_scale, with_scale
from .several_files import by_annotator, table_of_files
from .ticks import TICKS
from .withdrawn import WITHDRAWN
from .writers import write_annotations, write_predictions

__all__ = ["FORMATS", "MISSING", "AnnotationFile", "JudgeLog", "fingerprint", "output_folder", "read_annotations", "read_clusters"]
__all__ += ["read_judge_log", "read_models", "read_names", "read_predictions", "write_annotations", "write_predictions"]


def read_annotations(
    path: Any,
    *,
    format: str = "auto",
    columns: Mapping[str, str | Sequence[str] | None] | None = None,
    classes: int | Sequence[Any] | None = None,
    missing: Sequence[str] = MISSING,
    mapping: Any = None,
    merge_names: bool = False,
    annotator_columns: Sequence[str] = (),
    ignore_columns: Sequence[str] | Mapping[str, Sequence[str]] = (),
    duplicates: str = "error",
    decimal: str = "auto",
    encoding: str = "utf-8",
    separator: str | None = None,
    ordered: bool | Sequence[Any] | None = None,
    scale: Any = None,
    offered: str | None = None,
    header: bool = True,
    withdrawn: str = "drop",
    ticks: str = "ask",
) -> AnnotationFile:
    r"""Read annotations from a file (CSV, Excel, NPY, NPZ, JSON, JSONL, Parquet, Stata, SPSS, PrefLib) or a data frame.

    Parameters
    ----------
    path : path, data frame, or several paths
        Several paths: files of one annotator each, with a column for the case and one for the label or value; the annotators are named
        after the files, by the keys of a mapping, or by a column of the file.
        ``.json``: nested rankings (cases → annotators → blocks, best first → tied classes), or an object with the keys ``rankings`` and
        optionally ``case_ids``, ``classes`` and ``annotators``; an export of Label Studio, JSON or JSON-MIN (choices, rating, ranker); or
        a mapping with the key ``path``. ``.jsonl``: Prodigy. Both: Argilla. ``.soc``, ``.soi``, ``.toc``, ``.toi``: PrefLib, one case.
        ``.npy``: a table of integers, of text, or of whole numbers with NaN where a label is missing. ``.npz``: ``counts`` or ``table``,
        optionally ``case_ids`` and ``classes``; or a file of :func:`write_annotations`. ``.parquet``, ``.xlsx``, ``.dta``, ``.sav``: a
        table; one of several sheets of a workbook is ``book.xlsx#Sheet1``. Any other file is read as CSV in UTF-8 with a header,
        separated by commas, semicolons or tabs. Every file may be compressed by gzip. A frame of pandas, polars or pyarrow is read like
        a CSV file, its nulls as missing. An apostrophe that keeps a spreadsheet from running a cell of a CSV file as a formula
        (``'=1``) is not part of the cell.
    format : {"auto", "long", "wide", "transposed", "counts", "rankings", "ratings"}
        long: one row per annotation (case, annotator, label [, rank | confidence | count], or case, annotator, ranking such as
        ``"A > B = C"``, or case, annotator, value); wide: one row per case, one column per annotator; transposed: one row per annotator,
        one column per case; counts: one row per case, one column per class; ratings: wide or long, labels are numbers on a scale.
        ``"auto"`` rejects integer tables that may be wide or counts, and tables that may be wide or transposed.
    columns : mapping of str to str, optional
        The column for each of the roles case, annotator, label, rank, confidence, count, ranking, value, if it has no usual name.
        None or ``""``: there is no column for this role. The case may have several columns, which identify it together. Of several
        files, a role may have a mapping of the name of the annotator to the column.
    classes : int or sequence, optional
        The number of classes (then named 0..K-1) or their names, so that unused classes are kept.
    missing : sequence of str
        Cells that mean "no annotation".
    mapping : path or mapping, optional
        For any other file: a JSON file or an object with some of the arguments of this function as keys,
        and for JSON and JSONL ``records`` (the path of the list of records, such as ``"data.items"``) and ``fields`` (the path of each
        role in a record, such as ``{"case": "meta.id", "label": "answers[].value"}``; ``[]``: every element of a list, ``[#]``: its
        position, from 1). Arguments that are given directly take precedence.
    merge_names : bool
        Whether classes, and annotators, whose names differ only by case, blanks, Unicode form or leading zeros are joined. Names that
        are equal as numbers (1 and 1.0) are always joined.
    annotator_columns, ignore_columns : sequence of str
        For a table with one row per case: the columns that are annotators, or those that are not (such as the age), by name or pattern
        (``"reader *"``). Of several files, the latter may be a mapping of the name of the annotator to these columns.
        With ``format="counts"``, the former are the classes. Without ``annotator_columns``, a column whose name or
        cells show that it is not an annotator is rejected; columns that are named are taken as they are.
    duplicates : {"error", "first", "count"}
        What to do with rows that repeat a case, annotator and label: reject them, count them once, or count each; the latter two with a
        note. There is also a note if an annotator gave different labels to one case.
    decimal : {"auto", ".", ","}
        The decimal sign of numbers in tables. ``"auto"``: a comma, with a note, if semicolons separate columns and all cells are
        numbers, some with a comma; else a point. Beside decimal commas, points between groups of three digits separate thousands, and
        other points are rejected.
    encoding : str
        The encoding of a text file that is not in UTF-8, such as ``"cp1252"`` or ``"utf-16"``. A file in UTF-8 is read as such, with a
        note, because one command has one encoding for all its text files.
    separator : str, optional
        The text that means "better than" in a column of rankings, as for :meth:`.Rankings.from_strings`.
    ordered : True or sequence, optional
        That labels are the grades of a scale, as for :meth:`.Labels.from_long`: all grades, lowest first; True if their names are numbers.
    scale : "real" or sequence of numbers, optional
        That annotations are ratings: real numbers, or the grades of a scale, as for :meth:`.Ratings.from_long`. Labels are read as numbers.
    offered : "all", optional
        That annotators who ranked two classes chose from all, as for :meth:`.Rankings.from_long`.
    header : bool
        Whether the first line of a text file names its columns. If not, the columns are called 1, 2, 3 and so on.
    withdrawn : {"drop", "keep"}
        What to do with rows that a column on the status of work (such as ``AssignmentStatus``, ``_tainted``, ``status``) calls rejected,
        discarded, tainted, cancelled or a test of the annotator, and annotations of Label Studio that are marked as ground truth: leave
        them out and count them, or read them like the others.
    ticks : {"ask", "each", "sets"}
        What to do with answers of several ticks. ``"ask"``: reject them. ``"each"``: in exports, each tick is a label, with a note; in
        tables, a cell is one class, as it is written. ``"sets"``: the ticks of an answer together are one class, in any order.

    Returns
    -------
    AnnotationFile
        The annotations, the cells that were read as missing, and notes. Cases without annotations are kept.

    Raises
    ------
    ValueError
        If the file is empty, binary, cut off, ambiguous or inconsistent; the message names the file and the line or case.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("item,rater,grade\nx1,ann,2\nx1,bob,3\nx2,ann,NA\n")
    >>> read = read_annotations(path)
    >>> read.annotations
    Labels(n_cases=2, n_empty=1, n_classes=2, n_labels=2, n_annotators=2)
    >>> read.missing_note()
    "Read as missing: 'NA' (1 cells)."
    """
    own = (
        format, columns or {}, classes, missing, merge_names, annotator_columns, ignore_columns, duplicates, decimal, encoding, separator,
        ordered, scale, offered, header, withdrawn, ticks,
    )  # fmt: skip
    given = read_mapping(mapping)
    how = Reading(*own)._replace(**{key: given[key] for key in _not_given(Reading(*own)) & given.keys()})
    for argument, value in (("format", format), ("mapping: format", how.format)):
        if value not in FORMATS:
            raise error(argument, f"be one of {', '.join(FORMATS)}", repr(value))
    for argument, words in (("duplicates", DUPLICATES), ("decimal", DECIMALS), ("withdrawn", WITHDRAWN), ("ticks", TICKS)):
        option(argument, getattr(how, argument), words)
    how = with_scale(how)
    with heard() as said:
        files = None if is_frame(path) else by_annotator(path)
        if is_frame(path) or (files is not None and len(files) != 1):
            read = on_scale(read_frame(path, how) if files is None else read_frame(*table_of_files(files, how)), how)
        else:
            (path,) = files.values() if files else [path]
            with naming(path):
                read = on_scale(_read_file(Source(path, how.encoding), how, given), how)
        if isinstance(read.annotations, (Labels, Ratings)):
            note_constant(read.annotations)
    return replace(read, notes=(*read.notes, *said))


def _not_given(how: Reading) -> set[str]:
    """Return the options that have their default value."""
    return {name for name, value in how._asdict().items() if value == Reading._field_defaults[name]}


def _read_file(source: Source, how: Reading, given: Mapping[str, Any]) -> AnnotationFile:
    if source.ending in JSON:
        return _read_json(source, how, given)
    if given.get("fields") or given.get("records"):
        raise error("mapping", "have fields and records for JSON and JSONL only (columns for tables)", repr(source.path.name))
    if source.ending in exports.PREFLIB:
        return exports.preflib(check_text(source.read(text=True)), source.stem, how)
    if source.ending in (".npy", ".npz"):
        return read_arrays(source.read(), how)
    table = table_of(source, header=how.header)
    return read_frame(table, how) if isinstance(table, Columns) else read_table(table, how)


def _read_json(source: Source, how: Reading, given: Mapping[str, Any]) -> AnnotationFile:
    lines = source.ending != ".json"
    if given.get("fields") or given.get("records"):
        content = json_lines(check_text(source.read(text=True))) if lines else parse_json(source.read(text=True))
        return read_frame(*mapped_table(content, given, how))
    if lines:
        text = check_text(source.read(text=True))
        records = table_of_records(json_lines(text), how)
        return exports.prodigy(text, how) if records is None else read_frame(*records)
    content = parse_json(source.read(text=True))
    if isinstance(content, dict) and isinstance(content.get("path"), str):  # a mapping
        inner = checked(content, source.path.parent)
        if "path" in given:  # the path may lead to this mapping again
            raise error("mapping: path", "name a file of annotations", "another mapping with a path")
        return read_annotations(inner["path"], mapping=inner, **how._asdict())
    if how.format not in ("auto", "rankings", "ratings"):
        raise error("format", "be 'auto', 'rankings' or 'ratings' for a JSON file", repr(how.format))
    if (records := table_of_records(content, how)) is not None:
        return read_frame(*records)
    if isinstance(content, list) and content and isinstance(content[0], dict):
        return exports.of_objects(content, how)
    return AnnotationFile(exports.rankings_json(content, how), "rankings", {})


def read_predictions(
    path: str | os.PathLike[str],
    *,
    classes: Sequence[Any] | None = None,
    positive_class: object = None,
    case_column: str | Sequence[str] | None = None,
    decimal: str = "auto",
    encoding: str = "utf-8",
    model_columns: Sequence[str] = (),
    ignore_columns: Sequence[str] = (),
) -> Predictions:
    r"""Read a model's scores from a CSV, Excel, NPY, NPZ, Parquet, Stata or SPSS file.

    Parameters
    ----------
    path : path
        CSV and other tables: the case id in the first column and one column per class, or columns for case, class and score. ``.npz``:
        the key ``scores``, optionally ``case_ids`` and ``classes``. ``.npy``: scores (N, K), in the order of the annotations. Scores are
        probabilities, logits or any other numbers: higher is more plausible. A table with columns for case and label holds predicted
        labels (score 1 for the label, 0 for the other classes). Every file may be compressed by gzip.
    classes : sequence, optional
        The classes of the annotations. If they are given, columns may be named like ``prob_cat``, ``P(Cat)`` or ``CAT_PROB``, and columns
        that are not classes are left out with a note.
    positive_class : int or str, optional
        The class, one of two ``classes``, whose probability a single column holds.
    case_column : str or sequence of str, optional
        The column for the case, or several, if the file has them. Default: the one with a usual name, else the first.
    decimal, encoding : str
        As for :func:`read_annotations`.
    model_columns : sequence of str
        The column of the model, by name or pattern, if not all columns are classes: predicted labels, probabilities of one of two
        classes, or numbers on a scale.
    ignore_columns : sequence of str
        Columns that are left out, by name or pattern.

    Returns
    -------
    Predictions

    Raises
    ------
    ValueError, OSError
        As for :func:`read_annotations`; if a score is missing or not finite, or a case is repeated.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.csv"
    >>> _ = path.write_text("case,cat,dog\nx1,0.9,0.1\nx2,0.2,0.8\n")
    >>> read_predictions(path).classes.tolist()
    ['cat', 'dog']
    """
    how: Any = {"case_column": case_column, "decimal": decimal, "encoding": encoding, "model_columns": model_columns}
    how["ignore_columns"] = ignore_columns
    (one,) = prediction_file(path, classes, positive_class, several=False, **how).models.values()
    return one


def read_models(
    path: str | os.PathLike[str],
    *,
    classes: Sequence[Any] | None = None,
    positive_class: object = None,
    case_column: str | Sequence[str] | None = None,
    decimal: str = "auto",
    encoding: str = "utf-8",
    model_columns: Sequence[str] = (),
    ignore_columns: Sequence[str] = (),
) -> dict[str, Predictions]:
    r"""Read the scores of several models from one CSV file or another table.

    Parameters
    ----------
    path : path
        As for :func:`read_predictions`, with one more column that names the model (model, system, algorithm). Without this column, and
        in an array, the file holds one model, which is named after the file.
    classes, positive_class, case_column, decimal, encoding, ignore_columns
        As for :func:`read_predictions`.
    model_columns : sequence of str
        The columns of the models, by names or patterns, if each model has one column: it is named after the column.

    Returns
    -------
    dict of str to Predictions
        Model name to predictions, in order of first appearance.

    Raises
    ------
    ValueError
        As for :func:`read_predictions`; the message names the model, too.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "models.csv"
    >>> _ = path.write_text("model,case,cat,dog\nA,x1,0.9,0.1\nB,x1,0.2,0.8\n")
    >>> list(read_models(path))
    ['A', 'B']
    """
    how: Any = {"case_column": case_column, "decimal": decimal, "encoding": encoding, "model_columns": model_columns}
    how["ignore_columns"] = ignore_columns
    return prediction_file(path, classes, positive_class, **how).models


def read_names(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> list[Any]:
    r"""Read a file with one name per line (classes, groups).

    Parameters
    ----------
    path : path
        Text, compressed or not.
    encoding : str
        As for :func:`read_annotations`.

    Returns
    -------
    list
        Integers if all lines are, else text.

    Raises
    ------
    ValueError
        If the file is not text, or a line is blank.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "classes.txt"
    >>> _ = path.write_text("eczema\npsoriasis\n")
    >>> read_names(path)
    ['eczema', 'psoriasis']
    """
    with naming(path):
        lines = [line.strip() for line in check_text(Source(path, encoding).read(text=True)).rstrip().splitlines()]
        if "" in lines or not lines:
            raise error("file", "have a name on every line", "a blank", f"line {lines.index('') + 1 if lines else 1}")
        return list(as_names(lines).tolist())


def read_clusters(
    path: str | os.PathLike[str],
    *,
    case_column: str | Sequence[str] | None = None,
    cluster_column: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, str]:
    r"""Read the cluster (such as the patient) of each case.

    Parameters
    ----------
    path : path
        A CSV file with the columns case and cluster (or patient).
    case_column : str or sequence of str, optional
        The column for the case, or the columns that identify it together, if the file has them.
    cluster_column : str, optional
        The column of the clusters, if it has no usual name.
    encoding : str
        As for :func:`read_annotations`.

    Returns
    -------
    dict of str to str
        Case id to cluster, for ``evaluate(clusters=...)``.

    Raises
    ------
    ValueError
        If a column is missing, a cell is blank, or a case occurs twice; the message names the file and the line or case.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "patients.csv"
    >>> _ = path.write_text("case,patient\nleft eye,p1\nright eye,p1\n")
    >>> read_clusters(path)
    {'left eye': 'p1', 'right eye': 'p1'}
    """
    (found,) = cluster_file(path, case_column=case_column, cluster_column=cluster_column, encoding=encoding).values.values()
    return found
