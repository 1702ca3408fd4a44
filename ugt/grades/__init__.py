r"""Metrics of grades: predicted grades, severity scores and ratings against an uncertain truth.

The truth of a case is a law over grades, of which annotations leave more or less open. A metric compares the prediction with a grade that
is drawn from this law, as another annotator's would be, or with the law itself. :data:`GRADE_METRICS` lists all metrics with their words.
"""

from __future__ import annotations

from functools import partial

from .._base import checks
from ..annotations.joins import tells_joins
from ..plausibilities import Estimate
from ..plausibilities.means import means
from ..resampling import Part
from . import cuts, errors, kappa, rank_parts
from .cuts import calibration_at_cuts, ua_auroc_at_cuts
from .declared import GradeMetric, declared
from .normal_costs import ABSOLUTE, SQUARED, within_cost
from .orders import ua_concordance, ua_kendall, ua_spearman
from .record import GradeCoefficient

__all__ = [
    "GradeCoefficient", "calibration_at_cuts", "ua_absolute_error", "ua_auroc_at_cuts", "ua_concordance", "ua_grade_wasserstein",
    "ua_kendall", "ua_ranked_probability_score", "ua_spearman", "ua_squared_error", "ua_weighted_kappa", "ua_within_accuracy",
]  # fmt: skip

AGAINST = ("grade", "law")


@tells_joins
def ua_absolute_error(
    truth: object,
    predictions: object,
    *,
    values: object = None,
    predictions_are: str | None = None,
    frequency: object = None,
    case_weights: object = None,
) -> Estimate:
    r"""Return the expected absolute error of predictions, in grades, if a grade is drawn from the truth.

    With the law λ of a case over grades with numbers v, and the prediction x, the case has ``E_λ Σ_k λ_k |x - v_k|``; the value is the
    mean over cases. Of predicted probabilities, x is the median, which minimises the expected error under them; between two grades that are
    both medians, x is their middle.

    Parameters
    ----------
    truth : Point, Dirichlet, Draws, GradedResponse, array (N, K) or (N, draws, K), or NormalPosterior
        Law of each case over grades, or over real numbers. Cases without annotations are left out and counted.
    predictions : (N,) numbers or names of grades, or (N, K) probabilities of the grades
        With a NormalPosterior, numbers.
    values : (K,) array, optional
        The numbers of the grades, in the order of the classes. Default: the names of the classes if these are numbers; 1 to K for a
        truth of labels with an order (``ordered=``).
    predictions_are : {"numbers", "grades", "positions", "probabilities"}, optional
        What predictions are, if it is doubtful: numbers on the scale of the grades, also outside of it; numbers or names of grades;
        positions 0 to K-1 of classes; probabilities.
    frequency, case_weights : (N,) numbers, Series or mapping of case id to number, optional
        How many equal cases each row stands for, or how many cases of a population each case represents, as for
        :func:`ua_topk_accuracy`.

    Returns
    -------
    Estimate
        The value, from 0 to the width of the scale, exact; with its spread over draws of the law λ.

    Raises
    ------
    ValueError
        If predictions do not fit; if it is doubtful what they are; if the numbers of the grades are unknown.
    TypeError
        If ``truth`` is neither plausibilities nor a NormalPosterior.

    Notes
    -----
    The error is against another annotator's grade, not against the true grade. It is above 0 for every prediction unless the truth is
    certain: the median of the law has the smallest value. Under a NormalPosterior a new rating follows Student's t with ν = 2a degrees of
    freedom and scale s, so that with z = (x - m) / s the case has ``s (z (2 F(z) - 1) + 2 f(z) (ν + z²) / (ν - 1))``, infinite for ν ≤ 1.

    References
    ----------
    Gneiting, "Making and evaluating point forecasts", Journal of the American Statistical Association 106 (2011) 746-762: the median goes
    with the absolute error, the mean with the squared error.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.dirichlet(ugt.Labels.from_counts([[4, 1, 0], [0, 2, 3]], classes=[1, 2, 3]), prior=0.5)
    >>> found = ugt.grades.ua_absolute_error(post, [1, 2.5])
    >>> found.per_case.round(4), round(found.value, 4), round(found.draw_std, 4)
    (array([0.3846, 0.5769]), 0.4808, 0.124)
    """
    return errors.of_grade(
        truth, predictions, values, predictions_are, errors.absolute, ABSOLUTE, 1, frequency=frequency, case_weights=case_weights
    )


@tells_joins
def ua_squared_error(
    truth: object,
    predictions: object,
    *,
    values: object = None,
    predictions_are: str | None = None,
    frequency: object = None,
    case_weights: object = None,
) -> Estimate:
    r"""Return the expected squared error of predictions if a grade is drawn from the truth: the mean of ``E_λ Σ_k λ_k (x - v_k)²``.

    Of predicted probabilities, x is the mean. The unit is the square of a grade. Arguments, errors and result are those of
    :func:`ua_absolute_error`, with values from 0 to the square of the width of the scale.

    Notes
    -----
    A case has ``(x - E v)² + Var v``, with mean and variance of the law of a new grade: the mean of the law has the smallest value. Under a
    NormalPosterior it is ``(x - m)² + s² ν / (ν - 2)``, infinite for ν ≤ 2.

    Examples
    --------
    >>> import ugt
    >>> ugt.grades.ua_squared_error([[0.8, 0.2, 0.0], [0.0, 0.5, 0.5]], [0, 1.5]).per_case
    array([0.2 , 0.25])
    """
    return errors.of_grade(
        truth, predictions, values, predictions_are, errors.squared, SQUARED, 2, frequency=frequency, case_weights=case_weights
    )


@tells_joins
def ua_within_accuracy(
    truth: object,
    predictions: object,
    *,
    within: float = 1.0,
    values: object = None,
    predictions_are: str | None = None,
    frequency: object = None,
    case_weights: object = None,
) -> Estimate:
    r"""Return how often a grade that is drawn from the truth lies within a distance of the prediction, such as one grade.

    A case has ``E_λ Σ_k λ_k [|x - v_k| ≤ within]``. Of predicted probabilities, x is the grade within whose distance most probability lies;
    several such grades count equally.

    Parameters
    ----------
    truth, predictions, values, predictions_are, frequency, case_weights
        As for :func:`ua_absolute_error`; the errors are the same, too.
    within : float
        Distance on the scale of the grades, at least 0. 0: the same grade; then the value is that of :func:`ua_plausibility_mass` for sets
        of one class.

    Returns
    -------
    Estimate
        The share, in [0, 1], exact.

    Examples
    --------
    >>> import ugt
    >>> law = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]
    >>> ugt.grades.ua_within_accuracy(law, [0, 1]).value, ugt.grades.ua_within_accuracy(law, [0, 1], within=0).value
    (0.9, 0.3)
    """
    distance = checks.scalar("within", within)
    worth = partial(errors.within, distance)
    return errors.of_grade(
        truth,
        predictions,
        values,
        predictions_are,
        worth,
        within_cost(distance),
        0,
        share=True,
        frequency=frequency,
        case_weights=case_weights,
    )


@tells_joins
def ua_ranked_probability_score(
    truth: object,
    predictions: object,
    *,
    against: str = "grade",
    values: object = None,
    predictions_are: str | None = None,
    frequency: object = None,
    case_weights: object = None,
) -> Estimate:
    r"""Return the ranked probability score of predictions, in grades, against a grade drawn from the truth or against its law.

    With cumulative probabilities Z of the prediction and Λ of the law, a case has ``E_λ Σ_k λ_k Σ_j (v_{j+1} - v_j) (Z_j - [k ≤ j])²``
    against a grade, and ``E_λ Σ_j (v_{j+1} - v_j) (Z_j - Λ_j)²`` against the law, j from 1 to K-1. A grade has probability 1; against a
    drawn grade, a number scores its absolute error.

    Parameters
    ----------
    truth, predictions, values, predictions_are, frequency, case_weights
        As for :func:`ua_absolute_error`; the errors are the same, too. With a NormalPosterior, numbers against a grade.
    against : {"grade", "law"}
        A grade that is drawn from the law, as another annotator's; or the law itself.

    Returns
    -------
    Estimate
        The score, from 0 (best) to the width of the scale, exact for Point and Dirichlet; with an exact spread over draws.

    Notes
    -----
    The score against a grade is that against the law plus ``E_λ Σ_j (v_{j+1} - v_j) Λ_j (1 - Λ_j)``, the disagreement of grades of the same
    law, which no prediction changes. The score against the law is 0 only if the law is known; of all predictions the mean of the law has
    the smallest value. With neighbouring grades 1 apart and a Point of shares of labels, the score against a grade is
    :func:`ranked_probability_score`. Under a Dirichlet truth Λ_j has a Beta distribution.

    References
    ----------
    Epstein, Journal of Applied Meteorology 8 (1969) 985-987; Murphy, ibid. 10 (1971) 155-156. Gneiting & Raftery, "Strictly proper scoring
    rules, prediction, and estimation", Journal of the American Statistical Association 102 (2007) 359-378, section 4.2.

    Examples
    --------
    >>> import ugt
    >>> law, probs = [[0.5, 0.5, 0.0], [0.2, 0.2, 0.6]], [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]
    >>> ugt.grades.ua_ranked_probability_score(law, probs).per_case.round(4)
    array([0.3125, 0.6   ])
    >>> ugt.grades.ua_ranked_probability_score(law, probs, against="law").per_case.round(4)
    array([0.0625, 0.2   ])
    """
    if checks.option("against", against, AGAINST) == "law":
        return errors.of_law(truth, predictions, values, predictions_are, 2, frequency=frequency, case_weights=case_weights)
    return errors.of_grade(
        truth, predictions, values, predictions_are, errors.ranked, ABSOLUTE, 1, frequency=frequency, case_weights=case_weights
    )


@tells_joins
def ua_grade_wasserstein(truth: object, predictions: object, *, values: object = None, predictions_are: str | None = None) -> Estimate:
    r"""Return the expected Wasserstein distance, in grades, of predicted laws from the law of the truth.

    A case has ``E_λ Σ_j (v_{j+1} - v_j) |Z_j - Λ_j|``, with cumulative probabilities Z of the prediction and Λ of the law.

    Parameters
    ----------
    truth, predictions, values, predictions_are
        As for :func:`ua_absolute_error`, with grades or probabilities of grades; the errors are the same, too.

    Returns
    -------
    Estimate
        The distance, from 0 to the width of the scale, exact for Point and Dirichlet. The spread over draws of a Dirichlet truth is that of
        1,000 draws of each case (100 for more than 200 cases).

    Notes
    -----
    Under a Dirichlet truth, Λ_j has a Beta distribution with parameters a and b and mean μ, and
    ``E|z - Λ| = z (2 I_z(a, b) - 1) + μ (1 - 2 I_z(a + 1, b))`` with the regularised incomplete beta function I. The distance is above 0
    for every prediction if the law is uncertain. That to observed shares of labels is :func:`wasserstein_distance`.

    References
    ----------
    Vallender, Theory of Probability and its Applications 18 (1974) 784-786 (the distance on a line by cumulative probabilities).

    Examples
    --------
    >>> import ugt
    >>> post = ugt.Dirichlet.from_array([[4.5, 1.5, 0.5], [0.5, 2.5, 3.5]])
    >>> ugt.grades.ua_grade_wasserstein(post, [[0.7, 0.2, 0.1], [0.0, 0.5, 0.5]]).per_case.round(4)
    array([0.2178, 0.2305])
    """
    return errors.of_law(truth, predictions, values, predictions_are, 1)


@tells_joins
def ua_weighted_kappa(
    truth: object, predictions: object, *, weights: str = "quadratic", values: object = None, predictions_are: str | None = None
) -> GradeCoefficient:
    r"""Return the weighted kappa between predictions and grades drawn from the truth.

    It is ``1 - D_o / D_e`` of the expected table: ``D_o`` is the mean over cases of ``E d(x_i, y_i)``, with y drawn from the law of the
    case, and ``D_e = Σ_i Σ_j E d(x_i, y_j) / N²`` is the same with predictions and grades of independently drawn cases, from the
    frequencies of the predictions and from the mean of the laws (Cohen's marginals). d is the square or the absolute value of the
    difference. Of predicted probabilities, the most probable grade counts; several such grades share the case equally.

    Parameters
    ----------
    truth, predictions, values, predictions_are, frequency, case_weights
        As for :func:`ua_absolute_error`; the errors are the same, too. With a NormalPosterior, numbers and quadratic weights.
    weights : {"quadratic", "linear"}
        d: squared or absolute differences of the numbers of the grades.

    Returns
    -------
    GradeCoefficient
        The value, at most 1, with ``human`` and ``ceiling``; NaN with a reason if predictions and grades are all of one grade. Constant
        predictions have 0.

    Notes
    -----
    It is a ratio of expectations. With many cases it is the kappa of predictions with one grade per case drawn from the truth.

    With quadratic weights, ``D_o = Var x + Var y - 2 Cov(x, μ) + (mean x - mean y)²`` with the means μ_i of the laws, and kappa is
    ``2 Cov(x, μ) / (Var x + Var y + (mean x - mean y)²)``, the concordance correlation of Lin. An independent annotator, with ``y'`` drawn
    from the same laws, has ``Cov(y', y) = Var μ`` and so ``human = R = Var μ / Var y``, the reliability of single grades. No prediction
    exceeds ``ceiling = √R``: ``Cov(x, μ) ≤ sd x sd μ`` (Cauchy & Schwarz) and ``2 sd x sd y ≤ Var x + Var y`` give
    ``2 sd x sd μ / (Var x + Var y) ≤ sd μ / sd y``. The means of the laws have ``2 R / (1 + R)``; the means stretched about their mean
    to the variance of y reach the bound. √R is Spearman's bound of a correlation by reliability. With linear weights the ceiling is the
    highest value of any prediction, computed by Dinkelbach's algorithm.

    ``human`` takes two grades of a case to be independent draws of its law. It is no agreement of observed annotators, for which there are
    :func:`cohen_kappa` and :func:`krippendorff_alpha`. If few annotations leave the laws wide, R and the ceiling are low; a prediction that
    knows more about a case than its annotations say gains nothing by it here.

    References
    ----------
    Cohen, Psychological Bulletin 70 (1968) 213-220. Lin, Biometrics 45 (1989) 255-268. Spearman, American Journal of Psychology 15 (1904)
    72-101 (correction for attenuation). Lage-Castellanos, Valente, Formisano & De Martino, PLoS Computational Biology 15 (2019) e1006397,
    and Nili et al., ibid. 10 (2014) e1003553 (noise ceilings). Dinkelbach, Management Science 13 (1967) 492-498.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.grades.ua_weighted_kappa([[0.9, 0.1, 0.0], [0.0, 0.8, 0.2], [0.0, 0.1, 0.9], [0.2, 0.8, 0.0]], [0, 1, 2, 1])
    >>> round(found.value, 3), round(found.human, 3), round(found.ceiling, 3)
    (0.857, 0.773, 0.879)
    """
    return kappa.weighted_kappa(truth, predictions, checks.option("weights", weights, kappa.WEIGHTS), values, predictions_are)


GRADE_METRICS = declared(
    GradeMetric("absolute_error", ua_absolute_error, "Mean absolute error", "MAE",
        "how far predictions are expected to be from a grade that is drawn from the truth", "grades", real=True),
    GradeMetric("squared_error", ua_squared_error, "Mean squared error", "MSE",
        "the expected square of the distance from a grade that is drawn from the truth", "grades²", real=True),
    GradeMetric("within_accuracy", ua_within_accuracy, "Within-one accuracy", "within 1",
        "how often a grade that is drawn from the truth is expected to be at most one grade from the prediction", "share",
        higher_is_better=True, real=True),
    GradeMetric("ranked_probability_score", ua_ranked_probability_score, "Ranked probability score", "RPS",
        "the squared distance of cumulative probabilities from a grade that is drawn from the truth", "grades", real=True),
    GradeMetric("grade_wasserstein", ua_grade_wasserstein, "Wasserstein distance", "Wasserstein",
        "how far predicted probabilities are expected to be from the law of the truth, in grades moved", "grades", numbers=False),
    GradeMetric("weighted_kappa", ua_weighted_kappa, "Quadratic kappa", "kappa",
        "agreement with a grade that is drawn from the truth, beyond chance, if a disagreement counts by the square of its distance", "",
        higher_is_better=True, real=True),
    GradeMetric("linear_kappa", ua_weighted_kappa, "Linear kappa", "linear kappa",
        "agreement with a grade that is drawn from the truth, beyond chance, if a disagreement counts by its distance", "",
        higher_is_better=True, shown=False, options={"weights": "linear"}),
    GradeMetric("spearman", ua_spearman, "Spearman correlation", "Spearman",
        "the correlation of the ranks of predictions with those of grades that are drawn from the truth", "", higher_is_better=True),
    GradeMetric("kendall", ua_kendall, "Kendall correlation (tau-b)", "Kendall",
        "pairs of cases that predictions and drawn grades put into the same order less those in the opposite order", "",
        higher_is_better=True, shown=False),
    GradeMetric("concordance", ua_concordance, "Concordance (ordinal C-index)", "C-index",
        "how often the case with the higher drawn grade has the higher prediction", "share", higher_is_better=True, shown=False),
    GradeMetric("auroc_at_cuts", ua_auroc_at_cuts, "Mean AUROC over the cuts of the scale", "AUROC",
        "how well predictions separate cases above a cut from the others, mean over the cuts", "share", higher_is_better=True),
)  # fmt: skip

PARTS = {
    **means(ua_absolute_error, ua_squared_error, ua_within_accuracy, ua_ranked_probability_score, ua_grade_wasserstein, span=None),
    "ua_weighted_kappa": Part(kappa.read_part, kappa.of_settings),
    **rank_parts.PARTS,
    **cuts.PARTS,
}
