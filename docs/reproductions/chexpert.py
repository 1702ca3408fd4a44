"""Ten models on CheXpert, judged by eight radiologists [D table 4].

This page computes table 4 of [D] from the public labels and predictions. It adds intervals over cases, and intervals over cases and
radiologists.

**In short:** 190 of the 200 printed numbers agree. The first place changes in four of the ten rankings, but these studies do not show that
the order of the models changes. No leader of the five findings is shown to be ahead for other radiologists.

The table has ten submissions to the CheXpert competition, by ordinary and by soft metrics. Labels and predictions are public (repository
`rajpurkarlab/cheXpert-test-set-labels`) but may not be redistributed. `make.py` reads them from the folder that `UGT_CHEXPERT` names.

Each of the 500 studies has the labels of the same eight radiologists, one label of each. The competition took the majority of five of them
as the ground truth, and the other three as the radiologists to compare with models. Here the truth is the labels of all eight, and models
are compared with each other only: no radiologist is both judge and judged.
"""

from __future__ import annotations

from functools import cache

import chexpert_ranks
import numpy as np
from chexpert_data import BOTH, FINDINGS, PRINTED, alike, data, found, labels_of, text, values
from make import Section

import ugt
from ugt import plots

METRICS = ("AUROC", "s-AUROC", "AP", "s-AP")


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
        *chexpert_ranks.sections(),
        Section("Ordinary against soft metrics", TEXT_SQUARED, squared, squared_rows()),
        Section("Soft labels", TEXT_LABELS, name="chexpert_labels", draw=draw_labels, size=(11, 2.8)),
    ]
