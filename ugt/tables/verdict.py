"""Whether the model with the best value is ahead of all others, and for whom: for these annotators, or for others like them, too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Optional

from .._base.claims import LeadEnds, claim_of, missing_share
from .rows import Number

Measured = tuple[str, Optional[int], Number]  # a metric, its order, and the reliability of the truth


class VerdictRow(NamedTuple):
    """The lead of the model with the best value over the next one, in units of the metric, and for whom it is ahead of all others.

    Leads are above 0 if the first is better, also where lower values are better. The claims say for whom all leads are above 0, above
    the margin (``superior``) and above minus the margin (``non_inferior``): others (these annotators and others like them), others of
    these groups, others if normal (others if annotators vary like a normal law), these (these annotators), or nobody.
    """

    metric: str
    k: int | None
    reliability: Number
    model: str
    other: str | None  # None: no other has a value
    claim: str
    lead: Number
    low: Number  # over cases
    high: Number
    two_way_low: Number  # over cases and annotators
    two_way_high: Number
    n_models: int
    n_annotators: Number  # or groups of them, with even shares of the labels that would give as much; None: no interval is over annotators
    n_groups: int | None  # of annotators who share no case, such as sites; None: annotators share cases
    one_by_one: bool  # whether the interval leaves annotators out one by one: then no claim for others is made
    missing_share: Number  # kinds of annotators with smaller shares of all may be missing, in [0, 1]
    margin: Number = None  # in units of the metric
    superior: str | None = None
    non_inferior: str | None = None
    within_low: Number = None  # over cases and annotators of the same groups
    within_high: Number = None
    n_within: Number = None  # annotators of one group with even shares who would give as much
    within_one_by_one: bool | None = None


def verdict_of(key: Measured, ordered: Sequence[str], leads: Sequence[LeadEnds], margin: float | None) -> VerdictRow:
    """Return the row of a measure from the models, best first, and the leads of the first over each other one."""
    first = leads[0] if leads else LeadEnds(math.nan, *(None,) * 5)
    claims = (None, None) if margin is None else (claim_of(leads, margin), claim_of(leads, -margin))
    lead = None if math.isnan(first.lead) else first.lead
    other = ordered[1] if len(ordered) > 1 else None
    n, missing, within = first.n_annotators, missing_share(first.n_annotators), first.within
    return VerdictRow(
        *key, ordered[0], other, claim_of(leads), lead, first.low, first.high, first.two_way_low, first.two_way_high, len(ordered),
        n, first.n_groups, first.one_by_one, missing, margin, claims[0], claims[1],
        within.low, within.high, within.n_annotators, within.one_by_one,
    )  # fmt: skip
