"""Annotators of a population label some of the cases that a judge scored: coverage of the corrected mean, whose true value is known.

The quality of a case is normal (sd 2). An annotator of leniency a ~ N(0, s²) says "good" with probability expit(quality + a). The judge
says "good" if quality + 0.4 + noise is above 0, with noise of sd 0.5 (good) or 8 (poor). Of 1,000 cases, 300 labels are given to random
ones: one or three per case by random annotators, or one by annotators of whom the r-th takes a share of 1/r. In clusters of five, 70% of
the variance of quality is that of the cluster. ``python benchmarks/judges.py --sets 1000`` prints the table of docs/intervals-checked.md.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from typing import Any

import numpy as np
from scipy.special import expit

import ugt

N, N_LABELS, QUALITY, BIAS = 1000, 300, 2.0, 0.4
NOISE = {"good": 0.5, "poor": 8.0}
DESIGNS = {
    "one label": {}, "one label, poor judge": {"judge": "poor"}, "three labels": {"n_labels": 3}, "uneven shares": {"uneven": True},
    "clusters of 5": {"clustered": True}, "strata": {"strata": True},
}  # fmt: skip
ANNOTATORS, LENIENCY = (3, 4, 5, 8, 20, 50), (0.0, 0.3, 0.6)


def data(
    rng: np.random.Generator, n_annotators: int, leniency: float, *, judge: str = "good", n_labels: int = 1, uneven: bool = False,
    clustered: bool = False, strata: bool = False, n: int = N, total: int = N_LABELS,
) -> dict[str, Any]:  # fmt: skip
    """One data set: labels, judge, clusters, and options of ``corrected_mean``."""
    quality, clusters = rng.normal(size=n), np.arange(n) // 5
    if clustered:
        quality = np.sqrt(0.7) * rng.normal(size=n)[clusters] + np.sqrt(0.3) * quality
    quality *= QUALITY
    verdict = (quality + BIAS + NOISE[judge] * rng.normal(size=n) > 0) * 1.0
    options = {}
    if strata:  # half of the labels for either verdict
        options["strata"] = verdict.astype(int)
        chosen = np.concatenate([rng.choice(np.flatnonzero(options["strata"] == s), total // 2, False) for s in (0, 1)])
    else:
        chosen = rng.choice(n, total // n_labels, replace=False)
    share = 1 / np.arange(1, n_annotators + 1) if uneven else np.ones(n_annotators)
    # Gumbel's trick draws annotators of each case without replacement
    order = np.log(share) + rng.gumbel(size=(len(chosen), n_annotators))
    annotator = np.argsort(-order, axis=1)[:, :n_labels]
    label = rng.random(annotator.shape) < expit(quality[chosen][:, None] + leniency * rng.normal(size=n_annotators)[annotator])
    labels = ugt.Ratings.from_long(np.repeat(chosen, n_labels), annotator.ravel(), label.ravel() * 1.0, cases=np.arange(n))
    return {"labels": labels, "judge": verdict, "clusters": clusters if clustered else None, "options": options}


def truth(leniency: float) -> float:
    """Return the share of "good" of all annotators and cases."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(expit(np.hypot(QUALITY, leniency) * nodes) @ weights / weights.sum())


def covered(n_sets: int, n_annotators: int, leniency: float, seed: int = 5, **design: Any) -> dict[str, Any]:
    """Return how many intervals hold the truth, over cases alone and over annotators too, and their median half-widths."""
    rng, true, hits, halves = np.random.default_rng(seed), truth(leniency), np.zeros(2, int), []
    for _ in range(n_sets):
        given = data(rng, n_annotators, leniency, **design)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ugt.corrected_mean(given["labels"], given["judge"], **given["options"])
            kinds = {"kind": "analytic", "random": ("cases",)}, {}
            ends = np.array([found.interval(clusters=given["clusters"], **kind) for kind in kinds])
        hits += (ends[:, 0] <= true) & (true <= ends[:, 1])
        halves.append(np.diff(ends)[:, 0] / 2)
    return {"cases": int(hits[0]), "both": int(hits[1]), "half": np.median(halves, axis=0)}


def table(n_sets: int) -> None:
    """Print the table, one row per number of annotators and leniency."""
    print("| annotators, leniency |", " | ".join(DESIGNS), "| half-width, one label |\n|" + "---|" * (len(DESIGNS) + 2))
    for n_annotators, leniency in itertools.product(ANNOTATORS, LENIENCY):
        found = [covered(n_sets, n_annotators, leniency, **design) for design in DESIGNS.values()]
        cells = [f"{one['cases'] / n_sets:.2f} → {one['both'] / n_sets:.3f}" for one in found]
        widths = " → ".join(f"{half:.3f}" for half in found[0]["half"])
        print(f"| {n_annotators}, {leniency} |", " | ".join(cells), f"| {widths} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="data sets per cell")
    table(parser.parse_args().sets)
