"""Metrics of predictions under an uncertain truth: expected agreement with a truth that is drawn from the posterior [A 2.4].

The first argument is the truth (plausibilities, or arrays (N, K) of certain ones, (N, draws, K) of draws); scores (N, K) come second.
"""

from __future__ import annotations

from ..plausibilities import Estimate
from ..plausibilities import normal as of_ratings
from ..plausibilities.normal import ua_rating_accuracy
from . import lists, reciprocal_rank
from .bounds import AccuracyBounds, accuracy_bounds
from .coverage import ua_coverage, ua_plausibility_mass
from .groups import ua_group_accuracy
from .latent import LatentAccuracy, LatentCheck, LatentFit, latent_accuracy
from .lists import ua_average_overlap, ua_kendall_distance, ua_overlap, ua_rank_biased_overlap, ua_set_accuracy, ua_topk_accuracy
from .next_annotator import NextAnnotatorAgreement, next_annotator_agreement
from .reciprocal_rank import ua_reciprocal_rank
from .true_class import TrueClassBounds

PARTS = {**lists.PARTS, **of_ratings.PARTS, **reciprocal_rank.PARTS}

__all__ = [
    "AccuracyBounds", "Estimate", "LatentAccuracy", "LatentCheck", "LatentFit", "NextAnnotatorAgreement", "TrueClassBounds",
    "accuracy_bounds", "latent_accuracy", "next_annotator_agreement", "ua_average_overlap", "ua_coverage", "ua_group_accuracy",
    "ua_kendall_distance", "ua_overlap", "ua_plausibility_mass", "ua_rank_biased_overlap", "ua_rating_accuracy", "ua_reciprocal_rank",
    "ua_set_accuracy", "ua_topk_accuracy",
]  # fmt: skip
