"""How well labels show how good their annotators are: whether a fit of latent classes carries a statement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._base.arrays import Array
from .confusions import ConfusionFit
from .information import inverted, squared_scores
from .rows import LabelRows

OPEN = 1 / 3  # standard error of the annotators' accuracies, by their excess over chance, above which plausibilities are too sure
BIAS = 0.5  # of the square of this error: by so much the accuracy under independent errors is off (simulated: 0.4 to 0.6)
OPEN_WORDS = (
    "the labels leave open how good the annotators are: the standard error of their accuracy is {share:.2f} of what it exceeds chance by, "
    "more than a third; more labels per annotator or per case settle it"
)
UNDETERMINED = "the labels do not determine how often the annotators err"
PERFECT = "an annotator is fitted as always right, so that the fit leaves no doubt of the class"


class Known(NamedTuple):
    """How well labels show how good their annotators are: why a fit carries no statement, or "", and the relative error of accuracies."""

    reason: str
    share: float = np.inf


def known(fit: ConfusionFit) -> Known:
    """Return whether a fit carries a statement."""
    scores = np.array([(fit.posterior * direction).sum(axis=1) for direction in fit.directions()]).reshape(-1, len(fit.joint)).T
    covariance, determined = inverted(squared_scores(scores, fit.rows.times))
    if not determined:
        return Known(UNDETERMINED)
    share = relative_error(*fit.accuracies(), covariance, fit.rows)
    return Known(PERFECT if fit.perfect else why_open(share), share)


def why_open(share: float) -> str:
    """Return the reason if the relative standard error of accuracies is too large, or ""."""
    return "" if share <= OPEN else OPEN_WORDS.format(share=share)


def relative_error(accuracy: Array, slope: Array, covariance: Array, rows: LabelRows) -> float:
    """Return the standard error of the tests' accuracies (T,), with these derivatives (D, T), by their excess over chance.

    Both are means over labels.
    """
    labels = rows.given.T @ rows.times
    errors = np.sqrt(np.maximum(((covariance @ slope) * slope).sum(axis=0), 0.0))
    excess = float(labels @ (accuracy - 1 / rows.n_classes))
    return float(labels @ errors) / excess if excess > 0 else np.inf
