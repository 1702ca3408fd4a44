"""Judges, such as language models: means of their scores, corrected by labels of people; models ranked by preferences."""

from __future__ import annotations

from .assessment import JudgeAssessment, assess_judges
from .corrected_mean import CorrectedDifference, CorrectedMean, corrected_mean
from .preferences import Preferences
from .strengths import Strengths, strengths

__all__ = [
    "CorrectedDifference", "CorrectedMean", "JudgeAssessment", "Preferences", "Strengths", "assess_judges", "corrected_mean", "strengths",
]  # fmt: skip
