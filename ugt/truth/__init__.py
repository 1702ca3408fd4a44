"""From annotations to truth: aggregations of labels, rankings and ratings, the kinds of truth that they make, and how certain it is."""

from __future__ import annotations

from ..plausibilities import Certainty, Dirichlet, Draws, Point
from ..plausibilities import normal as of_ratings
from ..plausibilities.normal import NormalPosterior, NormalPrior, fit_normal_prior, normal, rating_certainty
from .aggregation import dirichlet, irn, prirn, votes
from .certainty import PARTS as OF_CERTAINTY
from .certainty import annotation_certainty, expected_risk
from .committees import ExpectedCertainty, committee, expected_certainty
from .correlation import CaseCorrelation, case_correlation
from .fitted_reliability import fit_reliability
from .label_prior import DirichletPrior, fit_dirichlet_prior
from .panel_check import PanelCheck, PanelParts, split_panel_check
from .plackett_luce_draws import plackett_luce, plackett_luce_diagnostics
from .plackett_luce_likelihood import plackett_luce_log_likelihood
from .point_estimates import plackett_luce_mle
from .predictive_reliability import fit_predictive_reliability
from .reliability_profile import FittedReliability
from .true_class import TrueClassStatements, true_class_statements
from .uncertainty import Settled, UncertaintyParts, uncertainty_parts

PARTS = {**OF_CERTAINTY, **of_ratings.PARTS}

__all__ = [
    "CaseCorrelation", "Certainty", "Dirichlet", "DirichletPrior", "Draws", "ExpectedCertainty", "FittedReliability", "NormalPosterior",
    "NormalPrior", "PanelCheck", "PanelParts", "Point", "Settled", "TrueClassStatements", "UncertaintyParts", "annotation_certainty",
    "case_correlation", "committee", "dirichlet", "expected_certainty", "expected_risk", "fit_dirichlet_prior", "fit_normal_prior",
    "fit_predictive_reliability", "fit_reliability", "irn", "normal", "plackett_luce", "plackett_luce_diagnostics",
    "plackett_luce_log_likelihood", "plackett_luce_mle", "prirn", "rating_certainty", "split_panel_check", "true_class_statements",
    "uncertainty_parts", "votes",
]  # fmt: skip
