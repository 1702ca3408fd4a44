"""The split-panel check: does the truth model predict the annotations of annotators who were held out?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import notices
from ..truth.panel_check import Halves, PanelCheck
from .context import MOST_CELLS, Made
from .names import truth_name
from .rows import ends_of, finite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context
    from .rows import Row

TABLES = {"panel_check": ("reliability", "annotator", "predicted", "observed", "low", "high", "p_value", "adjusted_p_value", "n_cases")}
# Options of the truth model that each check uses; truths are drawn again under the middle reliability only, and not for each annotator.
OPTIONS = {
    "dirichlet": ("prior",),
    "prirn": ("tie_weight", "background"),
    "plackett-luce": ("prior_mass", "unranked", "n_draws", "n_warmup", "n_chains", "seed", "n_threads"),
}
MOST_ANNOTATORS = 40
REFUTED = 0.001  # p-value below which the truth model is said first of all not to describe the annotators


def make(context: Context, notes: list[str]) -> Made:
    """Return a row for each reliability, and below the middle one a row for each annotator, if they are few."""
    known, how = context.known.judged, context.aggregation
    if how not in OPTIONS or known is None:
        return {}
    if known.n_cases * known.n_classes > MOST_CELLS:
        notes.append(f"Annotators were not held out: over {MOST_CELLS:,} cases x classes.")
        return {}
    sampled = how == "plackett-luce"
    each = 0 < len(known.annotators) <= MOST_ANNOTATORS and not sampled and np.ndim(context.making.prior) < 2
    options: dict[str, Any] = {name: getattr(context.making, name) for name in OPTIONS[how]}
    options.update(context.making.few if sampled else {})
    own = context.making.annotator_reliability
    found: dict[float | None, PanelCheck] = {}
    with notices.heard():
        try:
            halves = Halves.of(known, 1, context.clusters, context.making.seed)
            for reliability in [context.reliability] if sampled else dict.fromkeys(row["reliability"] for row in context.certainty):
                options["reliability"] = reliability if own is None else {name: reliability * value for name, value in own.items()}
                found[reliability] = halves.check(how.replace("-", "_"), each and reliability == context.reliability, options)
        except ValueError:  # no case has two annotators
            return {}
    main = found.get(context.reliability)
    if main is not None and main.p_value < REFUTED:
        notes.append(f"The truth model does not describe these annotators (at {truth_name(context.reliability)}): {main.sentence()}")
    rows = [row for reliability, one in found.items() for row in _rows(one, reliability, context.options.level)]
    return {"panel_check": rows}


def _rows(found: PanelCheck, reliability: float | None, level: float) -> Iterator[Row]:
    yield {
        "reliability": reliability, "annotator": None, "predicted": found.predicted, "observed": found.observed,
        **ends_of(found.interval(level)), "p_value": finite(found.p_value), "adjusted_p_value": None, "n_cases": found.n_cases,
    }  # fmt: skip
    parts = found.per_annotator
    if parts is None:
        return
    for a, ends in enumerate(parts.intervals(level)):
        yield {
            "reliability": reliability, "annotator": str(parts.name[a]), "predicted": float(parts.predicted[a]),
            "observed": float(parts.observed[a]), **ends_of(ends), "p_value": finite(parts.p_value[a]),
            "adjusted_p_value": finite(parts.adjusted_p_value[a]), "n_cases": int(parts.n_cases[a]),
        }  # fmt: skip
