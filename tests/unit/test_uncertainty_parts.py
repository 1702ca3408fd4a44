"""What is open about one more judgement, in two parts: beside slow twins and draws, in the limits, and what further labels settle."""

import numpy as np
import pytest
from refusals import refused
from twins.uncertainty import annotation_after, inherent, total

import ugt
from ugt.truth import uncertainty_parts

LOSSES = ("log", "quadratic", "zero_one")
TABLE = np.array([[3.5, 3.5, 0.5, 0.5], [2.0, 1.0, 0.7, 0.4], [0.1, 0.1, 0.1, 5.1], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 3.0, 0.0]])
each_loss = pytest.mark.parametrize("loss", LOSSES)


def labelled(counts, **options):
    return ugt.dirichlet(ugt.Labels.from_counts(counts), **options)


def with_annotators(n=40, seed=3):
    """Labels of five annotators, a fifth of which is missing."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(3, 0.5), n)
    wide = np.array([rng.choice(3, 5, p=p) for p in law])
    wide[rng.random(wide.shape) < 0.2] = -1
    return ugt.Labels.from_wide(wide, classes=3, missing=-1)


@each_loss
def test_beside_the_slow_twin(loss):
    found = uncertainty_parts(ugt.Dirichlet.from_array(TABLE), loss=loss)
    for i, row in enumerate(TABLE):
        assert found.per_case[i] == pytest.approx(total(row, loss), abs=1e-12)
        assert found.inherent_per_case[i] == pytest.approx(inherent(row, loss), abs=1e-8)
    assert found.value == found.total == pytest.approx(found.per_case.mean())
    assert found.inherent_share == pytest.approx(found.inherent_per_case.sum() / found.per_case.sum())
    assert found.mc_errors == (0.0, 0.0, 0.0) and found.loss == loss and found.n_cases == 5


@each_loss
@pytest.mark.parametrize("seed", range(5))
def test_parts_add_up(loss, seed):
    rng = np.random.default_rng(seed)
    table = rng.gamma(rng.choice([0.1, 1, 30]), 3, (50, rng.integers(2, 8))) * (rng.random((50, 1)) < 0.9) + 1e-4
    for truth in (ugt.Dirichlet.from_array(table), ugt.Point.from_array(table), ugt.Draws.from_array(rng.dirichlet(np.ones(3), (9, 40)))):
        found = uncertainty_parts(truth, loss=loss)
        np.testing.assert_allclose(found.inherent_per_case + found.annotation_per_case, found.per_case, atol=1e-12, rtol=0)
        assert found.inherent + found.annotation == pytest.approx(found.total, abs=1e-12)
        assert (found.annotation_per_case >= 0).all() and (found.inherent_per_case >= 0).all()


@each_loss
def test_beside_a_million_draws(loss):
    posterior = ugt.Dirichlet.from_array(TABLE[:3])
    exact, drawn = uncertainty_parts(posterior, loss=loss), uncertainty_parts(ugt.Draws.from_array(posterior.draws(10**6)), loss=loss)
    for name, error in zip(("total", "inherent", "annotation"), drawn.mc_errors):
        assert abs(getattr(exact, name) - getattr(drawn, name)) < 6 * error < 0.004


@each_loss
def test_draws_have_an_error_that_covers(loss):
    """The annotation part varies less than the difference of independent parts would."""
    posterior = ugt.Dirichlet.from_array(TABLE)
    exact, z = uncertainty_parts(posterior, loss=loss), []
    for seed in range(60):
        found = uncertainty_parts(ugt.Draws.from_array(posterior.draws(4000, seed=seed)), loss=loss)
        z.append([(getattr(found, name) - getattr(exact, name)) / e for name, e in zip(("inherent", "annotation"), found.mc_errors[1:])])
    assert (np.std(z, axis=0) > 0.6).all() and (np.std(z, axis=0) < 1.5).all()


@each_loss
def test_ten_thousand_labels_settle_all_but_the_inherent_part(loss):
    counts = np.array([[7000, 2000, 1000], [10_000, 0, 0], [5000, 5000, 0]])
    found = uncertainty_parts(labelled(counts, prior=0.5), loss=loss)
    assert found.inherent_per_case == pytest.approx([total(row + 1e-9, loss) for row in counts], abs=0.006)
    assert (found.annotation_per_case < 0.005).all()


@each_loss
def test_without_labels_the_parts_are_those_of_the_prior(loss):
    """Of many classes that nobody named, each has the concentration of the prior."""
    counts = np.zeros((2, 6), int)
    counts[1, 2] = 3
    prior = ugt.Dirichlet.from_array(np.array([[0.4] * 6, [0.4, 0.4, 3.4, 0.4, 0.4, 0.4]]))
    post = ugt.Dirichlet(prior.axes, np.array([0, 0, 1]), np.array([2], np.int32), np.array([3.4]), 0.4)
    a, b = uncertainty_parts(post, loss=loss), uncertainty_parts(prior, loss=loss)
    np.testing.assert_allclose(a.inherent_per_case, b.inherent_per_case, atol=1e-12)
    np.testing.assert_allclose(a.settled(2).per_case, b.settled(2).per_case, atol=1e-12)
    assert b.inherent_per_case[0] == pytest.approx(inherent([0.4] * 6, loss), abs=1e-8)


def test_known_plausibilities_leave_nothing_to_annotations():
    found = uncertainty_parts([[0.5, 0.5], [1.0, 0.0], [np.nan, np.nan]])
    np.testing.assert_allclose(found.inherent_per_case, [np.log(2), 0, np.nan], atol=1e-15)
    assert found.annotation == 0 and found.inherent_share == 1 and found.left_out == {"case without annotations": 1}
    assert found.kinds().tolist() == ["ambiguous", "", ""]
    assert np.isnan(uncertainty_parts([[1.0, 0.0]]).inherent_share)


def test_one_annotation_says_nothing():
    """Of shares of labels in its case; of a posterior with a given prior if no case has two."""
    labels = ugt.Labels.from_counts([[1, 0], [1, 1], [0, 2], [0, 0]])
    found = uncertainty_parts(ugt.votes(labels))
    assert found.left_out == {"case without annotations": 1, "case with one annotation": 1} and found.n_cases == 2
    assert uncertainty_parts(ugt.dirichlet(labels, prior=0.5)).n_cases == 3
    single = ugt.dirichlet(ugt.Labels.from_counts([[1, 0], [0, 1]]), prior=0.5)
    with pytest.warns(RuntimeWarning, match="no case is left .no case has two annotations: 2"):
        found = uncertainty_parts(single)
    assert found.left_out == {"no case has two annotations": 2} and np.isnan(found.value) and np.isnan(found.mc_errors).all()
    assert np.isnan(found.interval(of="inherent")).all() and np.isnan(found.settled(2).value)
    some = ugt.dirichlet(labels, prior=0.5).take([0])
    assert uncertainty_parts(some).n_cases == 1  # the other cases have two


@each_loss
def test_posteriors_of_rankings(loss):
    rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[1], [0]]], [[[2], [0]]], [[[1]], [[1]], [[1]]]], classes=4)
    post = ugt.plackett_luce(rankings)
    found = uncertainty_parts(post, loss=loss)
    drawn = uncertainty_parts(ugt.Draws.from_array(post.draws(post.n_draws)), loss=loss)
    for name, own, error in zip(("total", "inherent", "annotation"), found.mc_errors, drawn.mc_errors):
        assert abs(getattr(found, name) - getattr(drawn, name)) < 6 * np.hypot(own, error)
    top_only = post.take([2])  # a Dirichlet posterior
    exact = uncertainty_parts(ugt.Dirichlet.from_array([[0.25, 3.25, 0.25, 0.25]]), loss=loss)
    found = uncertainty_parts(top_only, loss=loss)
    assert found.inherent == pytest.approx(exact.inherent, abs=6 * found.mc_errors[1] + 1e-9)
    with pytest.raises(TypeError, match="truth must be a Dirichlet"):
        found.settled(1)


# ---- further labels
@each_loss
@pytest.mark.parametrize("gamma", [1.0, 2.5])
def test_further_labels_beside_enumeration(loss, gamma):
    table = TABLE[[1, 3], :][:, [0, 3]] if loss == "zero_one" else TABLE[[1, 3]]
    found = uncertainty_parts(ugt.Dirichlet.from_array(table), loss=loss)
    for n in (1, 2):
        left = found.settled(n, reliability=gamma)
        for i, row in enumerate(table):
            assert left.left_per_case[i] == pytest.approx(annotation_after(row, loss, n, gamma), abs=1e-7)
        np.testing.assert_allclose(left.per_case + left.left_per_case, found.annotation_per_case, atol=1e-12)
    assert found.settled(0).value == 0


def test_further_labels_in_closed_form():
    found = uncertainty_parts(ugt.Dirichlet.from_array(TABLE), loss="quadratic")
    size = TABLE.sum(axis=1)
    for n in (1, 5, 20):
        np.testing.assert_allclose(found.settled(n).share[:4], n / (size + n)[:4], rtol=1e-12)
    curve = found.curve(20)
    assert len(curve) == 21 and curve[0] == pytest.approx(found.annotation) and (np.diff(curve) < 0).all()
    many = uncertainty_parts(ugt.Dirichlet.from_array(TABLE)).settled(10_000)
    assert many.left < 0.001 and many.value + many.left == pytest.approx(uncertainty_parts(ugt.Dirichlet.from_array(TABLE)).annotation)


def test_cases_are_ambiguous_or_under_annotated():
    found = uncertainty_parts(labelled([[10, 10], [1, 1], [1, 0], [10, 0]], prior=0.5))
    assert found.kinds().tolist() == ["ambiguous", "under-annotated", "under-annotated", "under-annotated"]
    assert uncertainty_parts(labelled([[3, 2], [2, 3]], prior=0.5)).kinds().tolist() == ["ambiguous"] * 2


# ---- intervals
@each_loss
def test_intervals_over_cases_and_annotators(loss):
    labels = with_annotators()
    given, fitted = (uncertainty_parts(ugt.dirichlet(labels, prior=prior), loss=loss) for prior in (0.5, "fit"))
    clusters = np.arange(40) // 4
    for found in (given, fitted):
        for name in found.statistic.names:
            value = found.statistic.estimate[found.statistic.names.index(name)]
            low, high = found.interval(of=name)
            assert low < value < high
            assert found.interval(of=name, clusters=clusters)[1] > value
            wide = found.interval(of=name, random=("cases", "annotators"))
            assert wide[0] <= low and wide[1] >= high
            assert found.two_way(of=name).n_annotators == 5
    wider = np.ptp(np.array([found.intervals() for found in (given, fitted)]), axis=2)
    assert (wider[1, [1, 2]] > wider[0, [1, 2]]).all()  # the fit of the prior varies, too


@each_loss
def test_without_each_annotator_is_as_computed_again(loss):
    labels = with_annotators(12)
    one = uncertainty_parts(ugt.dirichlet(labels, prior=0.5), loss=loss).statistic
    each = list(one.panel.without_each(np.arange(5), range(4)))
    for a, found in enumerate(each):
        weights = np.ones(5)
        weights[a] = 0
        again = uncertainty_parts(ugt.dirichlet(ugt.Labels.from_wide(_without(labels, a), classes=3, missing=-1), prior=0.5), loss=loss)
        np.testing.assert_allclose(found.values, again.statistic.estimate, rtol=1e-12)
        np.testing.assert_allclose(one.panel.judged_by(weights).estimate, again.statistic.estimate, rtol=1e-12)


def _without(labels, a):
    wide = np.full((labels.n_cases, 5), -1)
    wide[np.repeat(np.arange(labels.n_cases), np.diff(labels.offsets)), labels.annotator] = labels.label
    wide[:, a] = -1
    return wide


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: uncertainty_parts(ugt.Labels.from_counts([[1, 0]])), TypeError, r"truth must be plausibilities\. Got Labels"),
        (lambda: uncertainty_parts(ugt.truth.normal([[1, 2], [3, 5]], prior=(0, 1, 2, 1))), TypeError, r"truth must be plausibilities"),
        (lambda: uncertainty_parts([[1, 0]], loss="entropy"), ValueError, r"loss must be one of 'log', 'quadratic', 'zero_one'"),
        (lambda: uncertainty_parts([[1, 0]]).settled(1), TypeError, r"truth must be a Dirichlet.*Got Point"),
        (lambda: uncertainty_parts([[1, 0]]).settled(-1), ValueError, r"n_annotators must be a whole number of at least 0"),
        (lambda: uncertainty_parts([[1, 0]]).curve(-1), ValueError, r"most must be a whole number of at least 0"),
        (lambda: uncertainty_parts([[1, 0]]).settled(1, reliability=0), ValueError, r"reliability must be a finite number"),
    ],
)
def test_refused(call, kind, message):
    refused(message, call, error=kind)
