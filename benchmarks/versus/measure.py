"""One job in the peer's environment: first the answers, then memory, then times of both sides in turn. Prints JSON.

measure.py PEER JOB ROUNDS [--quick]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyperf

HERE = Path(__file__).resolve().parent
SIDES = ("ours", "theirs")
SLOW = 1.0  # seconds from which one call a value and one value a process are enough
TIMEOUT = 600


def once(*arguments):
    """What once.py prints."""
    done = subprocess.run([sys.executable, HERE / "once.py", *arguments], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rsplit("\n", 1)[-1])
    return json.loads(done.stdout.rstrip().rsplit("\n", 1)[-1])


def one_round(job, side, slow, loops, folder):
    """A pyperf benchmark with one process, and one before it that finds the loops where they are not known."""
    path = Path(folder) / "round.json"
    path.unlink(missing_ok=True)
    schedule = ["-p", "1", "-w", "1", "-n", "1" if slow else "3", "--min-time", "0.05", "-l", str(loops)]
    command = [sys.executable, HERE / "timed.py", *job, "--side", side, *schedule, "--copy-env", "--quiet", "-o", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rsplit("\n", 1)[-1])
    return pyperf.Benchmark.load(str(path))


def times(job, rounds, slow):
    """Benchmarks of both sides, one process of each in turn."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for side in SIDES:
                loops = found[side].get_loops() if side in found else int(slow[side])
                again = one_round(job, side, slow[side], loops, folder)
                if side in found:
                    found[side].add_runs(again)
                else:
                    found[side] = again
    return found


def summary(bench):
    """Median and median absolute deviation in seconds, and the time of the first call of all."""
    first = next(run.warmups[0][1] for run in bench.get_runs() if run.warmups)
    return {"median": bench.median(), "spread": bench.median_abs_dev() / bench.median(), "first": first, "values": bench.get_nvalue()}


def main(peer, job, rounds, *quick):
    found = {"check": once("check", peer, job, *quick)}
    if found["check"]["apart"] <= found["check"]["tolerance"]:
        found["memory"] = {side: once("peak", peer, job, side, *quick) for side in SIDES}
        slow = {side: found["memory"][side]["seconds"] > SLOW for side in SIDES}
        timed = times(["--peer", peer, "--job", job, *quick], int(rounds), slow)
        found["time"] = {side: summary(timed[side]) for side in SIDES}
    print("\n" + json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
