"""Maxima and profile-likelihood intervals of one positive number, found along its logarithm."""

from __future__ import annotations

from typing import Callable

import numpy as np

from .._base.arrays import Array
from ..resampling import check_level


def maximum(of: Callable[[float], float], grid: Array, values: Array | None = None) -> tuple[float, float]:
    """Return the place and value ``(t, value)`` of a maximum: the best point of a grid, refined between its neighbours unless it is an end.

    ``values``: the function on the grid, if known.
    """
    from scipy.optimize import minimize_scalar  # noqa: PLC0415  (scipy is slow to import)

    values = np.array([of(float(t)) for t in grid]) if values is None else values
    i = int(np.argmax(values))
    if i in (0, len(grid) - 1):
        return float(grid[i]), float(values[i])
    found = minimize_scalar(lambda t: -of(t), bounds=(grid[i - 1], grid[i + 1]), method="bounded", options={"xatol": 1e-9})
    return (float(found.x), -float(found.fun)) if -found.fun > values[i] else (float(grid[i]), float(values[i]))


def ends(of: Callable[[float], float], at: float, top: float, span: tuple[float, float], level: float) -> tuple[float, float]:
    """Return where a log-likelihood with maximum ``top`` at e^``at`` is χ²₁ / 2 lower; 0 or inf on a side on which it never is."""
    from scipy.optimize import brentq  # noqa: PLC0415
    from scipy.special import chdtri  # noqa: PLC0415

    cut = top - float(chdtri(1, 1 - check_level(level))) / 2

    def end(edge: float, open_end: float) -> float:
        return float(np.exp(brentq(lambda t: of(t) - cut, at, edge, xtol=1e-9))) if at != edge and of(edge) < cut else open_end

    return end(span[0], 0.0), end(span[1], np.inf)
