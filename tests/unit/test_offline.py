"""The offline archive: hashes, list of contents, scripts; made of small wheels, without a network."""

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from scripts import script

import ugt

ROOT = Path(__file__).parents[2]
PLATFORM = "manylinux2014_x86_64"
EPOCH = 1_700_000_000
HERE = "%d.%d" % sys.version_info[:2]  # noqa: UP031

if not (ROOT / "packaging" / "offline.py").exists():
    pytest.skip("the scripts that pack are not here", allow_module_level=True)


offline, sbom, wheels = (script("packaging", name) for name in ("offline", "sbom", "wheels"))


def make_wheel(folder, name, version, tag="py3-none-any", fields=(), files=()):
    """A wheel that pip installs."""
    info = f"{name}-{version}.dist-info"
    contents = {
        f"{info}/METADATA": "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", "Summary: A thing", *fields, ""]),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n",
        **dict(files),
    }
    record = [
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text.encode())}\n"
        for path, text in contents.items()
    ]
    wheel = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**contents, f"{info}/RECORD": "".join(record) + f"{info}/RECORD,,\n"}.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return wheel


UGT = f"""\
__version__ = {ugt.__version__!r}
class Found:
    value = VALUE
class Labels:
    @staticmethod
    def from_counts(counts):
        return counts
def dirichlet(counts, prior):
    return counts, prior
def annotation_certainty(found):
    assert found == ([[3, 1]], 0.5)
    return Found
def main():
    print("ugt", __version__)
"""


@pytest.fixture
def paths(tmp_path):
    """Stand-ins for ugt, numpy and scipy."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    info = f"ugt-{ugt.__version__}.dist-info"
    own = {"ugt.py": UGT.replace("VALUE", "0.8395305452628"), f"{info}/entry_points.txt": "[console_scripts]\nugt = ugt:main\n"}
    needs = ["License-Expression: BSD-3-Clause", "Requires-Dist: numpy>=1.19.3", 'Requires-Dist: pandas; extra == "pandas"']
    long = "License: Copyright\n        and many more lines"
    return [
        make_wheel(folder, "numpy", "2.2.6", fields=[long, "Classifier: License :: OSI Approved :: BSD License"], files={"numpy.py": ""}),
        make_wheel(folder, "scipy", "1.15.3", fields=["License: BSD"], files={"scipy.py": "", "scipy.libs/libopenblas.so": "machine code"}),
        make_wheel(folder, "ugt", ugt.__version__, fields=needs, files=own),
    ]


# --- requirements and archive ------------------------------------------------------------------------------------------
def test_requirements_have_the_hash_of_every_wheel(paths):
    lines = offline.hashed(paths).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["numpy==2.2.6", "scipy==1.15.3", f"ugt=={ugt.__version__}"]
    for line, path in zip(lines, paths):
        assert line.endswith(f"--hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}")


def test_both_archives_hold_the_same_and_are_the_same_again(paths, tmp_path):
    found = []
    for turn in ("one", "two"):
        os.utime(paths[0])
        files = offline.contents(paths, PLATFORM, HERE, EPOCH)
        offline.write_tar(tmp_path / f"{turn}.tar.gz", "top", files, EPOCH)
        offline.write_zip(tmp_path / f"{turn}.zip", "top", files, EPOCH)
        found.append([(tmp_path / f"{turn}.{ending}").read_bytes() for ending in ("tar.gz", "zip")])
    assert found[0] == found[1]
    with tarfile.open(tmp_path / "one.tar.gz") as tar, zipfile.ZipFile(tmp_path / "one.zip") as packed:
        inside = {entry.name: tar.extractfile(entry).read() for entry in tar}
        assert inside == {entry: packed.read(entry) for entry in packed.namelist()} == {f"top/{name}": files[name] for name in files}
        assert {entry.name for entry in tar if entry.mode & 0o100} == {"top/install.sh"}
        assert {(entry.mtime, entry.uid, entry.gid, entry.uname) for entry in tar} == {(EPOCH, 0, 0, "")}
    assert {name.split("/")[0] for name in files} == {
        *("LICENSE", "README.txt", "install.cmd", "install.ps1", "install.sh", "requirements.txt", "sbom.cdx.json", "wheelhouse")
    }
    assert gzip.decompress(found[0][0])  # whole to its end


def test_names_are_filled_in(paths):
    files = offline.contents(paths, "win_amd64", "3.12", EPOCH)
    for name in ("README.txt", "install.cmd", "install.ps1", "install.sh"):
        text = files[name].decode()
        assert not re.search(r"@[A-Z]+@", text) and "3.12" in text, name
        assert (text.count("\r\n") == text.count("\n")) == (name != "install.sh"), name
    assert f"ugt {ugt.__version__} for Python 3.12 on win_amd64" in files["README.txt"].decode()
    windows, linux = offline.TRIED["win_amd64"], offline.TRIED[r"manylinux\w+_x86_64"]
    for platform, said in ((PLATFORM, linux), ("win_amd64", windows), ("manylinux2014_aarch64", offline.UNTRIED)):
        assert offline.contents(paths, platform, "3.12", EPOCH)["README.txt"].decode().endswith(f"\r\n{said}\r\n")


def test_the_scripts_ask_nobody_and_insist_on_hashes():
    for name in ("install.sh", "install.cmd", "install.ps1"):
        text = re.sub(r"[\\`]\n\s*", "", (ROOT / "packaging" / "offline" / name).read_text(encoding="utf-8"))
        commands = [line for line in text.splitlines() if " -m pip " in line and not line.startswith(("#", "rem "))]
        assert len(commands) == 1, name
        for option in ("--isolated", "--no-index", "--require-hashes", "--only-binary=:all:", "--no-cache-dir", "--find-links"):
            assert option in commands[0], (name, option)
        assert not re.search(r"https?:|curl|wget|Invoke-WebRequest", text), name


@pytest.mark.parametrize("name", ["install.sh", "install.cmd", "install.ps1"])
def test_the_number_that_scripts_check_is_that_of_this_library(name):
    text = (ROOT / "packaging" / "offline" / name).read_text(encoding="utf-8")
    (code,) = re.findall(r'-c "\n?(import ugt\b[^"]*)"', text)
    exec(code, {})
    with pytest.raises((AssertionError, SystemExit)):
        exec(code.replace("[3, 1]", "[3, 2]"), {})


@pytest.mark.parametrize(
    ("platform", "tag", "runs"),
    [
        ("win_amd64", "win_amd64", True),
        ("win_amd64", "win_arm64", False),
        ("macosx_12_0_arm64", "macosx_11_0_arm64", True),
        ("macosx_10_9_x86_64", "macosx_11_0_x86_64", False),
        ("macosx_12_0_arm64", "macosx_11_0_x86_64", False),
    ],
)
def test_wheels_run_on_their_system_and_later_ones(platform, tag, runs):
    assert offline.runs_on(platform, tag) is runs


@pytest.mark.parametrize(
    "python_version, name", [("3.9", "cp39-cp39"), ("3.10", "cp310-cp310"), ("3.11", "cp311-abi3"), ("3.13", "cp311-abi3")]
)
def test_the_wheel_of_a_python(tmp_path, python_version, name):
    for tag in ("cp39-cp39", "cp310-cp310", "cp311-abi3"):
        for platform in (f"{PLATFORM}.manylinux_2_17_x86_64", "win_amd64", "manylinux_2_31_x86_64"):
            (tmp_path / f"ugt-{ugt.__version__}-{tag}-{platform}.whl").write_text("", encoding="utf-8")
            (tmp_path / f"ugt-0.0.1-{tag}-{platform}.whl").write_text("", encoding="utf-8")
    found = [offline.wheel_for(tmp_path, platform, python_version).name for platform in (PLATFORM, "win_amd64")]
    assert found == [f"ugt-{ugt.__version__}-{name}-{PLATFORM}.manylinux_2_17_x86_64.whl", f"ugt-{ugt.__version__}-{name}-win_amd64.whl"]
    with pytest.raises(SystemExit, match=rf"must hold one wheel of ugt .* with {name} for win_arm64"):
        offline.wheel_for(tmp_path, "win_arm64", python_version)


# --- list of contents --------------------------------------------------------------------------------------------------
def test_the_list_is_cyclonedx(paths):
    bill = sbom.bill(paths, "archive", "1", EPOCH)
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.5", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert set(bill) == {"bomFormat", "specVersion", "serialNumber", "version", "metadata", "components", "dependencies"}
    references = [bill["metadata"]["component"]["bom-ref"]]
    for component, path in zip(bill["components"], paths):
        assert component["type"] == "library"
        assert path.name.startswith(f"{component['name']}-{component['version']}-")
        assert component["purl"] == f"pkg:pypi/{component['name']}@{component['version']}"
        assert component["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]
        references += [component["bom-ref"], *(inside["bom-ref"] for inside in component.get("components", []))]
    assert len(references) == len(set(references)) == 5
    assert [one["ref"] for one in bill["dependencies"]] == [references[0], *(one["bom-ref"] for one in bill["components"])]
    assert {need for one in bill["dependencies"] for need in one["dependsOn"]} <= set(references)
    json.dumps(bill, allow_nan=False)


def test_licences_libraries_and_needs(paths):
    bill = sbom.bill(paths, "archive", "1", EPOCH)
    numpy, scipy, own = bill["components"]
    assert [one["licenses"] for one in (numpy, scipy, own)] == [
        [{"license": {"name": "BSD License"}}],  # its field is a whole text
        [{"license": {"name": "BSD"}}],
        [{"expression": "BSD-3-Clause"}],
    ]
    assert [(one["type"], one["name"]) for one in scipy["components"]] == [("file", "scipy.libs/libopenblas.so")]
    assert scipy["components"][0]["hashes"][0]["content"] == hashlib.sha256(b"machine code").hexdigest()
    needs = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
    assert needs[own["purl"]] == [numpy["purl"]]  # extras are not needed
    assert needs["archive@1"] == [numpy["purl"], scipy["purl"], own["purl"]]


def test_the_list_depends_on_the_wheels_alone(paths):
    bill = sbom.bill(paths, "archive", "1", EPOCH)
    assert sbom.bill(paths[::-1], "archive", "1", EPOCH) == bill
    with open(paths[1], "ab") as file:
        file.write(b"x")
    assert sbom.bill(paths, "archive", "1", EPOCH)["serialNumber"] != bill["serialNumber"]


# --- install.sh, with stand-ins ----------------------------------------------------------------------------------------
@pytest.fixture
def unpacked(paths, tmp_path):
    if os.name != "posix":
        pytest.skip("no sh here")
    offline.write_tar(tmp_path / "a.tar.gz", "top", offline.contents(paths, PLATFORM, HERE, EPOCH), EPOCH)
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        tar.extractall(tmp_path / "a folder")
    return tmp_path / "a folder" / "top"


def install(folder, *arguments, python=sys.executable):
    command = ["sh", str(folder / "install.sh"), *map(str, arguments)]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = {**kept, "PYTHON": python}
    return subprocess.run(command, cwd=folder.parent, env=environment, capture_output=True, text=True, timeout=280, check=False)


@pytest.mark.slow
def test_install(unpacked):
    done = install(unpacked, unpacked.parent / "env")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"ugt {ugt.__version__}"
    again = install(unpacked, unpacked.parent / "env")
    assert (again.returncode, "is there already" in again.stderr) == (2, True)


def test_another_python_is_refused(unpacked):
    text = (unpacked / "install.sh").read_text(encoding="utf-8")
    (unpacked / "install.sh").write_text(text.replace(f"wanted={HERE}", "wanted=3.99"), encoding="utf-8")
    done = install(unpacked)
    assert done.returncode == 2 and "these wheels are for Python 3.99" in done.stderr
    done = install(unpacked, python="")
    assert done.returncode == 2 and "no Python 3.99 on the PATH" in done.stderr
    assert not (unpacked.parent / "ugt-env").exists()


def test_scripts_are_shell():
    sh = shutil.which("sh")
    if sh is None:
        pytest.skip("no sh here")
    subprocess.run([sh, "-n", str(ROOT / "packaging" / "offline" / "install.sh")], check=True)
    bash = shutil.which("bash")
    for path in sorted((ROOT / "packaging").glob("*.sh")) if bash else []:
        subprocess.run([bash, "-n", str(path)], check=True)
