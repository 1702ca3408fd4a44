"""Stability of a ranking of models under resampling of the annotations [D appendix C]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import resampling
from .._base import checks, parallel
from .._base.arrays import Array, Int64, NDArray
from .._base.ragged import row_of
from .._base.records import Record
from .._base.wording import within
from ..annotations import Axes, Labels
from ..annotations.bare import check_bare
from ..annotations.joins import tells_joins
from ..annotations.predictions import Predictions
from .columns import ScoreColumn
from .order import orders_of
from .ranking import ALL, BOTH, SoftRanking

PAIRS = {"auroc": (0, 1), "average_precision": (2, 3)}
NO_LABELS = "case without annotations"
ROOM = 1 << 18  # label counts per thread in memory at a time


@dataclass(frozen=True, eq=False, repr=False)
class RankingStability(Record):
    """The rankings of models on the annotations and on resampled annotations, as :func:`ranking_stability` returns them.

    Attributes
    ----------
    models : tuple of str
        Names of the M models.
    metrics : tuple of str
        ``soft_auroc``, ``hard_auroc``, ``soft_average_precision``, ``hard_average_precision``; hard labels are p > 0.5.
    values : (4, M) array
        Metrics on the original annotations.
    resampled : (4, B, M) array
        Metrics on B resamples of the annotations.
    spearman, kendall : mappings of metric to float
        Mean over resamples of the rank correlation with the ranking on the original annotations (ties share ranks, tau-b);
        NaN if all models are tied.
    p_value : mapping
        ``"auroc"`` and ``"average_precision"``: p-value of the two-sided binomial test that the soft and the hard metric have the higher
        Spearman correlation equally often; resamples with equal correlations do not count.
    soft_more_stable : mapping
        Numbers of resamples in which the soft metric has the higher, the lower and the same correlation.
    n_cases, left_out : int, mapping
        Cases counted, and cases left out by reason.

    Examples
    --------
    >>> import ugt
    >>> models = {"A": [0.1, 0.6, 0.8], "B": [0.3, 0.2, 0.4]}
    >>> found = ugt.soft.ranking_stability(ugt.Labels.from_counts([[4, 1], [3, 2], [1, 4]]), models, n_resamples=50)
    >>> found.models, found.metrics[0], found.resampled.shape
    (('A', 'B'), 'soft_auroc', (4, 50, 2))
    """

    models: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Array
    resampled: Array
    spearman: Mapping[str, float]
    kendall: Mapping[str, float]
    p_value: Mapping[str, float]
    soft_more_stable: Mapping[str, tuple[int, int, int]]
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)


@tells_joins
def ranking_stability(
    annotations: object,
    predictions: Mapping[str, Any],
    *,
    average: str = "macro",
    n_resamples: int = 1000,
    seed: resampling.Seed = 0,
    n_threads: int = 1,
) -> RankingStability:
    """Compare the stability of a ranking of models by soft and by hard metrics if the annotations are resampled.

    The labels of every case are drawn with replacement, as many as the case has, and all metrics are computed for every model.
    Spearman's ρ and Kendall's τ compare the ranking with that on the original labels [D appendix C].

    Parameters
    ----------
    annotations : Labels, or mapping of finding to Labels
        Labels of which p is the share. With two classes the second one is the positive one; with more, each class is against the rest.
        Several findings need labels of two classes by the same named annotators in the same cases; the labels of one annotator for all
        findings of a case are then drawn together.
    predictions : mapping of name to scores
        Scores of at least two models: arrays (N, K), or (N,) with two classes, or input of :class:`Predictions`. For several findings
        (N, F), with one column per finding in their order or by their names.
    average : {"macro", "weighted"}
        Average over classes or findings, see :func:`soft_auroc`.
    n_resamples : int
        Number of resamples, at least 1.
    seed : int, Generator or SeedSequence
        Random seed; on one machine, the same seed gives the same bytes for any number of threads.
    n_threads : int
        Number of threads.

    Returns
    -------
    RankingStability

    Raises
    ------
    ValueError, TypeError
        If predictions do not fit, there are fewer than two models, or no case has a label; if annotations are not labels, or findings
        have labels of different annotators or cases.

    References
    ----------
    [D] Lionetti et al., appendix C.

    Examples
    --------
    >>> import ugt
    >>> counts = [[4, 1], [3, 2], [1, 4], [2, 3], [5, 0], [0, 5]]
    >>> models = {"A": [0.1, 0.6, 0.8, 0.7, 0.2, 0.9], "B": [0.3, 0.2, 0.4, 0.9, 0.1, 0.8]}
    >>> found = ugt.soft.ranking_stability(ugt.Labels.from_counts(counts), models, n_resamples=200)
    >>> found.values[0].round(3), 0 < found.p_value["auroc"] <= 1
    (array([0.822, 0.756]), True)
    """
    weighted = checks.option("average", average, ("macro", "weighted")) == "weighted"
    n_resamples = checks.whole("n_resamples", n_resamples)
    axes, counts, said = _panel(annotations)
    one_column = said is None and counts.shape[1] == 2
    kept = counts.sum(1) > 0
    if not kept.any():
        raise checks.error("annotations", "hold a label for at least one case", "none")
    tables = _tables(predictions, axes, one_column=one_column)
    checks.room("the scores and shares of all classes", 8 * (1 + len(tables)) * counts.size)
    counts = np.ascontiguousarray(counts[kept])
    shares = _shares(counts[None], said)[:, 0]
    columns = [tuple(map(ScoreColumn, orders_of(table[kept]), shares)) for table in tables.values()]
    models = [SoftRanking(own, BOTH, ALL, weighted=weighted) for own in columns]
    checks.room(f"{n_resamples} resamples", 16 * n_resamples * len(ALL) * len(models))
    found = np.empty((n_resamples, len(ALL), len(models)))
    word = resampling.seed_of(seed)

    def part(begin: int, end: int) -> None:
        shares = _shares(resampling.resampled_counts(counts, word, begin, end), said)
        for m, model in enumerate(models):
            found[begin:end, :, m] = model.against(shares)

    with parallel.threads(n_threads):
        parallel.run(part, n_resamples, max(1, ROOM // counts.size), "drawing annotations again")
    values = np.stack([model.estimate for model in models], axis=-1)
    left_out = {} if kept.all() else {NO_LABELS: int((~kept).sum())}
    return _record(tuple(tables), values, np.ascontiguousarray(found.transpose(1, 0, 2)), int(kept.sum()), left_out)


def _panel(annotations: object) -> tuple[Axes, Int64, Array | None]:
    """Return the axes of the scores, counts (N, C) of each label per case, and (C, F) the findings of each combined label or None."""
    if isinstance(annotations, Mapping) and len(annotations) > 1:
        return _readings({str(name): one for name, one in annotations.items()})
    annotations = next(iter(annotations.values())) if isinstance(annotations, Mapping) and annotations else annotations
    if not isinstance(annotations, Labels):
        check_bare("annotations", annotations)
        raise TypeError(f"annotations must be Labels, or a mapping of findings to Labels. Got {type(annotations).__name__}.")
    return annotations.axes, annotations.counts(), None


def _readings(findings: Mapping[str, Any]) -> tuple[Axes, Int64, Array]:
    """Return the same as `_panel` for several findings, where a combined label has an annotator's labels for all findings."""
    (first, *_), columns, readers = findings, [], []
    for name, one in findings.items():
        if not isinstance(one, Labels) or one.n_classes != 2 or not len(one.annotators):
            got = f"{one.n_classes} classes, {len(one.annotators)} named annotators" if isinstance(one, Labels) else type(one).__name__
            raise checks.error("annotations", "be Labels of two classes by named annotators for every finding", got, repr(name))
        case, who = row_of(one.offsets), one.annotators[one.annotator]
        order = np.lexsort((who, case))
        columns.append(one.label[order])
        readers.append((one.axes.case_ids, case, who[order]))
        if not all(map(np.array_equal, readers[0], readers[-1])):
            must = "have the same annotators in the same cases for every finding (or call the function for each finding)"
            raise checks.error("annotations", must, "others", f"{name!r}, compared with {first!r}")
    said, at = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    n, case = one.n_cases, readers[0][1]
    counts = np.bincount(case * len(said) + at.ravel(), minlength=n * len(said)).reshape(n, -1)
    return Axes.of(n, len(findings), one.axes.case_ids, tuple(findings)), counts, said.astype(np.float64)


def _tables(predictions: Mapping[str, Any], axes: Axes, *, one_column: bool) -> dict[str, Array]:
    """Return the scores (N, K) of every model, or (N, 1) of the positive class."""
    checks.instance("predictions", predictions, Mapping, "be a mapping from model names to scores")
    if len(predictions) < 2:
        raise checks.error("predictions", "hold at least two models", len(predictions))
    tables = {}
    for name, value in predictions.items():
        try:
            one = one_column and isinstance(value, (list, np.ndarray)) and np.ndim(value) == 1
            both = np.stack([-np.asarray(value, np.float64), np.asarray(value, np.float64)], 1) if one else value
            table = Predictions.from_any(both, axes.classes).aligned(axes)[0]
        except ValueError as problem:
            raise within(f"model {name!r}", problem) from None
        tables[str(name)] = table[:, 1:] if one_column else table
    return tables


def _shares(counts: NDArray[Any], said: Array | None) -> Array:
    """Return (columns, B, N) positive shares from label counts (B, N, C); for two classes, those of the second only."""
    positive = counts @ said if said is not None else counts[..., 1:] if counts.shape[-1] == 2 else counts
    return np.ascontiguousarray(np.moveaxis(positive / counts.sum(-1, keepdims=True), -1, 0))


def _record(models: tuple[str, ...], values: Array, resampled: Array, n_cases: int, left_out: Mapping[str, int]) -> RankingStability:
    pairs = [(_signs(again), _signs(one)) for one, again in zip(values, resampled)]
    spearman = [_correlation(again.sum(-1), one.sum(-1)) for again, one in pairs]  # sums of signs are centred ranks, which ties share
    kendall = [_correlation(again.reshape(len(again), -1), one.ravel()) for again, one in pairs]
    tests = {name: _counted(spearman[soft], spearman[hard]) for name, (soft, hard) in PAIRS.items()}
    rho, tau = (dict(zip(ALL, map(_mean, found))) for found in (spearman, kendall))
    p_values = {name: binomial_p_value(more, less) for name, (more, less, _) in tests.items()}
    return RankingStability(models, ALL, values, resampled, rho, tau, p_values, tests, n_cases, left_out)


def _mean(values: Array) -> float:
    return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")


def _signs(values: Array) -> Array:
    """Return (..., M, M) the sign of the difference of each pair of models."""
    return np.asarray(np.sign(values[..., :, None] - values[..., None, :]))


def _correlation(a: Array, b: Array) -> Array:
    """Correlate centred vectors (B, M) with one (M,): Spearman's ρ for ranks, Kendall's τ-b for signs; NaN if all models are tied."""
    norm = np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    return np.asarray(np.divide(a @ b, norm, out=np.full(norm.shape, np.nan), where=norm > 0))


def _counted(a: Array, b: Array) -> tuple[int, int, int]:
    """Count how often a is above, below and equal to b (up to rounding)."""
    defined = ~np.isnan(a) & ~np.isnan(b)
    difference = np.where(np.abs(a - b)[defined] < 1e-12, 0.0, (a - b)[defined])
    return int((difference > 0).sum()), int((difference < 0).sum()), int((difference == 0).sum())


def binomial_p_value(more: int, less: int) -> float:
    """Return the two-sided binomial p-value of one half: ``min(1, 2 P(X <= min(more, less)))``, X ~ Binomial(more + less, 1/2)."""
    from scipy.special import betainc  # noqa: PLC0415  (scipy is slow to import)

    least = min(more, less)
    return min(1.0, 2.0 * float(betainc(max(more, less), least + 1.0, 0.5))) if max(more, less) > 0 else 1.0
