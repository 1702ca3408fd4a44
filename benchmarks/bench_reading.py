"""A long CSV file read, plain and compressed, beside csv.reader on the same file."""

from __future__ import annotations

import atexit
import csv
import gzip
import shutil
import tempfile
from pathlib import Path

import numpy as np
from common import Bench, Target, Work, grid, memory

import ugt.io

bench = Bench(__file__)
PATTERNS = {"numbers": "{},{},{}\n", "text": "case-{:07d},reader-{},class {}\n", "quoted": '"case-{:07d}",{},"class, {}"\n'}
BLOCK = 500_000
FULL = 10_000_000


def written(n_rows, kind, per_case):
    """A file of so many labels a case, by different ones of a thousand annotators, 400 classes; its folder goes with the process."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path, rng = Path(folder) / "labels.csv", np.random.default_rng(0)
    with open(path, "w", encoding="utf-8") as file:
        file.write("case,annotator,label\n")
        for begin in range(0, n_rows, BLOCK):
            n = min(BLOCK, n_rows - begin)
            case, place = np.divmod(np.arange(begin, begin + n), per_case)
            columns = case, rng.integers(0, 1000 // per_case, n) * per_case + place, rng.integers(0, 400, n)
            file.writelines(PATTERNS[kind].format(*row) for row in zip(*(column.tolist() for column in columns)))
    return path


def count_rows(path):
    """What the csv module needs for going through the rows alone."""
    with open(path, encoding="utf-8", newline="") as file:
        return sum(len(row) == 3 for row in csv.reader(file))


@bench.job(
    grid(rows=(100_000, 1_000_000), kind=("text",), way=("plain",), per_case=(5,))
    + grid(rows=(FULL,), kind=PATTERNS, way=("plain",), per_case=(5,))
    + grid(rows=(FULL,), kind=("text",), way=("gzip",), per_case=(5,))
    + grid(rows=(FULL,), kind=("text",), way=("plain",), per_case=(1,)),
    {"rows": 1000},
    [Target("7.1", "s", at_most=60, rows=FULL, kind=kind, per_case=5) for kind in PATTERNS]
    + [Target("7.1", "MB in all", at_most=1000, rows=FULL, kind=kind) for kind in PATTERNS],
)
def read_annotations(rows, kind, way, per_case):
    """a long CSV file of labels"""
    path = plain = written(rows, kind, per_case)
    if way == "gzip":
        path = plain.with_suffix(".csv.gz")
        with open(plain, "rb") as file, gzip.open(path, "wb", compresslevel=1) as packed:
            shutil.copyfileobj(file, packed, 1 << 20)
    also = lambda _measured, _result: {"MB in all": memory()}  # noqa: E731
    return Work(lambda: ugt.io.read_annotations(path), {"csv.reader": lambda: count_rows(plain)}, also=also)


@bench.job(grid(rows=(100_000, 1_000_000)), {"rows": 1000})
def against_loadtxt(rows):
    """a long CSV file of numbers, beside numpy.loadtxt"""
    path = written(rows, "numbers", 5)
    loadtxt = lambda: np.loadtxt(path, np.int64, delimiter=",", skiprows=1)  # noqa: E731
    return Work(lambda: ugt.io.read_annotations(path), {"numpy.loadtxt": loadtxt})


if __name__ == "__main__":
    bench.main()
