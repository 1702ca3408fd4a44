"""Metrics of cases that are in several places: each place reads its own into a statistic, whose sums are added up."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any, Callable, NamedTuple

import numpy as np

from .statistic import Statistic

NOTHING: Mapping[str, Any] = {}


class Part(NamedTuple):
    """How a metric is made of parts. The module of a public function says it as ``PARTS``, by the function's name.

    Attributes
    ----------
    read : callable
        Of the data, a tuple, and all options: the statistic of the cases of a part, with ``settings``.
    of_settings : callable
        Of such settings: the statistic that answers for their sums.
    more : mapping
        Options that the function does not have, with defaults.
    without : collection of str
        Options of the function that are for cases in one place.
    """

    read: Callable[[tuple[Any, ...], dict[str, Any]], Statistic]
    of_settings: Callable[[Mapping[str, Any]], Statistic]
    more: Mapping[str, Any] = NOTHING
    without: Collection[str] = ()

    def statistic(self, function: Callable[..., Any], data: tuple[Any, ...], given: Mapping[str, Any]) -> Statistic:
        """Of the cases of a part, by the data and options of the function."""
        return self.read(data, options_of(function, data, given, self.more, self.without))


def options_of(
    function: Callable[..., Any],
    data: tuple[Any, ...],
    given: Mapping[str, Any],
    more: Mapping[str, Any] = NOTHING,
    without: Collection[str] = (),
) -> dict[str, Any]:
    """All options of a function whose first arguments are the data: its defaults, where nothing is given.

    Raises
    ------
    TypeError
        If an option is unknown, or data are too many or too few.
    """
    arguments = list(inspect.signature(function).parameters.values())
    needed = [one.name for one in arguments if one.default is one.empty]
    if any(name not in given for name in needed[len(data) :]) or any(one.kind is one.KEYWORD_ONLY for one in arguments[: len(data)]):
        raise TypeError(f"{function.__name__} in parts takes {', '.join(needed)} before its options. Got {len(data)} of data.")
    defaults = {one.name: one.default for one in arguments[len(data) :] if one.name not in without}
    unknown = [name for name in given if name not in defaults and name not in more]
    if unknown:
        raise TypeError(f"{function.__name__} in parts knows no option {unknown[0]!r}")
    return {**defaults, **more, **given}


def plain(value: Any) -> Any:
    """Settings as JSON holds them: numbers, text, lists; a function by its name."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return getattr(value, "__qualname__", "a function") if callable(value) else value
