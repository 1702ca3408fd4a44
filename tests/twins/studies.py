"""Evaluations whose reports are looked at: one of each kind, as functions without arguments; the data are generated."""

import json
import warnings
from functools import cache

import numpy as np

import ugt
from ugt import synthetic
from ugt.report import html

N_RESAMPLES = 60


def _scores(truth, n_classes, right, rng):
    """Scores of a model whose first choice is the truth in this share of the cases."""
    first = np.where(rng.random(len(truth)) < right, truth, rng.integers(0, n_classes, len(truth)))
    return np.eye(n_classes)[first] + 0.5 * rng.random((len(truth), n_classes))


def _labels(n, n_classes, n_annotators, rng, right=0.7):
    """Truth (n,) and labels (n, annotators)."""
    truth = rng.choice(n_classes, n, p=np.arange(n_classes, 0, -1) / (n_classes * (n_classes + 1) / 2))
    return truth, np.where(rng.random((n, n_annotators)) < right, truth[:, None], rng.integers(0, n_classes, (n, n_annotators)))


def demo():
    """The generated data of ``ugt demo``: rankings, three models."""
    rankings, models, _ = synthetic.make_demo(seed=0)
    return ugt.evaluate(rankings, models, n_resamples=N_RESAMPLES, seed=0, provenance={"command": "ugt demo"})


def many_classes():
    """Labels of unnamed annotators, 150 classes with long names, two models; cases without annotations."""
    rng = np.random.default_rng(4)
    n, n_classes = 600, 150
    truth, labels = _labels(n, n_classes, 5, rng, 0.6)
    counts = np.zeros((n, n_classes), int)
    np.add.at(counts, (np.repeat(np.arange(n), 5), labels.ravel()), 1)
    counts[:7] = 0
    classes = [f"Condition {i} of the skin, {'acute, with unspecified cause' * (i % 3)}" for i in range(n_classes)]
    models = {"tf-idf of the notes": _scores(truth, n_classes, 0.62, rng), "word overlap": _scores(truth, n_classes, 0.6, rng)}
    return ugt.evaluate(ugt.Labels.from_counts(counts, classes=classes), models, reliability=(1, 3, 10), n_resamples=N_RESAMPLES)


def two_classes():
    """Labels of three named annotators, two classes, one model, 26 clusters, a subgroup."""
    rng = np.random.default_rng(3)
    n = 377
    p = rng.beta(0.5, 1, n)
    case = np.repeat(np.arange(n), 3)
    label = np.where(rng.random(3 * n) < p[case], "malignant", "benign")
    score = np.clip(0.8 * p + 0.2 * rng.random(n), 0.01, 0.99)
    return ugt.evaluate(
        ugt.Labels.from_long(case, ["Reader 1", "Reader 2", "Reader 3"] * n, label),
        {"LesionNet 2.1": np.stack([1 - score, score], 1)},
        reliability=(0.25, 0.5, 1, 2, 4),
        k=1,
        n_resamples=N_RESAMPLES,
        clusters=np.arange(n) * 26 // n,
        subgroups={"site": rng.choice(["north", "south"], n)},
    )


def eight_models():
    """Eight models whose names have 24 characters; six classes."""
    rng = np.random.default_rng(5)
    truth, labels = _labels(500, 6, 4, rng)
    models = {f"model with a long name {i}": _scores(truth, 6, 0.6 + 0.03 * i, rng) for i in range(8)}
    return ugt.evaluate(ugt.Labels.from_wide(labels), models, k=1, n_resamples=N_RESAMPLES)


def two_models():
    """Two classes, two models, clusters, subgroups, a plan from which the run departs, files."""
    rng = np.random.default_rng(1)
    n = 120
    p = rng.beta(0.6, 0.9, n)
    case = np.repeat(np.arange(n), 5)
    annotator = [f"reader {a}" for _ in range(n) for a in rng.permutation(7)[:5]]
    label = np.where(rng.random(5 * n) < p[case], "malign", "benign")
    scores = {name: np.clip(w * p + (1 - w) * rng.random(n), 0.01, 0.99) for name, w in (("net", 0.8), ("forest", 0.5))}
    plan = {"reliability": [1, 2], "primary_metric": "top-1 accuracy", "blinding": "no predictions", "annotators": "seven readers"}
    return ugt.evaluate(
        ugt.Labels.from_long(case, annotator, label),
        {name: np.stack([1 - q, q], axis=1) for name, q in scores.items()},
        reliability=(0.5, 1, 2),
        k=1,
        n_resamples=N_RESAMPLES,
        clusters=np.arange(n) // 2,
        subgroups={"site": rng.choice(["north", "south"], n)},
        plan=plan,
        provenance={"inputs": [{"name": "labels.csv", "sha256": "a" * 64}], "command": "ugt evaluate"},
    )


def no_model():
    """Labels alone."""
    counts = np.random.default_rng(3).multinomial(4, [0.6, 0.3, 0.1], 200)
    return ugt.evaluate(ugt.Labels.from_counts(counts), {}, n_resamples=N_RESAMPLES)


def one_reliability():
    """Three classes, one model, one reliability."""
    rng = np.random.default_rng(6)
    truth, labels = _labels(150, 3, 3, rng)
    return ugt.evaluate(ugt.Labels.from_wide(labels), {"net": _scores(truth, 3, 0.8, rng)}, reliability=1, n_resamples=N_RESAMPLES)


def no_interval():
    """Two models on so few clusters that no interval is shown."""
    rng = np.random.default_rng(7)
    truth, labels = _labels(80, 3, 3, rng)
    models = {name: _scores(truth, 3, right, rng) for name, right in (("A", 0.8), ("B", 0.7))}
    return ugt.evaluate(ugt.Labels.from_wide(labels), models, clusters=np.arange(80) // 40, k=1, n_resamples=N_RESAMPLES)


def one_annotation():
    """One annotation per case, two models."""
    rng = np.random.default_rng(8)
    truth, labels = _labels(150, 3, 1, rng)
    models = {name: _scores(truth, 3, right, rng) for name, right in (("A", 0.8), ("B", 0.4))}
    return ugt.evaluate(ugt.Labels.from_wide(labels), models, k=1, n_resamples=N_RESAMPLES)


def four_annotators():
    """Four annotators alike, three models, one far ahead."""
    rng = np.random.default_rng(10)
    truth, labels = _labels(200, 3, 4, rng, 0.85)
    models = {name: _scores(truth, 3, right, rng) for name, right in (("A", 0.9), ("B", 0.5), ("C", 0.4))}
    return ugt.evaluate(ugt.Labels.from_wide(labels), models, k=1, reliability=(1, 2), n_resamples=N_RESAMPLES)


def given_truth():
    """Plausibilities that were made elsewhere: there is no reliability."""
    rng = np.random.default_rng(9)
    truth, labels = _labels(150, 3, 4, rng)
    shares = np.stack([(labels == c).mean(1) for c in range(3)], 1)
    models = {name: _scores(truth, 3, right, rng) for name, right in (("A", 0.8), ("B", 0.6))}
    return ugt.evaluate(ugt.Point.from_array(shares), models, k=1, n_resamples=N_RESAMPLES)


def _graded(n, rng):
    """Severity (n,) and labels of four annotators on five grades, some of which lack."""
    cuts, severity = (-1, -0.2, 0.6, 1.4), rng.normal(size=n)
    seen = severity[:, None] + np.array([-0.4, 0.0, 0.1, 0.5]) + 0.6 * rng.normal(size=(n, 4))
    grades = (np.digitize(seen, cuts) + 1).astype(object)
    grades[rng.random(grades.shape) < 0.15] = None
    return severity, ugt.Labels.from_wide(grades, ordered=[1, 2, 3, 4, 5], annotators=["Ann", "Bob", "Cat", "Dan"])


def _laws(severity, noise, rng):
    """Probabilities of five grades."""
    seen = severity + noise * rng.normal(size=len(severity))
    below = 1 / (1 + np.exp(-3 * (np.array([-1, -0.2, 0.6, 1.4]) - seen[:, None])))
    return np.diff(np.pad(below, ((0, 0), (1, 1)), constant_values=(0, 1)), axis=1)


def grades():
    """Grades of named annotators; a model of probabilities, one of numbers between the grades, one that gives random grades."""
    rng = np.random.default_rng(11)
    severity, labels = _graded(200, rng)
    models = {
        "net": _laws(severity, 0.3, rng),
        "severity score": np.clip(3 + 1.1 * (severity + 0.5 * rng.normal(size=200)), 1, 5),
        "a coin": rng.integers(1, 6, 200),
    }
    return ugt.evaluate(labels, models, k=1, reliability=(0.5, 1, 2), n_resamples=N_RESAMPLES, predictions_are="numbers")


def graded_response():
    """Grades under the graded-response model, one model."""
    rng = np.random.default_rng(12)
    severity, labels = _graded(200, rng)
    return ugt.evaluate(labels, {"net": _laws(severity, 0.4, rng)}, aggregation="graded-response", k=1, n_resamples=N_RESAMPLES)


def ratings():
    """Ratings on a real scale, two models of numbers."""
    rng = np.random.default_rng(13)
    mean = rng.normal(50, 15, 150)
    table = mean[:, None] + np.array([-3.0, 0.0, 2.0]) + rng.normal(0, 1, (150, 3)) * rng.gamma(3, 2, (150, 1))
    models = {"net": mean + rng.normal(0, 5, 150), "old": mean + 3 + rng.normal(0, 9, 150)}
    known = ugt.Ratings.from_wide(table.round(1), scale="real", annotators=["Ann", "Bob", "Cat"])
    return ugt.evaluate(known, models, reliability=(0.5, 1, 2), n_resamples=N_RESAMPLES)


def rows_of_many_cases():
    """Rows of counts with the numbers of cases for which they stand, three classes, two models of classes."""
    rng = np.random.default_rng(14)
    n, n_classes = 4000, 3
    truth, labels = _labels(n, n_classes, 5, rng, 0.75)
    counts = np.stack([(labels == k).sum(axis=1) for k in range(n_classes)], axis=1)
    chosen = np.stack([np.where(rng.random(n) < right, truth, rng.integers(0, n_classes, n)) for right in (0.85, 0.6)], axis=1)
    rows, often = np.unique(np.concatenate([counts, chosen], axis=1), axis=0, return_counts=True)
    models = {name: np.eye(n_classes)[rows[:, n_classes + j]] for j, name in enumerate(("net", "rule"))}
    return ugt.evaluate(ugt.Labels.from_counts(rows[:, :n_classes]), models, frequency=often, k=1, n_resamples=N_RESAMPLES)


STUDIES = (
    demo, many_classes, two_classes, eight_models, two_models, no_model, one_reliability, no_interval, one_annotation,
    four_annotators, given_truth, grades, graded_response, ratings, rows_of_many_cases,
)  # fmt: skip


@cache
def data(study):
    """The record of a study, as it is read from its file."""
    with warnings.catch_warnings():  # few cases, few labels: said in the report
        warnings.simplefilter("ignore")
        return json.loads(json.dumps(study().to_dict()))


@cache
def page(study):
    """Its report."""
    return html(data(study))
