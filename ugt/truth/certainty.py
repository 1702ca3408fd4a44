"""Annotation certainty and expected risk: how much of the truth the annotations settle [A eq. 2-6, section 3.2]."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int64
from .._base.identifiers import as_array
from ..annotations.joins import tells_joins
from ..annotations.named import per_class
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities import estimates as results
from ..plausibilities.means import means
from ..plausibilities.sets import as_groups


@tells_joins
def annotation_certainty(
    truth: object,
    *,
    k: int = 1,
    kind: str = "set",
    groups: object = None,
    group_rule: str = "sum",
    ties: str = "expectation",
    frequency: object = None,
    case_weights: object = None,
) -> results.Certainty:
    """Return the annotation certainty of each case: the highest probability of any set of k classes to be the k most plausible ones.

    The certainty of a case is ``max_{C: |C| = k} P(top-k(λ) = C)`` [A eq. 2-6]; the value is the mean over cases.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K)
        Plausibilities. Cases without annotations are left out and counted.
    k : int
        Order of the certainty, 1 to K (to the number of groups if groups are given).
    kind : {"set", "rank"}
        ``"rank"``: the highest probability of any class to have rank k.
    groups : (K,) integers or text, optional
        Group of every class, such as its risk, for certainty about groups instead of classes.
    group_rule : {"sum", "top_class"}
        How a group wins: by the sum of the plausibilities of its classes, or by the most plausible class (k = 1 only).
    ties : {"expectation", "first"}
        Rule for tied plausibilities: expectation over random tie-breaking, or by position.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        How many equal cases each row f_i stands for, as in :func:`ua_topk_accuracy`: the value is ``Σ f x / Σ f``.
    case_weights : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        How many cases of a population each sampled case represents, as in :func:`ua_topk_accuracy`.

    Returns
    -------
    Certainty
        The values, in [0, 1]: exact for Point and Dirichlet; under Plackett-Luce integrals, with a standard error for cases that are not
        exact; with a Monte Carlo error for Draws.

    Raises
    ------
    ValueError, TypeError
        If k is out of range, an option is unknown or groups do not fit; if ``truth`` is neither plausibilities nor such an array;
        if frequencies are negative, not whole or missing, or the truth cannot have any.

    Notes
    -----
    Certainty is not correctness: a case that all annotators get wrong is certain, too. :func:`ua_topk_accuracy` of a model cannot exceed
    the certainty of order 1, which it reaches by choosing in each case the class that the annotations make most probable.
    Classes of plausibility exactly 0 never belong to the best: if at most k classes are plausible, certainty is 1.
    With ``ties="first"``, tied classes of plausibility 0 of a Point or of Draws are taken by position (as in the authors' code).
    For Draws the maximum of frequencies is biased upwards, by about 0.003 at 1,000 draws; exact values have no such bias.

    References
    ----------
    [A] Stutz et al., "Evaluating AI systems under uncertain ground truth: a case study in dermatology", eq. 2-6.

    Examples
    --------
    >>> import ugt
    >>> certainty = ugt.annotation_certainty(ugt.dirichlet(ugt.Labels.from_counts([[6, 2], [3, 3]]), prior=1.0))
    >>> certainty.per_case.round(4), round(certainty.value, 4)
    (array([0.9102, 0.5   ]), 0.7051)
    """
    post = as_plausibilities(truth)
    checks.option("kind", kind, ("set", "rank"))
    checks.option("group_rule", group_rule, ("sum", "top_class"))
    checks.option("ties", ties, checks.TIES)
    if groups is not None and group_rule == "top_class":
        k = checks.whole("k", k, 1, 1)
        group = as_groups(groups, post.axes)
        of = partial(_of_groups, group, ties)
        per_case = of(post)
        error = _mc_error(post, per_case, k, kind, group)
    else:
        judged = post if groups is None else post.grouped(groups)
        k = checks.whole("k", k, 1, judged.n_classes)
        of = partial(_of_order, groups, k, {"kind": kind, "ties": ties})
        per_case = judged.certainty(k, kind=kind, ties=ties)
        error = _mc_error(judged, per_case, k, kind)
    return results.certainty(per_case, post, error, again=of, frequency=frequency, case_weights=case_weights)


def _of_groups(group: Int64, ties: str, post: Plausibilities) -> Array:
    """Return the probability (N,) of the most probable group of the most plausible class."""
    member = post.membership(1, ties=ties)
    return np.asarray(np.stack([member[:, group == g].sum(1) for g in range(int(group.max()) + 1)], 1).max(1))


def _of_order(groups: object, k: int, options: dict[str, str], post: Plausibilities) -> Array:
    """Return the certainty (N,) of order k, of groups of classes if there are any."""
    return (post if groups is None else post.grouped(groups)).certainty(k, **options)


def _mc_error(post: Plausibilities, per_case: Array, k: int, kind: str, group: Any = None) -> float:
    """Return the standard error of a mean over cases, whose errors are independent."""
    defined = post.certainty_error(per_case, k, kind, group)[per_case == per_case]  # noqa: PLR0124  (not NaN)
    return math.sqrt(np.add.reduce(defined**2)) / max(len(defined), 1)


@tells_joins
def expected_risk(
    truth: object, risk: object, *, kind: str = "top_class", frequency: object = None, case_weights: object = None
) -> results.Certainty:
    """Return the expected value of a risk that every class has, for each case [A section 3.2].

    The value of a case is ``Σ_y risk_y P(argmax λ = y)`` (``kind="top_class"``) or ``Σ_y risk_y E λ_y`` (``kind="plausibility"``).

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, or array (N, K) or (N, draws, K)
        Plausibilities. Cases without annotations are left out and counted.
    risk : (K,) numbers
        Risk of every class, finite.
    kind : {"top_class", "plausibility"}
        Risk of the most plausible class, or risk weighted by plausibility.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        As in :func:`annotation_certainty`.
    case_weights : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        As in :func:`annotation_certainty`.

    Returns
    -------
    Certainty
        The expected risks in the units of ``risk``. ``mc_error`` is 0 unless the truth is Draws; for ``"plausibility"`` with a single
        draw it is NaN.

    Raises
    ------
    ValueError
        If ``risk`` is not K finite numbers, ``kind`` is unknown or frequencies do not fit.

    Examples
    --------
    >>> import ugt
    >>> ugt.truth.expected_risk([[0.5, 0.3, 0.2]], [0, 1, 2], kind="plausibility").per_case
    array([0.7])
    """
    post = as_plausibilities(truth)
    values = as_array(per_class("risk", risk, post.axes.classes))
    if values.dtype.kind not in "fiu" or values.shape != (post.n_classes,) or not np.isfinite(values).all():
        raise checks.error("risk", f"be {post.n_classes} finite numbers, one per class", f"{values.dtype} of shape {values.shape}")
    checks.option("kind", kind, ("top_class", "plausibility"))
    values = values.astype(np.float64)  # squares of small integers must not overflow
    of = partial(_risk, values, kind)
    return results.certainty(of(post), post, _risk_error(post, values, kind), again=of, frequency=frequency, case_weights=case_weights)


def _risk(values: Array, kind: str, post: Plausibilities) -> Array:
    probability = post.membership(1) if kind == "top_class" else post.mean()
    return np.asarray((probability * values).sum(1))  # the last bits of a matrix product would depend on the other cases


def _risk_error(post: Plausibilities, risk: Array, kind: str) -> float:
    if not post.is_sampled:
        error = post.risk_error(risk)[post.defined]
        return float(np.sqrt((error**2).sum()) / max(len(error), 1))
    if kind == "top_class":
        member = post.membership(1)[post.defined]
        variance = (member @ risk**2 - (member @ risk) ** 2) / post.n_draws
    elif post.n_draws == 1:
        return float("nan")
    else:
        levels, level = np.unique(risk, return_inverse=True)
        series = post.grouped(level.reshape(-1)).draws(post.n_draws)[post.defined] @ levels
        variance = series.var(1, ddof=1) / post.n_draws
    return float(np.sqrt(np.maximum(variance, 0.0).sum()) / max(len(variance), 1))


PARTS = {**means(annotation_certainty), **means(expected_risk, span=(-math.inf, math.inf))}
