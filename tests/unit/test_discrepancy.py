"""The discrepancy ratio and its tables against pairs enumerated one by one, and what undefined or wrong input gives."""

import math

import numpy as np
import pytest
from refusals import labels_of_rows, refused, warned
from twins import discrepancy as twin

import ugt
from ugt import resampling
from ugt.humans import alternative_annotator as _alternative_annotator
from ugt.humans.alternatives import Averages
from ugt.humans.input import compare
from ugt.resampling import Design
from ugt.resampling.studentized import LogRatio

N_CLASSES = 3
COST = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.5], [5.0, 1.5, 0.0]])
NUMERIC = {"squared": twin.squared, "absolute": lambda a, b: abs(a - b), ("threshold", 0.75): twin.threshold(0.75)}
CLASSES = {"zero-one": twin.zero_one, "squared": twin.squared, "absolute": lambda a, b: abs(a - b)}


def nested_labels(seed, n_cases=14, n_annotators=4, numbers=False, most=3):
    """``labels[case][annotator]``, lists of up to ``most`` labels, many of them empty."""
    rng = np.random.default_rng(seed)

    def one():
        size = rng.choice([0, *range(1, most + 1)], p=[0.3, *[0.7 / most] * most])
        return np.round(rng.normal(size=size), 2).tolist() if numbers else rng.integers(0, N_CLASSES, size).tolist()

    return [[one() for _ in range(n_annotators)] for _ in range(n_cases)]


def long(nested):
    """Columns of a long table, sorted by annotator: annotators are numbered as they appear."""
    return list(zip(*[(i, j, label) for j in range(len(nested[0])) for i, case in enumerate(nested) for label in case[j]]))


def labels_of(nested):
    return labels_of_rows(*long(nested), classes=N_CLASSES, cases=range(len(nested)))


def ratings_of(nested):
    return ugt.Ratings.from_long(*long(nested), cases=range(len(nested)))


def agrees(found, expected):
    assert (found.alpha, found.mu, found.value) == pytest.approx(
        (expected["alpha"], expected["mu"], expected["ratio"]), rel=1e-12, abs=1e-13, nan_ok=True
    )
    assert found.n_cases == expected["n"]
    np.testing.assert_allclose(found.alpha_per_case, expected["alpha_i"], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found.mu_per_case, expected["mu_i"], rtol=1e-12, atol=1e-13)


# ---- the ratio ----
@pytest.mark.parametrize("distance", list(CLASSES))
@pytest.mark.parametrize("seed", range(3))
def test_ratio_of_labels(distance, seed):
    nested = nested_labels(seed)
    model = np.random.default_rng(seed + 100).integers(0, N_CLASSES, len(nested))
    agrees(ugt.discrepancy_ratio(labels_of(nested), model, distance=distance), twin.discrepancy(model.tolist(), nested, CLASSES[distance]))


@pytest.mark.parametrize("distance", list(NUMERIC))
@pytest.mark.parametrize("seed", range(3))
def test_ratio_of_ratings(distance, seed):
    nested = nested_labels(seed, numbers=True)
    model = np.random.default_rng(seed + 100).normal(size=len(nested))
    agrees(ugt.discrepancy_ratio(ratings_of(nested), model, distance=distance), twin.discrepancy(model.tolist(), nested, NUMERIC[distance]))


@pytest.mark.parametrize("distance", ["zero-one", "squared", "absolute", "cost"])
def test_ratio_of_probabilities(distance):
    """Expected distances."""
    nested = nested_labels(5)
    p = np.random.default_rng(1).dirichlet([1, 1, 1], len(nested))
    delta = (lambda a, b: COST[a, b]) if distance == "cost" else CLASSES[distance]
    expected = twin.discrepancy(p.tolist(), nested, delta, twin.expected(delta, range(N_CLASSES)))
    agrees(ugt.discrepancy_ratio(labels_of(nested), p, distance=COST if distance == "cost" else distance), expected)


def test_ratio_of_costs():
    nested = nested_labels(6)
    model = [i % N_CLASSES for i in range(len(nested))]
    agrees(ugt.discrepancy_ratio(labels_of(nested), model, distance=COST), twin.discrepancy(model, nested, lambda a, b: COST[a, b]))


def test_values_turn_classes_into_numbers():
    nested, values = nested_labels(7), np.array([0.0, 1.0, 10.0])
    as_numbers = [[[values[label] for label in one] for one in case] for case in nested]
    model = [i % N_CLASSES for i in range(len(nested))]
    expected = twin.discrepancy([values[m] for m in model], as_numbers, twin.squared)
    agrees(ugt.discrepancy_ratio(labels_of(nested), model, values=values), expected)
    # floats are numbers on the scale of the values
    agrees(ugt.discrepancy_ratio(labels_of(nested), values[model], values=values), expected)


def test_arrays_lists_and_missing_cells():
    nested = [[[1], [2], []], [[0], [], [2]], [[3], [3], [1]]]
    table = [[1, 2, np.nan], [0, np.nan, 2], [3, 3, 1]]
    expected = twin.discrepancy([1, 1, 2], nested, twin.squared)
    for given in (table, np.array(table), [[1, 2, None], [0, None, 2], [3, 3, 1]]):
        agrees(ugt.discrepancy_ratio(given, [1, 1, 2], distance="squared"), expected)
    text = [["b", "c", None], ["a", "", "c"], ["d", "d", "b"]]
    found = ugt.discrepancy_ratio(text, ["b", "b", "c"], distance="zero-one")
    agrees(found, twin.discrepancy([1, 1, 2], nested, twin.zero_one))
    p = np.full((3, 4), 0.25)
    agrees(
        ugt.discrepancy_ratio(table, p, distance="squared"),
        twin.discrepancy(p.tolist(), nested, twin.squared, twin.expected(twin.squared, range(4))),
    )


def test_counts_are_annotators_with_a_label_each():
    counts = np.array([[2, 1, 0], [0, 0, 3], [1, 1, 1], [1, 0, 0], [0, 0, 0]])
    nested = [[[k] for k in range(3) for _ in range(row[k])] or [[]] for row in counts]
    model = [0, 2, 1, 1, 0]
    found = ugt.discrepancy_ratio(ugt.Labels.from_counts(counts), model, distance="zero-one")
    agrees(found, twin.discrepancy(model, nested, twin.zero_one))
    assert found.left_out == {"case without annotations": 1, "case with a single annotator": 1}
    with pytest.raises(
        ValueError, match=r"annotations must name the annotator of each label, so that each can be judged. Got label counts."
    ):
        ugt.humans.annotator_discrepancy(ugt.Labels.from_counts(counts))


def test_masks():
    rng = np.random.default_rng(3)
    masks = rng.random((8, 4, 5, 6)) < 0.4
    cells = [[None if (i + 2 * j) % 5 == 0 else masks[i, j] for j in range(4)] for i in range(8)]
    sets = [[[] if cell is None else [tuple(np.flatnonzero(cell))] for cell in row] for row in cells]
    model = rng.random((8, 5, 6)) < 0.4
    expected = twin.discrepancy([tuple(np.flatnonzero(one)) for one in model], sets, twin.jaccard)
    annotations = ugt.Masks.from_wide(cells)
    found = ugt.discrepancy_ratio(annotations, list(model), distance="jaccard")
    agrees(found, expected)
    predicted = ugt.Masks.from_wide(model[:, None])
    agrees(ugt.discrepancy_ratio(annotations, predicted, distance="jaccard"), expected)
    groups = ugt.humans.group_discrepancy(annotations, list(model), ["a", "b", "a", "b"], distance="jaccard")
    for g, members in enumerate([(0, 2), (1, 3)]):
        part = twin.discrepancy([tuple(np.flatnonzero(one)) for one in model], [[row[j] for j in members] for row in sets], twin.jaccard)
        assert groups.value[g] == pytest.approx(part["ratio"], rel=1e-12)


# ---- joining predictions ----
def test_predictions_by_case_id():
    labels = ugt.Labels.from_wide([[0, 1], [1, 1], [2, 0]], case_ids=["a", "b", "c"])
    plain = ugt.discrepancy_ratio(labels, [0, 1, 2])
    assert ugt.discrepancy_ratio(labels, {"c": 2, "a": 0, "b": 1}).value == plain.value
    p = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2]])
    by_row = ugt.discrepancy_ratio(labels, p).value
    assert ugt.discrepancy_ratio(labels, ugt.Predictions(["b", "c", "a"], p[[1, 2, 0]])).value == by_row
    assert ugt.discrepancy_ratio(labels, {"c": p[2], "b": p[1], "a": p[0]}).value == by_row
    for ids, names in (([7, 8, 9], "789"), ("789", [7, 8, 9]), ([7, 8, 9], [7, 8, 9])):  # 7 and "7" are the same case
        numbered = ugt.Labels.from_wide([[0, 1], [1, 1], [2, 0]], case_ids=list(ids))
        assert ugt.discrepancy_ratio(numbered, {names[2]: 2, names[0]: 0, names[1]: 1}).value == plain.value
    refused(r"predictions must be for annotated cases only. Got 1 .* first at case 'x'", ugt.discrepancy_ratio, labels, {"a": 1, "x": 0})


def test_pandas():
    pd = pytest.importorskip("pandas")
    labels = ugt.Labels.from_wide([[0, 1], [1, 1], [2, 0]], case_ids=["a", "b", "c"])
    expected = ugt.discrepancy_ratio(labels, [0, 1, 2]).value
    assert ugt.discrepancy_ratio(labels, pd.Series([2, 0, 1], index=["c", "a", "b"])).value == expected
    p = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2]])
    frame = pd.DataFrame(p[[2, 0, 1]][:, [1, 0, 2]], index=["c", "a", "b"], columns=[1, 0, 2])
    assert ugt.discrepancy_ratio(labels, frame).value == ugt.discrepancy_ratio(labels, p).value
    table = pd.DataFrame([[0, 1, None], [1, 1, 0], [2, 0, 1]])
    assert (
        ugt.discrepancy_ratio(table, [0, 1, 2], distance="squared").value
        == ugt.discrepancy_ratio([[0, 1, None], [1, 1, 0], [2, 0, 1]], [0, 1, 2], distance="squared").value
    )


def test_cases_without_prediction():
    labels = ugt.Labels.from_wide([[0, 1], [1, 1], [2, 0], [0, 0]], case_ids=["a", "b", "c", "d"])
    must = r"predictions must cover every case \(missing='drop' leaves the others out\). Got none for 2 of 4 cases, first at case 'b'."
    for given in ({"a": 0, "c": 1}, [0, None, 1, None], [0, np.nan, 1, np.nan]):
        refused(must, ugt.discrepancy_ratio, labels, given)
        found = ugt.discrepancy_ratio(labels, given, missing="drop")
        assert (found.n_cases, found.left_out) == (2, {"case without prediction": 2})
        assert found.value == ugt.discrepancy_ratio(ugt.Labels.from_wide([[0, 1], [2, 0]]), [0, 1]).value
    for none in (None, np.nan):
        found = ugt.discrepancy_ratio(labels, [1, 0.5, none, 2], distance="squared", missing="drop")
        np.testing.assert_allclose(found.mu_per_case, [0.5, 0.25, np.nan, 4])
    p = np.full((4, 3), np.nan)
    p[[0, 2]] = 1 / 3
    assert ugt.discrepancy_ratio(labels, p, missing="drop").n_cases == 2


@pytest.mark.parametrize(
    "predictions, options, must",
    [
        ([0, 1], {}, r"predictions must be one per case, 3. Got 2."),
        ([0, 1, 3], {"distance": "zero-one"}, r"predictions must be one of the 3 classes .* Got 3, first at case 'c'."),
        ([0, 1, np.inf], {"distance": "squared"}, r"predictions must be finite, or NaN for none. Got inf, first at case 'c'."),
        ([[0.5, 0.5, 0.1]] * 3, {}, r"predictions must be probabilities that add up to 1 .* first at case 'a'."),
        ([[1.5, -0.5, 0]] * 3, {}, r"predictions must be probabilities that add up to 1 .* first at case 'a'."),
        ([[0.5, 0.5]] * 3, {}, r"predictions must be probabilities with a column for each of the 3 classes."),
        (np.zeros((3, 1, 1)), {}, r"predictions must be one value per case, or probabilities .* Got 3 dimensions."),
        ([0, 1, 2], {"missing": "skip"}, r"missing must be one of 'error', 'drop'. Got 'skip'."),
    ],
)
def test_what_is_refused(predictions, options, must):
    labels = ugt.Labels.from_wide([[0, 1], [1, 1], [2, 0]], case_ids=["a", "b", "c"])
    refused(must, ugt.discrepancy_ratio, labels, predictions, **options)


@pytest.mark.parametrize(
    "method, options, must",
    [
        ("non_inferiority", {"level": 0.4}, r"level must be above 0.5 for a one-sided limit. Got 0.4."),
        ("non_inferiority", {"margin": -1}, r"margin must be a finite number above -1. Got -1."),
        ("interval", {"of": "delta"}, r"of must be one of 'value', 'alpha', 'mu'. Got 'delta'."),
        ("interval", {"clusters": {"a": 1}}, r"clusters must hold an id for every case. Got none for 2 of 3 cases, first at case 'b'."),
    ],
)
def test_what_methods_refuse(method, options, must):
    found = ugt.discrepancy_ratio(ugt.Labels.from_wide([[0, 1], [1, 1], [2, 0]], case_ids=["a", "b", "c"]), [0, 1, 1])
    refused(must, getattr(found, method), **options)


@pytest.mark.parametrize("given", [None, 5, "text", object(), {"a": 1}, ugt.Rankings.from_blocks([[[[0]]]], n_classes=2)])
def test_what_are_no_annotations(given):
    refused(r"annotations must be Labels, Ratings, Masks or an array \(cases, annotators\). Got ", ugt.discrepancy_ratio, given, [0])


@pytest.mark.parametrize(
    "given",
    [None, 5, "text", object(), [], [0, 1], [[1, 2], [3]], [[1, 2], [3], [4]], ["x", "y", "z"], [1j] * 3, np.zeros((3, 4, 4)), [{}] * 3],
)
@pytest.mark.parametrize("kind", ["labels", "ratings", "masks"])
def test_what_are_no_predictions(given, kind):
    table = [[0, 1], [1, 1], [2, 0]]
    held = {
        "labels": ugt.Labels.from_wide(table),
        "ratings": ugt.Ratings.from_wide(table),
        "masks": ugt.Masks.from_wide(np.ones((3, 2, 2))),
    }
    refused(r"(predictions|masks) must ", ugt.discrepancy_ratio, held[kind], given, distance="jaccard" if kind == "masks" else "squared")


def test_bools_and_pairs_of_ids_and_scores():
    votes, score = [[0, 1], [1, 1], [0, 0]], np.array([0.2, 0.7, 0.6])
    labels = ugt.Labels.from_wide(votes, case_ids=["a", "b", "c"])
    expected = ugt.discrepancy_ratio(votes, [0, 1, 1]).value
    for given in (score > 0.5, (score > 0.5).tolist()):
        assert ugt.discrepancy_ratio(votes, given).value == expected
        assert ugt.discrepancy_ratio(labels, given, distance="zero-one").value == expected
    p = np.stack([1 - score, score], axis=1)
    assert ugt.discrepancy_ratio(labels, (["c", "a", "b"], p[[2, 0, 1]])).value == ugt.discrepancy_ratio(labels, p).value
    refused(r"predictions must be numbers, as the annotations are. Got '0'.", ugt.discrepancy_ratio, np.array(votes), ["0", "1", "1"])
    refused(r"scores must be finite, or NaN for none. Got inf, .* case 'b'", ugt.humans.threshold_sweep, labels, [0.1, np.inf, 0.2])


@pytest.mark.filterwarnings("error")
def test_undefined_ratios():
    found = warned(r"undefined: annotators agree in all 2 cases \(alpha = 0\)", ugt.discrepancy_ratio, [[1, 1], [0, 0]], [1, 0])
    assert math.isnan(found.value)
    assert (found.alpha, found.mu, found.reason) == (0, 0, "annotators agree in all 2 cases (alpha = 0)")
    assert np.isnan(found.interval()).all()
    assert np.isnan(found.interval(of="mu")).all()  # two equal cases do not show how others would differ
    assert not found.non_inferiority(5.0).decision
    with pytest.warns(RuntimeWarning, match=r"annotators agree"):
        assert ugt.discrepancy_ratio([[1, 1], [0, 0]], [1, 1]).value == math.inf
    with pytest.warns(RuntimeWarning, match=r"undefined: no case is left \(case without annotations: 1, case with a single annotator: 1\)"):
        found = ugt.discrepancy_ratio(np.array([[1, np.nan], [np.nan, np.nan]]), [1, 1])
    assert math.isnan(found.value)
    assert found.n_cases == 0
    assert np.isnan(found.interval()).all()
    assert not found.non_inferiority().decision
    found = ugt.discrepancy_ratio([[1, 0], [0, 0]], [1, 0])
    assert found.value == 0.5
    # a single case cannot be resampled
    assert np.isnan(ugt.discrepancy_ratio([[1, 0]], [1]).interval()).all()


# ---- intervals ----
def resampled(mu, alpha, clusters, seed, n):
    """The ratio on every resample, by copies of clusters."""
    names = list(dict.fromkeys(clusters))
    weights = resampling.Design.of(len(clusters), clusters).weights(seed, 0, n)
    assert {len(set(w[np.array(clusters) == name])) for w in weights for name in names} == {1}
    return (weights @ mu) / (weights @ alpha)


def test_intervals_are_those_of_the_engine():
    nested = nested_labels(11, n_cases=40)
    labels, model = labels_of(nested), np.arange(40) % N_CLASSES
    patient = [i // 3 for i in range(40)]
    found, drawn = ugt.discrepancy_ratio(labels, model), {"clusters": patient, "n_resamples": 200, "seed": 5}
    quantile = {"kind": "percentile", **drawn}
    counted = ~np.isnan(found.mu_per_case)
    values = resampled(found.mu_per_case[counted], found.alpha_per_case[counted], np.array(patient)[counted].tolist(), 5, 200)
    np.testing.assert_allclose(found.interval(**quantile), np.quantile(values, [0.025, 0.975]), rtol=1e-10)
    np.testing.assert_allclose(found.interval(0.8, **quantile), np.quantile(values, [0.1, 0.9]), rtol=1e-10)
    basic = found.interval(kind="basic", **drawn)
    np.testing.assert_allclose(basic, 2 * found.value - np.quantile(values, [0.975, 0.025]), rtol=1e-10)
    assert found.interval(kind="bca", **drawn) != found.interval(**drawn)
    for of in ("alpha", "mu"):
        low, high = found.interval(of=of, **drawn)
        assert low < getattr(found, of) < high
    test = found.non_inferiority(0.4, kind="percentile", **drawn)
    assert test.limit == pytest.approx(np.quantile(values, 0.95), rel=1e-10)
    assert (test.estimate, test.margin, test.level, test.decision) == (found.value, 0.4, 0.95, test.limit < 1.4)
    assert found.non_inferiority(test.limit - 1 + 1e-9, kind="percentile", **drawn).decision
    assert not found.non_inferiority(test.limit - 1, kind="percentile", **drawn).decision
    assert found.non_inferiority(0.4, kind="bca", **drawn).limit == found.interval(0.9, kind="bca", **drawn)[1]
    alone = found.non_inferiority(0.4, random=("cases",), **drawn)
    assert alone.limit == found.interval(0.9, kind="studentized", **drawn)[1] and alone.random == ("cases",) == test.random
    others = found.non_inferiority(0.4, **drawn)
    assert others.limit == found.interval(0.9, random=others.random, **drawn)[1] and others.random == ("cases", "annotators")


@pytest.mark.parametrize("clusters, strata", [(False, False), (True, False), (True, True)])
def test_bootstrap_t(clusters, strata):
    nested = nested_labels(12, n_cases=45)
    patient = [i // 2 for i in range(45)] if clusters else None
    hospital = [i // 2 % 3 for i in range(44)] + [9] if strata else None  # one hospital has one patient
    found = ugt.discrepancy_ratio(labels_of(nested), np.arange(45) % N_CLASSES)
    counted = np.flatnonzero(~np.isnan(found.mu_per_case))
    units, groups = (None if ids is None else np.array(ids)[counted] for ids in (patient, hospital))
    design = resampling.Design.of(len(counted), units, groups)
    unit_of = design.unit.tolist()
    parts = [
        (found.mu_per_case[counted][design.unit == g].sum(), found.alpha_per_case[counted][design.unit == g].sum())
        for g in range(design.n_units)
    ]
    of_unit = [0 if groups is None else int(groups[unit_of.index(g)]) for g in range(design.n_units)]
    drawn = [[int(w[unit_of.index(g)]) for g in range(design.n_units)] for w in design.weights(6, 0, 150)]
    low, high = found.interval(0.9, kind="studentized", clusters=patient, strata=hospital, n_resamples=150, seed=6)
    assert (low, high) == pytest.approx([twin.t_limit(parts, of_unit, drawn, q) for q in (0.05, 0.95)], rel=1e-9)
    assert low < found.value < high


def test_bootstrap_t_without_spread():
    """In proportion in every case: the ratio is known exactly; a model that nobody disagrees with has no logarithm."""
    found = ugt.discrepancy_ratio([[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]], [1, 1, 0, 1])
    assert found.interval(kind="studentized") == (0.5, 0.5)
    nobody = ugt.discrepancy_ratio([[0, 4], [1, 3], [2, 2]], [2, 2, 2], distance=("threshold", 2.0))
    assert (nobody.value, nobody.interval(kind="studentized")) == (0, (0, 0))
    assert np.isnan(ugt.discrepancy_ratio([[0, 1, 1], [1, 1, 0]], [1, 0]).interval(kind="studentized", clusters=["a", "a"])).all()


# ---- annotators as models ----
@pytest.mark.parametrize("cases", ["matched", "all", "mu1"])
@pytest.mark.parametrize("distance", ["squared", "zero-one"])
def test_annotators_against_their_twin(cases, distance):
    nested = nested_labels(21, n_cases=16, n_annotators=5)
    rng = np.random.default_rng(1)
    models = {"hard": rng.integers(0, N_CLASSES, 16), "holes": [None, 1, None, *rng.integers(0, N_CLASSES, 13).tolist()]}
    found = ugt.humans.annotator_discrepancy(labels_of(nested), predictions=models, distance=distance, cases=cases, missing="drop")
    for j in range(5):
        expected = twin.left_out(nested, j, CLASSES[distance], cases)
        assert (found.alpha[j], found.mu[j], found.value[j]) == pytest.approx(
            (expected["alpha"], expected["mu"], expected["ratio"]), rel=1e-11, nan_ok=True
        )
        assert found.n_cases[j] == expected["n"]
        for m, model in enumerate(models.values()):
            other = twin.left_out(nested, j, CLASSES[distance], cases, [None if v is None else int(v) for v in model])
            assert found.same_cases[m, j] == pytest.approx(other["ratio"], rel=1e-11, nan_ok=True)
    for m, model in enumerate(models.values()):
        alone = ugt.discrepancy_ratio(labels_of(nested), model, distance=distance, missing="drop")
        assert found.model_value[m] == pytest.approx(alone.value, rel=1e-12)
        assert found.model_n_cases[m] == alone.n_cases


def test_others_who_agree_leave_exactly_nothing():
    """What is left of a sum of pairs after taking one annotator out is 0, not rounding."""
    ratings = np.array([[0.1, 0.1, 0.7], [0.3, 0.3, 0.9], [1.1, 1.1, 0.2]])
    found = ugt.humans.annotator_discrepancy(ratings)
    assert found.alpha[2] == 0
    assert found.value[2] == math.inf
    assert found.value[0] == pytest.approx(0.5)


def test_chances_are_shares_of_the_same_resamples():
    rng = np.random.default_rng(8)
    truth = rng.normal(size=60)
    ratings = truth[:, None] + rng.normal(size=(60, 4)) * [0.5, 0.8, 1.0, 1.2]
    ratings[rng.random((60, 4)) < 0.2] = np.nan
    models = {"good": truth + 0.5 * rng.normal(size=60), "bad": rng.normal(size=60)}
    patient = np.arange(60) // 2
    found = ugt.humans.annotator_discrepancy(ratings, predictions=models)
    drawn = {"clusters": patient, "n_resamples": 100, "seed": 3}
    shares, ends = found.resample_shares(**drawn), found.intervals(kind="percentile", **drawn)
    counted = (~np.isnan(ratings)).sum(axis=1) >= 2
    weights = resampling.Design.of(int(counted.sum()), patient[counted]).weights(3, 0, 100)
    nested = [[[] if np.isnan(v) else [v] for v in row] for row in ratings]
    mu, alpha = np.full((60, 4), np.nan), np.full((60, 4), np.nan)
    same = np.full((2, 60, 4), np.nan)
    for i, case in enumerate(nested):
        for j in range(4):
            rest = twin.without(case, j)
            if case[j] and twin.several(rest):
                alpha[i, j] = twin.alpha_of(rest, twin.squared)
                mu[i, j] = twin.mu_of(case[j][0], rest, twin.squared)
                same[:, i, j] = [twin.mu_of(model[i], rest, twin.squared) for model in models.values()]
    below = weights @ np.nan_to_num(alpha[counted])
    annotators = weights @ np.nan_to_num(mu[counted]) / below
    per_model = [twin.discrepancy(model.tolist(), nested, twin.squared) for model in models.values()]
    own = np.array([weights @ np.array(one["mu_i"])[counted] / (weights @ np.array(one["alpha_i"])[counted]) for one in per_model])
    on_same = np.array([weights @ np.nan_to_num(one[counted]) / below for one in same])
    np.testing.assert_allclose(shares.better_share, (own[:, :, None] < annotators).mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(shares.best_share, (own < annotators.min(axis=1)).mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(shares.better_share_same_cases, (on_same < annotators).mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(shares.best_share_same_cases, (on_same < annotators).all(axis=2).mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(ends[2:6], np.quantile(annotators, [0.025, 0.975], axis=0).T, rtol=1e-9)
    np.testing.assert_allclose(ends[:2], np.quantile(own, [0.025, 0.975], axis=1).T, rtol=1e-9)
    assert 0 < shares.best_share[0] < 1
    assert (shares.best_share <= shares.better_share.min(axis=1) + 1e-12).all()
    assert shares.best_share[1] == 0


def test_a_model_that_copies_an_annotator_is_as_good_on_the_same_cases():
    rng = np.random.default_rng(2)
    ratings = rng.normal(size=(30, 4))
    found = ugt.humans.annotator_discrepancy(ratings, predictions={"copy": ratings[:, 1]})
    shares = found.resample_shares(n_resamples=50)
    assert found.same_cases[0, 1] == pytest.approx(found.value[1], rel=1e-12)
    assert shares.better_share_same_cases[0, 1] == 0.5
    assert shares.best_share_same_cases[0] == 0
    # against all annotators, itself included, it looks better than it is
    assert found.model_value[0] < found.value[1]


def test_annotators_with_few_cases_are_not_judged():
    ratings = np.array([[1, 2, 3, np.nan], [2, 2, 4, np.nan], [5, 1, 1, np.nan], [0, 1, 1, 2.0]])
    found = ugt.humans.annotator_discrepancy(ratings, predictions=[1, 2, 3, 1], distance="squared", least_cases=2)
    assert found.annotators.tolist() == [0, 1, 2]
    assert found.too_few == {"3": 1}
    whole = ugt.humans.annotator_discrepancy(ratings, predictions=[1, 2, 3, 1], distance="squared")
    np.testing.assert_array_equal(found.value, whole.value[:3])
    table = found.table()
    assert [row["value"] for row in table] == sorted(row["value"] for row in table)
    assert {row["kind"] for row in table} == {"model", "annotator"}
    assert ugt.humans.annotator_discrepancy(ratings, distance="squared").models == ()
    none = ugt.humans.annotator_discrepancy(ratings, predictions=[1, 2, 3, 1], distance="squared", least_cases=9)
    assert len(none.annotators) == 0
    assert np.isnan(none.resample_shares(n_resamples=5).best_share).all()
    message = r"annotations must hold cases that keep two annotators when one is taken out, .* Got at most 1 annotators per case."
    refused(message, ugt.humans.annotator_discrepancy, np.array([[1.0], [2.0]]))


@pytest.mark.parametrize("cases", ["matched", "all"])
def test_influence_on_models_and_annotators_is_the_derivative_by_the_weight_of_a_case(cases):
    nested = nested_labels(5, n_cases=20)
    predictions = {"a": np.arange(20) % 3, "b": [None, *np.arange(19) % 2]}
    one = ugt.humans.annotator_discrepancy(labels_of(nested), predictions, cases=cases, missing="drop")._statistic
    more, less = (np.ones((20, 20)) + sign * 1e-5 * np.eye(20) for sign in (1, -1))
    np.testing.assert_allclose(one.influence(), (one.values(more) - one.values(less)) / 2e-5, atol=1e-7)


@pytest.mark.parametrize("cases", ["matched", "all"])
def test_blocks_of_annotators_change_nothing(monkeypatch, cases):
    nested = nested_labels(4, n_cases=20, n_annotators=7)
    predictions = {"a": np.arange(20) % 3, "b": [None, *np.arange(19) % 2]}

    def numbers():
        found = ugt.humans.annotator_discrepancy(labels_of(nested), predictions, cases=cases, missing="drop")
        resamples = found.resamples(n_resamples=40)
        return [found.value, found.alpha, found.mu, found.same_cases, resamples.values, resamples.interval(kind="bca")]

    whole = numbers()
    monkeypatch.setattr("ugt.humans.forest.CELLS", 20 * 4 * 2)
    for one, other in zip(numbers(), whole):
        np.testing.assert_array_equal(one, other)


# ---- thresholds ----
@pytest.mark.parametrize("distance", ["zero-one", "cost"])
def test_the_whole_curve(distance):
    rng = np.random.default_rng(12)
    nested = [[[int(v) for v in rng.integers(0, 2, rng.integers(0, 3))] for _ in range(4)] for _ in range(25)]
    scores = rng.integers(0, 8, 25) / 8  # many ties
    cost = np.array([[0.0, 3.0], [3.0, 0.0]])
    delta = (lambda a, b: cost[int(a), int(b)]) if distance == "cost" else twin.zero_one
    labels = labels_of_rows(*long(nested), classes=2, cases=range(25))
    found = ugt.humans.threshold_sweep(labels, scores, distance=cost if distance == "cost" else distance)
    counted = [i for i in range(25) if twin.several(nested[i])]
    expected = twin.sweep([nested[i] for i in counted], scores[counted], delta)
    assert found.thresholds.tolist() == list(expected)
    np.testing.assert_allclose(found.value, list(expected.values()), rtol=1e-11)
    assert found.n_cases == len(counted)


def test_the_best_threshold_is_judged_on_other_cases():
    rng = np.random.default_rng(6)
    truth = rng.random(200)
    labels = (rng.random((200, 5)) < truth[:, None]).astype(int)
    score = truth + 0.1 * rng.normal(size=200)
    patient = np.arange(200) // 4
    sweep, drawn = ugt.humans.threshold_sweep(labels, score), {"clusters": patient, "share": 0.3}
    found = sweep.best(**drawn, seed=4)
    chosen = found.chosen_on
    assert chosen.sum() == pytest.approx(60, abs=4)
    assert all(len(set(chosen[patient == p])) == 1 for p in range(50))
    nested = [[[v] for v in row] for row in labels.tolist()]
    on = twin.sweep([nested[i] for i in np.flatnonzero(chosen)], score[chosen], twin.zero_one)
    assert found.apparent == pytest.approx(min(on.values()), rel=1e-12)
    low, high = (score[chosen & side] for side in (score < found.threshold, score >= found.threshold))
    assert found.threshold == pytest.approx((low.max() + high.min()) / 2)
    rest = ~chosen
    judged = ugt.discrepancy_ratio(labels[rest], (score[rest] >= found.threshold).astype(int), distance="zero-one")
    assert found.judged.value == pytest.approx(judged.value, rel=1e-12)
    assert found.judged.interval(clusters=patient) == pytest.approx(judged.interval(clusters=patient[rest]), rel=1e-10)
    assert found.judged.left_out == {"case that the threshold was chosen on, or without score": int(chosen.sum())}
    assert sweep.best(**drawn, seed=4).threshold == found.threshold
    assert (sweep.best(**drawn, seed=5).chosen_on != chosen).any()
    given = sweep.best(choose_on=chosen)
    assert (given.threshold, given.judged.value) == (found.threshold, found.judged.value)


def test_best_threshold_among_ties():
    votes = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 1, 0]]
    on = [1, 1, 1, 1, 0, 0]
    # between 0.2 and 0.8 no case lies
    assert ugt.humans.threshold_sweep(votes, [0.1, 0.2, 0.8, 0.9, 0.5, 0.5]).best(choose_on=on).threshold == pytest.approx(0.5)
    # nobody should be positive: everything else is worse
    assert ugt.humans.threshold_sweep([[0, 0, 1]] * 6, [0.1, 0.2, 0.8, 0.9, 0.5, 0.5]).best(choose_on=on).threshold == math.inf
    assert ugt.humans.threshold_sweep([[1, 0, 1]] * 6, [0.1, 0.2, 0.8, 0.9, 0.5, 0.5]).best(choose_on=on).threshold == -math.inf


@pytest.mark.parametrize(
    "annotations, scores, options, must",
    [
        ([[0, 2], [1, 1]], [0.1, 0.2], {}, r"table must hold class indices from 0 to 1. Got 2"),
        (ugt.Labels.from_wide([[0, 1], [2, 1]]), [0.1, 0.2], {}, r"annotations must be Labels of two classes. Got 3 classes."),
        ([[0, 1], [1, 1]], [0.1, np.nan], {}, r"scores must cover every case .* Got none for 1 of 2 cases, first at case 1."),
        ([[0, 1], [1, 1]], [0.1, 0.2], {"choose_on": [1, 1]}, r"choose_on must have cases to choose on and cases to judge on. Got 2 of 2."),
        ([[0, 1], [1, 1]], [0.1, 0.2], {"choose_on": [True]}, r"choose_on must be 2 bools, one per case."),
        ([[0, 1], [1, 1]], [0.1, 0.2], {"share": 1.0}, r"share must be a number between 0 and 1. Got 1.0."),
        ([[0, None], [1, 1]], [0.1, 0.2], {"choose_on": [1, 0]}, r"choose_on must have cases that count"),
    ],
)
def test_sweeps_that_are_refused(annotations, scores, options, must):
    refused(must, lambda: ugt.humans.threshold_sweep(annotations, scores).best(**options))


def test_scores_that_are_missing_can_be_dropped():
    votes = [[0, 1], [1, 1], [0, 1], [1, 0]]
    found = ugt.humans.threshold_sweep(votes, {0: 0.1, 1: 0.9, 2: 0.3}, missing="drop")
    assert (found.n_cases, found.left_out) == (3, {"case without prediction": 1})
    assert found.thresholds.tolist() == [0.1, 0.3, 0.9, math.inf]


def test_cases_that_a_threshold_is_not_chosen_on_are_counted_by_reason():
    votes = [[0, 1], [1, 1], [0, 1], [1, 0], [1, None], [0, 0]]
    judged = ugt.humans.threshold_sweep(votes, [0.1, 0.9, 0.3, 0.2, 0.5, 0.4]).best(choose_on=[1, 1, 0, 0, 0, 0]).judged
    assert judged.n_cases == 3
    assert judged.left_out == {"case with a single annotator": 1, "case that the threshold was chosen on, or without score": 2}


# ---- classes of cases, groups of annotators ----
@pytest.mark.parametrize("ties", ["drop", "lowest"])
@pytest.mark.parametrize("seed", range(3))
def test_strata_by_majority(ties, seed):
    nested = nested_labels(30 + seed, n_cases=40)
    model = (np.arange(40) % N_CLASSES).tolist()
    found = ugt.humans.stratified_discrepancy(labels_of(nested), model, ties=ties)
    values, mean = twin.stratified(model, nested, twin.zero_one, N_CLASSES, ties)
    np.testing.assert_allclose(found.value, values, rtol=1e-11)
    assert found.mean == pytest.approx(mean, rel=1e-11)


def test_given_strata_and_intervals():
    nested = nested_labels(40, n_cases=60)
    model, strata = np.arange(60) % N_CLASSES, np.array(["b", "a", "b"] * 20)
    patient = np.arange(60) // 2
    found = ugt.humans.stratified_discrepancy(labels_of(nested), model, strata=strata)
    ends = found.intervals(kind="percentile", clusters=patient, n_resamples=100, seed=2)
    assert found.names.tolist() == ["a", "b"]
    alone = [
        twin.discrepancy([int(m) for m in model[strata == s]], [c for c, t in zip(nested, strata) if t == s], twin.zero_one) for s in "ab"
    ]
    np.testing.assert_allclose(found.value, [one["ratio"] for one in alone], rtol=1e-11)
    assert found.n_cases.tolist() == [one["n"] for one in alone]
    assert found.mean == pytest.approx(found.value.mean())
    counted = np.array([twin.several(case) for case in nested])
    weights = resampling.Design.of(int(counted.sum()), patient[counted]).weights(2, 0, 100)
    whole = twin.discrepancy(model.tolist(), nested, twin.zero_one)
    mu, alpha = np.array(whole["mu_i"])[counted], np.array(whole["alpha_i"])[counted]
    per = np.array([weights @ (mu * inside) / (weights @ (alpha * inside)) for inside in (strata[counted] == s for s in "ab")])
    np.testing.assert_allclose(ends[1:], np.quantile(per, [0.025, 0.975], axis=1).T, rtol=1e-10)
    np.testing.assert_allclose(ends[0], np.quantile(per.mean(axis=0), [0.025, 0.975]), rtol=1e-10)
    partly = ugt.humans.stratified_discrepancy(labels_of(nested), model, strata=[None if s == "b" else s for s in strata])
    assert partly.value[0] == found.value[0]
    assert partly.left_out["case without stratum"] == found.n_cases[1]


def test_a_class_of_unanimous_cases_makes_the_mean_undefined():
    found = ugt.humans.stratified_discrepancy([[0, 0, 1], [1, 1, 1], [1, 1, 1], [0, 0, 1]], [0, 1, 1, 0])
    assert found.value[0] == 0.5
    assert math.isnan(found.value[1])
    assert math.isnan(found.mean)


def test_groups_of_annotators():
    nested = nested_labels(50, n_cases=30, n_annotators=6)
    model = (np.arange(30) % N_CLASSES).tolist()
    groups = ["x", "y", "x", None, "y", "x"]
    found = ugt.humans.group_discrepancy(labels_of(nested), model, groups, distance="absolute")
    assert found.names.tolist() == ["x", "y"]
    for g, members in enumerate([(0, 2, 5), (1, 4)]):
        expected = twin.discrepancy(model, [[case[j] for j in members] for case in nested], CLASSES["absolute"])
        assert (found.alpha[g], found.mu[g], found.value[g]) == pytest.approx((expected["alpha"], expected["mu"], expected["ratio"]))
        assert found.n_cases[g] == expected["n"]
    named = ugt.humans.group_discrepancy(labels_of(nested), model, {0: "x", 1: "y", 2: "x", 4: "y", 5: "x"}, distance="absolute")
    np.testing.assert_array_equal(named.value, found.value)
    refused(r"groups must name annotators only. Got '9'.", ugt.humans.group_discrepancy, labels_of(nested), model, {0: "x", 9: "y"})
    refused(r"groups must be 6 ids, one per annotator. Got 2.", ugt.humans.group_discrepancy, labels_of(nested), model, ["x", "y"])
    refused(r"groups must have at least one annotator. Got none.", ugt.humans.group_discrepancy, labels_of(nested), model, [None] * 6)


# ---- alternatives ----
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("numbers", [False, True])
def test_alternatives_against_their_twins(seed, numbers):
    nested = nested_labels(60 + seed, n_cases=20, numbers=numbers)
    rng = np.random.default_rng(seed)
    model = (rng.normal(size=20) if numbers else rng.integers(0, N_CLASSES, 20)).tolist()
    annotations = (ratings_of if numbers else labels_of)(nested)
    for distance, delta in NUMERIC.items() if numbers else CLASSES.items():
        found = ugt.papers.alternative_discrepancy_ratios(annotations, model, distance=distance)
        assert found.ratio == pytest.approx(twin.discrepancy(model, nested, delta)["ratio"], rel=1e-11)
        expected = {"prime": twin.prime(model, nested, delta), "prime_printed": twin.prime(model, nested, delta, printed=True)}
        if distance != "zero-one":
            expected["double_prime"] = twin.double_prime(model, nested, delta)
        for name, (alpha, mu) in expected.items():
            ours = getattr(found, name), getattr(found, f"alpha_{name}"), getattr(found, f"mu_{name}")
            assert ours == pytest.approx((twin.ratio(mu, alpha), alpha, mu), rel=1e-11)


def test_alternatives_sum_all_cases_up_as_cases_of_weight_one():
    nested = nested_labels(64, n_cases=20)
    one = Averages.of(compare(labels_of(nested), {"model": np.arange(20) % N_CLASSES}, "squared"))
    np.testing.assert_allclose(one.sums(), one.sums(np.ones((1, 20))), rtol=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "distance", "delta"),
    [
        ([0, 1, 1], [1, 0], "squared", twin.squared),
        ([0.5, 3], [1.25], ("threshold", 1.0), twin.threshold(1.0)),
        (["b", "a"], ["a", "a", "c"], "zero-one", twin.zero_one),
        ([0, 2], [1, 1, 2], COST, lambda a, b: COST[a][b]),
        ([1, 2], [4], lambda a, b: abs(a - b) ** 3, lambda a, b: abs(a - b) ** 3),
        (np.eye(3, dtype=int), [[1, 1, 0]], "dice", lambda a, b: 1 - 2 * (a & b).sum() / (a.sum() + b.sum())),
    ],
)
@pytest.mark.filterwarnings("ignore:distance is a Python function")
def test_mean_pairwise_deviation(first, second, distance, delta):
    pairs = (map(np.asarray, one) if np.ndim(one) == 2 else one for one in (first, second))
    expected = twin.psi(*(list(one) for one in pairs), delta)
    assert ugt.humans.mean_pairwise_deviation(first, second, distance=distance) == pytest.approx(expected, rel=1e-14)
    assert ugt.humans.mean_pairwise_deviation(second, first, distance=distance) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("first", "second", "distance", "must"),
    [
        ([], [1], "squared", "first must be one or more labels, numbers or masks. Got none."),
        ([1], "cat", "zero-one", "second must be one or more labels, numbers or masks. Got 'cat'."),
        ([1], 2, "squared", "second must be one or more labels, numbers or masks. Got 2."),
        ([1], [float("nan")], "squared", "value must be"),
        (["a"], ["b"], "squared", "values must give a number for each class if classes are text"),
        ([1], [2], None, "distance must be"),
        ([[1, 0]], [[1, 0, 1]], "dice", "masks must have one shape in a case"),
    ],
)
def test_mean_pairwise_deviation_refuses(first, second, distance, must):
    refused(must, ugt.humans.mean_pairwise_deviation, first, second, distance=distance)


@pytest.mark.parametrize("distance", [*CLASSES, ("threshold", 0.75), "cost"])
@pytest.mark.parametrize("predicted", ["classes", "probabilities", "numbers", "ratings"])
def test_guessing_and_covariance(distance, predicted):
    """Eq. 8 against all pairs of cases."""
    rng, numbers = np.random.default_rng(5), predicted in ("numbers", "ratings")
    nested = nested_labels(50, numbers=predicted == "ratings")
    delta = (lambda a, b: COST[a][b]) if distance == "cost" else {**CLASSES, **NUMERIC}[distance]
    if (distance == "cost" and numbers) or (distance == "zero-one" and predicted == "numbers"):
        return
    model_delta, model = delta, rng.integers(0, N_CLASSES, len(nested)).tolist()
    if predicted == "probabilities":
        model, model_delta = rng.dirichlet(np.ones(N_CLASSES), len(nested)), twin.expected(delta, range(N_CLASSES))
    elif numbers:
        model = np.round(rng.normal(size=len(nested)), 1).tolist()
    annotations = ratings_of(nested) if predicted == "ratings" else labels_of(nested)
    found = ugt.discrepancy_ratio(annotations, model, distance=COST if distance == "cost" else distance)
    assert found.guessing_baseline == pytest.approx(twin.guessing(model, nested, delta, model_delta), rel=1e-12)
    assert found.guessing_baseline - 2 * found.covariance == pytest.approx(found.mu, rel=1e-12)


def test_guessing_of_two_classes_is_equation_8():
    rng = np.random.default_rng(1)
    table, model = rng.integers(0, 2, (30, 4)), rng.integers(0, 2, 30)
    for distance in ("squared", "zero-one", "absolute"):
        found = ugt.discrepancy_ratio(table, model, distance=distance)
        assert (found.guessing_baseline, found.covariance) == pytest.approx(twin.eq_8(model.tolist(), table.mean(axis=1).tolist()))
    counts = ugt.Labels.from_counts(np.column_stack([4 - table.sum(axis=1), table.sum(axis=1)]))
    assert ugt.discrepancy_ratio(counts, model, distance="zero-one").covariance == pytest.approx(found.covariance)
    dropped = ugt.discrepancy_ratio(table, [None, *model[1:].tolist()], distance="zero-one", missing="drop")
    assert dropped.covariance == pytest.approx(twin.eq_8(model[1:].tolist(), table[1:].mean(axis=1).tolist())[1])
    masks = ugt.discrepancy_ratio(ugt.Masks.from_wide([[[1, 0], [1, 1]]]), [[1, 1]], distance="dice")
    assert math.isnan(masks.guessing_baseline) and math.isnan(masks.covariance)


def test_alternatives_of_probabilities():
    nested = nested_labels(70)
    p = np.random.default_rng(0).dirichlet([1, 1, 1], len(nested))
    found = ugt.papers.alternative_discrepancy_ratios(labels_of(nested), p, distance="squared")
    expected = twin.expected(twin.squared, range(N_CLASSES))
    above = [expected(p[i], r) for i, r in rests(nested)]
    rows = [i for i, _ in rests(nested)]
    mu = np.mean([np.mean([a for a, row in zip(above, rows) if row == i]) for i in set(rows)])
    alpha, _ = twin.double_prime([0] * len(nested), nested, twin.squared)
    assert (found.double_prime, found.mu_double_prime) == pytest.approx((mu / alpha, mu))


def rests(nested):
    """``(case, mean of the other annotators' means)`` of every annotator of a case with several."""
    for i, case in enumerate(nested):
        present = [np.mean(one) for one in case if one]
        for j in range(len(present)):
            if len(present) > 1:
                yield i, np.mean(present[:j] + present[j + 1 :])


def test_relative_f1():
    nested = nested_labels(80, n_cases=50, n_annotators=6, most=1)
    model = (np.arange(50) % N_CLASSES).tolist()
    found = ugt.papers.relative_f1(labels_of(nested), model, held_out=[1, 4])
    assert found.value == pytest.approx(twin.relative_f1(model, nested, [1, 4], range(N_CLASSES)), rel=1e-12)
    assert found.value == found.model - found.annotators
    refused(r"held_out must be among the annotators. Got 9.", ugt.papers.relative_f1, labels_of(nested), model, held_out=[9])
    refused(
        r"held_out must be some of the annotators, not all. Got 6 of 6.",
        ugt.papers.relative_f1,
        labels_of(nested),
        model,
        held_out=range(6),
    )


@pytest.mark.parametrize("missing", [-1, None])
def test_tables_without_a_class_are_no_labels(missing):
    message = r"annotations must be Labels, or an array of classes. Got Ratings."
    refused(message, ugt.papers.relative_f1, [[missing, missing]] * 2, [missing] * 2, held_out=[1])


def test_classes_that_only_the_model_names():
    votes = [[0, 0, 1], [1, 1, 1], [0, 1, 1]]
    assert ugt.humans.stratified_discrepancy(votes, [0, 4, 1]).names.tolist() == [0, 1, 2, 3, 4]
    assert ugt.papers.relative_f1(votes, [0, 4, 1], held_out=[2]).n_cases == 2


def test_strata_that_all_cases_have_leave_nothing_out():
    labels = [[0, 0, 1], [1, 1, 0], [0, 1, 0]]
    assert ugt.humans.stratified_discrepancy(labels, [0, 1, 0], strata=["a", "b", "a"]).left_out == {}


def test_the_error_of_a_ratio_counts_strata_of_two():
    """Σ over strata of n / (n - 1) Σ (d - d̄)², d = a - θ b, over Σ a; a stratum of one unit adds nothing."""
    a, b = np.array([1.0, 3.0, 9.0, 2.0]), np.array([2.0, 2.0, 9.0, 4.0])
    kept, design = np.array([True, True, False, True]), Design.of(3, strata=["s", "s", "t"])
    theta, error = LogRatio(a, b, kept, design).estimate
    assert theta == pytest.approx(6 / 8)
    assert error == pytest.approx(np.sqrt(2 * ((1 - 2) ** 2 + (3 - 2) ** 2)) / 6)


def test_narrow_intervals_lie_inside_wide_ones():
    rng = np.random.default_rng(5)
    found = ugt.discrepancy_ratio(rng.integers(0, 3, (30, 3)).tolist(), rng.integers(0, 3, 30), distance="squared")
    for kind in ("studentized", "percentile"):
        ends = [found.interval(level, kind=kind, n_resamples=400) for level in (0.2, 0.5, 0.9)]
        assert ends[2][0] < ends[1][0] < ends[0][0] < ends[0][1] < ends[1][1] < ends[2][1]


@pytest.mark.filterwarnings("error")
def test_alternatives_without_any_label_are_undefined():
    labels = ugt.Labels.from_wide([[None, None], [None, None]], classes=3)
    found = ugt.papers.alternative_discrepancy_ratios(labels, [0, 1])
    assert all(math.isnan(value) for value in (found.ratio, found.prime, found.prime_printed, found.double_prime))


def test_annotators_without_labels_are_no_pairs():
    wide, predicted = [[0, 0, 1], [1, 1, 1], [2, 2, 0], [1, 0, 1]], [0, 1, 0, 1]
    three, four = (
        ugt.papers.alternative_discrepancy_ratios(ugt.Labels.from_wide(table, classes=3), predicted, distance="squared")
        for table in (wide, [[*row, None] for row in wide])
    )
    assert four.double_prime == pytest.approx(three.double_prime) and math.isfinite(three.double_prime)
    assert (four.prime, four.prime_printed) == pytest.approx((three.prime, three.prime_printed))


def test_a_ratio_of_zero_has_no_spread_and_of_one_case_no_interval():
    """A third class that costs nothing beside either of the two that annotators chose."""
    costs = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    labels = ugt.Labels.from_wide([[0, 1, 0], [1, 1, 0]], classes=3)
    two = ugt.discrepancy_ratio(labels, [2, 2], distance=costs)
    assert two.value == 0 and two.interval(kind="studentized") == (0.0, 0.0)
    one = ugt.discrepancy_ratio(ugt.Labels.from_wide([[0, 1, 0]], classes=3), [2], distance=costs)
    assert one.value == 0 and np.isnan(one.interval(kind="studentized")).all()


@pytest.mark.parametrize("distance", ["zero-one", "squared", lambda a, b: abs(a - b)])
@pytest.mark.filterwarnings("ignore:distance is a Python function", "ignore:undefined")
def test_annotators_weigh_nothing(distance):
    """The statistic without some annotators is that of annotations without them."""
    nested, gone = nested_labels(90, n_cases=25, n_annotators=5), [1, 3]
    model = (np.arange(25) % N_CLASSES).tolist()
    rest = [[[] if j in gone else one for j, one in enumerate(case)] for case in nested]
    weights = np.array([float(j not in gone) for j in range(5)])
    calls = [
        (lambda labels: ugt.discrepancy_ratio(labels, model, distance=distance)),
        (lambda labels: ugt.humans.annotator_discrepancy(labels, {"a": model}, distance=distance)),
        (lambda labels: ugt.papers.individual_equivalence_index(labels, model, distance=distance)),
        (lambda labels: ugt.humans.stratified_discrepancy(labels, model, distance=distance)),
        (lambda labels: ugt.humans.alternative_annotator_test(labels, model, distance=distance, least_cases=2)),
    ]
    for call in calls:
        one, other = call(labels_of(nested)).statistic, call(labels_of(rest)).statistic
        found = dict(zip(one.names, one.values(annotators=weights)[0]))
        for name, value in zip(other.names, other.estimate):
            if name != "value" or not isinstance(one, _alternative_annotator.Advantages):  # a mean over annotators, of whom some are gone
                assert found[name] == pytest.approx(value, rel=1e-12, nan_ok=True), name
    refused(r"annotators must be 5 weights, 0 or 1. Got float64 of shape \(2,\).", one.panel.judged_by, np.ones(2))
    counted = ugt.discrepancy_ratio(ugt.Labels.from_counts([[2, 1]]), [0], distance="zero-one")
    refused(
        r"annotations must name the annotator of each label, to be left out .* Got label counts",
        counted.statistic.panel.judged_by,
        np.ones(0),
    )


CODES = np.array([[0, 5, 1], [1, 1, 0], [5, 0, 5], [1, 0, 5]])


@pytest.mark.parametrize(
    ("annotations", "options", "distance"),
    [
        (ugt.Labels.from_wide(CODES), {}, "zero-one"),
        (ugt.Labels.from_wide(np.array(["no", "a", "", "", "", "b"])[CODES]), {}, "zero-one"),
        (ugt.Labels.from_wide(np.array([1, 9, 0, 0, 0, 9])[CODES]), {}, "squared"),  # two classes that are numbers
        (ugt.Labels.from_wide(CODES), {"values": [0, 1, 5]}, "squared"),
        (ugt.Ratings.from_wide(CODES), {}, "squared"),
    ],
)
@pytest.mark.parametrize(
    ("function", "of"),
    [
        (ugt.discrepancy_ratio, "value"),
        (ugt.humans.annotator_discrepancy, "value"),
        (ugt.papers.alternative_discrepancy_ratios, "prime"),
        (ugt.papers.individual_equivalence_index, "value"),
    ],
)
def test_the_distance_of_classes_is_zero_one_unless_it_is_asked_for(function, of, annotations, options, distance):
    model = annotations.axes.classes[[1, 0, 1, 0]] if isinstance(annotations, ugt.Labels) else [1, 0, 1, 0]
    found, asked = (getattr(function(annotations, model, **told, **options), of) for told in ({}, {"distance": distance}))
    assert np.array_equal(found, asked)
