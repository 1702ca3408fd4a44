"""Reference cases of the calibrators' objectives: expected values by slow, independent code."""

import numpy as np
import pytest
from twins import calibrators as twin

import ugt
from ugt.calibration.alpha import _Objective
from ugt.calibration.logits import LabelTable, LogitTable
from ugt.calibration.posteriors import Likelihood
from ugt.calibration.scaling import MatrixMap, Objective, TemperatureSums, VectorMap


def test_dirichlet_multinomial_and_alpha_objective(shared_case):
    case = shared_case("61")
    given, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]["abs"]
    alpha = np.array(given["alpha0"])[:, None] * np.array(given["probs"])
    for name, coefficient in (("nll_with_coefficient", True), ("nll_without", False)):
        found = ugt.calibration.dirichlet_multinomial_log_likelihood(given["counts"], alpha, coefficient=coefficient)
        np.testing.assert_allclose(-found, expected[name], rtol=0, atol=tolerance)
    table = LogitTable.of(given["probs"], "probabilities")
    likelihood = Likelihood.of(LabelTable.of(given["counts"], table.shape, False), table, None)
    # a feature that is log alpha0 itself
    x, weight = np.log(given["alpha0"])[:, None], np.ones(table.shape[0])
    value = _Objective(likelihood, x, weight, given["lam"]).value_and_gradient(np.array([0.0, 1.0]))[0]
    assert value == pytest.approx(expected["objective_without_coefficient"], abs=tolerance)
    assert value - likelihood.coefficient().mean() == pytest.approx(expected["objective"], abs=tolerance)
    slow = twin.alpha_objective(given["counts"], given["probs"], np.log(given["alpha0"]), given["lam"])
    assert slow == pytest.approx(expected["objective"], abs=tolerance)


def test_scaling_objectives(shared_case):
    case = shared_case("63")
    given, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]["abs"]
    u, y = np.array(given["logits"]).T, np.array(given["counts"], float).T
    b, v, w = (np.array(given[name]) for name in ("b", "W_vector", "W_matrix"))
    vector, matrix = VectorMap(3, given["lam_b"]), MatrixMap(3, given["lam_w"], given["lam_b"])
    table = LogitTable.of(given["logits"], "logits")
    sums = TemperatureSums(table, LabelTable.of(given["counts"], table.shape, False))
    found = {
        "ts": sums.at(sums.unit / given["t"])[0],
        "vs": Objective(vector, u, y).value_and_gradient(np.stack([v, b]))[0],
        "ms": Objective(matrix, u, y).value_and_gradient(np.column_stack([w, b]))[0],
        "identity": Objective(matrix, u, y).value(np.eye(3, 4)),
    }
    slow = {
        "ts": twin.loss(given["counts"], given["logits"], *twin.temperature_map(given["t"], 3)),
        "vs": twin.loss(given["counts"], given["logits"], *twin.vector_map(v, b)) + twin.penalty_l2(b, given["lam_b"]),
        "ms": twin.loss(given["counts"], given["logits"], w, b) + twin.penalty_odir(w, b, given["lam_w"], given["lam_b"]),
        "identity": twin.loss(given["counts"], given["logits"], np.eye(3), [0, 0, 0]),
    }
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=tolerance), name
        assert slow[name] == pytest.approx(value, abs=tolerance), name
