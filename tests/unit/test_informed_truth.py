"""Truths that are informed by a model, p(lambda | b, x): a prior of each case, posteriors as truths of metrics, and the note on circles."""

import numpy as np
import pytest
from refusals import refused

import ugt

RNG = np.random.default_rng(1)
P = RNG.dirichlet(np.ones(3), 40)
Y = np.array([[RNG.choice(3, p=q) for _ in range(3)] for q in P])
Y[7] = -1  # nobody labelled this case
LABELS = ugt.Labels.from_wide(Y, annotators=["a", "b", "c"], missing=-1, case_ids=[f"case {i}" for i in range(40)])
MODEL, OTHER = 0.7 * P + 0.1, RNG.dirichlet(np.ones(3), 40)
LAWS = ugt.calibration.AlphaCalibration().fit(MODEL, LABELS.counts()).distribution(MODEL)
NOTE = "The truth depends on the predictions of a model"


def warned(message, function, *given, **options):
    with pytest.warns(UserWarning, match=message):
        return function(*given, **options)


def informed(labels=LABELS, prior=LAWS, **options):
    return warned(NOTE, ugt.dirichlet, labels, prior=prior, **options)


def test_prior_of_each_case():
    found, after = informed(), LAWS.posterior(LABELS.counts())
    kept = np.arange(40) != 7
    np.testing.assert_allclose(found.mean()[kept], after.mean[kept], rtol=1e-12)
    assert np.isnan(found.mean()[7]).all()  # a model alone is no annotation
    again = informed(prior=LAWS.alpha, reliability=2.0)
    np.testing.assert_allclose(again.concentration.reshape(-1, 3), (LAWS.alpha + 2 * LABELS.counts())[kept], rtol=1e-12)
    one = informed(prior=np.full((40, 3), 0.4))
    np.testing.assert_array_equal(one.membership(1), ugt.dirichlet(LABELS, prior=0.4).membership(1))


def test_metrics_take_posteriors_as_truths():
    kept = np.arange(40) != 7
    truth, after = informed().take(np.flatnonzero(kept)), LAWS.posterior(LABELS.counts())
    single = ugt.calibration.label_posterior(LAWS.alpha, LABELS.counts())
    for record in (after, single):
        for metric, more, some in ((ugt.annotation_certainty, (), ()), (ugt.ua_topk_accuracy, (OTHER,), (OTHER[kept],))):
            found = warned(NOTE, metric, record, *more)
            np.testing.assert_allclose(found.per_case[kept], metric(truth, *some).per_case, atol=1e-12)
    named = warned(NOTE, after.plausibilities, case_ids=LABELS.axes.case_ids, classes=["x", "y", "z"])
    assert (named.axes.case_ids[3], named.axes.classes.tolist()) == ("case 3", ["x", "y", "z"])


@pytest.mark.parametrize("kind", ["dirichlet", "probability"])
def test_mixtures_become_draws_of_the_mixture(kind):
    members = np.stack([LAWS.alpha, 4 * OTHER + 0.5]) if kind == "dirichlet" else np.stack([MODEL, OTHER])
    found = ugt.calibration.label_posterior(members, LABELS.counts(), kind=kind, weights=[1, 2])
    n = 4000
    draws = warned(NOTE, found.plausibilities, n, seed=3)
    laws = (ugt.Dirichlet if kind == "dirichlet" else ugt.Point).from_array
    expected = sum(w[:, None] * laws(law).membership(1) for w, law in zip(found.weights, found.members))
    error = np.sqrt(expected * (1 - expected) / n)
    assert (np.abs(draws.membership(1) - expected) < 5 * error + 1e-9).all()
    assert (np.abs(draws.mean() - found.mean) < 5 * 0.5 / np.sqrt(n)).all()
    again = warned(NOTE, found.plausibilities, n, seed=3)
    np.testing.assert_array_equal(again.values, draws.values)
    assert ugt.ua_topk_accuracy(draws, OTHER).mc_error > 0


def test_labels_that_no_member_allows_leave_the_case_undefined():
    found = ugt.calibration.label_posterior([[[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]]], [[0, 1], [1, 0]], kind="probability")
    assert np.isnan(warned(NOTE, found.plausibilities, 5).mean()).all(1).tolist() == [True, False]
    found = ugt.calibration.label_posterior([[1.0, 0.0], [0.5, 0.5]], [[0, 1], [1, 0]])
    assert np.isnan(warned(NOTE, found.plausibilities).mean()).all(1).tolist() == [True, False]


@pytest.mark.parametrize("rows", [np.arange(40), np.array([5, 3, 9])])
@pytest.mark.parametrize("reliability", [1.0, {"a": 1.0, "b": 0.5, "c": 2.0}])
def test_the_prior_stays_with_its_case_when_annotators_are_left_out(rows, reliability):
    truth = informed(reliability=reliability).take(rows)
    less = Y.copy()
    less[:, 0] = -1
    without = ugt.Labels.from_wide(less, annotators=["a", "b", "c"], missing=-1, classes=[0, 1, 2], case_ids=LABELS.axes.case_ids)
    expected = informed(without, reliability=reliability).mean()[rows]
    np.testing.assert_allclose(truth.made_of.judged_by(np.array([0, 1, 1])).mean(), expected, rtol=1e-12)
    case, annotator, found = truth.made_of.without_each
    of_a = np.flatnonzero(annotator == 0)
    np.testing.assert_allclose(found.take(of_a).mean(), expected[case[of_a]], rtol=1e-12)
    low, high = ugt.ua_topk_accuracy(truth, OTHER[rows]).interval(random=("cases", "annotators"))
    assert low <= high


def test_evaluations_say_who_informed_the_truth():
    found = ugt.evaluate(informed(), {"own": MODEL, "hotter": MODEL**0.5, "other": OTHER}, k=1, n_resamples=20, details=False)
    (said,) = [note for note in map(str, found.notes) if note.startswith(NOTE)]
    assert said.endswith("own, hotter: the same order of classes as in the prior, in every case.")
    found = ugt.evaluate(ugt.dirichlet(LABELS), {"own": MODEL}, k=1, n_resamples=20, details=False)
    assert not any(note.startswith(NOTE) for note in map(str, found.notes))
    refused(
        r"prior must be one for all cases \(for one prior per case, evaluate the posterior .*Got a table",
        ugt.evaluate,
        LABELS,
        {"other": OTHER},
        prior=LAWS,
    )


@pytest.mark.parametrize(
    "prior, message",
    [
        (
            LAWS.alpha[:5],
            r"prior must be one number, 3 numbers \(one per class\), or a table \(40, 3\) with one row per case. Got shape \(5, 3\)",
        ),
        (np.where(np.arange(40)[:, None] == 4, -1.0, LAWS.alpha), "prior must be finite .*Got -1.0, first at class 0 of case 'case 4'"),
        (np.full((40, 3), np.nan), "prior must be finite .*Got nan, first at class 0 of case 'case 0'"),
    ],
)
def test_bad_priors_of_cases(prior, message):
    refused(message, ugt.dirichlet, LABELS, prior=prior)
