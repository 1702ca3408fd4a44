"""The sections of the report: each is a module that makes its tables, if it has any, and renders them.

``TABLES`` has the columns of its tables, ``make(context, notes)`` returns their rows and adds to ``notes`` what a reader must know;
``render(source)`` returns HTML from an evaluation as plain values, or None if there is nothing to show.
"""

from __future__ import annotations

from typing import Any

from . import (
    agreement,
    answer,
    assumptions,
    calibration,
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
    scores,
    sensitivity,
    sources,
    strata,
    true_accuracy,
    truth_models,
    worklist,
)

# In the order of the page, after the first page; the others are folded.
SECTIONS: tuple[Any, ...] = (measures, leads, scores, people, difficulty, dependence, worklist, methods)
APPENDICES: tuple[Any, ...] = (
    performance, comparison, confusion, curves, calibration, coverage, true_accuracy, assumptions, design, planning, data, notes,
    provenance,
)  # fmt: skip
# Tables that only the CSV files have.
UNSHOWN: tuple[Any, ...] = (agreement, panel, truth_models, sources, dispersion, humans, strata, sensitivity)
MAKERS: tuple[Any, ...] = tuple(section for section in (answer, *SECTIONS, *APPENDICES, *UNSHOWN) if hasattr(section, "make"))
TABLES: dict[str, tuple[str, ...]] = {name: columns for section in MAKERS for name, columns in section.TABLES.items()}
# What every evaluation has; the others are its details.
ALWAYS = ("metrics", "certainty", "winners", "flips", "calibration", "reliability_bins", "agreement", "humans", "cases", "differences")
