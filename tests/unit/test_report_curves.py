"""Sections of the report on curves, dispersion, prediction sets and sensitivity: what they say and draw, and that names stay harmless."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from twins import details

import ugt
from ugt.report import svg
from ugt.report.sections import calibration, coverage, curves, dispersion, sensitivity

HOSTILE = '<script>"x"&'
SECTIONS = {"curves": curves.render, "dispersion": dispersion.render, "coverage": coverage.render, "sensitivity": sensitivity.render}


def source(n=60, classes=("benign", "malign"), models=("A", "B"), annotators=("ann", "bob", "cid"), level=0.9):
    """The tables as they come out of the JSON file."""
    rng = np.random.default_rng(0)
    k = len(classes)
    truth = rng.dirichlet(np.ones(k), n)
    label = [[classes[i] for i in rng.choice(k, len(annotators), p=p)] for p in truth]
    known = ugt.Labels.from_wide(label, annotators=list(annotators), classes=list(classes))
    scores = {name: 0.7 * truth + 0.3 * rng.dirichlet(np.ones(k), n) for name in models}
    context = details.context(known, scores, level=level)
    found = {"provenance": {"level": level}}
    for module in (calibration, curves, dispersion, coverage, sensitivity):
        found.update(details.made(module, context)[0])
    return found


SOURCE = source()


def drawings(html):
    """All figures of a section, parsed."""
    return [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)]


def elements(root, name):
    return [e for e in root.iter() if e.tag.endswith(name)]


def points(element):
    return [tuple(map(float, pair.split(","))) for pair in element.attrib["points"].split()]


def texts(root):
    return [e.text for e in elements(root, "text")]


def checked(section):
    """Well-formed, described, nothing loaded; figures have names of their own."""
    ET.fromstring(section.html)
    assert "<script" not in section.html and "http" not in section.html and "src=" not in section.html
    anchors = re.findall(r'<figure id="([^"]+)"', section.html)
    assert len(set(anchors)) == len(anchors)
    for root in drawings(section.html):
        title, text = elements(root, "title")[0], elements(root, "desc")[0]
        assert title.text and len(text.text) > 30
        assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {text.attrib['id']}"
        for element in root.iter():
            for value in element.attrib.values():
                assert "nan" not in value.lower() and "inf" not in value.lower()
    assert section.html.count('<p class="how">') == 1
    return section.html


@pytest.mark.parametrize("name", SECTIONS)
def test_sections_are_whole(name):
    html = checked(SECTIONS[name](SOURCE))
    assert "<table" in html and len(drawings(html)) == {"curves": 2, "dispersion": 2, "coverage": 2, "sensitivity": 1}[name]


@pytest.mark.parametrize("name", SECTIONS)
def test_without_tables_they_say_why(name):
    for empty in ({"provenance": {"level": 0.95}}, {"provenance": {"level": 0.95}, **dict.fromkeys(SOURCE, ())}):
        empty["provenance"] = {"level": 0.95}
        html = checked(SECTIONS[name](empty))
        assert "<svg" not in html and "<table" not in html and len(re.findall("<p>", html)) >= 1


@pytest.mark.parametrize("name", SECTIONS)
def test_names_stay_harmless(name):
    found = source(classes=(f"{HOSTILE}1", f"{HOSTILE}2"), models=(f"{HOSTILE}A", f"{HOSTILE}B"), annotators=(f"{HOSTILE}a", "b", "c"))
    html = checked(SECTIONS[name](found))
    assert "&lt;script&gt;" in html


@pytest.mark.slow
@pytest.mark.parametrize("name", SECTIONS)
def test_many_models_are_drawn_as_far_as_they_can_be_told_apart(name):
    found = source(models=[f"M{i}" for i in range(9)])
    html = checked(SECTIONS[name](found))
    for root in drawings(html):
        shown = [text for text in texts(root) if re.fullmatch(r"M\d", text)]
        assert shown == [f"M{i}" for i in range(svg.N_STYLES)]
    assert "M8" in html  # in the table


# ---- curves


def test_curves_are_drawn_where_their_points_say():
    root = drawings(curves.render(SOURCE).html)[0]
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    lines = elements(root, "polyline")[1:]  # the first one is the diagonal
    bands = elements(root, "polygon")
    assert len(lines) == 4 and len(bands) == 2
    for i, (model, kind) in enumerate([(model, kind) for model in "AB" for kind in ("soft", "hard")]):
        rows = [e for e in SOURCE["curves"] if (e["model"], e["kind"], e["curve"]) == (model, kind, "roc")]
        expected = [(x.at(0), y.at(0)), *((x.at(e["x"]), y.at(e["y"])) for e in rows)]
        np.testing.assert_allclose(points(lines[i]), expected, atol=0.06)
        assert (lines[i].attrib.get("stroke-dasharray") == "2 2") == (kind == "hard")
        if kind == "soft":
            there = [(x.at(e["x"]), y.at(e["low"])) for e in rows]
            back = [(x.at(e["x"]), y.at(e["high"])) for e in reversed(rows)]
            np.testing.assert_allclose(points(bands[i // 2]), there + back, atol=0.06)
    assert {"positive percent agreement", "1 - negative percent agreement"} <= set(texts(root))


def test_the_words_are_those_of_agreement():
    html = curves.render(SOURCE).html
    for word in ("sensitivity", "specificity", "false-positive", "true-positive"):
        assert word not in html.lower()


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


def test_curves_without_bands_or_hard_labels():
    soft = [{**e, "low": None, "high": None} for e in SOURCE["curves"] if e["kind"] == "soft"]
    areas = [{**e, "hard_auroc": None, "soft_auroc_low": None, "soft_auroc_high": None} for e in SOURCE["curve_scores"]]
    html = checked(curves.render({**SOURCE, "curves": soft, "curve_scores": areas}))
    assert not elements(drawings(html)[0], "polygon") and len(elements(drawings(html)[0], "polyline")) == 3
    assert "<td>undefined</td>" in html and "<td>–</td>" in html


def test_the_first_classes_have_figures_and_all_have_areas():
    ids = ["roc-0", "pr-0", "roc-1", "pr-1", "roc-2", "pr-2"]
    for classes in ("xyz", "vwxyz"):
        html = checked(curves.render(source(classes=tuple(classes))))
        assert re.findall(r'<figure id="([^"]+)"', html) == ids
        assert ("3 of 5 classes are drawn; the file curves.csv has all" in html) == (classes == "vwxyz")
        assert all(f"<bdi>{name}</bdi></th>" in html for name in classes)


def test_marks_tell_models_apart_without_colour():
    root = drawings(curves.render(SOURCE).html)[0]
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    for shape, model in (("circle", "A"), ("rect", "B")):
        found = [e for e in elements(root, shape)][1:]  # after that of the legend
        assert len(found) == 6
        hard = [e for e in SOURCE["curves"] if (e["model"], e["kind"], e["curve"]) == (model, "hard", "roc")]
        if shape == "circle":
            at = [[float(e.attrib["cx"]), float(e.attrib["cy"])] for e in found[3:]]
            np.testing.assert_allclose(at, [[x.at(hard[i]["x"]), y.at(hard[i]["y"])] for i in (4, 16, 32)], atol=0.06)


# ---- dispersion


def test_models_stand_on_the_map_where_their_errors_meet():
    places = SOURCE["calibration_map"]
    root = drawings(dispersion.calibration_map(places))[0]
    ends = [
        max(svg.around([0.0, *(e[f"{name}{end}"] or 0 for e in places for end in ("", "_low", "_high"))])[1], 0.01) for name in ("ce", "de")
    ]
    x, y = svg.x_scale(0, ends[0]), svg.y_scale(0, ends[1])
    circle = elements(root, "circle")[-1]  # after that of the legend
    at = [float(circle.attrib[name]) for name in ("cx", "cy")]
    np.testing.assert_allclose(at, [x.at(places[0]["ce"] or 0), y.at(places[0]["de"] or 0)], atol=0.06)


def test_a_loss_below_0_stands_at_0_and_is_said():
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
    np.testing.assert_allclose(
        points(elements(root, "polyline")[2]), [(x.at(e["mean_predicted"]), y.at(e["observed"])) for e in rows], atol=0.06
    )
    for e in rows:
        star = "*" if e["n_cases"] < 10 else ""
        assert f"<td>{e['mean_predicted']:.4f}</td><td>{e['observed']:.4f}</td>" in html and f"<td>{e['n_cases']}{star}</td>" in html


# ---- prediction sets


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
        np.testing.assert_allclose(drawn, expected, atol=0.06)
    assert {"80%", "90%", "95%"} <= set(texts(root))
    for e in SOURCE["set_coverage"]:
        assert f"<td>{e['coverage']:.4f}</td><td>{e['low']:.4f}–" in html and f"<td>{e['mean_size']:.2f}</td>" in html


def test_coverage_without_intervals():
    bare = [{**e, "low": None, "high": None} for e in SOURCE["set_coverage"]]
    assert "<td>undefined</td>" in checked(coverage.render({**SOURCE, "set_coverage": bare}))


# ---- sensitivity


def entry(kind, setting, model, value, change, best="A", n=10):
    names = (kind, setting, model, "topk_accuracy", 1, value, change, best, n)
    return dict(zip(sensitivity.TABLES["sensitivity"], names))


def both(kind, setting, a, b, best="A"):
    return [entry(kind, setting, "A", 0.8 + a, a, best), entry(kind, setting, "B", 0.7 + b, b, best)]


def test_the_greatest_change_is_on_top():
    rows = [*both("reliability", "1", 0.01, 0.0), *both("prior", "x 10", -0.3, 0.02), *both("annotator dropped", "ann", 0.0, 0.05)]
    root = drawings(sensitivity.figure(rows))[0]
    labels = [text for text in texts(root) if ": " in text]
    assert labels == ["prior: x 10", "annotator dropped: ann", "reliability: 1"]
    x = svg.Scale(*svg.around([0.0, -0.3, 0.05], 0.01), sensitivity.MARGIN, svg.WIDTH - svg.RIGHT)
    first = elements(root, "circle")[1]  # after that of the legend
    assert float(first.attrib["cx"]) == pytest.approx(x.at(-0.3), abs=0.06)
    assert float(first.attrib["cy"]) == pytest.approx(svg.TOP + sensitivity.ROW / 2 - 2.5, abs=0.06)


def test_where_another_model_wins_is_said():
    same = [*both("reliability", "1", 0.01, 0.0), *both("prior", "x 10", -0.05, 0.02)]
    html = sensitivity.render({"sensitivity": same}).html
    assert "<p><bdi>A</bdi> is best in the main analysis and under each of the 2 settings.</p>" in html
    html = sensitivity.render({"sensitivity": [*same, *both("prior", "x 0.1", -0.1, 0.1, "B")]}).html
    said = "<bdi>A</bdi> is best in the main analysis, but not under 1 of the 3 settings: <bdi>prior</bdi>: <bdi>x 0.1</bdi>."
    assert said in html
    assert "<td>0.7000</td><td>−0.1000</td>" in html and "<td>0.8000</td><td>+0.1000</td>" in html
    assert "best in the main analysis" not in sensitivity.render({"sensitivity": [same[0]]}).html


def test_what_is_undefined_has_no_mark():
    rows = [
        *both("prior", "x 10", 0.1, 0.1),
        entry("annotator dropped", "ann", "A", None, None, None, 0),
        entry("annotator dropped", "ann", "B", None, None, None, 0),
    ]
    html = checked(sensitivity.render({"sensitivity": rows}))
    assert "<td>undefined</td><td>undefined</td><td>undefined</td><td>0</td>" in html
    assert "under each of the 1 settings" in html
    assert [text for text in texts(drawings(html)[0]) if ": " in text] == ["prior: x 10"]
    assert "<svg" not in checked(sensitivity.render({"sensitivity": rows[2:]}))


def test_long_tables_are_cut_and_say_so():
    rows = [row for i in range(80) for row in both("annotator dropped", f"a{i}", i / 1000, 0.0)]
    html = checked(sensitivity.render({"sensitivity": rows}))
    assert "60 of 80 settings; the file sensitivity.csv has all" in html and html.count("<tbody>") == 60
    drawn = [text for text in texts(drawings(html)[0]) if ": " in text]
    assert drawn == [f"annotator dropped: a{i}" for i in range(79, 79 - sensitivity.MOST_DRAWN, -1)]
    assert "the 24 settings with the greatest changes are drawn" in html


def test_long_names_are_cut_in_the_figure():
    root = drawings(sensitivity.figure(both("annotator dropped", "x" * 80, 0.1, 0.1)))[0]
    (label,) = [text for text in texts(root) if ": " in text]
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
    assert "No setting was changed" in html
    assert "no chains" in sensitivity.render({}).html


@pytest.mark.parametrize("change, text", [(0.01234, "+0.0123"), (-0.5, "−0.5000"), (0.00001, "0"), (0.0, "0"), (None, "undefined")])
def test_changes_have_signs(change, text):
    assert sensitivity.signed(change) == text
