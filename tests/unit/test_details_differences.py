"""Differences of every two models on the same resamples, and how the report shows them."""

from itertools import combinations

import numpy as np
import pytest
from twins import details
from twins import scaled_score as twin

import ugt
from ugt.tables import comparison

RNG = np.random.default_rng(17)
COUNTS = RNG.multinomial(4, [0.5, 0.3, 0.2], 80)
SCORES = {name: RNG.dirichlet([a, 1, 1], 80) for name, a in (("A", 3), ("B", 1.5), ("C", 1))}


def made(counts=COUNTS, scores=SCORES, **options):
    tables, notes = details.made(comparison, counts, scores, **options)
    return tables["differences"], notes


def test_rows_are_differences_of_contributions():
    rows, notes = made(reliability=(1, 2, 4), k=(1, 2), level=0.9, n_resamples=300, seed=5)
    found = list(dict.fromkeys((row["metric"], row["k"], row["reliability"]) for row in rows))
    assert notes == [] and len(rows) == 3 * len(found)
    assert found[:3] == [("voted_accuracy", 1, None), ("voted_accuracy", 2, None), ("topk_accuracy", 1, 1.0)]
    assert {(metric, k) for metric, k, reliability in found if reliability in (1, 4)} == {("topk_accuracy", 1), ("topk_accuracy", 2)}
    assert {("topk_accuracy", 1, 2.0), ("topk_accuracy", 2, 2.0), ("set_accuracy", 2, 2.0)} <= set(found)
    post = ugt.dirichlet(ugt.Labels.from_counts(COUNTS), reliability=2)
    own = [row for row in rows if (row["metric"], row["k"], row["reliability"]) == ("topk_accuracy", 1, 2)]
    for row, (a, b) in zip(own, combinations("ABC", 2)):
        assert (row["model"], row["other"], row["n_cases"]) == (a, b, 80)
        one, other = (ugt.ua_topk_accuracy(post, SCORES[name], 1).per_case for name in (a, b))
        found = ugt.bootstrap(one - other, n_resamples=300, seed=5)
        assert row["difference"] == pytest.approx(one.mean() - other.mean())
        assert (row["low"], row["high"]) == pytest.approx(found.interval(0.9)[0])
        assert row["greater_share"] == pytest.approx((found.values > 0).mean())


def test_agrees_with_the_margin_of_the_winner():
    evaluation = ugt.evaluate(ugt.Labels.from_counts(COUNTS), SCORES, reliability=1, k=1, n_resamples=200, seed=2)
    (winner,) = [row for row in evaluation.winners if row["metric"] == "topk_accuracy"]
    rows = [row for row in evaluation.tables["differences"] if row["metric"] == "topk_accuracy"]
    (row,) = [row for row in rows if {row["model"], row["other"]} == {winner["model"], winner["runner_up"]}]
    assert abs(row["difference"]) == pytest.approx(winner["margin"])
    assert winner["margin_high"] - winner["margin_low"] > row["high"] - row["low"]  # of all pairs together, and of one
    ends = sorted(sign * row[end] for end in ("joint_low", "joint_high") for sign in [1 if row["model"] == winner["model"] else -1])
    assert ends == pytest.approx([winner["margin_low"], winner["margin_high"]])


def test_equal_models_one_model_and_many():
    counts = np.concatenate([np.zeros((5, 3), int), COUNTS])
    scores = {name: np.concatenate([SCORES["A"][:5], SCORES["A"]]) for name in "XY"}
    low, high = twin.interval([0] * 80)  # other cases may tell them apart
    for row in made(counts, scores, level=0.95)[0]:
        assert (row["difference"], row["greater_share"], row["n_cases"]) == (0, 0.5, 80)
        assert (row["low"], row["high"]) == pytest.approx((low, high))
    for models in ({}, {"A": SCORES["A"]}):
        assert made(scores=models) == ([], [])
    rows, notes = made(scores={f"m{i}": SCORES["A"] for i in range(12)}, k=1)
    assert len(rows) == 6 * 47 and notes == ["Differences of pairs are of the 10 models with the highest top-1 accuracy."]


def test_clusters_are_resampled_together():
    twice = {name: np.repeat(table, 2, 0) for name, table in SCORES.items()}
    together, _ = made(np.repeat(COUNTS, 2, 0), twice, clusters=np.repeat(np.arange(80), 2), n_resamples=100)
    for row, other in zip(made(n_resamples=100)[0], together):
        assert row["difference"] == pytest.approx(other["difference"])
        assert other["high"] - other["low"] == pytest.approx(row["high"] - row["low"], rel=0.6)


def test_areas_of_two_classes_are_compared_on_the_same_resamples():
    p = RNG.beta(1, 1, 80)
    counts = RNG.binomial(4, p)
    scores = {name: np.stack([1 - q, q], 1) for name, q in (("A", 0.8 * p + 0.1), ("B", RNG.random(80)))}
    rows = made(np.stack([4 - counts, counts], 1), scores, reliability=1, k=1, n_resamples=200, seed=3)[0]
    (row,) = (row for row in rows if row["metric"] == "soft_auroc")
    truth = ugt.dirichlet(ugt.Labels.from_counts(np.stack([4 - counts, counts], 1)), reliability=1).mean()[:, 1]
    a, b = (ugt.soft_auroc(truth, table[:, 1]) for table in scores.values())
    assert row["difference"] == pytest.approx(a.value - b.value) and row["k"] is None and row["n_cases"] == 80
    assert (row["low"], row["high"]) == pytest.approx(a.minus(b).interval(0.9, n_resamples=200, seed=3), abs=0.03)
    assert row["low"] > 0 and row["joint_low"] == pytest.approx(row["low"])
