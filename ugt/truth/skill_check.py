"""The split-panel check under Dawid–Skene, whose skills are estimated from the labels that are not held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._base import notices
from .._base.arrays import Array, Int64, NDArray
from .._base.axes import stream_keys_of
from .._base.ragged import distinct, row_of
from ..annotations import Labels
from ..annotations.first_choices import first_choices
from .held_out import mixed
from .panel_check import PSEUDO_COUNTS, HeldAnnotations, compared, vote_of

REFUTED = 0.05  # p-value below which the error of the estimated skills is found by simulation
N_STUDIES = 39  # simulated studies
MOST_CELLS = 10**5  # most labels x classes of a study that is simulated: about a second for all of them
FARTHEST = 1e-300  # least p-value with a normal score


def of_skills(rest: Labels, out: Labels, options: Mapping[str, Any], vote: Array | None = None, fit: Any = None) -> HeldAnnotations:
    """Return the held-out labels ``out``, compared with Dawid–Skene's truth and the skills of annotators in the ``rest``."""
    vote = vote_of(rest) if vote is None else vote
    fit = fitted(rest, options) if fit is None else fit
    truth, chosen = fit.plausibilities.mean(), first_choices(out)
    at = distinct(chosen.opinion)[0]
    row, who = chosen.case[at], chosen.annotator[at]
    predicted, variance = np.empty(len(row)), np.empty(len(row))
    for a in np.unique(who).tolist():
        own = np.flatnonzero(who == a)
        law, weight = truth[row[own]] @ fit.confusion(rest.annotators[a]), vote[row[own]]
        predicted[own] = (weight * law).sum(1)
        variance[own] = (weight**2 * law).sum(1) - predicted[own] ** 2
    return compared(chosen, vote, row, predicted, variance)


def fitted(rest: Labels, options: Mapping[str, Any]) -> Any:
    """Return Dawid–Skene's fit of the labels that are not held out."""
    from ..annotators import dawid_skene  # noqa: PLC0415  (few checks need it)
    from .by_name import with_annotators  # noqa: PLC0415  (it imports the check)

    return dawid_skene(with_annotators(rest, "dawid-skene"), **{"prior": PSEUDO_COUNTS, **options})


def with_estimated_skills(halves: Any, summed: Any, options: Mapping[str, Any], plain: float) -> float:
    """Return the p-value with the error of the estimated skills, if skills taken as known refute the model (``plain``).

    The normal score z of ``plain`` is compared with those of studies that are simulated from the fit, each fitted anew: Student's law of
    (z - mean) / (sd sqrt(1 + 1/B)) with B - 1 degrees of freedom. Draws depend on the ids of cases, annotators and classes alone.
    """
    from scipy.special import stdtr  # noqa: PLC0415  (scipy is slow to import)

    rest, out = halves.rest, halves.out
    if not plain < REFUTED or (len(rest.label) + len(out.label)) * rest.n_classes > MOST_CELLS:
        return plain
    fit = fitted(rest, options)
    confusion = np.stack([fit.confusion(a) for a in rest.annotators])
    quick = {**options, "n_restarts": 0}
    seeds = mixed(np.asarray(mixed(np.array([halves.seed], np.uint64)) + np.arange(N_STUDIES, dtype=np.uint64), np.uint64))
    studies = (simulated(rest, out, fit.prevalence, confusion, seed) for seed in seeds)
    with notices.heard():  # what is noticed of a simulated study is of no use
        scores = np.array([_score(summed(of_skills(*study, options=quick))) for study in studies])
    score = _score(summed(of_skills(rest, out, options, halves.vote, fit)))
    width = scores.std(ddof=1) * np.sqrt(1 + 1 / N_STUDIES)
    return float(2 * stdtr(N_STUDIES - 1, -abs(score - scores.mean()) / width)) if width > 0 else plain


def simulated(rest: Labels, out: Labels, prevalence: Array, confusion: Array, seed: np.uint64) -> tuple[Labels, Labels]:
    """Return labels of the same annotators on the same cases: true classes by ``prevalence``, labels by ``confusion`` (A, K, K)."""
    keys, classes = mixed(rest.axes.stream_keys + seed), stream_keys_of(rest.axes.classes)
    annotators = mixed(stream_keys_of(rest.annotators))
    truth = _drawn(np.broadcast_to(prevalence, (rest.n_cases, rest.n_classes)), keys, classes)

    def again(known: Labels, half: int) -> Labels:
        case, who = row_of(known.offsets), known.annotator
        first = np.append(True, (case[1:] != case[:-1]) | (who[1:] != who[:-1]))
        place = np.arange(len(case)) - np.flatnonzero(first)[np.cumsum(first) - 1]  # of a further label of the annotator for the case
        numbers = mixed(keys[case] + annotators[who]) + (2 * place + half).astype(np.uint64)
        label = _drawn(confusion[who, truth[case]], mixed(numbers), classes)
        return replace(known, label=label.astype(known.label.dtype))

    return again(rest, 0), again(out, 1)


def _drawn(law: Array, keys: NDArray[np.uint64], classes: NDArray[np.uint64]) -> Int64:
    """Return a class of each row of ``law``: the first event of independent Poisson processes with these rates."""
    uniform = (mixed(keys[:, None] ^ mixed(classes)) | np.uint64(1)) / 2.0**64
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray((-np.log(uniform) / law).argmin(1), np.int64)


def _score(found: tuple[int, float, float, float, float]) -> float:
    """Return the normal score of the difference between the observed and the predicted agreement."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    _, observed, predicted, p_value, _ = found
    return float(np.sign(observed - predicted) * -ndtri(max(p_value, FARTHEST) / 2))
