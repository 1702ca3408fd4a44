"""Evaluate models when the ground truth is uncertain because annotators disagree."""

from ._disagreement import PredictedDisagreement, predicted_disagreement, symmetric_statistic
from ._histogram_losses import HistogramLosses
from ._normal import NormalPosterior
from ._plackett_luce import plackett_luce, plackett_luce_diagnostics, plackett_luce_gradient, plackett_luce_log_likelihood
from ._point_estimates import plackett_luce_map, plackett_luce_mle
from ._reliability import ReliabilityCurve
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
from .annotations import Axes, Labels, Masks, Rankings, Ratings
from .annotator_models import AnnotatorDraws, AnnotatorModel, dawid_skene, dawid_skene_draws, glad, warn_if_judged
from .calibrators import (
    AlphaCalibration,
    DirichletPredictions,
    MatrixScaling,
    PlattScaling,
    TemperatureScaling,
    VectorScaling,
    load_calibrator,
)
from .certainty import annotation_certainty, expected_risk
from .committees import ExpectedCertainty, committee, expected_certainty
from .conformal import (
    MonteCarloConformal,
    PlausibilityRegions,
    PredictionSets,
    SetCoverage,
    SplitConformal,
    combine_p_values,
    conformal_scores,
    effective_tests,
)
from .disagreement import DisagreementLosses, disagreement_losses
from .discrepancy import (
    AlternativeRatios,
    AnnotatorDiscrepancy,
    DiscrepancyRatio,
    GroupedDiscrepancy,
    NonInferiority,
    RelativeF1,
    ThresholdSweep,
    alternative_discrepancy_ratios,
    annotator_discrepancy,
    discrepancy_ratio,
    group_discrepancy,
    relative_f1,
    stratified_discrepancy,
    threshold_sweep,
)
from .evaluation import Evaluation, evaluate
from .histogram import HistogramAccumulator, histogram_losses
from .plausibilities import Dirichlet, Draws, Point
from .posteriors import LabelPosterior, dirichlet_multinomial_log_likelihood, label_posterior
from .predictions import Predictions
from .ratings import NormalPrior, fit_normal_prior, normal, rating_certainty, ua_rating_accuracy
from .resampling import Resamples, bootstrap, bootstrap_annotations, bootstrap_statistic, jackknife
from .results import Certainty, Estimate
from .scores import (
    HistogramLogLoss,
    HistogramScore,
    histogram_brier_score,
    histogram_log_loss,
    manhattan_distance,
    ranked_probability_score,
    wasserstein_distance,
)
from .soft import PrecisionRecallCurve, RocCurve, soft_auroc, soft_average_precision, soft_precision_recall_curve, soft_roc_curve
from .stability import RankingStability, ranking_stability
from .substitution import AlternativeAnnotatorTest, IndividualEquivalence, alternative_annotator_test, individual_equivalence_index

__all__ = [
    "AgreementScore",
    "AlphaCalibration",
    "AlternativeAnnotatorTest",
    "AlternativeRatios",
    "AnnotatorDiscrepancy",
    "AnnotatorDraws",
    "AnnotatorModel",
    "Axes",
    "Certainty",
    "Dirichlet",
    "DirichletPredictions",
    "DisagreementLosses",
    "DiscrepancyRatio",
    "Draws",
    "Estimate",
    "Evaluation",
    "ExpectedCertainty",
    "GroupedDiscrepancy",
    "HistogramAccumulator",
    "HistogramLogLoss",
    "HistogramLosses",
    "HistogramScore",
    "IndividualEquivalence",
    "LabelPosterior",
    "Labels",
    "Masks",
    "MatrixScaling",
    "MonteCarloConformal",
    "NonInferiority",
    "NormalPosterior",
    "NormalPrior",
    "PlattScaling",
    "PlausibilityRegions",
    "Point",
    "PrecisionRecallCurve",
    "PredictedDisagreement",
    "PredictionSets",
    "Predictions",
    "RankingStability",
    "Rankings",
    "Ratings",
    "RelativeF1",
    "ReliabilityCurve",
    "Resamples",
    "RocCurve",
    "SetCoverage",
    "SoftScore",
    "SplitConformal",
    "TemperatureScaling",
    "ThresholdSweep",
    "VectorScaling",
    "__version__",
    "alternative_annotator_test",
    "alternative_discrepancy_ratios",
    "annotation_certainty",
    "annotator_average_overlap",
    "annotator_discrepancy",
    "bootstrap",
    "bootstrap_annotations",
    "bootstrap_statistic",
    "combine_p_values",
    "committee",
    "conformal_scores",
    "dawid_skene",
    "dawid_skene_draws",
    "dirichlet",
    "dirichlet_multinomial_log_likelihood",
    "disagreement_losses",
    "discrepancy_ratio",
    "effective_tests",
    "evaluate",
    "expected_certainty",
    "expected_risk",
    "fit_normal_prior",
    "glad",
    "group_discrepancy",
    "histogram_brier_score",
    "histogram_log_loss",
    "histogram_losses",
    "individual_equivalence_index",
    "irn",
    "jackknife",
    "label_posterior",
    "leave_one_annotator_out",
    "load_calibrator",
    "manhattan_distance",
    "normal",
    "partial_average_overlap",
    "plackett_luce",
    "plackett_luce_diagnostics",
    "plackett_luce_gradient",
    "plackett_luce_log_likelihood",
    "plackett_luce_map",
    "plackett_luce_mle",
    "predicted_disagreement",
    "prirn",
    "ranked_probability_score",
    "ranking_stability",
    "rating_certainty",
    "relative_f1",
    "soft_auroc",
    "soft_average_precision",
    "soft_precision_recall_curve",
    "soft_roc_curve",
    "stratified_discrepancy",
    "symmetric_statistic",
    "threads",
    "threshold_sweep",
    "ua_average_overlap",
    "ua_coverage",
    "ua_footrule_distance",
    "ua_kendall_distance",
    "ua_overlap",
    "ua_plausibility_mass",
    "ua_rating_accuracy",
    "ua_set_accuracy",
    "ua_topk_accuracy",
    "votes",
    "warn_if_judged",
    "wasserstein_distance",
]
