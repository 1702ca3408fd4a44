"""Completion files for bash, zsh and fish, made from the parser: commands, options, choices, files and folders."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from .._version import __version__
from .command import commands_of, helps_of, options_of

MANY = 999  # values of an option that takes any number of them


class Taken(NamedTuple):
    """An option (or, without names, a positional) as completion sees it."""

    names: tuple[str, ...]
    number: int  # of values
    kind: str  # "file", "folder", "words" or "other"
    words: tuple[str, ...]
    metavar: str
    help: str


def taken(parser: argparse.ArgumentParser) -> list[Taken]:
    """What a command takes."""
    return [_taken(parser, action) for action in options_of(parser)]


def _taken(parser: argparse.ArgumentParser, action: argparse.Action) -> Taken:
    metavar = " ".join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar or action.dest.upper()
    number = MANY if action.nargs in ("+", "*") else action.nargs if isinstance(action.nargs, int) else 1
    if isinstance(action, (argparse._HelpAction, argparse._VersionAction)):
        number = 0
    words = tuple(map(str, action.choices or ()))
    kind = "words" if words else "folder" if "DIR" in metavar else "file" if _is_file(metavar) else "other"
    return Taken(tuple(action.option_strings), number, kind, words, metavar, summary(parser, action))


def _is_file(metavar: str) -> bool:
    return any(name in metavar for name in ("FILE", "VALIDATION", "TEST", "OUT"))


def summary(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """The help of an option up to its default."""
    said: str = parser._get_formatter()._expand_help(action) if action.help else ""
    return said.partition("; default")[0] if not said.startswith("default") else f"{action.dest} ({said})"


# --- bash --------------------------------------------------------------------------------------------------------------

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
    """A completion file for bash 3.2 and later, in need of nothing else."""
    commands = commands_of(parser)
    takes, offered = [], [f'        "") echo "{" ".join([*commands, *_names(parser)])}" ;;']
    for name, command in commands.items():
        offered.append(f'        {name}) echo "{" ".join(_names(command))}" ;;')
        for one in taken(command):
            if one.number:
                patterns = " | ".join(f'"{name} {each}"' for each in one.names or ("",))
                takes.append(f'        {patterns}) echo "{" ".join([str(one.number), one.kind, *one.words])}" ;;')
    text = _BASH.replace("@takes", "\n".join(takes)).replace("@options", "\n".join(offered))
    return text.replace("@version", __version__)


def _names(parser: argparse.ArgumentParser) -> list[str]:
    return [name for one in taken(parser) for name in one.names if name.startswith("--")]


# --- zsh ---------------------------------------------------------------------------------------------------------------

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
    """A completion file for zsh."""
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
    """Arguments of ``_arguments``."""
    actions = {"file": "_files", "folder": "_files -/", "words": f"({' '.join(one.words)})", "other": " "}
    values = f":{_escaped(one.metavar, ':[]')}:{actions[one.kind]}"
    if not one.names:
        yield f"{'*' if one.kind == 'file' else '1'}{values}"
    for name in one.names:
        yield f"{name}[{_escaped(one.help, '[]')}]{values * (1 if one.number == MANY else one.number)}"


def _more_files(options: list[Taken]) -> bool:
    """Whether files may stand where zsh and fish, which know a fixed number of values an option, see no option's value."""
    return any(one.kind == "file" and one.number == MANY for one in options) and all(one.names for one in options)


def _escaped(text: str, special: str) -> str:
    return "".join("\\" + c if c in special + "\\" else c for c in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# --- fish --------------------------------------------------------------------------------------------------------------


def fish(parser: argparse.ArgumentParser) -> str:
    """A completion file for fish."""
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
