"""What the sections of a report make their tables from, as the evaluation itself makes it; and those tables, checked for their form."""

import json
from dataclasses import replace
from unittest import mock

import numpy as np

import ugt
from ugt import evaluation
from ugt.evaluation import passes
from ugt.tables.context import Context
from ugt.tables.rows import columns_of, reliability_key

DEFAULTS = {"k": 1, "level": 0.9, "n_resamples": 60, "missing": "drop", "seed": 3}


def context(annotations, predictions, *, mean=True, **options):
    """The Context that ``ugt.evaluate`` hands to sections; without ``mean`` as if it were too large."""
    annotations = ugt.Labels.from_counts(annotations) if isinstance(annotations, (list, np.ndarray)) else annotations
    with mock.patch.object(evaluation, "tables_of", return_value=({}, [])) as compute:
        ugt.evaluate(annotations, predictions, **{**DEFAULTS, **options})
    (found,) = compute.call_args.args
    return found if mean else replace(found, mean=None)


def made(section, *given, **options):
    """``(rows by table, notes)`` of one section, of a Context or of what makes it: plain values under the columns that it declares."""
    given = given[0] if isinstance(given[0], Context) else context(*given, **options)
    tables, notes = passes.tables_of(given, [section])
    assert set(tables) == set(section.TABLES)
    for name, table in tables.items():
        assert set(columns_of(section.TABLES[name])) <= set(table.columns)
        assert all(type(value) in (str, int, float, bool, type(None)) for row in table for value in row.values())
    rows = {name: list(table) for name, table in tables.items()}
    json.dumps(rows, allow_nan=False)
    return rows, [str(note) for note in notes]


def source(sections, *given, **options):
    """What of an evaluation's dictionary these sections read."""
    found = context(*given, **options)
    tables, _ = passes.tables_of(found, sections)
    return {"provenance": {"level": found.options.level}, **{name: list(table) for name, table in tables.items()}}


def models(truth, k, rng, n_models=2, share=0.7):
    """Scores M0, M1, …: the truth with noise, which is ``1 - share`` of them."""
    return {f"M{j}": share * truth + (1 - share) * rng.dirichlet(np.ones(k), len(truth)) for j in range(n_models)}


def everyday(truth):
    """Models that everybody tries first: scores that are all equal, the truth itself (n, k), and one that lacks the first case."""
    everything, n = np.asarray(truth, float), len(truth)
    return {"constant": np.full_like(everything, 0.5), "perfect": everything, "missing": (np.arange(1, n), everything[1:])}


def certainty(found):
    """(n,) under the middle reliability."""
    return found.case_certainty[reliability_key(found.reliability)]
