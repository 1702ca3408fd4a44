"""Models of annotators: who is how good, from the same labels. Dawid–Skene, its draws, GLAD, graded responses; deconvolution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from .._base import checks, notices, parallel
from .._base.arrays import Array, Bools
from .._base.grades import check_order
from .._base.ragged import row_of, sizes_of
from ..resampling import seed_of
from .deconvolution import Deconvolution, FlipRate, SignedShares, disagreement_deconvolution
from .em import Effort, fit_full, fit_glad, fit_one_coin, sample, three
from .graded import GradedResponse, graded_response
from .ordinal import fit_ordinal
from .records import AnnotatorDraws, AnnotatorModel, GivenLabels

__all__ = ["AnnotatorDraws", "AnnotatorModel", "Deconvolution", "FlipRate", "GradedResponse", "SignedShares", "dawid_skene"]
__all__ += ["dawid_skene_draws", "disagreement_deconvolution", "glad", "graded_response"]

MODELS = ("full", "one-coin", "ordinal")
CANDIDATES = ("all", "seen")
MOST_LOGIT, MOST_SD = 100, 1e6  # largest mean and standard deviation of priors of GLAD, beyond which exponentials overflow
DRAWN = ("probabilities", "classes")


def dawid_skene(
    labels: object,
    *,
    known: object = None,
    model: str = "full",
    prior: object = 0.0,
    candidates: str = "all",
    n_restarts: int = 4,
    tolerance: float = 1e-9,
    max_iter: int = 1000,
    seed: object = 0,
    n_threads: int = 1,
) -> AnnotatorModel:
    r"""Return the plausibilities of the classes under the model of Dawid and Skene, which estimates the confusions of each annotator.

    A case has one true class, :math:`z_i \sim \text{Categorical}(p)`. Annotator j gives label l to a case of true class k with probability
    :math:`π^{(j)}_{kl}`, and all labels are independent given the true classes. Expectation-maximisation alternates

    .. math:: q_{ik} ∝ p_k \prod_{(j,l) \in i} π^{(j)}_{kl}, \qquad π^{(j)}_{kl} ∝ c_{kl} + \sum_{i: j \text{ gave } l} q_{ik}, \qquad
        p_k ∝ c + \sum_i q_{ik}

    with pseudo-counts c, up to the nearest maximum of the likelihood or posterior density.

    Parameters
    ----------
    labels : Labels
        Labels of known annotators. Every label counts, including a second label of an annotator for one case.
    known : mapping of case id to class, or sequence of N classes, optional
        True classes of cases with a reference ("gold" cases), by name. None, nan or "" means unknown; so do cases that a mapping lacks.
        A known class is certain, :math:`q_{ik} = 1`, also in the plausibilities, and the skill of annotators is learned from it. A case
        without labels stays left out.
    model : {"full", "one-coin", "ordinal"}
        "full": a confusion matrix for every annotator. "one-coin": an accuracy w for every annotator, whose wrong labels share 1 − w
        evenly. "ordinal", for grades as classes in ascending order: annotator j sees grade k as :math:`N(k + b_j, s_j^2)` and gives the
        nearest grade, :math:`π^{(j)}_{kl} = Φ((l + 1/2 - k - b_j)/s_j) - Φ((l - 1/2 - k - b_j)/s_j)`, with open ends. The bias b is from
        -K to K grades, the spread s from 0.05 to 20. With two grades, bias and spread are another form of the confusions: the fit is that
        of "full", and both are NaN for an annotator who does not give the upper grade more often where it is true.
    prior : float or (diagonal, off_diagonal, prevalence)
        Pseudo-counts of at least 0, added to each cell on and off the diagonal of every confusion matrix and to each class. The result is
        the mode under Dirichlet priors with concentrations 1 + c; with 0 (default), maximum likelihood. "one-coin" adds ``diagonal``
        right and (K − 1) ``off_diagonal`` wrong labels to each annotator.
    candidates : {"all", "seen"}
        Classes that a case may have. ``"seen"``: classes to which each of its labels has a link, that is, a case in which that annotator
        gave that label and some annotator gave that class. With ``off_diagonal = 0`` both are equal, because all other classes have
        probability 0. With pseudo-counts, ``"all"`` needs memory for labels used × annotators × classes; ``"seen"`` needs memory for the
        links only, and leaves out classes that have pseudo-counts alone.
    n_restarts : int
        Starts in addition to the one from the label shares, each from a draw of Dirichlet(label counts), at most a million. The best of
        all starts is the result.
    tolerance : float
        A start has converged if an iteration gains at most this much log-likelihood (or log posterior density) per label.
    max_iter : int
        Maximum number of iterations of a start.
    seed : int, Generator or SeedSequence
        Random seed. The draws of a case depend on the seed, its id and its labels only.
    n_threads : int
        Number of threads, which share the starts; the result is the same for any number.

    Returns
    -------
    AnnotatorModel
        Plausibilities (:class:`Point`), prevalences, confusion matrices, accuracies with standard errors, and the course of the fit.

    Raises
    ------
    TypeError, ValueError
        If ``labels`` are of another kind; if labels are counts without annotators, or there are none; if an option is unknown or a number
        out of range; if ``known`` names an unknown case or class, or has another length.

    Warns
    -----
    RuntimeWarning
        If the best start has not converged; if most labels would be wrong, which happens when classes have changed places; if none of the
        cases of an annotator has a second label or a known class, so that the accuracy is NaN; if the labels do not determine confusion
        matrices (standard errors are then NaN): without pseudo-counts they need a known class or a case with three labels.

    Notes
    -----
    Without pseudo-counts, cells that start at 0 stay at 0: the result is the best that is reached from the label shares, as in the paper.
    It need not be the highest likelihood of all, at which classes may have changed places.

    Standard errors come from the observed information (Louis 1982) of the accuracies, with the prevalences taken as known: jointly for up
    to 1,000 annotators, one by one for more. For "full" they are an approximation, as if every annotator had one accuracy. They do not
    cover a failure of the assumption that annotators err independently.

    The plausibilities are not Dirichlet. The model gives the probability that a class is *the* true one, which approaches 0 or 1 with more
    labels. A Dirichlet posterior describes how annotators in general divide, which does not approach 0 or 1. No concentration converts
    one into the other.

    References
    ----------
    Dawid & Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM algorithm", eq. 2.3-2.5. Ordinal:
    after Lakshminarayanan & Teh (2013), "Inferring ground truth from multi-annotator ordinal data: a probabilistic approach",
    arXiv:1305.0015, whose cases have a difficulty, too; the bias is added here.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1], [1, 1, 1]])
    >>> found = ugt.dawid_skene(labels, model="one-coin", prior=1)
    >>> found.plausibilities.mean()[:, 1].round(3)
    array([0.047, 0.953, 0.081, 0.974, 0.953, 0.047, 0.703, 0.974])
    >>> found.accuracy.round(3), found.accuracy_error.round(3)
    (array([0.838, 0.798, 0.573]), array([0.15 , 0.156, 0.18 ]))
    >>> found = ugt.dawid_skene(labels, known={3: 1, 6: 0}, model="one-coin", prior=1)
    >>> found.plausibilities.mean()[[3, 6], 1], found.accuracy.round(3)
    (array([1., 0.]), array([0.777, 0.877, 0.5  ]))
    """
    checks.option("model", model, MODELS)
    checks.option("candidates", candidates, CANDIDATES)
    if model != "full" and candidates == "seen":
        raise checks.error("candidates", f"be 'all' for model {model!r}, which needs no memory for them", "'seen'")
    pseudo = three("prior", prior)
    effort = Effort.of(n_restarts, tolerance, max_iter, seed_of(seed))
    with parallel.threads(n_threads):  # checks the number
        given = GivenLabels(labels, known)
    how = effort, n_threads
    if model == "ordinal":
        check_order("labels", given.axes.classes, given.labels.ordered)
    if model == "full":
        found = fit_full(given, pseudo, candidates == "all", *how)
    else:
        found = (fit_one_coin if model == "one-coin" else fit_ordinal)(given, pseudo, *how)
    _warn_if_worse_than_chance(found)
    if pseudo[:2] == (0, 0) and (model == "full" or (model == "ordinal" and given.n_classes == 2)):
        found = _determined_errors(found, given)
    return _known_accuracies(found, given)


def _determined_errors(found: AnnotatorModel, given: GivenLabels) -> AnnotatorModel:
    """Set the standard errors of annotators to NaN whose confusion matrices M the labels do not determine, and warn.

    Pairs of labels of a case determine the products M' diag(p) N alone, which other M, N and p have as well, unless all labels agree. A
    third label or a known class determines them and, by shared cases, those of the group. If p is known from another group, they are still
    open in a group of two annotators.
    """
    labels, group = given.labels, given.groups
    case = row_of(labels.offsets)

    def has(some: Bools) -> Bools:
        return np.bincount(group[labels.annotator[some]], minlength=int(group.max()) + 1) > 0

    third = np.bincount(case, labels.count, labels.n_cases)[case] > 2
    settled = has(third if given.known is None else third | (given.known[case] >= 0))
    two = np.bincount(group[given.n_labels > 0], minlength=len(settled)) == 2
    undetermined = (has(sizes_of(given.offsets)[case] > 1) & ~settled & (two | ~settled.any()))[group] & (given.n_labels > 0)
    if not undetermined.any():
        return found
    n = int(undetermined.sum())
    notices.warn(
        f"the labels do not determine all parameters, so that standard errors of {n} of {len(undetermined)} annotators are NaN: "
        "equally likely fits differ. Take a prior, known classes, or cases with three labels",
        stacklevel=3,
    )
    return replace(found, accuracy_error=np.where(undetermined, np.nan, found.accuracy_error))


def _known_accuracies(found: AnnotatorModel, given: GivenLabels) -> AnnotatorModel:
    """Set the accuracy of annotators to NaN whose cases have no other label and no known class: their own labels are then the truth."""
    labels, case = given.labels, row_of(given.labels.offsets)
    several = np.bincount(case, labels.count, labels.n_cases)[case] > 1
    if given.known is not None:
        several |= given.known[case] >= 0
    alone = (found.n_labels > 0) & (np.bincount(labels.annotator[several], minlength=len(found.n_labels)) == 0)
    if not alone.any():
        return found
    notices.warn(
        f"the accuracy of {int(alone.sum())} of {len(alone)} annotators is undefined: none of their cases has a second label or a known "
        "class, so that the labels hold no information on how often they are right",
        stacklevel=3,
    )
    unknown = np.where(alone, np.nan, 1.0)
    return replace(found, accuracy=found.accuracy * unknown, accuracy_error=found.accuracy_error * unknown)


def _warn_if_worse_than_chance(found: AnnotatorModel) -> None:
    share = float(np.nansum(found.accuracy * found.n_labels) / found.n_labels.sum())
    if found.n_classes > 1 and share < 1 / found.n_classes:
        notices.warn(
            f"by this fit only {share:.1%} of the labels are right, fewer than by chance: classes may have changed places. "
            "Use a prior that is larger on the diagonal than off it",
            stacklevel=3,
        )


def glad(
    labels: Any,
    *,
    known: Any = None,
    prior: Any = (1.0, 1.0, 1.0, 1.0),
    prevalence: Any = "uniform",
    n_restarts: int = 0,
    tolerance: float = 1e-7,
    max_iter: int = 1000,
    seed: Any = 0,
    n_threads: int = 1,
) -> AnnotatorModel:
    r"""Return the plausibilities of the classes under GLAD, with annotators of unequal ability and cases of unequal difficulty.

    Annotator j is right about case i with probability :math:`σ(α_j β_i)`; each wrong label has probability :math:`(1 - σ)/(K - 1)`
    (eq. 1). The ability α is any number (below 0: worse than chance), the easiness β = exp(b) is positive, and 1/β is the difficulty.
    Expectation-maximisation finds the maximum of the posterior density of (α, b) under normal priors. The M-step is a round of safeguarded
    Newton steps, which never lower the density.

    Parameters
    ----------
    labels, known, max_iter, seed, n_threads
        As in :func:`dawid_skene`.
    prior : (ability mean, ability sd, easiness mean, easiness sd)
        Normal priors of α and of b = log β; means from -100 to 100, standard deviations from 1e-6 to 1e6. Default (1, 1, 1, 1), as in the
        paper. Without priors α and β are known only up to a factor.
    prevalence : "uniform" or (K,) array
        Known probability of each class before any label; at least 0, divided by its sum.
    n_restarts : int
        Starts in addition to the one from the prior means, with abilities drawn from their prior; the best of all starts is the result.
    tolerance : float
        A start has converged if an iteration gains at most this much log posterior density per label.

    Returns
    -------
    AnnotatorModel
        The fit, with ``ability``, ``ability_error`` (from the observed information, with unknown difficulties) and ``difficulty``, too.

    Raises
    ------
    TypeError, ValueError
        As :func:`dawid_skene`; or if a class that an annotator gave has prevalence 0.

    Warns
    -----
    RuntimeWarning
        As :func:`dawid_skene`, but for undetermined parameters, which the priors determine. With a uniform prevalence, accuracies are NaN
        as there.

    References
    ----------
    Whitehill, Ruvolo, Wu, Bergsma & Movellan (2009), "Whose vote should count more: optimal integration of labels from labelers of
    unknown expertise", NIPS 22, eq. 1 and section 3.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1]])
    >>> found = ugt.annotators.glad(labels)
    >>> found.ability.round(2), found.plausibilities.mean()[:, 1].round(2)
    (array([ 1.05,  1.09, -0.11]), array([0.  , 1.  , 0.  , 1.  , 0.  , 0.45]))
    """
    if np.ndim(prior) == 0 or len(prior) != 4:
        raise checks.error("prior", "be (ability mean, ability sd, easiness mean, easiness sd)", repr(prior))
    means = [_finite("prior", prior[j]) for j in (0, 2)]
    sds = [checks.scalar("prior", prior[j], positive=True) for j in (1, 3)]
    if max(map(abs, means)) > MOST_LOGIT or not 1 / MOST_SD <= min(sds) <= max(sds) <= MOST_SD:
        must = f"have means from -{MOST_LOGIT} to {MOST_LOGIT} and standard deviations from {1 / MOST_SD:g} to {MOST_SD:g}"
        raise checks.error("prior", must, repr(tuple(prior)))
    effort = Effort.of(n_restarts, tolerance, max_iter, seed_of(seed))
    with parallel.threads(n_threads):
        given = GivenLabels(labels, known)
    shares = _prevalence(prevalence, given)
    found = fit_glad(given, (means[0], sds[0], means[1], sds[1]), shares, effort, n_threads)
    _warn_if_worse_than_chance(found)
    return _known_accuracies(found, given) if (shares == shares[0]).all() else found  # other shares tell how often labels are right


def _finite(argument: str, value: object) -> float:
    return float(value) if isinstance(value, (int, float)) and value < 0 and np.isfinite(value) else checks.scalar(argument, value)


def _prevalence(prevalence: object, given: GivenLabels) -> Array:
    k = given.n_classes
    if isinstance(prevalence, str) and prevalence == "uniform":
        return np.full(k, 1.0 / k)
    shares = np.asarray(prevalence)
    good = shares.shape == (k,) and shares.dtype.kind in "fiu" and np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0
    if not good:
        raise checks.error("prevalence", f"be 'uniform' or {k} numbers of at least 0", repr(prevalence))
    shares = shares / shares.sum()
    if (shares[given.index] == 0).any():
        name = given.axes.class_name(int(given.index[np.argmax(shares[given.index] == 0)]))
        raise checks.error("prevalence", "be above 0 for classes among the labels", "0", f"class {name}")
    return np.asarray(shares, np.float64)


def dawid_skene_draws(
    labels: object,
    *,
    known: object = None,
    prior: object = (2.0, 1.0, 1.0),
    candidates: str = "all",
    drawn: str = "probabilities",
    n_draws: int = 1000,
    n_warmup: int = 500,
    n_chains: int = 4,
    n_thin: int = 1,
    seed: object = 0,
    n_threads: int = 1,
) -> AnnotatorDraws:
    r"""Return posterior draws under Dawid–Skene with Dirichlet priors, which carry the uncertainty of annotators' skill into every metric.

    Gibbs sampling draws :math:`p \sim Dir(c)`, :math:`π^{(j)}_k \sim Dir(c_k)` and the true classes (see :func:`dawid_skene` for the
    model). A draw holds the probabilities of the classes of all cases given one draw of all parameters.

    Parameters
    ----------
    labels, known, n_threads
        As in :func:`dawid_skene`; the errors are the same, too.
    prior : float or (diagonal, off_diagonal, prevalence)
        Concentrations above 0 of each row on and off the diagonal, and of each class. Default (2, 1, 1). The diagonal must exceed the
        rest for the classes to be distinguished.
    candidates : {"all", "seen"}
        As in :func:`dawid_skene`; ``"seen"`` is a model of its own, in which a case cannot have the other classes.
    drawn : {"probabilities", "classes"}
        Content of the plausibilities: class probabilities given the parameters, or 1 for a drawn true class, so that the metrics are
        averages over true classes, too.
    n_draws, n_warmup, n_chains, n_thin : int
        Total number of draws kept, a multiple of ``n_chains``; sweeps discarded at the start of each chain; number of chains; sweeps per
        draw. Chains start from true classes drawn from the label shares.
    seed : int, Generator or SeedSequence
        Random seed. On one machine, the same seed gives the same bytes, whatever the order of the cases.

    Returns
    -------
    AnnotatorDraws
        The draws. ``plausibilities`` are Draws, with 8 bytes for each draw of each candidate of each case.

    Warns
    -----
    RuntimeWarning
        If chains of some accuracies or prevalences have not mixed.

    References
    ----------
    Dawid & Skene (1979); Paun et al. (2018), "Comparing Bayesian models of annotation", TACL 6, section 3.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1]])
    >>> found = ugt.annotators.dawid_skene_draws(labels, prior=(4, 1, 1), n_draws=2000, seed=1)
    >>> bool(found.plausibilities.mean()[1, 1] > 0.8), bool(found.diagnostics.rhat.max() < 1.05)
    (True, True)
    """
    checks.option("candidates", candidates, CANDIDATES)
    checks.option("drawn", drawn, DRAWN)
    concentration = three("prior", prior, positive=True)
    n_draws, n_chains = checks.whole("n_draws", n_draws), checks.whole("n_chains", n_chains)
    checks.multiple("n_draws", n_draws, "n_chains", n_chains)
    schedule = checks.whole("n_warmup", n_warmup, 0), n_draws, checks.whole("n_thin", n_thin), n_chains
    word = seed_of(seed)
    with parallel.threads(n_threads):
        return sample(GivenLabels(labels, known), concentration, candidates == "all", drawn == "classes", schedule, word)


def warn_if_judged(labels: object, models: Iterable[Any], *, stacklevel: int = 2) -> list[str]:
    """Warn of models that are judged by a truth made of their own predictions; return the names of these models.

    An annotator whose id is the name of a model is taken to be that model. Agreement with a truth to which a model contributed flatters
    this model and models that resemble it. Annotations without annotator ids are not checked.
    """
    ids = getattr(labels, "annotators", None)
    known = set() if ids is None else {str(i) for i in np.asarray(ids).tolist()}
    found = [str(name) for name in models if str(name) in known]
    if found:
        notices.warn(
            f"{', '.join(map(repr, found))} is the name of a model and of an annotator: a model that is judged by a truth made of "
            "its own predictions looks better than it is. Leave its labels out",
            UserWarning,
            stacklevel=stacklevel,
        )
    return found
