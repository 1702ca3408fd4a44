"""Calibrators of predicted class probabilities, fitted to label histograms [B sec. 5, appendix D].

The only classes of the library with ``fit`` and ``transform``; they follow scikit-learn's conventions without needing it.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._base import checks
from .._base.arrays import Array
from . import scaling
from .alpha import AlphaCalibration
from .estimator import Calibrator, read_json, restored
from .fitting import Regularised, Scaling
from .logits import LabelTable, LogitTable
from .scaling import MatrixMap, Objective, PlattMap, VectorMap


class TemperatureScaling(Scaling):
    """A calibrator with one temperature t for all cases and classes: probabilities ``softmax(u / t)`` of logits u.

    It fits β = 1 / t, in which the mean negative log-likelihood of a label, ``-1/Σn Σ_i Σ_k y_ik log z_ik`` [B eq. 53], is convex.

    Parameters
    ----------
    input : {"logits", "probabilities"}
        Kind of the predictions; the logarithms of probabilities serve as logits.
    floor : float, optional
        Value that replaces smaller probabilities. Without it, probabilities of 0 are refused.
    fractional : bool
        Whether counts may be fractions.

    Attributes
    ----------
    temperature_ : float
        The temperature t.
    loss_, loss_before_ : float
        Mean negative log-likelihood of a label after and before calibration, in nats.
    n_iter_, gradient_norm_, converged_
        Iterations of the fit, the final norm of the gradient, and whether the fit converged. It has converged if the derivative by β is at
        most 1e-8, for logits whose root mean square about the mean (or the largest) of their case is 0.1 to 1e5; other logits are first
        measured in larger or smaller units.
    n_classes_, n_cases_, left_out_
        Classes, cases with labels (and a weight above 0), and cases left out by reason.

    Notes
    -----
    The most probable class stays the same, to the bit: rounding never ties another class with it.
    No temperature is best if labels and predictions never contradict each other, or if predictions are no better than chance: the fit
    raises an error.

    References
    ----------
    Guo et al. (2017), "On calibration of modern neural networks". [B] Mimori et al. (2021), appendix D.1.

    Examples
    --------
    >>> import ugt
    >>> logits = [[4.0, 0.0], [3.0, 0.0], [0.0, 2.0], [0.0, 4.0]]
    >>> calibrator = ugt.calibration.TemperatureScaling().fit(logits, [[3, 1], [2, 2], [1, 3], [0, 4]])
    >>> round(calibrator.temperature_, 3), calibrator.transform([[4.0, 0.0]]).round(3)
    (2.832, array([[0.804, 0.196]]))
    """

    _fitted: ClassVar[dict[str, Any]] = {"temperature_": "+", **Scaling._fitted}

    def _fit(self, table: LogitTable, histograms: LabelTable, unit: object) -> None:
        fit, labels, before = scaling.fit_temperature(table, histograms)
        self.temperature_, self.n_classes_ = float(1 / fit.theta[0]), table.shape[1]
        self._note(fit, labels, histograms, fit.value, before)

    def _map(self, u: Array) -> Array:
        u -= u.max(axis=0)
        u /= self.temperature_
        return u

    def _keep_order(self, given: Array, z: Array) -> None:
        rows = np.arange(len(z))
        first = given.argmax(axis=1)
        top = z[rows, first][:, None]
        level = (z >= top) & (given < given[rows, first][:, None])
        if level.any():
            z[level] = np.nextafter(np.broadcast_to(top, z.shape)[level], 0.0)


class PlattScaling(Scaling):
    """A calibrator of two classes: the probability of class 1 is ``1 / (1 + exp(-(a s + b)))``, with s the difference of the logits.

    Parameters
    ----------
    input, floor, fractional
        As for :class:`TemperatureScaling`.

    Attributes
    ----------
    slope_, intercept_ : float
        a and b. A negative slope means that higher scores go with fewer labels of class 1.
    loss_, loss_before_, n_iter_, gradient_norm_, converged_, n_classes_, n_cases_, left_out_
        As of :class:`TemperatureScaling`.

    Notes
    -----
    The fit is maximum likelihood on the label histograms. Platt's smoothed targets are not used, because several labels per case serve
    the same purpose.

    References
    ----------
    Platt (1999), "Probabilistic outputs for support vector machines".

    Examples
    --------
    >>> import ugt
    >>> calibrator = ugt.calibration.PlattScaling().fit([-2.0, -1.0, 1.0, 3.0], [[4, 0], [2, 2], [1, 3], [1, 3]])
    >>> round(calibrator.slope_, 3), round(calibrator.intercept_, 3), calibrator.transform([0.0]).round(3)
    (0.646, -0.123, array([[0.531, 0.469]]))
    """

    _fitted: ClassVar[dict[str, Any]] = {"slope_": float, "intercept_": float, **Scaling._fitted}

    def _fit(self, table: LogitTable, histograms: LabelTable, unit: object) -> None:
        if table.shape[1] != 2:
            raise checks.error("predictions", "have two classes for PlattScaling", table.shape[1])
        y = histograms.all()
        if (y.sum(axis=1) == 0).any():
            raise checks.error("counts", "hold labels of both classes", "labels of one class or none")
        u = table.all_logits()
        if np.ptp((u[1] - u[0])[y.any(axis=0)]) == 0:
            raise checks.error("predictions", "differ between cases with labels", "the same for all")
        objective = Objective(PlattMap(), u, y)
        found = objective.fit()
        self.slope_, self.intercept_ = (float(x) for x in found.theta[0])
        self.n_classes_ = 2
        self._note(found, objective.labels, histograms, objective.value(found.theta), objective.value(objective.form.start))

    def _map(self, u: Array) -> Array:
        return PlattMap.apply(np.array([[self.slope_, self.intercept_]]), u)


class VectorScaling(Regularised):
    """A calibrator with a scale and a shift for each class: probabilities ``softmax(v * u + b)`` of logits u.

    It minimises the mean negative log-likelihood of a label [B eq. 53] plus ``λ_b / K Σ b_k²`` [B eq. 47], which is convex.

    Parameters
    ----------
    penalty_b : float or sequence of float
        λ_b, at least 0. Of several values, the one with the best held-out likelihood is chosen, and the map is fitted again to all data.
    validation : float or int
        For several penalties: share of the cases (or clusters) that is held out, or number of folds.
    input, floor, fractional
        As for :class:`TemperatureScaling`.
    seed : int, Generator or SeedSequence
        Random seed of the split.

    Attributes
    ----------
    scale_, shift_ : (K,) arrays
        v and b.
    penalty_b_ : float
        The chosen λ_b.
    path_ : list of dict
        The held-out loss under each of several λ_b; inf if no finite map is best.
    loss_, loss_before_, n_iter_, gradient_norm_, converged_, n_classes_, n_cases_, left_out_
        As of :class:`TemperatureScaling`; losses without the penalty, the gradient with it.

    References
    ----------
    [B] Mimori et al. (2021), eq. 47; λ_b in {0.1, 1, 10} chosen on 20% of the cases, 0.1 best there. Guo et al. (2017).

    Examples
    --------
    >>> import ugt
    >>> logits = [[2.0, 0.0, 1.0], [0.0, 2.0, 0.5], [0.0, 1.0, 2.0], [1.0, 0.5, 0.0]]
    >>> calibrator = ugt.calibration.VectorScaling().fit(logits, [[2, 1, 1], [1, 3, 0], [0, 2, 2], [3, 0, 1]])
    >>> calibrator.scale_.round(2), calibrator.converged_
    (array([0.61, 1.07, 0.67]), True)
    """

    _kind, _penalties = VectorMap, ("penalty_b",)
    _fitted: ClassVar[dict[str, Any]] = {"scale_": "K", **Regularised._fitted}

    def _keep(self, theta: Array) -> None:
        self.scale_, self.shift_ = theta[0].copy(), theta[1].copy()

    def _map(self, u: Array) -> Array:
        return VectorMap.apply(np.stack([self.scale_, self.shift_]), u)


class MatrixScaling(Regularised):
    """A calibrator with a matrix: probabilities ``softmax(W u + b)`` of logits u, with off-diagonal and intercept regularisation (ODIR).

    It minimises the mean negative log-likelihood of a label [B eq. 53] plus
    ``λ_w / (K (K - 1)) Σ_{k≠l} W_kl² + λ_b / K Σ b_k²`` [B eq. 48], which is convex.

    Parameters
    ----------
    penalty_w, penalty_b : float or sequence of float
        λ_w and λ_b, at least 0. Of several values, the pair with the best held-out likelihood is chosen.
    validation, input, floor, fractional, seed
        As for :class:`VectorScaling`.

    Attributes
    ----------
    matrix_ : (K, K) array
        W.
    shift_ : (K,) array
        b.
    penalty_w_, penalty_b_ : float
        The chosen λ_w and λ_b.
    path_ : list of dict
        The held-out loss under each of several pairs; inf if no finite map is best.
    loss_, loss_before_, n_iter_, gradient_norm_, converged_, n_classes_, n_cases_, left_out_
        As of :class:`VectorScaling`.

    References
    ----------
    [B] Mimori et al. (2021), eq. 45, 48; λ_w = 10 and λ_b = 1 were best there. Kull et al. (2019), "Beyond temperature scaling".

    Examples
    --------
    >>> import ugt
    >>> logits = [[2.0, 0.0, 1.0], [0.0, 2.0, 0.5], [0.0, 1.0, 2.0], [1.0, 0.5, 0.0]]
    >>> calibrator = ugt.calibration.MatrixScaling().fit(logits, [[2, 1, 1], [1, 3, 0], [0, 2, 2], [3, 0, 1]])
    >>> calibrator.matrix_.round(2).tolist()
    [[0.79, 0.02, -0.03], [-0.01, 0.93, 0.03], [0.01, -0.02, 0.6]]
    """

    _kind, _penalties = MatrixMap, ("penalty_w", "penalty_b")
    _fitted: ClassVar[dict[str, Any]] = {"matrix_": "KK", "penalty_w_": float, **Regularised._fitted}

    def __init__(
        self, *, penalty_w: object = 10.0, penalty_b: object = 1.0, validation: float = 0.2, input: str = "logits",
        floor: float | None = None, fractional: bool = False, seed: Any = 0,
    ) -> None:  # fmt: skip
        super().__init__(penalty_b=penalty_b, validation=validation, input=input, floor=floor, fractional=fractional, seed=seed)
        self.penalty_w = penalty_w

    def _keep(self, theta: Array) -> None:
        self.matrix_, self.shift_ = theta[:, :-1].copy(), theta[:, -1].copy()

    def _map(self, u: Array) -> Array:
        return MatrixMap.apply(np.concatenate([self.matrix_, self.shift_[:, None]], axis=1), u)


def load_calibrator(source: object) -> Calibrator:
    """Read any calibrator, including :class:`AlphaCalibration`, from the text of its ``to_json`` or from a file with this text.

    Parameters
    ----------
    source : str or path
        Text that begins with ``{``, or a path.

    Raises
    ------
    ValueError
        If the text is not the JSON of a calibrator.

    Examples
    --------
    >>> import ugt
    >>> calibrator = ugt.calibration.TemperatureScaling().fit([[1.0, 0.0], [2.0, 0.0]], [[1, 1], [3, 1]])
    >>> ugt.calibration.load_calibrator(calibrator.to_json()).temperature_ == calibrator.temperature_
    True
    """
    held = read_json(source)
    kinds = (TemperatureScaling, PlattScaling, VectorScaling, MatrixScaling, AlphaCalibration)
    kind = next((kind for kind in kinds if kind.__name__ == held["calibrator"]), None)
    if kind is None:
        raise checks.error("source", "hold a calibrator of ugt", repr(held["calibrator"]))
    return restored(kind, held)
