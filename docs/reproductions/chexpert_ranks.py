"""Which of the ten models on CheXpert are apart, and the ranks that the data leave open: for these radiologists, and for others."""

from __future__ import annotations

from functools import cache

import numpy as np
from chexpert_data import BOTH, FINDINGS, FIVE, PRINTED, alike, data, found, labels_of, text
from make import Section

import ugt
from ugt import plots

MEASURES = ("s-AUROC", "s-AP", "UA accuracy", "voted accuracy")


@cache
def results(finding, measure, readers=None):
    """The result of every model, in the order of the printed table; for accuracies, a score of at least 0.5 says positive."""
    if measure in MEASURES[:2]:
        return {model: pair[MEASURES.index(measure)] for model, pair in found(finding, readers).items()}
    truth = (ugt.votes if measure == "voted accuracy" else ugt.dirichlet)(labels_of(finding, readers))
    scores = {model: data()[2][model][:, FINDINGS.index(finding)] for model in PRINTED[finding]}
    return {model: ugt.ua_topk_accuracy(truth, np.stack([1 - own, own], axis=1)) for model, own in scores.items()}


@cache
def rank_sets(finding, measure, random, readers=None):
    """Rank sets of the ten models, from all 45 pairs."""
    return ugt.rank_sets(results(finding, measure, readers), random=random)


def apart(finding, measure, random, readers=None):
    """Pairs of models that are separated."""
    return sum(pair.sign != 0 for pair in rank_sets(finding, measure, random, readers).pairs)


@cache
def leader(finding, measure):
    """The models with the best value; the lead over the next, with its interval over cases, and over both; whether all such are above 0."""
    ones = {models: results(finding, measure)[first] for models, first in alike(finding).items()}
    best, *others = sorted(ones, key=lambda models: -ones[models].value)
    leads = [ones[best].minus(ones[models]) for models in others]
    ends = [[lead.interval(random=random) for lead in leads] for random in (BOTH[:1], BOTH)]
    return best, leads[0].value, [one[0] for one in ends], [all(low > 0 for low, _ in one) for one in ends]


def apart_rows():
    rows = []
    for measure in MEASURES:
        counts = [[apart(finding, measure, random) for random in (BOTH[:1], BOTH)] for finding in FINDINGS]
        for finding, (these, others) in zip(FINDINGS, counts):
            best, lead, ends, (ahead, for_others) = leader(finding, measure)
            whom = "these and others" if ahead and for_others else "these" if ahead else "nobody"
            cells = [f"{lead:.4f}", *(text(one, 4) for one in ends)]
            rows.append([measure, finding, str(these), str(others), best, *cells, whom])
        rows.append([measure, "all five", *(f"{sum(one)} of {45 * len(FINDINGS)}" for one in zip(*counts)), *[""] * 5])
    return rows


def rank_rows():
    rows = []
    for finding in FINDINGS:
        sets = [[rank_sets(finding, measure, random) for random in (BOTH[:1], BOTH)] for measure in MEASURES]
        for models, first in alike(finding).items():
            at = list(PRINTED[finding]).index(first)
            cells = ["; ".join(f"{one.rank_low[at]} to {one.rank_high[at]}" for one in pair) for pair in sets]
            rows.append([finding, models, *cells])
    return rows


def of_five():
    """Pairs apart by the soft AUROC if the truth is the five radiologists of the competition's ground truth."""
    return [sum(apart(finding, "s-AUROC", random, FIVE) for finding in FINDINGS) for random in (BOTH[:1], BOTH)]


def draw_ranks(figure):
    for ax, finding in zip(figure.subplots(1, len(FINDINGS)), FINDINGS):
        ranks = {"these radiologists": BOTH[:1], "other radiologists": BOTH}
        plots.rank_sets({name: rank_sets(finding, "s-AUROC", random) for name, random in ranks.items()}, ax=ax)
        ax.set_title(finding, fontsize="medium")
        ax.set_ylim(len(PRINTED[finding]) - 0.5, -0.5)
        lines, names = ax.get_legend_handles_labels()
        ax.get_legend().remove()
    figure.legend(lines, names, loc="outside lower center", ncols=2, frameon=False)


TEXT_APART = """
Ten models are 45 pairs per finding, 225 in all. `ugt.rank_sets` separates pairs at a level at which all pairs of a finding hold together,
for these radiologists (over cases) and for others like them (over cases and radiologists). Pairs with the same scores are never apart.
For the two accuracies a score of 0.5 or more says positive. They compare thresholds as well as orders, so more pairs are apart.

"First" is the model with the best value; models with the same scores are named together. The lead is over the next model with other
scores, with 95% intervals over cases, and over cases and radiologists. The last column says for whom all leads of the first are above 0.

No leader of the five findings is shown to be ahead for other radiologists, by any of the four measures. One is shown to be ahead for these
eight: yww211 in voted accuracy for Atelectasis. Kinds of radiologists that make up less than 31% of all may be missing among eight.

If the truth is the five radiologists of the competition's ground truth, the soft AUROC separates 16 pairs over cases, and 4 over cases
and radiologists. Five radiologists show less of how others differ than eight do.
"""

TEXT_RANKS = """
The table has the ranks that the data leave open, over cases and, after the semicolon, over cases and radiologists. All rows of a finding
and measure hold together with a probability of 95%. The figure draws those of the soft AUROC.
"""


def sections():
    separated = ["measure", "finding", "apart, these", "apart, others", "first", "lead", "these radiologists", "others too", "ahead for"]
    ranked = ["finding", "model", *MEASURES]
    return [
        Section("Which models are apart?", TEXT_APART, separated, apart_rows()),
        Section("Ranks that are left open", TEXT_RANKS, ranked, rank_rows(), "chexpert_ranks", draw_ranks, (15, 4)),
    ]
