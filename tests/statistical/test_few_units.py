"""Coverage of the default interval of few cases and clusters, and of perfect results.

The grid: clusters of equal sizes, or of sizes whose logarithm is normal (σ = 1: one of 10 clusters has about a third of the cases);
shares of 50, 90 and 98 %; agreement of two annotators about classes of 50:50 and 90:10; quotients of sums of skewed numbers. Measured with
20,000 data sets a cell (Monte Carlo error 0.2 %): docs/intervals-checked.md.
"""

import warnings

import numpy as np
import pytest
from simulations import holds, sets
from surface import public

import ugt

ICC = 0.15


def sizes(rng, shape, equal):
    return np.full(shape, 15) if equal else np.clip(np.round(rng.lognormal(np.log(15) - 0.5, 1.0, shape)), 1, 200).astype(int)


def shares(rng, n_clusters, equal, p):
    """Right answers of clusters, ``(contributions, denominators, truth)``."""
    n, scale = sizes(rng, n_clusters, equal), (1 - ICC) / ICC
    return rng.binomial(n, rng.beta(p * scale, (1 - p) * scale, n_clusters)), n, p


def quotients(rng, n_clusters, equal, shape):
    """Deviations of a model and of annotators, larger in hard clusters; the model's by another factor in each."""
    n, hard = sizes(rng, n_clusters, equal), rng.gamma(3, 1 / 3, n_clusters)
    model = hard * rng.gamma(5, 1 / 5, n_clusters) * rng.gamma(shape * n) / shape
    return model, hard * rng.gamma(shape * n) / shape, 1.0


def hits(draw, n_sets, *given):
    rng, found = np.random.default_rng(7), 0
    for _ in range(n_sets):
        above, below, truth = draw(rng, *given)
        low, high = ugt.bootstrap(above.astype(float), below.astype(float), n_resamples=2).interval()[0]
        found += low <= truth <= high
    return found


@sets(500, 5000)
@pytest.mark.parametrize(
    ("draw", "parameter", "equal", "n_clusters", "least", "most"),
    [
        (shares, 0.5, True, 3, 0.935, 0.965), (shares, 0.5, True, 10, 0.94, 0.965), (shares, 0.9, True, 10, 0.94, 0.97),
        (shares, 0.9, False, 10, 0.93, 0.97), (shares, 0.98, True, 10, 0.965, 1), (shares, 0.98, False, 20, 0.965, 1),
        (shares, 0.9, False, 40, 0.93, 0.96), (quotients, 2.0, True, 10, 0.925, 0.96), (quotients, 2.0, False, 10, 0.89, 0.95),
        (quotients, 0.5, True, 20, 0.93, 0.96),
    ],
)  # fmt: skip
def test_few_clusters(draw, parameter, equal, n_clusters, least, most, n_sets):
    assert holds(hits(draw, n_sets, n_clusters, equal, parameter), n_sets, least, most)


@pytest.mark.parametrize("n", [10, 20, 30, 50, 100])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.95, 0.98, 0.99])
def test_shares_of_cases_are_exact_sums(n, p):
    """No simulation: every number of right cases has its interval and its probability."""
    right = np.arange(n + 1)
    table = (np.arange(n)[:, None] < right).astype(float)
    low, high = ugt.bootstrap(table[:, 1:], n_resamples=50).interval().T
    from scipy.stats import binom

    covered = binom.pmf(right[1:], n, p) @ ((low <= p) & (p <= high)) + binom.pmf(0, n, p) * (p < 0.3)
    assert covered >= 0.92, covered


def labels_of(cells):
    """Labels of two annotators from how often both said which."""
    table = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], cells, axis=0)
    return ugt.Labels.from_wide(table.tolist(), classes=2)


def agreement(rng, n_clusters, prevalence, n_cases=15):
    """How often two annotators said which in each cluster (G, 4), whose prevalence and accuracy differ."""
    q, right = rng.beta(9 * prevalence, 9 * (1 - prevalence), n_clusters), rng.beta(8.1, 0.9, n_clusters)
    both = np.stack([q * right**2 + (1 - q) * (1 - right) ** 2, right * (1 - right), right * (1 - right)], axis=1)
    chances = np.concatenate([both, 1 - both.sum(axis=1, keepdims=True)], axis=1)
    return np.array([rng.multinomial(n_cases, np.clip(one, 0, 1) / np.clip(one, 0, 1).sum()) for one in chances])


@sets(150, 3000)
@pytest.mark.parametrize("prevalence", [0.5, 0.1])
@pytest.mark.parametrize("name", ["cohen_kappa", "krippendorff_alpha"])
def test_agreement_of_ten_clusters(name, prevalence, n_sets):
    rng, coefficient, found = np.random.default_rng(3), public(name), 0
    truth = coefficient(labels_of(agreement(np.random.default_rng(1), 20_000, prevalence).sum(axis=0))).value
    for _ in range(n_sets):
        cells = agreement(rng, 10, prevalence)
        clusters = np.concatenate([np.repeat(np.full(4, g), one) for g, one in enumerate(cells)])
        table = np.concatenate([np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], one, axis=0) for one in cells])
        low, high = coefficient(ugt.Labels.from_wide(table.tolist(), classes=2)).interval(clusters=clusters, n_resamples=20)
        found += low <= truth <= high
    assert holds(found, n_sets, 0.93, 0.97)


@sets(150, 2000)
def test_intervals_over_both_hold_the_expected_agreement(n_sets):
    """Other cases with annotations of their own; the truth is what 40,000 cases say."""

    def study(rng, n):
        shares_ = rng.dirichlet([0.5, 0.5, 0.5], n)
        counts = np.stack([rng.multinomial(4, one) for one in shares_])
        return ugt.Labels.from_counts(counts), shares_ + 0.3 * rng.normal(size=(n, 3))

    rng = np.random.default_rng(5)
    labels, scores = study(rng, 40_000)
    truth, found = ugt.ua_topk_accuracy(ugt.dirichlet(labels), scores).value, 0
    for _ in range(n_sets):
        labels, scores = study(rng, 60)
        for row in ugt.evaluate(labels, {"A": scores}, k=1, reliability=1, n_resamples=50, details=False).metrics:
            found += row["metric"] == "topk_accuracy" and row["both_low"] <= truth <= row["both_high"]
    assert holds(found, n_sets)


@sets(300, 3000)
def test_agreement_with_hardly_any_label_of_the_rare_class(n_sets):
    """Two annotators find 80% of the 3% of cases of a rare class, and see it in 0.5% of the others: why there is a warning."""
    rng, held, p = np.random.default_rng(4), {True: [], False: []}, 0.03
    both, alone, none = p * 0.64 + (1 - p) * 0.005**2, p * 0.8 + (1 - p) * 0.005, p * 0.04 + (1 - p) * 0.995**2
    chance = alone**2 + (1 - alone) ** 2
    truth = (both + none - chance) / (1 - chance)
    for _ in range(n_sets):
        rare = rng.random((100, 1)) < p
        table = np.where(rare, rng.random((100, 2)) < 0.8, rng.random((100, 2)) < 0.005).astype(int)
        if not table.any():
            continue
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            low, high = ugt.fleiss_kappa(ugt.Labels.from_wide(table, classes=2)).interval(n_resamples=300)
        warned = any("of the commonest class" in str(one.message) for one in heard)
        assert warned == (table.sum() <= 3)
        held[warned].append(low <= truth <= high)
    assert np.mean(held[True]) < 0.75 and np.mean(held[False]) > 0.9
