"""Facts about the data of an evaluation, and its provenance."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.grades import REAL
from .._base.names import positive_by_default
from .._base.notes import Note
from .._base.ragged import row_of
from .._base.version import __version__
from ..annotations import Labels, Rankings, Ratings
from ..resampling.frequencies import median
from ..resampling.spread import FEW_ANNOTATORS

if TYPE_CHECKING:
    from .._base.arrays import NDArray
    from ..tables.context import Annotated


def data_summary(annotated: Annotated) -> dict[str, Any]:
    """Return the numbers of cases, classes, annotators and annotations."""
    known, per_case, times = annotated.annotated, annotated.n_annotations, annotated.times
    kind, n = type(annotated.given).__name__.lower(), annotated.number()
    found: dict[str, Any] = {"kind": kind, "n_cases": n, "n_classes": annotated.n_classes}
    if times is not None:
        found = {**found, "n_rows": int(np.count_nonzero(times))}
    if known is None or per_case is None:
        return found
    if isinstance(known, Labels):
        found["ordered"] = known.ordered
    if isinstance(known, Ratings) or found.get("ordered"):
        found["scale"] = REAL if isinstance(known, Ratings) else [str(name) for name in known.axes.classes.tolist()]
    used = np.unique([] if isinstance(known, Ratings) else known.label if isinstance(known, Labels) else known.items)
    if times is not None and isinstance(known, Labels):
        used = np.unique(known.label[times[row_of(known.offsets)] > 0])
    there = per_case if times is None else per_case[times > 0]
    return {
        **found,
        "n_unused_classes": annotated.n_classes - len(used),
        "n_annotators": len(known.annotators) or None,
        "n_annotations": int(per_case.sum() if times is None else times @ per_case),
        "annotations_per_case": {"min": int(there.min()), "median": median(per_case, times), "max": int(there.max())},
    }


def by_definition(orders: Collection[int], n_classes: int) -> list[Note]:
    """Return a note if one of the orders is that of all classes."""
    if n_classes not in orders:
        return []
    classes = f"{n_classes:,} classes" if n_classes > 1 else "one class"
    words = "With {classes}, top-{k} accuracy, set accuracy, overlap and certainty are 1 by definition."
    return [Note("by_definition", words, classes=classes, k=n_classes)]


def notes(annotated: Annotated, ties: str, orders: Collection[int]) -> Iterable[Note]:
    """Yield the limits that a reader must know."""
    known = annotated.annotated
    words = "Metrics measure agreement with a truth drawn from what the annotations leave open, not with a verified truth."
    yield Note("not_verified", words)
    if isinstance(known, Rankings):
        words = "The voted label is the best class by inverse rank normalisation; classes tied at the top share it."
        yield Note("voted_label", words)
    elif isinstance(known, Labels):
        yield Note("voted_label", "The voted label is the most frequent label; classes tied at the top share it.")
    elif isinstance(known, Ratings):
        yield Note("voted_label", "The voted rating is the mean rating.")
    if known is not None and 1 < len(known.annotators) < FEW_ANNOTATORS:
        words = "{n} annotators: intervals for other annotators depend on the differences between them."
        yield Note("few_annotators", words, n=len(known.annotators))
    if known is not None and len(known.annotators) == 0:
        words = "Annotators are not named in this data, so that results about single annotators are not available."
        yield Note("annotators_not_named", words)
    if ties == "first":
        yield Note("ties_by_position", "Ties are broken by position, not by expectation.")
    yield from by_definition(orders, annotated.n_classes)


def unchecked(given: Any) -> list[Note]:
    """Return a note on a default truth that held-out annotators were not compared with."""
    if not isinstance(given, (Labels, Rankings)):
        return []
    words = "Without details the default truth is not compared with held-out annotators; with details another truth may lead."
    return [Note("truth_not_checked", words)]


def positive(classes: NDArray[Any], given: object) -> list[Note]:
    """Return a note on the positive one of two classes, if none was given."""
    return positive_by_default(classes.tolist(), "positive_class") if given is None and len(classes) == 2 else []


def provenance(settings: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return versions, date and settings."""
    import scipy  # noqa: PLC0415

    versions = {"ugt": __version__, "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    return {"date": now(), "versions": versions, "command": None, "inputs": [], **settings, **(given or {})}


def now() -> str:
    """Return the date and time."""
    from datetime import datetime, timezone  # noqa: PLC0415  (5 ms that only this needs)

    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def sources(units: tuple[str, ...], with_models: bool, named: bool) -> dict[str, tuple[str, ...]]:
    """Return the sources of uncertainty that each interval includes."""
    found = {"case_low, case_high": units}
    if named:
        found["two_way_low, two_way_high"] = (*units, "annotators")
    if with_models:
        found["draw_low, draw_high"] = ("draws",)
        found["both_low, both_high"] = (*units, "draws")
        found["best_share, rank_low, rank_high, margin_low, margin_high, flips"] = units
    return found


def run_of(results: Mapping[str, Any]) -> str:
    """Return the name of the results: equal ones have equal names."""
    import hashlib  # noqa: PLC0415  (what only writing needs)
    import json  # noqa: PLC0415

    return "r" + hashlib.sha256(json.dumps(results).encode()).hexdigest()[:11]  # the letter keeps spreadsheets from reading it as a number


def planned(plan: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the checked plan; empty if there is none."""
    if plan is None:
        return {}
    from ..report.plan import check_plan  # noqa: PLC0415

    return check_plan(plan)
