"""Agreement of annotators against rational arithmetic, properties, reference cases and real data."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused, warned
from strategies import partial_rankings
from twins import agreement as twin

import ugt
from ugt._base.ragged import row_of
from ugt._core import _tables
from ugt.agreement.rankings import AgreementScore, annotator_average_overlap, leave_one_annotator_out, partial_average_overlap
from ugt.annotations import Labels, Rankings

pytestmark = pytest.mark.filterwarnings("ignore")

TIE_WEIGHTS = ["split", "full"]
K = 5


CASES = st.lists(st.lists(partial_rankings(K), max_size=5), min_size=1, max_size=4)
PAIRS = st.lists(st.tuples(partial_rankings(K), partial_rankings(K)), min_size=1, max_size=4)


def rankings_of(table, n_classes=K):
    return Rankings.from_blocks(table, n_classes=n_classes)


def numbered(rankings):
    """The same rankings by annotators whose names are their positions within a case."""
    position = np.arange(rankings.n_rankings) - rankings.case_offsets[:-1][row_of(rankings.case_offsets)]
    return replace(rankings, annotators=np.arange(position.max(initial=-1) + 1), annotator=position.astype(np.int32))


def numbers(fractions):
    return [np.nan if f is None else float(f) for f in fractions]


def exactly(values):
    return pytest.approx(values, abs=1e-15, nan_ok=True)


# ---- leave one annotator out ------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("tie_weight", TIE_WEIGHTS)
@given(CASES)
def test_leave_one_out_equals_twin(tie_weight, table):
    found = leave_one_annotator_out(numbered(rankings_of(table)), tie_weight=tie_weight)
    shares = [twin.leave_one_out([[ranking] for ranking in case], K, tie_weight == "full") for case in table]
    means = [twin.mean(case) for case in shares]
    assert found.per_case.tolist() == exactly(numbers(means))
    assert found.value == exactly(numbers([twin.mean(means)])[0])
    assert found.n_cases == len(table) - sum(found.left_out.values()) == sum(m is not None for m in means)
    positions = range(max(map(len, table)))
    by_position = [twin.mean([case[a] for case in shares if a < len(case)]) for a in positions]
    assert found.per_annotator.tolist() == exactly(numbers(by_position))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25))
def test_labels_of_one_annotator_belong_together(rows):
    case, annotator, label = zip(*rows)
    labels = Labels.from_long(case, annotator, label, classes=4, cases=range(3))
    expected = []
    for i in range(3):
        people = sorted({a for c, a, _ in rows if c == i})
        expected.append(twin.mean(twin.leave_one_out([[[[k]] for c, a, k in rows if (c, a) == (i, person)] for person in people], 4)))
    assert leave_one_annotator_out(labels).per_case.tolist() == exactly(numbers(expected))


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=4))
def test_in_counts_every_label_is_an_annotator(counts):
    found = leave_one_annotator_out(Labels.from_counts(counts))
    expected = [twin.mean(twin.leave_one_out([[[[k]]] for k, n in enumerate(row) for _ in range(n)], 3)) for row in counts]
    assert found.per_case.tolist() == exactly(numbers(expected))
    assert found.per_annotator.tolist() == []


def test_many_labels_in_counts():
    n = 2**50
    found = leave_one_annotator_out(Labels.from_counts([[n, n - 1, 0], [n, n, n], [3 * n, n, 0]]))
    # n-1 against n-1 without one of the n; otherwise the first class leads alone
    assert found.per_case.tolist() == pytest.approx([n / 2 / (2 * n - 1), 0, 0.75], rel=1e-15)


@pytest.mark.parametrize("tie_weight", TIE_WEIGHTS)
@pytest.mark.parametrize("depth", [12, 30, 60])
def test_ties_of_deep_rankings_are_ties(tie_weight, depth):
    # pairs of classes change places from one annotator to the next, so that ties are sums of different weights in another order
    rng = np.random.default_rng(depth)
    order = [int(k) for k in rng.permutation(depth)]
    forward, swapped = [[k] for k in order], [[k ^ 1] for k in order]
    table = [[forward, swapped, forward[:2], swapped[1:2], forward[-3:], swapped[-3:], [order]], [forward, swapped, forward, swapped]]
    found = leave_one_annotator_out(rankings_of(table, depth), tie_weight=tie_weight)
    expected = [twin.mean(twin.leave_one_out([[ranking] for ranking in case], depth, tie_weight == "full")) for case in table]
    assert found.per_case.tolist() == exactly(numbers(expected))


def test_sums_of_many_weights_tie():
    # 1/3 from each of 3m annotators is as much as one vote from each of m
    m = 500
    found = leave_one_annotator_out(numbered(rankings_of([[[[0, 4, 5]]] * (3 * m) + [[[1]]] * m + [[[2]]]], 6)))
    assert found.per_annotator.tolist() == [0] * (4 * m + 1)  # whoever is left out, others lead
    found = leave_one_annotator_out(numbered(rankings_of([[[[0, 4, 5]]] * (3 * m) + [[[1]]] * (m + 1)], 6)))
    assert found.per_annotator.tolist() == [0] * (3 * m) + [0.25] * (m + 1)


@pytest.mark.slow
@given(CASES, st.randoms())
def test_order_and_names_do_not_matter(table, random):
    expected = leave_one_annotator_out(rankings_of(table)).per_case.tolist()
    assert leave_one_annotator_out(rankings_of(table[::-1])).per_case.tolist() == exactly(expected[::-1])
    mixed = [random.sample(case, len(case)) for case in table]
    assert leave_one_annotator_out(rankings_of(mixed)).per_case.tolist() == exactly(expected)
    new = random.sample(range(K), K)
    renamed = [[[[new[k] for k in block] for block in ranking] for ranking in case] for case in table]
    assert leave_one_annotator_out(rankings_of(renamed)).per_case.tolist() == exactly(expected)


def test_per_annotator_is_about_people():
    labels = Labels.from_long(["p", "p", "p", "q", "q", "r"], ["ann", "bob", "eve", "eve", "bob", "dan"], [0, 0, 1, 1, 1, 0])
    found = leave_one_annotator_out(labels)
    assert labels.annotators.tolist() == ["ann", "bob", "eve", "dan"]
    assert found.per_annotator.tolist() == exactly([0.5, 0.75, 0.5, np.nan])


def test_cases_left_out_are_counted_by_reason():
    found = leave_one_annotator_out(rankings_of([[[[0]], [[0]]], [], [[[1]]], [[], []], [[], [[1]]]]))
    assert found.per_case.tolist() == exactly([1, np.nan, np.nan, np.nan, 0])
    assert found.n_cases == 2
    assert found.left_out == {"case without annotations": 1, "case with a single annotator": 1, "case in which nothing is ranked": 1}


@pytest.mark.parametrize("function", [leave_one_annotator_out, lambda r: annotator_average_overlap(r, 2)])
def test_no_case_is_left(function):
    message = r"undefined: no case is left \(case without annotations: 1, case with a single annotator: 2\)"
    found = warned(message, function, rankings_of([[], [[[0]]], [[[1]]]]))
    assert np.isnan(found.value)
    assert found.n_cases == 0


def test_no_annotator_at_all():
    with pytest.warns(RuntimeWarning, match="no case is left"):
        assert leave_one_annotator_out(Labels.from_counts([[0, 0]])).left_out == {"case without annotations": 1}
    with pytest.warns(RuntimeWarning, match="no case is left"):
        assert annotator_average_overlap(rankings_of([[], []]), 2).left_out == {"case without annotations": 2}


# ---- average overlap of partial rankings ------------------------------------------------------------
@pytest.mark.slow
@given(PAIRS, st.integers(0, K))
def test_partial_average_overlap_equals_twin(pairs, depth):
    first, second = (list(side) for side in zip(*pairs))
    plain = partial_average_overlap(first, second, depth, normalize=False, n_classes=K)
    assert plain.per_case.tolist() == exactly([float(twin.overlap(a, b, depth, K)) for a, b in pairs])
    scaled = partial_average_overlap(first, second, depth, n_classes=K)
    assert scaled.per_case.tolist() == exactly([twin.normalized(a, b, depth, K) for a, b in pairs])
    assert scaled.value == exactly(np.mean(scaled.per_case))
    assert scaled.n_cases == len(pairs)


def test_partial_average_overlap_reference_case(shared_case):
    case = shared_case("39")
    inputs, expected = case["inputs"], case["expected"]
    for first, second, depth, plain, scaled in zip(
        inputs["b1"], inputs["b2"], inputs["L"], expected["unnormalized"], expected["normalized"]
    ):
        for normalize, value in ((False, plain), (True, scaled)):
            found = partial_average_overlap([first], [second], depth, normalize=normalize, n_classes=inputs["K"])
            assert found.value == pytest.approx(value, abs=1e-12)


def test_overlap_with_nothing_ranked_is_no_division_by_zero():
    first, second = [[], [], [[0]]], [[], [[0]], [[0]]]
    assert partial_average_overlap(first, second, 2, n_classes=K).per_case.tolist() == exactly(
        [twin.normalized(a, b, 2, K) for a, b in zip(first, second)]
    )
    assert partial_average_overlap(first, second, 0, n_classes=K).per_case.tolist() == exactly(
        [twin.normalized(a, b, 0, K) for a, b in zip(first, second)]
    )


@given(PAIRS, st.integers(1, K), st.randoms())
def test_partial_average_overlap_properties(pairs, depth, random):
    first, second = (list(side) for side in zip(*pairs))

    def values(a, b):
        return partial_average_overlap(a, b, depth, n_classes=K).per_case.tolist()

    expected = values(first, second)
    assert values(second, first) == exactly(expected)
    assert values(first, first) == [float(ranking != []) for ranking in first]  # to the last bit
    assert all(0 <= v <= 1 for v in expected)
    # the unranked classes may as well be written down as the last block
    rest = [r and [*r, [k for k in range(K) if all(k not in block for block in r)]] for r in first]
    assert values([[block for block in r if block] for r in rest], second) == exactly(expected)
    new = random.sample(range(K), K)
    renamed = ([[[new[k] for k in block] for block in ranking] for ranking in side] for side in (first, second))
    assert values(*renamed) == exactly(expected)


def test_full_rankings_give_the_average_overlap():
    rng = np.random.default_rng(5)
    orders = np.stack([rng.permutation(30) for _ in range(20)])
    first, second = orders[:10], orders[10:]
    for depth in (1, 7, 30):
        overlaps = [np.mean([len({*a[:k]} & {*b[:k]}) / k for k in range(1, depth + 1)]) for a, b in zip(first, second)]
        found = partial_average_overlap(first[:, :, None].tolist(), second[:, :, None].tolist(), depth, n_classes=30)
        assert found.per_case.tolist() == pytest.approx(overlaps, abs=1e-14)


def test_many_classes_cost_nothing():
    n = 2**20
    first, second = [[[7], [8, 9]]], [[[9], [n - 1]]]
    found = partial_average_overlap(first, second, 3, normalize=False, n_classes=n)
    share = 1 / (n - 2)  # of an unranked class of the second at its third position
    assert found.value == pytest.approx((0.5 / 2 + (1 + 2 * share) / 3) / 3, rel=1e-12)


@pytest.mark.slow
@given(CASES, st.integers(0, K), st.booleans())
def test_annotator_average_overlap_is_the_mean_of_pairs(table, depth, normalize):
    found = annotator_average_overlap(numbered(rankings_of(table)), depth, normalize=normalize)
    of_pair = twin.normalized if normalize else lambda *given: float(twin.overlap(*given))
    means = [
        [np.mean([of_pair(a, b, depth, K) for j, b in enumerate(case) if j != i]) if len(case) > 1 else np.nan for i, a in enumerate(case)]
        for case in table
    ]
    assert found.per_case.tolist() == exactly([np.mean(case) if case else np.nan for case in means])
    by_position = [[case[a] for case in means if len(case) > max(a, 1)] for a in range(max(map(len, table)))]
    assert found.per_annotator.tolist() == exactly([np.mean(values) if values else np.nan for values in by_position])
    assert found.left_out.get("case with a single annotator", 0) == sum(len(case) == 1 for case in table)
    assert "case in which nothing is ranked" not in found.left_out  # two empty rankings overlap by 0


def test_annotators_who_agree_and_who_do_not():
    same, apart = [[[0], [1, 2]]] * 7, [[[k]] for k in range(5)]
    found = annotator_average_overlap(rankings_of([same, apart]), 1)
    assert found.per_case.tolist() == [1, 0]


def test_rankings_and_lists_may_be_mixed():
    named = Rankings.from_strings(["p", "q"], ["ann", "ann"], ["b > a", "c"], classes=["a", "b", "c"])
    lists = [[["a"], ["b"]], [["c"]]]
    expected = partial_average_overlap([[[1], [0]], [[2]]], [[[0], [1]], [[2]]], 2, n_classes=3).per_case.tolist()
    for first, second in ((named, lists), (lists, named), (named, [[[0], [1]], [[2]]])):
        assert partial_average_overlap(first, second, 2).per_case.tolist() == expected
    assert partial_average_overlap(named, named, 2, n_classes=3).per_case.tolist() == [1, 1]


def test_threads_give_the_same_bytes():
    rng = np.random.default_rng(2)
    table = [[[[int(k)] for k in rng.permutation(9)[:4]] for _ in range(int(rng.integers(1, 8)))] for _ in range(500)]
    rankings = rankings_of(table, 9)
    alone = annotator_average_overlap(rankings, 4)
    with ugt.resampling.threads(3):
        assert annotator_average_overlap(rankings, 4).per_case.tobytes() == alone.per_case.tobytes()


# ---- real data --------------------------------------------------------------------------------------
@pytest.mark.slow
def test_dermatology_data(dermatology):
    rankings = rankings_of(dermatology.annotations, 419)
    found = leave_one_annotator_out(rankings)
    assert (found.n_cases, found.left_out) == (1922, {"case with a single annotator": 25})
    overlap = annotator_average_overlap(rankings, 3)
    assert (overlap.n_cases, overlap.left_out) == (1922, {"case with a single annotator": 25})
    for i in range(0, 1947, 400):
        case = dermatology.annotations[i]
        assert found.per_case[i] == exactly(numbers([twin.mean(twin.leave_one_out([[ranking] for ranking in case], 419))])[0])
    # measured with this code, whose cases above are those of the twin
    assert found.value == pytest.approx(0.658040, abs=5e-7)
    assert leave_one_annotator_out(rankings, tie_weight="full").value == pytest.approx(0.657744, abs=5e-7)
    assert overlap.value == pytest.approx(0.509646, abs=5e-7)


def dense(ranking, n_classes):
    """F_kj in floats: the twin's matrices are too slow for 419 classes."""
    table = np.zeros((n_classes, n_classes))
    unranked = sorted({*range(n_classes)} - {k for block in ranking for k in block})
    position = 0
    for block in [*ranking, unranked]:
        table[position : position + len(block), block] = 1 / len(block)
        position += len(block)
    return np.cumsum(table, axis=0)


@pytest.mark.parametrize("depth", [3, 419])
def test_overlap_of_dermatology_cases_is_that_of_matrices(dermatology, depth):
    found = annotator_average_overlap(rankings_of(dermatology.annotations, 419), depth)
    for i in range(0, 1947, 200):
        tables = [dense(ranking, 419)[:depth] / np.sqrt(np.arange(1, depth + 1))[:, None] for ranking in dermatology.annotations[i]]
        units = [(table / np.linalg.norm(table)).ravel() for table in tables]
        overlaps = [a @ b for j, a in enumerate(units) for b in units[:j]]
        assert found.per_case[i] == pytest.approx(np.mean(overlaps) if overlaps else np.nan, abs=1e-12, nan_ok=True)


# ---- the record, and refusals -----------------------------------------------------------------------
def test_record():
    found = partial_average_overlap([[[0]], [[0]]], [[[0]], [[1]]], 1, n_classes=3)
    assert isinstance(found, AgreementScore)
    assert (found.value, found.n_cases, found.left_out, found.per_annotator) == (0.5, 2, {}, None)
    assert found.interval(kind="percentile", seed=3) == (0, 1)
    assert "per_case=<200 array of float64>" in repr(partial_average_overlap([[[0]]] * 200, [[[1]]] * 200, 1, n_classes=3))
    with pytest.raises(AttributeError):
        found.value = 1


@pytest.mark.parametrize("value", [[[[[0]]]], np.ones((2, 2), int), None])
def test_only_annotations_agree(value):
    refused(r"annotations must be Labels or Rankings\. Got (list|ndarray|NoneType)\.", leave_one_annotator_out, value, error=TypeError)


def test_only_rankings_overlap():
    refused(r"rankings must be Rankings\. Got Labels\.", annotator_average_overlap, Labels.from_counts([[1, 1]]), 1, error=TypeError)
    with pytest.raises(TypeError, match=r"second must be Rankings or a list of rankings, each a list of blocks\. Got Labels\."):
        partial_average_overlap([[[0]]], Labels.from_counts([[1, 1]]), 1, n_classes=2)


ONE = rankings_of([[[[0]]], [[[1]]]])
NAMED = Rankings.from_strings(["p", "q"], ["ann", "ann"], ["0", "1"], classes=K)
REFUSED = [
    ((ONE, ONE, K + 1), {}, r"depth must be a whole number from 0 to 5\. Got 6"),
    ((ONE, ONE, -1), {}, r"depth must be a whole number from 0 to 5\. Got -1"),
    ((ONE, ONE, 1.5), {}, r"depth must be a whole number from 0 to 5\. Got 1\.5"),
    (([[]], [[]], 1), {}, r"n_classes must be given with lists of rankings, because unranked classes take part\. Got None"),
    ((ONE, ONE, 1), {"n_classes": 7}, r"n_classes must be 5, as in the rankings, or left out\. Got 7"),
    ((ONE, [[[0]]], 1), {}, r"second must have the cases of first, in the same order\. Got 1 instead of 2"),
    ((ONE, rankings_of([[[[0]]], []]), 1), {}, r"second must hold one ranking of every case\. Got 0, first at case 1"),
    ((rankings_of([[[[0]], [[1]]]]), [[]], 1), {}, r"first must hold one ranking of every case\. Got 2, first at case 0"),
    ((ONE, rankings_of([[[[0]]], [[[1]]]], 6), 1), {}, r"second must have the classes of first, in the same order\. Got 6 instead of 5"),
    (
        (NAMED, Rankings.from_strings(["p", "r"], ["ann", "ann"], ["0", "1"], classes=K), 1),
        {},
        r"second must have the cases of first, in the same order\. Got 'r', first at position 1",
    ),
    (
        (NAMED, Rankings.from_strings([1, 2], ["ann", "ann"], ["0", "1"], classes=K), 1),
        {},
        r"second must have the cases of first, in the same order\. Got 1, first at position 0",
    ),
    (
        (ONE, Rankings.from_blocks([[[["a"]]], [[["b"]]]], classes=list("abcde")), 1),
        {},
        r"second must have the classes of first, in the same order\. Got 'a', first at position 0",
    ),
    ((ONE, [[[0]], [[0], []]], 1), {}, r"nested must not hold an empty block\. Got \[\], first at case 1"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), REFUSED)
def test_pairs_of_rankings_are_checked(arguments, options, message):
    refused(message, partial_average_overlap, *arguments, **options)


def test_options_are_checked():
    refused(r"tie_weight must be one of 'split', 'full'\. Got 'half'", leave_one_annotator_out, ONE, tie_weight="half")
    refused(r"depth must be a whole number from 0 to 5\. Got True", annotator_average_overlap, ONE, True)


# ---- the kernels look after memory -------------------------------------------------------------------
def _arrays(rankings):
    return rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items


def int64(*values):
    return np.array(values, np.int64)


GOOD = {"case": int64(0, 2), "ranking": int64(0, 1, 2), "block": int64(0, 1, 3), "items": np.array([0, 1, 2], np.int32)}
RANGE, VALUE = "UGT_ERR_RANGE", "UGT_ERR_VALUE"
DAMAGED = [
    ({"ranking": int64(0, 1, 3)}, RANGE, RANGE),
    ({"ranking": int64(0, -1, 2)}, RANGE, RANGE),
    ({"block": int64(0, 9, 3)}, RANGE, RANGE),
    ({"block": int64(0, 1, 4)}, RANGE, RANGE),
    ({"items": np.array([0, 1, 3], np.int32)}, RANGE, RANGE),
    ({"items": np.array([-1, 1, 2], np.int32)}, RANGE, RANGE),
    ({"case": int64(0, 3)}, RANGE, None),
    ({"items": np.array([0, 1, 1], np.int32)}, None, VALUE),
]


@pytest.mark.parametrize(("damage", "of_leave_one_out", "of_overlaps"), DAMAGED)
def test_kernels_refuse_damaged_arrays(damage, of_leave_one_out, of_overlaps):
    arrays = tuple({**GOOD, **damage}.values())
    ones, total = np.ones(2), np.empty(2)
    calls = [
        (of_leave_one_out, lambda: _tables.leave_one_out(*arrays, 3, int64(1, 1), int64(0, 1, 2), False)),
        (of_overlaps, lambda: _tables.partial_overlaps(arrays, arrays, 3, int64(0, 0), int64(2, 2), ones, ones, 3, 0, 2, total)),
    ]
    for status, call in calls:
        if status is not None:
            refused(status, call)


@pytest.mark.parametrize("stop", [3, 99])
def test_overlaps_refuse_rows_that_are_not_there(stop):
    ones, arrays = np.ones(2), tuple(GOOD.values())
    refused(RANGE, _tables.partial_overlaps, arrays, arrays, 3, int64(0, 0), int64(stop, 2), ones, ones, 3, 0, 2, np.empty(2))
    refused("length of their rankings", _tables.partial_overlaps, arrays, arrays, 3, int64(0), int64(1), ones, ones, 3, 0, 2, np.empty(2))
    refused("in their ranges", _tables.partial_overlaps, arrays, arrays, 3, int64(0, 0), int64(1, 1), ones, ones, 4, 0, 2, np.empty(2))
    refused("length of the rankings", _tables.leave_one_out, *arrays, 3, int64(1), int64(0, 1, 2), False)


def test_scores_are_equal_only_to_themselves():
    """Comparing arrays would raise an error."""
    one, other = (leave_one_annotator_out(ugt.Labels.from_wide([[0, 1, 1], [0, 0, 1]], classes=2)) for _ in range(2))
    assert one == one and one != other and len({one, other}) == 2


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_few_cases_that_are_alike_have_no_interval_for_a_reason(n):
    """Without any of them agreement is the same, which does not show that it is in other cases."""
    table = ugt.agreement_table(ugt.Labels.from_wide(np.tile([0, 0, 0, 1, 1], (n, 1))))
    for row in table.rows(n_resamples=50):
        if abs(row["value"] - 0.4) < 1e-9 or n == 1:
            assert (row["low"], row["high"]) == (None, None) and row["reason"].startswith("no interval: too few cases")
    enough = ugt.agreement.percent_agreement(ugt.Labels.from_wide(np.tile([0, 0, 0, 1, 1], (20, 1)))).interval()
    assert enough == pytest.approx((0.4, 0.4))


def test_correlations_of_two_cases_have_no_interval_for_a_reason():
    """They are undefined without either case, which was taken as no change: the interval had no width."""
    table = ugt.agreement_table(ugt.Ratings.from_wide([[17.8, 16.1, 13.5, 18.9], [35.2, 24.8, 33.5, 24.5]]))
    for row in table.rows(n_resamples=50):
        assert row["value"] is not None and (row["low"], row["high"]) == (None, None)
        assert row["reason"] == "no interval: too few cases (or clusters) to show how others would differ"
        assert row["two_way_low"] is None or row["two_way_high"] - row["two_way_low"] > 0.5
