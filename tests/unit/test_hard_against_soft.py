"""R² and ranks of hard and soft metrics over models: against plain loops, resample by resample."""

import numpy as np
import pytest
from refusals import refused, warned
from twins import soft as twin

import ugt

METRICS = (twin.auroc, twin.average_precision)


def panel(n=40, n_models=5, seed=0):
    """Labels of eight annotators, and models that differ, one of them twice."""
    rng = np.random.default_rng(seed)
    wide = (rng.random((n, 8)) < rng.beta(0.6, 0.9, (n, 1))).astype(int)
    models = {f"m{j}": np.round(wide.mean(1) + rng.normal(0, 0.3 + 0.2 * j, n), 2) for j in range(n_models)}
    return ugt.Labels.from_wide(wide, classes=2), wide.mean(1), {**models, "again": models["m1"]}


def by_hand(p, models):
    """(2 metrics, hard and soft, M)."""
    truths = (p > 0.5).astype(float), p
    return np.array([[[metric(one, scores) for scores in models.values()] for one in truths] for metric in METRICS])


def test_everything_against_loops():
    labels, p, models = panel()
    found, expected = ugt.soft.hard_against_soft(labels, models), by_hand(p, models)
    assert found.models == tuple(models) and found.metrics == ("auroc", "average_precision") and found.n_cases == 40
    np.testing.assert_allclose(np.stack([found.hard, found.soft], 1), expected, atol=1e-12)
    np.testing.assert_allclose(found.r_squared, [twin.r_squared(*pair) for pair in expected], atol=1e-12)
    rounded = np.round(expected, 9)
    assert np.stack([found.hard_ranks, found.soft_ranks], 1).tolist() == [[twin.ranks(row) for row in pair] for pair in rounded.tolist()]
    assert found.soft_ranks[0, 1] == found.soft_ranks[0, 5]


def test_all_models_are_on_the_same_resamples():
    labels, _, models = panel()
    found = ugt.soft.hard_against_soft(labels, models)
    drawn = found.resamples(n_resamples=50, seed=3)
    names = ("value", "hard")
    each = [
        [metric(labels, scores).resamples(n_resamples=50, seed=3).values for scores in models.values()]
        for metric in (ugt.soft_auroc, ugt.soft_average_precision)
    ]
    expected = [
        [twin.r_squared(*(np.array([one[b, names.index(of)] for one in ones]) for of in ("hard", "value"))) for ones in each]
        for b in range(50)
    ]
    np.testing.assert_allclose(drawn.values, expected, atol=1e-9)
    ends = np.stack([drawn.interval(0.9, kind) for kind in ("percentile", "basic")])
    hull = np.clip(np.stack([ends[..., 0].min(0), ends[..., 1].max(0)], 1), 0, 1)
    np.testing.assert_array_equal(found.intervals(0.9, n_resamples=50, seed=3), hull)
    np.testing.assert_array_equal(found.intervals(0.9, kind="percentile", n_resamples=50, seed=3), ends[0])


def test_several_columns_and_weights():
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1, 1, 1], 30)
    models, weights = {name: p + rng.normal(0, 0.5, (30, 3)) for name in "ABC"}, rng.integers(1, 4, 30)
    for name in ("case_weights", "frequency"):
        options = {name: weights, "average": "weighted", "threshold": 0.4}
        found = ugt.soft.hard_against_soft(p, models, **options)
        one = [ugt.soft_average_precision(p, scores, **options) for scores in models.values()]
        assert found.soft[1] == pytest.approx([each.value for each in one]) and found.hard[1] == pytest.approx([each.hard for each in one])
        assert found.n_cases == one[0].n_cases
        drawn = found.resamples(n_resamples=20, seed=2)
        each = [scores.resamples(n_resamples=20, seed=2).values for scores in one]
        expected = [twin.r_squared(*(np.array([of[b, j] for of in each]) for j in (1, 0))) for b in range(20)]
        np.testing.assert_allclose(drawn.values[:, 1], expected, atol=1e-9)


def test_undefined():
    models = {name: [1.0, 2.0, 3.0] for name in "ABC"}
    found = warned(r"undefined: metric without different values of the models", ugt.soft.hard_against_soft, [0.0, 1.0, np.nan], models)
    assert np.isnan(found.r_squared).all() and found.n_cases == 2
    assert found.left_out == {"case without annotations": 1, "metric without different values of the models": 2}
    assert found.hard_ranks.tolist() == [[1, 1, 1], [1, 1, 1]]
    none = warned("undefined", ugt.soft.hard_against_soft, [0.1, 0.2, 0.3], models)
    assert np.isnan(none.hard_ranks).all()


@pytest.mark.parametrize(
    ("predictions", "options", "kind", "message"),
    [
        ([[0.1, 0.2]], {}, TypeError, r"predictions must be a mapping from model names to scores\. Got list"),
        ({"a": [0.1, 0.2], "b": [0.1, 0.2]}, {}, ValueError, r"predictions must hold at least three models\. Got 2"),
        (
            {"a": [0.1, 0.2], "b": [0.1, 0.2], "c": [0.1]},
            {},
            ValueError,
            r"model 'c': scores must be of the shape of p, \(2,\)\. Got \(1,\)",
        ),
        ({"a": [0.1, 0.2], "b": [0.1, np.nan], "c": [0.1, 0.1]}, {}, ValueError, r"model 'b': scores must not be NaN"),
        ({name: [0.1, 0.2] for name in "abc"}, {"average": "micro"}, ValueError, r"average must be one of 'macro', 'weighted'"),
        ({name: [0.1, 0.2] for name in "abc"}, {"threshold": 2}, ValueError, r"threshold must be from 0 to 1"),
    ],
)
def test_errors(predictions, options, kind, message):
    refused(message, ugt.soft.hard_against_soft, [0.2, 0.8], predictions, error=kind, **options)


def test_annotators_cannot_be_random():
    labels, _, models = panel()
    refused(
        r"random must be \('cases',\) for R² over models",
        ugt.soft.hard_against_soft(labels, models).intervals,
        random=("cases", "annotators"),
    )
