"""The agreement of models with the truth in settled and undecided cases, and in subgroups."""

from __future__ import annotations

from ..._base.counts import whole
from ...tables.names import TOP
from ...tables.rows import STRATA, defined
from ...tables.source import ReportSource
from ...tables.strata import StratumRow
from .. import subgroups
from ..digest import Digest, shown
from ..digits import Digits, is_flat
from ..markup import NONE, Section, finding, first_row, unique
from ..rows import TOO_FEW, below, plain_table
from .confusion import commonest

MOST = 4  # most models with columns
NOTHING_FOUND = "Results for parts of the cases"


def render(source: ReportSource) -> Section | None:
    """Return a table for each subgroup, and one by certainty; None if there are no strata."""
    digest, entries = Digest(source).of_choices, source.rows(StratumRow)
    kinds = unique(e.stratum for e in entries)
    wanted = [*(k for k in kinds if k not in STRATA), *(k for k in kinds if k == "certainty")]  # first the subgroups
    tables = {k: _table(digest, [e for e in entries if e.stratum == k], k) for k in wanted}
    if not any(tables.values()) or not digest.models:
        return None
    certain, compared = tables.pop("certainty", ""), subgroups.compared(digest)
    first, found = subgroups.heading(compared), _heading(digest, [e for e in entries if e.stratum == "certainty"])
    further = [f"<p>{found}.</p>"] if first and found != NOTHING_FOUND else []
    parts = *tables.values(), subgroups.table(digest, compared), *further, certain, commonest(source)
    return finding("difficulty", "Easy and hard cases", first or found, *parts)


def _table(digest: Digest, entries: list[StratumRow], stratum: str) -> str:
    metrics, drawn = unique(e.metric for e in entries if e.metric != "certainty"), digest.models[:MOST]
    metric = TOP if TOP in metrics else first_row(metrics)
    levels: dict[str, dict[tuple[str, str | None], StratumRow]] = {}
    for e in entries:
        levels.setdefault(e.level, {}).setdefault((e.metric, e.model), e)
    if metric is None or len(levels) < 2:
        return ""
    digits = Digits.of((e.low, e.high) for e in entries if e.metric == metric and e.model in drawn and not e.few)
    rows = []
    for level, own in levels.items():
        first = next(iter(own.values()))
        limit = first_row(e.value for e in own.values() if e.metric == "certainty")
        cells = [_cell(own.get((metric, m)), digits) for m in drawn]
        rows.append((shown(level), [whole(first.n_cases), *cells, (Digits(0) if first.few else digits).value(limit)]))
    name = "certainty of the truth" if stratum == "certainty" else shown(stratum)
    last, limited = ("mean certainty", "") if digest.misfit() else ("ceiling", "; ceiling: mean certainty")
    note = f"UA top-1 accuracy, %{digest.at_main}, {'' if digest.withheld else 'with '}{digest.intervals}{limited}"
    return plain_table(f"By {name}", note, [shown(stratum), "cases", *map(shown, drawn), last], rows)


def _cell(e: StratumRow | None, digits: Digits) -> str:
    if e is None or e.value is None:
        return NONE
    if e.few:
        return f'{Digits(0).value(e.value)}<span class="below">{TOO_FEW}</span>'
    return below(digits, e.value, e.low, e.high)


def _heading(digest: Digest, entries: list[StratumRow]) -> str:
    best = digest.models[0]
    own = [e for e in entries if (e.model, e.metric) == (best, TOP) and not e.few and not is_flat(defined(e.low), defined(e.high))]
    if len(own) < 2:
        return NOTHING_FOUND
    ends = own[0], own[-1]
    low, high = sorted(ends, key=lambda e: defined(e.value))
    zero = Digits(0)
    return (
        f"{shown(best)} agrees in {zero.percent(high.value)} of the cases of certainty {shown(high.level)}, in "
        f"{zero.percent(low.value)} of those {shown(low.level)}"
    )
