"""The alternative annotator test of Calderon, Reichart & Dror (2025)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks, _ids, resampling
from .._axes import Frozen
from .._discrepancy.input import clusters_of, compare
from .._discrepancy.sums import Sums, beside, mean
from .._resampling.design import Design
from ..resampling import Resamples
from .contributions import WHY, PerAnnotator, distances_to_others

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Bools = NDArray[np.bool_]

EQUAL = 1e-12  # distances that are relatively this close are equal


@dataclass(frozen=True, eq=False)
class AlternativeAnnotatorTest(PerAnnotator, Frozen):
    """Whether a model represents the annotators as well as one of them; made by :func:`alternative_annotator_test`.

    Attributes
    ----------
    annotators : (A,) array
        Ids of the annotators compared.
    n_cases : (A,) array
        Cases that each labelled together with another one.
    advantage : (A,) array
        ρ^f: share of these cases in which the model is at least as near to the others as the annotator is.
    annotator_advantage : (A,) array
        ρ^h: share in which the annotator is at least as near to the others as the model is.
    p_value : (A,) array
        One-sided, of H0: ρ^f <= ρ^h - ε.
    rejected : (A,) array of bool
        H0 rejected with the false discovery rate q (Benjamini-Yekutieli): the model wins against this annotator.
    winning_rate : float
        ω: share of the annotators that it wins against.
    average_advantage : float
        ρ: mean of ``advantage``, to compare models by.
    passed : bool
        ω >= 0.5.
    epsilon, q : float
    too_few : mapping
        Annotators who are not compared because they have fewer than ``min_cases`` cases, with their number.
    left_out : mapping
        Cases that count for nobody, by reason.
    clusters, n_resamples, seed
        What :meth:`resamples` uses.

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(100, 3, 4, seed=2)
    >>> found = ugt.alternative_annotator_test(labels, truth.argmax(1))
    >>> found.winning_rate, found.passed, found.advantage.round(2).tolist()
    (1.0, True, [1.0, 0.98, 0.98, 0.98])
    """

    annotators: NDArray[Any]
    n_cases: NDArray[np.int64]
    advantage: Array
    annotator_advantage: Array
    p_value: Array
    rejected: Bools
    winning_rate: float
    average_advantage: float
    passed: bool
    epsilon: float
    q: float
    too_few: Mapping[str, int]
    left_out: Mapping[str, int]
    _parts: Array = field(repr=False)
    clusters: NDArray[Any] | None = field(repr=False, default=None)
    n_resamples: int = 1000
    seed: int = 0

    def resamples(self, *, n_resamples: int | None = None, seed: resampling.Seed | None = None) -> Resamples:
        """Joint bootstrap over cases or clusters of ``advantage``, and of ``average_advantage`` as the last number."""
        found = self._resamples(n_resamples, seed)
        with np.errstate(invalid="ignore"):
            mean_of = Resamples(
                found.estimate.mean(keepdims=True),
                found.values.mean(axis=1, keepdims=True),
                None if found.influence is None else found.influence.mean(axis=1, keepdims=True),
                found.sources,
            )
        return beside([found, mean_of])

    def table(self) -> list[dict[str, Any]]:
        """One row an annotator: ``annotator, n_cases, advantage, annotator_advantage, p_value, rejected``."""
        names = ("n_cases", "advantage", "annotator_advantage", "p_value", "rejected")
        columns = zip(*(getattr(self, name).tolist() for name in names))
        return [{"annotator": str(one), **dict(zip(names, row))} for one, row in zip(self.annotators.tolist(), columns)]


def alternative_annotator_test(
    annotations: Any,
    predictions: Any,
    *,
    distance: Any = "zero-one",
    values: Any = None,
    epsilon: float = 0.2,
    q: float = 0.05,
    min_cases: int = 30,
    clusters: Any = None,
    missing: str = "error",
    n_resamples: int = 1000,
    seed: resampling.Seed = 0,
) -> AlternativeAnnotatorTest:
    r"""The alternative annotator test: is the model as near to the other annotators as each annotator is?

    For annotator j and case i, with d the mean distance to the labels of the others,
    :math:`W^f_{ij} = 1[d(m^i) \le d(Y^i_j)]` and :math:`W^h_{ij} = 1[d(Y^i_j) \le d(m^i)]` (both 1 where they are equal). Their means
    over cases are :math:`ρ^f_j` and :math:`ρ^h_j`. The model wins against j if :math:`H_0: ρ^f_j \le ρ^h_j - ε` is rejected; it passes
    if it wins against at least half of the annotators.

    Parameters
    ----------
    annotations, predictions, distance, values, clusters, missing
        As for :func:`discrepancy_ratio`; it must be known who gave each label. ``"zero-one"`` is the accuracy of the authors,
        ``"squared"`` their negative root mean squared error (the same order of distances).
    epsilon : float
        ε >= 0: how much the model may be behind, in return for being cheaper. The authors' advice: 0.2 where annotators are experts, 0.15
        where they are trained, 0.1 for crowd workers. 0: at least as good.
    q : float
        False discovery rate, in (0, 1).
    min_cases : int
        Annotators with fewer cases are not compared: the t-test needs some 30.
    n_resamples, seed
        For :meth:`AlternativeAnnotatorTest.resamples`.

    Returns
    -------
    AlternativeAnnotatorTest

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`; if no annotator has enough cases.

    Notes
    -----
    Sign: differences are :math:`W^h - W^f`, and small p-values speak for the model. The test is Student's t over cases (as published);
    with clusters, t from the sums of clusters (G - 1 degrees of freedom), which is the same where every cluster is one case. A case needs
    one other annotator; the authors advise three annotators or more. Where all differences are equal the p-value is 0 or 1.

    References
    ----------
    Calderon, Reichart & Dror (2025), "The alternative annotator test for LLM-as-a-judge: how to statistically justify replacing human
    annotators with LLMs", ACL, sec. 3; Benjamini & Yekutieli (2001), "The control of the false discovery rate in multiple testing under
    dependency", Annals of Statistics 29(4), theorem 1.3.

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(100, 3, 4, seed=2)
    >>> found = ugt.alternative_annotator_test(labels, 2 - truth.argmax(1))  # a bad model
    >>> found.winning_rate, round(found.average_advantage, 2)
    (0.0, 0.39)
    """
    room, rate = _checks.scalar("epsilon", epsilon), rate_of(q)
    least = _checks.whole("min_cases", min_cases, 2)
    compared = compare(annotations, {"model": predictions}, distance, values, missing, known=WHY)
    sums = Sums.of(compared)
    counted, wins, losses = nearer(*distances_to_others(compared, sums))
    n_of = counted.sum(axis=0)
    kept = np.flatnonzero(n_of >= least)
    if len(kept) == 0:
        raise _checks.error("annotations", f"hold an annotator with {least} cases or more (min_cases)", f"at most {n_of.max(initial=0)}")
    parts, other = (np.where(counted, won, np.nan)[:, kept] for won in (wins, losses))
    clusters = clusters_of(clusters, compared.annotations)
    p_value = np.array([_p_value(column, room, clusters) for column in (other - parts).T])
    rejected = benjamini_yekutieli(p_value, rate)
    advantage, behind = (np.array([mean(column) for column in table.T]) for table in (parts, other))
    return AlternativeAnnotatorTest(
        compared.annotators[kept],
        np.asarray(n_of[kept], np.int64),
        advantage,
        behind,
        p_value,
        rejected,
        float(rejected.mean()),
        float(advantage.mean()),
        bool(rejected.mean() >= 0.5),
        room,
        rate,
        {_ids.name(compared.annotators[j]): int(n_of[j]) for j in np.flatnonzero(n_of < least)},
        sums.left_out(compared.predicted[0]),
        parts,
        clusters,
        _checks.whole("n_resamples", n_resamples),
        resampling.seed_of(seed),
    )


def nearer(model: Array, own: Array) -> tuple[Bools, Bools, Bools]:
    """(N, A) whether a case counts for an annotator, whether the model is as near to the others, and whether the annotator is."""
    with np.errstate(invalid="ignore"):
        equal = np.abs(model - own) <= EQUAL * np.maximum(model, own)
        return ~np.isnan(model) & ~np.isnan(own), (model < own) | equal, (own < model) | equal


def rate_of(q: Any) -> float:
    """The false discovery rate, checked."""
    if _checks.scalar("q", q, positive=True) >= 1:
        raise _checks.error("q", "be a number between 0 and 1", repr(q))
    return float(q)


def _p_value(differences: Array, limit: float, clusters: Any) -> float:
    """P(T <= t) for H0: mean >= limit, t over cases or from the sums of clusters."""
    inside = ~np.isnan(differences)
    d = differences[inside]
    centre = float(d.mean())
    design = Design.of(len(d), None if clusters is None else clusters[inside])
    spread = design.added_up(((d - centre) / len(d))[:, None])[:, 0]
    g = design.n_units
    error = math.sqrt(g / (g - 1) * float((spread**2).sum())) if g > 1 else math.nan
    return t_test(centre, error, g, limit)


def t_test(centre: float, error: float, g: int, limit: float) -> float:
    """P(T <= t) for H0: mean >= limit, from the mean of g units and its standard error; without spread 0 or 1."""
    from scipy.special import stdtr  # noqa: PLC0415  (scipy is slow to import)

    if error <= 1e-15:
        return 0.0 if centre < limit else 1.0
    return float(stdtr(g - 1, (centre - limit) / error)) if g > 1 else math.nan


def benjamini_yekutieli(p_value: Array, q: float) -> Bools:
    """Which hypotheses are rejected: the k smallest, k the last with p_(k) <= k q / (m Σ 1/i); undefined ones never."""
    m = len(p_value)
    order = np.argsort(p_value, kind="stable")
    with np.errstate(invalid="ignore"):
        passed = np.flatnonzero(p_value[order] <= np.arange(1, m + 1) * q / (m * (1 / np.arange(1, m + 1)).sum()))
    rejected = np.zeros(m, bool)
    rejected[order[: passed[-1] + 1 if len(passed) else 0]] = True
    return rejected
