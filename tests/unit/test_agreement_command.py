"""``ugt agreement``, and agreement in evaluations: the numbers of the functions."""

import json
import re
import warnings

import numpy as np
import pytest
from csv_files import read
from refusals import refused

import ugt
from ugt import synthetic

ROWS = [tuple(row) for row in ["1ax", "1bx", "1cy", "2ay", "2by", "3ax", "3cx", "4ay", "4bx", "5by"]]


@pytest.fixture
def folder(command, write):
    return write("case,annotator,label\n" + "".join(",".join(row) + "\n" for row in ROWS), "labels.csv").parent


def labels():
    return ugt.Labels.from_long(*zip(*((int(case), annotator, label) for case, annotator, label in ROWS)))


def test_labels(folder, command):
    said = command("agreement", "labels.csv", "--out", "out", "--n-boot", "200", "--seed", "3", "--level", "0.9")
    table = ugt.agreement_table(labels())
    for found, row in zip(read("out/agreement.csv"), table.rows(0.9, n_resamples=200, seed=3)):
        assert found["coefficient"] == row["coefficient"] and float(found["value"]) == row["value"] and float(found["low"]) == row["low"]
    pairs = ugt.agreement.pairwise_agreement(labels())
    found = read("out/pairs.csv")
    assert sorted((row["annotator"], row["other"], int(row["n_cases"])) for row in found) == [("a", "b", 3), ("a", "c", 2), ("b", "c", 1)]
    assert [float(row["cohen"]) for row in found] == sorted(pairs.value[np.triu_indices(3, 1)])  # the worst first
    listed = said.splitlines()
    worst = listed[listed.index("Pairs of annotators (Cohen's kappa, lowest first):") + 2].split()
    assert worst == [found[0]["annotator"], found[0]["other"], found[0]["n_cases"], f"{float(found[0]['cohen']):.2f}"]
    assert [float(row["cohen"]) for row in read("out/annotators.csv")] == pairs.per_annotator.tolist()
    classes = read("out/classes.csv")
    assert [row["class"] for row in classes] == ["x", "y"] and [float(row["prevalence"]) for row in classes] == [0.5, 0.5]
    assert table.text(0.9, n_resamples=200, seed=3).splitlines()[1] in said and "Left out: case with a single annotator: 1." in said
    assert [line.split()[0] for line in said.splitlines() if line.startswith("  ")][1:4] == ["c", "a", "b"]


def test_a_page_without_any_model(folder, command, write):
    said = command("agreement", "labels.csv", "--n-boot", "20", "--page", "pages/a.html", "--json")
    found = json.loads(said)
    assert found["files"] == ["pages/a.html"] and found["n_pairs"] == len(found["worst_pairs"]) == 3
    page = (folder / "pages" / "a.html").read_text(encoding="utf-8")
    assert "Agreement among the annotators" in page and "percent agreement" in page and "labels.csv" in page and "model" in page
    path = write("case,annotator,ranking\n1,a,x > y\n1,b,y > x\n2,a,x\n2,b,x > z\n", "rankings.csv")
    assert "Report: b.html" in command("agreement", path, "--n-boot", "20", "--page", "b.html") and (folder / "b.html").exists()
    write("case,annotator,rating\n1,a,1\n1,b,2\n2,a,3\n2,b,3\n", "ratings.csv")
    assert "--page must be left out for ratings" in command("agreement", "ratings.csv", "--page", "c.html", code=2)


def test_long_lists_of_annotators_say_what_is_not_shown(command, write):
    write("case,annotator,label\n" + "".join(f"{i},r{a},{(i + a) % 3}\n" for i in range(6) for a in range(20)), "many.csv")
    said = command("agreement", "many.csv", "--n-boot", "20")
    assert "  and 8 more (all of them: --out DIR)" in said and "  and 178 more (all of them: --out DIR)" in said


def test_clusters_weights_and_ratings(folder, command, write):
    write("case,cluster\n1,p\n2,p\n3,q\n4,r\n5,r\n", "patients.csv")
    command("agreement", "labels.csv", "--clusters", "patients.csv", "--out", "out")
    expected = ugt.agreement_table(labels()).rows(clusters=["p", "p", "q", "r", "r"])
    assert [float(row["low"]) for row in read("out/agreement.csv")] == [row["low"] for row in expected]
    write("case,annotator,label\n1,a,1\n1,b,2\n2,a,3\n2,b,3\n3,a,5\n3,b,4\n", "ratings.csv")
    correlation = ugt.agreement.intraclass_correlation(ugt.Ratings.from_wide([[1, 2], [3, 3], [5, 4]]), "A,1").value
    assert f"{correlation:.3f}" in command("agreement", "ratings.csv", "--ratings", "--n-boot", "50")
    command("agreement", "ratings.csv", "--weights", "quadratic", "--out", "weighted")
    values = {row["coefficient"]: float(row["value"]) for row in read("weighted/agreement.csv")}
    table = ugt.agreement_table(ugt.Labels.from_wide([[1, 2], [3, 3], [5, 4]]), weights="quadratic")
    assert values == {row["coefficient"]: row["value"] for row in table.rows()}


def test_rankings(command, write):
    path = write("case,annotator,ranking\n1,a,x > y\n1,b,y > x\n2,a,x\n2,b,x > z\n")
    rankings = ugt.Rankings.from_strings([1, 1, 2, 2], list("abab"), ["x > y", "y > x", "x", "x > z"])
    found = ugt.agreement.annotator_average_overlap(rankings, 3)
    low, high = found.interval()
    line = f"average overlap of pairs at 3 {found.value:.2f} ({low:.2f} to {high:.2f}) 2"
    assert line in " ".join(command("agreement", path).split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ratings"], "value must be a number. Got 'x', first at line 2."),
        (["--clusters", "half.csv"], "clusters must hold an id for every case. Got none for 4 of 5 cases, first at case 2."),
        (["--level", "2"], "level must"),
    ],
)
def test_what_cannot_be(folder, command, write, words, message):
    write("case,cluster\n1,p\n", "half.csv")
    assert message in command("agreement", "labels.csv", "--out", "out", *words, code=2) and not (folder / "out").exists()


def test_in_an_evaluation(tmp_path):
    given, truth = synthetic.make_labels(50, 3, 4, seed=1)
    clusters = np.arange(50) // 2
    ev = ugt.evaluate(given, {"A": truth}, k=1, n_resamples=100, seed=2, clusters=clusters)
    assert list(ev.agreement) == ugt.agreement_table(given).rows(n_resamples=100, seed=2, clusters=clusters)
    ev.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    part = page[page.index('<section id="people"') :]
    (row,) = re.findall(r"Fleiss&#x27; kappa.*?</tr>", part[: part.index("</section>")])
    assert f"<b>{ev.agreement[1]['value']:.2f}</b>" in row and f"{ev.agreement[1]['low']:.2f} to {ev.agreement[1]['high']:.2f}" in row
    same = ugt.evaluate(ugt.Labels.from_counts([[3, 0], [2, 0]]), {"A": [[0.7, 0.3]] * 2}, k=1, n_resamples=20)
    assert same.agreement[1]["reason"].startswith("no variation")
    same.to_html(tmp_path / "same.html")
    assert "No variation" in (tmp_path / "same.html").read_text(encoding="utf-8")
    for other in (ugt.Labels.from_counts([[1, 0], [0, 1]]), ugt.dirichlet(ugt.Labels.from_counts([[1, 0], [0, 1]]))):
        assert ugt.evaluate(other, {"A": [[0.7, 0.3]] * 2}, k=1, n_resamples=20).agreement == ()


def test_strictness_of_grades(command, write):
    """In the printed table, the JSON and a file; for ordered labels and for ratings alike."""
    rng = np.random.default_rng(0)
    table = np.clip(rng.integers(0, 3, (30, 1)) + rng.integers(0, 2, (30, 3)) + [[0, 1, 0]], 0, 3)
    rows = [f"{i},{who},{grade}" for i, row in enumerate(table.tolist()) for who, grade in zip("abc", row)]
    write("case,annotator,label\n" + "\n".join(rows) + "\n", "grades.csv")
    found = ugt.agreement.annotator_strictness(ugt.Labels.from_wide(table, annotators=list("abc"), ordered=[0, 1, 2, 3]))
    for option in (["--ratings"], ["--ordered", "0,1,2,3"]):
        record = json.loads(command("agreement", "grades.csv", *option, "--n-boot", "20", "--out", "out", "--json"))
        assert record["strictness"] == found.table() and record["strictness_test"]["p"] == found.p_value
        assert [float(row["joint_high"]) for row in read("out/strictness.csv")] == [row["joint_high"] for row in found.table()]
        said = command("agreement", "grades.csv", *option, "--n-boot", "20")
        assert "Strictness: mean grade less that of the other annotators" in said and f"p = {found.p_value:.3g}." in said
    assert "Pairs of annotators (Cohen's kappa with quadratic weights, lowest first):" in said
    assert "Gwet's AC2 (ordinal)" in said and "Krippendorff's alpha (interval)" in said
    write("case,annotator,label\n1,a,1\n1,b,2\n2,a,3\n2,b,4\n", "two.csv")  # a constant difference has no interval
    assert "Test that no annotator is strict or lenient: the differences" in command("agreement", "two.csv", "--ratings", "--n-boot", "20")
    record = json.loads(command("agreement", "two.csv", "--ratings", "--n-boot", "20", "--json"))
    assert record["strictness_test"]["p"] is None and record["limits"][1]["bias"] == -1.0
    assert record["strictness"][0]["low"] is None and record["strictness"][0]["strictness"] == 1.0


def test_ratings_on_a_scale_of_grades_have_what_grades_have(command, write):
    """Weighted coefficients, pairs, limits of agreement and a page beside the intraclass correlations."""
    rng = np.random.default_rng(2)
    table = np.clip(rng.integers(1, 5, (25, 1)) + rng.integers(-1, 2, (25, 3)), 1, 5)
    lines = [f"{i},{who},{grade}\n" for i, row in enumerate(table.tolist()) for who, grade in zip("abc", row)]
    write("case,annotator,rating\n" + "".join(lines), "ratings.csv")
    words = "agreement", "ratings.csv", "--scale", "1,2,3,4,5", "--n-boot", "20"
    record = json.loads(command(*words, "--weights", "quadratic", "--out", "out", "--page", "page.html", "--json"))
    values = {row["coefficient"]: row["value"] for row in record["agreement"]}
    grades = ugt.Labels.from_wide(table, ordered=[1, 2, 3, 4, 5], annotators=list("abc"))
    wanted = {one.coefficient: one.value for one in ugt.agreement_table(grades, weights="quadratic").found}
    assert wanted.items() <= values.items() and {"ICC(1)", "ICC(A,1)", "ICC(C,1)"} < set(values)
    assert (record["pairs"], record["pair_weights"]) == ("cohen", "quadratic")
    limits = ugt.humans.bland_altman(grades, level=1 - 0.05 / 3)
    assert [(row["first"], row["second"], row["bias"]) for row in record["limits"][1:]] == [
        (p.first, p.second, p.bias) for p in limits.pairs
    ]
    assert [float(row["upper_high"]) for row in read("out/limits.csv")][1:] == [p.upper_interval[1] for p in limits.pairs]
    said = command(*words)
    assert "Fleiss' kappa (ordinal)" in said and "Differences of two annotators and their limits of agreement" in said
    assert "any annotator - any other     25" in said
    refusal = "--weights must be left out for ratings without a stated scale of grades (--scale 1,2,3)"
    assert refusal in command("agreement", "ratings.csv", "--weights", "linear", code=2)


def test_weights_need_an_order_of_texts(command, write):
    write("case,annotator,label\n1,a,low\n1,b,medium\n2,a,high\n2,b,high\n3,a,low\n3,b,low\n", "texts.csv")
    said = command("agreement", "texts.csv", "--weights", "linear", code=2)
    assert "labels must be ordered (--ordered lowest,...,highest), or have classes that are ascending numbers" in said
    command("agreement", "texts.csv", "--weights", "linear", "--ordered", "low,medium,high", "--n-boot", "20")


def test_weights_of_ratings_that_are_no_grades_are_refused():
    """They were read past."""
    refused("weights must be left out unless", ugt.agreement_table, ugt.Ratings.from_wide([[1.5, 2.0], [3.0, 3.5]]), weights="linear")


def test_no_case_has_two_labels(command, write):
    """Two annotators who share no case, one annotator, and grades: a sentence, the table with its reasons, and no failure."""
    rows = [f"c{i},{'ab'[i % 2]},{i % 3}\n" for i in range(10)]
    files = {"shared.csv": rows, "one.csv": [row for row in rows if ",a," in row]}
    for name, given in files.items():
        write("case,annotator,label\n" + "".join(given), name)
        for more in ((), ("--ratings",), ("--ratings", "--scale", "0,1,2"), ("--weights", "linear", "--ratings", "--scale", "0,1,2")):
            said = command("agreement", name, *more, "--n-boot", "20", "--out", "out")
            assert "No case has two annotators, so that no agreement is defined." in said
            assert "no case has" in said and "Pairs of annotators" not in said
        command("agreement", name, "--n-boot", "20", "--page", "page.html")
    found = ugt.Labels.from_long(*zip(*(row.strip().split(",") for row in rows)))
    for one in (ugt.agreement.percent_agreement, ugt.cohen_kappa, ugt.fleiss_kappa, ugt.agreement.gwet_ac1, ugt.krippendorff_alpha):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.isnan(one(found).interval(n_resamples=20)).all() and np.isnan(one(found).two_way().interval()).all()
