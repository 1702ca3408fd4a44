"""Does a model agree with annotators more often than they with each other? False claims for others, where the model is one more annotator.

``python tests/statistical/test_pairs_of_annotators.py 1000`` makes the table of docs/intervals-checked.md.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from annotator_designs import _seen, camps, conventions, experience, specialists
from simulations import sets

import ugt

BOTH = ("cases", "annotators")


def alike(n, r, rng):
    """Annotators of one skill; some cases are hard for all."""
    truth, ease = rng.integers(0, 3, n), 0.6 + 0.4 * rng.beta(3, 1, n)
    return _seen(truth[:, None], 0.85 * np.tile(ease[:, None], r), 3, rng), 3


def three_names(n, r, rng):
    """Two cases in five have another name in each of three schools."""
    doubtful, truth, school = rng.random(n) < 0.4, rng.integers(0, 3, n), rng.integers(0, 3, r)
    return _seen(np.where(doubtful[:, None], school, truth[:, None]), np.full((n, r), 0.85), 3, rng), 3


def few_labels(n, r, rng):
    """Two names; half of the annotators have seen a case, and the last one, who is the model, all cases."""
    table, k, *_ = conventions(n, r, rng)
    place = rng.random((n, r - 1)).argsort(axis=1)
    return np.where(np.c_[place < (r - 1) // 2, np.ones(n, bool)], table, -1), k


def raters(n, r, rng):
    """Ratings of a sum of two signs, of which each rater looks at one."""
    signs, first = rng.normal(size=(n, 2)), rng.random(r) < 0.5
    return (np.where(first, signs[:, :1], signs[:, 1:]) + rng.normal(0, 0.5, (n, r))).round(1), None


DESIGNS = (alike, conventions, three_names, few_labels, camps, experience, specialists, raters)


def claims(design, n, r, rng):
    """Whether the model is called nearer to annotators than they are to each other, by D, farther by D, and nearer by Δ: each at 0."""
    table, k, *_ = design(n, r + 1, rng)
    chosen, table, names = table[:, r], table[:, :r], [f"a{j}" for j in range(r)]
    if k is None:
        ratio = ugt.discrepancy_ratio(ugt.Ratings.from_wide(table, annotators=names), chosen)
        return np.nan, np.nan, ratio.non_inferiority().limit < 1
    labels = ugt.Labels.from_wide(np.where(table < 0, None, table), classes=k, annotators=names)
    low, high = ugt.metrics.next_annotator_agreement(labels, np.eye(k)[chosen]).interval(of="difference", random=BOTH)
    return low > 0, high < 0, ugt.discrepancy_ratio(labels, chosen, distance="zero-one").non_inferiority().limit < 1


def rates(design, n, r, n_sets, seed=0):
    rng = np.random.default_rng(seed)
    return np.mean([claims(design, n, r, rng) for _ in range(n_sets)], axis=0)


@pytest.mark.filterwarnings("ignore")
@sets(100, 1600)
@pytest.mark.parametrize("design", [alike, conventions, camps, specialists], ids=lambda one: one.__name__)
def test_a_model_that_is_one_more_annotator_is_seldom_nearer(design, n_sets):
    more, less, nearer = rates(design, 200, 6, n_sets, seed=6)
    for rate, nominal in ((more, 0.025), (less, 0.025), (nearer, 0.05)):
        assert rate <= nominal + 4 * np.sqrt(nominal * (1 - nominal) / n_sets), (more, less, nearer)


def main(n_sets, designs=DESIGNS):
    warnings.simplefilter("ignore")
    sizes = (4, 6, 8, 20)
    print("| design |", " | ".join(f"{r} annotators" for r in sizes), "|")
    print("|---" * (len(sizes) + 1) + "|")
    for design in designs:
        cells = (rates(design, 200, r, n_sets, seed=300 + r) for r in sizes)
        print(
            f"| {design.__name__} |",
            " | ".join(", ".join("–" if np.isnan(x) else f"{x:.3f}" for x in one) for one in cells),
            "|",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]), [one for one in DESIGNS if not sys.argv[2:] or one.__name__ in sys.argv[2:]])
