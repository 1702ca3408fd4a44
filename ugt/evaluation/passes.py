"""The tables of all makers; what several makers ask for is resampled in one pass over common resamples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import notices, parallel
from .._base.arrays import Array, NDArray
from .._base.notes import Note
from ..resampling import Design, Resamples, Results, resample, resamples_of
from ..tables.makers import ALWAYS, LONGEST, MAKERS, ONE_ROW_EACH, TABLES
from ..tables.rows import ResultTable

if TYPE_CHECKING:
    from ..resampling import Statistic
    from ..tables.context import Ask, Context

# cases x makers of a pass: what the makers ask for is in memory at the same time, unless the context has it
ROOM = 2 * 10**6
Begun = tuple[Any, Any, list[Note]]  # the steps of a maker and what it asks for, or None and its rows; and warnings


def tables_of(context: Context, makers: Iterable[Any] = MAKERS) -> tuple[dict[str, ResultTable], list[Note]]:
    """Return all tables of the evaluation, including those without rows, and the makers' notes."""
    wanted = [one for one in makers if context.details or any(name in ALWAYS for name in one.TABLES)]
    idle = () if context.times is None else tuple(ONE_ROW_EACH)
    notes: dict[Any, list[Note]] = {one: [] for one in wanted}
    found: dict[Any, Any] = {}
    waiting: dict[Any, tuple[Any, list[Ask]]] = {}

    def begin(at: int, _: int, some: Sequence[Any]) -> Begun:
        one = some[at]
        if one in idle:
            return None, {}, []
        with notices.heard() as said:  # threads have lists of their own
            steps = one.make(context, notes[one])
            if isinstance(steps, dict):
                return None, steps, said
            try:
                return steps, next(steps), said
            except StopIteration as end:
                return None, end.value, said

    def begin_all(some: Sequence[Any]) -> None:
        for one, (steps, given, said) in zip(some, parallel.run(partial(begin, some=some), len(some), 1, "tables")):
            for text in said:
                notices.warn(text)
            if steps is None:
                found[one] = given
            else:
                waiting[one] = steps, given

    def finish() -> None:
        asked = [ask for _, asks in waiting.values() for ask in asks]
        answers = iter(resampled(asked, context.clusters, context.making.seed, context.times))
        while waiting:
            one = next(iter(waiting))
            steps, asks = waiting.pop(one)
            try:
                steps.send([next(answers) for _ in asks])
            except StopIteration as end:
                found[one] = end.value

    together = max(1, ROOM // max(1, context.n_cases))
    ordered = sorted(wanted, key=lambda one: LONGEST.index(one) if one in LONGEST else len(LONGEST))
    for at in range(0, len(wanted), together):
        begin_all(ordered[at : at + together])
        held = {id(one) for one in context.measures} if waiting else ()
        if sum(any(id(ask.what) not in held for ask in asks) for _, asks in waiting.values()) >= together:
            finish()
    finish()
    tables = {}
    for name, maker in _owners(wanted, context.details).items():
        rows = found[maker].get(name, ())
        tables[name] = rows if isinstance(rows, ResultTable) else ResultTable.of(maker.TABLES[name], rows)
    if context.known.n_classes == 0:  # ratings have no rows in tables of classes
        tables = {**{name: ResultTable.of(TABLES[name], ()) for name in ALWAYS}, **tables}
    return tables, [note for one in wanted for note in notes[one]]


def _check_times(statistics: Sequence[Statistic], times: Array | None) -> None:
    """Check that every statistic counts its cases as often as they occur, so that no table can leave frequencies out."""
    for one in statistics:
        assert one.times is times or (one.times is not None and times is not None and np.array_equal(one.times, times))


def _owners(makers: Sequence[Any], details: bool) -> dict[str, Any]:
    """Return the maker of each table: first the tables of every evaluation, then the further ones."""
    found = {name: maker for maker in makers for name in maker.TABLES}
    always = {name: found.pop(name) for name in ALWAYS if name in found}
    return {**always, **found} if details else always


def resampled(asks: Sequence[Ask], clusters: NDArray[Any] | None, seed: int, times: Array | None = None) -> list[Resamples]:
    """Return the resamples that each asked for; statistics of the same cases have the same resamples, from one pass.

    ``times`` (n,): how many equal cases each case stands for, as all statistics must have it.
    """
    statistics = [ask.what.statistic if isinstance(ask.what, Results) else ask.what for ask in asks]
    _check_times(statistics, times)
    kept = [one.kept if ask.kept is None else ask.kept for ask, one in zip(asks, statistics)]
    passes: dict[bytes, list[int]] = {}
    for i, cases in enumerate(kept):
        passes.setdefault(np.packbits(cases).tobytes(), []).append(i)
    sources = ("cases",) if clusters is None else ("clusters",)
    found: dict[int, Resamples] = {}
    for members in passes.values():
        here = kept[members[0]]
        if not here.any():  # no number is defined
            found.update((i, Resamples(statistics[i].estimate, np.full((asks[i].n, len(statistics[i].names)), np.nan))) for i in members)
            continue
        own_clusters, own_times = (None if one is None else one[here] for one in (clusters, times))
        design = Design.of(int(here.sum()), own_clusters, None, own_times)
        distinct = list({(id(statistics[i]), asks[i].n): i for i in members}.values())
        values = resample([statistics[i] for i in distinct], here, design, seed, [asks[i].n for i in distinct])
        of = {(id(statistics[i]), asks[i].n): one for i, one in zip(distinct, values)}
        for i in members:
            ask, own = asks[i], of[id(statistics[i]), asks[i].n]
            if isinstance(ask.what, Results):
                found[i] = ask.what.resamples_of(own, design, sources)
            else:
                found[i] = resamples_of(ask.what, own, here, design, sources)
    return [found[i] for i in range(len(asks))]
