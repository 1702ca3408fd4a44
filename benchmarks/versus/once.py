"""One job once, in a fresh process of the peer's environment; prints JSON.

once.py list PEER                 names and sizes of the jobs
once.py check PEER JOB            both answers, and how far they are apart
once.py peak PEER JOB SIDE        peak memory of one side, and about how long it takes
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import re
import resource
import sys
import time
import warnings
from pathlib import Path

from job import jobs_of


def resident(field):
    """VmRSS or VmHWM of this process in MiB; None where there is no /proc."""
    try:
        found = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return None
    return int(found.group(1)) / 1024 if found else None


def highest():
    """Peak memory of this process since it began, in MiB (macOS counts in bytes, others in KiB)."""
    return resident("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << (20 if sys.platform == "darwin" else 10))


def peak(job, side):
    """Memory of the process with the input made and the library imported, and the most while the job runs."""
    call = getattr(job, side)(job.data())
    with contextlib.suppress(OSError):  # making the input may have taken more than the job does: Linux lets the mark be set back
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    before = resident("VmRSS") or highest()
    start = time.perf_counter()
    call()
    return {"before": before, "peak": max(highest(), before), "seconds": time.perf_counter() - start}


def check(job):
    """Both answers to the same input, and how far they are apart."""
    data = job.data()
    ours, theirs = job.ours(data)(), job.theirs(data)()
    found = {"apart": job.apart(ours, theirs), "tolerance": job.tolerance, "note": job.note, "effective": None}
    if job.effective is not None:
        found["effective"] = [float(job.effective(answer)) for answer in (ours, theirs)]
    return found


def versions(peer):
    found = {name: importlib.metadata.version(name) for name in (peer, "numpy", "pyperf")}
    return {**found, "python": ".".join(map(str, sys.version_info[:3]))}


def main(what, peer, *rest):
    quick = "--quick" in rest
    jobs = jobs_of(peer, quick)
    if what == "list":
        found = {"jobs": [[job.name, job.size] for job in jobs], "versions": versions(peer)}
    else:
        warnings.simplefilter("ignore")
        job = jobs[int(rest[0])]
        found = check(job) if what == "check" else peak(job, rest[1])
    print("\n" + json.dumps(found))  # on a line of its own, whatever else was printed


if __name__ == "__main__":
    main(*sys.argv[1:])
