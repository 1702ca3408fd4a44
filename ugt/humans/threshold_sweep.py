"""The discrepancy ratio at every threshold of a score; the best threshold, chosen and judged on different cases [C sec. 4.2.1]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, NDArray
from .._base.axes import Frozen
from .._base.ragged import row_of
from .._base.records import Record
from ..annotations.joins import tells_joins
from ..annotations.one_class import check_second
from ..calibration import selection
from ..resampling import ids_of_cases, over
from .input import MISSING, Compared, check_all, check_stated, compare, ids_of, joined, numbers, of_two_classes
from .record import Discrepancy, DiscrepancyRatio, record
from .sums import NO_PREDICTION

if TYPE_CHECKING:
    from ..resampling import Seed

CHOSEN_ON = "case that the threshold was chosen on, or without score"


@dataclass(frozen=True, repr=False)
class BestThreshold(Record):
    """The threshold with the lowest Δ on some cases, judged on others; made by :meth:`ThresholdSweep.best`.

    Attributes
    ----------
    threshold : float
        In the middle of the gap between two scores of the cases that it was chosen on.
    chosen_on : (N,) array of bool
        Whether the threshold was chosen on each case.
    apparent : float
        Δ on these cases, which is too low on average: the threshold was chosen on them.
    judged : DiscrepancyRatio
        Δ on the other cases.

    Examples
    --------
    >>> import ugt
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]]
    >>> best = ugt.humans.threshold_sweep(votes, [0.2, 0.4, 0.6, 0.9, 0.1, 0.7]).best(choose_on=[1, 0, 1, 0, 1, 0])
    >>> best.threshold, round(best.judged.value, 2)
    (0.4, 0.75)
    """

    threshold: float
    chosen_on: Bools
    apparent: float
    judged: DiscrepancyRatio


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdSweep(Frozen):
    """Discrepancy ratios of the decision "score >= threshold"; made by :func:`threshold_sweep`.

    Attributes
    ----------
    thresholds : (T,) array
        Every score that occurs, ascending, then infinity (no case is positive).
    value, mu : (T,) arrays
        Δ and the model discrepancy at each threshold, on all cases that count. They do not change between two thresholds.
    alpha : float
        Annotator discrepancy, the same for all thresholds.
    n_cases, left_out : int, mapping
        Cases that count; cases that do not count, by reason.

    Examples
    --------
    >>> import ugt
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]]
    >>> found = ugt.humans.threshold_sweep(votes, [0.2, 0.4, 0.6, 0.9, 0.1, 0.7])
    >>> found.value.round(2).tolist()
    [1.12, 0.75, 0.62, 0.5, 0.62, 0.75, 1.12]
    """

    thresholds: Array
    value: Array
    mu: Array
    alpha: float
    n_cases: int
    left_out: Mapping[str, int]
    _compared: Compared = field(repr=False)
    _score: Array = field(repr=False)

    def best(self, *, choose_on: object = None, share: float = 0.5, clusters: object = None, seed: Seed = 0) -> BestThreshold:
        """Return the best threshold, chosen on some cases and judged on the others.

        Parameters
        ----------
        choose_on : (N,) bools, optional
            The cases on which the threshold is chosen, such as a validation set; it is judged on the others. Default: at random.
        share : float
            Share of the cases (of the clusters, if they are given) that the threshold is chosen on, in (0, 1).
        clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
            Such as patients: all cases of a cluster are on the same side.
        seed : int, Generator or SeedSequence
            Random seed for the cases on which the threshold is chosen.

        Returns
        -------
        BestThreshold

        Raises
        ------
        ValueError
            If the threshold would be chosen on no case or on every case.

        Notes
        -----
        Do not report the lowest point of the curve: it is picked among many. If several thresholds are best, the one in the widest gap
        between scores is used; minus or plus infinity (all or none positive) only if no other threshold is as good.
        """
        held, sums, score = self._compared.annotations, self._compared.sums, self._score
        counted = sums.counted(~np.isnan(score))
        groups = None if clusters is None else ids_of_cases("clusters", clusters, held.n_cases, ids_of(held))
        chosen = _chosen_on(choose_on, share, ids_of(held), groups, seed)
        threshold, apparent = _best(score, sums.mu, sums.alpha, counted & chosen)
        judged = Discrepancy({}, _decided(self._compared, score >= threshold, counted & ~chosen))
        left_out = {CHOSEN_ON if reason == NO_PREDICTION else reason: n for reason, n in judged.left_out.items()}
        return BestThreshold(threshold, chosen, apparent, record(judged, left_out))


@tells_joins
def threshold_sweep(
    annotations: object, scores: object, *, distance: object = "zero-one", values: object = None, missing: str = "error"
) -> ThresholdSweep:
    """Return Δ(t) of the decision "positive if the score is at least t", for every t at once.

    With μ_i(1) and μ_i(0) the discrepancies of case i if it is called positive and negative,
    N μ(t) = Σ_{s_i >= t} μ_i(1) + Σ_{s_i < t} μ_i(0), and α does not depend on t. One sort of the scores gives all μ(t).

    Parameters
    ----------
    annotations : Labels of two classes, or (N, A) array of 0, 1 and NaN
        The second class is the positive one.
    scores : (N,) array, or mapping of case id to score
        Higher = more positive; NaN or None if there is none.
    distance : {"zero-one", "squared", "absolute"}, (2, 2) array of costs, or function
    values, missing
        As for :func:`discrepancy_ratio`.

    Returns
    -------
    ThresholdSweep

    Raises
    ------
    ValueError
        If there are not two classes, or scores do not fit.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 4.2.1, Fig. 3b, Table 4 (threshold chosen on the validation set).

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(400, 2, 5, seed=3)
    >>> best = ugt.humans.threshold_sweep(labels, truth[:, 1]).best(seed=1)
    >>> round(best.threshold, 2), round(best.apparent, 3), round(best.judged.value, 3)
    (0.6, 0.627, 0.676)
    """
    check_stated(distance)
    held = of_two_classes(annotations)
    check_second("scores", scores, held.axes.classes)
    score = numbers(joined(scores, held), held, "scores")
    if checks.option("missing", missing, MISSING) == "error":
        check_all("scores", ~np.isnan(score), held)
    constant = {str(k): held.axes.classes[np.full(held.n_cases, k)] for k in (0, 1)}
    compared = compare(held, constant, distance, values)
    sums, present = compared.sums, ~np.isnan(score)
    counted = sums.counted(present)
    thresholds, mu = _curve(score, sums.mu, counted)
    alpha, n = float(over(sums.alpha[counted].sum(), counted.sum())), int(counted.sum())
    return ThresholdSweep(thresholds, over(mu, alpha), mu, alpha, n, sums.left_out(present), compared, score)


def _chosen_on(choose_on: object, share: Any, case_ids: NDArray[Any], clusters: Any, seed: Seed) -> Bools:
    n_cases = len(case_ids)
    if isinstance(share, bool) or not isinstance(share, (float, np.floating)) or not 0 < share < 1:
        raise checks.error("share", "be a number between 0 and 1", repr(share))
    if choose_on is None:
        (chosen,) = selection.held_out(float(share), n_cases, clusters, seed)
        return chosen
    chosen = ids_of_cases("choose_on", choose_on, n_cases, case_ids, what="a bool")
    if chosen.dtype.kind not in "biuf" or chosen.shape != (n_cases,) or not np.isin(chosen, (0, 1)).all():
        raise checks.error("choose_on", f"be {n_cases} bools, one per case", f"{chosen.dtype} of shape {chosen.shape}")
    if chosen.all() or not chosen.any():
        raise checks.error("choose_on", "have cases to choose on and cases to judge on", f"{int(chosen.sum())} of {len(chosen)}")
    return chosen.astype(bool)


def _curve(score: Array, mu: Array, counted: Bools) -> tuple[Array, Array]:
    """Return the thresholds (T,) and μ at each: the decision changes when a score is reached."""
    s = score[counted]
    order = np.argsort(s, kind="stable")
    s, negative, positive = s[order], mu[0, counted][order], mu[1, counted][order]
    first = np.flatnonzero(np.concatenate([[True], s[1:] != s[:-1]])) if len(s) else np.empty(0, np.int64)
    at = np.append(first, len(s))  # the first case that is called positive
    below = np.concatenate([[0.0], np.cumsum(negative)])[at]
    above = np.concatenate([np.cumsum(positive[::-1])[::-1], [0.0]])[at]
    return np.append(s[first], np.inf), over(below + above, len(s))


def _best(score: Array, mu: Array, alpha: Array, cases: Bools) -> tuple[float, float]:
    """Return the best threshold on some cases and its Δ there."""
    thresholds, mu = _curve(score, mu, cases)
    if len(thresholds) == 1:
        raise checks.error("choose_on", "have cases that count, with two annotators or more and a score", "none")
    before = np.concatenate([[-np.inf], thresholds[:-1]])
    with np.errstate(invalid="ignore"):
        middle = before / 2 + thresholds / 2
        gap = np.where(np.isfinite(middle), thresholds - before, -1.0)
    tied = mu <= mu.min() + 1e-12 * abs(mu.min())
    k = int(np.argmax(np.where(tied, gap, -2.0)))
    return float(middle[k]), float(over(mu[k], over(alpha[cases].sum(), cases.sum())))


def _decided(compared: Compared, positive: Bools, cases: Bools) -> Compared:
    """Return one decision on some cases, from the distances of all-positive and all-negative decisions."""
    found, column = compared.distances, np.where(cases, positive, -1).astype(np.int32)
    to_model = np.where(column[row_of(found.offsets)] > 0, found.to_model[1], found.to_model[0])[None]
    return replace(compared, distances=replace(found, to_model=to_model), models=("model",), predicted=cases[None], columns=[column])
