"""Correlations of ranks and concordance between predictions and grades drawn from the truth: the public functions."""

from __future__ import annotations

from ..annotations.joins import tells_joins
from .ranks import rank_coefficient
from .record import GradeCoefficient


@tells_joins
def ua_spearman(truth: object, predictions: object, *, values: object = None, predictions_are: str | None = None) -> GradeCoefficient:
    r"""Return Spearman's rank correlation between predictions and grades drawn from the truth.

    It is the correlation of ranks in the expected table: each case counts with the law λ of its grade, ``ρ = Cov(R(x), E r(y)) / (sd R(x)
    sd r(y))``. R(x) is the midrank of a prediction, and r(k) the share of cases with a lower grade, those with the same counted half,
    by the mean of the laws.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, GradedResponse, or array (N, K) or (N, draws, K)
        Law of each case over grades. Cases without annotations are left out and counted.
    predictions : (N,) numbers or names of grades, or (N, K) probabilities of the grades
        Only the order counts, so that numbers may be on any scale; of probabilities it is that of the expected grade.
    values, predictions_are
        As for :func:`ua_absolute_error`.

    Returns
    -------
    GradeCoefficient
        The value, from -1 to 1; NaN with a reason if all predictions or all grades are equal.

    Raises
    ------
    ValueError
        If predictions do not fit, or the order of the grades is unknown.
    TypeError
        If ``truth`` is not plausibilities; for ratings, ``posterior.to_point(cuts)`` makes such.

    Notes
    -----
    The value is a ratio of expectations, computed exactly in closed form. It equals the sample's correlation if the truth is certain.
    Otherwise it differs from the mean over samples of one grade per case by a term of the order of 1/N.

    With the mean rank s_i = E r(y_i) of a case, ``Cov(R(x), s) ≤ sd R(x) sd s`` (Cauchy & Schwarz), so that no predictions exceed
    ``ceiling = sd s / sd r(y)``. An independent annotator, whose grades y' are drawn from the same laws, has ``Cov(r(y'), r(y)) = Var s``
    and so ``human = Var s / Var r(y) = ceiling²``: the bound is the square root of the reliability. Predictions whose ranks are
    proportional to s would reach it; otherwise the best order is that of s, with a lower value.

    In parts (``ugt.states``) predictions are grades, or numbers between given ``edges``, between which they count as tied.

    References
    ----------
    Spearman, American Journal of Psychology 15 (1904) 72-101. Daniels, Biometrika 33 (1944) 129-135 (correlations of ranks as sums over
    pairs). Lage-Castellanos et al., PLoS Computational Biology 15 (2019) e1006397 (noise ceilings).

    Examples
    --------
    >>> import ugt
    >>> found = ugt.grades.ua_spearman([[0.9, 0.1, 0.0], [0.0, 0.8, 0.2], [0.0, 0.1, 0.9], [0.2, 0.8, 0.0]], [0.1, 2.3, 5.0, 0.7])
    >>> round(found.value, 3), round(found.human, 3), round(found.ceiling, 3)
    (0.874, 0.773, 0.879)
    """
    return rank_coefficient("spearman", truth, predictions, values, predictions_are)


@tells_joins
def ua_kendall(truth: object, predictions: object, *, values: object = None, predictions_are: str | None = None) -> GradeCoefficient:
    r"""Return Kendall's tau-b between predictions and grades drawn from the truth.

    With ``π_ij = P(y_i > y_j) - P(y_i < y_j)`` of two different cases, it is ``Σ_{i<j} sign(x_i - x_j) π_ij / √(U_x U_y)``. U_x is the
    number of pairs with different predictions and ``U_y = Σ_{i<j} P(y_i ≠ y_j)`` the expected number of pairs with different grades.

    Arguments, errors and result are those of :func:`ua_spearman`.

    Notes
    -----
    It is a ratio of expectations, computed exactly in closed form, and the sample's tau-b if the truth is certain. By Cauchy & Schwarz
    ``Σ sign(x_i - x_j) π_ij ≤ √(U_x Σ π_ij²)``, so that no predictions exceed ``ceiling = √(Σ π_ij² / U_y)``. An independent annotator has
    ``human = Σ π_ij² / U_y = ceiling²``, since the expectation of sign(y'_i - y'_j) is π_ij. The cost is proportional to N K².

    References
    ----------
    Kendall, Biometrika 33 (1945) 239-251 (tau-b). Daniels, Biometrika 33 (1944) 129-135.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.grades.ua_kendall([[0.9, 0.1, 0.0], [0.0, 0.8, 0.2], [0.0, 0.1, 0.9], [0.2, 0.8, 0.0]], [0.1, 2.3, 5.0, 0.7])
    >>> round(found.value, 3), round(found.human, 3), round(found.ceiling, 3)
    (0.867, 0.81, 0.9)
    """
    return rank_coefficient("kendall", truth, predictions, values, predictions_are)


@tells_joins
def ua_concordance(truth: object, predictions: object, *, values: object = None, predictions_are: str | None = None) -> GradeCoefficient:
    r"""Return the ordinal C-index: how often the case with the higher grade has the higher prediction, if grades are drawn from the truth.

    It is ``Σ_{i≠j} P(y_i > y_j) ψ(x_i, x_j) / Σ_{i≠j} P(y_i > y_j)``, with ψ = 1 if x_i > x_j, ½ for equal predictions and 0 otherwise.

    Arguments, errors and result are those of :func:`ua_spearman`, with values from 0 to 1; constant predictions have ½.

    Notes
    -----
    With two grades it is ``soft_auroc(..., self_pairs="unbiased")`` with the probability of the higher one; with more, pairs of cases count
    whatever the distance of their grades. With π_ij and U_y of :func:`ua_kendall` it is ½ + S / (2 U_y), S = Σ sign(x_i - x_j) π_ij. An
    independent annotator has ``human = ½ + Σ π_ij² / (2 U_y)``; and ``S ≤ Σ |π_ij| ≤ √(N (N - 1)/2 Σ π_ij²)`` gives the ``ceiling``, which
    is at most 1 and not reached in general.

    References
    ----------
    Harrell, Lee & Mark, Statistics in Medicine 15 (1996) 361-387. Van Calster, Van Belle, Vergouwe & Steyerberg, Biometrical Journal 54
    (2012) 674-685 (ordinal outcomes).

    Examples
    --------
    >>> import ugt
    >>> found = ugt.grades.ua_concordance([[0.9, 0.1, 0.0], [0.0, 0.8, 0.2], [0.0, 0.1, 0.9], [0.2, 0.8, 0.0]], [0.1, 2.3, 5.0, 0.7])
    >>> round(found.value, 3), round(found.human, 3), round(found.ceiling, 3)
    (0.991, 0.905, 1.0)
    """
    return rank_coefficient("concordance", truth, predictions, values, predictions_are)
