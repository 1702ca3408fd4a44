"""Mutation tests of C files: ``python tests/mutation/core.py 60 points heights`` plants sixty faults, one at a time, in some of them.

An operator, a number or a call becomes another one, in a copy of the package under build/mutation; the file is compiled, and the C tests
and the Python tests of its module run until one fails. Needs an extension that was built with ``build_ext --build-temp build/objects``.
Survivors are printed with their line; ``core_equivalent.txt`` lists those that no test can tell, and why.
"""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
OUT, OBJECTS = ROOT / "build" / "mutation" / "core", Path(os.environ.get("UGT_OBJECTS", ROOT / "build" / "objects")) / "ugt" / "_core"
FAST = (
    "facts or effective or several or twin or largest or refusals or tops or chains or equal_weight or exchangeable or exact_rule or bytes"
)


class Suite(NamedTuple):
    """The C files of a module, and the tests that see faults in them."""

    module: str
    files: list[str]
    c_tests: list[str]
    python: list[list[str]]
    seconds: int = 300  # that a C test may take


SUITES = [
    Suite(
        "_plackett_luce",
        ["heights", "proposals", "learning", "largest", "tallies", "points"],
        ["test_points", "test_first_class"],
        [["tests/unit/test_points_everywhere.py"], ["tests/unit/test_points.py", "-k", FAST]],  # others take minutes
    ),
    Suite("_panels", ["panels"], ["test_panels"], [["tests/unit/test_panels.py"]], seconds=10),
]
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-g0", "-fPIC"]
SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*", "&&": "||", "||": "&&",
    "+=": "-=", "-=": "+=", "*=": "/=", "fmax": "fmin", "fmin": "fmax", "exp": "expm1", "<<": ">>", ">>": "<<", "break": "continue",
}  # fmt: skip
TOKEN = re.compile(
    r"\bfmax\b|\bfmin\b|\bexp\b|\bbreak\b|<<|>>|&&|\|\||[<>=!+\-*/]=|(?<= )[<>+\-*/](?= )|(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])"
)
SPARED = re.compile(r"^\s*#|malloc|calloc|realloc|ugt_bytes|room|case |free\(|static const uint32_t|^\s*\d")


def places(text):
    """Where a fault can be planted: (offset, old, new)."""
    code = re.sub(r"/\*.*?\*/|\"[^\"]*\"|^[ \t]*#[^\n]*$", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S | re.M)
    for match in TOKEN.finditer(code):
        line = text[text.rfind("\n", 0, match.start()) + 1 : text.find("\n", match.start())]
        old = match[0]
        if SPARED.search(line) or (old in "+-" and line[: match.start()].strip() == ""):
            continue
        new = SWAPS.get(old) or (str(int(old) + 1) if old.isdigit() else repr(float(old) * 1.5 + 0.5) if old[0].isdigit() else None)
        if new is not None:
            yield match.start(), old, new


def run(command, seconds, **options):
    try:
        return subprocess.run(command, capture_output=True, timeout=seconds, check=False, **options).returncode
    except subprocess.TimeoutExpired:
        return "timeout"


def prepare(module):
    """Copy the package, and compile what the C tests need."""
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(ROOT / "ugt", OUT / "ugt", ignore=shutil.ignore_patterns("__pycache__", f"{module}*.so"))
    shutil.copytree(ROOT / "tests", OUT / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    core = ["-std=c11", "-O1", "-Iugt/_core", "-Itests/c", "-c"]
    for source in sorted((OUT / "ugt" / "_core").glob("[a-z]*.c")):
        subprocess.run(["gcc", *core, str(source), "-o", str(OUT / f"{source.stem}.o")], cwd=OUT, check=True)
    subprocess.run(["ar", "rcs", "core.a", *(f"{source.stem}.o" for source in (OUT / "ugt/_core").glob("[a-z]*.c"))], cwd=OUT, check=True)


def linked(module):
    """The objects of the extension, as setup.py lists its files."""
    listed = re.search(rf'"{module}": \[(.*?)\]', (ROOT / "setup.py").read_text(encoding="utf-8"), re.S)[1]
    groups = {
        name: re.findall(r'"(\w+)"', body)
        for name, body in re.findall(r"^([A-Z]+) = \[(.*?)\]", (ROOT / "setup.py").read_text(encoding="utf-8"), re.M)
    }
    return [module, *re.findall(r'"(\w+)"', listed), *(one for name in re.findall(r"\*([A-Z]+)", listed) for one in groups[name])]


def is_killed(file, suite):
    """Whether a test fails with the file as it is now; None if it cannot be compiled."""
    source = OUT / "ugt" / "_core" / f"{file}.c"
    if run(["gcc", *FLAGS, "-Iugt/_core", "-c", str(source), "-o", "mutant.o"], 120, cwd=OUT):
        return None
    run(["gcc", "-std=c11", "-O1", "-Iugt/_core", "-c", str(source), "-o", "mutant_c.o"], 120, cwd=OUT)
    for test in suite.c_tests:
        own = [
            "gcc",
            "-std=c11",
            "-O1",
            "-Iugt/_core",
            "-Itests/c",
            f"tests/c/{test}.c",
            "mutant_c.o",
            "core.a",
            "-lm",
            "-pthread",
            "-o",
            test,
        ]
        if run(own, 120, cwd=OUT) or run([f"./{test}"], suite.seconds, cwd=OUT):
            return test
    objects = [str(OUT / "mutant.o") if one == file else str(OBJECTS / f"{one}.o") for one in linked(suite.module)]
    target = OUT / "ugt" / "_core" / next((ROOT / "ugt" / "_core").glob(f"{suite.module}.*.so")).name
    target.unlink(missing_ok=True)
    subprocess.run(["gcc", "-shared", *objects, "-lm", "-o", str(target)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(OUT)}
    for tests in suite.python:
        if run([sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests], 900, cwd=OUT, env=environment):
            return "pytest"
    return ""


def main():
    share, files = int(sys.argv[1]), sys.argv[2:] or SUITES[0].files
    (suite,) = (one for one in SUITES if {*files} <= {*one.files})
    prepare(suite.module)
    listed = (Path(__file__).parent / "core_equivalent.txt").read_text(encoding="utf-8").splitlines()
    equivalent = [one.split("  # ")[0] for one in listed]
    every = [(file, *one) for file in files for one in places((ROOT / "ugt" / "_core" / f"{file}.c").read_text(encoding="utf-8"))]
    chosen, killed, lived = random.Random(int(os.environ.get("UGT_SEED", "0"))).sample(every, min(share, len(every))), 0, 0
    for file, at, old, new in chosen:
        path = OUT / "ugt" / "_core" / f"{file}.c"
        text = path.read_text(encoding="utf-8")
        begin = text.rfind("\n", 0, at) + 1
        line = text[begin : text.find("\n", at)]
        said = f"{file}.c:{text.count(chr(10), 0, at) + 1} column {at - begin}: {old} -> {new}: {line.strip()}"
        if said.split(": ", 1)[0] and f"{file}.c: {old} -> {new}: {line.strip()}" in equivalent:
            continue
        path.write_text(text[:at] + new + text[at + len(old) :], encoding="utf-8")
        by = is_killed(file, suite)
        path.write_text(text, encoding="utf-8")
        killed, lived = killed + bool(by), lived + (by == "")
        print(f"{'LIVED ' if by == '' else 'killed' if by else 'no code'} {by or ''} {said}", flush=True)
    print(f"{killed} of {killed + lived} killed, {100 * killed / max(1, killed + lived):.1f} %; {len(every)} faults are possible")


if __name__ == "__main__":
    main()
