"""The sections on who annotated what, on truths side by side, on strata and on confusion: well-formed, harmless, right."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from twins import details

import ugt
from ugt.report import svg
from ugt.report.sections import confusion, design, strata, truth_models

HOSTILE = '<script>"x"&'
SECTIONS = {"design": design.render, "truth-models": truth_models.render, "strata": strata.render, "confusion": confusion.render}


def source(annotations, predictions, **options):
    """What of an evaluation's dictionary these sections read."""
    context = details.context(annotations, predictions, **options)
    found = {"provenance": {"level": 0.9}}
    for module in (design, truth_models, strata, confusion):
        found.update(details.made(module, context)[0])
    return found


def labels(n=60, n_annotators=4, names=None, classes=("benign", "malign", HOSTILE)):
    rng = np.random.default_rng(0)
    cells = rng.integers(0, len(classes) - 1, (n, n_annotators)).astype(object)
    cells[rng.random(cells.shape) < 0.3] = None
    return ugt.Labels.from_wide(
        cells, classes=list(classes), annotators=names or [f"{HOSTILE}'", *(f"r{a}" for a in range(1, n_annotators))]
    )


def evaluated(models=("A", HOSTILE), n=60, classes=("benign", "malign", HOSTILE), **options):
    rng = np.random.default_rng(1)
    scores = {name: rng.random((n, len(classes))) for name in models}
    return source(labels(n, classes=classes, **options.pop("labels", {})), scores, **options)


def parsed(html):
    """The tree of a section: balanced tags, every reference of XML."""
    return ET.fromstring(f"<r>{html}</r>")


def words_of(element):
    return " ".join("".join(element.itertext()).split())


def rows_of(section, caption):
    """The cells of the table with that beginning of its caption."""
    (found,) = [t for t in parsed(section.html).iter("table") if words_of(t.find("caption")).startswith(caption)]
    return [[words_of(cell) for cell in row] for row in found.iter("tr")]


def drawing(html, anchor):
    """What stands inside the axes: the figure without its legend."""
    (found,) = [f for f in parsed(html).iter("figure") if f.get("id") == anchor]
    return found.find("svg/g")


@pytest.mark.parametrize("name", SECTIONS)
def test_sections_are_well_formed_and_harmless(name):
    given = evaluated(subgroups={HOSTILE: np.resize(["x", HOSTILE, ""], 60)}, clusters=np.arange(60) // 2)
    made = SECTIONS[name](given)
    root = parsed(made.html)
    assert made.anchor == name and root[0].get("id") == name and "<script" not in made.html and "href" not in made.html
    assert words_of(root.find(".//p[@class='how']")).endswith(".")
    tables = list(root.iter("table"))
    assert tables
    for table in tables:
        widths = {sum(1 for _ in row) for row in table.find("thead")}
        in_body = [row for body in table.findall("tbody") for row in body]
        spans = [sum(1 for _ in row) for row in in_body]
        grouped = any(cell.get("scope") == "rowgroup" for row in in_body for cell in row)
        assert set(spans) <= (widths | {min(widths) - 1} if grouped else widths)
    figures = list(root.iter("figure"))
    assert figures
    anchors = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(anchors) == len(set(anchors))
    for figure in figures:
        drawn = figure.find("svg")
        title, said = drawn.find("title"), drawn.find("desc")
        assert drawn.get("role") == "img" and drawn.get("aria-labelledby") == f"{title.get('id')} {said.get('id')}"
        assert title.text and said.text
        width, height = map(float, drawn.get("viewBox").split()[2:])
        for shape in drawn.iter():
            for key, most in (("x", width), ("cx", width), ("x1", width), ("x2", width), ("y", height), ("cy", height)):
                assert shape.get(key) is None or -1 <= float(shape.get(key)) <= most + 1


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.parametrize(
    "given", [{"provenance": {"level": 0.9}}, {"provenance": {"level": 0.9}, "strata": [], "case_sizes": (), "confusion": []}]
)
def test_empty_and_old_tables_say_why(name, given):
    made = SECTIONS[name](given)
    said = [words_of(p) for p in parsed(made.html).iter("p") if p.get("class") is None]
    assert len(said) == 1 and "it needs" in said[0] and "<table" not in made.html and "<figure" not in made.html


def test_who_annotated_what():
    given = evaluated()
    made = design.render(given)
    rows = rows_of(made, "Annotators,")
    assert [row[0] for row in rows[1:]] == [e["annotator"] for e in sorted(given["annotators"], key=lambda e: -e["n_cases"])]
    assert rows[1][4] == f"{100 * max(given['annotators'], key=lambda e: e['n_cases'])['agreement']:.0f}%"
    matrix = rows_of(made, "Cases that two annotators share")
    common = {(e["annotator"], e["other"]): str(e["n_common"]) for e in given["annotator_overlap"]}
    assert matrix[0][1:] == [row[0] for row in matrix[1:]] and len(matrix) == 5
    for (a, b), n in common.items():
        i, j = matrix[0].index(a), matrix[0].index(b)
        assert matrix[i][j] == matrix[j][i] == n
    sizes = rows_of(made, "Annotations per case")[1:]
    assert {int(a): int(n) for a, n in sizes if n != "0"} == {e["n_annotations"]: e["n_cases"] for e in given["case_sizes"]}
    classes = rows_of(made, "Classes,")
    assert {row[0] for row in classes[1:]} == {"benign", "malign"}
    assert f"Classes that no annotator gave (1): {HOSTILE}" in words_of(parsed(made.html))


def test_the_map_of_annotators():
    given = evaluated()
    squares = drawing(design.render(given).html, "design-overlap").findall("rect")
    said = {words_of(e.find("title")): float(e.get("fill-opacity")) for e in squares}
    assert len(said) == 16
    most = max(e["n_common"] for e in given["annotator_overlap"])
    for e in given["annotator_overlap"]:
        shade = said[f"{e['annotator']} and {e['other']}: {e['n_common']} cases"]
        assert shade == pytest.approx(0.08 + 0.52 * e["n_common"] / most, abs=1e-3)
    assert said[f"r1: {given['annotators'][1]['n_cases']} cases"] == 0


def test_many_annotators_are_listed():
    given = evaluated(labels={"n_annotators": 25})
    made = design.render(given)
    assert len(rows_of(made, "Annotators,")) == 21 and "20 of 25 are shown; the file annotators.csv has all of them." in made.html
    listed = rows_of(made, "Cases that two annotators share, the pairs")
    assert len(listed) == 13 and "12 of 300 are shown" in made.html and "0 of 300 pairs share no case" in made.html
    counts = [int(row[2]) for row in listed[1:]]
    assert counts == sorted((e["n_common"] for e in given["annotator_overlap"]), reverse=True)[:12]
    assert len(list(drawing(made.html, "design-overlap").iter("rect"))) == 625


def test_annotators_without_names_and_alone():
    made = design.render(source(ugt.Labels.from_counts([[2, 1]] * 20 + [[4, 0]]), {}))
    assert "Who gave which annotation is not known" in made.html and "Every class was given" in made.html
    assert "design-overlap" not in made.html and "design-sizes" in made.html
    alone = design.render(source(ugt.Labels.from_wide([["a"], ["b"]], annotators=["x"]), {}))
    assert "nobody to share cases with" in alone.html
    assert "design-sizes" not in alone.html  # one bar says nothing
    assert "who agree" not in alone.html


def test_many_sizes_are_binned():
    sizes = [{"n_annotations": n, "n_cases": 1 + n % 3} for n in (0, 1, 5, 49, 50, 99)]
    bins = design._binned(sizes)
    assert len(bins) == 20 and bins[0] == ("0–4", 3) and bins[9] == ("45–49", 2) and bins[10] == ("50–54", 3) and bins[-1] == ("95–99", 1)
    assert sum(n for _, n in bins) == sum(e["n_cases"] for e in sizes)
    assert design._binned([{"n_annotations": 3, "n_cases": 2}, {"n_annotations": 1, "n_cases": 5}]) == [("1", 5), ("2", 0), ("3", 2)]


def test_bars_stand_for_their_numbers():
    given = {"case_sizes": [{"n_annotations": n, "n_cases": cases} for n, cases in ((1, 10), (2, 40), (3, 20))]}
    bars = list(drawing(design.size_bars(given), "design-sizes").iter("rect"))
    heights = [float(e.get("height")) for e in bars]
    assert heights[1] == pytest.approx(4 * heights[0], abs=0.3) and heights[2] == pytest.approx(2 * heights[0], abs=0.3)


def test_truths_side_by_side():
    given = evaluated(reliability=(0.5, 2))
    made = truth_models.render(given)
    rows = rows_of(made, "Top-1 accuracy under each truth")[1:]
    names = [row[0] for row in rows[::2]]
    assert names == ["voted label", "reliability 0.5", "reliability 2", *(f"annotator {e['annotator']}" for e in given["annotators"])]
    for e, row in zip(given["truth_models"], rows):
        cells = row[-5:]
        gap = "–" if e["truth"] == "voted" else f"{e['gap']:+.4f}"
        assert (cells[0], cells[2], cells[4]) == (f"{e['value']:.4f}", gap, str(e["n_cases"])) and row[-6] == e["model"]
    own = [e["value"] for e in given["truth_models"] if e["model"] == "A"]
    assert f"A: from {min(own):.4f} (" in words_of(parsed(made.html)) and f" to {max(own):.4f} (" in words_of(parsed(made.html))


def test_dots_stand_for_their_numbers():
    given = evaluated(models=("A", "B"), reliability=(0.5, 2))
    group = drawing(truth_models.render(given).html, "truth-models-figure")
    dots = [float(e.get("cx")) for e in group.iter("circle")]
    own = [e for e in given["truth_models"] if e["model"] == "A"]
    assert len(dots) == len(own) and np.corrcoef(dots, [e["value"] for e in own])[0, 1] > 1 - 1e-4
    bars = [e for e in group.iter("line") if e.get("class") == "line s0"]
    assert len(bars) == len(own)
    for dot, bar in zip(dots, bars):
        assert float(bar.get("x1")) <= dot <= float(bar.get("x2")) and bar.get("y1") == bar.get("y2")


def test_given_plausibilities_and_undefined_values():
    point = ugt.Point.from_array([[0.7, 0.3]])
    made = truth_models.render(source(point, {"A": [[0.7, 0.3]]}))
    rows = rows_of(made, "Top-1")
    assert rows[2][0] == "without reliability" and rows[1][3] == "undefined" and rows[2][4] == "+0.0000"
    none = {"provenance": {"level": 0.9}, "truth_models": [{**_blank(), "value": None}]}
    assert "<figure" not in truth_models.render(none).html


def _blank():
    ends = dict.fromkeys(("low", "high", "gap", "gap_low", "gap_high"))
    return {"model": "A", "truth": "annotator", "name": "x", "metric": "topk_accuracy", "k": 1, "n_cases": 0, **ends}


def test_more_models_than_styles():
    models = tuple(f"m{i}" for i in range(8))
    made = truth_models.render(evaluated(models=models))
    assert "the first 6 of 8 models are drawn, the table has all" in made.html
    texts = [e.text for e in parsed(made.html).find(".//svg").iter("text")]
    assert "m5" in texts and "m6" not in texts and all(f">{model}<" in made.html for model in models)
    assert svg.N_STYLES == 6


def test_strata():
    sites = np.resize(["north", "süd", "süd", ""], 60)
    given = evaluated(models=("A", "B"), subgroups={"site": sites}, clusters=np.arange(60) // 2)
    made = strata.render(given)
    rows = rows_of(made, "By site")
    assert rows[0][0] == "site" and rows[0][-1] == "clusters"
    found = {(e["level"], e["model"], e["metric"]): e for e in given["strata"] if e["stratum"] == "site"}
    level = ""
    for row in rows[1:]:
        level, cells = (row[0], row[1:]) if len(row) == len(rows[0]) else (level, row)
        model = None if cells[0].startswith("highest possible") else cells[0]
        e = found[level, model, "certainty" if model is None else "topk_accuracy"]
        assert cells[1] == f"{e['value']:.4f}" and cells[5:] == [str(e["n_cases"]), str(e["n_clusters"])]
        assert cells[2] == ("few cases, no interval" if e["few"] else f"{e['low']:.4f}–{e['high']:.4f}")
        voted = found.get((level, model, "voted_accuracy"))
        assert cells[3] == (f"{voted['value']:.4f}" if voted else "–")
    assert level == "not stated" and len(rows) == 10
    anchors = [f.get("id") for f in parsed(made.html).iter("figure")]
    assert anchors == ["strata-0", "strata-1", "strata-2", "strata-3"]


def test_strata_without_models():
    made = strata.render(source(ugt.Labels.from_counts([[2, 1], [3, 0]] * 20), {}))
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
    agreement = rows_of(made, "Agreement with the annotators")
    own = given["class_agreement"][0]
    assert agreement[1] == ["A", "benign", f"{own['ppa']:.4f}", f"{own['ppa_low']:.4f}–{own['ppa_high']:.4f}",
                            f"{own['npa']:.4f}", f"{own['npa_low']:.4f}–{own['npa_high']:.4f}", f"{own['n_expected']:.1f}"]  # fmt: skip
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


def test_dots_have_no_range_beyond_shares():
    entries = [{"model": "A", "value": v, "low": 0.0, "high": 1.0} for v in (0.0, 1.0)]
    html = truth_models.dot_plot("f", "t", "n", [("x", entries[:1]), ("y", entries[1:])], ["A"], "accuracy")
    ends = [float(e.get("cx")) for e in drawing(html, "f").iter("circle")]
    assert min(ends) == 130 and max(ends) == svg.WIDTH - svg.RIGHT
    assert truth_models.dot_plot("f", "t", "n", [], [], "accuracy") == ""
