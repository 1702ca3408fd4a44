"""Reader studies, and planning: how many cases, labels, annotators and readers a study needs."""

from __future__ import annotations

from .readings import Readings

__all__ = ["Readings"]
