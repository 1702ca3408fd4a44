"""The HTML page: structure, harmlessness, what it says."""

import json
import re

import numpy as np
import pytest
from noted import noted
from twins.page import Page

import ugt
import ugt.report
from ugt.report.digits import Digits
from ugt.tables.comparison import DifferenceRow
from ugt.tables.verdict import verdict_of

RELIABILITIES = [10.0, 20.0, 50.0]


def evaluation(models=("A", "B"), n_cases=150):
    """An evaluation's dictionary, numbers made up: A leads at low reliability, B at high."""
    draws = {"draw_std": 0.01, "draw_low": 0.61, "draw_high": 0.63}
    spreads = {
        "case_low": 0.55,
        "case_high": 0.68,
        "both_low": 0.41,
        "both_high": 0.92,
        "two_way_low": 0.38,
        "two_way_high": None,
        "mc_error": 0.0,
    }
    shared = {"k": 1, **spreads, "best_share": 0.126, "rank_low": 1.0, "rank_high": 2.0, "n_cases": n_cases - 3}
    metrics = [
        {"model": m, "reliability": r, "metric": "topk_accuracy", "value": 0.6 + (0.01 * i if r > 15 else -0.01 * i), **draws, **shared}
        for i, m in enumerate(models)
        for r in RELIABILITIES
    ]
    voted = {"reliability": None, "metric": "voted_accuracy", **dict.fromkeys(draws), **shared}
    metrics += [{"model": m, "value": 0.7 - 0.1 * i, **voted} for i, m in enumerate(models)]
    certain = {"measure": "certainty", "k": 1, "case_low": 0.6, "case_high": 0.9, "mc_error": 0.0, "n_below_099": 100}
    winner = {
        "metric": "topk_accuracy",
        "k": 1,
        "best_share": 0.874,
        "margin": 0.01,
        "margin_low": -0.0123,
        "margin_high": 0.0301,
        "n_undistinguished": 1,
    }
    clear = {"margin": 0.1, "margin_low": 0.05, "margin_high": 0.15, "n_undistinguished": 0}
    flip = {"metric": "topk_accuracy", "k": 1, "model": "A", "other": "B", "better_above": False, "reliability": 14.2}
    pair = {"k": 1, "model": "A", "other": "B", "greater_share": 0.2, "n_cases": n_cases}
    pair.update(two_way_low=None, two_way_high=None, n_annotators=None, n_groups=None, one_by_one=None)
    pair.update(within_low=None, within_high=None, n_within=None, within_one_by_one=None)
    open_, shown = ({"low": low, "high": high, "joint_low": low, "joint_high": high} for low, high in ((-0.0301, 0.0123), (0.05, 0.15)))
    differences = [
        {"metric": "voted_accuracy", "reliability": None, "difference": 0.1, **pair, **shown},
        *({"metric": "topk_accuracy", "reliability": r, "difference": -0.01 if r > 15 else 0.01, **pair, **open_} for r in RELIABILITIES),
    ]
    trivial = {"answer": "3", "value": 0.2, "low": 0.15, "high": 0.25, "lead": 0.4, "lead_low": 0.3, "lead_high": 0.5}
    constant = [
        {"model": m, "metric": metric, "reliability": r, **trivial}
        for m in models
        for metric, r in (("voted_accuracy", None), *(("topk_accuracy", r) for r in RELIABILITIES))
    ]
    certainties = [*(f"certainty_{r:g}" for r in RELIABILITIES), "mean_certainty"]
    return {
        "ugt": "0.1.0",
        "schema": 4,
        "provenance": {
            "date": "2026-11-20T12:00:00+00:00",
            "versions": {"ugt": "0.1.0", "python": "3.11.7"},
            "seed": 0,
            "command": "ugt evaluate --annotations a.csv",
            "inputs": [{"name": "a.csv", "sha256": "0" * 64}],
            "aggregation": "prirn",
            "parameters": {"tie_weight": "split", "background": 0.0},
            "reliability": RELIABILITIES,
            "k": [1],
            "level": 0.95,
            "interval": "bca",
            "n_resamples": 1000,
            "ties": "expectation",
        },
        "data": {
            **{"kind": "rankings", "n_cases": n_cases, "n_classes": 419, "n_unused_classes": 145, "n_annotators": 10},
            **{"n_annotations": 9602, "annotations_per_case": {"min": 0, "median": 5, "max": 10}},
        },
        "left_out": {"case without annotations": 3},
        "notes": [noted("no_annotations", "3 cases have no annotations: their certainty is undefined.")],
        "models": list(models),
        "certainty": [{"reliability": r, "value": 0.7 + r / 1000, "n_cases": n_cases - 3, **certain} for r in RELIABILITIES],
        "metrics": metrics,
        "winners": [
            {**winner, "metric": "voted_accuracy", "reliability": None, "model": "A", "value": 0.7, "runner_up": "B", **clear},
            {**winner, "reliability": 10.0, "model": "A", "value": 0.6, "runner_up": "B"},
            *({**winner, "reliability": r, "model": "B", "value": 0.61, "runner_up": "A"} for r in RELIABILITIES[1:]),
        ],
        "differences": differences if len(models) > 1 else [],
        "constant_answer": constant,
        "flips": [{**flip, "low": 11.3, "high": None, "share_inside": 0.75}],
        "sources": {"case_low, case_high": ["clusters"], "draw_low, draw_high": ["draws"]},
        "cases": [
            {
                **{"case": f"p{i}", "n_annotations": 5, "voted": "3 = 7" if i < 5 else "3"},
                **dict.fromkeys(certainties, None if i >= n_cases - 3 else 0.5 + i / (2 * n_cases)),
            }
            for i in range(n_cases)
        ],
    }


def html(data):
    """The page, with the verdict that follows from the differences of the two models."""
    rows = [DifferenceRow(**row).ends for row in data["differences"] if (row["metric"], row["reliability"]) == ("topk_accuracy", 20.0)]
    values = {row["model"]: row["value"] for row in data["metrics"] if (row["metric"], row["reliability"]) == ("topk_accuracy", 20.0)}
    if rows and len(values) == 2:
        ordered = sorted(values, key=values.get, reverse=True)
        lead = rows[0] if ordered[0] == data["differences"][0]["model"] else rows[0].turned
        data = {**data, "verdict": [verdict_of(("topk_accuracy", 1, 20.0), ordered, [lead], None)._asdict()]}
    return ugt.report.html(data)


def page(data):
    return Page(html(data))


PAGE = page(evaluation())


def test_page_is_self_contained():
    forbidden = {"script", "link", "img", "iframe", "object", "embed", "form", "base", "image", "foreignobject", "animate"}
    assert not set(PAGE.tags) & forbidden
    assert all(e["attrs"]["href"].startswith("#") for e in PAGE.all("a", "use"))
    assert not any(set(e["attrs"]) & {"src", "onclick", "onload", "style"} for e in PAGE.found)
    assert not re.search(r"https?:|url\(|@import", ugt.report.html(evaluation()))
    sections = {e["attrs"]["id"] for e in PAGE.all("section")}
    assert {"answer", "measures", "leads", "worklist", "methods", "appendices", "checklist"} <= sections
    assert not {"people", "difficulty", "dependence"} & sections  # nothing is known of them here
    assert PAGE.tags.count("h2") == len(sections) + 1  # the cautions beside the answer
    assert {e["attrs"].get("scope") for e in PAGE.all("th")} == {"col", "row"}


@pytest.mark.parametrize(
    "said",
    [
        "B and A cannot be distinguished: their first choices agree with the annotators’ truth in 61% and 60% of cases, a difference of "
        "1 percentage point (−1 to 3).",
        "A is ahead against the voted label; the two cannot be distinguished at reliabilities 10, 20 and 50.",
        "No first choice can exceed 72% under this truth, at reliability 20; always answering “3” reaches 20%.",
        "not the probability that a model is right",
        "B has 59% at reliability 10 and 61% at 50.",
        "3 cases were left out",
        "Intervals (95%) are over clusters (bca bootstrap, 1,000 resamples;",
        "The first 10 of 147 cases that are less than 99% certain",
        "which cannot exceed the mean certainty of the annotations [1]",
        "no clear difference",
    ],
)
def test_the_page_says(said):
    assert said in PAGE.text


@pytest.mark.parametrize(
    ("caption", "cells"),
    [
        ("All measures at every reliability", "measure, %reliability 10reliability 20reliability 50voted label"),
        ("All measures at every reliability", "UA top-1 accuracy, B5955 to 68"),
        ("All measures at every reliability", "95% intervals over clusters below each value"),
        ("Cases", "p9"),
    ],
)
def test_tables_hold(caption, cells):
    assert cells in PAGE.text[PAGE.text.index(caption) :]


def test_what_is_not_on_the_page():
    assert "p10" not in PAGE.text and "Monte Carlo" not in PAGE.text and "One model was evaluated" not in PAGE.text
    for word in ("significant", "winner", "sensitivity of the model", "probability that it is right"):
        assert word not in PAGE.text, word
    text = page(evaluation(n_cases=15)).text
    assert "too few cases" in text and "case without annotations3" in text and "their certainty is undefined" in text


LOST = {"low": -0.2, "high": -0.1, "joint_low": -0.2, "joint_high": -0.1, "difference": -0.15}
WON = {"low": 0.1, "high": 0.2, "joint_low": 0.1, "joint_high": 0.2, "difference": 0.15}
BOTH = {"two_way_low": -0.25, "two_way_high": -0.05, "n_annotators": 10.0}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([LOST] * 4, "B is ahead of A for these 10 annotators: by 15 percentage points (10 to 20 with other cases)."),
        ([LOST] * 4, "B agrees with the annotators’ truth in 61% of cases (55 to 68), reliability 20."),
        (
            [{**LOST, **BOTH}] * 4,
            "B is ahead of A, for these 10 annotators and for others like them: by 15 percentage points (5 to 25). With other "
            "cases and these annotators the lead is 10 to 20. Kinds of annotators that make up less than 26% of all may be missing.",
        ),
        (
            [{**LOST, **BOTH, "n_annotators": 5.4}] * 4,
            "(10 to 20 with other cases); for others (5 to 25) only if annotators vary like a normal law, which 10, who count as 5.4 "
            "because some gave most labels, cannot show.",
        ),
        (
            [{**LOST, **BOTH, "two_way_high": 0.02}] * 4,
            "B is ahead of A for these 10 annotators: by 15 percentage points (10 to 20 with other cases); not shown for others "
            "(−2 to 25).",
        ),
        (
            [WON, WON, LOST, LOST],
            "Which model is ahead depends on the truth: B at reliabilities 20 and 50, A at reliability 10 and against the voted",
        ),
        (
            [{}, {}, {}, LOST],
            "B is ahead at reliability 50; A is ahead against the voted label; the two cannot be distinguished at reliabilities 10",
        ),
        ([{"joint_low": None, "joint_high": None}] * 4, "their first choices agree with the annotators’ truth in 61% and 60% of cases"),
    ],
)
def test_the_verdict_follows_the_intervals(changes, said):
    data = evaluation()
    data["differences"] = [{**row, **change} for row, change in zip(data["differences"], changes)]
    assert said in page(data).text


def test_the_verdict_of_one_model_of_none_and_of_few_cases():
    data = evaluation(models=("A",))
    assert (
        "A agrees with the annotators’ truth in 60% of cases (55 to 68), 40 percentage points more than always answering “3”"
        in page(data).text
    )
    for row in data["constant_answer"]:
        row.update(lead=0.01, lead_low=-0.02, lead_high=0.04)
    assert "it cannot be distinguished from always answering “3”" in page(data).text
    data = evaluation()
    data["data"]["n_clusters"] = 2
    text = page(data).text
    assert "There are too few clusters to say which model is ahead." in text and "Only 2 clusters" in text
    data = evaluation()
    for row in data["metrics"]:
        row["n_cases"] = 12  # evaluated; more are annotated
    text = page(data).text
    assert "There are too few cases to say which model is ahead." in text and "on 12 cases" in text and "12 of 150 cases" in text
    data = evaluation(models=("A",))
    data["notes"] = [noted("predicted_labels", "Predicted labels were read as 1 for the label.")]
    data["metrics"] += [{**row, "k": 3} for row in data["metrics"] if row["metric"] == "topk_accuracy" and row["k"] == 1]
    for data["data"]["n_classes"] in (3, 4):  # three of three classes always hold the truth
        text = page(data).text
        assert ("Top-3 accuracy" in text) is (data["data"]["n_classes"] == 4) and "Labels without scores" in text
    data = evaluation()
    data.update(metrics=[], winners=[], models=[], differences=[], constant_answer=[])
    assert "The truth of no case is settled (at least 99% certain) at reliability 20." in page(data).text


def test_the_page_is_the_same_from_json():
    data = evaluation()
    assert ugt.report.html(json.loads(json.dumps(data))) == ugt.report.html(data)


def test_point_aggregates_and_empty_evaluations():
    data = evaluation()
    data["provenance"].update(aggregation="irn", reliability=[])
    data["metrics"] = [{**m, "reliability": None} for m in data["metrics"] if m["reliability"] in (10.0, None)]
    data["certainty"] = [{**data["certainty"][0], "reliability": None}]
    data["winners"] = [{**w, "reliability": None} for w in data["winners"][:2]]
    data["cases"] = [{**e, "certainty_given": e["mean_certainty"]} for e in data["cases"]]
    data["cases"] = [{name: v for name, v in e.items() if not name.endswith("0")} for e in data["cases"]]
    text = page(data).text
    assert "Reliabilitynone" in text
    assert "Agreement with the annotators’ truth: A 60%, B 59% of cases." in text and "cannot be distinguished" not in text
    data = evaluation(n_cases=0)
    data.update(certainty=[], metrics=[], winners=[], models=[], left_out={}, notes=[])
    data["provenance"].update(inputs=[], command=None)
    text = page(data).text
    assert "Left out" not in text and "called from Python" in text and "the truth of no case is known" in text


HOSTILE = "<script>alert('x')</script>&\"><img src=x onerror=alert(1)>{0}$name%s"


def hostile(data, string):
    """The evaluation with `string` in every place where a user's text can stand."""
    data["cases"] = [{**e, "case": string, "voted": string} for e in data["cases"]]
    data["provenance"].update(date=string, command=string, parameters={string: string}, versions={string: string})
    data["provenance"]["inputs"] = [{"name": string, "sha256": string}]
    data["provenance"]["groups"] = [string]
    data.update(ugt=string, notes=[noted("warning", string)], left_out={string: 1}, models=[string, "B"])
    data["data"]["kind"] = string
    for entry in data["metrics"] + data["winners"]:
        entry["model"] = string if entry["model"] == "A" else "B"
    data["data"]["n_classes"] = 2
    data["calibration"] = [
        {"model": string, "loss": "cl", "class": None, "plugin": 0.1, "bias": 0.1, "debiased": 0.0, "low": 0.0, "high": 0.1, "n_cases": 5}
    ]
    one = {"bin_low": 0.0, "bin_high": 1.0, "n_cases": 5, "mean_probability": 0.5, "label_share": 0.4, "low": 0.1, "high": 0.8, "few": True}
    data["reliability_bins"] = [{"model": string, "class": name, **one} for name in ("other", string)]
    return data


@pytest.mark.slow
@pytest.mark.parametrize("string", [HOSTILE, "\u202egnp.exe\u2066\u200e", "x" * 10_000, "a\x00b\x1b[31m\ud800", "مرحبا", "", "A\n\tB"])
def test_strings_of_the_user_are_harmless(string):
    source = ugt.report.html(hostile(evaluation(), string))
    source.encode("utf-8")
    shown = Page(source)
    assert set(shown.tags) <= {*PAGE.tags, "i"}
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]", source)
    if string == HOSTILE:
        assert HOSTILE in shown.text
    if string.startswith("\u202e"):
        assert "[U+202E]gnp.exe[U+2066][U+200E]" in shown.text


@pytest.mark.parametrize(("value", "shown"), [(0.0, "0"), (1.0, "100"), (0.99996, ">99"), (0.00001, "<1"), (float("nan"), "–")])
def test_numbers_never_round_to_certainty(value, shown):
    data = evaluation(models=("A",))
    data["metrics"][0]["value"] = value
    text = page(data).text
    assert f"UA top-1 accuracy{shown}{'' if shown == '–' else '55 to 68'}" in text[text.index("All measures at every") :]


@pytest.mark.parametrize("aggregation", ["dirichlet", "votes", "given"])
def test_page_of_a_real_evaluation(aggregation):
    counts = np.array([[3, 1], [0, 2], [0, 0]])
    truth, options = (
        (ugt.Dirichlet.from_array(counts + 1.0), {})
        if aggregation == "given"
        else (ugt.Labels.from_counts(counts), {"aggregation": aggregation})
    )
    found = ugt.evaluate(truth, {"A": [[0.9, 0.1]] * 3, "B": [[0.2, 0.8]] * 3}, k=1, n_resamples=10, **options)
    text = page(found.to_dict()).text
    assert "There are too few cases to say which model is ahead." in text
    assert "made elsewhere" in text if aggregation == "given" else "case without annotations1" in text


def test_a_lead_that_holds_under_some_truths_only_says_under_which():
    """One truth is the main one; a lead under the others confirms nothing, as the data are the same, and a lack of it is said."""
    data = evaluation()
    won = {"difference": 0.05, "low": 0.01, "high": 0.09, "joint_low": 0.01, "joint_high": 0.09}
    open_ = {"difference": 0.01, "low": -0.03, "high": 0.05, "joint_low": -0.03, "joint_high": 0.05}
    for row in data["differences"]:
        row.update(won if row["reliability"] != 50 else open_)
    for row in data["metrics"]:
        row["value"] = 0.66 if row["model"] == "A" else 0.61
    text = page(data).text
    assert "A is ahead of B for these 10 annotators: by 5 percentage points (1 to 9 with other cases). A agrees" in text
    assert "A is ahead at reliabilities 10 and 20 and against the voted label; the two cannot be distinguished at reliability 50." in text


def test_models_whose_names_are_cut_alike_keep_their_ends():
    """Once a verdict was that a model agrees more often than the model of the same shown name."""
    one, other = (f"DeepDermNet version 2.1 trained on site {site}" for site in "AB")
    data = json.loads(json.dumps(evaluation()).replace('"A"', f'"{one}"').replace('"B"', f'"{other}"'))
    found = ugt.report.html(data)
    cut = dict(re.findall(r'<bdi title="([^"]*)">([^<]*)</bdi>', found))
    assert cut[one] != cut[other] and cut[one].endswith("site A") and cut[other].endswith("site B") and len(cut[one]) <= 32
    (paste,) = re.findall('<div class="paste">(.*?)</div>', found)
    assert one in paste and other in paste and "…" not in paste


def test_the_first_page_says_that_the_run_departs_from_the_plan():
    data = evaluation()
    data["provenance"]["plan"] = {"sample_size": 200, "reliability": [10.0, 20.0, 50.0], "subgroups": "age", "seed": 7}
    data["strata"] = []
    text = page(data).text
    assert "The run departs from the plan It differs in sample size, subgroups and seed (planned and run)." in text
    data["provenance"]["plan"] = {"sample_size": 150}
    assert "The run departs" not in page(data).text


def test_a_number_that_is_the_same_in_every_resample_has_no_interval():
    """A constant of the prior once had an interval from 97.06 to 97.06."""
    digits = Digits(2)
    assert digits.ends(0.9706, 0.9706) == digits.ends(0.9706, 0.9706 + 1e-12) == "–" and digits.in_brackets(0.5, 0.5) == ""
    assert digits.ends(0.97, 0.98) == "97.00\u00a0to\u00a098.00" and digits.in_brackets(0.97, 0.98) == " (97.00\u00a0to\u00a098.00)"


def test_nouns_of_the_authors_do_not_change_the_title_of_a_paper():
    data = evaluation()
    data["provenance"]["report"] = {"unit": "slide"}
    assert "a case study in dermatology" in page(data).text and "150 slides" in page(data).text


def test_the_answer_is_doubted_where_a_model_repeats_the_annotations():
    """Once the text for a paper said that a copy of the labels agrees 19 points more than a model."""
    data = evaluation()
    data["notes"] = [noted("labels_of_annotator", "The choices of model 'A' are the labels of annotator 'r1' in all cases.")]
    found = ugt.report.html(data)
    (paste,) = re.findall('<div class="paste">(.*?)</div>', found)
    assert found.count("A model repeats the annotations: do not rely on this result.") == 2 and "do not rely" in paste
    assert "do not rely" not in ugt.report.html(evaluation())


@pytest.mark.parametrize(("p_value", "there"), [(1e-4, True), (0.02, False)])
def test_a_truth_model_that_does_not_fit_is_a_warning_of_the_first_page(p_value, there):
    data = evaluation()
    row = {"reliability": 20.0, "annotator": None, "predicted": 0.59, "observed": 0.725, "low": 0.7, "high": 0.75, "p_value": p_value}
    data["panel_check"] = [{**row, "n_cases": 150, "adjusted_p_value": None}]
    said = "The truth model does not fit An annotator who was held out agrees with the vote of the others in 72.5% of cases; the truth"
    assert (said in page(data).text) is there
