"""Costs of two classes: what is summed without a table of them is what the table gives."""

import numpy as np
import pytest

import ugt
from ugt.agreement.chances import Chance
from ugt.agreement.coefficients import Coefficient
from ugt.agreement.costs import GivenCosts, LinearCost, Nominal, Ratio, Squared, weighted
from ugt.agreement.reading import labels_of
from ugt.agreement.table import Ragged

K = 4
X = np.array([-0.5, -0.1, 0.2, 0.5])
WEIGHTS = np.array([[1.0, 0.75, 0.25, 0.0], [0.75, 1.0, 0.5, 0.25], [0.25, 0.5, 1.0, 0.75], [0.0, 0.25, 0.75, 1.0]])
TABLES = {
    "nominal": (Nominal(K), [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]),
    "linear": (LinearCost(K), [[0, 1 / 3, 2 / 3, 1], [1 / 3, 0, 1 / 3, 2 / 3], [2 / 3, 1 / 3, 0, 1 / 3], [1, 2 / 3, 1 / 3, 0]]),
    "squared": (Squared(X), [[0, 0.16, 0.49, 1], [0.16, 0, 0.09, 0.36], [0.49, 0.09, 0, 0.09], [1, 0.36, 0.09, 0]]),
    "ratio": (Ratio(np.array([0.0, 0.0, 1.0, 3.0])), [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0.25], [1, 1, 0.25, 0]]),
    "given": (GivenCosts(WEIGHTS), 1 - WEIGHTS),
    "linear weights": (weighted("linear", K), 1 - np.array([[3, 2, 1, 0], [2, 3, 2, 1], [1, 2, 3, 2], [0, 1, 2, 3]]) / 3),
    "quadratic weights": (weighted("quadratic", K), np.array([[0, 1, 4, 9], [1, 0, 1, 4], [4, 1, 0, 1], [9, 4, 1, 0]]) / 9),
}


@pytest.mark.parametrize("cost", [Nominal(1), LinearCost(1), *(weighted(name, 1) for name in ("linear", "quadratic", "ordinal"))])
def test_a_single_class_costs_nothing(cost):
    p = np.array([2.0])
    assert [cost.between(0, 0), cost.bilinear(p, p), *cost.times(p)] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", TABLES)
def test_all_sums_are_those_of_the_table(name):
    cost, table = TABLES[name]
    table, every = np.array(table, float), np.arange(K)
    p, q = np.array([[3.0, 0.5, 2.0, 1.0], [0.0, 1.0, 0.0, 4.0]]), np.array([[1.0, 1.0, 0.0, 2.5], [2.0, 0.25, 1.0, 0.0]])
    np.testing.assert_allclose(cost.between(every[:, None], every), table, atol=1e-15)
    np.testing.assert_allclose(cost.bilinear(p, q), [a @ table @ b for a, b in zip(p, q)], rtol=1e-13)
    np.testing.assert_allclose(cost.times(p[0]), table @ p[0], rtol=1e-13)
    rows = Ragged(np.array([0, 3, 3, 5]), np.array([0, 1, 3, 1, 2], np.int32), np.array([2.0, 0.5, 1.0, 3.0, 1.5]))
    dense = np.array([[2.0, 0.5, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [0.0, 3.0, 1.5, 0.0]])
    np.testing.assert_allclose(cost.pair_sums(rows), [a @ table @ a for a in dense], rtol=1e-13, atol=1e-15)


class OfTwo(Chance):
    """Cohen's agreement by chance from the classes of all annotators in turn, who are two."""

    by_annotator = True

    def _expected(self, cost, p, q):
        own = p.reshape(*p.shape[:-1], 2, cost.n_classes)
        first, second = np.moveaxis(own / own.sum(axis=-1, keepdims=True), -2, 0)
        return cost.bilinear(first, second)

    def _slopes(self, cost, p, q):
        own = p.reshape(2, cost.n_classes)
        size = own.sum(axis=1, keepdims=True)
        share = own / size
        by = np.stack([cost.times(one) for one in share[::-1]])
        half = (by - (by * share).sum(axis=1, keepdims=True)) / size / 2
        return half.ravel(), half.ravel()


@pytest.mark.parametrize("weights", [None, "quadratic", WEIGHTS])
@pytest.mark.parametrize("n", [30, 1500])  # of which the like are one
def test_a_chance_by_annotator_is_that_of_two_annotators(weights, n):
    """Cohen's kappa again, of which all but the standard error's n / (n - 1) is known."""
    random = np.random.default_rng(1)
    truth = random.integers(0, K, (n, 1))
    labels = ugt.Labels.from_wide(np.where(random.random((n, 2)) < 0.6, truth, random.integers(0, K, (n, 2))), classes=K)
    one = Coefficient("of two", OfTwo())
    found, cohen = one.of(labels_of(labels, None, one.alike), weights), ugt.cohen_kappa(labels, weights=weights)
    assert (one.alike, one.tells(2), one.tells(3), one.tells(21)) == ("annotators", False, True, False)
    assert found.statistic.n_tables == 2 and found.statistic.facts.spans.tolist() == cohen.statistic.facts.spans.tolist()
    for mine, other in ((found.value, cohen.value), (found.expected, cohen.expected), (found.per_class, cohen.per_class)):
        np.testing.assert_allclose(mine, other, rtol=1e-12)
    np.testing.assert_allclose(found.statistic.influence(), cohen.statistic.influence(), rtol=1e-9, atol=1e-12)
    for kind in ("percentile", "bca"):
        np.testing.assert_allclose(found.interval(kind=kind, n_resamples=99), cohen.interval(kind=kind, n_resamples=99), rtol=1e-9)
