"""The discrepancy ratio [C].

This page computes the simulations of [C] again, and compares its other printed numbers with exact values. Lovchinsky and others measure
how far a model is from annotators, in units of how far annotators are from each other: Δ = μ / α.

**In short:** the simulations behave as in the paper, and most of its printed numbers agree with exact values. The exceptions are named
where they occur.

The first experiment corrupts the labels of the MNIST test set and uses no image, so ten generated classes replace it. The echocardiograms
of the other experiments are private, and generated data of the same kind replace them.
"""

from __future__ import annotations

from functools import cache
from math import comb, factorial

import echocardiography
import numpy as np
from make import Section

import ugt
from ugt import plots

CLASSES = 10
CASES = 10000  # as many as the MNIST test set has
MODELS = (1.0, 0.9, 0.8)  # share of labels that a model has right
SWAPS = (0.01, 0.05, 0.1, 1 / 9, 0.2, 2 / 9, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
RUNS = 5
FIXED = 0.3  # the swap probability of the paper's panels c and d
COUNTS = (1, 2, 3, 5, 7, 9, 12, 15)  # annotators whose vote is the truth of relative F1
STRICT = (0.0, 0.2, 0.4, 0.6, 0.8)  # share of the images that the strict annotator skips, the hardest first


# --- figures 1 and 2: ten classes ---------------------------------------------------------------------------------------------


def annotate(truth, swap, n_annotators, rng):
    """(N, A) labels: the true one, or with the probability ``swap`` any of the ten; as floats, to leave room for none (NaN)."""
    shape = (len(truth), n_annotators)
    swapped = rng.uniform(size=shape) < np.reshape(swap, (-1, 1))
    return np.where(swapped, rng.integers(0, CLASSES, shape), truth[:, None]).astype(float)


def predict(truth, share, rng):
    """Classes of a model: a share of them true, the others any of the nine wrong ones."""
    wrong = (truth + rng.integers(1, CLASSES, len(truth))) % CLASSES
    return np.where(rng.uniform(size=len(truth)) < share, truth, wrong)


def drawn(seed, n_annotators, swap=FIXED):
    rng = np.random.default_rng([10, seed])
    truth = rng.integers(0, CLASSES, CASES)
    table = annotate(truth, swap, n_annotators, rng)
    return table, {share: predict(truth, share, rng) for share in MODELS}


def as_labels(table):
    return ugt.Labels.from_wide(table, classes=CLASSES)


@cache
def by_swap(swap, seed):
    """Of every model: accuracy against one annotator, against the vote of nine, Δ and μ; and α."""
    table, models = drawn([1, seed, round(1000 * swap)], 9, swap)
    first, labels = as_labels(table[:, :1]), as_labels(table)
    found = {}
    for share, classes in models.items():
        naive, voted = (float(ugt.votes(one).mean()[np.arange(CASES), classes].mean()) for one in (first, labels))
        ratio = ugt.discrepancy_ratio(labels, classes, distance="zero-one")
        found[share] = (naive, voted, ratio.value, ratio.mu, ratio.alpha)
    return found


def expected_by_swap(share, swap):
    """The same, exactly. A model with the share x right behaves as an annotator who swaps with p' = (1 - x) 10 / 9."""
    own = (1 - share) * CLASSES / (CLASSES - 1)

    def differ(one, other):  # unless both keep the true label, two labels differ with the probability 9/10
        return (1 - (1 - one) * (1 - other)) * (CLASSES - 1) / CLASSES

    right = voted_accuracy(1 - swap * (CLASSES - 1) / CLASSES, 9)
    voted = share * right + (1 - share) * (1 - right) / (CLASSES - 1)
    mu, alpha = differ(own, swap), differ(swap, swap)
    return 1 - mu, voted, mu / alpha, mu, alpha


def voted_accuracy(right, n):
    """Probability that the vote of n annotators is the true class, ties shared: a sum over the votes t for it and ties j with it."""
    others, total = CLASSES - 1, 0.0
    for t in range(1, n + 1):
        below = np.array([1 / factorial(i) for i in range(t)])
        chance = comb(n, t) * right**t * ((1 - right) / others) ** (n - t) * factorial(n - t)
        for j in range(others + 1):
            power, rest = np.ones(1), n - t - j * t
            for _ in range(others - j):
                power = np.convolve(power, below)
            if 0 <= rest < len(power):
                total += chance * comb(others, j) / factorial(t) ** j * power[rest] / (1 + j)
    return float(total)


def untied_accuracy(right, n):
    """Probability that the vote of n annotators is the true class, given that it is not tied."""
    share = [right] + [(1 - right) / (CLASSES - 1)] * (CLASSES - 1)

    def wins(k):
        total = 0.0
        for t in range(1, n + 1):
            power = np.ones(1)
            for other in share[:k] + share[k + 1 :]:
                power = np.convolve(power, [other**i / factorial(i) for i in range(t)])
            total += share[k] ** t / factorial(t) * power[n - t] if n - t < len(power) else 0.0
        return total

    return wins(0) / (wins(0) + (CLASSES - 1) * wins(1))


@cache
def by_annotators(n, seed):
    """(relative F1, Δ) of every model; relative F1: n annotators vote, six are held out. Δ: n + 1 annotators."""
    table, models = drawn([2, seed, n], n + 6)
    labels, fewer = as_labels(table), as_labels(table[:, : n + 1])
    held_out = list(range(n, n + 6))
    return {
        share: (
            ugt.papers.relative_f1(labels, classes, held_out=held_out).value,
            ugt.discrepancy_ratio(fewer, classes, distance="zero-one").value,
        )
        for share, classes in models.items()
    }


def strict(skipped, seed):
    """Nine annotators of images with swap probabilities from 0 to 0.6; the last one skips those with the highest."""
    swap = np.linspace(0, 2 * FIXED, CASES)
    table, models = drawn([3, seed], 9, swap)
    table[swap > np.quantile(swap, 1 - skipped), 8] = np.nan
    return table, models


@cache
def by_strictness(skipped, seed):
    """(relative F1, Δ) of every model where the strict annotator is one of three held out."""
    table, models = strict(skipped, seed)
    labels = as_labels(table)
    found = {}
    for share, classes in models.items():
        ratio = ugt.discrepancy_ratio(labels, classes, distance="zero-one").value
        found[share] = (ugt.papers.relative_f1(labels, classes, held_out=[6, 7, 8]).value, ratio)
    return found


@cache
def prime(skipped, seed, share=0.8):
    """Δ' of appendix C.1 on the same labels: per pair of annotators first, then over pairs."""
    table, models = strict(skipped, seed)
    return ugt.papers.alternative_discrepancy_ratios(as_labels(table), models[share], distance="zero-one").prime


def expected_with_swaps(share, swap):
    """Δ where images have their own swap probabilities: the same for any annotators that label them."""
    own = (1 - share) * CLASSES / (CLASSES - 1)
    return float(np.sum(1 - (1 - own) * (1 - swap)) / np.sum(1 - (1 - swap) ** 2))


def over_runs(function, argument, share, column):
    return np.array([function(argument, seed)[share][column] for seed in range(RUNS)])


def draw_panels(figure, panels):
    """Panels of (title, x label, function, arguments, column): mean of every model with two standard deviations."""
    axes = figure.subplots(1, 2)
    for ax, (title, label, function, arguments, column) in zip(axes, panels):
        for j, share in enumerate(MODELS):
            runs = np.array([over_runs(function, argument, share, column) for argument in arguments])
            style = {"color": plots.COLOURS[j], "linestyle": plots.DASHES[j], "marker": plots.MARKERS[j]}
            x = np.add(arguments, label == "annotators")
            ax.errorbar(x, runs.mean(1), 2 * runs.std(1, ddof=1), markersize=3, linewidth=1.2, label=f"model {share}", **style)
        ax.set_title(title, fontsize=9)
        ax.set_xlabel(label, fontsize=9)
        if arguments is COUNTS:
            ax.set_xticks(range(0, 17, 4))
    return axes


def draw_accuracy(figure):
    one = ("1a: accuracy against one annotator", "swap probability", by_swap, SWAPS, 0)
    nine = ("1b: accuracy against the vote of 9", "swap probability", by_swap, SWAPS, 1)
    draw_panels(figure, (one, nine))[0].legend(fontsize=8)


def draw_ratio(figure):
    parts = ("2a: discrepancy of models and annotators", "swap probability", by_swap, SWAPS, 3)
    left, right = draw_panels(figure, (parts, ("2b: discrepancy ratio", "swap probability", by_swap, SWAPS, 2)))
    left.plot(SWAPS, [over_runs(by_swap, swap, 1.0, 4).mean() for swap in SWAPS], color="black", linewidth=1.8, label="annotators")
    left.legend(fontsize=8)
    right.plot([1 / 9, 2 / 9], [1, 1], "k*", markersize=8, label="as good as annotators")
    right.axhspan(0.4, 1, color="#dddddd")
    right.axhline(1, color="black", linewidth=0.6)
    right.set(yscale="log", ylim=(0.4, 12))
    right.legend(handles=right.get_legend_handles_labels()[0][:1], fontsize=8)


def draw_counts(figure):
    f1 = ("1c: relative F1", "annotators who vote", by_annotators, COUNTS, 0)
    left, _ = draw_panels(figure, (f1, ("2c: discrepancy ratio", "annotators", by_annotators, COUNTS, 1)))
    left.legend(fontsize=8, loc="upper right")
    left.set_ylim(top=0.42)


def draw_strict(figure):
    label = "share skipped by the strict annotator"
    panels = (("1d: relative F1", label, by_strictness, STRICT, 0), ("2d: discrepancy ratio", label, by_strictness, STRICT, 1))
    left, _ = draw_panels(figure, panels)
    left.axhline(0, color="black", linewidth=0.6)
    left.legend(fontsize=8, loc="upper right")
    left.set_ylim(top=0.42)


def swap_rows():
    rows = []
    for share in MODELS:
        for swap in (0.05, 1 / 9, 2 / 9, 0.5, 1.0):
            found = [over_runs(by_swap, swap, share, column).mean() for column in range(3)]
            exact = expected_by_swap(share, swap)
            rows.append([f"{share:.1f}", f"{swap:.3f}", *(f"{a:.3f} ({b:.3f})" for a, b in zip(found, exact))])
    return rows


def count_rows():
    """Relative F1 of n who vote, and Δ of n + 1 annotators, each beside what it is exactly."""
    rows, right = [], 1 - FIXED * (CLASSES - 1) / CLASSES
    for share in MODELS:
        for n in (1, 3, 7, 15):
            f1, ratio = (over_runs(by_annotators, n, share, i).mean() for i in (0, 1))
            exact = (share - right) * (10 * untied_accuracy(right, n) - 1) / 9
            rows.append([f"{share:.1f}", n, f"{f1:.3f} ({exact:.3f})", n + 1, f"{ratio:.3f} ({expected_by_swap(share, FIXED)[2]:.3f})"])
    return rows


def strict_rows():
    rows = []
    for skipped in STRICT:
        f1, ratio = (over_runs(by_strictness, skipped, 0.8, i).mean() for i in (0, 1))
        rows.append([f"{skipped:.0%}", f1, ratio, np.mean([prime(skipped, seed) for seed in range(RUNS)])])
    exact = expected_with_swaps(0.8, np.linspace(0, 2 * FIXED, CASES))
    return [*rows, ["exact", "", exact, ""]]


# --- table 1 and example C.1 ----------------------------------------------------------------------------------------------------

# The rows 1, 2 and N of table 1, as printed: the model, and what each of three annotators said, some of them several times.
TABLE_1 = ((0, ((0, 1), (0, 0), (1, 0, 1))), (1, ((), (1, 1), (0,))), (0, ((1,), (1, 1, 1), (1, 1, 1, 1, 1))))


def table_1():
    """The library's record, and (3, 2) equations 5 and 7 by hand."""
    long = [(i, j, label) for i, (_, row) in enumerate(TABLE_1) for j, labels in enumerate(row) for label in labels]
    found = ugt.discrepancy_ratio(ugt.Labels.from_long(*zip(*long), classes=2), [model for model, _ in TABLE_1], distance="squared")
    by_hand = []
    for model, row in TABLE_1:
        y = np.array([np.mean(labels) for labels in row if labels])
        by_hand.append([2 * y.mean() * (1 - y.mean()) + 2 * y.var() / (len(y) - 1), model + y.mean() - 2 * model * y.mean()])
    return found, np.array(by_hand)


def example_c1(easy, hard, model_easy, model_hard, *, charlie=True):
    """Δ and its alternatives: two images, annotators who differ by ``easy`` and ``hard`` and from the model by the other two."""
    names = ["ea", "eb", "ec", "em", "ha", "hb", "hm"]
    cost = np.zeros((7, 7))
    for members, among, model in ((range(3), easy, model_easy), (range(4, 6), hard, model_hard)):
        for a in members:
            cost[a, list(members)] = among
            cost[a, members[-1] + 1] = cost[members[-1] + 1, a] = model
    np.fill_diagonal(cost, 0)
    rows = [["ea", "eb", "ec"], ["ha", "hb", None]]
    labels = ugt.Labels.from_wide([row if charlie else row[:2] for row in rows], classes=names)
    return ugt.papers.alternative_discrepancy_ratios(labels, ["em", "hm"], distance=cost)


def example_rows():
    rows = []
    for costs in ((1, 4, 2, 6), (0, 4, 0, 6)):
        for charlie in (True, False):
            found = example_c1(*costs, charlie=charlie)
            rows.append([costs, "yes" if charlie else "no", found.ratio, found.prime, found.prime_printed])
    return rows


# --- the page -----------------------------------------------------------------------------------------------------------------

TEXT_1 = """
There are 10,000 cases, as in the MNIST test set. Annotators keep the true class, or with the swap probability p take any of the ten.
"Model 0.8" has 80% of the classes right. Lines are means of five simulations, bars two standard deviations. Accuracies against one label
fall in a straight line, and those against the vote of nine annotators stay high. Neither shows whether a model is better than an
annotator. (The text of 4.1.2 has p for the probability of the true label; the figure is as in 4.1.1.)
"""

TEXT_2 = """
The data are those of figure 1. A model with the share x right behaves like an annotator with p' = (1 − x) 10 / 9. Then
`Δ = (1 − (1 − p') (1 − p)) / (1 − (1 − p)²)` holds. This ratio is 1 at p = p' (stars, the paper's red and blue points), and 1 again at p
= 1. It is below 1 (grey) in between. The exact values are in brackets.

The paper has an example in words, at p = 0.05. Model 0.9 "is twice as far from annotators as they are from each other, while model 1.0 is
twice as close", a gap of "about 400 %". The exact values are 1.60 and 0.51, a factor of 3.1. Accuracies differ by 0.095, as printed
("about 10 %").
"""

TEXT_COUNTS = """
Here p = 0.3. Relative F1 compares a model and six held-out annotators with the vote of others, and depends on how many vote. With as many
cases of each class it is (x − q) (10 v − 1) / 9 (in brackets). The model has the share x right, annotators the share q, and the vote, if
it is not tied, is right with probability v. Most of the change is over with two votes, and later ones add little. Δ does not change.
"""

TEXT_STRICT = """
Every image has its own p, from 0 to 0.6. One of three held-out annotators skips the hardest images. Relative F1 changes its sign: the
same model 0.8 seems better than the annotators, then worse. The ratio Δ does not change, because annotators are averaged within an image
first. The ratio Δ', averaged per pair of annotators first (appendix C.1), crosses 1.
"""

TEXT_3 = """
Only three rows and three annotators of table 1 are printed; Δ is not. For these rows, equations 5 and 7 and the library's averages over
pairs agree up to rounding: α = 0.556, 1, 0; μ = 0.389, 0.5, 1; Δ = 1.214.

In example C.1, Alice and Bob label an easy and a hard image, and Charlie only the easy one. Distances are, in this order: among
annotators on the easy and the hard image, between model and annotators on both. The ratio Δ is the same with and without Charlie. The
ratio Δ' changes, and doubles if all agree on the easy image, as printed. The general formula that the paper prints for Δ' has 1 / (N A)
in front. It differs from that of the example, which is the mean over the images that each pair shares. The library has both.
"""


def sections():
    accuracies = ["model", "p", "accuracy, one (exact)", "accuracy, vote of 9 (exact)", "Δ (exact)"]
    counts = ["model", "who vote", "relative F1 (exact)", "annotators", "Δ (exact)"]
    strictness = ["skipped", "relative F1", "Δ", "Δ'"]
    costs = ["distances", "Charlie", "Δ", "Δ' of the example", "Δ' of the formula"]
    return [
        Section("Figures 1a and 1b: accuracy", TEXT_1, name="discrepancy_1", draw=draw_accuracy, size=(7.0, 2.6)),
        Section("Figures 2a and 2b: the discrepancy ratio", TEXT_2, accuracies, swap_rows(), "discrepancy_2", draw_ratio, (7.0, 2.8)),
        Section("Figures 1c and 2c: how many annotators", TEXT_COUNTS, counts, count_rows(), "discrepancy_counts", draw_counts, (7.0, 2.6)),
        Section(
            "Figures 1d and 2d: a strict annotator", TEXT_STRICT, strictness, strict_rows(), "discrepancy_strict", draw_strict, (7.0, 2.6)
        ),
        Section("Table 1 and example C.1", TEXT_3, costs, example_rows()),
        *echocardiography.sections(),
    ]
