"""One p-value from several: combinations, and the effective number of independent tests."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._checks import error, option, room
from .._ids import as_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EXPLAINED = 0.995  # of the variance: Gao, Starmer & Martin (2008)
NOISE = 1e-12  # eigenvalues below are 0 up to rounding; their square roots would count


def combine_p_values(p: Any, method: str = "fisher", *, n_effective: float | None = None, axis: int = 0) -> Array:
    r"""Combine p-values of one hypothesis.

    With k p-values, of which m = ``n_effective`` are as good as independent (m = k by default):

    - ``"fisher"``: -2 m/k Σ ln p against χ² with 2 m degrees of freedom
    - ``"stouffer"``: √(m/k) Σ Φ⁻¹(1 - p) / √k against the normal law
    - ``"inverse_chi2"``: m/k Σ F⁻¹(1 - p), F of χ² with 1 degree of freedom, against χ² with m
    - ``"bonferroni"``: min(1, m min p)
    - ``"tippett"``: 1 - (1 - min p)^m
    - ``"mean"``: min(1, 2 mean p), valid whatever the dependence; it knows no m

    Parameters
    ----------
    p : array
        In [0, 1].
    method : str
        One of these.
    n_effective : float, optional
        m, from 1 to k: see :func:`effective_tests`.
    axis : int
        Along which p-values are combined.

    Returns
    -------
    array
        Of the shape of ``p`` without the axis, in [0, 1]. NaN by ``"stouffer"`` where 0 meets 1.

    Raises
    ------
    ValueError
        If a p-value lies outside [0, 1] or is NaN, or an option is unknown or out of range.

    Notes
    -----
    With m = k the first five take p-values as independent (Bonferroni: needs no independence). With m < k they are
    approximations without a guarantee: p-values of the samples of Monte Carlo conformal prediction share all of their
    predictions. What keeps a guarantee is ``"mean"``, ``"bonferroni"`` with m = k, and the ECDF correction of
    :class:`MonteCarloConformal`.

    References
    ----------
    Cinar & Viechtbauer, "The poolr package for combining independent and dependent p values", J. Stat. Softw. 101(1) (2022),
    sec. 2.1 and 2.3; Vovk & Wang, "Combining p-values via averaging", Biometrika 107(4) (2020), for the mean.

    Examples
    --------
    >>> import ugt
    >>> p = [0.01, 0.2, 0.3]
    >>> for method in ("fisher", "stouffer", "bonferroni", "tippett", "mean"):
    ...     print(method, float(ugt.combine_p_values(p, method).round(4)))
    fisher 0.0216
    stouffer 0.0165
    bonferroni 0.03
    tippett 0.0297
    mean 0.34
    >>> float(ugt.combine_p_values([0.04, 0.04, 0.04], "fisher", n_effective=1).round(4))
    0.04
    """
    option("method", method, (*METHODS, "mean"))
    table = _p_values(p)
    if isinstance(axis, bool) or not isinstance(axis, numbers.Integral) or not -table.ndim <= axis < table.ndim:
        raise error("axis", f"be an axis of p, which has {table.ndim}", repr(axis))
    rows = np.moveaxis(table, axis, 0)
    k = len(rows)
    if k == 0:
        raise error("p", "hold at least one p-value along the axis", "none")
    if method == "mean":
        if n_effective is not None:
            raise error("n_effective", "be left out with method 'mean'", n_effective)
        return np.asarray(np.minimum(1.0, 2.0 * rows.mean(axis=0)) if k > 1 else rows[0])
    number = isinstance(n_effective, numbers.Real) and not isinstance(n_effective, bool)
    if n_effective is not None and not (number and 1 <= n_effective <= k * (1 + 1e-9)):
        raise error("n_effective", f"be a number from 1 to {k}, the number of p-values", repr(n_effective))
    return np.clip(METHODS[method](rows, float(k if n_effective is None else n_effective)), 0.0, 1.0)


def _p_values(p: Any) -> Array:
    table = as_array(p)
    if table.dtype.kind not in "iuf" or table.ndim == 0:
        raise error("p", "be an array of numbers", f"{table.dtype} of shape {table.shape}")
    room("p", 10 * table.size)
    table = table.astype(np.float64)
    bad = ~((table >= 0) & (table <= 1))
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise error("p", "be from 0 to 1", table[at], f"position {at}")
    return table


def _fisher(p: Array, m: float) -> Array:
    from scipy.special import chdtrc  # noqa: PLC0415  (scipy is slow to import)

    with np.errstate(divide="ignore"):
        return np.asarray(chdtrc(2 * m, -2 * m / len(p) * np.log(p).sum(axis=0)))


def _stouffer(p: Array, m: float) -> Array:
    from scipy.special import ndtr, ndtri  # noqa: PLC0415

    with np.errstate(invalid="ignore"):
        return np.asarray(ndtr(np.sqrt(m) * ndtri(p).sum(axis=0) / len(p)))


def _inverse_chi2(p: Array, m: float) -> Array:
    from scipy.special import chdtrc, chdtri  # noqa: PLC0415

    return np.asarray(chdtrc(m, m / len(p) * chdtri(1, p).sum(axis=0)))


def _bonferroni(p: Array, m: float) -> Array:
    return np.asarray(np.minimum(1.0, m * p.min(axis=0)))


def _tippett(p: Array, m: float) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(m * np.log1p(-p.min(axis=0))))


METHODS: dict[str, Callable[[Array, float], Array]] = {
    "fisher": _fisher,
    "stouffer": _stouffer,
    "inverse_chi2": _inverse_chi2,
    "bonferroni": _bonferroni,
    "tippett": _tippett,
}


def effective_tests(values: Any, method: str = "galwey") -> float:
    """Effective number of independent tests among k, from the eigenvalues e of the correlations between them.

    - ``"nyholt"``: 1 + (k - 1) (1 - Var(e) / k)
    - ``"li_ji"``: Σ 1[e >= 1] + (e - floor e)
    - ``"gao"``: how many of the largest explain more than 99.5 % of the sum
    - ``"galwey"``: (Σ √e)² / Σ e

    Parameters
    ----------
    values : (k, n) array
        For each test its p-values (or ranks, or statistics) in n hypotheses, n >= 2. A test that never varies is left out.
    method : str
        One of these.

    Returns
    -------
    float
        From 1 to k, not rounded.

    Raises
    ------
    ValueError
        If it is no such table, not finite, or no test varies.

    References
    ----------
    Cinar & Viechtbauer (2022), eq. 5-8, and Nyholt (2004), Li & Ji (2005), Gao et al. (2008), Galwey (2009) there.

    Examples
    --------
    >>> import ugt
    >>> ugt.effective_tests([[0.1, 0.2, 0.4], [0.2, 0.4, 0.8]])  # the same test twice
    1.0
    """
    option("method", method, ("nyholt", "li_ji", "gao", "galwey"))
    table = as_array(values)
    if table.dtype.kind not in "iuf" or table.ndim != 2 or table.shape[1] < 2 or len(table) < 1:
        raise error("values", "be a table of numbers, tests x at least 2 hypotheses", f"{table.dtype} of shape {table.shape}")
    room("values", 9 * table.size)
    if not np.isfinite(table).all():
        raise error("values", "be finite", table[~np.isfinite(table)][0])
    varies = table[(table != table[:, :1]).any(axis=1)].astype(np.float64)
    if len(varies) == 0:
        raise error("values", "vary over the hypotheses", "constant rows")
    k = len(varies)
    eigenvalues = np.linalg.eigvalsh(np.atleast_2d(np.corrcoef(_scaled(_scaled(varies)))))[::-1]
    eigenvalues = np.where(eigenvalues < NOISE * k, 0.0, eigenvalues)
    return float(np.clip(round(_effective(eigenvalues, method), 9), 1.0, k))


def _scaled(rows: Array) -> Array:
    """Each row less its first value, in units of a power of 2 that make its greatest about 1: products neither over- nor underflow."""
    rows = np.ldexp(rows, -1 - np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1])
    return np.asarray(rows - rows[:, :1])


def _effective(e: Array, method: str) -> float:
    k = len(e)
    if method == "nyholt":
        return float(1 + (k - 1) * (1 - e.var(ddof=1) / k)) if k > 1 else 1.0
    if method == "li_ji":
        e = np.round(e, 9)  # 0.999... from rounding would count as nearly another test
        return float(((e >= 1) + (e - np.floor(e))).sum())
    if method == "gao":
        return float(np.argmax(np.cumsum(e) / e.sum() > EXPLAINED) + 1)
    return float(np.sqrt(e).sum() ** 2 / e.sum())
