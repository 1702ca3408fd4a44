"""The HTML page: structure, harmlessness, what it says."""

import json
import re

import numpy as np
import pytest
from twins.page import Page

import ugt
import ugt.report

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
    certainties = [*(f"certainty_{r:g}" for r in RELIABILITIES), "mean_certainty"]
    return {
        "ugt": "0.1.0",
        "schema": 2,
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
        "notes": ["3 cases have no annotations: their certainty is undefined."],
        "models": list(models),
        "certainty": [{"reliability": r, "value": 0.7 + r / 1000, "n_cases": n_cases - 3, **certain} for r in RELIABILITIES],
        "metrics": metrics,
        "winners": [
            {**winner, "metric": "voted_accuracy", "reliability": None, "model": "A", "value": 0.7, "runner_up": "B", **clear},
            {**winner, "reliability": 10.0, "model": "A", "value": 0.6, "runner_up": "B"},
            *({**winner, "reliability": r, "model": "B", "value": 0.61, "runner_up": "A"} for r in RELIABILITIES[1:]),
        ],
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


def page(data):
    return Page(ugt.report.html(data))


PAGE = page(evaluation())


def test_page_is_self_contained():
    forbidden = {"script", "link", "img", "iframe", "object", "embed", "form", "base", "image", "use", "foreignobject", "animate"}
    assert not set(PAGE.tags) & forbidden
    assert all(e["attrs"]["href"].startswith("#") for e in PAGE.all("a"))
    assert not any(set(e["attrs"]) & {"src", "onclick", "onload", "style"} for e in PAGE.found)
    assert not re.search(r"https?:|url\(|@import", ugt.report.html(evaluation()))
    assert PAGE.tags.count("h2") == PAGE.tags.count("section") == 25
    assert {e["attrs"].get("scope") for e in PAGE.all("th")} == {"col", "row", "rowgroup"}


@pytest.mark.parametrize(
    "said",
    [
        "UA top-1 accuracy: A and B are not distinguishable (lead of A -0.0301 to 0.0301) under every reliability; A is best "
        "(lead 0.0500–0.1500) against the voted label.",
        "It is the probability that the model is right only if the model knows nothing about a case beyond its annotations.",
        "The top class is less than 99% certain in 100 of 147 cases (reliability 10) and in 100 of 147 cases (reliability 50).",
        "bca bootstrap, 1,000 resamples of the clusters",
        "13%; rank 1 to 2",
        "by 0.0100, -0.0123 to 0.0301not distinguishablebest in 87% of resamples",
        "100 of 150 cases are shown; the file cases.csv has all of them.",
    ],
)
def test_the_page_says(said):
    assert said in PAGE.text


@pytest.mark.parametrize(
    ("caption", "cells"),
    [
        ("UA top-1 accuracy: the expected", "voted labelreliability 10reliability 20reliability 50"),
        ("UA top-1 accuracy: the expected", "over draws, 95%taken as certain0.6100–0.6300"),
        ("UA top-1 accuracy: the expected", "over clusters, 95%0.5500–0.6800"),
        ("UA top-1 accuracy: the expected", "over both, 95%0.4100–0.9200"),
        ("UA top-1 accuracy: the expected", "147 cases"),
        # A is better below, B above
        ("Where the values of two models change their order", "AB14.211.3 to beyond the highest75%no"),
        ("Cases", "p99"),
    ],
)
def test_tables_hold(caption, cells):
    assert cells in PAGE.text[PAGE.text.index(caption) :]


def test_what_is_not_on_the_page():
    assert "p100" not in PAGE.text and "Monte Carlo" not in PAGE.text
    data = evaluation()
    data["flips"] = []
    data["winners"] = [{**w, "model": model, "n_undistinguished": 0} for w, model in zip(data["winners"], "AAABB")]
    data["metrics"][0]["mc_error"] = 0.00123
    text = page(data).text
    assert "The order of no two models changes with the reliability" in text
    assert "the best model changes with the reliability: A is best (lead -0.0123 to 0.0301) at reliability 10, 20; B is best" in text
    assert "Monte Carlo standard error00.001200" in text
    text = page(evaluation(models=("A",))).text
    assert "nothing to compare it with" in text and "highest value, its lead" not in text
    text = page(evaluation(n_cases=5)).text
    assert "undefined" in text and "case without annotations3" in text and "their certainty is undefined" in text


def performance(data):
    source = ugt.report.html(data)
    return source[source.index('id="performance"') : source.index('id="worklist"')]


def test_best_values_are_bold_and_the_page_is_the_same_from_json():
    assert re.findall("<strong>(.*?)</strong>", performance(evaluation())) == ["0.7000", "0.6000", "0.6100", "0.6100"]
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
    assert "Reliabilitynone" in text and "certainty, without reliability" in text
    assert "UA top-1 accuracy: A and B are not distinguishable (lead of A -0.0123 to 0.0301); A is best (lead" in text
    data = evaluation(n_cases=0)
    data.update(certainty=[], metrics=[], winners=[], models=[], left_out={}, notes=[])
    data["provenance"].update(inputs=[], command=None)
    text = page(data).text
    assert "No case was left out." in text and "called from Python" in text and "0 of 0 cases are shown" in text


HOSTILE = "<script>alert('x')</script>&\"><img src=x onerror=alert(1)>{0}$name%s"


def hostile(data, string):
    """The evaluation with `string` in every place where a user's text can stand."""
    data["cases"] = [{**e, "case": string, "voted": string} for e in data["cases"]]
    data["provenance"].update(date=string, command=string, parameters={string: string}, versions={string: string})
    data["provenance"]["inputs"] = [{"name": string, "sha256": string}]
    data["provenance"]["groups"] = [string]
    data.update(ugt=string, notes=[string], left_out={string: 1}, models=[string, "B"])
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


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0.0000"), (1.0, "1.0000"), (0.99996, "&gt;0.9999"), (0.00001, "&lt;0.0001"), (-0.25, "-0.2500"), (float("nan"), "undefined")],
)
def test_numbers_never_round_to_certainty(value, shown):
    data = evaluation(models=("A",))
    data["metrics"][0]["value"] = value
    assert f"<td>{shown}</td>" in performance(data)


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
    assert "3 of 3 cases are shown" in text
    assert "made elsewhere" in text if aggregation == "given" else "case without annotations1" in text and "undefined" in text
