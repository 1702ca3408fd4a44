"""One meaning of a bare array, wherever it is handed in."""

import numpy as np
import pytest
from refusals import refused
from surface import public

import ugt
from ugt.agreement.coefficients import DECLARED
from ugt.annotations.bare import check_bare

COEFFICIENTS = [*(public(name) for name in DECLARED), ugt.krippendorff_alpha, ugt.agreement_table, ugt.agreement.pairwise_agreement]
DOORS = [*COEFFICIENTS, ugt.votes, ugt.irn, ugt.dirichlet]
DOORS += [lambda table, one=one: one(table, {"A": np.full((2, 2), 0.5), "B": np.full((2, 2), 0.5)}) for one in (ugt.evaluate,)]
DOORS += [lambda table: ugt.soft.ranking_stability(table, {"A": [0.1, 0.2], "B": [0.2, 0.1]})]
TRUTHS = [
    ugt.annotation_certainty,
    *(lambda t, one=one: one(t, np.full((2, 2), 0.5)) for one in (ugt.ua_topk_accuracy, ugt.metrics.ua_set_accuracy)),
]
TRUTHS += [lambda truth: ugt.conformal.MonteCarloConformal().fit(np.full((2, 2), 0.5), truth)]
WHOLE = {
    "list": [[2, 1], [0, 1]],
    "int": np.array([[2, 1], [0, 1]]),
    "rows of nan": np.array([[2.0, 1.0], [np.nan, np.nan]]),
    "bytes": np.array([[0, 1], [1, 1]], np.uint8),
    "gap": [[2, None], [0, 1]],
    "nan": np.array([[2.0, np.nan], [0.0, 1.0]]),
    "masked": np.ma.array([[2, 1], [0, 1]], mask=[[0, 1], [0, 0]]),
    "negative": [[2, -1], [0, 1]],
    "bools": np.array([[True, False], [True, True]]),
    "bools and a gap": [[True, None], [True, True]],
}


@pytest.mark.parametrize("function", [*DOORS, *TRUTHS])
@pytest.mark.parametrize("table", WHOLE)
def test_whole_numbers_are_refused_by_every_door(function, table):
    """Whether or not cells are empty: what a table means must not hang on data that are missing."""
    must = r"(labels|annotations|truth) must have a type if it holds whole numbers: use Labels\.from_wide .* Got a bare table of shape"
    refused(must, function, WHOLE[table])


@pytest.mark.parametrize(
    ("table", "truth"),
    [
        ([["a", "b"], ["a", "a"]], False),
        ([["a", None], ["a", "a"]], False),
        ([[0.5, np.nan], [1.0, 1.0]], False),
        ([[np.inf, 0], [1, 1]], False),
        ([[0.5, 1.0], [1.0, 1.0]], False),
        (np.eye(3), True),
        (np.eye(3, dtype=int), True),
        ([[1.0, 0.0], [np.nan, np.nan]], True),
        ([[np.nan, np.nan]], True),
        (np.vstack([np.full((9000, 2), 2.0), [[0.5, 1.0]]]), True),  # the last row tells
    ],
)
def test_what_is_not_ambiguous_is_taken(table, truth):
    check_bare("labels", table, truth=truth)


def test_coefficients_take_labels_and_ratings():
    for function in COEFFICIENTS[:-2]:
        text, whole = [["a", "b"], ["a", "a"], ["b", "b"], ["b", None]], [[0, 1], [0, 0], [1, 1], [1, None]]
        assert function(text).value == function(whole, classes=2).value == function(ugt.Labels.from_wide(whole)).value
    ratings = [[1, 2], [2, 2], [4, None]]
    with_type = ugt.krippendorff_alpha(ugt.Ratings.from_wide(ratings), "interval").value
    assert with_type == pytest.approx(ugt.krippendorff_alpha(np.array(ratings, float) + 0.5, "interval").value)
    assert ugt.fleiss_kappa([[0, 1], [0, 0]], classes=2).n_cases == 2


@pytest.mark.parametrize(
    "function", [ugt.discrepancy_ratio, ugt.papers.alternative_discrepancy_ratios, ugt.papers.individual_equivalence_index]
)
def test_discrepancies_ask_whether_whole_numbers_are_classes_or_a_scale(function):
    table = [[0, 5, 1], [1, 1, None], [5, 0, 5]]
    refused(r"annotations must be Labels\.from_wide\(\.\.\.\) .* or Ratings\.from_wide\(\.\.\.\)", function, table, [0, 1, 5])
    for named in (ugt.Labels.from_wide(table), ugt.Ratings.from_wide(table)):
        assert repr(function(named, [0, 1, 5], distance="squared")) == repr(function(table, [0, 1, 5], distance="squared"))
