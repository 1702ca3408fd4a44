"""Labels and predictions in many Parquet files, the same bytes for the same seed, file by file.

    python benchmarks/beyond/generate.py data --cases 40000000 --files 40

Writes, for each file, ``data/labels/part-00000.parquet`` (a row a label, in the order of the cases: case int64, annotator int32, label
int8) and ``data/predictions/part-00000.parquet`` (a row a case, in the same order: case int64, then the logits of two models, float32,
``first_0`` to ``first_9`` and ``second_0`` to ``second_9``). A case has 5 labels of 10 classes, by 5 of 1,000 annotators.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet

CLASSES, LABELS, ANNOTATORS = 10, 5, 1000
MODELS = {"first": 4.0, "second": 2.5}  # how far the logit of the true class is above the others


def file_of(seed, number, begin, end):
    """The two tables of the cases begin to end."""
    rng, n = np.random.default_rng([seed, number]), end - begin
    truth = rng.integers(0, CLASSES, n, dtype=np.int8)
    difficulty = rng.beta(1.0, 3.0, n).astype(np.float32)
    wrong = rng.random((n, LABELS), np.float32) < difficulty[:, None]
    label = np.where(wrong, rng.integers(0, CLASSES, (n, LABELS), dtype=np.int8), truth[:, None])
    # annotators that stand at equal distances from each other in the list: five different ones
    annotator = (rng.integers(0, ANNOTATORS, (n, 1), dtype=np.int32) + np.arange(LABELS, dtype=np.int32) * 199) % ANNOTATORS
    case = np.arange(begin, end, dtype=np.int64)
    labels = {"case": np.repeat(case, LABELS), "annotator": annotator.ravel(), "label": label.ravel()}
    predictions = {"case": case}
    for model, above in MODELS.items():
        logits = rng.standard_normal((n, CLASSES), np.float32)
        logits[np.arange(n), truth] += np.float32(above) * (1 - difficulty)
        predictions.update({f"{model}_{k}": np.ascontiguousarray(logits[:, k]) for k in range(CLASSES)})
    return labels, predictions


def write(folder, n_cases, n_files, seed):
    ends = [n_cases * i // n_files for i in range(n_files + 1)]
    for name in ("labels", "predictions"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number, (begin, end) in enumerate(zip(ends[:-1], ends[1:])):
        for name, columns in zip(("labels", "predictions"), file_of(seed, number, begin, end)):
            parquet.write_table(pyarrow.table(columns), folder / name / f"part-{number:05d}.parquet")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    write(given.folder, given.cases, given.files, given.seed)


if __name__ == "__main__":
    main()
