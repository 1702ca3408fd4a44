"""Calibrators of logits: objectives by finite differences and by the slow twin, minima, separable data, input, conventions."""

import warnings

import numpy as np
import pytest
import scipy.optimize
from layouts import layouts
from refusals import refused, warned
from twins import calibrators as twin

import ugt
from ugt.calibration import newton, scaling
from ugt.calibration.logits import LabelTable, LogitTable
from ugt.calibration.scaling import MatrixMap, Objective, PlattMap, VectorMap

TEMPERATURE, PLATT, VECTOR, MATRIX = (
    ugt.calibration.TemperatureScaling,
    ugt.calibration.PlattScaling,
    ugt.calibration.VectorScaling,
    ugt.calibration.MatrixScaling,
)
ALL = [TEMPERATURE, PLATT, VECTOR, MATRIX]
SEPARABLE = r"predictions must leave doubt about the labels\. A map separates the labels without error"
TINY = 1e-100  # no penalty to speak of


def problem(n=80, k=3, labels=(0, 1, 2, 5), seed=0, temperature=1.6):
    """Logits that are too large, and labels; some cases without any."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n, k)) + 0.3
    z = np.exp(logits / temperature)
    counts = np.array([rng.multinomial(rng.choice(labels), p) for p in z / z.sum(1, keepdims=True)])
    return logits, counts


def of(kind, k=3, **options):
    return problem(k=2 if kind is PLATT else k, **options)


def numbers(calibrator):
    """What the map is made of."""
    names = ("temperature_", "slope_", "intercept_", "scale_", "matrix_", "shift_")
    return np.concatenate([np.ravel(getattr(calibrator, name)) for name in names if hasattr(calibrator, name)])


def twin_objective(kind, counts, logits, weights=None):
    """The objective as a function of one flat array, and a start."""
    k = logits.shape[1]
    counts, logits = counts.tolist(), logits.tolist()
    if kind is TEMPERATURE:
        return lambda x: twin.loss(counts, logits, *twin.temperature_map(1 / x[0], k), weights), [1.0]
    if kind is PLATT:
        return lambda x: twin.loss(counts, logits, *twin.platt_map(*x), weights), [1.0, 0.0]
    if kind is VECTOR:
        regular = lambda x: twin.penalty_l2(x[k:], 0.1)  # noqa: E731
        return lambda x: twin.loss(counts, logits, *twin.vector_map(x[:k], x[k:]), weights) + regular(x), [1.0] * k + [0.0] * k

    def of_matrix(x):
        w, b = x[: k * k].reshape(k, k), x[k * k :]
        return twin.loss(counts, logits, w, b, weights) + twin.penalty_odir(w, b, 10.0, 1.0)

    return of_matrix, [*np.eye(k).ravel(), *[0.0] * k]


def flat(kind, calibrator):
    return np.array([1 / calibrator.temperature_]) if kind is TEMPERATURE else numbers(calibrator)


# ---- objectives and minima
FORMS = {"platt": lambda k: PlattMap(), "vector": lambda k: VectorMap(k, 0.7), "matrix": lambda k: MatrixMap(k, 3.0, 0.7)}


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e8])
@pytest.mark.parametrize("name, k", [("platt", 2), ("vector", 2), ("vector", 4), ("matrix", 2), ("matrix", 4), ("matrix", 60)])
def test_gradients_and_curvature_by_finite_differences(name, k, scale):
    logits, counts = problem(40, k)
    form = FORMS[name](k)
    objective = Objective(form, logits.T * scale, counts.T.astype(float))
    rng = np.random.default_rng(1)
    size = np.where(form.slope, objective.size, 1.0)
    theta, step = (form.start + 0.3 * rng.normal(size=form.start.shape)) / size, rng.normal(size=form.start.shape) / size
    value, gradient = objective.value_and_gradient(theta)
    curved = objective.times(step)
    h = 1e-6
    ahead, behind = objective.value_and_gradient(theta + h * step), objective.value_and_gradient(theta - h * step)
    np.testing.assert_allclose((ahead[0] - behind[0]) / (2 * h), (gradient * step).sum(), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose((ahead[1] - behind[1]) / (2 * h) / size, curved / size, rtol=1e-4, atol=1e-5 * np.abs(curved / size).max())
    # the objective in the user's own units
    own = theta / objective.factor
    assert value == pytest.approx(objective.value(own) + (form.penalty * own**2).sum(), rel=1e-12)
    w, b = np.zeros((k, k)), np.zeros(k)
    if name == "platt":
        w, b = twin.platt_map(*own[0])
    elif name == "vector":
        w, b = twin.vector_map(*own)
    else:
        w, b = own[:, :-1], own[:, -1]
    assert objective.value(own) == pytest.approx(twin.loss(counts.tolist(), (logits * scale).tolist(), w, b), rel=1e-11)


def test_derivatives_by_the_temperature():
    logits, counts = problem()
    table = LogitTable.of(logits, "logits")
    sums = scaling.TemperatureSums(table, LabelTable.of(counts, table.shape, False))
    for beta in (0.2, 1.0, 3.0):
        value, first, second = sums.at(beta)
        assert value == pytest.approx(twin.loss(counts.tolist(), logits.tolist(), *twin.temperature_map(1 / beta, 3)), rel=1e-13)
        ahead, behind = sums.at(beta + 1e-5), sums.at(beta - 1e-5)
        assert first == pytest.approx((ahead[0] - behind[0]) / 2e-5, rel=1e-6)
        assert second == pytest.approx((ahead[1] - behind[1]) / 2e-5, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ALL)
def test_minimum_is_that_of_the_slow_twin(kind, weighted):
    logits, counts = of(kind, n=40)
    weights = np.random.default_rng(2).integers(0, 4, 40) / 2 if weighted else None
    calibrator = kind().fit(logits, counts, weights=weights)
    objective, start = twin_objective(kind, counts, logits, weights)
    found = scipy.optimize.minimize(objective, start, method="BFGS", options={"gtol": 1e-7})
    at = flat(kind, calibrator)
    assert objective(at) <= found.fun + 1e-12
    np.testing.assert_allclose(at, found.x, atol=2e-5)
    steps = 1e-5 * np.eye(len(at))
    np.testing.assert_allclose([(objective(at + step) - objective(at - step)) / 2e-5 for step in steps], 0, atol=1e-8)
    penalty = {VECTOR: lambda: twin.penalty_l2(calibrator.shift_, 0.1)}
    penalty[MATRIX] = lambda: twin.penalty_odir(calibrator.matrix_, calibrator.shift_, 10.0, 1.0)
    assert calibrator.loss_ == pytest.approx(objective(at) - penalty.get(kind, lambda: 0.0)(), rel=1e-12)
    assert calibrator.loss_before_ == pytest.approx(objective(np.array(start)), rel=1e-12)
    assert calibrator.converged_ is True
    assert calibrator.gradient_norm_ <= 1e-8
    assert calibrator.score(logits, counts, weights) == pytest.approx(-calibrator.loss_, rel=1e-12)


@pytest.mark.parametrize("kind", ALL)
def test_transform_is_the_map_of_the_slow_twin(kind):
    logits, counts = of(kind)
    calibrator = kind().fit(logits, counts)
    maps = {
        TEMPERATURE: lambda: twin.temperature_map(calibrator.temperature_, 3),
        PLATT: lambda: twin.platt_map(calibrator.slope_, calibrator.intercept_),
        VECTOR: lambda: twin.vector_map(calibrator.scale_, calibrator.shift_),
        MATRIX: lambda: (calibrator.matrix_, calibrator.shift_),
    }
    w, b = maps[kind]()
    new = np.random.default_rng(8).normal(size=(30_000 // logits.shape[1], logits.shape[1])) * 30
    z = calibrator.transform(new)
    np.testing.assert_allclose(z[:50], [twin.softmax(twin.linear(u, w, b)) for u in new[:50].tolist()], rtol=1e-11)
    np.testing.assert_allclose(z.sum(1), 1, atol=1e-15)
    np.testing.assert_allclose(calibrator.transform(new[-7:]), z[-7:], rtol=1e-13)  # blocks do not show
    np.testing.assert_array_equal(kind().fit_transform(logits, counts), calibrator.transform(logits))


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 10, 22, 48, 49, 100])
@pytest.mark.parametrize("kind", [TEMPERATURE, VECTOR, MATRIX])
def test_fits_converge_for_many_classes_and_any_scale(kind, k):
    logits, counts = problem(400, k, labels=(1, 3))
    losses = []
    large = (1e4, 1e40) if k < 30 or kind is not MATRIX else ()  # where the penalty is nothing, K² numbers are more than the labels
    for scale in (1e-40, 1e-3, 1.0, *large):
        calibrator = kind(**{"penalty_b": TINY} if kind is VECTOR else {}).fit(logits * scale, counts)
        assert calibrator.converged_
        assert calibrator.gradient_norm_ <= 1e-8
        assert calibrator.n_iter_ < 40
        losses.append(calibrator.loss_)
        assert calibrator.loss_ < calibrator.loss_before_
        assert -calibrator.score(logits * scale, counts) == pytest.approx(calibrator.loss_, rel=1e-11)
    if kind is not MATRIX:  # its penalty is on the scale of logits
        np.testing.assert_allclose(losses, losses[2], rtol=1e-11)


def test_gradients_are_those_the_user_sees():
    """Between root mean squares of 0.1 and 1e5 nothing is scaled inside."""
    for scale, unit in ((1e-3, 1e-2), (0.1, 1.0), (1.0, 1.0), (5e4, 1.0), (1e6, 10.0)):
        u = scale * np.array([[1.0, -1.0], [-1.0, 1.0]])
        objective = Objective(VectorMap(2, 1.0), u, np.ones((2, 2)))
        assert objective.unit == pytest.approx(unit)
        np.testing.assert_array_equal(objective.factor, [[objective.unit], [1.0]])


@pytest.mark.parametrize("penalties", [(10.0, 1.0), (0.0, 0.0), (0.01, 100.0)])
def test_logits_with_a_common_offset(penalties):
    """Badly conditioned, not separable."""
    logits, counts = problem(2000, 22, labels=(3,))
    fit = MATRIX(penalty_w=penalties[0], penalty_b=penalties[1]).fit(logits + 300, counts)
    assert fit.converged_
    if penalties == (0.0, 0.0):
        assert fit.loss_ == pytest.approx(MATRIX(penalty_w=0, penalty_b=0).fit(logits, counts).loss_, abs=1e-10)


@pytest.mark.slow
def test_start_from_some_cases_leads_to_the_same_temperature():
    logits, counts = problem(90_000, 10, labels=(1, 2))
    n = 65536 // 10
    counts[:n] = np.eye(10, dtype=int)[logits[:n].argmax(axis=1)]  # a start from these would lead elsewhere
    table = LogitTable.of(logits, "logits")
    every = scaling.TemperatureSums(table, LabelTable.of(counts, table.shape, False))
    slow = scipy.optimize.brentq(lambda beta: every.at(beta)[1], 0.1, 3.0, xtol=1e-12)
    for scale in (1.0, 1e-30, 1e30):
        found = TEMPERATURE().fit(logits * scale, counts)
        assert found.temperature_ == pytest.approx(scale / slow, rel=1e-7)
        assert found.n_iter_ <= 5  # from a start nearby


# ---- weights, cases without labels, kinds of input
@pytest.mark.parametrize("kind", ALL)
def test_weights_are_repeated_cases(kind):
    logits, counts = of(kind)
    times = np.random.default_rng(3).integers(0, 4, len(logits))
    weighted = kind().fit(logits, counts, weights=times)
    repeated = kind().fit(np.repeat(logits, times, axis=0), np.repeat(counts, times, axis=0))
    np.testing.assert_allclose(numbers(weighted), numbers(repeated), rtol=1e-7, atol=1e-8)
    assert weighted.loss_ == pytest.approx(repeated.loss_, rel=1e-11)
    for factor in (3.0, 1e-310, 1e307):  # only ratios matter
        np.testing.assert_allclose(numbers(kind().fit(logits, counts, weights=times * factor)), numbers(weighted), rtol=1e-7)
    as_counts = kind(fractional=True).fit(logits, counts * times[:, None] / 7)
    np.testing.assert_allclose(numbers(as_counts), numbers(weighted), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("kind", ALL)
def test_frequencies_are_repeated_cases(kind):
    logits, counts = of(kind)
    times = np.random.default_rng(3).integers(0, 4, len(logits))
    found, repeated = kind().fit(logits, counts, frequency=times), kind().fit(np.repeat(logits, times, 0), np.repeat(counts, times, 0))
    np.testing.assert_allclose(numbers(found), numbers(repeated), rtol=1e-7, atol=1e-8)
    assert (found.loss_, found.loss_before_) == pytest.approx((repeated.loss_, repeated.loss_before_), rel=1e-11)
    assert (found.n_cases_, found.left_out_) == (repeated.n_cases_, repeated.left_out_)
    same = kind().fit(logits, counts, frequency=dict(enumerate(times.tolist())))
    np.testing.assert_array_equal(numbers(same), numbers(found))


@pytest.mark.parametrize("kind", ALL)
def test_weights_of_a_sample_lead_to_the_map_of_its_population(kind):
    """A register with many unlikely classes: the sample has five times as many of the cases in which the model is wrong."""
    logits, counts = of(kind)
    hard = counts[np.arange(len(counts)), logits.argmax(axis=1)] * 2 < counts.sum(axis=1)
    logits, counts, hard = (np.repeat(one, 40, axis=0) for one in (logits, counts, hard))
    rng = np.random.default_rng(4)
    share = np.where(hard, 0.5, 0.1)
    drawn = rng.random(len(hard)) < share
    population = numbers(kind().fit(logits, counts))
    weighted = kind().fit(logits[drawn], counts[drawn], case_weights=1 / share[drawn])
    plain = kind().fit(logits[drawn], counts[drawn])
    assert np.abs(numbers(weighted) - population).max() < 0.5 * np.abs(numbers(plain) - population).max()
    np.testing.assert_allclose(
        numbers(kind().fit(logits[drawn], counts[drawn], case_weights=7 / share[drawn])), numbers(weighted), rtol=1e-7
    )
    assert weighted.n_cases_ == plain.n_cases_


def test_frequencies_and_weights_that_are_refused():
    fit, logits, counts = TEMPERATURE().fit, [[2.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [[3, 1], [1, 2], [2, 2]]
    for given, got in (([1, -1, 2], "-1, first at case 1"), ([1, 2, 2.5], r"2\.5, first at case 2"), ([0, 0, 0], "0 for all")):
        refused(
            f"frequency must be whole numbers of at least 0, of which some are above 0. Got {got}", fit, logits, counts, frequency=given
        )
    refused("case_weights must be finite numbers of at least 0.*Got -1, first at case 1", fit, logits, counts, case_weights=[1, -1, 2])
    refused("case_weights must be left out with frequency=", fit, logits, counts, frequency=[1, 1, 1], case_weights=[1, 1, 1])
    refused("weights must be left out with frequency=", fit, logits, counts, frequency=[1, 1, 1], weights=[1, 1, 1])
    refused("weights must be left out with case_weights=", fit, logits, counts, case_weights=[1, 1, 1], weights=[1, 1, 1])
    refused("clusters must be left out with frequency=.*one row per case", fit, logits, counts, frequency=[1, 1, 1], clusters=[0, 0, 1])


@pytest.mark.parametrize("kind", ALL)
def test_cases_without_labels_are_left_out_and_counted(kind):
    logits, counts = of(kind)
    some = counts.any(axis=1)
    all_cases, labelled = kind().fit(logits, counts), kind().fit(logits[some], counts[some])
    np.testing.assert_allclose(numbers(all_cases), numbers(labelled), rtol=1e-7)
    assert all_cases.n_cases_ == labelled.n_cases_ == some.sum()
    assert all_cases.left_out_ == {"case without labels": (~some).sum()}
    assert labelled.left_out_ == {}
    assert all_cases.n_classes_ == logits.shape[1]
    weights = np.ones(len(logits))
    weights[np.flatnonzero(some)[:5]] = weights[np.flatnonzero(~some)[:2]] = 0
    found = kind().fit(logits, counts, weights=weights)
    assert found.left_out_ == {"case without labels": (~some).sum() - 2, "case of weight 0": 7}
    assert found.n_cases_ == some.sum() - 5


@pytest.mark.parametrize("input", ["logits", "probabilities"])
@pytest.mark.parametrize("kind", ALL)
def test_layouts_give_the_same_and_are_left_alone(kind, input):
    logits, counts = of(kind)
    given = logits if input == "logits" else np.apply_along_axis(twin.softmax, 1, logits)
    expected = kind(input=input).fit(given, counts)
    z = expected.transform(given)
    for name, form in layouts(given, kinds="g").items():
        before = np.array(form, copy=True)
        calibrator = kind(input=input).fit(form, counts)
        np.testing.assert_array_equal(numbers(calibrator), numbers(expected), name)
        np.testing.assert_array_equal(calibrator.transform(form), z, name)
        np.testing.assert_array_equal(form, before, name)
    for form in [*layouts(counts, kinds="g").values(), *(counts.astype(t) for t in ("float32", "uint8", ">i2", "float16"))]:
        np.testing.assert_allclose(numbers(kind(input=input).fit(given, form)), numbers(expected), rtol=1e-12)
    single = np.asarray(given, np.float32)
    np.testing.assert_array_equal(
        numbers(kind(input=input).fit(single, counts)), numbers(kind(input=input).fit(single.astype(float), counts))
    )


@pytest.mark.parametrize("kind", ALL)
def test_forms_of_labels(kind):
    logits, counts = of(kind, labels=(1,))
    expected = numbers(kind().fit(logits, counts))
    classes = counts.argmax(axis=1)
    for form in (counts > 0, classes, classes.tolist(), classes.astype("uint8"), ugt.Labels.from_counts(counts)):
        np.testing.assert_array_equal(numbers(kind().fit(logits, form)), expected)
    if kind is PLATT:
        np.testing.assert_array_equal(numbers(kind().fit(logits, classes > 0)), expected)


@pytest.mark.parametrize("kind", ALL)
def test_one_column_for_two_classes(kind):
    logits, counts = problem(k=2)
    logits[:, 0] = 0
    both, one = kind().fit(logits, counts), kind().fit(logits[:, 1], counts)
    np.testing.assert_array_equal(numbers(one), numbers(both))
    np.testing.assert_array_equal(one.transform(logits[:, 1]), both.transform(logits))
    p = 1 / (1 + np.exp(-logits[:, 1]))
    both, one = (kind(input="probabilities").fit(given, counts) for given in (np.stack([1 - p, p], 1), p))
    np.testing.assert_array_equal(numbers(one), numbers(both))
    np.testing.assert_array_equal(one.transform(p), both.transform(np.stack([1 - p, p], 1)))


@pytest.mark.parametrize("kind", ALL)
def test_probabilities_are_logits_up_to_a_number_a_case(kind):
    logits, counts = of(kind)
    z = np.apply_along_axis(twin.softmax, 1, logits)
    np.testing.assert_allclose(kind(input="probabilities").fit_transform(z, counts), kind().fit_transform(np.log(z), counts), rtol=1e-9)
    z[0] = np.eye(len(z[0]))[0]
    floored = kind(input="probabilities", floor=1e-9).fit_transform(z, counts)
    np.testing.assert_allclose(floored, kind().fit_transform(np.log(np.maximum(z, 1e-9)), counts), rtol=1e-9)


# ---- the temperature keeps the first class
def test_the_temperature_keeps_the_first_class_to_the_bit():
    rng = np.random.default_rng(5)
    logits, counts = problem(k=6)
    calibrators = {False: TEMPERATURE().fit(logits, counts), True: TEMPERATURE(input="probabilities", floor=1e-9)}
    calibrators[True].fit(np.apply_along_axis(twin.softmax, 1, logits), counts)
    near = np.round(rng.normal(size=(4000, 6)), 1)
    top = near.argmax(axis=1)
    rows, other = np.arange(4000), rng.integers(0, 6, 4000)
    near[rows, other] = np.nextafter(near[rows, top], -np.inf)  # behind by the last bit, before or after the first
    tied = np.round(rng.normal(size=(4000, 6)))
    shares = near - near.min(axis=1, keepdims=True) + 0.05
    shares /= shares.sum(axis=1, keepdims=True)
    shares[rows, other] = np.nextafter(shares[rows, shares.argmax(axis=1)], 0)
    shares /= shares.sum(axis=1, keepdims=True)
    level = 0
    for given in (near, tied, near.astype(np.float32), tied.astype(np.int8), near * 1e30, near * 1e-30, shares, shares.astype(np.float32)):
        calibrator = calibrators[given is shares or (given.dtype == np.float32 and given.min() >= 0)]
        for temperature in (calibrator.temperature_, 1e-3, 0.7, 3.0, 1e5, 1e30):
            calibrator.temperature_ = temperature
            z = calibrator.transform(given)
            np.testing.assert_array_equal(z.argmax(axis=1), given.argmax(axis=1))
            # classes that are tied for the first place stay tied
            np.testing.assert_array_equal(z == z.max(axis=1, keepdims=True), given == given.max(axis=1, keepdims=True))
            np.testing.assert_allclose(z.sum(1), 1, atol=1e-14)
            plain = np.exp((given.astype(float) - given.max(1, keepdims=True)) / temperature)
            level += (plain.argmax(axis=1) != given.argmax(axis=1)).sum()
    assert level > 100  # without care it goes wrong here


# ---- data without a best map
@pytest.mark.slow
def test_separable_data():
    rng = np.random.default_rng(6)
    for k in (2, 3, 22, 60):
        logits = rng.normal(size=(300 if k == 60 else 500, k))
        counts = np.eye(k, dtype=int)[logits.argmax(axis=1)]
        kinds = [TEMPERATURE(), VECTOR(), VECTOR(penalty_b=0), VECTOR(penalty_b=1e6), MATRIX(), MATRIX(penalty_w=0, penalty_b=0)]
        for calibrator in kinds + ([PLATT()] if k == 2 else []):
            for scale in (1.0, 1e-6, 1e6):
                refused(SEPARABLE, calibrator.fit, logits * scale, counts)
                assert not calibrator.__sklearn_is_fitted__()


def test_one_contradiction_is_enough():
    rng = np.random.default_rng(7)
    logits = rng.normal(size=(300, 3))
    counts = np.eye(3, dtype=int)[logits.argmax(axis=1)]
    counts[0] = [1, 1, 1]
    for calibrator in (TEMPERATURE(), VECTOR(), MATRIX()):
        assert calibrator.fit(logits, counts).converged_
        weights = np.ones(300)
        weights[0] = 1e-4
        assert calibrator.fit(logits, counts, weights=weights).converged_


def test_a_class_that_nobody_saw():
    logits, counts = problem()
    counts[:, 2] = 0
    for calibrator in (VECTOR(penalty_b=0), MATRIX(penalty_w=0, penalty_b=0), MATRIX(penalty_b=0)):
        refused(SEPARABLE + r".*\. Got no labels of class 2\.$", calibrator.fit, logits, counts)
    for calibrator in (VECTOR(), MATRIX(), TEMPERATURE()):
        assert calibrator.fit(logits, counts).converged_
    logits[:, 2] = -abs(logits[:, 2])  # a larger scale alone makes it impossible
    refused(SEPARABLE, VECTOR().fit, logits, counts)


def test_parts_of_the_data_that_are_separable():
    refused(SEPARABLE, PLATT().fit, [0.0, 0, 1, 1], [[1, 1], [2, 1], [0, 2], [0, 2]])
    # class 2 against the others, the others among themselves not
    logits, counts = problem(k=3, labels=(2,))
    logits[:, 2] = np.where(counts[:, 2] > 0, 3.0, -3.0)
    counts[counts[:, 2] > 0] = [0, 0, 2]
    for calibrator in (VECTOR(), VECTOR(penalty_b=0), MATRIX(penalty_w=0, penalty_b=0)):
        refused(SEPARABLE, calibrator.fit, logits, counts)


def test_predictions_no_better_than_chance():
    logits, counts = problem()
    for given in (-logits, np.zeros((80, 3))):
        refused(
            r"predictions must distinguish the classes better than chance\. .* infinite temperature\.$", TEMPERATURE().fit, given, counts
        )
    two, counts_of_two = problem(k=2)
    assert PLATT().fit(-two, counts_of_two).slope_ == pytest.approx(-PLATT().fit(two, counts_of_two).slope_)
    assert (VECTOR().fit(-logits, counts).scale_ < 0).all()
    # without any information shares are predicted
    counts = np.array([[3, 1, 1]] * 5)
    for calibrator in (VECTOR(penalty_b=0), MATRIX(penalty_w=0, penalty_b=0)):
        np.testing.assert_allclose(calibrator.fit_transform(np.zeros((5, 3)), counts), counts / 5, atol=1e-8)
        np.testing.assert_allclose(calibrator.fit_transform([[1.0, 0.0, 2.0]], [[3, 1, 1]]), [[0.6, 0.2, 0.2]], atol=1e-8)


def test_convergence_is_reported(monkeypatch):
    logits, counts = problem(k=2)
    monkeypatch.setattr(newton, "MAX_ITER", 1)
    monkeypatch.setattr(scaling, "MAX_ITER", 1)
    for kind in (PLATT, VECTOR, MATRIX, TEMPERATURE):
        said = rf"{kind.__name__} did not converge: gradient norm \d.* after 1 iterations"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            calibrator = kind().fit(logits * 20, counts)
        assert [w.category for w in caught] == [RuntimeWarning]
        assert caught[0].filename == __file__
        warned(said, kind().fit, logits * 20, counts)
        assert calibrator.converged_ is False
        assert calibrator.gradient_norm_ > 1e-8


def test_a_small_gradient_alone_is_no_minimum():
    """With one label in 1e9, the gradient is below 1e-8 long before the minimum at log(1e9)."""
    found = TEMPERATURE().fit([[1.0, 0.0]], [[10**9, 1]])
    assert found.converged_ and 1 / found.temperature_ == pytest.approx(np.log(1e9), rel=2e-3)


def test_curvature_of_platt_scaling_by_hand():
    """Σ h s², Σ h s, Σ h with s the difference of the two logits."""
    u, h = np.array([[0.0, 1.0], [3.0, -1.0]]), np.array([[0.0, 0.0], [0.5, 0.25]])
    np.testing.assert_allclose(PlattMap.curvature(h, u), [[[0.5 * 9 + 0.25 * 4, 0.5 * 3 - 0.25 * 2], [1.0, 0.75]]])


def test_a_fall_without_end_reports_the_gradient_where_it_stopped():
    found = newton.minimise(lambda x: (float(x @ x), 2 * x), lambda x, g: -0.35 * g, lambda s: 1.0, np.array([6.0, 8.0]), lambda x: True)
    np.testing.assert_allclose(found.theta, [1.8, 2.4])
    assert found.gradient_norm == pytest.approx(6.0) and found.n_iter == 1 and not found.bounded


@pytest.mark.parametrize(("size", "bounded"), [(1.0, True), (1e-9, False)])
def test_no_smaller_value_is_found(size, bounded):
    """A minimum may be there if the gradient is not small; if it is small, and steps are not, there is none."""
    found = newton.minimise(lambda x: (float(np.abs(x).sum()), np.full(1, size)), lambda x, g: -g, lambda s: 1.0, np.zeros(1))
    assert (found.theta.tolist(), found.n_iter, found.bounded, found.converged) == ([0.0], 0, bounded, False)


def test_a_gradient_of_the_tolerance_is_small_enough():
    fits = [newton.Minimum(np.zeros(1), 0.0, norm, 3, True) for norm in (newton.TOLERANCE, 1.01 * newton.TOLERANCE)]
    assert [fit.converged for fit in fits] == [True, False]
