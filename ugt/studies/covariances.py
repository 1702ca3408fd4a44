"""The covariances of the figures of readers over cases, and the designs of reader studies."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int64
from .._base.checks import error, room
from .._base.wording import arg
from ..resampling import Design, resample, seed_of
from . import pairs
from .figures import FigureOfMerit, ReadingCells, SoftAuroc

METHODS = ("delong", "jackknife", "unbiased", "uncentred", "bootstrap")
CROSSED, PARTIAL = "crossed", "partially paired"
IN_READERS, IN_TESTS, SPLIT = "cases nested in readers", "cases nested in tests", "readers nested in tests"
SOME_TESTS = "readers in some of the tests"
DESIGNS = (CROSSED, PARTIAL, IN_READERS, IN_TESTS, SPLIT, SOME_TESTS)


def design_of(read: Bools, wanted: Any, any_design: bool, names: Any) -> str:
    """Return the design of readings (T, R, N); ``any_design`` allows readers in some of the tests; ``names`` are of tests and readers."""
    there: Any = read.any(axis=2)
    if not there.all():
        partly = ~there.all(axis=0) & (there.sum(axis=0) > 1)
        if (there.any(axis=0).all() and not there.all(axis=0).any() and not partly.any()) and there.any(axis=1).all():
            found = SPLIT
        elif any_design:
            found = SOME_TESTS
        else:
            r = int(np.argmax(~there.all(axis=0)))
            name = identifiers.name(names[0][int(np.argmin(there[:, r]))])
            way = "or take " + arg("method", "u") + ", or leave readers out"
            must = "hold every reader in every test, or every reader in one test only"
            raise error("readings", must, f"reader {identifiers.name(names[1][r])} not in test {name}", way=way)
    elif (read.all(axis=(0, 1)) | ~read.any(axis=(0, 1))).all():
        found = CROSSED
    elif (read.any(axis=0).sum(axis=0) <= 1).all() and read.shape[1] > 1:
        found = IN_READERS
    elif (read.any(axis=1).sum(axis=0) <= 1).all() and read.shape[0] > 1:
        found = IN_TESTS
    else:
        found = PARTIAL
    if wanted is not None and wanted != found:
        must = f"be {found!r}, the design of the readings" if wanted in DESIGNS else f"be one of {', '.join(map(repr, DESIGNS))}"
        raise error("design", must, repr(wanted))
    return found


def covariance_of(
    figure: FigureOfMerit, cells: ReadingCells, method: str, unit: Int64, clustered: bool, n_resamples: int, seed: object
) -> tuple[Array, int]:
    """Return the covariances (G, G), and the number of resamples left out because a figure was undefined."""
    if method in ("delong", "unbiased", "uncentred"):
        if not isinstance(figure, SoftAuroc):
            raise error("covariance", "be 'jackknife' or 'bootstrap' for figures other than 'soft_auroc'", repr(method))
        if clustered:
            raise error("covariance", "be 'jackknife' or 'bootstrap' if cases are in clusters", repr(method))
    if method == "delong" and isinstance(figure, SoftAuroc):
        found = figure.influence(cells)
        return found @ found.T, 0
    if method in ("unbiased", "uncentred"):
        value = figure.values(cells)
        if method == "unbiased":
            return -pairs.of_cells(*cells, value).mean(), 0
        return np.outer(value, value) - pairs.of_cells(*cells, np.zeros(len(value))).mean(), 0
    if method == "jackknife":
        counted = figure.counting(cells)
        deviations = jackknifed(figure, cells, unit, counted)
        return (len(deviations) - 1) / len(deviations) * deviations.T @ deviations, 0
    return _bootstrapped(figure, cells, unit, clustered, n_resamples, seed_of(seed))


def jackknifed(figure: FigureOfMerit, cells: ReadingCells, unit: Int64, counted: Bools) -> Array:
    """Return the (U, G) figures without each unit of the cases that count, less their mean."""
    without = without_units_of(figure, cells, unit, counted)
    return np.asarray(without - without.mean(axis=0))


def without_units_of(figure: FigureOfMerit, cells: ReadingCells, unit: Int64, counted: Bools) -> Array:
    """Return the (U, G) figures without each unit of the cases that count."""
    if counted.all():
        return figure.without_each(cells, unit)
    some = ReadingCells(cells.x[:, counted], cells.read[:, counted], cells.p[counted])
    return figure.without_each(some, np.unique(unit[counted], return_inverse=True)[1].reshape(-1))


def _bootstrapped(figure: FigureOfMerit, cells: ReadingCells, unit: Int64, clustered: bool, n: int, seed: int) -> tuple[Array, int]:
    """Resample cases within positives and negatives if the truth is certain; otherwise, or with clusters, from all cases."""
    p = cells.p
    hard = bool(((p == 0) | (p == 1)).all()) and not clustered
    room(f"{n} resamples", 8.0 * n * len(cells.x))
    design = Design.of(len(p), unit, p.astype(np.int64) if hard else None)
    drawn = np.concatenate(resample(figure.statistics(cells), np.ones(len(p), bool), design, seed, n), axis=1)
    defined = ~np.isnan(drawn).any(axis=1)
    if defined.sum() < 2:
        return np.full((drawn.shape[1], drawn.shape[1]), np.nan), int((~defined).sum())
    return np.atleast_2d(np.cov(drawn[defined], rowvar=False)), int((~defined).sum())
