"""What public functions take and return can be pickled and copied."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from public_functions import FUNCTIONS, make_world, numbers

import ugt

WORLD = make_world(12, 3, seed=1)
INPUTS = dict.fromkeys(one for entry in FUNCTIONS.values() for one in entry.given if callable(one))
CALLS = {**{one.__name__: lambda one=one: one(WORLD) for one in INPUTS}, **{n: lambda e=e: e.call(WORLD) for n, e in FUNCTIONS.items()}}


def told(record):
    """The numbers of a record; the keys of random streams are computed when they are first needed."""
    return {key: value for key, value in numbers(record).items() if not key.endswith(".stream_keys")}


@pytest.mark.parametrize("name", CALLS)
def test_records_can_be_pickled_and_copied(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record = CALLS[name]()
    copies = pickle.loads(pickle.dumps(record)), copy.deepcopy(record), copy.copy(record)
    expected = told(record)  # after copying, since it computes what is computed when asked
    assert all(type(copied) is type(record) and told(copied) == expected for copied in copies)


def test_copies_of_a_graded_response_draw_what_it_draws():
    labels = ugt.Labels.from_wide(np.random.default_rng(0).integers(0, 3, (30, 4)), classes=3, ordered=[0, 1, 2])
    found = ugt.annotators.graded_response(labels)
    expected = found.draws(10, seed=1).mean()
    for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert copied.draws(10, seed=1).mean().tobytes() == expected.tobytes()
