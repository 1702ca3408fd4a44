"""What the command says: in terms of its options, with the texts of users as they are."""

import argparse
import ast
import math
from pathlib import Path

import pytest

import ugt
from ugt import cli
from ugt._base import checks
from ugt._base.grades import ORDERED
from ugt._base.names import positive_by_default
from ugt._base.notes import Note
from ugt._base.wording import CLASSES_WAY, OTHERS_OUT, Refusal, Text, arg, within
from ugt.cli import command as _command
from ugt.cli.wording import speaking, worded, worded_note

WORDS = [  # a text, its words in the command
    ("evaluate", OTHERS_OUT, "--missing drop leaves the others out"),
    ("evaluate", "if they are, use " + arg("missing", ...), "if they are, use --na"),
    ("agreement", "choose: " + arg("annotator_columns") + ", such as 'r*'", "choose: --annotator-columns, such as 'r*'"),
    ("certainty", CLASSES_WAY, "name them all with --classes if the annotations miss some"),
    ("certainty", "say " + arg("decimal", ","), "say --decimal ,"),
    ("certainty", ORDERED, "--ordered lowest,...,highest"),
    ("certainty", arg("scale", [1, 2, 3]), "--scale 1,2,3"),
    ("certainty", "name them: " + arg("columns", {"case": ..., "label": ...}), "name them: --case-column NAME, --label-column NAME"),
    ("certainty", arg("columns", {"confidence": ""}), "--confidence-column ''"),
    ("certainty", arg("columns", {"test": ...}), "columns={'test': ...}"),
    ("judge", "words are verdicts: " + arg("fields", {"verdict": ...}), "words are verdicts: --fields verdict=NAME"),
    ("certainty", Refusal("format", "be 'wide'", "'x'", context="a.csv"), "a.csv: --format must be 'wide'. Got 'x'."),
    ("certainty", Refusal("case column", "be given", None), "--case-column must be given. Got none."),
    ("certainty", Refusal("k", "be from 1 to 2", 5), "--k must be from 1 to 2. Got 5."),
    ("certainty", Refusal("level", "be 1", "'seed'"), "level must be 1. Got 'seed'."),
    ("certainty", Refusal("label", "be one", "'merge=x'", "'a_b=1'"), "label must be one. Got 'merge=x', first at 'a_b=1'."),
    ("certainty", Refusal(Text("format"), "be JSON", "none"), "format must be JSON. Got none."),
    ("report", arg("missing", "drop"), "missing='drop'"),
]


@pytest.mark.parametrize(("name", "text", "words"), WORDS)
def test_texts_name_the_options_of_the_command(name, text, words):
    token = speaking.set((_command.commands_of(cli.make_parser())[name], argparse.Namespace(k=[5])))
    try:
        assert worded(text) == words
    finally:
        speaking.reset(token)


def test_every_option_has_its_word():
    for name, parser in _command.commands_of(cli.make_parser()).items():
        token = speaking.set((parser, argparse.Namespace()))
        for action in _command.options_of(parser):
            if action.option_strings and not (action.dest == "missing" and name != "evaluate"):
                flag = action.option_strings[0]
                value = next(iter(action.choices or ["x"]))
                assert worded("so (" + arg(action.dest, value) + " does it)") == f"so ({flag} {value} does it)", (name, flag)
                assert worded("so (" + arg(action.dest) + " does it)") == f"so ({'--na' if action.dest == 'missing' else flag} does it)"
        speaking.reset(token)


PARSERS = _command.commands_of(cli.make_parser())
ZZZ = "zzz"  # a name that no text has


def template_words():
    """The words of all texts in the sources that errors are made of, and of ways on, several to a line."""
    found = set()
    for path in Path(ugt.__file__).parent.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if "error(" in source or "Text(" in source:
            texts = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and isinstance(node.value, str))
            found.update(word for text in texts if len(text) < 200 for word in text.split() if word.isalpha() and len(word) < 16)
    words = sorted(found)
    return [" ".join(words[i : i + 12]).lstrip("'") for i in range(0, len(words), 12)]  # which guards a formula in a cell


def option_words():
    """Names of all options of all commands, as in Python, as typed, and in the forms that messages have."""
    actions = {action.dest: action for parser in PARSERS.values() for action in _command.options_of(parser) if action.option_strings}
    for dest, action in actions.items():
        value = next(iter(action.choices or ["x"]))
        yield from (dest, f"oops {dest} high", f"{dest} must be given")
        yield f"{action.option_strings[0]} {dest}={value!r}, columns={{'{dest}': ...}}; use {dest}=. Got None, {dest}: None"


def problem_of(call):
    """The error of a call."""
    with pytest.raises(ValueError) as found:
        call()
    return found.value


def raised(problem):
    raise problem


def problems(folder, name):
    """The errors of the library about a class, a case, a cell, a column, a model and an option of this name."""
    known = ugt.Labels.from_wide([["cat", "dog"], ["dog", "dog"]], case_ids=["p", "q"])
    named = ugt.Labels.from_wide([["cat", "dog"], ["dog", "dog"]], case_ids=["p", name])
    (folder / "cell.csv").write_text(f"case,cat,dog\np,{quoted(name)},0\nq,1,0\n", encoding="utf-8")
    (folder / "column.csv").write_text(f"Z1,{quoted(name)},Z2\np,a,b\n", encoding="utf-8")
    (folder / "twice.csv").write_text(f"case,cat,dog\n{quoted(name)},1,0\n{quoted(name)},1,0\n", encoding="utf-8")
    calls = (
        lambda: ugt.Predictions(["p", "q"], [[1, 0, 2], [0, 1, 2]], ["cat", "dog", name]).aligned(known.axes),
        lambda: ugt.Predictions(["p", "q"], [[1, 0], [0, 1]], ["cat", "dog"]).aligned(named.axes),
        lambda: ugt.Predictions(["p", name], [[1, 0], [0, math.nan]], ["cat", "dog"]),
        lambda: ugt.read_predictions(folder / "cell.csv"),
        lambda: ugt.read_predictions(folder / "twice.csv"),
        lambda: ugt.read_annotations(folder / "column.csv", columns={"case": "no such"}),
        lambda: checks.option("coefficient", name, ("one", "another of them")),
        lambda: raised(within(f"model {name!r}", checks.error("scores", "be finite", repr(name), repr(name), way=OTHERS_OUT))),
        lambda: raised(within(name, checks.error(Text(name), "be JSON", f"a column {name!r}"))),
    )
    return [*map(problem_of, calls)]


def quoted(name):
    """The name as a cell of a CSV file."""
    return '"' + name.replace('"', '""') + '"'


def said_by_commands(found, name):
    """What each command says of errors, and of notes with this name."""
    notes = [
        Note("odd", "Read {name!r} of {name} (if it is not one, use " + arg("missing", ...) + ").", name=name),
        *positive_by_default(["healthy", name], "positive_class"),  # a name of absence, such as no_header, is second here, too
    ]
    said = {}
    for command, parser in PARSERS.items():
        token = speaking.set((parser, argparse.Namespace(coefficient="x")))
        said[command] = [*map(_command.said_of, found), *(worded_note(note).text for note in notes)]
        speaking.reset(token)
    return said


def test_names_of_users_reach_them_unchanged(tmp_path):
    plain = said_by_commands(problems(tmp_path, ZZZ), ZZZ)
    for name in dict.fromkeys([*option_words(), *template_words()]):
        for command, messages in said_by_commands(problems(tmp_path, name), name).items():
            wanted = [one.replace(repr(ZZZ), repr(name)).replace(ZZZ, name) for one in plain[command]]
            assert messages == wanted, (command, name)


@pytest.mark.parametrize(
    ("labels", "scores", "said"),
    [
        ("case,annotator,label\np,x,prior_mass left\nq,x,dog\nr,x,cat\n", "case,cat,dog\np,1,0\nq,1,0\nr,1,0\n", "'prior_mass left'"),
        ("case,annotator,label\np,x,cat\nq,x,dog\n", "case,cat,dog\np,oops prior_mass high,0\nq,1,0\n", "'oops prior_mass high'"),
        ("case,annotator,label\np,x,cat\nmissing='drop',x,dog\n", "case,cat,dog\np,1,0\n", "\"missing='drop'\""),
    ],
)
def test_the_command_leaves_texts_of_files_as_they_are(tmp_path, capsys, labels, scores, said):
    for name, text in (("labels", labels), ("n_draws=", scores)):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    given = ["--annotations", str(tmp_path / "labels.csv"), "--predictions", str(tmp_path / "n_draws=.csv"), "--prior-mass", "1"]
    assert cli.main(["evaluate", *given, "--out", str(tmp_path / "out")]) == 2
    (line,) = [one for one in capsys.readouterr().err.splitlines() if one.startswith("ugt: error: ")]
    assert said in line and "--prior" not in line and "--n-draws" not in line and ("n_draws=.csv" in line or "'n_draws='" in line)
