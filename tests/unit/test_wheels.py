"""What builds and audits wheels, the recipe, and the workflow: the parts that need no compiler."""

import base64
import calendar
import copy
import hashlib
import os
import re
import struct
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from scripts import script

import ugt

ROOT = Path(__file__).parents[2]

if not (ROOT / "packaging" / "wheels.py").exists():
    pytest.skip("the scripts that pack are not here", allow_module_level=True)


wheels, recipe = (script("packaging", name) for name in ("wheels", "check_recipe"))


# --- building ----------------------------------------------------------------------------------------------------------
def test_the_time_in_a_wheel(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert wheels.source_date_epoch() == 1_700_000_000
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    text = "# Changelog\n\n## 0.2.0 (not released yet)\n\n## 0.1.0 (2027-03-01)\n\n## 0.0.1 (2026-01-01)\n"
    assert wheels.released(text) == calendar.timegm((2027, 3, 1, 0, 0, 0))
    assert wheels.released("## 0.1.0 (not released yet)\n") == wheels.EARLIEST


def test_sources_are_copied_without_what_builds_leave(tmp_path):
    wheels.copy_sources(tmp_path / "source")
    names = {str(path.relative_to(tmp_path / "source").as_posix()) for path in (tmp_path / "source").rglob("*") if path.is_file()}
    assert {"setup.py", "pyproject.toml", "README.md", "LICENSE", "ugt/py.typed", "ugt/_core/_em.pyx", "ugt/_core/em.c"} <= names
    assert not [name for name in names if re.search(r"\.(so|pyd|pyc)$|/_core/_\w+\.c$", name)]


def test_pythons_are_found_or_not():
    own = "{}.{}".format(*sys.version_info[:2])
    assert wheels.is_version(sys.executable, own) and not wheels.is_version(sys.executable, "3.99")
    assert wheels.find_python("3.99") is None


def test_what_builds_is_pinned():
    lines = [line for line in wheels.PINNED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", line) for line in lines)
    assert {"cython", "setuptools", "ziglang"} <= {line.split("==")[0] for line in lines}


def test_nothing_of_this_shell_gets_into_a_build(tmp_path, monkeypatch):
    monkeypatch.setenv("CFLAGS", "-march=native")
    monkeypatch.setenv("UGT_CFLAGS", "-g")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    found = wheels.settings(tmp_path, 7)
    assert not {"CFLAGS", "UGT_CFLAGS", "PYTHONPATH"} & set(found)
    assert found["SOURCE_DATE_EPOCH"] == "7" and found["ZIG_LOCAL_CACHE_DIR"].startswith(str(tmp_path))


def test_flags_are_those_of_a_build_from_source():
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    assert f"\nFLAGS = {list(wheels.FLAGS[:5])}\n".replace("'", '"') in text


def test_systems():
    assert {system.kind for system in wheels.SYSTEMS.values()} == {"linux", "macos", "windows"}
    assert len(wheels.RELEASED) == 8 and "linux_s390x" not in wheels.RELEASED
    assert wheels.platform_tag(wheels.SYSTEMS["manylinux2014_aarch64"]) == "manylinux_2_17_aarch64.manylinux2014_aarch64"
    assert wheels.platform_tag(wheels.SYSTEMS["win_amd64"]) == "win_amd64"
    assert [wheels.ending(wheels.SYSTEMS[tag], "3.11") for tag in ("win_arm64", "macosx_11_0_arm64")] == [".pyd", ".abi3.so"]
    assert wheels.ending(wheels.SYSTEMS["manylinux2014_x86_64"], "3.9") == ".so"


def test_bindings_alone_are_compiled_with_what_their_headers_need(tmp_path, monkeypatch):
    seen = {}
    build = object.__new__(wheels.Build)
    build.folder, build.modules = tmp_path, [("ugt._core._em", ["ugt/_core/_em.c", "ugt/_core/em.c"], ["ugt/_core"])]
    monkeypatch.setattr(wheels.Build, "python_files", lambda self, system, version: tmp_path / "include")

    def zig(self, system, *arguments):
        if "-c" in arguments:
            seen[system.tag, Path(arguments[arguments.index("-c") + 1]).name] = arguments
        Path(arguments[-1]).write_bytes(b"")

    monkeypatch.setattr(wheels.Build, "zig", zig)
    with ThreadPoolExecutor(1) as pool:
        for tag in ("win_amd64", "manylinux2014_x86_64"):
            assert list(build.compile(wheels.SYSTEMS[tag], "3.9", pool)) == [f"ugt/_core/_em{wheels.ending(wheels.SYSTEMS[tag], '3.9')}"]
    of_64_bits = {key for key, arguments in seen.items() if "-DMS_WIN64=" in arguments}
    assert of_64_bits == {("win_amd64", "_em.c")} and len(seen) == 4


def test_same_contents_same_bytes(tmp_path):
    files = {"ugt/b.py": b"2", "ugt-1.dist-info/WHEEL": b"", "ugt/a.so": b"1"}
    for path, some in ((tmp_path / "one.whl", files), (tmp_path / "two.whl", dict(sorted(files.items())))):
        wheels.write_zip(path, some, 0)
    assert (tmp_path / "one.whl").read_bytes() == (tmp_path / "two.whl").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.whl") as made:
        assert made.namelist() == ["ugt/a.so", "ugt/b.py", "ugt-1.dist-info/WHEEL"]
        assert {entry.date_time[0] for entry in made.infolist()} == {1980}


# --- auditing ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def audit():
    pytest.importorskip("elftools")
    return script("packaging", "audit")


def contents(audit):
    """Files of a wheel that is as it must be, but for the machine code."""
    info = f"ugt-{ugt.__version__}.dist-info"
    files = {
        path.relative_to(ROOT).as_posix(): path.read_bytes() for path in (ROOT / "ugt").rglob("*.py*") if path.suffix in (".py", ".pyi")
    }
    modules = ["_shared", *(path.stem for path in (ROOT / "ugt" / "_core").glob("*.pyx"))]
    files.update({f"ugt/_core/{name}.abi3.so": b"" for name in modules})
    tag = b"Tag: cp311-abi3-manylinux_2_17_x86_64\nTag: cp311-abi3-manylinux2014_x86_64\n"
    return {**files, "ugt/py.typed": b"", f"{info}/licenses/LICENSE": b"", f"{info}/licenses/CITATION.cff": b"", f"{info}/WHEEL": tag}


@pytest.mark.parametrize("folder", ["/tmp", "/home/somebody", os.path.expanduser("~root"), str(ROOT)])
def test_folders_of_the_builder_are_seen(audit, folder):
    fault = next(audit.faults_of_module(f"\x7fELF{folder}/source.c".encode(), "manylinux_2_17_x86_64.manylinux2014_x86_64"))
    assert fault.startswith("holds the folder ")


def mach_o(name="@rpath/_em.abi3.so", library="/usr/lib/libSystem.B.dylib", oldest=11, signed=True):
    """The header and the load commands of a module of macOS for ARM."""

    def text(kind, value):
        content = value.encode() + b"\0" * (8 - len(value) % 8)
        return struct.pack("<IIIIII", kind, 24 + len(content), 24, 0, 0, 0) + content

    version = struct.pack("<IIIIII", 0x32, 24, 1, oldest << 16, 0, 0)
    commands = [text(0x0D, name), text(0x0C, library), version, *[struct.pack("<IIII", 0x1D, 16, 0, 0)] * signed]
    return struct.pack("<IIIIIIII", 0xFEEDFACF, 0x0100000C, 0, 6, len(commands), sum(map(len, commands)), 0, 0) + b"".join(commands)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (mach_o(), None),
        (mach_o(name="/build/_em.so"), "is called /build/_em.so"),
        (mach_o(library="/opt/lib/libpython3.11.dylib"), "asks for /opt/lib/libpython3.11.dylib"),
        (mach_o(oldest=13), "needs macOS 13.0"),
        (mach_o(signed=False), "is not signed"),
        (b"\0" * 64, "for the machine 'not Mach-O'"),
    ],
)
def test_modules_of_macos(audit, content, fault):
    assert list(audit.faults_of_module(content, "macosx_11_0_arm64")) == ([] if fault is None else [fault])


def test_contents(audit):
    files = contents(audit)
    assert list(audit.faults_of_contents(files, ugt.__version__)) == []
    for name in ("ugt/py.typed", f"ugt-{ugt.__version__}.dist-info/licenses/LICENSE", "ugt/_core/_em.abi3.so", "ugt/synthetic.py"):
        assert len(list(audit.faults_of_contents({key: files[key] for key in files if key != name}, ugt.__version__))) == 1, name
    for name, count in {"ugt/_core/em.c": 1, "tests/test_one.py": 1, "ugt/_core/_other.abi3.so": 1}.items():
        assert len(list(audit.faults_of_contents({**files, name: b""}, ugt.__version__))) == count, name
    changed = {**files, "ugt/synthetic.py": b"x = 1\n"}
    assert list(audit.faults_of_contents(changed, ugt.__version__)) == ["not as in the sources: ['ugt/synthetic.py']"]


def test_tags_and_record(audit):
    files = contents(audit)
    name = audit.NAME.fullmatch(f"ugt-{ugt.__version__}-cp311-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")
    assert audit.python_of(Path(name[0])) == "3.11" and audit.python_of(Path(name[0].replace("cp311-abi3", "cp39-cp39"))) == "3.9"
    assert audit.wanted_of(Path(name[0])) == ("manylinux2014_x86_64", "3.11")
    assert list(audit.faults_of_tags(files, name)) == []
    linux = audit.NAME.fullmatch(f"ugt-{ugt.__version__}-cp311-abi3-linux_x86_64.whl")
    assert len(list(audit.faults_of_tags(files, linux))) == 2
    record = f"ugt-{ugt.__version__}.dist-info/RECORD"

    def recorded(some):
        digest = {key: base64.urlsafe_b64encode(hashlib.sha256(some[key]).digest()).rstrip(b"=").decode() for key in some}
        return "".join(f"{key},sha256={digest[key]},{len(some[key])}\n" for key in some).encode()

    assert list(audit.faults_of_record({**files, record: recorded(files)})) == []
    assert list(audit.faults_of_record({**files, record: recorded(files), "ugt/py.typed": b"x"})) == [
        "ugt/py.typed: not in RECORD with its hash"
    ]


# --- other systems -----------------------------------------------------------------------------------------------------
@pytest.mark.skipif(os.name != "posix", reason="links of Debian")
def test_libraries_that_debian_offers_several_of_are_linked(tmp_path):
    systems, folder = script("packaging", "systems"), tmp_path / "usr" / "lib" / "s390x-linux-gnu"
    for path in ("blas/libblas.so.3", "lapack/liblapack.so.3", "openblas/libblas.so.3", "openblas/liblapack.so.3", "other/libplain.so.3"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path, encoding="utf-8")
    for _ in range(2):
        systems.link_alternatives(tmp_path)
        made = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.so.3")}
        assert made == {"libblas.so.3": "blas/libblas.so.3", "liblapack.so.3": "lapack/liblapack.so.3"}


@pytest.mark.parametrize("machine", ["windows", "aarch64", "s390x"])
def test_a_system_whose_parts_are_not_to_be_had_is_skipped(machine, monkeypatch, capsys):
    systems = script("packaging", "systems")

    def python_of(machine):
        raise systems.Missing("no archive")

    monkeypatch.setattr(systems, "python_of", python_of)
    monkeypatch.setattr(sys, "argv", ["systems.py", machine, "--part"])
    systems.main()
    assert capsys.readouterr().out == f"{machine}: skipped: no archive\n"


def test_ci_runs_a_part_on_every_other_system():
    systems = script("packaging", "systems")
    assert [path for path in (*systems.PART, *systems.LEFT_OUT) if not (ROOT / path).exists()] == []
    if not (ROOT / ".ci" / "run").exists():
        pytest.skip("no CI here")
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    others = systems.MACHINES.keys() - {"x86_64"}
    assert set(re.findall(r'"other_system (\w+)"', text)) == others
    built = text.split('"--pythons 3.11 --systems ')[1].partition('"')[0].split()
    assert set(built) == {systems.MACHINES[name].wheel for name in others}


@pytest.mark.skipif(os.name != "posix", reason="the interpreter is a script")
@pytest.mark.parametrize(("name", "options"), [("aarch64", "-cpu neoverse-n1 -L "), ("s390x", "-L ")])
def test_the_processor_that_is_emulated(name, options, tmp_path, monkeypatch):
    systems = script("packaging", "systems")
    monkeypatch.setattr(systems.wheels, "PARTS", tmp_path)
    for function in ("installed", "unpacked", "tool"):
        monkeypatch.setattr(systems, function, lambda *_: tmp_path)
    (python,), _ = systems.python_of(systems.MACHINES[name])
    assert f"/qemu-{name}-static {options}{tmp_path}" in Path(python).read_text(encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="links of Debian")
def test_packages_for_windows_have_a_path_with_a_drive(tmp_path, monkeypatch):
    """A process there starts others in a folder of another drive."""
    systems = script("packaging", "systems")
    monkeypatch.setattr(systems.wheels, "PARTS", tmp_path)
    monkeypatch.setattr(systems.wheels, "winpython", lambda _: tmp_path)
    for function in ("installed", "tool"):
        monkeypatch.setattr(systems, function, lambda *_: tmp_path)
    (tmp_path / "usr" / "lib" / "wine").mkdir(parents=True)
    (tmp_path / "usr" / "lib" / "wine" / "wineserver").touch()
    _, environment = systems.python_of(systems.MACHINES["windows"])
    assert environment["PYTHONPATH"] == "Z:" + str(tmp_path).replace("/", "\\")


# --- the recipe --------------------------------------------------------------------------------------------------------
def parsed(path):
    return pytest.importorskip("yaml").safe_load(path.read_text(encoding="utf-8"))


def test_the_package_is_read():
    found = recipe.declared()
    assert found["version"] == ugt.__version__
    assert found["run"] == ["numpy>=1.19.3", "scipy>=1.5.4"]
    assert found["entry_points"] == ["ugt = ugt.cli:main"]


def test_the_version_of_the_recipe():
    assert f'\n  version: "{ugt.__version__}"\n' in recipe.RECIPE.read_text(encoding="utf-8")


def test_the_recipe_says_what_the_package_says():
    assert list(recipe.faults(parsed(recipe.RECIPE), recipe.declared())) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("context", "version"), "9"),
        (("context", "python_min"), "3.8"),
        (("requirements", "run"), ["python", "numpy >=1.18", "scipy >=1.5.4"]),
        (("requirements", "host"), ["python", "pip", "setuptools >=77"]),
        (("about", "license"), "MIT"),
    ],
)
def test_what_differs_is_found(place, value):
    changed = copy.deepcopy(parsed(recipe.RECIPE))
    changed[place[0]][place[1]] = value
    assert len(list(recipe.faults(changed, recipe.declared()))) == 1


# --- the workflow ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "jobs"), [("wheels", {"wheels", "sdist"}), ("systems", {"tests", "made-on-linux", "installed"})])
def test_the_workflows(name, jobs):
    path = ROOT / ".github" / "workflows" / f"{name}.yml"
    if not path.exists():
        pytest.skip("no workflow here")
    text = path.read_text(encoding="utf-8")
    assert "UNVERIFIED" in text
    assert all(re.fullmatch(r"[\w./-]+@v\d+(\.\d+)*", use) for use in re.findall(r"uses: (\S+)", text))
    assert set(parsed(path)["jobs"]) == jobs
    assert {"ubuntu", "macos", "windows"} <= set(re.findall(r"\b(ubuntu|macos|windows)-[\d.]+", text))
    targets = re.findall(r"make ([a-z-]+)", text)
    assert targets and all(re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE) for target in targets)
