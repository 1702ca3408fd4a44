"""Reference cases of plausibilities, certainty, accuracy and soft metrics: expected values by slow, independent code."""

import numpy as np
import pytest

import ugt


@pytest.mark.parametrize("number", ["07", "09", "11", "13"])
def test_dirichlet_of_counts(shared_case, number):
    case = shared_case(number)
    given, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]["abs"]
    post = ugt.dirichlet(ugt.Labels.from_counts(np.array([given["counts"]])), reliability=given["gamma"], prior=given["alpha"])
    np.testing.assert_allclose(post.membership(1)[0], expected["top1"], rtol=0, atol=tolerance)
    for k in given["sets"]:
        assert ugt.annotation_certainty(post, k=k).value == pytest.approx(expected[f"certainty_{k}"], abs=tolerance)


@pytest.mark.parametrize("weights, tie_weight", [("paper", "split"), ("code", "full")])
def test_prirn(shared_case, weights, tie_weight):
    case = shared_case("15")
    given, tolerance = case["inputs"], case["tolerance"]["abs"]
    rankings = ugt.Rankings.from_blocks([given["rankings"]], n_classes=given["K"])
    for reliability in given["gammas"]:
        expected = case["expected"][weights][str(reliability)]
        post = ugt.prirn(rankings, reliability=reliability, tie_weight=tie_weight)
        assert ugt.annotation_certainty(post).value == pytest.approx(expected["certainty"], abs=tolerance)
        for name in ("A", "B"):
            assert ugt.metrics.ua_coverage(post, [given[f"set_{name}"]]).value == pytest.approx(expected[f"ua_{name}"], abs=tolerance)
            scores = np.zeros((1, given["K"]))
            scores[0, given[f"set_{name}"]] = 1
            assert ugt.ua_topk_accuracy(post, scores, 3).value == pytest.approx(expected[f"ua_{name}"], abs=tolerance)


def test_all_samples_tied(shared_case):
    case = shared_case("17")
    samples = np.array([case["inputs"]["samples"]])
    for k in (1, 2):
        assert ugt.annotation_certainty(samples, k=k, ties="first").value == case["expected"][f"certainty_{k}"]
    draws = ugt.Draws.from_array(samples)
    assert draws.membership(1, ties="first")[0, 0] == case["expected"]["label0"]
    # by expectation, nobody knows anything
    assert ugt.annotation_certainty(samples).value == 1 / 4
    assert ugt.annotation_certainty(samples, k=2).value == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    "name, metric",
    [
        ("topk", ugt.ua_topk_accuracy),
        ("set", ugt.metrics.ua_set_accuracy),
        ("overlap", ugt.metrics.ua_overlap),
        ("ao", ugt.ua_average_overlap),
    ],
)
def test_ua_metrics(shared_case, name, metric):
    case = shared_case("33")
    given, tolerance = case["inputs"], case["tolerance"]["abs"]
    for k in given["ks"]:
        expected = case["expected"][f"{name}@{k}"]
        found = metric(np.array(given["plausibilities"]), given["predictions"], k, ties="first")
        np.testing.assert_allclose(found.per_case, expected["per_example"], rtol=0, atol=tolerance)
        np.testing.assert_allclose(found.per_draw, expected["per_sample"], rtol=0, atol=tolerance)
        assert found.value == pytest.approx(expected["mean"], abs=tolerance)
        assert found.draw_std == pytest.approx(expected["std_over_samples"], abs=tolerance)


def test_nan_scores(shared_case):
    case = shared_case("35")
    for metric in (ugt.ua_topk_accuracy, ugt.metrics.ua_set_accuracy, ugt.metrics.ua_overlap, ugt.ua_average_overlap):
        with pytest.raises(ValueError, match=r"scores must not be NaN. Got nan, first at case 0, class 1."):
            metric(np.array(case["inputs"]["plausibilities"]), case["inputs"]["predictions"], case["inputs"]["ks"][0])


def test_risk_groups(shared_case):
    case = shared_case("37")
    given, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]["abs"]
    groups = given["risk"]
    draws, post = ugt.Draws.from_array([given["samples"]]), ugt.Dirichlet.from_array([given["dirichlet"]])
    for truth, prefix in ((draws, ""), (post, "dirichlet_")):
        np.testing.assert_allclose(truth.grouped(groups).membership(1)[0], expected[f"{prefix}sum"], rtol=0, atol=tolerance)
        assert ugt.annotation_certainty(truth, groups=groups).value == pytest.approx(max(expected[f"{prefix}sum"]), abs=tolerance)
        by_class = ugt.annotation_certainty(truth, groups=groups, group_rule="top_class")
        assert by_class.value == pytest.approx(max(expected[f"{prefix}argmax"]), abs=tolerance)
        for group, p in enumerate(expected[f"{prefix}argmax"]):
            inside = [[k for k, g in enumerate(groups) if g == group]]
            assert truth.label_probability(inside)[0] == pytest.approx(p, abs=tolerance)
    assert ugt.truth.expected_risk(draws, groups).value == pytest.approx(expected["expected_argmax"], abs=tolerance)
    assert ugt.truth.expected_risk(draws, groups, kind="plausibility").value == pytest.approx(
        expected["expected_plausibility"], abs=tolerance
    )


@pytest.mark.filterwarnings("ignore:undefined")
@pytest.mark.parametrize("number", ["41", "43", "45", "47", "49"])
def test_soft_metrics(shared_case, number):
    case = shared_case(number)
    (p, scores), expected = (case["inputs"][name] for name in ("p", "scores")), case["expected"]
    found = {f"auroc_{pairs}": ugt.soft_auroc(p, scores, self_pairs=pairs).value for pairs in ("include", "exclude", "half")}
    for ties in ("expected", "group"):
        found[f"ap_{ties}"] = ugt.soft_average_precision(p, scores, self_term="probability", ties=ties).value
    assert found == pytest.approx(expected, abs=case["tolerance"]["abs"], nan_ok=True)
    curves = ugt.soft.soft_roc_curve(p, scores), ugt.soft.soft_precision_recall_curve(p, scores)
    assert [curve.area for curve in curves] == pytest.approx([expected["auroc_half"], expected["ap_group"]], abs=1e-12, nan_ok=True)


@pytest.mark.slow
def test_certainty_of_the_dermatology_data(shared_case, dermatology):
    case = shared_case("81")
    tolerance = case["tolerance"]["abs"]
    n_classes = case["inputs"]["K"]
    assert len(dermatology.conditions) == n_classes
    rankings = ugt.Rankings.from_blocks(dermatology.annotations, n_classes=n_classes)
    assert rankings.n_cases == 1947
    for name, expected in case["expected"].items():
        _, weights, alpha, gamma = name.split("_")  # prirn_paper_alpha0.0_gamma10
        reliability, background = float(gamma[len("gamma") :]), float(alpha[len("alpha") :])
        tie_weight = {"paper": "split", "code": "full"}[weights]
        post = ugt.prirn(rankings, reliability=reliability, tie_weight=tie_weight, background=background)
        found = ugt.annotation_certainty(post)
        assert found.value == pytest.approx(expected["certainty1"], abs=tolerance), name
        assert (found.per_case < 0.99).sum() == expected["n_below_099"], name
        by_risk = ugt.annotation_certainty(post, groups=dermatology.risks, group_rule="top_class")
        assert by_risk.value == pytest.approx(expected["risk_certainty"], abs=tolerance), name
        for k in (2, 3):
            if f"certainty{k}" in expected:
                assert ugt.annotation_certainty(post, k=k).value == pytest.approx(expected[f"certainty{k}"], abs=tolerance), name
