"""Evaluate models when the ground truth is uncertain because annotators disagree."""

from ._plackett_luce import plackett_luce, plackett_luce_diagnostics, plackett_luce_gradient, plackett_luce_log_likelihood
from ._point_estimates import plackett_luce_map, plackett_luce_mle
from ._soft_score import SoftScore
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
from .resampling import Resamples, bootstrap, bootstrap_annotations, bootstrap_statistic, jackknife
from .results import Certainty, Estimate
from .soft import PrecisionRecallCurve, RocCurve, soft_auroc, soft_average_precision, soft_precision_recall_curve, soft_roc_curve
from .stability import RankingStability, ranking_stability

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
    "PrecisionRecallCurve",
    "Predictions",
    "RankingStability",
    "Rankings",
    "Resamples",
    "RocCurve",
    "SoftScore",
    "__version__",
    "annotation_certainty",
    "annotator_average_overlap",
    "bootstrap",
    "bootstrap_annotations",
    "bootstrap_statistic",
    "dirichlet",
    "evaluate",
    "expected_risk",
    "irn",
    "jackknife",
    "leave_one_annotator_out",
    "partial_average_overlap",
    "plackett_luce",
    "plackett_luce_diagnostics",
    "plackett_luce_gradient",
    "plackett_luce_log_likelihood",
    "plackett_luce_map",
    "plackett_luce_mle",
    "prirn",
    "ranking_stability",
    "soft_auroc",
    "soft_average_precision",
    "soft_precision_recall_curve",
    "soft_roc_curve",
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
