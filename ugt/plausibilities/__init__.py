r"""Distributions over plausibilities, and the protocol through which metrics use them.

The plausibilities of a case are a distribution over K classes, which annotations leave uncertain. ``Point`` holds one certain vector per
case, ``Dirichlet`` is a posterior with exact results, ``Draws`` holds sampled vectors. Metrics use only the methods of their common base
``Plausibilities``.
"""

from __future__ import annotations

from .._base.checks import error
from .._base.identifiers import unmasked
from ..annotations.bare import check_bare
from ..annotations.named import leader
from .dirichlet import Dirichlet
from .draws import Draws
from .estimates import Certainty, Estimate
from .point import Point
from .protocol import Plausibilities

__all__ = ["Certainty", "Dirichlet", "Draws", "Estimate", "Plausibilities", "Point", "as_plausibilities"]


ADVICE = {
    "Labels": "aggregate them first, for example with ugt.dirichlet",
    "Rankings": "aggregate them first, for example with ugt.prirn",
    "Ratings": "ugt.truth.normal(ratings).to_point(cuts) gives those of the bins between cuts",
    "NormalPosterior": "its method to_point(cuts) gives those of the bins between cuts",
}


def as_plausibilities(truth: object, argument: str = "truth") -> Plausibilities:
    """Return plausibilities or those of a record, an array (N, K) as certain ones, (N, draws, K) as draws; reject other values."""
    if isinstance(truth, Plausibilities):
        return truth
    own = getattr(truth, "plausibilities", None)
    if own is not None:
        return as_plausibilities(own() if callable(own) else own)
    kind = type(truth).__name__
    if kind in ADVICE:
        raise TypeError(f"{argument} must be plausibilities. Got {kind}: {ADVICE[kind]}.")
    try:
        sheet = leader(argument, truth)
        array = unmasked(sheet.values)
    except ValueError:  # rows of different lengths
        raise error(argument, "be plausibilities or an array (N, K) or (N, draws, K)", "rows of different lengths") from None
    if array.ndim == 2:
        check_bare(argument, array, truth=True)
        return Point.from_array(array, case_ids=sheet.rows, classes=sheet.columns)
    if array.ndim == 3:
        return Draws.from_array(array)
    raise TypeError(f"{argument} must be plausibilities or an array (N, K) or (N, draws, K). Got {kind} with {array.ndim} dimensions.")
