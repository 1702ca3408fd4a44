"""The section on annotators who were held out: its numbers are those of the check, and its sentences say so."""

import numpy as np
import pytest
from twins import details

import ugt
from ugt.tables import panel

RNG = np.random.default_rng(2)
LABELS = ugt.Labels.from_wide([RNG.choice(3, 3, p=p) for p in RNG.dirichlet([1.0] * 3, 80)], annotators=["ann", "<bob>", "cy"])
SCORES = {"M": np.eye(3)[RNG.integers(0, 3, 80)]}


def test_numbers_are_those_of_the_check():
    rows, notes = details.made(panel, LABELS, SCORES, reliability=(0.5, 2), clusters=np.arange(80) // 2, prior="fit")
    assert notes == [] and len(rows["panel_check"]) == 5
    prior = ugt.truth.fit_dirichlet_prior(LABELS).value
    for row in rows["panel_check"]:
        found = ugt.truth.split_panel_check(LABELS, reliability=row["reliability"], prior=prior, clusters=np.arange(80) // 2, seed=3)
        if row["annotator"] is None:
            assert (row["predicted"], row["observed"], row["p_value"]) == (found.predicted, found.observed, found.p_value)
            assert (row["low"], row["high"]) == found.interval(0.9)
        else:
            a = ["ann", "<bob>", "cy"].index(row["annotator"])
            assert row["adjusted_p_value"] == found.per_annotator.adjusted_p_value[a]


def test_reliabilities_of_annotators():
    own = {"ann": 3.0, "<bob>": 0.5, "cy": 1.0}
    rows, _ = details.made(panel, LABELS, {}, reliability=own)
    assert rows["panel_check"][0]["predicted"] == ugt.truth.split_panel_check(LABELS, reliability=own, seed=3).predicted


def test_the_notes_say_where_the_truth_model_is_wrong():
    _, notes = details.made(panel, LABELS, SCORES, reliability=1)
    assert notes[0].startswith("The truth model does not describe these annotators (at reliability 1): A further annotator would agree")
    assert details.made(panel, LABELS, SCORES, reliability=1, prior="fit")[1] == []


@pytest.mark.parametrize(
    ("known", "options", "n_rows"),
    [
        (ugt.Rankings.from_blocks([[[[int(k)] for k in RNG.permutation(3)] for _ in range(3)] for _ in range(20)], n_classes=3), {}, 5),
        (ugt.Labels.from_counts([[2, 1], [1, 1], [3, 0]]), {"reliability": 1, "aggregation": "plackett-luce", "n_draws": 400}, 1),
        (ugt.Labels.from_counts([[2, 1], [1, 1], [3, 0]]), {"aggregation": "votes"}, 0),
        (ugt.Labels.from_counts([[1, 0], [0, 1], [1, 0]]), {}, 0),
        (ugt.dirichlet(LABELS), {}, 0),
    ],
)
def test_which_truths_are_checked(known, options, n_rows):
    rows, _ = details.made(panel, known, {}, **options)
    assert len(rows["panel_check"]) == n_rows
