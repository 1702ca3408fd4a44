"""The individual equivalence index: how much more annotators would disagree with a model in the place of one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, NDArray
from .._base.axes import Frozen
from ..resampling import Answer, Quotients, Result
from .input import WHY, compare
from .record import Judging, OfAnnotations, upper_limit
from .sums import distances_to_others, zeros


class Substitution(Judging, Quotients):
    """γ = μ - α with what goes with it, and γ_j of A annotators by their positions, -1 for those who gave no label."""

    n_squared = 3

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("value", "alpha", "mu", "criterion", "coefficient", *(f"annotator {one}" for one in self.settings["annotators"]))

    def read(self) -> None:
        """Columns n, α and μ of cases; then of every annotator how many cases, and γ_j."""
        model, own = distances_to_others(self.compared, self._more)
        cases = self.compared.sums.columns(self.compared.predicted[0])
        self.columns = np.concatenate([cases, ~np.isnan(model), zeros(model - own)], axis=1)

    def parts(self, table: Array) -> tuple[Array, Array]:
        """(R, 5 + A), (R, 5 + A): γ, α, μ, 2 γ / α, α / μ, γ_j."""
        n, alpha, mu = table.T[:3]
        inside, gamma = np.split(table[:, 3:], 2, axis=1)
        above, below = (mu - alpha, alpha, mu, 2 * (mu - alpha), alpha), (n, n, n, alpha, mu)
        return np.column_stack([*above, gamma]), np.column_stack([*below, inside])

    def numbers(self, sums: Array) -> dict[str, Array]:
        found = self.answer(sums)
        return {**dict(zip(self.names[1:5], found.T[1:])), "per_annotator": found[:, 5:]}

    def finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """With who the annotators are."""
        found = super().finish(sums, fixed, left_out)
        return found._replace(numbers={"annotators": np.array(self.settings["annotators"]), **found.numbers})

    def groups(self, sums: Array, fixed: Array) -> Array:
        """Cases of each annotator."""
        return np.split(sums[3:], 2)[0]


@dataclass(frozen=True, eq=False)
class IndividualEquivalence(OfAnnotations, Result, Frozen):
    """How much more the annotators would disagree if the model took the place of one; made by :func:`individual_equivalence_index`.

    Attributes
    ----------
    value : float
        γ = μ - α. Above 0: more disagreement with the model; below 0: less.
    alpha, mu : float
        Mean distance between annotators, and from the model to annotators.
    criterion : float
        (μ - α) / (α / 2), the individual equivalence criterion of bioequivalence, where α / 2 is the variance within (squared distance).
    coefficient : float
        α / μ, the coefficient of individual agreement with the annotators as the reference: 1 or more, the model is one of them.
    annotators : (A,) array
    per_annotator : (A,) array
        γ_j: mean over the cases of annotator j of the model's distance to the others less that of j.
    n_cases, left_out : int, mapping
        Cases that count, and by reason those that do not.

    Notes
    -----
    The numbers that are resampled together are ``value``, ``alpha``, ``mu``, ``criterion``, ``coefficient`` and those of ``per_annotator``.

    Examples
    --------
    >>> import ugt
    >>> ratings = [[3.0, 4, 5], [7, 7, 8], [1, 3, 2], [6, 5, 6], [9, 7, 8]]
    >>> found = ugt.individual_equivalence_index(ratings, [4.0, 7.5, 2, 6, 8])
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

    def interchangeable(self, margin: float, level: float = 0.95, *, kind: str = "bca", **options: Any) -> bool:
        """Is γ below the margin? Decided by its one-sided upper limit, options as of :meth:`interval`; False where there is none."""
        if isinstance(margin, bool) or not math.isfinite(margin):
            raise checks.error("margin", "be a finite number", repr(margin))
        return bool(upper_limit(self, level, kind=kind, **options) < margin)


def individual_equivalence_index(
    annotations: Any, predictions: Any, *, distance: Any = "squared", values: Any = None, missing: str = "error"
) -> IndividualEquivalence:
    r"""How much more would annotators disagree if the model took the place of one of them?

    .. math:: γ = E\,δ(m, Y_j) - E\,δ(Y_j, Y_{j'}) = μ - α

    with the averages of :func:`discrepancy_ratio`: within cases, then over cases. For δ = 0/1 it is the increase in the frequency of
    disagreement, for squared differences the increase in mean squared difference.

    Parameters
    ----------
    annotations, predictions, distance, values, missing
        As for :func:`discrepancy_ratio`, with the same errors; it must be known who gave each label.

    Returns
    -------
    IndividualEquivalence
        In the units of the distance.

    Notes
    -----
    Sign: the new one less the old ones, so that negative values speak for the model (some papers print the difference of agreements, with
    the same sign for 1 - agreement). γ = α (Δ - 1): the index says how much, the ratio how much relative to what there was. In the
    original setting each reader reads with the new and with the old test; here the model is the new test, and reads alone.

    References
    ----------
    Obuchowski, Subhas & Schoenhagen (2014), "Testing for interchangeability of imaging tests", Academic Radiology 21(11); Barnhart,
    Kosinski & Haber (2007), "Assessing individual agreement", Journal of Biopharmaceutical Statistics 17(4) (criterion and coefficient).

    Examples
    --------
    >>> import ugt
    >>> ratings = [[3.0, 4, 5], [7, 7, 8], [1, 3, 2], [6, 5, 6], [9, 7, 8]]
    >>> found = ugt.individual_equivalence_index(ratings, [4.0, 7.5, 2, 6, 8])
    >>> found.per_annotator.round(2).tolist(), found.interchangeable(0.0)
    ([-1.25, -1.05, -0.55], True)
    """
    compared = compare(annotations, {"model": predictions}, distance, values, missing, known=WHY)
    one = Substitution.of(compared)
    value, alpha, mu, criterion, coefficient = one.estimate[:5].tolist()
    of_annotators = compared.annotators, one.estimate[5:]
    return IndividualEquivalence(value, alpha, mu, criterion, coefficient, *of_annotators, one.n_counted, one.left_out, one)
