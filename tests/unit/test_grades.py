"""Metrics of grades: against slow twins, by hand, under reversed and shifted scales, and with two grades against the nominal metrics."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from public_functions import GRADE_MEANS
from refusals import refused
from scipy import stats
from scipy.integrate import quad
from twins import grades as twin

import ugt
from ugt import states
from ugt._base import notices
from ugt.grades import GRADE_METRICS

LAWS = {one.name: one for one in GRADE_MEANS}
VALUES = [1.0, 2.0, 4.0, 5.5]


def problem(seed=0, n=9, k=4):
    """Concentrations, predicted probabilities, and predicted grades as positions."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(k), n)
    probs[0], probs[1] = np.eye(k)[0], np.full(k, 1 / k)
    return rng.gamma(1.0, 2.0, (n, k)) + 0.05, probs, rng.integers(0, k, n)


def truths(alpha, seed=1):
    draws = np.random.default_rng(seed).dirichlet(np.ones(alpha.shape[1]), (len(alpha), 7))
    return {"point": alpha / alpha.sum(1, keepdims=True), "dirichlet": ugt.Dirichlet.from_array(alpha), "draws": draws}


def laws_of(kind, alpha, truth, i):
    """The law of a new grade of a case."""
    return (truth[i].mean(0) if kind == "draws" else alpha[i] / alpha[i].sum()).tolist()


def number_of(name, z):
    """What the metric takes of probabilities."""
    return twin.median(z, VALUES) if name == "absolute_error" else sum(p * v for p, v in zip(z, VALUES))


def cost_of(name, x, z):
    if name == "ranked_probability_score":
        return lambda k: twin.ranked(z, VALUES, k)
    return {"absolute_error": lambda k: abs(x - VALUES[k]), "squared_error": lambda k: (x - VALUES[k]) ** 2}[name]


@pytest.mark.parametrize("kind", ["point", "dirichlet", "draws"])
@pytest.mark.parametrize("name", ["absolute_error", "squared_error", "ranked_probability_score"])
def test_errors_of_a_drawn_grade(name, kind):
    alpha, probs, _ = problem()
    truth = truths(alpha)[kind]
    found = GRADE_METRICS[name].function(truth, probs, values=VALUES)
    costs = [cost_of(name, number_of(name, z), z) for z in probs.tolist()]
    expected = [twin.expected(laws_of(kind, alpha, truth, i), cost) for i, cost in enumerate(costs)]
    np.testing.assert_allclose(found.per_case, expected, rtol=1e-12)
    assert found.value == pytest.approx(np.mean(expected), rel=1e-12)
    spread = {
        "point": 0.0,
        "dirichlet": math.sqrt(sum(twin.variance(a, cost) for a, cost in zip(alpha.tolist(), costs))) / len(alpha),
        "draws": np.std([np.mean([twin.expected(truths(alpha)["draws"][i, d], cost) for i, cost in enumerate(costs)]) for d in range(7)]),
    }
    assert found.draw_std == pytest.approx(spread[kind], rel=1e-9)


@pytest.mark.parametrize("power", [1, 2])
def test_distances_of_laws(power):
    alpha, probs, _ = problem(seed=2)
    every = truths(alpha)

    def metric(truth):
        if power == 1:
            return ugt.grades.ua_grade_wasserstein(truth, probs, values=VALUES)
        return ugt.grades.ua_ranked_probability_score(truth, probs, against="law", values=VALUES)

    point = [twin.distance(z, law, VALUES, power) for z, law in zip(probs, every["point"])]
    np.testing.assert_allclose(metric(every["point"]).per_case, point, rtol=1e-12)
    drawn = [[twin.distance(z, law, VALUES, power) for law in draws] for z, draws in zip(probs, every["draws"])]
    found = metric(every["draws"])
    np.testing.assert_allclose(found.per_case, np.mean(drawn, 1), rtol=1e-12)
    np.testing.assert_allclose(found.per_draw, np.mean(drawn, 0), rtol=1e-12)
    exact = [twin.expected_distance(z, a, VALUES, power) for z, a in zip(probs, alpha)]
    found = metric(every["dirichlet"])
    np.testing.assert_allclose(found.per_case, exact, rtol=1e-9)
    law = np.random.default_rng(5)
    sampled = np.array([[twin.distance(z, one, VALUES, power) for one in law.dirichlet(a, 4000)] for z, a in zip(probs, alpha)])
    assert found.draw_std == pytest.approx(math.sqrt(sampled.var(1).sum()) / len(alpha), rel=0.06)


def test_variance_of_the_score_against_the_law_is_exact():
    alpha, z = np.array([[0.7, 1.3, 2.2]]), np.array([[0.2, 0.5, 0.3]])
    square = stats.dirichlet(alpha[0])
    nodes = np.polynomial.legendre.leggauss(60)
    x, w = (nodes[0] + 1) / 2, nodes[1] / 2
    mean = {1: 0.0, 2: 0.0}
    for (u, du), (v, dv) in itertools.product(zip(x, w), repeat=2):
        law = [u**4, (1 - u**4) * v**4, (1 - u**4) * (1 - v**4)]  # the densities are unbounded at 0
        weight = (1 - u**4) * 16 * u**3 * v**3 * du * dv
        score = twin.distance(z[0], law, [0, 1, 2], 2)
        for power in mean:
            mean[power] += score**power * square.pdf(law) * weight
    found = ugt.grades.ua_ranked_probability_score(ugt.Dirichlet.from_array(alpha), z, against="law")
    assert found.value == pytest.approx(mean[1], rel=1e-4)
    assert found.draw_std**2 == pytest.approx(mean[2] - mean[1] ** 2, rel=1e-3)


def test_by_hand():
    """Five grades 0 to 4; the law 1/2 at 1, 1/4 at 2 and 4."""
    law = [[0, 0.5, 0.25, 0, 0.25]]
    assert ugt.grades.ua_absolute_error(law, [2]).value == 0.5 + 0.5
    assert ugt.grades.ua_squared_error(law, [2]).value == 0.5 + 1.0
    assert [ugt.grades.ua_within_accuracy(law, [2], within=d).value for d in (0, 1, 2)] == [0.25, 0.75, 1.0]
    assert ugt.grades.ua_ranked_probability_score(law, [2]).value == 1.0
    assert ugt.grades.ua_grade_wasserstein(law, [2]).value == 0.5 + 0.5
    assert ugt.grades.ua_absolute_error(law, [2.5]).value == 0.75 + 0.125 + 0.375
    # of probabilities: medians 1 to 2, mean 1.9, and 0 to 2 or 1 to 3 within one grade
    probs = [[0.1, 0.4, 0.1, 0.3, 0.1]]
    assert ugt.grades.ua_absolute_error(law, probs).value == 0.5 * 0.5 + 0.25 * 0.5 + 0.25 * 2.5
    assert ugt.grades.ua_squared_error(law, probs).value == pytest.approx(0.5 * 0.81 + 0.25 * 0.01 + 0.25 * 4.41)
    assert ugt.grades.ua_within_accuracy(law, [[0.1, 0.3, 0.2, 0.2, 0.2]]).value == 0.75
    tied = [[0.4, 0.1, 0.0, 0.1, 0.4]]  # half of the probability lies within one grade of 0, 1, 3 and 4
    assert ugt.grades.ua_within_accuracy(law, tied).value == pytest.approx((0.5 + 0.75 + 0.5 + 0.25) / 4)


def test_score_against_a_grade_is_that_against_the_law_and_disagreement():
    alpha, probs, _ = problem(seed=3)
    post = ugt.Dirichlet.from_array(alpha)
    grade, law = (ugt.grades.ua_ranked_probability_score(post, probs, against=one, values=VALUES).per_case for one in ("grade", "law"))
    share, total = np.cumsum(alpha, 1)[:, :-1] / alpha.sum(1, keepdims=True), alpha.sum(1, keepdims=True)
    np.testing.assert_allclose(grade - law, (np.diff(VALUES) * share * (1 - share) * total / (total + 1)).sum(1), rtol=1e-10)


def test_score_of_shares_of_labels_is_that_of_histograms():
    counts, probs = np.random.default_rng(0).integers(1, 5, (6, 4)), problem()[1][:6]
    shares = ugt.Point.from_array(counts)
    for one, other in (
        (ugt.grades.ua_ranked_probability_score, ugt.calibration.ranked_probability_score),
        (ugt.grades.ua_grade_wasserstein, ugt.calibration.wasserstein_distance),
    ):
        np.testing.assert_allclose(one(shares, probs).per_case, other(counts, probs).per_case, rtol=1e-12)


# ---- scales


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("of", ["probabilities", "grades"])
@pytest.mark.parametrize("kind", ["point", "dirichlet", "draws"])
def test_scales_may_be_shifted_reversed_and_stretched(name, of, kind):
    alpha, probs, grades = problem(seed=4)
    truth, values = truths(alpha)[kind], np.array(VALUES)
    given = probs if of == "probabilities" else grades
    power = {"grades": 1, "grades²": 2}.get(LAWS[name].unit, 0)

    def found(truth, given, values, times=1.0):
        more = {} if of == "probabilities" else {"predictions_are": "positions"}
        more.update({"within": times} if name == "within_accuracy" else {})
        return LAWS[name].function(truth, given, values=values, **more)

    plain = found(truth, given, values)
    for other, times in ((values + 7, 1.0), (-values, 1.0), (3 * values, 3.0)):
        one = found(truth, given, other, times)
        np.testing.assert_allclose(one.per_case, plain.per_case * times**power, rtol=1e-9, atol=1e-12)
        assert one.draw_std == pytest.approx(plain.draw_std * times**power, rel=1e-6)
    order = [2, 0, 3, 1]  # of the classes
    turned = ugt.Dirichlet.from_array(alpha[:, order]) if kind == "dirichlet" else truth[..., order]
    back = probs[:, order] if of == "probabilities" else np.argsort(order)[grades]
    np.testing.assert_allclose(found(turned, back, values[order]).per_case, plain.per_case, rtol=1e-9, atol=1e-12)


def test_two_grades_are_the_nominal_metrics():
    alpha, _, grades = problem(seed=5, k=2)
    post = ugt.Dirichlet.from_array(alpha)
    mass = ugt.metrics.ua_plausibility_mass(post, grades[:, None])
    same = ugt.grades.ua_within_accuracy(post, grades, within=0)
    for found in (same, *(one.function(post, grades) for one in (LAWS["absolute_error"], LAWS["squared_error"]))):
        sign = 1 if found is same else -1
        np.testing.assert_allclose(found.per_case, mass.per_case if sign == 1 else 1 - mass.per_case, rtol=0, atol=1e-12)
        assert found.draw_std == pytest.approx(mass.draw_std, rel=1e-12)
    certain = np.eye(2)[grades]
    guess = np.eye(2)[problem(seed=6, k=2)[2]]
    accuracy = ugt.ua_topk_accuracy(certain, guess)
    np.testing.assert_allclose(ugt.grades.ua_within_accuracy(certain, guess, within=0).per_case, accuracy.per_case, rtol=0, atol=1e-12)
    assert ugt.grades.ua_within_accuracy(certain, guess, within=0).interval() == pytest.approx(accuracy.interval(), abs=1e-12)


# ---- real ratings


@pytest.mark.parametrize("name", ["absolute_error", "squared_error", "within_accuracy", "ranked_probability_score"])
def test_errors_of_ratings(name):
    post = ugt.truth.normal([[4.0, 5.5, 6.0], [1.0, 2.0, math.nan], [math.nan] * 3], prior=(3.0, 0.5, 2.5, 1.5))
    x = np.array([4.5, 3.0, 1.0])
    found = GRADE_METRICS[name].function(post, x)
    cost = {"squared_error": lambda e: e**2, "within_accuracy": lambda e: np.abs(e) <= 1}.get(name, np.abs)
    law = [stats.t(2 * a, m, math.sqrt(b * (1 + 1 / k) / a)) for m, k, a, b in zip(post.location, post.kappa, post.shape, post.scale)][:2]
    for i, one in enumerate(law):
        ends = sorted([-400, *range(-20, 31), 400, x[i] - 1, x[i], x[i] + 1])
        value = sum(quad(lambda y, f=one, c=x[i]: cost(y - c) * f.pdf(y), *both)[0] for both in zip(ends, ends[1:]))
        assert found.per_case[i] == pytest.approx(value, rel=2e-4)  # the tails beyond 400 are left out
    assert np.isnan(found.per_case[2]) and found.left_out == {"case without ratings": 1}
    rng = np.random.default_rng(3)
    variance = []
    for i in range(2):
        sd = np.sqrt(post.scale[i] / rng.gamma(post.shape[i], size=4000))
        mean = post.location[i] + sd / np.sqrt(post.kappa[i]) * rng.normal(size=4000)
        nodes, weights = np.polynomial.hermite_e.hermegauss(99)
        values = cost(x[i] - mean[:, None] - sd[:, None] * nodes) @ weights / weights.sum()
        variance.append(values.var())
    if name != "squared_error":  # whose variance has heavy tails
        assert found.draw_std == pytest.approx(math.sqrt(sum(variance)) / 2, rel=0.1)


# ---- what predictions are


def test_what_predictions_may_be():
    law = ugt.Point.from_array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], classes=["1", "2", "3"])
    words = ugt.Point.from_array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], classes=["mild", "moderate", "severe"])
    expected = ugt.grades.ua_absolute_error(law, [1, 3]).per_case.tolist()
    assert expected == pytest.approx([0.7, 0.3])
    same = [
        (law, ["1", "3"], {}), (law, [1.0, 3.0], {"predictions_are": "numbers"}), (law, [0, 2], {"predictions_are": "positions"}),
        (law, np.eye(3)[[0, 2]], {}), (law, np.eye(3)[[0, 2]], {"predictions_are": "probabilities"}),
        (words, ["mild", "severe"], {"values": [1, 2, 3]}), (words, np.array(["mild", "severe"], object), {"values": [1, 2, 3]}),
        (words, [1, 3], {"values": [1, 2, 3]}),
    ]  # fmt: skip
    for truth, given, more in same:
        assert ugt.grades.ua_absolute_error(truth, given, **more).per_case.tolist() == pytest.approx(expected)
    assert ugt.grades.ua_absolute_error(law, [1.25, 5.0], predictions_are="numbers").per_case[1] == pytest.approx(0.4 + 0.3 + 1.6)


@pytest.mark.parametrize(
    ("given", "more", "message"),
    [
        ([0, 2], {}, "predictions_are must be given"),
        ([1.5, 4.25], {}, "predictions_are must be given"),
        (
            [1, 4],
            {"predictions_are": "grades"},
            r"predictions must be numbers of the grades, 1, 2, 3 \(.* of 1 to 3\). Got 4, first at case 1.",
        ),
        (
            [1, 3],
            {"predictions_are": "positions"},
            r"predictions must be positions of the grades, 0, 1, 2 \('numbers' takes any, on the scale of 1 to 3\)",
        ),
        ([1.0, math.nan], {}, "predictions must be finite. Got nan, first at case 1."),
        ([1, 2, 3], {}, r"predictions must be 2 numbers or names of grades, or probabilities of shape \(2, 3\)"),
        ([[0.5, 0.4, 0.2], [0, 0, 1]], {}, "predictions must be probabilities, at least 0 and with a sum of 1"),
        ([[0.5, 0.5], [0, 1]], {}, r"predictions must be probabilities of shape \(2, 3\)"),
        (np.eye(3)[:2], {"predictions_are": "grades"}, "predictions must be one per case if they are grades"),
        ([1, 2], {"predictions_are": "probabilities"}, "predictions must be of shape"),
        (["1", "4"], {}, "predictions must be names of the grades, such as '1'. Got '4', first at case 1."),
        (["1", "3"], {"predictions_are": "numbers"}, "predictions_are must be 'grades' for names"),
        ([1, 3], {"predictions_are": "ranks"}, "predictions_are must be one of"),
        ([1, 3], {"values": [1, 2]}, "values must be 3 finite numbers, one per class"),
        ([1, 3], {"values": [1, 2, 2]}, "values must differ"),
        ([1, 3], {"values": [1, 2, math.inf]}, "values must be 3 finite numbers, one per class"),
    ],
)
def test_messages(given, more, message):
    law = ugt.Point.from_array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], classes=["1", "2", "3"])
    with pytest.raises(ValueError, match=message):
        ugt.grades.ua_absolute_error(law, given, **more)


def test_what_is_not_known_is_asked():
    words = ugt.Point.from_array([[0.5, 0.3, 0.2]], classes=["mild", "moderate", "severe"])
    refused("values must be given, one number per class", ugt.grades.ua_absolute_error, words, ["mild"])
    refused("aggregate them first", ugt.grades.ua_absolute_error, ugt.Labels.from_counts([[1, 2]]), [0], error=TypeError)
    one = ugt.Labels.from_counts([[1, 2]])
    refused(
        "predictions must be numbers, names of grades or probabilities. Got Labels",
        ugt.grades.ua_absolute_error,
        ugt.dirichlet(one),
        one,
        error=TypeError,
    )
    post = ugt.truth.normal([[1.0, 2.0]], prior=(0, 1, 2, 1))
    refused("values must be left out for ratings", ugt.grades.ua_absolute_error, post, [1.0], values=[0, 1])
    refused("must be 'numbers' for ratings", ugt.grades.ua_absolute_error, post, [1.0], predictions_are="grades")
    refused(
        r"truth must be plausibilities\. Got NormalPosterior: .* to_point", ugt.grades.ua_grade_wasserstein, post, [1.0], error=TypeError
    )
    refused("predictions must be grades or probabilities of grades", ugt.grades.ua_grade_wasserstein, [[0.5, 0.5]], [0.5])


# ---- results


def made_case_by_case(seed=0, n=30):
    rng = np.random.default_rng(seed)
    wide = np.clip(rng.integers(1, 5, (n, 1)) + rng.integers(-1, 2, (n, 5)), 1, 4)
    return ugt.dirichlet(ugt.Labels.from_wide(wide, classes=[1, 2, 3, 4], annotators=list("abcde")), prior=0.25)


@pytest.mark.parametrize("name", LAWS)
def test_results(name):
    post, (_, probs, _) = made_case_by_case(), problem(n=30)
    found = LAWS[name].function(post, probs)
    low, high = found.interval()
    assert low < found.value < high and found.std_error > 0 and found.draw_std > 0
    with pytest.warns(UserWarning, match="over 10 clusters"):
        clusters = found.interval(clusters=np.arange(30) // 3)
    both = found.interval(random=("cases", "annotators"))
    assert (
        clusters != (low, high) and both[1] - both[0] > 0 and found.span == (0.0, {"share": 1.0, "grades²": 9.0}.get(LAWS[name].unit, 3.0))
    )
    without = LAWS[name].function(ugt.dirichlet(post.made_of.annotations, prior=0.25), probs)
    assert found.minus(without).value == 0 and found.minus(without).per_case.tolist() == [0.0] * 30
    low, high = found.draw_interval()
    assert low < found.value < high


@pytest.mark.parametrize("name", LAWS)
def test_perfect_predictions_have_an_interval(name):
    truth = np.eye(3)[[0, 1, 2, 1, 0, 2, 1, 1]]
    found = LAWS[name].function(truth, truth)
    assert found.value == (1.0 if LAWS[name].higher_is_better else 0.0)
    low, high = found.interval()
    assert high - low > 0.1 and found.value in (low, high)


def test_cases_without_annotations_are_left_out():
    for one in LAWS.values():
        found = one.function([[0.5, 0.5, 0.0], [np.nan] * 3], np.eye(3)[:2])
        assert found.n_cases == 1 and found.left_out == {"case without annotations": 1} and np.isnan(found.per_case[1])
    with pytest.warns(RuntimeWarning, match="undefined: no case is left"):
        assert np.isnan(ugt.grades.ua_absolute_error([[np.nan] * 2], [1]).value)


def test_graded_response_is_a_truth():
    labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 2], [2, 2, 2], [0, 1, 1], [1, 2, 2], [0, 0, 0], [2, 1, 2], [1, 1, 1]])
    fitted = ugt.annotators.graded_response(labels)
    found = ugt.grades.ua_absolute_error(fitted, [0, 1, 2, 1, 2, 0, 2, 1])
    assert found.value == ugt.grades.ua_absolute_error(fitted.plausibilities, [0, 1, 2, 1, 2, 0, 2, 1]).value
    drawn = ugt.grades.ua_absolute_error(fitted.draws(50), [0, 1, 2, 1, 2, 0, 2, 1])
    assert drawn.value == pytest.approx(found.value, abs=0.1) and drawn.draw_std > 0 and drawn.mc_error > 0


# ---- kappa


def kappas(law, x, weights="quadratic", values=VALUES):
    return ugt.grades.ua_weighted_kappa(law, x, weights=weights, values=values, predictions_are="numbers")


@pytest.mark.parametrize("weights", ["quadratic", "linear"])
def test_kappa_is_that_of_the_expected_table(weights):
    alpha, _, grades = problem(seed=7, n=6)
    law, x = alpha / alpha.sum(1, keepdims=True), [VALUES[k] for k in grades]
    found = kappas(ugt.Dirichlet.from_array(alpha), x, weights)
    expected = twin.kappa(x, law.tolist(), VALUES, weights)
    assert (found.value, found.human) == pytest.approx(expected, rel=1e-12)
    # cases with two most probable grades count half for each
    probs = np.eye(4)[grades] * 0.4 + np.eye(4)[(grades + 1) % 4] * 0.4 + 0.05
    halves = twin.kappa(x + [VALUES[(k + 1) % 4] for k in grades], law.tolist() * 2, VALUES, weights)[0]
    assert ugt.grades.ua_weighted_kappa(law, probs, weights=weights, values=VALUES).value == pytest.approx(halves, rel=1e-12)


@pytest.mark.parametrize("weights", ["quadratic", "linear"])
def test_certain_grades_have_the_kappa_of_two_annotators(weights):
    def labels(columns):
        return ugt.Labels.from_wide(np.stack(columns, 1), classes=4)

    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 40)
    b = np.clip(a + rng.integers(-1, 2, 40), 0, 3)
    found, known = ugt.grades.ua_weighted_kappa(np.eye(4)[b], a, weights=weights), ugt.cohen_kappa(labels([a, b]), weights=weights)
    assert found.value == pytest.approx(known.value, abs=1e-12) and (found.human, found.ceiling, found.draw_std) == (1.0, 1.0, 0.0)
    assert found.std_error == pytest.approx(known.std_error * math.sqrt(40 / 39), rel=1e-9)  # the published one divides by N
    two = ugt.grades.ua_weighted_kappa(np.eye(2)[b // 2], a // 2, weights=weights)
    assert two.value == pytest.approx(ugt.cohen_kappa(labels([a // 2, b // 2])).value, abs=1e-12)


def test_no_prediction_exceeds_the_ceiling():
    rng = np.random.default_rng(1)
    law = rng.dirichlet(np.full(4, 0.7), 5)
    best = {"quadratic": -1.0, "linear": -1.0}
    for x in itertools.product(VALUES, repeat=5):
        for weights, highest in best.items():
            best[weights] = max(highest, twin.kappa(x, law.tolist(), VALUES, weights)[0])
    found = {weights: kappas(law, VALUES[:1] * 5, weights) for weights in best}
    assert found["linear"].ceiling == pytest.approx(best["linear"], abs=1e-12)  # reached by grades
    assert best["quadratic"] <= found["quadratic"].ceiling == pytest.approx(math.sqrt(found["quadratic"].human))
    mean, square = law @ VALUES, law @ np.square(VALUES)
    stretch = mean.mean() + (mean - mean.mean()) * math.sqrt((square.mean() - mean.mean() ** 2) / mean.var())
    assert kappas(law, stretch).value == pytest.approx(found["quadratic"].ceiling, rel=1e-12)
    r = found["quadratic"].human
    assert kappas(law, mean).value == pytest.approx(2 * r / (1 + r), rel=1e-12)


def test_human_is_what_independent_grades_have():
    rng = np.random.default_rng(2)
    law = rng.dirichlet(np.full(4, 0.7), 400)
    sampled = [kappas(law, np.array(VALUES)[(rng.random((400, 1)) > np.cumsum(law, 1)).sum(1)]).value for _ in range(60)]
    assert np.mean(sampled) == pytest.approx(kappas(law, law @ VALUES).human, abs=4.5 * np.std(sampled) / math.sqrt(60) + 2 / 400)


@pytest.mark.parametrize("weights", ["quadratic", "linear"])
def test_kappa_of_shifted_and_reversed_scales(weights):
    alpha, _, grades = problem(seed=8, n=8)
    law, values = alpha / alpha.sum(1, keepdims=True), np.array(VALUES)
    found = kappas(law, values[grades], weights)
    for turned in (values + 1000, -values, 2.5 * values):
        one = kappas(law, turned[grades], weights, turned)
        assert (one.value, one.human, one.ceiling) == pytest.approx((found.value, found.human, found.ceiling), rel=1e-9)
        assert one.interval() == pytest.approx(found.interval(), rel=1e-6)


@pytest.mark.parametrize("weights", ["quadratic", "linear"])
def test_influence_and_spread_of_kappa(weights):
    alpha, _, grades = problem(seed=9, n=12)
    x, law = np.array(VALUES)[grades], ugt.Dirichlet.from_array(alpha)
    found = kappas(law, x, weights)
    one = found.statistic
    step = 1e-5
    up, down = (one.values(1 + sign * step * np.eye(12)) for sign in (1, -1))
    np.testing.assert_allclose(one.influence(), (up - down) / (2 * step), rtol=1e-5, atol=1e-9)
    many = np.repeat(alpha, 40, axis=0) * 8
    truth = ugt.Dirichlet.from_array(many)
    drawn = truth.draws(300).swapaxes(0, 1)
    sampled = [kappas(np.asarray(one), np.repeat(x, 40), weights).value for one in drawn]
    assert kappas(truth, np.repeat(x, 40), weights).draw_std == pytest.approx(np.std(sampled), rel=0.15)
    draws = kappas(truth.draws(300), np.repeat(x, 40), weights)
    assert draws.draw_std == pytest.approx(np.std(sampled), rel=0.02) and draws.mc_error > 0


def test_undefined_kappas_have_a_reason():
    with pytest.warns(RuntimeWarning, match="all of one grade"):
        found = ugt.grades.ua_weighted_kappa(np.eye(3)[[1, 1, 1]], [1, 1, 1])
    assert np.isnan([found.value, found.human, found.draw_std]).all() and "one grade" in found.reason
    constant = ugt.grades.ua_weighted_kappa(np.eye(3)[[0, 1, 2]], [1, 1, 1])
    assert constant.value == pytest.approx(0.0, abs=1e-12) and constant.human == 1.0
    with pytest.warns(RuntimeWarning, match="no case is left"):
        assert np.isnan(ugt.grades.ua_weighted_kappa([[np.nan] * 2], [1]).value)


def test_kappa_of_ratings_is_the_concordance_correlation():
    post = ugt.truth.normal(np.random.default_rng(0).normal(size=(30, 3)) + np.arange(30)[:, None] / 5 + 1e5, prior=(1e5, 0.5, 3.0, 2.0))
    x = post.location + np.sin(np.arange(30))
    found, m = ugt.grades.ua_weighted_kappa(post, x), post.location - 1e5
    spread = np.mean(post.scale * (1 + 1 / post.kappa) / (post.shape - 1))
    x = x - 1e5
    chance = x.var() + m.var() + spread + (x.mean() - m.mean()) ** 2
    assert found.value == pytest.approx(2 * np.cov(x, m, ddof=0)[0, 1] / chance, rel=1e-9)
    assert found.human == pytest.approx(m.var() / (m.var() + spread), rel=1e-9) and found.interval()[0] < found.value
    refused("weights must be 'quadratic' for ratings", ugt.grades.ua_weighted_kappa, post, x, weights="linear")
    vague = ugt.truth.normal([[1.0, 2.0], [3.0, 4.0]], prior=(0, 1, 1e-3, 1)).__class__(np.arange(2), *np.full((4, 2), 0.9))
    with notices.heard():
        undefined = ugt.grades.ua_weighted_kappa(vague, [1.0, 2.0])
    assert np.isnan([undefined.value, undefined.human, undefined.ceiling]).all()
    assert undefined.reason.startswith("a new rating has an infinite variance in 2 of 2 cases")


@pytest.mark.parametrize("shape", [0.6, 1.0, 1.3, 1.9, 2.2, 2.6, 4.9, 5.1, 30.0])
def test_spread_of_errors_under_heavy_tails(shape):
    """Before, the rule over the variance cut the tail off: 2e5 instead of no end for the squared error and a shape of 1.2."""
    post, x = ugt.truth.normal([[0.0]], prior=(0, 1, 1, 1)), 1.1
    post = replace(post, location=np.array([0.4]), kappa=np.array([3.0]), shape=np.array([shape]), scale=np.array([1.7]))
    away, first = x - 0.4, 1.7 / (shape - 1) if shape > 1 else math.inf  # E σ²
    second = first * 1.7 / (shape - 2) if shape > 2 else math.inf  # E σ⁴
    mean = away**2 + first * 4 / 3
    found = ugt.grades.ua_squared_error(post, [x])
    wanted = math.sqrt(away**4 + 6 * away**2 * first / 3 + 2 * away**2 * first + second * 2 - mean**2) if shape > 2 else math.inf
    assert found.value == pytest.approx(mean) and found.draw_std == pytest.approx(wanted, rel=1e-9)
    absolute = ugt.grades.ua_absolute_error(post, [x])
    assert math.isfinite(absolute.value) and math.isfinite(absolute.draw_std) == (shape > 1)
    if shape > 2:
        rng = np.random.default_rng(1)
        sigma = np.sqrt(1.7 / rng.gamma(shape, 1, 400_000))
        z = (x - 0.4) / sigma - rng.normal(size=len(sigma)) / math.sqrt(3)
        drawn = sigma * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z))
        assert absolute.draw_std == pytest.approx(drawn.std(), rel=0.02)


@pytest.mark.parametrize("weights", ["quadratic", "linear"])
def test_kappa_over_annotators_and_in_parts(weights):
    post, x = made_case_by_case(), np.random.default_rng(0).integers(1, 5, 30)
    found = ugt.grades.ua_weighted_kappa(post, x, weights=weights)
    with notices.heard():  # few annotators
        two = found.two_way()
    assert two.variance >= two.parts["cases"] > 0 and two.interval()[0] < found.value < two.interval()[1]
    rows = np.array_split(np.random.default_rng(1).permutation(30), 4)
    parts = [states.partial("ua_weighted_kappa", post.take(r), x[r], weights=weights) for r in rows]
    merged = states.finish(states.merge(parts))
    assert merged.value == pytest.approx(found.value, rel=1e-12) and merged.numbers["human"] == pytest.approx(found.human, rel=1e-12)
    assert merged.n_cases == 30


@pytest.mark.parametrize("name", ["absolute_error", "weighted_kappa", "spearman"])
def test_partitions_of_dask(name):
    array = pytest.importorskip("dask.array")
    import ugt.dask

    alpha, _, grades = problem(n=40)
    law = alpha / alpha.sum(1, keepdims=True)
    found = ugt.dask.compute(f"ua_{name}", *(array.from_array(one, chunks=(10, *one.shape[1:])) for one in (law, grades)))
    assert found.value == pytest.approx(GRADE_METRICS[name].function(law, grades).value, rel=1e-12) and found.n_cases == 40


@pytest.mark.parametrize("kind", ["grades", "probabilities", "numbers"])
def test_areas_at_the_cuts_in_parts(kind):
    rng, values = np.random.default_rng(4), np.array([1.0, 2.0, 4.0, 7.0])
    table = np.where(rng.random((40, 3)) < 0.2, None, values[rng.integers(0, 4, (40, 3))].astype(object))
    table[:, 0] = values[rng.integers(0, 4, 40)]
    law, number = rng.dirichlet(np.ones(4), 40).round(2), rng.uniform(0, 8, 40).round(1)
    predicted = {"grades": values[rng.integers(0, 4, 40)], "probabilities": law / law.sum(axis=1, keepdims=True), "numbers": number}[kind]
    edges = {"grades": {}, "probabilities": {}, "numbers": {"edges": np.arange(0.05, 8, 0.1).tolist()}}[kind]

    def truth(at):
        return ugt.dirichlet(ugt.Labels.from_wide(table[at], ordered=values.tolist(), annotators=list("abc")))

    def part(at, **more):
        return states.partial("ua_auroc_at_cuts", truth(at), predicted[at], predictions_are=kind, **edges, **more)

    places, whole = [slice(0, 7), slice(7, 40)], ugt.grades.ua_auroc_at_cuts(truth(slice(None)), predicted, predictions_are=kind)
    found = states.finish(states.merge(states.State.from_json(part(at).to_json()) for at in places))
    if kind == "probabilities":  # a bin holds several cases
        assert found.numbers["low"] <= whole.value <= found.numbers["high"] <= found.numbers["low"] + 0.05
        return
    np.testing.assert_allclose(found.numbers["per_class"], whole.per_class, atol=1e-12)
    assert found.value == pytest.approx(whole.value, abs=1e-12) and found.n_cases == 40
    both = {"random": ("cases", "annotators"), "panel": list("abc")}
    with notices.heard():  # few annotators
        first = states.merge(part(at, **both) for at in places)
        again = states.finish(states.merge(part(at, given=first, **both) for at in places))
        assert again.two_way().interval() == pytest.approx(replace(whole.two_way(), _cases=None).interval(), abs=1e-9)
    other = states.partial("ua_auroc_at_cuts", ugt.dirichlet(ugt.Labels.from_wide([[1, 2], [2, 2]], ordered=[1, 2, 3, 7])), [1, 2])
    refused("states must be made with the same", states.merge, [part(places[0]), other])


def test_areas_of_numbers_in_parts_need_edges():
    data = "ua_auroc_at_cuts", [[0.5, 0.5]], [0.3]
    refused("edges must be given in parts if predictions are numbers", states.partial, *data, values=[0, 1], predictions_are="numbers")


def test_grades_without_doubt_leave_nothing_to_an_annotator():
    with pytest.warns(RuntimeWarning, match="human and ceiling are undefined: the truth is certain of one grade"):
        found = ugt.grades.ua_weighted_kappa([[np.nan] * 2, [1, 0.0]], [0, 1])
    assert (found.value, found.reason) == (0, None) and math.isnan(found.human) and math.isnan(found.ceiling)
    with pytest.warns(RuntimeWarning, match="human is undefined: the truth is certain of one grade"):
        assert ugt.grades.ua_weighted_kappa([[1.0, 0], [1, 0]], [0, 1], weights="linear").ceiling == 0
