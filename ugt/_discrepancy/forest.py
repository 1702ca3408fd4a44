"""Every annotator judged as if they were the model, beside the models: the forest table of [C Table 4]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _checks, _ids, resampling
from .._axes import Frozen
from .._ragged import sizes_of
from ..resampling import Resamples
from .input import clusters_of, compare, models_of
from .sums import CASES, CELLS, LeftOut, Sums, beside, mean, ratios, share_below, tied

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .input import Compared

    Array = NDArray[np.float64]
    Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class AnnotatorDiscrepancy(Frozen):
    """Annotators and models on one scale; made by :func:`annotator_discrepancy`.

    Attributes
    ----------
    annotators : (A,) array
        Ids of the annotators judged.
    value, alpha, mu : (A,) arrays
        Δ = μ / α of each annotator against the others.
    n_cases : (A,) array
        Cases in μ.
    interval : (A, 2) array
    models : tuple of str
        Names of the M models.
    model_value, model_n_cases : (M,) arrays
        Δ of each model against all annotators.
    model_interval : (M, 2) array
    same_cases : (M, A) array
        Δ of each model on the cases of an annotator, against the same others as that annotator.
    p_better : (M, A) array
        Share of resamples in which a model's Δ is below that of an annotator; ties count half.
    p_better_same_cases : (M, A) array
        The same for ``same_cases``.
    p_best : (M,) array
        Share of resamples in which a model's Δ is below that of the annotator who is best in that resample.
    p_best_same_cases : (M,) array
        Share in which a model is better than every annotator on that annotator's cases.
    level : float
        Of the intervals.
    left_out : mapping
        Cases that count for nobody, by reason.
    too_few : mapping
        Annotators who are not judged because they have fewer than ``min_cases`` cases, with their number.
    resamples : Resamples
        Of Δ: models, annotators, then ``same_cases`` row by row. BCa intervals need ``kind="bca"`` where there are thousands of annotators.

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.annotator_discrepancy(readers, predictions=[1, 1, 0, 1, 0, 1], n_resamples=200)
    >>> [(row["name"], round(row["value"], 2)) for row in found.table()]
    [('model', 0.5), ('0', 0.75), ('1', 0.75), ('2', 2.0)]
    """

    annotators: NDArray[Any]
    value: Array
    alpha: Array
    mu: Array
    n_cases: NDArray[np.int64]
    interval: Array
    models: tuple[str, ...]
    model_value: Array
    model_n_cases: NDArray[np.int64]
    model_interval: Array
    same_cases: Array
    p_better: Array
    p_better_same_cases: Array
    p_best: Array
    p_best_same_cases: Array
    level: float
    left_out: Mapping[str, int]
    too_few: Mapping[str, int]
    resamples: Resamples = field(repr=False)

    def table(self) -> list[Row]:
        """Rows of the forest table, lowest Δ first.

        ``kind, name, value, low, high, n_cases``, and for annotators ``p_better[model]`` and ``p_better_same_cases[model]``.
        """

        def end(chances: Array, j: int) -> dict[str, float]:
            return {name: float(chances[m, j]) for m, name in enumerate(self.models)}

        rows: list[Row] = []
        for m, name in enumerate(self.models):
            low, high = self.model_interval[m].tolist()
            shown = {"value": float(self.model_value[m]), "low": low, "high": high, "n_cases": int(self.model_n_cases[m])}
            rows.append({"kind": "model", "name": name, **shown, "p_better": {}, "p_better_same_cases": {}})
        for j, annotator in enumerate(self.annotators.tolist()):
            low, high = self.interval[j].tolist()
            shown = {"value": float(self.value[j]), "low": low, "high": high, "n_cases": int(self.n_cases[j])}
            chances = {"p_better": end(self.p_better, j), "p_better_same_cases": end(self.p_better_same_cases, j)}
            rows.append({"kind": "annotator", "name": str(annotator), **shown, **chances})
        return sorted(rows, key=lambda row: (np.isnan(row["value"]), row["value"]))


def annotator_discrepancy(
    annotations: Any,
    *,
    predictions: Any = None,
    distance: Any = "squared",
    values: Any = None,
    cases: str = "matched",
    min_cases: int = 1,
    clusters: Any = None,
    missing: str = "error",
    level: float = 0.95,
    kind: str = "percentile",
    n_resamples: int = 1000,
    seed: resampling.Seed = 0,
) -> AnnotatorDiscrepancy:
    r"""The discrepancy ratio of every annotator, judged as if they were the model, and of models beside them.

    Annotator j is taken out of the data: μ is the mean distance of j to the others, α the discrepancy among the others,
    :math:`Δ_j = μ_j / α_{-j}` [C Table 4].

    Parameters
    ----------
    annotations, distance, values, clusters, missing
        As for :func:`discrepancy_ratio`; it must be known who gave each label.
    predictions : mapping of name to predictions, or one model's predictions, optional
        Each as for :func:`discrepancy_ratio`. (A mapping of case id to prediction goes inside of a mapping of names.)
    cases : {"matched", "all", "mu1"}
        Which cases count for annotator j. ``"matched"``: those that j labelled and that keep two others, for both μ and α. ``"all"``: μ
        on these, α on all cases that keep two others. ``"mu1"``: α as with ``"all"``, μ on cases that j labelled and that keep one other.
    min_cases : int
        Annotators with fewer cases in μ are not judged, but stay among the others.
    level : float
        Of the intervals, in (0, 1).
    kind : {"percentile", "basic", "bca"}
    n_resamples : int
        At least 1.
    seed : int, Generator or SeedSequence
        All numbers are computed on the same resamples.

    Returns
    -------
    AnnotatorDiscrepancy

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`, or if annotators are unknown (label counts).

    Notes
    -----
    "Better than the best annotator" means the one who is best in each resample, which is harder than to be better than the one who came
    out best: with few cases some annotator is best by luck. Undefined annotators do not count there. A model's Δ is on all cases,
    an annotator's on the cases they labelled; ``same_cases`` compares on the same cases against the same others.

    References
    ----------
    [C] Lovchinsky et al. (2020), sec. 4.2.1, Table 4.

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(300, 3, 5, seed=2)
    >>> found = ugt.annotator_discrepancy(labels, predictions={"A": truth.argmax(1)}, distance="zero-one", n_resamples=300)
    >>> found.value.round(2).tolist(), found.model_value.round(2).tolist()
    ([0.97, 0.92, 1.11, 1.03, 0.98], [0.67])
    >>> found.p_better.tolist(), found.p_best.tolist()
    ([[1.0, 1.0, 1.0, 1.0, 1.0]], [1.0])
    """
    _checks.option("cases", cases, CASES)
    resampling.check_level(level)
    least = _checks.whole("min_cases", min_cases)
    models = models_of(predictions)
    compared = compare(annotations, models, distance, values, missing, known="so that each can be judged")
    options = {
        "clusters": clusters_of(clusters, compared.annotations),
        "n_resamples": _checks.whole("n_resamples", n_resamples),
        "seed": resampling.seed_of(seed),
    }
    return _Judged(compared, cases, least, options).record(level, kind)


class _Judged:
    """The parts of all ratios, and their bootstrap, in blocks of annotators."""

    def __init__(self, compared: Compared, cases: str, min_cases: int, options: dict[str, Any]) -> None:
        self.compared, self.cases = compared, cases
        self.sums = Sums.of(compared)
        n_of = self._n_cases()
        self.judged = np.flatnonzero(n_of >= min_cases)
        self.too_few = {_ids.name(compared.annotators[j]): int(n_of[j]) for j in np.flatnonzero(n_of < min_cases)}
        self.counted = self.sums.n >= 2
        clusters = options["clusters"]
        self.options = {**options, "clusters": None if clusters is None else clusters[self.counted]}

    def _n_cases(self) -> NDArray[np.int64]:
        """(A,) cases in μ."""
        found = self.compared.distances
        size = np.repeat(self.sums.n, sizes_of(found.offsets))
        kept = size >= (2 if self.cases == "mu1" else 3)
        return np.bincount(found.annotator[kept], minlength=len(self.compared.annotators))

    def blocks(self) -> Iterator[NDArray[np.int64]]:
        """Annotators, as many as fit into memory at a time."""
        width = max(1, CELLS // (self.compared.n_cases * (2 + len(self.compared.models))))
        for begin in range(0, len(self.judged), width):
            yield self.judged[begin : begin + width]

    def record(self, level: float, kind: str) -> AnnotatorDiscrepancy:
        m, a = len(self.compared.models), len(self.judged)
        # influences of all cases on all numbers: not kept where there are thousands of annotators
        keep = kind == "bca" or self.compared.n_cases * a * (1 + m) <= CELLS
        alpha, mu, parts = self._bootstrap(keep)
        found = beside(parts) if parts else None
        if found is None:
            must = "hold cases that keep two annotators when one is taken out, or predictions be given"
            raise _checks.error("annotations", must, f"at most {int(self.sums.n.max(initial=0))} annotators a case")
        # blocks have their annotators first, then each model on the cases of each of them
        interval = found.interval(level, kind)
        same, values = found.estimate[m + a :].reshape(m, a), found.values
        own = [values[:, m + j] for j in range(a)]
        on_same = values[:, m + a :].reshape(len(values), m, a)
        return AnnotatorDiscrepancy(
            annotators=self.compared.annotators[self.judged],
            value=found.estimate[m : m + a],
            alpha=alpha,
            mu=mu,
            n_cases=self._n_cases()[self.judged],
            interval=interval[m : m + a],
            models=self.compared.models,
            model_value=found.estimate[:m],
            model_n_cases=np.array([self.sums.counted(row).sum() for row in self.compared.predicted], np.int64),
            model_interval=interval[:m],
            same_cases=same,
            p_better=np.array([[share_below(values[:, i], one) for one in own] for i in range(m)]).reshape(m, a),
            p_better_same_cases=np.array([[share_below(on_same[:, i, j], own[j]) for j in range(a)] for i in range(m)]).reshape(m, a),
            p_best=np.array([share_below(values[:, i], _lowest(values[:, m : m + a])) for i in range(m)]),
            p_best_same_cases=np.array([_share_below_all(on_same[:, i], values[:, m : m + a]) for i in range(m)]),
            level=level,
            left_out=self.sums.left_out(np.ones(self.compared.n_cases, bool)),
            too_few=self.too_few,
            resamples=found,
        )

    def _bootstrap(self, influences: bool) -> tuple[Array, Array, list[Resamples]]:
        """α and μ of the annotators, and resamples: models, annotators, models on the cases of each annotator."""
        counted, matched = self.counted, self.cases == "matched"
        if not counted.any():
            return np.empty(0), np.empty(0), []
        mu = self.sums.mu[:, counted].T
        below = np.where(np.isnan(mu), np.nan, self.sums.alpha[counted][:, None])
        parts = [ratios(mu, below, True, **self.options)] if len(self.compared.models) else []
        same: list[list[Resamples]] = [[] for _ in self.compared.models]
        alphas, mus = [np.empty(0)], [np.empty(0)]
        for block in self.blocks():
            left = LeftOut.of(self.compared, self.sums, block.tolist(), self.cases)
            alpha = left.alpha[counted]
            alphas.append(np.array([mean(column) for column in alpha.T]))
            mus.append(np.array([mean(column) for column in left.mu[counted].T]))
            columns = [left.mu[counted], *left.model[:, counted]]
            under = [alpha, *(np.where(self.compared.predicted[i, counted][:, None], alpha, np.nan) for i in range(len(same)))]
            found = ratios(np.concatenate(columns, axis=1), np.concatenate(under, axis=1), matched, **self.options)
            found = found if influences else Resamples(found.estimate, found.values, None, found.sources)
            parts.append(found.take(slice(0, len(block))))
            for i, row in enumerate(same, 1):
                row.append(found.take(slice(i * len(block), (i + 1) * len(block))))
        return np.concatenate(alphas), np.concatenate(mus), [*parts, *(one for row in same for one in row)]


def _lowest(values: Array) -> Array:
    """(B,) the lowest of the values that are defined; NaN where none is."""
    if values.shape[1] == 0:
        return np.full(len(values), np.nan)
    lowest = np.where(np.isnan(values), np.inf, values).min(axis=1)
    return np.asarray(np.where(np.isnan(values).all(axis=1), np.nan, lowest))


def _share_below_all(first: Array, second: Array) -> float:
    """Share of resamples in which every pair that is defined has the first below the second; ties are no wins."""
    defined = ~np.isnan(first) & ~np.isnan(second)
    rows = defined.any(axis=1)
    with np.errstate(invalid="ignore"):
        won = np.all(((first < second) & ~tied(first, second)) | ~defined, axis=1)
    return float(won[rows].mean()) if rows.any() else float("nan")
