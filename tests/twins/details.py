"""What the tables of an evaluation beyond its metrics are made from, as the evaluation itself makes it."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import ugt
from ugt import evaluation
from ugt._evaluation import tables

DEFAULTS = {"k": 1, "level": 0.9, "n_resamples": 60, "missing": "drop", "seed": 3}


def context(annotations, predictions, *, mean=True, **options):
    """The Context that ``ugt.evaluate`` hands to its tables; without ``mean`` as if it were too large."""
    with mock.patch.object(evaluation._details, "compute", return_value=({}, [])) as compute:
        ugt.evaluate(annotations, predictions, **{**DEFAULTS, **options})
    (found,) = compute.call_args.args
    return found if mean else replace(found, mean=None)


def certainty(found):
    """(n,) under the middle reliability."""
    return found.certainty[tables.number_name(found.reliability)]
