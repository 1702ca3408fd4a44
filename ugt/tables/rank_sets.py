"""Ranks of the models in the headline measures that the data leave open, for these annotators and for others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.notes import Note
from ..resampling.difference import Difference
from ..resampling.ranks import PairSpread, Separated, separated, spread_of_pair
from ..resampling.two_way_spreads import design_if_named
from .comparison import HEADLINES, highest
from .names import higher_is_better
from .rows import Number

if TYPE_CHECKING:
    from ..resampling import Statistic
    from .context import Context


class RankRow(NamedTuple):
    """The ranks of a model, from 1 (best), that the data leave open: all rows of a measure hold together."""

    metric: str
    k: int | None
    reliability: Number
    model: str
    value: float
    rank_low: int | None  # with other cases and these annotators
    rank_high: int | None
    others_low: int | None  # with other cases and other annotators
    others_high: int | None
    n_models: int


TABLES = {"rank_sets": RankRow}
LEAST = 3  # two models have a verdict
DRAWS = 4000


def make(context: Context, notes: list[Note]) -> dict[str, list[RankRow]]:
    """Rank sets of up to ten models with the best values, under the middle reliability and against the voted label."""
    rows: list[RankRow] = []
    for metric in HEADLINES:
        keys = [key for key in context.heads if key[0] == metric and key[2] in (None, context.reliability)]
        heads = {model: context.heads[key] for key in keys for model in [key[1]] if model in highest(context)}
        if len(heads) >= LEAST and all(np.isfinite(one.estimate[0]) for one in heads.values()):
            rows += _rows(context, metric, keys[0][2], heads)
    return {"rank_sets": rows}


def _rows(context: Context, metric: str, reliability: Number, heads: dict[str, Statistic]) -> list[RankRow]:
    values = np.array([float(one.estimate[0]) for one in heads.values()])
    first = next(iter(heads.values()))
    if design_if_named(first, context.clusters) is None:
        return []
    sign = 1.0 if higher_is_better(metric) else -1.0
    both = "annotators" in context.options.random
    with notices.heard():
        alone = _ranks(context, list(heads.values()), values, sign, False)
        others = _ranks(context, list(heads.values()), values, sign, True) if both else None
    key = metric, None if metric.endswith("error") else 1, reliability
    rows = [RankRow(*key, model, float(values[i]), *_set(alone, i), *_set(others, i), len(heads)) for i, model in enumerate(heads)]
    return sorted(rows, key=lambda row: -sign * row.value)


def _ranks(context: Context, given: Sequence[Any], values: Any, sign: float, both: bool) -> Separated | None:
    """Return what is separated; None if a pair has no interval."""
    spreads: list[PairSpread] = []
    for one, other in combinations(given, 2):
        found = spread_of_pair(Difference(one, other), context.clusters, both)
        if isinstance(found, str):
            return None
        spreads.append(found)
    return separated(sign * values, spreads, context.options.level, DRAWS, context.making.seed, sign)


def _set(found: Separated | None, i: int) -> tuple[int | None, int | None]:
    return (None, None) if found is None else (int(found.ranks[0][i]), int(found.ranks[1][i]))
