"""Numbers of pairs of annotators: leaving out annotators, made wider by panels in which no annotator meets himself."""

import numpy as np
import pytest
from twins import panels as twin

import ugt
from ugt._base.claims import OTHERS, THESE, claim_of
from ugt.resampling.panels import Panels
from ugt.resampling.two_way_spreads import _leaving_out
from ugt.tables.source import ReportSource
from ugt.tables.true_accuracy import NextAnnotatorRow

pytestmark = pytest.mark.filterwarnings("ignore:Intervals are over .* clusters", "ignore:annotator .* makes up nearly all")
BOTH = ("cases", "annotators")
SMALL = [[1, 1, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0], [1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 1]]
GAPS = [[1, 1, 1, None], [0, 0, 1, 0], [None, 1, 0, 0], [1, 1, 1, 1], [0, None, 0, 0], [1, 0, None, 1], [0, 0, 0, 0], [1, 1, 0, 1]]
A = [1, 0, 1, 1, 1, 1, 0, 1]
COSTS = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]])
RATED = [
    [1.5, 2.0, 2.0, 4.5],
    [0.5, 1.5, None, 1.0],
    [3.0, 2.5, 4.0, 3.0],
    [2.0, 2.0, 1.0, None],
    [0.0, 1.0, 1.5, 0.0],
    [4.0, 2.5, 3.0, 4.5],
]
TRUTH = [2.2, 0.8, 3.1, 1.5, 0.4, 3.7]
THREE = [[0, 1, 1, 2], [2, 2, 0, 2], [1, 1, 0, 1], [0, 0, 0, 1], [2, 1, 2, None], [1, 0, None, 1]]


def known(table, classes=2):
    return ugt.Labels.from_wide(np.array(table, object), classes=classes, annotators=[f"a{j}" for j in range(len(table[0]))])


def picking(choice, classes=2):
    return np.eye(classes)[choice] * 0.9 + 0.1 / classes


def unequal(one, other):
    return float(one != other)


def ratings():
    table = np.array([[np.nan if x is None else x for x in row] for row in RATED])
    return ugt.discrepancy_ratio(ugt.Ratings.from_wide(table), TRUTH)


CLASSES = [2, 2, 1, 0, 1, 1]
FIGURES = {
    "agreement": (lambda: ugt.metrics.next_annotator_agreement(known(SMALL), picking(A)), SMALL, unequal, A),
    "gaps": (lambda: ugt.metrics.next_annotator_agreement(known(GAPS), picking(A)), GAPS, unequal, A),
    "classes": (lambda: ugt.discrepancy_ratio(known(THREE, 3), CLASSES, distance=COSTS), THREE, lambda x, y: COSTS[x, y], CLASSES),
    "ratings": (ratings, RATED, lambda x, y: (x - y) ** 2, TRUTH),
}
NUMBERS = {"difference": "less", "annotators": "alpha", "value": "value", "alpha": "alpha", "mu": "mu"}
LAWS = {
    "identity": (lambda x: x, lambda x: 1.0),
    "log": (lambda x: np.log(x) if x > 0 else -np.inf, lambda x: 1 / x if x > 0 else np.inf),
}


def cases_of(figure, of):
    return [(name, number) for name in figure for number in of]


@pytest.mark.parametrize("clustered", [False, True], ids=["cases", "clusters"])
@pytest.mark.parametrize(
    ("figure", "of"), [*cases_of(["agreement", "gaps"], ["difference"]), *cases_of(["classes", "ratings"], ["value", "alpha", "mu"])]
)
def test_numbers_of_pairs_are_those_of_a_twin(figure, of, clustered):
    make, table, distance, chosen = FIGURES[figure]
    result = make()
    clusters = [i // 2 for i in range(len(table))] if clustered else None
    found = result.two_way(of=of, clusters=clusters)
    number = twin.pair_number(table, distance, chosen, NUMBERS[of])
    theta, cases, between, both, kappa, values, g = twin.spread(number, table, twin.listed(4), clusters, *LAWS[found.scale])
    np.testing.assert_allclose([found._panels.between, found._panels.both, found._panels.kappa], [between, both, kappa], rtol=1e-9)
    np.testing.assert_allclose(found.parts["cases"], cases, rtol=1e-9)
    effective = found._spread.effective
    low, high = twin.by_quantiles(theta, cases, between, both, kappa, values, g, 4, 0.95, effective)
    one, at = result.statistic.only(result.statistic.names.index(of))
    design = result._units(clusters)
    left = _leaving_out(one, [at], design)[0]
    assert left.parts == found.parts  # the variance is that of leaving out annotators
    to = LAWS[found.scale][0]
    alone = left.interval()
    mine = to(found.interval()[0]), to(found.interval()[1])
    np.testing.assert_allclose(mine, [min(low, to(alone[0])), max(high, to(alone[1]))], rtol=1e-9)


def test_no_annotator_meets_himself_in_a_panel():
    """Two of one kind agree with each other: as often as they are in the panel twice, not as often as one of them is."""
    labels = known([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]])
    panels = Panels.of(labels, None, pairs=True)
    counts = panels.counts.counts()[panels.counts_of[panels.start[0] + panels.cell[0]]]
    squares = panels.squares[panels.counts_of[panels.start[0] + panels.cell[0]]]
    np.testing.assert_array_equal(squares, (panels.times.astype(int) ** 2).sum(axis=0))
    np.testing.assert_array_equal(counts[:, 0], panels.times[:2].sum(axis=0))
    assert Panels.of(labels, None) is not panels


@pytest.mark.parametrize("n_classes", [3, 40])
def test_squares_are_told_apart_by_keys_of_any_kind(n_classes):
    """Counts of 40 classes have random keys."""
    rng = np.random.default_rng(1)
    table = rng.integers(0, n_classes, (30, 9))
    panels = Panels(known(table.tolist(), n_classes), None, pairs=True)
    at = panels.counts_of[panels.start[:-1, None] + panels.cell]
    np.testing.assert_array_equal(panels.squares[at], np.broadcast_to((panels.times.astype(int) ** 2).sum(axis=0), at.shape))
    dense = panels.counts.counts()
    for i in (0, 7, 29):
        for b in (0, 11, len(panels.p) - 1):
            expected = np.bincount(table[i], panels.times[:, b].astype(float), n_classes)
            np.testing.assert_array_equal(dense[at[i, b]], expected)


def two_names(n=60, r=8):
    """Half of the annotators call doubtful cases otherwise; the model is one of them."""
    truth, doubtful = np.arange(n) % 3, np.arange(n) % 2 == 0
    names = np.where(np.arange(r) < 3 * r // 4, 1, 2)
    return np.where(doubtful[:, None], names, truth[:, None]), np.where(doubtful, 1, truth)


def test_two_kinds_of_annotators_leave_it_open_whether_a_model_agrees_more_often():
    """Three quarters of one kind are where leaving out annotators changes nothing, and half of them could be there."""
    table, chosen = two_names()
    found = ugt.metrics.next_annotator_agreement(known(table.tolist(), 3), picking(chosen, 3))
    one, at = found.statistic.only(2)
    without = _leaving_out(one, [at], found._units(None))[0].interval()
    low, high = found.interval(of="difference", random=BOTH)
    assert without[0] > 0.02 and low < 0 and high >= without[1]
    assert found.interval(of="difference")[0] > 0
    ratio = ugt.discrepancy_ratio(known(table.tolist(), 3), chosen)
    assert not ratio.non_inferiority(level=0.975).decision and ratio.non_inferiority(level=0.975, random=("cases",)).decision


def evaluated(annotations, scores):
    (row,) = ReportSource.read(ugt.evaluate(annotations, {"model": scores}, n_resamples=200).to_dict()).rows(NextAnnotatorRow)
    return row


def test_a_claim_for_others_needs_panels():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 120)
    table = np.where(rng.random((120, 8)) < 0.75, truth[:, None], 1 - truth[:, None])
    labels = known(table.tolist())
    row = evaluated(labels, picking(truth))
    assert not row.one_by_one and claim_of([row.more_often]) == OTHERS
    case, who = [*np.repeat(np.arange(120), 8), 0], [*[f"a{j}" for j in range(8)] * 120, "a0"]
    with pytest.warns(UserWarning, match="several labels to one case"):
        again = ugt.Labels.from_long(case, who, [*table.ravel(), table[0, 0]], classes=[0, 1])
    row = evaluated(again, picking(truth))  # an annotator has labelled a case twice
    assert row.one_by_one and claim_of([row.more_often]) == THESE
