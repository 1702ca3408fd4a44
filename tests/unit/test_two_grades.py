"""With two grades, ordinal answers are the nominal ones; and grades that leave nothing to compute give errors or reasons."""

import json

import numpy as np
import pytest
from refusals import refused
from surface import public

import ugt
from ugt import Labels, Ratings, states
from ugt.cli import main

RNG = np.random.default_rng(5)
N, A = 60, 4
TRUE = RNG.integers(0, 2, N)
CELLS = np.where(RNG.random((N, A)) < 0.8, TRUE[:, None], 1 - TRUE[:, None])
CELLS = np.where(RNG.random((N, A)) < 0.2, -1, CELLS)
P = np.clip(np.where(TRUE == 1, 0.7, 0.3) + RNG.normal(0, 0.2, N), 0.02, 0.98)
SCORES = np.column_stack([1 - P, P])
NOMINAL = Labels.from_wide(CELLS, classes=2, missing=-1)
ORDERED = Labels.from_wide(CELLS, ordered=[0, 1], missing=-1)
TRUTHS = {"dirichlet": ugt.dirichlet, "votes": ugt.votes, "shares": lambda known: ugt.votes(known, kind="mean")}
NEAR = {"rel": 1e-12, "abs": 1e-12}


@pytest.mark.parametrize("name", TRUTHS)
def test_errors_of_two_grades_are_those_of_classes(name):
    truth, nominal = TRUTHS[name](ORDERED), TRUTHS[name](NOMINAL)
    assert truth.mean().tobytes() == nominal.mean().tobytes()
    grade = (P > 0.5).astype(np.int64)
    right = ugt.metrics.ua_plausibility_mass(nominal, grade[:, None])
    if name == "votes":  # a certain truth is a class
        assert right.value == pytest.approx(ugt.ua_topk_accuracy(nominal, SCORES).value, **NEAR)
    for function in (ugt.grades.ua_absolute_error, ugt.grades.ua_squared_error):
        found = function(truth, grade)
        assert found.value == pytest.approx(1 - right.value, **NEAR)
        assert found.per_case == pytest.approx(1 - right.per_case, **NEAR, nan_ok=True)
        assert found.interval(kind="percentile")[::-1] == pytest.approx(1 - np.array(right.interval(kind="percentile")), **NEAR)
    assert ugt.grades.ua_within_accuracy(truth, grade, within=0).value == pytest.approx(right.value, **NEAR)
    pi = nominal.mean()
    by_hand = pi[:, 0] * P**2 + pi[:, 1] * (1 - P) ** 2  # the Brier score of one probability
    assert ugt.grades.ua_ranked_probability_score(truth, SCORES).value == pytest.approx(np.nanmean(by_hand), **NEAR)
    if name != "dirichlet":  # there the law itself is uncertain
        assert ugt.grades.ua_grade_wasserstein(truth, SCORES).value == pytest.approx(np.nanmean(np.abs(pi[:, 1] - P)), **NEAR)


COEFFICIENTS = ("percent_agreement", "fleiss_kappa", "gwet_ac2", "brennan_prediger")


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_weights_change_nothing_with_two_grades(name):
    function = public(name)
    one = ugt.agreement.gwet_ac1(NOMINAL) if name == "gwet_ac2" else function(NOMINAL)
    for known in (NOMINAL, ORDERED):
        for weights in ("linear", "quadratic"):
            found = function(known, weights=weights)
            assert found.value == pytest.approx(one.value, **NEAR)
            assert found.interval(kind="analytic") == pytest.approx(one.interval(kind="analytic"), **NEAR)


def test_levels_of_alpha_change_nothing_with_two_grades():
    one = ugt.krippendorff_alpha(NOMINAL)
    for known in (NOMINAL, ORDERED, Ratings.from_labels(ORDERED)):
        for level in ("nominal", "ordinal", "interval"):
            assert ugt.krippendorff_alpha(known, level=level).value == pytest.approx(one.value, **NEAR)
    assert ugt.agreement_table(ORDERED).rows()[0]["value"] == pytest.approx(ugt.agreement_table(NOMINAL).rows()[0]["value"], **NEAR)


def test_evaluations_of_two_grades_have_the_numbers_of_classes():
    known, names = {}, ("model", "metric", "reliability", "k")
    for kind, labels in (("nominal", NOMINAL), ("ordered", ORDERED)):
        rows = ugt.evaluate(labels, {"a": SCORES, "b": SCORES[:, ::-1]}, n_resamples=50, seed=1, missing="drop").to_dict()["metrics"]
        known[kind] = {tuple(row[name] for name in names): row for row in rows}
    both = known["nominal"].keys() & known["ordered"].keys()
    assert {"topk_accuracy", "voted_accuracy"} <= {metric for _, metric, *_ in both}
    for key in both:
        for field in ("value", "case_low", "case_high"):
            mine, its = (known[kind][key][field] for kind in ("ordered", "nominal"))
            assert (mine is None and its is None) or mine == pytest.approx(its, **NEAR), (key, field)


def test_the_command_finds_the_same_agreement(tmp_path, capsys):
    rows = [f"{i},r{a},{CELLS[i, a]}" for i in range(N) for a in range(A) if CELLS[i, a] >= 0]
    (tmp_path / "a.csv").write_text("\n".join(["case,annotator,label", *rows]), encoding="utf-8")
    found = []
    for words in ([], ["--ordered"]):
        main(["agreement", str(tmp_path / "a.csv"), "--n-boot", "50", "--json", *words])
        found.append(json.loads(capsys.readouterr().out)["agreement"])
    nominal = {row["coefficient"].split(" (")[0].replace("AC1", "AC2"): row for row in found[0]}
    ordinal = [(row, nominal[name]) for row in found[1] if (name := row["coefficient"].split(" (")[0]) in nominal]
    for row, its in ordinal:  # each coefficient is there with several weights
        assert row["value"] == pytest.approx(its["value"], **NEAR), row["coefficient"]
        assert row["low"] == pytest.approx(its["low"], **NEAR), row["coefficient"]
    assert {name.split()[0] for row, _ in ordinal for name in [row["coefficient"]]} >= {"percent", "Fleiss'", "Gwet's", "Krippendorff's"}


# --- grades that leave nothing to compute

SCALE = [1, 2, 3, 4, 5]
EQUAL = Ratings.from_wide([[3, 3, 3]] * 6, scale=SCALE)
ALONE = Ratings.from_wide([[1], [2], [3], [3]], scale=SCALE)


def test_equal_ratings_have_no_variation():
    refused("ratings must have cases with two different ratings, to fit a prior", ugt.truth.normal, EQUAL)
    refused("labels must use at least two grades. Got one grade, 3", ugt.annotators.graded_response, EQUAL.to_labels())
    for found in (ugt.fleiss_kappa(EQUAL.to_labels(), weights="quadratic"), ugt.krippendorff_alpha(EQUAL, level="interval")):
        assert found.reason.startswith("no variation")


def test_one_annotator_has_nobody_to_agree_with():
    refused("Got none: severity and strictness cannot be separated", ugt.annotators.graded_response, ALONE.to_labels())
    found = ugt.fleiss_kappa(ALONE.to_labels(), weights="quadratic")
    assert np.isnan(found.value) and found.reason == "no case has labels of two annotators"


@pytest.mark.parametrize("cells", [[[1, 2], [3, 5], [4, 4]], [[1, 5], [2, 2], [1, 3]]])
def test_a_reversed_scale_has_the_same_errors_and_agreement(cells):
    up, down = (Labels.from_wide(cells, ordered=order) for order in (SCALE, SCALE[::-1]))
    law = np.random.default_rng(1).dirichlet(np.ones(5), len(cells))
    for function in (
        lambda known, _: ugt.fleiss_kappa(known, weights="quadratic"),
        lambda known, _: ugt.krippendorff_alpha(known, level="interval"),
        lambda known, _: ugt.krippendorff_alpha(known, level="ordinal"),
        lambda known, _: ugt.grades.ua_absolute_error(ugt.dirichlet(known), [1, 3, 4]),
        lambda known, own: ugt.grades.ua_ranked_probability_score(ugt.dirichlet(known), own),
        lambda known, own: ugt.grades.ua_grade_wasserstein(ugt.dirichlet(known), own),
    ):
        assert function(down, law[:, ::-1]).value == pytest.approx(function(up, law).value, **NEAR)


# --- parts of the data

UP, DOWN = (Labels.from_wide(CELLS[:5], ordered=order, missing=-1) for order in ([0, 1], [1, 0]))


@pytest.mark.parametrize("metric", ["fleiss_kappa", "ua_topk_accuracy", "annotation_certainty", "ua_absolute_error"])
def test_parts_agree_on_the_order(metric):
    def state(known):
        data = (known,) if metric == "fleiss_kappa" else (ugt.dirichlet(known), SCORES[:5])[: 1 + (metric != "annotation_certainty")]
        return states.partial(metric, *data)

    assert states.merge([state(UP), state(UP)]).n_cases == 2 * state(UP).n_cases
    refused(r"states must be made with the same .*Got \[1, 0\], first at state 1", states.merge, [state(UP), state(DOWN)])
    nominal = Labels.from_wide(CELLS[:5], classes=2, missing=-1)
    refused(r"same order of the grades, \[0, 1\]\. Got None, first at state 1", states.merge, [state(UP), state(nominal)])
    again = states.State.from_json(state(UP).to_json())
    assert again.settings == state(UP).settings


def test_parts_agree_on_the_scale():
    parts = [
        states.partial("krippendorff_alpha", Ratings.from_wide([[1, 2], [2, 2]], scale=scale), level="interval", values=None)
        for scale in (SCALE, SCALE, None)
    ]
    assert states.merge(parts[:2]).n_cases == 4
    refused("states must be made with the same scale of the ratings", states.merge, parts)


def test_partitions_of_dask_have_the_order_and_the_scale():
    pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    import dask.dataframe

    import ugt.dask

    table = pandas.DataFrame({"case": [0, 0, 1, 1], "annotator": [0, 1, 0, 1], "label": [1, 3, 2, 2], "value": [1.0, 3.0, 2.0, 2.0]})
    frame = dask.dataframe.from_pandas(table.set_index("case", drop=False), npartitions=2)
    parts = [one.compute() for one in ugt.dask.labels(frame, ordered=[1, 2, 3], check=True)]
    assert [one.grades.tolist() for one in parts] == [[1, 2, 3]] * 2
    refused("classes must be given", ugt.dask.labels, frame, ordered=True)
    assert [one.compute().scale for one in ugt.dask.ratings(frame, scale="real")] == ["real"] * 2
    found = ugt.dask.compute("fleiss_kappa", ugt.dask.labels(frame, ordered=[1, 2, 3]), weights="quadratic")
    whole = Labels.from_long(table.case, table.annotator, table.label, ordered=[1, 2, 3])
    assert found.value == pytest.approx(ugt.fleiss_kappa(whole, weights="quadratic").value, **NEAR)
