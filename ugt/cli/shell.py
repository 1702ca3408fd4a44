"""``ugt completion`` and ``ugt man``: files for bash, zsh, fish and a manual reader, made from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from .._base.version import __version__
from .command import ENVIRONMENT, EXIT_CODES, add_help, commands_of, helps_of, new_command, options_of

MANY = 999  # values of an option that takes any number of them

COMPLETION = """
Prints a file that lets the shell complete commands, options, their choices and file names. For one bash session: source <(ugt completion
bash). For good, write it where the shell looks: ~/.local/share/bash-completion/completions/ugt for bash, _ugt in a folder of $fpath for
zsh, ~/.config/fish/completions/ugt.fish for fish.

ugt completion bash > ugt.bash
ugt completion zsh > _ugt
ugt completion fish > ugt.fish
"""

MAN = """
Prints the manual page of all commands in roff. man -l ugt.1 shows the page; man ugt finds it in ~/.local/share/man/man1.

ugt man > ugt.1
"""


def add(commands: object) -> None:
    parser = new_command(
        commands,
        "completion",
        lambda options: print(SHELLS[options.shell](options.parser), end=""),
        "print a completion file for a shell",
        "{bash,zsh,fish}",
        COMPLETION,
    )
    group = parser.add_argument_group("about")
    group.add_argument("shell", choices=("bash", "zsh", "fish"), help="shell to print the file for")
    add_help(group)

    parser = new_command(commands, "man", lambda options: print(page(options.parser), end=""), "print the manual page", "> ugt.1", MAN)
    add_help(parser.add_argument_group("about"))


class Taken(NamedTuple):
    """An option as completion uses it; a positional argument has no names."""

    names: tuple[str, ...]
    number: int  # of values
    kind: str  # "file", "folder", "words" or "other"
    words: tuple[str, ...]
    metavar: str
    help: str


def taken(parser: argparse.ArgumentParser) -> list[Taken]:
    return [_taken(parser, action) for action in options_of(parser)]


def _taken(parser: argparse.ArgumentParser, action: argparse.Action) -> Taken:
    metavar = " ".join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar or action.dest.upper()
    number = MANY if action.nargs in ("+", "*") else action.nargs if isinstance(action.nargs, int) else 1
    if isinstance(action, (argparse._HelpAction, argparse._VersionAction)):
        number = 0
    words = tuple(map(str, action.choices or ()))
    is_file = any(name in metavar for name in ("FILE", "VALIDATION", "TEST", "OUT"))
    kind = "words" if words else "folder" if "DIR" in metavar else "file" if is_file else "other"
    said: str = parser._get_formatter()._expand_help(action) if action.help else ""
    summary = said.partition("; default")[0] if not said.startswith("default") else f"{action.dest} ({said})"
    return Taken(tuple(action.option_strings), number, kind, words, metavar, summary)


_BASH = """\
# bash completion for ugt @version, made by: ugt completion bash

# How many values an option takes, and of what kind; $2 is empty for what is not an option's.
_ugt_takes() {
    case "$1 $2" in
@takes
    esac
}

_ugt_options() {
    case "$1" in
@options
    esac
}

_ugt_paths() {
    local line
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$2")
    compopt -o filenames 2> /dev/null
}

_ugt() {
    local IFS=$' \\t\\n' current="${COMP_WORDS[COMP_CWORD]}" command="" option="" place=0 number=0 i word
    local -a takes
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ -z $command ]]; then
            [[ $word == -* ]] || command="$word"
        elif [[ $word == --* ]]; then
            option="$word" place=0
        elif [[ $word != "=" ]]; then  # bash splits --option=value and name=file at the sign
            place=$((place + 1))
        fi
    done
    [[ $current == "=" ]] && current=""
    if [[ -n $option ]]; then
        read -r -a takes <<< "$(_ugt_takes "$command" "$option")"
        number="${takes[0]:-0}"
    fi
    if [[ -z $option || $place -ge $number ]]; then
        read -r -a takes <<< "$(_ugt_takes "$command" "")"
    fi
    if [[ -z $command || $current == -* || ${#takes[@]} -eq 0 ]]; then
        COMPREPLY=($(compgen -W "$(_ugt_options "$command")" -- "$current"))
        return
    fi
    case "${takes[1]}" in
        file) _ugt_paths -f "$current" ;;
        folder) _ugt_paths -d "$current" ;;
        words) COMPREPLY=($(compgen -W "${takes[*]:2}" -- "$current")) ;;
    esac
}

complete -F _ugt ugt
"""


def bash(parser: argparse.ArgumentParser) -> str:
    """Return a completion file for bash 3.2 and later, which needs no other package."""
    commands = commands_of(parser)
    takes, offered = [], [f'        "") echo "{" ".join([*commands, *_names(parser)])}" ;;']
    for name, command in commands.items():
        offered.append(f'        {name}) echo "{" ".join(_names(command))}" ;;')
        for one in taken(command):
            if one.number:
                patterns = " | ".join(f'"{name} {each}"' for each in one.names or ("",))
                takes.append(f'        {patterns}) echo "{" ".join([str(one.number), one.kind, *one.words])}" ;;')
    return _BASH.replace("@takes", "\n".join(takes)).replace("@options", "\n".join(offered)).replace("@version", __version__)


def _names(parser: argparse.ArgumentParser) -> list[str]:
    return [name for one in taken(parser) for name in one.names if name.startswith("--")]


_ZSH = """\
#compdef ugt
# zsh completion for ugt @version, made by: ugt completion zsh

_ugt() {
    local curcontext=$curcontext state line
    local -a commands
    commands=(
@commands
    )
    _arguments -C \\
@own
        '1: :->command' \\
        '*:: :->argument'
    case $state in
        command) _describe -t commands command commands ;;
        argument)
            case $line[1] in
@cases
            esac
            ;;
    esac
}

if [[ $funcstack[1] == _ugt ]]; then
    _ugt "$@"
else
    compdef _ugt ugt
fi
"""


def zsh(parser: argparse.ArgumentParser) -> str:
    commands = "\n".join(f"        {_quoted(f'{name}:{text}')}" for name, text in helps_of(parser).items())
    cases = []
    for name, command in commands_of(parser).items():
        found = [spec for one in taken(command) for spec in _zsh_specs(one)] + ["*:FILE:_files"] * _more_files(taken(command))
        specs = " \\\n                        ".join(map(_quoted, found))
        cases.append(f"                {name})\n                    _arguments \\\n                        {specs}\n                    ;;")
    own = "\n".join(f"        {_quoted(spec)} \\" for one in taken(parser) for spec in _zsh_specs(one))
    text = _ZSH.replace("@commands", commands).replace("@own", own).replace("@cases", "\n".join(cases))
    return text.replace("@version", __version__)


def _zsh_specs(one: Taken) -> Iterator[str]:
    actions = {"file": "_files", "folder": "_files -/", "words": f"({' '.join(one.words)})", "other": " "}
    values = f":{_escaped(one.metavar, ':[]')}:{actions[one.kind]}"
    if not one.names:
        yield f"{'*' if one.kind == 'file' else '1'}{values}"
    for name in one.names:
        yield f"{name}[{_escaped(one.help, '[]')}]{values * (1 if one.number == MANY else one.number)}"


def _more_files(options: list[Taken]) -> bool:
    """Return whether zsh and fish must complete files anywhere: both know only options with a fixed number of values."""
    return any(one.kind == "file" and one.number == MANY for one in options) and all(one.names for one in options)


def _escaped(text: str, special: str) -> str:
    return "".join("\\" + c if c in special + "\\" else c for c in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def fish(parser: argparse.ArgumentParser) -> str:
    lines = [f"# fish completion for ugt {__version__}, made by: ugt completion fish", "", "complete -c ugt -f"]
    for one in taken(parser):
        lines.append(f"complete -c ugt -n __fish_use_subcommand {_fish_option(one)}")
    for name, text in helps_of(parser).items():
        lines.append(f"complete -c ugt -n __fish_use_subcommand -a {name} -d {_fish(text)}")
    for name, command in commands_of(parser).items():
        start = f"complete -c ugt -n '__fish_seen_subcommand_from {name}'"
        options = taken(command)
        lines += ["", *(f"{start} {_fish_option(one)}" for one in options if one.names)]
        if _more_files(options) or any(one.kind == "file" and not one.names for one in options):
            lines.append(f"{start} -F")
        lines += [f"{start} -a {_fish(' '.join(one.words))}" for one in options if not one.names and one.words]
    return "\n".join(lines) + "\n"


def _fish_option(one: Taken) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in one.names)
    values = {"file": " -r -F", "folder": " -x -a '(__fish_complete_directories)'", "words": f" -x -a {_fish(' '.join(one.words))}"}
    return f"{names}{values.get(one.kind, ' -x') if one.number else ''} -d {_fish(one.help)}"


def _fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


# --- the manual, in roff with the macros of man ------------------------------------------------------------------------


def page(parser: argparse.ArgumentParser) -> str:
    return "\n".join(_page(parser)) + "\n"


def _page(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f'.TH UGT 1 "" "ugt {__version__}" "User Commands"'
    yield from (".nh", ".ad l")  # hyphens could be mistaken for a part of an option
    yield from (".SH NAME", r"ugt \- evaluate models when the ground truth is uncertain")
    yield from (".SH SYNOPSIS", r".B ugt", r"\fICOMMAND\fR [\fIoptions\fR]", ".SH DESCRIPTION")
    yield from _paragraphs(parser.description or "")
    yield ".SH COMMANDS"
    for name, text in helps_of(parser).items():
        yield from _paragraph(name, text)
    for name, command in commands_of(parser).items():
        yield f'.SH "UGT {roff(name.upper())}"'
        yield from (".B " + roff(" ".join(command.format_usage().removeprefix("usage: ").split())), ".PP")
        yield from _paragraphs(command.description or "")
        for group in command._action_groups:
            if group._group_actions:
                yield f'.SS "{roff(group.title or "")}"'
                formatter = command._get_formatter()
                for action in group._group_actions:
                    text = formatter._expand_help(action) if action.help else ""
                    yield from _paragraph(formatter._format_action_invocation(action), text)
        examples = (command.epilog or "").partition("examples:\n")[2].partition("\n\n")[0]
        if examples:
            yield from ('.SS "examples"', ".nf", *map(roff, examples.splitlines()), ".fi")
    yield '.SH "EXIT STATUS"'
    for code, meaning in EXIT_CODES.items():
        yield from _paragraph(str(code), meaning)
    yield ".SH ENVIRONMENT"
    for name, meaning in ENVIRONMENT.items():
        yield from _paragraph(name, meaning)


def _paragraph(name: str, text: str) -> Iterator[str]:
    yield from (".TP", rf"\fB{roff(name)}\fR", roff(text))


def _paragraphs(text: str) -> Iterator[str]:
    for i, part in enumerate(text.split("\n\n")):
        if i:
            yield ".PP"
        yield from map(roff, part.splitlines())


def roff(text: str) -> str:
    """Return a text for roff, in which no character starts an escape or a request."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return r"\&" + text if text[:1] in (".", "'") else text
