"""``ugt reader-study``: readers with and without a model compared, or a model alone compared with readers."""

from __future__ import annotations

import argparse
from typing import Any

from .._base.checks import error
from .._base.names import listed, positive_of
from .._tabular.csv_text import write_csv
from .._tabular.roles import is_number
from .._tabular.source import naming
from ..annotations import Labels, Rankings
from ..io.beside import prediction_file
from ..io.study_files import ReadingFile, reading_file, truth_file
from ..studies import AgainstReaders, ReaderStudy, Readings, against_readers, reader_study
from ..studies.covariances import METHODS
from ..studies.figures import NAMED
from .arguments import OfFile
from .cases import add_model_columns, annotations_of, missing_texts, of_cases, of_models
from .columns import case_given, column, columns_given
from .command import ANNOTATIONS, PREDICTIONS, aligned, decimal, group, new_command, say, took, written
from .facts import counted
from .reader_claims import claimed, verdict
from .reading import add_reading
from .wording import worded_note

ENDS = ("value", "low", "high")
COLUMNS = ("test", "reader", "rating", "truth")

TEXT = """
Compares tests, such as reading without and with a model, by the ratings of several readers. Readers and cases are random (multi-reader
multi-case analysis). FILE has one row per rating, with columns for test, reader, case and rating.

The truth is a column of FILE with 0 and 1, probabilities or classes, or another file: a table of case and truth, or the labels of a panel,
whose annotators are then random, too. With --model, the scores of a model alone are compared with the readers of one test.

ugt reader-study study.csv
ugt reader-study study.csv --truth panel.csv --out study
ugt reader-study study.csv --new with --old without --margin 0.05
ugt reader-study study.csv --model model.csv --test without --json
"""


def add(commands: object) -> None:
    parser = new_command(commands, "reader-study", run, "compare readers with and without a model", "FILE [options]", TEXT)
    option = group(parser, "files")
    option("readings", "FILE", "table with one row per rating: test, reader, case, rating, and optionally truth")
    option("--truth", "FILE", f"table of case and truth, or labels of a panel ({ANNOTATIONS}); default: the column truth of FILE")
    option("--model", "FILE", f"scores of a model that reads alone, one per case: {PREDICTIONS}; default: compare tests")
    text = "CSV file with the columns case and cluster (such as the patient), which are kept together; default: no clusters"
    option("--clusters", "FILE", text)
    add_model_columns(option)
    option("--out", "DIR", "folder for figures.csv and differences.csv; default: print only")
    option = group(parser, "study")
    option("--positive", "NAME", "positive class, if the truth is of classes; default: the one beside a word of absence (normal)")
    option("--figure", NAMED, "figure of merit of a reader; default: %(default)s", default="soft_auroc")
    text = "lowest rating that calls a case positive (sensitivity, specificity, accuracy); default: 1, for ratings 0 and 1"
    option("--threshold", "X", text, type=float)
    option("--score-threshold", "X", "lowest score of --model that calls a case positive; default: --threshold", type=float)
    option("--method", ("or", "u"), "method: Obuchowski-Rockette (or), or U-statistics of Gallas (u); default: %(default)s", default="or")
    what = "random effects; default: readers cases, and annotators if the truth is a panel with names"
    option("--random", ("readers", "cases", "annotators"), what, nargs="+")
    option(
        "--covariance", METHODS, "estimator of covariances over cases; default: delong if all readers read all cases, otherwise jackknife"
    )
    option("--level", "P", "level of the intervals, and one-sided level of claims; default: %(default)s", type=float, default=0.95)
    option = group(parser, "claims")
    option("--new", "TEST", "test that is claimed to be non-inferior; default: no claim")
    option("--old", "TEST", "test that --new is compared with; default: no claim")
    option("--margin", "D", "margin of non-inferiority, on the scale of the figure; default: no claim", type=float)
    option("--test", "TEST", "test whose readers --model is compared with; default: the only one")
    option = group(parser, "columns of readings")
    for role in COLUMNS:
        option(f"--{role}-column", "[FILE=]NAME", f"name of the {role} column; default: detected", action=OfFile)
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    _check(options)
    with written(options.out) as (draft, files):
        read = _readings_of(options)
        readings = Readings.from_long(read.test, read.reader, read.case, read.rating)
        truth, positive, classes = _truth(options, read)
        common = {name: getattr(options, name) for name in ("figure", "threshold", "random", "covariance", "level")}
        common.update(positive=positive, clusters=None if options.clusters is None else of_cases("clusters", options.clusters, options))
        record: dict[str, Any]
        if options.model is None:
            study = reader_study(truth, readings, method=options.method, **common)
            lines, record = _of_study(study, options)
        else:
            scores, more = (
                _scores(options, positive),
                {"margin": options.margin, "test": options.test, "score_threshold": options.score_threshold},
            )
            lines, record = _against(against_readers(truth, readings, scores, **more, **common))
        if draft is not None:
            for name in ("figures", "differences"):
                rows = record[name]
                write_csv(draft / f"{name}.csv", list(rows[0]) if rows else ["first"], [list(row.values()) for row in rows])
    if classes:
        sets = "" if options.positive is not None else "; --positive sets it"
        lines = [f"Positive class: {positive}, of {' and '.join(classes) if len(classes) == 2 else listed(classes)}{sets}.", *lines]
    say(*lines)
    if draft is not None:
        say("", f"Tables: {options.out}")
    return {"positive": positive, **record, "left_out": {**read.left_out, **record["left_out"]}, "files": files}


def _check(options: argparse.Namespace) -> None:
    """Reject options that do not go together."""
    alone = [name for name in ("test", "score_threshold") if getattr(options, name) is not None]
    claim = [name for name in ("new", "old") if getattr(options, name) is not None]
    if options.model is None and alone:
        raise error(f"--{alone[0].replace('_', '-')}", "be left out without --model", repr(getattr(options, alone[0])))
    if options.model is not None and (claim or options.method == "u"):
        got = repr(getattr(options, claim[0] if claim else "method"))
        raise error(f"--{claim[0] if claim else 'method'}", "be left out with --model", got)
    if options.model is None and (len(claim) == 1 or bool(claim) != (options.margin is not None)):
        raise error("--new, --old and --margin", "be given together", "some of them")


def _readings_of(options: argparse.Namespace) -> ReadingFile:
    columns = columns_given(options, COLUMNS if options.truth is None else COLUMNS[:-1], options.readings)
    read = reading_file(options.readings, columns, missing=missing_texts(options), decimal=options.decimal, encoding=options.encoding)
    of = {"test": read.test, "reader": read.reader, "case": read.case}
    n = {**{name: len(set(column.tolist())) for name, column in of.items()}, "rating": len(read.rating)}
    found = {"file": options.readings, "taken_for": "readings", "columns": read.columns, "not_used": read.unused}
    found.update({f"n_{name}s": size for name, size in n.items()}, left_out=read.left_out)
    sizes = [counted(size, name) for name, size in n.items()]
    sizes += [f"left out: {reason} ({n:,})" for reason, n in read.left_out.items()]
    took(found, f"{options.readings}: readings (one row per rating): {', '.join(sizes)}.")
    return read


def _truth(options: argparse.Namespace, read: ReadingFile) -> tuple[Any, str | None, list[str]]:
    """Return the truth, its positive class and all its classes; a truth of 0, 1 or probabilities has none."""
    if options.truth is None:
        if read.truth is None:
            raise error("file", "have a column for the truth, or --truth be given", f"the columns {listed(sum(read.columns.values(), ()))}")
        return _of_cases(read.truth, options)
    own = column(options, "truth", options.truth)
    known = truth_file(options.truth, case_given(options, options.truth), own, missing=missing_texts(options), encoding=options.encoding)
    if known is None:
        panel = annotations_of(options, options.truth).annotations
        names = [*map(str, panel.axes.classes.tolist())] if isinstance(panel, (Labels, Rankings)) else []
        return panel, options.positive or (names[positive_of(names, "positive", "a truth")] if len(names) == 2 else None), names
    found = {"file": options.truth, "taken_for": "truth", "n_cases": len(known)}
    took(found, f"{options.truth}: truth (one row per case): {len(known):,} cases.")
    return _of_cases(known, options)


def _of_cases(truth: dict[str, Any], options: argparse.Namespace) -> tuple[Any, str | None, list[str]]:
    """Return a truth of numbers or names, its positive class and its classes; numbers beyond 0 and 1 are names."""
    positive, numbers = options.positive, all(isinstance(value, float) for value in truth.values())
    if numbers:
        if all(0 <= value <= 1 for value in truth.values()):
            return truth, positive, []
        truth = {case: f"{value:g}" for case, value in truth.items()}
        positive = f"{float(positive):g}" if positive is not None and is_number(positive) else positive
    names = sorted(set(truth.values()), key=float if numbers else None)
    if positive is None and (numbers or len(names) != 2):
        must = "be given for a truth that does not have two classes" + " or numbers from 0 to 1" * numbers
        with naming(options.truth or options.readings):
            raise error("--positive", must, f"the numbers {listed(names)}" if numbers else f"{len(names)} classes")
    with naming(options.truth or options.readings):
        return truth, positive or names[positive_of(names, "positive", "a truth")], names


def _scores(options: argparse.Namespace, positive: str | None) -> dict[str, float]:
    """Return the scores of a model: those of the positive class, if there is a column for each of two classes."""
    read = prediction_file(options.model, None, options.positive, several=False, **of_models(options, options.model))
    (model,) = read.models.values()
    if model.case_ids is None or model.scores.shape[1] not in (1, 2):
        must = "hold a case and one score per row (or the probabilities of two classes)"
        raise error("--model", must, f"{model.scores.shape[1]} columns")
    names = [] if model.classes is None else model.classes.astype(str).tolist()
    at = -1 if len(names) < 2 else names.index(positive) if positive in names else positive_of(names, "positive", "scores of two classes")
    return dict(zip(model.case_ids.astype(str).tolist(), model.scores[:, at].tolist()))


def _of_study(study: ReaderStudy, options: argparse.Namespace) -> tuple[list[str], dict[str, Any]]:
    figures = [_figure(name, one) for name, one in study.tests.items()]
    pairs = [_difference(one) for one in study.differences]
    lines = [f"Design: {study.design}; {study.n_readers} readers, {study.n_cases:,} cases; random: {', '.join(study.random)}."]
    lines += ["", f"Mean {options.figure} of the readers:", *_table("test", figures, ("value", "low", "high", "std_error"))]
    if pairs:
        lines += ["", "Differences:", *_table("difference", pairs, (*ENDS, "p_value", "adjusted_p_value"))]
    test = study.global_test
    if test is not None:
        df2 = "" if test.df2 == float("inf") else f", {decimal(test.df2)}"
        lines += [
            "",
            f"Hypothesis of equal tests: {decimal(test.statistic)} on {test.df1:g}{df2} degrees of freedom, p = {decimal(test.p_value)}.",
        ]
    lines += ["", *said] if (said := verdict(study.verdict)) else []
    claim = None if options.new is None else study.non_inferiority(options.new, options.old, options.margin, level=options.level)
    if claim is not None:
        lines += ["", *(one for one in claimed(claim, f"{options.new} against {options.old}") if one not in lines)]
    parts = {name: getattr(study.components, name) for name in study.components.__dataclass_fields__}
    record = {"design": study.design, "method": study.method, "components": parts, "global_test": test and vars(test)}
    return [*lines, *_notes(study)], {**record, **_record(study, figures, pairs, claim)}


def _against(found: AgainstReaders) -> tuple[list[str], dict[str, Any]]:
    figures = [_figure("model", found.model), _figure("readers", found.readers)]
    pairs = [_difference(found.difference)]
    lines = [f"{len(found.reader_ids)} readers, {found.n_cases:,} cases; random: {', '.join(found.random)}.", ""]
    lines += _table("", figures, ("value", "low", "high", "std_error"))
    lines += ["", *_table("difference", pairs, (*ENDS, "p_value"))]
    lines += ["", *said] if (said := verdict(found.verdict, alone=True)) else []
    if found.claim is not None:
        lines += ["", *(one for one in claimed(found.claim, "model against readers") if one not in lines)]
    return [*lines, *_notes(found)], _record(found, figures, pairs, found.claim)


def _record(found: Any, figures: list[dict[str, Any]], pairs: list[dict[str, Any]], claim: Any) -> dict[str, Any]:
    more = {
        "verdict": _public(found.verdict),
        "claim": _public(claim),
        "random": found.random,
        "notes": [*map(worded_note, found.notes)],
        "left_out": dict(found.left_out),
    }
    return {"figures": figures, "differences": pairs, "n_cases": found.n_cases, **more}


def _public(record: Any) -> dict[str, Any] | None:
    return None if record is None else {name: value for name, value in vars(record).items() if not name.startswith("_")}


def _figure(name: Any, one: Any) -> dict[str, Any]:
    low, high = one.interval()
    return {"test": str(name), "value": one.value, "low": low, "high": high, "std_error": one.std_error, "df": one.df, "reason": one.reason}


def _difference(one: Any) -> dict[str, Any]:
    low, high = one.interval()
    fixed = dict(zip(("cases_low", "cases_high"), one.interval(random=("cases",))))
    ends = {"value": one.value, "low": low, "high": high, **fixed, "std_error": one.std_error, "df": one.df}
    p = {"p_value": one.p_value, "adjusted_p_value": one.adjusted_p_value, "reason": one.reason}
    return {"difference": f"{one.first} - {one.second}", **ends, **p}


def _table(first: str, rows: list[dict[str, Any]], columns: tuple[str, ...]) -> list[str]:
    key = "difference" if first == "difference" else "test"
    heads = [column.replace("adjusted_p_value", "p (Holm)").replace("p_value", "p").replace("_", " ") for column in columns]
    return aligned([[first, *heads], *([row[key], *(decimal(row[column]) for column in columns)] for row in rows)])


def _notes(found: Any) -> list[str]:
    undefined = [one.reason for one in (*getattr(found, "differences", ()),) if one.reason]
    notes = map(worded_note, found.notes)
    return [f"Note: {note}" for note in (*notes, *dict.fromkeys(f"no interval: {reason}" for reason in undefined))]
