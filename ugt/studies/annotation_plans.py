"""The numbers of cases, labels per case and annotators that a study needs, from a pilot or from stated components of variance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .._base import notices
from .._base.axes import Frozen
from .._base.checks import error, finite, option, scalar, whole
from .._base.notes import Note
from .._base.wording import arg
from ..annotations.joins import tells_joins
from ..resampling import check_level
from ..resampling.spread import FEW_ANNOTATORS, RANDOM, with_annotators
from .components import PARTS, Components, InPilot
from .pilots import METRICS, OF_PAIRS, RANGES, Pilot, read_pilot
from .solving import ENOUGH, FEWER, MOST_CASES, prices, wanted_assurance, wanted_power, wanted_width
from .targets import AnnotationDesign, Target

SIZES = ("n_cases", "n_labels", "n_annotators")
NONE_SEEN = ". The estimate 0 does not show that annotators do not differ: the plan may be too small"
PAIRS_SHARE = 8  # with up to so many annotators a note says that what pairs of them share is not in plans for metrics of pairs


@dataclass(frozen=True, eq=False, repr=False)
class AnnotationPlan(Frozen):
    """The numbers of cases, labels per case and annotators that give the wanted width or power; made by :func:`plan_annotations`.

    Attributes
    ----------
    metric : str
    value : float
        Of the pilot, or as stated; NaN if it is unknown.
    components : mapping
        Variances, in units of the metric squared, that ``"cases"``, ``"annotators"`` and single ``"labels"`` (with the interaction of cases
        and annotators) add to a score, and ``"pairs"``: the variance that single pairs of labels add. Negative estimates are
        shown as they are, and count as 0; NaN: unknown.
    table : tuple of designs
        For each number of annotators, from the least that suffices, the cheapest design that meets the target: ``n_cases``, ``n_labels``
        per case, ``n_annotators``, ``std_error``, ``width``, ``power`` and ``cost``. Without a target it is empty. With ``assurance``,
        width and power are those that hold with this probability; the standard error is the expected one.
    best : design or None
        The cheapest design of the table; of equally cheap designs, the one with the fewest annotators.
    alternatives : tuple of designs or None
        If the pilot has fewer than 5 annotators: the best plans with the annotators' part 0, as estimated, and twice the estimate. Empty
        if the estimate is not above 0, so that these plans are one.
    random : tuple of str
        Population of the widths: ``("cases", "annotators")``, or ``("cases",)`` for other cases and the same annotators.
    level : float
    assurance : float or None
    n_cases, n_labels, n_annotators : int, float, int
        Of the pilot: cases with labels, labels per case, annotators; 0 if components were stated.
    notes : tuple of str
        Assumptions and limits of the plan.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.plan_annotations(components={"cases": 0.09, "annotators": 0.002, "labels": 0.12}, width=0.15, cost=(2, 1, 5))
    >>> found.best.n_cases, found.best.n_labels, found.best.n_annotators, round(found.best.width, 3)
    (121, 2, 14, 0.15)
    """

    metric: str
    value: float
    components: Mapping[str, float]
    table: tuple[AnnotationDesign, ...]
    best: AnnotationDesign | None
    alternatives: tuple[AnnotationDesign | None, ...]
    random: tuple[str, ...]
    level: float
    assurance: float | None
    n_cases: int
    n_labels: float
    n_annotators: int
    notes: tuple[Note, ...]
    _target: Target = field(repr=False)
    _pilot: Pilot | None = field(repr=False)

    def design(self, n_cases: int, n_labels: float, n_annotators: int) -> AnnotationDesign:
        """Return the precision of your own design: N cases with K labels each (K may be a mean), by A annotators who share them evenly.

        Raises
        ------
        ValueError
            If there are more labels per case than annotators, or fewer than 2 cases or annotators.
        """
        n, k, a = whole("n_cases", n_cases, 2), scalar("n_labels", n_labels), whole("n_annotators", n_annotators, 2)
        if k < 1:
            raise error("n_labels", "be at least 1", n_labels)
        if k > a:
            raise error("n_labels", f"be at most the {a} annotators", k)
        self._target.check_labels(k)
        return self._target.designs(np.array([n]), np.array([k]), np.array([a]))[0]

    def next_step(self, n_cases: int | None = None, n_labels: float | None = None, n_annotators: int | None = None) -> dict[str, float]:
        """Return by which share the variance falls per unit of cost for each next purchase, largest first.

        ``"case"``: another case with as many labels; ``"label"``: another label of every case (by another annotator if all of them label
        each case); ``"annotator"``: another annotator, who takes over a share of the labels; infinite if it costs nothing.

        Parameters
        ----------
        n_cases, n_labels, n_annotators : numbers, optional
            The present numbers. Default: those of the pilot, or of the best plan if components were stated.
        """
        here = self.best if self._pilot is None else self
        if here is None and None in (n_cases, n_labels, n_annotators):
            raise error("n_cases, n_labels and n_annotators", "be given if there is neither a pilot nor a best plan", None)
        n, k, a = (getattr(here, name) if one is None else one for name, one in zip(SIZES, (n_cases, n_labels, n_annotators)))
        return self._target.next_step(scalar("n_cases", n), scalar("n_labels", k), scalar("n_annotators", max(a, k)))

    def interval(self, of: str = "width", level: float = 0.95) -> tuple[float, float]:
        """Return the pilot's interval for a component, or for the ``"width"`` or ``"std_error"`` of the best plan.

        By the jackknife, over the pilot's cases and over its annotators (Satterthwaite's degrees of freedom; for ``"width"``
        and ``"std_error"`` of the logarithm of the variance). NaN if components were stated, or if an annotator cannot be left out.

        Parameters
        ----------
        of : {"width", "std_error", "cases", "annotators", "labels"}
        level : float

        Returns
        -------
        (low, high)
        """
        level = check_level(level)
        option("of", of, ("width", "std_error", *PARTS[:3]))
        if self._pilot is None or (of in ("width", "std_error") and self.best is None):
            return math.nan, math.nan
        return self._target.interval(self._pilot, of, level, self.best)


@tells_joins
def plan_annotations(
    labels: object = None,
    scores: object = None,
    *,
    metric: str = "agreement",
    components: Mapping[str, float] | None = None,
    value: float | None = None,
    width: float | None = None,
    power: float | None = None,
    difference: float | None = None,
    margin: float | None = None,
    cost: tuple[float, float, float] = (1.0, 1.0, 0.0),
    max_annotators: int = 50,
    level: float = 0.95,
    random: tuple[str, ...] = RANDOM,
    assurance: float | None = None,
) -> AnnotationPlan:
    r"""Return how many cases, labels per case and annotators a study needs, from a pilot or from stated components of variance.

    The contribution of a label to a metric is the sum of parts of its case, its annotator and the label itself. With N cases, K labels
    per case and A annotators who share the labels evenly,

    .. math:: V = \frac{σ^2_{cases}}{N} + \frac{σ^2_{annotators}}{A} + \frac{σ^2_{labels}}{NK} + \frac{2 σ^2_{pairs}}{NK(K - 1)}

    (the last for metrics of pairs of annotators only). The components come from mean products of the scores of two labels of one case,
    of one annotator, and of neither, in closed form for any incomplete design, without simulation.

    Parameters
    ----------
    labels : Labels, or (N, A) array
        The pilot: at least 10 cases with two labels, by at least 2 annotators. If annotators are not named, the plan is for these
        annotators only.
    scores : (N, K) array, or (N,) or (N, 2) for ``"soft_auroc"``; anything with case ids; two of these for ``"difference"``
        Scores of the model; for ``"discrepancy"`` predictions as for :func:`discrepancy_ratio`. Agreement of annotators has none.
    metric : {"agreement", "difference", "soft_auroc", "discrepancy", "alpha", "kappa", "ac1", "percent_agreement"}
        Agreement of the model's first choice with one more annotator (:func:`next_annotator_agreement`); the difference of two models'
        agreement, first less second; :func:`soft_auroc` of the second of two classes; :func:`discrepancy_ratio`;
        :func:`krippendorff_alpha` (nominal), :func:`fleiss_kappa`, :func:`gwet_ac1`, :func:`percent_agreement`.
    components : mapping, optional
        In place of a pilot: variances ``"cases"``, ``"annotators"`` and ``"labels"``, and ``"pairs"`` (default 0), as in
        ``AnnotationPlan.components``.
    value : float, optional
        With ``components``: the expected value of the metric. Intervals are then those of the metric, which are not symmetric.
    width : float, optional
        Wanted width of the interval, upper end less lower end, in units of the metric.
    power : float, optional
        In (0, 1): wanted probability that the interval excludes the number that is tested.
    difference : float, optional
        For power: the true value less the number that is tested (for ``"difference"`` the true difference of the models). With
        ``margin`` it is 0 by default: the true difference, or the true discrepancy ratio less 1.
    margin : float, optional
        Non-inferiority, one-sided at ``level``: for ``"difference"`` that the first model is below the second by less than this, for
        ``"discrepancy"`` that the ratio is below 1 + margin.
    cost : three numbers
        Cost of a case, of a label and of an annotator; at least 0.
    max_annotators : int
        Largest number of annotators in a plan, at most 1,000. Numbers above 50 are tried in steps of 5%.
    level : float
        Level of the intervals, in (0, 1).
    random : tuple of str
        ``("cases", "annotators")``: the interval is for other cases and other annotators; ``("cases",)``: for other cases
        and the same annotators.
    assurance : float, optional
        In [0.5, 1), with a pilot: the probability, over pilots and studies, that an interval is at most ``width`` wide, and the share of
        pilots whose plans have the wanted power; 0.9 is usual. Default: none, the pilot's components are taken as known, and about half of
        the studies reach the width, fewer after a small pilot.

    Returns
    -------
    AnnotationPlan
        Without ``width`` and ``power`` only components, :meth:`AnnotationPlan.design` and :meth:`AnnotationPlan.next_step`.

    Raises
    ------
    ValueError
        If the pilot is too small, has one label per case or one annotator, or labels that do not vary; if an option is out of range.

    Notes
    -----
    Widths are t times the standard error, with the degrees of freedom of intervals over cases and annotators (Satterthwaite, or
    a wider one, see :class:`ugt.resampling.TwoWay`), cut to the range of the metric: with few annotators they are much wider than
    2 × 1.96 standard errors. Without ``assurance`` the plan takes the components as known; :meth:`AnnotationPlan.interval` gives their
    uncertainty in the pilot. With it, V counts as V + √(t² s² + (χ² / df - 1)² V²), with s the jackknife's standard error of V over the
    pilot's cases and annotators, t its quantile, and χ² that of the study's own degrees of freedom; for power as V + t s.

    Cases are taken as independent: if patients have several cases, use one per patient for the pilot. In metrics of pairs of annotators,
    what two annotators share is not in the formula: in simulations the standard error was 3 to 5% too small with 8 annotators, 8 to 20%
    with three. UA accuracy with a prior is not a mean over labels: :func:`expected_certainty` gives the effect of further labels.

    References
    ----------
    Koch (1967), "A general approach to the estimation of variance components", Technometrics 9(1) (mean products of pairs); Brennan
    (2001), "Generalizability Theory" (from components to designs).

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(1)
    >>> truth, skill = rng.integers(0, 3, 100), rng.beta(6, 2, 6)
    >>> wide = np.where(rng.random((100, 6)) < skill, truth[:, None], rng.integers(0, 3, (100, 6)))
    >>> model = np.eye(3)[np.where(rng.random(100) < 0.8, truth, 0)]
    >>> found = ugt.plan_annotations(ugt.Labels.from_wide(wide), model, width=0.15, cost=(5, 1, 50))
    >>> found.best.n_cases, found.best.n_labels, found.best.n_annotators
    (142, 2, 13)
    """
    option("metric", metric, tuple(METRICS))
    costs, most, people = (
        prices(cost, ("a case", "a label", "an annotator")),
        whole("max_annotators", max_annotators, 2, 1000),
        with_annotators(random),
    )
    level = check_level(level)
    wanted = wanted_width(width, RANGES[metric], f"metric {metric!r}")
    power = wanted_power(power)
    difference, margin = _checked_test(metric, power, difference, margin)
    if components is None:
        pilot: Pilot | None = read_pilot(labels, scores, metric, margin)
        if value is not None:
            raise error("value", "be left out if labels are given", value)
    elif labels is not None or scores is not None:
        raise error("components", "be left out if labels are given", "both")
    else:
        pilot = None
    number, parts = _stated(components, value, metric) if pilot is None else (pilot.value, pilot.parts.components)
    tested, unit = (parts, 1.0) if pilot is None else (pilot.tested.components, pilot.unit)
    if not people:
        parts, tested = (one._replace(annotators=np.asarray(math.nan)) for one in (parts, tested))
    target = Target(metric, number, parts, tested, math.nan, margin is None, wanted, power, costs, level, most, None)
    target = target._replace(effect=target.effect_of(difference, margin, unit), only_labels=None if pilot is None else pilot.only_labels)
    if assurance is not None:
        sure = wanted_assurance(assurance, "the labels of a pilot" if pilot is None else None)
        target = target._replace(assurance=sure, in_pilot=_in_pilot(pilot, target.annotators_random))
    return _plan(target, pilot)


def _in_pilot(pilot: Pilot | None, people: bool) -> tuple[InPilot, InPilot]:
    """Return how far the components, and those for power, vary over pilots; refuse a pilot that does not show it."""
    assert pilot is not None
    with np.errstate(invalid="ignore"):
        first, tested = (InPilot.of(one, people) for one in (pilot.parts, pilot.tested))
    if not all(np.isfinite(one).all() for one in (*first.covariances, *tested.covariances)):
        must = "be left out for a pilot in which a part of the variance is unknown without one of its annotators or cases"
        way = "label more cases, by at least three annotators"
        raise error("assurance", must, f"{pilot.n_annotators} annotators and {pilot.n_cases} cases", way=way)
    return first, tested


def _checked_test(metric: str, power: float | None, difference: object, margin: object) -> tuple[float | None, float | None]:
    """Return the difference and the margin; refuse power without the number to test, and a test that the metric does not have."""
    if difference is not None:
        difference = finite("difference", difference)
    if margin is not None:
        if metric not in ("difference", "discrepancy"):
            raise error("margin", "be left out except for the metrics 'difference' and 'discrepancy'", margin)
        margin = finite("margin", margin)
        if metric == "difference" and margin > 1:
            raise error("margin", "be at most 1 for metric 'difference' (5 percentage points are 0.05)", margin)
        if margin < 0 or (margin == 0 and metric == "difference"):
            raise error("margin", "be above 0" if metric == "difference" else "be at least 0", margin)
    elif metric == "discrepancy" and (power is not None or difference is not None):
        raise error("margin", "be given for power of metric 'discrepancy' (0: is the model closer to the annotators than they are?)", None)
    if power is not None and margin is None and not difference:
        raise error("difference", "be given for power: the true value less the number that is tested, not 0", difference)
    return difference, margin


def _stated(given: object, value: object, metric: str) -> tuple[float, Components]:
    """Return the stated components, and the value, NaN if it is not stated."""
    if not isinstance(given, Mapping) or not set(PARTS[:3]) <= set(given) <= set(PARTS):
        got = sorted(map(str, given)) if isinstance(given, Mapping) else type(given).__name__
        raise error("components", "have the variances 'cases', 'annotators' and 'labels' (and may have 'pairs')", got)
    parts = [scalar(f"components[{name!r}]", given.get(name, 0.0)) for name in PARTS]
    if not any(parts):
        raise error("components", "not all be 0", given)
    number = math.nan if value is None else finite("value", value)
    if value is not None and not Target.possible(metric, number):
        raise error("value", f"be inside the range of metric {metric!r}", value)
    return number, Components(*map(np.asarray, parts))


def _plan(target: Target, pilot: Pilot | None) -> AnnotationPlan:
    asked = target.width is not None or target.power is not None
    table = target.solve()
    impossible = _impossible(target) if asked and not table else None
    notes = [*(() if pilot is None else pilot.notes), *_notes(target, table, impossible)]
    alternatives: tuple[AnnotationDesign | None, ...] = ()
    if pilot is not None and target.annotators_random and pilot.n_annotators < FEW_ANNOTATORS:
        some = max(target.parts.annotators, target.tested.annotators) > 0
        plans = ": see the plans for 0, 1 and 2 times the estimate" if asked and some else "" if some else NONE_SEEN
        words = "the pilot has {n} annotators, so that the annotators' part is poorly known{plans}."
        notes.append(Note("few_in_pilot", words, n=pilot.n_annotators, plans=plans))
        alternatives = tuple(_best(target.with_annotators(factor).solve()) for factor in (0.0, 1.0, 2.0)) if asked and some else ()
    if impossible is not None:
        notices.warn(impossible, stacklevel=3)
    sizes = (0, math.nan, 0) if pilot is None else (pilot.n_cases, pilot.n_labels, pilot.n_annotators)
    parts = {name: float(part) for name, part in zip(PARTS, target.parts)}
    random = RANDOM if target.annotators_random else RANDOM[:1]
    of_target = target.metric, target.value, parts, table, _best(table), alternatives, random, target.level, target.assurance
    return AnnotationPlan(*of_target, *sizes, tuple(notes), target, pilot)


def _best(table: tuple[AnnotationDesign, ...]) -> AnnotationDesign | None:
    """Return the cheapest design; of equally cheap designs, the one with the fewest annotators."""
    return min(table, key=lambda one: (one.cost, one.n_annotators), default=None)


def _impossible(target: Target) -> Note:
    """Return why no design meets the target."""
    up_to, least = f"no number of cases up to {MOST_CASES:,} is enough", target.people_needed() if target.annotators_random else 0
    if not target.annotators_random:
        why = up_to
    elif least is None:
        why = "no number of cases and annotators is enough"
    elif least <= target.most:
        why = f"{up_to} with up to {target.most} annotators"
    else:
        why = (
            f"no number of cases is enough with up to {target.most} annotators: the differences between annotators alone require at least "
        )
        why += f"{least:,}"
    return Note("no_design", "{why}.", why=why)


def _notes(target: Target, table: tuple[AnnotationDesign, ...], impossible: Note | None) -> list[Note]:
    """Return the limits of the components and of the table, or why it is empty."""
    negative = "the estimated variance between {name} is negative; it counts as 0."
    notes = [Note("negative_variance", negative, name=name) for name, part in zip(PARTS, target.parts) if part < 0]
    if impossible is not None:
        notes.append(impossible)
    if not table or not target.annotators_random:
        return notes
    fewest = table[0].n_annotators
    if fewest > max(2, target.only_labels or target.least_labels):
        notes.append(Note("fewest_annotators", FEWER + "annotators" + ENOUGH, n=fewest, most=MOST_CASES))
    if target.cost[2] == 0:
        words = "annotators cost nothing here, so that the cheapest plan has many: give the cost of one as the third number of "
        notes.append(Note("free_annotators", words + arg("cost", ...) + "."))
    if target.metric in OF_PAIRS and fewest <= PAIRS_SHARE:
        words = "widths are too small with few annotators, by 5% with 8 and up to 20% with 3: what two of them share is not counted."
        notes.append(Note("widths_too_small", words))
    return notes
