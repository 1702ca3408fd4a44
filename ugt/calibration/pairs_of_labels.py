"""Disagreement that predictions imply, and unbiased estimates of statistics of several labels [B sec. 4]."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Callable

import numpy as np

from .._base import checks
from .._base.arrays import Array, NDArray
from .._base.axes import Frozen
from .._core import _histogram
from ..annotations.joins import tells_joins
from ..annotations.named import Sheet, leader, placed
from ..annotations.named import table as in_order
from ..annotations.probabilities import OUTSIDE
from ..resampling import over
from .input import array_of, whole_counts

ROW_SUM = _histogram.ROW_SUM
MAX_MULTISETS = 100_000  # most multisets of n classes, each of which takes a pass over the cases


@dataclass(frozen=True, eq=False, repr=False)
class PredictedDisagreement(Frozen):
    """The predicted probabilities that two labels of a case differ.

    Attributes
    ----------
    overall : (N,) array
        Probability that the labels are different classes.
    per_class : (N, K) array
        Probability that one label is class k and the other is not.

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.predicted_disagreement([[0.5, 0.5], [0.9, 0.1]]).overall.round(2)
    array([0.5 , 0.18])
    """

    overall: Array
    per_class: Array
    _case_ids: NDArray[Any] | None = field(default=None, repr=False)
    _classes: NDArray[Any] | None = field(default=None, repr=False)


@tells_joins
def predicted_disagreement(predictions: object, *, kind: str = "probability") -> PredictedDisagreement:
    """Return the disagreement between two annotators that predictions imply: points, Dirichlet laws, or ensembles of either.

    For probabilities z it is ``1 - Σ z_k²`` overall and ``2 z_k (1 - z_k)`` by class. For Dirichlet(α) with sum α0 and mean z, both are
    multiplied by α0 / (α0 + 1). For an ensemble it is the mean over the members.

    Parameters
    ----------
    predictions : (N, K) or (S, N, K) array
        Probabilities or concentrations; three axes hold S members of an ensemble.
    kind : {"probability", "dirichlet"}
        Kind of the predictions: probabilities that add up to 1 (within 1e-4), or concentrations, at least 0 and not all 0.

    Returns
    -------
    PredictedDisagreement

    Raises
    ------
    ValueError
        If a shape or a value does not fit; the message names the first case.

    Notes
    -----
    A point prediction implies the same disagreement for every case with this prediction.

    References
    ----------
    [B] Mimori et al. (2021), eq. 49, 50 (Dirichlet), 51 (ensembles).

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.predicted_disagreement([[2.0, 2.0], [0.5, 0.5]], kind="dirichlet").overall
    array([0.4 , 0.25])
    >>> ugt.calibration.predicted_disagreement([[[1.0, 0.0]], [[0.5, 0.5]]]).overall
    array([0.25])
    """
    dirichlet = checks.option("kind", kind, ("probability", "dirichlet")) == "dirichlet"
    must = "be numbers of shape (N, K) or (S, N, K), K at least 2"
    sheet = leader("predictions", predictions)
    table = array_of("predictions", sheet.values, must)
    if table.ndim not in (2, 3) or 0 in table.shape or table.shape[-1] < 2:
        raise checks.error("predictions", must, f"{table.dtype} of shape {table.shape}")
    members = table if table.ndim == 3 else table[None]
    checks.room("predictions", 24 * members[0].size)
    overall, per_class = np.zeros(members.shape[1]), np.zeros(members.shape[1:])
    for member in members:
        z, share = _mean_and_share(np.asarray(member, np.float64), dirichlet)
        # probabilities may be rounded, so that the difference can be slightly negative; disagreement must not be
        overall += share * np.maximum(1 - (z**2).sum(axis=1), 0)
        per_class += share[:, None] * np.maximum(2 * z * (1 - z), 0)
    return PredictedDisagreement(overall / len(members), per_class / len(members), sheet.rows, sheet.columns)


def _mean_and_share(table: Array, dirichlet: bool) -> tuple[Array, Array]:
    """Return z, and the factor by which uncertainty about z lowers disagreement."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = table.sum(axis=1)
    if dirichlet:
        bad = ~(table >= 0).all(axis=1) | ~((total > 0) & np.isfinite(total))
        must = "be concentrations, at least 0 and not all 0, with a finite sum"
    else:
        bad = ~((table >= -OUTSIDE) & (table <= 1 + OUTSIDE)).all(axis=1) | ~(np.abs(total - 1) <= 1e-4)
        must = "be probabilities that add up to 1 for every case"
    if bad.any():
        i = int(np.argmax(bad))
        raise checks.error("predictions", must, table[i].tolist(), f"case {i}")
    return (table / total[:, None], total / (total + 1)) if dirichlet else (table, np.ones(len(table)))


def symmetric_statistic(counts: object, phi: Callable[..., Any], n: int) -> Array:
    """Return the unbiased estimate, for each case, of the expectation of a symmetric statistic of n of its labels.

    The estimate is the U-statistic of the case, the mean of ``phi`` over all sets of n different labels [B eq. 17].

    Parameters
    ----------
    counts : (N, K) array or Labels
        Labels of each case by class, whole numbers.
    phi : function
        Symmetric function of n class numbers, called with them in ascending order. It returns a number, or M numbers, such as 0 or 1 for
        each of M values [B app. C].
    n : int
        Number of labels, at least 1. ``phi`` is called once for each of the (K + n - 1 over n) multisets, at most 100,000.

    Returns
    -------
    (N,) or (N, M) array
        Estimates; NaN for cases with fewer than n labels.

    Raises
    ------
    ValueError
        If counts are not label counts, there are too many multisets, or phi does not always return the same number of finite numbers.

    References
    ----------
    [B] Mimori et al. (2021), eq. 17, 38. Hoeffding (1948).

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.symmetric_statistic([[3, 2, 0], [1, 1, 0], [5, 0, 0], [1, 0, 0]], lambda a, b: a != b, 2)
    array([0.6, 1. , 0. , nan])
    >>> all_three_agree = lambda a, b, c: a == b == c
    >>> ugt.calibration.symmetric_statistic([[3, 2, 0], [4, 0, 0]], all_three_agree, 3)
    array([0.1, 1. ])
    >>> how_many_differ = lambda a, b, c: [len({a, b, c}) == m for m in (1, 2, 3)]
    >>> ugt.calibration.symmetric_statistic([[3, 2, 0], [1, 1, 1]], how_many_differ, 3).tolist()
    [[0.1, 0.9, 0.0], [0.0, 0.0, 1.0]]
    """
    table = whole_counts(counts)
    checks.function("phi", phi)
    size = checks.whole("n", n, 1)
    k = table.shape[1]
    if comb(k + size - 1, size) > MAX_MULTISETS:
        must = f"be small enough for at most {MAX_MULTISETS} multisets of labels"
        raise checks.error("n", must, f"{comb(k + size - 1, size)} of {size} out of {k} classes")
    total = np.empty(0)
    for chosen in combinations_with_replacement(range(k), size):
        value = _answer(phi, chosen)
        if chosen == (0,) * size:
            checks.room("the statistic", 16 * len(table) * value.size)
            total = np.zeros((len(table), *value.shape))
        if value.shape != total.shape[1:]:
            must = f"return as many numbers as for other labels, of shape {total.shape[1:]}"
            raise checks.error("phi", must, f"shape {value.shape}", f"labels {chosen}")
        if value.any():
            # number of ways in which the labels of each case form this multiset
            ways = np.prod([_choose(table[:, k], chosen.count(k)) for k in set(chosen)], axis=0)
            total += np.multiply.outer(ways, value)
    everything = _choose(table.sum(axis=1), size).reshape(-1, *[1] * (total.ndim - 1))
    return np.asarray(np.where(everything > 0, over(total, everything), np.nan))


def _answer(phi: Callable[..., Any], chosen: tuple[int, ...]) -> Array:
    """Return the numbers of phi for one multiset, of shape () or (M,)."""
    answer = phi(*chosen)
    try:
        value = np.asarray(answer)
    except ValueError:  # rows of different lengths
        value = np.empty(0)
    if value.dtype.kind not in "biuf" or value.ndim > 1 or value.size == 0 or not np.isfinite(value).all():
        raise checks.error("phi", "return one or several finite numbers", repr(answer), f"labels {chosen}")
    return value.astype(np.float64)


def _choose(n: Array, m: int) -> Array:
    out = np.ones(n.shape)
    for j in range(m):
        out = out * np.maximum(n - j, 0) / (j + 1)
    return out


# ---- input of the losses


def predictions(
    predicted: object, shape: tuple[int, ...], given: Array | None, case_ids: NDArray[Any] | None, classes: NDArray[Any] | None
) -> Array:
    """Return (N, M) predictions, overall and by class or by value of a given statistic; their range is checked later."""
    if not isinstance(predicted, PredictedDisagreement):
        predicted = in_order("predicted", predicted, case_ids)
    if given is not None and given.shape[1] > 1:
        must = f"be probabilities of the statistic's values, of shape {given.shape}, that add up to 1 for every case"
        table = array_of("predicted", predicted, must)
        if table.shape != given.shape:
            raise checks.error("predicted", must, f"{table.dtype} of shape {table.shape}")
        off = np.abs(table.sum(axis=1) - 1) > ROW_SUM
        if off.any():
            i = int(np.argmax(off))
            raise checks.error("predicted", must, f"a sum of {table[i].sum():.6g}", f"case {i}")
        return table.astype(np.float64)
    overall = given is not None
    if isinstance(predicted, PredictedDisagreement) and not overall:
        if predicted.per_class.shape != shape:
            raise checks.error("predicted", f"have {shape[0]} cases and {shape[1]} classes, as counts", predicted.per_class.shape)
        names = predicted._case_ids, predicted._classes
        by_class = placed("predicted", Sheet(predicted.per_class, *names), case_ids, classes)
        return np.concatenate([placed("predicted", Sheet(predicted.overall, names[0]), case_ids)[:, None], by_class], axis=1)
    must = f"be {shape[0]} probabilities, one per case" + ("" if overall else ", or come from predicted_disagreement")
    column = array_of("predicted", predicted, must)
    if column.shape != shape[:1]:
        raise checks.error("predicted", must, f"{column.dtype} of shape {column.shape}")
    return column.astype(np.float64)[:, None]


def given_statistic(values: object, n: int) -> Array:
    """Return the checked statistic as (N, 1) or (N, M), NaN for a case with too few labels."""
    must = f"be {n} numbers from 0 to 1 or NaN, one per case; or {n} rows of the shares of M values, which add up to 1"
    array = array_of("statistic", values, must)
    if array.ndim not in (1, 2) or len(array) != n or array.size == 0 or (array.ndim == 2 and array.shape[1] < 2):
        raise checks.error("statistic", must, f"{array.dtype} of shape {array.shape}")
    table = array.astype(np.float64).reshape(n, -1)
    missing = np.isnan(table)
    bad = ((table < 0) | (table > 1)).any(axis=1) | (missing.any(axis=1) != missing.all(axis=1))
    if table.shape[1] > 1:
        bad |= np.abs(table.sum(axis=1) - 1) > ROW_SUM
    if bad.any():
        i = int(np.argmax(bad))
        raise checks.error("statistic", must, array[i].tolist(), f"case {i}")
    return table
