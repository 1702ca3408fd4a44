"""The statistic of soft ranking metrics: sums of sorted columns of scores against probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from .._base.notes import Note
from .._core._soft import N_SUMS
from ..annotations import Labels
from ..plausibilities.made_of import MadeOf
from ..plausibilities.refitted import refitted
from ..resampling import Answer, Design, Merging, NumberFacts, Panel, Result, Statistic, finished
from ..resampling.counted import Area, CountedAreas
from .columns import HARD_POSITIVE, NEGATIVE, POSITIVE, Auroc, Precision, ScoreColumn, average_of, effective_sizes
from .input import known, read, shares

Metric = Union[Auroc, Precision]
BOTH: tuple[Metric, ...] = (Auroc("exclude"), Precision("certain"))  # the defaults of their functions
# Name in tables, in a report and on the command line, and a phrase that explains the metric.
WORDS = (
    ("auroc", "AUROC", "AUROC", "the probability that a positive case is scored above a negative one"),
    ("average_precision", "Average precision", "AP", "the mean precision at the places of the positive cases"),
)
# Unless they are one case in ten, 95% intervals with fewer may be too narrow: with 5 to 15 of 1,000 they held the value in 87 to 97%.
FEW_OF_A_KIND = 20
LEAST_SIZE = 1.5  # one positive case shows nothing about others: it has half a degree of freedom
ALL = tuple(f"{kind}_{name}" for name, *_ in WORDS for kind in ("soft", "hard"))


class SoftRanking(Statistic):
    """The statistic of metrics against soft and against hard labels, from one pass over the sorted columns.

    Values are averages over columns: classes against the rest, or with ``pairs`` ordered pairs of classes. There are no columns for sums
    that were computed elsewhere. With ``weighted``, columns count by their positives (pairs by their cases), otherwise equally.
    ``labels``: the labels of which the probabilities are shares, or the source of the truth of which they are means.
    """

    span = (0.0, 1.0)

    def __init__(
        self,
        columns: tuple[ScoreColumn, ...],
        metrics: tuple[Metric, ...],
        names: tuple[str, ...] = ("value", "hard"),
        *,
        weighted: bool = False,
        pairs: bool = False,
        labels: Labels | MadeOf | None = None,
    ) -> None:
        self.columns, self.metrics, self.names, self.weighted, self.pairs, self.labels = columns, metrics, names, weighted, pairs, labels
        self.n_cases, self.times = (len(columns[0].positive), columns[0].times) if columns else (0, None)

    @classmethod
    def by_default(cls, p: object, scores: object, positive: int = 1, frequency: object = None) -> SoftRanking:
        """Make the statistic of all four metrics with the defaults of their functions; ``scores`` may be a :class:`ScoreOrder`."""
        given = read(p, scores, None, positive=positive, frequency=frequency)
        return cls(given.columns(0.5), BOTH, ALL, labels=given.labels)

    @property
    def kept(self) -> Bools:
        kept = self.columns[0].kept
        return self.standing(np.ones(self.n_cases, bool) if kept is None else kept)

    @cached_property
    def hard(self) -> tuple[ScoreColumn, ...]:
        return tuple(column.hard() for column in self.columns)

    def sums(self, cases: Array | None = None) -> Array:
        """Return (B, columns x N_SUMS) sums; for pairs, also those against hard labels."""
        columns = self.columns + self.hard if self.pairs else self.columns
        return np.concatenate([column.sums[None] if cases is None else column.resampled(cases) for column in columns], axis=1)

    def answer(self, sums: Array) -> Array:
        return np.stack([average_of(*part) for metric in self.metrics for part in self._by_column(metric, sums)], axis=-1)

    def against(self, p: Array) -> Array:
        """Return (B, 2 per metric) the numbers against other probabilities (columns, B, N)."""
        return self.answer(np.concatenate([column.resampled(None, one) for column, one in zip(self.columns, p)], axis=1))

    def numbers(self, sums: Array) -> dict[str, Array]:
        found, values = super().numbers(sums), self.per_class(self.metrics[0], sums)[0]
        return {**found, "per_class": values} if values.shape[1] > 1 else found

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(scale="logit", normal=True, deciding=self._deciding, steps=self._steps, few=self._few_of)

    @property
    def panel(self) -> Panel:
        return Panel(self._annotations, self._judged_by, counted=self._counted)

    def _counted(self, number: int) -> CountedAreas | None:
        """Return the AUROC of one column against soft labels as a function of the masses of its class."""
        metric, soft = self.metrics[number // 2], number % 2 == 0
        labels, rows = (self.labels.counted, self.labels.rows) if isinstance(self.labels, MadeOf) else (self.labels, None)
        alone = len(self.columns) == 1 and self.columns[0].weights is None and self.columns[0].negative is None
        if labels is None or not len(labels.annotators) or not alone or not soft or not isinstance(metric, Auroc):
            return None
        made = self.labels
        if isinstance(made, MadeOf) and (made.of_cases is not None or made.fit is not None):
            return None
        column, positive = self.columns[0], self.columns[0].classes[0]

        def masses(counts: Labels) -> Array:
            table = made._made(counts, None, np.empty(0, np.int64)).mean() if isinstance(made, MadeOf) else shares(counts)
            return np.asarray(table[:, positive])

        return CountedAreas(labels, rows, (Area(masses, column.row, column.last, metric.of_panels),))

    @property
    def merging(self) -> Merging:
        return super().merging._replace(finish=self._finish)

    def _few_of(self, number: int, design: Design | None) -> Note | None:
        """Return a caution if a column has few positives (or, for an AUROC, few negatives) and many other cases or clusters."""
        metric, hard = self.metrics[number // 2], number % 2
        added = self._added_up(design)
        what = "cases" if added is None else "clusters"
        few = self._few(metric, self.columns, what, added)
        return few or (self._few(metric, self.hard, f"{what}, by hard labels,", added) if hard else None)

    def _added_up(self, design: Design | None) -> Callable[[Array], Array] | None:
        """Return how numbers of cases are added up in the clusters of a design; None if it has none."""
        if design is None or not design.n_units < len(design.unit) == self.kept.sum():
            return None
        return lambda masses: design.added_up(masses[self.kept])

    def _deciding(self, kept: Bools, design: Design) -> Array:
        """Return n (2 per metric,) with Satterthwaite's degrees of freedom n - 1 of variances that fall with positives and negatives.

        For m effective positives (and, for an AUROC, negatives) of each column of weight w, ``n - 1 = (Σ w²/m)² / Σ (w²/m)² / (m - 1)``.
        """
        added, parts = self._added_up(design), []
        for columns in (self.columns, self.hard):
            sizes = np.array([effective_sizes(column, added)[:2] for column in columns])
            mass = np.array([column.sums[POSITIVE] for column in columns]) if self.weighted else np.ones(len(columns))
            m = np.maximum(sizes, LEAST_SIZE)
            part = np.where(sizes > 0, mass[:, None] ** 2 / m, 0.0)
            parts.append((part, part**2 / (m - 1)))
        found = []
        for metric in self.metrics:
            kinds = 1 + isinstance(metric, Auroc)
            for part, square in parts:
                total = square[:, :kinds].sum()
                found.append(1 + part[:, :kinds].sum() ** 2 / total if total > 0 else 1.0)
        return np.array(found)

    def _few(self, metric: Metric, columns: tuple[ScoreColumn, ...], what: str, added: Callable[[Array], Array] | None) -> Note | None:
        kinds = ("positive", "negative") if isinstance(metric, Auroc) else ("positive",)
        found = [effective_sizes(column, added) for column in columns]
        sizes = [(n, kind == "negative", kind, of) for *by_kind, of in found for n, kind in zip(by_kind, kinds)]
        n, _, kind, of = min((one for one in sizes if one[0] > 0), default=(math.inf, False, "", 0.0))
        if not n < max(min(FEW_OF_A_KIND, of / 10), 1.5):
            return None
        where = "" if len(columns) == 1 else f", in the {'pair of classes' if self.pairs else 'class'} with the fewest"
        so_few = f"with fewer than {FEW_OF_A_KIND}, and fewer than one in ten, intervals may be too narrow"
        if n < 1.5:
            so_few = "intervals may be too narrow, because one case does not show how others would differ"
        words = "AUROC and average precision: {n:.3g} of {of:,.0f} {what} are {kind} (effective number){where}; {so_few}."
        return Note("few_of_a_class", words, n=n, of=of, what=what, kind=kind, where=where, so_few=so_few)

    def _steps(self, sums: Array, n_cases: int) -> Array:
        """Return (2 per metric,) steps: cases per positive or, if fewer, per negative, of which one is the least that can change."""
        least = sums.reshape(-1, N_SUMS)[:, [POSITIVE, NEGATIVE]].min()
        return np.full(len(self.names), n_cases / max(float(least), 1.0))

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        found, needs = finished(self, sums, fixed, left_out), "both positives and negatives"
        return found._replace(reason=found.reason and f"no class has {needs if isinstance(self.metrics[0], Auroc) else 'positives'}")

    def per_class(self, metric: Metric, sums: Array) -> tuple[Array, Array]:
        (soft, _), (hard, _) = self._by_column(metric, sums)
        return soft, hard

    def _by_column(self, metric: Metric, sums: Array) -> tuple[tuple[Array, Array | None], tuple[Array, Array | None]]:
        """Return the values (B, K) and their weights in the average, soft and hard."""
        table = sums.reshape(len(sums), 1 + self.pairs, -1, N_SUMS)
        soft, hard = table[:, 0], table[:, -1]
        values = metric.values(soft), metric.values(hard) if self.pairs else metric.hard_values(hard)
        if not self.weighted:
            return (values[0], None), (values[1], None)
        if self.pairs:
            return tuple((one, part[..., POSITIVE] + part[..., NEGATIVE]) for one, part in zip(values, (soft, hard)))  # type: ignore[return-value]
        return (values[0], soft[..., POSITIVE]), (values[1], hard[..., HARD_POSITIVE])

    def _judged_by(self, annotators: NDArray[Any]) -> SoftRanking:
        """Return the statistic against shares of the labels of these annotators; a case without such labels does not count."""
        return self.of_means(self._means_of(annotators))

    def of_means(self, p: Array) -> SoftRanking:
        """Return the statistic against other probabilities (N, K) of the same cases."""
        columns = tuple(column.judged(p, known(p)) for column in self.columns)
        return SoftRanking(columns, self.metrics, self.names, weighted=self.weighted, pairs=self.pairs, labels=self.labels)

    def refitted(self) -> Statistic:
        """Return the statistic as if the prior of the truth, if it was fitted, were fitted to each resample."""
        return refitted(self, self.labels if isinstance(self.labels, MadeOf) else None, lambda truth: self.of_means(truth.mean()))

    def _means_of(self, annotators: NDArray[Any]) -> Array:
        """Return the (N, K) probabilities from annotators with weights (A,) of 0 or 1."""
        if isinstance(self.labels, MadeOf):
            return np.asarray(self.labels.judged_by(annotators).mean())
        if self.labels is None or not len(self.labels.annotators):
            return np.asarray(super().panel.judged_by(annotators))  # which refuses
        assert self.labels is not None
        return shares(self.labels, annotators)

    def _annotations(self) -> Any:
        if isinstance(self.labels, MadeOf):
            return self.labels.annotations_by_name
        if self.labels is None or not len(self.labels.annotators):
            got = "probabilities" if self.labels is None else "label counts"
            raise error("p", "be labels of named annotators, or a truth made of them, if annotators are random", got)
        return self.labels

    def influence(self) -> Array:
        return np.stack([self._influence(metric, columns) for metric in self.metrics for columns in (self.columns, self.hard)], axis=1)

    def std_error(self, design: Design | None = None) -> Array:
        """Return (2 per metric,) standard errors: DeLong's for an AUROC of one column, otherwise by the infinitesimal jackknife."""
        alone = [isinstance(metric, Auroc) and design is None and len(self.columns) == 1 for metric in self.metrics]
        found = np.full(len(self.names), np.nan) if all(alone) else super().std_error(design)
        for j, metric in enumerate(self.metrics):
            for i, (column, *_) in enumerate((self.columns, self.hard) if alone[j] else ()):
                if isinstance(metric, Auroc) and not math.isnan(metric.values(column.sums.tolist())):
                    found[2 * j + i] = metric.std_error(column)
        return found

    def _influence(self, metric: Metric, columns: tuple[ScoreColumn, ...]) -> Array:
        values = np.array([float(metric.values(column.sums)) for column in columns])
        own = [column.mass() for column in columns] if self.weighted else []
        parts = [0.0 if math.isnan(value) else metric.influence(column) for column, value in zip(columns, values)]
        return self.averaged(values, parts, own, [column.total(part) for column, part in zip(columns, own)], self.n_cases)

    def averaged(self, values: Array, parts: Sequence[Any], own: Sequence[Array], totals: Any, n: int) -> Array:
        """Return (n,) influences on the average of columns, from those on the values (K,) of the columns.

        If the average is weighted, they include what cases add, ``own``, to the ``totals`` of the columns.
        """
        mass = np.where(np.isnan(values), 0.0, totals if self.weighted else 1.0)
        if not mass.any():
            return np.full(n, np.nan)
        defined = np.flatnonzero(~np.isnan(values))
        value = float(values[defined] @ mass[defined] / mass.sum())
        out = np.zeros(n)
        for k in defined.tolist():
            out += mass[k] * parts[k] + ((values[k] - value) * own[k] if self.weighted else 0.0)
        return np.asarray(out / mass.sum())


@dataclass(frozen=True, eq=False, repr=False)
class SoftScore(Result):
    """The value of a ranking metric against soft labels, and against hard labels.

    Standard errors for AUROC are DeLong's by structural components, otherwise by the infinitesimal jackknife. Analytic intervals are value
    ± z standard errors on the scale of logits. They are NaN if the error is 0, because a perfect score holds no information on its error.

    Attributes
    ----------
    value : float
        The metric; NaN if undefined.
    hard : float
        The same metric with labels ``p > threshold`` in place of p; ``.interval(of="hard")``.
    per_class, per_class_hard : (K,) arrays or None
        Values by column, for tables of scores, each class against the rest; NaN for an undefined column, which the average leaves out.
    n_cases, left_out : int, mapping
        Cases counted, and cases and columns left out by reason.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.soft_auroc([0.9, 0.6, 0.2, 0.0], [3.1, 0.2, 0.4, -1.0])
    >>> round(found.value, 3), found.hard
    (0.731, 0.75)
    """

    value: float
    hard: float
    per_class: Array | None
    per_class_hard: Array | None
    n_cases: int
    left_out: Mapping[str, int]
    _statistic: SoftRanking = field(repr=False)
    _ids: NDArray[Any] | None = field(repr=False)

    @cached_property
    def statistic(self) -> Statistic:
        one: SoftRanking = self._statistic
        return one.refitted()

    @property
    def hard_std_error(self) -> float:
        """Standard error of ``hard``."""
        return float(self.statistic.std_error()[1])
