"""What is open about one more label of a case with a Dirichlet posterior, in closed form, and what further labels would settle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Array, Int64
from .._base.axes import Axes
from .._base.ragged import offsets_of, row_of, sizes_of, take
from .open_parts import LOSSES, LabelLoss, Parts, surprise
from .outcomes import expected_after

if TYPE_CHECKING:
    from .dirichlet import Dirichlet

COPIES = 2**18  # concentrations of posteriors with one more label that are integrated at a time


class _Law(NamedTuple):
    """The concentrations of a posterior, as entries and as ``alike`` (N,) classes that are not listed, and their totals (N,)."""

    row: Int64
    own: Array
    rest: Array
    alike: Int64
    total: Array

    def added(self, own: Array, rest: Array) -> Array:
        """Return the sum over the classes of each case (N,) of a number of each entry (E,) and of each class that is not listed (N,)."""
        return np.asarray(np.bincount(self.row, own, len(self.total)) + self.alike * rest)


def _law(post: Dirichlet) -> _Law:
    total = np.where(post.defined, post._totals(), np.nan)
    return _Law(row_of(post.offsets), post.concentration, post.background, post.n_classes - sizes_of(post.offsets), total)


def parts_of(post: Dirichlet, loss: LabelLoss) -> Parts:
    """Return the parts of each case, computed once for each distinct posterior."""
    found = post.distinct
    if found is None:
        return _parts(post, loss)
    few = _parts(post.take(found[0]), loss)
    return Parts(few.total[found[1]], few.inherent[found[1]])


def _parts(post: Dirichlet, loss: LabelLoss) -> Parts:
    law = _law(post)
    own, rest = law.own / law.total[law.row], law.rest / law.total
    if loss is LOSSES["quadratic"]:
        total = np.maximum(1.0 - law.added(own**2, rest**2), 0.0)
        inherent = total * (law.total / (law.total + 1.0))
    elif loss is LOSSES["log"]:
        from scipy.special import digamma  # noqa: PLC0415  (scipy is slow to import)

        total = law.added(own * surprise(own), rest * surprise(rest))
        inherent = digamma(law.total + 1.0) - law.added(own * digamma(law.own + 1.0), rest * digamma(law.rest + 1.0))
    else:
        most = np.where(law.alike > 0, rest, 0.0)
        with np.errstate(invalid="ignore"):  # of undefined cases
            np.maximum.at(most, law.row, own)
        total, inherent = 1.0 - most, 1.0 - _largest(post)
    return Parts(total, np.minimum(np.maximum(inherent, 0.0), total))


def _largest(post: Dirichlet) -> Array:
    """Return E max λ (N,) = Σ_k c_k/A P(k is the most plausible class under c + e_k), some cases at a time.

    For λ_k times the density of Dirichlet(c) is c_k/A times that of Dirichlet(c + e_k).
    """
    step = max(1, COPIES // max(1, int(sizes_of(post.offsets).max(initial=0)) ** 2))
    parts = (np.arange(begin, min(begin + step, post.n_cases)) for begin in range(0, post.n_cases, step))
    return np.concatenate([np.empty(0), *(_largest_of(post.take(rows)) for rows in parts)])


def _largest_of(post: Dirichlet) -> Array:
    """Return E max λ (N,) by one integral for each distinct concentration of a case; which class has it does not matter."""
    law = _law(post)
    order = np.lexsort((law.own, law.row))
    row, own = law.row[order], law.own[order]
    new = np.append(True, (row[1:] != row[:-1]) | (own[1:] != own[:-1]))[: len(row)]
    first, place = np.flatnonzero(new), np.arange(len(row)) - post.offsets[:-1][row]
    others = np.flatnonzero((law.alike > 0) & (law.rest > 0))
    case = np.concatenate([row[first], others])  # of each posterior with one more label
    times = np.concatenate([np.diff(np.append(first, len(row))), law.alike[others]])
    offsets, at = take(post.offsets, case)
    sizes, extra = sizes_of(offsets), np.repeat([0, 1], [len(first), len(others)])
    starts = offsets_of(sizes + extra)
    values, index = np.empty(starts[-1]), np.empty(starts[-1], np.int32)
    listed = starts[:-1][row_of(offsets)] + np.arange(len(at)) - offsets[:-1][row_of(offsets)]
    values[listed], index[listed] = own[at], place[at]
    raised = starts[:-1] + np.concatenate([place[first], sizes[len(first) :]])
    values[raised[len(first) :]], index[raised[len(first) :]] = law.rest[others], sizes[len(first) :]
    share = values[raised] / law.total[case]
    values[raised] += 1.0
    axes = Axes(np.arange(len(case), dtype=np.int64), post.axes.classes, True)
    later = type(post)(axes, starts, index, values, law.rest[case])
    found = np.bincount(case, times * share * later._memberships(1)[0][raised], post.n_cases)
    return np.where(post.defined, found, np.nan)


def annotation_after(post: Dirichlet, n_annotators: int, loss: LabelLoss, reliability: float) -> Array:
    """Return what annotations are expected to leave open (N,) after labels of n more annotators, each of which adds γ.

    With C = A/γ it is in closed form for the quadratic loss: ``E Σ p² = Σ p² + (1 - Σ p²) n / ((C + 1)(C + n))``. The entropy is a sum
    over classes, whose numbers of new labels have beta-binomial laws. For the 0/1 loss all labels that they could give are enumerated.
    """
    found = post.distinct
    if found is None:
        return _after(post, n_annotators, loss, reliability)
    return _after(post.take(found[0]), n_annotators, loss, reliability)[found[1]]


def _after(post: Dirichlet, n_annotators: int, loss: LabelLoss, reliability: float) -> Array:
    if loss is LOSSES["log"]:
        return _entropy_after(post, n_annotators, reliability)
    if loss is not LOSSES["quadratic"]:
        return expected_after(post, n_annotators, reliability, lambda later: parts_of(later, loss).annotation)
    total, size = parts_of(post, loss).total, _law(post).total / reliability
    left = total * (1.0 - n_annotators / ((size + 1.0) * (size + n_annotators)))
    return np.asarray(left / (reliability * (size + n_annotators) + 1.0))


def _entropy_after(post: Dirichlet, n: int, gamma: float) -> Array:
    """Return the expectation (N,) of ``H(p) - E H(λ)`` after n labels, class by class."""
    from scipy.special import digamma  # noqa: PLC0415  (scipy is slow to import)

    law = _law(post)
    of, unlisted = law.total[law.row], np.where(law.alike > 0, law.rest, 0.0)
    pairs, at = np.unique(np.stack([np.append(law.own, unlisted), np.append(of, law.total)], axis=1), axis=0, return_inverse=True)
    value = np.zeros(len(pairs))
    step = max(1, COPIES // (n + 1))
    for begin in range(0, len(pairs), step):
        own, total = (column[:, None] for column in pairs[begin : begin + step].T)
        later = own + gamma * np.arange(n + 1)
        share = later / (total + gamma * n)
        least = share * (digamma(later + 1.0) + surprise(share))  # of a class: what it adds to H(p) and takes from E H
        value[begin : begin + step] = (_counts(n, own / gamma, total / gamma) * least).sum(axis=1)
    value = value[at.reshape(-1)]
    found = law.added(value[: len(of)], value[len(of) :]) - digamma(law.total + gamma * n + 1.0)
    return np.asarray(np.maximum(found, 0.0))


def _counts(n: int, own: Array, total: Array) -> Array:
    """Return the probabilities (P, n + 1) that a class with concentration (P, 1) of a total gets 0 to n of n labels: beta-binomial."""
    from scipy.special import betaln, gammaln  # noqa: PLC0415  (scipy is slow to import)

    s, other = np.arange(n + 1), total - own
    alone, never = other <= 1e-14 * total, own <= 0
    a, b = np.where(never | alone, 1.0, own), np.where(never | alone, 1.0, other)
    ways = gammaln(n + 1.0) - gammaln(s + 1.0) - gammaln(n - s + 1.0)
    found = np.exp(ways + betaln(a + s, b + n - s) - betaln(a, b))
    found = np.where(alone, s == n, np.where(never, s == 0, found))
    return np.where(np.isnan(total), np.nan, found / found.sum(axis=1, keepdims=True))
