"""``ugt conformal``: prediction sets for the cases of one file, calibrated on the annotated cases of another file."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Int64
from .._base.checks import error
from .._tabular.csv_text import write_csv
from .._tabular.whole_file import write_text
from ..annotations import Labels
from ..conformal import MonteCarloConformal, SplitConformal
from ..conformal.sets import PredictionSets
from ..report.digits import Digits
from ..truth import dirichlet, irn, prirn, votes
from .cases import (
    PredictedCases,
    add_input,
    add_resampling,
    annotations_of,
    kind_of,
    of_classes,
    predicted_cases,
    probabilities,
    read_record,
    warn_of_cases_in_both,
    with_notes,
)
from .command import MANY, PREDICTIONS, aligned, decimal, group, new_command, say, spanned, written
from .reading import add_reading


class JudgedSets(NamedTuple):
    """The coverage of the sets of all cases, or of those of a class, a size or a group; in [0, 1]."""

    table: str  # "all", "class", "size" or "group"
    name: Any
    against: str
    coverage: float
    low: float | None
    high: float | None
    draw_low: float | None = None
    draw_high: float | None = None
    weight: float = 0.0  # number of cases


IDS = ("groups", "clusters")  # options whose files have one id per case
MOST_INTERVALS = 100  # classes; intervals of more classes would take longer than everything else

TEXT = """
Writes prediction sets for the cases of one file, calibrated on the annotated cases of another file. The sets come with a guarantee on how
often they hold a label drawn from the annotations of a case (monte-carlo), or the only label of a case (split). If test cases are
annotated, also computes how often the sets cover their truth.

ugt conformal --annotations labels.csv --calibrate validation.csv \\
  --apply test.csv --out sets
ugt conformal --annotations labels.csv --calibrate validation.csv \\
  --apply test.csv --alpha 0.2 --score raps --m 20 --no-empty --out sets
ugt conformal --annotations labels.csv --calibrate validation.csv \\
  --apply test.csv --groups sites-of-cases.csv --out sets --json
"""


def add(commands: Any) -> None:
    usage = "--annotations FILE --calibrate VALIDATION --apply TEST --out DIR [options]"
    parser = new_command(commands, "conformal", run, "write prediction sets with a coverage guarantee", usage, TEXT)
    option = group(parser, "files")
    given = f"annotations of the calibration cases, and of test cases if there are any; {MANY}"
    option("--annotations", "FILE", given, required=True, nargs="+")
    option("--calibrate", "VALIDATION", f"predictions of the calibration cases: {PREDICTIONS}", required=True)
    text = "predictions of the test cases, for which sets are written; coverage is computed if the cases are annotated"
    option("--apply", "TEST", text, required=True)
    own = "annotations of the test cases, in a file of their own, or one per annotator; default: --annotations has them"
    option("--test-annotations", "FILE", own, nargs="+")
    option("--out", "DIR", "folder for sets.csv, sizes.csv, coverage.csv and conformal.json", required=True)
    option = group(parser, "sets")
    option("--method", ("monte-carlo", "split"), "kind of calibration; default: %(default)s", default="monte-carlo")
    truth = "distribution of the labels: shares of labels or inverse ranks, the voted label, or a posterior; default: %(default)s"
    option("--truth", ("auto", "shares", "votes", "dirichlet", "irn", "prirn"), truth, default="auto")
    add_input(option)
    option("--score", ("lac", "aps", "raps"), "conformity score; default: %(default)s", default="aps")
    option("--penalty", "P", "penalty per class beyond --k-reg (raps); default: 0.01", type=float)
    option("--k-reg", "K", "number of classes without a penalty (raps); default: 5", type=int)
    option("--alpha", "A", "error rate: share of cases that sets may miss; default: %(default)s", type=float, default=0.1)
    option("--m", "M", "number of labels sampled per case (monte-carlo); default: 100", type=int)
    option("--correction", ("none", "ecdf"), "guaranteed coverage: 1 - 2 alpha (none), or 1 - alpha (ecdf); default: none")
    option("--by-class", None, "use one threshold per class")
    groups = "CSV file with the columns case and cluster; each cluster gets its own threshold; default: one threshold"
    option("--groups", "FILE", groups)
    option("--no-random", None, "compute scores without random numbers")
    option("--no-empty", None, "keep at least the class with the lowest score in every set")
    option("--seed", "N", "random seed for scores and the bootstrap; default: %(default)s", type=int, default=0)
    option = group(parser, "evaluation")
    add_resampling(option)
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    with written(options.out) as (draft, files):
        given = annotations_of(options)
        known = of_classes(given)
        others = known if options.test_annotations is None else of_classes(annotations_of(options, *options.test_annotations))
        part = predicted_cases("--calibrate", options.calibrate, known, options, True, *IDS)
        annotated = options.test_annotations is not None or options.apply == options.calibrate
        apply = predicted_cases("--apply", options.apply, others, options, annotated, *IDS)
        if apply.case_ids is None and any(getattr(options, name) is not None for name in IDS):
            raise error("--groups and --clusters", "be given for predictions with case ids", "none in --apply")
        given = with_notes(given, part, apply)
        kind = kind_of(options.input, part.scores, apply.scores)
        part, apply = (one._replace(scores=probabilities(one.scores, kind)) for one in (part, apply))
        conformal = _fitted(options, part, known)
        # rows without case ids are other cases than those of the calibration, so their random numbers need no id
        sets = conformal.predict_sets(apply.scores, groups=apply.ids["groups"], case_ids=apply.case_ids)
        members = (" | ".join(map(str, apply.classes[index].tolist())) for index in sets)
        write_csv(draft / "sets.csv", ["case", "size", "classes"], zip(sets.axes.case_ids, sets.sizes, members))
        write_csv(draft / "sizes.csv", sizes := sets.size_table(), zip(*sizes.values()))
        write_text(draft / "conformal.json", conformal.to_json() + "\n")
        rows = _judged(options, sets, apply, others)
        write_csv(draft / "coverage.csv", JudgedSets._fields, rows)
    say(*filter(None, [given.missing_note()]), *_said(conformal, sets, part, apply), "", *_table(rows, options.level))
    say("", f"Sets: {Path(options.out) / 'sets.csv'}")
    names = ("against", "coverage", "low", "high", "draw_low", "draw_high", "n_cases")
    coverage = [dict(zip(names, row[2:])) for row in rows if row.table == "all"]
    return {**_record(conformal, sets, apply), "coverage": coverage, **read_record(given), "files": files}


def _record(conformal: Any, sets: PredictionSets, apply: PredictedCases) -> dict[str, Any]:
    fitted = {name: getattr(conformal, name) for name in ("score", "alpha", "guarantee")}
    fitted.update(method=type(conformal).__name__, n_cases=conformal.n_cases_)
    sizes = {"mean": sets.mean_size, **dict(zip(("p10", "p50", "p90"), np.quantile(sets.sizes, [0.1, 0.5, 0.9]).tolist()))}
    data = {"n_cases": sets.n_cases, "n_classes": len(apply.classes)}
    return {"data": data, "calibration": fitted, "left_out": conformal.left_out_, "sizes": {**sizes, "n_empty": sets.n_empty}}


def _truth(name: str, known: Any) -> Any:
    labels = isinstance(known, Labels)
    if name == "auto":
        name = "shares" if labels else "irn"
    if labels and name in ("shares", "votes", "dirichlet"):
        return dirichlet(known) if name == "dirichlet" else votes(known, kind="mean" if name == "shares" else "majority")
    if type(known).__name__ == "Rankings" and name in ("votes", "irn", "prirn"):
        return votes(known) if name == "votes" else irn(known) if name == "irn" else prirn(known)
    raise error("--truth", f"be one for {type(known).__name__.lower()}", name)


def _fitted(options: argparse.Namespace, part: PredictedCases, known: Any) -> SplitConformal | MonteCarloConformal:
    there = np.flatnonzero(part.rows >= 0)
    if len(there) < len(part.rows):
        n = len(part.rows) - len(there)
        warnings.warn(f"{n:,} of {len(part.rows):,} calibration cases have no annotations and were left out", RuntimeWarning, stacklevel=2)
    truth = _truth(options.truth, known).take(part.rows[there])
    extra: dict[str, Any] = {"class_groups": "each" if options.by_class else None, "randomized": not options.no_random}
    extra.update(allow_empty=not options.no_empty, seed=options.seed)
    extra.update({name: given for name in ("penalty", "k_reg", "m", "correction") if (given := getattr(options, name)) is not None})
    groups = part.ids_of("groups", there)
    if options.method == "monte-carlo":
        return MonteCarloConformal(options.score, options.alpha, **extra).fit(part.scores[there], truth, groups=groups)
    unknown = [name for name in ("m", "correction") if name in extra]
    if unknown:
        raise error(f"--{unknown[0]}", "be left out with --method split", extra[unknown[0]])
    label = _single(truth)
    return SplitConformal(options.score, options.alpha, **extra).fit(part.scores[there], label, groups=groups, case_ids=truth.axes.case_ids)


def _single(truth: Any) -> Int64:
    """Return the label of every case; raise an error if a case has none or several."""
    mean = truth.mean()
    several = ~(mean.max(axis=1) == 1)
    if several.any():
        i = int(np.argmax(several))
        must = "hold one label per case for --method split (or use --truth votes, if no votes are tied)"
        raise error("annotations", must, "none or several", f"case {truth.axes.case_name(i)}")
    return np.asarray(mean.argmax(axis=1), np.int64)


def _judged(options: argparse.Namespace, sets: PredictionSets, apply: PredictedCases, known: object) -> list[JudgedSets]:
    there = np.flatnonzero(apply.rows >= 0)
    truth = _truth(options.truth, known)
    there = there[truth.defined[apply.rows[there]]]
    if len(there) == 0:
        return []
    truth, judged = truth.take(apply.rows[there]), sets.take(there)
    groups, clusters = (apply.ids_of(name, there) for name in IDS)
    resampled = {"level": options.level, "n_resamples": options.n_resamples, "seed": options.seed, "clusters": clusters}
    rows: list[JudgedSets] = []
    for row in judged.coverage(truth).table(**resampled):
        ends = (row.get(name) for name in ("low", "high", "draw_low", "draw_high"))
        rows.append(JudgedSets._make(("all", None, row["against"], row["value"], *ends, row["n_cases"])))
    by_class = {**resampled, "level": options.level if truth.n_classes <= MOST_INTERVALS else None}
    tables = {"class": judged.coverage_by_class(truth, **by_class), "size": judged.coverage_by_group(truth, judged.sizes, **resampled)}
    if groups is not None:
        tables["group"] = judged.coverage_by_group(truth, groups, **resampled)
    for name, table in tables.items():
        for i, one in enumerate(apply.classes[: len(table["class"])] if name == "class" else table["group"]):
            columns = ("coverage", "low", "high", "draw_low", "draw_high", "weight")
            rows.append(JudgedSets._make((name, one, "mass", *(table[column][i] if column in table else None for column in columns))))
    return rows


def _said(conformal: Any, sets: PredictionSets, part: PredictedCases, apply: PredictedCases) -> list[str]:
    lines = [f"{type(conformal).__name__}: {conformal.score}, alpha {conformal.alpha:g}, calibrated on {conformal.n_cases_:,} cases."]
    lines += [f"Left out of the calibration: {reason}: {n:,}." for reason, n in conformal.left_out_.items()]
    like = f"Guaranteed coverage of a label drawn as in the calibration: {conformal.guarantee:.4g}, if cases are exchangeable."
    warn_of_cases_in_both(part.case_ids, apply.case_ids, "calibrated on, so their coverage is")
    quantiles = ", ".join(f"{size:g}" for size in np.quantile(sets.sizes, [0.1, 0.5, 0.9]))
    size = f"Sets of {sets.n_cases:,} cases: mean size {sets.mean_size:.2f}; 10%, 50% and 90% quantiles {quantiles}."
    return [*lines, like, size, f"Empty sets: {sets.n_empty:,}."]


def _table(rows: list[JudgedSets], level: float) -> list[str]:
    found = [row for row in rows if row.table == "all"]
    if not found:
        return ["No test case is annotated, so that no coverage can be computed."]
    words = {"mass": "plausibility mass", "best": "most plausible class", "voted": "voted label"}
    decimals = Digits.proportion((row.low, row.high) for row in found).decimals
    lines = [["coverage of the", f"value ({100 * level:g}% interval)"]]
    lines += [[words[row.against], spanned(row.coverage, row.low, row.high, decimals)] for row in found]
    worst = [row for row in rows if row.table == "class" and row.weight >= 10]
    note = []
    if worst:
        low = min(worst, key=lambda row: row.coverage)
        share = decimal(low.coverage, decimals)
        note = [f"Class with the lowest coverage: {identifiers.name(low.name)}, {share} ({low.weight:.1f} cases)."]
    return [*aligned(lines), *note]
