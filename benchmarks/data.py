"""The real data that some benchmarks and examples use, which may be absent."""

from __future__ import annotations

import json
import os
from pathlib import Path


class Skip(Exception):
    """Why a job cannot run here."""


def dermatology(n_cases=None):
    """Nested rankings (of the first cases)."""
    here = Path(__file__).resolve().parents[2] / "shared" / "data" / "dermatology_ddx"
    file = Path(os.environ.get("UGT_DATA", here)) / "annotations.json"
    if not file.exists():
        raise Skip("the dermatology data is not here (set UGT_DATA to its folder)")
    return json.loads(file.read_text(encoding="utf-8"))[:n_cases]
