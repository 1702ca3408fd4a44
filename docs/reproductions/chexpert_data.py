"""Labels of eight radiologists and scores of ten models on CheXpert, with the numbers of [D table 4] as printed."""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path

import numpy as np

import ugt

FOLDER = Path(os.environ.get("UGT_CHEXPERT", Path(__file__).resolve().parents[3] / "shared" / "data" / "chexpert"))
FINDINGS = ("Atelectasis", "Cardiomegaly", "Consolidation", "Edema", "Pleural Effusion")
FIVE = ("bc1", "bc2", "bc3", "bc5", "bc7")  # whose majority is the ground truth of the competition

BOTH = ("cases", "annotators")

# Table 4 as printed: AUROC, s-AUROC, AP, s-AP.
PRINTED = {
    "Atelectasis": {
        "jfaboy": (0.894, 0.839, 0.747, 0.702), "ngango3": (0.893, 0.839, 0.747, 0.703), "uestc": (0.891, 0.835, 0.736, 0.685),
        "drnet": (0.891, 0.835, 0.736, 0.685), "sensexdr": (0.891, 0.835, 0.736, 0.685), "ihil": (0.891, 0.835, 0.736, 0.685),
        "ngango2": (0.890, 0.838, 0.730, 0.696), "hieupham": (0.889, 0.838, 0.720, 0.693), "desmond": (0.875, 0.827, 0.720, 0.685),
        "yww211": (0.875, 0.825, 0.735, 0.687),
    },
    "Cardiomegaly": {
        "sensexdr": (0.947, 0.832, 0.599, 0.665), "ihil": (0.946, 0.832, 0.857, 0.665), "ngango3": (0.944, 0.835, 0.844, 0.664),
        "hieupham": (0.943, 0.836, 0.851, 0.666), "desmond": (0.940, 0.834, 0.844, 0.662), "drnet": (0.940, 0.827, 0.844, 0.660),
        "ngango2": (0.939, 0.834, 0.840, 0.662), "yww211": (0.938, 0.835, 0.850, 0.665), "uestc": (0.936, 0.826, 0.846, 0.663),
        "jfaboy": (0.929, 0.822, 0.844, 0.658),
    },
    "Consolidation": {
        "jfaboy": (0.927, 0.853, 0.451, 0.402), "uestc": (0.921, 0.848, 0.408, 0.397), "drnet": (0.921, 0.848, 0.408, 0.397),
        "sensexdr": (0.921, 0.848, 0.408, 0.397), "ihil": (0.921, 0.848, 0.408, 0.397), "yww211": (0.918, 0.851, 0.354, 0.392),
        "ngango3": (0.912, 0.846, 0.382, 0.384), "desmond": (0.905, 0.847, 0.330, 0.383), "ngango2": (0.892, 0.835, 0.279, 0.353),
        "hieupham": (0.891, 0.831, 0.304, 0.357),
    },
    "Edema": {
        "drnet": (0.935, 0.871, 0.706, 0.633), "sensexdr": (0.935, 0.871, 0.706, 0.633), "ihil": (0.935, 0.871, 0.706, 0.633),
        "uestc": (0.935, 0.869, 0.694, 0.628), "yww211": (0.932, 0.865, 0.633, 0.598), "desmond": (0.929, 0.859, 0.637, 0.597),
        "ngango2": (0.926, 0.864, 0.646, 0.606), "hieupham": (0.924, 0.862, 0.637, 0.603), "jfaboy": (0.922, 0.856, 0.566, 0.566),
        "ngango3": (0.911, 0.857, 0.590, 0.588),
    },
    "Pleural Effusion": {
        "hieupham": (0.979, 0.920, 0.908, 0.796), "ngango3": (0.979, 0.918, 0.911, 0.796), "jfaboy": (0.978, 0.917, 0.917, 0.793),
        "ngango2": (0.977, 0.917, 0.350, 0.795), "yww211": (0.974, 0.918, 0.912, 0.795), "uestc": (0.973, 0.917, 0.883, 0.774),
        "drnet": (0.973, 0.917, 0.883, 0.774), "sensexdr": (0.973, 0.917, 0.883, 0.774), "ihil": (0.973, 0.917, 0.883, 0.774),
        "desmond": (0.962, 0.906, 0.849, 0.764),
    },
}  # fmt: skip


@cache
def data():
    """Labels (N, 8, 5) with the names of the radiologists, and scores (N, 5) by model, of the 500 studies of the test set."""
    if not FOLDER.is_dir():
        raise FileNotFoundError(f"no folder {FOLDER}: set UGT_CHEXPERT to a checkout of rajpurkarlab/cheXpert-test-set-labels")
    readers = {path.name[:3]: table(path) for path in sorted(FOLDER.glob("radiologists/*/bc*.csv"))}
    models = {path.name.split("_")[0]: table(path) for path in sorted(FOLDER.glob("example_models/predictions/standard/*.csv"))}
    cases = sorted(next(iter(readers.values())))
    labels, *scores = (np.array([[one[case] for case in cases] for one in every.values()]) for every in (readers, models))
    return labels.transpose(1, 0, 2).astype(int), tuple(readers), dict(zip(models, scores[0]))


def table(path):
    """Study → its numbers of the five findings."""
    with path.open(newline="", encoding="utf-8") as file:
        return {row["Study"]: [float(row[name]) for name in FINDINGS] for row in csv.DictReader(file)}


def labels_of(finding, readers=None):
    """The labels of all radiologists, or of some."""
    labels, names, _ = data()
    taken = [name for name in names if readers is None or name in readers]
    cells = labels[:, [names.index(name) for name in taken], FINDINGS.index(finding)]
    return ugt.Labels.from_wide(cells, annotators=taken, classes=[0, 1])


@cache
def found(finding, readers=None):
    """AUROC and AP of every model, in the order of the printed table."""
    labels, at = labels_of(finding, readers), FINDINGS.index(finding)
    scores = {model: data()[2][model][:, at] for model in PRINTED[finding]}
    return {model: (ugt.soft_auroc(labels, own), ugt.soft_average_precision(labels, own)) for model, own in scores.items()}


def values(finding, readers=None):
    """(10, 4) AUROC, s-AUROC, AP, s-AP."""
    return np.array([[roc.hard, roc.value, precision.hard, precision.value] for roc, precision in found(finding, readers).values()])


@cache
def alike(finding):
    """Models with the same four numbers, which have the same scores: names joined, and the first of them."""
    groups = {}
    for model, row in zip(PRINTED[finding], values(finding).tolist()):
        groups.setdefault(tuple(row), []).append(model)
    return {", ".join(models): models[0] for models in groups.values()}


def text(ends, digits=2):
    return " to ".join(f"{end:.{digits}f}" for end in ends)
