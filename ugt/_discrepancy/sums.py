"""What each case adds to discrepancies, of models and of annotators who are judged as models; their joint bootstrap [C]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import resampling
from .._ragged import row_of
from .._resampling.resamples import TIE
from ..resampling import Resamples
from .input import NO_ANNOTATIONS, NO_PREDICTION, SINGLE, Compared

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Int64 = NDArray[np.int64]

# What is left of a sum after nearly all of it has been taken away is rounding.
ROUNDING = 1e-12
CELLS = 2**22  # cases x numbers held at a time: some tables of 32 MB
CASES = ("matched", "all", "mu1")


class Sums(NamedTuple):
    """Sums over the annotators of each case; NaN where they are undefined."""

    n: Int64  # (N,) annotators
    total: Array  # (N,) over pairs of annotators
    alpha: Array  # (N,) its mean, for two annotators or more
    mu: Array  # (M, N) mean distance of each model

    @classmethod
    def of(cls, compared: Compared) -> Sums:
        found, n_cases = compared.distances, compared.n_cases
        case = row_of(found.offsets)
        n = np.bincount(case, found.count, n_cases).astype(np.int64)
        total = np.bincount(case, found.count * found.to_others, n_cases) / 2
        several = n >= 2
        alpha = np.where(several, total / np.maximum(n * (n - 1.0) / 2, 1), np.nan)
        mu = np.array([np.bincount(case, found.count * row, n_cases) for row in found.to_model]).reshape(len(found.to_model), n_cases)
        return cls(n, total, alpha, np.where(several, mu / np.maximum(n, 1), np.nan))

    def counted(self, predicted: Bools) -> Bools:
        """(N,) cases with two annotators or more and a prediction."""
        return np.asarray((self.n >= 2) & predicted)

    def left_out(self, predicted: Bools) -> dict[str, int]:
        """Cases that do not count, by reason."""
        reasons = {
            NO_ANNOTATIONS: self.n == 0,
            SINGLE: self.n == 1,
            NO_PREDICTION: (self.n >= 2) & ~predicted,
        }
        counts = {reason: int(applies.sum()) for reason, applies in reasons.items()}
        return {reason: n for reason, n in counts.items() if n}


class LeftOut(NamedTuple):
    """Annotators in turn taken out of the data and judged as models: parts of μ and α, NaN where a case does not count."""

    mu: Array  # (N, A)
    alpha: Array  # (N, A)
    model: Array  # (M, N, A) the models on the same cases, against the same others

    @classmethod
    def of(cls, compared: Compared, sums: Sums, annotators: Sequence[int], cases: str = "matched") -> LeftOut:
        """Of some annotators.

        matched: cases that the annotator labelled and that keep two others, for both μ and α. all: α over all cases that keep two
        others. mu1: so, and μ over the cases that the annotator labelled and that keep one other.
        """
        found, n_cases = compared.distances, compared.n_cases
        column = np.full(len(compared.annotators), -1, np.int64)
        column[list(annotators)] = np.arange(len(annotators))
        entry = np.flatnonzero(column[found.annotator] >= 0)
        case, at = row_of(found.offsets)[entry], column[found.annotator[entry]]
        others = sums.n[case] - 1
        own = found.to_others[entry]
        shape, two, kept = (n_cases, len(annotators)), others >= 2, others >= (1 if cases == "mu1" else 2)
        alpha = np.full(shape, np.nan) if cases == "matched" else np.repeat(sums.alpha[:, None], shape[1], axis=1)
        alpha[case, at] = np.nan
        pairs = np.maximum(others * (others - 1.0) / 2, 1)
        alpha[case[two], at[two]] = (_taken_away(sums.total[case], own) / pairs)[two]
        mu, model = np.full(shape, np.nan), np.full((len(found.to_model), *shape), np.nan)
        for table, sum_ in ((mu, own), *((model[m], _without(sums, found.to_model[m], m, case, entry)) for m in range(len(model)))):
            table[case[kept], at[kept]] = (sum_ / np.maximum(others, 1))[kept]
        return cls(mu, alpha, model)


def _taken_away(total: Array, part: Array) -> Array:
    """The total less a part, 0 where that is but rounding."""
    with np.errstate(invalid="ignore"):
        left = total - part
        return np.where(left <= ROUNDING * total, 0.0, left)


def _without(sums: Sums, to_model: Array, m: int, case: Int64, entry: Int64) -> Array:
    """Summed distances of model m to the other annotators of the case."""
    return _taken_away(sums.mu[m, case] * sums.n[case], to_model[entry])


def ratio(above: float, below: float) -> float:
    """The quotient; NaN for 0 / 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.float64(above) / np.float64(below))


def mean(values: Array) -> float:
    """Of those that are defined; NaN if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


# ---- one bootstrap for all ----


def ratios(above: Array, below: Array, matched: bool, **options: Any) -> Resamples:
    """Bootstrap of mean(above) / mean(below) of columns (N, C); matched: where both are undefined in the same cases."""
    if matched:
        return resampling.bootstrap(above, below, **options)
    both = resampling.bootstrap(np.concatenate([above, below], axis=1), **options)
    c = above.shape[1]
    return quotient(both.take(slice(0, c)), both.take(slice(c, 2 * c)))


def quotient(above: Resamples, below: Resamples) -> Resamples:
    """Number by number."""
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = above.estimate / below.estimate
        influence = None
        if above.influence is not None and below.influence is not None:
            influence = (above.influence - estimate * below.influence) / below.estimate
        return Resamples(estimate, above.values / below.values, influence, above.sources)


def beside(parts: Sequence[Resamples]) -> Resamples:
    """Numbers of several bootstraps with the same resamples, in one."""
    if len(parts) == 1:
        return parts[0]
    influences = [part.influence for part in parts]
    known = [one for one in influences if one is not None]
    influence = np.concatenate(known, axis=1) if len(known) == len(parts) else None
    joined = [np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in ("estimate", "values")]
    return Resamples(joined[0], joined[1], influence, parts[0].sources)


def tied(first: Array, second: Array) -> NDArray[np.bool_]:
    """Equal up to rounding."""
    with np.errstate(invalid="ignore"):
        return np.asarray((np.abs(first - second) <= TIE * np.maximum(np.abs(first), np.abs(second))) | (first == second))


def share_below(first: Array, second: Array) -> float:
    """Share of resamples in which the first is the smaller one; ties count half, undefined ones do not count."""
    with np.errstate(invalid="ignore"):
        won = np.where(tied(first, second), 0.5, first < second)
    defined = ~np.isnan(first) & ~np.isnan(second)
    return float(won[defined].mean()) if defined.any() else float("nan")
