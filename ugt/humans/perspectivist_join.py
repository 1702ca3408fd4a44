"""Predictions of labels joined with the labels, by the names of cases, annotators and classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Int64, NDArray
from .._base.checks import error
from .._base.names import alike, find
from .._base.ragged import row_of
from .._base.wording import arg

Annotations = Any  # Labels or Ratings


@dataclass(frozen=True)
class Joined:
    """The prediction ``row`` (R,) of each label, and the number of predictions that no label needs."""

    row: Int64
    n_unused: int


def case_ids_of(known: Annotations) -> NDArray[Any] | None:
    named = known.axes if hasattr(known, "axes") else known
    return None if named.numbered else np.asarray(named.case_ids)


def joined(known: Annotations, predicted: Annotations) -> Joined:
    """Return the prediction of each label by the names of its case and annotator."""
    for argument, given in (("labels", known), ("predicted", predicted)):
        if not len(given.annotators):
            must = "name their annotators, whose own labels are predicted (use Labels.from_long or Labels.from_wide)"
            raise error(argument, must, "counts of labels")
    numbered = [case_ids_of(given) is None for given in (known, predicted)]
    if numbered[0] != numbered[1]:
        named, other = ("labels", "predictions")[:: 1 - 2 * numbered[0]]
        raise error("cases", "have names in labels and in predictions, or in neither", f"names in {named}, none in {other}")
    ids: list[NDArray[Any]] = [(given.axes if hasattr(given, "axes") else given).case_ids for given in (known, predicted)]
    # the position of each case and annotator of the predictions among those of the labels
    case = positions("a case", ids[1], ids[0], np.unique(row_of(predicted.offsets)))[row_of(predicted.offsets)]
    who = positions("an annotator", predicted.annotators, known.annotators, np.unique(predicted.annotator))[predicted.annotator]
    n = len(known.annotators)
    wanted, given_pairs = row_of(known.offsets) * n + known.annotator, case.astype(np.int64) * n + who
    order = np.argsort(given_pairs, kind="stable")
    pairs = given_pairs[order]

    def place(pair: int) -> str:
        return f"case {identifiers.name(ids[0][pair // n])}, annotator {identifiers.name(known.annotators[pair % n])}"

    twice = pairs[1:] == pairs[:-1]
    if twice.any():
        raise error("predicted", "have one prediction per case and annotator", "two", place(int(pairs[1:][np.argmax(twice)])))
    at = np.minimum(np.searchsorted(pairs, wanted), max(len(pairs) - 1, 0))
    missing = pairs[at] != wanted if len(pairs) else np.ones(len(wanted), bool)
    if missing.any():
        must = "have a prediction for every label (add it, or leave this label out of the labels)"
        raise error("predicted", must, f"none for {int(missing.sum()):,} of {len(wanted):,}", place(int(wanted[np.argmax(missing)])))
    return Joined(order[at], len(pairs) - len(np.unique(wanted)))


def positions(what: str, names: NDArray[Any], known: NDArray[Any], used: NDArray[Any]) -> NDArray[Any]:
    """Return the position of each name among those of the labels; refuse unknown ones that are used."""
    at = find(known, names)
    unknown = used[at[used] < 0]
    if len(unknown):
        name = names[unknown[0]]
        all_classes = "name all classes with " + arg("classes", ...) + ", if the labels miss some"
        way = all_classes if what == "a class" else f"leave out other {what.split()[1]}s"
        hint = alike(name, known) or f" (the labels have {', '.join(map(identifiers.name, known[:5]))}{', …' * (len(known) > 5)})"
        raise error("predicted", f"have {what} of the labels", f"{identifiers.name(name)}{hint}", way=way)
    return at
