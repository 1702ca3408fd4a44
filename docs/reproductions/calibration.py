"""Losses against label histograms and α-calibration [B].

This page computes the simulation of [B] as printed, and its two experiments on generated data. Mimori, Sasada, Matsui and Sato evaluate
predicted class probabilities against several labels per case.

**In short:** the debiased losses of figure 1 are near 0, as in the paper. Most findings of the experiments on private images also appear
on generated features; [table 2](#table-2-and-figure-2-on-generated-data) names those that differ.

Appendix E uses images of digits, and table 2 private images of blood cells. Generated features replace both, as if a network had computed
them. The order of the methods and the size of the changes can be compared there, not the third digit.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from make import Section
from scipy.stats import norm, wasserstein_distance

import ugt
from ugt import plots

# Figure 1: 15 bins of equal width, ten runs, 2 or 5 annotators.
BINS = 15
SIZES = (100, 200, 500, 1000, 2000, 5000, 10000)
RUNS = 10
ESTIMATES = ("plug-in CL", "debiased CL", "plug-in DL", "debiased DL")

# Appendix E, equation 52: mean and concentration of the probability of a positive label, for each digit.
MEAN = np.array([0, 1, *[0.2, 0.4, 0.6, 0.8] * 2])
CONCENTRATION = np.array([np.inf] * 2 + [1 / 20] * 4 + [20.0] * 4)
MODES = {"high confidence": (0, 1), "epistemic": (2, 3, 4, 5), "aleatoric": (6, 7, 8, 9)}
SEPARATION = 8.0  # of the digits in the generated features, in standard deviations of their noise
PREDICTORS = ("raw", "MCDO", "α last_do", "α last_conv")

# Table 2, the calibration error of disagreement as printed: without and with α-calibration.
PRINTED_CE = {
    **{("Raw", "raw"): (0.0628, 0.0406), ("Raw", "ts"): (0.0663, 0.0261), ("Raw", "vs"): (0.0696, 0.0318)},
    **{("MCDO", "raw"): (0.0562, 0.0346), ("MCDO", "ts"): (0.0635, 0.0186), ("MCDO", "vs"): (0.0664, 0.0244)},
    **{("TTA", "raw"): (0.0488, 0.0334), ("TTA", "ts"): (0.0553, 0.0197), ("TTA", "vs"): (0.0598, 0.0247)},
    ("TTA", "ms"): (0.0561, 0.0268),
}
# The first-order columns of table 2 as printed: L_sq, EL, CE, DE of the rows without α.
PRINTED_LOSSES = {
    **{("Raw", "raw"): (0.2515, 0.0435, 0.0600, 0.1998), ("Raw", "ts"): (0.2509, 0.0430, 0.0575, 0.1992)},
    **{("Raw", "vs"): (0.2515, 0.0435, 0.0579, 0.2005), ("MCDO", "raw"): (0.2517, 0.0437, 0.0586, 0.2008)},
    **{("MCDO", "ts"): (0.2515, 0.0435, 0.0579, 0.2004), ("MCDO", "vs"): (0.2521, 0.0441, 0.0589, 0.2016)},
    **{("TTA", "raw"): (0.2458, 0.0378, 0.0642, 0.1837), ("TTA", "ts"): (0.2459, 0.0379, 0.0646, 0.1837)},
    **{("TTA", "vs"): (0.2471, 0.0392, 0.0671, 0.1862), ("TTA", "ms"): (0.2489, 0.0410, 0.0756, 0.1878)},
}


# --- figure 1: an ideal predictor ------------------------------------------------------------------------------------------


@cache
def ideal_losses(n_cases: int, n_labels: int, runs: int = RUNS, seed: int = 0):
    """(runs, 4) losses of one class for a predictor that knows every probability: all are truly 0. Columns: ESTIMATES."""
    rng = np.random.default_rng([seed, n_cases, n_labels])
    rows = []
    for _ in range(runs):
        q = rng.uniform(size=n_cases)
        positive = rng.binomial(n_labels, q)
        probs = np.stack([1 - q, q], axis=1)
        found = ugt.histogram_losses(np.stack([n_labels - positive, positive], axis=1), probs, n_bins=BINS).per_class
        rows.append([found.cl.plugin[1], found.cl.debiased[1], found.dl.plugin[1], found.dl.debiased[1]])
    return np.array(rows)


def expected_losses(n_cases: int, n_labels: int):
    """What the four estimates of an ideal predictor are on average, exactly; q is uniform, bins have the width 1/B.

    Given the predictions, mean labels of a bin with m cases have the variance E q(1 - q) / (n m). The debiased estimate also takes away
    the variance of q within the bin, which is in the labels and in the predictions alike and so was never in the plug-in estimate.
    """
    empty = (1 - 1 / BINS) ** n_cases
    single = n_cases / BINS * (1 - 1 / BINS) ** (n_cases - 1)
    plugin = BINS * (1 - empty) / (6 * n_labels * n_cases)
    debiased = -(1 - empty - single) / (12 * BINS * n_cases)
    return np.array([plugin, debiased, 1 / (6 * n_labels) - plugin, -debiased])


def figure_1():
    rows = []
    for n_labels in (2, 5):
        for n_cases in (100, 1000, 10000):
            found, exact = ideal_losses(n_cases, n_labels).mean(axis=0), expected_losses(n_cases, n_labels)
            rows.append([n_labels, n_cases, *(f"{a:.5f} ({b:.5f})" for a, b in zip(found, exact))])
    return rows


def draw_figure_1(figure):
    axes = figure.subplots(1, 2)
    for panel, (ax, title) in enumerate(zip(axes, ("calibration loss", "dispersion loss"))):
        for column in (2 * panel, 2 * panel + 1):
            for j, n_labels in enumerate((2, 5)):
                runs = np.array([ideal_losses(size, n_labels)[:, column] for size in SIZES])
                half = norm.ppf(0.95) * runs.std(axis=1, ddof=1) / np.sqrt(RUNS)
                style = {"color": plots.COLOURS[j], "marker": plots.MARKERS[j], "linestyle": ":" if column % 2 == 0 else "-"}
                name = f"{ESTIMATES[column][:-3]}, {n_labels} annotators"
                ax.errorbar(SIZES, runs.mean(axis=1), half, markersize=4, capsize=2, linewidth=1.2, label=name, **style)
        ax.axhline(0, color="black", linewidth=0.6)
        ax.set(xscale="log", xlabel="cases", title=title)
    axes[0].set_ylabel("loss of one class (truly 0)")
    axes[0].legend(fontsize=8)


# --- appendix E: three kinds of uncertainty ---------------------------------------------------------------------------------


def digits(n_cases: int, n_labels: int, seed: int):
    """Digits t, probabilities q (eq. 52), labels (N, n) and features (N, 10): a noisy reading of the digit."""
    rng = np.random.default_rng([11, seed])
    t = rng.integers(0, 10, n_cases)
    c = np.where(np.isinf(CONCENTRATION), 1.0, CONCENTRATION)[t]
    inner = np.clip(MEAN[t], 0.1, 0.9)
    q = np.where(np.isinf(CONCENTRATION[t]), MEAN[t], rng.beta(c * inner, c * (1 - inner)))
    labels = rng.uniform(size=(n_cases, n_labels)) < q[:, None]
    return t, q, labels, SEPARATION * np.eye(10)[t] + rng.normal(size=(n_cases, 10))


def positive(features):
    """The best possible probability of a positive label, given the features: that of the digits, weighted by how probable they are."""
    score = SEPARATION * features
    weight = np.exp(score - score.max(axis=1, keepdims=True))
    return weight @ MEAN / weight.sum(axis=1)


def both(z):
    return np.stack([1 - z, z], axis=-1)


def histogram(labels):
    return np.stack([(~labels).sum(axis=1), labels.sum(axis=1)], axis=1)


def logit(z):
    return (np.log(z) - np.log1p(-z))[:, None]


@cache
def appendix_e(n_labels: int, n_validation: int = 10000, n_test: int = 10000):
    """``{name: (disagreement, draws of q (N, S))}`` of the four predictors, fitted where cases have ``n_labels``; and the test."""
    _, _, seen, hidden = digits(n_validation, n_labels, seed=n_labels)
    test = digits(n_test, 10, seed=0)
    features = test[3]
    z_seen, z = (np.clip(positive(h), 1e-12, 1 - 1e-12) for h in (hidden, features))
    rng = np.random.default_rng(5)
    members = np.stack([positive(features + 2.0 * rng.normal(size=features.shape)) for _ in range(20)])
    found = {
        "raw": (ugt.calibration.predicted_disagreement(both(z)), z[:, None]),
        "MCDO": (ugt.calibration.predicted_disagreement(both(members)), members.T),
    }
    for name, fitted, applied in (("α last_do", logit(z_seen), logit(z)), ("α last_conv", hidden, features)):
        laws = ugt.calibration.AlphaCalibration().fit(both(z_seen), histogram(seen), features=fitted).distribution(both(z), applied)
        alpha = np.maximum(laws.alpha, 1e-12)
        found[name] = (laws.disagreement(), rng.beta(alpha[:, 1:], alpha[:, :1], size=(n_test, 20)))
    return found, test


def true_disagreement(mode: str) -> float:
    """Probability that two labels of a case differ, ``2 m (1 - m) c / (c + 1)`` for a Beta law of mean m and concentration c."""
    chosen = list(MODES[mode])
    m, c = MEAN[chosen], CONCENTRATION[chosen]
    return float(np.mean(2 * m * (1 - m) / (1 + 1 / c)))


def digit_rows():
    rows = [["truth (eq. 52)", "", *map(true_disagreement, MODES), *[""] * 3]]
    for n_labels in (2, 5):
        found, (t, q, labels, _) = appendix_e(n_labels)
        for name in PREDICTORS:
            predicted, draws = found[name]
            means = [float(predicted.overall[np.isin(t, chosen)].mean()) for chosen in MODES.values()]
            losses = ugt.calibration.disagreement_losses(histogram(labels), predicted)
            rows.append([name, n_labels, *means, losses.l_phi, f"{losses.cl.debiased:.4f}", distance_from_truth(draws, q, t)])
    return rows


def distance_from_truth(draws, q, t) -> float:
    """Wasserstein distance between the predicted and the true law of q, mean over the digits from 2 to 9."""
    return float(np.mean([wasserstein_distance(draws[t == digit].ravel(), q[t == digit]) for digit in range(2, 10)]))


def draw_digits(figure):
    found, (t, q, _, _) = appendix_e(5)
    rows = {"truth": q[:, None], **{name: found[name][1] for name in PREDICTORS}}
    axes = figure.subplots(len(rows), 10, sharex=True)
    for (name, draws), line in zip(rows.items(), axes):
        for digit, ax in enumerate(line):
            ax.hist(draws[t == digit].ravel(), bins=np.linspace(0, 1, 21), density=True, color="#555555" if name == "truth" else "#0072b2")
            ax.axvline(draws[t == digit].mean(), color="#d55e00", linestyle="--", linewidth=1)
            ax.set(yticks=[], xticks=[0, 1], xlim=(-0.05, 1.05))
            ax.tick_params(labelsize=7)
        line[0].set_ylabel(name.replace(" ", "\n"), rotation=0, ha="right", va="center", fontsize=8)
    for digit, ax in enumerate(axes[0]):
        ax.set_title(digit, fontsize=9)


# --- labels seen one by one --------------------------------------------------------------------------------------------------


@cache
def after_labels(shown: int, mode: str):
    """Epistemic loss after the first labels of a test case were seen: raw, α last_conv, and the law that made the data."""
    _, _, seen, hidden = digits(10000, 5, seed=5)
    t, _, labels, features = digits(40000, 10, seed=1)
    chosen = np.isin(t, MODES[mode])
    t, labels, features = t[chosen], labels[chosen], features[chosen]
    z_seen, z = positive(hidden), positive(features)
    laws = ugt.calibration.AlphaCalibration().fit(both(z_seen), histogram(seen), features=hidden).distribution(both(z), features)
    told, kept = histogram(labels[:, :shown]), histogram(labels[:, 5:])
    means = {
        "raw": both(z),
        "α last_conv": laws.posterior(told).mean,
        "true law": ugt.calibration.label_posterior(both(MEAN[t]) * CONCENTRATION[t, None], told).mean,
    }
    return {name: ugt.histogram_losses(kept, mean).el.debiased for name, mean in means.items()}


def exact_after_labels(shown: int, mode: str) -> float:
    """The same of the true law, on average: twice the variance ``m (1 - m) / (c + 1)`` of q, times ``c / (c + shown)``."""
    chosen = list(MODES[mode])
    m, c = MEAN[chosen], CONCENTRATION[chosen]
    return float(np.mean(2 * m * (1 - m) / (c + 1) * c / (c + shown)))


def update_rows():
    rows = []
    for mode in ("epistemic", "aleatoric"):
        for shown in (0, 1, 2, 5):
            rows.append([mode, shown, *after_labels(shown, mode).values(), exact_after_labels(shown, mode)])
    return rows


# --- table 2 and figure 2: 22 classes -----------------------------------------------------------------------------------------


def softmax(u):
    e = np.exp(u - u.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cells(n_cases: int, mean_labels: float, seed: int, k: int = 22, views: int = 10):
    """Counts, logits of three kinds of prediction (S, N, K), and features: a network that is sure of itself and reads with noise."""
    rng = np.random.default_rng([22, seed])
    share = np.exp(-0.12 * np.arange(k))
    kind = np.searchsorted(np.cumsum(share / share.sum())[:-1], rng.uniform(size=n_cases))
    doubt = rng.normal(size=n_cases)
    true = 1.4 * rng.normal(size=(n_cases, k)) + (7.0 - 1.2 * doubt)[:, None] * np.eye(k)[kind]
    q = rng.gamma(np.maximum(np.exp(1.8 + 1.2 * rng.normal(size=(n_cases, 1))) * softmax(true), 1e-3))
    cumulative = np.cumsum(q / q.sum(axis=1, keepdims=True), axis=1)[:, :-1]
    n = 2 + rng.poisson(mean_labels - 2, n_cases)
    labels = (rng.uniform(size=(n_cases, n.max(), 1)) > cumulative[:, None, :]).sum(axis=2)
    case, place = np.nonzero(np.arange(n.max()) < n[:, None])
    counts = np.bincount(case * k + labels[case, place], minlength=n_cases * k).reshape(n_cases, k)
    shift = np.random.default_rng(1).normal(size=k)  # the same network for both sets

    def seen(noise):
        return 1.15 * (true + noise) + 0.5 * shift

    lasting, passing = (rng.normal(size=(n_cases, k)) for _ in range(2))
    ways = {"Raw": [0 * lasting], "MCDO": 0.4 * rng.normal(size=(views, n_cases, k))}
    logits = {name: np.stack([seen(0.3 * lasting + 0.45 * passing + more) for more in way]) for name, way in ways.items()}
    logits["TTA"] = np.stack([seen(0.3 * lasting + 0.45 * rng.normal(size=(n_cases, k))) for _ in range(views)])
    spread = np.log(q.max(axis=1) / q.sum(axis=1) + 0.05) + 0.5 * rng.normal(size=n_cases)
    return counts, logits, np.column_stack([spread, doubt, np.sort(seen(0.3 * lasting + 0.45 * passing), axis=1)[:, -3:]])


@cache
def table_2(n_validation: int = 5000, n_test: int = 5000):
    """``{(prediction, calibrator): (losses, disagreement losses without α, with α, predictions of both)}`` on the test cases."""
    counts, logits, features = cells(n_validation, 5.79, seed=0)
    judged, views, seen = cells(n_test, 7.58, seed=1)
    calibrators = {
        "raw": None,
        "ts": ugt.calibration.TemperatureScaling(),
        "vs": ugt.calibration.VectorScaling(),
        "ms": ugt.calibration.MatrixScaling(),
    }
    found = {}
    for name, calibrator in calibrators.items():
        apply = calibrator.fit(logits["Raw"][0], counts).transform if calibrator else softmax
        laws = ugt.calibration.AlphaCalibration().fit(apply(logits["Raw"][0]), counts, features=features)
        for way, tables in views.items():
            z = np.stack([apply(table) for table in tables])
            alpha = np.stack([laws.transform(table, seen) for table in z])
            point, law = ugt.calibration.predicted_disagreement(z), ugt.calibration.predicted_disagreement(alpha, kind="dirichlet")
            without, within = (ugt.calibration.disagreement_losses(judged, one) for one in (point, law))
            found[way, name] = (ugt.histogram_losses(judged, z.mean(axis=0)), without, within, (point.overall, law.overall))
    return found


def table_2_rows():
    rows = []
    for way in ("Raw", "MCDO", "TTA"):
        for name in ("raw", "ts", "vs", "ms"):
            losses, without, within, _ = table_2()[way, name]
            printed = [f"{value:.4f}" for value in PRINTED_CE.get((way, name), ())] or ["", ""]
            values = [losses.accuracy, losses.l_sq, losses.el.debiased, losses.ce, losses.de]
            changes = [f"{value:.4f}" for value in (without.l_phi, within.l_phi, without.ce, within.ce)]
            rows.append([way, name, *(f"{value:.4f}" for value in values), *changes, *printed])
    return rows


def draw_table_2(figure):
    left, right = figure.subplots(1, 2)
    found = table_2()
    shown = [("Raw", "raw"), ("Raw", "ts"), ("Raw", "vs"), ("MCDO", "raw"), ("TTA", "raw"), ("TTA", "ts")]
    plots.calibration_dispersion_map({" ".join(key): found[key][0] for key in shown}, ax=left)
    left.locator_params(nbins=4)
    for text in list(left.texts):  # which would lie below markers here
        text.remove()
    left.legend(fontsize=7)
    edges = np.linspace(0, 1, BINS + 1)
    for j, way in enumerate(("Raw", "TTA")):
        _, without, _, predictions = found[way, "ts"]
        for dashes, name, values in zip((":", "-"), ("ts", "ts + α"), predictions):
            index = np.clip(np.digitize(values, edges) - 1, 0, BINS - 1)
            size = np.bincount(index, minlength=BINS)
            kept = size >= 20
            x, y = (np.bincount(index, v, BINS)[kept] / size[kept] for v in (values, without.observed))
            style = {"color": plots.COLOURS[j], "marker": plots.MARKERS[j], "linestyle": dashes}
            right.plot(x, y, label=f"{way} {name}", markersize=4, **style)
    right.plot([0, 0.9], [0, 0.9], color="black", linewidth=0.6)
    right.set(xlabel="predicted disagreement", ylabel="observed disagreement", title="bins with 20 cases or more")
    right.title.set_fontsize(9)
    right.legend(fontsize=8)


# --- the page -------------------------------------------------------------------------------------------------------------------


TEXT_1 = f"""
An ideal predictor of two classes: the probability q of a case is uniform, the labels are drawn from it, and the prediction is q. The true
calibration loss (CL) and dispersion loss (DL) are 0. There are {BINS} bins of equal width and {RUNS} runs; bars are 90% intervals of
their mean, as in the paper. The debiased estimates are near 0 even for 2 annotators. The bias of the plug-in CL falls with the number of
cases, that of the plug-in DL does not.

The paper shows this only as a figure. Numbers in brackets are the exact expectations. For one class the plug-in CL is B / (6 n N), minus
the part of empty bins. The plug-in DL is 1 / (6 n) minus the plug-in CL. *Debiased* is not *unbiased*: the estimate of CL is too small by
1 / (12 B N). The correction also removes the variance of q within a bin, although predictions and labels share it. That is
{1 / (12 * BINS) / (BINS / 12):.2%} of the plug-in bias with 2 annotators.
"""

TEXT_2 = """
Digits 0 and 1 are certain. For 2 to 5, annotators agree with each other on a label that the image does not show (*epistemic*). For 6 to
9, each annotator chooses at random (*aleatoric*). Generated features replace the images: ten numbers, one for each digit, with noise,
which almost always identify the digit.

- `raw` is the best possible probability given these features.
- `MCDO` is the mean of 20 predictions with more noise.
- α-calibration gets the ten features (`last_conv`), or only the logit of the prediction, as after the last layer (`last_do`).

As in the paper, `raw` and `MCDO` have the right mean for every digit and cannot distinguish epistemic from aleatoric. With α-calibration,
the features can and the last layer cannot. Five labels per validation case bring the aleatoric laws nearer to the truth than two. A
debiased loss may be below 0. `last_do` has the smallest calibration loss and is not the best. Its loss L is larger, because it is right
only on average over both kinds of digits.

The paper has two misprints. Equation 52 gives a Beta law with a parameter of 0 for digits 0 and 1 (taken as q = 0 and q = 1 here). The
pairs of digits with equal means, printed as (2, 5), (3, 6), (4, 8), (5, 9), are by that equation (2, 6), (3, 7), (4, 8), (5, 9).
"""

TEXT_3 = """
A prediction as a Dirichlet law determines the weight of one label of the case itself: Dirichlet(α) becomes Dirichlet(α + y). The table
has the epistemic loss of the prediction after the first labels of a test case, computed against its last five. `exact` is the expected
loss of the law that made the data, 2 m (1 − m) / (c + 1) · c / (c + shown).

A point prediction does not change with labels. With α-calibration, the prediction follows the labels at once if annotators agree among
themselves. If they do not, it follows them a little too much, because its penalty and the noise of the features pull α0 down from the
true 20. The paper does not print such numbers; they test the same laws.
"""

TEXT_4 = """
Generated data replace the blood cells. There are 22 classes of unequal frequency, and 5,000 validation and 5,000 test cases with 5.79 and
7.58 labels on average. The paper has the same averages, with 14,144 and 11,110 images. The simulated network is overconfident, shifted by
class, and reads each case with noise. A part of the noise changes from one view of the case to the next, so test-time augmentation (TTA)
averages it out.

Calibrators (temperature, vector, matrix scaling; penalties as in the paper) are fitted on the validation cases; all losses are those of
the test cases. The last two columns are the paper's calibration errors of disagreement; for `ms` it prints only TTA. In the figure on the
left, the epistemic loss is the same along a diagonal.

These findings hold in the paper and here:

- α-calibration lowers the loss and the calibration error of predicted disagreement for every prediction and every calibrator. It leaves
  the first-order losses of Raw unchanged.
- It gains most after temperature and vector scaling, which make the error of disagreement larger without it.
- The gain of TTA is nearly all dispersion loss.
- Most of L_sq is irreducible (here three quarters, in the paper 83%), the same amount for every prediction.

These differ:

- The gains are larger here. The generated concentrations may differ more between cases than those of the images.
- Temperature scaling improves the calibration error only for Raw; in the paper also for MCDO.
- The calibration loss of TTA is above that of Raw only after scaling; in the paper throughout.
"""


def sections():
    estimates = [f"{name} (exact)" for name in ESTIMATES]
    losses = ["accuracy", "L_sq", "EL", "CE", "DE", "L of disagreement", "with α", "CE of disagreement", "with α", "paper: CE", "with α"]
    kinds = ["predictor", "labels", *MODES, "L of disagreement", "CL of disagreement", "distance of laws"]
    return [
        Section("Figure 1: an ideal predictor", TEXT_1, ["annotators", "cases", *estimates], figure_1(), "calibration_1", draw_figure_1),
        Section("Appendix E: probability of disagreement", TEXT_2, kinds, digit_rows(), "calibration_e", draw_digits, (7.5, 4.0)),
        Section("Labels seen one by one", TEXT_3, ["cases", "shown", "raw", "α last_conv", "true law", "exact"], update_rows()),
        Section(
            "Table 2 and figure 2 on generated data",
            TEXT_4,
            ["prediction", "calibrator", *losses],
            table_2_rows(),
            "calibration_2",
            draw_table_2,
            (6.3, 2.8),
        ),
    ]
