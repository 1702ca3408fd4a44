"""Simulations: how many data sets, and how far the share of those whose interval holds the truth may be from its level.

Each simulation has two sizes, with the same probability of a false alarm and other faults that they see (`holds`). Both have the marker
``full``: `make test` has none of them.

- CI takes a few data sets, of the first design of each test (`UGT_FIRST_DESIGNS`, `conftest.py`), so that it ends in time
- `make simulations` takes all, before a release and after a change to an interval
"""

import os

import pytest
from scipy.stats import binom

ALARM = 1e-9
ALL = "UGT_ALL_DATA_SETS" in os.environ


def sets(few, every):
    """Run a test with few data sets, ``n_sets``, or with all."""
    one = pytest.param(every if ALL else few, marks=[pytest.mark.full, pytest.mark.simulation])
    return pytest.mark.parametrize("n_sets", [one])


def in_ci(*values):
    """Parameters of a test that takes others in `make test`."""
    return [pytest.param(value, marks=pytest.mark.full) for value in values]


def holds(hits, n_sets, level=0.95, highest=None):
    """Whether so many hits may be those of intervals that hold the truth with probability ``level``, or up to ``highest``.

    Of such intervals it says no with a probability of at most ALARM (binomial): outside of 52 to 100 % for 25 data sets and 95 %, of 77 to
    100 % for 100, of 87.2 to 100 % for 400, of 90.3 to 98.6 % for 1,000, of 91.7 to 97.7 % for 2,000, of 93.0 to 96.8 % for 5,000, of 93.6
    to 96.3 % for 10,000.
    """
    return bool(binom.ppf(ALARM / 2, n_sets, level) <= hits <= binom.isf(ALARM / 2, n_sets, highest or level))


def covered(results, truth, **asked):
    """How many of the results have an interval that holds the truth, for each that is asked for: its name and options."""
    found = dict.fromkeys(asked, 0)
    for result in results:
        for name, options in asked.items():
            low, high = result.interval(**options)
            found[name] += low <= truth <= high
    return found
