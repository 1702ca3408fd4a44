"""The accuracy against the true class of grades as an appendix: errors of grades count by their size elsewhere."""

from __future__ import annotations

from .true_accuracy import appendix as render

__all__ = ["TITLE", "render"]

TITLE = "If there is a true grade"
