"""The figures of the report: well-formed, described in words, points where their numbers say, nothing loaded."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from twins.page import drawings, elements, points, same_points, texts

import ugt
from ugt.report import svg
from ugt.report.sections import calibration, certainty, performance

HOSTILE = '<script>"x"&'


def evaluation(classes=("benign", "malign"), models=("A", "B"), reliability=(0.5, 1, 2)):
    rng = np.random.default_rng(0)
    k = len(classes)
    truth = rng.dirichlet(np.ones(k), 60)
    counts = np.stack([rng.multinomial(4, p) for p in truth])
    scores = {name: rng.dirichlet(np.ones(k), 60) * 0.3 + truth * 0.7 for name in models}
    labels = ugt.Labels.from_counts(counts, classes=list(classes))
    return ugt.evaluate(labels, scores, reliability=reliability, k=1, n_resamples=50).to_dict()


def drawing(html):
    """The only figure, parsed."""
    (found,) = drawings(html)
    return found


def test_scales_and_styles():
    x = svg.Scale(1, 100, 10, 30, log=True)
    assert (x.at(1), x.at(10), x.at(100), x.at(1000)) == (10, 20, 30, 30)
    y = svg.Scale(0, 2, 100, 0)
    assert (y.at(0), y.at(1), y.at(2), y.at(-5)) == (100, 50, 0, 100) and svg.Scale(3, 3, 0, 10).at(3) == 5
    names = [f"m{i}" for i in range(9)]
    kept = svg.spread(names)
    assert len(kept) == svg.N_STYLES and kept[0] == "m0" and kept[-1] == "m8"
    long = ["x" * 60] * 6
    assert svg.legend(long)[1] > svg.legend(["a", "b"])[1] and "…" in svg.legend(long)[0]
    marks = {svg.marker(5, 5, style) for style in range(svg.N_STYLES)}
    assert len(marks) == svg.N_STYLES and all(ET.fromstring(mark) is not None for mark in marks)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.83, 0.86), (-4, 900), (1e-9, 2e-9), (0.5, 0.5)])
def test_ticks_are_round_and_inside(low, high):
    ends = svg.around([low, high])
    assert ends[0] <= low and ends[1] >= high
    marks = svg.ticks(svg.Scale(*ends, 0, 1))
    assert 3 <= len(marks) <= 12 and ends[0] - 1e-9 <= marks[0] and marks[-1] <= ends[1] + 1e-9
    steps = np.diff(marks)
    assert np.ptp(steps) < 1e-6 * steps[0]


def test_the_certainty_curve_is_sorted():
    source = evaluation()
    root = drawing(certainty.curve(source))
    lines = elements(root, "polyline")
    assert len(lines) == 3
    x, y = svg.x_scale(0, 100), svg.y_scale(0, 1)
    values = sorted(e["certainty_1"] for e in source["cases"])
    drawn = points(lines[1])
    expected = [(x.at(100 * (i + 0.5) / 60), y.at(v)) for i, v in enumerate(values)]
    same_points(drawn, expected)
    assert {"reliability 0.5", "reliability 1", "reliability 2", "certainty of the top class"} <= set(texts(root))


def test_metrics_against_the_reliability():
    source = evaluation()
    root = drawing(performance.by_reliability(source, "topk_accuracy", 1))
    rows = [e for e in source["metrics"] if e["model"] == "B" and e["metric"] == "topk_accuracy"]
    heights = [b for _, b in points(elements(root, "polyline")[1])]
    assert len(heights) == len(rows) == 3 and len(elements(root, "polygon")) == 2
    assert np.corrcoef(heights, [e["value"] for e in rows])[0, 1] == pytest.approx(-1, abs=1e-3)  # up is more
    assert performance.by_reliability(evaluation(reliability=1), "topk_accuracy", 1) == ""


def test_reliability_diagrams():
    source = evaluation()
    root = drawing(calibration.reliability_diagram(source, "malign"))
    bins = [e for e in source["reliability_bins"] if e["class"] == "malign" and e["model"] == "A"]
    x, y = svg.x_scale(0, 1), svg.y_scale(0, 1)
    line = next(e for e in elements(root, "polyline") if "guide" not in e.attrib["class"])
    same_points(points(line), [(x.at(e["mean_probability"]), y.at(e["label_share"])) for e in bins])
    assert calibration.reliability_diagram(source, "nobody") == ""


def test_names_are_escaped_and_figures_are_described(tmp_path):
    source = evaluation(classes=("a", HOSTILE), models=(HOSTILE, "B"))
    for html in (performance.by_reliability(source, "topk_accuracy", 1), calibration.reliability_diagram(source, HOSTILE)):
        root = drawing(html)
        assert root.attrib["role"] == "img"
        labelled = root.attrib["aria-labelledby"].split()
        ids = {e.attrib["id"]: e.text for e in root.iter() if "id" in e.attrib}
        assert len(labelled) == 2 and all(len(ids[name]) > 10 for name in labelled)
        assert HOSTILE not in html and "href" not in html and "url(" not in html
        assert HOSTILE in [e.text for e in root.iter()]
