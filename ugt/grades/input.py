"""Reading of grades: the numbers of the grades, and predictions as numbers, grades or probabilities of grades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Axes, OnAxes
from .._base.checks import error, option
from .._base.grades import given_values, grades_of, number_shown, numbers_of
from .._base.identifiers import as_array, is_text
from ..annotations.named import per_class
from ..annotations.named import table as in_order
from ..plausibilities import Plausibilities

KINDS = ("numbers", "grades", "positions", "probabilities")
SUM = 1e-6  # largest deviation of a sum of probabilities from 1
SAME = 1e-9  # largest relative difference of two numbers, or probabilities, that are equal up to rounding


@dataclass(frozen=True, eq=False)
class GradeScale:
    """The numbers (K,) of the grades, in the order of the classes; ``order`` (K,): the classes from the lowest grade to the highest."""

    values: Array
    stated: bool  # whether the numbers were given or are the names of the grades

    @classmethod
    def of(cls, truth: Plausibilities, values: object) -> GradeScale:
        """Return the scale of given values, or of the names of the classes."""
        axes = truth.axes
        if values is not None:
            table = given_values(per_class("values", values, axes.classes), axes.n_classes)
            if len(np.unique(table)) < len(table):
                raise error("values", "differ, because each grade has its own number", repr(values))
            return cls(table, True)
        found = numbers_of(axes.classes)
        if found is None and not getattr(getattr(truth.made_of, "annotations", None), "ordered", False):
            must = "be given, one number per class, if names of classes do not say which grade is higher (or give the labels an order)"
            raise error("values", must, f"None for class {axes.class_name(0)}")
        return cls(grades_of(axes.classes), found is not None)

    @property
    def order(self) -> Int64:
        return np.argsort(self.values, kind="stable")

    @property
    def steps(self) -> Array:
        """The (K - 1,) distances of neighbouring grades."""
        return np.diff(self.values[self.order])

    @property
    def width(self) -> float:
        return float(np.ptp(self.values))


@dataclass(frozen=True, eq=False)
class Predicted:
    """The predictions of N cases: numbers (N,) on the scale of the grades, or laws (N, K) over the grades."""

    kind: str
    numbers: Array | None = None
    law: Array | None = None

    @classmethod
    def of(cls, given: object, axes: Axes, scale: GradeScale, kind: str | None, *, ranks: bool = False) -> Predicted:
        """Read predictions; with ``ranks`` only their order counts, so that numbers need not be on the scale of the grades."""
        table = _as_table(given, axes, kind)
        if table.ndim == 2:
            return cls("probabilities", law=_law(table, axes, kind))
        must = f"be {axes.n_cases} numbers or names of grades, or probabilities of shape {(axes.n_cases, axes.n_classes)}"
        named = is_text(table) or (table.dtype.kind == "O" and all(isinstance(one, str) for one in table.tolist()))
        if table.shape != (axes.n_cases,) or not (named or table.dtype.kind in "iuf"):
            raise error("predictions", must, f"{table.dtype} of shape {table.shape}")
        if named:
            if kind not in (None, "grades"):
                raise error("predictions_are", "be 'grades' for names", repr(kind))
            return cls("grades", scale.values[_places(table, axes)])
        numbers = table.astype(np.float64)
        if not np.isfinite(numbers).all():
            i = int(np.argmin(np.isfinite(numbers)))
            raise error("predictions", "be finite", numbers[i], f"case {axes.case_name(i)}")
        if kind is None:
            kind = "numbers" if ranks else _kind_of(numbers, axes, scale)
        elif kind == "probabilities":
            raise error("predictions", f"be of shape {(axes.n_cases, axes.n_classes)} if they are probabilities", table.shape)
        if kind == "numbers":
            return cls(kind, numbers)
        allowed = np.arange(axes.n_classes, dtype=np.float64) if kind == "positions" else scale.values
        order = np.argsort(allowed)
        at = order[np.minimum(np.searchsorted(allowed[order], numbers), len(order) - 1)]
        bad = allowed[at] != numbers
        if bad.any():
            i = int(np.argmax(bad))
            words = "numbers of the grades" if kind == "grades" else "positions of the grades"
            ends = " to ".join(map(number_shown, (scale.values.min(), scale.values.max())))
            must = f"be {words}, {_listed(np.sort(allowed))} ('numbers' takes any, on the scale of {ends})"
            raise error("predictions", must, number_shown(numbers[i]), f"case {axes.case_name(i)}")
        return cls("grades", scale.values[at])

    def take(self, rows: Any) -> Predicted:
        """Return the predictions of some cases."""
        return Predicted(self.kind, *(None if one is None else one[rows] for one in (self.numbers, self.law)))


def _as_table(given: object, axes: Axes, kind: str | None) -> NDArray[Any]:
    """Return predictions as an array in the order of the cases and classes."""
    if kind is not None:
        option("predictions_are", kind, KINDS)
    if given is None or isinstance(given, OnAxes):
        way = "" if given is None else ": for labels of one annotator, give the grades as an array"
        raise TypeError(f"predictions must be numbers, names of grades or probabilities. Got {type(given).__name__}{way}.")
    return as_array(in_order("predictions", given, axes.case_ids, axes.classes))


def _law(table: NDArray[Any], axes: Axes, kind: str | None) -> Array:
    """Return probabilities (N, K), divided by their sums."""
    if kind not in (None, "probabilities"):
        raise error("predictions", f"be one per case if they are {kind}", f"shape {table.shape}")
    shape = axes.n_cases, axes.n_classes
    if table.dtype.kind not in "iuf" or table.shape != shape:
        raise error("predictions", f"be probabilities of shape {shape}", f"{table.dtype} of shape {table.shape}")
    law = table.astype(np.float64)
    total = law.sum(axis=1)
    bad = ~(np.isfinite(law).all(axis=1) & (law >= 0).all(axis=1) & (np.abs(total - 1.0) <= SUM))
    if bad.any():
        i = int(np.argmax(bad))
        must = "be probabilities, at least 0 and with a sum of 1 in every case (turn scores into probabilities first)"
        raise error("predictions", must, law[i][:8], f"case {axes.case_name(i)}")
    return np.asarray(law / total[:, None])


def _places(names: NDArray[Any], axes: Axes) -> Int64:
    """Return the positions of classes by their names."""
    known = {str(name): k for k, name in enumerate(axes.classes.tolist())}
    unknown = [i for i, name in enumerate(names.tolist()) if name not in known]
    if unknown:
        must = f"be names of the grades, such as {axes.class_name(0)}"
        raise error("predictions", must, repr(str(names[unknown[0]])), f"case {axes.case_name(unknown[0])}")
    return np.array([known[name] for name in names.tolist()], np.int64)


def _kind_of(numbers: Array, axes: Axes, scale: GradeScale) -> str:
    """Return whether numbers are grades or lie between them; ask if they may be something else."""
    among, whole = np.isin(numbers, scale.values), numbers == np.floor(numbers)
    if among.all() and scale.stated:
        return "grades"
    low, high = scale.values.min(), scale.values.max()
    doubtful = (numbers < low) | (numbers > high) | (whole.all() if not scale.stated else (whole & ~among))
    if doubtful.any():
        i = int(np.argmax(doubtful))
        why = f"on a scale of {_listed(np.sort(scale.values))}"
        must = "be given: 'numbers' on the scale of the grades, 'grades', or 'positions' 0 to K - 1"
        raise error("predictions_are", must, f"the prediction {number_shown(numbers[i])} {why}", f"case {axes.case_name(i)}")
    return "numbers"


def _listed(values: Array) -> str:
    shown = [number_shown(value) for value in values.tolist()]
    return ", ".join(shown if len(shown) <= 8 else [*shown[:3], "...", shown[-1]])
