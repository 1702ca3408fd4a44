"""Calibration: losses and distances against label histograms, without the bias of few labels, and calibrators fitted to them [B]."""

from __future__ import annotations

from .alpha import AlphaCalibration, DirichletPredictions
from .calibrators import MatrixScaling, PlattScaling, TemperatureScaling, VectorScaling, load_calibrator
from .disagreement import DisagreementLosses, disagreement_losses
from .errors import CalibrationError
from .histograms import PARTS as PARTS
from .histograms import histogram_losses
from .log_parts import LogLossPart
from .losses import HistogramLosses
from .pairs_of_labels import PredictedDisagreement, predicted_disagreement, symmetric_statistic
from .posteriors import LabelPosterior, dirichlet_multinomial_log_likelihood, label_posterior
from .reliability import ReliabilityCurve
from .scores import (
    HistogramLogLoss,
    HistogramScore,
    histogram_brier_score,
    histogram_log_loss,
    manhattan_distance,
    ranked_probability_score,
    wasserstein_distance,
)

__all__ = [
    "AlphaCalibration", "CalibrationError", "DirichletPredictions", "DisagreementLosses", "HistogramLogLoss", "HistogramLosses",
    "HistogramScore", "LabelPosterior", "LogLossPart", "MatrixScaling", "PlattScaling", "PredictedDisagreement", "ReliabilityCurve",
    "TemperatureScaling", "VectorScaling", "dirichlet_multinomial_log_likelihood", "disagreement_losses", "histogram_brier_score",
    "histogram_log_loss", "histogram_losses", "label_posterior", "load_calibrator", "manhattan_distance", "predicted_disagreement",
    "ranked_probability_score", "symmetric_statistic", "wasserstein_distance",
]  # fmt: skip
