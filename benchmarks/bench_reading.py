"""A long CSV file of ten million rows, plain and compressed: seconds and peak memory, beside csv.reader on the same file, in one run.

Run: python benchmarks/bench_reading.py [rows]
Every reading is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import peak_mib, seconds

BLOCK = 500_000


def write(path, n_rows, pattern):
    """Five labels a case, a thousand annotators, 400 classes."""
    rng = np.random.default_rng(0)
    with open(path, "w", encoding="utf-8") as file:
        file.write("case,annotator,label\n")
        for begin in range(0, n_rows, BLOCK):
            n = min(BLOCK, n_rows - begin)
            columns = np.arange(begin, begin + n) // 5, rng.integers(0, 1000, n), rng.integers(0, 400, n)
            file.writelines(pattern.format(*row) for row in zip(*(column.tolist() for column in columns)))


def count_rows(path):
    """What the csv module needs for going through the rows alone."""
    with open(path, encoding="utf-8", newline="") as file:
        return sum(len(row) == 3 for row in csv.reader(file))


def child(what, path):
    """One reading; prints its seconds and the peak memory of the process."""
    if what == "csv.reader":
        took, _ = seconds(count_rows, path)
    elif what == "numpy.loadtxt":
        took, _ = seconds(np.loadtxt, path, np.int64, delimiter=",", skiprows=1)
    else:
        import ugt.io

        took, read = seconds(ugt.io.read_annotations, path)
        print(read.annotations, file=sys.stderr)
    print(took, peak_mib())


def measure(what, path):
    done = subprocess.run([sys.executable, __file__, "child", what, str(path)], stdout=subprocess.PIPE, check=True, text=True)
    return tuple(map(float, done.stdout.split()))


def main(n_rows):
    print(f"{n_rows:,} rows; seconds, as a ratio to csv.reader on the same rows, and peak memory of the process")
    with tempfile.TemporaryDirectory() as folder:
        for kind, pattern in (
            ("numbers", "{},{},{}\n"),
            ("text", "case-{:07d},reader-{},class {}\n"),
            ("quoted", '"case-{:07d}",{},"class, {}"\n'),
        ):
            path = Path(folder) / "labels.csv"
            write(path, n_rows, pattern)
            yardstick, _ = measure("csv.reader", path)
            runs = [("plain", path)]
            if kind == "text":
                packed = path.with_suffix(".csv.gz")
                with open(path, "rb") as plain, gzip.open(packed, "wb", compresslevel=1) as file:
                    file.writelines(iter(lambda: plain.read(1 << 20), b""))
                runs.append(("gzip", packed))
            for way, one in runs:
                took, peak = measure("ugt", one)
                print(f"{kind:8} {way:6} {took:6.2f} s  {took / yardstick:5.2f} x csv.reader ({yardstick:.2f} s)  {peak:6.0f} MiB")
            if kind == "numbers" and n_rows <= 1_000_000:  # it takes minutes for more
                took, peak = measure("numpy.loadtxt", path)
                print(f"{kind:8} numpy.loadtxt {took:6.2f} s  {took / yardstick:5.2f} x csv.reader  {peak:6.0f} MiB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
