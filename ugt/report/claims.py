"""The words of the verdict: whether a model is ahead of all others, and for whom."""

from __future__ import annotations

from .._base.claims import FEWEST, GROUPS, NOBODY, THESE, LeadWords, Whom, said_of
from .._base.counts import counted
from ..tables.rows import Number
from ..tables.verdict import VerdictRow
from .digest import Digest, names
from .digits import Digits


def claim(digest: Digest, row: VerdictRow) -> tuple[str, list[str]]:
    """Return the sentence that says for whom the first model is ahead, and sentences for the grey line."""
    pairs = (row.low, row.high), (row.two_way_low, row.two_way_high), (row.within_low, row.within_high)
    signs = (row.two_way_low or 0) > 0, (row.within_low or 0) > 0
    groups = "" if row.n_groups is None else f"{row.n_groups:,} groups"
    first = f"{names([row.model])} is ahead of {_others(digest, row)}"
    alone, both, within = (_ends(digest, *pair) for pair in pairs)
    lead = LeadWords(first, _lead(digest, row), alone, both, within, groups, signs)
    missing = "" if row.missing_share is None else Digits(0).percent(row.missing_share)
    one_by_one = bool(row.within_one_by_one) if lead.within else row.one_by_one
    whom = Whom(_people(digest, row), _kinds(row), _number(digest, row))
    said, more = said_of(row.claim, lead, whom, missing, one_by_one)
    why = _too_few(row, whom) if lead.both or row.claim == GROUPS else _why(digest, row)
    return said, [*more, *([why] if why else [])]


def apart_for_others(digest: Digest) -> list[str]:
    """Return the sentence on the difference of two models for other annotators, if neither is ahead."""
    row = digest.verdict
    ends = "" if row is None or [row.model, row.other] != digest.models[:2] else _ends(digest, row.two_way_low, row.two_way_high)
    return [f"With other {_kinds(row)}, too, the difference is {ends}."] if row is not None and ends else []


def _number(digest: Digest, row: VerdictRow) -> str:
    """Return how many annotators or groups there are, and as how many they count if some gave most of the labels."""
    n = row.n_groups or digest.source.data.n_annotators
    if not n or row.n_annotators is None or round(row.n_annotators) == n:
        return ""
    return f"{n:,}, who count as {row.n_annotators:.1f} because some gave most labels,"


def _too_few(row: VerdictRow, whom: Whom) -> str:
    """Return why an interval above 0 shows nothing for others; empty if there is another reason."""
    too_few = row.claim == THESE and not row.one_by_one and row.n_annotators is not None and round(row.n_annotators) < FEWEST
    return f"{whom.people} are too few for a claim about others." if too_few and (row.two_way_low or 0) > 0 else ""


def about_margin(digest: Digest, row: VerdictRow) -> list[str]:
    """Return the sentences on the margin that was stated, if one was."""
    if row.margin is None or row.superior is None or row.non_inferior is None:
        return []
    amount = digest.headline.with_unit(digest.digits.points(row.margin))
    if row.superior != NOBODY and row.superior == row.non_inferior:
        return [f"A lead of more than {amount} is {_shown(row, row.superior)}."]
    who = names(digest.models[1:2]) if row.n_models == 2 else "another model"
    behind = f"that {names([row.model])} is behind {who} by more is {_shown(row, row.non_inferior, 'excluded')}"
    return [f"A lead of more than {amount} is {_shown(row, row.superior)}; {behind}."]


def _others(digest: Digest, row: VerdictRow) -> str:
    return names(digest.models[1:2]) if row.n_models == 2 else f"the {row.n_models - 1} other models"


def _lead(digest: Digest, row: VerdictRow) -> str:
    """Return the lead over the next model with its unit."""
    assert row.lead is not None
    beside = digest.digits.beside(row.low, row.high)
    over = "" if row.n_models == 2 else f" over {names(digest.models[1:2])}"
    return f"{digest.headline.with_unit(beside.points(row.lead))}{over}"


def _ends(digest: Digest, low: Number, high: Number) -> str:
    """Return the interval of a lead; empty if there is none."""
    return "" if low is None or high is None else digest.digits.leads(low, high)


def _people(digest: Digest, row: VerdictRow) -> str:
    """Return text such as "5 annotators", "8 groups of annotators"; empty if the truth was given without annotators."""
    if row.n_groups is not None:
        return f"{row.n_groups:,} groups of annotators"
    data = digest.source.data
    if data.n_annotators:
        return counted(data.n_annotators, "annotator")
    return "annotators" if data.n_annotations else ""


def _kinds(row: VerdictRow) -> str:
    return "annotators" if row.n_groups is None else "groups"


def _shown(row: VerdictRow, claim: str, how: str = "shown") -> str:
    return f"not {how}" if claim == NOBODY else f"{how} {Whom('', _kinds(row)).shown(claim)}"


def _why(digest: Digest, row: VerdictRow) -> str:
    """Return why nothing is said about other annotators, if the data could have allowed it."""
    data = digest.source.data
    if not data.n_annotations or "annotators" not in digest.source.provenance.random:
        return ""
    if not data.n_annotators:
        return "Annotators have no names, so that nothing is known about others."
    return f"There is no interval for other {_kinds(row)}."
