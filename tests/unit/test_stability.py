"""Stability of rankings under annotations drawn again: against scipy and plain loops."""

import numpy as np
import pytest
from refusals import refused
from scipy import stats

import ugt
from ugt import resampling
from ugt.soft.stability import binomial_p_value

METRICS = {
    "soft_auroc": lambda p, s: ugt.soft_auroc(p, s).value,
    "hard_auroc": lambda p, s: ugt.soft_auroc(p, s).hard,
    "soft_average_precision": lambda p, s: ugt.soft_average_precision(p, s).value,
    "hard_average_precision": lambda p, s: ugt.soft_average_precision(p, s).hard,
}


def panel(n=40, n_models=4, seed=0):
    """Counts (N, 2) of five labels a case, and models that are hard to tell apart; some scores tied."""
    rng = np.random.default_rng(seed)
    share = rng.beta(1.0, 1.0, n)
    yes = rng.binomial(5, share)
    return np.stack([5 - yes, yes], 1), {f"m{j}": np.round(share + rng.normal(0, 0.3, n), 1) for j in range(n_models)}


def test_everything_against_loops():
    counts, models = panel()
    found = ugt.soft.ranking_stability(ugt.Labels.from_counts(counts), models, n_resamples=30, seed=5)
    drawn = resampling.resampled_counts(counts, 5, 0, 30)[..., 1] / 5
    own = counts[:, 1] / 5
    assert found.models == tuple(models) and found.metrics == tuple(METRICS) and found.n_cases == 40
    for i, (name, metric) in enumerate(METRICS.items()):
        expected = np.array([[metric(p, s) for s in models.values()] for p in drawn])
        np.testing.assert_allclose(found.resampled[i], expected, atol=1e-12)
        np.testing.assert_allclose(found.values[i], [metric(own, s) for s in models.values()], atol=1e-12)
        rho = [stats.spearmanr(row, found.values[i])[0] for row in found.resampled[i]]
        tau = [stats.kendalltau(row, found.values[i])[0] for row in found.resampled[i]]
        assert found.spearman[name] == pytest.approx(np.mean(rho), abs=1e-12)
        assert found.kendall[name] == pytest.approx(np.mean(tau), abs=1e-12)
    for name, (soft, hard) in {"auroc": (0, 1), "average_precision": (2, 3)}.items():
        rho = [[stats.spearmanr(row, found.values[i])[0] for row in found.resampled[i]] for i in (soft, hard)]
        difference = np.round(np.subtract(*rho), 9)
        more, less, same = (int(np.sum(np.sign(difference) == sign)) for sign in (1, -1, 0))
        assert found.soft_more_stable[name] == (more, less, same)
        assert more + less + same == 30
        assert found.p_value[name] == pytest.approx(min(1.0, 2 * stats.binom.cdf(min(more, less), more + less, 0.5)))


def test_soft_rankings_are_the_more_stable_ones_where_the_threshold_is_a_coin():
    """Shares close to one half: hard labels jump with every draw. 200 cases, so the test statistic is far in its tail."""
    rng = np.random.default_rng(3)
    share = rng.uniform(0.3, 0.7, 400)
    yes = rng.binomial(4, share)
    models = {f"m{j}": share + rng.normal(0, 0.04 + 0.02 * j, 400) for j in range(5)}
    found = ugt.soft.ranking_stability(ugt.Labels.from_counts(np.stack([4 - yes, yes], 1)), models, n_resamples=400, seed=1)
    assert found.spearman["soft_auroc"] > found.spearman["hard_auroc"]
    assert found.p_value["auroc"] < 1e-6
    more, less, _ = found.soft_more_stable["auroc"]
    assert more > less


@pytest.mark.parametrize(("more", "less"), [(0, 0), (1, 0), (0, 9), (5, 5), (3, 12), (400, 460)])
def test_binomial_test(more, less):
    expected = min(1.0, 2 * stats.binom.cdf(min(more, less), more + less, 0.5)) if more + less else 1.0
    assert binomial_p_value(more, less) == pytest.approx(expected, rel=1e-12)
    assert binomial_p_value(less, more) == binomial_p_value(more, less)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_several_classes(average):
    rng = np.random.default_rng(1)
    counts = rng.multinomial(6, [0.5, 0.3, 0.2], 30)
    models = {name: counts / 6 + rng.normal(0, 0.3, (30, 3)) for name in "AB"}
    found = ugt.soft.ranking_stability(ugt.Labels.from_counts(counts), models, average=average, n_resamples=3)
    for j, scores in enumerate(models.values()):
        one = ugt.soft_auroc(counts / 6, scores, average=average)
        two = ugt.soft_average_precision(counts / 6, scores, average=average)
        expected = [one.value, one.hard, two.value, two.hard]
        np.testing.assert_allclose(found.values[:, j], expected, atol=1e-12)


def test_cases_without_labels_are_left_out_and_counted():
    counts, models = panel()
    more = np.concatenate([counts, [[0, 0]]])
    longer = {name: np.append(scores, 0.5) for name, scores in models.items()}
    found = ugt.soft.ranking_stability(ugt.Labels.from_counts(more), longer, n_resamples=4)
    assert found.left_out == {"case without annotations": 1} and found.n_cases == 40
    np.testing.assert_array_equal(found.values, ugt.soft.ranking_stability(ugt.Labels.from_counts(counts), models, n_resamples=4).values)


def test_same_bytes_for_any_number_of_threads_and_labels_as_counts():
    counts, models = panel(3000)
    one, two = (ugt.soft.ranking_stability(ugt.Labels.from_counts(counts), models, n_resamples=200, seed=2, n_threads=n) for n in (1, 2))
    assert one.resampled.tobytes() == two.resampled.tobytes()
    labels = ugt.Labels.from_counts(counts[:50])
    few = {name: scores[:50] for name, scores in models.items()}
    assert (
        ugt.soft.ranking_stability(labels, few, n_resamples=3).values.tolist()
        == ugt.soft.ranking_stability(ugt.Labels.from_counts(counts[:50]), few, n_resamples=3).values.tolist()
    )


def test_tied_models_have_no_correlation():
    counts, models = panel()
    same = {"a": models["m0"], "b": models["m0"]}
    found = ugt.soft.ranking_stability(ugt.Labels.from_counts(counts), same, n_resamples=4)
    assert np.isnan(found.spearman["soft_auroc"]) and found.p_value["auroc"] == 1.0


def readings(n=30, seed=0):
    """Labels of three findings by four annotators, and two models with a score for each finding."""
    rng = np.random.default_rng(seed)
    wide = (rng.random((3, n, 4)) < rng.random((3, n, 1))).astype(int)
    models = {name: wide.mean(2).T + rng.normal(0, 0.4, (n, 3)) for name in "AB"}
    return {f"f{j}": ugt.Labels.from_wide(part, classes=2) for j, part in enumerate(wide)}, wide, models


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_several_findings(average):
    labels, wide, models = readings()
    found = ugt.soft.ranking_stability(labels, models, average=average, n_resamples=40, seed=1)
    for j, scores in enumerate(models.values()):
        one, two = (metric(wide.mean(2).T, scores, average=average) for metric in (ugt.soft_auroc, ugt.soft_average_precision))
        np.testing.assert_allclose(found.values[:, j], [one.value, one.hard, two.value, two.hard], atol=1e-12)
    named = ugt.Predictions(np.arange(30), models["A"][:, ::-1], classes=["f2", "f1", "f0"])
    again = ugt.soft.ranking_stability(labels, {**models, "A": named}, average=average, n_resamples=40, seed=1)
    assert again.resampled.tobytes() == found.resampled.tobytes()


def test_whole_readings_are_drawn():
    """A finding and its opposite stay opposites in every draw; one finding, or one twice, is as its labels alone."""
    labels, wide, models = readings()
    alone = ugt.soft.ranking_stability(labels["f0"], {name: one[:, 0] for name, one in models.items()}, n_resamples=30)
    opposite = {"f0": labels["f0"], "not": ugt.Labels.from_wide(1 - wide[0], classes=2)}
    found = ugt.soft.ranking_stability(opposite, {name: one[:, [0, 0]] * [1, -1] for name, one in models.items()}, n_resamples=30)
    np.testing.assert_allclose(found.values[0], alone.values[0], atol=1e-12)
    twice = {"f0": labels["f0"], "again": labels["f0"]}
    same = ugt.soft.ranking_stability(twice, {name: one[:, [0, 0]] for name, one in models.items()}, n_resamples=30)
    np.testing.assert_allclose(same.resampled, alone.resampled, atol=1e-12)
    single = ugt.soft.ranking_stability({"f0": labels["f0"]}, {name: one[:, 0] for name, one in models.items()}, n_resamples=30)
    assert single.resampled.tobytes() == alone.resampled.tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda wide: ugt.Labels.from_wide(wide[1], classes=3),
            r"Labels of two classes .* every finding\. Got 3 classes, 4 named annotators",
        ),
        (lambda wide: ugt.Labels.from_counts([[2, 2]] * 30), r"by named annotators .* Got 2 classes, 0 named annotators, first at 'f1'"),
        (lambda wide: wide[1], r"Got ndarray, first at 'f1'"),
        (
            lambda wide: ugt.Labels.from_wide(np.where(np.arange(4) == 0, -1, wide[1]), classes=2, missing=-1),
            r"same annotators in the same cases .* call the function for each finding\)\. Got others, first at 'f1', compared with 'f0'",
        ),
        (lambda wide: ugt.Labels.from_wide(wide[1, :20], classes=2), r"same annotators in the same cases"),
    ],
)
def test_findings_that_do_not_fit(change, message):
    labels, wide, models = readings()
    refused(message, ugt.soft.ranking_stability, {**labels, "f1": change(wide)}, models)


@pytest.mark.parametrize(
    ("annotations", "predictions", "kind", "message"),
    [
        (ugt.Labels.from_counts([[1, 2], [2, 1]]), {"a": [0.1, 0.2]}, ValueError, r"predictions must hold at least two models. Got 1"),
        (
            ugt.Labels.from_counts([[1, 2], [2, 1]]),
            [0.1, 0.2],
            TypeError,
            r"predictions must be a mapping from model names to scores. Got list",
        ),
        (
            ugt.Labels.from_counts([[0, 0], [0, 0]]),
            {"a": [0.1, 0.2], "b": [0.1, 0.2]},
            ValueError,
            r"annotations must hold a label for at least one case",
        ),
        (
            [1, 2],
            {"a": [0.1, 0.2], "b": [0.1, 0.2]},
            TypeError,
            r"annotations must be Labels, or a mapping of findings to Labels. Got list",
        ),
        (
            ugt.Labels.from_counts([[1, 2], [2, 1]]),
            {"a": [0.1, 0.2], "b": [0.1]},
            ValueError,
            r"model 'b': scores must have one row for each of the 2 cases",
        ),
        (
            ugt.Labels.from_counts([[1, 2], [2, 1]]),
            {"a": [0.1, 0.2], "b": [0.1, np.nan]},
            ValueError,
            r"model 'b': scores must be finite. Got nan",
        ),
    ],
)
def test_errors(annotations, predictions, kind, message):
    refused(message, ugt.soft.ranking_stability, annotations, predictions, error=kind)
    with pytest.raises(ValueError, match=r"n_resamples must be a whole number of at least 1. Got 0"):
        ugt.soft.ranking_stability(ugt.Labels.from_counts([[1, 2], [2, 1]]), {"a": [0.1, 0.2], "b": [0.2, 0.1]}, n_resamples=0)
