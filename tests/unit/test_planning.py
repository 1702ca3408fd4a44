"""Plans of annotations: components beside twins in plain Python, the search beside all designs, and what is refused."""

import dataclasses
import math
import time
import warnings

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from twins import planning as twin

import ugt
from ugt.studies.pilots import METRICS, OF_PAIRS, read_pilot
from ugt.studies.solving import Expectation, power_of


def pilot(n=30, a=6, k=3, n_classes=3, seed=0, least=2):
    """(n, a) labels with gaps, -1, of annotators of unequal skill; scores (n, n_classes)."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n)
    wide = np.where(rng.random((n, a)) < np.linspace(0.5, 0.95, a), truth[:, None], rng.integers(0, n_classes, (n, a)))
    sizes = np.minimum(rng.integers(least, k + 2, n), a)
    wide[rng.random((n, a)).argsort(axis=1) >= sizes[:, None]] = -1
    return wide, np.round(rng.normal(size=(n, n_classes)) + 1.5 * np.eye(n_classes)[truth], 4)


def labels_of(wide, n_classes=3):
    return ugt.Labels.from_wide(wide, classes=n_classes, missing=-1)


def cells_of(wide, score=lambda i, j: None):
    return {(i, j): score(i, j) for i, j in np.argwhere(wide >= 0).tolist()}


def given(metric, scores):
    other = scores[:, ::-1]
    return {"agreement": scores, "difference": (scores, other), "discrepancy": scores.argmax(axis=1)}.get(metric)


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), rtol=1e-9, atol=1e-12)


def three(plan):
    return tuple(plan.components[name] for name in ("cases", "annotators", "labels"))


# ---- components


def test_agreement_and_difference_beside_all_pairs():
    wide, scores = pilot()
    first, second = scores.argmax(axis=1), scores[:, ::-1].argmax(axis=1)
    hits = twin.components(cells_of(wide, lambda i, j: float(wide[i, j] == first[i])))
    close(three(ugt.plan_annotations(labels_of(wide), scores)), hits)
    ahead = twin.components(cells_of(wide, lambda i, j: float(wide[i, j] == first[i]) - (wide[i, j] == second[i])))
    found = ugt.plan_annotations(labels_of(wide), {"A": scores, "B": scores[:, ::-1]}, metric="difference")
    close(three(found), ahead)
    agreement = ugt.metrics.next_annotator_agreement(labels_of(wide), scores)
    assert ugt.plan_annotations(labels_of(wide), scores).value == pytest.approx(agreement.value, abs=1e-12)


def test_a_complete_table_beside_mean_squares():
    rng = np.random.default_rng(2)
    wide, scores = rng.integers(0, 2, (40, 5)), rng.normal(size=(40, 2))
    hit = (wide == scores.argmax(axis=1)[:, None]).astype(float)
    g, r = hit.shape
    case, reader, mean = hit.mean(axis=1), hit.mean(axis=0), hit.mean()
    ms_c, ms_r = r * ((case - mean) ** 2).sum() / (g - 1), g * ((reader - mean) ** 2).sum() / (r - 1)
    ms_e = ((hit - case[:, None] - reader + mean) ** 2).sum() / ((g - 1) * (r - 1))
    plan = ugt.plan_annotations(labels_of(wide, 2), scores)
    expected = ((ms_c - ms_e) / r, (ms_r - ms_e) / g, ms_e)
    close(three(plan), expected)
    variance = plan.design(g, r, r).std_error ** 2
    close(variance, max(expected[0], 0) / g + max(expected[1], 0) / r + ms_e / (g * r))


def test_soft_auroc_beside_its_definition():
    wide, scores = pilot(n=20, n_classes=2)
    score = scores[:, 1].copy()
    score[:6] = score[0]  # ties
    value, cells = twin.soft_auroc_scores(cells_of(wide, lambda i, j: int(wide[i, j] == 1)), score.tolist())
    found = ugt.plan_annotations(labels_of(wide, 2), score, metric="soft_auroc")
    close(found.value, value)
    close(three(found), twin.components(cells))


@pytest.mark.parametrize("metric", OF_PAIRS)
def test_metrics_of_pairs_beside_leaving_labels_out(metric):
    wide, scores = pilot(n=25, k=4, least=3, seed=3)
    first = scores.argmax(axis=1)
    held = [row[row >= 0].tolist() for row in wide]
    d = [twin.disagreement(row) for row in held]
    n = np.array([len(row) for row in held])
    counts = (wide[:, :, None] == np.arange(3)).sum(axis=1)
    observed = np.mean(d) if metric != "alpha" else n @ d / n.sum()
    p = (counts / n[:, None]).mean(axis=0) if metric != "alpha" else counts.sum(axis=0) / n.sum()
    pairs = n.sum() * (n.sum() - 1)
    expected = {
        "kappa": 1 - (p**2).sum(),
        "ac1": 1 - (p * (1 - p)).sum() / 2,
        "percent_agreement": 1.0,
        "alpha": (pairs - (counts.sum(axis=0) * (counts.sum(axis=0) - 1)).sum()) / pairs,
        "discrepancy": 1.0,
    }[metric]
    miss = [[float(label != first[i]) for label in row] for i, row in enumerate(held)]
    mu = np.mean([np.mean(row) for row in miss])
    value = mu / observed if metric == "discrepancy" else 1 - observed / expected
    by_label = {"kappa": 2 * p, "alpha": 2 * p, "ac1": (1 - 2 * p) / 2, "percent_agreement": 0 * p}.get(metric, 0 * p)
    slope = -mu / observed**2 if metric == "discrepancy" else -1 / expected
    cells = {}
    for i, row in enumerate(held):
        who = np.flatnonzero(wide[i] >= 0).tolist()
        for j, label, pseudo, wrong in zip(who, row, twin.pseudo_values(row), miss[i]):
            own = wrong / observed if metric == "discrepancy" else -(1 - value) / expected * by_label[label]
            cells[i, j] = own + slope * pseudo
    cases, annotators, own = twin.components(cells)
    w = slope**2 * np.mean([twin.pair_remainder(row) for row in held if len(row) >= 4])
    v1 = 4 / (n - 1) + 2 / ((n - 1) * (n - 2))
    v2 = 4 / (n - 1) ** 2 * (-1 + (n - 3) / (2 * (n - 2)))
    w1, w2 = w * (n @ v1) / n.sum(), w * ((n * (n - 1)) @ v2) / (n @ (n - 1))
    found = ugt.plan_annotations(labels_of(wide), given(metric, scores), metric=metric)
    close(found.value, value)
    close(three(found), (cases - w2, annotators, own - (w1 - w2)))
    close(found.components["pairs"], w)


def test_squared_distances_of_two_classes_are_those_of_zero_and_one():
    """By default numbers have squared distances and names do not; a model's probabilities have others, whose pairs are not known."""
    wide, scores = pilot(n=40, k=4, least=4, n_classes=2)
    named = ugt.Labels.from_wide(np.array(["no", "yes", ""])[wide], classes=["no", "yes"])
    choice, words = scores.argmax(axis=1), np.array(["no", "yes"])[scores.argmax(axis=1)]
    numbers, names = (ugt.plan_annotations(*one, metric="discrepancy") for one in ((labels_of(wide, 2), choice), (named, words)))
    close(list(numbers.components.values()), list(names.components.values()))
    assert numbers.components["pairs"] > 0 and numbers.notes == names.notes
    p = 1 / (1 + np.exp(-scores))
    soft = ugt.plan_annotations(labels_of(wide, 2), p / p.sum(axis=1, keepdims=True), metric="discrepancy")
    assert soft.components["pairs"] == 0 and any("does not show the effect of more or fewer" in note.text for note in soft.notes)


def test_with_four_labels_each_the_remainder_of_pairs_changes_no_design_of_four():
    wide, _ = pilot(n=40, a=12, k=4, least=4, seed=5)
    wide[(wide >= 0).cumsum(axis=1) > 4] = -1
    found = ugt.plan_annotations(labels_of(wide), metric="kappa")
    before = found._pilot.parts.with_remainder((0.0, 0.0, 0.0)).components
    after = found.components
    close(after["cases"] + after["labels"] / 4 + 2 * after["pairs"] / 12, float(before.cases + before.labels / 4))


@pytest.mark.parametrize("metric", ["agreement", "kappa"])
def test_leaving_out_beside_components_of_the_rest(metric):
    wide, scores = pilot(k=4, least=3)
    cells = read_pilot(labels_of(wide), given(metric, scores), metric, None).parts

    def of(kept):
        left = dataclasses.replace(cells, **{name: getattr(cells, name)[kept] for name in ("case", "annotator", "score", "count")})
        return [float(part) for part in left.components]

    close(np.array(cells.without_cases()).T, [of(cells.case != i) for i in range(30)])
    close(np.array(cells.without_annotators()).T, [of(cells.annotator != j) for j in range(6)])


@pytest.mark.parametrize("name", ["cases", "annotators", "labels"])
def test_intervals_of_components_are_those_of_two_jackknives(name):
    """Over the cases and over the annotators; degrees of freedom after Satterthwaite."""
    from scipy.stats import t

    wide, scores = pilot()
    plan, spreads, sizes = ugt.plan_annotations(labels_of(wide), scores), [], []
    for without in (plan._pilot.parts.without_cases(), plan._pilot.parts.without_annotators()):
        values = getattr(without, name)
        spreads.append((len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum())
        sizes.append(len(values) - 1)
    assert sizes == [29, 5]
    df = sum(spreads) ** 2 / (spreads[0] ** 2 / 29 + spreads[1] ** 2 / 5)
    reach = t.ppf(0.95, df) * math.sqrt(sum(spreads))
    close(plan.interval(name, 0.9), (plan.components[name] - reach, plan.components[name] + reach))


@pytest.mark.parametrize("metric", ["percent_agreement", "discrepancy"])
def test_two_labels_of_a_case_are_one_number(metric):
    """A pair of cases with one annotator in common against a pair with none: all of them, by hand. The first case has the first two."""
    rng = np.random.default_rng(6)
    wide, first = rng.integers(0, 3, (24, 6)), rng.integers(0, 3, 24)
    wide[rng.random((24, 6)).argsort(axis=1) >= 2] = -1
    wide[0] = [0, 1, -1, -1, -1, -1]
    found = ugt.plan_annotations(labels_of(wide), None if metric == "percent_agreement" else first, metric=metric)
    who = [set(np.flatnonzero(row >= 0).tolist()) for row in wide]
    observed = np.array([twin.disagreement(row[row >= 0].tolist()) for row in wide])
    miss = np.array([np.mean(row[row >= 0] != one) for row, one in zip(wide, first)])
    alpha, mu = observed.mean(), miss.mean()
    t = -observed if metric == "percent_agreement" else miss / alpha - mu / alpha**2 * observed
    t = t - t.mean()
    shared = {n: [t[i] * t[k] for i in range(24) for k in range(24) if i != k and len(who[i] & who[k]) == n] for n in (0, 1)}
    annotators = 4 * (np.mean(shared[1]) - np.mean(shared[0]))
    cases = (t**2).mean() - np.mean(shared[0]) - max(annotators, 0) / 2
    close(three(found), (cases, annotators, 0.0))
    assert any("plans are for 2 as in the pilot" in note.text for note in found.notes)
    close(found.value, mu / alpha if metric == "discrepancy" else 1 - alpha)
    if metric == "percent_agreement":
        assert {one.n_labels for one in ugt.plan_annotations(labels_of(wide), metric=metric, width=0.3).table} == {2}
    refused("n_labels must be 2, as in the pilot, .* Got 3", found.design, 100, 3, 5)


@pytest.mark.parametrize("metric", [metric for metric in METRICS if metric not in ("difference", "soft_auroc")])
def test_the_pilots_own_design_beside_its_interval(metric):
    """What leaves each annotator out from the whole metric, and not from its linear part, is a little wider."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 120)
    wide = np.where(rng.random((120, 8)) < np.linspace(0.6, 0.9, 8), truth[:, None], rng.integers(0, 3, (120, 8)))
    model = np.where(rng.random(120) < 0.8, truth, rng.integers(0, 3, 120))
    labels = labels_of(wide)
    found = {
        "agreement": lambda: ugt.metrics.next_annotator_agreement(labels, np.eye(3)[model]),
        "discrepancy": lambda: ugt.discrepancy_ratio(labels, model),
        "alpha": lambda: ugt.krippendorff_alpha(labels),
        "kappa": lambda: ugt.fleiss_kappa(labels),
        "ac1": lambda: ugt.agreement.gwet_ac1(labels),
        "percent_agreement": lambda: ugt.agreement.percent_agreement(labels),
    }[metric]()
    plan = ugt.plan_annotations(labels, given(metric, np.eye(3)[model]), metric=metric)
    low, high = found.interval(random=("cases", "annotators"))
    assert plan.design(120, 8, 8).width == pytest.approx(high - low, rel=0.04 if metric == "agreement" else 0.15)
    assert plan.value == pytest.approx(found.value)


# ---- what a design gives, and the search


def test_a_design_by_hand():
    found = ugt.plan_annotations(components={"cases": 0.04, "annotators": 0.006, "labels": 0.12}, value=0.7)
    one = found.design(100, 3, 6)
    both = 0.12 / 300
    variance = 0.04 / 100 + 0.006 / 6 + both
    close(one.std_error, math.sqrt(variance))
    from scipy.stats import t

    v_c, v_a = 0.0004 + both, 0.001 + both
    df = variance**2 / (v_a**2 / 5 + v_c**2 / 99 + both**2 / (5 * 99))
    half = max(t.ppf(0.975, df) * math.sqrt(variance), math.sqrt(t.ppf(0.975, 5) ** 2 * 0.001 + t.ppf(0.975, 99) ** 2 * v_c))
    middle, reach = math.log(0.7 / 0.3), half / 0.21
    close(one.width, 1 / (1 + math.exp(-middle - reach)) - 1 / (1 + math.exp(-middle + reach)))
    close(ugt.plan_annotations(components={"cases": 0.04, "annotators": 0.006, "labels": 0.12}).design(100, 3, 6).width, 2 * half)
    these = ugt.plan_annotations(components={"cases": 0.04, "annotators": 0.006, "labels": 0.12}, random=("cases",))
    close(these.design(100, 3, 6).width, 2 * t.ppf(0.975, 99) * math.sqrt(v_c))
    assert these.random == ("cases",) and math.isnan(these.components["annotators"])


PARTS = {"cases": 0.05, "annotators": 0.004, "labels": 0.15}


@pytest.mark.parametrize(
    ("metric", "to", "slope"),
    [("agreement", lambda x: math.log(x / (1 - x)), 1 / (0.7 * 0.3)), ("kappa", lambda x: -math.log(1 - x), 1 / 0.3)],
)
def test_a_difference_is_as_far_as_on_the_scale_of_the_metric(metric, to, slope):
    """The distance of two numbers on the scale, over its slope at the true one."""
    for difference in (0.12, -0.12):
        effect = abs(to(0.7) - to(0.7 - difference)) / slope
        given = ugt.plan_annotations(components=PARTS, metric=metric, value=0.7, difference=difference)
        direct = ugt.plan_annotations(components=PARTS, metric=metric, difference=effect)
        assert given.design(80, 3, 6).power == pytest.approx(direct.design(80, 3, 6).power)
        assert 0.1 < direct.design(80, 3, 6).power < 0.9


@pytest.mark.parametrize(
    "asked",
    [
        {"width": 0.2},
        {"power": 0.8, "difference": 0.12},
        {"metric": "difference", "power": 0.9, "margin": 0.1},
        {"width": 0.25, "power": 0.8, "difference": -0.15, "value": 0.6},
        {"width": 0.1, "random": ("cases",)},
    ],
)
def test_the_best_design_beside_all(asked):
    found = ugt.plan_annotations(components=PARTS, cost=(3, 1, 40), max_annotators=9, **asked)

    def enough(*size):
        one = found.design(*size)
        return one.width <= asked.get("width", 9) and not one.power < asked.get("power", 0)

    best = None
    for a in range(2, 10):
        for k in range(1, a + 1):
            if "random" in asked and a != max(k, 2):
                continue
            n = 10 + next((i for i in range(0, 2000, 64) if enough(10 + i, k, a)), 10_000)
            while n > 10 and n < 10_000 and enough(n - 1, k, a):
                n -= 1
            if n < 10_000 and (best is None or 3 * n + n * k + 40 * a < best[0]):
                best = 3 * n + n * k + 40 * a, n, k, a
    assert (found.best.cost, *found.best[:3]) == best
    assert [one.n_annotators for one in found.table] == sorted({one.n_annotators for one in found.table})
    assert found.best == min(found.table, key=lambda one: one.cost) and not math.isnan(found.best.std_error)


def test_beyond_50_annotators_plans_go_in_steps_of_5_percent():
    found = ugt.plan_annotations(components=PARTS, width=0.045, max_annotators=200)
    tried = np.array([one.n_annotators for one in found.table])
    beyond = tried[tried >= 50]
    assert beyond[0] == 50 and beyond[-1] == 200 and len(beyond) > 20
    np.testing.assert_allclose(beyond[1:-1] / beyond[:-2], 1.05, atol=0.015)


def test_power_where_nothing_is_tested_is_the_level():
    both = ugt.plan_annotations(components=PARTS, difference=1e-9)
    one = ugt.plan_annotations(components=PARTS, metric="difference", margin=1e-9)
    assert both.design(10_000, 1, 400).power == pytest.approx(0.05, abs=0.003)
    assert one.design(10_000, 1, 400).power == pytest.approx(0.05, abs=0.003)
    assert both.design(50, 2, 3).power <= 0.05 + 1e-9  # Banerjee's interval is the wider one


@pytest.mark.parametrize("half_width", [2.0, 10.0, 30.0, 60.0])
@pytest.mark.parametrize("df", [1.0, 1.5, 3.0, 10.0])
def test_power_rises_with_the_effect_and_is_symmetric(df, half_width):
    """Far out in a tail, too, where the law of the noncentral t has no number."""
    effect = np.linspace(-29.9, 29.9, 300)
    found = Expectation(np.ones(300), np.full(300, df), np.full(300, half_width))
    one, two = power_of(found, effect, False), power_of(found, effect, True)
    assert (np.diff(one) > -1e-4).all() and one[0] < 1e-4
    np.testing.assert_allclose(two, two[::-1], atol=1e-4)
    np.testing.assert_allclose(two, one + one[::-1], atol=1e-4)


def test_the_contrast_of_non_inferiority():
    """μ - (1 + m) α, true at Δ = 1 + difference: its distance from 0 is α (m - difference)."""
    wide, scores = pilot(n=60, k=4, least=4)
    labels, choice = labels_of(wide), scores.argmax(axis=1)
    found = ugt.plan_annotations(labels, choice, metric="discrepancy", margin=0.2, difference=-0.1)
    ratio = ugt.discrepancy_ratio(labels, choice)
    assert found._target.effect == pytest.approx(0.3 * ratio.alpha) and found.value == ratio.value
    cells = {(i, j): float(wide[i, j] != choice[i]) for i, j in cells_of(wide)}
    for i, row in enumerate(wide):
        for j, pseudo in zip(np.flatnonzero(row >= 0).tolist(), twin.pseudo_values(row[row >= 0].tolist())):
            cells[i, j] -= 1.2 * pseudo
    close(found._target.tested.annotators, twin.components(cells)[1])
    more = ugt.plan_annotations(labels, choice, metric="discrepancy", margin=0.3, difference=-0.1)
    assert more.design(200, 4, 8).power > found.design(200, 4, 8).power > 0.05


# ---- plans that hold with a stated probability
def test_assurance_by_its_formula():
    """V counts as V + √(t² s² + (χ² / df - 1)² V²), with s by the jackknife of V itself, over cases and over annotators."""
    wide, scores = pilot(n=60, k=4, least=2)
    labels = labels_of(wide)
    plain, sure = (ugt.plan_annotations(labels, scores, assurance=one) for one in (None, 0.9))
    n, k, a = 100, 2, 7
    expected, target = plain.design(n, k, a), plain._target
    spread = target.spread(n, k, a)
    squares = []
    for without in (plain._pilot.parts.without_cases(), plain._pilot.parts.without_annotators()):
        variances = without.cases / n + without.annotators / a + without.labels / (n * k)
        squares.append(((len(variances) - 1) / len(variances) * ((variances - variances.mean()) ** 2).sum(), len(variances) - 1))
    s = np.sqrt(sum(square for square, _ in squares))
    df = s**4 / sum(square**2 / size for square, size in squares)
    own = stats.chi2.ppf(0.9, spread.df) / spread.df - 1
    reach = stats.t.ppf(0.9, df) * s
    v = expected.std_error**2
    width = target.width_of(spread.half_width * np.sqrt(1 + np.hypot(reach, own * v) / v))
    assert sure.design(n, k, a).width == pytest.approx(float(width)) and sure.design(n, k, a).std_error == expected.std_error
    tested = {"power": 0.5, "difference": 0.1}
    powers = [ugt.plan_annotations(labels, scores, **tested, assurance=one).design(n, k, a).power for one in (None, 0.5, 0.9)]
    assert powers[0] == pytest.approx(powers[1]) and powers[1] > powers[2]


def test_plans_with_more_assurance_cost_more():
    wide, scores = pilot(n=60, k=6, least=3)
    labels, asked = labels_of(wide), {"width": 0.3, "cost": (5, 1, 50), "max_annotators": 300}
    costs = [ugt.plan_annotations(labels, scores, **asked, assurance=one).best.cost for one in (None, 0.5, 0.7, 0.9)]
    assert costs[0] == costs[1] < costs[2] < costs[3]
    same = [ugt.plan_annotations(labels, scores, **asked, random=("cases",), assurance=one).best.cost for one in (None, 0.9)]
    assert same[0] < same[1]
    found = ugt.plan_annotations(labels, scores, **asked, assurance=0.9)
    assert found.assurance == 0.9 and found.best.width <= 0.3
    assert all(row.width <= 0.3 for row in found.table)


@pytest.mark.parametrize(("metric", "most"), [("kappa", 2.0), ("percent_agreement", 1.0), ("alpha", 2.0)])
def test_widths_stay_within_the_range_of_the_metric(metric, most):
    wide, _ = pilot(n=30, k=3, least=2)
    found = ugt.plan_annotations(labels_of(wide), metric=metric)
    k = found._target.only_labels or 2
    assert found.design(2, k, max(k, 2)).width <= most
    stated = ugt.plan_annotations(metric=metric, components={"cases": 5.0, "annotators": 5.0, "labels": 5.0})
    assert stated.design(2, 2, 2).width == most


def test_assurance_that_a_pilot_cannot_give_is_refused():
    wide, scores = pilot(n=60, k=4, least=2)
    must = r"assurance must be at least 0.5 and below 1, such as 0.9. Got 0.3."
    refused(must, ugt.plan_annotations, labels_of(wide), scores, assurance=0.3)
    parts = {"cases": 0.1, "annotators": 0.01, "labels": 0.1}
    refused(r"assurance must be left out with components", ugt.plan_annotations, components=parts, assurance=0.9)
    two = np.random.default_rng(0).integers(0, 3, (20, 2))
    refused(r"assurance must be left out for a pilot in which .* Got 2 annotators and 20 cases", ugt.plan_annotations,
            ugt.Labels.from_wide(two), np.eye(3)[two[:, 0]], assurance=0.9)  # fmt: skip


def test_cases_with_fewer_than_three_labels_are_counted_once():
    wide = np.random.default_rng(0).integers(0, 3, (60, 4)).astype(float)
    wide[45:, 3] = wide[50:, 2] = np.nan
    wide[57:] = np.nan  # cases without labels are not left out of a plan
    found = ugt.plan_annotations(ugt.Labels.from_wide(wide, annotators=list("abcd")), metric="kappa", width=0.2)
    assert found.notes[0].text == "7 cases with fewer than three labels are left out of the plan."


def test_what_to_buy_next():
    found = ugt.plan_annotations(components={"cases": 0.001, "annotators": 0.02, "labels": 0.01}, cost=(1, 1, 1))
    assert next(iter(found.next_step(100, 3, 4))) == "annotator"
    ratio = found.design(100, 3, 5).std_error / found.design(100, 3, 4).std_error
    assert found.next_step(100, 3, 4)["annotator"] == pytest.approx(1 - ratio**2)
    many = ugt.plan_annotations(components={"cases": 0.2, "annotators": 0.0, "labels": 0.01})
    assert next(iter(many.next_step(50, 3, 5))) == "case" and many.next_step(50, 3, 5)["annotator"] == 0
    refused("n_cases, n_labels and n_annotators must be given", many.next_step)
    wide, scores = pilot()
    assert set(ugt.plan_annotations(labels_of(wide), scores).next_step()) == {"case", "label", "annotator"}


def test_no_number_of_cases_is_enough():
    with pytest.warns(RuntimeWarning, match="no number of cases is enough with up to 10 annotators.* at least"):
        found = ugt.plan_annotations(components=PARTS, width=0.05, max_annotators=10)
    assert found.best is None and found.table == () and all(map(math.isnan, found.interval()))
    (needed,) = [int(word.replace(",", "")) for word in found.notes[0].text.rstrip(".").split() if word.replace(",", "").isdigit()][-1:]
    wider = ugt.plan_annotations(components=PARTS, width=0.05, max_annotators=needed)
    with pytest.warns(RuntimeWarning, match="at least 15"):
        assert ugt.plan_annotations(components=PARTS, power=0.8, difference=0.05, max_annotators=10).best is None
    assert wider.table[0].n_annotators == needed
    with pytest.warns(RuntimeWarning, match="no number of cases up to 10,000,000 is enough with up to 50 annotators[.]$"):
        assert ugt.plan_annotations(components={**PARTS, "annotators": 0.0}, width=1e-5).best is None
    with pytest.warns(RuntimeWarning):
        assert ugt.plan_annotations(components=PARTS, width=0.05, max_annotators=needed - 1).best is None


# ---- what the pilot is


def test_counts_are_planned_for_these_annotators():
    wide, scores = pilot()
    counts = ugt.Labels.from_counts((wide[:, :, None] == np.arange(3)).sum(axis=1))
    found = ugt.plan_annotations(counts, scores, width=0.2)
    assert found.random == ("cases",) and math.isnan(found.components["annotators"]) and found.n_annotators == 0
    assert found.notes[0].text == "annotators are not named: the plan is for these annotators only."
    named = ugt.plan_annotations(labels_of(wide), scores, random=("cases",))
    assert found.value == pytest.approx(named.value) and found.design(200, 2, 2).std_error == pytest.approx(
        named.design(200, 2, 2).std_error, rel=0.1
    )
    for metric in OF_PAIRS[1:]:
        assert ugt.plan_annotations(counts, metric=metric).components["labels"] > 0


def test_few_annotators_are_a_guess():
    wide, scores = pilot(n=60, a=3, k=3)
    found = ugt.plan_annotations(labels_of(wide), scores, width=0.3)
    zero, once, twice = found.alternatives
    assert any("3 annotators, so that the annotators' part is poorly known" in note.text for note in found.notes)
    assert once[:5] == found.best[:5] and zero.cost <= once.cost and (twice is None or twice.cost >= once.cost)
    assert ugt.plan_annotations(labels_of(pilot()[0]), pilot()[1], width=0.3).alternatives == ()


def test_an_estimate_of_0_has_one_plan():
    rng = np.random.default_rng(0)
    wide = (rng.random((40, 2)) < 0.8) == (np.arange(40) % 3 == 0)[:, None]
    model = np.eye(2)[(np.arange(40) % 3 == 0).astype(int)]
    found = ugt.plan_annotations(labels_of(wide.astype(int), 2), model, width=0.1)
    assert found.components["annotators"] < 0 and found.alternatives == () and found.best is not None
    assert any(note.text.endswith("poorly known. The estimate 0 does not show that annotators do not differ: the plan may be too small.")
               for note in found.notes)  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found.interval()


def test_the_same_two_annotators_throughout():
    rng = np.random.default_rng(1)
    wide, scores = rng.integers(0, 2, (40, 2)), rng.normal(size=(40, 2))
    found = ugt.plan_annotations(labels_of(wide, 2), metric="kappa", width=0.5)
    assert found.random == ("cases",) and any("the same two annotators" in note.text for note in found.notes)
    other = ugt.plan_annotations(labels_of(wide, 2), scores)  # a metric of single labels has their difference
    assert not math.isnan(other.components["annotators"]) and all(map(math.isnan, other.interval("annotators")))


def test_every_annotator_once():
    wide = np.full((12, 24), -1)
    wide[np.repeat(np.arange(12), 2), np.arange(24)] = np.random.default_rng(0).integers(0, 2, 24)
    found = ugt.plan_annotations(labels_of(wide, 2), np.eye(2)[[0, 1] * 6])
    assert math.isnan(found.components["annotators"]) and "no annotator labelled two cases" in found.notes[0].text


@pytest.mark.parametrize("metric", METRICS)
def test_pilots_as_small_as_can_be(metric):
    """30 cases with two labels each: every metric runs, and how far the pilot knows it is said."""
    n_classes = 2 if metric == "soft_auroc" else 3
    wide, scores = pilot(n=30, a=5, k=1, n_classes=n_classes)
    assert ((wide >= 0).sum(axis=1) == 2).all()
    scores = scores[:, 1] if metric == "soft_auroc" else given(metric, scores)
    found = ugt.plan_annotations(labels_of(wide, n_classes), scores, metric=metric, width=1.0)
    low, high = found.interval("std_error")
    assert found.value == found.value and (found.best is None or low < found.best.std_error < high)
    assert all(np.diff(found.interval(name))[0] >= 0 for name in ("cases", "annotators", "labels"))


FEW = pilot(n=9)
WIDE, SCORES = pilot()
STATED = {"components": PARTS}


@pytest.mark.parametrize(
    ("labels", "scores", "options", "message"),
    [
        (FEW[0], FEW[1], {}, r"^labels must hold at least 10 cases with two labels\. Got 9\.$"),
        (
            np.where(np.arange(6) == 2, WIDE, -1),
            SCORES,
            {},
            r"with one label per case, differences between cases and between labels cannot",
        ),
        (WIDE, None, {}, r"^scores must be given for metric 'agreement'"),
        (WIDE, SCORES, {"metric": "kappa"}, r"^scores must be left out for metric 'kappa'"),
        (WIDE, SCORES, {"metric": "difference"}, r"^scores must be two tables, one per model, for metric 'difference'\. Got ndarray"),
        (WIDE, [SCORES] * 3, {"metric": "difference"}, r"^scores must be two tables.* Got 3"),
        (WIDE, SCORES[:, 0], {"metric": "soft_auroc"}, r"^labels must be of two classes for metric 'soft_auroc'"),
        (WIDE, SCORES[:5], {}, r"^scores must be numbers of shape \(30, 3\)"),
        (np.zeros((30, 3), int), SCORES * [1, 0, 0] + [9, 0, 0], {}, r"^labels must vary"),
        (np.zeros((30, 3), int), None, {"metric": "kappa"}, r"^labels must be such that the metric 'kappa' is defined"),
        (WIDE, SCORES, {"metric": "accuracy"}, r"^metric must be one of 'agreement'"),
        (WIDE, SCORES, {"width": 0}, r"^width must be a finite number above 0"),
        (
            WIDE,
            SCORES,
            {"width": 20},
            r"^width must be at most 1, the range of metric 'agreement' \(20 percentage points are 0\.2\)\. Got 20",
        ),
        (WIDE, None, {"metric": "kappa", "width": 3}, r"^width must be at most 2, the range of metric 'kappa'"),
        (WIDE, (SCORES, SCORES), {"metric": "difference", "margin": 5}, r"^margin must be at most 1 for metric 'difference' \(5 per"),
        (WIDE, SCORES, {"power": 1.0, "difference": 0.1}, r"^power must lie between 0 and 1"),
        (WIDE, SCORES, {"power": 0.8}, r"^difference must be given for power: the true value less the number that is tested"),
        (WIDE, SCORES, {"power": 0.8, "difference": 0.9}, r"^difference must leave a number to test inside the range"),
        (None, None, {**STATED, "value": 0.6, "power": 0.8, "difference": 0.9}, r"^difference must leave a number .*Got -0\.3"),
        (WIDE, SCORES, {"margin": 0.1}, r"^margin must be left out except for the metrics"),
        (WIDE, (SCORES, SCORES), {"metric": "difference", "margin": 0.0}, r"^margin must be above 0"),
        (WIDE, SCORES.argmax(axis=1), {"metric": "discrepancy", "power": 0.8}, r"^margin must be given for power of metric 'discrepancy'"),
        (WIDE, SCORES, {"cost": (1, 1)}, r"^cost must be three numbers"),
        (WIDE, SCORES, {"cost": (0, 0, 1)}, r"^cost must be three numbers, .* not 0 for both"),
        (WIDE, SCORES, {"max_annotators": 1}, r"^max_annotators must be a whole number from 2 to 1000"),
        (WIDE, SCORES, {"random": ("annotators",)}, r"^random must be \('cases',\) or"),
        (WIDE, SCORES, {"value": 0.5}, r"^value must be left out if labels are given"),
        (WIDE, SCORES, STATED, r"^components must be left out if labels are given"),
        (None, None, {"components": {"cases": 1}}, r"^components must have the variances 'cases', 'annotators' and 'labels'"),
        (None, None, {"components": {**PARTS, "cases": -1}}, r"^components\['cases'\] must be a finite number of at least 0"),
        (None, None, {"components": dict.fromkeys(PARTS, 0)}, r"^components must not all be 0"),
        (None, None, {**STATED, "value": 1.0}, r"^value must be inside the range of metric 'agreement'"),
        (None, None, {**STATED, "level": 1.0}, r"^level must"),
    ],
)
def test_what_is_no_pilot_is_refused(labels, scores, options, message):
    refused(message, ugt.plan_annotations, None if labels is None else labels_of(labels), scores, **options)


def test_one_score_for_all_cases():
    wide, _ = pilot(n_classes=2)
    refused("scores must differ: with one score for all cases", ugt.plan_annotations, labels_of(wide, 2), np.ones(30), metric="soft_auroc")


def test_one_annotator_and_what_has_no_labels():
    with pytest.warns(UserWarning, match="several labels"):
        repeated = ugt.Labels.from_long(np.repeat(np.arange(20), 2), np.zeros(40, int), np.arange(40) % 2, classes=2)
    refused("labels must hold cases with two labels", ugt.plan_annotations, repeated, np.eye(2)[np.arange(20) % 2])
    with pytest.raises(TypeError, match="labels must be Labels"):
        ugt.plan_annotations(ugt.Ratings.from_wide(np.random.default_rng(0).normal(size=(20, 3))), metric="alpha")


def test_designs_of_ones_own_are_checked():
    found = ugt.plan_annotations(components=PARTS, metric="kappa")
    refused("n_labels must be at most the 4 annotators. Got 5", found.design, 100, 5, 4)
    refused("n_labels must be at least 2 for a metric of pairs", found.design, 100, 1, 4)
    refused("n_annotators must be a whole number of at least 2", found.design, 100, 1, 1)
    refused("of must be one of 'width'", found.interval, "pairs")


def test_a_plan_of_many_labels_takes_no_time():
    """5,000 cases take 0.25 s of a processor's time, at most twice as long as 500: a bound for any machine, with room for noise."""
    seconds = []
    for n in (500, 5000):
        wide, scores = pilot(n=n, a=12, k=6, least=6)
        labels, begin = labels_of(wide), time.process_time()
        ugt.plan_annotations(labels, (scores, scores[:, ::-1]), metric="difference", power=0.9, difference=0.03, cost=(5, 1, 100))
        seconds.append(time.process_time() - begin)
    assert seconds[1] < 8 * seconds[0]


# ---- reader studies

PILOT = {"error": 0.0027, "cov1": 0.0012, "cov2": 0.0015, "cov3": 0.0007, "test_reader": 0.0007, "n_cases": 100}


@pytest.mark.parametrize(
    "asked", [{"difference": 0.08}, {"difference": -0.02, "margin": 0.1}, {"width": 0.15}, {"power": 0.9, "difference": 0.1}]
)
def test_reader_study_by_hand_and_beside_all_designs(asked):
    from scipy.stats import f, nct, t

    found = ugt.studies.plan_reader_study(PILOT, cost=(10, 1, 300), max_readers=20, **asked)
    d = asked.get("margin", 0) + asked.get("difference", 0)

    def by_hand(r, n):
        scale = 100 / n
        total = 0.0007 + (0.0027 - 0.0012) * scale + (r - 1) * 0.0008 * scale
        df = (r - 1) * total**2 / (0.0007 + (0.0027 - 0.0012 - 0.0008) * scale) ** 2
        power = 1 - nct.cdf(t.ppf(0.95, df), df, d * math.sqrt(r / (2 * total)))
        if "margin" not in asked:  # the F test, as Hillis, Obuchowski and Berbaum have it
            from scipy.stats import ncf

            power = 1 - ncf.cdf(f.ppf(0.95, 1, df), 1, df, r * d**2 / (2 * total)) if d else math.nan
        return power, 2 * t.ppf(0.975, df) * math.sqrt(2 * total / r)

    for r, n in ((3, 100), (8, 250), (found.best.n_readers, found.best.n_cases)):
        one = found.design(r, n)
        np.testing.assert_allclose([one.power, one.width], by_hand(r, n), rtol=1e-4)  # old scipy: five digits of ncf
    least = asked.get("power", 0.8)

    def enough(r, n):
        power, width = by_hand(r, n)
        return not power < least and width <= asked.get("width", 9)

    for one in found.table[::4]:
        assert enough(one.n_readers, one.n_cases) and (one.n_cases == 10 or not enough(one.n_readers, one.n_cases - 1))
    assert found.best == min(found.table, key=lambda one: one.cost) or math.isnan(found.best.power)


def test_cases_and_readings_cost_one_and_readers_nothing_by_default():
    one = ugt.studies.plan_reader_study(PILOT, difference=0.1).best
    assert one.cost == one.n_cases + 2 * one.n_cases * one.n_readers
    label = ugt.plan_annotations(components=PARTS, width=0.2).best
    assert label.cost == label.n_cases * (1 + label.n_labels)


def test_reader_study_needs_more_readers_first():
    with pytest.warns(RuntimeWarning, match="up to 5 readers: the differences between readers alone require at least"):
        found = ugt.studies.plan_reader_study(PILOT, difference=0.03, max_readers=5)
    needed = int(found.notes[-1].text.rstrip(".").split()[-1])
    assert found.best is None
    assert ugt.studies.plan_reader_study(PILOT, difference=0.03, max_readers=needed).best.n_readers == needed
    with pytest.warns(RuntimeWarning, match="no number of cases up to 10,000,000 is enough with up to 2 readers[.]$"):
        assert ugt.studies.plan_reader_study({**PILOT, "test_reader": 0.0}, width=1e-4, max_readers=2).best is None
    few = ugt.studies.plan_reader_study({**PILOT, "test_reader": -0.001, "n_readers": 3}, difference=0.1)
    assert "negative; it counts as 0" in few.notes[0].text and "3 readers, so that" in few.notes[1].text


def test_a_reader_study_as_pilot():
    rng = np.random.default_rng(2)
    truth = np.arange(60) % 2
    ratings = [[rng.normal(size=60) + (1.2 + 0.6 * test + 0.2 * rng.normal()) * truth for _ in range(6)] for test in range(2)]
    study = ugt.reader_study(truth, ugt.studies.Readings.from_array(ratings))
    found, part = ugt.studies.plan_reader_study(study, difference=0.1), study.components
    parts = {name: getattr(part, name) for name in (*PILOT, "n_readers")}
    assert found.table == ugt.studies.plan_reader_study(parts, difference=0.1).table and found.components["cov1"] == part.cov1
    panel = np.where(rng.random((60, 4)) < 0.9, truth[:, None], 1 - truth[:, None])
    soft = ugt.reader_study(
        ugt.Labels.from_wide(panel, annotators=["a", "b", "c", "d"], classes=2), ugt.studies.Readings.from_array(ratings)
    )
    assert "other annotators of the truth" in ugt.studies.plan_reader_study(soft, difference=0.1).notes[0].text


@pytest.mark.parametrize(
    ("components", "options", "message"),
    [
        (PILOT, {}, r"^difference, margin or width must be given"),
        (PILOT, {"difference": 0.0}, r"^difference must not be 0"),
        (PILOT, {"width": 0.1, "power": 0.8}, r"^difference must be given for power"),
        (PILOT, {"margin": 0.0}, r"^margin must be a finite number above 0"),
        ({"error": 1.0}, {"difference": 0.1}, r"^components must have 'error', .* Got none called 'cov1'"),
        (3, {"difference": 0.1}, r"^components must have 'error'"),
        ({**PILOT, "test_reader": float("nan")}, {"difference": 0.1}, r"^components must be known, .* first at 'test_reader'"),
        ({**PILOT, "cov2": 0.1}, {"difference": 0.1}, r"^components\['cov2'\] must be smaller than the variance 'error'"),
        ({**PILOT, "error": 0.0}, {"difference": 0.1}, r"^components\['error'\] must be a finite number above 0"),
        (PILOT, {"difference": 0.1, "cost": (0, 0, 1)}, r"^cost must be three numbers, of a case, of a reading and of a reader"),
        (PILOT, {"difference": 0.1, "power": 1.0}, r"^power must lie between 0 and 1"),
    ],
)
def test_what_is_no_reader_study_is_refused(components, options, message):
    refused(message, ugt.studies.plan_reader_study, components, **options)
    if isinstance(components, dict):
        study = type("Study", (), {"components": type("Found", (), components)})
        refused(message, ugt.studies.plan_reader_study, study, **options)
