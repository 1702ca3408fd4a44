"""What an installed `ugt` consists of and says about itself."""

import re
import shutil
import subprocess
import sysconfig
from importlib import metadata
from pathlib import Path

import pytest

import ugt

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def distribution():
    try:
        return metadata.distribution("ugt")
    except metadata.PackageNotFoundError:
        pytest.skip("ugt is run from its source folder, not installed")


@pytest.fixture(scope="module")
def files(distribution):
    names = {str(file).replace("\\", "/") for file in distribution.files}
    if "ugt/__init__.py" not in names:
        pytest.skip("an editable installation has no files of its own")
    return names


def test_version_is_the_same_everywhere(distribution):
    assert distribution.version == ugt.__version__
    assert f"\nversion: {ugt.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {ugt.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_only_numpy_and_scipy_are_needed(distribution):
    always = [line for line in distribution.requires if "extra ==" not in line]
    assert sorted(always) == ["numpy>=1.19.3", "scipy>=1.5.4"]


def test_types_are_shipped_and_sources_of_the_core_are_not(files):
    assert "ugt/py.typed" in files
    assert "ugt/__init__.pyi" in files
    stubs = {Path(name).stem for name in files if name.endswith(".pyi") and name.startswith("ugt/_core/")}
    modules = {Path(name).name.split(".")[0] for name in files if name.endswith((".so", ".pyd"))}
    assert stubs == modules - {"_shared"} != set()  # Cython's own views of arrays have no source of ours
    assert not [name for name in files if name.endswith((".c", ".h", ".pyx", ".pxd"))]


def test_licence_is_shipped(distribution, files):
    assert distribution.metadata["License-Expression"] == "BSD-3-Clause"
    assert any(name.endswith("licenses/LICENSE") for name in files)


def test_command_is_installed(distribution):
    script = shutil.which("ugt", path=sysconfig.get_path("scripts"))
    assert script is not None
    run = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(rf"ugt {re.escape(ugt.__version__)}\n", run.stdout)
