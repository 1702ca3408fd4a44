"""Intervals of the bias of a judge, and of what people say where it says something, hold the truth over cases and annotators."""

import numpy as np
import pytest
from simulations import holds, sets

import ugt

PEOPLE, CASES = 8, 200


@pytest.mark.parametrize("spread", [0.0, 0.5])
@sets(60, 1000)
def test_biases(spread, n_sets):
    """Numbers by annotators of different leniency; the judge is 0.3 too kind to one topic."""
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(n_sets):
        quality, topic = rng.normal(size=CASES), np.arange(CASES) % 2
        case = np.repeat(np.arange(CASES), 3)
        who = np.argsort(rng.random((CASES, PEOPLE)))[:, :3].ravel()
        said = quality[case] + rng.normal(0, spread, PEOPLE)[who] + rng.normal(size=len(case))
        labels = ugt.Ratings.from_long(case, who, said)
        judge = quality + 0.3 * topic + rng.normal(size=CASES)
        found = ugt.assess_judges({"A": (labels, {"j": judge})}, columns={"topic": dict(enumerate(topic))}, level=0.9)
        (row,) = [row for row in found.bias if row["group"] == "1"]
        hits += row["low"] <= 0.3 <= row["high"]
    assert holds(hits, n_sets, 0.95, 0.985)  # level 0.9 of two groups: 0.95 each
