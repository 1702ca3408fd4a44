"""A model alone against readers, with the same truth and cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable

import numpy as np

from .._base import checks, identifiers, notices
from .._base.arrays import Array, NDArray
from .._base.axes import Frozen
from .._base.notes import Note
from ..annotations.joins import tells_joins
from ..resampling import check_level, ids_of_cases
from .both_random import OF_A_MODEL, ReadersAndCases, deciding_cases, few_deciding, two_readers
from .claims import ReaderVerdict, population, verdict_of
from .covariances import covariance_of
from .differences import MarginClaim, ReaderDifference, ReaderFigure, differences, figure_record, turned
from .figures import ReadingCells, threshold_of
from .obuchowski_rockette import ALIKE, BOTH, CASES, READERS, Analysis, ErrorCovariances, Estimated, by_parts, estimated
from .readings import Readings
from .study_input import StudyInput, checked_resamples, chosen_covariance, left_out_resamples, study_input
from .truth import panel_variance


@dataclass(frozen=True, eq=False, repr=False)
class AgainstReaders(Frozen):
    """The comparison of a model with the readers of one test; made by :func:`against_readers`.

    Attributes
    ----------
    difference : ReaderDifference
        The model's figure less the mean of the readers.
    model, readers : ReaderFigure
        The model's figure, whose interval is over cases, and the mean of the readers.
    claim : MarginClaim or None
        Non-inferiority of the model at the given margin.
    figures : (R,) array
        The figure of each reader.
    reader_ids : (R,) array
        Readers who were not left out.
    random : tuple of str
        Factors that were random: the population that the intervals are for.
    covariance_method : str
    n_cases : int
    left_out : mapping of reason to number
    notes : tuple of notes
        Limits to state with the numbers.

    Examples
    --------
    >>> import ugt
    >>> a = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> scores = [0.1, 0.2, 0.6, 0.9, 0.2, 0.1, 0.7, 0.8, 0.9, 0.6]
    >>> found = ugt.studies.against_readers([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], ugt.studies.Readings.from_array([a]), scores)
    >>> round(found.model.value, 3), found.figures.round(3)
    (0.88, array([0.8 , 0.88, 0.94]))
    """

    difference: ReaderDifference
    model: ReaderFigure
    readers: ReaderFigure
    claim: MarginClaim | None
    figures: Array
    reader_ids: NDArray[Any]
    random: tuple[str, ...]
    covariance_method: str
    n_cases: int
    left_out: Mapping[str, int]
    notes: tuple[Note, ...]

    @property
    def verdict(self) -> ReaderVerdict | None:
        """Whether the model or the mean of the readers is ahead, and for whom; None if cases are fixed."""
        return verdict_of([turned(self.difference) if self.difference.value < 0 else self.difference])


@tells_joins
def against_readers(
    truth: object,
    readings: Readings,
    scores: object,
    *,
    margin: float | None = None,
    test: object = None,
    figure: str | Callable[[Array, Array], Any] = "soft_auroc",
    threshold: float | None = None,
    score_threshold: float | None = None,
    positive: object = None,
    random: Sequence[str] | None = None,
    covariance: str | None = None,
    clusters: object = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: object = 0,
) -> AgainstReaders:
    r"""Compare a model that reads alone with the mean of readers, if readers and cases are random.

    .. math:: d = \hatθ_{model} - \bar θ_{readers}, \quad V = \max(V_c + V_r - V_e, V_c, V_r)

    with :math:`V_c` the variance of d over cases with these readers, by the covariances of the R + 1 figures, :math:`V_r = MS_R / R` and
    :math:`V_e = (Var - Cov_2) / R`, which both include. Intervals are those of :class:`TwoWay`, with as many units as cases of the rarer
    kind for an AUROC or average precision.

    Parameters
    ----------
    truth, readings, figure, threshold, positive, random, covariance, clusters, n_resamples, seed
        As for :func:`reader_study`.
    scores : (N,) array, mapping of case id to score, or (case ids, scores)
        The model's scores of all cases that were read, higher for the positive class, on any scale.
    margin : float, optional
        Margin of the claim of non-inferiority: the model is worse than the mean of the readers by less than it, at one-sided ``level``.
    test : id, optional
        The test of the readings; needed if they hold several.
    score_threshold : float, optional
        Scores of at least this number call a case positive, for figures with a ``threshold``. Default: ``threshold``.
    level : float
        Level of intervals, and one-sided level of the claim.

    Returns
    -------
    AgainstReaders

    Raises
    ------
    ValueError
        As :func:`reader_study`; if the test is unknown or not given, or if a case that was read has no finite score.

    Notes
    -----
    The mean of readers is not the best reader. Readers and model must have seen the same information, and the model must not have been
    trained on these readers' labels. If readers are fixed (``random=("cases",)``), the interval is for these readers.

    References
    ----------
    Obuchowski & Rockette (1995); Hillis (2007), as for :func:`reader_study`; the variance is that of a contrast of R + 1 figures, with the
    same parts.

    Examples
    --------
    >>> import ugt
    >>> a = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> scores = [0.1, 0.2, 0.6, 0.9, 0.2, 0.1, 0.7, 0.8, 0.9, 0.6]
    >>> found = ugt.studies.against_readers([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], ugt.studies.Readings.from_array([a]), scores, margin=0.05)
    >>> round(found.difference.value, 3), [round(end, 3) for end in found.difference.interval()], found.claim.decision
    (0.007, [-0.315, 0.329], False)
    """
    level = check_level(level)
    n_resamples = checked_resamples(n_resamples, seed)
    if margin is not None:
        margin = checks.scalar("margin", margin)
    if not isinstance(readings, Readings):
        raise checks.error("readings", "be Readings, such as from Readings.from_long", type(readings).__name__)
    one = _of_test(readings, test)
    model = _scores(scores, one)
    if score_threshold is not None:
        own = checks.finite("score_threshold", score_threshold)
        threshold = threshold_of(figure, threshold, one.rating)
        if threshold is None:
            must = "be left out for a figure without threshold (sensitivity, specificity and accuracy have one)"
            raise checks.error("score_threshold", must, score_threshold)
        model = model - own + threshold
    elif (cut := threshold_of(figure, threshold, one.rating)) is not None:
        _check_scale(model, one, cut)
    given = study_input(truth, one, figure, threshold, positive, random, clusters)
    return _Compared(given, model[given.at]).answer(covariance, level, margin, n_resamples, seed)


def _check_scale(model: Array, readings: Readings, threshold: float) -> None:
    """Reject the readers' threshold for scores that are none of the readers' ratings, and so may be on another scale."""
    other = ~(np.isnan(model) | np.isin(model, readings.rating[readings.read]))
    if other.any():
        i = int(np.argmax(other))
        must = f"be given for scores that are on another scale than the ratings, whose threshold is {threshold:g}"
        got = f"none, and the score {model[i]:g}, which is no reader's rating"
        raise checks.error("score_threshold", must, got, f"case {identifiers.name(readings.case_ids[i])}")


def _of_test(readings: Readings, test: object) -> Readings:
    if test is None and len(readings.tests) > 1:
        raise checks.error("test", f"be one of {', '.join(map(identifiers.name, readings.tests))}", None)
    t = 0 if test is None else readings.test_position(test)
    there = readings.read[t].any(axis=1)
    return replace(readings, tests=readings.tests[[t]], readers=readings.readers[there], rating=readings.rating[t : t + 1, there])


def _scores(scores: object, readings: Readings) -> Array:
    """Return the scores of all (N,) cases; cases that nobody read need none."""
    given = ids_of_cases("scores", scores, readings.n_cases, readings.case_ids, what="a score")
    try:
        found = given.astype(np.float64)
    except (TypeError, ValueError):
        raise checks.error("scores", "be numbers", repr(given.reshape(-1)[0])) from None
    wrong = ~np.isfinite(found) & readings.read.any(axis=(0, 1))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise checks.error("scores", "be finite for every case that was read", found[i], f"case {identifiers.name(readings.case_ids[i])}")
    return np.where(readings.read.any(axis=(0, 1)), found, np.nan)


class _Compared:
    """R readers and a model, the last row of ratings (R + 1, N)."""

    def __init__(self, given: StudyInput, model: Array) -> None:
        self.given = given
        self.rating = np.concatenate([given.rating[0], model[None]])

    def figures(self, p: Array) -> Array:
        """Return the (R + 1,) figures under this truth."""
        return self.given.figure.values(ReadingCells.of(self.rating, p))

    def answer(self, covariance: object, level: float, margin: float | None, n_resamples: Any, seed: Any) -> AgainstReaders:
        given, factors, notes = self.given, self.given.factors, list(self.given.notes)
        values, cells = self.figures(given.truth.p), ReadingCells.of(self.rating, given.truth.p)
        r, way, table = len(values) - 1, "none", np.full((len(values),) * 2, math.nan)
        if math.isnan(values[-1]):
            raise checks.error("scores", "have a defined figure", "none: the figure of the model is undefined")
        if "cases" in factors:
            way = chosen_covariance(covariance, given, cells)
            table, undefined = covariance_of(given.figure, cells, way, given.unit, given.clustered, n_resamples, seed)
            notes += left_out_resamples(undefined)
        deciding = deciding_cases(given.figure, cells, given.unit)
        notes += few_deciding(deciding, OF_A_MODEL) if "cases" in factors else []
        notes += two_readers(np.array([r])) if factors == BOTH else []
        found = _variance(values, table, factors, deciding)
        errors = ErrorCovariances.of(table[:-1, :-1], np.ones((1, r), bool), "")
        alone = Analysis(values[None, :-1], errors, False, factors).one_test(0)
        model = estimated(float(values[-1]), float(table[-1, -1]), math.inf)
        if factors == READERS:
            model = Estimated(float(values[-1]), math.nan, math.nan, "cases are fixed: the figure of a model has no variance")
        if "annotators" in given.random:
            found, alone, model = (self._with_panel(one, at) for at, one in enumerate((found, alone, model)))
        people = population(given, (r,), _variance(values, table, CASES, deciding).variance)
        (difference,) = differences({("model", "readers"): (found, people)}, level, given.figure.bounded)
        if difference.reason:
            notices.undefined(difference.reason, stacklevel=4)
        notes += given.reversed({"model": model.value, "readers": alone.value})
        bounded, n = given.figure.bounded, len(given.unit)
        return AgainstReaders(
            difference, figure_record("model", model, 0, level, bounded, False),
            figure_record(given.tests[0], alone, r, level, bounded, False),
            None if margin is None else difference.non_inferiority(margin, level=level),
            values[:-1], given.readers, given.random, way, n, given.left_out, tuple(dict.fromkeys(notes)),
        )  # fmt: skip

    def _with_panel(self, one: Estimated, at: int) -> Estimated:
        """Return the difference, the readers or the model (``at``), with the annotators' part of the variance of the truth."""
        assert self.given.truth.without is not None and self.given.truth.share is not None

        def number(p: Array) -> float:
            own = self.figures(p)
            return float((own[-1] - own[:-1].mean(), own[:-1].mean(), own[-1])[at])

        without = np.array([number(p) for p in self.given.truth.without])
        variance = panel_variance(np.asarray(one.value), without, self.given.truth.share)
        return one.plus(float(variance), len(without) - 1.0, "the figure is undefined without one of the annotators of the truth")


def _variance(values: Array, table: Array, factors: tuple[str, ...], deciding: float) -> Estimated:
    """Return the figure of the model, the last one, less the mean of the readers."""
    r = len(values) - 1
    value = float(values[-1] - values[:-1].mean())
    contrast = np.append(np.full(r, -1 / r), 1.0)
    over_cases = float(contrast @ table @ contrast)
    if factors == CASES:
        return estimated(value, over_cases, math.inf)
    square = float(values[:-1].var(ddof=1))
    if factors == READERS:
        return estimated(value, square / r, r - 1.0 if square > ALIKE else math.inf)
    of_one = float(np.trace(table[:-1, :-1])) / r
    of_two = (float(table[:-1, :-1].sum()) - r * of_one) / (r * (r - 1))
    return by_parts(value, ReadersAndCases(over_cases, square / r, max(of_one - of_two, 0.0) / r, deciding, r))
