"""Agreement of annotators with the others of a case [A appendix D], and of partial rankings [A B.5]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks, identifiers, notices, parallel
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.ragged import row_of, sizes_of
from .._core import _tables
from ..annotations import Labels, Rankings
from ..plausibilities import estimates as results
from ..plausibilities.means import means
from ..resampling import over
from .forms import EMPTY, SINGLE
from .table import opens

CHUNK = 256  # rankings between checks for Ctrl-C, which is 0.1 s if ten thousand annotators rank one case


@dataclass(frozen=True, eq=False, repr=False)
class AgreementScore(results.MeanOfCases):
    """The agreement of annotators, or of rankings, for each case.

    Attributes
    ----------
    value : float
        Mean over the cases for which agreement is defined; NaN if there are none.
    per_case : (N,) array
        Agreement of each case; NaN if undefined.
    n_cases, left_out : int, mapping
        Cases counted in ``value``, and cases left out by reason.
    per_annotator : (A,) array or None
        Mean over the cases of each annotator, in the order of the ``annotators`` of the annotations; NaN without such a case.
        Empty if annotators have no names (nested blocks, counts).

    Examples
    --------
    >>> import ugt
    >>> rankings = ugt.Rankings.from_blocks([[[[0]], [[0], [1]]], [[[0]], [[1]]], [[[1]]]], n_classes=3)
    >>> agreement = leave_one_annotator_out(rankings)
    >>> agreement.per_case, agreement.left_out
    (array([ 1.,  0., nan]), {'case with a single annotator': 1})
    >>> agreement.interval(kind="percentile", seed=0)
    (0.0, 1.0)
    """

    value: float
    per_case: Array
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    per_annotator: Array | None = None
    _ids: NDArray[Any] | None = field(default=None, repr=False)


def leave_one_annotator_out(annotations: Labels | Rankings, *, tie_weight: str = "split") -> AgreementScore:
    r"""Return how often an annotator ranked the class that the other annotators of the case put first.

    If a case has R annotators, and annotator r gave the blocks :math:`b^r_1, b^r_2, …`, the value is [A appendix D]

    .. math:: \frac1R \sum_{r=1}^R δ\Big[\arg\max_k \mathrm{IRN}(k; b^1, …, b^{r-1}, b^{r+1}, …, b^R) \in \bigcup_l b^r_l\Big]

    If several classes share the maximum, δ is the share of them that r ranked, which is the expectation over random tie-breaking.

    Parameters
    ----------
    annotations : Labels or Rankings
        A label counts as a ranking of one class; all labels that one annotator gave to a case belong together. In counts
        every label is an annotator of its own.
    tie_weight : {"split", "full"}
        Weight of tied classes, as in :func:`irn`.

    Returns
    -------
    AgreementScore
        Values in [0, 1]. ``value`` is the mean over cases of the mean over the annotators of a case, which the paper defines.

    Raises
    ------
    TypeError, ValueError
        If ``annotations`` are neither Labels nor Rankings; if ``tie_weight`` is unknown.

    Notes
    -----
    The value is undefined (NaN, counted) for a case with a single annotator, and for an annotator if the others ranked nothing. An
    annotator who ranked nothing has the value 0. Ties are detected exactly. The measure is not corrected for chance: an annotator who
    ranks many classes agrees more easily. Time grows with the annotators of a case times the classes that the case mentions.

    References
    ----------
    [A] Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", appendix D.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [0, 1, None], [2, 2, 2]])
    >>> agreement = leave_one_annotator_out(labels)
    >>> agreement.per_case.round(3), agreement.per_annotator
    (array([0.333, 0.   , 1.   ]), array([0.5, 0.5, 0.5]))

    For the first annotator of the first case, the others give one label each to 0 and 1, so that the agreement is one half:

    >>> leave_one_annotator_out(ugt.Labels.from_wide([[0, 0, 1]])).per_annotator
    array([0.5, 0.5, 0. ])
    """
    checks.option("tie_weight", tie_weight, ("split", "full"))
    checks.instance("annotations", annotations, (Labels, Rankings), "be Labels or Rankings")
    if isinstance(annotations, Labels):
        rankings, count, offsets = _by_annotator(annotations)
    else:
        rankings, count = annotations, np.ones(annotations.n_rankings, np.int64)
        offsets = np.arange(annotations.n_rankings + 1, dtype=np.int64)
    share = _tables.leave_one_out(*_arrays(rankings), rankings.n_classes, count, offsets, tie_weight == "full")
    first = offsets[:-1]
    return _score(share, rankings, row_of(rankings.case_offsets)[first], rankings.annotator[first], count[first])


def partial_average_overlap(
    first: object, second: object, depth: int, *, normalize: bool = True, n_classes: int | None = None
) -> AgreementScore:
    r"""Return the average overlap of two partial rankings of each case.

    A ranking puts class j among the first k with probability :math:`F_{kj}`. A block at positions s+1 to s+c holds its
    classes in random order, so that :math:`F_{kj} = \min(1, \max(0, (k - s)/c))`; the classes that are not ranked share the last
    positions. With :math:`F = T \tilde P_B` [A B.5],

    .. math:: \mathrm{UAO@L}(b, b') = \frac1L \sum_{k=1}^L \frac1k \sum_j F_{kj} F'_{kj}

    is divided by :math:`\sqrt{\mathrm{UAO@L}(b, b) \cdot \mathrm{UAO@L}(b', b')}`, so that a ranking has the value 1 with itself.

    Parameters
    ----------
    first, second : Rankings, or list of N rankings
        One ranking for every case. A ranking in a list is a list of blocks, best first; a block is a list of tied classes.
    depth : int
        L, from 0 to K; 0 gives 0.
    normalize : bool
        Whether to divide as above (default); False gives UAO@L.
    n_classes : int, optional
        K, required if both are lists, because unranked classes count, too.

    Returns
    -------
    AgreementScore
        Values in [0, 1], 0 if one of the rankings is empty; without ``per_annotator``.

    Raises
    ------
    TypeError, ValueError
        If the rankings are of another type or a list has another form; if a case has no or several rankings, cases or classes are not the
        same, ``depth`` is out of range, or ``n_classes`` is missing or contradicts the rankings.

    Notes
    -----
    For full rankings this is the average overlap. The time for a pair grows with the number of ranked classes, and with ``depth`` times
    the number of blocks from which the other ranking leaves out classes; it never grows with K × depth.

    References
    ----------
    [A] Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", B.5.

    Examples
    --------
    >>> agreement = partial_average_overlap([[[2], [0, 1], [3]]], [[[0], [1]]], 3, n_classes=4)
    >>> round(agreement.value, 4)
    0.4777
    """
    x, y = _pair(first, second, n_classes)
    deep = checks.whole("depth", depth, 0, x.n_classes)
    each = np.arange(x.n_cases, dtype=np.int64)
    per_case = _overlaps(x, y, each, each + 1, deep, _norm(_own(x, deep), normalize), _norm(_own(y, deep), normalize))
    value, n_cases = results.mean_of(per_case)
    return AgreementScore(value, per_case, n_cases, _ids=x.axes.case_ids)


def annotator_average_overlap(rankings: Rankings, depth: int, *, normalize: bool = True) -> AgreementScore:
    """Return the mean average overlap between the annotators of each case.

    The value of a case is the mean of :func:`partial_average_overlap` over all pairs of its annotators.

    Parameters
    ----------
    rankings : Rankings
        Partial rankings of N cases.
    depth, normalize
        As for :func:`partial_average_overlap`.

    Returns
    -------
    AgreementScore
        Values in [0, 1]. The value of an annotator in a case is the mean over the other annotators of the case. The value of the case is
        the mean over its annotators, and ``value`` is the mean over cases.

    Raises
    ------
    TypeError, ValueError
        If ``rankings`` are not Rankings; if ``depth`` is out of range.

    Notes
    -----
    The value is undefined (NaN, counted) for a case with a single annotator. An annotator who ranked nothing has the value 0. Time grows
    with the square of the number of annotators of a case.

    References
    ----------
    [A] Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", B.5.

    Examples
    --------
    >>> import ugt
    >>> rankings = ugt.Rankings.from_strings(["p1"] * 3, ["ann", "bob", "eve"], ["0 > 1", "0 > 1", "1 > 0"], classes=3)
    >>> agreement = annotator_average_overlap(rankings, 2)
    >>> agreement.per_case.round(4), agreement.per_annotator
    (array([0.6667]), array([0.75, 0.75, 0.5 ]))
    """
    checks.instance("rankings", rankings, Rankings, "be Rankings")
    deep = checks.whole("depth", depth, 0, rankings.n_classes)
    case = row_of(rankings.case_offsets)
    start, stop = rankings.case_offsets[case], rankings.case_offsets[case + 1]
    own = _own(rankings, deep)
    norm = _norm(own, normalize)
    total = _overlaps(rankings, rankings, start, stop, deep, norm, norm)
    n_others = stop - start - 1
    mean = np.where(n_others > 0, (total - own / norm) / np.maximum(n_others, 1), np.nan)
    return _score(mean, rankings, case, rankings.annotator, np.ones(len(case)))


# ---- arguments of the C core ----


def _arrays(rankings: Rankings) -> tuple[Int64, Int64, Int64, Int32]:
    return rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items


def _by_annotator(labels: Labels) -> tuple[Rankings, Int64, Int64]:
    """Return labels as rankings of one class, sorted by annotator within cases, the count of each, and where each annotator begins."""
    case = row_of(labels.offsets)
    order = np.lexsort((labels.annotator, case))
    annotator = labels.annotator[order]
    one_each = np.arange(len(case) + 1, dtype=np.int64)
    rankings = Rankings(labels.axes, labels.annotators, labels.offsets, one_each, one_each, labels.label[order], annotator)
    return rankings, labels.count[order], np.append(np.flatnonzero(opens(case, annotator)), len(case))


def _overlaps(x: Rankings, y: Rankings, start: Int64, stop: Int64, depth: int, norm_x: Array, norm_y: Array) -> Array:
    """Return for each ranking r of x the sum of its overlaps with the rankings ``start[r]`` to ``stop[r]`` of y."""
    total = np.empty(x.n_rankings)

    def part(begin: int, end: int) -> None:
        _tables.partial_overlaps(_arrays(x), _arrays(y), x.n_classes, start, stop, norm_x, norm_y, depth, begin, end, total)

    parallel.run(part, x.n_rankings, CHUNK, "comparing rankings")
    return total


def _own(x: Rankings, depth: int) -> Array:
    """Return the overlap of every ranking with itself, not normalised."""
    each, ones = np.arange(x.n_rankings, dtype=np.int64), np.ones(x.n_rankings)
    return _overlaps(x, x, each, each + 1, depth, ones, ones)


def _norm(own: Array, normalize: bool) -> Array:
    """Return the squares of the divisors of overlaps; 1 for an empty ranking, whose overlaps are 0 anyway."""
    return np.where(own > 0, own, 1.0) if checks.flag("normalize", normalize) else np.ones(len(own))


# ---- two rankings of the same cases ----


def _pair(first: object, second: object, n_classes: int | None) -> tuple[Rankings, Rankings]:
    axes = next((given.axes for given in (first, second) if isinstance(given, Rankings)), None)
    if axes is None and n_classes is None:
        raise checks.error("n_classes", "be given with lists of rankings, because unranked classes take part", None)
    if axes is not None and n_classes not in (None, axes.n_classes):
        raise checks.error("n_classes", f"be {axes.n_classes}, as in the rankings, or left out", n_classes)
    classes = n_classes if axes is None else axes.classes
    x, y = _one_a_case("first", first, classes), _one_a_case("second", second, classes)
    _check_same("cases", x.axes.case_ids, y.axes.case_ids, x.axes.numbered or y.axes.numbered)
    _check_same("classes", x.axes.classes, y.axes.classes)
    return x, y


def _one_a_case(argument: str, given: Any, classes: Any) -> Rankings:
    """Read Rankings or a list of rankings; refuse data without exactly one ranking per case."""
    if isinstance(given, Rankings):
        rankings = given
    elif isinstance(given, (list, tuple)):
        rankings = Rankings.from_blocks([[ranking] for ranking in given], classes=classes, offered="all")
    else:
        raise TypeError(f"{argument} must be Rankings or a list of rankings, each a list of blocks. Got {type(given).__name__}.")
    n_rankings = sizes_of(rankings.case_offsets)
    if (n_rankings != 1).any():
        i = int(np.argmax(n_rankings != 1))
        raise checks.error(argument, "hold one ranking of every case", n_rankings[i], f"case {rankings.axes.case_name(i)}")
    return rankings


def _check_same(what: str, first: NDArray[Any], second: NDArray[Any], made_up: bool = False) -> None:
    must = f"have the {what} of first, in the same order"
    if len(first) != len(second):
        raise checks.error("second", must, f"{len(second)} instead of {len(first)}")
    differ = first != second if first.dtype.kind == second.dtype.kind else np.ones(len(first), bool)
    if differ.any() and not made_up:
        i = int(np.argmax(differ))
        raise checks.error("second", must, identifiers.name(second[i]), f"position {i}")


# ---- the record ----


def _score(value: Array, rankings: Rankings, case: Int64, annotator: Int32, weight: NDArray[Any]) -> AgreementScore:
    """Make the record from one value per annotator and case: means over the annotators of a case and over the cases of an annotator."""
    per_case = _means(value, case, weight, rankings.n_cases)
    n_annotators = len(rankings.annotators)
    per_annotator = _means(value, annotator, weight, n_annotators) if n_annotators else np.empty(0)
    mean, n_cases = results.mean_of(per_case)
    left_out = _left_out(per_case, np.bincount(case, weight, rankings.n_cases))
    return AgreementScore(mean, per_case, n_cases, left_out, per_annotator, rankings.axes.case_ids)


def _means(value: Array, row: NDArray[Any], weight: NDArray[Any], n_rows: int) -> Array:
    """Return (n_rows,) weighted means of the values that are defined; NaN for a row without such a value."""
    known = ~np.isnan(value)
    row, weight = row[known], weight[known]
    return over(np.bincount(row, weight * value[known], n_rows), np.bincount(row, weight, n_rows))


def _left_out(per_case: Array, n_annotators: NDArray[Any]) -> dict[str, int]:
    """Count undefined cases by reason; warn if no case is defined."""
    undefined = np.isnan(per_case)
    reasons = {EMPTY: n_annotators == 0, SINGLE: n_annotators == 1, "case in which nothing is ranked": n_annotators > 1}
    counts = {reason: int((undefined & applies).sum()) for reason, applies in reasons.items() if (undefined & applies).any()}
    if undefined.all():
        said = ", ".join(f"{reason}: {n}" for reason, n in counts.items())
        notices.undefined(f"no case is left ({said})", stacklevel=4)
    return counts


PARTS = means(leave_one_annotator_out, annotator_average_overlap, partial_average_overlap)
