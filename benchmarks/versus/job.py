"""What a comparison with a peer is: a job that both sides do on the same input, and how far their answers may be apart."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

# The folder of requirements has a file of each name; the module in peers is named alike, with an underscore for a hyphen.
PEERS = ("scikit-learn", "crowd-kit", "krippendorff", "statsmodels", "netcal", "mapie", "choix", "scipy", "numpyro")


@dataclass(frozen=True)
class Job:
    """One row of the table.

    ``ours`` and ``theirs`` take the input, import what they need and bring the input into the form that their library wants; what
    they return is called without arguments, and only that is timed.
    """

    name: str
    size: str
    data: Callable[[], Any]
    ours: Callable[[Any], Callable[[], Any]]
    theirs: Callable[[Any], Callable[[], Any]]
    tolerance: float
    apart: Callable[[Any, Any], float]
    note: str = ""
    effective: Callable[[Any], float] | None = None  # effective draws in an answer: rates are compared then, not times


def jobs_of(peer, quick):
    """The jobs of a peer, in the order of the table."""
    return importlib.import_module("peers." + peer.replace("-", "_")).jobs(quick)


def largest(ours, theirs):
    """Largest absolute difference of numbers; infinite where shapes differ or only one side is undefined."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.shape != theirs.shape or not np.array_equal(np.isnan(ours), np.isnan(theirs)):
        return math.inf
    apart = np.abs(ours - theirs)[~np.isnan(ours)]
    return float(apart.max()) if apart.size else 0.0


def share_apart(ours, theirs):
    """Share of the entries, or rows of a table, that are not the same."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        return math.inf
    apart = ours != theirs
    return float((apart.any(1) if apart.ndim == 2 else apart).mean())
