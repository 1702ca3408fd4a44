"""The sections of the report: each renders tables, with a ``TITLE`` if it is an appendix.

``render(source)`` returns HTML from an evaluation as plain values, or None if there is nothing to show.
"""

from __future__ import annotations

from typing import Any

from . import (
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
    true_accuracy_of_grades,
    worklist,
)

# In the order of the page, after the first page; the others are folded.
SECTIONS: tuple[Any, ...] = (
    errors, measures, leads, coefficients, cuts, grade_errors, scores, people, strictness, limits, true_accuracy, difficulty, dependence,
    worklist, methods,
)  # fmt: skip
APPENDICES: tuple[Any, ...] = (
    performance, comparison, confusion, curves, calibration, coverage, limits_of_grades, true_accuracy_of_grades, assumptions, design,
    planning, data, notes, provenance,
)  # fmt: skip
