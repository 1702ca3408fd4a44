"""Type I error and coverage of reader studies: the table of docs/intervals-checked.md, in about twenty minutes.

Ratings are those of Roe & Metz' model, as in tests/statistical/test_reader_studies.py.
"""

from __future__ import annotations

import math
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import norm

import ugt

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "statistical")]
from test_reader_studies import AUC, DISTANCE, MODEL, classes, panel, roe_metz, soft_auc  # noqa: E402

SETS = 1000
KINDS = ("crossed", "half missing", "clusters of 5", "soft truth")
PATIENT = 0.16  # variance of what the cases of a cluster share in each test


def drawn(rng, kind, n_readers, n_cases):
    """Ratings, truth, options and the true figure of one data set."""
    truth = np.repeat(classes(n_cases // 5), 5) if kind == "clusters of 5" else classes(n_cases)
    x = roe_metz(rng, 2, n_readers, truth)
    if kind == "clusters of 5":
        patient = np.arange(n_cases) // 5
        x += math.sqrt(PATIENT) * rng.normal(size=(2, 1, n_cases // 5))[:, :, patient]
        return x, truth, {"clusters": patient}, norm.cdf(DISTANCE / math.sqrt(2 * (sum(MODEL.values()) + PATIENT)))
    if kind == "half missing":
        x[:, rng.random((n_readers, n_cases)) < 0.5] = np.nan
    if kind == "soft truth":
        return x, panel(rng, truth, np.full(3, 0.8)).mean(axis=1), {}, soft_auc(0.8)
    return x, truth, {}, AUC


def cell(kind, n_readers, n_cases):
    """Shares of studies that find tests different which are alike, and whose interval of a test holds the truth."""
    rng, rejected, held = np.random.default_rng([1, n_readers, n_cases]), 0, 0
    for _ in range(SETS):
        x, truth, options, target = drawn(rng, kind, n_readers, n_cases)
        study = ugt.reader_study(truth, ugt.studies.Readings.from_array(x), **options)
        low, high = study.tests[0].interval()
        rejected, held = rejected + (study.differences[0].p_value < 0.05), held + (low <= target <= high)
    return rejected / SETS, held / SETS


def main():
    warnings.simplefilter("ignore")
    print(f"| cases × readers | {' | '.join(KINDS)} |\n|---|{'---|' * len(KINDS)}")
    for n_cases in (50, 200, 1000):
        for n_readers in (3, 5, 10, 20):
            found = [cell(kind, n_readers, n_cases) for kind in KINDS]
            row = " | ".join(f"{rejected:.3f}; {held:.3f}" for rejected, held in found)
            print(f"| {n_cases:,} × {n_readers} | {row} |", flush=True)


if __name__ == "__main__":
    main()
