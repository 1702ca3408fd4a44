"""What builds and audits wheels, the recipe, and the workflow: the parts that need no compiler."""

import base64
import calendar
import copy
import hashlib
import os
import re
import sys
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
    assert [line.split("==")[0] for line in wheels.build_requirements()] == ["build", "cython", "setuptools"]


@pytest.mark.skipif(os.name != "posix", reason="zig stands in for a compiler of Linux")
def test_nothing_of_this_shell_gets_into_a_build(tmp_path, monkeypatch):
    monkeypatch.setenv("CFLAGS", "-march=native")
    monkeypatch.setenv("UGT_CFLAGS", "-g")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    found = wheels.settings(tmp_path, 7)
    assert not {"CFLAGS", "UGT_CFLAGS", "PYTHONPATH"} & set(found)
    assert found["SOURCE_DATE_EPOCH"] == "7" and found["LDSHARED"] == f"{found['CC']} -shared"
    assert re.search(r"ziglang cc -target \w+-linux-gnu\.2\.17 ", Path(found["CC"]).read_text())


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
    files.update({f"ugt/_core/{path.stem}.abi3.so": b"" for path in (ROOT / "ugt" / "_core").glob("*.pyx")})
    tag = b"Tag: cp311-abi3-manylinux_2_17_x86_64\nTag: cp311-abi3-manylinux2014_x86_64\n"
    return {**files, "ugt/py.typed": b"", f"{info}/licenses/LICENSE": b"", f"{info}/licenses/CITATION.cff": b"", f"{info}/WHEEL": tag}


@pytest.mark.parametrize("folder", ["/tmp", "/home/somebody", os.path.expanduser("~root"), str(ROOT)])
def test_folders_of_the_builder_are_seen(audit, folder):
    assert next(audit.faults_of_module(f"\x7fELF{folder}/source.c".encode())).startswith("holds the folder ")


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
    name = audit.NAME.fullmatch(f"ugt-{ugt.__version__}-cp311-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl")
    assert audit.python_of(Path(name[0])) == "3.11" and audit.python_of(Path(name[0].replace("cp311-abi3", "cp39-cp39"))) == "3.9"
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
def test_the_workflow():
    path = ROOT / ".github" / "workflows" / "wheels.yml"
    if not path.exists():
        pytest.skip("no workflow here")
    text = path.read_text(encoding="utf-8")
    assert "UNVERIFIED" in text
    assert all(re.fullmatch(r"[\w./-]+@v\d+(\.\d+)*", use) for use in re.findall(r"uses: (\S+)", text))
    jobs = parsed(path)["jobs"]
    assert set(jobs) == {"wheels", "sdist"}
    systems = {one["os"].split("-")[0] for one in jobs["wheels"]["strategy"]["matrix"]["include"]}
    assert systems == {"ubuntu", "macos", "windows"}
    targets = re.findall(r"make ([\w-]+)", text)
    assert targets and all(re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE) for target in targets)
