"""The names that tables have in their columns: metrics, references, truths; and what their words depend on."""

from __future__ import annotations

from ..grades import GRADE_METRICS
from ..metrics.true_class import ANY_DIFFICULTY, LATENT_CLASS
from ..plausibilities.metric import METRICS
from ..resampling import FEW_UNITS
from ..soft.ranking import WORDS as AREAS
from ..truth.by_name import INTEGRALS

__all__ = [
    "ANY_DIFFICULTY",
    "AREAS",
    "COMMONEST",
    "DIRICHLET",
    "ERROR",
    "FEW_UNITS",
    "GRADE_METRICS",
    "INTEGRALS",
    "KAPPA",
    "LATENT_CLASS",
    "MEDIAN",
    "METRICS",
    "PERFECT",
    "TOP",
    "UNWEIGHTED",
    "VOTED",
    "VOTED_ERROR",
    "WITHIN",
    "higher_is_better",
    "in_grades",
    "truth_name",
]  # fmt: skip

DIRICHLET = "dirichlet"  # a posterior, as a condition beside ANY_DIFFICULTY and LATENT_CLASS
TOP, VOTED = "topk_accuracy", "voted_accuracy"
ERROR, VOTED_ERROR = "absolute_error", "voted_absolute_error"
WITHIN, KAPPA = "within_accuracy", "weighted_kappa"  # measures of grades next to the error
MEDIAN, COMMONEST, PERFECT = "always the median", "always the commonest class", "the plausibilities themselves"  # names of references
UNWEIGHTED = "the annotators’ truth"  # a truth without a reliability, which has no number to be told by


def higher_is_better(metric: str) -> bool:
    """Return whether higher values of a metric of an evaluation are better."""
    name = metric[len("voted_") :] if metric.startswith("voted_") else metric
    found = METRICS.get(name) or GRADE_METRICS.get(name)
    return found is None or found.higher_is_better


def in_grades(metric: str) -> bool:
    """Return whether a metric is a number in units of the grades, such as an error."""
    found = GRADE_METRICS.get(metric)
    return found is not None and found.unit == "grades"


def truth_name(reliability: float | None) -> str:
    """Return the name of a truth: its reliability, or that of a truth that has none (point aggregates, fitted models, given ones)."""
    return UNWEIGHTED if reliability is None else f"reliability {reliability:g}"
