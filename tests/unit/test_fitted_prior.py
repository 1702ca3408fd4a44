"""Intervals over cases against posteriors whose prior was fitted to the same labels: the fit varies over cases, too."""

import pickle
import warnings

import numpy as np
import pytest

import ugt

N = 60
GROUPS = ["a", "a", "b"]
METRICS = {
    "certainty": lambda post, p: ugt.annotation_certainty(post),
    "certainty of pairs": lambda post, p: ugt.annotation_certainty(post, k=2),
    "certainty of groups": lambda post, p: ugt.annotation_certainty(post, groups=GROUPS),
    "certainty of the group of the best": lambda post, p: ugt.annotation_certainty(post, groups=GROUPS, group_rule="top_class"),
    "risk": lambda post, p: ugt.truth.expected_risk(post, [0, 1, 3]),
    "mean risk": lambda post, p: ugt.truth.expected_risk(post, [0, 1, 3], kind="plausibility"),
    "top-1": ugt.ua_topk_accuracy,
    "average overlap": lambda post, p: ugt.ua_average_overlap(post, p, 2),
    "coverage": lambda post, p: ugt.metrics.ua_coverage(post, p > 0.3),
    "mass": lambda post, p: ugt.metrics.ua_plausibility_mass(post, p > 0.3),
    "group accuracy": lambda post, p: ugt.metrics.ua_group_accuracy(post, p, GROUPS),
    "accuracy in a group": lambda post, p: ugt.metrics.ua_group_accuracy(post, p, GROUPS, given="b", group_rule="top_class"),
    "absolute error": ugt.grades.ua_absolute_error,
    "probability score": ugt.grades.ua_ranked_probability_score,
    "quadratic kappa": ugt.grades.ua_weighted_kappa,
    "linear kappa": lambda post, p: ugt.grades.ua_weighted_kappa(post, p, weights="linear"),
    "Spearman": ugt.grades.ua_spearman,
    "Kendall": ugt.grades.ua_kendall,
    "concordance": ugt.grades.ua_concordance,
    "AUROC at cuts": ugt.grades.ua_auroc_at_cuts,
    "AUROC": ugt.soft_auroc,
    "average precision": ugt.soft_average_precision,
}


def data(seed, n=N):
    rng = np.random.default_rng(seed)
    law = rng.dirichlet([0.6, 0.6, 0.6], n)
    counts = np.stack([rng.multinomial(rng.integers(1, 6), one) for one in law])
    return counts, (law + rng.dirichlet([1, 1, 1], n)) / 2


def fitted(counts, **options):
    return ugt.dirichlet(ugt.Labels.from_counts(counts), prior="fit", **options)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.filterwarnings("ignore")
def test_standard_errors_are_of_a_prior_that_is_fitted_again(name):
    """Beside the jackknife that fits the prior again without each case."""
    counts, p = data(1)
    found = METRICS[name](fitted(counts, reliability=0.7), p)
    again = [METRICS[name](fitted(np.delete(counts, i, 0), reliability=0.7), np.delete(p, i, 0)).value for i in range(N)]
    expected = np.sqrt((N - 1) / N * ((again - np.mean(again)) ** 2).sum())
    assert found.std_error == pytest.approx(expected, rel=0.06)
    low, high = found.interval(kind="percentile")
    assert (high - low) / 3.92 == pytest.approx(expected, rel=0.15)
    known = ugt.truth.fit_dirichlet_prior(ugt.Labels.from_counts(counts))
    of_known = METRICS[name](ugt.dirichlet(ugt.Labels.from_counts(counts), reliability=0.7, prior=known.value), p)
    assert of_known.value == found.value and of_known.std_error != found.std_error
    assert METRICS[name](ugt.dirichlet(ugt.Labels.from_counts(counts), reliability=0.7, prior=known), p).std_error == found.std_error


def test_a_prior_of_other_labels_or_of_each_class_is_known():
    counts, p = data(2)
    labels, others = ugt.Labels.from_counts(counts), ugt.Labels.from_counts(data(3)[0])
    for prior in (ugt.truth.fit_dirichlet_prior(others), ugt.truth.fit_dirichlet_prior(labels, per_class=True)):
        found, known = (ugt.ua_topk_accuracy(ugt.dirichlet(labels, prior=one), p) for one in (prior, prior.value))
        assert found.std_error == known.std_error


def test_a_fit_adds_nothing_to_values_and_goes_with_its_cases():
    counts, p = data(4)
    counts[5] = 0
    post = fitted(counts)
    found, half = ugt.annotation_certainty(post), ugt.annotation_certainty(post.take(np.arange(0, N, 2)))
    assert np.isnan(found.per_case[5]) and found.statistic.estimate[0] == pytest.approx(found.value, rel=1e-12)
    np.testing.assert_array_equal(half.per_case, found.per_case[::2])
    assert half.std_error > 0.8 * found.std_error  # the fit is that of all cases, and no surer for a half of them
    for metric in METRICS.values():
        one = metric(post, p)
        assert pickle.loads(pickle.dumps(one)).std_error == one.std_error
    assert ugt.annotation_certainty(pickle.loads(pickle.dumps(post))).std_error == found.std_error


def test_cases_that_say_nothing_of_the_prior_have_nothing_added():
    """One label shows nothing about a symmetric prior: the standard error of such cases is that of a known one."""
    counts, p = data(8)
    labels, single = ugt.Labels.from_counts(counts), np.flatnonzero(counts.sum(1) == 1)
    post, known = (ugt.dirichlet(labels, prior=prior).take(single) for prior in ("fit", ugt.truth.fit_dirichlet_prior(labels).value))
    assert len(single) > 3
    for metric in METRICS.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_equal(metric(post, p[single]).std_error, metric(known, p[single]).std_error)


def test_intervals_stay_within_the_range_of_a_number():
    """Cases that practically never differ: what the fit adds, to first order, would carry quantiles above 1."""
    rng = np.random.default_rng(1)
    counts = np.zeros((500, 2), int)
    counts[np.arange(500), rng.integers(0, 2, 500)] = 3
    counts[:2] = [2, 1]
    post, p = fitted(counts), (counts + 1) / 5
    for found in (
        ugt.annotation_certainty(post),
        ugt.ua_topk_accuracy(post, p),
        ugt.soft_auroc(post, p[:, 1]),
        ugt.grades.ua_weighted_kappa(post, p),
    ):
        for kind in ("auto", "percentile", "bca"):
            low, high = found.interval(kind=kind, level=0.999)
            assert -1 <= low <= found.value <= high <= 1


def test_two_models_against_one_truth_share_its_fit():
    """Their difference is much surer than it would be with two fits."""
    counts, p = data(5)
    post = fitted(counts)
    one, other = ugt.metrics.ua_plausibility_mass(post, p > 0.3), ugt.metrics.ua_plausibility_mass(post, p > 0.35)
    low, high = one.minus(other).interval()
    assert high - low < 0.7 * np.hypot(*(np.subtract(*found.interval()) for found in (one, other)))


def test_other_annotators_and_a_fitted_prior():
    """An interval over cases and annotators includes the fit, as that over cases does."""
    rng = np.random.default_rng(6)
    law = rng.dirichlet([0.6, 0.6, 0.6], N)
    labels = ugt.Labels.from_wide(np.array([rng.choice(3, 4, p=one) for one in law]), annotators=list("abcd"))
    for metric in (ugt.ua_topk_accuracy, ugt.grades.ua_weighted_kappa):
        found = metric(ugt.dirichlet(labels, prior="fit"), law)
        known = metric(ugt.dirichlet(labels, prior=ugt.truth.fit_dirichlet_prior(labels).value), law)
        (low, high), (low_known, high_known) = (one.interval(random=("cases", "annotators")) for one in (found, known))
        assert high - low > high_known - low_known
        assert high - low > 0.98 * np.subtract(*found.interval(kind="analytic")[::-1])  # the two have other scales


def test_evaluations_include_the_fit_and_subgroups_do_not():
    counts, p = data(7, 80)
    labels = ugt.Labels.from_counts(counts)
    options = {"k": [1], "reliability": 1, "n_resamples": 400, "subgroups": {"half": np.arange(80) % 2}}
    with_fit = ugt.evaluate(labels, {"m": p, "o": p[::-1]}, prior="fit", **options)
    known = ugt.evaluate(labels, {"m": p, "o": p[::-1]}, prior=ugt.truth.fit_dirichlet_prior(labels).value, **options)
    post = ugt.dirichlet(labels, prior="fit")
    (certainty,) = (row for row in with_fit.tables["certainty"] if row["measure"] == "certainty")
    direct = ugt.annotation_certainty(post).interval(kind=with_fit.provenance["interval"], n_resamples=400)
    assert (certainty["case_low"], certainty["case_high"]) == pytest.approx(direct, abs=1e-12)
    wider = [
        (row["case_high"] - row["case_low"]) / (other["case_high"] - other["case_low"])
        for row, other in zip(with_fit.tables["metrics"], known.tables["metrics"])
        if row["metric"] != "voted_accuracy"
    ]
    assert [row["value"] for row in with_fit.tables["metrics"]] == [row["value"] for row in known.tables["metrics"]]
    assert min(wider) > 1 and max(wider) > 1.05
    assert with_fit.tables["strata"] == known.tables["strata"]
    assert sum("Those of parts of the cases and in other tables take it as known." in note for note in map(str, with_fit.notes)) == 1
