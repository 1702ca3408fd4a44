"""The parts that all commands share: parsers and help, options of reading, tables, JSON, errors in one line."""

from __future__ import annotations

import argparse
import difflib
import json
import math
import os
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Callable, NoReturn

import numpy as np

from .. import io
from .._base.checks import error
from .._base.notes import Note
from .._base.version import __version__
from .._base.wording import words_of
from .._tabular import whole_file
from .._tabular.whole_file import is_stream
from .._tabular.windows import about_length, check_output
from ..report.digits import is_flat
from .arguments import Given, Help, number
from .wording import worded

# The formats that the help of options lists.
ANNOTATIONS = "CSV, Excel, Parquet, Stata, SPSS, JSON, JSONL, NPY, NPZ or PrefLib"
MANY = "or several files of one annotator each, who is named after the file or by NAME="
MANY_ANNOTATIONS = f"annotations: {ANNOTATIONS}; {MANY}"
PREDICTIONS = "CSV, Excel, Parquet, Stata, SPSS, NPY or NPZ"

# Version of the JSON that commands print. A key that goes or changes its meaning raises it.
SCHEMA = 1

ENVIRONMENT = {"UGT_MEMORY": "limit of memory in GB (default: the memory of the machine)"}
EXIT_CODES = {
    0: "done",
    1: "a fault of ugt itself, with a traceback: please report it",
    2: "invalid input or options; one-line message on standard error",
    130: "interrupted (Ctrl-C)",
    141: "output pipe closed (such as by head)",
}

WIDTH = 79

# The output of the command: "text", "quiet", "json", or "data" if it writes a file to standard output.
_manner: ContextVar[str] = ContextVar("ugt_manner", default="text")

# Whether the command prints a line per file that it reads; the records of these files.
_told: ContextVar[bool] = ContextVar("ugt_told", default=False)
_took: ContextVar[list[dict[str, Any]] | None] = ContextVar("ugt_took", default=None)


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line, with the nearest option that exists."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**{"formatter_class": Help, "allow_abbrev": False, "add_help": False, **keywords})
        self.color = False  # Python 3.14 would colour the texts, of which the manual is made, too

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"ugt: error: {printable(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse would hide that the pipe is closed


def with_negatives(words: Sequence[str]) -> list[str]:
    """Return the words with lists that begin with a negative number, such as -1,0,1, joined to their options, whose values they are."""
    found: list[str] = []
    for word in words:
        if found and found[-1].startswith("--") and "=" not in found[-1] and "," in word and word[0] == "-" and word[1].isdigit():
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


def new_command(commands: Any, name: str, run: Callable[..., Any], help: str, usage: str, text: str) -> Parser:
    """Add a command. ``usage`` lacks its name; the last paragraph of ``text`` holds the examples, as lines of a shell."""
    said, _, examples = text.rpartition("\n\n")
    lines = textwrap.indent(examples.strip(), "  ")
    end = f"examples:\n{lines}\n\nexit codes: {', '.join(map(str, EXIT_CODES))}; see ugt --help"
    parser: Parser = commands.add_parser(name, help=help, usage=f"%(prog)s {usage}", description=paragraphs(said), epilog=end)
    parser.set_defaults(run=run)
    return parser


def paragraphs(text: str) -> str:
    """Wrap a text for a terminal; a blank line ends a paragraph."""
    parts = [" ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join(textwrap.fill(part, WIDTH, break_on_hyphens=False) for part in parts)


def group(parser: argparse.ArgumentParser, title: str) -> Callable[..., None]:
    """Return a function that adds an option to a new group: name, value (a word, or a tuple of choices; None for a switch), help."""
    group = parser.add_argument_group(title)

    def option(name: str, takes: str | tuple[str, ...] | None, help: str, **more: Any) -> None:
        taken: dict[str, Any] = {"action": "store_true"}
        if takes is not None:
            taken = {"choices" if isinstance(takes, tuple) else "metavar": takes}
            if name.startswith("-"):
                taken["action"] = Given
        if more.get("type") in (int, float):
            taken.update(type=number(more.pop("type")))
        group.add_argument(name, help=help, **{**taken, **more})

    return option


def add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    group.add_argument("--quiet", action="store_true", help="print only warnings and errors, and the JSON of --json")
    group.add_argument("--no-progress", action="store_true", help="hide the progress of long steps")
    add_help(group)


def add_wording(parser: argparse.ArgumentParser) -> None:
    option = group(parser, "words of the report")
    option("--title", "TEXT", "title; default: models and number of cases, or that of the plan")
    option("--authors", "TEXT", "names of the authors; default: none, or those of the plan")
    option("--note", "TEXT", "caution that the first page shows; may be given several times; default: none", action="append")
    option("--unit", "NOUN", "noun for a case, in the singular, such as image; default: case")
    option("--annotators-are", "NOUN", "noun for an annotator, in the singular, such as reader; default: annotator")
    option("--appendices", ("folded", "open"), "folded, or open for printing; default: folded")


def wording_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the words of the report that are given."""
    names = ("title", "authors", "note", "unit", "annotators_are", "appendices")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def add_help(group: Any) -> None:
    group.add_argument("-h", "--help", action="help", help="show this help and exit")


def _commands(parser: argparse.ArgumentParser) -> list[Any]:
    return [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command by its name."""
    return {name: one for action in _commands(parser) for name, one in action.choices.items()}


def helps_of(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Return the one-line help of each command by its name."""
    return {one.dest: one.help or "" for action in _commands(parser) for one in action._choices_actions}


def options_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the options and positional arguments of a parser, without its commands."""
    return [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]


def name_commands(parser: argparse.ArgumentParser) -> None:
    """Give every command its name, the main parser, and the output options if it has no help option yet."""
    for name, command in commands_of(parser).items():
        command.set_defaults(called=name, parser=parser)
        if not any("--help" in action.option_strings for action in command._actions):
            add_output(command)


def check_words(parser: Parser, words: Sequence[str]) -> None:
    """Reject unknown commands and options before argparse reports missing ones."""
    commands = commands_of(parser)
    place = next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))
    _check_options(parser, words[:place])
    if place < len(words):
        if words[place] not in commands:
            parser.error(f"there is no command {words[place]!r}{_meant(words[place], commands)}")
        _check_options(commands[words[place]], words[place + 1 :])


def _check_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    known = [name for action in options_of(parser) for name in action.option_strings]
    for word in words:
        name = word.partition("=")[0]
        if word == "--":
            return
        if name.startswith("--") and " " not in name and name not in known:
            later = any(name in action.option_strings for command in commands_of(parser).values() for action in options_of(command))
            parser.error(f"{name} must follow the command" if later else f"there is no option {name}{_meant(name, known)}")


def _meant(word: str, known: Iterable[str]) -> str:
    names = list(known)
    close = difflib.get_close_matches(word, names, 1, 0.5) or [name for name in names if name.startswith(word)][:1]
    return f" (did you mean {close[0]}?)" if close else ""


def said_of(problem: BaseException) -> str:
    """Return the message of an error in one line, with options instead of arguments of Python."""
    if isinstance(problem, FileNotFoundError) and problem.filename is not None:
        return f"{problem.filename}: no such file{about_length(problem.filename)}"
    if isinstance(problem, PermissionError) and problem.filename is not None and os.path.isdir(problem.filename):
        return f"{problem.filename}: is a directory"  # Windows calls it a missing permission
    if isinstance(problem, OSError) and problem.filename is not None and problem.strerror:
        return f"{problem.filename}: {problem.strerror[:1].lower()}{problem.strerror[1:]}"
    return " ".join(worded(words_of(problem)).splitlines()) or "there is not enough memory"


@contextmanager
def manner(options: argparse.Namespace) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Set how a command speaks; yield ``"text"``, ``"quiet"`` or ``"json"``, and the growing list of records of the files that it reads."""
    quiet = getattr(options, "quiet", False)
    how = "json" if getattr(options, "json", False) else "quiet" if quiet else "text"
    read: list[dict[str, Any]] = []
    with ExitStack() as context:
        variables: tuple[tuple[ContextVar[Any], Any], ...] = ((_manner, how), (_told, not quiet), (_took, read))
        for variable, value in variables:
            context.callback(variable.reset, variable.set(value))
        yield how, read


def say(*lines: str) -> None:
    """Print lines, unless the command runs with ``--quiet`` or ``--json``."""
    if _manner.get() == "text":
        print("\n".join(map(printable, lines)))


def tell(*lines: str) -> None:
    """Print lines about the files that were read: on standard error if standard output is data or JSON; not at all with ``--quiet``."""
    if _manner.get() == "text":
        say(*lines)
    elif _told.get():
        print("\n".join(f"ugt: {printable(line)}" for line in lines), file=sys.stderr)


def took(found: dict[str, Any], line: str) -> None:
    """Report how a file was read: in a line, and as a record in the JSON."""
    read = _took.get()
    if read is not None:
        read.append(found)
        tell(line)


def complain(what: str) -> None:
    """Print an error in one line on standard error."""
    with suppress(OSError):  # a full disk is reported by the exit code
        sys.stdout.flush()
        print(f"ugt: error: {printable(what)}", file=sys.stderr)


def printable(line: str) -> str:
    r"""Return a line with control characters as ``\n``, ``\x1b``, so that a name can neither break a line nor control the terminal.

    Characters that the encoding of the terminal lacks become escapes, too, so that different names stay different and columns aligned.
    """
    if not line.isprintable():
        line = "".join(c if c.isprintable() or _is_mark(c) else c.encode("unicode_escape").decode("ascii") for c in line)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return line.encode(encoding, "backslashreplace").decode(encoding)


def _is_mark(character: str) -> bool:
    """Return whether a character is harmless although Python calls it unprintable: spaces and new letters.

    Characters that reverse the direction of a line are not harmless.
    """
    return character >= "\u00a0" and not ("\u2028" <= character <= "\u202e" or "\u2066" <= character <= "\u2069")


def print_json(name: str, found: Mapping[str, Any], warned: Sequence[str]) -> None:
    """Print one strict JSON object in ASCII, which any terminal and any pipe can take."""
    record = {"ugt": __version__, "schema": SCHEMA, "command": name, **plain(found), "warnings": list(warned)}
    sys.stdout.write(json.dumps(record, indent=1, allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """Return plain values for JSON: None for undefined and infinite numbers; bytes in file names that are not UTF-8 become escapes."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Note):
        return plain(value.to_dict())
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def output_file(out: str) -> Iterator[Path]:
    """Yield the path of a draft, which becomes the file at the end if no error occurs.

    If the file is standard output, nothing else is printed there.
    """
    path = Path(out)
    if not path.name or path.is_dir():
        raise error("--out", "name a file", f"the folder {out!r}")
    if not is_stream(path):
        check_output(path)
        with io.output_folder(path.parent) as draft:
            yield draft / path.name
        return
    with suppress(OSError, ValueError):
        if _manner.get() == "text" and os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno())):
            _manner.set("data")
    with whole_file.output_file(path) as draft:
        yield draft


@contextmanager
def written(out: str | None) -> Iterator[tuple[Any, list[str]]]:
    """Yield a draft folder (None if no folder was given) and a list, which holds the paths of the written files at the end."""
    files: list[str] = []
    if out is None:
        yield None, files
        return
    with io.output_folder(out) as draft:
        yield draft, files
        files += [str(Path(out) / file.name) for file in sorted(draft.iterdir())]


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with aligned columns: the first column to the left, all others to the right."""
    lines = [[printable(cell) for cell in line] for line in lines]
    first, *others = [max(map(len, column)) for column in zip(*lines)]
    return [f"  {line[0]:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(line[1:], others)) for line in lines]


def in_blocks(lines: Sequence[Sequence[str]], most: int = 120) -> list[str]:
    """Return lines with aligned columns, as several blocks with the same first column if they would be wider than ``most``."""
    found: list[str] = []
    begin, n = 1, len(lines[0])
    while begin < n:
        end = begin + 1
        while end < n and len(aligned([[line[0], *line[begin : end + 1]] for line in lines])[0]) <= most:
            end += 1
        found += [*([""] if found else []), *aligned([[line[0], *line[begin:end]] for line in lines])]
        begin = end
    return found


def decimal(value: float | None, decimals: int = 4) -> str:
    """Return a number with some decimals; a dash if it is undefined."""
    return "-" if value is None or math.isnan(value) else f"{round(value, decimals) + 0.0:.{decimals}f}"  # no -0.0


def spanned(value: float | None, low: float | None, high: float | None, decimals: int) -> str:
    """Return a number with its interval, if it has one."""
    ends = [decimal(end, decimals) for end in (low, high)]
    flat = low is not None and high is not None and is_flat(low, high)  # the same in every resample: no spread is shown
    return decimal(value, decimals) if "-" in ends or flat else f"{decimal(value, decimals)} ({' to '.join(ends)})"
