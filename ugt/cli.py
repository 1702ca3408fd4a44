"""The command ``ugt``: evaluate | certainty | demo. What is slow to import is imported by the command that needs it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ._checks import error
from ._version import __version__

if TYPE_CHECKING:
    from .evaluation import Evaluation
    from .io import AnnotationFile

# Columns of a long table that can be named: --case-column and so on.
ROLES = ("case", "annotator", "label", "rank", "confidence", "ranking", "count")

# Options that are keywords of evaluate(). What is not given is left to its defaults.
KEYWORDS = (
    *("aggregation", "reliability", "k", "group_names", "prior", "background", "tie_weight"),
    *("ties", "missing", "level", "n_resamples", "seed", "n_threads"),
)

# Headings of the printed table; the report has longer ones.
HEADINGS = {
    "voted_accuracy": "vote@{}",
    "topk_accuracy": "top-{}",
    "set_accuracy": "set@{}",
    "overlap": "overlap@{}",
    "average_overlap": "average@{}",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns
    -------
    int
        0; 2 for errors that the user can mend, told in one line; 130 after an interruption.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(words)
    options.command = shlex.join(["ugt", *words])
    from ._threads import progress_to_stderr

    try:
        with warnings.catch_warnings(), progress_to_stderr():
            warnings.showwarning = lambda message, *_: print(f"ugt: {message}", file=sys.stderr)
            options.run(options)
    except (ValueError, OSError) as problem:
        print(f"ugt: error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ugt: interrupted", file=sys.stderr)
        return 130
    return 0


def _evaluate(options: argparse.Namespace) -> None:
    from . import io
    from .evaluation import evaluate

    files = _named_files(options.predictions)
    with io.output_folder(options.out) as draft:
        read = _read(options)
        predictions = {name: io.read_predictions(path) for name, path in files.items()}
        inputs = [io.fingerprint(path) for path in (options.annotations, *files.values())]
        provenance = {"command": options.command, "inputs": inputs}
        evaluation = evaluate(read.annotations, predictions, provenance=provenance, **_groups(options), **_keywords(options))
        found = _write(evaluation, read.missing_note(), draft)
    _say(*_data_lines(found), "", *_model_lines(found), "", f"Report: {Path(options.out) / 'report.html'}")


def _certainty(options: argparse.Namespace) -> None:
    from . import io
    from .evaluation import evaluate

    read = _read(options)
    evaluation = evaluate(read.annotations, {}, **_keywords(options))
    if options.out is not None:
        with io.output_folder(Path(options.out).parent) as draft:
            evaluation.to_csv(draft / Path(options.out).name, table="cases")
    found = replace(evaluation, notes=(read.missing_note(),)).to_dict()
    written = ["", f"All cases: {options.out}"] if options.out else []
    _say(*_data_lines(found), "", *_certainty_lines(found), "", *_worklist_lines(found["cases"], options.n_worst), *written)


def _demo(options: argparse.Namespace) -> None:
    import numpy as np

    from . import io, synthetic
    from .evaluation import evaluate

    rankings, truth = synthetic.make_rankings(2000, 20, 5, seed=options.seed)
    clear = truth.max(axis=1) > 0.8
    skills = {"clear-cut": np.where(clear, 0.95, 0.77), "broad": np.where(clear, 0.70, 0.95), "baseline": np.full(len(truth), 0.60)}
    models = {
        name: synthetic.make_predictions(truth, skill=skill, seed=3 * options.seed + i)
        for i, (name, skill) in enumerate(skills.items(), start=1)
    }
    agreement = [f"{name} {truth[np.arange(len(truth)), scores.argmax(axis=1)].mean():.3f}" for name, scores in models.items()]
    with io.output_folder(options.out) as draft:
        evaluation = evaluate(rankings, models, seed=options.seed, provenance={"command": options.command})
        found = _write(evaluation, "The annotations and the models are generated.", draft)
    _say("Generated data with known truth: most cases are clear, some are not. Model clear-cut is good at clear", "cases, broad at unclear ones.")
    _say(*_data_lines(found), "", *_model_lines(found), "", "How often one more annotator would agree with the model's first choice (from the known truth):")
    _say("  " + ", ".join(agreement), "", f"Report: {Path(options.out) / 'report.html'}")


# --- input -------------------------------------------------------------------------------------------------------------


def _read(options: argparse.Namespace) -> AnnotationFile:
    from . import io

    columns = {role: name for role in ROLES if (name := getattr(options, f"{role}_column")) is not None}
    classes: Any = options.classes
    if classes is not None:
        classes = int(classes) if classes.isdecimal() else io.read_names(classes)
    missing = io.MISSING if options.na is None else options.na
    return io.read_annotations(options.annotations, format=options.format, columns=columns, classes=classes, missing=missing)


def _named_files(items: Iterable[str]) -> dict[str, str]:
    """Model name → path, from ``path`` or ``name=path``."""
    files: dict[str, str] = {}
    for item in items:
        name, equals, path = item.partition("=")
        if not equals or os.path.exists(item):
            name, path = Path(item).stem, item
        if name in files:
            raise error("predictions", "have different names (write name=path)", f"{name!r} twice")
        files[name] = path
    return files


def _groups(options: argparse.Namespace) -> dict[str, Any]:
    """Groups of classes from a file; groups that are called by text are numbered in alphabetical order."""
    from . import io

    if options.groups is None:
        return {}
    groups = io.read_names(options.groups)
    if isinstance(groups[0], int):
        return {"groups": groups}
    if options.group_names is not None:
        raise error("group_names", "be given for numbered groups only", f"groups such as {groups[0]!r}")
    options.group_names = sorted(set(groups))
    return {"groups": [options.group_names.index(group) for group in groups]}


def _keywords(options: argparse.Namespace) -> dict[str, Any]:
    given = {name: getattr(options, name, None) for name in KEYWORDS}
    return {name: value for name, value in given.items() if value is not None}


# --- output ------------------------------------------------------------------------------------------------------------


def _write(evaluation: Evaluation, note: str, draft: Path) -> dict[str, Any]:
    """All files of a report; what it says as plain values."""
    evaluation = replace(evaluation, notes=(*evaluation.notes, *([note] if note else [])))
    evaluation.to_html(draft / "report.html")
    evaluation.to_json(draft / "evaluation.json")
    for table in ("metrics", "certainty", "cases"):
        evaluation.to_csv(draft / f"{table}.csv", table=table)
    return evaluation.to_dict()


def _say(*lines: str) -> None:
    print("\n".join(lines))


def _data_lines(found: Mapping[str, Any]) -> list[str]:
    """Sizes, what was left out, notes."""
    data = found["data"]
    by = f" by {data['n_annotators']:,} annotators" if data["n_annotators"] else ""
    kind = "rankings" if data["kind"] == "rankings" else "labels"
    sizes = f"{data['n_cases']:,} cases, {data['n_classes']:,} classes, {data['n_annotations']:,} {kind}{by}."
    return [sizes, *(f"Left out: {reason}: {n:,}." for reason, n in found["left_out"].items()), *filter(None, found["notes"])]
