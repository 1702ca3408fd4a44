"""All makers of tables, in the order of their tables."""

from __future__ import annotations

from typing import Any

from . import (
    agreement,
    answer,
    calibration,
    coefficients,
    comparison,
    confusion,
    coverage,
    curves,
    cuts,
    design,
    dispersion,
    errors,
    grade_errors,
    humans,
    latent_class,
    limits,
    panel,
    performance,
    planning,
    rank_sets,
    rated_cases,
    rating_agreement,
    sensitivity,
    sources,
    strata,
    strictness,
    subgroups,
    true_accuracy,
    truth_models,
    uncertainty,
    worklist,
)  # fmt: skip

MAKERS: tuple[Any, ...] = (
    answer, errors, coefficients, cuts, grade_errors, strictness, limits, uncertainty, worklist, performance, comparison, rank_sets,
    confusion, curves, calibration, coverage, true_accuracy, latent_class, design, planning, agreement, panel, truth_models, sources,
    dispersion, humans, strata, subgroups, sensitivity,
)  # fmt: skip
TABLES: dict[str, Any] = {name: kind for maker in (*MAKERS, rated_cases) for name, kind in maker.TABLES.items()}  # name -> kind of its rows
OF_GRADES: tuple[Any, ...] = (errors, coefficients, cuts, grade_errors)
# What is left out of evaluations of rows that stand for several equal cases, in words for a note.
ONE_ROW_EACH: dict[Any, str] = {
    **dict.fromkeys(OF_GRADES, "measures of grades"),
    coverage: "prediction sets",
    dispersion: "predicted disagreement of annotators",
    planning: "precision of larger studies",
}
# Those that take longest are begun first, so that threads end at about the same time.
LONGEST: tuple[Any, ...] = (true_accuracy, coverage, sources, panel, humans, agreement, sensitivity)
# Of ratings on a real scale, which have no classes.
OF_RATINGS: tuple[Any, ...] = (answer, errors, performance, comparison, rank_sets, rated_cases, rating_agreement, strictness, limits)
# What every evaluation has; the others are its details.
ALWAYS = (
    "metrics", "certainty", "winners", "flips", "calibration", "reliability_bins", "agreement", "humans", "cases", "differences", "verdict",
    "uncertainty",
)  # fmt: skip
