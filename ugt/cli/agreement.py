"""``ugt agreement``: how far annotators agree, by every usual coefficient, by pair and by annotator."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from .._base.checks import error
from .._tabular.csv_text import write_csv
from ..agreement.coefficients import OF_PAIRS
from ..agreement.costs import LEVELS
from ..agreement.overviews import COLUMNS, AgreementTable, PairwiseAgreement, agreement_table, pairwise_agreement
from ..annotations import Labels, Rankings, Ratings
from ..evaluation import facts
from ..report.context import Annotated
from ..report.sections.agreement import of_rankings, ranking_rows
from .cases import add_resampling, annotations_of, of_cases, read_record
from .command import ANNOTATIONS, add_reading, aligned, decimal, group, new_command, say, written

SHOWN = 12  # annotators in the printed table

TEXT = """
Every usual coefficient of agreement with an interval: percent agreement, kappas, Gwet's AC1, Krippendorff's alpha and others for labels;
coefficients of ordered classes with --weights; intraclass correlations with --ratings; leave-one-annotator-out agreement and overlap for
rankings. Then each annotator against the others, lowest first.

ugt agreement readings.csv
ugt agreement readings.csv --clusters patients.csv --n-boot 200 --out agreement
ugt agreement grades.csv --weights quadratic --levels nominal ordinal
ugt agreement grades.csv --ratings --json
"""


def add(commands: Any) -> None:
    parser = new_command(commands, "agreement", run, "how far annotators agree with each other", "FILE [options]", TEXT)
    option = group(parser, "files")
    option("annotations", "FILE", ANNOTATIONS)
    option("--out", "DIR", "folder for agreement.csv, classes.csv, pairs.csv and annotators.csv; default: print only")
    option = group(parser, "agreement")
    option("--ratings", None, "labels are numbers on a scale")
    option("--weights", ("linear", "quadratic"), "of disagreements between ordered classes; default: all disagreements alike")
    levels = "scales of Krippendorff's alpha: nominal, ordinal, interval, ratio; default: nominal; with --ratings interval ordinal"
    option("--levels", LEVELS, levels, nargs="+", metavar="SCALE")
    option("--coefficient", tuple(OF_PAIRS), "of pairs of annotators; default: %(default)s", default="cohen")
    option("--interval", ("percentile", "basic", "bca", "analytic"), "kind of interval; default: %(default)s", default="percentile")
    add_resampling(option, "of the bootstrap")
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    with written(options.out) as (draft, files):
        read = annotations_of(options)
        given = _as_ratings(read.annotations) if options.ratings else read.annotations
        _check(given, options)
        lines, found = _of_rankings(given, options) if isinstance(given, Rankings) else _of_labels(given, options, draft)
    say(*filter(None, [read.missing_note()]), *lines)
    if draft is not None:
        say("", f"Tables: {options.out}")
    return {"data": _sizes(given), **found, **read_record(read), "files": files}


def _check(given: Any, options: argparse.Namespace) -> None:
    """Refuse options that mean nothing for these annotations."""
    kind = type(given).__name__.lower()
    unused = {"ratings": ("weights",), "rankings": ("out", "weights", "levels")}.get(kind, ())
    for name in unused:
        if getattr(options, name) is not None:
            raise error(f"--{name}", f"be left out for {kind}", repr(getattr(options, name)))
    if kind == "rankings" and options.interval == "analytic":
        raise error("--interval", "be a bootstrap interval for rankings", "'analytic'")


def _sizes(given: Any) -> dict[str, Any]:
    if isinstance(given, Ratings):
        return {"kind": "ratings", "n_cases": len(given.case_ids), "n_annotators": len(given.annotators), "n_annotations": len(given.value)}
    return facts.data_summary(Annotated(given, np.arange(given.n_cases)))


def _as_ratings(given: Any) -> Ratings:
    if isinstance(given, Ratings):
        return given
    if not isinstance(given, Labels) or len(given.annotators) == 0:
        raise error("annotations", "be labels by named annotators to be taken for ratings", type(given).__name__)
    try:
        numbers = given.axes.classes.astype(np.float64)
    except ValueError:
        raise error("labels", "be numbers to be taken for ratings", ", ".join(map(repr, given.axes.classes[:3].tolist()))) from None
    return Ratings(given.axes.case_ids, given.annotators, given.offsets, given.annotator, numbers[given.label], given.axes.numbered)


def _resampling(options: argparse.Namespace) -> dict[str, Any]:
    clusters = None if options.clusters is None else of_cases("clusters", options.clusters, options)
    return {"kind": options.interval, "clusters": clusters, "n_resamples": options.n_resamples, "seed": options.seed}


def _of_rankings(given: Rankings, options: argparse.Namespace) -> tuple[list[str], dict[str, Any]]:
    """Rankings have no coefficients corrected for chance."""
    found, resampling = of_rankings(given), _resampling(options)
    rows = ranking_rows(found, [one.interval(options.level, **resampling) for one in found.values()], len(given.annotators))
    lines = [[row["coefficient"], *(decimal(row[key]) for key in ("value", "low", "high")), str(row["n_cases"])] for row in rows]
    record: dict[str, Any] = {"left_out": {}, "agreement": rows, "pairs": None, "annotators": []}
    return aligned([["agreement of rankings", "value", "low", "high", "cases"], *lines]), record


def _of_labels(given: Labels | Ratings, options: argparse.Namespace, draft: Path | None) -> tuple[list[str], dict[str, Any]]:
    table = agreement_table(given, weights=options.weights if isinstance(given, Labels) else None, levels=options.levels)
    rows = table.rows(options.level, **_resampling(options))
    pairs = None
    if isinstance(given, Labels) and len(given.annotators) > 1:
        pairs = pairwise_agreement(given, options.coefficient, weights=options.weights)
    if draft is not None:
        _write(draft, table, rows, pairs)
    lines = table.text_of(rows, options.level).splitlines()
    lines += [f"Left out: {reason}: {n:,}." for reason, n in table.left_out.items()]
    annotators: list[dict[str, Any]] = []
    if pairs is not None:
        annotators = _annotators(pairs)
        title = f"Each annotator against the others ({pairs.coefficient}, mean of pairs, lowest first):"
        shown = [[row["annotator"], f"{row['n_cases']:,}", decimal(row["value"])] for row in annotators[:SHOWN]]
        lines += ["", title, *aligned([["annotator", "cases", "agreement"], *shown])]
    record = {"left_out": table.left_out, "agreement": rows, "pairs": None if pairs is None else pairs.coefficient}
    return lines, {**record, "annotators": annotators}


def _annotators(pairs: PairwiseAgreement) -> list[dict[str, Any]]:
    """The annotators, those first that agree least with the others."""
    order = np.argsort(np.where(np.isnan(pairs.per_annotator), np.inf, pairs.per_annotator), kind="stable")
    columns = (pairs.annotators.tolist(), np.diagonal(pairs.n_cases).tolist(), pairs.per_annotator.tolist())
    return [{"annotator": str(columns[0][a]), "n_cases": columns[1][a], "value": columns[2][a]} for a in order.tolist()]


def _write(draft: Path, table: AgreementTable, found: list[dict[str, Any]], pairs: PairwiseAgreement | None) -> None:
    write_csv(draft / "agreement.csv", COLUMNS, [list(row.values()) for row in found])
    named = [one for one in table.found if one.per_class is not None]
    if named and table.prevalence is not None:
        columns = [np.asarray(one.per_class).tolist() for one in named]
        rows = [list(row) for row in zip(table.classes, table.prevalence.tolist(), *columns)]
        write_csv(draft / "classes.csv", ["class", "prevalence", *(one.coefficient for one in named)], rows)
    if pairs is not None:
        ids = pairs.annotators.tolist()
        shared = np.argwhere(np.triu(pairs.n_cases, 1) > 0)
        rows = [[ids[i], ids[j], float(pairs.value[i, j]), int(pairs.n_cases[i, j]), bool(pairs.no_variation[i, j])] for i, j in shared]
        write_csv(draft / "pairs.csv", ["annotator", "other", pairs.coefficient, "n_cases", "no_variation"], rows)
        rows = [[name, int(pairs.n_cases[a, a]), float(pairs.per_annotator[a])] for a, name in enumerate(ids)]
        write_csv(draft / "annotators.csv", ["annotator", "n_cases", pairs.coefficient], rows)
