"""Plackett-Luce on the dermatology data: sweeps beside the bare random numbers they need, effective draws, likelihood, evaluation."""

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
from common import Bench, Target, Work, grid
from data import Skip, dermatology

import ugt
from ugt._core._plackett_luce import Stages
from ugt.truth.plackett_luce_draws import REST

bench = Bench(__file__)
warnings.simplefilter("ignore", RuntimeWarning)
N_CLASSES, N_CASES = 419, 1947
SWEEPS_NOTED = 100  # sweeps whose random numbers are written down
SMALL = {"cases": 20}
EVERY = (1.0, 2.5, 10.0)
MICROSECONDS = {8: 5, 12: 40, 20: 60, 100: 250, 400: 1000}


class CRankings(ctypes.Structure):
    """ugt_rankings"""

    _fields_ = tuple((name, ctypes.c_int64) for name in ("n_cases", "n_rankings", "n_blocks", "n_items", "n_classes")) + tuple(
        (name, ctypes.c_void_p) for name in ("case_offsets", "ranking_offsets", "block_offsets", "items")
    )


def dermatology_rankings(cases):
    return ugt.Rankings.from_blocks(dermatology(cases), n_classes=N_CLASSES)


def noting_library():
    """The sampler that writes down its random numbers, compiled as the core is."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise Skip("there is no C compiler")
    here = Path(__file__).parent
    core = here.parent / "ugt" / "_core"
    sources = [here / "bare_numbers.c", *(core / f"{name}.c" for name in ("stream", "stages", "subset", "likelihood", "special"))]
    options = ["-std=c11", "-O3", "-ffp-contract=off", "-shared", "-fPIC", f"-I{core}"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([compiler, *options, *map(str, sources), "-lm", "-o", f"{folder}/noting.so"], check=True)
        library = ctypes.CDLL(f"{folder}/noting.so")
    library.written_down.restype = ctypes.c_int64
    library.again.restype = ctypes.c_double
    return library


def bare_numbers(rankings, reliability):
    """A function that draws the random numbers of some sweeps of all cases and does nothing else."""
    library = noting_library()
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
    what = what[:n].copy()
    return lambda: library.again(ctypes.c_void_p(what.ctypes.data), ctypes.c_int64(n)), n / SWEEPS_NOTED


def kernels(rankings, reliability, side_by_side):
    """So many calls of the kernel alone at once, each a hundred sweeps of all cases into memory that was used before."""
    stages = Stages(rankings.case_offsets, rankings.ranking_offsets, rankings.block_offsets, rankings.items, rankings.n_classes, True)
    room, stop = (stages.n_mentioned() + rankings.n_cases) * SWEEPS_NOTED, np.zeros(1, np.int32)
    law, outs = (reliability, 1 / rankings.n_classes, 1.0, REST["individual"]), [np.zeros(room) for _ in range(side_by_side)]
    schedule = 0, SWEEPS_NOTED, 1, 1, 0, 0, rankings.n_cases

    def run(out):
        stages.gibbs(rankings.axes.stream_keys, *law, *schedule, stop, out)

    def all_at_once():
        with ThreadPoolExecutor(side_by_side) as pool:
            list(pool.map(run, outs))

    return all_at_once if side_by_side > 1 else lambda: run(outs[0])


@bench.job(
    grid(cases=(N_CASES,), reliability=EVERY),
    SMALL,
    [Target("2.3", "bare numbers", at_most=2.5, reliability=reliability) for reliability in EVERY],
)
def sweep(cases, reliability):
    """a sweep of all cases, the kernel alone, beside its bare random numbers"""
    rankings = dermatology_rankings(cases)
    bare, n = bare_numbers(rankings, reliability)
    also = lambda _measured, _result: {"numbers a sweep": n}  # noqa: E731
    return Work(kernels(rankings, reliability, 1), {"bare numbers": bare}, units=SWEEPS_NOTED, also=also)


@bench.job(grid(cases=(N_CASES,), reliability=EVERY), SMALL)
def side_by_side(cases, reliability):
    """two sweeps in two threads, the kernel alone, beside one after the other"""
    rankings = dermatology_rankings(cases)
    return Work(kernels(rankings, reliability, 2), {"one after the other": (kernels(rankings, reliability, 1), 2)}, units=SWEEPS_NOTED)


@bench.job(
    grid(cases=(200, N_CASES), reliability=(1.0,), draws=(1000,))
    + grid(cases=(N_CASES,), reliability=EVERY[1:], draws=(1000,))
    + grid(cases=(N_CASES,), reliability=(1.0,), draws=(100, 4000)),
    {"cases": 20, "draws": 20},
    [
        Target(number, "s", at_most=most, reliability=of, cases=N_CASES, draws=1000)
        for number, of, most in (("2.1", 1.0, 1.2), ("2.2", 10.0, 2.0))
    ]
    + [Target("2.4", "one thread", at_least=1.8, reliability=reliability, cases=N_CASES, draws=1000) for reliability in EVERY],
)
def plackett_luce(cases, reliability, draws):
    """plackett_luce, 500 sweeps of warm-up and one for each draw; also with two threads"""
    rankings = dermatology_rankings(cases)
    options = {"reliability": reliability, "n_draws": draws, "n_warmup": 500, "n_chains": 1}

    def also(measured, post):
        effective = np.nansum(ugt.truth.plackett_luce_diagnostics(post).ess_bulk)
        return {"one thread": 1 / measured["two threads"], "effective draws a second": effective / measured["s"]}

    return Work(
        lambda: ugt.plackett_luce(rankings, method="gibbs", **options),
        {"two threads": lambda: ugt.plackett_luce(rankings, method="gibbs", **options, n_threads=2)},
        also=also,
    )


@bench.job(
    grid(cases=(N_CASES,), reliability=(1.0, 2.5, 3.0, 10.0)),
    SMALL,
    [Target("2.9", "s", at_most=6, reliability=1.0), Target("2.10", "exact", at_least=0.96, reliability=1.0)],
)
def integrals(cases, reliability):
    """plackett_luce without draws: certainty of the first class; the shares of exact cases and of those by weighted points"""
    rankings = dermatology_rankings(cases)

    def also(_measured, post):
        counts = post.counts()
        return {"exact": counts["exact"] / cases, "weighted": counts["weighted"] / cases}

    return Work(lambda: ugt.plackett_luce(rankings, method="auto", reliability=reliability), also=also)


@bench.job(grid(cases=(N_CASES,)), SMALL)
def best_two(cases):
    """certainty of the two best classes by weighted points, with that of the first class alone beside it"""
    rankings = dermatology_rankings(cases)
    first = {"the first": lambda: ugt.plackett_luce(rankings).certainty(1)}
    return Work(lambda: ugt.plackett_luce(rankings).certainty(2), first)


@bench.job(grid(cases=(N_CASES,)), SMALL)
def groups(cases):
    """certainty of three groups of classes by the sums of their plausibilities: weighted points, with 1,000 draws beside them"""
    rankings, group = dermatology_rankings(cases), np.arange(N_CLASSES) % 3
    certainty = lambda **options: ugt.annotation_certainty(ugt.plackett_luce(rankings, **options), groups=group)  # noqa: E731
    drawn = {"1,000 draws": lambda: certainty(method="gibbs", n_draws=1000, n_chains=1)}
    return Work(certainty, drawn, also=lambda _measured, found: {"error": found.mc_error})


@bench.job(grid(cases=(200,), tempering=(0.5, 3.0)), SMALL)
def tempered(cases, tempering):
    """plackett_luce with tempering, 500 sweeps of warm-up and 1,000 draws, the other classes as one, beside the model without it"""
    rankings, options = dermatology_rankings(cases), {"n_draws": 1000, "n_warmup": 500, "n_chains": 1, "unranked": "lump"}
    plain = {"without": lambda: ugt.plackett_luce(rankings, method="gibbs", **options)}
    return Work(lambda: ugt.plackett_luce(rankings, method="gibbs", tempering=tempering, **options), plain)


@bench.job(grid(size=MICROSECONDS), {}, [Target("2.5", "µs", at_most=most, size=size) for size, most in MICROSECONDS.items()])
def log_likelihood(size, repeats=200):
    """log-likelihood of one block of so many classes"""
    rankings = ugt.Rankings.from_blocks([[[list(range(size))]]] * repeats, n_classes=size + 1)
    rates = np.exp(np.random.default_rng(size).normal(0, 2, (repeats, size + 1)))
    also = lambda measured, _: {"µs": 1e6 * measured["s"]}  # noqa: E731
    return Work(lambda: ugt.truth.plackett_luce_log_likelihood(rankings, rates), units=repeats, also=also)


@bench.job(grid(cases=(200, N_CASES)), SMALL, [Target("2.8", "s", at_most=0.2, cases=N_CASES)])
def plackett_luce_map(cases):
    """plackett_luce_map"""
    rankings = dermatology_rankings(cases)
    return Work(lambda: ugt.papers.plackett_luce_map(rankings))


@bench.job(grid(cases=(N_CASES,)), SMALL, [Target("2.6", "s", at_most=25), Target("2.7", "MB", at_most=300)])
def evaluate(cases):
    """evaluate(), four models, five reliabilities, orders 1 to 3, two threads"""
    nested = dermatology(cases)
    rankings, models = dermatology_rankings(cases), {f"half panel {i}": half_panel(nested, i) for i in range(4)}
    options = {"aggregation": "plackett-luce", "reliability": (1, 2, 3, 5, 10), "k": (1, 2, 3), "n_threads": 2}
    return Work(lambda: ugt.evaluate(rankings, models, **options))


@bench.job(grid(cases=(N_CASES,)), SMALL)
def evaluate_first(cases):
    """evaluate(), four models, five reliabilities, metrics of the first class without details, with draws of all cases beside it"""
    nested = dermatology(cases)
    rankings, models = dermatology_rankings(cases), {f"half panel {i}": half_panel(nested, i) for i in range(4)}
    options = {"aggregation": "plackett-luce", "reliability": (1, 2, 3, 5, 10), "k": 1, "details": False}
    draws = {"draws": lambda: ugt.evaluate(rankings, models, method="gibbs", **options)}
    return Work(lambda: ugt.evaluate(rankings, models, **options), draws)


if __name__ == "__main__":
    bench.main()
