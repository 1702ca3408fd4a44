"""``ugt evaluate``, ``ugt certainty`` and ``ugt demo``: evaluations, written to files and printed."""

from __future__ import annotations

import argparse
import csv
import math
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import io
from .._base.checks import error
from .._base.notes import Note, notes_of, of_codes
from .._base.notices import heard
from .._base.ragged import sizes_of
from .._tabular.csv_text import utf8
from .._tabular.whole_file import write_text
from .._tabular.windows import typed
from ..annotations import Predictions, Ratings
from ..evaluation import Evaluation, evaluate
from ..evaluation.facts import data_summary
from ..evaluation.input import aggregation_input, grades_of
from ..evaluation.ratings import check_options
from ..evaluation.suspicions import like_grades
from ..plausibilities.normal import rating_certainty
from ..report import guidelines
from ..report.digest import SETTLED
from ..report.plan import read_plan
from ..tables.context import Annotated
from ..tables.performance import CertaintyRow
from ..tables.rows import cells_of, finite, reliability_key, with_ends
from ..tables.source import ReportSource
from ..tables.uncertainty import UncertaintyRow
from ..tables.worklist import CaseColumns
from ..truth import annotation_certainty, by_name
from ..truth.plackett_luce_draws import METHODS, plackett_luce
from ..truth.plackett_luce_integrals import N_DRAWS
from .cases import (
    add_frequency,
    add_model_columns,
    add_positive_class,
    annotations_of,
    annotator_reliability,
    frequency_of,
    models_of,
    named_apart,
    named_path,
    of_cases,
    paths_of,
    read_record,
)
from .command import MANY_ANNOTATIONS, PREDICTIONS, add_wording, group, new_command, output_file, say, wording_of, written
from .output import PARTS, certainty_lines, data_lines, model_lines, sizes_line, uncertainty_lines, worklist, worklist_lines
from .reading import add_reading
from .wording import worded_note

# Options that are arguments of evaluate(). Options that are not given keep its defaults.
KEYWORDS = (
    *("aggregation", "reliability", "k", "group_names", "prior", "background", "tie_weight"),
    *("method", "prior_mass", "unranked", "n_draws", "n_warmup", "n_chains"),
    *("ties", "missing", "positive_class", "predictions_are", "details", "level", "interval", "n_resamples", "random", "margin"),
    *("shared_error", "claim", "seed", "n_threads"),
)
PRIOR = "prior count per class (dirichlet), or fit: estimated from the labels"

EVALUATE = """
Evaluates models against annotators who may disagree. For each model, computes how often its first choice agrees with a truth drawn from
what the annotations leave open (UA accuracy) and with the voted label, with intervals, and which differences between models the data
show. Also covers calibration, and models next to annotators. Grades (--ordered) and ratings (--ratings) are evaluated by the distance of
the prediction, a grade or a number per case, from such a truth. With --frequency a row of counts stands for so many equal cases.

Writes a report as one HTML page (report.html), all results as JSON (evaluation.json) and the tables as CSV. If anything fails, no file is
written.

ugt evaluate --annotations readings.csv --predictions a.csv b.npz --out report
ugt evaluate --annotations readings.csv --predictions old=a.csv new=b.npz \\
  --clusters patients.csv --subgroups sites.csv --seed 1 --out report
ugt evaluate --annotations rankings.json --predictions scores.npz \\
  --reliability 10 30 100 --k 1 2 --out report
ugt evaluate --annotations grades.csv --predictions severity.csv \\
  --ordered --out report
"""

CERTAINTY = """
Computes how certain the annotations leave the truth of each case: the probability that its most plausible class (or its k most plausible
classes) really comes first. For ratings on a real scale, it is the probability that the mean rating of a case is on its side of --cut.
Prints the mean over all cases at each reliability, and the least certain cases. No model is needed.

ugt certainty readings.csv
ugt certainty readings.csv --reliability 0.5 1 2 --out cases.csv
ugt certainty grouped.csv --frequency n --ignore-columns model --k 1 2
ugt certainty rankings.json --aggregation plackett-luce --n-draws 200 --json
"""

DEMO = """
Generates rankings of 20 classes by five annotators for 2,000 cases, and three models; evaluates the models; and writes the files that ugt
evaluate writes. Because the truth of generated data is known, it also prints how often one more annotator would agree with each model. Last
comes the certainty of the same rankings under Plackett-Luce, and how many cases are exact integrals.

ugt demo
ugt demo --seed 7 --out demo-report
"""


def add(commands: Any) -> None:
    usage = "--annotations FILE --predictions [NAME=]FILE ... --out DIR [options]"
    parser = new_command(commands, "evaluate", _evaluate, "evaluate models against annotations", usage, EVALUATE)
    option = group(parser, "files")
    option("--annotations", "FILE", MANY_ANNOTATIONS, required=True, nargs="+")
    models = f"predictions: {PREDICTIONS}; each model is named after its file, by NAME=, or by the column model of the file"
    option("--predictions", "[NAME=]FILE", f"{models}; default: --annotations, with --model-columns", nargs="+")
    add_model_columns(option)
    add_frequency(option)
    option("--out", "DIR", "folder for report.html, evaluation.json and the CSV tables", required=True)
    option("--plan", "FILE", "prespecified plan for the report, as JSON or YAML (see ugt plan); default: not stated")
    _add_judging(parser)
    add_wording(parser)
    _add_truth(parser, f"{PRIOR}; default: auto (0.1, or a truth that fits if 0.1 is refuted)", ("fit", "auto"))
    add_reading(parser)

    parser = new_command(commands, "certainty", _certainty, "compute how certain annotations leave the truth", "FILE [options]", CERTAINTY)
    option = group(parser, "files")
    option("annotations", "FILE", MANY_ANNOTATIONS, nargs="+")
    option("--out", "FILE.csv", "file for the certainty of every case, least certain first; default: print ten of them")
    add_frequency(option)
    option("--cut", "X", "for ratings on a real scale: number that separates two sides; default: none", type=float)
    _add_truth(parser, f"{PRIOR}; default: 0.1", ("fit",))
    add_reading(parser)


def _prior(named: tuple[str, ...], word: str) -> float | str:
    try:
        return word if word in named else float(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number{', fit' * (len(named) > 1)} or {named[-1]}. Got {word!r}.") from None


def _add_truth(parser: argparse.ArgumentParser, prior: str, priors: tuple[str, ...]) -> None:
    option = group(parser, "from annotations to truth")
    auto = "auto (dirichlet for labels, prirn for rankings, normal for ratings)"
    how = f"truth model; one of {', '.join(by_name.AGGREGATIONS)}; default: {auto}"
    option("--aggregation", by_name.AGGREGATIONS, how, metavar="MODEL")
    defaults = "0.2 0.5 1 2 5 (dirichlet, normal), 10 20 30 50 100 (prirn), 1 2 3 5 10 (plackett-luce)"
    option("--reliability", "R", f"weight of the annotations; all results are given for each; default: {defaults}", type=float, nargs="+")
    each = "CSV file with the columns annotator and reliability, instead of --reliability; default: the same for all annotators"
    option("--annotator-reliability", "FILE", each)
    option("--prior", "X", prior, type=partial(_prior, priors))
    option("--background", "X", "concentration added to every class (prirn); default: 0", type=float)
    text = "weight of tied classes (irn, prirn): a share of that of their block, or all of it, each; default: split"
    option("--tie-weight", ("split", "full"), text)
    computed = (
        "integrals, with weighted points where there are none (auto), integrals only (exact), points only (weighted), or draws by chains "
        "(gibbs); for plackett-luce; default: auto"
    )
    option("--method", METHODS, computed)
    option("--prior-mass", "X", "prior mass of all classes together (plackett-luce); default: 1", type=float)
    mentioned = "treatment of classes that no annotator mentioned (plackett-luce); default: individual"
    option("--unranked", ("individual", "lump", "ignore"), mentioned)
    option(
        "--n-draws", "N", f"number of weighted points of a case, or of draws of all chains (plackett-luce); default: {N_DRAWS}", type=int
    )
    option("--n-warmup", "N", "number of sweeps before them in every chain (plackett-luce); default: 500", type=int)
    option("--n-chains", "N", "number of chains (plackett-luce); default: 4", type=int)
    text = "numbers of top classes, for certainty and for top-k accuracy; default: 1 3 (three classes: 1 2; two: 1)"
    option("--k", "K", text, type=int, nargs="+")
    tied = "treatment of ties: share them (expectation), or take the class that comes first; default: expectation"
    option("--ties", ("expectation", "first"), tied)
    option("--seed", "N", "random seed for draws and the bootstrap; default: 0", type=int)
    option("--threads", "N", "number of threads; results do not depend on it; default: 1", type=int, dest="n_threads")


def _add_judging(parser: argparse.ArgumentParser) -> None:
    option = group(parser, "evaluation of models")
    dropped = "treatment of cases that only one file has: stop (error), or leave them out and count them (drop); default: error"
    option("--missing", ("error", "drop"), dropped)
    add_positive_class(option)
    kinds = "what one number per case is, for grades (--ordered): a number on their scale, a grade, or the position 0 to K-1 of a grade"
    option("--predictions-are", ("numbers", "grades", "positions"), f"{kinds}; default: numbers or grades, if that is beyond doubt")
    grouped = "group (such as the risk) of each class: one per line, or CSV with the columns class and group; default: no groups"
    option("--groups", "FILE", grouped)
    option("--group-names", "NAME", "names of the groups 0, 1, ...; default: their numbers", nargs="+")
    clusters = "CSV file with the columns case and cluster (such as the patient); clusters are resampled whole; default: no clusters"
    option("--clusters", "FILE", clusters)
    subgroups = "CSV file with the column case and others (such as site, age): results for each of their values; default: no subgroups"
    option("--subgroups", "FILE", subgroups)
    option("--level", "P", "level of the intervals; default: 0.95", type=float)
    option("--n-boot", "N", "number of resamples of the bootstrap over cases; default: 1000", type=int, dest="n_resamples")
    option("--interval", ("auto", "percentile", "basic", "bca"), "kind of interval over cases; default: auto")
    whom = "of whom the verdict is: of others, too, or, with cases alone, of these annotators, if they are all there are; default: both"
    option("--random", ("cases", "annotators"), whom, nargs="+")
    ahead = (
        "margin of the verdict in units of the first measure (0.05: five percentage points): ahead by more, behind by less; default: none"
    )
    option("--margin", "X", ahead, type=float)
    wrong = "share of the cases in which annotators as a group may be wrong, for the accuracy against the true class; default: 0"
    option("--shared-error", "E", wrong, type=float)
    claimed = "claimed accuracy, of which the report says how many such errors upset it; default: that of the commonest class"
    option("--claim", "X", claimed, type=float)
    fewer = "leave out further tables and figures of the report (curves, strata, sensitivity ...), to save time"
    option("--no-details", None, fewer, action="store_false", dest="details", default=None)


def _evaluate(options: argparse.Namespace) -> dict[str, Any]:
    if options.random is not None and "cases" not in options.random:
        raise error("--random", "name cases: --random cases, or --random cases annotators", f"--random {' '.join(options.random)}")
    if options.predictions is None and options.model_columns is None:
        raise error("--predictions", "be given, or --model-columns for models in the file of annotations", "neither")
    with written(options.out) as (draft, files):
        read = annotations_of(options)
        known = Annotated.all_of(aggregation_input(read.annotations))
        with heard() as said:
            predictions, paths = _predictions(options, known)
        read = replace(read, notes=(*read.notes, *map(worded_note, dict.fromkeys(said))))
        beside = (options.mapping, options.clusters, options.subgroups, options.plan, options.annotator_reliability)
        fingerprints = [io.fingerprint(path) for path in dict.fromkeys((*paths_of(options), *paths, *beside)) if path is not None]
        inputs = [{name: utf8(value) for name, value in one.items()} for one in fingerprints]
        keywords = {**_keywords(options, known.given), **_groups(options), **_beside(options, known.axes), **frequency_of(options, read)}
        evaluation = evaluate(
            known.given, predictions, provenance={"command": options.command, "inputs": inputs}, report=wording_of(options), **keywords
        )
        found = _write(evaluation, [*like_grades(known.given, from_file=True), *read.all_notes], draft)
    say(
        *data_lines(found, read.missing_note()),
        "",
        *model_lines(ReportSource.read(found)),
        "",
        f"Report: {Path(options.out) / 'report.html'}",
    )
    return {"run": found["run"], **{name: found[name] for name in PARTS}, **read_record(read), "files": files}


def _predictions(options: argparse.Namespace, known: Annotated) -> tuple[dict[str, Predictions], list[str]]:
    """Return the models by name, and the paths of their files, from ``path`` or ``name=path``; a file may hold several models."""
    models: dict[str, Predictions] = {}
    files: dict[str, tuple[str, bool]] = {}  # by name of the model: its path, and whether the file holds other models, too
    paths = []
    for item in options.predictions or paths_of(options)[:1]:
        name, path = named_path(item)
        found = models_of(path, known.axes, options, known.n_classes == 0 or grades_of(known.given) is not None)
        if name and len(found) > 1:
            raise error("predictions", "be given without a name where a file holds several models", f"{name!r} for {path!r}")
        for own, scores in found.items():
            called = utf8(name or own)
            if called in models:
                other, several = files[called]
                apart = "rename one of them" if several or len(found) > 1 else f"write {typed(named_apart([other, path]))}"
                raise error("--predictions", f"be of models with different names ({apart})", f"{called!r} twice")
            models[called], files[called] = scores, (path, len(found) > 1)
        paths.append(path)
    return models, paths


def _beside(options: argparse.Namespace, axes: Any) -> dict[str, Any]:
    """Return the clusters, subgroups and plan of further files, as arguments of ``evaluate``."""
    found = {
        kind: of_cases(kind, path, options, axes) for kind in ("clusters", "subgroups") if (path := getattr(options, kind)) is not None
    }
    return found if options.plan is None else {**found, "plan": read_plan(options.plan)}


def _groups(options: argparse.Namespace) -> dict[str, Any]:
    """Return the groups of classes in a file, with one group per line or with columns of classes and groups."""
    if options.groups is None:
        return {}
    lines = io.read_names(options.groups, encoding=options.encoding)
    if str(lines[0]).lower() != "class,group":
        return {"groups": lines}
    rows = [[cell.strip() for cell in row] for row in csv.reader(map(str, lines[1:]))]
    twice = [row for i, row in enumerate(rows) if len(row) != 2 or row[0] in {other[0] for other in rows[:i]}]
    if twice:
        raise error("groups", "be a class and its group on each line, each class once", repr(",".join(twice[0])))
    return {"groups": dict(rows)}


def _keywords(options: argparse.Namespace, known: Any) -> dict[str, Any]:
    given = {name: getattr(options, name, None) for name in KEYWORDS}
    return {**{name: value for name, value in given.items() if value is not None}, **annotator_reliability(options, known)}


def _write(evaluation: Evaluation, notes: Sequence[Note], draft: Path) -> dict[str, Any]:
    """Write all files of a report, without those of empty tables; return the evaluation as plain values."""
    evaluation = replace(evaluation, notes=tuple(dict.fromkeys((*evaluation.notes, *notes))))
    evaluation.to_html(draft / "report.html")
    evaluation.to_json(draft / "evaluation.json")
    for name, table in evaluation.tables.items():
        if len(table):
            evaluation.to_csv(draft / f"{name}.csv", table=name)
    found = evaluation.to_dict()
    write_text(draft / "guidelines.csv", guidelines(found).csv_text())
    return found


def _certainty(options: argparse.Namespace) -> dict[str, Any]:
    with nullcontext() if options.out is None else output_file(options.out) as draft:
        read = annotations_of(options)
        known = aggregation_input(read.annotations)
        if isinstance(known, Ratings):
            data, left_out, certainty, cases = _of_sides(options, known)
            parts: Sequence[UncertaintyRow] = ()
            found: Mapping[str, Any] = {"data": data, "left_out": left_out, "notes": []}
            if draft is not None:
                write_text(draft, cases.table().csv_text())
        else:
            if options.cut is not None:
                raise error("--cut", "be left out unless annotations are ratings on a real scale", f"{options.cut:g}")
            evaluation = evaluate(known, {}, **{**_keywords(options, known), **frequency_of(options, read), "details": False})
            found = evaluation.to_dict()
            source = ReportSource.read(found)
            certainty, parts, cases = list(source.rows(CertaintyRow)), source.rows(UncertaintyRow), source.cases
            if draft is not None:
                evaluation.to_csv(draft, table="cases")
    how = of_codes(notes_of(found), "integrals")
    said = certainty_lines(certainty, found["data"]["n_classes"], options.cut)
    said += uncertainty_lines(parts)
    say(*data_lines(found, read.missing_note()), "", *said, *textwrap.wrap(str(how[0]) if how else "", 120), "", *worklist_lines(cases))
    if draft is not None:
        say("", f"All cases: {options.out}")
    return {
        **{name: found[name] for name in ("data", "left_out")},
        "certainty": list(map(cells_of, certainty)),
        "uncertainty": list(map(cells_of, parts)),
        "least_certain": [one._asdict() for one in worklist(cases)],
        **read_record(read),
        "files": [options.out] if options.out else [],
    }


def _of_sides(options: argparse.Namespace, ratings: Ratings) -> tuple[dict[str, Any], Mapping[str, int], list[CertaintyRow], CaseColumns]:
    """Return facts, cases left out, and under each reliability the certainty of the side of the cut on which the mean of a case is."""
    if options.cut is None or not math.isfinite(options.cut):
        must = (
            "be a number for ratings on a real scale, whose certainty is that of a side of the cut (for grades, state them: --scale 1,2,3)"
        )
        raise error("--cut", must, "none" if options.cut is None else options.cut)
    check_options(k=options.k)
    given = annotator_reliability(options, ratings).get("reliability")
    making = by_name.Making(annotator_reliability=given, **({} if options.prior is None else {"prior": options.prior}))
    truths = by_name.truths(ratings, options.aggregation or "auto", options.reliability if given is None else 1.0, making)
    truth: Any  # a NormalPosterior
    found = {}
    for reliability, truth in truths:
        found[reliability] = rating_certainty(truth, options.cut, kind="mean")
    rows = []
    for reliability, one in found.items():
        low, high = one.interval()
        row = CertaintyRow(reliability, "certainty", 1, *with_ends(one.value, (low, high)), n_cases=one.n_cases)
        rows.append(row._replace(n_below_099=int((one.per_case < SETTLED).sum())))
    per_case = np.stack([one.per_case for one in found.values()], axis=1)
    mean, means, n = per_case.mean(axis=1), ratings.means(), sizes_of(ratings.offsets).tolist()
    order = np.argsort(mean, kind="stable").tolist()
    certainty = {reliability_key(r): [finite(per_case[i, at]) for i in order] for at, r in enumerate(found)}
    ids, voted = [str(ratings.case_ids[i]) for i in order], [finite(means[i]) for i in order]
    cases = CaseColumns(ids, [n[i] for i in order], voted, [finite(mean[i]) for i in order], certainty)
    return data_summary(Annotated.all_of(ratings)), next(iter(found.values())).left_out, rows, cases


def add_demo(commands: Any) -> None:
    parser = new_command(commands, "demo", _demo, "evaluate three models on generated data", "[options]", DEMO)
    option = group(parser, "files")
    option("--out", "DIR", "folder for the report; default: %(default)s", default="ugt-demo")
    option("--seed", "N", "random seed for the data and the bootstrap; default: %(default)s", type=int, default=0)


def _demo(options: argparse.Namespace) -> dict[str, Any]:
    from .. import synthetic  # noqa: PLC0415  (what only the demo needs)

    if not 0 <= options.seed < 2**32:
        raise error("--seed", "be a whole number from 0 to 2**32 - 1", options.seed)
    rankings, models, truth = synthetic.make_demo(seed=options.seed)
    with written(options.out) as (draft, files):
        evaluation = evaluate(rankings, models, seed=options.seed, provenance={"command": options.command})
        found = _write(evaluation, [Note("generated", "The annotations and the models are generated.")], draft)
    source = ReportSource.read(found)
    known = {name: synthetic.agreement(truth, scores) for name, scores in models.items()}
    post = plackett_luce(rankings)
    certainty = float(annotation_certainty(post).value)
    say(
        "Generated data with known truth. The model clear-cut is good at clear cases, the model broad at unclear ones.",
        sizes_line(source.data),
        "",
    )
    say(*model_lines(source), "", "How often one more annotator would agree with the model's first choice (the truth is known):")
    say("  " + ", ".join(f"{name} {value:.4f}" for name, value in known.items()))
    say("", f"The same rankings under Plackett-Luce: the mean certainty of the most plausible class is {certainty:.4f}.", post.note)
    say("", f"Report: {Path(options.out) / 'report.html'}")
    return {
        **{name: found[name] for name in PARTS},
        "agreement_with_known_truth": known,
        "plackett_luce_certainty": certainty,
        "files": files,
    }
