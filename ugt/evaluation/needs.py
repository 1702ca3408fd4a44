"""The memory that an evaluation needs for draws of the truth, resamples and tables of scores, checked before it starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import checks
from .._core import _plackett_luce as core
from ..annotations import Rankings, Ratings
from ..plausibilities import Plausibilities
from ..tables.context import MOST_CELLS, Options
from ..truth.by_name import Truths
from .work import metrics_wanted


def check_room(known: Any, truths: Truths, n_models: int, orders: list[int], options: Options, by_group: bool, details: bool) -> None:
    """Refuse an evaluation that would run out of memory after minutes of other work.

    Memory holds the first choices of all models, the mean plausibilities (for the further tables, ``details``, also the probabilities
    of the best class), and either the draws of one reliability or the resamples of all numbers. What the cases contribute to these is
    not counted: cases that are alike have it together. That of ratings, which have no classes, is small.

    Raises
    ------
    MemoryError
        If it needs more memory than there is; the message gives the lower bound and the largest part.
    """
    if isinstance(known, Ratings):
        return
    cells = known.n_cases * known.n_classes
    tables = 8.0 * cells * (n_models + (1 + details) * (cells <= MOST_CELLS))
    draws, resamples = _of_draws(known, truths, orders), _of_resamples(len(truths.makers), n_models, orders, options, by_group)
    parts = {
        f"choices of {n_models} models": tables,
        f"{truths.settings['parameters'].get('n_draws', 'given')} draws": draws,
        f"{options.n_resamples} resamples": resamples,
    }
    checks.room(f"the evaluation (most of it: {max(parts, key=lambda name: parts[name])})", tables + max(draws, resamples))


def _of_draws(known: Any, truths: Truths, orders: list[int]) -> float:
    """Return the bytes of the draws of one reliability and of the best classes of each draw."""
    if truths.settings["aggregation"] == "plackett-luce":
        if truths.settings["parameters"]["method"] != "gibbs":
            return 0.0  # weighted points are not kept
        n_draws = float(truths.settings["parameters"]["n_draws"])
        known = truths.known
        return n_draws * float(8.0 * (_mentioned(known) + known.n_cases) + 4.0 * known.n_cases * orders[-1])
    return known.bytes_to_order(orders[-1]) if isinstance(known, Plausibilities) else 0.0


def _mentioned(rankings: Rankings) -> int:
    """Return the number of mentioned classes, summed over cases."""
    arrays = rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items
    return int(core.Stages(*arrays, rankings.n_classes, True).n_mentioned())


def _of_resamples(n_truths: int, n_models: int, orders: list[int], options: Options, by_group: bool) -> float:
    """Return the bytes of the resampled numbers, of a sorted copy, and of the deviations over draws."""
    metrics = n_models * (len(orders) + n_truths * (len(metrics_wanted(orders)) + by_group))
    certainties = n_truths * (len(np.union1d([1], orders)) + by_group)
    return 8.0 * float(options.n_resamples) * (2 * (certainties + metrics) + metrics)
