"""Ten million long rows into Labels and Rankings, beside numpy.unique on the same case column, in one run.

Run: python benchmarks/bench_annotations.py [rows]
"""

from __future__ import annotations

import sys

import numpy as np
from common import seconds

from ugt.annotations import Labels, Rankings


def columns(n_rows):
    """Two million cases, five labels each on average, a thousand annotators, 400 classes: by kind of column."""
    rng = np.random.default_rng(0)
    case, annotator, label = rng.integers(0, n_rows // 5, n_rows), rng.integers(0, 1000, n_rows), rng.integers(0, 400, n_rows)
    text = [
        np.char.add(prefix, np.arange(codes.max() + 1).astype(np.str_))[codes]
        for prefix, codes in (("case-", case), ("annotator-", annotator), ("class-", label))
    ]
    yield "int64 arrays", (case, annotator, label)
    yield "text arrays", text
    yield "lists of str", [column.tolist() for column in text]
    yield "object arrays", [column.astype(object) for column in text]


def main(n_rows):
    print(f"{n_rows:,} rows; seconds, and as a ratio to numpy.unique on the case column")
    for kind, (case, annotator, label) in columns(n_rows):
        yardstick, _ = seconds(np.unique, np.asarray(case), return_inverse=True)
        times = {"Labels.from_long": seconds(Labels.from_long, case, annotator, label)[0]}
        if kind == "int64 arrays":  # ten classes a ranking, none of them twice
            row = np.arange(n_rows)
            times["Rankings.from_long"] = seconds(Rankings.from_long, row // 50, row // 10 % 5, row % 10 * 7, rank=row % 10 // 2)[0]
        for name, took in times.items():
            print(f"{name:20} {kind:15} {took:6.2f}  {took / yardstick:5.2f} x numpy.unique ({yardstick:.2f})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
