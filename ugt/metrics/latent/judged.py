"""Sensitivity, specificity, recalls, accuracy and AUROC of a model against the latent class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..._base.arrays import Bools, Int32
from ..._base.checks import error, instance, option
from ..._base.identifiers import factorize
from ...annotations import Labels
from ...annotations.joins import tells_joins
from ...plausibilities.estimates import NO_ANNOTATIONS
from ...resampling.cluster_ids import ids_of_cases
from ..given import scores_of
from .forms import FORMS, WITH_MODEL
from .made import JudgedModel, made
from .records import LatentAccuracy
from .rows import LabelRows, overlapping, wide

ALONE = "annotator without a shared case"
ALONE_OF_AUROC = f"{ALONE} (of the AUROC only)"


@tells_joins
def latent_accuracy(
    labels: Labels,
    scores: object,
    *,
    model: str = "auto",
    positive: object = None,
    forms: object = None,
    populations: object = None,
    clusters: object = None,
) -> LatentAccuracy:
    r"""Return sensitivity, specificity, recalls, accuracy and AUROC of a model against the latent class.

    The latent class T is the class given which annotators err independently, or depend in one of five forms. Of two classes, a row x of
    labels by J tests has the probability

    .. math:: P(x) = \sum_c π_c \sum_k w_k \prod_j Φ(a_{cj} + b_{cj} z_k)^{x_j} (1 - Φ(a_{cj} + b_{cj} z_k))^{1 - x_j}

    with nodes z and weights w of a standard normal difficulty. ``"ind"`` has b = 0, ``"re1"`` one b for all tests, ``"re1m"`` one for
    annotators and one for the model. In ``"fm"`` all tests are right in a share of the cases of each class and independent elsewhere; in
    ``"fmm"`` this holds for the annotators alone. All forms that the labels bear are fitted. Values are of the lowest BIC; intervals are
    hulls over all forms within 12 BIC units, because few tests cannot distinguish forms whose answers differ.

    With ``model="outside"`` the fit is of the annotators alone, with posteriors Π (N, K), and the model's choices Y are taken to be
    independent of their labels given T: ``A = (ΠᵀΠ)⁻¹ ΠᵀY`` has the recalls on its diagonal, and the accuracy is ``Σ_t mean(Π_t) A_tt``.
    The AUROC has this assumption in both cases. With ``W = [w, 1 - w]``, w = P(T = 1 | labels), and ``[a1 a0] = W (WᵀW)⁻¹``, it is
    ``Σ_ij a1_i a0_j (1[s_i > s_j] + ½ 1[s_i = s_j])``: weights with a sign, which shares of labels as the truth would bias.

    Parameters
    ----------
    labels : Labels
        Labels of N cases by named annotators, at most one of each annotator for a case.
    scores : (N, K) array, or table with names
        Scores of the model, higher is better; NaN is not allowed. The first of the highest is its choice. The AUROC takes the column
        of the positive class.
    model : {"auto", "test", "outside"}
        Whether the model is a further test in the fit, which needs two classes, or outside of it. ``"auto"``: a test of two classes.
    positive : class name, optional
        The positive one of two classes; default: the second.
    forms : sequence of str, optional
        Forms to fit, some of "ind", "re1", "re1m", "fm", "fmm"; default: all that the labels bear. With three tests "ind" is the only
        one, and cannot be checked; "re1m" and "fmm" need the model as a test.
    populations : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Populations with unequal prevalence in which tests are equally good, such as two clinics. With two of them, two tests suffice.
    clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Clusters of cases that are not independent, such as patients. Influences are added within clusters, and quantiles are Student's with
        clusters less one degrees of freedom. Default: every case is its own.

    Returns
    -------
    LatentAccuracy
        The numbers; NaN with a reason if the labels do not identify them.

    Raises
    ------
    TypeError, ValueError
        If labels lack annotators, or an annotator has several labels for a case; if scores do not fit; if an option is unknown; if
        ``model="test"`` or ``positive`` is given with other than two classes.

    Notes
    -----
    These annotators define the latent class: errors that all of them share are invisible, and other annotators may define another class
    (``without_each``). Intervals are over cases, or over clusters of them; of a model outside they are wider by half of the squared
    relative standard error of the annotators' accuracies, because plausibilities from few labels are too sure. All forms are refused if
    this error is above a third; a form is refused if the labels are as likely without classes (by BIC), if sensitivity and specificity do
    not exceed chance by more than their error, or if the information is singular. Fits are the maximum nearest to that of independent
    tests, with a ridge of 0.01 on probits, which moves values in the fourth digit. If the model is outside, three annotators bear "ind",
    four also "re1", five also "fm". A value at an end of its range has an interval by the profile of the likelihood; with clusters the
    profile is wider by the largest ratio of errors over clusters and over cases. With fewer than 20 cases per parameter, fits of more than
    two classes have one accuracy per annotator.

    References
    ----------
    Chandler & Bate (2007), Biometrika 94 (profiles with clusters);
    Hui & Walter (1980), Biometrics 36; Qu, Tan & Kutner (1996), Biometrics 52, eq. 2 ("re1"); Albert & Dodd (2004), Biometrics 60,
    section 2 ("fm"); Dawid & Skene (1979) for K classes.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(500) < 0.4
    >>> said = np.where(rng.random((500, 5)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)
    >>> found = ugt.metrics.latent_accuracy(ugt.Labels.from_wide(said[:, :4]), np.eye(2)[said[:, 4]])
    >>> round(found.sensitivity, 2), round(found.specificity, 2), found.determined["sensitivity"]
    (0.83, 0.87, True)
    """
    instance("labels", labels, Labels, "be Labels")
    option("model", model, ("auto", "test", "outside"))
    table, k, at = wide(labels), labels.n_classes, _positive(labels, positive)
    if model == "test" and k != 2:
        raise error("model", "be 'outside' for other than two classes", "'test'")
    as_test = model == "test" or (model == "auto" and k == 2)
    chosen_forms = _checked(forms, as_test)
    given = np.asarray(scores_of(labels, scores), np.float64)
    groups, units = _numbered("populations", populations, labels), _numbered("clusters", clusters, labels)
    choice = given.argmax(axis=1).astype(np.int32)
    if k == 2 and at == 0:
        table, choice, given = np.where(table >= 0, 1 - table, -1).astype(np.int32), 1 - choice, given[:, ::-1]
    known: Bools = np.asarray((table >= 0).any(axis=0)) if as_test else overlapping(table)
    kept = (table[:, known] >= 0).any(axis=1)
    left_out = _left_out(table, known, overlapping(table))
    seen = np.arange(2, dtype=np.int32) if k == 2 else np.unique(table[:, known][table[:, known] >= 0])
    place = np.append(np.searchsorted(seen, np.arange(k)), -1).astype(np.int32)  # the last one is that of no label
    rows = LabelRows.of(place[table[kept][:, known]], factorize(groups[kept])[0] if kept.any() else groups[kept], max(1, len(seen)))
    if clusters is not None:
        rows = replace(rows, cluster=factorize(units[kept])[0])
        if rows.n_units < 2:
            raise error("clusters", "be two or more of the cases with labels", rows.n_units)
    names = [name for name, one in zip(labels.annotators.tolist(), known) if one]
    return made(JudgedModel(rows, names, choice[kept], given[kept], as_test, at, seen, k, chosen_forms, left_out))


def _positive(labels: Labels, positive: object) -> int:
    """Return the position of the positive class."""
    if positive is None:
        return 1
    names = [labels.axes.classes[i] for i in range(labels.n_classes)]
    if labels.n_classes != 2 or positive not in names:
        raise error("positive", "be one of two classes", repr(positive))
    return names.index(positive)


def _checked(forms: object, as_test: bool) -> tuple[str, ...]:
    if forms is None:
        return tuple(FORMS)
    if isinstance(forms, str) or not isinstance(forms, Iterable):
        raise error("forms", "be a sequence of names", repr(forms))
    found = tuple(option("forms", one, tuple(FORMS)) for one in forms)
    if not found:
        raise error("forms", "have at least one name", "none")
    if not as_test and set(found) <= set(WITH_MODEL):
        raise error("forms", "have a form other than 're1m' and 'fmm' if the model is outside", repr(found))
    return found


def _numbered(argument: str, given: object, labels: Labels) -> Int32:
    if given is None:
        return np.zeros(labels.n_cases, np.int32)
    ids = ids_of_cases(argument, given, labels.n_cases, labels.axes.ids_or_none)
    return np.unique(np.asarray(ids), return_inverse=True)[1].reshape(-1).astype(np.int32)


def _left_out(table: Int32, known: Bools, shared: Bools) -> dict[str, int]:
    """Return the number of cases, and of annotators with labels, that are left out by reason."""
    there = table >= 0
    alone = int((there.any(axis=0) & ~shared).sum())
    none = int((~there.any(axis=1)).sum())
    found = {NO_ANNOTATIONS: none, ALONE if (known == shared)[there.any(axis=0)].all() else ALONE_OF_AUROC: alone}
    return {reason: n for reason, n in found.items() if n}
