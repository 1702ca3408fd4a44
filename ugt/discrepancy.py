"""Is the model nearer to the annotators than they are to each other? The discrepancy ratio and what goes with it [C]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _checks, resampling
from ._discrepancy.alternatives import AlternativeRatios, RelativeF1, alternative_discrepancy_ratios, relative_f1
from ._discrepancy.forest import AnnotatorDiscrepancy, annotator_discrepancy
from ._discrepancy.groups import GroupedDiscrepancy, group_discrepancy, stratified_discrepancy
from ._discrepancy.input import clusters_of, compare
from ._discrepancy.record import DiscrepancyRatio, NonInferiority, check_margin, record
from ._discrepancy.sums import Sums
from ._discrepancy.threshold_sweep import ThresholdSweep, threshold_sweep

if TYPE_CHECKING:
    from .resampling import Seed

__all__ = [
    "AlternativeRatios",
    "AnnotatorDiscrepancy",
    "DiscrepancyRatio",
    "GroupedDiscrepancy",
    "NonInferiority",
    "RelativeF1",
    "ThresholdSweep",
    "alternative_discrepancy_ratios",
    "annotator_discrepancy",
    "discrepancy_ratio",
    "group_discrepancy",
    "relative_f1",
    "stratified_discrepancy",
    "threshold_sweep",
]


def discrepancy_ratio(
    annotations: Any,
    predictions: Any,
    *,
    distance: Any = "squared",
    values: Any = None,
    clusters: Any = None,
    missing: str = "error",
    margin: float = 0.0,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: Seed = 0,
) -> DiscrepancyRatio:
    r"""How far a model is from the annotators, in units of how far they are from each other.

    With :math:`ψ(A, B)` the mean distance δ over all pairs of a label in A and one in B, :math:`Y_j^i` what annotator j said of case i,
    and :math:`A^i` annotators of case i [C eq. 1-4],

    .. math:: α = \frac1N \sum_i \frac{1}{A^i (A^i - 1)} \sum_{j ≠ j'} ψ(Y_j^i, Y_{j'}^i), \quad
              μ = \frac1N \sum_i \frac{1}{A^i} \sum_j ψ(m^i, Y_j^i), \quad Δ = μ / α

    Parameters
    ----------
    annotations : Labels, Ratings, Masks, or (N, A) array
        An array has a column for each annotator, NaN where a case has none of theirs: numbers are ratings, text or (beside
        probabilities or a table of costs) whole numbers are labels. An annotator may label a case several times.
    predictions : (N,) or (N, K) array, list of N masks, Predictions, or mapping of case id to prediction
        One class, number or mask a case, NaN or None where there is none; or probabilities of the K classes, for which distances are
        expectations. Of labels with text for names, ``values`` turns classes into numbers; floats are then numbers on their scale.
    distance : {"squared", "absolute", "zero-one", "jaccard", "dice"}, ("threshold", λ), (K, K) array, or function
        δ. ``("threshold", λ)``: max(0, \|y - y'\| - λ). An array holds the costs of taking one class for another: symmetric, 0 on the
        diagonal. Jaccard and Dice are 1 - similarity of masks, 0 for two empty ones. A function of two labels is slow, and says so.
    values : (K,) numbers, optional
        What the classes stand for. Default: the classes, where they are integers.
    clusters : (N,) ids or mapping of case id, optional
        Such as patients: what intervals resample, instead of cases.
    missing : {"error", "drop"}
        What to do with cases without a prediction: refuse, or leave them out and count them.
    margin, level, n_resamples, seed
        Defaults of the record's methods: see :class:`DiscrepancyRatio`.

    Returns
    -------
    DiscrepancyRatio

    Raises
    ------
    ValueError
        If predictions do not fit the annotations or are missing, probabilities do not add up to 1, or an option is unknown.

    Warns
    -----
    RuntimeWarning
        If no case counts, or all annotators agree everywhere: Δ is NaN (or inf) and ``reason`` says why.

    Notes
    -----
    Cases with fewer than two annotators are left out of both α and μ, and counted. Averages are over pairs within a case, then over
    cases, so that annotators who skip hard cases change nothing (see the page on discrepancy). Distances are closed forms: no pair is
    enumerated, but for a Python function. [C] prints the thresholded distance as max(0, λ - \|y - y'\|), which contradicts its text.

    References
    ----------
    [C] Lovchinsky et al. (2020), "Discrepancy ratio: evaluating model performance when even experts disagree on the truth",
    eq. 1-4; Ahn, Park & Lee (2013), "How to demonstrate similarity by using non-inferiority and equivalence statistical testing in
    radiology research", Radiology 267(2).

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 1, 1], [1, 1, 0], [0, 0, None], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.discrepancy_ratio(readers, [1, 1, 0, 1, 0, 1])
    >>> round(found.value, 3), found.n_cases, found.left_out
    (0.5, 6, {})
    >>> soft = ugt.discrepancy_ratio(readers, [[0.4, 0.6], [0.3, 0.7], [0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.1, 0.9]])
    >>> round(soft.value, 3), [round(end, 2) for end in soft.interval(n_resamples=500)]
    (0.725, [0.64, 0.98])
    """
    compared = compare(annotations, {"model": predictions}, distance, values, missing)
    options = {
        "clusters": clusters_of(clusters, compared.annotations),
        "level": resampling.check_level(level),
        "margin": check_margin(margin),
        "n_resamples": _checks.whole("n_resamples", n_resamples),
        "seed": resampling.seed_of(seed),
    }
    return record(compared, Sums.of(compared), 0, **options)
