"""Every annotator judged as if they were the model, beside the models: the forest table of [C Table 4]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import Frozen
from .._base.ragged import sizes_of
from ..resampling import Resamples, over
from ..resampling.resamples import TIE
from .input import compare, models_of
from .judged import Judged
from .record import OfAnnotations
from .sums import CASES

if TYPE_CHECKING:
    from ..resampling import Seed


class Chances(NamedTuple):
    """Shares of resamples in which models are better than annotators; made by :meth:`AnnotatorDiscrepancy.chances`.

    Attributes
    ----------
    p_better, p_better_same_cases : (M, A) arrays
        In which a model's Δ is below that of an annotator; ties count half. The same for ``same_cases``.
    p_best, p_best_same_cases : (M,) arrays
        In which a model's Δ is below that of the annotator who is best in that resample; below that of every annotator on their cases.
    """

    p_better: Array
    p_better_same_cases: Array
    p_best: Array
    p_best_same_cases: Array

    @classmethod
    def of(cls, found: Resamples, m: int) -> Chances:
        """From resamples of m models and what is behind them."""
        values, a = found.values, (len(found) - m) // (1 + m)
        models, own, same = values[:, :m, None], values[:, None, m : m + a], values[:, m + a :].reshape(len(values), m, a)
        best = np.where(np.isnan(own).all(axis=2), np.nan, np.fmin.reduce(own, axis=2, initial=np.inf))
        return cls(share_below(models, own), share_below(same, own), share_below(models[..., 0], best), _share_below_all(same, own))


@dataclass(frozen=True, eq=False)
class AnnotatorDiscrepancy(OfAnnotations, Frozen):
    """Annotators and models on one scale; made by :func:`annotator_discrepancy`.

    Attributes
    ----------
    annotators : (A,) array
        Ids of the annotators judged.
    value, alpha, mu, n_cases : (A,) arrays
        Δ = μ / α of each annotator against the others, and cases in μ.
    models : tuple of str
        Names of the M models.
    model_value, model_n_cases : (M,) arrays
        Δ of each model against all annotators.
    same_cases : (M, A) array
        Δ of each model on the cases of an annotator, against the same others as that annotator.
    left_out, too_few : mappings
        Cases that count for nobody, by reason; annotators who are not judged because they have fewer than ``least_cases`` cases, with
        their number.

    Notes
    -----
    The numbers that are resampled together are Δ of the models and the annotators, and ``same_cases`` row by row.

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.annotator_discrepancy(readers, predictions=[1, 1, 0, 1, 0, 1])
    >>> [(row["name"], round(row["value"], 2)) for row in found.table(n_resamples=200)]
    [('model', 0.5), ('0', 0.75), ('1', 0.75), ('2', 2.0)]
    """

    annotators: NDArray[Any]
    value: Array
    alpha: Array
    mu: Array
    n_cases: Int64
    models: tuple[str, ...]
    model_value: Array
    model_n_cases: Int64
    same_cases: Array
    left_out: Mapping[str, int]
    too_few: Mapping[str, int]
    _statistic: Judged = field(repr=False)

    def chances(self, **options: Any) -> Chances:
        """How sure it is that models are better than annotators; ``options`` as of :meth:`resamples`.

        Notes
        -----
        "Better than the best annotator" means the one who is best in each resample, which is harder than to be better than the one who
        came out best: with few cases some annotator is best by luck. Undefined annotators do not count there.
        """
        return Chances.of(self.resamples(**options), len(self.models))

    def table(
        self,
        level: float = 0.95,
        *,
        kind: str = "percentile",
        clusters: Any = None,
        strata: Any = None,
        n_resamples: int = 1000,
        seed: Seed = 0,
    ) -> list[dict[str, Any]]:
        """Rows of the forest table, lowest Δ first.

        Parameters
        ----------
        level : float
            Of the intervals, in (0, 1).
        kind : {"percentile", "basic", "bca"}
        clusters, strata, n_resamples, seed
            As for :meth:`resamples`; all numbers are computed on the same resamples.

        Returns
        -------
        list of dict
            ``kind, name, value, low, high, n_cases``; for models ``p_best`` and ``p_best_same_cases``, for annotators ``p_better[model]``
            and ``p_better_same_cases[model]``, as in :meth:`chances`.
        """
        found = self.resamples(clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed)
        chances, m, a = Chances.of(found, len(self.models)), len(self.models), len(self.annotators)
        ends = found.take(slice(0, m + a)).interval(level, kind).tolist()
        values, n_cases = [*self.model_value.tolist(), *self.value.tolist()], [*self.model_n_cases.tolist(), *self.n_cases.tolist()]
        rows: list[dict[str, Any]] = []
        for j, name in enumerate([*self.models, *map(str, self.annotators.tolist())]):
            rows.append({"kind": "model" if j < m else "annotator", "name": name, "value": values[j]})
            rows[-1].update(low=ends[j][0], high=ends[j][1], n_cases=n_cases[j])
            for of, best in (("p_better", "p_best"), ("p_better_same_cases", "p_best_same_cases")):
                share = getattr(chances, of)
                rows[-1][of] = {} if j < m else dict(zip(self.models, share[:, j - m].tolist()))
                rows[-1][best] = float(getattr(chances, best)[j]) if j < m else None
        return sorted(rows, key=lambda row: (np.isnan(row["value"]), row["value"]))


def annotator_discrepancy(
    annotations: Any,
    predictions: Any = None,
    *,
    distance: Any = "squared",
    values: Any = None,
    cases: str = "matched",
    least_cases: int = 1,
    missing: str = "error",
) -> AnnotatorDiscrepancy:
    r"""The discrepancy ratio of every annotator, judged as if they were the model, and of models beside them.

    Annotator j is taken out of the data: μ is the mean distance of j to the others, α the discrepancy among the others,
    :math:`Δ_j = μ_j / α_{-j}` [C Table 4].

    Parameters
    ----------
    annotations, distance, values, missing
        As for :func:`discrepancy_ratio`; it must be known who gave each label.
    predictions : mapping of name to predictions, or one model's predictions, optional
        Each as for :func:`discrepancy_ratio`. (A mapping of case id to prediction goes inside of a mapping of names.)
    cases : {"matched", "all", "mu1"}
        Which cases count for annotator j. ``"matched"``: those that j labelled and that keep two others, for both μ and α. ``"all"``: μ
        on these, α on all cases that keep two others. ``"mu1"``: α as with ``"all"``, μ on cases that j labelled and that keep one other.
    least_cases : int
        Annotators with fewer cases in μ are not judged, but stay among the others.

    Returns
    -------
    AnnotatorDiscrepancy

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`, or if annotators are unknown (label counts).

    Notes
    -----
    A model's Δ is on all cases, an annotator's on the cases they labelled; ``same_cases`` compares on the same cases against the same
    others.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 4.2.1, Table 4.

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(300, 3, 5, seed=2)
    >>> found = ugt.annotator_discrepancy(labels, predictions={"A": truth.argmax(1)}, distance="zero-one")
    >>> found.value.round(2).tolist(), found.model_value.round(2).tolist()
    ([0.97, 0.92, 1.11, 1.03, 0.98], [0.67])
    >>> chances = found.chances(n_resamples=300)
    >>> chances.p_better.tolist(), chances.p_best.tolist()
    ([[1.0, 1.0, 1.0, 1.0, 1.0]], [1.0])
    """
    options = {"cases": cases, "least_cases": least_cases}
    check_options(**options)
    compared = compare(annotations, models_of(predictions), distance, values, missing, known="so that each can be judged")
    ids, m = compared.annotators, len(compared.models)
    size = np.repeat(compared.sums.n, sizes_of(compared.distances.offsets))
    n_of = np.bincount(compared.distances.annotator[size >= (2 if cases == "mu1" else 3)], minlength=len(ids))  # cases in μ
    at = np.flatnonzero(n_of >= least_cases)
    settings = {"annotators": ids[at].tolist(), "models": compared.models, "options": options}
    one = Judged(settings, compared, (at, True))
    if not one.kept.any() or len(one.names) == 0:
        must = "hold cases that keep two annotators when one is taken out, or predictions be given"
        raise checks.error("annotations", must, f"at most {int(compared.sums.n.max(initial=0))} annotators a case")
    sums, found = one.sums(), one.estimate
    mu, alpha = one.means_of(sums, n_of[at])
    too_few = {identifiers.name(ids[j]): int(n_of[j]) for j in np.flatnonzero(n_of < least_cases)}
    models = found[:m], np.rint(sums[0, 2 * m : 3 * m]).astype(np.int64), found[m + len(at) :].reshape(m, len(at))
    return AnnotatorDiscrepancy(ids[at], found[m : m + len(at)], alpha, mu, n_of[at], compared.models, *models, one.left_out, too_few, one)


def check_options(cases: Any, least_cases: Any) -> None:
    checks.option("cases", cases, CASES)
    checks.whole("least_cases", least_cases)


def tied(first: Array, second: Array) -> Bools:
    """Equal up to rounding."""
    with np.errstate(invalid="ignore"):
        return np.asarray((np.abs(first - second) <= TIE * np.maximum(np.abs(first), np.abs(second))) | (first == second))


def share_below(first: Array, second: Array) -> Array:
    """Share of resamples, which are the first axis, in which the first is the smaller one; ties count half, undefined ones do not count."""
    with np.errstate(invalid="ignore"):
        won = np.where(tied(first, second), 0.5, first < second)
    defined = ~np.isnan(first) & ~np.isnan(second)
    return over(np.where(defined, won, 0.0).sum(axis=0), defined.sum(axis=0))


def _share_below_all(first: Array, second: Array) -> Array:
    """(M,) share of resamples in which all pairs that are defined, of the last axis, have the first below the second; ties are no wins."""
    defined = ~np.isnan(first) & ~np.isnan(second)
    some = defined.any(axis=2)
    with np.errstate(invalid="ignore"):
        won = np.all(((first < second) & ~tied(first, second)) | ~defined, axis=2)
    return over((won & some).sum(axis=0), some.sum(axis=0))
