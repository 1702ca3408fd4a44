"""How ugt compares with what users would pick instead: environments, answers, times, memory, and docs/versus.md.

Run: make versus, or python benchmarks/versus/run.py [PEER ...] [--quick] [--runs 3]. Needs Python alone; peers come by pip.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HOME = ROOT / ".venv-versus"
PAGE = ROOT / "docs" / "versus.md"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NPROC"), "1")
ONE_THREAD["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
ONE_THREAD["JAX_PLATFORMS"] = "cpu"
INSTALLING, MEASURING = 1800, 1800  # seconds


class Failed(Exception):
    """A command that did not do what it should; the message is the last line that it wrote."""


def command(*arguments, timeout=INSTALLING):
    """What a command prints; only its own variables of the environment reach it, and none of Python's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    try:
        done = subprocess.run(
            [str(argument) for argument in arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env={**kept, **ONE_THREAD, "MPLBACKEND": "Agg"},
            cwd=HERE,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"took longer than {timeout} s") from None
    if done.returncode:
        last = (done.stderr.strip() or "no message").rsplit("\n", 1)[-1]
        raise Failed(last.replace(str(ROOT), "").replace(str(Path.home()), ""))  # it may go on the page, which names no places
    return done.stdout


def answer(*arguments):
    """The JSON in the last line that a command prints."""
    return json.loads(command(*arguments, timeout=MEASURING).rstrip().rsplit("\n", 1)[-1])


def wheel():
    """One wheel of this tree for all environments, built again if a source has changed."""
    folder = HOME / "wheel"
    patterns = ("setup.py", "pyproject.toml", "ugt/**/*.py", "ugt/_core/*.p[xy][xdi]", "ugt/_core/*.h", "ugt/_core/[a-z]*.c")
    sources = [path for pattern in patterns for path in ROOT.glob(pattern)]
    for built in folder.glob("ugt-*.whl"):
        if built.stat().st_mtime > max(path.stat().st_mtime for path in sources):
            return built
    shutil.rmtree(folder, ignore_errors=True)
    for stale in (ROOT / "build").glob("lib*"):  # may hold files of an older tree
        shutil.rmtree(stale)
    command(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    return next(folder.glob("ugt-*.whl"))


def environment(peer, built):
    """The Python of a peer's environment, made anew only if its requirements have changed."""
    requirements, home = HERE / "requirements" / f"{peer}.txt", HOME / peer
    python, installed = home / ("Scripts" if os.name == "nt" else "bin") / "python", home / "installed.txt"
    if not installed.exists() or installed.read_text(encoding="utf-8") != requirements.read_text(encoding="utf-8"):
        shutil.rmtree(home, ignore_errors=True)
        command(sys.executable, "-m", "venv", home)
        command(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements)
        shutil.copy(requirements, installed)
    command(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps", built)
    return python


def measured(python, row, index, options):
    """One job, one run."""
    quick = ["--quick"] if options.quick else []
    try:
        return answer(python, HERE / "measure.py", row.peer, index, options.rounds, *quick)
    except Failed as why:
        return {"failed": str(why)}


def prepared(peers, options):
    """Versions of each peer or why there are none, and the jobs with the Python that runs them."""
    built, found, jobs = wheel(), {}, []
    for peer in peers:
        print(f"{peer}: environment", flush=True)
        try:
            python = environment(peer, built)
            listed = answer(python, HERE / "once.py", "list", peer, *(["--quick"] if options.quick else []))
        except Failed as why:
            found[peer] = str(why)
            continue
        found[peer] = listed["versions"]
        jobs += [(python, table.Row(peer, name, size), index) for index, (name, size) in enumerate(listed["jobs"])]
    return found, jobs


def processor():
    """The model as the system names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def facts(options):
    """What the page says of the machine and of this run."""
    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    found = [f"{processor()}, {os.cpu_count()} processors{load}; {platform.system()}, Python {platform.python_version()}"]
    found.append(f"timed processes of each side and run: {options.rounds}, in turns")
    return [*found, "**sizes of a trial of the harness, not of the comparison**"] if options.quick else found


def read(arguments):
    peers = sorted(path.stem for path in (HERE / "requirements").glob("*.txt"))
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("peers", nargs="*", metavar="PEER", help=f"default: all of {', '.join(peers)}")
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the harness")
    parser.add_argument("--runs", type=int, default=1, help="whole runs; the table has the range of the ratio over them")
    parser.add_argument("--rounds", type=int, default=2, help="processes of each side in a run")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page; default docs/versus.md")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.peers) - set(peers))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    if options.runs < 1 or options.rounds < 1:
        parser.error("--runs and --rounds must be at least 1")
    options.peers = options.peers or peers
    return options


def main(arguments=None):
    options = read(arguments)
    HOME.mkdir(exist_ok=True)
    versions, jobs = prepared(options.peers, options)
    start = time.monotonic()
    for run in range(options.runs):
        for python, row, index in jobs:
            row.runs.append(measured(python, row, index, options))
            print(f"{run + 1}/{options.runs} {(time.monotonic() - start) / 60:5.1f} min  {table.plain([row])}", end="", flush=True)
    rows = [row for _, row, _ in jobs]
    print("\n" + table.plain(rows))
    options.out.write_text(table.page(rows, versions, facts(options)), encoding="utf-8")
    print(f"page: {options.out}")


if __name__ == "__main__":
    main()
