"""Ten models on CheXpert, judged by eight radiologists [D table 4].

This page computes table 4 of [D] from the public labels and predictions. It adds intervals over cases, and intervals over cases and
radiologists.

**In short:** 190 of the 200 printed numbers agree. The first place changes in four of the ten rankings, but these studies do not show that
the order of the models changes.

The table has ten submissions to the CheXpert competition, by ordinary and by soft metrics. Labels and predictions are public (repository
`rajpurkarlab/cheXpert-test-set-labels`) but may not be redistributed. `make.py` reads them from the folder that `UGT_CHEXPERT` names.
"""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path

import numpy as np
from make import Section

import ugt
from ugt import plots

FOLDER = Path(os.environ.get("UGT_CHEXPERT", Path(__file__).resolve().parents[3] / "shared" / "data" / "chexpert"))
FINDINGS = ("Atelectasis", "Cardiomegaly", "Consolidation", "Edema", "Pleural Effusion")
METRICS = ("AUROC", "s-AUROC", "AP", "s-AP")
FIVE = ("bc1", "bc2", "bc3", "bc5", "bc7")  # whose majority is the ground truth of the competition

# Table 4 as printed: AUROC, s-AUROC, AP, s-AP.
PRINTED = {
    "Atelectasis": {
        "jfaboy": (0.894, 0.839, 0.747, 0.702), "ngango3": (0.893, 0.839, 0.747, 0.703), "uestc": (0.891, 0.835, 0.736, 0.685),
        "drnet": (0.891, 0.835, 0.736, 0.685), "sensexdr": (0.891, 0.835, 0.736, 0.685), "ihil": (0.891, 0.835, 0.736, 0.685),
        "ngango2": (0.890, 0.838, 0.730, 0.696), "hieupham": (0.889, 0.838, 0.720, 0.693), "desmond": (0.875, 0.827, 0.720, 0.685),
        "yww211": (0.875, 0.825, 0.735, 0.687),
    },
    "Cardiomegaly": {
        "sensexdr": (0.947, 0.832, 0.599, 0.665), "ihil": (0.946, 0.832, 0.857, 0.665), "ngango3": (0.944, 0.835, 0.844, 0.664),
        "hieupham": (0.943, 0.836, 0.851, 0.666), "desmond": (0.940, 0.834, 0.844, 0.662), "drnet": (0.940, 0.827, 0.844, 0.660),
        "ngango2": (0.939, 0.834, 0.840, 0.662), "yww211": (0.938, 0.835, 0.850, 0.665), "uestc": (0.936, 0.826, 0.846, 0.663),
        "jfaboy": (0.929, 0.822, 0.844, 0.658),
    },
    "Consolidation": {
        "jfaboy": (0.927, 0.853, 0.451, 0.402), "uestc": (0.921, 0.848, 0.408, 0.397), "drnet": (0.921, 0.848, 0.408, 0.397),
        "sensexdr": (0.921, 0.848, 0.408, 0.397), "ihil": (0.921, 0.848, 0.408, 0.397), "yww211": (0.918, 0.851, 0.354, 0.392),
        "ngango3": (0.912, 0.846, 0.382, 0.384), "desmond": (0.905, 0.847, 0.330, 0.383), "ngango2": (0.892, 0.835, 0.279, 0.353),
        "hieupham": (0.891, 0.831, 0.304, 0.357),
    },
    "Edema": {
        "drnet": (0.935, 0.871, 0.706, 0.633), "sensexdr": (0.935, 0.871, 0.706, 0.633), "ihil": (0.935, 0.871, 0.706, 0.633),
        "uestc": (0.935, 0.869, 0.694, 0.628), "yww211": (0.932, 0.865, 0.633, 0.598), "desmond": (0.929, 0.859, 0.637, 0.597),
        "ngango2": (0.926, 0.864, 0.646, 0.606), "hieupham": (0.924, 0.862, 0.637, 0.603), "jfaboy": (0.922, 0.856, 0.566, 0.566),
        "ngango3": (0.911, 0.857, 0.590, 0.588),
    },
    "Pleural Effusion": {
        "hieupham": (0.979, 0.920, 0.908, 0.796), "ngango3": (0.979, 0.918, 0.911, 0.796), "jfaboy": (0.978, 0.917, 0.917, 0.793),
        "ngango2": (0.977, 0.917, 0.350, 0.795), "yww211": (0.974, 0.918, 0.912, 0.795), "uestc": (0.973, 0.917, 0.883, 0.774),
        "drnet": (0.973, 0.917, 0.883, 0.774), "sensexdr": (0.973, 0.917, 0.883, 0.774), "ihil": (0.973, 0.917, 0.883, 0.774),
        "desmond": (0.962, 0.906, 0.849, 0.764),
    },
}  # fmt: skip


# --- the data -------------------------------------------------------------------------------------------------------------------------


@cache
def data():
    """Labels (N, 8, 5) with the names of the radiologists, and scores (N, 5) by model, of the 500 studies of the test set."""
    if not FOLDER.is_dir():
        raise FileNotFoundError(f"no folder {FOLDER}: set UGT_CHEXPERT to a checkout of rajpurkarlab/cheXpert-test-set-labels")
    readers = {path.name[:3]: table(path) for path in sorted(FOLDER.glob("radiologists/*/bc*.csv"))}
    models = {path.name.split("_")[0]: table(path) for path in sorted(FOLDER.glob("example_models/predictions/standard/*.csv"))}
    cases = sorted(next(iter(readers.values())))
    labels, *scores = (np.array([[one[case] for case in cases] for one in every.values()]) for every in (readers, models))
    return labels.transpose(1, 0, 2).astype(int), tuple(readers), dict(zip(models, scores[0]))


def table(path):
    """Study → its numbers of the five findings."""
    with path.open(newline="", encoding="utf-8") as file:
        return {row["Study"]: [float(row[name]) for name in FINDINGS] for row in csv.DictReader(file)}


def labels_of(finding, readers=None):
    """The labels of all radiologists, or of some."""
    labels, names, _ = data()
    taken = [name for name in names if readers is None or name in readers]
    cells = labels[:, [names.index(name) for name in taken], FINDINGS.index(finding)]
    return ugt.Labels.from_wide(cells, annotators=taken, classes=[0, 1])


@cache
def found(finding, readers=None):
    """AUROC and AP of every model, in the order of the printed table."""
    labels, at = labels_of(finding, readers), FINDINGS.index(finding)
    scores = {model: data()[2][model][:, at] for model in PRINTED[finding]}
    return {model: (ugt.soft_auroc(labels, own), ugt.soft_average_precision(labels, own)) for model, own in scores.items()}


def values(finding, readers=None):
    """(10, 4) AUROC, s-AUROC, AP, s-AP."""
    return np.array([[roc.hard, roc.value, precision.hard, precision.value] for roc, precision in found(finding, readers).values()])


@cache
def alike(finding):
    """Models with the same four numbers, which have the same scores: names joined, and the first of them."""
    groups = {}
    for model, row in zip(PRINTED[finding], values(finding).tolist()):
        groups.setdefault(tuple(row), []).append(model)
    return {", ".join(models): models[0] for models in groups.values()}


# --- beside the print -----------------------------------------------------------------------------------------------------------------


def twice_rounded(value):
    """To four digits, then half up to three: 0.8465 for 0.84646 becomes 0.847."""
    return np.floor(round(value, 4) * 1000 + 0.5 + 1e-9) / 1000


def deviations(readers=None):
    """Printed numbers that are not ours, rounded once or twice: finding, model, number of the metric, ours, printed."""
    listed = []
    for finding, printed in PRINTED.items():
        for (model, row), ours in zip(printed.items(), values(finding, readers)):
            pairs = enumerate(zip(ours.tolist(), row))
            listed += [(finding, model, j, a, b) for j, (a, b) in pairs if b not in (round(a, 3), round(twice_rounded(a), 3))]
    return listed


def least_precision(auroc, positives, negatives):
    """A bound from below of the ordinary AP of any order of the cases with this AUROC.

    AP is the mean of k / (k + n_k) over positives k = 1, 2, …, n_k the negatives above positive k, whose sum the AUROC tells: the bound is
    the dual of the least mean without n_1 ≤ n_2 ≤ ….
    """
    k, above = np.arange(1, positives + 1), (1 - auroc) * positives * negatives
    prices = np.geomspace(1e-6, 1, 2000)[:, None]
    n = np.clip(np.sqrt(k / prices) - k, 0, negatives)
    return float((np.sum(k / (k + n) + prices * n, axis=1) - prices[:, 0] * above).max() / positives)


def printed_bound(finding, model):
    """The least AP that goes with the printed AUROC."""
    positives = int((labels_of(finding).counts()[:, 1] > 4).sum())
    return least_precision(PRINTED[finding][model][0] + 0.0005, positives, 500 - positives)


def deviation_rows():
    rows = []
    for finding, model, j, ours, printed in deviations():
        bound = printed_bound(finding, model) if METRICS[j] == "AP" else None
        rows.append([finding, model, METRICS[j], printed, ours, "" if bound is None else bound])
    return rows


def ranks(column):
    """1 is the highest; equal values share the least."""
    return 1 + (column[None, :] > column[:, None]).sum(axis=1)


def table_rows():
    rows = []
    for finding, printed in PRINTED.items():
        ours, order, names = values(finding), np.stack([ranks(column) for column in values(finding).T], axis=1), list(printed)
        for models, first in alike(finding).items():
            at = names.index(first)
            cells = [f"{a:.3f} ({b:.3f})" for a, b in zip(ours[at], printed[first])]
            shifts = [f"{order[at, j]} → {order[at, j + 1]}" for j in (0, 2)]
            rows.append([finding, models, *cells[:2], shifts[0], *cells[2:], shifts[1]])
    return rows


# --- what the table lacks --------------------------------------------------------------------------------------------------------------

BOTH = ("cases", "annotators")


def interval_rows():
    rows = []
    for finding in FINDINGS:
        for models, first in alike(finding).items():
            cells = []
            for one in found(finding)[first]:
                for of in ("hard", "value"):
                    cells.append("; ".join(text(one.interval(of=of, random=random)) for random in (("cases",), BOTH)))
            rows.append([finding, models, *cells])
    return rows


def text(ends, digits=2):
    return " to ".join(f"{end:.{digits}f}" for end in ends)


@cache
def leaders(finding, j):
    """First by the hard and first by the soft metric j (0: AUROC, 1: AP), and the paired difference of their records."""
    names, ours = list(PRINTED[finding]), values(finding)
    hard, soft = (names[int(ours[:, 2 * j + kind].argmax())] for kind in (0, 1))
    return hard, soft, None if hard == soft else found(finding)[hard][j].minus(found(finding)[soft][j])


@cache
def reversed_pairs(finding, j):
    """Pairs of models in opposite order by the soft metric; those among them whose two differences the data support."""
    ones, changed, supported = [found(finding)[first][j] for first in alike(finding).values()], 0, 0
    pairs = [(one, other) for i, one in enumerate(ones) for other in ones[:i]]
    for one, other in pairs:
        if (one.hard - other.hard) * (one.value - other.value) < 0:
            difference, changed = one.minus(other), changed + 1
            ends = [difference.interval(of=of, kind="analytic") for of in ("hard", "value")]
            supported += all(low > 0 or high < 0 for low, high in ends)
    return changed, len(pairs), supported


def leader_rows():
    rows = []
    for finding in FINDINGS:
        for j, metric in ((0, "AUROC"), (1, "AP")):
            hard, soft, difference = leaders(finding, j)
            cells = ["", ""]
            if difference is not None:
                values_of = {"hard": difference.statistic.estimate[1], "value": difference.value}
                cells = [f"{value:.4f} ({text(difference.interval(of=of, random=BOTH), 4)})" for of, value in values_of.items()]
            changed, pairs, supported = reversed_pairs(finding, j)
            rows.append([finding, metric, hard, soft, *cells, f"{changed} of {pairs}", supported])
    return rows


@cache
def compared(finding):
    """R² and ranks over the models with different scores."""
    scores = {models: data()[2][first][:, FINDINGS.index(finding)] for models, first in alike(finding).items()}
    return ugt.soft.hard_against_soft(labels_of(finding), scores)


def squared_rows():
    rows = []
    for finding in FINDINGS:
        one = compared(finding)
        moved = [f"{np.abs(a - b).max():.0f}" for a, b in zip(one.hard_ranks, one.soft_ranks)]
        cells = [f"{value:.2f} ({text(ends)})" for value, ends in zip(one.r_squared, one.intervals())]
        rows.append([finding, str(len(one.models)), cells[0], moved[0], cells[1], moved[1]])
    return rows


def draw_labels(figure):
    for ax, finding in zip(figure.subplots(1, len(FINDINGS), sharey=True), FINDINGS):
        plots.soft_labels(labels_of(finding), ax=ax)
        ax.set(title=finding, xlabel="", ylabel="studies" if finding == FINDINGS[0] else "")
        ax.legend(fontsize=6, frameon=False)
    figure.supxlabel("share of the eight radiologists who say positive", fontsize="medium")


# --- the page -------------------------------------------------------------------------------------------------------------------------

TEXT_TABLE = """
Each cell has our number and, in brackets, the printed one. "Rank" is the rank by the ordinary metric → the rank by the soft metric; equal
models share the lowest rank. Models with the same scores for a finding share a row. All settings are the library's defaults. Soft labels
are shares of the labels of a study. Hard labels are positive if more than half of the radiologists say so (4 of 8 are not enough).

Of the 200 printed numbers, 190 agree with ours to three digits: 182 rounded once, and 8 rounded to four digits first. The table is for
all eight radiologists. With the five whose majority is the ground truth of the competition, 6 of the 200 numbers agree.
"""

TEXT_DEVIATIONS = """
These ten printed numbers differ from ours. They were read from a text conversion of the paper, in which this table is damaged in places,
so some of the ten may be errors of reading. Two cannot be right: 0.599 and 0.350 are below the last column. It has the lowest average
precision of any order of the studies with the printed AUROC. The printed ranks follow the printed numbers, so those of AP differ from
ours for Cardiomegaly and Pleural Effusion.
"""

TEXT_INTERVALS = """
The table has 95% intervals over cases and, after the semicolon, over cases and radiologists (other studies, read by other radiologists).
Other radiologists matter most for Cardiomegaly and Atelectasis, and more for AP than for AUROC, because the number of positive studies
depends on who reads them.
"""

TEXT_LEADERS = """
The paper concludes from table 4 that soft metrics frequently reshuffle the rankings, including the first place. The first place changes
in four of the ten rankings. The columns "hard" and "soft" have the difference of two models: the first by the hard metric minus the first
by the soft metric. All 95% intervals over cases and radiologists include 0, although both models were picked for their place.

"Pairs in another order" counts the pairs of models with different scores that hard and soft metric put in opposite orders. "Supported"
counts those among them for which both differences have an interval over cases that excludes 0; there are none. The estimates change their
order; these 500 studies do not show that the models do.
"""

TEXT_SQUARED = """
The table has R² of ordinary and soft metric over the models with different scores, as in figures 1 and 6 of the paper, with 95% intervals
over cases. It also has the largest change of a rank. "Models" counts the models with different scores. If an interval reaches 1, the
distance from 1 may be the noise of 500 studies. Three intervals do not: AP for Atelectasis, and both metrics for Cardiomegaly. There soft
metrics order the models as a whole differently, although these studies do not show it for any single pair.
"""

TEXT_LABELS = """
The figure is figure 4 of the paper for these findings: shares of radiologists who call a study positive, and the threshold.
"""


def sections():
    ranked = ["finding", "model", "AUROC", "s-AUROC", "rank", "AP", "s-AP", "rank"]
    led = ["finding", "metric", "first, hard", "first, soft", "hard", "soft", "pairs in another order", "supported"]
    squared = ["finding", "models", "R², AUROC", "largest shift", "R², AP", "largest shift"]
    return [
        Section("Table 4", TEXT_TABLE, ranked, table_rows()),
        Section("Numbers that differ", TEXT_DEVIATIONS, ["finding", "model", "metric", "printed", "ours", "least AP"], deviation_rows()),
        Section("Intervals", TEXT_INTERVALS, ["finding", "model", *METRICS], interval_rows()),
        Section("Do the ranks change?", TEXT_LEADERS, led, leader_rows()),
        Section("Ordinary against soft metrics", TEXT_SQUARED, squared, squared_rows()),
        Section("Soft labels", TEXT_LABELS, name="chexpert_labels", draw=draw_labels, size=(11, 2.8)),
    ]
