"""Intervals over cases and annotators of statistics that users write themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array, NDArray
from .._base.checks import error, function, option
from ..annotations import Labels, Rankings, Ratings
from ..annotations.joins import tells_joins
from ..annotations.other_annotators import case_offsets, only
from .cluster_ids import ids_of_cases
from .design import Design
from .number_facts import NumberFacts
from .panel import Panel
from .spread import SCALES
from .statistic import Statistic
from .two_way_spreads import two_ways_of
from .two_ways import TwoWay

if TYPE_CHECKING:
    from typing import Union

    Annotations = Union[Labels, Rankings, Ratings]


class Own(Statistic):
    """A statistic by a function of annotations and weights of cases, with its influence if that is known."""

    def __init__(self, annotations: object, statistic: Callable[..., Any], influence: Callable[..., Any] | None, scale: str) -> None:
        self._annotations, self.function, self.derivative, self._scale = annotations, statistic, influence, scale
        self.n_cases = len(case_offsets(annotations)) - 1

    def sums(self, cases: Array | None = None) -> Array:
        """Return the function's results."""
        weights = np.ones((1, self.n_cases)) if cases is None else cases
        return np.array([[_number(self.function(self._annotations, row))] for row in weights])

    def answer(self, sums: Array) -> Array:
        """Return the sums."""
        return sums

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(scales=(self._scale,), smooth=False)  # of unknown range: two_way() has no interval over cases alone

    @property
    def panel(self) -> Panel:
        return Panel(lambda: self._annotations, self._judged_by)

    def influence(self) -> Array | None:
        if self.derivative is None:
            return None
        found = np.asarray(self.derivative(self._annotations))
        if found.shape != (self.n_cases,) or found.dtype.kind not in "biuf":
            raise error("influence", f"return {self.n_cases} numbers, one per case", f"{found.dtype} of shape {found.shape}")
        return found.astype(np.float64)[:, None]

    def _judged_by(self, annotators: NDArray[Any]) -> Own:
        return Own(only(self._annotations, annotators), self.function, self.derivative, self._scale)


def _number(answer: object) -> float:
    found = np.asarray(answer)
    if found.dtype.kind not in "biuf" or found.size != 1:
        raise error("statistic", "return a number", f"{found.dtype} of shape {found.shape}")
    return float(found.reshape(-1)[0])


@tells_joins
def two_way(
    annotations: Annotations,
    statistic: Callable[..., Any],
    influence: Callable[..., Any] | None = None,
    *,
    scale: str = "identity",
    clusters: object = None,
) -> TwoWay:
    """Return the spread of your own statistic over other cases and other annotators, both random.

    Parameters
    ----------
    annotations : Labels, Rankings or Ratings
        Annotations with named annotators; not all need to judge all cases.
    statistic : function
        (annotations, (N,) float64 weights of the cases) -> number. It is called without each annotator; if ``influence`` is not given,
        it is called without each unit as well: once for every pair of annotator and unit.
    influence : function, optional
        annotations -> (N,) derivatives of the number by the weight of each case, at weights of 1.
    scale : {"identity", "log", "logit", "complement"}
        Scale on which the number is about normal: log for ratios, logit for shares, complement, log(1 - x), for chance-corrected agreement.
    clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Whole clusters of cases are one unit.

    Returns
    -------
    TwoWay
        Its ``interval`` and the parts of its variance.

    Raises
    ------
    TypeError
        If annotations are of another kind.
    ValueError
        If annotators have no names, if the statistic returns something else, or if an option does not fit.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> labels = ugt.Labels.from_wide([[1, 1, 0, 1, 1], [0, 0, 0, 1, 0], [1, 1, 1, 1, 1], [0, 1, 0, 1, 0], [1, 1, 1, 0, 1]])
    >>> def share(labels, weights):
    ...     counts = labels.counts()
    ...     return weights @ (counts[:, 1] / counts.sum(1)) / weights.sum()
    >>> found = ugt.resampling.two_way(labels, share, scale="logit")
    >>> round(found.value, 3), [round(end, 2) for end in found.interval()]
    (0.64, [0.22, 0.92])
    """
    if not isinstance(annotations, (Labels, Rankings, Ratings)):
        raise TypeError(f"annotations must be Labels, Rankings or Ratings. Got {type(annotations).__name__}.")
    function("statistic", statistic)
    if influence is not None:
        function("influence", influence)
    one = Own(annotations, statistic, influence, option("scale", scale, tuple(SCALES)))
    ids = annotations.case_ids if isinstance(annotations, Ratings) else annotations.axes.case_ids
    given = None if clusters is None else ids_of_cases("clusters", clusters, one.n_cases, ids)
    return two_ways_of(one, [0], Design.of(one.n_cases, given))[0].said()
