"""Every annotator judged as if they were the model, next to the models: the forest table of [C Table 4]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import Frozen
from .._base.lazy import cached_property
from .._base.ragged import sizes_of
from ..annotations.joins import tells_joins
from ..resampling import Answer, Design, Merging, NumberFacts, Resamples, Wide, over
from .alternative_annotator import NOBODY
from .input import Compared, compare, models_of
from .record import Judging, OfAnnotations
from .resample_shares import ResampleShares
from .sums import CASES, LeftOut, mean_of, zeros

if TYPE_CHECKING:
    from ..resampling import Seed

ALIKE = "the annotators do not differ from each other"
CELLS = 2**22  # cases x numbers held at a time: a few tables of 32 MB


class ForestRow(NamedTuple):
    """The discrepancy ratio of a model or an annotator, with the shares of resamples in which a model is closer, in [0, 1]."""

    kind: str  # "model" or "annotator"
    name: str
    value: float  # NaN if undefined
    low: float
    high: float
    n_cases: int
    better_share: Mapping[str, float] = MappingProxyType({})  # of an annotator: in which each model is closer
    best_share: float | None = None  # of a model: in which it is closer than the best annotator
    better_share_same_cases: Mapping[str, float] = MappingProxyType({})
    best_share_same_cases: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorDiscrepancy(OfAnnotations, Frozen):
    """Annotators and models on one scale; made by :func:`annotator_discrepancy`.

    Attributes
    ----------
    annotators : (A,) array
        Ids of the annotators that are judged.
    value, alpha, mu, n_cases : (A,) arrays
        Δ = μ / α of each annotator against the others, and the number of cases in μ.
    models : tuple of str
        Names of the M models.
    model_value, model_n_cases : (M,) arrays
        Δ of each model against all annotators.
    same_cases : (M, A) array
        Δ of each model on the cases of an annotator, against the same others as that annotator.
    left_out, too_few : mappings
        Cases that count for no annotator, by reason; annotators who are not judged because they have fewer than ``least_cases`` cases,
        with their number of cases.

    Notes
    -----
    The numbers that are resampled together are Δ of the models and the annotators, then ``same_cases`` row by row.

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.humans.annotator_discrepancy(readers, predictions=[1, 1, 0, 1, 0, 1])
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

    def resample_shares(self, **options: Any) -> ResampleShares:
        """Return shares (not probabilities) of resamples in which models are closer than annotators; ``options`` as of :meth:`resamples`.

        Notes
        -----
        The best annotator is the one with the lowest Δ in each resample, not the one with the lowest Δ in the data: with few cases some
        annotator is lowest by luck. Annotators whose Δ is undefined in a resample do not count in it.
        """
        return ResampleShares.of(self.resamples(**options), len(self.models))

    def table(
        self,
        level: float = 0.95,
        *,
        kind: str = "auto",
        clusters: object = None,
        strata: object = None,
        n_resamples: int = 1000,
        seed: Seed = 0,
    ) -> list[dict[str, Any]]:
        """Return the rows of the forest table, lowest Δ first.

        Parameters
        ----------
        level : float
            Level of the intervals, in (0, 1).
        kind : {"auto", "percentile", "basic", "bca"}
        clusters, strata, n_resamples, seed
            As for :meth:`resamples`; all numbers are computed on the same resamples.

        Returns
        -------
        list of dict
            ``kind, name, value, low, high, n_cases``; for models ``best_share`` and ``best_share_same_cases``, for annotators
            ``better_share[model]`` and ``better_share_same_cases[model]``, as in :meth:`resample_shares`.
        """
        found = self.resamples(clusters=clusters, strata=strata, n_resamples=n_resamples, seed=seed)
        return [row._asdict() for row in self.table_from(found, level, kind)]

    def table_from(self, found: Resamples, level: float, kind: str) -> list[ForestRow]:
        """Return the rows of :meth:`table` as records, from :meth:`resamples`."""
        shares, m, a = ResampleShares.of(found, len(self.models)), len(self.models), len(self.annotators)
        ends = found.take(slice(0, m + a)).interval(level, kind).tolist()
        values, n_cases = np.append(self.model_value, self.value).tolist(), np.append(self.model_n_cases, self.n_cases).tolist()
        rows = []
        for j, name in enumerate([*self.models, *map(str, self.annotators.tolist())]):
            row = ForestRow("model" if j < m else "annotator", name, values[j], ends[j][0], ends[j][1], n_cases[j])
            if j < m:
                row = row._replace(best_share=float(shares.best_share[j]), best_share_same_cases=float(shares.best_share_same_cases[j]))
            else:
                every = shares.better_share, shares.better_share_same_cases
                better, alike = (dict(zip(self.models, of[:, j - m].tolist())) for of in every)
                row = row._replace(better_share=better, better_share_same_cases=alike)
            rows.append(row)
        return sorted(rows, key=lambda row: (np.isnan(row.value), row.value))


@tells_joins
def annotator_discrepancy(
    annotations: object,
    predictions: object = None,
    *,
    distance: object = None,
    values: object = None,
    cases: str = "matched",
    least_cases: int = 1,
    missing: str = "error",
) -> AnnotatorDiscrepancy:
    r"""Return the discrepancy ratio of every annotator, judged as if they were the model, and of models next to them.

    Annotator j is taken out of the data: μ is the mean distance of j to the others, α the discrepancy among the others,
    :math:`Δ_j = μ_j / α_{-j}` [C Table 4].

    Parameters
    ----------
    annotations, distance, values, missing
        As for :func:`discrepancy_ratio`; annotations must name their annotators.
    predictions : mapping of name to predictions, or one model's predictions, optional
        Each as for :func:`discrepancy_ratio`. (Put a mapping of case id to prediction into a mapping of names.)
    cases : {"matched", "all", "mu1"}
        Cases that count for annotator j. ``"matched"``: those that j labelled and that keep two others, for both μ and α. ``"all"``: μ
        on these, α on all cases that keep two others. ``"mu1"``: α as with ``"all"``, μ on cases that j labelled and that keep one other.
    least_cases : int
        Annotators with fewer cases in μ are not judged, but remain among the others.

    Returns
    -------
    AnnotatorDiscrepancy

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`, or if the annotators are not named (label counts).

    Notes
    -----
    A model's Δ is on all cases, an annotator's on those they labelled; ``same_cases`` compares on the same cases against the same others.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 4.2.1, Table 4.

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(300, 3, 5, seed=2)
    >>> found = ugt.humans.annotator_discrepancy(labels, predictions={"A": truth.argmax(1)}, distance="zero-one")
    >>> found.value.round(2).tolist(), found.model_value.round(2).tolist()
    ([0.97, 0.92, 1.11, 1.03, 0.98], [0.67])
    >>> shares = found.resample_shares(n_resamples=300)
    >>> shares.better_share.tolist(), shares.best_share.tolist()
    ([[1.0, 1.0, 1.0, 1.0, 1.0]], [1.0])
    """
    options = checked_options(cases, least_cases)
    cases, least_cases = options.values()
    compared = compare(annotations, models_of(predictions), distance, values, missing, known="so that each can be judged")
    ids, m = compared.annotators, len(compared.models)
    size = np.repeat(compared.sums.n, sizes_of(compared.distances.offsets))
    n_of = np.bincount(compared.distances.annotator[size >= (2 if cases == "mu1" else 3)], minlength=len(ids))  # cases in μ
    at = np.flatnonzero(n_of >= least_cases)
    settings = {"annotators": ids[at].tolist(), "models": compared.models, "options": options}
    one = Judged(settings, compared, (at, True))
    if not one.kept.any() or len(one.names) == 0:
        must = "hold cases that keep two annotators when one is taken out, or predictions be given"
        raise checks.error("annotations", must, f"at most {int(compared.sums.n.max(initial=0))} annotators per case")
    sums, found = one.sums(), one.estimate
    mu, alpha = one.means_of(sums, n_of[at])
    too_few = {identifiers.name(ids[j]): int(n_of[j]) for j in np.flatnonzero(n_of < least_cases)}
    models = found[:m], np.rint(sums[0, 2 * m : 3 * m]).astype(np.int64), found[m + len(at) :].reshape(m, len(at))
    return AnnotatorDiscrepancy(ids[at], found[m : m + len(at)], alpha, mu, n_of[at], compared.models, *models, one.left_out, too_few, one)


def checked_options(cases: object, least_cases: object) -> dict[str, Any]:
    """Return the options with a number of Python, after checks."""
    return {"cases": checks.option("cases", cases, CASES), "least_cases": checks.whole("least_cases", least_cases)}


class Judged(Judging, Wide):
    """Δ of M models, of A annotators, and of the models on the cases of each annotator (M, A), row by row.

    The sums are first μ, α and the number of cases of each model, (3, M). Then each annotator has a row: μ, μ of every model, α, and,
    unless all cases have all predictions, α in the cases with a prediction of every model. If means are of different cases, the row
    continues with the number of cases of each of them. ``lean`` sums leave out what only other data would need.

    ``settings`` have the names of the ``annotators`` and ``models`` and the ``options`` of the function; ``more`` are the annotators by
    position, -1 for those who gave no label, and ``lean``.
    """

    one_model = False

    def __init__(self, settings: Mapping[str, Any], compared: Compared | None = None, more: tuple[Any, bool] = (None, False)) -> None:
        self.annotators, lean = more
        self.models, m = tuple(settings["models"]), len(settings["models"])
        self.judged = np.ones(len(settings["annotators"]), bool)
        self.counts = not lean or settings["options"]["cases"] != "matched"
        self.below = np.arange(1 + m, 2 + 2 * m)  # columns of α for μ of the annotator and of every model
        super().__init__(settings, compared, more)
        if compared is not None and lean and compared.predicted.all():
            self.below = np.full(1 + m, 1 + m)

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        named = self.settings["annotators"]
        same = (f"model {model} in the place of {one}" for model in self.models for one in named)
        return (*(f"model {one}" for one in self.models), *(f"annotator {one}" for one in named), *same)

    @property
    def kept(self) -> Bools:
        """The (N,) cases with two annotators."""
        return np.asarray(self.compared.sums.n >= 2)

    def blocks(self) -> Iterable[Array]:
        """Yield the contributions of the models, then those of some annotators at a time."""
        return self._blocks() if self.too_wide else self._every_block

    @property
    def too_wide(self) -> bool:  # type: ignore[override]
        """Whether all sums of all cases would take too much memory."""
        return self.n_cases * (3 * len(self.models) + len(self.annotators) * self._width) > CELLS

    @cached_property
    def _every_block(self) -> list[Array]:
        return list(self._blocks())

    def _blocks(self) -> Iterator[Array]:
        sums, m, mu = self.compared.sums, len(self.models), self.compared.sums.mu.T
        there = ~np.isnan(mu)
        yield np.concatenate([zeros(mu), np.where(there, sums.alpha[:, None], 0.0), there], axis=1)
        width = max(1, CELLS // (self.n_cases * (2 + m)))
        for begin in range(0, len(self.annotators), width):
            left = LeftOut.of(self.compared, self.annotators[begin : begin + width], self.settings["options"]["cases"])
            under = [np.where(one[:, None], left.alpha, np.nan) for one in self.compared.predicted] if self.below[-1] > 1 + m else []
            rows = np.stack([left.mu, *left.model, left.alpha, *under], axis=2)
            found = np.concatenate([zeros(rows), ~np.isnan(rows)], axis=2) if self.counts else zeros(rows)
            yield found.reshape(self.n_cases, -1)

    @property
    def _width(self) -> int:
        """The number of sums K of an annotator."""
        return (2 if self.counts else 1) * (int(self.below[-1]) + 1)

    def _rows(self, table: Array) -> Array:
        """Return sums (R, A' K) as rows of annotators (R, A', K)."""
        return table.reshape(len(table), -1, self._width)

    def _means(self, rows: Array) -> Array:
        """Return the means of rows of sums; only up to a factor if all are of the same cases."""
        return over(*np.split(rows, 2, axis=2)) if self.counts else rows

    def answer(self, sums: Array) -> Array:
        m = len(self.models)
        return self._together(over(sums[:, :m], sums[:, m : 2 * m]), self._delta(self._means(self._rows(sums[:, 3 * m :]))))

    def _delta(self, means: Array) -> Array:
        return over(means[:, :, : 1 + len(self.models)], means[:, :, self.below])

    def _together(self, models: Array, rows: Array) -> Array:
        """Return the numbers in their order, from those of models and rows (R, A, 1 + M); NaN for annotators who are not judged."""
        told = np.where(self.judged[:, None], rows, np.nan).transpose(0, 2, 1)
        return np.concatenate([models, told.reshape(len(rows), -1)], axis=1)

    @np.errstate(invalid="ignore")  # ratios over nothing, such as of a class that nobody named, have no influences
    def influence(self) -> Array:
        first, *blocks = self.blocks()
        m, found = len(self.models), []
        total = first.sum(axis=0)
        models = over(first[:, :m] - over(total[:m], total[m : 2 * m]) * first[:, m : 2 * m], total[m : 2 * m])
        for block in blocks:
            rows, means = self._rows(block), self._rows(block.sum(axis=0)[None])
            if self.counts:
                (rows, there), n = np.split(rows, 2, axis=2), np.split(means, 2, axis=2)[1]
                means = self._means(means)
                rows = over(rows - means * there, n)
            found.append(over(rows[:, :, : 1 + m] - self._delta(means) * rows[:, :, self.below], means[:, :, self.below]))
        return self._together(models, np.concatenate(found, axis=1) if found else np.empty((self.n_cases, 0, 1 + m)))

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(varies=self._varies)

    def _varies(self, kept: Bools, design: Design) -> Bools:
        """Return (M + A + M A,) whether two units of some stratum have a denominator."""
        first, *others = (design.vary(block[kept]).astype(np.float64)[None] for block in self.blocks())
        m = len(self.models)
        rows = self._rows(np.concatenate([np.empty((1, 0)), *others], axis=1))
        if self.counts:
            rows = np.split(rows, 2, axis=2)[1]
            rows = np.minimum(rows[:, :, : 1 + m], rows[:, :, self.below])
        else:
            rows = rows[:, :, self.below]
        return np.asarray(self._together(first[:, m : 2 * m], rows)[0] == 1)

    def means_of(self, sums: Array, n: Int64) -> tuple[Array, Array]:
        """Return the means μ and α of annotators, (A,) each, μ over n cases."""
        rows = self._means(self._rows(sums[:, 3 * len(self.models) :]))[0]
        found = rows[:, 0], rows[:, 1 + len(self.models)]
        return found if self.counts else (over(found[0], n), over(found[1], n))

    # ---- answers from sums alone ----

    def _of(self, sums: Array) -> Judged:
        """Return the statistic in which only annotators with enough cases are judged."""
        one = copy(self)
        one.judged = np.rint(self._cases_of(sums)) >= self.settings["options"]["least_cases"]
        return one

    @property
    def merging(self) -> Merging:
        return super().merging._replace(finish=self._finish, replicated=self._replicated, groups=lambda sums, fixed: self._cases_of(sums))

    def _cases_of(self, sums: Array) -> Array:
        """Return the number of cases of each annotator."""
        return np.asarray(self._rows(sums[None, 3 * len(self.models) :])[0, :, int(self.below[-1]) + 1])

    def numbers(self, sums: Array) -> dict[str, Array]:
        """Return the numbers by their names in the function's record."""
        m, a = len(self.models), len(self.judged)
        rows, deltas = self._rows(sums[:, 3 * m :]), self.answer(sums)
        means = np.where(self.judged[:, None], self._means(rows), np.nan)
        found = {"value": deltas[:, m : m + a], "alpha": means[:, :, 1 + m], "mu": means[:, :, 0]}
        found["n_cases"] = rows[:, :, int(self.below[-1]) + 1]
        if m:
            found.update(model_value=deltas[:, :m], model_n_cases=sums[:, 2 * m : 3 * m])
            found["same_cases"] = deltas[:, m + a :].reshape(len(sums), m, a)
        return found

    def _replicated(self, sums: Array, replicates: Array) -> tuple[Array, dict[str, Array]]:
        """Return the mean Δ of the annotators who have enough cases in the data, and all numbers."""
        found = self._of(sums).numbers(replicates)
        return mean_of(found["value"]), found

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Return the answer with the names of the annotators."""
        value, numbers = self._replicated(sums, sums[None])
        named, least = {"annotators": np.array(self.settings["annotators"])}, self.settings["options"]["least_cases"]
        reason = NOBODY.format(least) if not self._of(sums).judged.any() else ALIKE if np.isnan(value[0]) else None
        return Answer(float(value[0]), {**named, **{name: one[0] for name, one in numbers.items()}}, reason)
