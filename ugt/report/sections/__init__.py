"""The sections of the report: each is a module that makes its tables, if it has any, and renders them.

``TABLES`` has the columns of its tables, ``make(context, notes)`` returns their rows and adds to ``notes`` what a reader must know;
``render(source)`` returns HTML from an evaluation as plain values, or None if there is nothing to show.
"""

from __future__ import annotations

from typing import Any

from ...tables import dispersion, humans, panel, rated_cases, rating_agreement, sensitivity, sources, strata, truth_models
from . import (
    agreement,
    answer,
    assumptions,
    calibration,
    coefficients,
    comparison,
    confusion,
    coverage,
    curves,
    cuts,
    data,
    dependence,
    design,
    difficulty,
    errors,
    grade_errors,
    leads,
    limits,
    limits_of_grades,
    measures,
    methods,
    notes,
    people,
    performance,
    planning,
    provenance,
    scores,
    strictness,
    true_accuracy,
    worklist,
)

# In the order of the page, after the first page; the others are folded.
SECTIONS: tuple[Any, ...] = (
    errors, measures, leads, coefficients, cuts, grade_errors, scores, people, strictness, limits, difficulty, dependence, worklist,
    methods,
)  # fmt: skip
APPENDICES: tuple[Any, ...] = (
    performance, comparison, confusion, curves, calibration, coverage, true_accuracy, limits_of_grades, assumptions, design, planning,
    data, notes, provenance,
)  # fmt: skip
# Tables that only the CSV files have.
UNSHOWN: tuple[Any, ...] = (agreement, panel, truth_models, sources, dispersion, humans, strata, sensitivity)
MAKERS: tuple[Any, ...] = tuple(section for section in (answer, *SECTIONS, *APPENDICES, *UNSHOWN) if hasattr(section, "make"))
TABLES: dict[str, tuple[str, ...]] = {name: columns for section in MAKERS for name, columns in section.TABLES.items()}
# Those that take longest are begun first, so that threads end at about the same time.
LONGEST: tuple[Any, ...] = (coverage, sources, panel, humans, agreement, sensitivity)
# Of ratings on a real scale, which have no classes.
OF_RATINGS: tuple[Any, ...] = (answer, errors, performance, comparison, rated_cases, rating_agreement, strictness, limits)
# What every evaluation has; the others are its details.
ALWAYS = ("metrics", "certainty", "winners", "flips", "calibration", "reliability_bins", "agreement", "humans", "cases", "differences")
