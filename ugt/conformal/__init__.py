"""Prediction sets with a coverage guarantee: split conformal prediction, and Monte Carlo conformal prediction for uncertain truth.

The classes follow the conventions of calibrators. docs/prediction-sets.md explains which coverage is guaranteed.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._base.arrays import Array, Bools, Int32, Int64
from .._base.checks import error, option, room, scalar, whole
from .._base.wording import arg
from ..calibration import selection
from ..calibration.estimator import Self
from ..resampling.frequencies import frequency_of
from .input import CALIBRATED, HELD_OUT, SAMPLED, Cases, ScoreRule, Truth, case_groups, class_groups, sampled, single_labels
from .predictor import Conformal, check_alpha, named, pooled, pooled_by_class
from .regions import PlausibilityRegions
from .sets import PredictionSets, SetCoverage

__all__ = ["MonteCarloConformal", "PlausibilityRegions", "PredictionSets", "SetCoverage", "SplitConformal", "conformal_scores"]


MOST_LABELS = 10**6  # sampled labels per case


def conformal_scores(
    predictions: object,
    score: str = "aps",
    *,
    randomized: bool = True,
    penalty: float = 0.01,
    k_reg: int = 5,
    case_ids: object = None,
    seed: object = 0,
) -> Array:
    """Return the nonconformity scores (N, K) of all classes; a class with a higher score fits the prediction less.

    If p_(1) >= p_(2) >= … are the sorted probabilities of a case and o is the position of class k among them, the scores are

    - ``"lac"``: 1 - p_k
    - ``"aps"``: p_(1) + … + p_(o-1) + u p_k
    - ``"raps"``: APS + penalty · max(o - k_reg, 0)

    Parameters
    ----------
    predictions : (N, K) array, or (N,) of class 1 of two
        Predicted probabilities.
    score : {"lac", "aps", "raps"}
        Name of the score.
    randomized : bool
        True: one u per case, uniform in (0, 1), and tied classes in a random order; both depend on the seed and the case id
        only. False: u = 1, and all tied classes have the score of the last of them.
    penalty, k_reg : float, int
        Parameters of RAPS.
    case_ids : (N,) ids, optional
        Ids of the cases. Default: 0 to N-1.
    seed : int, Generator or SeedSequence
        Random seed; the same seed gives the same bytes on one machine.

    Raises
    ------
    ValueError
        If probabilities lie outside [0, 1] or do not add up to 1, or an option is unknown or out of range.

    References
    ----------
    Sadinle, Lei & Wasserman (2019) for LAC; Romano, Sesia & Candès (2020), eq. 5-7; Angelopoulos, Bates, Malik & Jordan (2021), eq. 4.

    Examples
    --------
    >>> import ugt
    >>> ugt.conformal.conformal_scores([[0.5, 0.3, 0.2]], "aps", randomized=False).round(3)
    array([[0.5, 0.8, 1. ]])
    >>> ugt.conformal.conformal_scores([[0.5, 0.3, 0.2]], "raps", randomized=False, penalty=0.1, k_reg=1).round(3)
    array([[0.5, 0.9, 1.2]])
    """
    return ScoreRule.of(score, randomized, penalty, k_reg, seed).table(Cases.of(predictions, case_ids), CALIBRATED)


class SplitConformal(Conformal):
    """A split conformal predictor: its sets hold the label of a new case with probability at least 1 - alpha.

    Each calibration case has one label. If s_1 … s_n are the scores of these labels, the p-value of class k of a new case is
    ``(1 + #{i: s_i >= s(k)}) / (n + 1)``. The set holds the classes with a p-value above alpha, which are those with a score of at most
    the ⌊alpha (n + 1)⌋-th largest s_i.

    Parameters
    ----------
    score : {"lac", "aps", "raps"}
        Name of the score, see :func:`conformal_scores`.
    alpha : float
        Error rate, in (0, 1). A p-value that equals alpha up to rounding is not above alpha.
    class_groups : None, "each", or (K,) integers
        Groups of classes with a threshold of their own: one threshold for all, one per class (coverage given the class), or given groups.
    randomized, penalty, k_reg
        Parameters of the score.
    allow_empty : bool
        Whether sets may be empty; otherwise the class with the lowest score is always in the set.
    seed : int, Generator or SeedSequence
        Random seed of u and of the order of tied classes.

    Attributes
    ----------
    n_classes_, classes_, n_cases_, left_out_
        Classes and their names, calibration cases, and cases left out by reason.
    rule_ : dict
        The rule of the scores, with the seed. Only ``alpha`` and ``allow_empty`` can be changed after a fit.
    groups_ : list or None
        Groups of cases, in the order of :meth:`thresholds`.
    class_group_ : (K,) array
        Group of every class.
    level_offsets_, level_score_, level_p_, base_p_
        p-values as a step function of the score, for each group of cases and of classes.

    Notes
    -----
    The guarantee is P(label of a new case in its set) >= 1 - alpha, over calibration cases and new case together, if they are exchangeable.
    It holds for labels like those of the calibration cases, not for the truth: see :class:`MonteCarloConformal` for uncertain truth.

    References
    ----------
    Vovk, Gammerman & Shafer, "Algorithmic Learning in a Random World" (2005), sec. 4.2 (p-values; 4.5 for groups); Stutz et al.,
    "Conformal prediction under ambiguous ground truth" (TMLR 2023), sec. 2.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([1, 1, 1], size=500)
    >>> labels = (p.cumsum(1) < rng.random((500, 1))).sum(1)
    >>> conformal = ugt.conformal.SplitConformal("lac", alpha=0.1).fit(p[:250], labels[:250])
    >>> sets = conformal.predict_sets(p[250:])
    >>> sets
    PredictionSets(n_cases=250, n_classes=3, mean_size=1.82, n_empty=0)
    >>> round(sets.coverage(np.eye(3)[labels[250:]]).mass.value, 3)
    0.88
    """

    def fit(self, predictions: object, labels: object, *, groups: object = None, case_ids: object = None, frequency: object = None) -> Self:
        """Compute the p-values of scores from the calibration cases.

        Parameters
        ----------
        predictions : (N, K) array
            Probabilities of the calibration cases. The model must not have been trained or tuned on these cases.
        labels : (N,) array or Series of class numbers or names of classes, or Labels with one label per case
            Labels of the calibration cases. Names are those of the columns of the predictions.
        groups : (N,) ids, optional
            Groups of cases with a threshold of their own (coverage given the group).
        case_ids : (N,) ids, optional
            Keys of the random numbers of each case. Default: those of the labels, or 0 to N-1.
        frequency : (N,) whole numbers, Series or mapping of case id to number, optional
            How many equal cases each row stands for: the fit is that of the rows repeated. Only for scores without random numbers
            (``"lac"``, or ``randomized=False``), since equal cases have random numbers of their own.

        Raises
        ------
        ValueError
            If shapes do not fit, a case has no label or several, or a number is out of range.

        Notes
        -----
        There are no weights of cases: p-values of a weighted sample need the weight of the new case, too (Tibshirani et al. 2019).
        """
        cases, rule = self._begin(predictions, labels, "labels")
        label, axes = single_labels(labels, cases.axes)
        cases = named(cases, axes, case_ids)
        times = frequency_of(frequency, len(cases), cases.axes.case_ids)
        if times is not None and rule.randomized and rule.score != "lac":
            must = "be False with " + arg("frequency", ...) + " and this score, since equal cases have random numbers of their own"
            raise error("randomized", must, repr(rule.randomized), way="score='lac' has none")
        (group, names), of_class = case_groups(groups, cases.axes), class_groups(self.class_groups, cases.axes)
        n_class_groups = int(of_class.max()) + 1

        def part(begin: int, end: int) -> Array:
            return np.take_along_axis(rule.scores(cases, begin, end, CALIBRATED), label[begin:end, None], axis=1)

        scores = np.concatenate(cases.run(part, "scoring labels"))
        category = (group * n_class_groups + of_class[label])[:, None]
        levels = pooled(scores, category, (int(group.max()) + 1) * n_class_groups, times)
        self._keep(rule, levels, cases, len(cases), names, of_class)
        self.n_cases_ = len(cases) if times is None else int(times.sum())
        return self


class MonteCarloConformal(Conformal):
    """A conformal predictor for calibration cases with plausibilities instead of labels, from which it samples m labels per case.

    The p-value of class k of a new case is the mean over the m samples of ``(1 + #{i: s_ij >= s(k)}) / (n + 1)``; the set holds
    the classes with a p-value above alpha. This is a threshold at the r-th largest of the n m scores, with
    ``r = ⌊alpha m (n + 1)⌋ - m + 1`` (a share of r / (n m) of them); if r < 1, every class is in every set.

    Parameters
    ----------
    score, alpha, class_groups, randomized, penalty, k_reg, allow_empty
        As for :class:`SplitConformal`. ``class_groups="each"`` guarantees 1 - 2 alpha or, corrected, 1 - alpha given the class.
    m : int
        Sampled labels per case, at least 1.
    correction : {"none", "ecdf"}
        ``"none"`` guarantees a coverage of 1 - 2 alpha (1 - alpha with m = 1), because a mean of p-values is a p-value only
        when doubled; the observed coverage is usually near 1 - alpha. ``"ecdf"`` splits the calibration cases: the p-values of one
        sampled label of each held-out case correct all others by their ranks, which guarantees 1 - alpha.
    split : float
        Share of the calibration cases that is not held out for the correction.
    seed : int, Generator or SeedSequence
        Random seed of sampled labels, u, tied classes and the split. The random numbers of a case depend on the seed and its id.

    Attributes
    ----------
    n_classes_, classes_, n_cases_, left_out_, rule_, groups_, class_group_, level_offsets_, level_score_, level_p_, base_p_
        As of :class:`SplitConformal`.
    m_, n_held_out_ : int
        Sampled labels per case, and calibration cases that were used for the correction.

    Notes
    -----
    Labels are sampled from expected plausibilities, which is the distribution of the label whether plausibilities are certain, a
    posterior or draws. The guarantee holds for a label drawn for a new case in the same way. It depends on the truth model and does not
    extend to the true class. With one-hot plausibilities and no correction, all results are those of :class:`SplitConformal`.

    References
    ----------
    Stutz, Roy, Matejovicova, Strachan, Cemgil & Doucet, "Conformal prediction under ambiguous ground truth" (TMLR 2023), sec. 3:
    Monte Carlo conformal prediction, its threshold, the averaged p-values and their ECDF correction. Two details differ from the authors'
    code. The corrected p-value counts the new case itself, (1 + rank) / (1 + held-out cases); otherwise the guarantee is missed by one
    case. A class with a p-value of exactly alpha is not in the set, as in the paper.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([1, 1, 1], size=600)
    >>> truth = np.array([rng.dirichlet(20 * row + 0.1) for row in p])
    >>> conformal = ugt.conformal.MonteCarloConformal("aps", alpha=0.1, m=20).fit(p[:300], truth[:300])
    >>> sets = conformal.predict_sets(p[300:])
    >>> round(sets.coverage(truth[300:]).mass.value, 3), round(conformal.guarantee, 3)
    (0.91, 0.8)
    >>> ugt.conformal.MonteCarloConformal.from_json(conformal.to_json()).predict_sets(p[300:]).mean_size == sets.mean_size
    True
    """

    _fitted: ClassVar[dict[str, Any]] = {**Conformal._fitted, "m_": int, "n_held_out_": int}

    def __init__(
        self,
        score: str = "aps",
        alpha: float = 0.1,
        *,
        m: int = 100,
        correction: str = "none",
        split: float = 0.5,
        class_groups: object = None,
        randomized: bool = True,
        penalty: float = 0.01,
        k_reg: int = 5,
        allow_empty: bool = True,
        seed: object = 0,
    ) -> None:
        rule: dict[str, Any] = {"randomized": randomized, "penalty": penalty, "k_reg": k_reg}
        super().__init__(score, alpha, class_groups=class_groups, allow_empty=allow_empty, seed=seed, **rule)
        self.m, self.correction, self.split = m, correction, split

    @property
    def guarantee(self) -> float:
        """The guaranteed coverage at ``alpha``, if calibration cases and new cases are exchangeable."""
        fitted = self.__sklearn_is_fitted__()
        one, corrected = (self.m_ == 1, self.n_held_out_ > 0) if fitted else (self.m == 1, self.correction == "ecdf")
        return max(0.0, 1.0 - (1 if one or corrected else 2) * check_alpha(self.alpha))

    def fit(self, predictions: object, truth: object, *, groups: object = None, case_ids: object = None) -> Self:
        """Sample labels and compute the p-values of scores from the calibration cases.

        Parameters
        ----------
        predictions, groups, case_ids
            As for :meth:`SplitConformal.fit`.
        truth : Point, Dirichlet, Draws, Labels, or array (N, K) or (N, draws, K)
            Plausibilities of the same cases, in the same order. Labels count by their shares; the rows of an array are divided by
            their sums. Cases without a truth (NaN) are left out and counted.

        Raises
        ------
        ValueError, TypeError
            If shapes do not fit, a number is out of range, no case has a truth, or there are too few cases to split.
        """
        m = whole("m", self.m, 1, MOST_LABELS)
        option("correction", self.correction, ("none", "ecdf"))
        cases, rule = self._begin(predictions, truth)
        known = Truth.of(truth, cases.table.shape)
        cases = named(cases, known.axes, case_ids)
        (group, names), of_class = case_groups(groups, cases.axes), class_groups(self.class_groups, cases.axes)
        n_categories = (int(group.max()) + 1) * (int(of_class.max()) + 1)
        by_class = n_categories == 1 and self.correction == "none" and cases.table.shape[1] <= m
        rows, label, score = self._sampled(cases, known, rule, m, by_class)
        if len(rows) == 0:
            raise error("truth", "hold plausibilities for at least one case", "none")
        out = self._held_out(len(rows), rule.seed)
        if by_class:
            levels = pooled_by_class(score, label)
        else:
            category = group[rows, None] * (int(of_class.max()) + 1) + of_class[label]
            levels = pooled(score[~out, :m], category[~out, :m], n_categories)
            if self.correction == "ecdf":
                levels = levels.corrected(score[out, m], category[out, m])
        self.m_, self.n_held_out_ = m, int(out.sum())
        self._keep(rule, levels, cases, len(rows), names, of_class)
        return self

    def _sampled(self, cases: Cases, known: Truth, rule: ScoreRule, m: int, by_class: bool) -> tuple[Int64, Int32, Array]:
        """Return the cases with a truth, their m labels (and one more in case they are held out), and the scores of labels or classes."""
        room(f"{m} labels of each case", 24 * m * len(cases))

        def part(begin: int, end: int) -> tuple[Int64, Int32, Array]:
            block = known.block(begin, end)
            kept = ~np.isnan(block).any(axis=1)
            keys, block = cases.axes.stream_keys[begin:end][kept], np.ascontiguousarray(block[kept])
            label = sampled(block, keys, rule.seed, SAMPLED, m)
            if self.correction == "ecdf":
                label = np.concatenate([label, sampled(block, keys, rule.seed, HELD_OUT, 1)], axis=1)
            scores = rule.scores(cases, begin, end, CALIBRATED)[kept]
            return np.flatnonzero(kept) + begin, label, scores if by_class else np.take_along_axis(scores, label, axis=1)

        rows, label, score = (np.concatenate(column) for column in zip(*cases.run(part, "scoring labels")))
        return rows, label, score

    def _held_out(self, n: int, seed: int) -> Bools:
        """Return (n,) which cases are held out for the correction."""
        share = scalar("split", self.split, positive=True)
        if self.correction == "none" and share < 1:
            return np.zeros(n, bool)
        if not (share < 1 and 1 <= round(n * (1 - share)) < n):
            raise error("split", "be a share in (0, 1) that leaves cases on both sides", f"{self.split!r} with {n} cases")
        return selection.held_out(1 - share, n, None, seed)[0]
