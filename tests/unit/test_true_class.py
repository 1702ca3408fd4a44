"""Accuracy against the true class under named conditions: beside slow twins, and what is refused."""

import dataclasses
import math

import numpy as np
import pytest
import scipy
from refusals import refused, warned
from scipy.optimize import linprog
from twins import any_difficulty as programme
from twins import latent_class as twin

import ugt
from ugt.metrics import any_difficulty as any_difficulty_module
from ugt.metrics import latent_class
from ugt.metrics.latent import confusions, skills
from ugt.metrics.latent.goodness import g_squared
from ugt.metrics.latent.rows import LabelRows
from ugt.truth import true_class


def made(n=160, n_classes=3, n_annotators=3, seed=0, right=0.8, accuracy=0.9):
    """Labels and choices that are right with these probabilities."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n)
    other = (true[:, None] + rng.integers(1, n_classes, (n, n_annotators))) % n_classes
    said = np.where(rng.random((n, n_annotators)) < right, true[:, None], other)
    model = np.where(rng.random(n) < accuracy, true, (true + 1) % n_classes)
    return said, model


def found(said, model, n_classes=3, **options):
    labels = ugt.Labels.from_wide(said, classes=n_classes, missing=-1)
    return ugt.metrics.accuracy_bounds(labels, np.eye(n_classes)[model], **{"assume": "latent class", **options})


@pytest.mark.parametrize("form, n_classes", [("one accuracy", 3), ("one accuracy", 2), ("full", 2)])
def test_latent_class_beside_its_twin(form, n_classes):
    said, model = made(120, n_classes, right=0.8, seed=2)
    own = found(said, model, n_classes, form=form, least_cases=20)
    rows = [[int(c) for c in row] for row in said]
    low, high, lower, upper = twin.interval(rows, model.tolist(), n_classes, form, 20, 1.959964, np)
    assert (own.lower, own.upper) == pytest.approx((lower, upper), abs=1e-4)
    assert own.low == pytest.approx(low, abs=2e-3)
    assert own.high == pytest.approx(math.ceil(100 * high - 1e-2) / 100, abs=1e-9)
    assert own.form == form and own.reason == "" and own.determined


def test_the_form_follows_from_the_number_of_cases():
    assert found(*made(200)).form == "one accuracy" and found(*made(500)).form == "both"
    said, model = made(200, 2)
    both, full, one = (found(said, model, 2, form=form) for form in ("auto", "full", "one accuracy"))
    assert (both.low, both.high) == (min(full.low, one.low), max(full.high, one.high)) and both.form == "both"
    assert both.independent == full.independent and both.independent_high == max(full.independent_high, one.independent_high)


def test_one_accuracy_is_refuted_where_errors_depend_on_the_class():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 1500)
    rows = np.array([[0.9, 0.08, 0.02], [0.25, 0.6, 0.15], [0.02, 0.08, 0.9]])
    said = (rows[true].cumsum(1)[:, None, :] < rng.random((1500, 3, 1))).sum(2)
    refuted = found(said, true)
    assert refuted.p_one_accuracy < 1e-6 and refuted.form == "full"
    assert found(*made(600)).p_one_accuracy > 0.001
    assert math.isnan(found(*made(200)).p_one_accuracy)


def test_independent_errors_and_shared_ones():
    said, model = made(1500, right=0.75)
    own = found(said, model)
    assert own.independent_low < 0.9 < own.independent_high and not own.shares_errors
    said, _ = made(1500, n_annotators=5, right=0.75)
    vote = np.stack([(said == k).sum(1) for k in range(3)], axis=1).argmax(1)
    copied = found(said, vote)
    assert copied.shares_errors and copied.independent_low > copied.upper


def test_order_of_cases_and_names_of_classes_change_nothing():
    said, model = made(300)
    own = found(said, model)
    rng = np.random.default_rng(1)
    cases, classes = rng.permutation(300), rng.permutation(3)
    moved = found(classes[said[cases]], classes[model[cases]])
    for name in ("low", "high", "lower", "upper", "independent", "independent_low"):
        assert getattr(moved, name) == pytest.approx(getattr(own, name), abs=1e-5)


def test_missing_labels_and_annotators_alone():
    said, model = made(400, n_annotators=5)
    said[:200, 3:] = -1
    said[380:] = -1
    said[380:390, 4] = 0
    alone = np.full((400, 1), -1)
    alone[390:395] = 1
    own = found(np.concatenate([said, alone], axis=1), model)
    assert own.left_out == {
        "case without annotations": 5,
        "case with labels of such annotators only": 5,
        "annotator who shares no case with another": 1,
    }
    assert own.n_cases == 390 and own.low < 0.9 < own.high


def test_shared_errors_widen_the_interval_and_may_upset_a_claim():
    said, model = made(400)
    plain, shared = found(said, model), found(said, model, shared_error=0.05)
    assert (shared.low, shared.high) == pytest.approx((plain.low - 0.05, min(1.0, plain.high + 0.05)))
    assert plain.tipping_error(0.5) == shared.tipping_error(0.5) == pytest.approx(plain.low - 0.5)
    assert plain.tipping_error(1.0) == 0.0
    assert "and if annotators as a group are wrong in at most 5% of the cases, the accuracy against the true class is" in shared.sentence()
    whatever = any_difficulty(said, model, shared_error=0.05, least_share=0.6).sentence()
    assert whatever.startswith(
        "Whatever the difficulty of the cases, if annotators label them independently of each other, and if at least 60%"
    )
    assert ", and if annotators as a group" in whatever
    assert "of each other, and if annotators as a group" in any_difficulty(said, model, shared_error=0.05).sentence()


def test_reference_cases_are_those_of_a_share():
    own = found(*made(400))
    nearest = min(max(0.5, own.low), own.high)
    assert own.reference_cases(0.05) == math.ceil((1.959963985 / 0.05) ** 2 * nearest * (1 - nearest))
    assert own.reference_cases(5) == 1
    refused("half_width must be a finite number above 0", own.reference_cases, 0)
    refused("claim must be from 0 to 1", own.tipping_error, 1.5)


def test_annotators_no_better_than_chance_name_no_class(monkeypatch):
    def turned(rows, form):
        fit = confusions.fit_confusions(rows, form)
        return dataclasses.replace(fit, confusion=fit.confusion[:, ::-1])

    monkeypatch.setattr(latent_class, "fit_confusions", turned)
    own = found(*made(300, 2), 2)
    assert own.reason and math.isnan(own.low) and math.isnan(own.tipping_error(0.5)) and own.sentence().startswith("No statement: the")
    assert own.reference_cases(0.05) == 385


def test_what_labels_do_not_determine_is_not_stated():
    said, model = made(60, 2)
    said[:, 2] = said[:, 1]  # the same annotator twice
    own = found(said, model, 2)
    assert (
        not own.determined and own.sentence() == f"No statement: {skills.PERFECT}." and np.isnan([own.low, own.high, own.independent]).all()
    )
    no_class = found(np.zeros((300, 3), int), np.zeros(300, int), 2)
    assert not no_class.determined and math.isnan(no_class.low) and no_class.reason
    assert found(*made(300, 2), 2).determined


def few_labels(each, n_annotators=60, seed=0, n_classes=2):
    """Annotators right in 0.55 to 0.95, three for each case, with this many labels each; a model that is right in 0.92."""
    rng = np.random.default_rng([seed, each])
    n = n_annotators * each // 3
    said, model = made(n, n_classes, n_annotators, seed, rng.uniform(0.55, 0.95, n_annotators), 0.92)
    np.put_along_axis(said, np.argsort(rng.random((n, n_annotators)), axis=1)[:, 3:], -1, axis=1)
    return said, model


def test_many_annotators_with_few_labels_each_give_no_statement():
    """Their fitted skills are too extreme, so that plausibilities are too sure and the interval misses the accuracy."""
    said, model = few_labels(20)
    own = found(said, model, 2)
    assert np.isnan([own.low, own.high, own.lower, own.upper, own.independent, own.tipping_error(0.5)]).all() and not own.determined
    assert own.sentence().startswith("No statement: ") and checked(said).use["latent class"] == "no"
    reason = own.reason[1:]
    assert reason in checked(said).reasons["latent class"]
    beside = latent_class.known_of(
        latent_class.forms_of(LabelRows.of_labels(ugt.Labels.from_wide(said, missing=-1), np.arange(400), np.arange(60)), "auto")[0]
    )
    assert beside.reason == own.reason
    more = found(*few_labels(400, 12), 2)
    assert more.determined and more.low < 0.92 < more.high


def test_the_relative_error_of_skills_decides():
    said, model = made(60, 2, right=0.7, seed=3)
    own = found(said, model, 2)
    fit = latent_class.forms_of(LabelRows.of_labels(ugt.Labels.from_wide(said), np.arange(60), np.arange(3)), "auto")[0][-1]
    value, slope = fit.accuracies()
    theta, h = fit.confusion[:, 0, 0], 1e-6
    assert value == pytest.approx(theta) and slope[1:] == pytest.approx(np.diag(theta * (1 - theta))) and (slope[0] == 0).all()
    share = skills.known(fit).share
    assert share > skills.OPEN and f"is {share:.2f} of what it exceeds chance by" in own.reason
    information = np.zeros((4, 4))
    for row, n in zip(fit.rows.table, fit.rows.times):  # squared scores, from differences of the log probability of the row
        moves = np.eye(4)[:, :, None] * h * np.array([1, -1])
        logs = [[log_probability(fit.prevalence[0], theta, row, moves[i, :, j]) for j in (0, 1)] for i in range(4)]
        score = np.array([(up - down) / (2 * h) for up, down in logs])
        information += n * np.outer(score, score)
    errors = np.sqrt(np.diag(np.linalg.inv(information))[1:]) * theta * (1 - theta)
    assert share == pytest.approx(errors.sum() / (theta - 0.5).sum(), rel=1e-4)


def log_probability(prevalence, theta, row, move):
    p = 1 / (1 + (1 / prevalence[1] - 1) * np.exp(-move[0]))
    right = 1 / (1 + (1 / theta - 1) * np.exp(-move[1:]))
    return math.log(sum((p if c else 1 - p) * np.prod(np.where(row == c, right, 1 - right)) for c in (0, 1)))


def test_independent_ends_where_shares_end():
    for seed in range(6):
        own = found(*made(150, 2, 4, seed, 0.85, 0.995), 2)
        value, low, high = own.independent, own.independent_low, own.independent_high
        assert 0 <= low <= value <= high and high == max(1.0, value) and own.why_not_independent == ""
    said = np.zeros((300, 3), int)
    said[[0, 1, 2], [0, 1, 2]] = 1
    for own in (found(said, said[:, 0] * 0, 2), latent_class._told(latent_class.LatentBounds(independent=(0.95, -9.5, 11.4)), 0.1)):
        assert np.isnan(own.independent).all()
    assert own.why_not_independent == "its interval is wider than 1"
    many = latent_class._told(latent_class.LatentBounds(independent=(0.9, 0.88, 0.92), shares_errors=True), 0.2)
    assert many.independent == pytest.approx((0.9, 0.86, 0.94)) and many.shares_errors


@pytest.mark.parametrize(
    "options, message",
    [
        ({"assume": "nothing"}, "assume must be one of 'latent class', 'any difficulty'"),
        ({"k": 2}, "k must be 1 with assume='latent class'. Got 2"),
        ({"form": "half"}, "form must be one of"),
        ({"shared_error": 1.2}, "shared_error must be from 0 to 1"),
        ({"shared_error": -0.1}, "shared_error must be a finite number of at least 0"),
        ({"level": 1.0}, "level must be a number between 0 and 1"),
        ({"least_cases": 0}, "least_cases must be"),
        ({"assume": None, "shared_error": 0.1}, "shared_error must be given with assume only"),
        ({"assume": None, "form": "full"}, "form must be given with assume only"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    said, model = made(30)
    refused(message, found, said, model, **options)


def test_labels_that_do_not_do_are_refused():
    said, model = made(30)
    refused("truth must have 30 cases with labels of 3 annotators or more .* Got 0", found, said[:, :2], model)
    refused("or more .* Got 29", found, said[:29], model[:29])
    counts, scores = ugt.Labels.from_counts([[3, 0], [1, 2]]), [[1, 0], [0, 1]]
    refused("truth must name the annotator of each label", ugt.metrics.accuracy_bounds, counts, scores, assume="latent class")
    refused(
        r"scores must be numbers of shape \(30, 3\) \(of predicted classes from 0 on make scores by np.eye\(3\)\[predicted\]\)",
        ugt.metrics.accuracy_bounds,
        ugt.Labels.from_wide(said),
        model,
        assume="any difficulty",
    )
    refused("truth must be Labels", ugt.metrics.accuracy_bounds, [[0.5, 0.5]], [[1, 0]], assume="latent class", error=TypeError)
    refused("truth must have 30 cases", found, np.full((30, 3), -1), model)
    refused("truth must have two classes or more. Got 1", found, said * 0, model * 0, 1)


@pytest.mark.parametrize("assume", ["latent class", "any difficulty"])
def test_copies_of_cases_in_clusters_tell_nothing_new(assume):
    said, model = made(300, 2, 4)
    one, own = (found(said, model, 2, assume=assume, **given) for given in ({}, {"clusters": np.arange(300)}))
    same = {"clusters": np.repeat(np.arange(300), 3), "least_cases": 150}  # groups of as many clusters
    three = found(np.repeat(said, 3, axis=0), np.repeat(model, 3), 2, assume=assume, **same)
    plain = found(np.repeat(said, 3, axis=0), np.repeat(model, 3), 2, assume=assume)
    assert (own.low, own.high) == pytest.approx((one.low, one.high), abs=5e-3)
    assert (three.low, three.high) == pytest.approx((own.low, own.high), abs=1e-3)
    assert plain.low > three.low + 0.005


def test_clusters_that_do_not_do_are_refused():
    said, model = made(60)
    refused("clusters must be two or more of the cases with labels. Got 1", found, said, model, clusters=np.zeros(60))
    refused("clusters must be given with assume only", found, said, model, assume=None, clusters=np.arange(60))


# ---- any law of difficulty


def any_difficulty(said, model, n_classes=3, **options):
    return found(said, model, n_classes, assume="any difficulty", **options)


@pytest.mark.parametrize("n_classes, n_labels, least_share", [(2, 5, 0.0), (3, 3, 0.0), (2, 4, 0.7), (3, 4, 0.5)])
def test_any_difficulty_beside_its_twin(n_classes, n_labels, least_share):
    said, model = made(400, n_classes, n_labels, accuracy=0.8)
    own = any_difficulty(said, model, n_classes, least_share=least_share)
    low, high = programme.interval(said.tolist(), model.tolist(), n_classes, n_labels, least_share)
    assert low - 0.02 < own.low < low + 1e-5 and high - 1e-5 < own.high < high + 0.02  # tangents leave it a little wider
    assert math.isnan(own.lower) and math.isnan(own.independent) and own.form == "" and own.reason == ""


def test_any_difficulty_takes_counts_and_does_not_ask_who():
    said, model = made(300, 3, 4)
    counts = np.stack([(said == k).sum(1) for k in range(3)], axis=1)
    own, of_counts = any_difficulty(said, model), ugt.Labels.from_counts(counts)
    other = ugt.metrics.accuracy_bounds(of_counts, np.eye(3)[model], assume="any difficulty")
    assert (other.low, other.high) == (own.low, own.high) and own.n_groups == 4
    order, classes = np.random.default_rng(0).permutation(300), np.array([2, 0, 1])
    moved = any_difficulty(classes[said[order]], classes[model[order]])
    assert (moved.low, moved.high) == pytest.approx((own.low, own.high), abs=1e-6)


def test_cases_with_fewer_labels_have_cells_of_their_own():
    said, model = made(600, 2, 6, right=0.85)
    said[:200, 4:], said[200:210, 1:] = -1, -1
    said[210:215] = -1
    own = any_difficulty(said, model, 2)
    assert own.one_law and own.n_cases == 595 and own.left_out == {"case without annotations": 5}
    assert own.low < 0.9 < own.high
    harder, _ = made(600, 2, 6, right=0.6, seed=1)
    said[:200, :4] = harder[:200, :4]
    two = any_difficulty(said, model, 2)
    assert not two.one_law and two.low < 0.9 < two.high


def test_a_least_share_narrows_and_may_contradict_the_labels():
    said, model = made(400, 2, 3, right=0.9)
    assert any_difficulty(said, model, 2, least_share=0.7).low > any_difficulty(said, model, 2).low
    impossible = any_difficulty(said, model, 2, least_share=0.999)
    assert math.isnan(impossible.low) and impossible.sentence().startswith("No statement: in no mixture")
    assert "at least 70% of such annotators" in any_difficulty(said, model, 2, least_share=0.7).sentence()


def test_labels_that_no_independent_draws_give_are_reported():
    said = np.tile([[0, 0, 1, 1], [1, 1, 0, 0]], (200, 1))  # two for each class in all cases
    own = any_difficulty(said, said[:, 0], 2)
    assert math.isnan(own.low) and math.isnan(own.high) and own.sentence().startswith("No statement: no mixture of independent draws")


def test_classes_without_labels_and_choices_of_them():
    said, model = made(300, 2, 5, accuracy=0.8)
    own = any_difficulty(said, model, 2)
    assert any_difficulty(said, model, 8).high == pytest.approx(own.high, abs=0.02)  # cells of other classes have a part of the error
    model = np.where(np.arange(300) < 150, 7, model)
    assert any_difficulty(said, model, 8).high < 0.6


def test_too_many_classes_or_labels_are_refused():
    rng = np.random.default_rng(0)
    many = rng.integers(0, 6, (60, 3))
    refused("truth must have labels of at most 5 classes .*6", any_difficulty, many, many[:, 0], 6)
    long = rng.integers(0, 2, (60, 13))
    refused("truth must have at most 12 labels per case .*13", any_difficulty, long, long[:, 0], 2)
    refused("truth must hold at least one label", any_difficulty, np.full((5, 3), -1), np.zeros(5, int), 2)
    said, model = made(30)
    refused("form must be given with assume='latent class' only", any_difficulty, said, model, form="full")
    refused("least_share must be given with assume='any difficulty' only", found, said, model, least_share=0.5)
    refused("least_share must be from 0 to 1", any_difficulty, said, model, least_share=1.5)


def test_merged_cells_hold_the_interval_of_all_cells(monkeypatch):
    """Kinds with the same two highest counts are one: the bounds stay valid for the same law, and every label keeps its cell."""
    cells_of = any_difficulty_module.cells_of
    cells = cells_of(5, 12, 0.0, True)
    assert len(cells.kind) < len(cells_of(4, 10, 0.0, True).kind) * 2 and len(cells.kinds) == 47
    assert cells.laws.sum(axis=0) == pytest.approx(1.0)
    for i, kind in enumerate(cells.kinds):
        for own in set(kind):
            alone = cells.single[cells.place[i, own]]
            assert not alone or kind.count(own) == 1  # a cell of one class alone is one in each of its kinds
    said, model = made(500, 3, 6, accuracy=0.8)
    own = any_difficulty(said, model)
    monkeypatch.setattr(any_difficulty_module, "MERGED", 0)
    cells_of.cache_clear()
    merged = any_difficulty(said, model)
    cells_of.cache_clear()
    assert (merged.low, merged.high) == pytest.approx((own.low, own.high), abs=1e-6)  # of three classes two counts tell the third
    said, model = made(200, 5, 12)
    counts = np.stack([(said == k).sum(1) for k in range(5)], axis=1)
    found = any_difficulty_module.counted(counts, np.eye(5)[model], 0.0).found
    assert found.sum() == pytest.approx(200) and len(found) == len(cells_of(5, 12, 0.0, False).kind)
    own = any_difficulty(said, model, 5)
    assert own.low < (model == np.argmax(counts, axis=1)).mean() < own.high


def test_both_methods_of_scipy_find_the_same_interval(monkeypatch):
    if scipy.__version__.startswith("1.5."):
        pytest.skip("the other method is not there")
    said, model = made(300, 2, 4)
    own = any_difficulty(said, model, 2)
    methods = []

    def old(cost, *given):
        methods.append(given[-1])
        return linprog(cost, *given[:-1], "highs-ipm")

    monkeypatch.setattr(scipy, "__version__", "1.5.4")
    monkeypatch.setattr(scipy.optimize, "linprog", old)
    other = any_difficulty(said, model, 2)
    assert set(methods) == {"revised simplex"}
    assert (other.low, other.high) == pytest.approx((own.low, own.high), abs=0.01)  # other tangents


# ---- which statements hold


def checked(said, n_classes=2, **options):
    labels = ugt.Labels.from_wide(said, classes=n_classes, missing=-1)
    return ugt.truth.true_class_statements(labels, **{"n_resamples": 39, **options})


def test_a_right_model_of_annotators_is_beside_the_main_statement():
    own = checked(made(400, 2, 5)[0])
    assert own.use["any difficulty"] == "main" and own.use["latent class"] == "beside" and "mild differences" in own.reasons["latent class"]
    assert own.p_latent >= 0.05 and own.form in ("one accuracy", "full") and own.labels_per_case == 5
    few = checked(made(400, 2, 3)[0])
    assert few.use["latent class"] == "beside" and "3 labels per case can hardly show" in few.reasons["latent class"]


def test_cases_that_differ_refute_a_latent_class():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([1 / 3] * 2, 400)
    own = checked((rng.random((400, 5)) < shares[:, 1:]).astype(int))
    assert own.use["latent class"] == "no" and own.p_latent < 0.05 and "refuted" in own.reasons["latent class"]
    assert own.p_panel >= 0.05 and own.use["dirichlet"] == "beside"


def repeated(seed, n=400):
    """Cases in clusters of four, of which 60% have the labels of the first one; and the clusters."""
    rng, first = np.random.default_rng(seed), np.arange(n) // 4 * 4
    said = made(n, 2, 5, seed, np.array([0.9, 0.85, 0.85, 0.8, 0.8]))[0]
    return np.where((rng.random(n) < 0.6)[:, None], said[first], said), first


def test_cases_that_repeat_each_other_do_not_refute_a_right_model():
    said, clusters = repeated(1)
    assert checked(said).p_latent < 0.05
    own = checked(said, clusters=clusters)
    assert own.p_latent >= 0.05 and own.use["latent class"] == "beside" and "in one case of each cluster" in own.reasons["latent class"]
    assert own.p_panel != checked(said).p_panel
    order = np.random.default_rng(0).permutation(400)
    ids = np.arange(1000, 1400)
    one, other = (
        ugt.truth.true_class_statements(
            ugt.Labels.from_wide(said[some], case_ids=ids[some], classes=2),
            clusters=dict(zip(ids.tolist(), clusters.tolist())),
            n_resamples=9,
        )
        for some in (np.arange(400), order)
    )
    assert one.p_latent == other.p_latent  # the cases that are checked depend on ids only
    few = checked(said[:100], clusters=clusters[:100])
    assert few.use["latent class"] == "beside" and math.isnan(few.p_latent) and "nothing to check" in few.reasons["latent class"]
    refused("clusters must be two or more of the cases with labels. Got 1", checked, said, clusters=np.zeros(400))
    refused("clusters must be 400 ids", checked, said, clusters=np.zeros(3))


def test_one_case_of_each_cluster():
    labels, group = ugt.Labels.from_wide(repeated(0)[0], classes=2), np.arange(400) // 4
    cases = np.flatnonzero(np.arange(400) % 4 != 1)
    some = true_class.one_of_each(labels, group, cases, 5)
    assert (group[some] == np.arange(100)).all() and not (some % 4 == 1).any()
    assert set(some % 4) == {0, 2, 3} and (some != true_class.one_of_each(labels, group, cases, 6)).any()


def test_labels_that_no_independent_draws_give_have_no_main_statement():
    said = np.tile([[0, 0, 1, 1], [1, 1, 0, 0]], (200, 1))
    own = checked(said)
    assert own.use["any difficulty"] == "no" and own.reasons["any difficulty"].startswith("No mixture of independent draws gives")
    sound = checked(made(300, 2)[0])
    assert sound.reasons["any difficulty"].startswith("It holds if annotators label a case independently of each other")


def test_lack_of_fit_is_g_squared():
    said = made(200, 2, 3)[0]
    rows = LabelRows.of_labels(ugt.Labels.from_wide(said, classes=2), np.arange(200), np.arange(3))
    fit = confusions.fit_confusions(rows, "one accuracy")
    p, theta = fit.prevalence[0], fit.confusion
    expected = 0.0
    for row in sorted({tuple(one) for one in said.tolist()}):
        n = sum(tuple(one) == row for one in said.tolist())
        chance = sum(p[t] * math.prod(theta[a, t, c] for a, c in enumerate(row)) for t in range(2))
        expected += 2 * n * math.log(n / (200 * chance))
    assert g_squared(rows, fit.log_rows) == pytest.approx(expected, abs=1e-6)


def test_what_cannot_be_checked_says_so():
    own = ugt.truth.true_class_statements(ugt.Labels.from_counts([[1, 0], [0, 1]] * 20))
    assert own.use == {"any difficulty": "main", "latent class": "no", "dirichlet": "no"} and math.isnan(own.p_panel)
    rng = np.random.default_rng(0)
    many = checked(rng.integers(0, 6, (60, 3)), 6, n_resamples=3)
    assert many.use["any difficulty"] == "no" and "at most 5 classes" in many.reasons["any difficulty"]
    assert checked(made(20, 2)[0]).reasons["latent class"] == "Too few cases have labels of three annotators."
    refused("labels must be Labels", ugt.truth.true_class_statements, [[1, 0]], error=TypeError)
    refused("labels must hold at least one label", ugt.truth.true_class_statements, ugt.Labels.from_counts([[0, 0]]))
    refused("n_resamples must be", checked, made(20, 2)[0], n_resamples=0)
    assert checked(made(200, 2)[0], seed=1, n_resamples=5).p_latent == checked(made(200, 2)[0], seed=1, n_resamples=5).p_latent


def test_the_union_over_reliabilities_holds_each_of_them():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([1 / 3] * 2, 300)
    labels, scores = ugt.Labels.from_wide((rng.random((300, 5)) < shares[:, 1:]).astype(int)), np.eye(2)[shares.argmax(1)]
    which = ugt.truth.true_class_statements(labels, n_resamples=3)
    low, high = which.over_reliabilities(labels, scores, n_resamples=100, seed=1)
    alpha, each = ugt.truth.fit_dirichlet_prior(labels).value, []
    for gamma in (0.2, 0.5, 1, 2, 5, 20):
        truth = ugt.dirichlet(labels, reliability=gamma, prior=gamma * alpha)
        each.append(ugt.metrics.accuracy_bounds(truth, scores).outer_interval(n_resamples=100, seed=1))
    assert (low, high) == (min(one[0] for one in each), max(one[1] for one in each))
    refuted = dataclasses.replace(which, use={**which.use, "dirichlet": "no"}, reasons={**which.reasons, "dirichlet": "It is refuted."})
    assert np.isnan(warned("undefined: It is refuted", refuted.over_reliabilities, labels, scores)).all()
    agreed = ugt.Labels.from_wide(np.repeat(np.arange(40)[:, None] % 2, 3, axis=1))
    assert np.isnan(warned("undefined: no prior above 0", which.over_reliabilities, agreed, np.eye(2)[np.arange(40) % 2])).all()
    refused("labels must be Labels", which.over_reliabilities, [[1, 0]], scores, error=TypeError)
