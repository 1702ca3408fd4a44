"""Δ at every threshold of a score, by one sort; the best threshold, chosen on other cases than it is judged on [C sec. 4.2.1]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks, resampling
from .._axes import Frozen
from .._calibrators import selection
from .._ids import as_array
from ..annotations import Labels
from .input import NO_PREDICTION, Compared, as_annotations, clusters_of, compare, joined, numbers, where
from .record import DiscrepancyRatio, check_margin, record
from .sums import Sums, mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Bools = NDArray[np.bool_]

CHOSEN_ON = "case that the threshold was chosen on, or without score"


@dataclass(frozen=True, eq=False)
class ThresholdSweep(Frozen):
    """Discrepancy ratios of the decision "score >= threshold"; made by :func:`threshold_sweep`.

    Attributes
    ----------
    thresholds : (T,) array
        Every score that occurs, ascending, then infinity (no case is positive).
    value : (T,) array
        Δ at each, on all cases that count. Between two of the thresholds it does not change.
    mu : (T,) array
        Model discrepancy at each.
    alpha : float
        Annotator discrepancy, the same for all.
    n_cases : int
        Cases that count.
    left_out : mapping
        Cases that do not, by reason.
    best : float
        The threshold with the lowest Δ on the cases it was chosen on, in the middle of the gap between two scores of these.
    chosen_on : (N,) array of bool
        Cases that the best threshold was chosen on.
    apparent : float
        Δ of the best threshold on the cases it was chosen on: too good to be true.
    judged : DiscrepancyRatio
        Of the best threshold on the other cases.

    Examples
    --------
    >>> import ugt
    >>> votes = [[0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]]
    >>> found = ugt.threshold_sweep(votes, [0.2, 0.4, 0.6, 0.9, 0.1, 0.7], choose_on=[1, 0, 1, 0, 1, 0])
    >>> found.value.round(2).tolist(), found.best, round(found.judged.value, 2)
    ([1.12, 0.75, 0.62, 0.5, 0.62, 0.75, 1.12], 0.4, 0.75)
    """

    thresholds: Array
    value: Array
    mu: Array
    alpha: float
    n_cases: int
    left_out: Mapping[str, int]
    best: float
    chosen_on: Bools
    apparent: float
    judged: DiscrepancyRatio = field(repr=False)


def threshold_sweep(
    annotations: Any,
    scores: Any,
    *,
    distance: Any = "zero-one",
    values: Any = None,
    choose_on: Any = None,
    share: float = 0.5,
    clusters: Any = None,
    missing: str = "error",
    margin: float = 0.0,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: resampling.Seed = 0,
) -> ThresholdSweep:
    """Δ(t) of the decision "positive where the score is at least t", for every t at once, and the best t.

    One sort of the scores: with μ_i(1) and μ_i(0) the discrepancies of case i if it is called positive and negative,
    N μ(t) = Σ_{s_i >= t} μ_i(1) + Σ_{s_i < t} μ_i(0), and α does not depend on t.

    Parameters
    ----------
    annotations : Labels of two classes, or (N, A) array of 0, 1 and NaN
        The second class is the positive one.
    scores : (N,) array, or mapping of case id to score
        Higher = more positive; NaN or None where there is none.
    distance : {"zero-one", "squared", "absolute"}, (2, 2) array of costs, or function
    values, clusters, missing
        As for :func:`discrepancy_ratio`.
    choose_on : (N,) bools, optional
        The cases on which the best threshold is chosen, such as a validation set; it is judged on the others. Default: at random.
    share : float
        Share of the cases (of the clusters, where they are given) to choose on, in (0, 1).
    margin, level, n_resamples, seed
        As for :func:`discrepancy_ratio`. The seed also draws the cases to choose on.

    Returns
    -------
    ThresholdSweep

    Raises
    ------
    ValueError
        If there are not two classes, scores do not fit, or no case or every case is to choose on.

    Notes
    -----
    The lowest point of the curve itself is too good: it is picked among many. Of several best thresholds the one in the widest gap
    between scores is taken, and minus or plus infinity (all or none positive) only where no other is as good.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 4.2.1, Fig. 3b, Table 4 (threshold chosen on the validation set).

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(400, 2, 5, seed=3)
    >>> found = ugt.threshold_sweep(labels, truth[:, 1], seed=1)
    >>> round(found.best, 2), round(found.apparent, 3), round(found.judged.value, 3)
    (0.6, 0.627, 0.676)
    """
    held = _binary(annotations, scores)
    score = numbers(joined(scores, held), held, "scores")
    _check_all(score, held, missing)
    constant = {str(k): np.full(held.n_cases, k) for k in (0, 1)}
    named = {name: held.axes.classes[column] for name, column in constant.items()}
    compared = compare(held, named, distance, values)
    sums = Sums.of(compared)
    present = ~np.isnan(score)
    counted = sums.counted(present)
    clusters = clusters_of(clusters, held)
    chosen = _chosen_on(choose_on, share, held, clusters, resampling.seed_of(seed))
    thresholds, mu = _curve(score, sums.mu, counted)
    best, apparent = _best(score, sums, counted & chosen)
    options = {
        "clusters": clusters,
        "level": resampling.check_level(level),
        "margin": check_margin(margin),
        "n_resamples": _checks.whole("n_resamples", n_resamples),
        "seed": resampling.seed_of(seed),
    }
    judged = _judged(compared, sums, score >= best, counted & ~chosen, options)
    alpha = mean(np.where(counted, sums.alpha, np.nan))
    left_out = sums.left_out(present)
    with np.errstate(invalid="ignore", divide="ignore"):
        return ThresholdSweep(thresholds, mu / alpha, mu, alpha, int(counted.sum()), left_out, best, chosen, apparent, judged)


def _binary(annotations: Any, scores: Any) -> Labels:
    held = annotations if isinstance(annotations, Labels) else as_annotations(annotations, [], np.zeros((2, 2)))
    if not isinstance(held, Labels) or held.n_classes != 2:
        got = f"{held.n_classes} classes" if isinstance(held, Labels) else type(held).__name__
        raise _checks.error("annotations", "be Labels of two classes", got)
    return held


def _check_all(score: Array, held: Labels, missing: str) -> None:
    absent = np.isnan(score)
    if _checks.option("missing", missing, ("error", "drop")) == "error" and absent.any():
        must = "cover every case (missing='drop' leaves the others out)"
        raise _checks.error("scores", must, f"none for {int(absent.sum())} of {len(score)} cases", where(held, int(np.argmax(absent))))


def _chosen_on(choose_on: Any, share: Any, held: Labels, clusters: Any, seed: int) -> Bools:
    share = _share(share)
    if choose_on is None:
        (chosen,) = selection.held_out(share, held.n_cases, clusters, seed)
        return chosen
    chosen = as_array(choose_on)
    if chosen.dtype.kind not in "biuf" or chosen.shape != (held.n_cases,) or not np.isin(chosen, (0, 1)).all():
        raise _checks.error("choose_on", f"be {held.n_cases} bools, one a case", f"{chosen.dtype} of shape {chosen.shape}")
    if chosen.all() or not chosen.any():
        raise _checks.error("choose_on", "have cases to choose on and cases to judge on", f"{int(chosen.sum())} of {len(chosen)}")
    return chosen.astype(bool)


def _share(share: Any) -> float:
    if isinstance(share, bool) or not isinstance(share, (float, np.floating)) or not 0 < share < 1:
        raise _checks.error("share", "be a number between 0 and 1", repr(share))
    return float(share)


def _curve(score: Array, mu: Array, counted: Bools) -> tuple[Array, Array]:
    """Thresholds (T,) and μ at each: the decision changes where a score is reached."""
    s = score[counted]
    order = np.argsort(s, kind="stable")
    s, negative, positive = s[order], mu[0, counted][order], mu[1, counted][order]
    first = np.flatnonzero(np.concatenate([[True], s[1:] != s[:-1]])) if len(s) else np.empty(0, np.int64)
    at = np.append(first, len(s))  # the first case that is called positive
    below = np.concatenate([[0.0], np.cumsum(negative)])[at]
    above = np.concatenate([np.cumsum(positive[::-1])[::-1], [0.0]])[at]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.append(s[first], np.inf), (below + above) / np.float64(len(s))


def _best(score: Array, sums: Sums, cases: Bools) -> tuple[float, float]:
    """The best threshold on some cases and its Δ there."""
    thresholds, mu = _curve(score, sums.mu, cases)
    if len(thresholds) == 1:
        raise _checks.error("choose_on", "have cases that count, with two annotators or more and a score", "none")
    before = np.concatenate([[-np.inf], thresholds[:-1]])
    with np.errstate(invalid="ignore"):
        middle = before / 2 + thresholds / 2
        gap = np.where(np.isfinite(middle), thresholds - before, -1.0)
    tied = mu <= mu.min() + 1e-12 * abs(mu.min())
    k = int(np.argmax(np.where(tied, gap, -2.0)))
    alpha = mean(np.where(cases, sums.alpha, np.nan))
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(middle[k]), float(mu[k] / np.float64(alpha))


def _judged(compared: Compared, sums: Sums, positive: Bools, cases: Bools, options: dict[str, Any]) -> DiscrepancyRatio:
    """The record of one decision on some cases; the other cases are left out for the reason that they were chosen on."""
    mu = np.where(positive, sums.mu[1], sums.mu[0])
    one = Compared(compared.annotations, compared.distances, ("model",), cases[None])
    found = record(one, Sums(sums.n, sums.total, sums.alpha, mu[None]), 0, **options)
    left_out = {CHOSEN_ON if reason == NO_PREDICTION else reason: n for reason, n in found.left_out.items()}
    return replace(found, left_out=left_out)
