"""Coverage of paired differences of two models that seldom differ; ``python tests/statistical/test_few_discordant.py`` makes the table."""

import sys

import numpy as np
import pytest
from scipy.stats import t as student
from simulations import holds, sets

import ugt

# cases; share of cases in which only the second model is right, and in which only the first one is
CELLS = [(60, 0.03, 0.0), (200, 0.02, 0.0), (400, 0.005, 0.0), (1000, 0.003, 0.0), (200, 0.05, 0.0), (200, 0.1, 0.05), (60, 0.2, 0.2)]


def signs(rng, n, only_second, only_first):
    u = rng.random(n)
    return np.where(u < only_second, -1.0, np.where(u < only_second + only_first, 1.0, 0.0))


def whole(rng, *cell):
    """Right or wrong."""
    return signs(rng, *cell), None, 1.0


def shares(rng, *cell):
    """The model agrees with 0 to 5 of five annotators, who say the same in 85% of cases."""
    return signs(rng, *cell) * (2 * rng.binomial(5, 0.85, cell[0]) / 5 - 1), None, 0.7


def clusters(rng, n, only_second, only_first):
    """Clusters of five; models differ in three of ten only, and there the more often."""
    of = np.repeat(np.arange(n // 5), 5)
    there = (rng.random(n // 5) < 0.3)[of]
    return np.where(there, signs(rng, n, only_second / 0.3, only_first / 0.3), 0.0), of, 1.0


KINDS = {"right or wrong": whole, "shares of five": shares, "clusters of five": clusters}


def ends(d, of, seed):
    """The default interval of the difference of two shares whose values are apart by d, and Student's."""
    both_right = (d == 0) & (np.arange(len(d)) % 5 > 0)
    values = np.where(both_right[:, None], 1.0, np.stack([np.maximum(d, 0), np.maximum(-d, 0)], axis=1))
    found = ugt.bootstrap(values, clusters=of, n_resamples=400, seed=seed)
    units = d if of is None else np.bincount(of, d)
    g = len(units)
    half = student.ppf(0.975, g - 1) * units.std(ddof=1) * np.sqrt(g) / len(d)
    return found.minus(1).interval()[0], (d.mean() - half, d.mean() + half)


def rates(make, cell, n_sets):
    """Coverage, share of width 0 and share that excludes 0, of both intervals."""
    rng = np.random.default_rng(sum(map(ord, make.__name__)) + int(1e4 * sum(cell)))
    found = np.zeros((2, 3))
    for seed in range(n_sets):
        d, of, size = make(rng, *cell)
        truth = (cell[2] - cell[1]) * size
        found += [(low <= truth <= high, high - low < 1e-12, low > 0 or high < 0) for low, high in ends(d, of, seed)]
    return found / n_sets


@sets(40, 600)
@pytest.mark.filterwarnings("ignore:Intervals are over")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_coverage(kind, cell, n_sets):
    (covers, no_width, excludes), _ = rates(KINDS[kind], cell, n_sets)
    assert no_width == 0
    assert holds(round(covers * n_sets), n_sets, highest=1.0)
    if cell[1] == cell[2]:
        assert holds(round((1 - excludes) * n_sets), n_sets, highest=1.0)


if __name__ == "__main__":
    n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    print("| cases; only the second, only the first is right |" + "".join(f" {kind} |" for kind in KINDS))
    for cell in CELLS:
        both = [rates(make, cell, n_sets) for make in KINDS.values()]
        cells = (f" {old[0]:.3f}, {old[1]:.2f} → {new[0]:.3f}; {old[2]:.3f} → {new[2]:.3f} |" for new, old in both)
        print(f"| {cell[0]:,}; {cell[1]:.1%}, {cell[2]:.1%} |" + "".join(cells), flush=True)
