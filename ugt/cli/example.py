"""``ugt example``: small input files of each kind, made up, to try the commands with."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .. import synthetic
from .._base.checks import error
from .._tabular.csv_text import csv_text
from .._tabular.whole_file import write_text
from .command import group, new_command, say, written
from .facts import counted

CLASSES = ("benign", "atypical", "malign")
N_CASES, N_ANNOTATORS, SEED = 200, 5, 1
README = "README.md"

TEXT = """
Writes small input files of each kind into a folder: labels, rankings, ratings, predictions of two models, and the patient and the site of
each case, with a README that says what each file is and which commands to run on it. Name one kind to get its files only. The data are made
up, and the same each time; nothing is downloaded. A file that exists is not replaced unless you say so.

ugt example
ugt example labels --out my-labels
ugt example predictions --out ugt-example --overwrite
"""


class Example(NamedTuple):
    """Files of one kind: what they are, the commands to run on them, and what makes their text by name."""

    about: str
    commands: tuple[str, ...]
    make: Callable[[], dict[str, str]]


def _cases() -> list[str]:
    return [f"p{i:03d}" for i in range(N_CASES)]


def _labels() -> dict[str, str]:
    made, _ = synthetic.make_labels(N_CASES, len(CLASSES), N_ANNOTATORS, difficulty=0.4, seed=SEED)
    cases = _cases()
    rows = ((cases[row // N_ANNOTATORS], f"reader-{made.annotator[row]}", CLASSES[made.label[row]]) for row in range(made.n_labels))
    return {"labels.csv": csv_text(("case", "annotator", "label"), rows)}


def _models() -> dict[str, list[tuple[Any, ...]]]:
    """The rows of two models."""
    _, truth = synthetic.make_labels(N_CASES, len(CLASSES), N_ANNOTATORS, difficulty=0.4, seed=SEED)
    skills = {"careful": (0.9, 1), "hasty": (0.8, 2)}
    made = {name: synthetic.make_predictions(truth, skill=skill, seed=seed) for name, (skill, seed) in skills.items()}
    return {name: [(case, *row) for case, row in zip(_cases(), table.round(6).tolist())] for name, table in made.items()}


def _predictions() -> dict[str, str]:
    return {f"{name}.csv": csv_text(("case", *CLASSES), rows) for name, rows in _models().items()}


def _halves() -> dict[str, str]:
    rows, half = _models()["careful"], N_CASES // 2
    return {name: csv_text(("case", *CLASSES), part) for name, part in (("validation.csv", rows[:half]), ("test.csv", rows[half:]))}


def _rankings() -> dict[str, str]:
    made, _ = synthetic.make_rankings(N_CASES // 4, len(CLASSES), 3, difficulty=0.4, seed=SEED)
    rows = []
    for case, name in enumerate(_cases()[: N_CASES // 4]):
        for ranking in range(made.case_offsets[case], made.case_offsets[case + 1]):
            blocks = range(made.ranking_offsets[ranking], made.ranking_offsets[ranking + 1])
            tied = [made.items[made.block_offsets[block] : made.block_offsets[block + 1]].tolist() for block in blocks]
            text = " > ".join(" = ".join(CLASSES[k] for k in block) for block in tied)
            rows.append((name, f"reader-{made.annotator[ranking]}", text))
    return {"rankings.csv": csv_text(("case", "annotator", "ranking"), rows)}


def _ratings() -> dict[str, str]:
    made, _ = synthetic.make_ratings(N_CASES // 4, 4, low=1, high=5, seed=SEED)
    cases = _cases()
    rows = ((cases[row // 4], f"reader-{made.annotator[row]}", int(value)) for row, value in enumerate(made.value.tolist()))
    return {"ratings.csv": csv_text(("case", "annotator", "rating"), rows)}


def _patients() -> dict[str, str]:
    return {"patients.csv": csv_text(("case", "patient"), ((case, f"patient-{i // 2}") for i, case in enumerate(_cases())))}


def _sites() -> dict[str, str]:
    return {"sites.csv": csv_text(("case", "site"), ((case, "north" if i % 3 else "south") for i, case in enumerate(_cases())))}


EVALUATE = "ugt evaluate --annotations labels.csv --predictions careful.csv hasty.csv --clusters patients.csv --out report"
EXAMPLES = {
    "labels": Example(
        "one row per label: the case, the annotator, the class",
        ("ugt check labels.csv", "ugt agreement labels.csv", "ugt certainty labels.csv"),
        _labels,
    ),
    "predictions": Example("probabilities of two models, one row per case and one column per class", (EVALUATE,), _predictions),
    "calibration": Example(
        "predictions of the careful model for validation cases and for test cases",
        (
            "ugt calibrate --annotations labels.csv --fit validation.csv --apply test.csv --out calibrated",
            "ugt conformal --annotations labels.csv --calibrate validation.csv --apply test.csv --out sets",
        ),
        _halves,
    ),
    "patients": Example(
        "the patient of each case, for intervals over patients", ("ugt agreement labels.csv --clusters patients.csv",), _patients
    ),
    "sites": Example("the site of each case, for results by subgroup", (f"{EVALUATE} --subgroups sites.csv",), _sites),
    "rankings": Example("one row per ranking, best class first, '=' between tied classes", ("ugt certainty rankings.csv",), _rankings),
    "ratings": Example("one row per rating on a scale from 1 to 5", ("ugt agreement ratings.csv",), _ratings),
}


def add(commands: Any) -> None:
    parser = new_command(commands, "example", run, "write small input files to try the commands with", "[NAME] [options]", TEXT)
    option = group(parser, "files")
    option("name", tuple(EXAMPLES), "which files; default: all, with a README", nargs="?", metavar="NAME")
    option("--out", "DIR", "folder to write to; default: %(default)s", default="ugt-example")
    option("--overwrite", None, "replace files that exist")


def run(options: argparse.Namespace) -> dict[str, Any]:
    names = list(EXAMPLES) if options.name is None else [options.name]
    texts = {name: EXAMPLES[name].make() for name in names}
    sizes = {file: text.count("\n") - 1 for made in texts.values() for file, text in made.items()}
    files = {file: text for made in texts.values() for file, text in made.items()}
    if options.name is None:
        files[README] = _readme(texts, sizes)
    there = [file for file in files if os.path.lexists(Path(options.out) / file)]
    if there and not options.overwrite:
        raise error(
            "--out", "be a folder without these files (--overwrite replaces them)", f"{options.out!r}, which has {', '.join(there)}"
        )
    with written(options.out) as (draft, paths):
        for file, text in files.items():
            write_text(draft / file, text)
    for name, made in texts.items():
        say(f"{', '.join(made)}: {EXAMPLES[name].about} ({counted(sizes[next(iter(made))], 'row')}).")
    first = EXAMPLES[names[0]].commands[0]
    say("", f"Written to {options.out}. Begin with:", f"  cd {shlex.quote(options.out)}", f"  {first}")
    kinds = {file: name for name, made in texts.items() for file in made}
    return {"examples": [{"file": file, "name": name, "n_rows": sizes[file]} for file, name in kinds.items()], "files": paths}


def _readme(texts: dict[str, dict[str, str]], sizes: dict[str, int]) -> str:
    rows = [
        f"| {', '.join(f'`{f}`' for f in made)} | {EXAMPLES[name].about} | {sizes[next(iter(made))]:,} |" for name, made in texts.items()
    ]
    commands = dict.fromkeys(command for name in texts for command in EXAMPLES[name].commands)
    return "\n".join(
        [
            "# Example files",
            "",
            f"`ugt example` made these files; the data are made up. Labels, predictions, patients and sites share {N_CASES:,} cases;",
            f"rankings and ratings are of the first {N_CASES // 4}.",
            "",
            "| file | what it is | rows |",
            "|---|---|---|",
            *rows,
            "",
            "Run the commands in this folder. The first says what the files were taken for and what they allow.",
            "",
            "```sh",
            "ugt check labels.csv careful.csv hasty.csv patients.csv sites.csv",
            *commands,
            "```",
            "",
        ]
    )
