"""Annotators of a population prefer one of two models' answers to prompts: coverage of intervals of strengths.

Four models have log-strengths 0.6, 0.2, -0.2, -0.6. An annotator has own log-strengths around them (sd s), as has a prompt (sd 0.5). Each
of 600 preferences is by a random annotator, of a random pair, for a random one of 150 prompts. ``python benchmarks/preferences.py --sets
1000`` prints the table of docs/intervals-checked.md.
"""

from __future__ import annotations

import argparse
import warnings
from functools import lru_cache

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

import ugt

STRENGTH, OF_PROMPTS, N, N_PROMPTS = np.array([0.6, 0.2, -0.2, -0.6]), 0.5, 600, 150


def data(rng: np.random.Generator, n_annotators: int, spread: float) -> ugt.judges.Preferences:
    """One data set."""
    m = len(STRENGTH)
    first = rng.integers(0, m, N)
    second = (first + rng.integers(1, m, N)) % m
    annotator, prompt = rng.integers(0, n_annotators, N), rng.integers(0, N_PROMPTS, N)
    own = STRENGTH + spread * rng.normal(size=(n_annotators, m))
    taste = OF_PROMPTS * rng.normal(size=(N_PROMPTS, m))
    ahead = own[annotator, first] - own[annotator, second] + taste[prompt, first] - taste[prompt, second]
    preferred = np.where(rng.random(N) < expit(ahead), first, second)
    return ugt.judges.Preferences.from_pairs(first, second, preferred, annotator=annotator, case=prompt)


@lru_cache
def truth(spread: float) -> float:
    """Return by how much the first model is stronger than the second if all annotators compare all pairs for all prompts."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    i, j = np.triu_indices(len(STRENGTH), 1)
    share = expit(STRENGTH[i, None] - STRENGTH[j, None] + np.sqrt(2 * (spread**2 + OF_PROMPTS**2)) * nodes) @ weights / weights.sum()

    def loss(theta: np.ndarray) -> float:
        win = expit(theta[i] - theta[j])
        return float(-(share * np.log(win) + (1 - share) * np.log(1 - win)).sum())

    found = minimize(loss, STRENGTH, tol=1e-12).x
    return float(found[0] - found[1])


def covered(n_sets: int, n_annotators: int, spread: float, seed: int = 6) -> dict[str, int]:
    """Return how many intervals of the difference hold the truth, over cases alone and over annotators too."""
    rng, true, hits = np.random.default_rng(seed), truth(spread), {"cases": 0, "both": 0}
    for _ in range(n_sets):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ugt.judges.strengths(data(rng, n_annotators, spread))
            for name, random in (("cases", ("cases",)), ("both", ("cases", "annotators"))):
                one = found.difference(0, 1, random=random)
                hits[name] += one.low <= true <= one.high
    return hits


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="data sets per cell")
    n_sets = parser.parse_args().sets
    print("| annotators | sd 0 | sd 0.4 | sd 0.8 |\n|---|---|---|---|")
    rows = {n: [covered(n_sets, n, spread) for spread in (0.0, 0.4, 0.8)] for n in (4, 8, 20, 50)}
    for n, found in rows.items():
        print(f"| {n} |", " | ".join(f"{one['cases'] / n_sets:.2f} → {one['both'] / n_sets:.3f}" for one in found), "|")
