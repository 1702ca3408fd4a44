"""Overviews of agreement: every annotator with every other, and all coefficients of a data set in one table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import Frozen
from .._base.checks import error, option, room
from .._base.records import Record
from ..resampling import check_level, over
from ..resampling.result import KINDS, resamples_of_all
from .coefficients import DECLARED, OF_PAIRS
from .costs import LEVELS, WEIGHTS, Cost, weighted_of
from .forms import Values
from .reading import labels_of
from .record import Agreement, rare_note
from .scales import alphas_of, correlations_of
from .table import Judgements, read

NO_INTERVAL = "no interval: too few cases (or clusters) to show how others would differ"
CELLS = 1 << 22  # cells of tables in memory at a time


class AgreementRow(NamedTuple):
    """One coefficient of agreement, at most 1, with its intervals, and the observed and the expected agreement; None: undefined."""

    coefficient: str
    value: float | None
    low: float | None
    high: float | None
    two_way_low: float | None = None
    two_way_high: float | None = None
    std_error: float | None = None
    observed: float | None = None
    expected: float | None = None
    n_cases: int = 0
    n_annotators: int | None = None
    reason: str | None = None  # why a number is undefined


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseAgreement(Frozen):
    """The agreement of every annotator with every other, on the cases that the two share.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient.
    annotators : (A,) array
        Ids, in the order of rows and columns.
    value : (A, A) array
        Agreement, symmetric. NaN on the diagonal and if two annotators share no case; 1 by convention where ``no_variation``.
    n_cases : (A, A) int64
        Cases that the two annotators share; on the diagonal, cases that the annotator labelled.
    no_variation : (A, A) bool
        Whether two annotators chose the same single class in all cases that they share, so that agreement by chance is complete.
    per_annotator : (A,) array
        Mean of each row, weighted by ``n_cases``: the annotator against all others. NaN if no value of the row is defined.
    prevalence, annotator_prevalence : (K,), (A, K) arrays
        Share of each class among all judgements and among those of each annotator; NaN for an annotator without labels.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.agreement.pairwise_agreement([[0, 0, 1], [0, 0, None], [1, 1, 0], [1, 0, 1]], "percent", classes=2)
    >>> found.value.round(2).tolist()
    [[nan, 0.75, 0.33], [0.75, nan, 0.0], [0.33, 0.0, nan]]
    >>> found.n_cases.tolist(), found.per_annotator.round(2).tolist()
    ([[4, 4, 3], [4, 4, 3], [3, 3, 3]], [0.57, 0.43, 0.17])
    """

    coefficient: str
    annotators: NDArray[Any]
    value: Array
    n_cases: Int64
    no_variation: Bools
    per_annotator: Array
    prevalence: Array
    annotator_prevalence: Array


def pairwise_agreement(labels: object, coefficient: str = "cohen", *, weights: object = None, classes: object = None) -> PairwiseAgreement:
    """Return the agreement of every annotator with every other, and of each with all others.

    Parameters
    ----------
    labels, weights, classes
        As for :func:`percent_agreement`.
    coefficient : str
        ``"cohen"``, ``"percent"``, ``"scott"``, ``"ac1"`` (with weights AC2) or another whose page says so. Expected agreement comes from
        the cases that the two annotators share.

    Returns
    -------
    PairwiseAgreement

    Raises
    ------
    TypeError, ValueError
        As for :func:`percent_agreement`; if annotators have no names.

    Notes
    -----
    Time and memory grow with the pairs of judgements of the same case, and with A².

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, None], [1, 0, 1]], annotators=["ann", "bob", "eve"])
    >>> found = ugt.agreement.pairwise_agreement(labels)
    >>> found.value.round(2).tolist(), found.n_cases[0].tolist()
    ([[nan, 0.5, 0.0], [0.5, nan, 0.0], [0.0, 0.0, nan]], [4, 4, 3])
    """
    option("coefficient", coefficient, tuple(OF_PAIRS))
    judged = labels_of(labels, classes)
    judged.check_named()
    n_annotators = len(judged.annotators)
    cost = weighted_of(weights, judged)
    # products of sparse matrices over cases, which cost nothing for annotators that share no case
    room("agreement of all pairs of annotators", 32 * n_annotators**2)
    chosen, took_part = matrices(judged, judged.annotator, n_annotators)
    shared = product(took_part, took_part)
    totals = None if OF_PAIRS[coefficient].chance is None else (chosen.T @ took_part).tocsr()
    differ = differences(chosen, chosen, cost, n_annotators)
    value, still = pair_values(shared, differ, totals, cost, coefficient)
    share = _by_annotator(judged)
    prevalence, means = judged.prevalence, row_means(value, shared)
    return PairwiseAgreement(coefficient, judged.annotators, value, np.rint(shared).astype(np.int64), still, means, prevalence, share)


def pair_values(shared: Array, differ: Array, totals: object, cost: Cost, coefficient: str) -> tuple[Array, Bools]:
    """Return ``(value, no_variation)``, (A, A) each, from sums over cases.

    ``totals`` (A K, A), sparse: how often one annotator chose a class in cases of the other; None for percent agreement.
    """
    first, second = np.nonzero(np.triu(shared, 1))
    at = first, second
    observed = differ[at] / shared[at]
    if OF_PAIRS[coefficient].chance is None:
        found = Values(1 - observed, 1 - observed, np.zeros(len(observed)))
    else:
        found = Values.of(observed, _expected(totals, at, shared[at], cost, coefficient))
    value, still = np.full(shared.shape, np.nan), np.zeros(shared.shape, bool)
    unvaried = np.isnan(found.value)
    value[at] = value.T[at] = np.where(unvaried, 1.0, found.value)
    still[at] = still.T[at] = unvaried
    return value, still


def matrices(judged: Judgements, annotator: NDArray[Any], n_annotators: int) -> tuple[Any, Any]:
    """Return ``(N, A K)`` shares of the classes that annotators chose, and ``(N, A)`` whether they labelled the case."""
    from scipy import sparse  # noqa: PLC0415  (scipy is slow to import)

    k, judgement = judged.n_classes, judged.shares.row
    column = annotator[judgement].astype(np.int64) * k + judged.shares.index
    shape = (judged.n_cases, n_annotators * k)
    chosen = sparse.csr_matrix((judged.shares.amount, (judged.case[judgement], column)), shape=shape)
    took_part = sparse.csr_matrix((np.ones(len(judged.case)), (judged.case, annotator)), shape=(judged.n_cases, n_annotators))
    return chosen, took_part


def product(left: Any, right: Any) -> Array:
    """Return (L, R) sums over cases of the products of sparse tables (N, L) and (N, R)."""
    return np.asarray((left.T @ right).todense(), np.float64)


def differences(chosen: Any, counted: object, cost: Cost, n_annotators: int) -> Array:
    """Return (A, A) summed costs of two annotators over the cases that they share; ``counted`` is ``chosen`` with weights of cases."""
    k = cost.n_classes
    found = np.zeros(n_annotators * n_annotators)
    step = max(1, CELLS // max(1, n_annotators * k * k))  # annotators that are compared with all others at a time
    by_choice = chosen.T.tocsr()
    for begin in range(0, n_annotators, step):
        joint = (by_choice[begin * k : (begin + step) * k] @ counted).tocoo()
        row, column = joint.row.astype(np.int64) + begin * k, joint.col.astype(np.int64)
        price = joint.data * cost.between(row % k, column % k)
        found += np.bincount(row // k * n_annotators + column // k, price, len(found))
    return found.reshape(n_annotators, n_annotators)


def _expected(totals: Any, at: tuple[Any, Any], shared: Array, cost: Cost, coefficient: str) -> Array:
    """Return the expected disagreement of the pairs ``at``, from the classes of both annotators on the cases that they share."""
    k, n_annotators, chance = cost.n_classes, totals.shape[1], OF_PAIRS[coefficient].chance
    assert chance is not None
    found = np.empty(len(shared))
    step, classes = max(1, CELLS // max(1, k * n_annotators)) * n_annotators, np.arange(k)
    for begin in range(0, len(shared), step):
        first, second = at[0][begin : begin + step, None], at[1][begin : begin + step, None]
        n = shared[begin : begin + step, None]
        p, q = (_cells(totals, one * k + classes, other) / n for one, other in ((first, second), (second, first)))
        found[begin : begin + step] = chance.of(cost, p, q)
    return found


def _cells(table: Any, row: NDArray[Any], column: NDArray[Any]) -> Array:
    """Return some cells of a sparse table in the shape of ``row``; ``column`` is broadcast."""
    return np.asarray(table[row.ravel(), np.repeat(column.ravel(), row.shape[1])]).reshape(row.shape)


def _by_annotator(judged: Judgements) -> Array:
    k, n_annotators = judged.n_classes, len(judged.annotators)
    at = judged.annotator[judged.shares.row].astype(np.int64) * k + judged.shares.index
    total = np.bincount(at, judged.shares.amount, n_annotators * k).reshape(n_annotators, k)
    return over(total, np.bincount(judged.annotator, minlength=n_annotators)[:, None])


def row_means(value: Array, n_cases: Array) -> Array:
    """Return (A,) means of rows, weighted by the cases; NaN for a row without values."""
    weight = np.where(np.isnan(value), 0.0, n_cases)
    return over((np.where(np.isnan(value), 0.0, value) * weight).sum(axis=1), weight.sum(axis=1))


# ---- all coefficients in one table ----


@dataclass(frozen=True, eq=False, repr=False)
class AgreementTable(Record):
    r"""The table of agreement coefficients, with the prevalence of the classes.

    Attributes
    ----------
    found : tuple of Agreement
        The coefficients.
    classes, prevalence : tuple, (K,) array
        Names of the K classes, and the share of each among all judgements; empty and None for ratings.
    left_out : mapping
        Cases without agreement, by reason.

    Examples
    --------
    >>> import ugt
    >>> table = ugt.agreement_table([[0, 0, 1], [0, 0, 0], [1, 1, None], [0, 1, 1]], classes=2)
    >>> print(*table.text(kind="analytic").splitlines()[:3], sep="\n")
    coefficient                      value   95% interval       for other annotators  observed  expected  cases
    percent agreement                0.667    0.054 to  1.000    0.000 to  1.000         0.667     0.000      4
    Fleiss' kappa                    0.333   -0.892 to  1.000   -1.000 to  1.000         0.667     0.500      4
    """

    found: tuple[Agreement, ...]
    classes: tuple[Any, ...]
    prevalence: Array | None
    left_out: Mapping[str, int]

    def interval(self, level: float = 0.95, *, kind: str = "auto", **resampling: Any) -> Array:
        """Return the intervals of all coefficients, from the same resamples.

        Parameters
        ----------
        level, kind
            As for :meth:`Agreement.interval`. Analytic intervals of intraclass correlations ignore clusters.
        **resampling
            clusters, strata, n_resamples and seed, as for :meth:`Agreement.interval`.

        Returns
        -------
        (M, 2) array
            Ends of the intervals; NaN for a coefficient with a ``reason``.
        """
        level = check_level(level)
        if option("kind", kind, KINDS) == "analytic":
            alone = {name: given for name, given in resampling.items() if name != "clusters"}  # intraclass correlations refuse them
            options = [alone if each.coefficient.startswith("ICC") else resampling for each in self.found]
            return np.array([each.interval(level, kind=kind, **given) for each, given in zip(self.found, options)])
        said = [rare_note(each.statistic) for each in self.found if each.expected]
        if any(said):
            notices.warn(next(filter(None, said)), UserWarning)
        resampled = resamples_of_all(self.found, **resampling)
        found = np.array([one.take(0).interval(level, kind)[0] for one in resampled])
        found[[each.reason is not None for each in self.found]] = np.nan
        return found

    def rows(self, level: float = 0.95, *, kind: str = "auto", **resampling: Any) -> list[dict[str, Any]]:
        """Return one dictionary per coefficient, with its intervals; all have the same keys, and undefined numbers are None.

        ``low`` and ``high`` are the ends of :meth:`interval`, for the same annotators. ``two_way_low`` and ``two_way_high`` hold for other
        annotators, too; they need names of annotators, and not too many annotators (see :class:`TwoWay`).
        """
        found = self.rows_of(self.interval(level, kind=kind, **resampling), level, resampling.get("clusters"))
        return [row._asdict() for row in found]

    def rows_of(self, intervals: Array, level: float, clusters: object = None) -> list[AgreementRow]:
        """Return :meth:`rows` as records, with given intervals (M, 2) over cases."""
        rows = []
        for each, ends in zip(self.found, intervals.tolist()):
            numbers = (each.value, *ends, *each.ends_if_named(level, clusters, ends), each.std_error, each.observed, each.expected)
            known = [None if x is None or math.isnan(x) else float(x) for x in numbers]
            reason = each.reason or (NO_INTERVAL if math.isnan(ends[0]) else None)
            rows.append(AgreementRow._make((each.coefficient, *known, each.n_cases, each.n_annotators, reason)))
        return rows

    def text(self, level: float = 0.95, *, kind: str = "auto", **resampling: Any) -> str:
        """Return the :meth:`rows` as a text table."""
        return self.text_of(self.rows_of(self.interval(level, kind=kind, **resampling), level, resampling.get("clusters")), level)

    def text_of(self, rows: Sequence[AgreementRow], level: float) -> str:
        """Return rows with intervals of a level as a text table."""
        level = check_level(level)
        width = max(len(row.coefficient) for row in rows)
        two_way = any(row.two_way_low is not None for row in rows)
        heads = [f"{100 * level:g}% interval", *(["for other annotators"] if two_way else [])]
        widths = [max(16, len(head)) for head in heads]
        wide = "".join(f"   {head:{n}}" for head, n in zip(heads, widths))
        lines = [f"{'coefficient':{width}}  {'value':>6}{wide}  observed  expected  cases"]
        for row in rows:
            ends = [_ends(row.low, row.high), *([_ends(row.two_way_low, row.two_way_high)] if two_way else [])]
            wide = "".join(f"   {one:{n}}" for one, n in zip(ends, widths))
            line = f"{row.coefficient:{width}}  {_shown(row.value):>6}{wide}  {_shown(row.observed):>8}  {_shown(row.expected):>8}"
            lines.append(f"{line}  {row.n_cases:>5}" + (f"  {row.reason}" if row.reason else ""))
        if self.prevalence is not None:
            shares = (f"{name} ({share:.3f})" for name, share in zip(self.classes, self.prevalence))
            lines.append("classes: " + ", ".join(shares))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _ends(low: float | None, high: float | None) -> str:
    """Return both ends of an interval, or one dash without an interval."""
    return f"{'-':>6}" if low is high is None else f"{_shown(low):>6} to {_shown(high):>6}"


def agreement_table(
    annotations: Any, *, weights: Any = None, levels: Any = None, values: Any = None, classes: Any = None, frequency: Any = None
) -> AgreementTable:
    """Return all agreement coefficients in one table: if one class is common they differ, and no single one shows why.

    Parameters
    ----------
    annotations : Labels, Ratings, or (N, A) table
        Labels give percent agreement, kappas of annotators by name (Cohen's and Scott's of two, others of 3 to 20), Fleiss' kappa, AC1
        (AC2), Brennan-Prediger and alpha; ordered labels give all but alpha with each kind of weights. Ratings give ICC(1), ICC(A,1),
        ICC(C,1) and alpha; on a finite scale, also what ordered labels give.
    weights : None, "linear", "quadratic", "ordinal", a sequence of these, or (K, K) table
        As for :func:`percent_agreement`. Default: all three for ordered labels, none for other labels.
    classes, frequency
        As for :func:`percent_agreement`.
    levels : sequence of scales, optional
        Levels of measurement for alpha. Default: ``("interval", "ordinal")`` for ratings and ordered labels, else ``("nominal",)``.
    values : (K,) numbers, optional
        As for :func:`krippendorff_alpha`.

    Returns
    -------
    AgreementTable

    Raises
    ------
    TypeError, ValueError
        As for the coefficients.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.agreement_table(ugt.Ratings.from_wide([[1.5, 2.0], [3.0, 3.5], [0.5, 0.5], [2.0, 4.0]]))
    >>> [(row["coefficient"], round(row["value"], 2)) for row in found.rows(n_resamples=200)][:2]
    [('ICC(1)', 0.7), ('ICC(A,1)', 0.72)]
    >>> table = [["mild", "mild"], ["severe", "moderate"], ["moderate", "mild"]]
    >>> grades = ugt.Labels.from_wide(table, ordered=["mild", "moderate", "severe"])
    >>> [(one.coefficient, round(one.value, 2)) for one in ugt.agreement_table(grades, weights="linear").found][2:5]
    [("Scott's pi (linear)", 0.14), ("Fleiss' kappa (linear)", 0.14), ("Gwet's AC2 (linear)", 0.32)]
    """
    judged = read("annotations", annotations, classes, alike="few").occurring("annotations", frequency, None)
    if levels is None:
        levels = ("interval", "ordinal") if judged.ratings or judged.ordered else ("nominal",)
    if isinstance(levels, str) or not isinstance(levels, Iterable) or not all(isinstance(one, str) and one in LEVELS for one in levels):
        raise error("levels", f"be some of {', '.join(map(repr, LEVELS))}", repr(levels))
    found = correlations_of(judged) if judged.ratings else []
    if not judged.ratings:
        found += _of_classes(judged, weights)
    elif isinstance(judged.given.scale, tuple):
        found += _of_classes(read("annotations", judged.given.to_labels(), alike="few"), weights)
    elif weights is not None:
        raise error("weights", "be left out unless annotations are labels or ratings on a stated scale of grades", repr(weights))
    found += alphas_of(judged, levels, values)
    return AgreementTable(tuple(found), () if judged.ratings else tuple(judged.names.tolist()), found[0].prevalence, found[-1].left_out)


def _of_classes(judged: Judgements, weights: object) -> list[Agreement]:
    """Return the coefficients of labels but alpha, with each kind of weights."""
    several = isinstance(weights, (list, tuple)) and len(weights) > 0 and all(isinstance(one, str) for one in weights)
    chosen: Any = weights if several else WEIGHTS if weights is None and judged.ordered else (weights,)
    found = [] if len(chosen) == 1 else [DECLARED["percent_agreement"].of(judged)]
    shown = [one for one in DECLARED.values() if one.tells(len(judged.annotators))]
    by_name = judged.with_annotators() if any(one.several for one in shown) else judged
    for each in chosen:
        found += [one.of(by_name if one.several else judged, each) for one in shown if one.weighted in (None, each is not None)]
    return found
