"""The computation of an evaluation: rows of results, and the contributions of cases that their intervals need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _threads, resampling
from .._orders import Orders
from .._soft.score import ROOM, SoftScore
from ..certainty import annotation_certainty
from ..plausibilities import Draws
from ..results import estimate
from ..soft import soft_auroc, soft_average_precision
from . import standings as _standings
from . import tables
from .details.context import MOST_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plausibilities import Plausibilities, Point
    from ..results import Certainty, Estimate

    Array = NDArray[np.float64]

NAMES = {"topk": "topk_accuracy", "set": "set_accuracy"}
SOFT: Mapping[str, Any] = {"auroc": soft_auroc, "average_precision": soft_average_precision}
STANDING = ("case_low", "case_high", "both_low", "both_high", "p_best", "rank_low", "rank_high")
SPREADS = ("draw_std", "draw_low", "draw_high", *STANDING)


class Work:
    """Fills ``certainty``, ``metrics``, ``winners``, ``flips`` and ``sources``."""

    def __init__(
        self, truths: Any, voted: Point, scores: Mapping[str, Array], present: Any, ks: list[int], groups: Any, options: Any, seed: int
    ) -> None:
        rows = np.flatnonzero(present)
        self.truths, self.rows = truths, rows
        self.voted = voted.take(rows)
        self.present, self.ks, self.groups, self.options, self.seed = present, ks, groups, options, seed
        self.ties = ties = options["ties"]
        self.orders = {name: Orders.from_dense(table[rows], ks[-1], ties) for name, table in scores.items()}
        self.positive = {name: _positive(table[rows]) for name, table in scores.items()} if voted.n_classes == 2 else {}
        self.quantiles = _standings.shuffled_quantiles(options["n_resamples"], seed)
        self.certainty: list[dict[str, Any]] = []
        self.metrics: list[dict[str, Any]] = []
        self.columns: list[Array] = []  # contributions of cases to the metrics
        self.deviations: list[Array] = []  # of the metrics over draws, one a resample
        self.soft: list[SoftScore] = []
        self.soft_rows: list[dict[str, Any]] = []  # two a score: value and hard
        self.winners: list[dict[str, Any]] = []
        self.flips: list[dict[str, Any]] = []
        self.sources: dict[str, tuple[str, ...]] = {}
        self.certainty_columns: list[Array] = []
        self.case_certainty: dict[str, Array] = {}
        self.middle = truths.middle
        self.mean: Array | None = None  # under the middle reliability

    def run(self) -> None:
        for name, order in self.orders.items():
            for k in self.ks:
                self._add_metric(name, None, "voted_accuracy", k, estimate(self.voted.compare(order, "topk", k, ties=self.ties)))
        for reliability, truth in self.truths:
            self._judge(reliability, truth if self.present.all() else truth.take(self.rows))
            del truth  # draws are large: they go before the next are made

    def _judge(self, reliability: float | None, truth: Plausibilities) -> None:
        """Certainty under one truth, and every model against it."""
        for k in sorted({1, *self.ks}, reverse=True):  # the deepest first: draws keep their best classes
            self._add_certainty(reliability, "certainty", k, annotation_certainty(truth, k=k, ties=self.ties))
        if self.groups is not None:
            by_group = annotation_certainty(truth, groups=self.groups, group_rule="top_class", ties=self.ties)
            self._add_certainty(reliability, "group_certainty", 1, by_group)
        for name, order in self.orders.items():
            for metric, k in self._wanted():
                found = estimate(truth.compare(order, metric, k, ties=self.ties))
                self._add_metric(name, reliability, NAMES.get(metric, metric), k, found)
        self._add_soft(reliability, truth)
        if reliability == self.middle and truth.n_cases * truth.n_classes <= MOST_CELLS:
            self.mean = truth.mean()

    def _wanted(self) -> list[tuple[str, int]]:
        wider = [k for k in self.ks if k > 1]
        return [("topk", k) for k in self.ks] + [(metric, k) for k in wider for metric in ("set", "overlap", "average_overlap")]

    def _add_certainty(self, reliability: float | None, measure: str, k: int, found: Certainty) -> None:
        below = int((found.per_case < 0.99).sum())
        self.certainty.append(
            {"reliability": reliability, "measure": measure, "k": k, "value": found.value, "case_low": None, "case_high": None,
             "mc_error": found.mc_error, "n_below_099": below, "n_cases": found.n_cases}
        )  # fmt: skip
        self.certainty_columns.append(found.per_case)
        if measure == "certainty" and k == 1:
            self.case_certainty[tables.number_name(reliability)] = found.per_case

    def _add_metric(self, model: str, reliability: float | None, metric: str, k: int, found: Estimate) -> None:
        half = self.options["level"] / 2
        over_draws = found.draw_quantile(np.concatenate([[0.5 - half, 0.5 + half], self.quantiles]))
        low, high = float(over_draws[0]), float(over_draws[1])
        self.metrics.append(
            {"model": model, "reliability": reliability, "metric": metric, "k": k, "value": found.value, "draw_std": found.draw_std,
             "draw_low": low, "draw_high": high, **dict.fromkeys(STANDING), "mc_error": found.mc_error, "n_cases": found.n_cases}
        )  # fmt: skip
        self.columns.append(found.per_case)
        self.deviations.append(over_draws[2:] - found.value)

    def _add_soft(self, reliability: float | None, truth: Plausibilities) -> None:
        """Of two classes: AUROC and average precision of the second one, against the means of its plausibilities."""
        if not self.positive:
            return
        if isinstance(truth, Draws):
            self.truths.say("AUROC and average precision are computed for truths without draws only.")
            return
        p = truth.mean()[:, 1]
        for name, scores in self.positive.items():
            for metric, function in SOFT.items():
                found = function(p, scores)
                self.soft.append(found)
                for kind, value in (("soft", found.value), ("hard", found.hard)):
                    row = {"model": name, "reliability": reliability, "metric": f"{kind}_{metric}", "k": None, "value": value}
                    self.soft_rows.append({**row, **dict.fromkeys(SPREADS), "mc_error": 0.0, "n_cases": found.n_cases})

    def resample(self, clusters: Any) -> None:
        """Intervals over cases, alone and together with draws; chances, ranks and flips."""
        options, n = self.options, len(self.certainty)
        table = np.stack(self.certainty_columns + self.columns, 1)
        known = np.asarray(~np.isnan(table).all(1))  # cases that count nowhere are not there at all
        known |= not known.any()
        groups = None if clusters is None else clusters[known]
        found = resampling.bootstrap(table[known], clusters=groups, n_resamples=options["n_resamples"], seed=self.seed)
        found = self._with_soft(found, known, groups)
        self.sources = {"case_low, case_high": found.sources}
        intervals = found.interval(options["level"], options["interval"])
        for row, (low, high) in zip(self.certainty + self.metrics + self.soft_rows, intervals):
            row["case_low"], row["case_high"] = float(low), float(high)
        if self.metrics:
            exact = found.values[:, n : n + len(self.metrics)]
            _standings.add_both(self.metrics, exact + np.stack(self.deviations, 1), options["level"])
            self.metrics += self.soft_rows
            metrics = found.take(np.arange(n, n + len(self.metrics)))
            self.winners = _standings.standings(self.metrics, metrics, options["level"])
            self.flips = _standings.flips(self.metrics, metrics, options["level"])
            self.sources["draw_low, draw_high"] = ("draws",)
            self.sources["both_low, both_high"] = (*found.sources, "draws")
            self.sources["p_best, rank_low, rank_high, margin_low, margin_high, flips"] = found.sources

    def _with_soft(self, found: resampling.Resamples, known: NDArray[np.bool_], clusters: Any) -> resampling.Resamples:
        """With the columns of the soft scores, on the same resamples."""
        if not self.soft:
            return found
        design = resampling.Design.of(int(known.sum()), clusters)
        values = np.empty((len(found.values), len(self.soft_rows)))

        def part(begin: int, end: int) -> None:
            weights = np.zeros((end - begin, len(known)))
            weights[:, known] = design.weights(self.seed, begin, end)
            values[begin:end] = np.concatenate([score.values(score.kept_of(weights)) for score in self.soft], 1)

        _threads.run(part, len(values), max(1, ROOM // len(known)), "bootstrap")
        influence = np.concatenate([score.influences() for score in self.soft], 1)[known]
        return resampling.Resamples(
            np.concatenate([found.estimate, [row["value"] for row in self.soft_rows]]),
            np.concatenate([found.values, values], 1),
            np.concatenate([found.influence, design.centred(design.added_up(influence))], 1),
            found.sources,
        )


def _positive(scores: Array) -> Array:
    """Scores (N,) of the second of two classes: its probability, or its lead over the first where rows do not add up to one number."""
    total = scores.sum(1)
    return np.ascontiguousarray(scores[:, 1] if np.ptp(total) < 1e-6 else scores[:, 1] - scores[:, 0])
