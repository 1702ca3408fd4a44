"""Agreement coefficients of data in several places: the sums of each part, and the coefficients from the added sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, NDArray
from .._base.checks import error, finite, option
from .._base.wording import arg
from ..annotations import Labels, Ratings
from ..resampling import Part, plain
from . import rankings
from .alpha import Alpha, AlphaOfNumbers, OrdinalAlpha, alpha_of
from .coefficients import DECLARED, Coefficient
from .costs import LEVELS, class_values, ends_of, of_level, weighted, weighted_of
from .forms import NO_PAIRS, NO_RATING, TINY, Agreed, Form, Values
from .icc import KINDS, LOST, Crossed, Icc, OneWay
from .reading import labels_of, pair_named
from .scales import REPEATS, ratings_of
from .table import Judgements, read

TOO_FAR = "ratings differ too little, relative to their distance from center={:g}, to be computed from sums: give a center near them"
LEAST_UNIT = 1e-300
MOST_CLASSES = 1000


def labels_in_parts(given: object, classes: object) -> Judgements:
    """Read the labels of a part; a table needs ``classes``, so that all parts have the same classes."""
    if classes is None and (isinstance(given, (list, tuple)) or identifiers.is_array(given)):
        raise error("classes", "be given for a table in parts, because a part may not hold all classes", None)
    return labels_of(given, classes)


# ---- declared coefficients


def _read(one: Coefficient, data: tuple[Any, ...], options: Mapping[str, Any]) -> Form:
    """Read a part, labels or a table with ``classes=``, into the form of a declared coefficient."""
    judged, weights = labels_in_parts(data[0], options["classes"]), options.get("weights")
    cost, settings = weighted_of(weights, judged), {"weights": plain(weights)}
    if one.several:
        names, at = everyone_of(judged, options["annotators"])
        given = replace(judged.given, annotators=np.array(names), annotator=at[judged.given.annotator])
        return one.form(labels_of(given, None), cost).in_parts({**settings, "annotators": names})
    if not one.two:
        return one.form(judged, cost).in_parts(settings)
    columns, names = _named(judged, options["annotators"])
    return one.form(judged, cost, columns, options["annotators"] is not None).in_parts({**settings, "annotators": names})


def _again(one: Coefficient, settings: Mapping[str, Any]) -> Form:
    return one.form(None, weighted(settings["weights"], len(settings["classes"])), n_annotators=len(settings.get("annotators", ())))


def everyone_of(judged: Judgements, annotators: object) -> tuple[list[Any], Int32]:
    """Return the annotators of all parts, ascending, and the position among them of each annotator of this part."""
    if len(judged.label):
        judged.check_named()
    return identifiers.everyone(judged.annotators, annotators, len(judged.label) > 0)


def _named(judged: Judgements, annotators: object) -> tuple[tuple[int, int], list[Any]]:
    """Return the positions of the two annotators and their names; an annotator without labels here gets a position after all others."""
    known = judged.annotators
    if len(judged.label) == 0 and len(known) == 0:
        if annotators is None:
            raise error("annotators", "be given for a part without labels", None)
        known = identifiers.distinct("annotators", annotators)
    columns = pair_named(known, annotators, may_lack=True)
    if annotators is None:
        first, second = sorted(columns, key=lambda column: plain(known[column]))
        return (first, second), plain(known[[first, second]])
    first, second = (len(known) if column < 0 else column for column in columns)
    return (first, second), plain(identifiers.distinct("annotators", annotators))


# ---- Krippendorff's alpha


class AlphaInParts(Alpha):
    """The form of alpha with sums in units of the largest δ² between any classes, because the classes in use differ between parts."""

    @property
    def dense(self) -> Array:
        unit = self._unit(np.bincount(self.classes.index, self.classes.amount, self.n_classes) > 0)
        return super().dense * [unit, 1.0, unit]

    def parts(self, sums: Array) -> Values:
        """Return the values from sums (B, 3 + K) or (3 + K,), in units of the largest δ² between classes in use."""
        between, n, within = np.atleast_2d(sums)[:, :3].T
        amounts = np.atleast_2d(sums)[:, 3:]
        used = np.asarray((amounts > 0).any(axis=0))
        unit = self._unit(used) or 1.0
        pairs = of_level(self.level, self.values_of_classes, used).bilinear(amounts, amounts)
        return alpha_of(between / unit, n, within / unit, pairs).like(sums)

    def _unit(self, in_use: Bools) -> float:
        """Return the largest δ² between classes in use, in units of the largest between any classes."""
        values = self.values_of_classes
        low, high = float(values.min()), float(values.max())
        if self.level != "interval" or low == high:
            return 1.0
        if not np.isfinite(high - low):
            raise error("values", "differ by less than 1e308", f"{low} and {high}")
        least, most = ends_of(values, in_use)
        unit = ((most - least) / (high - low)) ** 2
        if most > least and unit < LEAST_UNIT:
            raise error("values", "differ, for classes in use, by at least 1e-150 of the range of all", f"{least} and {most}")
        return unit


class AlphaAboutCenter(AlphaOfNumbers):
    """The form of alpha of ratings x less a center, with disagreement as mean squared differences.

    Sums of squares about the center are accurate to 1e-16 of themselves; a variation below LOST of them counts as lost in rounding.
    """

    names = ("value", "observed disagreement", "expected disagreement")

    def __init__(self, judged: Judgements | None, center: float) -> None:
        super().__init__(judged, 0 if judged is None else judged.n_classes, "interval", np.empty(0) if judged is None else judged.names)
        self.center, self.ratings = center, True

    def with_judged(self, judged: Judgements) -> AlphaAboutCenter:
        return AlphaAboutCenter(judged, self.center)

    @property
    def dense(self) -> Array:
        low, high = ends_of(self.values_of_classes, np.bincount(self.classes.index, self.classes.amount, self.n_classes) > 0)
        with np.errstate(over="ignore", invalid="ignore"):
            return super().dense * [(high - low) ** 2, 1.0, (high - low) ** 2, 1.0, 1.0]

    @property
    def _positions(self) -> Array:
        return np.asarray(self.values_of_classes - self.center)

    def _seen(self, sums: Array) -> tuple[Values, Array]:
        """Return the numbers, and (B,) whether the variation is lost in rounding."""
        between, n, within, total, square = sums.T
        about = 2 * n * square
        pairs = np.maximum(about - 2 * total**2 - within, 0.0)
        lost = np.asarray((pairs <= LOST * about) & (between > 0))
        varies = (pairs > TINY * about) & ~lost
        with np.errstate(invalid="ignore", divide="ignore"):
            observed, expected = between / n, pairs / (n * (n - 1))
            value = np.where(varies, 1 - observed / np.where(varies, expected, 1.0), np.nan)
        return Values(value, observed, expected), lost

    def parts(self, sums: Array) -> Values:
        return self._seen(sums)[0]

    def agreed(self, sums: Array | None = None) -> Agreed:
        sums = self._ones if sums is None else sums
        values, (lost,) = self._seen(sums[None])
        value, observed, expected = (float(part[0]) for part in values)
        if not np.isnan(value):
            return Agreed(value, observed, expected, None)
        reason = NO_PAIRS.format(things="ratings") if sums[1] == 0 else TOO_FAR.format(self.center) if lost else NO_RATING
        return Agreed(1.0 if reason == NO_RATING else np.nan, observed, expected, reason)


def _read_alpha(data: tuple[Any, ...], options: Mapping[str, Any]) -> Form:
    """Read a part, labels or ratings near ``center``, into a form of alpha."""
    (given,), level, values, classes, center = data, *(options[name] for name in ("level", "values", "classes", "center"))
    option("level", level, LEVELS)
    table = not isinstance(given, (Labels, Ratings))
    if isinstance(given, Ratings) or (table and classes is None and level == "interval"):
        if values is not None or classes is not None:
            raise error("values and classes", "be left out for ratings", "given")
        if level != "interval":
            raise error(
                "level", "be 'interval' for ratings in parts", repr(level), way="labels, with " + arg("values", ...) + ", have all levels"
            )
        judged = read("annotations", Ratings.from_wide(given) if table else given)
        middle = finite("center", 0.0 if center is None else center)
        return AlphaAboutCenter(judged, middle).in_parts({"level": level, "center": middle})
    if center is not None:
        raise error("center", "be given for ratings only", center)
    judged = labels_in_parts(given, classes) if table else read("annotations", given)
    numbers = class_values(values, judged, level)
    if level == "ordinal" and judged.n_classes > MOST_CLASSES:
        must = f"be at most {MOST_CLASSES} for an ordinal scale in parts, where all pairs of classes are counted"
        raise error("classes", must, judged.n_classes)
    return _alpha_form(judged, judged.n_classes, level, numbers).in_parts({"level": level, "values": plain(numbers)})


def _alpha_form(judged: Judgements | None, n_classes: int, level: str, values: Array) -> Alpha:
    found = {"ordinal": OrdinalAlpha, "nominal": Alpha}.get(level, AlphaInParts)(judged, n_classes, level, values)
    if isinstance(found, OrdinalAlpha):
        found.all_pairs = True  # other parts may have other pairs, and mid-ranks are known only when all cases are
    return found


def _alpha_again(settings: Mapping[str, Any]) -> Alpha:
    if "center" in settings:
        return AlphaAboutCenter(None, settings["center"])
    return _alpha_form(None, len(settings["classes"]), settings["level"], np.array(settings["values"], np.float64))


# ---- intraclass correlations


def _read_icc(data: tuple[Any, ...], options: Mapping[str, Any]) -> Form:
    """Read a part into an intraclass correlation; two-way kinds use the cases that all (or all named) annotators rated."""
    kind, annotators = option("kind", options["kind"], KINDS), options["annotators"]
    judged, middle = ratings_of(data[0]), finite("center", 0.0 if options["center"] is None else options["center"])
    repeats = option("repeats", options.get("repeats"), REPEATS)
    settings: dict[str, Any] = {"kind": kind, "center": middle, "repeats": repeats}
    with np.errstate(over="ignore", invalid="ignore"):
        x = judged.names.astype(np.float64) - middle
        if kind.startswith("1"):
            if annotators is not None:
                raise error("annotators", f"be left out for kind {kind!r}", "ids")
            form: Icc = OneWay(judged, kind, x)
        else:
            names = _raters(data[0], judged, annotators)
            form, settings = Crossed(judged, kind, x, names), {**settings, "annotators": plain(names)}
        form.of_one = repeats == "one"
        return form.in_parts(settings)


def _icc_again(settings: Mapping[str, Any]) -> Icc:
    form = (OneWay if settings["kind"].startswith("1") else Crossed)(None, settings["kind"])
    form.of_one, form.too_far = settings.get("repeats") == "one", TOO_FAR.format(settings["center"])
    return form


def _raters(given: object, judged: Judgements, named: object) -> NDArray[Any]:
    """Return the annotators who must all rate a case, in an order that is the same in all parts."""
    found = judged.annotators if named is None else identifiers.distinct("annotators", named)
    strange = identifiers.lookup(found, judged.annotators) < 0
    if strange.any():
        what = "Labels" if isinstance(given, Labels) else "ratings"
        name = identifiers.name(judged.annotators[int(np.argmax(strange))])
        raise error("annotators", f"name all annotators of the {what}", f"none with the name {name}")
    return np.sort(found)


WHO = {"annotators": None}
PARTS = {
    **rankings.PARTS,
    **{name: Part(partial(_read, one), partial(_again, one), WHO if one.several else {}) for name, one in DECLARED.items()},
    "krippendorff_alpha": Part(_read_alpha, _alpha_again, {"center": None}),
    "intraclass_correlation": Part(_read_icc, _icc_again, {"center": None, **WHO}),
}
