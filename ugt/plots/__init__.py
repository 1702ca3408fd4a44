"""Plots, one function each: takes a record or its numbers, draws, returns the axes. Needs matplotlib (``ugt[plot]``).

``ax`` is where to draw; default: the axes of a new figure.

Lines differ by dashes and markers as well as by colour (Okabe & Ito), so that they can be told apart on a grey printer. What is undefined
is left out of a plot, and counted in its legend or title.
"""

from ._base import COLOURS, DASHES, MARKERS
from ._cases import accuracy_over_draws, case_histogram, case_scatter, certainty_curve, rated_case
from ._lines import calibration_dispersion_map, metric_by_reliability, plan_frontier, reliability_diagram, soft_curve
from ._profiles import reliability_profile
from ._readers import annotator_roc_points, bland_altman
from ._soft import soft_labels
from ._tables import agreement_matrix, coverage_and_size, forest, rank_by_reliability, rank_heat_map
from ._truth import plausibilities, ternary

__all__ = ["COLOURS", "DASHES", "MARKERS", "accuracy_over_draws", "agreement_matrix", "annotator_roc_points", "bland_altman"]
__all__ += ["calibration_dispersion_map", "case_histogram", "case_scatter", "certainty_curve", "coverage_and_size", "forest"]
__all__ += ["metric_by_reliability", "plan_frontier", "plausibilities", "rank_by_reliability", "rank_heat_map", "rated_case"]
__all__ += ["reliability_diagram", "reliability_profile", "soft_curve", "soft_labels", "ternary"]
