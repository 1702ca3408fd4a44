"""Reference cases of losses against label histograms: expected values by slow, independent code."""

import numpy as np
import pytest

import ugt
from ugt import states

RULES = [(single_bins, singletons) for single_bins in ("zero", "plugin") for singletons in ("omit", "zero")]
pytestmark = pytest.mark.filterwarnings("ignore:undefined")


def as_in_the_cases(found):
    """Roots are those of max(loss, 0) there."""
    return {
        "lsq": found.l_sq,
        **{f"{name}_plugin": getattr(found, name).plugin for name in ("el", "cl", "dl")},
        **{name: getattr(found, name).debiased for name in ("el", "cl", "dl")},
        "ce": found.cl.root("zero").debiased,
        "de": found.dl.root("zero").debiased,
        "accuracy": found.accuracy,
    }


@pytest.mark.parametrize("number", ["51", "53", "55", "57"])
def test_losses(shared_case, number):
    case = shared_case(number)
    given, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]["abs"]
    counts, probs, options = np.array(given["counts"]), np.array(given["probs"]), {"n_bins": given["bins"]}
    for single_bins, singletons in RULES:
        found = ugt.histogram_losses(counts, probs, single_bins=single_bins, singletons=singletons, **options)
        assert as_in_the_cases(found) == pytest.approx(expected[f"{single_bins}_{singletons}"], abs=tolerance, nan_ok=True)
        rules = {"single_bins": single_bins, "singletons": singletons}
        parts = [states.partial("histogram_losses", [row], [z], **rules, **options) for row, z in zip(counts, probs)]
        assert as_in_the_cases(states.finish(states.merge(parts)).record) == pytest.approx(
            as_in_the_cases(found), abs=tolerance, nan_ok=True
        )
    by_class = ugt.histogram_losses(counts, probs, **options).per_class.cl
    np.testing.assert_allclose(by_class.plugin, expected["cl_plugin_per_class"], rtol=0, atol=tolerance)
    np.testing.assert_allclose(by_class.debiased, expected["cl_debiased_per_class_zero"], rtol=0, atol=tolerance)
    assert (ugt.histogram_losses(counts, probs, **options).bin_counts == 1).sum() == expected["singleton_bins"]


@pytest.mark.parametrize("number", ["51", "53", "55", "57"])
def test_disagreement(shared_case, number):
    case = shared_case(number)
    given, tolerance = case["inputs"], case["tolerance"]["abs"]
    predicted = ugt.calibration.predicted_disagreement(given["probs"])
    n_checked = 0
    for single_bins in ("zero", "plugin"):
        expected = case["expected"].get(f"order2_{single_bins}")
        if expected is None:
            continue
        found = ugt.calibration.disagreement_losses(given["counts"], predicted, n_bins=given["bins"], single_bins=single_bins)
        roots = found.cl_per_class.root("zero").debiased
        table = {
            "l_d": found.l_phi,
            "cl_d_plugin": found.cl.plugin,
            "cl_d": found.cl.debiased,
            "l_dk": found.l_per_class.tolist(),
            "cl_dk": found.cl_per_class.debiased.tolist(),
            "cl_dk_plugin": found.cl_per_class.plugin.tolist(),
            "l_dk_mean": found.l_mean,
            "ce_dk_mean": float(roots.mean()) if found.n_cases else 0.0,  # of nothing: 0 there, NaN here
        }
        assert set(table) == set(expected)
        for name, value in table.items():
            np.testing.assert_allclose(value, expected[name], rtol=0, atol=tolerance, err_msg=name)
        n_checked += 1
    assert n_checked == (0 if number == "57" else 2)


def test_bins(shared_case):
    case = shared_case("57")
    given = case["inputs"]
    for row, z, expected in zip(given["counts"], given["probs"], case["expected"]["bin_index"]):
        assert ugt.histogram_losses([row], [z], n_bins=given["bins"]).bin_counts.argmax(1).tolist() == expected


def test_unbiased_disagreement(shared_case):
    case = shared_case("59")
    counts, tolerance = np.array(case["inputs"]["counts"]), case["tolerance"]["abs"]
    found = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(np.full(counts.shape, 1 / 3)))
    np.testing.assert_allclose(found.observed, case["expected"]["phi_D"], rtol=0, atol=tolerance)
    np.testing.assert_allclose(
        ugt.calibration.symmetric_statistic(counts, lambda a, b: a != b, 2), case["expected"]["phi_D"], rtol=0, atol=tolerance
    )
    for k in range(counts.shape[1]):
        one_of_two = ugt.calibration.symmetric_statistic(counts, lambda a, b: (a == k) != (b == k), 2)  # noqa: B023
        np.testing.assert_allclose(one_of_two, np.array(case["expected"]["phi_Dk"])[:, k], rtol=0, atol=tolerance)
