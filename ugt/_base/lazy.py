"""Attributes that are computed when they are first read, and kept."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):
        """Without a lock that all objects of a class share: threads that wait for each other's locks would never end.

        Two threads may compute the same value at the same time.
        """

        def __get__(self, instance: object, owner: object = None) -> Any:
            if instance is None:
                return self
            found = instance.__dict__[self.attrname] = self.func(instance)
            return found
