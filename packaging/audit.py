"""Check that every wheel of ugt is as its name says, and that building it again gives the same bytes.

Run: python packaging/audit.py [--dist dist] [--rebuild [X.Y ...]] [--systems TAG ...]

Checked for every system: file names and tags, the contents, the size, no folder of the building machine inside, the machine of the compiled
modules and the libraries that they ask for, the stable ABI (abi3audit). For Linux: symbol versions (glibc 2.17 at most), no RUNPATH, and
what auditwheel says. For Windows: no time and no debug file, one exported name. For macOS: oldest system, install names, no rpath, and a
signature, without which ARM machines load nothing. With --rebuild all, or those of the Pythons that are named, are built again in another
folder.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import os
import re
import struct
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

# What compiled modules may ask for: of glibc, musl, macOS, and Windows, whose DLL of Python has a name for each version.
LIBRARIES = {
    "manylinux": r"libc\.so\.6|libm\.so\.6|libpthread\.so\.0|ld-linux-[\w-]+\.so\.\d",
    "musllinux": r"libc\.so|libc\.musl-\w+\.so\.1",
    "linux": r"libc\.so\.6|libm\.so\.6",
    "macosx": r"/usr/lib/libSystem\.B\.dylib",
    "win": r"(?i:kernel32|ntdll|api-ms-win-crt-[\w-]+)\.dll",
}
MACHINES = {"x86_64": ("EM_X86_64", 0x8664, 0x01000007), "aarch64": ("EM_AARCH64", 0xAA64, 0x0100000C), "s390x": ("EM_S390", 0, 0)}
LARGEST = 3_000_000  # bytes of a wheel
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
    if path.stat().st_size > LARGEST:
        yield f"{path.stat().st_size} bytes: more than {LARGEST}"
    for entry, content in files.items():
        if entry.endswith((".so", ".pyd")):
            yield from (f"{entry}: {fault}" for fault in faults_of_module(content, name["platform"], name["python"], name["abi"] == "abi3"))


def faults_of_contents(files: dict[str, bytes], version: str) -> Iterator[str]:
    """Check that types, licence and compiled modules are in the wheel, and sources of the core and unknown files are not."""
    wanted = {"ugt/__init__.py", "ugt/py.typed", *(f"ugt-{version}.dist-info/licenses/{name}" for name in ("LICENSE", "CITATION.cff"))}
    yield from (f"{name} is missing" for name in sorted(wanted - set(files)))
    yield from (f"{name} is a source or left over" for name in files if name.endswith(SOURCE_ENDINGS))
    yield from (f"{name} does not belong here" for name in files if not name.startswith(("ugt/", f"ugt-{version}.dist-info/")))
    here = {wheels.SHARED, *(path.stem for path in (wheels.ROOT / "ugt" / "_core").glob("*.pyx"))}
    built = {Path(name).name.split(".")[0] for name in files if name.endswith((".so", ".pyd"))}
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
    if outside and system_of(name["platform"]) is None:
        yield f"not a system that wheels are made for: {name['platform']}"


def system_of(platform: str) -> wheels.System | None:
    """Return the system of the tags of a platform."""
    return next((system for system in wheels.SYSTEMS.values() if wheels.platform_tag(system) == platform), None)


def faults_of_module(content: bytes, platform: str, python: str = "cp311", stable: bool = True) -> Iterator[str]:
    """Check folders, machine, libraries and what else the system demands of a compiled module."""
    yield from (f"holds the folder {folder.decode()}" for folder in FOLDERS if folder in content)
    system = system_of(platform)
    if system is None:
        return
    kind = re.match("[a-z]+", system.tag)
    assert kind is not None
    machine, needed, others = {"windows": windows_module, "macos": macos_module, "linux": linux_module}[system.kind](content, system)
    yield from others
    wanted = MACHINES[system.target.partition("-")[0]]
    if machine not in wanted:
        yield f"for the machine {machine!r}"
    of_python = rf"|(?i:python{'3' if stable else python[2:]}\.dll)" if system.kind == "windows" else ""
    yield from (f"asks for {name}" for name in needed if not re.fullmatch(LIBRARIES[kind[0]] + of_python, name))


Seen = tuple[object, list[str], list[str]]  # machine, libraries that are asked for, other faults


def linux_module(content: bytes, system: wheels.System) -> Seen:
    """Read an ELF file; its symbol versions are those of glibc 2.17 at most."""
    elf = ELFFile(io.BytesIO(content))
    needed, found = [], []
    highest = tuple(map(int, wheels.GLIBC.split(".")))
    for section in elf.iter_sections():
        if isinstance(section, DynamicSection):
            tags = list(section.iter_tags())
            found += [tag.entry.d_tag for tag in tags if tag.entry.d_tag in ("DT_RUNPATH", "DT_RPATH")]
            needed += [tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"]
        if isinstance(section, GNUVerNeedSection):
            names = [version.name for _, versions in section.iter_versions() for version in versions]
            parsed = {name: tuple(map(int, re.findall(r"\d+", name))) for name in names if name.startswith("GLIBC_")}
            found += [f"needs {name}" for name, number in sorted(parsed.items()) if number > highest]
            found += [f"needs {name}" for name in names if not name.startswith("GLIBC_")]
    if "libc.so" not in "".join(needed) and "libc.musl" not in "".join(needed):
        found.append("holds a C library of its own")
    return elf.header.e_machine, needed, found


def windows_module(content: bytes, system: wheels.System) -> Seen:
    """Read a DLL."""
    import pefile  # noqa: PLC0415 (a requirement of abi3audit)

    dll = pefile.PE(data=content)
    found = []
    if hasattr(dll, "DIRECTORY_ENTRY_DEBUG") and any(getattr(one.entry, "PdbFileName", b"") for one in dll.DIRECTORY_ENTRY_DEBUG):
        found.append("names a debug file")
    names = [one.name.decode() for one in dll.DIRECTORY_ENTRY_EXPORT.symbols]
    if len(names) != 1 or not names[0].startswith("PyInit_"):
        found.append(f"exports {names[:3]}")
    return dll.FILE_HEADER.Machine, [one.dll.decode() for one in dll.DIRECTORY_ENTRY_IMPORT], found


LOAD_DYLIB, ID_DYLIB, RPATH, SIGNATURE, BUILD_VERSION = 0x0C, 0x0D, 0x8000001C, 0x1D, 0x32


def macos_module(content: bytes, system: wheels.System) -> Seen:
    """Read a Mach-O file: its load commands follow a header of 32 bytes."""
    magic, machine, _, _, n_commands = struct.unpack_from("<IIIII", content)
    if magic != 0xFEEDFACF:
        return "not Mach-O", [], []
    at, needed, found, kinds = 32, [], [], set()
    for _ in range(n_commands):
        kind, size = struct.unpack_from("<II", content, at)
        kinds.add(kind)
        if kind in (LOAD_DYLIB, ID_DYLIB):
            start = at + struct.unpack_from("<I", content, at + 8)[0]
            name = content[start : at + size].split(b"\0")[0].decode()
            if kind == LOAD_DYLIB:
                needed.append(name)
            elif not re.fullmatch(r"@rpath/\w+\.abi3\.so", name):
                found.append(f"is called {name}")
        if kind == BUILD_VERSION:
            oldest = struct.unpack_from("<I", content, at + 12)[0]
            if (oldest >> 16, oldest >> 8 & 255) > tuple(map(int, wheels.MACOS.split("."))):
                found.append(f"needs macOS {oldest >> 16}.{oldest >> 8 & 255}")
        at += size
    found += ["has an rpath"] * (RPATH in kinds) + ["does not say its oldest macOS"] * (BUILD_VERSION not in kinds)
    found += ["is not signed"] * (SIGNATURE not in kinds and system.target.startswith("aarch64"))
    return machine, needed, found


def tools_say(path: Path) -> Iterator[str]:
    """Return the findings of auditwheel for Linux and, for the stable ABI, of abi3audit."""
    if "manylinux" in path.name:
        yield from auditwheel_says(path)
    if "-abi3-" in path.name:
        done = subprocess.run([sys.executable, "-m", "abi3audit", "--strict", str(path)], capture_output=True, text=True, check=False)
        if done.returncode:
            yield f"abi3audit: {done.stdout + done.stderr}"


def auditwheel_says(path: Path) -> Iterator[str]:
    """Return what auditwheel finds."""
    show = subprocess.run([sys.executable, "-m", "auditwheel", "show", str(path)], capture_output=True, text=True, check=False)
    tag = re.search(r'following platform tag:\s+"(\w+)"', show.stdout)
    if not tag or tuple(map(int, re.findall(r"\d+", tag[1])[:2])) > tuple(map(int, wheels.GLIBC.split("."))):
        yield f"auditwheel: {show.stdout + show.stderr}"


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


def wanted_of(path: Path) -> tuple[str, str]:
    """Return the system and the version of Python of a wheel."""
    name = NAME.fullmatch(path.name)
    system = system_of(name["platform"]) if name else None
    return (system.tag if system else "", python_of(path))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=wheels.ROOT / "dist", help="folder of the wheels (default: dist)")
    parser.add_argument("--rebuild", nargs="*", metavar="X.Y", help="build all again, or those of these Pythons, and compare bytes")
    parser.add_argument("--systems", nargs="+", metavar="TAG", help="with --rebuild: build only those of these systems again")
    options = parser.parse_args()
    paths = sorted(options.dist.glob("ugt-*.whl"))
    if not paths:
        raise SystemExit(f"no wheels in {options.dist}: make wheels")
    found = {path: [*faults(path), *tools_say(path)] for path in paths}
    again = [] if options.rebuild is None else [path for path in paths if not options.rebuild or python_of(path) in options.rebuild]
    again = [path for path in again if not options.systems or wanted_of(path)[0] in options.systems]
    with tempfile.TemporaryDirectory(prefix="ugt-again-somewhere-else-") as folder:
        if again:
            wheels.build_all([wanted_of(path) for path in again], Path(folder, "again"), Path(folder))
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
