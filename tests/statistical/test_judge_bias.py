"""Intervals of the bias of a judge, and of how far groups are apart in it, hold the truth over cases and annotators."""

import pytest
from scripts import script
from simulations import holds, sets

world = script("benchmarks", "judges")


@pytest.mark.parametrize(("spread", "design"), [(0.0, {}), (0.5, {}), (0.5, {"sorted_": True}), (0.5, {"clustered": True})])
@sets(60, 1000)
def test_biases(spread, design, n_sets):
    """Numbers by annotators of different leniency, evenly or mostly on one topic; the judge is 0.3 too kind to one topic."""
    hits = world.covered_biases(n_sets, 8, spread, **design)
    assert holds(hits["bias"], n_sets, 0.94, 0.99)
    assert holds(hits["apart"], n_sets, 0.94, 0.99)
