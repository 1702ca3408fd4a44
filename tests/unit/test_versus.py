"""The comparison with other tools: disagreement is shown instead of timed, peers that win are named, runs give a range."""

import importlib.util
import math
import sys
from pathlib import Path

import pytest

VERSUS = Path(__file__).parents[2] / "benchmarks" / "versus"


@pytest.fixture
def load(monkeypatch):
    def module(name):
        spec = importlib.util.spec_from_file_location(f"versus_{name}", VERSUS / f"{name}.py")
        found = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, found)  # dataclasses look their module up
        spec.loader.exec_module(found)
        return found

    return module


@pytest.fixture
def table(load):
    return load("table")


def run(ours, theirs, *, apart=0.0, spread=0.01, effective=None):
    """What measure.py prints."""

    def timed(seconds):
        return {"median": seconds, "spread": spread, "first": seconds, "values": 6}

    found = {"check": {"apart": apart, "tolerance": 1e-9, "note": "a note", "effective": effective}}
    if apart <= 1e-9:
        found["time"] = {"ours": timed(ours), "theirs": timed(theirs)}
        found["memory"] = {side: {"before": 40.0, "peak": 50.0, "seconds": 1.0} for side in ("ours", "theirs")}
    return found


def line(table, *runs):
    return table.cells(table.Row("peer", "a job", "100 cases", list(runs)))


def test_the_ratio_is_what_the_peer_takes_over_what_ugt_takes(table):
    assert line(table, run(2e-6, 3e-3)) == [
        *("a job", "100 cases", "2 µs", "3 ms", "1,500", "50 (+10)", "50 (+10)", "0 of 1e-09", "1 % / 1 %", "")
    ]


def test_a_peer_that_wins_is_named(table):
    assert line(table, run(2.0, 1.0))[4::5] == ["0.5", "**peer wins**"]
    rows = [table.Row("p", "a", "1", [one]) for one in (run(2, 1), run(1, 2), run(1, 2, apart=1.0))]
    assert "3 rows, 2 of them timed; the peer wins 1; the answers disagree in 1." in table.page(rows, {"p": {}}, [])


@pytest.mark.parametrize("runs", [[run(1.0, 1.1, spread=0.2)], [run(1.0, 1.1), run(1.0, 0.9), run(1.0, 1.2)]], ids=["one", "three"])
def test_a_ratio_within_the_noise_is_no_win(table, runs):
    assert line(table, *runs)[-1] == "no difference beyond noise"


def test_runs_give_the_middle_and_the_range_of_the_ratio(table):
    assert line(table, run(1.0, 5.0), run(1.0, 3.0), run(1.0, 4.0))[4] == "4 (3–5)"


@pytest.mark.parametrize("apart", [1e-3, math.inf, math.nan])
def test_answers_that_disagree_are_shown_and_not_timed(table, apart):
    found = line(table, run(1.0, 2.0), run(1.0, 2.0, apart=apart))
    assert found[2:9] == [""] * 7
    assert found[-1].startswith(f"answers disagree: {apart:.2g}, at most 1e-09 allowed")


def test_effective_draws_are_compared_by_rate(table):
    found = line(table, run(1.0, 1.0, effective=[500.0, 1000.0]))
    assert found[2:5] + found[-1:] == ["500 draws/s", "1,000 draws/s", "0.5", "**peer wins**"]


def test_what_could_not_be_measured_is_listed_with_the_reason(table):
    assert line(table, {"failed": "no such thing"})[-1] == "not measured: no such thing"
    assert "## p\n\nNot measured: no network\n" in table.page([], {"p": "no network"}, [])


def test_differences_of_answers(load):
    job = load("job")
    assert job.largest([1.0, math.nan], [1.25, math.nan]) == 0.25
    assert job.largest([1.0, math.nan], [1.0, 1.0]) == job.largest([1.0], [1.0, 1.0]) == math.inf
    assert job.share_apart([[1, 2], [3, 4]], [[1, 2], [3, 5]]) == 0.5


def test_every_peer_has_its_jobs_and_pinned_requirements(load):
    peers = sorted(load("job").PEERS)
    assert peers == sorted(path.stem for path in (VERSUS / "requirements").glob("*.txt"))
    assert [peer.replace("-", "_") for peer in peers] == sorted(path.stem for path in (VERSUS / "peers").glob("*.py"))
    for path in (VERSUS / "requirements").glob("*.txt"):
        lines = path.read_text(encoding="utf-8").split()
        assert all(entry.count("==") == 1 for entry in lines)
        assert {path.stem, "numpy", "pyperf"} <= {entry.split("==")[0] for entry in lines}
