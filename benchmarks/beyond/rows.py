"""A billion labels as some 80,000 distinct rows: DuckDB makes the labels from a seed and counts equal cases, ugt evaluates the rows.

    python benchmarks/beyond/rows.py --cases 200000000 --memory-limit 2GB --threads 2 --output rows.json

A case has 5 labels of 10 classes, and probabilities of a model that are rounded to two decimals. Labels and predictions are never on disk:
blocks of cases are made, and counted by the query of ``ugt convert --sql duckdb``, with spilling to disk switched off. Then certainty, UA
accuracy and soft AUROC, with intervals, from the distinct rows. On the first cases, the same from one row per case: the largest relative
difference, and how much longer that takes. Prints seconds of each step and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np

CLASSES, LABELS, PRIOR = 10, 5, 0.1
COUNTS, PROBABILITIES = [f"count_{k}" for k in range(CLASSES)], [str(k) for k in range(CLASSES)]
DRAWN = 10000  # values that a pseudo-random number has
# A pseudo-random number of a case and a purpose, hashed twice, since the last bits of a hash of several values go together; then what is
# true, how hard the case is, and how sure the model is.
MADE = f"""
CREATE MACRO drawn(i, purpose) AS hash(hash(i, purpose, {{seed}})) % {DRAWN};
CREATE MACRO truth(i) AS (drawn(i, 100) % {CLASSES})::INT;
CREATE MACRO wrong(i) AS (drawn(i, 101) * drawn(i, 102) // {DRAWN})::INT;
CREATE MACRO choice(i) AS (CASE WHEN drawn(i, 103) < 9000 - wrong(i) // 2 THEN truth(i) ELSE drawn(i, 104) % {CLASSES} END)::INT;
CREATE MACRO sureness(i) AS [0.4, 0.6, 0.8, 0.98][1 + ((drawn(i, 105) + drawn(i, 106)) // {DRAWN // 2})::INT] + drawn(i, 107) / 3e6;
"""


def views(begin, end):
    """The tables of the query for the cases begin to end: one row per label, and one per case with its probabilities."""
    label = f"CASE WHEN drawn(i, j) < wrong(i) THEN drawn(i, 10 + j) % {CLASSES} ELSE truth(i) END::INT"
    columns = ", ".join(f"CASE WHEN choice = {k} THEN sure ELSE (1 - sure) / {CLASSES - 1} END AS p{k}" for k in range(CLASSES))
    cases = f'(SELECT i AS "case", choice(i) AS choice, sureness(i) AS sure FROM range({begin}, {end}) AS cases(i))'
    return [
        f'CREATE OR REPLACE VIEW labels AS SELECT i AS "case", {label} AS label '
        f"FROM range({begin}, {end}) AS cases(i), range({LABELS}) AS numbers(j)",
        f'CREATE OR REPLACE VIEW model AS SELECT "case", {columns} FROM {cases}',
    ]


def query():
    """The query that ugt convert --sql duckdb writes for the two tables."""
    from ugt.cli.sql import Wanted, query_of

    columns = [f"p{k}" for k in range(CLASSES)]
    cases = (["case"], ["case"])
    return query_of(Wanted("labels", "model", cases, "label", None, PROBABILITIES, columns, [], 2, "error", "error"), "duckdb", "query.sql")


def connected(seed, memory_limit, threads):
    import duckdb

    database = duckdb.connect(config={"memory_limit": memory_limit, "threads": threads, "temp_directory": ""})
    for statement in filter(str.strip, MADE.format(seed=seed).split(";")):
        database.execute(statement)
    return database


def counted(database, n_cases, block):
    """The distinct rows of all cases with their frequency, as arrays by column; equal rows of blocks are added up as they come."""
    names = ", ".join(f'"{name}"' for name in [*COUNTS, *PROBABILITIES])
    asked = query()
    for begin in range(0, n_cases, block):
        for view in views(begin, min(begin + block, n_cases)):
            database.execute(view)
        before = f"UNION ALL SELECT {names}, frequency FROM found" if begin else ""
        database.execute(
            f"CREATE TABLE more AS SELECT {names}, sum(frequency)::BIGINT AS frequency "
            f"FROM (SELECT {names}, frequency FROM ({asked}) {before}) GROUP BY {names}"
        )
        database.execute("DROP TABLE IF EXISTS found")
        database.execute("ALTER TABLE more RENAME TO found")
    return table(database.execute(f"FROM found ORDER BY frequency DESC, {names}").fetchnumpy())


def table(columns):
    """Counts, probabilities and frequencies."""
    counts, probabilities = (np.stack([columns[name] for name in names], axis=1) for names in (COUNTS, PROBABILITIES))
    return counts.astype(np.int64), probabilities.astype(np.float64), columns["frequency"].astype(np.int64)


def evaluated(counts, probabilities, frequency=None):
    """Certainty, UA accuracy, and soft AUROC of class 0 by its share of the labels, each with its interval."""
    import ugt

    truth = ugt.dirichlet(ugt.Labels.from_counts(counts), prior=PRIOR)
    share = counts[:, 0] / counts.sum(axis=1)
    found = {
        "certainty": ugt.annotation_certainty(truth, frequency=frequency),
        "UA accuracy": ugt.ua_topk_accuracy(truth, probabilities, frequency=frequency),
        "soft AUROC of class 0": ugt.soft_auroc(share, probabilities[:, 0], frequency=frequency),
    }
    return {name: {"value": one.value, "interval": list(one.interval()), "n_cases": int(one.n_cases)} for name, one in found.items()}


def compared(database, n_cases):
    """The first cases as distinct rows and as one row per case: differences of all numbers, and seconds of both."""
    rows = counted(database, n_cases, n_cases)
    cases = [np.repeat(one, rows[2], axis=0) for one in rows[:2]]
    seconds, answers = [], []
    for given in (rows, cases):
        begin = time.perf_counter()
        answers.append(evaluated(*given))
        seconds.append(time.perf_counter() - begin)
    pairs = [(one[name][key], other[name][key]) for one, other in [answers] for name in one for key in ("value", "interval")]
    differences = [float(np.max(np.abs(np.subtract(one, other) / other))) for one, other in pairs]
    return {
        "n_cases": n_cases,
        "n_rows": len(rows[2]),
        "largest_relative_difference_of_values": max(differences[::2]),
        "largest_relative_difference_of_ends": max(differences[1::2]),
        "seconds_of_rows": seconds[0],
        "seconds_of_cases": seconds[1],
    }


def run(given):
    database, seconds = connected(given.seed, given.memory_limit, given.threads), {}

    def step(name, call, *arguments):
        begin = time.perf_counter()
        found = call(*arguments)
        seconds[name] = time.perf_counter() - begin
        print(f"{name}: {seconds[name]:.1f} s", flush=True)
        return found

    rows = step("labels made and counted", counted, database, given.cases, given.block)
    metrics = step("certainty, accuracy and AUROC with intervals", evaluated, *rows)
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    subset = step("on a subset, both ways", compared, database, min(given.cases, given.subset))
    return {
        "n_cases": given.cases,
        "n_labels": LABELS * int(rows[2].sum()),
        "n_rows": len(rows[2]),
        "memory_limit": given.memory_limit,
        "threads": given.threads,
        "seconds": seconds,
        "peak_bytes": peak,
        "metrics": metrics,
        "subset": subset,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2_000_000)
    parser.add_argument("--block", type=int, default=2_000_000, help="cases that DuckDB makes and counts at a time")
    parser.add_argument("--subset", type=int, default=400_000, help="cases that are also evaluated one by one")
    parser.add_argument("--memory-limit", default="2GB", help="of DuckDB")
    parser.add_argument("--threads", type=int, default=1, help="of DuckDB")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="a JSON file for all numbers")
    found = run(given := parser.parse_args())
    for name, one in found["metrics"].items():
        print(f"{name}: {one['value']:.6f} ({one['interval'][0]:.6f} to {one['interval'][1]:.6f}) of {one['n_cases']:,} cases")
    print(f"{found['n_labels']:,} labels, {found['n_rows']:,} distinct rows, peak memory {found['peak_bytes'] / 2**20:.0f} MiB")
    subset = found["subset"]
    print(
        f"{subset['n_cases']:,} cases, {subset['n_rows']:,} rows: values differ by {subset['largest_relative_difference_of_values']:.2g}, "
        f"ends of intervals by {subset['largest_relative_difference_of_ends']:.2g}; one row per case takes "
        f"{subset['seconds_of_cases'] / subset['seconds_of_rows']:.1f} times as long"
    )
    if given.output:
        given.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
