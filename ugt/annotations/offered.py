"""A sign that rankings are preferences among classes that were offered, instead of among all."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.notices import note
from . import Rankings

LEAST_RANKINGS, LEAST_CLASSES = 20, 4  # with fewer, rankings of two are common by chance


def note_pairs(known: Any) -> None:
    """Note if every ranking has exactly two classes, one behind the other: other classes are read as behind both."""
    if not isinstance(known, Rankings) or known.n_classes < LEAST_CLASSES or len(known.annotator) < LEAST_RANKINGS:
        return
    if (np.diff(known.ranking_offsets) == 2).all() and (np.diff(known.block_offsets) == 1).all():
        note(
            f"Every ranking has 2 of {known.n_classes} classes, and the other {known.n_classes - 2} are read as behind both. If annotators "
            "were offered only these two, use ugt.Preferences and ugt.strengths."
        )
