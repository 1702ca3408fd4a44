"""Agreement on scales: Krippendorff's alpha, intraclass correlations, and agreement of annotators with themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from .._base import checks, identifiers, notices
from .._base.grades import ORDERED, numbers_of
from .._base.laws import t_quantile
from .._base.notes import Note
from .._base.wording import arg
from ..annotations import Labels, Ratings
from ..annotations.adjudication import drawn_alike
from .alpha import Alpha, OrdinalAlpha, alpha_form
from .chances import Chance
from .coefficients import OF_REPEATS
from .costs import LEVELS
from .icc import KINDS, Crossed, OneWay
from .kappas import Shared
from .record import Agreement
from .repeats import OfUnits
from .table import Judgements, read

REPEATS = ("mean", "one")
LEAST_SIZES, LEAST_APART = 20, 0.02  # cases, and distance of the coefficients, from which on numbers of labels get a note
__all__ = ["intra_annotator_agreement", "intraclass_correlation", "krippendorff_alpha"]


def krippendorff_alpha(
    annotations: object,
    level: str = "nominal",
    *,
    values: object = None,
    classes: object = None,
    frequency: object = None,
    case_weights: object = None,
) -> Agreement:
    r"""Return Krippendorff's alpha, :math:`α = 1 - D_o / D_e`, for any number of annotators, missing labels and four kinds of scales.

    :math:`D_o = \frac1n \sum_i \frac1{r_i - 1} \sum_{a \ne b} δ²(x_{ia}, x_{ib})` runs over the cases with at least two annotators, which
    have n judgements; :math:`D_e` is the mean of δ² over all pairs of these judgements.

    Parameters
    ----------
    annotations : Labels, Ratings, or (N, A) table
        A table of text, or with ``classes``, holds labels, a table of numbers with fractions ratings; None or NaN where there is none.
        A table of whole numbers could also be counts, and is refused (use Labels.from_wide, Ratings.from_wide or Labels.from_counts).
    level : {"nominal", "ordinal", "interval", "ratio"}
        Level of measurement. δ² is 1 for different values; the squared difference of mid-ranks among all judgements; the squared
        difference of values; or ``((x - y) / (x + y))²`` for values that are not negative.
    values : (K,) numbers, optional
        Values of the classes of labels. Default: their names if these are numbers; for ordinal scales the order of the classes.
    classes : number K or sequence of K names, optional
        As for :func:`percent_agreement`. Classes that no annotator used do not change alpha.
    frequency : (N,) whole numbers, Series or mapping of case id to number, optional
        As for :func:`percent_agreement`: how many equal cases each row of counts stands for.
    case_weights : (N,) numbers of at least 0, Series or mapping of case id to number, optional
        As for :func:`percent_agreement`. The weights are scaled so that the judgements count as many as they are.

    Returns
    -------
    Agreement
        ``observed`` and ``expected`` are 1 - D, in units of the largest δ² between values in use (for ratios: of 1). ``per_class`` is
        nominal at all levels.

    Raises
    ------
    TypeError, ValueError
        As for :func:`percent_agreement`; if values are missing, not finite, negative for a ratio scale or equal for an ordinal one.

    Notes
    -----
    All labels that one annotator gave to one case are a single judgement, in which each label has an equal share; δ² of two judgements
    is the mean over the pairs of their labels. Without variation (one value throughout) alpha is 0 / 0: the value is 1 by convention, and
    ``reason`` says so. A case weighs as much as its labels: where cases with more labels have more or less disagreement (a test at 1%),
    a warning gives the value with equal weights, too, as of :func:`fleiss_kappa`. Time is O(labels + K) for nominal, ordinal and interval
    scales; for ratio scales it grows with the pairs of distinct values of a case, and with K².

    References
    ----------
    Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections C and D (values).
    Gwet, "On Krippendorff's alpha coefficient" (2011) (linearisation).

    Examples
    --------
    >>> import ugt
    >>> found = krippendorff_alpha(ugt.Labels.from_wide([[1, 1, None], [2, 2, 3], [3, 3, 3], [1, 2, 2]]), "interval")
    >>> round(found.value, 3), found.per_class.round(2), found.left_out
    (0.737, array([0.58, 0.29, 0.64]), {})
    """
    judged = read("annotations", annotations, classes, alike="labels").occurring("annotations", frequency, case_weights)
    return alphas_of(judged, [level], values)[0]


def alphas_of(judged: Judgements, levels: Iterable[str], values: object = None) -> list[Agreement]:
    """Return Krippendorff's alpha of judgements for each level; add a note if it differs because labels go with disagreement."""
    forms = {level: alpha_form(judged, level, values) for level in levels}
    if (note := next(filter(None, map(sizes_matter, forms.values())), None)) is not None:
        notices.note(note)
    return [Agreement.of(f"Krippendorff's alpha ({level})", form) for level, form in forms.items()]


def sizes_matter(form: Alpha) -> Note | None:
    """Return a note if cases with more labels have more or less disagreement, so that alpha, which counts labels, is another number.

    With r_i labels and the mean disagreement d_i of case i, t = Σ (r_i - r) (d_i - d) / sqrt(Σ (r_i - r)² (d_i - d)²), over at least 20
    cases: p < 0.01 by Student's law, and 0.02 or more between alpha and the coefficient in which each case counts equally.
    """
    one = form._of_ranks if isinstance(form, OrdinalAlpha) else form
    if one.judged.counting is not None and one.judged.counting.weighted:
        return None  # what cases count is said by their weights
    used, w = one.in_use, one.judged.times[one.in_use]
    size, n = one.judged.size[used], w.sum()
    if n < LEAST_SIZES or (size == size[0]).all() or form.agreed().reason is not None:
        return None
    apart = one.dense[used, 0] / size
    product = (size - w @ size / n) * (apart - w @ apart / n)
    spread = math.sqrt(float(w @ product**2))
    t = float(w @ product) / spread if spread > 0 else 0.0
    alpha, equal = form.agreed().value, Shared(one.judged, one.cost, Chance()).agreed().value
    if not abs(t) > t_quantile(n - 1, 0.995) or not abs(alpha - equal) >= LEAST_APART:
        return None
    words = (
        "Cases with {more} labels have more disagreement (t = {t:.1f} over {n:,} cases). Krippendorff's alpha weights cases by their "
        "labels and is {alpha:.3f}; with each case counted equally, as by Fleiss' kappa, it would be {equal:.3f}."
    )
    return Note("sizes_go_with_disagreement", words, more="more" if t > 0 else "fewer", t=t, n=int(n), alpha=alpha, equal=equal)


def intraclass_correlation(ratings: object, kind: str = "A,1", *, repeats: str = "mean") -> Agreement:
    r"""Return the intraclass correlation of ratings, from mean squares of an analysis of variance.

    ============  =====================================================================  ============================================
    kind          formula                                                                Shrout & Fleiss
    ============  =====================================================================  ============================================
    ``"1"``       ``(MSR - MSW) / (MSR + (k - 1) MSW)``                                  (1,1) annotators are interchangeable
    ``"A,1"``     ``(MSR - MSE) / (MSR + (k - 1) MSE + k / n (MSC - MSE))``              (2,1) absolute agreement
    ``"C,1"``     ``(MSR - MSE) / (MSR + (k - 1) MSE)``                                  (3,1) consistency: annotators may be offset
    ``"1k"``      ``(MSR - MSW) / MSR``                                                  (1,k) of means over k annotators
    ``"A,k"``     ``(MSR - MSE) / (MSR + (MSC - MSE) / n)``                              (2,k)
    ``"C,k"``     ``(MSR - MSE) / MSR``                                                  (3,k)
    ============  =====================================================================  ============================================

    MSR is the mean square between cases, MSW within cases, MSC between annotators, and MSE the residual; n cases, k annotators.

    Parameters
    ----------
    ratings : Ratings, Labels with numbers as class names, or (N, A) table
        None or NaN where there is no rating.
    kind : str
        Kind of the table above.
    repeats : {"mean", "one"}
        What is compared if an annotator rated a case several times, which a warning counts: the mean of these ratings, or one of them.
        With ``"one"``, the variance of the ratings of an annotator in a case, with their number as divisor, is added to that of a
        rating: k times to the denominator, for kinds of means once. Its intervals are over cases, the analytic one by linearisation.

    Returns
    -------
    Agreement
        The correlation, without ``observed``, ``expected`` and numbers per class or case. Its analytic interval is that of McGraw & Wong,
        for normal data, and that for other annotators, too: ``random=("cases", "annotators")``. It is exact for kinds "1" and "1k" with
        equal numbers of annotators, and "C,1" and "C,k"; approximate for "A,1" and "A,k", and too short if few annotators differ much (in
        simulations with a variance between annotators of half that between cases it covers 90, 89, 92 and 94% with 3, 4, 8 and 20
        annotators instead of 95%; with a tenth, 95%). That of "A,k" begins at -inf where its formula has a denominator below 0. NaN if
        Satterthwaite's degrees of freedom are below 1, which takes a correlation below 0.

    Raises
    ------
    TypeError, ValueError
        If ratings are not numbers, annotators have no names, or ``kind`` or ``repeats`` is unknown.

    Notes
    -----
    With missing ratings, kinds "1" and "1k" use all cases, with ``k = (Σ k_i - Σ k_i² / Σ k_i) / (n - 1)`` for unequal numbers; their
    intervals are then approximate. Cases with one rating count in the mean square between cases only: they are no units of intervals, and
    ``n_cases`` leaves them out. The other kinds use only cases that all annotators (with at least one rating) rated, as in a complete
    table, and count the other cases as left out. If annotators share the cases out, use kind "1", or :func:`graded_response` for grades. A
    correlation whose denominator is not above 0 is NaN, with a reason.

    References
    ----------
    McGraw & Wong, Psychological Methods 1 (1996) 30, tables 4 and 7. Shrout & Fleiss, Psychological Bulletin 86 (1979) 420.

    Examples
    --------
    >>> scores = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> [round(intraclass_correlation(scores, kind).value, 2) for kind in ("1", "A,1", "C,1", "1k", "A,k", "C,k")]
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    """
    checks.option("kind", kind, KINDS)
    checks.option("repeats", repeats, REPEATS)
    judged = ratings_of(ratings)
    if repeats == "mean":
        note_repeats(judged, arg("repeats", "one") + " gives")
    return correlation_of_kind(judged, kind, repeats == "one")


def note_repeats(judged: Judgements, way: str) -> int:
    """Return how many ratings are repeats of an annotator in a case, which are averaged; add a note if there are any."""
    n = 0 if judged.single else int(judged.times[judged.case_of_label].sum() - judged.times[judged.case].sum())
    if n:
        words = "{n:,} ratings repeat a rating of the same annotator and case. Intraclass correlations are of the means of such ratings; "
        notices.note(Note("repeated_ratings", words + way + " those of one rating.", n=n))
    return n


def correlations_of(judged: Judgements) -> list[Agreement]:
    """Return the correlations of single annotators, and those of one rating if annotators repeat theirs."""
    forms = (False, True) if note_repeats(judged, "beside them are") else (False,)
    return [correlation_of_kind(judged, kind, of_one) for of_one in forms for kind in ("1", "A,1", "C,1")]


def correlation_of_kind(judged: Judgements, kind: str, of_one: bool = False) -> Agreement:
    """Return the record of an intraclass correlation of judgements, of means of an annotator's ratings of a case or of one of these."""
    form = (OneWay if kind.startswith("1") else Crossed)(judged, kind)
    form.of_one = of_one
    return Agreement.of(f"ICC({kind})" + (", one rating" if of_one else ""), form)


def ratings_of(given: object) -> Judgements:
    """Read Ratings, Labels with numbers as names, or a table of numbers into judgements."""
    if not isinstance(given, (Labels, Ratings)):
        if not (identifiers.is_array(given) or isinstance(given, (list, tuple))):
            raise TypeError(f"ratings must be Ratings or a table of numbers, cases x annotators. Got {type(given).__name__}.")
        given = Ratings.from_wide(given)
    if len(given.annotators) == 0 and given.offsets[-1]:
        raise checks.error("ratings", "name their annotators", "counts, which have none")
    if isinstance(given, Labels) and (given.ordered or identifiers.is_text(given.axes.classes)):
        given = as_ratings(given)
    return read("ratings", given)


def as_ratings(labels: Labels) -> Ratings:
    """Return labels as ratings, which are the numbers of their grades."""
    numbers = labels.grades if labels.ordered else numbers_of(labels.axes.classes)
    if numbers is None:
        must = "be numbers, or labels whose classes are numbers or have an order"
        raise checks.error("ratings", must, "classes that are text", way=ORDERED)
    labels = drawn_alike(labels)
    axes = labels.axes
    return Ratings(axes.case_ids, labels.annotators, labels.offsets, labels.annotator, numbers[labels.label], axes.numbered)


def intra_annotator_agreement(annotations: Labels | Ratings, coefficient: str = "percent", *, level: str = "nominal") -> Agreement:
    """Return the agreement of annotators with themselves, in cases that they labelled several times.

    Parameters
    ----------
    annotations : Labels or Ratings
        Annotations with names of annotators.
    coefficient : str
        ``"percent"``, ``"fleiss"``, ``"ac1"``, ``"alpha"`` (also for ratings) or another whose page says so. It is computed as between
        annotators: each pair of case and annotator takes the place of a case, and its labels take the place of annotators.
    level : {"nominal", "ordinal", "interval", "ratio"}
        Level of measurement for alpha.

    Returns
    -------
    Agreement
        The coefficient, with ``per_annotator``: the coefficient of the labels of each annotator, NaN without repeats. ``n_cases`` counts
        the cases with repeats. Intervals resample cases (or clusters) with all their annotators.

    Raises
    ------
    TypeError, ValueError
        If ``annotations`` are neither Labels nor Ratings; if an option is unknown, or a coefficient other than alpha is asked for ratings.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", UserWarning)  # the note that an annotator has several labels of a case, which are meant here
    >>> labels = Labels.from_long([0, 0, 0, 1, 1, 1], ["ann", "ann", "bob", "ann", "bob", "bob"], [1, 1, 0, 0, 0, 1], classes=2)
    >>> found = intra_annotator_agreement(labels)
    >>> found.value, found.per_annotator, found.n_cases
    (0.5, array([1., 0.]), 2)
    """
    checks.option("coefficient", coefficient, (*OF_REPEATS, "alpha"))
    checks.option("level", level, LEVELS)
    checks.instance("annotations", annotations, (Labels, Ratings), "be Labels or Ratings")
    if coefficient == "alpha":
        found = OfUnits(annotations, partial(alpha_form, level=level))
        return Agreement.of(f"intra-annotator Krippendorff's alpha ({level})", found)
    if isinstance(annotations, Ratings):
        raise checks.error("coefficient", "be 'alpha' for ratings", repr(coefficient))
    return Agreement.of(f"intra-annotator {OF_REPEATS[coefficient].title}", OfUnits(annotations, OF_REPEATS[coefficient].unweighted))
