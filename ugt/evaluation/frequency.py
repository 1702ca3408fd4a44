"""Evaluations of rows that stand for several equal cases each: what they can be of, and what a reader must know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.checks import error
from .._base.counts import counted
from .._base.notes import Note
from .._base.wording import arg
from ..annotations import Labels
from ..plausibilities import Plausibilities
from ..plausibilities.frequent import FITTED, check_origin
from ..resampling.design import ROWS_OF_CASES, refuse_clusters
from ..resampling.frequencies import frequency_of
from ..tables import dispersion, errors, planning
from ..tables.makers import OF_GRADES, ONE_ROW_EACH
from ..truth import DirichletPrior

if TYPE_CHECKING:
    from .._base.arrays import Array
    from .study import TruthAsked

OF_EVERY = (ONE_ROW_EACH[errors], ONE_ROW_EACH[dispersion])  # what evaluations without further tables leave out, too
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
        raise error("prior", "be numbers with " + arg("frequency", ...) + FITTED, "a fitted prior")
    return frequency_of(frequency, given.n_cases, case_ids)


def stands_for(times: Array) -> Note:
    """Return the note on how many cases the rows stand for."""
    words = "{n_rows:,} rows stand for {n_cases:,} cases: a row with a frequency counts as so many equal cases."
    return Note("rows_of_many", words, n_rows=int(np.count_nonzero(times)), n_cases=int(times.sum()))


def left_out(ordered: bool, models: bool, details: bool) -> list[str]:
    """Return what an evaluation leaves out for rows that stand for many cases."""
    if not models:
        return [ONE_ROW_EACH[planning]] if details else []
    found = dict.fromkeys(what for maker, what in ONE_ROW_EACH.items() if ordered or maker not in OF_GRADES)
    return [what for what in found if details or what in OF_EVERY]


def notes(times: Array, left: Sequence[str], unchecked: bool) -> list[Note]:
    """Return what a row stands for, what is ``left`` out for such rows and, if so, that no other truth was tried."""
    found = [stands_for(times)]
    if left:
        kinds, verb = counted(len(left), "kind"), "was" if len(left) == 1 else "were"
        words = "{kinds} of results {verb} left out, because one row per case is needed: {what}."
        found.append(Note("not_for_rows", words, kinds=kinds, verb=verb, what="; ".join(left)))
    if unchecked:
        words = "Rows that stand for many cases have the default truth: no other truth was tried, as fits need one row per case."
        found.append(Note("truth_not_tried", words))
    return found
