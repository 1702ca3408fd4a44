"""Predicted disagreement, statistics of several labels, and their losses: numbers, intervals, bad input."""

import math
import warnings

import numpy as np
import pytest
from refusals import refused, warned
from twins import histogram as twin
from twins.histogram_problems import problem

import ugt
from ugt import states

NAN = float("nan")


def test_predictions():
    _, probs = problem(1, n=20, k=4)
    found = ugt.calibration.predicted_disagreement(probs)
    pairs = [(a, b) for a in range(4) for b in range(4)]
    np.testing.assert_allclose(found.overall, [sum(z[a] * z[b] for a, b in pairs if a != b) for z in probs])
    for k in range(4):
        np.testing.assert_allclose(found.per_class[:, k], [sum(z[a] * z[b] for a, b in pairs if (a == k) != (b == k)) for z in probs])
    # Dirichlet: moments by simulation of z
    alpha = np.array([[0.5, 2.0, 1.5], [3.0, 0.0, 1.0]])
    draws = np.random.default_rng(0).dirichlet(alpha[0], 20_000)
    by_law = ugt.calibration.predicted_disagreement(alpha, kind="dirichlet")
    by_draws = ugt.calibration.predicted_disagreement(draws[:, None])  # an ensemble of as many members
    assert by_law.overall[0] == pytest.approx(by_draws.overall[0], abs=5 * 0.2 / np.sqrt(20_000))
    np.testing.assert_allclose(by_law.per_class[0], by_draws.per_class[0], atol=5 * 0.2 / np.sqrt(20_000))
    assert by_law.overall[1] == pytest.approx((4 / 5) * (1 - (9 + 1) / 16)) and by_law.per_class[1, 1] == 0
    single = ugt.calibration.predicted_disagreement(probs.astype(np.float32))
    np.testing.assert_allclose(single.overall, found.overall, atol=1e-6)
    assert single.overall.dtype == np.float64


def test_rounded_probabilities_predict_no_negative_disagreement():
    slack = [[1 + 1e-6, -1e-6], [1.0, 5e-5]]
    found = ugt.calibration.predicted_disagreement(slack)
    assert found.overall.min() == 0 == found.per_class.min()
    assert ugt.calibration.disagreement_losses([[2, 0], [3, 0]], found).l_phi == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("single_bins", ["zero", "plugin"])
@pytest.mark.parametrize("binning, n_bins", [("width", 15), ("mass", 4), ([0, 0.3, 0.5, 0.8, 1], 9)])
def test_losses_by_the_slow_twin(binning, n_bins, single_bins):
    counts, probs = problem(2, n=50, k=3)
    predicted = ugt.calibration.predicted_disagreement(probs)
    found = ugt.calibration.disagreement_losses(counts, predicted, binning=binning, n_bins=n_bins, single_bins=single_bins)
    statistics = [(lambda a, b: float(a != b), predicted.overall)]
    statistics += [(lambda a, b, k=k: float((a == k) != (b == k)), predicted.per_class[:, k]) for k in range(3)]
    losses = [found.l_phi, *found.l_per_class]
    plugin, debiased = ([getattr(found.cl, part), *getattr(found.cl_per_class, part)] for part in ("plugin", "debiased"))
    for j, (phi, values) in enumerate(statistics):
        edges = found.bin_edges[j].tolist()
        expected = twin.statistic_losses(counts.tolist(), values.tolist(), phi, 2, edges, single_bins)
        assert (losses[j], plugin[j], debiased[j]) == pytest.approx(expected, abs=1e-14)
    assert found.n_cases == (counts.sum(1) >= 2).sum() and (found.bin_counts.sum(1) == found.n_cases).all()
    assert found.left_out == {"case with fewer than two labels": (counts.sum(1) < 2).sum()}
    np.testing.assert_allclose(found.cl_per_bin.debiased.sum(1), debiased)
    assert found.l_mean == found.l_per_class.mean()
    roots = np.sqrt(np.where(np.array(debiased) >= 0, debiased, NAN))
    np.testing.assert_array_equal([found.ce, found.ce_mean], [roots[0], roots[1:].mean()])
    alone = ugt.calibration.disagreement_losses(counts, predicted.overall, binning=binning, n_bins=n_bins, single_bins=single_bins)
    assert alone.l_phi == found.l_phi and alone.l_per_class is None and alone.cl_per_class is None and math.isnan(alone.l_mean)
    assert math.isnan(alone.ce_mean)


def test_layouts():
    """Streams of counts of any kind are copied once: types, strides, read-only and byte order do not matter."""
    counts, probs = problem(3, n=30)
    expected = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs))
    probs.setflags(write=False)
    for table in (counts.astype(np.int8), counts.astype(">f8"), np.asfortranarray(counts), ugt.Labels.from_counts(counts), counts.tolist()):
        found = ugt.calibration.disagreement_losses(table, ugt.calibration.predicted_disagreement(np.asfortranarray(probs)))
        assert found.l_phi == pytest.approx(expected.l_phi, abs=1e-15) and found.cl.debiased == pytest.approx(
            expected.cl.debiased, abs=1e-15
        )
    yes = ugt.calibration.disagreement_losses(np.array([[True, True], [True, False]]), [0.5, 0.5])  # bool: one label each
    assert yes.observed.tolist()[0] == 1 and yes.n_cases == 1


def test_statistics():
    counts, _ = problem(4, n=25, k=3)
    for n, phi in ((1, lambda a: a), (2, lambda a, b: abs(a - b)), (3, lambda a, b, c: len({a, b, c}) == 2), (4, lambda *x: max(x))):
        found = ugt.calibration.symmetric_statistic(counts, phi, n)
        np.testing.assert_allclose(found, [twin.statistic(row, phi, n) for row in counts.tolist()], atol=1e-13)
    third = ugt.calibration.symmetric_statistic(counts, lambda a, b, c: a == b == c, 3)
    losses = ugt.calibration.disagreement_losses(counts, np.full(25, 0.3), statistic=third)
    assert losses.left_out == {"case without the statistic": np.isnan(third).sum()} and losses.n_cases == (~np.isnan(third)).sum()
    assert losses.l_phi == pytest.approx(np.nanmean(third * 0.49 + (1 - third) * 0.09))


@pytest.mark.parametrize("binning", ["width", "mass"])
def test_statistics_of_several_values(binning):
    """[B app. C]: how many of three labels are alike. Losses are sums of those of the values, each as a statistic of 0 and 1."""
    counts, probs = problem(4, n=60, k=3)
    phi = lambda a, b, c: [len({a, b, c}) == m for m in (1, 2, 3)]  # noqa: E731
    found = ugt.calibration.symmetric_statistic(counts, phi, 3)
    single = [ugt.calibration.symmetric_statistic(counts, lambda *said, m=m: len(set(said)) == m, 3) for m in (1, 2, 3)]
    np.testing.assert_allclose(found, np.stack(single, axis=1), atol=1e-14)
    options = {"n_bins": 4, "binning": binning, "weights": np.linspace(1, 2, 60)}
    losses = ugt.calibration.disagreement_losses(counts, probs, statistic=found, **options)
    each = [ugt.calibration.disagreement_losses(counts, z, statistic=m, **options) for z, m in zip(probs.T, single)]
    np.testing.assert_allclose(losses.l_per_class, [one.l_phi for one in each], atol=1e-14)
    assert losses.value == losses.l_phi == pytest.approx(sum(one.l_phi for one in each))
    for name in ("cl", "rl"):
        by_value = getattr(losses, f"{name}_per_class")
        for part in ("plugin", "bias", "debiased"):
            expected = [getattr(getattr(one, name), part) for one in each]
            np.testing.assert_allclose(getattr(by_value, part), expected, atol=1e-14)
            assert getattr(getattr(losses, name), part) == pytest.approx(sum(expected), abs=1e-14)
    assert losses.within == pytest.approx(sum(one.within for one in each), abs=1e-14)
    assert losses.calibration_error(1).value == pytest.approx(sum(one.ece for one in each))
    np.testing.assert_array_equal(losses.observed, found)
    assert (losses.n_cases, losses.left_out) == (each[0].n_cases, each[0].left_out) and losses.bin_edges.shape == (3, 5)
    one, step = losses.statistic, 1e-6 * np.eye(60)
    by_steps = np.where(one.kept[:, None], (one.values(1 + step) - one.estimate) / 1e-6, 0.0)
    np.testing.assert_allclose(one.influence(), by_steps, atol=1e-7)
    low, high = losses.interval(of="cl[1]", n_resamples=50)
    assert low < losses.cl_per_class.debiased[1] < high
    # two values: twice the losses of the 0 and 1
    both, z = np.stack([single[0], 1 - single[0]], axis=1), probs[:, 0]
    two = ugt.calibration.disagreement_losses(counts, np.stack([z, 1 - z], axis=1), statistic=both, binning=[0, 0.5, 1])
    assert two.l_phi == pytest.approx(2 * ugt.calibration.disagreement_losses(counts, z, statistic=single[0], binning=[0, 0.5, 1]).l_phi)
    if binning == "width":
        made = [
            states.partial("disagreement_losses", counts[at], probs[at], statistic=found[at], n_bins=4) for at in (slice(25), slice(25, 60))
        ]
        merged = states.finish(states.merge(made))
        expected = ugt.calibration.disagreement_losses(counts, probs, statistic=found, n_bins=4)
        assert merged.record.cl.debiased == pytest.approx(expected.cl.debiased) and merged.value == pytest.approx(expected.l_phi)


def test_reliability_curves():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet([1, 1, 1], 900)
    counts, predicted = np.array([rng.multinomial(4, p) for p in probs]), ugt.calibration.predicted_disagreement(probs)
    weights = rng.choice([1.0, 3.0], 900)
    for options, of_case in (({}, np.ones(900)), ({"weights": weights}, weights)):
        found = ugt.calibration.disagreement_losses(counts, predicted, n_bins=5, **options)
        for k, z, m in ((None, predicted.overall, found.observed), (2, predicted.per_class[:, 2], found.statistic.rows.share[:, 3])):
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                curve = found.reliability_curve(k)
            at = np.minimum((z * 5).astype(int), 4)
            there = np.unique(at)
            assert curve.n_cases.tolist() == np.bincount(at, minlength=5).tolist() and curve.of == "disagreement"
            for given, values in ((curve.mean_probability, z), (curve.label_share, m)):
                np.testing.assert_allclose(given[there], [np.average(values[at == b], weights=of_case[at == b]) for b in there])
            assert ((curve.low <= curve.label_share) & (curve.label_share <= curve.high))[there].all()
    assert found.statistic.pairs_per_case == 2.0  # that share no label, of four
    by_cluster, alone = (found.reliability_curve(**more) for more in ({"clusters": np.arange(900), "n_resamples": 400}, {}))
    ratio = (by_cluster.high - by_cluster.low)[:4] / (alone.high - alone.low)[:4]
    assert ((ratio > 0.6) & (ratio < 1.1)).all()  # six pairs of four labels tell more than two pairs
    three = ugt.calibration.symmetric_statistic(counts, lambda *said: [len(set(said)) == m for m in (1, 2, 3)], 3)
    of_values = ugt.calibration.disagreement_losses(counts, probs, statistic=three, n_bins=1)
    curve = of_values.reliability_curve(1)
    assert (curve.of, curve.label_share[0]) == ("statistic", pytest.approx(three[:, 1].mean()))
    overall = ugt.calibration.disagreement_losses(counts, predicted.overall, n_bins=1)
    merged = states.finish(states.partial("disagreement_losses", counts, predicted.overall, n_bins=1)).record.reliability_curve()
    assert merged.label_share == overall.reliability_curve().label_share  # how many labels is not known there: by cases
    assert (merged.high - merged.low)[0] >= (overall.reliability_curve().high - overall.reliability_curve().low)[0]
    refused("k must be the number of a value of the statistic, from 0 to 2. Got None", of_values.reliability_curve)
    refused("k must be None if predictions are not by class. Got 0", overall.reliability_curve, 0)
    for k in (-1, 3, "x"):
        refused("k must be a whole number", found.reliability_curve, k)
    few = ugt.calibration.disagreement_losses(counts[:5], predicted.overall[:5], n_bins=1)
    warned("^bin 0 of disagreement has fewer than 10 cases, too few to interpret", few.reliability_curve)


def test_nothing_left():
    with pytest.warns(RuntimeWarning, match="undefined: no case has enough labels"):
        found = ugt.calibration.disagreement_losses(
            [[1, 0], [0, 0]], ugt.calibration.predicted_disagreement([[0.5, 0.5]] * 2), binning="mass"
        )
    assert math.isnan(found.l_phi) and math.isnan(found.cl.debiased) and math.isnan(found.ce) and found.n_cases == 0
    assert np.isnan(found.interval(of="cl")).all() and (found.bin_counts == 0).all() and np.isnan(found.resamples().values).all()


def numbers_of(found):
    parts = [(getattr(found, name), getattr(found, f"{name}_per_class"), part) for name in ("cl", "rl") for part in ("debiased", "plugin")]
    columns = [[getattr(one, part), *getattr(by_class, part)] for one, by_class, part in parts]
    return np.stack([[found.l_phi, *found.l_per_class], *columns], axis=1).ravel()


def test_resamples_are_those_of_repeated_cases():
    counts, probs = problem(5, n=40)
    found = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs), n_bins=4)
    np.testing.assert_array_equal(found.statistic.estimate, numbers_of(found))
    kept = np.flatnonzero(counts.sum(1) >= 2)
    weights = ugt.resampling.Design.of(len(kept)).weights(2, 0, 30).astype(int)
    values = found.resamples(n_resamples=30, seed=2).values
    again = [kept.repeat(w) for w in weights]
    straight = np.array(
        [
            numbers_of(ugt.calibration.disagreement_losses(counts[at], ugt.calibration.predicted_disagreement(probs[at]), n_bins=4))
            for at in again
        ]
    )
    np.testing.assert_allclose(values[:, ::5], straight[:, ::5], atol=1e-13)
    for part in (1, 2, 3, 4):
        shifts = values[:, part::5] - straight[:, part::5]
        np.testing.assert_allclose(shifts, np.broadcast_to(shifts[0], (30, 4)), atol=1e-13)
        np.testing.assert_allclose(values[:, part::5].mean(0), numbers_of(found)[part::5], atol=1e-14)


def test_intervals():
    counts, probs = problem(6, n=120)
    found = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs))
    options = {"n_resamples": 200, "seed": 4}
    table = dict(zip(found.statistic.names, found.resamples(**options).interval(0.9)))
    assert list(table)[:6] == ["l_phi", "cl", "cl plugin", "rl", "rl plugin", "l_phi[0]"] and found.value == found.l_phi
    for name in ("l_phi", "cl", "cl plugin", "cl[2]", "cl[1] plugin"):
        assert found.interval(0.9, of=name, **options) == pytest.approx(tuple(table[name]), abs=1e-12)
    assert found.interval(0.9, of="ce[2]", **options) == pytest.approx(tuple(np.sqrt(np.maximum(table["cl[2]"], 0))), abs=1e-12)
    assert not np.isnan(found.interval(of="cl", kind="bca", n_resamples=20)).any()
    refused(r"of must be one of 'l_phi', 'cl', 'cl plugin', 'rl', 'rl plugin', 'l_phi\[0\]', .*Got 'el'", found.interval, of="el")
    refused(r"of must be one of", found.interval, of="cl[3]")


COUNTS, HALVES = [[2, 1]] * 2, [[0.5, 0.5]] * 2
predicted, losses = ugt.calibration.predicted_disagreement, ugt.calibration.disagreement_losses
BAD = {
    "prediction shape": (lambda: predicted([0.5, 0.5]), r"predictions must be numbers of shape .* of shape \(2,\)"),
    "prediction classes": (lambda: predicted([[1.0]]), r"predictions must be .*K at least 2"),
    "prediction text": (lambda: predicted([["a", "b"]]), r"predictions must be"),
    "prediction ragged": (lambda: predicted([[0.5, 0.5], [1.0]]), r"predictions must be"),
    "prediction masked": (lambda: predicted(np.ma.array(HALVES, mask=[[1, 0], [0, 0]])), r"predictions must be"),
    "prediction nan": (lambda: predicted([[0.5, 0.5], [NAN, 1]]), r"1 for every case\. Got \[nan, 1\.0\], first at case 1"),
    "prediction sum": (lambda: predicted([[0.5, 0.4]]), r"predictions must be probabilities that add up to 1 for every case"),
    "prediction above": (lambda: predicted([[1.5, -0.5]]), r"predictions must be probabilities"),
    "prediction hardly above": (lambda: predicted([[1.00005, 0.0]]), r"predictions must be probabilities"),
    "kind": (lambda: predicted(HALVES, kind="beta"), r"kind must be one of 'probability', 'dirichlet'\. Got 'beta'"),
    "alpha zero": (lambda: predicted([[0, 0]], kind="dirichlet"), r"predictions must be concentrations, .* Got \[0\.0, 0\.0\]"),
    "alpha negative": (lambda: predicted([[2, -1]], kind="dirichlet"), r"predictions must be concentrations"),
    "alpha inf": (lambda: predicted([[1e308, 1e308]], kind="dirichlet"), r"with a finite sum\. Got \[1e\+308, 1e\+308\]"),
    "counts fraction": (lambda: losses([[1.5, 2]], [0.5]), r"counts must be whole numbers\. Got 1\.5, first at case 0, class 0"),
    "counts negative": (lambda: losses([[3, -1]], [0.5]), r"counts must not be negative\. Got -1, first at case 0, class 1"),
    "counts nan": (lambda: losses([[NAN, 1]], [0.5]), r"counts must be finite numbers of at most 2\*\*53\. Got nan"),
    "counts classes": (lambda: losses([[1]], [0.5]), r"counts must have at least 2 classes\. Got 1"),
    "predicted shape": (lambda: losses(COUNTS, [0.5]), r"predicted must be 2 probabilities, one per case, or come from"),
    "predicted table": (lambda: losses(COUNTS, HALVES), r"predicted must be 2 probabilities, one per case, or come from"),
    "predicted ragged": (lambda: losses(COUNTS, [[0.5], [0.5, 0.5]]), r"predicted must be 2 probabilities"),
    "predicted nan": (lambda: losses(COUNTS, [0.5, NAN]), r"predicted must be from 0 to 1\. Got nan, first at case 1"),
    "predicted above": (lambda: losses(COUNTS, [1.5, 0.5]), r"predicted must be from 0 to 1\. Got 1\.5, first at case 0"),
    "predicted cases": (
        lambda: losses(COUNTS, predicted(HALVES[:1])),
        r"predicted must have 2 cases and 2 classes, as counts\. Got \(1, 2\)",
    ),
    "statistic shape": (lambda: losses(COUNTS, [0.5, 0.5], statistic=[1]), r"statistic must be 2 numbers from 0 to 1 or NaN"),
    "statistic above": (lambda: losses(COUNTS, [0.5, 0.5], statistic=[0, 2.5]), r"statistic must be .* Got 2\.5, first at case 1"),
    "statistic masked": (lambda: losses(COUNTS, [0.5, 0.5], statistic=np.ma.array([0, 1], mask=[0, 1])), r"statistic must be 2"),
    "statistic classes": (
        lambda: losses(COUNTS, predicted(HALVES), statistic=[0, 1]),
        r"predicted must be 2 probabilities, one per case\. Got",
    ),
    "single bins": (lambda: losses(COUNTS, [0.5, 0.5], single_bins="no"), r"single_bins must be one of"),
    "bins": (lambda: losses(COUNTS, [0.5, 0.5], n_bins=0), r"n_bins must be a whole number"),
    "n": (lambda: ugt.calibration.symmetric_statistic(COUNTS, max, 0), r"n must be a whole number of at least 1"),
    "many": (
        lambda: ugt.calibration.symmetric_statistic([[1] * 40], max, 5),
        r"n must be small enough for at most 100000 multisets of labels\. Got 1086008 of 5 out of 40",
    ),
    "phi": (
        lambda: ugt.calibration.symmetric_statistic(COUNTS, lambda a, b: "x", 2),
        r"phi must return one or several finite numbers\. Got 'x', first at labels \(0, 0\)",
    ),
    "phi nan": (
        lambda: ugt.calibration.symmetric_statistic(COUNTS, lambda a, b: NAN, 2),
        r"phi must return one or several finite numbers\. Got nan",
    ),
    "phi nothing": (
        lambda: ugt.calibration.symmetric_statistic(COUNTS, lambda a, b: [], 2),
        r"phi must return one or several finite numbers\. Got \[\]",
    ),
    "phi table": (
        lambda: ugt.calibration.symmetric_statistic(COUNTS, lambda a, b: [[1]], 2),
        r"phi must return one or several finite numbers\. Got \[\[1\]\]",
    ),
    "phi ragged": (
        lambda: ugt.calibration.symmetric_statistic(COUNTS, lambda a, b: [[1], [1, 2]], 2),
        r"phi must return one or several finite numbers",
    ),
    "phi of other lengths": (
        lambda: ugt.calibration.symmetric_statistic(COUNTS, lambda a, b: [1] * (1 + b), 2),
        r"phi must return as many numbers as for other labels, of shape \(1,\)\. Got shape \(2,\), first at labels \(0, 1\)",
    ),
    "values one": (lambda: losses(COUNTS, HALVES, statistic=[[1], [1]]), r"statistic must be .*Got int\d\d of shape \(2, 1\)"),
    "values sum": (
        lambda: losses(COUNTS, HALVES, statistic=[[0.5, 0.5], [1, 1]]),
        r"of the shares of M values, which add up to 1\. Got \[1\.0, 1\.0\], first at case 1",
    ),
    "values nan": (lambda: losses(COUNTS, HALVES, statistic=[[0.5, NAN], [1, 0]]), r"Got \[0\.5, nan\], first at case 0"),
    "values predicted": (
        lambda: losses(COUNTS, [0.5, 0.5], statistic=HALVES),
        r"predicted must be probabilities of the statistic's values, of shape \(2, 2\)",
    ),
    "values predicted sum": (lambda: losses(COUNTS, [[0.5, 0.5], [1, 1]], statistic=HALVES), r"Got a sum of 2, first at case 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    ask, message = BAD[name]
    refused(message, ask)


def test_names_of_cases_in_messages():
    labels = ugt.Labels.from_counts([[2, 1], [3, 0]], case_ids=["p1", "p2"])
    assert ugt.calibration.disagreement_losses(labels, [0.5, 0.5]).n_cases == 2


def test_multisets_up_to_the_most_are_computed(monkeypatch):
    """Six multisets of two labels out of three classes."""
    monkeypatch.setattr("ugt.calibration.pairs_of_labels.MAX_MULTISETS", 6)
    assert ugt.calibration.symmetric_statistic([[1, 1, 0]], max, 2).tolist() == [1.0]
    monkeypatch.setattr("ugt.calibration.pairs_of_labels.MAX_MULTISETS", 5)
    refused(r"at most 5 multisets of labels\. Got 6 of 2 out of 3 classes", ugt.calibration.symmetric_statistic, [[1, 1, 0]], max, 2)
