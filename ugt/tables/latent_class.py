"""Models of two classes against the latent class of the annotators: the area under the ROC curve of rare classes, and shared errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.notes import Note
from ..annotations import Labels
from ..annotations.other_annotators import one_of_each
from ..metrics import latent_accuracy
from .context import Made, score_of
from .rows import Number, defined, finite

if TYPE_CHECKING:
    from ..metrics import LatentAccuracy
    from .context import Context


class LatentClassRow(NamedTuple):
    """A model against the latent class, given which annotators err independently or in a stated form.

    ``share``: of all labels that are of the positive class. ``auroc``: the area if score and annotators err independently, only for a rare
    class. ``loading``, ``loading_of_annotators``: on a difficulty that the errors of the model and of the annotators have in common;
    ``p_common``: p-value of one loading for all tests against independent errors, ``p_own``: of a loading of its own against one for all.
    """

    model: str
    class_: str
    share: float
    auroc: Number = None
    auroc_low: Number = None
    auroc_high: Number = None
    determined: bool | None = None
    reason: str = ""
    loading: Number = None
    loading_of_annotators: Number = None
    p_common: Number = None
    p_own: Number = None
    n_cases: int | None = None

    @property
    def is_rare(self) -> bool:
        """Whether one of the two classes has less than a tenth of the labels."""
        return min(self.share, 1 - self.share) < RARE

    @property
    def shares_errors(self) -> bool:
        """Whether the model's errors go with those of the annotators, as those of annotators with each other."""
        known = None not in (self.p_common, self.p_own, self.loading, self.loading_of_annotators)
        return known and defined(self.p_common) < COMMON and defined(self.p_own) > ALIKE and self._part >= HALF

    @property
    def errs_apart(self) -> bool:
        """Whether annotators' errors go together, and those of the model go with them less."""
        known = None not in (self.p_common, self.p_own, self.loading, self.loading_of_annotators)
        return known and defined(self.p_common) < COMMON and defined(self.p_own) < OWN and self._part < HALF

    @property
    def _part(self) -> float:
        """The loading of the model, as a part of that of the annotators; 0 if theirs is not positive."""
        annotators = defined(self.loading_of_annotators)
        return defined(self.loading) / annotators if annotators > 0 else 0.0


TABLES = {"latent_class": LatentClassRow}
RARE = 0.1  # share of the labels of the rarer class, below which soft labels make most of its truth false
# Of 40 simulated pairs of models that both err apart (five annotators, 1,000 cases), one was said to hold a model that shares errors; of 40
# of which one does, four. With OWN 0.05 these were 6 and 15: loadings of a model are seldom known well.
COMMON, ALIKE, OWN, HALF = 0.001, 0.3, 0.001, 0.5
LEAST_OF_LOADINGS = 4  # annotators with whom a loading of the model can be told from theirs
MOST_ANNOTATORS = 12
MOST_WORK = 10**5  # distinct rows of labels x annotators, over all models: some seconds
FORMS = ("ind", "re1", "re1m")


def make(context: Context, notes: list[Note]) -> Made:
    """Return a row for each model of two classes; its numbers are undefined if there are many models or annotators."""
    labels = context.known.labels
    if labels is None or labels.n_classes != 2 or not context.scores or not labels.n_labels:
        return {}
    positive, name = context.positive, str(labels.axes.classes[context.positive])
    given = context.total(labels.counts())
    share = float(given[positive] / given.sum())
    rows = [LatentClassRow(model, name, share) for model in context.scores]
    if not _fits(labels):
        return {"latent_class": rows}
    n_annotators = len(labels.annotators)
    n = max(1, MOST_WORK // (min(labels.n_cases, 2**n_annotators) * n_annotators))
    if n < len(rows) and (rows[0].is_rare or len(rows) > 1):
        notes.append(Note("some_models", "Numbers against the latent class are of the first {n} models only.", n=n))
    pairs = len(rows) > 1 and n > 1 and n_annotators >= LEAST_OF_LOADINGS and context.clusters is None  # whose p-values were too small
    made = [_with_numbers(context, labels, row, pairs) for row in rows[:n]]
    return {"latent_class": [*made, *rows[n:]]}


def _fits(labels: Labels) -> bool:
    """Return whether annotators are named, few, and gave at most one label per case."""
    return 0 < len(labels.annotators) <= MOST_ANNOTATORS and bool((labels.annotator >= 0).all()) and one_of_each(labels)


def _with_numbers(context: Context, labels: Labels, row: LatentClassRow, pairs: bool) -> LatentClassRow:
    scores, positive = context.scores[row.model], labels.axes.classes[context.positive]
    if row.is_rare:
        own = score_of(scores, context.positive)
        both = np.stack([-own, own] if context.positive else [own, -own], axis=1)
        found = latent_accuracy(labels, both, model="outside", positive=positive, clusters=context.clusters)
        low, high = found.interval(context.options.level, of="auroc")
        row = row._replace(
            auroc=finite(found.auroc), auroc_low=finite(low), auroc_high=finite(high), determined=bool(found.determined["auroc"]),
            reason=found.reasons.get("auroc", ""), n_cases=found.n_cases,
        )  # fmt: skip
    return _with_loadings(row, latent_accuracy(labels, scores, forms=FORMS, positive=positive)) if pairs else row


def _with_loadings(row: LatentClassRow, found: LatentAccuracy) -> LatentClassRow:
    """Return the row with the loadings of the form that gives the model its own, if all three forms were fitted."""
    fits = {one.form: one for one in found.fits if not one.reason}
    if len(fits) < len(FORMS):
        return row
    none, common, own = (fits[form].log_likelihood for form in FORMS)
    of_annotators, of_model = fits["re1m"].loadings
    sign = 1.0 if of_annotators >= 0 else -1.0  # of both at once it is arbitrary
    return row._replace(
        loading=finite(sign * of_model), loading_of_annotators=finite(sign * of_annotators), p_common=_p(common - none),
        p_own=_p(own - common), n_cases=found.n_cases,
    )  # fmt: skip


def _p(gain: float) -> float:
    """Return the p-value of a gain in log-likelihood by one parameter, twice which has a chi-squared law."""
    return math.erfc(math.sqrt(max(0.0, gain)))
