"""Alpha-calibration: objective by finite differences and by the slow twin, minima, what it keeps, data without a minimum, bad input."""

import copy
import pickle

import numpy as np
import pytest
import scipy.optimize
from refusals import refused
from twins import calibrators as twin

import ugt
from ugt.calibration import newton
from ugt.calibration.alpha import _Objective
from ugt.calibration.logits import LabelTable, LogitTable
from ugt.calibration.posteriors import Likelihood

NAN, INF = float("nan"), float("inf")
UNBOUNDED = (
    r"counts must leave the best concentration finite\. Annotators always agree, or never more than by chance: give a penalty above 0\."
)


def problem(n=80, k=3, m=2, seed=0, labels=(0, 1, 2, 5, 100)):
    """Predictions, features that say how sure they are, and labels."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(k), n)
    features = rng.normal(size=(n, m)) * 3 + 10
    log_total = 0.4 * (features[:, 0] - 10) + 0.5
    truth = np.array([rng.dirichlet(np.exp(s) * p + 1e-9) for s, p in zip(log_total, probs)])
    return probs, np.array([rng.multinomial(rng.choice(labels), p) for p in truth]), features


def objective_of(probs, counts, x, weight=None, penalty=0.005):
    table = LogitTable.of(probs, "probabilities")
    likelihood = Likelihood.of(LabelTable.of(counts, table.shape, False), table, None)
    return _Objective(likelihood, x, np.ones(len(probs)) if weight is None else weight, penalty)


# ---- objective and minimum
@pytest.mark.parametrize("penalty", [0.0, 0.005, 3.0])
def test_objective_gradient_and_curvature(penalty):
    probs, counts, x = problem()
    x = x - 10
    weight = np.random.default_rng(1).integers(0, 3, len(x)).astype(float)
    objective = objective_of(probs, counts, x, weight, penalty)
    coefficient = np.array([twin.log_coefficient(row) for row in counts.tolist()])
    used = np.where(counts.any(axis=1), weight, 0)
    for theta in (np.zeros(3), np.array([0.5, 0.3, -0.2]), np.array([-9.0, 0.1, 0.0]), np.array([9.0, -0.5, 0.2])):
        value, gradient = objective.value_and_gradient(theta)
        slow = twin.alpha_objective(counts.tolist(), probs.tolist(), (x @ theta[1:] + theta[0]).tolist(), penalty, used.tolist())
        assert value - used @ coefficient / used.sum() == pytest.approx(slow, rel=1e-12)
        curved = objective.curved.copy()
        steps = 1e-5 * np.eye(3)
        ahead, behind = ([objective.value_and_gradient(theta + sign * step) for step in steps] for sign in (1, -1))
        np.testing.assert_allclose(gradient, [(a[0] - b[0]) / 2e-5 for a, b in zip(ahead, behind)], rtol=1e-6, atol=1e-8)
        full = np.column_stack([np.ones(len(x)), x])
        by_hand = (full * curved[:, None]).T @ full / used.sum()
        np.testing.assert_allclose(by_hand, [(a[1] - b[1]) / 2e-5 for a, b in zip(ahead, behind)], rtol=1e-5, atol=1e-7)
        objective.value_and_gradient(theta)
        values, vectors = np.linalg.eigh(by_hand)
        step = -(vectors / np.abs(values)) @ vectors.T @ gradient  # down also where the curvature is negative
        np.testing.assert_allclose(objective.direction(theta, gradient), step, rtol=1e-8)
        assert objective.reach(step) == pytest.approx(np.abs(full @ step)[weight * counts.sum(1) > 0].max())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [0, 2])
def test_minimum_is_that_of_the_slow_twin(m, weighted):
    probs, counts, features = problem(40, m=m) if m else problem(40)
    features = features if m else None
    weights = np.random.default_rng(4).integers(0, 4, 40) if weighted else None
    found = ugt.calibration.AlphaCalibration(penalty=0.01).fit(probs, counts, features=features, weights=weights)
    used = np.where(counts.any(axis=1), np.ones(40) if weights is None else weights, 0).tolist()
    columns = np.empty((40, 0)) if features is None else features - 10

    def slow(x):
        return twin.alpha_objective(counts.tolist(), probs.tolist(), (x[0] + columns @ x[1:]).tolist(), 0.01, used)

    best = scipy.optimize.minimize(slow, np.zeros(m + 1), method="BFGS", options={"gtol": 1e-7})
    at = np.append(found.intercept_ + 10 * found.weights_.sum(), found.weights_)
    assert found.objective_ == pytest.approx(slow(at), rel=1e-12)
    assert slow(at) <= best.fun + 1e-12
    np.testing.assert_allclose(at, best.x, atol=2e-5)
    log_total = at[0] + columns @ at[1:]
    assert found.loss_ == pytest.approx(slow(at) - 0.01 * np.dot(used, log_total**2) / np.sum(used), rel=1e-12)
    assert found.converged_ is True
    assert found.gradient_norm_ <= 1e-8
    given = 40 if features is None else features
    np.testing.assert_allclose(found.concentration(given), np.exp(log_total), rtol=1e-9)
    np.testing.assert_array_equal(found.transform(probs, features), found.distribution(probs, features).alpha)
    again = ugt.calibration.AlphaCalibration(penalty=0.01).fit_transform(probs, counts, features=features, weights=weights)
    np.testing.assert_array_equal(again, found.transform(probs, features))


def test_features_on_any_scale_say_the_same():
    probs, counts, x = problem(300)
    plain = ugt.calibration.AlphaCalibration().fit(probs, counts, features=x)
    expected = plain.concentration(x)
    for change in (lambda x: 1e-9 * x, lambda x: 1e9 * x + 3e9, lambda x: x * [1e50, 1e-50], lambda x: x @ [[1, 2], [3, 4]] - 5):
        found = ugt.calibration.AlphaCalibration().fit(probs, counts, features=change(x))
        assert found.converged_
        np.testing.assert_allclose(found.concentration(change(x)), expected, rtol=1e-6)
        assert found.objective_ == pytest.approx(plain.objective_, rel=1e-11)
    for more in (np.full(300, 7.0), 2 * x[:, 0] - x[:, 1]):  # says nothing new
        both = np.column_stack([x, more])
        found = ugt.calibration.AlphaCalibration().fit(probs, counts, features=both)
        np.testing.assert_allclose(found.concentration(both), expected, rtol=1e-6)
    one = ugt.calibration.AlphaCalibration().fit(probs, counts, features=x[:, 0])
    np.testing.assert_array_equal(one.concentration(x[:, 0]), one.concentration(x[:, :1]))
    constant = ugt.calibration.AlphaCalibration().fit(probs, counts, features=np.full((300, 1), 1e5))
    assert constant.weights_.tolist() == [0.0]
    assert constant.intercept_ == pytest.approx(ugt.calibration.AlphaCalibration().fit(probs, counts).intercept_, rel=1e-8)


def test_frequencies_are_repeated_cases():
    probs, counts, x = problem(60)
    times = np.random.default_rng(5).integers(0, 4, 60)

    def fit(*given, **more):
        return ugt.calibration.AlphaCalibration().fit(*given, **more)

    found, rows = fit(probs, counts, features=x, frequency=times), np.repeat(np.arange(60), times)
    repeated = fit(probs[rows], counts[rows], features=x[rows])
    np.testing.assert_allclose(found.weights_, repeated.weights_, rtol=1e-6)
    assert (found.intercept_, found.loss_, found.objective_) == pytest.approx(
        (repeated.intercept_, repeated.loss_, repeated.objective_), rel=1e-6
    )
    assert (found.n_cases_, found.left_out_) == (repeated.n_cases_, repeated.left_out_)
    weighted = fit(probs, counts, features=x, case_weights=times / 7)
    np.testing.assert_allclose(weighted.weights_, found.weights_, rtol=1e-6)
    assert weighted.n_cases_ < found.n_cases_ and weighted.left_out_["case of weight 0"] == (times == 0).sum()


def test_weights_are_repeated_cases_and_others_are_left_out():
    probs, counts, x = problem(200)
    times = np.random.default_rng(2).integers(0, 4, 200)
    weighted = ugt.calibration.AlphaCalibration().fit(probs, counts, features=x, weights=times * 5e-300)
    repeated = ugt.calibration.AlphaCalibration().fit(
        np.repeat(probs, times, axis=0), np.repeat(counts, times, axis=0), features=np.repeat(x, times, axis=0)
    )
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-6)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-11)
    n = counts.sum(axis=1)
    assert weighted.n_cases_ == ((n > 0) & (times > 0)).sum()
    assert weighted.left_out_ == {
        "case without labels": ((n == 0) & (times > 0)).sum(),
        "case with one label (no information on concentration)": ((n == 1) & (times > 0)).sum(),
        "case of weight 0": (times == 0).sum(),
    }
    some = n > 0
    labelled = ugt.calibration.AlphaCalibration().fit(probs[some], counts[some])
    assert labelled.intercept_ == pytest.approx(ugt.calibration.AlphaCalibration().fit(probs, counts).intercept_, rel=1e-9)
    assert labelled.n_classes_ == 3


def test_cases_with_one_label_are_pulled_by_the_penalty_alone():
    probs = np.full((4, 2), 0.5)
    alone = ugt.calibration.AlphaCalibration().fit(probs, [0, 1, 1, 0])
    assert (alone.intercept_, alone.objective_) == pytest.approx((0.0, np.log(2)), abs=1e-8)
    refused(
        r"two labels in at least one case whose prediction is not certain",
        ugt.calibration.AlphaCalibration(penalty=0).fit,
        probs,
        [0, 1, 1, 0],
    )


# ---- what it keeps
def test_the_mean_is_the_prediction_to_the_bit():
    probs, counts, x = problem(500)
    calibrator = ugt.calibration.AlphaCalibration().fit(probs, counts, features=x)
    for given in (probs, probs.tolist(), np.asfortranarray(probs), probs.astype(np.float32), probs * (1 + 5e-5), probs.astype(">f8")):
        table = np.array(given, np.float64)
        law = calibrator.distribution(given, x)
        np.testing.assert_array_equal(law.mean, table)
        assert law.mean.flags.writeable is False
        np.testing.assert_array_equal(law.alpha, law.concentration[:, None] * table)
        np.testing.assert_array_equal(np.asarray(given, np.float64), table)
    p = probs[:, 0]
    column = ugt.calibration.AlphaCalibration().fit(p, counts[:, :2]).distribution(p)
    np.testing.assert_array_equal(column.mean, np.stack([1 - p, p], axis=1))


def test_layouts_and_kinds_of_labels():
    probs, counts, x = problem()
    expected = ugt.calibration.AlphaCalibration().fit(probs, counts, features=x)
    wide = np.repeat(np.repeat(probs, 2, axis=0), 2, axis=1)[::2, ::2]
    frozen = np.asfortranarray(probs)
    frozen.flags.writeable = False
    for form in (wide, frozen, probs.astype(">f8"), probs.tolist()):
        np.testing.assert_array_equal(ugt.calibration.AlphaCalibration().fit(form, counts, features=x).weights_, expected.weights_)
    for form in (counts.astype(float), counts.astype("uint8"), np.asfortranarray(counts), ugt.Labels.from_counts(counts)):
        np.testing.assert_array_equal(ugt.calibration.AlphaCalibration().fit(probs, form, features=x).weights_, expected.weights_)
    assert np.isfinite(ugt.calibration.AlphaCalibration().fit(probs, counts > 0).intercept_)


def test_laws():
    probs, counts, _ = problem()
    law = ugt.calibration.DirichletPredictions(probs, np.arange(1, 81))
    alpha = np.arange(1, 81)[:, None] * probs
    predicted = ugt.calibration.predicted_disagreement(alpha, kind="dirichlet")
    np.testing.assert_allclose(law.disagreement().overall, predicted.overall, rtol=1e-12)
    np.testing.assert_allclose(law.disagreement().per_class, predicted.per_class, rtol=1e-12)
    after = law.posterior(counts)
    np.testing.assert_allclose(after.alpha, alpha + counts, rtol=1e-12)
    np.testing.assert_allclose(after.mean, ugt.calibration.label_posterior(alpha, counts).mean, rtol=1e-12)
    np.testing.assert_array_equal(after.concentration, np.arange(1, 81) + counts.sum(axis=1))
    for other in (copy.deepcopy(law), pickle.loads(pickle.dumps(law))):
        np.testing.assert_array_equal(other.alpha, law.alpha)
    rounded = ugt.calibration.DirichletPredictions([[1 + 1e-7, -1e-7]], [1e9])
    assert rounded.alpha.min() == 0
    np.testing.assert_allclose(rounded.posterior([[1, 1]]).alpha, [[1e9 + 101, 1]])


# ---- data without a minimum
def test_unanimous_and_underdispersed_labels():
    half = np.full((60, 2), 0.5)
    agreed = np.where(np.arange(60)[:, None] % 2, [4, 0], [0, 4])
    for counts in (agreed, np.full((60, 2), 2), np.full((60, 2), 40), np.full((60, 2), 5000), np.full((60, 2), 10**6), 1000 * agreed):
        refused(UNBOUNDED, ugt.calibration.AlphaCalibration(penalty=0).fit, half, counts)
        regular = ugt.calibration.AlphaCalibration().fit(half, counts)
        assert regular.converged_
        assert (regular.intercept_ > 0) == (counts[0, 0] == counts[0, 1])
    x = (np.arange(60) < 30).astype(float)
    apart = np.where(x[:, None] > 0, agreed, [2, 2])  # features tell them apart
    mixed = np.array([[4, 0], [2, 2], [3, 1]] * 10 + [[0, 4], [4, 0], [4, 0]] * 10)  # one side has no minimum
    for counts in (apart, mixed):
        refused(UNBOUNDED, ugt.calibration.AlphaCalibration(penalty=0).fit, half, counts, features=x)
        regular = ugt.calibration.AlphaCalibration().fit(half, counts, features=x)
        assert regular.converged_
        assert ugt.calibration.AlphaCalibration(penalty=0).fit(half, mixed).converged_


def test_certain_predictions():
    certain, counts = np.eye(2)[[0, 1, 0, 1]], np.array([[3, 0], [0, 2], [4, 0], [0, 0]])
    assert ugt.calibration.AlphaCalibration().fit(certain, counts).intercept_ == pytest.approx(0, abs=1e-7)
    refused(
        r"whose prediction is not certain \(or give a penalty\)\. Got none\.",
        ugt.calibration.AlphaCalibration(penalty=0).fit,
        certain,
        counts,
    )
    counts[2] = [3, 1]
    message = r"predictions must be above 0 for every class that was observed .*\. Got 0\.0, first at case 2, class 1\."
    refused(message, ugt.calibration.AlphaCalibration().fit, certain, counts)
    floored = ugt.calibration.AlphaCalibration(floor=1e-9).fit(certain, counts)
    assert floored.converged_
    assert floored.objective_ > 5
    many = np.tile(certain, (40_000, 1))
    with pytest.raises(ValueError, match=r"first at case 100002, class 1\."):
        ugt.calibration.AlphaCalibration().fit(many, np.concatenate([np.zeros((100_000, 2)), np.tile(counts, (15_000, 1))]))


@pytest.mark.parametrize("penalty", [0.0, 1e-12, 0.005, 1e12])
def test_many_labels_and_strange_penalties(penalty):
    rng = np.random.default_rng(9)
    probs = rng.dirichlet(np.ones(22), 50)
    counts = np.array([rng.multinomial(10_000, rng.dirichlet(30 * p)) for p in probs])
    found = ugt.calibration.AlphaCalibration(penalty=penalty, floor=1e-12).fit(probs, counts)
    assert found.converged_
    expected = 0 if penalty > 1 else np.log(30)
    assert found.intercept_ == pytest.approx(expected, abs=0.2)


def test_convergence_is_reported(monkeypatch):
    monkeypatch.setattr(newton, "MAX_ITER", 1)
    probs, counts, x = problem()
    with pytest.warns(RuntimeWarning, match=r"AlphaCalibration did not converge: gradient norm \d.* after 1 iterations") as caught:
        found = ugt.calibration.AlphaCalibration().fit(probs, counts, features=x)
    assert caught[0].filename == __file__
    assert found.converged_ is False
    assert found.gradient_norm_ > 1e-8


# ---- bad input
def test_bad_features_and_parameters():
    probs, counts, x = problem()
    for bad, message in (
        (x[:-1], r"features must be numbers of shape \(80, M\)\. Got float64 of shape \(79, 2\)\."),
        (x[None], r"features must be numbers of shape \(80, M\)\."),
        (x.astype(str), r"features must be numbers of shape \(80, M\)\. Got [<>]U"),
        (np.where(x > 12, NAN, x), r"features must be finite, at most 1e\+100\. Got nan, first at case \d+, feature [01]\."),
        (np.where(x > 12, -INF, x), r"features must be finite, at most 1e\+100\. Got -inf, first at case \d+, feature [01]\."),
        (x * 1e300, r"features must be finite, at most 1e\+100\. Got .*e\+301, first at case 0, feature 0\."),
    ):
        refused(message, ugt.calibration.AlphaCalibration().fit, probs, counts, features=bad)
    for options, message in (
        ({"penalty": -1}, r"penalty must be a finite number of at least 0\. Got -1\."),
        ({"penalty": NAN}, r"penalty must be a finite number of at least 0\. Got nan\."),
        ({"penalty": (1, 2)}, r"penalty must be a finite number of at least 0\. Got \(1, 2\)\."),
        ({"floor": 0}, r"floor must be a finite number above 0\. Got 0\."),
    ):
        refused(message, ugt.calibration.AlphaCalibration(**options).fit, probs, counts)
    found = ugt.calibration.AlphaCalibration().fit(probs, counts, features=x)
    for bad, message in (
        (None, r"features must be numbers of shape \(N, M\)\. Got object of shape \(\)\."),
        (3.5, r"features must be numbers of shape \(N, M\)\. Got float64 of shape \(\)\."),
        (0, r"features must be a whole number of at least 1\. Got 0\."),
        (True, r"features must be a whole number of at least 1\. Got True\."),
        (80, r"features must have 2 columns, as in the fit\. Got 0\."),
        (x[:, :1], r"features must have 2 columns, as in the fit\. Got 1\."),
        (1e9 * x, r"features must be like those of the fit: log concentrations from -700 to 700\. Got .*, first at case 0\."),
    ):
        refused(message, found.concentration, bad)
    refused(r"features must have 2 columns, as in the fit\. Got 0\.", found.distribution, probs)
    refused(r"features must be numbers of shape \(79, M\)\.", found.distribution, probs[:-1], x)
    for function in (ugt.calibration.AlphaCalibration().concentration, ugt.calibration.AlphaCalibration().distribution):
        refused(r"AlphaCalibration must be fitted first: call fit\.", function, probs)


def test_bad_laws():
    half = [[0.5, 0.5]] * 3
    for mean, total, message in (
        (half, [1, 0, 2], r"concentration must be finite and above 0\. Got 0, first at case 1\."),
        (half, [1, 1, INF], r"concentration must be finite and above 0\. Got inf, first at case 2\."),
        (half, [1, NAN, 1], r"concentration must be finite and above 0\. Got nan, first at case 1\."),
        (half, [1, 2], r"concentration must be 3 numbers, one per case\. Got int\d\d of shape \(2,\)\."),
        (half, ["1"] * 3, r"concentration must be 3 numbers, one per case\. Got [<>]U1"),
        ([[0.5, 0.6]], [1], r"predictions must add up to 1"),
        (0.5, [1], r"predictions must be numbers of shape"),
    ):
        refused(message, ugt.calibration.DirichletPredictions, mean, total)
    law = ugt.calibration.DirichletPredictions(half, [1, 2, 3])
    refused(r"counts must have the shape of the predictions, \(3, 2\)\. Got \(1, 2\)\.", law.posterior, [[1, 1]])
    refused(r"counts must be whole numbers\. Got 0\.5, first at case 0, class 1\.", law.posterior, [[1, 0.5]] * 3)
