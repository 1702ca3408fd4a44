"""The workflows of the CI service: runners, Pythons, commands and paths exist, as far as can be seen without the service."""

import re
import shlex
from pathlib import Path

import pytest

from ugt import cli

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RUNNERS = {"ubuntu-24.04", "ubuntu-24.04-arm", "windows-2022", "windows-11-arm", "macos-15", "macos-15-intel"}
MADE = {"demo-of-source", "demo-of-wheel", "numbers.json", "made", "dist"}  # files and folders that the commands write
PROGRAMS = {"make", "pip", "build", "pytest", "ugt", "echo", "script"}

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="no workflow here")


def jobs_of(path):
    return pytest.importorskip("yaml").safe_load(path.read_text(encoding="utf-8"))["jobs"].values()


def settings(job):
    """The combinations of the matrix of a job."""
    matrix = job.get("strategy", {}).get("matrix", {})
    return [*matrix.get("include", ()), *({"os": one} for one in matrix.get("os", ()))] or [{}]


def commands(job):
    """The words of every command, with a first value of the matrix in its place."""
    lines = [line for step in job["steps"] if "run" in step for line in step["run"].splitlines()]
    lines += re.split("&&", job.get("env", {}).get("CIBW_TEST_COMMAND", ""))
    first = settings(job)[0]
    for line in filter(str.strip, lines):
        filled = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda found: str(first[found[1]]), line).replace("{project}/", "")
        words = shlex.split(filled)
        if words[0] == "python":
            words = words[2:] if words[1] == "-m" else ["script", *words[1:]]
        yield words


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_runners_and_pythons(path):
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    supported = set(re.findall(r"Programming Language :: Python :: (3\.\d+)", text))
    for job in jobs_of(path):
        runners = {one.get("os", job["runs-on"]) for one in settings(job)}
        pythons = {str(one["python"]) for one in settings(job) if "python" in one}
        pythons |= {str(step["with"]["python-version"]) for step in job["steps"] if "python-version" in step.get("with", {})}
        pythons |= {f"3.{minor}" for minor in re.findall(r"cp3(\d+)-", job.get("env", {}).get("CIBW_BUILD", ""))}
        assert runners <= RUNNERS
        assert {one for one in pythons if "matrix" not in one} <= supported


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_commands_and_paths(path):
    found = [words for job in jobs_of(path) for words in commands(job)]
    assert len(found) >= 3
    for program, *words in found:
        assert program in PROGRAMS, program
        if program == "make":
            rules = (ROOT / "Makefile").read_text(encoding="utf-8")
            assert all(re.search(rf"^(?:.* )?{word}\b.*:", rules, re.MULTILINE) for word in words if "=" not in word)
        elif program == "ugt":
            cli.make_parser().parse_args(words)
        elif program in ("pytest", "script"):
            paths = [word.partition("=")[2] or word for word in words if "/" in word or word.endswith((".json", ".py"))]
            assert all(one in MADE or (ROOT / one).exists() for one in paths), words
        elif program == "pip":
            extras = re.findall(r"\.\[(\w+)\]", " ".join(words))
            assert words[0] == "install"
            assert all(re.search(rf"^{one} = \[", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE) for one in extras)
