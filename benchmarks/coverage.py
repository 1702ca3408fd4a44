"""Coverage of 95 % intervals of every kind: the table of docs/intervals-checked.md, in about three minutes.

python benchmarks/coverage.py [--sets 2000]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import ugt

ICC, SIZE, N_RESAMPLES = 0.15, 15, 1000
KINDS = ("auto", "percentile", "basic", "bca")


def held(intervals: np.ndarray, truth: float) -> float:
    """The share of intervals (n, 2) that hold the truth."""
    return float(((intervals[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= intervals[:, 1])).mean())


def shares(rng: np.random.Generator, design: str, n: int, p: float, n_sets: int) -> dict[str, float]:
    """A data set is a column; columns with the same resamples are independent of each other all the same."""
    clusters = None
    if design == "cases":
        table = rng.random((n, n_sets)) < p
    else:
        scale = (1 - ICC) / ICC
        table = rng.random((n * SIZE, n_sets)) < np.repeat(rng.beta(p * scale, (1 - p) * scale, (n, n_sets)), SIZE, axis=0)
        clusters = np.repeat(np.arange(n), SIZE)
    found = ugt.bootstrap(table.astype(float), clusters=clusters, n_resamples=N_RESAMPLES, seed=int(rng.integers(2**32)))
    return {kind: held(found.interval(kind=kind), p) for kind in KINDS[: 1 if clusters is not None and n < 5 else 4]}


def agreement(rng: np.random.Generator, n: int, n_classes: int, n_sets: int) -> dict[str, float]:
    """Cohen's kappa of two annotators who are right in 85 %, else anything; one class has half of the cases."""
    shares_ = np.append(0.5, np.full(n_classes - 1, 0.5 / (n_classes - 1)))

    def labels(size: int) -> np.ndarray:
        truth = rng.choice(n_classes, size, p=shares_)
        return np.stack([np.where(rng.random(size) < 0.85, truth, rng.integers(n_classes, size=size)) for _ in range(2)], axis=1)

    def kappa(table: np.ndarray) -> ugt.agreement.Agreement:
        return ugt.cohen_kappa(ugt.Labels.from_wide(table, classes=n_classes))

    truth, counts = kappa(labels(400_000)).value, dict.fromkeys((*KINDS, "analytic"), 0)
    for _ in range(n_sets):
        found = kappa(labels(n))
        for kind in counts:
            low, high = found.interval(kind=kind, n_resamples=300)
            counts[kind] += low <= truth <= high
    return {kind: count / n_sets for kind, count in counts.items()}


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=4000, help="data sets per cell")
    n_sets = parser.parse_args().sets
    rng = np.random.default_rng(1)
    warnings.simplefilter("ignore")
    columns = (*KINDS, "analytic")
    print("| number | design |", " | ".join(columns), "|")
    print("|---|---|", "---|" * len(columns), sep="")
    for p in (0.5, 0.9, 0.98):
        for design, n in (("cases", 50), ("cases", 200), ("clusters", 3), ("clusters", 10), ("clusters", 40)):
            row(f"share, true {p}", f"{n} {design}", shares(rng, design, n, p, n_sets), columns)
    for n_classes in (2, 10):
        for n in (50, 200):
            row(f"kappa, {n_classes} classes", f"{n} cases", agreement(rng, n, n_classes, n_sets // 4), columns)


def row(number: str, design: str, found: dict[str, float], columns: tuple[str, ...]) -> None:
    """A line of the table."""
    cells = ["" if kind not in found else f"**{found[kind]:.3f}**" if found[kind] < 0.92 else f"{found[kind]:.3f}" for kind in columns]
    print(f"| {number} | {design} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
