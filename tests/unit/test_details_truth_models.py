"""Models under each truth, case by case in plain Python; intervals by the bootstrap of all cases."""

import math

import numpy as np
import pytest
from refusals import labels_of_rows
from twins import details

import ugt
from ugt.tables import context, performance, truth_models
from ugt.tables.rows import finite

HOSTILE = 'Zoë <b>"&'


def table(*given, **options):
    rows, notes = details.made(truth_models, *given, **options)
    return rows["truth_models"], notes


def of_annotators(found):
    return [row for row in found if row["truth"] == "annotator"]


def data(seed, n=60, n_annotators=5, n_classes=4, models=("A", HOSTILE)):
    """Rows (case, annotator, class), some repeated, some cases without; scores with ties."""
    rng = np.random.default_rng(seed)
    rows = [
        (i, a, int(rng.integers(n_classes)))
        for i in range(n)
        for a in range(n_annotators)
        for _ in range(int(rng.integers(0, 2) * rng.integers(1, 3)))
        if i % 11
    ]
    case, annotator, label = zip(*rows)
    known = labels_of_rows(case, [f"rater {a}" for a in annotator], label, classes=n_classes, cases=range(n))
    return rows, known, {name: rng.integers(1, 4, (n, n_classes)) / 3.0 for name in models}


def hit(scores, i, shares, ties):
    """How much of the shares is the first choice of case i."""
    best = [k for k, value in enumerate(scores[i]) if value == max(scores[i])]
    best = best[:1] if ties == "first" else best
    return sum(shares.get(k, 0.0) / len(best) for k in best)


def shares_of_labels(rows, case, annotator):
    own = [k for c, a, k in rows if (c, a) == (case, annotator)]
    return {k: own.count(k) / len(own) for k in own} if own else None


@pytest.mark.parametrize(("seed", "clustered", "ties", "kind"), [(0, False, "expectation", "percentile"), (1, True, "first", "bca")])
def test_annotators_as_the_truth(seed, clustered, ties, kind):
    rows, known, scores = data(seed)
    clusters = [f"patient {i // 3}" for i in range(60)] if clustered else None
    context = details.context(known, scores, clusters=clusters, ties=ties, interval=kind, reliability=(0.5, 2))
    found, notes = table(context)
    own = of_annotators(found)
    names = [f"rater {a}" for a in sorted(range(5), key=lambda a: list(known.annotators).index(f"rater {a}"))]
    assert [row["name"] for row in own[::2]] == names and notes == []
    there = np.array([i % 11 != 0 and any(c == i for c, _, _ in rows) for i in range(60)])
    for row in own:
        voted = context.columns[list(scores).index(row["model"])]
        shares = [shares_of_labels(rows, i, int(row["name"].split()[1])) for i in range(60)]
        hits = [None if s is None else hit(scores[row["model"]], i, s, ties) for i, s in enumerate(shares)]
        known_hits = [value for value in hits if value is not None]
        assert row["value"] == pytest.approx(sum(known_hits) / len(known_hits), rel=1e-12) and row["n_cases"] == len(known_hits)
        base = [voted[i] for i, value in enumerate(hits) if value is not None]
        assert row["gap"] == pytest.approx(row["value"] - sum(base) / len(base), rel=1e-9, abs=1e-12)
        column = np.array([np.nan if value is None else value for value in hits])
        both = np.stack([column, column - voted], 1)[there]
        groups = None if clusters is None else np.array(clusters)[there]
        ends = ugt.bootstrap(both, clusters=groups, n_resamples=60, seed=3).interval(0.9, kind)
        assert (row["low"], row["high"], row["gap_low"], row["gap_high"]) == pytest.approx(ends.ravel().tolist(), rel=1e-9, abs=1e-12)


def test_voted_and_reliabilities_are_the_metrics():
    _, known, scores = data(2)
    context = details.context(known, scores, clusters=np.arange(60) // 2, reliability=(0.5, 1, 2.5), k=(1, 3))
    found, _ = table(context)
    metrics = details.made(performance, context)[0]["metrics"]
    rows = {(r["metric"], r["reliability"], r["model"]): r for r in metrics if r["k"] == 1}
    seen = [row for row in found if row["truth"] != "annotator"]
    assert [(row["truth"], row["name"]) for row in seen[::2]] == [("voted", None), *(("reliability", name) for name in ("0.5", "1", "2.5"))]
    for row in seen:
        is_voted = row["truth"] == "voted"
        other = rows["voted_accuracy" if is_voted else "topk_accuracy", None if is_voted else float(row["name"]), row["model"]]
        assert (row["value"], row["low"], row["high"]) == pytest.approx((other["value"], other["case_low"], other["case_high"]), rel=1e-12)
        assert row["n_cases"] == other["n_cases"] and (row["metric"], row["k"]) == ("topk_accuracy", 1)
        base = rows["voted_accuracy", None, row["model"]]["value"]
        assert (row["gap"] is None) if is_voted else row["gap"] == pytest.approx(row["value"] - base, abs=1e-12)
        assert (row["gap_low"] is None) == is_voted


def ranked(n=24):
    """Rankings of two annotators: the first block of the first is tied, the second ranks every other case."""
    rows = []
    for i in range(n):
        rows += [(i, "ann", i % 3, 1), (i, "ann", (i + 1) % 3, 1), (i, "ann", (i + 2) % 3, 2)]
        if i % 2:
            rows += [(i, "bob", 0, 1), (i, "bob", 2, 2)]
    return ugt.Rankings.from_long(*zip(*rows), classes=4)


def test_rankings_by_hand():
    scores = {"zero": np.tile([0.7, 0.1, 0.1, 0.1], (24, 1)), "tied": np.tile([0.4, 0.1, 0.1, 0.4], (24, 1))}
    found, _ = table(ranked(), scores)
    values = {(row["model"], row["name"]): (row["value"], row["n_cases"]) for row in of_annotators(found)}
    # class 0 is in two of three first blocks of ann, and shares them; of bob it is alone in all
    assert values["zero", "ann"] == (pytest.approx(1 / 3), 24) and values["tied", "ann"] == (pytest.approx(1 / 6), 24)
    assert values["zero", "bob"] == (1.0, 12) and values["tied", "bob"] == (0.5, 12)


def test_an_annotator_who_ranked_nothing_said_nothing():
    full = ranked()
    dropped = np.arange(0, len(full.annotator), 3)  # rankings that become empty
    kept = np.diff(full.ranking_offsets)
    kept[dropped] = 0
    blocks = np.concatenate([np.arange(a, b) for r, (a, b) in enumerate(zip(full.ranking_offsets, full.ranking_offsets[1:])) if r % 3])
    sizes = np.diff(full.block_offsets)[blocks]
    items = np.concatenate([full.items[full.block_offsets[b] : full.block_offsets[b + 1]] for b in blocks])
    offsets = [np.concatenate([[0], np.cumsum(part)]) for part in (kept, sizes)]
    known = ugt.Rankings(full.axes, full.annotators, full.case_offsets, *offsets, items, full.annotator)
    found, _ = table(known, {"A": np.tile([0.7, 0.1, 0.1, 0.1], (24, 1))}, interval="basic")
    case = np.repeat(np.arange(24), np.diff(full.case_offsets))
    for row in of_annotators(found):
        a = full.annotators.tolist().index(row["name"])
        own = [i for r, i in enumerate(case.tolist()) if full.annotator[r] == a and r % 3]
        hits = [1.0 if row["name"] == "bob" else 0.5 * (i % 3 != 1) for i in own]
        assert row["n_cases"] == len(own) and row["value"] == pytest.approx(sum(hits) / len(hits))


def test_few_cases_and_many_annotators(monkeypatch):
    cells = np.zeros((30, 5), dtype=object)
    cells[9:, 0] = cells[12:, 1] = None
    known = ugt.Labels.from_wide(cells, classes=2, annotators=list("abcde"))
    said = "{} not taken as the truth one by one: fewer than 10 cases, or not among the {} with most."
    for most, names, left_out in ((40, "bcde", "1 annotator was"), (2, "cd", "3 annotators were")):
        monkeypatch.setattr(truth_models, "MOST_ANNOTATORS", most)
        found, notes = table(known, {"A": [[0.7, 0.3]] * 30})
        assert [row["name"] for row in of_annotators(found)] == list(names) and notes == [said.format(left_out, most)]


def test_cases_without_predictions_are_left_out():
    rows, known, scores = data(3)
    some = {name: (np.arange(20, 60), values[20:]) for name, values in scores.items()}
    found, _ = table(known, some)
    for row in of_annotators(found):
        a = int(row["name"].split()[1])
        assert row["n_cases"] == len({c for c, other, _ in rows if other == a and c >= 20})


def test_rows_without_annotators():
    found, notes = table([[2, 1], [1, 2]], {"A": [[0.7, 0.3]] * 2}, k=2)
    assert found == [] and notes == ["Truths are set side by side for the first choice of a model only (k = 1)."]
    found, _ = table([[2, 1]], {"A": [[0.7, 0.3]]}, reliability=1)  # one case has no interval
    assert all(row["value"] is not None and row["low"] is None and row["gap_low"] is None for row in found) and len(found) == 2
    found, _ = table(ugt.Point.from_array([[0.7, 0.3], [0.2, 0.8]] * 10), {"A": [[0.7, 0.3]] * 20})
    rows = [(row["truth"], row["name"], row["value"], row["gap"]) for row in found]
    assert rows == [("voted", None, 0.5, None), ("reliability", "given", 0.5, 0.0)]
    nameless = ugt.Rankings.from_blocks([[[[0], [1]], [[1]]]] * 12, n_classes=2)
    found, notes = table(nameless, {"A": [[0.7, 0.3]] * 12})
    assert {row["truth"] for row in found} == {"voted", "reliability"} and notes == []
    assert finite(math.nan) is None and finite(np.float64(0.5)) == 0.5


def test_an_annotator_within_one_cluster_has_no_interval():
    cells = np.zeros((40, 2), dtype=object)
    cells[10:, 1] = None
    known = ugt.Labels.from_wide(cells, classes=2)
    found, _ = table(known, {"A": [[0.7, 0.3]] * 40}, clusters=np.arange(40) // 10)
    ends = {row["name"]: (row["low"], row["high"]) for row in of_annotators(found)}
    assert ends == {"0": (pytest.approx(0.05 ** (1 / 4)), 1.0), "1": (None, None)}


def test_less_work(monkeypatch):
    _, known, scores = data(4)
    one = details.context(known, scores, reliability=(1, 2))
    monkeypatch.setattr(context, "MOST_WORK", 1.0)
    monkeypatch.setattr(context, "LEAST_RESAMPLES", 20)
    fewer, notes = table(one)
    assert notes == ["Intervals of the models under each truth are from 20 resamples."]
    other, _ = table(known, scores, reliability=(1, 2), n_resamples=20)
    assert [row["low"] for row in fewer] == [row["low"] for row in other]  # the first 20 are the same ones
