"""Queries that turn rows of labels and a table of predictions into distinct rows with their frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._base.checks import error
from .._tabular.windows import typed

COUNT, FREQUENCY, CASE = "count_", "frequency", "case"  # of columns of the result
OUTPUT = "counts.csv"
SUM = 1e-3  # difference of the sum of probabilities from 1 that readers of predictions take for rounding
TEXT_FILES = dict.fromkeys((".csv", ".tsv", ".csv.gz", ".tsv.gz"), "read_csv({text}, header = true, all_varchar = true)")  # 007 stays 007


class Dialect(NamedTuple):
    """How an engine writes names and texts, what it calls its types, and how the result of a query becomes a file."""

    title: str
    quote: str
    doubled: bool  # whether a quote within quotes is doubled; if not, a backslash stands before it
    backslashes: bool  # whether a backslash within a text stands for itself only if it is doubled
    text: str
    number: str
    refuse: str  # the function that stops the query
    nan: str  # the function that is true for NaN, which DuckDB takes for a number between those that a Parquet file gives as its ends
    barred: str  # characters that the name of a column of a result may not have
    files: Mapping[str, str]  # how a file is read, by its ending
    save: str


DIALECTS = {
    "duckdb": Dialect(
        *("DuckDB", '"', True, False, "VARCHAR", "DOUBLE", "error", "isnan", "", {".parquet": "read_parquet({text})", **TEXT_FILES}),
        "duckdb -csv < {query} > {output}",
    ),
    "spark": Dialect(
        *("Spark", "`", True, True, "STRING", "DOUBLE", "raise_error", "isnan", "", {".parquet": "parquet.{name}"}),
        "in Python, spark.sql(open({query!r}).read()).toPandas().to_csv({output!r}, index=False)",
    ),
    "bigquery": Dialect(
        *("BigQuery", "`", False, True, "STRING", "FLOAT64", "ERROR", "IS_NAN", '!"$()*,./;?@[]^`{}~\\', {}),
        "bq query --nouse_legacy_sql --format=csv --max_rows=10000000 < {query} > {output}",
    ),
}


class Wanted(NamedTuple):
    """The names in a query: tables, their columns, classes, and how predictions are written.

    ``scores`` are columns of probabilities, one per class; ``models`` are columns that hold a model each; one of the two is empty.
    ``digits``: decimals to which probabilities are rounded, None for none.
    """

    labels: str
    predictions: str
    cases: tuple[Sequence[str], Sequence[str]]  # columns that identify a case in either table
    label: str
    annotator: str | None
    classes: Sequence[str]
    scores: Sequence[str]
    models: Sequence[str]
    digits: int | None
    duplicates: str
    missing: str


def query_of(asked: Wanted, dialect: str, path: str) -> str:
    """Return the query; ``path`` is the name of its file, which its comments repeat."""
    _check(asked, DIALECTS[dialect], path)
    return _Query(asked, DIALECTS[dialect]).text(path)


def _check(asked: Wanted, dialect: Dialect, path: str) -> None:
    """Reject names that no query can hold, and options that do not fit the classes."""
    names = (asked.labels, asked.predictions, *asked.cases[0], *asked.cases[1], asked.label, asked.annotator or "-")
    for name in (*names, *asked.classes, *asked.scores, *asked.models, path):
        if not name or not name.isprintable():
            raise error("names", "have characters, none of which is a control character, to be written into a query", repr(name))
    if asked.duplicates == "first" and asked.annotator is None:
        raise error("--annotator-column", "be given with --duplicates first, which knows rows of one annotator", "none")
    if len(asked.classes) < 2:
        raise error("--classes", "be two classes or more", len(asked.classes))
    if len(asked.cases[0]) != len(asked.cases[1]):
        raise error("--case-column", "name as many columns of either table", f"{len(asked.cases[0])} and {len(asked.cases[1])}")
    if asked.scores and len(asked.scores) != len(asked.classes):
        raise error("--class-columns", f"name {len(asked.classes)} columns, one per class in their order", len(asked.scores))
    if asked.digits is not None and asked.scores and len(asked.classes) >= 10**asked.digits:
        must = f"be more decimals for {len(asked.classes)} classes, whose probabilities may all become 0"
        raise error("--round", must, asked.digits)
    _check_columns("--classes", asked.classes, (), dialect)
    _check_columns("--model-columns", asked.models, (CASE, FREQUENCY), dialect)
    if not asked.models:
        _check_columns("--classes", asked.classes, (CASE, FREQUENCY), dialect)


def _check_columns(argument: str, names: Sequence[str], taken: Sequence[str], dialect: Dialect) -> None:
    """Reject names that cannot be those of columns of the result; ``taken`` are those of other columns, if these are named so."""
    way = "rename it in the tables before"
    for i, name in enumerate(names):
        if not {*name}.isdisjoint(dialect.barred):
            raise error(argument, f"have names without {dialect.barred}, as columns of {dialect.title} do", repr(name), way=way)
        if name.casefold() in {*taken, *map(str.casefold, names[:i])} or (taken and name.casefold().startswith(COUNT)):
            must = f"be no other column of the result ({CASE}, {FREQUENCY}, {COUNT}...), whatever the case of its letters"
            raise error(argument, must, repr(name), way=way)


class _Query:
    """One query: columns k0, k1 ... are those of the case, n0 ... counts, p0 ... predictions, and ``problem`` says why it must stop."""

    def __init__(self, asked: Wanted, dialect: Dialect) -> None:
        self.asked, self.dialect = asked, dialect
        self.keys = [f"k{i}" for i in range(len(asked.cases[0]))]
        self.counts = [f"n{i}" for i in range(len(asked.classes))]
        self.predicted = [f"p{i}" for i in range(len(asked.scores or asked.models))]
        self.checked = asked.annotator is not None and asked.duplicates != "count"
        self.numbers = bool(asked.scores) or asked.digits is not None

    # ---- words of a dialect ----
    def name(self, name: str) -> str:
        """Return a name in quotes."""
        quote = self.dialect.quote
        inner = name.replace(quote, 2 * quote) if self.dialect.doubled else name.replace("\\", "\\\\").replace(quote, f"\\{quote}")
        return quote + inner + quote

    def literal(self, text: str) -> str:
        """Return a text in quotes."""
        inner = text.replace("\\", "\\\\").replace("'", "\\'") if self.dialect.backslashes else text.replace("'", "''")
        return f"'{inner}'"

    def table(self, argument: str, table: str) -> str:
        """Return what follows FROM: a table, whose name may have points, or the reader of a file."""
        ending = next((end for end in (".parquet", *TEXT_FILES) if table.casefold().endswith(end)), None)
        if ending is None:
            return ".".join(map(self.name, table.split("."))) if self.dialect.doubled else self.name(table)
        if ending not in self.dialect.files:
            must = f"be a table or a view for a query of {self.dialect.title} (load the file into one)"
            raise error(argument, must, repr(table))
        return self.dialect.files[ending].format(text=self.literal(table), name=self.name(table))

    def said(self, *parts: str) -> str:
        """Return the text of a problem with the case that has it."""
        shown = " || ', ' || ".join(f"CAST({key} AS {self.dialect.text})" for key in self.keys)
        return " || ".join([*parts, self.literal(", such as for case "), shown])

    def problem(self, *found: tuple[str, str]) -> str:
        """Return the expression of the first problem that a case has; NULL for none."""
        return "\n      ".join(["CASE", *(f"WHEN {condition} THEN {text}" for condition, text in found)]) + "\n    END AS problem"

    # ---- its parts ----
    def rows(self, table: str, cases: Sequence[str], columns: Sequence[str]) -> str:
        """Return the columns of a table that the query needs, under names of its own."""
        keys = [f"{self.name(name)} AS {key}" for name, key in zip(cases, self.keys)]
        return _select([*keys, *columns], table)

    def labels(self) -> dict[str, str]:
        """Return the steps to the counts of each case. With annotators, rows that repeat a label of one of them count once."""
        asked, text = self.asked, self.dialect.text
        columns = [f"CAST({self.name(asked.label)} AS {text}) AS label"]
        columns += [f"{self.name(asked.annotator)} AS annotator"] if asked.annotator and self.checked else []
        steps = {"ugt_labels": self.rows(self.table("annotations", asked.labels), asked.cases[0], columns)}
        if self.checked:
            by = [*self.keys, "annotator", "label"]
            steps.update(ugt_votes=_select([*by, "count(*) AS times"], "ugt_labels", by))
        counts = [f"count(CASE WHEN label = {self.literal(one)} THEN 1 END) AS {n}" for one, n in zip(asked.classes, self.counts)]
        columns = [*self.keys, *counts, "1 AS found", self.problem(*self.of_labels())]
        return {**steps, "ugt_counts": _select(columns, [*steps][-1], self.keys)}

    def of_labels(self) -> list[tuple[str, str]]:
        """Return what may be wrong with the labels of a case, and its words."""
        unknown = f"max(CASE WHEN label NOT IN ({', '.join(map(self.literal, self.asked.classes))}) THEN label END)"
        found = [self.without_case("labels"), (f"{unknown} IS NOT NULL", self.said(self.literal("labels must be classes. Got "), unknown))]
        if self.checked:
            nobody = "count(CASE WHEN annotator IS NULL AND label IS NOT NULL THEN 1 END) > 0"
            found.append((nobody, self.said(self.literal("annotator must be given for every label. Got NULL"))))
        if self.checked and self.asked.duplicates == "error":
            words = "labels must not repeat a case, annotator and label (--duplicates first or count). Got two equal rows"
            found.append(("max(CASE WHEN label IS NOT NULL THEN times END) > 1", self.said(self.literal(words))))
        return found

    def without_case(self, what: str) -> tuple[str, str]:
        rows = self.literal(f"{what} must have a case in every row. Rows without one: ")
        return " OR ".join(f"{key} IS NULL" for key in self.keys), f"{rows} || CAST(count(*) AS {self.dialect.text})"

    def predictions(self) -> dict[str, str]:
        """Return the steps to one row per case: rows of a case are grouped before they are joined, so that they cannot multiply it."""
        asked, number = self.asked, self.dialect.number
        given = list(map(self.name, asked.scores or asked.models))
        given = [f"CAST({one} AS {number})" for one in given] if self.numbers else given
        columns = [f"{one} AS {p}" for one, p in zip(given, self.predicted)]
        rows = self.rows(self.table("--model-table", asked.predictions), asked.cases[1], columns)
        columns = [*self.keys, *(f"max({p}) AS {p}" for p in self.predicted), "1 AS found", self.problem(*self.of_predictions())]
        return {"ugt_model": rows, "ugt_predictions": _select(columns, "ugt_model", self.keys)}

    def of_predictions(self) -> list[tuple[str, str]]:
        """Return what may be wrong with the predictions of a case, and its words; a NULL fits nothing."""
        must, fit = "be given for every row", [f"{p} IS NOT NULL" for p in self.predicted]
        if self.numbers:
            must, fit = "be probabilities from 0 to 1", [f"{p} BETWEEN 0 AND 1 AND NOT {self.dialect.nan}({p})" for p in self.predicted]
        if self.asked.scores:
            must += " that add up to 1"
            allowed = SUM if self.asked.digits is None else max(SUM, 0.5 * len(self.predicted) * 10.0**-self.asked.digits + 1e-9)
            fit.append(f"abs({' + '.join(self.predicted)} - 1) <= {allowed:.10f}")
        times = f"CAST(count(*) AS {self.dialect.text})"
        return [
            self.without_case("predictions"),
            ("count(*) > 1", self.said(self.literal("predictions must have one row per case. Got rows of one case: "), times)),
            (f"count(CASE WHEN {' AND '.join(fit)} THEN 1 END) = 0", self.said(self.literal(f"predictions must {must}. Got others"))),
        ]

    def joined(self) -> str:
        """Return the counts and the predictions of each case; a case that one table lacks is a problem, or is left out."""
        scale = None if self.asked.digits is None else 10**self.asked.digits
        values = [p if scale is None else f"round({scale} * {p}) AS {p}" for p in self.predicted]
        on = " AND ".join(f"c.{key} = m.{key}" for key in self.keys)
        shown = [f"CAST({table}.{key} AS {self.dialect.text})" for key in self.keys for table in "cm"]
        case = " || ', ' || ".join(f"coalesce({one}, {other})" for one, other in zip(shown[::2], shown[1::2]))
        words = " must be given for every case (--missing drop). Got none for case "
        lacks = [
            (f"{table}.found IS NULL", f"{self.literal(what + words)} || {case}") for table, what in (("m", "predictions"), ("c", "labels"))
        ]
        found = [(f"{table}.problem IS NOT NULL", f"{table}.problem") for table in "cm"]
        drop = self.asked.missing == "drop"
        problem = self.problem(*found, *([] if drop else lacks))
        joined = f"ugt_counts AS c FULL OUTER JOIN ugt_predictions AS m ON {on}"
        where = "\n  WHERE (c.found = 1 AND m.found = 1) OR c.problem IS NOT NULL OR m.problem IS NOT NULL" if drop else ""
        return _select([*self.counts, *values, problem], joined) + where

    def distinct(self) -> str:
        """Return the distinct rows with their frequency; the only place where the query stops for a problem."""
        by = [*self.counts, *self.predicted]
        frequency = f"CASE WHEN max(problem) IS NULL THEN count(*) ELSE {self.dialect.refuse}(max(problem)) END AS {FREQUENCY}"
        return _select([*by, frequency], "ugt_cases", by)

    def result(self) -> str:
        """Return the columns that ugt reads, the most frequent row first. Rounded probabilities are divided by their sum."""
        asked, scale = self.asked, None if self.asked.digits is None else f"{10**self.asked.digits}.0"
        order = ", ".join([f"{FREQUENCY} DESC", *self.counts, *self.predicted])
        columns = [f"row_number() OVER (ORDER BY {order}) AS {self.name(CASE)}"]
        columns += [f"{n} AS {self.name(COUNT + one)}" for n, one in zip(self.counts, asked.classes)]
        over = None if scale is None else f"({' + '.join(self.predicted)})" if asked.scores else scale
        values = self.predicted if over is None else [f"{p} / {over}" for p in self.predicted]
        columns += [f"{value} AS {self.name(one)}" for value, one in zip(values, asked.models or asked.classes)]
        return _select([*columns, FREQUENCY], "ugt_rows") + f"\nORDER BY {self.name(CASE)}"

    def text(self, path: str) -> str:
        """Return the whole query, with the command that reads its result."""
        asked, dialect = self.asked, self.dialect
        read = ["ugt", "evaluate", "--annotations", OUTPUT, "--format", "counts", "--case-column", CASE, "--annotator-columns", f"{COUNT}*"]
        read += ["--model-columns", *asked.models] if asked.models else ["--predictions", f"model={OUTPUT}"]
        lines = [
            f"Distinct rows of label counts and predictions, each with the number of its cases ({FREQUENCY}), for {dialect.title}.",
            f"Its result as a file: {dialect.save.format(query=path, output=OUTPUT)}",
            f"Read it by: {typed([*read, '--frequency', FREQUENCY, '--out', 'report'])}",
        ]
        steps = {**self.labels(), **self.predictions(), "ugt_cases": self.joined(), "ugt_rows": self.distinct()}
        tables = ",\n".join(f"{name} AS (\n  {step}\n)" for name, step in steps.items())
        return "".join(f"-- {line}\n" for line in lines) + f"WITH {tables}\n{self.result()}\n"


def _select(columns: Sequence[str], table: str, by: Sequence[str] = ()) -> str:
    grouped = f"\n  GROUP BY {', '.join(by)}" if by else ""
    return "SELECT\n    " + ",\n    ".join(columns) + f"\n  FROM {table}{grouped}"
