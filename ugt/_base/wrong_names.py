"""What is said of a name that ``ugt`` does not have: where its namespaces or other libraries have it."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

# Names of other libraries and of textbooks, for what is here. The page docs/coming-from.md says what differs.
FOREIGN = {
    "accuracy": "ua_topk_accuracy", "accuracy_score": "ua_topk_accuracy", "top_k_accuracy_score": "ua_topk_accuracy",
    "alpha": "krippendorff_alpha", "ac1": "agreement.gwet_ac1", "gwet": "agreement.gwet_ac1", "pi": "agreement.scott_pi",
    "auc": "soft_auroc", "auroc": "soft_auroc", "roc_auc": "soft_auroc", "roc_auc_score": "soft_auroc",
    "average_precision": "soft_average_precision", "average_precision_score": "soft_average_precision",
    "roc_curve": "soft.soft_roc_curve", "precision_recall_curve": "soft.soft_precision_recall_curve",
    "kappa": "cohen_kappa, fleiss_kappa", "cohens_kappa": "cohen_kappa", "cohen_kappa_score": "cohen_kappa",
    "weighted_kappa": "cohen_kappa (weights=), ugt.grades.ua_weighted_kappa", "fleiss": "fleiss_kappa",
    "icc": "agreement.intraclass_correlation", "intraclass_corr": "agreement.intraclass_correlation",
    "agreement_rate": "agreement.percent_agreement", "inter_annotator_agreement": "agreement_table",
    "majority": "votes", "majority_vote": "votes", "MajorityVote": "votes", "vote": "votes", "soft_labels": "votes (kind='mean')",
    "DawidSkene": "dawid_skene", "GLAD": "annotators.glad", "ordinal": "annotators.graded_response",
    "bradley_terry": "judges.strengths", "BradleyTerry": "judges.strengths", "elo": "judges.strengths",
    "inverse_rank": "irn", "average_overlap": "ua_average_overlap", "rbo": "metrics.ua_rank_biased_overlap",
    "mrr": "metrics.ua_reciprocal_rank", "mean_reciprocal_rank": "metrics.ua_reciprocal_rank",
    "ndcg": "papers.ua_ndcg", "kendall": "metrics.ua_kendall_distance, ugt.grades.ua_kendall", "spearman": "grades.ua_spearman",
    "rps": "calibration.ranked_probability_score", "crps": "calibration.ranked_probability_score",
    "brier": "calibration.histogram_brier_score", "brier_score": "calibration.histogram_brier_score",
    "brier_score_loss": "calibration.histogram_brier_score", "log_loss": "calibration.histogram_log_loss",
    "cross_entropy": "calibration.histogram_log_loss", "ece": "histogram_losses", "calibration_error": "histogram_losses",
    "calibration_curve": "histogram_losses", "reliability_diagram": "plots.reliability_diagram",
    "temperature_scaling": "calibration.TemperatureScaling", "emd": "calibration.wasserstein_distance",
    "conformal_prediction": "conformal.SplitConformal", "prediction_sets": "conformal.SplitConformal",
    "mrmc": "reader_study", "obuchowski_rockette": "reader_study", "non_inferiority": "reader_study",
    "sample_size": "plan_annotations, ugt.studies.plan_reader_study", "power": "plan_annotations, ugt.studies.plan_reader_study",
    "ppi": "corrected_mean", "prediction_powered_inference": "corrected_mean", "llm_judge": "judges.assess_judges",
    "limits_of_agreement": "humans.bland_altman", "alt_test": "humans.alternative_annotator_test",
    "confidence_interval": "bootstrap", "bootstrap_ci": "bootstrap", "jackknife": "resampling.bootstrap_statistic",
    "read_csv": "read_annotations", "load": "read_annotations",
}  # fmt: skip
WITHOUT_PACKAGES = {"dask"}  # namespaces that need a package which may be absent


def places() -> dict[str, str]:
    """Return where each public name is, below ``ugt``; it imports all namespaces."""
    package = import_module("ugt")
    spaces = [space for space in package._NAMESPACES if space not in WITHOUT_PACKAGES]
    found = {name: f"{space}.{name}" for space in reversed(spaces) for name in import_module(f"ugt.{space}").__all__}
    return {**found, **{name: name for name in package.__all__}}


def answer(name: str) -> str:
    """Return the message for a name that is not on top, with the right one if it is known or near."""
    said = f"module 'ugt' has no attribute {name!r}"
    if name.startswith("_"):
        return said
    known = {**places(), **FOREIGN}
    near = [name] if name in known else get_close_matches(name, known, 1)
    return said + "".join(f": see ugt.{known[one]}" for one in near)
