"""Metrics of cases that are in several places: each place reads its cases into a statistic, and the sums are added up."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base.checks import error
from .statistic import Statistic

ROWS = ("frequency", "case_weights")  # the arguments of functions whose rows may stand for several cases
NOTHING: Mapping[str, Any] = {}


class Part(NamedTuple):
    """How a metric is computed in parts; the module of a public function declares it in ``PARTS``, by the function's name.

    Attributes
    ----------
    read : callable
        From the data, a tuple, and all options to the statistic of the cases of a part, with ``settings``.
    of_settings : callable
        From such settings to the statistic that computes the answer from their sums.
    more : mapping
        Options that the function does not have, with defaults.
    without : collection of str
        Options of the function that need all cases in one place.
    """

    read: Callable[[tuple[Any, ...], dict[str, Any]], Statistic]
    of_settings: Callable[[Mapping[str, Any]], Statistic]
    more: Mapping[str, Any] = NOTHING
    without: Collection[str] = ()

    def statistic(self, function: Callable[..., Any], data: tuple[Any, ...], given: Mapping[str, Any]) -> Statistic:
        """Return the statistic of the cases of a part, from the data and options of the function."""
        return self.read(data, options_of(function, data, given, self.more, self.without))


def options_of(
    function: Callable[..., Any],
    data: tuple[Any, ...],
    given: Mapping[str, Any],
    more: Mapping[str, Any] = NOTHING,
    without: Collection[str] = (),
) -> dict[str, Any]:
    """Return all options of a function whose first arguments are the data, with defaults for those not given.

    Raises
    ------
    TypeError
        If an option is unknown, or data are too many or too few.
    ValueError
        If frequencies of rows are given.
    """
    arguments = list(inspect.signature(function).parameters.values())
    needed = [one.name for one in arguments if one.default is one.empty]
    if any(name not in given for name in needed[len(data) :]) or any(one.kind is one.KEYWORD_ONLY for one in arguments[: len(data)]):
        raise TypeError(f"{function.__name__} in parts takes {', '.join(needed)} before its options. Got {len(data)} positional arguments.")
    for name in ROWS:
        if given.get(name) is not None:
            raise error(name, "be left out in parts, whose sums take each row for one case", type(given[name]).__name__)
    defaults = {one.name: one.default for one in arguments[len(data) :] if one.name not in (*without, *ROWS)}
    unknown = [name for name in given if name not in defaults and name not in more and name not in ROWS]
    if unknown:
        raise TypeError(f"{function.__name__} in parts knows no option {unknown[0]!r}")
    return {**defaults, **more, **{name: one for name, one in given.items() if name not in ROWS}}


def plain(value: object) -> Any:
    """Return settings as JSON can hold them: numbers, text, lists; a function by its name."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return getattr(value, "__qualname__", "a function") if callable(value) else value
