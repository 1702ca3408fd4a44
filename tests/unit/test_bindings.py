"""Arrays that do not fit together never reach the C core: the bindings refuse them before anything is read or written."""

import numpy as np
import pytest
from refusals import refused

from ugt._core import _dirichlet, _exact, _latent, _order, _panels

N_CLASSES = 6
OFFSETS, INDEX, VALUE = np.array([0, 2, 3]), np.array([0, 4, 1], np.int32), np.array([2.0, 1.0, 3.0])
FALLING = [[0, 5, 3], [0, -2, 3], [-3, 0, 3], [0, 2**40, 3]]
OUTSIDE = [[0, 1, N_CLASSES], [0, -1, 2], [2**31 - 1, 1, 2]]


def profiles(offsets=OFFSETS, index=INDEX, value=VALUE, n_classes=N_CLASSES):
    rows, entries = np.empty(2, np.int64), np.empty(3, np.int32)
    return _dirichlet.Profiles(offsets, index, value, np.zeros(2), n_classes, rows, entries, np.empty(2, np.int32))


def draws(offsets=OFFSETS, index=INDEX):
    _dirichlet.draws(offsets, index, VALUE, np.zeros(2), np.zeros(2, np.uint64), N_CLASSES, 0, 0, 2, np.empty((2, 3, N_CLASSES)))


def top(offsets=OFFSETS, index=INDEX):
    _dirichlet.top(offsets, index, VALUE, np.zeros(2), np.zeros(2, np.uint64), N_CLASSES, 0, 0, 2, np.empty((2, 3, 2), np.int32))


def overlaps(offsets=OFFSETS, index=INDEX, k=(1, 1), role=1):
    roles = np.full(3, role, np.int8)
    profiles().overlaps(offsets, index, roles, np.zeros(2, np.int8), np.array(k, np.int32), 0, 2, np.empty((2, 2, 2)))


def list_values(offsets=OFFSETS, index=INDEX):
    start, table_offsets = np.array([0, 1, 0], np.int32), np.array([0, 2, 3])
    profiles().list_values(offsets, index, start, 3, 2, 0.0, 1.0, table_offsets, np.ones(3), 0, 2, np.empty((2, 3)), np.empty((2, 5)))


def lists(offsets=OFFSETS):
    profiles().lists(0, 2, 2, offsets, np.empty(3))


def compare(offsets=OFFSETS, index=INDEX, truth_offsets=OFFSETS, truth_index=INDEX):
    start, out = np.array([0, 1, 0], np.int32), (np.empty((2, 9)), np.zeros((1, 9)))
    defined = np.ones(2, np.uint8)
    _order.compare(truth_offsets, truth_index, start, offsets, index, start, defined, 0, 2, 1, N_CLASSES, 2, 1, 0.0, *out)


def ragged_rows(offsets=OFFSETS):
    _order.ragged_rows(offsets, INDEX, VALUE, N_CLASSES, 2, False, np.zeros(3, np.int64))


@pytest.mark.parametrize(
    ("concentration", "background", "found"),
    [([2.0, 1, 3], [0.0, 0], (1, 3)), ([2.0], [0.5, 0], (0.5, 2)), ([0.0], [], (0, 0)), ([], [0.0], (np.inf, 0)), ([1.0], [np.nan], None)],
)
def test_range_of_concentrations(concentration, background, found):
    range_ = _dirichlet.concentration_range(np.array(concentration), np.array(background))
    assert np.isnan(range_).all() if found is None else range_ == found


@pytest.mark.parametrize("function", [profiles, draws, top, overlaps, list_values, lists, compare, ragged_rows])
def test_rows(function):
    function()
    for offsets in FALLING:
        refused(r"UGT_ERR_RANGE|do not fit", function, offsets=np.array(offsets))
    for offsets in ([0, 2], [0, 2, 2], [1, 2, 3, 3]):
        refused(r"UGT_ERR_RANGE|do not fit|does not fit", function, offsets=np.array(offsets))


def test_rows_of_the_truth():
    for offsets in FALLING:
        refused(r"UGT_ERR_RANGE|do not fit", compare, truth_offsets=np.array(offsets))


@pytest.mark.parametrize("function", [profiles, draws, top, overlaps, list_values, compare])
def test_classes(function):
    for index in OUTSIDE:
        refused(r"UGT_ERR_RANGE|class index out of range", function, index=np.array(index, np.int32))


def test_classes_of_the_truth():
    for index in OUTSIDE:
        refused("UGT_ERR_RANGE", compare, truth_index=np.array(index, np.int32))


def test_roles_and_sizes():
    for more in ({"k": (0, 1)}, {"k": (1, 2)}, {"k": (1, 7)}, {"role": 3}, {"role": -1}):
        refused("UGT_ERR_RANGE", overlaps, **more)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, 1e-301, 1e301])
def test_concentrations(value):
    refused("UGT_ERR_VALUE", profiles, value=np.array([1.0, value, 1.0]))


@pytest.mark.parametrize("begin, end", [(-1, 2), (0, 3)])
def test_ranges(begin, end):
    known = profiles()
    calls = [
        lambda: known.ranks(begin, end, np.empty((known.n_groups(), 2))),
        lambda: known.certainty(begin, end, 2, np.empty(len(known))),
        lambda: known.list_sizes(begin, end, 2, 10, np.empty(len(known), np.int64)),
        lambda: _dirichlet.draws(
            OFFSETS, INDEX, VALUE, np.zeros(2), np.zeros(2, np.uint64), N_CLASSES, 0, begin, end, np.empty((2, 3, N_CLASSES))
        ),
    ]
    for call in calls:
        refused("range or output does not fit", call)


def test_outputs():
    known = profiles()
    for call in (
        lambda: known.ranks(0, 2, np.empty((1, 2))),
        lambda: known.ranks(0, 2, np.empty((known.n_groups(), 0))),
        lambda: known.certainty(0, 2, 2, np.empty(1)),
        lambda: known.certainty(0, 2, 0, np.empty(2)),
        lambda: known.first_groups(np.empty(3, np.int64)),
        lambda: known.memberships(np.empty((1, 2)), np.empty(len(INDEX)), np.empty(2)),
        lambda: known.memberships(np.empty((known.n_groups(), 0)), np.empty(len(INDEX)), np.empty(2)),
        lambda: known.memberships(np.empty((known.n_groups(), 2)), np.empty(1), np.empty(2)),
        lambda: known.memberships(np.empty((known.n_groups(), 2)), np.empty(len(INDEX)), np.empty(3)),
        lambda: _order.roles(OFFSETS, np.zeros(len(INDEX), np.int32), 3, 2, np.empty(1, np.int8), np.empty(2, np.int8)),
        lambda: _order.roles(OFFSETS, np.zeros(len(INDEX), np.int32), 3, 2, np.empty(len(INDEX), np.int8), np.empty(3, np.int8)),
        lambda: _order.dense_rows(np.ones((2, 3)), 4, False, np.zeros(3, np.int64)),
        lambda: _order.dense_rows(np.ones((2, 3)), 2, False, np.zeros(2, np.int64)),
        lambda: _order.dense_rows(np.ones((2, 3)), 2, False, np.array([0, 1, 2]), np.empty(1, np.int32), np.empty(2, np.int32)),
    ):
        refused("not fit", call)


def test_read_only_input_is_enough():
    frozen = [array.copy() for array in (OFFSETS, INDEX)]
    for array in frozen:
        array.flags.writeable = False
    for function in (draws, top, overlaps, list_values, compare):
        function(offsets=frozen[0], index=frozen[1])


@pytest.mark.parametrize("function", [_exact.exact_columns, _exact.exact_rows])
def test_tables_of_exact_sums(function):
    for x in (np.ones(3), np.ones((2, 2, 2)), np.ones((2, 2), np.float32), np.ones((4, 4)).T[:, :2], np.ones((2, 2), np.int64)):
        refused(r"wrong number of dimensions|dtype mismatch|not C-contiguous", function, x)


def test_keys_of_weights():
    for keys in (np.ones(3, np.int64), np.ones((2, 2), np.uint64), np.ones(6, np.uint64)[::2]):
        refused(r"wrong number of dimensions|dtype mismatch|not C-contiguous", _exact.poisson_weights, keys, 0, 0, 2)
    for seed, begin in ((-1, 0), (2**64, 0), (0, 2**63)):
        with pytest.raises(OverflowError):
            _exact.poisson_weights(np.ones(3, np.uint64), seed, begin, begin + 1)


# ---- panels of annotators: 2 rows with 3 and 2 different cells of labels under 4 panels; 3 kinds of cases, 2 units


def given(arrays, wrong):
    """The arrays with some of them replaced, in order; each is as the binding takes it."""
    return [np.array(wrong.get(name, array), dtype) for name, (array, dtype) in arrays.items()]


LABELS = {
    "offsets": ([0, 2, 3], np.int64),
    "annotator": ([0, 1, -1], np.int32),
    "key": ([[1, 0], [9, 0], [1, 0]], np.uint64),
    "times": ([[0, 1, 2, 1], [2, 1, 0, 1]], np.uint64),
}
VALUES = {
    "cell": ([[0, 1, 2, 1], [0, 0, 1, 1]], np.int32),
    "row": ([0, 1, 1], np.int64),
    "start": ([0, 3, 5, 7], np.int64),
    "above": (np.arange(7.0), np.float64),
    "below": (np.ones(7), np.float64),
    "offsets": ([0, 2, 3], np.int64),
    "kind": ([0, 2, 1], np.int64),
    "times": ([1.0, 2.0], np.float64),
}
SCORES = {
    "cell": ([[0, 1, 2, 1], [0, 0, 1, 1]], np.int32),
    "start": ([0, 3, 5], np.int64),
    "positive": ([0.1, 0.5, np.nan, 0.9, 1.0], np.float64),
    "row": ([1, 0, 1], np.int64),
    "unit": ([0, 0, 1], np.int64),
    "last": ([1, 0, 1], np.uint8),
}


def cells(begin=0, end=2, shape=(2, 4), n_cells=2, **wrong):
    outs = np.empty(shape, np.int32), np.empty(shape, np.int32), np.empty(shape, np.uint64)
    _panels.cells(*given(LABELS, wrong), begin, end, *outs, np.empty(n_cells, np.int64))
    return outs


def values(**wrong):
    return _panels.Values(*given(VALUES, wrong))


def scores(n_units=2, **wrong):
    return _panels.Scores(*given(SCORES, wrong), n_units)


def test_panels():
    assert cells()[0].tolist() == [[0, 1, 2, 1], [0, 0, 0, 0]]
    sums, out = np.empty((5, 4)), np.empty((4, 4))
    values().sums(sums)
    assert sums[0].tolist() == [5 + 2 * 3, 6 + 2 * 3, 8 + 2 * 4, 7 + 2 * 4]
    scores().areas(0, 4, out)
    np.testing.assert_allclose(out[0], [1.9, 2.3, 2.0, 2.5])


@pytest.mark.parametrize(
    "wrong",
    [
        *({"offsets": rows} for rows in (*FALLING, [0, 2, 4], [0], [])),
        *({"annotator": who} for who in ([0, 2, 0], [0, -2, 0], [2**31 - 1, 0, 0], [0, 1], [])),
        *({"key": key} for key in (np.ones((2, 2)), np.ones((3, 1)), np.ones((0, 2)))),
        *({"times": times} for times in (np.ones((1, 4)), np.ones((2, 3)), np.ones((2, 0)), np.ones((0, 4)))),
        *({"begin": a, "end": b} for a, b in ((-1, 1), (0, 3), (1, 1), (2, 1), (0, 1), (2, 2), (-(2**63), 2**63 - 1))),
        *({"shape": shape} for shape in ((1, 4), (2, 3), (2, 5), (0, 0))),
        {"n_cells": 1},
    ],
)
def test_cells_of_panels(wrong):
    refused(r"do not fit|out of range|UGT_ERR_RANGE", cells, **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"cell": cell} for cell in ([[0, 1, 3, 1], [0, 0, 1, 1]], [[0, 1, 2, 1], [0, 0, -1, 1]], np.empty((0, 4)), np.empty((2, 0)))),
        *({"row": row} for row in ([0, 1, 2], [-1, 1, 1], [0, 1], [])),
        *({"start": start} for start in ([0, 2, 5, 7], [0, 3, 5, 6], [0, 3, 5, 8], [1, 3, 5, 7], [0, 5, 3, 7], [0, 3, 7], [])),
        *({name: np.ones(n)} for name in ("above", "below") for n in (6, 8, 0)),
        *({"offsets": rows} for rows in (*FALLING, [0, 2, 4], [0, 3])),
        *({"kind": kind} for kind in ([0, 3, 1], [0, -1, 1], [0, 1], [])),
        *({"times": times} for times in ([1.0], [])),
    ],
)
def test_values_of_panels(wrong):
    refused(r"do not fit|out of range|UGT_ERR_RANGE", values, **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"cell": cell} for cell in ([[0, 1, 3, 1], [0, 0, 1, 1]], [[0, 1, 2, 1], [0, 0, -1, 1]], np.empty((0, 4)), np.empty((2, 0)))),
        *({"start": start} for start in ([0, 2, 5], [0, 3, 4], [0, 3, 6], [1, 3, 5], [0, 5, 3], [0, 5], [])),
        *({"positive": positive} for positive in (np.ones(4), np.ones(6), [])),
        *({"row": row} for row in ([1, 0, 2], [-1, 0, 1], [1, 0], [1, 0, 1, 0], [])),
        *({"unit": unit} for unit in ([0, 0, 2], [-1, 0, 1], [0, 0], [0, 0, 1, 1])),
        *({"last": last} for last in ([1, 0, 0], [1, 1], [1, 0, 1, 1])),
        *({"n_units": n} for n in (1, 0, -1)),
    ],
)
def test_scores_of_panels(wrong):
    refused(r"do not fit|out of range|UGT_ERR_RANGE", scores, **wrong)


def test_outputs_of_panels():
    of_values, one = values(), scores()
    others = scores(n_units=3), scores(cell=[[0, 1, 2], [0, 0, 1]]), scores(cell=[[0] * 4], start=[0, 5], row=[0, 0, 0])

    def influences(less=None, by=(1, 4, 4), p=4, begin=0, end=4, square=4, mean=2):
        one.influences(less, np.ones(by), np.ones(p), begin, end, np.empty(square), np.empty(mean))

    influences()
    influences(one, (2, 4, 4))
    for shape in ((4, 4), (5, 3), (5, 5), (6, 4)):
        refused("does not fit", of_values.sums, np.empty(shape))
    for sizes in ((3, 4, 2), (4, 3, 2), (4, 4, 1), (4, 4, 3), (5, 4, 2), (4, 5, 2)):
        refused("do not fit", of_values.means, *map(np.ones, sizes))
    for begin, end, shape in ((0, 4, (3, 4)), (0, 4, (4, 3)), (-1, 4, (4, 4)), (0, 5, (4, 4)), (2, 2, (4, 4)), (3, 2, (4, 4))):
        refused("do not fit", one.areas, begin, end, np.empty(shape))
        refused("do not fit", influences, begin=begin, end=end, by=(1, *shape))
    for less in others:
        refused("models do not fit together", influences, less, (2, 4, 4))
    for wrong in ({"by": (2, 4, 4)}, {"less": one}, {"by": (1, 4, 5)}, {"p": 3}, {"p": 5}, {"square": 3}, {"mean": 1}, {"mean": 3}):
        refused("do not fit", influences, **wrong)
    with pytest.raises(TypeError):
        influences(of_values)


# ---- two latent classes ----
def two_classes(n_rows=3, population=(0, 1, 0), n_nodes=2, nodes_of_own=2, n_extra=2, n_tests_of=2, mixture=True):
    """A model of two tests and two populations."""
    labels, own = np.ones((3, 2)), np.ones((2, nodes_of_own, 2))
    of = np.zeros((n_extra, n_tests_of))
    times, where = np.ones(n_rows), np.array(population, np.int32)
    return _latent.TwoClasses(labels, labels, times, where, 2, np.zeros(n_nodes), np.zeros(n_nodes), own, own, of, mixture, 0.01)


@pytest.mark.parametrize("changed", [{"n_rows": 2}, {"population": (0, 1)}, {"nodes_of_own": 3}, {"n_tests_of": 3}])
def test_rows_and_nodes_of_two_classes_that_do_not_fit(changed):
    refused("rows and nodes of two classes do not fit together", two_classes, **changed)


@pytest.mark.parametrize(
    "changed", [{"population": (0, 2, 0)}, {"population": (0, -1, 0)}, {"n_nodes": 3, "nodes_of_own": 3}, {"n_extra": 1}]
)
def test_populations_and_mixtures_out_of_range(changed):
    with pytest.raises(ValueError):
        two_classes(**changed)


def test_parameters_of_two_classes_that_do_not_fit():
    model, q = two_classes(), 8
    assert np.isfinite(model.value(np.zeros(q), np.empty(q)))
    for given in ((np.zeros(q + 1), np.empty(q)), (np.zeros(q), np.empty(q - 1))):
        refused("parameters or outputs do not fit", model.value, *given)
    for shapes in ((q, (3, 3), (2, 3, q)), (q, (3, 2), (2, 2, q)), (q - 1, (3, 2), (2, 3, q))):
        refused("parameters or outputs do not fit", model.joint, *map(np.zeros, shapes))
