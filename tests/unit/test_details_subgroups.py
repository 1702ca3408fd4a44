"""Differences of subgroups: rows against a twin over cases and annotators, the joint level, and groups that cannot be compared."""

from statistics import NormalDist

import numpy as np
import pytest
from twins import details, panels
from twins import subgroups as twin

import ugt
from ugt.resampling import Ratios, two_ways
from ugt.resampling.case_groups import GroupDifference
from ugt.resampling.design import Design
from ugt.resampling.two_way_spreads import two_ways_of
from ugt.tables import subgroups

pytestmark = pytest.mark.filterwarnings("ignore:Intervals are over .* clusters", "ignore:annotator .* makes up nearly all")
N, R, K = 60, 4, 3
RNG = np.random.default_rng(8)
TRUE = RNG.integers(0, K, N)
LABELS = np.where(RNG.random((N, R)) < 0.7, TRUE[:, None], RNG.integers(0, K, (N, R)))
GAPS = np.where(RNG.random((N, R)) < 0.3, None, LABELS.astype(object))
GAPS[:2] = None
CHOSEN = [np.where(RNG.random(N) < p, TRUE, RNG.integers(0, K, N)) for p in (0.8, 0.5)]
SITE = np.resize(["north", "south", "south", "west", ""], N)
CROSSED = RNG.integers(0, 15, N)
VOTES = {"aggregation": "votes"}
OPTIONS = {"level": 0.95, "n_resamples": 400}


def labels(table=LABELS):
    return ugt.Labels.from_wide(table, classes=K, annotators=[f"a{j}" for j in range(R)])


def models(n=2):
    return {f"M{j}": np.eye(K)[one] for j, one in enumerate(CHOSEN[:n])}


def table(known=None, scores=None, **options):
    rows, notes = details.made(subgroups, labels() if known is None else known, scores or models(), **{**OPTIONS, **options})
    return rows["subgroup_differences"], notes


def group_of(level, values=SITE):
    return [2 if one == "" else 0 if one == level else 1 for one in values]


def votes(chosen):
    def value(i, counts):
        best = [k for k, n in enumerate(counts) if n == max(counts)]
        return (chosen[i] in best) / len(best)

    return value


@pytest.mark.parametrize("given", [LABELS, GAPS], ids=["complete", "gaps"])
@pytest.mark.parametrize("clusters", [None, CROSSED], ids=["cases", "clusters"])
def test_rows_are_those_of_a_twin(clusters, given):
    """Votes of annotators of whom all 35 panels are listed; clusters have cases in several sites."""
    context = details.context(labels(given), models(), **VOTES, **OPTIONS, clusters=clusters, subgroups={"site": SITE})
    found = details.made(subgroups, context)[0]["subgroup_differences"]
    assert [(row["level"], row["model"]) for row in found] == [(s, m) for s in ("north", "south", "west") for m in ("M0", "M1")]
    rows = [[None if x is None else int(x) for x in row] for row in given.tolist()]
    for row in found:
        chosen, group = CHOSEN[int(row["model"][1])], group_of(row["level"])
        values = [float(x) if x == x else None for x in context.column(row["model"], "topk_accuracy", context.reliability)]
        value, ends = twin.over_cases(values, group, clusters)
        assert row["difference"] == pytest.approx(value, rel=1e-12) and row["metric"] == "topk_accuracy"
        assert (row["low"], row["high"]) == pytest.approx(ends, rel=1e-8)
        counted = [[i for i, x in enumerate(values) if x is not None and group[i] == which] for which in (0, 1)]
        assert [row["n_cases"], row["n_others"]] == list(map(len, counted))
        some = None if clusters is None else [len({clusters[i] for i in cases}) for cases in counted]
        assert [row["n_clusters"], row["n_other_clusters"]] == (some or [None, None])
        kept = sorted([*counted[0], *counted[1]])
        here, of = [rows[i] for i in kept], [group[i] for i in kept]
        number = lambda m: twin.number(here, K, lambda i, counts: votes(chosen)(kept[i], counts), of, m)  # noqa: B023, E731
        parts = panels.spread(number, here, panels.listed(R), None if clusters is None else [clusters[i] for i in kept])
        source = context.heads["topk_accuracy", row["model"], context.reliability]
        one = GroupDifference(*source.quotient(0), np.array(group), source)
        design = Design.of(len(kept), None if clusters is None else clusters[kept])
        (both,) = two_ways_of(one, [0], design)
        np.testing.assert_allclose([both.value, *both.parts.values(), both._panels.kappa], parts[:5], rtol=1e-9)
        assert not row["one_by_one"] and row["two_way_low"] <= row["low"] and row["two_way_high"] >= row["high"]
        low, high = two_ways.containing(both.interval(), ends)
        assert (row["two_way_low"], row["two_way_high"]) == pytest.approx((low, high), rel=1e-8)


def test_leaving_out_annotators_is_that_of_the_definition():
    """Each annotator is missing from both groups at once, whether only changed cases are computed again or all of them."""
    context = details.context(labels(GAPS), models(), **VOTES, **OPTIONS, subgroups={"site": SITE})
    source, group = context.heads["topk_accuracy", "M0", context.reliability], np.array(group_of("south"))
    one, who = GroupDifference(*source.quotient(0), group, source), np.arange(R)
    rows = [[None if x is None else int(x) for x in row] for row in GAPS.tolist()]
    quick, slow = list(one.panel.without_each(who, [0])), list(one.panel.one_by_one(who, [0]))
    for j, (left, again) in enumerate(zip(quick, slow)):
        value, psi = twin.number(rows, K, votes(CHOSEN[0]), group, [int(i != j) for i in range(R)])
        assert left.values[0] == pytest.approx(value, rel=1e-12) == again.values[0]
        np.testing.assert_allclose(left.influence[:, 0], psi, atol=1e-14)
        np.testing.assert_allclose(again.influence[:, 0], psi, atol=1e-14)


def test_annotators_who_move_both_groups_alike_add_nothing():
    """Two annotators of four are wrong in a fifth of the cases of either group: without any of them the difference is the same."""
    truth, group = np.zeros(100, int), np.arange(100) % 2
    table = np.stack([np.where(np.arange(100) // 2 % 5 == j, 1, truth) for j in range(2)] + [truth] * 2, axis=1)
    known = ugt.Labels.from_wide(table, classes=2, annotators=list("abcd"))
    found, _ = table_of(known, np.eye(2)[np.where(np.arange(100) % 20 < 2, 1, 0)], np.where(group == 0, "x", "y"), prior=0.1)
    row = found[0]
    assert row["difference"] == pytest.approx(0, abs=1e-12)
    assert row["two_way_low"] == pytest.approx(row["low"], rel=0.05)


def table_of(known, scores, values, **options):
    return table(known, {"A": scores}, subgroups={"one": values}, **options)


def test_two_subgroups_are_mirror_images_with_the_level_of_one():
    found, notes = table(subgroups={"half": np.arange(N) % 2}, scores=models(1))
    (one, other) = found
    assert one["difference"] == pytest.approx(-other["difference"]) and one["low"] == pytest.approx(-other["high"])
    assert 0.9 < (one["joint_high"] - one["difference"]) / (one["high"] - one["difference"]) < 1.2  # q of resamples is near 1.96
    assert notes == []


def test_the_joint_level_is_that_of_resampled_differences():
    context = details.context(labels(), models(), **OPTIONS, subgroups={"site": SITE, "half": np.arange(N) % 2})
    found = details.made(subgroups, context)[0]["subgroup_differences"]
    weights, largest, halves = Design.of(N).weights(3, 0, 400).astype(float), np.zeros(400), (np.arange(N) % 2).astype(str)
    for row in found:
        x = context.column(row["model"], "topk_accuracy", context.reliability)
        group = np.array(group_of(row["level"], SITE if row["stratum"] == "site" else halves))
        one, other = (weights @ np.where(group == g, x, 0.0) / (weights @ (group == g)) for g in (0, 1))
        largest = np.maximum(largest, np.abs(one - other - row["difference"]) / (one - other).std(ddof=1))
    level, first = 2 * NormalDist().cdf(float(np.quantile(largest, 0.95))) - 1, found[0]
    values = context.column(first["model"], "topk_accuracy", context.reliability).tolist()
    _, ends = twin.over_cases(values, group_of(first["level"]), None, level)
    assert len(found) == 10 and 0.98 < level < 0.999
    assert (first["joint_low"], first["joint_high"]) == pytest.approx(ends, rel=1e-6)


def test_a_worse_subgroup_is_shown_for_others_too():
    n, r = 240, 8
    rng = np.random.default_rng(1)
    truth, site = rng.integers(0, 2, n), np.arange(n) % 3
    seen = np.where(rng.random((n, r)) < 0.9, truth[:, None], 1 - truth[:, None])
    chosen = np.where(rng.random(n) < np.where(site == 1, 0.5, 0.95), truth, 1 - truth)
    scores, names = np.eye(2)[chosen], [f"a{j}" for j in range(r)]
    known = ugt.Labels.from_wide(seen, classes=2, annotators=names)
    claims = {row["level"]: (row["claim"], row["difference"] > 0) for row in table_of(known, scores, site)[0]}
    assert claims["1"] == ("others", False) and claims["0"][1] and claims["2"][1]
    alone = {row["level"]: row for row in table_of(known, scores, site, random=("cases",))[0]}
    assert alone["1"]["claim"] == "these" and alone["1"]["two_way_low"] is None
    unnamed = table_of(ugt.Labels.from_counts(np.stack([(seen == k).sum(1) for k in (0, 1)], axis=1)), scores, site)[0]
    assert unnamed[1]["claim"] == "these" and unnamed[1]["n_annotators"] is None
    few = table_of(ugt.Labels.from_wide(seen[:, :4], classes=2, annotators=names[:4]), scores, site)[0]
    assert few[1]["claim"] == "others if normal"


def test_rankings_leave_annotators_out_one_by_one():
    rng = np.random.default_rng(2)
    site, r = np.arange(60) % 2, 6
    first = np.where(rng.random((60, r)) < 0.9, TRUE[:, None] % 2, 1 - TRUE[:, None] % 2)
    rows = [(i, j, k, 1 if k == first[i, j] else 2) for i in range(60) for j in range(r) for k in range(2)]
    known = ugt.Rankings.from_long(*zip(*rows), classes=2, cases=range(60))
    scores = np.eye(2)[np.where(site == 0, TRUE % 2, 1 - TRUE % 2)]
    found, _ = table_of(known, scores, site, reliability=10)
    assert {(row["one_by_one"], row["claim"], row["reason"]) for row in found} == {(True, "these", None)}


def test_groups_that_cannot_be_compared_are_counted():
    values = np.array(["big"] * 30 + ["one"] + ["nine"] * 9 + ["twelve"] * 12 + [""] * 8)
    found, notes = table(subgroups={"size": values, "all": ["x"] * N}, scores=models(1))
    rows = {row["level"]: row for row in found}
    assert set(rows) == {"big", "one", "nine", "twelve", "x"}  # cases that are not stated are no subgroup
    assert rows["one"]["n_cases"] == 1 and rows["one"]["n_others"] == 51 and rows["one"]["difference"] is not None
    for level, reason in (("one", subgroups.TOO_FEW), ("nine", subgroups.TOO_FEW), ("x", subgroups.NO_OTHERS)):
        row = rows[level]
        assert row["reason"] == reason and row["claim"] == "nobody" and row["few"]
        assert row["low"] is row["joint_low"] is row["two_way_low"] is None
    assert rows["x"]["difference"] is None and (rows["x"]["n_cases"], rows["x"]["n_others"]) == (N, 0)
    assert rows["twelve"]["low"] is not None and rows["twelve"]["few"] and not rows["big"]["few"] and rows["big"]["reason"] is None
    assert notes == [f"3 differences of subgroups lack an interval: {subgroups.TOO_FEW} (2); {subgroups.NO_OTHERS} (1)."]
    missing = np.where(np.arange(N)[:, None] < 20, None, LABELS.astype(object))
    found, _ = table(labels(missing), models(1), subgroups={"at": np.resize(["a"] * 20 + ["b"] * 20, N)}, missing="drop")
    assert [(row["level"], row["n_cases"], row["reason"]) for row in found] == [("a", 20, None), ("b", 20, None)]
    found, _ = table(labels(missing), models(1), subgroups={"at": ["none"] * 20 + ["b"] * 40})
    assert [(row["reason"], row["difference"]) for row in found] == [(subgroups.NO_OTHERS, None), (subgroups.NO_CASE, None)]


def test_cases_that_are_all_alike_show_no_spread():
    site = np.arange(N) % 2
    known = ugt.Labels.from_wide(np.repeat(site[:, None], 3, axis=1), classes=2, annotators=list("abc"))
    found, notes = table_of(known, np.tile([0.9, 0.1], (N, 1)), site)
    assert all(row["reason"] == subgroups.ALIKE and abs(row["difference"]) > 0.5 and row["low"] is None for row in found)
    assert notes == [f"2 differences of subgroups lack an interval: {subgroups.ALIKE} (2)."]


def test_few_clusters_and_no_models():
    found, _ = table(subgroups={"half": np.arange(N) < 40}, clusters=np.arange(N) // 15, scores=models(1))
    assert [row["reason"] for row in found] == [subgroups.TOO_FEW] * 2 and found[0]["n_clusters"] == 2
    assert table()[0] == []
    assert details.made(subgroups, labels(), {}, subgroups={"site": SITE})[0]["subgroup_differences"] == []


def test_a_small_group_without_a_wrong_case_is_not_shown_to_be_better():
    """All of 12 cases are right, as 14% of such groups are if 85% are right: their own variance would be 0."""
    right = np.array([1.0] * 12 + ([1.0] * 17 + [0.0] * 3) * 9)
    group = np.array([0] * 12 + [1] * 180)
    one = GroupDifference(right, np.ones(192), group)
    values = [float(x) for x in right]
    value, (low, high) = twin.over_cases(values, group.tolist())
    assert one.estimate[0] == pytest.approx(value) and low < 0 < value < high
    alone = Ratios.of(right[12:, None]).std_error()[0]
    assert value / alone > 5  # as if only the others varied


def test_the_groups_of_many_levels_are_compared_with_all_other_cases():
    many = [f"s{i // 2 if i < 120 else 60 + i // 20}" for i in range(180)]  # 60 levels of 2 cases, 3 of 20
    known = ugt.Labels.from_wide(np.resize(LABELS, (180, R)), classes=K, annotators=list("abcd"))
    found, _ = table_of(known, np.eye(K)[np.resize(CHOSEN[0], 180)], many)
    assert len(found) == 50 and all(row["n_cases"] + row["n_others"] == 180 for row in found)


def test_very_many_differences_are_for_these_annotators_only(monkeypatch):
    monkeypatch.setattr(subgroups, "MOST_FOR_OTHERS", N * R * 6 - 1)
    found, notes = table(subgroups={"site": SITE})
    assert all(row["low"] is not None and row["two_way_low"] is None for row in found) and len(notes) == 1
    assert notes[0].startswith("Differences of subgroups are for these annotators only")
    assert table(subgroups={"site": SITE}, random=("cases",))[1] == []


def test_subgroups_with_annotators_of_their_own_say_why_there_is_no_interval_for_others():
    """Readers of four sites share no case: without a site there is no value of it, while other subgroups go across the sites."""
    site, n = np.arange(160) % 4, 160
    truth, seen = np.resize(TRUE, n), np.full((n, 8), None, object)
    for i in range(n):
        seen[i, 2 * site[i] : 2 * site[i] + 2] = np.where(RNG.random(2) < 0.8, truth[i], RNG.integers(0, K, 2))
    known = ugt.Labels.from_wide(seen, classes=K, annotators=[f"a{j}" for j in range(8)])
    found, notes = table_of(known, np.eye(K)[np.where(RNG.random(n) < 0.8, truth, 0)], site)
    reason = "for other annotators: undefined without one of the groups of annotators"
    assert {(row["reason"], row["two_way_low"]) for row in found} == {(reason, None)} and all(row["low"] is not None for row in found)
    assert notes == [f"4 differences of subgroups lack an interval: {reason} (4)."]
    across, notes = table_of(known, np.eye(K)[truth], RNG.integers(0, 2, n))
    assert all(row["n_groups"] == 4 and row["two_way_low"] is not None for row in across) and notes == []
