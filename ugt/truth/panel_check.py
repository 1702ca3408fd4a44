"""The split-panel check: predictions of a truth model for held-out annotators, compared with their annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Frozen, stream_keys_of
from .._base.laws import above, holm, wilson
from .._base.ragged import distinct, row_of
from .._base.wording import Refusal, arg
from ..annotations import Labels, Rankings, Ratings
from ..annotations.first_choices import first_choices
from ..annotations.joins import tells_joins
from ..annotations.other_annotators import case_offsets, cases_of_annotators, keeping, without
from ..plausibilities.normal import fit_normal_prior
from ..resampling import check_level, ids_of_cases, seed_of
from .held_out import divided, held_out, one_each
from .label_prior import fit_dirichlet_prior

MODELS = ("dirichlet", "prirn", "plackett_luce", "dawid_skene", "normal")
KINDS: dict[str, Any] = {
    "dirichlet": Labels, "prirn": (Labels, Rankings), "plackett_luce": (Labels, Rankings), "dawid_skene": Labels, "normal": Ratings,
}  # fmt: skip
PSEUDO_COUNTS = (1.0, 0.1, 1.0)  # for Dawid–Skene: on the diagonal, in each other cell, of each class
LEAST = 10  # least number of cases of an annotator or a bin: for fewer the normal approximation of a sum is not valid
N_BINS = 10
TINY = 1e-9  # largest rounding error of a sum of differences that are all 0
TOO_FEW = "case with too few annotators to hold any out"
VOTE = "A further annotator would agree with the vote of the others"
MIDDLE = "A further rating would be in the middle half of its predictive distribution"


@dataclass(frozen=True, eq=False, repr=False)
class PanelParts(Frozen):
    """The parts of a split-panel check, arrays of one length: held-out annotators, or bins of the predicted agreement.

    Attributes
    ----------
    name : (P,) array of ids or (P, 2) edges of bins
        The annotator or bin.
    n_cases : (P,) array
        Number of cases.
    observed, predicted : (P,) arrays
        Observed and predicted share of agreement.
    p_value, adjusted_p_value : (P,) arrays
        Two-sided p-values of no difference: of the part alone, and by Holm's method over all parts. NaN with fewer than 10 cases.
    n_effective : (P,) array
        Number of independent cases with the variance of ``observed``.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0]] * 5)
    >>> ugt.truth.split_panel_check(labels, prior="fit").per_annotator.observed.round(2)
    array([0.75, 0.75, 0.5 ])
    """

    name: NDArray[Any]
    n_cases: Int64
    observed: Array
    predicted: Array
    p_value: Array
    adjusted_p_value: Array
    n_effective: Array

    def intervals(self, level: float = 0.95) -> Array:
        """Return Wilson's intervals (P, 2) of ``observed``."""
        return np.asarray(wilson(self.observed, self.n_effective, check_level(level)))


@dataclass(frozen=True, eq=False, repr=False)
class PanelCheck(Frozen):
    """The observed and the predicted agreement of held-out annotators with the vote of the others.

    :func:`split_panel_check` makes it.

    Attributes
    ----------
    observed, predicted : float
        Means over cases.
    p_value : float
        Two-sided p-value of no difference.
    n_cases : int
        Number of cases with enough annotators to hold some out.
    per_annotator : PanelParts or None
        The check of each annotator, held out in turn in all of their cases; None if annotators have no names or ``per_annotator=False``,
        and for ``"dawid_skene"``, which learns the skill of annotators from the labels that would be held out.
    bins : PanelParts
        The check in tenths of the predicted agreement; for ratings, in tenths of the predictive distribution.
    left_out : mapping
        Number of cases left out, by reason.
    n_effective : float
        Number of independent cases with the variance of ``observed``.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0]] * 5)
    >>> found = ugt.truth.split_panel_check(labels, prior="fit")
    >>> found.sentence().split("; ")[1]
    'observed 0.625 (95% interval 0.409 to 0.800, 20 cases).'
    """

    observed: float
    predicted: float
    p_value: float
    n_cases: int
    per_annotator: PanelParts | None
    bins: PanelParts
    left_out: Mapping[str, int]
    n_effective: float
    what: str = field(repr=False)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return Wilson's interval of the observed agreement, over cases."""
        low, high = wilson(np.array([self.observed]), np.array([self.n_effective]), check_level(level))[0]
        return float(low), float(high)

    def sentence(self, level: float = 0.95) -> str:
        """Return the result in words."""
        level = check_level(level)
        low, high = self.interval(level)
        return (
            f"{self.what} in {self.predicted:.3f} (predicted); observed {self.observed:.3f} ({100 * level:g}% interval {low:.3f} to "
            f"{high:.3f}, {self.n_cases:,} case{'s' * (self.n_cases != 1)})."
        )


class HeldAnnotations(NamedTuple):
    """The held-out annotations: row of the case, agreement, predicted agreement with its variance, and place in [0, 1] for the bins.

    The place is the predicted agreement, or the quantile of a rating.
    """

    row: Int64
    observed: Array
    predicted: Array
    variance: Array
    place: Array

    def among(self, kept: Any) -> HeldAnnotations:
        return HeldAnnotations(*(column[kept] for column in self))


@tells_joins
def split_panel_check(
    annotations: object,
    *,
    model: str = "auto",
    held: int = 1,
    clusters: object = None,
    per_annotator: bool = True,
    seed: object = 0,
    **options: Any,
) -> PanelCheck:
    """Compare how often held-out annotators agree with the vote of the others with the prediction of the truth model.

    ``held`` annotators of each case are held out at random. From the others the model computes the plausibilities λ, and their first class
    is their vote (tied classes have shares w_k). The expected agreement of an annotator like them is Σ w_k E λ_k; the observed agreement is
    w of the held-out class. With one annotator held out, the sum of the differences has the variance
    Σ [Σ_k w_k² E λ_k - (Σ_k w_k E λ_k)²] if the model is right. Dawid–Skene has one true class t per case, with the probabilities q_t
    given the others; E λ_k is then Σ_t q_t π_tk, with the confusions π of the annotator who is held out. For ratings, agreement means
    that the held-out rating is between the quartiles of its predictive distribution.

    Parameters
    ----------
    annotations : Labels, Rankings or Ratings
        Cases with at most ``held`` annotators are left out and counted.
    model : {"auto", "dirichlet", "prirn", "plackett_luce", "dawid_skene", "normal"}
        The truth model; ``"dawid_skene"`` needs labels with their annotators. ``"auto"``: ``"dirichlet"`` for labels, ``"prirn"`` for
        rankings, ``"normal"`` for ratings.
    held : int
        Number of annotators held out of each case; with more than one the variance is that over cases.
    clusters : (N,) ids, or mapping of case id to cluster, optional
        Cases that belong together: the variance is that over clusters.
    per_annotator : bool
        Whether each annotator is also held out of all of their cases, which takes one posterior per annotation.
    seed : int, Generator or SeedSequence
        The held-out annotators depend on the seed, the id of the case and the id of the annotator.
    **options
        Options of the truth model, such as ``prior`` and ``reliability``; a prior ``"fit"`` is fitted to all annotations.

    Returns
    -------
    PanelCheck

    Raises
    ------
    TypeError, ValueError
        If the model does not accept annotations of this kind, an option is out of range, or no case has enough annotators.

    Notes
    -----
    It shows whether the truth model predicts how annotators like these label, not whether they are right. With a fitted prior, the pooled
    numbers can agree even if one annotator differs from the others; also look at ``per_annotator``. With a prior that was fitted to the
    same annotations the p-value is conservative: at 0.05 it rejects a right model in 1 to 3%. The prediction for a label of a further
    annotator depends on α / γ only: the check cannot distinguish a wrong prior from a wrong reliability, and without a prior or background
    (``prirn``) the reliability does not change the prediction. Estimated skills (``"dawid_skene"``) that are taken as known reject a right
    model in 8 to 60% of simulated studies of 400 cases, most often with ten classes and three labels. A p-value below 0.05 is therefore
    found anew from 39 studies that are simulated from the fit, unless labels times classes are above 100,000: a right model was then
    rejected in 0 to 12% (60 data sets per design). Bins take the skills as known. For ratings with few values the middle half may hold
    more or less than half.

    References
    ----------
    Posterior predictive checks: Gelman et al., "Bayesian data analysis", sec. 6.3. Holm (1979); Wilson (1927).

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> labels = ugt.Labels.from_wide([rng.choice(3, 4, p=p) for p in rng.dirichlet([0.5] * 3, 200)])
    >>> default, fitted = ugt.truth.split_panel_check(labels), ugt.truth.split_panel_check(labels, prior="fit")
    >>> [round(x, 3) for x in (default.predicted, fitted.predicted, fitted.observed)]
    [0.745, 0.626, 0.64]
    """
    if model == "auto":
        model = "normal" if isinstance(annotations, Ratings) else "prirn" if isinstance(annotations, Rankings) else "dirichlet"
    checks.option("model", model, ("auto", *MODELS))
    if not isinstance(annotations, KINDS[model]):
        raise TypeError(Refusal("annotations", "be of a kind that " + arg("model", model) + " takes", type(annotations).__name__))
    if model == "normal" and options.get("prior", "fit") == "fit":
        options["prior"] = fit_normal_prior(annotations)
    elif model == "dirichlet" and isinstance(options.get("prior"), str):
        options["prior"] = fit_dirichlet_prior(annotations) if options["prior"] == "fit" else options["prior"]
    return Halves.of(annotations, held, clusters, seed).check(model, checks.flag("per_annotator", per_annotator), options)


class Halves(NamedTuple):
    """Annotations, of which some of each case are held out: one division serves truth models with several options.

    ``times``: how many equal cases each row of ``rest`` and ``out`` stands for; None: one.
    """

    annotations: Any
    rest: Any
    out: Any
    vote: Array | None  # (N, K) shares of the first classes of the rest; None for ratings
    group: Any  # (N,) cluster of each case, or None
    held: int
    seed: int
    times: Array | None = None

    @classmethod
    def of_rows(cls, labels: Labels, times: Array, seed: Any) -> Halves:
        """Hold one annotator out of each of the equal cases for which rows of counts stand: of each class as many as chance gives."""
        seed = seed_of(seed)
        rest, out, of = divided(labels, times, seed)
        if not out.n_labels:
            raise checks.error("annotations", "have a case of more than 1 annotators", "none")
        return cls(labels, rest, out, vote_of(rest), None, 1, seed, of)

    @classmethod
    def of(cls, annotations: Any, held: int, clusters: Any, seed: Any) -> Halves:
        """Hold ``held`` annotators out of each case, as :func:`split_panel_check` does."""
        rated = isinstance(annotations, Ratings)
        ids = annotations.case_ids if rated else annotations.axes.case_ids
        group = None if clusters is None else ids_of_cases("clusters", clusters, len(ids), ids)
        single = one_each(annotations) if isinstance(annotations, Labels) else annotations
        held = checks.whole("held", held)
        seed = seed_of(seed)
        out = held_out(single, stream_keys_of(ids), held, seed)
        if not out.any():
            raise checks.error("annotations", f"have a case of more than {held} annotators", "none")
        rest = keeping(single, ~out)
        return cls(annotations, rest, keeping(single, out), None if rated else vote_of(rest), group, held, seed)

    def check(self, model: str, per_annotator: bool, options: Mapping[str, Any]) -> PanelCheck:
        """Return the check of a truth model, one of ``MODELS``, with these options."""
        from .. import truth as makers  # noqa: PLC0415  (it imports this module)
        from . import skill_check  # noqa: PLC0415  (as this)

        if model == "dawid_skene":
            judge, per_annotator = partial(skill_check.of_skills, options=options), False
        else:
            make = partial(getattr(makers, model), **options)
            judge = partial(_of_ratings if model == "normal" else _of_classes, make=make)
        found = judge(self.rest, self.out, vote=self.vote)
        if not len(found.row):
            raise checks.error("annotations", f"have a case of more than {self.held} annotators", "none")
        summed = partial(_summed, group=self.group, independent=self.held == 1 and self.group is None, times=self.times)
        n_cases, observed, predicted, p_value, effective = summed(found)
        if model == "dawid_skene":
            p_value = skill_check.with_estimated_skills(self, summed, options, p_value)
        annotators = _of_annotators(self.annotations, judge, summed) if per_annotator else None
        of_all = self.rest.n_cases if self.times is None else int(self.times.sum())
        left_out = {TOO_FEW: of_all - n_cases} if n_cases < of_all else {}
        bins, what = _bins(found, summed, model == "normal"), MIDDLE if model == "normal" else VOTE
        return PanelCheck(observed, predicted, p_value, n_cases, annotators, bins, left_out, effective, what)


def vote_of(rest: Any) -> Array:
    """Return the shares (N, K) of the first classes."""
    checks.room("plausibilities of all cases", 24.0 * rest.n_cases * rest.n_classes)
    from .by_name import voted  # noqa: PLC0415  (it imports this module)

    return np.nan_to_num(voted(rest).membership(1))


def _of_classes(rest: Any, out: Any, make: Any, vote: Array | None = None) -> HeldAnnotations:
    """Return the held-out labels and rankings ``out``, compared with the truth from the ``rest``."""
    vote = vote_of(rest) if vote is None else vote
    mean = make(rest).mean()
    predicted = (vote * mean).sum(1)
    variance = (vote**2 * mean).sum(1) - predicted**2
    chosen = first_choices(out)
    row = chosen.case[distinct(chosen.opinion)[0]]
    return compared(chosen, vote, row, predicted[row], variance[row])


def compared(chosen: Any, vote: Array, row: Int64, predicted: Array, variance: Array) -> HeldAnnotations:
    """Return held-out first choices, compared with their predicted agreement with the vote."""
    observed = np.asarray(np.bincount(chosen.opinion, chosen.share * vote[chosen.case, chosen.label]), np.float64)
    found = HeldAnnotations(row, observed, predicted, np.maximum(variance, 0.0), predicted)
    return found.among(np.isfinite(found.predicted))


def _of_ratings(rest: Ratings, out: Ratings, make: Any, vote: None = None) -> HeldAnnotations:
    from scipy.special import stdtr  # noqa: PLC0415  (scipy is slow to import)

    law, row = make(rest), row_of(out.offsets)
    width = np.sqrt((1 + 1 / law.kappa) * law.scale / law.shape)
    u = stdtr(2 * law.shape[row], (out.value - law.location[row]) / width[row])
    n = len(row)
    found = HeldAnnotations(row, (np.abs(u - 0.5) <= 0.25) * 1.0, np.full(n, 0.5), np.full(n, 0.25), u)
    return found.among(np.isfinite(u))


def _summed(
    found: HeldAnnotations, group: Any, independent: bool, least: int = 1, times: Array | None = None
) -> tuple[int, float, float, float, float]:
    """Return the number of cases, the observed and predicted means, the p-value of the difference, and the effective number of cases.

    ``times``: how many equal cases each row stands for, of which one annotation each is held out, and which have no ``group``.
    """
    unit = found.row if group is None else group[found.row]
    (units, unit), (rows, row) = (np.unique(one, return_inverse=True) for one in (unit, found.row))
    unit, row, often, each = unit.reshape(-1), row.reshape(-1), 1.0 if times is None else times[found.row], np.float64(len(row))
    independent = independent and len(row) == len(rows)
    n, g = len(rows), len(units)
    if times is not None:
        n = g = int(times[rows].sum())
        each = np.float64(n)
    if n == 0:
        return 0, np.nan, np.nan, np.nan, np.nan
    weight = often / np.bincount(row)[row]
    observed, predicted = (float((weight * column).sum() / n) for column in (found.observed, found.predicted))

    def spread(deviation: Array) -> float:
        squares = np.bincount(unit, weight * deviation) ** 2
        return float((squares if times is None else squares / times[units]).sum() * g / max(g - 1, 1))

    variance = (found.variance * often).sum() if independent else spread(found.observed - found.predicted)
    gap = n * abs(observed - predicted)
    p_value = np.nan
    if n >= least and (independent or g > 1):
        p_value = 2 * above(gap / np.sqrt(variance), np.inf if independent else g - 1.0) if variance > 0 else float(gap < TINY)
    own = spread(found.observed - observed)
    effective = float(np.clip(n**2 * observed * (1 - observed) / own, g, each)) if own > 0 else float(g)
    return n, observed, predicted, float(p_value), effective


def _parts(names: object, found: list[tuple[int, float, float, float, float]]) -> PanelParts:
    kept = [i for i, one in enumerate(found) if one[0]]
    n, observed, predicted, p, effective = np.array([found[i] for i in kept]).reshape(-1, 5).T
    return PanelParts(np.asarray(names)[kept], n.astype(np.int64), observed, predicted, p, np.array(holm(p.tolist())), effective)


def _of_annotators(known: Any, judge: Any, summed: Any) -> PanelParts | None:
    """Return the check of each annotator, held out of all of their cases."""
    if not len(known.annotators):
        return None
    found = []
    for a, rows in enumerate(cases_of_annotators(known, np.arange(len(case_offsets(known)) - 1, dtype=np.int64))):
        held = judge(without(known, a, rows), without(known, a, rows, alone=True))
        found.append(summed(held._replace(row=rows[held.row]), least=LEAST))
    return _parts(known.annotators, found)


def _bins(found: HeldAnnotations, summed: Any, of_ratings: bool) -> PanelParts:
    """Return the check by tenths of the place; for ratings it compares the share in each tenth."""
    place = np.minimum((found.place * N_BINS).astype(np.int64), N_BINS - 1)
    edges = np.linspace(0, 1, N_BINS + 1)
    parts = []
    for b in range(N_BINS):
        inside = place == b
        if of_ratings:
            share = np.full(len(place), 1 / N_BINS)
            parts.append(summed(HeldAnnotations(found.row, inside * 1.0, share, share * (1 - share), found.place), least=LEAST))
        else:
            parts.append(summed(found.among(inside), least=LEAST))
    return _parts(np.stack([edges[:-1], edges[1:]], axis=1), parts)
