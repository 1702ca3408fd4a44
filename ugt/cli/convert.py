"""``ugt convert``: copy annotations or predictions into a file of another format."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import io
from .._base.checks import error
from .._base.wording import Text, renamed
from ..annotations import Labels, Rankings, Ratings
from ..annotations.predictions import Predictions
from .cases import annotations_of, models_of, read_record
from .command import MANY_ANNOTATIONS, group, new_command, output_file, say
from .reading import add_reading

TEXT = """
Reads annotations as every other command does, and writes them as a long table or a table of counts (.csv, .csv.gz), as nested rankings
(.json, .json.gz), or without any loss (.npz). Prints what the new file does not hold.

With --predictions, reads the scores of a model and writes them to .csv, .csv.gz or .npz.

ugt convert export.json labels.csv
ugt convert labels.csv counts.csv --to counts
ugt convert readings.csv readings.npz --lossless
ugt convert models.csv a.npz --predictions --model A
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
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    out = Path(options.out)
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
