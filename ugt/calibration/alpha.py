"""Alpha-calibration: Dirichlet laws around predicted probabilities, with fitted concentration [B sec. 5.3, appendix D.2]."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, NDArray
from .._base.axes import Frozen
from .._base.notes import Note
from .._base.notices import note
from ..annotations.named import Sheet, leader, of_new_cases, placed
from ..plausibilities import Dirichlet
from ..plausibilities.made_of import INFORMED
from .estimator import Calibrator, Self
from .fitting import NO_LABELS, note_convergence
from .input import whole_counts
from .logits import LARGEST, LabelTable, LogitTable, array_of, refuse
from .newton import Minimum, minimise
from .pairs_of_labels import PredictedDisagreement
from .posteriors import Likelihood

ROWS = 2**12  # rows of features per block
MOST = 700.0  # largest logarithm of a concentration, whose exponential is still finite
ONE_LABEL = "case with one label (no information on concentration)"


@dataclass(frozen=True, eq=False, repr=False)
class DirichletPredictions(Frozen):
    """The Dirichlet laws of class probabilities with means z and concentrations α0, so that α = α0 z.

    Attributes
    ----------
    mean : (N, K) array
        Predicted probabilities z, unchanged.
    concentration : (N,) array
        Concentrations α0. A large α0 expects annotators to disagree as if each drew a label from z. A small α0 expects them to agree with
        each other on a class that the prediction does not determine.

    Examples
    --------
    >>> import ugt
    >>> laws = ugt.calibration.DirichletPredictions([[0.5, 0.5], [0.5, 0.5]], [1.0, 100.0])
    >>> laws.disagreement().overall.round(3)
    array([0.25 , 0.495])
    >>> laws.posterior([[3, 0], [3, 0]]).mean.round(3).tolist()
    [[0.875, 0.125], [0.515, 0.485]]
    """

    mean: Array
    concentration: Array

    def __post_init__(self) -> None:
        mean = LogitTable.of(self.mean, "probabilities").given(0, len(self.mean))
        total = array_of("concentration", self.concentration)
        if total.dtype.kind not in "iuf" or total.shape != (len(mean),):
            raise checks.error("concentration", f"be {len(mean)} numbers, one per case", f"{total.dtype} of shape {total.shape}")
        refuse("concentration", ~((total > 0) & np.isfinite(total)), total, 0, "be finite and above 0")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "concentration", total.astype(np.float64))
        super().__post_init__()

    @property
    def alpha(self) -> Array:
        """(N, K) α = α0 z; 0 if rounding made z negative."""
        return np.asarray(self.concentration[:, None] * np.maximum(self.mean, 0.0))

    def disagreement(self) -> PredictedDisagreement:
        """Return probabilities that two labels differ: ``α0 / (α0 + 1) (1 - Σ z²)`` and ``α0 / (α0 + 1) 2 z (1 - z)`` [B eq. 49, 50]."""
        share = self.concentration / (self.concentration + 1)
        z = self.mean
        return PredictedDisagreement(share * (1 - (z**2).sum(axis=1)), share[:, None] * (2 * z * (1 - z)))

    def posterior(self, counts: object) -> DirichletPredictions:
        """Return the laws given labels y (N, K), Dirichlet(α + y). For a truth of named cases use ``ugt.dirichlet(labels, prior=laws)``."""
        y = whole_counts(counts)
        if y.shape != self.mean.shape:
            raise checks.error("counts", f"have the shape of the predictions, {self.mean.shape}", y.shape)
        alpha, total = self.alpha + y, self.concentration + y.sum(axis=1)
        return DirichletPredictions(alpha / total[:, None], total)

    def plausibilities(self, *, case_ids: object = None, classes: object = None) -> Dirichlet:
        """Return the laws as a truth, p(λ | x), or after :meth:`posterior` p(λ | b, x) [A eq. 1]; metrics also take the laws themselves.

        Warns
        -----
        UserWarning
            Always: a truth that a model informed cannot judge this model, nor models that are derived from it.
        """
        note(Note("truth_of_a_model", INFORMED))
        return Dirichlet.from_array(self.alpha, case_ids=case_ids, classes=classes)


class AlphaCalibration(Calibrator):
    """A calibrator that makes predicted probabilities the means of Dirichlet laws, with a concentration fitted to label histograms.

    The laws have ``α = α0 z`` with ``log α0 = w · features + b`` (a constant without features). The fit minimises the mean over cases of
    ``-log DirMult(y | α) + λ_α (log α0)²`` [B appendix D.2].

    Parameters
    ----------
    penalty : float
        λ_α, at least 0.
    floor : float, optional
        Value that replaces smaller probabilities in the fit. Without it, an observed class must not have probability 0.

    Attributes
    ----------
    weights_ : (M,) array
        w, one for each feature.
    intercept_ : float
        b.
    objective_ : float
        The objective at the minimum, with the multinomial coefficient.
    loss_ : float
        The objective without the penalty.
    n_iter_, gradient_norm_, converged_
        Iterations of the fit, the final norm of the gradient, and whether the fit converged. It has converged if the norm is at most 1e-8,
        for features scaled to mean 0 and standard deviation 1.
    classes_, features_ : lists
        Names of the classes and of the features; empty if they had none.
    n_classes_, n_cases_, left_out_
        Classes, cases with labels, and cases without information by reason.

    Notes
    -----
    The mean of the law is the prediction itself, to the bit (:meth:`distribution`). Cases with a single label hold no information on α0.
    With features the objective need not be convex; the fit starts from the best constant and ends in a minimum near it.

    References
    ----------
    [B] Mimori et al. (2021), sec. 5.3, appendix D.2 (λ_α = 0.005 there), eq. 49-51.

    Examples
    --------
    >>> import ugt
    >>> probs = [[0.5, 0.5]] * 6
    >>> split, agreed = [[2, 2], [3, 1], [1, 3]] * 2, [[4, 0], [0, 4], [4, 0]] * 2
    >>> [round(float(ugt.calibration.AlphaCalibration().fit(probs, counts).concentration(6)[0]), 2) for counts in (split, agreed)]
    [23.14, 0.04]
    """

    _fitted: ClassVar[dict[str, Any]] = {
        **dict.fromkeys(["intercept_", "objective_", "loss_", "gradient_norm_"], float),
        **dict.fromkeys(["n_iter_", "n_classes_", "n_cases_"], int),
        **{"weights_": "M", "converged_": bool, "left_out_": dict, "classes_": list, "features_": list},
    }

    def __init__(self, *, penalty: float = 0.005, floor: float | None = None) -> None:
        self.penalty, self.floor = penalty, floor

    def fit(
        self, predictions: object, counts: object, *, features: object = None, weights: object = None, frequency: object = None,
        case_weights: object = None,
    ) -> Self:  # fmt: skip
        """Fit the concentration.

        Parameters
        ----------
        predictions, counts, weights, frequency, case_weights
            As for :meth:`TemperatureScaling.fit`: probabilities, whole numbers by class, and how much the cases count.
        features : (N, M) array, optional
            Finite numbers, such as the layer before the last of a network.

        Raises
        ------
        ValueError
            If shapes do not fit, a number is out of range, an observed class has probability 0, or no finite concentration is best.
        """
        penalty = checks.scalar("penalty", self.penalty)
        table = LogitTable.of(predictions, "probabilities", counts=counts)
        y = LabelTable.of(counts, table.shape, False)
        likelihood = Likelihood.of(y, table, None if self.floor is None else checks.scalar("floor", self.floor, positive=True))
        y = y.weighed(weights, frequency, case_weights, table.case_ids)
        weight = np.ones(table.shape[0]) if y.weights is None else y.weights
        named = leader("features", features)
        x, centre, scale = _standard(_features(_joined(named, table.case_ids), table.shape[0]))
        kept = (weight > 0) & (likelihood.n > 0)
        if not kept.any():
            raise checks.error("counts", "hold labels", "none")
        if penalty == 0 and not likelihood.tells()[kept].any():
            must = "have two labels in at least one case whose prediction is not certain (or give a penalty)"
            raise checks.error("counts", must, "none")
        objective = _Objective(likelihood, x, weight, penalty)
        found = objective.fit()
        self.weights_ = found.theta[1:] / scale
        self.intercept_ = float(found.theta[0] - self.weights_ @ centre)
        self._note(found, objective, kept, y)
        self.classes_, self.features_ = table.named(), [] if named.columns is None else named.columns.tolist()
        return self

    def _note(self, found: Minimum, objective: _Objective, kept: Bools, histograms: LabelTable) -> None:
        n = objective.likelihood.n
        share = objective.weight / objective.total
        self.objective_ = found.value - float(share @ objective.likelihood.coefficient())
        self.loss_ = self.objective_ - objective.penalty * float(share @ objective.log_total(found.theta) ** 2)
        self.n_classes_, self.n_cases_ = histograms.n_classes, histograms.number(kept)
        self.left_out_ = histograms.left_out({NO_LABELS: n == 0, ONE_LABEL: n == 1})
        note_convergence(self, found, 4)

    def concentration(self, features: object) -> Array:
        """Return (N,) α0 of cases with features (N, M); without features in the fit, give the number N of cases."""
        self._check_fitted()
        table = np.empty((checks.whole("features", features), 0)) if isinstance(features, numbers.Integral) else self._of_new(features)
        if table.shape[1] != len(self.weights_):
            raise checks.error("features", f"have {len(self.weights_)} columns, as in the fit", table.shape[1])
        log_total = table @ self.weights_ + self.intercept_
        bad = ~(np.abs(log_total) <= MOST)
        if bad.any():
            i = int(np.argmax(bad))
            must = f"be like those of the fit: log concentrations from {-MOST:g} to {MOST:g}"
            raise checks.error("features", must, f"{log_total[i]:.4g}", f"case {i}")
        return np.asarray(np.exp(log_total))

    def distribution(self, predictions: object, features: object = None) -> DirichletPredictions:
        """Return the laws of the class probabilities, with the predictions as their means."""
        self._check_fitted()
        table = LogitTable.of(predictions, "probabilities", classes=self.classes_)
        checks.room("concentrations of all classes", 16 * table.shape[0] * table.shape[1])
        if table.shape[1] != self.n_classes_:
            raise checks.error("predictions", f"have {self.n_classes_} classes, as in the fit", table.shape[1])
        return DirichletPredictions(
            table.given(0, table.shape[0]), self.concentration(self._of_new(features, table.case_ids, table.shape[0]))
        )

    def _of_new(self, features: object, case_ids: NDArray[Any] | None = None, n: int | None = None) -> Array:
        """Return the features of new cases, with the columns of the fit, if these have names, in their order."""
        named = of_new_cases("features", features, self.features_ or None, "feature")
        return _features(named.values if n is None else _joined(named, case_ids), n)

    def transform(self, predictions: object, features: object = None) -> Array:
        """Return (N, K) α of each case."""
        return self.distribution(predictions, features).alpha

    def fit_transform(self, predictions: object, counts: object, *, features: object = None, **options: Any) -> Array:
        return self.fit(predictions, counts, features=features, **options).transform(predictions, features)


class _Objective:
    """The objective as a function of theta (1 + M,): the intercept and the weights of standardised features."""

    def __init__(self, likelihood: Likelihood, x: Array, weight: Array, penalty: float) -> None:
        self.likelihood, self.x, self.penalty = likelihood, x, penalty
        self.weight = np.where(likelihood.n > 0, weight, 0.0)
        self.total = float(self.weight.sum())
        self.curved = np.empty(len(x))

    def log_total(self, theta: Array) -> Array:
        return np.asarray(self.x @ theta[1:] + theta[0])

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        s = self.log_total(theta)
        with np.errstate(over="ignore", invalid="ignore"):
            value, first, second = self.likelihood.at(s)
            by_s = self.weight * (2 * self.penalty * s - first)
            self.curved = self.weight * (2 * self.penalty - second)
            total = float(self.weight @ (self.penalty * s**2 - value)) / self.total
        return total, np.append(by_s.sum(), by_s @ self.x) / self.total

    def direction(self, theta: Array, gradient: Array) -> Array:
        """Return a Newton step that goes downwards along directions of negative curvature, too."""
        m = self.x.shape[1] + 1
        hessian = np.zeros((m, m))
        for begin in range(0, len(self.x), ROWS):
            x, h = self.x[begin : begin + ROWS], self.curved[begin : begin + ROWS]
            weighted = x * h[:, None]
            hessian[1:, 1:] += weighted.T @ x
            hessian[0, 1:] += weighted.sum(axis=0)
            hessian[0, 0] += h.sum()
        hessian[1:, 0] = hessian[0, 1:]
        values, vectors = np.linalg.eigh(hessian / self.total)
        along = vectors.T @ gradient
        size = np.abs(values)
        usable = size > 1e-12 * size.max()  # the other directions belong to features that are linearly dependent
        return np.asarray(-vectors[:, usable] @ (along[usable] / size[usable]))

    def reach(self, step: Array) -> float:
        return float(np.abs(self.log_total(step)[self.weight > 0]).max())

    def fit(self) -> Minimum:
        """Minimise the objective, starting from the best constant on a grid."""
        grid = np.linspace(-8.0, 14.0, 23)
        start = np.zeros(self.x.shape[1] + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            values = [self.value_and_gradient(np.append(s, start[1:]))[0] for s in grid]
        start[0] = grid[int(np.argmin(values))]
        found = minimise(self.value_and_gradient, self.direction, self.reach, start)
        if not found.bounded:
            must = "leave the best concentration finite. Annotators always agree, or never more than by chance: give a penalty above 0"
            raise ValueError(f"counts must {must}.")
        return found


def _joined(features: Sheet, case_ids: NDArray[Any] | None) -> Any:
    """Return features in the order of the cases, if both have ids."""
    return features.values if features.rows is None else placed("features", features._replace(columns=None), case_ids)


def _features(features: object, n: int | None = None) -> Array:
    """Return checked features (N, M); N must be ``n`` if given."""
    if features is None and n is not None:
        return np.empty((n, 0))
    table = array_of("features", features)
    table = table[:, None] if table.ndim == 1 else table
    if table.dtype.kind not in "biuf" or table.ndim != 2 or (n is not None and len(table) != n):
        shape = "(N, M)" if n is None else f"({n}, M)"
        raise checks.error("features", f"be numbers of shape {shape}", f"{table.dtype} of shape {table.shape}")
    table = table.astype(np.float64)
    bad = ~(np.abs(table) <= LARGEST)
    if bad.any():
        i, j = (int(x) for x in np.argwhere(bad)[0])
        raise checks.error("features", f"be finite, at most {LARGEST:g}", table[i, j], f"case {i}, feature {j}")
    return table


def _standard(table: Array) -> tuple[Array, Array, Array]:
    """Return columns scaled to mean 0 and standard deviation 1, with their former means and deviations; constant columns become 0."""
    centre, scale = table.mean(axis=0), table.std(axis=0)
    flat = scale <= 1e-14 * np.abs(table).max(axis=0, initial=0.0)
    scale = np.where(flat, 1.0, scale)
    x = (table - centre) / scale
    x[:, flat] = 0.0
    return x, centre, scale
