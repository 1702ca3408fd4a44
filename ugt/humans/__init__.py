"""Models beside annotators: how far a model is from them, and they from each other [C]. No truth is needed."""

from __future__ import annotations

from .alternative_annotator import AlternativeAnnotatorTest, alternative_annotator_test
from .forest import AnnotatorDiscrepancy, annotator_discrepancy
from .groups import GroupedDiscrepancy, group_discrepancy, stratified_discrepancy
from .limits_of_agreement import BlandAltman, LimitsOfAgreement, bland_altman
from .multilabel import MultilabelMean, multilabel_mean
from .non_inferiority import NonInferiority
from .pairwise import mean_pairwise_deviation
from .parts import PARTS as OF_DISTANCES
from .perspectivist import PARTS as OF_OWN_LABELS
from .perspectivist import PerspectivistScore, perspectivist_distance, perspectivist_error_rate
from .ratio import discrepancy_ratio
from .record import DiscrepancyRatio
from .roc_points import AnnotatorRocPoints, annotator_roc_points
from .threshold_sweep import BestThreshold, ThresholdSweep, threshold_sweep

PARTS = {**OF_DISTANCES, **OF_OWN_LABELS}

__all__ = [
    "AlternativeAnnotatorTest", "AnnotatorDiscrepancy", "AnnotatorRocPoints", "BestThreshold", "BlandAltman", "DiscrepancyRatio",
    "GroupedDiscrepancy", "LimitsOfAgreement", "MultilabelMean", "NonInferiority", "PerspectivistScore", "ThresholdSweep",
    "alternative_annotator_test", "annotator_discrepancy", "annotator_roc_points", "bland_altman", "discrepancy_ratio",
    "group_discrepancy", "mean_pairwise_deviation", "multilabel_mean", "perspectivist_distance", "perspectivist_error_rate",
    "stratified_discrepancy", "threshold_sweep",
]  # fmt: skip
