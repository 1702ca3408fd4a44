"""The sections of the report: each is a module that makes its tables, where it has any, and renders them.

``TABLES`` has the columns of its tables, ``make(context, notes)`` gives their rows and says to ``notes`` what a reader must know;
``render(source)`` makes HTML of an evaluation as plain values.
"""

from __future__ import annotations

from typing import Any

from . import (
    agreement,
    assumptions,
    calibration,
    certainty,
    checklist,
    comparison,
    confusion,
    coverage,
    curves,
    data,
    design,
    dispersion,
    humans,
    notes,
    panel,
    performance,
    planning,
    provenance,
    sensitivity,
    sources,
    strata,
    summary,
    true_accuracy,
    truth_models,
    worklist,
)

# In the order in which they are read; the table of contents has the names of the parts.
PARTS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("Result", (summary,)),
    ("What came in", (provenance, data, design)),
    ("The truth", (assumptions, agreement, panel, certainty)),
    ("How good the models are", (performance, true_accuracy, truth_models, sources, curves, calibration, dispersion, coverage)),
    ("Against each other and people", (humans, comparison)),
    ("Where they are good", (strata, confusion)),
    ("Cases", (worklist,)),
    ("How far to trust it", (sensitivity, planning, notes, checklist)),
)
MAKERS: tuple[Any, ...] = tuple(section for _, sections in PARTS for section in sections if hasattr(section, "make"))
TABLES: dict[str, tuple[str, ...]] = {name: columns for section in MAKERS for name, columns in section.TABLES.items()}
# What every evaluation has; the others are its details.
ALWAYS = ("metrics", "certainty", "winners", "flips", "calibration", "reliability_bins", "agreement", "humans", "cases")
