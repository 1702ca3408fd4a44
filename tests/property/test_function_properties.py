"""Properties of every public function, from one table: what must not change an answer, and what every function says to bad input."""

import inspect
import re
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from layouts import layouts
from public_functions import (
    DRAWN,
    FUNCTIONS,
    OTHERS,
    Entry,
    both,
    draws,
    labels,
    make_world,
    nested,
    numbers,
    part,
    posterior,
    rankings,
    relabel,
    repeated,
    take,
)
from surface import every, public

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")
functions = pytest.mark.parametrize("name", FUNCTIONS)
few = examples(4)
SENTENCE = re.compile(r"^(model '.*': )?\w[^\n]* must [^\n]*\. ?Got [^\n]*\.?[^\n]*$")


def having(prop):
    return pytest.mark.parametrize("name", [name for name, entry in FUNCTIONS.items() if prop not in entry.lacks])


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), rtol=1e-9, atol=1e-9)


def test_the_table_has_every_public_function():
    called = {name for name, one in every().items() if inspect.isfunction(one)}
    assert called - set(OTHERS) == {name for name in FUNCTIONS if inspect.isfunction(public(name))}
    assert not set(FUNCTIONS) & set(OTHERS)
    assert all(reason for entry in FUNCTIONS.values() for reason in entry.lacks.values())
    assert all(set(entry.lacks) <= {"order", "duplication", "relabelling"} for entry in FUNCTIONS.values())


# ---- what must not change an answer --------------------------------------------------------------------
@pytest.mark.slow
@having("order")
@given(st.integers(0, 2**32), st.randoms())
@few
def test_order_of_cases(name, seed, random):
    entry, world = FUNCTIONS[name], make_world(seed=seed)
    rows = np.array(random.sample(range(12), 12))
    found, turned = entry.call(world), entry.call(take(world, rows))
    for value in entry.values:
        close(part(turned, value), part(found, value))
    for value in entry.per_case:
        np.testing.assert_array_equal(part(turned, value), np.asarray(part(found, value))[rows])


@pytest.mark.slow
@having("duplication")
@given(st.integers(0, 2**32))
@few
def test_duplicated_cases(name, seed):
    entry, world = FUNCTIONS[name], make_world(seed=seed)
    found, twice = entry.call(world), entry.call(take(world, np.tile(np.arange(12), 2)))
    for value in entry.values:
        close(part(twice, value), part(found, value))
    for value in entry.per_case:
        close(part(twice, value), np.concatenate([part(found, value)] * 2))


@pytest.mark.slow
@having("relabelling")
@given(st.integers(0, 2**32), st.permutations(range(3)))
@few
def test_order_of_classes(name, seed, order):
    entry, world = FUNCTIONS[name], make_world(seed=seed)
    found, turned = entry.call(world), entry.call(relabel(world, np.array(order)))
    for value in (*entry.values, *entry.per_case):
        expected = np.asarray(part(found, value))
        close(part(turned, value), expected[:, order] if value == "mean()" else expected)


#: arrays of annotators, and what makes these somebody in particular
OF_ANNOTATORS = {"wide", "ratings", "ranked"}
NAMED = ("groups", "held_out")
FOR_EACH = (
    "annotator_discrepancy",
    "annotator_roc_points",
    "annotator_strictness",
    "pairwise_agreement",
    "plackett_luce_log_likelihood",
)  # which answer for each of them
BY_ANNOTATORS = [
    name
    for name, entry in FUNCTIONS.items()
    if OF_ANNOTATORS & {*entry.arrays} and not {repeated, nested, draws} & {*entry.given} and not {*NAMED} & entry.fixed.keys()
]
BY_ANNOTATORS = [name for name in BY_ANNOTATORS if DRAWN not in FUNCTIONS[name].lacks.values()]


def among(world, order):
    """The same problem with the annotators in another order."""
    return {**world, **{name: world[name][:, [a for a in order if a < world[name].shape[1]]] for name in OF_ANNOTATORS}}


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_ANNOTATORS)
@given(st.integers(0, 2**32), st.permutations(range(4)))
@few
def test_order_of_annotators(name, seed, order):
    entry, world = FUNCTIONS[name], make_world(seed=seed)
    who = {"annotators": [order.index(0), order.index(1)]} if "annotators" in entry.fixed else {}
    found, turned = entry.call(world), entry.call(among(world, order), **who)
    for value in (*entry.values, *entry.per_case):
        answers = (np.asarray(part(one, value)) for one in (turned, found))
        close(*(np.sort(one, axis=None) if name in FOR_EACH else one for one in answers))


@pytest.mark.full
@pytest.mark.slow
@given(st.integers(0, 2**32), st.permutations(range(12)), st.permutations(range(4)), st.permutations(range(3)))
@few
def test_orders_in_an_evaluation(seed, rows, annotators, order):
    world = make_world(seed=seed)
    turned = relabel(among(take(world, np.array(rows)), annotators), np.array(order))
    for how in ({"aggregation": "dirichlet", "reliability": [0.5, 2]}, {"aggregation": "irn"}, {"aggregation": "votes"}):
        found, other = (evaluated(labels(one), both(one), **how) for one in (world, turned))
        close(other, found)


#: draws of the truth: many equal shares of labels and of rankings, and equal numbers
SAMPLED = {
    "committees of labels": lambda world: ugt.truth.committee(labels(world), 4, n_draws=30),
    "committees of rankings": lambda world: ugt.truth.committee(rankings(world), 2, n_draws=30),
    "rows of a table": lambda world: ugt.Draws.from_array(np.stack([world["counts"], world["counts"] + 1, 2 * world["counts"] + 1], 1)),
}


def evaluated(truth, models, **more):
    return [row["value"] for row in ugt.evaluate(truth, models, k=(1, 2), details=False, n_resamples=2, **more).metrics]


OF_DRAWS = {
    name: entry
    for name, entry in FUNCTIONS.items()
    if posterior in entry.given and "relabelling" not in entry.lacks and name != "expected_certainty"
}
OF_DRAWS["evaluate"] = Entry(evaluated, (posterior, both), {}, (".",))


@pytest.mark.slow
@pytest.mark.parametrize("made", SAMPLED.values(), ids=SAMPLED)
@pytest.mark.parametrize("name", OF_DRAWS)
@given(st.integers(0, 2**32), st.permutations(range(3)))
@few
def test_order_of_classes_in_draws(name, made, seed, order):
    entry = OF_DRAWS[name]
    drawn = replace(entry, given=tuple(made if one is posterior else one for one in entry.given))
    world = make_world(seed=seed)
    found, turned = drawn.call(world), drawn.call(relabel(world, np.array(order)))
    for value in (*entry.values, *entry.per_case, *(("draw_std",) if hasattr(found, "draw_std") else ())):
        close(part(turned, value), part(found, value))


KINDS = ("i1", "i2", ">i2", "i4", "i8", ">i8", "u1", "u2", "u4", "u8", "f2", "f4", ">f4", "f8", "g")
SAME_KIND = ("sets", "class")  # truth values; numbers of classes, which are no floats


@functions
def test_layouts_and_types(name, tmp_path):
    entry, world = FUNCTIONS[name], make_world()
    expected = numbers(entry.call(world))
    assert expected
    others = defaultdict(dict)  # all arrays in one layout or type at a time
    for array in entry.arrays:
        kinds = [kind for kind in KINDS if array not in SAME_KIND or np.dtype(kind).kind != "f"]
        (tmp_path / array).mkdir()
        for kind, other in layouts(world[array], tmp_path / array, kinds).items():
            others[kind][array] = other
    others.pop("list", None)
    for kind, arrays in others.items():
        assert numbers(entry.call({**world, **arrays})) == expected, f"{kind}: {', '.join(arrays)}"


@functions
def test_nothing_is_written_to(name):
    world = make_world()
    before = {array: values.copy() for array, values in world.items()}
    for values in world.values():
        values.flags.writeable = False
    first = numbers(FUNCTIONS[name].call(world))
    assert numbers(FUNCTIONS[name].call(world)) == first
    for array, values in world.items():
        np.testing.assert_array_equal(values, before[array])


# ---- the ends of the range -----------------------------------------------------------------------------
def answered_or_refused(entry, world, **more):
    """The answer; or None where the function says what is wrong in the form that all messages have."""
    try:
        return entry.call(world, **more)
    except (ValueError, TypeError) as problem:
        assert SENTENCE.match(str(problem)), f"{type(problem).__name__}: {problem}"
        return None


@functions
@pytest.mark.parametrize("n, k", [(0, 3), (1, 3), (1, 1), (12, 1), (2, 2)])
def test_few_cases_and_classes(name, n, k):
    answered_or_refused(FUNCTIONS[name], make_world(n, k))


@functions
def test_annotators_and_cases_without_labels(name):
    """An annotator who said nothing, a case about which nobody did, and no annotation at all."""
    entry, world = FUNCTIONS[name], make_world()
    nobody = {**world, "wide": np.where(np.arange(4) == 1, -1, world["wide"])}
    nobody["ratings"] = np.where(np.arange(4) == 1, np.nan, world["ratings"])
    lonely = {**world, "wide": world["wide"].copy(), "counts": world["counts"].copy(), "ratings": world["ratings"].copy()}
    lonely["wide"][3], lonely["counts"][3], lonely["ratings"][3] = -1, 0, np.nan
    empty = {**world, "wide": np.full((12, 4), -1), "counts": np.zeros((12, 3), int), "ratings": np.full((12, 4), np.nan)}
    for changed in (nobody, lonely, empty):
        found = answered_or_refused(entry, changed)
        if found is not None and changed is lonely:
            for value in entry.per_case:
                assert len(part(found, value)) == 12


MISSING_IS_NAN = ("ratings", "p")  # NaN: no rating, no label; bootstrap leaves out a contribution of NaN
ORDERED = ("scores", "s")  # only their order counts, and infinities have one
FLOATS = ("scores", "other", "probs", "table", "ratings", "rated", "p", "s", "shares")


@functions
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1e300, 1e300])
def test_bad_numbers_in_every_array(name, bad):
    entry = FUNCTIONS[name]
    world = make_world(entry.least)
    for array in set(entry.arrays) & {*FLOATS, "counts", "wide", "risk", "class"}:
        values = world[array].astype(float)
        values[(1,) * values.ndim] = bad
        found = answered_or_refused(entry, {**world, array: values})
        if found is None:
            continue
        if array not in ("wide", "class"):  # cells that labels are made of: the table's own functions have a rule for them
            assert array in MISSING_IS_NAN or not np.isnan(bad) or name == "bootstrap", array
            assert array in ORDERED or not np.isinf(bad), array
        if np.isnan(bad):
            continue
        for value in entry.values:  # an infinity that is allowed does not become a NaN for all
            assert not np.isnan(np.asarray(part(found, value), float)).all(), (
                array,
                bad,
            )


WRONG = {
    float: (np.nan, np.inf, -np.inf, "x", None, [0.1], 10**400),
    int: (1.5, np.nan, -1, "3", None, [1], 10**400),
    str: ("no such word", None, 3, ["x"]),
    bool: ("no", None, 1.5, np.array([])),
}
#: keywords that take more than their default says
MORE = {
    "weights": "None is the identity",
    "stacklevel": "as in warnings.warn, which checks it when it warns",
    "axis": "-1 is the last one",
    "checkpoint": "a path: Python's own message",
    "choose_on": "given by the table",
    "group_names": "anything, without groups",
    "n_classes": "handed on as the argument classes",
}


NUMBERS = [("evaluate", "prior", 3)]  # taken, although the default is a word


def says(entry, world, keyword, wrong):
    """What is wrong with the answer to a bad keyword, if anything."""
    try:
        entry.call(world, **{keyword: wrong})
    except (ValueError, TypeError) as problem:
        return None if re.match(rf"(judge on model: )?({keyword}|cases) must .*Got", str(problem)) else f"{keyword}={wrong!r}: {problem}"
    return f"{keyword}={wrong!r} is taken"


@functions
def test_bad_keywords(name):
    entry, world, said = FUNCTIONS[name], make_world(), []
    for keyword, parameter in inspect.signature(public(name)).parameters.items():
        if keyword in MORE:
            continue
        for wrong in WRONG.get(type(parameter.default), ()):
            if not (wrong is None and "None" in str(parameter.annotation)) and (name, keyword, wrong) not in NUMBERS:
                said.append(says(entry, world, keyword, wrong))
        if parameter.default is None and parameter.kind is parameter.KEYWORD_ONLY:
            said.append(says(entry, world, keyword, object()))
    assert [one for one in said if one] == []
