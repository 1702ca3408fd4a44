"""The mean label of all cases by a judge's scores, corrected by labels of some cases: prediction-powered inference."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.checks import error
from .._base.lazy import cached_property
from .._base.ragged import offsets_of, row_of
from ..annotations import Ratings
from ..annotations.other_annotators import of_cases, only
from ..resampling import Design, Difference, NumberFacts, Panel, Statistic, over
from .input import JudgedCases

N, LABELLED, LABELS, JUDGE, OTHERS, JUDGE_OF_OTHERS = range(6)  # the sums of a stratum


class Corrected(Statistic):
    """θ = Σ_h N_h / N (Σ w ȳ / Σ w + λ (Σ v f / Σ v - Σ w f / Σ w)), with sums over the cases of stratum h.

    ``weight`` w (N,): of labelled cases; ``other`` v (N,): of cases whose scores the labelled ones are compared with; ``stratum`` (N,).
    """

    def __init__(self, given: JudgedCases, weight: Array, other: Array, stratum: Int64, tuning: float | None) -> None:
        self.labels, self.judge, self.weight, self.other, self.stratum = given.labels, given.judge, weight, other, stratum
        self.n_cases, self.case_ids, grades = len(given.judge), given.labels.case_ids, given.labels.scale
        if isinstance(grades, tuple):
            self.span = grades[0], grades[-1]
        self._read()
        self.tuning = 0.0 if tuning is None else tuning
        if tuning is None:
            self.tuning = self._tuned()

    def _read(self) -> None:
        """Compute the means of labels and the columns of the sums."""
        n = np.diff(self.labels.offsets)
        self.labelled: Bools = (n > 0) & (self.weight > 0)
        self.mean = np.bincount(row_of(self.labels.offsets), self.labels.value, self.n_cases) / np.maximum(n, 1)
        w, v, f = np.where(self.labelled, self.weight, 0.0), self.other, self.judge
        self.columns = np.stack([np.ones(len(f)), w, w * self.mean, w * f, v, v * f], axis=1)

    @cached_property
    def _rows(self) -> list[NDArray[np.intp]]:
        return [np.flatnonzero(self.stratum == h) for h in range(int(self.stratum.max(initial=-1)) + 1)]

    def sums(self, cases: Array | None = None) -> Array:
        """Return the sums (B, 6 H)."""
        weights = np.ones((1, self.n_cases)) if cases is None else cases
        return np.concatenate([weights[:, rows] @ self.columns[rows] for rows in self._rows], axis=1)

    def _means(self, sums: Array) -> tuple[Array, Array, Array, Array]:
        """Return the number of cases (B, H) of the strata, and means of labels, of the judge where labelled, and of the judge elsewhere."""
        s = sums.reshape(len(sums), -1, 6)
        of_labels, of_judge = over(s[..., LABELS], s[..., LABELLED]), over(s[..., JUDGE], s[..., LABELLED])
        elsewhere = over(s[..., JUDGE_OF_OTHERS], s[..., OTHERS])
        return s[..., N], of_labels, of_judge, np.where(s[..., OTHERS] > 0, elsewhere, of_judge)

    def answer(self, sums: Array) -> Array:
        n, labels, judge, elsewhere = self._means(sums)
        return over((n * (labels + self.tuning * (elsewhere - judge))).sum(axis=1), n.sum(axis=1))[:, None]

    def influences(self) -> tuple[Array, Array, Array]:
        """Return (N,) influences on the mean label, on the judge's correction (to be multiplied by λ), and those of the strata's sizes."""
        sums = self.sums()
        n, labels, judge, elsewhere = (part[0][self.stratum] for part in self._means(sums))
        total = sums.reshape(-1, 6)[self.stratum]
        share = n / self.n_cases
        own, others = share * over(self.columns[:, LABELLED], total[:, LABELLED]), np.zeros(self.n_cases)
        there = total[:, OTHERS] > 0
        others[there] = (share * self.other)[there] / total[there, OTHERS]
        own = np.where(self.labelled, own, 0.0)
        correction = others * (self.judge - elsewhere) - np.where(there, own * (self.judge - judge), 0.0)
        theta = labels + self.tuning * (elsewhere - judge)
        return own * np.where(self.labelled, self.mean - labels, 0.0), correction, (theta - theta.mean()) / self.n_cases

    def influence(self) -> Array:
        labels, correction, sizes = self.influences()
        return (labels + self.tuning * correction + sizes)[:, None]

    def _tuned(self) -> float:
        """Return the λ in [0, 1] with the smallest variance over cases (PPI++); 0 if the judge's scores are all alike."""
        labels, correction, _ = self.influences()
        if (self.other[self.labelled] == 0).all():  # equal probabilities: the variance of the scores is that of all cases
            n, m = (np.bincount(self.stratum, self.columns[:, j]) for j in (LABELLED, OTHERS))
            size, total, squares = (np.bincount(self.stratum, self.judge**j) for j in range(3))
            variance = np.maximum(squares - total**2 / size, 0) / np.maximum(size - 1, 1)
            below = float(((size / self.n_cases) ** 2 * np.where(m > 0, variance * (1 / n + 1 / np.maximum(m, 1)), 0.0)).sum())
        else:
            below = float(correction @ correction)
        return float(np.clip(-(labels @ correction) / below, 0.0, 1.0)) if below > 0 else 0.0

    def balance(self) -> Array:
        """Return (N,) weights of labelled cases that make up for how they were chosen."""
        sizes, labelled = (np.bincount(self.stratum, one) for one in (np.ones(self.n_cases), self.columns[:, LABELLED]))
        return np.asarray(self.columns[:, LABELLED] * (sizes / labelled)[self.stratum])

    def with_tuning(self, tuning: float) -> Corrected:
        """Return the statistic with another λ."""
        one = self._copy()
        one.tuning = tuning
        return one

    def _copy(self) -> Corrected:
        """Return a copy without the estimate."""
        one = copy(self)
        one.__dict__.pop("estimate", None)
        return one

    def arranged(self, order: NDArray[np.intp], annotators: NDArray[Any], names: NDArray[Any]) -> Corrected:
        """Return the statistic with the cases in another order, and annotators at other places (A,) among more ``names``, if any."""
        one, known = self._copy(), self.labels
        one.__dict__.pop("_rows", None)
        who = annotators[known.annotator] if len(names) else np.full(len(known.annotator), -1)
        one.labels = of_cases(replace(known, annotators=names, annotator=who.astype(np.int32)), order.astype(np.int64))
        one.case_ids, one.stratum = one.labels.case_ids, self.stratum[order]
        one.judge, one.weight, one.other = (part[order] for part in (self.judge, self.weight, self.other))
        one._read()
        return one

    @property
    def facts(self) -> NumberFacts:
        """Facts with the logit for shares inside (0, 1)."""
        scale = "logit" if self.span == (0.0, 1.0) and 0 < self.estimate[0] < 1 else "identity"
        return super().facts._replace(scales=(scale,), normal=True, n_annotated=self._n_annotated)

    def _n_annotated(self, kept: Bools, design: Design) -> int:
        """Return the units with a labelled case, less one for each further stratum."""
        return int((design.added_up(self.labelled[kept, None].astype(np.float64)) > 0).sum()) - len(self._rows) + 1

    def std_error(self, design: Design | None = None) -> Array:
        """Return the square root of Σ L² over cases or units, as published."""
        found = self.influence()
        return np.asarray(np.sqrt(((found if design is None else design.added_up(found)) ** 2).sum(axis=0)))

    @property
    def panel(self) -> Panel:
        return Panel(lambda: self.labels, self._judged_by) if len(self.labels.annotators) else super().panel

    def _judged_by(self, annotators: NDArray[Any]) -> Corrected:
        one = self._copy()
        one.labels = only(self.labels, annotators)
        one._read()
        return one


class CorrectedPair(Difference):
    """One corrected mean less another of the same cases, whose labels may be by other annotators."""

    first: Corrected
    second: Corrected

    @classmethod
    def of(cls, first: Corrected, second: Corrected) -> CorrectedPair:
        """Return the difference, with the cases of the second in the order of the first; ValueError: they are of other cases."""
        mine, its = first.labels, second.labels
        at = places(its.case_ids, mine.case_ids)
        if mine.n_cases != its.n_cases or (at < 0).any():
            own, others = (mine, its) if (at < 0).any() else (its, mine)
            alone = own.case_ids[places(others.case_ids, own.case_ids) < 0]
            got = f"{len(alone)} cases of one that the other has not"
            raise error("other", f"be of the same {first.n_cases} cases", got, f"case {identifiers.name(alone[0])}")
        both = _together(mine.annotators, its.annotators)
        order = np.arange(first.n_cases, dtype=np.intp)
        return cls(first.arranged(order, places(both, mine.annotators), both), second.arranged(at, places(both, its.annotators), both))

    def tuned(self) -> CorrectedPair:
        """Return the difference with the two λ in [0, 1] that make its variance over cases the smallest."""
        (labels, correction, _), (others, its, _) = self.first.influences(), self.second.influences()
        target, columns = labels - others, np.stack([correction, -its], axis=1)
        products, along = columns.T @ columns, columns.T @ target
        found = np.array([self.first.tuning, self.second.tuning])
        corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
        inside = [np.linalg.lstsq(products, -along, rcond=None)[0]] if products.any() else []
        sides = []
        for k, end in ((0, 0.0), (0, 1.0), (1, 0.0), (1, 1.0)):
            rest = 1 - k
            best = -(along[rest] + products[rest, k] * end) / products[rest, rest] if products[rest, rest] > 0 else 0.0
            sides.append(np.array([end, best] if k == 0 else [best, end]))
        tried = [found, *map(np.array, corners), *(one for one in (*inside, *sides) if ((one >= 0) & (one <= 1)).all())]
        best = tried[int(np.argmin([one @ products @ one + 2 * along @ one for one in tried]))]
        return CorrectedPair(self.first.with_tuning(float(best[0])), self.second.with_tuning(float(best[1])))

    def _annotations(self) -> Any:
        """Return the labels of both, case by case."""
        parts = [one.panel.annotations() for one in (self.first, self.second)]
        case = np.concatenate([row_of(one.offsets) for one in parts])
        order = np.argsort(case, kind="stable")
        who, value = (np.concatenate([getattr(one, name) for one in parts])[order] for name in ("annotator", "value"))
        return Ratings(self.first.labels.case_ids, parts[0].annotators, offsets_of(np.bincount(case, minlength=self.n_cases)), who, value)

    def only(self, number: int) -> tuple[Statistic, int]:
        """Return the difference itself, which has one number."""
        return self, number

    def _judged_by(self, annotators: NDArray[Any]) -> CorrectedPair:
        return CorrectedPair(self.first._judged_by(annotators), self.second._judged_by(annotators))


def places(among: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.intp]:
    """Return where ids are among others, -1 if they are not."""
    if identifiers.is_text(among) != identifiers.is_text(wanted):
        among, wanted = among.astype(str), wanted.astype(str)
    return np.asarray(identifiers.lookup(among, wanted), np.intp)


def _together(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Return the annotators of two panels; none if either has no names, or has numbers of columns that the other has not."""
    if np.array_equal(first, second):
        return first
    if any(np.array_equal(one, np.arange(len(one))) for one in (first, second)):
        return first[:0]
    if identifiers.is_text(first) != identifiers.is_text(second):
        first, second = first.astype(str), second.astype(str)
    return np.concatenate([first, second[places(first, second) < 0]])
