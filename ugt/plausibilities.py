r"""Distributions over plausibilities, and the small protocol that metrics ask of them.

A plausibility is a distribution over K classes; annotations leave it uncertain. ``Point`` is certain of one vector
per case, ``Dirichlet`` is a posterior that answers exactly, ``Draws`` holds sampled vectors. All three answer:

- ``mean()`` (N, K); ``membership(k)`` (N, K): P(class among the best k)
- ``label_probability(sets)``: P(best class in set); ``set_probability(sets)``: P(best \\|set\\| classes = set)
- ``certainty(k)``, ``compare(order, metric, k)``: what certainty.py and accuracy.py are made of
- ``grouped(groups)``: the same over groups of classes; ``draws(n)``

A ``Dirichlet`` also has ``top(n, depth)``: only each draw's best classes.
"""

from __future__ import annotations

from typing import Any, Union

from ._checks import error
from ._ids import unmasked
from ._plausibilities.dirichlet import Dirichlet
from ._plausibilities.draws import Draws
from ._plausibilities.point import Point

__all__ = ["Dirichlet", "Draws", "Plausibilities", "Point", "as_plausibilities"]

Plausibilities = Union[Point, Dirichlet, Draws]


def as_plausibilities(truth: Any, argument: str = "truth") -> Plausibilities:
    """Plausibilities as they are; an array (N, K) as certain ones, (N, draws, K) as draws.

    Raises
    ------
    TypeError
        If it is something else, such as annotations that have not been aggregated yet.
    """
    if isinstance(truth, (Point, Dirichlet, Draws)):
        return truth
    kind = type(truth).__name__
    if kind in ("Labels", "Rankings"):
        advice = "ugt.dirichlet" if kind == "Labels" else "ugt.prirn"
        raise TypeError(f"{argument} must be plausibilities. Got {kind}: aggregate them first, for example with {advice}.")
    try:
        array = unmasked(truth)
    except ValueError:  # older numpy makes an array of lists, which has one dimension
        raise error(argument, "be plausibilities or an array (N, K) or (N, draws, K)", "rows of different lengths") from None
    if array.ndim == 2:
        return Point.from_array(array)
    if array.ndim == 3:
        return Draws.from_array(array)
    raise TypeError(f"{argument} must be plausibilities or an array (N, K) or (N, draws, K). Got {kind} with {array.ndim} dimensions.")
