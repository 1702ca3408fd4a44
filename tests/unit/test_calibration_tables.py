"""Calibration in evaluations, in the report and as a command: the same numbers as the functions give, and bad input told in a line."""

import json
import math
import re

import numpy as np
import pytest
from csv_files import read, write, write_scores
from refusals import warned
from surface import public
from twins import details

import ugt
from ugt import cli
from ugt.evaluation.passes import resampled
from ugt.tables import calibration as _calibration
from ugt.tables.context import Options

NAMES = ["benign", "atypical", "malign"]
METHODS = {"temperature": "TemperatureScaling", "vector": "VectorScaling", "matrix": "MatrixScaling"}


def problem(n=240, seed=3, least=0):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, 3)) * 2
    truth = np.exp(logits / 2)
    truth /= truth.sum(1, keepdims=True)
    n_labels = rng.integers(least, 6, n)
    return logits, np.stack([rng.multinomial(m, p) for m, p in zip(n_labels, truth)])


def softmax(u):
    e = np.exp(u - u.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def run(*arguments):
    few = ["--n-boot", "100"] if arguments[0] == "calibrate" and "--n-boot" not in arguments else []
    return cli.main([str(argument) for argument in [*arguments, *few]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Labels of 240 cases, of which 150 are for the fit, in another order than the predictions."""
    monkeypatch.chdir(tmp_path)
    logits, counts = problem()
    ids = [f"p{i}" for i in range(len(logits))]
    rows = [[ids[i], f"a{j}", NAMES[k]] for i in range(len(ids)) for k in range(3) for j in range(counts[i, k])]
    write("labels.csv", ["case", "annotator", "label"], *reversed(rows))
    write_scores("fit.csv", NAMES, ids[:150], logits[:150])
    write_scores("test.csv", NAMES, ids[150:], logits[150:])
    write_scores("fit_p.csv", NAMES, ids[:150], softmax(logits[:150]))
    write_scores("test_p.csv", NAMES, ids[150:], softmax(logits[150:]))
    return tmp_path, logits, counts


def numbers(row):
    return [float(row[name]) if row[name] else None for name in ("plugin", "bias", "debiased", "low", "high")]


# ---- the command
@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_calibrate(folder, capsys, method):
    _, logits, counts = folder
    assert (
        run("calibrate", "--annotations", "labels.csv", "--fit", "fit.csv", "--apply", "test.csv", "--out", "out", "--method", method) == 0
    )
    fitted = public(METHODS[method])().fit(logits[:150], counts[:150])
    table = read("out/calibrated.csv")
    found = np.array([[float(row[name]) for name in NAMES] for row in table])
    assert [row["case"] for row in table] == [f"p{i}" for i in range(150, 240)]
    np.testing.assert_allclose(found, fitted.transform(logits[150:]), atol=1e-7)  # labels sum up in another order of classes
    again = ugt.calibration.load_calibrator("out/calibrator.json")
    assert type(again).__name__ == METHODS[method] and again.input == "logits"
    rows = {(row["part"], row["predictions"], row["loss"]): row for row in read("out/calibration.csv") if not row["class"]}
    for part, at in (("validation", slice(0, 150)), ("test", slice(150, 240))):
        for when, probs in (("before", softmax(logits[at])), ("after", fitted.transform(logits[at]))):
            losses = ugt.histogram_losses(counts[at], probs)
            row = rows[part, when, "cl"]
            expected = [losses.cl.plugin, losses.cl.bias, losses.cl.debiased]
            np.testing.assert_allclose(numbers(row)[:3], expected, atol=1e-6)
            assert numbers(row)[3] < losses.cl.debiased < numbers(row)[4] and int(row["n_cases"]) == losses.n_cases
            assert float(rows[part, when, "l_sq"]["debiased"]) == pytest.approx(losses.l_sq, abs=1e-6)
            log_loss = ugt.calibration.histogram_log_loss(counts[at], probs)
            assert float(rows[part, when, "log_loss"]["debiased"]) == pytest.approx(log_loss.value, abs=1e-6)
    said = capsys.readouterr().out
    assert METHODS[method] in said and "converged" in said and "test, after" in said
    assert f"Left out of the fit: case without labels: {(counts[:150].sum(1) == 0).sum()}." in said
    if method == "temperature":
        assert f"temperature {fitted.temperature_:.4g}, fitted to {fitted.n_cases_} cases" in said
        before, after = (float(rows["test", when, "log_loss"]["debiased"]) for when in ("before", "after"))
        assert after < before and rows["test", "before", "accuracy"]["debiased"] == rows["test", "after", "accuracy"]["debiased"]


@pytest.mark.slow
def test_alpha_and_probabilities(folder, capsys):
    _, logits, counts = folder
    options = ("--annotations", "labels.csv", "--fit", "fit_p.csv", "--apply", "test_p.csv", "--out", "out")
    assert run("calibrate", *options, "--method", "alpha", "--penalty", "0.01") == 0
    fitted = ugt.calibration.AlphaCalibration(penalty=0.01).fit(softmax(logits[:150]), counts[:150])
    found = np.array([[float(row[name]) for name in NAMES] for row in read("out/calibrated.csv")])
    np.testing.assert_allclose(found, fitted.transform(softmax(logits[150:])), rtol=1e-6)
    rows = {(row["part"], row["predictions"], row["loss"]): row for row in read("out/calibration.csv") if not row["class"]}
    law = fitted.distribution(softmax(logits[150:])).disagreement()
    expected = ugt.calibration.disagreement_losses(counts[150:], law.overall)
    assert float(rows["test", "after", "disagreement_l"]["debiased"]) == pytest.approx(expected.l_phi, abs=1e-7)
    assert rows["test", "before", "cl"]["debiased"] == rows["test", "after", "cl"]["debiased"]
    features = np.arange(240.0)[:, None] / 100
    for name, at in (("f_fit.csv", range(150)), ("f_test.csv", range(150, 240))):
        write(name, ["case", "feature"], *([f"p{i}", features[i, 0]] for i in reversed(at)))
    assert run("calibrate", *options, "--method", "alpha", "--features", "f_fit.csv", "f_test.csv") == 0
    fitted = ugt.calibration.AlphaCalibration().fit(softmax(logits[:150]), counts[:150], features=features[:150])
    found = np.array([[float(row[name]) for name in NAMES] for row in read("out/calibrated.csv")])
    np.testing.assert_allclose(found, fitted.transform(softmax(logits[150:]), features[150:]), rtol=1e-6)
    capsys.readouterr()
    for name, at in (("f_fit.npy", slice(150)), ("f_test.npy", slice(150, 240))):
        np.save(name, features[at])
    assert run("calibrate", *options, "--method", "alpha", "--features", "f_fit.npy", "f_test.npy") == 0
    by_position = capsys.readouterr().out
    for name, part, first in (("f_fit.npy", "fit_p.csv", "p0"), ("f_test.npy", "test_p.csv", "p150")):
        assert f"The features of {name} were joined by position: row 1 is row 1 of {part}, case '{first}'." in by_position
    assert run("calibrate", *options, "--method", "temperature") == 0
    assert ugt.calibration.load_calibrator("out/calibrator.json").input == "probabilities"


@pytest.mark.slow
def test_a_path_of_penalties_clusters_and_seeds(folder):
    with open("patients.csv", "w", encoding="utf-8") as file:
        file.write("case,cluster\n" + "".join(f"p{i},{i // 3}\n" for i in range(240)))
    options = ("--annotations", "labels.csv", "--fit", "fit.csv", "--apply", "test.csv", "--method", "matrix", "--n-boot", "100")
    several = ("--penalty-w", "1", "10", "--penalty-b", "0.1", "1", "--clusters", "patients.csv")
    assert run("calibrate", *options, "--out", "a", *several) == 0
    assert run("calibrate", *options, "--out", "b", *several) == 0
    path = json.loads((folder[0] / "a/calibrator.json").read_text(encoding="utf-8"))["fitted"]["path_"]
    assert [(row["penalty_w"], row["penalty_b"]) for row in path] == [(1, 0.1), (1, 1), (10, 0.1), (10, 1)]
    for name in ("calibrated.csv", "calibrator.json", "calibration.csv"):
        assert (folder[0] / "a" / name).read_bytes() == (folder[0] / "b" / name).read_bytes()
    assert run("calibrate", *options, "--out", "c", *several[:-2]) == 0
    assert read("a/calibration.csv") != read("c/calibration.csv")


@pytest.mark.slow
def test_arrays_without_ids(folder, capsys):
    _, logits, counts = folder
    np.save("fit.npy", logits[:150])
    np.save("test.npy", logits[150:])
    np.save("counts.npy", counts[:150])
    np.save("others.npy", counts[150:])
    options = ("--annotations", "counts.npy", "--format", "counts", "--fit", "fit.npy", "--apply", "test.npy", "--out", "out")
    assert run("calibrate", *options) == 0
    assert {row["part"] for row in read("out/calibration.csv")} == {"validation"}
    expected = ugt.calibration.TemperatureScaling().fit(logits[:150], counts[:150]).transform(logits[150:])
    found = np.array([[float(row[name]) for name in "012"] for row in read("out/calibrated.csv")])
    np.testing.assert_array_equal(found, expected)
    assert run("calibrate", *options, "--test-annotations", "others.npy") == 0
    assert {row["part"] for row in read("out/calibration.csv")} == {"validation", "test"}
    assert "test, after" in capsys.readouterr().out


@pytest.mark.slow
def test_test_cases_that_were_fitted_to(folder, capsys):
    assert run("calibrate", "--annotations", "labels.csv", "--fit", "fit.csv", "--apply", "fit.csv", "--out", "out") == 0
    assert "150 test cases were fitted to, so their losses are too good" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--method", "alpha"],
            "--method alpha must be used with probabilities (calibrate logits with --method temperature first). Got logits.",
        ),
        (["--method", "platt"], "predictions must have two classes for PlattScaling. Got 3."),
        (["--penalty-b", "1"], "--penalty-b must be left out with --method temperature. Got 1."),
        (["--features", "fit.csv", "test.csv"], "--features must be left out with --method temperature. Got fit.csv test.csv."),
        (["--input", "probabilities"], "predictions must be probabilities from 0 to 1"),
        (["--method", "matrix", "--penalty-w", "-1"], "--penalty-w must be a finite number of at least 0. Got -1.0."),
        (["--clusters", "half.csv"], "clusters must hold an id for every case. Got none for 149 of 150 cases, first at case 'p1'."),
        (["--apply", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_what_cannot_be(folder, capsys, options, message):
    (folder[0] / "half.csv").write_text("case,cluster\np0,1\n", encoding="utf-8")
    given = {"--annotations": ["labels.csv"], "--fit": ["fit.csv"], "--apply": ["test.csv"], "--out": ["out"]}
    given.update({options[0]: options[1:]} if options[0] in given else {})
    words = [word for name, values in given.items() for word in (name, *values)]
    assert run("calibrate", *words, *([] if options[0] in given else options)) == 2
    assert message in capsys.readouterr().err and not (folder[0] / "out").exists()


def test_other_ids(folder, capsys):
    """Cases that no annotation has are refused where labels are needed, and said where they may be missing."""
    logits = folder[1]
    write_scores("others.csv", NAMES, [f"case p{i}" for i in range(20)], logits[:20])
    files = ["calibrate", "--annotations", "labels.csv", "--out", "out"]
    assert run(*files, "--fit", "others.csv", "--apply", "test.csv") == 2
    found = capsys.readouterr().err
    assert "--fit must have predictions for annotated cases. Got none, first at 'case p0' (the annotations have cases such as " in found
    assert run(*files, "--fit", "fit.csv", "--apply", "test.csv", "--test-annotations", "labels.csv") == 0
    assert "cannot be judged" not in capsys.readouterr().out
    assert run(*files, "--fit", "fit.csv", "--apply", "others.csv") == 0
    message = "No case of others.csv is annotated, so that its predictions cannot be judged: the first is 'case p0' (the annotations have "
    assert message in capsys.readouterr().out


def test_rankings_are_refused(folder, capsys):
    (folder[0] / "ranks.csv").write_text("case,annotator,label,rank\np1,a,benign,1\np1,a,malign,2\n", encoding="utf-8")
    assert run("calibrate", "--annotations", "ranks.csv", "--fit", "fit.csv", "--apply", "test.csv", "--out", "out") == 2
    message = "annotations must be labels, or ratings of stated grades (--scale 1,2,3), for calibration. Got rankings."
    assert message in capsys.readouterr().err


def test_ratings_of_stated_grades_are_labels(folder, capsys):
    _, logits, counts = folder
    number = {name: str(k + 1) for k, name in enumerate(NAMES)}
    rows = ([row["case"], row["annotator"], number[row["label"]]] for row in read("labels.csv"))
    write("ratings.csv", ["case", "annotator", "rating"], *rows)
    ids = [f"p{i}" for i in range(240)]
    write_scores("fit-grades.csv", [*"123"], ids[:150], logits[:150])
    write_scores("test-grades.csv", [*"123"], ids[150:], logits[150:])
    files = ("--annotations", "ratings.csv", "--fit", "fit-grades.csv", "--apply", "test-grades.csv", "--out", "out")
    assert run("calibrate", *files, "--scale", "1,2,3") == 0
    found = np.array([[float(row[name]) for name in "123"] for row in read("out/calibrated.csv")])
    expected = ugt.calibration.TemperatureScaling().fit(logits[:150], counts[:150]).transform(logits[150:])
    np.testing.assert_allclose(found, expected, atol=1e-7)
    capsys.readouterr()
    assert run("calibrate", *files, "--scale", "real") == 2
    assert "(--scale 1,2,3), for calibration. Got ratings on a real scale." in capsys.readouterr().err


# ---- in an evaluation
@pytest.mark.slow
def test_evaluate_has_calibration():
    logits, counts = problem(least=1)
    labels = ugt.Labels.from_counts(counts, classes=NAMES)
    probs = softmax(logits)
    clusters = np.arange(len(counts)) // 2
    ev = ugt.evaluate(labels, {"A": probs, "B": logits}, k=1, clusters=clusters, n_resamples=200, seed=5)
    assert {row["model"] for row in ev.calibration} == {"A"}
    said = [note for note in map(str, ev.notes) if "its calibration was not computed" in note]
    assert [re.sub(r"[-\d.]+ to [\d.]+", "LOW to HIGH", note) for note in said] == [
        "The scores of model B are not probabilities (the values go from LOW to HIGH): its calibration was not computed."
    ]
    rows = {(row["loss"], row["class"]): row for row in ev.calibration}
    losses = ugt.histogram_losses(counts, probs)
    for name in ("el", "cl", "dl", "il", "rl", "erl"):
        loss = getattr(losses, name)
        row = rows[name, None]
        assert (row["plugin"], row["bias"], row["debiased"]) == (loss.plugin, loss.bias, loss.debiased)
        assert (row["low"], row["high"]) == losses.interval(of=name, clusters=clusters, n_resamples=200, seed=5)
    assert rows["accuracy", None]["debiased"] == losses.accuracy and rows["l_sq", None]["debiased"] == losses.l_sq
    assert (
        rows["cl", None]["n_cases"] == len(counts)
        and rows["el", None]["n_cases"] == rows["erl", None]["n_cases"] == (counts.sum(1) > 1).sum()
    )
    assert rows["ce", None]["debiased"] == pytest.approx(losses.ce) and rows["de", None]["bias"] is None
    assert rows["ce", None]["low"] == pytest.approx(math.sqrt(rows["cl", None]["low"]))
    disagreement = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs))
    assert rows["disagreement_l", None]["debiased"] == pytest.approx(disagreement.l_phi)
    assert rows["disagreement_cl", None]["debiased"] == pytest.approx(disagreement.cl.debiased)
    log_loss = ugt.calibration.histogram_log_loss(counts, probs)
    assert rows["log_loss", None]["debiased"] == log_loss.value
    assert [rows["cl", name]["debiased"] for name in NAMES] == losses.per_class.cl.debiased.tolist()
    curve = warned("of class 1 have fewer than 10 cases, too few to interpret", losses.reliability_curve, 1)
    bins = [row for row in ev.reliability_bins if row["class"] == "atypical"]
    assert [row["n_cases"] for row in bins] == curve.n_cases[curve.n_cases > 0].tolist()
    assert [row["label_share"] for row in bins] == curve.label_share[curve.n_cases > 0].tolist()
    assert json.loads(json.dumps(ev.to_dict()["calibration"], allow_nan=False)) == ev.to_dict()["calibration"]


def test_undefined_losses_are_empty_and_have_a_reason():
    probs = np.array([[1.0, 0.0], [0.6, 0.4], [0.3, 0.7]])
    ev = ugt.evaluate(ugt.Labels.from_counts([[0, 1], [1, 0], [0, 1]]), {"A": probs}, k=1, n_resamples=50)
    rows = {row["loss"]: row for row in ev.calibration if row["class"] is None}
    assert rows["el"]["debiased"] is None and rows["el"]["n_cases"] == 0 and rows["disagreement_l"]["debiased"] is None
    assert rows["log_loss"]["debiased"] is None and rows["log_loss"]["n_cases"] == 3
    assert "Log loss is infinite: probability 0 for a class that was observed (1 case)." in [*map(str, ev.notes)]
    assert any(
        note.startswith("Epistemic, dispersion and disagreement losses need cases with at least two labels") for note in map(str, ev.notes)
    )


def test_rankings_and_plausibilities_have_none():
    rankings = ugt.Rankings.from_blocks([[[[0]], [[1], [0]]]], n_classes=2)
    for given in (rankings, ugt.dirichlet(ugt.Labels.from_counts([[2, 1]]))):
        ev = ugt.evaluate(given, {"A": [[0.7, 0.3]]}, k=1, n_resamples=20)
        assert ev.calibration == () and ev.reliability_bins == ()


def test_the_report_shows_it(tmp_path):
    logits, counts = problem(least=1)
    ev = ugt.evaluate(ugt.Labels.from_counts(counts), {"A<b>": softmax(logits), "B": softmax(logits / 2)}, k=1, n_resamples=50)
    ev.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    part = page[page.index('<section id="calibration"') :]
    part = part[: part.index("</section>")]
    row = next(row for row in ev.calibration if row["loss"] == "cl" and row["model"] == "B" and row["class"] is None)
    cell = re.search(r"<b>([^<]+)</b>", part[part.index("calibration loss: the part") :].split("</td>")[1]).group(1)
    assert float(cell.replace("−", "-")) == round(row["debiased"], len(cell.split(".")[1])) and "A&lt;b&gt;" in part and "A<b>" not in part
    ev.to_csv(tmp_path / "bins.csv", table="reliability_bins")
    assert len(read(tmp_path / "bins.csv")) == len(ev.reliability_bins)
    two = ugt.evaluate(ugt.Labels.from_counts(counts[:, :2]), {"A": softmax(logits[:, :2])}, k=1, n_resamples=20)
    two.to_html(tmp_path / "two.html")
    page = (tmp_path / "two.html").read_text(encoding="utf-8")
    assert page.count("calibration loss: the part that") == 1  # of two classes the losses are the same


def test_the_report_has_columns_of_the_first_four_models(tmp_path):
    logits, counts = problem(n=30, least=2)
    models = {f"model {k}": softmax(logits / k) for k in range(1, 6)}
    ugt.evaluate(ugt.Labels.from_counts(counts), models, k=1, n_resamples=20).to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    part = page[page.index('<section id="calibration"') :]
    part = part[: part.index("</section>")]
    assert [f"model {k}" in part for k in range(1, 6)] == [True] * 4 + [False]


def losses(counts, probs, **options):
    """Rows of one model, and what is said."""
    found = _calibration.ModelLosses(counts, probs, Options(**options))
    return found.rows(resampled(found.asks, None, 0)), [*map(str, found.notes)]


def test_without_a_label_there_are_rows_without_numbers():
    rows, notes = losses(np.zeros((2, 2), int), np.full((2, 2), 0.5), n_resamples=20)
    assert rows and all(row.n_cases == 0 and row.plugin is None and row.low is None for row in rows)
    assert notes == ["Epistemic, dispersion and disagreement losses need cases with at least two labels: there are none."]


@pytest.mark.parametrize(("row", "is_one"), [([0.5, 0.5], True), ([0.5, 0.50005], True), ([0.5, 0.4], False), ([1.5, -0.5], False)])
def test_what_counts_as_probabilities(row, is_one):
    assert _calibration.is_probability(np.array([[0.25, 0.75], row])) == is_one


def test_a_model_without_probabilities_does_not_end_the_table():
    probs = np.array([[0.7, 0.3], [0.2, 0.8], [0.5, 0.5]])
    context = details.context([[2, 1], [0, 3], [1, 1]], {"A": probs * 3, "B": probs, "C": probs})
    tables, notes = details.made(_calibration, context)
    assert all({row["model"] for row in tables[name]} == {"B", "C"} for name in ("calibration", "reliability_bins"))
    assert notes == ["The scores of model A are not probabilities (the values go from 0.6 to 2.4): its calibration was not computed."]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ([0.4, 0.2], "the values of a case add up to 0.6 to 1, not to 1, in 1 of 4 cases, first 'img2'"),
        ([1.1, -0.1], "the values go from -0.1 to 1.1, in 1 of 4 cases, first 'img2'"),
    ],
)
def test_the_first_case_without_probabilities_is_named(bad, said):
    labels = ugt.Labels.from_counts([[2, 1], [0, 3], [1, 1], [3, 0]], case_ids=["img0", "img1", "img2", "img3"])
    scores = np.array([[0.7, 0.3], [0.2, 0.8], bad, [0.9, 0.1]])
    notes = [*map(str, ugt.evaluate(labels, {"A": scores}, n_resamples=20).notes)]
    assert f"The scores of model A are not probabilities ({said}): its calibration was not computed." in notes


@pytest.mark.parametrize("kind", ["numbers", "grades"])
def test_numbers_on_a_scale_have_no_calibration(kind):
    labels = ugt.Labels.from_wide(np.arange(24).reshape(12, 2) % 4, ordered=True)
    numbers = (np.arange(12.0) % 4) + (0.5 if kind == "numbers" else 0)
    given = ugt.Predictions(labels.axes.case_ids, numbers[:, None], numbers=True)
    notes = [*map(str, ugt.evaluate(labels, {"A": given}, n_resamples=20, predictions_are=kind).notes)]
    assert "Model A gives one number per case, not probabilities: its calibration was not computed." in notes
    assert not any("the values go from" in note for note in notes)


def test_all_losses_of_several_cases_have_intervals():
    logits, counts = problem(n=60, least=2)
    rows, notes = losses(counts, softmax(logits), n_resamples=50, level=0.9)
    ends = {row.loss: (row.low, row.high) for row in rows if row.class_ is None}
    assert len(ends) >= 10 and not notes
    for loss, (low, high) in ends.items():
        assert low is not None and low < high, loss
