"""Performance and certainty by stratum: certainty of the truth, number of annotations, agreement of annotators, given subgroups."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.notes import Note
from .._base.ragged import row_of
from .context import Made
from .rows import STRATA, Number, reliability_key, with_ends

if TYPE_CHECKING:
    from ..annotations import Labels
    from .context import Context


class StratumRow(NamedTuple):
    """A metric in the cases of one level of a stratum, in [0, 1]; model None: the certainty of the truth."""

    stratum: str
    level: str
    model: str | None
    metric: str
    value: Number
    low: Number
    high: Number
    n_cases: int
    n_clusters: int | None
    few: bool  # too few for an interval


TABLES = {"strata": StratumRow}
METRICS = {
    "certainty": "mean certainty of the truth",
    "topk_accuracy": "UA top-1 accuracy",
    "voted_accuracy": "top-1 accuracy against the voted label",
}
OF_MODELS = ("topk_accuracy", "voted_accuracy")  # the figure has the first that is available
FEW_CASES, FEW_CLUSTERS = 20, 3  # with fewer, no interval and no decimals are shown
MOST_LEVELS = 50
NOT_STATED = "not stated"
CERTAINTY_EDGES = (0.5, 0.8, 0.99)
CERTAINTY_LEVELS = ("below 0.5", "0.5 to 0.8", "0.8 to 0.99", "0.99 or more")
AGREEMENT_LEVELS = ("unanimous", "majority", "no majority")
ROUNDING = 1e-12  # a certainty of 0.8 may be computed as slightly less
MOST_SIZES = 8  # most numbers of annotations with their own level; if there are more, levels double in size


class Stratum(NamedTuple):
    """A division of the cases; ``code`` (n,) is the level of each case, -1 for none."""

    name: str
    levels: Sequence[str]
    code: Int64


def make(context: Context, notes: list[Note]) -> Made:
    """Return the table, one row per level and number: certainty first, then the models."""
    numbers, columns = _numbers_of(context)
    strata = list(_strata(context, notes)) if columns else []
    levels = [(one, level, np.flatnonzero(one.code == i)) for one in strata for i, level in enumerate(one.levels)]
    levels = [level for level in levels if len(level[2])]
    if not levels:
        return {}
    parts = ((rows, np.stack([column[rows] for column in columns], 1)) for *_, rows in levels)
    (found,) = yield [context.ask_parts(parts, "strata", notes)]
    ends, n_counted = context.intervals(found), [_counted(context, rows, column) for *_, rows in levels for column in columns]
    clusters = None if context.clusters is None else np.unique(context.clusters, return_inverse=True)[1].reshape(-1)
    table = []
    for i, (stratum, level, rows) in enumerate(levels):
        for j, (model, metric) in enumerate(numbers, i * len(numbers)):
            here = rows[~np.isnan(columns[j - i * len(numbers)][rows])]
            n_clusters = None if clusters is None else len(np.unique(clusters[here]))
            few = bool(n_counted[j] < FEW_CASES or (n_clusters is not None and n_clusters < FEW_CLUSTERS))
            value = with_ends(found.estimate[j], (None, None) if few else ends[j])
            table.append(StratumRow(stratum.name, level, model, metric, *value, n_counted[j], n_clusters, few))
    if any(row.few for row in table):
        words = "Strata with fewer than {cases} cases, or {clusters} clusters where there are clusters, have no intervals."
        notes.append(Note("no_intervals", words, cases=FEW_CASES, clusters=FEW_CLUSTERS))
    return {"strata": table}


def _counted(context: Context, rows: Int64, column: Array) -> int:
    """Return the number of cases of some rows that have a number in a column (n,)."""
    here = np.zeros(len(column), bool)
    here[rows] = ~np.isnan(column[rows])
    return context.number(here)


def _numbers_of(context: Context) -> tuple[list[tuple[str | None, str]], list[Array]]:
    """Return ``(model, metric)`` of every number, and its contributions (n,)."""
    found: list[tuple[tuple[str | None, str], Array | None]] = [((None, "certainty"), _certainty(context))]
    for model in context.scores:
        for metric in OF_MODELS:
            found.append(((model, metric), context.column(model, metric, context.reliability if metric == "topk_accuracy" else None)))
    return [name for name, column in found if column is not None], [column for _, column in found if column is not None]


def _certainty(context: Context) -> Array | None:
    return context.case_certainty.get(reliability_key(context.reliability))


def _strata(context: Context, notes: list[Note]) -> Iterator[Stratum]:
    known, certainty = context.known, _certainty(context)
    if certainty is not None:
        yield _by_certainty(certainty)
    if known.n_annotations is not None:
        yield _by_size(known.n_annotations[known.rows])
    if known.labels is not None:
        yield _by_agreement(known.labels)
    yield from given_strata(context, notes)


def given_strata(context: Context, notes: list[Note]) -> Iterator[Stratum]:
    """Yield the subgroups that were given."""
    for name, values in context.subgroups.items():
        yield _by_subgroup(f"{name} (given)" if name in STRATA else name, values, context.times, notes)


def _by_certainty(certainty: Array) -> Stratum:
    code = np.searchsorted(np.array(CERTAINTY_EDGES) - ROUNDING, certainty, side="right")
    return Stratum("certainty", CERTAINTY_LEVELS, np.where(np.isnan(certainty), -1, code))


def _by_size(sizes: Int64) -> Stratum:
    """Return the stratum of the number of annotations; cases without annotations are in no level."""
    found = np.unique(sizes[sizes > 0])
    if len(found) <= MOST_SIZES:
        return Stratum("annotations per case", [str(size) for size in found], np.where(sizes > 0, np.searchsorted(found, sizes), -1))
    last = int(found[-1]).bit_length()
    names = ["1", "2", *(f"{2 ** (j - 1) + 1} to {2**j}" for j in range(2, last + 1))]
    # 1, 2, 3 to 4, 5 to 8, ...
    code = np.searchsorted(2 ** np.arange(len(names), dtype=np.int64), sizes)
    return Stratum("annotations per case", names, np.where(sizes > 0, code, -1))


def _by_agreement(labels: Labels) -> Stratum:
    """Return the stratum of cases with two labels or more: all equal, more than half equal, or neither."""
    offsets, _, count = labels.class_counts()
    case = row_of(offsets)
    total = np.bincount(case, count, labels.n_cases)
    top = np.zeros(labels.n_cases)
    np.maximum.at(top, case, count)
    code = np.where(top == total, 0, np.where(2 * top > total, 1, 2))
    return Stratum("agreement", AGREEMENT_LEVELS, np.where(total >= 2, code, -1))


def _by_subgroup(name: str, values: NDArray[Any], times: Array | None, notes: list[Note]) -> Stratum:
    """Return a stratum with levels ordered as numbers if all are numbers, else as text; "not stated" is last."""
    stated = np.where(np.asarray(values, str) == "", NOT_STATED, np.asarray(values, str))
    found, code, size = np.unique(stated, return_inverse=True, return_counts=True)
    kept = list(range(len(found)))
    if len(found) > MOST_LEVELS:
        size = size if times is None else np.bincount(code.reshape(-1), times)
        kept = sorted(kept, key=lambda level: -int(size[level]))[:MOST_LEVELS]
        words = "Of the {n:,} levels of {name} the {shown} with most cases are shown."
        notes.append(Note("some_levels", words, n=len(found), name=name, shown=MOST_LEVELS))
    levels = _ordered([str(found[level]) for level in kept])
    place = {level: i for i, level in enumerate(levels)}
    new = np.array([place.get(str(level), -1) for level in found], np.int64)
    return Stratum(name, levels, new[code.reshape(-1)])


def _ordered(levels: list[str]) -> list[str]:
    stated = sorted(level for level in levels if level != NOT_STATED)
    with contextlib.suppress(ValueError):
        stated.sort(key=lambda level: (math.isnan(float(level)), float(level)))
    return [*stated, *(level for level in levels if level == NOT_STATED)]
