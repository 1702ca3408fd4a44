"""Stand-ins for the four classifiers of [A], whose predictions were not released: what other annotators of the same cases said."""

from __future__ import annotations

import warnings
from functools import cache, lru_cache
from typing import Any

import numpy as np
from evaluation_dermatology import AUTHORS, MEDIUM, PL_RELIABILITIES, PRIRN_RELIABILITIES, THIN, as_rankings, dermatology

import ugt

MODELS = ("half panel", "single reader")
METRICS = {
    "top-3 accuracy": lambda truth, scores: ugt.ua_topk_accuracy(truth, scores, k=3),
    "top-2 set accuracy": lambda truth, scores: ugt.metrics.ua_set_accuracy(truth, scores, k=2),
    "top-3 set accuracy": lambda truth, scores: ugt.metrics.ua_set_accuracy(truth, scores, k=3),
    "top-3 average overlap": lambda truth, scores: ugt.ua_average_overlap(truth, scores, k=3),
}


@lru_cache(maxsize=1)
def halves() -> tuple[ugt.Rankings, dict[str, Any]]:
    """The first, third, … annotator of each case for the truth; scores (N, 419) from the others. Cases with one annotator are left out."""
    data = dermatology()
    shared = [case for case in data.annotations if len(case) > 1]

    def inverse_rank(parts: list[Any]) -> Any:
        return ugt.irn(as_rankings(parts, data.conditions)).mean()

    panel = inverse_rank([case[1::2] for case in shared])
    models = {"half panel": panel, "single reader": inverse_rank([case[1:2] for case in shared])}
    # a reader names few conditions: a little of what is frequent orders the others, as in a classifier
    scores = {name: model + 1e-3 * panel.mean(0) for name, model in models.items()}
    return as_rankings([case[0::2] for case in shared], data.conditions), scores


@lru_cache(maxsize=2)
def half_truth(model: str, reliability: int) -> Any:
    """The truth of the half that is left."""
    rankings, _ = halves()
    if model == "IRN":
        return ugt.irn(rankings, tie_weight="full")
    if model == "ML":  # where no maximum-likelihood estimate exists, the posterior mode
        return ugt.truth.plackett_luce_mle(rankings, on_nonexistence="map", prior_shape=1.0)
    if model == "PrIRN":
        return ugt.prirn(rankings, reliability=reliability, tie_weight="full")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a few cases just miss the limits for good mixing
        return ugt.plackett_luce(rankings, method="gibbs", reliability=reliability, n_draws=1000, n_thin=THIN[reliability], **AUTHORS)


@cache
def metric(name: str, truth: str, reliability: int, model: str) -> ugt.metrics.Estimate:
    """A metric of a stand-in; ``truth`` is PL, PrIRN, or their point estimates ML and IRN (reliability 0)."""
    return METRICS[name](half_truth(truth, reliability), halves()[1][model])


def reliabilities(truth: str) -> tuple[int, ...]:
    return PL_RELIABILITIES if truth == "PL" else PRIRN_RELIABILITIES


def compute_all() -> None:
    """All metrics, so that every posterior is sampled once."""
    for truth, point in (("PL", "ML"), ("PrIRN", "IRN")):
        for kind, reliability in [(point, 0), *((truth, reliability) for reliability in reliabilities(truth))]:
            for name in METRICS:
                for model in MODELS:
                    metric(name, kind, reliability, model)


def medium(name: str, truth: str, model: str) -> ugt.metrics.Estimate:
    return metric(name, truth, MEDIUM[truth], model)


def range_over_draws(estimate: ugt.metrics.Estimate) -> float:
    """Best less worst case over the draws of the truth, as in figure 7, right."""
    return float(np.ptp(estimate.per_draw))
