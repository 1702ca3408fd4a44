"""Every target of the issues beside what was measured: reads build/bench/*.json, writes docs/speed.md.

``python benchmarks/targets.py`` after the bench files (``make bench`` runs all). A target that no file measures is a
failure; one that was measured and missed is none, nor is one whose data or peer is not here: the page says so.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
from pathlib import Path

from common import QUICK, RESULTS, figure, size_of, spoken

PAGE = Path(__file__).resolve().parents[1] / "docs" / "speed.md"

# By number of the issue and within it: what it asks, in its words. The limits are with the jobs.
PROMISED = {
    "1.1": "1,947 × 419 rankings, four models, five reliabilities: certainties and metrics, all exact",
    "1.2": "exact top-1 certainty of 1,000,000 cases with label counts of 10 classes",
    "1.3": "what importing ugt adds to importing numpy",
    "1.4": "10,000,000 long rows read into annotations: seconds, not minutes",
    "2.1": "Plackett–Luce, 1,947 cases × 1,500 sweeps, reliability 1, one core",
    "2.2": "the same, reliability 10",
    "2.3": "a sweep beside its bare random numbers",
    "2.4": "two threads beside one",
    "2.5": "log-likelihood of one block of 8 to 400 classes",
    "2.6": "evaluation of four models at five reliabilities, orders 1 to 3, two cores",
    "2.7": "the same, memory",
    "2.8": "most probable plausibilities (MAP) of all 1,947 cases",
    "2.9": "certainty of all 1,947 cases without draws, reliability 1, one core",
    "2.10": "the same, share of cases to 1e-4",
    "3.1": "soft AUROC and AP of 10,000,000 scores beside numpy.argsort",
    "3.2": "the same, 1,000,000 scores",
    "3.3": "curves of 10,000,000 scores beside numpy.argsort",
    "3.4": "soft AUROC and AP beside scikit-learn's two calls on doubled data",
    "3.5": "memory of soft AUROC beyond its input",
    "3.6": "1,000 annotation bootstraps × 4 models × soft and hard AUROC and AP, n = 5,000",
    "3.7": "10,000 case bootstraps of a UA accuracy, 10 models, 100,000 cases, two cores",
    "4.1": "all losses against label histograms beside numpy.sum over both arrays",
    "4.2": "the same beside pandas",
    "4.3": "the same: no temporary array of the tables' size (16 bytes a cell are given)",
    "4.4": "temperature scaling, N = 1,000,000, K = 10",
    "4.5": "matrix scaling, N = 50,000, K = 22",
    "4.6": "alpha calibration, N = 50,000, 128 features",
    "5.1": "20,000 cases × 9 annotators, 12 judged in turn, 1,000 cluster bootstraps",
    "5.2": "the same beside the definition written in Python",
    "5.3": "0/1 distance, 1,000,000 cases × 5, 100 classes",
    "5.4": "Jaccard distances of 500 masks of 512 × 512 by 5 annotators",
    "5.5": "nominal alpha, 100 annotators × 100,000 cases, 95 % missing, beside krippendorff",
    "5.6": "interval of alpha over cases and annotators, 20,000 × 12, beyond that over cases",
    "6.1": "Dawid–Skene, 1,000,000 labels, 1,000 annotators, K = 10: an iteration",
    "6.2": "Dawid–Skene, 96,000 labels, K = 419: an iteration",
    "6.3": "the same, memory of the whole fit",
    "6.4": "GLAD, 50,000 labels: an iteration",
    "6.5": "Monte Carlo conformal prediction, 10,000 × 419, m = 100",
    "6.6": "the same, memory",
    "7.1": "a CSV file of 10,000,000 rows within 1 GB and a minute",
    "9.1": "20 cases × 3 classes: Python around the kernels",
    "10.4": "standard errors of five designs from a pilot, beside 2,000 simulated tables of each",
    "10.5": "a plan from a pilot of 20,000 cases",
    "19.1": "alpha and Fleiss' kappa of 100 cases beside krippendorff and statsmodels",
    "19.2": "top-3 accuracy of 100,000 cases × 10 classes beside scikit-learn",
    "19.3": "20 cases × 3 classes: Python around the kernels, the limit for all calls",
    "19.4": "evaluation of two models with all details and 1,000 resamples, five labels a case, two threads",
    "19.5": "the same, memory",
    "25.1": "graded response, 1,000,000 ratings by 1,000 annotators: an EM step",
}
UNITS = ("s", "ms", "µs", "MB", "ms more", "MB in all", "bytes a case", "bytes a cell", "µs of Python")
PLAIN = ("s", "spread", "first", "MB")


def said(quantity, value, faster=False):
    """A number with its unit."""
    if quantity == "s":
        return spoken(value)
    if quantity in UNITS:
        return f"{figure(value)} {quantity}"
    return f"{figure(value)} × as fast as {quantity}" if faster else f"{figure(value)} × {quantity}"


def judged(target, measured):
    """The measured number, the limit, and "met" or by how much it was missed."""
    quantity, most, least = target["quantity"], target["at_most"], target["at_least"]
    value = measured[quantity]
    if not math.isfinite(value):
        return said(quantity, value), "", "**not a number**"
    if least is not None:
        value = 1 / value
        met, share = value >= least, 1 - value / least
        return said(quantity, value, True), f"≥ {least:,g} ×", "met" if met else f"**missed** by {share:.0%}"
    met, share = value <= most, value / most - 1
    return said(quantity, value), f"≤ {said(quantity, most)}", "met" if met else f"**missed** by {share:.0%}"


def yardsticks(measured, but=None):
    """The ratios to what was measured in the same process."""
    known = {*PLAIN, *UNITS, but}
    return "; ".join(f"{name}: {figure(value)}" for name, value in measured.items() if name not in known)


def read(folder):
    """What the bench files kept."""
    return [
        record
        for path in sorted(folder.glob("*.json"))
        if "pyperf" not in path.name
        for record in json.loads(path.read_text(encoding="utf-8"))
    ]


def rows(records):
    """The table of targets, and the numbers of those that nothing measures."""
    found = [(target, record) for record in records for target in record["targets"]]
    measured = {target["number"] for target, _ in found}
    unknown = measured - set(PROMISED)
    if unknown:
        raise ValueError(f"no issue has the target {', '.join(sorted(unknown))}")
    table = []
    for number, what in PROMISED.items():
        if number not in measured:
            table.append((number, what, "", "", "", "**not measured**", ""))
        for target, record in (pair for pair in found if pair[0]["number"] == number):
            size = f"`{record['job']}`: {size_of(record['size'])}".rstrip(": ")
            if "skipped" in record:
                table.append((number, what, size, "", "", f"not measured: {record['skipped']}", ""))
            else:
                value, limit, met = judged(target, record["measured"])
                table.append((number, what, size, value, limit, met, yardsticks(record["measured"], target["quantity"])))
    return table, [number for number in PROMISED if number not in measured]


def markdown(header, table):
    cells = [header, ["---"] * len(header), *table]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in cells)


def families(records):
    """A table for every job: its sizes, time, memory, and ratios."""
    for key in dict.fromkeys((record["file"], record["job"]) for record in records):
        mine = [record for record in records if (record["file"], record["job"]) == key and "measured" in record]
        if not mine:
            continue
        names = list(dict.fromkeys(name for record in mine for name in record["size"]))
        others = list(dict.fromkeys(name for record in mine for name in record["measured"] if name not in PLAIN))
        table = []
        for record in mine:
            values, size = record["measured"], record["size"]
            sizes = [f"{size[name]:,}" if isinstance(size.get(name), int) else size.get(name, "") for name in names]
            ratios = [figure(values[name]) if name in values else "" for name in others]
            table.append((*sizes, spoken(values["s"]), f"{values['spread']:.0%}", spoken(values["first"]), f"{values['MB']:.1f}", *ratios))
        what = mine[0]["what"]
        header = (*names, "least time", "median above", "first call", "MB more", *others)
        yield f"### {key[0]}: `{key[1]}`\n\n{what[0].upper()}{what[1:]}.\n\n{markdown(header, table)}\n"


def load():
    """How busy the machine is: times from one that does much else say little."""
    if not hasattr(os, "getloadavg"):
        return ""
    return f"; at the end {os.getloadavg()[2]:.1f} processes wanted the {os.cpu_count()} processors (1 or 2 are the benchmarks' own)"


def page(records):
    table, _ = rows(records)
    short = [row for row in table if row[5] == "met"]
    header = ("target", "what", "job", "measured", "limit", "", "ratios to yardsticks")
    return f"""---
nosearch: true
orphan: true
---

# Speed

Written by `make bench`; do not edit. Python {platform.python_version()}, {platform.system()} on {platform.machine()}{load()}.

## Targets

The targets that the library was built to, and whether they are met: {len(short)} of {len(table)} rows are. A ratio is the
time of the job over that of the yardstick, which was measured in turns with it, in the same process on the same data (below 1: the library
is faster). MB are the peak memory of the first call above what the process had before it. Times are the least of several.

{markdown(header, table)}

## Scaling

Every job in every size. "Median above" is how far the median of the values lies above the least: the machine's unrest. A first call that is
far slower than the others found less in memory than they did. The columns after memory are ratios to yardsticks, and what else was
counted.

{chr(10).join(families(records))}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="read what --quick of the bench files left; print, write nothing")
    given = parser.parse_args()
    records = read(QUICK if given.quick else RESULTS)
    table, absent = rows(records)
    for row in table:
        print(f"{row[0]}  {row[3]:34s} {row[4]:24s} {row[5].replace('*', ''):24s} {row[2]}")
    if not given.quick:
        PAGE.write_text(page(records), encoding="utf-8")
    if absent:
        sys.exit(f"no file measures {', '.join(absent)}")


if __name__ == "__main__":
    main()
