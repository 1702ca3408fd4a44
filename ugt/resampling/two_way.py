"""Intervals over cases and annotators: the variation over other cases that are judged by other annotators."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._base.arrays import Array, NDArray
from .._base.axes import Frozen
from .._base.checks import error, function, option
from .._base.notes import Note
from ..annotations import Labels, Rankings, Ratings
from ..annotations.joins import tells_joins
from ..annotations.other_annotators import case_offsets, only
from .cluster_ids import ids_of_cases
from .design import Design
from .number_facts import NumberFacts
from .panel import Panel
from .resamples import check_level
from .spread import RANDOM, SCALES, Parts, Spread, few_annotators, one_alone, say, spread_of, stretch_of, total_of
from .statistic import Statistic
from .student import LEAST_ALIKE, TIE, Jackknifed, UnitFacts, Units, few_clusters

if TYPE_CHECKING:
    from typing import Union

    Annotations = Union[Labels, Rankings, Ratings]

MOST_WORK, MOST_LABELS = 2e7, 300_000  # cases x annotators, and labels, above which tables omit these intervals: too slow
AT_END = "the number is at the end of its range"
ALIKE = "cases are few and all alike, so that they do not show how others would differ"
POPULATION = "other cases like these, judged by other annotators like these"


@dataclass(frozen=True, eq=False, repr=False)
class TwoWay(Frozen):
    r"""The spread of a number over other cases and other annotators, both random.

    With the influences ψ of G units (cases, or clusters of cases), and the number θ_(j) and its influences ψ_(j) without annotator j of R,
    who gave the share 1 / h_j of the labels, all on one scale,

    .. math::
        V_c = \frac{G}{G-1} \sum_u ψ_u^2, \quad V_a = \frac1R \sum_j \frac{(\tilde θ_j - \bar{\tilde θ})^2}{h_j - 1}, \quad
        V_e = \frac{G}{G-1} \frac1R \sum_{uj} \frac{e_{uj}^2}{h_j - 1}, \quad V = \max(V_c + V_a - V_e, V_c, V_a)

    V_a beyond V_e is then multiplied by :math:`R \sum_j h_j^{-2} / ((1 - 1/R) \sum_j 1 / (h_j - 1))`, which is 1 for even shares: the
    number varies with annotators by their variance times the sum of squares of their shares. Here,
    :math:`\tilde θ_j = h_j θ - (h_j - 1) θ_{(j)}`, and :math:`e_{uj}` are the pseudo-influences :math:`h_j ψ_u - (h_j - 1) ψ_{u(j)}`
    centred over annotators, then over units: the noise of single labels, which both cases and annotators include.

    Attributes
    ----------
    value : float
        The number.
    scale : {"identity", "log", "logit", "complement"}
        Scale on which the interval is symmetric; logit: of the share of the range; complement: log(1 - value).
    parts : mapping
        V_c as ``"cases"``, V_a as ``"annotators"`` and V_e as ``"both"``, on the scale.
    variance, std_error, df : float
        V on the scale; its root, on the scale of the value; Satterthwaite's degrees of freedom, to which
        annotators add fewer than R - 1 if their shares are uneven.
    n_units, n_annotators : int
        G (units with labels, if a judge scored others, too), and R: annotators with at least two labels.
    left_out : mapping
        Annotators who are not left out one by one, by reason.
    reason : str or None
        Why there is no interval.
    notes : tuple of notes
        Limits of the interval.
    random : ("cases", "annotators")

    Notes
    -----
    Intervals are value ± q on the scale, with q the largest of t √V, t of ``df`` degrees of freedom,
    :math:`\sqrt{t_{R-1}^2 \max(V_a - V_e, 0) + t_{G-1}^2 \max(V_c, V_a - \max(V_a - V_e, 0))}` (Banerjee) and
    :math:`t_{R-1} \sqrt{V_a}`, the interval for other annotators and the same cases; and they contain the interval over the cases
    alone (:meth:`Resamples.interval`): what varies more is never more certain. If the number is at an end of its range, the interval is
    Clopper & Pearson's one-sided one, with as many trials as there are annotators (units, if fewer).

    References
    ----------
    Busing, Meijer & van der Leeden, Statistics and Computing 9 (1999) 3 (unequal shares). Satterthwaite, Biometrics Bulletin 2 (1946) 110.
    Banerjee, Sankhyā 22 (1960) 355.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> random, truth = np.random.default_rng(3), np.arange(100) % 2
    >>> right = random.random((100, 6)) < [0.95, 0.9, 0.9, 0.8, 0.75, 0.7]  # annotators of unequal skill
    >>> alpha = ugt.krippendorff_alpha(ugt.Labels.from_wide(np.where(right, truth[:, None], 1 - truth[:, None])))
    >>> found = alpha.two_way()
    >>> round(found.value, 2), [round(end, 2) for end in alpha.interval()], [round(end, 2) for end in found.interval()]
    (0.49, [0.4, 0.57], [0.07, 0.72])
    >>> round(found.df, 1), {name: round(part, 4) for name, part in found.parts.items()}
    (5.0, {'cases': 0.0066, 'annotators': 0.0537, 'both': 0.0092})
    """

    value: float
    scale: str
    parts: Mapping[str, float]
    variance: float
    std_error: float
    df: float
    n_units: int
    n_annotators: int
    left_out: Mapping[str, int]
    reason: str | None
    notes: tuple[Note, ...]
    random: tuple[str, ...] = RANDOM
    _spread: Any = field(default=None, repr=False)
    _end: UnitFacts | None = field(default=None, repr=False)
    _span: tuple[float, float] = field(default=(-math.inf, math.inf), repr=False)
    _cases: Jackknifed | None = field(default=None, repr=False)

    @property
    def population(self) -> str:
        """The population of the interval, in words."""
        return POPULATION

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return ``(low, high)``; NaN if there is a ``reason``, or if fewer than two units count."""
        level = check_level(level)
        if self._end is not None:
            ends = self._end.at_end(np.array([self.value]), level)[0]
        else:
            half = math.nan if self.reason else self._spread.half_width(tuple(self.parts.values()), 0.5 + level / 2)
            scale = stretch_of(self.scale, self._span)
            with np.errstate(all="ignore"):
                ends = np.sort(scale.back(scale.to(np.float64(self.value)) + np.array([-half, half])))
            if self._cases is not None and not np.isnan(ends).any():
                alone = self._cases.ends(level)[0]
                ends = np.array([np.fmin(ends[0], alone[0]), np.fmax(ends[1], alone[1])])
        low, high = np.clip(ends, *self._span).tolist()
        return low, high

    def said(self) -> TwoWay:
        """Return the record itself, after warnings of the reason why there is no interval, or of its limits."""
        say(self.reason, self.notes)
        return self


def two_ways_of(one: Statistic, numbers: Sequence[int], design: Design | None) -> list[TwoWay]:
    """Return the spreads of some numbers of a statistic, whose kept cases have this design; None: there are no kept cases."""
    facts = one.facts
    scales = [facts.scale_of(number) for number in numbers]
    found = spread_of(one, numbers, scales, design)
    unit = np.eye(len(numbers))
    parts = [found.of(weights) for weights in unit]
    beyond = [i for i, given in enumerate(parts) if found.reasons[i] is None and not math.isfinite(sum(given))]
    if beyond:  # without some annotator a number is at the end of its scale: use the delta method instead
        plain = spread_of(one, [numbers[i] for i in beyond], ["identity"] * len(beyond), design)
        for i, weights in zip(beyond, np.eye(len(beyond))):
            slope = _slope(scales[i], facts.spans[numbers[i]], float(one.estimate[numbers[i]]))
            parts[i] = tuple(part * slope**2 for part in plain.of(weights))  # type: ignore[assignment]
    few = None if design is None or design.plain else few_clusters(found.n_units)
    notes = *few_annotators(found.n_annotators), *([few] if few else [])
    rows = zip(numbers, scales, parts, found.reasons, found.alone or (None,) * len(numbers))
    return [
        _record(one, found, design, (*notes, *one_alone(who), *facts.notes_of(number)), number, scale, part, reason)
        for number, scale, part, reason, who in rows
    ]


def design_if_named(one: Statistic, clusters: NDArray[Any] | None) -> Design | None:
    """Return the design, if annotators have names and the interval is quick to compute; ``clusters`` (N,) are of all cases."""
    try:
        known = one.panel.annotations()
    except ValueError:
        return None
    kept = one.kept
    if not kept.any() or len(known.annotators) * one.n_cases > MOST_WORK or len(known.annotator) > MOST_LABELS:
        return None
    return Design.of(int(kept.sum()), None if clusters is None else clusters[kept])


def ends_if_named(one: Statistic, numbers: Sequence[int], clusters: NDArray[Any] | None, level: float) -> Array:
    """Return the intervals (M, 2) of some numbers; NaN if annotators have no names, or if it would take too long."""
    design = design_if_named(one, clusters)
    if design is None:
        return np.full((len(numbers), 2), math.nan)
    return np.array([found.interval(level) for found in two_ways_of(one, numbers, design)])


def _slope(scale: str, span: Any, value: float) -> float:
    with np.errstate(all="ignore"):
        return abs(float(stretch_of(scale, span).slope(np.float64(value))))


def _record(
    one: Statistic,
    found: Spread,
    design: Design | None,
    notes: tuple[Note, ...],
    number: int,
    scale: str,
    parts: Parts,
    reason: str | None,
) -> TwoWay:
    value, facts, cases = float(one.estimate[number]), None, None
    span: tuple[float, float] = tuple(one.facts.spans[number].tolist())
    if reason is None and design is not None:
        units = Units.of(one, one.kept, design).take([number])
        if any(abs(value - end) <= TIE for end in span):
            facts = units.facts
        elif one.facts.smooth:
            cases = units.jackknifed(one.estimate[[number]])
    return record_of(value, scale, span, found, parts, reason, notes, facts, cases)


def record_of(
    value: float,
    scale: str,
    span: tuple[float, float],
    found: Spread,
    parts: Parts,
    reason: str | None,
    notes: tuple[Note, ...],
    facts: UnitFacts | None,
    cases: Jackknifed | None = None,
) -> TwoWay:
    """Return the record; ``facts`` are those of the units of a number at the end of its range, ``cases`` the spread over them alone."""
    end, slope = None, _slope(scale, span, value)
    if facts is not None:
        parts, end = (math.nan,) * 3, facts._replace(n=np.minimum(facts.n, found.n_annotators))
        reason = None if np.isfinite(facts.step).all() else AT_END
    total = float(total_of(*parts))
    if reason is None and scale != "identity" and total <= TIE**2 and found.n_units < LEAST_ALIKE:
        reason = ALIKE
    return TwoWay(
        value, scale, dict(zip((*RANDOM, "both"), parts)), total, math.sqrt(total) / slope if slope else math.nan, found.df(parts),
        found.n_units, found.n_annotators, found.left_out, reason, () if reason else notes, _spread=found,
        _end=end, _span=span, _cases=cases,
    )  # fmt: skip


# ---- statistics by users' functions ----


class Own(Statistic):
    """A statistic by a function of annotations and weights of cases, with its influence if that is known."""

    def __init__(self, annotations: object, statistic: Callable[..., Any], influence: Callable[..., Any] | None, scale: str) -> None:
        self._annotations, self.function, self.derivative, self._scale = annotations, statistic, influence, scale
        self.n_cases = len(case_offsets(annotations)) - 1

    def sums(self, cases: Array | None = None) -> Array:
        """Return the function's results."""
        weights = np.ones((1, self.n_cases)) if cases is None else cases
        return np.array([[_number(self.function(self._annotations, row))] for row in weights])

    def answer(self, sums: Array) -> Array:
        """Return the sums."""
        return sums

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(scales=(self._scale,), smooth=False)  # of unknown range: two_way() has no interval over cases alone

    @property
    def panel(self) -> Panel:
        return Panel(lambda: self._annotations, self._judged_by)

    def influence(self) -> Array | None:
        if self.derivative is None:
            return None
        found = np.asarray(self.derivative(self._annotations))
        if found.shape != (self.n_cases,) or found.dtype.kind not in "biuf":
            raise error("influence", f"return {self.n_cases} numbers, one per case", f"{found.dtype} of shape {found.shape}")
        return found.astype(np.float64)[:, None]

    def _judged_by(self, annotators: NDArray[Any]) -> Own:
        return Own(only(self._annotations, annotators), self.function, self.derivative, self._scale)


def _number(answer: object) -> float:
    found = np.asarray(answer)
    if found.dtype.kind not in "biuf" or found.size != 1:
        raise error("statistic", "return a number", f"{found.dtype} of shape {found.shape}")
    return float(found.reshape(-1)[0])


@tells_joins
def two_way(
    annotations: Annotations,
    statistic: Callable[..., Any],
    influence: Callable[..., Any] | None = None,
    *,
    scale: str = "identity",
    clusters: object = None,
) -> TwoWay:
    """Return the spread of your own statistic over other cases and other annotators, both random.

    Parameters
    ----------
    annotations : Labels, Rankings or Ratings
        Annotations with named annotators; not all need to judge all cases.
    statistic : function
        (annotations, (N,) float64 weights of the cases) -> number. It is called without each annotator; if ``influence`` is not given,
        it is called without each unit as well: once for every pair of annotator and unit.
    influence : function, optional
        annotations -> (N,) derivatives of the number by the weight of each case, at weights of 1.
    scale : {"identity", "log", "logit", "complement"}
        Scale on which the number is about normal: log for ratios, logit for shares, complement, log(1 - x), for chance-corrected agreement.
    clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Whole clusters of cases are one unit.

    Returns
    -------
    TwoWay
        Its ``interval`` and the parts of its variance.

    Raises
    ------
    TypeError
        If annotations are of another kind.
    ValueError
        If annotators have no names, if the statistic returns something else, or if an option does not fit.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> labels = ugt.Labels.from_wide([[1, 1, 0, 1, 1], [0, 0, 0, 1, 0], [1, 1, 1, 1, 1], [0, 1, 0, 1, 0], [1, 1, 1, 0, 1]])
    >>> def share(labels, weights):
    ...     counts = labels.counts()
    ...     return weights @ (counts[:, 1] / counts.sum(1)) / weights.sum()
    >>> found = ugt.resampling.two_way(labels, share, scale="logit")
    >>> round(found.value, 3), [round(end, 2) for end in found.interval()]
    (0.64, [0.22, 0.92])
    """
    if not isinstance(annotations, (Labels, Rankings, Ratings)):
        raise TypeError(f"annotations must be Labels, Rankings or Ratings. Got {type(annotations).__name__}.")
    function("statistic", statistic)
    if influence is not None:
        function("influence", influence)
    one = Own(annotations, statistic, influence, option("scale", scale, tuple(SCALES)))
    ids = annotations.case_ids if isinstance(annotations, Ratings) else annotations.axes.case_ids
    given = None if clusters is None else ids_of_cases("clusters", clusters, one.n_cases, ids)
    return two_ways_of(one, [0], Design.of(one.n_cases, given))[0].said()
