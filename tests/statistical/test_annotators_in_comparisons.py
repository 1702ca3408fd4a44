"""Differences of two models that are equal in the population of annotators: how often intervals exclude 0, and who is called ahead.

``python tests/statistical/test_annotators_in_comparisons.py 1000`` makes the tables of docs/intervals-checked.md.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from annotator_designs import DESIGNS, camps, conventions, experience, leniency

import ugt
from ugt._base.claims import LeadEnds, claim_of

BOTH = ("cases", "annotators")


FIGURES = {
    "one more": lambda labels, choice, score: ugt.metrics.next_annotator_agreement(labels, choice),
    "UA": lambda labels, choice, score: ugt.ua_topk_accuracy(ugt.dirichlet(labels), choice),
    "vote": lambda labels, choice, score: ugt.ua_topk_accuracy(ugt.votes(labels), choice),
    "AUROC": lambda labels, choice, score: ugt.soft_auroc(labels, score),
}


def studies(design, n, r, n_sets, seed=0):
    """For each figure (n_sets, 2): whether the interval over cases, and over cases and annotators, excludes 0."""
    rng, found = np.random.default_rng(seed), {}
    for _ in range(n_sets):
        table, k, *choices, scores = design(n, r, rng)
        labels = ugt.Labels.from_wide(table, classes=k, annotators=[f"a{j}" for j in range(r)])
        sharp = [np.eye(k)[choice] for choice in choices]
        for name, figure in FIGURES.items():
            if name == "AUROC" and scores is None:
                continue
            one, two = (figure(labels, choice, score) for choice, score in zip(sharp, scores or (None, None)))
            difference = one.minus(two)
            ends = [difference.interval(n_resamples=200), difference.interval(random=BOTH)]
            found.setdefault(name, []).append([low > 0 or high < 0 for low, high in ends])
    return {name: np.array(rows) for name, rows in found.items()}


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("r", [6, 8])
@pytest.mark.parametrize("design", [leniency, camps, conventions, experience], ids=lambda one: one.__name__)
def test_equal_models_are_seldom_told_apart_for_other_annotators(design, r):
    n_sets = 120
    for name, excluded in studies(design, 200, r, n_sets, seed=r).items():
        alone, both = excluded.mean(axis=0)
        assert both <= 0.06 + 3 * np.sqrt(0.06 * 0.94 / n_sets), (name, both)
        assert alone > both + 0.02 or design is leniency, (name, alone)  # of these annotators it is often true


def test_the_claim_is_the_rule():
    """For whom a model is ahead, from the ends of its leads alone."""

    def lead(low, both, n):
        return LeadEnds(0.1, low, 0.3, both, 0.4, n)

    for leads, margin, expected in (
        ([lead(0.01, 0.005, 6.0)], 0.0, "others"),
        ([lead(0.01, 0.005, 5.4)], 0.0, "others if normal"),
        ([lead(0.01, 0.005, 2.4)], 0.0, "these"),
        ([lead(0.01, -0.005, 20.0)], 0.0, "these"),
        ([lead(0.01, None, None)], 0.0, "these"),
        ([lead(-0.01, -0.02, 20.0)], 0.0, "nobody"),
        ([lead(0.0, -0.02, 20.0)], 0.0, "nobody"),
        ([lead(0.01, 0.005, 8.0), lead(-0.01, -0.1, 8.0)], 0.0, "nobody"),
        ([lead(0.01, 0.005, 8.0), lead(0.01, -0.1, 8.0)], 0.0, "these"),
        ([lead(0.01, 0.005, 8.0)], 0.007, "these"),
        ([lead(0.01, 0.005, 8.0)], 0.02, "nobody"),
        ([lead(-0.01, -0.02, 8.0)], -0.015, "these"),
        ([lead(-0.01, -0.02, 8.0)], -0.03, "others"),
        ([], 0.0, "nobody"),
    ):
        assert claim_of(leads, margin) == expected, (leads, margin)


def main(n_sets):
    warnings.simplefilter("ignore")
    print(f"| design, 200 cases | {' | '.join(f'{r} annotators' for r in (3, 4, 5, 6, 8, 20))} |\n|---|---|---|---|---|---|---|")
    for design in DESIGNS:
        cells = []
        for r in (3, 4, 5, 6, 8, 20):
            found = studies(design, 200, r, n_sets, seed=100 + r)
            cells.append("; ".join(f"{name} {rows[:, 0].mean():.2f} → {rows[:, 1].mean():.3f}" for name, rows in found.items()))
        print(f"| {design.__name__} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
