"""The split-panel check: does the truth model predict the annotations of annotators who were held out?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base import notices
from .._base.notes import Note
from ..truth import by_name, leading
from ..truth.leading import OPTIONS, CheckedTruth, cures, options_of
from ..truth.panel_check import Halves, PanelCheck
from .context import MOST_CELLS, Made
from .names import truth_name
from .rows import Number, both, finite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context


class PanelRow(NamedTuple):
    """How often held-out annotators agree with the vote of the others, and how often the truth model says; annotator None: all."""

    reliability: Number
    annotator: str | None
    predicted: float
    observed: float
    low: Number
    high: Number
    p_value: Number
    adjusted_p_value: Number
    n_cases: int


__all__ = ["REFUTED", "SIGNIFICANT", "TABLES", "CheckedTruth", "PanelRow", "make"]
SIGNIFICANT = leading.REFUTED  # p-value below which a truth model is refuted
TABLES = {"panel_check": PanelRow, "truth_checks": CheckedTruth}
MOST_ANNOTATORS = 40
REFUTED = 0.001  # p-value below which a truth model that was asked for is said on page one not to describe the annotators


def make(context: Context, notes: list[Note]) -> Made:
    """Return a row for each reliability, and below the middle one a row for each annotator, if they are few; and what else was checked.

    Truths are drawn again under the middle reliability only, and not for each annotator.
    """
    known, how = context.known.judged, context.aggregation
    if how not in OPTIONS or known is None:
        return {"truth_checks": context.checked}
    if known.n_cases * known.n_classes > MOST_CELLS:
        notes.append(Note("too_large", "Annotators were not held out: over {most:,} cases x classes.", most=MOST_CELLS))
        return {"truth_checks": context.checked}
    sampled = how == "plackett-luce"
    each = 0 < len(known.annotators) <= MOST_ANNOTATORS and how in ("dirichlet", "prirn") and np.ndim(context.making.prior) < 2
    own = context.making.annotator_reliability
    found: dict[float | None, PanelCheck] = {}
    with notices.heard():
        try:
            halves = Halves.of(known, 1, context.clusters, context.making.seed)
            for reliability in [context.reliability] if sampled else dict.fromkeys(row.reliability for row in context.certainty):
                weight = reliability if own is None else {name: reliability * value for name, value in own.items()}
                options = options_of(how, weight, context.making)
                found[reliability] = halves.check(how.replace("-", "_"), each and reliability == context.reliability, options)
        except ValueError:  # no case has two annotators
            return {"truth_checks": context.checked}
    main = found.get(context.reliability)
    if main is not None and main.p_value < REFUTED:
        words = "The truth model does not describe these annotators (at {truth}): {sentence}"
        notes.append(Note("truth_model_refuted", words, truth=truth_name(context.reliability), sentence=main.sentence()))
    checked = context.checked
    if not checked and main is not None and main.p_value < SIGNIFICANT:  # one that was asked for: another one may describe them
        checked = cures(known, replace(context.making, prior=by_name.Making.prior, fit=None), context.clusters, halves)
    rows = [row for reliability, one in found.items() for row in _rows(one, reliability, context.options.level)]
    return {"panel_check": rows, "truth_checks": checked}


def _rows(found: PanelCheck, reliability: float | None, level: float) -> Iterator[PanelRow]:
    ends = both(found.interval(level))
    yield PanelRow(reliability, None, found.predicted, found.observed, *ends, finite(found.p_value), None, found.n_cases)
    parts = found.per_annotator
    if parts is None:
        return
    for a, own in enumerate(parts.intervals(level)):
        yield PanelRow(
            reliability, str(parts.name[a]), float(parts.predicted[a]), float(parts.observed[a]), *both(own),
            finite(parts.p_value[a]), finite(parts.adjusted_p_value[a]), int(parts.n_cases[a]),
        )  # fmt: skip
