"""Coverage of 95 % intervals of every kind: the tables of docs/intervals-checked.md, the first in about three minutes.

python benchmarks/coverage.py [--sets 2000]
python benchmarks/coverage.py --two-way [--sets 2000]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import two_way as world

import ugt

ICC, SIZE, N_RESAMPLES = 0.15, 15, 1000
KINDS = ("auto", "percentile", "basic", "bca")
WAYS = (("analytic", ("cases",)), ("analytic", ("cases", "annotators")))
DESIGNS = (
    *(("skill", n, r, "complete") for n in (50, 200) for r in (3, 4, 8, 20)), ("skill", 1000, 4, "complete"),
    *(("skill", n, r, "half missing") for n, r in ((50, 4), (200, 4), (200, 8))),
    *(("skill", 200, r, "clusters of 5") for r in (4, 8)), *(("careless", 200, r, "complete") for r in (4, 8, 20)),
)  # fmt: skip


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


def over_annotators(rng: np.random.Generator, family: str, n: int, n_annotators: int, design: str, n_sets: int) -> dict[str, str]:
    """Of intervals over cases, and over cases and annotators; false claims of non-inferiority at the margin, nominal .05."""
    population, found = world.population(family), {}
    margin = population["discrepancy ratio"] - 1
    for _ in range(n_sets):
        given = world.data(rng, n, n_annotators, design, family)
        clusters = given["clusters"]
        for name, result in world.results(given):
            ends = (result.interval(kind=kind, clusters=clusters, random=random) for kind, random in WAYS)
            found.setdefault(name, []).append([result.value, *(end for pair in ends for end in pair)])
            if name == "discrepancy ratio":
                claims = [result.non_inferiority(margin, kind=kind, clusters=clusters, random=random).decision for kind, random in WAYS]
                found.setdefault("non-inferiority", []).append(claims)
    shown = {}
    for name, rows in found.items():
        table = np.array(rows, np.float64)
        if name == "non-inferiority":
            shown[name] = " → ".join(f"{share:.3f}" for share in table.mean(axis=0))
            continue
        truth = population.get(name, float(table[:, 0].mean()))
        cases, both = (held(table[:, at : at + 2], truth) for at in (1, 3))
        shown[name] = f"{cases:.2f} → " + (f"**{both:.3f}**" if both < 0.92 else f"{both:.3f}")
    return shown


def two_way(rng: np.random.Generator, n_sets: int) -> None:
    """The table of intervals over cases and annotators."""
    for i, (family, n, n_annotators, design) in enumerate(DESIGNS):
        found = over_annotators(rng, family, n, n_annotators, design, n_sets)
        if i == 0:
            print("| design |", " | ".join(found), "|")
            print("|---|", "---|" * len(found), sep="")
        more = [*([] if design == "complete" else [design]), *([] if family == "skill" else ["one careless in eight"])]
        name = ", ".join([f"{n} × {n_annotators}", *more])
        print(f"| {name} |", " | ".join(found.values()), "|", flush=True)


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=4000, help="data sets per cell")
    parser.add_argument("--two-way", action="store_true", help="over cases and annotators")
    options = parser.parse_args()
    n_sets, rng = options.sets, np.random.default_rng(1)
    warnings.simplefilter("ignore")
    if options.two_way:
        two_way(rng, n_sets)
        return
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
