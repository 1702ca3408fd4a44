"""Tables that set models beside annotators: discrepancy ratios of both [C]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _notices
from .._coefficients.rows import agreement_table
from .._ragged import row_of, take
from ..agreement import annotator_average_overlap, leave_one_annotator_out
from ..annotations import Labels, Rankings
from ..discrepancy import AnnotatorDiscrepancy, annotator_discrepancy, discrepancy_ratio
from ..results import mean_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Row = dict[str, Any]

MOST_ANNOTATORS = 40  # judged one by one: those with most cases
LEAST_CASES = 10
MOST_CELLS = 10**8


def of_models(
    known: Any, scores: Mapping[str, Array], present: NDArray[np.bool_], clusters: Any, options: Mapping[str, Any], seed: int
) -> tuple[list[Row], list[str]]:
    """Rows of models and annotators, and what is to be said; none where it is not known who said what."""
    if not isinstance(known, Labels) or not scores or len(known.annotators) < 2:
        return [], []
    if known.n_cases * known.n_classes > MOST_CELLS:
        return [], [f"Models were not compared with annotators: over {MOST_CELLS:,} cases x classes."]
    labels = known if present.all() else _taken(known, np.flatnonzero(present))
    choices = {name: first_choice(table[present]) for name, table in scores.items()}
    least = max(LEAST_CASES, _cases_of_the_nth(labels))
    with _notices.heard():  # what is undefined is empty in the table
        found = annotator_discrepancy(
            labels,
            predictions=choices,
            distance="zero-one",
            min_cases=least,
            clusters=clusters,
            level=options["level"],
            kind=options["interval"],
            n_resamples=options["n_resamples"],
            seed=seed,
        )
        limits = {name: _limit(labels, table, clusters, options, seed) for name, table in choices.items()}
    notes = []
    if found.too_few:
        notes.append(
            f"{len(found.too_few):,} annotators were not set beside the models one by one: fewer than {least} cases with two others."
        )
    return _rows(found, limits), notes


def agreement(known: Any, present: NDArray[np.bool_], clusters: Any, options: Mapping[str, Any], seed: int) -> list[Row]:
    """Rows of agreement coefficients among annotators."""
    if isinstance(known, Rankings):
        return of_rankings(known, present, clusters, options, seed)
    if not isinstance(known, Labels) or not (np.bincount(row_of(known.offsets), known.count, known.n_cases)[present] > 1).any():
        return []
    labels = known if present.all() else _taken(known, np.flatnonzero(present))
    resampling = {"clusters": clusters, "n_resamples": options["n_resamples"], "seed": seed}
    return agreement_table(labels, level=options["level"], kind=options["interval"], **resampling).rows()


def of_rankings(rankings: Rankings, present: NDArray[np.bool_], clusters: Any, options: Mapping[str, Any], seed: int) -> list[Row]:
    """Agreement of rankings, which have no coefficients corrected for chance; none where no case has two of them."""
    depth = min(3, rankings.n_classes)
    with _notices.heard():  # what is undefined has no row
        found = {
            "annotator ranked the first class of the others": leave_one_annotator_out(rankings),
            f"average overlap of pairs at {depth}": annotator_average_overlap(rankings, depth),
        }
    rows: list[Row] = []
    for name, whole in found.items():
        per_case = whole.per_case[present]
        value, n_cases = mean_of(per_case)
        if n_cases == 0:
            return []
        one = replace(whole, value=value, per_case=per_case, n_cases=n_cases)
        ends = one.interval(options["level"], kind=options["interval"], clusters=clusters, n_resamples=options["n_resamples"], seed=seed)
        low, high = map(_number, ends)
        numbers = {"value": one.value, "low": low, "high": high, "std_error": None, "observed": None, "expected": None}
        rows.append(
            {"coefficient": name, **numbers, "n_cases": one.n_cases, "n_annotators": len(rankings.annotators) or None, "reason": None}
        )
    return rows


def first_choice(scores: Array) -> Array:
    """(N, K) 1 for the class with the highest score, in equal shares where several have it."""
    top = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(top / top.sum(axis=1, keepdims=True))


def _cases_of_the_nth(labels: Labels) -> int:
    cases = np.sort(np.bincount(labels.annotator, minlength=len(labels.annotators)))[::-1]
    return int(cases[MOST_ANNOTATORS - 1]) if len(cases) > MOST_ANNOTATORS else 0


def _taken(labels: Labels, rows: NDArray[np.int64]) -> Labels:
    offsets, at = take(labels.offsets, rows)
    return Labels(labels.axes.take(rows), labels.annotators, offsets, labels.annotator[at], labels.label[at], labels.count[at])


def _limit(labels: Labels, choices: Array, clusters: Any, options: Mapping[str, Any], seed: int) -> float:
    """One-sided upper limit of a model's ratio, by the bootstrap-t: percentiles are too low there."""
    found = discrepancy_ratio(labels, choices, distance="zero-one", clusters=clusters, n_resamples=options["n_resamples"], seed=seed)
    return found.non_inferiority(0.0, level=max(options["level"], 0.51)).limit


def _rows(found: AnnotatorDiscrepancy, limits: Mapping[str, float]) -> list[Row]:
    """``kind, name, value, low, high, upper, n_cases, p_best`` of models, and ``p_better`` by model of annotators."""
    rows: list[Row] = []
    for row in found.table():
        better = {name: _number(value) for name, value in row["p_better"].items()}
        shown = {key: _number(row[key]) for key in ("value", "low", "high")}
        own: Row = {"upper": None, "p_best": None}
        if row["kind"] == "model":
            m = found.models.index(row["name"])
            own = {"upper": _number(limits[row["name"]]), "p_best": _number(found.p_best[m])}
        rows.append({"kind": row["kind"], "name": row["name"], **shown, **own, "n_cases": row["n_cases"], "p_better": better})
    return rows


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
