"""What the benchmarks share: timing, peak memory, the real data."""

from __future__ import annotations

import json
import os
import resource
import time
from pathlib import Path


def seconds(function, *args, **options):
    """Seconds that a call takes, and its result."""
    start = time.perf_counter()
    result = function(*args, **options)
    return time.perf_counter() - start, result


def peak_mib():
    """Peak memory of this process so far, in MiB (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def dermatology():
    """Nested rankings, or None where the data is absent."""
    here = Path(__file__).resolve().parents[2] / "shared" / "data" / "dermatology_ddx"
    folder = Path(os.environ.get("UGT_DATA", here))
    return json.loads((folder / "annotations.json").read_text()) if folder.exists() else None
