"""The sections on who annotated what, on truths side by side, on strata and on confusion: well-formed, harmless, right."""

import numpy as np
import pytest
from twins import details
from twins.page import parsed, rows_of, words_of

import ugt
from ugt.report import svg
from ugt.report.sections import confusion, design, strata, truth_models

HOSTILE = '<script>"x"&'


def source(*given, **options):
    return details.source((design, truth_models, strata, confusion), *given, **options)


def evaluated(models=("A", HOSTILE), n=60, n_annotators=4, classes=("benign", "malign", HOSTILE), **options):
    """Of labels with gaps; the last class was given by nobody."""
    rng = np.random.default_rng(0)
    cells = rng.integers(0, len(classes) - 1, (n, n_annotators)).astype(object)
    cells[rng.random(cells.shape) < 0.3] = None
    labels = ugt.Labels.from_wide(cells, classes=list(classes), annotators=[f"{HOSTILE}'", *(f"r{a}" for a in range(1, n_annotators))])
    return source(labels, {name: rng.random((n, len(classes))) for name in models}, **options)


def drawing(html, anchor):
    """What stands inside the axes: the figure without its legend."""
    (found,) = [f for f in parsed(html).iter("figure") if f.get("id") == anchor]
    return found.find("svg/g")


def test_who_annotated_what():
    given = evaluated()
    made = design.render(given)
    rows = rows_of(made, "Annotators,")
    sizes = sorted(given["annotators"], key=lambda e: -e["n_cases"])
    assert [row[0] for row in rows[1:]] == [e["annotator"] for e in sizes] and rows[1][4] == f"{100 * sizes[0]['agreement']:.0f}%"
    matrix = rows_of(made, "Cases that two annotators share")
    assert matrix[0][1:] == [row[0] for row in matrix[1:]] and len(matrix) == 5
    squares = drawing(made.html, "design-overlap").findall("rect")
    said = {words_of(e.find("title")): float(e.get("fill-opacity")) for e in squares}
    assert len(said) == 16 and said[f"r1: {given['annotators'][1]['n_cases']} cases"] == 0
    most = max(e["n_common"] for e in given["annotator_overlap"])
    for e in given["annotator_overlap"]:
        i, j = matrix[0].index(e["annotator"]), matrix[0].index(e["other"])
        assert matrix[i][j] == matrix[j][i] == str(e["n_common"])
        shade = said[f"{e['annotator']} and {e['other']}: {e['n_common']} cases"]
        assert shade == pytest.approx(0.08 + 0.52 * e["n_common"] / most, abs=1e-3)
    sizes = rows_of(made, "Annotations per case")[1:]
    assert {int(a): int(n) for a, n in sizes if n != "0"} == {e["n_annotations"]: e["n_cases"] for e in given["case_sizes"]}
    assert {row[0] for row in rows_of(made, "Classes,")[1:]} == {"benign", "malign"}
    assert f"Classes that no annotator gave (1): {HOSTILE}" in words_of(parsed(made.html))


def test_many_nameless_and_lone_annotators():
    given = evaluated(n_annotators=25)
    made = design.render(given)
    assert len(rows_of(made, "Annotators,")) == 21 and "20 of 25 are shown; the file annotators.csv has all of them." in made.html
    listed = rows_of(made, "Cases that two annotators share, the pairs")
    assert len(listed) == 13 and "12 of 300 are shown" in made.html and "0 of 300 pairs share no case" in made.html
    counts = [int(row[2]) for row in listed[1:]]
    assert counts == sorted((e["n_common"] for e in given["annotator_overlap"]), reverse=True)[:12]
    assert len(list(drawing(made.html, "design-overlap").iter("rect"))) == 625
    made = design.render(source(ugt.Labels.from_counts([[2, 1]] * 20 + [[4, 0]]), {}))
    assert "Who gave which annotation is not known" in made.html and "Every class was given" in made.html
    assert "design-overlap" not in made.html and "design-sizes" in made.html
    alone = design.render(source(ugt.Labels.from_wide([["a"], ["b"]], annotators=["x"]), {})).html
    assert "nobody to share cases with" in alone and "design-sizes" not in alone and "who agree" not in alone  # one bar says nothing


def test_sizes_are_binned_and_bars_stand_for_their_numbers():
    sizes = [{"n_annotations": n, "n_cases": 1 + n % 3} for n in (0, 1, 5, 49, 50, 99)]
    bins = design._binned(sizes)
    assert len(bins) == 20 and bins[0] == ("0–4", 3) and bins[9] == ("45–49", 2) and bins[10] == ("50–54", 3) and bins[-1] == ("95–99", 1)
    assert sum(n for _, n in bins) == sum(e["n_cases"] for e in sizes)
    assert design._binned([{"n_annotations": 3, "n_cases": 2}, {"n_annotations": 1, "n_cases": 5}]) == [("1", 5), ("2", 0), ("3", 2)]
    given = {"case_sizes": [{"n_annotations": n, "n_cases": cases} for n, cases in ((1, 10), (2, 40), (3, 20))]}
    heights = [float(e.get("height")) for e in drawing(design.size_bars(given), "design-sizes").iter("rect")]
    assert heights[1:] == pytest.approx([4 * heights[0], 2 * heights[0]], abs=0.3)


def test_truths_side_by_side():
    given = evaluated(reliability=(0.5, 2))
    made = truth_models.render(given)
    rows = rows_of(made, "Top-1 accuracy under each truth")[1:]
    names = ["voted label", "reliability 0.5", "reliability 2", *(f"annotator {e['annotator']}" for e in given["annotators"])]
    assert [row[0] for row in rows[::2]] == names
    for e, row in zip(given["truth_models"], rows):
        gap = "–" if e["truth"] == "voted" else f"{e['gap']:+.4f}"
        assert (row[-6], row[-5], row[-3], row[-1]) == (e["model"], f"{e['value']:.4f}", gap, str(e["n_cases"]))
    own = [e["value"] for e in given["truth_models"] if e["model"] == "A"]
    words = words_of(parsed(made.html))
    assert f"A: from {min(own):.4f} (" in words and f" to {max(own):.4f} (" in words
    group = drawing(made.html, "truth-models-figure")
    dots = [float(e.get("cx")) for e in group.iter("circle")][: len(own)]
    assert np.corrcoef(dots, own)[0, 1] > 1 - 1e-4
    bars = [e for e in group.iter("line") if e.get("class") == "line s0"]
    assert len(bars) == len(own)
    for dot, bar in zip(dots, bars):
        assert float(bar.get("x1")) <= dot <= float(bar.get("x2")) and bar.get("y1") == bar.get("y2")


def test_dots_of_given_plausibilities_and_of_many_models():
    rows = rows_of(truth_models.render(source(ugt.Point.from_array([[0.7, 0.3]]), {"A": [[0.7, 0.3]]})), "Top-1")
    assert rows[2][0] == "without reliability" and rows[1][3] == "undefined" and rows[2][4] == "+0.0000"
    none = {**dict.fromkeys(truth_models.TABLES["truth_models"]), "model": "A", "truth": "annotator", "name": "x", "k": 1, "n_cases": 0}
    none["metric"] = "topk_accuracy"
    assert "<figure" not in truth_models.render({"provenance": {"level": 0.9}, "truth_models": [none]}).html
    models = tuple(f"m{i}" for i in range(8))
    made = truth_models.render(evaluated(models=models))
    assert "the first 6 of 8 models are drawn, the table has all" in made.html
    texts = [e.text for e in parsed(made.html).find(".//svg").iter("text")]
    assert "m5" in texts and "m6" not in texts and all(f">{model}<" in made.html for model in models)
    assert svg.N_STYLES == 6
    entries = [{"model": "A", "value": v, "low": 0.0, "high": 1.0} for v in (0.0, 1.0)]
    html = truth_models.dot_plot("f", "t", "n", [("x", entries[:1]), ("y", entries[1:])], ["A"], "accuracy")
    ends = [float(e.get("cx")) for e in drawing(html, "f").iter("circle")]
    assert min(ends) == 130 and max(ends) == svg.WIDTH - svg.RIGHT
    assert truth_models.dot_plot("f", "t", "n", [], [], "accuracy") == ""


def test_strata():
    subgroups = {"site": np.resize(["north", "süd", "süd", ""], 60)}
    given = evaluated(models=("A", "B"), subgroups=subgroups, clusters=np.arange(60) // 2)
    made = strata.render(given)
    rows = rows_of(made, "By site")
    assert rows[0][0] == "site" and rows[0][-1] == "clusters"
    found = {(e["level"], e["model"], e["metric"]): e for e in given["strata"] if e["stratum"] == "site"}
    level = ""
    for row in rows[1:]:
        level, cells = (row[0], row[1:]) if len(row) == len(rows[0]) else (level, row)
        model = None if cells[0].startswith("a copy of the annotations") else cells[0]
        e = found[level, model, "certainty" if model is None else "topk_accuracy"]
        assert cells[1] == f"{e['value']:.4f}" and cells[5:] == [str(e["n_cases"]), str(e["n_clusters"])]
        assert cells[2] == ("few cases, no interval" if e["few"] else f"{e['low']:.4f}–{e['high']:.4f}")
        voted = found.get((level, model, "voted_accuracy"))
        assert cells[3] == (f"{voted['value']:.4f}" if voted else "–")
    assert level == "not stated" and len(rows) == 10
    assert [f.get("id") for f in parsed(made.html).iter("figure")] == ["strata-0", "strata-1", "strata-2", "strata-3"]
    made = strata.render(source(ugt.Labels.from_counts([[2, 1], [3, 0]] * 20), {}))  # without models
    rows = rows_of(made, "By agreement")
    assert rows[0][2] == "mean certainty of the truth" and [row[0] for row in rows[1:]] == ["unanimous", "majority"]
    assert "<figure" not in made.html


def test_confusion():
    given = evaluated()
    made = confusion.render(given)
    rows = rows_of(made, f"Expected numbers of cases of {HOSTILE}:")
    n = {(e["truth"], e["predicted"]): e for e in given["confusion"] if e["model"] == HOSTILE}
    for row in rows[1:]:
        assert row[1:] == [f"{n[row[0], predicted]['n']:.1f}" for predicted in rows[0][1:]]
    squares = drawing(made.html, "confusion-1").findall("rect")
    shade = {words_of(e.find("title")).split(" (")[0]: float(e.get("fill-opacity")) for e in squares}
    share = n["benign", "malign"]["share"]
    assert shade[f"benign, taken for malign: {100 * share:.0f}%"] == pytest.approx(0.08 + 0.52 * share, abs=1e-3)
    own = given["class_agreement"][0]
    ends = [f"{own[name]:.4f}–{own[other]:.4f}" for name, other in (("ppa_low", "ppa_high"), ("npa_low", "npa_high"))]
    cells = ["A", "benign", f"{own['ppa']:.4f}", ends[0], f"{own['npa']:.4f}", ends[1], f"{own['n_expected']:.1f}"]
    assert rows_of(made, "Agreement with the annotators")[1] == cells
    text = words_of(parsed(made.html)).lower()
    assert "positive percent agreement" in text and "sensitivity" not in text and "specificity" not in text


def test_many_classes_and_models():
    classes = tuple(f"class {k}" for k in range(25))
    made = confusion.render(evaluated(models=tuple("ABCDE"), classes=classes))
    assert "3 of 5 models are shown; the file confusion.csv has all of them." in made.html
    assert [f.get("id") for f in parsed(made.html).iter("figure")] == ["confusion-0", "confusion-1", "confusion-2"]
    listed = rows_of(made, "Classes that A takes for others")
    assert len(listed) == 21 and all(row[0] != row[1] for row in listed[1:])
    counts = [float(row[2]) for row in listed[1:]]
    assert counts == sorted(counts, reverse=True) and "(other classes)" in made.html
