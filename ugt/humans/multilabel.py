"""The mean of a measure over several labels of each case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base.arrays import Array, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from .._base.wording import arg
from ..plausibilities.estimates import MeanOfCases, left_out, mean_of
from ..resampling import Panel, Ratios, Statistic
from ..resampling.case_weights import Counts


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelMean(MeanOfCases):
    """The mean over several labels of each case, and its mean over cases.

    Attributes
    ----------
    value : float
        Mean over cases.
    per_case : (N,) array
        Mean over the labels of each case; NaN if it is undefined for one of them.
    n_cases, left_out : int, mapping
        Cases counted, and cases left out by reason.
    by_label : mapping of name to float
        The value of each label.

    Examples
    --------
    >>> import ugt
    >>> from ugt.calibration import manhattan_distance
    >>> found = {"irony": manhattan_distance([[1, 3]], [[0.5, 0.5]]), "hate": manhattan_distance([[4, 0]], [[1.0, 0.0]])}
    >>> ugt.humans.multilabel_mean(found).by_label
    {'irony': 0.5, 'hate': 0.0}
    """

    value: float
    per_case: Array
    n_cases: int
    left_out: Mapping[str, int]
    by_label: Mapping[str, float]
    _results: tuple[MeanOfCases, ...] = field(repr=False)
    _times: Counts | None = field(default=None, repr=False)

    @property
    def case_ids(self) -> NDArray[Any] | None:
        return self._results[0].case_ids

    @cached_property
    def statistic(self) -> Statistic:
        found = OfEachLabel([one.statistic for one in self._results], self.per_case)
        return found if self._times is None else self._times.of(found)


class OfEachLabel(Ratios):
    """The mean over labels of means over cases, which can be computed without some of the annotators."""

    def __init__(self, each: list[Any], per_case: Array) -> None:
        base = Ratios.of(per_case)
        super().__init__(base.columns, base.of_number)
        ends = np.concatenate([one.facts.spans for one in each])
        self.each, self.span = each, (float(ends.min()), float(ends.max()))

    @property
    def panel(self) -> Panel:
        return super().panel._replace(annotations=self._annotations, judged_by=self._judged_by)

    def _annotations(self) -> Any:
        known = [one.panel.annotations() for one in self.each]
        for other in known[1:]:
            if not np.array_equal(known[0].annotators, other.annotators):
                raise error("annotators", "be the same, in one order, for all labels if annotators are random", "others")
        return known[0]

    def _judged_by(self, annotators: NDArray[Any]) -> OfEachLabel:
        each = [one.panel.judged_by(annotators) for one in self.each]
        return OfEachLabel(each, _mean_of_each([np.where(one.kept, one.columns[:, 0], np.nan) for one in each]))


def multilabel_mean(results: Mapping[str, MeanOfCases]) -> MultilabelMean:
    """Return the mean of a measure over several labels of each case, such as several yes-or-no questions.

    A case contributes ``1/L Σ_l x_l``, with x_l its number (``per_case``) for each of the L labels.

    Parameters
    ----------
    results : mapping of name to result
        For each label the result of one function, whose value is a mean over the same cases in one order, such as
        :func:`manhattan_distance` or :func:`perspectivist_error_rate`. All have the same ``frequency=`` or ``case_weights=``, or none.

    Returns
    -------
    MultilabelMean

    Raises
    ------
    TypeError
        If results are not a mapping of results.
    ValueError
        If there is no result, if the cases are not the same in one order, if their frequencies or weights of cases differ, or if results
        have other ``weights``.

    Notes
    -----
    With Manhattan distances this is the soft measure, and with error rates the perspectivist measure, of the multi-label data of LeWiDi
    2025. A yes-or-no question has two classes: the Manhattan distance is then twice that of the probabilities of "yes".

    References
    ----------
    Leonardelli et al. (2025), "LeWiDi-2025 at NLPerspectives".

    Examples
    --------
    >>> import ugt
    >>> from ugt.calibration import manhattan_distance
    >>> counts = {"entailment": [[2, 2], [4, 0]], "neutral": [[1, 3], [0, 4]]}
    >>> probs = {"entailment": [[0.5, 0.5], [0.9, 0.1]], "neutral": [[0.5, 0.5], [0.2, 0.8]]}
    >>> ugt.humans.multilabel_mean({name: manhattan_distance(counts[name], probs[name]) for name in counts}).per_case.round(3)
    array([0.25, 0.3 ])
    """
    others = [one for one in results.values() if not isinstance(one, MeanOfCases)] if isinstance(results, Mapping) else [results]
    if others:
        raise TypeError(
            f"results must be a mapping of label to a mean over cases, such as of Manhattan distances. Got {type(others[0]).__name__}."
        )
    if not results:
        raise error("results", "hold a result for at least one label", "none")
    (first, *names), each = results, tuple(results.values())
    for name, one in zip(names, each[1:]):
        if len(one.per_case) != len(each[0].per_case):
            raise error("results", f"be of the same {len(each[0].per_case)} cases", len(one.per_case), f"label {name!r}")
        ids: list[Any] = [found.case_ids for found in (each[0], one)]
        if (ids[0] is None) != (ids[1] is None) or (ids[0] is not None and not np.array_equal(*ids)):
            must = f"be of the same cases in one order, as for {first!r} (cases= in Labels.from_long gives one order)"
            raise error("results", must, "other cases or another order", f"label {name!r}")
    _check_counts(results)
    per_case, counts = _mean_of_each([one.per_case for one in each]), each[0].counts
    value, n = mean_of(per_case) if counts is None else counts.mean(per_case)
    by_label = {str(name): float(one.value) for name, one in results.items()}
    return MultilabelMean(value, per_case, n, left_out(per_case, counts=counts), by_label, each, counts)


def _check_counts(results: Mapping[str, MeanOfCases]) -> None:
    """Refuse results whose cases do not count equally often, or have weights that say something else."""
    first = next(iter(results.values())).counts
    for name, one in results.items():
        if not _alike(one.counts, first):
            must = "have the same " + arg("frequency", ...) + " and " + arg("case_weights", ...)
            raise error("results", must, "others", f"label {name!r}")
        weighted = one.counts is not None and one.counts.weighted
        if getattr(one, "weight", None) is not None or (getattr(one, "weights", None) is not None and not weighted):
            raise error("results", "not have weights of cases", "weights", f"label {name!r}")


def _alike(one: Counts | None, other: Counts | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.weighted == other.weighted and np.array_equal(one.times, other.times)


def _mean_of_each(columns: list[Array]) -> Array:
    return np.asarray(np.add.reduce(columns) / len(columns))
