"""`ugt reader-study`: files of readings in their forms, the truth where it is, claims, and what is refused."""

import json

import numpy as np
import pytest

import ugt

TRUTH = np.repeat([0, 1], 10)
READERS = ("ann", "bob", "cy")


@pytest.fixture
def tables(write):
    """Files of a study, and its ratings (T, R, N)."""
    rng = np.random.default_rng(3)
    x = rng.integers(1, 5, (2, 3, 20)) + np.array([1, 2])[:, None, None] * TRUTH
    rows = [
        (test, reader, f"p{i}", x[t, r, i], TRUTH[i])
        for t, test in enumerate(("without", "with"))
        for r, reader in enumerate(READERS)
        for i in range(20)
    ]
    long = [",".join(map(str, row)) for row in rows]
    write("modality,reader,case,rating,truth\n" + "\n".join(long), "readings.csv")
    write("modality,reader,case,rating\n" + "\n".join(row.rpartition(",")[0] for row in long), "bare.csv")
    imrmc = [f"truth,p{i},truth,{TRUTH[i]}" for i in range(20)] + [
        f"{reader},{case},{test},{value}" for test, reader, case, value, _ in rows
    ]
    write("readerID,caseID,modalityID,score\n" + "\n".join(imrmc), "imrmc.csv")
    write("case,truth\n" + "\n".join(f"p{i},{'bad' if z else 'good'}" for i, z in enumerate(TRUTH)), "truth.csv")
    wrong = rng.random((20, 3)) < 0.2
    labels = [f"p{i},{who},{'bad' if z != wrong[i, a] else 'good'}" for a, who in enumerate("xyz") for i, z in enumerate(TRUTH)]
    write("case,annotator,label\n" + "\n".join(labels), "panel.csv")
    write("case,annotator,label\n" + "\n".join(row.replace("x", "ann") for row in labels), "own.csv")
    scores = np.round(rng.normal(size=20) + TRUTH, 3)
    write("case,score\n" + "\n".join(f"p{i},{one}" for i, one in enumerate(scores)), "model.csv")
    return x, scores, np.where(wrong, 1 - TRUTH[:, None], TRUTH[:, None])


@pytest.mark.parametrize("words", [["readings.csv"], ["imrmc.csv"], ["bare.csv", "--truth", "truth.csv", "--positive", "bad"]])
def test_the_truth_where_it_is(command, tables, words):
    x, _, _ = tables
    found = json.loads(command("reader-study", *words, "--json"))
    one = ugt.reader_study(TRUTH, ugt.studies.Readings.from_array(x, tests=["without", "with"]))
    assert [row["value"] for row in found["figures"]] == pytest.approx([test.value for test in one.tests.values()])
    assert found["differences"][0]["p_value"] == pytest.approx(one.differences[0].p_value)
    assert found["design"] == "crossed" and found["read"][0]["n_ratings"] == 120


def test_the_positive_class_is_named_and_tests_below_one_half_are_noted(command, tables, write):
    rows = [f"{test},r{r},p{i},{(i * 7 + r) % 10 + 6 * (i < 10)},{'cancer' if i < 10 else 'healthy'}"
            for test in ("a", "b") for r in range(3) for i in range(20)]  # fmt: skip
    write("test,reader,case,rating,truth\n" + "\n".join(rows), "classes.csv")
    printed = command("reader-study", "classes.csv")
    assert "Positive class: cancer, of cancer and healthy; --positive sets it.\n" in printed and "Below 0.5" not in printed
    assert json.loads(command("reader-study", "classes.csv", "--json"))["positive"] == "cancer"
    printed = command("reader-study", "classes.csv", "--positive", "healthy")
    assert "Positive class: healthy, of cancer and healthy.\n" in printed
    assert "Note: Below 0.5: a, b. " in printed and "(for a truth of classes: --positive)" in printed
    asked = "--positive must be given for a truth whose names do not show which is the finding (--positive bad or --positive good)"
    assert asked in command("reader-study", "bare.csv", "--truth", "panel.csv", code=2)
    printed = command("reader-study", "bare.csv", "--truth", "panel.csv", "--positive", "good")
    assert "Positive class: good, of bad and good.\n" in printed
    assert "Positive class" not in command("reader-study", "readings.csv")
    cells = [row.split(",") for row in rows[:60]]
    turned = [",".join([*cell[:3], str(20 - int(cell[3])), cell[4]]) for cell in cells]
    write("test,reader,case,rating,truth\n" + "\n".join([*turned, *rows[60:]]), "mixed.csv")
    assert "Note: Below 0.5: a. " in command("reader-study", "mixed.csv")


def test_numbers_beyond_one_are_classes_if_the_positive_one_is_named(command, tables, write):
    rows = [f"a,r{r},p{i},{(i * 7 + r) % 10 + 6 * (i < 10)},{1 + (i < 10)}" for r in range(3) for i in range(20)]
    write("test,reader,case,rating,truth\n" + "\n".join(rows), "numbers.csv")
    said = command("reader-study", "numbers.csv", code=2)
    must = "--positive must be given for a truth that does not have two classes or numbers from 0 to 1. Got the numbers 1, 2."
    assert f"numbers.csv: {must}" in said
    printed = command("reader-study", "numbers.csv", "--positive", "2.0")
    assert "Positive class: 2, of 1 and 2.\n" in printed and "Below 0.5" not in printed


def test_a_panel_and_a_claim(command, tables, tmp_path):
    x, _, labels = tables
    words = ("bare.csv", "--truth", "panel.csv", "--positive", "bad", "--new", "with", "--old", "without", "--margin", "0.1")
    printed, found = command("reader-study", *words, "--out", "tables"), json.loads(command("reader-study", *words, "--json"))
    one = ugt.reader_study(ugt.Labels.from_wide(labels, classes=2), ugt.studies.Readings.from_array(x, tests=["without", "with"]))
    claim = one.non_inferiority("with", "without", 0.1)
    assert found["random"] == ["readers", "cases", "annotators"] and found["claim"]["low"] == pytest.approx(claim.low)
    shown = "not demonstrated" if claim.whom == "nobody" else "demonstrated for these 3 readers and 3 annotators of the truth"
    assert f"Non-inferiority of with against without: {shown}" in printed
    assert (tmp_path / "tables" / "figures.csv").read_text(encoding="utf-8").startswith("test,value,low,high")
    assert len((tmp_path / "tables" / "differences.csv").read_text(encoding="utf-8").splitlines()) == 2


def test_a_model_against_readers(command, tables):
    x, scores, _ = tables
    words = ("readings.csv", "--model", "model.csv", "--test", "without", "--margin", "0.2")
    found = json.loads(command("reader-study", *words, "--json"))
    one = ugt.studies.against_readers(TRUTH, ugt.studies.Readings.from_array(x[:1]), scores, margin=0.2)
    assert (
        found["differences"][0]["low"] == pytest.approx(one.difference.interval()[0]) and found["claim"]["decision"] == one.claim.decision
    )
    assert "model - readers" in command("reader-study", *words)


def test_rows_without_a_rating_are_counted(command, tables, write):
    rows = (write("", "x").parent / "readings.csv").read_text(encoding="utf-8").splitlines()
    rows[1] = ",".join([*rows[1].split(",")[:3], "", rows[1].split(",")[4]])
    write("\n".join(rows), "gap.csv")
    found = json.loads(command("reader-study", "gap.csv", "--json"))
    assert found["left_out"] == {"row without a rating": 1} and found["design"] == "partially paired"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bare.csv"], "have a column for the truth, or --truth"),
        (["bare.csv", "--truth", "own.csv", "--positive", "bad"], "without the readers that it judges"),
        (["model.csv"], "Got no reader among"),
        (["readings.csv", "--rating-column", "grade"], "rating-column must be one of the columns"),
        (["readings.csv", "--new", "with"], "--new, --old and --margin must be given together"),
        (["readings.csv", "--new", "aided", "--old", "with", "--margin", "0.1"], "one of the tests 'without', 'with'. Got 'aided'"),
        (["readings.csv", "--test", "with"], "--test must be left out without --model"),
        (["readings.csv", "--model", "model.csv"], "must be one of 'without', 'with'"),
        (["readings.csv", "--model", "model.csv", "--old", "with"], "--old must be left out with --model"),
        (["readings.csv", "--figure", "sensitivity"], "threshold must be given for --figure sensitivity"),
        (["bare.csv", "--truth", "truth.csv", "--positive", "worse"], "positive must be a class"),
        (["twice.csv"], "rating must be one for each test, reader and case. Got two, first at test 'a', reader 'ann', case 'p1', line 4."),
        (["mixed.csv"], "truth must be the same in all rows of a case. Got '0' and '1', first at case 'p1'"),
    ],
)
def test_what_is_refused(command, tables, write, words, message):
    write("test,reader,case,rating,truth\na,ann,p1,3,0\na,ann,p2,,0\na,ann,p1,4,0", "twice.csv")
    write("test,reader,case,rating,truth\na,ann,p1,3,0\nb,ann,p1,4,1", "mixed.csv")
    assert message in command("reader-study", *words, code=2)
