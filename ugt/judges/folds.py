"""A judge that is fitted to the labels: no case is scored by a fit that saw its label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int64
from .._base.checks import error, whole
from .._base.ragged import row_of
from .._tabular.rows import finite_numbers
from ..annotations import Ratings
from ..resampling import ids_of_cases, seed_of

FOLDS = 10
Fit = Callable[[Int64, Array], Any]


def scores_by_folds(labels: Ratings, fit: Fit, folds: object, seed: object) -> Array:
    """Return the (N,) scores of a judge that is fitted to the labels of all folds but one, for each fold in turn.

    A labelled case has the score of the fit without its fold, any other case the mean of all fits.
    """
    labelled = np.flatnonzero(np.diff(labels.offsets) > 0)
    if len(labelled) < 2:
        raise error("labels", "be of at least 2 cases", len(labelled))
    mean = (np.bincount(row_of(labels.offsets), labels.value, labels.n_cases)[labelled]) / np.diff(labels.offsets)[labelled]
    fold, n_folds = _folds(labels, labelled, folds, seed)
    total, own = np.zeros(labels.n_cases), np.empty(len(labelled))
    for k in range(n_folds):
        held = fold == k
        scores = _scores(fit(labelled[~held], mean[~held]), labels)
        own[held] = scores[labelled[held]]
        total += scores
    found = total / n_folds
    found[labelled] = own
    return found


def _folds(labels: Ratings, labelled: Int64, folds: object, seed: object) -> tuple[Int64, int]:
    """Return the fold of each labelled case, and the number of folds."""
    n = len(labelled)
    if folds is None or isinstance(folds, (int, np.integer)):
        n_folds = min(FOLDS, n) if folds is None else whole("folds", folds, 2, n)
        return np.random.default_rng(seed_of(seed)).permutation(n) % n_folds, n_folds
    given = ids_of_cases("folds", folds, labels.n_cases, labels.case_ids)
    column = identifiers.number("folds", given[labelled])
    if len(column.ids) < 2:
        raise error("folds", "name at least 2 folds of labelled cases", len(column.ids))
    return column.code.astype(np.int64), len(column.ids)


def _scores(given: object, labels: Ratings) -> Array:
    """Return the scores that a function gave, one for each case."""
    found = identifiers.unmasked(given)
    if found.shape != (labels.n_cases,):
        must = f"return a score for each of the {labels.n_cases} cases of labels, in their order (name all cases by cases=)"
        raise error("judge", must, f"shape {found.shape}")
    return finite_numbers("judge", found, lambda i: f"case {identifiers.name(labels.case_ids[i])}", nulls=True)
