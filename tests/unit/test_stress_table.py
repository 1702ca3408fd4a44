"""Kinds of numerical stress x public functions: each against a limit, a closed form, or the same problem said in another way."""

import math
from fractions import Fraction

import numpy as np
import pytest
from public_functions import FUNCTIONS, Entry, labels, make_world, part, positive, posterior
from refusals import refused

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")
TINY = 1e-320


def answer(entry, world, **instead):
    """All numbers of an answer, one after the other; ``instead``: what stands for labels, positive labels or a posterior."""
    named = {labels: "labels", positive: "positive", posterior: "posterior"}
    given = [instead.get(named.get(one, ""), one) for one in entry.given]
    found = Entry(entry.function, tuple(given), entry.fixed, entry.values, entry.per_case).call(world)
    return np.concatenate([np.ravel(np.asarray(part(found, name), np.float64)) for name in (*entry.values, *entry.per_case)])


# ---- counts: a million times as many labels in the same shares change nothing but terms of 1 / n ----

OF_COUNTS = (
    "dirichlet", "votes", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "krippendorff_alpha", "percent_agreement", "leave_one_annotator_out",
    "discrepancy_ratio", "stratified_discrepancy", "threshold_sweep", "disagreement_losses", "histogram_brier_score", "histogram_log_loss",
    "histogram_losses", "manhattan_distance", "ranked_probability_score", "symmetric_statistic", "wasserstein_distance", "label_posterior",
)  # fmt: skip


@pytest.mark.parametrize("name", OF_COUNTS)
def test_counts_of_1e15_have_the_limit_of_large_counts(name):
    def times(c):
        world = make_world()
        counts = world["counts"] * c
        world["counts"] = counts
        two = np.stack([counts[:, 0], counts[:, 1:].sum(1)], 1)
        given = [ugt.Labels.from_counts(table, case_ids=world["case_ids"]) for table in (counts, two)]
        return answer(FUNCTIONS[name], world, labels=lambda _: given[0], positive=lambda _: given[1])

    np.testing.assert_allclose(times(10**15), times(10**8), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("c", [10, 10**5, 10**10, 10**15])
def test_discrepancies_of_counts_against_fractions(c):
    found = ugt.discrepancy_ratio(ugt.Labels.from_counts([[c, c, 2 * c], [c, 3 * c, 0]]), [0, 1], distance="zero-one")
    n = 4 * c
    exact = [1 - sum(Fraction(k * (k - 1), n * (n - 1)) for k in row) for row in ([c, c, 2 * c], [c, 3 * c])]
    np.testing.assert_allclose(found.alpha_per_case, [float(one) for one in exact], rtol=1e-12)
    np.testing.assert_allclose(found.mu_per_case, [0.75, 0.25], rtol=1e-14)


# ---- probabilities of 1e-320: as good as 0 wherever 0 is allowed ----

OF_PROBS = (
    "histogram_brier_score", "histogram_losses", "manhattan_distance", "ranked_probability_score", "wasserstein_distance",
    "predicted_disagreement", "conformal_scores", "SplitConformal", "soft_auroc", "soft_average_precision", "soft_roc_curve",
    "soft_precision_recall_curve", "ua_topk_accuracy", "ua_overlap", "ua_coverage", "ua_plausibility_mass", "annotation_certainty",
    "expected_risk",
)  # fmt: skip


@pytest.mark.parametrize("name", OF_PROBS)
def test_probabilities_of_1e_320_are_as_good_as_0(name):
    def having(tiny):
        world = make_world()
        world["probs"] = np.array([[tiny, 0.25, 0.75], [1.0, tiny, 2 * tiny]] * 6)
        world["p"] = np.array([tiny, 1.0, 0.5, tiny] * 3)
        world["table"] = np.array([[2.0, 1.0, tiny], [tiny, 0.5, tiny]] * 6)
        return answer(FUNCTIONS[name], world, posterior=lambda world: ugt.Point.from_array(world["table"]))

    zero = having(0.0)
    kept = ~np.isclose(having(TINY), zero, rtol=1e-12, atol=1e-12)
    # sets: of the order of two classes of 0 nothing is known, of 1e-320 and 2e-320 it is
    assert not kept.any() or name in ("conformal_scores", "SplitConformal", "ua_overlap"), (having(TINY)[kept], zero[kept])
    assert np.isfinite(having(TINY)).all()


def test_log_loss_of_1e_320():
    found = ugt.calibration.histogram_log_loss([[1, 3]], [[TINY, 1.0]])
    assert found.per_case[0] == pytest.approx(-math.log(TINY) / 4, rel=1e-13)


# ---- plausibilities whose ratios are 1e300: as certain as an order ----
OF_ORDER = [n for n in FUNCTIONS if n.startswith("ua_") and "rating" not in n and "mass" not in n and n not in ugt.grades.__all__]


@pytest.mark.parametrize("name", OF_ORDER)
def test_ratios_of_1e300_are_an_order(name):
    """Metrics of order ask for the order alone: λ = 1, 1e-300, 1e-320 and λ = 3, 2, 1 are one truth to them."""
    world = make_world()
    order = np.argsort(world["scores"][::-1], axis=1)
    far, near = np.array([1.0, 1e-300, TINY])[order], np.array([3.0, 2.0, 1.0])[order]
    for scale in (1.0, 1e300):
        values = [answer(FUNCTIONS[name], world, posterior=lambda _, t=t: ugt.Point.from_array(t)) for t in (far * scale, near)]
        np.testing.assert_array_equal(*values)


# ---- reliabilities of 1e-6 and 1e6 ----
@pytest.mark.parametrize("gamma", [1e-6, 1e6])
def test_reliabilities_scale_counts(gamma):
    """A Dirichlet of reliability γ is that of γ times the counts; without annotations it is the prior."""
    world = make_world()
    given, counts = labels(world), world["counts"]
    post = ugt.dirichlet(given, reliability=gamma, prior=0.5)
    other = ugt.Dirichlet.from_array(counts * gamma + 0.5)
    for call in (lambda p: p.membership(1), lambda p: p.membership(2), ugt.annotation_certainty, lambda p: p.mean()):
        first, second = (np.asarray(getattr(one, "per_case", one)) for one in (call(post), call(other)))
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-12)
    sure = counts.max(1) > np.sort(counts, axis=1)[:, 1]
    if gamma > 1:  # the voted label
        np.testing.assert_allclose(post.membership(1).max(1)[sure], 1, atol=1e-9)
    else:  # nothing is known
        np.testing.assert_allclose(post.membership(1), 1 / 3, atol=1e-4)


@pytest.mark.parametrize("gamma", [1e-6, 1e6])
def test_modes_of_any_reliability(gamma):
    """One class from each annotator: (a + γ c) / (a K + γ n)."""
    world = make_world()
    mode = ugt.papers.plackett_luce_map(labels(world), reliability=gamma, prior_shape=0.5).mean()
    exact = world["counts"] * gamma + 0.5
    np.testing.assert_allclose(mode, exact / exact.sum(1, keepdims=True), rtol=1e-6)


# ---- 1e6 classes ----
def test_certainty_of_a_million_classes():
    """Dirichlet(4, 1, …, 1): the first is the best with probability E[(ln K + G)³] / 3! / K, G of Gumbel's law, to 1 / K."""
    k = 10**6
    table = np.ones((1, k))
    table[0, 0] = 4.0
    found = ugt.annotation_certainty(ugt.Dirichlet.from_array(table)).value
    mean, variance, third = np.euler_gamma, math.pi**2 / 6, 2 * 1.2020569031595942
    x = math.log(k) + mean
    assert found == pytest.approx((x**3 + 3 * x * variance + third) / 6 / k, rel=1e-4)


@pytest.mark.slow
def test_coefficients_know_no_classes_that_nobody_uses():
    """Those without a term of K are the same to the last bit, with three classes or a million."""
    world = make_world()
    wide = [ugt.Labels.from_wide(world["wide"], classes=k, missing=-1) for k in (3, 10**6)]
    for function in (ugt.agreement.percent_agreement, ugt.fleiss_kappa, ugt.krippendorff_alpha, ugt.agreement.leave_one_annotator_out):
        small, large = (function(one).value for one in wide)
        assert small == large, function
    small, large = (ugt.cohen_kappa(one, annotators=[0, 1]).value for one in wide)
    assert small == large
    ratios = [ugt.discrepancy_ratio(one, world["class"], distance="zero-one").value for one in wide]
    assert ratios[0] == ratios[1]
    means = [ugt.irn(one).mean()[:, :3] for one in wide]
    np.testing.assert_array_equal(*means)
    for call in (lambda one: ugt.dawid_skene(one, prior=0, max_iter=30), lambda one: ugt.dawid_skene(one, candidates="seen", max_iter=30)):
        fits = [call(one) for one in wide]
        np.testing.assert_allclose(fits[0].accuracy, fits[1].accuracy, rtol=1e-9)
        np.testing.assert_allclose(fits[0].plausibilities.mean(), fits[1].plausibilities.mean()[:, :3], atol=1e-9)


# ---- 1e5 annotators on one case ----
@pytest.fixture(scope="module")
def crowd():
    n = 10**5
    label = np.random.default_rng(0).choice(3, n, p=[0.7, 0.2, 0.1])
    return ugt.Labels.from_long(np.zeros(n, int), np.arange(n), label, classes=3), np.bincount(label, minlength=3)


def test_a_crowd_is_its_counts(crowd):
    """Functions that do not ask who gave which label answer as for the counts."""
    given, counts = crowd
    table = ugt.Labels.from_counts([counts])
    for function in (
        ugt.agreement.percent_agreement, ugt.agreement.gwet_ac1, ugt.agreement.leave_one_annotator_out,
        lambda x: ugt.annotation_certainty(ugt.dirichlet(x)),
        lambda x: ugt.discrepancy_ratio(x, [1], distance="zero-one"),
        lambda x: ugt.calibration.histogram_log_loss(x, [[0.5, 0.3, 0.2]]),
    ):  # fmt: skip
        values = [function(one).value for one in (given, table)]
        assert values[0] == pytest.approx(values[1], rel=1e-12)
    mode = ugt.papers.plackett_luce_map(given, prior_shape=0.5).mean()[0]
    np.testing.assert_allclose(mode, (counts + 0.5) / (counts.sum() + 1.5), rtol=1e-6)


def test_skills_of_a_crowd(crowd):
    """With one label each, and pseudo-counts, whoever gave the label of most has 2 / 4, and the others 1 / 4."""
    given, counts = crowd
    found = ugt.dawid_skene(given, model="one-coin", prior=(1, 1, 0), n_restarts=0, max_iter=50)
    right = given.label == int(counts.argmax())
    np.testing.assert_allclose(found.plausibilities.mean()[0], [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(found.accuracy[right], 2 / 4, rtol=1e-9)
    np.testing.assert_allclose(found.accuracy[~right], 1 / 4, rtol=1e-9)
    abilities = ugt.annotators.glad(given, max_iter=20)
    assert np.isfinite(abilities.ability).all()
    np.testing.assert_allclose(abilities.plausibilities.mean()[0], [1, 0, 0], atol=1e-9)
    assert abilities.ability[right].min() > abilities.ability[~right].max()


def test_pairs_of_a_crowd_are_refused(crowd, monkeypatch):
    monkeypatch.setenv("UGT_MEMORY", "4")
    for call in (ugt.agreement.pairwise_agreement, lambda x: ugt.papers.alternative_discrepancy_ratios(x, [0], distance="zero-one")):
        refused(r"pairs of annotators needs at least [\d.]+ GB", call, crowd[0], error=MemoryError)
