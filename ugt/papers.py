"""Single papers: what reproduces them, and hardly serves anything else."""

from __future__ import annotations

from . import humans, metrics
from .humans.alternatives import AlternativeRatios, alternative_discrepancy_ratios
from .humans.held_out import RelativeF1, relative_f1
from .humans.record import IndividualEquivalence, individual_equivalence_index
from .metrics.lists import ua_footrule_distance, ua_ndcg, ua_weighted_kendall_distance
from .truth.point_estimates import plackett_luce_map

PARTS = {**humans.PARTS, **metrics.PARTS}

__all__ = [
    "AlternativeRatios", "IndividualEquivalence", "RelativeF1", "alternative_discrepancy_ratios", "individual_equivalence_index",
    "plackett_luce_map", "relative_f1", "ua_footrule_distance", "ua_ndcg", "ua_weighted_kendall_distance",
]  # fmt: skip
