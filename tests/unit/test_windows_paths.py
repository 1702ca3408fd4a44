"""Paths and files as Windows treats them, on any system: names of devices, lengths, files that another program has open."""

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import refused

from ugt import cli
from ugt._tabular import whole_file, windows
from ugt.io import output_folder


@pytest.fixture
def on_windows(tmp_path, monkeypatch):
    """The code believes that it is on Windows; files have no locks then."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "platform", "win32")
    return tmp_path


REFUSED = {
    "CON": "the name of a device",
    "aux.html": "the name of a device",
    "results/Lpt1.csv": "the name of a device",
    "com¹.x.csv": "the name of a device",
    "report.": "whose last character Windows removes",
    "my report /a.html": "whose last character Windows removes",
    "fold:2.csv": "with the character ':'",
    r"C:\data\a?.csv": r"with the character '\?'",
    "a|b.csv": r"with the character '\|'",
    "line\nbreak.csv": r"with the character '\\n'",
}
TAKEN = (
    "report.html",
    "..",
    ".",
    "console.csv",
    "auxiliary/a.b.csv",
    r"C:\data\a.csv",
    r"\\server\share\a.csv",
    "C:a.csv",
    ".hidden",
    "lpt.csv",
)


@pytest.mark.parametrize("path", REFUSED)
def test_paths_that_windows_cannot_store(on_windows, path):
    message = rf"^output must have a name that Windows allows \(choose another name\)\. Got '.*', {REFUSED[path]}\.$"
    refused(message, windows.check_output, path)
    with pytest.raises(ValueError, match=message), whole_file.whole_file(path):
        raise AssertionError
    with pytest.raises(ValueError, match=message), output_folder(path):
        raise AssertionError
    assert os.listdir() == []


def test_the_command_refuses_them_before_it_computes(on_windows, capsys):
    Path("labels.csv").write_text("case,annotator,label\np,a,x\np,b,y\n", encoding="utf-8")
    for words in (
        ("certainty", "labels.csv", "--out", "aux.csv"),
        ("convert", "labels.csv", "nul.npz"),
        ("agreement", "labels.csv", "--out", "ab:c"),
    ):
        assert cli.main(words) == 2
        assert "output must have a name that Windows allows (choose another name). Got '" in capsys.readouterr().err
    assert os.listdir() == ["labels.csv"]


def test_names_of_devices_with_an_ending_are_no_devices_to_write_to(on_windows, monkeypatch):
    """Windows itself says that ``nul.npz`` is the null device."""
    monkeypatch.setattr(os.path, "abspath", lambda path: os.devnull if "nul" in str(path) else str(path))
    assert whole_file.is_stream("nul") and not whole_file.is_stream("nul.npz") and not whole_file.is_stream(Path("a") / "Nul.tar.gz")
    with pytest.raises(ValueError, match="the name of a device"), whole_file.whole_file("nul.npz"):
        raise AssertionError


@pytest.mark.parametrize("path", TAKEN)
def test_paths_that_windows_can_store(on_windows, path):
    windows.check_output(path)


@pytest.mark.skipif(sys.platform == "win32", reason="of other systems")
def test_other_systems_store_these_names(tmp_path):
    for name in ("aux.html", "report.", "a:b.csv"):
        whole_file.write_text(tmp_path / name, "x")
    assert sorted(os.listdir(tmp_path)) == ["a:b.csv", "aux.html", "report."]


def test_a_path_that_is_too_long(on_windows, capsys):
    name = "long/" + 60 * "name/" + "labels.csv"
    n = len(os.path.abspath(name))
    said = f"(the path has {n} characters, and Windows may allow only 259: use a folder with a shorter path)"
    assert cli.main(["certainty", name]) == 2
    assert capsys.readouterr().err == f"ugt: error: {name}: no such file {said}\n"
    with pytest.raises(OSError, match="use a folder with a shorter path"), whole_file.whole_file(name):
        raise AssertionError
    assert windows.about_length("labels.csv") == ""


COMMAND_LINES = {
    ("check", r"data\labels.csv", r"C:\ugt\a.npz", "--n-boot=20"): r"check data\labels.csv C:\ugt\a.npz --n-boot=20",
    ("check", "my labels.csv", "große Katze"): 'check "my labels.csv" "große Katze"',
    ("a&b.csv", "a,b", "(1).csv", ""): '"a&b.csv" "a,b" "(1).csv" ""',
    ('say "hi there"', "my folder\\", '\\"'): r'"say \"hi there\"" "my folder\\" "\\\""',
}


@pytest.mark.parametrize("words", COMMAND_LINES)
def test_commands_are_written_for_the_shells_of_windows(words, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert windows.typed(words) == shlex.join(words)
    monkeypatch.setattr(sys, "platform", "win32")
    assert windows.typed(words) == COMMAND_LINES[words]
    for word in words:
        assert windows.typed([word]).strip('"') == subprocess.list2cmdline([word]).strip('"')


def test_what_the_command_suggests_can_be_typed_on_windows(on_windows, capsys):
    assert cli.main(["example", "labels", "--out", "my folder"]) == 0
    said = capsys.readouterr().out
    assert f'  ugt check "{os.path.join("my folder", "labels.csv")}"' in said and "'" not in said.splitlines()[-1]


def opened_elsewhere(monkeypatch, times):
    """The system refuses to move files, some times, as Windows does for a file that a program has open."""
    real, calls = os.replace, []

    def replace(source, target):
        calls.extend([] if whole_file.DRAFT in str(target) else [target])
        if calls[-1:] == [target] and len(calls) <= times:
            raise PermissionError(
                errno.EACCES, "The process cannot access the file because it is being used by another process", str(source)
            )
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(whole_file, "SCAN", 0.2)
    return calls


def test_a_file_that_is_open_for_a_moment(on_windows, monkeypatch):
    Path("a.csv").write_text("old", encoding="utf-8")
    calls = opened_elsewhere(monkeypatch, 3)
    whole_file.write_text("a.csv", "new")
    assert Path("a.csv").read_text(encoding="utf-8") == "new" and len(calls) == 4 and os.listdir() == ["a.csv"]


def test_a_file_that_stays_open(on_windows, monkeypatch):
    Path("a.csv").write_text("old", encoding="utf-8")
    calls = opened_elsewhere(monkeypatch, 10**6)
    with pytest.raises(PermissionError, match=r"used by another process \(is the file open in another program\?\): 'a\.csv'"):
        whole_file.write_text("a.csv", "new")
    assert Path("a.csv").read_text(encoding="utf-8") == "old" and len(calls) > 2 and os.listdir() == ["a.csv"]


def test_a_report_that_stays_open(on_windows, monkeypatch, capsys):
    Path("labels.csv").write_text("case,annotator,label\np,a,x\np,b,y\n", encoding="utf-8")
    Path("c.csv").write_text("old", encoding="utf-8")
    opened_elsewhere(monkeypatch, 10**6)
    assert cli.main(["certainty", "labels.csv", "--out", "c.csv"]) == 2
    said = capsys.readouterr().err
    assert (
        "output folder must hold files that can be replaced (is one open in another program?); all files are unchanged. Got 'c.csv'" in said
    )
    assert Path("c.csv").read_text(encoding="utf-8") == "old" and sorted(os.listdir()) == ["c.csv", "labels.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="of other systems")
def test_other_systems_do_not_wait(tmp_path, monkeypatch):
    calls = opened_elsewhere(monkeypatch, 1)
    with pytest.raises(PermissionError, match="open in another program"):
        whole_file.write_text(tmp_path / "a.csv", "new")
    assert len(calls) == 1 and os.listdir(tmp_path) == []
