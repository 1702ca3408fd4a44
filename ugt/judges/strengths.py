"""Strengths of models from preferences: Bradley-Terry, Davidson and Plackett-Luce, with variances clustered by annotator and case."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._base import identifiers, notices
from .._base.arrays import Array, Int64, NDArray
from .._base.axes import Frozen
from .._base.checks import error, instance, option
from .._base.names import listed
from .._base.wording import arg
from ..resampling import check_level
from ..resampling.ranks import ComparesModels, ModelPairs, PairSpread, ranks_of_few, separated
from ..resampling.spread import RANDOM, Spread, df_of, few_annotators, half_width_of, say, total_of, unevenness, with_annotators
from .likelihoods import choices, davidson, maximum
from .preferences import Preferences

MODELS = ("bradley-terry", "davidson", "plackett-luce")


class StrengthDifference(NamedTuple):
    """The difference of the strengths of two models.

    ``value`` is the log odds that the first is preferred to the second (ties apart), ``share`` the probability; ``low`` and ``high`` are
    the ends of the interval of the value.
    """

    value: float
    low: float
    high: float
    share: float
    std_error: float
    df: float


DRAWS = 4000  # normal numbers for the joint level of all pairs


@dataclass(frozen=True, eq=False, repr=False)
class Strengths(Frozen, ComparesModels):
    """Strengths of models, from preferences of annotators; made by :func:`strengths`. :func:`ugt.rank_sets` takes them.

    Attributes
    ----------
    models : (M,) array
    value : (M,) array
        Log-strengths, whose mean is 0: the log odds that a model is preferred to another are the difference of their values.
    tie : float or None
        Davidson's ν: ties are ν / 2 times as frequent as decisions between equally strong models (ν / (2 + ν) of all). None: other models.
    model : str
    log_likelihood : float
    n_preferences, n_annotators, n_cases : int
        Cases count as many as there are preferences if they are not named.

    Examples
    --------
    >>> import ugt
    >>> first, second, preferred = list("AABBCCB"), list("BCACABC"), list("ACACABC")
    >>> found = ugt.judges.strengths(ugt.judges.Preferences.from_pairs(first, second, preferred))
    >>> found.order, found.value.round(2)
    (['A', 'C', 'B'], array([ 0.79, -0.98,  0.19]))
    """

    models: NDArray[Any]
    value: Array
    tie: float | None
    model: str
    log_likelihood: float
    n_preferences: int
    n_annotators: int
    n_cases: int
    _spread: Spread = field(repr=False)

    @property
    def order(self) -> list[Any]:
        """The models, the strongest first."""
        return [self.models[i].item() for i in np.argsort(-self.value, kind="stable")]

    def interval(self, model: object, level: float = 0.95, *, random: tuple[str, ...] = RANDOM) -> tuple[float, float]:
        """Return the interval of a model's log-strength, relative to the mean of all.

        Parameters
        ----------
        model : id
        level : float
        random : ("cases", "annotators") or ("cases",)
            Population of the interval: other cases and other annotators (default; needs named annotators), or the same annotators.

        Returns
        -------
        (low, high)
        """
        level = check_level(level)
        i = self._at(model)
        half = self._half(np.eye(len(self.models))[i], level, random)
        return float(self.value[i]) - half, float(self.value[i]) + half

    def difference(self, first: object, second: object, level: float = 0.95, *, random: tuple[str, ...] = RANDOM) -> StrengthDifference:
        """Return how much stronger a model is than another, with its interval.

        Parameters
        ----------
        first, second : ids of models
        level, random
            As for :meth:`interval`.
        """
        level = check_level(level)
        weights = np.eye(len(self.models))[self._at(first)] - np.eye(len(self.models))[self._at(second)]
        half, value = self._half(weights, level, random), float(weights @ self.value)
        parts = self._parts(weights[None], with_annotators(random))
        df = float(df_of(*parts, self._spread.n_units, self._effective(random))[0])
        return StrengthDifference(value, value - half, value + half, 1 / (1 + math.exp(-value)), math.sqrt(float(total_of(*parts)[0])), df)

    def places(self, level: float = 0.95, *, random: tuple[str, ...] = RANDOM) -> list[dict[str, Any]]:
        """Return one row per model, the strongest first, with the places that the data leave open.

        A model is behind another if the interval of their difference excludes 0, at a level at which the intervals of all pairs hold
        together, step by step as in :func:`ugt.rank_sets`. ``best`` place: 1 + the models before it; ``worst``: M less those behind it.
        A note says so if fewer than six annotators cannot show how others vary.

        Parameters
        ----------
        level, random
            As for :meth:`interval`.
        """
        level = check_level(level)
        for note in ranks_of_few(self._spread.effective) if with_annotators(random) else ():
            notices.note(note)
        lowest, highest = separated(self.value, self.compared(with_annotators(random)).spreads, level, DRAWS, 0).ranks
        rows = []
        for i in np.argsort(-self.value, kind="stable").tolist():
            low, high = self.interval(self.models[i].item(), level, random=random)
            value, places = float(self.value[i]), {"best": int(lowest[i]), "worst": int(highest[i])}
            rows.append({"model": self.models[i].item(), "value": value, "low": low, "high": high, **places})
        return rows

    def compared(self, annotators: bool) -> ModelPairs:
        """Return the models, and the spreads of their differences over cases, or over cases and annotators."""
        random = RANDOM if annotators else RANDOM[:1]
        self._check(random)
        first, second = np.triu_indices(len(self.models), 1)
        unit = np.eye(len(self.models))
        cases, people, each = self._parts(unit[first] - unit[second], annotators)
        total, apart, effective = total_of(cases, people, each), self.value[first] - self.value[second], self._effective(random)

        def interval(i: int, level: float) -> tuple[float, float]:
            half = float(half_width_of(cases[i], people[i], each[i], self._spread.n_units, effective, 0.5 + level / 2))
            return float(apart[i]) - half, float(apart[i]) + half

        spreads = [PairSpread(float(total[i]), partial(interval, i), effective) for i in range(len(first))]
        return ModelPairs(tuple(map(str, self.models.tolist())), self.value, spreads)

    def _at(self, model: object) -> int:
        found = np.flatnonzero(self.models == model)
        if len(found) != 1:
            raise error("model", f"be one of the {len(self.models)} models", identifiers.name(model))
        return int(found[0])

    def _check(self, random: tuple[str, ...]) -> None:
        if with_annotators(random):
            if not self.n_annotators:
                way = "or give " + arg("random", ("cases",))
                raise error("annotators", "be named for intervals over other annotators", "none", way=way)
            reason = self._spread.reasons[0]
            say(reason, [] if reason else few_annotators(self.n_annotators))

    def _effective(self, random: tuple[str, ...]) -> float:
        """Return the number of annotators that counts; without random ones, one that leaves the others' degrees of freedom."""
        return self._spread.effective if with_annotators(random) else 1e9

    def _parts(self, weights: Array, both: bool) -> tuple[Array, Array, Array]:
        cases, annotators, each = (np.einsum("pi,ij,pj->p", weights, one, weights) for one in self._spread[:3])
        return (cases, annotators, np.maximum(each, 0)) if both else (cases, 0 * cases, 0 * cases)

    def _half(self, weights: Array, level: float, random: tuple[str, ...]) -> float:
        self._check(random)
        parts = self._parts(weights[None], with_annotators(random))
        return float(half_width_of(*parts, self._spread.n_units, self._effective(random), 0.5 + level / 2)[0])


def strengths(preferences: Preferences, *, model: str | None = None) -> Strengths:
    r"""Return the strengths of models that make the preferences most likely.

    With strengths :math:`π_i = e^{θ_i}`, the probability that model i is chosen from a set S of offered ones is
    :math:`π_i / \sum_{k ∈ S} π_k` (Bradley & Terry for pairs; Plackett & Luce, where the next one is chosen from the rest). For pairs with
    ties Davidson has :math:`π_i / (π_i + π_j + ν \sqrt{π_i π_j})`, and :math:`ν \sqrt{π_i π_j}` over the same sum for a tie.

    Parameters
    ----------
    preferences : Preferences
    model : {"bradley-terry", "davidson", "plackett-luce"}, optional
        Default: Plackett-Luce if more than two models were offered, Davidson for pairs with ties, otherwise Bradley-Terry.

    Returns
    -------
    Strengths
        Its intervals are over cases and annotators. Preferences of an annotator depend on each other, as do those of a case.

    Raises
    ------
    TypeError
        If preferences are of another kind.
    ValueError
        If the strengths are not finite: some models were never preferred to others, or ties keep to the order of the models, as below. If
        the model does not fit ties or subsets.

    Notes
    -----
    Variances are sandwiches clustered by cases, by annotators and by both, which stand in for V_c, V_a and V_e of :class:`TwoWay`. They do
    not need the model to be right. Strengths say how often models are preferred, not how often they are right.

    With ties, strengths are finite only if a cycle of models, each preferred to the next or tied with it, has more preferences than ties.
    If A is preferred to B or tied with it, but never behind it, ν and the difference grow without end.

    References
    ----------
    Bradley & Terry, Biometrika 39 (1952) 324. Davidson, JASA 65 (1970) 317, eq. 2. Plackett, Applied Statistics 24 (1975) 193. Ford,
    American Mathematical Monthly 64 (1957) 28 (when strengths are finite). Cameron, Gelbach & Miller, Journal of Business & Economic
    Statistics 29 (2011) 238 (two-way clusters).

    Examples
    --------
    >>> import ugt
    >>> pairs = ugt.judges.Preferences.from_pairs(list("ABAB"), list("BABA"), ["A", "B", "tie", "A"])
    >>> found = ugt.judges.strengths(pairs)
    >>> found.model, round(float(found.value[0] - found.value[1]), 3), round(found.tie, 3)
    ('davidson', 0.693, 0.707)
    """
    instance("preferences", preferences, Preferences, "be Preferences")
    if not preferences.n_preferences:
        raise error("preferences", "hold at least one preference", 0)
    name = _model_of(preferences) if model is None else option("model", model, MODELS)
    if preferences.tied.any() and name != "davidson":
        i = int(np.argmax(preferences.tied))
        must = f"have no ties for model {name!r} (use 'davidson')"
        raise error("preferences", must, f"{int(preferences.tied.sum())} ties", f"preference {i}")
    if name != "plackett-luce":
        preferences.pairs()
    if preferences.tied.all():
        raise error("preferences", "hold a preference that is not a tie", f"{preferences.n_preferences} ties")
    _check_finite(preferences)
    if preferences.tied.any():
        _check_finite_ties(preferences)
    m, ties = len(preferences.models), name == "davidson" and bool(preferences.tied.any())
    fit, scores = (davidson if ties else choices)(preferences)
    theta, slope = maximum(fit, m + ties)
    value = theta[:m] - theta[:m].mean()
    spread = _spread_of(preferences, scores(theta), slope.curvature, m)
    n_cases = len(preferences.cases) or preferences.n_preferences
    tie = math.exp(theta[m]) if ties else 0.0 if name == "davidson" else None
    return Strengths(
        preferences.models, value, tie, name, slope.value, preferences.n_preferences, len(preferences.annotators), n_cases, spread
    )


def _model_of(preferences: Preferences) -> str:
    return "plackett-luce" if (np.diff(preferences.offsets) > 2).any() else "davidson" if preferences.tied.any() else "bradley-terry"


def _check_finite(preferences: Preferences) -> None:
    """Refuse preferences in which some models are never preferred to any of the others: their strengths would be infinite."""
    from scipy.sparse import coo_matrix  # noqa: PLC0415  (scipy is slow to import)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    _, options = preferences.stages()
    tied = preferences.item[preferences.offsets[:-1][preferences.tied][:, None] + np.arange(2)].astype(np.intp)
    edges = [(one[:, [0] * (one.shape[1] - 1)].ravel(), one[:, 1:].ravel()) for one in (*options, tied, tied[:, ::-1])]
    preferred, loser = (np.concatenate([edge[k] for edge in edges]) for k in (0, 1))
    m = len(preferences.models)
    n, part = connected_components(coo_matrix((np.ones(len(preferred)), (preferred, loser)), (m, m)), connection="strong")
    if n > 1:
        apart = part[preferred] != part[loser]
        wins, losses = (np.bincount(part[one[apart]], minlength=n) for one in (preferred, loser))
        odd = np.flatnonzero((wins == 0) | (losses == 0))  # at least two groups, as the order of groups has no cycle
        h = odd[np.argmin(np.bincount(part, minlength=n)[odd])]
        who = listed([repr(one) for one in preferences.models[part == h].tolist()], 5)
        how = "never preferred to" if losses[h] else "never behind" if wins[h] else "never compared with"
        must = (
            "have models that are both preferred to others and behind others, as a group too, for finite strengths (leave such models out)"
        )
        raise error("preferences", must, f"{who} {how} the others")


def _check_finite_ties(preferences: Preferences) -> None:
    """Refuse ties in the order of the models: the more decided all preferences, the more likely those of Davidson's model.

    Log-strengths d and log ν grow together without an end, and no preference becomes less likely, if d_i - d_j >= 2 for each i preferred to
    j and |d_i - d_j| <= 2 for each tie. These bounds contradict each other if and only if some cycle has more preferences than ties.
    Bounds with 0 in place of 2 are those of :func:`_check_finite`; ties rule out a ν that falls to 0.
    """
    from scipy.sparse import coo_matrix  # noqa: PLC0415  (scipy is slow to import)
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford  # noqa: PLC0415

    m, pairs, tied = len(preferences.models), preferences.pairs().astype(np.int64), preferences.tied
    wins = np.unique(pairs[~tied] @ [m, 1])
    ties = np.setdiff1d(np.concatenate([pairs[tied] @ [m, 1], pairs[tied] @ [1, m]]), wins)  # the shorter of two ways counts
    edges, lengths = np.concatenate([wins, ties]), np.repeat([-1.0, 1.0], [len(wins), len(ties)])
    try:
        bellman_ford(coo_matrix((lengths, np.divmod(edges, m)), (m, m)).tocsr(), indices=0)  # all models can be reached from the first
    except NegativeCycleError:
        return
    must = "have a cycle with more preferences than ties, such as two models each preferred to the other, for finite strengths with ties"
    raise error("preferences", f"{must} (add preferences, or compare other models)", f"{len(tied)}, {int(tied.sum())} of them ties")


def _spread_of(preferences: Preferences, scores: Any, curvature: Array, m: int) -> Spread:
    """Return the sandwiches (M, M) clustered by cases, annotators and both."""
    from scipy.sparse import coo_matrix  # noqa: PLC0415  (scipy is slow to import)

    entries, row, column = scores
    bread = np.linalg.pinv(curvature, rcond=1e-12, hermitian=True)[:m]  # of strengths, whose mean is 0
    n = preferences.n_preferences
    case = preferences.case.astype(np.int64) if len(preferences.cases) else np.arange(n)
    n_cases, n_annotators = int(case.max()) + 1, len(preferences.annotators)

    def meat(unit: Int64) -> Array:
        g = int(unit.max()) + 1
        sums = coo_matrix((entries, (unit[row], column)), (g, len(curvature))).tocsr()
        return np.asarray(bread @ (sums.T @ sums).toarray() @ bread.T, np.float64)

    nothing = np.full((m, m), math.nan)
    of_cases = meat(case) * _correction(n_cases)
    if not n_annotators:
        return Spread(of_cases, nothing, nothing, n_cases, 0, {}, ("annotators are not named",))
    who = preferences.annotator.astype(np.int64)
    both = np.unique(case * n_annotators + who, return_inverse=True)[1].reshape(-1)
    share = np.bincount(who) / n
    if n_annotators < 2:
        return Spread(of_cases, nothing, nothing, n_cases, 1, {}, ("one annotator does not show how annotators differ",))
    of_annotators = meat(who) * _correction(n_annotators)
    of_both = meat(both) * _correction(int(both.max()) + 1)
    return Spread(of_cases, of_annotators, of_both, n_cases, n_annotators, {}, (None,), effective=unevenness(share)[1])


def _correction(n: int) -> float:
    return n / (n - 1) if n > 1 else math.nan
