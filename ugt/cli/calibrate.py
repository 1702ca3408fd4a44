"""``ugt calibrate``: fit a calibrator to the labels of validation cases, and apply it to the predictions of other cases."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import io
from .._base import identifiers
from .._base.arrays import Array, Int64
from .._base.checks import error
from .._base.notes import Note
from .._tabular.csv_text import write_csv
from .._tabular.whole_file import write_text
from ..annotations import Labels, Ratings
from ..calibration import AlphaCalibration, MatrixScaling, PlattScaling, TemperatureScaling, VectorScaling
from ..calibration.pairs_of_labels import PredictedDisagreement
from ..evaluation.input import aggregation_input
from ..evaluation.passes import resampled
from ..tables.calibration import LossRow, ModelLosses
from ..tables.context import Options
from ..tables.rows import cells_of, columns_of
from .cases import (
    PredictedCases,
    add_input,
    add_resampling,
    annotations_of,
    beside,
    kind_of,
    predicted_cases,
    probabilities,
    read_record,
    warn_of_cases_in_both,
    with_notes,
)
from .command import MANY, PREDICTIONS, aligned, decimal, group, new_command, say, written
from .reading import add_reading

METHODS: dict[str, Any] = {
    "temperature": TemperatureScaling,
    "platt": PlattScaling,
    "vector": VectorScaling,
    "matrix": MatrixScaling,
    "alpha": AlphaCalibration,
}
PRINTED = ("accuracy", "log_loss", "l_sq", "el", "cl", "ce", "disagreement_l", "disagreement_ce")
PARAMETERS = ("temperature", "slope", "intercept", "penalty_b", "penalty_w")  # numbers of the fit that the JSON holds


class LossOfPart(NamedTuple):
    """A loss of the predictions before or after calibration, in a part of the data."""

    part: str
    predictions: str
    loss: LossRow

    def cells(self) -> dict[str, Any]:
        """Return the values under their columns."""
        return {"part": self.part, "predictions": self.predictions, **{n: v for n, v in cells_of(self.loss).items() if n != "model"}}


COLUMNS = ("part", "predictions", *columns_of(LossRow)[1:])

TEXT = """
Fits a calibrator to the label histograms of validation cases, and applies it to the predictions of test cases. If cases have labels,
computes the losses of their predictions before and after calibration. All labels of a case count, not only the voted label.

ugt calibrate --annotations labels.csv --fit validation.csv --apply test.csv \\
  --out calibrated
ugt calibrate --annotations labels.csv --fit validation.csv --apply test.csv \\
  --method vector --penalty-b 0.01 0.1 1 --n-boot 200 --out calibrated
ugt calibrate --annotations labels.csv --fit validation.csv --apply test.csv \\
  --method alpha --input probabilities --out calibrated --json
"""


def add(commands: Any) -> None:
    usage = "--annotations FILE --fit VALIDATION --apply TEST --out DIR [options]"
    parser = new_command(commands, "calibrate", run, "fit a calibrator to labels, and apply it to predictions", usage, TEXT)
    option = group(parser, "files")
    given = f"labels of the validation cases, and of test cases if there are any; {MANY}"
    option("--annotations", "FILE", given, required=True, nargs="+")
    option("--fit", "VALIDATION", f"predictions of the validation cases: {PREDICTIONS}", required=True)
    option("--apply", "TEST", "predictions of the test cases, to be calibrated; they are evaluated if the cases have labels", required=True)
    own = "labels of the test cases, in a file of their own, or one per annotator; default: --annotations has them"
    option("--test-annotations", "FILE", own, nargs="+")
    option("--out", "DIR", "folder for calibrated.csv, calibrator.json and calibration.csv", required=True)
    option = group(parser, "calibrator")
    option("--method", tuple(METHODS), "calibrator; default: %(default)s", default="temperature")
    add_input(option)
    text = "penalty of shifts (vector, matrix); of several, the one with the lowest loss; default: 0.1 (vector), 1 (matrix)"
    option("--penalty-b", "L", text, type=float, nargs="+")
    text = "penalty of weights off the diagonal (matrix); of several, the one with the lowest loss; default: 10"
    option("--penalty-w", "L", text, type=float, nargs="+")
    option("--penalty", "L", "penalty of log concentrations (alpha); default: 0.005", type=float)
    option("--floor", "P", "smallest probability; lower ones are raised to it; default: that of the calibrator", type=float)
    text = "two files of features, for validation and test cases (alpha); default: no features"
    option("--features", "FILES", text, nargs=2, metavar=("VALIDATION", "TEST"))
    option = group(parser, "evaluation")
    add_resampling(option, "folds and the bootstrap")
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    with written(options.out) as (draft, files):
        given = annotations_of(options)
        labels = _labels(given)
        others = labels if options.test_annotations is None else _labels(annotations_of(options, *options.test_annotations))
        fit = _Part.of(options.fit, labels, options, 0)
        apply = _Part.of(options.apply, others, options, 1, options.test_annotations is not None or options.apply == options.fit)
        given = with_notes(given, fit.cases, apply.cases)
        kind = kind_of(options.input, fit.cases.scores, apply.cases.scores)
        calibrator = _fitted(options, fit, kind)
        more = (apply.features,) if isinstance(calibrator, AlphaCalibration) else ()
        calibrated = np.asarray(calibrator.transform(apply.cases.scores, *more))
        ids = range(len(calibrated)) if apply.cases.own_ids is None else apply.cases.own_ids.tolist()
        rows_of_cases = ([case, *row] for case, row in zip(ids, calibrated.tolist()))
        write_csv(draft / "calibrated.csv", ["case", *apply.cases.classes.tolist()], rows_of_cases)
        write_text(draft / "calibrator.json", calibrator.to_json() + "\n")
        rows, notes = _judged(options, calibrator, kind, {"validation": fit, "test": apply})
        write_csv(draft / "calibration.csv", COLUMNS, (row.cells().values() for row in rows))
    lines = [*filter(None, [given.missing_note()]), *_said(calibrator, fit, apply), *map(str, notes)]
    say(*lines, "", *_table(rows), "", f"Calibrated predictions: {Path(options.out) / 'calibrated.csv'}")
    losses = [{key: value for key, value in row.cells().items() if key != "class"} for row in rows if row.loss.class_ is None]
    return {**_record(calibrator, apply), "losses": losses, "notes": notes, **read_record(given), "files": files}


def _record(calibrator: Any, apply: _Part) -> dict[str, Any]:
    fitted = {
        "calibrator": type(calibrator).__name__,
        "n_cases": calibrator.n_cases_,
        "converged": bool(calibrator.converged_),
        "gradient_norm": calibrator.gradient_norm_,
        "parameters": {name: getattr(calibrator, f"{name}_") for name in PARAMETERS if hasattr(calibrator, f"{name}_")},
    }
    sizes = {"n_cases": len(apply.cases.scores), "n_classes": len(apply.cases.classes)}
    return {"data": sizes, "fit": fitted, "left_out": calibrator.left_out_}


def _labels(read: io.AnnotationFile) -> Labels:
    known = aggregation_input(read.annotations)
    if not isinstance(known, Labels):
        must = "be labels, or ratings of stated grades (--scale 1,2,3), for calibration"
        raise error("annotations", must, "ratings on a real scale" if isinstance(known, Ratings) else type(known).__name__.lower())
    return known


class _Part(NamedTuple):
    """The predictions of a file, and the counts of labels of the same cases; zeros for cases without labels."""

    cases: PredictedCases
    counts: Int64
    features: Array | None

    @classmethod
    def of(cls, path: str, labels: Labels, options: argparse.Namespace, which: int, judged: bool = True) -> _Part:
        cases = predicted_cases(("--fit", "--apply")[which], path, labels, options, judged, "clusters")
        counts = labels.counts()[cases.rows]
        counts[cases.rows < 0] = 0
        features, notes = _features(options, which, path, cases.case_ids)
        return cls(cases._replace(notes=(*cases.notes, *notes)), counts, features)


def _features(options: argparse.Namespace, which: int, path: str, case_ids: Any) -> tuple[Array | None, list[Note]]:
    """Return the features of the cases of a file of predictions, in its order, and a note if they are joined by position."""
    if options.features is None:
        return None, []
    given = io.read_predictions(options.features[which], **beside(options, options.features[which], "decimal"))
    if case_ids is None or given.case_ids is None:
        names = [os.path.basename(one) for one in (options.features[which], path)]
        first = f", case {identifiers.name(case_ids[0])}" if case_ids is not None and len(case_ids) else ""
        words = "The features of {file} were joined by position: row 1 is row 1 of {other}{first}."
        return np.asarray(given.scores), [Note("joined_by_position", words, file=names[0], other=names[1], first=first)]
    place = {str(case): i for i, case in enumerate(given.case_ids.tolist())}
    missing = [str(case) for case in case_ids.tolist() if str(case) not in place]
    if missing:
        raise error("features", "cover every case of the predictions", f"none for {len(missing)} cases", f"case {missing[0]!r}")
    return np.asarray(given.scores[[place[str(case)] for case in case_ids.tolist()]]), []


def _fitted(options: argparse.Namespace, fit: _Part, kind: str) -> Any:
    wanted = {"penalty": options.penalty} if options.method == "alpha" else {"penalty_b": options.penalty_b, "penalty_w": options.penalty_w}
    if options.method == "alpha" and kind == "logits":
        raise error("--method alpha", "be used with probabilities (calibrate logits with --method temperature first)", "logits")
    calibrator = METHODS[options.method]()
    known = calibrator.get_params()
    extra = {"input": kind, "seed": options.seed}
    params = {name: value for name, value in {**wanted, "floor": options.floor}.items() if value is not None}
    unknown = [name for name in params if name not in known]
    if unknown:
        given = " ".join(f"{value:g}" for value in np.atleast_1d(params[unknown[0]]))
        raise error(f"--{unknown[0].replace('_', '-')}", f"be left out with --method {options.method}", given)
    if options.features is not None and options.method != "alpha":
        raise error("--features", f"be left out with --method {options.method}", " ".join(options.features))
    plain = {name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in params.items()}
    calibrator.set_params(**plain, **{name: value for name, value in extra.items() if name in known})
    if options.method == "alpha":
        return calibrator.fit(fit.cases.scores, fit.counts, features=fit.features)
    return calibrator.fit(fit.cases.scores, fit.counts, clusters=fit.cases.ids["clusters"])


def _judged(options: argparse.Namespace, calibrator: Any, kind: str, parts: dict[str, _Part]) -> tuple[list[LossOfPart], list[Note]]:
    """Return the losses of the predictions before and after calibration, for cases with labels, and notes on them."""
    rows: list[LossOfPart] = []
    notes: list[Note] = []
    settings = Options(level=options.level, n_resamples=options.n_resamples)
    for name, part in parts.items():
        kept = part.counts.sum(axis=1) > 0
        if not kept.any():
            continue
        before = probabilities(part.cases.scores, kind)
        judged: dict[str, tuple[Array, Any]] = {"before": (before, None)}
        if isinstance(calibrator, AlphaCalibration):
            law = calibrator.distribution(before, part.features).disagreement()
            judged["after"] = (before, PredictedDisagreement(law.overall[kept], law.per_class[kept]))
        else:
            judged["after"] = (calibrator.transform(part.cases.scores), None)
        for when, (probs, own) in judged.items():
            found = ModelLosses(part.counts[kept], probs[kept], settings, part.cases.classes, own)
            intervals = resampled(found.asks, part.cases.ids_of("clusters", kept), options.seed)
            rows += [LossOfPart(name, when, row) for row in found.rows(intervals)]
            notes += [note for note in found.notes if note not in notes]
    return rows, notes


def _said(calibrator: Any, fit: _Part, apply: _Part) -> list[str]:
    name = type(calibrator).__name__
    numbers = {
        "TemperatureScaling": lambda c: f"temperature {c.temperature_:.4g}",
        "PlattScaling": lambda c: f"slope {c.slope_:.4g}, intercept {c.intercept_:.4g}",
        "VectorScaling": lambda c: f"penalty of shifts {c.penalty_b_:g}",
        "MatrixScaling": lambda c: f"penalties {c.penalty_w_:g} off the diagonal, {c.penalty_b_:g} of shifts",
        "AlphaCalibration": lambda c: f"log concentration {c.intercept_:.4g}" + (" + features" if len(c.weights_) else ""),
    }
    state = (
        f"converged, gradient norm {calibrator.gradient_norm_:.1g}" if calibrator.converged_ else "NOT CONVERGED, so the fit may be wrong"
    )
    lines = [f"{name}: {numbers[name](calibrator)}, fitted to {calibrator.n_cases_:,} cases ({state})."]
    lines += [f"Left out of the fit: {reason}: {n:,}." for reason, n in calibrator.left_out_.items()]
    warn_of_cases_in_both(fit.cases.own_ids, apply.cases.own_ids, "fitted to, so their losses are")
    return lines


def _table(rows: Sequence[LossOfPart]) -> list[str]:
    if not rows:
        return ["No case has labels, so that no loss can be computed."]
    found = {(row.part, row.predictions, row.loss.loss): row.loss.debiased for row in rows if row.loss.class_ is None}
    lines = [["", *PRINTED]]
    for part, when in dict.fromkeys((row.part, row.predictions) for row in rows):
        lines.append([f"{part}, {when}", *(decimal(found[part, when, loss]) for loss in PRINTED)])
    return ["Losses against label histograms (debiased if possible):", *aligned(lines)]
