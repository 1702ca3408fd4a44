"""Agreement coefficients from sums over cases: of labels here, of ratings in ``ratings``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ids
from .._checks import error, option
from .._coefficients import classes as by_class
from .._coefficients import forms, record
from .._coefficients import judgements as make
from .._coefficients.costs import LEVELS, class_values, ends_of, of_level, weighted
from .._coefficients.table import Judgements, read
from ..annotations import Labels, Ratings
from . import ordinal, ratings
from .kind import Answer, Kind, check_call, plain
from .part import Part, Rows, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

CHANCE = {"percent_agreement": "none", "fleiss_kappa": "fleiss", "gwet_ac1": "gwet", "gwet_ac2": "gwet"}
POOLED = {"cohen_kappa": False, "scott_pi": True}
WEIGHTED = ("weights", "classes")
OPTIONS = {
    "percent_agreement": WEIGHTED,
    "fleiss_kappa": WEIGHTED,
    "gwet_ac1": ("classes",),
    "gwet_ac2": WEIGHTED,
    "cohen_kappa": (*WEIGHTED, "annotators"),
    "scott_pi": (*WEIGHTED, "annotators"),
    "krippendorff_alpha": ("level", "values", "classes", "center"),
    "intraclass_correlation": ("kind", "center", "annotators"),
}
DEFAULTS = {"gwet_ac2": {"weights": "quadratic"}}
SHARED, N = 0, 1  # columns of all but alpha: disagreement, cases with two annotators


class Coefficients(Kind):
    """Sums of disagreement and of classes; what is expected by chance is a function of the latter."""

    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """Of labels or ratings; a table of labels with ``classes=``. Ratings may have a ``center``, near which they are."""
        check_call(metric, data, 1, options, OPTIONS[metric])
        (given,) = data
        if metric in CHANCE:
            return _shared(metric, given, **{**DEFAULTS.get(metric, {}), **options})
        if metric in POOLED:
            return _two(metric, given, **options)
        return _alpha(given, **options) if metric == "krippendorff_alpha" else ratings.icc_part(given, **options)

    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """With observed and expected agreement, prevalence and values by class; undefined in a resample without variation."""
        if "center" in settings:
            return ratings.answer(metric, settings, sums)
        found = _values(metric, settings, sums)
        numbers = {"observed": found.observed, "expected": found.expected}
        if "labels" not in sums:
            return Answer(found.value, numbers)
        reason = _reason(metric, settings, found, sums)
        value = found.value
        if reason is not None and reason != record.SINGLE_CLASS:
            value = np.full(1, np.nan if reason in (record.NO_SHARED, NO_PAIRS) else 1.0)
            numbers = {"observed": value, "expected": value}
        labels = sums["labels"]
        numbers["prevalence"] = labels / max(1.0, float(labels.sum()))
        numbers["per_class"] = _per_class(metric, sums)[None]
        return Answer(value, numbers, reason)

    def std_error(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> float:
        """Of percent agreement, by linearisation: influence (a_i - mean [two annotators]) / n."""
        if metric != "percent_agreement" or sums["cases"][N] < 2:
            return float("nan")
        (a, n), square = sums["cases"][:2], sums["cases squared"]
        total = square[SHARED, SHARED] - 2 * a / n * square[SHARED, N] + (a / n) ** 2 * square[N, N]
        return float(np.sqrt(max(total, 0.0) / (n * (n - 1))))

    def groups(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Array:
        """Labels of each class."""
        return np.asarray(np.rint(sums["labels"])) if "labels" in sums else np.empty(0)


NO_PAIRS = record.NO_PAIRS.format(things="labels")


def _labels(given: Any, classes: Any) -> Judgements:
    """With classes that are the same in all parts."""
    if classes is None and (isinstance(given, (list, tuple)) or hasattr(given, "__array__")):
        raise error("classes", "be given for a table in parts: none of them need hold all classes", None)
    return make.labels_of("labels", given, classes)


def _part(
    form: forms.Form | ordinal.Pairs,
    judged: Judgements,
    settings: dict[str, Any],
    left_out: Mapping[str, int],
    per_class: Array,
    given: Any,
    squares: tuple[str, ...] = (),
    more: Mapping[str, Rows] | None = None,
) -> Part:
    """What a form adds up, with the labels of each class."""
    k = judged.n_classes
    rows = {f"classes {j}": Rows(table.offsets, table.index, table.amount, (k,)) for j, table in enumerate(form.amounts)}
    fixed = {"labels": judged.classes.totals(k, judged.times), "by class": per_class}
    settings = {"classes": plain(judged.names), **settings}
    n_cases = int((~np.isnan(form.per_case)).sum())
    columns, rows = {"cases": form.dense}, {**rows, **(more or {})}
    return Part(settings, len(form.dense), n_cases, left_out, columns, rows, squares, fixed, ids_of(given))


def _shared(metric: str, given: Any, weights: Any = None, classes: Any = None) -> Part:
    """Percent agreement, Fleiss' kappa, AC1, AC2."""
    judged = _labels(given, classes)
    form = forms.Shared(judged, weighted(weights, judged.n_classes), CHANCE[metric])
    squares = ("cases",) if metric == "percent_agreement" else ()
    per_class = by_class.shared_sums(judged, CHANCE[metric])
    return _part(form, judged, {"weights": plain(weights)}, make.few(judged), per_class, given, squares=squares)


def _two(metric: str, given: Any, weights: Any = None, annotators: Any = None, classes: Any = None) -> Part:
    """Cohen's kappa, Scott's pi: of the same two annotators in all parts, in the same order."""
    judged = _labels(given, classes)
    columns, names = _named(judged, annotators)
    pair = make.Pair.of(judged, columns)
    form = pair.form(weights, POOLED[metric])
    settings = {"weights": plain(weights), "annotators": names}
    return _part(form, pair.both, settings, pair.left_out(annotators is not None), by_class.two_sums(*pair[:3]), given)


def _named(judged: Judgements, annotators: Any) -> tuple[list[int], list[Any]]:
    """Positions of the two annotators, beyond all others for one without labels here, and their names."""
    known = judged.annotators
    if len(judged.case) == 0 and len(known) == 0:
        if annotators is None:
            raise error("annotators", "be given for a part without labels", None)
        known = _ids.distinct("annotators", annotators)
    columns = make.pair_named("labels", known, annotators, may_lack=True)
    if annotators is None:
        first, second = sorted(columns, key=lambda column: plain(known[column]))
        return [first, second], plain(known[[first, second]])
    return [len(known) if column < 0 else column for column in columns], plain(_ids.distinct("annotators", annotators))


def _alpha(given: Any, level: str = "nominal", values: Any = None, classes: Any = None, center: Any = None) -> Part:
    """Krippendorff's alpha of labels, or of ratings."""
    option("level", level, LEVELS)
    table = not isinstance(given, (Labels, Ratings))
    if isinstance(given, Ratings) or (table and classes is None and level == "interval"):
        if values is not None or classes is not None:
            raise error("values and classes", "be left out for ratings", "given")
        return ratings.alpha_part(given, level, center)
    if center is not None:
        raise error("center", "be given for ratings only", center)
    judged = _labels(given, classes) if table else read("annotations", given)
    numbers = class_values(values, judged, level)
    settings = {"level": level, "values": plain(numbers)}
    if level == "ordinal":
        pairs, rows = ordinal.part_of(judged, numbers)
        return _part(pairs, judged, settings, make.few(judged), by_class.alpha_sums(judged), given, more=rows)
    size = judged.size[judged.classes.row]
    in_use = np.bincount(judged.classes.index, size >= 2, judged.n_classes) > 0
    unit = _unit(level, numbers, in_use)
    form = forms.Alpha(judged, of_level(level, numbers, in_use))
    form.dense[:, [ALPHA_BETWEEN, ALPHA_WITHIN]] *= unit
    return _part(form, judged, settings, make.few(judged), by_class.alpha_sums(judged), given)


LEAST_UNIT = 1e-300
ALPHA_BETWEEN, ALPHA_N, ALPHA_WITHIN = range(3)  # columns of alpha


def _unit(level: str, values: Array, in_use: NDArray[np.bool_]) -> float:
    """The largest δ² between values in use, in units of the largest between any: part by part others are in use."""
    low, high = float(values.min()), float(values.max())
    if level != "interval" or low == high:
        return 1.0
    if not np.isfinite(high - low):
        raise error("values", "differ by less than 1e308", f"{low} and {high}")
    least, most = ends_of(values, in_use)
    unit = ((most - least) / (high - low)) ** 2
    if most > least and unit < LEAST_UNIT:
        raise error("values", "differ, of classes in use, by at least 1e-150 of what all differ by", f"{least} and {most}")
    return unit


# ---- answers


def _values(metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> forms.Values:
    """(B,) each."""
    cases, k = sums["cases"], len(settings["classes"])
    if metric == "krippendorff_alpha":
        return ordinal.values_of(sums) if settings["level"] == "ordinal" else _alpha_values(settings, cases, sums["classes 0"])
    cost = weighted(settings["weights"], k)
    tables = [sums[name] for name in ("classes 0", "classes 1") if name in sums]
    beside = np.concatenate([cases, *tables], axis=1)
    return forms.shared_of(beside, cost, CHANCE[metric]) if metric in CHANCE else forms.two_of(beside, cost, POOLED[metric])


def _alpha_values(settings: Mapping[str, Any], cases: Array, amounts: Array) -> forms.Values:
    values, used = np.array(settings["values"], np.float64), np.asarray((amounts > 0).any(axis=0))
    unit = _unit(settings["level"], values, used) or 1.0
    pairs = of_level(settings["level"], values, used).bilinear(amounts, amounts)
    return forms.alpha_of(cases[:, ALPHA_BETWEEN] / unit, cases[:, ALPHA_N], cases[:, ALPHA_WITHIN] / unit, pairs)


def _reason(metric: str, settings: Mapping[str, Any], found: forms.Values, sums: Mapping[str, Array]) -> str | None:
    """As the functions give it."""
    if _n(metric, settings, sums) == 0:
        return record.NO_SHARED if metric in POOLED else NO_PAIRS
    if np.isnan(found.value[0]):
        chosen = sums["classes 0" if metric == "krippendorff_alpha" else "labels"][0]
        return record.ONE_CLASS if np.count_nonzero(chosen > 0) < 2 else record.NO_WEIGHT
    return record.SINGLE_CLASS if CHANCE.get(metric) == "gwet" and len(settings["classes"]) == 1 else None


def _n(metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> float:
    """Cases, or for alpha judgements, that are compared."""
    alpha = metric == "krippendorff_alpha"
    return float(sums["cases"][0, ordinal.N if alpha and settings["level"] == "ordinal" else N])


def _per_class(metric: str, sums: Mapping[str, Array]) -> Array:
    """(K,) of each class against all others."""
    given, cases = sums["by class"][0], sums["cases"][0]
    if metric in CHANCE:
        return by_class.shared_of(given, float(cases[N]), float(cases[N + 1]), CHANCE[metric])
    if metric in POOLED:
        return by_class.two_of(given, float(cases[N]), POOLED[metric])
    return by_class.alpha_of(given, float(cases[ALPHA_N if len(cases) > 1 else ordinal.N]))


KIND = Coefficients()
