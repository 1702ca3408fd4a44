"""The results of the models: every metric under each truth, with intervals and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._base.notes import Note
from ..resampling.two_ways import containing
from .context import Made
from .rows import Number, both, defined
from .standings import FlipRow, MetricRow, WinnerRow, both_ends, flips, standings

if TYPE_CHECKING:
    from .context import Context


class CertaintyRow(NamedTuple):
    """The mean certainty of one order under one truth, in [0, 1]."""

    reliability: Number
    measure: str
    k: int
    value: Number  # None or NaN if undefined
    case_low: Number = None  # interval over cases, or clusters of them
    case_high: Number = None
    mc_error: float = 0.0  # Monte Carlo standard error
    n_below_099: int = 0  # cases whose certainty is below 0.99
    n_cases: int = 0


TABLES = {"metrics": MetricRow, "certainty": CertaintyRow, "winners": WinnerRow, "flips": FlipRow}


def _with_ends(row: MetricRow, low: Number, high: Number) -> MetricRow:
    """Return a row with its interval over cases, which the one for other annotators, too, contains."""
    row = row._replace(case_low=low, case_high=high)
    if None in (low, high, row.two_way_low, row.two_way_high):
        return row
    ends = containing((defined(row.two_way_low), defined(row.two_way_high)), (defined(low), defined(high)))
    return row._replace(two_way_low=ends[0], two_way_high=ends[1])


def make(context: Context, notes: list[Note]) -> Made:
    """Return intervals of certainties and metrics over cases, alone and together with draws; ranks, leads and flips."""
    if not context.asked:  # ratings without models
        return {}
    found = context.beside((yield context.asked))
    options, n = context.options, len(context.certainty)
    ends = [both(one) for one in context.intervals(found).tolist()]
    certainty = [row._replace(case_low=low, case_high=high) for row, (low, high) in zip(context.certainty, ends)]
    of_metrics = found.take(slice(n, None))
    with_draws = [
        both(both_ends(values + deviation, options.level)) if deviation.any() else alone
        for values, deviation, alone in zip(of_metrics.values.T, context.deviations, ends[n:])
    ]
    rows = [_with_ends(row, *alone) for row, alone in zip(context.all_metrics, ends[n:])]
    rows[: len(with_draws)] = [row._replace(both_low=low, both_high=high) for row, (low, high) in zip(rows, with_draws)]
    winners, rows = standings(rows, of_metrics, options.level)
    return {
        "metrics": rows,
        "certainty": sorted(certainty, key=lambda row: (row.reliability or 0.0, row.measure, row.k)),
        "winners": winners,
        "flips": flips(rows, of_metrics, options.level),
    }
