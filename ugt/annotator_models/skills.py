"""Posterior draws of Dawid–Skene: chains, and what comes out of them."""

from __future__ import annotations

import numpy as np

from .._base import identifiers, notices, parallel
from .._base.arrays import Array
from .._base.checks import room
from .._base.ragged import sizes_of
from ..plausibilities import diagnostics
from ..plausibilities.draws import DenseDraws, Draws, MentionedDraws
from .em import ALL, SEEN, Confusions
from .records import AnnotatorDraws, Cells, Given


def sample(
    given: Given,
    concentration: tuple[float, float, float],
    every_class: bool,
    classes: bool,
    schedule: tuple[int, int, int, int],
    seed: int,
) -> AnnotatorDraws:
    """Chains one beside the other; schedule: warm-up, draws in all, thinning, chains."""
    shape = Confusions(given, ALL if every_class else SEEN)
    n_warmup, n_draws, n_thin, n_chains = schedule
    spare = not every_class
    n_values = (shape.n_candidates + spare * given.axes.n_cases) * n_draws
    room(f"{n_draws} draws", 8 * (n_values + n_draws * (given.n_annotators + given.n_classes)))
    values = np.full(n_values, 0.0)
    accuracy, prevalence = np.empty((n_draws, given.n_annotators)), np.empty((n_draws, given.n_classes))
    stop, each = np.zeros(1, np.int32), n_draws // n_chains
    keys = given.axes.stream_keys, given.annotator_keys

    def chain(number: int, _: int) -> Array:
        mean = np.empty(shape.n_cells)
        plan = number, number * each, n_draws, n_warmup, each, n_thin
        shape.core.sample(concentration, *keys, seed, plan, spare, classes, stop, values, accuracy, prevalence, mean)
        return mean

    means = parallel.run(chain, n_chains, 1, "sampling", stop)
    total = means[0].copy()
    for mean in means[1:]:
        total += mean
    draws = _draws(given, shape, values, n_draws, n_chains)
    cells = Cells.of(given.n_annotators, shape.layout, total / n_chains, concentration[:2], means=True)
    return _record(given, draws, cells, accuracy, prevalence, n_chains)


def _draws(given: Given, shape: Confusions, values: Array, n_draws: int, n_chains: int) -> Draws:
    values.flags.writeable = False
    if not shape.all:
        return MentionedDraws(given.axes, shape.offsets, shape.index, values, n_draws, n_chains, "ignore", 1.0, 0)
    labelled = sizes_of(given.labels.offsets) > 0
    table = values.reshape(-1, n_draws, given.n_classes)
    if not labelled.all():
        known, table = table, np.full((given.axes.n_cases, n_draws, given.n_classes), np.nan)
        table[labelled] = known
    return DenseDraws(given.axes, table, n_chains)


def _record(given: Given, draws: Draws, cells: Cells, accuracy: Array, prevalence: Array, n_chains: int) -> AnnotatorDraws:
    series = np.ascontiguousarray(np.concatenate([accuracy, prevalence], axis=1).T).reshape(-1, n_chains, len(accuracy) // n_chains)
    found = diagnostics.diagnose(series)
    _warn(found, given)
    with np.errstate(invalid="ignore"):
        mean, sd = accuracy.mean(0), accuracy.std(0, ddof=1) if len(accuracy) > 1 else np.full(given.n_annotators, np.nan)
    common = given.labels.annotators, given.n_labels, mean, sd, prevalence.mean(0), given.left_out, cells
    return AnnotatorDraws("full", draws, *common, accuracy, prevalence, n_chains, found)


def _warn(found: diagnostics.Diagnostics, given: Given) -> None:
    short = found.falls_short(rhat=1.05, ess_per_chain=25.0)
    if short.any():
        worst = int(np.nanargmax(np.where(short, found.rhat, -np.inf)))
        n = given.n_annotators
        name = (
            f"the accuracy of annotator {identifiers.name(given.labels.annotators[worst])}"
            if worst < n
            else f"the prevalence of class {given.axes.class_name(worst - n)}"
        )
        notices.warn(
            f"chains have not mixed well in {int(short.sum())} of {len(short)} parameters (R-hat above 1.05 or fewer than 25 effective "
            f"draws a chain; worst R-hat {found.rhat[worst]:.3f}, {name}): take more draws or a longer warm-up, or a prior that tells "
            "classes apart (chains may hold different classes under one name)",
            stacklevel=5,
        )
