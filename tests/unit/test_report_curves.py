"""Sections of the report on curves, dispersion, prediction sets and sensitivity: what they say and draw."""

import re

import numpy as np
import pytest
from twins import details
from twins.page import at, checked, drawings, elements, points, same_points, texts

import ugt
from ugt.report import svg
from ugt.report.sections import calibration, coverage, curves, dispersion, sensitivity


def source(classes=("benign", "malign")):
    """The tables as they come out of the JSON file."""
    rng = np.random.default_rng(0)
    k = len(classes)
    truth = rng.dirichlet(np.ones(k), 60)
    label = [[classes[i] for i in rng.choice(k, 3, p=p)] for p in truth]
    known = ugt.Labels.from_wide(label, annotators=["ann", "bob", "cid"], classes=list(classes))
    scores = dict(zip("AB", details.models(truth, k, rng).values()))
    return details.source((calibration, curves, dispersion, coverage, sensitivity), known, scores)


SOURCE = source()


def test_curves_are_drawn_where_their_points_say():
    root = drawings(curves.render(SOURCE).html)[0]
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    lines = elements(root, "polyline")[1:]  # the first one is the diagonal
    bands = elements(root, "polygon")
    assert len(lines) == 4 and len(bands) == 2
    for i, (model, kind) in enumerate([(model, kind) for model in "AB" for kind in ("soft", "hard")]):
        rows = [e for e in SOURCE["curves"] if (e["model"], e["kind"], e["curve"]) == (model, kind, "roc")]
        expected = [(x.at(0), y.at(0)), *((x.at(e["x"]), y.at(e["y"])) for e in rows)]
        same_points(points(lines[i]), expected)
        assert (lines[i].attrib.get("stroke-dasharray") == "2 2") == (kind == "hard")
        if kind == "soft":
            there = [(x.at(e["x"]), y.at(e["low"])) for e in rows]
            back = [(x.at(e["x"]), y.at(e["high"])) for e in reversed(rows)]
            same_points(points(bands[i // 2]), there + back)
    assert {"positive percent agreement", "1 - negative percent agreement"} <= set(texts(root))
    for shape, model in (("circle", "A"), ("rect", "B")):  # marks tell models apart without colour
        found = elements(root, shape)[1:]  # after that of the legend
        assert len(found) == 6
        hard = [e for e in SOURCE["curves"] if (e["model"], e["kind"], e["curve"]) == (model, "hard", "roc")]
        if shape == "circle":
            same_points([at(e, "cx", "cy") for e in found[3:]], [[x.at(hard[i]["x"]), y.at(hard[i]["y"])] for i in (4, 16, 32)])


def test_areas_and_points_are_in_the_tables():
    html = curves.render(SOURCE).html
    for row in SOURCE["curve_scores"]:
        for name in ("soft_auroc", "soft_auroc_low", "soft_auroc_high", "hard_auroc", "soft_average_precision", "hard_average_precision"):
            assert f"{row[name]:.4f}" in html
    shown = [e for e in SOURCE["curves"] if e["kind"] == "soft" and e["x"] in {"roc": (0.1, 0.2, 0.5), "pr": (0.5, 0.8, 0.9)}[e["curve"]]]
    assert len(shown) == 12
    for e in shown:
        assert f"<td>{e['y']:.4f} ({e['low']:.4f}–{e['high']:.4f})</td>" in html
    for name in "AB":
        assert html.count(f"<bdi>{name}</bdi>, cut labels") == 2
    assert "curves.csv" in html and "90% interval" in html
    assert not any(word in html.lower() for word in ("sensitivity", "specificity", "false-positive", "true-positive"))


def test_curves_without_bands_and_of_many_classes():
    soft = [{**e, "low": None, "high": None} for e in SOURCE["curves"] if e["kind"] == "soft"]
    areas = [{**e, "hard_auroc": None, "soft_auroc_low": None, "soft_auroc_high": None} for e in SOURCE["curve_scores"]]
    html = checked(curves.render({**SOURCE, "curves": soft, "curve_scores": areas}))
    assert not elements(drawings(html)[0], "polygon") and len(elements(drawings(html)[0], "polyline")) == 3
    assert "<td>undefined</td>" in html and "<td>–</td>" in html
    ids = ["roc-0", "pr-0", "roc-1", "pr-1", "roc-2", "pr-2"]
    for classes in ("xyz", "vwxyz"):
        html = checked(curves.render(source(classes=tuple(classes))))
        assert re.findall(r'<figure id="([^"]+)"', html) == ids
        assert ("3 of 5 classes are drawn; the file curves.csv has all" in html) == (classes == "vwxyz")
        assert all(f"<bdi>{name}</bdi></th>" in html for name in classes)


def test_models_stand_on_the_map_where_their_errors_meet():
    places = SOURCE["calibration_map"]
    root = drawings(dispersion.calibration_map(places))[0]
    ends = [(0.0, *(e[f"{name}{end}"] or 0 for e in places for end in ("", "_low", "_high"))) for name in ("ce", "de")]
    x, y = (scale(0, max(svg.around(one)[1], 0.01)) for scale, one in zip((svg.x_scale, svg.y_scale), ends))
    circle = elements(root, "circle")[-1]  # after that of the legend
    same_points(at(circle, "cx", "cy"), [x.at(places[0]["ce"] or 0), y.at(places[0]["de"] or 0)])
    row = {"model": "A", "ce": None, "ce_low": 0.0, "ce_high": 0.1, "de": 0.2, "de_low": 0.1, "de_high": 0.3}
    html = checked(dispersion.render({**SOURCE, "calibration_map": [row]}))
    circle = elements(drawings(html)[0], "circle")[-1]
    assert float(circle.attrib["cx"]) == svg.LEFT
    assert "<td>loss below 0</td><td>0.0000–0.1000</td><td>0.2000</td>" in html
    row = {**row, "de": None, "de_low": None, "de_high": None}
    html = checked(dispersion.render({**SOURCE, "calibration_map": [row], "disagreement_bins": []}))
    assert "<td>undefined</td><td>–</td>" in html and "no case has two labels" in html


def test_disagreement_is_drawn_and_listed():
    html = dispersion.render(SOURCE).html
    root = drawings(html)[1]
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    rows = [e for e in SOURCE["disagreement_bins"] if e["model"] == "B"]
    same_points(points(elements(root, "polyline")[2]), [(x.at(e["mean_predicted"]), y.at(e["observed"])) for e in rows])
    for e in rows:
        star = "*" if e["n_cases"] < 10 else ""
        assert f"<td>{e['mean_predicted']:.4f}</td><td>{e['observed']:.4f}</td>" in html and f"<td>{e['n_cases']}{star}</td>" in html


def test_coverage_is_drawn_against_the_target():
    html = coverage.render(SOURCE).html
    entries = [e for e in SOURCE["set_coverage"] if e["score"] == "APS"]
    root = drawings(html)[1]
    ends = svg.around([e[name] for e in entries for name in ("level", "coverage", "low", "high")])
    x, y = svg.x_scale(0.77, 0.98), svg.y_scale(*ends)
    for i, model in enumerate("AB"):
        drawn = points(elements(root, "polyline")[1 + i])
        rows = [e for e in entries if e["model"] == model]
        expected = [(x.at(e["level"] + 0.003 * (i - 0.5)), y.at(e["coverage"])) for e in rows]
        same_points(drawn, expected)
    assert {"80%", "90%", "95%"} <= set(texts(root))
    for e in SOURCE["set_coverage"]:
        assert f"<td>{e['coverage']:.4f}</td><td>{e['low']:.4f}–" in html and f"<td>{e['mean_size']:.2f}</td>" in html
    bare = [{**e, "low": None, "high": None} for e in SOURCE["set_coverage"]]
    assert "<td>undefined</td>" in checked(coverage.render({**SOURCE, "set_coverage": bare}))


def entry(kind, setting, model, value, change, best="A", n=10):
    names = (kind, setting, model, "topk_accuracy", 1, value, change, best, n)
    return dict(zip(sensitivity.TABLES["sensitivity"], names))


def both(kind, setting, a, b, best="A"):
    return [entry(kind, setting, "A", 0.8 + a, a, best), entry(kind, setting, "B", 0.7 + b, b, best)]
    return [entry(kind, setting, "A", 0.8 + a, a, best), entry(kind, setting, "B", 0.7 + b, b, best)]


def settings(root):
    return [text for text in texts(root) if ": " in text]


def test_the_greatest_change_is_on_top():
    rows = [*both("reliability", "1", 0.01, 0.0), *both("prior", "x 10", -0.3, 0.02), *both("annotator dropped", "ann", 0.0, 0.05)]
    root = drawings(sensitivity.figure(rows))[0]
    assert settings(root) == ["prior: x 10", "annotator dropped: ann", "reliability: 1"]
    x = svg.Scale(*svg.around([0.0, -0.3, 0.05], 0.01), sensitivity.MARGIN, svg.WIDTH - svg.RIGHT)
    first = elements(root, "circle")[1]  # after that of the legend
    same_points(at(first, "cx", "cy"), [x.at(-0.3), svg.TOP + sensitivity.ROW / 2 - 2.5])


def test_where_another_model_wins_or_none_is_said():
    same = [*both("reliability", "1", 0.01, 0.0), *both("prior", "x 10", -0.05, 0.02)]
    html = sensitivity.render({"sensitivity": same}).html
    assert "<p><bdi>A</bdi> is highest in the main analysis and under each of the 2 settings.</p>" in html
    html = sensitivity.render({"sensitivity": [*same, *both("prior", "x 0.1", -0.1, 0.1, "B")]}).html
    said = "<bdi>A</bdi> is highest in the main analysis, but not under 1 of the 3 settings: <bdi>prior</bdi>: <bdi>x 0.1</bdi>."
    assert said in html
    assert "<td>0.7000</td><td>−0.1000</td>" in html and "<td>0.8000</td><td>+0.1000</td>" in html
    assert "best in the main analysis" not in sensitivity.render({"sensitivity": [same[0]]}).html
    undefined = [entry("annotator dropped", "ann", model, None, None, None, 0) for model in "AB"]
    html = checked(sensitivity.render({"sensitivity": [*both("prior", "x 10", 0.1, 0.1), *undefined]}))
    assert "<td>undefined</td><td>undefined</td><td>undefined</td><td>0</td>" in html
    assert "under each of the 1 settings" in html and settings(drawings(html)[0]) == ["prior: x 10"]
    assert "<svg" not in checked(sensitivity.render({"sensitivity": undefined}))


def test_long_tables_and_long_names_are_cut_and_tables_say_so():
    rows = [row for i in range(80) for row in both("annotator dropped", f"a{i}", i / 1000, 0.0)]
    html = checked(sensitivity.render({"sensitivity": rows}))
    assert "60 of 80 settings; the file sensitivity.csv has all" in html and html.count("<tbody>") == 60
    drawn = [f"annotator dropped: a{i}" for i in range(79, 79 - sensitivity.MOST_DRAWN, -1)]
    assert settings(drawings(html)[0]) == drawn and "the 24 settings with the greatest changes are drawn" in html
    (label,) = settings(drawings(sensitivity.figure(both("annotator dropped", "x" * 80, 0.1, 0.1)))[0])
    assert len(label) == sensitivity.LONGEST and label.endswith("…")


def test_diagnostics_are_listed():
    rows = [
        {"reliability": 3.0, "quantity": "largest R-hat", "value": 1.0421},
        {"reliability": None, "quantity": "cases that have not mixed", "value": 2},
        {"reliability": 3.0, "quantity": "smallest bulk effective sample size", "value": 1234.5},
        {"reliability": 3.0, "quantity": "smallest tail effective sample size", "value": None},
    ]
    html = checked(sensitivity.render({"diagnostics": rows}))
    assert re.findall(r"<td>([^<]*)</td></tr>", html) == ["1.042", "2", "1,234", "undefined"]
    assert "No setting was changed" in html and "no chains" in sensitivity.render({}).html


@pytest.mark.parametrize("change, text", [(0.01234, "+0.0123"), (-0.5, "−0.5000"), (0.00001, "0"), (0.0, "0"), (None, "undefined")])
def test_changes_have_signs(change, text):
    assert sensitivity.signed(change) == text
