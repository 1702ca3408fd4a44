"""Plackett–Luce with ties: posterior modes and maximum-likelihood estimates of plausibilities."""

from __future__ import annotations

import numpy as np

from .._base import checks, parallel
from .._base.arrays import Array, Bools
from .._base.names import listed
from .._base.ragged import row_of, sizes_of
from .._core import _plackett_luce as core
from ..annotations import Rankings
from ..plausibilities import Point
from ..plausibilities.draws import REST
from .plackett_luce_input import UNRANKED, classes_of, prior_of, stages_of, tempering_of, weighted_rankings

CHUNK = 128  # cases in a chunk: some milliseconds


def plackett_luce_map(
    rankings: object,
    *,
    reliability: object = 1.0,
    prior_shape: float | None = None,
    prior_mass: float | None = None,
    prior_rate: float = 1.0,
    unranked: str = "individual",
) -> Point:
    r"""Return the most probable plausibilities under Plackett–Luce with ties: the mode of the posterior in log λ.

    The estimate maximises ``γ Σ log p(ranking | λ) + Σ_k (a log λ_k - rate λ_k)`` over log λ, with the likelihood
    of :func:`plackett_luce_log_likelihood`; the result is ``λ / Σλ``.

    Parameters
    ----------
    rankings, reliability, prior_shape, prior_mass, prior_rate, unranked
        As for :func:`plackett_luce`.

    Returns
    -------
    Point
        Plausibilities (N, K) that add up to 1. With ``"individual"`` and ``"lump"`` all K classes of every case are listed
        (12 bytes each), also for a case without annotations, in which they are equal. With ``"ignore"`` only mentioned classes are
        listed, and a case without any is undefined (NaN).

    Raises
    ------
    TypeError, ValueError
        As for :func:`plackett_luce`.
    ArithmeticError
        If plausibilities of a case differ by more orders of magnitude than doubles can represent: the prior is some 1e9 times
        weaker than the annotations, or annotators agree on the order of dozens of classes.

    Notes
    -----
    The objective is strictly concave in log λ, also with ties, so that the mode is unique. (The mode in λ itself differs: with a < 1 it
    sets classes to 0.) Newton's method takes 3 to 11 steps on real data, until no log λ changes by more than 1e-7; each step squares the
    error. The relative error is about 1e-13, and at most 1e-6 if almost only a very weak prior connects classes. Mentioned classes of a
    case within 1e-12 of each other get one value, so that symmetric rankings give ties.

    With one class from each annotator (c_k votes, n in all) the mode is ``(a + γ c_k) / (aK + γ n)``, the mean of the exact
    Dirichlet posterior. A point estimate does not show the uncertainty of the truth: see :func:`plackett_luce`.

    References
    ----------
    Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth: a case study in dermatology", B.4.

    Examples
    --------
    >>> import ugt
    >>> rankings = ugt.Rankings.from_blocks([[[[0], [1, 2]], [[0]], [[1]]]], n_classes=5)
    >>> ugt.papers.plackett_luce_map(rankings).mean().round(3).tolist()
    [[0.55, 0.312, 0.105, 0.016, 0.016]]
    """
    given, gamma, weights = weighted_rankings(rankings, reliability)
    shape = prior_of(prior_shape, prior_mass, given.n_classes)
    prior_rate = checks.scalar("prior_rate", prior_rate, positive=True)
    checks.option("unranked", unranked, UNRANKED)
    if unranked != "ignore":
        what = "the plausibilities of all classes (unranked='ignore': of mentioned ones only)"
        checks.room(what, 20 * given.n_cases * given.n_classes)
    stages = stages_of(given, unranked != "ignore", weights)
    values = _modes(given, stages, gamma, np.full(given.n_cases, shape), REST[unranked])
    return _mentioned(given, stages, values) if unranked == "ignore" else _all_classes(given, stages, values)


def plackett_luce_mle(
    rankings: object,
    *,
    reliability: object = 1.0,
    tempering: float = 1.0,
    on_nonexistence: str = "error",
    prior_shape: float | None = None,
    prior_mass: float | None = None,
) -> Point:
    r"""Return maximum-likelihood plausibilities under Plackett–Luce with ties, over the mentioned classes of each case.

    The estimate maximises ``Σ log p(ranking | λ)`` over ``λ / Σλ``, with the likelihood of :func:`plackett_luce_log_likelihood`
    without the other classes.

    Parameters
    ----------
    rankings : Rankings or Labels
        As for :func:`plackett_luce`, with the same errors.
    reliability : float, mapping of annotator to float, or array
        As for :func:`plackett_luce`. A single number changes only the estimates of ``"map"``.
    tempering : float
        As for :func:`plackett_luce`: the result is the estimate of ``λ^t`` to the power 1/t.
    on_nonexistence : {"error", "map"}
        What to do with a case without an estimate: raise an error (default), or use ``plackett_luce_map(…, unranked="ignore")``.
    prior_shape, prior_mass : float, optional
        The prior of ``"map"``, as in :func:`plackett_luce_map`.

    Returns
    -------
    Point
        Plausibilities (N, K) that add up to 1; 0 for unmentioned classes; a case without mentioned classes is undefined (NaN).

    Raises
    ------
    ValueError
        If a case has no estimate: the message names the first such case and its classes before which no other mentioned class is
        ever placed. If ``on_nonexistence`` is unknown, or a prior is not above 0 or is given without ``"map"``.
    ArithmeticError
        As for :func:`plackett_luce_map`.

    Notes
    -----
    The estimate exists and is unique if and only if the graph with an edge from each class to those that some annotator
    placed in a later block or left out is strongly connected. Else the likelihood never falls as some classes rise above all
    others, so that it has no maximum. Of the 1,816 cases of the dermatology data that mention several classes, 1,274 have an
    estimate; over all K classes no case has one.

    References
    ----------
    Hunter (2004), "MM algorithms for generalized Bradley–Terry models", The Annals of Statistics 32, assumption 1.

    Examples
    --------
    >>> import ugt
    >>> rankings = ugt.Rankings.from_blocks([[[[0], [1]], [[0]], [[1]]]], n_classes=5)
    >>> ugt.truth.plackett_luce_mle(rankings).mean().round(3).tolist()
    [[0.667, 0.333, 0.0, 0.0, 0.0]]
    """
    given, gamma, weights = weighted_rankings(rankings, reliability)
    tempered = tempering_of(tempering)
    if tempered != 1 and on_nonexistence == "map":
        raise checks.error("tempering", "be 1 with on_nonexistence='map'", repr(tempering))
    checks.option("on_nonexistence", on_nonexistence, ("error", "map"))
    for name, prior in (("prior_shape", prior_shape), ("prior_mass", prior_mass)):
        if prior is not None and on_nonexistence == "error":
            raise checks.error(name, "be given only with on_nonexistence='map'", repr(prior))
    shape = prior_of(prior_shape, prior_mass, given.n_classes)
    stages = stages_of(given, False, weights)
    exists, unbeaten = _existence(stages)
    if on_nonexistence == "error" and not exists.all():
        raise _no_estimate(given, stages, exists, unbeaten)
    found = _mentioned(given, stages, _modes(given, stages, gamma, np.where(exists, 0.0, shape), REST["ignore"]))
    if tempered == 1:
        return found
    row, value = row_of(found.offsets), found.value ** (1 / tempered)
    return Point(given.axes, found.offsets, found.index, value / np.bincount(row, value, given.n_cases)[row])


def _modes(rankings: Rankings, stages: core.Stages, reliability: float, shape: Array, rest: int) -> Array:
    """Return the plausibilities of the mentioned classes of each case and, after them, of all others."""
    values = np.empty(stages.n_mentioned() + stages.n_cases)

    def part(begin: int, end: int) -> None:
        stopped = stages.map(reliability, shape, rest, begin, end, values)
        if stopped >= 0:
            raise ArithmeticError(
                f"the estimate of case {rankings.axes.case_name(stopped)} is outside the range or precision of floating point: "
                "its plausibilities differ by too many orders of magnitude. Use a stronger prior or a lower reliability."
            )

    parallel.run(part, rankings.n_cases, CHUNK, "point estimates")
    return values


def _mentioned(rankings: Rankings, stages: core.Stages, values: Array) -> Point:
    offsets, index = classes_of(stages)
    return Point(rankings.axes, offsets, index, values[np.arange(len(index)) + row_of(offsets)])


def _all_classes(rankings: Rankings, stages: core.Stages, values: Array) -> Point:
    """Return the plausibilities of all classes; unmentioned classes share theirs equally."""
    offsets, index = classes_of(stages)
    n, k, row = rankings.n_cases, rankings.n_classes, row_of(offsets)
    table = np.repeat(values[offsets[1:] + np.arange(n)] / np.maximum(k - sizes_of(offsets), 1), k)
    table[row * k + index] = values[np.arange(len(index)) + row]
    every = np.tile(np.arange(k, dtype=np.int32), n)
    table.flags.writeable = every.flags.writeable = False  # else the record would copy them
    return Point(rankings.axes, np.arange(n + 1, dtype=np.int64) * k, every, table)


def _existence(stages: core.Stages) -> tuple[Bools, Bools]:
    """Return whether the estimate of each case exists (N,), and the classes before which no other one is placed."""
    offsets, index = classes_of(stages)
    unbeaten = np.empty(len(index), np.uint8)
    stages.unbeaten(unbeaten)
    return np.bincount(row_of(offsets), unbeaten, stages.n_cases) == sizes_of(offsets), unbeaten.astype(bool)


def _no_estimate(rankings: Rankings, stages: core.Stages, exists: Bools, unbeaten: Bools) -> ValueError:
    offsets, index = classes_of(stages)
    i, axes = int(np.argmin(exists)), rankings.axes
    here = slice(offsets[i], offsets[i + 1])
    names = [axes.class_name(k) for k in index[here][unbeaten[here]]]
    must = "place another class before each class and each group of classes that a case mentions, or on_nonexistence be 'map'"
    got = f"none before {listed(names)} ({np.count_nonzero(~exists)} of {len(exists)} cases are of this kind)"
    return checks.error("rankings", must, got, f"case {axes.case_name(i)}")
