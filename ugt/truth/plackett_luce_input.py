"""What Plackett–Luce models read: rankings with their reliabilities, priors, and the stages of each case."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int32, Int64
from .._base.ragged import offsets_of
from .._core import _plackett_luce as core
from ..annotations import Labels, Rankings
from .reliabilities import reliability_of

LEAST_TEMPERING = 0.01
UNRANKED = ("individual", "lump", "ignore")


def as_rankings(annotations: object) -> Rankings:
    """Return rankings unchanged, and labels as rankings of one class; reject other values."""
    if isinstance(annotations, Rankings):
        return annotations
    if not isinstance(annotations, Labels):
        raise TypeError(
            f"rankings must be Rankings or Labels. Got {type(annotations).__name__}: use Rankings.from_blocks or another constructor."
        )
    checks.room("one ranking per label", 16 * annotations.count.sum(dtype=np.float64))
    case_ends = np.concatenate([[0], np.cumsum(annotations.count)])[annotations.offsets]
    one_each = np.arange(case_ends[-1] + 1, dtype=np.int64)
    annotator = np.repeat(annotations.annotator, annotations.count)
    items = np.repeat(annotations.label, annotations.count)
    return Rankings(annotations.axes, annotations.annotators, case_ends.astype(np.int64), one_each, one_each, items, annotator)


def prior_of(prior_shape: object, prior_mass: object, n_classes: int) -> float:
    """Return the prior shape of a single class, given directly or as the total mass (default 1) of all classes."""
    if prior_shape is not None and prior_mass is not None:
        raise checks.error("prior_mass", "be left out if prior_shape is given", prior_mass)
    if prior_shape is not None:
        return checks.scalar("prior_shape", prior_shape, positive=True)
    shape = checks.scalar("prior_mass", 1.0 if prior_mass is None else prior_mass, positive=True) / n_classes
    if shape == 0:
        raise checks.error("prior_mass", "give each class a shape above 0", repr(prior_mass))
    return shape


def tempering_of(tempering: object) -> float:
    """Return the exponent of plausibilities; reject one for which powers of doubles overflow or lose precision."""
    value = checks.scalar("tempering", tempering, positive=True)
    if not LEAST_TEMPERING <= value <= 1 / LEAST_TEMPERING:
        raise checks.error("tempering", f"be from {LEAST_TEMPERING} to {1 / LEAST_TEMPERING:g}", repr(tempering))
    return value


def arrays_of(rankings: Rankings) -> tuple[Int64, Int64, Int64, Int32]:
    return rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items


def weighted_rankings(annotations: Any, reliability: Any) -> tuple[Rankings, float, Array | None]:
    """Return ``(rankings, γ, weights)``: the common reliability, or that of each ranking."""
    rankings = as_rankings(annotations)
    gamma, weights = reliability_of(reliability, annotations)
    if weights is not None and isinstance(annotations, Labels):
        weights = np.repeat(weights, annotations.count)
    return rankings, gamma, weights


def with_all_classes(rankings: Rankings, weights: Array | None) -> tuple[Rankings, Array | None]:
    """Return the rankings with one more in each case in which all classes are tied: uninformative, but it mentions each class."""
    n, k, r = rankings.n_cases, rankings.n_classes, rankings
    checks.room("all classes of all cases", 4.0 * n * k)
    ends, n_blocks = r.case_offsets[1:], np.diff(r.ranking_offsets)
    n_blocks = np.insert(n_blocks, ends, 1)
    at = r.ranking_offsets[ends]
    sizes, items = (
        np.insert(np.diff(r.block_offsets), at, k),
        np.insert(r.items, np.repeat(r.block_offsets[at], k), np.tile(np.arange(k), n)),
    )
    offsets = r.case_offsets + np.arange(n + 1), offsets_of(n_blocks), offsets_of(sizes)
    found = Rankings(r.axes, r.annotators, *offsets, items.astype(np.int32), np.insert(r.annotator, ends, -1))
    return found, None if weights is None else np.insert(weights, ends, 1.0)


def stages_of(rankings: Rankings, rest: bool, weights: Array | None = None) -> core.Stages:
    return core.Stages(*arrays_of(rankings), rankings.n_classes, rest, weights)


def classes_of(stages: core.Stages) -> tuple[Int64, Int32]:
    """Return ``(offsets, index)`` of the mentioned classes of each case."""
    offsets, index = np.empty(stages.n_cases + 1, np.int64), np.empty(stages.n_mentioned(), np.int32)
    stages.classes(offsets, index)
    return offsets, index
