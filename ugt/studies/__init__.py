"""Reader studies, and planning: how many cases, labels, annotators and readers a study needs."""

from __future__ import annotations

from .annotation_plans import AnnotationPlan, plan_annotations
from .readings import Readings

__all__ = ["AnnotationPlan", "Readings", "plan_annotations"]
