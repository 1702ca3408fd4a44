"""Which statements on the accuracy against the true class the labels allow, by checks of their conditions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base import checks, notices
from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Frozen
from .._base.wording import Refusal
from ..annotations import Labels
from ..annotations.other_annotators import of_cases
from ..metrics.any_difficulty import MOST_CLASSES, MOST_LABELS, contradiction
from ..metrics.bounds import AccuracyBounds, accuracy_bounds
from ..metrics.latent.confusions import fit_confusions
from ..metrics.latent.goodness import p_of_confusions
from ..metrics.latent_class import forms_of, known_of
from ..metrics.true_class import ANY_DIFFICULTY, LATENT_CLASS, numbers_of, read
from ..resampling import ids_of_cases, seed_of
from ..resampling.frequencies import median
from .aggregation import dirichlet
from .held_out import mixed
from .label_prior import fit_dirichlet_prior
from .panel_check import Halves

DIRICHLET = "dirichlet"
RELIABILITIES = (0.2, 0.5, 1.0, 2.0, 5.0, 20.0)  # over which bounds under a Dirichlet posterior are united
MAIN, BESIDE, NO = "main", "beside", "no"
LEVEL = 0.05  # p-values below refute a condition
AT_EDGE = "no prior above 0 fits that is finite: the labels of a case agree always, or no more than those of different cases"
ENOUGH = 5  # labels of a typical case with which strong differences between cases show


@dataclass(frozen=True, eq=False, repr=False)
class TrueClassStatements(Frozen):
    """Which statements on the accuracy against the true class the labels allow.

    Attributes
    ----------
    use : mapping
        ``"main"``, ``"beside"`` (with its condition, next to the main statement) or ``"no"``, for ``"any difficulty"``,
        ``"latent class"`` and ``"dirichlet"`` (bounds under a Dirichlet posterior, as a sensitivity analysis over reliabilities).
    reasons : mapping
        Why, in a sentence for each.
    p_latent : float
        p-value of the goodness of fit of the latent class (G², parametric bootstrap); NaN if it was not fitted or leaves nothing to check.
    form : str
        The form that was checked, ``"full"`` or ``"one accuracy"``; empty if none was.
    p_panel : float
        p-value of the split-panel check of the Dirichlet posterior with a fitted prior; NaN if no case has two labels.
    labels_per_case : float
        Median number of labels of the cases with labels.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> true = rng.integers(0, 2, 300)
    >>> said = np.where(rng.random((300, 5)) < 0.85, true[:, None], 1 - true[:, None])
    >>> found = ugt.truth.true_class_statements(ugt.Labels.from_wide(said), n_resamples=19)
    >>> found.use["any difficulty"], found.use["latent class"]
    ('main', 'beside')
    """

    use: Mapping[str, str]
    reasons: Mapping[str, str]
    p_latent: float
    form: str
    p_panel: float
    labels_per_case: float

    def over_reliabilities(
        self, labels: Labels, scores: object, level: float = 0.95, *, clusters: object = None, n_resamples: int = 1000, seed: object = 0
    ) -> tuple[float, float]:
        """Return the union over reliabilities of the intervals of bounds under a Dirichlet posterior: a sensitivity analysis.

        The reliabilities γ are 0.2, 0.5, 1, 2, 5 and 20, each with the prior γ α, where α is fitted to the labels. Every γ predicts the
        next label alike, so that the labels cannot choose one. For each, the interval is
        :meth:`ugt.metrics.AccuracyBounds.outer_interval`. No theorem says that the union holds the accuracy.

        Parameters
        ----------
        labels : Labels
            The labels that were checked.
        scores : (N, K) array, or table with names
            Scores of the model.
        level : float
            Level of each interval.
        clusters, n_resamples, seed
            As for :meth:`ugt.metrics.AccuracyBounds.outer_interval`.

        Returns
        -------
        (low, high)
            NaN, with a warning that has the reason, if ``use["dirichlet"]`` is "no", or if the prior that fits these labels is 0 or
            infinite.

        Examples
        --------
        >>> import numpy as np, ugt
        >>> rng = np.random.default_rng(0)
        >>> shares = rng.dirichlet([1 / 3] * 2, 300)
        >>> said = (rng.random((300, 5)) < shares[:, 1:]).astype(int)
        >>> labels, scores = ugt.Labels.from_wide(said), np.eye(2)[shares.argmax(axis=1)]
        >>> found = ugt.truth.true_class_statements(labels, n_resamples=19)
        >>> [round(end, 2) for end in found.over_reliabilities(labels, scores, n_resamples=200)]
        [0.7, 1.0]
        """
        if not isinstance(labels, Labels):
            raise TypeError(Refusal("labels", "be Labels", type(labels).__name__))
        with notices.heard():  # the reason says it
            prior, ends = fit_dirichlet_prior(labels), []
        if self.use[DIRICHLET] == NO or prior.at_edge:
            notices.undefined(self.reasons[DIRICHLET] if self.use[DIRICHLET] == NO else AT_EDGE)
            return math.nan, math.nan
        for gamma in RELIABILITIES:
            found = accuracy_bounds(dirichlet(labels, reliability=gamma, prior=gamma * prior.value), scores)
            assert isinstance(found, AccuracyBounds)
            ends.append(found.outer_interval(level, clusters=clusters, n_resamples=n_resamples, seed=seed))
        low, high = zip(*ends)
        return min(low), max(high)


def true_class_statements(labels: object, *, clusters: object = None, n_resamples: int = 99, seed: object = 0) -> TrueClassStatements:
    r"""Return which statements of :func:`accuracy_bounds` the labels allow, by checks of the conditions.

    - ``"any difficulty"`` is the main statement if its linear programme can be computed, and if some mixture of independent draws gives
      these labels.
    - ``"latent class"`` is refused if the labels leave open how good the annotators are, or if its fit is refuted:
      ``G² = 2 Σ O log(O / E)`` over the distinct rows of labels, given who labelled which case, is compared with that of data drawn from
      the fit and fitted again. Otherwise it is beside the main statement.
    - ``"dirichlet"`` is refused if :func:`split_panel_check` refutes the posterior with a fitted prior. Otherwise it is beside the main
      statement as a sensitivity analysis: every reliability γ with the prior γ α predicts the next label alike.

    Parameters
    ----------
    labels : Labels
        Labels of N cases. Counts without annotators are enough for all but the latent class.
    clusters : (N,) ids, mapping of case id to id, or (case ids, ids), optional
        Clusters of cases that are not independent, such as patients. G² is then that of one case of each cluster, drawn by the seed and
        the ids of its cases; the other checks take the variance over clusters. Default: every case is its own.
    n_resamples : int
        Number of data sets drawn from the fit.
    seed : int, Generator or SeedSequence
        Random seed of these data sets and of the annotators held out. The same seed gives the same numbers in any number of threads
        (:func:`ugt.resampling.threads`).

    Returns
    -------
    TrueClassStatements

    Raises
    ------
    TypeError, ValueError
        If ``labels`` are of another kind or hold no label; if an option is out of range, or all cases with labels are of one cluster.

    Notes
    -----
    A condition that is not refuted need not hold. In simulation with 400 cases, two classes and three labels, the check of the latent
    class hardly ever saw that cases differ in difficulty. With five labels it saw strong differences, but mild ones in 10 to 15% only. No
    check sees errors that all annotators share. Without ``clusters``, cases that repeat each other refute a right model.

    References
    ----------
    Parametric bootstrap of G²: Collins et al. (1993), Multivariate Behavioral Research 28, 375.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.truth.true_class_statements(ugt.Labels.from_counts([[3, 0], [1, 2]] * 40))
    >>> found.use["latent class"], found.reasons["latent class"]
    ('no', 'The labels do not say which annotator gave them.')
    """
    return statements_of(labels, clusters, n_resamples, seed)


def statements_of(
    labels: object, clusters: object, n_resamples: int, seed: object, solved: bool = True, times: Array | None = None
) -> TrueClassStatements:
    """Return the statements that labels allow; unless ``solved``, whether any mixture gives the labels is left to the bounds.

    ``times`` (N,): how many equal cases each row of counts stands for; then the bounds must solve.
    """
    if not isinstance(labels, Labels):
        raise TypeError(Refusal("labels", "be Labels", type(labels).__name__))
    n_resamples, word = checks.whole("n_resamples", n_resamples), seed_of(seed)
    checks.room(f"the fits of {n_resamples} data sets", 32.0 * n_resamples)
    sizes = labels.counts().sum(axis=1)
    if not sizes.any():
        raise checks.error("labels", "hold at least one label", 0)
    group = None if clusters is None else ids_of_cases("clusters", clusters, labels.n_cases, labels.axes.ids_or_none)
    numbers_of(group, np.flatnonzero(sizes))  # refuse a single cluster
    typical = median(sizes[sizes > 0], None if times is None else times[sizes > 0])
    p_panel, unchecked = _panel(labels, int(sizes.max()), group, word, times)
    p_latent, form, refusal = _latent(labels, group, n_resamples, word)
    found = {
        ANY_DIFFICULTY: _programme(labels, group, solved),
        LATENT_CLASS: (NO, refusal) if refusal else _of_latent(p_latent, typical, group is not None),
        DIRICHLET: (NO, unchecked) if unchecked else _of_posterior(p_panel),
    }
    use, reasons = ({name: one[i] for name, one in found.items()} for i in (0, 1))
    return TrueClassStatements(use, reasons, p_latent, form, p_panel, typical)


def _programme(labels: Labels, group: NDArray[Any] | None, solved: bool) -> tuple[str, str]:
    counts = labels.counts()
    n_classes, most = int(counts.any(axis=0).sum()), int(counts.sum(axis=1).max())
    if n_classes > MOST_CLASSES or most > MOST_LABELS:
        limits = f"at most {MOST_CLASSES} classes and {MOST_LABELS} labels per case"
        return NO, f"The linear programme takes {limits}; these labels have {n_classes} and {most}."
    cases = np.flatnonzero(counts.any(axis=1))
    reason = contradiction(counts[cases], 1 - LEVEL, numbers_of(group, cases)) if solved else ""
    if reason:
        return NO, said(reason)
    return MAIN, "It holds if annotators label a case independently of each other, whatever its difficulty and whatever the model."


def _of_latent(p: float, typical: float, clustered: bool) -> tuple[str, str]:
    of_one = " in one case of each cluster" if clustered else ""
    if p < LEVEL:
        return NO, f"Its fit is refuted{of_one} (p = {p:.2g}): cases differ in difficulty, or annotators err together."
    if math.isnan(p):
        return BESIDE, f"It holds if all cases are equally hard; these labels leave nothing to check that with{of_one}."
    if typical < ENOUGH:
        return BESIDE, f"It holds if all cases are equally hard; {typical:g} labels per case can hardly show whether they are."
    return BESIDE, f"It holds if all cases are equally hard; its fit is not refuted{of_one}, but mild differences would not show."


def _panel(labels: Labels, most: int, group: NDArray[Any] | None, seed: int, times: Array | None) -> tuple[float, str]:
    """Return the p-value of the posterior with a fitted prior, and why there is none."""
    p = math.nan
    if most > 1 and labels.n_classes > 1:
        with notices.heard():  # the reason says it
            fit = fit_dirichlet_prior(labels, frequency=times)
        if fit.at_edge:
            return p, said(AT_EDGE)
        halves = Halves.of(labels, 1, group, seed) if times is None else Halves.of_rows(labels, times, seed)
        p = halves.check("dirichlet", False, {"prior": fit}).p_value
    return p, "No annotator can be held out to check the posterior." if math.isnan(p) else ""


def _of_posterior(p: float) -> tuple[str, str]:
    if p < LEVEL:
        return NO, f"The split-panel check refutes the posterior (p = {p:.2g})."
    return BESIDE, "A sensitivity analysis: the labels fit every reliability equally, so show the bounds for several."


def _latent(labels: Labels, group: NDArray[Any] | None, n_resamples: int, seed: int) -> tuple[float, str, str]:
    """Return the p-value of the fit, its form, and why the condition is refused without it."""
    if (labels.annotator < 0).any():
        return math.nan, "", "The labels do not say which annotator gave them."
    if labels.n_classes < 2:
        return math.nan, "", "There is only one class."
    try:
        rows, cases, _ = read(labels)
    except ValueError:
        return math.nan, "", "Too few cases have labels of three annotators."
    fits = forms_of(replace(rows, cluster=numbers_of(group, cases)), "auto")[0]
    fit, reason = fits[-1], known_of(fits).reason
    if not reason and group is not None:
        try:
            fit = fit_confusions(read(of_cases(labels, one_of_each(labels, group, cases, seed)))[0], fit.form)
        except ValueError:  # too few clusters
            return math.nan, fit.form, ""
    return (math.nan, fit.form, said(reason)) if reason else (p_of_confusions(fit, n_resamples, seed), fit.form, "")


def said(reason: str) -> str:
    """Return a reason as a sentence."""
    return f"{reason[:1].upper()}{reason[1:]}."


def one_of_each(labels: Labels, group: NDArray[Any], cases: Int64, seed: int) -> Int64:
    """Return one of these cases for each cluster: the one with the lowest random key of its id, in the order of the cases."""
    keys, unit = mixed(labels.axes.stream_keys[cases] + np.uint64(seed)), group[cases]
    order = np.argsort(keys, kind="stable")
    return np.sort(cases[order[np.unique(unit[order], return_index=True)[1]]])
