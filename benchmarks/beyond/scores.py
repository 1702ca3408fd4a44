"""Scores in files that are larger than the memory there may be: exact soft AUROC by ranges, and what bins make of it.

    python benchmarks/beyond/scores.py data --cases 1000000000 --max-memory "2 GB" --output scores.json

Writes ``truth.npy`` (uint8, 0 or 1) and ``scores.npy`` (float64) block by block, unless they are there in this size; then a process of
its own whose private memory the system limits (RLIMIT_DATA) to ``--max-memory``, and its address space (RLIMIT_AS) to that and the files
that are mapped, computes ``ugt.states.compute("soft_auroc", ...)``: exactly, and in 100 to 100,000 bins, whose error must be within
their bounds. Linux.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

BLOCK, BINS = 1 << 22, (100, 1_000, 10_000, 100_000)
WHOLE = 20_000_000  # cases up to which the function itself is asked too


def write(folder, n, seed):
    """One case in five is positive, and scores higher."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "truth.npy", folder / "scores.npy"]
    if all(path.exists() and np.load(path, mmap_mode="r").shape == (n,) for path in paths):
        return
    files = [np.lib.format.open_memmap(path, "w+", dtype, (n,)) for path, dtype in zip(paths, (np.uint8, np.float64))]
    for number, begin in enumerate(range(0, n, BLOCK)):
        rng, end = np.random.default_rng([seed, number]), min(begin + BLOCK, n)
        truth = rng.random(end - begin) < 0.2
        files[0][begin:end] = truth
        files[1][begin:end] = 1 / (1 + np.exp(-(rng.standard_normal(end - begin) + 1.5 * truth - 1)))
    for file in files:
        file.flush()


def limited(folder, limit, n):
    """In a process of its own: everything within the limit."""
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    address_space = limit + 9 * n
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    from ugt import states

    truth, scores = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("truth", "scores"))
    begin = time.perf_counter()
    exact = states.compute("soft_auroc", truth, scores, max_memory=limit)
    found = {"exact": {"value": exact.value, "seconds": time.perf_counter() - begin}, "bins": []}
    for bins in BINS:
        begin = time.perf_counter()
        one = states.compute("soft_auroc", truth, scores, edges=bins, max_memory=limit)
        numbers = {"low": one.numbers["low"], "value": one.value, "high": one.numbers["high"]}
        error, bound = abs(one.value - exact.value), max(one.numbers["high"] - one.value, one.value - one.numbers["low"])
        row = {"bins": bins, **numbers, "error": error, "bound": bound, "seconds": time.perf_counter() - begin}
        found["bins"].append({**row, "within": numbers["low"] <= exact.value <= numbers["high"]})
    # pages of the files, which the system takes back when it needs them, are counted too
    return {**found, "peak_resident_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=5_000_000)
    parser.add_argument("--max-memory", default="400 MB")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="a JSON file for all numbers")
    parser.add_argument("--limited", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.limited:
        print(json.dumps(limited(given.folder, given.limited, given.cases)))
        return
    from ugt import soft_auroc
    from ugt.states.computing import memory_of

    write(given.folder, given.cases, given.seed)
    limit = int(memory_of(given.max_memory))
    command = [sys.executable, __file__, str(given.folder), "--cases", str(given.cases), "--limited", str(limit)]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    found = {"n_cases": given.cases, "max_memory": limit, "bytes_of_files": 9 * given.cases, **found}
    if given.cases <= WHOLE:
        whole = soft_auroc(*(np.load(given.folder / f"{name}.npy") for name in ("truth", "scores"))).value
        found["whole"] = {"value": whole, "relative_difference": abs(found["exact"]["value"] - whole) / whole}
        print(f"in memory: {whole:.15f}, relative difference {found['whole']['relative_difference']:.2g}")
    print(f"exact: {found['exact']['value']:.15f} in {found['exact']['seconds']:.1f} s")
    for row in found["bins"]:
        held = "within" if row["within"] else "NOT within"
        print(f"{row['bins']} bins: error {row['error']:.2g}, {held} the bound {row['bound']:.2g}; {row['seconds']:.1f} s")
    if given.output:
        given.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if not all(row["within"] for row in found["bins"]):
        raise SystemExit("a value is outside of its bounds")


if __name__ == "__main__":
    main()
