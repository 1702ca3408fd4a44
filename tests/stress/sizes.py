"""Tables of more than 2³¹ cells: every public function answers, or refuses before it fills memory.

    python tests/stress/sizes.py            all of them, two at a time
    python tests/stress/sizes.py NAME ...   some of them

Each runs in a process of its own that may take ``GIGABYTES`` of memory and ``SECONDS`` of processor time. Tables are one row that
is repeated without memory of its own, or a file of which almost nothing was written; annotations are sparse. Printed: what came,
seconds of processor time, and the highest memory beyond that of the input. It fails where a function runs out of memory that it did
not announce, or takes too long. "by data": a ValueError for what stands in the tables, which is shown.
Needs Linux.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from large_tables import calls, large_world, mapped_world

GIGABYTES, SECONDS = 6, 240
SHAPES = {"many classes": (2**15, 2**16 + 1), "many cases": (2**21, 2**10 + 1), "files": (2**20, 2**11 + 1)}


def resident() -> int:
    """The most bytes that this process held so far, pages of files that it maps among them."""
    said = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines())
    return 1024 * int(said["VmHWM"].split()[0])


def one(name: str, shape: str) -> str:
    """What calling a function comes to."""
    import resource

    warnings.simplefilter("ignore")
    world = (mapped_world if shape == "files" else large_world)(*SHAPES[shape])
    entry = calls()[name]
    given = [this(world) if callable(this) else world[this] for this in entry.given]
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (GIGABYTES * 10**9, GIGABYTES * 10**9))
    before, start = resident(), time.process_time()
    try:
        entry.function(*given, **entry.fixed)
    except MemoryError as error:
        found = "refused" if "UGT_MEMORY" in str(error) else "RAN OUT"
        note = str(error).split(" of memory,")[0]
    except ValueError as error:
        found, note = "by data", str(error).splitlines()[0][:150]
    else:
        found, note = "answered", ""
    return f"{found}\t{time.process_time() - start:.1f}\t{max(resident() - before, 0) / 1e9:.2f}\t{note}"


def tried(name: str, shape: str) -> tuple[str, str, list[str]]:
    """The same in a process of its own."""
    if shape == "files" and "counts" not in (calls()[name].given):
        return name, shape, []
    command = [sys.executable, __file__, "--one", name, shape]
    environment = {**os.environ, "UGT_MEMORY": str(GIGABYTES), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return name, shape, ["TOO LONG", f"{SECONDS}", "", ""]
    said = done.stdout.rstrip("\n").split("\t")
    return name, shape, said if len(said) == 4 else ["DIED", "", "", done.stderr.strip()[-300:]]


def main(names: list[str]) -> int:
    """Prints a row for each, and how many were wrong."""
    wanted = [(name, shape) for shape in SHAPES for name in names or calls()]
    failed = n = 0
    with ThreadPoolExecutor(2) as pool:
        for name, shape, row in pool.map(lambda pair: tried(*pair), wanted):
            if row:
                found, seconds, peak, note = row
                n, failed = n + 1, failed + found.isupper()
                print(f"{shape:13s} {name:40s} {found:10s} {seconds:>6s} s {peak:>6s} GB  {note}", flush=True)
    print(f"{n} tried, {failed} wrong")
    return int(failed > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(one(*sys.argv[2:]))
    else:
        raise SystemExit(main(sys.argv[1:]))
