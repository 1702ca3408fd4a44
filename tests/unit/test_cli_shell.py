"""Completion files, tried in the shells that are there, and the manual page."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from ugt import cli
from ugt.cli import command as _command
from ugt.cli import shell as _shell

PARSER = cli.make_parser()
COMMANDS = _command.commands_of(PARSER)
SHELLS = ("bash", "zsh", "fish")


def tool(name):
    found = shutil.which(name)
    if found is None or sys.platform == "win32":  # bash.exe may be that of another system
        pytest.skip(f"no {name}")
    return found


@pytest.fixture
def written(tmp_path, capsys):
    def write(shell):
        assert cli.main(["completion", shell]) == 0
        out, err = capsys.readouterr()
        assert err == "" and out == _shell.SHELLS[shell](PARSER)
        out.encode("ascii")
        (tmp_path / f"ugt.{shell}").write_text(out, encoding="utf-8")
        return tmp_path / f"ugt.{shell}"

    return write


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_there(written, shell):
    text = written(shell).read_text(encoding="utf-8")
    for name, command in COMMANDS.items():
        assert re.search(rf"\b{name}\b", text)
        for action in command._actions:
            for option in action.option_strings:
                assert option.lstrip("-") in text
            for choice in action.choices or ():
                assert choice in text


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_can_read_it(written, shell):
    program = tool(shell)
    done = subprocess.run([program, "-n", str(written(shell))], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def complete(written, tmp_path, monkeypatch):
    """What bash offers for the last of the words."""
    program = tool("bash")
    script = written("bash")
    files = tmp_path / "files"
    (files / "my reports").mkdir(parents=True)
    for name in ("readings.csv", "my labels.csv", "b.npz"):
        (files / name).write_text("", encoding="utf-8")

    def offered(*words):
        code = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ugt; printf "%s\\n" "${COMPREPLY[@]}"'
        command = [program, "--norc", "-c", code, str(script), "ugt", *words]
        done = subprocess.run(command, cwd=files, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return sorted(filter(None, done.stdout.splitlines()))

    return offered


def options(name):
    return sorted(option for action in COMMANDS[name]._actions for option in action.option_strings if option.startswith("--"))


FILES = ["b.npz", "my labels.csv", "my reports", "readings.csv"]
OFFERS = [
    (["ev"], ["evaluate"]),
    (["c"], sorted(name for name in COMMANDS if name.startswith("c"))),
    (["--v"], ["--version"]),
    (
        ["evaluate", "--annot"],
        ["--annotations", "--annotator-column", "--annotator-columns", "--annotator-reliability", "--annotators-are"],
    ),
    (["evaluate", "--annotations", ""], FILES),
    (["evaluate", "--annotations", "my"], ["my labels.csv", "my reports"]),
    (["evaluate", "--annotations", "=", "read"], ["readings.csv"]),
    (["evaluate", "--annotations", "="], FILES),
    (["evaluate", "--annotations", "x.csv", "--aggregation", "p"], ["plackett-luce", "prirn"]),
    (["evaluate", "--predictions", "readings.csv", "b"], ["b.npz"]),
    (["evaluate", "--predictions", "old", "=", "b"], ["b.npz"]),
    (["evaluate", "--out", ""], ["my reports"]),
    (["evaluate", "--seed", ""], []),
    (["evaluate", "--json", ""], options("evaluate")),
    (["certainty", "read"], ["readings.csv"]),
    (["certainty", "--json", ""], FILES),
    (["certainty", "--ties", "first", ""], FILES),
    (["certainty", "--ties", "first", "--nothing", "--k"], ["--k"]),
    (["agreement", "x.csv", "--levels", "nominal", "o"], ["ordinal"]),
    (["calibrate", "--features", "readings.csv", "b"], ["b.npz"]),
    (["calibrate", "--features", "a", "b", ""], options("calibrate")),
    (["completion", ""], ["bash", "fish", "zsh"]),
    (["nothing", ""], []),
    ([""], sorted([*COMMANDS, "--help", "--version"])),
]


@pytest.mark.parametrize(("words", "offers"), OFFERS, ids=lambda value: " ".join(value)[:40])
def test_bash_offers(complete, words, offers):
    assert complete(*words) == offers


def test_bash_knows_the_function(written):
    program = tool("bash")
    code = 'source "$0"; complete -p ugt'
    done = subprocess.run([program, "--norc", "-c", code, str(written("bash"))], capture_output=True, text=True, check=True)
    assert done.stdout == "complete -F _ugt ugt\n"


FISH = [
    ("ugt ev", "evaluate"),
    ("ugt evaluate --annot", "--annotations"),
    ("ugt certainty x --ties f", "first"),
    ("ugt completion z", "zsh"),
]


@pytest.mark.parametrize(("line", "offer"), FISH)
def test_fish_offers(written, line, offer):
    program = tool("fish")
    code = f"source {written('fish')}; complete --do-complete '{line}'"
    done = subprocess.run([program, "--no-config", "-c", code], capture_output=True, text=True, check=True)
    assert offer in [row.split("\t")[0] for row in done.stdout.splitlines()]


def test_quoting_specs_and_unknown_shells(capsys):
    assert _shell._quoted("it's") == "'it'\\''s'"
    assert _shell._escaped("[NAME=]FILE: a\\b", ":[]") == "\\[NAME=\\]FILE\\: a\\\\b"
    assert _shell._fish("it's \\") == "'it\\'s \\\\'"
    lines = {line.strip().rstrip(" \\") for line in _shell.zsh(PARSER).splitlines()}
    models = "]:MODEL:(auto dirichlet prirn irn votes plackett-luce dawid-skene glad graded-response normal)'"
    assert any(line.startswith("'--aggregation[truth model") and line.endswith(models) for line in lines)
    assert any(line.startswith("'--predictions[") and line.endswith("]:\\[NAME=\\]FILE:_files'") for line in lines)
    assert "'--json[print one JSON object instead of text]'" in lines and "'1:SHELL:(bash zsh fish)'" in lines
    assert "'*:FILE:_files'" in lines  # the second file of --predictions
    assert "'evaluate:evaluate models against annotations'" in lines
    with pytest.raises(SystemExit):
        cli.main(["completion", "tcsh"])
    assert "argument shell: invalid choice: 'tcsh'" in capsys.readouterr().err


@pytest.fixture
def page(capsys):
    assert cli.main(["man"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    out.encode("ascii")
    return out


def test_the_manual_has_every_command_option_and_code(page):
    assert page.startswith('.TH UGT 1 "" "ugt ')
    for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", '"EXIT STATUS"'):
        assert f"\n.SH {part}\n" in page
    for name, command in COMMANDS.items():
        part = page.split(f'\n.SH "UGT {_shell.roff(name.upper())}"\n')[1].split("\n.SH ")[0]
        for action in command._actions:
            for option in action.option_strings:
                assert _shell.roff(option) in part, option
        assert f"ugt {_shell.roff(name)}" in part.split('.SS "examples"')[1]
    for code, meaning in _command.EXIT_CODES.items():
        assert f".TP\n\\fB{code}\\fR\n{_shell.roff(meaning)}\n" in page


def test_nothing_in_the_manual_is_taken_for_a_request(page):
    requests = {line.split()[0] for line in page.splitlines() if line[:1] in (".", "'")}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".nf", ".fi", ".nh", ".ad"} and "\n\n" not in page
    assert _shell.roff('.x -y \\ "z"') == r"\&.x \-y \e \(dqz\(dq" and _shell.roff("'x") == r"\&'x"


def groff(page, *options):
    # without a sanitizer that these tests may run under: groff itself would be found to leak
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = [tool("groff"), "-man", *options]
    return subprocess.run(command, input=page, capture_output=True, text=True, check=False, env=environment)


def test_groff_reads_the_manual(page):
    done = groff(page, "-ww", "-z")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = groff(page, "-Tascii", "-P-c")
    assert done.returncode == 0
    text = re.sub(".\x08", "", done.stdout)
    assert "ugt - evaluate models when the ground truth is uncertain" in " ".join(text.split())
    assert "  ugt evaluate --annotations readings.csv --predictions old=a.csv new=b.npz \\\n" in text
    assert "--plan FILE" in text
