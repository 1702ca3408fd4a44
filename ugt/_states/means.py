"""Means over cases: certainty, uncertainty-adjusted metrics, scores of label histograms, agreement of annotators left out in turn."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import error
from .kind import Answer, Kind, plain
from .part import Part, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

VALUE, COUNTED = 0, 1  # columns


class Means(Kind):
    """Σ x_i / n of numbers a case."""

    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """From the function's own answer on these cases."""
        found = getattr(import_module("ugt"), metric)(*data, **options)
        x = found.per_case
        defined = ~np.isnan(x)
        if np.isinf(x).any():
            raise error("predictions", "have a finite score in every case, to be added up", "inf", f"row {int(np.argmax(np.isinf(x)))}")
        columns = {"mean": np.stack([np.where(defined, x, 0.0), defined * 1.0], axis=1)}
        n = found.n_cases
        fixed = {"variances": np.array([_square(n * getattr(found, name, 0.0)) for name in ("draw_std", "mc_error")])}
        size = getattr(found, "mean_set_size", None)
        if size is not None:
            fixed["set sizes"] = np.array([size * n])
        per_draw = getattr(found, "per_draw", None)
        if per_draw is not None:
            fixed["draws"] = per_draw * n
        return Part({"options": plain(options)}, len(x), n, dict(found.left_out), columns, {}, ("mean",), fixed, ids_of(*data))

    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """With the standard deviation over draws of the truth."""
        total, n = sums["mean"][:, VALUE], sums["mean"][:, COUNTED]
        with np.errstate(invalid="ignore", divide="ignore"):
            value = total / np.where(n > 0, n, np.nan)
            spread = {} if "variances" not in sums else {
                name: np.sqrt(sums["variances"][:, j]) / n for j, name in enumerate(("draw_std", "mc_error"))
            }  # fmt: skip
            extra = {"mean_set_size": sums["set sizes"][:, 0] / n} if "set sizes" in sums else {}
            draws = {"per_draw": sums["draws"] / n[:, None]} if "draws" in sums else {}
        return Answer(value, {**spread, **extra, **draws}, None if n[0] else "no case is left")

    def std_error(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> float:
        """sqrt(Σ (x - mean)² / (n (n - 1)))."""
        (total, n), square = sums["mean"], sums["mean squared"][VALUE, VALUE]
        return float(np.sqrt(max(square - total**2 / n, 0.0) / (n * (n - 1)))) if n >= 2 else float("nan")


def _square(x: float) -> float:
    return 0.0 if np.isnan(x) else float(x) ** 2


KIND = Means()
