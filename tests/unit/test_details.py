"""What holds for the tables of every section."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import labels_of_rows
from twins import details

import ugt
from ugt.evaluation import passes
from ugt.tables import confusion, coverage, curves, dispersion, sensitivity, truth_models
from ugt.tables.context import MOST_CELLS

N = 300
RNG = np.random.default_rng(0)
TRUTH = RNG.dirichlet(np.ones(3), N)
MODELS = {f"M{j}": 0.6 * TRUTH + 0.4 * RNG.dirichlet(np.ones(3), N) for j in range(2)}
LABELS = labels_of_rows(*zip(*((i, f"r{RNG.integers(5)}", RNG.choice(3, p=TRUTH[i])) for i in range(N) for _ in range(3))), classes=3)
RANKINGS = ugt.Rankings.from_blocks(
    [[[[k] for k in RNG.permutation(3)[:2].tolist()] for _ in range(3)] for _ in range(N)], n_classes=3, offered="all"
)


@pytest.mark.parametrize(("known", "clusters"), [(LABELS, None), (LABELS, np.arange(N) // 2), (RANKINGS, None)])
def test_threads_give_the_same_bytes(known, clusters):
    context = details.context(known, MODELS, clusters=clusters)
    tables, notes = passes.tables_of(context)
    with ugt.resampling.threads(3):
        again, others = passes.tables_of(context)
    assert others == notes and {name: list(table) for name, table in again.items()} == {name: list(table) for name, table in tables.items()}
    assert all(tables[name] for name in ("confusion", "set_coverage", "curves", "sensitivity", "truth_models", "strata"))


@pytest.mark.parametrize("room", [1, 2 * N, 5 * N])
def test_one_pass_and_several_give_the_same_bytes(monkeypatch, room):
    tables, notes = passes.tables_of(details.context(LABELS, MODELS))
    monkeypatch.setattr(passes, "ROOM", room)
    again, others = passes.tables_of(details.context(LABELS, MODELS))
    assert others == notes and {name: list(table) for name, table in again.items()} == {name: list(table) for name, table in tables.items()}


@pytest.mark.parametrize(
    ("section", "notes"),
    [
        (confusion, []),
        (coverage, [f"Prediction sets were not made: over {MOST_CELLS:,} cases x classes."]),
        (curves, [f"ROC and precision-recall curves were not computed: over {MOST_CELLS:,} cases x classes."]),
        (dispersion, None),
        (sensitivity, None),
        (truth_models, None),
    ],
    ids=lambda section: getattr(section, "__name__", ""),
)
def test_without_models_or_means_there_are_none(section, notes):
    none = {name: [] for name in section.TABLES}
    assert details.made(section, LABELS, {}) == (none, [])
    if notes is not None:
        assert details.made(section, LABELS, MODELS, mean=False) == (none, notes)
        undefined = replace(details.context(LABELS, MODELS), mean=np.full((N, 3), np.nan))
        assert section is confusion or details.made(section, undefined) == (none, [])
