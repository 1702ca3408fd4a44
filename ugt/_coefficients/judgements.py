"""From judgements to records of agreement: which form, which cases, which reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np

from .. import _checks, _ids
from .._ragged import offsets_of, row_of
from ..annotations import Labels, Ratings
from . import classes as by_class
from . import record
from .costs import LEVELS, class_values, disagreement, of_level, weighted
from .forms import Alpha, Form, OrdinalAlpha, Shared, Two
from .icc import Icc, OneWay, TwoWay
from .record import Agreement
from .table import Judgements, judgements_of, read, values_and_index

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EMPTY, SINGLE = "case without annotations", "case with a single annotator"
NEITHER, ONE_OF_TWO = "case that neither of the two annotators labelled", "case that only one of the two annotators labelled"
INCOMPLETE = "case that not all annotators rated"
NOT_TWICE = "case that no annotator labelled twice"
SHARED = {"none": "percent agreement", "fleiss": "Fleiss' kappa", "gwet": "Gwet's AC1"}


def shared(judged: Judgements, chance: str, weights: Any = None, name: str | None = None) -> Agreement:
    """Percent agreement, Fleiss' kappa, AC1 or AC2."""
    form = Shared(judged, weighted(weights, judged.n_classes), chance)
    reason = record.SINGLE_CLASS if chance == "gwet" and judged.n_classes == 1 else None
    called = _with_weights(name or SHARED[chance], weights)
    return _record(called, judged, form, by_class.shared(judged, chance), few(judged), reason, 0.0 if chance == "none" else -1.0)


def two(judged: Judgements, annotators: Any, weights: Any, pooled: bool, argument: str = "labels") -> Agreement:
    """Cohen's kappa or Scott's pi."""
    pair = Pair.of(judged, pair_named(argument, judged.annotators, annotators))
    called = _with_weights("Scott's pi" if pooled else "Cohen's kappa", weights)
    left_out, form = pair.left_out(annotators is not None), pair.form(weights, pooled)
    return _record(called, pair.both, form, by_class.two(*pair[:3], pooled), left_out, n_annotators=2, no_pairs=record.NO_SHARED)


class Pair(NamedTuple):
    """Judgements of two annotators, and of both, of the cases that they share; how many of the two (N,) judged each case."""

    first: Judgements
    second: Judgements
    both: Judgements
    n_judges: Array

    @classmethod
    def of(cls, judged: Judgements, columns: list[int]) -> Pair:
        """Of annotators at two positions."""
        n_judges = sum((judged.only(judged.annotator == column).size for column in columns), np.zeros(judged.n_cases))
        shared = n_judges[judged.case] == 2
        first, second = (judged.only((judged.annotator == column) & shared) for column in columns)
        return cls(first, second, judged.only(np.isin(judged.annotator, columns) & shared), n_judges)

    def form(self, weights: Any, pooled: bool) -> Two:
        """Cohen's kappa or Scott's pi."""
        cost = weighted(weights, self.both.n_classes)
        return Two(self.first, self.second, cost, disagreement(self.both, cost)[0], pooled)

    def left_out(self, named: bool) -> dict[str, int]:
        """Cases that not both judged; ``named``: the two among others."""
        return counts_of(self.both, {NEITHER if named else EMPTY: self.n_judges == 0, ONE_OF_TWO: self.n_judges == 1})


def alpha_at(level: str) -> Callable[..., Agreement]:
    """Krippendorff's alpha at a level, which is checked at once."""
    return partial(alpha, level=_checks.option("level", level, LEVELS))


def alpha(judged: Judgements, level: str, values: Any = None) -> Agreement:
    """Krippendorff's alpha."""
    _checks.option("level", level, LEVELS)
    numbers = class_values(values, judged, level)
    form: Form
    if level == "ordinal":
        if len(np.unique(numbers)) < len(numbers):
            raise _checks.error("values", "differ for an ordinal scale", "equal ones")
        form = OrdinalAlpha(judged, np.argsort(numbers, kind="stable"))
    else:
        table = judged.classes
        in_use = np.bincount(table.index, judged.size[table.row] >= 2, judged.n_classes) > 0
        form = Alpha(judged, of_level(level, numbers, in_use))
    return _record(f"Krippendorff's alpha ({level})", judged, form, by_class.alpha(judged), few(judged))


def icc(judged: Judgements, kind: str) -> Agreement:
    """Intraclass correlation."""
    size = judged.size
    form: Icc = OneWay(judged, kind) if kind.startswith("1") else TwoWay(judged, kind)
    left_out = counts_of(judged, {EMPTY: size == 0, INCOMPLETE: (size > 0) & ~form.in_use})
    n_cases, n_annotators = int(form.kept.sum()), judged.n_annotators
    kept = judged.only(form.in_use[judged.case])
    value, reason = math.nan, None
    if n_cases < 2:
        reason = "fewer than two cases " + ("with ratings" if kind.startswith("1") else "that all annotators rated")
    elif (kept.size < 2).all():
        reason = record.NO_PAIRS.format(things="ratings")
    else:
        value = float(form.values().value[0])
        if math.isnan(value):
            varies = (kept.classes.totals(kept.n_classes, kept.times) > 0).sum() > 1
            value, reason = (math.nan, "cases do not differ in their means") if varies else (1.0, record.NO_RATING)
    nothing: dict[str, Any] = dict.fromkeys(("observed", "expected", "per_class", "prevalence", "per_case"))
    return Agreement(
        f"ICC({kind})", value, n_cases=n_cases, n_annotators=n_annotators, left_out=left_out, reason=reason, _form=form, **nothing
    )


def intra(given: Labels | Ratings, make: Any) -> Agreement:
    """Any coefficient of the repeated labels of each annotator in each case, that take the place of annotators in a case."""
    judged, unit_case, unit_annotator = repeats(given)
    return _of_units(make(judged), unit_case, unit_annotator, len(given.offsets) - 1, len(given.annotators))


def repeats(given: Labels | Ratings) -> tuple[Judgements, NDArray[Any], NDArray[Any]]:
    """``(judged, case, annotator)``: units of an annotator and a case that they labelled several times."""
    case, annotator = row_of(given.offsets), given.annotator
    every = np.lexsort((annotator, case))
    every = every[annotator[every] >= 0]
    opens = np.ones(len(every), bool)
    opens[1:] = (np.diff(case[every]) != 0) | (np.diff(annotator[every]) != 0)
    unit = np.cumsum(opens) - 1
    times = np.bincount(unit)
    order, first = every[times[unit] >= 2], every[opens][times >= 2]
    unit_case, unit_annotator = case[first], annotator[first]
    names, label = (given.axes.classes, given.label) if isinstance(given, Labels) else values_and_index(given.value)
    label = label[order]
    offsets, unknown = offsets_of(times[times >= 2]), np.full(len(order), -1, np.int32)
    judged = judgements_of(offsets, unknown, label, np.ones(len(order), np.int64), names, np.empty(0, np.int64), isinstance(given, Ratings))
    return judged, unit_case, unit_annotator


def _of_units(found: Agreement, unit_case: NDArray[Any], unit_annotator: NDArray[Any], n_cases: int, n_annotators: int) -> Agreement:
    """The record of (case, annotator) units as one of cases."""
    counted = int((np.bincount(unit_case, minlength=n_cases) > 0).sum())
    per_annotator = np.full(n_annotators, np.nan)
    for a in np.unique(unit_annotator):
        assert found._form is not None
        here = found._form.values((unit_annotator == a)[None].astype(np.float64))
        value = float(here.value[0])
        per_annotator[a] = 1.0 if math.isnan(value) else value
    sums, times = (np.bincount(unit_case, w, n_cases) for w in (found.per_case, None))
    with np.errstate(invalid="ignore"):
        per_case = sums / times
    reason = "no annotator labelled a case twice" if counted == 0 else found.reason
    return Agreement(
        f"intra-annotator {found.coefficient}",
        found.value,
        found.observed,
        found.expected,
        found.per_class,
        found.prevalence,
        per_case,
        counted,
        len(np.unique(unit_annotator)),
        {NOT_TWICE: n_cases - counted} if counted < n_cases else {},
        reason,
        per_annotator,
        found._form,
        unit_case,
        found._least,
    )


def labels_of(argument: str, given: Any, classes: Any, alike: str | None = None) -> Judgements:
    """Judgements of labels."""
    if isinstance(given, Ratings):
        raise TypeError(f"{argument} must be Labels or a table of labels, cases x annotators. Got Ratings.")
    return read(argument, given, classes, ratings=False, alike=alike)


def ratings_of(given: Any) -> Judgements:
    """Judgements of numbers."""
    if not isinstance(given, (Labels, Ratings)):
        if not (hasattr(given, "__array__") or isinstance(given, (list, tuple))):
            raise TypeError(f"ratings must be Ratings or a table of numbers, cases x annotators. Got {type(given).__name__}.")
        given = Ratings.from_wide(given)
    if len(given.annotators) == 0 and given.offsets[-1]:
        raise _checks.error("ratings", "name their annotators", "counts")
    judged = read("ratings", given)
    if judged.names.dtype.kind not in "if":
        raise _checks.error("ratings", "be numbers", "classes that are text")
    return judged


# ---- parts of records


def _record(
    coefficient: str,
    judged: Judgements,
    form: Form,
    per_class: Array,
    left_out: Mapping[str, int],
    reason: str | None = None,
    least: float = -1.0,
    n_annotators: int | None = None,
    no_pairs: str = record.NO_PAIRS,
) -> Agreement:
    n_cases, things = int((~np.isnan(form.per_case)).sum()), "ratings" if judged.ratings else "labels"
    value = observed = expected = math.nan
    if n_cases == 0:
        reason = no_pairs.format(things=things)
    else:
        value, observed, expected = (float(x[0]) for x in form.values())
        if math.isnan(value):
            value, observed, expected, reason = 1.0, 1.0, 1.0, _no_variation(judged, form)
    return Agreement(
        coefficient,
        value,
        observed,
        expected,
        None if judged.ratings else per_class,
        None if judged.ratings else by_class.prevalence(judged),
        form.per_case,
        n_cases,
        n_annotators or judged.n_annotators,
        left_out,
        reason,
        _form=form,
        _least=least,
    )


def _no_variation(judged: Judgements, form: Form) -> str:
    if judged.ratings:
        return record.NO_RATING
    used = judged.classes.totals(judged.n_classes, judged.times * form.in_use) > 0
    return record.ONE_CLASS if used.sum() < 2 else record.NO_WEIGHT


def counts_of(judged: Judgements, reasons: dict[str, NDArray[np.bool_]]) -> dict[str, int]:
    found = {reason: int(judged.times[applies].sum()) for reason, applies in reasons.items()}
    return {reason: n for reason, n in found.items() if n}


def few(judged: Judgements) -> dict[str, int]:
    return counts_of(judged, {EMPTY: judged.size == 0, SINGLE: judged.size == 1})


def _with_weights(name: str, weights: Any) -> str:
    if weights is None:
        return name
    return f"{name} ({weights if isinstance(weights, str) else 'weighted'})"


def pair_named(argument: str, names: NDArray[Any], annotators: Any, may_lack: bool = False) -> list[int]:
    """Positions of the two annotators among all; ``may_lack``: -1 for one that is not among them."""
    if len(names) == 0:
        raise _checks.error(argument, "name their annotators", "counts")
    if annotators is None:
        if len(names) != 2:
            raise _checks.error("annotators", f"name two, where {argument} are not of two annotators", f"None, and {len(names)} annotators")
        return [0, 1]
    pair = _ids.distinct("annotators", annotators)
    if len(pair) != 2:
        raise _checks.error("annotators", "be two", len(pair))
    position = _ids.lookup(names, pair)
    if (position < 0).any() and not (may_lack and _ids.is_text(names) == _ids.is_text(pair)):
        j = int(np.argmax(position < 0))
        raise _checks.error("annotators", f"be among those of {argument}", _ids.name(pair[j]), f"position {j}")
    return [int(j) for j in position]
