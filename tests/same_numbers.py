"""The numbers of all public functions and of reports, written on one system and compared with those of another.

Run: python tests/same_numbers.py write FILE [PROBLEMS]  (the first of the three problems, for what is slow)
     python tests/same_numbers.py compare FILE FILE      (exit code 1 if some differ by more than the tolerance)
     python tests/same_numbers.py report FOLDER          (a report with all details)
     python tests/same_numbers.py reports FOLDER FOLDER  (the same for the folders of two reports: words, and numbers in them)
     python tests/same_numbers.py table FILE FILE ...    (pairs of files that were compared, as rows of a table)
"""

from __future__ import annotations

import json
import platform
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

WORLDS = ({"n": 12, "k": 3, "seed": 0}, {"n": 12, "k": 3, "seed": 1}, {"n": 31, "k": 5, "seed": 2})
TOLERANCE = 1e-13
# Searches, which turn another last digit into more: they stop elsewhere on a flat maximum.
LARGER = {"fit_reliability": 1e-6, "fit_normal_prior": 1e-6, "fit_predictive_reliability": 1e-6}
STATED = 1e-6  # of itself: rounding can decide what an integral leaves out, which its stated error adds up
EXACT = ("stream_bits", "stream_below", "stream_uniform")
SEEDS = (0, 1, 2**64 - 1)
DRAWN = 1000
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# What a report says of its making: when, with which Python, and the name that it has from these.
OF_ITS_MAKING = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+\+00:00|\b3\.\d+\.\d+\b|\br[0-9a-f]{11}\b")
LARGEST_OF_A_REPORT = 1e-8  # of numbers in full; the page shows rounded ones, whose last digit may be another


def streams() -> dict[str, Any]:
    """Return draws of the random streams: integers and uniforms, which are exact, and draws that need the logarithm of the system."""
    from ugt._core._stream import Stream

    found = {}
    for i, seed in enumerate(SEEDS):
        for kind, dtype in (("bits", np.uint64), ("below", np.uint64), ("uniform", float), ("exponential", float), ("normal", float)):
            drawn = np.empty(DRAWN, dtype)
            getattr(Stream(seed, 5, 7), kind)(*((1000003,) if kind == "below" else ()), drawn)
            found[f"stream_{kind} {i}"] = {
                "": [drawn.dtype.newbyteorder("<").str, [DRAWN], drawn.astype(drawn.dtype.newbyteorder("<")).tobytes().hex()]
            }
    return found


def tolerance(call: str) -> float:
    """Return how much the numbers of a call may differ: not at all if nothing in it is rounded by the system."""
    name = call.split(maxsplit=1)[0]
    return 0.0 if name in EXACT else LARGER.get(name, TOLERANCE)


def table(problems: int = len(WORLDS)) -> dict[str, Any]:
    """Return the numbers of every public function on the first small problems, as text."""
    import scipy
    from public_functions import FUNCTIONS, make_world, numbers

    warnings.simplefilter("ignore")
    found: dict[str, Any] = streams()
    for i, world in enumerate(make_world(**size) for size in WORLDS[:problems]):
        for name, entry in FUNCTIONS.items():
            found[f"{name} {i}"] = {path: stored(one) for path, one in numbers(entry.call(world)).items()}
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


def stated_difference(one: Any, other: Any) -> float:
    """Return the difference of two entries of stated errors of integrals; 0 if it is far below the errors themselves."""
    left, right, found = values(one), values(other), difference(one, other)
    if not np.isfinite(found) or left is None or right is None:
        return found
    return 0.0 if (np.abs(left - right) <= STATED * np.minimum(left, right)).all() else found


def compare(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """Return the largest difference of each function whose numbers are not the same to the last bit."""
    found = {}
    for name in sorted(one["numbers"].keys() | other["numbers"].keys()):
        left, right = (side["numbers"].get(name, {}) for side in (one, other))
        if left != right:
            found[name] = max(
                (stated_difference if path == ".error" else difference)(left.get(path), right.get(path))
                for path in left.keys() | right.keys()
                if left.get(path) != right.get(path)
            )
    return found


def text_difference(one: str, other: str) -> float:
    """Return the largest relative difference of the numbers in two texts; infinite if their words or how many numbers differ."""
    texts = [OF_ITS_MAKING.sub("", text) for text in (one, other)]
    left, right = ([float(number) for number in NUMBER.findall(text)] for text in texts)
    if NUMBER.sub("#", texts[0]) != NUMBER.sub("#", texts[1]):
        return np.inf
    return max((abs(x - y) / max(1.0, abs(x), abs(y)) for x, y in zip(left, right) if x != y), default=0.0)


def shown(one: str, other: str) -> list[str]:
    """Return the first lines that differ."""
    pairs = zip(*(OF_ITS_MAKING.sub("", text).splitlines() for text in (one, other)))
    return [f"    {x.strip()[:150]}\n    {y.strip()[:150]}" for x, y in pairs if x != y][:3]


def compare_reports(one: Path, other: Path) -> dict[str, float]:
    """Return the largest difference of every file of two folders; infinite for a file that only one has."""
    names = {path.relative_to(side).as_posix() for side in (one, other) for path in side.rglob("*") if path.is_file()}
    found = {}
    for name in sorted(names):
        if not ((one / name).exists() and (other / name).exists()):
            found[name] = np.inf
            continue
        left, right = ((side / name).read_bytes().decode("utf-8") for side in (one, other))
        found[name] = text_difference(left, right)
        if found[name]:
            print(f"  {name}: {found[name]:.2g}", *shown(left, right), sep="\n")
    return found


def rows(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> str:
    """Return a table in Markdown: for each pair, how many calls have the same bits, and which differ by more than the tolerance."""
    lines = ["| compared | numpy | same to the last bit | at most 1e-13 | larger |", "|---|---|---|---|---|"]
    for one, other in pairs:
        differ = compare(one, other)
        larger: dict[str, float] = {}
        for call, size in differ.items():
            if size > TOLERANCE:
                larger[call.split()[0]] = max(size, larger.get(call.split()[0], 0.0))
        n_calls, n_larger = len(one["numbers"]), sum(size > TOLERANCE for size in differ.values())
        words = ", ".join(f"`{name}` {size:.0e}" for name, size in sorted(larger.items(), key=lambda item: item[1])) or "none"
        counts = f"{n_calls - len(differ)} of {n_calls} | {len(differ) - n_larger}"
        lines.append(f"| {one['system']}, {one['byte order']} endian | {one['numpy']} | {counts} | {words} |")
    return "\n".join(lines)


def write_report(folder: Path) -> None:
    """Write the report of an evaluation under a stated truth; sampled integrals, as of Plackett-Luce, differ by their stated errors."""
    import ugt
    from ugt import synthetic

    labels, truth = synthetic.make_labels(400, 4, 5, seed=0)
    models = {name: synthetic.make_predictions(truth, skill=skill, seed=1) for name, skill in (("careful", 0.8), ("hasty", 0.5))}
    evaluation = ugt.evaluate(labels, models, prior="fit", n_resamples=200)
    folder.mkdir()
    evaluation.to_html(folder / "report.html")
    evaluation.to_json(folder / "evaluation.json")
    for name in evaluation.tables:
        evaluation.to_csv(folder / f"{name}.csv", table=name)


def main() -> None:
    """Run the command line."""
    if sys.argv[1] == "report":
        write_report(Path(sys.argv[2]))
        return
    if sys.argv[1] == "write":
        Path(sys.argv[2]).write_bytes(json.dumps(table(*map(int, sys.argv[3:]))).encode())
        return
    if sys.argv[1] == "reports":
        found = compare_reports(*map(Path, sys.argv[2:4]))
        largest = max(found.values(), default=np.inf)
        same = sum(size == 0 for size in found.values())
        print(f"{same} of {len(found)} files the same but for date and version of Python; largest difference {largest:.2g}")
        sys.exit(largest > LARGEST_OF_A_REPORT)
    sides = [json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[2:]]
    if sys.argv[1] == "table":
        print(rows(list(zip(sides[::2], sides[1::2]))))
        return
    for side in sides:
        print(", ".join(f"{key} {value}" for key, value in side.items() if key != "numbers"))
    differ = compare(*sides)
    for name, size in sorted(differ.items(), key=lambda item: item[1]):
        print(f"  {name}: {size:.2g}")
    count = len(sides[0]["numbers"])
    print(f"{count - len(differ)} of {count} calls the same to the last bit; largest difference {max(differ.values(), default=0):.2g}")
    sys.exit(any(size > tolerance(name) for name, size in differ.items()))


if __name__ == "__main__":
    main()
