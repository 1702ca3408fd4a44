"""Reading of model scores for the metrics that compare orders of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import NDArray
from .._base.axes import OnAxes
from .._base.identifiers import as_array
from ..annotations.named import table as in_order
from ..annotations.predictions import Predictions
from ..plausibilities.orders import Orders


def orders_of(truth: OnAxes, scores: object, k: int, ties: str) -> Orders:
    """Return the model's order of classes down to its best k; refuse scores that are NaN or do not fit the truth's (N, K)."""
    k = checks.whole("k", k, 1, truth.n_classes)
    return Orders.from_dense(scores_of(truth, scores), k, checks.option("ties", ties, checks.TIES))


def scores_of(truth: OnAxes, scores: object) -> NDArray[Any]:
    """Return the scores (N, K) in the order of the truth's cases and classes; refuse scores that are NaN or do not fit."""
    table = as_array(in_order("scores", scores, truth.axes.case_ids, truth.axes.classes))
    if table.dtype.kind not in "fiub" or table.shape != (truth.n_cases, truth.n_classes):
        way = f"of predicted classes from 0 on make scores by np.eye({truth.n_classes})[predicted]" if table.ndim == 1 else ""
        must = f"be numbers of shape {(truth.n_cases, truth.n_classes)}"
        raise checks.error("scores", must, f"{table.dtype} of shape {table.shape}", way=way)
    least = np.minimum.reduce(table, axis=None)
    if least != least:  # noqa: PLR0124  (NaN)
        i, j = np.argwhere(np.isnan(table))[0]
        raise checks.error("scores", "not be NaN", "nan", f"case {truth.axes.case_name(i)}, class {truth.axes.class_name(j)}")
    return table


def looks_like_scores(truth: OnAxes, given: object) -> bool:
    """Return whether an argument for sets is in fact an (N, K) table of numbers, such as scores."""
    if isinstance(given, OnAxes):
        return False
    if isinstance(given, Predictions):
        return True
    try:
        table = as_array(given)
    except ValueError:  # rows of different lengths
        return False
    return table.dtype.kind in "fiu" and table.shape == (truth.n_cases, truth.n_classes)
