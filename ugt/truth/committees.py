"""Plausibilities from committees drawn from the annotators of a case, and the certainty to expect after more annotators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int64
from .._base.ragged import offsets_of, row_of, sizes_of
from .._core._stream import Stream
from ..annotations import Labels, Rankings
from ..plausibilities import Dirichlet, Plausibilities
from ..plausibilities import estimates as results
from ..plausibilities.draws import Draws, MentionedDraws
from ..resampling import seed_of

if TYPE_CHECKING:
    from ..resampling import Seed

CHUNK = 2**20  # members of committees that are drawn at a time
PURPOSE = 11  # UGT_PURPOSE_COMMITTEES of ugt.h
ROUNDING = 1e-11  # smaller gains are quadrature error (integrals are accurate to 1e-13) and are set to 0

# ---- committees


def committee(
    annotations: Labels | Rankings, size: int | None = None, *, replace: bool = True, n_draws: int = 1000, seed: Seed = 0
) -> Draws:
    """Return plausibilities from committees: each draw is the shares of the classes among annotators drawn from those of the case.

    Parameters
    ----------
    annotations : Labels or Rankings
        Several labels of one annotator for a case count by their shares; rankings are weighted by inverse ranks, as in :func:`irn`.
        In counts every label is an annotator.
    size : int, optional
        Annotators per committee. Default: as many as the case has (the bootstrap of annotators).
    replace : bool
        Whether an annotator may be drawn twice. If not, ``size`` must be given, and cases with fewer annotators are undefined.
    n_draws : int
        Number of committees of every case.
    seed : int, Generator or SeedSequence
        Random seed. The committees of a case depend on the seed and the case id only.

    Returns
    -------
    Draws
        The shares; undefined for a case without annotations (or with too few). A class that no annotator of a case named has
        plausibility 0.

    Raises
    ------
    TypeError, ValueError
        If annotations are of another kind; if ``size`` or ``n_draws`` is not a whole number above 0, or ``size`` is missing without
        replacement.

    Notes
    -----
    This posterior has no prior: if all annotators of a case agree, or there is only one, the truth counts as certain. It describes how a
    panel like the present one would vary, not how reliable the annotators are.

    References
    ----------
    [A] Stutz et al. (2023), sec. 4. Efron & Tibshirani (1993), ch. 6.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1]], classes=2)
    >>> draws = ugt.truth.committee(labels, 3, n_draws=2000)
    >>> ugt.annotation_certainty(draws).per_case.round(2)  # 20/27 = 0.74
    array([0.74, 1.  ])
    """
    checks.instance("annotations", annotations, (Labels, Rankings), "be Labels or Rankings")
    n, word = checks.whole("n_draws", n_draws), seed_of(seed)
    wanted = None if size is None else checks.whole("size", size)
    replace = checks.flag("replace", replace)
    if not replace and wanted is None:
        raise checks.error("size", "be given with replace=False", None)
    parts = _of_labels(annotations) if isinstance(annotations, Labels) else _of_rankings(annotations)
    checks.room(f"{n} draws", 8 * n * annotations.n_cases)
    keys = annotations.axes.stream_keys
    index, values, sizes = [], [], []
    for i, (classes, weights, count) in enumerate(parts):
        enough = replace or count.sum() >= (wanted or 0)
        index.append(classes if enough else classes[:0])
        sizes.append(len(index[-1]))
        stream = Stream(word, case_key=int(keys[i]), purpose=PURPOSE)
        values.append(_shares(stream, weights, count, wanted, n, replace) if enough else np.ones((n, 1)))
    packed = np.concatenate([table.ravel() for table in values])
    return MentionedDraws(
        annotations.axes, offsets_of(np.array(sizes)), np.concatenate(index).astype(np.int32), packed, n, 1, "ignore", 0.0, word, False
    )


def _shares(stream: Stream, weights: Array, count: Int64, size: int | None, n: int, replace: bool) -> Array:
    """Return (n, m + 1) shares of m classes in n committees, and 0 for the others, from weights (A, m) of annotators and their counts."""
    out = np.zeros((n, weights.shape[1] + 1))
    total = int(count.sum())
    if total == 0:
        return np.ones((n, 1))
    members = total if size is None else size
    step = max(1, CHUNK // max(members, total if not replace else 1))
    for begin in range(0, n, step):
        part = out[begin : begin + step, :-1]
        who = _members(stream, count, members, len(part), replace)
        times = np.bincount((np.arange(len(part))[:, None] * len(count) + who).ravel(), minlength=len(part) * len(count))
        table = times.reshape(len(part), len(count)) @ weights
        part[:] = table / table.sum(axis=1, keepdims=True)
    return out


def _members(stream: Stream, count: Int64, members: int, n: int, replace: bool) -> Int64:
    """Return the (n, members) rows of the annotators of which n committees consist."""
    total = int(count.sum())
    checks.room(f"a committee of {members} members", 24 * n * (members if replace else total))
    random = np.empty(n * (members if replace else total), np.uint64)
    if replace:
        stream.below(total, random)
        picked = random.astype(np.int64)
    else:
        stream.bits(random)
        picked = np.argsort(random.reshape(n, total), axis=1, kind="stable")[:, :members]
    return np.searchsorted(np.cumsum(count), picked, side="right").reshape(n, members)


def _of_labels(labels: Labels) -> Any:
    """Yield for each case its classes, the shares (A, m) of its annotators, and how many annotators each row stands for."""
    for i in range(labels.n_cases):
        part = slice(labels.offsets[i], labels.offsets[i + 1])
        classes, at = np.unique(labels.label[part], return_inverse=True)
        named = labels.annotator[part]
        if len(named) and named[0] < 0:  # in counts, each label is an annotator of its own
            yield classes, np.eye(len(classes))[at], labels.count[part]
            continue
        who, row = np.unique(named, return_inverse=True)
        table = np.zeros((len(who), len(classes)))
        np.add.at(table, (row, at), labels.count[part])
        yield classes, table / np.maximum(table.sum(axis=1, keepdims=True), 1), np.ones(len(who), np.int64)


def _of_rankings(rankings: Rankings) -> Any:
    """Yield the same as `_of_labels` with inverse rank weights, which are normalised only after they are summed over a committee."""
    blocks, ranking = row_of(rankings.block_offsets), row_of(rankings.ranking_offsets)
    place = np.arange(len(ranking)) - rankings.ranking_offsets[:-1][ranking] + 1
    weight = 1.0 / (place * np.maximum(sizes_of(rankings.block_offsets), 1))
    for i in range(rankings.n_cases):
        first, last = rankings.case_offsets[i], rankings.case_offsets[i + 1]
        items = slice(rankings.block_offsets[rankings.ranking_offsets[first]], rankings.block_offsets[rankings.ranking_offsets[last]])
        classes, at = np.unique(rankings.items[items], return_inverse=True)
        table = np.zeros((int(last - first), len(classes)))
        np.add.at(table, (ranking[blocks[items]] - first, at), weight[blocks[items]])
        named = table.any(axis=1)
        yield classes, table[named], np.ones(int(named.sum()), np.int64)


# ---- more annotators


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedCertainty(results.MeanOfCases):
    """The certainty to expect after more annotators, for each case.

    Attributes
    ----------
    value : float
        Mean over cases of the expected certainty.
    per_case, current : (N,) arrays
        Expected certainty and present certainty of each case; NaN if undefined.
    n_annotators : int
        Additional annotators per case.
    n_cases, left_out : int, mapping
        Cases counted, and cases left out by reason.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.truth.expected_certainty(ugt.dirichlet(ugt.Labels.from_counts([[3, 3], [9, 1], [1, 0]]), prior=0.5))
    >>> found.gain.round(3), found.worklist.tolist()
    (array([0.146, 0.   , 0.   ]), [0, 1, 2])
    """

    value: float
    per_case: Array
    current: Array
    n_annotators: int
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _ids: Any = field(default=None, repr=False)

    @property
    def gain(self) -> Array:
        """(N,) expected certainty less present certainty; gains within rounding error are 0."""
        found = self.per_case - self.current
        return np.where(np.abs(found) < ROUNDING, 0.0, found)

    @property
    def worklist(self) -> Int64:
        """(N,) positions of the cases, those that gain most from more annotators first; undefined cases last."""
        return np.asarray(np.argsort(-np.where(np.isnan(self.gain), -np.inf, self.gain), kind="stable"))


def expected_certainty(posterior: Dirichlet, n_annotators: int = 1, *, k: int = 1, reliability: float = 1.0) -> ExpectedCertainty:
    """Return the exact expectation of the annotation certainty of order k after labels of more annotators.

    The labels s of n more annotators follow the posterior predictive distribution of the Dirichlet posterior: they are drawn from the
    plausibilities one after the other. Each label adds the reliability γ to the concentration of its class. The expectation is
    ``Σ_s P(s) certainty(c + γ s)``.

    Parameters
    ----------
    posterior : Dirichlet
        Posterior from labels, by :func:`dirichlet`.
    n_annotators : int
        Additional annotators per case, at least 1; all labels that they could give are enumerated.
    k : int
        Order of the certainty.
    reliability : float
        γ > 0, as in the posterior.

    Returns
    -------
    ExpectedCertainty

    Raises
    ------
    TypeError, ValueError
        If the posterior is of another kind; if an option is out of range, or if the cases that differ have more than two million possible
        outcomes in total.

    Notes
    -----
    For γ = 1 the expectation is at least the present certainty, and equal to it if the labels cannot change the best classes.

    References
    ----------
    Raiffa & Schlaifer, "Applied statistical decision theory" (1961): value of sample information.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[2, 2, 0], [4, 0, 0]]), prior=0.1)
    >>> [round(ugt.truth.expected_certainty(post, n).value, 3) for n in (1, 2, 4)]
    [0.835, 0.837, 0.868]
    """
    checks.instance("posterior", posterior, Plausibilities, "be a Dirichlet, as dirichlet makes it")
    n, order = checks.whole("n_annotators", n_annotators), checks.whole("k", k, 1, posterior.n_classes)
    value = posterior.certainty_after(n, order, checks.scalar("reliability", reliability, positive=True))
    mean, n_cases = results.mean_of(value)
    return ExpectedCertainty(mean, value, posterior.certainty(order), n, n_cases, results.left_out(value), posterior.ids_or_none)
