"""Strata: which case is in which, numbers of each against plain means, intervals against a bootstrap of all cases."""

from collections import Counter

import numpy as np
import pytest
from twins import details

import ugt
from ugt.tables import strata

MODELS = ("A", "Zoë <b>")


def table(*given, **options):
    rows, notes = details.made(strata, *given, **options)
    return rows["strata"], notes


def data(seed, n=150, n_classes=3):
    """Counts of 0 to 6 labels, and scores."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(n_classes) * 0.5, n)
    counts = np.stack([rng.multinomial(rng.integers(0, 7), row) for row in p])
    return counts, {name: rng.integers(1, 6, (n, n_classes)) / 5.0 for name in MODELS}


def level_of_certainty(value):
    if np.isnan(value):
        return None
    return "below 0.5" if value < 0.5 else "0.5 to 0.8" if value < 0.8 else "0.8 to 0.99" if value < 0.99 else "0.99 or more"


def level_of_agreement(row):
    if sum(row) < 2:
        return None
    return "unanimous" if max(row) == sum(row) else "majority" if max(row) > sum(row) / 2 else "no majority"


def levels_twin(context, counts, sites):
    """The level of every case by stratum."""
    return {
        "certainty": [level_of_certainty(value) for value in details.certainty(context)],
        "annotations per case": [str(sum(row)) if sum(row) else None for row in counts.tolist()],
        "agreement": [level_of_agreement(row) for row in counts.tolist()],
        "site": [site or "not stated" for site in sites],
    }


def numbers_twin(context):
    """Contributions of every number."""
    found = {(None, "certainty"): details.certainty(context)}
    for row, column in zip(context.metrics, context.columns):
        if row.k == 1 and row.reliability in (None, context.reliability):
            found[row.model, row.metric] = column
    return found


@pytest.mark.parametrize(("seed", "clustered", "kind"), [(0, False, "percentile"), (1, True, "bca"), (2, True, "basic")])
def test_against_the_twin(seed, clustered, kind):
    counts, scores = data(seed)
    n = len(counts)
    sites = np.random.default_rng(seed).choice(["north", "süd", ""], n)
    clusters = np.arange(n) // 2 if clustered else None
    context = details.context(counts, scores, clusters=clusters, subgroups={"site": sites}, interval=kind, reliability=(0.5, 1, 3))
    assert context.reliability == 1
    found, _ = table(context)
    seen = {(row["stratum"], row["level"], row["model"], row["metric"]): row for row in found}
    there = counts.sum(1) > 0
    wanted = 0
    for stratum, levels in levels_twin(context, counts, sites).items():
        for level in {level for level in levels if level is not None}:
            inside = np.array([one == level for one in levels])
            for (model, metric), column in numbers_twin(context).items():
                row = seen[stratum, level, model, metric]
                wanted += 1
                own = np.where(inside, column, np.nan)
                values = own[~np.isnan(own)].tolist()
                assert row["value"] == pytest.approx(sum(values) / len(values), rel=1e-12) and row["n_cases"] == len(values)
                groups = {i // 2 for i in np.flatnonzero(~np.isnan(own)).tolist()}
                few = len(values) < 20 or (clustered and len(groups) < 3)
                assert (row["few"], row["n_clusters"]) == (few, len(groups) if clustered else None)
                if few:
                    assert row["low"] is None and row["high"] is None
                else:
                    resampled = ugt.bootstrap(own[there], clusters=clusters[there] if clustered else None, n_resamples=60, seed=3)
                    assert (row["low"], row["high"]) == pytest.approx(resampled.interval(0.9, kind)[0].tolist(), rel=1e-9)
    assert wanted == len(seen) == len(found) > 50


def test_the_order_of_levels():
    counts, scores = data(5)
    sites = np.resize(["10", "9", "", "9.5"], len(counts))
    found, _ = table(counts, scores, subgroups={"dose": sites, "site": np.resize(["b", "", "10"], len(counts))})
    levels = {name: list(dict.fromkeys(row["level"] for row in found if row["stratum"] == name)) for name in ("dose", "site", "certainty")}
    assert levels["dose"] == ["9", "9.5", "10", "not stated"] and levels["site"] == ["10", "b", "not stated"]
    assert levels["certainty"] == [level for level in strata.CERTAINTY_LEVELS if level in levels["certainty"]]
    assert list(dict.fromkeys(row["stratum"] for row in found)) == ["certainty", "annotations per case", "agreement", "dose", "site"]
    assert strata._ordered(["2", "nan", "not stated", "10"]) == ["2", "10", "nan", "not stated"]


def test_levels_by_hand():
    code = strata._by_certainty(np.array([0.1, 0.5, 0.5 - 1e-15, 0.5 - 1e-9, 0.8, 0.99, 1.0, np.nan])).code
    assert code.tolist() == [0, 1, 1, 0, 2, 3, 3, -1]
    found = strata._by_size(np.array([0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 64, 65]))
    names = [None if code < 0 else found.levels[code] for code in found.code]
    assert names[:7] == [None, "1", "2", "3 to 4", "3 to 4", "5 to 8", "5 to 8"]
    assert names[7:] == ["9 to 16", "9 to 16", "17 to 32", "33 to 64", "33 to 64", "65 to 128"]
    few = strata._by_size(np.array([7, 0, 100, 7]))
    assert (list(few.levels), few.code.tolist()) == (["7", "100"], [0, -1, 1, 0])
    known = ugt.Labels.from_counts([[2, 0, 0], [2, 1, 0], [1, 1, 0], [2, 1, 1], [1, 0, 0], [0, 0, 0], [3, 1, 1]])
    assert strata._by_agreement(known).code.tolist() == [0, 1, 2, 2, -1, -1, 1]


def test_the_largest_levels_of_many():
    many = [f"s{i // 2 if i < 120 else 60 + i // 20}" for i in range(180)]  # 60 levels of 2 cases, 3 of 20
    found, notes = table(np.tile([3, 1], (180, 1)), {}, subgroups={"centre": many})
    levels = {row["level"]: row["n_cases"] for row in found if row["stratum"] == "centre"}
    assert len(levels) == 50 and sorted(Counter(levels.values()).items()) == [(2, 47), (20, 3)]
    assert "Of the 63 levels of centre the 50 with most cases are shown." in notes


def test_subgroups_with_a_taken_name_or_without_annotations():
    counts, scores = data(3)
    found, _ = table(counts, scores, subgroups={"agreement": np.resize(["x", "y"], len(counts))})
    assert {row["level"] for row in found if row["stratum"] == "agreement (given)"} == {"x", "y"}
    counts = np.concatenate([np.zeros((3, 2), int), np.tile([2, 1], (30, 1))])
    sites = ["empty"] * 3 + ["full"] * 30
    found, _ = table(counts, {"A": [[0.7, 0.3]] * 33}, subgroups={"site": sites})
    empty = [row for row in found if row["level"] == "empty"]
    assert len(empty) == 3 and all((row["value"], row["n_cases"], row["few"]) == (None, 0, True) for row in empty)


def test_few_are_said():
    found, notes = table(*data(4, n=15))
    assert all(row["few"] and row["low"] is None and row["high"] is None for row in found)
    assert notes == ["Strata with fewer than 20 cases, or 3 clusters where there are clusters, have no intervals."]
    counts, scores = data(4)
    for size, few in ((50, False), (75, True)):
        found, _ = table(counts + 1, scores, clusters=np.arange(150) // size, subgroups={"all": ["x"] * 150})
        assert {row["few"] for row in found if row["stratum"] == "all"} == {few}


def test_rankings_plausibilities_and_no_models():
    rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[1]]], [[[1]]]] * 15, n_classes=2)
    found, _ = table(rankings, {"A": [[0.7, 0.3]] * 30})
    assert {row["stratum"] for row in found} == {"certainty", "annotations per case"}
    found, _ = table(ugt.Point.from_array([[0.7, 0.3]] * 30), {}, subgroups={"site": ["x"] * 30})
    rows = [(row["stratum"], row["level"], row["model"], row["value"]) for row in found]
    assert rows == [("certainty", "0.99 or more", None, 1.0), ("site", "x", None, 1.0)]
    found, _ = table(*data(6), k=2)  # without the first choice
    assert {row["metric"] for row in found} == {"certainty"}


def test_cases_without_predictions_are_left_out():
    counts, scores = data(7)
    some = {name: (np.arange(50, 150), values[50:]) for name, values in scores.items()}
    sites = np.where(np.arange(150) < 75, "x", "y")
    found, _ = table(counts, some, subgroups={"site": sites})
    sizes = {row["level"]: row["n_cases"] for row in found if row["stratum"] == "site"}
    assert sizes == {"x": int((counts[50:75].sum(1) > 0).sum()), "y": int((counts[75:].sum(1) > 0).sum())}
    sizes = {row["level"]: row["n_cases"] for row in found if row["stratum"] == "annotations per case"}
    assert sizes == {str(n): times for n, times in Counter(counts[50:].sum(1).tolist()).items() if n}
