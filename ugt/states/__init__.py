"""Metrics of data in several places: each place computes a state of sums; states are merged, and give the metric.

``finish(merge([partial(metric, ...), partial(metric, ...)]))`` is the result of the function ``metric`` for all cases together. A state
holds no case, so that hospitals can exchange states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .computing import compute
from .making import finish, merge, metrics, partial
from .skills import SkillModel, dawid_skene
from .state import Merged, State

if TYPE_CHECKING:
    METRICS: tuple[str, ...]

__all__ = ["METRICS", "Merged", "SkillModel", "State", "compute", "dawid_skene", "finish", "merge", "partial"]


def __getattr__(name: str) -> tuple[str, ...]:
    """Return ``METRICS``, the names of the functions that support states; the first access imports their modules."""
    if name != "METRICS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = metrics()
    return found
