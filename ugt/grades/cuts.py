"""Metrics at every cut of a scale: grades above the cut against those up to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import Axes
from .._base.checks import error
from .._base.grades import given_values, grades_of, number_shown, numbers_of
from ..annotations import Labels
from ..annotations.joins import tells_joins
from ..annotations.named import names_of, per_class
from ..annotations.named import table as in_order
from ..calibration import HistogramLosses, histogram_losses
from ..calibration.input import numbers
from ..plausibilities import Plausibilities, as_plausibilities
from ..plausibilities.made_of import MadeOf
from ..resampling import Merging, Part, ids_of_cases
from ..resampling.parts import ROWS
from ..soft import ScoreOrder, SoftScore, soft_auroc
from ..soft.order import Order
from ..soft.parts import EDGES, BinnedRanking
from .input import GradeScale, Predicted
from .ranks import DIGITS

AVERAGED = {"average": "macro", "threshold": 0.5}  # of the areas at the cuts, as in `soft_auroc`


class AtCuts(NamedTuple):
    """The probabilities of grades above each cut, as a truth of which soft metrics take the mean."""

    truth: Plausibilities
    order: Int64

    @property
    def axes(self) -> Axes:
        return self.truth.axes

    @property
    def made_of(self) -> MadeOf | None:
        known = self.truth.made_of
        if known is None:
            return None
        make: Any = _AtCuts(known.make, self.order)
        fit: Any = known.fit
        return replace(known, make=make, fit=fit and replace(fit, make=_AtCuts(fit.make, self.order)))

    def take(self, rows: object) -> AtCuts:
        return AtCuts(self.truth.take(rows), self.order)

    def mean(self) -> Array:
        """Return the probabilities (N, K - 1), NaN in cases without a law."""
        return above(self.truth.mean(), self.order)


class _AtCuts(NamedTuple):
    """The function behind a truth, whose results are cut."""

    make: Callable[..., Plausibilities]
    order: Int64

    def __call__(self, *given: Any, **more: Any) -> Any:
        return AtCuts(self.make(*given, **more), self.order)


def above(law: Array, order: Int64) -> Array:
    """Return the probabilities (N, K - 1) above each cut, lowest cut first."""
    found = np.cumsum(law[:, order][:, ::-1], axis=1)[:, -2::-1]
    return np.asarray(np.minimum(np.maximum(found, 0.0), 1.0))


@tells_joins
def ua_auroc_at_cuts(
    truth: object, predictions: object, *, self_pairs: str = "exclude", values: object = None, predictions_are: str | None = None,
    frequency: object = None, case_weights: object = None,
) -> SoftScore:  # fmt: skip
    r"""Return the soft AUROC at every cut of the scale: grades above the cut are positive with the probability that the truth gives them.

    Parameters
    ----------
    truth, values, predictions_are
        As for :func:`ua_spearman`.
    predictions : (N,) numbers or names of grades, or (N, K) probabilities of the grades
        Numbers are the score at every cut, sorted once; of probabilities, the score at a cut is the probability of the grades above it.
    self_pairs : {"exclude", "half", "include", "unbiased"}
        As for :func:`soft_auroc`.
    frequency, case_weights : (N,) numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for, or how many cases of a population each case represents, as for :func:`soft_auroc`.

    Returns
    -------
    SoftScore
        ``per_class`` (K - 1,): the area at each cut, lowest cut first, NaN if no or all cases are above it; ``value``: their mean.

    Raises
    ------
    ValueError, TypeError
        As :func:`ua_spearman` and :func:`soft_auroc`; if there is one grade only.

    References
    ----------
    [D] Lionetti et al., eq. 4, at each cut. :func:`ua_concordance` has one number for all pairs of grades.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.grades.ua_auroc_at_cuts([[0.9, 0.1, 0.0], [0.0, 0.8, 0.2], [0.0, 0.1, 0.9], [0.2, 0.8, 0.0]], [0.1, 2.3, 5.0, 0.7])
    >>> found.per_class.round(3), round(found.value, 3)
    (array([0.915, 0.915]), 0.915)
    """
    post, scale, given = _read(truth, predictions, values, predictions_are)
    n_cuts = len(scale.steps)
    p = _of_cuts(post, scale)
    if given.law is None:
        assert given.numbers is not None
        scores: Any = ScoreOrder((Order(np.array(given.numbers)),) * n_cuts, (post.n_cases, n_cuts))
    else:
        scores = np.round(above(given.law, scale.order), DIGITS)
    rows: dict[str, Any] = {"frequency": frequency, "case_weights": case_weights}
    for name in ROWS:
        if rows[name] is not None:  # means of a truth have no names
            rows[name] = ids_of_cases(name, rows[name], post.n_cases, post.axes.case_ids, what="a number")
    return replace(soft_auroc(p, scores, self_pairs=self_pairs, **rows), _ids=post.axes.case_ids)


def _of_cuts(post: Plausibilities, scale: GradeScale) -> Any:
    """Return the probabilities above each cut, with their annotations if these are known."""
    p = AtCuts(post, scale.order)
    return p.mean() if p.made_of is None else p


class BinnedAreas(BinnedRanking):
    """The areas at the cuts, of scores in bins; parts must agree on the grades, too."""

    grades: Array = np.empty(0)

    @property
    def merging(self) -> Merging:
        found = super().merging
        return found._replace(settings={**found.settings, "grades": self.grades.tolist()})


def _part(data: tuple[Any, ...], options: dict[str, Any]) -> BinnedAreas:
    truth, predictions = data
    options = dict(options)
    post, scale, given = _read(truth, predictions, options.pop("values"), options.pop("predictions_are"))
    values = scale.values[scale.order]
    if given.law is not None:
        scores = np.round(above(given.law, scale.order), DIGITS)
    else:
        assert given.numbers is not None
        scores = np.repeat(given.numbers[:, None], len(values) - 1, axis=1)
    if options["edges"] is None:
        if given.numbers is not None and given.kind == "numbers" and not np.isin(given.numbers, values).all():
            must = "be given in parts if predictions are numbers between the grades: cases between two edges count as tied"
            raise error("edges", must, "numbers")
        options["edges"] = EDGES if given.law is not None else (values[1:] + values[:-1]) / 2
    one: Any = BinnedAreas.of((_of_cuts(post, scale), scores), {**AVERAGED, **options})
    one.grades = values
    found: BinnedAreas = one
    return found


def _of_settings(settings: Mapping[str, Any]) -> BinnedAreas:
    one: Any = BinnedAreas.of_settings(settings)
    one.grades = np.array(settings["grades"])
    found: BinnedAreas = one
    return found


PARTS = {"ua_auroc_at_cuts": Part(_part, _of_settings, {"edges": None})}


def auroc_of_each_cut(truth: object, predictions: object, *, values: object = None, predictions_are: str | None = None) -> list[SoftScore]:
    """Return the areas of :func:`ua_auroc_at_cuts` one by one, lowest cut first, each with intervals for itself."""
    post, scale, given = _read(truth, predictions, values, predictions_are)
    p = above(post.mean(), scale.order)
    if given.law is None:
        return [soft_auroc(column, given.numbers) for column in p.T]
    return [soft_auroc(*columns) for columns in zip(p.T, np.round(above(given.law, scale.order), DIGITS).T)]


def _read(truth: object, predictions: object, values: object, kind: str | None) -> tuple[Plausibilities, GradeScale, Predicted]:
    """Return the truth, its scale, which can be cut, and predictions of which only the order counts."""
    post = as_plausibilities(truth)
    scale = GradeScale.of(post, values)
    given = Predicted.of(predictions, post.axes, scale, kind, ranks=True)
    if len(scale.steps) == 0:
        raise error("truth", "have at least two grades, to be cut between them", 1)
    return post, scale, given


@tells_joins
def calibration_at_cuts(counts: Any, probs: Any, *, values: Any = None, **options: Any) -> tuple[HistogramLosses, ...]:
    """Return the calibration of predicted cumulative probabilities at every cut of the scale: label histograms of two classes.

    At a cut, each label counts as one of the grades up to the cut or above it, and so do the predicted probabilities. The result of the
    cut has calibration loss, epistemic loss and all else of :func:`histogram_losses`, plug-in and debiased.

    Parameters
    ----------
    counts : Labels or (N, K) array
        Labels of each case by grade. Labels keep their annotators, for intervals over cases and annotators.
    probs : (N, K) array
        Predicted probabilities of the grades, in the order of the classes.
    values : (K,) array, optional
        The numbers of the grades. Default: the names of the classes if these are numbers, or their order if it is stated; of an array, the
        order of its columns.
    **options
        Options of :func:`histogram_losses`, such as ``n_bins``.

    Returns
    -------
    tuple of HistogramLosses
        One per cut, K - 1 in all, lowest cut first.

    Raises
    ------
    ValueError
        If the order of the grades is unknown; as :func:`histogram_losses`.

    Examples
    --------
    >>> import ugt
    >>> low, high = ugt.grades.calibration_at_cuts([[3, 1, 0], [0, 2, 2], [0, 1, 3]], [[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.1, 0.2, 0.7]])
    >>> round(low.cl.plugin, 4), round(high.cl.plugin, 4)
    (0.015, 0.015)
    """
    given, case_ids, classes = names_of("counts", counts)
    predicted = numbers("probs", in_order("probs", probs, case_ids, classes))
    table = None if isinstance(counts, Labels) else numbers("counts", given)
    shape = (counts.n_cases, counts.n_classes) if table is None else table.shape
    if predicted.shape != shape:
        raise error("probs", f"have the shape of counts, {shape}", predicted.shape)
    if shape[1] < 2:
        raise error("counts", "have at least two grades, to be cut between them", shape[1])
    scale: Array = np.arange(shape[1], dtype=np.float64)
    if classes is None and values is not None:
        scale = given_values(values, shape[1])
    if classes is not None:
        scale = _values(values, classes, table is None and counts.ordered)
    for name in ("weights", *ROWS):
        if table is not None and options.get(name) is not None:  # the counts at a cut have no names
            options[name] = ids_of_cases(name, options[name], shape[0], case_ids, what="a number")
    found = []
    for cut in np.sort(scale)[:-1]:
        high = scale > cut
        at = _cut(counts, high, number_shown(cut)) if table is None else _sums(table, high)
        found.append(histogram_losses(at, _sums(predicted, high), **options))
    return tuple(found)


def _values(values: object, names: NDArray[Any], ordered: bool) -> Array:
    if values is not None:
        return given_values(per_class("values", values, names), len(names))
    if numbers_of(names) is None and not ordered:
        must = "be given, one number per class, if names of classes do not say which grade is higher (or give the labels an order)"
        raise error("values", must, f"None for class {names[0]!r}")
    return grades_of(names)


def _cut(labels: Labels, high: Bools, cut: str) -> Labels:
    """Return the labels as one of two classes."""
    names = np.array([f"at most {cut}", f"above {cut}"])
    axes = Axes(labels.axes.case_ids, names, labels.axes.numbered)
    return replace(labels, axes=axes, label=high[labels.label].astype(np.int32), ordered=True)


def _sums(table: NDArray[Any], high: Bools) -> NDArray[Any]:
    return np.stack([table[:, ~high].sum(axis=1), table[:, high].sum(axis=1)], axis=1)
