"""Decisions against an uncertain truth: beside the twin, scikit-learn, drawn truths, and numbers of the design."""

import numpy as np
import pytest
from sklearn import metrics
from twins import decisions as twin

import ugt
from ugt.soft.decisions.decided import Decided
from ugt.soft.decisions.measures import MEASURES, at_prevalence, benefits

RATES = ("sensitivity", "specificity", "balanced_accuracy", "youden", "lr_positive", "lr_negative")


def study(n=300, seed=0):
    """Hard labels and risks."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3) * 1
    return y, np.clip(0.3 * y + rng.random(n) * 0.7, 0, 1)


def soft_study(n=60, seed=0, prevalence=0.3):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(2 * prevalence, 2 * (1 - prevalence), n) * 5) / 5
    return p, np.round(np.clip(0.6 * p + 0.4 * rng.random(n), 0, 1), 2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("threshold", [0.2, 0.5])
def test_measures_and_influences_are_those_of_the_twin(seed, threshold):
    p, s = soft_study(seed=seed)
    d = (s >= threshold).tolist()
    found = ugt.soft.diagnostic_accuracy(p, s, threshold=threshold)
    wanted = twin.measures(*twin.sums(p.tolist(), d))
    assert {name: getattr(found, name) for name in wanted} == pytest.approx(wanted, rel=1e-12)
    influence = found.statistic.influence()
    for j, name in enumerate(MEASURES):
        assert influence[:, j] == pytest.approx(twin.influence(p.tolist(), d, name), rel=1e-9, abs=1e-13)
    assert influence.sum(axis=0) == pytest.approx(np.zeros(len(MEASURES)), abs=1e-12)


@pytest.mark.parametrize("q", [0.02, 0.4])
def test_another_prevalence_is_that_of_the_twin(q):
    p, s = soft_study()
    d = (s >= 0.4).tolist()
    found = ugt.soft.diagnostic_accuracy(p, s, threshold=0.4, prevalence=q)
    wanted = twin.at_prevalence(*twin.sums(p.tolist(), d), q)
    assert {name: getattr(found, name) for name in wanted} == pytest.approx(wanted, rel=1e-12)
    influence = found.statistic.influence()
    for j, name in enumerate(MEASURES):
        assert influence[:, j] == pytest.approx(twin.influence(p.tolist(), d, name, twin.at_prevalence, q=q), rel=1e-9, abs=1e-13)
    own = ugt.soft.diagnostic_accuracy(p, s, threshold=0.4)
    same = ugt.soft.diagnostic_accuracy(p, s, threshold=0.4, prevalence=own.prevalence)
    assert [getattr(same, name) for name in MEASURES] == pytest.approx([getattr(own, name) for name in MEASURES], rel=1e-12)
    assert all(getattr(found, name) == getattr(own, name) for name in RATES)


def test_net_benefit_and_its_influences_are_those_of_the_twin():
    (p, s), at = soft_study(seed=3), np.array([0.0, 0.1, 0.35, 0.6])
    found = ugt.soft.net_benefit(p, s, at)
    for j, t in enumerate(at):
        d = (s >= t).tolist()
        wanted = twin.benefits(*twin.sums(p.tolist(), d), t)
        got = dict(zip(wanted, (part[j] for part in (found.value, found.treat_all, found.over_all, found.standardized, found.avoided))))
        assert got == pytest.approx(wanted, rel=1e-12, abs=1e-15, nan_ok=True)
        for name in wanted:
            if t > 0 or name != "avoided":
                expected = twin.influence(p.tolist(), d, name, twin.benefits, t=t)
                assert found.of(name).influence()[:, j] == pytest.approx(expected, rel=1e-9, abs=1e-13)
    assert found.avoided[0] != found.avoided[0]


def test_hard_truth_gives_the_numbers_of_other_libraries():
    y, s = study()
    found, d = ugt.soft.diagnostic_accuracy(y, s, threshold=0.5), s >= 0.5
    assert found.table.tolist() == metrics.confusion_matrix(y, d).tolist()
    pairs = {
        "sensitivity": metrics.recall_score, "ppv": metrics.precision_score, "f1": metrics.f1_score, "jaccard": metrics.jaccard_score,
        "mcc": metrics.matthews_corrcoef, "accuracy": metrics.accuracy_score, "balanced_accuracy": metrics.balanced_accuracy_score,
    }  # fmt: skip
    weights = np.random.default_rng(1).random(len(y)) * 3
    weighted = ugt.soft.diagnostic_accuracy(y, s, threshold=0.5, case_weights=weights)
    for name, function in pairs.items():
        assert getattr(found, name) == pytest.approx(function(y, d), rel=1e-12)
        assert getattr(weighted, name) == pytest.approx(function(y, d, sample_weight=weights), rel=1e-12)
    # dcurves 1.1.2, dca(prevalence=0.05)
    assert ugt.soft.net_benefit(y, s, [0.2, 0.5], prevalence=0.05).value == pytest.approx([-0.124944, -0.261349], abs=5e-7)


def test_classes_have_the_numbers_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, scores, weights = rng.integers(0, 4, 500), rng.random((500, 4)), rng.random(500) * 3
    scores[np.arange(500), y] += 0.4
    found, d = ugt.soft.accuracy_by_class(np.eye(4)[y], scores, case_weights=weights), scores.argmax(axis=1)
    pairs = {"sensitivity": metrics.recall_score, "ppv": metrics.precision_score, "f1": metrics.f1_score, "jaccard": metrics.jaccard_score}
    for name, function in pairs.items():
        own = {average: function(y, d, average=average, sample_weight=weights) for average in (None, "macro", "micro")}
        assert found.values[name] == pytest.approx(own[None], rel=1e-12)
        assert (found.macro[name], found.micro[name]) == pytest.approx((own["macro"], own["micro"]), rel=1e-12)
    assert ugt.soft.accuracy_by_class(np.eye(4)[y], scores).table.tolist() == metrics.confusion_matrix(y, d).tolist()
    for at in ("0", "macro", "micro"):
        low, high = found.interval(of="f1", at=at)
        assert 0 < low < high < 1


def test_two_classes_are_one_against_the_other():
    p, s = soft_study()
    both = np.stack([1 - p, p], axis=1)
    found = ugt.soft.accuracy_by_class(both, np.stack([s < 0.5, s >= 0.5], axis=1) * 1)
    one = ugt.soft.diagnostic_accuracy(p, s, threshold=0.5)
    assert [found.values[name][1] for name in MEASURES] == pytest.approx([getattr(one, name) for name in MEASURES], rel=1e-12)
    influence, of_one = found.statistic.influence(), one.statistic.influence()
    for j, name in enumerate(MEASURES):
        assert influence[:, found.statistic.names.index(f"{name} 1")] == pytest.approx(of_one[:, j], rel=1e-9, abs=1e-14)


def test_influences_on_averages_and_costs_are_derivatives():
    rng = np.random.default_rng(4)
    p, scores = rng.dirichlet([0.5, 0.7, 0.9], 25), rng.random((25, 3))
    for one in (
        ugt.soft.accuracy_by_class(p, scores).statistic,
        ugt.soft.expected_cost(p, scores, [[0, 2, 1], [3, 0, 1], [1, 1, 0]]).statistic,
    ):
        influence = one.influence()
        for i in (0, 7, 24):
            steps = np.ones((2, 25))
            steps[:, i] += [1e-6, -1e-6]
            up, down = one.values(steps)
            assert influence[i] == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-8)


def test_costs_of_two_classes_are_the_prevalence_less_the_net_benefit():
    y, s = study()
    k = 0.3 / 0.7
    both, decided = np.stack([1 - y, y], axis=1), np.stack([s < 0.3, s >= 0.3], axis=1) * 1
    found = ugt.soft.expected_cost(both, decided, [[0, k], [1, 0]])
    assert found.value == pytest.approx(y.mean() - ugt.soft.net_benefit(y, s, [0.3]).value[0], rel=1e-12)
    risks = np.stack([1 - s, s], axis=1)
    assert ugt.soft.expected_cost(both, risks, [[0, k], [1, 0]], decide="cost").value == pytest.approx(found.value, rel=1e-12)
    assert (found.constant, found.perfect) == pytest.approx((min(y.mean(), k * (1 - y.mean())), 0.0))
    assert found.standardized == pytest.approx(1 - found.value / found.constant)


@pytest.mark.parametrize("name", ["sensitivity", "ppv", "f1", "mcc"])
def test_the_spread_over_truths_is_that_of_drawn_ones(name):
    p, s = soft_study(200, seed=5)
    d = s >= np.quantile(s, 0.7)
    found = ugt.soft.diagnostic_accuracy(p, d * 1)
    drawn = twin.over_truths(p, d, 4000, 0)[name]
    assert found.spread[name] == pytest.approx(drawn.std(), rel=0.1)
    if name == "ppv":  # linear
        assert getattr(found, name) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 4000**0.5)


def test_many_thresholds_are_each_alone():
    p, s = soft_study(seed=6)
    at = [0.15, 0.4, 0.61, 0.99, 2.0]
    curve = ugt.soft.diagnostic_accuracy(p, s, threshold=at)
    for j, t in enumerate(at):
        one = ugt.soft.diagnostic_accuracy(p, s, threshold=t)
        wanted = [getattr(one, name) for name in MEASURES]
        assert [curve.values[name][j] for name in MEASURES] == pytest.approx(wanted, rel=1e-12, nan_ok=True)
        assert [curve.spread[name][j] for name in MEASURES] == pytest.approx(list(one.spread.values()), rel=1e-9, nan_ok=True)
        for name in ("sensitivity", "mcc"):
            alone = one.interval(of=name)
            assert curve.intervals(of=name)[j] == pytest.approx(alone, rel=1e-9, nan_ok=True)


def test_standard_errors_need_no_table_of_cases_and_thresholds():
    p, s = soft_study(200, seed=7)
    one = Decided(p, np.searchsorted([0.2, 0.5], s, side="right").astype(np.int32), 2, MEASURES, thresholds=np.array([0.2, 0.5]))
    influence = one.influence()
    n = one.facts.counting(one.kept, one.units())
    assert one.std_error() == pytest.approx(np.sqrt((influence**2).sum(axis=0) * n / (n - 1)), rel=1e-9)
    twice = one.units(np.arange(200) // 2)
    assert one.std_error(twice) == pytest.approx(
        np.sqrt((influence.reshape(100, 2, -1).sum(axis=1) ** 2).sum(axis=0) * (m := one.facts.counting(one.kept, twice)) / (m - 1)),
        rel=1e-9,
    )


def test_the_error_of_a_stated_prevalence_widens_intervals():
    p, s = soft_study(200, seed=8)
    exact = ugt.soft.diagnostic_accuracy(p, s, threshold=0.5, prevalence=0.1)
    uncertain = ugt.soft.diagnostic_accuracy(p, s, threshold=0.5, prevalence=0.1, prevalence_error=0.03)
    near = [ugt.soft.diagnostic_accuracy(p, s, threshold=0.5, prevalence=0.1 + step).ppv for step in (1e-6, -1e-6)]
    slope = (near[0] - near[1]) / 2e-6
    one = uncertain.statistic
    at = one.names.index("ppv")
    wider = one.facts.widening(one.kept, one.units())[at]
    assert wider == pytest.approx((1 + (0.03 * slope) ** 2 / one.std_error()[at] ** 2) ** 0.5, rel=1e-6)
    width = [high - low for low, high in (exact.interval(of="ppv"), uncertain.interval(of="ppv"))]
    assert width[1] > 1.1 * width[0]
    assert exact.interval(of="sensitivity") == uncertain.interval(of="sensitivity")


def test_a_band_holds_all_intervals_and_only_widens():
    p, s = soft_study(200, seed=9)
    found = ugt.soft.net_benefit(p, s, [0.1, 0.2, 0.4])
    band, each = found.band(), found.intervals(kind="percentile")
    assert (band[:, 1] - band[:, 0] > each[:, 1] - each[:, 0]).all()
    alone = ugt.soft.net_benefit(p, s, [0.2])
    assert alone.band()[0] == pytest.approx(alone.intervals(kind="percentile")[0], abs=0.02)


def test_single_annotators_have_curves_of_their_own():
    rng = np.random.default_rng(3)
    wide = (rng.random((50, 3)) < 0.4) * 1
    wide[:10, 2] = -1
    labels = ugt.Labels.from_wide(wide, classes=2, missing=-1, annotators=["a", "b", "c"])
    scores = rng.random(50)
    found = ugt.soft.net_benefit(labels, scores, [0.2, 0.5], positive_class=1).by_annotators()
    assert found.annotators.tolist() == ["a", "b", "c"]
    assert found.n_cases.tolist() == [50, 50, 40]
    for a in range(3):
        own = wide[:, a] >= 0
        assert found.values[a] == pytest.approx(ugt.soft.net_benefit(wide[own, a], scores[own], [0.2, 0.5]).value)
    assert found.range[:, 0].tolist() == found.values.min(axis=0).tolist()


def test_a_difference_of_curves_is_paired():
    p, s = soft_study(100, seed=10)
    other = np.random.default_rng(0).random(100)
    one, two = (ugt.soft.net_benefit(p, scores, [0.2, 0.5]) for scores in (s, other))
    found = one.minus(two)
    assert found.values["net_benefit"] == pytest.approx(one.value - two.value)
    assert one.minus(one).values["over_all"].tolist() == [0, 0]
    low, high = found.intervals().T
    assert (low < found.values["net_benefit"]).all() and (found.values["net_benefit"] < high).all()
    with pytest.raises(ValueError, match="same thresholds"):
        one.minus(ugt.soft.net_benefit(p, s, [0.2]))
    with pytest.raises(ValueError, match="same prevalence"):
        one.minus(ugt.soft.net_benefit(p, s, [0.2, 0.5], prevalence=0.01))


@pytest.mark.filterwarnings("ignore:Sensitivity . specificity")
def test_a_chosen_threshold_is_judged_on_other_cases():
    rng = np.random.default_rng(0)
    apart = []
    for _ in range(30):
        y, s = (rng.random(200) < 0.5) * 1, rng.random(200)  # scores know nothing
        found = ugt.soft.diagnostic_accuracy(y, s, threshold="youden")
        apart.append((found.chosen.apparent, found.youden))
    apparent, honest = np.mean(apart, axis=0)
    assert apparent > 0.06 and abs(honest) < 0.03
    order = np.random.default_rng(1).permutation(200)
    again = ugt.soft.diagnostic_accuracy(y[order], s[order], threshold="youden")
    assert (again.youden, again.threshold) == (found.youden, found.threshold)
    with pytest.raises(ValueError, match="more than 5 expected positive and negative cases"):
        ugt.soft.diagnostic_accuracy(y[:60], s[:60], threshold="f1")


def test_undefined_measures_are_counted():
    found = ugt.soft.diagnostic_accuracy([0.0, 0.0, 1.0, 1.0, 1.0, np.nan], [0.1, 0.2, 0.3, 0.4, 0.2, 0.4], threshold=0.9)
    assert np.isnan([found.ppv, found.mcc, found.lr_positive]).all()
    assert found.left_out == {"case without annotations": 1, "undefined ppv": 1, "undefined mcc": 1, "undefined lr_positive": 1}
    assert np.isnan(found.interval(of="ppv")).all()
    assert found.interval()[0] == 0 < found.interval()[1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p, s: ugt.soft.net_benefit(p, 2 * s, [0.1]), "scores must be risks"),
        (lambda p, s: ugt.soft.net_benefit(p, s, [1.0]), "thresholds must be from 0 to below 1"),
        (lambda p, s: ugt.soft.net_benefit(p, s, [0.1, 0.1]), "0.1 twice"),
        (ugt.soft.diagnostic_accuracy, "scores must be decisions, 0 or 1"),
        (lambda p, s: ugt.soft.diagnostic_accuracy(p, s, threshold=np.nan), "threshold must be finite"),
        (lambda p, s: ugt.soft.diagnostic_accuracy(p, s[1:], threshold=0.5), "scores must be of shape"),
        (lambda p, s: ugt.soft.diagnostic_accuracy(p + 1, s, threshold=0.5), "truth must be from 0 to 1"),
        (lambda p, s: ugt.soft.diagnostic_accuracy(p, s, threshold=0.5, prevalence=0), "prevalence must be above 0 and below 1"),
        (lambda p, s: ugt.soft.diagnostic_accuracy(p, s, threshold=0.5, prevalence_error=0.1), "prevalence_error must be left out"),
        (lambda p, s: ugt.soft.diagnostic_accuracy(p, s, threshold="best"), "threshold must be one of"),
        (
            lambda p, s: ugt.soft.diagnostic_accuracy(p, s, threshold=0.5, frequency=p * 0 + 1, case_weights=s),
            "case_weights must be left out",
        ),
        (lambda p, s: ugt.soft.expected_cost(np.stack([1 - p, p], 1), np.stack([1 - s, s], 1), [[0, 1]]), "costs must be a table"),
        (
            lambda p, s: ugt.soft.diagnostic_accuracy(np.stack([1 - p, p], 1), s, threshold=0.5, positive_class=2),
            "positive_class must be one",
        ),
    ],
)
def test_bad_input_is_refused(call, words):
    p, s = soft_study()
    with pytest.raises(ValueError, match=words):
        call(p, s)


def test_the_positive_class_is_asked_for():
    labels = ugt.Labels.from_counts([[3, 1], [0, 4], [4, 0]], classes=["AF", "sinus"])
    assert ugt.soft.diagnostic_accuracy(labels, [0.4, 0.1, 0.9], threshold=0.5).prevalence == pytest.approx(1.75 / 3)
    unsigned = ugt.Labels.from_counts([[3, 1], [0, 4], [4, 0]], classes=["M", "N"])
    with pytest.raises(ValueError, match="positive_class must be given for two classes"):
        ugt.soft.diagnostic_accuracy(unsigned, [0.4, 0.1, 0.9], threshold=0.5)


@pytest.mark.parametrize("measures", [MEASURES, at_prevalence(MEASURES, 0.1, 0.0), benefits(np.array([0.3]))])
def test_gradients_are_derivatives(measures):
    cells = np.array([[5.3, 2.1, 3.7, 20.4]])
    for name, one in measures.items():
        for j in range(4):
            step = np.zeros(4)
            step[j] = 1e-6
            slope = (one.value(cells + step) - one.value(cells - step)) / 2e-6
            assert one.gradient(cells)[0, j] == pytest.approx(slope[0], rel=1e-6, abs=1e-9), name


def test_a_prior_that_was_fitted_is_part_of_intervals():
    rng = np.random.default_rng(0)
    labels, scores = ugt.Labels.from_counts(rng.multinomial(4, [0.6, 0.4], 80)), rng.random(80)
    fit = ugt.truth.fit_dirichlet_prior(labels)
    both = np.stack([1 - scores, scores], axis=1)
    widths = []
    for prior in (fit, fit.value):
        truth = ugt.dirichlet(labels, prior=prior)
        found = ugt.soft.diagnostic_accuracy(truth, scores, threshold=0.5).interval(of="ppv")
        curve = ugt.soft.net_benefit(truth, scores, [0.2, 0.5]).intervals()[0]
        by_class = ugt.soft.accuracy_by_class(truth, both).interval(of="f1")
        cost = ugt.soft.expected_cost(truth, both, [[0, 1], [1, 0]]).interval()
        widths.append([high - low for low, high in (found, curve, by_class, cost)])
    assert (np.array(widths[0]) > 1.05 * np.array(widths[1])).all()
