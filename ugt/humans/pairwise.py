"""The mean pairwise deviation ψ of two sets of annotations, and the expected μ of guessing [C eq. 1 and 8]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Bools
from .._base.ragged import row_of
from ..annotations import Labels, Ratings
from ..annotations.masks import Masks
from .distance_rule import Rule, numbers_of, rule_of_labels, rule_of_numbers
from .distances import Layout, distances

if TYPE_CHECKING:
    from .input import Compared

EACH = "be one or more labels, numbers or masks"


def mean_pairwise_deviation(first: object, second: object, *, distance: Any) -> float:
    r"""Return the mean distance over all pairs of an annotation in one set and one in the other [C eq. 1].

    .. math:: ψ(Y, Y') = \frac{1}{|Y| |Y'|} \sum_{y \in Y} \sum_{y' \in Y'} δ(y, y')

    Parameters
    ----------
    first, second : sequences
        Labels (text), numbers or masks of one case, at least one in each set, such as all those of one annotator. With a table of
        costs, numbers are classes from 0. A prediction is a set of one.
    distance : as for :func:`discrepancy_ratio`
        δ; it must be given.

    Returns
    -------
    float
        In the units of the distance. Pairs within one set do not count.

    Raises
    ------
    ValueError
        If a set is empty, holds something else, or does not fit the distance.

    References
    ----------
    [C] Lovchinsky et al. (2020), eq. 1.

    Examples
    --------
    >>> import ugt
    >>> ugt.humans.mean_pairwise_deviation([0, 1], [1, 1, 0, 1], distance="squared")
    0.5
    >>> ugt.humans.mean_pairwise_deviation(["cat", "dog"], ["dog"], distance="zero-one")
    0.5
    """
    sets = [_members(name, given) for name, given in (("first", first), ("second", second))]
    who = np.repeat([0, 1], [len(one) for one in sets])
    case, every = np.zeros(len(who), np.int64), [*sets[0], *sets[1]]
    held: Labels | Ratings | Masks
    if np.ndim(every[0]):
        held = Masks.from_long(case, who, every)
    elif any(isinstance(one, str) for one in every):
        held = Labels._of_columns(case, who, every)
    elif not isinstance(distance, str) and np.ndim(np.asarray(distance, object)) == 2:
        held = Labels._of_columns(case, who, every, len(distance))
    else:
        held = Ratings.from_long(case, who, every)
    return float(distances(held, [], distance).to_others[0])


def _members(argument: str, given: object) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable) or np.ndim(np.asarray(given, object)) == 0:
        raise checks.error(argument, EACH, repr(given))
    members = list(identifiers.unmasked(given) if identifiers.is_array(given) else given)
    if not members:
        raise checks.error(argument, EACH, "none")
    return members


# ---- μ by guessing ----


def guessing(compared: Compared, counted: Bools) -> float:
    """Return the mean distance over all pairs of a case's prediction and a case's annotations; NaN for masks and distances by a function.

    Cases have equal weight, as have the annotators of a case and the labels of an annotator.
    """
    held = compared.annotations
    if isinstance(held, Masks) or callable(compared.distance) or not counted.any():
        return float("nan")
    layout = Layout.of(held)
    times = np.ones(len(held.annotator)) if layout.times is None else layout.times
    entry = np.arange(len(times), dtype=np.int64) if layout.row_offsets is None else row_of(layout.row_offsets)
    case = row_of(layout.offsets)[entry]
    share = times / np.bincount(entry, times)[entry] * layout.size[entry]
    weight = share / np.maximum(np.bincount(case, share, held.n_cases), 1)[case] * counted[case] / counted.sum()
    model = compared.columns[0][counted]
    every = np.full(len(model), 1 / len(model))
    if isinstance(held, Ratings):
        rule, said = rule_of_numbers(compared.distance), layout.rows(held.value)
        if rule.kind == "number":
            return _of_numbers(rule, model, every, said, weight)
        names, code = np.unique(np.concatenate([model, said]), return_inverse=True)
        shares = [np.bincount(one, w, len(names)) for one, w in zip(np.split(code.reshape(-1), [len(model)]), (every, weight))]
        return float(1 - shares[0] @ shares[1])
    rule, k, label = rule_of_labels(compared.distance, held.axes.classes), held.n_classes, layout.rows(held.label)
    if model.ndim == 2:
        of_model = model.mean(axis=0)
    else:
        of_model = np.bincount(model.astype(np.int64), every, k) if model.dtype.kind == "i" else np.empty(0)
    annotated = np.bincount(label, weight, k).astype(np.float64)
    if rule.kind == "class":
        return float(1 - of_model @ annotated if rule.cost is None else of_model @ rule.cost @ annotated)
    number = numbers_of(held.axes.classes, compared.values)
    values, p = (number, of_model) if len(of_model) else (model, every)
    return _of_numbers(rule, values, p, number, annotated)


def _of_numbers(rule: Rule, first: Array, p: Array, second: Array, q: Array) -> float:
    """Return E δ(X, Y) of independent X and Y with these numbers and probabilities."""
    if rule.squared:
        middle = second @ q
        x, y = first - middle, second - middle
        return float(p @ x**2 + q @ y**2 - 2 * (p @ x) * (q @ y))
    order = np.argsort(second, kind="stable")
    y = second[order]
    mass, total = (np.concatenate([[0.0], np.cumsum(one[order])]) for one in (q, q * second))
    low, high = np.searchsorted(y, first - rule.slack, "left"), np.searchsorted(y, first + rule.slack, "right")
    below = (first - rule.slack) * mass[low] - total[low]
    above = total[-1] - total[high] - (first + rule.slack) * (mass[-1] - mass[high])
    return float(p @ (below + above))
