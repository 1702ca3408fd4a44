"""Agreement coefficients of cases in parts: the numbers of all cases in one place, resamples too, however they are cut and merged."""

import dataclasses
import math

import numpy as np
import pytest
from refusals import refused
from surface import public
from twins.parted import WHO, Data, N, cut, merged, no_part, one_part

import ugt
from ugt import states
from ugt._base.axes import stream_keys_of
from ugt._core import _exact
from ugt.agreement.coefficients import DECLARED

pytestmark = pytest.mark.filterwarnings("ignore:undefined")  # of all parts together, as a reason too

TABLE = [[1, 0.5, 0.1, 0], [0.5, 1, 0.4, 0.2], [0.1, 0.4, 1, 0.9], [0, 0.2, 0.9, 1]]
VALUES = [3.0, -2.0, 40.0, 3.5]
POSITIVE = [3.0, 0.0, 40.0, 3.5]
LABELS = [
    *(
        (name, {**({"annotators": ["bob", "eve"]} if one.two else {}), **({} if weights is None else {"weights": weights})})
        for name, one in DECLARED.items()
        for weights in (None, "linear", "quadratic", "ordinal", TABLE)
        if weights is None or one.weighted is not False
    ),
    ("gwet_ac2", {"weights": None}),
    ("krippendorff_alpha", {}),
    *(("krippendorff_alpha", {"level": "ordinal", "values": values}) for values in (None, VALUES)),
    ("krippendorff_alpha", {"level": "interval", "values": VALUES}),
    ("krippendorff_alpha", {"level": "ratio", "values": POSITIVE}),
]
RATINGS = [
    *(("krippendorff_alpha", {"level": "interval", "center": center}) for center in (None, 99.0, -3)),
    *(("intraclass_correlation", {"kind": kind, "center": 100.5}) for kind in ("1", "A,1", "C,1", "1k", "A,k", "C,k")),
]


LINEAR = ("percent_agreement", "brennan_prediger")  # ratios of sums, whose standard errors need no resamples


def in_parts(metric, options, data, seed, ratings=False):
    several = metric in DECLARED and DECLARED[metric].several  # who labelled nothing in a part is one of the annotators there too
    options = {**options, **({"annotators": WHO} if several else {})}
    made = [states.partial(metric, data.labels(part, ratings), **options) for part in cut(data, seed)]
    return states.finish(merged(np.random.default_rng(seed), made))


def check(found, expected):
    np.testing.assert_allclose(found.value, expected.value, rtol=0, atol=1e-12)
    assert (found.n_cases, dict(found.left_out), found.reason) == (expected.n_cases, dict(expected.left_out), expected.reason)
    for name in ("observed", "expected", "prevalence", "per_class"):
        if name in found.numbers:
            np.testing.assert_allclose(found.numbers[name], getattr(expected, name), rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("metric", "options"), LABELS)
def test_labels_in_parts_are_all_labels(metric, options, seed):
    data = Data(seed)
    expected, found = public(metric)(data.labels(range(N)), **options), in_parts(metric, options, data, seed)
    assert math.isfinite(expected.value)
    check(found, expected)
    assert {"observed", "expected", "prevalence", "per_class"} == set(found.numbers)
    np.testing.assert_allclose(found.std_error, expected.std_error if metric in LINEAR else math.nan, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("metric", "options"), RATINGS)
def test_ratings_in_parts_are_all_ratings(metric, options, seed):
    data = Data(seed)
    data.values = [100 + value for value in data.values]
    own = {name: one for name, one in options.items() if name != "center"}
    expected = public(metric)(data.labels(range(N), ratings=True), **own)
    assert math.isfinite(expected.value)
    # who rated nothing in a part is one of the annotators there too
    named = {"annotators": WHO} if options.get("kind", "1")[0] != "1" else {}
    found, near = in_parts(metric, {**options, **named}, data, seed, ratings=True), options["center"] in (99.0, 100.5)
    np.testing.assert_allclose(found.value, expected.value, rtol=0, atol=1e-12 if near else 1e-10)
    check(found, expected) if near else None
    if metric == "intraclass_correlation":  # for other cases and other annotators
        np.testing.assert_allclose(found.interval(0.9, kind="analytic"), expected.interval(0.9, kind="analytic"), rtol=1e-9)
        one = dataclasses.replace(found, units="clusters")
        refused("clusters must be None for analytic intervals of intraclass", one.interval, kind="analytic")
    if metric == "krippendorff_alpha":
        seen, chance = (found.numbers[f"{name} disagreement"] for name in ("observed", "expected"))
        assert seen / chance == pytest.approx((1 - expected.observed) / (1 - expected.expected), rel=1e-9)


def test_ratings_in_tables_and_far_from_the_center():
    table = np.random.default_rng(0).integers(0, 5, (30, 3)).astype(float)
    table[3, 1], table[5:9, 0] = 2.5, np.nan
    for metric, options in (("krippendorff_alpha", {"level": "interval"}), ("intraclass_correlation", {"kind": "C,k"})):
        made = states.merge([states.partial(metric, part, **options) for part in (table[:3], table[3:4], table[4:])])
        check(states.finish(made), public(metric)(table, **options))
    table = -1e9 + np.random.default_rng(1).normal(size=(20, 3))
    for metric, options in (("krippendorff_alpha", {"level": "interval"}), ("intraclass_correlation", {"kind": "1"})):
        far, near = (one_part(metric, table, center=center, **options) for center in (0, -1e9))
        assert math.isnan(far.value) and "give a center near them" in far.reason
        assert near.value == pytest.approx(public(metric)(table, **options).value, abs=1e-12)


def twin(metric, table, options, weights):
    """The function on cases that are there as often as they count; undefined without variation."""
    found = public(metric)(np.repeat(table, weights.astype(int), axis=0), **options)
    return found.value if found.reason is None else math.nan


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("fleiss_kappa", {"weights": "linear", "classes": 3}),
        ("scott_pi", {"classes": 3, "annotators": [2, 0]}),
        ("krippendorff_alpha", {"level": "nominal", "classes": 3}),
        ("krippendorff_alpha", {"level": "ordinal", "classes": 3}),
        ("krippendorff_alpha", {"level": "interval", "classes": 3, "values": [0, 1, 5]}),
        ("krippendorff_alpha", {"level": "interval"}),
        ("intraclass_correlation", {"kind": "A,1"}),
        ("intraclass_correlation", {"kind": "1"}),
    ],
)
def test_resamples_are_those_of_all_cases_and_of_the_twin(metric, options):
    rng = np.random.default_rng(4)
    table = rng.integers(0, 3, (25, 3)).astype(float)
    table[rng.random(table.shape) < 0.15] = np.nan
    table += 0 if "classes" in options else 0.5  # else a bare table must have fractions
    ids = np.array([f"p{i}" for i in range(25)])
    parts, design = np.split(rng.permutation(25), [1, 9]), {"n_resamples": 20, "seed": 3}
    whole = one_part(metric, table, case_ids=ids, **options, **design)
    merged = states.finish(states.merge([states.partial(metric, table[part], case_ids=ids[part], **options, **design) for part in parts]))
    np.testing.assert_allclose(merged.resampled, whole.resampled, rtol=0, atol=1e-12)
    slow = [twin(metric, table, options, w) for w in _exact.poisson_weights(stream_keys_of(ids), 3, 0, 20)]
    np.testing.assert_allclose(merged.resampled, slow, rtol=0, atol=1e-12)
    assert len(np.unique(slow)) > 15


@pytest.mark.parametrize("metric", ["percent_agreement", "cohen_kappa", "scott_pi", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha"])
@pytest.mark.parametrize("table", [[[1, 1], [1, 1]], [[1, None], [None, 0]], [[None, None], [None, None]]])
def test_conventions_are_those_of_the_functions(metric, table):
    for options in ({"classes": 2}, {"classes": 2, "level": "ordinal"})[: 1 + (metric == "krippendorff_alpha")]:
        found = states.finish(states.merge([states.partial(metric, [row], **options) for row in table]))
        check(found, public(metric)(table, **options))


@pytest.mark.parametrize("table", [[[0.1, 0.1], [0.1, 0.1]], [[0.1, math.nan]] * 2, [[0.1, 0.2], [0.2, 0.1], [0.15, 0.15]]])
def test_conventions_of_ratings(table):
    correlations = [("intraclass_correlation", {"kind": kind}) for kind in ("1", "C,1")]
    for metric, options in [("krippendorff_alpha", {"level": "interval"}), *correlations]:
        found = states.finish(states.merge([states.partial(metric, [row], **options) for row in table]))
        named = {"annotators": 2} if options.get("kind") == "C,1" else {}
        if not named or not np.isnan(table).any():  # who rates nothing at all is there in parts
            check(found, public(metric)(table, **options))


def test_the_two_annotators_may_come_in_any_order_and_one_may_be_missing():
    def data(*rows):
        return ugt.Labels.from_long(*zip(*rows), classes=["x", "y"])

    one, two = data((1, "ann", "x"), (1, "bob", "y"), (2, "ann", "y"), (2, "bob", "y")), data((3, "bob", "x"), (3, "ann", "x"))
    every = data((1, "ann", "x"), (1, "bob", "y"), (2, "ann", "y"), (2, "bob", "y"), (3, "bob", "x"), (3, "ann", "x"))
    check(states.finish(states.merge([states.partial("cohen_kappa", part) for part in (one, two)])), ugt.cohen_kappa(every))
    lone = states.partial("cohen_kappa", data((4, "bob", "x")), annotators=["ann", "bob"])
    assert (lone.n_cases, lone.left_out) == (0, {"case that only one of the two annotators labelled": 1})
    assert states.finish(states.merge([lone, states.partial("cohen_kappa", two)])).n_cases == 1


def test_small_classes_unknown_options_and_other_classes_are_refused():
    table = [[0, 0], [0, 0], [0, 1]]
    states.partial("fleiss_kappa", table, classes=2, min_cases=1)
    no_part("groups of fewer, the smallest of 1", "fleiss_kappa", table, classes=2, min_cases=2)
    no_part("gwet_ac1 in parts knows no option 'weights'", "gwet_ac1", [[0, 1]], classes=2, weights="linear", error=TypeError)
    no_part(r"takes labels before its options\. Got 2 positional arguments", "gwet_ac1", [[0, 1]], "linear", classes=2, error=TypeError)
    parts = [states.partial("fleiss_kappa", [[0, 1]], classes=k) for k in (2, 3)]
    refused(r"states must be made with the same classes, \[0, 1\]. Got \[0, 1, 2\]", states.merge, parts)


NOBODY = ugt.Labels.from_long([], [], [], classes=4, cases=["p1"])


@pytest.mark.parametrize(
    ("metric", "data", "options", "message"),
    [
        ("fleiss_kappa", [[0, 1]], {}, "classes must be given for a table in parts"),
        ("krippendorff_alpha", [[0, 1]], {"level": "ordinal"}, "classes must be given for a table in parts"),
        ("krippendorff_alpha", ugt.Ratings.from_wide([[0.5, 1]]), {"level": "ratio"}, "level must be 'interval' for ratings in parts"),
        ("krippendorff_alpha", [[0, 1]], {"classes": 2, "center": 1}, "center must be given for ratings only"),
        ("krippendorff_alpha", [[0, 1]], {"level": "interval", "center": math.inf}, "center must be a finite number"),
        ("krippendorff_alpha", [[0, 1]], {"classes": 3, "level": "interval", "values": [0, 1e-200, 1]}, "at least 1e-150"),
        ("krippendorff_alpha", [[0, 1]], {"classes": 3, "level": "interval", "values": [-1e308, 0, 1e308]}, "differ by less than 1e308"),
        ("krippendorff_alpha", [[0, 1]], {"classes": 1001, "level": "ordinal"}, "at most 1000"),
        ("krippendorff_alpha", [[0, 1]], {"classes": 2, "level": "ordinal", "values": [1, 1]}, "values must differ"),
        ("krippendorff_alpha", [[0, 1]], {"level": "interval", "values": [1, 2]}, "be left out for ratings"),
        ("cohen_kappa", NOBODY, {}, "annotators must be given for a part without labels"),
        ("cohen_kappa", ugt.Labels.from_counts([[1, 1]]), {"annotators": ["a", "b"]}, "labels must name their annotators. Got counts"),
        ("cohen_kappa", [[0, 1, 1]], {"classes": 2}, "annotators must name two"),
        ("cohen_kappa", [[0, 1, 1]], {"classes": 2, "annotators": ["0", "1"]}, "annotators must be among"),
        ("cohen_kappa", ugt.Labels.from_long([0, 0], ["a", "b"], [0, 1]), {"annotators": [0, 1]}, "annotators must be among"),
        ("intraclass_correlation", [[0, 1, 1]], {"annotators": [0, 1]}, "none with the name 2"),
        ("intraclass_correlation", [[0, 1e200]], {"kind": "1"}, "have finite squares about center"),
        ("intraclass_correlation", [[0, 1]], {"center": np.inf}, "center must be a finite number"),
        ("fleiss_kappa", [[0, 1]], {"classes": 2, "weights": "cubic"}, "weights must be"),
    ],
)
def test_errors(metric, data, options, message):
    no_part(message, metric, data, **options)
