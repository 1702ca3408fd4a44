"""Plackett-Luce on the dermatology data: sweeps beside the bare random numbers they need, effective draws, likelihood, evaluation.

Run: python benchmarks/bench_plackett_luce.py
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from bench_evaluate import half_panel
from common import dermatology, peak_mib, seconds

import ugt
from ugt._core._plackett_luce import Stages
from ugt._plausibilities.plackett_luce import REST

N_CLASSES, SWEEPS = 419, 1500


SWEEPS_NOTED = 100  # sweeps whose random numbers are written down


class CRankings(ctypes.Structure):
    """ugt_rankings"""

    _fields_ = tuple((name, ctypes.c_int64) for name in ("n_cases", "n_rankings", "n_blocks", "n_items", "n_classes")) + tuple(
        (name, ctypes.c_void_p) for name in ("case_offsets", "ranking_offsets", "block_offsets", "items")
    )


def noting_library(folder):
    """The sampler that writes down its random numbers, compiled as the core is; None without a compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    here = Path(__file__).parent
    core = here.parent / "ugt" / "_core"
    sources = [here / "bare_numbers.c", *(core / f"{name}.c" for name in ("stream", "stages", "subset", "likelihood"))]
    options = ["-std=c11", "-O3", "-ffp-contract=off", "-shared", "-fPIC", f"-I{core}"]
    subprocess.run([compiler, *options, *map(str, sources), "-lm", "-o", f"{folder}/noting.so"], check=True)
    library = ctypes.CDLL(f"{folder}/noting.so")
    library.written_down.restype = ctypes.c_int64
    library.again.restype = ctypes.c_double
    return library


def bare_numbers(library, rankings, reliability):
    """Seconds that the random numbers of a sweep of all cases take, and how many there are."""
    sizes = rankings.n_cases, rankings.n_rankings, len(rankings.block_offsets) - 1, len(rankings.items), rankings.n_classes
    arrays = rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items
    given = CRankings(*sizes, *(array.ctypes.data for array in arrays))
    what, draws = np.zeros(20_000_000), np.empty(SWEEPS_NOTED * (len(rankings.items) + rankings.n_cases))
    law = ctypes.c_double(reliability), ctypes.c_double(1 / rankings.n_classes), ctypes.c_int64(SWEEPS_NOTED)
    keys = np.ascontiguousarray(rankings.axes.stream_keys)
    room = ctypes.c_void_p(what.ctypes.data), ctypes.c_int64(len(what)), ctypes.c_void_p(draws.ctypes.data)
    n = library.written_down(ctypes.byref(given), ctypes.c_void_p(keys.ctypes.data), *law, *room)
    if not 0 < n <= len(what):
        raise RuntimeError(f"the sampler drew {n} random numbers, there is room for {len(what)}")
    took = min(seconds(library.again, room[0], ctypes.c_int64(n))[0] for _ in range(5))
    return took / SWEEPS_NOTED, n / SWEEPS_NOTED


def kernel(rankings, reliability):
    """Seconds of a sweep of all cases: the kernel alone, into memory that was used before; and of two such kernels side by side."""
    stages = Stages(rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items, rankings.n_classes, True)
    outs, stop = [np.zeros((stages.n_mentioned() + rankings.n_cases) * SWEEPS_NOTED) for _ in range(2)], np.zeros(1, np.int32)
    law = reliability, 1 / rankings.n_classes, 1.0, REST["individual"]
    schedule = 0, SWEEPS_NOTED, 1, 1, 0, 0, rankings.n_cases

    def run(out):
        stages.gibbs(rankings.axes.stream_keys, *law, *schedule, stop, out)

    def both():
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(run, outs))

    one, two = (min(seconds(*call)[0] for _ in range(5)) for call in ((run, outs[0]), (both,)))
    return one / SWEEPS_NOTED, two / SWEEPS_NOTED


def sampler(rankings, library):
    for reliability in (1.0, 2.5, 10.0):
        options = {"reliability": reliability, "n_draws": 1000, "n_warmup": 500, "n_chains": 1}
        took, post = min((seconds(ugt.plackett_luce, rankings, **options) for _ in range(3)), key=lambda run: run[0])
        two = min(seconds(ugt.plackett_luce, rankings, **options, n_threads=2)[0] for _ in range(3))
        found = ugt.plackett_luce_diagnostics(post)
        effective = np.nansum(found.ess_bulk) / took
        print(
            f"{rankings.n_cases} cases x {SWEEPS} sweeps, reliability {reliability:g}: {took:.2f} s; two threads {took / two:.2f} x as fast"
        )
        print(f"    effective draws of the log plausibility of the top class: {effective:,.0f} a second")
        if library is not None:
            bare, n = bare_numbers(library, rankings, reliability)
            sweep, both = kernel(rankings, reliability)
            print(f"    a sweep of all: {1e6 * sweep:.0f} us, {sweep / bare:.2f} x its {n:,.0f} bare random numbers ({1e6 * bare:.0f} us)")
            print(f"    two such sweeps side by side in two threads: {2 * sweep / both:.2f} x as fast as one after the other")


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
    with tempfile.TemporaryDirectory() as folder:
        sampler(rankings, noting_library(folder))


if __name__ == "__main__":
    main()
