"""``ugt calibrate``: fit a calibrator to the labels of validation cases and apply it to the predictions of others."""

from __future__ import annotations

import argparse
import copy
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import io
from .._calibrators.logits import Predictions as Logits
from .._calibrators.scaling import softmax
from .._checks import error
from .._disagreement import PredictedDisagreement
from .._evaluation import calibration
from .._evaluation.tables import csv_cell, csv_writer
from .._io.whole_file import write_text
from ..annotations import Labels
from ..calibrators import AlphaCalibration, MatrixScaling, PlattScaling, TemperatureScaling, VectorScaling
from .command import PREDICTIONS, add_output, add_reading, aligned, annotations_of, decimal, files_of, new_command, read_record, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

METHODS: dict[str, Any] = {
    "temperature": TemperatureScaling,
    "platt": PlattScaling,
    "vector": VectorScaling,
    "matrix": MatrixScaling,
    "alpha": AlphaCalibration,
}
PRINTED = ("accuracy", "log_loss", "l_sq", "el", "cl", "ce", "disagreement_l", "disagreement_ce")
PARAMETERS = ("temperature", "slope", "intercept", "penalty_b", "penalty_w")  # numbers of the fit that are told
COLUMNS = ("part", "predictions", "loss", "class", "plugin", "bias", "debiased", "low", "high", "n_cases")


class Part(NamedTuple):
    """Predictions and the labels of the same cases; zeros where there are none."""

    case_ids: NDArray[Any] | None
    scores: Array
    counts: NDArray[np.int64]
    clusters: Any
    features: Array | None
    classes: NDArray[Any]


def add(commands: Any) -> None:
    """The command and its options."""
    parser = new_command(
        commands,
        "calibrate",
        run=run,
        help="fit a calibrator to labels, apply it to predictions",
        usage="--annotations FILE --fit VALIDATION --apply TEST --out DIR [options]",
        text="""
        Fits a calibrator to the label histograms of validation cases, applies it to the predictions of other cases, and judges
        both, before and after, where there are labels. All labels of a case count, not the voted one.""",
        examples="""
        ugt calibrate --annotations labels.csv --fit validation.csv --apply test.csv \\
          --out calibrated
        ugt calibrate --annotations labels.csv --fit validation.csv --apply test.csv \\
          --method vector --penalty-b 0.01 0.1 1 --n-boot 200 --out calibrated
        ugt calibrate --annotations labels.csv --fit validation.csv --apply test.csv \\
          --method alpha --input probabilities --out calibrated --json
        """,
    )
    group = parser.add_argument_group("files")
    group.add_argument("--annotations", required=True, metavar="FILE", help="labels of the validation cases, and of test cases if known")
    group.add_argument("--fit", required=True, metavar="VALIDATION", help=f"predictions of the validation cases: {PREDICTIONS}")
    group.add_argument("--apply", required=True, metavar="TEST", help="predictions to calibrate; judged where their cases have labels")
    test = "labels of the test cases, where --annotations does not hold them; default: it does"
    group.add_argument("--test-annotations", metavar="FILE", help=test)
    group.add_argument("--out", required=True, metavar="DIR", help="folder for calibrated.csv, calibrator.json and calibration.csv")
    group = parser.add_argument_group("calibrator")
    group.add_argument("--method", default="temperature", choices=tuple(METHODS), help="default: %(default)s")
    kinds = ("auto", "logits", "probabilities")
    group.add_argument("--input", default="auto", choices=kinds, help="what predictions are; default: %(default)s (by their values)")
    shifts = "of shifts (vector, matrix); the best of several; default: 0.1 (vector), 1 (matrix)"
    group.add_argument("--penalty-b", type=float, nargs="+", metavar="L", help=shifts)
    off = "off the diagonal (matrix); the best of several; default: 10"
    group.add_argument("--penalty-w", type=float, nargs="+", metavar="L", help=off)
    group.add_argument("--penalty", type=float, metavar="L", help="of log concentrations (alpha); default: 0.005")
    group.add_argument("--floor", type=float, metavar="P", help="probabilities below it count as this much; default: see the calibrator")
    group.add_argument("--features", nargs=2, metavar=("VALIDATION", "TEST"), help="files of features (alpha); default: no features")
    group = parser.add_argument_group("judging")
    clusters = "CSV with the columns case and cluster: kept together; default: every case by itself"
    group.add_argument("--clusters", metavar="FILE", help=clusters)
    group.add_argument("--level", type=float, metavar="P", default=0.95, help="of intervals; default: %(default)s")
    group.add_argument("--n-boot", type=int, default=1000, dest="n_resamples", metavar="N", help="resamples; default: %(default)s")
    group.add_argument("--seed", type=int, metavar="N", default=0, help="of folds and of the bootstrap; default: %(default)s")
    add_reading(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Fit, apply, judge, write."""
    with io.output_folder(options.out) as draft:
        given = annotations_of(options)
        labels = _labels(given.annotations)
        others = labels
        if options.test_annotations is not None:
            others = _labels(annotations_of(_reading(options, options.test_annotations)).annotations)
        fit = _part(options.fit, labels, options, 0)
        apply = _part(options.apply, others, options, 1, judged=options.test_annotations is not None or options.apply == options.fit)
        kind = _kind(options.input, fit, apply)
        calibrator = _fitted(options, fit, kind)
        calibrated = _applied(calibrator, apply)
        _write_table(draft / "calibrated.csv", apply, calibrated)
        write_text(draft / "calibrator.json", calibrator.to_json() + "\n")
        rows, notes = _judged(options, calibrator, kind, {"validation": fit, "test": apply})
        _write_rows(draft / "calibration.csv", rows)
        files = files_of(draft, options.out)
    lines = [*filter(None, [given.missing_note()]), *_said(calibrator, fit, apply), *notes]
    say(*lines, "", *_table(rows), "", f"Calibrated predictions: {Path(options.out) / 'calibrated.csv'}")
    return {**_record(calibrator, apply), "losses": _overall(rows), "notes": notes, **read_record(given), "files": files}


def _record(calibrator: Any, apply: Part) -> dict[str, Any]:
    """What was fitted, as data."""
    fitted = {"calibrator": type(calibrator).__name__, "n_cases": calibrator.n_cases_, "converged": bool(calibrator.converged_)}
    parameters = {name: getattr(calibrator, f"{name}_") for name in PARAMETERS if hasattr(calibrator, f"{name}_")}
    sizes = {"n_cases": len(apply.scores), "n_classes": len(apply.classes)}
    fitted.update(gradient_norm=calibrator.gradient_norm_, parameters=parameters)
    return {"data": sizes, "fit": fitted, "left_out": calibrator.left_out_}


def _overall(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Losses over all classes together."""
    return [{key: value for key, value in row.items() if key != "class"} for row in rows if row["class"] is None]


def _reading(options: argparse.Namespace, path: str) -> argparse.Namespace:
    found = copy.copy(options)
    found.annotations = path
    return found


def _labels(annotations: Any) -> Labels:
    if not isinstance(annotations, Labels):
        raise error("annotations", "be labels for calibration", type(annotations).__name__.lower())
    return annotations


def _part(path: str, labels: Labels, options: argparse.Namespace, which: int, judged: bool = True) -> Part:
    """Predictions of a file beside the labels of their cases."""
    predictions = io.read_predictions(path)
    n = len(predictions.scores)
    if predictions.case_ids is None and not judged:  # rows of other cases than the labels'
        counts = np.zeros((n, labels.n_classes), np.int64)
        if predictions.scores.shape[1] != labels.n_classes:
            raise error("predictions", f"have {labels.n_classes} classes, as the annotations", predictions.scores.shape[1])
        return Part(None, predictions.scores, counts, None, _features(options, which, None), labels.axes.classes)
    scores, rows = predictions.located(labels.axes)
    counts = labels.counts()[rows]
    counts[rows < 0] = 0
    ids = labels.axes.case_ids if predictions.case_ids is None else predictions.case_ids
    clusters = None
    if options.clusters is not None:
        of_case = io.read_clusters(options.clusters)
        missing = [str(case) for case in ids if str(case) not in of_case]
        if missing:
            raise error("clusters", "name the cluster of every case", f"none for {len(missing)} cases", f"case {missing[0]!r}")
        clusters = np.array([of_case[str(case)] for case in ids])
    return Part(predictions.case_ids, scores, counts, clusters, _features(options, which, predictions.case_ids), labels.axes.classes)


def _features(options: argparse.Namespace, which: int, case_ids: Any) -> Array | None:
    """Features of the cases of a file of predictions, in its order."""
    if options.features is None:
        return None
    given = io.read_predictions(options.features[which])
    if case_ids is None or given.case_ids is None:
        return np.asarray(given.scores)
    place = {str(case): i for i, case in enumerate(given.case_ids.tolist())}
    missing = [str(case) for case in case_ids.tolist() if str(case) not in place]
    if missing:
        raise error("features", "cover every case of the predictions", f"none for {len(missing)} cases", f"case {missing[0]!r}")
    return np.asarray(given.scores[[place[str(case)] for case in case_ids.tolist()]])


def _kind(given: str, *parts: Part) -> str:
    if given != "auto":
        return given
    return "probabilities" if all(calibration.is_probability(part.scores) for part in parts) else "logits"


def _fitted(options: argparse.Namespace, fit: Part, kind: str) -> Any:
    wanted = {"penalty": options.penalty} if options.method == "alpha" else {"penalty_b": options.penalty_b, "penalty_w": options.penalty_w}
    if options.method == "alpha" and kind == "logits":
        raise error("method alpha", "be given probabilities", "logits (calibrate them by temperature first)")
    maker = METHODS[options.method]
    calibrator = maker()
    known = calibrator.get_params()
    extra = {"input": kind, "seed": options.seed}
    params = {name: value for name, value in {**wanted, "floor": options.floor}.items() if value is not None}
    unknown = [name for name in params if name not in known]
    if unknown:
        raise error(f"--{unknown[0].replace('_', '-')}", "be left out", f"with method {options.method}")
    if options.features is not None and options.method != "alpha":
        raise error("--features", "be left out", f"with method {options.method}")
    plain = {name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in params.items()}
    calibrator.set_params(**plain, **{name: value for name, value in extra.items() if name in known})
    if options.method == "alpha":
        return calibrator.fit(fit.scores, fit.counts, features=fit.features)
    return calibrator.fit(fit.scores, fit.counts, clusters=fit.clusters)


def _applied(calibrator: Any, part: Part) -> Array:
    more = (part.features,) if isinstance(calibrator, AlphaCalibration) else ()
    return np.asarray(calibrator.transform(part.scores, *more))


def _judged(options: argparse.Namespace, calibrator: Any, kind: str, parts: dict[str, Part]) -> tuple[list[dict[str, Any]], list[str]]:
    """Losses of the predictions before and after, where there are labels."""
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    settings = {"level": options.level, "interval": "percentile", "n_resamples": options.n_resamples}
    for name, part in parts.items():
        kept = part.counts.sum(axis=1) > 0
        if not kept.any():
            continue
        before = part.scores if kind == "probabilities" else _softmax(part.scores)
        judged: dict[str, tuple[Array, Any]] = {"before": (before, None)}
        if isinstance(calibrator, AlphaCalibration):
            judged["after"] = (before, calibrator.distribution(before, part.features).disagreement())
        else:
            judged["after"] = (calibrator.transform(part.scores), None)
        clusters = None if part.clusters is None else part.clusters[kept]
        for when, (probs, law) in judged.items():
            found = calibration.losses(
                part.counts[kept],
                probs[kept],
                options=settings,
                seed=options.seed,
                clusters=clusters,
                classes=part.classes,
                disagreement=None if law is None else _of_kept(law, kept),
            )
            rows += [{"part": name, "predictions": when, **row} for row in found[0]]
            notes += [note for note in found[2] if note not in notes]
    return rows, notes


def _of_kept(law: PredictedDisagreement, kept: NDArray[np.bool_]) -> PredictedDisagreement:
    return PredictedDisagreement(law.overall[kept], law.per_class[kept])


def _softmax(logits: Array) -> Array:
    return np.ascontiguousarray(softmax(Logits.of(logits, "logits").all_logits()).T)


def _said(calibrator: Any, fit: Part, apply: Part) -> list[str]:
    """What was fitted, and to what."""
    name = type(calibrator).__name__
    numbers = {
        "TemperatureScaling": lambda c: f"temperature {c.temperature_:.4g}",
        "PlattScaling": lambda c: f"slope {c.slope_:.4g}, intercept {c.intercept_:.4g}",
        "VectorScaling": lambda c: f"penalty of shifts {c.penalty_b_:g}",
        "MatrixScaling": lambda c: f"penalties {c.penalty_w_:g} off the diagonal, {c.penalty_b_:g} of shifts",
        "AlphaCalibration": lambda c: f"log concentration {c.intercept_:.4g}" + (" + features" if len(c.weights_) else ""),
    }
    state = f"converged, gradient norm {calibrator.gradient_norm_:.1g}" if calibrator.converged_ else "NOT CONVERGED"
    lines = [f"{name}: {numbers[name](calibrator)}, fitted to {calibrator.n_cases_:,} cases ({state})."]
    lines += [f"Left out of the fit: {reason}: {n:,}." for reason, n in calibrator.left_out_.items()]
    if fit.case_ids is not None and apply.case_ids is not None:
        both = len(set(map(str, fit.case_ids)) & set(map(str, apply.case_ids)))
        if both:
            warnings.warn(f"{both:,} test cases were fitted to: losses on them are too good", RuntimeWarning, stacklevel=2)
    return lines


def _table(rows: list[dict[str, Any]]) -> list[str]:
    """The main losses, before and after."""
    if not rows:
        return ["No case has labels to judge."]
    found = {(row["part"], row["predictions"], row["loss"]): row["debiased"] for row in rows if row["class"] is None}
    lines = [["", *PRINTED]]
    for part, when in dict.fromkeys((row["part"], row["predictions"]) for row in rows):
        lines.append([f"{part}, {when}", *(decimal(found[part, when, loss]) for loss in PRINTED)])
    return ["Losses against label histograms (debiased where that is possible):", *aligned(lines)]


def _write_table(path: Path, part: Part, values: Array) -> None:
    ids = range(len(values)) if part.case_ids is None else part.case_ids.tolist()
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv_writer(file)
        writer.writerow(["case", *map(csv_cell, part.classes.tolist())])
        writer.writerows([csv_cell(case), *map(repr, row)] for case, row in zip(ids, values.tolist()))


def _write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv_writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([csv_cell(row[column]) for column in COLUMNS] for row in rows)
