"""The command ``ugt``: its list of commands, its start and its end."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from .._base.checks import error
from .._base.version import __version__
from .._base.wording import words_of
from .._tabular.csv_text import utf8
from .._tabular.windows import typed
from . import (
    agreement,
    calibrate,
    check,
    command,
    conformal,
    convert,
    evaluate,
    example,
    judge,
    plan,
    preferences,
    reader_study,
    report,
    shell,
)
from .output import progress as telling_progress
from .wording import speaking, worded

EXAMPLES = """\
examples:
  ugt example
  ugt demo
  ugt check readings.csv a.csv b.npz patients.csv
  ugt evaluate --annotations readings.csv --predictions a.csv b.npz --out report
  ugt certainty readings.csv
  ugt agreement readings.csv --json
  ugt evaluate --help

exit codes:
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return one of the exit codes ``command.EXIT_CODES``.

    Raises SystemExit with 0 after ``--help`` and ``--version``, and with 2 for invalid options.
    """
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show must not be an error
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except (ValueError, OSError, MemoryError) as problem:
        if _nobody_reads(problem):  # the reader of the output, such as `head`, has ended
            with suppress(OSError, ValueError):  # otherwise Python prints an error at its end
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        command.complain(command.said_of(problem))
        return 2
    except KeyboardInterrupt:
        with suppress(OSError):
            print("ugt: interrupted", file=sys.stderr)
        return 130


def _open_streams() -> None:
    """Open the null device for closed streams (``>&-``), whose numbers a file that is written would get otherwise."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number and not _is_open(number):
                os.dup2(handle, number)
                os.close(handle)
                handle = number
            setattr(sys, name, open(handle, "w" if number else "r", encoding="utf-8", errors="replace", closefd=False))  # noqa: SIM115


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _nobody_reads(problem: BaseException) -> bool:
    """Return whether an error is of a closed pipe, which on Windows is an invalid argument without a file."""
    if sys.platform == "win32" and isinstance(problem, OSError) and problem.errno == errno.EINVAL and problem.filename is None:
        return True
    return isinstance(problem, BrokenPipeError)


def _run(words: Sequence[str]) -> int:
    parser = make_parser()
    if not words:
        names = ", ".join(command.commands_of(parser))
        print(f"{parser.format_usage().strip()}\n\ncommands: {names}\n\nSee ugt --help, and ugt COMMAND --help.", file=sys.stderr)
        return 2
    try:
        words = command.with_negatives(words)
        command.check_words(parser, words)
        options, rest = parser.parse_known_args(words)
        if hasattr(options, "inputs") and not any(word.startswith("-") for word in rest):
            options.inputs, rest = [*options.inputs, *rest], []  # files after an option
        if rest:
            command.commands_of(parser)[options.called].error(f"unrecognized arguments: {' '.join(rest)}")
    except SystemExit:
        sys.stdout.flush()  # here, because main() handles a closed pipe
        raise
    if getattr(options, "out", None) == "":  # such as an unset variable of the shell
        raise error("--out", "not be empty", "''")
    speaking.set((command.commands_of(parser)[options.called], options))
    options.command = utf8(typed(["ugt", *words]))
    warned: list[str] = []
    told = not getattr(options, "no_progress", True)
    with warnings.catch_warnings(), command.manner(options) as (how, read), telling_progress(told and how != "quiet"):
        warnings.showwarning = lambda message, *_: _warn(words_of(message), warned)
        found = options.run(options)
    if how == "json":
        command.print_json(options.called, {**found, "read": read}, warned)
    if found and found.get("refused"):
        return 2
    return 0


def _warn(message: str, warned: list[str]) -> None:
    message = worded(message)
    warned.append(message)
    print(f"ugt: {command.printable(message)}", file=sys.stderr)


def make_parser() -> command.Parser:
    """Return the parser of all commands, from which help, completion and the manual are made."""
    codes = "\n".join(f"  {code:<4} {meaning}" for code, meaning in command.EXIT_CODES.items())
    text = "Evaluates models when the truth is uncertain, because annotators disagree or are few."
    usage = "ugt COMMAND [options]"
    variables = "\n".join(f"  {name}  {meaning}" for name, meaning in command.ENVIRONMENT.items())
    parser = command.Parser(
        prog="ugt", usage=usage, description=command.paragraphs(text), epilog=f"{EXAMPLES}{codes}\n\nenvironment:\n{variables}"
    )
    commands: Any = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, prog="ugt")
    for module in (check, evaluate, agreement, calibrate, conformal, reader_study, judge, preferences, convert):
        module.add(commands)
    example.add(commands)
    evaluate.add_demo(commands)
    report.add(commands)
    plan.add(commands)
    shell.add(commands)
    command.name_commands(parser)
    group = parser.add_argument_group("about")
    group.add_argument("--version", action="version", version=f"ugt {__version__}", help="show the version and exit")
    command.add_help(group)
    return parser
