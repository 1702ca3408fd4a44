"""Performance and certainty by stratum: certainty of the truth, number of annotations, agreement of annotators, given subgroups."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._ragged import row_of
from ...annotations import Labels, Rankings
from .. import tables
from ._samples import Part, Samples, contributions, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

HEADINGS = {"strata": ("stratum", "level", "model", "metric", "value", "low", "high", "n_cases", "n_clusters", "few")}
METRICS = ("topk_accuracy", "voted_accuracy")
FEW_CASES, FEW_CLUSTERS = 20, 10  # below, no interval is shown
MOST_LEVELS = 50
NOT_STATED = "not stated"
CERTAINTY_EDGES = (0.5, 0.8, 0.99)
CERTAINTY_LEVELS = ("below 0.5", "0.5 to 0.8", "0.8 to 0.99", "0.99 or more")
AGREEMENT_LEVELS = ("unanimous", "majority", "no majority")
ROUNDING = 1e-12  # a certainty of 0.8 that is computed as a little less is 0.8
MOST_SIZES = 8  # numbers of annotations that are levels of their own; if there are more, levels double in size


class Stratum(NamedTuple):
    """A way to part the cases; ``code`` (n,) is the level of each, -1 for none."""

    name: str
    levels: Sequence[str]
    code: Ints


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """The table, a row for each level and number: certainty first, then the models."""
    notes: list[str] = []
    numbers, columns = _numbers(context)
    cells: list[tuple[str, str]] = []
    parts: list[Part] = []
    for stratum in _strata(context, notes) if columns else ():
        for level, name in enumerate(stratum.levels):
            rows = np.flatnonzero(stratum.code == level)
            if len(rows):
                cells.append((stratum.name, name))
                parts.append(Part.means(np.stack([column[rows] for column in columns], 1), rows))
    intervals = Samples.of(context).intervals(parts, notes, "strata") if parts else []
    clusters = None if context.clusters is None else np.unique(context.clusters, return_inverse=True)[1].reshape(-1)
    table: list[Row] = []
    for cell, part, ends in zip(cells, parts, intervals):
        table += [{"stratum": cell[0], "level": cell[1], **row} for row in _rows(numbers, part, ends, clusters)]
    if any(row["few"] for row in table):
        notes.append(f"Strata with fewer than {FEW_CASES} cases, or {FEW_CLUSTERS} clusters where there are clusters, have no intervals.")
    return {"strata": table}, notes


def _numbers(context: Context) -> tuple[list[tuple[str | None, str]], list[Array]]:
    """``(model, metric)`` of every number, and its contributions (n,)."""
    numbers: list[tuple[str | None, str]] = []
    columns: list[Array] = []
    certainty = _certainty(context)
    if certainty is not None:
        numbers.append((None, "certainty"))
        columns.append(certainty)
    for model in context.scores:
        for metric in METRICS:
            reliability = context.reliability if metric == "topk_accuracy" else None
            column = contributions(context, model, metric, reliability)
            if column is not None:
                numbers.append((model, metric))
                columns.append(column)
    return numbers, columns


def _certainty(context: Context) -> Array | None:
    return context.certainty.get(tables.number_name(context.reliability))


def _rows(numbers: list[tuple[str | None, str]], part: Part, ends: Array, clusters: Ints | None) -> Iterator[Row]:
    values = part.estimate()
    for j, (model, metric) in enumerate(numbers):
        here = part.rows[part.below[:, j] != 0]
        n_clusters = None if clusters is None else len(np.unique(clusters[here]))
        few = len(here) < FEW_CASES or (n_clusters is not None and n_clusters < FEW_CLUSTERS)
        low, high = (None, None) if few else (number(end) for end in ends[j])
        yield {
            "model": model, "metric": metric, "value": number(values[j]), "low": low, "high": high,
            "n_cases": len(here), "n_clusters": n_clusters, "few": few,
        }  # fmt: skip


def _strata(context: Context, notes: list[str]) -> Iterator[Stratum]:
    certainty = _certainty(context)
    if certainty is not None:
        yield _by_certainty(certainty)
    if isinstance(context.known, (Labels, Rankings)):
        yield _by_size(tables.annotations_per_case(context.known)[context.rows])
    if isinstance(context.known, Labels):
        yield _by_agreement(context.known, context.rows)
    taken = {"certainty", "annotations per case", "agreement"}
    for name, values in context.subgroups.items():
        yield _by_subgroup(f"{name} (given)" if name in taken else name, values, notes)


def _by_certainty(certainty: Array) -> Stratum:
    code = np.searchsorted(np.array(CERTAINTY_EDGES) - ROUNDING, certainty, side="right")
    return Stratum("certainty", CERTAINTY_LEVELS, np.where(np.isnan(certainty), -1, code))


def _by_size(sizes: Ints) -> Stratum:
    """Cases without annotations are in no level."""
    found = np.unique(sizes[sizes > 0])
    if len(found) <= MOST_SIZES:
        return Stratum("annotations per case", [str(size) for size in found], np.where(sizes > 0, np.searchsorted(found, sizes), -1))
    last = int(found[-1]).bit_length()
    names = ["1", "2", *(f"{2 ** (j - 1) + 1} to {2**j}" for j in range(2, last + 1))]
    # 1, 2, 3 to 4, 5 to 8, ...
    code = np.searchsorted(2 ** np.arange(len(names), dtype=np.int64), sizes)
    return Stratum("annotations per case", names, np.where(sizes > 0, code, -1))


def _by_agreement(known: Labels, rows: Ints) -> Stratum:
    """Of cases with two labels or more: all alike, more than half of them alike, or neither."""
    offsets, _, count = known.class_counts()
    case = row_of(offsets)
    total = np.bincount(case, count, known.n_cases)
    top = np.zeros(known.n_cases)
    np.maximum.at(top, case, count)
    code = np.where(top == total, 0, np.where(2 * top > total, 1, 2))
    return Stratum("agreement", AGREEMENT_LEVELS, np.where(total >= 2, code, -1)[rows])


def _by_subgroup(name: str, values: NDArray[Any], notes: list[str]) -> Stratum:
    """Levels as numbers where all are, else as text; those that are not stated last."""
    stated = np.where(np.asarray(values, str) == "", NOT_STATED, np.asarray(values, str))
    found, code, size = np.unique(stated, return_inverse=True, return_counts=True)
    kept = list(range(len(found)))
    if len(found) > MOST_LEVELS:
        kept = sorted(kept, key=lambda level: -int(size[level]))[:MOST_LEVELS]
        notes.append(f"Of the {len(found):,} levels of {name} the {MOST_LEVELS} with most cases are shown.")
    levels = _ordered([str(found[level]) for level in kept])
    place = {level: i for i, level in enumerate(levels)}
    new = np.array([place.get(str(level), -1) for level in found], np.int64)
    return Stratum(name, levels, new[code.reshape(-1)])


def _ordered(levels: list[str]) -> list[str]:
    stated = sorted(level for level in levels if level != NOT_STATED)
    with contextlib.suppress(ValueError):
        stated.sort(key=lambda level: (math.isnan(float(level)), float(level)))
    return [*stated, *(level for level in levels if level == NOT_STATED)]
