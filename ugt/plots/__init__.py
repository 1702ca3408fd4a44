"""Plots: each function takes a record or its numbers, draws them, and returns the axes. They need matplotlib (``ugt[plot]``).

``ax`` is the axes to draw on; by default, those of a new figure. Series have the colours of Okabe & Ito in a fixed order, and differ by
dashes, markers or hatches, too, so that they can be distinguished on a grey printer. Undefined values are not drawn; the legend or the
title counts them.
"""

from ._base import COLOURS, DASHES, MARKERS
from ._cases import accuracy_over_draws, case_histogram, case_scatter, certainty_curve, rated_case
from ._decisions import decision_curve
from ._grades import error_by_grade, grade_shares, predictions_by_grade
from ._lines import calibration_dispersion_map, metric_by_reliability, plan_frontier, reliability_diagram
from ._profiles import reliability_profile
from ._ranks import rank_sets
from ._readers import annotator_roc_points, bland_altman
from ._soft import soft_curve, soft_labels
from ._tables import agreement_matrix, coverage_and_size, forest, rank_by_reliability, rank_heat_map
from ._truth import plausibilities, ternary

__all__ = ["COLOURS", "DASHES", "MARKERS", "accuracy_over_draws", "agreement_matrix", "annotator_roc_points", "bland_altman"]
__all__ += ["calibration_dispersion_map", "case_histogram", "case_scatter", "certainty_curve", "coverage_and_size", "decision_curve"]
__all__ += ["error_by_grade", "forest", "grade_shares", "metric_by_reliability", "plan_frontier", "plausibilities", "predictions_by_grade"]
__all__ += ["rank_by_reliability", "rank_heat_map", "rank_sets", "rated_case", "reliability_diagram", "reliability_profile"]
__all__ += ["soft_curve", "soft_labels", "ternary"]
