"""Rank sets of several models: how often equal models are separated, and how often the sets hold the ranks of unequal ones.

``python tests/statistical/test_rank_sets.py 1000`` makes the table of docs/intervals-checked.md.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from annotator_designs import angles, camps, leniency, skills
from simulations import sets

import ugt

BOTH = ("cases", "annotators")
DESIGNS = (skills, leniency, angles, camps)
SIZES = (2, 3, 5)  # numbers of equal models: the first ones of the same data sets
WORSE = 0.08  # share of the cases in which a model chooses at random, more than the one before it: ranks 1 to 5


def ranked(labels, k, choices, random):
    truth = ugt.dirichlet(labels)
    found = ugt.rank_sets({str(i): ugt.ua_topk_accuracy(truth, np.eye(k)[one]) for i, one in enumerate(choices)}, random=random)
    return found.rank_low, found.rank_high


def worsened(choices, k, rng):
    """Models each of which chooses at random more often than the one before."""
    return [np.where(rng.random(len(one)) < WORSE * i, rng.integers(0, k, len(one)), one) for i, one in enumerate(choices)]


def studies(design, n, r, n_sets, sizes=SIZES, seed=0):
    """(n_sets, 2, sizes + 3), over cases alone, and over cases and annotators.

    Of so many equal models: whether any are separated. Of as many unequal ones as the last: whether the sets hold all ranks; the mean
    size of the sets; whether any are separated.
    """
    rng, rows = np.random.default_rng(seed), []
    for _ in range(n_sets):
        table, k, *choices, _ = design(n, r, rng, m=sizes[-1])
        labels = ugt.Labels.from_wide(table, classes=k, annotators=[f"a{j}" for j in range(r)])
        unequal, true, found = worsened(choices, k, rng), 1 + np.arange(sizes[-1]), []
        for random in (BOTH[:1], BOTH):
            equal = [ranked(labels, k, choices[:m], random) for m in sizes]
            low, high = ranked(labels, k, unequal, random)
            told = [(high - low + 1 < m).any() for m, (low, high) in zip(sizes, equal)]
            size = high - low + 1
            found.append([*told, ((low <= true) & (true <= high)).all(), size.mean(), (size < true[-1]).any()])
        rows.append(found)
    return np.array(rows, float)


@pytest.mark.filterwarnings("ignore")
@sets(200, 1600)
@pytest.mark.parametrize("r", [6, pytest.param(8, marks=pytest.mark.full)])
@pytest.mark.parametrize("design", [leniency, angles, camps], ids=lambda one: one.__name__)
def test_equal_models_are_seldom_separated_for_other_annotators(design, r, n_sets):
    found = studies(design, 200, r, n_sets, (3,), seed=r)
    (alone, *_), (both, held, *_) = found.mean(axis=0)
    assert both <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / n_sets), both
    assert held >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / n_sets), held
    assert alone > both  # of these annotators it is often true that models differ


def main(n_sets, designs=DESIGNS):
    warnings.simplefilter("ignore")
    head = [f"{m} equal models" for m in SIZES]
    print("| design | annotators |", " | ".join([*head, f"{SIZES[-1]} unequal: ranks held", "mean size", "some separated"]), "|")
    print("|---" * (len(SIZES) + 5) + "|")
    for design in designs:
        for r in (5, 6, 8):
            alone, both = studies(design, 200, r, n_sets, seed=200 + r).mean(axis=0)
            cells = [f"{one:.2f} → {other:.3f}" for one, other in zip(alone, both)]
            print("|", " | ".join([design.__name__, str(r), *cells]), "|", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), [one for one in DESIGNS if one.__name__ in sys.argv[2:]] or DESIGNS)
