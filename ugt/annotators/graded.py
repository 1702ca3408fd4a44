"""Graded response: each annotator sees the severity of a case and puts thresholds between the grades (Samejima 1969)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks, identifiers, notices, parallel
from .._base.arrays import Array, Bools, NDArray
from .._base.axes import Frozen
from .._base.grades import check_order
from .._base.names import listed
from .._base.ragged import row_of, sizes_of
from ..annotations import Labels
from ..plausibilities import Point
from ..plausibilities.draws import DenseDraws
from ..resampling import seed_of
from .em import Effort, climb
from .graded_fit import FINE, HALVINGS, REACH, ROUGH, GradedFit, Position, PriorWidths, Problem, laws, polish, start
from .records import GivenLabels, point_of

THRESHOLDS = ("common", "own")
PURPOSE = 13  # UGT_PURPOSE_ANNOTATORS


@dataclass(frozen=True, eq=False, repr=False)
class GradedResponse(Frozen):
    """A fitted graded-response model, as :func:`graded_response` returns it.

    Attributes
    ----------
    plausibilities : Point
        Probability of each grade to be the true one, given the estimates of the annotators; NaN for a case without labels.
    annotators : (A,) array of ids
        As in the labels.
    n_labels : (A,) array
        Labels of each annotator.
    leniency, leniency_error : (A,) arrays
        How much more severe a case must be before this annotator gives the same grade as the mean annotator, in standard deviations of
        the severity, with standard errors. They add up to 0. NaN for an annotator without labels.
    discrimination, discrimination_error : (A,) arrays
        Slope a of the annotator's logistic curves; 1.7 / a is about the standard deviation of the annotator's noise.
    thresholds, thresholds_error : (K - 1,) arrays
        Severity at which the mean annotator passes from each grade to the next; NaN beside a grade that nobody gave.
    cuts : (A, K - 1) array
        Thresholds of each annotator.
    severity, severity_sd : (N,) arrays
        Posterior mean and standard deviation, under a standard normal law of all cases; NaN without labels.
    log_likelihood : float
        Of the labels, at the answer.
    trace : array
        Log-likelihood plus log prior density at every iteration of EM, on its own nodes; it never falls.
    converged : bool
        Whether the last iteration gained less than the tolerance.
    n_groups : int
        Groups of annotators between whom no chain of shared cases leads; 1 is a connected design.
    left_out : mapping
        Cases left out, by reason.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 2], [2, 2, 2], [0, 1, 1], [1, 2, 2], [0, 0, 0], [2, 1, 2], [1, 1, 1]])
    >>> ugt.annotators.graded_response(labels).leniency.round(2)
    array([ 0.33,  0.13, -0.46])
    """

    plausibilities: Point
    annotators: NDArray[Any]
    n_labels: Array
    leniency: Array
    leniency_error: Array
    discrimination: Array
    discrimination_error: Array
    thresholds: Array
    thresholds_error: Array
    cuts: Array
    severity: Array
    severity_sd: Array
    log_likelihood: float
    trace: Array
    converged: bool
    n_groups: int
    left_out: Mapping[str, int]
    _fit: Any = field(repr=False, default=None)

    def draws(self, n_draws: int = 1000, *, seed: object = 0) -> DenseDraws:
        """Plausibilities with the uncertainty of the annotators' parameters.

        Each draw has parameters from their normal approximation at the answer (covariance: inverse observed information), and the law
        over grades given them.

        Parameters
        ----------
        n_draws : int
            At least 2.
        seed : int, Generator or SeedSequence
            Of the draws.

        Raises
        ------
        ValueError
            If there is no covariance: more than 1,000 annotators, or parameters that the labels do not determine.
        """
        n_draws = checks.whole("n_draws", n_draws, 2)
        problem, place, found, used = self._fit
        if found is None:
            must = "come from a fit whose parameters are determined, of at most 1,000 annotators"
            raise checks.error("draws", must, "a fit without the covariance of its parameters")
        from .._core._stream import Stream  # noqa: PLC0415  (only draws need it)

        axes = self.plausibilities.axes
        checks.room(f"{n_draws} draws", 8.0 * axes.n_cases * n_draws * axes.n_classes)
        value, vectors = np.linalg.eigh(found)
        root, centre = vectors * np.sqrt(np.maximum(value, 0.0)), place.vector()
        out, normal = np.zeros((axes.n_cases, n_draws, axes.n_classes)), np.empty(len(centre))
        stream = Stream(seed_of(seed), 0, 0, PURPOSE)
        for m in range(n_draws):
            near = place
            for _ in range(HALVINGS):  # thresholds that change places are drawn again
                stream.normal(normal)
                near = place.at(centre + root @ normal)
                if near.valid:
                    break
            out[:, m, used] = laws(problem, near if near.valid else place)[0]
        out[sizes_of(problem.given.labels.offsets) == 0] = np.nan
        out.flags.writeable = False
        return DenseDraws(axes, out)

    def __repr__(self) -> str:
        p = self.plausibilities
        return f"GradedResponse(n_cases={p.n_cases}, n_classes={p.n_classes}, n_annotators={len(self.annotators)})"


def graded_response(
    labels: object,
    *,
    thresholds: str = "common",
    prior: object = (2.0, 1.0),
    tolerance: float = 1e-9,
    max_iter: int = 1000,
    n_threads: int = 1,
) -> GradedResponse:
    r"""Severity of each case and the grade it deserves, from annotators who differ in leniency and in discrimination.

    Case i has a severity :math:`θ_i \sim N(0, 1)`; annotator j gives at least grade k with probability

    .. math:: P(y_{ij} \ge k \mid θ_i) = \frac{1}{1 + \exp(-a_j (θ_i - c_{jk}))}, \qquad c_{jk} = b_k + s_j

    independently given the severity. The true grade of a case is the one whose thresholds :math:`b_k` enclose its severity: the grade that
    the mean annotator gives without noise. Parameters have the highest posterior density, by expectation-maximisation with scoring steps,
    then Newton's steps.

    Parameters
    ----------
    labels : Labels
        Ordered labels, or labels whose classes are ascending numbers. Who gave each label must be known; at least two grades are used,
        and some case has labels of two annotators.
    thresholds : {"common", "own"}
        One set of thresholds b, which each annotator shifts by :math:`s_j`; or thresholds :math:`c_{jk}` of each annotator, who then must
        have used every grade that anybody used. With ``"own"``, :math:`b_k` is the mean of :math:`c_{jk}` over annotators.
    prior : None or (float, float)
        Standard deviations, between annotators, of :math:`s_j` (about 0) and of :math:`\log a_j` (about their own mean): half-pooled
        estimates, which stay finite where an annotator has few labels. None: maximum likelihood.
    tolerance : float
        EM ends when an iteration gains at most this much log posterior density a label.
    max_iter : int
        Most iterations of EM.
    n_threads : int
        Taken by every fit; this one has a single start, so that the number makes no difference.

    Returns
    -------
    GradedResponse
        The law of each case over grades (:class:`Point`), severities, and the annotators' parameters with standard errors.

    Raises
    ------
    TypeError, ValueError
        If ``labels`` are of another kind, have no order or say not who gave them; if only one grade is used or no case has two annotators;
        if ``thresholds="own"`` and an annotator has not used every grade; if an option is unknown or out of range.

    Warns
    -----
    RuntimeWarning
        If the fit has not converged; if the parameters are not determined (standard errors are then NaN); if an annotator's grades fall
        where those of the others rise, as on a reversed scale; if annotators are in groups that share no case.

    Notes
    -----
    The law of a case is exact given the estimates (quadrature to 1e-10); it does not hold their uncertainty, which
    :meth:`GradedResponse.draws` adds. Standard errors are from the observed information of all parameters jointly (Louis 1982), for more
    than 1,000 annotators one by one.

    A strict annotator and a severe case are told from each other by cases with several annotators alone; across groups of annotators who
    share no case, by the assumption that all cases are alike. The scale of severities is that of the cases given.

    The fit needs all labels in one place: expected counts of each iteration depend on the last one, so there is no state of parts.

    References
    ----------
    Samejima (1969), "Estimation of latent ability using a response pattern of graded scores"; marginal estimation: Bock & Aitkin (1981);
    shifts between annotators as in the rating-scale form of Muraki (1990).

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 2], [2, 2, 2], [0, 1, 1], [1, 2, 2], [0, 0, 0], [2, 1, 2], [1, 1, 1]])
    >>> found = ugt.annotators.graded_response(labels)
    >>> found.plausibilities.mean()[3].round(3)
    array([0.154, 0.846, 0.   ])
    """
    shared = checks.option("thresholds", thresholds, THRESHOLDS) == "common"
    spread = _spread(prior)
    effort = Effort.of(0, tolerance, max_iter, 0)
    with parallel.threads(n_threads):  # checks the number
        pass
    given = GivenLabels(labels)
    checks.room("thresholds of all annotators", 8.0 * given.n_annotators * given.n_classes)
    used = np.unique(given.labels.label)
    _check(given, used, shared)
    problem = Problem(given, used, spread)
    fit = GradedFit(problem, start(problem, shared))
    stop, step = np.zeros(1, np.int32), 0.0
    while step < 0.999 * problem.step:
        step = problem.step
        run = climb(fit, effort, given.total, stop)
        problem.refine(problem.fitting_step(fit.place, ROUGH))
        fit, step = GradedFit(problem, fit.place), problem.step if problem.step >= step else 0.0
    problem.refine(problem.fitting_step(fit.place, FINE), REACH)
    fit, found, error = polish(problem, GradedFit(problem, fit.place))
    n_groups = len(np.unique(given.groups[given.n_labels > 0]))
    _warn(problem, fit.place, run.converged, error, n_groups)
    return _record(problem, fit, run, (found, error), used, n_groups)


def _spread(prior: Any) -> PriorWidths:
    if prior is None:
        return PriorWidths(np.inf, np.inf)
    if np.ndim(prior) != 1 or len(prior) != 2:
        raise checks.error("prior", "be None or two standard deviations, of leniency and of log discrimination", repr(prior))
    return PriorWidths(*(checks.scalar("prior", one, positive=True) for one in prior))


def _check(given: GivenLabels, used: NDArray[Any], shared: bool) -> None:
    labels = given.labels
    check_order("labels", given.axes.classes, labels.ordered, least=1)
    lacking = undetermined(labels)
    if lacking is not None:
        raise checks.error("labels", *lacking)
    if not shared:
        has = np.zeros((given.n_annotators, given.n_classes), bool)
        has[labels.annotator, labels.label] = True
        lacks = (given.n_labels > 0) & ~has[:, used].all(1)
        if lacks.any():
            a = int(np.argmax(lacks))
            grade = labels.axes.class_name(int(used[np.argmin(has[a, used])]))
            must = "hold every grade from every annotator where thresholds='own' (or take thresholds='common')"
            raise checks.error("labels", must, f"no {grade}", f"annotator {identifiers.name(labels.annotators[a])}")


def undetermined(labels: Labels) -> tuple[str, str] | None:
    """Return what labels must do for a fit of severity and strictness, and what they do instead; None if they can be fitted."""
    used = np.unique(labels.label)
    if len(used) < 2:
        return "use at least two grades", f"one grade, {labels.axes.class_name(int(used[0]))}" if len(used) else "none"
    row = row_of(labels.offsets)
    if not ((row[1:] == row[:-1]) & (labels.annotator[1:] != labels.annotator[:-1])).any():
        return "have a case that two annotators labelled", "none: severity and strictness cannot be separated"
    return None


def _warn(problem: Problem, place: Position, converged: bool, error: Array, n_groups: int) -> None:
    if not converged:
        notices.warn("the fit has not converged within max_iter iterations: standard errors and laws may be off", stacklevel=4)
    if np.isnan(error).all():
        way = "take a prior, fewer grades, or more labels for each annotator"
        notices.warn(f"the labels do not determine all parameters, so that standard errors are NaN: {way}", stacklevel=4)
    if n_groups > 1:
        notices.warn(
            f"annotators are in {n_groups} groups that share no case: leniency is compared between the groups only by the assumption that "
            "their cases are alike",
            stacklevel=4,
        )
    names = problem.given.labels.annotators[problem.who]
    if problem.at_bound(place).any():
        named = listed(map(identifiers.name, names[problem.at_bound(place)]), 4)
        notices.warn(
            f"the discrimination of annotators {named} is at its bound, and its standard error NaN: their labels show no noise",
            stacklevel=4,
        )
    for a in np.flatnonzero(_reversed(problem)):
        name = identifiers.name(names[a])
        notices.warn(f"the grades of annotator {name} fall where those of the others rise: is that scale reversed?", stacklevel=4)


def _reversed(problem: Problem) -> Bools:
    """(A,) annotators whose grades have a clearly negative correlation with the mean grade of the others in the same cases."""
    row, score = row_of(problem.given.labels.offsets), problem.grade.astype(np.float64)
    total, size = (np.bincount(row, one)[row] for one in (score, np.ones(len(row))))
    kept = size > 1
    x, y, a = score[kept], ((total - score)[kept] / (size[kept] - 1)), problem.annotator[kept]
    n = np.maximum(np.bincount(a, minlength=len(problem.who)), 1)
    x, y = (one - (np.bincount(a, one, len(n)) / n)[a] for one in (x, y))
    xy, xx, yy = (np.bincount(a, one, len(n)) for one in (x * y, x * x, y * y))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.nan_to_num(xy / np.sqrt(xx * yy)) * np.sqrt(n) < -3.0)


def _record(problem: Problem, fit: GradedFit, run: Any, precision: Any, used: NDArray[Any], n_groups: int) -> GradedResponse:
    given, place, (found, error) = problem.given, fit.place, precision
    n, g, k = len(place.log_a), problem.n_grades, given.n_classes
    shift = place.shift if place.shared else place.threshold.mean(1) - place.threshold.mean()
    if place.shared:
        of_shift, of_threshold = error[1 : 2 * n : 2], error[2 * n :]
    else:
        own = np.kron(np.eye(n) - 1 / n, np.append(0.0, np.full(g - 1, 1 / (g - 1)))[None])
        mean = np.kron(np.full((1, n), 1 / n), np.eye(g)[1:])
        of_shift, of_threshold = (np.full(len(m), np.nan) if found is None else np.sqrt((m @ found * m).sum(1)) for m in (own, mean))
    of_log_a = np.where(problem.at_bound(place), np.nan, error[: n * (2 if place.shared else g) : 2 if place.shared else g])
    law, moments = laws(problem, place)
    moments[sizes_of(given.labels.offsets) == 0] = np.nan
    labelled = ~np.isnan(moments[:, 0])
    offsets = np.append(0, np.cumsum(g * labelled, dtype=np.int64))
    point = point_of(given.axes, offsets, np.tile(used.astype(np.int32), int(labelled.sum())), law[labelled].ravel())

    def everybody(values: Array) -> Array:
        out = np.full((given.n_annotators, *values.shape[1:]), np.nan)
        out[problem.who] = values
        return out

    def between(values: Array) -> Array:
        """Thresholds between grades that were used, at their places among all."""
        out = np.full((*values.shape[:-1], k - 1), np.nan)
        at = np.flatnonzero(np.diff(used) == 1)
        out[..., used[at]] = values[..., at]
        return out

    return GradedResponse(
        point, given.labels.annotators, given.n_labels, everybody(shift), everybody(of_shift), everybody(np.exp(place.log_a)),
        everybody(np.exp(place.log_a) * of_log_a), between(place.common), between(of_threshold), everybody(between(place.cut)),
        moments[:, 0], moments[:, 1], fit.log_likelihood, run.trace, run.converged, n_groups, given.left_out, (problem, place, found, used),
    )  # fmt: skip
