"""The frame of the report: structure and colours of the page, the plan, what is assumed, the checklist."""

import functools
import re

import numpy as np
import pytest
from twins.page import Page

import ugt
import ugt.report
from ugt.report import digest, markup, page
from ugt.report import plan as _plan
from ugt.report.sections import assumptions, checklist, provenance
from ugt.tables.makers import TABLES
from ugt.tables.rows import STRATA
from ugt.tables.source import ReportSource
from ugt.tables.strata import StratumRow
from ugt.truth import by_name

PLAN = {
    "question": "Is the net as good as its readers?",
    "primary_aggregation": "Dirichlet",
    "primary_metric": "top-1 accuracy",
    "reliability": [1, 2],
    "level": 0.95,
    "sample_size": 30,
    "blinding": "annotators saw no predictions",
    "annotators_independent_of_models": True,
}


@functools.cache
def evaluated(rankings=False):
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(3), 30)
    scores = {"net": truth * 0.5 + rng.dirichlet(np.ones(3), 30) * 0.5, "tree": rng.dirichlet(np.ones(3), 30)}
    if rankings:
        nested = [[[[int(k)] for k in rng.permutation(3)[:2]] for _ in range(3)] for _ in range(30)]
        ranked = ugt.Rankings.from_blocks(nested, n_classes=3, offered="all")
        return ugt.evaluate(ranked, scores, reliability=[10, 50], k=1, n_resamples=20).to_dict()
    case, annotator = np.repeat(np.arange(30), 4), np.tile(["a", "b", "c", "d"], 30)
    label = [rng.choice(3, p=truth[i]) for i in case]
    labels = ugt.Labels.from_long(case, annotator, label, classes=[0, 1, 2])
    return ugt.evaluate(labels, scores, reliability=[1, 2], k=1, n_resamples=20, clusters=np.arange(30) // 2).to_dict()


def source(plan=None, rankings=False, **changed):
    found = dict(evaluated(rankings))
    plan = {} if plan is None else _plan.check_plan(plan)
    return {**found, "provenance": {**found["provenance"], "plan": plan, **changed}}


@functools.cache
def shown(planned=True, rankings=False):
    return Page(ugt.report.html(source(PLAN if planned else None, rankings)))


@pytest.fixture(params=[False, True], ids=["labels", "rankings"])
def whole(request):
    return shown(rankings=request.param)


def test_headings_go_down_one_step_at_a_time(whole):
    headings = [e for e in whole.found if re.fullmatch("h[1-6]", e["tag"])]
    levels = [int(e["tag"][1]) for e in headings]
    assert levels[0] == 1 and levels.count(1) == 1 and all(e["text"].strip() for e in headings)
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))


def test_landmarks_and_the_way_past_them(whole):
    for tag in ("header", "nav", "main", "footer"):
        assert len(whole.all(tag)) == 1, tag
    assert whole.all("nav")[0]["attrs"]["aria-label"] == "Contents"
    body = [e for e in whole.found if e["around"] == ["html", "body"]]
    assert body[0]["tag"] == "a" and body[0]["attrs"] == {"class": "skip", "href": "#main"}
    assert whole.all("main")[0]["attrs"] == {"id": "main", "tabindex": "-1"}
    assert whole.all("html")[0]["attrs"]["lang"] == "en"


def test_ids_are_unique_and_references_lead_somewhere(whole):
    ids = [e["attrs"]["id"] for e in whole.found if "id" in e["attrs"]]
    assert len(ids) == len(set(ids))
    for e in whole.found:
        named = " ".join(e["attrs"].get(name, "") for name in ("aria-labelledby", "aria-describedby", "headers")).split()
        assert set(named) <= set(ids), e["attrs"]
        if e["tag"] == "a":
            assert e["attrs"]["href"][0] == "#" and e["attrs"]["href"][1:] in ids and e["text"].strip()


def test_sections_are_named_by_their_headings_and_listed_in_the_contents(whole):
    listed = [e["attrs"]["href"][1:] for e in whole.all("a") if "nav" in e["around"]]
    assert ["answer", *listed, "appendices"] == [
        e["attrs"]["id"] for e in sorted(whole.all("section"), key=lambda e: e["attrs"]["id"] == "appendices")
    ]
    for e in whole.all("section"):
        heading = next(inner for inner in e["within"] if inner["tag"] == "h2")
        assert e["attrs"]["aria-labelledby"] == heading["attrs"]["id"]
    folded = [e for e in whole.all("details") if "nav" not in e["around"]]
    assert [inner["attrs"]["id"] for e in folded for inner in e["within"] if inner["tag"] == "section"] == listed[-len(folded) :]
    assert all(e["attrs"] == {} for e in folded)


def test_tables_can_be_read_without_seeing_them(whole):
    for e in whole.all("table"):
        assert e["around"][-1] == "div"
        assert e["within"][0]["tag"] == "caption" and e["within"][0]["text"].strip()
        assert all(inner["attrs"].get("scope") and inner["text"].strip() for inner in e["within"] if inner["tag"] == "th")
        assert any(inner["attrs"].get("scope") == "col" for inner in e["within"])
    frames = [e for e in whole.all("div") if e["attrs"].get("class") == "frame"]
    assert len(frames) == len(whole.all("table"))
    for e in frames:
        assert (e["attrs"]["role"], e["attrs"]["tabindex"]) == ("region", "0")
        assert re.sub(r"\s+", " ", e["attrs"]["aria-label"]) == re.sub(r"\s+", " ", e["within"][1]["text"])


def test_figures_have_a_name_a_description_and_a_caption(whole):
    assert whole.all("figure")
    for e in whole.all("figure"):
        (drawing,) = (inner for inner in e["within"] if inner["tag"] == "svg")
        assert drawing["attrs"]["role"] == "img"
        by_id = {inner["attrs"]["id"]: inner["text"] for inner in drawing["within"] if "id" in inner["attrs"]}
        assert all(by_id[name].strip() for name in drawing["attrs"]["aria-labelledby"].split())
        assert next(inner for inner in e["within"] if inner["tag"] == "figcaption")["text"].strip()


def test_a_caption_with_markup_is_a_label_without():
    html = markup.html(markup.table(f'one<br>&quot;two&quot; {markup.text("<br>")} "three"', ["", "a"], [["b", "c"]]))
    (frame,) = Page(html).all("div")
    assert frame["attrs"]["aria-label"] == 'one "two" <br> "three"'
    assert [e["tag"] for e in Page(html).found if e["around"][-1:] == ["tr"]] == ["td", "th", "th", "td"]  # a corner is no heading


@pytest.mark.parametrize("value", ["a case", "<br>", "&lt;", 'two "cases"', "\x00", "a\x01b", "\ue000", "{0}", "x" * 40])
def test_values_are_set_apart_from_our_words_until_the_page_is_rendered(value):
    shouted, seen = str.upper, markup.visible(value)
    for one in (markup.text(value), markup.plain(value), digest.shown(value, 50), digest.shown(value, 50, "b bdi")):
        made = Page(f"<p>{markup.html(f'of {one} a case', shouted)}</p>")
        assert made.text == f"OF {seen} A CASE"
        assert Page(f'<p title="{markup.words(f"of {one} a")}"></p>').found[0]["attrs"]["title"] == f"of {seen} a"
        assert [part if isinstance(part, str) else part.whole for part in markup.parts_of(f"of {one} a")] == ["of ", seen, " a"]
    assert Page(markup.html(markup.whole(digest.shown(value, 8, "b bdi")))).text == seen


def test_names_that_were_cut_to_the_same_text_are_told_apart_wherever_they_stand():
    one, other = (digest.shown(f"a very long name with the number {n} at its end", 16) for n in (1, 2))
    assert Page(markup.html(one)).text == "a very long…"
    assert len({*Page(markup.html(f"<i>{one}</i> <i>{other}</i> <i>{one}</i>")).text.split(" ")}) > 2
    shown = [e["text"] for e in Page(markup.html(f"{one} {other} {one}")).all("bdi")]
    assert shown[0] == shown[2] != shown[1]


def palettes():
    """Variables of the light page, the dark one and paper; each begins with those of the light one."""
    style = page._STYLE
    blocks = [dict(re.findall(r"--(\w+): (#\w+)", block)) for block in re.findall(r":root {([^}]*)}", style)]
    blocks = [block for block in blocks if block]
    assert len(blocks) == 3
    assert style.index("@media screen and (prefers-color-scheme: dark)") < style.index("@media print")
    return {"light": blocks[0], "dark": {**blocks[0], **blocks[1]}, "print": {**blocks[0], **blocks[2]}}


def luminance(colour):
    """Relative luminance of WCAG 2.2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark", "print"])
def test_contrasts(name):
    assert contrast("#000", "#ffffff") == pytest.approx(21) and contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    colours = palettes()[name]
    for paper in ("paper", "shade"):
        for ink in ("ink", "faint"):
            assert contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)
    for line in ("line", "c0", "c1", "c2", "c3", "c4"):
        assert contrast(colours[line], colours["paper"]) >= 3, line


def test_every_variable_has_a_value_in_every_scheme_and_colours_come_from_variables_alone():
    used = set(re.findall(r"var\(--(\w+)\)", ugt.report.html(source())))
    light = set(palettes()["light"])
    forced = re.search(r"forced-colors: active\) {\s*:root {([^}]*)}", page._STYLE).group(1)
    assert used <= light and set(re.findall(r"--(\w+):", forced)) == light and "#" not in forced
    outside = re.sub(r":root {[^}]*}", "", page._STYLE + ugt.report.svg.STYLE)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![\w-]*\s*{)|rgb|hsl", outside)


def section_of(html_section):
    return re.sub(r"\s+", " ", Page(html_section.html).found[0]["text"])


def test_every_field_is_printed_blanks_as_not_stated():
    section = provenance.render(ReportSource.read(source(PLAN)))
    text, headings = section_of(section), [e["text"] for e in Page(section.html).all("th")]
    blank = re.search("; not stated: ([^.]*)[.]", text).group(1).split(", ")
    for name, meaning in _plan.FIELDS.items():
        assert (_plan.title(name) + meaning in headings) == (name in PLAN) == (_plan.title(name) not in blank), name
    assert "annotators saw no predictions" in text and re.search(r"is compared with the models ?yes", text)
    assert f"Of {len(_plan.FIELDS)} fields {len(PLAN)} are stated" in text
    names = "sample size, primary aggregation, reliability, primary metric, level"
    assert f"Where plan and run can be compared ({names}), they agree." in text and "(differs)" not in text
    assert provenance.differences(ReportSource.read(source(PLAN))) == []
    assert "No plan was given: what was prespecified is not stated." in section_of(provenance.render(ReportSource.read(source())))


DIFFER = [
    ({"reliability": [1, 2, 5]}, "reliability (planned 1, 2, 5; run 1, 2)"),
    ({"reliability": 1}, "reliability (planned 1; run 1, 2)"),
    ({"primary_aggregation": "votes"}, "primary aggregation (planned votes; run dirichlet)"),
    ({"primary_metric": "kappa"}, "primary metric (planned kappa; run Top-1 accuracy against the voted label, UA top-1"),
    ({"primary_metric": ["topk_accuracy@1", "F1"]}, "(planned topk_accuracy@1, F1; run"),
    ({"level": "0.9"}, "level (planned 0.9; run 0.95)"),
    ({"seed": 7}, "seed (planned 7; run 0)"),
    ({"sample_size": 31}, "sample size (planned 31; run 30)"),
    ({"number_of_annotators": 5}, "number of annotators (planned 5; run 4)"),
    ({"scale": "mild, severe"}, "scale (planned mild, severe; run none: classes without an order)"),
    ({"prior": 0.2}, "prior (planned 0.2; run 0.1)"),
    ({"date": "2999-01-01"}, "date (planned 2999-01-01; run 20"),
]
AGREE = {
    "reliability": ["1, 2", "two, but see below"],
    "primary_metric": ["topk_accuracy", "topk_accuracy@1", "Discrepancy ratio", "Krippendorff's alpha (nominal)"],
    "date": ["2020-02-02", "last autumn"],
    **{"seed": ["0"], "sample_size": ["about thirty"], "margin": [0.3]},
}


@pytest.mark.parametrize(("planned", "said"), DIFFER)
def test_where_plan_and_run_differ_a_sentence_says_so(planned, said):
    found = source(planned)
    assert provenance.differences(ReportSource.read(found)) == [*planned]
    text = section_of(provenance.render(ReportSource.read(found)))
    assert "This run departs from the plan in: " in text and said in text and text.count("(differs)") == 1


@pytest.mark.parametrize("planned", [{name: value} for name, values in AGREE.items() for value in values])
def test_what_agrees_or_cannot_be_compared_is_no_difference(planned):
    assert provenance.differences(ReportSource.read(source(planned))) == []


def test_a_plan_cannot_break_the_page():
    hostile = "</td><script>alert('x')</script>&\"\u202e"
    html = ugt.report.html(source({name: hostile for name in _plan.FIELDS}))
    assert "<script" not in html and "\u202e" not in html
    assert html.count("&lt;/td&gt;&lt;script&gt;") >= len(_plan.FIELDS)
    Page(html)


def numbers_of(html, caption):
    (found,) = (e for e in Page(html).all("table") if e["within"][0]["text"].startswith(caption))
    rows = [e for e in found["within"] if e["tag"] == "tr"][1:]
    return [[float(n) for e in row["within"] if e["tag"] == "td" for n in re.findall(r"[\d.]+", e["text"])] for row in rows]


def test_examples_have_the_numbers_of_the_posterior():
    rows = numbers_of(assumptions.render(ReportSource.read(source())).html, "What this means")
    for gamma, row in zip((1, 2), rows):
        for (mean, deviation), counts in zip(zip(row[::2], row[1::2]), ([1, 0, 0], [2, 1, 0], [3, 0, 0])):
            assert mean == pytest.approx(
                ugt.dirichlet(ugt.Labels.from_counts([counts]), reliability=gamma, prior=0.1).mean()[0, 0], abs=5e-5
            )
            drawn = np.random.default_rng(0).dirichlet(gamma * np.array(counts) + 0.1, 20_000)[:, 0]
            assert deviation == pytest.approx(drawn.std(), rel=0.06)
    assert "The prior of 0.1 a class counts as much as 0.3 labels" in section_of(assumptions.render(ReportSource.read(source())))
    rows = numbers_of(assumptions.render(ReportSource.read(source(rankings=True))).html, "What this means")
    two = ugt.prirn(ugt.Rankings.from_blocks([[[[0], [1]]]], n_classes=3), reliability=50)  # weights 2/3 and 1/3
    alpha = np.array(two.concentration)
    assert alpha.tolist() == pytest.approx([100 / 3, 50 / 3])
    assert rows[1][2:4] == pytest.approx([two.mean()[0, 0], np.sqrt(2 / 9 / (alpha.sum() + 1))], rel=0.02)


KNOWN = ["votes", "irn", "prirn", "dirichlet", "plackett-luce"]


@pytest.mark.parametrize("aggregation", [*KNOWN, "given (Draws)"])
def test_every_truth_says_what_it_assumes(aggregation):
    text = section_of(assumptions.render(ReportSource.read(source(aggregation=aggregation, parameters={}))))
    assert "What is assumed" in text and "would come to agree on" in text and re.search(r"Limits\. \w+", text)
    assert ("made elsewhere" in text) == (aggregation not in KNOWN)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"reliability": []}, "Reliabilitynone"),
        ({"reliability": [2.0]}, "Only one reliability was evaluated"),
        ({"reliability": [1, 2]}, "2 reliabil"),
        ({"parameters": {"prior": [0.1, 0.2, 0.3]}}, "[0.1, 0.2, 0.3]"),
        ({"parameters": {"prior_mass": None, "unranked": "lump"}}, "blank"),
        ({"parameters": {"own": "<b>"}}, "<b>"),
        ({"parameters": {"prior": 0}}, "counts as much as 0 labels"),
    ],
)
def test_reliabilities_and_parameters_of_any_kind_are_said(changed, said):
    assert said in section_of(assumptions.render(ReportSource.read(source(**changed))))


def test_items_name_fields_and_places_and_truths_that_exist():
    for items in checklist.GUIDELINES.values():
        for item in items:
            assert set(item.fields) <= set(_plan.FIELDS) and set(item.places) <= set(checklist._PLACES)
            assert item.fields or item.places
    anchors = {anchor for place in checklist._PLACES.values() for anchor in place.anchors}
    assert anchors <= {*titles_of_sections(), "scores", "confusion", "planning", "curves"}  # of other data
    assert {place.table for place in checklist._PLACES.values()} <= {"", *TABLES}
    assert {*assumptions._ASSUMED, "auto"} == set(by_name.AGGREGATIONS)


def titles_of_sections():
    return {e["attrs"]["id"]: e["attrs"]["id"] for e in shown().all("section")}


def of_item(data, guideline, number):
    """Where an item of a guideline is answered, and how far."""
    rows = checklist.rows(ReportSource.read(data), titles_of_sections())
    (row,) = (row for row in rows if (row.guideline, row.item) == (guideline, number))
    return row.where.split(", "), row.status


def test_blinding_comes_from_the_plan_if_the_plan_has_it():
    assert of_item(source(), "STARD-AI 2025", "17b") == ([""], checklist.FOR_AUTHORS)
    where, status = of_item(source(PLAN), "STARD-AI 2025", "17b")
    assert status == "from the plan: blinding; but not stated: what annotators saw" and where == ["plan"]
    _, status = of_item(source({**PLAN, "what_annotators_saw": "photographs"}), "STARD-AI 2025", "17b")
    assert status == "from the plan: what annotators saw, blinding"


def test_numbers_are_answered_only_where_they_were_computed():
    data = source()
    assert of_item(data, "CLAIM 2024", "38") == (["measures", "metrics.csv"], "in this report")
    without = {**data, "metrics": [{**e, "case_low": None} for e in data["metrics"]]}
    assert of_item(without, "CLAIM 2024", "38") == ([""], checklist.FOR_AUTHORS)
    assert of_item(data, "TRIPOD+AI 2024", "12e")[0][:2] == ["measures", "metrics.csv"]
    assert "but not in this report: performance with intervals" in of_item(without, "TRIPOD+AI 2024", "12e")[1]
    assert "agreement.csv" in of_item(data, "CLAIM 2024", "18")[0]
    assert "agreement.csv" not in of_item({**data, "agreement": []}, "CLAIM 2024", "18")[0]


def test_subgroups_count_only_where_the_user_gave_some():
    known = StratumRow("", "x", None, "certainty", 0.5, 0.4, 0.6, 30, None, False)
    rows = [known._replace(stratum=name)._asdict() for name in (*STRATA, "site")]
    given, own = {**source(), "strata": rows}, {**source(), "strata": rows[:-1]}
    assert "strata.csv" in of_item(given, "STARD-AI 2025", "23")[0]
    assert of_item(own, "STARD-AI 2025", "23")[1] == checklist.FOR_AUTHORS
    assert "not in this report: subgroups" in of_item(own, "TRIPOD+AI 2024", "23a")[1]


def test_totals_are_counted():
    n_items = sum(map(len, checklist.GUIDELINES.values()))
    for data in (source(), source(PLAN), source({name: "x" for name in _plan.FIELDS})):
        rows = checklist.rows(ReportSource.read(data), titles_of_sections())
        none = [row for row in rows if row.status == checklist.FOR_AUTHORS]
        part = sum("but not stated: " in row.status or "but not in" in row.status or "but to be" in row.status for row in rows)
        text = section_of(checklist.render(ReportSource.read(data), titles_of_sections()))
        total = (
            f"Of {n_items} items {n_items - part - len(none)} are answered here, {part} in part; {len(none)} are for the authors to write."
        )
        assert total in text and len(rows) == n_items and all(row.asks in text for row in none)
    words = "positive and negative percent agreement (PPA, NPA), not sensitivity and specificity"
    assert words in section_of(checklist.render(ReportSource.read(source()), {}))
