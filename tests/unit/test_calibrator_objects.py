"""Calibrators as objects: parameters, text, JSON, copies, and life in scikit-learn."""

import copy
import json
import pickle

import numpy as np
import pytest
from refusals import refused
from twins.calibrators import problem

import ugt

ALL = [
    ugt.calibration.TemperatureScaling,
    ugt.calibration.PlattScaling,
    ugt.calibration.VectorScaling,
    ugt.calibration.MatrixScaling,
    ugt.calibration.AlphaCalibration,
]
NUMBERS = ("temperature_", "slope_", "intercept_", "scale_", "shift_", "matrix_", "weights_", "loss_", "gradient_norm_")


def fitted(kind, **options):
    return kind(**options).fit(*problem(kind))


def same(a, b):
    assert type(a) is type(b)
    assert a.get_params() == b.get_params()
    assert vars(a).keys() == vars(b).keys()
    for name, value in vars(a).items():
        np.testing.assert_array_equal(getattr(b, name), value)
        assert type(getattr(b, name)) is type(value)
    given, _ = problem(type(a))
    np.testing.assert_array_equal(a.transform(given), b.transform(given))


@pytest.mark.parametrize("kind", ALL)
def test_parameters(kind):
    calibrator = kind()
    params = calibrator.get_params()
    assert calibrator.get_params(deep=False) == params
    assert repr(calibrator) == f"{kind.__name__}()"
    assert calibrator.set_params(floor=0.5) is calibrator
    assert calibrator.get_params() == {**params, "floor": 0.5}
    assert repr(calibrator) == f"{kind.__name__}(floor=0.5)"
    refused(r"params must be among .*floor.*\. Got 'temperature'\.", calibrator.set_params, temperature=3)
    with pytest.raises(TypeError):
        kind(0.5)
    assert repr(ugt.calibration.VectorScaling(penalty_b=np.array([1.0, 2.0]), seed=3)) == "VectorScaling(penalty_b=array([1., 2.]), seed=3)"


@pytest.mark.parametrize("kind", ALL)
def test_what_a_fit_finds_is_what_json_checks(kind):
    calibrator = fitted(kind)
    assert {name for name in vars(calibrator) if name.endswith("_")} == set(kind._fitted)
    documented = kind.__doc__
    for name in kind._fitted:
        assert name in documented


@pytest.mark.parametrize("kind", ALL)
def test_json_keeps_every_bit(kind, tmp_path):
    calibrator = fitted(kind)
    same(calibrator, kind.from_json(calibrator.to_json()))
    path = tmp_path / "calibrator.json"
    text = calibrator.to_json(path)
    assert path.read_text(encoding="utf-8") == text + "\n"
    for source in (path, str(path), text, "\n " + text):
        same(calibrator, ugt.calibration.load_calibrator(source))
    assert ugt.calibration.load_calibrator(text).to_json() == text


def test_json_of_parameters():
    kind = ugt.calibration.MatrixScaling
    calibrator = fitted(kind, penalty_w=np.array([1.0, 10.0]), penalty_b=[0.1, np.float64(2)], seed=np.int64(4), validation=3)
    restored = kind.from_json(calibrator.to_json())
    assert restored.path_ == calibrator.path_
    assert restored.penalty_b == [0.1, 2.0]
    np.testing.assert_array_equal(restored.penalty_w, calibrator.penalty_w)
    assert restored.fit(*problem(kind)).path_ == calibrator.path_
    message = r"params must be numbers, text, lists or arrays to be saved as JSON\. Got Generator"
    refused(message, fitted(ugt.calibration.VectorScaling, seed=np.random.default_rng(0)).to_json)
    refused(r"VectorScaling must be fitted first: call fit\.", ugt.calibration.VectorScaling().to_json)


def damaged(kind, part, **changes):
    held = json.loads(fitted(kind).to_json())
    held[part] = {name: value for name, value in {**held[part], **changes}.items() if value is not KeyError}
    return json.dumps(held)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL)
def test_fitted_numbers_must_be_there_and_be_theirs(kind):
    for name in kind._fitted:
        with pytest.raises(ValueError, match=rf"source must have all fitted numbers of a {kind.__name__}\. Got no {name}\."):
            kind.from_json(damaged(kind, "fitted", **{name: KeyError}))
        for wrong in ("text", None, float("nan"), {"array": [[[1.0]]], "dtype": "float64"}):
            refused(rf"source must have {name} of a {kind.__name__}\. Got ", kind.from_json, damaged(kind, "fitted", **{name: wrong}))
    for name in ("foo_", "transform", "__class__", "_x_", "a b_"):
        refused(rf"source must have fitted numbers of a calibrator\. Got '{name}'\.", kind.from_json, damaged(kind, "fitted", **{name: 1}))
    refused(rf"source must have parameters of {kind.__name__}\. Got 'foo'\.", kind.from_json, damaged(kind, "params", foo=1))


@pytest.mark.filterwarnings("ignore")
def test_damaged_and_foreign_json():
    array = {"array": [[1.0, 2.0], [3.0]], "dtype": "float64"}
    for values, message in (
        (array, r"source must have arrays of numbers\. Got scale_ with something else\."),
        ({"array": ["x"], "dtype": "float64"}, r"source must have arrays of numbers\. Got scale_ with something else\."),
        ({"array": [1.0], "dtype": "object"}, r"source must have arrays of numbers\. Got 'object'\."),
        ({"array": [1.0, 2.0], "dtype": "float64"}, r"source must have scale_ of a VectorScaling\."),
        ({"array": [1.0, 2.0, float("inf")], "dtype": "float64"}, r"source must have scale_ of a VectorScaling\."),
        ({"array": [1, 2, 3], "dtype": "int64"}, r"source must have scale_ of a VectorScaling\."),
    ):
        refused(message, ugt.calibration.load_calibrator, damaged(ugt.calibration.VectorScaling, "fitted", scale_=values))
    for temperature in (0.0, -1.0, float("inf"), True, 2):
        with pytest.raises(ValueError, match=r"source must have temperature_ of a TemperatureScaling"):
            ugt.calibration.load_calibrator(damaged(ugt.calibration.TemperatureScaling, "fitted", temperature_=temperature))
    text = fitted(ugt.calibration.VectorScaling).to_json()
    for source, message in (
        (text[:-30], r"source must be the JSON of a calibrator\. Got text that is not JSON"),
        ('{"a":' * 100_000, r"source must be the JSON of a calibrator\. Got text that is not JSON"),
        ("{}", r"source must be the JSON of a calibrator\. Got other content\."),
        ('{"calibrator": "A", "calibrator": "B"}', r"source must have each field of an object once\. Got 'calibrator' twice\."),
        ('{"calibrator": 3}', r"source must be the JSON of a calibrator\. Got other content\."),
        (json.dumps({"calibrator": "VectorScaling", "params": [], "fitted": {}}), r"with params by name\. Got \[\]\."),
        (json.dumps({"calibrator": "VectorScaling", "params": {}}), r"with fitted by name\. Got None\."),
        (text.replace("VectorScaling", "Calibrator"), r"source must hold a calibrator of ugt\. Got 'Calibrator'\."),
        (None, r"source must be the JSON of a calibrator or the path of a file\. Got None\."),
        (3.5, r"source must be the JSON of a calibrator or the path of a file\. Got 3\.5\."),
    ):
        refused(message, ugt.calibration.load_calibrator, source)
    refused(r"source must hold a MatrixScaling\. Got 'VectorScaling'\.", ugt.calibration.MatrixScaling.from_json, text)
    half = ugt.calibration.VectorScaling()
    half.path_ = []
    assert not half.__sklearn_is_fitted__()
    with pytest.raises(FileNotFoundError):
        ugt.calibration.load_calibrator("no such file.json")


def test_files_that_hold_something_else(tmp_path):
    path = tmp_path / "c.json"
    for content in (b"\xff\xfe\x00", b"[1, 2]", b""):
        path.write_bytes(content)
        refused(
            r"source must be the JSON of a calibrator\. Got (text that is not JSON|other content)", ugt.calibration.load_calibrator, path
        )


@pytest.mark.parametrize("kind", ALL)
def test_copies(kind):
    calibrator = fitted(kind)
    for twin in (copy.copy(calibrator), copy.deepcopy(calibrator), pickle.loads(pickle.dumps(calibrator))):
        same(calibrator, twin)


def test_a_fit_that_fails_leaves_the_one_before():
    logits, counts = problem(ugt.calibration.VectorScaling)
    unseen = counts * [1, 1, 0]
    for kind in (ugt.calibration.TemperatureScaling, ugt.calibration.VectorScaling, ugt.calibration.MatrixScaling):
        penalties = {} if kind is ugt.calibration.TemperatureScaling else {"penalty_b": 0}
        calibrator = kind(**penalties)
        bad = np.eye(3, dtype=int)[logits.argmax(axis=1)] if kind is ugt.calibration.TemperatureScaling else unseen
        refused(r"no finite map is best", calibrator.fit, logits, bad)
        refused(r"must be fitted first", calibrator.transform, logits)
        before = pickle.dumps(calibrator.fit(logits, counts))
        refused(r"no finite map is best", calibrator.fit, logits, bad)
        same(pickle.loads(before), calibrator)


# ---- scikit-learn
@pytest.mark.parametrize("kind", ALL)
def test_scikit_learn_clones(kind):
    base = pytest.importorskip("sklearn.base")
    calibrator = fitted(kind, floor=1e-9)
    clone = base.clone(calibrator)
    assert clone.get_params() == calibrator.get_params()
    assert not clone.__sklearn_is_fitted__()
    assert calibrator.__sklearn_is_fitted__()
    several = base.clone(ugt.calibration.VectorScaling(penalty_b=(0.1, 1.0), seed=np.random.default_rng(0)))
    assert several.penalty_b == (0.1, 1.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ALL)
def test_scikit_learn_pipelines(kind):
    pipeline, preprocessing = pytest.importorskip("sklearn.pipeline"), pytest.importorskip("sklearn.preprocessing")
    validation = pytest.importorskip("sklearn.utils.validation")
    given, counts = problem(kind)
    steps = pipeline.make_pipeline(preprocessing.FunctionTransformer(np.array), kind())
    z = steps.fit_transform(given, counts)
    np.testing.assert_array_equal(z, kind().fit_transform(given, counts))
    np.testing.assert_array_equal(steps.fit(given, counts).transform(given), z)
    validation.check_is_fitted(steps[-1])
    before = pipeline.make_pipeline(kind(), preprocessing.FunctionTransformer(np.log))
    np.testing.assert_array_equal(before.fit(given, counts).transform(given), np.log(z))
    repr(steps)
    steps.set_params(**{f"{kind.__name__.lower()}__floor": 0.01})
    assert steps[-1].floor == 0.01


@pytest.mark.filterwarnings("error")
def test_scikit_learn_grid_search():
    selection = pytest.importorskip("sklearn.model_selection")
    logits, counts = problem(ugt.calibration.VectorScaling, 90)
    grid = {"penalty_b": [1e-3, 1.0, 100.0]}
    search = selection.GridSearchCV(ugt.calibration.VectorScaling(), grid, cv=3).fit(logits, counts)
    for i, penalty in enumerate(grid["penalty_b"]):
        scores = []
        for fit, test in selection.KFold(3).split(logits):
            scores.append(ugt.calibration.VectorScaling(penalty_b=penalty).fit(logits[fit], counts[fit]).score(logits[test], counts[test]))
        assert search.cv_results_["mean_test_score"][i] == pytest.approx(np.mean(scores), rel=1e-12)
    assert search.best_params_["penalty_b"] == grid["penalty_b"][int(np.argmax(search.cv_results_["mean_test_score"]))]
    np.testing.assert_array_equal(search.transform(logits), search.best_estimator_.transform(logits))
    selection.cross_val_score(ugt.calibration.TemperatureScaling(), logits, counts.argmax(axis=1), cv=3)
