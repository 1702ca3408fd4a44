"""``ugt convert``: copy annotations or predictions into a file of another format; write a query that counts equal cases."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import io
from .._base.checks import error
from .._base.identifiers import distinct
from .._base.wording import Text, renamed
from .._tabular.whole_file import write_text
from ..annotations import Labels, Rankings, Ratings
from ..annotations.predictions import Predictions
from .cases import annotations_of, models_of, read_record, reading_words
from .columns import case_given, column
from .command import MANY_ANNOTATIONS, group, new_command, output_file, say
from .reading import add_reading
from .sql import DIALECTS, Wanted, query_of

# Options of queries alone; the options of reading that name columns of a query; most decimals of a probability as a double.
OF_QUERIES = ("model_table", "class_columns", "model_columns", "round", "missing")
COLUMNS = ("case", "annotator", "label")
MOST_DIGITS = 9

TEXT = """
Reads annotations as every other command does, and writes them as a long table or a table of counts (.csv, .csv.gz), as nested rankings
(.json, .json.gz), or without any loss (.npz). Prints what the new file does not hold.

With --predictions, reads the scores of a model and writes them to .csv, .csv.gz or .npz.

With --sql, reads nothing: writes a query, by which an engine turns a table of labels, FILE, and one of predictions into distinct rows
with their frequency, for data that are larger than memory. The query says how ugt evaluate reads its result.

ugt convert export.json labels.csv
ugt convert labels.csv counts.csv --to counts
ugt convert models.csv a.npz --predictions --model A
ugt convert labels.parquet query.sql --sql duckdb --classes 3 \\
  --model-table model.parquet --class-columns p0 p1 p2 --round 2
"""


def add(commands: Any) -> None:
    parser = new_command(commands, "convert", run, "write annotations or predictions in another format", "FILE ... OUT [options]", TEXT)
    option = group(parser, "files")
    option("annotations", "FILE", f"{MANY_ANNOTATIONS}; or predictions", nargs="+")
    option("out", "OUT", "new file, ending in .csv, .csv.gz, .json, .json.gz or .npz")
    option = group(parser, "conversion")
    option("--to", ("auto", "long", "counts", "rankings", "npz"), "format of OUT; default: by its ending (.csv: long)", default="auto")
    option("--lossless", None, "write nothing if OUT would not hold everything")
    option("--predictions", None, "read FILE as the scores of a model")
    option("--model", "NAME", "model to write, if FILE holds several; default: the only one")
    option = group(parser, "queries")
    option("--sql", tuple(DIALECTS), "write a query for an engine that has FILE as a table; default: read FILE")
    tables = "table of predictions with the case column of FILE: a name or, as FILE, one of Parquet or CSV; default: none"
    option("--model-table", "TABLE", tables)
    columns = "its columns of probabilities, one per class in the order of --classes; default: those named like the classes"
    option("--class-columns", "NAME", columns, nargs="+")
    columns = "its columns that hold a model each, instead: predicted classes, or with --round probabilities of the positive class"
    option("--model-columns", "NAME", f"{columns}; default: none", nargs="+")
    option("--round", "D", "decimals to which probabilities are rounded, so that fewer rows differ; default: none", type=int)
    dropped = "cases that only one table has: the query stops (error), or leaves them out (drop); default: error"
    option("--missing", ("error", "drop"), dropped)
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    out = Path(options.out)
    if options.sql is not None:
        return _query(options)
    for name in OF_QUERIES:
        if getattr(options, name) is not None:
            raise error(_flag(name), "be given with --sql", repr(getattr(options, name)))
    if options.model is not None and not options.predictions:
        raise error("--model", "be given with --predictions", repr(options.model))
    with output_file(options.out) as draft:
        if options.predictions:
            if options.to not in ("auto", "npz"):
                raise error("--to", "be left out with --predictions", repr(options.to))
            given, record, said = _model_of(options), {}, ""
            notes = io.write_predictions(draft, given)
        else:
            read = annotations_of(options)
            given, record, said = read.annotations, read_record(read), read.missing_note()
            try:
                notes = io.write_annotations(draft, given, format=options.to)
            except ValueError as problem:  # --format is of the file that is read
                raise renamed(problem, format="--to", path="OUT") from None
        if notes and options.lossless:
            raise error(Text(out.name), "hold everything with --lossless (an .npz file does)", " ".join(notes).rstrip("."))
    say(*filter(None, [said]), *notes, f"{_sizes(given)}: {out}")
    return {**record, "lost": list(notes), "files": [str(out)]}


def _query(options: argparse.Namespace) -> dict[str, Any]:
    """Write the query for the names that were given."""
    given = [word for word in reading_words(options) if word.startswith("--")]
    given += [_flag(name) for name in ("predictions", "model", "lossless") if getattr(options, name)]
    given += ["--to"] * (options.to != "auto")
    unused = [word for word in given if word not in ("--classes", "--encoding", "--duplicates", *map("--{}-column".format, COLUMNS))]
    if unused:
        raise error(unused[0], "be left out with --sql, because no file is read", "it")
    for name in ("classes", "model_table"):
        if getattr(options, name) is None:
            raise error(_flag(name), "be given with --sql, because no file is read", "none")
    if options.model_columns and options.class_columns:
        raise error("--class-columns", "be left out with --model-columns", " ".join(options.class_columns))
    if options.round is not None and not 0 <= options.round <= MOST_DIGITS:
        raise error("--round", f"be a whole number from 0 to {MOST_DIGITS}", options.round)
    asked = _asked(options)
    with output_file(options.out) as draft:
        write_text(draft, query_of(asked, options.sql, Path(options.out).name))
    say(f"Query of {DIALECTS[options.sql].title} for {len(asked.classes):,} classes: {options.out}")
    return {"dialect": options.sql, "classes": [*asked.classes], "files": [options.out]}


def _asked(options: argparse.Namespace) -> Wanted:
    """Return the names in the query; columns are named like their roles unless they are given."""
    k = options.classes
    classes = range(int(k)) if k.isdecimal() else distinct("classes", io.read_names(k, encoding=options.encoding)).tolist()
    names = [*map(str, classes)]
    if len(options.annotations) > 1:
        raise error("FILE", "be the name of one table with --sql", f"{len(options.annotations)} names")
    tables = (options.annotations[0], options.model_table)
    given = [case_given(options, table) for table in tables]
    first, second = (["case"] if case is None else [case] if isinstance(case, str) else case for case in given)
    label = column(options, "label", tables[0])
    models = options.model_columns or []
    return Wanted(
        *tables,
        (first, second),
        "label" if label is None else label,
        column(options, "annotator", tables[0]) or None,
        names,
        [] if models else options.class_columns or names,
        models,
        options.round,
        options.duplicates,
        options.missing or "error",
    )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _model_of(options: argparse.Namespace) -> Predictions:
    if len(options.annotations) > 1:
        raise error("FILE", "be one file with --predictions", f"{len(options.annotations)} files")
    models = models_of(options.annotations[0], None, options)
    if options.model is None and len(models) > 1:
        raise error("--model", f"name one of the models {', '.join(map(repr, models))}", "none")
    name = next(iter(models)) if options.model is None else options.model
    if name not in models:
        raise error("--model", f"be one of {', '.join(map(repr, models))}", repr(name))
    return models[name]


def _sizes(given: Labels | Rankings | Ratings | Predictions) -> str:
    if isinstance(given, Predictions):
        return "{:,} cases, {:,} classes".format(*given.scores.shape)
    kind = type(given).__name__.lower()
    by = f" by {len(given.annotators):,} annotators" if len(given.annotators) else ""
    return f"{getattr(given, f'n_{kind}'):,} {kind} of {given.n_cases:,} cases{by}"
