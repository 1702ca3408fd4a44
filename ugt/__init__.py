"""Evaluate models when the ground truth is uncertain because annotators disagree."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._base.version import __version__ as __version__

# A module is imported when one of its names is first used: importing all modules takes a tenth of a second. __init__.pyi lists the same
# names for type checkers.
_HOMES = {
    "_base.parallel": "threads",
    "accuracy": (
        "AccuracyBounds NextAnnotatorAgreement accuracy_bounds next_annotator_agreement ua_average_overlap ua_coverage "
        "ua_footrule_distance ua_group_accuracy ua_kendall_distance ua_ndcg ua_overlap ua_plausibility_mass ua_rank_biased_overlap "
        "ua_set_accuracy ua_topk_accuracy ua_weighted_kendall_distance"
    ),
    "aggregation": (
        "DirichletPrior FittedReliability PanelCheck PanelParts dirichlet fit_dirichlet_prior "
        "fit_predictive_reliability fit_reliability irn split_panel_check "
        "plackett_luce plackett_luce_diagnostics plackett_luce_log_likelihood plackett_luce_map plackett_luce_mle prirn votes"
    ),
    "agreement": (
        "Agreement CaseCounts AgreementScore AgreementTable GroupAgreement PairwiseAgreement agreement_by_group agreement_table "
        "AnnotatorStrictness annotator_average_overlap annotator_strictness brennan_prediger case_counts cohen_kappa fleiss_kappa "
        "gwet_ac1 gwet_ac2 intra_annotator_agreement "
        "intraclass_correlation krippendorff_alpha "
        "leave_one_annotator_out pairwise_agreement partial_average_overlap percent_agreement scott_pi"
    ),
    "annotations": "Axes Labels Masks Predictions Rankings Ratings",
    "annotator_models": (
        "AnnotatorDraws AnnotatorModel Deconvolution FlipRate GradedResponse SignedShares dawid_skene dawid_skene_draws "
        "disagreement_deconvolution glad graded_response"
    ),
    "calibrators": (
        "AlphaCalibration DirichletPredictions LabelPosterior MatrixScaling PlattScaling TemperatureScaling VectorScaling "
        "dirichlet_multinomial_log_likelihood label_posterior load_calibrator"
    ),
    "certainty": "CaseCorrelation ExpectedCertainty annotation_certainty case_correlation committee expected_certainty expected_risk",
    "conformal": ("MonteCarloConformal PlausibilityRegions PredictionSets SetCoverage SplitConformal conformal_scores"),
    "discrepancy": (
        "AlternativeAnnotatorTest AlternativeRatios AnnotatorDiscrepancy AnnotatorRocPoints BestThreshold BlandAltman "
        "DiscrepancyRatio GroupedDiscrepancy IndividualEquivalence LimitsOfAgreement NonInferiority RelativeF1 ThresholdSweep "
        "alternative_annotator_test alternative_discrepancy_ratios annotator_discrepancy annotator_roc_points bland_altman "
        "discrepancy_ratio group_discrepancy individual_equivalence_index mean_pairwise_deviation relative_f1 "
        "stratified_discrepancy threshold_sweep"
    ),
    "discrepancy.perspectivist": "MultilabelMean PerspectivistScore multilabel_mean perspectivist_distance perspectivist_error_rate",
    "evaluation": "Evaluation evaluate",
    "grades": (
        "GradeCoefficient calibration_at_cuts ua_absolute_error ua_auroc_at_cuts ua_concordance ua_grade_wasserstein ua_kendall "
        "ua_ranked_probability_score ua_spearman ua_squared_error ua_weighted_kappa ua_within_accuracy"
    ),
    "histogram": (
        "CalibrationError DisagreementLosses HistogramLogLoss HistogramLosses HistogramScore LogLossPart PredictedDisagreement "
        "ReliabilityCurve disagreement_losses histogram_brier_score histogram_log_loss histogram_losses manhattan_distance "
        "predicted_disagreement ranked_probability_score symmetric_statistic wasserstein_distance"
    ),
    "plausibilities": "Certainty Dirichlet Draws Estimate Point",
    "plausibilities.normal": "NormalPosterior NormalPrior fit_normal_prior normal rating_certainty ua_rating_accuracy",
    "resampling": "ByAnnotators GroupNumber Resamples TwoWay bootstrap bootstrap_annotations bootstrap_statistic by_annotators two_way",
    "soft": (
        "HardAgainstSoft PrecisionRecallCurve RankingStability RocCurve ScoreOrder SoftScore hard_against_soft ranking_stability "
        "soft_auroc soft_average_precision soft_precision_recall_curve soft_roc_curve"
    ),
    "studies": (
        "AgainstReaders AnnotationPlan GlobalTest MarginClaim ReaderComponents ReaderDifference ReaderFigure ReaderPlan ReaderStudy "
        "Readings against_readers plan_annotations plan_reader_study reader_study"
    ),
    "studies.judges": "CorrectedDifference CorrectedMean JudgeAssessment Preferences Strengths assess_judges corrected_mean strengths",
}
_MODULES = ("dask", "io", "plots", "states", "synthetic")  # with names of their own
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted([*_HOME_OF, "__version__"])  # noqa: PLE0605  (a list)


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        found = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    elif name in _HOMES or name in _MODULES:
        found = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
