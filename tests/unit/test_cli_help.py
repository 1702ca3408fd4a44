"""What the help says: every option with its default, and examples that run, there and in the guide."""

import argparse
import contextlib
import inspect
import io
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

from ugt import cli, synthetic
from ugt.cli import command as _command
from ugt.evaluation import evaluate

GUIDE = Path(__file__).parents[2] / "docs" / "command-line.md"
COMMANDS = _command.commands_of(cli.make_parser())
CLASSES = ("cat", "dog", "ibex")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the files that examples name."""
    folder = tmp_path_factory.mktemp("examples")
    rng = np.random.default_rng(5)
    cases = [f"c{i}" for i in range(24)]
    labels = rng.integers(0, 3, (24, 4))

    def table(name, header, rows):
        (folder / name).write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n", encoding="utf-8")

    long = [(case, f"r{a}", labels[i, a]) for i, case in enumerate(cases) for a in range(4)]
    for name in ("readings.csv", "labels.csv"):
        table(name, ["case", "annotator", "label"], [(case, who, CLASSES[what]) for case, who, what in long])
    table("grades.csv", ["case", "annotator", "label"], long)
    table("severity.csv", ["case", "prediction"], [(case, labels[i, 0]) for i, case in enumerate(cases)])
    table("counts.csv", ["case", *CLASSES], [(case, *np.bincount(row, minlength=3)) for case, row in zip(cases, labels)])
    rows = [(f"k{i}", *np.bincount(row, minlength=3), CLASSES[row[0]], 1 + i % 4) for i, row in enumerate(labels[:12])]
    table("grouped.csv", ["case", *CLASSES, "model", "n"], rows)
    table("patients.csv", ["case", "patient"], [(case, i // 2) for i, case in enumerate(cases)])
    table("sites-of-cases.csv", ["case", "cluster"], [(case, "north" if i % 2 else "south") for i, case in enumerate(cases)])
    table("sites.csv", ["case", "site", "age"], [(case, "north" if i % 2 else "south", "") for i, case in enumerate(cases)])
    truth, others = np.arange(24) % 2, np.random.default_rng(6)
    study = [
        (test, f"q{r}", case, truth[i] + others.integers(0, 3), truth[i])
        for test in ("without", "with")
        for r in range(4)
        for i, case in enumerate(cases)
    ]
    table("study.csv", ["test", "reader", "case", "rating", "truth"], study)
    table("panel.csv", ["case", "annotator", "label"], [(case, f"t{a}", others.integers(0, 2)) for case in cases for a in range(3)])
    table("model.csv", ["case", "score"], [(case, truth[i] + others.normal()) for i, case in enumerate(cases)])
    verdicts = np.array(["bad", "good"])
    table("people.csv", ["case", "annotator", "label"], [(case, f"p{a}", others.choice(verdicts)) for case in cases[:16] for a in range(3)])
    table("judge.csv", ["case", "judge", "verdict"], [(case, "gpt", others.choice(verdicts)) for case in cases])
    votes = [(case, f"p{a}", "A", "B", others.choice(["A", "B", "tie"])) for case in cases for a in range(2)]
    chats = [(case, turn, "A", "B", others.choice(["A", "B", "tie"])) for case in cases for turn in (1, 2)]
    table("chats.csv", ["prompt", "turn", "model_a", "model_b", "better"], chats)
    heads = ["case", "annotator", "model_a", "model_b", "winner"]
    table("votes.csv", heads, votes)
    (folder / "votes.jsonl").write_text("".join(json.dumps(dict(zip(heads, map(str, row)))) + "\n" for row in votes), encoding="utf-8")
    table("lengths.csv", ["case", "length"], [(case, 10 * i) for i, case in enumerate(cases)])
    probs = rng.dirichlet(np.ones(3), 24)
    for name, rows in (("a.csv", range(24)), ("validation.csv", range(12)), ("test.csv", range(12, 24))):
        table(name, ["case", *CLASSES], [(cases[i], *probs[i]) for i in rows])
    rows = [(model, case, *probs[i]) for model in "AB" for i, case in enumerate(cases)]
    table("models.csv", ["model", "case", *CLASSES], rows)
    np.savez(folder / "b.npz", scores=probs[::-1], case_ids=cases, classes=list(CLASSES))
    np.savez(folder / "scores.npz", scores=probs)
    orders = [[[[int(k)] for k in rng.permutation(3)[: 1 + (len(case) + r) % 3]] for r in range(3)] for case in cases]
    (folder / "rankings.json").write_text(json.dumps(orders), encoding="utf-8")
    choice = [{"type": "choices", "from_name": "animal", "to_name": "image", "value": {"choices": ["cat"]}}]
    task = {"id": 1, "data": {"image": "1.png"}, "annotations": [{"id": 1, "completed_by": 3, "result": choice}]}
    (folder / "export.json").write_text(json.dumps([task]), encoding="utf-8")
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def shell(line):
    """Run a line as a shell would, as far as examples need one; what it printed."""
    words = shlex.split(line)
    assert words[0] == "ugt"
    target = None
    if ">" in words:
        words, target = words[: words.index(">")], words[words.index(">") + 1]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert cli.main(words[1:]) == 0, line
    if target is not None:
        Path(target).write_text(out.getvalue(), encoding="utf-8")
    return out.getvalue()


def lines_of(text):
    """Commands; a line that ends in a backslash goes on."""
    lines = [line.strip() for line in text.replace("\\\n", " ").splitlines()]
    return [" ".join(line.split()) for line in lines if line.startswith("ugt ")]


def examples(name):
    (found,) = re.findall(r"^examples:\n((?:  .*\n)+)", COMMANDS[name].format_help(), re.MULTILINE)
    return lines_of(found)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command(capsys, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stop:
        cli.main([name, "--help"])
    assert stop.value.code == 0
    out, err = capsys.readouterr()
    assert err == ""
    out.encode("ascii")  # for any terminal
    assert out.startswith(f"usage: ugt {name} ") and len(COMMANDS[name].description) > 60
    assert 1 <= len(examples(name)) <= 4 and all(line.startswith(f"ugt {name}") for line in examples(name))
    assert "exit codes: 0, 1, 2, 130, 141; see ugt --help" in out
    wide = [line for line in out.splitlines()[1:] if len(line) > 81]
    assert wide == []


def options(name):
    return [action for action in _command.options_of(COMMANDS[name]) if action.option_strings]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_and_its_default(name):
    for action in options(name):
        assert action.help, action.option_strings
        flag = action.nargs == 0 or isinstance(action, argparse._HelpAction)
        assert flag or action.required or "default: " in action.help, action.option_strings
        if not flag and not action.required and action.default is not None:
            text = COMMANDS[name]._get_formatter()._expand_help(action)
            assert f"default: {action.default}" in text or (action.default == "auto" and "default: by " in text), action.option_strings


@pytest.mark.parametrize("name", COMMANDS)
def test_options_stand_in_groups(name):
    groups = [group for group in COMMANDS[name]._action_groups if group._group_actions]
    assert not {"options", "optional arguments", "positional arguments"} & {group.title for group in groups}
    assert all(len(group._group_actions) <= 18 for group in groups)


def test_defaults_that_are_said_are_those_of_the_library():
    """Options of evaluate() are left to it when they are not given."""
    defaults = {name: one.default for name, one in inspect.signature(evaluate).parameters.items()}
    seen = 0
    for action in options("evaluate"):
        said = re.search(r"default: ([^ ;(]+)", action.help or "")
        default = defaults.get(action.dest)
        if said and action.default is None and isinstance(default, (int, float, str)):
            assert said[1] == (default if isinstance(default, str) else f"{default:g}"), action.dest
            seen += 1
    assert seen >= 14


def test_help_of_everything(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    for name, command in COMMANDS.items():
        assert re.search(rf"^  {name} +\w", out, re.MULTILINE), name
        assert command.prog == f"ugt {name}"
    for code in ("0 ", "1 ", "2 ", "130", "141"):
        assert re.search(rf"^  {code} +\w", out, re.MULTILINE)
    assert [line for line in out.splitlines() if len(line) > 81] == []


def prepare(lines):
    """What examples find when they are run in this order on the same files."""
    if any("report/evaluation.json" in line for line in lines):
        shell("ugt evaluate --annotations readings.csv --predictions a.csv --n-boot 20 --out report")
    if any("ugt-example/" in line for line in lines) and "ugt example" not in lines:
        shell("ugt example")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_the_help_run(folder, name, monkeypatch):
    rankings = synthetic.make_rankings
    monkeypatch.setattr(synthetic, "make_rankings", lambda n, *more, **seed: rankings(60, *more, **seed))  # of a shorter demo
    lines = examples(name)
    prepare(lines)
    for line in lines:
        printed = shell(line)
        assert "--quiet" in line or printed
        if "--json" in line:
            assert json.loads(printed)["command"] == name
        if "--out" in line:
            assert Path(line.split("--out ")[1].split()[0]).exists()


@pytest.mark.slow
def test_examples_of_the_first_help_run(folder):
    text = cli.make_parser().format_help()
    for line in lines_of(text[text.index("examples:") :]):
        if line.endswith("--help"):
            with pytest.raises(SystemExit):
                shell(line)
        elif line not in examples("demo"):
            shell(line)


@pytest.mark.slow
def test_examples_of_the_guide_run(folder):
    blocks = re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in lines_of(block)]
    assert len(lines) >= 10
    for line in lines:
        shell(line)


def test_the_guide_names_every_command_and_code():
    text = GUIDE.read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"`ugt {name}" in text, name
    for code in _command.EXIT_CODES:
        assert f"| {code} | " in text
