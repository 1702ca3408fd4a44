"""``ugt plan``: the numbers of cases, labels and annotators that a study needs; without files, an empty plan to fill in."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._base.checks import error
from .._tabular.csv_text import write_csv
from ..annotations import Labels
from ..evaluation.facts import data_summary
from ..evaluation.signs import signs
from ..evaluation.suspicions import like_grades
from ..plausibilities.estimates import NO_ANNOTATIONS
from ..report.plan import template
from ..studies import AnnotationPlan, plan_annotations
from ..studies.components import PARTS
from ..studies.pilots import COEFFICIENTS, METRICS
from ..studies.targets import AnnotationDesign
from ..tables.context import Annotated
from .cases import add_model_columns, add_positive_class, annotations_of, models_of, paths_of, read_record
from .command import ANNOTATIONS, MANY, PREDICTIONS, aligned, decimal, group, new_command, output_file, say
from .facts import counted
from .reading import add_reading
from .wording import worded_note

NEGLIGIBLE = 1e-12  # share of the largest variance below which one is an error of rounding, and is printed as 0
SHOWN = 12  # designs in the printed table
GIVEN = ("value", "width", "power", "difference", "margin", "cost", "max_annotators", "level", "assurance")

TEXT = """
Computes how many cases, labels per case and annotators a study needs for a given width of the interval or a given power. The variances come
from the annotations of a pilot (and the predictions of a model, or of two models for --metric difference), or from --components. Prints the
cheapest design for each number of annotators, the cheapest of all, how well the pilot determines its width, and what to add next.

Without a file and --components, prints an empty plan of an evaluation with an explanation of every field. Fill in what you fix beforehand,
and give the file to ugt evaluate as --plan: the report then states it. Blank fields are reported as not stated.

ugt plan readings.csv a.csv --width 0.2 --cost 5 1 50
ugt plan readings.csv --metric kappa --width 0.5 --these-annotators
ugt plan --components cases=0.05 annotators=0.004 labels=0.15 \\
  --power 0.8 --difference 0.1
ugt plan > plan.json
"""


def add(commands: object) -> None:
    usage = "[FILE [PREDICTIONS ...]] [options]"
    help_ = "compute how many cases, labels and annotators a study needs"
    parser = new_command(commands, "plan", run, help_, usage, TEXT)
    option = group(parser, "files")
    option("files", "FILE", f"annotations of a pilot: {ANNOTATIONS}; then PREDICTIONS; default: print an empty plan", nargs="*")
    option("--annotations", "FILE", f"annotations, instead of the first FILE; {MANY}; default: the first FILE", nargs="+")
    option("--predictions", "PREDICTIONS", f"predictions of one model, or of two: {PREDICTIONS}; default: the other FILEs", nargs="+")
    add_positive_class(option)
    add_model_columns(option)
    option("--out", "FILE.csv", "file for the table of designs; default: print only")
    option = group(parser, "plan")
    text = "default: agreement (of the model with one more annotator), or alpha without predictions and --components"
    option("--metric", tuple(METRICS), f"{', '.join(METRICS)}; {text}", metavar="METRIC")
    stated = "variances of cases, annotators, labels (and pairs), instead of files; default: those of the pilot"
    option("--components", "NAME=X", stated, nargs="+")
    option("--value", "X", "value of the metric, with --components; default: unknown", type=float)
    option("--width", "W", "width of the interval to reach, upper end minus lower end; default: any", type=float)
    option("--power", "P", "power to reach, in (0, 1); default: any", type=float)
    option("--difference", "D", "true value minus the value that is tested; default: 0 with --margin, otherwise none", type=float)
    option("--margin", "M", "margin of non-inferiority, for the metrics difference and discrepancy; default: none", type=float)
    assured = "probability with which the width or power is reached, in [0.5, 1); default: the pilot's variances are taken as known"
    option("--assurance", "P", assured, type=float)
    option("--cost", "X", "cost of a case, of a label and of an annotator; default: 1 1 0", type=float, nargs=3)
    option("--max-annotators", "N", "largest number of annotators; default: 50", type=int)
    option("--level", "P", "level of the intervals; default: 0.95", type=float)
    option("--these-annotators", None, "plan intervals for other cases and the same annotators")
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    keywords = {name: given for name in GIVEN if (given := getattr(options, name)) is not None}
    if "cost" in keywords:
        keywords["cost"] = tuple(keywords["cost"])
    _take_files(options)
    if not options.annotations and options.components is None:
        if keywords or options.metric or options.out:
            raise error("FILE or --components", "be given to plan a study", "neither")
        return _empty_plan(options.json)
    if options.these_annotators:
        keywords["random"] = ("cases",)
    if options.components is not None:
        if options.annotations:
            raise error("--components", "be left out where files are given", options.annotations[0])
        metric = options.metric or "agreement"
        return _told(plan_annotations(metric=metric, components=_stated(options.components), **keywords), options, {})
    read = annotations_of(options)
    if not isinstance(read.annotations, Labels):
        raise error("annotations", "be labels", type(read.annotations).__name__.lower())
    models = {name: one for path in options.predictions for name, one in models_of(path, read.annotations.axes, options).items()}
    metric = options.metric or ("agreement" if models else "alpha")
    scores = _scores(metric, models, read.annotations)
    hints = [*map(worded_note, [*like_grades(read.annotations, from_file=True), *signs(read.annotations, models)])]
    found = plan_annotations(read.annotations, scores, metric=metric, **keywords)
    said = [*filter(None, [read.missing_note()]), *map(str, dict.fromkeys(hints))]
    if said:
        say(*said)
    read = replace(read, notes=(*read.notes, *dict.fromkeys(hints)))
    known, lacking = Annotated(read.annotations, np.arange(read.annotations.n_cases)), read.annotations.n_cases - found.n_cases
    left_out = {NO_ANNOTATIONS: lacking} if lacking else {}
    return _told(found, options, {"data": data_summary(known), "left_out": left_out, **read_record(read)})


def _take_files(options: argparse.Namespace) -> None:
    """Take files without an option as the annotations, unless these are given, and then as predictions."""
    files = options.files
    if options.annotations is None:
        options.annotations, files = files[:1], files[1:]
    if options.predictions and files:
        raise error("--predictions", "be left out where other files are given as predictions", files[0])
    options.predictions = options.predictions or files or (paths_of(options)[:1] if options.model_columns else [])


def _empty_plan(as_json: bool) -> dict[str, Any]:
    """Return, or print, a plan of an evaluation to fill in."""
    if as_json:
        return {"plan": json.loads(template())}
    print(template().rstrip("\n"))
    return {}


def _stated(given: list[str]) -> dict[str, float]:
    """Return the components by name."""
    found: dict[str, float] = {}
    for one in given:
        name, _, number = one.partition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise error("--components", "be NAME=NUMBER, such as cases=0.05", repr(one)) from None
    return found


def _scores(metric: str, models: dict[str, Any], labels: Labels) -> Any:
    """Return the data that the metric needs besides annotations: none, a model, its first choices, or two models."""
    n = 0 if metric in COEFFICIENTS else 2 if metric == "difference" else 1
    if len(models) != n:
        must = f"hold {counted(n, 'model')} for --metric {metric}" if n else f"be left out for --metric {metric}"
        raise error("PREDICTIONS", must, len(models))
    if metric != "discrepancy":
        return models if n == 2 else next(iter(models.values()), None)
    (one,) = models.values()
    scores = one.aligned(labels.axes)[0]
    return labels.axes.classes[scores.argmax(axis=1)]


def _told(found: AnnotationPlan, options: argparse.Namespace, record: dict[str, Any]) -> dict[str, Any]:
    if options.out is not None:
        with output_file(options.out) as draft:
            write_csv(draft, AnnotationDesign._fields, found.table)
    say(*_lines(found))
    if options.out is not None:
        say("", f"Table: {options.out}")
    known = found.n_cases > 0
    return {
        "metric": found.metric, "value": found.value, "components": found.components, "random": found.random, "level": found.level,
        "assurance": found.assurance,
        "pilot": {"n_cases": found.n_cases, "n_labels": found.n_labels, "n_annotators": found.n_annotators} if known else None,
        "best": None if found.best is None else found.best._asdict(), "interval": found.interval() if known else None,
        "table": [one._asdict() for one in found.table], "alternatives": [one and one._asdict() for one in found.alternatives],
        "next": found.next_step() if known or found.best else None, "notes": [*map(worded_note, found.notes)], **record,
        "files": [] if options.out is None else [options.out],
    }  # fmt: skip


def _lines(found: AnnotationPlan) -> Iterator[str]:
    """Return lines on the pilot, the cheapest plan, the table, what to add next, and notes."""
    name, known = found.metric.replace("_", " "), found.n_cases > 0
    if known:
        by = f" by {counted(found.n_annotators, 'annotator')}" if found.n_annotators else ""
        yield f"Pilot: {name} {decimal(found.value)}; {counted(found.n_cases, 'case')} with {found.n_labels:.3g} labels each{by}."
    least = NEGLIGIBLE * max((one for one in found.components.values() if one > 0), default=0.0)
    parts = [f"{part} {_deviation(found.components[part], least)}" for part in PARTS if part != "pairs" or found.components[part]]
    yield f"Standard deviations of scores: {', '.join(parts)}."
    whom = "other annotators" if "annotators" in found.random else "the same annotators"
    if found.best is not None:
        one, power = found.best, "" if math.isnan(found.best.power) else f", power {found.best.power:.2f}"
        held = "" if found.assurance is None else f", with an assurance of {found.assurance:g}"
        yield f"Plan: {_design(one)}: width {decimal(one.width)}{power}, cost {one.cost:,.6g} (intervals for other cases and {whom}{held})."
        low, high = found.interval()
        if known and not math.isnan(low):
            what = "this" if found.assurance is None else "the expected"
            yield f"The pilot determines {what} width with a 95% interval of {decimal(low)} to {decimal(high)}."
    yield from _by_variance(found.alternatives)
    yield from _table(found.table)
    if known or found.best is not None:
        steps = [f"{what} {'free' if math.isinf(share) else f'{100 * share:.3g}%'}" for what, share in found.next_step().items()]
        where = "after the pilot" if known else "after the plan"
        yield f"Share of the variance that one unit of cost saves {where}: {', '.join(steps)}."
    yield from (f"Note: {worded_note(note)}" for note in found.notes)


def _by_variance(plans: Sequence[AnnotationDesign | None]) -> Iterator[str]:
    """Return the cheapest plan for other variances of annotators, equal plans in one line."""
    factors: dict[str, list[str]] = {}
    for factor, one in zip(("0", "the estimate", "twice the estimate"), plans):
        factors.setdefault("none" if one is None else _design(one), []).append(factor)
    yield from (f"Plan if the variance of annotators is {' or '.join(some)}: {said}." for said, some in factors.items())


def _table(designs: Sequence[AnnotationDesign]) -> Iterator[str]:
    """Return designs as lines, some of them if they are many."""
    if designs:
        yield "The cheapest design for each number of annotators:"
        rows = designs if len(designs) <= SHOWN else [designs[i] for i in _spread(len(designs))]
        cells = [
            [f"{one.n_annotators:,}", f"{one.n_cases:,}", str(one.n_labels), *map(decimal, one[3:6]), f"{one.cost:,.6g}"] for one in rows
        ]
        yield from aligned([["annotators", "cases", "labels per case", "std error", "width", "power", "cost"], *cells])


def _design(one: AnnotationDesign) -> str:
    return f"{counted(one.n_cases, 'case')}, {counted(int(one.n_labels), 'label')} per case, {counted(one.n_annotators, 'annotator')}"


def _deviation(variance: float, least: float) -> str:
    """Return the root of a variance; 0 below ``least``, which is the error of rounding."""
    return "unknown" if math.isnan(variance) else f"{math.sqrt(variance) if variance > least else 0.0:.3g}"


def _spread(n: int) -> list[int]:
    """Return the positions of the designs to print: the first ones, and fewer towards the last."""
    return sorted({round(n ** (i / (SHOWN - 1))) - 1 for i in range(SHOWN)})
