"""Reference cases of the discrepancy ratio: expected values by slow, independent code."""

import numpy as np
import pytest
from refusals import labels_of_rows

import ugt


def labels_of(nested, **options):
    """Labels from ``nested[case][annotator]``, lists of labels."""
    rows = [(i, j, label) for i, case in enumerate(nested) for j, one in enumerate(case) for label in one]
    return labels_of_rows(*zip(*rows), cases=range(len(nested)), **options)


def test_table_1(shared_case):
    case = shared_case("65")
    expected, tolerance = case["expected"], case["tolerance"]["abs"]
    found = ugt.discrepancy_ratio(labels_of(case["inputs"]["labels"]), case["inputs"]["model"], distance=case["inputs"]["delta"])
    assert (found.alpha, found.mu, found.value) == pytest.approx((expected["alpha"], expected["mu"], expected["ratio"]), abs=tolerance)
    np.testing.assert_allclose(found.alpha_per_case, expected["alpha_i"], rtol=0, atol=tolerance)
    counted = ~np.isnan(found.alpha_per_case)
    np.testing.assert_allclose(found.mu_per_case[counted], np.array(expected["mu_i"])[counted], rtol=0, atol=tolerance)
    assert np.isnan(found.mu_per_case[~counted]).all()
    assert (found.n_cases, found.left_out) == (expected["n"], {"case with a single annotator": 1})


def test_example_c1(shared_case):
    """Texts as labels, and a Python function that looks the distance up."""
    case = shared_case("67")
    table, expected = case["inputs"]["delta_table"], case["expected"]
    nested, model = case["inputs"]["labels"], case["inputs"]["model"]
    names = sorted({label for one in nested for labels in one for label in labels} | set(model))
    cost = np.zeros((len(names), len(names)))
    for a, first in enumerate(names):
        for b, second in enumerate(names):
            if first != second and first[0] == second[0]:
                kind = "model" if "m" in (first[1], second[1]) else "annotators"
                cost[a, b] = table[f"{ {'e': 'easy', 'h': 'hard'}[first[0]] }_{kind}"]
    labels = labels_of(nested, classes=names)
    found = ugt.papers.alternative_discrepancy_ratios(labels, model, distance=cost)
    assert found.ratio == pytest.approx(expected["delta"], abs=1e-12)
    assert found.prime == pytest.approx(expected["delta_prime_per_pair"], abs=1e-12)
    assert found.prime_printed == pytest.approx(expected["delta_prime_printed_formula"], abs=1e-12)
    assert np.isnan(found.double_prime)


def test_jaccard(shared_case):
    case = shared_case("69")
    expected = case["expected"]
    rows = [(i, j, label) for i, one in enumerate(case["inputs"]["labels"]) for j, labels in enumerate(one) for label in labels]
    masks = ugt.Masks.from_sets(*zip(*rows), classes=6, cases=range(len(case["inputs"]["labels"])))
    found = ugt.discrepancy_ratio(masks, case["inputs"]["model"], distance="jaccard")
    assert (found.alpha, found.mu, found.value, found.n_cases) == pytest.approx(
        (expected["alpha"], expected["mu"], expected["ratio"], expected["n"]), abs=case["tolerance"]["abs"]
    )


@pytest.mark.parametrize("cases", ["matched", "all", "mu1"])
def test_annotators_left_out(shared_case, cases):
    case = shared_case("71")
    labels = labels_of(case["inputs"]["labels"])
    found = ugt.humans.annotator_discrepancy(labels, distance=case["inputs"]["delta"], cases=cases)
    assert found.annotators.tolist() == [0, 1, 2]
    for j in range(3):
        expected = case["expected"][f"{j}_{cases}"]
        assert (found.alpha[j], found.mu[j], found.value[j]) == pytest.approx(
            (expected["alpha"], expected["mu"], expected["ratio"]), abs=case["tolerance"]["abs"]
        )


@pytest.mark.parametrize("ties", ["drop", "lowest"])
def test_stratified(shared_case, ties):
    case = shared_case("73")
    expected = case["expected"][ties]
    found = ugt.humans.stratified_discrepancy(labels_of(case["inputs"]["labels"]), case["inputs"]["model"], ties=ties)
    assert dict(zip(map(str, found.names.tolist()), found.value.tolist())) == pytest.approx(expected["per_class"], abs=1e-12)
    assert found.mean == pytest.approx(expected["mean"], abs=case["tolerance"]["abs"])
    assert found.left_out == ({"case whose majority class is tied": 1} if ties == "drop" else {})
