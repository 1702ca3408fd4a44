"""``ugt agreement``, and agreement in evaluations: the numbers of the functions."""

import csv

import numpy as np
import pytest

import ugt
from ugt import cli, synthetic

LABELS = """\
case,annotator,label
1,a,x
1,b,x
1,c,y
2,a,y
2,b,y
3,a,x
3,c,x
4,a,y
4,b,x
5,b,y
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text(LABELS)
    return tmp_path


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def labels():
    rows = [line.split(",") for line in LABELS.splitlines()[1:]]
    return ugt.Labels.from_long([int(row[0]) for row in rows], *([row[i] for row in rows] for i in (1, 2)))


def test_labels(folder, capsys):
    assert cli.main(["agreement", "labels.csv", "--out", "out", "--n-boot", "200", "--seed", "3", "--level", "0.9"]) == 0
    table = ugt.agreement_table(labels())
    for found, row in zip(read("out/agreement.csv"), table.rows(0.9, n_resamples=200, seed=3)):
        assert found["coefficient"] == row["coefficient"] and float(found["value"]) == row["value"] and float(found["low"]) == row["low"]
    pairs = ugt.pairwise_agreement(labels())
    found = read("out/pairs.csv")
    assert [(row["annotator"], row["other"], int(row["n_cases"])) for row in found] == [("a", "b", 3), ("a", "c", 2), ("b", "c", 1)]
    assert [float(row["cohen"]) for row in found] == [pairs.value[0, 1], pairs.value[0, 2], pairs.value[1, 2]]
    assert [float(row["cohen"]) for row in read("out/annotators.csv")] == pairs.per_annotator.tolist()
    classes = read("out/classes.csv")
    assert [row["class"] for row in classes] == ["x", "y"] and [float(row["prevalence"]) for row in classes] == [0.5, 0.5]
    said = capsys.readouterr().out
    assert table.text(0.9, n_resamples=200, seed=3).splitlines()[1] in said and "Left out: case with a single annotator: 1." in said
    order = [line.split()[0] for line in said.splitlines() if line.startswith("  ")][1:]
    assert order == ["c", "a", "b"]


def test_clusters_weights_and_ratings(folder, capsys):
    (folder / "patients.csv").write_text("case,cluster\n1,p\n2,p\n3,q\n4,r\n5,r\n")
    assert cli.main(["agreement", "labels.csv", "--clusters", "patients.csv", "--out", "out"]) == 0
    expected = ugt.agreement_table(labels()).rows(clusters=["p", "p", "q", "r", "r"])
    assert [float(row["low"]) for row in read("out/agreement.csv")] == [row["low"] for row in expected]
    (folder / "ratings.csv").write_text("case,annotator,label\n1,a,1\n1,b,2\n2,a,3\n2,b,3\n3,a,5\n3,b,4\n")
    capsys.readouterr()
    assert cli.main(["agreement", "ratings.csv", "--ratings", "--n-boot", "50"]) == 0
    ratings = ugt.Ratings.from_wide([[1, 2], [3, 3], [5, 4]])
    assert f"{ugt.intraclass_correlation(ratings, 'A,1').value:.3f}" in capsys.readouterr().out
    assert cli.main(["agreement", "ratings.csv", "--weights", "quadratic", "--out", "weighted"]) == 0
    values = {row["coefficient"]: float(row["value"]) for row in read("weighted/agreement.csv")}
    table = ugt.agreement_table(ugt.Labels.from_wide([[1, 2], [3, 3], [5, 4]]), weights="quadratic")
    assert values == {row["coefficient"]: row["value"] for row in table.rows()}


def test_rankings(folder, capsys):
    (folder / "ranks.csv").write_text("case,annotator,ranking\n1,a,x > y\n1,b,y > x\n2,a,x\n2,b,x > z\n")
    assert cli.main(["agreement", "ranks.csv"]) == 0
    rankings = ugt.Rankings.from_strings([1, 1, 2, 2], list("abab"), ["x > y", "y > x", "x", "x > z"])
    assert f"{ugt.annotator_average_overlap(rankings, 3).value:.4f}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ratings"], "labels must be numbers to be taken for ratings. Got 'x', 'y'."),
        (["--clusters", "half.csv"], "clusters must hold an id for every case. Got none for 4 of 5 cases, first at case 2."),
        (["--level", "2"], "level must"),
    ],
)
def test_what_cannot_be(folder, capsys, words, message):
    (folder / "half.csv").write_text("case,cluster\n1,p\n")
    assert cli.main(["agreement", "labels.csv", "--out", "out", *words]) == 2
    assert message in capsys.readouterr().err and not (folder / "out").exists()


def test_in_an_evaluation(tmp_path):
    given, truth = synthetic.make_labels(50, 3, 4, seed=1)
    clusters = np.arange(50) // 2
    ev = ugt.evaluate(given, {"A": truth}, k=1, n_resamples=100, seed=2, clusters=clusters)
    assert list(ev.agreement) == ugt.agreement_table(given).rows(n_resamples=100, seed=2, clusters=clusters)
    ev.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    part = page[page.index('<section id="agreement"') :]
    assert f"<td>{ev.agreement[1]['value']:.4f}</td>" in part[: part.index("</section>")]
    same = ugt.evaluate(ugt.Labels.from_counts([[3, 0], [2, 0]]), {"A": [[0.7, 0.3]] * 2}, k=1, n_resamples=20)
    assert same.agreement[1]["reason"].startswith("no variation")
    same.to_html(tmp_path / "same.html")
    assert "no variation" in (tmp_path / "same.html").read_text(encoding="utf-8")
    for other in (ugt.Labels.from_counts([[1, 0], [0, 1]]), ugt.dirichlet([[1, 0], [0, 1]])):
        assert ugt.evaluate(other, {"A": [[0.7, 0.3]] * 2}, k=1, n_resamples=20).agreement == ()
