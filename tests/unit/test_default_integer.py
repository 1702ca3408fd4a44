"""Where numpy's default integer has 32 bits, as on Windows before numpy 2, every public function gives the same numbers and types."""

import numpy as np
import pytest
from narrow import Namespace, Narrow, narrow
from public_functions import FUNCTIONS, make_world, numbers

WORLD = make_world()
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def expected():
    """The answers with 64 bits, all computed before numpy is replaced."""
    return {name: numbers(entry.call(WORLD)) for name, entry in FUNCTIONS.items()}


@pytest.fixture
def narrowed(expected, monkeypatch):
    narrow(monkeypatch.setattr)
    return expected


def test_what_is_narrow():
    np32 = Namespace(np)
    wide = np.arange(3, dtype=np.int64)
    mask = np32.asarray(wide) > 1
    assert isinstance(mask, Narrow)
    for one in (
        np32.array([0, 1]),
        np32.arange(3),
        np32.cumsum([True]),
        mask.sum(axis=0),
        np32.where(mask, 1, 0),
        mask * 2,
        wide.view(Narrow).astype(int),
    ):
        assert one.dtype == np.int32
    for one in (np32.array([0, 1], np.int64), np32.append(wide, 0), np32.argsort([2, 1]), mask.sum(dtype=np.int64), wide.view(Narrow) * 2):
        assert one.dtype == np.int64


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function(narrowed, name):
    assert numbers(FUNCTIONS[name].call(WORLD)) == narrowed[name]
