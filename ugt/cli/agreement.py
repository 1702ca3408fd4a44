"""``ugt agreement``: the agreement of annotators, by all usual coefficients, by pair and by annotator."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import io
from .._base.arrays import Array
from .._base.checks import error
from .._base.notes import Note
from .._tabular.csv_text import utf8, write_csv
from ..agreement.coefficients import OF_PAIRS
from ..agreement.costs import LEVELS, WEIGHTS
from ..agreement.overviews import AgreementRow, AgreementTable, PairwiseAgreement, agreement_table, pairwise_agreement
from ..agreement.strictness import AnnotatorStrictness, annotator_strictness
from ..annotations import Labels, Rankings, Ratings
from ..evaluation import evaluate, facts
from ..evaluation.frequency import stands_for
from ..evaluation.suspicions import like_grades
from ..report.digits import Digits
from ..resampling.frequencies import frequency_of as frequency_of_cases
from ..tables.agreement import of_rankings, ranking_rows
from ..tables.context import Annotated
from ..tables.limits import MOST as MOST_READERS
from ..tables.limits import LimitsRow, between
from ..tables.rows import cells_of
from .cases import add_frequency, add_resampling, annotations_of, frequency_of, of_cases, paths_of, read_record
from .command import MANY_ANNOTATIONS, aligned, decimal, group, new_command, output_file, say, spanned, written
from .reading import add_reading
from .wording import worded_note

SHOWN = 12  # annotators, and pairs, in the printed tables
MOST_PAIRS = 100  # in the JSON

TEXT = """
Computes the usual coefficients of agreement, each with an interval. For labels: percent agreement, kappas, Gwet's AC1, Krippendorff's alpha
and others, for ordered classes with --weights. For ratings (--ratings): intraclass correlations, and all of these if --scale states grades.
For rankings: agreement and overlap of each annotator with the others.

The first interval is for other cases and the same annotators. If annotators have names, and there are not too many, a second interval
is for other annotators like these, too: quote the wider one. The tables below list each annotator and each pair of annotators, lowest
agreement first. --page writes a report without models: agreement by class and by pair, and how certain the annotations leave the truth.

ugt agreement readings.csv
ugt agreement readings.csv --clusters patients.csv --n-boot 200 --out agreement
ugt agreement grades.csv --weights quadratic --page agreement.html
ugt agreement grades.csv --ratings --json
"""


def add(commands: Any) -> None:
    parser = new_command(commands, "agreement", run, "compute how well annotators agree", "FILE [options]", TEXT)
    option = group(parser, "files")
    option("annotations", "FILE", MANY_ANNOTATIONS, nargs="+")
    option("--out", "DIR", "folder for agreement.csv and other tables; default: print only")
    add_frequency(option)
    option("--page", "FILE.html", "HTML page for the report of the annotations, without models; default: no page")
    option = group(parser, "agreement")
    text = "weights of disagreements between ordered classes; default: all of these for ordered classes (quadratic for pairs), else none"
    option("--weights", WEIGHTS, text)
    levels = (
        "scales for Krippendorff's alpha: nominal, ordinal, interval, ratio; default: nominal, or interval ordinal for grades and --ratings"
    )
    option("--levels", LEVELS, levels, nargs="+", metavar="SCALE")
    option("--coefficient", tuple(OF_PAIRS), "coefficient for pairs of annotators; default: %(default)s", default="cohen")
    option("--interval", ("auto", "percentile", "basic", "bca", "analytic"), "kind of interval; default: %(default)s", default="auto")
    add_resampling(option, "the bootstrap")
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    with written(options.out) as (draft, files), nullcontext() if options.page is None else output_file(options.page) as page:
        read = annotations_of(options)
        given = read.annotations
        _check(given, options)
        hints = [] if options.weights or options.levels else [*like_grades(given, from_file=True)]
        resampling, often = _resampling(options), frequency_of(options, read)
        if isinstance(given, Rankings):
            lines, found = _of_rankings(given, options, resampling)
        else:
            lines, found = _of_labels(given, options, draft, resampling, often)
        if page is not None:
            _write_page(given, options, {**resampling, **often}, [*hints, *read.all_notes], page)
        times = frequency_of_cases(often.get("frequency"), given.n_cases, None if isinstance(given, Ratings) else given.axes.case_ids)
        hints += [] if times is None else [stands_for(times)]
    hints = [*map(worded_note, hints)]
    say(*map(str, hints), *filter(None, [read.missing_note()]), *lines)
    read = replace(read, notes=(*read.notes, *hints))
    if draft is not None:
        say("", f"Tables: {options.out}")
    if page is not None:
        say(*([""] if draft is None else []), f"Report: {options.page}")
    return {"data": _sizes(given, times), **found, **read_record(read), "files": [*files, *([options.page] if options.page else [])]}


def _write_page(given: Any, options: argparse.Namespace, resampling: dict[str, Any], notes: list[Note], page: Path) -> None:
    """Write the report of an evaluation without models."""
    kind = {} if options.interval == "analytic" else {"interval": options.interval}
    keywords = {name: resampling[name] for name in ("clusters", "n_resamples", "seed", "frequency") if name in resampling}
    inputs = [io.fingerprint(path) for path in (*paths_of(options), options.mapping, options.clusters) if path is not None]
    provenance = {"command": options.command, "inputs": [{name: utf8(value) for name, value in one.items()} for one in inputs]}
    made = evaluate(given, {}, level=options.level, provenance=provenance, **kind, **keywords)
    replace(made, notes=tuple(dict.fromkeys((*made.notes, *notes)))).to_html(page)


def _check(given: Any, options: argparse.Namespace) -> None:
    """Reject options that do not apply to these annotations."""
    kind = type(given).__name__.lower()
    unused = {"ratings": () if _finite(given) else ("weights", "page"), "rankings": ("out", "weights", "levels")}.get(kind, ())
    way = " without a stated scale of grades (--scale 1,2,3)" if kind == "ratings" else ""
    for name in unused:
        if getattr(options, name) is not None:
            raise error(f"--{name}", f"be left out for {kind}{way}", repr(getattr(options, name)))
    if kind == "rankings" and options.interval == "analytic":
        raise error("--interval", "be a bootstrap interval for rankings", "'analytic'")


def _finite(given: Any) -> bool:
    """Return whether annotations are ratings on a stated scale of grades."""
    return isinstance(given, Ratings) and isinstance(given.scale, tuple)


def _sizes(given: Any, times: Array | None) -> dict[str, Any]:
    if isinstance(given, Ratings):
        return {"kind": "ratings", "n_cases": len(given.case_ids), "n_annotators": len(given.annotators), "n_annotations": len(given.value)}
    return facts.data_summary(Annotated(given, np.arange(given.n_cases), times))


def _resampling(options: argparse.Namespace) -> dict[str, Any]:
    clusters = None if options.clusters is None else of_cases("clusters", options.clusters, options)
    return {"kind": options.interval, "clusters": clusters, "n_resamples": options.n_resamples, "seed": options.seed}


def _of_rankings(given: Rankings, options: argparse.Namespace, resampling: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """Rankings have no coefficients corrected for chance."""
    found = of_rankings(given)
    rows = ranking_rows(found, [one.interval(options.level, **resampling) for one in found.values()], len(given.annotators))
    decimals = Digits.proportion((row.low, row.high) for row in rows).decimals
    lines = [[row.coefficient, spanned(row.value, row.low, row.high, decimals), str(row.n_cases)] for row in rows]
    agreement = list(map(cells_of, rows))
    record: dict[str, Any] = {"left_out": {}, "agreement": agreement, "pairs": None, "n_pairs": 0, "worst_pairs": [], "annotators": []}
    return aligned([["agreement of rankings", f"value ({100 * options.level:g}% interval)", "cases"], *lines]), record


def _of_labels(
    given: Labels | Ratings, options: argparse.Namespace, draft: Path | None, resampling: dict[str, Any], often: dict[str, Any]
) -> tuple[list[str], dict[str, Any]]:
    table = agreement_table(given, weights=options.weights, levels=options.levels, **often)
    rows = table.rows_of(table.interval(options.level, **resampling), options.level, resampling["clusters"])
    strict, strict_rows, limits = _strictness(given, options, resampling["clusters"])
    pairs, weights = _pairwise(given, options)
    annotators, couples = ([], []) if pairs is None else (_annotators(pairs), _pairs(pairs))
    if draft is not None:
        _write(draft, table, rows, pairs, strict_rows, limits)
    none = [] if any(row.value is not None for row in rows) else ["No case has two annotators, so that no agreement is defined."]
    lines = [*none, *table.text_of(rows, options.level).splitlines()]
    lines += [f"Left out: {reason}: {n:,}." for reason, n in table.left_out.items()]
    if strict is not None and not none:
        lines += [*_strict_lines(strict, strict_rows, options.level), *_limit_lines(limits, options.level)]
    if pairs is not None and not none:
        title = OF_PAIRS[pairs.coefficient].title + (f" with {weights} weights" if weights else "")
        lines += ["", f"Each annotator against the others ({title}, mean of pairs, lowest first):", *_first(["annotator"], annotators)]
        lines += ["", f"Pairs of annotators ({title}, lowest first):", *_first(["annotator", "other"], couples)]
    test = None if strict is None else {"f": strict.f_value, "df": strict.df, "p": strict.p_value}
    return lines, {
        "left_out": table.left_out, "agreement": list(map(cells_of, rows)), "strictness": strict_rows, "strictness_test": test,
        "limits": list(map(cells_of, limits)), "pairs": None if pairs is None else pairs.coefficient, "pair_weights": weights,
        "n_pairs": len(couples), "worst_pairs": [one._asdict() for one in couples[:MOST_PAIRS]],
        "annotators": [one._asdict() for one in annotators],
    }  # fmt: skip


def _strictness(
    given: Labels | Ratings, options: argparse.Namespace, clusters: Any
) -> tuple[AnnotatorStrictness | None, list[dict[str, Any]], Sequence[LimitsRow]]:
    """Return the strictness of several annotators of grades, as a table, and the limits of their agreement."""
    if not (isinstance(given, Ratings) or given.ordered) or len(given.annotators) < 2:
        return None, [], []
    found = annotator_strictness(given, clusters=clusters)
    return found, found.table(options.level), between(given, clusters, options.level) if len(given.annotators) <= MOST_READERS else []


def _pairwise(given: Labels | Ratings, options: argparse.Namespace) -> tuple[PairwiseAgreement | None, str | None]:
    """Return the agreement of each pair of several annotators of classes or of stated grades, and its weights."""
    labels = given.to_labels() if isinstance(given, Ratings) and _finite(given) else given
    if not isinstance(labels, Labels) or len(labels.annotators) < 2:
        return None, None
    weights = options.weights or ("quadratic" if labels.ordered else None)
    return pairwise_agreement(labels, options.coefficient, weights=weights), weights


def _strict_lines(found: AnnotatorStrictness, rows: list[dict[str, Any]], level: float) -> list[str]:
    """Return the strictness of the annotators, the strictest and the most lenient if they are many, and the test that none differs."""
    shown = rows if len(rows) <= SHOWN else [*rows[: SHOWN // 2], *rows[-SHOWN // 2 :]]
    decimals = Digits.proportion((row["joint_low"], row["joint_high"]) for row in rows).decimals
    cells = [
        [row["annotator"], f"{row['n_cases']:,}", spanned(row["strictness"], row["joint_low"], row["joint_high"], decimals),
         decimal(row["spread"], 2), decimal(row["others_spread"], 2)]
        for row in shown
    ]  # fmt: skip
    heads = ["annotator", "cases", f"strictness ({100 * level:g}% joint interval)", "spread", "of others"]
    title = "Strictness: mean grade less that of the other annotators of the same cases, highest first:"
    more = [f"  and {len(rows) - len(shown):,} more between them (all of them: --out DIR)"] if len(rows) > len(shown) else []
    f, (above, below) = found.f_value, found.df
    test = found.reason or f"F = {f:.2f} with {above:.0f} and {below:.0f} degrees of freedom, p = {found.p_value:.3g}"
    return ["", title, *aligned([heads, *cells]), *more, f"Test that no annotator is strict or lenient: {test}."]


def _limit_lines(rows: Sequence[LimitsRow], level: float) -> list[str]:
    """Return the differences and limits of agreement of any two annotators and of the pairs that differ most."""
    if not rows:
        return []
    drawn = [rows[0], *sorted(rows[1:], key=lambda row: -abs(row.bias or 0.0))[:SHOWN]]
    decimals = Digits.proportion((row.bias_low, row.bias_high) for row in rows[1:]).decimals
    cells = [
        [f"{row.first} - {row.second}", f"{row.n_cases:,}", *(
            "-" if value is None
            else decimal(value, decimals) if low == high  # any two differ by 0 on average
            else spanned(value, low, high, decimals)
            for value, low, high in row.numbers
        )]
        for row in drawn
    ]  # fmt: skip
    title = f"Differences of two annotators and their limits of agreement ({100 * level:g}% intervals, of all pairs together):"
    heads = ["", "cases", "mean difference", "lower limit", "upper limit"]
    more = [f"  and {len(rows) - len(drawn):,} more (all of them: --out DIR)"] if len(rows) > len(drawn) else []
    return ["", title, *aligned([heads, *cells]), *more]


class Pair(NamedTuple):
    """The agreement of two annotators who share cases."""

    annotator: str
    other: str
    value: float
    n_cases: int
    no_variation: bool


class Mean(NamedTuple):
    """The agreement of an annotator with the others."""

    annotator: str
    n_cases: int
    value: float


def _first(names: list[str], rows: Sequence[Pair | Mean]) -> list[str]:
    """Return the first rows as lines, and a line that counts the others."""
    shown = [[*(getattr(row, name) for name in names), f"{row.n_cases:,}", decimal(row.value, 2)] for row in rows[:SHOWN]]
    more = [f"  and {len(rows) - SHOWN:,} more (all of them: --out DIR)"] if len(rows) > SHOWN else []
    return [*aligned([[*names, "cases", "agreement"], *shown]), *more]


def _pairs(pairs: PairwiseAgreement) -> list[Pair]:
    """Return the pairs of annotators who share cases, lowest agreement first."""
    i, j = np.nonzero(np.triu(pairs.n_cases, 1) > 0)
    value, n_cases, alike = pairs.value[i, j], pairs.n_cases[i, j], pairs.no_variation[i, j]
    order = np.argsort(np.where(np.isnan(value), np.inf, value), kind="stable")
    names = list(map(str, pairs.annotators.tolist()))
    columns = (column[order].tolist() for column in (i, j, value, n_cases, alike))
    return [Pair(names[a], names[b], *more) for a, b, *more in zip(*columns)]


def _annotators(pairs: PairwiseAgreement) -> list[Mean]:
    """Return the annotators, lowest agreement with the others first."""
    order = np.argsort(np.where(np.isnan(pairs.per_annotator), np.inf, pairs.per_annotator), kind="stable")
    columns = (pairs.annotators.astype(str), np.diagonal(pairs.n_cases), pairs.per_annotator)
    return [Mean(*row) for row in zip(*(column[order].tolist() for column in columns))]


def _write(
    draft: Path, table: AgreementTable, found: Sequence[AgreementRow], pairs: PairwiseAgreement | None, strict: list[dict[str, Any]],
    limits: Sequence[LimitsRow],
) -> None:  # fmt: skip
    write_csv(draft / "agreement.csv", AgreementRow._fields, found)
    named = [one for one in table.found if one.per_class is not None]
    if named and table.prevalence is not None:
        columns = [np.asarray(one.per_class).tolist() for one in named]
        rows = [list(row) for row in zip(table.classes, table.prevalence.tolist(), *columns)]
        write_csv(draft / "classes.csv", ["class", "prevalence", *(one.coefficient for one in named)], rows)
    if strict:
        write_csv(draft / "strictness.csv", list(strict[0]), [list(row.values()) for row in strict])
    if limits:
        write_csv(draft / "limits.csv", LimitsRow._fields, limits)
    if pairs is not None:
        ids = pairs.annotators.tolist()
        write_csv(draft / "pairs.csv", ["annotator", "other", pairs.coefficient, "n_cases", "no_variation"], _pairs(pairs))
        rows = [[name, int(pairs.n_cases[a, a]), float(pairs.per_annotator[a])] for a, name in enumerate(ids)]
        write_csv(draft / "annotators.csv", ["annotator", "n_cases", pairs.coefficient], rows)
