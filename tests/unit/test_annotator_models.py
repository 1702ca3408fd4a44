"""Annotator models against slow twins, a general optimiser and crowd-kit; data without doubt, without labels, in another order."""

import dataclasses
import pickle

import numpy as np
import pytest
from refusals import refused, warned
from scipy import special
from scipy.special import expit, logit
from twins import em as twin

import ugt
from ugt import annotators
from ugt._core import _em
from ugt.annotators import em as em_module
from ugt.annotators import ordinal as em_ordinal
from ugt.annotators.records import GivenLabels

pytestmark = pytest.mark.filterwarnings("ignore")

NAN = float("nan")
PRIORS = [0, (1, 0.3, 0.5), (0.5, 0, 0), (0, 0, 2)]
MODELS = ["full", "one-coin"]


def labels_of(n=30, n_annotators=5, n_classes=4, seed=0, right=0.7, share=0.6, repeats=0.1, case_ids=None):
    """Some labels are missing, some were given twice; case 3 is empty."""
    rng = np.random.default_rng(seed)
    truth, rows = rng.integers(0, n_classes, n), []
    for i in range(n):
        for a in range(n_annotators):
            times = (rng.random() < share) + (rng.random() < repeats)
            rows += [(i, a, truth[i] if rng.random() < right else rng.integers(n_classes)) for _ in range(times if i != 3 else 0)]
    case, annotator, label = map(np.array, zip(*rows))
    ids = np.arange(n) if case_ids is None else case_ids
    return ugt.Labels.from_long(ids[case], annotator, label, classes=n_classes, cases=ids)


def three(prior):
    return (prior,) * 3 if np.ndim(prior) == 0 else prior


def same(found, expected, atol=1e-12):
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


def never_falls(trace):
    assert (np.diff(trace) >= -1e-13 * np.abs(trace).max()).all()


# ---- against the slow twin
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_iterations_are_those_of_the_slow_twin(model, prior, n_classes):
    labels = labels_of(n_classes=n_classes)
    cases, n = twin.cases_of(labels), len(labels.annotators)
    found = ugt.dawid_skene(labels, model=model, prior=prior, n_restarts=0, tolerance=0, max_iter=12)
    assert len(found.trace) == 13
    q, confusion, prevalence, trace = twin.dawid_skene(cases, n, n_classes, three(prior), 12, model == "one-coin")
    same(found.trace, trace, 1e-10)
    same(found.prevalence, prevalence)
    same(np.nan_to_num(found.plausibilities.mean()), q, 2e-12)
    for j, a in enumerate(labels.annotators):
        same(np.nan_to_num(found.confusion(a)), confusion[j])
    same(found.log_likelihood, twin.classes(cases, confusion, prevalence)[1], 1e-10)


def some_known(labels, share=0.4, seed=5):
    """Classes (N,) of some cases, of which not all were given there; -1 elsewhere and in the case without labels."""
    rng = np.random.default_rng(seed)
    known = np.where(rng.random(labels.n_cases) < share, rng.integers(0, labels.n_classes, labels.n_cases), -1)
    known[3] = -1
    assert any(k >= 0 and labels.counts()[i, k] == 0 for i, k in enumerate(known))
    return known


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("candidates", ["all", "seen"])
def test_known_classes_are_fixed_in_every_step(model, prior, candidates):
    if (model, candidates) == ("one-coin", "seen"):
        return
    labels = labels_of(n_classes=4)
    cases, n, known = twin.cases_of(labels), len(labels.annotators), some_known(labels)
    gold = {int(labels.axes.case_ids[i]): int(k) for i, k in enumerate(known) if k >= 0}
    options = {"model": model, "prior": prior, "candidates": candidates, "n_restarts": 0, "tolerance": 0, "max_iter": 12}
    found = ugt.dawid_skene(labels, known=gold, **options)
    listed = ugt.dawid_skene(labels, known=[None if k < 0 else k for k in known], **options)
    same(listed.trace, found.trace, 0)
    allowed = None
    if candidates == "seen":  # the known class counts as given, by nobody
        extra = [[*case, *([(n + i, known[i])] if known[i] >= 0 else [])] for i, case in enumerate(cases)]
        allowed = twin.seen(extra, 4)
        for i, k in enumerate(known):
            allowed[i] = allowed[i] if k < 0 else np.arange(4) == k
    q, confusion, prevalence, trace = twin.dawid_skene(
        cases, n, 4, three(prior), len(found.trace) - 1, model == "one-coin", allowed=allowed, known=known
    )
    same(np.diff(found.trace), np.diff(trace), 1e-10)
    same(found.prevalence, prevalence)
    same(np.nan_to_num(found.plausibilities.mean()), q, 2e-12)
    same(found.log_likelihood, twin.classes(cases, confusion, prevalence, allowed, known)[1], 1e-10)
    never_falls(found.trace)
    again = ugt.dawid_skene(labels, known=gold, model=model, prior=prior, candidates=candidates, n_restarts=3)
    assert (again.plausibilities.mean()[known >= 0, known[known >= 0]] == 1).all() and again.objective.max() >= found.trace[-1] - 1e-6


def grades(n, bias, spread, prevalence, seed=0):
    """True grades, and labels of annotators who see them with these biases and spreads."""
    rng, k = np.random.default_rng(seed), len(prevalence)
    truth = rng.choice(k, n, p=prevalence)
    seen = truth[:, None] + bias + np.asarray(spread) * rng.standard_normal((n, len(bias)))
    return truth, ugt.Labels.from_wide(np.clip(np.rint(seen), 0, k - 1).astype(int), classes=k)


@pytest.mark.parametrize("with_known", [False, True])
@pytest.mark.parametrize("prior", [(0, 0, 0), (1, 0.2, 0.5)])
def test_ordered_classes_are_fitted_best(prior, with_known):
    truth, labels = grades(80, [0, 0.4, -0.3], [0.5, 0.7, 0.9], [0.4, 0.3, 0.2, 0.1])
    known = np.where(np.arange(80) < 20, truth, -1) if with_known else None
    gold = None if known is None else [None if k < 0 else k for k in known.tolist()]
    found = ugt.dawid_skene(labels, known=gold, model="ordinal", prior=prior, n_restarts=0, tolerance=1e-13, max_iter=5000)
    cases = twin.cases_of(labels)
    best, x = twin.best_ordinal(cases, 3, 4, prior, known)
    assert found.trace[-1] == pytest.approx(
        twin.ordinal_objective(cases, found.bias, found.spread, found.prevalence, prior, known), abs=1e-8
    )
    assert found.trace[-1] == pytest.approx(best, abs=1e-6)
    same(found.bias, x[:3], 1e-3)
    same(found.spread, np.exp(x[3:6]), 1e-3)
    never_falls(found.trace)
    tables = [twin.ordinal_confusion(b, s, 4) for b, s in zip(found.bias, found.spread)]
    same(np.array([found.confusion(a) for a in labels.annotators]), tables, 1e-12)
    same(found.plausibilities.mean(), twin.classes(cases, tables, found.prevalence, known=known)[0], 1e-9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # an annotator worse than chance
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("prior", [0, (1, 0.2, 0.5)])
def test_two_grades_are_two_classes(prior, seed):
    rng = np.random.default_rng(seed)
    truth, right = rng.integers(0, 2, 60), rng.random((60, 6)) < np.array([0.9, 0.8, 0.75, 0.7, 0.6, 0.25])
    seen = np.where(rng.random((60, 6)) < 0.6, np.where(right, truth[:, None], 1 - truth[:, None]), -1)
    labels = ugt.Labels.from_wide([[None if x < 0 else int(x) for x in row] for row in seen], classes=2, annotators=list("abcdef"))
    full, found = (ugt.dawid_skene(labels, prior=prior, model=model) for model in ("full", "ordinal"))
    same(found.plausibilities.mean(), full.plausibilities.mean(), 0)
    assert (found.log_likelihood, found.model) == (full.log_likelihood, "ordinal")
    for at, name in enumerate(labels.annotators):
        table, bias, spread = found.confusion(name), found.bias[at], found.spread[at]
        same(table, full.confusion(name), 0)
        assert np.isnan(bias) == np.isnan(spread) == bool(table[1, 1] <= table[0, 1])
        if not np.isnan(spread):
            same(twin.ordinal_confusion(bias, spread, 2), table, 1e-12)


def test_ordered_classes_at_the_ends():
    for spread in (0.05, 20.0):
        table = em_ordinal.confusions(np.array([0.0, 3.0, -4.0]), np.log(np.full(3, spread)), 5)[0]
        assert (table > 0).all()
        same(table, [twin.ordinal_confusion(b, spread, 5) for b in (0, 3, -4)], 1e-14)
        same(table.sum(2), np.ones((3, 5)), 1e-12)
    unanimous = ugt.Labels.from_wide([[0, 0, None], [1, 1, None], [2, 2, None]], classes=3, annotators=["a", "b", "c"])
    found = ugt.dawid_skene(unanimous, model="ordinal")
    assert found.spread[:2] == pytest.approx(0.05, abs=0.2) and np.isnan(found.spread[2]) and np.isnan(found.bias[2])
    same(found.plausibilities.mean(), np.eye(3), 1e-6)
    refused("candidates must be 'all' for model 'ordinal'", ugt.dawid_skene, unanimous, model="ordinal", candidates="seen")


def test_glad_with_known_classes_is_the_best_there_is():
    labels = labels_of(n=9, n_annotators=4, n_classes=3, seed=3)
    cases, prior, known = twin.cases_of(labels), (0.8, 1.2, 0.5, 0.7), some_known(labels)
    shares = np.full(3, 1 / 3)
    found = ugt.annotators.glad(
        labels, known={i: k for i, k in enumerate(known.tolist()) if k >= 0}, prior=prior, tolerance=1e-14, max_iter=10_000, n_restarts=5
    )
    best, x = twin.best_glad(cases, 4, shares, prior, known=known)
    assert found.objective.max() == pytest.approx(best, abs=1e-8)
    same(found.ability, x[:4], 1e-4)
    same(np.nan_to_num(found.plausibilities.mean()), twin.glad_classes(cases, x[:4], x[4:], shares, known)[0], 1e-4)


def test_labels_that_a_reference_contradicts_beyond_the_doubles():
    labels = ugt.Labels.from_wide(np.zeros((60, 40), int), classes=2)  # all say 0, the last case is a 1
    found = ugt.dawid_skene(labels, known={59: 1}, prior=1)
    assert found.plausibilities.mean()[[0, 59]].round(6).tolist() == [[1, 0], [0, 1]] and np.isfinite(found.log_likelihood)
    alone = ugt.Labels.from_wide([["a", "-"], ["-", "b"], ["-", "a"]], annotators=["x", "y"], missing="-")
    assert np.isnan(ugt.dawid_skene(alone, prior=1).accuracy).all()
    assert np.isnan(ugt.dawid_skene(alone, known={1: "b"}, prior=1).accuracy).tolist() == [True, False]


GOLD = ugt.Labels.from_long(["p", "p", "q"], ["x", "y", "x"], ["a", "b", "a"], cases=["p", "q", "empty"])
BAD_KNOWN = [
    ({"r": "a"}, r"known must name cases of the labels\. Got 'r'"),
    ({"p": "c"}, r"known must be one of the classes 'a', 'b'\. Got 'c', first at case 'p'"),
    ({"p": 0}, r"known must be one of the classes 'a', 'b'\. Got 0, first at case 'p'"),
    ({"p": ["a"]}, r"known must be one of the classes 'a', 'b'\. Got \['a'\], first at case 'p'"),
    (["a", None], r"known must be a mapping of case to class, or a class or None for each of the 3 cases\. Got 2 values"),
    (["a", "z", None], r"known must be one of the classes 'a', 'b'\. Got 'z', first at case 'q'"),
    ("a", r"known must be a mapping of case to class, or a class or None for each of the 3 cases\. Got 'a'"),
]


@pytest.mark.parametrize("known, message", BAD_KNOWN)
@pytest.mark.parametrize("fit", [ugt.dawid_skene, ugt.annotators.dawid_skene_draws, ugt.annotators.glad])
def test_known_classes_are_checked(fit, known, message):
    refused(message, fit, GOLD, known=known)


def test_nothing_known_is_nothing_said():
    for fit in (ugt.dawid_skene, ugt.annotators.glad):
        plain = fit(GOLD, prior=1 if fit is ugt.dawid_skene else (1, 1, 1, 1)).plausibilities.mean()
        for known in ({}, {"p": None, "q": ""}, [None, NAN, ""], {"empty": "a"}):
            np.testing.assert_array_equal(
                fit(GOLD, known=known, prior=1 if fit is ugt.dawid_skene else (1, 1, 1, 1)).plausibilities.mean(), plain
            )


def test_classes_that_were_seen_are_the_twins():
    labels = labels_of(n=12, n_classes=7, share=0.4, seed=4)
    cases = twin.cases_of(labels)
    allowed = twin.seen(cases, 7)
    assert allowed.sum(1).max() > 1 and (allowed.sum(1) < 7).all()
    options = {"prior": (1, 0.3, 0.5), "candidates": "seen", "n_restarts": 0, "tolerance": 0, "max_iter": 12}
    found = ugt.dawid_skene(labels, **options)
    n_steps = len(found.trace) - 1  # fewer where nothing is gained any more
    assert n_steps > 5
    q, _, prevalence, trace = twin.dawid_skene(cases, len(labels.annotators), 7, (1, 0.3, 0.5), n_steps, allowed=allowed)
    same(np.nan_to_num(found.plausibilities.mean()), q, 2e-12)
    same(found.prevalence, prevalence)
    # the twin has rows for all classes: the others stay as they are in the prior
    same(np.diff(found.trace), np.diff(trace), 1e-10)
    never_falls(found.trace)


def test_storage_makes_no_difference_without_pseudo_counts():
    labels = labels_of(n=40, n_classes=6, share=0.4, seed=2)
    given = GivenLabels(labels)
    runs = []
    for cells in (em_module.SEEN, em_module.ALL, em_module.EITHER):
        shape = em_module.Confusions(given, cells)
        fit = em_module.FullFit(shape, (0.5, 0.0, 0.5), given.start(3, 1))
        values = []
        for _ in range(20):
            values.append(fit.value())
            fit.improve()
        runs.append((np.array(values), em_module.point_of(given.axes, shape.offsets, shape.index, fit.candidates()).mean()))
    for value, q in runs[1:]:
        same(np.diff(value), np.diff(runs[0][0]), 1e-10)
        same(np.nan_to_num(q), np.nan_to_num(runs[0][1]), 2e-12)


def test_cells_grow_with_what_was_seen():
    rng = np.random.default_rng(1)
    truth, k = rng.integers(0, 400, 2000), 400
    case, annotator = np.repeat(np.arange(2000), 4), rng.integers(0, 50, 8000)
    label = np.where(rng.random(8000) < 0.8, truth[case], (truth[case] + 1) % k)
    shape = em_module.Confusions(GivenLabels(ugt.Labels.from_long(case, annotator, label, classes=k)), em_module.EITHER)
    assert not shape.all and shape.n_cells < 3 * 8000 < 50 * k * k / 100
    size = np.diff(shape.offsets)
    assert size.max() <= 3 and size.min() >= 1


def test_long_cases_do_not_underflow():
    rng = np.random.default_rng(5)
    case, annotator = np.repeat([0, 1, 2], [3000, 5, 5]), rng.integers(0, 4, 3010)
    label = rng.integers(0, 3, 3010)
    label[:3000][rng.random(3000) < 0.1] = 2
    labels = ugt.Labels.from_long(case, annotator, label, classes=3)
    for model in MODELS:
        found = ugt.dawid_skene(labels, model=model, prior=1, n_restarts=0, max_iter=20)
        logs = np.log(found.prevalence) + sum(np.log(found.confusion(labels.annotators[a])[:, k]) for a, k in twin.cases_of(labels)[0])
        assert logs.max() < -1000
        expected = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
        same(found.plausibilities.mean()[0], expected, 1e-9)
        never_falls(found.trace)


def test_cases_at_the_end_of_the_doubles_are_exact():
    # probabilities of cases from 1e-230 to 1e-340: the last ones before 0 have few digits
    rng, sizes = np.random.default_rng(6), np.arange(500, 760, 10)
    case = np.repeat(np.arange(len(sizes)), sizes)
    annotator, label = rng.integers(0, 4, len(case)), rng.integers(0, 3, len(case))
    labels = ugt.Labels.from_long(case, annotator, label, classes=3)
    shape = em_module.Confusions(GivenLabels(labels), em_module.ALL)
    fit = em_module.FullFit(shape, (1.0, 1.0, 1.0), GivenLabels(labels).start(0, 0))
    fit.probability[:] = rng.uniform(0.3, 0.4, shape.n_cells)
    fit.prevalence[:] = [0.3, 0.3, 0.4]
    table = np.zeros((4, 3, 3))
    table[shape.layout[0], shape.layout[2], shape.layout[1]] = fit.probability
    logs = np.log(fit.prevalence) + np.array([sum(np.log(table[a, :, k]) for a, k in each) for each in twin.cases_of(labels)])
    assert logs.max() > np.log(1e-250) and logs.min() < np.log(1e-308)
    same(fit.candidates().reshape(-1, 3), special.softmax(logs, axis=1), 1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_counted_labels_are_labels_given_several_times(model):
    labels = labels_of(n=20, seed=8)
    times = np.random.default_rng(0).integers(1, 4, len(labels.label))
    counted = dataclasses.replace(labels, count=times)
    row = np.repeat(np.arange(len(times)), times)
    ends = np.concatenate([[0], np.cumsum(times)])[labels.offsets]
    ones = np.ones(len(row), np.int64)
    repeated = dataclasses.replace(labels, offsets=ends, annotator=labels.annotator[row], label=labels.label[row], count=ones)
    options = {"model": model, "prior": (1, 0.2, 1), "n_restarts": 2, "max_iter": 30, "tolerance": 0}
    one, other = (ugt.dawid_skene(each, **options) for each in (counted, repeated))
    same(one.objective, other.objective, 1e-9)
    same(one.accuracy, other.accuracy, 1e-10)
    same(one.accuracy_error, other.accuracy_error, 1e-8)
    same(one.n_labels, other.n_labels, 0)
    one, other = (ugt.annotators.glad(each, max_iter=30) for each in (counted, repeated))
    same(one.ability, other.ability, 1e-9)
    same(one.ability_error, other.ability_error, 1e-8)


# ---- against a general optimiser
@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("prior", [(1, 0.3, 0.5), (1, 0.05, 0.5), (0, 0, 0)])
def test_no_general_optimiser_finds_more(model, prior):
    # without a prior and with more classes, the maximum may lie where classes stand for others: starts from the votes miss it
    n_classes, shape = (3, {"n": 8}) if prior[0] else (2, {"n": 15, "right": 0.8, "share": 0.8})
    labels = labels_of(n_annotators=3, n_classes=n_classes, repeats=0, **shape)
    cases = twin.cases_of(labels)
    found = ugt.dawid_skene(labels, model=model, prior=prior, n_restarts=40, max_iter=20_000, tolerance=1e-13)
    best = twin.best_dawid_skene(cases, 3, n_classes, prior, model == "one-coin", n_starts=12)
    assert found.objective.max() == pytest.approx(best, abs=1e-5)
    assert found.trace[-1] == found.objective.max()


@pytest.mark.slow
@pytest.mark.parametrize("n_classes, prevalence", [(2, "uniform"), (3, [0.2, 0.5, 0.3])])
def test_glad_is_at_the_maximum_that_a_general_optimiser_finds(n_classes, prevalence):
    labels = labels_of(n=9, n_annotators=4, n_classes=n_classes, seed=3)
    cases, prior = twin.cases_of(labels), (0.8, 1.2, 0.5, 0.7)
    shares = np.full(n_classes, 1 / n_classes) if prevalence == "uniform" else prevalence
    found = ugt.annotators.glad(labels, prior=prior, prevalence=prevalence, tolerance=1e-14, max_iter=10_000, n_restarts=5)
    best, x = twin.best_glad(cases, 4, shares, prior)
    assert found.objective.max() == pytest.approx(best, abs=1e-8)
    same(found.ability, x[:4], 1e-4)
    assert np.isnan(found.difficulty[3])
    easiness = -np.log(np.where(np.isnan(found.difficulty), np.exp(-prior[2]), found.difficulty))
    same(easiness, x[4:], 1e-4)
    q, log_likelihood = twin.glad_classes(cases, found.ability, easiness, shares)
    same(np.nan_to_num(found.plausibilities.mean()), q)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-10)
    same(found.trace[-1], twin.glad_objective(cases, found.ability, easiness, shares, prior), 1e-9)
    right = [1 / (1 + np.exp(-found.ability[a] * np.exp(easiness[i]))) for i, case in enumerate(cases) for a, _ in case if a == 2]
    assert found.accuracy[2] == pytest.approx(np.mean(right))


def test_glad_errors_are_those_of_the_observed_information():
    labels = labels_of(n=9, n_annotators=4, n_classes=3, seed=3)
    cases, prior, shares = twin.cases_of(labels), (1.0, 1.0, 1.0, 1.0), np.full(3, 1 / 3)
    found = ugt.annotators.glad(labels, tolerance=1e-15, max_iter=20_000)
    b = -np.log(np.where(np.isnan(found.difficulty), np.exp(-1), found.difficulty))
    information = -twin.hessian(lambda x: twin.glad_objective(cases, x[:4], x[4:], shares, prior), np.concatenate([found.ability, b]))
    expected = np.sqrt(np.diag(np.linalg.inv(information))[:4])
    same(found.ability_error, expected, 1e-5)
    assert (found.accuracy_error < found.ability_error).all() and (found.accuracy_error > 0).all()


@pytest.mark.parametrize("prior", [(1, 0.3, 0.5), (0, 0, 0)])
def test_accuracy_errors_are_those_of_the_observed_information(prior, monkeypatch):
    labels = labels_of(n=40, n_classes=3, right=0.8, seed=11)
    cases = twin.cases_of(labels)
    options = {"model": "one-coin", "prior": prior, "max_iter": 20_000, "tolerance": 1e-15}
    found = ugt.dawid_skene(labels, **options)

    def objective(x):
        confusion = [np.where(np.eye(3, dtype=bool), w, (1 - w) / 2) for w in expit(x)]
        return twin.classes(cases, confusion, found.prevalence)[1] + twin.log_prior(confusion, found.prevalence, prior, True)

    information = -twin.hessian(objective, logit(found.accuracy))
    slope = found.accuracy * (1 - found.accuracy)
    same(found.accuracy_error, slope * np.sqrt(np.diag(np.linalg.inv(information))), 1e-6)
    monkeypatch.setattr(em_module, "MOST_JOINT", 1)
    alone = ugt.dawid_skene(labels, **options)
    same(alone.accuracy_error, slope / np.sqrt(np.diag(information)), 1e-6)


# ---- the fit
@pytest.mark.parametrize("seed", range(12))
def test_the_objective_never_falls(seed):
    labels = labels_of(n=25, n_annotators=6, n_classes=2 + seed % 4, right=0.4, share=0.4, seed=seed)
    for model in MODELS:
        for prior in PRIORS:
            options = {"candidates": "seen"} if seed % 2 and model == "full" else {}
            never_falls(ugt.dawid_skene(labels, model=model, prior=prior, max_iter=60, tolerance=0, seed=seed, **options).trace)
    for prior in ((1, 1, 1, 1), (0, 10, 0, 5), (-1, 2, 2, 3), (20, 10, -5, 10)):  # under the last one, whole Newton steps fall
        never_falls(ugt.annotators.glad(labels, prior=prior, max_iter=60, tolerance=0, n_restarts=0, seed=seed).trace)


def test_every_start_is_reported_and_the_best_is_the_answer():
    labels = labels_of(n=25, n_annotators=4, right=0.4, seed=6)
    found = ugt.dawid_skene(labels, n_restarts=7, seed=2)
    assert found.objective.shape == found.converged.shape == found.n_iterations.shape == (8,)
    assert found.converged.all() and len(np.unique(found.objective.round(6))) > 1
    best = int(np.argmax(found.objective))
    assert found.trace[-1] == found.objective[best] and len(found.trace) == found.n_iterations[best] + 1
    first = ugt.dawid_skene(labels, n_restarts=0)
    assert first.objective[0] == found.objective[0] and first.n_iterations[0] == found.n_iterations[0]
    assert ugt.dawid_skene(labels, n_restarts=7, seed=3).objective[1] != found.objective[1]


@pytest.mark.parametrize("fit", [ugt.dawid_skene, ugt.annotators.glad])
def test_threads_change_nothing(fit):
    labels = labels_of(n=40, right=0.5)
    one, two = (fit(labels, n_restarts=5, max_iter=40, n_threads=n) for n in (1, 2))
    for name in ("objective", "trace", "accuracy", "accuracy_error", "prevalence", "n_iterations"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    assert one.plausibilities.value.tobytes() == two.plausibilities.value.tobytes()


@pytest.mark.filterwarnings("error")
def test_a_fit_that_ends_too_early_says_so():
    labels = labels_of(right=0.5)
    for fit in (ugt.dawid_skene, ugt.annotators.glad):
        found = warned(r"not converged within max_iter = 2 ", fit, labels, max_iter=2, n_restarts=0, tolerance=0)
        assert not found.converged[0] and found.n_iterations[0] == 2 and len(found.trace) == 3
    found = ugt.dawid_skene(labels, n_restarts=1)
    assert found.converged.all()
    gain = np.diff(found.trace) / found.n_labels.sum()
    assert gain[-1] <= 1e-9 < gain[:-1].min()


def test_labels_worse_than_chance_are_suspicious():
    # annotator 2 gives all labels but two; a prior against the diagonal turns everything round
    labels = ugt.Labels.from_wide([[0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]])
    with pytest.warns(RuntimeWarning, match=r"fewer than by chance: classes may have changed places"):
        ugt.dawid_skene(labels, model="one-coin", prior=(0, 50, 1), n_restarts=0)


# ---- data without doubt, and without much
@pytest.mark.parametrize("model", MODELS)
def test_unanimous_annotators_are_certain_and_right(model):
    truth = np.random.default_rng(0).integers(0, 3, 20)
    labels = ugt.Labels.from_wide(np.repeat(truth[:, None], 4, axis=1), classes=4)
    found = ugt.dawid_skene(labels, model=model)
    assert (found.plausibilities.mean() == np.eye(4)[truth]).all()
    assert len(found.plausibilities.value) == 20
    assert (found.accuracy == 1).all() and np.isnan(found.accuracy_error).all()
    same(found.prevalence, np.bincount(truth, minlength=4) / 20)
    matrix = found.confusion(2)
    assert (matrix[:3, :3] == np.eye(3)).all()
    assert np.isnan(matrix[3]).all() if model == "full" else (matrix[3] == [0, 0, 0, 1]).all()
    assert found.converged.all()
    glad = ugt.annotators.glad(labels)
    assert (glad.plausibilities.mean()[np.arange(20), truth] > 0.999).all()
    assert (glad.accuracy > 0.9).all()


@pytest.mark.parametrize("model", MODELS)
def test_a_single_annotator_is_believed(model):
    labels = ugt.Labels.from_wide([[0], [1], [2], [1]])
    with pytest.warns(RuntimeWarning, match="the accuracy of 1 of 1 annotators is undefined: none of their cases has a second label"):
        found = ugt.dawid_skene(labels, model=model)
    assert (found.plausibilities.mean() == np.eye(3)[[0, 1, 2, 1]]).all()
    assert np.isnan(found.accuracy).all() and np.isnan(found.accuracy_error).all()
    with pytest.warns(RuntimeWarning, match="the accuracy of 1 of 3 annotators is undefined"):
        found = ugt.dawid_skene(ugt.Labels.from_wide([[0, 0, None], [1, 1, None], [None, None, 1]]), model=model, prior=1)
    assert np.isnan(found.accuracy).tolist() == [False, False, True]
    assert (ugt.annotators.glad(labels).plausibilities.mean().argmax(1) == [0, 1, 2, 1]).all()


DETERMINE = "the labels do not determine all parameters, so that standard errors of {} of {} annotators are NaN"
PAIRS = [[0, 0]] * 40 + [[1, 1]] * 30 + [[0, 1]] * 12 + [[1, 0]] * 8


@pytest.mark.filterwarnings("error")
def test_two_annotators_do_not_determine_their_confusions():
    labels = ugt.Labels.from_wide(PAIRS, classes=2)
    fits = [warned(DETERMINE.format(2, 2), ugt.dawid_skene, labels, seed=seed) for seed in range(3)]
    same([found.log_likelihood for found in fits], fits[0].log_likelihood, 1e-6)
    assert np.ptp([found.accuracy for found in fits], axis=0).min() > 0.01  # equally likely, and not alike
    assert all(np.isnan(found.accuracy_error).all() for found in fits)
    warned(DETERMINE.format(2, 2), ugt.dawid_skene, labels, model="ordinal")
    others = {"model": "one-coin"}, {"prior": 1}, {"known": {0: 0}}
    assert all(np.isfinite(ugt.dawid_skene(labels, **one).accuracy_error).all() for one in others)
    agreed = ugt.dawid_skene(ugt.Labels.from_wide(PAIRS[:70], classes=2))
    assert agreed.accuracy.tolist() == [1, 1]  # the only confusions that give these labels


@pytest.mark.filterwarnings("error")
def test_a_third_label_determines_the_confusions_of_its_group():
    alone = [[*row, None, None, None] for row in PAIRS]
    three = [[None, None, *row] for row in np.array(PAIRS)[:, [0, 1, 0]].tolist()]
    three += [[None, None, 0, 1, 1], [None, None, 1, 0, 0]] * 5
    found = warned(DETERMINE.format(2, 5), ugt.dawid_skene, ugt.Labels.from_wide(alone + three, classes=2))
    assert np.isnan(found.accuracy_error[:2]).all() and np.isfinite(found.accuracy_error[2:4]).all()
    linked = [[0, None, 0, None, None], [1, None, 1, None, None]] * 5
    ugt.dawid_skene(ugt.Labels.from_wide(alone + three + linked, classes=2))
    in_pairs = [[*row, None] for row in PAIRS] + [[None, *row] for row in PAIRS] + [[row[0], None, row[1]] for row in PAIRS]
    warned(DETERMINE.format(3, 3), ugt.dawid_skene, ugt.Labels.from_wide(in_pairs, classes=2))


def test_glad_knows_no_accuracy_of_annotators_who_share_no_case():
    labels = ugt.Labels.from_wide([[0, None], [1, None], [None, 1], [None, 0]] * 10, classes=2)
    with pytest.warns(RuntimeWarning, match="the accuracy of 2 of 2 annotators is undefined"):
        found = ugt.annotators.glad(labels)
    assert np.isnan(found.accuracy).all() and np.isnan(found.accuracy_error).all()
    assert np.isfinite(ugt.annotators.glad(labels, prevalence=[0.7, 0.3]).accuracy).all()  # labels that follow other shares are often wrong


def test_a_single_class_is_certain():
    labels = ugt.Labels.from_wide([[0, 0], [0, None]], classes=["only"])
    for found in (*(ugt.dawid_skene(labels, model=m, prior=p) for m in MODELS for p in (0, 1)), ugt.annotators.glad(labels)):
        assert (found.plausibilities.mean() == 1).all() and found.prevalence.tolist() == [1]
        assert (found.accuracy > 0.5).all()
    draws = ugt.annotators.dawid_skene_draws(labels, n_draws=40)
    assert (draws.plausibilities.mean() == 1).all() and (draws.accuracy_draws == 1).all()


def test_cases_and_annotators_without_labels():
    table = [[0, 0, None], [None, None, None], [1, 1, None], [1, 0, None]]
    labels = ugt.Labels.from_wide(table, classes=3)
    fits = [ugt.dawid_skene(labels, model=m, prior=p) for m in MODELS for p in (0, 1)]
    for found in (*fits, ugt.annotators.glad(labels)):
        assert found.left_out == {"case without labels": 1}
        assert np.isnan(found.plausibilities.mean()[1]).all() and found.plausibilities.defined.tolist() == [True, False, True, True]
        assert found.n_labels.tolist() == [3, 3, 0]
        assert np.isfinite(found.trace).all()
    assert np.isnan(fits[0].accuracy[2]) and np.isnan(fits[2].accuracy[2])
    assert np.isnan(fits[0].confusion(2)).all()
    same(fits[1].confusion(2), np.full((3, 3), 1 / 3))  # the prior alone
    glad = ugt.annotators.glad(labels)
    assert glad.ability[2] == 1 and glad.ability_error[2] == 1 and np.isnan(glad.accuracy[2])  # the prior alone
    without = ugt.Labels.from_wide([[row[0], row[1]] for row in (table[0], table[2], table[3])], classes=3)
    same(fits[0].objective.max(), ugt.dawid_skene(without).objective.max(), 1e-9)
    assert ugt.dawid_skene(without).left_out == {}


def test_classes_that_hardly_matter_are_not_listed():
    labels = labels_of(n=30, n_annotators=12, n_classes=4, right=0.9, share=1.0, seed=2)
    found = ugt.dawid_skene(labels, model="one-coin", prior=1)
    mean = np.nan_to_num(found.plausibilities.mean())
    q = twin.classes(twin.cases_of(labels), [found.confusion(a) for a in labels.annotators], found.prevalence)[0]
    same(mean, q, 5e-12)
    assert 0 < ((q > 0) & (q < 1e-13)).sum() <= ((q > 0) & (mean == 0)).sum() < (q > 0).sum()
    assert (found.plausibilities.value >= 1e-12).all()
    same(np.nansum(mean, 1)[np.arange(30) != 3], 1)


# ---- order does not matter
@pytest.mark.parametrize("model", MODELS)
def test_order_of_cases_annotators_and_classes_does_not_matter(model):
    ids = np.array([f"p{i}" for i in range(30)])
    labels = labels_of(n=30, case_ids=ids, seed=7)
    rng = np.random.default_rng(0)
    case = np.repeat(labels.axes.case_ids, np.diff(labels.offsets))
    annotator, label = labels.annotators[labels.annotator], labels.label
    rows, names = rng.permutation(len(label)), rng.permutation(4)
    mixed = ugt.Labels.from_long(case[rows], 100 - annotator[rows], names[label[rows]], classes=4, cases=rng.permutation(ids))
    options = {"prior": (1, 0.2, 1), "n_restarts": 0, "tolerance": 1e-12, "max_iter": 5000}
    one, other = (ugt.dawid_skene(each, model=model, **options) for each in (labels, mixed))
    at = [mixed.axes.case_ids.tolist().index(i) for i in ids]
    same(one.plausibilities.mean(), other.plausibilities.mean()[at][:, names], 1e-9)
    same(one.objective, other.objective, 1e-9)
    same(one.confusion(2), other.confusion(98)[np.ix_(names, names)], 1e-9)
    glad_one, glad_other = (ugt.annotators.glad(each, tolerance=1e-13, max_iter=5000) for each in (labels, mixed))
    same(glad_one.plausibilities.mean(), glad_other.plausibilities.mean()[at][:, names], 1e-8)
    same(glad_one.difficulty, glad_other.difficulty[at], 1e-6)


def test_a_cases_restarts_do_not_depend_on_its_place():
    labels = labels_of(n=30, seed=7)
    given, turned = GivenLabels(labels), GivenLabels(dataclasses.replace(labels, axes=labels.axes))
    q = given.start(5, 3)
    assert q.tobytes() == turned.start(5, 3).tobytes() != given.start(5, 2).tobytes()
    back = ugt.Labels.from_long(
        np.repeat(labels.axes.case_ids, np.diff(labels.offsets))[::-1], labels.annotator[::-1], labels.label[::-1], classes=4,
        cases=labels.axes.case_ids[::-1],
    )  # fmt: skip
    other = GivenLabels(back)
    r = other.start(5, 3)
    for i in range(30):
        j = 29 - i
        np.testing.assert_array_equal(q[given.offsets[i] : given.offsets[i + 1]], r[other.offsets[j] : other.offsets[j + 1]])
    sums = np.add.reduceat(np.append(q, 0.0), given.offsets[:-1])
    same(sums[np.diff(given.offsets) > 0], 1)


# ---- crowd-kit
def test_crowd_kit_agrees():
    aggregation = pytest.importorskip("crowdkit.aggregation")
    pandas = pytest.importorskip("pandas")
    labels = labels_of(n=300, n_annotators=8, n_classes=3, right=0.75, repeats=0, seed=1)
    row = np.repeat(np.arange(300), np.diff(labels.offsets))
    frame = pandas.DataFrame({"task": row, "worker": labels.annotator, "label": labels.label})
    theirs = aggregation.DawidSkene(n_iter=20, tol=-1.0).fit(frame)  # never stops by itself
    ours = ugt.dawid_skene(labels, n_restarts=0, tolerance=0, max_iter=19)
    expected = theirs.probas_.reindex(range(300), columns=range(3)).to_numpy()
    labelled = ~np.isnan(expected[:, 0])
    same(ours.plausibilities.mean()[labelled], expected[labelled], 1e-8)
    after = ugt.dawid_skene(labels, n_restarts=0, tolerance=0, max_iter=20)  # their last step is an M-step
    same(after.prevalence, theirs.priors_.reindex(range(3)).to_numpy(), 1e-8)
    for j, a in enumerate(labels.annotators):
        same(after.confusion(a).T, theirs.errors_.loc[j].reindex(range(3), columns=range(3)).to_numpy(), 1e-8)
    glad = aggregation.GLAD(n_iter=100, tol=1e-9, silent=True).fit(frame)
    expected = glad.probas_.reindex(range(300), columns=range(3)).to_numpy()
    found = ugt.annotators.glad(labels, tolerance=1e-11, max_iter=10_000)
    # its rule stops it early, so that its answer is near the maximum but not at it; ours is higher under the same model
    ability, shares, prior = glad.alphas_.reindex(range(8)).to_numpy(), np.full(3, 1 / 3), (1, 1, 1, 1)
    easiness = glad.betas_.reindex(range(300)).fillna(1.0).to_numpy()
    cases = twin.cases_of(labels)
    assert found.trace[-1] - 5 < twin.glad_objective(cases, ability, easiness, shares, prior) < found.trace[-1]
    same(found.plausibilities.mean()[labelled], expected[labelled], 0.1)
    assert np.corrcoef(found.ability, ability)[0, 1] > 0.99


# ---- draws
def test_draws_have_the_same_bytes_for_any_number_of_threads_and_order_of_cases():
    labels = labels_of(n=20, n_classes=3, seed=9)
    for candidates in ("all", "seen"):
        options = {"candidates": candidates, "n_draws": 80, "n_warmup": 20, "seed": 4}
        one, two = (ugt.annotators.dawid_skene_draws(labels, n_threads=n, **options) for n in (1, 3))
        assert one.plausibilities.values.tobytes() == two.plausibilities.values.tobytes()
        assert one.accuracy_draws.tobytes() == two.accuracy_draws.tobytes()
        other = ugt.annotators.dawid_skene_draws(labels, **{**options, "seed": 5})
        assert one.accuracy_draws.tobytes() != other.accuracy_draws.tobytes()
        # the same rows with the cases the other way round; numbers of the annotators stay
        order = np.arange(20)[::-1]
        at = np.concatenate([np.arange(labels.offsets[i], labels.offsets[i + 1]) for i in order])
        ends = np.concatenate([[0], np.cumsum(np.diff(labels.offsets)[order])])
        turned = dataclasses.replace(
            labels, axes=labels.axes.take(order), offsets=ends, annotator=labels.annotator[at], label=labels.label[at]
        )
        back = ugt.annotators.dawid_skene_draws(turned, **options)
        assert back.accuracy_draws.tobytes() == one.accuracy_draws.tobytes()
        assert back.plausibilities.take(order).draws(80).tobytes() == one.plausibilities.draws(80).tobytes()


def test_draws_are_what_they_are_said_to_be():
    labels = labels_of(n=20, n_classes=3, seed=9)
    options = {"n_draws": 120, "n_warmup": 30, "n_chains": 3, "n_thin": 2, "prior": (3, 1, 1)}
    found = ugt.annotators.dawid_skene_draws(labels, **options)
    assert found.plausibilities.n_draws == 120 and found.plausibilities.n_chains == 3 and found.n_chains == 3
    values = found.plausibilities.draws(120)
    assert np.isnan(values[3]).all() and found.left_out == {"case without labels": 1}
    kept = np.arange(20) != 3
    same(values[kept].sum(2), 1)
    drawn = ugt.annotators.dawid_skene_draws(labels, drawn="classes", **options)
    assert np.isin(drawn.plausibilities.draws(120)[kept], [0, 1]).all()
    assert drawn.accuracy_draws.tobytes() == found.accuracy_draws.tobytes()
    same(drawn.plausibilities.mean()[kept], values[kept].mean(1), 0.35)
    same(found.accuracy, found.accuracy_draws.mean(0))
    same(found.accuracy_error, found.accuracy_draws.std(0, ddof=1))
    same(found.prevalence_draws.sum(1), 1)
    for a in labels.annotators:
        same(found.confusion(a).sum(1), 1)
    assert len(found.diagnostics.rhat) == len(labels.annotators) + 3
    fit = ugt.dawid_skene(labels, prior=(2, 0.1, 0.1))
    best, mean = np.nan_to_num(fit.plausibilities.mean()), np.nan_to_num(found.plausibilities.mean())
    assert (best.argmax(1) == mean.argmax(1)).mean() > 0.8


def test_draws_of_cells_that_nobody_saw_follow_the_prior():
    labels = ugt.Labels.from_long([0, 1], ["a", "b"], [0, 1], classes=5)
    found = ugt.annotators.dawid_skene_draws(labels, prior=(2, 1, 1), candidates="seen", n_draws=40)
    matrix = found.confusion("a")
    same(matrix[3], [1 / 6, 1 / 6, 1 / 6, 2 / 6, 1 / 6])  # no cell of it was drawn
    same(matrix[0, 1:], np.full(4, (1 - matrix[0, 0]) / 4))


def test_chains_that_have_not_mixed_are_reported():
    labels = labels_of(n=60, n_annotators=6, n_classes=2, right=0.9, share=1, seed=1)
    with pytest.warns(
        RuntimeWarning,
        match=r"chains have not mixed well in \d+ of 8 parameters .* effective draws per chain; .* \(chains may have exchanged classes\)",
    ):
        ugt.annotators.dawid_skene_draws(labels, prior=(1, 1, 1), n_draws=40, n_warmup=0, n_chains=4, seed=3)


# ---- records
def test_records_survive_pickling_and_are_frozen():
    labels = labels_of(n=10)
    for found in (ugt.dawid_skene(labels, prior=1), ugt.annotators.glad(labels), ugt.annotators.dawid_skene_draws(labels, n_draws=20)):
        again = pickle.loads(pickle.dumps(found))
        assert again.accuracy.tobytes() == found.accuracy.tobytes() and repr(again) == repr(found)
        with pytest.raises(ValueError, match=r"read-only"):
            found.accuracy[0] = 1
        with pytest.raises(dataclasses.FrozenInstanceError):
            found.accuracy = 1
    same(ugt.truth.annotation_certainty(found.plausibilities).per_case.shape, (10,))


def test_plausibilities_go_into_evaluations():
    labels = labels_of(n=25, n_classes=3, right=0.9)
    scores = np.random.default_rng(0).random((25, 3))
    for found in (ugt.dawid_skene(labels), ugt.annotators.dawid_skene_draws(labels, n_draws=80)):
        value = ugt.ua_topk_accuracy(found.plausibilities, scores, k=1).value
        assert 0 <= value <= 1
    seen = ugt.annotators.dawid_skene_draws(labels, n_draws=80, candidates="seen")
    assert 0 <= ugt.ua_topk_accuracy(seen.plausibilities, scores, k=1).value <= 1


# ---- bad input
@pytest.mark.parametrize("fit", [ugt.dawid_skene, ugt.annotators.glad, ugt.annotators.dawid_skene_draws])
def test_labels_that_will_not_do(fit):
    counts = ugt.Labels.from_counts([[0, 0], [3, 1]], case_ids=["x", "y"])
    refused(r"labels must name the annotator of each label\. Got counts without annotators, first at case 'y'", fit, counts)
    refused(r"labels must hold at least one label\. Got 0", fit, ugt.Labels.from_wide([[None, None]], classes=2))
    for wrong in ([[1, 0]], ugt.Rankings.from_blocks([[[[0]]]], n_classes=2)):
        refused(r"labels must be Labels\. Got (list|Rankings)", fit, wrong, error=TypeError)


FITS = (ugt.dawid_skene, ugt.annotators.glad)
BAD = [
    (ugt.dawid_skene, {"model": "two-coin"}, r"model must be one of 'full', 'one-coin'"),
    (ugt.dawid_skene, {"candidates": "given"}, r"candidates must be one of 'all', 'seen'"),
    (ugt.dawid_skene, {"model": "one-coin", "candidates": "seen"}, r"candidates must be 'all' for model 'one-coin'"),
    (ugt.dawid_skene, {"prior": (1, 1)}, r"prior must be a number or \(diagonal, off_diagonal, prevalence\)"),
    *((ugt.dawid_skene, {"prior": bad}, r"prior must be a finite number of at least 0\. Got") for bad in (-1, (1, NAN, 1), "flat")),
    *((fit, {"n_restarts": n}, r"n_restarts must be a whole number from 0 to 1000000") for n in (-1, 2**63 - 2) for fit in FITS),
    *(
        (fit, {"prior": 1e308}, r"prior must be at most 1e\+15\. Got 1e\+308")
        for fit in (ugt.dawid_skene, ugt.annotators.dawid_skene_draws)
    ),
    *(
        (ugt.annotators.glad, {"prior": bad}, r"prior must have means from -100 to 100 and .* Got \(")
        for bad in ((1e308, 1, 1, 1), (1, 1e-9, 1, 1))
    ),
    (ugt.dawid_skene, {"max_iter": 0}, r"max_iter must be a whole number of at least 1"),
    (ugt.dawid_skene, {"tolerance": -1e-9}, r"tolerance must be a finite number of at least 0"),
    (ugt.dawid_skene, {"n_threads": 0}, r"n_threads must be a whole number of at least 1"),
    (ugt.annotators.glad, {"prior": 1.0}, r"prior must be \(ability mean, ability sd, easiness mean, easiness sd\)"),
    (ugt.annotators.glad, {"prior": (1, 0, 1, 1)}, r"prior must be a finite number above 0"),
    (ugt.annotators.glad, {"prior": (NAN, 1, 1, 1)}, r"prior must be a finite number"),
    *(
        (ugt.annotators.glad, {"prevalence": bad}, r"prevalence must be 'uniform' or 4 numbers of at least 0")
        for bad in ([0.5, 0.5], [1, 1, 1, -1])
    ),
    (
        ugt.annotators.glad,
        {"prevalence": [0, 1, 1, 1]},
        r"prevalence must be above 0 for classes among the labels\. Got 0, first at class 0",
    ),
    (ugt.annotators.glad, {"n_restarts": 1.5}, r"n_restarts must be a whole number"),
    (ugt.annotators.dawid_skene_draws, {"prior": 0}, r"prior must be a finite number above 0"),
    (ugt.annotators.dawid_skene_draws, {"drawn": "labels"}, r"drawn must be one of 'probabilities', 'classes'"),
    (ugt.annotators.dawid_skene_draws, {"n_draws": 10}, r"n_draws must be a multiple of n_chains=4"),
    (ugt.annotators.dawid_skene_draws, {"n_warmup": -1}, r"n_warmup must be a whole number of at least 0"),
]


@pytest.mark.parametrize("fit, options, message", BAD)
def test_options_that_will_not_do(fit, options, message):
    refused(message, fit, labels_of(), **options)


def test_more_cells_than_memory_are_refused(monkeypatch):
    monkeypatch.setattr(em_module, "MOST_CELLS", 20)
    refused(r"candidates must be 'seen' if .* more than 20 cells\. Got 'all' and \d+ cells", ugt.dawid_skene, labels_of(), prior=1)


def test_confusions_that_are_not_there():
    found = ugt.dawid_skene(labels_of())
    refused(r"annotator must be one of the 5 annotators\. Got 'x'", found.confusion, "x")
    refused(r"model must have confusion matrices\. Got 'glad'", ugt.annotators.glad(labels_of()).confusion, 0)


def test_the_core_checks_what_it_reads():
    one = np.zeros(1, np.int32)
    offsets = np.array([0, 1])
    for annotator, label, given in ((1, 0, 0), (-1, 0, 0), (0, 2, 0), (0, -1, 0), (0, 0, 2)):
        table = _em.Table(offsets, one + annotator, one + label, None, offsets, one + given, 1, 2)
        refused(r"outside its array", _em.Confusions, table, 0)
    good = _em.Table(offsets, one, one, None, offsets, one, 1, 2)
    for entry in (-1, 1):
        refused(r"outside its array", _em.Coins, good, one + entry)
    refused(r"do not fit together", _em.Table, offsets, one, np.zeros(2, np.int32), None, offsets, one, 1, 2)
    refused(r"must not decrease", _em.Table, np.array([0, 2, 1]), one, one, None, np.array([0, 1, 1]), one, 1, 2)
    shape = _em.Confusions(good, 1)
    refused(r"do not fit", shape.expect, np.ones(1), np.ones(2), np.ones(2), np.ones(2))


# ---- judged by itself
@pytest.mark.filterwarnings("error")
def test_a_model_among_the_annotators_is_reported():
    labels = ugt.Labels.from_long([1, 1, 2, 2], ["ann", "resnet", "ann", "vit"], [0, 1, 1, 1])
    with pytest.warns(UserWarning, match=r"'resnet', 'vit' is the name of a model and of an annotator") as caught:
        assert annotators.warn_if_judged(labels, ["vgg", "resnet", "vit"]) == ["resnet", "vit"]
    assert caught[0].filename == __file__
    assert annotators.warn_if_judged(labels, {"vgg": None}) == []
    assert annotators.warn_if_judged(ugt.Labels.from_counts([[1, 2]]), ["0"]) == []
    assert annotators.warn_if_judged(np.zeros((2, 2)), ["0"]) == []
    with pytest.warns(UserWarning, match=r"'7' is the name"):
        annotators.warn_if_judged(ugt.Labels.from_long([1], [7], [0]), ["7"])
