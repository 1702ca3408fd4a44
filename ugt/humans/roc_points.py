"""The operating points of annotators next to a ROC curve: sensitivity and specificity with the other annotators as the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Frozen
from .._base.ragged import row_of
from ..annotations.joins import tells_joins
from ..annotations.one_class import check_second
from ..resampling import Ratios, Results, over
from ..soft import soft_roc_curve
from .input import MISSING, check_all, check_known, joined, numbers, of_two_classes

OTHERS = "case with fewer than two annotators"


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorRocPoints(Results, Frozen):
    """The sensitivity and specificity of each annotator against the others; made by :func:`annotator_roc_points`.

    Attributes
    ----------
    annotators, n_cases : (A,) arrays
        Ids, and the number of cases that each labelled together with another annotator.
    sensitivity, specificity : (A,) arrays
        Σ p r / Σ p and Σ (1 - p) (1 - r) / Σ (1 - p), with p the share of the others who label positive, and r the annotator's label
        (the mean of several). NaN if the others never (always) label positive.
    model_sensitivity : (A,) array
        Sensitivity of the model at the annotator's specificity, on the same cases against the same others: on its soft ROC curve,
        linear between thresholds. NaN without scores.
    left_out : mapping
        Cases that count for no annotator, by reason.

    Notes
    -----
    The numbers that are resampled together are those of ``sensitivity``, then those of ``specificity``.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.humans.annotator_roc_points([[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 0]])
    >>> found.sensitivity.round(2).tolist(), found.specificity.round(2).tolist()
    ([0.75, 1.0, 0.4], [0.75, 0.4, 1.0])
    """

    annotators: NDArray[Any]
    n_cases: Int64
    sensitivity: Array
    specificity: Array
    model_sensitivity: Array
    left_out: Mapping[str, int]
    _statistic: Ratios = field(repr=False)
    _ids: NDArray[Any] = field(repr=False)

    def table(self, level: float = 0.95, **options: Any) -> list[dict[str, Any]]:
        """Return one row per annotator, with intervals over cases; options are those of :meth:`intervals`.

        ``annotator, n_cases, sensitivity, sensitivity_low, sensitivity_high, specificity, specificity_low, specificity_high,
        model_sensitivity``
        """
        ends = self.intervals(level, **options).reshape(2, -1, 2)
        rows = []
        for j, one in enumerate(self.annotators.tolist()):
            row = {"annotator": str(one), "n_cases": int(self.n_cases[j])}
            for name, values, (low, high) in zip(("sensitivity", "specificity"), (self.sensitivity, self.specificity), ends[:, j]):
                row.update({name: float(values[j]), f"{name}_low": float(low), f"{name}_high": float(high)})
            rows.append({**row, "model_sensitivity": float(self.model_sensitivity[j])})
        return rows


@tells_joins
def annotator_roc_points(annotations: object, scores: object = None, *, missing: str = "error") -> AnnotatorRocPoints:
    r"""Return the sensitivity and specificity of each annotator with the other annotators as the reference.

    Parameters
    ----------
    annotations : Labels, or (N, A) array, of two classes
        The second class is the positive one. Annotations must name their annotators.
    scores : (N,) numbers or mapping of case id to number, optional
        A model's scores, higher = more positive.
    missing : {"error", "drop"}
        What to do with cases without a score: refuse them, or leave them out for all annotators.

    Returns
    -------
    AnnotatorRocPoints
        ``plots.annotator_roc_points`` draws it.

    Raises
    ------
    ValueError
        If there are not two classes, if annotators are not named, or if scores do not fit.

    Notes
    -----
    The reference of an annotator is the others only, so that nobody is compared with themselves. The reference therefore has one label
    per case less than that of a model's curve against all annotators, and the curve is drawn only for orientation. Compare
    ``model_sensitivity`` instead: same cases, same others, same specificity. If the others disagree in some cases, no model and
    no annotator has a sensitivity and a specificity of 1. Intervals are for the same annotators.

    References
    ----------
    [C] sec. 2 (readers' operating points beside a ROC curve, as in studies that it cites); [D] eq. 1-3 (soft sensitivity and specificity).

    Examples
    --------
    >>> import ugt
    >>> readers = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]]
    >>> found = ugt.humans.annotator_roc_points(readers, [0.8, 0.9, 0.1, 0.4, 0.5, 0.3])
    >>> for row in found.table():
    ...     print(*(round(row[name], 2) for name in ("sensitivity", "specificity", "model_sensitivity")))
    0.67 0.67 0.67
    0.5 0.5 0.83
    0.5 0.5 1.0
    """
    held = of_two_classes(annotations)
    check_known(held, "so that each can be compared with the others")
    checks.option("missing", missing, MISSING)
    n_cases, a = held.n_cases, len(held.annotators)
    checks.room("what each case adds for each annotator", 64.0 * n_cases * a)
    place = row_of(held.offsets) * a + held.annotator
    times = np.bincount(place, held.count, n_cases * a).reshape(n_cases, a)
    own = over(np.bincount(place, held.count * (held.label == 1), n_cases * a).reshape(n_cases, a), times)
    check_second("scores", scores, held.axes.classes)
    score = np.zeros(n_cases) if scores is None else numbers(joined(scores, held), held, "scores")
    if missing == "error":
        check_all("scores", ~np.isnan(score), held)
    n = (times > 0).sum(axis=1, keepdims=True)
    counted = (times > 0) & (n >= 2) & ~np.isnan(score)[:, None]
    others = np.where(counted, (np.nansum(own, axis=1, keepdims=True) - own) / np.maximum(n - 1, 1), np.nan)
    above, below = np.hstack([others * own, (1 - others) * (1 - own)]), np.hstack([others, 1 - others])
    names = tuple(f"{name} of {one}" for name in ("sensitivity", "specificity") for one in held.annotators.tolist())
    one = Ratios.of((above, below), names=names)
    sensitivity, specificity = np.split(one.estimate, 2)
    model = np.full(a, np.nan)
    for j in np.flatnonzero(~np.isnan(sensitivity) & ~np.isnan(specificity)) if scores is not None else ():
        curve = soft_roc_curve(others[counted[:, j], j], score[counted[:, j]])
        model[j] = np.interp(1 - specificity[j], curve.false_positive_rate, curve.true_positive_rate)
    alone = {OTHERS: int((n < 2).sum()), "case without a score": int((np.isnan(score) & (n[:, 0] >= 2)).sum())}
    left_out = {reason: count for reason, count in alone.items() if count}
    return AnnotatorRocPoints(
        held.annotators, counted.sum(axis=0, dtype=np.int64), sensitivity, specificity, model, left_out, one, np.asarray(held.axes.case_ids)
    )
