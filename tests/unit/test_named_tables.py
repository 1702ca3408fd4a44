"""Names are joined: no number of any public function depends on the order in which named things stand, or the function refuses them."""

import inspect

import numpy as np
import pytest
from public_functions import FUNCTIONS, OTHERS, Entry, classes_of, make_world, numbers, part, three
from refusals import refused
from surface import public

import ugt

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(7)
ROWS, N_MORE = RNG.permutation(12), 3
BY_CASE, BY_CLASS, BY_ANNOTATOR, NO_NAMES = "case", "class", "annotator", ""

#: What every argument of a public function has a value for. An argument that is not listed here makes the test fail.
OF_ARGUMENT = {
    **dict.fromkeys(
        [
            "alpha",
            "annotations",
            "choose_on",
            "clusters",
            "contributions",
            "counts",
            "denominators",
            "estimate_from",
            "features",
            "first",
            "folds",
            "given",
            "influence",
            "judge",
            "labels",
            "p",
            "plausibilities",
            "populations",
            "posterior",
            "predicted",
            "predictions",
            "probabilities",
            "probs",
            "ratings",
            "readings",
            "reference",
            "scores",
            "second",
            "sets",
            "statistic",
            "strata",
            "subgroups",
            "truth",
            "draws",
            "rankings",
            "preferences",
            "result",
            "results",
            "systems",
            "other",
        ],
        BY_CASE,
    ),
    **dict.fromkeys(["risk", "values", "positions", "prior", "prevalence", "p_flip", "levels"], BY_CLASS),
    **dict.fromkeys(["reliability", "known", "held_out", "annotators"], BY_ANNOTATOR),
    **dict.fromkeys(
        [
            "against",
            "aggregation",
            "assume",
            "average",
            "background",
            "binned",
            "binning",
            "candidates",
            "case_ids",
            "cases",
            "checkpoint",
            "costs",
            "decide",
            "prevalence_error",
            "claim",
            "classes",
            "coefficient",
            "columns",
            "components",
            "cost",
            "covariance",
            "coverage",
            "cut",
            "cuts",
            "depth",
            "design",
            "details",
            "df",
            "difference",
            "distance",
            "divide_by",
            "drawn",
            "drop_intermediate",
            "dtype",
            "epsilon",
            "figure",
            "form",
            "forms",
            "fractional",
            "gradient",
            "group_names",
            "group_rule",
            "held",
            "interval",
            "j",
            "k",
            "assurance",
            "k_reg",
            "repeats",
            "kind",
            "least_cases",
            "least_share",
            "shared_error",
            "level",
            "loss",
            "margin",
            "max_annotators",
            "max_iter",
            "method",
            "metric",
            "higher_is_better",
            "missing",
            "model",
            "multiclass",
            "n",
            "n_annotators",
            "n_bins",
            "n_cases",
            "n_chains",
            "n_classes",
            "n_draws",
            "n_resamples",
            "n_restarts",
            "n_thin",
            "n_threads",
            "n_warmup",
            "normalize",
            "normalized",
            "of",
            "on_nonexistence",
            "options",
            "pair",
            "penalty",
            "per_annotator",
            "per_class",
            "persistence",
            "phi",
            "plan",
            "positive",
            "positive_class",
            "power",
            "predictions_are",
            "prior_mass",
            "prior_rate",
            "prior_shape",
            "progress",
            "provenance",
            "q",
            "random",
            "randomized",
            "replace",
            "report",
            "scale",
            "score",
            "score_threshold",
            "seed",
            "self",
            "self_pairs",
            "self_term",
            "single_bins",
            "singletons",
            "size",
            "sources",
            "spread",
            "target",
            "tempering",
            "test",
            "threshold",
            "thresholds",
            "tie_weight",
            "ties",
            "tolerance",
            "tuning",
            "unranked",
            "value",
            "width",
            "within",
        ],
        NO_NAMES,
    ),
    # of cases in most functions: groups are of classes or annotators in others, and are tested below
    "groups": BY_CASE,
    "weights": BY_CASE,
    "frequency": BY_CASE,
    "case_weights": BY_CASE,
}

#: Arrays of the table of functions that the calls there change before the function sees them.
CHANGED_BEFORE = {
    "reader_study": {"ratings"}, "against_readers": {"ratings"}, "corrected_mean": {"ratings", "chosen"},
    "assess_judges": {"ratings", "chosen"}, "strengths": {"ranked"}, "threshold_sweep": {"chosen"}, "mean_pairwise_deviation": {"s", "p"},
}  # fmt: skip
#: Readings and ratings without ids are made there of such arrays, with which nothing can be joined: see the tests below.
for _name in ("reader_study", "against_readers"):
    CHANGED_BEFORE[_name] |= {"p", "s"}
for _name in ("corrected_mean", "assess_judges"):
    CHANGED_BEFORE[_name] |= {"s"}
#: Of a fit, the answers there are rows of new cases: their order is that of the predictions. See the tests of fits below.
NEW_CASES = ("AlphaCalibration", "MonteCarloConformal", "SplitConformal", "TemperatureScaling")
#: References may be known for some cases only; the columns of the first table are the numbers of the answer.
SOME, NUMBERS = {"fit_reliability"}, {"bootstrap"}
#: The table that says which cases there are, and in which order the answer has them, if it is not the first.
LEADS = {"label_posterior": "counts"}

OPTIONS = {
    "clusters": ["x", "x", "y", "y", "z", "z", "u", "u", "v", "v", "w", "w"],
    "strata": ["s"] * 6 + ["t"] * 6,
    "weights": [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 4.0, 1.0, 2.0, 1.0, 5.0],
    "frequency": [1, 2, 1, 3, 1, 1, 2, 4, 1, 2, 1, 5],
    "case_weights": [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 4.0, 1.0, 2.0, 1.0, 5.0],
    "subgroups": {"site": ["a", "b"] * 6},
    "probabilities": [0.5] * 6 + [0.25] * 6,
    "reference": [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2],
}


def arrays_of(name):
    """The raw arrays of a call that can have names."""
    entry = FUNCTIONS[name]
    given = [*entry.given, *(["s"] if three in entry.given else [])]
    return [one for one in given if isinstance(one, str) and one not in CHANGED_BEFORE.get(name, ())]


def named(world, name, values, rows=slice(None), columns=None, more=0, less=0, twice=False):
    """An array as a frame or a Series: with its rows or columns in another order, further rows, a row missing, or a row twice."""
    ids = [f"case {i}" for i in range(len(values))] if "case_ids" not in world else world["case_ids"].tolist()
    if name == "risk":
        return pd.Series(values, index=range(len(values))).iloc[rows if isinstance(rows, slice) else [2, 0, 1]]
    kind = pd.Series if np.ndim(values) == 1 else pd.DataFrame
    made = kind(values, index=pd.Index(ids, name="lesion"))
    if np.ndim(values) == 2:
        made.columns = pd.Index([f"reader {j}" for j in range(values.shape[1])] if name == "ratings" else list(range(values.shape[1])))
    made = made.iloc[rows]
    if columns is not None and np.ndim(values) == 2:
        made = made.iloc[:, [*columns, *range(3, made.shape[1])]]
    if more:
        made = pd.concat([made, made.iloc[:more].set_axis([f"further {i}" for i in range(more)])])
    if less:
        made = made.iloc[:-less]
    return pd.concat([made, made.iloc[:1]]) if twice else made


def answer(entry, found):
    asked = entry.values + entry.per_case
    if isinstance(found, ugt.evaluation.Evaluation):
        return {key: one for key, one in numbers(found).items() if ".joins" not in key}
    return {one: np.asarray(part(found, one), float) for one in asked} if asked else numbers(found)


def same(found, expected, values=()):
    assert found.keys() == expected.keys()
    for key in found:
        if values and key not in values:
            continue
        if isinstance(expected[key], np.ndarray):
            np.testing.assert_allclose(found[key], expected[key], rtol=1e-12, atol=1e-12, err_msg=key)
        else:
            assert found[key] == expected[key], key


def call(name, given, **options):
    """The call of the table with other arrays; what is made of arrays before is made of the raw ones, unless it only groups them."""
    entry, world = FUNCTIONS[name], make_world()
    made = [one({**world, **given} if one is three else world) if callable(one) else given.get(one, world[one]) for one in entry.given]
    return entry.function(*made, **{**entry.fixed, **options})


def refused_or(expected, entry, make, values=()):
    """The same numbers, or a refusal."""
    try:
        found = make()
    except (ValueError, TypeError) as problem:
        assert str(problem), problem
        return False
    same(answer(entry, found), expected, values)
    return True


NAMED = [name for name in FUNCTIONS if arrays_of(name) and name not in NEW_CASES]


@pytest.mark.parametrize("name", NAMED)
def test_named_arrays_are_joined_or_refused(name):
    entry, world = FUNCTIONS[name], make_world()
    expected = answer(entry, call(name, {}))
    tables = arrays_of(name)
    in_order = {one: named(world, one, world[one]) for one in tables}
    leads = LEADS.get(name, entry.given[0])
    assert refused_or(expected, entry, lambda: call(name, in_order)), "names in the same order are refused"
    for one in tables:
        first = one == leads
        values = entry.values if first else ()
        if first and ("." in (*entry.values, *entry.per_case) or name == "predicted_disagreement"):
            continue  # the answer has a row for each case of this table
        forms = {
            "rows in another order": {"rows": ROWS},
            "columns in another order": {"columns": [2, 0, 1]},
            "both": {"rows": ROWS, "columns": [1, 2, 0]},
            "further rows": {"more": N_MORE},
            "a row missing": {"less": 1},
            "a row twice": {"twice": True},
        }
        for form, how in forms.items():
            if (first and form in ("further rows", "a row missing")) or (form in ("a row missing", "further rows") and name in SOME):
                continue  # this table says which cases there are
            if name in NUMBERS and "columns" in how:
                continue
            given = {**in_order, one: named(world, one, world[one], **how)}
            try:
                refused_or(expected, entry, lambda given=given: call(name, given), tuple(values))
            except AssertionError as problem:
                raise AssertionError(f"{name}: {one} with {form}") from problem


@pytest.mark.parametrize("name", NAMED)
def test_names_without_names_on_the_other_side_are_refused(name):
    """A table whose rows or columns have names that nothing else has could stand in any order."""
    entry, world = FUNCTIONS[name], make_world()
    expected = answer(entry, call(name, {}))
    for one in arrays_of(name):
        if one == LEADS.get(name, entry.given[0]):
            continue  # arrays are in its order
        turned = {one: named(world, one, world[one], rows=ROWS)}
        refused_or(expected, entry, lambda turned=turned: call(name, turned))


def options_of(name):
    function = public(name)
    function = function.fit if inspect.isclass(function) else function
    return [one for one in OPTIONS if one in inspect.signature(function).parameters]


@pytest.mark.parametrize(("name", "option"), [(name, one) for name in FUNCTIONS for one in options_of(name)])
def test_options_by_case_are_joined_or_refused(name, option):
    entry, world = FUNCTIONS[name], make_world()
    if name in NEW_CASES or (option == "reference" and name != "fit_reliability"):
        pytest.skip("an option of fit, tested with calibrators")
    if option == "weights" and not named_cases(name):
        pytest.skip("the weights are of classes, of members or of metrics here")
    if name == "bootstrap_statistic":
        pytest.skip("a number of cases has no ids")
    if name == "ua_weighted_kappa":
        pytest.skip("the weights are a word")
    ids = world["case_ids"]
    given = {one: named(world, one, world[one]) for one in arrays_of(name)}
    values = OPTIONS[option]

    def as_series(rows=slice(None), **how):
        if isinstance(values, dict):
            return {key: named(world, option, np.array(one, object), rows, **how) for key, one in values.items()}
        return named(world, option, np.array(values), rows, **how)

    def as_mapping():
        if isinstance(values, dict):
            return {key: dict(zip(ids.tolist()[::-1], one[::-1])) for key, one in values.items()}
        return dict(zip(ids.tolist()[::-1], values[::-1]))

    def asked(how):
        return call(name, given, **{option: how})

    if name in ("corrected_mean", "assess_judges"):
        pytest.skip("labels have no ids there: see the test of judges")
    try:
        plain = call(name, {}, **{option: {k: np.array(v) for k, v in values.items()} if isinstance(values, dict) else np.array(values)})
    except (ValueError, TypeError) as problem:
        pytest.skip(str(problem))
    expected = answer(entry, plain)
    assert refused_or(expected, entry, lambda: asked(as_series()))
    assert refused_or(expected, entry, lambda: asked(as_series(ROWS)))
    assert refused_or(expected, entry, lambda: asked(as_mapping()))
    refused_or(expected, entry, lambda: asked(as_series(more=2)))
    refused_or(expected, entry, lambda: asked(as_series(twice=True)))
    if option not in ("subgroups", "reference"):
        with pytest.raises((ValueError, TypeError)):
            asked(as_series(less=1))
    other = pd.Series(list(range(12)), index=[f"other {i}" for i in range(12)])
    with pytest.raises((ValueError, TypeError)):
        asked({"site": other} if isinstance(values, dict) else other)


def named_cases(name):
    return name in {
        "hard_against_soft", "soft_auroc", "soft_average_precision", "soft_roc_curve", "soft_precision_recall_curve", "histogram_losses",
        "histogram_brier_score", "histogram_log_loss", "manhattan_distance", "ranked_probability_score", "wasserstein_distance",
        "disagreement_losses",
    }  # fmt: skip


def test_every_argument_is_known():
    """A new argument must say whether it has names."""
    for name in [*FUNCTIONS, *OTHERS]:
        function = public(name)
        function = function.fit if inspect.isclass(function) and hasattr(function, "fit") else function
        unknown = inspect.signature(function).parameters.keys() - OF_ARGUMENT.keys() - {"path", "source", "number"}
        assert not unknown or name in OTHERS, f"{name}: {sorted(unknown)}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_clusters_of_results_are_joined(name):
    """The clusters and strata of intervals, of every result that has them."""
    world = make_world()
    found = call(name, {one: named(world, one, world[one]) for one in arrays_of(name)})
    if not hasattr(found, "interval") or getattr(found, "case_ids", None) is None:
        return
    ids = found.case_ids
    if not len(ids) or len(ids) != 12:
        return
    series = pd.Series(OPTIONS["clusters"], index=ids)
    try:
        expected = found.interval(clusters=np.array(OPTIONS["clusters"]), n_resamples=20)
    except (ValueError, TypeError):
        return
    for turned in (series, series.iloc[ROWS], series.to_frame("patient").iloc[ROWS], dict(series.iloc[ROWS])):
        np.testing.assert_array_equal(found.interval(clusters=turned, n_resamples=20), expected)
    with pytest.raises(ValueError, match="clusters must hold an id for every case"):
        found.interval(clusters=series.iloc[1:])


def test_the_table_is_one_entry_per_function():
    assert all(isinstance(entry, Entry) for entry in FUNCTIONS.values()) and classes_of(make_world()) == 3


# ---- what the table of functions makes without ids ----
IDS = [f"p{i}" for i in range(24)]
TURNED = np.random.default_rng(3).permutation(24)


def both_ways(values, **how):
    """A Series or a frame in the order of the cases, and in another one."""
    made = (pd.Series if np.ndim(values) == 1 else pd.DataFrame)(values, index=IDS, **how)
    return made, made.iloc[TURNED]


def test_reader_studies_join_truth_scores_and_clusters():
    rng = np.random.default_rng(1)
    readings = ugt.studies.Readings.from_array(rng.normal(size=(1, 4, 24)) + np.arange(24) % 2, case_ids=IDS)
    truth, score, patient = np.arange(24) % 2, rng.normal(size=24), np.arange(24) // 2
    expected = ugt.studies.against_readers(truth, readings, score, clusters=patient).difference
    for one, other, unit in zip(both_ways(truth), both_ways(score)[::-1], both_ways(patient)[::-1]):
        found = ugt.studies.against_readers(one, readings, other, clusters=unit).difference
        assert (found.value, found.std_error) == (expected.value, expected.std_error)
        np.testing.assert_array_equal(ugt.reader_study(one, readings).figures, ugt.reader_study(truth, readings).figures)
    with pytest.raises(ValueError, match="truth must hold an id for every case"):
        ugt.reader_study(pd.Series(truth, index=range(100, 124)), readings)


def test_judges_are_joined():
    rng = np.random.default_rng(1)
    table = np.where(np.arange(24)[:, None] < 12, rng.integers(0, 2, (24, 3)), -1)
    labels = ugt.Labels.from_wide(table, classes=2, case_ids=IDS, missing=-1)
    judge, chance, stratum = rng.integers(0, 2, 24) + 0.0, np.where(np.arange(24) % 3, 0.5, 0.25), np.arange(24) % 2
    for option, values in (("probabilities", chance), ("strata", stratum)):  # folds= takes what strata= takes
        expected = ugt.corrected_mean(labels, judge, **{option: values}).value
        for one, other in zip(both_ways(judge), both_ways(values)[::-1]):
            assert ugt.corrected_mean(labels, one, **{option: other}).value == expected
    assert ugt.corrected_mean(labels, both_ways(judge)[1].to_frame("score")).value == ugt.corrected_mean(labels, judge).value


@pytest.mark.parametrize(
    "kind", [ugt.calibration.TemperatureScaling, ugt.calibration.PlattScaling, ugt.calibration.VectorScaling, ugt.calibration.MatrixScaling]
)
def test_calibrators_join_predictions_weights_and_clusters(kind):
    rng = np.random.default_rng(5)
    classes = ["no", "yes"] if kind is ugt.calibration.PlattScaling else ["a", "b", "c"]
    truth = rng.integers(0, len(classes), 24)
    logits = rng.normal(size=(24, len(classes))) + np.eye(len(classes))[truth]
    counts = rng.multinomial(3, np.full(len(classes), 1 / len(classes)), 24) + np.eye(len(classes), dtype=int)[truth]
    labels = ugt.Labels.from_counts(counts, case_ids=IDS, classes=classes)
    weight = 1.0 + np.arange(24) % 3
    plain = kind().fit(logits, labels, weights=weight)
    for one, other in zip(both_ways(logits, columns=classes), both_ways(weight)[::-1]):
        found = kind().fit(one[classes[::-1]], labels, weights=other)
        assert found.classes_ == classes and found.loss_ == pytest.approx(plain.loss_, rel=1e-12)
        np.testing.assert_allclose(found.transform(one[classes[::-1]]), plain.transform(one.to_numpy()), rtol=1e-12)
        again = kind.from_json(found.to_json())
        np.testing.assert_array_equal(again.transform(one[classes[::-1]]), found.transform(one))
        assert found.score(one[classes[::-1]], labels) == pytest.approx(plain.score(logits, labels), rel=1e-12)
    with pytest.raises(ValueError, match="predictions must have the classes as its columns"):
        found.transform(one.rename(columns={classes[0]: "other"}))


def test_alpha_calibration_joins_features_and_remembers_their_names():
    rng = np.random.default_rng(5)
    probs, features = rng.dirichlet([2, 2, 2], 24), rng.normal(size=(24, 2))
    labels = ugt.Labels.from_counts(rng.multinomial(4, [0.4, 0.3, 0.3], 24), case_ids=IDS, classes=list("abc"))
    plain = ugt.calibration.AlphaCalibration().fit(probs, labels, features=features)
    for one, other in zip(both_ways(probs, columns=list("abc")), both_ways(features, columns=["age", "depth"])[::-1]):
        found = ugt.calibration.AlphaCalibration().fit(one, labels, features=other)
        np.testing.assert_allclose(found.weights_, plain.weights_, rtol=1e-12)
        expected = plain.transform(one.to_numpy(), features if one.index[0] == "p0" else features[TURNED])
        np.testing.assert_allclose(found.transform(one, other[["depth", "age"]]), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="features must have the features as its columns"):
        found.concentration(other.rename(columns={"age": "weight"}))


@pytest.mark.parametrize("kind", ["split", "monte carlo", "regions"])
def test_conformal_predictors_join_predictions_truth_and_groups(kind):
    rng = np.random.default_rng(5)
    probs, classes, group = rng.dirichlet([2, 2, 2], 24), list("abc"), np.arange(24) % 2
    labels = ugt.Labels.from_wide(rng.integers(0, 3, (24, 1)), classes=3, case_ids=IDS)
    labels = ugt.Labels.from_wide(np.array(classes)[labels.label][:, None], classes=classes, case_ids=IDS)
    made = {
        "split": ugt.conformal.SplitConformal(alpha=0.3),
        "monte carlo": ugt.conformal.MonteCarloConformal(alpha=0.3, m=5),
        "regions": ugt.conformal.PlausibilityRegions("lac", 0.3),
    }
    truth, more = (labels if kind != "regions" else ugt.dirichlet(labels, prior=1)), {} if kind == "regions" else {"groups": group}
    plain = made[kind].fit(probs, truth, **more)
    expected = plain.half_spaces(probs, case_ids=IDS)[0] if kind == "regions" else plain.p_values(probs, **more, case_ids=IDS)
    for i, one in enumerate(both_ways(probs, columns=classes)):
        own = {} if kind == "regions" else {"groups": both_ways(group)[1 - i]}
        found = made[kind].fit(one[["c", "a", "b"]], truth, **own)
        got = found.half_spaces(one[["c", "a", "b"]])[0] if kind == "regions" else found.p_values(one[["c", "a", "b"]], **own)
        np.testing.assert_allclose(got, expected if i == 0 else expected[TURNED], rtol=1e-12)
        if kind != "regions":
            assert found.predict_sets(one, **own).axes.case_ids.tolist() == one.index.tolist()
            sets = found.predict_sets(one, **own)
            assert sets.coverage(truth).mass.value == plain.predict_sets(probs, **more, case_ids=IDS).coverage(truth).mass.value


def test_a_column_of_text_beside_the_classes_is_named():
    truth = ugt.dirichlet(ugt.Labels.from_counts([[2, 1], [0, 3]], classes=["a", "b"], case_ids=["p1", "p2"]))
    frame = pd.DataFrame({"reader": ["p1", "p2"], "a": [0.9, 0.1], "b": [0.1, 0.9]})
    refused("scores must have columns of numbers only .* Got the column 'reader'", ugt.ua_topk_accuracy, truth, frame)
    assert ugt.ua_topk_accuracy(truth, frame.set_index("reader")).value > 0.5


def test_labels_of_a_conformal_predictor_are_names_or_numbers_of_classes():
    rng = np.random.default_rng(5)
    probs, number = rng.dirichlet([2, 2, 2], 24), rng.integers(0, 3, 24)
    frame, names = pd.DataFrame(probs, index=IDS, columns=list("abc")), np.array(list("abc"))[number]
    expected = ugt.conformal.SplitConformal(alpha=0.3).fit(probs, number, case_ids=IDS).p_values(probs, case_ids=IDS)
    mixed = frame.iloc[TURNED][["c", "a", "b"]]
    for table, labels in (
        *((frame, one) for one in (number, names, names.tolist(), pd.Series(names, index=IDS), pd.Series(number, index=IDS))),
        *((mixed, one) for one in (names[TURNED], pd.Series(names, index=IDS))),
    ):
        found = ugt.conformal.SplitConformal(alpha=0.3).fit(table, labels)
        np.testing.assert_allclose(found.p_values(frame)[:, [found.classes_.index(name) for name in "abc"]], expected, rtol=1e-12)
    fit = ugt.conformal.SplitConformal(alpha=0.3).fit
    refused("labels must be names of classes: 'a', 'b', 'c'. Got 'd'", fit, frame, ["d", *names[1:]])
    refused("labels must be 24 class numbers .or their names, if the predictions have them", fit, probs, names)
    refused("labels must be Labels if the classes are called 1, 2, 3, as a number may be", fit, frame.set_axis([1, 2, 3], axis=1), number)
    for labels in (number, pd.Series(number)):  # an index that numbers its rows because none was given is in the order of the rows
        assert ugt.conformal.SplitConformal(alpha=0.3).fit(mixed.set_axis(range(24)), labels).n_cases_ == 24


def test_an_index_that_numbers_labels_is_not_read_beside_the_same_numbers_in_another_order():
    rng = np.random.default_rng(5)
    frame, number = pd.DataFrame(rng.dirichlet([2, 2, 2], 24), columns=list("abc")).iloc[TURNED], rng.integers(0, 3, 24)
    for made, what in ((ugt.conformal.SplitConformal(alpha=0.3), "labels"), (ugt.calibration.TemperatureScaling(), "counts")):
        refused(f"{what} must have the case ids, which are the numbers of its rows in another order", made.fit, frame, pd.Series(number))
        made.fit(frame, number[TURNED])


def test_values_of_classes_are_joined():
    labels = ugt.Labels.from_wide(np.array(list("abcabcab"))[:, None].repeat(2, 1), classes=list("abc"))
    truth, probs = ugt.dirichlet(labels), np.random.default_rng(0).dirichlet([1, 1, 1], 8)
    for function, option, values in (
        (lambda **how: ugt.truth.expected_risk(truth, **how), "risk", [0, 1, 5]),
        (lambda **how: ugt.grades.ua_absolute_error(truth, probs, **how), "values", [0, 1, 5]),
        (lambda **how: ugt.grades.ua_spearman(truth, probs, **how), "values", [0, 5, 1]),
        (lambda **how: ugt.calibration.wasserstein_distance(labels, probs, **how), "positions", [0, 1, 5]),
        (lambda **how: ugt.discrepancy_ratio(labels, list("abcabcaa"), distance="squared", **how), "values", [0, 1, 5]),
        (lambda **how: ugt.metrics.ua_group_accuracy(truth, probs, **how), "groups", [0, 1, 1]),
        (
            lambda **how: ugt.evaluate(labels, {"m": probs}, k=1, reliability=1, n_resamples=5, details=False, **how).metrics[-1],
            "groups",
            [0, 1, 1],
        ),
    ):
        series = pd.Series(values, index=list("abc"))
        found = [function(**{option: how}) for how in (values, series, series.iloc[::-1], dict(series.iloc[::-1]))]
        expected = getattr(found[0], "value", found[0])
        assert all(getattr(one, "value", one) == expected for one in found), option
        with pytest.raises(ValueError, match=f"{option} must hold a value for exactly the 3 classes"):
            function(**{option: series.rename({"a": "x"})})


def test_costs_of_pairs_of_classes_are_joined():
    costs = pd.DataFrame([[0, 1, 4], [1, 0, 2], [4, 2, 0]], index=list("abc"), columns=list("abc"))
    labels = ugt.Labels.from_wide(np.array(list("abcabcab") + list("bbcaacab")).reshape(2, 8).T, classes=list("abc"))
    turned = costs.loc[list("cab"), list("bca")]
    for function in (lambda d: ugt.discrepancy_ratio(labels, list("abcabcaa"), distance=d).value,):
        assert function(turned) == function(costs) == function(costs.to_numpy())
    weights = 1 - costs / 4
    assert (
        ugt.cohen_kappa(labels, weights=weights.loc[list("cab"), list("bca")]).value
        == ugt.cohen_kappa(labels, weights=weights.to_numpy()).value
    )


def test_groups_of_annotators_are_joined():
    labels = ugt.Labels.from_wide(np.random.default_rng(0).integers(0, 2, (20, 4)), classes=2, annotators=list("wxyz"))
    result = ugt.soft_auroc(labels, np.random.default_rng(1).random(20))
    groups = pd.Series(["s", "s", "t", "t"], index=list("wxyz"))
    for turned in (groups, groups.iloc[[3, 0, 2, 1]], dict(groups)):
        assert (
            ugt.resampling.by_annotators(result, turned).mean().value == ugt.resampling.by_annotators(result, groups.tolist()).mean().value
        )
        found = ugt.humans.group_discrepancy(labels, np.arange(20) % 2, turned, distance="zero-one")
        plain = ugt.humans.group_discrepancy(labels, np.arange(20) % 2, groups.tolist(), distance="zero-one")
        np.testing.assert_array_equal(found.value, plain.value)
    rely = pd.Series([1.0, 2.0, 3.0, 4.0], index=list("wxyz"))
    assert (
        ugt.dirichlet(labels, reliability=rely.iloc[::-1]).mean().tolist()
        == ugt.dirichlet(labels, reliability=rely.tolist()).mean().tolist()
    )


def test_a_column_named_after_a_class_is_of_that_class():
    """Once the scores of the first of two classes were read as those of the second."""
    labels = ugt.Labels.from_wide(
        [["ill", "ill"], ["well", "well"], ["ill", "well"], ["ill", "ill"]], classes=["ill", "well"], case_ids=list("abcd")
    )
    ill = pd.DataFrame({"ill": [0.9, 0.2, 0.6, 0.7]}, index=list("abcd"))
    expected = ugt.soft_auroc(labels, 1 - ill["ill"].to_numpy()).value
    for one in (ill["ill"], ill, ill.rename_axis("case").reset_index(), {"ill": ill["ill"].tolist()}):
        assert ugt.soft_auroc(labels, one).value == expected
    for call in (
        lambda: ugt.calibration.PlattScaling(input="probabilities").fit(ill["ill"], labels),
        lambda: ugt.humans.threshold_sweep(labels, ill["ill"]),
        lambda: ugt.humans.annotator_roc_points(labels, ill["ill"]),
    ):
        with pytest.raises(ValueError, match="must be of the class 'well', the second of two, if they are one column"):
            call()


def test_a_column_that_is_only_numbered_has_no_name():
    """Once a frame of one column that pandas numbered 0 was read as the scores of class 0: an AUROC of 0.93 became 0."""
    labels, scores = ugt.Labels.from_wide([[1, 1], [0, 0], [1, 0], [1, 1]], classes=2), np.array([0.9, 0.1, 0.6, 0.7])
    expected = ugt.soft_auroc(labels, scores).value
    assert ugt.soft_auroc(labels, pd.DataFrame(scores)).value == expected > 0.9
    assert ugt.soft_auroc(labels, pd.DataFrame(np.c_[1 - scores, scores])[1]).value == expected
    with pytest.raises(ValueError, match="scores must say whether its numbers are of the class 0"):
        ugt.soft_auroc(labels, pd.DataFrame(scores)[0])


def test_numbers_of_cases_are_joined():
    first, second = both_ways(np.arange(24.0)), both_ways(np.arange(24.0) ** 2)
    expected = ugt.truth.case_correlation(first[0].to_numpy(), second[0].to_numpy()).value
    for one, other in ((first[0], second[1]), (first[1], second[0])):
        assert ugt.truth.case_correlation(one, other).value == pytest.approx(expected, rel=1e-12)


def test_frames_of_other_libraries():
    pa = pytest.importorskip("pyarrow")
    labels = ugt.Labels.from_wide(np.array(list("abcabc"))[:, None], classes=list("abc"), case_ids=[f"p{i}" for i in range(6)])
    truth, probs = ugt.dirichlet(labels), np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    expected = ugt.ua_topk_accuracy(truth, probs).value
    rows = np.array([3, 1, 0, 5, 4, 2])
    frame = pd.DataFrame({"c": probs[rows, 2], "case": [f"p{i}" for i in rows], "a": probs[rows, 0], "b": probs[rows, 1]})
    tables = [frame, pa.Table.from_pandas(frame, preserve_index=False)]
    try:
        import polars

        tables.append(polars.DataFrame({name: frame[name].to_numpy() for name in frame.columns}))
    except ImportError:
        pass
    for one in [
        *tables,
        {"b": frame["b"].set_axis(frame["case"]), "a": frame["a"].set_axis(frame["case"]), "c": frame["c"].set_axis(frame["case"])},
    ]:
        assert ugt.ua_topk_accuracy(truth, one).value == expected
    unit = pa.table({"case": frame["case"].tolist(), "patient": [0, 0, 1, 1, 2, 2]})
    mapping = dict(zip(frame["case"], [0, 0, 1, 1, 2, 2]))
    result = ugt.soft_auroc(labels, probs)
    assert result.interval(clusters=unit, n_resamples=5) == result.interval(clusters=mapping, n_resamples=5)


def test_both_lists_are_shown():
    labels = ugt.Labels.from_wide(np.array(list("aba"))[:, None], classes=list("ab"), case_ids=["p", "q", "r"])
    truth, frame = ugt.dirichlet(labels), pd.DataFrame([[0.1, 0.9]] * 3, index=["x", "q", "r"], columns=list("ab"))
    with pytest.raises(
        ValueError, match=r"scores must have the cases as its rows .*Got rows 'x', 'q', 'r' for cases 'p', 'q', 'r': 1 unknown, first 'x'"
    ):
        ugt.ua_topk_accuracy(truth, frame)
    with pytest.raises(ValueError, match=r"scores must have the cases as its rows .*none for 1, first 'p'"):
        ugt.ua_topk_accuracy(truth, frame.iloc[1:])
    numbered = ugt.dirichlet(ugt.Labels.from_wide(np.array(list("aba"))[:, None], classes=list("ab")))
    assert ugt.ua_topk_accuracy(numbered, frame.reset_index(drop=True)).joined["scores"].rows == "position"
    with pytest.raises(ValueError, match="scores must have the cases as its rows"):
        ugt.ua_topk_accuracy(numbered, frame)
    with pytest.raises(ValueError, match="the numbers of its rows in another order"):
        ugt.ua_topk_accuracy(ugt.Dirichlet.from_array([[1, 2], [2, 1]], case_ids=[1, 0]), pd.DataFrame([[0.1, 0.9]] * 2, columns=[0, 1]))


def test_results_tell_how_they_were_joined():
    labels = ugt.Labels.from_wide(np.array(list("aba"))[:, None], classes=list("ab"), case_ids=["p", "q", "r"])
    frame = pd.DataFrame([[0.1, 0.9]] * 3, index=["r", "q", "p"], columns=list("ba"))
    found = ugt.ua_topk_accuracy(ugt.dirichlet(labels), frame)
    assert found.joined == {"scores": ("id", "name")}
    assert ugt.ua_topk_accuracy(ugt.dirichlet(labels), frame.to_numpy()).joined == {"scores": ("position", "")}
    made = ugt.evaluate(labels, {"m": frame}, n_resamples=5, k=1, positive_class="b", clusters=pd.Series([1, 2, 3], index=["q", "r", "p"]))
    assert made.joined["clusters"] == ("id", "") and made.joined["predictions['m']"] == ("id", "name")
    assert made.to_dict()["data"]["joins"]["predictions['m']"] == {"rows": "id", "columns": "name"}


def test_an_indexed_frame_is_read_as_its_file_would_be():
    labels = ugt.Labels.from_wide(np.array([["benign"] * 2, ["malignant"] * 2, ["benign", "malignant"]]), case_ids=["a", "b", "c"])
    frame = pd.DataFrame(
        {"prob_malignant": [0.6, 0.9, 0.2], "pred": ["malignant", "malignant", "benign"], "split": "test"}, index=["c", "b", "a"]
    )
    scores = np.array([[0.8, 0.2], [0.1, 0.9], [0.4, 0.6]])
    truth = ugt.dirichlet(labels)
    assert ugt.ua_topk_accuracy(truth, frame).value == ugt.ua_topk_accuracy(truth, scores).value
    made = ugt.evaluate(labels, {"m": frame}, n_resamples=5, k=1, details=False, reliability=1)
    (found,) = (row["value"] for row in made.metrics if row["metric"] == "topk_accuracy" and row["reliability"] == 1)
    assert found == ugt.ua_topk_accuracy(truth, scores).value
    assert "split" in " ".join(map(str, made.notes))


# ---- what a stranger found ----
def of_three():
    rows = [["a", "a", "b"], ["c", "b", "c"], ["b", "b", "c"], ["a", "c", "a"]]
    return ugt.Labels.from_wide(rows, case_ids=["p1", "p2", "p3", "p4"], classes=["a", "b", "c"])


def test_values_and_priors_of_classes_are_joined_everywhere():
    labels, series = of_three(), pd.Series({"c": 5.0, "a": 0.0, "b": 1.0})
    expected = ugt.krippendorff_alpha(labels, "interval", values=[0, 1, 5]).value
    assert ugt.krippendorff_alpha(labels, "interval", values=series).value == expected
    assert ugt.krippendorff_alpha(labels, "interval", values=dict(series)).value == expected
    plain = ugt.dirichlet(labels, prior=[0.1, 1.1, 5.1]).mean()
    for prior in (series + 0.1, dict(series + 0.1)):
        np.testing.assert_array_equal(ugt.dirichlet(labels, prior=prior).mean(), plain)
    table = pd.DataFrame(np.arange(1.0, 13.0).reshape(4, 3), index=labels.axes.case_ids, columns=list("abc"))
    turned = table.iloc[::-1][["c", "a", "b"]]
    np.testing.assert_array_equal(ugt.dirichlet(labels, prior=turned).mean(), ugt.dirichlet(labels, prior=table.to_numpy()).mean())
    rows = [ugt.evaluate(labels, {"m": table}, prior=how, n_resamples=5, details=False).metrics for how in ([0.1, 1.1, 5.1], series + 0.1)]
    assert [row["value"] for row in rows[0]] == [row["value"] for row in rows[1]]


def test_an_unnamed_index_survives_arrow_and_filters():
    pa = pytest.importorskip("pyarrow")
    labels = of_three()
    truth, table = ugt.dirichlet(labels), np.random.default_rng(0).dirichlet([1, 1, 1], 4)
    frame = pd.DataFrame(table, index=labels.axes.case_ids, columns=list("abc"))
    expected = ugt.ua_topk_accuracy(truth, table).value
    assert ugt.ua_topk_accuracy(truth, pa.Table.from_pandas(frame.iloc[::-1])).value == expected
    sampled = frame.reset_index(names="case") if hasattr(pd.DataFrame, "map") else frame.rename_axis("case").reset_index()
    for one in (sampled.iloc[[2, 0, 3, 1]], sampled.set_axis([7, 3, 9, 1])):
        assert ugt.ua_topk_accuracy(truth, one).value == expected
        rows = ugt.evaluate(labels, {"m": one}, k=1, reliability=1, n_resamples=5, details=False).metrics
        assert expected in [row["value"] for row in rows]


def test_forms_that_mappings_and_lists_have():
    labels = of_three()
    truth, table = ugt.dirichlet(labels), np.random.default_rng(0).dirichlet([1, 1, 1], 4)
    frame = pd.DataFrame(table, index=labels.axes.case_ids, columns=list("abc"))
    given = {"case_ids": ["p4", "p3", "p2", "p1"], "scores": table[::-1], "classes": ["a", "b", "c"]}
    assert ugt.ua_topk_accuracy(truth, given).value == ugt.ua_topk_accuracy(truth, table).value
    with pytest.raises(ValueError, match="scores must be one table, not a list of Series"):
        ugt.ua_topk_accuracy(truth, [frame.loc[i, ["c", "a", "b"]] for i in frame.index])
    turned = {i: frame.loc[i, ["c", "a", "b"]] for i in reversed(frame.index)}
    found = ugt.discrepancy_ratio(labels, frame, distance="zero-one").value
    assert ugt.discrepancy_ratio(labels, turned, distance="zero-one").value == found
    pair = (["p2", "p1", "p4", "p3"], ["c", "a", "a", "b"])
    assert ugt.discrepancy_ratio(labels, pair).value == ugt.discrepancy_ratio(labels, ["a", "c", "b", "a"]).value
    p, scores = pd.Series([0.1, 0.9, 0.4], index=["x", "y", "z"]), {"z": 0.3, "x": 0.2, "y": 0.8}
    assert ugt.soft_auroc(p, scores).value == ugt.soft_auroc(p.to_numpy(), [0.2, 0.8, 0.3]).value


def test_sets_of_the_same_cases_in_another_order_are_joined():
    labels = of_three()
    probs = pd.DataFrame(np.random.default_rng(0).dirichlet([1, 1, 1], 4), index=labels.axes.case_ids, columns=list("abc"))
    conformal = ugt.conformal.MonteCarloConformal(alpha=0.4).fit(probs, labels)
    truth = ugt.dirichlet(labels)
    expected = ugt.metrics.ua_coverage(truth, conformal.predict_sets(probs)).value
    assert ugt.metrics.ua_coverage(truth, conformal.predict_sets(probs.iloc[::-1])).value == expected


def test_an_index_that_was_not_given_is_no_id_of_two_vectors():
    labels = pd.Series(list("xyxyyx"))
    assert ugt.cohen_kappa(labels, labels.copy()).value == 1
    with pytest.raises(ValueError, match="other must have an index as labels has"):
        ugt.cohen_kappa(labels, labels.set_axis(range(1, 7)))


def test_classes_that_are_numbers_in_another_order_are_refused():
    """Once only classes that are texts were compared between a truth and sets of classes, or another truth."""
    truth = ugt.Dirichlet.from_array([[3, 1, 1], [1, 1, 4]], case_ids=["x", "y"], classes=[2, 1, 0])
    sets = ugt.conformal.PredictionSets.of([[0], [2]], 3, case_ids=["x", "y"])
    with pytest.raises(ValueError, match=r"sets must have the classes as its columns .* in another order"):
        ugt.metrics.ua_coverage(truth, sets)
    named = ugt.Dirichlet.from_array([[3, 1, 1], [1, 1, 4]], case_ids=["x", "y"], classes=[1, 2, 3])
    assert ugt.metrics.ua_coverage(named, sets).value > 0.5
