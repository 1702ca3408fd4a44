"""The sections of the report: each is a module that makes its tables, where it has any, and renders them.

``TABLES`` has the columns of its tables, ``make(context, notes)`` gives their rows and says to ``notes`` what a reader must know;
``render(source)`` makes HTML of an evaluation as plain values.
"""

from __future__ import annotations

from typing import Any

from . import (
    agreement,
    answer,
    assumptions,
    calibration,
    certainty,
    checklist,
    comparison,
    confusion,
    coverage,
    curves,
    data,
    dependence,
    design,
    difficulty,
    dispersion,
    humans,
    leads,
    measures,
    methods,
    notes,
    panel,
    people,
    performance,
    planning,
    provenance,
    sensitivity,
    sources,
    strata,
    true_accuracy,
    truth_models,
    worklist,
)

# In the order in which they are read, after the first page; the others are folded.
SECTIONS: tuple[Any, ...] = (measures, leads, people, difficulty, dependence, worklist, methods)
APPENDICES: tuple[Any, ...] = (
    provenance, data, design, assumptions, agreement, panel, certainty, performance, true_accuracy, truth_models, sources, curves,
    calibration, dispersion, coverage, humans, comparison, strata, confusion, sensitivity, planning, notes, checklist,
)  # fmt: skip
MAKERS: tuple[Any, ...] = tuple(section for section in (answer, *SECTIONS, *APPENDICES) if hasattr(section, "make"))
TABLES: dict[str, tuple[str, ...]] = {name: columns for section in MAKERS for name, columns in section.TABLES.items()}
# What every evaluation has; the others are its details.
ALWAYS = ("metrics", "certainty", "winners", "flips", "calibration", "reliability_bins", "agreement", "humans", "cases")
