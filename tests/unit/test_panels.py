"""Panels of annotators drawn with replacement: against a twin that lists them, published values, and the same in other orders."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from twins import panels as twin
from twins import scaled_score

import ugt
from ugt.resampling import panels as module
from ugt.resampling.panels import Panels
from ugt.resampling.spread import SCALES
from ugt.resampling.two_way_spreads import _leaving_out

pytestmark = pytest.mark.filterwarnings("ignore:Intervals are over .* clusters", "ignore:annotator .* makes up nearly all")
BOTH = ("cases", "annotators")
SMALL = [[1, 1, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0], [1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 1]]
A, B = [1, 0, 1, 1, 1, 1, 0, 1], [1, 0, 0, 1, 0, 0, 0, 0]
MISSING = {(0, 3), (2, 0), (4, 1), (5, 2)}
GAPS = [[None if (i, j) in MISSING else x for j, x in enumerate(row)] for i, row in enumerate(SMALL)]


def known(table, classes=2, names=None):
    return ugt.Labels.from_wide(np.array(table, object), classes=classes, annotators=names or [f"a{j}" for j in range(len(table[0]))])


def picking(choice, classes=2):
    return np.eye(classes)[choice] * 0.9 + 0.1 / classes


def votes(chosen):
    def value(i, counts):
        best = [k for k, n in enumerate(counts) if n == max(counts)]
        return (chosen[i] in best) / len(best)

    return value


def share(chosen):
    return lambda i, counts: counts[chosen[i]] / sum(counts)


def less(one, other):
    return lambda i, counts: one(i, counts) - other(i, counts)


FIGURES = {
    "vote": (lambda labels, c: ugt.ua_topk_accuracy(ugt.votes(labels), picking(c)), votes),
    "one more": (lambda labels, c: ugt.metrics.next_annotator_agreement(labels, picking(c)), share),
}


@pytest.mark.parametrize("table", [SMALL, GAPS], ids=["complete", "gaps"])
@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1, 2, 3, 4, 4]], ids=["cases", "clusters"])
@pytest.mark.parametrize("figure", FIGURES)
def test_differences_are_those_of_a_twin(figure, clusters, table):
    function, value = FIGURES[figure]
    labels = known(table)
    found = function(labels, A).minus(function(labels, B)).two_way(clusters=clusters)
    panels = twin.listed(4)
    number = lambda m: twin.ratio(table, 2, less(value(A), value(B)), m)  # noqa: E731
    parts = twin.spread(number, table, panels, clusters)
    np.testing.assert_allclose([found.value, *found.parts.values(), found._panels.kappa], parts[:5], rtol=1e-10)
    chosen = [value(A), value(B)]
    counts = [twin.counts_of(row, [1] * 4, 2) for row in table]
    apart = [chosen[0](i, own) - chosen[1](i, own) for i, own in enumerate(counts)]
    few = scaled_score.interval(apart, clusters=clusters)  # fewer than 20 cases differ
    low, high = twin.interval(*parts, 4, of_cases=few)  # shares are even with the gaps, too
    alone = function(labels, A).minus(function(labels, B)).interval(clusters=clusters)
    assert alone == pytest.approx(few)
    np.testing.assert_allclose(found.interval(), [max(low, -1.0), min(high, 1.0)], rtol=1e-9)


def test_a_fixed_example_has_the_published_numbers():
    """Differences of two models over 8 cases and 4 annotators, all 35 panels listed; with and without four labels."""
    for table, figure, value, expected in (
        (SMALL, "one more", 0.0625, (0.012835, 0.014323, 0.017299, -0.47011, 0.59511)),
        (SMALL, "vote", 0.125, (0.051339, 0.028727, 0.033378, -0.52169, 0.77169)),
        (GAPS, "vote", 0.0, (None, None, None, -0.68955, 0.68955)),
    ):
        function = FIGURES[figure][0]
        found = function(known(table), A).minus(function(known(table), B)).two_way()
        assert found.value == pytest.approx(value, abs=1e-12)
        for one, other in zip((*found.parts.values(), *found.interval()), expected):
            assert other is None or one == pytest.approx(other, abs=6e-6), figure
    prior = {"prior": 0.1}
    one, two = (ugt.ua_topk_accuracy(ugt.dirichlet(known(SMALL), **prior), picking(c)) for c in (A, B))
    assert one.minus(two).interval(random=BOTH) == pytest.approx((-0.4477, 0.6312), abs=2e-4)
    gaps = Panels.of(known(GAPS), None)
    assert gaps.taken_out(np.ones(8, bool)) == pytest.approx(1.47871, abs=5e-6)


def test_a_vote_that_flips_has_an_interval_although_no_case_varies():
    """Four of six annotators say 1 in all cases: the vote is certain for them, and may be another for others."""
    labels = known([[1, 1, 1, 1, 0, 0]] * 8)
    one, two = (ugt.ua_topk_accuracy(ugt.votes(labels), picking([c] * 8)) for c in (1, 0))
    found = one.minus(two).two_way()
    assert (found.value, found.parts["cases"], found.parts["both"]) == (1.0, 0.0, 0.0)
    assert found._panels.mean == pytest.approx(0.5802, abs=5e-5) and found.parts["annotators"] == pytest.approx(0.5326, abs=5e-5)
    assert found.interval() == (-1.0, 1.0)
    low, high = one.interval(random=BOTH)
    assert low < 0.1 and high == 1.0


@pytest.mark.parametrize("r", [2, 3, 5, 7])
def test_linear_numbers_have_the_parts_of_leaving_out_annotators(r):
    rng = np.random.default_rng(r)
    table = rng.integers(0, 3, (30, r))
    labels = ugt.Labels.from_wide(table, classes=3, annotators=[f"a{j}" for j in range(r)])
    one, two = (ugt.metrics.next_annotator_agreement(labels, rng.random((30, 3))) for _ in range(2))
    difference = one.minus(two)
    found = difference.two_way()
    assert found._panels.p.sum() == pytest.approx(1, abs=1e-12) and found._panels.kappa == pytest.approx(r / (r - 1), abs=1e-12)
    left, at = difference.statistic.only(0)
    expected = _leaving_out(left, [at], module.Design.of(30))[0]
    np.testing.assert_allclose([*found.parts.values()], [*expected.parts.values()], rtol=1e-12, atol=1e-15)
    low, high = expected.interval()
    assert found.interval()[0] <= low + 1e-12 and high - 1e-12 <= found.interval()[1]


def test_the_auroc_is_that_of_a_twin():
    rng = np.random.default_rng(4)
    table = [[int(x) for x in row] for row in rng.integers(0, 2, (10, 3))]
    table[2][1] = None
    scores = np.round(rng.normal(size=10), 1)
    labels = known(table)
    found = ugt.soft_auroc(labels, scores).two_way()
    panels = [one for one in twin.listed(3)]
    parts = twin.spread(lambda m: twin.auroc(table, scores, m), table, panels, None, *LOGIT)
    np.testing.assert_allclose([*found.parts.values()], parts[1:4], rtol=2e-4)


AREAS = {"exclude": (-0.5, 0.0), "half": (0.0, 0.0), "include": (0.5, 0.0), "unbiased": (-0.5, 1.0)}
LOGIT = (
    lambda x: math.log(min(max(x, 1e-6), 1 - 1e-6) / (1 - min(max(x, 1e-6), 1 - 1e-6))),
    lambda x: 1 / (min(max(x, 1e-6), 1 - 1e-6) * (1 - min(max(x, 1e-6), 1 - 1e-6))),
)


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1, 2, 3, 4, 4]], ids=["cases", "clusters"])
@pytest.mark.parametrize(("pairs", "prior"), [*((pairs, None) for pairs in AREAS), ("exclude", 0.4)])
def test_areas_and_their_differences_are_those_of_a_twin(pairs, prior, clusters):
    """With ties, cases without labels under some panels, and panels without negatives."""
    rng = np.random.default_rng(3)
    one, two = (np.round(rng.normal(size=8) + np.array(A)) for _ in range(2))
    table = [[1, None, None, None], [None, 0, None, 1], *([1, *row[1:]] for row in GAPS[2:])]
    truth = known(table) if prior is None else ugt.dirichlet(known(table), prior=prior)
    first, second = (ugt.soft_auroc(truth, scores, self_pairs=pairs) for scores in (one, two))

    def area(scores):
        def number(m):
            counts, a = [twin.counts_of(row, m, 2) for row in table], prior or 0.0
            return twin.area(scores, [(k + a) / (n + k + 2 * a) if n + k else None for n, k in counts], *AREAS[pairs])

        return number

    def less(m):
        (value, psi), (other, its) = area(one)(m), area(two)(m)
        return value - other, psi and its and [x - y for x, y in zip(psi, its)]

    assert prior or area(one)([4, 0, 0, 0])[1] is None
    for found, number, scale in ((first, area(one), LOGIT), (first.minus(second), less, ())):
        expected = twin.spread(number, table, twin.listed(4), clusters, *scale)
        got = found.two_way(clusters=clusters)
        np.testing.assert_allclose([*got.parts.values()], expected[1:4], rtol=1e-9)
        np.testing.assert_allclose([got.value, got._panels.mean], [number([1] * 4)[0], sum(p * x for x, p in expected[5])], rtol=1e-9)


def test_areas_over_many_panels_are_the_same_with_any_number_of_threads():
    """1,999 panels of 9 annotators, in 16 tasks; some of them beside the twin."""
    rng = np.random.default_rng(5)
    table = rng.integers(0, 2, (40, 9)).tolist()
    one, two = (np.round(rng.normal(size=40), 1) for _ in range(2))
    clusters, found = np.arange(40) // 2, []
    for n_threads in (1, 2, 5):
        with ugt.resampling.threads(n_threads):
            labels = known(table)
            difference = ugt.soft_auroc(labels, one).minus(ugt.soft_auroc(labels, two))
            found.append(difference.two_way(clusters=clusters))
    assert found[0].parts == found[1].parts == found[2].parts and found[0].interval() == found[2].interval()
    panels, counted = Panels.of(labels, None), difference.statistic.panel.counted(0)
    assert len(panels.p) == module.DRAWN
    values = counted.over(np.ones(40, bool), module.Design.of(40), SCALES["identity"], (-1, 1)).values
    for b in (0, 1, 127, 128, 1000, 1998):
        shares = np.array(table) @ panels.times[:, b].astype(float) / 9
        assert values[b] == pytest.approx(twin.area(one, shares)[0] - twin.area(two, shares)[0], rel=1e-11)


@pytest.mark.parametrize(("r", "k"), [(4, 3), (9, 2), (12, 30)], ids=["listed", "drawn", "many classes"])
def test_cells_are_the_labels_of_each_panel(r, k):
    rng = np.random.default_rng(k)
    n = 40
    table = rng.integers(0, k, (n, r)).astype(object)
    table[rng.random((n, r)) < 0.3] = None
    table[0] = None  # a case without labels
    panels = Panels.of(known(table.tolist(), k), None)
    counts = panels.counts.counts()
    assert len(np.unique(counts, axis=0)) == len(counts) or k == 30
    for i in range(n):
        for b in range(0, len(panels.p), max(1, len(panels.p) // 50)):
            found = counts[panels.counts_of[panels.start[panels.row[i]] + panels.cell[panels.row[i], b]]]
            assert found.tolist() == twin.counts_of(table[i], panels.times[:, b].astype(int).tolist(), k)


def test_neither_the_order_of_annotators_nor_of_cases_changes_listed_panels():
    rng = np.random.default_rng(8)
    table = rng.integers(0, 3, (50, 5))
    names, scores, others = ["e", "b", "d", "a", "c"], rng.random((50, 3)), rng.random((50, 3))

    def ends(cases, annotators):
        labels = ugt.Labels.from_wide(table[cases][:, annotators], classes=3, annotators=[names[j] for j in annotators])
        truth = ugt.dirichlet(labels)
        one, two = (ugt.ua_topk_accuracy(truth, each[cases]) for each in (scores, others))
        return one.minus(two).interval(random=BOTH)

    first = ends(np.arange(50), np.arange(5))
    assert ends(rng.permutation(50), rng.permutation(5)) == pytest.approx(first, rel=1e-9)


def test_threads_change_no_byte_and_a_second_call_neither():
    rng = np.random.default_rng(3)
    table, scores = rng.integers(0, 4, (300, 9)), rng.random((300, 4))
    names = [f"a{j}" for j in range(9)]
    found = []
    for n_threads in (1, 2, 5):
        with ugt.resampling.threads(n_threads):
            labels = ugt.Labels.from_wide(table, classes=4, annotators=names)
            found.append(ugt.ua_topk_accuracy(ugt.votes(labels), scores).interval(random=BOTH))
    assert found[0] == found[1] == found[2]


def test_equal_picks_have_an_interval_and_one_annotator_has_none():
    labels = known(np.random.default_rng(1).integers(0, 2, (60, 4)).tolist())
    one = ugt.ua_topk_accuracy(ugt.votes(labels), picking([0, 1] * 30))
    low, high = one.minus(one).interval(random=BOTH)
    assert high == pytest.approx(0.0626, abs=5e-4) and low == -high
    alone = known(np.random.default_rng(1).integers(0, 2, (60, 1)).tolist())
    with pytest.warns(RuntimeWarning, match="one annotator does not show"):
        assert np.isnan(ugt.ua_topk_accuracy(ugt.votes(alone), picking([0, 1] * 30)).interval(random=BOTH)).all()


def test_fewer_panels_are_drawn_of_many_rows(monkeypatch):
    rng = np.random.default_rng(2)
    table = rng.integers(0, 5, (200, 7))
    monkeypatch.setattr(module, "CELLS", 10_000)
    panels = Panels(ugt.Labels.from_wide(table, classes=5, annotators=list("abcdefg")), None)
    assert len(panels.p) == module.FEWEST and (panels.times.sum(axis=0) == 7).all()


def test_models_that_differ_in_all_cases_have_an_interval():
    labels = known([[1] * 8] * 200)
    one, two = (ugt.ua_topk_accuracy(ugt.votes(labels), picking([c] * 200)) for c in (1, 0))
    for random in (("cases",), BOTH):
        low, high = one.minus(two).interval(random=random)
        assert low == pytest.approx(-scaled_score.interval([-1] * 200)[1], abs=1e-9) and 0.96 < low < 0.99 and high == 1.0


def test_very_many_rows_or_counts_are_left_out_one_by_one(monkeypatch):
    rng = np.random.default_rng(6)
    table = rng.integers(0, 4, (80, 9)).tolist()

    def found():
        labels = known(table, 4)
        one, two = (ugt.ua_topk_accuracy(ugt.votes(labels), picking(rng.integers(0, 4, 80), 4)) for _ in range(2))
        return one.minus(two)

    assert not found().two_way().one_by_one
    for name, value in (("MOST_CELLS", 10_000), ("MOST_COUNTS", 10)):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, value)
            difference = found()
            two_way = difference.two_way()
            (expected,) = _leaving_out(difference.statistic, [0], module.Design.of(80))
            assert two_way.one_by_one and two_way.interval() == expected.interval()


def test_fewer_panels_of_many_different_counts():
    """Of 30 classes at random nearly every count is another one."""
    rng = np.random.default_rng(2)
    panels = Panels(ugt.Labels.from_wide(rng.integers(0, 30, (150, 12)), classes=30, annotators=list("abcdefghijkl")), None)
    assert len(panels.p) == module.FEWEST and not panels.too_many
    alike = Panels(ugt.Labels.from_wide(rng.integers(0, 2, (150, 12)), classes=2, annotators=list("abcdefghijkl")), None)
    assert len(alike.p) == module.DRAWN


def test_truths_of_counts_that_threads_ask_for_at_once_are_their_own():
    """Once the last truth was kept in two steps, so that a thread could be given another's."""
    rng = np.random.default_rng(7)
    labels = known(rng.integers(0, 3, (200, 5)).tolist(), 3)
    truth = ugt.dirichlet(labels)
    panels = Panels.of(labels, None)
    n = panels.counts.n_cases
    asked = [np.sort(rng.choice(n, 1 + i, replace=False)) for i in range(n - 1)] * 20

    def right(counts):
        made = truth.made_of.of_counts(panels, counts, np.zeros(len(counts), np.int64))
        expected = panels.counts.counts()[counts] + 0.1
        return made.n_cases == len(counts) and np.allclose(made.mean(), expected / expected.sum(axis=1, keepdims=True))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(right, asked))


def test_a_difference_of_numbers_in_which_cases_weigh_otherwise_leaves_annotators_out():
    rng = np.random.default_rng(5)
    truth = ugt.dirichlet(known(rng.integers(0, 3, (60, 5)).tolist(), 3))
    scores = rng.random((60, 3))
    one, two = (ugt.metrics.ua_group_accuracy(truth, scores, [0, 0, 1], given=group) for group in (0, 1))
    found = one.minus(two).two_way()
    assert found.one_by_one and not one.two_way().one_by_one
    low, high = found.interval()
    assert low < found.value < high


def test_panels_of_many_parts_of_the_cases_are_not_all_kept():
    labels = known(np.random.default_rng(1).integers(0, 2, (60, 4)).tolist())
    for begin in range(20):
        Panels.of(labels, np.arange(begin, begin + 30))
    assert len(module._known[labels]) == module.KEPT


def test_rankings_have_no_claim_for_others():
    """Annotators are left out one by one, which does not see that a majority could flip."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 150)
    table = np.where(rng.random((150, 8)) < 0.9, truth[:, None], rng.integers(0, 3, (150, 8)))
    long = [(i, f"r{j}", int(table[i, j]), 1) for i in range(150) for j in range(8)]
    rankings = ugt.Rankings.from_long(*zip(*long), classes=[0, 1, 2], cases=range(150))
    models = {name: np.eye(3)[np.where(rng.random(150) < right, truth, 0)] for name, right in (("A", 0.95), ("B", 0.3))}
    found = ugt.evaluate(rankings, models, k=1, reliability=20, n_resamples=50)
    for row in found.tables["verdict"]:
        assert row["two_way_low"] > 0 and (row["claim"], row["one_by_one"]) == ("these", True)
    assert "leaves out one annotator at a time, which does not see that votes could flip" in found._repr_html_()
