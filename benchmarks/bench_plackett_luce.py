"""Plackett-Luce on the dermatology data: sweeps beside the bare random numbers they need, effective draws, likelihood, evaluation.

Run: python benchmarks/bench_plackett_luce.py
"""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
from bench_evaluate import half_panel
from common import dermatology, peak_mib, seconds

import ugt
from ugt._core._plackett_luce import Stages
from ugt._core._stream import Stream

N_CLASSES, SWEEPS = 419, 1500


def bare_numbers(rankings, stages, reliability):
    """Seconds for as many gamma variables of the same shapes as the untied stages, the rates and the rescaling take."""
    offsets, index = np.empty(rankings.n_cases + 1, np.int64), np.empty(stages.n_mentioned(), np.int32)
    stages.classes(offsets, index)
    mentioned = np.diff(offsets)
    shapes = Counter({reliability: len(stages), 1.0: rankings.n_cases})
    for m in mentioned:
        shapes[round(float(N_CLASSES - m) / N_CLASSES, 3)] += 1
    shapes[reliability + 1 / N_CLASSES] += len(index)
    stream, total = Stream(0), 0.0
    for shape, count in shapes.items():
        out = np.empty(count * SWEEPS)
        total += seconds(stream.exponential, out)[0] if shape == 1.0 else seconds(stream.gamma, shape, out)[0]
    return total


def sampler(rankings):
    arrays = rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items
    stages = Stages(*arrays, rankings.n_classes, True)
    for reliability in (1.0, 2.5, 10.0):
        options = {"reliability": reliability, "n_draws": 1000, "n_warmup": 500, "n_chains": 1}
        took, post = seconds(ugt.plackett_luce, rankings, **options)
        two, _ = seconds(ugt.plackett_luce, rankings, **options, n_threads=2)
        bare = bare_numbers(rankings, stages, reliability)
        found = ugt.plackett_luce_diagnostics(post)
        run = f"{rankings.n_cases} cases x {SWEEPS} sweeps, reliability {reliability:g}"
        effective = np.nansum(found.ess_bulk) / took
        print(f"{run}: {took:.2f} s, {took / bare:.1f} x the bare random numbers; two threads {took / two:.1f} x as fast")
        print(f"    effective draws of the log plausibility of the top class: {effective:,.0f} a second")


def likelihood():
    for size in (8, 12, 20, 100, 400):
        repeats = 200
        rankings = ugt.Rankings.from_blocks([[[list(range(size))]]] * repeats, n_classes=size + 1)
        rates = np.exp(np.random.default_rng(size).normal(0, 2, (repeats, size + 1)))
        took, _ = seconds(ugt.plackett_luce_log_likelihood, rankings, rates)
        print(f"log-likelihood of one block of {size} classes: {1e6 * took / repeats:.1f} us")


def evaluation(rankings, nested):
    models = {f"half panel {i}": half_panel(nested, i) for i in range(4)}
    before = peak_mib()
    options = {"aggregation": "plackett-luce", "reliability": (1, 2, 3, 5, 10), "k": (1, 2, 3), "n_threads": 2}
    took, _ = seconds(ugt.evaluate, rankings, models, **options)
    more = peak_mib() - before
    print(f"evaluate(), four models, five reliabilities, 1,000 draws in four chains, two threads: {took:.1f} s, {more:.0f} MiB more")


def main():
    warnings.simplefilter("ignore", RuntimeWarning)
    likelihood()
    nested = dermatology()
    if nested is None:
        print("the rest is skipped: the dermatology data is not here (set UGT_DATA)")
        return
    rankings = ugt.Rankings.from_blocks(nested, n_classes=N_CLASSES)
    evaluation(rankings, nested)  # first: its peak memory is its own
    sampler(rankings)


if __name__ == "__main__":
    main()
