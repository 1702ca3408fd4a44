"""Truth from ratings on a scale: exact posteriors, certainty at a cut, accuracy of cut or binned predictions [A appendix A]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array, Int64
from .._base.axes import Frozen
from .._base.identifiers import as_array
from ..annotations import Ratings
from ..annotations.joins import tells_joins
from ..annotations.named import table as in_order
from . import estimates as results
from .comparisons import Comparison
from .fitted_normal import FittedNormal, RatingSums, key_of, log_likelihoods
from .means import means
from .normal_posterior import KINDS, NormalPosterior, cuts_of

__all__ = ["NormalPosterior", "NormalPrior", "fit_normal_prior", "normal", "rating_certainty", "ua_rating_accuracy"]

CERTAINTIES = (*KINDS, "expected_max")
NO_RATINGS = "case without ratings"
# Above these, the means or variances of all cases are equal for practical purposes (``at_bound``).
MOST_SHAPE, MOST_KAPPA = 1e6, 1e6
LEAST = 1e-8
HERMITE = 40


@dataclass(frozen=True, eq=False, repr=False)
class NormalPrior(Frozen):
    """A prior for every case: ``μ | σ² ~ N(location, σ² / kappa)``, ``σ² ~ InvGamma(shape, scale)``.

    Attributes
    ----------
    location, kappa, shape, scale : float
        m0, κ0, a0, b0.
    converged : bool or None
        Whether the fit converged; None for a prior that was given.
    gradient_norm : float or None
        Norm of the gradient of the mean log-likelihood per rating in (m0 / sd, log κ0, log a0, log(b0 / a0)), without the coordinates
        at a bound.
    log_likelihood : float or None
        Marginal log-likelihood of all ratings.
    at_bound : tuple of str
        ``"kappa"``: the means of all cases are practically equal; ``"shape"``: their variances are.
    fitted_to : int or None
        A number that tells the ratings to which it was fitted from others. Intervals over cases include that it was fitted to these.

    Examples
    --------
    >>> import ugt
    >>> ugt.truth.NormalPrior(0.0, 1.0, 2.0, 1.5).converged is None
    True
    """

    location: float
    kappa: float
    shape: float
    scale: float
    converged: bool | None = None
    gradient_norm: float | None = None
    log_likelihood: float | None = None
    at_bound: tuple[str, ...] = ()
    fitted_to: int | None = None


def normal(ratings: object, *, prior: object = "fit", reliability: float = 1.0) -> NormalPosterior:
    r"""Return the exact posterior of the mean μ and variance σ² of the ratings of each case.

    Ratings are :math:`N(μ, σ^2)`; :math:`μ | σ^2 \sim N(m_0, σ^2/κ_0)`, :math:`σ^2 \sim InvGamma(a_0, b_0)`. With n ratings of mean ȳ and
    sum of squared deviations S, reliability γ [A appendix A],

    .. math:: κ = κ_0 + γn, \quad m = (κ_0 m_0 + γ n ȳ)/κ, \quad a = a_0 + γn/2, \quad
        b = b_0 + \tfrac{γ}{2} S + \tfrac{κ_0 γ n}{2κ}(ȳ - m_0)^2

    Parameters
    ----------
    ratings : Ratings, or (N, A) array with NaN for missing ratings
        Every rating counts.
    prior : "fit", NormalPrior or (m0, κ0, a0, b0)
        ``"fit"`` (default): by maximum marginal likelihood over the cases, see :func:`fit_normal_prior`.
    reliability : float
        γ > 0: the likelihood is raised to this power. Default 1.

    Returns
    -------
    NormalPosterior
        The parameters of each case; NaN for a case without ratings.

    Raises
    ------
    ValueError
        If ratings are not finite numbers, κ0, a0, b0 or γ are not above 0, or no prior can be fitted.

    References
    ----------
    [A] Stutz et al. (2023), appendix A, footnote 3. Gelman et al., "Bayesian data analysis", sec. 3.3.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.truth.normal([[5, 6, 7, 4], [3, 3, float("nan"), 4]], prior=(5, 0.5, 1.5, 2.0))
    >>> post.location.round(3), post.probability_above(5).round(3)
    (array([5.444, 3.571]), array([0.633, 0.125]))
    """
    known = ratings if isinstance(ratings, Ratings) else Ratings.from_wide(ratings)
    gamma = checks.scalar("reliability", reliability, positive=True)
    law = fit_normal_prior(known) if isinstance(prior, str) and prior == "fit" else prior_of(prior)
    sums = RatingSums.of(known)
    with np.errstate(over="ignore", invalid="ignore"):
        found = sums.posterior((law.location, law.kappa, law.shape, law.scale), gamma)
    infinite = (sums.n > 0) & ~np.isfinite(found[3])
    if infinite.any():
        where = f"case {known.case_name(int(np.argmax(infinite)))}"
        raise checks.error("ratings", "have finite squares", float(np.abs(known.value).max()), where)
    fitted = FittedNormal(sums, gamma, law) if law.fitted_to == key_of(known) else None
    return NormalPosterior(known.case_ids, *found, known.numbered, fitted)


def prior_of(prior: object) -> NormalPrior:
    """Return a prior that was given, as a record; reject others."""
    if isinstance(prior, NormalPrior):
        return prior
    must = "be 'fit', a NormalPrior or four finite numbers (m0, kappa0, a0, b0), the last three above 0"
    try:
        values = np.asarray(prior, np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0)
    if values.shape != (4,) or not np.isfinite(values).all() or not (values[1:] > 0).all():
        raise checks.error("prior", must, repr(prior))
    return NormalPrior(*values.tolist())


# ---- the prior that fits best


def fit_normal_prior(ratings: object) -> NormalPrior:
    """Fit the prior under which the ratings of all cases together are most probable: maximum marginal likelihood.

    Parameters
    ----------
    ratings : Ratings, or (N, A) array with NaN for missing ratings
        At least two cases, and a case with two different ratings.

    Returns
    -------
    NormalPrior
        The prior and the state of the fit; there is a warning if the fit has not converged.

    Raises
    ------
    ValueError
        If no finite prior is best: in every case all ratings are equal, or no case has two.

    Notes
    -----
    The fit is by L-BFGS with the analytic gradient, on standardised ratings. κ0 and a0 are at most 1e6, where the means or the
    variances of all cases are practically equal (``at_bound``).

    Examples
    --------
    >>> import ugt
    >>> prior = ugt.truth.fit_normal_prior([[1, 2, 3], [7, 6, 8], [4, 4, 5], [2, 9, 4], [5, 5, 6]])
    >>> round(prior.location, 2), prior.converged
    (4.82, True)
    """
    from scipy.optimize import minimize  # noqa: PLC0415  (scipy is slow to import)

    known = ratings if isinstance(ratings, Ratings) else Ratings.from_wide(ratings)
    sums = RatingSums.of(known)
    n_cases = int((sums.n > 0).sum())
    if n_cases < 2:
        raise checks.error("ratings", "have at least two cases, to fit a prior (or give a prior)", n_cases)
    if not (sums.squares > 0).any():
        raise checks.error("ratings", "have cases with two different ratings, to fit a prior (or give a prior)", "none")
    centre, width = float(known.value.mean()), float(known.value.std())
    kept = sums.n > 0
    standard = RatingSums(sums.n[kept], (sums.mean[kept] - centre) / width, sums.squares[kept] / width**2)
    total = float(standard.n.sum())
    within = standard.squares.sum() / max(total - len(standard.n), 1.0)
    between = max(float(standard.mean.var()), 0.01)
    start = np.array([0.0, np.log(within / between), np.log(3.0), np.log(within)])
    bounds = [(-100.0, 100.0), (np.log(LEAST), np.log(MOST_KAPPA)), (np.log(LEAST), np.log(MOST_SHAPE)), (np.log(LEAST), np.log(1 / LEAST))]
    settings = {"maxiter": 2000, "maxfun": 4000, "ftol": 0.0, "gtol": 1e-10, "maxcor": 20}
    found = minimize(_negative, np.clip(start, *np.transpose(bounds)), (standard,), "L-BFGS-B", jac=True, bounds=bounds, options=settings)
    theta, (value, gradient) = found.x, _negative(found.x, standard)
    low, high = np.transpose(bounds)
    stuck = ((theta >= high) & (gradient < 0)) | ((theta <= low) & (gradient > 0))
    if (theta[3] <= low[3]) or (theta[1:3] <= low[1:3]).any():
        must = "have a finite prior that fits best: within nearly every case all ratings are equal (give a prior)"
        raise checks.error("ratings", must, "ratings that do not")
    norm = float(np.sqrt((gradient[~stuck] ** 2).sum()))
    converged = norm <= 1e-6
    if not converged:
        notices.warn(f"fit of the prior did not converge: gradient norm {norm:.2g}", stacklevel=2)
    location, (kappa, shape, per_shape) = float(theta[0]), (float(x) for x in np.exp(theta[1:]))
    at_bound = tuple(name for name, one in zip(("kappa", "shape"), stuck[1:3]) if one)
    log_likelihood = float(-value * total - total * np.log(width))
    scale = shape * per_shape * width**2
    return NormalPrior(centre + width * location, kappa, shape, scale, converged, norm, log_likelihood, at_bound, key_of(known))


def _negative(theta: Array, sums: RatingSums) -> tuple[float, Array]:
    """Return the mean negative marginal log-likelihood per rating, and its gradient in (m0, log κ0, log a0, log(b0 / a0))."""
    each, by = log_likelihoods(theta, sums)
    total = sums.n.sum()
    return -float(each.sum() / total), -by.sum(axis=0) / total


# ---- certainty and accuracy


@tells_joins
def rating_certainty(
    posterior: NormalPosterior, cut: float, *, kind: str = "predictive", frequency: object = None, case_weights: object = None
) -> results.Certainty:
    """Return the annotation certainty of ratings that are cut in two.

    Parameters
    ----------
    posterior : NormalPosterior
        The posterior, from :func:`normal`.
    cut : float
        The cut, on the scale of the ratings.
    kind : {"predictive", "mean", "expected_max"}
        ``"predictive"`` or ``"mean"``: the larger of the probabilities that a new rating, or the mean, is on a side of the cut.
        ``"expected_max"``: ``E max(Φ, 1 - Φ)`` with Φ the share of ratings below the cut. ``"mean"`` is the certainty of order 1, because
        the share of ratings on a side is above 1/2 if the mean is on this side.
    frequency, case_weights : (N,) numbers, Series or mapping of case id to number, optional
        As for :func:`ua_rating_accuracy`.

    Returns
    -------
    Certainty
        Certainties in [1/2, 1]; NaN for a case without ratings, which is counted.

    References
    ----------
    [A] Stutz et al. (2023), eq. 2-4 and appendix A.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.truth.normal([[-1, 0, 2, 1, -2, 0, 1, 1, -1, 0]], prior=(0, 1, 2, 1.5))
    >>> [round(ugt.truth.rating_certainty(post, 0, kind=kind).value, 4) for kind in ("predictive", "mean", "expected_max")]
    [0.532, 0.6093, 0.5967]
    """
    _check(posterior)
    per_case = partial(_certain, cut, checks.option("kind", kind, CERTAINTIES))
    rows: dict[str, Any] = {"frequency": frequency, "case_weights": case_weights}
    return results.certainty(per_case(posterior), posterior, reason=NO_RATINGS, added=posterior.added(per_case), **rows)


@tells_joins
def ua_rating_accuracy(
    posterior: NormalPosterior, predictions: object, cuts: object, *, kind: str = "mean", binned: bool = False, frequency: object = None,
    case_weights: object = None,
) -> results.Estimate:  # fmt: skip
    """Return the exact uncertainty-adjusted accuracy of predictions on the scale of the ratings, cut in two or binned.

    For each case it is the probability that the mean μ (``"mean"``) or a new rating (``"predictive"``: the expected share of ratings) is
    in the bin of the prediction.

    Parameters
    ----------
    posterior : NormalPosterior
        The posterior, from :func:`normal`.
    predictions : (N,) array
        Numbers on the scale of the ratings; or, with ``binned=True``, numbers of bins from 0 to B - 1.
    cuts : float or (B - 1,) ascending numbers
        The cuts between bins. Bins are closed on the left: a prediction at a cut is in the upper bin.
    kind : {"mean", "predictive"}
        The truth of a case: the mean of its ratings, or a new rating.
    binned : bool
        Whether predictions are numbers of bins.
    frequency, case_weights : (N,) numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for, or how many cases of a population each case represents. Not with a prior that was fitted
        to the ratings.

    Returns
    -------
    Estimate
        Its draws are draws of (μ, σ²): of the agreement, 0 or 1, for ``"mean"``, of the share of ratings for ``"predictive"``.

    Raises
    ------
    ValueError
        If predictions are not N finite numbers, or not numbers of bins.

    References
    ----------
    [A] Stutz et al. (2023), eq. 8 and appendix A.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.truth.normal([[5, 6, 7, 4], [3, 3, 2, 4]], prior=(5, 0.5, 1.5, 2.0))
    >>> ugt.metrics.ua_rating_accuracy(post, [6.1, 5.5], 5).per_case.round(3)
    array([0.782, 0.005])
    >>> ugt.metrics.ua_rating_accuracy(post, [5.5, 3.5], [3, 5], kind="predictive").per_case.round(3)
    array([0.633, 0.487])
    """
    _check(posterior)
    inner = cuts_of(cuts)
    predictions = in_order("predictions", predictions, posterior.case_ids)
    at = _bins(predictions, inner, posterior.n_cases, binned)
    per_case = partial(_inside, inner, at, kind)
    inside = per_case(posterior)
    if checks.option("kind", kind, KINDS) == "mean":
        found = Comparison.of_chances(inside)
    else:
        found = Comparison.independent(inside, np.maximum(_squares(posterior, inner, at) - inside**2, 0.0))
    rows: dict[str, Any] = {"frequency": frequency, "case_weights": case_weights}
    return results.estimate(found, posterior, reason=NO_RATINGS, added=posterior.added(per_case), **rows)


def _certain(cut: float, kind: str, posterior: NormalPosterior) -> Array:
    if kind == "expected_max":
        return posterior.expected_max(cut)
    return np.maximum(posterior.cdf(cut, kind=kind), posterior.probability_above(cut, kind=kind))


def _inside(inner: Array, at: Int64, kind: str, posterior: NormalPosterior) -> Array:
    """Return the probability (N,) that the truth of a case is in a bin ``at``."""
    return np.take_along_axis(posterior.bin_probabilities(inner, kind=kind), at[:, None], axis=1)[:, 0]


def _check(posterior: object) -> None:
    checks.instance("posterior", posterior, NormalPosterior, "be a NormalPosterior, which normal returns")


def _bins(predictions: object, inner: Array, n: int, binned: bool) -> Int64:
    array = as_array(predictions)
    if array.dtype.kind not in "iuf" or array.shape != (n,):
        raise checks.error("predictions", f"be {n} numbers, one per case", f"{array.dtype} of shape {array.shape}")
    if not np.isfinite(array).all():
        i = int(np.argmin(np.isfinite(array)))
        raise checks.error("predictions", "be finite", array[i], f"case {i}")
    if not checks.flag("binned", binned):
        return np.searchsorted(inner, array.astype(np.float64), side="right").astype(np.int64)
    bad = (array < 0) | (array > len(inner)) | (array != np.floor(array))
    if bad.any():
        i = int(np.argmax(bad))
        raise checks.error("predictions", f"be numbers of bins from 0 to {len(inner)}", array[i], f"case {i}")
    return array.astype(np.int64)


def _squares(posterior: NormalPosterior, inner: Array, at: Int64) -> Array:
    """Return the expected square (N,) of the share of ratings in a bin: Gauss–Hermite rule over μ, trapezoid rule over σ."""
    from scipy.special import ndtr  # noqa: PLC0415

    x, w = np.polynomial.hermite_e.hermegauss(HERMITE)
    edges = np.concatenate([[-np.inf], inner, [np.inf]])

    def given(rows: slice, precision: Array) -> Array:
        low, high = ((edges[at[rows] + side] - posterior.location[rows])[:, None] * precision for side in (0, 1))
        total = np.zeros_like(precision)
        for node, weight in zip(x, w / w.sum()):
            shift = node / np.sqrt(posterior.kappa[rows])[:, None]
            total += weight * (ndtr(high - shift) - ndtr(low - shift)) ** 2
        return total

    with np.errstate(invalid="ignore"):
        return posterior.expectation(given)


PARTS = means(rating_certainty, ua_rating_accuracy)
