"""One archive that installs ugt on a machine without a network: wheels, hashed requirements, install scripts, list of contents, README.

Run: python packaging/offline.py --platform manylinux2014_x86_64 --python-version 3.11 [--dist dist] [--with numpy==1.26.4 ...]

Needs a network itself, for the wheels of numpy and scipy; that of ugt must be in the folder dist (make wheels). Writes a .tar.gz and a .zip
with the same files. Same wheels, same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import sbom
import wheels

TEMPLATES = Path(__file__).resolve().parent / "offline"
EXECUTABLE = ("install.sh",)
TRIED = {
    r"manylinux\w+_x86_64": "For Linux on Intel and AMD, the steps above were tried with Python 3.11 where no network is.",
    "win_amd64": "install.cmd was tried with Python 3.11 for Windows and numpy 2.0.2 under wine on Linux. Nobody has tried install.ps1.",
}
UNTRIED = "Nobody has tried this archive: its maker had no such machine."


def abi_options(python_version: str) -> list[str]:
    """Return the interpreters whose wheels fit, by their names for pip: the stable ABI from 3.11 on."""
    return ["--implementation", "cp", "--abi", "cp" + python_version.replace(".", ""), "--abi", "abi3", "--abi", "none"]


def wheel_for(dist: Path, platform: str, python_version: str) -> Path:
    """Return the wheel of ugt for a platform and a Python: a separate one for 3.9 and 3.10, else that of the stable ABI."""
    tag = "cp" + python_version.replace(".", "")
    tags = f"{tag}-{tag}" if python_version in ("3.9", "3.10") else "cp311-abi3"
    made = sorted(dist.glob(f"ugt-*-{tags}-*.whl"))
    fitting = [path for path in made if any(runs_on(platform, one) for one in path.stem.split("-")[-1].split("."))]
    version = [path for path in fitting if path.name.startswith(f"ugt-{own_version()}-")]
    if len(version) != 1:
        raise SystemExit(f"{dist} must hold one wheel of ugt {own_version()} with {tags} for {platform}: make wheels, or copy it there")
    return version[0]


def runs_on(platform: str, tag: str) -> bool:
    """Return whether a wheel with this tag runs on a platform; those of macOS run on later versions, too."""
    names = [re.fullmatch(r"macosx_(\d+)_(\d+)_(\w+)", one) for one in (platform, tag)]
    if not all(names):
        return platform == tag
    (system, wheel) = ((int(one[1]), int(one[2]), one[3]) for one in names if one)
    return system[2] == wheel[2] and system[:2] >= wheel[:2]


def own_version() -> str:
    """Return the version in ugt/_base/version.py."""
    found = re.search(r'__version__ = "(.+)"', (wheels.ROOT / "ugt" / "_base" / "version.py").read_text(encoding="utf-8"))
    if not found:
        raise SystemExit("ugt/_base/version.py has no version")
    return found[1]


def fetch(wheel: Path, platform: str, python_version: str, pins: Sequence[str], folder: Path) -> list[Path]:
    """Download the wheel and its requirements by pip, which takes only files for the platform."""
    # The wheel is given by its path, so that no other package of this name can be taken instead.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--platform", platform, "--dest", str(folder)]
    subprocess.run([*command, "--python-version", python_version, *abi_options(python_version), str(wheel), *pins], check=True)
    return sorted(folder.glob("*.whl"))


def hashed(paths: Sequence[Path]) -> str:
    """Return requirements that only these files fulfil."""
    lines = []
    for path in paths:
        name, version = path.name.split("-")[:2]
        lines.append(f"{sbom.normal(name)}=={version} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n")
    return "".join(sorted(lines))


def filled(name: str, platform: str, python_version: str) -> bytes:
    """Return a script or text with the names filled in; for Windows with its line ends."""
    tried = next((text for pattern, text in TRIED.items() if re.fullmatch(pattern, platform)), UNTRIED)
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for word, value in {"VERSION": own_version(), "PYTHON": python_version, "PLATFORM": platform, "TRIED": tried}.items():
        text = text.replace(f"@{word}@", value)
    return (text.replace("\n", "\r\n") if name.endswith((".cmd", ".ps1", ".txt")) else text).encode()


def contents(paths: Sequence[Path], platform: str, python_version: str, epoch: int) -> dict[str, bytes]:
    """Return every file of the archive by its name."""
    bill = sbom.bill(paths, f"ugt-offline-{platform}-py{python_version}", own_version(), epoch)
    return {
        **{name: filled(name, platform, python_version) for name in ("README.txt", "install.cmd", "install.ps1", "install.sh")},
        "LICENSE": (wheels.ROOT / "LICENSE").read_bytes(),
        "requirements.txt": hashed(paths).encode(),
        "sbom.cdx.json": (json.dumps(bill, indent=1, ensure_ascii=False) + "\n").encode(),
        **{f"wheelhouse/{path.name}": path.read_bytes() for path in paths},
    }


def mode(name: str) -> int:
    """Return the permissions of a file, which make scripts executable."""
    return 0o755 if name in EXECUTABLE else 0o644


def write_tar(path: Path, top: str, files: dict[str, bytes], epoch: int) -> None:
    """Write a tar archive in the order of names, with one time and no owner."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=epoch) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime, entry.mode = len(content), epoch, mode(name)
            tar.addfile(entry, io.BytesIO(content))


def write_zip(path: Path, top: str, files: dict[str, bytes], epoch: int) -> None:
    """Write a zip archive for Windows; wheels are not compressed again."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}", time.gmtime(epoch)[:6])
            entry.create_system, entry.external_attr = 3, (0o100000 | mode(name)) << 16
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="manylinux2014_x86_64", help="as pip names it (default: %(default)s)")
    parser.add_argument("--python-version", default="3.11", metavar="X.Y", help="default: %(default)s")
    parser.add_argument("--dist", type=Path, default=wheels.ROOT / "dist", help="where wheels are and the archive goes (default: dist)")
    parser.add_argument("--with", dest="pins", nargs="+", default=[], metavar="NAME==VERSION", help="versions of numpy and scipy to take")
    options = parser.parse_args()
    epoch = max(wheels.source_date_epoch(), wheels.EARLIEST)
    wheel = wheel_for(options.dist, options.platform, options.python_version)
    top = f"ugt-{own_version()}-offline-{options.platform}-py{options.python_version}"
    with tempfile.TemporaryDirectory(prefix="ugt-offline-") as folder:
        paths = fetch(wheel, options.platform, options.python_version, options.pins, Path(folder))
        files = contents(paths, options.platform, options.python_version, epoch)
    for write, ending in ((write_tar, "tar.gz"), (write_zip, "zip")):
        path = options.dist / f"{top}.{ending}"
        write(path, top, files, epoch)
        print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB, sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}")
    print("".join(f"  {path.name}\n" for path in paths), end="")


if __name__ == "__main__":
    main()
