"""Truth models: votes, inverse rank normalisation and the conjugate Dirichlet posteriors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from .._base import checks, identifiers, notices
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.axes import owned
from .._base.notes import Note
from .._base.ragged import dense, n_empty, offsets_of, row_of, sizes_of
from .._core import _tables
from ..annotations import Labels, Rankings
from ..annotations.bare import check_bare, labels_of_text
from ..annotations.named import per_class
from ..annotations.named import table as in_order
from ..plausibilities import Dirichlet, Point
from ..plausibilities.made_of import INFORMED, MadeOf
from .fitted_dirichlet import FittedDirichlet
from .label_prior import DirichletPrior, fit_dirichlet_prior
from .reliabilities import merged, reliability_of

Ragged = tuple[Int64, Int32, Array]


_ALL_BLOCKS = 2**62


def votes(annotations: Labels | Rankings | NDArray[Any], *, kind: str = "majority") -> Point:
    r"""Return the majority vote or the mean label of each case.

    With s_k votes for class k and n in all, the mean label is μ̂_k = s_k / n. The majority vote gives plausibility 1 to the class
    with the most votes; m classes with equally many get 1/m each.

    Parameters
    ----------
    annotations : Labels, Rankings or (N, A) table of text
        In a ranking, the one vote of the annotator is split evenly over the first block.
    kind : {"majority", "mean"}
        Default ``"majority"``.

    Returns
    -------
    Point
        Plausibilities (N, K) in [0, 1] that sum to 1; undefined (NaN) for a case without votes.

    Raises
    ------
    TypeError, ValueError
        If ``annotations`` are of another type; if ``kind`` is unknown, or counts are negative, not finite or not whole.

    Notes
    -----
    A majority vote does not show how close the vote was: see :func:`dirichlet`. Equal votes are found exactly, also if votes are split.

    Examples
    --------
    >>> labels = Labels.from_counts([[3, 1, 0], [2, 2, 0]])
    >>> votes(labels).mean().tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]
    >>> votes(labels, kind="mean").mean().tolist()
    [[0.75, 0.25, 0.0], [0.5, 0.5, 0.0]]
    """
    checks.option("kind", kind, ("majority", "mean"))
    known = _annotations("annotations", annotations)
    counts_decide = kind == "majority" and isinstance(known, Labels)
    arrays = known.class_counts() if counts_decide else _irn_arrays(known, "split", depth=1)
    offsets, index, value = owned(*(arrays if kind == "mean" else _first_classes(*arrays)))
    return Point(known.axes, offsets, index, value, MadeOf(known, partial(votes, kind=kind)))


def irn(annotations: Labels | Rankings, *, tie_weight: str = "split", reliability: object = 1.0) -> Point:
    r"""Return the inverse rank normalisation: the sum of inverse ranks, normalised once at the end.

    A class y in the i-th block b_i (i = 1, 2, …) of a ranking has weight 1 / (i · \|b_i\|), and unranked classes 0. Weights are
    summed over the annotators of a case and divided by their total over all classes.

    Parameters
    ----------
    annotations : Labels, Rankings or (N, A) table of text
        A label counts as a ranking of one class.
    tie_weight : {"split", "full"}
        ``"split"`` (default, the equations): tied classes share the weight of their block. ``"full"`` (the authors' published
        code, and so the published figures): each tied class has weight 1/i.
    reliability : float, mapping of annotator to float, or array
        Weight of all annotations, of each annotator or of each annotation, as in :func:`dirichlet`. One number has no effect.

    Returns
    -------
    Point
        Plausibilities (N, K) in [0, 1] that sum to 1; undefined (NaN) for a case without ranked classes.

    Raises
    ------
    TypeError, ValueError
        If ``annotations`` are neither Labels nor Rankings; if ``tie_weight`` is unknown; if ``reliability`` is not valid for
        :func:`dirichlet`.

    Notes
    -----
    Every ranked block has its weight, also if an annotator ranked all K classes.
    Equal sums give the same double, whatever the order of annotators and classes, so that ties at the top (10% of the cases
    in the dermatology data) remain ties.

    References
    ----------
    Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", eq. 14-16 (B.2).

    Examples
    --------
    >>> rankings = Rankings.from_blocks([[[[0], [1, 2]], [[0]]]], n_classes=4)
    >>> irn(rankings).mean().tolist()
    [[0.8, 0.1, 0.1, 0.0]]
    >>> irn(rankings, tie_weight="full").mean().round(3).tolist()
    [[0.667, 0.167, 0.167, 0.0]]
    """
    known = _annotations("annotations", annotations)
    return _irn(known, reliability_of(reliability, known)[1], tie_weight=tie_weight)


def _irn(known: Any, weights: Array | None = None, *, tie_weight: str) -> Point:
    offsets, index, value = _irn_arrays(known, tie_weight) if weights is None else _weighted_irn(known, tie_weight, weights)
    if weights is not None:
        row = row_of(offsets)
        value = value / np.bincount(row, value, known.n_cases)[row]
    return Point(known.axes, offsets, index, value, MadeOf(known, partial(_irn, tie_weight=tie_weight), weights=weights))


def prirn(annotations: Labels | Rankings, *, reliability: object = 1.0, tie_weight: str = "split", background: float = 0.0) -> Dirichlet:
    r"""Return the probabilistic inverse rank normalisation: λ ~ Dirichlet(γ · IRN + background).

    With a reliability γ_r for each annotator r, whose inverse ranks are u_rk, the concentrations are
    Σ_r γ_r u_rk / Σ_r Σ_k u_rk + background, which for equal γ_r is the same.

    Parameters
    ----------
    annotations, tie_weight
        As in :func:`irn`, with the same errors.
    reliability : float, mapping of annotator to float, or array
        γ > 0, weight of the annotations as a number of annotators; default 1. For each annotator or annotation as in :func:`dirichlet`.
    background : float
        Added to the concentration of every class, ranked or not; default 0. The authors' notebook adds 0.01.

    Returns
    -------
    Dirichlet
        The posterior; undefined (NaN) for a case without ranked classes, whatever the background.

    Raises
    ------
    ValueError
        If ``reliability`` is not above 0, ``background`` is negative, or one is not finite; or as for :func:`dirichlet`.

    Notes
    -----
    Without a background, classes that no annotator ranked have concentration 0: their plausibility is exactly 0. It is not the
    posterior of a model of rankings: it depends on the shares of classes, not on the number of annotators of a case.

    References
    ----------
    Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", B.3.

    Examples
    --------
    >>> rankings = Rankings.from_blocks([[[[0], [1, 2]], [[0]]]], n_classes=4)
    >>> prirn(rankings, reliability=10).concentration.tolist()
    [8.0, 1.0, 1.0]
    """
    extra = checks.scalar("background", background)
    known = _annotations("annotations", annotations)
    gamma, weights = reliability_of(reliability, known)
    return _prirn(known, weights, gamma=gamma, tie_weight=tie_weight, extra=extra)


def _prirn(known: Any, weights: Array | None = None, *, gamma: float, tie_weight: str, extra: float) -> Dirichlet:
    offsets, index, value = _irn_arrays(known, tie_weight) if weights is None else _weighted_irn(known, tie_weight, weights)
    made_of = MadeOf(known, partial(_prirn, gamma=gamma, tie_weight=tie_weight, extra=extra), weights=weights)
    return Dirichlet(known.axes, offsets, index, _scaled(gamma, value, extra), _where_defined(offsets, extra), made_of)


def dirichlet(labels: Labels | NDArray[Any], *, reliability: object = 1.0, prior: object = 0.1) -> Dirichlet:
    r"""Return the posterior from label counts: λ ~ Dirichlet(γ s + α), s_k the number of labels of class k.

    With a reliability γ_r for each annotator r, γ s_k is the sum of γ_r over the labels of class k.

    Parameters
    ----------
    labels : Labels
        The labels of N cases.
    reliability : float, mapping of annotator to float, or array
        γ > 0, weight of a label; default 1. For each annotator: a mapping that names all annotators, or (A,) numbers in the order of
        ``labels.annotators``. For each label: a table (N, A), cases x annotators, whose cells without a label are not read; for counts,
        whose annotators have no names, a table (N, K), cases x classes. For fractional counts c use ``Labels.from_counts(np.sign(c))``
        with ``reliability=c``.
    prior : float, (K,) array, DirichletPrior, "fit", (N, K) array or DirichletPredictions
        α ≥ 0, for all classes or for each; default 0.1. ``"fit"``: the symmetric prior under which the labels of all cases are most
        probable, see :func:`fit_dirichlet_prior`. Intervals over cases of certainties, ``ua_*`` and soft metrics include its fit to first
        order, as with the result of that function for the same labels. Other intervals take it as known, and all of them a prior that was
        fitted to other labels or to each class. A table has one prior per case, in the order of the labels: α(x) that a model predicts
        (:class:`AlphaCalibration`), which gives the posterior p(λ | b, x) [A eq. 1].

    Returns
    -------
    Dirichlet
        The posterior; undefined (NaN) for a case without labels, whatever the prior.

    Raises
    ------
    TypeError, ValueError
        If ``labels`` are of another type; if ``reliability`` is not above 0, ``prior`` is negative or of another length, one is not finite,
        or counts are negative, not finite or not whole; if the prior that fits best is infinite, or was fitted for other classes;
        or if a mapping names an unknown annotator or lacks one, or annotators have no names.

    Warns
    -----
    UserWarning
        If there is one prior per case: a truth that depends on a model cannot evaluate this model or one based on it.

    Notes
    -----
    For γ = 1 this is the exact posterior of multinomial counts under a Dirichlet(α) prior. With α = 0, classes that no annotator
    chose have plausibility exactly 0.

    References
    ----------
    Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", appendix A.

    Examples
    --------
    >>> dirichlet(Labels.from_counts([[3, 1, 0]]), prior=0.5).mean().round(3).tolist()
    [[0.636, 0.273, 0.091]]
    >>> labels = Labels.from_wide([["a", "b"]], annotators=["ann", "bob"])
    >>> dirichlet(labels, reliability={"ann": 2, "bob": 0.5}, prior=0).concentration.tolist()
    [2.0, 0.5]
    """
    if isinstance(labels, Rankings):
        raise TypeError("labels must be Labels. Got Rankings: use prirn for a posterior from rankings.")
    known = _annotations("labels", labels)
    gamma, weights = reliability_of(reliability, known)
    if isinstance(prior, str) and prior == "fit":
        prior = fit_dirichlet_prior(known)
    alpha = _prior(prior, known)
    if np.ndim(alpha) == 2:
        notices.note(Note("truth_of_a_model", INFORMED))
    make = partial(_dirichlet, known, weights, gamma=gamma)
    found = make(alpha=alpha)
    if not (isinstance(prior, DirichletPrior) and prior.is_of(known)):
        return found
    return replace(found, made_of=replace(found.made_of, fit=FittedDirichlet(prior, make)))  # type: ignore[type-var]


def _dirichlet(known: Labels, weights: Array | None = None, *, gamma: float, alpha: float | Array) -> Dirichlet:
    """Return the posterior for a prior of all cases, one number or (K,), or (N, K) of each."""
    if isinstance(alpha, float) or alpha.ndim == 1:
        made_of = MadeOf(known, partial(_dirichlet, gamma=gamma, alpha=alpha), weights=weights)
    else:
        made_of = MadeOf(known, partial(_dirichlet, gamma=gamma), weights=weights, of_cases=alpha)
    ragged: Any = known.class_counts() if weights is None else ()
    if weights is not None:
        ragged = merged(row_of(known.offsets), known.label, weights * known.count, known.n_cases, known.n_classes)
    offsets, index, count = ragged
    if isinstance(alpha, float):
        offsets, index, concentration = owned(offsets, index, _scaled(gamma, count, alpha))
        return Dirichlet(known.axes, offsets, index, concentration, _where_defined(offsets, alpha), made_of)
    checks.room("a table of concentrations", 8 * known.n_cases * known.n_classes)
    table = _scaled(gamma, dense(offsets, index, count, known.n_classes), alpha)
    table[sizes_of(known.offsets) == 0] = 0
    row, col = np.nonzero(table)
    offsets = offsets_of(np.bincount(row, minlength=len(table)))
    return Dirichlet(known.axes, offsets, col.astype(np.int32), table[row, col], made_of=made_of)


def _annotations(argument: str, value: object) -> Any:
    """Return Labels or Rankings unchanged, and a table of text as Labels; reject other values."""
    if isinstance(value, (Labels, Rankings)):
        return value
    check_bare(argument, value)
    labels = labels_of_text(value)
    if labels is not None:
        return labels
    advice = "Labels.from_long, from_wide, from_counts and Rankings.from_blocks, from_long, from_strings make them"
    raise TypeError(f"{argument} must be Labels or Rankings. Got {type(value).__name__}: {advice}.")


def _irn_arrays(annotations: Labels | Rankings, tie_weight: str, depth: int = _ALL_BLOCKS) -> Ragged:
    """Return ``(offsets, index, value)`` of IRN with the first ``depth`` blocks of each ranking; a case without them has no values."""
    checks.option("tie_weight", tie_weight, ("split", "full"))
    if isinstance(annotations, Rankings):
        a = annotations
        return _tables.irn(a.case_offsets, a.ranking_offsets, a.block_offsets, a.items, a.n_classes, tie_weight == "full", depth)
    offsets, index, count = annotations.class_counts()  # each label is one block of one class: a ratio of whole numbers, rounded once
    row = row_of(offsets)
    return offsets, index, count / np.bincount(row, count, annotations.n_cases)[row]


def _weighted_irn(annotations: Labels | Rankings, tie_weight: str, weights: Array) -> Ragged:
    """Return :func:`_irn_arrays` with the inverse ranks of each annotation times its weight, divided by their total without weights."""
    checks.option("tie_weight", tie_weight, ("split", "full"))
    if isinstance(annotations, Rankings):
        a = annotations
        ranking, block = row_of(a.ranking_offsets), row_of(a.block_offsets)
        place = np.arange(1, len(ranking) + 1) - a.ranking_offsets[ranking]
        inverse = (1 / (place * sizes_of(a.block_offsets) if tie_weight == "split" else place))[block]
        case, index, weight = row_of(a.case_offsets)[ranking[block]], a.items, weights[ranking[block]]
    else:
        inverse = annotations.count.astype(np.float64)
        case, index, weight = row_of(annotations.offsets), annotations.label, weights
    offsets, index, value = merged(case, index, weight * inverse, annotations.n_cases, annotations.n_classes)
    return offsets, index, value / np.bincount(case, inverse, annotations.n_cases)[row_of(offsets)]


def _first_classes(offsets: Int64, index: Int32, value: Array) -> Ragged:
    """Return the classes with the highest value of each row, with equal shares."""
    row, n_rows = row_of(offsets), len(offsets) - 1
    top = np.zeros(n_rows)
    defined = np.flatnonzero(sizes_of(offsets))
    top[defined] = np.maximum.reduceat(value, offsets[defined]) if len(defined) else 0
    wins = value == top[row]
    n_first = np.bincount(row[wins], minlength=n_rows)
    return offsets_of(n_first), index[wins], 1 / n_first[row[wins]]


def _prior(prior: Any, labels: Labels) -> float | Array:
    """Return one number for all classes, an array (K,) of different ones, or a table (N, K)."""
    if isinstance(prior, Real):
        return checks.scalar("prior", prior)
    if isinstance(prior, DirichletPrior):
        if prior.n_classes != labels.n_classes:
            raise checks.error("prior", f"be fitted to labels of {labels.n_classes} classes", f"one of {prior.n_classes}")
        if prior.at_edge == "infinity":
            must = "be finite: these labels agree no more within cases than between them, so that no finite prior fits best (give a number)"
            raise checks.error("prior", must, "a fitted prior of infinity")
        prior = prior.value
    prior = getattr(prior, "alpha", prior)  # DirichletPredictions have it
    if identifiers.is_frame(prior):
        prior = in_order("prior", prior, labels.axes.case_ids, labels.axes.classes)
    elif identifiers.index_of(prior) is not None or isinstance(prior, Mapping):
        prior = per_class("prior", prior, labels.axes.classes)
    if np.ndim(prior) == 0:
        return checks.scalar("prior", prior)
    alpha = identifiers.as_array(prior)
    if alpha.dtype.kind not in "biuf" or alpha.shape not in ((labels.n_classes,), (labels.n_cases, labels.n_classes)):
        got = f"shape {alpha.shape}" if alpha.dtype.kind in "biuf" else f"{alpha.dtype} of shape {alpha.shape}"
        of_cases = f"or a table ({labels.n_cases}, {labels.n_classes}) with one row per case"
        raise checks.error("prior", f"be one number, {labels.n_classes} numbers (one per class), {of_cases}", got)
    alpha = alpha.astype(np.float64)
    bad = ~((alpha >= 0) & np.isfinite(alpha))
    if bad.any():
        *case, k = (int(j) for j in np.argwhere(bad)[0])
        where = f"class {labels.axes.class_name(k)}" + (f" of case {labels.axes.case_name(case[0])}" if case else "")
        raise checks.error("prior", "be finite numbers of at least 0", identifiers.name(alpha[tuple([*case, k])]), where)
    return float(alpha[0]) if alpha.ndim == 1 and alpha.min() == alpha.max() else alpha


def _scaled(gamma: float, values: NDArray[Any], extra: float | Array) -> Array:
    """Return the concentrations; one that overflows becomes inf, which Dirichlet rejects with its name."""
    with np.errstate(over="ignore"):
        return np.asarray(gamma * values + extra)


def _where_defined(offsets: Int64, background: float) -> float | Array:
    """Return the background concentration, which is 0 in a case without annotations, so that it remains undefined."""
    return np.where(sizes_of(offsets) == 0, 0.0, background) if background > 0 and n_empty(offsets) else background
