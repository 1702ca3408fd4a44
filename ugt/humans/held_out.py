"""Relative F1, for comparison with published numbers: some annotators are the reference, the others are judged [C sec. 4.1.3]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Int64, NDArray
from .._base.records import Record
from ..annotations import Labels
from ..annotations.joins import tells_joins
from ..annotations.other_annotators import only
from ..resampling import Answer, Merging, finished, over
from .alternatives import Scattered, Window, as_models
from .groups import majority
from .input import MISSING, as_labels, check_known, read
from .record import Judging
from .sums import mean_of

NO_MAJORITY = "case without a majority class"


@dataclass(frozen=True, repr=False)
class RelativeF1(Record):
    """The F1 of a model less the mean F1 of annotators, against the voted label of other annotators; made by :func:`relative_f1`.

    Attributes
    ----------
    value : float
        ``model - annotators``: above 0, the F1 of the model is the higher one.
    model, annotators : float
        F1 of the model, and mean F1 of the annotators that were held out.
    n_cases : int
        Cases with a majority class.

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 0], [1, 1, 0, 1]]
    >>> ugt.papers.relative_f1(readers, [0, 1, 0, 0], held_out=[3]).n_cases
    4
    """

    value: float
    model: float
    annotators: float
    n_cases: int


@tells_joins
def relative_f1(annotations: object, predictions: object, *, held_out: object, missing: str = "error") -> RelativeF1:
    """Return the relative F1, for comparison with published numbers only: it depends on the number of annotators.

    Annotators are split: the voted label of some is the reference, and the others and the model are judged by macro F1 against it.
    Cases whose vote is tied are left out. Each annotator is judged on the cases that they labelled (by their first label).

    Parameters
    ----------
    annotations : Labels, or (N, A) array of classes
        Annotations must name their annotators.
    predictions : (N,) classes
        As for :func:`discrepancy_ratio`.
    held_out : sequence of annotator ids
        The annotators that are judged.
    missing : {"error", "drop"}

    Returns
    -------
    RelativeF1

    Raises
    ------
    ValueError
        If an annotator is unknown, if no annotator is held out or none is left, or if predictions are not classes.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 4.1.3; van Rijsbergen (1979), "Information retrieval", ch. 7 (F).

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 0], [1, 1, 0, 1]]
    >>> found = ugt.papers.relative_f1(readers, [0, 1, 0, 0], held_out=[3])
    >>> round(found.value, 3), round(found.model, 3), round(found.annotators, 3)
    (0.0, 0.733, 0.733)
    """
    checks.option("missing", missing, MISSING)
    held = as_labels(annotations, [predictions])
    if not isinstance(held, Labels):
        raise checks.error("annotations", "be Labels, or an array of classes", type(held).__name__)
    check_known(held, "so that some can be held out")
    names = identifiers.distinct("held_out", held_out)
    one = HeldOut({"held_out": names.tolist()}, held, predictions, positions(names, held.annotators), missing)
    value, model, others = one.estimate.tolist()
    return RelativeF1(value, model, others, one.n_counted)


class HeldOut(Judging, Scattered):
    """F1 of the model less the mean F1 of J - 1 held-out annotators, given by their positions, -1 for those who gave no label.

    The sums are the number of cases with a majority class; then for each judge hits, choices and votes for each class, (J, 3, K).
    """

    names = ("value", "model", "annotators")

    def __init__(
        self, settings: Mapping[str, Any], labels: Labels | None = None, model: Any = None, at: Any = None, missing: str = "error"
    ) -> None:
        self.settings, self._given, self._read_here = dict(settings), (model, at, missing), labels is not None
        self.n_judges = 1 + len(settings["held_out"])
        if labels is None:
            return
        self.labels, self.n_cases, self.n_sums = labels, labels.n_cases, 1 + self.n_judges * 3 * labels.n_classes
        column = read(model, labels, "zero-one", None, missing)
        if column.ndim != 1:
            raise checks.error("predictions", "be one class per case", f"{column.ndim} dimensions")
        self.vote = majority(only(labels, ~np.isin(np.arange(len(labels.annotators)), at)), "drop")[1]
        nobody = np.full(labels.n_cases, -1)
        self.judges = [column, *(nobody if j < 0 else next(as_models(labels, j), nobody) for j in at.tolist())]
        self.columns = (self.vote >= 0)[:, None].astype(np.float64)
        n = int((self.vote < 0).sum())
        self.left_out = {NO_MAJORITY: n} if n else {}

    def _annotations(self) -> Any:
        return self.labels

    def _judged_by(self, annotators: NDArray[Any]) -> HeldOut:
        held: Any = only(self.labels, np.asarray(annotators) != 0)
        return HeldOut(self.settings, held, *self._given)

    def windows(self) -> Iterator[Window]:
        """Yield for each judge its hits, its choices, and the voted labels of the same cases."""
        k = self.labels.n_classes
        for j, column in enumerate(self.judges):
            known = np.flatnonzero((column >= 0) & (self.vote >= 0))
            right = known[column[known] == self.vote[known]]
            for row, (cases, chosen) in enumerate(((right, self.vote), (known, column), (known, self.vote))):
                yield 1 + (3 * j + row) * k, k, cases, chosen[cases].astype(np.int64), np.ones(len(cases))

    def answer(self, sums: Array) -> Array:
        right, chosen, true = sums[:, 1:].reshape(len(sums), self.n_judges, 3, -1).transpose(2, 0, 1, 3)
        each = over(2 * right, chosen + true)
        f1 = mean_of(each.reshape(-1, each.shape[2])).reshape(len(sums), -1)
        others = mean_of(f1[:, 1:])
        return np.column_stack([f1[:, 0] - others, f1[:, 0], others])

    @property
    def merging(self) -> Merging:
        return super().merging._replace(finish=self._finish, groups=self._groups)

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Return the answer with the reason if there is none."""
        found = finished(self, sums, fixed, left_out)
        reason = "no case has a majority class" if sums[0] == 0 else "no annotator is held out in such a case"
        return found._replace(reason=reason if np.isnan(found.value) else None)

    def _groups(self, sums: Array, fixed: Array) -> Array:
        """Return the number of cases of each class, for the model and for the annotators."""
        votes = sums[1:].reshape(self.n_judges, 3, -1)[:, 2]
        return np.append(votes[0], votes[1:].sum(axis=1))


def positions(held_out: NDArray[Any], annotators: NDArray[Any]) -> Int64:
    """Return the positions of the held-out annotators among all, ascending."""
    at = identifiers.lookup(annotators, held_out)
    if (at < 0).any():
        raise checks.error("held_out", "be among the annotators", identifiers.name(held_out[int(np.argmax(at < 0))]))
    if not 0 < len(at) < len(annotators):
        raise checks.error("held_out", "be some of the annotators, not all", f"{len(at)} of {len(annotators)}")
    return np.sort(at).astype(np.int64)
