"""The tables of an evaluation beyond its metrics: who annotated what, each annotator as the truth, strata, curves, sensitivity.

Each module has ``HEADINGS``, the columns of its tables, and ``make``, which gives their rows and what is to be said about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import agreement, confusion, coverage, curves, design, differences, dispersion, sensitivity, sources, strata, truth_models

if TYPE_CHECKING:
    from .context import Context

MODULES: tuple[Any, ...] = (
    design,
    agreement,
    truth_models,
    sources,
    curves,
    dispersion,
    coverage,
    differences,
    strata,
    confusion,
    sensitivity,
)
HEADINGS: Mapping[str, tuple[str, ...]] = {name: columns for module in MODULES for name, columns in module.HEADINGS.items()}


def compute(context: Context) -> tuple[dict[str, tuple[Mapping[str, Any], ...]], list[str]]:
    """All tables, also those without rows, and notes."""
    tables: dict[str, tuple[Mapping[str, Any], ...]] = dict.fromkeys(HEADINGS, ())
    notes: list[str] = []
    for module in MODULES:
        rows, said = module.make(context)
        tables.update({name: tuple(found) for name, found in rows.items()})
        notes += said
    return tables, notes
