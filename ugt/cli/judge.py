"""``ugt judge``: how far judges, such as language models, can stand for people."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from .. import io
from .._base.checks import error
from .._base.names import listed
from .._base.notes import Note
from .._base.notices import note
from .._base.version import __version__
from .._tabular.csv_text import write_csv
from .._tabular.foreign import table_of
from .._tabular.role_words import ALIASES
from .._tabular.roles import MOST_SHOWN, is_number, plain
from .._tabular.source import Source, naming
from .._tabular.whole_file import write_text
from ..annotations import Labels, Rankings
from ..evaluation.facts import now
from ..io.judge_logs import REPEATS, JudgeLog
from ..judges import JudgeAssessment, assess_judges
from ..report.judging import html, verdicts
from .cases import annotations_of, of_cases
from .columns import case_given, column
from .command import aligned, decimal, group, new_command, say, spanned, took, written
from .reading import add_reading

TABLES = ("means", "order", "distance", "people", "by_score", "bias", "next_labels", "widths")
ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".xlsm", ".dta", ".sav")

TEXT = """
Compares judges, such as language models, rules or cheap readers, with people who labelled some of the cases. Writes a page: what people
would say of all cases (the judge's mean, corrected by the labels, with the uncertainty of cases and annotators), which differences between
systems are shown, how near judges are to people, where they are biased, and what to label next.

HUMANS is a file of labels or ratings; with a column for the system (or model), answers of several systems are compared. JUDGE is a log of
Inspect, promptfoo, DeepEval or lm-evaluation-harness, or a table with columns for case, judge, and verdict or score.

ugt judge people.csv judge.csv --values good=1 bad=0 --out judge
ugt judge people.csv judge.csv --values good=1 bad=0 --columns lengths.csv
ugt judge people.csv model-b=judge.csv --values good=1 bad=0 --judges gpt
"""


def add(commands: Any) -> None:
    parser = new_command(commands, "judge", run, "compare judges, such as language models, with people", "HUMANS JUDGE... [options]", TEXT)
    option = group(parser, "files")
    option("humans", "HUMANS", "labels or ratings by people of some of the cases")
    option("logs", "JUDGE", "logs of judges; name=path names the system under test, if the log does not", nargs="+")
    option("--columns", "FILE", "CSV file with the column case and properties of cases, such as the length; default: none")
    option("--probabilities", "FILE", "CSV file with the columns case and probability, of being labelled; default: the same for all cases")
    option("--strata", "FILE", "CSV file with the columns case and stratum, within which cases were chosen to be labelled; default: none")
    option("--clusters", "FILE", "CSV file with the columns case and cluster, which are kept together; default: no clusters")
    option("--out", "DIR", "folder for judge.html and the tables; default: print only")
    option = group(parser, "judges")
    option("--values", "NAME=X", "number of each verdict and label in words; default: the numbers that stand there", nargs="+")
    option("--judges", "NAME", "judges to take; default: all", nargs="+")
    option("--systems", "NAME", "systems under test to take; default: all", nargs="+")
    option("--case", "PATH", "path of the case id in a sample of a log, such as metadata.item; default: the id that the program writes")
    named = "names of the columns of JUDGE, if it is a plain table: of case, system, judge, verdict, score or repeat"
    option("--fields", "ROLE=NAME", f"{named}; default: detected", nargs="+")
    option("--repeats", REPEATS, "cases that a judge judged several times; default: %(default)s", default="error")
    option("--missing", ("error", "drop"), "labelled cases without a verdict: refuse or leave out; default: %(default)s", default="error")
    option("--level", "P", "level of the intervals; default: %(default)s", type=float, default=0.95)
    option("--title", "TEXT", "title of the page; default: the judges")
    add_reading(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    values = _values(options.values)
    with written(options.out) as (draft, files):
        log = _log(options)
        judges, systems = _chosen("judges", options.judges, log.judges), _chosen("systems", options.systems, log.systems)
        people = _people(options, systems, values)
        scores = {
            system: {judge: found for judge in judges if (found := _scores(log, judge, system, values, options.repeats))}
            for system in systems
        }
        columns = {} if options.columns is None else of_cases("subgroups", options.columns, options, said="columns")
        clusters = None if options.clusters is None else of_cases("clusters", options.clusters, options)
        chosen = {
            name: _column(name, path, options) for name in ("probabilities", "strata") if (path := getattr(options, name)) is not None
        }
        given = {system: (people[system], scores[system]) for system in systems}
        named = values if any(isinstance(one, Labels) for one in people.values()) else None  # ratings are numbers already
        made = assess_judges(
            given, values=named, columns=columns, clusters=clusters, level=options.level, missing=options.missing, **chosen
        )
        if draft is not None:
            _write(draft, made, options.title)
    say(*_lines(made))
    if draft is not None:
        say("", f"Page: {options.out}/judge.html")
    plain = {name: [row._asdict() for row in getattr(made, name)] for name in TABLES}
    return {**plain, "level": made.level, "left_out": dict(log.left_out), "files": files}


def _write(draft: Path, made: JudgeAssessment, title: str | None) -> None:
    facts = {"title": title, "date": now(), "version": __version__, "level": made.level}
    write_text(draft / "judge.html", html(made, facts))
    for name in TABLES:
        rows = getattr(made, name)
        if rows:
            cells = [[" ".join(map(str, cell)) if isinstance(cell, tuple) else cell for cell in row] for row in rows]
            write_csv(draft / f"{name}.csv", rows[0]._fields, cells)


def _values(words: list[str] | None) -> dict[str, float] | None:
    if words is None:
        return None
    found = {}
    for word in words:
        name, sign, number = word.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            sign = ""
        if not sign or not name:
            raise error("--values", "give each verdict a number, such as good=1 bad=0", repr(word))
    if len(found) < len(words):
        raise error("--values", "give each verdict one number", listed(map(repr, words), MOST_SHOWN))
    return found


def _column(name: str, path: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the one value of each case in a file."""
    columns = of_cases("subgroups", path, options, said=name)
    if len(columns) > 1:
        raise error(f"--{name}", "be a file of two columns, one of them case", listed(map(repr, columns), MOST_SHOWN))
    found: dict[str, str] = next(iter(columns.values()))
    if name == "strata":
        return found
    try:
        return {case: float(value) for case, value in found.items()}
    except ValueError:
        odd = next(case for case, value in found.items() if not is_number(value))
        raise error(f"--{name}", "hold numbers", repr(found[odd]), f"case {odd}") from None


def _log(options: argparse.Namespace) -> JudgeLog:
    """Return all logs as one, and print a line about it."""
    named = [path.partition("=") for path in options.logs]
    given: Any = options.logs
    if all(sign for _, sign, _ in named):
        given = {name: path for name, _, path in named}
        if len(given) < len(named):
            raise error("JUDGE", "name each system once", listed([name for name, _, _ in named], MOST_SHOWN))
    case = case_given(options, options.logs[0].rpartition("=")[2])
    if isinstance(case, list):
        raise error("--case-column", "name one column for JUDGE (JUDGE=NAME)", listed(map(repr, case), MOST_SHOWN))
    fields = {} if case is None else {"case": case}
    for word in options.fields or ():
        role, sign, name = word.partition("=")
        if not sign or not name:
            raise error("--fields", "be ROLE=NAME, such as judge=scorer", repr(word))
        fields[role] = name
    log = io.read_judge_log(given, case=options.case, fields=fields, encoding=options.encoding)
    facts = {
        "file": ", ".join(options.logs), "taken_for": "verdicts", "form": log.form, "judges": log.judges, "systems": log.systems,
        "n_verdicts": len(log.case), "left_out": dict(log.left_out),
    }  # fmt: skip
    sizes = f"{len(log.case):,} verdicts by {listed(log.judges, MOST_SHOWN)} on {listed(log.systems, MOST_SHOWN)}"
    left = "".join(f"; left out: {reason} ({n:,})" for reason, n in log.left_out.items())
    took(facts, f"{facts['file']}: verdicts ({log.form}): {sizes}{left}.")
    return log


def _chosen(what: str, wanted: list[str] | None, known: list[str]) -> list[str]:
    for name in wanted or ():
        if name not in known:
            raise error(f"--{what}", f"be among {listed(map(repr, known), MOST_SHOWN)}", repr(name))
    return wanted or known


def _scores(log: JudgeLog, judge: str, system: str, values: dict[str, float] | None, repeats: str) -> dict[Any, float]:
    """Return the number of each case; of verdicts in words by ``values``, of scores as they are."""
    rows = (log.judge == judge) & (log.system == system)
    if not rows.any():
        return {}
    words = set(log.verdict[rows].tolist())
    worded = values is not None and "" not in words
    if worded and not words & set(values or ()) and not np.isnan(log.score[rows]).any():
        said = listed(map(repr, sorted(words)), MOST_SHOWN)
        taken = "{judge} on {system}: its scores are taken, as --values has none of its verdicts {said}."
        note(Note("no_values", taken, judge=judge, system=system, said=said))
        worded = False
    return log.numbers(judge, system, values=values if worded else None, repeats=repeats)


def _people(options: argparse.Namespace, systems: list[str], values: dict[str, float] | None) -> dict[str, Any]:
    """Return the labels of people on each system."""
    if not _names_systems(options):
        if len(systems) > 1:
            must = f"have a column for the system, as there are several: {listed(systems, MOST_SHOWN)} (or choose one: --systems)"
            raise error("HUMANS", must, "none")
        given = annotations_of(options, options.humans).annotations
        if isinstance(given, Rankings):
            raise error("HUMANS", "be labels or ratings", "rankings")
        return {systems[0]: given}
    with naming(options.humans):
        roles = {"case": "case", "judge": "annotator", "verdict": "label", "score": "value"}
        fields = {role: name for role, own in roles.items() if (name := column(options, own, options.humans)) is not None}
        log = io.read_judge_log(options.humans, fields=fields, encoding=options.encoding)
        absent = [name for name in systems if name not in log.systems]
        if absent:
            raise error("system", f"have labels of people (choose: --systems {log.systems[0]})", f"none for {listed(absent, MOST_SHOWN)}")
        worded = values if bool((log.verdict != "").any()) else None
        found = {system: log.ratings(system, values=worded) for system in systems}
        if worded is not None:  # all numbers that a label may be, which bound the intervals, as for labels of one system
            scale = sorted({worded[verdict] for verdict in set(log.verdict.tolist())})
            found = {system: one.on_scale(scale) for system, one in found.items()} if len(scale) > 1 else found
    facts = {"file": options.humans, "taken_for": "labels", "systems": log.systems, "annotators": log.judges}
    sizes = f"{len(log.case):,} labels by {len(log.judges):,} annotators on {listed(log.systems, MOST_SHOWN)}"
    took(facts, f"{options.humans}: labels (one row per label): {sizes}.")
    return found


def _names_systems(options: argparse.Namespace) -> bool:
    with naming(options.humans):
        source = Source(options.humans, encoding=options.encoding)
        return source.ending in ENDINGS and any(plain(name) in ALIASES["model"] for name in table_of(source).header)


def _lines(made: JudgeAssessment) -> list[str]:
    rows = [
        [f"{row.judge} on {row.system}", spanned(row.corrected, row.low, row.high, 3),
         spanned(row.corrected, row.cases_low, row.cases_high, 3), decimal(row.judge_alone, 3), decimal(row.people_alone, 3),
         f"{row.n_labelled:,} of {row.n_cases:,}"]
        for row in made.means
    ]  # fmt: skip
    head = ["", "corrected mean", "same annotators", "judge alone", "labels alone", "labelled"]
    legend = f"In brackets: {100 * made.level:g}% intervals, over cases and annotators, and over cases with the same annotators."
    notes = [f"Note: {row.judge} on {row.system}: {note}" for row in made.means for note in row.notes]
    return [*verdicts(made), "", *(line.rstrip() for line in aligned([head, *rows])), legend, *notes]
