"""A pilot as scores of labels whose mean moves as the metric does, so that one formula serves all metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.arrays import Array
from .._base.checks import error
from .._base.notes import Note
from .._base.ragged import row_of
from ..agreement import krippendorff_alpha
from ..agreement.coefficients import DECLARED
from ..agreement.reading import labels_of
from ..annotations import Labels
from ..humans import discrepancy_ratio
from ..humans.distances import Distances, distances
from ..humans.input import as_annotations, joined
from ..metrics.given import orders_of
from ..soft import soft_auroc
from ..soft.input import read as read_soft
from .components import PairedCases, ScoredLabels

# Metric: the scale on which its intervals are symmetric.
COEFFICIENTS = {"alpha": "", "kappa": "fleiss_kappa", "ac1": "gwet_ac1", "percent_agreement": "percent_agreement"}
METRICS = {"agreement": "logit", "difference": "identity", "soft_auroc": "logit", "discrepancy": "log"}
METRICS |= dict.fromkeys(COEFFICIENTS, "complement")
# The ranges of metrics, to which intervals are cut; coefficients below -1 are not planned for.
RANGES = {"agreement": (0.0, 1.0), "difference": (-1.0, 1.0), "soft_auroc": (0.0, 1.0), "discrepancy": (0.0, math.inf)}
RANGES |= {"alpha": (-1.0, 1.0), "kappa": (-1.0, 1.0), "ac1": (-1.0, 1.0), "percent_agreement": (0.0, 1.0)}
OF_PAIRS = ("discrepancy", *COEFFICIENTS)
LEAST_CASES = 10  # least number of cases with two labels
EACH_ONE_CASE = "no annotator labelled two cases: differences between annotators are part of the labels, each by another annotator."
ONE_CASE_EACH = Note("one_case_each", EACH_ONE_CASE)
NOT_NAMED = Note("unnamed_in_pilot", "annotators are not named: the plan is for these annotators only.")
SAME_TWO = "the same two annotators labelled all cases: how annotators differ is unknown, and the plan is for these two only."
TWO_FOR_ALL = Note("same_two_annotators", SAME_TWO)
LABELS_FIXED = "labels per case: plans are for {k} as in the pilot, "


class Scored(NamedTuple):
    """A metric as the mean of scores: ``linear`` + ``slope`` times the contribution of a label to the disagreement of its case."""

    value: float
    distances: Distances
    linear: Array  # (E,)
    slope: float = 0.0
    zero_one: bool = True


class Pilot(NamedTuple):
    """A metric of a pilot, in terms of the contributions of its labels."""

    value: float
    parts: ScoredLabels | PairedCases
    tested: ScoredLabels | PairedCases  # components for power
    unit: float  # size of a difference of 1 in units of ``tested``
    n_cases: int
    n_labels: float  # per case
    n_annotators: int
    only_labels: int | None  # the number of labels per case that plans must have; None: any
    notes: tuple[Note, ...]


def read_pilot(labels: object, scores: object, metric: str, margin: float | None) -> Pilot:
    """Return the pilot of labels, and of the scores of one or two models."""
    if (scores is None) != (metric in COEFFICIENTS):
        must = "be left out" if metric in COEFFICIENTS else "be two tables, one per model," if metric == "difference" else "be given"
        raise error("scores", f"{must} for metric {metric!r}", None if scores is None else type(scores).__name__)
    with notices.heard():
        scored, contrast, n_annotators = _scored(labels, scores, metric, margin)
    notes: list[Note] = []
    size = _sizes(scored.distances, n_annotators)
    if not np.isfinite(scored.value):
        raise error("labels", f"be such that the metric {metric!r} is defined", scored.value)
    known = _annotators_known(scored.distances, n_annotators, notes)
    of_pairs = metric in OF_PAIRS
    first, only = _parts_of(scored, known, of_pairs, notes)
    tested = first if contrast is None else _parts_of(contrast, known, of_pairs, [])[0]
    if (first.squares if isinstance(first, PairedCases) else float(first.count @ first.score**2)) <= 1e-24:
        raise error("labels", "vary: a plan needs labels that give different scores", "the same score of every label")
    labelled = int((size > 0).sum())
    unit = 1.0 if contrast is None else -contrast.value
    return Pilot(scored.value, first, tested, unit, labelled, float(size.sum()) / labelled, n_annotators, only, tuple(notes))


def _scored(labels: object, scores: object, metric: str, margin: float | None) -> tuple[Scored, Scored | None, int]:
    """Return the metric, the contrast for the non-inferiority test, and the number of named annotators."""
    if metric == "discrepancy":
        return _discrepancy(labels, scores, margin)
    held = as_annotations(labels, [scores] if metric == "agreement" else [], "zero-one")
    if not isinstance(held, Labels):
        raise TypeError(f"labels must be Labels, or text by annotators in columns, for metric {metric!r}. Got {type(held).__name__}.")
    found = {"agreement": _agreement, "difference": _difference, "soft_auroc": _soft_auroc}
    scored = found[metric](held, scores) if metric in found else _coefficient(held, metric)
    return scored, None, len(held.annotators)


def _agreement(labels: Labels, scores: object) -> Scored:
    """Return, as scores, whether each label is the model's first choice."""
    found = distances(labels, [_chosen(labels, scores)], "zero-one")
    hits = 1 - found.to_model[0]
    return Scored(_mean_of_cases(found, hits), found, hits)


def _difference(labels: Labels, scores: object) -> Scored:
    """Return the scores of the difference of two models, the first less the second."""
    tables = list(scores.values()) if isinstance(scores, Mapping) else list(scores) if isinstance(scores, (list, tuple)) else []
    if len(tables) != 2:
        got = f"{len(tables)}" if tables else type(scores).__name__
        raise error("scores", "be two tables, one per model, for metric 'difference'", got)
    found = distances(labels, [_chosen(labels, table) for table in tables], "zero-one")
    ahead = found.to_model[1] - found.to_model[0]
    return Scored(_mean_of_cases(found, ahead), found, ahead)


def _chosen(labels: Labels, scores: object) -> Array:
    """Return the model's first choice (N, K), shared among tied classes."""
    return np.asarray(orders_of(labels, joined(scores, labels), 1, "expectation").sets(1).membership(1), np.float64)


def _per_case(case: Any, numbers: Any, n_cases: int) -> Array:
    """Return the sums (N,) of each case."""
    return np.asarray(np.bincount(case, numbers, n_cases), np.float64)


def _mean_of_cases(found: Distances, of_entries: Array) -> float:
    """Return the mean over the cases with labels of the means over their labels."""
    case, n_cases = row_of(found.offsets), len(found.offsets) - 1
    n = _per_case(case, found.count, n_cases)
    return float((_per_case(case, found.count * of_entries, n_cases)[n > 0] / n[n > 0]).mean())


def _soft_auroc(labels: Labels, scores: object) -> Scored:
    """Return the scores of labels: for positives the share of other cases' negatives below, for negatives of positives above."""
    if labels.n_classes != 2:
        raise error("labels", "be of two classes for metric 'soft_auroc', the second of which is the positive one", labels.n_classes)
    given = joined(scores, labels)
    table = np.asarray(given, np.float64)
    score = table[:, 1] if table.ndim == 2 and table.shape[1] == 2 else table
    value = soft_auroc(labels, score).value
    if score.size and (score == score.flat[0]).all():
        raise error("scores", "differ: with one score for all cases the AUROC is always 0.5", score.flat[0])
    (column,) = read_soft(labels, score).columns(0.5)
    u, v, _, above, below = column.running()
    positive, negative, n = u.sum(), v.sum(), len(u)
    found = distances(labels, [np.ones(labels.n_cases, np.int64)], "zero-one")
    if not positive or not negative:  # the AUROC is undefined
        return Scored(np.nan, found, np.zeros(len(found.count)))
    of_case = np.zeros((2, labels.n_cases))
    of_case[0, column.row] = n / (positive * negative) * (below - v / 2 - value * negative)
    of_case[1, column.row] = n / (positive * negative) * (above - u / 2 - value * positive)
    case, share = row_of(found.offsets), 1 - found.to_model[0]
    return Scored(value, found, share * of_case[0, case] + (1 - share) * of_case[1, case])


def _discrepancy(labels: object, predictions: object, margin: float | None) -> tuple[Scored, Scored | None, int]:
    """Return the ratio Δ = μ / α, which moves by (dμ - Δ dα) / α, and the contrast μ - (1 + margin) α for non-inferiority."""
    ratio = discrepancy_ratio(labels, predictions)
    compared = ratio._statistic.compared
    found, miss, alpha = compared.distances, compared.distances.to_model[0], ratio.alpha
    held = compared.annotations
    zero_one = isinstance(held, Labels) and (compared.distance == "zero-one" or set(np.unique(miss)) <= {0.0, 1.0})
    scored = Scored(ratio.value, found, miss / alpha if alpha else miss, -ratio.mu / alpha**2 if alpha else 0.0, zero_one)
    contrast = None if margin is None else Scored(-alpha, found, miss, -(1 + margin), zero_one)
    return scored, contrast, len(compared.annotators)


def _coefficient(labels: Labels, metric: str) -> Scored:
    """Return the scores of a coefficient: κ = 1 - D_o / D_e moves by -dD_o / D_e + (1 - κ) dD_e / D_e."""
    found = distances(labels, [], "zero-one")
    one: Any = krippendorff_alpha(labels) if metric == "alpha" else DECLARED[COEFFICIENTS[metric]].of(labels_of(labels, None))
    form, (sums,) = one.statistic, one.statistic.sums()
    expected = 1 - one.expected
    if not expected > 0:
        return Scored(np.nan, found, np.zeros(len(found.count)))
    if metric == "percent_agreement":
        return Scored(one.value, found, np.zeros(len(found.count)), -1.0)
    share = sums[3:] / sums[3:].sum()
    slope = -2 * share if metric == "alpha" else np.sum(form.chance.by(form.cost, share, share), axis=0)
    return Scored(one.value, found, (1 - one.value) / expected * _of_classes(labels, slope), -1 / expected)


def _of_classes(labels: Labels, numbers: Array) -> Array:
    """Return the means (E,) of numbers (K,) of classes over the labels of each entry, less a constant."""
    above = numbers - numbers.min()
    if not above.any():
        return np.zeros(len(distances(labels, [], "zero-one").count))
    law = np.broadcast_to(above / above.sum(), (labels.n_cases, labels.n_classes))
    return np.asarray(-above.sum() * distances(labels, [law], "zero-one").to_model[0])


# ---- labels as cells


def _sizes(found: Distances, n_annotators: int) -> Array:
    """Return the number of labels (N,) of each case; refuse too few."""
    size = _per_case(row_of(found.offsets), found.count, len(found.offsets) - 1)
    several = int((size >= 2).sum())
    if several == 0:
        what = "cases with two labels: with one label per case, differences between cases and between labels cannot be distinguished"
        raise error("labels", f"hold {what}", "one label per case" if size.any() else "no label")
    if several < LEAST_CASES:
        raise error("labels", f"hold at least {LEAST_CASES} cases with two labels", several)
    if n_annotators and len(np.unique(found.annotator)) < 2:
        raise error("labels", "be by at least 2 annotators", 1)
    return size


def _annotators_known(found: Distances, n_annotators: int, notes: list[Note]) -> int:
    """Return the number of annotators; 0 if their differences are unknown."""
    if not n_annotators:
        notes.append(NOT_NAMED)
    elif np.bincount(found.annotator).max() < 2:
        notes.append(ONE_CASE_EACH)
        return 0
    return n_annotators


def _parts_of(scored: Scored, n_annotators: int, of_pairs: bool, notes: list[Note]) -> tuple[ScoredLabels | PairedCases, int | None]:
    """Return the cells of a metric, and the number of labels per case that plans must have."""
    found = scored.distances
    case, n_cases = row_of(found.offsets), len(found.offsets) - 1
    count = found.count.astype(np.float64)
    size = _per_case(case, count, n_cases)
    if not of_pairs:
        return ScoredLabels.of(case, found.annotator, scored.linear, count, n_cases, n_annotators), None
    if (size >= 3).sum() < LEAST_CASES:
        return _of_two_labels(scored, size, n_annotators, notes), 2
    kept = size[case] >= 3
    left_out = int(((size > 0) & (size < 3)).sum())
    if left_out:
        notes.append(Note("left_out_of_plan", "{n:,} cases with fewer than three labels are left out of the plan.", n=left_out))
    case, count, others, n = case[kept], count[kept], found.to_others[kept], size[case[kept]]
    total = _per_case(case, count * others, n_cases)[case]
    pseudo = total / (n - 1) - (total - 2 * others) / (n - 2)
    cells = ScoredLabels.of(case, found.annotator[kept], scored.linear[kept] + scored.slope * pseudo, count, n_cases, n_annotators)
    squares = _pair_remainder(case, count, others, size) if scored.zero_one else None
    if squares is None:
        k = int(np.rint(n @ count / count.sum()))
        notes.append(Note("labels_of_pilot", LABELS_FIXED + "which does not show the effect of more or fewer of them.", k=k))
        return cells, k
    one = 4 / (n - 1) + 2 / ((n - 1) * (n - 2))
    two = 4 / (n - 1) ** 2 * (-1 + (n - 3) / (2 * (n - 2)))
    means = (one @ count / count.sum(), two @ (count * (n - 1)) / (count @ (n - 1)), 1.0)
    return cells.with_remainder(tuple(float(scored.slope**2 * squares * mean) for mean in means)), None


def _pair_remainder(case: object, count: Array, others: Array, size: Array) -> float | None:
    """Return σ²_w of 0/1 distances, the variance that single pairs of labels add to the disagreement; from the cases with four labels."""
    many, whole = size >= 4, np.rint(others)
    if many.sum() < LEAST_CASES or (np.abs(others - whole) > 1e-9).any():
        return None
    others = whole  # sums of squared distances are rounded
    total, triples = (_per_case(case, count * one, len(size))[many] for one in (others, others**2 - others))
    n = size[many]
    pairs, threes = n * (n - 1), n * (n - 1) * (n - 2)
    found = total / pairs - 2 * triples / threes + (total**2 - 4 * triples - 2 * total) / (threes * (n - 3))
    return max(float(found.mean()), 0.0)


def _of_two_labels(scored: Scored, size: Array, n_annotators: int, notes: list[Note]) -> PairedCases:
    """Return the cases with two labels, each as one number."""
    found = scored.distances
    case, count = row_of(found.offsets), found.count.astype(np.float64)
    two = size == 2
    others = int((size > 0).sum() - two.sum())
    if two.sum() < LEAST_CASES:
        raise error("labels", f"hold at least {LEAST_CASES} cases with two labels, or with three or more, for this metric", int(two.sum()))
    if others:
        notes.append(Note("left_out_of_plan", "{n:,} cases with one label, or with three or more, are left out of the plan.", n=others))
    notes.append(Note("labels_of_pilot", LABELS_FIXED + "in which cases and labels cannot be distinguished.", k=2))
    kept = two[case]
    of_case = _per_case(case, count * (scored.linear / 2 + scored.slope * found.to_others / 2), len(size))[two]
    who = None
    if n_annotators:
        who = found.annotator[kept].reshape(-1, 2)  # an annotator of a case is one row
        who = np.sort(who, axis=1)
        if (who == who[0]).all():
            notes.append(TWO_FOR_ALL)
            who = None
    return PairedCases(of_case - of_case.mean(), who)
