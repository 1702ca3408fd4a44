"""The likelihood of rankings under Plackett–Luce with ties [A B.4]."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import checks, identifiers, parallel
from .._core import _plackett_luce as core
from ..annotations.named import rows_of
from ..annotations.named import table as in_order
from ..plausibilities import Plausibilities
from .plackett_luce_input import arrays_of, as_rankings


def plackett_luce_log_likelihood(rankings: Any, plausibilities: Any, *, gradient: bool = False) -> Any:
    """Return the log-likelihood of each ranking under Plackett–Luce with ties, given plausibilities.

    ``Σ_l log p(block l | Z_l)``, ``p(b | Z) = ∫ e^(-T) Π_{a∈b} (1 - e^(-T λ_a / Z)) dT`` with Z the total plausibility of all
    later and unranked classes [A eq. 20]; exact to about 1e-15 for blocks of any size.

    Parameters
    ----------
    rankings : Rankings or Labels
        N cases, R rankings.
    plausibilities : (N, K) array or Point
        Numbers of at least 0, which need not add up to 1 (the likelihood does not depend on their scale).
    gradient : bool
        Whether to return also the gradient of each case's log-likelihood (the sum over its rankings) in log plausibilities:
        ``∂/∂log λ_k = Σ 1[k ranked] (1 - λ_k E τ_k) - λ_k E (waiting time for k)``, which adds up to 0 over classes.

    Returns
    -------
    (R,) array
        Log-likelihoods in the order of the rankings (case by case). ``-inf`` if a ranked class has plausibility 0 and a later one has
        not; NaN if both have 0.
    (N, K) array
        The gradient, if ``gradient``; NaN in a case whose likelihood is 0.

    Raises
    ------
    ValueError
        If shapes do not fit or a plausibility is negative or not finite.

    Examples
    --------
    >>> import ugt
    >>> rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[1, 2]]]], n_classes=3)
    >>> ugt.truth.plackett_luce_log_likelihood(rankings, [[3.0, 2.0, 1.0]]).round(4)
    array([-1.0986, -1.8971])
    >>> ugt.truth.plackett_luce_log_likelihood(rankings, [[1.0, 1.0, 1.0]], gradient=True)[1].round(4)
    array([[-0.1667,  0.5833, -0.4167]])
    """
    given = as_rankings(rankings)
    gradient = checks.flag("gradient", gradient)
    checks.room("a table of plausibilities", (16 if gradient else 8) * given.n_cases * given.n_classes)
    known = isinstance(plausibilities, Plausibilities) and plausibilities.is_certain
    if known:
        rows = rows_of("plausibilities", plausibilities.axes, given.axes)
        plausibilities = (plausibilities if rows is None else plausibilities.take(rows)).mean()
    table = identifiers.as_array(in_order("plausibilities", plausibilities, given.axes.case_ids, given.axes.classes))
    if table.dtype.kind not in "biuf" or table.shape != (given.n_cases, given.n_classes):
        must = f"be numbers of shape {(given.n_cases, given.n_classes)}"
        raise checks.error("plausibilities", must, f"{table.dtype} of shape {table.shape}")
    table = np.ascontiguousarray(table, np.float64)
    bad = ~(np.isfinite(table) & (table >= 0))
    if bad.any():
        i, k = np.argwhere(bad)[0]
        where = f"case {given.axes.case_name(int(i))}, class {given.axes.class_name(int(k))}"
        raise checks.error("plausibilities", "be finite and not negative", table[i, k], where)
    log_p, slope = np.empty(given.n_rankings), np.empty(table.shape) if gradient else None

    arrays = arrays_of(given)

    def part(begin: int, end: int) -> None:
        core.log_likelihood(*arrays, table, begin, end, log_p, slope)

    parallel.run(part, given.n_cases, 256, "likelihood")
    return log_p if slope is None else (log_p, slope)
