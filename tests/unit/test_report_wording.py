"""Title, authors, notes, nouns and open appendices: on the page, from the plan, in the record, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from twins.page import Page

import ugt
from ugt.report import html, wording

LABELS = ugt.Labels.from_wide([["a", "b"], ["a", "a"], ["b", "b"]] * 8, annotators=["hard case 1", "annotator B"], classes=["a", "b"])
SCORES = {"a case model": np.resize([[0.8, 0.2], [0.3, 0.7]], (24, 2))}
WORDS = {
    "title": "Moles <2026>", "authors": "A. Author, B. Author", "note": ["Only <one> case."], "unit": "image", "annotators_are": "reader",
}  # fmt: skip


def page(report=None, **options):
    found = ugt.evaluate(LABELS, SCORES, reliability=(1, 2), k=1, n_resamples=20, report=report, **options)
    return Page(html(found.to_dict()))


def test_without_words_the_page_has_models_and_cases():
    found = page()
    assert found.all("h1")[0]["text"] == "a case model on 24 cases" and "annotators’ truth" in found.text
    assert all(e["attrs"] == {} for e in found.all("details")) and "Folded appendices are not printed." in found.text


def test_words_are_on_the_page_and_those_of_the_user_stay():
    found = page({**WORDS, "appendices": "open"})
    assert found.all("h1")[0]["text"] == "Moles <2026>" and "A. Author, B. Author · 24 images · 2 classes · 2 readers" in found.text
    (note,) = [e["text"] for e in found.all("li") if e["text"].startswith("The authors add")]
    assert note == "The authors add Only <one> case." and "Only <one> case." in found.text[found.text.index("Text for a paper") :]
    assert "agrees with the readers’ truth" in found.text and "a reader" in found.text and "an reader" not in found.text
    assert "a case model" in found.text and "hard case 1" in found.text and "annotator B" in found.text and "cases.csv" in found.text
    ours = found.text[: found.text.index("What the result depends on The largest")]
    left = ours.replace("a case model", "").replace("hard case 1", "").replace("annotator B", "").replace("Only <one> case.", "")
    assert not {"case", "cases", "annotator", "annotators"} & set(left.replace(".csv", "_csv").split())
    opened = [e for e in found.all("details") if "nav" not in e["around"]]
    assert opened and all("open" in e["attrs"] for e in opened) and "not printed" not in found.text


@pytest.mark.parametrize(("noun", "plural"), [("image", "images"), ("biopsy", "biopsies"), ("patch", "patches"), ("X-ray", "X-rays")])
def test_plurals(noun, plural):
    assert f"24 {plural}" in page({"unit": noun}).text


def test_the_plan_and_the_record_have_them(tmp_path):
    plan = {"title": "planned", "unit": "image", "note": "first", "authors": "C. Author", "positive_class": "a"}
    found = ugt.evaluate(LABELS, SCORES, reliability=1, k=1, n_resamples=20, plan=plan, report={"title": "given"})
    assert found.provenance["report"] == {"title": "given", "authors": "C. Author", "note": ["first"], "unit": "image"}
    assert found.provenance["positive_class"] == "a"
    assert found.run == ugt.evaluate(LABELS, SCORES, reliability=1, k=1, n_resamples=20, plan=plan).run  # words are no results
    found.to_html(tmp_path / "r.html", report={"title": "last"})
    assert Page((tmp_path / "r.html").read_text(encoding="utf-8")).all("h1")[0]["text"] == "last"


def test_the_command_has_them(command, tmp_path):
    Path("l.csv").write_text("case,annotator,label\n" + "".join(f"{i},x,{'ab'[i % 2]}\n{i},y,a\n" for i in range(24)), encoding="utf-8")
    Path("m.csv").write_text("case,a,b\n" + "".join(f"{i},0.{i % 9 + 1},0.{9 - i % 9}\n" for i in range(24)), encoding="utf-8")
    words = ("--title", "T", "--authors", "A", "--note", "n1", "--note", "n2", "--unit", "image", "--annotators-are", "reader")
    command("evaluate", "--annotations", "l.csv", "--predictions", "m.csv", "--out", "r", "--n-boot", 20, "--no-details", "--quiet", *words)
    found = json.loads(Path("r/evaluation.json").read_text(encoding="utf-8"))
    assert found["provenance"]["report"] == dict(zip(wording.FIELDS, ("T", "A", ["n1", "n2"], "image", "reader")))
    command("report", "r/evaluation.json", "--title", "new", "--appendices", "open", "--quiet")
    again = Page(Path("report.html").read_text(encoding="utf-8"))
    assert again.all("h1")[0]["text"] == "new" and "A · 24 images" in again.text
    assert "<details open>" in Path("report.html").read_text(encoding="utf-8")
    assert "--unit must be a noun in the singular, such as image or reader. Got '7'" in command(
        "report", "r/evaluation.json", "--unit", 7, code=2
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("title", r"^report must be a mapping with the fields title, .*appendices\. Got str\.$"),
        ({"titel": "x"}, r"^report must have the fields title, authors, note, unit, annotators_are, appendices only\. Got 'titel'\.$"),
        ({"title": "x" * 201}, r"^title must be a text of at most 200 characters\. Got 201\.$"),
        ({"title": 3}, r"^title must be a text\. Got int\.$"),
        ({"unit": "<b>"}, r"^unit must be a noun in the singular, such as image or reader\. Got '<b>'\.$"),
        ({"annotators_are": "1st"}, r"^annotators_are must be a noun in the singular.*Got '1st'\.$"),
        ({"note": ["a", "x" * 401]}, r"^note\[1\] must be a text of at most 400 characters\. Got 401 characters\.$"),
        ({"note": [3]}, r"^note\[0\] must be a text of at most 400 characters\. Got int\.$"),
        ({"appendices": "shut"}, r"^appendices must be one of 'folded', 'open'\. Got 'shut'\.$"),
    ],
)
def test_what_is_refused(given, message):
    refused(message, wording.check, given)
