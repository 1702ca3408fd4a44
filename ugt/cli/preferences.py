"""``ugt preferences``: how strong models are by the votes of people, or of judges, between two at a time."""

from __future__ import annotations

import argparse
from typing import Any

from .._base.notices import heard
from .._tabular.csv_text import write_csv
from ..io.preference_files import ROLES, preference_file
from ..judges import Preferences, Strengths, strengths
from ..judges.strengths import MODELS
from .arguments import OfFile
from .cases import missing_texts
from .columns import columns_given
from .command import aligned, decimal, group, new_command, output_file, say, spanned, took
from .vote_facts import of_votes
from .wording import worded_note

HEADS = ("model", "value", "low", "high", "best", "worst")

TEXT = """
Computes how strong models are from votes between two at a time, by Bradley and Terry's model, or Davidson's if there are ties. FILE has one
row per vote, with columns for the two models and the preferred one (its name, the name of its column, a letter, or tie), and optionally for
the annotator and the case. Tables and JSON records of chatbot arenas and of MT-Bench are read as they are.

A strength is the log odds that a model is preferred to the mean of all models. Intervals are for other cases and other annotators like
these; if annotators are not named, for other cases. The last columns are the places of a model that the votes leave open.

ugt preferences votes.csv
ugt preferences chats.csv --preferred-column better --case-column prompt turn
ugt preferences votes.jsonl --random cases --out strengths.csv
"""


def add(commands: Any) -> None:
    parser = new_command(commands, "preferences", run, "compute strengths of models from votes between two", "FILE [options]", TEXT)
    option = group(parser, "files")
    option(
        "votes", "FILE", "table, JSON or JSONL with one row per vote: the two models, the preferred one, and optionally annotator and case"
    )
    option("--out", "FILE.csv", "file for the strengths; default: print only")
    option = group(parser, "strengths")
    option("--model", MODELS[:2], "model of the votes; default: davidson if there are ties, otherwise bradley-terry")
    option(
        "--random", ("cases", "annotators"), "population of the intervals; default: both, or cases if annotators are not named", nargs="+"
    )
    option("--level", "P", "level of the intervals; default: %(default)s", type=float, default=0.95)
    option = group(parser, "reading votes")
    for role in ROLES[:-1]:
        option(f"--{role}-column", "NAME", f"name of the {role} column; default: detected", action=OfFile)
    option(
        "--case-column", "NAME", "name of the case column, or names of several that identify a case together; default: detected", nargs="+"
    )
    option("--na", "TEXT", "texts of cells without a preference, besides blank cells; default: NA, N/A, NaN, null", nargs="+")
    option("--encoding", "NAME", "encoding of a text file that is not in UTF-8; default: %(default)s", default="utf-8")


def run(options: argparse.Namespace) -> dict[str, Any]:
    columns = columns_given(options, ROLES[:-1], options.votes)
    read = preference_file(options.votes, columns, missing=missing_texts(options), encoding=options.encoding)
    about = of_votes(options.votes, read)
    took(about.record(), about.line())
    given = Preferences.from_pairs(read.first, read.second, read.preferred, annotator=read.annotator, case=read.case, tie=read.tie)
    random = tuple(options.random or (("cases", "annotators") if len(given.annotators) else ("cases",)))
    with heard() as said:
        found = strengths(given, model=options.model)
        places = found.places(options.level, random=random)
    notes = [worded_note(one) for one in dict.fromkeys(said)]
    if options.out is not None:
        with output_file(options.out) as draft:
            write_csv(draft, HEADS, [[row[name] for name in HEADS] for row in places])
    say(*_lines(found, places, options.level, random), *(f"Note: {one}" for one in notes))
    if options.out is not None:
        say("", f"Table: {options.out}")
    return {
        "model": found.model, "tie": found.tie, "random": random, "level": options.level, "strengths": places, "notes": notes,
        "n_preferences": found.n_preferences, "n_annotators": found.n_annotators or None, "left_out": read.left_out,
        "files": [] if options.out is None else [options.out],
    }  # fmt: skip


def _lines(found: Strengths, places: list[dict[str, Any]], level: float, random: tuple[str, ...]) -> list[str]:
    whom = "other cases and annotators like these" if "annotators" in random else "other cases, judged by the same annotators"
    rows = [[str(row["model"]), spanned(row["value"], row["low"], row["high"], 2), f"{row['best']} to {row['worst']}"] for row in places]
    title = f"Strengths ({found.model}): log odds against the mean of all models, with {100 * level:g}% intervals for {whom}:"
    tie = [] if found.tie is None else [f"Ties: {decimal(found.tie / (2 + found.tie), 2)} of the votes between two equally strong models."]
    return [title, *aligned([["model", "strength", "place"], *rows]), *tie]
