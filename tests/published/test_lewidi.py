"""Scores of LeWiDi 2025 that a participating team printed; annotations and predictions are read from ``UGT_LEWIDI``, and never kept here.

The folder has ``Paraphrase_dev.json`` of the shared task, and the predictions ``gpt-4o-mini_10_random_dev_predictions.json`` of the team
DeMeVa (GitHub, ``cs-nlp-uu/LeWiDi_ICL``), whose notebook ``icl-par-demo.ipynb`` prints both scores, by the code of the shared task.
"""

import json

import numpy as np
import pytest
from conftest import SHARED, located

import ugt

GRADES = list(range(-5, 6))


@pytest.fixture(scope="module")
def paraphrase():
    folder = located("UGT_LEWIDI", SHARED / "data" / "lewidi")
    items = json.loads((folder / "Paraphrase_dev.json").read_text(encoding="utf-8"))
    guesses = json.loads((folder / "gpt-4o-mini_10_random_dev_predictions.json").read_text(encoding="utf-8"))
    rows = [(case, who, int(grade)) for case, item in items.items() for who, grade in item["annotations"].items()]
    predicted = [(case, f"Ann{a + 1}", grade) for case, row in zip(items, guesses) for a, grade in enumerate(row)]
    return rows, predicted


def test_the_printed_scores(paraphrase):
    rows, predicted = (list(zip(*one)) for one in paraphrase)
    found = ugt.humans.perspectivist_distance(ugt.Ratings.from_long(*rows), ugt.Ratings.from_long(*predicted), divide_by=11)
    assert found.value == pytest.approx(0.17272727272727273, rel=1e-13)
    labels, guesses = (ugt.Labels.from_long(*one, classes=GRADES) for one in (rows, predicted))
    assert np.array_equal(labels.axes.case_ids, guesses.axes.case_ids)
    assert ugt.calibration.wasserstein_distance(labels, guesses.counts() / 4).value == pytest.approx(1.7, rel=1e-13)
