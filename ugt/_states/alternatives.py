"""Other ways to compare a model with annotators, from sums over cases: for comparison with published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ids
from .._checks import error, option
from .._discrepancy.alternatives import PrimeSums, as_models, between_pairs, double_prime_parts, f1_of
from .._discrepancy.groups import _majority
from .._discrepancy.input import MISSING, Compared, only, read
from .._discrepancy.record import AGREE
from .._discrepancy.sums import Sums, mean
from .._ragged import row_of
from ..annotations import Labels
from .annotators import Same, compared_of, options_of, over, settings_of, sparse_rows
from .kind import Answer, Kind, plain
from .part import Part, Rows, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Bools = NDArray[np.bool_]

OPTIONS: dict[str, dict[str, Any]] = {
    "alternative_discrepancy_ratios": {"distance": "squared", "values": None, "missing": "error", "annotators": None},
    "relative_f1": {"held_out": None, "missing": "error", "annotators": None},
}
ALL, COUNTED, ALPHA, MU, INSIDE, BELOW, ABOVE = range(7)  # columns of the cases
_NONE = np.empty(0, np.int64)
NO_MAJORITY = "case without a majority class"


class Alternatives(Kind):
    """Sums for each annotator and pair of annotators; hits of the model and of annotators for each class."""

    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """Of annotations and predictions; ``annotators=`` are all ids, unless all are in the data of every part."""
        annotations, predictions = data
        chosen = options_of(metric, options, OPTIONS[metric])
        make = _f1_part if metric == "relative_f1" else _ratios_part
        return make(annotations, predictions, chosen)

    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """With the numbers of the function's own record by their names; the value of the ratios is Δ."""
        return (_f1 if metric == "relative_f1" else _ratios)(settings, sums)

    def groups(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Array:
        """Cases of each annotator and pair, or of each class and annotator who is held out."""
        if metric == "relative_f1":
            votes = sums["hits"][:, 2]
            return np.concatenate([votes[0], votes[1:].sum(axis=1)])
        return np.concatenate([sums["to model"][0], sums["pairs"][0].ravel()])


# ---- Δ' and Δ'' ----


def _ratios_part(annotations: Any, predictions: Any, options: dict[str, Any]) -> Part:
    compared, same = compared_of(annotations, {"model": predictions}, options, "for averages over annotators")
    held, distance, values = compared.annotations, options["distance"], options["values"]
    sums, predicted = Sums.of(compared), compared.predicted[0]
    counted = sums.counted(predicted)
    above, below = double_prime_parts(held, read(predictions, held, distance, values, options["missing"]), distance, values)
    inside = ~np.isnan(above)
    halves = [(counted, np.ones(len(counted))), (counted, sums.alpha), (counted, sums.mu[0])]
    halves += [(inside, np.ones(len(counted))), (inside, below), (inside, above)]
    cases = np.stack([np.ones(len(counted)), *(np.where(kept, one, 0.0) for kept, one in halves)], axis=1)
    rows = {"to model": _to_model(compared, same), "pairs": _pairs(compared, same, distance, values)}
    settings = settings_of(options, same)
    return Part(settings, len(cases), int(counted.sum()), sums.left_out(predicted), {"cases": cases}, rows, case_ids=ids_of(held))


def _to_model(compared: Compared, same: Same) -> Rows:
    """(3, A) entries, those with a prediction, and their distances to it."""
    found, a = compared.distances, same.n
    case, who, to_model = row_of(found.offsets), same.at[found.annotator], found.to_model[0]
    seen = ~np.isnan(to_model)
    index = [who, a + who[seen], 2 * a + who[seen]]
    amount = [np.ones(len(who)), np.ones(int(seen.sum())), to_model[seen]]
    return sparse_rows(
        np.concatenate([case, case[seen], case[seen]]), np.concatenate(index), np.concatenate(amount), compared.n_cases, (3, a)
    )


def _pairs(compared: Compared, same: Same, distance: Any, values: Any) -> Rows:
    """(2, A, A) cases that two annotators share, and the distances between them."""
    found, a = compared.distances, same.n
    every, case, index, amount = row_of(found.offsets), [_NONE], [_NONE], [_NONE.astype(np.float64)]
    for j, kept, to_j in between_pairs(compared, distance, values):
        at = int(same.at[j]) * a + same.at[found.annotator[kept]].astype(np.int64)
        case += [every[kept], every[kept]]
        index += [at, a * a + at]
        amount += [np.ones(len(at)), to_j]
    return sparse_rows(np.concatenate(case), np.concatenate(index), np.concatenate(amount), compared.n_cases, (2, a, a))


def _ratios(settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
    cases = sums["cases"]
    value = over(over(cases[:, MU], cases[:, COUNTED]), over(cases[:, ALPHA], cases[:, COUNTED]))
    double = over(over(cases[:, ABOVE], cases[:, INSIDE]), over(cases[:, BELOW], cases[:, INSIDE]))
    prime = np.array([PrimeSums(n, *of, *pairs).values() for n, of, pairs in zip(cases[:, ALL], sums["to model"], sums["pairs"])])
    n, alpha = cases[0, COUNTED], cases[0, ALPHA]
    reason = "no case is left" if n == 0 else AGREE.format(int(n)) if alpha == 0 else None
    return Answer(value, {"prime": prime[:, 0], "prime_printed": prime[:, 1], "double_prime": double}, reason)


# ---- relative F1 ----


def _f1_part(annotations: Any, predictions: Any, options: dict[str, Any]) -> Part:
    """Of Labels, which know all classes and who gave them."""
    option("missing", options["missing"], MISSING)
    if not isinstance(annotations, Labels):
        raise error("annotations", "be Labels, in parts: none of them need hold all classes", type(annotations).__name__)
    if annotations.offsets[-1]:
        Compared(annotations, None, (), None).known("so that some can be held out")  # type: ignore[arg-type]
    same = Same.of(annotations.annotators, options["annotators"], bool(annotations.offsets[-1]))
    held_out = _held_out(options["held_out"], same)
    vote, judges = _judges(annotations, read(predictions, annotations, "zero-one", None, options["missing"]), held_out, same)
    known = vote >= 0
    settings = {"missing": options["missing"], "annotators": same.names, "classes": plain(annotations.axes.classes)}
    settings["held_out"] = [same.names[j] for j in held_out]
    left_out = {NO_MAJORITY: int((~known).sum())} if not known.all() else {}
    columns = {"cases": known[:, None].astype(np.float64)}
    rows = {"hits": _hits(judges, vote, annotations.n_classes)}
    return Part(settings, len(vote), int(known.sum()), left_out, columns, rows, case_ids=ids_of(annotations))


def _judges(labels: Labels, model: Any, held_out: list[int], same: Same) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """(N,) the vote of the others, and what the model and each annotator who is held out chose; -1 for nothing."""
    if model.ndim != 1:
        raise error("predictions", "be one class a case", f"{model.ndim} dimensions")
    at = np.full(same.n, -1)
    at[same.at] = np.arange(len(same.at))
    columns = at[held_out]  # of the data, -1 for those who are not there
    vote = _majority(only(labels, ~np.isin(np.arange(len(same.at)), columns)), "drop")[1]
    nobody = np.full(labels.n_cases, -1)
    return vote, [model, *(nobody if j < 0 else next(as_models(labels, j), nobody) for j in columns.tolist())]


def _held_out(given: Any, same: Same) -> list[int]:
    """Positions among all annotators, ascending."""
    names = _ids.distinct("held_out", given)
    at = _ids.lookup(np.array(same.names), names)
    if (at < 0).any():
        raise error("held_out", "name annotators", _ids.name(names[int(np.argmax(at < 0))]))
    if not 0 < len(at) < same.n:
        raise error("held_out", "leave annotators on both sides", f"{len(at)} of {same.n}")
    return [int(j) for j in np.sort(at)]


def _hits(judges: list[NDArray[Any]], vote: NDArray[Any], k: int) -> Rows:
    """(J, 3, K) of each judge and class: hits, times that they chose it, times that the vote is it."""
    case, index = [], []
    for j, column in enumerate(judges):
        known = np.flatnonzero((column >= 0) & (vote >= 0))
        right = known[column[known] == vote[known]]
        for row, (rows, chosen) in enumerate(((right, vote), (known, column), (known, vote))):
            case.append(rows)
            index.append((3 * j + row) * k + chosen[rows].astype(np.int64))
    cases = np.concatenate(case)
    return sparse_rows(cases, np.concatenate(index), np.ones(len(cases)), len(vote), (len(judges), 3, k))


def _f1(settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
    each = np.array([[f1_of(right, chosen + true) for right, chosen, true in judges] for judges in sums["hits"]])
    model, annotators = each[:, 0], np.array([mean(row) for row in each[:, 1:]])
    reason = "no case has a majority class" if sums["cases"][0, 0] == 0 else "no annotator is held out in such a case"
    return Answer(model - annotators, {"model": model, "annotators": annotators}, reason if np.isnan(model[0] - annotators[0]) else None)


KIND = Alternatives()
