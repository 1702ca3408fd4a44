"""Plackett–Luce with ties: the posterior of plausibilities from partial rankings [A B.4]."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import numpy as np

from .._base import checks, notices, parallel
from .._base.arrays import Array, Int64
from .._base.checkpoints import Checkpoint, fingerprint
from ..annotations import Rankings
from ..plausibilities import Draws, Plausibilities
from ..plausibilities.diagnostics import Diagnostics
from ..plausibilities.draws import REST, MentionedDraws
from ..plausibilities.integrated import Integrated
from ..plausibilities.weighted import Points
from ..resampling import seed_of
from .plackett_luce_input import (
    UNRANKED,
    arrays_of,
    classes_of,
    prior_of,
    stages_of,
    tempering_of,
    weighted_rankings,
    with_all_classes,
)  # fmt: skip
from .plackett_luce_integrals import MOST_POINTS, N_DRAWS, TOLERANCE, integrate, points_of_shift, target_of, tolerance_of

CHUNK = 16  # cases in a chunk and in a checkpoint record: some hundredths of a second
METHODS = ("auto", "exact", "weighted", "gibbs")
WORST_RHAT, LEAST_ESS = 1.05, 25  # largest R̂ and least number of effective draws per chain of a case whose chains have mixed


def plackett_luce(
    rankings: object,
    *,
    method: str = "auto",
    reliability: object = 1.0,
    tempering: float = 1.0,
    prior_shape: float | None = None,
    prior_mass: float | None = None,
    prior_rate: float = 1.0,
    unranked: str = "individual",
    tolerance: float = TOLERANCE,
    n_draws: int = N_DRAWS,
    n_warmup: int = 500,
    n_chains: int = 4,
    n_thin: int = 1,
    seed: Any = 0,
    n_threads: int = 1,
    dtype: Any = np.float64,
    progress: bool = False,
    checkpoint: object = None,
) -> Draws | Integrated:
    """Return the posterior of plausibilities under the Plackett–Luce model with ties and unranked classes.

    Latent arrival times are ``τ_k ~ Exp(λ_k)``; in a ranking all classes of a block arrive before those of later blocks, and unranked
    classes arrive last; the prior is ``λ_k ~ Gamma(a, rate)``; the likelihood has the power γ, the reliability, as if each annotator had
    ranked γ times. The posterior of ``λ / Σλ`` [A B.4] is integrated where possible. All other numbers come from weighted points
    of it, with standard errors, or on request from draws of a collapsed Gibbs sampler.

    Parameters
    ----------
    rankings : Rankings or Labels
        N cases. A label is a ranking of one class. A case without annotations has its prior.
    method : {"auto", "exact", "weighted", "gibbs"}
        ``"auto"`` (default): integrals of the most plausible class and of moments, with weighted points for cases that have none, and for
        all questions about several classes. ``"exact"``: the same, but a case without an integral is refused. ``"weighted"``: weighted
        points for all cases. ``"gibbs"``: draws of all cases by Markov chains, as in [A].
    reliability : float, mapping of annotator to float, or array
        γ > 0, any real number; for each annotator or each annotation as in :func:`dirichlet`: the ranking of annotator r counts γ_r
        times. For rankings whose annotators have no names, (R,) numbers.
    tempering : float
        t > 0: rankings follow ``λ^t``, the tempered model of [A B.4], ``τ_k ~ Exp(λ_k^t)``. Above 1 annotators find classes of higher
        plausibility with higher probability, so that plausibilities are closer to each other; 1 (default) is the model itself.
    prior_shape, prior_mass : float, optional
        Shape a of every class, or the total ``a K`` of all classes; one of them, above 0. Default ``prior_mass=1``.
    prior_rate : float
        Rate of the prior, above 0. Normalised plausibilities do not depend on it.
    unranked : {"individual", "lump", "ignore"}
        Classes of a case that no annotator mentioned: each has the prior of any class (exact, default); all are one class of shape a,
        whose plausibility they share evenly (as in the authors' code: another prior); or they are left out, with plausibility 0.
    tolerance : float
        Error at which the integral of a case stops, from 1e-8 to 0.01.
    n_draws : int
        Weighted points of a case, about; they are doubled until the standard error of the numbers of a case without an integral is at most
        2e-3, or ``2e-3 (2304 / n_draws)^¾`` if fewer than 2,304 are asked for. With ``"gibbs"``: draws kept in all, a multiple of
        ``n_chains``.
    n_warmup, n_chains, n_thin : int
        For ``"gibbs"``: sweeps at the start of each chain that are not kept; chains; sweeps per draw.
    seed : int, Generator or SeedSequence
        The points or draws of a case depend on the seed, its id and its annotations only.
    n_threads : int
        Number of threads, which does not change the numbers.
    dtype : float64 or float32
        Type of the stored draws of ``"gibbs"``: 8 or 4 bytes for each draw of each mentioned class and of the lump.
    progress : bool
        Whether to report progress on standard error if the run takes longer than two seconds; also when the posterior is asked later
        for what needs points.
    checkpoint : path, optional
        File for finished cases: a run that was stopped or killed continues from it if started again with the same arguments, and
        ends with the same bytes. Delete it when it is no longer needed.

    Returns
    -------
    Integrated or Draws
        ``Integrated``: the probability of each class to be the most plausible one, and the means and variances of plausibilities; ``how``
        and ``error`` say for each case how they were computed, and its ``repr`` counts them. Certainty of order k, ``membership(k)``,
        ``set_probability``, groups of classes and metrics of whole orders use weighted points, made when they are first needed; ``note``
        says how many. With ``"gibbs"``, ``Draws`` of the mentioned classes of each case and of the lump of all others: memory grows
        with the number of mentioned classes.

    Raises
    ------
    ValueError, TypeError
        If a number is out of range, both priors are given, ``n_draws`` of ``"gibbs"`` is not a multiple of ``n_chains``, or the checkpoint
        belongs to other data, options or another version; if ``rankings`` are of another kind; if a case has no integral with
        ``method="exact"``; if ``tempering`` is given with integrals or points.

    Warns
    -----
    RuntimeWarning
        If weighted points of some cases are not reliable, with these cases: their errors are NaN. If chains of some cases have not mixed
        (see :func:`plackett_luce_diagnostics`).

    Notes
    -----
    The prior matters: with a = 1 for each of hundreds of classes, unmentioned classes hold most of the plausibility.

    Reliability and tempering differ. A reliability of 3 counts a ranking three times: it concentrates the posterior. A tempering of 3 means
    that one ranking follows ``λ³``: if two annotators differ, plausibilities of 0.6 and 0.4 explain it less well. Given the waiting times,
    log λ_k has a log-concave density with ``λ_k^t`` in it, which is drawn by rejection, in addition to Metropolis moves of each ranked
    class with the times integrated out. With a tempering, ``"auto"`` means ``"gibbs"``.

    Integrals are over one Beta variable for each distinct set of classes that annotators placed before others (the dimension of the case);
    a tied block that counts a whole number of times is the sum over its orders. The dimension-adaptive rule of Gerstner & Griebel (2003)
    with Gauss-Jacobi nodes refines up to 7 dimensions and 200 terms until the stated bound of the error is at most ``tolerance``.

    Weighted points are importance sampling in log plausibilities, any reliability and any ties included. Two proposals are mixed: Beta
    variables broken off a stick in the order of the classes, fitted to the posterior, and sectors, one for each order of the classes, whose
    gaps have exactly the exponents with which the posterior falls (Borinsky 2023), so that no weight is unbounded. Sixteen random shifts
    of a lattice give the standard error of every number, which is at least the reciprocal of the effective number of points. Points are
    relied on if this number is at least 400 and the k-hat of the largest weights at most min(1 - 1 / log10 of it, 0.7) (Vehtari et
    al. 2024). Else the numbers are returned with errors of NaN, and a warning.

    References
    ----------
    [A] Stutz et al., "Evaluating AI systems under uncertain ground truth: a case study in dermatology", appendix B.4.

    T. Gerstner, M. Griebel (2003), "Dimension-adaptive tensor-product quadrature", Computing 71.

    M. Borinsky (2023), "Tropical Monte Carlo quadrature for Feynman integrals", Ann. Inst. Henri Poincaré D 10.

    T. Hesterberg (1995), "Weighted average importance sampling and defensive mixture distributions", Technometrics 37.

    A. Vehtari, D. Simpson, A. Gelman, Y. Yao, J. Gabry (2024), "Pareto smoothed importance sampling", JMLR 25(72).

    Examples
    --------
    >>> import ugt
    >>> rankings = ugt.Rankings.from_blocks([[[[0], [1, 2]], [[0]], [[1]]]], n_classes=5)
    >>> post = ugt.plackett_luce(rankings)
    >>> post, post.label_probability([[0]]).round(6)
    (Integrated(n_cases=1, n_classes=5, exact=1), array([0.683927]))
    >>> post.certainty(2).round(2), post.certainty_error(post.certainty(2), 2, "set") < 0.005
    (array([0.77]), array([ True]))
    >>> draws = ugt.plackett_luce(rankings, method="gibbs", n_draws=4000, seed=1)
    >>> draws, bool(0.55 < draws.label_probability([[0]])[0] < 0.85)
    (Draws(n_cases=1, n_draws=4000, n_classes=5), True)
    """
    given, gamma, weights = weighted_rankings(rankings, reliability)
    check_method(method)
    checks.option("unranked", unranked, UNRANKED)
    exact_to = tolerance_of(tolerance)
    tempered = tempering_of(tempering)
    by_gibbs = method == "gibbs" or (method == "auto" and tempered != 1)
    n_draws = checks.whole("n_draws", n_draws)
    n_chains = checks.whole("n_chains", n_chains)
    if by_gibbs:
        checks.multiple("n_draws", n_draws, "n_chains", n_chains)
    progress = checks.flag("progress", progress)
    try:
        known = np.dtype(dtype) in (np.float64, np.float32)
    except (TypeError, ValueError):
        known = False
    if not known:
        raise checks.error("dtype", "be float64 or float32", repr(dtype))
    shape = prior_of(prior_shape, prior_mass, given.n_classes)
    schedule = checks.whole("n_warmup", n_warmup, 0), n_draws // n_chains, checks.whole("n_thin", n_thin), n_chains
    if tempered != 1 and unranked == "individual":
        given, weights = with_all_classes(given, weights)
    law = gamma, shape, checks.scalar("prior_rate", prior_rate, positive=True)
    if tempered != 1 and not by_gibbs:
        raise checks.error("method", "be 'gibbs' with a tempering other than 1", repr(method))
    task = given, weights, (*law, tempered), unranked, schedule, seed_of(seed), np.dtype(dtype)
    work = n_threads, progress
    with _working(*work):
        if by_gibbs:
            draws = _sample(*task, checkpoint)
            _warn(draws)
            return draws
        return _integrated(task, exact_to, method, n_draws, work, checkpoint)


def check_method(method: object) -> str:
    """Return a method; reject an unknown one, and the name of draws with those that replace it."""
    if isinstance(method, str) and method == "draws":
        raise checks.error("method", "be 'weighted' (points with weights) or 'gibbs' (draws by chains)", "'draws'")
    return checks.option("method", method, METHODS)


@contextmanager
def _working(n_threads: int, progress: bool) -> Iterator[None]:
    """Work with so many threads, and say the progress if asked for: now, and when a posterior is asked for more later."""
    with ExitStack() as stack:
        stack.enter_context(parallel.threads(n_threads))
        if progress:
            stack.enter_context(parallel.progress_to_stderr())
        yield


def _integrated(task: tuple[Any, ...], tolerance: float, method: str, n_draws: int, work: tuple[int, bool], path: object) -> Integrated:
    """Return the integrals of all cases, with weighted points for the cases and questions that have none."""
    rankings, weights, law, unranked, _, seed, _ = task
    make = partial(stages_of, rankings, unranked != "ignore", weights)
    stages, limits = make(), (target_of(n_draws), points_of_shift(n_draws), MOST_POINTS)
    points = Points(rankings.axes, *classes_of(stages), make, law[:2], unranked, seed, limits, partial(_working, *work))
    points.__dict__["stages"] = stages
    arrays = (*arrays_of(rankings), rankings.axes.stream_keys, *([] if weights is None else [weights]))

    def in_parts(part: object, starts: Int64, values: Array, stop: object, options: object) -> None:
        run = None if path is None else fingerprint(arrays, ("integrals", options, rankings.n_classes))
        _in_parts(part, "integrating", rankings.n_cases, starts, values, stop, path, run)

    return integrate(points, tolerance, method, n_draws, in_parts)


def _sample(
    rankings: Rankings,
    weights: Array | None,
    law: tuple[float, float, float, float],
    unranked: str,
    schedule: tuple[int, int, int, int],
    seed: int,
    dtype: Any,
    path: Any,
) -> MentionedDraws:
    stages = stages_of(rankings, unranked != "ignore", weights)
    offsets, index = classes_of(stages)
    n_draws = schedule[1] * schedule[3]
    starts = (offsets + np.arange(len(offsets))) * n_draws
    checks.room(f"{n_draws} draws", dtype.itemsize * int(starts[-1]))
    values = np.empty(starts[-1], dtype)
    stop = np.zeros(1, np.int32)
    keys = rankings.axes.stream_keys

    def part(begin: int, end: int) -> None:
        room = values[starts[begin] : starts[end]]
        out = room if room.dtype == np.float64 else np.empty(len(room))
        stages.gibbs(keys, *law[:3], REST[unranked], *schedule, seed, begin, end, stop, out, law[3])
        if out is not room:
            room[:] = out

    arrays: list[Any] = [*arrays_of(rankings), keys, *([] if weights is None else [weights])]
    run = None if path is None else fingerprint(arrays, (law, unranked, schedule, seed, str(dtype), rankings.n_classes))
    _in_parts(part, "sampling", rankings.n_cases, starts, values, stop, path, run)
    values.flags.writeable = False  # else the record would copy them
    return MentionedDraws(rankings.axes, offsets, index, values, n_draws, schedule[3], unranked, law[1], seed)


def _in_parts(part: Any, what: str, n_cases: int, starts: Any, values: Any, stop: Any, path: Any, run: bytes | None) -> None:
    """Run all parts or, with a checkpoint, those that it does not hold, and write each one when it is finished."""
    bounds = [(begin, min(begin + CHUNK, n_cases)) for begin in range(0, n_cases, CHUNK)]
    if run is None:
        parallel.run_parts(part, bounds, what, stop)
        return
    held = Checkpoint(path, run)

    def write(begin: int, end: int, _: object) -> None:
        held.add(begin, end, values[starts[begin] : starts[end]].tobytes())

    try:
        for (begin, end), content in held.parts.items():
            values[starts[begin] : starts[end]] = np.frombuffer(content, values.dtype)
        parallel.run_parts(part, [bound for bound in bounds if bound not in held.parts], what, stop, write)
    finally:
        held.close()


def plackett_luce_diagnostics(draws: Draws) -> Diagnostics:
    """Return the convergence of the chains of each case, for the log plausibility of its most plausible class.

    Rank-normalised split R̂, bulk and tail effective sample size are those of Vehtari et al. (2021).

    Parameters
    ----------
    draws : Draws
        Draws from :func:`plackett_luce` with ``method="gibbs"``.

    Returns
    -------
    Diagnostics
        ``rhat``, ``ess_bulk``, ``ess_tail``, ``ess_mean``, ``mcse_mean``: (N,) each; NaN for a case without classes, or if
        chains have fewer than four draws.

    Raises
    ------
    TypeError
        If the draws are from other software.

    Examples
    --------
    >>> import ugt
    >>> post = ugt.plackett_luce(ugt.Rankings.from_blocks([[[[0]], [[1]]]], n_classes=3), method="gibbs", seed=1)
    >>> bool(ugt.truth.plackett_luce_diagnostics(post).rhat[0] < 1.05)
    True
    """
    found = draws.diagnostics() if isinstance(draws, Plausibilities) else None
    if found is None:
        raise TypeError(f"draws must come from plackett_luce. Got {type(draws).__name__}.")
    return found


def _warn(draws: MentionedDraws) -> None:
    """Give one warning with the number of cases whose chains have not mixed."""
    if draws.n_draws // draws.n_chains < 4:
        return
    found = plackett_luce_diagnostics(draws)
    short = found.falls_short(rhat=WORST_RHAT, ess_per_chain=LEAST_ESS)
    if short.any():
        worst = int(np.nanargmax(np.where(short, found.rhat, -np.inf)))
        notices.warn(
            f"chains have not mixed well in {int(short.sum())} of {draws.n_cases} cases (R-hat above {WORST_RHAT} or fewer than "
            f"{LEAST_ESS} effective draws per chain; worst R-hat {found.rhat[worst]:.3f}, case {draws.axes.case_name(worst)}): use more "
            "draws or a longer warm-up",
            stacklevel=3,
        )
