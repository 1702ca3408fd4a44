"""Soft AUROC and soft average precision [D].

This page checks the printed tables of [D] against each other, and tests its claim about stable rankings on generated tasks. Lionetti and
others evaluate models against probabilities instead of voted labels. They find that rankings of models are then more stable if
annotations are drawn again.

**In short:** soft rankings are more stable on most generated tasks, too. The last two sections show when they are not, and why.

Table 4 of [D] uses public models and labels, and is [computed on another page](chexpert.md). The predictions behind the other tables are
not public. Generated tasks with the same numbers of annotators and shares of positive cases replace them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from make import Section
from scipy.stats import binom

import ugt
from ugt import plots

# Table 2 as printed, the tasks of figure 1: AUROC, AP, soft AUROC, soft AP of EfficientNet-b0, ResNet-50, VGG-16, ViT-base; beside
# them R² of AUROC and of AP as figure 1 has them, and the p-values of table 1 for AP and AUROC.
PRINTED = {
    "ENHANCE-Asymmetry": (
        ((0.636, 0.571, 0.585, 0.592), (0.656, 0.621, 0.593, 0.618), (0.707, 0.655, 0.617, 0.625), (0.635, 0.600, 0.594, 0.621)),
        (0.899, 0.697),
        ("< 0.0001", "0.0625"),
    ),
    "ENHANCE-Border": (
        ((0.664, 0.794, 0.569, 0.263), (0.617, 0.758, 0.556, 0.253), (0.679, 0.785, 0.579, 0.268), (0.631, 0.769, 0.561, 0.253)),
        (0.966, 0.695),
        ("< 0.0001", "0.0049"),
    ),
    "ENHANCE-Color": (
        ((0.709, 0.890, 0.558, 0.431), (0.691, 0.878, 0.551, 0.429), (0.694, 0.886, 0.560, 0.443), (0.656, 0.849, 0.533, 0.408)),
        (0.874, 0.834),
        ("0.0036", "0.2971"),
    ),
    "VinDr-Pleural Thickening": (
        ((0.864, 0.304, 0.839, 0.300), (0.870, 0.302, 0.849, 0.297), (0.886, 0.354, 0.863, 0.341), (0.882, 0.329, 0.848, 0.313)),
        (0.697, 0.969),
        ("< 0.0001", "0.8019"),
    ),
    "VinDr-Pneumothorax": (
        ((0.958, 0.216, 0.903, 0.191), (0.877, 0.090, 0.866, 0.082), (0.928, 0.232, 0.924, 0.224), (0.915, 0.093, 0.912, 0.096)),
        (0.465, 0.983),
        ("0.0001", "0.0138"),
    ),
    "VinDr-Pulmonary Fibrosis": (
        ((0.841, 0.292, 0.836, 0.300), (0.853, 0.272, 0.848, 0.280), (0.862, 0.349, 0.854, 0.336), (0.861, 0.296, 0.851, 0.310)),
        (0.982, 0.941),
        ("< 0.0001", "< 0.0001"),
    ),
    "CheXpert-Cardiomegaly": (
        ((0.752, 0.531, 0.683, 0.480), (0.732, 0.427, 0.678, 0.447), (0.717, 0.493, 0.694, 0.491), (0.632, 0.390, 0.616, 0.416)),
        (0.840, 0.856),
        ("< 0.0001", "0.2141"),
    ),
    "CheXpert-Pleural Effusion": (
        ((0.835, 0.504, 0.801, 0.551), (0.868, 0.560, 0.806, 0.540), (0.807, 0.494, 0.775, 0.539), (0.785, 0.410, 0.770, 0.467)),
        (0.897, 0.726),
        ("0.0119", "0.2135"),
    ),
    "CheXpert-Pneumothorax": (
        ((0.145, 0.012, 0.310, 0.039), (0.392, 0.020, 0.487, 0.039), (0.486, 0.019, 0.498, 0.033), (0.760, 0.046, 0.581, 0.047)),
        (0.916, 0.659),
        ("> 0.9999", "> 0.9999"),
    ),
}

# Generated tasks of the same make: cases, annotators, share of positive votes, how far annotators are from each other.
TASKS = {
    **{f"many annotators {i + 1}": (600, 15, share, 1.2) for i, share in enumerate((0.5, 0.6, 0.7))},
    **{f"rare, three annotators {i + 1}": (3000, 3, share, 0.4) for i, share in enumerate((0.06, 0.04, 0.08))},
    **{f"eight annotators {i + 1}": (500, 8, share, 0.7) for i, share in enumerate((0.3, 0.4, 0.15))},
}
MODELS = ("A", "B", "C", "D")
ERRORS = (0.9, 1.0, 1.1, 1.2)  # of the models, in standard deviations of what they should see
PAIRS = (("auroc", "AUROC"), ("average_precision", "AP"))


# --- equations 4 and 5 --------------------------------------------------------------------------------------------------------------

# Seven cases, the scores descending.
EXAMPLE_P = (1.0, 0.8, 0.3, 0.6, 0.0, 0.2, 0.1)
EXAMPLE_SCORES = (0.9, 0.8, 0.7, 0.6, 0.55, 0.4, 0.2)


def as_printed():
    """Equation 4 in its first and second form, and equation 5, term by term."""
    p = np.array(EXAMPLE_P)
    positive, negative, rank = np.cumsum(p), np.cumsum(1 - p), np.arange(1, len(p) + 1)
    first = np.sum(positive / positive[-1] * (1 - p) / negative[-1])
    second = sum((1 - p[i]) * p[j] for i in range(len(p)) for j in range(i)) / (positive[-1] * negative[-1])
    return float(first), float(second), float(np.sum(positive / rank * p / positive[-1]))


def equation_rows():
    first, second, fifth = as_printed()
    auroc = {way: ugt.soft_auroc(EXAMPLE_P, EXAMPLE_SCORES, self_pairs=way).value for way in ("include", "exclude", "half")}
    precision = {way: ugt.soft_average_precision(EXAMPLE_P, EXAMPLE_SCORES, self_term=way).value for way in ("probability", "certain")}
    return [
        ["equation 4, first form", first, 'self_pairs="include"', auroc["include"]],
        ["equation 4, second form", second, 'self_pairs="exclude" (default)', auroc["exclude"]],
        ["", "", 'self_pairs="half"', auroc["half"]],
        ["equation 5", fifth, 'self_term="probability"', precision["probability"]],
        ["", "", 'self_term="certain" (default)', precision["certain"]],
    ]


# --- what the printed numbers say themselves ----------------------------------------------------------------------------------------


def r_squared(values):
    """R² of (4, M) values with the rows hard AUROC, hard AP, soft AUROC, soft AP: of AUROC and of AP."""
    return [float(np.corrcoef(values[i], values[i + 2])[0, 1] ** 2) for i in (0, 1)]


def smallest_gap(values):
    """Smallest difference between two models, of each of the rows."""
    return np.diff(np.sort(values, axis=1), axis=1).min(axis=1)


def printed_rows():
    rows = []
    for task, (table, squared, p) in PRINTED.items():
        values = np.array(table).T
        spread, gap = np.ptp(values, axis=1), smallest_gap(values)
        pairs = [f"{a:.3f} ({b:.3f})" for a, b in zip(r_squared(values), squared)]
        rows.append([task, *pairs, f"{spread[0] / spread[2]:.1f}", f"{gap[0]:.3f}, {gap[2]:.3f}", f"{gap[1]:.3f}, {gap[3]:.3f}", *p[::-1]])
    return rows


# --- figure 3 and table 1 on generated tasks -----------------------------------------------------------------------------------------


@cache
def task(name):
    """Counts (N, 2) and scores of four models: annotators and models look at the same severity, each with an error of their own."""
    n_cases, n_annotators, share, width = TASKS[name]
    rng = np.random.default_rng([13, list(TASKS).index(name)])
    severity = rng.normal(size=n_cases)
    probability = 1 / (1 + np.exp(-(severity - np.quantile(severity, 1 - share)) / (width / 2)))
    positive = rng.binomial(n_annotators, probability)
    counts = np.stack([n_annotators - positive, positive], axis=1)
    return counts, {model: severity + error * rng.normal(size=n_cases) for model, error in zip(MODELS, ERRORS)}


@cache
def stability(name, n_resamples=1000):
    counts, scores = task(name)
    return ugt.soft.ranking_stability(ugt.Labels.from_counts(counts), scores, n_resamples=n_resamples, seed=3)


def greater_share(found, pair):
    """One-sided: probability of as many resamples in which soft is the more stable one, if both are equally often."""
    more, less, _ = found.soft_more_stable[pair]
    return float(binom.sf(more - 1, more + less, 0.5))


def as_p(value):
    return "< 0.0001" if value < 1e-4 else "> 0.9999" if value > 0.9999 else f"{value:.4f}"


def stability_row(name, found):
    rho = [f"{found.spearman[f'hard_{pair}']:.3f} → {found.spearman[f'soft_{pair}']:.3f}" for pair, _ in PAIRS]
    return [name, *rho, *(as_p(greater_share(found, pair)) for pair, _ in PAIRS), *(as_p(found.p_value[pair]) for pair, _ in PAIRS)]


def stability_rows():
    return [stability_row(name, stability(name)) for name in TASKS]


def draw_stability(figure):
    axes = figure.subplots(1, 2, sharey=True)
    for ax, (pair, title) in zip(axes, PAIRS):
        for row, name in enumerate(TASKS):
            hard, soft = (stability(name).spearman[f"{kind}_{pair}"] for kind in ("hard", "soft"))
            ax.plot([hard, soft], [row, row], color="#999999", linewidth=1, zorder=1)
            ax.plot(hard, row, "s", color=plots.COLOURS[1], markerfacecolor="white", label="hard" if row == 0 else None)
            ax.plot(soft, row, "o", color=plots.COLOURS[0], label="soft" if row == 0 else None)
        ax.set(
            title=title,
            xlabel="mean Spearman ρ with the ranking as it is",
            yticks=range(len(TASKS)),
            yticklabels=list(TASKS),
            xlim=(0.43, 1.03),
        )
        ax.xaxis.label.set_fontsize(9)
    axes[0].invert_yaxis()
    axes[0].legend(fontsize=8, loc="lower left")


# --- when the opposite holds ----------------------------------------------------------------------------------------------------------


def label_errors(n, positive):
    """Standard deviation of a label when n annotations with ``positive`` positive ones are drawn again: soft p̂, and hard p̂ > 1/2."""
    share = positive / n
    flips = binom.sf(n // 2, n, share)
    return np.sqrt(share * (1 - share) / n), np.sqrt(flips * (1 - flips))


# Opposite settings, eight annotators: how many cases all of them call positive, one of them, none; and how far each of the four models puts
# the former two above the last.
OPPOSITE = {
    "many lone votes": ((20, 300, 180), (1.6, 1.4, 1.2, 1.0), (0.0, 0.0, 0.0, 0.0)),
    "a trade": ((40, 200, 260), (2.2, 1.8, 1.4, 1.0), (0.0, 0.3, 0.7, 1.2)),
}


@cache
def opposite_task(name):
    sizes, certain, doubtful = OPPOSITE[name]
    rng = np.random.default_rng([14, 1 + list(OPPOSITE).index(name)])
    positive = np.repeat([8, 1, 0], sizes)
    signal = np.repeat(np.array([certain, doubtful, np.zeros(4)]), sizes, axis=0)
    scores = signal + rng.normal(size=signal.shape)
    return np.stack([8 - positive, positive], axis=1), dict(zip(MODELS, scores.T))


@cache
def opposite(name, n_resamples=1000):
    counts, scores = opposite_task(name)
    return ugt.soft.ranking_stability(ugt.Labels.from_counts(counts), scores, n_resamples=n_resamples, seed=4)


@cache
def alone(n_resamples=1000):
    """One annotator a case: there is nothing to draw again."""
    counts, scores = task("many annotators 1")
    one = np.eye(2, dtype=int)[(counts[:, 1] > counts[:, 0]).astype(int)]
    return ugt.soft.ranking_stability(ugt.Labels.from_counts(one), scores, n_resamples=n_resamples, seed=4)


def opposite_rows():
    found = {**{name: opposite(name) for name in OPPOSITE}, "one annotator": alone()}
    rows = []
    for name, one in found.items():
        for i, (pair, title) in enumerate(PAIRS):
            soft, hard = one.values[2 * i], one.values[2 * i + 1]
            rho = [one.spearman[f"{kind}_{pair}"] for kind in ("hard", "soft")]
            values = [", ".join(f"{value:.2f}" for value in kind) for kind in (hard, soft)]
            rows.append(
                [name, title, *values, *rho, str(one.soft_more_stable[pair]), as_p(greater_share(one, pair)), as_p(one.p_value[pair])]
            )
    return rows


def error_rows():
    rows = []
    for n in (3, 8, 15):
        for positive in range(1, n // 2 + 1):
            soft, hard = (float(value) for value in label_errors(n, positive))
            rows.append([n, positive, soft, hard, "soft" if soft < hard else "hard"])
    return rows


def draw_errors(figure):
    ax = figure.subplots()
    for j, n in enumerate((3, 8, 20)):
        positive = np.arange(0, n // 2 + 1)
        style = {"color": plots.COLOURS[j], "marker": plots.MARKERS[j], "markersize": 4}
        for name, values, dashes in zip(("soft", "hard"), label_errors(n, positive), ("-", ":")):
            ax.plot(positive / n, values, linestyle=dashes, label=f"{name}, {n} annotators", **style)
    ax.set(xlabel="share of positive annotations", ylabel="standard deviation of the label")
    ax.legend(fontsize=8)


# --- the page -------------------------------------------------------------------------------------------------------------------------

TEXT_EQUATIONS = """
Equation 4 is printed in two forms that are not equal: the first counts each case as a pair with itself, p (1 − p), the second does not.
In equation 5 a case counts with its probability p among the positives up to itself. The expected precision at a case, given that it is
positive, counts it as certain. The library has all of them; if p is 0 or 1 they are equal. The example has seven cases:
"""

TEXT_PRINTED = """
The table has R² between ordinary and soft metric over the four models, computed from table 2 of the paper. The R² that figure 1 prints is
in brackets; the two agree within the rounding of three digits. (The text gives 0.465 and 0.983 for CheXpert-Pneumothorax; figure 1 and
table 2 have these for VinDr-Pneumothorax.) "Spread" is the range of AUROC over the models divided by that of soft AUROC. The range
shrinks in all tasks except one. "Gap" is the smallest difference between two models, hard then soft. The last columns are the p-values of
table 1.
"""

TEXT_STABILITY = """
Annotations are drawn again with replacement in each case, 1,000 times. Each time, the ranking of the four models is compared with the one
on the original annotations. There are nine generated tasks, three for each of the paper's three data sets, with similar numbers of
annotators and shares of positive cases. Instead of networks, the models see a severity with errors of 0.9, 1.0, 1.1 and 1.2 standard
deviations. The columns have the mean Spearman correlation of hard → soft. The p-values are one-sided (soft is more stable), then
two-sided as the library reports them.

In the paper, soft metrics are more stable in 8 of 9 tasks by AP and in 3 of 9 by AUROC. Here they are in 8 of 9 by AP and in all by
AUROC. In the ninth, "many annotators 1", the opposite holds: B and C differ by 0.030 in hard AP, and by 0.005 in soft AP. AUROC gains
more here than in the paper, because these models differ only in one number, which affects all cases.

The paper calls its test binomial and names no side. A two-sided p-value is above 0.9999, as printed for CheXpert-Pneumothorax, only if
soft and hard win equally often. A one-sided one is also above 0.9999 if soft hardly ever wins. The printed values make the second
likelier, at least for AUROC: hard values differ by 0.094 or more, soft ones by 0.011.
"""

TEXT_WHY = """
If the n annotations of a case are drawn again, the soft label p̂ has a standard deviation of √(p̂ (1 − p̂) / n). The hard label has √(π
(1 − π)), with π the probability that the vote is positive. Near one half the vote is like a coin, and the soft label varies by a part 1 /
√n of that: soft is more stable. If only a minority of the labels is positive, the vote does not change and the soft label still varies:
**hard is more stable**. With three annotators there is no such case. With eight it has one positive label, with 15 up to three, with 20
up to five.

The second part is the gap. The stability depends on the difference of models in units of that noise, and soft metrics make differences of
models smaller.
"""

TEXT_OPPOSITE = """
- **Many single positive labels:** all eight annotators call 20 cases positive, and one annotator calls 300 others positive. The models
  differ only in the 20. The vote counts only these and hardly ever changes. Two thirds of the soft positives are cases in which all
  models are alike.
- **A trade:** a model that finds more of the cases that all call positive finds fewer of those that one calls positive. By the vote the
  models differ widely. Soft AUROC weighs one kind of case against the other, so three models are nearly equal, and the draw decides. (AP
  depends on the top, and does not change.) This is not a fault of soft AUROC: the annotations do not decide between such models either.
- **One annotator:** every draw is the same and both rankings stay. A one-sided test of no wins in no trials gives 1.

So the observation holds if most cases of doubt are near one half and models differ in general ability. This seems to be so in most tasks
of the paper. It is not a property of the metrics.
"""


def sections():
    printed = ["task", "R² AUROC", "R² AP", "spread", "gap, AUROC", "gap, AP", "p AUROC", "p AP"]
    tested = ["task", "ρ AUROC", "ρ AP", "p AUROC", "p AP", "two-sided", "two-sided"]
    moved = ["annotators", "positive", "soft", "hard", "more stable"]
    against = ["task", "metric", "hard A, B, C, D", "soft", "ρ hard", "ρ soft", "soft more, less, same", "p", "two-sided"]
    return [
        Section("Equations 4 and 5", TEXT_EQUATIONS, ["printed", "term by term", "option", "library"], equation_rows()),
        Section("The printed tables", TEXT_PRINTED, printed, printed_rows()),
        Section("Figure 3 and table 1 on generated tasks", TEXT_STABILITY, tested, stability_rows(), "soft_3", draw_stability, (7.5, 3.4)),
        Section("Why, and why not", TEXT_WHY, moved, error_rows(), "soft_why", draw_errors, (5.5, 3.2)),
        Section("Where the opposite holds", TEXT_OPPOSITE, against, opposite_rows()),
    ]
