"""Reader studies, and planning: how many cases, labels, annotators and readers a study needs."""

from __future__ import annotations

from .annotation_plans import AnnotationPlan, plan_annotations
from .reader_plans import ReaderPlan, plan_reader_study
from .readings import Readings

__all__ = ["AnnotationPlan", "ReaderPlan", "Readings", "plan_annotations", "plan_reader_study"]
