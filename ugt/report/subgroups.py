"""Each subgroup less the other cases: a table, and in which subgroups a model is shown to be worse."""

from __future__ import annotations

from collections.abc import Sequence

from .._base.claims import NOBODY, NORMAL, OTHERS, THESE
from .._base.counts import whole
from ..tables.names import higher_is_better
from ..tables.rows import defined
from ..tables.strata import METRICS
from ..tables.subgroups import SubgroupDifferenceRow
from .digest import Digest, joined, shown
from .digits import Digits
from .markup import NONE, unique
from .rows import MOST_ORDERED, TOO_FEW, first_of, lead_below, plain_table

MOST_NAMES = 3  # subgroups in a sentence
MOST_MODELS = 4  # with columns
SAID = {OTHERS: "shown, also for other annotators", NORMAL: "shown for these annotators", THESE: "shown for these annotators"}
HOW = (
    "A difference is shown if its interval excludes 0 at the level at which the intervals of all subgroups and models hold together. "
    "A difference that is not shown may still be there."
)


def compared(digest: Digest) -> list[SubgroupDifferenceRow]:
    """Return the rows of subgroups that have an interval under some model; none if there are too few cases for any."""
    entries = [] if digest.withheld else digest.source.rows(SubgroupDifferenceRow)
    known = {(e.stratum, e.level) for e in entries if e.low is not None}
    return [e for e in entries if (e.stratum, e.level) in known and e.model in digest.models]


def table(digest: Digest, entries: Sequence[SubgroupDifferenceRow]) -> str:
    """Return the table of differences, and how to read it; the largest ones if there are many."""
    drawn = digest.models[:MOST_MODELS]
    groups: dict[tuple[str, str], dict[str, SubgroupDifferenceRow]] = {}
    for e in entries:
        groups.setdefault((e.stratum, e.level), {})[e.model] = e
    if not groups:
        return ""
    kept = sorted(groups, key=lambda at: -max(abs(e.difference or 0.0) for e in groups[at].values()))[:MOST_ORDERED]
    digits = digest.share_digits((e.low, e.high) for e in entries)
    rows = []
    for stratum, level in (at for at in groups if at in kept):
        own = groups[stratum, level]
        first = next(iter(own.values()))
        n = whole(first.n_cases) + ('<span class="below">few</span>' if first.few else "")
        rows.append((f"{shown(stratum)}: {shown(level)}", [n, *(_cell(digits, own.get(model)) for model in drawn)]))
    more = f"; the {len(kept)} largest of {len(groups):,}" if len(kept) < len(groups) else ""
    what = METRICS[entries[0].metric]
    note = f"{what}, percentage points; {digest.intervals} over other cases, each by itself{first_of(drawn, digest.models)}{more}"
    return plain_table("Each subgroup less the other cases", note, ["", "cases", *map(shown, drawn)], rows) + f"<p>{HOW}</p>"


def _cell(digits: Digits, e: SubgroupDifferenceRow | None) -> str:
    if e is None or e.difference is None:
        return NONE
    if e.low is None:
        return f'{digits.lead(e.difference)}<span class="below">{TOO_FEW}</span>'
    said = SAID.get(e.claim, "")
    return lead_below(digits, e.difference, e.low, e.high) + (f'<span class="below">{said}</span>' if said else "")


def heading(entries: Sequence[SubgroupDifferenceRow]) -> str:
    """Say in which subgroups a model is shown to be worse than in the other cases; empty without subgroups."""
    if not entries:
        return ""
    models, worse = unique(e.model for e in entries), [e for e in entries if e.claim != NOBODY and _is_worse(e)]
    if not worse:
        columns = [shown(one) for one in unique(e.stratum for e in entries)]
        which = columns[0] if len(columns) == 1 else f"{', '.join(columns[:-1])} or {columns[-1]}"
        who = shown(models[0]) if len(models) == 1 else "a model"
        return f"In no subgroup of {which} is {who} shown to be worse than in the other cases"
    parts = []
    for model in unique(e.model for e in worse):
        own = sorted((e for e in worse if e.model == model), key=lambda e: -abs(defined(e.difference)))
        where = [f"{shown(e.level)} ({shown(e.stratum)})" for e in own[:MOST_NAMES]]
        where += [f"{len(own) - MOST_NAMES} more"] if len(own) > MOST_NAMES else []
        parts.append(f"{shown(model)} is shown to be worse in {joined(where)} than in the other cases")
    most = parts[:MOST_NAMES]
    return "; ".join(most) + (f"; so {_are(len(parts) - len(most))}" if len(parts) > len(most) else "")


def _are(n: int) -> str:
    return "is one more model" if n == 1 else f"are {n} more models"


def _is_worse(e: SubgroupDifferenceRow) -> bool:
    return (defined(e.difference) < 0) == higher_is_better(e.metric)
