"""The Dirichlet prior fitted to labels: against likelihoods in plain Python, at its edges, and where evaluations take it."""

import pickle

import numpy as np
import pytest
import twins.label_prior as twin
from refusals import refused
from scipy.stats import chi2
from scipy.stats import t as t_law

import ugt

COUNTS = [[4, 0, 1], [0, 5, 0], [2, 2, 1], [0, 1, 4], [5, 0, 0], [1, 0, 4], [1, 0, 0], [0, 0, 0]]


def of(counts, **options):
    return ugt.truth.fit_dirichlet_prior(ugt.Labels.from_counts(counts), **options)


def test_symmetric_prior_is_the_best_of_all():
    found = of(COUNTS)

    def likelihood(t):
        return twin.log_likelihood(COUNTS, [np.exp(t)] * 3)

    best = twin.highest(likelihood, -5, 3)
    assert found.value == pytest.approx(np.exp(best), rel=1e-6) and found.converged and found.at_edge == ""
    assert found.log_likelihood == pytest.approx(likelihood(best), abs=1e-10)
    assert found.log_likelihood_at(0.1) == pytest.approx(twin.log_likelihood(COUNTS, [0.1] * 3), abs=1e-10)
    assert found.log_likelihood_at([0.1, 2, 3]) == pytest.approx(twin.log_likelihood(COUNTS, [0.1, 2, 3]), abs=1e-10)
    for end in found.interval(0.9):
        assert likelihood(np.log(end)) == pytest.approx(found.log_likelihood - chi2.ppf(0.9, 1) / 2, abs=1e-6)
    assert found.left_out == {"case without labels": 1, "case with one label (shows nothing about a symmetric prior)": 1}
    assert found.n_cases == 6


def test_prior_of_each_class_is_the_best_of_all():
    found = of(COUNTS, per_class=True)
    assert found.converged and found.log_likelihood == pytest.approx(twin.log_likelihood(COUNTS, found.value), abs=1e-10)
    for k in range(3):
        for factor in (0.99, 1.01):
            moved = np.where(np.arange(3) == k, factor * found.value, found.value)
            assert twin.log_likelihood(COUNTS, moved) < found.log_likelihood
    low = found.interval()[1, 0]  # the others at their best, one after the other
    alpha = list(found.value)
    alpha[1] = low
    for _ in range(60):
        for k in (0, 2):
            alpha[k] = np.exp(twin.highest(lambda t, k=k: twin.log_likelihood(COUNTS, [*alpha[:k], np.exp(t), *alpha[k + 1 :]]), -6, 4))
    assert twin.log_likelihood(COUNTS, alpha) == pytest.approx(found.log_likelihood - chi2.ppf(0.95, 1) / 2, abs=1e-4)
    assert of([[*row[:2], 0, row[2]] for row in COUNTS], per_class=True).value[2] == 0


def test_sandwich_interval():
    found = of(COUNTS)
    step = 1e-4
    grid = [[twin.log_likelihood([row], [found.value * np.exp(s)] * 3) for row in COUNTS[:6]] for s in (-step, 0, step)]
    low, middle, high = np.array(grid)
    scores, curvature = (high - low) / (2 * step), ((high - 2 * middle + low) / step**2).sum()
    error = np.sqrt((scores**2).sum() * 6 / 5) / abs(curvature)
    assert np.log(found.interval(kind="sandwich")[1] / found.value) == pytest.approx(2.5705818 * error, rel=1e-4)
    each = of(COUNTS[:7], clusters=np.arange(7))
    assert each.interval() == pytest.approx(found.interval(kind="sandwich"), rel=1e-9)
    twice = of(COUNTS[:6] * 2, clusters=[*range(6)] * 2)
    assert twice.interval() == pytest.approx(found.interval(kind="sandwich"), rel=1e-6)


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize(
    ("counts", "edge", "value", "alpha"),
    [([[3, 0], [0, 2], [4, 0]], "zero", 0, 1e-9), ([[1, 1], [2, 2], [1, 2]], "infinity", np.inf, 1e9)],
)
def test_edges_are_said(counts, edge, value, alpha, per_class):
    with pytest.warns(RuntimeWarning, match=f"the fitted prior is {'0' if edge == 'zero' else 'infinite'}"):
        found = of(counts, per_class=per_class)
    assert found.at_edge == edge and np.all(found.value == value) and found.converged
    share = np.sum(counts, 0) / np.sum(counts) if per_class else np.full(2, 0.5)
    assert found.log_likelihood == pytest.approx(twin.log_likelihood(counts, (2 * alpha * share).tolist()), abs=1e-6)
    low, high = np.atleast_2d(found.interval())[0]
    assert (low == 0 and 0 < high < np.inf) if edge == "zero" else (low > 0 and high == np.inf)
    assert np.all(np.atleast_2d(found.interval(kind="sandwich")) == [0, np.inf])
    labels = ugt.Labels.from_counts(counts)
    if edge == "zero":
        assert ugt.dirichlet(labels, prior=found).mean()[0].tolist() == [1, 0]
    else:
        with pytest.raises(ValueError, match=r"prior must be finite: .* a fitted prior of infinity"):
            ugt.dirichlet(labels, prior=found)


def test_many_classes_and_large_counts():
    rng = np.random.default_rng(1)
    alpha = rng.gamma(0.5, 0.2, 300) + 1e-3
    counts = np.array([rng.multinomial(6, p) for p in rng.dirichlet(alpha, 400)])
    found = of(counts, per_class=True)
    assert found.converged and abs(np.log(found.value.sum() / alpha.sum())) < 0.2
    thousands = of(np.array(COUNTS[:6]) * 1000)
    assert thousands.converged and 0.01 < thousands.value < of(COUNTS).value


def test_where_it_is_taken():
    labels = ugt.Labels.from_counts(COUNTS[:6])
    found = ugt.truth.fit_dirichlet_prior(labels)
    expected = ugt.dirichlet(labels, prior=found.value).concentration
    for prior in ("fit", found, pickle.loads(pickle.dumps(found))):
        assert ugt.dirichlet(labels, prior=prior).concentration.tolist() == expected.tolist()
    for prior, count in (("fit", 1), (found, 1), (ugt.truth.fit_dirichlet_prior(labels, per_class=True), 3), (0.1, 0)):
        evaluated = ugt.evaluate(labels, {}, prior=prior, n_resamples=20, details=False)
        kept = evaluated.provenance.get("prior_fit")
        assert np.size(evaluated.provenance["parameters"]["prior"]) == max(count, 1)
        assert sum("prior was fitted" in note for note in map(str, evaluated.notes)) == (count > 0) == (kept is not None)
        assert kept is None or kept["gain"] == pytest.approx(2.165, abs=0.3)


def test_the_command_takes_it(command, write, capsys):
    rows = [f"{i},{a},{k}" for i, row in enumerate(COUNTS[:6]) for a, k in enumerate(np.repeat(range(3), row))]
    path = write("\n".join(["case,annotator,label", *rows]))
    value = of(COUNTS[:6]).value
    assert command("certainty", path, "--prior", "fit") == command("certainty", path, "--prior", repr(value))
    with pytest.raises(SystemExit):
        command("certainty", path, "--prior", "x")
    assert "--prior: must be a number or fit. Got 'x'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: of([[1, 0], [0, 1]]), r"labels must have a case with two labels: .* Got none\."),
        (lambda: of(COUNTS, per_class=1), "per_class must be True or False"),
        (lambda: of(COUNTS, clusters=[1, 2]), "clusters must be 8 ids, one per case"),
        (lambda: of(COUNTS).log_likelihood_at(0), "prior must be one number or 3, finite and above 0"),
        (lambda: of(COUNTS).interval(kind="wald"), "kind must be one of 'profile', 'sandwich'"),
        (lambda: of(COUNTS).interval(95), "level must"),
        (lambda: ugt.dirichlet(ugt.Labels.from_counts([[1, 1]]), prior=of(COUNTS)), "prior must be fitted to labels of 2 classes"),
        (lambda: ugt.dirichlet(ugt.Labels.from_counts([[1, 1, 0, 0]]), prior=of(COUNTS)), "fitted to labels of 4 classes. Got one of 3"),
        (lambda: ugt.dirichlet(ugt.Labels.from_counts([[1, 1]]), prior="fits"), "prior must be a finite number"),
        (lambda: ugt.evaluate(ugt.Labels.from_counts(COUNTS), {}, prior="fit", aggregation="prirn"), "prior must be a number unless the"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    with pytest.raises(TypeError, match=r"labels must be Labels\. Got list"):
        ugt.truth.fit_dirichlet_prior(COUNTS)


# ---- one row for many equal cases, and weights of cases
def drawn(n=40, seed=0, k=3, alpha=0.6):
    rng = np.random.default_rng(seed)
    counts = np.array([rng.multinomial(rng.integers(0, 6), p) for p in rng.dirichlet(np.full(k, alpha), n)])
    return counts, rng.integers(0, 5, n)


@pytest.mark.parametrize("per_class", [False, True])
def test_frequencies_are_repeated_rows(per_class):
    counts, times = drawn()
    fit = ugt.truth.fit_dirichlet_prior
    found = fit(ugt.Labels.from_counts(counts), per_class=per_class, frequency=times)
    expected = fit(ugt.Labels.from_counts(np.repeat(counts, times, axis=0)), per_class=per_class)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-7)
    assert (found.n_cases, found.left_out) == (expected.n_cases, expected.left_out)
    assert (found.log_likelihood, found.log_likelihood_at(0.3)) == pytest.approx((expected.log_likelihood, expected.log_likelihood_at(0.3)))
    for kind in ("profile", "sandwich"):
        np.testing.assert_allclose(found.interval(kind=kind), expected.interval(kind=kind), rtol=1e-5)
    split = fit(ugt.Labels.from_counts(np.tile(counts, (2, 1))), per_class=per_class, frequency=np.append(times // 2, times - times // 2))
    np.testing.assert_allclose(split.value, found.value, rtol=1e-7)


@pytest.mark.parametrize("per_class", [False, True])
def test_weights_of_cases_in_the_fit(per_class):
    counts, times = drawn(seed=1)
    labels, fit = ugt.Labels.from_counts(counts), ugt.truth.fit_dirichlet_prior
    found, copied = (fit(labels, per_class=per_class, **{name: times}) for name in ("case_weights", "frequency"))
    np.testing.assert_allclose(found.value, copied.value, rtol=1e-6)
    np.testing.assert_allclose(fit(labels, per_class=per_class, case_weights=1e-7 * times).interval(), found.interval(), rtol=1e-6)
    assert found.n_cases < copied.n_cases and found.left_out["case of weight 0"] == (times == 0).sum()
    # a sandwich by hand: scores of cases times weights, by differences of the log-likelihood
    if not per_class:
        w, value, h = times / times.mean(), found.value, 1e-5
        at = [[fit(labels, case_weights=np.eye(40)[i]).log_likelihood_at(value * np.exp(d)) / 40 for d in (-h, h)] for i in range(40)
              if counts[i].sum() > 1 and times[i] > 0]  # fmt: skip
        of = np.flatnonzero((counts.sum(axis=1) > 1) & (times > 0))
        z = w[of] * np.array([(high - low) / (2 * h) for low, high in at])
        ends = [found.log_likelihood_at(value * np.exp(d)) for d in (-1e-3, 0, 1e-3)]
        bread = -(ends[0] - 2 * ends[1] + ends[2]) / 1e-6
        n = len(of)
        error = np.sqrt(((z - z.mean()) ** 2).sum() * n / (n - 1)) / bread
        low, high = found.interval()
        assert np.log(high / low) == pytest.approx(2 * t_law.ppf(0.975, n - 1) * error, rel=1e-3)
    plain, equal = fit(labels, per_class=per_class), fit(labels, per_class=per_class, case_weights=np.full(40, 3.0))
    np.testing.assert_allclose(equal.value, plain.value, rtol=1e-6)
    np.testing.assert_allclose(equal.interval(), plain.interval(kind="sandwich"), rtol=1e-5)


def test_a_sample_with_many_of_the_doubtful_cases():
    """The fit with weights is that of the population; without them cases seem more doubtful than they are."""
    counts, _ = drawn(20_000, 2, 2, 0.3)
    doubtful = (counts > 0).all(axis=1)
    share = np.where(doubtful, 0.5, 0.05)
    some = np.random.default_rng(3).random(20_000) < share
    fit, labels = ugt.truth.fit_dirichlet_prior, ugt.Labels.from_counts(counts[some])
    known = fit(ugt.Labels.from_counts(counts)).value
    low, high = fit(labels, case_weights=1 / share[some]).interval()
    assert low < known < high and high < 1.4 * low
    assert fit(labels).interval()[0] > 1.5 * known


def test_edges_with_weights():
    with pytest.warns(RuntimeWarning, match="prior is 0"):
        found = ugt.truth.fit_dirichlet_prior(ugt.Labels.from_counts([[3, 0], [0, 5], [7, 0]]), case_weights=[0.1, 0.7, 0.3])
    assert found.at_edge == "zero"


def test_frequencies_and_weights_that_are_refused():
    labels, fit = ugt.Labels.from_counts([[3, 1], [0, 2], [1, 2]]), ugt.truth.fit_dirichlet_prior
    for given, got in (([1, -1, 2], "-1"), ([1, 2, 0.5], r"0\.5"), ([0, 0, 0], "0 for all")):
        refused(f"frequency must be whole numbers of at least 0, of which some are above 0. Got {got}", fit, labels, frequency=given)
    refused("case_weights must be finite numbers of at least 0", fit, labels, case_weights=[1, np.inf, 1])
    refused("case_weights must be left out with frequency=", fit, labels, frequency=[1, 1, 1], case_weights=[1, 1, 1])
    refused("clusters must be left out with frequency=", fit, labels, frequency=[1, 1, 1], clusters=[0, 0, 1])
    refused("kind must be 'sandwich' with weights of cases", fit(labels, case_weights=[1, 2, 3]).interval, kind="profile")
    refused("labels must have a case with two labels", fit, ugt.Labels.from_counts([[3, 1], [0, 1]]), case_weights=[0, 1])
    labels = ugt.Labels.from_counts([[5, 0], [0, 4], [1, 2]])
    prior = fit(labels, frequency=[2, 1, 3])
    found = ugt.ua_topk_accuracy(ugt.dirichlet(labels, prior=prior), [[0.6, 0.4]] * 3, frequency=[2, 1, 3])
    assert (
        found.n_cases == 6
        and found.interval()
        == ugt.ua_topk_accuracy(ugt.dirichlet(labels, prior=prior.value), [[0.6, 0.4]] * 3, frequency=[2, 1, 3]).interval()
    )
