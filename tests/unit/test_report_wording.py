"""Title, authors, notes, nouns and open appendices: on the page, from the plan, in the record, and what is refused."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from twins.page import Page

import ugt
from ugt.cli.output import model_lines
from ugt.report import html, wording
from ugt.report.digest import Digest, distinct, reliability_words
from ugt.report.digits import Digits
from ugt.report.headline import ACCURACY, OF_GRADES
from ugt.tables.source import ReportSource

LABELS = ugt.Labels.from_wide([["a", "b"], ["a", "a"], ["b", "b"]] * 8, annotators=["hard case 1", "annotator B"], classes=["a", "b"])
SCORES = {"a case model": np.resize([[0.8, 0.2], [0.3, 0.7]], (24, 2))}
WORDS = {
    "title": "Moles <2026>", "authors": "A. Author, B. Author", "note": ["Only <one> case."], "unit": "image", "annotators_are": "reader",
}  # fmt: skip


def page(report=None, **options):
    found = ugt.evaluate(LABELS, SCORES, reliability=(1, 2), k=1, n_resamples=20, positive_class="b", report=report, **options)
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
    command(
        "evaluate",
        "--annotations",
        "l.csv",
        "--predictions",
        "m.csv",
        "--out",
        "r",
        "--n-boot",
        20,
        "--no-details",
        "--quiet",
        *words,
        "--positive-class",
        "b",
    )
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


# ---- sentences about unusual data


def evaluated(rows, scores, classes="abc", **options):
    labels = ugt.Labels.from_wide(rows, annotators=["x", "y", "z"][: len(rows[0])], classes=list(classes))
    made = ugt.evaluate(labels, scores, **{"reliability": (1, 2), "k": 1, "n_resamples": 200, **options})
    return made.to_dict()


def of_data(rows, scores, classes="abc", **options):
    return Page(html(evaluated(rows, scores, classes, **options)))


def choosing(columns, n_classes=3):
    return np.eye(n_classes)[columns] * 0.7 + 0.3 / n_classes


CASES = np.arange(60)
MIXED = [["abc"[i % 3], "abc"[i % 3], "abc"[(i + (i % 5 == 0)) % 3]] for i in CASES]


def test_what_is_worse_than_a_constant_has_an_interval_of_the_sign_of_its_words():
    text = of_data(
        [["abbb"[i % 4]] * 2 + ["abb"[i % 3]] for i in CASES], {"m": choosing((CASES % 4 == 0).astype(int), 2)}, "ab", positive_class="b"
    ).text
    assert re.search(r"percentage points less than always answering “b” \([\d.]+ to [\d.]+\)", text)
    assert "no better than by chance (" in text and "as by chance" not in text  # it agrees less often than that


def test_a_verdict_on_the_truth_model_gives_its_reason():
    # The interval of what was observed can include what was predicted: the test compares both on the same cases.
    e = {"reliability": 1.0, "annotator": None, "predicted": 0.78, "observed": 0.71, "low": 0.58, "high": 0.81, "n_cases": 60}
    data = evaluated(MIXED, {"m": choosing(CASES % 3)}, reliability=1)
    for p_value, said in (
        (0.048, "chance explains (p = 0.048). It does not describe these annotators, and no other truth model was tried."),
        (0.0000002, "larger than chance explains (p &lt; 0.001)"),
        (0.21, "The difference is not larger than chance explains (p = 0.21)."),
    ):
        assert said in html({**data, "panel_check": [{**e, "p_value": p_value, "adjusted_p_value": None}]})
    refuted = {**data, "panel_check": [{**e, "p_value": 0.048, "adjusted_p_value": None}]}
    fit = {"role": "other", "aggregation": "dirichlet", "prior": "fit", "reliability": 1.0}
    other = {**fit, "predicted": 0.72, "observed": 0.71, "n_cases": 60}
    said = "explains (p = 0.048). The fitted prior describes them: prior='fit'."
    assert said in html({**refuted, "truth_checks": [{**other, "p_value": 0.5}]})
    quote = "quote the vote and agreement with one more annotator."
    said = f"explains (p = 0.048). No truth model that was tried describes them (the fitted prior): {quote}"
    assert said in html({**refuted, "truth_checks": [{**other, "p_value": 0.01}]})


def test_further_notes_of_a_kind_are_counted_as_notes():
    copies = {"m": choosing(CASES % 3), "other": choosing((CASES + 1) % 3)}
    text = of_data([["abc"[i % 3]] * 3 for i in CASES], copies).text
    assert "in all of 60 cases. The notes have 2 more of this kind." in text and "So it is" not in text


def test_doubts_are_one_sentence():
    disagreed = [["abc"[(i + j) % 3] for j in range(3)] for i in CASES]
    text = of_data(disagreed, {"copy": choosing(CASES % 3), "other": choosing((CASES * 7 + CASES // 4) % 3)}, k=None).text
    assert "A model repeats the annotations; a model may have seen the annotations: do not rely on this result." in text


def test_equal_values_are_said_once():
    text = of_data(MIXED, {"m": choosing(CASES % 3), "same": choosing(CASES % 3)}).text
    assert re.search(r"cannot be distinguished: their first choices agree with the annotators’ truth in [\d.]+% of cases, ", text)
    assert "a difference of 0.0 percentage points (−6.3 to 6.3)" in text.replace("\u00a0", " ")  # other cases may tell them apart


def test_nothing_settled_is_said_without_a_number():
    text = of_data([["abc"[i % 3]] * 2 for i in CASES], {}, reliability=(0.2, 0.5)).text
    assert "The truth of no case is settled (at least 99% certain) at reliability 0.5." in text and "0 of 60 cases (0%)" not in text


def test_what_has_no_spread_claims_none():
    # Three annotators: whoever always has the vote disagrees half as much as they do, in every resample.
    rows = [["b" if i % 4 == 0 and i % 3 == j else "a" for j in range(3)] for i in CASES]
    text = of_data(rows, {"vote": choosing(np.zeros(60, int), 2)}, "ab", positive_class="b").text
    assert "vote 0.50 (the same in every resample)" in text and "limit 0.50" not in text
    text = of_data([["abc"[i % 3]] * 3 for i in CASES], {"m": choosing(CASES % 3)}, reliability=1).text
    assert "±0.0" not in text and "± 0.0" not in text and "m agrees with the annotators’ truth in 98.7% of cases, " in text


def test_ends_and_their_value_have_the_same_decimals():
    digits = Digits(0)
    assert [digits.beside(0.004, 0.137).lead(0.0704), digits.leads(0.004, 0.137)] == ["+7.0", "0.4\u00a0to\u00a013.7"]
    assert digits.beside(0.0, 0.1).decimals == 0 == digits.beside(None, None).decimals
    assert digits.leads(0.0, 0.0) == "–" == digits.leads(-1e-17, 1e-17) and digits.around(0.1, 0.1) == ""


def test_no_number_is_minus_0():
    data = evaluated(MIXED, {"m": choosing(CASES % 3)}, reliability=1)
    small = [{**data["agreement"][0], "value": -0.003, "low": -0.09, "high": 0.002}]
    assert ">−0.01−0.09 to <0.01" in Page(html({**data, "agreement": small})).text


@pytest.mark.parametrize(
    "names",
    [
        ["a very long model name of checkpoint 000123 final", "a very long model name of checkpoint 000124 final"],
        ["dermatosis of unknown aetiology, subtype 01, with secondary impetiginisation, " * 2 + "end", "dermatosis of the " + "x" * 60],
        ["x" * 30 + "1" + "y" * 30, "x" * 30 + "2" + "y" * 30, "x" * 30 + "1" + "z" * 30, "x" * 30],
        ["short", "other"],
    ],
)
@pytest.mark.parametrize("most", [14, 16, 32])
def test_names_that_differ_in_their_middle_are_told_apart(names, most):
    found = distinct(names, most)
    assert len(set(found)) == len(names) and all(len(one) <= most for one in found)


def test_long_names_are_told_apart_in_pictures_and_tables():
    one, other = (f"a very long model name with version 2026-11-28 and checkpoint 00012{i} final" for i in (3, 4))
    made = html(evaluated(MIXED, {one: choosing(CASES % 3), other: choosing((CASES + (CASES % 7 == 0)) % 3)}))
    shown = [*re.findall('<text class="t[0-9]"[^>]*>([^<]*)</text>', made)]
    assert sorted(shown) == ["…000123 final", "…000124 final"]
    cut = dict(re.findall(r'<bdi title="([^"]*)">([^<]*)</bdi>', made))
    assert cut[one] != cut[other] and "…t 000123 final changes by" in made


def test_ratings_have_no_vote():
    rng = np.random.default_rng(1)
    truth = rng.normal(50, 10, 40)
    given = truth[:, None] + rng.normal(0, 4, (40, 2))
    ratings = ugt.Ratings.from_long(case=np.repeat(np.arange(40), 2), annotator=np.tile(["x", "y"], 40), value=given.ravel())
    made = Page(html(ugt.evaluate(ratings, {"m": truth}, reliability=(1, 2), n_resamples=50).to_dict())).text
    assert not re.search(r"\bvoted?\b", made[: made.index("Appendices")])
    assert re.search(r"always answering “\d\d\.\d”", made)


def test_one_of_something_is_singular():
    text = of_data([["a", "a", "b"]], {"m": choosing(np.zeros(1, int))}).text
    assert "m on 1 case " in text and "1 of 1 case is less than 99% certain" in text and "1 case had 3 labels" in text
    assert not re.search(r"\b1 (?:cases|clusters|annotators|models)\b", text)
    text = of_data([["abc"[i % 3]] for i in CASES], {"m": choosing(CASES % 3)}, clusters=["p"] * 60).text
    assert "60 cases of 1 cluster " in text and "Only 1 cluster " in text and "60 labels by 1 annotator;" in text


def test_lists_of_models_have_no_space_before_a_comma():
    models = {f"m{i}": choosing((CASES + (i == CASES % 10)) % 3) for i in range(6)}
    text = of_data(MIXED, models).text
    assert re.search(r"m\d, m\d and 4 more cannot be distinguished", text) and "m0 ," not in text


@pytest.mark.parametrize(("command", "generated"), [("ugt demo", True), ("ugt demo --out d", True), ("ugt demos", False), (None, False)])
def test_a_demonstration_says_so_whatever_its_options(command, generated):
    data = evaluated(MIXED, {"m": choosing(CASES % 3)}, reliability=1)
    text = Page(html({**data, "provenance": {**data["provenance"], "command": command}})).text
    assert ("Generated data The cases and models are simulated" in text) is generated


@pytest.mark.parametrize("how", ["dawid-skene", "glad", "votes", "graded-response"])
def test_a_truth_without_a_reliability_is_worded(how):
    """Under one of these truths and against the voted label, models are ahead, behind or not told apart, in every combination."""
    signs, texts = set(), []
    for seed in range(8 if how == "dawid-skene" else 2):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, 100)
        wide = np.where(rng.random((100, 4)) < 0.6, truth[:, None], rng.integers(0, 3, (100, 4)))
        models = {"old": rng.random((100, 3)) + 0.35 * np.eye(3)[truth], "new": rng.random((100, 3)) + 0.7 * np.eye(3)[truth]}
        labels = ugt.Labels.from_wide(wide, classes=3, ordered=[0, 1, 2] if how == "graded-response" else None)
        found = ugt.evaluate(labels, models, aggregation=how, n_resamples=200, details=False).to_dict()
        signs.add(tuple(Digest(ReportSource.read(found)).signs("new", "old").values()))
        texts.append(Page(html(found)).text)
        texts.append("\n".join(model_lines(ReportSource.read(found))))
    assert not any(re.search(r"reliability none|at none|without reliability|\bNone\b(?! of these)|\bnan\b", one) for one in texts)
    if how == "dawid-skene":
        assert len(signs) > 1 and any("against the annotators’ truth" in one for one in texts)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([10.0], "at reliability 10"),
        ([10.0, 20.0, "voted"], "at reliabilities 10 and 20 and against the voted label"),
        ([None], "against the annotators’ truth"),
        ([None, "voted"], "against the annotators’ truth and the voted label"),
        (["voted"], "against the voted label"),
    ],
)
def test_every_truth_has_words(given, said):
    assert reliability_words(given) == said


def test_values_that_are_equal_as_shown_are_not_two_values_to_quote():
    whole, finer, same = Digits(0), Digits(1), (0.512, 0.508)
    assert ACCURACY.at_both(whole, same, (0.2, 5)) == "has 51% at reliabilities 0.2 and 5."
    assert ACCURACY.at_both(finer, same, (0.2, 5)) == "has 51.2% at reliability 0.2 and 50.8% at 5. Quote both."
    assert ACCURACY.depends(whole, 0.508, 0.512) == "agrees in 51% of cases at each reliability"
    assert ACCURACY.depends(finer, 0.508, 0.512) == "agrees in 50.8% to 51.2% of cases, depending on the reliability"
    grades = Digits(1, 1, share=False)
    assert OF_GRADES.at_both(grades, same, (0.2, 5)) == "differs by 0.5 grades at reliabilities 0.2 and 5."
    assert OF_GRADES.depends(grades, 0.508, 0.512) == "differs by 0.5 grades at each reliability"
    assert "Quote both" in OF_GRADES.at_both(grades, (0.4, 0.6), (0.2, 5)) and "depending" in OF_GRADES.depends(grades, 0.4, 0.6)


def test_a_limit_names_the_truth_under_which_it_holds():
    assert ACCURACY.limit(Digits(1), 0.878, ", at reliability 1") == "no first choice can exceed 87.8% under this truth, at reliability 1"
