"""Generated data: annotations and predictions with a known truth, for the demo, for tests and for the simulation of a planned study.

All numbers come from uniforms of the library's own streams, so that a seed gives the same data on every numpy version.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._base.arrays import Array, Int64, NDArray
from ._base.checks import error
from ._core._stream import Stream
from .annotations import Labels, Rankings, Ratings

__all__ = ["agreement", "make_counts", "make_demo", "make_labels", "make_predictions", "make_rankings", "make_ratings"]

PURPOSE = 3  # UGT_PURPOSE_SYNTHETIC of ugt.h: no other part of the library uses these streams

# The use of a block of uniforms, so that the truth, the annotations and the predictions of one seed are independent.
TRUTH, ANNOTATIONS, PREDICTIONS = range(3)


def make_labels(n_cases: int, n_classes: int, n_annotators: int, *, difficulty: float = 0.2, seed: int = 0) -> tuple[Labels, Array]:
    """Return labels that annotators draw from the true plausibilities of each case, and these plausibilities.

    Parameters
    ----------
    n_cases, n_classes, n_annotators : int
        Numbers of cases, classes and annotators; every annotator labels every case once.
    difficulty : float, in (0, 1)
        Mean plausibility that is not on the main class of a case: most cases have one clear class, some do not.
    seed : int
        Random seed.

    Returns
    -------
    labels, truth : Labels, (n_cases, n_classes) array
        The labels, and the true plausibilities, whose rows sum to 1.

    Notes
    -----
    λ = (1 − w)·e_z + w·q with z uniform, q ~ Dirichlet(a, …, a), a = min(1/2, 3/K), and w = U^((1 − d)/d), so that E w = d.

    Examples
    --------
    >>> labels, truth = make_labels(100, 5, 3)
    >>> labels.n_labels, truth.shape
    (300, (100, 5))
    """
    truth = _truth(n_cases, n_classes, difficulty, seed)
    table = _labelled(truth, _positive("n_annotators", n_annotators), seed)
    return Labels.from_wide(table, classes=n_classes), truth


def make_counts(
    n_cases: int = 10_000, n_classes: int = 10, n_labels: int = 50, *, difficulty: float = 0.05, seed: int = 0
) -> tuple[Labels, Array]:
    """Return label counts without annotators, in many cases of one class only; the defaults resemble CIFAR-10H.

    Parameters
    ----------
    n_cases, n_classes, n_labels : int
        Numbers of cases, of classes and of labels per case.
    difficulty, seed
        As in :func:`make_labels`.

    Returns
    -------
    labels, truth : Labels, (n_cases, n_classes) array
        As from :func:`make_labels`.

    Examples
    --------
    >>> labels, truth = make_counts(20, 3, 50)
    >>> labels.counts().sum(axis=1).tolist() == [50] * 20
    True
    """
    truth = _truth(n_cases, n_classes, difficulty, seed)
    cells = _labelled(truth, _positive("n_labels", n_labels), seed) + np.arange(n_cases, dtype=np.int64)[:, None] * n_classes
    return Labels.from_counts(np.bincount(cells.ravel(), minlength=truth.size).reshape(truth.shape)), truth


def make_rankings(
    n_cases: int, n_classes: int, n_annotators: int, *, depth: int = 3, tie_width: float = 0.3, difficulty: float = 0.3, seed: int = 0
) -> tuple[Rankings, Array]:
    """Return partial rankings with ties by annotators who follow the true plausibilities of each case, and these plausibilities.

    Parameters
    ----------
    n_cases, n_classes, n_annotators : int
        Numbers of cases, classes and annotators; every annotator ranks classes for every case.
    depth : int
        Largest number of classes that an annotator ranks; the numbers 1 to ``depth`` are equally likely.
    tie_width : float, > 0
        Classes are tied if the logarithms of their arrival times, rounded down to multiples of ``tie_width``, are equal.
    difficulty, seed
        As in :func:`make_labels`.

    Returns
    -------
    rankings, truth : Rankings, (n_cases, n_classes) array

    Notes
    -----
    Plackett–Luce: class k arrives after an exponential time of rate λ_k; an annotator ranks the first arrivals in order of arrival.

    Examples
    --------
    >>> rankings, truth = make_rankings(50, 10, 4)
    >>> rankings.n_cases, truth.shape
    (50, (50, 10))
    """
    truth = _truth(n_cases, n_classes, difficulty, seed)
    depth = min(_positive("depth", depth), n_classes)
    if not tie_width > 0:
        raise error("tie_width", "be positive", tie_width)
    rate = np.maximum(truth, np.finfo(float).tiny)
    columns: list[tuple[NDArray[Any], ...]] = []
    for annotator in range(_positive("n_annotators", n_annotators)):
        u = _uniforms(seed, ANNOTATIONS, annotator, (n_cases, n_classes + 1))
        log_time = np.log(-np.log(u[:, :-1])) - np.log(rate)
        first = np.argsort(log_time, axis=1)[:, :depth]
        rank = np.floor(np.take_along_axis(log_time, first, axis=1) / tie_width)
        case, place = np.nonzero(np.arange(depth) < 1 + np.floor(depth * u[:, -1:]))
        columns.append((case, np.full(len(case), annotator), first[case, place], rank[case, place]))
    case, annotators, label, rank = (np.concatenate(column) for column in zip(*columns))
    cases = np.arange(n_cases, dtype=np.int64)
    return Rankings.from_long(case, annotators, label, confidence=-rank, classes=n_classes, cases=cases, offered="all"), truth


def make_ratings(
    n_cases: int = 1000, n_annotators: int = 10, *, low: float = -2, high: float = 2, step: float = 1, seed: int = 0
) -> tuple[Ratings, Array]:
    """Return ratings on a scale with steps: normal around the mean of each case, then rounded and cut to the scale.

    Parameters
    ----------
    n_cases, n_annotators : int
        Numbers of cases and annotators. The defaults resemble comments rated for toxicity; 200 annotators on a scale from 1 to 10
        resemble photographs rated for beauty.
    low, high, step : float
        Ends of the scale and its step; with step 0 ratings are not rounded.
    seed : int
        Random seed.

    Returns
    -------
    ratings, truth : Ratings, (n_cases, 2) array
        The ratings, and the mean and standard deviation of each case before rounding and cutting.

    Examples
    --------
    >>> ratings, truth = make_ratings(3, 4, low=1, high=10)
    >>> ratings, truth.shape
    (Ratings(n_cases=3, n_empty=0, n_ratings=12, n_annotators=4), (3, 2))
    """
    from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

    _positive("n_cases", n_cases)
    _positive("n_annotators", n_annotators)
    if not low < high or step < 0:
        raise error("low, high and step", "have low < high and step >= 0", (low, high, step))
    width = high - low
    u = _uniforms(seed, TRUTH, 0, (n_cases, 2))
    mean = (low + high) / 2 + width / 5 * ndtri(u[:, 0])
    deviation = width / 6 * np.exp(0.3 * ndtri(u[:, 1]))
    table = mean[:, None] + deviation[:, None] * ndtri(_uniforms(seed, ANNOTATIONS, 0, (n_cases, n_annotators)))
    if step:
        table = low + step * np.rint((table - low) / step)
    return Ratings.from_wide(np.clip(table, low, high)), np.stack([mean, deviation], axis=1)


def make_predictions(truth: Array, *, skill: float | Array = 0.8, seed: int = 0) -> Array:
    """Return class probabilities of a model whose skill says how well it knows the truth.

    Parameters
    ----------
    truth : (N, K) array
        True plausibilities.
    skill : float or (N,) array, in [0, 1]
        1: the truth (slightly smoothed); 0: noise only. With an array, each case has its own skill.
    seed : int
        Random seed.

    Returns
    -------
    (N, K) array
        Rows sum to 1.

    Notes
    -----
    Softmax of s·log(λ + 0.01) + (1 − s)·2·G with G standard Gumbel.

    Examples
    --------
    >>> _, truth = make_labels(100, 5, 3)
    >>> probabilities = make_predictions(truth, skill=0.9, seed=1)
    >>> bool(abs(probabilities.sum(axis=1) - 1).max() < 1e-12)
    True
    """
    truth = np.asarray(truth, dtype=np.float64)
    if truth.ndim != 2 or not (truth >= 0).all():
        raise error("truth", "be a table of non-negative numbers, cases x classes", f"shape {truth.shape}")
    share = np.broadcast_to(np.asarray(skill, dtype=np.float64), (len(truth),))[:, None]
    if not ((share >= 0) & (share <= 1)).all():
        raise error("skill", "lie between 0 and 1", skill)
    noise = -np.log(-np.log(_uniforms(seed, PREDICTIONS, 0, truth.shape)))
    logits = share * np.log(truth + 0.01) + (1 - share) * 2 * noise
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def make_demo(*, seed: int = 0) -> tuple[Rankings, dict[str, Array], Array]:
    """Return 2,000 ranked cases and three models, of which one is good at clear cases and one at unclear cases.

    Parameters
    ----------
    seed : int
        Random seed.

    Returns
    -------
    rankings, models, truth : Rankings, dict of name to (2000, 20) array, (2000, 20) array

    Examples
    --------
    >>> rankings, models, truth = make_demo()
    >>> list(models)
    ['clear-cut', 'broad', 'baseline']
    """
    rankings, truth = make_rankings(2000, 20, 5, seed=seed)
    clear = truth.max(axis=1) > 0.8
    skills = {"clear-cut": np.where(clear, 0.95, 0.77), "broad": np.where(clear, 0.70, 0.95), "baseline": np.full(len(truth), 0.65)}
    models = {name: make_predictions(truth, skill=skill, seed=3 * seed + i) for i, (name, skill) in enumerate(skills.items(), start=1)}
    return rankings, models, truth


def agreement(truth: Array, scores: Array) -> float:
    """Return how often one more annotator would agree with a model's first choice: the mean true plausibility of that choice.

    Parameters
    ----------
    truth, scores : (N, K) arrays

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> agreement([[0.75, 0.25], [0.5, 0.5]], [[3, 1], [0, 9]])
    0.625
    """
    return float(np.take_along_axis(np.asarray(truth), np.argmax(scores, axis=1)[:, None], axis=1).mean())


def _truth(n_cases: int, n_classes: int, difficulty: float, seed: int) -> Array:
    from scipy.special import gammaincinv  # noqa: PLC0415  (scipy is slow to import)

    _positive("n_cases", n_cases)
    _positive("n_classes", n_classes)
    if not 0 < difficulty < 1:
        raise error("difficulty", "lie between 0 and 1", difficulty)
    u = _uniforms(seed, TRUTH, 0, (n_cases, n_classes + 2))
    gammas = gammaincinv(min(0.5, 3 / n_classes), u[:, 2:])
    share = u[:, 1:2] ** ((1 - difficulty) / difficulty)
    truth: Array = share * gammas / gammas.sum(axis=1, keepdims=True)
    truth[np.arange(n_cases), (u[:, 0] * n_classes).astype(np.int64)] += 1 - share[:, 0]
    return truth


def _labelled(truth: Array, n_labels: int, seed: int) -> Int64:
    """Return classes drawn from each row of the truth, (cases, labels)."""
    u = _uniforms(seed, ANNOTATIONS, 0, (len(truth), n_labels))
    below = np.cumsum(truth, axis=1)[:, :-1]  # the last class takes what rounding leaves
    return np.column_stack([(u[:, j, None] > below).sum(axis=1) for j in range(n_labels)])


def _uniforms(seed: int, use: int, part: int, shape: tuple[int, int]) -> Array:
    """Return uniforms in the open interval (0, 1), from a separate stream for each use and part."""
    u = np.empty(shape)
    Stream(seed, case_key=part, chain=use, purpose=PURPOSE).uniform(u.reshape(-1))
    return u


def _positive(argument: str, value: int) -> int:
    if value < 1:
        raise error(argument, "be at least 1", value)
    return value
