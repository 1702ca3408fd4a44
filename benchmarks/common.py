"""What the benchmarks share: a file says what is measured and how its input is made, this one measures it.

    bench = Bench(__file__)

    @bench.job(grid(n=(1_000, 1_000_000)), quick={"n": 100}, targets=[Target("3.1", "numpy.argsort", at_most=0.9, n=1_000_000)])
    def soft_auroc(n):
        ...
        return Work(lambda: ugt.soft_auroc(p, scores), {"numpy.argsort": lambda: np.argsort(scores)})

Every size of a job is a process of its own: the job runs once on tiny input (what it imports is there then), its input is made, and
its first call gives the peak memory and warms up. Then the job and its yardsticks are timed in turns, in this process and on these
data; `pyperf.Runner` would give each a process, and other minutes. Values, warm-ups and the description of the machine are kept
as pyperf keeps them: `python -m pyperf show build/bench/soft.pyperf.json`.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import itertools
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pyperf
from data import Skip

import ugt

RESULTS = Path(__file__).resolve().parents[1] / "build" / "bench"
QUICK = RESULTS.with_name("bench-quick")
LEAST = 0.001  # seconds of a value: calls that take less are repeated
BUDGET = 1.5  # seconds for the values of a job and of its yardsticks; at least 3 values, at most 40
LONG = 5.0  # seconds: what takes longer is not run again, the first call is its value
JOB = "job"


@dataclass
class Work:
    """A call, what it is held against (a function, or one and by how much it is to be multiplied), and how many units it does."""

    call: Callable[[], Any]
    yardsticks: dict[str, Any] = field(default_factory=dict)
    units: int = 1
    also: Callable[[dict[str, float], Any], dict[str, float]] | None = None  # more numbers, from those measured and the result


@dataclass(frozen=True)
class Target:
    """What an issue asks: of "s", "MB" or another number, or of the ratio to a yardstick; at_least: times as fast as the yardstick."""

    number: str
    quantity: str
    at: dict[str, Any]
    at_most: float | None = None
    at_least: float | None = None

    def __init__(self, number, quantity, *, at_most=None, at_least=None, **at):
        for name, value in (("number", number), ("quantity", quantity), ("at", at), ("at_most", at_most), ("at_least", at_least)):
            object.__setattr__(self, name, value)


def grid(**values):
    """Every combination, as dictionaries."""
    return [dict(zip(values, combination)) for combination in itertools.product(*values.values())]


def stream(*arrays):
    """The memory's bandwidth: every byte of the arrays read once."""
    return lambda: [np.add.reduce(array, axis=None) for array in arrays]


def peer(module):
    """A module that may be absent."""
    try:
        return __import__(module)
    except ImportError:
        return None


def on_threads(n_threads, function):
    """The function with so many threads."""

    def call():
        with ugt.resampling.threads(n_threads):
            return function()

    return call


def memory(reset=False):
    """Peak memory of this process in MB, of all its time or since the last reset (Linux); a reset gives back what making input left."""
    try:
        if reset:
            gc.collect()
            getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
            Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
        kib = Path("/proc/self/status").read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]
        return int(kib) * 1024 / 1e6
    except (OSError, IndexError, TypeError):  # not Linux; Windows has no CDLL(None)
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def timed(function, loops):
    begin = pyperf.perf_counter()
    for _ in range(loops):
        function()
    return (pyperf.perf_counter() - begin) / loops


def enough(function, first, least):
    """How many calls a value needs: by the fastest of a few, which another process may hold up."""
    if first >= 100 * least:
        return 1
    return max(1, math.ceil(least / min(first, *(timed(function, 1) for _ in range(5)))))


def in_turns(functions, first, quick=False):
    """Values of each function in seconds, taken in turns so that all see the same machine, and loops of each."""
    short = [name for name in functions if first[name] < LONG]
    loops = {name: 1 if quick or name not in short else enough(functions[name], first[name], LEAST) for name in functions}
    values = {name: [] if name in short else [first[name]] for name in functions}
    turn = sum(max(first[name], LEAST) for name in short)
    for _ in range(1 if quick else max(3, min(40, int(BUDGET / turn))) if short else 0):
        for name in short:
            values[name].append(timed(functions[name], loops[name]))
    return values, loops


def measure(work, name, quick=False):
    """What was measured, and a pyperf benchmark of the job and of each yardstick.

    Times are the least of the values, for what else the machine does can only add to them; "spread" is how far their median is above,
    "first" the first call, which may find less in memory than the others.
    """
    pairs = {other: given if isinstance(given, tuple) else (given, 1.0) for other, given in work.yardsticks.items()}
    functions = {JOB: work.call, **{other: function for other, (function, _) in pairs.items()}}
    scale = {JOB: 1 / work.units, **{other: times / work.units for other, (_, times) in pairs.items()}}
    before, first, result = memory(reset=True), {}, None
    begin = pyperf.perf_counter()
    result = work.call()
    first[JOB] = pyperf.perf_counter() - begin
    more = memory() - before
    first.update({other: timed(functions[other], 1) for other in pairs})
    values, loops = in_turns(functions, first, quick)
    scaled = {one: [value * scale[one] for value in values[one]] for one in functions}
    ours = min(scaled[JOB])
    measured = {"s": ours, "spread": statistics.median(scaled[JOB]) / ours - 1, "first": first[JOB] / work.units, "MB": more}
    measured.update({other: ours / min(scaled[other]) for other in pairs})
    measured.update(work.also(measured, result) if work.also else {})
    suite = []
    for one in functions:
        label = {"name": name if one == JOB else f"{name}: {one}", "loops": loops[one]}
        run = pyperf.Run(scaled[one], warmups=[(1, first[one] * scale[one])], metadata=label, collect_metadata=not quick)
        suite.append(pyperf.Benchmark([run]))
    return measured, suite


def spoken(seconds):
    """Seconds with a unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if abs(seconds) >= size:
            return f"{figure(seconds / size)} {unit}"
    return f"{figure(seconds * 1e6)} µs"


def figure(value):
    """Three digits, or all before the point."""
    return f"{value:,.0f}" if 100 <= abs(value) < math.inf else f"{value:.3g}"


def size_of(params):
    return ", ".join(f"{name} = {value:,}" if isinstance(value, int) else f"{name} = {value}" for name, value in params.items())


class Bench:
    """The jobs of a file, and the command that runs them."""

    def __init__(self, file):
        self.file = Path(file).resolve()
        self.name = self.file.stem.replace("bench_", "")
        self.jobs = {}

    def job(self, sizes=({},), quick=None, targets=()):
        """The decorated function makes input of a size and returns its Work; its docstring says what is measured."""

        def keep(make):
            for target in targets:
                if not any(target.at.items() <= size.items() for size in sizes):
                    raise ValueError(f"{make.__name__}: no size is that of target {target.number}")
            self.jobs[make.__name__] = (make, list(sizes), quick or {}, targets)
            return make

        return keep

    def record(self, job, number, quick=False):
        """One size of a job measured here and now: what is kept of it, and pyperf's benchmarks."""
        make, sizes, tiny, targets = self.jobs[job]
        size = sizes[number]
        asked = [asdict(target) for target in targets if target.at.items() <= size.items()]
        kept = {"file": self.name, "job": job, "what": (make.__doc__ or job).strip(), "size": size, "targets": asked}
        try:
            if quick:
                measured, suite = measure(make(**{**size, **tiny}), f"{job}: {size_of(size)}", quick)
            else:
                make(**{**size, **tiny}).call()
                measured, suite = measure(make(**size), f"{job}: {size_of(size)}")
        except Skip as why:
            return {**kept, "skipped": str(why)}, []
        return {**kept, "measured": measured}, suite

    def apart(self, job, number):
        """The same in a process of its own."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            subprocess.run([sys.executable, str(self.file), "--worker", job, str(number), str(out)], check=True)
            record = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))
            suite = out.with_suffix(".pyperf.json")
            return record, list(pyperf.BenchmarkSuite.load(str(suite))) if suite.exists() else []

    def worker(self, job, number, out):
        record, suite = self.record(job, int(number))
        Path(out).with_suffix(".json").write_text(json.dumps(record), encoding="utf-8")
        if suite:
            pyperf.BenchmarkSuite(suite).dump(str(Path(out).with_suffix(".pyperf.json")))

    def run(self, only=None, quick=False, folder=None):
        """Every job in every size; prints a table for each and keeps the numbers. How many could not be measured."""
        folder = Path(folder or (QUICK if quick else RESULTS))
        folder.mkdir(parents=True, exist_ok=True)
        path, raw = folder / f"{self.name}.json", folder / f"{self.name}.pyperf.json"
        wanted = [job for job in self.jobs if only in (None, job)]
        before = json.loads(path.read_text(encoding="utf-8")) if only and path.exists() else []
        records, benchmarks, failed = [record for record in before if record["job"] not in wanted], [], 0
        for job in wanted:
            print(f"{self.name}: {(self.jobs[job][0].__doc__ or job).strip()}")
            for number, size in enumerate(self.jobs[job][1]):
                try:
                    record, suite = self.record(job, number, quick) if quick else self.apart(job, number)
                except Exception:  # the other sizes are measured all the same
                    traceback.print_exc()
                    failed += 1
                    continue
                print(f"    {size_of(size):44s}  {line(record)}", flush=True)
                records.append(record)
                benchmarks += suite
            # After each job: a run that is cut short keeps the others.
            path.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
        if benchmarks and not only:
            pyperf.BenchmarkSuite(benchmarks).dump(str(raw), replace=True)
        return failed

    def main(self):
        parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--quick", action="store_true", help="tiny input, one value, no process apart: does it run?")
        parser.add_argument("--only", choices=self.jobs, help="one job; the others' numbers are kept")
        parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
        given = parser.parse_args()
        if given.worker:
            return self.worker(*given.worker)
        failed = self.run(given.only, given.quick or bool(os.environ.get("UGT_BENCH_QUICK")))
        return sys.exit(f"{failed} sizes could not be measured" if failed else 0)


def line(record):
    """One size in a table."""
    if "skipped" in record:
        return f"skipped: {record['skipped']}"
    measured = dict(record["measured"])
    took, spread, first, more = (measured.pop(name) for name in ("s", "spread", "first", "MB"))
    others = "".join(f"  {name} {figure(value)}" for name, value in measured.items())
    return f"{spoken(took):>8s} +{100 * spread:3.0f} %  first {spoken(first):>8s}  {more:6.1f} MB {others}"
