"""The alternative annotator test of Calderon, Reichart & Dror (2025)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.axes import Frozen
from .._base.lazy import cached_property
from ..annotations.joins import tells_joins
from ..resampling import Answer, Design, Merging, Quotients, Result, finished, ids_of_cases, over, replicated
from .input import WHY, check_stated, compare
from .record import Judging, OfAnnotations
from .sums import distances_to_others

EQUAL = 1e-12  # distances that are relatively this close are equal
NOBODY = "no annotator has {} or more cases that others labelled too"
BY_CLUSTERS = "no p-values: a test over clusters needs the cases of each cluster together"


class Tested(NamedTuple):
    """The tests of A annotators who have enough cases: p-values, rejections, their share, and whether that is half or more."""

    p_value: Array
    rejected: Bools
    winning_rate: float
    passed: bool

    @classmethod
    def of(cls, difference: Array, error: Array, n: Array, epsilon: float, q: float) -> Tested:
        """Return the result from means of differences over n cases or clusters, and their standard errors."""
        p_value = np.array([t_test(*one, epsilon) for one in zip(difference.tolist(), error.tolist(), n.tolist())])
        rejected = benjamini_yekutieli(p_value, q)
        return cls(p_value, rejected, float(rejected.mean()), bool(rejected.mean() >= 0.5))


class Advantages(Judging, Quotients):
    """ρ^f and ρ^h of A annotators, by their positions (-1 for those who gave no label), after the mean of ρ^f.

    The sums are the number of cases, wins of the model, wins of the annotator and squared differences of the two, each (A,).
    """

    span = (0.0, 1.0)

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        named = self.settings["annotators"]
        return ("value", *(f"model in the place of {one}" for one in named), *(f"annotator {one}" for one in named))

    @property
    def _spans(self) -> Array:
        """The ranges (M, 2) of shares, also without data."""
        return np.tile(self.span, (len(self.names), 1))

    @cached_property
    def averaged(self) -> NDArray[np.intp]:  # type: ignore[override]
        return np.arange(len(self.settings["annotators"]))

    def read(self) -> None:
        inside, wins, losses = nearer(*distances_to_others(self.compared, self._more))
        self.columns = np.concatenate([inside & one for one in (inside, wins, losses, wins != losses)], axis=1).astype(np.float64)

    @property
    def kept(self) -> Bools:
        return np.asarray(self.columns.any(axis=1))

    def parts(self, table: Array) -> tuple[Array, Array]:
        n, wins, losses, _ = np.split(table, 4, axis=1)
        return np.concatenate([wins, losses], axis=1), np.concatenate([n, n], axis=1)

    def _of(self, sums: Array) -> Advantages:
        """Return the statistic whose mean is over the annotators with enough cases."""
        one = copy(self)
        one.averaged = np.flatnonzero(np.rint(_cases_of(sums)) >= self.settings["options"]["least_cases"])
        return one

    def numbers(self, sums: Array) -> dict[str, Array]:
        """Return the numbers of all annotators; NaN for those who are not in the mean."""
        n = np.split(sums, 4, axis=1)[0]
        judged = np.isin(np.arange(n.shape[1]), self.averaged)
        advantage, behind = (np.where(judged, one, np.nan) for one in np.split(self.answer(sums)[:, 1:], 2, axis=1))
        return {"n_cases": n, "advantage": advantage, "annotator_advantage": behind}

    @property
    def merging(self) -> Merging:
        return super().merging._replace(finish=self._finish, replicated=self._replicated, groups=lambda sums, fixed: _cases_of(sums))

    def test(self, sums: Array) -> Tested:
        """Test the annotators in the mean with Student's t over cases, from sums (S,), which are whole numbers."""
        n, wins, losses, squares = np.rint(sums.reshape(4, -1)[:, self.averaged])
        spread = n * squares - (losses - wins) ** 2  # n² times the variance
        error = over(np.sqrt(over(spread, n - 1)), n)
        return Tested.of((losses - wins) / n, error, n, self.settings["options"]["epsilon"], self.settings["options"]["q"])

    def _replicated(self, sums: Array, replicates: Array) -> tuple[Array, dict[str, Array]]:
        """Return the replicates for the annotators who have enough cases in the data."""
        return replicated(self._of(sums), sums, replicates)

    def _finish(self, sums: Array, fixed: Array, left_out: Mapping[str, int]) -> Answer:
        """Return the answer with the test, unless clusters were resampled."""
        one, names, options = self._of(sums), self.settings["annotators"], self.settings["options"]
        found = finished(one, sums, fixed, left_out)
        clusters, judged = self.settings.get("units") == "clusters", one.averaged
        test: dict[str, Any] = {name: np.full(len(names), np.nan) for name in ("p_value", "rejected")}
        test.update(winning_rate=math.nan, passed=math.nan)
        if len(judged) and not clusters:
            tested = one.test(sums)
            test["p_value"][judged], test["rejected"][judged] = tested.p_value, tested.rejected
            test.update(winning_rate=tested.winning_rate, passed=float(tested.passed))
        reason = NOBODY.format(options["least_cases"]) if len(judged) == 0 else BY_CLUSTERS if clusters else None
        return Answer(found.value, {"annotators": np.array(names), **found.numbers, **test}, reason)


def _cases_of(sums: Array) -> Array:
    """Return the number of cases of each annotator."""
    return np.split(sums, 4)[0]


@dataclass(frozen=True, eq=False, repr=False)
class AlternativeAnnotatorTest(OfAnnotations, Result, Frozen):
    """The test whether a model represents the annotators as well as one of them; made by :func:`alternative_annotator_test`.

    Attributes
    ----------
    value : float
        ρ, the average advantage: mean of ``advantage``, for comparing models.
    annotators, n_cases : (A,) arrays
        Ids of the annotators compared, and the cases that each labelled together with another one.
    advantage, annotator_advantage : (A,) arrays
        ρ^f, share of these cases in which the model is at least as close to the others as the annotator is; ρ^h, share in which the
        annotator is at least as close as the model.
    p_value, rejected : (A,) arrays, the second of bool
        One-sided, of H0: ρ^f <= ρ^h - ε; H0 rejected with the false discovery rate q (Benjamini-Yekutieli): the model wins against this
        annotator.
    winning_rate, passed : float, bool
        ω, share of the annotators that it wins against; ω >= 0.5.
    epsilon, q : float
    too_few, left_out : mappings
        Annotators who are not compared because they have fewer than ``least_cases`` cases, with their number of cases; cases that
        count for no annotator, by reason.

    Notes
    -----
    The numbers that are resampled together are ``value`` and those of ``advantage`` and ``annotator_advantage``.

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(100, 3, 4, seed=2)
    >>> found = ugt.humans.alternative_annotator_test(labels, truth.argmax(1))
    >>> found.winning_rate, found.passed, found.advantage.round(2).tolist()
    (1.0, True, [1.0, 0.98, 0.98, 0.98])
    """

    value: float
    annotators: NDArray[Any]
    n_cases: Int64
    advantage: Array
    annotator_advantage: Array
    p_value: Array
    rejected: Bools
    winning_rate: float
    passed: bool
    epsilon: float
    q: float
    too_few: Mapping[str, int]
    left_out: Mapping[str, int]
    _statistic: Advantages = field(repr=False)

    def over_clusters(self, clusters: object) -> AlternativeAnnotatorTest:
        """Return the same test for data in which cases of a cluster, such as a patient, depend on each other.

        Parameters
        ----------
        clusters : (N,) ids, mapping of case id to id, or (case ids, ids)

        Returns
        -------
        AlternativeAnnotatorTest
            With p-values of t from the sums of clusters (G - 1 degrees of freedom), and the decisions that follow from them.
        """
        ids = ids_of_cases("clusters", clusters, self._statistic.n_cases, self.case_ids)
        identifiers.number("clusters", ids)
        n, wins, losses, _ = np.split(self._statistic.columns, 4, axis=1)
        spread = [clustered_error((losses - wins)[inside, j], ids[inside]) for j, inside in enumerate((n > 0).T)]
        errors, units = (np.array(column) for column in zip(*spread))
        tested = Tested.of(self.annotator_advantage - self.advantage, errors, units, self.epsilon, self.q)
        return replace(self, **tested._asdict())

    def table(self) -> list[dict[str, Any]]:
        """Return one row per annotator: ``annotator, n_cases, advantage, annotator_advantage, p_value, rejected``."""
        names = ("n_cases", "advantage", "annotator_advantage", "p_value", "rejected")
        columns = zip(*(getattr(self, name).tolist() for name in names))
        return [{"annotator": str(one), **dict(zip(names, row))} for one, row in zip(self.annotators.tolist(), columns)]


@tells_joins
def alternative_annotator_test(
    annotations: object,
    predictions: object,
    *,
    distance: object = "zero-one",
    values: object = None,
    epsilon: float = 0.2,
    q: float = 0.05,
    least_cases: int = 30,
    missing: str = "error",
) -> AlternativeAnnotatorTest:
    r"""Test whether the model is as close to the other annotators as each annotator is.

    For annotator j and case i, with d the mean distance to the labels of the others,
    :math:`W^f_{ij} = 1[d(m^i) \le d(Y^i_j)]` and :math:`W^h_{ij} = 1[d(Y^i_j) \le d(m^i)]` (both 1 if they are equal). Their means
    over cases are :math:`ρ^f_j` and :math:`ρ^h_j`. The model wins against j if :math:`H_0: ρ^f_j \le ρ^h_j - ε` is rejected; it passes
    the test if it wins against at least half of the annotators.

    Parameters
    ----------
    annotations, predictions, distance, values, missing
        As for :func:`discrepancy_ratio`; annotations must name their annotators. ``"zero-one"`` is the accuracy of the authors,
        ``"squared"`` their negative root mean squared error (the same order of distances).
    epsilon : float
        ε >= 0: how much the model may be behind, in return for being cheaper. The authors advise 0.2 for annotators who are experts, 0.15
        for trained annotators, 0.1 for a crowd. 0: at least as good.
    q : float
        False discovery rate, in (0, 1).
    least_cases : int
        Annotators with fewer cases are not compared: the t-test needs about 30.

    Returns
    -------
    AlternativeAnnotatorTest

    Raises
    ------
    ValueError
        As for :func:`discrepancy_ratio`; if no annotator has enough cases.

    Notes
    -----
    Differences are :math:`W^h - W^f`, so that small p-values favour the model. The test is Student's t over cases (as published);
    :meth:`AlternativeAnnotatorTest.over_clusters` treats every cluster as one case. A case needs one other annotator; the
    authors advise three annotators or more. If all differences are equal the p-value is 0 or 1.

    References
    ----------
    Calderon, Reichart & Dror (2025), "The alternative annotator test for LLM-as-a-judge: how to statistically justify replacing human
    annotators with LLMs", ACL, sec. 3; Benjamini & Yekutieli (2001), "The control of the false discovery rate in multiple testing under
    dependency", Annals of Statistics 29(4), theorem 1.3.

    Examples
    --------
    >>> import ugt
    >>> from ugt import synthetic
    >>> labels, truth = synthetic.make_labels(100, 3, 4, seed=2)
    >>> found = ugt.humans.alternative_annotator_test(labels, 2 - truth.argmax(1))  # a bad model
    >>> found.winning_rate, round(found.value, 2)
    (0.0, 0.39)
    """
    options = checked_options(epsilon, q, least_cases, distance)
    epsilon, q, least_cases = options.values()
    compared = compare(annotations, {"model": predictions}, distance, values, missing, known=WHY)
    ids, one = compared.annotators, Advantages.of(compared, options=options)
    n_of = _cases_of(one.sums()[0]).astype(np.int64)
    few = n_of < least_cases
    if few.all():
        must = f"hold an annotator with {least_cases} cases or more (least_cases)"
        raise checks.error("annotations", must, f"at most {n_of.max(initial=0)}")
    if few.any():
        one = Advantages({"annotators": ids[~few].tolist(), "options": options}, compared, np.flatnonzero(~few))
    advantage, behind = np.split(one.estimate[1:], 2)
    too_few = {identifiers.name(ids[j]): int(n_of[j]) for j in np.flatnonzero(few)}
    numbers = float(one.estimate[0]), ids[~few], n_of[~few], advantage, behind, *one.test(one.sums()[0])
    return AlternativeAnnotatorTest(*numbers, epsilon, q, too_few, one.left_out, one)


def nearer(model: Array, own: Array) -> tuple[Bools, Bools, Bools]:
    """Return (N, A) bools: whether a case counts for an annotator, whether the model is as close to the others, whether they are."""
    with np.errstate(invalid="ignore"):
        equal = np.abs(model - own) <= EQUAL * np.maximum(model, own)
        return ~np.isnan(model) & ~np.isnan(own), (model < own) | equal, (own < model) | equal


def checked_options(epsilon: object, q: object, least_cases: object, distance: object) -> dict[str, Any]:
    """Return the options of the test as numbers of Python, after checks."""
    check_stated(distance)
    margin, rate = checks.scalar("epsilon", epsilon), checks.scalar("q", q, positive=True)
    if rate >= 1:
        raise checks.error("q", "be a number between 0 and 1", repr(q))
    return {"epsilon": margin, "q": rate, "least_cases": checks.whole("least_cases", least_cases, 2)}


def clustered_error(differences: Array, clusters: NDArray[Any]) -> tuple[float, int]:
    """Return the standard error of the mean from sums of clusters, and their number G."""
    design = Design.of(len(differences), clusters)
    spread, g = design.added_up(((differences - differences.mean()) / len(differences))[:, None])[:, 0], design.n_units
    return math.sqrt(g / (g - 1) * float((spread**2).sum())) if g > 1 else math.nan, g


def t_test(centre: float, error: float, g: float, limit: float) -> float:
    """Return P(T <= t) for H0: mean >= limit, from the mean of g units and its standard error; 0 or 1 if there is no spread."""
    from scipy.special import stdtr  # noqa: PLC0415  (scipy is slow to import)

    if error <= 1e-15:
        return 0.0 if centre < limit else 1.0
    return float(stdtr(g - 1, (centre - limit) / error)) if g > 1 else math.nan


def benjamini_yekutieli(p_value: Array, q: float) -> Bools:
    """Return which hypotheses are rejected: the k smallest, k the last with p_(k) <= k q / (m Σ 1/i); undefined ones never."""
    m, order, rank = len(p_value), np.argsort(p_value, kind="stable"), np.arange(1, len(p_value) + 1)
    with np.errstate(invalid="ignore"):
        passed = np.flatnonzero(p_value[order] <= rank * q / (m * (1 / rank).sum()))
    rejected = np.zeros(m, bool)
    rejected[order[: passed[-1] + 1 if len(passed) else 0]] = True
    return rejected
