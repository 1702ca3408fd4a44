"""Both parts of what is open in evaluations: the table, the cases to review, the first page, and the command."""

import numpy as np
import pytest
from twins.page import Page

import ugt
from ugt import cli
from ugt.report import html
from ugt.report.digest import Digest
from ugt.report.openness import open_row, stays_open
from ugt.tables.source import ReportSource
from ugt.tables.uncertainty import FURTHER

ALPHA = 0.4  # of each of three classes: the law from which labels are drawn


def labels_of(n=300, seed=0, same=0.0):
    """Labels by five annotators, who repeat the first one's label with the probability ``same``, which no Dirichlet prior describes."""
    rng = np.random.default_rng(seed)
    wide = np.array([rng.choice(3, 5, p=p) for p in rng.dirichlet(np.full(3, ALPHA), n)])
    wide[:, 2:] = np.where(rng.random((n, 3)) < same, wide[:, :1], wide[:, 2:])
    return ugt.Labels.from_wide(wide, classes=3)


def evaluated(labels, **options):
    rng = np.random.default_rng(1)
    scores = {"A": rng.dirichlet(np.ones(3), labels.n_cases)}
    return ugt.evaluate(labels, scores, **{"prior": ALPHA, "reliability": (0.5, 1, 2), "n_resamples": 60, "k": 1, **options})


def words_of(data):
    """All text of the page."""
    return " ".join(" ".join(e["text"].split()) for e in Page(html(data)).all("p", "li", "figcaption", "td"))


@pytest.fixture(scope="module")
def found():
    return evaluated(labels_of())


def test_the_table_is_the_function_at_each_reliability(found):
    rows = found.to_dict()["uncertainty"]
    assert [row["reliability"] for row in rows] == [0.5, 1, 2]
    for row in rows:
        expected = ugt.truth.uncertainty_parts(ugt.dirichlet(labels_of(), prior=ALPHA, reliability=row["reliability"]))
        for name in expected.statistic.names:
            assert row[name] == pytest.approx(getattr(expected, name), rel=1e-12)
            main = row["reliability"] == 1
            assert (row[f"{name}_low"] < row[name] < row[f"{name}_high"]) if main else row[f"{name}_low"] is None
        for n in FURTHER:
            assert row[f"settled_{n}"] == pytest.approx(expected.settled(n, reliability=row["reliability"]).value)


def test_cases_have_both_parts_and_a_kind(found):
    expected = ugt.truth.uncertainty_parts(ugt.dirichlet(labels_of(), prior=ALPHA))
    of = [int(case) for case in found.cases["case"]]
    np.testing.assert_allclose(found.cases["inherent"], expected.inherent_per_case[of])
    np.testing.assert_allclose(found.cases["annotation"], expected.annotation_per_case[of])
    assert list(found.cases["kind"]) == expected.kinds()[of].tolist() and {*found.cases["kind"]} == {"ambiguous", "under-annotated"}
    source = ReportSource.read(found.to_dict())
    assert source.cases.kind is not None and list(source.cases.kind) == list(found.cases["kind"])


def test_the_page_says_what_would_stay_open(found):
    said, share = words_of(found.to_dict()), ugt.truth.uncertainty_parts(ugt.dirichlet(labels_of(), prior=ALPHA)).inherent_share
    assert f"Of what is open about one more judgement, {100 * share:.2f}% (" in said and "with any number of such annotators" in said
    assert "under-annotated" in said and "one further label per case is expected to settle" in said


def test_what_held_out_annotators_refute_is_not_quoted():
    other = evaluated(labels_of(same=0.8)).to_dict()
    digest = Digest(ReportSource.read(other))
    assert digest.misfit() and open_row(digest) is None and stays_open(digest) == ""
    said = words_of(other)
    assert "such annotators" not in said and "under-annotated" not in said
    assert any(row["inherent_share"] for row in other["uncertainty"])  # the table has it


def test_truths_without_parts_have_none():
    """Shares of labels, and a model of one true class, say nothing of the law from which annotators draw."""
    for how in ("votes", "dawid-skene"):
        other = ugt.evaluate(labels_of(60), {}, aggregation=how, n_resamples=20)
        assert not len(other.tables["uncertainty"]) and "kind" not in other.cases


def test_one_label_a_case():
    other = evaluated(ugt.Labels.from_counts(np.eye(3, dtype=int)[np.arange(30) % 3]), details=False)
    assert not len(other.tables["uncertainty"]) and "kind" not in other.cases


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    labels = labels_of()
    rows = np.repeat(np.arange(300), 5), np.tile(np.arange(5), 300), labels.label
    (tmp_path / "l.csv").write_text("case,annotator,label\n" + "".join(f"{i},r{j},c{k}\n" for i, j, k in zip(*rows)), encoding="utf-8")
    assert cli.main(["certainty", "l.csv", "--reliability", "1", "--prior", f"{ALPHA}"]) == 0
    out = capsys.readouterr().out
    share = ugt.truth.uncertainty_parts(ugt.dirichlet(labels, prior=ALPHA)).inherent_share
    assert f"Of what is open about one more judgement, {share:.4f} (" in out and "ambiguous" in out
    assert cli.main(["certainty", "l.csv", "--json", "--prior", f"{ALPHA}", "--reliability", "1"]) == 0
    assert '"inherent_share"' in capsys.readouterr().out
