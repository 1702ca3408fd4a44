"""Shares of resamples in which models are closer than annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array
from .._base.records import short
from ..resampling import over
from ..resampling.student import TIE

if TYPE_CHECKING:
    from ..resampling import Resamples


class ResampleShares(NamedTuple):
    """The shares of resamples in which models are closer than annotators; made by :meth:`AnnotatorDiscrepancy.resample_shares`.

    Attributes
    ----------
    better_share, better_share_same_cases : (M, A) arrays
        Share in which a model's Δ is below that of an annotator; ties count half. The second compares on the ``same_cases``.
    best_share, best_share_same_cases : (M,) arrays
        Share in which a model's Δ is below the lowest of all annotators in that resample; below every annotator's on their cases.
    """

    better_share: Array
    better_share_same_cases: Array
    best_share: Array
    best_share_same_cases: Array

    def __repr__(self) -> str:
        return short(self)

    @classmethod
    def of(cls, found: Resamples, m: int) -> ResampleShares:
        """Return the shares from resamples of m models, followed by the annotators and the models on the same cases."""
        values, a = found.values, (len(found) - m) // (1 + m)
        models, own, same = values[:, :m, None], values[:, None, m : m + a], values[:, m + a :].reshape(len(values), m, a)
        best = np.fmin.reduce(own, axis=2, initial=np.nan)
        beaten = np.fmin.reduce(on_same := _below(same, own), axis=2, initial=np.nan)  # 1: below all of them
        all_beaten = np.where(np.isnan(beaten), np.nan, beaten == 1)
        return cls(_mean(_below(models, own)), _mean(on_same), _mean(_below(models[..., 0], best)), _mean(all_beaten))


def _below(first: Array, second: Array) -> Array:
    """Return 1 if the first is smaller, 0.5 if both are equal up to rounding, else 0; NaN if one is undefined."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(first - second)
        tied = (np.isfinite(gap) & (gap <= TIE * np.maximum(np.abs(first), np.abs(second)))) | (first == second)
        return np.where(np.isnan(first) | np.isnan(second), np.nan, np.where(tied, 0.5, first < second))


def _mean(table: Array) -> Array:
    """Return the mean over the resamples (first axis) in which the value is defined."""
    return over(np.nansum(table, axis=0), (~np.isnan(table)).sum(axis=0))


# ---- the statistic ----
