"""Arrays that do not fit together never reach the C core: the bindings refuse them before anything is read or written."""

import numpy as np
import pytest
from refusals import refused

from ugt._core import _dirichlet, _exact, _order

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
