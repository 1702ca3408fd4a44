"""Accuracy against the latent class: labels that identify nothing, and options that do not fit."""

import numpy as np
import pytest
from latent_tables import judged, made
from refusals import refused

import ugt
from ugt.metrics.latent import skills

latent_accuracy = ugt.metrics.latent_accuracy


def test_fewer_than_three_labels():
    said, _ = made(300, 3)
    found = judged(said, model="outside")
    assert np.isnan([found.value, found.sensitivity, found.auroc, *found.recalls]).all()
    assert found.reasons["accuracy"].endswith("there are 2") and found.form == "" and not any(found.determined.values())
    assert np.isnan(found.interval()).all() and np.isnan(found.std_error())
    refused("form must", found.goodness_of_fit)


@pytest.mark.parametrize("seed", range(8))
def test_labels_without_a_truth(seed):
    found = judged((np.random.default_rng(seed).random((300, 5)) < 0.4).astype(int))
    assert np.isnan(found.sensitivity) and found.form == ""
    assert any(words in found.reasons["sensitivity"] for words in ("changed places", "singular", "as by chance"))


@pytest.mark.parametrize("n", [60, 500, 4000])
def test_more_classes_that_labels_do_not_show(n):
    rng = np.random.default_rng(3)
    found = latent_accuracy(ugt.Labels.from_wide(rng.integers(0, 3, (n, 4)), classes=3), np.eye(3)[rng.integers(0, 3, n)])
    assert np.isnan(found.value) and found.reasons["accuracy"]


def test_one_class_only():
    found = judged(np.zeros((50, 5), int))
    assert np.isnan([found.value, found.sensitivity, found.auroc]).all() and all(found.reasons.values())


def test_an_annotator_without_overlap_is_left_out_and_counted():
    said, _ = made(300, 5)
    extra = np.concatenate([np.full((300, 1), -1), said], axis=1)
    alone = np.full((40, 6), -1)
    alone[:, 0], alone[:, -1] = 1, 1
    found = judged(np.concatenate([extra, alone]), model="outside")
    assert found.left_out == {"annotator without a shared case": 1}
    assert found.n_cases == 300 and found.value == pytest.approx(judged(said, model="outside").value, abs=1e-6)


def test_an_annotator_without_overlap_is_left_out_of_the_auroc():
    """The model labels this annotator's cases too, so that the fit with the model as a test has them."""
    said, truth = made(300, 5)
    rng = np.random.default_rng(1)
    more, other = np.full((60, 6), -1), rng.integers(0, 2, 60)
    more[:, 0] = more[:, -1] = other
    both = np.concatenate([np.concatenate([np.full((300, 1), -1), said], axis=1), more])
    scores = np.concatenate([truth, other]) + rng.normal(size=360)
    labels = ugt.Labels.from_wide(both[:, :-1], classes=2, missing=-1)
    table = np.stack([-scores, scores], axis=1)
    found, alone = latent_accuracy(labels, table), latent_accuracy(ugt.Labels.from_wide(said[:, :-1], classes=2), table[:300])
    assert found.n_cases == 360 and found.left_out == {"annotator without a shared case (of the AUROC only)": 1}
    assert found.auroc == pytest.approx(alone.auroc, abs=1e-6) and "auroc" not in found.reasons
    assert found.interval(of="auroc") == pytest.approx(alone.interval(of="auroc"), abs=1e-6)
    for name in ("interval", "auroc_bounds"):
        drawn = [
            getattr(one, name)(n_resamples=9, **({"of": "auroc", "kind": "normal"} if name == "interval" else {})) for one in (found, alone)
        ]
        assert drawn[0] == pytest.approx(drawn[1], abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_annotators_whose_skill_is_left_open(n_classes):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, n_classes, 120)
    said = np.where(rng.random((120, 3)) < 0.45 + 0.1 * (n_classes == 2), truth[:, None], rng.integers(0, n_classes, (120, 3)))
    found = latent_accuracy(ugt.Labels.from_wide(said, classes=n_classes), np.eye(n_classes)[truth], model="outside")
    assert np.isnan(found.value) and found.fits[0]._fit.share_open > skills.OPEN
    assert skills.why_open(0.34).startswith("the labels leave open how good the annotators are") and skills.why_open(0.33) == ""


def test_a_class_that_no_annotator_gave():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    said = np.where(rng.random((600, 4)) < 0.85, truth[:, None], 1 - truth[:, None])
    choice = np.where(rng.random(600) < 0.1, 2, truth)
    found = latent_accuracy(ugt.Labels.from_wide(said, classes=3), np.eye(3)[choice])
    assert found.value == pytest.approx(0.9, abs=0.05) and found.prevalence[2] == 0
    assert np.isnan(found.recalls[2]) and found.reasons["recall 2"] == "no annotator gave this class"
    nobody = latent_accuracy(ugt.Labels.from_wide(np.full((4, 3), -1), classes=3, missing=-1), np.eye(3)[[0, 1, 2, 0]])
    assert np.isnan(nobody.value) and nobody.n_cases == 0 and nobody.reasons["accuracy"] == "latent classes need two classes"
    assert nobody.left_out == {"case without annotations": 4}


def test_no_more_cases_than_parameters():
    found = judged(made(10)[0], forms=["ind"])
    assert np.isnan(found.value) and found.reasons["accuracy"].startswith("there are no more cases than parameters")


def test_tests_that_always_agree():
    truth = np.random.default_rng(0).random(300) < 0.4
    found = judged(np.repeat(truth[:, None].astype(int), 5, axis=1), forms=["ind"])
    (low, high), (sens_low, _) = found.interval(), found.interval(of="sensitivity")
    assert 0.95 < sens_low < 0.99 < high and 0.97 < low < 1 and high == pytest.approx(1, abs=1e-3)


def test_populations_that_do_not_differ():
    """The two prevalences are alike: two tests determine nothing, and the interval includes almost every value."""
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.4
    said = np.where(rng.random((400, 2)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)
    found = judged(said, populations=np.arange(400) % 2)
    assert not found.determined["sensitivity"] and found.reasons["sensitivity"]


def test_an_annotator_without_labels_changes_nothing():
    said, _ = made(300, 5)
    more = np.concatenate([np.full((300, 1), -1), said], axis=1)
    assert judged(more, forms=["ind"]).value == pytest.approx(judged(said, forms=["ind"]).value, abs=1e-9)


def test_no_positives_are_expected():
    rng = np.random.default_rng(0)
    said = (rng.random((400, 6)) < 0.002).astype(int)
    found = judged(said)
    assert np.isnan(found.sensitivity) and found.reasons["sensitivity"]


def test_a_case_without_labels_is_left_out():
    said, _ = made(300, 5)
    found = judged(np.concatenate([said, [[-1, -1, -1, -1, 1]]]))
    assert found.left_out == {"case without annotations": 1} and found.n_cases == 300


@pytest.mark.parametrize(
    "options, message",
    [
        ({"model": "inside"}, "model must be one of"),
        ({"forms": "ind"}, "forms must be a sequence"),
        ({"forms": ["eh"]}, "forms must be one of"),
        ({"forms": []}, "forms must have at least one name"),
        ({"forms": ["re1m"], "model": "outside"}, "forms must have a form other than"),
        ({"positive": "x"}, "positive must be one of two classes"),
        ({"populations": [1]}, "populations must"),
    ],
)
def test_options_that_do_not_fit(options, message):
    said, _ = made(20)
    refused(message, judged, said, **options)


def test_labels_that_do_not_fit():
    scores = np.eye(2)[[0, 1]]
    refused("labels must name the annotator", latent_accuracy, ugt.Labels.from_counts([[1, 2], [2, 1]]), scores)
    refused("labels must be Labels", latent_accuracy, [[1, 0]], scores, error=TypeError)
    with pytest.warns(UserWarning, match="several labels"):
        twice = ugt.Labels.from_long([0, 0, 1], ["a", "a", "b"], [1, 0, 1], classes=2)
    refused("labels must have one label of each annotator", latent_accuracy, twice, scores)
    three = ugt.Labels.from_wide([[0, 1, 2]], classes=3)
    refused("model must be 'outside'", latent_accuracy, three, [[1, 0, 0]], model="test")
    refused("scores must", latent_accuracy, three, [[1, 0]])
    refused("of must be one of", judged(made(100)[0]).interval, of="recall")
