"""The table of the comparison, and the page that it stands on. Needs none of the peers."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

SIDES = ("ours", "theirs")
HEADINGS = ("job", "size", "ugt", "peer", "ratio", "memory ugt", "memory peer", "answers apart", "spread", "")


@dataclass
class Row:
    """A job and what its runs found: one entry a run, as measure.py printed it, or {"failed": why}."""

    peer: str
    name: str
    size: str
    runs: list[dict] = field(default_factory=list)

    def whole(self):
        """The runs that were timed."""
        return [run for run in self.runs if "time" in run]

    def trouble(self):
        """Why there is no ratio, or None. One run in which the answers disagree is enough."""
        for run in self.runs:
            if "failed" in run:
                return f"not measured: {run['failed']}"
            check = run["check"]
            if not check["apart"] <= check["tolerance"]:  # NaN disagrees too
                return f"answers disagree: {check['apart']:.2g}, at most {check['tolerance']:g} allowed; not timed"
        return None if self.whole() else "not measured"

    def cost(self, run, side):
        """Seconds; or seconds per effective draw, where rates are compared."""
        effective = run["check"]["effective"]
        return run["time"][side]["median"] / (effective[SIDES.index(side)] if effective else 1.0)

    def ratios(self):
        """What the peer takes over what ugt takes, of each run."""
        return [self.cost(run, "theirs") / self.cost(run, "ours") for run in self.whole()]

    def spread(self, side):
        """Largest median absolute deviation within a run, over the median."""
        return max(run["time"][side]["spread"] for run in self.whole())

    def bounds(self):
        """Range of the ratio over the runs; of one run, what its spread leaves open."""
        ratios = self.ratios()
        if len(ratios) > 1:
            return min(ratios), max(ratios)
        apart = self.spread("ours") + self.spread("theirs")
        return ratios[0] / (1 + apart), ratios[0] * (1 + apart)

    def verdict(self):
        """In words, who is faster; nothing where it is ugt."""
        low, high = self.bounds()
        return "" if low > 1 else "**peer wins**" if high < 1 else "no difference beyond noise"


def duration(seconds):
    for unit, least in (("s", 1.0), ("ms", 1e-3), ("µs", 0)):
        if seconds >= least:
            return f"{seconds * {'s': 1, 'ms': 1e3, 'µs': 1e6}[unit]:.3g} {unit}"
    raise ValueError(f"{seconds} seconds")


def number(value):
    """Two or three digits, none of them an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def cells(row):
    """A line of the table, as HEADINGS has it."""
    trouble = row.trouble()
    if trouble:
        return [row.name, row.size, "", "", "", "", "", "", "", trouble]
    runs, ratios = row.whole(), row.ratios()
    effective = runs[0]["check"]["effective"]
    shown, memory = [], []
    for side in SIDES:
        cost = statistics.median(row.cost(run, side) for run in runs)
        shown.append(f"{number(1 / cost)} draws/s" if effective else duration(cost))
        found = [run["memory"][side] for run in runs]
        peak = statistics.median(one["peak"] for one in found)
        memory.append(f"{peak:.0f} (+{statistics.median(one['peak'] - one['before'] for one in found):.0f})")
    ratio = number(statistics.median(ratios))
    if len(ratios) > 1:
        ratio += f" ({number(min(ratios))}–{number(max(ratios))})"
    apart = max(run["check"]["apart"] for run in runs)
    spread = " / ".join(f"{100 * row.spread(side):.0f} %" for side in SIDES)
    return [row.name, row.size, *shown, ratio, *memory, f"{apart:.1g} of {runs[0]['check']['tolerance']:g}", spread, row.verdict()]


def markdown(rows):
    lines = [HEADINGS, ["---"] * len(HEADINGS), *map(cells, rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def plain(rows):
    """For the terminal: peer, job, size, times, ratio, verdict."""
    lines = []
    for row in rows:
        name, size, ours, theirs, ratio, *_, verdict = cells(row)
        lines.append(f"{row.peer:13} {name:48.48} {size:42.42} {ours:>14} {theirs:>14} {ratio:>20}  {verdict.replace('*', '')}\n")
    return "".join(lines)


def first_calls(rows):
    """Jobs whose first call takes half a second longer than the others: compiling, mostly."""
    lines = []
    for row in rows:
        if row.trouble():
            continue
        for side, who in zip(SIDES, ("ugt", row.peer)):
            first = statistics.median(run["time"][side]["first"] for run in row.whole())
            later = statistics.median(run["time"][side]["median"] for run in row.whole())
            if first > later + 0.5:
                lines.append(f"- {row.name}, {row.size}: {who} takes {duration(first)} the first time, {duration(later)} afterwards.\n")
    return "".join(lines)


def notes(rows):
    """What differs between the two sides, once for each job."""
    found = {}
    for row in rows:
        for run in row.runs:
            if run.get("check", {}).get("note"):
                found.setdefault(run["check"]["note"], []).append(row.name)
    return "".join(f"- {', '.join(dict.fromkeys(names))}: {note}.\n" for note, names in found.items())


def page(rows, peers, facts):
    """docs/versus.md. ``peers``: the versions of each, or why it was not measured; ``facts``: lines about the machine."""
    n_runs = max((len(row.runs) for row in rows), default=0)
    wins = [row for row in rows if not row.trouble() and row.verdict().startswith("**")]
    apart = [row for row in rows if (row.trouble() or "").startswith("answers disagree")]
    text = INTRODUCTION
    text += "".join(f"- {fact}\n" for fact in [*facts, f"{n_runs} whole run{'s' if n_runs != 1 else ''}"])
    timed = sum(not row.trouble() for row in rows)
    text += f"\n{len(rows)} rows, {timed} of them timed; the peer wins {len(wins)}; the answers disagree in {len(apart)}.\n"
    for peer, versions in peers.items():
        text += f"\n## {peer}\n\n"
        if isinstance(versions, str):
            text += f"Not measured: {versions}\n"
            continue
        text += ", ".join(f"{name} {version}" for name, version in versions.items()) + ".\n\n"
        mine = [row for row in rows if row.peer == peer]
        text += markdown(mine)
        for block in (notes(mine), first_calls(mine)):
            text += f"\n{block}" if block else ""
    return text


INTRODUCTION = """\
# Beside other tools

Times of `ugt` and of what one would use instead, for the same input. Written by `make versus`; do not edit. A ratio is what the peer takes
divided by what `ugt` takes, so that above 1 `ugt` is faster; for posterior draws, effective draws a second. Where a peer is faster the last
column says so. [Coming from other tools](coming-from.md) has what corresponds to what.

How it is measured:

- Each peer has an environment of its own with pinned versions, in which both sides run, with one thread each.
- First the answers are compared ("answers apart": the largest difference, of what is allowed). Where they disagree nothing is timed.
- Times are medians by pyperf, which chooses the number of loops; processes of both sides take turns, and the first call of each process
  does not count. "Spread" is the median absolute deviation of `ugt` / peer.
- Only the call is timed: both have their input in memory, in the form that their documentation shows, unless a note says otherwise.
- Memory is the peak resident memory of a fresh process that runs the job once (Linux: VmHWM, set back before the call; elsewhere
  `getrusage`), in MiB, interpreter, libraries and input included; in brackets what the call added.

The machine:

"""
