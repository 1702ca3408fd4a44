"""Files and arrays of a machine with the other byte order, such as s390x, hold the same data and give the same numbers."""

import numpy as np
import pytest
from public_functions import FUNCTIONS, labels, make_world, numbers, rankings, ratings

import ugt
from ugt import io

WORLD = make_world()
pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("ignore::RuntimeWarning")]


def other_order(array):
    """The same numbers or text, with the bytes of each in the other order."""
    array = np.asarray(array)
    return array if array.dtype.hasobject else array.astype(array.dtype.newbyteorder("S"))


KINDS = {"labels": labels, "rankings": rankings, "ratings": ratings}


def swapped(path):
    """The NPZ file again, as a machine with the other byte order writes it."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: other_order(stored[name]) for name in stored.files}
    assert not all(array.dtype.isnative for array in arrays.values())
    again = path.with_name("other.npz")
    np.savez(again, **arrays)
    return again


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_annotations(kind, tmp_path):
    io.write_annotations(tmp_path / "a.npz", KINDS[kind](WORLD))
    one, other = (io.read_annotations(path).annotations for path in (tmp_path / "a.npz", swapped(tmp_path / "a.npz")))
    assert numbers(one) == numbers(other) and type(one) is type(other)


def test_files_of_predictions(tmp_path):
    np.savez(tmp_path / "p.npz", scores=other_order(WORLD["probs"]), case_ids=other_order(WORLD["case_ids"]))
    np.save(tmp_path / "p.npy", other_order(WORLD["probs"]))
    for name in ("p.npz", "p.npy"):
        read = io.read_predictions(tmp_path / name)
        np.testing.assert_array_equal(read.scores, WORLD["probs"])
        assert read.scores.dtype.isnative


def test_masks():
    native = np.random.default_rng(0).random((5, 2, 70)) < 0.5
    for kind in (np.int32, np.uint16, np.float64):
        made = [ugt.Masks.from_wide(table) for table in (native.astype(kind), other_order(native.astype(kind)))]
        assert numbers(made[0]) == numbers(made[1])
    held = ugt.Masks.from_wide(native)
    words = other_order(held.words).reshape(5, 2, -1)  # as a machine with the other order stores them
    assert [[held.unpacked(one, i).tolist() for one in words[i]] for i in range(5)] == native.tolist()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function(name):
    """Of arrays in the other byte order."""
    assert numbers(FUNCTIONS[name].call({key: other_order(value) for key, value in WORLD.items()})) == numbers(FUNCTIONS[name].call(WORLD))
