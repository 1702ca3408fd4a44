"""Where the tests find slow twins, reference cases and real data."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import settings

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared"

sys.path.insert(0, str(HERE))  # `from twins import irn`

# Processors have tests enough: no threads of matrix products, here and in what tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A slow machine is no failure, and the same inputs every time: what fails is the change.
# --hypothesis-profile=search takes others. The quick tests on other Pythons take few.
settings.register_profile("few", deadline=None, derandomize=True, max_examples=5)
settings.register_profile("ugt", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("ugt")


# Python looks for circles of objects after every 700 new ones; beside those of many tests this takes 4 to 14% of the time.
gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(config, items):
    """Leave designs of simulations after the first of each test to `make simulations`, if CI asks for that."""
    if "UGT_FIRST_DESIGNS" not in os.environ:
        return
    seen, later = set(), []
    for item in items:
        test = item.nodeid.partition("[")[0]
        if item.get_closest_marker("simulation") and test in seen:
            later.append(item)
        seen.add(test)
    config.hook.pytest_deselected(items=later)
    left_out = {item.nodeid for item in later}
    items[:] = [item for item in items if item.nodeid not in left_out]


def pytest_collection_finish():
    """Leave the tests themselves out of the search."""
    gc.collect()
    gc.freeze()


def located(variable, default):
    folder = Path(os.environ.get(variable, default))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set {variable} to run this test")
    return folder


def numbers(value):
    """JSON with "NaN", "Infinity" and "-Infinity" as floats."""
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


@pytest.fixture(scope="session")
def shared_case():
    """``shared_case("01")``: a reference case by its number, or by the whole name of its file without the ending."""

    def load(name):
        (path,) = located("UGT_CASES", SHARED / "cases").glob(f"{name}_*.json" if name.isdigit() else f"{name}.json")
        return numbers(json.loads(path.read_text(encoding="utf-8")))

    return load


@pytest.fixture
def strangers(monkeypatch):
    """``strangers("med/study.imrmc")``: the name of a file that strangers brought, in the folder where the test then runs."""

    def go(name):
        folder, _, file = name.rpartition("/")
        monkeypatch.chdir(located("UGT_STRANGERS", SHARED / "strangers") / folder)
        return file

    return go


@pytest.fixture(scope="session")
def dermatology():
    """The dermatology data: nested ``annotations``, ``conditions`` (names) and ``risks`` (0, 1, 2)."""
    folder = located("UGT_DATA", SHARED / "data" / "dermatology_ddx")
    lines = {name: (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("conditions", "risks")}
    annotations = json.loads((folder / "annotations.json").read_text(encoding="utf-8"))
    return SimpleNamespace(annotations=annotations, conditions=lines["conditions"], risks=[int(line) for line in lines["risks"]])


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """``command("certainty", "x.csv")``: what ``ugt`` prints in a folder of its own, or complains of where its code is not 0."""
    from refusals import results

    from ugt import cli

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ugt._base.parallel.QUIET_SECONDS", 1e9)  # a slow machine would say how far it is

    def run(*arguments, code=0):
        capsys.readouterr()
        assert cli.main([str(argument) for argument in arguments]) == code
        out, run.err = capsys.readouterr()
        assert not (code and results(out))
        return run.err if code else out

    return run


@pytest.fixture
def write(tmp_path):
    """``write(content, name)`` makes a file: text, bytes, an array, arrays by name where the name is of an NPZ file, JSON of all else."""

    def write(content, name=None):
        path = tmp_path / (name or ("file.csv" if isinstance(content, (str, bytes)) else "file.json"))
        if isinstance(content, np.ndarray):
            np.save(path, content)
        elif isinstance(content, dict) and path.suffix == ".npz":
            np.savez(path, **content)
        else:
            text = content if isinstance(content, (str, bytes)) else json.dumps(content)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture(scope="session")
def browser():
    """One tab of a headless browser."""
    if os.name == "nt":
        pytest.skip("the browser is steered through pipes with numbers that Windows does not pass on")
    from twins.browser import Browser, executable

    path = executable()
    if path is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on the path: the report is not opened")
    with Browser(path) as opened:
        yield opened
