"""The results of a reader study: its tests, components of variance, design and notes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._base import checks, identifiers
from .._base.arrays import Array, NDArray
from .._base.axes import Frozen
from .._base.notes import Note
from .._base.records import Record
from .claims import ReaderVerdict, verdict_of
from .differences import MarginClaim, ReaderDifference, ReaderFigure, turned
from .reader_pilots import PilotCells


@dataclass(frozen=True, eq=False, repr=False)
class GlobalTest(Record):
    """The test of the hypothesis that all tests of a reader study are equal.

    Attributes
    ----------
    statistic, df1, df2, p_value : float
        F and its degrees of freedom; with ``df2`` inf, ``statistic`` times ``df1`` has the law of chi-square.
    mean_square, denominator : float
        The statistic is their quotient: MS(T), and its expectation if all tests are equal.

    Examples
    --------
    >>> import ugt
    >>> readings = ugt.studies.Readings.from_array([[[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2]],
    ...                                     [[1, 1, 4, 4, 2, 2, 3, 1, 4, 3], [1, 2, 4, 3, 1, 1, 4, 2, 4, 2]]])
    >>> found = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], readings).global_test
    >>> round(found.statistic, 2), found.df1, round(found.df2, 2), round(found.p_value, 3)
    (1.85, 1.0, 8.67, 0.208)
    """

    statistic: float
    df1: float
    df2: float
    p_value: float
    mean_square: float
    denominator: float


@dataclass(frozen=True, eq=False, repr=False)
class ReaderComponents(Record):
    """The components of variance of the figures of readers, from which a further study can be planned.

    Attributes
    ----------
    error, cov1, cov2, cov3 : float
        Variance over cases of a figure of one reader in one test, and covariances of the same reader in two tests, of two readers in
        one test, of two readers in two tests; means over pairs. 0 if the design makes them 0; NaN if cases are fixed.
    reader, test_reader : float
        Variances of readers, and of readers by tests. They may be negative by chance, and are shown as they are; NaN if the design does
        not identify them.
    ms_test, ms_reader, ms_test_reader : float
        Mean squares of the figures.
    n_cases, n_readers : int

    Examples
    --------
    >>> import ugt
    >>> readings = ugt.studies.Readings.from_array([[[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2]],
    ...                                     [[1, 1, 4, 4, 2, 2, 3, 1, 4, 3], [1, 2, 4, 3, 1, 1, 4, 2, 4, 2]]])
    >>> found = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], readings).components
    >>> round(found.error, 4), round(found.cov1, 4), round(found.cov2, 4), round(found.cov3, 4)
    (0.0097, 0.0021, 0.007, 0.0035)
    """

    error: float
    cov1: float
    cov2: float
    cov3: float
    reader: float
    test_reader: float
    ms_test: float
    ms_reader: float
    ms_test_reader: float
    n_cases: int
    n_readers: int


@dataclass(frozen=True, eq=False, repr=False)
class ReaderStudy(Frozen):
    """The comparison of tests by readers and cases; made by :func:`reader_study`.

    Attributes
    ----------
    tests : mapping of test to :class:`ReaderFigure`
    differences : tuple of :class:`ReaderDifference`
        All pairs of tests, the first less the second.
    global_test : :class:`GlobalTest` or None
        None for a single test and for ``method="u"``.
    components : :class:`ReaderComponents`
    figures : (T, R) array
        The figure of each reader in each test; NaN if there is none.
    covariance : (T, R, T, R) array
        Covariance of the figures over cases; NaN if there is no figure, or if cases are fixed.
    moments : (T, T, 8) array or None
        M1 to M8 of iMRMC, with ``method="u", df="imrmc"`` and a certain truth.
    readers : (R,) array
        Readers who were not left out.
    random : tuple of str
        Factors that were random: the population that the intervals are for.
    design : str
        The design that was found.
    method, covariance_method : str
    level : float
    n_cases, n_readers : int
    left_out : mapping of reason to number
    notes : tuple of notes
        Limits to state with the numbers.

    Examples
    --------
    >>> import ugt
    >>> a = [[1, 2, 3, 4, 2, 1, 3, 3, 4, 1], [2, 2, 3, 3, 1, 1, 4, 3, 4, 2], [1, 3, 3, 3, 1, 2, 4, 2, 4, 3]]
    >>> b = [[1, 1, 4, 4, 2, 2, 3, 1, 4, 3], [1, 2, 4, 3, 1, 1, 4, 2, 4, 2], [2, 1, 3, 4, 1, 2, 4, 3, 4, 3]]
    >>> found = ugt.reader_study([0, 0, 1, 1, 0, 0, 1, 0, 1, 1], ugt.studies.Readings.from_array([a, b], tests=["a", "b"]))
    >>> found.design, {name: round(one.value, 3) for name, one in found.tests.items()}
    ('crossed', {'a': 0.873, 'b': 0.973})
    """

    tests: Mapping[Any, ReaderFigure]
    differences: tuple[ReaderDifference, ...]
    global_test: GlobalTest | None
    components: ReaderComponents
    figures: Array
    covariance: Array
    moments: Array | None
    readers: NDArray[Any]
    random: tuple[str, ...]
    design: str
    method: str
    covariance_method: str
    level: float
    n_cases: int
    n_readers: int
    left_out: Mapping[str, int]
    notes: tuple[Note, ...]
    _cells: PilotCells | None = field(repr=False)

    def difference(self, first: object, second: object) -> ReaderDifference:
        """Return the figure of the first test less that of the second.

        Raises
        ------
        ValueError
            If one of them is not a test of the study, or both are the same.
        """
        a, b = self._place("first", first), self._place("second", second)
        if a == b:
            raise checks.error("second", "be another test than the first", repr(second))
        names = list(self.tests)
        for one in self.differences:
            if (one.first, one.second) == (names[min(a, b)], names[max(a, b)]):
                return one if a < b else turned(one)
        raise AssertionError

    @property
    def verdict(self) -> ReaderVerdict | None:
        """Whether the best test is ahead of all others, and for whom; None for a single test, and if cases are fixed."""
        first, *others = sorted(self.tests, key=lambda name: (math.isnan(self.tests[name].value), -self.tests[name].value))
        return verdict_of([self.difference(first, other) for other in others])

    def non_inferiority(self, first: object, second: object, margin: float, *, level: float = 0.95) -> MarginClaim:
        """Test whether the first test is worse by less than ``margin``; see :meth:`ReaderDifference.non_inferiority`."""
        return self.difference(first, second).non_inferiority(margin, level=level)

    def _place(self, argument: str, name: object) -> int:
        names = list(self.tests)
        found = [i for i, one in enumerate(names) if one == name or str(one) == str(name)]
        if not found:
            raise checks.error(argument, f"be one of the tests {', '.join(map(identifiers.name, names))}", repr(name))
        return found[0]


def global_test(mean_square: float, denominator: float, df1: float, df2: float) -> GlobalTest:
    """Return the test by F, or by chi-square over its degrees of freedom; NaN without a positive denominator."""
    from scipy.special import chdtrc, fdtrc  # noqa: PLC0415

    if not denominator > 0:
        return GlobalTest(math.nan, df1, math.nan, math.nan, mean_square, float(denominator))
    f = float(mean_square / denominator)
    p = chdtrc(df1, f * df1) if math.isinf(df2) else fdtrc(df1, df2, f)
    return GlobalTest(f, df1, float(df2), float(p), mean_square, float(denominator))
