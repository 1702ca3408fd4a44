"""The options of reading annotations, which many commands share."""

from __future__ import annotations

import argparse
import csv
from typing import Any

from .. import io
from .._tabular.roles import DECIMALS, as_names
from ..io.repeats import DUPLICATES
from ..io.ticks import TICKS
from ..io.withdrawn import WITHDRAWN
from .arguments import OfFile
from .command import group

# Roles of the columns of a long table; each has an option, such as --case-column.
ROLES = ("case", "annotator", "label", "value", "rank", "confidence", "ranking", "count")

# Further options of ``read_annotations``; None leaves the value to its default.
OPTIONS = ("merge_names", "duplicates", "decimal", "encoding", "separator", "offered", "withdrawn", "ticks")


def add_reading(parser: argparse.ArgumentParser) -> None:
    option = group(parser, "reading annotations")
    option("--format", io.FORMATS, "format of a table or an array; default: %(default)s", default="auto")
    option("--classes", "FILE|K", "all classes: a file with one name per line, or their number; default: the classes in the data")
    order = "that the classes are grades: all of them, lowest first, separated by commas, or nothing if they are numbers; default: no order"
    option("--ordered", "A,B,C", order, nargs="?", const="", type=_order_word)
    option("--ratings", None, "read labels as numbers on a scale")
    stated = "that annotations are ratings: real, or the numbers of the scale, separated by commas; default: not stated"
    option("--scale", "real|1,2,3", stated, type=_scale_word)
    option("--na", "TEXT", "texts of cells without an annotation, besides blank cells; default: NA, N/A, NaN, null", nargs="+")
    option("--mapping", "FILE", "JSON file that describes a file of another format, instead of the options below; default: no mapping")
    rows = "rows that repeat a case, annotator and label: refused, counted once or every time; default: %(default)s"
    option("--duplicates", DUPLICATES, rows, default="error")
    sign = "decimal sign in all tables; default: %(default)s (a comma if semicolons separate columns of numbers)"
    option("--decimal", DECIMALS, sign, default="auto")
    text = "encoding of text files that are not in UTF-8, such as cp1252 or utf-16; default: %(default)s"
    option("--encoding", "NAME", text, default="utf-8")
    option("--separator", "SIGN", "sign for 'better than' in a column of rankings; default: >, or ; , | if classes change places around it")
    chose = "that annotators who ranked two classes chose from all classes; default: rankings of two of more classes are refused"
    option("--offered", ("all",), chose)
    gone = "rows whose status is rejected, discarded, tainted, cancelled or a test: leave out (drop), or keep; default: drop"
    option("--withdrawn", WITHDRAWN, gone)
    several = "answers with several ticks: a label for each, or cells as they are (each), or one class per set (sets); default: ask"
    option("--ticks", TICKS, several)
    option("--no-header", None, "that the first line of a text file is a row: columns are called 1, 2, 3 and so on", dest="no_header")
    option("--merge-names", None, "join classes, and annotators, whose names differ only by case, blanks, Unicode form or leading zeros")
    option = group(parser, "columns of annotations")
    several = (
        "name of the case column in every file that has it, or names of several that identify a case together; FILE=NAME holds for one "
        "file ('': there is none); default: detected"
    )
    option("--case-column", "[FILE=]NAME", several, nargs="+")
    for role in ROLES[1:]:
        text = f"name of the {role} column ('': there is none); FILE=NAME, which may be repeated, holds for one file; default: detected"
        option(f"--{role}-column", "[FILE=]NAME", text, action=OfFile)
    option("--cluster-column", "NAME", "name of the column of clusters, such as patients, in their file; default: detected")
    chosen = "names or patterns ('reader *') of the columns of annotators, or of classes with --format counts, in a table by case"
    option("--annotator-columns", "[FILE=]NAME", f"{chosen}; default: all columns except that of the case", nargs="+")
    left = "names or patterns of columns of annotations to leave out, such as the age; FILE=NAME holds for any file; default: none"
    option("--ignore-columns", "[FILE=]NAME", left, nargs="+")


def order_given(word: str | None) -> Any:
    """Return the order of classes that a word gives: None, True, or the classes."""
    return None if word is None else not word or as_names([name.strip() for name in next(csv.reader([word]))]).tolist()


def _order_word(word: str) -> str:
    if word and len(next(csv.reader([word]))) < 2:
        must = "must be classes separated by commas, lowest first, or stand alone at the end if classes are numbers"
        raise argparse.ArgumentTypeError(f"{must}. Got {word!r}.")
    return word


def scale_given(word: str | None) -> Any:
    """Return the scale of ratings that a word gives: None, "real", or its numbers."""
    return word if word in (None, "real") else [float(number) for number in word.split(",")]


def _scale_word(word: str) -> str:
    try:
        scale_given(word)
        if not word.isascii() or "_" in word:  # of which Python makes numbers
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be real, or numbers separated by commas, such as 1,2,3,4,5. Got {word!r}.") from None
    return word
