"""The command ``ugt``: evaluate | certainty | agreement | calibrate | conformal | demo."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import _calibrate, _cli_agreement, _cli_conformal, io
from ._checks import error
from ._command import Parser, add_reading, aligned, annotations_of, decimal, named_files, say
from ._tables_out import TABLES
from ._threads import progress_to_stderr
from ._version import __version__
from .evaluation import Evaluation, evaluate

# Options that are keywords of evaluate(). What is not given is left to its defaults.
KEYWORDS = (
    *("aggregation", "reliability", "k", "group_names", "prior", "background", "tie_weight"),
    *("prior_mass", "unranked", "n_draws", "n_warmup", "n_chains"),
    *("ties", "missing", "level", "interval", "n_resamples", "seed", "n_threads"),
)

# Headings of the printed table; the report has longer ones.
HEADINGS = {
    "voted_accuracy": "vote@{}",
    "topk_accuracy": "top-{}",
    "set_accuracy": "set@{}",
    "overlap": "overlap@{}",
    "average_overlap": "average@{}",
    "soft_auroc": "AUROC",
    "hard_auroc": "hard AUROC",
    "soft_average_precision": "AP",
    "hard_average_precision": "hard AP",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns
    -------
    int
        0; 2 for errors that the user can mend, told in one line; 130 after an interruption; 141 if nobody reads the output.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot show is no error
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(words)
    options.command = shlex.join(["ugt", *words])
    try:
        with warnings.catch_warnings(), progress_to_stderr():
            warnings.showwarning = lambda message, *_: print(f"ugt: {message}", file=sys.stderr)
            options.run(options)
            sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output, such as `head`, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ValueError, OSError) as problem:
        print(f"ugt: error: {' '.join(str(problem).splitlines())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ugt: interrupted", file=sys.stderr)
        return 130
    return 0


def _evaluate(options: argparse.Namespace) -> None:
    files = named_files(options.predictions)
    with io.output_folder(options.out) as draft:
        read = annotations_of(options)
        predictions = {name: io.read_predictions(path) for name, path in files.items()}
        used = [options.annotations, *files.values(), *filter(None, [options.clusters])]
        inputs = [io.fingerprint(path) for path in used]
        keywords = {**_keywords(options, read.annotations.n_classes), **_groups(options)}
        if options.clusters is not None:
            keywords["clusters"] = io.read_clusters(options.clusters)
        evaluation = evaluate(read.annotations, predictions, provenance={"command": options.command, "inputs": inputs}, **keywords)
        found = _write(evaluation, read.missing_note(), draft)
    say(*_data_lines(found, read.missing_note()), "", *_model_lines(found), "", f"Report: {Path(options.out) / 'report.html'}")


def _certainty(options: argparse.Namespace) -> None:
    with nullcontext() if options.out is None else io.output_folder(Path(options.out).parent) as draft:
        read = annotations_of(options)
        evaluation = evaluate(read.annotations, {}, **_keywords(options, read.annotations.n_classes))
        if draft is not None:
            evaluation.to_csv(draft / Path(options.out).name, table="cases")
    found = evaluation.to_dict()
    say(*_data_lines(found, read.missing_note()), "", *_certainty_lines(found), "", *_worklist_lines(found["cases"]))
    if draft is not None:
        say("", f"All cases: {options.out}")


def _demo(options: argparse.Namespace) -> None:
    from . import synthetic

    rankings, models, truth = synthetic.make_demo(seed=options.seed)
    with io.output_folder(options.out) as draft:
        evaluation = evaluate(rankings, models, seed=options.seed, provenance={"command": options.command})
        found = _write(evaluation, "The annotations and the models are generated.", draft)
    say("Generated data with known truth. Model clear-cut is good at clear cases, broad at unclear ones.", *_data_lines(found), "")
    say(*_model_lines(found), "", "How often one more annotator would agree with the model's first choice (the truth is known):")
    say("  " + ", ".join(f"{name} {synthetic.agreement(truth, scores):.4f}" for name, scores in models.items()))
    say("", f"Report: {Path(options.out) / 'report.html'}")


# --- input -------------------------------------------------------------------------------------------------------------


def _groups(options: argparse.Namespace) -> dict[str, Any]:
    """Groups of classes from a file; groups that are called by text are numbered in alphabetical order."""
    if options.groups is None:
        return {}
    groups = io.read_names(options.groups)
    if isinstance(groups[0], int):
        return {"groups": groups}
    if options.group_names is not None:
        raise error("group_names", "be given for numbered groups only", f"groups such as {groups[0]!r}")
    names = sorted(set(groups))
    return {"groups": [names.index(group) for group in groups], "group_names": names}


def _keywords(options: argparse.Namespace, n_classes: int) -> dict[str, Any]:
    """What was said of the keywords of evaluate()."""
    given = {name: getattr(options, name, None) for name in KEYWORDS}
    if options.k is None:
        given["k"] = [k for k in (1, 3) if k <= n_classes]
    return {name: value for name, value in given.items() if value is not None}


# --- output ------------------------------------------------------------------------------------------------------------


def _write(evaluation: Evaluation, note: str, draft: Path) -> dict[str, Any]:
    """All files of a report; what it says as plain values."""
    evaluation = replace(evaluation, notes=(*evaluation.notes, *([note] if note else [])))
    evaluation.to_html(draft / "report.html")
    evaluation.to_json(draft / "evaluation.json")
    for table in TABLES:
        evaluation.to_csv(draft / f"{table}.csv", table=table)
    return evaluation.to_dict()


def _data_lines(found: Mapping[str, Any], note: str = "") -> list[str]:
    """Sizes, what was left out, what was read as missing."""
    data = found["data"]
    by = f" by {data['n_annotators']:,} annotators" if data["n_annotators"] else ""
    kind = "rankings" if data["kind"] == "rankings" else "labels"
    sizes = f"{data['n_cases']:,} cases, {data['n_classes']:,} classes, {data['n_annotations']:,} {kind}{by}."
    return [sizes, *(f"Left out: {reason}: {n:,}." for reason, n in found["left_out"].items()), *filter(None, [note])]


def _certainty_lines(found: Mapping[str, Any]) -> list[str]:
    """Mean certainty, a line a reliability."""
    rows = {(row["reliability"], row["k"]): row for row in found["certainty"] if row["measure"] == "certainty"}
    orders = list(dict.fromkeys(k for _, k in rows))
    lines = [["reliability", *(f"top-{k}" for k in orders), "cases below 0.99"]]
    for reliability in dict.fromkeys(reliability for reliability, _ in rows):
        values = [decimal(rows[reliability, k]["value"]) for k in orders]
        lines.append([_reliability(reliability), *values, f"{rows[reliability, 1]['n_below_099']:,}"])
    return ["Mean annotation certainty:", *aligned(lines)]


def _worklist_lines(cases: Mapping[str, Any], n: int = 10) -> list[str]:
    """The cases that annotators left most open."""
    rows = zip(cases["case"], cases["n_annotations"], cases["voted"], cases["mean_certainty"])
    worst = [[case, str(number), voted, decimal(mean)] for case, number, voted, mean in rows if mean is not None][:n]
    return ["Least certain cases:", *aligned([["case", "annotations", "voted", "certainty"], *worst])]


def _model_lines(found: Mapping[str, Any]) -> list[str]:
    """Models x metrics at the middle reliability, and which model wins where."""
    reliabilities = found["provenance"]["reliability"]
    shown = reliabilities[len(reliabilities) // 2] if reliabilities else None
    values: dict[str, dict[str, str]] = {model: {"model": model} for model in found["models"]}
    for row in found["metrics"]:
        if row["reliability"] in (None, shown):
            values[row["model"]][HEADINGS[row["metric"]].format(row["k"])] = decimal(row["value"])
    lines = [list(next(iter(values.values()))), *(list(cells.values()) for cells in values.values())]
    title = "Results"
    if shown is not None:
        title += f" at reliability {shown:g} (the report has all of {', '.join(map(_reliability, reliabilities))})"
    legend = "vote@k: accuracy against the voted label. The others allow for what the annotations leave open."
    order = [*_winner_lines(found["winners"]), *_flip_lines(found["flips"])] if len(values) > 1 else []
    return [f"{title}:", *aligned(lines), legend, *order]


def _winner_lines(winners: Sequence[Mapping[str, Any]]) -> list[str]:
    """The best model by top-k accuracy under each reliability, how often it is best on resamples, and by the voted label."""
    voted = {row["k"]: row["model"] for row in winners if row["metric"] == "voted_accuracy"}
    lines = []
    for k in dict.fromkeys(row["k"] for row in winners if row["metric"] == "topk_accuracy"):
        best: dict[str, list[Mapping[str, Any]]] = {}
        for row in winners:
            if (row["metric"], row["k"]) == ("topk_accuracy", k):
                best.setdefault(row["model"], []).append(row)
        said = [f"{model} ({_where(rows) if len(best) > 1 else ''}{_chance(rows)})" for model, rows in best.items()]
        lines.append(f"Best by top-{k}: {', '.join(said)}; by the voted label: {voted[k]}.")
    return lines


def _where(rows: Sequence[Mapping[str, Any]]) -> str:
    return f"at {', '.join(_reliability(row['reliability']) for row in rows)}: "


def _chance(rows: Sequence[Mapping[str, Any]]) -> str:
    """The share of resamples in which it is best; a range over reliabilities."""
    shares = sorted(round(100 * row["p_best"]) if row["p_best"] in (0, 1) else min(round(100 * row["p_best"]), 99) for row in rows)
    span = f"{shares[0]}" if shares[0] == shares[-1] else f"{shares[0]}-{shares[-1]}"
    return f"best in {span} % of resamples"


def _flip_lines(flips: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where the order of two models by top-k accuracy changes."""
    lines = []
    for row in flips:
        if row["metric"] == "topk_accuracy":
            below, above = (row["other"], row["model"]) if row["better_above"] else (row["model"], row["other"])
            ends = [f"{row['low']:.3g}" if row["low"] else "below all", f"{row['high']:.3g}" if row["high"] else "above all"]
            at = f"{row['reliability']:.3g} (interval: {' to '.join(ends)})"
            lines.append(f"By top-{row['k']}, {below} is better below reliability {at}, {above} above.")
    return lines


def _reliability(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"


# --- the command line --------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="ugt", description="Evaluate models when the ground truth is uncertain.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"ugt {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    evaluate = commands.add_parser("evaluate", help="evaluate models against annotations", allow_abbrev=False)
    evaluate.set_defaults(run=_evaluate)
    evaluate.add_argument("--annotations", required=True, metavar="FILE", help="CSV, NPY, NPZ or JSON")
    evaluate.add_argument(
        "--predictions",
        required=True,
        nargs="+",
        metavar="[NAME=]FILE",
        help="one file a model: CSV, NPY or NPZ; default name: that of the file",
    )
    evaluate.add_argument("--out", required=True, metavar="DIR", help="folder for report.html, evaluation.json and the tables as CSV")
    add_reading(evaluate)
    _add_truth(evaluate)
    _add_judging(evaluate)

    certainty = commands.add_parser("certainty", help="how certain annotations leave the truth", allow_abbrev=False)
    certainty.set_defaults(run=_certainty)
    certainty.add_argument("annotations", metavar="FILE", help="annotations: CSV, NPY, NPZ or JSON")
    certainty.add_argument("--out", metavar="FILE.csv", help="write the certainty of every case, least certain first")
    add_reading(certainty)
    _add_truth(certainty)

    _cli_agreement.add(commands)
    _calibrate.add(commands)
    _cli_conformal.add(commands)

    demo = commands.add_parser("demo", help="evaluate three models on generated data with known truth", allow_abbrev=False)
    demo.set_defaults(run=_demo)
    demo.add_argument("--out", default="ugt-demo", metavar="DIR", help="default: %(default)s")
    demo.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    return parser


def _add_truth(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("from annotations to truth")
    choices = ("auto", "dirichlet", "prirn", "irn", "votes", "plackett-luce")
    group.add_argument("--aggregation", choices=choices, help="default: dirichlet for labels, prirn for rankings")
    group.add_argument("--reliability", type=float, nargs="+", metavar="R", help="trust in annotators; everything is done for each")
    group.add_argument("--prior", type=float, help="of every class (dirichlet)")
    group.add_argument("--background", type=float, help="concentration of every class (prirn)")
    group.add_argument("--tie-weight", choices=("split", "full"), help="of tied classes (irn, prirn)")
    group.add_argument("--prior-mass", type=float, help="of all classes together (plackett-luce; default 1)")
    group.add_argument("--unranked", choices=("individual", "lump", "ignore"), help="classes that nobody mentioned (plackett-luce)")
    group.add_argument("--n-draws", type=int, metavar="N", help="kept draws of all chains (plackett-luce; default 1000)")
    group.add_argument("--n-warmup", type=int, metavar="N", help="sweeps before them, in every chain (plackett-luce; default 500)")
    group.add_argument("--n-chains", type=int, metavar="N", help="chains (plackett-luce; default 4)")
    group.add_argument("--seed", type=int, help="of draws and of the bootstrap; default 0")
    group.add_argument("--k", type=int, nargs="+", metavar="K", help="orders of certainty and of top-k accuracy")
    group.add_argument("--ties", choices=("expectation", "first"), help="ties are shared (expectation, default) or broken by position")
    group.add_argument("--threads", type=int, dest="n_threads", metavar="N", help="numbers do not depend on it")


def _add_judging(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("judging models")
    group.add_argument("--missing", choices=("error", "drop"), help="cases without predictions: refuse (default), or leave out and count")
    group.add_argument("--groups", metavar="FILE", help="the group (such as the risk) of every class, one a line")
    group.add_argument("--group-names", nargs="+", metavar="NAME", help="of groups 0, 1, ...")
    group.add_argument("--level", type=float, help="of intervals; default 0.95")
    group.add_argument("--clusters", metavar="FILE", help="CSV with the columns case and cluster (such as the patient): resampled together")
    group.add_argument("--n-boot", type=int, dest="n_resamples", metavar="N", help="resamples of the bootstrap over cases; default 1000")
    group.add_argument("--interval", choices=("percentile", "basic", "bca"), help="kind of bootstrap interval; default percentile")
