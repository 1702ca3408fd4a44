"""Intervals, comparisons, threads: one engine of resamples, in which weights multiply what cases contribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._base import parallel
from .._base.arrays import Array
from .._base.checks import error, flag, room, whole
from .._base.parallel import threads
from ..annotations.joins import tells_joins
from ..annotations.named import names_of
from ..annotations.named import table as in_order
from .annotator_groups import ByAnnotators, GroupNumber, by_annotators, groups_of
from .case_numbers import CaseNumbers
from .cluster_ids import beside, ids_of_cases, numbers_of_cases, shared_ids
from .design import Design, by_case, resampled_counts, seed_of, units
from .difference import Difference
from .jackknife import FEW
from .loop import resample
from .merging import Answer, Merging, finished, replicated
from .number_facts import NumberFacts
from .own_statistic import two_way
from .panel import UNNAMED, Panel, Without
from .part_means import PartMeans
from .parts import Part, options_of, plain
from .ranks import RankSets, rank_sets
from .ratios import Quotients, Ratios, over
from .resamples import SOURCES, Resamples, check_level, check_one_sided
from .result import Result, ResultDifference, Results, resamples_of
from .statistic import Linear, Statistic, Wide, exact_products
from .student import FEW_UNITS, UnitFacts, Units, few_clusters, limits
from .sums import Alike, GroupSums, distinct_rows
from .two_ways import TwoWay
from .weighted import Jackknife, bootstrap_annotations, bootstrap_statistic, jackknife

if TYPE_CHECKING:
    from .design import Seed as Seed

__all__ = [
    "ByAnnotators", "GroupNumber", "Linear", "RankSets", "Resamples", "Result", "Statistic", "TwoWay", "bootstrap", "bootstrap_annotations",
    "bootstrap_statistic", "by_annotators", "rank_sets", "threads", "two_way",
]  # fmt: skip


@tells_joins
def bootstrap(
    contributions: object,
    denominators: object = None,
    *,
    estimate_from: object = None,
    clusters: object = None,
    strata: object = None,
    cases: bool = True,
    n_resamples: int = 1000,
    seed: Seed = 0,
    sources: tuple[str, ...] = (),
) -> Resamples:
    """Bootstrap means and ratios of sums over cases, Σ w_i a_ij / Σ w_i b_ij with w_i how often case i was drawn.

    Parameters
    ----------
    contributions : (N,) or (N, M) array, or function
        a_ij: the contribution of case i to number j (model, metric); NaN if the case does not count, and then b_ij is 0. All numbers
        are computed on the same resamples. A function b -> (N, M) array (or pair of arrays, with b_ij) gives the contributions
        under the b-th draw of the truth or of the annotations, b from 0: nested resampling. A case that is drawn w times counts as
        (w - √w) times its contribution to the estimate and √w times that under the draw: the mean and variance of w copies, each with
        its own draw.
    denominators : (N,) or (N, M) array, optional
        b_ij. Default: 1, so that the numbers are means.
    estimate_from : as returned by the function
        With a function: the contributions for the estimate, which are the expectation of those that the function returns.
    clusters : (N,) ids, optional
        Whole clusters of cases (such as patients) are drawn instead of cases.
    strata : (N,) ids, optional
        As many units are drawn from each stratum as it has. A cluster must be in one stratum.
    cases : bool
        Whether cases (clusters) are drawn; False, with a function: only the spread over its draws.
    n_resamples : int
        At least 1; 1,000 is enough for standard errors, 10,000 for the ends of 95% intervals to two digits.
    seed : int, Generator or SeedSequence
        Resample b uses the stream of (seed, b): it does not depend on the number of threads or on other numbers.
    sources : tuple of {"cases", "clusters", "annotators", "draws"}
        The sources of variation in the function's contributions; default ``("draws",)``. Cases or clusters are added if they are drawn.

    Returns
    -------
    Resamples
        All NaN if no stratum has two units that count.

    Raises
    ------
    ValueError
        If shapes do not fit, a contribution is infinite, ids are missing, or a cluster is in several strata.

    Notes
    -----
    Contributions are multiplied by weights and never copied. Within :class:`ugt.resampling.threads` a function is called from several
    threads at once. Cases that are drawn bring their annotations with them, so that a bootstrap over cases already includes the variance
    that annotations add to a mean over cases. Drawing annotations as well counts that part (nearly) twice, and intervals are then too
    wide rather than too narrow.

    References
    ----------
    Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), algorithm 6.1; Davison & Hinkley, "Bootstrap Methods and
    Their Application" (1997), sec. 3.2 (strata), 3.8 (clusters), eq. 2.36 (influence values).

    Examples
    --------
    >>> import ugt
    >>> accuracy = [[0.9, 0.5], [0.8, 0.7], [1.0, 0.2], [0.4, 0.6], [0.7, 0.1], [0.9, 0.8]]
    >>> found = ugt.bootstrap(accuracy, n_resamples=2000, seed=7)
    >>> found.estimate.round(3).tolist(), found.interval(kind="bca").round(2).tolist()
    ([0.783, 0.483], [[0.57, 0.9], [0.25, 0.67]])
    >>> found.minus(1).interval().round(2).tolist()
    [[-0.25, 0.6], [0.0, 0.0]]
    >>> ugt.bootstrap(accuracy, clusters=["p1", "p1", "p2", "p2", "p3", "p3"], n_resamples=2000).sources
    ('clusters',)
    """
    if not isinstance(sources, (tuple, list)):
        raise error("sources", f"be a tuple of {', '.join(map(repr, SOURCES))}", repr(sources))
    n, given = whole("n_resamples", n_resamples), tuple(sources)
    word, cases = seed_of(seed), flag("cases", cases)
    if callable(contributions):
        if estimate_from is None:
            raise error("estimate_from", "be given together with a function: the contributions for the estimate", None)
        base = Ratios.of(estimate_from, denominators)
        design = Design.of(base.n_cases, clusters, strata)
        values = _nested_values(contributions, denominators, base, design if cases else None, n, word)
        kinds = (*(units(clusters) if cases else ()), *(given or ("draws",)))
        influence = design.centred(design.added_up(base.influence())) if cases else None
        return Resamples(base.estimate, values, influence, kinds)
    if not cases or estimate_from is not None:
        wrong = ("cases", cases) if not cases else ("estimate_from", "an array")
        raise error(wrong[0], "be given only together with a function of the draw", wrong[1])
    if not isinstance(contributions, tuple):
        contributions, ids, _ = names_of("contributions", contributions)
        denominators = None if denominators is None else in_order("denominators", denominators, ids)
        if ids is not None:
            both = (("clusters", clusters), ("strata", strata))
            clusters, strata = (None if one is None else ids_of_cases(name, one, len(ids), ids) for name, one in both)
    base = Ratios.of(contributions, denominators)
    room("the influence of every case on every number", 16 * base.numerator.size)
    design, everybody = Design.of(base.n_cases, clusters, strata), np.ones(base.n_cases, bool)
    (values,) = resample([base], everybody, design, word, n)
    influence = design.centred(design.added_up(base.influence()))
    return Resamples(base.estimate, values, influence, (*units(clusters), *given), Units.of(base, everybody, design))


def _nested_values(draw: Callable[[int], Any], denominators: object, base: Ratios, design: Design | None, n: int, seed: int) -> Array:
    room(f"{n} resamples", 8 * n * base.numerator.shape[1])
    values = np.empty((n, base.numerator.shape[1]))

    def part(begin: int, end: int) -> None:
        for b in range(begin, end):
            ratios = Ratios.of(draw(b), denominators)
            if ratios.numerator.shape != base.numerator.shape:
                must = f"return an array of the shape of estimate_from, {base.numerator.shape}"
                raise error("contributions", must, ratios.numerator.shape, f"draw {b}")
            values[b] = ratios.estimate if design is None else ratios.drawn_with(base, design.weights(seed, b, b + 1)[0])

    parallel.run(part, n, FEW, "bootstrap")
    if design is not None:
        values[:, ~base.facts.varies(np.ones(base.n_cases, bool), design)] = np.nan
    return values
