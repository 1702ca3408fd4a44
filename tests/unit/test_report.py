"""The HTML page: structure, harmlessness, what it says."""

import json
import re
from html.parser import HTMLParser

import pytest

import ugt
import ugt.report

VOID = {"meta", "br"}
RELIABILITIES = [10.0, 20.0, 50.0]
WINNER = {"p_best": 0.874, "margin": 0.01, "margin_low": -0.0123, "margin_high": 0.0301}
STANDING = {"both_low": 0.41, "both_high": 0.92, "p_best": 0.126, "rank_low": 1.0, "rank_high": 2.0}


def evaluation(models=("A", "B"), n_cases=150):
    """An evaluation's dictionary, numbers made up: A leads at low reliability, B at high."""
    spreads = {"draw_std": 0.01, "draw_low": 0.61, "draw_high": 0.63, "case_low": 0.55, "case_high": 0.68, "mc_error": 0.0, **STANDING}
    metrics = [
        {"model": m, "reliability": r, "metric": "topk_accuracy", "k": 1, "value": 0.6 + (0.01 * i if r > 15 else -0.01 * i), **spreads}
        for i, m in enumerate(models)
        for r in RELIABILITIES
    ]
    none = {"draw_std": None, "draw_low": None, "draw_high": None}
    metrics += [
        {"model": m, "reliability": None, "metric": "voted_accuracy", "k": 1, "value": 0.7 - 0.1 * i, **spreads, **none}
        for i, m in enumerate(models)
    ]
    for entry in metrics:
        entry["n_cases"] = n_cases - 3
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
            "kind": "rankings",
            "n_cases": n_cases,
            "n_classes": 419,
            "n_unused_classes": 145,
            "n_annotators": 10,
            "n_annotations": 9602,
            "annotations_per_case": {"min": 0, "median": 5, "max": 10},
        },
        "left_out": {"case without annotations": 3},
        "notes": ["3 cases have no annotations: their certainty is undefined."],
        "models": list(models),
        "certainty": [
            {
                "reliability": r,
                "measure": "certainty",
                "k": 1,
                "value": 0.7 + r / 1000,
                "case_low": 0.6,
                "case_high": 0.9,
                "mc_error": 0.0,
                "n_below_099": 100,
                "n_cases": n_cases - 3,
            }
            for r in RELIABILITIES
        ],
        "metrics": metrics,
        "winners": [
            {
                **WINNER,
                "metric": "voted_accuracy",
                "k": 1,
                "reliability": None,
                "model": "A",
                "value": 0.7,
                "runner_up": "B",
                "margin": 0.1,
            },
            {**WINNER, "metric": "topk_accuracy", "k": 1, "reliability": 10.0, "model": "A", "value": 0.6, "runner_up": "B"},
            {**WINNER, "metric": "topk_accuracy", "k": 1, "reliability": 20.0, "model": "B", "value": 0.61, "runner_up": "A"},
            {**WINNER, "metric": "topk_accuracy", "k": 1, "reliability": 50.0, "model": "B", "value": 0.61, "runner_up": "A"},
        ],
        "flips": [
            {
                "metric": "topk_accuracy",
                "k": 1,
                "model": "A",
                "other": "B",
                "better_above": False,
                "reliability": 14.2,
                "low": 11.3,
                "high": None,
                "p_inside": 0.75,
            }
        ],
        "sources": {"case_low, case_high": ["clusters"], "draw_low, draw_high": ["draws"]},
        "cases": [
            {
                "case": f"p{i}",
                "n_annotations": 5,
                "voted": "3 = 7" if i < 5 else "3",
                **dict.fromkeys(
                    [*(f"certainty_{r:g}" for r in RELIABILITIES), "mean_certainty"], None if i >= n_cases - 3 else 0.5 + i / (2 * n_cases)
                ),
            }
            for i in range(n_cases)
        ],
    }


class Page(HTMLParser):
    """Elements with their attributes; fails where a tag is not closed in order."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    def attributes(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.texts))


def page(data):
    return Page(ugt.report.html(data))


def test_page_is_self_contained():
    source = ugt.report.html(evaluation())
    shown = Page(source)
    tags = {tag for tag, _ in shown.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "image", "use", "foreignobject", "animate"}
    assert all(a["href"].startswith("#") for a in shown.attributes("a"))
    assert not any(set(attributes) & {"src", "onclick", "onload", "style"} for _, attributes in shown.elements)
    assert not re.search(r"https?:|url\(|@import", source)


def test_structure_is_readable_by_a_screen_reader():
    shown = page(evaluation())
    assert shown.attributes("html") == [{"lang": "en"}]
    tags = [tag for tag, _ in shown.elements]
    assert tags.count("h1") == 1 and tags.count("main") == 1
    assert tags.count("h2") == tags.count("section") == 22
    assert tags.count("caption") == tags.count("table") > 0
    assert {a.get("scope") for a in shown.attributes("th")} == {"col", "row", "rowgroup"}


def test_links_lead_to_sections():
    shown = page(evaluation())
    links = [a["href"][1:] for a in shown.attributes("a")]
    anchors = [a["id"] for a in shown.attributes("section")]
    assert links[: len(anchors) + 1] == ["main", *anchors]
    assert set(links) <= {a["id"] for _, a in shown.elements if "id" in a}


def test_summary_says_that_the_winner_changes():
    text = page(evaluation()).text
    assert "Top-1 accuracy: the winner changes with the reliability: A at 10; B at 20, 50; A is best against the voted label." in text
    assert "The true class is less than 99% certain in 100 of 147 cases (reliability 10) and in 100 of 147 cases (reliability 50)." in text


def test_summary_of_one_winner():
    data = evaluation()
    data["winners"] = [{**w, "model": "A"} for w in data["winners"]]
    assert "Top-1 accuracy: A is best under every reliability, and against the voted label." in page(data).text


def test_one_model_has_nobody_to_beat():
    text = page(evaluation(models=("A",))).text
    assert "nothing to compare it with" in text and "Best model" not in text


def test_performance_shows_both_ranges_beside_the_vote():
    text = page(evaluation()).text
    table = text[text.index("Top-1 accuracy: the probability") :]
    assert "voted labelreliability 10reliability 20reliability 50" in table
    assert "over draws, 95%taken as certain0.6100–0.6300" in table
    assert "over clusters, 95%0.5500–0.6800" in table and "over both, 95%0.4100–0.9200" in table
    assert "147 cases" in table


def test_comparison_shows_chances_ranks_and_flips():
    text = page(evaluation()).text
    assert "bca bootstrap, 1,000 resamples of the clusters" in text
    assert "13%; rank 1 to 2" in text
    table = text[text.index("Where the order of two models changes") :]
    assert "AB14.211.3 to beyond the highest75%" in table  # A is better below, B above
    assert "by 0.0100, -0.0123 to 0.0301best in 87%" in text
    data = evaluation()
    data["flips"] = []
    assert "The order of no two models changes with the reliability" in page(data).text


def test_best_value_of_each_column_is_bold():
    source = ugt.report.html(evaluation())
    performance = source[source.index('id="performance"') : source.index('id="worklist"')]
    assert re.findall("<strong>(.*?)</strong>", performance) == ["0.7000", "0.6000", "0.6100", "0.6100"]


def test_monte_carlo_error_is_shown_only_where_there_is_one():
    data = evaluation()
    assert "Monte Carlo" not in page(data).text
    data["metrics"][0]["mc_error"] = 0.00123
    assert "Monte Carlo standard error00.001200" in page(data).text


def test_worklist_shows_a_hundred_and_says_so():
    shown = page(evaluation())
    assert "100 of 150 cases are shown; the file cases.csv has all of them." in shown.text
    assert "p99" in shown.text and "p100" not in shown.text


def test_undefined_values_have_a_reason_on_the_page():
    data = evaluation(n_cases=5)
    text = page(data).text
    assert "undefined" in text and "case without annotations3" in text and "their certainty is undefined" in text


def test_point_aggregates_have_no_reliability():
    data = evaluation()
    data["provenance"].update(aggregation="irn", reliability=[])
    data["metrics"] = [{**m, "reliability": None} for m in data["metrics"] if m["reliability"] in (10.0, None)]
    data["certainty"] = [{**data["certainty"][0], "reliability": None}]
    data["winners"] = [{**w, "reliability": None} for w in data["winners"][:2]]
    data["cases"] = [{**e, "certainty_given": e["mean_certainty"]} for e in data["cases"]]
    data["cases"] = [{name: v for name, v in e.items() if not name.endswith("0")} for e in data["cases"]]
    text = page(data).text
    assert "Reliabilitynone" in text and "certainty, without reliability" in text
    assert "Top-1 accuracy: A is best, and against the voted label." in text


@pytest.mark.parametrize("aggregation", ["votes", "irn", "prirn", "dirichlet", "draws of my own"])
def test_every_truth_is_explained_with_its_limits(aggregation):
    data = evaluation()
    data["provenance"]["aggregation"] = aggregation
    assert re.search(r"Limits\. \w+", page(data).text)


def test_empty_evaluation():
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
    assert {t for t, _ in shown.elements} <= {t for t, _ in page(evaluation()).elements} | {"i"}
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
    source = ugt.report.html(data)
    assert f"<td>{shown}</td>" in source[source.index('id="performance"') : source.index('id="worklist"')]


@pytest.mark.parametrize("aggregation", ["dirichlet", "votes"])
def test_page_of_a_real_evaluation(aggregation):
    labels = ugt.Labels.from_counts([[3, 1], [0, 2], [0, 0]])
    found = ugt.evaluate(labels, {"A": [[0.9, 0.1]] * 3, "B": [[0.2, 0.8]] * 3}, aggregation=aggregation, k=1, n_resamples=10)
    text = page(found.to_dict()).text
    assert "case without annotations1" in text
    assert "3 of 3 cases are shown" in text and "undefined" in text


def test_page_of_given_plausibilities():
    found = ugt.evaluate(ugt.Dirichlet.from_array([[3.0, 1.0], [1.0, 2.0]]), {"A": [[0.9, 0.1]] * 2}, k=1, n_resamples=10)
    assert "made elsewhere" in page(found.to_dict()).text


def test_page_is_the_same_from_json():
    data = evaluation()
    assert ugt.report.html(json.loads(json.dumps(data))) == ugt.report.html(data)
