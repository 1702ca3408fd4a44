"""Annotators of a population label some of the cases that a judge scored: coverage of the corrected mean, whose true value is known.

The quality of a case is normal (sd 2). An annotator of leniency a ~ N(0, s²) says "good" with probability expit(quality + a). The judge
says "good" if quality + 0.4 + noise is above 0, with noise of sd 0.5 (good) or 8 (poor). Of 1,000 cases, 300 labels are given to random
ones: one or three per case by random annotators, or one by annotators of whom the r-th takes a share of 1/r. In clusters of five, 70% of
the variance of quality is that of the cluster. ``python benchmarks/judges.py --sets 1000`` prints the table of docs/intervals-checked.md,
with ``--differences`` the tables of differences between two systems and of a judge's bias.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Collection
from typing import Any

import numpy as np
from scipy.special import expit

import ugt

N, N_LABELS, QUALITY, BIAS = 1000, 300, 2.0, 0.4
NOISE = {"good": 0.5, "poor": 8.0}
DESIGNS = {
    "one label": {}, "one label, poor judge": {"judge": "poor"}, "three labels": {"n_labels": 3}, "uneven shares": {"uneven": True},
    "clusters of 5": {"clustered": True}, "strata": {"strata": True},
}  # fmt: skip
ANNOTATORS, LENIENCY = (3, 4, 5, 8, 20, 50), (0.0, 0.3, 0.6)
CASES, LABELLED, AHEAD = 600, 150, 0.5  # of differences: cases, labelled ones, and by how much the second system is better
SECOND = {  # who labels the answers of the second system
    "the same people and cases": {}, "other people of the panel": {"people": "others"}, "other cases": {"people": "others", "same": False},
    "another panel": {"people": "panel"},
}  # fmt: skip
KINDER = 0.3  # by which the judge prefers one of two topics
TOPICS = {"each person both topics": {}, "each person mostly one topic": {"sorted_": True}, "clusters of 4": {"clustered": True}}


def data(
    rng: np.random.Generator, n_annotators: int, leniency: float, *, judge: str = "good", n_labels: int = 1, uneven: bool = False,
    clustered: bool = False, strata: bool = False, n: int = N, total: int = N_LABELS,
) -> dict[str, Any]:  # fmt: skip
    """One data set: labels, judge, clusters, and options of ``corrected_mean``."""
    quality, clusters = rng.normal(size=n), np.arange(n) // 5
    if clustered:
        quality = np.sqrt(0.7) * rng.normal(size=n)[clusters] + np.sqrt(0.3) * quality
    quality *= QUALITY
    verdict = (quality + BIAS + NOISE[judge] * rng.normal(size=n) > 0) * 1.0
    options = {}
    if strata:  # half of the labels for either verdict
        options["strata"] = verdict.astype(int)
        chosen = np.concatenate([rng.choice(np.flatnonzero(options["strata"] == s), total // 2, False) for s in (0, 1)])
    else:
        chosen = rng.choice(n, total // n_labels, replace=False)
    share = 1 / np.arange(1, n_annotators + 1) if uneven else np.ones(n_annotators)
    # Gumbel's trick draws annotators of each case without replacement
    order = np.log(share) + rng.gumbel(size=(len(chosen), n_annotators))
    annotator = np.argsort(-order, axis=1)[:, :n_labels]
    label = rng.random(annotator.shape) < expit(quality[chosen][:, None] + leniency * rng.normal(size=n_annotators)[annotator])
    labels = ugt.Ratings.from_long(np.repeat(chosen, n_labels), annotator.ravel(), label.ravel() * 1.0, cases=np.arange(n))
    return {"labels": labels, "judge": verdict, "clusters": clusters if clustered else None, "options": options}


def truth(leniency: float, ahead: float = 0.0) -> float:
    """Return the share of "good" of all annotators and cases."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(expit(ahead + np.hypot(QUALITY, leniency) * nodes) @ weights / weights.sum())


def difference(rng: np.random.Generator, n_people: int, leniency: float, *, people: str = "same", same: bool = True) -> Any:
    """Return the corrected difference of two systems: half of the variance of quality is that of the case; two labels per answer."""
    shared, lenient, found = rng.normal(size=CASES), leniency * rng.normal(size=2 * n_people), []
    for system in (0, 1):
        if system == 0 or not same:
            chosen = rng.choice(CASES, LABELLED, replace=False)
        if system == 0 or people != "same":
            who = np.argsort(rng.random((LABELLED, n_people)))[:, :2]
        if system == 1 and people == "panel":
            who = who + n_people
        quality = QUALITY * np.sqrt(0.5) * (shared + rng.normal(size=CASES)) + AHEAD * system
        verdict = (quality + BIAS + NOISE["good"] * rng.normal(size=CASES) > 0) * 1.0
        label = rng.random(who.shape) < expit(quality[chosen][:, None] + lenient[who])
        names = np.char.add("p", who.ravel().astype(str))
        labels = ugt.Ratings.from_long(np.repeat(chosen, 2), names, label.ravel() * 1.0, cases=np.arange(CASES))
        found.append(ugt.corrected_mean(labels, verdict))
    return found[1].minus(found[0])


def bias(rng: np.random.Generator, n_people: int, leniency: float, *, sorted_: bool = False, clustered: bool = False, n: int = 200) -> Any:
    """Return the row of :func:`ugt.judges.assess_judges` of one of two topics, whose bias is larger by KINDER; three labels a case."""
    quality, topic, clusters = rng.normal(size=n), np.arange(n) // (n // 2), np.arange(n) // 4
    case, lenient = np.repeat(np.arange(n), 3), leniency * rng.normal(size=n_people)
    liking = 3.0 * sorted_ * (np.arange(n_people) % 2 == topic[:, None])
    who = np.argsort(-liking - rng.gumbel(size=(n, n_people)))[:, :3].ravel()
    said = quality[case] + lenient[who] + rng.normal(size=3 * n)
    judge = quality + KINDER * topic + rng.normal(size=n) + (rng.normal(size=n)[clusters] if clustered else 0.0)
    found = ugt.judges.assess_judges(
        {"A": (ugt.Ratings.from_long(case, who, said), {"j": judge})}, columns={"topic": dict(enumerate(topic))},
        clusters=dict(enumerate(clusters)) if clustered else None, level=0.9,
    )  # fmt: skip
    return next(row for row in found.bias if row.group == "1")


def covered_differences(n_sets: int, n_people: int, leniency: float, seed: int = 6, **design: Any) -> dict[str, int]:
    """Return how many intervals hold the true difference, over cases alone and over annotators too."""
    rng, true, hits = np.random.default_rng(seed), truth(leniency, AHEAD) - truth(leniency), np.zeros(2, int)
    for _ in range(n_sets):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = difference(rng, n_people, leniency, **design)
            ends = np.array([found.interval(random=random) for random in (("cases",), ("cases", "annotators"))])
        hits += (ends[:, 0] <= true) & (true <= ends[:, 1])
    return {"cases": int(hits[0]), "both": int(hits[1])}


def covered_biases(n_sets: int, n_people: int, leniency: float, seed: int = 7, **design: Any) -> dict[str, Any]:
    """Return how many intervals of 95% hold the bias of a topic and how far it is apart from the other's, and their median half-widths."""
    rng, hits, halves = np.random.default_rng(seed), {"bias": 0, "apart": 0}, []
    for _ in range(n_sets):
        row = bias(rng, n_people, leniency, **design)
        hits["bias"] += row.low <= KINDER <= row.high
        hits["apart"] += row.apart_low <= KINDER <= row.apart_high
        halves.append([(row.high - row.low) / 2, (row.apart_high - row.apart_low) / 2])
    return {**hits, "half": np.median(halves, axis=0)}


def covered(n_sets: int, n_annotators: int, leniency: float, seed: int = 5, **design: Any) -> dict[str, Any]:
    """Return how many intervals hold the truth, over cases alone and over annotators too, and their median half-widths."""
    rng, true, hits, halves = np.random.default_rng(seed), truth(leniency), np.zeros(2, int), []
    for _ in range(n_sets):
        given = data(rng, n_annotators, leniency, **design)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ugt.corrected_mean(given["labels"], given["judge"], **given["options"])
            kinds = {"kind": "analytic", "random": ("cases",)}, {}
            ends = np.array([found.interval(clusters=given["clusters"], **kind) for kind in kinds])
        hits += (ends[:, 0] <= true) & (true <= ends[:, 1])
        halves.append(np.diff(ends)[:, 0] / 2)
    return {"cases": int(hits[0]), "both": int(hits[1]), "half": np.median(halves, axis=0)}


def table(n_sets: int) -> None:
    """Print the table, one row per number of annotators and leniency."""
    heading("annotators, leniency", [*DESIGNS, "half-width, one label"])
    for n_annotators, leniency in itertools.product(ANNOTATORS, LENIENCY):
        found = [covered(n_sets, n_annotators, leniency, **design) for design in DESIGNS.values()]
        cells = [f"{one['cases'] / n_sets:.2f} → {one['both'] / n_sets:.3f}" for one in found]
        widths = " → ".join(f"{half:.3f}" for half in found[0]["half"])
        print(f"| {n_annotators}, {leniency} |", " | ".join(cells), f"| {widths} |", flush=True)


def differences(n_sets: int) -> None:
    """Print the tables of differences and of biases."""
    heading("people, leniency", SECOND)
    for n_people, leniency in itertools.product((3, 6), (0.3, 0.6)):
        made = [covered_differences(n_sets, n_people, leniency, **design) for design in SECOND.values()]
        cells = [f"{one['cases'] / n_sets:.2f} → {one['both'] / n_sets:.3f}" for one in made]
        print(f"| {n_people}, {leniency} |", " | ".join(cells), "|", flush=True)
    heading("people, spread", TOPICS)
    for n_people, spread in itertools.product((4, 12), (0.0, 0.5)):
        found = [covered_biases(n_sets, n_people, spread, **design) for design in TOPICS.values()]
        cells = [f"{one['bias'] / n_sets:.3f}, {one['apart'] / n_sets:.3f} ({one['half'][0]:.2f}, {one['half'][1]:.2f})" for one in found]
        print(f"| {n_people}, {spread} |", " | ".join(cells), "|", flush=True)


def heading(rows: str, columns: Collection[str]) -> None:
    print(f"| {rows} |", " | ".join(columns), "|\n|" + "---|" * (len(columns) + 1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="data sets per cell")
    parser.add_argument("--differences", action="store_true", help="differences of systems and biases, in place of means")
    options = parser.parse_args()
    (differences if options.differences else table)(options.sets)
