"""The numbers of readers and cases that a reader study needs, from the components of a pilot or stated ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array, Bools
from .._base.axes import Frozen
from .._base.checks import error, finite, scalar, whole
from .._base.laws import t_quantile
from .._base.notes import Note
from ..resampling import check_level
from .reader_pilots import ReaderPilot
from .record import ReaderStudy
from .solving import (
    ENOUGH,
    FEWER,
    MOST_CASES,
    Expectation,
    assured,
    least_cases,
    least_people,
    power_of,
    prices,
    wanted_assurance,
    wanted_power,
    wanted_width,
    width_within,
)

NAMES = ("error", "cov1", "cov2", "cov3", "test_reader", "n_cases")
FEW_READERS = 5
BOUNDED, ANY = (-1.0, 1.0), (-math.inf, math.inf)  # the ranges of differences of figures from 0 to 1, and of others
MOST_VARIANCE = 0.25  # of a number from 0 to 1
SAME_PANEL = "the plan is for studies with a truth by the same annotators: other annotators of the truth would add a variance."
PANEL = Note("same_panel", SAME_PANEL)


class ReaderDesign(NamedTuple):
    """One design with its precision, power and cost."""

    n_readers: int
    n_cases: int
    std_error: float
    width: float
    power: float
    cost: float


@dataclass(frozen=True, eq=False, repr=False)
class ReaderPlan(Frozen):
    """The numbers of readers and cases that a comparison of two tests needs; made by :func:`plan_reader_study`.

    Attributes
    ----------
    components : mapping
        ``"error"``, ``"cov1"``, ``"cov2"``, ``"cov3"``, ``"test_reader"``, and the number of cases that they were estimated from.
    table : tuple of designs
        For each number of readers, from the least that suffices, the fewest cases: ``n_readers``, ``n_cases``, ``std_error`` and ``width``
        of the interval of the difference, ``power`` and ``cost``. With ``assurance``, width and power are those that hold with this
        probability; the standard error is the expected one.
    best : design or None
        The cheapest design of the table; of equally cheap designs, the one with the fewest readers.
    level : float
    assurance : float or None
    notes : tuple of notes
        Assumptions and limits of the plan.

    Examples
    --------
    >>> import ugt
    >>> pilot = {"error": 0.0027, "cov1": 0.0012, "cov2": 0.0015, "cov3": 0.0007, "test_reader": 0.0007, "n_cases": 100}
    >>> found = ugt.studies.plan_reader_study(pilot, difference=0.06)
    >>> found.best.n_readers, found.best.n_cases, round(found.best.power, 2), round(found.design(5, 300).power, 2)
    (9, 617, 0.8, 0.48)
    """

    components: Mapping[str, float]
    table: tuple[ReaderDesign, ...]
    best: ReaderDesign | None
    level: float
    assurance: float | None
    notes: tuple[Note, ...]
    _wanted: _Wanted = field(repr=False)

    def design(self, n_readers: int, n_cases: int) -> ReaderDesign:
        """Return the precision of your own design, in which every reader reads every case in both tests."""
        r, n = whole("n_readers", n_readers, 2), whole("n_cases", n_cases, 2)
        return self._wanted.designs(np.array([r]), np.array([n]))[0]


class _Wanted(NamedTuple):
    """The wanted precision, and the components by which designs are judged."""

    parts: Mapping[str, float]
    effect: float
    two_sided: bool
    power: float | None
    width: float | None
    cost: tuple[float, ...]
    level: float
    value: float  # about which intervals are; NaN: unknown
    span: tuple[float, float]
    assurance: float | None = None
    pilot: ReaderPilot | None = None  # for the assurance

    def spread(self, r: object, n: object, q: float) -> Expectation:
        """Return the variance of the difference, 2 A / R, the degrees of freedom, and the half-width."""
        error_, one, two, three, own, n_pilot = (self.parts[name] for name in NAMES)
        own, scale, r = max(own, 0.0), n_pilot / np.asarray(n, np.float64), np.asarray(r, np.float64)
        shared = max(two - three, 0.0) * scale
        alone = own + (error_ - one) * scale
        total = alone + (r - 1) * shared
        with np.errstate(divide="ignore", invalid="ignore"):
            df = np.where(alone - shared > 0, total**2 * (r - 1) / (alone - shared) ** 2, np.inf)
        df, variance = np.minimum(df, 1e9), 2 * total / r
        return Expectation(variance, df, t_quantile(df, q) * np.sqrt(variance))

    def power_at(self, r: Any, n: Any) -> Array:
        if math.isnan(self.effect):
            return np.full(np.broadcast(r, n).shape, np.nan)
        found = self.spread(r, n, 0.5 + self.level / 2 if self.two_sided else self.level)
        return power_of(found.times(self._assured(found, r, n)[1]), self.effect, self.two_sided)

    def width_at(self, r: Any, n: Any) -> Array:
        """Return the expected width, with assurance the one that is reached with this probability."""
        found = self.spread(r, n, 0.5 + self.level / 2)
        return width_within(found.times(self._assured(found, r, n)[0]).half_width, self.value, self.span)

    def _assured(self, found: Expectation, r: Any, n: Any) -> tuple[Array, Array]:
        if self.assurance is None or self.pilot is None:
            return np.ones(()), np.ones(())
        return assured(found, self.pilot.reach(r, n, self.assurance), self.assurance, self.pilot.variance(r, n))

    def enough(self, r: Any, n: Any) -> Bools:
        met = np.ones(np.broadcast(r, n).shape, bool)
        if self.width is not None:
            met &= self.width_at(r, n) <= self.width
        if self.power is not None:
            met &= self.power_at(r, n) >= self.power
        return met

    def designs(self, r: Any, n: Any) -> tuple[ReaderDesign, ...]:
        found = self.spread(r, n, 0.5 + self.level / 2)
        cost = self.cost[0] * n + self.cost[1] * 2 * n * r + self.cost[2] * r + 0.0
        columns = (r, n, np.sqrt(found.variance), self.width_at(r, n), self.power_at(r, n), cost)
        return tuple(ReaderDesign(*row) for row in zip(*(column.tolist() for column in columns)))


def plan_reader_study(
    study_or_components: object,
    *,
    difference: float | None = None,
    margin: float | None = None,
    power: float | None = None,
    width: float | None = None,
    cost: tuple[float, float, float] = (1.0, 1.0, 0.0),
    max_readers: int = 50,
    level: float = 0.95,
    assurance: float | None = None,
) -> ReaderPlan:
    r"""Plan a reader study of two tests: return how many readers and cases it needs if every reader reads every case in both tests.

    With the variance of a figure over cases Var, its covariances Cov1 (same reader), Cov2 (same test) and Cov3 (neither), all scaled by
    the pilot's number of cases over N, and the variance σ²_TR of readers by tests,

    .. math::
        A = σ^2_{TR} + Var - Cov_1 + (R - 1) \max(Cov_2 - Cov_3, 0), \quad
        df = \frac{(R - 1) A^2}{(σ^2_{TR} + Var - Cov_1 - \max(Cov_2 - Cov_3, 0))^2}

    the difference d has the variance 2 A / R, and power is that of the F test with (1, df) degrees of freedom at the noncentrality
    R d² / (2 A); a negative σ²_TR counts as 0.

    Parameters
    ----------
    study_or_components : ReaderStudy, or mapping
        The pilot, a crossed study; or ``"error"`` (Var), ``"cov1"``, ``"cov2"``, ``"cov3"``, ``"test_reader"`` (σ²_TR), and ``"n_cases"``,
        the number of cases that they were estimated from.
    difference : float, optional
        True difference of the tests for the power; with ``margin`` (new test less old one) 0 by default.
    margin : float, optional
        Above 0: non-inferiority, one-sided at ``level``: the new test is below the old one by less than the margin.
    power : float, optional
        In (0, 1). Default: 0.8 if a difference or a margin is given.
    width : float, optional
        Wanted width of the interval of the difference, upper end less lower end, in units of the figure. For figures from 0 to 1 the
        interval is cut at -1 and 1, about the ``difference`` if it is given. Stated components whose ``"error"`` is at most 1/4 are taken
        as those of such a figure.
    cost : three numbers
        Cost of a case, of a reading (there are 2 N R) and of a reader.
    max_readers : int
        At most 1,000.
    level : float
    assurance : float, optional
        In [0.5, 1), with a ReaderStudy of at least 3 readers: the probability, over pilots and studies, that an interval is at most
        ``width`` wide, and the share of pilots whose plans have the wanted power; 0.9 is usual. Default: none, the pilot's components are
        taken as known, and about half of the studies reach the width.

    Returns
    -------
    ReaderPlan

    Raises
    ------
    ValueError
        If neither difference, margin nor width is given; if components are missing, unknown or impossible; if an option is out of range; if
        ``assurance`` is asked of stated components, or of a pilot that does not show how readers or cases differ.

    Notes
    -----
    With ``assurance``, the variance V = 2 A / R counts as M + √(u² + (χ² / df - 1)² V²) and not below V, with χ² the quantile for the
    study's own degrees of freedom; for power as M + u. M is V without counting a negative σ²_TR as 0, in which the pilot's mean square
    of readers by tests has the part 2 MS / R. The true part is up to f / χ²_f times as large (χ²_f: lower quantile, f degrees of freedom).
    The rest of M has the standard error s, by the jackknife over the pilot's cases (DeLong's covariances or the jackknife's), and t s² as
    usual: u² = (2 MS (f / χ²_f - 1) / R)² + t² s².

    Numbers of cases are at the pilot's share of positive ones. In simulated studies (Roe & Metz; AUC .70 and .78, components of two tests
    at .70) the formula was .03 to .08 below the power that studies had, from 3 readers and 100 cases to 20 readers and 200 cases. A pilot
    with few readers estimates σ²_TR badly.

    References
    ----------
    Hillis, Obuchowski & Berbaum (2011), "Power estimation for multireader ROC methods: an updated and unified approach", Academic
    Radiology 18(2); Burdick & Graybill (1992), "Confidence intervals on variance components" (upper limits of sums of mean squares).

    Examples
    --------
    >>> import ugt
    >>> pilot = {"error": 0.0027, "cov1": 0.0012, "cov2": 0.0015, "cov3": 0.0007, "test_reader": 0.0007, "n_cases": 100}
    >>> found = ugt.studies.plan_reader_study(pilot, margin=0.05, cost=(20, 1, 500))
    >>> found.best.n_readers, found.best.n_cases
    (10, 685)
    """
    parts, n_readers = _components(study_or_components)
    level = check_level(level)
    if difference is None and margin is None and width is None:
        raise error("difference, margin or width", "be given", None)
    if margin is not None:
        margin = scalar("margin", margin, positive=True)
    elif difference == 0:
        raise error("difference", "not be 0", difference)
    span = _span(study_or_components, parts)
    true = math.nan if difference is None and margin is None else 0.0 if difference is None else finite("difference", difference)
    if not (math.isnan(true) or span[0] <= true <= span[1]):
        raise error("difference", "be from -1 to 1, the range of differences of figures from 0 to 1 (five points are 0.05)", difference)
    power = wanted_power(power)
    if power is None:
        power = None if math.isnan(true) else 0.8
    elif math.isnan(true):
        raise error("difference", "be given for power", None)
    costs = prices(cost, ("a case", "a reading", "a reader"))
    most = whole("max_readers", max_readers, 2, 1000)
    effect = abs(true) if margin is None else margin + true
    least = wanted_width(width, span, "differences of figures from 0 to 1")
    wanted = _Wanted(parts, effect, margin is None, power, least, costs, level, true, span)
    if assurance is not None:
        wanted = _with_assurance(wanted, assurance, study_or_components)
    r = np.arange(2, most + 1)
    n = least_cases(lambda n: wanted.enough(r, n), len(r))
    table = wanted.designs(r[n > 0], n[n > 0])
    best = min(table, key=lambda one: (one.cost, one.n_readers), default=None)
    notes = _notes(wanted, table, most, n_readers)
    if "annotators" in getattr(study_or_components, "random", ()):
        notes.insert(0, PANEL)
    if best is None:
        notices.warn(notes[-1], stacklevel=2)
    return ReaderPlan(parts, table, best, float(level), wanted.assurance, tuple(notes), wanted)


def _with_assurance(wanted: _Wanted, assurance: object, given: object) -> _Wanted:
    sure = wanted_assurance(assurance, None if isinstance(given, ReaderStudy) else "the ReaderStudy of a pilot")
    assert isinstance(given, ReaderStudy)
    return wanted._replace(assurance=sure, pilot=ReaderPilot.of(given.components, len(given.tests), given._cells))


def _span(given: object, parts: Mapping[str, float]) -> tuple[float, float]:
    """Return the range of differences; stated components are those of a figure from 0 to 1 if such a figure can vary so."""
    if isinstance(given, ReaderStudy):
        return BOUNDED if all(one._bounded for one in given.tests.values()) else ANY
    return BOUNDED if parts["error"] <= MOST_VARIANCE else ANY


def _components(given: object) -> tuple[dict[str, float], int | None]:
    """Return the numbers that are needed, and the pilot's number of readers, if known."""
    held = getattr(given, "components", given)
    found = {name: held.get(name) if isinstance(held, Mapping) else getattr(held, name, None) for name in (*NAMES, "n_readers")}
    lacking = [name for name in NAMES if found[name] is None]
    if lacking:
        raise error("components", f"have {', '.join(map(repr, NAMES))}", f"none called {lacking[0]!r}")
    for name in NAMES:
        value = found[name]
        if isinstance(value, (float, np.floating)) and math.isnan(value):
            raise error("components", "be known, as in a crossed study with random readers and cases", "nan", repr(name))
    parts = {name: finite(f"components[{name!r}]", found[name]) for name in NAMES}
    parts.update({name: scalar(f"components[{name!r}]", parts[name], positive=True) for name in ("error", "n_cases")})
    for name in NAMES[1:4]:
        if abs(parts[name]) > parts["error"] or (name == "cov1" and parts[name] == parts["error"]):
            raise error(f"components[{name!r}]", "be smaller than the variance 'error'", parts[name])
    return parts, found["n_readers"]


def _notes(wanted: _Wanted, table: tuple[ReaderDesign, ...], most: int, n_readers: int | None) -> list[Note]:
    """Return the limits of the plan."""
    notes = []
    if wanted.parts["test_reader"] < 0:
        notes.append(Note("negative_variance", "the variance of readers by tests is negative; it counts as 0."))
    if n_readers is not None and n_readers < FEW_READERS:
        words = "the pilot has {n} readers, so that the variance of readers by tests is poorly known."
        notes.append(Note("few_in_pilot", words, n=n_readers))
    if table and table[0].n_readers > 2:
        notes.append(Note("fewest_readers", FEWER + "readers" + ENOUGH, n=table[0].n_readers, most=MOST_CASES))
    if not table:
        least = least_people(lambda r: bool(wanted.enough(np.array([r]), np.array([1e15]))[0]))
        need = "no number of readers is either" if least is None else f"the differences between readers alone require at least {least:,}"
        enough, why = (f" up to {MOST_CASES:,}", "") if least is not None and least <= most else ("", f": {need}")
        words = "no number of cases{enough} is enough with up to {most} readers{why}."
        notes.append(Note("no_design", words, enough=enough, most=most, why=why))
    return notes
