"""Posteriors of ratings: exact normal-inverse-gamma distributions of the mean and variance of each case [A appendix A]."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, NDArray
from .._base.axes import Axes, Frozen
from .._base.checks import error, finite, option, room, whole
from .._core._stream import Stream
from ..resampling.design import seed_of
from .draws import DenseDraws, Draws
from .point import Point

if TYPE_CHECKING:
    from .fitted_normal import FittedNormal

KINDS = ("predictive", "mean")
PURPOSE = 10  # UGT_PURPOSE_RATINGS of ugt.h
NODES = 64  # nodes of the rule over the angle, and least number of nodes of the rule over the variance
SPACING = 0.25  # spacing of the nodes in the logarithm of 1/σ²: the trapezoid rule then has an error of 1e-13
TAIL = 1e-18
CELLS = 2**18


@dataclass(frozen=True, eq=False, repr=False)
class NormalPosterior(Frozen):
    """The posterior of the ratings of each case, which are normal with mean μ and variance σ².

    ``μ | σ² ~ N(location, σ² / kappa)``, ``σ² ~ InvGamma(shape, scale)``. :func:`normal` makes it.

    Attributes
    ----------
    case_ids : (N,) array
        Case ids.
    location, kappa, shape, scale : (N,) arrays
        m, κ, a and b of each case; NaN for a case without ratings.
    numbered : bool
        Whether the case ids are 0 to N-1 because none were given.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.truth.normal([[-1, 0, 2, 1, -2, 0, 1, 1, -1, 0]], prior=(0, 1, 2, 1.5))
    >>> post.location.round(4), post.kappa, post.shape, post.scale.round(4)
    (array([0.0909]), array([11.]), array([7.]), array([7.9545]))
    >>> post.cdf(0).round(4), post.cdf(0, kind="mean").round(4)
    (array([0.468]), array([0.3907]))
    """

    case_ids: NDArray[Any]
    location: Array
    kappa: Array
    shape: Array
    scale: Array
    numbered: bool = False
    _fitted: FittedNormal | None = field(default=None, repr=False)  # for a prior that was fitted to these ratings

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.location)

    def __len__(self) -> int:
        return self.n_cases

    def __repr__(self) -> str:
        return f"NormalPosterior(n_cases={self.n_cases}, n_empty={int((~self.defined).sum())})"

    @property
    def defined(self) -> Bools:
        """Whether each case (N,) has ratings."""
        return ~np.isnan(self.location)

    def take(self, rows: Any) -> NormalPosterior:
        """Return the posterior of some cases."""
        parts = {one.name: getattr(self, one.name) for one in fields(self)}
        parts = {name: part[rows] for name, part in parts.items() if isinstance(part, np.ndarray)}
        return replace(self, **parts, _fitted=None if self._fitted is None else self._fitted.take(rows))

    @property
    def fit(self) -> FittedNormal | None:
        """The fit of the prior to these ratings; None for a prior that was given."""
        return self._fitted

    def added(self, columns: Callable[[NormalPosterior], Array]) -> Callable[[], Array] | None:
        """Return what the fit of the prior adds to columns (N,) of the cases, for intervals over cases; None for a prior that was given."""
        return None if self._fitted is None else partial(self._fitted.added, columns)

    def mean(self) -> Array:
        """Return the posterior mean (N,) of μ."""
        return self.location

    def cdf(self, value: float, *, kind: str = "predictive") -> Array:
        """Return the probability (N,) that a new rating (``"predictive"``) or the mean μ (``"mean"``) is at most a value.

        Both have Student's t distributions with 2a degrees of freedom.
        """
        return self._cdf(finite("value", value), _squared(kind, self.kappa), upper=False)

    def probability_above(self, cut: float, *, kind: str = "predictive") -> Array:
        """Return 1 - :meth:`cdf` (N,), accurate also in the tail: soft labels of "above the cut"."""
        return self._cdf(finite("cut", cut), _squared(kind, self.kappa), upper=True)

    def _cdf(self, value: Any, squared: Array, upper: bool) -> Array:
        from scipy.special import stdtr  # noqa: PLC0415  (scipy is slow to import)

        t = (value - self.location) / np.sqrt(squared * self.scale / self.shape)
        return np.asarray(stdtr(2 * self.shape, -t if upper else t))

    def bin_probabilities(self, cuts: object, *, kind: str = "predictive") -> Array:
        """Return the probabilities (N, B) that a new rating or the mean is in each of the B bins between ascending cuts (B - 1,)."""
        inner = cuts_of(cuts)
        squared = _squared(kind, self.kappa)
        return _between(*(np.stack([self._cdf(cut, squared, upper) for cut in inner], axis=1) for upper in (False, True)))

    def expected_max(self, cut: float) -> Array:
        """Return ``E max(Φ, 1 - Φ)`` (N,) with Φ the share of ratings below the cut given μ and σ.

        It is ``1 - 2 E T(h, √κ)`` with Owen's function T, whose average over σ² is the integral
        ``1 - 1/π ∫_0^{arctan √κ} (1 + r / (2 b cos² θ))^-a dθ``, r = (cut - m)² κ / (κ + 1).
        """
        r = (finite("cut", cut) - self.location) ** 2 * self.kappa / (self.kappa + 1)
        x, w = np.polynomial.legendre.leggauss(NODES)
        half = np.arctan(np.sqrt(self.kappa)) / 2
        angle = half[:, None] * (x + 1)
        with np.errstate(over="ignore"):
            inside = np.exp(-self.shape[:, None] * np.log1p((r / (2 * self.scale))[:, None] / np.cos(angle) ** 2))
        return np.asarray(1 - half / np.pi * (inside @ w))

    def plausibility_cdf(self, cut: float, q: float) -> Array:
        """Return the posterior probability (N,) that the share Φ of ratings below the cut is at most q, in (0, 1)."""
        from scipy.special import ndtr, ndtri  # noqa: PLC0415

        level = finite("q", q)
        if not 0 < level < 1:
            raise error("q", "lie between 0 and 1", q)
        z, value = float(ndtri(level)), finite("cut", cut)

        def given(rows: slice, precision: Array) -> Array:
            root = np.sqrt(self.kappa[rows])[:, None]
            return np.asarray(ndtr(root * (z - (value - self.location[rows])[:, None] * precision)))

        return self.expectation(given)

    def expectation(self, of: Callable[[slice, Array], Array]) -> Array:
        """Return the expectation (N,) over σ of ``of(rows, 1/σ (rows, nodes))``, smooth in log σ, by the trapezoid rule in log(1/σ²)."""
        from scipy.special import gammainccinv, gammaincinv, gammaln  # noqa: PLC0415

        out = np.full(self.n_cases, np.nan)
        a = np.where(self.defined, self.shape, 1.0)
        high = np.log(gammainccinv(a, TAIL))
        with np.errstate(divide="ignore"):
            low = np.where(a < 1, (np.log(TAIL) + gammaln(a + 1)) / a, np.log(gammaincinv(a, TAIL)))
        n = max(NODES, int(np.ceil((high - low).max() / SPACING)) + 1)
        step = (high - low) / (n - 1)
        rows = max(1, CELLS // n)
        for begin in range(0, self.n_cases, rows):
            part = slice(begin, min(begin + rows, self.n_cases))
            s = low[part, None] + step[part, None] * np.arange(n)
            weight = np.exp(a[part, None] * s - np.exp(s) - gammaln(a[part])[:, None]) * step[part, None]
            out[part] = (of(part, np.sqrt(np.exp(s) / self.scale[part, None])) * weight).sum(axis=1) / weight.sum(axis=1)
        out[~self.defined] = np.nan
        return out

    # ---- plausibilities of bins, for metrics of classes

    def to_point(self, cuts: object, *, names: object = None, kind: str = "predictive") -> Point:
        """Return :meth:`bin_probabilities` of the bins between cuts as certain plausibilities."""
        return Point.from_array(self.bin_probabilities(cuts, kind=kind), case_ids=self.ids_or_none, classes=names)

    def draws(self, cuts: object, n_draws: int, *, names: object = None, seed: object = 0) -> Draws:
        """Return the shares of ratings in the bins between cuts for draws of (μ, σ²), which depend on the seed and the case id."""
        from scipy.special import ndtr  # noqa: PLC0415

        inner, n, word = cuts_of(cuts), whole("n_draws", n_draws), seed_of(seed)
        axes = Axes.of(self.n_cases, len(inner) + 1, self.ids_or_none, names)
        room(f"{n} draws", 8 * self.n_cases * n * (len(inner) + 1))
        values = np.full((self.n_cases, n, len(inner) + 1), np.nan)
        gammas, normals = np.empty(n), np.empty(n)
        for i in np.flatnonzero(self.defined):
            stream = Stream(word, case_key=int(axes.stream_keys[i]), purpose=PURPOSE)
            stream.gamma(float(self.shape[i]), gammas)
            stream.normal(normals)
            sigma = np.sqrt(self.scale[i] / gammas)
            z = (inner - (self.location[i] + sigma / np.sqrt(self.kappa[i]) * normals)[:, None]) / sigma[:, None]
            values[i] = _between(ndtr(z), ndtr(-z))
        return DenseDraws(axes, values)

    @property
    def ids_or_none(self) -> Any:
        """The case ids; None if none were given."""
        return None if self.numbered else self.case_ids

    def case_name(self, i: int) -> str:
        """Return the name of case i in messages."""
        return identifiers.name(self.case_ids[i])


def posterior_of_ratings(truth: object) -> NormalPosterior | None:
    """Return a truth that is the posterior of ratings; None for one of classes."""
    return truth if isinstance(truth, NormalPosterior) else None


def _between(below: Array, above: Array) -> Array:
    """Return probabilities (R, B) of bins from those (R, B - 1) below and above the cuts, as differences of the smaller ones."""
    between = np.where(below[:, 1:] <= 0.5, np.diff(below, axis=1), -np.diff(above, axis=1))
    return np.concatenate([below[:, :1], np.maximum(between, 0.0), above[:, -1:]], axis=1)


def _squared(kind: str, kappa: Array) -> Array:
    """Return the variance of a new rating or of the mean, in units of σ²."""
    return np.asarray(1 / kappa if option("kind", kind, KINDS) == "mean" else 1 + 1 / kappa)


def cuts_of(cuts: object) -> Array:
    """Return ascending finite cuts (B - 1,), of one number one cut; reject others."""
    array = np.atleast_1d(identifiers.as_array(cuts))
    good = array.dtype.kind in "iuf" and array.ndim == 1 and len(array) > 0 and bool(np.isfinite(array).all())
    if not good or not (np.diff(array.astype(np.float64)) > 0).all():
        raise error("cuts", "be ascending finite numbers", repr(cuts))
    return array.astype(np.float64)
