"""What is open about one more label: with any number of such annotators, and because of these annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._base.notes import Note
from .context import Ask, Made
from .rows import Number, both, finite

if TYPE_CHECKING:
    from ..truth import UncertaintyParts
    from .context import Context


class UncertaintyRow(NamedTuple):
    """What is open about one more label under one truth, in nats: the parts of the entropy, with intervals over cases.

    The inherent part would stay open with any number of such annotators, and annotations leave the other part open. ``settled``: what 1, 5
    and 20 further labels per case are expected to settle of it; of labels only.
    """

    reliability: Number
    total: Number
    total_low: Number
    total_high: Number
    inherent: Number
    inherent_low: Number
    inherent_high: Number
    annotation: Number
    annotation_low: Number
    annotation_high: Number
    inherent_share: Number  # in [0, 1]
    inherent_share_low: Number
    inherent_share_high: Number
    settled_1: Number
    settled_5: Number
    settled_20: Number
    n_cases: int


TABLES = {"uncertainty": UncertaintyRow}
FURTHER = (1, 5, 20)  # labels per case


def row_of(reliability: float | None, found: UncertaintyParts, labels: bool) -> UncertaintyRow:
    """Return a row without intervals; ``labels``: whether annotations are labels, each of which adds the reliability."""
    numbers = found.total, found.inherent, found.annotation, found.inherent_share
    total, inherent, annotation, share = ((finite(number), None, None) for number in numbers)
    gamma = 1.0 if reliability is None else reliability
    one, five, twenty = (finite(found.settled(n, reliability=gamma).value) if labels else None for n in FURTHER)
    return UncertaintyRow(reliability, *total, *inherent, *annotation, *share, one, five, twenty, found.n_cases)


def make(context: Context, notes: list[Note]) -> Made:
    """Return a row for each truth whose parts are in closed form, with intervals over cases at the middle reliability."""
    main = context.parts.get(context.reliability)
    if main is None:
        return {"uncertainty": context.uncertainty}
    (found,) = yield [Ask(main.statistic.compact(), context.options.n_resamples, context.counted)]
    ends = main.along_prior(context.intervals(found), context.options.level, context.clusters)
    pairs = zip(main.statistic.names, ends.tolist())
    more: dict[str, Any] = {f"{name}_{end}": number for name, pair in pairs for end, number in zip(("low", "high"), both(pair))}
    return {"uncertainty": [row._replace(**more) if row.reliability == context.reliability else row for row in context.uncertainty]}
