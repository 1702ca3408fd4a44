"""Evaluate models when the ground truth is uncertain because annotators disagree."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._version import __version__ as __version__

# A module is imported when something in it is first asked for: importing all of them takes a tenth of a second. __init__.pyi says the same
# to type checkers.
_HOMES = {
    "_disagreement": "PredictedDisagreement predicted_disagreement symmetric_statistic",
    "_histogram.losses": "HistogramLosses",
    "_histogram.reliability": "ReliabilityCurve",
    "_plausibilities.normal": "NormalPosterior",
    "_plausibilities.plackett_luce": "plackett_luce plackett_luce_diagnostics plackett_luce_gradient plackett_luce_log_likelihood",
    "_plausibilities.point_estimates": "plackett_luce_map plackett_luce_mle",
    "_soft.score": "SoftScore",
    "_threads": "threads",
    "accuracy": (
        "ua_average_overlap ua_coverage ua_footrule_distance ua_kendall_distance ua_overlap ua_plausibility_mass "
        "ua_set_accuracy ua_topk_accuracy"
    ),
    "aggregation": "dirichlet irn prirn votes",
    "agreement": "AgreementScore annotator_average_overlap leave_one_annotator_out partial_average_overlap",
    "annotations": "Axes Labels Masks Rankings Ratings",
    "annotator_models": "AnnotatorDraws AnnotatorModel dawid_skene dawid_skene_draws glad warn_if_judged",
    "calibrators": "AlphaCalibration DirichletPredictions MatrixScaling PlattScaling TemperatureScaling VectorScaling load_calibrator",
    "certainty": "annotation_certainty expected_risk",
    "coefficients": (
        "Agreement AgreementTable PairwiseAgreement agreement_table cohen_kappa fleiss_kappa gwet_ac1 gwet_ac2 "
        "intra_annotator_agreement intraclass_correlation krippendorff_alpha pairwise_agreement percent_agreement scott_pi"
    ),
    "committees": "ExpectedCertainty committee expected_certainty",
    "conformal": (
        "MonteCarloConformal PlausibilityRegions PredictionSets SetCoverage SplitConformal combine_p_values conformal_scores "
        "effective_tests"
    ),
    "disagreement": "DisagreementLosses disagreement_losses",
    "discrepancy": (
        "AlternativeRatios AnnotatorDiscrepancy DiscrepancyRatio GroupedDiscrepancy NonInferiority RelativeF1 ThresholdSweep "
        "alternative_discrepancy_ratios annotator_discrepancy discrepancy_ratio group_discrepancy relative_f1 "
        "stratified_discrepancy threshold_sweep"
    ),
    "evaluation": "Evaluation evaluate",
    "histogram": "HistogramAccumulator histogram_losses",
    "plausibilities": "Dirichlet Draws Point",
    "posteriors": "LabelPosterior dirichlet_multinomial_log_likelihood label_posterior",
    "predictions": "Predictions",
    "ratings": "NormalPrior fit_normal_prior normal rating_certainty ua_rating_accuracy",
    "resampling": "Resamples bootstrap bootstrap_annotations bootstrap_statistic jackknife",
    "results": "Certainty Estimate",
    "scores": (
        "HistogramLogLoss HistogramScore histogram_brier_score histogram_log_loss manhattan_distance ranked_probability_score "
        "wasserstein_distance"
    ),
    "soft": "PrecisionRecallCurve RocCurve soft_auroc soft_average_precision soft_precision_recall_curve soft_roc_curve",
    "stability": "RankingStability ranking_stability",
    "substitution": "AlternativeAnnotatorTest IndividualEquivalence alternative_annotator_test individual_equivalence_index",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted([*_HOME_OF, "__version__"])  # noqa: PLE0605  (a list)


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        found = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    elif name in _HOMES:
        found = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
