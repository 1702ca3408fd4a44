"""The uncertainty-adjusted reciprocal rank: how far down its list a model has the best class of the truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int64, NDArray
from .._base.checks import room
from ..annotations.joins import tells_joins
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities import estimates as results
from ..plausibilities.comparisons import Comparison
from ..plausibilities.means import means
from .given import scores_of


@tells_joins
def ua_reciprocal_rank(
    truth: object, scores: object, k: int | None = None, *, ties: str = "expectation", frequency: object = None, case_weights: object = None
) -> results.Estimate:
    """Return the expected reciprocal of the rank that the model gives to the top class of a truth drawn from the posterior.

    The value of a case is ``E_λ [1 / r(argmax λ)]``, with r(y) the rank of class y by the scores, 1 = highest; a class beyond the k
    highest scores counts 0. The value is the mean over cases: the uncertainty-adjusted mean reciprocal rank (MRR). At k = 1 it is
    :func:`ua_topk_accuracy`.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K)
        Plausibilities. Cases without annotations are left out and counted.
    scores : (N, K) array, or table with names
        Scores of the model, joined as in :func:`ua_topk_accuracy`.
    k : int, optional
        Number of highest scores that count, 1 to K. Default: all.
    ties : {"expectation", "first"}
        Rule for tied scores and tied plausibilities: tied scores share the mean of 1 / r over their ranks, or are ranked by position.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        As in :func:`ua_topk_accuracy`.
    case_weights : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        As in :func:`ua_topk_accuracy`.

    Returns
    -------
    Estimate
        The value, from 0 to 1, 1 = the top class always has the highest score. It is at least 1 / K if all classes count. Exact for
        Point and Dirichlet, with a Monte Carlo error for Draws.

    Raises
    ------
    ValueError, TypeError
        As :func:`ua_topk_accuracy`.

    Notes
    -----
    The metric is a weighted sum of top-d accuracies, ``Σ_{d<k} top-d / (d (d + 1)) + top-k / k``, so it is agreement in their sense:
    a model that knows more than the annotations may have a lower value than one that copies them.

    References
    ----------
    Voorhees, "The TREC-8 question answering track report", 1999, section 3 (mean reciprocal rank); [A] section 2.4 for the expectation
    over the posterior.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[6, 2, 0], [1, 1, 3]]), prior=0.5)
    >>> found = ugt.metrics.ua_reciprocal_rank(post, [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]])
    >>> round(found.value, 4), found.per_case.round(4)
    (0.7019, array([0.9602, 0.4436]))
    """
    post = as_plausibilities(truth)
    k = post.n_classes if k is None else checks.whole("k", k, 1, post.n_classes)
    checks.option("ties", ties, checks.TIES)
    room("reciprocal ranks", 64 * post.n_cases * post.n_classes)
    judge = Ranked(reciprocal_ranks(scores_of(post, scores), k, ties), ties)
    found = judge.of(post, np.arange(post.n_cases, dtype=np.int64))
    return results.estimate(found, post, again=judge.of, frequency=frequency, case_weights=case_weights)


class Ranked(NamedTuple):
    """What each class is worth as the best one, and the rule for tied plausibilities."""

    worth: Array  # (N, K)
    ties: str

    def of(self, truth: Plausibilities, rows: Int64) -> Comparison:
        return truth.of_best_class(self.worth[rows], ties=self.ties)


def reciprocal_ranks(table: NDArray[Any], k: int, ties: str) -> Array:
    """Return (N, K) the reciprocal of the rank of each class, 0 beyond the best k; tied classes share the mean over their ranks."""
    last = table.shape[1] - 1
    order = last - np.argsort(table[:, ::-1], axis=1, kind="stable")[:, ::-1]  # the highest first, tied ones by position
    sums = np.append(0.0, np.cumsum(1.0 / np.arange(1.0, k + 1)))[np.minimum(np.arange(last + 2), k)]  # Σ 1/r over the best r
    ranked, start, end = np.take_along_axis(table, order, axis=1), np.arange(last + 1), np.arange(1, last + 2)
    if ties == "expectation":
        other = ranked[:, 1:] != ranked[:, :-1]
        first, final = np.pad(other, ((0, 0), (1, 0)), constant_values=True), np.pad(other, ((0, 0), (0, 1)), constant_values=True)
        start = np.maximum.accumulate(np.where(first, start, 0), axis=1)
        end = np.minimum.accumulate(np.where(final, end, last + 1)[:, ::-1], axis=1)[:, ::-1]
    found = np.empty(table.shape)
    np.put_along_axis(found, order, np.broadcast_to((sums[end] - sums[start]) / (end - start), table.shape), axis=1)
    return found


PARTS = means(ua_reciprocal_rank)
