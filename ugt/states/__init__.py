"""Metrics of cases that are in several places: each place gives a state, which is sums; states are merged; of the sums the metric is made.

``finish(merge([partial(metric, ...), partial(metric, ...)]))`` is what the function ``metric`` says of all cases together. A state holds no
case: hospitals exchange states.
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
    """``METRICS``: those that can be made of states, by the names of their functions; it takes importing them all."""
    if name != "METRICS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = metrics()
    return found
