"""The reliability of annotations, fitted to cases with a better reference by profile likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Callable

import numpy as np

from .._base import checks, identifiers, notices
from .._base.arrays import Array, Bools, Int64
from .._base.axes import class_axis
from .._base.laws import above
from .._base.ragged import row_of
from .._base.wording import Refusal, arg
from ..annotations import Labels, Rankings
from ..annotations.first_choices import first_choices
from ..annotations.joins import tells_joins
from ..annotations.named import rows_of
from ..annotations.named import table as in_order
from ..annotations.other_annotators import of_cases
from ..annotations.predictions import Predictions
from ..annotators import AnnotatorModel
from ..plausibilities import Plausibilities
from ..plausibilities.integrated import EXACT, Integrated
from ..resampling import ids_of_cases, seed_of
from .label_prior import fit_dirichlet_prior
from .plackett_luce_integrals import N_DRAWS
from .reliability_profile import FittedReliability, fitted

MODELS = ("dirichlet", "prirn", "plackett_luce")
SPANS = {"dirichlet": (0.02, 50.0), "prirn": (0.1, 1000.0), "plackett_luce": (0.1, 20.0)}
N_GRID = 33
N_SAMPLED, N_RUNS = 9, 4  # points under Plackett-Luce; runs, whose differences give the Monte Carlo error
LEAST, LEAST_EACH = 10, 50  # least number of references in all, and of an annotator
TINY = 1e-13  # error of the probabilities
STEP = 1e-3  # step in log γ for derivatives
OUTSIDE = 1e-6
WITHOUT = "case with a reference but without annotations"
ELSEWHERE = "reference of a case that is not among the annotations"
WHY = (
    "reference must be given. Got None: labels alone do not show errors that annotators share, and so cannot fix the reliability; "
    "fit_predictive_reliability shows how well they predict further labels, and dawid_skene which annotators differ from the others."
)
CIRCULAR = "a reference made from the same annotations, which always gives too high a reliability"


@tells_joins
def fit_reliability(
    annotations: object,
    reference: object = None,
    *,
    model: str = "dirichlet",
    per_annotator: bool = False,
    spread: float = 1.5,
    **options: Any,
) -> FittedReliability:
    r"""Fit the reliability of annotations to cases with a better reference.

    The fit maximises the probability that the reference class is the most plausible class of each case,

    .. math:: ℓ(γ) = \sum_i \sum_k r_{ik} \log P(k = \arg\max_j λ_j \mid annotations_i, γ),

    with r_ik = 1 for the reference class, or the probability of the class if the reference is uncertain.

    Parameters
    ----------
    annotations : Labels or Rankings
        N cases.
    reference : (N,) classes, mapping of case id to class, (N, K) probabilities, or plausibilities
        Names of classes (positions if classes are text and the reference is whole numbers); None, NaN, "", a masked cell or a row
        of NaN for a case without reference. At least 10 cases, which must be a random part of all cases.
    model : {"dirichlet", "prirn", "plackett_luce"}
        The truth model that uses the reliability. For ``"plackett_luce"`` the probabilities are integrals, on a coarse grid; one below its
        error counts as that error. Cases without an integral (see :func:`plackett_luce`) have weighted points, or draws, of which one
        counts at least, with the same streams at each reliability.
    per_annotator : bool
        One reliability for each annotator (labels and ``"dirichlet"`` only): posterior mode with log γ_r ~ N(m, spread²), m free.
    spread : float
        Standard deviation of log γ_r between annotators; default 1.5, a factor of 4.5. With 0.7 the smallest reliability of a
        panel is too high: 0.37 if it is 0.3, and 0.67 if it is 0.5.
    **options
        Options of the truth model, such as ``prior`` (a prior ``"fit"`` is fitted to all annotations), ``background``.

    Returns
    -------
    FittedReliability
        The fit, with the profile of the likelihood on a grid: 0.02 to 50 for ``"dirichlet"``, 0.1 to 1,000 for ``"prirn"``, 0.1 to 20
        for ``"plackett_luce"``.

    Raises
    ------
    TypeError, ValueError
        If there are no or fewer than 10 references, one is not among the classes, or one is impossible under the truth model: a
        class that no annotator named, with a prior or background of 0. If the reference is a model of the same labels
        (:func:`dawid_skene`), or plausibilities made from them: for annotators with a reliability of 1.2 such a reference gives 4.5.

    Notes
    -----
    γ is not an accuracy: it is the weight of annotations under which the references are most probable. It applies to cases like those
    with a reference; if these were chosen because annotators disagreed, it does not apply to the others (a note says so if the
    disagreement of the two differs at 1%). Intervals of annotators are from the curvature of the posterior; with fewer than 50
    references the reliability of an annotator is mostly that of all annotators.

    References
    ----------
    Stutz et al. (2023), "Evaluating AI systems under uncertain ground truth", section 3.4, where the reliability is chosen.

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(300, 4, 5, difficulty=0.4, seed=3)
    >>> known = dict(zip(labels.axes.case_ids[:100], truth[:100].argmax(1)))  # a reference for 100 cases
    >>> ugt.fit_reliability(labels, known).sentence()
    'The reliability is 1.2 (95% interval 0.63 to 2.2, 100 cases).'
    """
    checks.option("model", model, MODELS)
    per_annotator = checks.flag("per_annotator", per_annotator)
    spread = checks.scalar("spread", spread, positive=True)
    kinds = Labels if model == "dirichlet" else (Labels, Rankings)
    if not isinstance(annotations, kinds):
        raise TypeError(Refusal("annotations", "be of a kind that " + arg("model", model) + " takes", type(annotations).__name__))
    if reference is None:
        raise ValueError(WHY)
    rows, wanted = _references(reference, annotations)
    n_empty = len(rows)
    has_any = np.bincount(first_choices(annotations).case, minlength=annotations.n_cases)[rows] > 0
    rows, wanted = rows[has_any], wanted[has_any]
    n_empty -= len(rows)
    if len(rows) < LEAST:
        raise checks.error("reference", f"be known for at least {LEAST} annotated cases", len(rows))
    if model == "dirichlet" and isinstance(options.get("prior"), str) and options["prior"] == "fit":
        options["prior"] = fit_dirichlet_prior(annotations)
    known = of_cases(annotations, rows)
    silent = {WITHOUT: n_empty, ELSEWHERE: _elsewhere(reference, annotations.axes)}
    said: dict[str, Any] = {
        "prior": None, "n_cases": len(rows), "left_out": {reason: n for reason, n in silent.items() if n},
        "notes": _of_other_cases(annotations, rows),
    }  # fmt: skip
    if per_annotator and (model != "dirichlet" or not len(annotations.annotators)):
        got = arg("model", model) if model != "dirichlet" else "labels of annotators without names"
        raise checks.error("per_annotator", "be False except for labels of named annotators and " + arg("model", "dirichlet"), got)
    if model == "plackett_luce":
        return _of_plackett_luce(known, wanted, options, said)
    judge = partial(_log_probability, make=_maker(model, options))
    _check_possible(known, np.isneginf(judge(known, wanted, 1.0)))
    grid = np.geomspace(*SPANS[model], N_GRID)
    values = np.array([judge(known, wanted, float(gamma)).sum() for gamma in grid])
    found = fitted(grid, values, **said)
    return _each(found, known, wanted, judge, spread) if per_annotator else found


def _check_possible(known: Any, impossible: Bools) -> None:
    if impossible.any():
        must = "be possible: a class that no annotator of the case named has plausibility 0 (give a prior or background above 0)"
        case = f"case {known.axes.case_name(int(np.argmax(impossible)))}"
        raise checks.error("reference", must, f"{int(impossible.sum())} such references of {len(impossible)}", case)


def _maker(model: str, options: Mapping[str, Any]) -> Callable[..., Plausibilities]:
    from .. import truth as makers  # noqa: PLC0415  (it imports this module)

    return partial(getattr(makers, model), **options)


def _log_probability(known: object, wanted: Array, gamma: object, make: Callable[..., Plausibilities]) -> Array:
    """Return Σ_k r_k log P(class k is first), (n,), for classes (n,) or probabilities r (n, K); -inf if a class is impossible."""
    truth = make(known, reliability=gamma)
    if wanted.ndim == 1:
        p = truth.label_probability(wanted[:, None])
        return np.where(p > 0, np.log(np.maximum(p, TINY)), -np.inf)
    p = truth.membership(1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(wanted > 0, wanted * np.where(p > 0, np.log(np.maximum(p, TINY)), -np.inf), 0.0).sum(axis=1))


def _references(reference: Any, known: Any) -> tuple[Int64, Any]:
    """Return the cases with a reference, and their classes (n,) or probabilities (n, K)."""
    axes = known.axes
    made_of = getattr(reference, "made_of", None)
    if isinstance(reference, AnnotatorModel) or (made_of is not None and made_of.annotations is known):
        raise checks.error("reference", "come from other data", CIRCULAR)
    if isinstance(reference, Plausibilities):
        order = rows_of("reference", reference.axes, axes)
        reference = (reference if order is None else reference.take(order)).mean()
    if not isinstance(reference, (Mapping, tuple)) and (np.ndim(reference) == 2 or isinstance(reference, Predictions)):
        return _probabilities(identifiers.as_array(in_order("reference", reference, axes.case_ids, axes.classes)), axes)
    given = ids_of_cases("reference", reference, axes.n_cases, axes.case_ids, absent="").tolist()
    rows = np.array([i for i, one in enumerate(given) if not identifiers.is_null(one) and str(one) != ""], np.int64)
    if not len(rows):
        raise checks.error("reference", f"be known for at least {LEAST} annotated cases", 0)
    column = identifiers.number("reference", [given[i] for i in rows], lambda j: f"case {axes.case_name(int(rows[j]))}")
    return rows, class_axis("reference", column, axes.classes, lambda j: f"case {axes.case_name(int(rows[j]))}")[1].astype(np.int64)


def _elsewhere(reference: Any, axes: Any) -> int:
    """Return how many references are for cases that are not among the annotations."""
    reference = identifiers.mapping_of("reference", reference)
    pair = isinstance(reference, tuple) and len(reference) == 2
    ids = reference if isinstance(reference, Mapping) else reference[0] if pair and np.ndim(reference[0]) == 1 else ()
    return len({str(one) for one in ids} - {str(one) for one in axes.case_ids.tolist()})


def _probabilities(table: Any, axes: Any) -> tuple[Int64, Array]:
    shape = axes.n_cases, axes.n_classes
    if table.dtype.kind not in "biuf" or table.shape != shape:
        must = f"be one class per case, or probabilities of shape {shape}"
        raise checks.error("reference", must, f"{table.dtype} of shape {table.shape}")
    r = table.astype(np.float64)
    rows = np.flatnonzero(~np.isnan(r).all(axis=1))
    bad = ~((r[rows] >= 0).all(axis=1) & (np.abs(r[rows].sum(axis=1) - 1) <= OUTSIDE))
    if bad.any():
        i = int(rows[np.argmax(bad)])
        raise checks.error("reference", "be probabilities that add up to 1", r[i].tolist(), f"case {axes.case_name(i)}")
    return rows, r[rows]


def _of_other_cases(known: Any, rows: Int64) -> tuple[str, ...]:
    """Return a note if annotators disagree more or less in the cases with a reference than in the others."""
    chosen = first_choices(known)
    n = chosen.n_opinions(known.n_cases)
    cell, at = np.unique(chosen.case * known.n_classes + chosen.label, return_inverse=True)
    total = np.bincount(at.reshape(-1), chosen.share * chosen.times)
    own = np.bincount(chosen.case, chosen.share**2 * chosen.times, known.n_cases)
    with np.errstate(invalid="ignore", divide="ignore"):
        differ = 1 - (np.bincount(cell // known.n_classes, total**2, known.n_cases) - own) / (n * (n - 1))
    inside = np.zeros(known.n_cases, bool)
    inside[rows] = True
    first, second = (differ[side & (n > 1)] for side in (inside, ~inside))
    if min(len(first), len(second)) < LEAST:
        return ()
    error = np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
    gap = first.mean() - second.mean()
    if not error > 0 or 2 * above(abs(gap) / error, np.inf) > 0.01:
        return ()
    return (
        f"Annotators disagree {'more' if gap > 0 else 'less'} in cases with a reference than in the others (pairs that differ: "
        f"{first.mean():.3f} and {second.mean():.3f}): the reliability applies to such cases. Use references for a random part of the "
        "cases.",
    )


# ---- of Plackett-Luce


def _of_plackett_luce(known: Any, wanted: Array, options: dict[str, Any], said: dict[str, Any]) -> FittedReliability:
    """Return the reliability by log-likelihoods on a coarse grid, with a Monte Carlo error unless all cases are integrals."""
    word, n_draws = seed_of(options.pop("seed", 0)), checks.whole("n_draws", options.get("n_draws", N_DRAWS))
    make = _maker("plackett_luce", options)
    grid = np.geomspace(*SPANS["plackett_luce"], N_SAMPLED)
    weights = np.eye(known.n_classes)[wanted] if wanted.ndim == 1 else wanted
    p, is_exact = np.empty((N_RUNS, N_SAMPLED, *weights.shape)), np.zeros((N_SAMPLED, len(weights)), bool)
    least = np.full((N_SAMPLED, len(weights), 1), 1.0 / n_draws)
    with notices.heard():
        for at, gamma in enumerate(grid.tolist()):
            post = make(known, reliability=gamma, seed=word)
            p[:, at] = post.membership(1)
            if isinstance(post, Integrated):
                _check_possible(known, ((weights > 0) & (post.mean() == 0)).any(axis=1))
                stated = np.isfinite(post.error)  # else no point may have met an event, of which there are so many that count
                is_exact[at], least[at, :, 0] = post.how == EXACT, np.where(stated, post.error, 1.0 / post.effective_size)
            rows = np.flatnonzero(~is_exact[at])
            for run in range(1, N_RUNS if len(rows) else 1):
                p[run, at, rows] = make(of_cases(known, rows), reliability=gamma, seed=word + run).membership(1)

    def best_of(p: Array) -> FittedReliability:
        return fitted(grid, np.asarray((weights * np.log(np.maximum(p, np.maximum(least, TINY)))).sum(axis=(-2, -1))), **said)

    found = best_of(p.mean(0))
    if is_exact.all():
        return found
    runs = [best_of(one).value for one in p]
    finite = 0 < found.value < np.inf and all(0 < one < np.inf for one in runs)
    return replace(found, mc_error=found.value * float(np.log(runs).std(ddof=1)) / np.sqrt(N_RUNS) if finite else np.nan)


# ---- a reliability for each annotator


def _each(found: FittedReliability, known: Labels, wanted: Array, judge: Any, spread: float) -> FittedReliability:
    """Return the posterior mode of log γ_r for each annotator, with normal intervals from its curvature."""
    from scipy.optimize import minimize  # noqa: PLC0415  (scipy is slow to import)

    case = row_of(known.offsets)
    here = [np.unique(case[known.annotator == a]) for a in range(len(known.annotators))]
    parts = [(of_cases(known, rows), wanted[rows]) for rows in here]
    told = np.array([len(rows) > 0 for rows in here])
    start = np.log(np.clip(found.value, *SPANS["dirichlet"]))

    def likelihood(t: Array, part: Any) -> float:
        return float(judge(*part, np.exp(t)).sum())

    def pull(t: Array) -> Array:
        return np.asarray((t - t[told].mean()) * told / spread**2)

    def negative(t: Array) -> float:
        return -likelihood(t, (known, wanted)) + float((pull(t) ** 2).sum()) * spread**2 / 2

    def gradient(t: Array) -> Array:
        steps = STEP * np.eye(len(t))
        slope = [likelihood(t + step, part) - likelihood(t - step, part) if len(part[1]) else 0.0 for step, part in zip(steps, parts)]
        return pull(t) - np.array(slope) / (2 * STEP)

    low, high = np.log(SPANS["dirichlet"])
    best = minimize(negative, np.full(len(here), start), jac=gradient, method="L-BFGS-B", bounds=[(low, high)] * len(here)).x
    best[~told] = best[told].mean()
    wide = 20 * STEP * np.eye(len(best))
    curvature = np.array([(gradient(best + step) - gradient(best - step)) / (40 * STEP) for step in wide])[np.ix_(told, told)]
    error = np.full(len(best), np.inf)
    error[told] = np.sqrt(np.maximum(np.diag(np.linalg.inv((curvature + curvature.T) / 2)), 0.0))
    names = known.annotators.tolist()
    few = [str(name) for name, rows in zip(names, here) if len(rows) < LEAST_EACH]
    notes = found.notes
    if few:
        shown = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        notes = (*notes, f"Fewer than {LEAST_EACH} references of {shown}: drawn towards the reliability of all annotators.")
    return FittedReliability(
        dict(zip(names, np.exp(best).tolist())), -negative(best), found.grid, found.profile, None, found.n_cases, found.left_out,
        dict(zip(names, error.tolist())), notes, found.at,
    )  # fmt: skip
