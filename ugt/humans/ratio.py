"""The discrepancy ratio: is a model closer to the annotators than they are to each other? Related methods are here, too [C]."""

from __future__ import annotations

from ..annotations.joins import tells_joins
from .input import compare
from .record import Discrepancy, DiscrepancyRatio, record


@tells_joins
def discrepancy_ratio(
    annotations: object, predictions: object, *, distance: object = None, values: object = None, missing: str = "error"
) -> DiscrepancyRatio:
    r"""Return how far a model is from the annotators, in units of how far they are from each other.

    With :math:`ψ(A, B)` the mean distance δ over all pairs of a label in A and one in B, :math:`Y_j^i` the labels that annotator j gave to
    case i, and :math:`A^i` the number of annotators of case i [C eq. 1-4],

    .. math:: α = \frac1N \sum_i \frac{1}{A^i (A^i - 1)} \sum_{j ≠ j'} ψ(Y_j^i, Y_{j'}^i), \quad
              μ = \frac1N \sum_i \frac{1}{A^i} \sum_j ψ(m^i, Y_j^i), \quad Δ = μ / α

    Parameters
    ----------
    annotations : Labels, Ratings, Masks, or (N, A) array
        An array has one column per annotator, NaN if the annotator did not annotate the case. Text is read as labels. Numbers are read as
        labels if predictions are probabilities or if ``values`` or a table of costs is given, and as ratings otherwise. Three or more
        different whole numbers may be either: without ``distance`` they are refused (use Labels.from_wide or Ratings.from_wide). An
        annotator may label a case several times.
    predictions : (N,) or (N, K) array, list of N masks, Predictions, or mapping of case id to prediction
        One class, number or mask per case, NaN or None if there is none; or probabilities of the K classes, for which distances are
        expectations. If classes are text, ``values`` turns them into numbers; predictions that are floats are then on the same scale.
    distance : str, (str, options), ("threshold", λ), (K, K) array, or function
        δ. Default: ``"zero-one"`` for Labels of more than two classes or with text as classes, if ``values`` is not given; ``"squared"``
        for Ratings, with ``values``, and for two classes that are numbers. For masks a distance must be given. ``("threshold", λ)`` is
        max(0, \|y - y'\| - λ). An array holds the costs of taking one class for another: symmetric, 0 on the diagonal. Jaccard and
        Dice are 1 - similarity of masks, 0 for two empty masks; the other distances of masks are in the notes. A function of two labels
        is slow, and a warning says so.
    values : (K,) numbers, optional
        The numbers that the classes stand for. Default: the classes, if they are integers.
    missing : {"error", "drop"}
        What to do with cases without a prediction: refuse them, or leave them out and count them.

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
        If no case counts, or if all annotators agree in every case: Δ is NaN (or inf) and ``reason`` says why.

    Notes
    -----
    Cases with fewer than two annotators are left out of both α and μ, and counted. Averages are over pairs within a case, then over
    cases, so that annotators who skip hard cases do not change the result (see the page on discrepancy). Distances are computed in closed
    form; only a Python function and the distances of surfaces are computed for every pair. [C] prints the thresholded distance as
    max(0, λ - \|y - y'\|), which contradicts its text.

    For masks, ``distance`` is a name, or a name with options such as ``("hausdorff", {"spacing": (1, 1, 3)})``:

    - ``"kappa"``: 1 - Cohen's kappa of the pixels, from 0 to 2; 0 for two masks that are both empty or both full
    - ``"hausdorff"``: the largest distance from an element of one surface to the nearest element of the other, in either direction; with
      ``percentile`` 95 (HD95) the larger of the two directions' percentiles by area. 0 for two empty masks; the diagonal of the image if
      only one is empty
    - ``"surface"``: 1 - NSD, the share of both surfaces, by area, that is farther from the other surface than ``tolerance``. 0 for two
      empty masks, 1 if only one is empty

    Surfaces are those of Nikolov et al.: elements are the corners of pixels around which some but not all pixels are marked, and weigh as
    much as the surface there by marching squares or cubes; the outside of the image is not marked. Other programs use the pixels at the
    border instead: their Hausdorff distances differ by up to the diagonal of a pixel, and HD95 and NSD also differ by their weights.
    ``spacing`` is the size of a pixel: a number, one for each dimension, or a mapping of case id to these; lengths and ``tolerance``
    are in its unit. For maps of several classes (:meth:`Masks.from_maps`) every distance of masks is the mean over the classes that
    occur in either mask, weighted by ``weights``, one number per class.

    References
    ----------
    [C] Lovchinsky et al. (2020), "Discrepancy ratio: evaluating model performance when even experts disagree on the truth",
    eq. 1-4; Ahn, Park & Lee (2013), "How to demonstrate similarity by using non-inferiority and equivalence statistical testing in
    radiology research", Radiology 267(2); Nikolov et al. (2021), "Clinically applicable segmentation of head and neck anatomy for
    radiotherapy", Journal of Medical Internet Research 23(7) (surfaces, NSD).

    Examples
    --------
    >>> import ugt
    >>> readers = [[0, 1, 1], [1, 1, 0], [0, 0, None], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> found = ugt.discrepancy_ratio(readers, [1, 1, 0, 1, 0, 1])
    >>> round(found.value, 3), found.n_cases, found.left_out
    (0.5, 6, {})
    >>> soft = ugt.discrepancy_ratio(readers, [[0.4, 0.6], [0.3, 0.7], [0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.1, 0.9]])
    >>> round(soft.value, 3), [round(end, 2) for end in soft.interval()]
    (0.725, [0.63, 1.62])
    >>> masks = ugt.Masks.from_wide([[[[1, 1, 0, 0]], [[1, 1, 1, 0]]], [[[0, 1, 0, 0]], [[0, 1, 1, 0]]]])
    >>> ugt.discrepancy_ratio(masks, [[[1, 1, 1, 1]], [[0, 1, 0, 0]]], distance=("hausdorff", {"spacing": (1, 0.5)})).mu
    0.5
    """
    one = Discrepancy({}, compare(annotations, {"model": predictions}, distance, values, missing))
    return record(one, one.left_out)
