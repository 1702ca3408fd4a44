"""Coverage of intervals with weights of cases: an enriched, stratified sample of a population whose numbers are known.

A register code divides 20,000 cases into three strata of 90, 8 and 2 %, of which 1, 20 and 70 % are positive; a sample has many of the rare
ones. If one case has more than 5 % of the weight, no interval repairs that, and a note says so.
"""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from simulations import holds, sets

import ugt
from ugt._base import notices

pytestmark = pytest.mark.filterwarnings("ignore")
N = 20_000


def population():
    """The stratum of each case, the plausibility of its classes, scores of a model, and counts of four labels."""
    rng = np.random.default_rng(1)
    stratum = rng.choice(3, N, p=[0.9, 0.08, 0.02])
    positive = rng.random(N) < np.array([0.01, 0.2, 0.7])[stratum]
    p = np.where(positive, rng.beta(8, 2, N), rng.beta(1, 25, N))
    chosen = rng.normal(size=N) + 1.8 * positive > 1.2
    said = rng.binomial(4, np.where(positive, 0.8, 0.05))
    return stratum, np.stack([1 - p, p], axis=1), np.eye(2)[chosen.astype(int)], np.stack([4 - said, said], axis=1)


STRATUM, TRUTH, SCORES, COUNTS = population()
SIZES = np.bincount(STRATUM)
AT = np.random.default_rng(2).normal(size=N) + 4 * TRUTH[:, 1]  # scores
OTHER = np.random.default_rng(3).normal(size=N) + 2 * TRUTH[:, 1] + 0.5 * STRATUM  # of a model that knows the register
PROBS = 0.7 * TRUTH + 0.3 * np.random.default_rng(5).dirichlet([2, 1], N)


def measured(name):
    """A measure of the decisions as a metric."""

    def metric(rows, **more):
        found = ugt.soft.diagnostic_accuracy(TRUTH[rows, 1], SCORES[rows, 1], **more)
        return SimpleNamespace(value=getattr(found, name), interval=partial(found.interval, of=name))

    return metric


METRICS = {
    "accuracy": lambda rows, **more: ugt.ua_topk_accuracy(ugt.Point.from_array(TRUTH[rows]), SCORES[rows], **more),
    "kappa": lambda rows, **more: ugt.fleiss_kappa(ugt.Labels.from_counts(COUNTS[rows]), **more),
    "auroc": lambda rows, **more: ugt.soft_auroc(TRUTH[rows, 1], AT[rows], **more),
    "auroc difference": lambda rows, **more: METRICS["auroc"](rows, **more).minus(ugt.soft_auroc(TRUTH[rows, 1], OTHER[rows], **more)),
    "precision": lambda rows, **more: ugt.soft_average_precision(TRUTH[rows, 1], AT[rows], **more),
    "squared loss": lambda rows, **more: ugt.histogram_losses(COUNTS[rows], PROBS[rows], n_bins=5, **more),
    "log loss": lambda rows, **more: ugt.calibration.histogram_log_loss(COUNTS[rows], PROBS[rows], **more),
    "disagreement": lambda rows, **more: ugt.calibration.disagreement_losses(COUNTS[rows], PROBS[rows].prod(1) * 2, n_bins=5, **more),
    **{name: measured(name) for name in ("sensitivity", "ppv", "f1", "mcc")},
}
KNOWN = {name: metric(slice(None)).value for name, metric in METRICS.items()}


def samples(rng, per_stratum, n_sets):
    """Rows of samples without replacement from each stratum, their strata, and what a case represents."""
    members = [np.flatnonzero(h == STRATUM) for h in range(3)]
    weights = (SIZES / np.array(per_stratum))[np.repeat(np.arange(3), per_stratum)]
    for _ in range(n_sets):
        yield np.concatenate([rng.choice(rows, n, replace=False) for rows, n in zip(members, per_stratum)]), weights


@sets(150, 1200)
@pytest.mark.parametrize(
    ("metric", "per_stratum", "least", "most"),
    [
        ("accuracy", (400, 80, 40), 0.93, 0.97), ("accuracy", (100, 100, 100), 0.90, 0.99), ("accuracy", (200, 100, 20), 0.92, 0.98),
        ("kappa", (400, 80, 40), 0.92, 0.98), ("kappa", (600, 60, 60), 0.92, 0.98),
        ("auroc", (600, 60, 60), 0.93, 0.97), ("auroc", (400, 80, 40), 0.93, 0.97), ("precision", (600, 60, 60), 0.93, 0.97),
        ("auroc difference", (600, 60, 60), 0.93, 0.97),
        ("squared loss", (600, 60, 60), 0.93, 0.98), ("log loss", (600, 60, 60), 0.93, 0.98), ("disagreement", (600, 60, 60), 0.93, 0.98),
        *((name, (400, 80, 40), 0.92, 0.98) for name in ("sensitivity", "ppv", "f1", "mcc")), ("ppv", (600, 60, 60), 0.92, 0.98),
    ],
)  # fmt: skip
def test_stratified_samples(metric, per_stratum, least, most, n_sets):
    rng, hits, biased = np.random.default_rng(2), 0, []
    for rows, weights in samples(rng, per_stratum, n_sets):
        low, high = METRICS[metric](rows, case_weights=weights).interval(strata=STRATUM[rows])
        hits += low <= KNOWN[metric] <= high
        biased.append(METRICS[metric](rows).value - KNOWN[metric])
    assert holds(hits, n_sets, least, most)
    error = np.std(biased) / np.sqrt(n_sets)
    assert abs(np.mean(biased)) > 4 * error  # without weights: another number, by more than chance


@sets(100, 600)
def test_one_case_that_weighs_more_than_a_stratum_is_told(n_sets):
    rng = np.random.default_rng(3)
    told = []
    for rows, weights in samples(rng, (10, 30, 30), n_sets):
        with notices.heard() as heard:
            METRICS["accuracy"](rows, case_weights=weights).interval(strata=STRATUM[rows])
        told.append(any(one.code == "heavy_case" for one in heard))
    assert all(told)
    for rows, weights in samples(rng, (400, 80, 40), 10):
        with notices.heard() as heard:
            METRICS["accuracy"](rows, case_weights=weights).interval(strata=STRATUM[rows])
        assert not heard


@sets(150, 1000)
def test_clusters_in_strata(n_sets):
    """Patients of three cases: intervals over cases are too narrow, those over patients are not."""
    rng, hits = np.random.default_rng(4), {"patients": 0, "cases": 0}
    for _ in range(n_sets):
        stratum = np.repeat([0, 1], [90, 60])
        hard = rng.beta(2, 1, 50)[np.repeat(np.arange(50), 3)]
        shares = np.where(stratum == 0, hard, hard / 2)
        right = (rng.random(150) < shares) * 1.0
        weights = np.where(stratum == 0, 10.0, 2.0)
        truth = (900 * (2 / 3) + 120 * (1 / 3)) / 1020
        found = ugt.ua_topk_accuracy(np.stack([right, 1 - right], axis=1), np.tile([[1.0, 0.0]], (150, 1)), case_weights=weights)
        for name, clusters in (("patients", np.arange(150) // 3), ("cases", None)):
            low, high = found.interval(clusters=clusters, strata=stratum)
            hits[name] += low <= truth <= high
    assert holds(hits["patients"], n_sets, 0.93, 0.97)
    assert hits["cases"] < hits["patients"]
