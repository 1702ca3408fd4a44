"""How many examples property tests take."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

USUAL = settings.get_profile("ugt").max_examples


def examples(n: int, **more: Any) -> settings:
    """n examples with the usual profile, a share of them with ``few``, and more with ``search``."""
    return settings(max_examples=max(2, round(n * settings.default.max_examples / USUAL)), deadline=None, **more)
