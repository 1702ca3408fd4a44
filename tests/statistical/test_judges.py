"""Coverage of corrected means in the population of annotators and cases; that of intervals over cases alone is seen to be too low.

docs/intervals-checked.md has the whole grid.
"""

import pytest
from scripts import script
from simulations import holds, sets

world, preferred = script("benchmarks", "judges"), script("benchmarks", "preferences")
DESIGNS = [
    (4, 0.3, {}), (8, 0.6, {"judge": "poor"}), (8, 0.6, {"uneven": True}), (20, 0.3, {"n_labels": 3}), (8, 0.3, {"clustered": True}),
    (8, 0.3, {"strata": True}),
]  # fmt: skip


@sets(80, 500)
@pytest.mark.parametrize(("n_annotators", "leniency", "design"), DESIGNS)
def test_intervals_hold_what_all_annotators_would_say_of_all_cases(n_annotators, leniency, design, n_sets):
    assert holds(world.covered(n_sets, n_annotators, leniency, **design)["both"], n_sets, 0.925, 0.985)


@sets(200, 500)
def test_published_intervals_take_the_labels_as_the_truth(n_sets):
    """A planted fault: they hold the truth in two thirds of the data sets, and no better judge helps."""
    hits = world.covered(n_sets, 5, 0.6)["cases"]
    assert hits < 0.85 * n_sets and not holds(hits, n_sets, 0.925, 0.985)


@sets(80, 1000)
@pytest.mark.parametrize("second", world.SECOND)
def test_differences_of_systems_hold_what_all_annotators_would_say(second, n_sets):
    assert holds(world.covered_differences(n_sets, 6, 0.6, **world.SECOND[second])["both"], n_sets, 0.925, 0.99)


@sets(200, 500)
def test_another_panel_for_the_second_system_is_not_seen_over_cases_alone(n_sets):
    """A planted fault: the difference of two panels of three is taken for that of the systems."""
    assert not holds(world.covered_differences(n_sets, 3, 0.6, **world.SECOND["another panel"])["cases"], n_sets, 0.925, 0.99)


@sets(150, 1000)
@pytest.mark.parametrize(("n_annotators", "spread"), [(4, 0.4), (8, 0.8), (20, 0.4)])
def test_intervals_of_strengths_hold_what_all_annotators_prefer(n_annotators, spread, n_sets):
    hits = preferred.covered(n_sets, n_annotators, spread)
    assert holds(hits["both"], n_sets, 0.925, 0.985)
    assert n_annotators > 8 or not holds(hits["cases"], n_sets, 0.925, 0.985)  # over cases alone: planted
