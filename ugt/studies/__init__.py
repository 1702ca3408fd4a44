"""Studies: readers with and without a model, and how many cases, labels, annotators and readers a study needs."""

from __future__ import annotations

from .against import AgainstReaders, against_readers
from .annotation_plans import AnnotationPlan, plan_annotations
from .claims import ReaderVerdict
from .differences import MarginClaim, ReaderDifference, ReaderFigure
from .reader_plans import ReaderPlan, plan_reader_study
from .readings import Readings
from .record import GlobalTest, ReaderComponents, ReaderStudy
from .study import reader_study

__all__ = [
    "AgainstReaders", "AnnotationPlan", "GlobalTest", "MarginClaim", "ReaderComponents", "ReaderDifference", "ReaderFigure",
    "ReaderPlan", "ReaderStudy", "ReaderVerdict", "Readings", "against_readers", "plan_annotations", "plan_reader_study", "reader_study",
]  # fmt: skip
