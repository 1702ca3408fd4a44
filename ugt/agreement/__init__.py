"""Agreement between annotators: percent, kappas, alpha, AC1, AC2 and intraclass correlations; labels may be missing."""

from __future__ import annotations

from . import coefficients
from .coefficients import *  # noqa: F403  (the functions of DECLARED)
from .counted_cases import CaseCounts, case_counts
from .groups import GroupAgreement, agreement_by_group
from .overviews import AgreementTable, PairwiseAgreement, agreement_table, pairwise_agreement
from .pair_parts import PARTS as PARTS
from .rankings import AgreementScore, annotator_average_overlap, leave_one_annotator_out, partial_average_overlap
from .record import Agreement
from .scales import intra_annotator_agreement, intraclass_correlation, krippendorff_alpha
from .strictness import AnnotatorStrictness, annotator_strictness

__all__ = [
    "Agreement", "AgreementScore", "AgreementTable", "AnnotatorStrictness", "CaseCounts", "GroupAgreement", "PairwiseAgreement",
    "agreement_by_group", "agreement_table", "annotator_average_overlap", "annotator_strictness", "case_counts",
    "intra_annotator_agreement", "intraclass_correlation", "krippendorff_alpha", "leave_one_annotator_out", "pairwise_agreement",
    "partial_average_overlap",
]  # fmt: skip
__all__ += coefficients.__all__
