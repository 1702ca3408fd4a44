"""What the data show of the limits of a corrected mean, as notes."""

from __future__ import annotations

import math

import numpy as np

from .._base import identifiers
from .._base.notes import Note
from .corrected import Corrected

UNLIKE = 0.01  # p-value below which labelled cases are said to be unlike the others
UNLIKE_SPREAD = 0.001  # the same for the spread of the judge's scores, whose law is less normal
FEW_SCORES = 30  # labelled or other cases whose spread is compared
FEW_ERRORS = 10  # labelled cases with an error of the judge that an interval needs
MOST_WEIGHT = 0.5  # of one labelled case, above which a note names it


def _spread_apart(one: Corrected) -> float:
    """Return the p-value of equal variances of the judge's scores of labelled and other cases, in one stratum of equal weights; else 1."""
    from scipy.special import erfc  # noqa: PLC0415  (scipy is slow to import)

    parts = [one.judge[one.labelled], one.judge[~one.labelled]]
    if min(map(len, parts)) < FEW_SCORES or one.stratum.any() or np.ptp(one.weight[one.labelled]) > 0 or np.ptp(one.judge) == 0:
        return 1.0
    squares = [(part - part.mean()) ** 2 for part in parts]
    variance = sum(float(each.var()) / len(each) for each in squares)
    apart = float(squares[0].mean() - squares[1].mean())
    return float(erfc(abs(apart) / math.sqrt(2 * variance))) if variance > 0 else 1.0


def limits_of(one: Corrected) -> list[Note]:
    """Return the limits of the result that the data show."""
    from scipy.special import erfc  # noqa: PLC0415  (scipy is slow to import)

    labelled = int(one.labelled.sum())
    notes = [Note("all_labelled", "all cases are labelled: the judge adds nothing.")] if labelled == one.n_cases else []
    _, correction, _ = one.influences()
    spread, apart = float(np.sqrt(correction @ correction)), one.with_tuning(1.0).estimate[0] - one.with_tuning(0.0).estimate[0]
    if spread > 1e-12 * np.abs(one.judge).max() and erfc(abs(apart) / spread / math.sqrt(2)) < UNLIKE:
        words = "the judge's scores of labelled cases are unlike those of the others (by {apart:.2g}, p < {p}): "
        words += "if they were not chosen at random, give probabilities or strata."
        notes.append(Note("labelled_unlike", words, apart=-apart, p=UNLIKE))
    elif _spread_apart(one) < UNLIKE_SPREAD:
        words = "the judge's scores of labelled cases are spread unlike those of the others (p < {p}): if the judge was fitted to these "
        words += "labels, the interval is too narrow (give the fit as a function, which folds= fits by folds)."
        notes.append(Note("labelled_spread_unlike", words, p=UNLIKE_SPREAD))
    weight = one.balance()
    most = int(np.argmax(weight))
    if weight[most] > MOST_WEIGHT * weight.sum() and labelled > 2:
        who, share = identifiers.name(one.labels.case_ids[most]), 100 * weight[most] / weight.sum()
        words = "case {who} alone has {share:.3g}% of the weight of labelled cases: see its probability."
        notes.append(Note("one_case_heavy", words, who=who, share=share))
    errors = int((one.mean != one.judge)[one.labelled].sum())
    if errors < FEW_ERRORS and one.tuning > 0 and labelled < one.n_cases:
        words = "the judge differs from the labels in {errors} of {labelled} labelled cases: too few to show how often it errs."
        notes.append(Note("few_errors", words, errors=errors, labelled=labelled))
    return notes
