"""What ``ugt reader-study`` says of leads and margins: for these readers, and for others like them."""

from __future__ import annotations

import math

from .._base.claims import NOBODY, NORMAL, OTHERS, THESE, LeadWords, said_of
from .._base.names import listed
from ..report.digits import Digits
from ..studies import MarginClaim, ReaderVerdict
from .command import decimal

SPOKEN = {"model": "the model", "readers": "the mean of the readers"}
NOT_SHOWN = "not demonstrated (this does not show that it is worse)"


def verdict(found: ReaderVerdict | None, alone: bool = False) -> list[str]:
    """Return the sentences of the verdict; ``alone``: of a model against readers. None if cases are fixed."""
    if found is None:
        return []

    def spoken(name: object) -> str:
        return SPOKEN[str(name)] if alone else str(name)

    first, others = spoken(found.first), [*map(spoken, found.others)]
    by, these, both = _numbers(found)
    if found.whom == NOBODY:
        open_ = [first, *map(spoken, found.undecided)]
        named = " and ".join(open_) if len(open_) == 2 else listed(open_)
        ends = [f"{these} for {found._about.these}"] * bool(these) + [f"{both} for others like them"] * bool(both)
        apart = f", a difference of {by} ({', '.join(ends)})" if len(open_) == 2 and ends and found.undecided[0] == found.others[0] else ""
        return [f"{_at_start(named)} cannot be distinguished{apart}."]
    ahead = f"{_at_start(first)} is ahead of {others[0] if len(others) == 1 else f'the {len(others)} other tests'}"
    lead = LeadWords(ahead, by if len(others) == 1 else f"{by} over {others[0]}", these, both)
    missing = "" if math.isnan(found.missing_share) else Digits(0).percent(found.missing_share)
    said, more = said_of(found.whom, lead, found._about, missing)
    few = f"{found._about.number} {found._about.kinds} cannot show how others differ."
    return [said, *more, *([few] if found.whom == THESE and found.two_way_low > 0 else [])]


def claimed(claim: MarginClaim, what: str) -> list[str]:
    """Return the sentence on the margin that was stated, and the line on missing kinds beside a claim for others."""
    about, more = claim._about, []
    limits = [f"lower limit {decimal(claim.low)}"]
    apart = claim.whom is not None and claim.low != claim.cases_low and not math.isnan(claim.cases_low)
    if apart:
        limits = [f"lower limit {decimal(claim.cases_low)} with other cases", f"{decimal(claim.low)} for others like them"]
    if claim.whom is None:
        shown = "demonstrated for these cases" if claim.decision else NOT_SHOWN
    elif claim.whom == NOBODY:
        shown = NOT_SHOWN
    else:
        shown = f"demonstrated {about.shown(claim.whom)}"
        shown += f", {about.cannot}" if claim.whom == NORMAL else "; not shown for others" if claim.whom == THESE and apart else ""
        more = [about.missing(Digits(0).percent(claim.missing_share))] * (claim.whom == OTHERS)
    limits += [f"margin {claim.margin:g}", f"one-sided level {claim.level:g}"]
    return [f"Non-inferiority of {what}: {shown}; {', '.join(limits)}.", *more]


def _numbers(found: ReaderVerdict) -> tuple[str, str, str]:
    """Return the lead and its intervals, with decimals by their widths, and so many that no end rounds onto 0."""
    ends = [tuple(None if math.isnan(end) else end for end in two) for two in _intervals(found)]
    digits = Digits.proportion((low, high) for low, high in ends)
    for low, high in ends:
        digits = digits.beside(low, high)
    by, n = decimal(found.lead, digits.decimals), digits.decimals
    these, both = ("" if low is None or high is None else f"{decimal(low, n)} to {decimal(high, n)}" for low, high in ends)
    return by, these, both


def _intervals(found: ReaderVerdict) -> tuple[tuple[float, float], tuple[float, float]]:
    return (found.low, found.high), (found.two_way_low, found.two_way_high)


def _at_start(text: str) -> str:
    """Return words at the start of a sentence; names of users stay as they are."""
    return f"The{text[3:]}" if text.startswith(tuple(SPOKEN.values())) else text
