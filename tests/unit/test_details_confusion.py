"""Soft confusion matrices and agreement class by class, added up case by case."""

import numpy as np
import pytest
from twins import details

import ugt
from ugt.tables import confusion

MODELS = ("A", 'Zoë <b>"&')


def tables(*given, **options):
    rows, notes = details.made(confusion, *given, **options)
    return rows["confusion"], rows["class_agreement"], notes


def data(seed, n=50, n_classes=4):
    """Counts with empty cases, and scores with ties."""
    rng = np.random.default_rng(seed)
    counts = np.stack([rng.multinomial(rng.integers(0, 4), p) for p in rng.dirichlet(np.ones(n_classes), n)])
    return counts, {name: rng.integers(1, 4, (n, n_classes)) / 3.0 for name in MODELS}


def choice_twin(scores, ties):
    """Shares of the first choice of one case."""
    best = [k for k, value in enumerate(scores) if value == max(scores)]
    best = best[:1] if ties == "first" else best
    return [1 / len(best) if k in best else 0.0 for k in range(len(scores))]


@pytest.mark.parametrize(("seed", "clustered", "ties", "kind"), [(0, False, "expectation", "percentile"), (1, True, "first", "bca")])
def test_against_the_twin(seed, clustered, ties, kind):
    counts, scores = data(seed)
    clusters = np.arange(50) // 2 if clustered else None
    context = details.context(counts, scores, ties=ties, clusters=clusters, interval=kind)
    found, agreement, notes = tables(context)
    assert all("no interval where fewer than 10" in note for note in notes) and len(found) == 2 * 16 and len(agreement) == 2 * 4
    cells = {(row["model"], row["truth"], row["predicted"]): row for row in found}
    rates = {(row["model"], row["class"]): row for row in agreement}
    there = [i for i in range(50) if counts[i].sum() > 0]
    groups = None if clusters is None else clusters[there]
    for model in MODELS:
        choice = {i: choice_twin(scores[model][i], ties) for i in there}
        for t in range(4):
            truth = {i: context.top[i][t] for i in there}
            total = sum(truth.values())
            for p in range(4):
                n = sum(truth[i] * choice[i][p] for i in there)
                cell = cells[model, str(t), str(p)]
                assert (cell["n"], cell["share"]) == pytest.approx((n, n / total), rel=1e-12)
            row = rates[model, str(t)]
            assert (row["ppa"], row["n_expected"]) == pytest.approx((cells[model, str(t), str(t)]["share"], total), rel=1e-12)
            above = np.array([[truth[i] * choice[i][t], (1 - truth[i]) * (1 - choice[i][t])] for i in there])
            below = np.array([[truth[i], 1 - truth[i]] for i in there])
            assert row["npa"] == pytest.approx(sum(above[:, 1]) / sum(below[:, 1]), rel=1e-12)
            ends = ugt.bootstrap(above, below, clusters=groups, n_resamples=60, seed=3).interval(0.9, kind)
            numbers = above.sum(axis=0) / below.sum(axis=0)
            ends[(below.sum(axis=0) < 10) & (numbers > 0) & (numbers < 1)] = np.nan  # few expected cases: not shown
            row, ends = {name: np.nan if value is None else value for name, value in row.items()}, ends.ravel().tolist()
            assert [row[name] for name in ("ppa_low", "ppa_high", "npa_low", "npa_high")] == pytest.approx(ends, rel=1e-9, nan_ok=True)


def test_by_hand():
    truth = ugt.Point.from_array([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]], classes=["a", "b", "c"])
    found, agreement, _ = tables(truth, {"A": [[3, 1, 1], [2, 1, 1], [1, 1, 0]]})
    assert [[row["n"] for row in found if row["truth"] == t] for t in "abc"] == [[1.5, 0, 0], [1, 0.5, 0], [0, 0, 0]]
    assert [row["share"] for row in found if row["truth"] == "c"] == [None, None, None]
    assert [row["ppa"] for row in agreement] == [1.0, pytest.approx(1 / 3), None]
    # others than a: half of case 1 (called a), all of case 2 (half called a)
    assert [row["npa"] for row in agreement] == [pytest.approx(0.5 / 1.5), 1.0, 1.0]
    assert [row["n_expected"] for row in agreement] == [1.5, 1.5, 0.0] and agreement[2]["ppa_low"] is None


def test_rare_classes_are_pooled(monkeypatch):
    monkeypatch.setattr(confusion, "MOST_CLASSES", 2)
    counts, scores = data(2)
    context = details.context(counts, scores)
    found, agreement, notes = tables(context)
    there = counts.sum(1) > 0
    kept = sorted(np.argsort(-context.top[there].sum(0))[:2].tolist())
    names = [str(k) for k in kept] + ["(other classes)"]
    assert [row["class"] for row in agreement[:3]] == names
    assert notes[:1] == ["Confusion: the 2 classes expected most often are shown; 2 others are together."]
    rest = [k for k in range(4) if k not in kept]
    choice = np.array([choice_twin(row, "expectation") for row in scores["A"]])[there]
    top = context.top[there]
    n = {(row["truth"], row["predicted"]): row["n"] for row in found if row["model"] == "A"}
    assert len(n) == 9
    assert n["(other classes)", "(other classes)"] == pytest.approx((top[:, rest].sum(1) * choice[:, rest].sum(1)).sum())
    assert n["(other classes)", names[0]] == pytest.approx((top[:, rest].sum(1) * choice[:, kept[0]]).sum())
    assert sum(n.values()) == pytest.approx(there.sum())


def test_the_truth_is_that_of_the_accuracy():
    counts, scores = data(3)
    evaluation = ugt.evaluate(ugt.Labels.from_counts(counts), scores, reliability=(1, 2, 4), k=1, n_resamples=20)
    for model in MODELS:
        agreed = sum(row["n"] for row in evaluation.tables["confusion"] if row["model"] == model and row["truth"] == row["predicted"])
        (row,) = [row for row in evaluation.metrics if (row["model"], row["metric"], row["reliability"]) == (model, "topk_accuracy", 2)]
        assert agreed / row["n_cases"] == pytest.approx(row["value"], rel=1e-12)


def test_one_case_and_cases_without_predictions():
    _, agreement, _ = tables(np.array([[2, 1]]), {"A": [[0.7, 0.3]]})
    assert agreement[0]["ppa"] == 1.0 and agreement[1]["ppa"] == 0.0
    assert all(row[name] is None for row in agreement for name in ("ppa_low", "ppa_high", "npa_low", "npa_high"))
    counts, scores = data(4)
    some = {name: (np.arange(20, 50), values[20:]) for name, values in scores.items()}
    found, _, _ = tables(counts, some)
    assert sum(row["n"] for row in found if row["model"] == "A") == pytest.approx((counts[20:].sum(1) > 0).sum())
    truth = ugt.Point.from_array([[1, 0]] * 9 + [[0.5, 0.5]])
    _, agreement, _ = tables(truth, {"A": [[0.7, 0.3]] * 10})
    assert agreement[0]["ppa_low"] == pytest.approx(0.05 ** (1 / 10)) and agreement[1]["ppa"] == 0.0 and agreement[1]["ppa_low"] is None
    assert agreement[0]["npa"] == 0.0 and agreement[0]["npa_high"] is None and agreement[1]["npa_high"] == 1.0
