"""Metrics on dask: of data in partitions, on one machine or many. It needs dask (``pip install 'ugt[dask]'``).

Each partition gives a state of :mod:`ugt.states`; states are merged in a tree. dask provides the graph, workers, retries and shuffles.
"""

from __future__ import annotations

from .cases import cases_apart, labels, per_case, ratings
from .merging import compute, partial
from .skills import dawid_skene

__all__ = ["cases_apart", "compute", "dawid_skene", "labels", "partial", "per_case", "ratings"]
