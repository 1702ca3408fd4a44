"""Whether the number of labels of a case depends on the labels: a third reader where two differ."""

from __future__ import annotations

import math

import numpy as np

from .._base.notices import note
from .._base.ragged import row_of
from . import Labels
from .first_choices import first_choices

RARE = 1e-3
MOST_READERS = 20  # before somebody else is asked


def note_adjudicated(labels: Labels) -> None:
    """A note for functions that take the labels of a case as drawn alike."""
    found = adjudicated(labels)
    if found:
        note(found)


def adjudicated(labels: Labels) -> str | None:
    """A note where all cases with the fewest labels are unanimous, too often for chance; None if nothing was seen.

    If how many labels a case has were independent of them, m labels of a case with the fewest would differ as often as m that are drawn
    from the labels of another. With d such differences among the others the probability of none among the former is hypergeometric
    (Fisher's exact test); below 1 in 1,000 the note is given.
    """
    totals = np.bincount(row_of(labels.offsets), labels.count, labels.n_cases)
    totals = totals[totals > 1]
    if len(totals) == 0 or totals.min() == totals.max():  # nearly always, and soon known
        return None
    said = first_choices(labels)
    n_cases, n_classes = labels.n_cases, labels.n_classes
    opinions = said.n_opinions(n_cases)
    several = opinions[opinions > 1]
    if len(several) == 0 or several.min() == several.max():
        return None
    least = int(several.min())
    if least > MOST_READERS:
        return None
    cell, at = np.unique(said.case * n_classes + said.label, return_inverse=True)
    row, times = cell // n_classes, np.bincount(at.reshape(-1), said.share * said.times)
    largest = np.zeros(n_cases)
    np.maximum.at(largest, row, times)
    fewest, others = opinions == least, opinions > least
    if not (largest[fewest] > least - 0.5).all():
        return None
    # of m labels drawn from those of each other case: Σ_k C(n_k, m) / C(n, m)
    chance, total = np.ones(len(row)), opinions[row]
    for j in range(least):
        chance *= np.maximum(times - j, 0) / np.maximum(total - j, 1)
    alike = np.bincount(row, chance, n_cases)[others]
    n, n_others, differ = int(fewest.sum()), int(others.sum()), int((1.0 - alike).sum() + 1e-9)
    if differ == 0 or _none_among(n, n_others, differ) > RARE:
        return None
    return (
        f"All {n:,} cases with {least} labels are unanimous, where of the others {alike.mean():.0%} would be with as few: more annotators "
        "seem to have been asked where the first ones differed. Agreement, kappa, AC1, alpha and debiased losses take labels of a case as "
        "drawn alike and are wrong for such a design; give them the first readings alone, where an order or a role tells which these are."
    )


def _none_among(n: int, n_others: int, d: int) -> float:
    """Probability that d cases drawn from n + n_others are all among the others."""
    log = math.lgamma
    return math.exp(log(n_others + 1) - log(n_others - d + 1) - log(n + n_others + 1) + log(n + n_others - d + 1))
