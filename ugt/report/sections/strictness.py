"""Who is strict, annotator by annotator."""

from __future__ import annotations

from ...tables.rows import defined
from ...tables.source import ReportSource
from ...tables.strictness import StrictAnnotatorRow, StrictnessRow
from ..digest import Digest, names, shown
from ..markup import NONE, Section, finding, level_of
from ..rows import both_ends_of, lead_below, plain_table

MOST_NAMES = 3  # annotators in a sentence
MIRROR = 1.2  # times the mirror image of the annotator who lies farthest apart, from where another one is named


def render(source: ReportSource) -> Section | None:
    """Return a table of the annotators; None unless they are named and gave grades."""
    entries = [e for e in source.rows(StrictnessRow) if e.leniency is not None]
    if not entries:
        return _differences(source)
    drawn, more = both_ends_of(entries, "most lenient", "strictest")
    rows = [(shown(e.annotator), [f"{e.n_labels:,}", *_numbers(e)]) for e in drawn]
    note = f"{level_of(source)} intervals from standard errors{more}; strictness.csv has all"
    table = plain_table("Annotators, the most lenient first", note, ["", "labels", "leniency", "discrimination"], rows)
    how = (
        "<p>Leniency: how much more severe than for the mean annotator a case must be before this annotator gives the same grade, in "
        "standard deviations of the severity of these cases; below 0 the annotator is strict. Discrimination: how sharply the annotator "
        "separates severities; the higher, the less noise. Both are estimates under the graded-response model, which takes annotators as "
        "independent given the severity.</p>"
    )
    return finding("strictness", "Who is strict", _heading(entries), table, how)


def _differences(source: ReportSource) -> Section | None:
    """Return the section of ratings; of grades, the section on the annotators has a sentence, and an appendix the table."""
    found = content(source)
    if found is None or source.data.kind != "ratings":
        return None
    table, how, heading = found
    return finding("strictness", "Who is strict", heading, table, f"<p>{how}</p>")


def content(source: ReportSource) -> tuple[str, str, str] | None:
    """Return the table, how to read it, and who gives higher or lower numbers than the others; None without named annotators."""
    entries = [e for e in source.rows(StrictAnnotatorRow) if e.strictness is not None]
    if not entries:
        return None
    digest = Digest(source)
    drawn, more = both_ends_of(entries, "highest", "lowest")
    digits = digest.amount_digits((e.joint_low, e.joint_high) for e in entries)
    rows = []
    for e in drawn:
        bias, spreads = lead_below(digits, e.strictness, *digest.ends(e.joint_low, e.joint_high)), (e.spread, e.others_spread)
        rows.append((shown(e.annotator), [f"{e.n_cases:,}", bias, *map(digits.value, spreads)]))
    note = f"In {digest.headline.units}; {level_of(source)} intervals that hold for all annotators together{more}"
    heads = ["", "cases", "less the<br>others", "spread", "spread of<br>the others"]
    things = "ratings" if source.data.kind == "ratings" else "grades"
    how = (
        f"An annotator whose {things} are higher than those of the others in the same cases is strict, if higher {things} are more "
        f"severe. The spread is the standard deviation of the annotator’s {things}: if it is much smaller than that of the others, the "
        "annotator avoids the ends of the scale. This compares annotators with each other, not with the truth."
    )
    high = [e for e in entries if e.joint_low is not None and e.joint_low > 0]
    low = [e for e in entries if e.joint_high is not None and e.joint_high < 0]
    table = plain_table("Each annotator less the others, in the same cases", note, heads, rows)
    return table, how, _apart(high, low[::-1], things, len(entries))


def _apart(high: list[StrictAnnotatorRow], low: list[StrictAnnotatorRow], things: str, n: int) -> str:
    """Name the annotators with the highest and the lowest numbers, if their intervals exclude 0.

    If one of n annotators lies apart, the others differ from their mean, too, by 1 / (n - 1) of it in the other direction: not named.
    """
    parts = []
    largest = max((abs(defined(e.strictness)) for e in (*high, *low)), default=0.0)
    for found, word in ((high, "higher"), (low, "lower")):
        own = [e for e in found if abs(defined(e.strictness)) > MIRROR * largest / (n - 1)]
        if n == 2 and found:  # each is the other's mirror image
            return f"{names([found[0].annotator])} gives {word} {things} than the other"
        if own:
            more = f" and {len(own) - MOST_NAMES} more" if len(own) > MOST_NAMES else ""
            who = names([e.annotator for e in own[:MOST_NAMES]]) + more
            parts.append(f"{who} give{'s' * (len(own) == 1)} {word} {things} than the others")
    return "; ".join(parts) or f"No annotator is shown to give higher or lower {things} than the others"


def _numbers(e: StrictnessRow) -> tuple[str, str]:
    """Return the leniency and the discrimination."""
    leniency = _cell(e.leniency, e.leniency_low, e.leniency_high, "+")
    return leniency, _cell(e.discrimination, e.discrimination_low, e.discrimination_high)


def _cell(value: float | None, low: float | None, high: float | None, plus: str = "") -> str:
    if value is None:
        return NONE
    sign = plus if value > 0 else ""
    ends = "" if low is None or high is None else f'<span class="below">{low:.2f} to {high:.2f}</span>'
    return f"<b>{sign}{value:.2f}</b>{ends}".replace("-", "−")


def _heading(entries: list[StrictnessRow]) -> str:
    """Name the most lenient and the strictest annotator whose intervals exclude 0."""
    lenient = [e for e in entries if e.leniency_low is not None and e.leniency_low > 0]
    strict = [e for e in entries if e.leniency_high is not None and e.leniency_high < 0]
    if not lenient and not strict:
        return "No annotator is shown to be stricter or more lenient than the others on average"
    parts = []
    for found, word, first in ((strict, "stricter", -1), (lenient, "more lenient", 0)):
        if found:
            who = names([found[first].annotator]) + (f" and {len(found) - 1} more" if len(found) > 1 else "")
            parts.append(f"{who} {'is' if len(found) == 1 else 'are'} {word} than the mean annotator")
    return "; ".join(parts)
