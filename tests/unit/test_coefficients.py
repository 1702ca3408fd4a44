"""Agreement coefficients: slow twins, published examples, oracles, influence, unanimity, repeats, messages."""

import math
import pickle
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import labels_of_rows, refused
from twins import coefficients as twin

import ugt
from ugt import Labels, Ratings

NAN = float("nan")
N = None
LEVELS = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = ("linear", "quadratic", "ordinal")
KINDS = ("1", "1k", "A,1", "A,k", "C,1", "C,k")

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: 12 units, 4 observers; also of Gwet's examples
TABLE = [
    *([1, 1, N, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4]),
    *([4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [N, 5, 5, 5], [N, N, 1, 1], [N, 3, N, N]),
]
# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses
DIAGNOSES = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)
# Gwet (2014), table of two abstractors: ectopic, abnormal and normal intrauterine pregnancies
RELIABILITY = Labels.from_wide(TABLE)
COMPLETE = [row for row in TABLE if N not in row]
ABSTRACTORS = [["E", "E"]] * 13 + [["A", "A"]] * 20 + [["A", "N"]] * 7 + [["N", "A"]] * 4 + [["N", "N"]] * 56
# Shrout & Fleiss (1979), table 2
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def problem(seed, n_cases=14, n_annotators=4, n_classes=4, repeats=False, shown=0.7):
    """``(labels, cases)``: labels with missing ones, classes nobody uses, cases without labels, repeats; and the twin's view of them."""
    rng = np.random.default_rng(seed)
    rows, cases = [], []
    for i in range(n_cases):
        truth, case = rng.integers(n_classes), {}
        for a in rng.permutation(n_annotators).tolist():
            if rng.random() > shown:
                continue
            for _ in range(rng.integers(1, 4) if repeats else 1):
                label = int(truth if rng.random() < 0.6 else rng.integers(n_classes))
                rows.append((i, a, label))
                case.setdefault(a, []).append(label)
        cases.append(case)
    order = rng.permutation(len(rows)) if repeats else np.arange(len(rows))
    case, annotator, label = (np.array(column)[order] for column in zip(*rows))
    # annotators by name, so that twins and columns agree
    labels = labels_of_rows(case, annotator, label, classes=n_classes + 1, cases=list(range(n_cases)))
    return labels, cases


def table_of(seed, n_classes, symmetric=True):
    w = np.random.default_rng(seed).random((n_classes, n_classes))
    w = (w + w.T) / 2 if symmetric else w
    np.fill_diagonal(w, 1)
    return w


def all_weights(n_classes):
    return None, "linear", "quadratic", "ordinal", table_of(1, n_classes)


def close(expected, **options):
    return pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True, **options)


# ---- twins
@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_all_pairs(seed, repeats):
    labels, cases = problem(seed, repeats=repeats)
    k = labels.n_classes
    for weights in all_weights(k):
        assert ugt.agreement.percent_agreement(labels, weights=weights).value == close(twin.percent(cases, k, weights))
        assert ugt.fleiss_kappa(labels, weights=weights).value == close(twin.fleiss(cases, k, weights))
        assert ugt.agreement.conger_kappa(labels, weights=weights).value == close(conger(cases, k, weights))
        assert ugt.agreement.gwet_ac2(labels, weights=weights).value == close(twin.gwet(cases, k, weights))
        for pair in ((0, 1), (3, 2)):
            found = ugt.cohen_kappa(labels, weights=weights, annotators=pair)
            assert found.value == close(twin.two(cases, *pair, k, weights))
            found = ugt.agreement.scott_pi(labels, weights=weights, annotators=pair)
            assert found.value == close(twin.two(cases, *pair, k, weights, True))
    assert ugt.agreement.gwet_ac1(labels).value == close(twin.gwet(cases, k))
    for level in LEVELS:
        assert ugt.krippendorff_alpha(labels, level).value == close(twin.alpha(cases, level))
    values = [3.0, 0.5, 7.0, 1.0, 2.0]
    for level in LEVELS:
        assert ugt.krippendorff_alpha(labels, level, values=values).value == close(twin.alpha(cases, level, values))


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_classes_are_those_of_the_class_against_the_rest(seed, repeats):
    labels, cases = problem(seed, repeats=repeats)
    found = {
        "percent": ugt.agreement.percent_agreement(labels, weights="linear").per_class,
        "fleiss": ugt.fleiss_kappa(labels, weights="quadratic").per_class,
        "gwet": ugt.agreement.gwet_ac1(labels).per_class,
        "conger": ugt.agreement.conger_kappa(labels, weights="ordinal").per_class,
        "alpha": ugt.krippendorff_alpha(labels, "interval").per_class,
        "cohen": ugt.cohen_kappa(labels, annotators=[0, 2]).per_class,
        "scott": ugt.agreement.scott_pi(labels, annotators=[0, 2]).per_class,
    }
    for k in range(labels.n_classes):
        one = twin.against_rest(cases, k)
        assert found["percent"][k] == close(twin.specific(cases, k))
        assert found["fleiss"][k] == close(twin.fleiss(one, 2))
        assert found["gwet"][k] == close(twin.gwet(one, 2))
        assert found["conger"][k] == close(conger(one, 2))
        assert found["alpha"][k] == close(twin.alpha(one, "nominal"))
        assert found["cohen"][k] == close(twin.two(one, 0, 2, 2))
        assert found["scott"][k] == close(twin.two(one, 0, 2, 2, pooled=True))
    assert math.isnan(found["fleiss"][-1])  # nobody used it


def ratings_problem(seed, n_cases=12, n_annotators=3, complete=0.8, repeats=False):
    rng = np.random.default_rng(seed)
    rows, cases = [], []
    effect = rng.normal(size=n_annotators)
    for i in range(n_cases):
        level, case = rng.normal() * 2 + 10, {}
        for a in range(n_annotators):
            if rng.random() < complete:
                for _ in range(rng.integers(1, 3) if repeats else 1):
                    value = round(float(level + effect[a] + rng.normal()), 1)
                    rows.append((i, a, value))
                    case.setdefault(a, []).append(value)
        cases.append(case)
    return Ratings.from_long(*zip(*rows), cases=list(range(n_cases))), cases


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_ratings_are_those_of_the_twins(seed, repeats):
    ratings, cases = ratings_problem(seed, repeats=repeats)
    for level in LEVELS:
        found = ugt.krippendorff_alpha(ratings, level)
        assert found.value == close(twin.alpha(cases, level))
        assert (found.per_class, found.prevalence) == (None, None)
    for kind in KINDS:
        assert ugt.agreement.intraclass_correlation(ratings, kind).value == close(twin.icc(cases, kind))


def test_values_far_from_zero_or_close_together():
    ratings, cases = ratings_problem(1)
    for shift, scale in ((1e9, 1.0), (-5.0, 1e-6), (0, 1e300)):
        moved = Ratings(ratings.case_ids, ratings.annotators, ratings.offsets, ratings.annotator, shift + scale * ratings.value)
        tolerance = 1e-5 if shift == 1e9 else 1e-9
        assert ugt.krippendorff_alpha(moved, "interval").value == pytest.approx(twin.alpha(cases, "interval"), abs=tolerance)
        for kind in KINDS:
            assert ugt.agreement.intraclass_correlation(moved, kind).value == pytest.approx(twin.icc(cases, kind), abs=tolerance)


def test_pairs_of_annotators():
    for repeats in (False, True):
        labels, cases = problem(3, repeats=repeats, shown=0.5)
        k = labels.n_classes
        for weights in (None, "linear", table_of(2, k)):
            found = {name: ugt.agreement.pairwise_agreement(labels, name, weights=weights) for name in ("percent", "cohen", "scott", "ac1")}
            for a in range(4):
                for b in set(range(4)) - {a}:
                    row, column = (int(np.flatnonzero(labels.annotators == one)[0]) for one in (a, b))
                    mine = [{x: case[x] for x in (a, b)} for case in cases if a in case and b in case]
                    assert found["cohen"].n_cases[row, column] == len(mine)
                    if not mine:
                        assert all(math.isnan(one.value[row, column]) for one in found.values())
                        continue
                    assert found["percent"].value[row, column] == close(twin.percent(mine, k, weights))
                    assert found["cohen"].value[row, column] == close(twin.two(cases, a, b, k, weights))
                    assert found["scott"].value[row, column] == close(twin.two(cases, a, b, k, weights, True))
                    assert found["ac1"].value[row, column] == close(twin.gwet(mine, k, weights))
        for one in found.values():
            weight = np.where(np.isnan(one.value), 0, one.n_cases)
            np.testing.assert_allclose(one.per_annotator, (np.nan_to_num(one.value) * weight).sum(1) / weight.sum(1))
            assert np.isnan(np.diag(one.value)).all()
            np.testing.assert_array_equal(one.value, one.value.T)
        np.testing.assert_allclose(one.annotator_prevalence.sum(1), 1)
        n_labels = np.diag(one.n_cases)
        np.testing.assert_allclose(n_labels @ one.annotator_prevalence / n_labels.sum(), one.prevalence)


def test_pairs_without_common_cases_or_variation():
    labels = Labels.from_wide([[0, 0, N, N], [0, 0, N, N], [N, N, 1, N]], classes=2, annotators=["a", "b", "c", "d"])
    found = ugt.agreement.pairwise_agreement(labels)
    np.testing.assert_array_equal(found.n_cases, [[2, 2, 0, 0], [2, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(found.value, [[NAN, 1, NAN, NAN], [1, NAN, NAN, NAN], [NAN] * 4, [NAN] * 4])
    np.testing.assert_array_equal(found.no_variation, found.value == 1)
    np.testing.assert_array_equal(found.per_annotator, [1, 1, NAN, NAN])
    np.testing.assert_array_equal(found.annotator_prevalence, [[1, 0], [1, 0], [0, 1], [NAN, NAN]])
    assert not ugt.agreement.pairwise_agreement(labels, "ac1").no_variation.any()


# ---- published examples and oracles
def test_krippendorff_2011():
    found = [ugt.krippendorff_alpha(RELIABILITY, level) for level in LEVELS]
    assert [round(one.value, 3) for one in found] == [0.743, 0.815, 0.849, 0.797]
    assert (found[0].n_cases, found[0].n_annotators, found[0].left_out) == (11, 4, {"case with a single annotator": 1})
    as_ratings = Ratings.from_wide(TABLE)
    assert [ugt.krippendorff_alpha(as_ratings, level).value for level in LEVELS] == close([one.value for one in found])


def test_gwet_four_raters():
    """Gwet's example of four raters: values of his package irrCAC."""
    assert round(ugt.fleiss_kappa(RELIABILITY).value, 5) == 0.76117
    found = ugt.agreement.gwet_ac1(RELIABILITY)
    assert (round(found.value, 5), round(found.expected, 7), round(found.observed, 7)) == (0.77544, 0.1903212, 0.8181818)


@pytest.mark.parametrize(
    ("table", "weights", "value", "error"),
    [
        (ABSTRACTORS, None, 0.835, 0.04716991),
        *(
            (COMPLETE, *row)
            for row in ((None, 0.66666667, 0.17817416), ("linear", 0.73333333, 0.16523192), ("quadratic", 0.78333333, 0.16269067))
        ),
    ],
)
def test_brennan_prediger(table, weights, value, error):
    """Values and standard errors of irrCAC; and the formula, in rational numbers."""
    found = ugt.agreement.brennan_prediger(ugt.Labels.from_wide(table), weights=weights)
    assert (found.value, found.std_error) == (pytest.approx(value, abs=1e-8), pytest.approx(error, abs=1e-8))
    classes = sorted({label for row in table for label in row})
    k = len(classes)
    power = {"linear": 1, "quadratic": 2}.get(weights)
    weight = [[Fraction(i == j) if power is None else 1 - Fraction(abs(i - j), k - 1) ** power for j in range(k)] for i in range(k)]
    pairs = [Fraction(weight[classes.index(a)][classes.index(b)]) for row in table for a, b in combinations(row, 2)]
    seen, chance = sum(pairs) / len(pairs), sum(map(sum, weight)) / k**2
    assert (found.value, found.expected) == (close(float((seen - chance) / (1 - chance))), close(float(chance)))


# As in irrCAC's table: the only label of the last case is of the third annotator
FOUR_RATERS = [*TABLE[:-1], [N, N, 3, N]]


def conger(cases, k, weights=None):
    """From its definition: chance is the mean over all pairs of different annotators, each with the shares of all their own labels."""
    cost, own = twin.weights_cost(weights, k), {}
    for a in {a for case in cases for a in case}:
        shares = [[case[a].count(j) / len(case[a]) for j in range(k)] for case in cases if a in case]
        own[a] = [sum(column) / len(shares) for column in zip(*shares)]
    chance = [twin.expected(own[a], own[b], cost) for a, b in combinations(own, 2)]
    return twin.kappa(twin.observed(cases, cost), sum(chance) / len(chance))


@pytest.mark.parametrize(
    ("table", "weights", "value", "digits"),
    [
        *((FOUR_RATERS, *row) for row in ((None, 0.76282, 5), ("linear", 0.814, 3), ("ordinal", 0.844, 3), ("quadratic", 0.858, 3))),
        (FOUR_RATERS[1:9], "quadratic", 0.67192, 5),
        (ABSTRACTORS, None, 0.79641, 5),
    ],
)
def test_conger(table, weights, value, digits):
    """Values of irrCAC and of its tests, also with missing labels, and of Cohen's kappa of two annotators."""
    assert round(ugt.agreement.conger_kappa(Labels.from_wide(table), weights=weights).value, digits) == value


def test_conger_and_missing_labels():
    """The share of a class is that among all labels of an annotator; who has none is no annotator, and who has few is one."""
    found = ugt.agreement.conger_kappa(Labels.from_wide(FOUR_RATERS))
    assert (round(found.expected, 3), round(found.observed, 3), found.n_cases, found.n_annotators) == (0.233, 0.818, 11, 4)
    nobody = Labels.from_wide([[*row, N] for row in FOUR_RATERS])
    again = ugt.agreement.conger_kappa(nobody)
    assert (again.value, again.std_error) == (close(found.value), close(found.std_error))
    undefined(ugt.agreement.conger_kappa(Labels.from_wide([[0, N], [N, 1]])), NAN, "no case has labels of two annotators")
    undefined(ugt.agreement.conger_kappa(Labels.from_wide([[0, 0, 0], [0, N, 0]], classes=2)), 1, "all labels are of one class")


@pytest.mark.parametrize("repeats", [False, True])
def test_conger_is_cohen_of_two_and_is_in_tables_of_three_to_twenty(repeats):
    labels, _ = problem(5, n_cases=30, n_annotators=2, shown=1.0, repeats=repeats)
    for weights in all_weights(labels.n_classes):
        mine, cohen = ugt.agreement.conger_kappa(labels, weights=weights), ugt.cohen_kappa(labels, weights=weights)
        assert (mine.value, mine.std_error) == (close(cohen.value), close(cohen.std_error * math.sqrt(30 / 29)))
        np.testing.assert_allclose(mine.per_class, cohen.per_class, rtol=1e-10)
    shown = {}
    for n in (2, 3, 20, 21):
        many = Labels.from_wide(np.random.default_rng(n).integers(0, 2, (1200, n)) * (np.arange(n) < 3))  # many alike, by other annotators
        rows = {one.coefficient: one.value for one in ugt.agreement_table(many).found}
        shown[n] = rows.get("Conger's kappa")
        assert shown[n] in (None, close(ugt.agreement.conger_kappa(many).value))
    assert [n for n, value in shown.items() if value is not None] == [3, 20]


@pytest.mark.parametrize(
    ("weights", "fleiss", "bp", "ac2"),
    [("linear", 0.818, 0.848, 0.859), ("ordinal", 0.850, 0.886, 0.899), ("quadratic", 0.865, 0.902, 0.914)],
)
def test_weighted_coefficients_of_grades(weights, fleiss, bp, ac2):
    """Gwet's example of four raters, with missing labels: values that irrCAC's own tests expect."""
    for function, expected in ((ugt.fleiss_kappa, fleiss), (ugt.agreement.brennan_prediger, bp), (ugt.agreement.gwet_ac2, ac2)):
        assert round(function(RELIABILITY, weights=weights).value, 3) == expected


ORDERED = Labels.from_wide([["B", "B", None], ["C", "A", "C"], ["B", "C", "B"], ["A", "A", "A"]], ordered=["C", "B", "A"])


def test_ordered_labels_have_weighted_coefficients_by_default():
    """In the order of the scale, which is not that of the alphabet; alpha of intervals takes the numbers of the grades."""
    found = {one.coefficient: one.value for one in ugt.agreement_table(ORDERED).found}
    names = ("percent agreement", "Fleiss' kappa", "Gwet's AC2", "Brennan-Prediger", "Conger's kappa")
    kinds = [f"{one} ({kind})" for kind in WEIGHTS for one in names]
    assert list(found) == ["percent agreement", *kinds, "Krippendorff's alpha (interval)", "Krippendorff's alpha (ordinal)"]
    as_numbers = [[2, 2, None], [1, 3, 1], [2, 1, 2], [3, 3, 3]]
    assert found["Fleiss' kappa (quadratic)"] == close(ugt.fleiss_kappa(as_numbers, weights="quadratic", classes=[1, 2, 3]).value)
    assert found["Krippendorff's alpha (interval)"] == close(ugt.krippendorff_alpha(np.array(as_numbers, float) / 2, "interval").value)
    assert [len(ugt.agreement_table(ORDERED, weights=one).found) for one in ("linear", ("linear", "ordinal"), np.eye(3))] == [7, 13, 7]
    refused("values must be given for level 'ratio'", ugt.krippendorff_alpha, ORDERED, "ratio")


def test_two_grades_are_two_classes():
    """With two grades all weights and all levels are the nominal coefficients."""
    labels = Labels.from_wide(np.random.default_rng(3).choice([0, 1, np.nan], (30, 4), p=[0.4, 0.4, 0.2]), classes=2)
    for function in (ugt.agreement.percent_agreement, ugt.fleiss_kappa, ugt.agreement.brennan_prediger):
        assert [function(labels, weights=kind).value for kind in WEIGHTS] == [pytest.approx(function(labels).value, rel=1e-12)] * 3
    assert [ugt.agreement.gwet_ac2(labels, weights=kind).value for kind in WEIGHTS] == [
        pytest.approx(ugt.agreement.gwet_ac1(labels).value, rel=1e-12)
    ] * 3
    nominal = ugt.krippendorff_alpha(labels).value
    assert [ugt.krippendorff_alpha(labels, level).value for level in LEVELS] == [pytest.approx(nominal, rel=1e-12)] * 4


def test_brennan_prediger_counts_the_classes_that_nobody_used():
    """Gwet's example of four raters with missing labels: irrCAC's value, and what naming more classes does to it."""
    assert round(ugt.agreement.brennan_prediger(RELIABILITY).value, 5) == 0.77273
    ten = ugt.agreement.brennan_prediger(TABLE, classes=10)
    assert ten.value == close((ten.observed - 0.1) / 0.9)
    assert (
        ugt.agreement.brennan_prediger([[0, 0], [0, 0]], classes=1).reason
        == "the label set has a single class, so that annotators cannot disagree"
    )


def test_fleiss_1971():
    counts = np.array([[int(digit) for digit in row] for row in DIAGNOSES.split()])
    found = ugt.fleiss_kappa(Labels.from_counts(counts))
    assert round(found.value, 3) == 0.430
    # its eq. 16 rounds the shares of the classes
    np.testing.assert_allclose(found.per_class, [0.248, 0.248, 0.517, 0.470, 0.565], atol=0.005)
    assert found.n_annotators is None
    assert found.prevalence.round(3).tolist() == [0.144, 0.144, 0.167, 0.306, 0.239]


def test_two_abstractors():
    """Values and standard errors of irrCAC, whose variances lack n / (n - 1) for two raters."""
    shrink = math.sqrt(99 / 100)
    for function, value, error in (
        (ugt.agreement.scott_pi, 0.7962397, 0.05905473 / shrink),
        (ugt.agreement.gwet_ac1, 0.8493305, 0.04321747 / shrink),
        (ugt.agreement.percent_agreement, 0.89, 0.03128898 / shrink),
        (ugt.cohen_kappa, 0.7964094, 0.05891072),
    ):
        found = function(ABSTRACTORS)
        assert (found.value, found.std_error) == (pytest.approx(value, abs=1e-7), pytest.approx(error, abs=1e-8))
    assert ugt.krippendorff_alpha(ABSTRACTORS).value == pytest.approx(0.7972585, abs=1e-7)
    assert [round(x, 3) for x in ugt.agreement.gwet_ac1(ABSTRACTORS).interval(kind="analytic")] == [0.763, 0.936]


def test_fleiss_cohen_everitt_1969():
    """Their example of 200 diagnoses: kappa 0.429, variances 0.002885 and, with weights, 0.003248."""
    joint = np.array([[106, 10, 4], [22, 28, 10], [2, 12, 6]])
    pairs = [[i, j] for i in range(3) for j in range(3) for _ in range(joint[i, j])]
    weights = [[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]]
    plain, weighted = ugt.cohen_kappa(ugt.Labels.from_wide(pairs)), ugt.cohen_kappa(ugt.Labels.from_wide(pairs), weights=weights)
    assert (round(plain.value, 3), round(plain.std_error**2, 6)) == (0.429, 0.002885)
    assert round(weighted.std_error**2, 6) == 0.003248


def test_shrout_fleiss_1979():
    found = {kind: ugt.agreement.intraclass_correlation(JUDGES, kind) for kind in KINDS}
    assert [round(found[kind].value, 2) for kind in KINDS] == [0.17, 0.44, 0.29, 0.62, 0.71, 0.91]
    limits = [[round(x, 2) for x in found[kind].interval(kind="analytic")] for kind in KINDS]
    assert limits == [[-0.13, 0.72], [-0.88, 0.91], [0.02, 0.76], [0.07, 0.93], [0.34, 0.95], [0.68, 0.99]]
    assert (found["1"].observed, found["1"].per_class, found["1"].per_case) == (None, None, None)


def test_intraclass_correlations_over_annotators():
    """Their analytic intervals treat annotators as random, and are those of tables."""
    for kind in KINDS:
        found = ugt.agreement.intraclass_correlation(JUDGES, kind)
        assert found.interval(random=("cases", "annotators")) == found.interval(kind="analytic")
    refused(r"random must be \('cases',\) for intraclass correlations, except in interval\(\)", found.two_way)
    row = ugt.agreement_table(np.array(JUDGES) + 0.5).rows(n_resamples=20)[1]
    assert (round(row["two_way_low"], 2), round(row["two_way_high"], 2)) == (0.02, 0.76)
    refused("clusters must be None", found.interval, random=("cases", "annotators"), clusters=range(6))


@pytest.mark.parametrize("seed", range(3))
def test_krippendorff_as_an_oracle(seed):
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(seed)
    table = np.where(rng.random((40, 5)) < 0.4, np.nan, np.clip(rng.integers(0, 4, (40, 1)) + rng.integers(0, 2, (40, 5)), 0, 4))
    for level in LEVELS:
        theirs = krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
        assert ugt.krippendorff_alpha(ugt.Ratings.from_wide(table), level).value == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_statsmodels_as_an_oracle(seed):
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(7, [0.5, 0.3, 0.1, 0.1], 20)
    assert ugt.fleiss_kappa(Labels.from_counts(counts)).value == close(raters.fleiss_kappa(counts, "fleiss"))
    joint = rng.integers(1, 30, (4, 4))
    pairs = [[i, j] for i in range(4) for j in range(4) for _ in range(joint[i, j])]
    for weights, theirs in ((None, {}), ("linear", {"wt": "linear"}), ("quadratic", {"wt": "quadratic"})):
        expected, found = raters.cohens_kappa(joint, **theirs), ugt.cohen_kappa(Labels.from_wide(pairs), weights=weights)
        assert (found.value, found.std_error) == (close(expected.kappa), close(expected.std_kappa))


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_scikit_learn_as_an_oracle(weights):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    pairs = np.stack([rng.integers(0, 5, 80), rng.integers(0, 5, 80)], 1)
    pairs[::2, 1] = pairs[::2, 0]
    theirs = metrics.cohen_kappa_score(*pairs.T, weights=weights, labels=range(6))
    assert ugt.cohen_kappa(pairs, weights=weights, classes=6).value == close(theirs)


# ---- derivatives, standard errors, resamples
def coefficients(labels, ratings):
    """Every coefficient, for tests of what they share."""
    k = labels.n_classes
    yield "percent", ugt.agreement.percent_agreement(labels, weights="linear")
    for weights in all_weights(k):
        yield f"fleiss {weights}", ugt.fleiss_kappa(labels, weights=weights)
        yield f"cohen {weights}", ugt.cohen_kappa(labels, weights=weights, annotators=[0, 1])
        yield f"scott {weights}", ugt.agreement.scott_pi(labels, weights=weights, annotators=[0, 1])
        yield f"conger {weights}", ugt.agreement.conger_kappa(labels, weights=weights)
        yield f"ac2 {weights}", ugt.agreement.gwet_ac2(labels, weights=weights)
    for level in LEVELS:
        yield f"alpha {level}", ugt.krippendorff_alpha(labels, level)
        yield f"alpha of ratings {level}", ugt.krippendorff_alpha(ratings, level)
    for kind in KINDS:
        yield f"icc {kind}", ugt.agreement.intraclass_correlation(ratings, kind)


@pytest.mark.parametrize("repeats", [False, True])
def test_influence_is_the_derivative_by_weights(repeats):
    labels, _ = problem(11, n_cases=20, repeats=repeats)
    ratings, _ = ratings_problem(11, repeats=repeats)
    for name, found in coefficients(labels, ratings):
        form, step = found.statistic, 1e-5
        steps = step * np.eye(len(form.kept))
        slopes = (form.values(1 + steps) - form.values(1 - steps)) / (2 * step)
        for number, slope, influence in zip(form.names, slopes.T, form.influence().T):
            np.testing.assert_allclose(influence, np.where(form.kept, slope, 0), atol=2e-8, err_msg=f"{name}, {number}")
            assert abs(slope[~form.kept]).max(initial=0) < 1e-9, name
        np.testing.assert_array_equal(found.influence, form.influence()[:, 0])
        assert form.values(np.ones((1, len(steps))))[0, 0] == close(found.value), name


@pytest.mark.slow
def test_standard_errors_are_those_of_the_jackknife():
    """Where cases are many; both estimate the same to the first order."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 600)
    table = np.where(rng.random((600, 4)) < 0.7, truth[:, None], rng.integers(0, 3, (600, 4))).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    labels, ratings = Labels.from_wide(table), Ratings.from_wide(table + 1)
    for name, found in coefficients(labels, ratings):
        left_out = ugt.resampling.jackknife(lambda w: found.statistic.values(w[None])[0, :1], 600)  # noqa: B023
        assert found.std_error == pytest.approx(left_out.std_error[0], rel=0.02), name


def test_bootstrap_is_that_of_cases_taken_again():
    labels, _ = problem(8, n_cases=20)
    keep = np.diff(labels.offsets) >= 1
    design = ugt.resampling.Design.of(int(keep.sum()))
    found = ugt.fleiss_kappa(labels).resamples(n_resamples=5, seed=4).values[:, 0]
    counts = labels.counts()[keep]
    for b, weights in enumerate(design.weights(4, 0, 5)):
        again = Labels.from_counts(np.repeat(counts, weights.astype(int), axis=0))
        assert found[b] == close(ugt.fleiss_kappa(again).value)
    two = np.diff(labels.offsets) >= 2
    found = ugt.krippendorff_alpha(labels, "ordinal").resamples(n_resamples=5, seed=4).values[:, 0]
    for b, weights in enumerate(ugt.resampling.Design.of(int(two.sum())).weights(4, 0, 5)):
        again = Labels.from_counts(np.repeat(labels.counts()[two], weights.astype(int), axis=0))
        assert found[b] == close(ugt.krippendorff_alpha(again, "ordinal").value)


def test_clusters_and_strata():
    labels, _ = problem(8, n_cases=40)
    ids = np.arange(40) // 4
    found = ugt.agreement.gwet_ac1(labels)
    doubled = ugt.agreement.gwet_ac1(Labels.from_counts(np.repeat(labels.counts(), 2, axis=0)))
    pairs = np.repeat(np.arange(40), 2)
    # every case twice, in clusters of both: nothing is known that was not known before
    assert doubled.value == close(found.value)
    low, high = found.interval(kind="analytic")
    assert doubled.interval(kind="analytic", clusters=pairs) == (close(low), close(high))
    assert doubled.interval(kind="analytic")[0] > low
    boot = doubled.resamples(clusters=pairs, n_resamples=50, seed=1)
    np.testing.assert_allclose(boot.values, found.resamples(n_resamples=50, seed=1).values, rtol=1e-12)
    for kind in ("percentile", "basic", "bca"):
        low, high = found.interval(kind=kind, clusters=ids, strata=ids % 2, n_resamples=200)
        assert low < found.value < high


@pytest.mark.parametrize("repeats", [False, True])
def test_annotators_left_out_and_differences(repeats):
    """What one of them said is not there; differences to the coefficient of other labels of the same cases are case by case."""
    (labels, _), (ratings, _) = problem(12, n_cases=25, repeats=repeats), ratings_problem(12, n_annotators=4, repeats=repeats)
    without = [given.annotators[3] for given in (labels, ratings)]

    def rest(given, who):
        at = given.annotator != np.flatnonzero(given.annotators == who)[0]
        offsets = np.append(0, np.cumsum(at))[given.offsets]
        if isinstance(given, Ratings):
            return Ratings(given.case_ids, given.annotators, offsets, given.annotator[at], given.value[at])
        return Labels(given.axes, given.annotators, offsets, given.annotator[at], given.label[at], given.count[at])

    others = rest(labels, without[0]), rest(ratings, without[1])
    both = zip(coefficients(labels, ratings), coefficients(*others))
    intra = [
        (("intra", ugt.agreement.intra_annotator_agreement(one)), ("", ugt.agreement.intra_annotator_agreement(other)))
        for one, other in [(labels, others[0])]
    ]
    for (name, found), (_, expected) in [*both, *intra]:
        again = found.statistic.panel.judged_by(np.array([1, 1, 1, 0]))
        assert (*again.agreed()[:3],) == close(expected.statistic.agreed()[:3]) and again.agreed().reason == expected.reason, name
        np.testing.assert_allclose(again.influence(), expected.statistic.influence(), atol=1e-12, err_msg=name)
        if found.reason is None is expected.reason:
            difference = found.minus(expected)
            assert difference.value == close(found.value - expected.value)
            np.testing.assert_allclose(difference.influence, found.influence - expected.influence, rtol=1e-12, err_msg=name)
    refused(
        r"annotators must be named, to be left out one",
        ugt.fleiss_kappa(Labels.from_counts([[2, 1]])).statistic.panel.judged_by,
        np.ones(1),
    )
    refused(r"annotators must be 4 weights, one per annotator\. Got shape \(3,\)", found.statistic.panel.judged_by, np.ones(3))


def test_analytic_intervals_stay_inside():
    found = ugt.agreement.percent_agreement(ugt.Labels.from_wide([[0, 0], [0, 0], [0, 1]]))
    assert found.interval(kind="analytic") == (0.0, 1.0)
    assert ugt.agreement.scott_pi(ugt.Labels.from_wide([[0, 0], [1, 1], [0, 1]])).interval(kind="analytic") == (-1.0, 1.0)


# ---- what is undefined, and says so
def undefined(found, value, reason):
    assert found.value == close(value)
    assert reason in found.reason
    assert math.isnan(found.std_error)
    for kind in ("percentile", "bca", "analytic"):
        assert all(math.isnan(limit) for limit in found.interval(kind=kind, n_resamples=10))


@pytest.mark.filterwarnings("error")
def test_unanimity_is_a_value_with_a_reason():
    same = Labels.from_wide([[1, 1], [1, 1], [1, 1]], classes=3)
    for function in (ugt.cohen_kappa, ugt.agreement.scott_pi, ugt.fleiss_kappa, ugt.krippendorff_alpha):
        undefined(function(same), 1.0, "no variation: all labels are of one class")
    for level in LEVELS:
        undefined(ugt.krippendorff_alpha(same, level), 1.0, "no variation: all labels are of one class")
        undefined(ugt.krippendorff_alpha(Ratings.from_wide([[2.5, 2.5]] * 3), level), 1.0, "no variation: all ratings are equal")
    for kind in KINDS:
        undefined(ugt.agreement.intraclass_correlation([[2.5, 2.5]] * 3, kind), 1.0, "no variation: all ratings are equal")
    for function in (ugt.agreement.percent_agreement, ugt.agreement.gwet_ac1):
        found = function(same)
        assert (found.value, found.reason) == (1.0, None)
        exact = 1 - (1 - 0.025 ** (1 / 3)) / (1 - found.expected), 1.0
        assert [found.interval(kind=kind) for kind in ("auto", "percentile", "bca", "analytic")] == [pytest.approx(exact)] * 4
    undefined(ugt.agreement.gwet_ac1(Labels.from_wide([[0, 0]], classes=1)), 1.0, "the label set has a single class")
    undefined(
        ugt.fleiss_kappa(ugt.Labels.from_wide([[0, 1], [1, 0]]), weights=np.ones((2, 2))),
        1.0,
        "all weights between the classes in use are 1",
    )
    found = ugt.fleiss_kappa(same)
    assert (found.observed, found.expected, found.n_cases) == (1.0, 1.0, 3)
    assert np.isnan(found.influence).all()
    # repeats of thirds
    thirds = labels_of_rows([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 1], [4] * 6, classes=7)
    undefined(ugt.fleiss_kappa(thirds), 1.0, "no variation")
    undefined(ugt.krippendorff_alpha(thirds, "ordinal"), 1.0, "no variation")


@pytest.mark.filterwarnings("error")
def test_nothing_to_compare():
    alone = Labels.from_wide([[0, N, N], [N, 1, N], [N, N, N]], classes=2)
    for function in (
        ugt.agreement.percent_agreement,
        ugt.fleiss_kappa,
        ugt.agreement.gwet_ac1,
        ugt.agreement.gwet_ac2,
        ugt.krippendorff_alpha,
    ):
        found = function(alone)
        undefined(found, NAN, "no case has labels of two annotators")
        assert found.left_out == {"case without annotations": 1, "case with a single annotator": 2}
        assert found.n_cases == 0 and np.isnan(found.per_class).all()
    for function in (ugt.cohen_kappa, ugt.agreement.scott_pi):
        found = function(alone, annotators=[0, 1])
        undefined(found, NAN, "no case was labelled by both annotators")
        assert found.left_out == {f"case that {who} of the two annotators labelled": n for who, n in (("neither", 1), ("only one", 2))}
    for level in LEVELS:
        undefined(ugt.krippendorff_alpha([[NAN, NAN], [NAN, NAN]], level), NAN, "no case has ratings of two annotators")
        undefined(ugt.krippendorff_alpha([[1.5, NAN], [NAN, 2.5]], level), NAN, "no case has ratings of two annotators")
    undefined(ugt.agreement.intraclass_correlation([[1.5, NAN], [NAN, 2.5]], "1"), NAN, "no case has ratings of two annotators")
    undefined(ugt.agreement.intraclass_correlation([[1.5, NAN], [NAN, 2.5]]), NAN, "fewer than two cases that all annotators rated")
    undefined(ugt.agreement.intraclass_correlation([[1.5], [2.5]]), NAN, "no case has ratings of two annotators")
    undefined(ugt.agreement.intraclass_correlation([[1.5, 2.5]], "1k"), NAN, "fewer than two cases with ratings")
    undefined(ugt.agreement.intraclass_correlation([[1, 2], [2, 1]], "1k"), NAN, "cases do not differ in their means")
    undefined(ugt.agreement.percent_agreement([[NAN, NAN]], classes=2), NAN, "no case has labels of two annotators")


def test_one_case():
    found = ugt.fleiss_kappa(ugt.Labels.from_wide([[0, 1, 1]]))
    assert [found.value, *found.per_class] == [close(-0.5)] * 3
    assert math.isnan(found.std_error)
    assert all(math.isnan(x) for kind in ("percentile", "bca", "analytic") for x in found.interval(kind=kind, n_resamples=10))


def test_a_class_named_twice_in_the_first_case_is_added_up():
    labels = Labels.from_wide([["a", "a", N], ["b", "c", N]])
    found = ugt.fleiss_kappa(labels)
    assert found.observed == 0.5 and found.per_class.tolist() == [close(1), close(-1 / 3), close(-1 / 3)]
    assert ugt.krippendorff_alpha(labels).per_class.tolist() == [close(1), close(0), close(0)]


def test_unused_classes_count():
    table = [[0, 0], [0, 1], [1, 1]]
    assert ugt.agreement.gwet_ac1(ugt.Labels.from_wide(table)).value == close(1 - (1 / 3) / 0.5)
    assert ugt.agreement.gwet_ac1(table, classes=5).value == close(1 - (1 / 3) / (1 - 0.5 / 4))
    assert ugt.fleiss_kappa(table, classes=5).value == ugt.fleiss_kappa(ugt.Labels.from_wide(table)).value
    assert ugt.cohen_kappa(table, classes=5, weights="linear").per_class.shape == (5,)
    assert ugt.agreement.gwet_ac1(table, classes=["a", "b", "c"]).prevalence.tolist() == [0.5, 0.5, 0]


def test_kappa_paradox_is_seen_beside_the_value():
    """Nearly all labels of one class: kappa near 0 or below, AC1 near the percentage; the record shows both and the prevalence."""
    labels = [[0, 0]] * 97 + [[0, 1], [1, 0], [0, 1]]
    kappa, ac1 = ugt.cohen_kappa(ugt.Labels.from_wide(labels)), ugt.agreement.gwet_ac1(ugt.Labels.from_wide(labels))
    assert kappa.value < 0 < 0.95 < ac1.value
    assert (kappa.observed, kappa.prevalence.round(3).tolist()) == (close(0.97), [0.985, 0.015])


# ---- inputs
def test_tables_and_containers_agree():
    table = [["1", "2", N], ["2", "2", "2"], ["3", "1", "1"], [N, "1", "3"]]
    labels = Labels.from_wide(table)
    for function in (
        ugt.agreement.percent_agreement,
        ugt.fleiss_kappa,
        ugt.agreement.gwet_ac1,
        ugt.agreement.gwet_ac2,
        ugt.krippendorff_alpha,
    ):
        one, other = function(table), function(labels)
        assert one.value == other.value == function(np.array(table, dtype=object)).value
        np.testing.assert_array_equal(one.per_case, other.per_case)
        # who gave the labels does not matter
        assert function(Labels.from_counts(labels.counts())).value == close(one.value)
    numbers = [[0, 1, N], [1, 1, 1], [2, 0, 0], [N, 0, 2]]
    with_nan = np.array([[NAN if x is N else x for x in row] for row in numbers])
    assert ugt.fleiss_kappa(numbers, classes=3).value == ugt.fleiss_kappa(with_nan, classes=3).value == close(ugt.fleiss_kappa(table).value)
    whole = Labels.from_wide(with_nan)
    assert ugt.krippendorff_alpha(whole, "interval").value == close(ugt.krippendorff_alpha(with_nan / 4, "interval").value)
    assert ugt.krippendorff_alpha(whole).per_class is not None
    assert ugt.krippendorff_alpha(with_nan / 4).per_class is None
    assert ugt.agreement.intraclass_correlation(Labels.from_wide(JUDGES)).value == close(ugt.agreement.intraclass_correlation(JUDGES).value)
    pandas = pytest.importorskip("pandas")
    assert ugt.fleiss_kappa(pandas.DataFrame(table)).value == ugt.fleiss_kappa(table).value


def test_records_are_kept():
    found = ugt.fleiss_kappa(RELIABILITY)
    assert pickle.loads(pickle.dumps(ugt.agreement.pairwise_agreement(RELIABILITY))).n_cases.tolist() == [
        *([9, 9, 8, 9], [9, 11, 9, 10], [8, 9, 10, 10], [9, 10, 10, 11]),
    ]
    with pytest.raises(AttributeError):
        found.value = 1.0
    assert found.per_case[[0, 1, 11]] == close([1.0, 0.5, NAN])


BAD_LABELS = (
    ugt.agreement.percent_agreement,
    ugt.fleiss_kappa,
    ugt.agreement.gwet_ac2,
    ugt.cohen_kappa,
    ugt.agreement.scott_pi,
    ugt.agreement.pairwise_agreement,
)


@pytest.mark.parametrize("function", BAD_LABELS)
def test_bad_labels(function):
    for bad in (3, "text", {"a": 1}):
        refused(r"labels must be Labels, Ratings or a table, cases x annotators\. Got (int|str|dict)\.", function, bad, error=TypeError)
    refused(r"labels must be Labels or a table of labels, .* Got Ratings\.", function, Ratings.from_wide([[1.0, 2.0]]), error=TypeError)
    refused(r"labels must hold labels \(integers or strings\), not ratings\. Got ratings such as 0\.5\.", function, [[1, 2], [3, 0.5]])
    refused(
        r"labels must have a type if it holds whole numbers: use Labels\.from_wide .* Got a bare table of shape \(2, 2\)\.",
        function,
        [[0, 1]] * 2,
    )
    refused(r"classes must be left out if labels are Labels\. Got 3\.", function, Labels.from_wide([[0, 1]]), classes=3)
    refused(r"table must hold class indices from 0 to 1\. Got 2, first at case 1, annotator 0\.", function, [[0, 1], [2, 1]], classes=2)
    refused(r"table must be two-dimensional", function, [0, 1, 2])
    refused(r"table must be finite\. Got inf", function, [[0, 1], [math.inf, 1]])


@pytest.mark.parametrize(
    "weights, message",
    [
        ("cubic", r"weights must be None, 'linear', 'quadratic', 'ordinal' or a table of 2 x 2 numbers\. Got 'cubic'\."),
        (np.ones((3, 3)), r"weights must be None, .* a table of 2 x 2 numbers\. Got float64 of shape \(3, 3\)\."),
        ([[1, 0], [0]], r"weights must be None"),
        ([[1, 0.5], [0.2, 1]], r"weights must be symmetric\. Got 0\.5, first at classes 0 and 1\."),
        ([[1, -0.5], [-0.5, 1]], r"weights must lie between 0 and 1\. Got -0\.5, first at classes 0 and 1\."),
        ([[1, NAN], [NAN, 1]], r"weights must lie between 0 and 1\. Got nan"),
        ([[1, 0], [0, 0.5]], r"weights must be 1 for the same class\. Got 0\.5, first at classes 1 and 1\."),
    ],
)
def test_bad_weights(weights, message):
    for function in BAD_LABELS:
        refused(message, function, Labels.from_wide([[0, 1], [1, 1]]), weights=weights)


ALPHA, ICC = ugt.krippendorff_alpha, ugt.agreement.intraclass_correlation
COUNTS = Labels.from_counts([[2, 1]])
BAD_OPTIONS = [
    (
        ugt.cohen_kappa,
        [Labels.from_wide([[0, 1, 1]])],
        {},
        r"annotators must name two, unless labels have exactly two \(or use fleiss_kappa\)\. Got None for labels of 3 annotators",
    ),
    (ugt.agreement.scott_pi, [Labels.from_wide([[0, 1, 1]])], {"annotators": [0, 1, 2]}, r"annotators must name two annotators\. Got 3\."),
    (ugt.agreement.scott_pi, [Labels.from_wide([[0, 1, 1]])], {"annotators": [0, 0]}, r"annotators must not repeat an id\. Got 0 twice"),
    (
        ugt.cohen_kappa,
        [Labels.from_wide([[0, 1, 1]])],
        {"annotators": ["x", "y"]},
        r"annotators must be among the annotators of labels\. Got 'x', first at",
    ),
    *(
        (one, [COUNTS], {}, r"labels must name their annotators\. Got counts, which have none\.")
        for one in (ugt.cohen_kappa, ugt.agreement.conger_kappa, ugt.agreement.pairwise_agreement)
    ),
    (ALPHA, [Labels.from_wide([[0, 1]]), "metric"], {}, r"level must be one of 'nominal', 'ordinal', 'interval', 'ratio'\. Got 'metric'\."),
    (ALPHA, [[["a", "b"]], "interval"], {}, r"values must be given for level 'interval' if class names are text"),
    *(
        (ALPHA, [[["a", "b"]], "interval"], {"values": bad}, r"values must be 2 finite numbers")
        for bad in ([1, 2, 3], [1, NAN], ["a", "b"])
    ),
    (ALPHA, [[["a", "b"]], "ordinal"], {"values": [1, 1]}, r"values must differ for an ordinal scale"),
    (ALPHA, [[[0.5, 1.5]], "interval"], {"values": [1, 2]}, r"values must be left out for ratings"),
    (ALPHA, [[[-0.5, 1.5]], "ratio"], {}, r"level must not be 'ratio' if values are negative\. Got -0\.5\."),
    (ALPHA, [Ratings.from_wide([[-1.5e308, 1.5e308]]), "interval"], {}, r"ratings must differ by less than 1e308"),
    (ICC, [JUDGES, "2,1"], {}, r"kind must be one of '1', '1k', 'A,1', 'A,k', 'C,1', 'C,k'\. Got '2,1'\."),
    (ICC, [3], {}, r"ratings must be Ratings or a table of numbers, cases x annotators\. Got int\."),
    (ICC, [COUNTS], {}, r"ratings must name their annotators"),
    (
        ICC,
        [Labels.from_wide([["a", "b"]])],
        {},
        r"ratings must be numbers, or labels whose classes are numbers or have an order .*\. Got classes that are text\.",
    ),
    (
        ugt.agreement.pairwise_agreement,
        [Labels.from_wide([[0, 1]]), "pi"],
        {},
        r"coefficient must be one of 'percent', 'cohen', 'scott', 'ac1', 'bp'\. Got 'pi'",
    ),
    *(
        (ICC(table).interval, [], {"kind": "analytic", "clusters": range(6)}, r"clusters must be None for analytic intervals of intraclass")
        for table in (JUDGES, [[1, 1]] * 6)
    ),
]


@pytest.mark.parametrize(("function", "given", "options", "message"), BAD_OPTIONS)
def test_bad_options(function, given, options, message):
    refused(message, function, *given, error=(TypeError, ValueError), **options)


# ---- annotators with themselves, tables
def test_intra_annotator_agreement():
    case = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 4]
    annotator = [*"aaabaabbbbaab"]
    label = [0, 0, 1, 0, 2, 2, 0, 1, 1, 0, 1, 2, 2]
    labels = labels_of_rows(case, annotator, label, classes=3)
    # units: (0, a) 0 0 1; (1, a) 2 2; (2, b) 1 1 0
    found = ugt.agreement.intra_annotator_agreement(labels)
    assert found.value == close((1 / 3 + 1 + 1 / 3) / 3)
    assert (found.n_cases, found.n_annotators, found.left_out) == (3, 2, {"case that no annotator labelled twice": 2})
    assert found.per_annotator == close([2 / 3, 1 / 3])
    assert found.per_case == close([1 / 3, 1, 1 / 3, NAN, NAN])
    units = [{0: [0], 1: [0], 2: [1]}, {0: [2], 1: [2]}, {0: [1], 1: [1], 2: [0]}]
    assert ugt.agreement.intra_annotator_agreement(labels, "fleiss").value == close(twin.fleiss(units, 3))
    assert ugt.agreement.intra_annotator_agreement(labels, "ac1").value == close(twin.gwet(units, 3))
    assert ugt.agreement.intra_annotator_agreement(labels, "alpha", level="interval").value == close(twin.alpha(units, "interval"))
    assert found.coefficient == "intra-annotator percent agreement"
    for kind in ("percentile", "bca", "analytic"):
        low, high = found.interval(kind=kind)
        assert low < found.value < high
    ratings = Ratings.from_long(case, annotator, np.array(label) / 2)
    assert ugt.agreement.intra_annotator_agreement(ratings, "alpha", level="interval").value == close(twin.alpha(units, "interval"))
    nobody = ugt.agreement.intra_annotator_agreement(Labels.from_wide([[0, 1], [1, 1]]))
    undefined(nobody, NAN, "no annotator labelled a case twice")
    assert np.isnan(nobody.per_annotator).all() and nobody.left_out == {"case that no annotator labelled twice": 2}
    refused(r"coefficient must be 'alpha' for ratings\. Got 'percent'\.", ugt.agreement.intra_annotator_agreement, ratings)
    refused(r"one of 'percent', 'fleiss', 'ac1', 'bp', 'alpha'\. Got 'cohen'\.", ugt.agreement.intra_annotator_agreement, labels, "cohen")
    refused(r"annotations must be Labels or Ratings\. Got list\.", ugt.agreement.intra_annotator_agreement, [[0, 1]], error=TypeError)


def test_intra_annotator_resamples_take_whole_cases():
    rng = np.random.default_rng(0)
    case, annotator = np.repeat(np.arange(12), 6), np.tile([0, 0, 1, 1, 2, 2], 12)
    labels = labels_of_rows(case, annotator, rng.integers(0, 2, 72), classes=2)
    found = ugt.agreement.intra_annotator_agreement(labels)
    by_case = found.per_case  # all cases have three units
    expected = ugt.bootstrap(by_case, n_resamples=40, seed=2)
    np.testing.assert_allclose(found.resamples(n_resamples=40, seed=2).take(0).values, expected.values, rtol=1e-12)
    assert found.std_error == close(by_case.std(ddof=1) / math.sqrt(12))


def test_table():
    two = ugt.agreement_table(ABSTRACTORS)
    rows = two.rows(n_resamples=50)
    assert [row["coefficient"] for row in rows] == [
        *("percent agreement", "Cohen's kappa", "Scott's pi", "Fleiss' kappa", "Gwet's AC1", "Brennan-Prediger"),
        "Krippendorff's alpha (nominal)",
    ]
    assert [row["value"] for row in rows][:3] == close(
        [0.89, ugt.cohen_kappa(ABSTRACTORS).value, ugt.agreement.scott_pi(ABSTRACTORS).value]
    )
    assert (rows[1]["low"], rows[1]["high"]) == ugt.cohen_kappa(ABSTRACTORS).interval(n_resamples=50)
    assert two.classes == ("A", "E", "N") and two.prevalence == close([0.255, 0.13, 0.615])
    many = ugt.agreement_table(RELIABILITY, weights="linear", levels=("ordinal", "interval"))
    assert [each.coefficient for each in many.found] == [
        *("percent agreement (linear)", "Fleiss' kappa (linear)", "Gwet's AC2 (linear)", "Brennan-Prediger (linear)"),
        *("Conger's kappa (linear)", "Krippendorff's alpha (ordinal)", "Krippendorff's alpha (interval)"),
    ]
    assert many.left_out == {"case with a single annotator": 1}
    for options in ({"kind": "analytic"}, {"kind": "basic", "n_resamples": 30}):  # other cases count in some, and yet the same seeds
        np.testing.assert_array_equal(many.interval(**options), [each.interval(**options) for each in many.found])
    same = ugt.agreement_table(Labels.from_wide([[0, 0], [0, 0]], classes=2))
    rows = same.rows(n_resamples=10)
    assert "no variation" in str(same) and rows[1]["low"] is None and rows[0]["value"] == 1.0
    ratings = ugt.agreement_table(np.array(JUDGES) + 0.5)
    assert [each.coefficient for each in ratings.found][:3] == ["ICC(1)", "ICC(A,1)", "ICC(C,1)"]
    assert ratings.prevalence is None and "classes" not in ratings.text(kind="analytic", clusters=[1, 1, 2, 2, 3, 3])
    for bad in ("nominal", ["metric"]):
        refused(r"levels must be some of 'nominal', 'ordinal', 'interval', 'ratio'", ugt.agreement_table, RELIABILITY, levels=bad)
    refused(r"weights must be", ugt.agreement_table, RELIABILITY, weights=[])
    # a generator moves on once, so that all rows have the same resamples
    word = ugt.resampling.seed_of(np.random.default_rng(1))
    found = two.interval(n_resamples=20, seed=np.random.default_rng(1))
    np.testing.assert_array_equal(found, [one.interval(n_resamples=20, seed=word) for one in two.found])


# ---- properties
@st.composite
def wide_tables(draw):
    n, a, k = draw(st.integers(2, 8)), draw(st.integers(2, 4)), draw(st.integers(2, 4))
    cells = draw(st.lists(st.one_of(st.none(), st.integers(0, k - 1)), min_size=n * a, max_size=n * a))
    table = np.array(cells, dtype=object).reshape(n, a)
    table[0, :2] = 0, 1
    return table, k


def everything(table, k):
    """Values of coefficients that know no order of classes."""
    labels = Labels.from_wide(table, classes=k)
    functions = (ugt.agreement.percent_agreement, ugt.fleiss_kappa, ugt.agreement.gwet_ac1, ugt.krippendorff_alpha)
    functions += (ugt.agreement.conger_kappa,)
    found = [function(labels).value for function in functions]
    return [*found, ugt.cohen_kappa(labels, annotators=[0, 1]).value, ugt.agreement.scott_pi(labels, annotators=[0, 1]).value]


@pytest.mark.slow
@examples(60)
@given(wide_tables(), st.randoms(use_true_random=False))
def test_names_and_orders_do_not_matter(problem_, random):
    table, k = problem_
    found = everything(table, k)
    rename = random.sample(range(k), k)
    renamed = np.array([[N if x is None else rename[x] for x in row] for row in table], dtype=object)
    assert everything(renamed, k) == close(found)
    assert everything(table[random.sample(range(len(table)), len(table))], k) == close(found)
    swapped = np.concatenate([table[:, 1::-1], table[:, 2:][:, ::-1]], axis=1)
    assert everything(swapped, k) == close(found)
    assert all(math.isnan(x) or x <= 1 + 1e-12 for x in found)
    counted = Labels.from_wide(table, classes=k)
    reversed_ = Labels.from_wide([[N if x is None else k - 1 - x for x in row] for row in table], classes=k)
    for level in ("ordinal", "interval"):  # the other way round
        assert ugt.krippendorff_alpha(reversed_, level).value == close(ugt.krippendorff_alpha(counted, level).value)


@examples(40)
@given(wide_tables())
def test_all_cases_twice(problem_):
    """Kappas stay; 1 - alpha takes the factor of its small-sample correction, (2n - 1) / 2 / (n - 1)."""
    table, k = problem_
    twice = np.concatenate([table, table])
    assert everything(twice, k)[:3] == close(everything(table, k)[:3])
    n = sum(size for size in (sum(x is not None for x in row) for row in table) if size >= 2)
    for level in LEVELS:
        one, two = (ugt.krippendorff_alpha(Labels.from_wide(t, classes=k), level) for t in (table, twice))
        if one.reason is None:
            assert 1 - two.value == close((1 - one.value) * (2 * n - 1) / (2 * (n - 1)))


def test_repeating_every_label_changes_nothing():
    labels, _ = problem(5)
    rows = (np.repeat(x, 2) for x in (labels.annotator, labels.label, labels.count))
    twice = Labels(labels.axes, labels.annotators, 2 * labels.offsets, *rows)
    for (_, one), (_, two) in zip(coefficients(labels, ratings_problem(0)[0]), coefficients(twice, ratings_problem(0)[0])):
        assert (two.value, two.std_error) == (close(one.value), close(one.std_error))
        assert two.n_annotators == one.n_annotators


def test_many_classes():
    """Weights and levels by blocks of pairs of classes, against tables of all."""
    rng = np.random.default_rng(2)
    k = 1700  # more than one block of 2**21 pairs
    labels = Labels.from_wide(np.where(rng.random((60, 5)) < 0.4, rng.integers(0, k, (60, 1)), rng.integers(0, k, (60, 5))), classes=k)
    cases = [{a: [int(x)] for a, x in zip(labels.annotator[i:j], labels.label[i:j])} for i, j in zip(labels.offsets, labels.offsets[1:])]
    shares = labels.counts().mean(0) / 5
    linear = 1 - np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    expected = shares @ (1 - linear) @ shares
    found = ugt.fleiss_kappa(labels, weights="linear")
    assert found.value == close(1 - twin.observed(cases, lambda a, b: abs(a - b) / (k - 1)) / expected)
    assert found.value == close(ugt.fleiss_kappa(labels, weights=linear).value)
    assert ugt.krippendorff_alpha(labels, "ratio").value == close(twin.alpha(cases, "ratio"))
    assert np.isfinite(ugt.krippendorff_alpha(labels).per_class).sum() == len(np.unique(labels.label))


def test_pairs_of_classes_are_taken_some_at_a_time(monkeypatch):
    labels, cases = problem(4, n_cases=30, n_annotators=9, n_classes=6)
    before = ugt.fleiss_kappa(labels, weights="linear").value
    monkeypatch.setattr(ugt.agreement.costs, "ROOM", 5)
    assert ugt.fleiss_kappa(labels, weights="linear").value == close(before) == close(twin.fleiss(cases, 7, "linear"))
    monkeypatch.setattr(ugt.agreement.overviews, "CELLS", 50)
    one = ugt.agreement.pairwise_agreement(labels, weights="linear")
    monkeypatch.undo()
    np.testing.assert_allclose(one.value, ugt.agreement.pairwise_agreement(labels, weights="linear").value, rtol=1e-12)


def test_the_table_names_its_level():
    table = ugt.agreement_table(ABSTRACTORS)
    assert "95% interval" in str(table) and "80% interval" in table.text(0.8, n_resamples=20)


def test_ordinal_agreement_of_cases_is_by_mid_ranks():
    """Three labels of class 0, one of 1, two of 2: mid-ranks 1.5, 3.5 and 5, so that 1 and 2 are 1.5 of 3.5 apart."""
    found = ugt.krippendorff_alpha(Labels.from_wide([[0, 0], [0, 2], [1, 2], [2, None]], classes=3), level="ordinal")
    assert found.per_case == close([1.0, 0.0, 1 - (1.5 / 3.5) ** 2, NAN])


def test_cases_without_a_complete_set_of_ratings_are_told_from_empty_ones():
    table = [[1.0, 2.0], [3.0, 4.5], [2.0, None], [None, None], [5.0, 4.0], [None, 1.0]]
    found = ugt.agreement.intraclass_correlation(Ratings.from_wide(table), "A,1")
    assert (found.n_cases, sorted(found.left_out.values())) == (3, [1, 2])
    found = ugt.agreement.intraclass_correlation(Ratings.from_wide(table), "1")
    assert (found.n_cases, found.left_out) == (3, {"case without annotations": 1, "case with a single annotator": 2})


def test_percent_agreement_is_what_was_observed_and_expects_nothing():
    found = ugt.agreement.percent_agreement(Labels.from_wide([[0, 0], [0, 1], [1, 1], [1, 1]], classes=2))
    assert (found.value, found.observed, found.expected) == (0.75, 0.75, 0.0)


def test_cases_without_ratings_have_no_influence_on_a_correlation():
    table = [[1.0, 2.0], [None, None], [3.0, 4.5], [5.0, None], [2.0, 2.5]]
    for kind, none in (("1", [1]), ("A,1", [1, 3])):
        influence = ugt.agreement.intraclass_correlation(Ratings.from_wide(table), kind).influence
        assert np.isfinite(influence).all() and np.flatnonzero(influence == 0).tolist() == none


def test_hardly_any_label_of_another_class():
    """In simulations the interval of a kappa held it in 55% of the data sets with one to three labels of the rare class."""
    for n in (1, 3, 4):
        wide = np.zeros((50, 2), int)
        wide[:n, 1] = 1
        labels = ugt.Labels.from_wide(wide, classes=2)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            ugt.cohen_kappa(labels).interval(n_resamples=20)
            ugt.agreement_table(labels).interval(n_resamples=20)
            ugt.agreement.percent_agreement(labels).interval(n_resamples=20)
        said = [str(one.message) for one in heard if "of the commonest class" in str(one.message)]
        assert len(said) == 2 * (n < 4) and all(text.startswith(f"Only {n} of 100 labels are not") for text in said)
        notes = ugt.evaluate(labels, {}, n_resamples=20).notes
        assert any("of the commonest class: the default 95% interval" in note for note in map(str, notes)) == (n < 4)


# ---- values below -1


def below(found):
    """The interval of every kind holds the value."""
    for kind in ("auto", "analytic"):
        low, high = found.interval(kind=kind)
        assert math.isnan(low) or low <= found.value <= high, (kind, low, high)
        assert low != high


def test_intervals_of_coefficients_below_minus_one_hold_them():
    found = ugt.fleiss_kappa([["a", "b"]] * 12 + [["a", None]] * 30)
    assert found.value < -3 and found.interval()[0] < -3 < found.interval()[1] < -1
    below(found)
    assert ugt.fleiss_kappa([["a", "b"], ["b", "a"]] * 12).interval()[0] == -1  # with two labels each, -1 is the end
    for kind in ("1", "C,1"):
        low, high = ugt.agreement.intraclass_correlation(Ratings.from_wide([[1, 2], [2, 1]] * 12), kind).interval()
        assert low == -1 and high == pytest.approx(2 * (1 - 0.025 ** (1 / 24)) - 1)  # Clopper & Pearson: 24 of 24
    opposite = ugt.Labels.from_wide([[0, 2]] * 5 + [[2, 0]] * 5, classes=3)
    for coefficient in (ugt.agreement.brennan_prediger, ugt.agreement.gwet_ac2):
        below(coefficient(opposite, weights="quadratic"))
    assert ugt.agreement.brennan_prediger(opposite, weights="quadratic").interval()[0] == pytest.approx(-2)
    below(ugt.agreement.gwet_ac2(ugt.Labels.from_wide([[0, 2]] * 5 + [[2, 0]] * 5 + [[1, 1]], classes=3), weights="quadratic"))
    table = np.ones((3, 3))  # costs between the first two classes alone are no squared distances
    table[0, 1] = table[1, 0] = 0
    rare = ugt.Labels.from_wide([[0, 1]] + [[2, 2]] * 9, classes=3)
    found = ugt.cohen_kappa(rare, weights=table)
    assert found.value == pytest.approx(-9)
    below(found)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("n_alike", [0, 2, 9])
def test_intervals_of_brennan_and_prediger_are_those_of_percent_agreement(k, n_alike):
    """The coefficient is (p - 1 / K) / (1 - 1 / K): at least -1 / (K - 1), not -1."""
    labels = Labels.from_wide([[0, 0]] * n_alike + [[0, 1], [1, 0], [1, 0]] * 3, classes=k)
    for kind in ("auto", "percentile", "analytic"):
        ends = [(end - 1 / k) / (1 - 1 / k) for end in ugt.agreement.percent_agreement(labels).interval(kind=kind)]
        assert ugt.agreement.brennan_prediger(labels).interval(kind=kind) == pytest.approx(ends, abs=1e-9)
    assert ugt.agreement.gwet_ac1(labels).statistic.span == (pytest.approx(-1 / (k - 1)), 1.0)


def test_ranges_hold_all_values():
    rng = np.random.default_rng(0)
    for _ in range(60):
        n, k = rng.integers(2, 12), int(rng.integers(2, 5))
        rows = np.where(rng.random((n, 3)) < 0.4, None, rng.integers(0, k, (n, 3)))
        table = rng.random((k, k))
        table = (table + table.T) / 2
        np.fill_diagonal(table, 1)
        for weights in ("quadratic", "linear", table):
            for coefficient in (ugt.fleiss_kappa, ugt.agreement.gwet_ac2, ugt.agreement.brennan_prediger, ugt.agreement.conger_kappa):
                found = coefficient(ugt.Labels.from_wide(rows.tolist(), classes=k), weights=weights)
                assert math.isnan(found.value) or found.statistic.span[0] - 1e-12 <= found.value <= 1
                low, high = found.interval()
                assert math.isnan(low) or low - 1e-12 <= found.value <= high + 1e-12


def test_correlations_with_a_denominator_that_is_not_positive_are_undefined():
    of = ugt.Ratings.from_wide
    found = ugt.agreement.intraclass_correlation(of([[5, 1], [4, 2], [1, 4], [2, 5.0]]), "A,k")
    assert math.isnan(found.value) and "denominator is not above 0" in found.reason
    assert all(math.isnan(end) for kind in ("auto", "analytic") for end in found.interval(kind=kind))
    assert math.isnan(ugt.agreement.intraclass_correlation(of([[1.0, 2], [2, 1]]), "A,1").value)
    for n in (2, 12):  # cases, and annotators, have equal means: the lowest value, -1 / (k - 1 - k / n), up to rounding
        lowest = ugt.agreement.intraclass_correlation(of([[1.0, 2], [2, 1]] * n), "A,1")
        ends = lowest.interval(kind="analytic")
        assert np.isnan(lowest.ends_if_named(0.95, None, (0.0, 1.0))).all()
        assert lowest.value == pytest.approx(ends[0]) == pytest.approx(-1 / (1 - 1 / n)) and ends[1] > ends[0] + 0.2
    found = ugt.agreement.intraclass_correlation(of([[2.0, 3, 1], [2, 1, 3]]), "A,1")
    assert found.value == pytest.approx(-2)
    for kind in ("auto", "analytic"):
        low, high = found.interval(kind=kind)
        assert math.isnan(low) or low <= found.value < high


@pytest.mark.parametrize("kind", ["1", "1k", "A,1", "A,k", "C,1", "C,k"])
def test_intervals_of_correlations_hold_them(kind):
    rng, seen = np.random.default_rng(1), 0
    for _ in range(80):
        n, k = rng.integers(3, 9), rng.integers(2, 5)
        x = rng.normal(size=(n, k)) + rng.normal(size=(n, 1)) * rng.choice([0, 0.5, 1])
        found = ugt.agreement.intraclass_correlation(ugt.Ratings.from_wide(x), kind)
        for way in ("auto", "analytic"):
            low, high = found.interval(kind=way)
            seen += not math.isnan(low)
            assert math.isnan(low) or low <= found.value <= high, (way, found.value, low, high)
    assert seen > 100


def test_one_case_with_two_ratings_is_enough_for_a_one_way_correlation():
    cases = [{0: [1.0], 1: [2.0]}, {0: [4.0]}, {1: [2.5]}]
    found = ugt.agreement.intraclass_correlation(Ratings.from_wide([[1.0, 2.0], [4.0, NAN], [NAN, 2.5]]), "1")
    assert found.value == close(twin.icc(cases, "1")) and found.reason is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_unit_of_ratings_does_not_matter(kind):
    x = np.array(JUDGES, float) - 5
    for unit in (1e-9, 1e9):
        found, same = (
            ugt.agreement.intraclass_correlation(Ratings.from_wide(one), kind).interval(kind="analytic") for one in (unit * x, x)
        )
        assert found == pytest.approx(same, rel=1e-9)


@pytest.mark.parametrize("kind", ["1", "C,1", "A,1"])
def test_ranges_of_correlations_of_several_annotators_hold_all_values(kind):
    """A Latin square has cases with equal means, and the lowest value: -1 / (k - 1), not -1."""
    square = np.array([[1, 2, 3, 4], [2, 3, 4, 1], [3, 4, 1, 2], [4, 1, 2, 3]] * 5, float)
    found = ugt.agreement.intraclass_correlation(Ratings.from_wide(square), kind)
    assert found.value == pytest.approx(-1 / (3 - (4 / 20 if kind == "A,1" else 0)))
    low, high = found.interval(kind="analytic")
    assert low == pytest.approx(found.value) and high == pytest.approx(low + 2 * (1 - 0.025 ** (1 / 20)))
    rng = np.random.default_rng(3)
    for _ in range(40):
        table = square[: rng.integers(3, 9)] + rng.normal(size=(1, 4)) + 0.1 * rng.normal(size=(1, 1))
        shown = np.where(rng.random(table.shape) < 0.2, NAN, table) if kind == "1" else table
        one = ugt.agreement.intraclass_correlation(Ratings.from_wide(shown + 0.01 * rng.normal(size=shown.shape)), kind)
        low, high = one.interval()
        assert math.isnan(one.value) or one.statistic.span[0] - 1e-9 <= one.value
        assert math.isnan(low) or low <= one.value <= high


def test_correlations_below_zero_can_have_less_than_one_degree_of_freedom():
    """The approximation by Satterthwaite does not hold there: no interval, not one without the value."""
    table = [[1, 2, 3, 4], [2, 3, 4, 1], [3, 4, 1, 2], [4, 1, 2, 3], [1, 2, 3, 4.5]] * 5
    found = ugt.agreement.intraclass_correlation(Ratings.from_wide(table), "A,1")
    assert found.value == pytest.approx(-15 / 46) and np.isnan(found.interval(kind="analytic")).all()


def test_limits_of_means_of_few_annotators_have_no_lower_end():
    x = [[1.3, -2.4, -1.6], [-0.4, -0.7, 0.0], [-0.6, 1.3, -1.9], [-0.3, 2.1, 0.7]]  # means of annotators differ less than their errors
    low, high = ugt.agreement.intraclass_correlation(ugt.Ratings.from_wide(x), "A,k").interval(kind="analytic")
    assert low == -math.inf and high == pytest.approx(0.91588, abs=1e-5)


def test_a_class_that_one_annotator_chose_once_has_no_agreement():
    found = ugt.agreement.percent_agreement(ugt.Labels.from_wide([[0, 0], [0, 1], [0, 0]]))
    assert found.per_class == pytest.approx([4 / 5, 0])
