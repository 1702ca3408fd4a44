"""Evaluations of grades and of ratings: rows equal those of the public functions, lower errors lead, what cannot be done is refused."""

import re

import numpy as np
import pytest
from refusals import refused

import ugt
from ugt.grades import GRADE_METRICS
from ugt.report import html
from ugt.report.sections.provenance import differences
from ugt.tables.source import ReportSource

RNG = np.random.default_rng(5)
N, GRADES = 60, np.array([1, 2, 3, 4])
SEVERITY = RNG.normal(size=N)
TABLE = (np.digitize(SEVERITY[:, None] + [-0.4, 0, 0.3] + 0.5 * RNG.normal(size=(N, 3)), [-0.8, 0, 0.8]) + 1).astype(object)
TABLE[:9, 0] = None
LABELS = ugt.Labels.from_wide(TABLE, ordered=[1, 2, 3, 4], annotators=["Ann", "Bob", "Cat"])
LAW = np.exp(-((SEVERITY[:, None] * 1.2 + 2.5 - GRADES) ** 2))
LAW /= LAW.sum(axis=1, keepdims=True)
NUMBERS = np.clip(2.5 + 0.6 * RNG.normal(size=N), 1, 4)
MODELS = {"law": LAW, "number": NUMBERS, "grade": GRADES[LAW.argmax(axis=1)]}
QUICK = {"n_resamples": 50, "k": 1, "reliability": (1, 4)}


@pytest.fixture(scope="module")
def made():
    return ugt.evaluate(LABELS, MODELS, **QUICK)


def rows(made, **wanted):
    return [row for row in made.metrics if all(row[name] == value for name, value in wanted.items())]


@pytest.mark.parametrize("reliability", [1, 4])
@pytest.mark.parametrize("metric", [one for one in GRADE_METRICS.values() if one.shown], ids=lambda one: one.name)
def test_values_are_those_of_the_functions(metric, reliability, made):
    truth = ugt.dirichlet(LABELS, reliability=reliability)
    nearest = GRADES[np.abs(NUMBERS[:, None] - GRADES).argmin(axis=1)]
    given = {**MODELS, "number": nearest if metric.name == "within_accuracy" else NUMBERS}
    found = {row["model"]: row for row in rows(made, metric=metric.name, reliability=reliability)}
    assert set(found) == set(MODELS) - (set() if metric.numbers else {"number"})
    for model, row in found.items():
        assert row["value"] == pytest.approx(metric.function(truth, given[model], values=GRADES).value, abs=1e-12), model
        assert row["case_low"] <= row["value"] <= row["case_high"]


def test_voted_least_and_one_annotator(made):
    counts = LABELS.counts().astype(float)
    away = np.abs(GRADES[:, None] - GRADES)
    truth = ugt.dirichlet(LABELS, reliability=1)
    (voted,) = rows(made, metric="voted_absolute_error", model="grade")
    votes = (counts == counts.max(axis=1, keepdims=True)) / (counts == counts.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
    own = away[MODELS["grade"] - 1]
    assert voted["value"] == pytest.approx((votes * own).sum(axis=1).mean())
    least = next(row for row in made.tables["least_error"] if row["reliability"] == 1)
    assert least["value"] == pytest.approx((truth.mean() @ away).min(axis=1).mean())
    beside = next(row for row in made.tables["next_annotator_error"] if row["model"] == "grade")
    assert beside["error"] == pytest.approx(((counts * own).sum(axis=1) / counts.sum(axis=1)).mean())
    pairs = [[abs(a - b) for i, a in enumerate(case) for b in case[:i]] for case in ([x for x in row if x is not None] for row in TABLE)]
    assert beside["annotators"] == pytest.approx(np.mean([np.mean(pair) for pair in pairs]))
    constant = next(
        r for r in made.tables["constant_answer"] if (r["model"], r["metric"], r["reliability"]) == ("law", "absolute_error", 1)
    )
    median = int(np.median([x for x in TABLE.ravel() if x is not None]))
    assert constant["answer"] == str(median)
    assert constant["value"] == pytest.approx((truth.mean() @ away[median - 1]).mean())
    assert constant["lead"] == pytest.approx(
        constant["value"] - rows(made, metric="absolute_error", model="law", reliability=1)[0]["value"]
    )


def test_the_lower_error_leads(made):
    values = {row["model"]: row for row in rows(made, metric="absolute_error", reliability=1)}
    order = sorted(values, key=lambda name: values[name]["value"])
    (winner,) = (row for row in made.winners if (row["metric"], row["reliability"]) == ("absolute_error", 1))
    assert (winner["model"], winner["runner_up"]) == tuple(order[:2])
    assert winner["margin"] == pytest.approx(values[order[1]]["value"] - values[order[0]]["value"]) and winner["margin"] > 0
    assert winner["margin_low"] <= winner["margin"] <= winner["margin_high"]
    assert values[order[0]]["best_share"] > values[order[-1]]["best_share"] == 0 and values[order[-1]]["rank_high"] == 3
    (share,) = (row for row in made.winners if (row["metric"], row["reliability"]) == ("within_accuracy", 1))
    assert share["value"] == max(row["value"] for row in rows(made, metric="within_accuracy", reliability=1))


def test_flips_say_which_model_is_better():
    """One is right where annotators agree, the other in the middle of the scale: the more the labels count, the better the first."""
    counts = np.tile([[3, 0, 0], [0, 0, 3]], (20, 1))
    labels = ugt.Labels.from_counts(counts, ordered=[0, 1, 2])
    made = ugt.evaluate(labels, {"sure": np.tile([0, 2], 20), "middle": np.full(40, 1)}, reliability=(0.05, 0.2, 5), prior=2, k=1)
    (flip,) = (row for row in made.flips if row["metric"] == "absolute_error")
    better = flip["model"] if flip["better_above"] else flip["other"]
    assert better == "sure"


def test_errors_by_grade(made):
    law = ugt.dirichlet(LABELS, reliability=4).mean()
    away = NUMBERS[:, None] - GRADES
    found = {row["grade"]: row for row in made.tables["grade_errors"] if row["model"] == "number"}
    assert list(found) == [None, "1", "2", "3", "4"]
    for grade, one in ((None, law), ("2", law * [0, 1, 0, 0])):
        total = one.sum()
        wanted = {"too_low": away < -0.5, "near": abs(away) <= 0.5, "too_high": away > 0.5, "bias": away, "error": abs(away)}
        assert found[grade]["n_expected"] == pytest.approx(total)
        for name, part in wanted.items():
            assert found[grade][name] == pytest.approx((one * part).sum() / total), (grade, name)


def test_measures_against_the_grades_that_were_given(made):
    truth = ugt.votes(LABELS, kind="mean")
    found = {(row["model"], row["metric"]): row for row in made.tables["given_grades"]}
    wanted = [one for one in GRADE_METRICS.values() if one.shown and one.numbers]
    assert set(found) == {(model, one.name) for model in MODELS for one in wanted}
    for one in wanted:
        row = found["law", one.name]
        assert row["value"] == pytest.approx(one.function(truth, LAW, values=GRADES).value, abs=1e-12), one.name
        assert row["low"] < row["value"] < row["high"] and row["n_cases"] == N
    beside = {row["model"]: row["error"] for row in made.tables["next_annotator_error"]}
    assert {model: found[model, "absolute_error"]["value"] for model in MODELS} == pytest.approx(beside)


def test_coefficients_and_their_limits(made):
    truth = ugt.dirichlet(LABELS, reliability=4)
    found = {(row["model"], row["metric"]): row for row in made.tables["coefficients"]}
    assert len(found) == len(MODELS) * 5
    for metric in ("weighted_kappa", "spearman", "kendall", "concordance"):
        one = GRADE_METRICS[metric].function(truth, NUMBERS, values=GRADES, predictions_are="numbers")
        row = found["number", metric]
        for name in ("value", "human", "ceiling"):
            assert row[name] == pytest.approx(getattr(one, name), abs=1e-9), (metric, name)
            assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]


def test_every_cut(made):
    truth = ugt.dirichlet(LABELS, reliability=4)
    found = {(row["model"], row["cut"]): row for row in made.tables["cuts"]}
    losses = ugt.grades.calibration_at_cuts(LABELS, LAW)
    for model, predictions in MODELS.items():
        areas = ugt.grades.ua_auroc_at_cuts(truth, predictions, values=GRADES).per_class
        for cut, (grade, area, loss) in enumerate(zip("123", areas, losses)):
            row = found[model, grade]
            assert row["auroc"] == pytest.approx(area) and row["auroc_low"] < area < row["auroc_high"]
            assert row["share"] == pytest.approx(truth.mean()[:, cut + 1 :].sum(axis=1).mean())
            assert (row["cl"] is None) == (model != "law")
            if model == "law":
                assert row["cl"] == pytest.approx(loss.cl.debiased) and row["cl_low"] <= row["cl"] <= row["cl_high"]
    assert len(found) == 3 * len(MODELS)


def test_the_page_has_cuts_limits_and_given_grades(made):
    page = html(made.to_dict())
    for title in ("The same measures against the grades that annotators gave", "Coefficients and their limits", "Every cut of the scale"):
        assert title in page


def test_the_page_shows_coefficients_of_grades(made):
    """The table has six of eighteen: those that count how far grades lie apart."""
    page = html(made.to_dict())
    assert "6 of 18 coefficients, agreement.csv has all" in page
    for name in ("percent agreement", "kappa (quadratic)", "AC2 (quadratic)", "alpha (ordinal)", "alpha (interval)"):
        assert re.search(rf"<th scope=\"row\"><bdi>[^<]*{re.escape(name)}</bdi>", page), name
    assert "kappa (ordinal)</bdi>" not in page


def test_a_long_scale_has_no_table_of_cuts():
    labels = ugt.Labels.from_wide(np.arange(60).reshape(20, 3) % 23, ordered=list(range(23)))
    found = ugt.evaluate(labels, {"one": np.arange(20)}, **{**QUICK, "reliability": 1})
    assert len(found.tables["cuts"]) == 0
    assert any(note.startswith("The scale has 22 cuts") for note in map(str, found.notes))


def test_the_constant_answer_has_the_name_of_a_grade():
    made = ugt.evaluate(WORDS, {"one": np.array(["mild", "severe", "moderate"] * 17)}, **QUICK)
    assert {row["answer"] for row in made.tables["constant_answer"] if row["metric"] == "absolute_error"} == {"moderate"}


def test_graded_response_is_a_law_of_one_grade_and_says_who_is_strict():
    fit = ugt.annotators.graded_response(LABELS)
    made = ugt.evaluate(LABELS, {"law": LAW}, aggregation="graded-response", **{**QUICK, "reliability": None})
    (certainty,) = (row for row in made.certainty if row["k"] == 1)
    assert certainty["value"] == pytest.approx(fit.plausibilities.mean().max(axis=1).mean(), abs=1e-9)
    (error,) = rows(made, metric="absolute_error")
    assert error["value"] == pytest.approx(ugt.grades.ua_absolute_error(fit.plausibilities, LAW, values=GRADES).value, abs=1e-9)
    strict = made.tables["strictness"]
    assert {row["annotator"]: row["leniency"] for row in strict} == pytest.approx(dict(zip(fit.annotators.tolist(), fit.leniency.tolist())))
    assert strict["leniency"] == sorted(strict["leniency"], reverse=True)
    assert "Who is strict" in html(made.to_dict())


def test_ratings_on_a_real_scale():
    ratings = ugt.Ratings.from_wide(50 + 10 * SEVERITY[:, None] + RNG.normal(0, 4, (N, 3)), scale="real")
    model = 50 + 8 * SEVERITY
    made = ugt.evaluate(ratings, {"one": (np.arange(N)[::-1], model[::-1])}, reliability=(1, 2), n_resamples=50)
    for reliability in (1, 2):
        truth = ugt.truth.normal(ratings, reliability=reliability)
        for metric in ("absolute_error", "weighted_kappa"):
            (row,) = rows(made, metric=metric, reliability=reliability)
            assert row["value"] == pytest.approx(GRADE_METRICS[metric].function(truth, model).value)
    (voted,) = rows(made, metric="voted_absolute_error")
    assert voted["value"] == pytest.approx(np.abs(model - ratings.means()).mean())
    beside = made.tables["next_annotator_error"][0]
    table = ratings.value.reshape(N, 3)
    assert beside["error"] == pytest.approx(np.abs(model[:, None] - table).mean())
    assert beside["annotators"] == pytest.approx(np.mean([np.abs(table[:, a] - table[:, b]).mean() for a, b in ((0, 1), (0, 2), (1, 2))]))
    assert any(name.startswith("ICC") for name in made.agreement["coefficient"]) and made.certainty.columns
    assert any("have no classes" in note for note in map(str, made.notes))
    assert ugt.evaluate(ratings, {}, n_resamples=20).data["n_classes"] == 0
    html(ugt.evaluate(ratings, {}, n_resamples=20).to_dict())


def test_a_finite_scale_is_ordered_labels():
    ratings = ugt.Ratings.from_wide([[None if x is None else float(x) for x in row] for row in TABLE], scale=[1, 2, 3, 4])
    found, wanted = (
        ugt.evaluate(one, {"number": NUMBERS}, details=False, **QUICK).metrics
        for one in (ratings, ugt.Labels.from_wide(TABLE, ordered=True))
    )
    assert [row["value"] for row in found] == [row["value"] for row in wanted]


WORDS = ugt.Labels.from_wide(
    np.array(["mild", "moderate", "severe", "severe"])[TABLE[9:].astype(int) - 1], ordered=["mild", "moderate", "severe"]
)
REAL, PLAIN = ugt.Ratings.from_wide([[1, 2], [3, 5]], scale="real"), ugt.Labels.from_wide(TABLE)
NAMELESS = ugt.Labels.from_counts([[1, 2]], ordered=[1, 2])


@pytest.mark.parametrize(
    ("message", "annotations", "prediction", "options"),
    [
        ("annotations must have a stated scale: scale=", ugt.Ratings.from_wide([[1, 2], [3, 3]]), [1.5, 2], {}),
        ("Got the numbers 1, 1.5, 2", ugt.Ratings.from_wide([[1, 1.5], [1.5, 2]]), [1.5, 2], {}),
        ("k must be left out with ratings on a real scale", REAL, [1.5, 2.5], {"k": 1}),
        ("model 'A': predictions must be one number per case for ratings", REAL, [[0.5, 0.5]] * 2, {}),
        ("aggregation must be 'auto' or 'normal' for ratings", REAL, [1.5, 2.5], {"aggregation": "votes"}),
        ("aggregation must be another one: 'normal' is for ratings", LABELS, LAW, {"aggregation": "normal"}),
        ("annotations must be ordered for the aggregation 'graded-response'", PLAIN, LAW, {"aggregation": "graded-response"}),
        ("be labels with their annotators", NAMELESS, [[0.5, 0.5]], {"aggregation": "graded-response"}),
        ("model 'A': predictions_are must be given", WORDS, [0.0, 1.0, 2.0] * 17, {}),
        ("predictions_are must be left out unless labels are ordered", PLAIN, LAW, {"predictions_are": "numbers"}),
        ("scores must be a table", PLAIN, NUMBERS, {}),
        ("annotations must have at least two grades", ugt.Labels.from_wide([["a", "a"]], ordered=["a"]), [[1.0]], {}),
    ],
)  # fmt: skip
def test_refused_with_the_way_on(message, annotations, prediction, options):
    refused(message, ugt.evaluate, annotations, {"A": prediction}, **options)


@pytest.mark.parametrize(
    ("kind", "numbers"), [("positions", [0, 1, 2] * 17), ("numbers", [1, 2, 3] * 17), ("numbers", [1.5, 2.2, 3.9] * 17)]
)
def test_what_numbers_are_can_be_said(kind, numbers):
    made = ugt.evaluate(WORDS, {"A": np.array(numbers, float)}, predictions_are=kind, details=False, **QUICK)
    wanted = np.array(numbers) + (1 if kind == "positions" else 0)
    (row,) = rows(made, metric="absolute_error", reliability=1)
    truth = ugt.dirichlet(WORDS, reliability=1)
    assert row["value"] == pytest.approx(ugt.grades.ua_absolute_error(truth, wanted, values=[1, 2, 3], predictions_are="numbers").value)


@pytest.mark.parametrize("name", ["prediction", "severity", "value", "anything"])
def test_a_file_of_one_number_per_case(name, tmp_path):
    path = tmp_path / "model.csv"
    path.write_text(f"case,{name}\n" + "".join(f"{i},{x!r}\n" for i, x in enumerate(NUMBERS.tolist())), encoding="utf-8")
    from ugt.io.beside import prediction_file

    (found,) = prediction_file(path, LABELS.axes.classes, on_scale=True).models.values()
    assert found.numbers and np.array_equal(found.scores[:, 0], NUMBERS)
    path.write_text(f"case,{name}\n" + "".join(f"{i},{x}\n" for i, x in enumerate(MODELS["grade"].tolist())), encoding="utf-8")
    (found,) = prediction_file(path, LABELS.axes.classes, on_scale=True).models.values()
    assert found.labels and not found.numbers


def test_rounded_probabilities_are_probabilities():
    """A file with three decimals adds up to .999 or 1.001; before, the measures of grades took its first choice."""
    rounded = LAW.round(3)
    assert np.abs(rounded.sum(axis=1) - 1).max() > 1e-6
    made = ugt.evaluate(LABELS, {"law": rounded}, **QUICK)
    assert "The probabilities of law (3 decimals) are rounded: those of each case were divided by their sum." in made.data["joined"]
    whole = ugt.evaluate(LABELS, {"law": rounded / rounded.sum(axis=1, keepdims=True)}, **QUICK)
    assert list(made.metrics) == list(whole.metrics)
    assert list(made.calibration) == list(whole.calibration)
    assert len(made.calibration) > 0
    other = ugt.evaluate(LABELS, {"law": rounded * 1.1}, **QUICK)  # no rounding of probabilities adds up to 1.1
    assert any("are not probabilities of the grades" in note for note in map(str, other.notes))


def test_a_constant_answer_has_no_order(made):
    known = {row["metric"] for row in made.tables["references"] if row["reference"] == "always the median"}
    assert "absolute_error" in known
    assert not known & {"spearman", "auroc_at_cuts"}


ALONE = np.where(np.arange(3) == np.arange(30)[:, None] % 3, np.arange(30)[:, None] % 4, -1)  # each case has one annotator


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("labels", "options", "why"),
    [
        (ugt.Labels.from_wide(np.full((20, 3), 2), ordered=[0, 1, 2]), {}, "use at least two grades. Got one grade, 2."),
        (ugt.Labels.from_wide(ALONE, missing=-1, ordered=[0, 1, 2, 3]), {}, "have a case that two annotators labelled"),
        (
            ugt.Labels.from_wide(TABLE[9:, :2], ordered=[1, 2, 3, 4], annotators=["Ann", "Bob"]), {"aggregation": "graded-response"},
            "annotator dropped (Bob) was not computed: for the graded-response model labels must have a case that two annotators",
        ),
    ],
)  # fmt: skip
def test_labels_that_determine_no_strictness_are_evaluated(labels, options, why):
    """The graded-response model is one of the settings of sensitivity; labels that it cannot take stopped the whole evaluation."""
    made = ugt.evaluate(labels, {"one": np.eye(labels.n_classes)[np.arange(labels.n_cases) % labels.n_classes]}, n_resamples=20, **options)
    assert any(why in note for note in map(str, made.notes))
    assert len(made.tables["sensitivity"]) > 0
    html(made.to_dict())


@pytest.mark.parametrize(
    ("scale", "departs"),
    [
        ("mild, moderate, severe", False), ("Mild < moderate<severe", False), (["mild", "moderate", "severe"], False),
        ("as in the protocol", False), ("severe, moderate, mild", True), ("mild, severe", True), ("real", True),
    ],
)  # fmt: skip
def test_the_scale_of_a_plan_is_compared_with_the_run(scale, departs):
    model = {"one": np.array(["mild", "severe", "moderate"] * 17)}
    found = ugt.evaluate(WORDS, model, plan={"scale": scale}, details=False, n_resamples=20).to_dict()
    assert differences(ReportSource.read(found)) == ["scale"] * departs
    assert "mild &lt; moderate &lt; severe" in html(found)


def test_numbers_of_a_planned_scale_are_numbers():
    made = ugt.evaluate(LABELS, MODELS, plan={"scale": "1.0; 2; 3; 4"}, details=False, **QUICK)
    assert differences(ReportSource.read(made.to_dict())) == []
    ratings = ugt.evaluate(REAL, {"one": [1.0, 2.0]}, plan={"scale": "real"}, n_resamples=20).to_dict()
    assert ratings["data"]["scale"] == "real" and differences(ReportSource.read(ratings)) == []


def test_probabilities_with_six_decimals_are_probabilities():
    """Three of them may add up to 1.000001, which was taken for no probabilities, with a sum that is a little above that."""
    law = np.where(LAW.max(axis=1, keepdims=True) == LAW, 1 / 2, 1 / 6).round(6)
    assert np.abs(law.sum(axis=1) - 1).max() > 1e-6
    made = ugt.evaluate(LABELS, {"law": law}, details=False, **QUICK)
    assert "The probabilities of law (6 decimals) are rounded" in made.data["joined"]
    assert not any("are not probabilities of the grades" in note for note in map(str, made.notes))
    assert rows(made, metric="ranked_probability_score", model="law")


def test_scores_that_are_no_probabilities_are_a_caution_of_the_first_page():
    page = html(ugt.evaluate(LABELS, {"law": LAW * 2, "other": LAW * 3}, **QUICK).to_dict())
    first = page[: page.index('id="errors"')]
    assert "Scores that are no probabilities" in first and "use its first choice. The notes have 1 more of this kind." in first


def test_every_coefficient_has_its_limits(made):
    table, truth = made.tables["coefficients"], ugt.dirichlet(LABELS, reliability=4)
    assert {row["metric"] for row in table} == {"weighted_kappa", "linear_kappa", "spearman", "kendall", "concordance"}
    (row,) = (row for row in table if (row["model"], row["metric"]) == ("law", "linear_kappa"))
    found = ugt.grades.ua_weighted_kappa(truth, LAW, weights="linear")
    assert [row[name] for name in ("value", "human", "ceiling")] == pytest.approx([found.value, found.human, found.ceiling], abs=1e-12)
    assert row["value_low"] < row["value"] < row["value_high"] and row["ceiling_low"] is None
    assert "Linear kappa" in html(made.to_dict())


def test_infinite_errors_of_ratings_are_said_or_refused():
    """A prior with a small shape: before, an evaluation of such ratings ended in an error about kappa or about contributions."""
    ratings = ugt.Ratings.from_wide(np.random.default_rng(0).normal(size=(30, 2)), scale="real")
    x = np.linspace(-1, 1, 30)
    made = ugt.evaluate(ratings, {"a": x, "b": -x}, prior=(0, 1, 0.7, 1), reliability=(0.2, 2), n_resamples=50)
    assert [row["reliability"] for row in rows(made, metric="squared_error", model="a")] == [2]
    kappa = {row["reliability"]: row["value"] for row in rows(made, metric="weighted_kappa", model="a")}
    assert np.isnan(kappa[0.2]) and np.isfinite(kappa[2])
    said = " ".join(map(str, made.notes))
    assert "Mean squared error at reliability 0.2: not computed, as new ratings have an infinite variance in 30 of 30 cases." in said
    assert "Quadratic kappa of model 'a' at reliability 0.2: undefined: a new rating has an infinite variance" in said
    assert "Quadratic kappa" in html(made.to_dict())
    options = {"prior": (0, 1, 0.2, 1), "reliability": 0.2, "n_resamples": 50}
    message = r"reliability must leave new ratings a finite expected distance .* Got an infinite one at 0\.2, in 30 of 30 cases"
    refused(message, ugt.evaluate, ratings, {"a": x}, **options)


def test_only_numbers_between_grades_are_taken_to_the_nearest():
    labels = ugt.Labels.from_wide([["lo", "lo"], ["hi", "hi"], ["lo", "hi"]], ordered=["lo", "hi"])
    for given, kind, said in (([0, 1, 1], "positions", False), ([1.2, 1.5, 2.0], None, True)):
        made = ugt.evaluate(labels, {"a": given}, predictions_are=kind, k=1, reliability=1, n_resamples=20)
        assert any("the nearest grades" in note for note in map(str, made.notes)) == said


def test_equal_labels_say_nothing_of_the_order_of_rows():
    equal = ugt.Labels.from_wide([[2, 2, 2]] * 30, ordered=[1, 2, 3])
    choices = np.random.default_rng(0).integers(1, 4, 30)
    made = ugt.evaluate(equal, {"a": choices}, k=1, reliability=1, n_resamples=20)
    assert not any("by chance" in note for note in map(str, made.notes))


def test_missing_numbers_name_the_case_alone():
    ratings = ugt.Ratings.from_wide([[0.5, 1.5], [2.0, 2.5]], scale="real")
    refused(r"Got nan, first at case 1\.$", ugt.evaluate, ratings, {"a": [1.0, np.nan]})


def test_strictness_and_limits_of_the_annotators_of_grades(made):
    """Without the graded-response model, too; before, the report had both for ratings on a real scale or not at all."""
    found = ugt.agreement.annotator_strictness(LABELS).table()
    table = made.tables["strict_annotators"]
    assert [(row["annotator"], row["strictness"], row["joint_low"]) for row in table] == [
        (row["annotator"], row["strictness"], row["joint_low"]) for row in found
    ]
    limits = {(row["first"], row["second"]): row for row in made.tables["limits"]}
    pairs = ugt.humans.bland_altman(LABELS, level=1 - 0.05 / 3).pairs
    assert [(one.first, one.second) for one in pairs] == [("Ann", "Bob"), ("Ann", "Cat"), ("Bob", "Cat")]
    for one in pairs:
        row = limits[one.first, one.second]
        assert (row["bias"], row["lower"], row["bias_low"], row["upper_high"]) == (
            one.bias, one.lower, one.bias_interval[0], one.upper_interval[1],
        )  # fmt: skip
    model = ugt.humans.bland_altman(LABELS, NUMBERS, level=1 - 0.05 / 3).pairs[-1]
    assert limits["number", "all annotators"]["bias"] == model.bias
    page = html(made.to_dict())
    assert "Differences of two grades of a case" in page and "Each annotator less the others, in the same cases" in page
    highest, lowest = table[0]["annotator"], table[-1]["annotator"]
    named = [f"<b><bdi>{name}</bdi></b> gives {word} grades than the others" for name, word in ((highest, "higher"), (lowest, "lower"))]
    assert "; ".join(named) + " in the same cases (" in page
    many = ugt.Labels.from_wide(np.tile(TABLE, (1, 5)).tolist(), ordered=[1, 2, 3, 4], annotators=list("abcdefghijklmno"))
    page = html(ugt.evaluate(many, {"number": NUMBERS}, **QUICK).to_dict())  # too many annotators for a row for each pair
    assert 'id="limits"' in page and "Each annotator less the others" in page and "Differences of two grades" not in page
    counted = ugt.evaluate(ugt.Labels.from_counts(LABELS.counts(), ordered=[1, 2, 3, 4]), MODELS, **QUICK)
    assert len(counted.tables["limits"]) == len(counted.tables["strict_annotators"]) == 0
