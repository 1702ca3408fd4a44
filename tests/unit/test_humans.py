"""Models beside annotators in an evaluation and in the report."""

import numpy as np
import pytest
from csv_files import read
from refusals import refused

import ugt
from ugt import synthetic
from ugt._base import notices
from ugt.humans.resample_shares import _below
from ugt.tables import humans


def evaluation(names=("A", "B"), **options):
    labels, truth = synthetic.make_labels(60, 3, 4, seed=2)
    rng = np.random.default_rng(0)
    scores = {names[0]: truth, names[1]: truth + rng.random(truth.shape)}
    return labels, scores, ugt.evaluate(labels, scores, k=1, n_resamples=100, seed=4, **options)


def test_numbers_are_those_of_the_functions():
    clusters = np.arange(60) // 2
    labels, scores, ev = evaluation(clusters=clusters, level=0.9)
    choices = {name: np.eye(3)[table.argmax(1)] for name, table in scores.items()}
    options = {"clusters": clusters, "n_resamples": 100, "seed": 4}
    found = ugt.humans.annotator_discrepancy(labels, choices, distance="zero-one", least_cases=10)
    shares = found.resample_shares(**options)
    rows = {(row["kind"], row["name"]): row for row in ev.humans}
    assert len(rows) == 6
    for m, name in enumerate("AB"):
        row = rows["model", name]
        assert row["value"] == found.model_value[m]
        assert row["best_share"] == shares.best_share[m] and row["n_cases"] == 60
        alone = ugt.discrepancy_ratio(labels, choices[name], distance="zero-one")
        assert row["value"] == pytest.approx(alone.value, rel=1e-12)
        assert (row["low"], row["high"]) == alone.interval(0.9, kind="studentized", **options)
        judged = alone.non_inferiority(0, level=0.9, random="cases", **options)
        assert row["upper"] == judged.limit > row["value"]
    for j, name in enumerate(found.annotators.tolist()):
        row = rows["annotator", str(name)]
        assert row["value"] == found.value[j] and row["upper"] is None and row["best_share"] is None
        assert [row["better_share A"], row["better_share B"]] == shares.better_share[:, j].tolist()


@pytest.mark.parametrize(("n", "few"), [(5, 1), (6, 0)])
def test_few_annotators_for_a_claim_about_others(n, few):
    wide = np.random.default_rng(1).integers(0, 3, (60, n))
    found = ugt.discrepancy_ratio(ugt.Labels.from_wide(wide, annotators=[f"r{j}" for j in range(n)]), wide[:, 0], distance="zero-one")
    with notices.heard() as notes:
        found.non_inferiority(0.1, random=("cases", "annotators"))
        found.non_inferiority(0.1, random=("cases",))
    assert sum(one.code == "few_annotators_of_claim" for one in notes) == few


def test_beside_annotators_who_all_agree_a_ratio_has_no_interval():
    labels = ugt.Labels.from_wide(np.repeat(np.arange(40) % 2, 3).reshape(40, 3), classes=2)
    rows = ugt.evaluate(labels, {"A": np.tile([0.3, 0.7], (40, 1))}, k=1, n_resamples=100).humans
    row = next(row for row in rows if row["kind"] == "model")
    assert (row["low"], row["high"], row["upper"]) == (None, None, None)


def test_only_judged_cases_of_which_it_is_known_who_said_what():
    counts = ugt.Labels.from_counts([[2, 1], [1, 2]])
    one = ugt.Labels.from_wide([[0], [1]], classes=2)
    rankings = ugt.Rankings.from_blocks([[[[0]], [[1]]]] * 2, n_classes=2)
    for given in (counts, one, rankings):
        assert ugt.evaluate(given, {"A": [[0.7, 0.3]] * 2}, k=1, n_resamples=20).humans == ()
    labels, truth = synthetic.make_labels(30, 3, 4, seed=2)
    ev = ugt.evaluate(labels, {"A": (np.arange(5, 30), truth[5:])}, k=1, missing="drop", n_resamples=20)
    assert next(row for row in ev.humans if row["kind"] == "model")["n_cases"] == 25


def test_annotators_with_few_cases_are_counted():
    table = np.zeros((40, 4), dtype=object)
    table[:, 3] = [1] * 3 + [None] * 37
    table[::5, 0] = 1
    labels = ugt.Labels.from_wide(table, classes=2)
    ev = ugt.evaluate(labels, {"A": np.tile([0.8, 0.2], (40, 1))}, k=1, n_resamples=50)
    assert {row["name"] for row in ev.humans} == {"A", "0", "1", "2"}
    assert any(note.startswith("1 annotator was not set beside the models one by one: fewer than 10 cases") for note in map(str, ev.notes))


def test_of_many_annotators_those_with_most_cases_are_judged_one_by_one(monkeypatch):
    """Of cases with two others: the last five have labels of two annotators only."""
    monkeypatch.setattr(humans, "MOST_ANNOTATORS", 2)
    table = np.random.default_rng(0).integers(0, 2, (60, 5)).astype(object)
    for j, gone in ((0, slice(45, 60)), (2, [*range(30, 45), *range(55, 60)]), (3, slice(30, 60))):
        table[gone, j] = None
    ev = ugt.evaluate(ugt.Labels.from_wide(table, classes=2), {"A": np.tile([0.8, 0.2], (60, 1))}, k=1, n_resamples=50)
    assert {row["name"] for row in ev.humans} == {"A", "1", "4"}
    assert any(
        note.startswith("3 annotators were not set beside the models one by one: fewer than 55 cases") for note in map(str, ev.notes)
    )


def test_report_and_table(tmp_path):
    hostile = '<b>"x"&'
    _, _, ev = evaluation(names=(hostile, "B"))
    ev.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    part = page[page.index('<section id="people"') :]
    part = part[: part.index("</section>")]
    assert hostile not in page and "one-sided 95% limit" in part
    for row in ev.humans:
        if row["kind"] == "model":
            assert f"{row['value']:.2f} (one-sided 95% limit {row['upper']:.2f}" in part, row
    ev.to_csv(tmp_path / "humans.csv", table="humans")
    rows = read(tmp_path / "humans.csv")
    assert len(rows) == 6 and f"better_share {hostile}" in rows[0]


def test_a_model_among_the_annotators():
    labels = ugt.Labels.from_long([1, 1, 2, 2, 3, 3], ["ann", "resnet"] * 3, [0, 1, 1, 1, 0, 0], classes=2)
    scores = [[0.2, 0.8], [0.1, 0.9], [0.9, 0.1]]
    message = "predictions must be of models that are not among the annotators: .* Got 'resnet' as both"
    for truth in (labels, ugt.dirichlet(labels), ugt.votes(labels)):
        refused(message, ugt.evaluate, truth, {"vit": scores, "resnet": scores})
    refused(message, ugt.humans.annotator_discrepancy, labels, predictions={"resnet": [1, 1, 0]})
    refused("Got '7' as both", ugt.evaluate, ugt.Labels.from_long([1, 1], [7, 8], [0, 1]), {"7": [[0.2, 0.8]]})
    numbered = ugt.Labels.from_wide([[0, 1], [1, 1], [0, 0]], classes=2)
    with pytest.warns(UserWarning, match=r"'1' is the name of a model and of an annotator"):
        ev = ugt.evaluate(numbered, {"1": scores}, k=1, n_resamples=20)
    assert "1 is a model and an annotator: a truth made of its own predictions flatters it." in [*map(str, ev.notes)]


def test_too_large_tables_are_left_out_and_said(monkeypatch):
    monkeypatch.setattr(humans, "MOST_COUNTS", 100)  # 60 cases x 3 classes
    _, _, ev = evaluation()
    assert ev.humans == () or len(ev.humans) == 0
    assert any("Models were not compared with annotators: over 100 cases x classes." in note for note in map(str, ev.notes))


def test_an_infinite_ratio_is_tied_with_none_but_another():
    one, other = np.array([1.0, np.inf, np.inf, 1.0, np.nan, 1.0]), np.array([np.inf, 1.0, np.inf, 1.0 + 1e-14, 1.0, 2.0])
    np.testing.assert_array_equal(_below(one, other), [1.0, 0.0, 0.5, 0.5, np.nan, 1.0])
