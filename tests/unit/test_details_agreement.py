"""Agreement class by class and pair by pair, against counting pairs of labels one by one."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from refusals import labels_of_rows
from twins import details

import ugt
from ugt.report import html
from ugt.tables import agreement

RNG = np.random.default_rng(8)


def long_labels(n=60, n_annotators=5, n_classes=3, share=0.7, rng=RNG):
    found = []
    for case in range(n):
        best = rng.integers(n_classes)
        for a in range(n_annotators):
            if rng.random() < share:
                found.append((f"c{case}", f"r{a}", f"k{best if rng.random() < 0.6 else rng.integers(n_classes)}"))
    return found


def labels_of(rows, **options):
    case, annotator, label = zip(*rows)
    return labels_of_rows(case, annotator, label, **options)


def made(labels, scores=None, **options):
    tables, notes = details.made(agreement, labels, scores or {}, **options)
    return tables["agreement_by_class"], tables["agreement_by_pair"], notes


def by_case(rows):
    found = {}
    for case, annotator, label in rows:
        found.setdefault(case, []).append((annotator, label))
    return found


def specific_agreement(rows, name):
    """How often another annotator of the case gives the class too, over all who gave it and have others beside them."""
    above = below = Fraction(0)
    for given in by_case(rows).values():
        if len(given) > 1:
            for (_, one), (_, other) in permutations(given, 2):
                above += Fraction(one == name and other == name, len(given) - 1)
            below += sum(label == name for _, label in given)
    return float(above / below)


def cohen(pairs):
    names = {label for pair in pairs for label in pair}
    n = len(pairs)
    observed = Fraction(sum(a == b for a, b in pairs), n)
    chance = sum(Fraction(sum(a == k for a, _ in pairs), n) * Fraction(sum(b == k for _, b in pairs), n) for k in names)
    return float(observed), None if chance == 1 else float((observed - chance) / (1 - chance))


def test_by_class():
    rows = long_labels()
    found, _, _ = made(labels_of(rows))
    assert sorted(row["class"] for row in found) == ["k0", "k1", "k2"]
    assert [row["prevalence"] for row in found] == sorted((row["prevalence"] for row in found), reverse=True)
    for row in found:
        assert row["agreement"] == pytest.approx(specific_agreement(rows, row["class"]), abs=1e-12)
        assert row["low"] < row["agreement"] < row["high"]
        assert row["prevalence"] == pytest.approx(np.mean([label == row["class"] for _, _, label in rows]))
        alone = labels_of([(case, annotator, str(label == row["class"])) for case, annotator, label in rows])
        kappa = ugt.fleiss_kappa(alone)
        assert row["kappa"] == pytest.approx(kappa.value)
        assert (row["kappa_low"], row["kappa_high"]) == pytest.approx(kappa.interval(0.9, kind="analytic"))
        several = [case for case, given in by_case(rows).items() if len(given) > 1]
        assert row["n_cases"] == sum(any(label == row["class"] for _, label in by_case(rows)[case]) for case in several)


def test_by_pair():
    rows = long_labels()
    _, found, notes = made(labels_of(rows))
    assert len(found) == 10 and notes == []
    given = {(case, annotator): label for case, annotator, label in rows}
    for row, (a, b) in zip(found, combinations([f"r{i}" for i in range(5)], 2)):
        assert {row["annotator"], row["other"]} == {a, b}
        shared = [case for case in by_case(rows) if (case, a) in given and (case, b) in given]
        observed, kappa = cohen([(given[case, a], given[case, b]) for case in shared])
        assert row["n_cases"] == len(shared) and (row["agreement"], row["kappa"]) == pytest.approx((observed, kappa))
        assert row["low"] < observed < row["high"] and row["kappa_low"] < kappa < row["kappa_high"]


def test_clusters_widen_the_intervals():
    rows = [(f"{case}-{copy}", annotator, label) for case, annotator, label in long_labels(30) for copy in range(4)]
    labels = labels_of(rows)
    patient = [str(case).split("-")[0] for case in labels.axes.case_ids]
    alone, together = made(labels), made(labels, clusters=patient)
    for tables in zip(alone[:2], together[:2]):
        for row, other in zip(*tables):
            assert row["agreement"] == pytest.approx(other["agreement"])
            assert other["high"] - other["low"] > 1.4 * (row["high"] - row["low"])
            assert other["kappa_high"] - other["kappa_low"] > 1.4 * (row["kappa_high"] - row["kappa_low"])


def test_only_judged_cases_count():
    rows = long_labels()
    labels = labels_of(rows)
    kept = [str(case) for case in labels.axes.case_ids][10:]
    scores = ugt.Predictions(kept, RNG.dirichlet([1] * 3, len(kept)), labels.axes.classes)
    found = made(labels, {"M": scores}, missing="drop")
    alone = made(labels_of([row for row in rows if row[0] in kept], classes=labels.axes.classes.tolist()))
    for rows_found, rows_alone in zip(found[:2], alone[:2]):
        assert numbers(rows_found) == pytest.approx(numbers(rows_alone)) and len(rows_found) > 2


def numbers(rows):
    """By class or by pair, whatever the order of annotators is."""
    keys = [row["class"] if "class" in row else tuple(sorted((row["annotator"], row["other"]))) for row in rows]
    return {(key, name): row[name] for key, row in zip(keys, rows) for name in ("agreement", "kappa", "n_cases")}


def test_pairs_by_hand():
    # the kappa of annotators who never vary is undefined
    rows = [(case, annotator, "a") for case in range(6) for annotator in "xy"] + [(case, "z", "ab"[case % 2]) for case in range(6)]
    by_pair = {(row["annotator"], row["other"]): (row["agreement"], row["kappa"]) for row in made(labels_of(rows))[1]}
    assert by_pair["x", "y"] == (1, None) and by_pair["x", "z"] == (0.5, 0)
    # repeated labels of an annotator are shares
    rows = [(0, "x", 0), (0, "x", 1), (0, "y", 0), (1, "x", 1), (1, "y", 1), (2, "x", 0), (2, "y", 1)]
    assert made(labels_of(rows))[1][0]["agreement"] == pytest.approx((0.5 + 1 + 0) / 3)


def test_many_annotators_and_classes_are_cut_with_a_note():
    rows = [(case, f"a{(case + i) % 40}", (case * i) % 35) for case in range(200) for i in range(4)]
    by_class, by_pair, notes = made(labels_of(rows))
    assert len(by_class) == agreement.MOST_CLASSES and len({row["annotator"] for row in by_pair} | {row["other"] for row in by_pair}) <= 15
    assert any("30 classes" in note for note in notes) and any("15 annotators" in note for note in notes)


def test_where_nothing_can_be_said_or_of_classes_only():
    single = [ugt.Labels.from_counts([[1, 0], [0, 1]]), ugt.Rankings.from_blocks([[[[0]], [[1]]]], n_classes=2)]
    for annotations in (*single, ugt.Point.from_array([[0.5, 0.5]])):
        assert made(annotations) == ([], [], [])
    by_class, by_pair, _ = made(ugt.Labels.from_counts([[2, 1], [3, 0], [0, 4]]))
    assert len(by_class) == 2 and by_pair == []
    assert by_class[0]["agreement"] == pytest.approx((2 * 1 / 2 + 3 + 0) / 5)


def test_the_report_shows_both_and_escapes_names():
    rows = [(case, f"<b>{annotator}", f"&{label}") for case, annotator, label in long_labels()]
    scores = ugt.Predictions(None, RNG.dirichlet([1] * 3, 60))
    evaluation = ugt.evaluate(labels_of(rows, cases=[f"c{i}" for i in range(60)]), {"M": scores}, k=1)
    page = html(evaluation.to_dict())
    assert "agreement.csv, agreement_by_class.csv, agreement_by_pair.csv" in page
    assert "<b>r0" not in page and "&lt;b&gt;r0" in page
    assert not any(math.isnan(row["agreement"]) for row in evaluation.tables["agreement_by_pair"])


def test_of_rankings_the_evaluation_has_what_can_be_said():
    generator = np.random.default_rng(3)
    nested = [[[[k] for k in generator.permutation(4)[:2].tolist()] for _ in range(3)] for _ in range(30)]
    rankings = ugt.Rankings.from_blocks(nested, n_classes=4, offered="all")
    scores = generator.dirichlet([1] * 4, 20)
    evaluation = ugt.evaluate(rankings, {"M": ugt.Predictions(range(10, 30), scores)}, k=1, missing="drop", seed=4)
    first, overlap = evaluation.agreement
    judged = ugt.Rankings.from_blocks(nested[10:], n_classes=4, offered="all")
    for row, one in ((first, ugt.agreement.leave_one_annotator_out(judged)), (overlap, ugt.agreement.annotator_average_overlap(judged, 3))):
        assert row["value"] == pytest.approx(one.value)
        assert (row["low"], row["high"]) == pytest.approx(one.interval(seed=4)) and row["n_cases"] == 20
    page = html(evaluation.to_dict())
    assert "average overlap of pairs at 3" in page
    alone = ugt.evaluate(ugt.Rankings.from_blocks([[[[0], [1]]]] * 3, n_classes=4), {}, k=1)
    assert alone.agreement == () and 'id="people"' not in html(alone.to_dict())


def test_pairs_with_more_labels_than_anybody_gave_are_left_out(monkeypatch):
    rows = [*long_labels(20, n_annotators=3), *((f"c{i}", "r0", "k1") for i in range(20) for _ in range(3))]
    whole = made(labels_of(rows))
    monkeypatch.setattr(agreement, "MOST_LABELS", 40)
    _, found, notes = made(labels_of(rows))
    assert [(row["annotator"], row["other"]) for row in whole[1]] == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]
    assert found == [row for row in whole[1] if (row["annotator"], row["other"]) == ("r1", "r2")]
    assert [note for note in notes if "r0 and r1 is left out: more than 40 labels" in note]
