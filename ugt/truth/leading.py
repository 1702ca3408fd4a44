"""Which truth leads if none was asked for: the default, or the first of some others that held-out annotators do not refute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array
from ..annotations import Labels, Rankings
from .by_name import RELIABILITIES, Making
from .label_prior import DirichletPrior, fit_dirichlet_prior
from .panel_check import LEAST, Halves, PanelCheck

REFUTED = 0.05  # p-value below which held-out annotators refute a truth model
MOST_CELLS = 2 * 10**7  # most cells (cases x classes, or annotators x classes x classes) that are checked
MOST_READS = 3 * 10**7  # most labels x classes x iterations of a fit of annotators: some seconds
MOST_POINTS = 12 * 10**6  # most cases x points of all Plackett-Luce truths that are tried
READS, LEARNING = 100, 2000  # iterations of a fit of annotators; points that take as long as the proposal of a case
MOST_CLASSES = 50  # most classes for which a prior per class is fitted
FITTED, PER_CLASS = "fit", "fit per class"
FAILED = (ValueError, ArithmeticError, MemoryError, np.linalg.LinAlgError)  # a candidate that cannot be fitted does not lead


class CheckedTruth(NamedTuple):
    """How often held-out annotators agree with the vote of the others, and how often a truth model says that they do.

    ``role``: "main" (it leads), "default" (refuted, so that another one leads) or "other".
    """

    role: str
    aggregation: str
    prior: str | None  # a number, "fit" or "fit per class"; None: the truth model has none
    reliability: float | None
    predicted: float
    observed: float
    p_value: float
    n_cases: int

    @property
    def refuted(self) -> bool:
        """Whether held-out annotators refute the truth model."""
        return self.p_value < REFUTED


class Leading(NamedTuple):
    """The truth that leads, as options of an evaluation, and all that were checked, in the order in which they were tried."""

    aggregation: str
    reliability: float | None  # None: the reliabilities of the truth model
    making: Making
    checked: tuple[CheckedTruth, ...]

    @property
    def chosen(self) -> str | None:
        """One of "default" (not refuted), "fits" (another leads), "none" (no truth model fits); None: nothing could be checked."""
        if not self.checked:
            return None
        main = next(one for one in self.checked if one.role == "main")
        return "none" if main.refuted else "fits" if main is not self.checked[0] else "default"


class Candidate(NamedTuple):
    """A truth model that may lead: what is checked, and the options with which an evaluation has it."""

    aggregation: str
    prior: str | None
    reliability: float | None
    making: Making

    def check(self, halves: Halves) -> PanelCheck:
        """Return the check of this truth model."""
        return halves.check(self.aggregation.replace("-", "_"), False, options_of(self.aggregation, self.reliability, self.making))


def options_of(aggregation: str, reliability: Any, making: Making) -> dict[str, Any]:
    """Return the options with which the check makes a truth."""
    few: Mapping[str, Any] = making.few if aggregation == "plackett-luce" else {}
    found = {name: few.get(name, getattr(making, name)) for name in OPTIONS[aggregation]}
    if aggregation == "dawid-skene":
        return {"prior": making.pseudo_counts, **found}
    return {**found, **({"method": few["method"]} if few else {}), "reliability": reliability}


# Options of the truth model that its check uses.
OPTIONS: dict[str, tuple[str, ...]] = {
    "dirichlet": ("prior",),
    "prirn": ("tie_weight", "background"),
    "plackett-luce": ("prior_mass", "unranked", "n_draws", "seed", "n_threads"),
    "dawid-skene": ("seed", "n_threads"),
}


def leading(known: Any, making: Making, clusters: Any) -> Leading:
    """Return the truth that leads: the default unless held-out annotators refute it and do not refute another candidate."""
    how = "prirn" if isinstance(known, Rankings) else "dirichlet"
    default = Leading("auto", None, making, ())
    halves = halves_of(known, clusters, making)
    if halves is None:
        return default
    first = _first(how, making)
    with notices.heard():  # what candidates warn of is said of the one that leads
        try:
            found = first.check(halves)
        except FAILED:  # no case has a held-out annotation beside those that are left
            return default
        if found.n_cases < LEAST or not found.p_value >= 0:
            return default
        rows = [_row("main", first, found)]
        if not rows[0].refuted:
            return default._replace(checked=tuple(rows))
        for one in others(known, making, clusters):
            try:
                rows.append(_row("other", one, one.check(halves)))
            except FAILED:
                continue
            if rows[-1].p_value >= REFUTED:
                rows[0], rows[-1] = rows[0]._replace(role="default"), rows[-1]._replace(role="main")
                return Leading(one.aggregation, one.reliability if one.aggregation == "plackett-luce" else None, one.making, tuple(rows))
    return default._replace(checked=tuple(rows))


def halves_of(known: Any, clusters: Any, making: Making, times: Array | None = None) -> Halves | None:
    """Return the annotations of which one of each case is held out, of all equal cases of a row; None if nothing can be checked."""
    if not isinstance(known, (Labels, Rankings)) or known.n_cases * known.n_classes > MOST_CELLS:
        return None
    try:
        if times is not None and isinstance(known, Labels):
            return Halves.of_rows(known, times, making.seed)
        return Halves.of(known, 1, clusters, making.seed)
    except FAILED:  # no case has two annotators
        return None


def cures(known: Any, making: Making, clusters: Any, halves: Halves, times: Array | None = None) -> list[CheckedTruth]:
    """Return checks of the truth models that may lead instead of one that was asked for, up to the first that fits."""
    rows: list[CheckedTruth] = []
    with notices.heard():
        for one in others(known, making, clusters, times):
            try:
                rows.append(_row("other", one, one.check(halves)))
            except FAILED:
                continue
            if not rows[-1].refuted:
                break
    return rows


def others(known: Any, making: Making, clusters: Any, times: Array | None = None) -> Iterator[Candidate]:
    """Yield the truth models that may lead instead of the default, one after the other; each is fitted when it is asked for.

    ``times`` (N,): how many equal cases each row stands for; None: one.
    """
    if isinstance(known, Rankings):
        yield from _of_rankings(known, making)
        return
    for prior, per_class in ((FITTED, False), (PER_CLASS, True)):
        fit = fitted(known, per_class, clusters, times)
        if fit is not None:
            yield Candidate("dirichlet", prior, 1.0, replace(making, prior=fit.value, fit=fit))
    n, k = len(known.annotators), known.n_classes
    if n > 1 and n * k**2 <= MOST_CELLS and READS * len(known.label) * k <= MOST_READS:
        yield Candidate("dawid-skene", None, None, making)


def fitted(known: Labels, per_class: bool, clusters: Any, times: Array | None = None) -> DirichletPrior | None:
    """Return the prior under which the labels are most probable; None if there is none, or none that is finite."""
    if per_class and not 2 <= known.n_classes <= MOST_CLASSES:
        return None
    try:
        with notices.heard():  # nobody asked for this prior
            fit = fit_dirichlet_prior(known, per_class=per_class, clusters=clusters, frequency=times)
    except FAILED:
        return None
    return fit if np.isfinite(fit.value).all() else None


def _of_rankings(known: Rankings, making: Making) -> Iterator[Candidate]:
    """Yield Plackett-Luce at its middle reliability, then at those next to it, while they are quick to make."""
    values = list(map(float, RELIABILITIES["plackett-luce"]))
    middle, points = len(values) // 2, known.n_cases * (making.few["n_draws"] + LEARNING)
    for i, at in enumerate(sorted(range(len(values)), key=lambda at: abs(at - middle))):
        if (i + 1) * points <= MOST_POINTS:
            yield Candidate("plackett-luce", None, values[at], making)


def _first(how: str, making: Making) -> Candidate:
    values = RELIABILITIES[how]
    prior = f"{making.prior:g}" if how == "dirichlet" else None
    return Candidate(how, prior, float(values[len(values) // 2]), making)


def _row(role: str, one: Candidate, found: PanelCheck) -> CheckedTruth:
    return CheckedTruth(role, *one[:3], found.predicted, found.observed, found.p_value, found.n_cases)
