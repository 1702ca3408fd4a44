"""Distances between annotators, and to predictions, against the enumeration of all pairs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import labels_of_rows, refused, warned
from twins import distances as twin

import ugt
from ugt import Labels, Masks, Ratings
from ugt._core import _pairs
from ugt.humans.distances import distances

NAMED = {"squared": twin.squared, "absolute": twin.absolute, "zero-one": twin.zero_one}


def random_cases(rng, n, labels, most=6, repeats=3):
    """Cases as the twin has them, with annotators 0 to most - 1, some missing, and as rows (case, annotator, label) in a random order."""
    cases, rows = [], []
    for i in range(n):
        who = rng.permutation(most)[: rng.integers(0, most + 1)]
        said = {int(a): [labels(rng) for _ in range(rng.integers(1, repeats + 1))] for a in who}
        own = [(i, a, y) for a, given_ in said.items() for y in given_]
        own = [own[j] for j in rng.permutation(len(own))]
        first = list(dict.fromkeys(a for _, a, _ in own))  # entries are in the order of their first labels
        cases.append([said[a] for a in first])
        rows += own
    return cases, [rows[j] for j in range(len(rows))]


def columns(rows, n):
    case, annotator, label = ([row[c] for row in rows] for c in range(3))
    return {"case": case, "annotator": annotator, "cases": list(range(n))}, label


def expected(cases, predictions, delta, scorer=twin.to_prediction):
    others = [d for case in cases for d in twin.to_others(case, delta)]
    models = [[d for case, p in zip(cases, column) for d in scorer(case, p, delta)] for column in predictions]
    return others, np.array(models).reshape(len(predictions), len(others))


def check(found, cases, predictions, delta, scorer=twin.to_prediction, rtol=1e-12, atol=1e-12):
    others, models = expected(cases, predictions, delta, scorer)
    assert np.diff(found.offsets).tolist() == [len(case) for case in cases]
    assert (found.count == 1).all()
    np.testing.assert_allclose(found.to_others, others, rtol=rtol, atol=atol)
    np.testing.assert_allclose(found.to_model, models, rtol=rtol, atol=atol)


RULES = [
    ("squared", twin.squared), ("absolute", twin.absolute), ("zero-one", twin.zero_one), (("threshold", 0), twin.absolute),
    (("threshold", 1), twin.threshold(1)), (("threshold", 2.5), twin.threshold(2.5)), (("threshold", 100), twin.threshold(100)),
]  # fmt: skip


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("distance, delta", RULES)
@pytest.mark.parametrize("ties", [False, True])
def test_ratings(distance, delta, ties, repeats):
    rng = np.random.default_rng(3)
    cases, rows = random_cases(rng, 60, lambda r: float(r.integers(0, 6)) if ties else r.normal(0, 3), repeats=repeats)
    ids, value = columns(rows, 60)
    hard = [None if rng.random() < 0.2 else float(rng.integers(0, 6)) for _ in range(60)]
    prediction = np.array([math.nan if p is None else p for p in hard])
    found = distances(Ratings.from_long(value=value, **ids), [prediction, prediction[::-1]], distance)
    check(found, cases, [hard, hard[::-1]], delta)
    annotator = [a for _, a in dict.fromkeys((i, a) for i, a, _ in rows)]
    names = Ratings.from_long(value=value, **ids).annotators
    assert names[found.annotator].tolist() == annotator


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("distance, delta", RULES)
@pytest.mark.parametrize("n_classes", [2, 5, 300])
def test_labels(distance, delta, n_classes, repeats):
    rng = np.random.default_rng(4)
    cases, rows = random_cases(rng, 40, lambda r: int(r.integers(0, n_classes)), repeats=repeats)
    ids, label = columns(rows, 40)
    labels = labels_of_rows(label=label, classes=n_classes, **ids)
    hard = [None if rng.random() < 0.2 else int(rng.integers(0, n_classes)) for _ in range(40)]
    check(distances(labels, [np.array([-1 if p is None else p for p in hard])], distance), cases, [hard], delta, rtol=1e-11)
    probs = rng.dirichlet(np.full(n_classes, 0.3), 40)
    probs[::7] = np.nan
    law = [None if np.isnan(p[0]) else p.tolist() for p in probs]
    check(distances(labels, [probs], distance), cases, [law], delta, twin.to_probabilities, rtol=1e-11)


@pytest.mark.parametrize("repeats", [1, 4])
@pytest.mark.parametrize("n_classes", [2, 4, 60])
def test_costs(n_classes, repeats):
    rng = np.random.default_rng(5)
    cost = rng.gamma(1, 1, (n_classes, n_classes)) * (rng.random((n_classes, n_classes)) < 0.7)
    cost = cost + cost.T
    np.fill_diagonal(cost, 0)
    cases, rows = random_cases(rng, 50, lambda r: int(r.integers(0, n_classes)), repeats=repeats)
    ids, label = columns(rows, 50)
    labels = labels_of_rows(label=label, classes=n_classes, **ids)
    hard = [None if rng.random() < 0.2 else int(rng.integers(0, n_classes)) for _ in range(50)]
    given_ = np.array([-1 if p is None else p for p in hard])
    check(distances(labels, [given_], cost), cases, [hard], lambda y, z: cost[y, z])
    check(distances(labels, [given_], cost.tolist()), cases, [hard], lambda y, z: cost[y, z])
    probs = rng.dirichlet(np.ones(n_classes), 50)
    check(distances(labels, [probs], cost), cases, [probs.tolist()], lambda y, z: cost[y, z], twin.to_probabilities)
    # zero-one and the absolute distance as costs
    k = np.arange(n_classes)
    for table, name in ((1.0 - np.eye(n_classes), "zero-one"), (np.abs(k[:, None] - k), "absolute"), ((k[:, None] - k) ** 2, "squared")):
        one, other = distances(labels, [given_, probs], table), distances(labels, [given_, probs], name)
        np.testing.assert_allclose(one.to_others, other.to_others, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(one.to_model, other.to_model, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("distance", ["squared", "absolute", "zero-one", ("threshold", 1.0), "costs"])
def test_counts(distance):
    """Counts are what as many annotators would have said, one entry a class, and never expanded."""
    rng = np.random.default_rng(6)
    counts = rng.poisson(1.5, (30, 4))
    cost = np.array([[0, 1, 5, 2], [1, 0, 2, 2], [5, 2, 0, 3], [2, 2, 3, 0.0]]) if distance == "costs" else None
    rule = distance if cost is None else cost
    probs, hard = rng.dirichlet(np.ones(4), 30), rng.integers(-1, 4, 30)
    case, label = np.repeat(np.arange(30), counts.sum(axis=1)), [k for row in counts for k in range(4) for _ in range(row[k])]
    single = Labels.from_long(case, np.concatenate([np.arange(n) for n in counts.sum(axis=1)]), label, classes=4, cases=np.arange(30))
    found, one_by_one = distances(Labels.from_counts(counts), [probs, hard], rule), distances(single, [probs, hard], rule)
    assert found.annotator.tolist() == [-1] * np.count_nonzero(counts)
    assert found.count.tolist() == counts[counts > 0].tolist()
    np.testing.assert_allclose(np.repeat(found.to_others, found.count), one_by_one.to_others, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.repeat(found.to_model, found.count, axis=1), one_by_one.to_model, rtol=1e-12, atol=1e-12)
    many = Labels.from_counts([[10**15, 2 * 10**15, 1, 0]])
    large = distances(many, [np.array([0])], rule)
    delta = cost if cost is not None else np.array([[NAMED.get(distance, twin.threshold(1.0))(i, j) for i in range(4)] for j in range(4)])
    np.testing.assert_allclose(large.to_others, (delta @ [10**15, 2 * 10**15, 1, 0])[:3], rtol=1e-12)


def test_labels_given_several_times():
    """Counts of labels whose annotators are known, as bootstraps make them, are repeated labels."""
    rng = np.random.default_rng(7)
    label, count = rng.integers(0, 3, 12).astype(np.int32), rng.integers(1, 4, 12)
    axes, names, offsets = ugt.annotations.Axes.of(2, 3), np.arange(3), np.array([0, 6, 12])
    annotator = np.array([0, 0, 1, 1, 2, -1] * 2, np.int32)
    mixed = np.array([0, 2, 1, 4, 3, 5])  # first labels stay in their order
    rows = np.concatenate([mixed, mixed + 6])
    held = Labels(axes, names, offsets, annotator[rows], label[rows], count[rows])
    cases = [
        [
            [k for a, k, c in zip(annotator, label[i : i + 6], count[i : i + 6]) if a == who for _ in range(c)]
            if who >= 0
            else [label[i + 5]]
            for who in [0, 1, 2] + [-1] * count[i + 5]
        ]
        for i in (0, 6)
    ]
    for distance, delta in (*NAMED.items(), (1 - np.eye(3), twin.zero_one)):
        found = distances(held, [np.array([1, 2])], distance)
        others, models = expected(cases, [[1, 2]], delta)
        np.testing.assert_allclose(np.repeat(found.to_others, found.count), others, rtol=1e-12)
        np.testing.assert_allclose(np.repeat(found.to_model[0], found.count), models[0], rtol=1e-12)
        assert found.count.tolist() == [1, 1, 1, count[5], 1, 1, 1, count[11]]


def test_everybody_said_everything_more_than_once():
    """Annotator 0 said class 0 twice and class 1 three times, annotator 1 class 1 twice: two entries, not seven."""
    held = Labels(
        ugt.annotations.Axes.of(1, 2),
        np.arange(2),
        np.array([0, 3]),
        np.array([0, 0, 1], np.int32),
        np.array([0, 1, 1], np.int32),
        np.array([2, 3, 2]),
    )
    found = distances(held, [np.array([0])], "zero-one")
    assert found.count.tolist() == [1, 1] and found.annotator.tolist() == [0, 1]
    np.testing.assert_allclose(found.to_others, [2 / 5, 2 / 5])
    np.testing.assert_allclose(found.to_model[0], [3 / 5, 1.0])


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("kind, delta", [("jaccard", twin.jaccard), ("dice", twin.dice)])
@pytest.mark.parametrize("size", [(1,), (8, 8), (5, 13), (1, 2047), (3, 7, 50)])
def test_masks(kind, delta, size, repeats):
    rng = np.random.default_rng(8)
    share = iter(np.tile([0.0, 0.1, 0.5, 0.9, 1.0], 1000))
    cases, rows = random_cases(rng, 20, lambda r: r.random(size) < next(share), most=4, repeats=repeats)
    ids, masks = columns(rows, 20)
    hard = [None if rng.random() < 0.2 else rng.random(size) < next(share) for _ in range(20)]
    found = distances(Masks.from_long(masks=masks, **ids), [hard, Masks.from_long([5], [0], [np.zeros(size)])], kind)
    sets = [[[twin.pixels(m) for m in own] for own in case] for case in cases]
    model = [None if m is None else twin.pixels(m) for m in hard]
    check(found, sets, [model, [None if i != 5 else frozenset() for i in range(20)]], delta)


@pytest.mark.parametrize("kind, delta", [("jaccard", twin.jaccard), ("dice", twin.dice)])
def test_sets(kind, delta):
    rng = np.random.default_rng(9)
    names = [f"finding {k}" for k in range(70)]
    cases, rows = random_cases(rng, 20, lambda r: frozenset(names[k] for k in r.permutation(70)[: r.integers(0, 4) * r.integers(0, 9)]))
    ids, sets = columns(rows, 20)
    model = [None if rng.random() < 0.3 else frozenset(names[k] for k in rng.permutation(70)[: rng.integers(0, 20)]) for _ in range(20)]
    held = Masks.from_sets(sets=sets, classes=names, **ids)
    check(distances(held, [model], kind), cases, [model], delta)
    check(warned("slow", distances, held, [model], delta), cases, [model], delta)


@given(st.lists(st.lists(st.lists(st.integers(-20, 20), min_size=1, max_size=4), max_size=5), min_size=1, max_size=4), st.data())
@settings(deadline=None)
def test_any_ratings(cases, data):
    rows = [(i, a, y) for i, case in enumerate(cases) for a, own in enumerate(case) for y in own]
    ids, value = columns(rows, len(cases))
    distance, delta = data.draw(st.sampled_from(RULES))
    model = data.draw(st.lists(st.integers(-20, 20), min_size=len(cases), max_size=len(cases)))
    check(distances(Ratings.from_long(value=value, **ids), [np.array(model)], distance), cases, [model], delta, atol=1e-11)


# ---- numbers that are hard to subtract, and those that are 0 ----
@pytest.mark.parametrize("distance", ["squared", "absolute", "zero-one", ("threshold", 0.0)])
def test_annotators_who_agree_are_at_exactly_0(distance):
    value = [0.1, 0.1, 0.1, 0.7, 0.7, 0.7, 1 / 3, 1 / 3, 1 / 3, 1e99, 1e99, 1e99]
    ratings = Ratings.from_long(np.repeat(range(4), 3), [0, 1, 1] * 4, value)
    found = distances(ratings, [np.array([0.1, 0.7, 1 / 3, 1e99])], distance)
    assert (found.to_others == 0).all() and (found.to_model == 0).all()
    labels = labels_of_rows(np.repeat([0, 1], 7), [0, 0, 0, 1, 2, 2, 3] * 2, np.repeat([2, 1], 7), classes=3)
    found = distances(labels, [np.array([2, 1]), np.eye(3)[[2, 1]]], distance)
    assert (found.to_others == 0).all() and (found.to_model == 0).all()


def test_thresholds_take_no_rounding_for_a_difference():
    """0.8 - 0.6 and 0.3 - 0.2 are above 0.2 and 0.1 by rounding only; 0.9 - 0.7 is below 0.2."""
    ratings = Ratings.from_wide([[0.6, 0.8], [0.2, 0.3], [0.7, 0.9], [100.6, 100.8]])
    for size, cases in ((0.2, [0, 2, 3]), (0.1, [1])):
        found = distances(ratings, [np.array([0.8, 0.3, 0.9, 100.6])], ("threshold", size))
        entries = np.isin(np.repeat(range(4), 2), cases)
        assert (found.to_others[entries] == 0).all() and (found.to_model[0, entries] == 0).all()


def test_what_is_taken_off_again_leaves_nothing():
    """Annotators who differ from themselves but, by a distance that is none of a metric, not from the others."""
    rng = np.random.default_rng(15)
    n, m = 200, 5
    own = np.concatenate([rng.uniform(0, 1, (n, m)), rng.normal(0.5, 0.01, (n, 3))], axis=1)
    case, annotator = np.repeat(np.arange(n), m + 3), np.tile([0] * m + [1, 2, 3], n)
    found = distances(Ratings.from_long(case, annotator, own.ravel()), [], ("threshold", 0.6))
    assert (found.to_others == 0).all()
    cost = np.zeros((4, 4))  # classes 0 to 2 are far from each other, none is from class 3
    cost[:3, :3] = np.array([[0, 0.1, 0.3], [0.1, 0, 0.7], [0.3, 0.7, 0]])
    label = np.concatenate([rng.integers(0, 3, (n, m)), np.full((n, 3), 3)], axis=1)
    assert (distances(labels_of_rows(case, annotator, label.ravel(), classes=4), [], cost).to_others == 0).all()


def test_probabilities_are_divided_by_their_sum():
    labels = Labels.from_wide([[0, 1]], classes=2)
    for distance in ("zero-one", "squared", 1 - np.eye(2)):
        found = distances(labels, [np.array([[0.3 * 1.00005, 0.7 * 1.00005]]), np.float32([[0.3, 0.7]])], distance)
        np.testing.assert_allclose(found.to_model[0], [0.7, 0.3], rtol=1e-14)


@pytest.mark.parametrize("distance, delta", [("squared", twin.squared), ("absolute", twin.absolute)])
@pytest.mark.parametrize("shift", [0.0, 1e6, -1e9])
def test_numbers_far_from_0(distance, delta, shift):
    """Differences are exact, so relative errors stay at rounding whatever the numbers' size."""
    rng = np.random.default_rng(10)
    cases, rows = random_cases(rng, 30, lambda r: shift + float(r.integers(0, 64)) / 64)
    ids, value = columns(rows, 30)
    check(
        distances(Ratings.from_long(value=value, **ids), [np.full(30, shift)], distance), cases, [[shift] * 30], delta, rtol=1e-13, atol=0
    )


def test_an_outlier_does_not_blur_the_others():
    cases = [[[0.25], [0.5], [1e8]], [[1e-8], [2e-8], [1.0], [1.0]]]
    rows = [(i, a, own[0]) for i, case in enumerate(cases) for a, own in enumerate(case)]
    ids, value = columns(rows, 2)
    for distance, delta in (("squared", twin.squared), ("absolute", twin.absolute)):
        check(distances(Ratings.from_long(value=value, **ids), [], distance), cases, [], delta, rtol=1e-13, atol=0)


def test_many_annotators():
    """Beyond what insertion sorts."""
    rng = np.random.default_rng(11)
    case = [[y] for y in np.round(rng.normal(size=300), 2).tolist()]
    ratings = Ratings.from_wide([[own[0] for own in case]])
    for distance, delta in RULES:
        check(distances(ratings, [np.array([0.3])], distance), [case], [[0.3]], delta, atol=1e-11)


def test_single_and_missing_annotators():
    ratings = Ratings.from_long([0, 0, 2], [7, 7, 7], [1.0, 5.0, 2.0], cases=[0, 1, 2])
    for distance in ("squared", "absolute", "zero-one", ("threshold", 1.0)):
        found = distances(ratings, [np.array([1.0, 1.0, math.nan])], distance)
        assert found.offsets.tolist() == [0, 1, 1, 2] and found.to_others.tolist() == [0, 0]
        assert np.isnan(found.to_model[0]).tolist() == [False, True]
    nobody = Ratings.from_long([], [], np.empty(0), cases=[1, 2])
    assert distances(nobody, [np.zeros(2)], "squared").to_model.shape == (1, 0)
    assert distances(Labels.from_counts([[0, 0]]), [], "zero-one").to_model.shape == (0, 0)
    assert distances(Labels.from_counts([[0, 5]]), [], "zero-one").to_others.tolist() == [0]
    assert distances(Labels.from_counts([[1, 0]]), [], np.array([[0, 3], [3, 0]])).to_others.tolist() == [0]


# ---- what classes stand for ----
def test_values():
    labels = Labels.from_wide([["mild", "severe"], ["none", "mild"]], classes=["none", "mild", "severe"])
    found = distances(labels, [np.array([2, -1]), np.array([4.0, math.nan])], "squared", values=[0, 1, 10])
    assert found.to_others.tolist() == [81, 81, 1, 1]
    np.testing.assert_array_equal(found.to_model, [[81, 0, np.nan, np.nan], [9, 36, np.nan, np.nan]])
    grades = Labels.from_wide([[10, 30], [20, 20]])  # classes 10, 20, 30; positions 0, 1, 2
    assert distances(grades, [np.array([1, 1])], "absolute").to_model.tolist() == [[10, 10, 0, 0]]
    assert distances(grades, [np.array([[0.5, 0, 0.5], [0, 1, 0]])], "absolute").to_model.tolist() == [[10, 10, 0, 0]]
    assert distances(grades, [], "absolute", values=[3, 2, 1]).to_others.tolist() == [2, 2, 0, 0]
    single = np.array([[0.5, 0, 0.5], [0, 1, 0]], np.float32)
    assert distances(grades, [single[:, ::-1]], "absolute").to_model.tolist() == [[10, 10, 0, 0]]


@pytest.mark.parametrize(
    "values, message",
    [
        (None, r"values must give a number for each class if classes are text. Got None\."),
        ([1, 2], r"values must be a number for each of the 3 classes. Got int\d\d of shape \(2,\)\."),
        ([1, math.nan, 2], r"values must be numbers from -1e\+100 to 1e\+100. Got nan, first at class 'b'\."),
        ([1, 2, math.inf], r"Got inf, first at class 'c'\."),
        (["1", "2", "3"], r"values must be a number for each of the 3 classes"),
    ],
)
def test_wrong_values(values, message):
    refused(message, distances, Labels.from_wide([["a", "b", "c"]]), [], "squared", values=values)


def test_values_where_they_mean_nothing():
    labels = Labels.from_wide([[0, 1]])
    for distance in ("zero-one", 1 - np.eye(2)):
        refused(r"values must be given for distances of numbers only", distances, labels, [], distance, values=[1, 2])
    refused(r"values must be given for Labels only. Got Ratings\.", distances, Ratings.from_wide([[0, 1]]), [], "squared", values=[1, 2])


# ---- distances that are none ----
@pytest.mark.parametrize(
    "distance", ["hamming", "jaccard", 3, None, ("threshold",), ("cutoff", 1), [[0, 1], [1]], np.zeros((2, 2, 2)), "", ()]
)
def test_unknown_distances(distance):
    for held in (Labels.from_wide([[0, 1]]), Ratings.from_wide([[0, 1]])):
        refused(r"^distance must be 'squared', 'absolute', 'zero-one', \('threshold', size\)", distances, held, [], distance)


def test_unknown_distances_of_masks():
    for distance in ("squared", "iou", 1 - np.eye(2), None):
        refused(
            r"^distance must be 'jaccard', 'dice', 'kappa', 'hausdorff', .*, or a function. Got",
            distances,
            Masks.from_wide([[[0, 1]]]),
            [],
            distance,
        )
    refused(r"^distance must be 'squared'", distances, Ratings.from_wide([[0, 1]]), [], 1 - np.eye(2))


@pytest.mark.parametrize("size", [-1, math.nan, math.inf, "1", None, True])
def test_wrong_thresholds(size):
    with pytest.raises(ValueError, match=r"threshold of the distance must be a finite number of at least 0"):
        distances(Ratings.from_wide([[0, 1]]), [], ("threshold", size))


@pytest.mark.parametrize(
    "cost, message",
    [
        ([[0, 1], [2, 0]], r"distance must be symmetric, as neither .* is the truth. Got 1 and 2, first at classes 'a' and 'b'\."),
        ([[0, 1], [1, 0.5]], r"distance must hold 0 where the classes are the same. Got 0.5, first at classes 'b' and 'b'\."),
        *(([[0, x], [1, 0]], rf"distance must hold costs from 0 to 1e\+100. Got {x}, first at classes 'a'") for x in (-1, math.nan)),
        ([[0, 1], [math.inf, 0]], r"distance must hold costs from 0 to 1e\+100. Got inf, first at classes 'b' and 'a'\."),
        ([[0, 1, 1], [1, 0, 1]], r"distance must be a table of costs of 2 x 2 classes. Got shape \(2, 3\)\."),
    ],
)
def test_wrong_costs(cost, message):
    refused(message, distances, Labels.from_wide([["a", "b"]]), [], cost)


# ---- predictions that are none ----
@pytest.mark.parametrize(
    "distance, prediction, message",
    [
        ("squared", [0.0, math.inf], r"predictions must be numbers from -1e\+100 to 1e\+100. Got inf, first at case 'q'\."),
        ("absolute", [[0.5, 0.5], [0.5, 0.4]], r"add up to 1 \(within 1e-4\). Got \[0.5 0.4\], first at case 'q'\."),
        ("zero-one", [[0.5, 0.5], [1.5, -0.5]], r"add up to 1 \(within 1e-4\). Got \[ 1.5 -0.5\], first at case 'q'\."),
        ("zero-one", [[math.nan, 1.0], [0.5, 0.5]], r"add up to 1 \(within 1e-4\). Got \[nan  1.\], first at case 'p'\."),
        ("zero-one", [[0.5, 0.5], [math.inf, 0]], r"add up to 1"),
        (lambda y, z: abs(y - z), [[0.5, 0.5], [0.5, 0.4]], r"add up to 1 \(within 1e-4\)"),
    ],
)
def test_wrong_predictions_of_labels(distance, prediction, message):
    labels = Labels.from_wide([[0, 1], [1, 1]], case_ids=["p", "q"])
    refused(message, distances, labels, [np.array(prediction)], distance)


def test_wrong_predictions_of_ratings():
    ratings = Ratings.from_wide([[0, 1], [1, 1]], case_ids=["p", "q"])
    with pytest.raises(ValueError, match=r"predictions must be numbers from -1e\+100 to 1e\+100. Got -inf, first at case 'q'\."):
        distances(ratings, [np.array([0, -math.inf])], "squared")
    with pytest.raises(ValueError, match=r"ratings must be numbers from -1e\+100 to 1e\+100. Got 1e\+200, first at case 'q'\."):
        distances(Ratings.from_long(["p", "q", "q"], [0, 0, 1], [1, 1, 1e200]), [], "squared")


# ---- Python functions ----
def test_functions_are_called_pair_by_pair():
    rng = np.random.default_rng(12)
    cases, rows = random_cases(rng, 20, lambda r: float(r.integers(0, 9)))
    ids, value = columns(rows, 20)
    hard = [None if i % 5 == 0 else float(i % 9) for i in range(20)]
    prediction = np.array([math.nan if p is None else p for p in hard])

    def cubed(y, z):
        assert type(y) is float and type(z) is float
        return abs(y - z) ** 3

    with pytest.warns(RuntimeWarning, match="distance is a Python function") as told:
        found = distances(Ratings.from_long(value=value, **ids), [prediction, prediction], cubed)
    assert len(told) == 1 and told[0].filename == __file__
    check(found, cases, [hard, hard], cubed)


@pytest.mark.parametrize("name", NAMED)
def test_no_ratings_have_no_distances(name):
    assert len(distances(Ratings.from_wide(np.full((2, 3), np.nan)), [], name).to_others) == 0


def test_the_first_hundred_pairs_are_measured_both_ways():
    calls = []
    values = np.arange(300.0).reshape(150, 2)
    warned("slow", distances, Ratings.from_wide(values), [], lambda y, z: calls.append((y, z)) or abs(y - z))
    assert [len(set(map(frozenset, calls))), len(calls)] == [150, 100 + 150]


def test_functions_of_labels():
    rng = np.random.default_rng(13)
    names = ["a", "bb", "ccc"]
    cases, rows = random_cases(rng, 20, lambda r: names[r.integers(0, 3)])
    ids, label = columns(rows, 20)
    labels = labels_of_rows(label=label, classes=names, **ids)
    calls = []

    def lengths(y, z):
        calls.append((y, z))
        return np.float32(abs(len(y) - len(z)))

    probs = rng.dirichlet(np.ones(3), 20)
    probs[3] = np.nan
    found = warned("slow", distances, labels, [np.array([-1] + [1] * 19), probs], lengths)
    assert len(calls) <= 2 * 6  # six pairs of classes, both ways
    others, models = expected(cases, [[None] + ["bb"] * 19], lengths)
    np.testing.assert_allclose(found.to_others, others, rtol=1e-12)
    np.testing.assert_allclose(found.to_model[:1], models, rtol=1e-12)
    law = [None if np.isnan(p[0]) else p.tolist() for p in probs]
    by_length = [[[names.index(y) for y in own] for own in case] for case in cases]
    np.testing.assert_allclose(found.to_model[1], expected(by_length, [law], twin.absolute, twin.to_probabilities)[1][0], rtol=1e-12)
    valued = warned("slow", distances, labels, [probs], lambda y, z: (y - z) ** 2, values=[0, 1, 3])
    np.testing.assert_allclose(valued.to_model, distances(labels, [probs], "squared", values=[0, 1, 3]).to_model, rtol=1e-12)


def test_functions_of_counts():
    """A function may tell equal labels apart: counts are as many annotators."""
    labels = Labels.from_counts([[3, 2], [0, 1]])
    found = warned("slow", distances, labels, [np.array([0, 1])], lambda y, z: 1.0 if y == z else 10.0)
    assert found.to_others.tolist() == [2 + 20, 1 + 30, 0] and found.to_model.tolist() == [[1, 10, 1]]


def test_functions_of_masks():
    masks = Masks.from_wide([[np.eye(3), np.ones((3, 3))], [[[1, 0]], [[1, 1]]]])
    found = warned("slow", distances, masks, [[None, np.array([[False, True]])]], lambda a, b: np.count_nonzero(a ^ b))
    assert found.to_others.tolist() == [6, 6, 1, 1]
    np.testing.assert_array_equal(found.to_model, [[np.nan, np.nan, 2, 1]])


@pytest.mark.parametrize(
    "function, message",
    [
        (
            lambda y, z: math.nan,
            r"distance must return a finite number of at least 0. Got nan, .* case 'p', annotator 'ann' and annotator 'bob'\.",
        ),
        *((lambda y, z, bad=bad: bad, rf"Got {bad!r}, first at case 'p'") for bad in (-0.5, math.inf, "1", None)),
        (lambda y, z: np.ones(2), r"Got array\(\[1., 1.\]\), first at"),
        (
            lambda y, z: max(0, z - y),
            r"distance must be the same both ways. Got \d and \d, .* case 'p', annotator 'ann' and annotator 'bob'\.",
        ),
        (lambda y, z: 1 if max(y, z) < 5 else -1, r"Got -1, first at case 'q', annotator 'ann' and the prediction of model 0\."),
    ],
)
def test_wrong_functions(function, message):
    ratings = Ratings.from_wide([[1, 2], [1, 1]], case_ids=["p", "q"], annotators=["ann", "bob"])
    with pytest.warns(RuntimeWarning, match="slow"), pytest.raises(ValueError, match=message):
        distances(ratings, [np.array([math.nan, 5])], function)


def test_wrong_functions_of_counts():
    with pytest.warns(RuntimeWarning, match="slow"), pytest.raises(ValueError, match=r"case 0, label 'a' and label 'b'"):
        distances(Labels.from_counts([[1, 1]], classes=["a", "b"]), [], lambda y, z: -1)


def test_errors_of_functions_are_passed_on():
    with pytest.warns(RuntimeWarning, match="slow"), pytest.raises(ZeroDivisionError):
        distances(Ratings.from_wide([[1, 2]]), [], lambda y, z: 1 / 0)


@pytest.mark.filterwarnings("error")
def test_only_functions_warn():
    distances(Ratings.from_wide([[1, 2]]), [np.ones(1)], "absolute")
    distances(Labels.from_wide([[1, 2]]), [np.ones((1, 2)) / 2], "absolute")


# ---- threads, memory, what the core refuses ----
def test_same_bytes_for_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(14)
    monkeypatch.setattr("ugt.humans.distances.CASES", 7)
    monkeypatch.setattr("ugt.humans.distances.CELLS", 30)
    _, rows = random_cases(rng, 100, lambda r: int(r.integers(0, 4)))
    ids, label = columns(rows, 100)
    labels, ratings = labels_of_rows(label=label, classes=4, **ids), Ratings.from_long(value=np.array(label) / 3, **ids)
    probs, masks = rng.dirichlet(np.ones(4), 100), Masks.from_wide(rng.random((30, 3, 9, 9)) < 0.4)
    cost = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) ** 0.5
    jobs = [(labels, [probs, rng.integers(0, 4, 100)], d) for d in ("squared", "absolute", "zero-one", cost)]
    jobs += [(ratings, [rng.random(100)], d) for d in ("squared", "absolute", "zero-one", ("threshold", 0.3))]
    jobs += [(masks, [rng.random((30, 9, 9)) < 0.4], d) for d in ("jaccard", "dice")]
    for job in jobs:
        alone = distances(*job)
        for n_threads in (2, 5):
            with ugt.resampling.threads(n_threads):
                together = distances(*job)
            assert alone.to_others.tobytes() == together.to_others.tobytes()
            assert alone.to_model.tobytes() == together.to_model.tobytes()


def test_results_are_read_only():
    found = distances(Ratings.from_wide([[1, 2]]), [np.ones(1)], "absolute")
    for array in (found.offsets, found.annotator, found.count, found.to_others, found.to_model):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_first_of_several_wrong_rows_is_named_with_threads(monkeypatch):
    monkeypatch.setattr("ugt.humans.distances.CELLS", 8)
    probs = np.full((100, 2), 0.5)
    probs[[37, 80, 90]] = 0.4
    with ugt.resampling.threads(4), pytest.raises(ValueError, match="first at case 37"):
        distances(Labels.from_counts(np.ones((100, 2), int)), [probs], "zero-one")


OFFSETS, COUNT = np.array([0, 2, 3]), np.ones(3, np.int64)


@pytest.mark.parametrize(
    "offsets, row_offsets, count, times, n_rows",
    [
        (np.array([0, 2, 4]), None, COUNT, None, 3),
        (np.array([0, -1, 3]), None, COUNT, None, 3),
        (OFFSETS, None, COUNT, None, 4),
        (OFFSETS, np.array([0, 1, 2]), COUNT, None, 3),
        (OFFSETS, np.array([0, 1, 1, 3]), COUNT, None, 3),
        (OFFSETS, np.array([0, 1, 2, 4]), COUNT, None, 3),
        (OFFSETS, np.array([-1, 1, 2, 3]), COUNT, None, 3),
        (OFFSETS, None, np.array([1, 0, 1]), None, 3),
        (OFFSETS, None, COUNT, np.array([1, 0, 1]), 3),
        (OFFSETS, None, COUNT, np.array([1, 1]), 3),
    ],
)
def test_entries_that_do_not_fit(offsets, row_offsets, count, times, n_rows):
    refused(r"UGT_ERR_RANGE|fit together|must have", _pairs.Entries, offsets, row_offsets, count, times, n_rows)


def test_calls_that_do_not_fit():
    entries, out = _pairs.Entries(OFFSETS, None, COUNT, None, 3), np.zeros(3)
    rule, label, value = _pairs.Distance(_pairs.SQUARED, 0, 2, None, None), np.zeros(3, np.int32), np.zeros(3)
    masks = _pairs.Masks(np.array([0, 1, 2, 3]), np.zeros(3, np.uint64))
    uneven = _pairs.Masks(np.array([0, 1, 1, 3]), np.zeros(3, np.uint64))
    two = _pairs.Masks(np.array([0, 1, 3]), np.zeros(3, np.uint64))
    present = np.ones(2, np.uint8)
    for call in (
        lambda: entries.numbers(rule, value, 0, 3, out),
        lambda: entries.numbers(rule, value, -1, 2, out),
        lambda: entries.numbers(rule, value[:2], 0, 2, out),
        lambda: entries.numbers(rule, value, 0, 2, out[:2]),
        lambda: entries.predicted_numbers(rule, value, value, 0, 2, out),
        lambda: entries.predicted_numbers(rule, value[:1], value[:2], 0, 2, out),
        lambda: entries.classes(rule, label[:2], 0, 2, out),
        lambda: entries.classes(rule, label + 2, 0, 2, out),
        lambda: entries.classes(rule, label - 1, 0, 2, out),
        lambda: entries.predicted_classes(rule, label, np.array([0, 2]), 0, 2, out),
        lambda: entries.predicted_classes(rule, label, np.array([0, -2]), 0, 2, out),
        lambda: entries.predicted_classes(rule, label, np.array([0]), 0, 2, out),
        lambda: entries.predicted_classes(rule, label + 2, np.array([0, 0]), 0, 2, out),
        lambda: entries.probabilities(rule, label, np.ones((2, 3)), 0, 2, out),
        lambda: entries.probabilities(rule, label, np.ones((1, 2)), 0, 2, out),
        lambda: entries.probabilities(rule, label + 2, np.ones((2, 2)) / 2, 0, 2, out),
        lambda: entries.masks(_pairs.JACCARD, uneven, 0, 2, out),
        lambda: entries.masks(_pairs.JACCARD, two, 0, 2, out),
        lambda: entries.predicted_masks(_pairs.JACCARD, masks, two, present, 0, 2, out),
        lambda: entries.predicted_masks(_pairs.JACCARD, masks, masks, present, 0, 2, out),
        lambda: _pairs.Masks(np.array([0, 1, 4]), np.zeros(3, np.uint64)),
        lambda: _pairs.Masks(np.array([0, -1, 1]), np.zeros(3, np.uint64)),
        lambda: _pairs.Distance(_pairs.SQUARED, -1, 2, None, None),
        lambda: _pairs.Distance(_pairs.SQUARED, math.nan, 2, None, None),
        lambda: _pairs.Distance(5, 0, 2, None, None),
        lambda: _pairs.Distance(_pairs.SQUARED, 0, 2, np.zeros((2, 3)), None),
        lambda: _pairs.Distance(_pairs.SQUARED, 0, 2, None, np.zeros(3)),
        lambda: _pairs.find_entries(OFFSETS, np.array([0, 1, 2], np.int32), 2),
        lambda: _pairs.find_entries(OFFSETS, np.array([0, 1, -2], np.int32), 2),
        lambda: _pairs.find_entries(np.array([0, 2, 4]), np.array([0, 1, 1], np.int32), 2),
        lambda: _pairs.case_sums(OFFSETS, COUNT[1:], np.ones(2), np.ones((1, 2))),
        lambda: _pairs.case_sums(OFFSETS, COUNT, np.ones(2), np.ones((1, 3))),
        lambda: _pairs.case_sums(OFFSETS, COUNT, np.ones(3), np.ones((1, 2))),
    ):
        refused(r"UGT_ERR_RANGE|fit|a case", call)


def test_a_function_is_given_predicted_numbers_as_they_are():
    labels = Labels.from_wide([[1, 3], [3, 5]], classes=[1, 3, 5])
    found = warned("is called for every pair", distances, labels, [np.array([2.5, np.nan])], lambda a, b: abs(a - b) / 10)
    np.testing.assert_allclose(found.to_model[0], [0.15, 0.05, np.nan, np.nan])
