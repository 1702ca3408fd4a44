"""``ugt agreement``: how far annotators agree, by every usual coefficient, by pair and by annotator."""

from __future__ import annotations

import argparse
import csv
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import io
from ._checks import error
from ._coefficients_pairs import PairwiseAgreement, pairwise_agreement
from ._coefficients_rows import COLUMNS, AgreementTable, agreement_table
from ._command import add_reading, aligned, annotations_of, decimal, say
from ._tables_out import csv_cell
from .agreement import annotator_average_overlap, leave_one_annotator_out
from .annotations import Labels, Rankings, Ratings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHOWN = 12  # annotators in the printed table


def add(commands: Any) -> None:
    """The command and its options."""
    parser = commands.add_parser("agreement", help="how far annotators agree with each other", allow_abbrev=False)
    parser.set_defaults(run=run)
    parser.add_argument("annotations", metavar="FILE", help="annotations: CSV, NPY, NPZ or JSON")
    parser.add_argument("--out", metavar="DIR", help="folder for agreement.csv, classes.csv, pairs.csv and annotators.csv")
    parser.add_argument("--ratings", action="store_true", help="labels are numbers on a scale")
    parser.add_argument("--weights", choices=("linear", "quadratic"), help="of disagreements between ordered classes")
    parser.add_argument("--levels", nargs="+", choices=("nominal", "ordinal", "interval", "ratio"), help="scales of Krippendorff's alpha")
    parser.add_argument(
        "--coefficient", choices=("cohen", "percent", "scott", "ac1"), default="cohen", help="of pairs; default %(default)s"
    )
    parser.add_argument("--clusters", metavar="FILE", help="CSV with the columns case and cluster: resampled together")
    parser.add_argument("--level", type=float, default=0.95, help="of intervals; default %(default)s")
    parser.add_argument("--interval", choices=("percentile", "basic", "bca", "analytic"), default="percentile", help="default %(default)s")
    parser.add_argument("--n-boot", type=int, default=1000, dest="n_resamples", metavar="N", help="resamples; default %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    add_reading(parser)


def run(options: argparse.Namespace) -> None:
    """Read, compute, write, print."""
    with nullcontext() if options.out is None else io.output_folder(options.out) as draft:
        read = annotations_of(options)
        given = _as_ratings(read.annotations) if options.ratings else read.annotations
        lines = _of_rankings(given, options) if isinstance(given, Rankings) else _of_labels(given, options, draft)
    say(*filter(None, [read.missing_note()]), *lines)
    if draft is not None:
        say("", f"Tables: {options.out}")


def _as_ratings(given: Any) -> Ratings:
    """Labels that are numbers."""
    if isinstance(given, Ratings):
        return given
    if not isinstance(given, Labels) or len(given.annotators) == 0:
        raise error("annotations", "be labels by named annotators to be taken for ratings", type(given).__name__)
    try:
        numbers = given.axes.classes.astype(np.float64)
    except ValueError:
        raise error("labels", "be numbers to be taken for ratings", ", ".join(map(repr, given.axes.classes[:3].tolist()))) from None
    return Ratings(given.axes.case_ids, given.annotators, given.offsets, given.annotator, numbers[given.label], given.axes.numbered)


def _clusters(options: argparse.Namespace, ids: Iterable[Any]) -> Any:
    if options.clusters is None:
        return None
    of_case = io.read_clusters(options.clusters)
    missing = [str(case) for case in ids if str(case) not in of_case]
    if missing:
        raise error("clusters", "name the cluster of every case", f"none for {len(missing)} cases", f"case {missing[0]!r}")
    return np.array([of_case[str(case)] for case in ids])


def _of_rankings(given: Rankings, options: argparse.Namespace) -> list[str]:
    """Rankings have no coefficients corrected for chance."""
    if options.out is not None:
        raise error("--out", "be left out for rankings", options.out)
    depth = min(3, given.n_classes)
    found = {"annotator ranked the first class of the others": leave_one_annotator_out(given)}
    found[f"average overlap of pairs at {depth}"] = annotator_average_overlap(given, depth)
    resampling = {"clusters": _clusters(options, given.axes.case_ids.tolist()), "n_resamples": options.n_resamples, "seed": options.seed}
    kind = "percentile" if options.interval == "analytic" else options.interval
    lines = [["agreement of rankings", "value", "low", "high", "cases"]]
    for name, one in found.items():
        low, high = one.interval(options.level, kind=kind, **resampling)
        lines.append([name, decimal(one.value), decimal(low), decimal(high), str(one.n_cases)])
    return aligned(lines)


def _of_labels(given: Labels | Ratings, options: argparse.Namespace, draft: Path | None) -> list[str]:
    ids = given.axes.case_ids if isinstance(given, Labels) else given.case_ids
    table = agreement_table(
        given,
        weights=options.weights if isinstance(given, Labels) else None,
        levels=options.levels,
        level=options.level,
        kind=options.interval,
        clusters=_clusters(options, ids.tolist()),
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    pairs = None
    if isinstance(given, Labels) and len(given.annotators) > 1:
        pairs = pairwise_agreement(given, options.coefficient, weights=options.weights)
    if draft is not None:
        _write(draft, table, pairs)
    lines = str(table).splitlines()
    lines += [f"Left out: {reason}: {n:,}." for reason, n in table.left_out.items()]
    return [*lines, *(_annotators(pairs) if pairs is not None else [])]


def _annotators(pairs: PairwiseAgreement) -> list[str]:
    """The annotators that agree least with the others."""
    order = np.argsort(np.where(np.isnan(pairs.per_annotator), np.inf, pairs.per_annotator), kind="stable")
    rows = [[str(pairs.annotators[a]), f"{pairs.n_cases[a, a]:,}", _number(pairs.per_annotator[a])] for a in order[:SHOWN]]
    title = f"Each annotator against the others ({pairs.coefficient}, mean of pairs, lowest first):"
    return ["", title, *aligned([["annotator", "cases", "agreement"], *rows])]


def _number(value: float) -> str:
    return decimal(None if np.isnan(value) else float(value))


def _write(draft: Path, table: AgreementTable, pairs: PairwiseAgreement | None) -> None:
    _table(draft / "agreement.csv", COLUMNS, [list(row.values()) for row in table.rows()])
    named = [one for one in table.found if one.per_class is not None]
    if named and table.prevalence is not None:
        columns = [np.asarray(one.per_class).tolist() for one in named]
        rows = [list(row) for row in zip(table.classes, table.prevalence.tolist(), *columns)]
        _table(draft / "classes.csv", ["class", "prevalence", *(one.coefficient for one in named)], rows)
    if pairs is not None:
        ids = pairs.annotators.tolist()
        found = np.argwhere(np.triu(pairs.n_cases, 1) > 0)
        rows = [[ids[i], ids[j], float(pairs.value[i, j]), int(pairs.n_cases[i, j]), bool(pairs.no_variation[i, j])] for i, j in found]
        _table(draft / "pairs.csv", ["annotator", "other", pairs.coefficient, "n_cases", "no_variation"], rows)
        rows = [[name, int(pairs.n_cases[a, a]), float(pairs.per_annotator[a])] for a, name in enumerate(ids)]
        _table(draft / "annotators.csv", ["annotator", "n_cases", pairs.coefficient], rows)


def _table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([csv_cell(cell) for cell in row] for row in rows)
