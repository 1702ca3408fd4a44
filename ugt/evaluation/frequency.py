"""Evaluations of rows that stand for several equal cases each: what they can be of, and what a reader must know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.checks import error
from .._base.notes import Note
from .._base.wording import arg
from ..annotations import Labels
from ..plausibilities import Plausibilities
from ..plausibilities.frequent import NO_FIT, check_origin
from ..resampling.design import ROWS_OF_CASES, refuse_clusters
from ..resampling.frequencies import frequency_of
from ..tables.makers import OF_GRADES, ONE_ROW_EACH
from ..truth import DirichletPrior

if TYPE_CHECKING:
    from .._base.arrays import Array
    from .study import TruthAsked

MODELS = ("auto", "dirichlet", "prirn", "irn", "votes")  # whose truth of a row is that of each of its cases
KINDS = "be labels as counts, a Point or a Dirichlet posterior, with " + arg("frequency", ...)
OF_MODEL = "be one of " + ", ".join(map(repr, MODELS)) + ", with " + arg("frequency", ...) + ", which the other truth models do not take"


def read(frequency: object, given: Any, case_ids: Any, truth: TruthAsked, clusters: object) -> Array | None:
    """Return how many equal cases each row stands for; None if nothing was given. Refuse what a row with a frequency cannot have."""
    if frequency is None:
        return None
    if not isinstance(given, Labels) and not (isinstance(given, Plausibilities) and (given.is_certain or given.has_exact_parts)):
        raise error("annotations", KINDS, type(given).__name__, way=ROWS_OF_CASES)
    check_origin("annotations", given if isinstance(given, Labels) else given.made_of)
    refuse_clusters(clusters)
    if truth.aggregation not in MODELS:
        raise error("aggregation", OF_MODEL, repr(truth.aggregation), way=ROWS_OF_CASES)
    if isinstance(truth.making.prior, (str, DirichletPrior)):
        raise error("prior", NO_FIT["frequency"], "a fitted prior", way="give its numbers, as prior=fit.value")
    return frequency_of(frequency, given.n_cases, case_ids)


def notes(times: Array, ordered: bool, unchecked: bool) -> list[Note]:
    """Return what a row stands for, what is not computed for such rows and, if so, that no other truth was tried."""
    words = "{n_rows:,} rows stand for {n_cases:,} cases: a row with a frequency counts as so many equal cases."
    found = [Note("rows_of_many", words, n_rows=int(np.count_nonzero(times)), n_cases=int(times.sum()))]
    without = [what for maker, what in ONE_ROW_EACH.items() if ordered or maker not in OF_GRADES]
    left = "{n} kinds of results were left out, because they need one row per case: {what}."
    found.append(Note("not_for_rows", left, n=len(dict.fromkeys(without)), what="; ".join(dict.fromkeys(without))))
    if unchecked:
        words = "Rows that stand for many cases have the default truth: no other truth was tried, as fits need one row per case."
        found.append(Note("truth_not_tried", words))
    return found
