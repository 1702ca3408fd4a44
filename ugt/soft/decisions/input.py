"""Input of measures of decisions: the probability of being positive, and scores or decisions of the same cases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._base import checks, identifiers
from ..._base.arrays import Array, Int32, NDArray
from ..._base.identifiers import as_array
from ..._base.names import find, positive_of
from ..._base.wording import arg
from ...annotations import Labels
from ...annotations.named import table as in_order
from ...annotations.one_class import class_named
from ...plausibilities import Plausibilities
from ...plausibilities.frequent import rows_of
from ...plausibilities.made_of import MadeOf
from ...resampling.case_weights import Counts
from ..input import NO_TRUTH, NO_WEIGHT, check_range, known, truth_of
from ..order import complete, numbers


class Decisions(NamedTuple):
    """The probability p (N,) of being positive and the scores (N,) of all cases; what they were made of; how often each case counts."""

    p: Array
    scores: NDArray[Any]
    positive: int
    labels: Labels | MadeOf | None
    case_ids: NDArray[Any] | None
    counts: Counts | None


class Classes(NamedTuple):
    """The probabilities p (N, K) and the scores (N, K) of the classes, with their names; otherwise as :class:`Decisions`."""

    p: Array
    scores: Array
    names: NDArray[Any]
    labels: Labels | MadeOf | None
    case_ids: NDArray[Any] | None
    counts: Counts | None

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(map(str, self.names.tolist()))


def left_out_of(p: Array, counts: Counts | None) -> dict[str, int]:
    """Return the number of cases without a truth, and of those without a weight, by reason."""
    kept = known(p)
    lacking = np.zeros(len(p), bool) if kept is None else ~kept
    if counts is None:
        return {NO_TRUTH: int(lacking.sum())}
    return {NO_TRUTH: counts.number(lacking), NO_WEIGHT: int((counts.times == 0).sum()) if counts.weighted else 0}


def read(truth: Any, scores: object, positive_class: object, frequency: object, case_weights: object) -> Decisions:
    """Read and check a truth and scores or decisions of the same cases."""
    p, labels, case_ids, classes = _truth(truth)
    own = class_named("scores", scores, classes)
    table = complete(scores, numbers(in_order("scores", scores, case_ids, classes)))
    if len(table) != len(p) or table.ndim > 2:
        raise checks.error("scores", f"be of shape ({len(p)},), one per case of the truth", table.shape)
    positive = _positive(classes, p, positive_class, own)
    if p.ndim == 2:
        if table.ndim == 2 and table.shape[1] != p.shape[1] and table.shape[1] != 1:
            raise checks.error("scores", f"have one column, or {p.shape[1]} as the truth has", table.shape)
        p = p[:, positive]
        table = table[:, positive if table.shape[1] > 1 else 0] if table.ndim == 2 else table
    elif table.ndim == 2:
        if table.shape[1] != 1:
            raise checks.error("scores", f"be of shape ({len(p)},) for a truth that is one column", table.shape)
        table = table[:, 0]
    counts = _counts(labels, frequency, case_weights, len(p), case_ids)
    return Decisions(np.array(p, np.float64), np.array(table), positive, labels, case_ids, counts)


def read_classes(truth: Any, scores: object, frequency: object, case_weights: object) -> Classes:
    """Read and check a truth of K classes and scores of them."""
    p, labels, case_ids, classes = _truth(truth)
    table = scores_of(scores, p, case_ids, classes)
    names = np.arange(p.shape[1]) if classes is None else np.asarray(classes)
    return Classes(np.array(p), table, names, labels, case_ids, _counts(labels, frequency, case_weights, len(p), case_ids))


def _truth(truth: Any) -> tuple[Array, Labels | MadeOf | None, NDArray[Any] | None, NDArray[Any] | None]:
    """Return the probabilities, what they were made of, and the names of cases and classes, if there are any."""
    made = isinstance(truth, Plausibilities) or isinstance(getattr(truth, "made_of", None), MadeOf)
    labels = truth if isinstance(truth, Labels) else truth.made_of if made else None
    p, case_ids, classes = truth_of(truth, made, "truth")
    if not made:
        check_range(p, "truth")
    kept = known(p)
    if kept is not None and not kept.any():
        raise checks.error("truth", "hold a probability for at least one case", "NaN in all of them")
    return p, labels, case_ids, classes


def scores_of(scores: object, p: Array, case_ids: NDArray[Any] | None, classes: NDArray[Any] | None) -> Array:
    """Return scores (N, K) of the classes of a truth (N, K)."""
    if p.ndim != 2:
        raise checks.error("truth", "have a column for each class", f"shape {p.shape}")
    table = complete(scores, numbers(in_order("scores", scores, case_ids, classes)))
    if table.shape != p.shape:
        raise checks.error("scores", f"be of the shape of the truth, {p.shape}", table.shape)
    return np.asarray(table, np.float64)


def _positive(classes: NDArray[Any] | None, p: Array, asked: object, own: int | None) -> int:
    """Return which class is positive; ask for it if names do not show it."""
    if p.ndim == 1:
        if asked is not None:
            raise checks.error("positive_class", "be left out for a truth that is one column of probabilities", repr(asked))
        return 1
    names = np.arange(p.shape[1]) if classes is None else np.asarray(classes)
    if asked is None and own is None:
        return positive_of(names.tolist(), "positive_class", "two classes" if p.shape[1] == 2 else "a truth")
    if asked is None:
        assert own is not None
        return own
    at = int(find(names, identifiers.number("positive_class", [asked]).ids)[0])
    if at < 0:
        raise checks.error("positive_class", "be one of the classes " + ", ".join(map(identifiers.name, names)), repr(asked))
    if own is not None and own != at:
        raise checks.error(
            "scores", f"be of the positive class, {identifiers.name(names[at])}", f"a column named {identifiers.name(names[own])}"
        )
    return at


def _counts(labels: Any, frequency: object, case_weights: object, n: int, case_ids: NDArray[Any] | None) -> Counts | None:
    times, weights = rows_of("truth", labels, frequency, case_weights, n, case_ids)
    if weights is not None:
        return Counts(weights, True)
    return None if times is None else Counts(times, False)


def called(scores: NDArray[Any]) -> Int32:
    """Return decisions (N,), 0 or 1, from scores that are such; refuse others."""
    other = (scores != 0) & (scores != 1)
    if other.any():
        i = int(np.argmax(other))
        must = "be decisions, 0 or 1, if there is no threshold (" + arg("threshold", 0.5) + " calls cases with scores of at least this)"
        raise checks.error("scores", must, f"{scores[i]:.6g}", f"case {i}")
    return scores.astype(np.int32)


def thresholds_of(given: object, argument: str, below_one: bool) -> Array:
    """Return thresholds (T,) in ascending order; refuse repeated ones, and for net benefit those outside [0, 1)."""
    found = as_array(given)
    if found.dtype.kind not in "fiub" or found.ndim > 1 or found.size == 0:
        raise checks.error(argument, "be a number or several", f"{found.dtype} of shape {found.shape}")
    found = np.sort(np.atleast_1d(found).astype(np.float64))
    bad = ~np.isfinite(found) | (below_one & ((found < 0) | (found >= 1)))
    if bad.any():
        raise checks.error(
            argument, "be from 0 to below 1, probabilities at which one would treat" if below_one else "be finite", found[bad][0]
        )
    same = np.flatnonzero(np.diff(found) == 0)
    if len(same):
        raise checks.error(argument, "be different numbers", f"{found[same[0]]:g} twice")
    return found


def reached(scores: NDArray[Any], thresholds: Array) -> Int32:
    """Return how many of the thresholds (T,), in ascending order, each score (N,) reaches; a score equal to a threshold does."""
    if len(thresholds) == 1:
        return np.asarray(scores >= thresholds[0], np.int32)
    return np.asarray(np.searchsorted(thresholds, scores, side="right"), np.int32)


def prevalence_of(prevalence: object, error: object) -> tuple[float | None, float]:
    """Return a stated prevalence, between 0 and 1, and its standard error."""
    if prevalence is None:
        if error != 0:
            raise checks.error("prevalence_error", "be left out without " + arg("prevalence", ...), repr(error))
        return None, 0.0
    q = checks.scalar("prevalence", prevalence)
    if not 0 < q < 1:
        raise checks.error("prevalence", "be above 0 and below 1: with one class alone nothing is to be decided", repr(prevalence))
    return q, checks.scalar("prevalence_error", error)
