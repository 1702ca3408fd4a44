"""For whom a lead is shown, and the words for it: for these annotators or readers, or for others like them, too."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, Optional

Number = Optional[float]

# For whom a claim is: these annotators and others like them; these, and others of the same groups, where annotators of groups share no
# case; these, and others only if annotators vary like a normal law; these; nobody.
OTHERS, GROUPS, NORMAL, THESE, NOBODY = "others", "others of these groups", "others if normal", "these", "nobody"
ENOUGH = 6  # annotators: a panel of R is all of one of two camps with the probability 2^(1 - R), which is below 0.05 from 6 on
FEWEST = 3  # annotators of whom a claim about others can be made if they vary like a normal law
MISSED = 0.05  # probability with which kinds of annotators as frequent as ``missing_share`` have no one in the panel

ONE_BY_ONE = "The interval for others leaves out one annotator at a time, which does not see that votes could flip."


class WithinEnds(NamedTuple):
    """An interval over cases and annotators of the same groups, where annotators of groups share no case."""

    low: Number = None
    high: Number = None
    n_annotators: Number = None  # of one group with even shares of the labels who would give as much
    one_by_one: bool | None = None


class LeadEnds(NamedTuple):
    """The lead of a model over another, with intervals over cases, and over cases and annotators."""

    lead: float
    low: Number
    high: Number
    two_way_low: Number
    two_way_high: Number
    n_annotators: Number
    n_groups: int | None = None
    one_by_one: bool = False
    within: WithinEnds = WithinEnds()

    @property
    def turned(self) -> LeadEnds:
        """The lead of the other."""
        low, high, two_way_low, two_way_high, least, most = (None if x is None else -x for x in (*self[1:5], *self.within[:2]))
        within = self.within._replace(low=most, high=least)
        return self._replace(lead=-self.lead, low=high, high=low, two_way_low=two_way_high, two_way_high=two_way_low, within=within)

    @property
    def ahead(self) -> LeadEnds:
        """The lead of the one that is ahead."""
        return self.turned if self.lead < 0 else self


def claim_of(leads: Iterable[LeadEnds], margin: float = 0.0) -> str:
    """Return for whom all leads of a model are above a margin; each interval has its own level.

    Intervals that leave annotators out one by one carry no claim for others, because they do not see that votes could flip: where there
    are two kinds of annotators they are above 0 for equal models in up to 42% of studies. A claim for other annotators of the same groups
    needs as many as one of six: all annotators of R in G groups are of the kind of their group with the probability 2^(G - R).

    No correction for the number of models is needed: a false claim must beat the model that is truly best, and only one model can be
    ahead of all others [Gutmann & Maymin, Annals of Statistics 15 (1987) 456; Berger, Technometrics 24 (1982) 295].
    """
    known = list(leads)
    if not known or not all(_above(one.low, margin) for one in known):
        return NOBODY
    n = min(math.inf if one.n_annotators is None else one.n_annotators for one in known)
    seen = all(_above(one.two_way_low, margin) and not one.one_by_one for one in known)
    if seen and round(min(n, 1e6)) >= ENOUGH:
        return OTHERS
    if all(_above(one.within.low, margin) and not one.within.one_by_one and _enough(one.within.n_annotators) for one in known):
        return GROUPS
    return NORMAL if seen and round(min(n, 1e6)) >= FEWEST else THESE


def _enough(n_annotators: Number) -> bool:
    return n_annotators is not None and round(n_annotators) >= ENOUGH


def _above(low: Number, margin: float) -> bool:
    return low is not None and low > margin


def missing_share(n_annotators: Number) -> Number:
    """Return 1 - 0.05^(1/R): with a probability of 5%, a kind of annotators with this share of all has no one among R."""
    return None if n_annotators is None else 1 - MISSED ** (1 / n_annotators)


# ---- words


class Whom(NamedTuple):
    """Words for those whom a claim is about: ``people`` such as "5 annotators" (empty if unknown), and of what ``kinds`` they are."""

    people: str
    kinds: str = "annotators"
    number: str = ""  # of those of whom there are fewest; default: the first word of people

    @property
    def these(self) -> str:
        """Words such as "these 5 annotators", "this annotator"."""
        return f"this {self.people[2:]}" if self.people.startswith("1 ") else f"these {self.people or self.kinds}"

    @property
    def cannot(self) -> str:
        """Words such as "which 5 cannot show"."""
        return f"which {self.number or self.people.split(' ')[0]} cannot show"

    def missing(self, share: str) -> str:
        """Return the sentence on the kinds that may be missing; ``share``: such as "31%"."""
        return f"Kinds of {self.kinds} that make up less than {share} of all may be missing."

    def shown(self, claim: str) -> str:
        """Return the words that follow "shown"; for nobody there are none."""
        these = f"for {self.these}"
        return {
            OTHERS: f"{these} and for others like them",
            GROUPS: f"{these} and for others of the same groups",
            NORMAL: f"{these}, and for others only if {self.kinds} vary like a normal law",
            THESE: these,
        }[claim]


class LeadWords(NamedTuple):
    """The words of a lead: who is ``ahead`` of whom, ``by`` how much, with other cases (``alone``), and with other people too.

    ``within``: with other people of the same groups; ``groups``: such as "4 groups"; ``signs``: whether the last two intervals are above 0.
    """

    ahead: str
    by: str
    alone: str  # an interval; empty if there is none
    both: str
    within: str = ""
    groups: str = ""
    signs: tuple[bool, bool] = (False, False)


def said_of(claim: str, lead: LeadWords, whom: Whom, missing: str, one_by_one: bool = False) -> tuple[str, list[str]]:
    """Return the sentence that says for whom a lead is shown, and sentences that belong next to it; the claim is not "nobody"."""
    alone = f"With other cases and these {whom.kinds} the lead is {lead.alone}."
    if claim == OTHERS:
        of_groups = f"; other annotators of these groups: {lead.within}" if lead.within else ""
        found = f"{lead.ahead}, {whom.shown(claim)}: by {lead.by} ({lead.both}{of_groups})."
        return found, [alone, whom.missing(missing)]
    if claim == GROUPS:
        return f"{lead.ahead} for other annotators of these {lead.groups}, too: by {lead.by} ({lead.within}){_other_groups(lead)}.", [alone]
    for_these, of_cases = f" for {whom.these}" if whom.people else "", f" ({lead.alone} with other cases)" if lead.alone else ""
    found = f"{lead.ahead}{for_these}: by {lead.by}{of_cases}"
    within = [*_same_groups(lead, one_by_one), *[ONE_BY_ONE] * (one_by_one and bool(lead.both or lead.within))]
    if claim == NORMAL:
        return f"{found}; for others ({lead.both}) only if {whom.kinds} vary like a normal law, {whom.cannot}.", within
    if lead.both:
        return f"{found}; not shown for others ({lead.both}).", within
    return f"{found}.", within


def _same_groups(lead: LeadWords, one_by_one: bool) -> list[str]:
    """Return the sentence on other annotators of the same groups, if annotators of groups share no case."""
    if not lead.within:
        return []
    few = ", who are too few for a claim" if lead.signs[1] and not one_by_one else ""
    return [f"It is not shown for other annotators of these {lead.groups} ({lead.within}){few}."]


def _other_groups(lead: LeadWords) -> str:
    """Return the clause on other groups."""
    if not lead.both:
        return ""
    if lead.signs[0]:
        return f"; for other groups ({lead.both}) only if groups vary like a normal law"
    return f"; not shown for other groups ({lead.both})"
