"""Plots, one function each: takes a record or its numbers, and an ``ax``, draws, returns the ax. Needs matplotlib (``ugt[plot]``).

Lines differ by dashes and markers as well as by colour (Okabe & Ito), so that they can be told apart on a grey printer. What is undefined
is left out of a plot, and counted in its legend or title.
"""

from ._bars import accuracy_over_draws, plausibilities
from ._base import COLOURS, DASHES, MARKERS
from ._curves import calibration_dispersion_map, reliability_diagram, soft_curve
from ._intervals import coverage_and_size, forest
from ._lines import certainty_curve, metric_by_reliability
from ._matrices import agreement_matrix, rank_by_reliability, rank_heat_map
from ._triangle import ternary

__all__ = [
    "COLOURS",
    "DASHES",
    "MARKERS",
    "accuracy_over_draws",
    "agreement_matrix",
    "calibration_dispersion_map",
    "certainty_curve",
    "coverage_and_size",
    "forest",
    "metric_by_reliability",
    "plausibilities",
    "rank_by_reliability",
    "rank_heat_map",
    "reliability_diagram",
    "soft_curve",
    "ternary",
]
