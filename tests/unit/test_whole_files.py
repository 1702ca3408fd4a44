"""Files that are replaced together: a folder is wholly old or wholly new, whatever fails, and devices and pipes stay what they are."""

import contextlib
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from refusals import refused

from ugt import cli
from ugt._base.locks import try_lock
from ugt._tabular import whole_file
from ugt.io import fingerprint, output_folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="of POSIX")

OLD = {"a": "old", "b": "old", "c": "old", "stays": "other"}
NEW = {"a": "new", "b": "new", "d": "new"}
OLD_AND_NEW = {**OLD, **NEW}
#: one move a file that is there, one that says that all are, one a new file
STEPS = 2 + 1 + 3

WRITE = """
    import os, signal, sys
    from ugt.io import output_folder
    folder, name, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    def until(move):
        def moved(*where):
            global n
            n -= 1
            if n == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            move(*where)
        return moved
    os.replace, os.rename = until(os.replace), until(os.rename)
    with output_folder(folder) as draft:
        for file in "abd":
            (draft / file).write_text(name)
"""


def contents(folder):
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in Path(folder).iterdir()
        if path.is_file() and not path.name.startswith(".ugt-")
    }


@pytest.fixture
def folder(tmp_path):
    for name, text in OLD.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def write(folder):
    with output_folder(folder) as draft:
        for name, text in NEW.items():
            (draft / name).write_text(text, encoding="utf-8")


def run(folder, name="new", killed_at=0):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITE), str(folder), name, str(killed_at)], cwd=folder.parent
    )  # what is installed


def fail(monkeypatch, steps, problem):
    """Moves of files fail at some steps; how many were made."""
    made = []

    def failing(move):
        def moved(*where):
            made.append(where)
            if len(made) in steps:
                raise problem
            move(*where)

        return moved

    for name in ("replace", "rename"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    monkeypatch.setattr(whole_file, "SCAN", -1)  # Windows waits for no other program either
    return made


def test_all_files_are_replaced_and_others_stay(folder, monkeypatch):
    made = fail(monkeypatch, (), None)
    write(folder)
    assert contents(folder) == {**NEW, "c": "old", "stays": "other"} and len(made) == STEPS
    assert sorted(os.listdir(folder)) == sorted(OLD_AND_NEW)


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_file_that_cannot_be_replaced(step, folder, monkeypatch):
    fail(monkeypatch, (step,), PermissionError(13, "Permission denied"))
    message = r"^output folder must hold files that can be replaced .*; all files are unchanged\. Got '.*' \(Permission denied\)\.$"
    refused(message, write, folder)
    assert contents(folder) == OLD and sorted(os.listdir(folder)) == sorted(OLD)


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_ctrl_c_while_files_are_moved(step, folder, monkeypatch):
    fail(monkeypatch, (step,), KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        write(folder)
    assert contents(folder) in (OLD, {**OLD, **NEW}) and sorted(os.listdir(folder)) == sorted(contents(folder))


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_files_that_cannot_even_move_back_are_kept_for_the_next_run(step, folder, monkeypatch):
    with monkeypatch.context() as patched:
        fail(patched, range(step, 99), OSError(5, "Input/output error"))
        with pytest.raises((ValueError, OSError)):
            write(folder)
    assert {*contents(folder).values()} in ({"old", "other"}, {"new", "old", "other"}, {"other"}, {"other", "old"})
    with pytest.raises(ZeroDivisionError), output_folder(folder):  # which fails, too
        1 / 0  # noqa: B018
    assert contents(folder) in (OLD, OLD_AND_NEW) and sorted(os.listdir(folder)) == sorted(contents(folder))


@posix
@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_run_that_is_killed_while_it_moves_files(step, folder):
    assert run(folder, killed_at=step).wait() == -9
    found = {text for name, text in contents(folder).items() if name in "ab"}
    assert len(found) <= 1, "files of two runs beside each other"
    with pytest.raises(ZeroDivisionError), output_folder(folder):
        1 / 0  # noqa: B018
    assert contents(folder) == (OLD if step <= 3 else OLD_AND_NEW)
    assert sorted(os.listdir(folder)) == sorted(contents(folder))


@posix
@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_who_reads_after_a_killed_run_finds_all_files(step, folder):
    assert run(folder, killed_at=step).wait() == -9
    for name in "abd":
        with contextlib.suppress(FileNotFoundError):  # of a new file, where the old ones are back
            fingerprint(folder / name)
    assert contents(folder) == (OLD if step <= 3 else OLD_AND_NEW)


def test_a_single_file_is_never_missing(folder, monkeypatch):
    made = fail(monkeypatch, (), None)
    whole_file.write_text(folder / "a", "new")
    assert len(made) == 1 and contents(folder) == {**OLD, "a": "new"}
    fail(monkeypatch, (1,), PermissionError(13, "Permission denied"))
    refused("Permission denied", whole_file.write_text, folder / "a", "newer", error=OSError)
    assert contents(folder) == {**OLD, "a": "new"} and sorted(os.listdir(folder)) == sorted(OLD)


def test_four_runs_into_one_folder(folder):
    for _ in range(2):
        runs = [run(folder, name) for name in ("one", "two", "three", "four")]
        assert [one.wait() for one in runs] == [0] * 4
        assert len({(folder / name).read_text(encoding="utf-8") for name in "abd"}) == 1
    threads = [threading.Thread(target=write, args=(folder,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert contents(folder) == OLD_AND_NEW and sorted(os.listdir(folder)) == sorted(OLD_AND_NEW)


def test_workspaces_of_runs_that_live_stay(folder):
    with output_folder(folder) as first:
        (first / "a").write_text("first", encoding="utf-8")
        (folder / ".ugt-0123" / "new").mkdir(parents=True)  # nobody's: a run was killed before it had a lock
        write(folder)
        assert contents(folder) == OLD_AND_NEW
    assert contents(folder) == {**OLD_AND_NEW, "a": "first"} and sorted(os.listdir(folder)) == sorted(OLD_AND_NEW)


def under_wine():
    if os.name != "nt":
        return False
    import ctypes

    return hasattr(ctypes.windll.ntdll, "wine_get_version")


@pytest.mark.skipif(under_wine(), reason="_locking of wine 8 refuses a locked byte without setting errno")
def test_a_folder_that_another_run_does_not_let_go(folder, monkeypatch):
    monkeypatch.setattr(whole_file, "PATIENCE", 0.05)
    with open(folder / ".ugt-lock", "wb") as held:
        if not try_lock(held):
            pytest.skip("a file system without locks")
        refused(r"^output folder must be free within 0\.05 s\. Got '.*', where another run holds \.ugt-lock\.", write, folder)
    write(folder)
    assert contents(folder) == OLD_AND_NEW and ".ugt-lock" not in os.listdir(folder)


@posix
def test_an_immutable_file(folder):
    if subprocess.run(["chattr", "+i", str(folder / "b")], stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("no immutable files here")
    try:
        refused(r"must hold files that can be replaced .* Got '.*b' \(Operation not permitted\)", write, folder)
    finally:
        subprocess.run(["chattr", "-i", str(folder / "b")], check=False)
    assert contents(folder) == OLD and sorted(os.listdir(folder)) == sorted(OLD)


# ---- devices and pipes

LABELS = "case,annotator,label\np,ann,x\np,bob,y\nq,ann,x\n"
JOBS = [("certainty", "labels.csv", "--out"), ("convert", "labels.csv")]


@posix
@pytest.mark.parametrize("job", JOBS, ids=["certainty", "convert"])
@pytest.mark.parametrize("link", [False, True])
def test_a_pipe_gets_the_file(job, link, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("labels.csv").write_text(LABELS, encoding="utf-8")
    os.mkfifo("pipe.csv")
    os.symlink("pipe.csv", "link.csv")
    got = []
    reader = threading.Thread(target=lambda: got.append(Path("pipe.csv").read_text(encoding="utf-8")))
    reader.start()
    assert cli.main([*job, "link.csv" if link else "pipe.csv"]) == 0
    reader.join()
    assert got[0].startswith("case,") and Path("pipe.csv").is_fifo() and Path("link.csv").is_symlink()
    assert sorted(os.listdir()) == ["labels.csv", "link.csv", "pipe.csv"]


@posix
@pytest.mark.parametrize("out", ["/dev/null", "null"])
def test_a_device_stays_a_device(out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("labels.csv").write_text(LABELS, encoding="utf-8")
    os.symlink("/dev/null", "null")
    assert cli.main(["certainty", "labels.csv", "--out", out]) == 0
    assert Path("/dev/null").is_char_device() and Path("null").is_symlink()
    os.symlink("/dev/null", "report.html")
    refused(r"have room for the file report\.html\. Got a device or a pipe", _write_report, tmp_path)


def _write_report(folder):
    with output_folder(folder) as draft:
        (draft / "report.html").write_text("", encoding="utf-8")


@posix
@pytest.mark.parametrize("shell", ["{} | cat", "{} > here.csv; cat here.csv", "{} >> here.csv; cat here.csv"])
def test_standard_output_gets_the_file_and_nothing_else(shell, tmp_path):
    (tmp_path / "labels.csv").write_text(LABELS, encoding="utf-8")
    command = f"{sys.executable} -m ugt certainty labels.csv --out /dev/stdout"
    found = subprocess.run(["sh", "-c", shell.format(command)], cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True)
    header, *rows = found.stdout.splitlines()
    assert header.startswith("case,n_annotations") and len(rows) == 2
