"""Reader studies: tests, such as reading without and with a model, compared with random readers, cases and truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array
from .._base.notes import Note
from .._base.wording import arg
from ..annotations.joins import tells_joins
from ..resampling import check_level
from .auroc import sides
from .both_random import OF_TESTS, deciding_cases, few_deciding, two_readers
from .claims import Population, population
from .covariances import SPLIT, covariance_of, design_of
from .differences import differences, figure_record
from .figures import ReadingCells, SoftAuroc
from .gallas import u_statistics
from .obuchowski_rockette import BOTH, CASES, READERS, Analysis, ErrorCovariances, Estimated
from .reader_pilots import PilotCells
from .readings import Readings
from .record import GlobalTest, ReaderComponents, ReaderStudy, global_test
from .study_input import StudyInput, checked_resamples, chosen_covariance, left_out_resamples, study_input
from .truth import panel_variance

BY_U = arg("method", "u")


@tells_joins
def reader_study(
    truth: object,
    readings: Readings,
    *,
    figure: str | Callable[[Array, Array], Any] = "soft_auroc",
    threshold: float | None = None,
    positive: object = None,
    method: str = "or",
    random: Sequence[str] | None = None,
    covariance: str | None = None,
    design: str | None = None,
    df: str | None = None,
    clusters: object = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: object = 0,
) -> ReaderStudy:
    r"""Compare tests, such as reading without and with a model, in which readers and cases are random (MRMC).

    Each reader has a figure of merit in each test, for AUROC

    .. math:: \hatθ_{tr} = \frac{\sum_{i ≠ j} p_i (1 - p_j)\, ψ(x_{tri}, x_{trj})}{\sum_{i ≠ j} p_i (1 - p_j)}

    with ψ = 1, ½ or 0 if case i is rated above, like or below case j: the usual AUC if p is 0 or 1, and :func:`soft_auroc` with
    ``self_pairs="unbiased"``. Tests are compared by means over readers, whose variance has parts of readers, of cases and of both.

    Parameters
    ----------
    truth : (N,) array, mapping of case id to truth, (case ids, truth), Labels or plausibilities
        0 and 1 or probabilities of being positive, in the order of ``readings.case_ids`` or joined by case id; names of classes together
        with ``positive``. Labels of a panel become shares of its annotators, none of whom may be a reader; a posterior, or another
        uncertain truth, its expected plausibilities.
    readings : Readings
    figure : {"soft_auroc", "average_precision", "sensitivity", "specificity", "accuracy"} or function
        Larger is better. A function takes (p, ratings) of the cases that a reader read and returns a result of this package (such as
        that of :func:`soft_average_precision`), (n,) contributions of these cases to a mean, or (contributions, denominators).
    threshold : float, optional
        Ratings of at least this number call a case positive, for sensitivity, specificity and accuracy; not needed for ratings 0 and 1.
    positive : class, optional
        The positive class of a truth of classes. Default: the one of two beside a word of absence, such as normal; else it is asked for.
    method : {"or", "u"}
        Obuchowski & Rockette's analysis of variance with Hillis' degrees of freedom [OR, H]; or Gallas' U-statistics [G], for AUROC,
        any design, and readers and cases random.
    random : sequence of {"readers", "cases", "annotators"}, optional
        The random factors. Default: readers and cases, and annotators if the truth is labels of two named annotators or more: their part
        is the jackknife over them, added with degrees of freedom after Satterthwaite.
    covariance : {"delong", "jackknife", "unbiased", "uncentred", "bootstrap"}, optional
        How covariances over cases are estimated with ``method="or"``. Default: DeLong's [D] for the AUROC of designs in which all read
        all cases, else the jackknife over cases or clusters. ``"unbiased"``: moments over pairs without a common case, of the kernel
        less the figure; ``"uncentred"``: of the kernel itself, which gives the same unless readings are missing or truth is uncertain.
    design : str, optional
        The design that the readings must have: ``"crossed"``, ``"partially paired"``, ``"cases nested in readers"``,
        ``"cases nested in tests"``, ``"readers nested in tests"`` (split-plot). Default: the design that is found, ``ReaderStudy.design``.
    df : {"imrmc"}, optional
        With ``method="u"``: as iMRMC 2.1.2 computes: uncentred moments, whole effective sizes, whole degrees of freedom, the normal
        law above 50. Default: centred, and Student's law with fractions.
    clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Cases of a cluster, such as lesions of a patient, are left out or drawn together.
    level : float
        Level of the intervals.
    n_resamples, seed
        For ``covariance="bootstrap"``.

    Returns
    -------
    ReaderStudy

    Raises
    ------
    ValueError
        If a case has no truth, or the truth holds no positive or no negative case; if readers are among the annotators of the truth; if
        fewer than two readers are left and readers are random, or fewer than 10 cases (clusters) and cases are; if the design is none of
        these, or does not suit the covariance; if an option is unknown.

    Notes
    -----
    Cov2 - Cov3 below 0 counts as 0, as published, and a note says so. A difference whose variance is estimated as 0 or below has no
    interval: NaN, with the reason. Readers without a figure are left out and counted. With an uncertain truth the figure is that against
    a truth drawn from p: the AUROC is usually below that against the true classes.

    References
    ----------
    [OR] Obuchowski & Rockette (1995), Communications in Statistics - Simulation and Computation 24; [H] Hillis (2007), Statistics in
    Medicine 26(3), and Hillis (2014), Statistics in Medicine 33(2); [G] Gallas, Bandos, Samuelson & Wagner (2009), Communications in
    Statistics - Theory and Methods 38(15); [D] DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44(3).

    Examples
    --------
    >>> import ugt
    >>> without = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> aided = [[1, 1, 4, 4, 2, 2, 3, 1, 4, 3], [1, 2, 4, 3, 1, 1, 4, 2, 4, 2], [2, 1, 3, 4, 1, 2, 4, 3, 4, 3]]
    >>> readings = ugt.studies.Readings.from_array([without, aided], tests=["without", "with"])
    >>> study = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], readings)
    >>> found = study.difference("with", "without")
    >>> round(found.value, 3), [round(end, 3) for end in found.interval()], round(found.df, 1), round(found.p_value, 3)
    (0.1, [-0.106, 0.306], 2.3, 0.192)
    >>> soft = [0.1, 0, 0.9, 0.8, 0.2, 0, 1, 0.4, 1, 0.7]  # a panel's shares
    >>> round(ugt.reader_study(soft, readings).tests["with"].value, 3)
    0.899
    """
    level = check_level(level)
    n_resamples = checked_resamples(n_resamples, seed)
    name = checks.option("method", method, ("or", "u"))
    given = study_input(truth, readings, figure, threshold, positive, random, clusters)
    if name == "u":
        return _by_u_statistics(given, design, covariance, df, level)
    if df is not None:
        raise checks.error("df", "be left out for " + arg("method", "or"), repr(df))
    return _by_or(given, design, covariance, level, n_resamples, seed)


def _by_or(given: StudyInput, design: object, covariance: object, level: float, n_resamples: Any, seed: Any) -> ReaderStudy:
    cells, (t, r), factors = given.cells, given.rating.shape[:2], given.factors
    found = design_of(~np.isnan(given.rating), design, False, (given.tests, given.readers))
    figures = given.figures(given.truth.p)
    there, notes = ~np.isnan(figures), list(given.notes)
    table, way = np.full((t, r, t, r), np.nan), "none"
    errors, held = ErrorCovariances.unknown(t), None
    if "cases" in factors:
        way = chosen_covariance(covariance, given, cells)
        some = ReadingCells(cells.x[there.reshape(-1)], cells.read[there.reshape(-1)], cells.p)
        flat, undefined = covariance_of(given.figure, some, way, given.unit, given.clustered, n_resamples, seed)
        held = PilotCells(given.figure, some, there, given.unit, way == "delong", found)
        rows = np.flatnonzero(there)
        table.reshape(t * r, t * r)[np.ix_(rows, rows)] = flat
        errors = ErrorCovariances.of(flat, there, found)
        notes += left_out_resamples(undefined)
        if BOTH[0] in factors and t > 1 and errors.cov2 < errors.cov3:
            words = "Cov2 - Cov3 is negative ({difference:.3g}) and counts as 0, as published."
            notes.append(Note("negative_difference", words, difference=errors.cov2 - errors.cov3))
    nested = found == SPLIT
    deciding = deciding_cases(given.figure, cells, given.unit)
    notes += few_deciding(deciding, OF_TESTS) if "cases" in factors and not nested else []
    analysis = Analysis(figures, errors, nested, factors, deciding)
    notes += two_readers(analysis.n_readers) if nested and factors == BOTH else []
    one = [analysis.one_test(i) for i in range(t)]
    pairs = {(a, b): analysis.difference(a, b) for a, b in combinations(range(t), 2)}
    mean_square, denominator, df1, df2 = analysis.all_tests() if t > 1 else (math.nan,) * 4
    if "annotators" in given.random:
        variances, df = _panel(given, analysis.means, lambda p: np.asarray(np.nanmean(given.figures(p), axis=1)))
        one, pairs = _with_panel(one, pairs, variances, df)
        if t > 1:
            extra = float(np.mean([variances[a, b] / (1 / analysis.n_readers[a] + 1 / analysis.n_readers[b]) for a, b in pairs]))
            whole = Estimated(0.0, denominator, df2).plus(extra, df, "undefined")
            denominator, df2 = whole.variance, whole.df
    test = global_test(mean_square, denominator, df1, df2) if t > 1 else None
    if test is not None and (law := pairs[0, 1].parts) is not None and t == 2:  # of two tests: the same p-value as their difference
        test = replace(test, p_value=2 * law.above(abs(pairs[0, 1].value)))
    components = _components(given, errors, analysis)
    fixed, n = analysis._replace(random=CASES), analysis.n_readers
    people = {(a, b): population(given, (n[a], n[b]), fixed.difference(a, b).variance) for a, b in pairs}
    made = _Found(one, pairs, people, test, components, figures, table, None, found, "or", way, held)
    return made.study(given, level, notes, False)


def _by_u_statistics(given: StudyInput, design: object, covariance: object, df: object, level: float) -> ReaderStudy:
    if not isinstance(given.figure, SoftAuroc):
        raise checks.error("figure", "be 'soft_auroc' for " + BY_U, "another one")
    if given.factors != BOTH:
        raise checks.error("random", "name readers and cases for " + BY_U, repr(given.random))
    if given.clustered:
        way = "take " + arg("method", "or") + ", which leaves out whole clusters"
        raise checks.error("clusters", "be left out for " + BY_U, "clusters", way=way)
    if covariance is not None:
        raise checks.error("covariance", "be left out for " + BY_U, repr(covariance))
    imrmc = df is not None and checks.option("df", df, ("imrmc",)) == "imrmc"
    found = design_of(~np.isnan(given.rating), design, True, (given.tests, given.readers))
    cells, t, figures = given.cells, len(given.tests), given.figures(given.truth.p)
    read = cells.read.reshape(given.rating.shape)
    u = u_statistics(given.rating, read, given.truth.p, imrmc)
    one, pairs = [u.test(i) for i in range(t)], {(a, b): u.difference(a, b) for a, b in combinations(range(t), 2)}
    if "annotators" in given.random:

        def values(p: Array) -> Array:
            again = sides(*ReadingCells.of(given.rating, p))
            return np.asarray(again.positive.reshape(t, -1).sum(axis=1) / again.design[0].reshape(t, -1).sum(axis=1))

        one, pairs = _with_panel(one, pairs, *_panel(given, u.values, values))
    nothing = ErrorCovariances.unknown(t)
    components = _components(given, nothing, Analysis(figures, nothing, found == SPLIT, READERS))
    table = np.full((*figures.shape, *figures.shape), np.nan)
    n = (~np.isnan(figures)).sum(axis=1)
    people = {(a, b): population(given, (n[a], n[b]), u.fixed(a, b)) for a, b in pairs}
    return _Found(one, pairs, people, None, components, figures, table, u.moments, found, "u", "u").study(given, level, given.notes, imrmc)


def _panel(given: StudyInput, values: Array, make: Callable[[Array], Array]) -> tuple[Array, float]:
    """Return the variances (T, T) by the annotators of the truth, of each test and of each difference, and the degrees of freedom."""

    def both(own: Array) -> Array:
        return np.asarray(np.where(np.eye(len(own), dtype=bool), own, own[:, None] - own))

    assert given.truth.without is not None and given.truth.share is not None
    without = np.array([both(make(p)) for p in given.truth.without])
    return panel_variance(both(values), without, given.truth.share), len(without) - 1.0


def _with_panel(
    one: list[Estimated], pairs: dict[tuple[int, int], Estimated], variances: Array, df: float
) -> tuple[list[Estimated], dict[tuple[int, int], Estimated]]:
    why = "the figure is undefined without one of the annotators of the truth"
    tests = [found.plus(float(variances[t, t]), df, why) for t, found in enumerate(one)]
    return tests, {(a, b): found.plus(float(variances[a, b]), df, why) for (a, b), found in pairs.items()}


def _components(given: StudyInput, errors: ErrorCovariances, analysis: Analysis) -> ReaderComponents:
    return ReaderComponents(*errors[:4], *analysis.components(), *analysis.mean_squares(), len(given.unit), len(given.readers))


class _Found(NamedTuple):
    """The results of a method, by position of the tests."""

    one: list[Estimated]
    pairs: dict[tuple[int, int], Estimated]
    people: dict[tuple[int, int], Population]
    test: GlobalTest | None
    components: ReaderComponents
    figures: Array
    covariance: Array
    moments: Array | None
    design: str
    method: str
    way: str
    cells: PilotCells | None = None

    def study(self, given: StudyInput, level: float, notes: list[Note], imrmc: bool) -> ReaderStudy:
        names, n = given.tests.tolist(), (~np.isnan(self.figures)).sum(axis=1).tolist()
        bounded = given.figure.bounded
        tests = {name: figure_record(name, *one, level, bounded, imrmc) for name, one in zip(names, zip(self.one, n))}
        pairs = differences({(names[a], names[b]): (one, self.people[a, b]) for (a, b), one in self.pairs.items()}, level, bounded, imrmc)
        notes = [*notes, *given.reversed({str(test): one.value for test, one in tests.items()})]
        undefined = {one.reason: None for one in (*tests.values(), *pairs) if one.reason}
        for reason in undefined:
            notices.undefined(reason, stacklevel=5)
        fixed = self.components, self.figures, self.covariance, self.moments, given.readers, given.random, self.design, self.method
        sizes = self.way, level, len(given.unit), len(given.readers), given.left_out, tuple(dict.fromkeys(notes)), self.cells
        return ReaderStudy(tests, pairs, self.test, *fixed, *sizes)
