"""Tables of measures with the models side by side, and which of the first two is ahead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from ..tables.standings import MetricRow
from . import words
from .digest import Digest, briefly, shown
from .digits import Digits
from .markup import NONE, level_of
from .rows import below

MOST = 4  # models with columns
JOINT = "Who is ahead: by intervals of the difference that hold together for all pairs of models."
Measure = tuple[str, Optional[int]]  # a metric, and its order


def value_cell(digest: Digest, digits: Digits, row: MetricRow | None) -> str:
    """Return the value of a row with its interval over cases below; a dash if there is none."""
    return NONE if row is None else below(digits, row.value, *digest.case_ends(row))


def ends_below(digest: Digest, at: str | None = None) -> str:
    """Return what stands below the values of a table; ``at``: words for the truth, if not those for the main one."""
    said = f"{level_of(digest.source)} intervals over {words.unit(digest.source)} below each value"
    return f"{'No interval can be trusted' if digest.withheld else said}{digest.at_main if at is None else at}"


class SideBySide:
    """The columns of a table of measures: models, baselines, and which of the first two models is ahead."""

    def __init__(self, digest: Digest, measures: Iterable[Measure]) -> None:
        self.digest, self.drawn = digest, digest.models[:MOST]
        self.pair = self.drawn[:2] if len(self.drawn) > 1 and not digest.withheld else []
        self.leads = {(m, k): digest.lead(self.pair[0], self.pair[1], m, k=k) for m, k in measures} if self.pair else {}

    def rows(self, metric: str, k: int | None) -> list[MetricRow | None]:
        """Return the rows of the models in a measure under the main truth."""
        return [self.digest.of_main(model, metric, k) for model in self.drawn]

    def ahead(self, metric: str, k: int | None) -> list[str]:
        """Return the cell of the lead of the first model over the second; no cell if there are not two."""
        lead = self.leads.get((metric, k))
        return [NONE if lead is None else lead.said(briefly(self.pair))] if self.pair else []

    def heads(self, first: str, *baselines: str) -> list[str]:
        """Return the headings of the columns."""
        return [first, *map(shown, self.drawn), *baselines, *([" or<br>".join(briefly(self.pair))] if self.pair else [])]

    def note(self, place: str) -> str:
        """Return what the intervals of the table are, and where further models are."""
        left = len(self.digest.models) - MOST
        more = f"; {left} more models are in {place}" if left > 0 else ""
        return f"{ends_below(self.digest)}{more}"
