"""Who annotated what, against counting one annotation at a time."""

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from refusals import labels_of_rows
from twins import details

import ugt
from ugt.tables import design


def tables(known, **options):
    return details.made(design, known, {}, **options)


def some_labels(seed, n_cases=30, n_annotators=6, n_classes=4, n_rows=90):
    """Rows (case, annotator, class), some twice; the last class and some cases are used by nobody."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, n_annotators, n_rows) * rng.integers(0, 2, n_rows)  # the first has most
    rows = list(zip(rng.integers(0, n_cases - 3, n_rows).tolist(), who.tolist(), rng.integers(0, n_classes - 1, n_rows).tolist()))
    long = zip(*((c, f"rater {a}", k) for c, a, k in rows))
    return rows, labels_of_rows(*long, classes=n_classes, cases=range(n_cases))


def agreement_twin(rows, annotator):
    """Mean over the annotator's cases with others of the share of (own label, other's label) pairs that are alike."""
    shares = []
    for case in sorted({c for c, a, _ in rows if a == annotator}):
        own = [k for c, a, k in rows if (c, a) == (case, annotator)]
        others = [k for c, a, k in rows if c == case and a != annotator]
        if others:
            shares.append(Fraction(sum(k == other for k in own for other in others), len(own) * len(others)))
    return float(sum(shares) / len(shares)) if shares else None


@pytest.mark.parametrize("seed", range(4))
def test_tables_of_labels(seed):
    rows, known = some_labels(seed)
    found, notes = tables(known)
    assert [row["annotator"] for row in found["annotators"]] == [str(name) for name in known.annotators]
    for row in found["annotators"]:
        a = int(row["annotator"].split()[1])
        own = [(c, k) for c, other, k in rows if other == a]
        assert (row["n_cases"], row["n_annotations"]) == (len({c for c, _ in own}), len(own))
        assert row["n_classes_used"] == len({k for _, k in own})
        assert row["agreement"] == pytest.approx(agreement_twin(rows, a), rel=1e-12)
    for row in found["classes"]:
        own = [c for c, _, k in rows if str(k) == row["class"]]
        assert (row["n_annotations"], row["n_cases"], row["unused"]) == (len(own), len(set(own)), not own)
        assert row["share"] == len(own) / len(rows)
    cases = defaultdict(set)
    for c, a, _ in rows:
        cases[f"rater {a}"].add(c)
    assert len(found["annotator_overlap"]) == len(cases) * (len(cases) - 1) // 2 and notes == []
    for row in found["annotator_overlap"]:
        assert row["n_common"] == len(cases[row["annotator"]] & cases[row["other"]])
    of_case = Counter(c for c, _, _ in rows)
    sizes = Counter(of_case[c] for c in range(30))
    assert {row["n_annotations"]: row["n_cases"] for row in found["case_sizes"]} == sizes and sizes[0] >= 3


def test_overlap_in_chunks_and_the_most_frequent_classes(monkeypatch):
    _, known = some_labels(1)
    whole = tables(known)[0]["annotator_overlap"]
    monkeypatch.setattr(design, "CHUNK", 4)
    assert tables(known)[0]["annotator_overlap"] == whole
    monkeypatch.setattr(design, "MOST_CLASSES", 2)
    found, notes = tables(ugt.Labels.from_counts([[1, 0, 3, 1]]))
    assert [row["class"] for row in found["classes"]] == ["0", "2"]
    assert notes == ["The table of classes has the 2 of 4 that were given most often."]


def test_overlap_is_of_those_with_most_cases():
    rng = np.random.default_rng(0)
    sizes = 10 + np.arange(45)
    case = np.concatenate([rng.choice(200, size, replace=False) for size in sizes])
    known = ugt.Labels.from_long(case, np.repeat(np.arange(45), sizes), np.zeros(len(case), int), classes=2)
    found, notes = tables(known)
    assert {row["annotator"] for row in found["annotator_overlap"]} == {str(a) for a in range(15, 44)}
    assert notes == ["Cases that two annotators share are counted among the 30 of 45 annotators with most cases."]
    assert len(found["annotators"]) == 45


def test_counts_have_no_annotators():
    found, _ = tables(ugt.Labels.from_counts([[2, 0, 1], [0, 0, 3], [0, 0, 0]]))
    assert found["annotators"] == found["annotator_overlap"] == []
    assert found["case_sizes"] == [{"n_annotations": 0, "n_cases": 1}, {"n_annotations": 3, "n_cases": 2}]
    assert [tuple(row.values()) for row in found["classes"]] == [
        ("0", 2, 1 / 3, 1, False),
        ("1", 0, 0.0, 0, True),
        ("2", 4, 2 / 3, 2, False),
    ]


def values(rows):
    return [tuple(row.values()) for row in rows]


def test_rankings_by_hand():
    rows = [("p1", "ann", "a", 1), ("p1", "ann", "b", 1), ("p1", "bob", "b", 1), ("p2", "ann", "a", 1), ("p2", "ann", "c", 2)]
    found, _ = tables(ugt.Rankings.from_long(*zip(*rows), classes=["a", "b", "c", "d"]))
    assert values(found["annotators"]) == [("ann", 2, 2, 3, None), ("bob", 1, 1, 1, None)]
    assert values(found["annotator_overlap"]) == [("ann", "bob", 1)] and values(found["case_sizes"]) == [(1, 1), (2, 1)]
    classes = [("a", 2, 2 / 3, 2, False), ("b", 2, 2 / 3, 1, False), ("c", 1, 1 / 3, 1, False), ("d", 0, 0.0, 0, True)]
    assert values(found["classes"]) == classes
    found, _ = tables(ugt.Rankings.from_blocks([[[[0], [1]], []], [[[1]]], []], n_classes=3))
    assert found["annotators"] == found["annotator_overlap"] == [] and values(found["case_sizes"]) == [(0, 1), (1, 1), (2, 1)]
    assert [row["n_annotations"] for row in found["classes"]] == [1, 2, 0] and found["classes"][0]["share"] == 1 / 3


def test_one_annotator_one_case_and_cases_without_predictions():
    found, notes = tables(ugt.Point.from_array([[0.5, 0.5]]))
    assert notes == [] and all(table == [] for table in found.values())
    one = ugt.Labels.from_wide([["a", "b", "a"]], annotators=["x", "ÿ<b>", "z"])
    assert [row["agreement"] for row in tables(one)[0]["annotators"]] == [0.5, 0.0, 0.5]
    found, _ = tables(ugt.Labels.from_wide([["a"], ["b"]], annotators=["x"]))
    assert found["annotators"][0]["agreement"] is None and found["annotator_overlap"] == []
    known = ugt.Labels.from_wide([[0, 1], [1, 1], [0, 0]], classes=2)
    assert details.made(design, known, {"A": (np.array([0, 1]), np.eye(2))})[0] == tables(known)[0]
