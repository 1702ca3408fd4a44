"""Accuracy against the latent class: the class given which annotators err independently, or depend in a stated form."""

from __future__ import annotations

from .goodness import LatentCheck
from .judged import latent_accuracy
from .records import LatentAccuracy, LatentFit

__all__ = ["LatentAccuracy", "LatentCheck", "LatentFit", "latent_accuracy"]
