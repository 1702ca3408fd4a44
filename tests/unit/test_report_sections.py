"""What holds for every appendix of the report: whole, harmless, with the numbers of the record, and not there where it has none."""

import functools
import re
from pathlib import Path

import numpy as np
import pytest
from twins.page import Page, checked, parsed, rows_of, words_of

import ugt
from ugt.report import html
from ugt.report.digits import Digits
from ugt.report.lead import Lead
from ugt.report.markup import words
from ugt.report.sections import (
    assumptions,
    calibration,
    comparison,
    confusion,
    coverage,
    curves,
    dependence,
    design,
    difficulty,
    measures,
    methods,
    people,
    performance,
    planning,
    scores,
    true_accuracy,
)
from ugt.tables.names import PERFECT
from ugt.tables.source import ReportSource

HOSTILE = '<script>"x"&'
EVERY = {performance, comparison, confusion, curves, calibration, coverage, true_accuracy, design, planning}


@functools.cache
def source(n_models=2, n_classes=3, name="", n=80, reliability=(0.5, 1, 2)):
    """Labels with gaps by three annotators, all of whose names begin with ``name``."""
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(n_classes), n)
    classes = [f"{name}{k}" for k in range(n_classes)]
    label = [[classes[i] if rng.random() < 0.9 else None for i in rng.choice(n_classes, 3, p=p)] for p in truth]
    known = ugt.Labels.from_wide(label, annotators=[f"{name}{a}" for a in "xyz"], classes=classes)
    scores = {f"{name}M{j}": 0.7 * truth + 0.3 * rng.dirichlet(np.ones(n_classes), n) for j in range(n_models)}
    return ugt.evaluate(known, scores, reliability=reliability, k=1, n_resamples=50).to_dict()


def not_refuted(data):
    """The evaluation as if held-out annotators did not refute its truth, without which nothing is said of the most that it allows."""
    return {**data, "panel_check": [{**e, "p_value": 0.5} for e in data["panel_check"]]}


def there(data):
    return {section for section in EVERY if section.render(ReportSource.read(data)) is not None}


@pytest.mark.parametrize("section", [calibration, confusion, coverage, dependence])
def test_tables_say_of_how_many_models_they_are(section):
    said = [
        text
        for text in re.findall(r"<small>(.*?)</small>", section.render(ReportSource.read(source(6))).html, re.S)
        if "of 6 models" in text
    ]
    assert said and all(text.count("; the first 4 of 6 models") == 1 for text in said)
    assert " models" not in "".join(re.findall(r"<small>(.*?)</small>", section.render(ReportSource.read(source(4))).html, re.S))


@pytest.mark.parametrize(
    ("given", "left_out"),
    [
        ((2, 3), {comparison}),  # one pair has a section of its own
        ((3, 3), set()),
        ((1, 2), {comparison, confusion, curves}),  # the first page has both classes and the area
        ((2, 2), {comparison, curves}),
        ((2, 3, "", 80, 1), {comparison, performance}),  # one reliability: the table of measures has all
        ((0, 3), EVERY - {design, planning}),
    ],
)
def test_sections_are_there_only_with_content(given, left_out):
    assert there(source(*given)) == EVERY - left_out


def test_no_section_has_an_empty_table():
    for given in ((2, 3), (1, 2), (0, 2), (9, 8)):
        for table in parsed("".join(re.findall(r"<table.*?</table>", html(source(*given)), re.S))).iter("table"):
            assert len(list(table.find("tbody").iter("tr"))) > 0 and words_of(table.find("caption"))


@pytest.mark.parametrize("section", sorted(EVERY, key=lambda one: one.__name__), ids=lambda one: one.__name__)
def test_names_are_harmless(section):
    given = source(3, 3, HOSTILE)
    found = checked(section.render(ReportSource.read(given)))
    assert "&lt;script&gt;" in found or section is planning
    assert words_of(parsed(found)).count(HOSTILE) or section is planning


def percent(digits, e, value, low, high):
    return f"{100 * e[value]:.{digits}f}{100 * e[low]:.{digits}f} to {100 * e[high]:.{digits}f}".replace("-", "−")


def halves(entries, low, high):
    found = sorted(e[high] - e[low] for e in entries if e[low] is not None)
    width = (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2
    return 0 if width > 0.1 else 1 if width >= 0.01 else 2


def test_measures_have_the_numbers_of_the_record():
    data = source()
    found = [e for e in data["metrics"] if e["metric"] == "topk_accuracy"]
    digits = halves(found, "case_low", "case_high")
    rows = {row[0]: row[1:] for row in rows_of(performance.render(ReportSource.read(data)), "All measures")}
    for model in data["models"]:
        own = [e for e in found if e["model"] == model]
        voted = [e for e in data["metrics"] if e["model"] == model and e["metric"] == "voted_accuracy"]
        assert rows[f"UA top-1 accuracy, {model}"] == [percent(digits, e, "value", "case_low", "case_high") for e in (*own, *voted)]
    simulated = {**data, "metrics": [{**e, "mc_error": 0.00123} for e in data["metrics"]]}
    assert "Monte Carlo standard error at most 0.12 points" in performance.render(ReportSource.read(simulated)).html


def test_classes_have_the_numbers_of_the_record_and_the_commonest_come_first():
    data = source()
    rows = rows_of(confusion.render(ReportSource.read(data)), "Positive percent agreement by class")[1:]
    best = [row[0] for row in rows]
    expected = {e["class"]: e["n_expected"] for e in data["class_agreement"] if e["model"] == "M0"}
    assert best == sorted(expected, key=lambda name: -expected[name])
    digits = halves(data["class_agreement"], "ppa_low", "ppa_high")
    leading = rows_of(confusion.render(ReportSource.read(data)), "Positive")[0][2]
    for name, n, first, _ in rows:
        e = next(e for e in data["class_agreement"] if (e["model"], e["class"]) == (leading, name))
        assert (n, first) == (f"{e['n_expected']:.0f}", percent(digits, e, "ppa", "ppa_low", "ppa_high"))
    wrong = max((e for e in data["confusion"] if e["truth"] != e["predicted"]), key=lambda e: e["n"])
    said = words_of(parsed(difficulty.render(ReportSource.read(data)).html))
    assert f"“{wrong['truth']}” taken for “{wrong['predicted']}” by {wrong['model']}, concerns about {wrong['n']:.0f} of 80 cases" in said
    assert "confusion" not in difficulty.render(ReportSource.read(source(2, 2))).html


@pytest.mark.parametrize(
    ("section", "caption", "table", "value"),
    [
        (curves, "Areas under", "curve_scores", ("soft_auroc", "soft_auroc_low", "soft_auroc_high")),
        (calibration, "Debiased losses", "calibration", ("debiased", "low", "high")),
    ],
)
def test_proportions_have_the_digits_of_their_intervals(section, caption, table, value):
    data = source()
    made = section.render(ReportSource.read(data))
    cells = {cell for row in rows_of(made, caption)[1:] for cell in row[1:]}
    known = [e for e in data[table] if e.get("class") is None or table == "curve_scores"]
    shown = [e for e in known if e.get("loss") in (None, *calibration._MEANINGS)]
    digits = Digits.proportion((e[value[1]], e[value[2]]) for e in shown)
    assert digits.decimals in (2, 3) and shown
    for e in shown:
        ends = "" if e[value[1]] is None else digits.ends(e[value[1]], e[value[2]])
        assert " ".join(parsed(f"{digits.value(e[value[0]])}{ends}").text.split()) in cells
    assert f"{table}.csv" in made.html


def test_prediction_sets_that_hold_everything_are_one_sentence():
    data = source()
    rows = rows_of(coverage.render(ReportSource.read(data)), "Coverage and size")[1:]
    assert [row[0] for row in rows] == [f"{score}, {level}" for score in ("LAC", "APS") for level in ("80%", "90%", "95%")]
    first = data["set_coverage"][0]
    assert rows[0][2] == f"{first['mean_size']:.2f}" and rows[0][1].startswith(f"{100 * first['coverage']:.0f}")
    full = {**data, "set_coverage": [{**e, "mean_size": 3.0} for e in data["set_coverage"]]}
    assert (
        "not informative: they hold all 3 classes" in coverage.render(ReportSource.read(full)).html
        and "<table" not in coverage.render(ReportSource.read(full)).html
    )


def test_annotators_are_listed_if_they_are_few():
    data = source()
    rows = rows_of(design.render(ReportSource.read(data)), "Annotators one by one")
    assert rows[0] == ["annotator", "cases", "agreement with others, %", "discrepancy ratio"] and [row[0] for row in rows[1:]] == list(
        "xyz"
    )
    assert [row[1] for row in rows[1:]] == [str(e["n_cases"]) for e in data["annotators"]]
    assert design.render(ReportSource.read({**data, "annotators": data["annotators"] * 7})) is None
    bare = {**data, "humans": [], "annotators": [{**e, "agreement": None} for e in data["annotators"]]}
    assert rows_of(design.render(ReportSource.read(bare)), "Annotators")[0] == ["annotator", "cases"]


def test_all_pairs_of_more_than_two_models():
    data = source(3)
    rows = rows_of(comparison.render(ReportSource.read(data)), "Differences of models")[1:]
    assert len(rows) == 3
    e = {(e["model"], e["other"]): e for e in data["differences"] if e["metric"] == "topk_accuracy" and e["reliability"] == 1}
    first, second = rows[0][0].split(" − ")
    sign, row = (1, e[first, second]) if (first, second) in e else (-1, e[second, first])
    assert float(rows[0][1].replace("−", "-")) == pytest.approx(100 * sign * row["difference"], abs=0.51)


def test_diagnostics_are_listed():
    quantities = ("R-hat", 1.0421), ("effective draws", 2.0), ("draws", 1234.0), ("none", None)
    entries = [{"reliability": 2.5, "quantity": name, "value": value} for name, value in quantities]
    made = assumptions.render(ReportSource.read({**source(), "diagnostics": entries}))
    assert [row[2] for row in rows_of(made, "Diagnostics")[1:]] == ["1.042", "2", "1,234", "undefined"]
    assert "Markov" not in assumptions.render(ReportSource.read(source())).html


def test_the_page_is_small_and_does_not_grow_with_the_square_of_the_classes():
    sizes = {k: len(html(source(2, k, "a class with a name ", 200)).encode()) for k in (8, 30, 60)}
    assert max(sizes.values()) <= 100_000 and sizes[60] - sizes[30] < sizes[30] - sizes[8]


@pytest.mark.parametrize(
    ("value", "intervals", "shown"),
    [
        (0.5, [(0.4, 0.6)], "0.50"), (0.5482, [(0.53, 0.566)], "0.548"), (0.04831, [(0.042, 0.054)], "0.048"), (0.0001, [], "&lt;0.01"),
        (-0.0001, [(0, 0.02)], "&gt;−0.001"), (-0.25, [], "−0.25"), (0.99999, [], "&gt;0.99"), (1.5, [], "1.50"), (None, [], "–"),
        (-1e-17, [], "0.00"), (1e-16, [(0.4, 0.6)], "0.00"),
    ],
)  # fmt: skip
def test_digits_of_proportions(value, intervals, shown):
    assert Digits.proportion(intervals).value(value) == shown


@pytest.mark.parametrize("reference", [methods.STUTZ, methods.MIMORI, methods.LOVCHINSKY, methods.SOFT])
def test_references_to_paste_are_those_of_the_citation_file(reference):
    """Once one had a wrong word in its title and another an author of no such paper."""
    path = Path(__file__).parents[2] / "CITATION.cff"
    entries = path.read_text(encoding="utf-8").split("  - type: ")[1:]
    listed = [
        (re.search('title: "(.*)"', one)[1], re.search("family-names: ([^,]+)", one)[1], re.search("year: (.*)", one)[1]) for one in entries
    ]
    reference = words(reference)
    (title,) = [one for one in listed if one[0].lower() in reference.lower()]
    assert reference.startswith(f"{title[1]} ") and title[2] in reference


@pytest.mark.parametrize("n_models", [1, 2])
def test_scores_of_two_classes_have_their_curve_their_ceiling_and_their_calibration(n_models):
    data = not_refuted(source(n_models, 2))
    made = scores.render(ReportSource.read(data))
    refuted = {**data, "panel_check": [{**e, "p_value": 0.04} for e in data["panel_check"]]}
    assert "can exceed" not in words_of(parsed(scores.render(ReportSource.read(refuted)).html))
    text = words_of(parsed(made.html))
    model = next(row[0] for row in rows_of(made, "Points of the ROC curves")[1:])
    area = next(e for e in data["curve_scores"] if e["model"] == model)
    best = next(e for e in data["references"] if (e["metric"], e["reliability"]) == ("soft_auroc", 1) and e["reference"] == PERFECT)
    assert f"The scores of {model} reach an area of {area['soft_auroc']:.2f}, where no score can exceed {best['value']:.2f}" in text
    at = next(e for e in data["curves"] if (e["model"], e["curve"], e["kind"], e["x"]) == (model, "roc", "soft", 0.2))
    assert rows_of(made, "Points")[1][2] == f"{100 * at['y']:.0f} ({100 * at['low']:.0f} to {100 * at['high']:.0f})"
    roc, calibration_plot = parsed(made.html).iter("figure")
    assert len([e for e in roc.iter("polygon")]) == n_models and calibration_plot.get("id") == "calibration-plot"
    bins = [e for e in data["reliability_bins"] if e["class"] == "1" and not e["few"]]
    outside = sum(e["low"] > e["mean_probability"] or e["high"] < e["mean_probability"] for e in bins)
    assert f"{outside or 'every'}" in text and len([e for e in calibration_plot.iter("use")]) == len(bins)
    assert scores.render(ReportSource.read(source(2, 3))) is None and scores.render(ReportSource.read({**data, "curves": []})) is None


def test_errors_of_one_model_and_two_classes_are_natural_frequencies():
    data = source(1, 2)
    made = measures.render(ReportSource.read(data))
    n = {(e["truth"], e["predicted"]): e["n"] for e in data["confusion"]}
    rows = rows_of(made, "Of 100 such cases")[1:]
    of_100 = {(truth, said): int(row[i]) for said, row in zip("10", rows) for i, truth in ((1, "1"), (2, "0"))}
    assert sum(of_100.values()) == 100 and all(abs(of_100[key] - 100 * value / sum(n.values())) < 1 for key, value in n.items())
    assert [row[1:3] for row in rows] == [[str(of_100["1", said]), str(of_100["0", said])] for said in "10"]
    missed = of_100["1", "0"]
    assert f"Of {missed + of_100['1', '1']} cases “1” in 100 the model gives {missed} the other class" in words_of(parsed(made.html))
    assert measures.render(ReportSource.read(source(1, 3))) is None  # the first page has all of it


def test_a_ceiling_has_the_decimals_of_the_values_that_it_limits():
    # The model always has the voted label: without a spread, and with the ceiling itself.
    labels = ugt.Labels.from_wide([["a", "a", "ab"[i % 20 == 0]] for i in range(500)], classes=["a", "b"])
    data = ugt.evaluate(labels, {"m": np.tile([0.8, 0.2], (500, 1))}, reliability=1, k=1, n_resamples=50, positive_class="b").to_dict()
    for row in rows_of(difficulty.render(ReportSource.read(data)), "By certainty")[1:]:
        assert row[2] == row[3] and len(row[2]) == 4  # 74.1 and 99.3


def test_tables_of_few_cases_say_so():
    data = source(1, 3)
    few = {**data, "class_agreement": [{**e, "ppa_low": None, "ppa_high": None} for e in data["class_agreement"]]}
    cells = [row[2] for row in rows_of(confusion.render(ReportSource.read(few)), "Positive percent")[1:]]
    assert cells and all(one.endswith("too few for an interval") for one in cells)
    clusters = ugt.evaluate(
        ugt.Labels.from_wide([["a", "a"], ["a", "b"]] * 20, classes=["a", "b"]), {"m": np.tile([0.6, 0.4], (40, 1))},
        clusters=[i // 20 for i in range(40)], reliability=1, k=1, n_resamples=20, positive_class="b",
    ).to_dict()  # fmt: skip
    assert "no intervals: too few clusters" in rows_caption(difficulty.render(ReportSource.read(clusters)), "By certainty")


def rows_caption(section, start):
    return next(words for e in parsed(section.html).iter("caption") if (words := words_of(e)).startswith(start))


def test_captions_say_which_numbers_have_intervals():
    assert "95% intervals of soft areas" in rows_caption(curves.render(ReportSource.read(source(2, 3))), "Areas under")


def test_sizes_have_two_digits_and_the_words_of_what_is_0():
    e = {**source(1)["study_size"][0], "var_cases": 0.0285, "var_annotators": 0.0, "width": 0.3623, "width_twice_cases": 0.08321}
    said = words_of(parsed(planning.render(ReportSource.read({**source(1), "study_size": [e]})).html))
    assert "0.17 between cases, 0 between annotators" in said and "interval 0.36 wide" in said and "would make it 0.083" in said
    few = {**source(1), "data": {**source(1)["data"], "n_clusters": 2}}
    assert "There are too few clusters: these numbers are rough." in words_of(parsed(planning.render(ReportSource.read(few)).html))


def test_one_annotator_is_not_compared_with_others():
    labels = ugt.Labels.from_wide([["abc"[i % 3]] for i in range(60)], annotators=["x"], classes=["a", "b", "c"])
    data = ugt.evaluate(labels, {"m": np.eye(3)[np.arange(60) % 2]}, reliability=1, k=1, n_resamples=50).to_dict()
    said = words_of(parsed(people.render(ReportSource.read(data)).html))
    assert "m agrees with the only annotator in 33% of cases" in said and "annotators with each other" not in said


def test_equal_numbers_of_annotations_are_one_number():
    labels = ugt.Labels.from_wide([["a", "b", "a"]] * 30, classes=["a", "b"])
    found = ugt.evaluate(labels, {}, reliability=1, k=1, n_resamples=20).to_dict()
    assert "Annotations per case3 each" in Page(html(found)).text and "3 to 3" not in html(found)


def test_files_are_described_by_what_they_hold():
    said = Page(html(source(1, 3))).text
    assert "differences of all pairs" not in said and "Markov chains" not in said and "differences of two ratings" not in said
    assert "what equal annotations leave open" in said and "differences of all pairs" in Page(html(source(2, 3))).text


def test_a_constant_model_has_the_areas_of_the_constant_answer():
    labels = ugt.Labels.from_wide([["a", "ab"[i % 3 == 0], "ab"[i % 4 == 0]] for i in range(60)], classes=["a", "b"])
    data = ugt.evaluate(labels, {"m": np.tile([0.7, 0.3], (60, 1))}, reliability=1, n_resamples=50, positive_class="b").to_dict()
    for metric in ("soft_auroc", "soft_average_precision"):
        own = next(e["value"] for e in data["metrics"] if e["metric"] == metric)
        always = [e["value"] for e in data["references"] if (e["metric"], e["reference"]) == (metric, "always the commonest class")]
        assert always == [pytest.approx(own, abs=1e-12)]
    found = Page(html(data)).text
    assert re.search(r"m agrees with the annotators’ truth in [\d.]+% of cases \(.*?\), the same as always answering “a”\.", found)
    assert "cannot be distinguished from always" not in found


def test_what_is_left_out_and_what_a_mark_means_is_said():
    assert "the first 3 of 4 models; humans.csv has all" in words_of(parsed(people.render(ReportSource.read(source(4, 3))).html))
    assert "the first 3 of" not in words_of(parsed(people.render(ReportSource.read(source(3, 3))).html))
    assert "ceiling: the most that these annotations allow" in Page(html(not_refuted(source(1, 2)))).text
    assert "ceiling: the most that any first choice can reach" in Page(html(not_refuted(source(1, 3)))).text


def test_names_of_truth_models_are_explained_where_they_are_shown():
    data = source(1, 3)  # held-out annotators refute Dawid–Skene, so that it is left out
    skills = [{**e, "setting": "dawid-skene"} for e in data["sensitivity"] if e["setting"] == "votes"]
    assert skills and "dawid-skene:" not in words_of(parsed(dependence.render(ReportSource.read(data)).html))
    data = {**data, "sensitivity": [*data["sensitivity"], *skills]}
    said = words_of(parsed(dependence.render(ReportSource.read(data)).html))
    assert "votes: the voted label is taken as certain" in said and "dawid-skene: the skill of each annotator is est" in said
    assert "graded-response" not in said


def test_measures_within_a_heading_begin_with_small_letters():
    ahead, behind = Lead(0.1, 0.05, 0.15), Lead(-0.1, -0.15, -0.05)
    found = {("set_accuracy", 3): ahead, ("overlap", 3): ahead, ("soft_auroc", None): behind}
    said = words(measures._heading(found, ["A", "B"]))
    assert said == "Which model is ahead depends on the measure: set accuracy@3 and 1 more favour A; AUROC against probabilities favours B"


def test_few_cases_have_no_decimals_where_results_depend_on_choices():
    data = source(1, 2, "", 12)
    for section in (dependence, scores):
        cells = [
            cell
            for start in ("One choice", "Points of")
            for row in rows_of_any(section.render(ReportSource.read(data)), start)
            for cell in row[1:]
        ]
        assert cells and not any("." in cell for cell in cells)
    heading = words_of(parsed(dependence.render(ReportSource.read(data)).html)).split(" One choice")[0]
    assert heading.endswith(" points") and "." not in heading.rsplit(" moves ", 1)[1]


def rows_of_any(section, start):
    return rows_of(section, start)[1:] if start in section.html else []
