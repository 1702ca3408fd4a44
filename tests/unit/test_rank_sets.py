"""Rank sets of models: against a twin, orders of models, equal models, and what is refused."""

import pickle

import numpy as np
import pytest
from refusals import refused
from scipy.stats import norm
from twins import ranks as twin

import ugt
from ugt.resampling.ranks import PairSpread, separated

pytestmark = pytest.mark.filterwarnings("ignore:.* annotators. the interval", "ignore:Ranks are for other annotators")
RNG = np.random.default_rng(6)
N = 240
TRUTH = RNG.integers(0, 3, N)
NAMES = "ABCDE"


def labels(r=8, names=True):
    table = np.where(RNG.random((N, r)) < 0.8, TRUTH[:, None], RNG.integers(0, 3, (N, r)))
    return ugt.Labels.from_wide(table, classes=3, annotators=[f"a{j}" for j in range(r)] if names else None)


def results(known, right=(0.95, 0.8, 0.78, 0.5, 0.48)):
    rng = np.random.default_rng(2)
    chosen = [np.where(rng.random(N) < p, TRUTH, rng.integers(0, 3, N)) for p in right]
    return {name: ugt.ua_topk_accuracy(ugt.dirichlet(known), np.eye(3)[one]) for name, one in zip(NAMES, chosen)}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("m", [2, 4, 7])
def test_separated_pairs_are_those_of_a_twin(m, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(m, m))
    covariance, values = root @ root.T / m, rng.normal(0, 3, m)
    pairs = [(j, k) for j in range(m) for k in range(j + 1, m)]
    variance = {pair: covariance[pair[0]][pair[0]] + covariance[pair[1]][pair[1]] - 2 * covariance[pair[0]][pair[1]] for pair in pairs}

    def half(j, k, level):
        return norm.ppf(0.5 + level / 2) * np.sqrt(variance[j, k])

    def spread(j, k):
        apart = values[j] - values[k]
        return PairSpread(variance[j, k], lambda level: (apart - half(j, k, level), apart + half(j, k, level)))

    found = separated(values, [spread(*pair) for pair in pairs], 0.9, 40_000, 3)
    joint, sets = twin.rank_sets(values, covariance, half, 0.9)
    assert found.joint_level == pytest.approx(joint, abs=0.003)
    assert list(zip(*(one.tolist() for one in found.ranks))) == sets


@pytest.mark.parametrize("random", [("cases",), ("cases", "annotators")])
def test_ranks_of_models_of_unlike_quality(random):
    found = ugt.rank_sets(results(labels()), random=random)
    assert found.models == tuple(NAMES) and found.random == random and found.joint_level > 0.95
    sets = list(zip(found.rank_low.tolist(), found.rank_high.tolist()))
    assert sets[0] == (1, 1) and sets[1] == sets[2] == (2, 3) and sets[3] == sets[4] == (4, 5)
    for row in found.pairs:
        one, other = (found.values[NAMES.index(name)] for name in (row.model, row.other))
        assert row.difference == pytest.approx(one - other) and row.low < row.difference < row.high
        assert row.sign == (row.low > 0) - (row.high < 0) or row.sign != 0  # stepdown separates more pairs, and the same ones
    turned = ugt.rank_sets(dict(reversed(results(labels()).items())), random=random)
    assert turned.models == tuple(reversed(NAMES))


def test_the_order_of_models_and_the_sign_of_a_metric_change_nothing():
    known = labels()
    given = results(known)
    first = ugt.rank_sets(given)
    other = ugt.rank_sets({name: given[name] for name in "CAEDB"})
    at = [other.models.index(name) for name in first.models]
    assert other.rank_low[at].tolist() == first.rank_low.tolist() and other.rank_high[at].tolist() == first.rank_high.tolist()
    assert other.joint_level == pytest.approx(first.joint_level, abs=1e-12)  # the same draws, by the order of values
    ends = {frozenset((row.model, row.other)): sorted(map(abs, (row.low, row.high))) for row in other.pairs}
    for row in first.pairs:
        assert ends[frozenset((row.model, row.other))] == pytest.approx(sorted(map(abs, (row.low, row.high))), abs=1e-9)
    errors = ugt.rank_sets(given, higher_is_better=False)
    assert (6 - errors.rank_high).tolist() == first.rank_low.tolist() and (6 - errors.rank_low).tolist() == first.rank_high.tolist()
    assert [row.low for row in errors.pairs] == pytest.approx([-row.high for row in first.pairs])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("random", [("cases",), ("cases", "annotators")])
def test_rank_sets_of_data_are_those_of_a_twin(random, seed):
    """The covariance is that of the two-way variances of the pairs, the intervals are those of differences, the rest is the twin's."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 150)
    table = np.where(rng.random((150, 7)) < rng.beta(6, 2, 7), truth[:, None], 1 - truth[:, None])
    known = ugt.Labels.from_wide(table, classes=2, annotators=list("abcdefg"))
    chosen = [np.eye(2)[np.where(rng.random(150) < p, truth, 1 - truth)] for p in (0.95, 0.85, 0.8, 0.55)]
    models = [ugt.metrics.next_annotator_agreement(known, one) for one in chosen]
    pairs, variance = {(j, k): models[j].minus(models[k]) for j in range(4) for k in range(4) if j != k}, np.zeros((4, 4))
    for (j, k), one in pairs.items():
        parts = one.two_way().parts
        either = max(parts["cases"] + parts["annotators"] - parts["both"], parts["cases"], parts["annotators"])
        variance[j, k] = either if len(random) == 2 else parts["cases"]
    single = np.array([[(variance[0, j] + variance[0, k] - variance[j, k]) / 2 for k in range(4)] for j in range(4)])  # beside model 0

    def half(j, k, level):
        low, high = pairs[j, k].interval(level, random=random)
        return pairs[j, k].value - low if pairs[j, k].value > 0 else high - pairs[j, k].value

    values = np.array([one.value for one in models])
    joint, sets = twin.rank_sets(values, single, half, 0.95)
    found = ugt.rank_sets({str(j): one for j, one in enumerate(models)}, random=random, n_draws=100_000)
    assert found.joint_level == pytest.approx(joint, abs=0.002)
    assert list(zip(found.rank_low.tolist(), found.rank_high.tolist())) == sets


def test_two_models_have_the_level_itself_and_their_interval():
    given = {name: one for name, one in results(labels()).items() if name in "AB"}
    found = ugt.rank_sets(given, level=0.9)
    assert found.joint_level == 0.9
    ends = given["A"].minus(given["B"]).interval(0.9, random=("cases", "annotators"))
    assert (found.pairs[0].low, found.pairs[0].high) == pytest.approx(ends)


def test_equal_models_are_never_separated():
    one = results(labels())["A"]
    found = ugt.rank_sets({"x": one, "y": one, "z": results(labels())["E"]}, random=("cases",))
    assert list(zip(found.rank_low.tolist(), found.rank_high.tolist())) == [(1, 2), (1, 2), (3, 3)]
    assert found.pairs[0].sign == 0 and found.pairs[0].low < 0 < found.pairs[0].high
    alike = ugt.rank_sets({"x": one, "y": one})
    assert alike.rank_high.tolist() == [2, 2]


@pytest.mark.parametrize("random", [("cases",), ("cases", "annotators")])
def test_models_that_differ_in_all_cases_alike_are_separated(random):
    """No case and no annotator changes the difference: it has no variance, and its interval excludes 0."""
    known = ugt.Labels.from_wide(np.tile(TRUTH[:, None], (1, 8)), classes=3, annotators=list("abcdefgh"))
    chosen = {"right": TRUTH, "wrong": (TRUTH + 1) % 3, "again": TRUTH}
    found = ugt.rank_sets(
        {name: ugt.metrics.next_annotator_agreement(known, np.eye(3)[one]) for name, one in chosen.items()}, random=random
    )
    assert list(zip(found.rank_low.tolist(), found.rank_high.tolist())) == [(1, 2), (3, 3), (1, 2)]
    assert [row.sign for row in found.pairs] == [1, 0, -1] and found.joint_level == 0.95
    for row in found.pairs:
        assert row.sign == (row.low > 0) - (row.high < 0)


def test_rows_and_records():
    given = results(labels())
    found = ugt.rank_sets({name: given[name] for name in "CAEDB"}, higher_is_better=True)
    rows = found.table()
    assert [row["model"] for row in rows] == sorted(NAMES, key=lambda name: -given[name].value)
    assert [row["value"] for row in rows] == sorted((one.value for one in given.values()), reverse=True)
    at = [found.models.index(row["model"]) for row in rows]
    assert [(row["rank_low"], row["rank_high"]) for row in rows] == list(zip(found.rank_low[at].tolist(), found.rank_high[at].tolist()))
    errors = ugt.rank_sets(given, higher_is_better=False)
    assert [row["model"] for row in errors.table()] == [row["model"] for row in rows][::-1] and not errors.higher_is_better
    assert len(repr(found)) < 1000 and not found.values.flags.writeable and not found.rank_low.flags.writeable
    again = pickle.loads(pickle.dumps(found))
    assert again.table() == rows and again.pairs == found.pairs


def preferences(rng, annotators=12, n=900):
    strength, first = np.array([1.0, 0.2, 0.1, -1.2]), rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    case, who = rng.integers(0, 150, n), rng.integers(0, annotators, n)
    taste = strength + 0.4 * rng.normal(size=(annotators, 4))
    ahead, names = taste[who, first] - taste[who, second] + rng.logistic(size=n), np.array(list("ABCD"))
    preferred = names[np.where(ahead > 0, first, second)]
    return ugt.judges.Preferences.from_pairs(names[first], names[second], preferred, annotator=[f"p{j}" for j in who], case=case)


@pytest.mark.parametrize("random", [("cases",), ("cases", "annotators")])
def test_strengths_of_preferences_are_ranked(random):
    found = ugt.judges.strengths(preferences(np.random.default_rng(1)))
    sets = ugt.rank_sets(found, random=random)
    assert sets.models == tuple(found.models) and sets.values.tolist() == found.value.tolist() and sets.random == random
    for row in sets.pairs:
        apart = found.difference(row.model, row.other, sets.joint_level, random=random)
        assert (row.difference, row.low, row.high) == pytest.approx((apart.value, apart.low, apart.high))
    places = {row["model"]: (row["best"], row["worst"]) for row in found.places(random=random)}
    assert {row["model"]: (row["rank_low"], row["rank_high"]) for row in sets.table()} == places
    assert places["A"] == (1, 1) and places["D"] == (4, 4)

    def variance(j, k):
        return found.difference(sets.models[j], sets.models[k], random=random).std_error ** 2 if j != k else 0.0

    covariance = [[(variance(0, j) + variance(0, k) - variance(j, k)) / 2 for k in range(4)] for j in range(4)]  # beside model 0

    def half(j, k, level):
        apart = found.difference(sets.models[j], sets.models[k], level, random=random)
        return apart.high - apart.value

    joint, expected = twin.rank_sets(found.value, covariance, half, 0.95)
    assert sets.joint_level == pytest.approx(joint, abs=0.004)
    assert list(zip(sets.rank_low.tolist(), sets.rank_high.tolist())) == expected


@pytest.mark.filterwarnings("ignore:no interval over cases and annotators")
def test_strengths_by_one_annotator_leave_all_places_open():
    found = ugt.judges.strengths(preferences(np.random.default_rng(1), annotators=1))
    assert {(row["best"], row["worst"]) for row in found.places()} == {(1, 4)}
    refused(r"results must have intervals of their differences \(or give random=\('cases',\)\). Got none.", ugt.rank_sets, found)
    assert ugt.rank_sets(found, random=("cases",)).table()[-1]["rank_low"] == 4
    refused("clusters must be left out for strengths", ugt.rank_sets, found, clusters=np.arange(4))


def test_few_annotators_are_noted():
    with pytest.warns(UserWarning, match="Ranks are for other annotators: 4 annotators cannot show how others vary"):
        found = ugt.rank_sets(results(labels(4)))
    assert [note.code for note in found.notes] == ["ranks_of_few_annotators"] and found.n_annotators == pytest.approx(4)


def test_two_annotators_separate_no_models_for_others():
    """Both may prefer a model by the same amount, so that the interval over annotators is that over cases."""
    table = np.repeat(TRUTH[:, None], 2, axis=1)
    known = ugt.Labels.from_wide(table, classes=3, annotators=["a", "b"])
    with pytest.warns(UserWarning, match="2 annotators are too few to separate models for others"):
        found = ugt.rank_sets(results(known))
    assert all(row.sign == 0 for row in found.pairs) and (found.rank_low == 1).all()
    assert any(row.sign for row in ugt.rank_sets(results(known), random=("cases",)).pairs)


def test_what_cannot_be_ranked_is_refused():
    known = labels()
    given = results(known)
    refused("results must be of at least two models. Got 1.", ugt.rank_sets, {"A": given["A"]})
    refused("results must be a mapping of model to result. Got list.", ugt.rank_sets, list(given.values()))
    refused("results must have models whose names differ as texts. Got 1, '1'.", ugt.rank_sets, {1: given["A"], "1": given["B"]})
    with pytest.raises(TypeError, match="results\\['B'\\] must be a result"):
        ugt.rank_sets({"A": given["A"], "B": 0.5})
    fewer = ugt.ua_topk_accuracy(ugt.dirichlet(ugt.Labels.from_wide([[0, 1], [1, 1], [2, 2]])), np.eye(3))
    refused(r"results\['B'\] must be of the same 240 cases. Got 3.", ugt.rank_sets, {"A": given["A"], "B": fewer})
    other = ugt.metrics.next_annotator_agreement(known, np.eye(3)[TRUTH])
    refused(r"results\['B'\] must have the same numbers, value. Got model, ann", ugt.rank_sets, {"A": given["A"], "B": other})
    panel = {"A": given["A"], "B": results(labels(7))["B"]}
    refused(r"results\['B'\] must be of the same annotations.* \(or give random=\('cases',\)\)", ugt.rank_sets, panel)
    assert len(ugt.rank_sets(panel, random=("cases",)).pairs) == 1


def test_without_several_named_annotators_the_cases_can_be_random():
    alone = results(ugt.Labels.from_wide(TRUTH[:, None], classes=3, annotators=["a"]))
    counts = results(ugt.Labels.from_counts(np.eye(3, dtype=int)[TRUTH] * 3))
    way = r" \(or give random=\('cases',\)\)"
    refused(f"results must have intervals of their differences{way}. Got none \\(one annotator does not show", ugt.rank_sets, alone)
    refused(f"annotators must be named for intervals over other annotators{way}", ugt.rank_sets, counts)
    for given in (alone, counts):
        found = ugt.rank_sets(given, random=("cases",))
        assert found.rank_low[0] == 1 and np.isnan(found.n_annotators) and found.notes == ()
