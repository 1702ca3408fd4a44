"""Means over cases in several parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable

import numpy as np

from .._base.arrays import Array
from .._base.checks import error
from ..resampling import Answer, Merging, NumberFacts, Panel, Part, Ratios, Statistic, finished, plain
from .estimates import ERRORS, SHARE, MeanOfCases, Span


class Means(Ratios):
    """The means Σ x_i / n of several numbers of each case, with the other fields of the record of the function.

    Fixed sums are n² times the squares of ``draw_std`` and ``mc_error``, then n times the mean set size, then n times each draw.
    """

    n_squared = 2
    source: Statistic | None = None  # the statistic of these cases, which may have the annotations of each annotator

    def __init__(self, contributions: object, settings: Mapping[str, Any], left_out: Mapping[str, int], fixed: Array, span: Span) -> None:
        base, self.span = Ratios.of(contributions), span
        super().__init__(base.columns, base.of_number)
        self._settings, self.left_out, self._fixed = dict(settings), left_out, fixed

    @classmethod
    def of_record(cls, found: MeanOfCases, options: Mapping[str, Any], span: Span | None) -> Means:
        x, n, draws = found.per_case, found.n_cases, getattr(found, "per_draw", None)
        if np.isinf(x).any():
            raise error("predictions", "have a finite score in every case, for their sum", "inf", f"row {int(np.argmax(np.isinf(x)))}")
        fixed = [(n * getattr(found, name)) ** 2 if n else 0.0 for name in ERRORS if hasattr(found, name)]
        size = getattr(found, "mean_set_size", None)
        fixed += [] if size is None else [size * n if n else 0.0]
        n_draws = 0 if draws is None else len(draws)
        fixed += [] if draws is None else (draws * n if n else np.zeros(n_draws)).tolist()
        numbers = [name for name in ERRORS if hasattr(found, name)] + ["mean_set_size"] * (size is not None)
        weighted = {"weights": True} if options.get("weights") is not None else {}  # weights of cases, which other parts do not have
        settings = {"options": plain({**options, **weighted}), "numbers": numbers, "n_draws": n_draws}
        if span is None:
            low, high = span = found.span  # type: ignore[attr-defined]
            settings["span"] = [low, None if math.isinf(high) else high]
        each = found.contributions if found._added is None else x + found._added(part=True)
        one = cls(each, settings, found.left_out, np.array(fixed, np.float64), span)
        one.source = found.statistic
        return one

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(scales=("logit" if self.span == SHARE else "identity",))

    @property
    def panel(self) -> Panel:
        return super().panel if self.source is None else self.source.panel

    @property
    def merging(self) -> Merging:
        return super().merging._replace(settings=self._settings, fixed=self._fixed, finish=self._finish)

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any], span: Span | None = SHARE) -> Means:
        if span is None:
            low, high = settings["span"]
            span = low, math.inf if high is None else high
        return cls(np.full(1, np.nan), settings, {}, np.empty(0), span)

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Return the answer with the errors over draws and of Monte Carlo, the size of the sets, and the value of each draw."""
        found, n, names = finished(self, sums, fixed, left_out), sums[1] or math.nan, self._settings["numbers"]
        numbers = {name: float(np.sqrt(x)) / n if name in ERRORS else float(x) / n for name, x in zip(names, fixed)}
        draws = {"per_draw": fixed[len(names) :] / n} if self._settings["n_draws"] else {}
        return found._replace(numbers={**numbers, **draws})


def means(*functions: Callable[..., MeanOfCases], span: Span | None = SHARE) -> dict[str, Part]:
    """Return the parts of functions whose value is the mean, over the defined cases, of numbers in this range; None: of the record."""
    return {function.__name__: Part(partial(_read, function, span), partial(Means.of_settings, span=span)) for function in functions}


def _read(function: Callable[..., MeanOfCases], span: Span | None, data: tuple[Any, ...], options: dict[str, Any]) -> Means:
    return Means.of_record(function(*data, **options), options, span)
