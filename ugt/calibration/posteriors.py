"""Predicted laws of class probabilities: their likelihood given labels, and the laws given labels [B]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import Frozen
from .._base.checks import error, room
from .._base.notes import Note
from .._base.notices import note
from .._base.ragged import offsets_of, row_of
from .._base.wording import FLOOR_WAY
from .._core import _dirmult
from ..annotations.joins import tells_joins
from ..annotations.named import names_of
from ..annotations.named import table as in_order
from ..annotations.probabilities import OUTSIDE
from ..plausibilities import Dirichlet, Draws
from ..plausibilities.made_of import INFORMED
from ..resampling import seed_of
from .input import whole_counts
from .logits import LARGEST, LabelTable, LogitTable, array_of
from .many_labels import log_probability

KINDS = ("dirichlet", "probability")
MANY = 100  # labels, from which on the logarithm of the number of orders and the log-likelihood of an order cancel


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The counts of the observed classes of each case, and the logarithms of their mean probabilities."""

    offsets: Int64
    log_share: Array
    count: Array
    n: Array  # (N,) number of labels of each case

    @classmethod
    def of(cls, histograms: LabelTable, predictions: LogitTable, floor: float | None) -> Likelihood:
        """Read histograms and predictions in blocks; refuse an observed class of probability 0 unless a floor is given."""
        sizes, shares, counts = [], [], []
        for begin, end in predictions.blocks():
            y, z = histograms.block(begin, end).T, predictions.given(begin, end)
            seen = y > 0
            sizes.append(seen.sum(axis=1))
            share = z[seen] if floor is None else np.maximum(z[seen], floor)
            if not (share > 0).all():
                i, k = (int(j) for j in np.argwhere(seen & ~(z > 0))[0])
                must = "be above 0 for every class that was observed"
                raise error("predictions", must, z[i, k], f"case {begin + i}, class {k}", way=FLOOR_WAY)
            shares.append(np.minimum(share, 1.0))
            counts.append(y[seen])
        offsets, count = offsets_of(np.concatenate(sizes)), np.concatenate(counts)
        n = np.asarray(np.bincount(row_of(offsets), count, len(offsets) - 1), np.float64)
        return cls(offsets, np.log(np.concatenate(shares)), count, n)

    def at(self, log_total: Array) -> Array:
        """Return (3, N): log-likelihood of each case's labels in an order, and two derivatives by the log concentration (N,)."""
        out = np.empty((3, len(log_total)))
        _dirmult.log_likelihood(self.offsets, self.log_share, self.count, np.ascontiguousarray(log_total), out)
        return out

    def tells(self) -> Bools:
        """Return (N,) whether the likelihood depends on the concentration: two or more labels, and a class that is not certain."""
        return (self.n > 1) & (np.bincount(row_of(self.offsets), self.log_share < 0, len(self.n)) > 0)

    def coefficient(self) -> Array:
        """Return (N,) log n! / Π y_k!."""
        from scipy.special import gammaln  # noqa: PLC0415  (scipy is slow to import)

        return np.asarray(gammaln(self.n + 1) - np.bincount(row_of(self.offsets), gammaln(self.count + 1), len(self.n)))


def dirichlet_multinomial_log_likelihood(counts: object, alpha: object, *, coefficient: bool = True) -> Array:
    r"""Return the log-likelihood of each case's label counts y, n in total, under Dirichlet(α) laws of the class probabilities.

    .. math:: \log\frac{n!}{\prod_k y_k!} + \log\frac{Γ(α_0)}{Γ(α_0 + n)} + \sum_k \log\frac{Γ(α_k + y_k)}{Γ(α_k)}

    Parameters
    ----------
    counts : (N, K) array or Labels
        Labels of each case by class, whole numbers.
    alpha : (N, K) array
        Concentrations, at least 0 and not all 0, with a sum of at most 1e100.
    coefficient : bool
        Whether to include the first term; without it, the result is for the labels in a fixed order.

    Returns
    -------
    (N,) array
        Log-likelihoods: 0 for a case without labels, -inf if an observed class has α = 0.

    Raises
    ------
    ValueError
        If shapes do not fit or a number is out of range; the message names the first case.

    Notes
    -----
    It is computed as a sum over labels, not as a difference of log-gammas, and is equally accurate for α of 1e-12 and of 1e12. With many
    labels the two terms of opposite sign would cancel; their sum is then computed as one, from remainders of Stirling's formula.

    References
    ----------
    [B] Mimori et al. (2021), appendix D.2. Loader (2000), "Fast and accurate computation of binomial probabilities".

    Examples
    --------
    >>> import ugt
    >>> ugt.calibration.dirichlet_multinomial_log_likelihood([[2, 0], [1, 1]], [[1.0, 1.0], [1.0, 1.0]]).round(4)
    array([-1.0986, -1.0986])
    """
    _, case_ids, classes = names_of("counts", counts)
    y = whole_counts(counts)
    laws = _laws("alpha", in_order("alpha", alpha, case_ids, classes), y.shape, "dirichlet", members=False)[0]
    likelihood, log_total = _likelihood(y, laws)
    found = likelihood.at(log_total)[0]
    if not checks.flag("coefficient", coefficient):
        return np.asarray(found)
    orders = likelihood.coefficient()
    many = (likelihood.n > MANY) & (orders > 0) & np.isfinite(found)
    found = found + orders
    found[many] = log_probability(y[many], laws[many])
    return np.asarray(found)


@dataclass(frozen=True, eq=False, repr=False)
class LabelPosterior(Frozen):
    """The laws of class probabilities given labels: a mixture of S laws for each case.

    Attributes
    ----------
    weights : (S, N) array
        Weights of the members; they add up to 1 for each case.
    mean : (N, K) array
        Probabilities of the next label.
    members : (S, N, K) array
        Concentrations of the members, or their probabilities if these were given.
    log_evidence : (N,) array
        Log-likelihood of the labels, in a fixed order, under the mixture without labels. If no member allows the labels of a case, it is
        -inf and the weights are NaN.
    kind : {"dirichlet", "probability"}
        Kind of the members.

    Examples
    --------
    >>> import ugt
    >>> found = ugt.calibration.label_posterior([[2.0, 2.0]], [[3, 1]])
    >>> found.mean, found.members
    (array([[0.625, 0.375]]), array([[[5., 3.]]]))
    """

    weights: Array
    mean: Array
    members: Array
    log_evidence: Array
    kind: str = "dirichlet"
    _case_ids: NDArray[Any] | None = field(default=None, repr=False)
    _classes: NDArray[Any] | None = field(default=None, repr=False)

    def plausibilities(
        self, n_draws: int = 1000, *, seed: object = 0, case_ids: object = None, classes: object = None
    ) -> Dirichlet | Draws:
        """Return the laws as a truth, p(λ | b, x) [A eq. 1]: exact for a single Dirichlet law, otherwise draws of the mixture.

        Metrics also take the record itself, with these defaults. A case is undefined if no member allows its labels.

        Warns
        -----
        UserWarning
            Always: a truth that models informed cannot judge these models, nor models that are derived from them.
        """
        note(Note("truth_of_a_model", INFORMED))
        case_ids, classes = self._case_ids if case_ids is None else case_ids, self._classes if classes is None else classes
        n_members, n, k = self.members.shape
        if n_members == 1 and self.kind == "dirichlet":
            return Dirichlet.from_array(
                np.where(np.isnan(self.weights[0])[:, None], np.nan, self.members[0]), case_ids=case_ids, classes=classes
            )
        n_draws = checks.whole("n_draws", n_draws)
        room("draws of all members", 16 * n * n_draws * k)
        word = seed_of(seed)
        # the first of two classes with prior 1 has a uniform plausibility, which chooses the member of each draw
        uniform = Dirichlet.from_array(np.ones((n, 2)), case_ids=case_ids).draws(n_draws, seed=word)[..., 0]
        member = np.minimum((np.cumsum(self.weights, axis=0)[:, :, None] < uniform).sum(axis=0), n_members - 1)
        found = np.full((n, n_draws, k), np.nan)
        for s, law in enumerate(self.members):
            one = (
                Dirichlet.from_array(law, case_ids=case_ids).draws(n_draws, seed=(word + s + 1) % 2**64)
                if self.kind == "dirichlet"
                else law[:, None]
            )
            found = np.where((member == s)[:, :, None], one, found)
        found[np.isnan(self.weights).any(axis=0)] = np.nan
        return Draws.from_array(found, case_ids=case_ids, classes=classes)


@tells_joins
def label_posterior(predictions: object, counts: object, *, kind: str = "dirichlet", weights: object = None) -> LabelPosterior:
    """Return the laws of class probabilities given predictions and labels of the same cases.

    Dirichlet(α) becomes Dirichlet(α + y). Members s of an ensemble, Dirichlet laws or point predictions, are weighted by their likelihood
    of the labels: ``w_s ∝ w_s DirMult(y | α_s)``, or ``w_s Π_k z_sk^y_k``, computed in logarithms.

    Parameters
    ----------
    predictions : (N, K) or (S, N, K) array
        Concentrations or probabilities, as ``kind`` says; three axes hold S members.
    counts : (N, K) array or Labels
        The labels y.
    kind : {"dirichlet", "probability"}
        Kind of the predictions: concentrations (at least 0, not all 0, with a sum of at most 1e100), or probabilities that add up to 1
        (within 1e-4).
    weights : (S,) array, optional
        Weights of the members without labels. Default: equal.

    Returns
    -------
    LabelPosterior

    Raises
    ------
    ValueError
        If shapes do not fit or a number is out of range; the message names the first case.

    References
    ----------
    [B] Mimori et al. (2021), sec. 4 and 5 (Dirichlet laws and ensembles as laws of class probabilities).

    Examples
    --------
    >>> import ugt
    >>> ensemble = [[[0.9, 0.1]], [[0.5, 0.5]]]
    >>> found = ugt.calibration.label_posterior(ensemble, [[1, 2]], kind="probability")
    >>> found.weights.round(3).tolist(), found.mean.round(3).tolist()
    ([[0.067], [0.933]], [[0.527, 0.473]])
    """
    dirichlet = checks.option("kind", kind, KINDS) == "dirichlet"
    _, case_ids, classes = names_of("counts", counts)
    y = whole_counts(counts)
    laws = _laws("predictions", in_order("predictions", predictions, case_ids, classes), y.shape, kind)
    prior = _prior(weights, len(laws))
    checks.room("the laws of all members", 16 * laws.size)
    with np.errstate(divide="ignore"):
        if dirichlet:
            logs = np.stack([likelihood.at(log_total)[0] for likelihood, log_total in (_likelihood(y, law) for law in laws)])
            members = laws + y
        else:
            logs = np.stack([(y * np.log(np.where(y > 0, law, 1.0))).sum(axis=1) for law in laws])
            members = laws
        logs = logs + np.log(prior)[:, None]
    top = logs.max(axis=0)
    possible = np.isfinite(top)
    shares = np.exp(logs - np.where(possible, top, 0.0))
    total = shares.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = shares / total
        evidence = np.where(possible, top + np.log(total), -np.inf)
    mean = np.einsum("sn,snk->nk", share, members / members.sum(axis=2, keepdims=True))
    return LabelPosterior(share, mean, members, evidence, kind, case_ids, classes)


def _likelihood(y: Array, alpha: Array) -> tuple[Likelihood, Array]:
    """Return the likelihood, made of sparse counts and log shares, and the log concentration of each case."""
    log_total = np.log(alpha.sum(axis=1))
    seen = y > 0
    with np.errstate(divide="ignore"):
        # a difference of logarithms, because the quotient may underflow; rounding must not lift it above 0
        share = np.minimum(np.log(alpha[seen]) - np.repeat(log_total, seen.sum(axis=1)), 0.0)
    return Likelihood(offsets_of(seen.sum(axis=1)), share, y[seen], y.sum(axis=1)), log_total


def _laws(argument: str, given: object, shape: tuple[int, ...], kind: str, members: bool = True) -> Array:
    """Return checked laws as (S, N, K)."""
    table = array_of(argument, given)
    axes = (2, 3) if members else (2,)
    if table.dtype.kind not in "biuf" or table.ndim not in axes or table.shape[-2:] != shape or 0 in table.shape:
        must = f"be numbers of shape {shape}" + (f" or (S, {shape[0]}, {shape[1]})" if members else "") + ", as the counts"
        raise checks.error(argument, must, f"{table.dtype} of shape {table.shape}")
    checks.room(argument, 9 * table.size)
    laws = np.asarray(table if table.ndim == 3 else table[None], np.float64)
    with np.errstate(over="ignore"):
        total = laws.sum(axis=2)
    if kind == "dirichlet":
        bad = ~((laws >= 0) & np.isfinite(laws)).all(axis=2) | ~((total > 0) & (total <= LARGEST))
        must = f"be concentrations, at least 0 and not all 0, with a sum of at most {LARGEST:g}"
    else:
        bad = ~((laws >= -OUTSIDE) & (laws <= 1 + OUTSIDE)).all(axis=2) | ~(np.abs(total - 1) <= 1e-4)
        must = "be probabilities that add up to 1 for every case"
    if bad.any():
        s, i = (int(x) for x in np.argwhere(bad)[0])
        where = f"case {i}" + (f" of member {s}" if len(laws) > 1 else "")
        raise checks.error(argument, must, laws[s, i].tolist(), where)
    return laws if kind == "dirichlet" else np.clip(laws, 0.0, 1.0)


def _prior(weights: object, n: int) -> Array:
    if weights is None:
        return np.full(n, 1 / n)
    array = array_of("weights", weights)
    if array.dtype.kind not in "biuf" or array.shape != (n,) or not ((array >= 0) & np.isfinite(array)).all() or not array.any():
        raise checks.error("weights", f"be {n} finite numbers of at least 0, not all 0, one per member", repr(weights))
    array = array / array.max()  # the sum of the largest numbers would overflow
    return np.asarray(array / array.sum(), np.float64)
