"""Known parameters are found again, and [B] appendix E: alpha-calibration tells kinds of uncertainty apart.

Estimates are compared with the truth in units of their standard errors, from the curvature of the likelihood there; each limit is exceeded
with a probability of 1e-10 or less by a fit that is right. Seeds are fixed.
"""

import numpy as np
import pytest
import scipy.stats

import ugt
from ugt.calibration.logits import LabelTable, LogitTable
from ugt.calibration.posteriors import Likelihood
from ugt.calibration.scaling import MatrixMap, Objective, VectorMap

LIMIT = scipy.stats.norm.isf(1e-12)  # 7 standard errors; some dozen numbers are compared


def softmax(u):
    e = np.exp(u - u.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def draw(rng, probs, n_labels):
    return np.array([rng.multinomial(n, p) for n, p in zip(np.broadcast_to(n_labels, len(probs)), probs)])


@pytest.mark.parametrize("temperature", [0.4, 1.0, 2.5])
def test_a_known_temperature(temperature):
    rng = np.random.default_rng(1)
    logits = 2 * temperature * rng.normal(size=(20_000, 5))
    counts = draw(rng, softmax(logits / temperature), rng.integers(0, 4, 20_000))
    found = ugt.calibration.TemperatureScaling().fit(logits, counts)
    # Fisher information by beta: the variance of the logit of a label, for each label
    z = softmax(logits / temperature)
    variance = (z * logits**2).sum(1) - (z * logits).sum(1) ** 2
    error = 1 / np.sqrt(counts.sum(1) @ variance)
    assert abs(1 / found.temperature_ - 1 / temperature) < LIMIT * error
    assert error < 0.01 / temperature


def test_known_scales_and_slopes_of_two_classes():
    rng = np.random.default_rng(2)
    s = 2 * rng.normal(size=30_000) + 0.5
    p = 1 / (1 + np.exp(-(0.6 * s - 0.8)))
    counts = draw(rng, np.stack([1 - p, p], 1), 2)
    found = ugt.calibration.PlattScaling().fit(s, counts)
    x = np.stack([s, np.ones_like(s)])
    covariance = np.linalg.inv(2 * (x * p * (1 - p)) @ x.T)
    gap = np.array([found.slope_ - 0.6, found.intercept_ + 0.8])
    assert gap @ np.linalg.solve(covariance, gap) < scipy.stats.chi2.isf(1e-12, 2)


@pytest.mark.parametrize("form", ["vector", "matrix"])
def test_known_vectors_and_matrices(form):
    """All parameters at once: their distance in the metric of the information is chi-square. What is added to all classes does not show."""
    k, n = 4, 20_000
    rng = np.random.default_rng(3)
    logits = 2 * rng.normal(size=(n, k))
    shift = np.array([0.5, -0.3, 0.2, -0.4])
    if form == "vector":
        kind, map_, theta = ugt.calibration.VectorScaling(penalty_b=0), VectorMap(k, 0.0), np.stack([[0.8, 0.5, 1.2, 0.7], shift])
        n_free = 2 * k - 1
    else:
        matrix = np.diag([0.8, 0.5, 1.2, 0.7]) + 0.15 * rng.normal(size=(k, k))
        kind, map_, theta = ugt.calibration.MatrixScaling(penalty_w=0, penalty_b=0), MatrixMap(k, 0, 0), np.column_stack([matrix, shift])
        n_free = (k - 1) * (k + 1)
    counts = draw(rng, softmax(map_.apply(theta, logits.T).T), 3)
    found = kind.fit(logits, counts)
    estimate = np.stack([found.scale_, found.shift_]) if form == "vector" else np.column_stack([found.matrix_, found.shift_])
    objective = Objective(map_, logits.T.copy(), counts.T.astype(float))
    objective.value_and_gradient(theta)
    gap = estimate - theta
    distance = (gap * objective.times(gap)).sum() * counts.sum()
    assert scipy.stats.chi2.isf(1 - 1e-10, n_free) < distance < scipy.stats.chi2.isf(1e-10, n_free)
    weak = ugt.calibration.MatrixScaling(penalty_w=1e6, penalty_b=1e6).fit(logits, counts)  # a penalty does what it says
    assert np.abs(weak.shift_).max() < 1e-5
    assert np.abs(weak.matrix_ - np.diag(np.diag(weak.matrix_))).max() < 1e-5


def information(probs, counts, x, theta):
    """Minus the second derivatives of the log-likelihood of all cases by theta, the intercept first."""
    table = LogitTable.of(probs, "probabilities")
    likelihood = Likelihood.of(LabelTable.of(counts, table.shape, False), table, None)
    full = np.column_stack([np.ones(len(x)), x])
    return -(full * likelihood.at(full @ theta)[2][:, None]).T @ full


@pytest.mark.parametrize("total", [0.2, 3.0, 40.0])
def test_a_known_concentration(total):
    rng = np.random.default_rng(4)
    probs = rng.dirichlet(np.ones(3), 20_000)
    counts = draw(rng, np.array([rng.dirichlet(total * p) for p in probs]), rng.integers(1, 8, 20_000))
    found = ugt.calibration.AlphaCalibration(penalty=0).fit(probs, counts)
    error = information(probs, counts, np.empty((20_000, 0)), np.log([total]))[0, 0] ** -0.5
    assert abs(found.intercept_ - np.log(total)) < LIMIT * error
    assert error < 0.1


def test_a_concentration_that_is_log_linear_in_features():
    rng = np.random.default_rng(5)
    n, m = 20_000, 3
    probs, x = rng.dirichlet(np.ones(3), n), rng.normal(size=(n, m)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 1.0]
    theta = np.array([0.4, 0.8, 0.05, 0.0])
    total = np.exp(x @ theta[1:] + theta[0])
    counts = draw(rng, np.array([rng.dirichlet(t * p) for t, p in zip(total, probs)]), 5)
    found = ugt.calibration.AlphaCalibration(penalty=0).fit(probs, counts, features=x)
    curved = information(probs, counts, x, theta)
    gap = np.append(found.intercept_, found.weights_) - theta
    assert scipy.stats.chi2.isf(1 - 1e-10, m + 1) < gap @ curved @ gap < scipy.stats.chi2.isf(1e-10, m + 1)
    assert np.sqrt(np.linalg.inv(curved)[1, 1]) < 0.03


# ---- [B] appendix E, without the images
def three_kinds(rng, n, n_labels):
    """Ten kinds of cases t of three groups: sure, epistemic (each case is clear, but not to the model), aleatoric [B eq. 52, λ = 20].

    The model knows the mean of each kind and nothing else; features are noisy pictures of the kind.
    """
    t = rng.integers(0, 10, n)
    kind = np.where(t < 2, 0, np.where(t < 6, 1, 2))
    mean = np.choose(kind, [0.99 * t, 0.2 * (t - 1), 0.2 * (t - 5)])
    total = np.array([20.0, 1 / 20, 20.0])[kind]
    mean = np.where(t == 0, 0.01, mean)  # a Beta law needs two positive numbers
    q = rng.beta(total * mean + 1e-12, total * (1 - mean) + 1e-12)
    counts = draw(rng, np.stack([1 - q, q], 1), n_labels)
    features = np.eye(10)[t] + 0.1 * rng.normal(size=(n, 10))
    return kind, np.stack([1 - mean, mean], 1), counts, features


@pytest.mark.parametrize("n_labels", [2, 5])
def test_alpha_calibration_tells_epistemic_from_aleatoric(n_labels):
    rng = np.random.default_rng(6)
    _, probs, counts, features = three_kinds(rng, 10_000, n_labels)
    calibrator = ugt.calibration.AlphaCalibration().fit(probs, counts, features=features)
    assert calibrator.converged_
    kind, probs, counts, features = three_kinds(rng, 10_000, 10)
    law = calibrator.distribution(probs, features)
    np.testing.assert_array_equal(law.mean, probs)

    # the truth is 1/20 and 20; the penalty pulls both towards 1
    epistemic, aleatoric = (np.exp(np.median(np.log(law.concentration[kind == group]))) for group in (1, 2))
    assert epistemic < 0.25
    assert aleatoric > 3
    apart = scipy.stats.mannwhitneyu(law.concentration[kind == 2], law.concentration[kind == 1], alternative="greater").statistic
    assert apart / ((kind == 1).sum() * (kind == 2).sum()) > 0.95  # the AUROC

    # a point prediction takes annotators to be divided where only the model is; a concentration that is the same for all is right on
    # average, but does not know which; the loss of knowing all is the variance of pairs of labels alone
    plain = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs))
    better = ugt.calibration.disagreement_losses(counts, law.disagreement())
    constant = ugt.calibration.AlphaCalibration().fit(probs, counts).distribution(probs)
    alike = ugt.calibration.disagreement_losses(counts, constant.disagreement())
    # over other seeds 0.022 to 0.045 against 0.176 to 0.184, and 0.105 to 0.108, 0.131 to 0.133, 0.163 to 0.165
    assert better.cl.debiased < 0.06**2 < 0.15**2 < plain.cl.debiased
    assert better.l_phi + 0.015 < alike.l_phi < plain.l_phi - 0.015

    # likelihood of new labels, too: by more than 7 standard errors of the mean difference
    def log_likelihood(distribution):
        return ugt.calibration.dirichlet_multinomial_log_likelihood(counts, np.maximum(distribution.alpha, 1e-12))

    difference = log_likelihood(law) - log_likelihood(constant)
    assert difference.mean() > LIMIT * difference.std() / np.sqrt(len(difference))


def test_one_label_settles_an_epistemic_case():
    """After one label the next is predicted well where annotators agree, and not where they do not."""
    rng = np.random.default_rng(7)
    _, probs, counts, features = three_kinds(rng, 10_000, 5)
    calibrator = ugt.calibration.AlphaCalibration().fit(probs, counts, features=features)
    kind, probs, first, features = three_kinds(np.random.default_rng(8), 10_000, 1)
    z = calibrator.distribution(probs, features).posterior(first).mean
    repeated = z[first > 0]
    assert np.median(repeated[kind == 1]) > 0.85
    assert np.median(repeated[kind == 2]) < 0.8
