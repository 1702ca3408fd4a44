"""``ugt conformal``: prediction sets for the cases of one file, calibrated on the annotated cases of another."""

from __future__ import annotations

import argparse
import copy
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _ids, io
from .._calibrators.logits import Predictions as Logits
from .._calibrators.scaling import softmax
from .._checks import error
from .._conformal.sets import PredictionSets
from .._evaluation import calibration
from .._evaluation.tables import csv_cell, csv_writer
from .._io.whole_file import write_text
from ..aggregation import dirichlet, irn, prirn, votes
from ..annotations import Labels
from ..conformal import MonteCarloConformal, SplitConformal
from .command import (
    PREDICTIONS,
    add_output,
    add_reading,
    aligned,
    annotations_of,
    decimal,
    files_of,
    new_command,
    of_classes,
    read_record,
    say,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

COLUMNS = ("table", "name", "against", "coverage", "low", "high", "draw_low", "draw_high", "weight")
MOST_INTERVALS = 100  # classes; beyond, their intervals would take longer than all the rest


class Part(NamedTuple):
    """Probabilities of cases, and where these stand among annotated cases (-1: not there)."""

    case_ids: NDArray[Any] | None
    probs: Array
    rows: NDArray[np.int64]
    groups: Any
    clusters: Any
    classes: NDArray[Any]


def add(commands: Any) -> None:
    """The command and its options."""
    parser = new_command(
        commands,
        "conformal",
        run=run,
        help="prediction sets with a coverage guarantee",
        usage="--annotations FILE --calibrate VALIDATION --apply TEST --out DIR [options]",
        text="""
        Makes prediction sets for the cases of one file, calibrated on the annotated cases of another, with a guarantee on how
        often they hold a label drawn from what annotators say (monte-carlo) or the only label of a case (split). Coverage is
        judged where the test cases are annotated.""",
        examples="""
        ugt conformal --annotations labels.csv --calibrate validation.csv \\
          --apply test.csv --out sets
        ugt conformal --annotations labels.csv --calibrate validation.csv \\
          --apply test.csv --alpha 0.2 --score raps --m 20 --no-empty --out sets
        ugt conformal --annotations labels.csv --calibrate validation.csv \\
          --apply test.csv --groups sites-of-cases.csv --out sets --json
        """,
    )
    _add_files(parser)
    group = parser.add_argument_group("sets")
    group.add_argument("--method", default="monte-carlo", choices=("monte-carlo", "split"), help="default: %(default)s")
    truths = ("auto", "shares", "votes", "dirichlet", "irn", "prirn")
    group.add_argument("--truth", default="auto", choices=truths, help=_TRUTH_HELP)
    kinds = ("auto", "logits", "probabilities")
    group.add_argument("--input", default="auto", choices=kinds, help="what predictions are; default: %(default)s (by their values)")
    group.add_argument("--score", default="aps", choices=("lac", "aps", "raps"), help="of conformity; default: %(default)s")
    group.add_argument("--penalty", type=float, metavar="P", help="of raps; default: 0.01")
    group.add_argument("--k-reg", type=int, metavar="K", help="places without a penalty (raps); default: 5")
    group.add_argument("--alpha", type=float, metavar="A", default=0.1, help="error rate; default: %(default)s")
    group.add_argument("--m", type=int, metavar="M", help="labels sampled a case (monte-carlo); default: 100")
    correction = "none: coverage of 1 - 2 alpha guaranteed; ecdf: 1 - alpha; default: none"
    group.add_argument("--correction", choices=("none", "ecdf"), help=correction)
    group.add_argument("--by-class", action="store_true", help="a threshold for each class")
    groups = "CSV with the columns case and cluster: groups of cases with thresholds of their own; default: one threshold"
    group.add_argument("--groups", metavar="FILE", help=groups)
    group.add_argument("--no-random", action="store_true", help="scores without random numbers")
    group.add_argument("--no-empty", action="store_true", help="every set holds at least the class of the lowest score")
    group.add_argument("--seed", type=int, metavar="N", default=0, help="of random numbers and of the bootstrap; default: %(default)s")
    group = parser.add_argument_group("judging")
    clusters = "CSV with the columns case and cluster: resampled together; default: every case by itself"
    group.add_argument("--clusters", metavar="FILE", help=clusters)
    group.add_argument("--level", type=float, metavar="P", default=0.95, help="of intervals; default: %(default)s")
    group.add_argument("--n-boot", type=int, default=1000, dest="n_resamples", metavar="N", help="resamples; default: %(default)s")
    add_reading(parser)
    add_output(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files")
    group.add_argument("--annotations", required=True, metavar="FILE", help="of the calibration cases, and of test cases if known")
    group.add_argument("--calibrate", required=True, metavar="VALIDATION", help=f"predictions of the calibration cases: {PREDICTIONS}")
    group.add_argument("--apply", required=True, metavar="TEST", help="predictions to make sets of; judged where cases are annotated")
    test = "of the test cases, where --annotations does not hold them; default: it does"
    group.add_argument("--test-annotations", metavar="FILE", help=test)
    group.add_argument("--out", required=True, metavar="DIR", help="folder for sets.csv, sizes.csv, coverage.csv and conformal.json")


_TRUTH_HELP = "where labels are drawn from: shares of labels or inverse ranks, the voted label, or a posterior; default: %(default)s"


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Calibrate, predict, judge, write."""
    with io.output_folder(options.out) as draft:
        given = annotations_of(options)
        known = of_classes(given)
        others = known if options.test_annotations is None else of_classes(annotations_of(_reading(options, options.test_annotations)))
        part = _part(options.calibrate, known, options, True)
        apply = _part(options.apply, others, options, options.test_annotations is not None or options.apply == options.calibrate)
        part, apply = _probabilities(options.input, part, apply)
        conformal = _fitted(options, part, known)
        # without case ids the rows of another file are other cases: their random numbers are others anyhow
        sets = conformal.predict_sets(apply.probs, groups=apply.groups, case_ids=apply.case_ids)
        _write_sets(draft / "sets.csv", sets, apply.classes)
        _write(draft / "sizes.csv", sets.size_table())
        write_text(draft / "conformal.json", conformal.to_json() + "\n")
        rows = _judged(options, sets, apply, others)
        _write(draft / "coverage.csv", {column: [row.get(column) for row in rows] for column in COLUMNS})
        files = files_of(draft, options.out)
    say(*filter(None, [given.missing_note()]), *_said(conformal, sets, part, apply), "", *_table(rows, conformal))
    say("", f"Sets: {Path(options.out) / 'sets.csv'}")
    return {**_record(conformal, sets, apply), "coverage": _overall(rows), **read_record(given), "files": files}


def _record(conformal: Any, sets: PredictionSets, apply: Part) -> dict[str, Any]:
    """What was calibrated and what came out, as data."""
    fitted = {name: getattr(conformal, name) for name in ("score", "alpha", "guarantee")}
    fitted.update(method=type(conformal).__name__, n_cases=conformal.n_cases_)
    sizes = {"mean": sets.mean_size, **dict(zip(("p10", "p50", "p90"), np.quantile(sets.sizes, [0.1, 0.5, 0.9]).tolist()))}
    data = {"n_cases": sets.n_cases, "n_classes": len(apply.classes)}
    return {"data": data, "calibration": fitted, "left_out": conformal.left_out_, "sizes": {**sizes, "n_empty": sets.n_empty}}


def _overall(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Coverage over all cases, against each idea of the truth."""
    columns = ("against", "coverage", "low", "high", "draw_low", "draw_high", "n_cases")
    return [{column: row.get(column) for column in columns} for row in rows if row["table"] == "all"]


def _reading(options: argparse.Namespace, path: str) -> argparse.Namespace:
    found = copy.copy(options)
    found.annotations = path
    return found


def _part(path: str, known: Any, options: argparse.Namespace, annotated: bool) -> Part:
    """Predictions of a file beside the annotated cases."""
    predictions = io.read_predictions(path)
    if predictions.case_ids is None and not annotated:  # rows of other cases than the annotations'
        if predictions.scores.shape[1] != known.n_classes:
            raise error("predictions", f"have {known.n_classes} classes, as the annotations", predictions.scores.shape[1])
        if options.groups is not None or options.clusters is not None:
            raise error("--groups and --clusters", "be given for predictions with case ids", "none in --apply")
        return Part(None, predictions.scores, np.full(len(predictions.scores), -1), None, None, known.axes.classes)
    scores, rows = predictions.located(known.axes)
    ids = known.axes.case_ids if predictions.case_ids is None else predictions.case_ids
    groups, clusters = (_of_cases(name, getattr(options, name), ids) for name in ("groups", "clusters"))
    return Part(ids, scores, rows.astype(np.int64), groups, clusters, known.axes.classes)


def _of_cases(name: str, path: str | None, ids: NDArray[Any]) -> NDArray[Any] | None:
    if path is None:
        return None
    of_case = io.read_clusters(path)
    missing = [case for case in ids.tolist() if str(case) not in of_case]
    if missing:
        raise error(f"--{name}", "name one for every case", f"none for {len(missing)} cases", f"case {missing[0]!r}")
    return np.array([of_case[str(case)] for case in ids.tolist()])


def _probabilities(given: str, *parts: Part) -> tuple[Part, Part]:
    kind = given
    if given == "auto":
        kind = "probabilities" if all(calibration.is_probability(part.probs) for part in parts) else "logits"
    if kind == "logits":
        parts = tuple(part._replace(probs=np.ascontiguousarray(softmax(Logits.of(part.probs, "logits").all_logits()).T)) for part in parts)
    return parts[0], parts[1]


def _truth(name: str, known: Any) -> Any:
    """What labels are drawn from."""
    labels = isinstance(known, Labels)
    if name == "auto":
        name = "shares" if labels else "irn"
    if labels and name in ("shares", "votes", "dirichlet"):
        return dirichlet(known) if name == "dirichlet" else votes(known, kind="mean" if name == "shares" else "majority")
    if type(known).__name__ == "Rankings" and name in ("votes", "irn", "prirn"):
        return votes(known) if name == "votes" else irn(known) if name == "irn" else prirn(known)
    raise error("--truth", f"be one for {type(known).__name__.lower()}", name)


def _fitted(options: argparse.Namespace, part: Part, known: Any) -> SplitConformal | MonteCarloConformal:
    there = np.flatnonzero(part.rows >= 0)
    if len(there) == 0:
        raise error("--calibrate", "have predictions for annotated cases", "none")
    if len(there) < len(part.rows):
        n = len(part.rows) - len(there)
        warnings.warn(f"{n:,} calibration cases are not annotated: left out", RuntimeWarning, stacklevel=2)
    truth = _truth(options.truth, known).take(part.rows[there])
    extra: dict[str, Any] = {"class_groups": "each" if options.by_class else None, "randomized": not options.no_random}
    named = {"penalty": options.penalty, "k_reg": options.k_reg, "m": options.m, "correction": options.correction}
    extra.update({name: value for name, value in named.items() if value is not None})
    extra.update(allow_empty=not options.no_empty, seed=options.seed)
    groups = None if part.groups is None else part.groups[there]
    if options.method == "monte-carlo":
        return MonteCarloConformal(options.score, options.alpha, **extra).fit(part.probs[there], truth, groups=groups)
    unknown = [name for name in ("m", "correction") if name in extra]
    if unknown:
        raise error(f"--{unknown[0]}", "be left out", "with --method split")
    label = _single(truth)
    found = SplitConformal(options.score, options.alpha, **extra)
    return found.fit(part.probs[there], label, groups=groups, case_ids=truth.axes.case_ids)


def _single(truth: Any) -> NDArray[np.int64]:
    """The label of every case, where there is only one."""
    mean = truth.mean()
    several = ~(mean.max(axis=1) == 1)
    if several.any():
        i = int(np.argmax(several))
        must = "be one label a case for --method split (or take --truth votes, where votes are not tied)"
        raise error("annotations", must, "none or several", f"case {truth.axes.case_name(i)}")
    return np.asarray(mean.argmax(axis=1), np.int64)


def _judged(options: argparse.Namespace, sets: PredictionSets, apply: Part, known: Any) -> list[dict[str, Any]]:
    """Coverage where the test cases are annotated."""
    there = np.flatnonzero(apply.rows >= 0)
    truth = _truth(options.truth, known)
    there = there[truth.defined[apply.rows[there]]]
    if len(there) == 0:
        return []
    truth, judged = truth.take(apply.rows[there]), sets.take(there)
    resampled = {"level": options.level, "n_resamples": options.n_resamples, "seed": options.seed}
    resampled["clusters"] = None if apply.clusters is None else apply.clusters[there]
    rows: list[dict[str, Any]] = []
    for row in judged.coverage(truth).table(**resampled):
        rows.append({"table": "all", "name": None, **row, "coverage": row["value"], "weight": row["n_cases"]})
    by_class = {**resampled, "level": options.level if truth.n_classes <= MOST_INTERVALS else None}
    tables = {"class": judged.coverage_by_class(truth, **by_class), "size": judged.coverage_by_group(truth, judged.sizes, **resampled)}
    if apply.groups is not None:
        tables["group"] = judged.coverage_by_group(truth, apply.groups[there], **resampled)
    for name, table in tables.items():
        names = table["class"] if name == "class" else table["group"]
        if name == "class":
            names = [apply.classes[k] for k in range(len(names))]
        for i, one in enumerate(names):
            row = {column: table[column][i] for column in ("weight", "coverage", "low", "high") if column in table}
            rows.append({"table": name, "name": one, "against": "mass", **row})
    return rows


def _said(conformal: Any, sets: PredictionSets, part: Part, apply: Part) -> list[str]:
    """What was calibrated, what came out."""
    lines = [f"{type(conformal).__name__}: {conformal.score}, alpha {conformal.alpha:g}, calibrated on {conformal.n_cases_:,} cases."]
    lines += [f"Left out of the calibration: {reason}: {n:,}." for reason, n in conformal.left_out_.items()]
    lines.append(
        f"Guaranteed coverage of a label drawn like those of the calibration: {conformal.guarantee:.4g}, if cases are exchangeable."
    )
    if apply.case_ids is not None and part.case_ids is not None:
        both = len(set(map(str, part.case_ids.tolist())) & set(map(str, apply.case_ids.tolist())))
        if both:
            warnings.warn(f"{both:,} test cases were calibrated on: coverage of them is too good", RuntimeWarning, stacklevel=2)
    sizes = np.quantile(sets.sizes, [0.1, 0.5, 0.9])
    lines.append(
        f"Sets of {sets.n_cases:,} cases: mean size {sets.mean_size:.2f}, 10 % / 50 % / 90 % {sizes[0]:g} / {sizes[1]:g} / {sizes[2]:g}."
    )
    return [*lines, f"Empty sets: {sets.n_empty:,}."]


def _table(rows: list[dict[str, Any]], conformal: Any) -> list[str]:
    found = [row for row in rows if row["table"] == "all"]
    if not found:
        return ["No test case is annotated: coverage is not judged."]
    words = {"mass": "plausibility mass", "best": "most plausible class", "voted": "voted label"}
    lines = [["coverage of the", "value", "low", "high"]]
    lines += [[words[row["against"]], *(decimal(row[key]) for key in ("coverage", "low", "high"))] for row in found]
    worst = [row for row in rows if row["table"] == "class" and row["weight"] >= 10]
    note = []
    if worst:
        low = min(worst, key=lambda row: row["coverage"])
        note = [f"Lowest class: {_ids.name(low['name'])} with {decimal(low['coverage'])} ({low['weight']:.1f} cases)."]
    return [*aligned(lines), *note]


def _write_sets(path: Path, sets: PredictionSets, classes: NDArray[Any]) -> None:
    """A row a case: how many classes, and which."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv_writer(file)
        writer.writerow(["case", "size", "classes"])
        for i, index in enumerate(sets):
            names = " | ".join(str(name) for name in classes[index].tolist())
            writer.writerow([csv_cell(sets.axes.case_ids[i]), len(index), csv_cell(names)])


def _write(path: Path, table: dict[str, list[Any]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv_writer(file)
        writer.writerow(table)
        writer.writerows([csv_cell(value) for value in row] for row in zip(*table.values()))
