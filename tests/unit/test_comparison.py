"""Parts of comparisons between orders and posteriors that metrics show only in their spread, on numbers that can be done by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import orders as twin

import ugt
from ugt._base.ragged import offsets_of
from ugt.metrics.given import orders_of
from ugt.plausibilities.comparisons import Comparison, spread_of
from ugt.plausibilities.orders import Orders

NAN = float("nan")


def test_agreement_is_mean_and_spread_of_values_and_their_law():
    values = np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 0.0]])
    law = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])
    found = Comparison.of_values(values, law, 2)
    np.testing.assert_allclose(found.per_case, [0.625, 0.5])
    # variances 1/2 + 1/16 - 0.625² = 11/64 and 1/4 + 1/8 - 1/4 = 1/8
    assert found.draw_std == pytest.approx(np.sqrt(11 / 64 + 1 / 8) / 2)


def test_spread_of_cases_is_that_of_their_mean():
    assert spread_of(np.array([4.0, NAN, 5.0])) == 1.5
    assert np.isnan(spread_of(np.array([NAN])))


def test_cases_that_cannot_vary_are_a_constant_of_the_law():
    values = np.array([[0.75, 0.75, 0.75], [1.0, 0.5, 0.0], [1.0, 0.25, 0.0], [0.5, 0.0, 1.0]])
    law = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 1.0, 0.0], [NAN, NAN, NAN]])
    found = Comparison.of_values(values, law, 2).law(np.inf)
    assert np.nansum(found.least) == 0.75 + 0.25
    np.testing.assert_allclose(found.pmf, [[0.25, 0.5, 0.25]])


def test_values_between_points_are_split_so_that_means_stay():
    values, law = np.array([[0.25, 1.0]]), np.array([[0.75, 0.25]])  # 0.25 is half way between the points 0 and 1/2
    np.testing.assert_allclose(Comparison.of_values(values, law, 2).law(np.inf).pmf, [[0.375, 0.375, 0.25]])
    # a tenth of rounding below a point is the point
    np.testing.assert_allclose(
        Comparison.of_values(np.array([[0.5 - 1e-11, 1.0]]), law, 2).law(np.inf).pmf, [[0.0, 0.75, 0.25]], atol=1e-15
    )


def test_an_overlap_is_kept_and_given_back_as_it_was():
    """Set accuracy after overlap asks for the same joint law: kept, it is the law and not one of its keys."""
    post = ugt.Dirichlet.from_array([[3.0, 2.0, 1.0], [1.0, 1.0, 4.0]])
    sets = orders_of(post, [[3, 2, 1], [3, 2, 1]], 2, "expectation").sets(2)
    k = np.full(2, 2, np.int32)
    first = post._overlaps(sets, k).copy()
    np.testing.assert_array_equal(post._overlaps(sets, k), first)
    np.testing.assert_allclose(first.sum((1, 2)), 1.0)


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=4), st.integers(1, 4), st.booleans(), st.data())
def test_roles_in_the_best_k_are_those_of_all_tie_breaks(values, depth, zeros, data):
    k, table = data.draw(st.integers(1, depth)), np.array(values, np.float64) + (not zeros)
    orders = Orders.from_dense(table, depth, "expectation")
    if zeros:  # ragged rows, whose unlisted classes have the value 0
        row, index = table.nonzero()
        orders = Orders.from_ragged(offsets_of((table > 0).sum(1)), index.astype(np.int32), table[row, index], 4, depth, "expectation")
    sets = orders.sets(k)
    for i, row in enumerate(table):
        found = np.full(4, sets.rest_role[i])
        listed = slice(*sets.offsets[i : i + 2])
        found[sets.index[listed]] = sets.role[listed]
        assert found.tolist() == twin.roles(row.tolist(), k)
    tied = [sorted(row, reverse=True) for row in table.tolist()]
    assert orders.has_ties == any(row[j] == row[j + 1] for row in tied for j in range(min(depth, 3)))
