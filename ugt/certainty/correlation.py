"""Correlation over cases of two numbers of each case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error
from .._base.identifiers import as_array
from ..resampling import Linear, Result

NAMES = {"Certainty": "annotation certainty", "AgreementScore": "agreement with the other annotators"}  # of records
FEWEST = 3  # cases: the correlation of two is 1 or -1, whatever they are


class Correlation(Linear):
    """Pearson's correlation of two columns, as a function of sums of centred values and their products."""

    span = (-1.0, 1.0)

    def __init__(self, x: Array, y: Array) -> None:
        self._kept = np.isfinite(x) & np.isfinite(y)
        self.n_cases = len(x)
        pair = np.where(self._kept, [x, y], 0.0)
        centred = np.where(self._kept, pair - pair.sum(axis=1, keepdims=True) / max(self._kept.sum(), 1), 0.0)
        largest = np.abs(centred).max(axis=1, initial=0.0, keepdims=True)
        varies = largest > 1e-12 * np.abs(pair).max(axis=1, initial=0.0, keepdims=True)  # below it is rounding
        u, v = np.where(varies, centred / np.where(largest > 0, largest, 1.0), 0.0)
        self._enough = self._kept.sum() >= FEWEST
        self.columns = np.stack([self._kept * 1.0, u, v, u * u, v * v, u * v], axis=1)

    @property
    def kept(self) -> Bools:
        """(N,) cases for which both numbers are defined."""
        return np.asarray(self._kept)

    def answer(self, sums: Array) -> Array:
        """(B, 1)."""
        n, u, v, uu, vv, uv = sums.T
        above, below = n * uv - u * v, (n * uu - u * u) * (n * vv - v * v)
        known = (n * uu - u * u > 1e-12 * n * uu) & (n * vv - v * v > 1e-12 * n * vv) & self._enough
        found = np.divide(above, np.sqrt(np.where(known, below, 1.0)), out=np.full(len(n), np.nan), where=known)
        return np.asarray(np.clip(found, -1.0, 1.0)[:, None])

    def influence(self) -> Array:
        """(N, 1)."""
        r, n = self.estimate[0], self._kept.sum()
        u, v = self.columns[:, 1:3].T
        with np.errstate(invalid="ignore", divide="ignore"):
            u, v = u / np.sqrt((u * u).sum() / n), v / np.sqrt((v * v).sum() / n)
        return np.asarray(np.where(self._kept, (u * v - r * (u * u + v * v) / 2) / n, 0.0)[:, None])


@dataclass(frozen=True, eq=False, repr=False)
class CaseCorrelation(Result):
    """Correlation over cases of two numbers of each case, made by :func:`case_correlation`.

    Attributes
    ----------
    value : float
        Pearson's r, in [-1, 1]; NaN with fewer than three cases, or if a number is the same for all cases.
    first, second : (N,) arrays
        The numbers.
    names : (str, str)
        What they are, as far as their records say it.
    n_cases, left_out : int, mapping
        Cases for which both numbers are defined; the others, by reason.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.case_correlation([0.9, 0.5, 0.7, 1.0], [1.0, 0.4, 0.5, 0.9])
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


def case_correlation(first: Any, second: Any) -> CaseCorrelation:
    """Pearson correlation over cases of two numbers of each case, such as certainty and agreement of annotators [A figures 7 and 13].

    ``r = Σ (x_i - x̄)(y_i - ȳ) / sqrt(Σ (x_i - x̄)² Σ (y_i - ȳ)²)`` over the cases i for which both are defined.

    Parameters
    ----------
    first, second : records with ``per_case``, or (N,) arrays
        Of the same cases in the same order, such as a :class:`Certainty`, an :class:`Estimate` or an :class:`AgreementScore`; NaN where a
        number is undefined.

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
    Two numbers that are computed from the same annotations share the errors of these: their correlation says that they describe the same
    disagreement, not that either is right.

    References
    ----------
    [A] Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", figures 7, 13.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 1, 2], [2, 2, 2], [0, 0, 1]])
    >>> certainty = ugt.annotation_certainty(ugt.dirichlet(labels))
    >>> found = ugt.case_correlation(certainty, ugt.leave_one_annotator_out(labels))
    >>> round(found.value, 2), found.n_cases
    (0.95, 6)
    """
    x, y = _numbers("first", first), _numbers("second", second)
    if len(x) != len(y):
        raise error("second", f"have the {len(x)} cases of first", len(y))
    one = Correlation(x, y)
    n = one.n_counted
    left_out = {"case without one of the numbers": len(x) - n} if n < len(x) else {}
    names = NAMES.get(type(first).__name__, "first number"), NAMES.get(type(second).__name__, "second number")
    return CaseCorrelation(float(one.estimate[0]), x, y, names, n, left_out, one, getattr(first, "_ids", None))


def _numbers(argument: str, given: Any) -> Array:
    found = as_array(getattr(given, "per_case", given))
    if found.ndim != 1 or found.dtype.kind not in "fiub":
        raise error(argument, "be one number for each case", f"{found.dtype} of shape {found.shape}")
    if np.isinf(found.astype(np.float64)).any():
        i = int(np.flatnonzero(np.isinf(found))[0])
        raise error(argument, "be finite, or NaN where it is undefined", float(found[i]), f"case {i}")
    return found.astype(np.float64)
