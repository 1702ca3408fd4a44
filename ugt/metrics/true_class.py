"""The accuracy against the true class under named conditions: the record, and the reading of labels for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._base import checks
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.axes import Frozen
from .._base.ragged import distinct_pairs, row_of
from .._base.wording import Refusal, arg
from ..annotations import Labels
from ..plausibilities.estimates import NO_ANNOTATIONS
from ..resampling import check_level, ids_of_cases
from ..resampling.design import refuse_clusters
from ..resampling.frequencies import check_counts, frequency_of
from .any_difficulty import MOST_CLASSES, MOST_LABELS, programme_ends
from .given import orders_of
from .latent.confusions import FULL, ONE
from .latent.rows import LabelRows
from .latent_class import LatentBounds, latent_bounds

LATENT_CLASS, ANY_DIFFICULTY = "latent class", "any difficulty"
CONDITIONS = {  # of each: its words, the word before a further condition, and the class
    LATENT_CLASS: ("If all cases are equally hard and these annotators err independently", ", and if", "the class behind their labels"),
    ANY_DIFFICULTY: (
        "Whatever the difficulty of the cases, if annotators label them independently of each other", ", and if",
        "the class that most annotators like these would give",
    ),
}  # fmt: skip
EQUALLY_RIGHT = "If all cases are equally hard and each annotator errs independently and equally often in all classes"  # one accuracy
ASSUMPTIONS = tuple(CONDITIONS)
FORMS = ("auto", FULL, ONE)
ALONE = "annotator who shares no case with another"
OF_ALONE = "case with labels of such annotators only"
LEAST_CLASSES = 2
LEAST_LABELS = 3  # annotators per case from which a latent class is determined
LEAST_OF_THREE = 30  # cases with so many; with fewer the fit ends on the edge and the interval is too short


Made = tuple[LatentBounds, int, Mapping[str, int], tuple[float, float]]  # numbers, cases, what is left out, interval


class UnderCondition(NamedTuple):
    """What is asked for beside labels and scores."""

    assume: str
    ties: str
    least_cases: int
    form: str
    least_share: float
    shared_error: float
    level: float
    clusters: object
    frequency: object = None

    @classmethod
    def of(cls, assume: object, k: object, **given: object) -> UnderCondition:
        """Check each option."""
        assumed = checks.option("assume", assume, ASSUMPTIONS)
        if checks.whole("k", k) > 1:
            raise checks.error("k", "be 1 with " + arg("assume", assumed), k)
        form, least = checks.option("form", given["form"], FORMS), share("least_share", given["least_share"])
        if assumed == LATENT_CLASS and least:
            raise checks.error("least_share", "be given with " + arg("assume", ANY_DIFFICULTY) + " only", repr(least))
        if assumed == ANY_DIFFICULTY and form != "auto":
            raise checks.error("form", "be given with " + arg("assume", LATENT_CLASS) + " only", repr(form))
        ties = checks.option("ties", given["ties"], checks.TIES)
        cases, error = checks.whole("least_cases", given["least_cases"]), share("shared_error", given["shared_error"])
        return cls(assumed, ties, cases, form, least, error, check_level(given["level"]), *map(given.get, ("clusters", "frequency")))


def only_with_assume(**options: tuple[object, object]) -> None:
    """Refuse options that have another value than their default, without a condition."""
    for name, (value, default) in options.items():
        if value != default:
            raise checks.error(name, "be given with " + arg("assume") + " only", repr(value))


def share(argument: str, value: object) -> float:
    """Return a number from 0 to 1; refuse others."""
    number = checks.scalar(argument, value)
    if number > 1:
        raise checks.error(argument, "be from 0 to 1", repr(value))
    return number


@dataclass(frozen=True, eq=False, repr=False)
class TrueClassBounds(Frozen):
    """An interval for the accuracy against the true class that holds whatever the model does, under a condition on the annotators.

    Attributes
    ----------
    low, high : float
        The statement: the interval for every accuracy that the bounds allow, with ``shared_error`` taken off and added. ``high`` is
        rounded up to 0.01 under ``"latent class"``. NaN if ``reason`` says why.
    lower, upper : float
        Estimates of the bounds, without sampling error and with no shared errors. They are no statement: the upper one is below the truth
        for most good models. Show them together with ``low`` and ``high`` only. NaN under ``"any difficulty"``, where the frequencies
        of the labels are hardly ever those of a law, so that only the interval is defined.
    level : float
        Level of the interval.
    assume, form : str
        The condition; which form of the latent class was fitted: ``"full"``, ``"one accuracy"``, or ``"both"``, whose hull the
        interval is, because the labels do not refute the simpler one. Empty under ``"any difficulty"``.
    least_share, shared_error : float
        The share of annotators that at least would give the true class of any case; the share of cases in which annotators as a group may
        be wrong.
    independent, independent_low, independent_high : float
        The accuracy if the model, too, errs independently of the annotators given the true class, with its interval within 0 and 1. A value
        above 1 refutes this; it is kept, and is the upper end. NaN if ``why_not_independent`` says why.
    shares_errors : bool
        Whether ``independent`` is outside the bounds by more than two standard errors, so that the model shares the annotators' errors.
    p_one_accuracy : float
        p-value of the likelihood ratio of one accuracy per annotator against the full form; NaN if there are too few cases to compare them.
    determined : bool
        Whether the labels show how good the annotators are: they determine all parameters, no annotator is fitted as always right, and the
        standard error of accuracies is at most a third of what these exceed chance by. If not, there is no interval.
    reason, why_not_independent : str
        Why there is no interval, or no ``independent``; empty if there is one.
    one_law : bool
        Under ``"any difficulty"``, whether cases with more labels and with fewer have one law of difficulty; no difference was found.
    n_groups, n_cases : int
        Groups of cases from which the bounds are computed, or kinds of label counts; cases counted.
    left_out : mapping
        Cases and annotators left out, by reason.

    Examples
    --------
    >>> import numpy as np, ugt
    >>> rng = np.random.default_rng(0)
    >>> true = rng.integers(0, 2, 400)
    >>> said = np.where(rng.random((400, 5)) < 0.85, true[:, None], 1 - true[:, None])
    >>> model = np.where(rng.random(400) < 0.95, true, 1 - true)
    >>> found = ugt.metrics.accuracy_bounds(ugt.Labels.from_wide(said), np.eye(2)[model], assume="latent class")
    >>> [round(x, 2) for x in (found.low, found.high, found.independent)], found.form
    ([0.89, 0.99, 0.96], 'both')
    """

    low: float
    high: float
    lower: float
    upper: float
    level: float
    assume: str
    form: str
    least_share: float
    shared_error: float
    independent: float
    independent_low: float
    independent_high: float
    shares_errors: bool
    p_one_accuracy: float
    determined: bool
    reason: str
    why_not_independent: str
    one_law: bool
    n_groups: int
    n_cases: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    _ends: tuple[float, float] = field(default=(math.nan, math.nan), repr=False)  # of the interval without shared errors

    def tipping_error(self, claim: float) -> float:
        """Return the share of shared errors from which "the accuracy is above ``claim``" is no longer shown: low end less claim, or 0.

        Errors that annotators make as a group in a share ε of the cases lower the low end by at most ε [Horowitz & Manski 1995]. The
        annotations do not show ε. NaN if there is no interval.

        Examples
        --------
        >>> import ugt
        >>> rows = [[0, 0, 0]] * 6 + [[0, 0, 1], [0, 1, 0], [1, 0, 0]] + [[1, 1, 1]] * 6 + [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
        >>> vote = [[1, 0]] * 9 + [[0, 1]] * 9
        >>> found = ugt.metrics.accuracy_bounds(ugt.Labels.from_wide(rows * 20), vote * 20, assume="latent class")
        >>> round(found.tipping_error(0.5), 2)
        0.44
        """
        claim = share("claim", claim)
        low = self._ends[0]
        return math.nan if math.isnan(low) else max(0.0, low - claim)

    def reference_cases(self, half_width: float) -> int:
        """Return how many cases with a known true class give an interval of the accuracy of at most this half width.

        The half width of n cases drawn at random is z √(a (1 - a) / n). The accuracy a is the one in the interval that needs most cases;
        without an interval it is 0.5.

        Examples
        --------
        >>> import ugt
        >>> rows = [[0, 0, 0]] * 6 + [[0, 0, 1], [0, 1, 0], [1, 0, 0]] + [[1, 1, 1]] * 6 + [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
        >>> vote = [[1, 0]] * 9 + [[0, 1]] * 9
        >>> found = ugt.metrics.accuracy_bounds(ugt.Labels.from_wide(rows * 20), vote * 20, assume="latent class")
        >>> found.reference_cases(0.05)
        86
        """
        from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

        half_width = checks.scalar("half_width", half_width, positive=True)
        low, high = (0.5, 0.5) if math.isnan(self.low) else (self.low, self.high)
        accuracy = min(max(0.5, low), high)
        z = float(ndtri(0.5 + self.level / 2))
        return max(1, math.ceil((z / half_width) ** 2 * accuracy * (1 - accuracy)))

    def sentence(self) -> str:
        """Return the statement in words: its condition first, or why there is none."""
        if self.reason:
            return f"No statement: {self.reason}."
        low, high = math.floor(100 * self.low + 1e-9) / 100, math.ceil(100 * self.high - 1e-9) / 100  # rounding narrows nothing
        _, joint, of_class = CONDITIONS[self.assume]
        condition = condition_of(self.assume, self.form)
        if self.least_share:
            condition += f"{joint} at least {100 * self.least_share:g}% of such annotators would give the true class of each case"
            joint = ", and if"
        if self.shared_error:
            condition += f"{joint} annotators as a group are wrong in at most {100 * self.shared_error:g}% of the cases"
            of_class = "the true class"
        return f"{condition}, the accuracy against {of_class} is between {low:.2f} and {high:.2f} ({100 * self.level:g}% interval)."


def condition_of(assume: str, form: str) -> str:
    """Return the condition of a statement in words; ``form`` is that of the fit of a latent class."""
    return EQUALLY_RIGHT if form == ONE else CONDITIONS[assume][0]


def bounds_of(labels: object, scores: object, asked: UnderCondition) -> TrueClassBounds:
    """Return the interval for labels and scores, as :func:`accuracy_bounds` describes it."""
    if not isinstance(labels, Labels):
        way = "a truth holds plausibilities, from which the labels cannot be restored"
        must = "be Labels with " + arg("assume", asked.assume)
        raise TypeError(Refusal("truth", must, type(labels).__name__, way=way))
    if labels.n_classes < LEAST_CLASSES:
        raise checks.error("truth", "have two classes or more", labels.n_classes)
    chosen = orders_of(labels, scores, 1, asked.ties).sets(1).membership(1)
    made = _whatever_the_difficulty if asked.assume == ANY_DIFFICULTY else _latent
    found, cases, left_out, ends = made(labels, chosen, asked)
    low, high = np.clip([ends[0] - asked.shared_error, ends[1] + asked.shared_error], 0.0, 1.0).tolist()
    return TrueClassBounds(
        low, high, found.lower, found.upper, asked.level, asked.assume, found.form, asked.least_share, asked.shared_error,
        *found.independent, found.shares_errors, found.p_one_accuracy, found.determined, found.reason, found.why_not_independent,
        found.one_law, found.n_groups, cases, left_out, ends,
    )  # fmt: skip


def _latent(labels: Labels, chosen: Array, asked: UnderCondition) -> Made:
    if asked.frequency is not None:
        check_counts("truth", labels)
    rows, cases, left_out = read(labels)
    rows = replace(rows, cluster=_clusters(labels, asked.clusters, cases))
    found = latent_bounds(rows, chosen[cases], asked.form, asked.least_cases, asked.level)
    return found, len(cases), left_out, (found.low, found.high)


def _whatever_the_difficulty(labels: Labels, chosen: Array, asked: UnderCondition) -> Made:
    counts = labels.counts()
    times = rows_of_many(labels, asked)
    sizes = counts.sum(axis=1)
    kept = sizes > 0 if times is None else (sizes > 0) & (times > 0)
    if not kept.any():
        raise checks.error("truth", "hold at least one label", 0)
    n_classes, most = int(counts[kept].any(axis=0).sum()), int(sizes[kept].max())
    if n_classes > MOST_CLASSES:
        raise checks.error("truth", f"have labels of at most {MOST_CLASSES} classes with " + arg("assume", ANY_DIFFICULTY), n_classes)
    if most > MOST_LABELS:
        raise checks.error("truth", f"have at most {MOST_LABELS} labels per case with " + arg("assume", ANY_DIFFICULTY), most)
    cluster = _clusters(labels, asked.clusters, np.flatnonzero(kept))
    ends = programme_ends(counts[kept], chosen[kept], asked.least_share, asked.level, cluster, None if times is None else times[kept])
    found = LatentBounds(reason=ends.reason, n_groups=ends.n_kinds, one_law=ends.one_law)
    n, out = (int(one.sum() if times is None else times[one].sum()) for one in (kept, ~kept))
    return found, n, {NO_ANNOTATIONS: out} if out else {}, (ends.low, ends.high)


def rows_of_many(labels: Labels, asked: UnderCondition) -> Array | None:
    """Return how many equal cases each row of counts stands for; None if nothing was given."""
    if asked.frequency is None:
        return None
    check_counts("truth", labels)
    refuse_clusters(asked.clusters)
    return frequency_of(asked.frequency, labels.n_cases, labels.axes.case_ids)


def _clusters(labels: Labels, clusters: object, cases: Int64) -> Int32 | None:
    """Return the number of the cluster of each counted case, or None; refuse a single cluster."""
    return numbers_of(None if clusters is None else ids_of_cases("clusters", clusters, labels.n_cases, labels.axes.ids_or_none), cases)


def numbers_of(group: NDArray[Any] | None, cases: Int64) -> Int32 | None:
    """Return the number of the cluster of some cases from the ids of all cases, or None; refuse a single cluster."""
    if group is None:
        return None
    code, first = np.unique(np.asarray(group)[cases], return_inverse=True)[::-1]
    if len(first) < 2:
        raise checks.error("clusters", "be two or more of the cases with labels", len(first))
    return code.reshape(-1).astype(np.int32)


def read(labels: Labels) -> tuple[LabelRows, Int64, dict[str, int]]:
    """Return the labels of annotators who share cases, the cases that have such labels, and what is left out."""
    if (labels.annotator < 0).any():
        way = "counts are enough for " + arg("assume", "any difficulty")
        raise checks.error("truth", "name the annotator of each label", "counts without annotators", way=way)
    row = row_of(labels.offsets)
    pairs = distinct_pairs(row, labels.annotator.astype(np.int64))[0]
    of_case, of_annotator = row[pairs], labels.annotator[pairs]
    n_in_case = np.bincount(of_case, minlength=labels.n_cases)
    enough = int((n_in_case >= LEAST_LABELS).sum())
    if enough < LEAST_OF_THREE:
        must = f"have {LEAST_OF_THREE} cases with labels of {LEAST_LABELS} annotators or more"
        raise checks.error("truth", must, enough, way="fewer labels do not determine how often annotators err")
    shared = np.bincount(of_annotator, n_in_case[of_case] > 1, len(labels.annotators)) > 0
    labelled = np.bincount(of_annotator, minlength=len(labels.annotators)) > 0
    kept = np.bincount(of_case, shared[of_annotator], labels.n_cases) > 0
    left_out = {
        NO_ANNOTATIONS: int((n_in_case == 0).sum()),
        OF_ALONE: int((~kept & (n_in_case > 0)).sum()),
        ALONE: int((labelled & ~shared).sum()),
    }
    cases = np.flatnonzero(kept)
    return LabelRows.of_labels(labels, cases, np.flatnonzero(shared)), cases, {reason: n for reason, n in left_out.items() if n}
