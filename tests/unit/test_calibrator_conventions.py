"""What all calibrators share: bad input, the choice of a penalty, parameters, JSON, copies, and life in scikit-learn."""

import numpy as np
import pytest
from refusals import refused
from twins import calibrators as twin
from twins.calibrators import problem

import ugt
from ugt.calibration import selection
from ugt.calibration.scaling import Objective, VectorMap

NAN, INF = float("nan"), float("inf")
SCALINGS = [ugt.calibration.TemperatureScaling, ugt.calibration.PlattScaling, ugt.calibration.VectorScaling, ugt.calibration.MatrixScaling]
ALL = [*SCALINGS, ugt.calibration.AlphaCalibration]


def changed(array, at, value, dtype=float):
    array = np.array(array, dtype)
    array[at] = value
    return array


# ---- bad input
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ALL)
def test_bad_counts(kind):
    given, counts = problem(kind)
    shape = rf"\(60, {counts.shape[1]}\)"
    must = rf"counts must be counts of shape {shape} like the predictions, or 60 class numbers\. Got "
    for bad, message in (
        (changed(counts, (7, 1), -1), r"counts must not be negative\. Got -1\.0, first at case 7, class 1\."),
        (changed(counts, (8, 0), 0.5), r"counts must be whole numbers \(or fractional=True\)\. Got 0\.5, first at case 8, class 0\."),
        (changed(counts, (9, 1), NAN), r"counts must be finite numbers of at most 2\*\*53\. Got nan, first at case 9, class 1\."),
        (changed(counts, (9, 1), INF), r"counts must be finite numbers of at most 2\*\*53\. Got inf, first at case 9, class 1\."),
        (changed(counts, (9, 1), 1e16), r"counts must be finite numbers of at most 2\*\*53\. Got 1e\+16, first at case 9, class 1\."),
        (counts[:-1], must + r"int\d\d of shape \(59, "),
        (counts.T, must),
        (counts[:, :1], must),
        (counts[:, 0].astype(float), must + r"float64 of shape \(60,\)\."),
        (counts.astype(str), must),
        (counts.astype(complex), must + "complex128"),
        (counts[None], must),
        (5, must),
        (None, must),
        (np.ma.masked_equal(counts, 1), must + "object"),
        ([[1, 2], [3]] * 30, r"counts must be (an array of numbers|counts of shape .*)\. Got (rows of different|object of shape)"),
        (np.full(60, 5), r"counts must be class numbers from 0 to \d\. Got 5, first at case 0\."),
        (changed(np.ones(60), 3, -1, int), r"counts must be class numbers from 0 to \d\. Got -1, first at case 3\."),
        (0 * counts, r"counts must hold labels( of both classes)?\. Got (none|labels of one class or none)\."),
    ):
        refused(message, kind().fit, given, bad)
    if kind in SCALINGS:
        assert kind(fractional=True).fit(given, counts + 0.5).converged_
        for bad in (-0.5, NAN):
            refused(rf"counts must .* Got {bad}, first at case 7, class 1", kind(fractional=True).fit, given, changed(counts, (7, 1), bad))


@pytest.mark.parametrize("kind", SCALINGS)
def test_bad_logits(kind):
    logits, counts = problem(kind)
    for value, got in ((NAN, "nan"), (INF, "inf"), (-INF, "-inf"), (-2e100, r"-2e\+100")):
        message = rf"predictions must be finite logits, at most 1e\+100\. Got {got}, first at case 5, class 1\."
        bad = changed(logits, (5, 1), value)
        bad[50, 0] = NAN
        refused(message, kind().fit, bad, counts)
        refused(message, kind().fit(logits, counts).transform, bad)
    # in a later block
    many = np.tile(logits, (1000, 1))
    many[50_000, 1] = NAN
    refused(r"Got nan, first at case 50000, class 1\.", kind().fit, many, np.tile(counts, (1000, 1)))


@pytest.mark.parametrize("kind", ALL)
def test_bad_probabilities(kind):
    own = kind if kind is ugt.calibration.AlphaCalibration else lambda: kind(input="probabilities")
    given, counts = problem(kind)
    z = np.apply_along_axis(twin.softmax, 1, given)
    outside = r"predictions must be probabilities from 0 to 1 \(within 1e-06\)\. Got {}, first at case 4, class 0\."
    sums = r"predictions must add up to 1 \(within 0\.0001\) for every case\. Got a sum of {}, first at case 4\."
    off = z.copy()
    off[4] *= 1.001
    for bad, message in (
        (changed(z, (4, 0), -0.1), outside.format(r"-0\.1")),
        (changed(z, (4, 0), 1.1), outside.format(r"1\.1")),
        (changed(z, (4, 0), NAN), outside.format("nan")),
        (changed(z, 4, 0), sums.format("0")),
        (off, sums.format(r"1\.001")),
    ):
        refused(message, own().fit, bad, counts)
    if kind is not ugt.calibration.AlphaCalibration:
        message = r"predictions must be above 0 \(or give floor=, such as 1e-12\)\. Got 0\.0, first at case 4, class 1\."
        refused(message, own().fit, changed(z, 4, np.eye(z.shape[1])[0]), counts)
        many = np.tile(z, (1000, 1))
        many[50_004] = np.eye(z.shape[1])[0]
        refused(r"predictions must be above 0 .* first at case 50004, class 1\.", own().fit, many, np.tile(counts, (1000, 1)))
    rounded = z * (1 + 5e-5)
    assert own().fit(rounded, counts).converged_


@pytest.mark.parametrize("kind", ALL)
def test_bad_shapes_and_weights(kind):
    given, counts = problem(kind)
    n = len(given)
    for bad, message in (
        (given[:, :1], r"predictions must have at least 2 classes\. Got 1\."),
        (given[:0], r"predictions must be numbers of shape \(N, K\), or \(N,\) for two classes\. Got float64 of shape \(0, "),
        (given[None], r"predictions must be numbers of shape"),
        (given.astype(complex), r"predictions must be numbers of shape .* Got complex128"),
        (given > 0, r"predictions must be numbers of shape .* Got bool"),
        (given.astype(str), r"predictions must be numbers of shape .* Got [<>]U"),
        (np.ma.masked_less(given, 0.2), r"predictions must be numbers of shape .* Got object"),
        (None, r"predictions must be numbers of shape .* Got object of shape \(\)\."),
    ):
        refused(message, kind().fit, bad, counts)
    for bad, message in (
        (np.ones(n - 1), rf"weights must be {n} numbers, one per case\. Got shape \({n - 1},\)\."),
        (np.ones((n, 1)), rf"weights must be {n} numbers, one per case\."),
        (["a"] * n, rf"weights must be {n} numbers, one per case\."),
        (np.ma.masked_equal(np.arange(n), 3), rf"weights must be {n} numbers, one per case\. Got object"),
        (changed(np.ones(n), 3, -1), r"weights must be finite and not negative\. Got -1\.0, first at case 3\."),
        (changed(np.ones(n), 3, NAN), r"weights must be finite and not negative\. Got nan, first at case 3\."),
        (changed(np.ones(n), 3, INF), r"weights must be finite and not negative\. Got inf, first at case 3\."),
        (np.zeros(n), r"weights must not all be 0\. Got zeros\."),
    ):
        refused(message, kind().fit, given, counts, weights=bad)
    fitted = kind().fit(given, counts)
    other = np.full((4, 5), 0.2)
    refused(rf"predictions must have {given.shape[1]} classes, as in the fit\. Got 5\.", fitted.transform, other)
    refused(rf"{kind.__name__} must be fitted first: call fit\.", kind().transform, given)


def test_bad_parameters():
    given, counts = problem(ugt.calibration.VectorScaling)
    scaling = r"must be a finite number of at least 0"
    for calibrator, message in (
        (ugt.calibration.TemperatureScaling(input="probs"), r"input must be one of 'logits', 'probabilities'\. Got 'probs'\."),
        (ugt.calibration.TemperatureScaling(floor=0), r"floor must be a finite number above 0\. Got 0\."),
        (ugt.calibration.TemperatureScaling(fractional="no"), r"fractional must be True or False\. Got 'no'\."),
        (ugt.calibration.PlattScaling(), r"predictions must have two classes for PlattScaling\. Got 3\."),
        (ugt.calibration.VectorScaling(penalty_b=-1), rf"penalty_b {scaling}\. Got -1\."),
        (ugt.calibration.VectorScaling(penalty_b=[1, NAN]), rf"penalty_b {scaling}\. Got nan\."),
        (ugt.calibration.VectorScaling(penalty_b=[]), r"penalty_b must be a number of at least 0, or several to choose from\. Got \[\]\."),
        (ugt.calibration.MatrixScaling(penalty_w="1"), rf"penalty_w {scaling}\. Got '1'\."),
        (
            ugt.calibration.MatrixScaling(penalty_b=None),
            r"penalty_b must be a number of at least 0, or several to choose from\. Got None\.",
        ),
        (ugt.calibration.VectorScaling(penalty_b=(1, 2), seed=-1), r"seed must be an int from 0 to 2\*\*64 - 1"),
        *(
            (
                ugt.calibration.VectorScaling(penalty_b=(1, 2), validation=v),
                r"validation must be a share .* or a number of folds from 2 to 60\. Got ",
            )
            for v in (0, 1, 61, 0.0, 1.0, 0.001, 0.999, NAN, True, "0.2", None)
        ),
    ):
        refused(message, calibrator.fit, given, counts)
    for clusters, message in (
        ([1, 2], r"clusters must be 60 ids, one per case\. Got shape \(2,\)\."),
        ([None] * 60, r"clusters must not be missing"),
    ):
        for calibrator in (
            ugt.calibration.TemperatureScaling(),
            ugt.calibration.VectorScaling(),
            ugt.calibration.VectorScaling(penalty_b=(1, 2)),
        ):
            refused(message, calibrator.fit, given, counts, clusters=clusters)
    with pytest.raises(ValueError, match=r"predictions must differ between cases with labels\. Got the same for all\."):
        ugt.calibration.PlattScaling().fit([1.0, 1.0, 2.0], [[1, 2], [2, 1], [0, 0]])
    refused(r"counts must hold labels of both classes\.", ugt.calibration.PlattScaling().fit, [1.0, 2.0], [[1, 0], [2, 0]])
    refused(r"counts must hold labels\. Got none\.", ugt.calibration.TemperatureScaling().fit(given, counts).score, given, 0 * counts)


# ---- the choice of a penalty
def test_parts_are_disjoint_and_keep_clusters_together():
    clusters = np.random.default_rng(0).integers(0, 40, 300)
    for ids in (None, clusters):
        n_units = 300 if ids is None else len(np.unique(ids))
        folds = selection.held_out(7, 300, ids, 3)
        np.testing.assert_array_equal(np.sum(folds, axis=0), 1)
        (share,) = selection.held_out(0.2, 300, ids, 3)
        for part, expected in [*((fold, n_units / 7) for fold in folds), (share, n_units / 5)]:
            units = np.arange(300) if ids is None else ids
            assert not set(units[part]) & set(units[~part])
            assert abs(len(set(units[part])) - expected) < 1
        np.testing.assert_array_equal(selection.held_out(0.2, 300, ids, 3)[0], share)
        assert (selection.held_out(0.2, 300, ids, 4)[0] != share).any()


@pytest.mark.parametrize("validation", [0.3, 4])
def test_the_path_is_the_held_out_loss(validation):
    logits, counts = problem(ugt.calibration.VectorScaling, 90)
    counts[:9] = 0
    clusters = np.arange(90) // 3
    chosen = ugt.calibration.VectorScaling(penalty_b=(0.01, 100.0, 1.0), validation=validation, seed=5).fit(
        logits, counts, clusters=clusters
    )
    by_id = {i: int(clusters[i]) for i in reversed(range(90))}
    again = ugt.calibration.VectorScaling(penalty_b=(0.01, 100.0, 1.0), validation=validation, seed=5).fit(logits, counts, clusters=by_id)
    assert again.path_ == chosen.path_
    parts = selection.held_out(validation, 90, clusters, 5)
    for item, penalty in zip(chosen.path_, (0.01, 100.0, 1.0)):
        total = labels = 0.0
        for out in parts:
            one = ugt.calibration.VectorScaling(penalty_b=penalty).fit(logits[~out], counts[~out])
            n = counts[out].sum()
            total += n * twin.loss(counts[out].tolist(), logits[out].tolist(), *twin.vector_map(one.scale_, one.shift_))
            labels += n
        assert item == {"penalty_b": penalty, "loss": pytest.approx(total / labels, rel=1e-7)}
    best = min(chosen.path_, key=lambda item: item["loss"])["penalty_b"]
    assert chosen.penalty_b_ == best
    again = ugt.calibration.VectorScaling(penalty_b=best).fit(logits, counts)
    np.testing.assert_array_equal(chosen.scale_, again.scale_)
    assert again.path_ == []
    same = ugt.calibration.VectorScaling(penalty_b=(0.01, 100.0, 1.0), validation=validation, seed=5).fit(logits, counts, clusters=clusters)
    assert same.path_ == chosen.path_
    other = ugt.calibration.VectorScaling(penalty_b=(0.01, 100.0, 1.0), validation=validation, seed=6).fit(
        logits, counts, clusters=clusters
    )
    assert other.path_ != chosen.path_


def test_pairs_of_penalties_and_those_without_a_best_map():
    logits, counts = problem(ugt.calibration.MatrixScaling, 90)
    chosen = ugt.calibration.MatrixScaling(penalty_w=(1, 10), penalty_b=np.array([0.1, 1.0])).fit(logits, counts)
    assert [(item["penalty_w"], item["penalty_b"]) for item in chosen.path_] == [(1.0, 0.1), (1.0, 1.0), (10.0, 0.1), (10.0, 1.0)]
    assert (chosen.penalty_w_, chosen.penalty_b_) in {(w, b) for w in (1.0, 10.0) for b in (0.1, 1.0)}
    counts[:, 2] = 0
    for validation in (0.2, 3):
        chosen = ugt.calibration.VectorScaling(penalty_b=(0, 0.1), validation=validation).fit(logits, counts)
        assert chosen.path_[0]["loss"] == INF
        assert np.isfinite(chosen.path_[1]["loss"])
        assert chosen.penalty_b_ == 0.1
        restored = ugt.calibration.load_calibrator(chosen.to_json())
        assert restored.path_ == chosen.path_
    refused(r"no finite map is best: .* Got no labels of class 2\.", ugt.calibration.VectorScaling(penalty_b=(0, 0.0)).fit, logits, counts)
    counts[:] = 0
    counts[3] = [1, 1, 1]
    refused(
        r"validation must leave labels on both sides of every split\. Got",
        ugt.calibration.VectorScaling(penalty_b=(0.2, 0.1)).fit,
        logits,
        counts,
    )


def test_a_start_elsewhere_ends_at_the_same_place():
    logits, counts = problem(ugt.calibration.VectorScaling)
    objective = Objective(VectorMap(3, 0.5), logits.T.copy(), counts.T.astype(float))
    found = objective.fit()
    np.testing.assert_allclose(objective.fit(found.theta + 2).theta, found.theta, atol=1e-6)
