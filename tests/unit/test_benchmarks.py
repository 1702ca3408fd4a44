"""What the benchmarks stand on: jobs and their yardsticks are measured, targets are judged, every target has a job, the page is made."""

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import refused

if importlib.util.find_spec("pyperf") is None:
    pytest.skip("the benchmarks need pyperf, which is not installed", allow_module_level=True)

FOLDER = Path(__file__).parents[2] / "benchmarks"
FILES = sorted(FOLDER.glob("bench_*.py"))

BENCH = '''
"""A file of benchmarks."""

from common import Bench, Target, Work, grid
from data import Skip

bench = Bench(__file__)


@bench.job(grid(n=(10, 1000)), {"n": 3}, [Target("1.2", "s", at_most=60, n=1000), Target("1.3", "slow", at_least=2, n=1000)])
def adding(n):
    """sums of some numbers"""
    numbers = list(range(n))
    also = lambda measured, result: {"result": result, "per case": measured["s"] / n}
    return Work(lambda: sum(numbers), {"slow": (lambda: sum(numbers), 1000)}, also=also)


@bench.job(grid(megabytes=(64,)), {"megabytes": 1})
def filling(megabytes):
    """memory that is given back"""
    return Work(lambda: len(b"x" * (megabytes * 1_000_000)), units=2)


@bench.job(targets=[Target("1.1", "s", at_most=1)])
def absent():
    """what is not here"""
    raise Skip("no data")


if __name__ == "__main__":
    bench.main()
'''


@pytest.fixture(autouse=True)
def _on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.fixture
def common():
    return importlib.import_module("common")


@pytest.fixture
def targets():
    return importlib.import_module("targets")


@pytest.fixture
def bench(tmp_path, monkeypatch):
    (tmp_path / "bench_mine.py").write_text(BENCH, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("bench_mine", tmp_path / "bench_mine.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setenv("PYTHONPATH", f"{FOLDER}:{FOLDER.parent}")
    return module.bench


def by_job(records):
    return {(record["job"], *record["size"].values()): record for record in records}


def test_quick_run_keeps_a_record_of_every_size(bench, tmp_path):
    assert bench.run(quick=True, folder=tmp_path / "out") == 0
    found = by_job(json.loads((tmp_path / "out" / "mine.json").read_text(encoding="utf-8")))
    assert list(found) == [("adding", 10), ("adding", 1000), ("filling", 64), ("absent",)]
    assert found["adding", 1000]["measured"]["result"] == 3  # tiny input, under the name of the full size
    assert found["adding", 10]["targets"] == []
    assert [target["number"] for target in found["adding", 1000]["targets"]] == ["1.2", "1.3"]
    assert found["absent",]["skipped"] == "no data"


def test_a_size_is_measured_in_a_process_of_its_own_with_pyperf(bench):
    record, suite = bench.apart("adding", 1)
    assert record["measured"]["result"] == 499_500
    assert 0 < record["measured"]["s"] < 0.01
    assert [one.get_name() for one in suite] == ["adding: n = 1,000", "adding: n = 1,000: slow"]
    assert suite[0].get_nvalue() >= 3
    assert min(suite[0].get_values()) == pytest.approx(record["measured"]["s"])
    assert min(suite[1].get_values()) == pytest.approx(record["measured"]["s"] / record["measured"]["slow"])
    assert suite[0].get_metadata()["loops"] > 1
    assert 1e-4 < record["measured"]["slow"] < 1e-2  # the same work, said to be a thousandth


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak is reset through /proc, which is not here")
def test_peak_memory_is_that_of_the_call(bench):
    record, _ = bench.apart("filling", 0)
    assert 60 < record["measured"]["MB"] < 80


def test_one_job_alone_keeps_the_others(bench, tmp_path):
    bench.run(quick=True, folder=tmp_path)
    bench.run(quick=True, folder=tmp_path, only="adding")
    kept = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    assert set(by_job(kept)) == {("adding", 10), ("adding", 1000), ("filling", 64), ("absent",)}


def test_a_size_that_fails_does_not_stop_the_others(common, tmp_path, capsys):
    bench = common.Bench("bench_broken.py")

    @bench.job(common.grid(n=(0, 2)))
    def job(n):
        """a quotient"""
        return common.Work(lambda: 1 / n)

    assert bench.run(quick=True, folder=tmp_path) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert list(by_job(json.loads((tmp_path / "broken.json").read_text(encoding="utf-8")))) == [("job", 2)]


def test_a_target_must_have_a_size(common):
    with pytest.raises(ValueError, match=r"no size is that of target 3\.1"):
        common.Bench("bench_x.py").job(common.grid(n=(1,)), targets=[common.Target("3.1", "s", at_most=1, n=2)])(lambda: None)


def test_values_are_taken_in_turns_and_what_takes_long_is_not_run_again(common, monkeypatch):
    calls = []
    functions = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b"), "long": lambda: calls.append("long")}
    monkeypatch.setattr(common, "LEAST", 0.0)
    monkeypatch.setattr(common, "BUDGET", 0.0)
    values, loops = common.in_turns(functions, {"a": 1e-6, "b": 1e-6, "long": 60.0})
    assert calls == ["a", "b"] * 3
    assert values["long"] == [60.0]
    assert loops == {"a": 1, "b": 1, "long": 1}


def test_times_are_those_of_a_unit_and_of_the_whole(common, monkeypatch):
    monkeypatch.setattr(common, "in_turns", lambda *_: ({common.JOB: [2.0, 4.0], "part": [1.0]}, {common.JOB: 1, "part": 1}))
    work = common.Work(lambda: "result", {"part": (lambda: None, 3)}, units=2, also=lambda measured, result: {result: 2 * measured["s"]})
    measured, suite = common.measure(work, "name", quick=True)
    assert measured.pop("MB") >= 0
    assert measured.pop("first") > 0
    assert measured == {"s": 1.0, "spread": 0.5, "part": pytest.approx(2 / 3), "result": 2.0}
    assert [one.get_values() for one in suite] == [(1.0, 2.0), (1.5,)]


def test_loops_follow_the_fastest_of_a_few_calls(common, monkeypatch):
    took = iter([0.5, 0.001, 0.5, 0.5, 0.5])
    monkeypatch.setattr(common, "timed", lambda function, loops: next(took))
    assert common.enough(None, 0.2, 0.0031) == 4
    assert common.enough(None, 0.31, 0.0031) == 1


@pytest.mark.parametrize(
    ("limits", "value", "found"),
    [
        ({"at_most": 0.9}, 0.9, ("0.9 × sort", "≤ 0.9 × sort", "met")),
        ({"at_most": 0.9}, 0.99, ("0.99 × sort", "≤ 0.9 × sort", "**missed** by 10%")),
        ({"at_least": 10}, 0.1, ("10 × as fast as sort", "≥ 10 ×", "met")),
        ({"at_least": 10}, 0.2, ("5 × as fast as sort", "≥ 10 ×", "**missed** by 50%")),
        ({"at_most": 1.0}, float("nan"), ("nan × sort", "", "**not a number**")),
    ],
)
def test_judged(common, targets, limits, value, found):
    target = vars(common.Target("3.1", "sort", **limits))
    assert targets.judged(target, {"sort": value}) == found


def test_units(common, targets):
    assert [targets.said("s", value) for value in (1234.5, 1.5, 0.0123, 4.56e-6)] == ["1,234 s", "1.5 s", "12.3 ms", "4.56 µs"]
    assert targets.said("MB", 40.26) == "40.3 MB"
    assert common.size_of({"n": 1_000_000, "law": "uniform"}) == "n = 1,000,000, law = uniform"


def test_a_target_that_nothing_measures_is_a_failure(targets, monkeypatch, tmp_path, capsys):
    page = tmp_path / "speed.md"
    monkeypatch.setattr(targets, "PAGE", page)
    monkeypatch.setattr(targets, "RESULTS", tmp_path)
    monkeypatch.setattr(targets, "PROMISED", {"1.1": "one", "1.2": "two"})
    monkeypatch.setattr(sys, "argv", ["targets.py"])
    asked = {"number": "1.2", "quantity": "s", "at": {}, "at_most": 1.0, "at_least": None}
    measured = {"s": 2.0, "spread": 0.1, "first": 3.5, "MB": 3.0, "numpy.sum": 5.0}
    records = [{"file": "mine", "job": "adding", "what": "sums", "size": {"n": 10}, "targets": [asked], "measured": measured}]
    (tmp_path / "mine.json").write_text(json.dumps(records), encoding="utf-8")
    refused(r"no file measures 1\.1", targets.main, error=SystemExit)
    assert "missed by 100%" in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert text.startswith("---\nnosearch: true\norphan: true\n---\n\n# Speed\n")
    assert "| 1.2 | two | `adding`: n = 10 | 2 s | ≤ 1 s | **missed** by 100% | numpy.sum: 5 |" in text
    assert "| 1.1 | one |  |  |  | **not measured** |  |" in text
    assert "### mine: `adding`\n\nSums.\n" in text
    assert "| 10 | 2 s | 10% | 3.5 s | 3.0 | 5 |" in text


def test_a_target_of_no_issue_is_refused(targets):
    records = [{"targets": [{"number": "99.1"}]}]
    refused(r"no issue has the target 99\.1", targets.rows, records)


def test_every_target_has_a_job_and_every_job_says_what_it_is(targets):
    code = (
        "import importlib, json, sys; sys.path.insert(0, sys.argv[1]); found = []\n"
        "for name in sys.argv[2:]:\n"
        "    for make, sizes, quick, targets in importlib.import_module(name).bench.jobs.values():\n"
        "        assert make.__doc__ and sizes, make\n"
        "        found += [target.number for target in targets]\n"
        "print(json.dumps(found))"
    )
    names = [path.stem for path in FILES]
    command = [sys.executable, "-c", code, str(FOLDER), *names]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=FOLDER)  # not in the sources, which may not be built
    assert set(json.loads(done.stdout)) == set(targets.PROMISED)


@pytest.mark.full
@pytest.mark.parametrize("file", ["bench_annotations", "bench_resampling"])
def test_a_file_runs_quickly(file, tmp_path, capsys):
    bench = importlib.import_module(file).bench
    assert bench.run(quick=True, folder=tmp_path) == 0
    assert capsys.readouterr().out.count("\n") > len(bench.jobs)


def test_kernels_are_written_down_and_called_again(monkeypatch):
    small = importlib.import_module("bench_small_calls")
    function = small.SUBJECTS["soft_auroc"]
    before = function().value
    calls = small.kernels(function)
    assert len(calls) == 2  # an object, and one call of it
    assert [real(*args, **options) is not None for real, args, options in calls] == [True, True]
    assert type(small.ugt._core._soft.Scores) is type  # put back
    assert function().value == before


CALLGRIND = """fn=(1) main
cfn=(2) ugt_sum
calls=3 10
2 50
fn=(2)
4 50
cfn=(3) malloc
calls=1 2
1 9
fn=(4) other
cfn=(2)
calls=4 10
2 70
"""


def test_a_kernel_that_is_only_called_more_often_takes_no_more_instructions(monkeypatch, tmp_path, capsys):
    instructions = importlib.import_module("instructions")
    assert instructions.calls(CALLGRIND) == {"main": 0, "ugt_sum": 7, "malloc": 1, "other": 0}
    kept = {"world": instructions.world(), "instructions": dict.fromkeys("abc", 1000), "calls": dict.fromkeys("abc", 10)}
    monkeypatch.setattr(instructions, "KEPT", tmp_path / "kept.json")
    instructions.KEPT.write_text(json.dumps(kept), encoding="utf-8")
    monkeypatch.setattr(instructions.shutil, "which", lambda name: name)
    monkeypatch.setattr(sys, "argv", ["instructions.py"])
    monkeypatch.setattr(instructions, "counted", lambda: {"a": (1040, 10), "b": (2000, 20), "c": (600, 10)})
    assert instructions.main() is None
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["1.0400", "often", "0.6000"]
    monkeypatch.setattr(instructions, "counted", lambda: {"a": (1060, 10), "b": (2200, 20), "c": (1000, 10)})
    with pytest.raises(SystemExit, match="2 kernels"):
        instructions.main()
