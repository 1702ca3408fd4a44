"""``ugt convert --sql`` and the recipe in Polars: rows of labels and predictions become distinct rows with their frequency."""

import argparse
import csv
import doctest
import json
import re
import shlex
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt import cli, io
from ugt._base import notices
from ugt.cli import convert as _convert
from ugt.cli.command import Parser
from ugt.cli.sql import DIALECTS

PAGE = Path(__file__).parents[2] / "docs" / "beyond-one-machine.md"
STRANGE = ['it\'s "x"', "größe, ja", "back\\slash", "select"]
PLAIN = ["cat", "dog", "ibex"]
N = 150


def engine():
    return pytest.importorskip("duckdb", reason="the query is run by duckdb, which is not installed")


def convert(*words):
    parser = Parser(prog="ugt")
    _convert.add(parser.add_subparsers())
    options = parser.parse_args(["convert", *map(str, words)])
    assert isinstance(options, argparse.Namespace)
    return options.run(options)


def study(classes, seed=0, n=N):
    """Rows of labels, some without one, and of predictions, in another order; ids are texts that a number would change."""
    rng = np.random.default_rng(seed)
    ids = [f"{i:05d}" for i in range(n)]
    given = [(ids[i], f"a{a}", classes[rng.integers(len(classes))] if rng.random() < 0.8 else None) for i in range(n) for a in range(3)]
    shares = rng.multinomial(4, np.ones(len(classes)) / len(classes), n) / 4 + rng.uniform(-1e-4, 1e-4, (n, len(classes)))
    shares = np.clip(shares, 0, None) / np.clip(shares, 0, None).sum(axis=1, keepdims=True)
    chosen = [(ids[i], *(classes[k] for k in rng.integers(0, len(classes), 2))) for i in range(n)]
    order = rng.permutation(n)
    return [given[i] for i in rng.permutation(len(given))], [(ids[i], *shares[i].tolist()) for i in order], [chosen[i] for i in order]


def twin(classes, labels, predictions, digits=None):
    """Distinct rows and their frequencies, counted in Python."""
    counts = {case: [0] * len(classes) for case, *_ in labels}
    for case, _, label in labels:
        if label is not None:
            counts[case][classes.index(label)] += 1
    rows = Counter()
    for case, *values in predictions:
        whole = values if digits is None else [round(value * 10**digits) for value in values]
        rows[(*counts[case], *(whole if digits is None else [one / sum(whole) for one in whole]))] += 1
    return rows


def write_table(path, header, rows):
    """Write a file of Parquet or CSV."""
    if path.suffix == ".parquet":
        arrow = pytest.importorskip("pyarrow", reason="Parquet is written by pyarrow, which is not installed")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({name: [row[c] for row in rows] for c, name in enumerate(header)}), path)
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def result(path):
    """The header and the rows of what the query in a file gives."""
    found = engine().connect().execute(path.read_text(encoding="utf-8"))
    return [column[0] for column in found.description], found.fetchall()


def answer(tmp_path, labels, predictions, *words, classes=2, names=("p0", "p1")):
    """The rows of a query on two tables."""
    write_table(tmp_path / "labels.parquet", ["case", "annotator", "label"], labels)
    write_table(tmp_path / "model.parquet", ["case", *names], predictions)
    tables = (tmp_path / "labels.parquet", tmp_path / "q.sql", "--sql", "duckdb", "--model-table", tmp_path / "model.parquet")
    convert(*tables, "--classes", classes, *(words or ("--class-columns", *names)))
    return result(tmp_path / "q.sql")[1]


def named(folder, classes):
    (folder / "classes.txt").write_text("\n".join(classes) + "\n", encoding="utf-8")
    return folder / "classes.txt"


# ---- the query, run by DuckDB ----
@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("classes", [PLAIN, STRANGE], ids=["plain", "strange"])
@pytest.mark.parametrize("digits", [None, 2])
def test_distinct_rows_and_their_frequencies(tmp_path, ending, classes, digits):
    engine()
    labels, predictions, _ = study(classes)
    given = write_table(tmp_path / f"labels.{ending}", ['ca"se `x`', "order", "la'bel"], labels)
    columns = [f'p`{k}" group' for k in range(len(classes))]
    model = write_table(tmp_path / f"model.{ending}", ["id", *columns], predictions)
    words = ["--case-column", 'labels=ca"se `x`', "--case-column", "model=id", "--label-column", "la'bel", "--annotator-column", "order"]
    words += ["--class-columns", *columns, *(["--round", digits] if digits is not None else [])]
    convert(given, tmp_path / "q.sql", "--sql", "duckdb", "--classes", named(tmp_path, classes), "--model-table", model, *words)
    header, rows = result(tmp_path / "q.sql")
    assert header == ["case", *(f"count_{one}" for one in classes), *classes, "frequency"]
    assert [row[0] for row in rows] == [*range(1, len(rows) + 1)] and sorted((row[-1] for row in rows), reverse=True) == [
        row[-1] for row in rows
    ]
    expected = twin(classes, labels, predictions, digits)
    assert {row[1:-1]: row[-1] for row in rows} == expected and sum(expected.values()) == N
    assert (len(expected) == N) == (digits is None)  # rounding is what makes rows equal
    if digits is None:
        return
    write_table(tmp_path / "counts.csv", header, rows)  # its numbers are those of all cases
    read, predicted = read_back(tmp_path / "counts.csv", classes)
    known, scores, often = read.counts(), predicted.scores, [row[-1] for row in rows]
    assert predicted.case_ids.tolist() == read.axes.case_ids.tolist() == [row[0] for row in rows]
    found = ugt.ua_topk_accuracy(ugt.dirichlet(known_of(known), prior=0.1), scores, frequency=often)
    all_counts, all_scores = (np.repeat(one, often, axis=0) for one in (known, scores))
    whole = ugt.ua_topk_accuracy(ugt.dirichlet(known_of(all_counts), prior=0.1), all_scores)
    assert found.value == pytest.approx(whole.value, rel=1e-12) and found.n_cases == whole.n_cases <= N
    assert found.left_out == whole.left_out and sum(found.left_out.values()) == N - found.n_cases


def known_of(counts):
    return ugt.Labels.from_counts(counts)


def read_back(path, classes):
    """What readers make of the file of a result, with the options that the comment of the query gives."""
    read = io.read_annotations(path, format="counts", annotator_columns=["count_*"], columns={"case": "case"}).annotations
    with notices.heard():  # the other columns are left out
        predicted = io.read_predictions(path, classes=read.axes.classes, case_column="case")
    assert read.axes.classes.tolist() == predicted.classes.tolist() == classes
    return read, predicted


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_columns_that_hold_a_model_each(tmp_path, ending):
    labels, _, chosen = study(STRANGE, 1)
    given = write_table(tmp_path / f"labels.{ending}", ["case", "annotator", "label"], labels)
    model = write_table(tmp_path / f"chosen.{ending}", ["case", "net", "a 'rule'"], chosen)
    words = ["--sql", "duckdb", "--classes", named(tmp_path, STRANGE), "--model-table", model, "--model-columns", "net", "a 'rule'"]
    found = convert(given, tmp_path / "q.sql", *words)
    assert found == {"dialect": "duckdb", "classes": STRANGE, "files": [str(tmp_path / "q.sql")]}
    header, rows = result(tmp_path / "q.sql")
    assert header[-3:] == ["net", "a 'rule'", "frequency"] and {row[1:-1]: row[-1] for row in rows} == twin(STRANGE, labels, chosen)


def test_one_probability_of_the_positive_class(tmp_path):
    labels = [("a", "x", "1"), ("b", "x", "0"), ("c", "x", "1")]
    rows = answer(tmp_path, labels, [("a", 0.123), ("b", 0.5), ("c", 0.1201)], "--model-columns", "p0", "--round", 2, names=["p0"])
    assert rows == [(1, 0, 1, 0.12, 2), (2, 1, 0, 0.5, 1)]


def test_cases_without_labels_stay_and_cases_of_one_table_stop_the_query(tmp_path):
    labels, model = [("a", "x", "0"), ("b", "x", None)], [("a", 0.5, 0.5), ("b", 1.0, 0.0)]
    assert answer(tmp_path, labels, model) == [(1, 0, 0, 1.0, 0.0, 1), (2, 1, 0, 0.5, 0.5, 1)]
    one, other = "predictions must be given for every case.*none for case c", "labels must be given for every case.*none for case c"
    for message, more in ((one, ([*labels, ("c", "x", "1")], model)), (other, (labels, [*model, ("c", 0.5, 0.5)]))):
        refused(message, answer, tmp_path, *more, error=engine().Error)
        words = ("--missing", "drop", "--class-columns", "p0", "p1")
        assert answer(tmp_path, *more, *words) == answer(tmp_path, labels, model)


LABELS = [("a", "x", "0"), ("a", "y", "1"), ("b", "x", "1")]
MODEL = [("a", 0.75, 0.25), ("b", 0.75, 0.25)]


@pytest.mark.parametrize(
    ("labels", "model", "message"),
    [
        ([*LABELS, (None, "x", "1"), (None, "y", "1")], MODEL, "labels must have a case in every row. Rows without one: 2"),
        ([*LABELS, ("b", "y", "NA")], MODEL, "labels must be classes. Got NA, such as for case b"),
        (LABELS, [*MODEL, (None, 0.5, 0.5)], "predictions must have a case in every row. Rows without one: 1"),
        (LABELS, [*MODEL, ("b", 0.75, 0.25)], "predictions must have one row per case. Got rows of one case: 2, such as for case b"),
        (
            LABELS,
            [MODEL[0], ("b", 0.75, None)],
            "predictions must be probabilities from 0 to 1 that add up to 1. Got others, such as for case b",
        ),
        (LABELS, [MODEL[0], ("b", float("nan"), 0.25)], "add up to 1. Got others, such as for case b"),
        (LABELS, [MODEL[0], ("b", 2.0, -1.0)], "add up to 1. Got others, such as for case b"),
        (LABELS, [MODEL[0], ("b", 0.6, 0.25)], "add up to 1. Got others, such as for case b"),
    ],
)
@pytest.mark.parametrize("missing", ["error", "drop"])
def test_bad_rows_stop_the_query(tmp_path, labels, model, message, missing):
    words = ("--class-columns", "p0", "p1", "--missing", missing)
    refused(message, answer, tmp_path, labels, model, *words, error=engine().Error)
    assert answer(tmp_path, LABELS, MODEL, *words) == [(1, 0, 1, 0.75, 0.25, 1), (2, 1, 1, 0.75, 0.25, 1)]


def test_predicted_classes_that_are_missing_stop_the_query(tmp_path):
    message = "predictions must be given for every row. Got others, such as for case b"
    refused(message, answer, tmp_path, LABELS, [("a", "0"), ("b", None)], "--model-columns", "p0", names=["p0"], error=engine().Error)


def test_rows_that_repeat_a_label_of_an_annotator(tmp_path):
    twice = [*LABELS, LABELS[0]]
    words = ("--class-columns", "p0", "p1", "--annotator-column", "annotator")
    message = "labels must not repeat a case, annotator and label .*Got two equal rows, such as for case a"
    refused(message, answer, tmp_path, twice, MODEL, *words, error=engine().Error)
    assert answer(tmp_path, twice, MODEL, *words, "--duplicates", "first") == answer(tmp_path, LABELS, MODEL, *words)
    assert answer(tmp_path, twice, MODEL, *words, "--duplicates", "count")[1] == (2, 2, 1, 0.75, 0.25, 1)
    nobody = "annotator must be given for every label. Got NULL, such as for case b"
    refused(nobody, answer, tmp_path, [*LABELS, ("b", None, "1")], MODEL, *words, error=engine().Error)
    assert answer(tmp_path, [*LABELS, ("b", None, None)], MODEL, *words) == answer(tmp_path, LABELS, MODEL, *words)


def test_probabilities_that_were_rounded_before(tmp_path):
    rows = answer(tmp_path, LABELS, [("a", 0.33, 0.66), ("b", 0.33, 0.66)], "--class-columns", "p0", "p1", "--round", 2)
    assert [row[3:5] for row in rows] == [(33 / 99, 66 / 99)] * 2


def test_cases_of_several_columns(tmp_path):
    engine()
    labels = [("a", 1, "0"), ("a", 2, "1"), ("b", 1, "1")]
    given = write_table(tmp_path / "labels.parquet", ["image", "side", "label"], labels)
    model = write_table(tmp_path / "model.parquet", ["image", "side", "net"], [(*row[:2], "1") for row in labels])
    words = ("--sql", "duckdb", "--classes", 2, "--model-table", model, "--model-columns", "net", "--case-column", "image", "side")
    convert(given, tmp_path / "q.sql", *words)
    assert result(tmp_path / "q.sql")[1] == [(1, 0, 1, "1", 2), (2, 1, 0, "1", 1)]


def options_of(command):
    parsers = cli.command.commands_of(cli.make_parser())
    return {word for action in cli.command.options_of(parsers[command]) for word in action.option_strings}


def words_of(text):
    """The command in the last comment of a query."""
    lines = [line for line in text.splitlines() if line.startswith("-- ")]
    assert len(lines) == 3 and "q.sql" in lines[1]
    return shlex.split(lines[-1].partition("by: ")[2])


@pytest.mark.parametrize("models", [False, True])
def test_the_command_of_the_comment_evaluates_all_cases(tmp_path, monkeypatch, models):
    labels, predictions, chosen = study(PLAIN, 4)
    columns = ("net", "rule") if models else PLAIN
    words = ("--model-columns", *columns) if models else ("--class-columns", *columns, "--round", 2)
    answer(tmp_path, labels, chosen if models else predictions, *words, classes=named(tmp_path, PLAIN), names=columns)
    header, rows = result(tmp_path / "q.sql")
    write_table(tmp_path / "counts.csv", header, rows)
    command = words_of((tmp_path / "q.sql").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    assert cli.main([*command[1:], "--no-details", "--n-boot", "20"]) == 0
    found = json.loads((tmp_path / "report" / "evaluation.json").read_text(encoding="utf-8"))
    assert {row["n_cases"] for row in found["metrics"]} == {sum(row[-1] for row in rows if sum(row[1:4]))}
    assert {row["model"] for row in found["metrics"]} == ({*columns} if models else {"model"})


# ---- the page ----
def blocks(language):
    return [found[2] for found in re.finditer(rf"^```({language})\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)]


def test_the_query_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named(tmp_path, ["benign", "malign"])
    (line,) = (block.replace("\\\n", " ") for block in blocks("sh") if "--sql" in block)
    convert(*shlex.split(line)[2:])
    (end,) = blocks("sql")
    assert end in (tmp_path / "query.sql").read_text(encoding="utf-8")


def recipe():
    """The function of the page, and how many lines it has."""
    pytest.importorskip("polars", reason="the recipe is for polars, which is not installed")
    examples = [one for block in blocks("pycon") for one in doctest.DocTestParser().get_examples(block)]
    (code,) = (one.source for one in examples if "def distinct_rows" in one.source)
    names = {}
    exec("import polars as pl\n" + code, names)
    return names["distinct_rows"], len(code.splitlines())


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(
    "classes", [PLAIN, STRANGE[1:]], ids=["plain", "strange"]
)  # Polars leaves quotes doubled in the header of a CSV file
def test_the_recipe_gives_the_rows_of_the_query(tmp_path, ending, classes):
    distinct_rows, n_lines = recipe()
    import polars

    assert n_lines <= 15
    labels, predictions, _ = study(classes, 3)
    write_table(tmp_path / f"labels.{ending}", ["case", "annotator", "label"], labels)
    write_table(tmp_path / f"model.{ending}", ["case", *classes], predictions)
    scan = polars.scan_parquet if ending == "parquet" else partial(polars.scan_csv, infer_schema=False)
    rows = distinct_rows(scan(tmp_path / f"labels.{ending}"), scan(tmp_path / f"model.{ending}"), classes)
    assert rows.columns == ["case", *(f"count_{one}" for one in classes), *classes, "frequency"]
    found, expected = {row[1:-1]: row[-1] for row in rows.rows()}, twin(classes, labels, predictions, 2)
    assert sorted(found.values()) == sorted(expected.values())
    np.testing.assert_allclose(sorted(found), sorted(expected), rtol=1e-12)


def test_the_recipe_refuses_what_the_query_refuses():
    distinct_rows, _ = recipe()
    import polars

    labels, model = (
        polars.LazyFrame(LABELS, ["case", "annotator", "label"], orient="row"),
        polars.LazyFrame(MODEL, ["case", "0", "1"], orient="row"),
    )
    assert distinct_rows(labels, model, ["0", "1"]).rows() == [(1, 1, 1, 0.75, 0.25, 1), (2, 0, 1, 0.75, 0.25, 1)]
    nobody, other = labels.with_columns(case=polars.lit(None, polars.String)), labels.with_columns(label=polars.lit("z"))
    refused("1:1", distinct_rows, labels, polars.concat([model, model.tail(1)]), ["0", "1"], error=polars.exceptions.ComputeError)
    for one, two in ((labels, model.head(1)), (labels.head(2), model), (polars.concat([labels, nobody]), model), (other, model)):
        refused("every case must have labels that are classes, and one prediction", distinct_rows, one, two, ["0", "1"])


# ---- its words, whatever runs it ----
def query(tmp_path, *words, labels="db.labels", dialect="duckdb", table="db.model", classes=2):
    convert(labels, tmp_path / "q.sql", "--sql", dialect, "--classes", classes, "--model-table", table, *words)
    return (tmp_path / "q.sql").read_text(encoding="utf-8")


def test_names_and_texts_of_each_dialect(tmp_path, capsys):
    classes = named(tmp_path, ["a'b\\c", "d"])
    words = ("--label-column", 'x"y`z\\', "--class-columns", "p", "q")
    duckdb, spark = (query(tmp_path, *words, dialect=one, classes=classes) for one in ("duckdb", "spark"))
    assert (
        'CAST("x""y`z\\" AS VARCHAR)' in duckdb and "label = 'a''b\\c'" in duckdb and 'FROM "db"."labels"' in duckdb and "error(" in duckdb
    )
    assert 'CAST(`x"y``z\\` AS STRING)' in spark and "label = 'a\\'b\\\\c'" in spark and "FROM `db`.`labels`" in spark
    bigquery = query(tmp_path, *words, dialect="bigquery", labels="my-project.db.labels")
    assert 'CAST(`x"y\\`z\\\\` AS STRING)' in bigquery and "FROM `my-project.db.labels`" in bigquery and "AS FLOAT64" in bigquery
    assert "raise_error(" in spark and "ERROR(" in bigquery and "Query of BigQuery for 2 classes" in capsys.readouterr().out
    assert "FROM parquet.`s3://x/*.parquet`" in query(tmp_path, dialect="spark", labels="s3://x/*.parquet")
    assert "FROM read_csv('it''s.csv', header = true, all_varchar = true)" in query(tmp_path, labels="it's.csv")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_comment_says_how_ugt_reads_the_result(tmp_path, dialect):
    for words, expected in (
        ((), ["--predictions", "model=counts.csv"]),
        (("--model-columns", "my net", "b"), ["--model-columns", "my net", "b"]),
    ):
        command = words_of(query(tmp_path, *words, dialect=dialect))
        assert command[:2] == ["ugt", "evaluate"]
        assert command[command.index("counts") + 5 : -4] == expected and command[-4:-2] == ["--frequency", "frequency"]
        assert {word for word in command if word.startswith("--")} <= options_of("evaluate")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--classes 2", "--model-table must be given with --sql"),
        ("--model-table m", "--classes must be given with --sql"),
        ("--classes 2 --model-table m --predictions", "--predictions must be left out with --sql"),
        ("--classes 2 --model-table m --to counts", "--to must be left out with --sql"),
        ("--classes 2 --model-table m --ordered", "--ordered must be left out with --sql"),
        ("--classes 2 --model-table m --value-column x", "--value-column must be left out with --sql"),
        ("--classes 2 --model-table m --class-columns a", "--class-columns must name 2 columns, one per class in their order. Got 1"),
        ("--classes 2 --model-table m --class-columns a b --model-columns c", "--class-columns must be left out with --model-columns"),
        ("--classes 2 --model-table m --round -1", "--round must be a whole number from 0 to 9. Got -1"),
        ("--classes 2 --model-table m --round 0", "--round must be more decimals for 2 classes"),
        ("--classes 2 --model-table m --model-columns frequency", "--model-columns must be no other column of the result"),
        ("--classes 2 --model-table m --model-columns a A", "--model-columns must be no other column of the result .*Got 'A'"),
        ("--classes 2 --model-table m --model-columns count_x", "--model-columns must be no other column of the result .*Got 'count_x'"),
        (
            "--classes 2 --model-table m.csv",
            "--model-table must be a table or a view for a query of Spark .load the file into one.*'m.csv'",
        ),
        ("--classes 2 --model-table m --case-column m=a m=b", "--case-column must name as many columns of either table.* 1 and 2"),
        ("--classes 2 --model-table m --duplicates first", "--annotator-column must be given with --duplicates first"),
        ("--classes 1 --model-table m", "--classes must be two classes or more. Got 1"),
        ("--classes 2 --model-table m --case-column ''", "names must have characters.*Got ''"),
        ("--classes 2 --model-table m --label-column ''", "names must have characters.*Got ''"),
        ("--classes 2 --model-table m --label-column '\n'", r"names must have characters, none of which is a control character.*'\\n'"),
    ],
)
def test_what_no_query_is_written_for(tmp_path, words, message):
    refused(message, convert, "labels", tmp_path / "q.sql", "--sql", "spark", *shlex.split(words))
    assert not (tmp_path / "q.sql").exists()


@pytest.mark.parametrize(
    ("classes", "dialect", "message"),
    [
        (["a", "A"], "duckdb", "--classes must be no other column of the result .*Got 'A'"),
        (["a", "Case"], "duckdb", "--classes must be no other column of the result .*Got 'Case'"),
        (["a", "count_b"], "duckdb", "--classes must be no other column of the result .*Got 'count_b'"),
        (["a", "b.c"], "bigquery", "--classes must have names without .*as columns of BigQuery do .rename it.*Got 'b.c'"),
    ],
)
def test_classes_that_columns_cannot_be_named_after(tmp_path, classes, dialect, message):
    refused(message, query, tmp_path, dialect=dialect, classes=named(tmp_path, classes))
    query(tmp_path, classes=named(tmp_path, ["a", "b.c"]))


def test_options_of_queries_need_one(tmp_path):
    for words in ("--model-table m", "--class-columns a", "--model-columns a", "--round 2", "--missing drop"):
        flag = words.split()[0]
        refused(f"{flag} must be given with --sql", convert, "labels.csv", tmp_path / "out.csv", *words.split())
