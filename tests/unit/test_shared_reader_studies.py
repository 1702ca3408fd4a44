"""Reference cases of reader studies: MRMCaov 0.3.0, iMRMC 2.1.2, brute force."""

import math

import numpy as np
import pytest

import ugt
from ugt._base.claims import Whom
from ugt.studies.claims import Population
from ugt.studies.differences import differences, figure_record
from ugt.studies.gallas import u_statistics
from ugt.studies.obuchowski_rockette import Analysis, ErrorCovariances
from ugt.studies.record import global_test

OR = [
    *["franken_binary_sens", "franken_delong_random", "franken_jackknife_fixed_readers", "kundel_fixed_cases", "kundel_unbiased_random"],
    *["vandyke_binary_spec", "vandyke_case2_jackknife", "vandyke_case3_unbiased", "vandyke_delong_fixed_readers", "vandyke_delong_random"],
    *["vandyke_fixed_cases", "vandyke_unbiased_random"],
]


def close(found, expected, tolerance):
    assert found == pytest.approx(expected, rel=tolerance["rel"], abs=tolerance["abs"])


@pytest.mark.parametrize("name", OR)
def test_obuchowski_rockette(shared_case, name):
    case = shared_case(f"mrmc/or_{name}")
    given, expected, tolerance = case["inputs"], case["expected"], case["tolerance"]

    def number(value):
        return math.nan if value is None else value

    per_test = np.array([[number(one.get("error")), number(one.get("cov2"))] for one in given["per_test"]])
    errors = ErrorCovariances(*(number(given[key]) for key in ("error", "cov1", "cov2", "cov3")), per_test)
    analysis, level = Analysis(np.array(given["y"]), errors, False, tuple(given["random"])), given["level"]
    test = global_test(*(analysis.all_tests()[at] for at in (0, 1, 2, 3)))
    chi2 = {"X2": test.statistic * test.df1, "df": test.df1}
    found = {"MS(T)": test.mean_square, "Denominator": test.denominator, "F": test.statistic, "df1": test.df1, "df2": test.df2, **chi2}
    found.update({"p-value": test.p_value, "MS(T:R)": analysis.mean_squares()[2], **dict(zip(("Cov1", "Cov2", "Cov3"), errors[1:4]))})
    for key, value in expected["test"].items():
        close(found[key], value, tolerance)
    for key, value in zip(("var_reader", "var_test_reader"), analysis.components()):
        assert expected[key] is None or value == pytest.approx(expected[key], rel=1e-9, abs=1e-12)
    n = len(given["y"])
    unknown = Population(math.nan, None, Whom("readers"), False)
    pairs = differences({(a, b): (analysis.difference(a, b), unknown) for a in range(n) for b in range(a + 1, n)}, level, True)
    for one, want in zip(pairs, expected["differences"]):
        assert one.first + 1 == int(want["pair"][0])
        ends = dict(zip(("low", "high"), one.interval()))
        known = {"estimate": one.value, "se": one.std_error, "df": one.df, "p": one.p_value, "t": one.value / one.std_error, **ends}
        for key in set(want) - {"pair"}:
            close(known[key if key != "z" else "t"], want[key], tolerance)
    for t, want in enumerate(expected["means"]):
        one = figure_record(t, analysis.one_test(t), len(given["y"][t]), level, True, False)
        known = {"estimate": one.value, "se": one.std_error, "df": one.df, **dict(zip(("low", "high"), one.interval(scale="identity")))}
        for key in set(want) & set(known):
            close(known[key], want[key], tolerance)


def test_imrmc(shared_case):
    case = shared_case("mrmc/imrmc_roemetz_full")
    ratings, truth, tolerance = case["inputs"]["ratings"], case["inputs"]["truth"], case["tolerance"]
    study = ugt.reader_study(truth, ugt.studies.Readings.from_array(ratings, tests=["testA", "testB"]), method="u", df="imrmc")
    for row, (a, b) in zip(case["expected"], ((0, 0), (1, 1), (0, 1))):
        close(study.moments[a, b], [row[f"M{k}"] for k in range(1, 9)], tolerance)
        if a == b:
            one = study.tests[row["modalityID.1"]]
            close([one.value, one.std_error**2, one.df], [row[key] for key in ("AUC.1", "covAUC", "dfBDG")], tolerance)
            close(one.interval(scale="identity"), (row["botCIBDG"], row["topCIBDG"]), tolerance)
        else:
            one = study.difference("testA", "testB")
            known = [one.value, one.std_error**2, one.df, one.p_value, *one.interval()]
            keys = ("AUC1minusAUC2", "varAUC1minusAUC2", "dfBDG.diff", "pValueBDG", "botCIBDG", "topCIBDG")
            close(known, [row[key] for key in keys], tolerance)
    covariances = [row["covAUC"] for row in case["expected"]]
    for imrmc in (True, False):  # the centred form is the same where nothing is missing
        found = u_statistics(np.array(ratings, float), np.ones(np.shape(ratings), bool), np.array(truth), imrmc)
        close(found.covariance[[0, 1, 0], [0, 1, 1]], covariances, tolerance)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_reference_implementation(shared_case, kind):
    case = shared_case("mrmc/imrmc_roemetz_full")
    reference, ratings = case["reference"], np.array(case["inputs"]["ratings"], float)
    p = np.array(case["inputs"]["truth"] if kind == "hard" else reference["soft_truth"])
    study = ugt.reader_study(p, ugt.studies.Readings.from_array(ratings))
    expected = reference["or_delong" if kind == "hard" else "or_soft_delong"]
    known = {key: getattr(study.components, key) for key in ("error", "cov1", "cov2", "cov3")}
    known.update({"F": study.global_test.statistic, "df2": study.global_test.df2, "p": study.global_test.p_value})
    close(known, expected, case["tolerance"])
    if kind == "soft":
        close(study.figures, np.array(reference["soft_auc"]), case["tolerance"])
    found = u_statistics(ratings, np.ones(ratings.shape, bool), p).covariance[[0, 1, 0], [0, 1, 1]]
    close(found, reference["centred" if kind == "hard" else "soft_cov_pairs"], case["tolerance"])


def test_soft_truth_by_brute_force(shared_case):
    case = shared_case("mrmc/soft_small")
    for given, expected in zip(case["inputs"], case["expected"]):
        x = np.array(given["ratings"], float)
        found = u_statistics(x, ~np.isnan(x), np.array(given["truth"]))
        close(found.values, expected["theta"], case["tolerance"])
        close(np.diagonal(found.covariance), expected["var"], case["tolerance"])
        close(found.covariance[0, 1], expected["cov"], case["tolerance"])
