"""How commands speak: JSON, quiet, progress, names that are hard to print, closed pipes."""

import io as io_
import json
import os
import re
import subprocess
import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest
from csv_files import read
from refusals import results

import ugt
from ugt import cli, io, synthetic
from ugt._base import parallel
from ugt._tabular.windows import typed
from ugt.cli import command as _command
from ugt.cli import evaluate as _evaluate
from ugt.cli import output as progress_module

CATS = (3, 2, 1, 0, 3, 3, 0, 1, 2, 3, 0, 0)  # of three annotators
LABELS = "case,annotator,label\n" + "".join(
    f"p{i},{who},{'cat' if who < cats else 'dog'}\n" for i, cats in enumerate(CATS) for who in range(3)
)
SCORES = "case,cat,dog\n" + "".join(f"p{i},{(cats + 2) / 7},{(5 - cats) / 7}\n" for i, cats in enumerate(CATS))
LAST = "p12,0,NA\n"  # a case without annotations: some numbers are undefined
JUDGE = ("evaluate", "--annotations", "labels.csv", "--predictions", "A.csv", "B=A.csv", "--out", "report", "--n-boot", "20")
JUDGE += ("--positive-class", "dog")
ALL = {
    "evaluate": JUDGE,
    "certainty": ("certainty", "labels.csv", "--out", "c.csv"),
    "agreement": ("agreement", "labels.csv", "--out", "agreement", "--n-boot", "20"),
    "calibrate": (*("calibrate", "--annotations", "labels.csv", "--fit", "A.csv", "--apply", "A.csv"), "--out", "cal", "--n-boot", "20"),
    "conformal": (*("conformal", "--annotations", "labels.csv", "--calibrate", "A.csv", "--apply", "A.csv"), "--out", "sets"),
    "convert": ("convert", "labels.csv", "labels.npz"),
    "check": ("check", "labels.csv", "A.csv"),
    "demo": ("demo", "--out", "d"),
    "example": ("example",),
    "plan": ("plan", "labels.csv", "A.csv", "--width", "0.5", "--out", "t.csv"),
    "reader-study": ("reader-study", "study.csv", "--out", "study"),
    "judge": ("judge", "labels.csv", "judge.csv", "--values", "cat=1", "dog=0", "--out", "judge"),
    "preferences": ("preferences", "votes.csv", "--out", "strengths.csv"),
    "report": ("report", "report/evaluation.json", "--out", "again.html"),
}  # fmt: skip


OWN = ("report", "demo", "check", "example", "reader-study", "judge", "preferences")  # what they say of data is their own


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text(LABELS + LAST, encoding="utf-8")
    (tmp_path / "A.csv").write_text(SCORES + "p12,0.5,0.5\n", encoding="utf-8")
    readings = [f"{test},r{r},p{i},{(7 * i + 3 * r + (i % 2) * r) % 11},{i % 2}" for test in "ab" for r in range(3) for i in range(13)]
    (tmp_path / "study.csv").write_text("\n".join(["test,reader,case,rating,truth", *readings, ""]), encoding="utf-8")
    verdicts = [f"p{i},rule,{'cat' if i % 2 else 'dog'}" for i in range(13)]
    (tmp_path / "judge.csv").write_text("\n".join(["case,judge,verdict", *verdicts, ""]), encoding="utf-8")
    votes = [f"p{i},M,N,{'MN'[(i + r) % 3 > 0]},r{r}" for i in range(13) for r in range(3)]
    (tmp_path / "votes.csv").write_text("\n".join(["case,model_a,model_b,winner,annotator", *votes, ""]), encoding="utf-8")
    rankings = synthetic.make_rankings
    monkeypatch.setattr(synthetic, "make_rankings", lambda n, *more, **seed: rankings(60, *more, **seed))  # of a shorter demo
    return tmp_path


def strict(text):
    """One JSON object, and nothing that JSON does not have."""
    found = json.loads(text, parse_constant=pytest.fail)
    assert isinstance(found, dict)
    return found


def prepare(name):
    if name == "report":
        assert cli.main([*JUDGE, "--quiet"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_json(folder, capsys, name, monkeypatch):
    monkeypatch.setattr(parallel, "QUIET_SECONDS", 1e9)  # a slow machine would say how far it is
    prepare(name)
    capsys.readouterr()
    before = {path for path in folder.rglob("*") if path.is_file()}
    assert cli.main([*ALL[name], "--json"]) == 0
    out, err = capsys.readouterr()
    out.encode("ascii")
    found = strict(out)
    assert (found["schema"], found["command"]) == (1, name)
    told = [f"ugt: {one['file']}: {one['taken_for']}" for one in found["read"]]
    assert [line for line in err.splitlines() if not line.startswith(tuple(told))] == [f"ugt: {line}" for line in found["warnings"]]
    assert len(told) + len(found["warnings"]) == len(err.splitlines()) and bool(told) is (
        name not in ("demo", "report", "check", "example")
    )
    written = {path for path in folder.rglob("*") if path.is_file()} - before
    assert {folder / path for path in found["files"]} == written
    if name not in {"convert", *OWN} - {"demo"}:
        assert found["data"]["n_cases"] == (60 if name == "demo" else 13) and isinstance(found["left_out"], dict)
    if name not in OWN:
        assert (found["missing"], found["dropped"], found["reading"]) == ({"NA": 1}, {}, [])


def test_all_commands_that_compute_are_tried_and_all_codes_named():
    commands = _command.commands_of(cli.make_parser())
    assert {name for name, one in commands.items() if any("--json" in action.option_strings for action in one._actions)} == set(ALL)
    text = Path(cli.__file__).read_text(encoding="utf-8")
    assert {int(code) for code in re.findall(r"return (\d+)", text)} | {1} == set(_command.EXIT_CODES)


def printed(capsys, *arguments):
    assert cli.main(list(arguments)) == 0
    return strict(capsys.readouterr().out)


def test_json_has_the_numbers_of_the_files(capsys):
    found = printed(capsys, *JUDGE, "--json")
    whole = json.loads(Path("report/evaluation.json").read_text(encoding="utf-8"))
    for part in ("data", "left_out", "notes", "models", "metrics", "winners", "flips"):
        assert found[part] == whole[part]
    found = printed(capsys, *ALL["certainty"], "--json")
    rows = [row for row in read("c.csv") if row["mean_certainty"]]
    least = [(row["case"], float(row["mean_certainty"])) for row in rows[:10]]
    assert [(row["case"], row["certainty"]) for row in found["least_certain"]] == least
    found = printed(capsys, *ALL["agreement"], "--json")
    assert [row["value"] for row in found["agreement"]] == [float(row["value"] or "nan") for row in read("agreement/agreement.csv")]
    of_annotators = {row["annotator"]: float(row[found["pairs"]]) for row in read("agreement/annotators.csv")}
    assert {row["annotator"]: row["value"] for row in found["annotators"]} == of_annotators
    found = printed(capsys, *ALL["calibrate"], "--json")
    state = json.loads(Path("cal/calibrator.json").read_text(encoding="utf-8"))
    assert found["fit"]["parameters"]["temperature"] == state["fitted"]["temperature_"]
    rows = {(row["part"], row["predictions"], row["loss"]): row for row in read("cal/calibration.csv") if row["class"] == ""}
    assert {(row["part"], row["predictions"], row["loss"]) for row in found["losses"]} == set(rows)
    for row in found["losses"]:
        assert (row["plugin"] is None) == (rows[row["part"], row["predictions"], row["loss"]]["plugin"] == "")
        assert str(row["plugin"] or "") == rows[row["part"], row["predictions"], row["loss"]]["plugin"] or row["plugin"] == 0
    found = printed(capsys, *ALL["conformal"], "--alpha", "0.7", "--score", "lac", "--json")
    sizes = [int(row["size"]) for row in read("sets/sets.csv")]
    assert found["sizes"]["mean"] == pytest.approx(np.mean(sizes), abs=1e-12)
    assert found["sizes"]["n_empty"] == sizes.count(0) > 0
    rows = [row for row in read("sets/coverage.csv") if row["table"] == "all"]
    assert [row["coverage"] for row in found["coverage"]] == [float(row["coverage"]) for row in rows]


def test_rankings_and_ratings_as_json(folder, capsys):
    orders = [[[[0], [1]], [[1]]], [[[0], [1]], [[0], [1]]]]
    (folder / "r.json").write_text(json.dumps(orders), encoding="utf-8")
    found = printed(capsys, "agreement", "r.json", "--n-boot", "20", "--json")
    assert (found["data"]["kind"], found["data"]["n_annotations"]) == ("rankings", 4)
    assert found["agreement"][0]["value"] == ugt.agreement.leave_one_annotator_out(io.read_annotations("r.json").annotations).value
    assert {row["k"] for row in printed(capsys, "certainty", "r.json", "--json", "--k", "2")["certainty"]} == {1, 2}
    (folder / "g.csv").write_text(LABELS.replace("cat", "1").replace("dog", "2"), encoding="utf-8")
    found = printed(capsys, "agreement", "g.csv", "--ratings", "--n-boot", "20", "--json")
    assert found["data"] == {"kind": "ratings", "n_cases": 12, "n_annotators": 3, "n_annotations": 36}


def test_plain_values_and_printable_text():
    values = {"a": np.array([1.0, np.nan]), "b": [np.float64("inf"), np.int64(3), np.bool_(True)], 1: (Path("x"), None)}
    assert _command.plain(values) == {"a": [1.0, None], "b": [None, 3, True], "1": ["x", None]}
    assert _command.printable("plain, große Katze 猫\u00a0") == "plain, große Katze 猫\u00a0"
    assert _command.printable("no UTF-8: \udcff") == r"no UTF-8: \udcff"
    assert _command.printable("a\nb\tc\x1b\x9b\u2028\u202e") == r"a\nb\tc\x1b\x9b\u2028\u202e"


def test_errors_stay_on_one_line_and_make_no_json(capsys, folder):
    assert cli.main(["certainty", "nowhere.csv", "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err == "ugt: error: nowhere.csv: no such file\n"
    assert cli.main(["certainty", "no\nwhere\x1b.csv"]) == 2 and capsys.readouterr().err.count("\n") == 1
    with pytest.raises(SystemExit):
        cli.main(["certainty", "labels.csv", "-a\nb\x1b"])
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "\x1b" not in err


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_quiet(capsys, name):
    prepare(name)
    capsys.readouterr()
    assert cli.main([*ALL[name], "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert out == "" and all(line.startswith("ugt: ") for line in err.splitlines())


def test_quiet_commands_warn_write_and_print_json(capsys, folder):
    assert cli.main([*ALL["calibrate"], "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", "ugt: 13 test cases were fitted to, so their losses are too good: use other cases for the test\n")
    assert cli.main([*ALL["certainty"], "--quiet", "--json"]) == 0
    assert strict(capsys.readouterr().out)["command"] == "certainty"
    assert cli.main([*ALL["certainty"], "--quiet"]) == 0 and cli.main([*ALL["certainty"]]) == 0
    assert capsys.readouterr().out.startswith("labels.csv: labels (one row per label): 13 cases, 3 annotators, 2 classes, 36 labels.\n")
    assert cli.main(["certainty", "labels.csv", "--out", "a/c.csv"]) == 0
    assert cli.main(["certainty", "labels.csv", "--out", "b/c.csv", "--quiet"]) == 0
    assert (folder / "a/c.csv").read_bytes() == (folder / "b/c.csv").read_bytes()


@pytest.fixture
def slow(monkeypatch):
    """An evaluation that reports steps, as if they took long."""

    def evaluate(*arguments, **keywords):
        reporter = parallel.Reporter("weighing", 10)
        for i in range(1, 11):
            reporter.done(i)
        return EVALUATE(*arguments, **keywords)

    monkeypatch.setattr(parallel, "QUIET_SECONDS", -1e9)
    monkeypatch.setattr(_evaluate, "evaluate", evaluate)


EVALUATE = _evaluate.evaluate


def test_progress_goes_to_standard_error(capsys, slow, monkeypatch):
    monkeypatch.setattr(progress_module, "SECONDS", 0.0)
    assert cli.main([*ALL["certainty"], "--json"]) == 0
    out, err = capsys.readouterr()
    strict(out)
    assert "ugt: weighing: 10 %\n" in err and parallel._progress.get() is None


@pytest.mark.parametrize("option", ["--quiet", "--no-progress"])
def test_no_progress(capsys, slow, option):
    assert cli.main([*ALL["certainty"], option]) == 0 and capsys.readouterr().err == ""


def test_lines_come_every_few_seconds(capsys, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now[0])
    lines = progress_module.Lines()
    for step in range(1, 21):  # a word a second
        lines("weighing", step / 20)
        now[0] += 1.0
    lines("counting", 0.5)
    lines("counting", 1.0)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"ugt: weighing: {percent} %" for percent in (5, 30, 55, 80, 100)]  # and of counting nothing: it took no time


class Terminal(io_.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_one_line_without_tqdm(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "tqdm", None)  # as if it were not installed
    with progress_module.progress(True):
        say = parallel._progress.get()
        say("weighing", 0.5)
        say("weighing", 1.0)
    assert terminal.getvalue() == "\rugt: weighing: 50 %\rugt: weighing: 100 %\n"


def test_a_terminal_gets_bars_of_tqdm(monkeypatch):
    made = []

    class Bar:
        def __init__(self, total, desc, file, ncols, bar_format):
            assert ncols >= 10 and file is sys.stderr
            self.n, self.total, self.what, self.closed = 0, total, desc, False
            made.append(self)

        def update(self, n):
            self.n += n

        def close(self):
            self.closed = True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    with progress_module.progress(True):
        say = parallel._progress.get()
        for what, share in (("weighing", 0.25), ("weighing", 0.5), ("counting", 0.1), ("counting", 1.0), ("counting", 0.3)):
            say(what, share)
        assert [(bar.what, bar.n, bar.closed) for bar in made] == [
            ("ugt: weighing", 50, True),
            ("ugt: counting", 100, True),
            ("ugt: counting", 30, False),
        ]
    assert all(bar.closed for bar in made) and parallel._progress.get() is None


def test_names_cannot_break_lines_nor_play_with_the_terminal(folder, capsys):
    (folder / "odd.csv").write_bytes(LABELS.replace("p3", '"a\nb"').replace("cat", "\x1b[31mcat \u202e").encode())
    assert cli.main(["certainty", "odd.csv"]) == 0
    plain = capsys.readouterr().out
    assert "\x1b" not in plain and "\u202e" not in plain
    assert "\\x1b[31mcat \\u202e" in plain and "a\\nb" in plain
    found = printed(capsys, "certainty", "odd.csv", "--json")
    assert "a\nb" in {row["case"] for row in found["least_certain"]}


def test_names_with_spaces_and_letters_of_all_kinds(folder, capsys):
    (folder / "my labels.csv").write_text(LABELS.replace("cat", "große Katze 猫"), encoding="utf-8")
    (folder / "my model.csv").write_text(SCORES.replace("cat", "große Katze 猫"), encoding="utf-8")
    command = ("evaluate", "--annotations", "my labels.csv", "--predictions", "my model.csv", "--out", "my report", "--n-boot", "20")
    command += ("--positive-class", "dog")
    found = printed(capsys, *command, "--json")
    assert found["models"] == ["my model"] and str(Path("my report") / "report.html") in found["files"]
    assert (folder / "my report" / "report.html").exists()
    made = json.loads((folder / "my report" / "evaluation.json").read_text(encoding="utf-8"))
    assert made["provenance"]["command"].startswith(f"ugt evaluate --annotations {typed(['my labels.csv'])} ")
    assert cli.main(["certainty", "my labels.csv"]) == 0 and "große Katze 猫" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are text there")
def test_file_names_that_are_no_utf8(folder, capsys):
    name = os.fsdecode(b"caf\xe9")
    for kind in ("labels", "A"):
        (folder / f"{kind}.csv").rename(folder / f"{kind} {name}.csv")
    files = (f"labels {name}.csv", f"A {name}.csv")
    command = ["evaluate", "--annotations", files[0], "--predictions", files[1], "--out", f"out {name}", "--n-boot", "20", "--no-details"]
    command += ["--positive-class", "dog"]
    done = subprocess.run([sys.executable, "-m", "ugt", *command], capture_output=True, check=False)
    assert (done.returncode, results(done.stderr.decode("utf-8", "replace"))) == (0, "")
    assert (folder / f"out {name}" / "report.html").exists()
    assert cli.main([*command, "--json"]) == 0
    out, err = capsys.readouterr()
    assert results(err) == "" and (folder / f"out {name}" / "report.html").exists()
    assert out.isascii()
    found = strict(out)
    assert found["models"] == ["A caf\\udce9"] and found["files"][0].startswith(f"out {name}")
    made = json.loads((folder / f"out {name}" / "evaluation.json").read_text(encoding="utf-8"))
    assert [entry["name"] for entry in made["provenance"]["inputs"]] == ["labels caf\\udce9.csv", "A caf\\udce9.csv"]


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "into"), [("ascii", "here"), ("cp1252", "file"), ("cp850", "here")])
def test_terminals_of_other_encodings(folder, encoding, into, monkeypatch):
    cat, dog = "Kätzchen 猫", "Hündchen 狗"
    (folder / "a.csv").write_text(LABELS.replace("cat", cat).replace("dog", dog), encoding="utf-8")

    def in_a_process(*words):
        with open(folder / "out.txt", "w+b") as out:
            environment = {**os.environ, "PYTHONIOENCODING": encoding}
            done = subprocess.run([sys.executable, "-m", "ugt", *words], stdout=out, stderr=subprocess.PIPE, check=False, env=environment)
            out.seek(0)
            return done.returncode, out.read(), done.stderr

    def here(*words):
        out, err = io_.BytesIO(), io_.BytesIO()
        with monkeypatch.context() as streams:  # as Python opens them
            for name, raw, errors in (("stdout", out, "strict"), ("stderr", err, "backslashreplace")):
                streams.setattr(sys, name, io_.TextIOWrapper(raw, encoding, errors, write_through=True))
            return cli.main(list(words)), out.getvalue(), err.getvalue()

    def run(*words):
        code, printed, problems = (in_a_process if into == "file" else here)(*words)
        return code, printed.decode(encoding), problems.decode(encoding)

    code, said, problems = run("certainty", "a.csv")
    assert (code, results(problems)) == (0, "")
    shown = [name.encode(encoding, "backslashreplace").decode(encoding) for name in (cat, dog)]
    rows = said[said.index("Least certain cases:") :].splitlines()[1:]
    assert any(shown[0] in row for row in rows) and any(shown[1] in row for row in rows) and shown[0] != shown[1]
    assert len(set(map(len, rows))) == 1  # aligned
    code, said, _ = run("certainty", "a.csv", "--json")
    assert code == 0 and strict(said)["least_certain"] and said.isascii()
    code, said, problems = run("certainty", f"{cat}.csv")
    assert (code, said, problems.splitlines()) == (2, "", [f"ugt: error: {shown[0]}.csv: no such file"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX pipe")
@pytest.mark.parametrize("arguments", [["evaluate", "--help"], ["certainty", "labels.csv", "--json"]])
def test_a_closed_pipe_ends_quietly(arguments):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-m", "ugt", *arguments], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, results(done.stderr)) == (141, "")


def test_a_closed_pipe_on_windows_is_an_invalid_argument(monkeypatch):
    import errno

    monkeypatch.setattr(sys, "platform", "win32")
    assert cli._nobody_reads(OSError(errno.EINVAL, "Invalid argument"))
    assert not cli._nobody_reads(OSError(errno.EINVAL, "Invalid argument", "a:b.csv"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert not cli._nobody_reads(OSError(errno.EINVAL, "Invalid argument"))


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal that can be sent there")
def test_ctrl_c_from_outside(folder):
    import signal

    code = "import signal, time, ugt.cli.evaluate as e, ugt.cli as c\n"
    code += "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # what runs in the background may have it ignored
    code += "e.evaluate = lambda *a, **k: (print('here', flush=True), time.sleep(60))\n"
    run = f"{code}raise SystemExit(c.main(['certainty', 'labels.csv', '--out', 'new/c.csv']))"
    with subprocess.Popen([sys.executable, "-c", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert "here\n" in (child.stdout.readline(), child.stdout.readline())
        started = time.monotonic()
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (130, "ugt: interrupted\n") and time.monotonic() - started < 20
    assert not (folder / "new").exists()


def test_wide_tables_are_printed_in_blocks():
    lines = [["model", *(f"metric {i:02d}" for i in range(20))], ["a", *(f"{i}.000" for i in range(20))]]
    printed = _command.in_blocks(lines, 60)
    assert max(map(len, printed)) <= 60
    assert sum(line.count("metric") for line in printed) == 20
    assert all(line.split()[0] in ("model", "a") for line in printed if line)
    assert _command.in_blocks([["model", "x" * 100], ["a", "1"]], 60)[1].split() == ["a", "1"]  # one wide column is a block
