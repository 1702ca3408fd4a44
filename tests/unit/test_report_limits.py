"""The section of limits of agreement: differences of ratings on a real scale."""

import re

import numpy as np
import pytest

import ugt
from ugt.report import html
from ugt.tables import limits
from ugt.tables.limits import COVERAGE

RNG = np.random.default_rng(2)
N = 40
CLEAN = RNG.normal(50, 10, N)
TABLE = CLEAN[:, None] + np.array([0, 3, -2]) + RNG.normal(0, 3, (N, 3))
MODELS = {"high": CLEAN + RNG.normal(5, 2, N), "<level>": CLEAN + 1 / 3 + RNG.normal(0, 3, N)}
PATIENT = np.arange(N) // 2


def ratings(table=TABLE):
    return ugt.Ratings.from_wide(table, scale="real", annotators=[f"reader {j}" for j in range(table.shape[1])])


def evaluated(table=TABLE, models=MODELS, **options):
    return ugt.evaluate(ratings(table), models, n_resamples=20, **options)


def section(made):
    found = re.search(r'<section id="limits".*?</section>', html(made.to_dict()), re.S)
    return found and found[0]


@pytest.mark.parametrize("clusters", [None, PATIENT])
def test_rows_are_those_of_bland_altman(clusters):
    made = evaluated(clusters=clusters)
    rows = made.tables["limits"]
    assert [(row["first"], row["second"]) for row in rows] == [
        ("any annotator", "any other"), ("reader 0", "reader 1"), ("reader 0", "reader 2"), ("reader 1", "reader 2"),
        ("high", "all annotators"), ("<level>", "all annotators"),
    ]  # fmt: skip
    given = {"clusters": clusters, "coverage": COVERAGE}
    pairs = ugt.humans.bland_altman(ratings(), level=1 - 0.05 / 3, **given).pairs
    models = [ugt.humans.bland_altman(ratings(), one, level=1 - 0.05 / 2, **given).pairs[-1] for one in MODELS.values()]
    for row, one in zip(rows, (ugt.humans.bland_altman(ratings(), **given).population, *pairs, *models)):
        for name in ("bias", "lower", "upper"):
            known = [getattr(one, name), *getattr(one, f"{name}_interval")]
            assert [row[name], row[f"{name}_low"], row[f"{name}_high"]] == [None if np.isnan(x) else x for x in known]
        assert row["reason"] == one.reason
    assert (rows[0]["lower"] is None) == (clusters is not None)
    assert ("not defined, limits.csv says why" in section(made)) == (clusters is not None)


def test_the_heading_names_models_that_rate_higher():
    found = section(evaluated())
    assert "rates higher than these annotators on average</h2>" in found
    assert "<bdi>high</bdi>" in found and "&lt;level&gt;" in found and "<level>" not in found
    assert "No model is shown to rate higher or lower" in section(evaluated(models={"<level>": MODELS["<level>"]}))
    assert "rate lower than these annotators" in section(evaluated(models={name: CLEAN - 9 for name in "ab"}))
    assert "How far two annotators" in section(evaluated(models={}))


def test_many_numbers(monkeypatch):
    monkeypatch.setattr(limits, "MOST_CELLS", N * 9 * 3 - 1)
    made = evaluated()
    assert len(made.tables["limits"]) == 0 and any("ugt.humans.bland_altman has no such limit" in note for note in map(str, made.notes))


def test_many_annotators_and_few():
    rng = np.random.default_rng(0)
    many = evaluated(CLEAN[:, None] + rng.normal(size=(N, 13)))
    assert len(many.tables["limits"]) == 0 and section(many) is None
    assert any("Limits of agreement were not computed: over 12 annotators" in note for note in map(str, many.notes))
    six = evaluated(CLEAN[:, None] + rng.normal(size=(N, 6)), models={})
    assert len(six.tables["limits"]) == 16
    assert "the 11 pairs with the largest of 15, limits.csv has all" in section(six)


def test_readers_who_always_agree():
    made = evaluated(np.repeat(TABLE[:, :1], 2, axis=1), models={"same": TABLE[:, 0]}, prior=(50, 1, 2, 9))
    assert {row["reason"] for row in made.tables["limits"]} == {"all differences are alike, which leaves no spread to estimate"}
    assert "No model is shown" in section(made)
