"""The input of a reader study, checked, without readers who cannot be judged and cases that nobody read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.names import listed
from .._base.notes import Note
from .._base.wording import arg
from ..resampling import Design, few_clusters, ids_of_cases, seed_of
from .covariances import METHODS, without_units_of
from .figures import FigureOfMerit, ReadingCells, ShareOfCalls, SoftAuroc, figure_of
from .obuchowski_rockette import BOTH
from .readings import Readings
from .truth import CaseTruth, positive_note, read_truth

LEAST_CASES, FEW_READERS = 10, 5
UNREAD = "case that nobody read"
SINGLE = "annotator of the truth with a single label, whose part is unknown"
LEFT_OUT = "reader whose figure is undefined, or would be without one of the cases"
DRAWN = "The target is the AUROC against a truth drawn from these probabilities. Against the true classes it is usually higher."
SOFT_TARGET = Note("soft_target", DRAWN)
BY_ONE = "The truth is by one annotator, so that other annotators are not covered: intervals take these labels for the truth."
ONE_ANNOTATOR = Note("truth_by_one", BY_ONE)
REVERSED = "Below 0.5: {names}. Check whether the ratings are the other way round, or another class is the positive one (for a truth of "
REVERSED += "classes: " + arg("positive", ...) + ")."
REVERSED_CALLS = "Sensitivity and specificity of the readers add up to {total:.2f}, less than those of calls at random. Check whether the "
REVERSED_CALLS += "ratings are the other way round, or another class is the positive one (for a truth of classes: " + arg("positive", ...)
REVERSED_CALLS += ")."
GIVEN = "The probabilities of the truth are taken as given: intervals do not cover other annotators of the truth."
AS_GIVEN = Note("truth_as_given", GIVEN)


class StudyInput(NamedTuple):
    """The input of a reader study, checked: ratings (T, R, N) of the readers who count, p and units of the cases."""

    rating: Array
    tests: NDArray[Any]
    readers: NDArray[Any]
    case_ids: NDArray[Any]
    at: Int64  # positions of the cases in the readings
    truth: CaseTruth
    figure: FigureOfMerit
    random: tuple[str, ...]
    unit: Int64
    clustered: bool
    left_out: dict[str, int]
    notes: list[Note]

    @property
    def cells(self) -> ReadingCells:
        return ReadingCells.of(self.rating, self.truth.p)

    @property
    def factors(self) -> tuple[str, ...]:
        """The random ones of readers and cases."""
        return tuple(one for one in self.random if one != "annotators")

    def figures(self, p: Array) -> Array:
        """Return the (T, R) figures under this truth."""
        return self.figure.values(ReadingCells.of(self.rating, p)).reshape(self.rating.shape[:2])

    def reversed(self, values: Mapping[str, float]) -> list[Note]:
        """Return a note if one of these figures is an AUROC below 0.5."""
        low = [name for name, value in values.items() if value < 0.5] if isinstance(self.figure, SoftAuroc) else []
        if isinstance(self.figure, ShareOfCalls) and self.figure.name != "accuracy":
            both = sum(ShareOfCalls(name, self.figure.threshold).values(self.cells) for name in ("sensitivity", "specificity"))
            if np.nanmean(both) < 1:
                return [Note("reversed_calls", REVERSED_CALLS, total=float(np.nanmean(both)))]
        return [Note("reversed_ratings", REVERSED, names=listed(low))] if low else []


def study_input(
    truth: object, readings: Readings, figure: object, threshold: object, positive: object, random: object, clusters: object
) -> StudyInput:
    """Return the checked input, without the readers who cannot be judged."""
    if not isinstance(readings, Readings):
        raise checks.error("readings", "be Readings, such as from Readings.from_long", type(readings).__name__)
    found = read_truth(truth, readings, positive)
    one, (factors, notes) = figure_of(figure, threshold, readings.rating), _random_of(random, found)
    notes += positive_note(truth, positive)
    unit = np.arange(readings.n_cases)
    if clusters is not None:
        unit = Design.of(readings.n_cases, ids_of_cases("clusters", clusters, readings.n_cases, readings.case_ids)).unit.astype(np.int64)
    cases = readings.read.any(axis=(0, 1))
    n_unread = int((~cases).sum())
    if "cases" in factors:
        _check_cases(one, found.p[cases], unit[cases])
    out = _without_figure(one, found.p, readings.rating, unit if "cases" in factors else None)
    kept = np.flatnonzero(~out)
    if len(kept) < 2 and "readers" in factors:
        must = "have at least two readers with a figure for readers to be random"
        raise checks.error("readings", must, f"{len(kept)} of {len(out)}", way="or make them fixed: " + arg("random", ("cases",)))
    if len(kept) == 0:
        raise checks.error("readings", "have a reader with a figure", f"none of {len(out)}")
    cases = readings.read[:, kept].any(axis=(0, 1))
    at, found = np.flatnonzero(cases), found.take(cases)
    unit = np.unique(unit[at], return_inverse=True)[1].reshape(-1)
    if "cases" in factors:
        _check_cases(one, found.p, unit)
        notes += [said] if clusters is not None and (said := few_clusters(int(unit.max()) + 1)) else []
    if out.any():
        names = listed(map(str, readings.readers[out].tolist()))
        notes.append(Note("readers_left_out", "Left out: {names} ({reason}).", names=names, reason=LEFT_OUT))
    rating, readers = readings.rating[:, kept][:, :, at], readings.readers[kept]
    notes += _notes_on(rating, readers, factors)
    if not found.is_hard:
        notes += [SOFT_TARGET] if isinstance(one, SoftAuroc) else []
        notes += [AS_GIVEN] if "annotators" not in factors else []
    left_out = {reason: n for reason, n in ((LEFT_OUT, int(out.sum())), (UNREAD, n_unread), (SINGLE, found.single)) if n}
    return StudyInput(
        rating, readings.tests, readers, readings.case_ids[at], at, found, one, factors, unit, clusters is not None, left_out, notes
    )


def _check_cases(figure: FigureOfMerit, p: Array, unit: Int64) -> None:
    """Refuse cases as random if they are too few."""
    n_units = len(np.unique(unit))
    if n_units < LEAST_CASES:
        raise checks.error("readings", f"have at least {LEAST_CASES} cases (clusters) for cases to be random", n_units)
    if isinstance(figure, SoftAuroc) and min(p.sum(), (1 - p).sum()) <= 1:
        got = f"{p.sum():.3g} positive and {(1 - p).sum():.3g} negative"
        raise checks.error("truth", "leave more than one positive and one negative case for cases to be random", got)


def checked_resamples(n_resamples: object, seed: object) -> int:
    """Return the number of resamples; reject wrong options of resampling, even if they are not needed."""
    seed_of(seed)
    return checks.whole("n_resamples", n_resamples, 2)


def _random_of(random: object, truth: CaseTruth) -> tuple[tuple[str, ...], list[Note]]:
    """Return the random factors, and a note if more should be random."""
    n_annotators = 0 if truth.without is None else len(truth.without)
    notes = [ONE_ANNOTATOR] if n_annotators == 1 else []
    if random is None:
        few = [Note("few_of_truth", "{n} annotators of the truth: their part depends on the differences between them.", n=n_annotators)]
        return (*BOTH, *(("annotators",) if n_annotators > 1 else ())), notes + (few if 1 < n_annotators < FEW_READERS else [])
    given = (random,) if isinstance(random, str) or not isinstance(random, Iterable) else tuple(random)
    factors = tuple(one for one in BOTH if one in given)
    if set(given) - {*BOTH, "annotators"} or not factors:
        raise checks.error("random", "name readers, cases or both, and annotators for those of the truth", repr(random))
    if "annotators" not in given:
        return factors, notes
    if n_annotators < 2:
        must = "name annotators only if the truth is Labels of at least two named annotators (one does not show how they differ)"
        raise checks.error("random", must, f"{n_annotators} named annotators")
    return (*factors, "annotators"), []


def _without_figure(figure: FigureOfMerit, p: Array, rating: Array, unit: Int64 | None) -> Bools:
    """Return the (R,) readers who have no figure in a test in which they read, or have none without one of the cases."""
    cells, shape = ReadingCells.of(rating, p), rating.shape[:2]
    undefined = np.isnan(figure.values(cells))
    if unit is not None:
        counted = figure.counting(cells)
        if counted.any():
            undefined |= np.isnan(without_units_of(figure, cells, unit, counted)).any(axis=0)
    there = cells.read.any(axis=1).reshape(shape)
    return np.asarray((undefined.reshape(shape) & there).any(axis=0) | ~there.any(axis=0))


def _notes_on(rating: Array, readers: NDArray[Any], factors: tuple[str, ...]) -> list[Note]:
    notes, names = [], list(map(identifiers.name, readers))
    if "readers" in factors and len(readers) < FEW_READERS:
        notes.append(Note("few_readers", "{n} readers: the intervals depend on the differences between them.", n=len(readers)))
    seen: dict[bytes, str] = {}
    for r, name in enumerate(names):
        other = seen.setdefault(rating[:, r].tobytes(), name)
        if other != name:
            words = "Readers {one} and {other} gave the same ratings, and are counted as two."
            notes.append(Note("same_ratings", words, one=other, other=name))
    return notes


def left_out_resamples(n: int) -> list[Note]:
    """Return a note on resamples that have no figures."""
    words = "{n} resamples without a figure of every reader were left out."
    return [Note("resamples_left_out", words, n=n)] if n else []


def chosen_covariance(covariance: object, given: StudyInput, cells: ReadingCells) -> str:
    """Return the given estimator of covariances, or the default: DeLong's if it is possible, else the jackknife."""
    unread = isinstance(given.figure, SoftAuroc) and not cells.read.all()
    default = "delong" if isinstance(given.figure, SoftAuroc) and not unread and not given.clustered else "jackknife"
    way = checks.option("covariance", default if covariance is None else covariance, METHODS)
    if way == "delong" and unread:
        g, i = np.unravel_index(int(np.argmin(cells.read)), cells.read.shape)
        t, r = np.divmod(g, len(given.readers))
        test = f"test {identifiers.name(given.tests[t])}, " if len(given.tests) > 1 else ""
        where = f"{test}reader {identifiers.name(given.readers[r])}, case {identifiers.name(given.case_ids[i])}"
        must = "be 'jackknife', 'unbiased' or 'bootstrap' if readers did not read all cases in all tests"
        raise checks.error("covariance", must, "'delong'", where)
    return way
