"""Intervals over cases and annotators: the variation over other cases that are judged by other annotators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array
from .._base.axes import Frozen
from .._base.laws import t_quantile
from .._base.notes import Note
from ..annotations import Labels, Rankings, Ratings
from .blocks import WithinGroups
from .panel_interval import PanelSpread
from .resamples import check_level
from .spread import (
    RANDOM,
    Parts,
    say,
    stretch_of,
)
from .student import Jackknifed, UnitFacts

if TYPE_CHECKING:
    from typing import Union

    Annotations = Union[Labels, Rankings, Ratings]

POPULATION = "other cases like these, judged by other annotators like these"
OTHER_GROUPS = "other groups of annotators like these, such as sites, with cases of their own"
THESE_GROUPS = "other cases like these, judged by other annotators like these, of the same groups"


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

    **Numbers that follow from counts of labels** (UA metrics of a Dirichlet posterior, of votes and of shares, agreement with one more
    annotator, the soft AUROC of two classes, and their differences) are computed for panels instead. A panel is R annotators drawn with
    replacement; all are listed for up to 7 annotators, otherwise 399 to 1,999 are drawn. With T_b the number of panel b, of probability
    p_b, its influences ψ_u(b), and :math:`κ_e = \sqrt{κ R / (R - 1)}`,

    .. math::
        V_a = κ \sum_b p_b (T_b - \bar T)^2, \quad V_e = κ_e \frac{G}{G-1} \sum_u Var_b ψ_u(b), \quad
        κ = \frac{\sum_j A_j^2}{\sum_j Var_b A_j(b)}, \quad A_j(b) = \sum_i \frac{m_{bj} z_{ij}}{\sum_k m_{bk} z_{ik}}

    with z the labels that annotators gave to cases, and m how often they are in the panel; κ = R / (R - 1) if all judged all cases.

    **Numbers of pairs of annotators** (agreement of annotators with each other beside that of a model, and discrepancies of labels and
    ratings) have the variance of leaving out annotators. Where annotators are of two kinds it can be near 0 although others would change
    the number. So panels add their quantiles to the ends, as below. In a panel the pairs of an annotator with himself do not count: with
    n labels of a case, :math:`n^2 - \sum_j m_j^2` pairs do.

    **Annotators in G groups without a common case**, such as the readers of sites: other annotators come with other cases, and the unit is
    the group. With the number θ_(g) without group g, which has the share a_g of the cases,
    :math:`V = \frac{G-1}{G} \sum_g (θ_{(g)} - \bar θ)^2`, with :math:`\max(1 / \sum a_g^2 - 1, 1)` degrees of freedom; there is no
    interval for two groups. If clusters are given, they join cases; if annotators give 95% of their labels in one cluster each, the
    clusters are the groups. Groups that have 5% of the labels together are left in the largest one.

    **Other annotators of the same G groups** are those of :meth:`these_groups`. With the number θ_s of each group alone, θ = Σ a_s θ_s,
    every part of the variance is a sum over groups, :math:`V_x = \sum_s a_s^2 V_{x,s}`, and

    .. math::
        df = V^2 / \sum_s a_s^4 \left(\frac{V_{c,s}^2}{n_s - 1} + \frac{V_{a,s}^2}{R_s - 1} + \frac{V_{e,s}^2}{(n_s - 1)(R_s - 1)}\right)

    The terms below have Satterthwaite's degrees of freedom over groups, with :math:`\sum a_s^2 \max(V_{a,s} - V_{e,s}, 0)` in place of
    V_a - V_e. The parts are changes of θ itself, while the annotators of one group are drawn or left out; so there are intervals of
    coefficients and areas, too, which are no means over cases. Each group needs two annotators and two cases.

    Attributes
    ----------
    value : float
        The number.
    scale : {"identity", "log", "logit", "complement"}
        Scale on which the interval is symmetric; logit: of the share of the range; complement: log(1 - value).
    parts : mapping
        V_c as ``"cases"``, V_a as ``"annotators"`` and V_e as ``"both"``, on the scale; V as ``"groups"`` if annotators share no case.
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
    alone (:meth:`Resamples.interval`): what varies more is never more certain. With panels of three or more they also contain
    :math:`θ - \sqrt{o d_L^2 + c^2}` to :math:`θ + \sqrt{o d_U^2 + c^2}` on the scale: :math:`o = \max(1 - V_e / V_a, 0)`, c half the
    interval over cases, and :math:`d_L = \sqrt{κ (R - 1) / R} (\max(\bar T, θ) - q_{α'})`,
    :math:`d_U = \sqrt{κ (R - 1) / R} (q_{1 - α'} - \min(\bar T, θ))` with quantiles q of T_b at
    :math:`α' = Φ(-\sqrt{R / (R - 1)} t_{R - 1, 1 - α / 2})`: where votes could have been others, quantiles move with them. If the
    number is at an end of its range, the interval is
    Clopper & Pearson's one-sided one, with as many trials as there are annotators (units, if fewer).

    References
    ----------
    Busing, Meijer & van der Leeden, Statistics and Computing 9 (1999) 3 (unequal shares). Satterthwaite, Biometrics Bulletin 2 (1946) 110.
    Banerjee, Sankhyā 22 (1960) 355. Owen, Annals of Applied Statistics 1 (2007) 386 (cases and annotators resampled).
    Hesterberg, The American Statistician 69 (2015) 371 (quantiles of few units). Zou & Donner, Statistics in Medicine 27 (2008) 1693
    (joining two intervals).

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
    _panels: PanelSpread | None = field(default=None, repr=False)
    _within: Callable[[], TwoWay] | None = field(default=None, repr=False)

    @property
    def one_by_one(self) -> bool:
        """Whether annotators were left out one by one, which does not see that votes could have been others."""
        if isinstance(self._spread, WithinGroups):
            return self._spread.one_by_one
        return self._panels is None and self.n_groups is None

    @property
    def effective_annotators(self) -> float:
        """The number of annotators with even shares of the labels who would give as many degrees of freedom."""
        return float(self._spread.effective)

    @property
    def population(self) -> str:
        """The population of the interval, in words."""
        if isinstance(self._spread, WithinGroups):
            return THESE_GROUPS
        return POPULATION if self.n_groups is None else OTHER_GROUPS

    def these_groups(self) -> TwoWay | None:
        """Return the spread over other cases and other annotators of the same groups, such as sites; None if annotators share cases."""
        return None if self._within is None else self._within().said()

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return ``(low, high)``; NaN if there is a ``reason``, or if fewer than two units count."""
        level = check_level(level)
        alone = None if self._cases is None else self._cases.ends(level)[0]
        if self._end is not None and (alone is None or math.isnan(alone[0])):
            alone = self._end.at_end(np.array([self.value]), level)[0]
        if alone is not None and self._end is not None and self._panels is None:
            ends = alone
        else:
            ends = self._ends(self._parts, None, level)
            if alone is not None:
                ends = np.asarray(containing(ends, alone))
        low, high = np.clip(ends, *self._span).tolist()
        return low, high

    def over_annotators(self, level: float = 0.95) -> tuple[float, float]:
        """Return ``(low, high)`` for other annotators of the same cases, which the interval over both contains; NaN as of that one."""
        if "groups" in self.parts:
            return math.nan, math.nan
        low, high = np.clip(self._ends((0.0, self.parts["annotators"], 0.0), (0.0, 0.0), check_level(level)), *self._span).tolist()
        return low, high

    @property
    def _parts(self) -> Parts:
        return self.parts.get("cases", math.nan), self.parts.get("annotators", math.nan), self.parts.get("both", math.nan)

    @property
    def n_groups(self) -> int | None:
        """The number of groups of annotators without a common case, over which the interval is; None if annotators share cases."""
        return self.n_units if "groups" in self.parts else None

    def _ends(self, parts: Parts, of_cases: tuple[float, float] | None, level: float) -> Array:
        """Return the ends for these parts of the variance; ``of_cases``: how far those over cases are, on the scale."""
        half = math.nan if self.reason else self._spread.half_width(parts, 0.5 + level / 2)
        scale = stretch_of(self.scale, self._span)
        with np.errstate(all="ignore"):
            middle = float(scale.to(np.float64(self.value)))
            ends = middle + np.array([-half, half])
            if self._panels is not None:
                far = self._of_cases(middle, level) if of_cases is None else of_cases
                ends = np.asarray(self._panels.containing(ends, middle, far, level))
            return np.sort(scale.back(ends))

    def _of_cases(self, middle: float, level: float) -> tuple[float, float]:
        """Return how far the ends of the interval over cases are, on the scale: those of few discordant cases, if they are farther."""
        half = float(t_quantile(self.n_units - 1.0, 0.5 + level / 2)) * math.sqrt(self.parts["cases"])
        few = None if self._cases is None or self._cases.pairs is None else self._cases.pairs.ends_of_few(level)[0]
        if few is None or math.isnan(few[0]):
            return half, half
        return max(half, middle - float(few[0])), max(half, float(few[1]) - middle)

    def said(self) -> TwoWay:
        """Return the record itself, after warnings of the reason why there is no interval, or of its limits."""
        say(self.reason, self.notes)
        return self


def containing(ends: Any, alone: Any) -> tuple[float, float]:
    """Return an interval over more sources, no end of which is nearer than that of the one over fewer; NaN stays NaN."""
    if math.isnan(ends[0]) or math.isnan(ends[1]):
        return math.nan, math.nan
    return float(np.fmin(ends[0], alone[0])), float(np.fmax(ends[1], alone[1]))
