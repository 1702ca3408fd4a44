"""How files were read, as values and as lines: for ``ugt check``, and for the first lines of every command that reads files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .. import io
from .._base import identifiers
from .._base.grades import order_said, scale_said
from .._base.names import alike, listed
from .._base.notes import Note
from .._base.ragged import sizes_of
from ..annotations import Labels, Predictions, Ratings, probabilities
from ..annotations.given import columns_note, position_note
from ..annotations.probabilities import is_probability, not_probabilities, rounded_note
from ..io.beside import CaseFile, PredictionFile
from .wording import worded_note

# A description of each format of annotations.
LAYOUTS = {
    "wide": "one row per case, one column per annotator",
    "transposed": "one row per annotator, one column per case",
    "counts": "numbers of labels, one column per class",
    "label studio": "an export of Label Studio",
    "prodigy": "an export of Prodigy",
    "preflib": "orders of PrefLib",
}
ROWS = {"value": "rating", "rank": "ranked class", "confidence": "ranked class", "ranking": "ranking", "label": "label"}
# A description of predictions that are no scores by class, by the role of their last column.
LAST = {"label": "predicted labels", "probability": "one column of probabilities", "number": "one column of numbers"}
LAST["model"] = "one column per model"
MOST = 8  # names in a line


def counted(n: int, what: str) -> str:
    """Return a number with its noun: ``1 case``, ``2 classes``."""
    return f"{n:,} {what}{'' if n == 1 else 'es' if what.endswith('s') else 's'}"


def some(names: Iterable[Any]) -> str:
    """Return names in a line; of many, the first ones and how many follow."""
    return listed(map(str, names), MOST)


class Extent(NamedTuple):
    """The least and the largest of some numbers."""

    min: float
    max: float


class CasesJoined(NamedTuple):
    """How the cases of a file were joined to the annotated ones: how many are in both, and in one only."""

    to: str
    by: str
    n_cases: int
    n_annotated: int
    n_without: int  # annotated, not in the file
    n_not_annotated: int

    def __str__(self) -> str:
        text = f"by {self.by}: {self.n_cases:,} of {self.n_annotated:,} cases"
        return text + (f", {self.n_not_annotated:,} others not annotated" if self.n_not_annotated else "")


@dataclass(frozen=True)
class FileFacts:
    """How a file was read, with its columns by role; ``joined`` is None if it is not, or cannot be, joined to annotations."""

    file: str
    kind: str
    taken_for: str
    layout: str
    columns: Mapping[str, Sequence[str]]
    not_used: Sequence[str]
    notes: Sequence[Note]
    joined: CasesJoined | None
    n_cases: int

    def record(self) -> dict[str, Any]:
        """Return the facts for the JSON, without those that a file of its kind cannot have."""
        plain = {name: value._asdict() if isinstance(value, (Extent, CasesJoined)) else value for name, value in vars(self).items()}
        return {name: value for name, value in plain.items() if name not in self.lacking()}

    def lacking(self) -> set[str]:
        """Return the fields that a file of its kind cannot have."""
        return {"joined"} if self.joined is None else set()

    def what(self) -> str:
        """Return what the file was taken for, for one line."""
        return self.taken_for

    def sizes(self) -> list[str]:
        """Return how much the file holds, for one line."""
        return [counted(self.n_cases, "case") if self.joined is None else f"joined {self.joined}"]

    def rows(self) -> list[list[str]]:
        """Return what the file holds, as pairs of a heading and a text."""
        return [] if self.joined is None else [["joined", f"to {self.joined.to} {self.joined}"]]

    def line(self) -> str:
        """Return one line about the file."""
        return f"{self.file}: {self.what()}{f' ({self.layout})' if self.layout else ''}: {', '.join(self.sizes())}."

    def lines(self) -> list[list[str]]:
        """Return all facts as pairs of a heading and a text."""
        rows = [["read as", self.taken_for + (f": {self.layout}" if self.layout else "")]]
        roles = [f"{some(map(repr, names))} ({role.replace('_', ' ')})" for role, names in self.columns.items()]
        rows += [["arrays" if "scores" in self.columns else "columns", "; ".join(roles)]] if roles else []
        rows += [["not used", some(map(repr, self.not_used))]] if self.not_used else []
        return [*rows, *self.rows(), *(["note", str(note)] for note in self.notes)]


@dataclass(frozen=True)
class AnnotationFacts(FileFacts):
    """How annotations were read: labels and rankings have classes, ratings have values."""

    n_annotators: int | None  # None: not named
    n_annotations: int
    n_cases_without: int
    n_cases_of_several: int
    per_case: Extent  # annotations of a case that has some
    missing: Mapping[str, int]
    left_out: Mapping[str, int]
    classes: Mapping[str, int]  # the number of annotations of each
    ordered: bool
    values: Extent | None
    scale: Any

    def lacking(self) -> set[str]:
        return {"joined", *(("values", "scale") if self.values is None else ("classes", "ordered"))}

    def sizes(self) -> list[str]:
        who = counted(self.n_annotators, "annotator") if self.n_annotators else "annotators not named"
        classes = [] if self.values else [self._order() if self.ordered else counted(len(self.classes), "class")]
        scale = [f"scale {scale_said(self.scale)}"] if self.values else []
        left_out = [f"left out: {reason} ({n:,})" for reason, n in self.left_out.items()]
        return [*super().sizes(), who, *classes, counted(self.n_annotations, self.taken_for[:-1]), *scale, *left_out]

    def rows(self) -> list[list[str]]:
        without = f" ({self.n_cases_without:,} of them without annotations)" if self.n_cases_without else ""
        low, high = self.per_case
        each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        rows = [["cases", f"{self.n_cases:,}{without}"], ["annotators", f"{self.n_annotators:,}" if self.n_annotators else "not named"]]
        rows.append([self.taken_for, f"{self.n_annotations:,}, {each} per case"])
        if self.values is None:
            rows += [["grades", self._order().partition(", ")[2]]] if self.ordered else []
            rows.append(["classes", f"{len(self.classes):,}: {some(f'{name} ({n:,})' for name, n in self.classes.items())}"])
        else:
            way = " (state it: --scale real, or all grades, such as --scale 1,2,3,4,5)" if self.scale is None else ""
            rows += [["scale", scale_said(self.scale) + way], ["values", f"from {self.values.min:g} to {self.values.max:g}"]]
        missing = [f"{repr(token) if token else 'blank'} ({n:,})" for token, n in self.missing.items()]
        rows += [["missing", f"{some(missing)}: read as not annotated"]] if missing else []
        return rows + [["left out", f"{reason}: {n:,}"] for reason, n in self.left_out.items()]

    def _order(self) -> str:
        """Return the grades: ``3 grades, in the order mild < moderate < severe``."""
        return f"{counted(len(self.classes), 'grade')}, in the order {order_said(np.array([*self.classes]))}"


@dataclass(frozen=True)
class PredictionFacts(FileFacts):
    """How predictions were read."""

    models: Sequence[str]
    n_classes: int
    values: str

    def what(self) -> str:
        return self.taken_for + (f" of {counted(len(self.models), 'model')}" if len(self.models) > 1 else "")

    def rows(self) -> list[list[str]]:
        values = self.values + (f" of {counted(self.n_classes, 'class')}" if self.n_classes > 1 else "")
        return [["models", some(self.models)], ["cases", f"{self.n_cases:,}"], ["values", values], *super().rows()]


@dataclass(frozen=True)
class CaseFacts(FileFacts):
    """How clusters or subgroups were read: the number of different values in each column."""

    values: Mapping[str, int]

    def sizes(self) -> list[str]:
        return [*super().sizes(), *(self._said() if self.kind in ("clusters", "subgroups") else [])]

    def rows(self) -> list[list[str]]:
        return [["cases", f"{self.n_cases:,}"], [self.kind, some(self._said())], *super().rows()]

    def _said(self) -> list[str]:
        return [f"{n:,} in {name!r}" for name, n in self.values.items()]


@dataclass(frozen=True)
class ReliabilityFacts(FileFacts):
    """How the reliability of each annotator was read."""

    n_annotators: int

    def lacking(self) -> set[str]:
        return {"joined", "n_cases"}

    def sizes(self) -> list[str]:
        return [counted(self.n_annotators, "annotator")]


def of_annotations(path: Any, read: io.AnnotationFile) -> AnnotationFacts:
    """Return the facts of a file of annotations."""
    given = read.annotations
    layout = LAYOUTS.get(read.format) or next((f"one row per {what}" for role, what in ROWS.items() if role in read.columns), "")
    n_cases = len(given.case_ids if isinstance(given, Ratings) else given.axes.case_ids)
    if isinstance(given, Labels):
        per_case = np.bincount(np.repeat(np.arange(n_cases), sizes_of(given.offsets)), given.count, n_cases).astype(np.int64)
    else:
        per_case = sizes_of(given.offsets if isinstance(given, Ratings) else given.case_offsets)
    judged = per_case[per_case > 0]
    each = Extent(int(judged.min()), int(judged.max())) if len(judged) else Extent(0, 0)
    ordered, values, classes = isinstance(given, Labels) and given.ordered, None, {}
    if isinstance(given, Ratings):
        own = given.value if len(given.value) else np.zeros(1)
        values = Extent(float(own.min()), float(own.max()))
    else:
        named, weights = (given.label, given.count) if isinstance(given, Labels) else (given.items, None)
        times, names = np.bincount(named, weights, given.n_classes).astype(np.int64), given.axes.classes.tolist()
        classes = {str(names[k]): int(times[k]) for k in (range(len(names)) if ordered else np.argsort(-times, kind="stable"))}
    return AnnotationFacts(
        os.fspath(path), "annotations", type(given).__name__.lower(), layout, read.columns, read.unused, read.notes, None,
        n_cases, len(given.annotators) or None, int(per_case.sum()), int((per_case == 0).sum()), int((per_case > 1).sum()), each,
        read.missing, read.dropped, classes, ordered, values, getattr(given, "scale", None),
    )  # fmt: skip


def _values(models: Mapping[str, tuple[Predictions, int]]) -> str:
    """Return what the predictions of models are; if models differ, of each model."""
    found: dict[str, list[str]] = {}
    for model, (one, _) in models.items():
        kind = "labels" if one.labels else "one number per case" if one.numbers else "probabilities"
        if kind == "probabilities" and not is_probability(one.scores):
            kind = f"scores (not probabilities: {not_probabilities(one.scores, one.case_ids)})"
        found.setdefault(kind, []).append(model)
    return next(iter(found)) if len(found) == 1 else "; ".join(f"{some(names)}: {kind}" for kind, names in found.items())


def unrounded(one: Predictions) -> tuple[Predictions, int]:
    """Return predictions as evaluations read them, and the decimals if they are rounded probabilities."""
    if one.labels or one.numbers:
        return one, 0
    scores, decimals = probabilities.unrounded(one.scores, slice(None))
    return (replace(one, scores=scores), decimals) if decimals else (one, 0)


def of_predictions(path: Any, read: PredictionFile, axes: Any, joined_to: str = "", ordered: bool = False) -> PredictionFacts:
    """Return the facts of a file of predictions; ``axes`` are the cases and classes of the annotations, or None."""
    one: Predictions = next(iter(read.models.values()))
    name = os.path.basename(os.fspath(path))
    layout = LAST.get([*read.columns][-1] if read.columns else "", "one column per class")
    layout = "arrays" if not read.columns or "scores" in read.columns else "one row per score" if "score" in read.columns else layout
    models = {model: unrounded(given) for model, given in read.models.items()}
    notes = [*rounded_note({model: decimals for model, (_, decimals) in models.items()})]
    joined = None
    if axes is not None:
        joins = [one.located(axes)[1] >= 0 for one in read.models.values()]
        if one.case_ids is None:
            notes.append(position_note(axes, f"The scores of {name}"))
        else:
            words = "The predictions for case {case} match no annotated case{hint}."
            strangers = [(case, alike(case, axes.case_ids)) for case in one.case_ids[~joins[0]][:1].tolist()]
            notes += [Note("unmatched_case", words, case=identifiers.name(case), hint=hint) for case, hint in strangers if hint]
        if one.classes is None and not one.numbers and (said := columns_note(axes, name, ordered)):
            notes.append(worded_note(said))
        n, away = min(int(rows.sum()) for rows in joins), max(int((~rows).sum()) for rows in joins)
        joined = CasesJoined(joined_to, "position" if one.case_ids is None else "case id", n, axes.n_cases, axes.n_cases - n, away)
    own = (os.fspath(path), "predictions", "predictions", layout, read.columns, read.unused, notes, joined)
    return PredictionFacts(*own, len(one.scores), [*read.models], one.scores.shape[1], _values(models))


def of_cases(path: Any, kind: str, read: CaseFile, axes: Any = None, joined_to: str = "", said: str = "") -> CaseFacts:
    """Return the facts of a file of clusters or subgroups, or of what is ``said``."""
    cases = list(next(iter(read.values.values())))
    joined, notes = None, []
    if axes is not None:
        ids = axes.case_ids.astype(str)
        lacking = ids[~np.isin(ids, cases)].tolist()
        n = len(ids) - len(lacking)
        joined = CasesJoined(joined_to, "case id", n, len(ids), len(lacking), int((~np.isin(cases, ids)).sum()))
        if lacking and (hint := alike(lacking[0], np.array(cases))):
            notes = [Note("lacking_case", "The file has no row for case {case!r}{hint}.", case=lacking[0], hint=hint)]
    values = {name: len({*values.values()} - {""}) for name, values in read.values.items()}
    return CaseFacts(os.fspath(path), kind, said or kind, "one row per case", read.columns, read.unused, notes, joined, len(cases), values)


def of_reliabilities(path: Any, read: CaseFile) -> ReliabilityFacts:
    """Return the facts of a file with the reliability of each annotator."""
    layout, (values,) = "one row per annotator", read.values.values()
    return ReliabilityFacts(os.fspath(path), "reliabilities", "reliabilities", layout, read.columns, read.unused, [], None, 0, len(values))
