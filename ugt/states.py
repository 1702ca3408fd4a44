"""Metrics of cases that are in several places: each place gives a state, which is sums; states are merged; of the sums the metric is made.

``finish(merge([partial(metric, ...), partial(metric, ...)]))`` is what the function ``metric`` says of all cases together. A state holds no
case: hospitals exchange states.
"""

from __future__ import annotations

from ._states.compute import compute
from ._states.kind import HOME_OF
from ._states.making import finish, merge, partial
from ._states.merged import Merged
from ._states.skills import SkillModel, dawid_skene
from ._states.state import State

__all__ = ["METRICS", "Merged", "SkillModel", "State", "compute", "dawid_skene", "finish", "merge", "partial"]

# The metrics that can be made of states, by the names of their functions.
METRICS = tuple(HOME_OF)
