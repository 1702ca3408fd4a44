"""Evaluate models when the ground truth is uncertain because annotators disagree."""

from ._plackett_luce import plackett_luce, plackett_luce_diagnostics, plackett_luce_gradient, plackett_luce_log_likelihood
from ._point_estimates import plackett_luce_map, plackett_luce_mle
from ._threads import threads
from ._version import __version__
from .accuracy import (
    ua_average_overlap,
    ua_coverage,
    ua_footrule_distance,
    ua_kendall_distance,
    ua_overlap,
    ua_plausibility_mass,
    ua_set_accuracy,
    ua_topk_accuracy,
)
from .aggregation import dirichlet, irn, prirn, votes
from .agreement import AgreementScore, annotator_average_overlap, leave_one_annotator_out, partial_average_overlap
from .annotations import Axes, Labels, Rankings
from .certainty import annotation_certainty, expected_risk
from .evaluation import Evaluation, evaluate
from .plausibilities import Dirichlet, Draws, Point
from .predictions import Predictions
from .results import Certainty, Estimate

__all__ = [
    "AgreementScore",
    "Axes",
    "Certainty",
    "Dirichlet",
    "Draws",
    "Estimate",
    "Evaluation",
    "Labels",
    "Point",
    "Predictions",
    "Rankings",
    "__version__",
    "annotation_certainty",
    "annotator_average_overlap",
    "dirichlet",
    "evaluate",
    "expected_risk",
    "irn",
    "leave_one_annotator_out",
    "partial_average_overlap",
    "plackett_luce",
    "plackett_luce_diagnostics",
    "plackett_luce_gradient",
    "plackett_luce_log_likelihood",
    "plackett_luce_map",
    "plackett_luce_mle",
    "prirn",
    "threads",
    "ua_average_overlap",
    "ua_coverage",
    "ua_footrule_distance",
    "ua_kendall_distance",
    "ua_overlap",
    "ua_plausibility_mass",
    "ua_set_accuracy",
    "ua_topk_accuracy",
    "votes",
]
