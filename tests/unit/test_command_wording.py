"""What the command says: in terms of its options, with the texts of users as they are."""

import argparse

import pytest

from ugt import cli
from ugt._base.grades import ORDERED
from ugt._base.wording import CLASSES_WAY, OTHERS_OUT, Refusal, Text, arg
from ugt.cli import command as _command
from ugt.cli.wording import speaking, worded

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
