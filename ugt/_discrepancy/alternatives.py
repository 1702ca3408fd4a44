"""Other ways to average, and relative F1, for comparison only: why they mislead is on the page on discrepancy [C sec. 4, appendix C]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _checks, _ids
from .._ragged import row_of
from ..annotations import Labels, Ratings
from .distances import distances
from .groups import _majority
from .input import MISSING, Compared, as_annotations, as_labels, compare, only, read
from .sums import Sums, mean, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class AlternativeRatios:
    """Δ beside the alternatives that its authors advise against; made by :func:`alternative_discrepancy_ratios`.

    Attributes
    ----------
    ratio : float
        Δ, see :func:`discrepancy_ratio`.
    prime : float
        Δ': averages over cases before those over annotators and pairs of annotators. Rewards annotators who skip hard cases.
    prime_printed : float
        Δ' with the factors 1 / (N A) as printed, which does not agree with the example beside it: what annotators skipped counts as 0.
    double_prime : float
        Δ'': against the mean of the other annotators. Depends on the number of annotators. NaN for distances that take no mean of labels.

    Examples
    --------
    >>> import ugt
    >>> easy_and_hard = [[0, 0, 0], [0, 2, None]]  # the third annotator skips the hard case
    >>> found = ugt.alternative_discrepancy_ratios(easy_and_hard, [0, 1], distance="absolute")
    >>> found.ratio, found.prime
    (0.5, 1.0)
    """

    ratio: float
    prime: float
    prime_printed: float
    double_prime: float


def alternative_discrepancy_ratios(
    annotations: Any, predictions: Any, *, distance: Any = "squared", values: Any = None, missing: str = "error"
) -> AlternativeRatios:
    r"""Δ beside Δ' and Δ'': the same averages in another order, and against the mean of the others.

    .. math:: α' = \operatorname{mean}_{j ≠ j'} \operatorname{mean}_i ψ(Y_j^i, Y_{j'}^i), \quad
              μ' = \operatorname{mean}_j \operatorname{mean}_i ψ(m^i, Y_j^i), \quad
              α'' = \operatorname{mean}_i \operatorname{mean}_j ψ(Y_j^i, ω_j^i), \quad
              μ'' = \operatorname{mean}_i \operatorname{mean}_j ψ(m^i, ω_j^i)

    where ω_j is the mean over the other annotators of the means of their labels [C appendix C].

    Parameters
    ----------
    annotations, predictions, distance, values, missing
        As for :func:`discrepancy_ratio`; it must be known who gave each label.

    Returns
    -------
    AlternativeRatios

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`.

    Notes
    -----
    For comparison with published numbers. Δ' is over annotators and pairs of annotators that have cases; cases with a single annotator
    count in μ'. Time: as many passes as there are annotators.

    References
    ----------
    [C] Lovchinsky et al. (2020), appendix C.1 (with example C.1) and C.2.

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 1, 1], [1, 1, 0], [0, 0, None], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.alternative_discrepancy_ratios(readers, [1, 1, 0, 1, 0, 1])
    >>> [round(value, 2) for value in (found.ratio, found.prime, found.double_prime)]
    [0.5, 0.48, 0.33]
    """
    held = as_annotations(annotations, [predictions], distance, values)
    compared = compare(held, {"model": predictions}, distance, values, missing, known="for averages over annotators")
    sums = Sums.of(compared)
    counted = sums.counted(compared.predicted[0])
    alpha, mu = (mean(np.where(counted, column, np.nan)) for column in (sums.alpha, sums.mu[0]))
    prime, printed = _prime(compared, distance, values)
    model = read(predictions, held, distance, values, missing)
    above, below = double_prime_parts(held, model, distance, values)
    return AlternativeRatios(ratio(mu, alpha), prime, printed, ratio(mean(above), mean(below)))


class PrimeSums(NamedTuple):
    """What Δ' is made of: sums over all N cases."""

    n: float  # N
    labelled: NDArray[Any]  # (A,) entries of each annotator
    sizes: NDArray[Any]  # (A,) those with a prediction
    sums: NDArray[Any]  # (A,) their distances to it
    pair_sizes: Array  # (A, A) cases that two annotators share
    pairs: Array  # (A, A) distances between them

    def values(self) -> tuple[float, float]:
        """Δ' per pair and as printed."""
        with np.errstate(invalid="ignore"):
            prime = ratio(mean(self.sums / self.sizes), mean(self.pairs / self.pair_sizes))
        active = int((self.labelled > 0).sum())
        below = self.pairs.sum() / (self.n * active * (active - 1)) if active > 1 else np.nan
        return prime, ratio(self.sums.sum() / (self.n * active), below) if active else np.nan


def _prime(compared: Compared, distance: Any, values: Any) -> tuple[float, float]:
    found, a = compared.distances, len(compared.annotators)
    to_model = found.to_model[0]
    seen = np.flatnonzero(~np.isnan(to_model))
    sums, sizes = (np.bincount(found.annotator[seen], weights, a) for weights in (to_model[seen], None))
    _checks.room("sums of all pairs of annotators", 16 * a * a)
    pairs, pair_sizes = np.zeros((a, a)), np.zeros((a, a))
    for j, kept, to_j in between_pairs(compared, distance, values):
        pairs[j] = np.bincount(found.annotator[kept], to_j, a)
        pair_sizes[j] = np.bincount(found.annotator[kept], minlength=a)
    labelled = np.bincount(found.annotator, minlength=a)
    return PrimeSums(compared.n_cases, labelled, sizes, sums, pair_sizes, pairs).values()


def between_pairs(compared: Compared, distance: Any, values: Any) -> Iterator[tuple[int, Bools, Array]]:
    """Every annotator in turn is the model, so that distances to one are sums over entries: of which entries, and the distances."""
    found, held = compared.distances, compared.annotations
    for j in range(len(compared.annotators)):
        total, times = np.zeros(len(found.annotator)), np.zeros(len(found.annotator))
        for labels in as_models(held, j):
            to_j = distances(held, [labels], distance, **({} if values is None else {"values": values})).to_model[0]
            total += np.where(np.isnan(to_j), 0.0, to_j)
            times += ~np.isnan(to_j)
        kept = (times > 0) & (found.annotator != j)
        yield j, kept, total[kept] / times[kept]


def as_models(held: Any, j: int) -> Iterator[Any]:
    """The labels of annotator j as predictions: the first one of every case, the second one, …"""
    row = np.flatnonzero(held.annotator == j)
    case = row_of(held.offsets)[row]
    first = np.searchsorted(case, case)
    number = np.arange(len(case)) - first
    for k in range(int(number.max(initial=-1)) + 1):
        at, of = row[number == k], case[number == k]
        if isinstance(held, Labels):
            column: Any = np.full(held.n_cases, -1, np.int32)
            column[of] = held.label[at]
        elif isinstance(held, Ratings):
            column = np.full(held.n_cases, np.nan)
            column[of] = held.value[at]
        else:
            column = [None] * held.n_cases
            for i, r in zip(of.tolist(), at.tolist()):
                column[i] = held.mask(r)
        yield column


# ---- against the mean of the others ----


def _difference(distance: Any) -> Any:
    """δ of arrays of numbers, or None where a mean of labels makes no sense."""
    if isinstance(distance, tuple):
        return lambda a, b: np.maximum(0.0, np.abs(a - b) - distance[1])
    known = {"squared": lambda a, b: (a - b) ** 2, "absolute": lambda a, b: np.abs(a - b)}
    return known.get(distance) if isinstance(distance, str) else None


def double_prime_parts(held: Any, model: Any, distance: Any, values: Any) -> tuple[Array, Array]:
    """(N,) parts of μ'' and α'', NaN in cases that do not count, and everywhere where a mean of labels makes no sense."""
    delta, nowhere = _difference(distance), np.full(held.n_cases, np.nan)
    if delta is None or not isinstance(held, (Labels, Ratings)):
        return nowhere, nowhere
    scale = np.asarray(held.axes.classes if values is None else values, np.float64) if isinstance(held, Labels) else np.empty(0)
    label = scale[held.label] if isinstance(held, Labels) else held.value
    case, a = row_of(held.offsets), len(held.annotators)
    _, first, entry = np.unique(case * a + held.annotator, return_index=True, return_inverse=True)
    entry, of_entry = entry.reshape(-1), case[first]
    size = np.bincount(entry)
    own = np.bincount(entry, label) / size
    n = np.bincount(of_entry, minlength=held.n_cases)
    several = n[of_entry] >= 2
    rest = (np.bincount(of_entry, own, held.n_cases)[of_entry] - own) / np.maximum(n[of_entry] - 1, 1)
    below = np.bincount(entry, delta(label, rest[entry])) / size
    above = _model_to(model, rest, of_entry, scale, delta)
    kept = several & ~np.isnan(above)
    counts = np.bincount(of_entry[kept], minlength=held.n_cases)
    with np.errstate(invalid="ignore"):
        totals = [np.bincount(of_entry[kept], column[kept], held.n_cases) / counts for column in (above, below)]
    return totals[0], totals[1]


def _model_to(model: Array, rest: Array, case: NDArray[Any], scale: Array, delta: Any) -> Array:
    """Distance (expected, for probabilities) of the prediction of each entry's case to the mean of the others."""
    if model.ndim == 2:
        return np.asarray(sum(model[case, k] * delta(scale[k], rest) for k in range(len(scale))))
    number = np.where(model >= 0, scale[np.maximum(model, 0)], np.nan) if model.dtype.kind == "i" else model
    return np.asarray(delta(number[case], rest))


# ---- relative F1 ----


@dataclass(frozen=True)
class RelativeF1:
    """F1 of a model less the mean F1 of annotators, against the majority vote of other annotators; made by :func:`relative_f1`.

    Attributes
    ----------
    value : float
        ``model - annotators``: above 0, the model is the better one.
    model : float
        F1 of the model.
    annotators : float
        Mean F1 of the annotators that were held out.
    n_cases : int
        Cases with a majority class.

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 0], [1, 1, 0, 1]]
    >>> ugt.relative_f1(readers, [0, 1, 0, 0], held_out=[3]).n_cases
    4
    """

    value: float
    model: float
    annotators: float
    n_cases: int


def relative_f1(annotations: Any, predictions: Any, *, held_out: Any, missing: str = "error") -> RelativeF1:
    """Relative F1: for comparison with published numbers, not for use. It depends on the number of annotators.

    Annotators are split: the majority vote of some is taken for the truth, the others and the model are judged by macro F1 against it.
    Cases whose vote is tied are left out; each annotator is judged on the cases that they labelled (by their first label).

    Parameters
    ----------
    annotations : Labels, or (N, A) array of classes
        It must be known who gave each label.
    predictions : (N,) classes
        As for :func:`discrepancy_ratio`.
    held_out : sequence of annotator ids
        Who is judged.
    missing : {"error", "drop"}

    Returns
    -------
    RelativeF1

    Raises
    ------
    ValueError
        If an annotator is unknown, or nobody is left on either side, or predictions are not classes.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 4.1.3; van Rijsbergen (1979), "Information retrieval", ch. 7 (F).

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 0], [1, 1, 0, 1]]
    >>> found = ugt.relative_f1(readers, [0, 1, 0, 0], held_out=[3])
    >>> round(found.value, 3), round(found.model, 3), round(found.annotators, 3)
    (0.0, 0.733, 0.733)
    """
    _checks.option("missing", missing, MISSING)
    held = as_labels(annotations, [predictions])
    if not isinstance(held, Labels):
        raise _checks.error("annotations", "be Labels, or an array of classes", type(held).__name__)
    compared_to = Compared(held, None, (), None)  # type: ignore[arg-type]
    compared_to.known("so that some can be held out")
    judged = _members(held_out, held)
    _, vote, _ = _majority(only(held, ~judged), "drop")
    column = read(predictions, held, "zero-one", None, missing)
    if column.ndim != 1:
        raise _checks.error("predictions", "be one class a case", f"{column.ndim} dimensions")
    own = [macro_f1(next(as_models(held, j), np.full(held.n_cases, -1)), vote, held.n_classes) for j in np.flatnonzero(judged).tolist()]
    f1, others = macro_f1(column, vote, held.n_classes), mean(np.array(own))
    return RelativeF1(f1 - others, f1, others, int((vote >= 0).sum()))


def _members(held_out: Any, held: Labels) -> Bools:
    names = _ids.distinct("held_out", held_out)
    at = _ids.lookup(held.annotators, names)
    if (at < 0).any():
        raise _checks.error("held_out", "name annotators", _ids.name(names[int(np.argmax(at < 0))]))
    judged = np.zeros(len(held.annotators), bool)
    judged[at] = True
    if judged.all() or not judged.any():
        raise _checks.error("held_out", "leave annotators on both sides", f"{int(judged.sum())} of {len(judged)}")
    return judged


def macro_f1(predicted: NDArray[Any], truth: NDArray[Any], n_classes: int) -> float:
    """Mean of 2 TP / (predicted + true) over the classes that occur, on the cases where both are known (not negative)."""
    known = (predicted >= 0) & (truth >= 0)
    p, t = predicted[known], truth[known]
    return f1_of(np.bincount(p[p == t], minlength=n_classes), np.bincount(p, minlength=n_classes) + np.bincount(t, minlength=n_classes))


def f1_of(right: NDArray[Any], all_: NDArray[Any]) -> float:
    """From TP, and predicted + true, of each class."""
    with np.errstate(invalid="ignore"):
        return mean(2 * right / all_)
