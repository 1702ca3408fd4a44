"""Coefficients of cases that are in several places: what their parts add up, and what the sums say."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error, option
from .._core import _exact
from ..annotations import Labels, Ratings
from ..resampling import Answer, Part, Statistic, plain
from . import rankings
from .alpha import Alpha, AlphaOfNumbers, OrdinalAlpha, alpha_of
from .coefficients import DECLARED, Coefficient, labels_of, pair_named
from .costs import LEVELS, Cost, class_values, ends_of, of_level, weighted
from .forms import NO_PAIRS, NO_RATING, TINY, Agreed, Form, Values
from .icc import KINDS, LOST, Icc, OneWay, TwoWay
from .kappas import Shared, Two
from .scales import ratings_of
from .table import Judgements, read

TOO_FAR = "ratings differ by too little, beside how far they are from center={:g}, to be told from sums: give a center near them"
LEAST_UNIT = 1e-300
MOST_CLASSES = 1000


class CoefficientInParts(Statistic):
    """A coefficient whose sums are exchanged; of labels with those for each class, which resamples do not need."""

    def __init__(self, form: Form, settings: Mapping[str, Any]) -> None:
        self.form, self._settings, self.names, self.n_cases = form, dict(settings), form.names, form.n_cases
        self.n_squared = form.n_dense if isinstance(form, Shared) and form.chance is None else 0

    @classmethod
    def of(cls, form: Form, settings: Mapping[str, Any]) -> CoefficientInParts:
        """Of the cases of a part."""
        found = cls(form, settings)
        found.left_out = form.missing()
        if not form.ratings:
            found._settings["classes"] = plain(form.judged.names)
            found.fixed = np.concatenate([form.told.classes.totals(form.n_classes, form.judged.times), form.class_sums().ravel()])
        elif not np.isfinite(form.dense).all():
            where = f"row {int(np.argmin(np.isfinite(form.dense).all(axis=1)))}"
            raise error("ratings", "have finite squares about center", "larger ones", where)
        return found

    @property
    def settings(self) -> dict[str, Any]:
        return self._settings

    @property
    def kept(self) -> Bools:
        """(N,) where annotators are compared."""
        return self.form.kept

    @property
    def n_counted(self) -> int:
        """Cases in which annotators are compared."""
        return self.form.n_counted

    def sums(self, cases: Array | None = None) -> Array:
        return self.form.sums(cases)

    def exact_sums(self) -> Array:
        return self.form.exact_sums()

    def exact_squares(self) -> Array:
        c, own = self.n_squared, self.form.dense
        products = _exact.exact_columns(np.ascontiguousarray((own[:, :, None] * own[:, None, :]).reshape(len(own), c * c)))
        return np.asarray(products.reshape(c, c, -1))

    def gradient(self, sums: Array) -> Array:
        """(3,) of percent agreement, 1 - a / n."""
        return np.array([-1 / sums[1], sums[0] / sums[1] ** 2, 0.0])

    def answer(self, sums: Array) -> Array:
        return self.form.answer(sums)

    def finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """With what the sums of all cases say of each class."""
        value, *others, reason = self.form.agreed(sums)
        numbers: dict[str, Any] = dict(zip(self.names[1:], others))
        if not self.form.ratings:
            labels, by_class = np.split(fixed, [self.form.n_classes])
            numbers["prevalence"] = labels / max(1.0, float(labels.sum()))
            numbers["per_class"] = self.form.of_classes(by_class.reshape(-1, self.form.n_classes), sums)
        return Answer(value, numbers, reason)

    def groups(self, sums: Array, fixed: Array) -> Array:
        """Labels of each class."""
        return np.asarray(np.rint(fixed[: self.form.n_classes]))


def labels_in_parts(given: Any, classes: Any) -> Judgements:
    """Labels with classes that are the same in all parts."""
    if classes is None and (isinstance(given, (list, tuple)) or hasattr(given, "__array__")):
        raise error("classes", "be given for a table in parts: none of them need hold all classes", None)
    return labels_of("labels", given, classes)


# ---- declared coefficients


def _read(one: Coefficient, data: tuple[Any, ...], options: Mapping[str, Any]) -> CoefficientInParts:
    """Of labels; a table of labels with ``classes=``."""
    judged, weights = labels_in_parts(data[0], options["classes"]), options.get("weights")
    cost, settings = weighted(weights, judged.n_classes), {"weights": plain(weights)}
    if not one.two:
        return CoefficientInParts.of(Shared(judged, cost, one.chance), settings)
    columns, names = _named(judged, options["annotators"])
    return CoefficientInParts.of(_two(one, judged, columns, cost, options["annotators"] is not None), {**settings, "annotators": names})


def _two(one: Coefficient, judged: Judgements | None, columns: tuple[int, int], cost: Cost, named: bool) -> Two:
    assert one.chance is not None
    return Two(judged, columns, named, cost, one.chance)


def _again(one: Coefficient, settings: Mapping[str, Any]) -> CoefficientInParts:
    cost = weighted(settings["weights"], len(settings["classes"]))
    return CoefficientInParts(_two(one, None, (0, 1), cost, False) if one.two else Shared(None, cost, one.chance), settings)


def _named(judged: Judgements, annotators: Any) -> tuple[tuple[int, int], list[Any]]:
    """Positions of the two annotators, beyond all others for one without labels here, and their names."""
    known = judged.annotators
    if len(judged.label) == 0 and len(known) == 0:
        if annotators is None:
            raise error("annotators", "be given for a part without labels", None)
        known = identifiers.distinct("annotators", annotators)
    columns = pair_named("labels", known, annotators, may_lack=True)
    if annotators is None:
        first, second = sorted(columns, key=lambda column: plain(known[column]))
        return (first, second), plain(known[[first, second]])
    first, second = (len(known) if column < 0 else column for column in columns)
    return (first, second), plain(identifiers.distinct("annotators", annotators))


# ---- Krippendorff's alpha


class AlphaInParts(Alpha):
    """In units of the largest δ² between values of any classes: part by part others are in use."""

    @property
    def dense(self) -> Array:
        unit = self._unit(np.bincount(self.classes.index, self.classes.amount, self.n_classes) > 0)
        return super().dense * [unit, 1.0, unit]

    def parts(self, sums: Array) -> Values:
        """From sums (B, 3 + K), in units of the largest between classes in use."""
        amounts = sums[:, 3:]
        used = np.asarray((amounts > 0).any(axis=0))
        unit = self._unit(used) or 1.0
        pairs = of_level(self.level, self.values_of_classes, used).bilinear(amounts, amounts)
        return alpha_of(sums[:, 0] / unit, sums[:, 1], sums[:, 2] / unit, pairs)

    def _unit(self, in_use: Bools) -> float:
        """The largest δ² between values in use, in units of the largest between any."""
        values = self.values_of_classes
        low, high = float(values.min()), float(values.max())
        if self.level != "interval" or low == high:
            return 1.0
        if not np.isfinite(high - low):
            raise error("values", "differ by less than 1e308", f"{low} and {high}")
        least, most = ends_of(values, in_use)
        unit = ((most - least) / (high - low)) ** 2
        if most > least and unit < LEAST_UNIT:
            raise error("values", "differ, of classes in use, by at least 1e-150 of what all differ by", f"{least} and {most}")
        return unit


class OrdinalInParts(OrdinalAlpha):
    """Mid-ranks are known when all cases are: all pairs of classes have a sum."""

    all_pairs = True


class AlphaAboutCenter(AlphaOfNumbers):
    """Of ratings x less a center, with disagreement as mean squared differences.

    Sums of squares about the center are good to 1e-16 of themselves; what varies by less than LOST of them is not seen well enough.
    """

    names = ("value", "observed disagreement", "expected disagreement")

    def __init__(self, judged: Judgements | None, center: float) -> None:
        super().__init__(judged, 0 if judged is None else judged.n_classes, "interval", np.empty(0) if judged is None else judged.names)
        self.center, self.ratings = center, True

    @property
    def dense(self) -> Array:
        in_use = np.bincount(self.classes.index, self.classes.amount, self.n_classes) > 0
        low, high = ends_of(self.values_of_classes, in_use)
        with np.errstate(over="ignore", invalid="ignore"):
            return super().dense * [(high - low) ** 2, 1.0, (high - low) ** 2, 1.0, 1.0]

    @property
    def _positions(self) -> Array:
        return np.asarray(self.values_of_classes - self.center)

    def _seen(self, sums: Array) -> tuple[Values, Array]:
        """The numbers, and (B,) whether what varies is lost in rounding."""
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
        """From sums (B, 5)."""
        return self._seen(sums)[0]

    def agreed(self, sums: Array | None = None) -> Agreed:
        sums = self._ones if sums is None else sums
        values, (lost,) = self._seen(sums[None])
        value, observed, expected = (float(part[0]) for part in values)
        if not np.isnan(value):
            return Agreed(value, observed, expected, None)
        reason = NO_PAIRS.format(things="ratings") if sums[1] == 0 else TOO_FAR.format(self.center) if lost else NO_RATING
        return Agreed(1.0 if reason == NO_RATING else np.nan, observed, expected, reason)


def _read_alpha(data: tuple[Any, ...], options: Mapping[str, Any]) -> CoefficientInParts:
    """Of labels, or of ratings, near whose ``center`` they are."""
    (given,), level, values, classes, center = data, *(options[name] for name in ("level", "values", "classes", "center"))
    option("level", level, LEVELS)
    table = not isinstance(given, (Labels, Ratings))
    if isinstance(given, Ratings) or (table and classes is None and level == "interval"):
        if values is not None or classes is not None:
            raise error("values and classes", "be left out for ratings", "given")
        if level != "interval":
            raise error("level", "be 'interval' for ratings in parts (labels, with values=, have all levels)", repr(level))
        judged, middle = read("annotations", Ratings.from_wide(given) if table else given), _center(center)
        return CoefficientInParts.of(AlphaAboutCenter(judged, middle), {"level": level, "center": middle})
    if center is not None:
        raise error("center", "be given for ratings only", center)
    judged = labels_in_parts(given, classes) if table else read("annotations", given)
    numbers = class_values(values, judged, level)
    if level == "ordinal":
        if len(np.unique(numbers)) < len(numbers):
            raise error("values", "differ for an ordinal scale", "equal ones")
        if judged.n_classes > MOST_CLASSES:
            must = f"be at most {MOST_CLASSES} for an ordinal scale in parts: all pairs of them are counted"
            raise error("classes", must, judged.n_classes)
    return CoefficientInParts.of(_alpha_form(judged, judged.n_classes, level, numbers), {"level": level, "values": plain(numbers)})


def _alpha_form(judged: Judgements | None, n_classes: int, level: str, values: Array) -> Alpha:
    kind = {"ordinal": OrdinalInParts, "nominal": Alpha}.get(level, AlphaInParts)
    return kind(judged, n_classes, level, values)


def _alpha_again(settings: Mapping[str, Any]) -> CoefficientInParts:
    if "center" in settings:
        return CoefficientInParts(AlphaAboutCenter(None, settings["center"]), settings)
    return CoefficientInParts(
        _alpha_form(None, len(settings["classes"]), settings["level"], np.array(settings["values"], np.float64)), settings
    )


def _center(given: Any) -> float:
    if given is None:
        return 0.0
    if not isinstance(given, (int, float, np.integer, np.floating)) or isinstance(given, bool) or not np.isfinite(given):
        raise error("center", "be a finite number", repr(given))
    return float(given)


# ---- intraclass correlations


def _read_icc(data: tuple[Any, ...], options: Mapping[str, Any]) -> CoefficientInParts:
    """One-way of any annotators; two-way of the cases that the annotators of the data, or those named, all rated."""
    kind, annotators = option("kind", options["kind"], KINDS), options["annotators"]
    judged, middle = ratings_of(data[0]), _center(options["center"])
    settings: dict[str, Any] = {"kind": kind, "center": middle}
    with np.errstate(over="ignore", invalid="ignore"):
        x = judged.names.astype(np.float64) - middle
        if kind.startswith("1"):
            if annotators is not None:
                raise error("annotators", f"be left out for kind {kind!r}", "ids")
            return CoefficientInParts.of(_near(OneWay(judged, kind, x), middle), settings)
        names = _raters(data[0], judged, annotators)
        return CoefficientInParts.of(_near(TwoWay(judged, kind, x, names), middle), {**settings, "annotators": plain(names)})


def _near(form: Icc, center: float) -> Icc:
    form.too_far = TOO_FAR.format(center)
    return form


def _icc_again(settings: Mapping[str, Any]) -> CoefficientInParts:
    kind = settings["kind"]
    return CoefficientInParts(_near((OneWay if kind.startswith("1") else TwoWay)(None, kind), settings["center"]), settings)


def _raters(given: Any, judged: Judgements, named: Any) -> NDArray[Any]:
    """Whose ratings make a case complete, in an order that all parts have."""
    if named is None:
        return np.sort(judged.annotators)
    found = identifiers.distinct("annotators", named)
    strange = identifiers.lookup(found, judged.annotators) < 0
    if strange.any():
        what = "Labels" if isinstance(given, Labels) else "ratings"
        name = identifiers.name(judged.annotators[int(np.argmax(strange))])
        raise error("annotators", f"name all of those of the {what}", f"none of the name {name}")
    return np.sort(found)


PARTS = {
    **rankings.PARTS,
    **{name: Part(partial(_read, one), partial(_again, one)) for name, one in DECLARED.items()},
    "krippendorff_alpha": Part(_read_alpha, _alpha_again, {"center": None}),
    "intraclass_correlation": Part(_read_icc, _icc_again, {"center": None, "annotators": None}),
}
