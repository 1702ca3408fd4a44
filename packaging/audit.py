"""Check that every wheel of ugt is as its name says, and that building it again gives the same bytes.

Run: python packaging/audit.py [--dist dist] [--rebuild [X.Y ...]]

Checked: file names and tags, the contents, symbol versions (glibc 2.17 at most), the libraries that are asked for, no RUNPATH, no folder of
the building machine inside, the stable ABI (abi3audit), and what auditwheel says. With --rebuild all, or those of the Pythons that are
named, are built again in another folder.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import wheels
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0"}
SOURCE_ENDINGS = (".c", ".h", ".pyx", ".pxd", ".pyc")
NAME = re.compile(r"ugt-(?P<version>[\d.a-z]+)-(?P<python>cp\d+)-(?P<abi>cp\d+|abi3)-(?P<platform>[\w.]+)\.whl")
ABI_TAGS = {"cp39": "cp39", "cp310": "cp310", "cp311": "abi3"}
# Folders in which wheels may have been built: in general, of the auditing user, of the superuser, this one.
HOMES = sorted({os.path.expanduser("~"), os.path.expanduser("~root")} - {"/"})
FOLDERS = (b"/tmp/", b"/home/", *(f"{home}/".encode() for home in HOMES), str(wheels.ROOT).encode())


def faults(path: Path) -> Iterator[str]:
    """Return the faults of a wheel, without running it."""
    name = NAME.fullmatch(path.name)
    if not name:
        yield "its name is not that of a wheel of ugt"
        return
    if ABI_TAGS.get(name["python"]) != name["abi"]:
        yield f"tag {name['python']}-{name['abi']}: cp311 must have abi3, the others their own"
    with zipfile.ZipFile(path) as wheel:
        files = {entry: wheel.read(entry) for entry in wheel.namelist() if not entry.endswith("/")}
    yield from faults_of_contents(files, name["version"])
    yield from faults_of_record(files)
    yield from faults_of_tags(files, name)
    for entry, content in files.items():
        if entry.endswith(".so"):
            yield from (f"{entry}: {fault}" for fault in faults_of_module(content))


def faults_of_contents(files: dict[str, bytes], version: str) -> Iterator[str]:
    """Check that types, licence and compiled modules are in the wheel, and sources of the core and unknown files are not."""
    wanted = {"ugt/__init__.py", "ugt/py.typed", *(f"ugt-{version}.dist-info/licenses/{name}" for name in ("LICENSE", "CITATION.cff"))}
    yield from (f"{name} is missing" for name in sorted(wanted - set(files)))
    yield from (f"{name} is a source or left over" for name in files if name.endswith(SOURCE_ENDINGS))
    yield from (f"{name} does not belong here" for name in files if not name.startswith(("ugt/", f"ugt-{version}.dist-info/")))
    here = {path.stem for path in (wheels.ROOT / "ugt" / "_core").glob("*.pyx")}
    built = {Path(name).name.split(".")[0] for name in files if name.endswith(".so")}
    if here != built:
        yield f"compiled modules differ from the sources: {sorted(here ^ built)}"
    python = {
        str(path.relative_to(wheels.ROOT).as_posix()) for path in (wheels.ROOT / "ugt").rglob("*.py*") if path.suffix in (".py", ".pyi")
    }
    differing = {name for name in python if files.get(name) != (wheels.ROOT / name).read_bytes()}
    if differing:
        yield f"not as in the sources: {sorted(differing)[:3]}"


def faults_of_record(files: dict[str, bytes]) -> Iterator[str]:
    """Check that every file is recorded with its hash."""
    (record,) = (name for name in files if name.endswith(".dist-info/RECORD"))
    lines = files[record].decode().splitlines()
    hashes = {line.rsplit(",", 2)[0]: line.rsplit(",", 2)[1] for line in lines}
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        if name != record and hashes.get(name) != f"sha256={digest}":
            yield f"{name}: not in RECORD with its hash"


def faults_of_tags(files: dict[str, bytes], name: re.Match[str]) -> Iterator[str]:
    """Check that the tags inside are those of the name."""
    (text,) = (content.decode() for entry, content in files.items() if entry.endswith(".dist-info/WHEEL"))
    inside = set(re.findall(r"^Tag: (\S+)$", text, re.MULTILINE))
    outside = {f"{name['python']}-{name['abi']}-{platform}" for platform in name["platform"].split(".")}
    if inside != outside:
        yield f"tags differ: {sorted(inside)} inside, {sorted(outside)} in its name"
    if not any(platform.startswith("manylinux2014_") for platform in name["platform"].split(".")):
        yield f"not manylinux2014: {name['platform']}"


def faults_of_module(content: bytes) -> Iterator[str]:
    """Check symbol versions, libraries and folders of a compiled module."""
    yield from (f"holds the folder {folder.decode()}" for folder in FOLDERS if folder in content)
    highest = tuple(map(int, wheels.GLIBC.split(".")))
    for section in ELFFile(io.BytesIO(content)).iter_sections():
        if isinstance(section, DynamicSection):
            tags = list(section.iter_tags())
            yield from (f"{tag.entry.d_tag}" for tag in tags if tag.entry.d_tag in ("DT_RUNPATH", "DT_RPATH"))
            yield from (f"asks for {tag.needed}" for tag in tags if tag.entry.d_tag == "DT_NEEDED" and tag.needed not in LIBRARIES)
        if isinstance(section, GNUVerNeedSection):
            names = [version.name for _, versions in section.iter_versions() for version in versions]
            parsed = {name: tuple(map(int, re.findall(r"\d+", name))) for name in names if name.startswith("GLIBC_")}
            yield from (f"needs {name}" for name, number in sorted(parsed.items()) if number > highest)
            yield from (f"needs {name}" for name in names if not name.startswith("GLIBC_"))


def tools_say(path: Path) -> Iterator[str]:
    """Return the findings of auditwheel and, for the stable ABI, abi3audit."""
    show = subprocess.run([sys.executable, "-m", "auditwheel", "show", str(path)], capture_output=True, text=True, check=False)
    tag = re.search(r'following platform tag:\s+"(\w+)"', show.stdout)
    if not tag or tuple(map(int, re.findall(r"\d+", tag[1])[:2])) > tuple(map(int, wheels.GLIBC.split("."))):
        yield f"auditwheel: {show.stdout + show.stderr}"
    if "-abi3-" in path.name:
        done = subprocess.run([sys.executable, "-m", "abi3audit", "--strict", str(path)], capture_output=True, text=True, check=False)
        if done.returncode:
            yield f"abi3audit: {done.stdout + done.stderr}"


def differences(one: Path, other: Path) -> Iterator[str]:
    """Return the entries of two wheels whose bytes differ."""
    if not other.exists():
        yield "not built again: its Python is not here"
        return
    if one.read_bytes() == other.read_bytes():
        return
    with zipfile.ZipFile(one) as left, zipfile.ZipFile(other) as right:
        names = sorted({*left.namelist(), *right.namelist()})
        both = set(left.namelist()) & set(right.namelist())
        unequal = [name for name in names if name not in both or left.read(name) != right.read(name)]
    yield f"built again it is different: {unequal or 'same contents, other order or times'}"


def python_of(path: Path) -> str:
    """Return ``3.11`` for a wheel with the tag cp311."""
    name = NAME.fullmatch(path.name)
    return re.sub(r"cp(\d)(\d+)", r"\1.\2", name["python"]) if name else ""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=wheels.ROOT / "dist", help="folder of the wheels (default: dist)")
    parser.add_argument("--rebuild", nargs="*", metavar="X.Y", help="build all again, or those of these Pythons, and compare bytes")
    options = parser.parse_args()
    paths = sorted(options.dist.glob("ugt-*linux*.whl"))
    if not paths:
        raise SystemExit(f"no wheels in {options.dist}: make wheels")
    found = {path: [*faults(path), *tools_say(path)] for path in paths}
    again = [] if options.rebuild is None else [path for path in paths if not options.rebuild or python_of(path) in options.rebuild]
    with tempfile.TemporaryDirectory(prefix="ugt-again-somewhere-else-") as folder:
        if again:
            wheels.build_all([python_of(path) for path in again], Path(folder, "again"), Path(folder))
        for path in again:
            found[path] += differences(path, Path(folder, "again", path.name))
    for path, problems in found.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path.name}\n  sha256 {digest}\n  {'; '.join(problems) or 'nothing to find fault with'}")
    if any(found.values()):
        raise SystemExit(1)
    print(f"{len(paths)} wheels audited, {len(again)} of them built again: same bytes" if again else f"{len(paths)} wheels audited")


if __name__ == "__main__":
    main()
