"""Soft AUROC and average precision [D eq. 4, 5] from cases in bins of their scores, with bounds for what the bins hide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import error, option, whole
from .._soft.columns import SELF_PAIRS, Auroc, Precision, average_of, column_mass, quotient
from .._soft.input import check_threshold, read
from .kind import Answer, Kind, check_call
from .part import Part, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

U, V, S, HARD_U, HARD_V = range(5)  # of a bin: Σ p, Σ (1 - p), Σ p (1 - p), and of the hard labels
DEFAULTS = {"edges": 1000, "self_pairs": "exclude", "self_term": "certain", "threshold": 0.5, "average": "macro"}
NOT_OF = {"soft_auroc": "self_term", "soft_average_precision": "self_pairs"}
MOST_EDGES = 1_000_000


@dataclass(frozen=True, eq=False)
class Binned:
    """Cases in bins: ``at`` (n, K) of a table of K x B bins, ``p`` (n, K), of the n cases kept of N (None: all)."""

    at: NDArray[np.int64]
    p: Array
    threshold: float
    shape: tuple[int, int]
    kept: NDArray[np.bool_] | None

    def sums(self, weights: Array | None) -> Array:
        """(K, B, 5) or, with weights (W, N), (W, K, B, 5)."""
        if weights is not None:
            weights = weights if self.kept is None else weights[:, self.kept]
            return np.stack([self._sums(np.repeat(each, self.p.shape[1])) for each in weights])
        return self._sums(None)

    def _sums(self, weight: Array | None) -> Array:
        at, p, hard = self.at.ravel(), self.p.ravel(), (self.p > self.threshold).ravel() * 1.0
        out = np.empty((*self.shape, 5))
        for j, part in enumerate((p, 1.0 - p, p * (1.0 - p), hard, 1.0 - hard)):
            amount = part if weight is None else part * weight
            out[..., j] = np.bincount(at, amount, self.shape[0] * self.shape[1]).reshape(self.shape)
        return out


class Ranking(Kind):
    """All cases of a bin are as if they were tied; where in the bin they are is what the bounds allow for."""

    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """Of p and scores, one column or K."""
        check_call(metric, data, 2, options, [name for name in DEFAULTS if name != NOT_OF[metric]])
        chosen = _options(metric, options)
        truth, predicted = data
        given = read(truth, predicted, None, may_lack=True)
        edges = np.asarray(chosen["edges"])
        p, scores = (table if table.ndim == 2 else table[:, None] for table in (given.p, given.scores))
        at = np.searchsorted(edges, scores.ravel(), side="right").reshape(scores.shape) + np.arange(p.shape[1]) * (len(edges) + 1)
        binned = Binned(at, p, chosen["threshold"], (p.shape[1], len(edges) + 1), None if given.kept.all() else given.kept)
        return Part(chosen, len(given.kept), len(p), given.left_out, rows={"bins": binned}, case_ids=ids_of(*data))

    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """With its hard twin and, from bins, the bounds ``low`` and ``high``."""
        if "ranges" in sums:
            return _exact(metric, settings, sums["ranges"])
        bins = sums["bins"][..., ::-1, :]  # highest scores first: (W, K, B, 5)
        hard = np.stack([bins[..., HARD_U], bins[..., HARD_V], np.zeros(bins.shape[:-1])], axis=-1)
        of = partial(auroc, self_pairs=SELF_PAIRS[settings["self_pairs"]]) if metric == "soft_auroc" else (
            partial(precision, certain=settings["self_term"] == "certain")
        )  # fmt: skip
        ends = {"value": of(bins[..., :3]), "hard": of(hard)}
        weighted, numbers = settings["average"] == "weighted", {}
        for name, (value, low, high) in ends.items():
            mass = bins[..., U if name == "value" else HARD_U].sum(-1) if weighted else np.ones(value.shape)
            numbers[name], numbers[f"{name} low"], numbers[f"{name} high"] = (average_of(x, mass) for x in (value, low, high))
        value = numbers.pop("value")
        numbers["low"], numbers["high"] = numbers.pop("value low"), numbers.pop("value high")
        if ends["value"][0].shape[1] > 1:
            numbers["per_class"] = ends["value"][0]
        return Answer(value, numbers, _undefined(metric) if np.isnan(value[0]) else None)

    def groups(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Array:
        """Cases in each bin."""
        if "ranges" in sums:
            return np.empty(0)
        return np.asarray(np.rint(sums["bins"][..., U] + sums["bins"][..., V]))


def _exact(metric: str, settings: Mapping[str, Any], sums: Array) -> Answer:
    """From sums (W, K, N_SUMS) of ranges of scores."""
    of: Any = Auroc(settings["self_pairs"]) if metric == "soft_auroc" else Precision(settings["self_term"])
    weighted, numbers = settings["average"] == "weighted", {}
    for name, values in (("value", of.values(sums)), ("hard", of.hard_values(sums))):
        numbers[name] = average_of(values, column_mass(sums, weighted, False, name == "hard"))
    if sums.shape[1] > 1:
        numbers["per_class"] = of.values(sums)
    value = numbers.pop("value")
    return Answer(value, numbers, _undefined(metric) if np.isnan(value[0]) else None)


def _undefined(metric: str) -> str:
    return "no class has " + ("both positives and negatives" if metric == "soft_auroc" else "positives")


def _options(metric: str, options: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {name: options.get(name, default) for name, default in DEFAULTS.items() if name != NOT_OF[metric]}
    option("average", chosen["average"], ("macro", "weighted"))
    chosen["threshold"] = check_threshold(chosen["threshold"])
    if metric == "soft_auroc":
        option("self_pairs", chosen["self_pairs"], tuple(SELF_PAIRS))
    else:
        option("self_term", chosen["self_term"], ("certain", "probability"))
    chosen["edges"] = _edges(chosen["edges"])
    return chosen


def _edges(given: Any) -> list[float]:
    """Between bins: ascending numbers, or those of n bins of equal width from 0 to 1."""
    must = f"be a number of bins from 2 to {MOST_EDGES}, or ascending finite numbers between them"
    if np.ndim(given) == 0:
        return [float(edge) for edge in np.linspace(0, 1, whole("edges", given, 2, MOST_EDGES) + 1)[1:-1]]
    edges = np.asarray(given)
    good = edges.ndim == 1 and edges.dtype.kind in "iuf" and 1 <= len(edges) < MOST_EDGES
    if not good or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        raise error("edges", must, f"{edges.dtype} of shape {edges.shape}")
    return [float(edge) for edge in edges]


def auroc(bins: Array, self_pairs: float) -> tuple[Array, Array, Array]:
    """``(value, low, high)``: pairs within a bin count half; all of them, or none, would be in order at the ends."""
    u, v, s = (bins[..., j] for j in range(3))
    positive, negative = u.sum(-1), v.sum(-1)
    pairs = (v * (np.cumsum(u, axis=-1) - 0.5 * u)).sum(-1) + self_pairs * s.sum(-1)
    hidden = np.maximum(u * v - s, 0.0).sum(-1) / 2
    value, low, high = (quotient(x, positive * negative) for x in (pairs, pairs - hidden, pairs + hidden))
    return value, low, high


def precision(bins: Array, certain: bool) -> tuple[Array, Array, Array]:
    """``(value, low, high)``: the mean over all orders within the bins; precision at the ends with all negatives, or positives, first."""
    u, v, s = (bins[..., j] for j in range(3))
    m, above = u + v, np.cumsum(u, axis=-1) - u
    before = np.cumsum(m, axis=-1) - m
    own = s if certain else np.zeros_like(s)
    single = quotient(u * (above + u) + own, before + m)
    low = u * quotient(above, before + v) + quotient(own, before + m)
    high = u * quotient(above + u, before + u) + quotient(own, before + 1.0)
    value = np.where(m > 1.0, mean_over_orders(u, s, m, above, before, certain), single)
    ends = (value, np.where(m > 1.0, np.minimum(np.nan_to_num(low), value), single), np.where(m > 1.0, np.maximum(high, value), single))
    found, least, most = (quotient(np.nan_to_num(part).sum(-1), u.sum(-1)) for part in ends)
    return found, least, most


def mean_over_orders(u: Array, s: Array, m: Array, above: Array, before: Array, certain: bool) -> Array:
    """A member stands at each place t of its m equally often, with (t - 1) / (m - 1) of the others before it."""
    from scipy.special import digamma  # noqa: PLC0415  (scipy is slow to import)

    a = digamma(before + m + 1.0) - digamma(before + 1.0)
    b = m - (before + 1.0) * a
    others = quotient((u * u - (u - s)) * b, m * (m - 1.0))
    alone = u * (1.0 + above) if certain else u - s + u * above
    return np.asarray(quotient(alone * a, m) + others)


KIND = Ranking()
