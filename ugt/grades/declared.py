"""The declaration of a metric of grades: everything that lists of metrics show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Callable


@dataclass(frozen=True)
class GradeMetric:
    """A metric of predicted grades, with its words for tables.

    Attributes
    ----------
    name : str
        Name in tables of an evaluation.
    function : callable
        The public function: ``function(truth, predictions, values=None, predictions_are=None)``; its result has ``value`` and the methods
        of all results.
    label, heading : str
        Name in a report, and a shorter one on the command line.
    meaning : str
        A phrase that says what the value is.
    unit : str
        ``"grades"``, ``"grades²"``, ``"share"`` (0 to 1) or ``""`` (a coefficient).
    higher_is_better : bool
        Whether higher values are better.
    numbers : bool
        Whether predictions may be numbers between the grades.
    real : bool
        Whether the truth may be a :class:`NormalPosterior`.
    shown : bool
        Whether it has a row for each model and truth in evaluations; coefficients without one are in the table of coefficients.
    options : mapping
        Options of the function that make it this metric.

    Examples
    --------
    >>> from ugt.grades import GRADE_METRICS
    >>> one = GRADE_METRICS["within_accuracy"]
    >>> one.label, one.unit, one.higher_is_better
    ('Within-one accuracy', 'share', True)
    >>> one.function([[0.5, 0.3, 0.2]], [0]).value
    0.8
    """

    name: str
    function: Callable[..., Any]
    label: str
    heading: str
    meaning: str
    unit: str
    higher_is_better: bool = False
    numbers: bool = True
    real: bool = False
    shown: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)


def declared(*metrics: GradeMetric) -> Mapping[str, GradeMetric]:
    """Return the metrics by name."""
    return MappingProxyType({one.name: one for one in metrics})
