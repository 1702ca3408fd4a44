"""Coverage of intervals and bands of decisions at thresholds over cases, with soft labels of five annotators."""

import numpy as np
import pytest
from simulations import holds, sets

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")
THRESHOLDS = [0.05, 0.1, 0.2, 0.3, 0.5]
MEASURES = ("sensitivity", "specificity", "ppv", "npv", "f1", "mcc", "lr_positive", "lr_negative", "youden")


def drawn(rng, n, prevalence):
    """Shares of five labels and risks, whose prevalence is about this."""
    z, middle = rng.normal(size=n), np.log(prevalence / (1 - prevalence))
    p = rng.binomial(5, 1 / (1 + np.exp(-(middle + 2 * z)))) / 5
    return p, 1 / (1 + np.exp(-(middle + 1.5 * z + 0.8 * rng.normal(size=n))))


def known(prevalence):
    p, s = drawn(np.random.default_rng(7), 400_000, prevalence)
    return ugt.soft.diagnostic_accuracy(p, s, threshold=0.3), ugt.soft.net_benefit(p, s, THRESHOLDS)


@sets(40, 1000)
@pytest.mark.parametrize(("n", "prevalence", "least", "most"), [(60, 0.3, 0.92, 0.99), (200, 0.1, 0.90, 0.99), (500, 0.3, 0.93, 0.97)])
def test_measures_and_curves(n, prevalence, least, most, n_sets):
    true, curve = known(prevalence)
    hits, on_curve, in_band = dict.fromkeys(MEASURES, 0), np.zeros(len(THRESHOLDS)), 0
    for seed in range(n_sets):
        p, s = drawn(np.random.default_rng([seed, n]), n, prevalence)
        found = ugt.soft.diagnostic_accuracy(p, s, threshold=0.3)
        for name in MEASURES:
            low, high = found.interval(of=name, n_resamples=400)
            hits[name] += low <= getattr(true, name) <= high
        benefit = ugt.soft.net_benefit(p, s, THRESHOLDS)
        low, high = benefit.intervals(n_resamples=400).T
        on_curve += (low <= curve.value) & (curve.value <= high)
        low, high = benefit.band(n_resamples=400).T
        in_band += bool(((low <= curve.value) & (curve.value <= high)).all())
    for count in (*hits.values(), *on_curve.tolist()):
        assert holds(count, n_sets, least, most)
    assert holds(in_band, n_sets, 0.91, 0.98)


@sets(60, 400)
def test_a_stated_prevalence_and_chosen_thresholds(n_sets):
    """Enriched samples: predictive values at the prevalence of the population; a chosen threshold is not too good."""
    rng, q = np.random.default_rng(3), 0.05
    p, s = drawn(rng, 400_000, 0.05)
    y = rng.random(len(p)) < p
    q, true = y.mean(), y[s >= 0.2].mean()
    positive, negative = np.flatnonzero(y), np.flatnonzero(~y)
    hits, naive, apart = 0, 0, []
    for _ in range(n_sets):
        rows = np.concatenate([rng.choice(positive, 100), rng.choice(negative, 150)])
        found = [ugt.soft.diagnostic_accuracy(y[rows] * 1, s[rows], threshold=0.2, prevalence=at) for at in (q, None)]
        (low, high), (least, most) = (one.interval(of="ppv", n_resamples=400) for one in found)
        hits, naive = hits + (low <= true <= high), naive + (least <= true <= most)
        chosen = ugt.soft.diagnostic_accuracy(y[rows] * 1, s[rows], threshold="youden")
        at = ugt.soft.diagnostic_accuracy(y * 1, s, threshold=chosen.threshold).youden
        apart.append((chosen.youden - at, chosen.chosen.apparent - at))
    honest, apparent = np.mean(apart, axis=0)
    error = np.std(apart, axis=0)[0] / n_sets**0.5
    assert holds(hits, n_sets, 0.92, 0.98) and naive < 0.1 * n_sets
    assert honest < 4 * error and apparent > honest
