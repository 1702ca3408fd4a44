"""The discrepancy ratio of one model: its record, intervals and non-inferiority test [C]; and the individual equivalence index."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array, Bools, NDArray
from .._base.axes import Frozen
from .._base.lazy import cached_property
from ..annotations.joins import tells_joins
from ..resampling import Answer, Merging, NumberFacts, Panel, Quotients, Result, Results, Statistic, finished
from ..resampling.merging import NO_SETTINGS
from ..resampling.spread import RANDOM
from .input import WHY, Compared, compare, ids_of
from .non_inferiority import NonInferiority, claimed_for, note_few, reaching, upper_limit
from .of_counts import counted
from .pairwise import guessing
from .sums import ALPHA, MU, N, distances_to_others, why_undefined, zeros

if TYPE_CHECKING:
    from ..resampling import Seed

OneOf = TypeVar("OneOf", bound="Judging")
ABOVE, BELOW = np.array([MU, ALPHA, MU]), np.array([ALPHA, N, N])  # columns of the ratio, of α and of μ


class Judging(Statistic):
    """A statistic of annotations compared with models; a statistic without annotations only computes answers from sums."""

    one_model = True  # cases without a prediction of the model are left out
    settings: Mapping[str, Any] = NO_SETTINGS
    columns: Array  # (N, ...) each case's contribution to the first sums; above 0 in the first column if the case counts

    def __init__(self, settings: Mapping[str, Any], compared: Compared | None = None, more: Any = None) -> None:
        self.settings, self._more, self._read_here = dict(settings), more, compared is not None
        if compared is not None:
            self.compared, self.n_cases = compared, compared.n_cases
            self.left_out = compared.sums.left_out(compared.predicted[0] if self.one_model else np.ones(self.n_cases, bool))
            self.read()

    @classmethod
    def of(cls: type[OneOf], compared: Compared, **settings: Any) -> OneOf:
        """Return the statistic with all annotators of the comparison."""
        return cls({"annotators": compared.annotators.tolist(), **settings}, compared, np.arange(len(compared.annotators)))

    def read(self) -> None:
        """Set the columns that are summed."""

    @property
    def kept(self) -> Bools:
        return np.asarray(self.columns[:, N] != 0)

    @property
    def facts(self) -> NumberFacts:
        return super().facts if self._read_here else NumberFacts.within(len(self.names), self.span)

    @property
    def panel(self) -> Panel:
        return super().panel._replace(annotations=self._annotations, judged_by=self._judged_by)

    @property
    def merging(self) -> Merging:
        return super().merging._replace(settings=self.settings)

    def _judged_by(self, annotators: NDArray[Any]) -> Judging:
        return type(self)(self.settings, self.compared.judged_by(annotators), self._more)

    def _annotations(self) -> Any:
        return self.compared.annotations


class OfAnnotations(Results):
    """A record of annotations compared with models."""

    @property
    def case_ids(self) -> NDArray[Any]:
        return ids_of(self._statistic.compared.annotations)


class OfRatio(Judging):
    """A statistic whose first number is Δ, and whose first sums are n, α and μ."""

    @property
    def merging(self) -> Merging:
        return super().merging._replace(finish=self._finish)

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Return the answer with the reason if the ratio is undefined."""
        return finished(self, sums, fixed, left_out)._replace(reason=why_undefined(int(sums[N]), sums[ALPHA]) or None)


class Discrepancy(OfRatio, Quotients):
    """Δ = Σ μ_i / Σ α_i, and the means α and μ."""

    names = ("value", "alpha", "mu")
    n_squared = 3

    @property
    def facts(self) -> NumberFacts:
        return super().facts._replace(scales=("log", "log", "log"), skewed=(0,))

    def read(self) -> None:
        self.columns = self.compared.sums.columns(self.compared.predicted[0])

    def parts(self, table: Array) -> tuple[Array, Array]:
        return table[:, ABOVE], table[:, BELOW]

    @property
    def panel(self) -> Panel:
        return super().panel._replace(counted=lambda number: counted(self.compared, (int(ABOVE[number]), int(BELOW[number]))))


@dataclass(frozen=True, eq=False, repr=False)
class DiscrepancyRatio(OfAnnotations, Result, Frozen):
    """The distance of a model from the annotators relative to their distance from each other; made by :func:`discrepancy_ratio`.

    Attributes
    ----------
    value : float
        Δ = μ / α. Below 1: closer to the annotators than they are to each other. If α = 0: NaN if μ = 0, else inf.
    alpha, mu : float
        Annotator discrepancy [C eq. 2] and model discrepancy [C eq. 3], means of the contributions of the cases.
    alpha_per_case, mu_per_case : (N,) arrays
        The contribution of each case; NaN if it does not count.
    guessing_baseline, covariance : float
        μ = guessing_baseline - 2 covariance [C eq. 8]. The baseline is the mean μ if the same predictions were dealt to these cases at
        random; the covariance is what knowledge of the case changes. For squared distances, and for two classes, it is the covariance of
        the prediction and the mean annotation over cases; for more classes, half the sum of the covariances of the class indicators. NaN
        for masks and for a function.
    case_ids : (N,) array
    n_cases, left_out : int, mapping
        Cases that count; cases that do not count, by reason.
    reason : str
        Why the value is not finite; empty if it is finite.

    Notes
    -----
    The numbers that are resampled together are ``value``, ``alpha`` and ``mu``.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.discrepancy_ratio([[0, 1, 1], [1, 1, 0], [0, 0, None]], [1, 1, 1])
    >>> round(found.value, 3), found.alpha_per_case.round(3), found.mu_per_case.round(3)
    (1.25, array([0.667, 0.667, 0.   ]), array([0.333, 0.333, 1.   ]))
    >>> [round(end, 2) for end in found.interval(of="alpha")]
    [0.0, 1.4]
    >>> split = ugt.discrepancy_ratio([[0, 1], [1, 1], [0, 0], [0, 0]], [1, 1, 0, 0])
    >>> split.mu, round(split.guessing_baseline, 3), round(split.covariance, 4)
    (0.125, 0.5, 0.1875)
    """

    value: float
    alpha: float
    mu: float
    n_cases: int
    left_out: Mapping[str, int]
    reason: str
    _statistic: Discrepancy = field(repr=False)

    @cached_property
    def alpha_per_case(self) -> Array:
        return self._per_case(ALPHA)

    @cached_property
    def mu_per_case(self) -> Array:
        return self._per_case(MU)

    @cached_property
    def guessing_baseline(self) -> float:
        return guessing(self._statistic.compared, self._statistic.kept)

    @property
    def covariance(self) -> float:
        return (self.guessing_baseline - self.mu) / 2

    def _per_case(self, column: int) -> Array:
        found = np.where(self._statistic.kept, self._statistic.columns[:, column], np.nan)
        found.flags.writeable = False
        return found

    def _over_both(self, number: int, level: float, kind: str, given: dict[str, Any]) -> tuple[float, float]:
        low, high = super()._over_both(number, level, kind, given)
        return low, reaching(high, self.statistic, self._units(given["clusters"]), level) if number == 0 else high

    def ends_if_named(self, level: float, clusters: object, alone: tuple[float, float]) -> tuple[float, float]:
        low, high = super().ends_if_named(level, clusters, alone)
        return low, reaching(high, self.statistic, self._units(clusters), level)

    def non_inferiority(
        self,
        margin: float = 0.0,
        *,
        level: float = 0.95,
        kind: str = "auto",
        clusters: object = None,
        strata: object = None,
        n_resamples: int = 1000,
        seed: Seed = 0,
        random: str | tuple[str, ...] = "auto",
    ) -> NonInferiority:
        """Test whether the model is worse than the annotators by less than a margin: the upper limit of Δ against 1 + margin [C sec. 3.2].

        Parameters
        ----------
        margin : float
            Above -1; 0.1: disagreement may be 10% larger than among annotators. A margin of 0 asks whether the model is closer to the
            annotators than they are to each other. In squared distance, if model and annotators err independently and without bias,
            Δ = (1 + τ²/σ²) / 2: a margin of 0.1 allows a model whose error has a standard deviation τ of √1.2 = 1.095 times an
            annotator's σ.
        level : float
            In (0.5, 1), one-sided: 0.95 uses the upper end of the 90% interval of the same kind, whatever is random.
        kind, clusters, strata, n_resamples, seed
            As for :meth:`interval`, where ``"auto"`` is ``"studentized"`` for Δ. In simulations at the margin with 50 to 200 cases,
            normal errors and five annotators, at level 0.95, ``"studentized"`` decides for the model in 3 to 5% of the data sets,
            ``"bca"`` in 5 to 7%, ``"percentile"`` in 6 to 10%: upper ends of the latter two are too low. With 50 cases of unequal
            difficulty, or in 25 clusters, it is 5 to 7%, in 10 clusters 7% (Monte Carlo error 0.4%). The rates hold for designs like
            these; other designs were not simulated.
        random : "auto", ("cases",) or ("cases", "annotators")
            For the same annotators, or also for other annotators: the upper end of :meth:`interval`. That is the end of :meth:`two_way`,
            whose log Δ alone would decide for the model too often, or of the contrast μ - r α (Fieller) if it is higher; it is infinite if
            α may be 0 for other annotators. Of labels and ratings it contains quantiles of panels of annotators. A note says what claims
            of fewer than six annotators rest on. ``"auto"``: other annotators,
            too, unless ``kind`` is one of resamples or ``strata`` are given, which only the same annotators have.

        Returns
        -------
        NonInferiority

        Raises
        ------
        ValueError
            If an option is out of range.
        """
        if isinstance(margin, bool) or not isinstance(margin, numbers.Real) or not math.isfinite(margin) or margin <= -1:
            raise checks.error("margin", "be a finite number above -1", repr(margin))
        whom = claimed_for(random, kind, strata) if math.isfinite(self.value) else RANDOM[:1]
        options = {"kind": kind, "clusters": clusters, "strata": strata, "n_resamples": n_resamples, "seed": seed, "random": whom}
        limit = upper_limit(self, level, **options)
        if "annotators" in whom and math.isfinite(limit):
            note_few(len(self.statistic.panel.annotations().annotators))
        return NonInferiority(self.value, limit, float(margin), float(level), bool(limit < 1 + margin), whom)


def record(statistic: Discrepancy, left_out: Mapping[str, int]) -> DiscrepancyRatio:
    """Return the record of a statistic; warn if the ratio is undefined."""
    value, alpha, mu = statistic.estimate.tolist()
    n = statistic.n_counted
    reason = why_undefined(n, alpha, left_out)
    if reason:
        notices.undefined(reason, stacklevel=3)
    return DiscrepancyRatio(value, alpha, mu, n, left_out, reason, statistic)


# ---- the individual equivalence index: how much more annotators would disagree if the model replaced one of them ----


class Substitution(Judging, Quotients):
    """γ = μ - α with its parts, and γ_j of A annotators by their positions, -1 for those who gave no label."""

    n_squared = 3

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("value", "alpha", "mu", "criterion", "coefficient", *(f"annotator {one}" for one in self.settings["annotators"]))

    def read(self) -> None:
        """Set the columns: n, α and μ of cases; then the number of cases and γ_j of every annotator."""
        model, own = distances_to_others(self.compared, self._more)
        cases = self.compared.sums.columns(self.compared.predicted[0])
        self.columns = np.concatenate([cases, ~np.isnan(model), zeros(model - own)], axis=1)

    def parts(self, table: Array) -> tuple[Array, Array]:
        """Return the numerators and denominators (R, 5 + A) of γ, α, μ, 2 γ / α, α / μ and γ_j."""
        n, alpha, mu = table.T[:3]
        inside, gamma = np.split(table[:, 3:], 2, axis=1)
        above, below = (mu - alpha, alpha, mu, 2 * (mu - alpha), alpha), (n, n, n, alpha, mu)
        return np.column_stack([*above, gamma]), np.column_stack([*below, inside])

    def numbers(self, sums: Array) -> dict[str, Array]:
        found = self.answer(sums)
        return {**dict(zip(self.names[1:5], found.T[1:])), "per_annotator": found[:, 5:]}

    @property
    def merging(self) -> Merging:
        return super().merging._replace(finish=self._finish, groups=lambda sums, fixed: np.split(sums[3:], 2)[0])

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Return the answer with the names of the annotators."""
        found = finished(self, sums, fixed, left_out)
        return found._replace(numbers={"annotators": np.array(self.settings["annotators"]), **found.numbers})


@dataclass(frozen=True, eq=False, repr=False)
class IndividualEquivalence(OfAnnotations, Result, Frozen):
    """The change in the annotators' disagreement if the model replaced one of them; made by :func:`individual_equivalence_index`.

    Attributes
    ----------
    value : float
        γ = μ - α. Above 0: more disagreement with the model; below 0: less.
    alpha, mu : float
        Mean distance between annotators, and from the model to annotators.
    criterion : float
        (μ - α) / (α / 2), the individual equivalence criterion of bioequivalence, where α / 2 is the variance within (squared distance).
    coefficient : float
        α / μ, the coefficient of individual agreement with the annotators as the reference: 1 or more if the model is as close as they are.
    annotators : (A,) array
    per_annotator : (A,) array
        γ_j: over the cases of annotator j, the mean distance of the model to the other annotators less that of j.
    n_cases, left_out : int, mapping
        Cases that count; cases that do not count, by reason.

    Notes
    -----
    The numbers that are resampled together are ``value``, ``alpha``, ``mu``, ``criterion``, ``coefficient`` and those of ``per_annotator``.

    Examples
    --------
    >>> import ugt
    >>> ratings = ugt.Ratings.from_wide([[3.0, 4, 5], [7, 7, 8], [1, 3, 2], [6, 5, 6], [9, 7, 8]])
    >>> found = ugt.papers.individual_equivalence_index(ratings, [4.0, 7.5, 2, 6, 8])
    >>> round(found.value, 3), round(found.mu, 3), round(found.alpha, 3)
    (-0.95, 0.517, 1.467)
    """

    value: float
    alpha: float
    mu: float
    criterion: float
    coefficient: float
    annotators: NDArray[Any]
    per_annotator: Array
    n_cases: int
    left_out: Mapping[str, int]
    _statistic: Substitution = field(repr=False)

    def interchangeable(self, margin: float, level: float = 0.95, *, kind: str = "auto", **options: Any) -> bool:
        """Return whether γ is below the margin by its one-sided upper limit (options of :meth:`interval`); False if there is no limit."""
        if isinstance(margin, bool) or not math.isfinite(margin):
            raise checks.error("margin", "be a finite number", repr(margin))
        return bool(upper_limit(self, level, kind=kind, **options) < margin)


@tells_joins
def individual_equivalence_index(
    annotations: object, predictions: object, *, distance: object = None, values: object = None, missing: str = "error"
) -> IndividualEquivalence:
    r"""Return how much more the annotators would disagree if the model took the place of one of them.

    .. math:: γ = E\,δ(m, Y_j) - E\,δ(Y_j, Y_{j'}) = μ - α

    with the averages of :func:`discrepancy_ratio`: within cases, then over cases. For δ = 0/1 it is the increase in the frequency of
    disagreement, for squared differences the increase in mean squared difference.

    Parameters
    ----------
    annotations, predictions, distance, values, missing
        As for :func:`discrepancy_ratio`, with the same errors; annotations must name their annotators.

    Returns
    -------
    IndividualEquivalence
        In the units of the distance.

    Notes
    -----
    The sign is that of the model less the replaced annotator, so that negative values favour the model (some papers print the difference
    of agreements, with the same sign for 1 - agreement). γ = α (Δ - 1): the index is in the units of the distance, the ratio is relative
    to α. In the original setting each reader reads with the new and with the old test; here the model is the new test, and reads alone.

    References
    ----------
    Obuchowski, Subhas & Schoenhagen (2014), "Testing for interchangeability of imaging tests", Academic Radiology 21(11); Barnhart,
    Kosinski & Haber (2007), "Assessing individual agreement", Journal of Biopharmaceutical Statistics 17(4) (criterion and coefficient).

    Examples
    --------
    >>> import ugt
    >>> ratings = ugt.Ratings.from_wide([[3.0, 4, 5], [7, 7, 8], [1, 3, 2], [6, 5, 6], [9, 7, 8]])
    >>> found = ugt.papers.individual_equivalence_index(ratings, [4.0, 7.5, 2, 6, 8])
    >>> found.per_annotator.round(2).tolist(), found.interchangeable(0.0)
    ([-1.25, -1.05, -0.55], True)
    """
    compared = compare(annotations, {"model": predictions}, distance, values, missing, known=WHY)
    one = Substitution.of(compared)
    value, alpha, mu, criterion, coefficient = one.estimate[:5].tolist()
    of_annotators = compared.annotators, one.estimate[5:]
    return IndividualEquivalence(value, alpha, mu, criterion, coefficient, *of_annotators, one.n_counted, one.left_out, one)
