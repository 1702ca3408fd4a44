"""How files were read, as values and as lines: for ``ugt check``, and for the first lines of every command that reads files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import io
from .._base.grades import order_said, scale_said
from .._base.identifiers import name
from .._base.names import alike, listed
from .._base.notes import Note
from .._base.ragged import sizes_of
from ..annotations import Labels, Predictions, Rankings, Ratings, probabilities
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
MOST = 8  # names in a line


def counted(n: int, what: str) -> str:
    """Return a number with its noun: ``1 case``, ``2 classes``."""
    return f"{n:,} {what}{'' if n == 1 else 'es' if what.endswith('s') else 's'}"


def some(names: Iterable[Any]) -> str:
    """Return names in a line; of many, the first ones and how many follow."""
    return listed(map(str, names), MOST)


def of_annotations(path: Any, read: io.AnnotationFile) -> dict[str, Any]:
    """Return the facts of a file of annotations."""
    given = read.annotations
    cases = given.case_ids if isinstance(given, Ratings) else given.axes.case_ids
    found: dict[str, Any] = {
        "file": os.fspath(path),
        "kind": "annotations",
        "taken_for": type(given).__name__.lower(),
        "layout": LAYOUTS.get(read.format) or next((f"one row per {what}" for role, what in ROWS.items() if role in read.columns), ""),
        "columns": read.columns,
        "not_used": read.unused,
        "n_cases": len(cases),
        "n_annotators": len(given.annotators) or None,
    }
    if isinstance(given, Labels):
        per_case = np.bincount(np.repeat(np.arange(len(cases)), sizes_of(given.offsets)), given.count, len(cases)).astype(np.int64)
        times = np.bincount(given.label, given.count, given.n_classes).astype(np.int64)
    elif isinstance(given, Rankings):
        per_case, times = sizes_of(given.case_offsets), np.bincount(given.items, minlength=given.n_classes)
    else:
        per_case, times = sizes_of(given.offsets), None
        values = given.value if len(given.value) else np.zeros(1)
        found["values"] = {"min": float(values.min()), "max": float(values.max())}
        found["scale"] = given.scale
    if times is not None:
        names = given.axes.classes.tolist()
        ordered = isinstance(given, Labels) and given.ordered
        found["classes"] = {str(names[k]): int(times[k]) for k in (range(len(names)) if ordered else np.argsort(-times, kind="stable"))}
        found["ordered"] = ordered
    judged = per_case[per_case > 0]
    found.update(
        n_annotations=int(per_case.sum()), n_cases_without=int((per_case == 0).sum()), n_cases_of_several=int((per_case > 1).sum())
    )
    found["per_case"] = {"min": int(judged.min(initial=0) if len(judged) == 0 else judged.min()), "max": int(judged.max(initial=0))}
    return {**found, "missing": read.missing, "left_out": read.dropped, "notes": [*read.notes]}


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


def of_predictions(
    path: Any, read: PredictionFile, axes: Any, notes: Sequence[Note] = (), joined_to: str = "", ordered: bool = False
) -> dict[str, Any]:
    """Return the facts of a file of predictions; ``axes`` are the cases and classes of the annotations, or None."""
    one: Predictions = next(iter(read.models.values()))
    layout = "arrays" if not read.columns or "scores" in read.columns else "one column per class"
    layout = {"label": "predicted labels", "probability": "one column of probabilities", "number": "one column of numbers"}.get(
        [*read.columns][-1] if read.columns else "", layout
    )
    models = {model: unrounded(given) for model, given in read.models.items()}
    notes = (*notes, *rounded_note({model: decimals for model, (_, decimals) in models.items()}))
    found: dict[str, Any] = {
        "file": os.fspath(path),
        "kind": "predictions",
        "taken_for": "predictions",
        "layout": "one row per score" if "score" in read.columns else layout,
        "columns": read.columns,
        "not_used": read.unused,
        "models": list(read.models),
        "n_cases": len(one.scores),
        "n_classes": one.scores.shape[1],
        "values": _values(models),
    }
    if axes is not None:
        joins = [one.located(axes)[1] for one in read.models.values()]
        if one.case_ids is not None:
            strangers = one.case_ids[joins[0] < 0][:1].tolist()
            notes = (
                *notes,
                *(
                    Note("unmatched_case", "The predictions for case {case} match no annotated case{hint}.", case=name(case), hint=hint)
                    for case in strangers
                    if (hint := alike(case, axes.case_ids))
                ),
            )
        if one.case_ids is None:
            notes = (*notes, position_note(axes, f"The scores of {os.path.basename(os.fspath(path))}"))
        if one.classes is None and not one.numbers:
            said = columns_note(axes, os.path.basename(os.fspath(path)), ordered)
            notes = (*notes, *([worded_note(said)] if said else []))
        n, away = [int((rows >= 0).sum()) for rows in joins], [int((rows < 0).sum()) for rows in joins]
        by = "position" if one.case_ids is None else "case id"
        found["joined"] = {"to": joined_to, "by": by, "n_cases": min(n), "n_annotated": axes.n_cases}
        found["joined"].update(n_without=axes.n_cases - min(n), n_not_annotated=max(away))
    return {**found, "notes": list(notes)}


def of_cases(path: Any, kind: str, read: CaseFile, axes: Any = None, joined_to: str = "", said: str = "") -> dict[str, Any]:
    """Return the facts of a file of clusters or subgroups, or of what is ``said``."""
    cases = list(next(iter(read.values.values())))
    found: dict[str, Any] = {
        "file": os.fspath(path),
        "kind": kind,
        "taken_for": said or kind,
        "layout": "one row per case",
        "columns": read.columns,
        "not_used": read.unused,
        "n_cases": len(cases),
        "values": {name: len({*values.values()} - {""}) for name, values in read.values.items()},
        "notes": [],
    }
    if axes is not None:
        ids = axes.case_ids.astype(str)
        there = np.isin(ids, cases)
        found["joined"] = {"to": joined_to, "by": "case id", "n_cases": int(there.sum()), "n_annotated": len(ids)}
        found["joined"].update(n_without=int((~there).sum()), n_not_annotated=int((~np.isin(cases, ids)).sum()))
        lacking = ids[~there].tolist()
        if lacking and (hint := alike(lacking[0], np.array(cases))):
            words = "The file has no row for case {case!r}{hint}."
            found["notes"] = [Note("lacking_case", words, case=lacking[0], hint=hint)]
    return found


def of_reliabilities(path: Any, read: CaseFile) -> dict[str, Any]:
    """Return the facts of a file with the reliability of each annotator."""
    return {
        "file": os.fspath(path),
        "kind": "reliabilities",
        "taken_for": "reliabilities",
        "layout": "one row per annotator",
        "columns": read.columns,
        "not_used": read.unused,
        "n_annotators": len(read.values["reliability"]),
        "notes": [],
    }


def line(found: Mapping[str, Any]) -> str:
    """Return one line about a file."""
    unit = "annotator" if found["kind"] == "reliabilities" else "case"
    sizes = [_joined(found["joined"])] if "joined" in found else [counted(found[f"n_{unit}s"], unit)]
    what = found["taken_for"]
    if found["kind"] == "annotations":
        sizes += [counted(found["n_annotators"], "annotator")] if found["n_annotators"] else ["annotators not named"]
        if "classes" in found:
            sizes += [_order(found)] if found["ordered"] else [counted(len(found["classes"]), "class")]
        sizes += [counted(found["n_annotations"], what[:-1])]
        sizes += [f"scale {scale_said(found['scale'])}"] if "scale" in found else []
        sizes += [f"left out: {reason} ({n:,})" for reason, n in found["left_out"].items()]
    if found["kind"] in ("clusters", "subgroups"):
        sizes += [f"{n:,} in {name!r}" for name, n in found["values"].items()]
    if found["kind"] == "predictions" and len(found["models"]) > 1:
        what += f" of {counted(len(found['models']), 'model')}"
    layout = f" ({found['layout']})" if found["layout"] else ""
    return f"{found['file']}: {what}{layout}: {', '.join(sizes)}."


def _order(found: Mapping[str, Any]) -> str:
    """Return the grades of ordered labels: ``3 grades, in the order mild < moderate < severe``."""
    return f"{counted(len(found['classes']), 'grade')}, in the order {order_said(np.array([*found['classes']]))}"


def _joined(found: Mapping[str, Any]) -> str:
    text = f"joined by {found['by']}: {found['n_cases']:,} of {found['n_annotated']:,} cases"
    return text + (f", {found['n_not_annotated']:,} others not annotated" if found["n_not_annotated"] else "")


def lines(found: Mapping[str, Any]) -> list[list[str]]:
    """Return all facts of a file as pairs of a heading and a text."""
    cases = f"{found['n_cases']:,}"
    rows: list[list[str]] = [["read as", found["taken_for"] + (f": {found['layout']}" if found["layout"] else "")]]
    columns = "arrays" if "scores" in found["columns"] else "columns"
    roles = [f"{some(map(repr, names))} ({role.replace('_', ' ')})" for role, names in found["columns"].items()]
    rows += [[columns, "; ".join(roles)]] if roles else []
    rows += [["not used", some(map(repr, found["not_used"]))]] if found["not_used"] else []
    if found["kind"] == "annotations":
        rows += _lines_of_annotations(found, cases)
    elif found["kind"] == "predictions":
        rows += [
            ["models", some(found["models"])],
            ["cases", cases],
            ["values", found["values"] + (f" of {counted(found['n_classes'], 'class')}" if found["n_classes"] > 1 else "")],
        ]
    else:
        values = [f"{n:,} in {name!r}" for name, n in found["values"].items()]
        rows += [["cases", cases], [f"{found['kind']}", some(values)]]
    if "joined" in found:
        rows.append(["joined", f"to {found['joined']['to']} {_joined(found['joined']).partition(' ')[2]}"])
    return [*rows, *(["note", str(note)] for note in found["notes"])]


def _lines_of_annotations(found: Mapping[str, Any], cases: str) -> list[list[str]]:
    without = f" ({found['n_cases_without']:,} of them without annotations)" if found["n_cases_without"] else ""
    low, high = found["per_case"].values()
    each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    rows = [["cases", cases + without], ["annotators", f"{found['n_annotators']:,}" if found["n_annotators"] else "not named"]]
    rows.append([found["taken_for"], f"{found['n_annotations']:,}, {each} per case"])
    if "classes" in found:
        listed = [f"{name} ({n:,})" for name, n in found["classes"].items()]
        rows += [["grades", _order(found).partition(", ")[2]]] if found["ordered"] else []
        rows.append(["classes", f"{len(listed):,}: {some(listed)}"])
    else:
        way = " (state it: --scale real, or all grades, such as --scale 1,2,3,4,5)" if found["scale"] is None else ""
        rows.append(["scale", scale_said(found["scale"]) + way])
        rows.append(["values", "from {min:g} to {max:g}".format(**found["values"])])
    missing = [f"{repr(token) if token else 'blank'} ({n:,})" for token, n in found["missing"].items()]
    rows += [["missing", f"{some(missing)}: read as not annotated"]] if missing else []
    return rows + [["left out", f"{reason}: {n:,}"] for reason, n in found["left_out"].items()]
