"""Who is best, ranks, leads, flips: against resamples whose answers are known."""

from statistics import NormalDist

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt import resampling
from ugt.report.lead import Lead, Standing
from ugt.tables import standings as _standings
from ugt.tables.standings import MetricRow


def row(model, reliability=1.0, value=0.5, metric="topk_accuracy", k=1):
    return MetricRow(model, reliability, metric, k, value)


def resamples(estimate, values):
    return resampling.Resamples(np.asarray(estimate, float), np.asarray(values, float), None, ("cases",))


def test_chances_ranks_and_lead():
    rows = [row("A", value=0.7), row("B", value=0.6), row("C", value=0.1)]
    values = [[0.7, 0.6, 0.1]] * 3 + [[0.5, 0.6, 0.1]]
    (winner,), ranked = _standings.standings(rows, resamples([0.7, 0.6, 0.1], values), 0.4)
    assert [r.best_share for r in ranked] == [0.75, 0.25, 0.0] and sum(r.best_share for r in ranked) == 1
    assert [(r.rank_low, r.rank_high) for r in ranked] == [(1, 1), (2, 2), (3, 3)]
    assert (winner.model, winner.runner_up, winner.best_share) == ("A", "B", 0.75)
    assert winner.margin == pytest.approx(0.1)
    # of A - B, A - C and B - C the last never moves; the others are away from their value by 2 standard deviations in one resample of four
    for level, joint in ((0.4, 0.4), (0.9, 2 * NormalDist().cdf(2 * 0.7) - 1)):
        (winner,), ranked = _standings.standings(rows, resamples([0.7, 0.6, 0.1], values), level)
        ends = np.quantile([0.1, 0.1, 0.1, -0.1], [0.5 - max(joint, level) / 2, 0.5 + max(joint, level) / 2])
        assert (winner.margin_low, winner.margin_high) == pytest.approx(ends)
        assert winner.n_undistinguished == (ends[0] <= 0)


def test_levels_of_joint_intervals():
    """Of two numbers there is one difference; of three that are alike, two or three more independent ones; below 1 whatever is far away."""
    values = np.random.default_rng(0).normal(size=(4000, 3))
    assert _standings.joint_level(resamples([0, 0], values[:, :2]), 0.9) == 0.9
    assert 0.9 + 0.02 < _standings.joint_level(resamples([0, 0, 0], values), 0.9) < 1 - 0.1 / 3
    far = np.append(values[:199], [[100.0, 0, 0]], axis=0)
    level = _standings.joint_level(resamples([0, 0, 0], far), 0.999)
    assert 1 - 1e-8 < level < 1 and np.isfinite(_standings.simultaneous_leads(resamples([0, 0, 0], far), 0, 0.999)).all()


def test_equal_models_share_and_undefined_ones_stand_aside():
    rows = [row("A"), row("B"), row("C", value=0.5)]
    (winner,), ranked = _standings.standings(rows, resamples([0.5] * 3, np.random.default_rng(0).random((50, 1)) * np.ones((50, 3))), 0.9)
    assert winner.model == "A = B = C" and winner.best_share == pytest.approx(1.0)
    assert winner.runner_up is None and winner.margin_low is None and winner.n_undistinguished == 2
    assert [r.best_share for r in ranked] == pytest.approx([1 / 3] * 3)
    rows = [row("A", value=float("nan")), row("B")]
    (winner,), ranked = _standings.standings(rows, resamples([np.nan, 0.5], [[np.nan, 0.5]] * 4), 0.9)
    assert winner.model == "B" and winner.best_share == 1.0
    assert ranked[0].best_share is None


def test_flips_lie_on_the_line_between():
    """A - B is -0.1, 0.1, 0.3 at 1, 10, 100: zero half way between 1 and 10 on the logarithmic scale."""
    rows = [row(model, r) for r in (1.0, 10.0, 100.0) for model in "AB"]
    own = [0.4, 0.5, 0.6, 0.5, 0.8, 0.5]
    earlier = [0.6, 0.5, 0.6, 0.5, 0.8, 0.5]  # A better everywhere: below the lowest
    later = [0.4, 0.5, 0.4, 0.5, 0.6, 0.5]  # between 10 and 100
    never = [0.4, 0.5, 0.4, 0.5, 0.4, 0.5]  # above the highest
    other_way = [0.6, 0.5, 0.6, 0.5, 0.4, 0.5]  # only the other change: beyond both ends
    (flip,) = _standings.flips(rows, resamples(own, [own, later, other_way]), 0.9)
    assert (flip.model, flip.other, flip.better_above) == ("A", "B", True)
    assert flip.reliability == pytest.approx(10**0.5)
    assert (flip.low, flip.high, flip.share_inside) == (None, None, pytest.approx(2 / 3)) and not flip.is_shown
    (flip,) = _standings.flips(rows, resamples(own, [own, earlier, never, never]), 0.9)
    assert (flip.low, flip.high, flip.share_inside) == (None, None, 0.25)
    found = _standings.flips(rows, resamples([0.4, 0.5, 0.6, 0.5, 0.4, 0.5], [[0.4, 0.5, 0.6, 0.5, 0.4, 0.5]]), 0.9)
    assert [flip.better_above for flip in found] == [True, False]
    found = _standings.flips(rows, resamples([0.4, 0.5, 0.5, 0.5, 0.6, 0.5], [[0.4, 0.5, 0.5, 0.5, 0.6, 0.5]]), 0.9)
    assert [flip.reliability for flip in found] == [pytest.approx(10.0)]  # equal at 10: one flip, not two
    assert _standings.flips(rows, resamples([0.6, 0.5] * 3, [[0.6, 0.5] * 3]), 0.9) == []
    (flip,) = _standings.flips(rows, resamples(own, [later, later]), 0.9)
    assert flip.reliability == pytest.approx(10**0.5) and flip.low == flip.high == pytest.approx(10**1.5)
    assert flip.is_shown


def led(best, leads):
    """The standing of a model whose leads over others are these intervals, the next value first."""
    found = {name: Lead((low + high) / 2, low, high) for name, (low, high) in leads.items()}
    return Standing(best, tuple(name for name, lead in found.items() if lead.sign == 0), next(iter(found.items()), None))


@pytest.mark.parametrize(
    ("standing", "words", "ends"),
    [
        (led("B", {"A": (0.1, 0.2)}), "B is ahead for these annotators (lead", (0.1, 0.2)),
        (led("B", {"A": (-0.1, 0.2)}), "A and B cannot be distinguished (lead of A", (-0.2, 0.1)),
        (led("A", {"B": (-0.1, 0.2)}), "A and B cannot be distinguished (lead of A", (-0.1, 0.2)),
        (led("A", {"B": (-0.1, 0.2), "C": (0.0, 0.3)}), "A cannot be distinguished from 2 other models (lead over B", (-0.1, 0.2)),
        (led("A", {"B": (0.1, 0.2), "C": (-0.1, 0.3)}), "A cannot be distinguished from C (lead over B", (0.1, 0.2)),
        (led("A", {"B": (0.0, 0.0)}), "A and B have the same value", None),
        (led("A", {}), "A is the only one with a value", None),
        (Standing("A", ("B",), ("B", Lead(0.1, None, None))), "A has the best value", None),
    ],
)
def test_ahead_is_said_of_a_lead_that_is_shown(standing, words, ends):
    assert standing.phrase() == (words, ends)


def panels(n=60, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet([1.0, 1.0, 1.0], n)
    counts = np.stack([rng.multinomial(5, p) for p in truth])
    return counts, {"A": truth + rng.normal(size=(n, 3)) * 0.2, "B": truth + rng.normal(size=(n, 3)) * 0.3}


def test_intervals_over_both_count_annotations_once():
    counts, models = panels()
    found = ugt.evaluate(ugt.Labels.from_counts(counts), models, k=1, n_resamples=4000)
    assert found.sources["both_low, both_high"] == ("cases", "draws")
    for entry in found.metrics:
        assert (entry["both_low"], entry["both_high"]) == (entry["case_low"], entry["case_high"])


def test_clusters_widen_what_their_cases_share():
    counts, models = panels(30)
    repeated, scores = np.repeat(counts, 5, 0), {name: np.repeat(table, 5, 0) for name, table in models.items()}
    patient = np.repeat(np.arange(30), 5)
    by_case, by_cluster = (ugt.evaluate(ugt.Labels.from_counts(repeated), scores, k=1, clusters=ids) for ids in (None, patient))
    by_id = ugt.evaluate(ugt.Labels.from_counts(repeated), scores, k=1, clusters={str(i): f"p{c}" for i, c in enumerate(patient)})
    assert by_cluster.sources["case_low, case_high"] == ("clusters",)
    for a, b, c in zip(by_case.metrics, by_cluster.metrics, by_id.metrics):
        assert (b["case_high"] - b["case_low"]) / (a["case_high"] - a["case_low"]) == pytest.approx(5**0.5, rel=0.15)
        assert b == c


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
def test_kinds_of_interval(kind):
    counts, models = panels()
    found = ugt.evaluate(ugt.Labels.from_counts(counts), models, k=1, reliability=1, interval=kind, n_resamples=400)
    per_case = ugt.ua_topk_accuracy(ugt.dirichlet(ugt.Labels.from_counts(counts)), models["A"], k=1).per_case
    again = resampling.bootstrap(per_case, n_resamples=400, seed=0).interval(0.95, kind)
    (entry,) = [row for row in found.metrics if (row["model"], row["metric"]) == ("A", "topk_accuracy")]
    assert [entry["case_low"], entry["case_high"]] == pytest.approx(again[0].tolist(), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "normal"}, r"interval must be one of 'auto', 'percentile', 'basic', 'bca'. Got 'normal'"),
        ({"clusters": [1, 2]}, r"clusters must be 60 ids, one per case. Got shape \(2,\)"),
        ({"clusters": {"0": "a"}}, r"clusters must hold an id for every case. Got none for 59 of 60 cases, first at case 1"),
    ],
)
def test_errors(options, message):
    counts, models = panels()
    refused(message, ugt.evaluate, ugt.Labels.from_counts(counts), models, **options)


def binary(n=80, seed=4):
    rng = np.random.default_rng(seed)
    share = rng.beta(1.0, 2.0, n)
    yes = rng.binomial(5, share)
    scores = {name: 1 / (1 + np.exp(-5 * (share - 0.5 + rng.normal(0, spread, n)))) for name, spread in (("A", 0.05), ("B", 0.5))}
    return np.stack([5 - yes, yes], 1), {name: np.stack([1.0 - s, s], 1) for name, s in scores.items()}


def test_two_classes_have_soft_metrics_on_the_same_resamples():
    counts, models = binary()
    counts[3] = 0  # nobody labelled it
    patient = np.arange(80) // 4
    found = ugt.evaluate(
        ugt.Labels.from_counts(counts), models, reliability=(1, 3), clusters=patient, interval="bca", n_resamples=300, seed=9
    )
    for reliability in (1, 3):
        truth = ugt.dirichlet(ugt.Labels.from_counts(counts), reliability=reliability)
        for model, scores in models.items():
            for metric, function in (("auroc", ugt.soft_auroc), ("average_precision", ugt.soft_average_precision)):
                alone = function(truth, scores[:, 1])
                again = alone.resamples(clusters=patient, n_resamples=300, seed=9)
                for kind, value, interval in zip(("soft", "hard"), (alone.value, alone.hard), again.interval(0.95, "bca")):
                    wanted = (model, reliability, f"{kind}_{metric}")
                    (row,) = [r for r in found.metrics if (r["model"], r["reliability"], r["metric"]) == wanted]
                    assert row["value"] == value and row["n_cases"] == 79 and row["draw_low"] is None
                    assert [row["case_low"], row["case_high"]] == pytest.approx(interval.tolist(), abs=1e-12)
    best = [r for r in found.winners if r["metric"] == "soft_auroc"]
    assert [r["model"] for r in best] == ["A", "A"] and all(0.5 < r["best_share"] <= 1 for r in best)


def test_logits_of_two_classes_are_their_difference():
    counts, models = binary()
    logits = {name: np.log(table) + np.arange(80)[:, None] for name, table in models.items()}  # rows moved by any number
    one, two = (ugt.evaluate(ugt.Labels.from_counts(counts), scores, n_resamples=5) for scores in (models, logits))
    for a, b in zip(one.metrics, two.metrics):
        assert a["value"] == pytest.approx(b["value"], abs=1e-12)
