"""What a call asks for before it begins is what it takes: never more, and of a table all of it."""

import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import ugt
from ugt._base import checks
from ugt.humans.alternatives import Averages
from ugt.humans.groups import majority
from ugt.humans.input import compare
from ugt.metrics.bounds import Assumed
from ugt.plausibilities import dirichlet_comparison
from ugt.plausibilities.draws import MentionedDraws
from ugt.plausibilities.metric import METRICS
from ugt.plausibilities.orders import Orders
from ugt.plausibilities.sets import _tie_broken, as_sets

N, K, DRAWS = 20_000, 6, 20
rng = np.random.default_rng(0)
COUNTS = rng.multinomial(5, [0.4, 0.2, 0.1, 0.1, 0.1, 0.1], N)
LABELS = ugt.Labels.from_counts(COUNTS)
P = rng.dirichlet(np.ones(K), N)
SCORES = rng.random((N, K))
POSTERIOR = ugt.dirichlet(LABELS, prior=0.5)
FEW = POSTERIOR.take(np.arange(9000))  # few enough for one thread
POINT = ugt.Point.from_array(P)
CONFORMAL = ugt.conformal.MonteCarloConformal(m=5).fit(P, POSTERIOR)
ALPHA = ugt.calibration.AlphaCalibration().fit(P, LABELS)
TEMPERATURE = ugt.calibration.TemperatureScaling(input="probabilities").fit(0.9 * COUNTS / 5 + 0.1 / K, LABELS)
PREDICTED = ugt.calibration.predicted_disagreement(P)
PANEL = ugt.Labels.from_wide(rng.integers(0, 2, (3, 500)), classes=2)
SETS = CONFORMAL.predict_sets(P)
BEST_TWO = Orders.from_dense(SCORES, 2, "expectation").sets(2)
OVERLAP, LISTS = ugt.metrics.ua_overlap(POSTERIOR, SCORES, 2), ugt.ua_average_overlap(POSTERIOR, SCORES, 2)
DISTINCT = ugt.Dirichlet.from_array(P[:2000])
LISTED = POSTERIOR.axes, POSTERIOR.offsets, POSTERIOR.index
MENTIONED = MentionedDraws(*LISTED, rng.random(DRAWS * (len(POSTERIOR.index) + N)), DRAWS, 1, "lump", 1.0, 0)
READERS = rng.integers(0, 2, (N, 4))
MANY = Averages.of(compare(ugt.Labels.from_wide(READERS[:2000].reshape(20, 400)), {"model": np.zeros(20, int)}, "squared"))
DENSE = ugt.Draws.from_array(np.repeat(P[:, None], 3, 1))
BEST = Orders.from_dense(SCORES, 2, "expectation")
ALL_TIED, NOBODY = Orders.from_dense(np.ones((N, K)), 2, "expectation").sets(2), np.full((N, 2), -1, np.int32)
CHOSEN = BEST_TWO.membership(2)
for truth in (POINT, DENSE):  # orders ask first, and are kept
    truth.certainty(1), truth._orders(2)
ENSEMBLE = ugt.calibration.label_posterior([P, P[::-1]], COUNTS, kind="probability")


def asked(monkeypatch, call):
    """Return the bytes that a call asks for first."""
    monkeypatch.setenv("UGT_MEMORY", "1e-12")
    monkeypatch.setattr(checks, "ALWAYS_THERE", 0)
    with pytest.raises(MemoryError) as refused:
        call()
    monkeypatch.undo()
    return 1e9 * float(re.search(r"needs at least ([\d.e+-]+) GB", str(refused.value))[1])


def taken(call):
    """Return the result of a call and the most bytes that it held."""
    tracemalloc.start()
    try:
        found = call()
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# Calls, and the bytes of what their message names for each byte of the result; None: of a twentieth of what the call takes at least.
CALLS = {
    "counts": (LABELS.counts, 1),
    "posterior means": (lambda: ugt.dirichlet(LABELS, prior=0.5).mean(), 2),
    "posterior memberships": (lambda: ugt.dirichlet(LABELS, prior=0.5).membership(2), 1),
    "ranks": (lambda: POSTERIOR._ranks(4), 1),
    "lists": (lambda: dirichlet_comparison._lists(POSTERIOR, 3)[1], 1),
    "best classes of draws": (lambda: POSTERIOR.top(DRAWS, 2), 1),
    "the best of what was mentioned": (lambda: MENTIONED._top(2), 1),
    "draws of what was mentioned": (lambda: MENTIONED.draws(DRAWS), 1),
    "orders of what was mentioned": (lambda: replace(MENTIONED, unranked="ignore")._orders(2).index, 6),
    "memberships": (lambda: POINT.membership(2), 2),
    "coverage": (lambda: POINT.compare_sets(BEST_TWO, METRICS["topk_accuracy"]), None),
    "a comparison": (lambda: POINT._compare(BEST, METRICS["overlap"].number, 2, 0.0, "expectation")[0], 1),
    "groups of draws": (lambda: DENSE.grouped([0, 0, 1, 1, 2, 2]).values, 1),
    "best sets": (lambda: DENSE.certainty(2), None),
    "orders": (lambda: Orders.from_ragged(POINT.offsets, POINT.index, POINT.value, K, 2, "expectation").index, 2),
    "orders of few scores": (lambda: Orders.from_dense(SCORES[:9000], 5, "expectation").index, 2),
    "sets of ties": (lambda: _tie_broken(ALL_TIED, np.arange(N), 2, NOBODY, np.ones(N, bool), str), 2),
    "sets of a mask": (lambda: as_sets(P > 0.1, POSTERIOR.axes).index, 7),
    "majorities": (lambda: majority(LABELS, "drop"), None),
    "bounds of distinct cases": (lambda: Assumed(P, CHOSEN, 2, 50), None),
    "agreement with the next annotator": (lambda: ugt.metrics.next_annotator_agreement(LABELS, SCORES), None),
    "a table of concentrations": (lambda: ugt.dirichlet(LABELS, prior=P).concentration, 1),
    "overlaps": (lambda: POSTERIOR._overlaps(BEST_TWO, np.full(N, 2, np.int32)), 1),
    "the law of a metric": (lambda: OVERLAP._law(np.inf).pmf.base, 1),
    "the law of lists": (lambda: LISTS._law(np.inf).pmf, 8 / 5),
    "a posterior of groups": (lambda: POSTERIOR.grouped([0, 0, 1, 1, 2, 2]).concentration, 4),
    "certainties after two more labels": (lambda: DISTINCT.certainty_after(2, 1, 1.0), 4),
    "posterior draws": (lambda: POSTERIOR.draws(DRAWS), 1),
    "plausibilities": (lambda: ugt.Point.from_array(P).value, 1),
    "means of plausibilities": (POINT.mean, 1),
    "repeated plausibilities": (lambda: POINT.draws(DRAWS), 1),
    "means of what was mentioned": (MENTIONED.mean, 1),
    "draws": (lambda: ugt.Draws.from_array(np.repeat(P[:, None], DRAWS, 1)), None),
    "label counts": (lambda: ugt.Labels.from_counts(COUNTS), None),
    "predictions": (lambda: ugt.Predictions(None, SCORES).scores, 1 / 8),
    "p-values": (lambda: CONFORMAL.p_values(P), 1),
    "sets": (SETS.mask, 1),
    "pairs of labels": (lambda: ugt.calibration.disagreement_losses(COUNTS, PREDICTED).statistic.rows.prob, 12 / 8),
    "annotations that are drawn again": (
        lambda: ugt.resampling.bootstrap_annotations(PANEL, lambda drawn: P[:, 0], n_resamples=DRAWS).values,
        1,
    ),
    "weights of resamples": (lambda: ugt.resampling.Design.of(N).weights(0, 0, DRAWS), 1),
    "pairs of annotators": (lambda: ugt.agreement.pairwise_agreement(PANEL).value, 4),
    "conformal scores": (lambda: ugt.conformal.conformal_scores(P), 1),
    "classes of sets": (lambda: CONFORMAL.predict_sets(P), None),
    "draws of members": (lambda: ENSEMBLE.plausibilities(DRAWS).draws(DRAWS), 2),
    "a conformal fit": (lambda: ugt.conformal.MonteCarloConformal(m=5).fit(P, POSTERIOR), None),
    "concentrations": (lambda: ALPHA.transform(P), 2),
    "calibrated probabilities": (lambda: TEMPERATURE.transform(P), 1),
    "bounds": (lambda: ugt.metrics.accuracy_bounds(FEW, np.ones((9000, K))), None),
    "points of annotators": (lambda: ugt.humans.annotator_roc_points(READERS).statistic.columns, 2),
    "sums of pairs of annotators": (MANY.sums, 1),
    "soft labels": (lambda: ugt.soft_auroc(LABELS, SCORES), None),
    "histograms": (lambda: ugt.histogram_losses(LABELS, P), None),
}


@pytest.mark.filterwarnings("ignore:The truth depends on the predictions")
@pytest.mark.parametrize("name", CALLS)
def test_what_is_asked_for_is_taken(monkeypatch, name):
    call, share = CALLS[name]
    wanted = asked(monkeypatch, call)
    found, most = taken(call)
    assert wanted <= 1.01 * most
    assert wanted == pytest.approx(share * found.nbytes, rel=0.01) if share else wanted > most / 20
