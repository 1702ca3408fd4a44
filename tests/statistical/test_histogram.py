"""Losses against label histograms in simulations whose truth is known: bias, and coverage of intervals.

Means over independent data sets: if an estimator is unbiased, its mean is further than 6.5 of its own standard errors from the truth
with probability 8e-11 by the normal law. Seeds are fixed.
"""

import itertools

import numpy as np
import pytest
from scipy.stats import binom
from simulations import holds, sets

import ugt

FAR = 6.5


def both_classes(positive):
    return np.stack([1 - positive, positive], axis=-1)


def labelled(rng, p, n):
    """(N, 2) counts of n labels each, n a number or one a case."""
    yes = rng.binomial(n, p)
    return np.stack([n - yes, yes], axis=1)


def standard(values, truth):
    """By how many standard errors a mean differs from the truth."""
    return (values.mean(axis=0) - truth) / (values.std(axis=0, ddof=1) / np.sqrt(len(values)))


# ---- [B] fig. 1: an ideal predictor, p uniform, 15 bins
@pytest.mark.parametrize("n_labels", [2, 5])
@pytest.mark.parametrize("n_cases", [100, 300, 1000, 3000, 10_000])
def test_ideal_predictor(n_cases, n_labels):
    rng = np.random.default_rng([n_cases, n_labels])
    names = [(name, part) for name in ("cl", "dl", "el") for part in ("debiased", "plugin")]
    values = []
    for _ in range(300):
        p = rng.random(n_cases)
        found = ugt.histogram_losses(labelled(rng, p, n_labels), both_classes(p))
        values.append([getattr(getattr(found, name), part) for name, part in names])
    z = standard(np.array(values), 0.0)
    assert (np.abs(z[::2]) < FAR).all()
    assert (z[1::2] > 2 * FAR).all()
    # E p (1 - p) / n, twice: the plug-in EL does not improve with the number of cases
    assert np.mean(values, axis=0)[5] == pytest.approx(2 / 6 / n_labels, rel=0.05)


def test_chance_in_calibration_errors():
    """An ideal predictor: the plug-in error is what chance makes of it, and goes down with the cases, not to 0 at once."""
    rng = np.random.default_rng(17)
    for p in (1, 2, 3):
        for n_cases, weighted in ((300, False), (3000, False), (300, True)):
            values = []
            for _ in range(150):
                z, n = rng.random(n_cases), rng.integers(1, 6, n_cases)
                losses = ugt.histogram_losses(labelled(rng, z, n), both_classes(z), weights=n if weighted else None)
                found = losses.calibration_error(p)
                values.append([found.value**p, found.chance**p])
            mean, chance = np.mean(values, axis=0)
            assert mean == pytest.approx(chance, rel=0.15) and mean > 0


def test_ideal_prediction_of_disagreement():
    """The same for disagreement: p (1 - p) is known, and three labels tell it better than two."""
    rng = np.random.default_rng(7)
    values = []
    for _ in range(300):
        p = rng.random(400)
        counts = labelled(rng, p, rng.integers(0, 4, 400))
        found = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(both_classes(p)))
        values.append([found.cl.debiased, found.cl.plugin])
    z = standard(np.array(values), 0.0)
    assert abs(z[0]) < FAR and z[1] > 2 * FAR


# ---- a predictor that is neither calibrated nor sharp
class Model:
    """z is one of five values, each in the middle of a bin; p = 0.5 z + 0.25 ± 0.1."""

    z = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    sides = np.array([-0.1, 0.1])
    p = 0.5 * z[:, None] + 0.25 + sides
    n_bins = 5

    def truth(self):
        """Over both classes, which have the same losses."""
        z, apart = self.z[:, None], self.p.mean(1) - self.z
        el, cl, il = 2 * ((self.p - z) ** 2).mean(), 2 * (apart**2).mean(), 2 * (self.p * (1 - self.p)).mean()
        return {"l_sq": el + il, "el": el, "cl": cl, "dl": el - cl, "il": il}

    def disagreement(self):
        """L and CL; what z and 1 - z predict is in one bin."""
        predicted, observed = 2 * self.z * (1 - self.z), (2 * self.p * (1 - self.p)).mean(1)
        loss = (observed - 2 * observed * predicted + predicted**2).mean()
        folded = (observed + observed[::-1]) / 2
        return {"l_phi": loss, "cl": ((folded - predicted) ** 2).mean()}

    def data(self, rng, n, size=1):
        """Clusters of this size have their z, and the side of their p, in common; 0 to 11 labels."""
        at, side = (np.repeat(rng.integers(0, m, n // size), size) for m in (5, 2))
        return labelled(rng, self.p[at, side], rng.integers(0, 12, n)), both_classes(self.z[at])


def test_truth_of_the_model():
    """By a million cases whose labels are many: five standard errors at most of anything are 1e-3."""
    model, rng = Model(), np.random.default_rng(0)
    at, side = rng.integers(0, 5, 10**6), rng.integers(0, 2, 10**6)
    found = ugt.histogram_losses(labelled(rng, model.p[at, side], 1000), both_classes(model.z[at]), n_bins=5)
    for name, truth in model.truth().items():
        value = found.l_sq if name == "l_sq" else getattr(found, name).debiased
        assert value == pytest.approx(truth, abs=1e-3) and truth > 0.01


@pytest.mark.full
def test_unbiased_losses():
    """Any number of labels, if it does not depend on p; EL, DL and IL are those of the cases with two labels at least."""
    model, rng = Model(), np.random.default_rng(1)
    truth, second = model.truth(), model.disagreement()
    values = []
    for _ in range(2000):
        at, side = rng.integers(0, 5, 150), rng.integers(0, 2, 150)
        counts, probs = labelled(rng, model.p[at, side], rng.integers(0, 5, 150)), both_classes(model.z[at])
        found = ugt.histogram_losses(counts, probs, n_bins=5)
        pairs = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs), n_bins=15)
        parts = [getattr(getattr(found, name), part) for part in ("debiased", "plugin") for name in ("el", "cl", "dl", "il")]
        coarse = ugt.histogram_losses(counts, probs, n_bins=2)
        refined = [one.debiased for one in (found.rl, found.erl, coarse.rl, coarse.erl, pairs.rl)]
        values.append([found.l_sq, *parts, pairs.l_phi, pairs.cl.debiased, pairs.cl.plugin, *refined])
    expected = [truth[name] for name in ("l_sq", "el", "cl", "dl", "il", "el", "cl", "dl", "il")]
    # predictions of each of the five bins are alike: RL = L - CL, ERL = DL; of two, where z = 0.5 goes up with either class, they are not
    shares = [(model.p[rows].ravel(), len(rows) / 5) for rows in ([0, 1], [2, 3, 4], [0, 1, 2], [3, 4])]
    coarse = [sum(weight * part(p) for p, weight in shares) for part in (lambda p: p.mean() * (1 - p.mean()), np.var)]
    second_rl = second["l_phi"] - second["cl"]
    expected += [second["l_phi"], second["cl"], second["cl"], truth["l_sq"] - truth["cl"], truth["dl"], *coarse, second_rl]
    z = standard(np.array(values), expected)
    assert (np.abs(z[[0, 1, 2, 3, 4, 9, 10, 12, 13, 14, 15, 16]]) < FAR).all()
    assert (np.abs(z[[5, 6, 7, 8, 11]]) > 2 * FAR).all()


@pytest.mark.full
def test_unbiased_losses_with_weights():
    """Weights n of labels, which say nothing about p; and weights that the side of p has, which make another truth."""
    model, rng = Model(), np.random.default_rng(11)
    truth, second = model.truth(), model.disagreement()
    values, by_side, plain = [], [], []
    # of a population with the upper side three times as often: calibrated, if z is the mean there
    z_there = model.p @ np.array([1, 3]) / 4
    for _ in range(800):
        at, side, n = rng.integers(0, 5, 80), rng.integers(0, 2, 80), rng.integers(2, 12, 80)
        counts, probs = labelled(rng, model.p[at, side], n), both_classes(model.z[at])
        found = ugt.histogram_losses(counts, probs, n_bins=5, weights=n)
        pairs = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs), weights=n)
        values.append([found.l_sq, *(getattr(found, name).debiased for name in ("el", "cl", "dl", "il")), pairs.l_phi, pairs.cl.debiased])
        values[-1] += [found.cl.plugin]
        there = ugt.histogram_losses(counts, both_classes(z_there[at]), n_bins=5, weights=np.where(side == 1, 3, 1))
        by_side.append([there.cl.debiased, there.cl.plugin])
        # labels that differ much, of cases that do not: the variance is least by weights n
        plain.append([ugt.histogram_losses(counts_, np.full((80, 2), 0.5) * [0.8, 1.2], weights=w).l_sq
                      for counts_ in [labelled(rng, 0.5, n)] for w in (n, None)])  # fmt: skip
    expected = [*truth.values(), second["l_phi"], second["cl"], truth["cl"]]
    z = standard(np.array(values), expected)
    assert (np.abs(z[:7]) < FAR).all()
    assert z[7] > FAR
    means = np.mean(by_side, axis=0)
    assert abs(means[0]) < 0.05 * means[1]
    by_n, alike = np.var(plain, axis=0)
    assert by_n < 0.9 * alike


def test_unbiased_statistics():
    """P(three labels are all different) of each case, over all ways to draw five labels: exactly."""
    p = np.array([0.5, 0.3, 0.2])
    different = 6 * p.prod()
    expected = 0.0
    for labels in itertools.product(range(3), repeat=5):
        counts = np.bincount(labels, minlength=3)
        expected += p[list(labels)].prod() * ugt.calibration.symmetric_statistic([counts], lambda *drawn: len(set(drawn)) == 3, 3)[0]
    assert expected == pytest.approx(different, abs=1e-14)


def test_bias_of_the_entropy():
    """Miller and Madow's correction takes away most of the bias: exactly, over all counts of ten labels."""
    p = np.array([0.6, 0.3, 0.1])
    entropy, n = -(p * np.log(p)).sum(), 10
    means = np.zeros(2)
    for a in range(n + 1):
        for b in range(n + 1 - a):
            found = ugt.calibration.histogram_log_loss([[a, b, n - a - b]], [p])
            weight = binom.pmf(a, n, p[0]) * binom.pmf(b, n - a, p[1] / (p[1] + p[2]))
            means += weight * np.array([found.entropy.plugin, found.entropy.debiased])
    assert abs(means[1] - entropy) < 0.3 * abs(means[0] - entropy)


@pytest.mark.parametrize("n_labels", [1, 4])
def test_bias_of_the_calibration_of_the_log_loss(n_labels):
    """An ideal predictor of three classes, in one group, with cases that differ: most of the bias is taken away; with weights, too."""
    rng = np.random.default_rng(n_labels)
    values = []
    for _ in range(400):
        p = rng.dirichlet([6, 3, 2], 100)
        n = rng.integers(1, 2 * n_labels, 100)
        counts = rng.multinomial(n, p)
        for w in (None, n):
            # all are taken for alike
            part = ugt.calibration.histogram_log_loss(counts, np.tile(np.array([6, 3, 2]) / 11, (100, 1)), weights=w).calibration
            values.append([part.debiased, part.plugin])
    for one in np.array(values).reshape(-1, 2, 2).swapaxes(0, 1):
        z = standard(one, 0.0)
        assert abs(z[0]) < FAR and z[1] > 2 * FAR
        assert abs(one[:, 0].mean()) < 0.1 * one[:, 1].mean()


# ---- coverage
@sets(100, 420)
@pytest.mark.parametrize("size", [1, 4])
def test_coverage(size, n_sets):
    model, rng = Model(), np.random.default_rng(size)
    n, clusters, truth = 240, np.repeat(np.arange(240 // size), size), model.truth()
    refinement = {"rl": truth["l_sq"] - truth["cl"], "erl": truth["dl"]}  # predictions of a bin are alike
    covered, widths = dict.fromkeys([*truth, *refinement, "ce", "ece"], 0), np.zeros(2)
    ece = np.abs(model.p.mean(1) - model.z).mean()
    for seed in range(n_sets):
        found = ugt.histogram_losses(*model.data(rng, n, size), n_bins=5)
        ends = found.resamples(clusters=clusters, n_resamples=80, seed=seed).interval()
        for name, (low, high) in zip(truth, ends):
            covered[name] += low <= truth[name] <= high
        for name, value in refinement.items():
            low, high = ends[found.statistic.names.index(name)]
            covered[name] += low <= value <= high
        low, high = np.sqrt(np.maximum(ends[2], 0))
        covered["ce"] += low <= np.sqrt(truth["cl"]) <= high
        low, high = found.interval(of="ece", clusters=clusters, n_resamples=80, seed=seed)
        covered["ece"] += low <= ece <= high
        if seed < 40:
            widths += np.diff([ends[2], found.resamples(n_resamples=80, seed=seed).interval()[2]])[:, 0]
    for name, hits in covered.items():
        assert holds(hits, n_sets), name
    # intervals that take all cases for independent are too short
    assert widths[0] > 1.2 * widths[1] if size > 1 else widths[0] == widths[1]


@sets(60, 420)
def test_coverage_with_weights(n_sets):
    model, rng = Model(), np.random.default_rng(21)
    truth = model.truth()
    covered = dict.fromkeys(truth, 0)
    for seed in range(n_sets):
        counts, probs = model.data(rng, 240)
        found = ugt.histogram_losses(counts, probs, n_bins=5, weights=counts.sum(axis=1))
        for name, (low, high) in zip(truth, found.resamples(n_resamples=80, seed=seed).interval()):
            covered[name] += low <= truth[name] <= high
    assert all(holds(hits, n_sets) for hits in covered.values()), covered


@pytest.mark.parametrize("weighted", [False, True])
def test_coverage_of_reliability_curves(weighted):
    rng, n_sets = np.random.default_rng(3), 420
    inside = np.zeros(5)
    for _ in range(n_sets):
        z = rng.choice([0.1, 0.3, 0.5, 0.7, 0.9], 200)
        p = rng.beta(6 * z, 6 * (1 - z))
        n = rng.integers(1, 10, 200) if weighted else 4
        losses = ugt.histogram_losses(labelled(rng, p, n), both_classes(z), n_bins=5, weights=n if weighted else None)
        curve = losses.reliability_curve(1)
        inside += (curve.low <= curve.mean_probability) & (curve.mean_probability <= curve.high)
    assert all(holds(hits, n_sets) for hits in inside)


def test_coverage_of_curves_of_disagreement():
    """A model that knows the law of the cases, not on what annotators will agree: its predictions are right in each bin.

    Pairs that share no label are fewer than what four labels tell: up to 100 % of intervals hold it.
    """
    rng, n_sets = np.random.default_rng(5), 420
    inside = np.zeros(2)
    for _ in range(n_sets):
        z, total = np.array([[0.2, 2.0], [0.45, 6.0]])[rng.integers(0, 2, 200)].T
        p, alpha = rng.beta(total * z, total * (1 - z)), total[:, None] * both_classes(z)
        predicted = ugt.calibration.predicted_disagreement(alpha, kind="dirichlet").overall
        curve = ugt.calibration.disagreement_losses(labelled(rng, p, 4), predicted, binning=[0, 0.3, 1]).reliability_curve()
        inside += (curve.low <= curve.mean_probability) & (curve.mean_probability <= curve.high)
    assert all(holds(hits, n_sets, highest=1.0) for hits in inside)
