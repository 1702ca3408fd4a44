"""The numbers of what is open about one more judgement: a statistic of both parts, which cases it has, and how a fitted prior moves it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.laws import t_quantile
from ..plausibilities import Plausibilities
from ..plausibilities.open_parts import LOSSES, Parts
from ..resampling import Panel, Ratios
from ..resampling.counted import CountedQuotient

if TYPE_CHECKING:
    from ..plausibilities.made_of import MadeOf
    from ..resampling import Design
    from ..resampling.panels import Panels

NAMES = ("total", "inherent", "annotation", "inherent_share")
OF_NUMBER = np.array([0, 0, 0, 1], np.int64)  # the denominators: the number of cases, and what is open
STEPS = np.linspace(-1.0, 1.0, 9)  # of an interval of a prior
MOST_STEP = 8.0  # of the logarithm of a prior, beyond which parts hardly change
ROUNDING = 1e-9  # shares of cases with equal labels differ by less
ONE_LABEL, NO_TWO = "case with one annotation", "no case has two annotations"


def columns_of(parts: Parts) -> Array:
    """Return what each case adds (N, 6) to the numerators of the four numbers, then to both denominators; 0 if it is undefined."""
    total, inherent = np.nan_to_num(parts.total), np.nan_to_num(parts.inherent)
    return np.stack([total, inherent, total - inherent, inherent, ~np.isnan(parts.total), total], axis=1)


class OpenParts(Ratios):
    """The means over cases of the parts, and the share of the inherent part; of a truth that can be computed without an annotator.

    ``added`` (N, 6): what the fit of a prior adds to the columns, see ``FittedPrior.added``.
    """

    def __init__(self, columns: Array, n_classes: int, loss: str, made_of: MadeOf | None, added: Array | None = None) -> None:
        super().__init__(columns if added is None else columns + added, OF_NUMBER, NAMES)
        self.n_classes, self.loss, self.made_of, self.added = n_classes, loss, made_of, added

    @property
    def _spans(self) -> Array:
        return np.array([[0.0, LOSSES[self.loss].most(self.n_classes)]] * 3 + [[0.0, 1.0]])

    @property
    def panel(self) -> Panel:
        of = self.made_of
        if of is None:
            return super().panel
        return super().panel._replace(annotations=lambda: of.annotations_by_name, judged_by=self._judged_by, counted=self._counted)

    def _of(self, truth: Plausibilities, rows: Int64) -> OpenParts:
        return OpenParts(
            columns_of_truth(self.loss, truth), self.n_classes, self.loss, None, None if self.added is None else self.added[rows]
        )

    def _judged_by(self, annotators: NDArray[Any]) -> OpenParts:
        assert self.made_of is not None
        return self._of(self.made_of.judged_by(annotators), np.arange(self.n_cases, dtype=np.int64))

    def _without_pairs(self) -> tuple[Int64, Int64, Array] | None:
        if self.made_of is None:
            return None
        case, annotator, truth = self.made_of.without_each
        return case, annotator, self._of(truth, case).columns

    def _counted(self, number: int) -> CountedQuotient | None:
        of = self.made_of
        if of is None or of.counted is None:
            return None
        alike = None if of.of_cases is not None or self.added is not None else lambda: np.zeros(self.n_cases, np.int64)
        return CountedQuotient(of.counted, of.rows, alike, partial(self._of_counts, of, number))

    def _of_counts(self, of: MadeOf, number: int, panels: Panels, counts: Int64, case: Int64) -> Array:
        above, below = self.parts(self._of(of.of_counts(panels, counts, case), case).columns)
        return np.stack([above[:, number], below[:, number]], axis=1)


def kinds_of(inherent: Array, annotation: Array, times: Array | None = None) -> NDArray[Any]:
    """Return the kind of each case, which occurs so often: see :meth:`UncertaintyParts.kinds`."""
    total, often = inherent + annotation, 1.0 if times is None else times
    usual = np.nansum(annotation * often) / max(float(np.nansum(total * often)), np.finfo(float).tiny)
    more = annotation > (usual + ROUNDING) * total
    return np.where(total > 0, np.where(more, "under-annotated", "ambiguous"), "")  # false for NaN


def defined_parts(post: Plausibilities, loss: str, times: Array | None = None) -> tuple[Parts, dict[str, int]]:
    """Return the parts with NaN for cases of which one annotation says nothing, and their number by reason, if they occur so often.

    One label of a case has no spread, so that shares of labels (a :class:`Point`) cannot show what is open about it. A posterior with a
    given prior can only repeat the prior if no case has two.
    """
    parts, of = post.parts(LOSSES[loss]), post.made_of
    if of is None:
        return parts, {}
    n = of.n_annotations
    if post.is_certain:
        single, reason = n == 1, ONE_LABEL
    else:
        single, reason = np.full(len(n), of.fit is None and not (n > 1).any()), NO_TWO
    single = (single if of.rows is None else single[of.rows]) & ~np.isnan(parts.total)
    if not single.any():
        return parts, {}
    total, inherent = (np.where(single, np.nan, one) for one in parts[:2])
    return Parts(total, inherent, parts.errors), {reason: int(single.sum() if times is None else times[single].sum())}


def columns_of_truth(loss: str, truth: Plausibilities) -> Array:
    """Return the columns of the truth of other annotators; a posterior may then have one label of each case."""
    return columns_of(defined_parts(truth, loss)[0] if truth.is_certain else truth.parts(LOSSES[loss]))


def along_prior(loss: str, made_of: MadeOf, kept: Bools, level: float, units: Design | None) -> Array:
    """Return how far the four numbers to expect (9, 4) under priors within the interval of a fitted one are from those under its middle.

    A part may be largest, or smallest, near the prior that was fitted. Then it hardly varies over resamples to first order, although it
    would be another one under the prior of all cases. ``units``: clusters of the cases that are kept (N,).
    """
    fit, rows = made_of.fit, slice(None) if made_of.rows is None else made_of.rows
    assert fit is not None
    if fit.of_a_case(0.0) is None:
        return np.zeros((1, len(NAMES)))
    steps = fit.steps[fit.told] if units is None else units.added_up(fit.steps[rows][kept])
    half = t_quantile(max(len(steps) - 1, 1), 0.5 + level / 2) * float(np.sqrt((steps**2).sum()))
    sizes, times = np.unique(made_of.n_annotations[rows][kept], return_counts=True)
    found = [_to_expect(loss, fit.of_a_case(step), sizes, times) for step in np.clip(half * STEPS, -MOST_STEP, MOST_STEP).tolist()]
    return np.array(found) - found[len(STEPS) // 2]


def _to_expect(loss: str, prior: Plausibilities, sizes: Int64, times: Int64) -> Array:
    """Return the four numbers to expect of cases with these numbers of labels if their laws have a prior."""
    inherent = float(prior.parts(LOSSES[loss]).inherent[0])
    left = [prior.annotation_after(int(n), LOSSES[loss], 1.0)[0] for n in sizes]
    annotation = float(np.average(left, weights=times))
    total = inherent + annotation
    return np.array([total, inherent, annotation, inherent / total])
