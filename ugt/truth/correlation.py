"""Correlation over cases of two numbers of each case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error
from .._base.identifiers import as_array
from ..annotations.joins import tells_joins
from ..resampling import Linear, Result, beside, numbers_of_cases

NAMES = {"Certainty": "annotation certainty", "AgreementScore": "agreement with the other annotators"}  # of records
FEWEST = 3  # cases; the correlation of two cases is always 1 or -1


class Correlation(Linear):
    """The statistic of Pearson's correlation of two columns, computed from sums of centred values and of their products."""

    span = (-1.0, 1.0)

    def __init__(self, x: Array, y: Array) -> None:
        self._kept = np.isfinite(x) & np.isfinite(y)
        self.n_cases = len(x)
        pair = np.where(self._kept, [x, y], 0.0)
        centred = np.where(self._kept, pair - pair.sum(axis=1, keepdims=True) / max(self._kept.sum(), 1), 0.0)
        largest = np.abs(centred).max(axis=1, initial=0.0, keepdims=True)
        varies = largest > 1e-12 * np.abs(pair).max(axis=1, initial=0.0, keepdims=True)  # a smaller spread is rounding error
        u, v = np.where(varies, centred / np.where(largest > 0, largest, 1.0), 0.0)
        self._enough = self._kept.sum() >= FEWEST
        self.columns = np.stack([self._kept * 1.0, u, v, u * u, v * v, u * v], axis=1)

    @property
    def kept(self) -> Bools:
        """(N,) cases for which both numbers are defined."""
        return np.asarray(self._kept)

    def answer(self, sums: Array) -> Array:
        """Return the (B, 1) correlations; NaN if a column is constant or too few cases are defined."""
        n, u, v, uu, vv, uv = sums.T
        above, below = n * uv - u * v, (n * uu - u * u) * (n * vv - v * v)
        known = (n * uu - u * u > 1e-12 * n * uu) & (n * vv - v * v > 1e-12 * n * vv) & self._enough
        found = np.divide(above, np.sqrt(np.where(known, below, 1.0)), out=np.full(len(n), np.nan), where=known)
        return np.asarray(np.clip(found, -1.0, 1.0)[:, None])

    def influence(self) -> Array:
        """Return the (N, 1) derivatives of the correlation by the weights of the cases."""
        r, n = self.estimate[0], self._kept.sum()
        u, v = self.columns[:, 1:3].T
        with np.errstate(invalid="ignore", divide="ignore"):
            u, v = u / np.sqrt((u * u).sum() / n), v / np.sqrt((v * v).sum() / n)
        return np.asarray(np.where(self._kept, (u * v - r * (u * u + v * v) / 2) / n, 0.0)[:, None])


@dataclass(frozen=True, eq=False, repr=False)
class CaseCorrelation(Result):
    """The correlation over cases of two numbers of each case, as :func:`case_correlation` returns it.

    Attributes
    ----------
    value : float
        Pearson's r, in [-1, 1]; NaN with fewer than three cases, or if a number is the same for all cases.
    first, second : (N,) arrays
        The two numbers of each case.
    names : (str, str)
        Names of the two numbers, if their records have them.
    n_cases, left_out : int, mapping
        Cases for which both numbers are defined, and cases left out by reason.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.truth.case_correlation([0.9, 0.5, 0.7, 1.0], [1.0, 0.4, 0.5, 0.9])
    >>> round(found.value, 3), found.n_cases
    (0.919, 4)
    """

    value: float
    first: Array
    second: Array
    names: tuple[str, str]
    n_cases: int
    left_out: Mapping[str, int]
    _statistic: Correlation = field(repr=False)
    _ids: NDArray[Any] | None = field(default=None, repr=False)


@tells_joins
def case_correlation(first: object, second: object) -> CaseCorrelation:
    """Return the correlation over cases of two numbers of each case, such as certainty and annotator agreement [A figures 7 and 13].

    It is Pearson's ``r = Σ (x_i - x̄)(y_i - ȳ) / sqrt(Σ (x_i - x̄)² Σ (y_i - ȳ)²)`` over the cases i for which both are defined.

    Parameters
    ----------
    first, second : records with ``per_case``, or (N,) arrays
        Numbers of the same cases in the same order, such as a :class:`Certainty`, an :class:`Estimate` or an :class:`AgreementScore`; NaN
        where a number is undefined.

    Returns
    -------
    CaseCorrelation
        With intervals over cases, or over clusters of them.

    Raises
    ------
    ValueError
        If there is not one number for each case, or a number is infinite.

    Notes
    -----
    Two numbers that are computed from the same annotations share the errors of these annotations. Their correlation shows that they
    describe the same disagreement, not that either is right.

    References
    ----------
    [A] Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", figures 7, 13.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 1, 2], [2, 2, 2], [0, 0, 1]])
    >>> certainty = ugt.annotation_certainty(ugt.dirichlet(labels))
    >>> found = ugt.truth.case_correlation(certainty, ugt.agreement.leave_one_annotator_out(labels))
    >>> round(found.value, 2), found.n_cases
    (0.95, 6)
    """
    own = numbers_of_cases("first", first)
    x, y = _numbers("first", own.values), _numbers("second", beside("second", second, first))
    if len(x) != len(y):
        raise error("second", f"have the {len(x)} cases of first", len(y))
    ids = numbers_of_cases("second", second).rows if own.rows is None else own.rows
    one = Correlation(x, y)
    n = one.n_counted
    left_out = {"case without one of the numbers": len(x) - n} if n < len(x) else {}
    names = NAMES.get(type(first).__name__, "first number"), NAMES.get(type(second).__name__, "second number")
    return CaseCorrelation(float(one.estimate[0]), x, y, names, n, left_out, one, ids)


def _numbers(argument: str, given: object) -> Array:
    found = as_array(given)
    if found.ndim != 1 or found.dtype.kind not in "fiub":
        raise error(argument, "be one number for each case", f"{found.dtype} of shape {found.shape}")
    if np.isinf(found.astype(np.float64)).any():
        i = int(np.flatnonzero(np.isinf(found))[0])
        raise error(argument, "be finite, or NaN where it is undefined", float(found[i]), f"case {i}")
    return found.astype(np.float64)
