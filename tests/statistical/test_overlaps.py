"""Coverage where few of many cases have two labels: the cases with one label are no units of intervals.

Two annotators label two equally common classes with the same share of errors. All rows of docs/intervals-checked.md:
``python tests/statistical/test_overlaps.py``.
"""

import sys
import warnings

import numpy as np
import pytest
from simulations import holds, sets

import ugt

DESIGNS = {"400, 20": (400, 20, 0.03), "2,000, 40": (2000, 40, 0.01), "1,000, 50": (1000, 50, 0.02)}
OTHERS = {"400, 60": (400, 60, 0.1, 0.15), "1,000, 100": (1000, 100, 0.15, 0.2), "300, 150": (300, 150, 0.15, 0.5)}


def icc(labels):
    """Of numbers 0 and 1."""
    return ugt.agreement.intraclass_correlation(labels, "1")


COEFFICIENTS = {
    "percent": ugt.agreement.percent_agreement,
    "fleiss": ugt.fleiss_kappa,
    "ac1": ugt.agreement.gwet_ac1,
    "bp": ugt.agreement.brennan_prediger,
    "icc": icc,
}


def table_of(rng, n, n_pairs, error, common=0.5):
    """(N, 2) labels 0 and 1, NaN for one of the two annotators in all but the first cases."""
    table = ((rng.random((n, 1)) < common) ^ (rng.random((n, 2)) < error)).astype(float)
    table[np.arange(n_pairs, n), rng.integers(0, 2, n - n_pairs)] = np.nan
    return table


def truths(error, common=0.5):
    """The coefficients of infinitely many cases."""
    share = common * (1 - error) + (1 - common) * error
    differ, chance = 2 * error * (1 - error), 2 * share * (1 - share)
    kappa = 1 - differ / chance
    return {"percent": 1 - differ, "fleiss": kappa, "ac1": 1 - differ / (1 - chance), "bp": 1 - 2 * differ, "icc": kappa}


def run(n_sets, n, n_pairs, error, common=0.5, seed=0):
    """For each coefficient the hits, those of the pairs alone, and the mean widths of both."""
    rng, truth = np.random.default_rng(seed), truths(error, common)
    hits, widths = np.zeros((len(COEFFICIENTS), 2)), np.zeros((len(COEFFICIENTS), 2))
    for _ in range(n_sets):
        table = table_of(rng, n, n_pairs, error, common)
        for i, (name, function) in enumerate(COEFFICIENTS.items()):
            for j, rows in enumerate((table, table[:n_pairs])):
                low, high = function(ugt.Labels.from_wide(rows, classes=2)).interval(n_resamples=2)
                hits[i, j] += low <= truth[name] <= high
                widths[i, j] += (high - low) / n_sets
    return hits, widths


@sets(80, 1000)
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_few_pairs_among_many_cases(design, n_sets):
    hits, widths = run(n_sets, *design)
    assert all(holds(one, n_sets, 0.93, 1.0) for one in hits[:, 0])
    assert (widths[:, 0] >= widths[:, 1] * (1 - 1e-9)).all()
    np.testing.assert_allclose(widths[[0, 3], 0], widths[[0, 3], 1], rtol=1e-9)  # percent agreement and Brennan-Prediger: the same


@sets(40, 1000)
@pytest.mark.parametrize("design", OTHERS.values(), ids=OTHERS)
def test_other_overlaps(design, n_sets):
    hits, _ = run(n_sets, *design)
    assert all(holds(one, n_sets, 0.92, 1.0) for one in hits[:, 0])


def test_trials_of_all_cases_would_be_seen():
    """Planted: Clopper and Pearson's interval with all 2,000 cases as trials leaves out most true values of 40 perfect pairs."""
    rng, truth, missed = np.random.default_rng(4), truths(0.01)["bp"], 0
    for _ in range(60):
        labels = ugt.Labels.from_wide(table_of(rng, 2000, 40, 0.01), classes=2)
        if ugt.agreement.brennan_prediger(labels).value == 1:
            missed += truth < 1 - 2 * (1 - 0.025 ** (1 / 2000))
    assert missed >= 20


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for which, design in (DESIGNS | OTHERS).items():
        hits, widths = run(n_sets, *design)
        for name, one, width in zip(COEFFICIENTS, hits, widths):
            print(
                f"{which}: {name}: {one[0] / n_sets:.3f} (pairs alone {one[1] / n_sets:.3f}), width {width[0]:.3f} ({width[1]:.3f})",
                flush=True,
            )
