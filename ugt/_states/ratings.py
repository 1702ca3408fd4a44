"""Krippendorff's alpha of ratings, and intraclass correlations, from sums of squares over cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ids
from .._checks import error, option
from .._coefficients import forms, record
from .._coefficients import judgements as make
from .._coefficients.costs import ends_of, of_level
from .._coefficients.icc import KINDS, Squares, correlation, one_way, two_way, two_way_columns
from .._coefficients.table import Judgements, read
from ..annotations import Labels, Ratings
from .kind import Answer, plain
from .part import Part, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

BETWEEN, N, WITHIN, TOTAL, SQUARE = range(5)  # columns of alpha
# Sums of squares about the center are good to 1e-16 of themselves; what varies by less than this part of them is not seen well enough.
LOST = 1e-10
TOO_FAR = "ratings differ by too little, beside how far they are from center={:g}, to be told from sums: give a center near them"
NO_PAIRS = record.NO_PAIRS.format(things="ratings")


def alpha_part(given: Any, level: str, center: Any) -> Part:
    """Squared differences of ratings; other levels need the ratings themselves."""
    if level != "interval":
        raise error("level", "be 'interval' for ratings in parts (labels, with values=, have all levels)", repr(level))
    judged = read("annotations", given if isinstance(given, Ratings) else Ratings.from_wide(given))
    middle, table, two = _center(center), judged.classes, judged.size >= 2
    in_use = np.bincount(table.index, two[table.row], judged.n_classes) > 0
    form = forms.Alpha(judged, of_level("interval", judged.names, in_use))
    low, high = ends_of(judged.names, in_use)
    x = judged.names[table.index] - middle
    with np.errstate(over="ignore", invalid="ignore"):
        about = [table.sums(table.amount * power) * two for power in (x, x**2)]
        columns = np.stack([*(form.dense * [(high - low) ** 2, 1.0, (high - low) ** 2]).T, *about], axis=1)
    return _part(judged, {"level": level, "center": middle}, columns, int(two.sum()), make.few(judged), given)


def _center(given: Any) -> float:
    if given is None:
        return 0.0
    if not isinstance(given, (int, float, np.integer, np.floating)) or isinstance(given, bool) or not np.isfinite(given):
        raise error("center", "be a finite number", repr(given))
    return float(given)


def _part(judged: Judgements, settings: dict[str, Any], columns: Array, n_cases: int, left_out: Mapping[str, int], given: Any) -> Part:
    finite = np.isfinite(columns).all(axis=1)
    if not finite.all():
        raise error("ratings", "have finite squares about center", "larger ones", f"row {int(np.argmin(finite))}")
    fixed = {"judgements": np.array([judged.size.sum()])}
    return Part(settings, judged.n_cases, n_cases, left_out, {"cases": columns}, fixed=fixed, case_ids=ids_of(given))


def icc_part(given: Any, kind: str = "A,1", center: Any = None, annotators: Any = None) -> Part:
    """One-way of any annotators; two-way of the cases that the annotators of the data, or those named, all rated."""
    option("kind", kind, KINDS)
    judged, middle = make.ratings_of(given), _center(center)
    settings: dict[str, Any] = {"kind": kind, "center": middle}
    with np.errstate(over="ignore", invalid="ignore"):
        if kind.startswith("1"):
            if annotators is not None:
                raise error("annotators", f"be left out for kind {kind!r}", "ids")
            columns = _one_way(judged, judged.means(judged.names.astype(np.float64) - middle))
        else:
            names = _annotators(given, judged, annotators)
            settings["annotators"] = plain(names)
            columns = _two_way(judged, judged.means(judged.names.astype(np.float64) - middle), names)
    in_use = columns[:, 0] > 0
    left_out = make.counts_of(judged, {make.EMPTY: judged.size == 0, make.INCOMPLETE: (judged.size > 0) & ~in_use})
    return _part(judged, settings, columns, int(in_use.sum()), left_out, given)


def _one_way(judged: Judgements, x: Array) -> Array:
    """(N, 7): those of :func:`one_way`, and cases with two annotators."""
    size = judged.size
    total = np.bincount(judged.case, x, judged.n_cases)
    apart = x - (total / np.maximum(size, 1.0))[judged.case]
    inside = np.bincount(judged.case, apart**2, judged.n_cases)
    return np.stack([size > 0, size, size**2, total, total**2 / np.maximum(size, 1.0), inside, size >= 2], axis=1).astype(np.float64)


def _annotators(given: Any, judged: Judgements, named: Any) -> NDArray[Any]:
    """Whose ratings make a case complete, in an order that all parts have."""
    if named is None:
        found = judged.annotators
    else:
        found = _ids.distinct("annotators", named)
        strange = _ids.lookup(found, judged.annotators) < 0
        if strange.any():
            what = "Labels" if isinstance(given, Labels) else "ratings"
            name = _ids.name(judged.annotators[int(np.argmax(strange))])
            raise error("annotators", f"name all of those of the {what}", f"none of the name {name}")
    return np.sort(found)


def _two_way(judged: Judgements, x: Array, names: NDArray[Any]) -> Array:
    """(N, 3 + k) of :func:`two_way`."""
    complete = judged.size == len(names)
    table = np.zeros((judged.n_cases, len(names)))
    table[judged.case, _ids.lookup(names, judged.annotators)[judged.annotator]] = x
    return two_way_columns(np.where(complete[:, None], table, 0.0), complete & (judged.size > 0))


# ---- answers


def answer(metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
    """The coefficient; with the disagreement (mean squared difference) that alpha is made of."""
    whole = "judgements" in sums
    return _alpha(settings, sums["cases"], whole) if metric == "krippendorff_alpha" else _icc(settings, sums["cases"], whole)


def _alpha(settings: Mapping[str, Any], cases: Array, whole: bool) -> Answer:
    between, n, within, total, square = cases.T
    about = 2 * n * square
    pairs = np.maximum(about - 2 * total**2 - within, 0.0)
    lost = (pairs <= LOST * about) & (between > 0)
    varies = (pairs > forms.TINY * about) & ~lost
    with np.errstate(invalid="ignore", divide="ignore"):
        observed, expected = between / n, pairs / (n * (n - 1))
        value = np.where(varies, 1 - observed / np.where(varies, expected, 1.0), np.nan)
    numbers, reason = {"observed disagreement": observed, "expected disagreement": expected}, None
    if whole and np.isnan(value[0]):
        reason = NO_PAIRS if n[0] == 0 else TOO_FAR.format(settings["center"]) if lost[0] else record.NO_RATING
        value = np.full(1, 1.0 if reason == record.NO_RATING else np.nan)
    return Answer(value, numbers, reason)


def _icc(settings: Mapping[str, Any], cases: Array, whole: bool) -> Answer:
    one = settings["kind"].startswith("1")
    ms = one_way(cases[:, :6]) if one else two_way(cases)
    n, about = cases[:, 0], cases[:, 4] if one else cases[:, 1] / max(1, cases.shape[1] - 3)
    inside, compared = (cases[:, 5], cases[:, 6]) if one else (cases[:, 2], n * (cases.shape[1] > 4))
    with np.errstate(invalid="ignore", divide="ignore"):
        varies = np.where(n > 1, ms.cases * (n - 1), 0.0) + inside
    lost = (varies <= LOST * about) & (inside > 0)
    usable = (varies > forms.TINY * about) & ~lost & (n > 1) & (compared > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = np.where(usable, varies / np.maximum(n, 1.0), 1.0)
        scaled = Squares(ms.cases / unit, ms.error / unit, ms.annotators / unit, ms.n, ms.k)
        value = np.where(usable, correlation(settings["kind"], scaled), np.nan)
    reason = None
    if whole and np.isnan(value[0]):
        reason = _why(settings, float(n[0]), bool(compared[0]), bool(lost[0]), bool(usable[0]))
        value = np.full(1, 1.0 if reason == record.NO_RATING else np.nan)
    return Answer(value, {}, reason)


def _why(settings: Mapping[str, Any], n: float, compared: bool, lost: bool, usable: bool) -> str:
    if n < 2:
        return "fewer than two cases " + ("with ratings" if settings["kind"].startswith("1") else "that all annotators rated")
    if not compared:
        return NO_PAIRS
    if lost:
        return TOO_FAR.format(settings["center"])
    return "cases do not differ in their means" if usable else record.NO_RATING
