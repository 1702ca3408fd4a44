"""Data beyond memory: the scripts run on little data, with the same files for the same seed; large states do not wait for each other."""

import json
import runpy
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

from ugt import states
from ugt.states import state

FOLDER = Path(__file__).parents[2] / "benchmarks" / "beyond"


def script(name, *arguments):
    command = [sys.executable, str(FOLDER / name), *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux")
def test_scores_under_a_limit(tmp_path):
    output = tmp_path / "scores.json"
    script("scores.py", tmp_path, "--cases", 300_000, "--max-memory", "300 MB", "--output", output)
    found = json.loads(output.read_text(encoding="utf-8"))
    assert np.load(tmp_path / "scores.npy").shape == (300_000,) and found["max_memory"] == 300_000_000
    assert found["whole"]["relative_difference"] < 1e-13
    assert [row["bins"] for row in found["bins"]] == [100, 1_000, 10_000, 100_000]
    assert all(abs(row["value"] - found["exact"]["value"]) == row["error"] <= row["bound"] for row in found["bins"])


def test_labels_on_workers(tmp_path, monkeypatch):
    for name in ("distributed", "pandas", "pyarrow"):
        pytest.importorskip(name, reason=f"the benchmark needs {name}, which is not installed")
    from pyarrow import parquet

    script("generate.py", tmp_path / "one", "--cases", 2000, "--files", 3)
    with monkeypatch.context() as here:
        here.setattr(sys, "argv", ["generate.py", str(tmp_path / "two"), "--cases", "2000", "--files", "3"])
        runpy.run_path(str(FOLDER / "generate.py"), run_name="__main__")
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.parquet"))
    assert len(files) == 6 and all((tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes() for path in files)
    rows = parquet.read_table(tmp_path / "one" / "labels").to_pandas()
    assert len(rows) == 10_000 and rows.groupby("case")["annotator"].nunique().eq(5).all() and rows["label"].between(0, 9).all()
    output = tmp_path / "labels.json"
    script("labels.py", tmp_path / "one", "--workers", 2, "--memory-limit", "1GiB", "--output", output)
    found = json.loads(output.read_text(encoding="utf-8"))
    assert found["n_cases"] == 2000 and found["n_files"] == 3 and len(found["peak_bytes_of_workers"]) == 2
    assert {one["n_cases"] for one in found["metrics"].values()} == {2000} and len(found["metrics"]) == 7
    assert found["subset"]["n_cases"] == 20 and found["subset"]["largest"] < 1e-11


def test_distinct_rows_of_cases_that_are_never_on_disk(tmp_path):
    pytest.importorskip("duckdb", reason="the benchmark needs duckdb, which is not installed")
    found = []
    for block in (700, 3000):
        output = tmp_path / f"{block}.json"
        script("rows.py", "--cases", 3000, "--block", block, "--subset", 2000, "--memory-limit", "200MB", "--output", output)
        found.append(json.loads(output.read_text(encoding="utf-8")))
    one, other = found
    assert one["metrics"] == other["metrics"] and one["n_rows"] == other["n_rows"] < 3000 and one["n_labels"] == 15_000
    assert {row["n_cases"] for row in one["metrics"].values()} == {3000} and len(one["metrics"]) == 3
    assert all(row["interval"][0] < row["value"] < row["interval"][1] for row in one["metrics"].values())
    assert one["subset"]["n_cases"] == 2000 and one["subset"]["largest_relative_difference_of_values"] < 1e-12
    assert one["subset"]["largest_relative_difference_of_ends"] < 0.02  # of resamples that are drawn in another way


def test_tasks_of_many_partitions():
    pytest.importorskip("distributed", reason="the benchmark needs distributed, which is not installed")
    lines = script("tasks.py", "--cases", 500, "--partitions", 2, 12, "--ranges", 8).splitlines()
    assert len(lines) == 6 and all(line.endswith("ms a task") for line in lines[-2:])  # and the answers agree


def test_large_states_do_not_wait_for_each_other(monkeypatch):
    monkeypatch.setattr(state, "NUMBERS", 20_000)
    rng, alive, most = np.random.default_rng(0), weakref.WeakSet(), 0
    p, scores = rng.random((2, 12))

    def each():
        nonlocal most
        for i in range(12):
            one = states.partial("soft_auroc", p[i : i + 1], scores[i : i + 1], edges=2000)
            alive.add(one)
            most = max(most, len(alive))
            yield one

    merged = states.merge(each())
    assert merged.n_cases == 12 and most <= 5
    assert states.finish(merged).value == states.finish(states.partial("soft_auroc", p, scores, edges=2000)).value
