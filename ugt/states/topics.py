"""Which metrics can be made of states, and what their own modules say of their parts."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from .._base.checks import option
from ..resampling import Part


def part_of(metric: Any) -> Part:
    """What the module of a metric says of its parts, as ``PARTS``."""
    found = _known(metric) if isinstance(metric, str) else None
    if found is None:
        option("metric", metric, metrics())
    assert found is not None
    return found


def function_of(metric: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module("ugt"), metric)
    return found


def metrics() -> tuple[str, ...]:
    return tuple(sorted(metric for metric in import_module("ugt")._HOME_OF if _known(metric) is not None))


def _known(metric: str) -> Part | None:
    home = import_module("ugt")._HOME_OF.get(metric)
    known: dict[str, Part] = {} if home is None else getattr(import_module(f"ugt.{home}"), "PARTS", {})
    return known.get(metric)
