"""Votes, IRN, PrIRN and Dirichlet against rational arithmetic, properties, reference cases and real data."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import partial_rankings
from twins import irn as twin

import ugt.truth as agg
from ugt.annotations import Labels, Rankings
from ugt.papers import plackett_luce_map
from ugt.plausibilities import Dirichlet

TIE_WEIGHTS = ["split", "full"]


CASES = st.lists(st.lists(partial_rankings(6), max_size=5), min_size=1, max_size=4)


def dense(offsets, index, value, n_classes):
    """Rows of floats; None for an empty row. Also checks the form of a ragged result."""
    rows = []
    for a, b in zip(offsets[:-1], offsets[1:]):
        assert (np.diff(index[a:b]) > 0).all()
        assert (value[a:b] > 0).all()
        row = np.zeros(n_classes)
        row[index[a:b]] = value[a:b]
        rows.append(row.tolist() if b > a else None)
    return rows


def point(plausibilities):
    return dense(plausibilities.offsets, plausibilities.index, plausibilities.value, plausibilities.n_classes)


def rounded(fractions):
    """The doubles nearest to rational numbers."""
    return None if fractions is None else [float(f) for f in fractions]


# ---- inverse rank normalisation ---------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("tie_weight", TIE_WEIGHTS)
@given(CASES)
def test_irn_is_the_correctly_rounded_rational(tie_weight, table):
    found = point(agg.irn(Rankings.from_blocks(table, n_classes=6), tie_weight=tie_weight))
    assert found == [rounded(twin.irn(case, 6, tie_weight == "full")) for case in table]


@pytest.mark.parametrize("tie_weight", TIE_WEIGHTS)
@pytest.mark.parametrize("depth", [30, 36, 38, 42, 60, 150])
def test_deep_rankings_beyond_whole_numbers(tie_weight, depth):
    # the least common multiple of 1..37 is above 2^52: sums become pairs of doubles, and the quotients stay the nearest doubles
    rng = np.random.default_rng(depth)
    table = [[[[int(k)] for k in rng.permutation(depth)] for _ in range(3)] for _ in range(5)]
    table.append([[[k, k + 1] if k % 4 else [k + 1, k] for k in range(0, depth, 2)]] * 2)
    found = point(agg.irn(Rankings.from_blocks(table, n_classes=depth), tie_weight=tie_weight))
    assert found == [rounded(twin.irn(case, depth, tie_weight == "full")) for case in table]


def test_ties_of_deep_rankings_are_ties():
    # classes 2j and 2j + 1 change places from one annotator to the next: equal sums of different weights in another order
    forward = [[k] for k in range(80)]
    swapped = [[k ^ 1] for k in range(80)]
    for table in ([forward, swapped], [swapped, forward, forward, swapped]):
        (row,) = point(agg.irn(Rankings.from_blocks([table], n_classes=80)))
        assert row[::2] == row[1::2]
        assert len(set(row)) == 40


def test_wide_blocks_beyond_whole_numbers():
    # block sizes are primes: their product leaves 2^53 although no ranking is deep
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
    table = [[[list(range(p))] for p in primes]]
    found = point(agg.irn(Rankings.from_blocks(table, n_classes=60)))
    assert found == [rounded(twin.irn(table[0], 60))]


@pytest.mark.slow
@pytest.mark.parametrize("tie_weight", TIE_WEIGHTS)
@given(CASES, st.randoms())
def test_irn_properties(tie_weight, table, random):
    """Order of cases and annotators, names of classes and repetition of all annotators change nothing, to the last bit."""

    def values(changed):
        return point(agg.irn(Rankings.from_blocks(changed, n_classes=6), tie_weight=tie_weight))

    expected = values(table)
    assert values(table[::-1]) == expected[::-1]
    assert values([random.sample(case, len(case)) for case in table]) == expected
    assert values([case * 3 for case in table]) == expected
    assert values([[[block[::-1] for block in ranking] for ranking in case] for case in table]) == expected
    new = random.sample(range(6), 6)
    renamed = values([[[[new[k] for k in block] for block in ranking] for ranking in case] for case in table])
    assert [row and [row[new[k]] for k in range(6)] for row in renamed] == expected
    for row in expected:
        assert row is None or sum(row) == pytest.approx(1, abs=1e-15)


def test_irn_of_labels_is_the_mean_label():
    labels = Labels.from_long([0, 0, 0, 1], [0, 1, 2, 0], [2, 0, 2, 1], classes=3, cases=[0, 1, 2])
    for tie_weight in TIE_WEIGHTS:
        assert point(agg.irn(labels, tie_weight=tie_weight)) == [[1 / 3, 0, 2 / 3], [0, 1, 0], None]


@pytest.mark.parametrize("name", ["01", "03", "05"])
def test_irn_reference_cases(shared_case, name):
    case = shared_case(name)
    rankings = Rankings.from_blocks([case["inputs"]["rankings"]], n_classes=case["inputs"]["K"])
    for word, expected in case["expected"].items():
        found = agg.irn(rankings, tie_weight={"paper": "split", "code": "full"}[word])
        assert point(found)[0] == pytest.approx(expected, abs=1e-15)
        assert found.mean()[0] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("tie_weight", "word"), [("split", "irn_paper"), ("full", "irn_code")])
def test_irn_of_the_dermatology_data(shared_case, dermatology, tie_weight, word):
    expected = shared_case("80")["expected"][word]
    table = agg.irn(Rankings.from_blocks(dermatology.annotations, n_classes=419), tie_weight=tie_weight).mean()
    best = table.argmax(axis=1)  # ties: the lowest index
    top = table.max(axis=1)
    assert hashlib.sha256(",".join(map(str, best)).encode()).hexdigest() == expected["argmax_sha256"]
    assert int(((table == top[:, None]).sum(axis=1) > 1).sum()) == expected["n_top1_tied"]
    assert sorted(np.bincount(best))[::-1][:5] == expected["argmax_hist_top5"]
    assert best.sum() == expected["argmax_sum"]
    assert top.mean() == pytest.approx(expected["mean_max"], abs=1e-12)
    assert top.std() == pytest.approx(expected["std_max"], abs=1e-12)
    assert (table**2).sum(axis=1).mean() == pytest.approx(expected["mean_sumsq"], abs=1e-12)
    assert (table > 0).sum(axis=1).mean() == pytest.approx(expected["mean_support"], abs=1e-12)
    for row, values in expected["rows"].items():
        assert {str(k): table[int(row), k] for k in np.flatnonzero(table[int(row)])} == pytest.approx(values, abs=1e-15)


def test_tie_weights_disagree_as_published(shared_case, dermatology):
    rankings = Rankings.from_blocks(dermatology.annotations, n_classes=419)
    split, full = (agg.irn(rankings, tie_weight=word).mean() for word in TIE_WEIGHTS)
    expected = shared_case("80")["expected"]
    assert int((split.argmax(axis=1) != full.argmax(axis=1)).sum()) == expected["irn_top1_differs_paper_vs_code"]
    assert np.abs(split - full).sum(axis=1).mean() == pytest.approx(expected["irn_mean_abs_diff_L1"], abs=1e-12)


def test_irn_of_a_whole_dermatology_case_is_exact(dermatology):
    found = point(agg.irn(Rankings.from_blocks(dermatology.annotations, n_classes=419)))
    for i in range(0, 1947, 97):
        assert found[i] == rounded(twin.irn(dermatology.annotations[i], 419))


# ---- votes ------------------------------------------------------------------------------------------
@given(CASES)
def test_votes_of_rankings_equal_twin(table):
    rankings = Rankings.from_blocks(table, n_classes=6)
    assert point(agg.votes(rankings, kind="mean")) == [rounded(twin.mean_vote(case, 6)) for case in table]
    assert point(agg.votes(rankings)) == [rounded(twin.majority(case, 6)) for case in table]


@given(st.lists(st.lists(st.integers(0, 20), min_size=4, max_size=4), min_size=1))
def test_votes_of_counts(counts):
    for votes in (np.array(counts), counts):
        mean, majority = point(agg.votes(Labels.from_counts(votes), kind="mean")), point(agg.votes(Labels.from_counts(votes)))
        for row, shares, winner in zip(counts, mean, majority):
            if sum(row) == 0:
                assert shares is winner is None
                continue
            assert shares == [k / sum(row) for k in row]
            assert winner == [(k == max(row)) / row.count(max(row)) for k in row]


def test_split_votes_tie_exactly():
    # 1/3 + 1/3 + 1/3 for class 0 against one whole vote for class 3
    table = [[[[0, 1, 2]], [[0, 4, 5]], [[0, 6, 7]], [[3]]]]
    assert point(agg.votes(Rankings.from_blocks(table, n_classes=8))) == [[0.5, 0, 0, 0.5, 0, 0, 0, 0]]


def test_all_cases_may_be_empty():
    labels = Labels.from_counts([[0, 0], [0, 0]])
    assert point(agg.votes(labels)) == point(agg.irn(labels)) == [None, None]
    assert np.isnan(agg.votes(labels).mean()).all()


# ---- Dirichlet posteriors ---------------------------------------------------------------------------
def concentrations(post):
    """Dense concentrations, the background included."""
    table = np.repeat(np.broadcast_to(post.background, post.n_cases).astype(float)[:, None], post.n_classes, axis=1)
    table[np.repeat(np.arange(post.n_cases), np.diff(post.offsets)), post.index] = post.concentration
    return table.tolist()


def test_prirn():
    rankings = Rankings.from_blocks([[[[0], [1, 2]], [[0]]], []], n_classes=4)
    assert concentrations(agg.prirn(rankings)) == [[0.8, 0.1, 0.1, 0], [0] * 4]
    assert concentrations(agg.prirn(rankings, reliability=10)) == [[8, 1, 1, 0], [0] * 4]
    extra = agg.prirn(rankings, reliability=10, background=0.5)
    assert concentrations(extra) == [[8.5, 1.5, 1.5, 0.5], [0] * 4]
    assert np.isnan(extra.mean()[1]).all()
    full = agg.prirn(rankings, reliability=3, tie_weight="full")
    assert concentrations(full)[0] == pytest.approx([2, 0.5, 0.5, 0])


def test_prirn_background_is_one_number_where_every_case_is_defined():
    assert agg.prirn(Labels.from_counts([[1, 0], [0, 1]]), background=0.25).background.tolist() == [0.25, 0.25]


COUNTS = [[3, 1, 0], [0, 0, 0], [0, 0, 2]]


@pytest.mark.parametrize("labels", [np.array(COUNTS), COUNTS, tuple(map(tuple, COUNTS))])
def test_dirichlet(labels):
    assert concentrations(agg.dirichlet(Labels.from_counts(labels))) == [[3.1, 1.1, 0.1], [0] * 3, [0.1, 0.1, 2.1]]
    assert concentrations(agg.dirichlet(Labels.from_counts(labels), reliability=2, prior=0)) == [[6, 2, 0], [0] * 3, [0, 0, 4]]
    assert concentrations(agg.dirichlet(Labels.from_counts(labels), prior=np.array([0.5, 0.5, 0.5]))) == concentrations(
        agg.dirichlet(Labels.from_counts(labels), prior=0.5)
    )
    assert concentrations(agg.dirichlet(Labels.from_counts(labels), prior=[1, 2, 0])) == [[4, 3, 0], [0] * 3, [1, 2, 2]]


def test_dirichlet_with_a_constant_prior_keeps_what_was_annotated():
    assert len(agg.dirichlet(Labels.from_counts(np.array(COUNTS))).index) == 3
    assert len(agg.dirichlet(Labels.from_counts(np.array(COUNTS)), prior=[1, 1, 1]).index) == 3


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1), st.floats(0.01, 100), st.floats(0, 10))
def test_dirichlet_formula(counts, gamma, alpha):
    found = concentrations(agg.dirichlet(Labels.from_counts(np.array(counts)), reliability=gamma, prior=alpha))
    assert found == [[gamma * k + alpha if sum(row) else 0 for k in row] for row in counts]


# ---- a reliability for each annotator, and for each annotation -----------------------------------------

LABELS = Labels.from_counts([[1, 2]], classes=["a", "b"])
WEIGHT = st.sampled_from([0.125, 0.3, 1.0, 2.0, 7.5])


def named(table, n_classes):
    """Rankings of annotators 0, 1, ... of lists of rankings; who ranks nothing is not there."""
    rows = [
        (i, a, y, b) for i, case in enumerate(table) for a, blocks in enumerate(case) for b, block in enumerate(blocks, 1) for y in block
    ]
    case, annotator, label, rank = map(list, zip(*rows)) if rows else ([], [], [], [])
    return Rankings.from_long(case, annotator, label, rank, classes=n_classes, cases=range(len(table)))


def near(found, expected):
    for row, fractions in zip(found, expected):
        assert row == pytest.approx([0.0] * len(row) if fractions is None else [float(x) for x in fractions], rel=1e-14)


@pytest.mark.slow
@given(CASES, st.lists(WEIGHT, min_size=5, max_size=5), st.sampled_from(TIE_WEIGHTS))
def test_reliability_of_each_annotator_of_rankings(table, weights, tie_weight):
    rankings, full = named(table, 6), tie_weight == "full"
    own = {a: weights[a] for a in rankings.annotators.tolist()}
    expected = [twin.concentrations(case, weights, 6, full) for case in table]
    near(concentrations(agg.prirn(rankings, reliability=own, tie_weight=tie_weight)), expected)
    shares = [None if row is None else [x / sum(row) for x in row] for row in expected]
    near(np.nan_to_num(agg.irn(rankings, reliability=own, tie_weight=tie_weight).mean()), shares)


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=4), st.lists(WEIGHT, min_size=4, max_size=4))
def test_reliability_of_each_annotator_of_labels(table, weights):
    labels = Labels.from_wide(table, annotators=list("wxyz"), classes=3)
    expected = [[float(x) for x in twin.concentrations([[[y]] for y in row], weights, 3, counted=True)] for row in table]
    forms = (dict(zip("wxyz", weights)), weights, np.tile(weights, (len(table), 1)))
    for form in forms:
        near(concentrations(agg.dirichlet(labels, reliability=form, prior=0)), expected)
        near(concentrations(agg.dirichlet(labels, reliability=form, prior=[1, 2, 3])), np.add(expected, [1, 2, 3]))
        near(concentrations(agg.prirn(labels, reliability=form)), np.divide(expected, 4))


MADE = [agg.dirichlet, agg.prirn, agg.irn, plackett_luce_map, lambda x, **o: agg.plackett_luce(x, method="gibbs", n_draws=400, **o)]


@pytest.mark.filterwarnings("ignore:chains have not mixed")
@pytest.mark.parametrize("make", MADE)
def test_equal_reliabilities_are_one_number(make):
    labels = Labels.from_wide([["a", "b", "a"], ["b", "b", None]], annotators=["x", "y", "z"])
    for gamma in (0.3, 2.5):
        one, each = (make(labels, reliability=form).mean() for form in (gamma, dict.fromkeys("xyz", gamma)))
        np.testing.assert_allclose(each, one, rtol=0, atol=1e-12)
    shuffled = Labels.from_wide([["b", "a", "a"], ["b", None, "b"]], annotators=["y", "z", "x"])
    one, other = (make(x, reliability={"x": 0.1, "y": 0.2, "z": 0.3}).mean() for x in (labels, shuffled))
    np.testing.assert_allclose(other, one, rtol=0, atol=0.2 if make is MADE[-1] else 1e-12)  # draws go with the order of annotators


def test_fractional_counts():
    counts = np.array([[0.5, 1.25, 0], [0, 0, 0], [0, 0, 0.75]])
    refused(r"counts must be whole numbers \(for fractional counts c: dirichlet.*\)\. Got 0\.5", Labels.from_counts, counts)
    found = agg.dirichlet(Labels.from_counts(np.sign(counts)), reliability=counts)
    assert concentrations(found) == [[0.6, 1.35, 0.1], [0] * 3, [0.1, 0.1, 0.85]]
    twice = agg.dirichlet(Labels.from_counts([[2, 1]]), reliability=[[0.25, 3]], prior=0)
    assert concentrations(twice) == [[0.5, 3]]


@pytest.mark.parametrize("make", [agg.dirichlet, agg.prirn, agg.irn])
def test_without_an_annotator_the_others_keep_their_reliability(make):
    table, names = [["a", "b", "a"], ["b", "b", "a"], ["c", None, None]], {"annotators": ["x", "y", "z"], "classes": ["a", "b", "c"]}
    own = {"x": 2.0, "y": 0.5, "z": 1.0}
    made_of = make(Labels.from_wide(table, **names), reliability=own).made_of
    case, annotator, truth = made_of.without_each
    assert case.tolist() == [0, 0, 0, 1, 1, 1, 2] and annotator.tolist() == [0, 1, 2, 0, 1, 2, 0]
    for i, a, row in zip(case, annotator, truth.mean()):
        np.testing.assert_array_equal(row, made_of.judged_by(np.arange(3) != a).mean()[i])
        rest = Labels.from_wide([[None if j == a else y for j, y in enumerate(table[i])]], **names)
        np.testing.assert_allclose(row, make(rest, reliability=own).mean()[0], rtol=1e-14)


NAMED = Labels.from_wide([["a", "b"], ["b", None]], annotators=["x", "y"])
NAMELESS = Rankings.from_blocks([[[[0], [1]], [[1]]], [[[0]]]], n_classes=2)
BAD_RELIABILITIES = [
    (NAMED, {"x": 1}, r"reliability must be given for every annotator\. Got none for 'y'"),
    (NAMED, {}, r"reliability must be given for every annotator\. Got none for 'x'"),
    (NAMED, {"x": 1, "y": 2, "z": 1}, r"reliability must be of annotators in the data\. Got 'z'"),
    (NAMED, {"x": 1, "y": 0}, r"reliability must be a finite number above 0\. Got 0, first at annotator 'y'"),
    (NAMED, {"x": -2, "y": 1}, r"reliability must be a finite number above 0\. Got -2, first at annotator 'x'"),
    (NAMED, {"x": 1, "y": float("nan")}, r"reliability must be a finite number above 0\. Got nan, first at annotator 'y'"),
    (NAMED, {"x": 1, "y": "2"}, r"reliability must be a finite number above 0\. Got '2', first at annotator 'y'"),
    (NAMED, [1, 2, 3], r"a mapping .*, 2 numbers \(one per annotator\) or a table \(2, 2\), cases x annotators\. Got \[1, 2, 3\]"),
    (NAMED, [1, -2], r"reliability must be finite numbers above 0\. Got -2\.0, first at case 0, annotator 'y'"),
    (NAMED, [[1, 2], [float("nan"), 0]], r"reliability must be finite numbers above 0\. Got nan, first at case 1, annotator 'x'"),
    (NAMED, [["1", "2"], ["1", "2"]], r"reliability must be a number above 0, a mapping"),
    (LABELS, {"x": 1}, r"reliability must be one number if annotators have no names, as in counts\. Got a mapping of annotators"),
    (LABELS, [1, 2, 3], r"or, as annotators have no names, a table \(1, 2\), cases x classes\. Got \[1, 2, 3\]"),
    (LABELS, [[1, 0]], r"reliability must be finite numbers above 0\. Got 0\.0, first at case 0, class 'b'"),
    (NAMELESS, {"x": 1}, r"reliability must be one number if annotators have no names"),
    (NAMELESS, [1, 2], r"or, as annotators have no names, 3 numbers \(one per ranking\)\. Got \[1, 2\]"),
    (NAMELESS, [1, 2, 0], r"reliability must be finite numbers above 0\. Got 0\.0, first at case 1"),
]  # fmt: skip


@pytest.mark.parametrize(("annotations", "reliability", "message"), BAD_RELIABILITIES)
def test_reliabilities_are_checked(annotations, reliability, message):
    for make in (agg.prirn, agg.irn, agg.plackett_luce, plackett_luce_map, agg.plackett_luce_mle):
        refused(message, make, annotations, reliability=reliability)
    if isinstance(annotations, Labels):
        refused(message, agg.dirichlet, annotations, reliability=reliability)


# ---- refusals ---------------------------------------------------------------------------------------

VALUE_ERRORS = [
    (agg.votes, {"kind": "median"}, r"kind must be one of 'majority', 'mean'\. Got 'median'"),
    (agg.irn, {"tie_weight": "half"}, r"tie_weight must be one of 'split', 'full'\. Got 'half'"),
    (agg.irn, {"tie_weight": None}, r"tie_weight must be one of 'split', 'full'\. Got None"),
    (agg.prirn, {"tie_weight": "paper"}, r"tie_weight must be one of 'split', 'full'\. Got 'paper'"),
    (agg.prirn, {"reliability": 0}, r"reliability must be a finite number above 0\. Got 0"),
    (agg.prirn, {"reliability": -1.5}, r"reliability must be a finite number above 0\. Got -1\.5"),
    (agg.prirn, {"reliability": float("inf")}, r"reliability must be a finite number above 0\. Got inf"),
    (agg.prirn, {"reliability": (10, 20)}, r"reliability must be a number above 0 or, as annotators .* Got \(10, 20\)"),
    (agg.prirn, {"background": -0.1}, r"background must be a finite number of at least 0\. Got -0\.1"),
    (agg.prirn, {"background": float("nan")}, r"background must be a finite number of at least 0\. Got nan"),
    (agg.dirichlet, {"reliability": True}, r"reliability must be a finite number above 0\. Got True"),
    (agg.dirichlet, {"reliability": "1"}, r"reliability must be a finite number above 0\. Got '1'"),
    (agg.dirichlet, {"prior": -1}, r"prior must be a finite number of at least 0\. Got -1"),
    (agg.dirichlet, {"prior": [0.1, -0.5]}, r"prior must be finite numbers of at least 0\. Got -0\.5, first at class 'b'"),
    (agg.dirichlet, {"prior": [np.inf, 1]}, r"prior must be finite numbers of at least 0\. Got inf, first at class 'a'"),
    (
        agg.dirichlet,
        {"prior": [1, 1, 1]},
        r"prior must be one number, 2 numbers \(one per class\), or a table .* with one row per case. Got shape \(3,\)",
    ),
]


@pytest.mark.parametrize(("function", "options", "message"), VALUE_ERRORS)
def test_options_are_checked(function, options, message):
    refused(message, function, LABELS, **options)


def test_counts_are_checked():
    refused(r"counts must not be negative\. Got -1, first at case 0, class 1", Labels.from_counts, np.array([[1, -1]]))


@pytest.mark.parametrize("function", [agg.irn, agg.prirn])
@pytest.mark.parametrize("value", [[[[[0]]]], np.full((2, 2), 0.5), None])
def test_only_annotations_have_ranks(function, value):
    refused(r"annotations must be Labels or Rankings\. Got .*: Labels\.from_long, .* make them", function, value, error=TypeError)


NO_COUNTS = [["a", "b"], [["a"], ["b", "c"]], [[1, 2], [3]], [[[[0], [1]]]], [1, 2], [[1.5, None]], [np.ones((2, 2)), np.ones(3)], []]


@pytest.mark.parametrize(("function", "argument"), [(agg.votes, "annotations"), (agg.dirichlet, "labels")])
@pytest.mark.parametrize("value", NO_COUNTS)
def test_only_annotations_or_counts(function, argument, value):
    refused(rf"{argument} must be Labels or Rankings\. Got list", function, value, error=TypeError)
    for whole in ([[3, 1], [0, 2]], [[3, None], [0, 2]]):
        refused(rf"{argument} must have a type if it holds whole numbers: use Labels\.from_wide", function, whole)


@pytest.mark.parametrize("function", [agg.votes, agg.irn, agg.dirichlet])
@pytest.mark.parametrize("text", [[["a", "b"]], [["1", "2"], ["1", None]], np.array([["a", "b"], ["b", "b"]])])
def test_a_table_of_text_is_labels(function, text):
    assert function(text).mean().tolist() == function(Labels.from_wide(text)).mean().tolist()


@pytest.mark.filterwarnings("error")  # no words of numpy before the error
def test_concentrations_beyond_the_largest_number():
    finite = r"concentration must be finite and above 0\. Got inf, first at case 0"
    whole = r"concentration must have a finite sum over the classes of a case\. Got inf, first at case 1"
    for prior in (0.1, [1, 2]):
        refused(finite, agg.dirichlet, Labels.from_counts([[3, 1]]), reliability=1e308, prior=prior)
    refused(finite, agg.prirn, Labels.from_counts([[1, 0]]), reliability=1.7e308, background=1e308)
    for prior in (1e308, [1e308, 1e308], [1e308, 0.9e308]):
        refused(whole, agg.dirichlet, Labels.from_counts([[0, 0], [3, 1]]), prior=prior)
    refused(r"concentrations must hold .* with finite sums above 0 .* first at row 1", Dirichlet.from_array, [[1, 1], [1e308, 1e308]])


def test_dirichlet_of_rankings_is_prirn():
    with pytest.raises(TypeError, match=r"labels must be Labels\. Got Rankings: use prirn"):
        agg.dirichlet(Rankings.from_blocks([[[[0]]]]))
