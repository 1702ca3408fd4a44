"""Correlations of ranks, concordance and cuts of a scale: against slow twins, samples, and the nominal metrics of two grades."""

import itertools
import math

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from twins import grades as twin

import ugt
from ugt import states
from ugt._base import notices

METRICS = {"spearman": ugt.grades.ua_spearman, "kendall": ugt.grades.ua_kendall, "concordance": ugt.grades.ua_concordance}
functions = pytest.mark.parametrize("name", METRICS)


def problem(seed=0, n=9, k=4):
    """Concentrations, and predicted numbers with ties."""
    rng = np.random.default_rng(seed)
    return rng.gamma(0.8, 2.0, (n, k)) + 0.05, rng.integers(0, 5, n) / 2 - 1


@functions
@pytest.mark.parametrize("kind", ["point", "dirichlet", "draws"])
def test_values_are_those_of_all_pairs(name, kind):
    alpha, x = problem()
    law = alpha / alpha.sum(1, keepdims=True)
    truth = {"point": law, "dirichlet": ugt.Dirichlet.from_array(alpha), "draws": np.stack([2 * law / 3, law / 3 + 0.1], 1)}[kind]
    expected = law if kind != "draws" else ugt.Draws.from_array(truth).mean()
    found = METRICS[name](truth, x)
    assert (found.value, found.human) == pytest.approx(getattr(twin, name)(x.tolist(), expected.tolist()), rel=1e-12)
    assert found.human <= found.ceiling <= 1 and found.n_cases == 9


@functions
def test_certain_grades_have_the_ordinary_values(name):
    rng = np.random.default_rng(1)
    grades, x = rng.integers(0, 4, 60), rng.integers(0, 6, 60)
    x = x + grades
    found = METRICS[name](np.eye(4)[grades], x)
    order = np.sign(np.subtract.outer(x, x) * np.subtract.outer(grades, grades)).sum() / (grades[:, None] != grades).sum()
    ordinary = {"spearman": stats.spearmanr(x, grades)[0], "kendall": stats.kendalltau(x, grades)[0], "concordance": 0.5 + order / 2}
    assert found.value == pytest.approx(ordinary[name], abs=1e-12)
    assert (found.human, found.ceiling, found.draw_std, found.mc_error) == pytest.approx((1.0, 1.0, 0.0, 0.0), abs=1e-12)


@functions
def test_values_are_expectations_up_to_one_over_n(name):
    rng = np.random.default_rng(2)
    law = rng.dirichlet(np.full(4, 0.6), 500)
    x = law @ np.arange(4) + rng.normal(size=500) / 2
    found = METRICS[name](law, x)

    def drawn():
        return (rng.random((500, 1)) > np.cumsum(law, 1)).sum(1).clip(0, 3)

    sampled = np.array([[METRICS[name](np.eye(4)[drawn()], one).value for one in (x, drawn())] for _ in range(80)])
    for mean, spread, value in zip(sampled.mean(0), sampled.std(0), (found.value, found.human)):
        assert mean == pytest.approx(value, abs=4.5 * spread / math.sqrt(80) + 1 / 500)


@functions
def test_no_order_exceeds_the_ceiling(name):
    law = np.random.default_rng(3).dirichlet(np.full(3, 0.6), 5)
    found = METRICS[name](law, np.arange(5))
    best = max(getattr(twin, name)(x, law.tolist())[0] for x in itertools.product(range(5), repeat=5) if len(set(x)) > 1)
    assert found.human <= best <= found.ceiling + 1e-12


@functions
def test_scales_may_be_stretched_and_reversed(name):
    alpha, x = problem(seed=4)
    law = alpha / alpha.sum(1, keepdims=True)
    found = METRICS[name](law, x)
    for scores, values in ((np.exp(x), [1, 2, 7, 9]), (-x, [0, -1, -2, -3])):
        one = METRICS[name](law, scores, values=values)
        assert (one.value, one.human, one.ceiling) == pytest.approx((found.value, found.human, found.ceiling), rel=1e-12)
    against = METRICS[name](law[:, ::-1], x)
    assert against.value == pytest.approx(1 - found.value if name == "concordance" else -found.value, rel=1e-9)
    turned = METRICS[name](law[:, [2, 0, 3, 1]], x, values=[2, 0, 3, 1])
    assert turned.value == pytest.approx(found.value, rel=1e-12) and turned.draw_std == found.draw_std == 0


def test_two_grades_are_soft_auroc():
    alpha, x = problem(seed=5, n=40, k=2)
    post = ugt.Dirichlet.from_array(alpha)
    p = post.mean()[:, 1]
    unbiased, soft = ugt.soft_auroc(p, x, self_pairs="unbiased"), ugt.soft_auroc(p, x)
    found = ugt.grades.ua_concordance(post, x)
    assert found.value == pytest.approx(unbiased.value, abs=1e-12)
    np.testing.assert_allclose(found.influence, unbiased.influence, atol=1e-9)
    at_cuts = ugt.grades.ua_auroc_at_cuts(post, x)
    assert at_cuts.value == at_cuts.per_class[0] == pytest.approx(soft.value, abs=1e-12)
    assert at_cuts.interval() == pytest.approx(soft.interval(), abs=1e-12)


@functions
def test_influence_and_weights(name):
    alpha, x = problem(seed=6, n=15)
    one, step = METRICS[name](ugt.Dirichlet.from_array(alpha), x).statistic, 1e-5
    up, down = (one.values(1 + sign * step * np.eye(15)) for sign in (1, -1))
    np.testing.assert_allclose(one.influence(), (up - down) / (2 * step), rtol=1e-5, atol=1e-8)
    if name != "spearman":  # copies are pairs of cases with equal predictions
        return
    weights = np.random.default_rng(0).integers(0, 3, 15)
    copied = METRICS[name](np.repeat(alpha / alpha.sum(1, keepdims=True), weights, axis=0), np.repeat(x, weights))
    assert one.values(weights[None].astype(float))[0, 0] == pytest.approx(copied.value, rel=1e-12)


@functions
def test_spread_over_draws(name):
    alpha, x = problem(seed=7, n=12)
    truth = ugt.Dirichlet.from_array(np.repeat(alpha, 30, axis=0) * 8)
    x = np.repeat(x, 30) + np.tile(np.arange(30), 12) / 20
    found = METRICS[name](truth, x)
    sampled = np.array([METRICS[name](ugt.Point.from_array(one), x).value for one in truth.draws(200).swapaxes(0, 1)])
    assert found.draw_std == pytest.approx(sampled.std(), rel=0.2)


@functions
def test_results(name):
    rng = np.random.default_rng(8)
    wide = np.clip(rng.integers(1, 5, (60, 1)) + rng.integers(-1, 2, (60, 5)), 1, 4)
    post = ugt.dirichlet(ugt.Labels.from_wide(wide, classes=[1, 2, 3, 4], annotators=list("abcde")), prior=0.25)
    x, other = wide.mean(1) + rng.normal(size=60), wide.mean(1)
    found = METRICS[name](post, x)
    for of, value in (("value", found.value), ("human", found.human), ("ceiling", found.ceiling)):
        low, high = found.interval(of=of)
        assert low < value < high
    with notices.heard():  # few clusters and annotators
        clusters, both = found.interval(clusters=np.arange(60) // 4), found.two_way()
    assert clusters != found.interval() and both.interval()[0] < found.value < both.interval()[1]
    assert found.std_error == pytest.approx(found.resamples(n_resamples=400).std_error[0], rel=0.2)
    lead = METRICS[name](post, other).minus(found)
    assert lead.value > 0 and lead.interval()[0] < lead.value
    probs = post.mean()
    assert METRICS[name](post, probs).value == pytest.approx(METRICS[name](post, np.round(probs @ np.arange(4), 12)).value, rel=1e-12)


@functions
def test_undefined_values_have_a_reason(name):
    with pytest.warns(RuntimeWarning, match="undefined: all grades are one grade"):
        found = METRICS[name](np.eye(3)[[1, 1, 1]], [1, 2, 3])
    assert np.isnan(found.value) and np.isnan(found.draw_std) and "one grade" in found.reason
    with notices.heard() as said:
        constant = METRICS[name](np.eye(3)[[0, 1, 2]], [1, 1, 1])
    if name == "concordance":
        assert constant.value == 0.5 and constant.reason is None and not said
    else:
        assert np.isnan(constant.value) and constant.human == pytest.approx(1.0) and "all predictions are equal" in constant.reason
    partly = METRICS[name]([[0.5, 0.5, 0.0], [np.nan] * 3, [0.0, 0.2, 0.8]], [1, 2, 3])
    assert partly.n_cases == 2 and partly.left_out == {"case without annotations": 1}
    with pytest.warns(RuntimeWarning, match="undefined: no case is left"):
        assert np.isnan(METRICS[name]([[np.nan] * 2], [1]).value)


def test_what_is_refused():
    post = ugt.truth.normal([[1.0, 2.0]], prior=(0, 1, 2, 1))
    for function in (*METRICS.values(), ugt.grades.ua_auroc_at_cuts):
        refused("to_point", function, post, [1.0], error=TypeError)
        refused("predictions must be finite", function, [[0.5, 0.5]], [np.inf])
    refused("truth must have at least two grades", ugt.grades.ua_auroc_at_cuts, ugt.Point.from_array([[1.0]]), [1.0])


# ---- cuts


@pytest.mark.parametrize("self_pairs", ["exclude", "half"])
def test_areas_at_cuts(self_pairs):
    alpha, x = problem(seed=9, n=20)
    alpha[3] = np.nan
    post, law = ugt.Dirichlet.from_array(alpha), alpha / alpha.sum(1, keepdims=True)
    found = ugt.grades.ua_auroc_at_cuts(post, x, self_pairs=self_pairs)
    expected = [ugt.soft_auroc(np.clip(law[:, k:].sum(1), 0, 1), x, self_pairs=self_pairs).value for k in (1, 2, 3)]
    np.testing.assert_allclose(found.per_class, expected, rtol=1e-12)
    assert found.value == pytest.approx(np.mean(expected)) and found.left_out == {"case without annotations": 1}
    probs = np.random.default_rng(0).dirichlet(np.ones(4), 20)
    own = ugt.grades.ua_auroc_at_cuts(post, probs, self_pairs=self_pairs).per_class
    each = [ugt.soft_auroc(np.clip(law[:, k:].sum(1), 0, 1), probs[:, k:].sum(1), self_pairs=self_pairs).value for k in (1, 2, 3)]
    np.testing.assert_allclose(own, each, rtol=1e-9)
    turned = ugt.grades.ua_auroc_at_cuts(ugt.Dirichlet.from_array(alpha[:, ::-1]), -x, self_pairs=self_pairs)
    np.testing.assert_allclose(turned.per_class[::-1], found.per_class, rtol=1e-12)
    unused = ugt.grades.ua_auroc_at_cuts(np.eye(3)[[0, 1, 0, 1]], [1, 2, 3, 4])
    assert np.isnan(unused.per_class[1]) and unused.left_out == {"class without positives or negatives": 1}


def test_areas_at_cuts_over_annotators():
    rng = np.random.default_rng(10)
    wide = np.clip(rng.integers(0, 3, (50, 1)) + rng.integers(-1, 2, (50, 4)), 0, 2)
    labels = ugt.Labels.from_wide(wide, classes=3, annotators=list("abcd"))
    found = ugt.grades.ua_auroc_at_cuts(ugt.dirichlet(labels, prior=0.5), wide.mean(1) + rng.normal(size=50))
    with notices.heard():
        both = found.two_way()
    assert both.parts["annotators"] > 0 and both.interval()[0] < found.value < both.interval()[1]


def test_calibration_at_cuts():
    rng = np.random.default_rng(11)
    probs = rng.dirichlet(np.ones(3), 80)
    wide = np.stack([rng.multinomial(1, p, size=3).argmax(1) for p in probs])
    labels = ugt.Labels.from_wide(wide, classes=3, annotators=list("abc"))
    counts = labels.counts()
    for given, more in ((labels, {}), (counts, {}), (counts[:, ::-1], {"values": [2, 1, 0]})):
        predicted = probs[:, ::-1] if more else probs
        found = ugt.grades.calibration_at_cuts(given, predicted, n_bins=5, **more)
        for k, one in enumerate(found, 1):
            both = [np.stack([table[:, :k].sum(1), table[:, k:].sum(1)], 1) for table in (counts, probs)]
            known = ugt.histogram_losses(*both, n_bins=5)
            for name in ("cl", "el"):
                assert getattr(one, name).debiased == pytest.approx(getattr(known, name).debiased)
    words = ugt.Labels.from_wide(wide, classes=3).in_order()
    low, _ = ugt.grades.calibration_at_cuts(words, probs)
    assert low.statistic.classes.tolist() == ["at most 0", "above 0"]
    with notices.heard():
        ends = ugt.grades.calibration_at_cuts(labels, probs)[0].interval(of="l_sq", random=("cases", "annotators"))
    assert ends[0] < ends[1]
    named = ugt.Labels.from_counts(counts, classes=["low", "middle", "high"])
    refused("values must be given, one number per class", ugt.grades.calibration_at_cuts, named, probs)
    assert len(ugt.grades.calibration_at_cuts(named.in_order(["low", "middle", "high"]), probs)) == 2
    refused("counts must have at least two grades", ugt.grades.calibration_at_cuts, counts[:, :1], probs[:, :1])
    refused("probs must have the shape of counts", ugt.grades.calibration_at_cuts, counts, probs[:, :2])


# ---- parts


def in_parts(name, truth, given, **options):
    rows = np.array_split(np.random.default_rng(1).permutation(len(given)), 4)
    return states.finish(states.merge([states.partial(f"ua_{name}", truth.take(r), given[r], **options) for r in rows]))


@functions
def test_parts_say_what_all_cases_say(name):
    rng = np.random.default_rng(12)
    labels = ugt.Labels.from_counts(rng.integers(0, 4, (40, 3)), classes=[1, 2, 4])
    truth, grades = ugt.dirichlet(labels, prior=0.3), np.array([1, 2, 4])[rng.integers(0, 3, 40)]
    found, known = in_parts(name, truth, grades), METRICS[name](truth, grades)
    assert (found.value, found.numbers["human"]) == pytest.approx((known.value, known.human), rel=1e-12)
    assert (found.n_cases, found.left_out) == (known.n_cases, dict(known.left_out))
    x = rng.normal(size=40)
    edges = [-1.0, 0.0, 0.5]
    binned = METRICS[name](truth, np.searchsorted(edges, x, side="right"))
    assert in_parts(name, truth, x, edges=edges).value == pytest.approx(binned.value, rel=1e-12)
    refused("edges must be given in parts", in_parts, name, truth, x / 10 + 2)
    parts = [
        states.partial(f"ua_{name}", truth.take(r), grades[r], n_resamples=50, case_ids=r, seed=1) for r in np.array_split(np.arange(40), 3)
    ]
    low, high = states.finish(states.merge(parts)).interval()
    assert low < known.value < high
