"""Differences of grades, as an appendix: bias and limits of agreement between annotators, and between models and annotators."""

from __future__ import annotations

from .limits import APPENDIX as TITLE
from .limits import appendix as render

__all__ = ["TITLE", "render"]
