"""Means over cases that are in several places."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array
from .._base.checks import error
from ..resampling import Answer, Part, Ratios, plain
from .estimates import MeanOfCases

ERRORS = ("draw_std", "mc_error")


class Means(Ratios):
    """Σ x_i / n of numbers a case, with what else the record of the function has.

    Fixed sums are n² times the squares of ``draw_std`` and ``mc_error``, then n times the mean set size, then n times every draw.
    """

    n_squared = 2

    def __init__(self, per_case: Array, settings: Mapping[str, Any], left_out: Mapping[str, int], fixed: Array) -> None:
        base = Ratios.of(per_case)
        super().__init__(base.columns, base.of_number)
        self._settings, self.left_out, self.fixed = dict(settings), left_out, fixed

    @classmethod
    def of_record(cls, found: MeanOfCases, options: Mapping[str, Any]) -> Means:
        x, n, draws = found.per_case, found.n_cases, getattr(found, "per_draw", None)
        if np.isinf(x).any():
            raise error("predictions", "have a finite score in every case, to be added up", "inf", f"row {int(np.argmax(np.isinf(x)))}")
        fixed = [(n * getattr(found, name)) ** 2 if n else 0.0 for name in ERRORS if hasattr(found, name)]
        size = getattr(found, "mean_set_size", None)
        fixed += [] if size is None else [size * n if n else 0.0]
        n_draws = 0 if draws is None else len(draws)
        fixed += [] if draws is None else (draws * n if n else np.zeros(n_draws)).tolist()
        numbers = [name for name in ERRORS if hasattr(found, name)] + ["mean_set_size"] * (size is not None)
        return cls(x, {"options": plain(options), "numbers": numbers, "n_draws": n_draws}, found.left_out, np.array(fixed, np.float64))

    @property
    def settings(self) -> dict[str, Any]:
        return self._settings

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> Means:
        return cls(np.full(1, np.nan), settings, {}, np.empty(0))

    def finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """With the errors over draws and of Monte Carlo, the size of the sets, and the value of every draw."""
        found, n, names = super().finish(sums, fixed, left_out), sums[1] or math.nan, self._settings["numbers"]
        numbers = {name: float(np.sqrt(x)) / n if name in ERRORS else float(x) / n for name, x in zip(names, fixed)}
        draws = {"per_draw": fixed[len(names) :] / n} if self._settings["n_draws"] else {}
        return found._replace(numbers={**numbers, **draws})


def means(*functions: Callable[..., MeanOfCases]) -> dict[str, Part]:
    """Parts of functions whose value is the mean over the cases that are defined."""
    return {function.__name__: Part(partial(_read, function), Means.of_settings) for function in functions}


def _read(function: Callable[..., MeanOfCases], data: tuple[Any, ...], options: dict[str, Any]) -> Means:
    return Means.of_record(function(*data, **options), options)
