"""Every public function by which a row says what it stands for: many equal cases (frequency=), or a share of a population (case_weights=).

All numbers of the answers are compared, so that a function which gains the argument is tested without another line here. Intervals,
resamples and further options are in ``test_frequencies.py`` and ``test_case_weights.py``.
"""

import numpy as np
import pytest
from public_functions import FITTED, FUNCTIONS, OF_ROWS, both, floats, make_world, models, take, takes

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")
FREQUENCY, WEIGHTS = ([name for name in FUNCTIONS if takes(name, argument)] for argument in OF_ROWS)
frequencies, weightings = (pytest.mark.parametrize("name", names) for names in (FREQUENCY, WEIGHTS))
OF_DATA = (".axes.", ".counts.", ".n_unused")  # ids and counts of cases that an answer keeps, predictions that were given and not used
NEAR_0 = 1e-3  # a number below it may be a difference of larger ones, and has their rounding
OPTIONS = {"ua_within_accuracy": {"within": 0}}  # with a value below 1
OF_MODELS = {models: both}  # without the model that lacks one case, which may be one of several equal ones


def nameless(given):
    """Labels without the names of annotators: those of rows that stand for many are of many people."""
    if isinstance(given, ugt.Labels) and len(given.annotators):
        return ugt.Labels.from_counts(given.counts(), case_ids=given.axes.case_ids, classes=given.axes.classes)
    return given


def answer(name, world, **more):
    """All numbers of an answer by their paths, without those of the data that it keeps."""
    entry = FUNCTIONS[name]
    given = [OF_MODELS.get(one, one) for one in entry.given]
    own = (lambda one: one) if name.startswith("perspectivist") else nameless  # labels of annotators by name, those of all cases of a row
    given = [own(one(world)) if callable(one) else world[one] for one in given]
    found = floats(entry.function(*given, **{**entry.fixed, **OPTIONS.get(name, {}), **more}))
    return {path: one for path, one in found.items() if not any(part in path for part in OF_DATA)}


def problem(name, seed):
    n = max(40, FUNCTIONS[name].least)
    frequency = np.random.default_rng(seed).integers(0, 5, n)
    frequency[:2] = 0, 7
    return make_world(n, seed=seed), frequency


def same(name, found, expected, rows, only=()):
    """Compare numbers; arrays with one row per case are taken at ``rows``. The values that the table names must be among them."""
    tolerance, compared = 1e-6 if FITTED in FUNCTIONS[name].lacks.values() else 1e-12, []
    for path in [path for path in expected if not only or path in only]:
        left, right = found.get(path), expected[path]
        if left is not None and left.shape != right.shape and left.ndim and right.shape == (len(rows), *left.shape[1:]):
            left = left[rows]
        if left is not None and left.shape == right.shape:
            scale = np.abs(right[np.isfinite(right)]).max(initial=NEAR_0)
            np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance * scale, err_msg=f"{name}{path}")
            compared.append(path)
    assert compared and {f".{value}" for value in FUNCTIONS[name].values if value != "."} <= {*compared}, (name, compared)


@frequencies
def test_rows_repeated_against_frequencies(name):
    world, frequency = problem(name, 11)
    rows = np.repeat(np.arange(len(frequency)), frequency)
    same(name, answer(name, world, frequency=frequency), answer(name, take(world, rows)), rows)
    with pytest.raises(AssertionError):  # a function that ignored the argument
        same(name, answer(name, world), answer(name, take(world, rows)), rows)


def in_other_rows(name, argument, given, world):
    """The answer, and that for the rows in another order, with the rows to compare at."""
    order = np.random.default_rng(13).permutation(len(given))
    return answer(name, world, **{argument: given}), answer(name, take(world, order), **{argument: given[order]}), order


@frequencies
def test_the_order_of_rows_and_a_row_in_two_parts_change_nothing(name):
    world, frequency = problem(name, 12)
    found, turned, order = in_other_rows(name, "frequency", frequency, world)
    by_row = {path: one[order] if one.shape[:1] == order.shape else one for path, one in found.items()}
    same(name, by_row, turned, order)
    several = np.flatnonzero(frequency > 1)
    rows, half = np.append(np.arange(len(frequency)), several), np.where(frequency > 1, frequency // 2, 0)
    parts = answer(name, take(world, rows), frequency=np.append(frequency - half, half[several]))
    same(name, found, parts, rows)


@weightings
def test_only_the_ratios_of_weights_matter(name):
    world, _ = problem(name, 14)
    weights = np.random.default_rng(15).gamma(2.0, 1.0, len(world["s"]))
    found, turned, order = in_other_rows(name, "case_weights", weights, world)
    by_row = {path: one[order] if one.shape[:1] == order.shape else one for path, one in found.items()}
    same(name, by_row, turned, order)
    for constant in (1e-7, 3.0, 1e9):
        same(name, answer(name, world, case_weights=constant * weights), found, order)
    values = [f".{value}" for value in FUNCTIONS[name].values]
    plain = answer(name, world)
    same(name, answer(name, world, case_weights=np.full(len(weights), 7.0)), plain, order, values)
    with pytest.raises(AssertionError):  # a function that ignored the argument
        same(name, found, plain, order, values)
