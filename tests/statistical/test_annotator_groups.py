"""Differences between groups of annotators who do not differ: how often their interval holds 0.

150 cases, two groups of five annotators with biases and errors of their own from one population. With 300 data sets (Monte Carlo error
up to 1.3 %) intervals over cases and annotators hold 0 in 96 % (soft AUROC), 99 % (agreement within less between groups) and 100 % (UA
accuracy), intervals over cases, which are for these annotators, in 84, 88 and 92 %.
"""

import numpy as np
import pytest
from scipy.stats import binom
from simulations import ALARM, sets

import ugt

SIZE = 5


def differences(rng, n=150):
    severity = rng.normal(size=n)
    seen = severity[:, None] + rng.normal(0, 0.4, 2 * SIZE) + np.exp(rng.normal(0, 0.3, 2 * SIZE)) * rng.normal(size=(n, 2 * SIZE))
    labels, scores = ugt.Labels.from_wide((seen > 0).astype(int), classes=2), severity + rng.normal(size=n)
    groups = ["A"] * SIZE + ["B"] * SIZE
    yield ugt.agreement.agreement_by_group(labels, groups)
    for metric in (ugt.soft_auroc(labels, scores), ugt.ua_topk_accuracy(ugt.dirichlet(labels), np.stack([-scores, scores], 1))):
        yield ugt.resampling.by_annotators(metric, groups).difference("A", "B")


@sets(60, 500)
@pytest.mark.filterwarnings("ignore:annotator .* makes up nearly all")
def test_intervals_over_annotators_hold_a_difference_of_nothing(n_sets):
    rng, hits, over_cases = np.random.default_rng(5), np.zeros(3), np.zeros(3)
    for _ in range(n_sets):
        for at, one in enumerate(differences(rng)):
            for counted, random in ((hits, ("cases", "annotators")), (over_cases, ("cases",))):
                low, high = one.interval(random=random)
                counted[at] += low <= 0 <= high
    assert (hits >= binom.ppf(ALARM / 2, n_sets, 0.95)).all()
    assert (hits >= over_cases).all()
