"""Differences of all pairs of models, as an appendix."""

from __future__ import annotations

from itertools import combinations

from ...tables.rank_sets import RankRow
from ...tables.source import ReportSource
from .. import markup as html
from .. import words
from ..digest import Digest, shown
from ..markup import Section
from ..rows import plain_table

TITLE = "Differences of all pairs of models"
MOST_SHOWN = 6  # most models


def render(source: ReportSource) -> Section | None:
    """Return the differences of all pairs of more than two models; a single pair has another section."""
    digest = Digest(source)
    pairs = [(a, b, lead) for a, b in combinations(digest.models[:MOST_SHOWN], 2) if (lead := digest.lead(a, b)) is not None]
    if len(digest.models) < 3 or not pairs or digest.withheld:
        return None
    if len(digest.models) > MOST_SHOWN and source.rows(RankRow):  # ranks of all models say more than pairs of some
        return None
    how = f"Intervals ({html.level_of(source)}) hold together for all pairs, on the same resamples of the {words.unit(source)}."
    digits = digest.headline.digits((lead.low, lead.high) for _, _, lead in pairs)
    ends = [(lead.low, lead.high) for *_, lead in pairs]
    cells = [[digits.beside(*both).lead(lead.value), digits.leads(*both)] for (*_, lead), both in zip(pairs, ends)]
    rows = [(f"{shown(a)} − {shown(b)}", own) for (a, b, _), own in zip(pairs, cells)]
    drawn = f"the first {MOST_SHOWN} models, " if len(digest.models) > MOST_SHOWN else ""
    measure = f"{digest.headline.name.lower()}, {digest.headline.units}; above 0: the first is ahead"
    note = f"{drawn}{measure}{digest.at_main}; differences.csv has the other measures and the voted label"
    return html.section("comparison", TITLE, how, plain_table("Differences of models", note, ["", "difference", "interval"], rows))
