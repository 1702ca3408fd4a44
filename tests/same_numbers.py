"""The numbers of all public functions, written on one system and compared with those of another.

Run: python tests/same_numbers.py write FILE
     python tests/same_numbers.py compare FILE FILE      (exit code 1 if some differ by more than the tolerance)
"""

from __future__ import annotations

import json
import platform
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

WORLDS = ({"n": 12, "k": 3, "seed": 0}, {"n": 12, "k": 3, "seed": 1}, {"n": 31, "k": 5, "seed": 2})
TOLERANCE = 1e-13
# Functions that turn another last digit into more: searches stop elsewhere on a flat maximum; a Markov chain takes other turns.
LARGER = {"fit_reliability": 1e-6, "fit_normal_prior": 1e-6, "fit_predictive_reliability": 1e-6, "dawid_skene_draws": 1.0}


def table() -> dict[str, Any]:
    """Return the numbers of every public function on every small problem, as text; what is refused has the name of the error."""
    import scipy
    from public_functions import FUNCTIONS, make_world, numbers

    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    for i, world in enumerate(make_world(**size) for size in WORLDS):
        for name, entry in FUNCTIONS.items():
            try:
                answer = numbers(entry.call(world))
            except (ValueError, TypeError) as problem:
                answer = {"": type(problem).__name__}
            found[f"{name} {i}"] = {path: stored(one) for path, one in answer.items()}
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    return {"system": f"{platform.system()} {platform.machine()}", "byte order": sys.byteorder, **versions, "numbers": found}


def stored(one: Any) -> Any:
    """Return an entry as JSON: type, shape and bytes of an array; text of all else."""
    if isinstance(one, tuple):
        return [*one[:2], one[2].hex()]
    return one if isinstance(one, str) else repr(one)


def values(one: Any) -> np.ndarray | None:
    """Return stored numbers as floats; None for a text without numbers."""
    if isinstance(one, list):
        dtype = np.dtype(one[0])
        return np.frombuffer(bytes.fromhex(one[2]), dtype).astype(np.float64) if dtype.kind in "fiub" else None
    try:
        return np.array([float(str(one).strip("'"))])
    except ValueError:
        return None


def difference(one: Any, other: Any) -> float:
    """Return the largest difference of two entries, relative to the largest number of the entry or absolute if that is below 1."""
    left, right = values(one), values(other)
    if left is None or right is None or left.shape != right.shape or (np.isfinite(left) != np.isfinite(right)).any():
        return np.inf
    finite = np.isfinite(left)
    if (left[~finite].astype(str) != right[~finite].astype(str)).any():
        return np.inf
    scale = max(1.0, *(float(np.abs(side[finite]).max(initial=0)) for side in (left, right)))
    return float(np.abs(left[finite] - right[finite]).max(initial=0)) / scale


def compare(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """Return the largest difference of each function whose numbers are not the same to the last bit."""
    found = {}
    for name in sorted(one["numbers"].keys() | other["numbers"].keys()):
        left, right = (side["numbers"].get(name, {}) for side in (one, other))
        if left != right:
            found[name] = max(
                difference(left.get(path), right.get(path)) for path in left.keys() | right.keys() if left.get(path) != right.get(path)
            )
    return found


def main() -> None:
    """Run the command line."""
    if sys.argv[1] == "write":
        Path(sys.argv[2]).write_bytes(json.dumps(table()).encode())
        return
    sides = [json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[2:4]]
    for side in sides:
        print(", ".join(f"{key} {value}" for key, value in side.items() if key != "numbers"))
    differ = compare(*sides)
    count = len(sides[0]["numbers"])
    print(f"{count - len(differ)} of {count} calls the same to the last bit")
    for name, size in sorted(differ.items(), key=lambda item: -item[1]):
        print(f"  {name}: {size:.2g}")
    sys.exit(any(size > LARGER.get(name.split()[0], TOLERANCE) for name, size in differ.items()))


if __name__ == "__main__":
    main()
